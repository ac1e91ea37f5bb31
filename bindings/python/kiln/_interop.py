# SPDX-License-Identifier: Apache-2.0
"""Arrays among other libraries: NumPy's protocols, ml_dtypes, memory without a copy, copies, formats."""
import functools as _functools
import importlib as _importlib
import sys as _sys

from . import _core
from ._core import Array

_numpy = _core.functions("kiln.numpy")
_ascontiguousarray, _copy = _numpy["ascontiguousarray"], _numpy["copy"]
_BY_LETTERS = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
                        "complex128".split())


# ---- To NumPy.

class _Memory:
    """The memory of an array as NumPy wants to hear of it; lives as long as NumPy looks."""

    def __init__(self, x, typestr):
        self._keeper, address, readonly, strides = _core.memory(x)
        self.__array_interface__ = {"version": 3, "shape": x.shape, "typestr": typestr, "data": (address, readonly),
                                    "strides": strides}


def _ndarray(x):
    """A NumPy array over the memory of x."""
    import numpy
    name = x.dtype.name
    if name in _BY_LETTERS:
        return numpy.asarray(memoryview(x))
    import ml_dtypes
    size = x.dtype.itemsize
    return numpy.asarray(_Memory(x, f"<u{size}" if size > 1 else "|u1")).view(getattr(ml_dtypes, name))


def _array(self, dtype=None, copy=None):
    """A NumPy array: over the same memory unless copy or another dtype is asked for."""
    a = _ndarray(self)
    if dtype is not None and a.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return a.astype(dtype)
    return a.copy() if copy else a


def _array_interface(self):
    """NumPy's description of the memory, which stays where it is for as long as the array lives."""
    if self.dtype.name not in _BY_LETTERS:  # then NumPy asks __array__
        raise AttributeError(f"NumPy has no letter for elements of {self.dtype}")
    keeper, address, readonly, strides = _core.memory(self)
    return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (address, readonly),
            "strides": strides, "descr": [("", self.dtype.str)]}


# ---- From others.

def _other_dtype(o):
    """The name of a dtype of ml_dtypes whose elements o has, else None."""
    dtype = getattr(o, "dtype", None)
    return dtype.name if getattr(getattr(dtype, "type", None), "__module__", "").startswith("ml_dtypes") else None


def share(o):
    """An array over the memory of o, or None where it has none that can be used as it is."""
    if isinstance(o, (str, bytes, list, tuple, dict, int, float, complex)):
        return None
    name = _other_dtype(o)
    if name is not None:
        try:
            return _core.share(o.view(f"u{o.dtype.itemsize}"), name)
        except (TypeError, ValueError):
            return None
    x = _core.share(o)
    if x is None and hasattr(o, "__dlpack__"):
        try:
            x = _core.from_dlpack(o, copy=False)
        except (BufferError, ValueError, TypeError, RuntimeError):
            return None
    return x


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """The bytes of a buffer as an array of one axis, over the same memory if it is aligned. (numpy.frombuffer)

    >>> import kiln.numpy as knp
    >>> knp.frombuffer(b"\\x01\\x02", dtype="uint8").tolist()
    [1, 2]
    """
    dtype = _core.dtype(dtype)
    view = memoryview(buffer).cast("B")
    size = dtype.itemsize
    if offset < 0 or offset > len(view):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(view)})")
    n = len(view) - offset
    if count < 0:
        if n % size:
            raise ValueError("buffer size must be a multiple of element size")
        count = n // size
    elif n < count * size:
        raise ValueError("buffer is smaller than requested size")
    view = view[offset:offset + count * size]
    x = _core.share(view, dtype)
    return _core.share(bytearray(view), dtype) if x is None else x


# ---- NumPy's functions of Kiln's arrays (NEP 13, NEP 18).

# They make no arrays, or write into one of NumPy's: NumPy does them itself, on the memory of ours.
_NUMPYS_OWN = frozenset("array2string array_repr array_str save savez savez_compressed savetxt shares_memory "
                        "may_share_memory copyto result_type can_cast min_scalar_type".split())


@_functools.cache
def _function_of(module, name):
    try:
        f = getattr(_importlib.import_module("kiln." + module), name, None)
    except ImportError:
        f = None
    return f


