# SPDX-License-Identifier: Apache-2.0
"""x.at[index].set(v) and its kin, which leave x as it is (jax.numpy.ndarray.at), and x.flat (numpy.ndarray.flat)."""
import warnings as _warnings

from .. import _core
from .._core import Array
from ..errors import ConcretizationTypeError
from ._creation import asarray

_c = _core.functions("kiln.numpy")


class _At:
    """x.at: x.at[index] is what writes to a copy of x.

    >>> import kiln.numpy as knp
    >>> knp.zeros(3).at[1].set(5)
    array([0., 5., 0.])
    """

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __getitem__(self, index):
        return _Place(self._x, index)

    def __repr__(self):
        return f"_IndexUpdateHelper({self._x!r})"


_MODES = (None, "clip", "fill", "drop", "promise_in_bounds")


def _mode_of(mode):
    """The name of what is done with positions beyond the array."""
    name = str(getattr(mode, "name", mode)).lower() if mode is not None else None
    if name not in _MODES and name != "fill_or_drop":
        raise ValueError(f'Unknown gather mode "{mode}"')
    return "fill" if name in ("drop", "fill_or_drop") else name


class _Walk:
    """What an index says of an array: its key has the positions moved inside; outside tells which were not (a mask, a
    bool where no array is among them); the first positions are item number `item` of the key and go along `axis`."""

    __slots__ = ("x", "key", "outside", "item", "axis")

    def __init__(self, x, index, wrap):
        key = index if isinstance(index, tuple) else (index,)
        self.x, self.key, self.outside, self.item, self.axis = x, list(map(_item, key)), False, None, None
        widths = [_width(k) for k in self.key]
        axis = 0
        if sum(widths) <= x.ndim:  # else the C library says what is wrong
            for i, (k, width) in enumerate(zip(self.key, widths)):
                if width == 1 and not isinstance(k, slice) and getattr(k, "dtype", None) != "bool":
                    self._positions(i, k, axis, wrap)
                axis += x.ndim - sum(widths) if k is Ellipsis else width

    def _positions(self, i, k, axis, wrap):
        n = self.x.shape[axis]
        if isinstance(k, int):
            if n == 0:
                raise IndexError(f"index is out of bounds for axis {axis} with size 0")
            k = k + n if k < 0 and wrap else k
            here, self.key[i] = not 0 <= k < n, min(max(k, 0), n - 1)
        else:
            k = k.astype("int64")
            k = _c["where"](k < 0, k + n, k) if wrap else k
            here, self.key[i] = (k < 0) | (k >= n), _c["_clip"](k, 0, max(n - 1, 0))
        if self.item is None:
            self.item, self.axis = i, axis
        self.outside = here if self.outside is False else self.outside | here

    def extended(self):
        """The key into an array with one more row along `axis`, which is where the positions outside are."""
        key = list(self.key)
        key[self.item] = _c["where"](self.outside, self.x.shape[self.axis], key[self.item])
        return tuple(key)

    def lost(self):
        """Which elements of the result are from outside."""
        n, shape, along = self.x.shape[self.axis], list(self.x.shape), [1] * self.x.ndim
        along[self.axis] = shape[self.axis] = n + 1
        rows = (_c["arange"](0, n + 1, 1) == n).reshape(along)
        return _c["broadcast_to"](rows, shape)[self.extended()]


def _item(k):
    k = asarray(k) if isinstance(k, (list, tuple)) or (hasattr(k, "dtype") and not isinstance(k, Array)) else k
    if k is None or k is Ellipsis or isinstance(k, (slice, int)):
        return k
    if isinstance(k, (float, complex, str)) or (isinstance(k, Array) and k.dtype.kind not in "biu"):
        what = k.dtype if isinstance(k, Array) else type(k).__name__
        raise TypeError(f"Indexer must have integer or boolean type, got indexer with type {what}")
    return asarray(k)


