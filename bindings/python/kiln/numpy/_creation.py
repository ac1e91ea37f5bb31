# SPDX-License-Identifier: Apache-2.0
"""Making arrays: of what Python has, of ranges and grids, of functions."""
import builtins as _builtins
import inspect as _inspect
import itertools as _itertools
import math as _math

from .. import _core
from .._core import Array, from_dlpack
from .._interop import frombuffer, share

_c = _core.functions("kiln.numpy")
moveaxis = _c["moveaxis"]


def _check_like(like):
    if like is not None and not isinstance(like, Array):
        raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None):
    """A new array of what an object has: an array, a number, nested sequences, a buffer. (numpy.array)

    >>> import kiln.numpy as knp
    >>> knp.array([[1, 2], [3, 4]], dtype=knp.float32)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    _check_like(like)
    return _core.as_array(object, dtype, order, copy, ndmin)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The object as an array: itself if it is one of that dtype and order, over the same memory if it shows it, else a
    copy.
    (numpy.asarray)

    >>> import kiln.numpy as knp
    >>> x = knp.asarray([1, 2])
    >>> knp.asarray(x) is x
    True
    """
    _check_like(like)
    if not copy and not isinstance(a, Array):
        shared = share(a)
        a = a if shared is None else shared
    made = _core.as_array(a, dtype, order, copy, 0)
    there = _core.put_at(made, device)
    if copy is False and there.device != made.device:
        raise ValueError("Unable to avoid copy while creating an array as requested: it is not on that device.")
    return there


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The object as an array. (numpy.asanyarray)"""
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def asarray_chkfinite(a, dtype=None, order=None):
    """The object as an array; ValueError if there are infinities or NaNs. (numpy.asarray_chkfinite)"""
    return _c["asarray_chkfinite"](asarray(a, dtype), dtype, order)


def ascontiguousarray(a, dtype=None, *, like=None):
    """The object as an array of one axis or more in C order. (numpy.ascontiguousarray)"""
    return _core.as_array(a, dtype, "C", None, 1)


def asfortranarray(a, dtype=None, *, like=None):
    """The object as an array in Fortran's order. (numpy.asfortranarray)"""
    return _core.as_array(a, dtype, "F", None, 1)


def arange(*args, start=None, stop=None, step=None, dtype=None, device=None, like=None):
    """Numbers from start, by step, to below stop: arange(stop), arange(start, stop, step=1). (numpy.arange)

    >>> import kiln.numpy as knp
    >>> knp.arange(1, 10, 3)
    array([1, 4, 7])
    """
    args = list(args)
    if len(args) > 4:
        raise TypeError(f"arange() takes at most 4 positional arguments ({len(args)} given)")
    if len(args) == 4:
        dtype = args.pop()
    if len(args) == 3:
        step = args.pop()
    if len(args) == 2:
        start, stop = args
    elif len(args) == 1 and stop is None:
        start, stop = start, args[0]
    elif len(args) == 1:
        start = args[0]
    if stop is None and start is None:
        raise TypeError("arange() requires stop to be specified.")
    if stop is None:
        start, stop = None, start
    made = _c["arange"](0 if start is None else start, stop, 1 if step is None else step, dtype=dtype)
    return _core.put_at(made, device)


_P = _inspect.Parameter
arange.__signature__ = _inspect.Signature(
    [_P("start_or_stop", _P.POSITIONAL_ONLY), _P("stop", _P.POSITIONAL_OR_KEYWORD, default=None),
     _P("step", _P.POSITIONAL_OR_KEYWORD, default=1)] +
    [_P(n, _P.KEYWORD_ONLY, default=None) for n in ("dtype", "device", "like")])


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """function of the arrays of positions. (numpy.fromfunction)

    >>> import kiln.numpy as knp
    >>> knp.fromfunction(lambda i, j: i == j, (2, 2), dtype=int)
    array([[ True, False],
           [False,  True]])
    """
    return function(*indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """A vector of what an iterable gives. (numpy.fromiter)

    >>> import kiln.numpy as knp
    >>> knp.fromiter((i * i for i in range(4)), dtype=int)
    array([0, 1, 4, 9])
    """
    values = list(iter if count < 0 else _itertools.islice(iter, count))
    if len(values) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(values)} items.")
    return array(values, dtype).reshape(len(values))


