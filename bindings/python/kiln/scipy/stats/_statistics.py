# SPDX-License-Identifier: Apache-2.0
"""Statistics of samples (jax.scipy.stats)."""
from collections import namedtuple as _namedtuple

from ... import numpy as np

ModeResult = _namedtuple("ModeResult", ("mode", "count"))


def _along(a, axis, nan_policy):
    if nan_policy != "propagate":
        raise NotImplementedError(f"nan_policy={nan_policy!r} is not supported")
    a = np.asarray(a)
    return (a.reshape(-1), 0) if axis is None else (a, axis)


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean. (jax.scipy.stats.sem)

    >>> import kiln.scipy.stats as stats
    >>> stats.sem([1., 2., 3., 4.])
    array(0.64549722)
    """
    a, axis = _along(a, axis, nan_policy)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(a.shape[axis])


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The commonest value, the smallest of several, and its count. (jax.scipy.stats.mode)

    >>> import kiln.scipy.stats as stats
    >>> stats.mode([3, 1, 3, 1, 2])
    ModeResult(mode=array(1), count=array(2))
    """
    a, axis = _along(a, axis, nan_policy)
    s = np.moveaxis(np.sort(a, axis=axis), axis, -1)
    counts = (s[..., :, None] == s[..., None, :]).sum(-1)
    at = np.argmax(counts, axis=-1, keepdims=True)
    pair = [np.take_along_axis(x, at, axis=-1) for x in (s, counts)]
    return ModeResult(*(np.moveaxis(x, -1, axis) if keepdims else x[..., 0] for x in pair))


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """The ranks of elements, from 1. (jax.scipy.stats.rankdata)

    >>> import kiln.scipy.stats as stats
    >>> stats.rankdata([10, 30, 20, 20])
    array([1. , 4. , 2.5, 2.5])
    """
    a, axis = _along(a, axis, nan_policy)
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f"unknown method '{method}'")
    order = np.argsort(a, axis=axis, stable=True)
    ordinal = np.argsort(order, axis=axis)
    if method == "ordinal":
        return (ordinal + 1).astype("float64")
    s = np.moveaxis(np.take_along_axis(a, order, axis=axis), axis, -1)
    n, new = s.shape[-1], np.ones_like(s, dtype=bool)
    new = np.concatenate([new[..., :1], s[..., 1:] != s[..., :-1]], axis=-1)
    dense = np.cumsum(new, axis=-1)
    first = np.maximum.accumulate(np.where(new, np.arange(n), 0), axis=-1) + 1
    behind = np.flip(np.where(np.roll(new, -1, -1), n - 1 - np.arange(n), 0), -1)
    last = n - np.flip(np.maximum.accumulate(behind, axis=-1), -1)
    ranks = {"dense": dense, "min": first, "max": last, "average": (first + last) / 2}[method]
    return np.take_along_axis(np.moveaxis(ranks, -1, axis), ordinal, axis=axis).astype("float64")