def _width(k):
    """How many axes of the array an item of an index speaks of."""
    if k is None or k is Ellipsis or isinstance(k, bool):
        return 0
    return k.ndim if isinstance(k, Array) and k.dtype.kind == "b" else 1


def _is_safe(values, dtype):
    """Whether values become of the dtype by JAX's promotion, in which numbers of Python have none of their own."""
    if isinstance(values, (bool, int, float, complex)):
        kinds = "biufc" if isinstance(values, bool) else "iufc" if isinstance(values, int) else (
            "fc" if isinstance(values, float) else "c")
        return dtype.kind in kinds
    return (values.dtype.kind == "b" or (values.dtype.kind in "iu" and dtype.kind in "fc") or
            _core.result_type(values.dtype, dtype) == dtype)


class _Place:
    """x.at[index]. Positions beyond the array are left out when it writes; when it reads, the nearest ones count, or
    fill_value with mode="fill". indices_are_sorted and unique_indices are promises, of which the latter makes
    multiply, divide and power differentiable with respect to the values, and saves apply a look for repeated ones."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index

    def __repr__(self):
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    def get(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None,
            wrap_negative_indices=True):
        """x[index]."""
        mode, x, walk = _mode_of(mode), self.array, _Walk(self.array, self.index, wrap_negative_indices)
        if walk.outside is False or mode != "fill":
            return x[tuple(walk.key)]
        lost = walk.lost()
        fill = asarray(_fill_value(x.dtype) if fill_value is None else fill_value, x.dtype)
        return _c["where"](lost, fill, x[tuple(walk.key)] if x.size else fill)

    def _write(self, values, name, mode, wrap_negative_indices, unique_indices=False):
        x, walk = self.array, _Walk(self.array, self.index, wrap_negative_indices)
        keeps = _mode_of(mode) not in ("clip", "promise_in_bounds")
        values = values if isinstance(values, (bool, int, float, complex)) else asarray(values)
        y, dtype = x.copy(), x.dtype
        if not _is_safe(values, dtype):
            given = getattr(values, "dtype", type(values).__name__)
            _warnings.warn(f"scatter inputs have incompatible types: cannot safely cast value from dtype={given} to "
                           f"dtype={dtype} with jax_numpy_dtype_promotion=standard. In future JAX releases this will "
                           "result in an error.", FutureWarning, stacklevel=3)
            y = y.astype(_core.result_type(x, values))
        values = asarray(values, y.dtype)
        if walk.outside is True and keeps:
            return x.copy()
        if unique_indices and name == "multiply":  # which has a derivative with respect to the factors, then
            values, name = y[tuple(walk.key)] * values, "set"
        if walk.outside is False or not keeps:
            _core.write_at(y, tuple(walk.key), values, name)
            return y.astype(dtype, copy=False)
        pads, inside = [(0, 0)] * x.ndim, [slice(None)] * x.ndim
        pads[walk.axis], inside[walk.axis] = (0, 1), slice(0, x.shape[walk.axis])
        y = _c["pad"](y, pads)
        _core.write_at(y, walk.extended(), values, name)
        return y[tuple(inside)].astype(dtype)

    def apply(self, func, *, indices_are_sorted=False, unique_indices=False, mode=None, wrap_negative_indices=True):
        """x with x[index] = func(x[index]), again and again where indices repeat."""
        there = self.get(mode="clip", wrap_negative_indices=wrap_negative_indices)
        y = self._write(func(there), "set", mode, wrap_negative_indices)
        key = self.index if isinstance(self.index, tuple) else (self.index,)
        if unique_indices or all(k is None or k is Ellipsis or isinstance(k, (slice, int)) for k in key):
            return y
        count = _Place(_c["zeros"](y.shape, "int64"), self.index)._write(1, "add", mode, wrap_negative_indices)

        def again(i, y):
            return _c["where"](count > i, func(y), y)
        most = count.max(initial=0)
        try:
            most = int(most)
        except ConcretizationTypeError:
            from ..lax import fori_loop
            return fori_loop(1, most, again, y)
        for i in range(1, most):
            y = again(i, y)
        return y


def _fill_value(dtype):
    if dtype.kind in "iu":
        limits = _c["_iinfo"](dtype)
        return limits.min if dtype.kind == "i" else limits.max % (1 << 64)
    return True if dtype.kind == "b" else float("nan")


def _writer(name, says, of_factors):
    def write(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None,
              wrap_negative_indices=True):
        if not of_factors:
            return self._write(values, name, mode, wrap_negative_indices, unique_indices)
        factors = _Place(_c["ones_like"](self.array), self.index)
        return _c[name](self.array, factors._write(values, "multiply", mode, wrap_negative_indices, unique_indices))
    write.__doc__ = f"x with {says}, again and again where indices repeat."
    return write


for _name, _ufunc, _says in (("set", "set", "x[index] = values"), ("add", "add", "x[index] += values"),
                             ("subtract", "subtract", "x[index] -= values"),
                             ("multiply", "multiply", "x[index] *= values"), ("mul", "multiply", "x[index] *= values"),
                             ("divide", "divide", "x[index] /= values"), ("power", "power", "x[index] **= values"),
                             ("min", "minimum", "x[index] = minimum(x[index], values)"),
                             ("max", "maximum", "x[index] = maximum(x[index], values)")):
    _method = _writer(_ufunc, _says, _name in ("divide", "power"))
    _method.__name__, _method.__qualname__ = _name, f"_Place.{_name}"
    setattr(_Place, _name, _method)
Array.at = property(_At, doc="x.at[index].set(v): x with other elements. (jax.Array.at)")


class flatiter:
    """x.flat: the elements in C order, which may be read and written by one index. (numpy.flatiter)

    >>> import kiln.numpy as knp
    >>> x = knp.array([[1, 2], [3, 4]])
    >>> x.flat[1:3] = 0
    >>> list(x.flat), x.flat[3]
    ([array(1), array(0), array(0), array(4)], array(4))
    """

    __slots__ = ("base", "index")
    __hash__ = None

    def __init__(self, base):
        self.base, self.index = base, 0

    @property
    def coords(self):
        """Where the element that comes next stands."""
        if self.base.size <= self.index:
            return self.base.shape[:1] + (0,) * (self.base.ndim - 1)
        return tuple(int(i) for i in _c["unravel_index"](self.index, self.base.shape))

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self.base.reshape(-1)[self.index - 1]

    def copy(self):
        """All elements, as a vector of its own."""
        return self.base.flatten()

    def __array__(self, dtype=None, copy=None):
        return self.copy().__array__(dtype)

    def __kiln_array__(self):
        return self.copy()

    def __getitem__(self, index):
        if isinstance(index, tuple):
            if len(index) != 1:
                raise IndexError("unsupported iterator index" if index else "unsupported iterator index")
            index = index[0]
        y = self.base.reshape(-1)[index]
        return y.copy() if y.ndim else y

    def __setitem__(self, index, values):
        if isinstance(index, tuple) and len(index) == 1:
            index = index[0]
        values = asarray(values).reshape(-1)
        flat = _c["arange"](0, self.base.size, 1)[index]
        if not values.size:
            if flat.size:
                raise ValueError("Error setting single item of array.")
            return
        _c["put"](self.base, flat.reshape(-1), values)

    def __eq__(self, other):
        return self.copy() == other

    def __ne__(self, other):
        return self.copy() != other


def _set_flat(self, values):
    flatiter(self)[:] = values


Array.flat = property(flatiter, _set_flat, doc="the elements in C order; x.flat[i] reads and writes them. "
                                               "(numpy.ndarray.flat)")


def _clip(self, /, min=None, max=None, out=None, **kwargs):
    """Numbers limited to an interval. (numpy.ndarray.clip)"""
    from ._functional import clip
    return clip(self, min, max, out=out, **kwargs)


def _view(self, /, dtype=None, type=None):
    """The same bytes, as another dtype. (numpy.ndarray.view)"""
    return _c["_view"](self, self.dtype if dtype is None else dtype)


def _set_shape(self, shape):
    try:
        view = self.reshape(tuple(shape) if isinstance(shape, (tuple, list)) else shape, copy=False)
    except ValueError as e:
        if "copy" not in str(e):
            raise
        raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with "
                             "the desired shape.") from None
    self._exchange(view)  # not resize, which would leave other views behind


Array._set_shape = _set_shape


class flagsobj:
    """How an array lies in memory: x.flags.c_contiguous, x.flags["C"]. (numpy's flagsobj)

    >>> import kiln.numpy as knp
    >>> x = knp.zeros((2, 3))
    >>> x.flags.c_contiguous, x.T.flags["C_CONTIGUOUS"]
    (True, False)
    >>> x.flags.writeable = False
    """

    __slots__ = ("_array", "_flags")
    __hash__ = None
    _letters = {"C": "C_CONTIGUOUS", "CONTIGUOUS": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "FORTRAN": "F_CONTIGUOUS",
                "O": "OWNDATA", "W": "WRITEABLE", "A": "ALIGNED", "X": "WRITEBACKIFCOPY"}
    _more = {"FORC": lambda f: f["C"] or f["F"], "FNC": lambda f: f["F"] and not f["C"],
             "B": lambda f: f["A"] and f["W"], "BEHAVED": lambda f: f["A"] and f["W"],
             "CA": lambda f: f["B"] and f["C"], "CARRAY": lambda f: f["B"] and f["C"],
             "FA": lambda f: f["B"] and f["FNC"], "FARRAY": lambda f: f["B"] and f["FNC"],
             "NUM": lambda f: sum(bit for k, bit in (("C", 1), ("F", 2), ("O", 4), ("A", 256), ("W", 1024)) if f[k])}

    def __init__(self, array):
        self._array, self._flags = array, {**_plain_flags(array), "WRITEBACKIFCOPY": False}

    def __getitem__(self, key):
        key = self._letters.get(key, key)
        if key in self._flags:
            return self._flags[key]
        if key not in self._more:
            raise KeyError("Unknown flag")
        return self._more[key](self)

    def __setitem__(self, key, value):
        key = self._letters.get(key, key)
        names = {"WRITEABLE": "write", "ALIGNED": "align", "WRITEBACKIFCOPY": "uic"}
        if key not in names:
            raise KeyError("Unknown flag")
        self._array.setflags(**{names[key]: bool(value)})
        self._flags = flagsobj(self._array)._flags

    def __eq__(self, other):
        return self._flags == other._flags if isinstance(other, flagsobj) else NotImplemented

    def __repr__(self):
        return "".join(f"  {name} : {value}\n" for name, value in self._flags.items())


def _flag(key, settable=False):
    return property(lambda self: self[key], (lambda self, value: self.__setitem__(key, value)) if settable else None)


for _name in ("c_contiguous", "f_contiguous", "owndata", "contiguous", "fortran", "forc", "fnc", "behaved", "carray",
              "farray", "num"):
    setattr(flagsobj, _name, _flag(_name.upper()))
for _name in ("writeable", "aligned", "writebackifcopy"):
    setattr(flagsobj, _name, _flag(_name.upper(), True))
_plain_flags = Array.flags.__get__
Array.flags = property(flagsobj, doc="how it lies in memory. (numpy.ndarray.flags)")

_plain_astype = Array.astype


def _astype(self, /, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The elements as another dtype; with copy=False the array itself if it has that. (numpy.ndarray.astype)"""
    if not copy and order in ("K", "A", None) and self.dtype == dtype:
        return self
    return _plain_astype(self, dtype, order, casting, subok, copy)


Array.clip, Array.view, Array.astype = _clip, _view, _astype
Array.clip.__name__, Array.view.__name__, Array.astype.__name__ = "clip", "view", "astype"

__all__ = ["flatiter"]
