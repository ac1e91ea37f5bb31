# SPDX-License-Identifier: Apache-2.0
"""Functions whose arguments or results NumPy gives another form than the C library: other words for the same calls."""
from collections import namedtuple as _namedtuple

from .. import _core
from ._creation import array, asarray

_c = _core.functions("kiln.numpy")


def _atleast(n):
    def f(*arys):
        made = tuple(_c[f"atleast_{n}d"](a) for a in arys)
        return made[0] if len(made) == 1 else made
    f.__name__ = f.__qualname__ = f"atleast_{n}d"
    f.__doc__ = f"Arrays with {n} axes or more. (numpy.atleast_{n}d)"
    return f


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


def where(condition, x=None, y=None, /):
    """x where the condition holds, else y; of the condition alone, the positions where it does. (numpy.where)

    >>> import kiln.numpy as knp
    >>> knp.where([True, False], 1, 2)
    array([1, 2])
    """
    if x is None and y is None:
        return _c["nonzero"](condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _c["where"](condition, x, y)


def delete(arr, obj, axis=None):
    """The array without some positions. (numpy.delete)

    >>> import kiln.numpy as knp
    >>> knp.delete([1, 2, 3], 1)
    array([1, 3])
    """
    return _c["delete"](arr, _positions(arr, obj, axis), axis)


def insert(arr, obj, values, axis=None):
    """The array with more values before some positions. (numpy.insert)

    >>> import kiln.numpy as knp
    >>> knp.insert([1, 3], 1, 2)
    array([1, 2, 3])
    """
    return _c["insert"](arr, _positions(arr, obj, axis), values, axis)


def _positions(arr, obj, axis):
    """A slice as an array of positions."""
    if isinstance(obj, slice):
        x = asarray(arr)
        n = x.size if axis is None else x.shape[_c["_normalize_axis_index"](axis, x.ndim)]
        return array(range(*obj.indices(n)), dtype=int)
    if isinstance(obj, (list, tuple)) and not obj:
        return array([], dtype=int)
    return obj


def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros at the ends. (numpy.trim_zeros)"""
    made = _c["trim_zeros"](filt, trim, axis)
    return type(filt)(made.tolist()) if isinstance(filt, (list, tuple)) else made


def tensordot(a, b, axes=2):
    """Sums of products along axes of both. (numpy.tensordot)

    >>> import kiln.numpy as knp
    >>> knp.tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]], axes=([0], [0]))
    array([[10, 14],
           [14, 20]])
    """
    return _tensordot(_c["tensordot"], a, b, axes)


def _tensordot(f, a, b, axes):
    if hasattr(axes, "__index__"):
        return f(a, b, axes=axes)
    first, second = axes
    return f(a, b, a_axes=first, b_axes=second)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What both have, ascending. (numpy.intersect1d)"""
    if not return_indices:
        return _c["intersect1d"](ar1, ar2, assume_unique)
    return _c["intersect1d"](ar1, ar2, assume_unique, True)


# ---- pad.

_PAD = {"empty": (), "edge": (), "wrap": (), "constant": ("constant_values",), "linear_ramp": ("end_values",),
        "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
        "reflect": ("reflect_type",), "symmetric": ("reflect_type",)}


def pad(array, pad_width, mode="constant", **kwargs):
    """More elements at the ends of axes. (numpy.pad)

    >>> import kiln.numpy as knp
    >>> knp.pad([1, 2], (1, 2), constant_values=9)
    array([9, 1, 2, 9, 9])
    """
    x = asarray(array)
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * x.ndim
        for axis, w in pad_width.items():
            widths[_c["_normalize_axis_index"](axis, x.ndim)] = (w, w) if isinstance(w, int) else tuple(w)
        pad_width = widths
    try:
        width = asarray(pad_width)
    except TypeError:  # no numbers at all
        width = None
    if width is None or width.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if callable(mode):
        return _pad_by(x, width, mode, kwargs)
    if mode not in _PAD:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = {k: v for k, v in kwargs.items() if k not in _PAD[mode]}
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(wrong)}")
    return _c["pad"](x, width, mode, **kwargs)


def _pad_by(x, width, function, kwargs):
    """By a function of a line, its widths and its axis, which writes to the line."""
    widths = _c["broadcast_to"](width, (x.ndim, 2)).tolist()
    y = _c["pad"](x, width, "constant")
    from ._creation import ndindex
    for axis in range(y.ndim):
        moved = _c["moveaxis"](y, axis, -1)
        for at in ndindex(*moved.shape[:-1]):
            function(moved[at], tuple(widths[axis]), axis, kwargs)
    return y


# ---- Histograms.

def _bins(bins):
    return {"estimator": bins} if isinstance(bins, str) else {"bins": bins}


def _check_range(range):
    if range is None:
        return None
    first, last = range
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (abs(first) < float("inf") and abs(last) < float("inf")):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many numbers lie in each bin, and the bins' edges. (numpy.histogram)

    >>> import kiln.numpy as knp
    >>> knp.histogram([1, 2, 1], bins=[0, 1, 2, 3])
    (array([0, 2, 1]), array([0, 1, 2, 3]))
    """
    return tuple(_c["histogram"](a, range=_check_range(range), density=bool(density), weights=weights, **_bins(bins)))


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of histogram's bins. (numpy.histogram_bin_edges)"""
    return _c["histogram_bin_edges"](a, range=_check_range(range), weights=weights, **_bins(bins))


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points lie in each box, and the edges along both axes. (numpy.histogram2d)"""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        n = len(bins)
    except TypeError:
        n = 1
    if n != 2:
        bins = [asarray(bins)] * 2
    return tuple(_c["histogram2d"](x, y, bins=list(bins), range=range, density=bool(density), weights=weights))


# ---- Results as tuples, under NumPy's names.

UniqueAllResult = _namedtuple("UniqueAllResult", ("values", "indices", "inverse_indices", "counts"))
UniqueCountsResult = _namedtuple("UniqueCountsResult", ("values", "counts"))
UniqueInverseResult = _namedtuple("UniqueInverseResult", ("values", "inverse_indices"))


def unique_all(x):
    """The values, where they are first, what is where, and how often. (numpy.unique_all)"""
    return UniqueAllResult(*_c["unique_all"](x))


def unique_counts(x):
    """The values and how often they are there. (numpy.unique_counts)"""
    return UniqueCountsResult(*_c["unique_counts"](x))


def unique_inverse(x):
    """The values and what is where. (numpy.unique_inverse)"""
    return UniqueInverseResult(*_c["unique_inverse"](x))


def iterable(y):
    """Can it be iterated over? (numpy.iterable)"""
    try:
        iter(y)
    except TypeError:
        return False
    return True


__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "delete",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "insert",
    "intersect1d",
    "iterable",
    "pad",
    "tensordot",
    "trim_zeros",
    "unique_all",
    "unique_counts",
    "unique_inverse",
     "where"]
