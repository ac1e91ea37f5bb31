# SPDX-License-Identifier: Apache-2.0
"""Dtypes under NumPy's names, what they are among each other, and their limits."""
from .. import _core
from .._core import Array, dtype

_c = _core.functions("kiln.numpy")

_NAMES = {
    "bool": "bool",
    "bool_": "bool",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "float64": "float64",
    "complex64": "complex64",
    "complex128": "complex128",
    "byte": "int8",
    "short": "int16",
    "intc": "int32",
    "int_": "int64",
    "intp": "int64",
    "long": "int64",
    "longlong": "int64",
    "ubyte": "uint8",
    "ushort": "uint16",
    "uintc": "uint32",
    "uint": "uint64",
    "uintp": "uint64",
    "ulong": "uint64",
    "ulonglong": "uint64",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "float_": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
     "complex_": "complex128"}
_NAMES.update({n: n for n in dir(_core) if n.startswith(("float8", "float6", "float4", "int1", "int2", "int4", "uint1",
                                                          "uint2", "uint4")) and n in vars(_core)})
NAMES = {k: getattr(_core, v) for k, v in _NAMES.items() if k not in ("float_", "complex_")}


# ---- NumPy's abstract types, for issubdtype.

class _Abstract(type):
    """isinstance of an array of no axes asks for its dtype."""

    def __instancecheck__(cls, x):
        return isinstance(x, Array) and x.ndim == 0 and issubdtype(x.dtype, cls)


class generic(metaclass=_Abstract):
    """The root of all dtypes. (numpy.generic)"""


class number(generic):
    """Integers and inexact numbers. (numpy.number)"""


class integer(number):
    """All integers. (numpy.integer)"""


class signedinteger(integer):
    """Integers with a sign. (numpy.signedinteger)"""


class unsignedinteger(integer):
    """Integers without a sign. (numpy.unsignedinteger)"""


class inexact(number):
    """Floats and complex numbers. (numpy.inexact)"""


class floating(inexact):
    """Floats. (numpy.floating)"""


class complexfloating(inexact):
    """Complex numbers. (numpy.complexfloating)"""


ABSTRACT = {c.__name__: c for c in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating,
                                    complexfloating)}


def _like(d):
    """What the C library takes for a dtype, an abstract one by its name."""
    name = getattr(d, "__name__", None)
    return name if isinstance(d, type) and name in ABSTRACT and d.__module__.startswith(("kiln", "numpy")) else d


def issubdtype(arg1, arg2):
    """Is arg1 below arg2, or the same dtype? (numpy.issubdtype)

    >>> import kiln.numpy as knp
    >>> knp.issubdtype(knp.float32, knp.floating)
    True
    """
    return _c["issubdtype"](_like(arg1), _like(arg2))


def isdtype(dtype, kind):
    """Is this dtype of this kind, one of these kinds, or this dtype? (numpy.isdtype)

    >>> import kiln.numpy as knp
    >>> knp.isdtype(knp.float32, ("real floating", knp.int8))
    True
    """
    if not isinstance(dtype, _core.dtype):
        name = getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
        if not isinstance(name, str):
            raise TypeError(f"dtype argument must be a NumPy dtype, but it is a {type(dtype)}.")
        dtype = _core.dtype(dtype)
    if isinstance(kind, tuple):
        return any([_isdtype(dtype, k) for k in kind])
    return _isdtype(dtype, kind)


def _isdtype(d, kind):
    if isinstance(kind, str):
        if kind not in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
                        "numeric"):
            raise ValueError("kind argument is a string, but {!r} is not a known kind name.".format(kind))
    elif not isinstance(kind, (_core.dtype, type)):
        raise TypeError(f"kind argument must be comprised of NumPy dtypes or strings only, but is a {type(kind)}.")
    return _c["isdtype"](d, kind)


def result_type(*arrays_and_dtypes):
    """The dtype that these have together; Python numbers adapt. (numpy.result_type)

    >>> import kiln.numpy as knp
    >>> knp.result_type(knp.int8, knp.float32, 1.5)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    return _core.result_type(*arrays_and_dtypes)


def common_type(*arrays):
    """The inexact dtype for all of them. (numpy.common_type)"""
    return _core.common_type(arrays)


def can_cast(from_, to, casting="safe"):
    """May numbers of the one dtype be cast to the other by this rule? (numpy.can_cast)"""
    if isinstance(from_, (bool, int, float, complex)) and not isinstance(from_, type):
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used to depend "
            "on the value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in "
            "the future.")
    return _c["can_cast"](from_, to, casting)


def _dtype_of(x):
    """An array's dtype, or what stands for one (a class of NumPy's has a `dtype` of another kind)."""
    return x if isinstance(x, type) else getattr(x, "dtype", x)


class finfo:
    """Limits of a dtype of floats, or of complex numbers of such. (numpy.finfo)

    >>> import kiln.numpy as knp
    >>> knp.finfo(knp.float32).eps
    1.1920928955078125e-07
    """

    _fields = (
    "bits",
    "nmant",
    "nexp",
    "iexp",
    "machep",
    "negep",
    "maxexp",
    "minexp",
    "precision",
    "eps",
    "epsneg",
    "max",
    "min",
    "resolution",
    "smallest_normal",
    "smallest_subnormal",
     "tiny")
    __slots__ = ("dtype", *_fields)

    def __init__(self, dtype):
        if dtype is None:
            raise TypeError("dtype must not be None")
        facts = _c["_finfo"](_dtype_of(dtype))
        for name in self.__slots__:
            setattr(self, name, getattr(facts, name))

    def __repr__(self):
        resolution, low, high = (str(self.dtype(v)) for v in (self.resolution, self.min, self.max))
        return f"finfo(resolution={resolution}, min={low}, max={high}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


class iinfo:
    """Limits of a dtype of integers. (numpy.iinfo)

    >>> import kiln.numpy as knp
    >>> knp.iinfo(knp.uint64).max
    18446744073709551615
    """

    __slots__ = ("dtype", "bits", "kind", "key", "min", "max")

    def __init__(self, type):
        facts = _c["_iinfo"](_dtype_of(type))
        self.dtype, self.bits, self.kind, self.key = facts.dtype, facts.bits, facts.kind, facts.key
        self.min, self.max = facts.min, facts.max % (1 << 64)

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


typecodes = {
    k: _c["_typecodes"](k) for k in (
        "Character",
        "Integer",
        "UnsignedInteger",
        "Float",
        "Complex",
        "AllInteger",
        "AllFloat",
        "Datetime",
         "All")}

__all__ = ["can_cast", "common_type", "dtype", "finfo", "iinfo", "isdtype", "issubdtype", "result_type", "typecodes",
           *ABSTRACT]
