# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays of Kiln's: its main namespace, `linalg` and `fft`, and the Array API standard."""
import math as _math

from .. import _core
from .._core import Array, Array as ndarray

globals().update({k: f for k, f in _core.functions("kiln.numpy").items() if not k.startswith("_")})

from . import _at, _creation, _dtypes, _errors, _files, _functional, _info, _iteration, _polynomial, _printing
from . import _ufuncs, _wrapped, emath, exceptions, fft, lib, linalg
from ._at import *
from ._creation import *
from ._dtypes import *
from ._errors import *
from ._files import *
from ._functional import *
from ._info import __array_namespace_info__
from ._iteration import *
from ._polynomial import *
from ._printing import *
from ._ufuncs import *
from ._wrapped import *

globals().update(_ufuncs.UFUNCS)
globals().update(_dtypes.NAMES)

e, euler_gamma, inf, nan, newaxis, pi = _math.e, 0.5772156649015329, _math.inf, _math.nan, None, _math.pi
little_endian = __import__("sys").byteorder == "little"
True_, False_ = True, False
__array_api_version__ = "2025.12"

_more = ["__array_namespace_info__", "e", "emath", "euler_gamma", "exceptions", "False_", "fft",
         "inf", "lib", "linalg", "little_endian", "nan", "ndarray",
         "newaxis", "pi", "True_"]
__all__ = sorted({*(k for k in _core.functions("kiln.numpy") if not k.startswith("_")), *_dtypes.NAMES, *_more,
                  *(n for m in (_at, _creation, _dtypes, _errors, _files, _functional, _iteration, _polynomial,
                                _printing, _ufuncs, _wrapped)
                    for n in m.__all__), *_ufuncs.UFUNCS})


def __dir__():
    return [*__all__, "__array_api_version__"]