def _plain(x):
    """For NumPy: our arrays as its own."""
    if isinstance(x, Array):
        return _ndarray(x)
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    return x


def _with_outs(f, outs):
    """f(outs) with arrays of ours over the memory of those that out= names; the result, with those arrays in it."""
    import numpy
    ours = [o if o is None or isinstance(o, Array) else share(o) for o in outs]
    there = [o is not None and x is None for o, x in zip(outs, ours)]  # memory that cannot be used as it is
    ours = [_numpy["copy"](o) if t else x for o, x, t in zip(outs, ours, there)]
    result = f(tuple(ours))
    for o, x, t in zip(outs, ours, there):
        if t:
            numpy.copyto(o, _ndarray(x))
    found = result if isinstance(result, tuple) else (result,)
    found = tuple(r if o is None else o for o, r in zip(outs, found))
    return found if isinstance(result, tuple) else found[0]


def _known(types):
    """Are all of these ours or NumPy's? Others may know better what to do."""
    numpy = _sys.modules.get("numpy")
    return all(t is Array or (numpy and issubclass(t, (numpy.ndarray, numpy.generic))) for t in types)


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """numpy.sin(x) is kiln.numpy.sin(x). What Kiln does not have is NotImplemented, so a TypeError. (NEP 13)"""
    out = kwargs.pop("out", None)
    others = [type(x) for x in inputs + (out or ()) if hasattr(type(x), "__array_ufunc__")]
    f = _function_of("numpy", ufunc.__name__) if _known(others) else None
    if method != "__call__":
        f = getattr(f, method, None)
    if f is None:
        return NotImplemented
    if out is None:
        return f(*inputs, **kwargs)
    return _with_outs(lambda outs: f(*inputs, out=outs if len(outs) > 1 else outs[0], **kwargs), out)


def _array_function(self, func, types, args, kwargs):
    """numpy.concatenate([x, y]) is kiln.numpy.concatenate([x, y]). (NEP 18)"""
    if not _known(types):
        return NotImplemented
    name = func.__name__
    if name in _NUMPYS_OWN:
        return func(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    f = _function_of(getattr(func, "__module__", None) or "numpy", name)
    if f is None:
        return NotImplemented
    out = kwargs.get("out")
    if out is None or isinstance(out, Array):
        return f(*args, **kwargs)
    rest = {k: v for k, v in kwargs.items() if k != "out"}
    return _with_outs(lambda outs: f(*args, out=outs[0], **rest), (out,))


# ---- Pickles and copies.

def _rebuild(memory, dtype, shape, fortran):
    writable = not memoryview(memory).readonly
    x = _core.share(memory if writable else bytearray(memory), dtype)
    if x is None:  # in memory that is not aligned
        x = _core.share(bytearray(memory), dtype)
    return x.reshape(shape[::-1]).T if fortran else x.reshape(shape)


def _reduce_ex(self, protocol):
    """Bytes, dtype and shape; with protocol 5 the bytes may travel beside the pickle."""
    flags = self.flags
    fortran = flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"]
    x = _ascontiguousarray(self.T if fortran else self) if self.ndim else self
    what = (self.dtype.name, self.shape, fortran)
    if protocol >= 5 and x.nbytes:
        import pickle
        return _rebuild, (pickle.PickleBuffer(_core.Bytes(x)), *what)
    return _rebuild, (bytearray(x.tobytes()), *what)


def _copied(self):
    return _copy(self, "K")


def _deepcopied(self, memo):
    return _copy(self, "K")


# ---- Texts and sizes.

def _format(self, spec):
    """Arrays without axes as their number; others take no specification."""
    if spec == "":
        return str(self)
    if self.ndim == 0:
        return format(self.item(), spec)
    raise TypeError("unsupported format string passed to kiln.Array.__format__")


def _sizeof(self):
    """Bytes of the object, and of its elements where the memory is its own."""
    return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)


def install():
    """Gives the type Array what is written here."""
    methods = {"__array__": _array, "__array_interface__": property(_array_interface), "__array_ufunc__": _array_ufunc,
               "__array_function__": _array_function, "__array_priority__": 100, "__reduce_ex__": _reduce_ex,
               "__copy__": _copied, "__deepcopy__": _deepcopied, "__format__": _format, "__sizeof__": _sizeof}
    for name, f in methods.items():
        setattr(Array, name, f)


install()
