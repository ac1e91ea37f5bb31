# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays of Kiln's."""
from .. import _core

_c = _core.functions("kiln.numpy")
globals().update(_c)


def arange(start, stop=None, step=1, *, dtype=None, device=None, like=None):
    """Numbers from start to below stop. (numpy.arange)"""
    return _c["arange"](0, start, step, dtype=dtype) if stop is None else _c["arange"](start, stop, step, dtype=dtype)


from .._interop import asarray, frombuffer
from .._core import from_dlpack