def indices(dimensions, dtype=int, sparse=False):
    """Arrays of the positions along each axis. (numpy.indices)"""
    return _c["_indices_sparse" if sparse else "_indices"](dimensions, dtype=dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate vectors as matrices of coordinates. (numpy.meshgrid)

    >>> import kiln.numpy as knp
    >>> knp.meshgrid([1, 2], [3, 4, 5])[1].shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    if not xi:
        return ()
    return tuple(_c["_meshgrid"](xi, indexing=indexing, sparse=sparse))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num numbers from start to stop, evenly spaced. (numpy.linspace)

    >>> import kiln.numpy as knp
    >>> knp.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    made = _c["linspace"](start, stop, num, endpoint, retstep, dtype, axis)
    return (_core.put_at(made[0], device), made[1]) if retstep else _core.put_at(made, device)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """base to the power of num numbers from start to stop, evenly spaced. (numpy.logspace)

    >>> import kiln.numpy as knp
    >>> knp.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    return _c["logspace"](start, stop, num, endpoint, base, dtype, axis)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num numbers from start to stop, each the same multiple of the one before. (numpy.geomspace)

    >>> import kiln.numpy as knp
    >>> knp.geomspace(1, 100, 3)
    array([  1.,  10., 100.])
    """
    return _c["geomspace"](start, stop, num, endpoint, dtype, axis)


def block(arrays):
    """Nested lists of blocks as one array: the innermost are joined along the last axis. (numpy.block)

    >>> import kiln.numpy as knp
    >>> knp.block([[knp.ones((1, 1)), knp.zeros((1, 2))], [knp.zeros((1, 3))]])
    array([[1., 0., 0.],
           [0., 0., 0.]])
    """
    def depth_of(x, path):
        if isinstance(x, tuple):
            raise TypeError(f"arrays{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
                            "allow implicit conversion from tuple to ndarray.")
        if not isinstance(x, list):
            return 0
        if not x:
            raise ValueError(f"List at arrays{path} cannot be empty")
        depths = [depth_of(y, f"{path}[{i}]") for i, y in enumerate(x)]
        for i, d in enumerate(depths):
            if d != depths[0]:
                raise ValueError(
                    f"List depths are mismatched. First element was at depth {depths[0] + len(path) // 3 + 1}, "
                    f"but there is an element at depth {d + len(path) // 3 + 1} (arrays{path}[{i}])")
        return 1 + depths[0]

    def widest(x):
        return _builtins.max(widest(y) for y in x) if isinstance(x, list) else array(x, copy=None).ndim

    depth = depth_of(arrays, "")
    ndim = _builtins.max(depth, widest(arrays))

    def join(x, level):
        if level == depth:
            return array(x, copy=None, ndmin=ndim)
        return _c["concatenate"]([join(y, level + 1) for y in x], axis=level - depth)

    return join(arrays, 0) if depth else array(arrays)


# ---- Grids by slices: mgrid[0:3, 0:1:5j].

class _Grid:
    """Grids by slices; an imaginary step is a number of points. (numpy.mgrid, numpy.ogrid)

    >>> import kiln.numpy as knp
    >>> knp.mgrid[0:2, 0:2]
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """

    def __init__(self, sparse):
        self._sparse = sparse

    @staticmethod
    def _axis(s):
        start = 0 if s.start is None else s.start
        step = 1 if s.step is None else s.step
        if isinstance(step, complex) or getattr(getattr(step, "dtype", None), "kind", "") == "c":
            return linspace(start, s.stop, int(abs(complex(step))))
        return arange(start, s.stop, step)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._axis(key)
        axes = [self._axis(s) for s in key]
        d = _core.result_type(*axes) if axes else None
        grids = meshgrid(*[a.astype(d) for a in axes], sparse=self._sparse, indexing="ij")
        return grids if self._sparse else _c["stack"](grids) if grids else array([])


mgrid = _Grid(False)
ogrid = _Grid(True)


class _Join:
    """Slices, arrays and numbers joined along an axis. (numpy.r_, numpy.c_)

    >>> import kiln.numpy as knp
    >>> knp.r_[1:4, 0, knp.array([7, 8])]
    array([1, 2, 3, 0, 7, 8])
    >>> knp.c_[[1, 2], [3, 4]]
    array([[1, 3],
           [2, 4]])
    """

    def __init__(self, axis, ndmin, trans1d):
        self._defaults = axis, ndmin, trans1d

    def __getitem__(self, key):
        axis, ndmin, trans1d = self._defaults
        parts, scalars = [], []
        for i, item in enumerate(key if isinstance(key, tuple) else (key,)):
            if isinstance(item, str):
                if i:
                    raise ValueError("special directives must be the first entry.")
                if item in ("r", "c"):
                    raise ValueError("matrices ('r' and 'c') are not supported")
                numbers = [int(n) for n in item.split(",")]
                axis, ndmin, trans1d = (numbers + [ndmin, -1][len(numbers) - 1:])[:3] if len(numbers) < 3 else numbers
                continue
            if isinstance(item, slice):
                part = _Grid._axis(item)
            elif isinstance(item, (bool, int, float, complex)):
                scalars.append(item)
                part = array(item)
            else:
                part = array(item, copy=None)
                if part.ndim == 0:
                    scalars.append(part)
                else:
                    scalars.append(None)
                    self._pad(parts, part, ndmin, trans1d)
                    continue
            if isinstance(item, slice):
                scalars.append(None)
            self._pad(parts, part, ndmin, trans1d)
        weak = [s if s is not None else p for s, p in zip(scalars, parts)]
        d = _core.result_type(*weak)
        return _c["concatenate"]([p.astype(d) for p in parts], axis=axis)

    @staticmethod
    def _pad(parts, part, ndmin, trans1d):
        ndim = part.ndim
        more = _builtins.max(ndmin - ndim, 0)
        part = part.reshape((1,) * more + part.shape) if part.ndim else part.reshape((1,) * _builtins.max(ndmin, 1))
        if more and trans1d != -1 and ndim:
            at = trans1d if trans1d >= 0 else trans1d + more + 1
            order = list(range(more))
            order[at:at] = range(more, part.ndim)
            part = part.transpose(*order)
        parts.append(part)


r_ = _Join(0, 1, -1)
c_ = _Join(-1, 2, 0)


class _Index:
    """An index as a tuple. (numpy.s_, numpy.index_exp)

    >>> import kiln.numpy as knp
    >>> knp.s_[2:, ...]
    (slice(2, None, None), Ellipsis)
    """

    def __init__(self, always_tuple):
        self._always = always_tuple

    def __getitem__(self, key):
        return (key,) if self._always and not isinstance(key, tuple) else key


s_ = _Index(False)
index_exp = _Index(True)


class ndindex:
    """All positions of a shape, in C order. (numpy.ndindex)

    >>> import kiln.numpy as knp
    >>> list(knp.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], tuple):
            shape = shape[0]
        if any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        self._iter = _itertools.product(*map(range, shape))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iter)


class ndenumerate:
    """Positions with their elements, in C order. (numpy.ndenumerate)

    >>> import kiln.numpy as knp
    >>> list(knp.ndenumerate(knp.array([[5, 6]])))
    [((0, 0), 5), ((0, 1), 6)]
    """

    def __init__(self, arr):
        x = asarray(arr)
        self._iter = zip(ndindex(*x.shape), x.reshape(-1).tolist())

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iter)


class broadcast:
    """Arrays as they go together. (numpy.broadcast)

    >>> import kiln.numpy as knp
    >>> knp.broadcast([1, 2, 3], [[4], [5]]).shape
    (2, 3)
    """

    def __init__(self, *args):
        args = [asarray(a) for a in args]
        self.shape = _core.broadcast_shapes(*[a.shape for a in args])
        self.size, self.nd, self.numiter = _math.prod(self.shape), len(self.shape), len(args)
        self.ndim, self._args = self.nd, args
        self.reset()

    @property
    def iters(self):
        """The flat iterators of the operands."""
        return tuple(_c["broadcast_to"](a, self.shape).flat for a in self._args)

    def reset(self):
        """Back to the first elements."""
        self.index = 0
        self._iter = zip(*[_c["broadcast_to"](a, self.shape).reshape(-1).tolist() for a in self._args])

    def __iter__(self):
        return self

    def __next__(self):
        values = next(self._iter)
        self.index += 1
        return values


def broadcast_shapes(*args):
    """The shape that these have together. (numpy.broadcast_shapes)

    >>> import kiln.numpy as knp
    >>> knp.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return _core.broadcast_shapes(*args)


def size(a, axis=None):
    """The number of elements, or of positions along axes. (numpy.size)"""
    x = a if isinstance(a, Array) else asarray(a)
    if axis is None:
        return x.size
    axes = axis if isinstance(axis, tuple) else (axis,)
    return _math.prod(x.shape[_c["_normalize_axis_index"](k, x.ndim)] for k in axes)


def mask_indices(n, mask_func, k=0):
    """Where mask_func(ones, k) is not zero, in a square. (numpy.mask_indices)"""
    return _c["nonzero"](mask_func(_c["ones"]((n, n), dtype=int), k) != 0)


__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "block",
    "broadcast",
    "broadcast_shapes",
    "c_",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "geomspace",
    "index_exp",
    "indices",
    "linspace",
    "logspace",
    "mask_indices",
    "meshgrid",
    "mgrid",
    "ndenumerate",
    "ndindex",
    "ogrid",
    "r_",
    "s_",
     "size"]
