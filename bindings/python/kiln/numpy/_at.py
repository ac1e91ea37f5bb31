# SPDX-License-Identifier: Apache-2.0
"""x.at[index].set(v) and its kin, which leave x as it is (jax.numpy.ndarray.at), and x.flat (numpy.ndarray.flat)."""
from .. import _core
from .._core import Array
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


def _is_static(item):
    """Not an array of positions."""
    return item is None or item is Ellipsis or isinstance(item, (slice, bool))


class _Place:
    """x.at[index]. Positions beyond the array are left out when it writes; when it reads, the nearest ones count, or
    fill_value with mode="fill"."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index

    def __repr__(self):
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    def _inside(self, mode, wrap_negative_indices=True):
        """(index, outside): the index with positions within the array, and a mask of those that were not, or None."""
        key = self.index if isinstance(self.index, tuple) else (self.index,)
        key = tuple(asarray(k) if isinstance(k, (list, tuple)) else k for k in key)
        for k in key:
            if isinstance(k, (float, str)) or (hasattr(k, "dtype") and k.dtype.kind not in "biu"):
                what = getattr(k, "dtype", type(k).__name__)
                raise TypeError(f"Indexer must have integer or boolean type, got indexer with type {what}")
        x, out, axis, outside = self.array, [], 0, None
        used = sum(0 if k is None or k is Ellipsis or isinstance(k, bool) else
                   k.ndim if hasattr(k, "dtype") and k.dtype.kind == "b" else 1 for k in key)
        if used > x.ndim:
            return self.index, None  # the C library says what is wrong
        for k in key:
            if k is Ellipsis:
                axis += x.ndim - used
            elif k is None or isinstance(k, bool):
                pass
            elif isinstance(k, slice):
                axis += 1
            elif hasattr(k, "dtype") and k.dtype.kind == "b":
                axis += k.ndim
            else:
                n, axis = x.shape[axis], axis + 1
                if isinstance(k, int):
                    at = k + n if k < 0 and wrap_negative_indices else k
                    here = not 0 <= at < n
                    k = min(max(at, 0), max(n - 1, 0))
                else:
                    at = asarray(k)
                    at = at.astype("int64")
                    at = _c["where"](at < 0, at + n, at) if wrap_negative_indices else at
                    here = (at < 0) | (at >= n)
                    k = _c["_clip"](at, 0, max(n - 1, 0))
                outside = here if outside is None else outside | here
            out.append(k)
        if outside is None or mode in ("promise_in_bounds", "clip") or outside is False:
            outside = None
        return tuple(out), outside

    def get(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None,
            wrap_negative_indices=True):
        """x[index]."""
        key, outside = self._inside(mode, wrap_negative_indices)
        filled = mode in ("fill", "drop")
        if self.array.size == 0 and outside is not None and not filled:
            return self.array[self.index]
        y = self.array[key] if self.array.size or outside is None else None
        if outside is None or not filled:
            return y
        if fill_value is None:
            kind = self.array.dtype.kind
            limits = _c["_iinfo"](self.array.dtype) if kind in "iu" else None
            fill_value = (float("nan") if kind in "fc" else True if kind == "b" else
                          limits.min if kind == "i" else limits.max % (1 << 64))
        fill = asarray(fill_value, self.array.dtype)
        outside = asarray(outside)
        return _c["where"](outside.reshape(outside.shape + (1,) * (y.ndim - outside.ndim)), fill, y)

    def _write(self, values, name, mode, wrap_negative_indices=True):
        key, outside = self._inside(mode, wrap_negative_indices)
        x = self.array
        if outside is True:
            return x.copy()
        if outside is None or outside is False:
            y = x.copy()
            _core.write_at(y, key, _cast(values, x.dtype), name)
            return y
        # what is outside goes to a row of its own, which is cut off afterwards
        index, axis, pads, cut = list(key), 0, [(0, 0)] * x.ndim, [slice(None)] * x.ndim
        used = sum(0 if k is None or k is Ellipsis or isinstance(k, bool) else
                   k.ndim if hasattr(k, "dtype") and k.dtype.kind == "b" else 1 for k in key)
        done = False
        for i, k in enumerate(key):
            if k is Ellipsis:
                axis += x.ndim - used
            elif k is None or isinstance(k, bool):
                pass
            elif isinstance(k, slice):
                axis += 1
            elif hasattr(k, "dtype") and k.dtype.kind == "b":
                axis += k.ndim
            else:
                if not done:
                    index[i] = _c["where"](outside, x.shape[axis], k)
                    pads[axis], cut[axis], done = (0, 1), slice(0, x.shape[axis]), True
                axis += 1
        y = _c["pad"](x, pads)
        for i, k in enumerate(index):  # slices with open ends end where x ends
            index[i] = k
        _core.write_at(y, tuple(index), _cast(values, x.dtype), name)
        return y[tuple(cut)].copy()

    def set(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None,
            wrap_negative_indices=True):
        """x with x[index] = values."""
        return self._write(values, "set", mode, wrap_negative_indices)

    def apply(self, func, *, indices_are_sorted=False, unique_indices=False, mode=None, wrap_negative_indices=True):
        """x with x[index] = func(x[index])."""
        return self._write(func(self.get(mode="clip", wrap_negative_indices=wrap_negative_indices)), "set", mode,
                           wrap_negative_indices)


def _cast(values, dtype):
    """values of x's dtype, whatever they are."""
    if isinstance(values, (bool, int, float, complex)) and not isinstance(values, Array):
        values = asarray(values)
    else:
        values = asarray(values)
    if values.dtype.kind == "c" and dtype.kind != "c":
        values = values.real
    return values.astype(dtype)


def _writer(name, says):
    def write(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None,
              wrap_negative_indices=True):
        return self._write(values, name, mode, wrap_negative_indices)
    write.__doc__ = f"x with {says}, again and again where indices repeat."
    return write


for _name, _ufunc, _says in (("add", "add", "x[index] += values"), ("subtract", "subtract", "x[index] -= values"),
                             ("multiply", "multiply", "x[index] *= values"), ("mul", "multiply", "x[index] *= values"),
                             ("divide", "divide", "x[index] /= values"), ("power", "power", "x[index] **= values"),
                             ("min", "minimum", "x[index] = minimum(x[index], values)"),
                             ("max", "maximum", "x[index] = maximum(x[index], values)")):
    _method = _writer(_ufunc, _says)
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


def _view(self, dtype=None, type=None):
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


def _astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The elements as another dtype; with copy=False the array itself if it has that. (numpy.ndarray.astype)"""
    if not copy and order in ("K", "A", None) and self.dtype == dtype:
        return self
    return _plain_astype(self, dtype, order, casting, subok, copy)


Array.clip, Array.view, Array.astype = _clip, _view, _astype
Array.clip.__name__, Array.view.__name__, Array.astype.__name__ = "clip", "view", "astype"

__all__ = ["flatiter"]
