#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_statistics.txt (reductions, those without NaN, quantiles, correlations, histograms) and
numpy_sorting.txt (sorting, searching, kinds of numbers): calls of NumPy in the format of make_numpy.py.

usage: make_numpy_statistics.py tests/golden
"""
import sys
import warnings

import make_numpy
import numpy as np
from make_numpy import ALL, Weak, call, values

make_numpy.KINDS.update({ZeroDivisionError: "ZeroDivisionError", RuntimeError: "RuntimeError"})
warnings.simplefilter("ignore")
nan, inf = np.nan, np.inf
REAL = [d for d in ALL if d[0] != "c"]
FLOATS = ["float16", "float32", "float64"]
METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased
             normal_unbiased lower higher midpoint nearest""".split()


def I(*v):
    return np.array(v, "int64")


def holes(dtype, shape, seed=0):
    """Small numbers, NaN at every third place and in the whole last row."""
    x = values(dtype, shape, seed)
    if x.dtype.kind in "fc" and x.size:
        x.flat[::3] = nan
        if x.dtype.kind == "c" and x.size > 1:
            x.flat[1] = complex(2, nan)
        if x.ndim > 1 and x.shape[0] > 1:
            x[-1] = nan
    return x


def spots(shape):
    return [{}] + [{"axis": a} for a in ([0, -1] if shape else [])] + \
        ([{"axis": (0, 1)}, {"axis": (1, 0), "keepdims": True}] if len(shape) > 1 else []) + [{"axis": None, "keepdims": True}]


SHAPES = [(), (1,), (5,), (6,), (2, 3), (3, 1, 2)]


def reductions(out):
    for d in ALL:
        for s in SHAPES + [(0,), (2, 0, 3)] if d in ("bool", "uint16", "float32", "complex64", "complex128") else [(5,), (2, 3)]:
            for o in spots(s):
                call(out, "prod", np.prod, values(d, s, 1), **o)
                if d[0] == "c" and 0 not in s and s:
                    for name in ("max", "min"):
                        call(out, name, getattr(np, name), values(d, s, 1), **o)
                        call(out, name, getattr(np, name), holes(d, s, 1), **o)
                    if not isinstance(o.get("axis"), tuple):
                        for name in ("argmax", "argmin"):
                            call(out, name, getattr(np, name), values(d, s, 1), **o)
                            call(out, name, getattr(np, name), holes(d, s, 1), **o)
    x = values("int32", (2, 3), 3, positive=True)
    call(out, "prod", np.prod, x, initial=np.int64(10))
    call(out, "prod", np.prod, x, axis=0, where=np.array([[True], [False]]))
    call(out, "prod", np.prod, x, dtype=np.dtype("float32"))
    call(out, "prod", np.prod, x, dtype=np.dtype("int8"))
    call(out, "prod", np.prod, x, dtype=np.dtype("bool"))
    call(out, "prod", np.prod, x, axis=2)
    z = values("complex128", (2, 3), 4)
    call(out, "max", np.max, z, axis=1, initial=np.complex128(3 + 1j))
    call(out, "min", np.min, z, axis=1, initial=np.complex128(nan))
    call(out, "max", np.max, z, axis=1, initial=np.complex128(1), where=np.array([True, False, True]))
    call(out, "max", np.max, np.zeros((0, 2), "complex64"), axis=0)
    call(out, "max", np.max, np.zeros((0, 2), "complex64"), axis=0, initial=np.complex64(2j))
    call(out, "ptp", np.ptp, z, axis=0)
    y = values("float64", (3, 4), 2)
    for name in ("var", "std"):
        f = getattr(np, name)
        for d in FLOATS + ["int16", "complex64", "bool"]:
            call(out, name, f, values(d, (3, 4), 2), axis=0, correction=1)
            call(out, name, f, values(d, (3, 4), 2), axis=1, ddof=2)
        call(out, name, f, y, axis=0, mean=np.mean(y, axis=0, keepdims=True))
        call(out, name, f, y, mean=np.full((1, 1), 2.5))
        call(out, name, f, y, axis=0, where=y > 0)
        call(out, name, f, y, axis=0, ddof=1, correction=1)
        call(out, name, f, y, axis=0, dtype=np.dtype("float32"))


def without_nan(out):
    for name in "nansum nanprod nanmean nanvar nanstd nanmax nanmin nanargmax nanargmin".split():
        f = getattr(np, name)
        for d in ["bool", "int8", "uint16", "int64"] + FLOATS + ["complex64", "complex128"]:
            for s in SHAPES if d in ("float64", "complex64") else [(5,), (2, 3)] if d[0] in "fc" else [(2, 3)]:
                for o in spots(s):
                    if "arg" in name and isinstance(o.get("axis"), tuple):
                        continue
                    if d == "float16" and name in ("nanmean", "nanvar", "nanstd"):  # NumPy works in 16 bits there
                        continue
                    call(out, name, f, holes(d, s, 2), **o)
                    if d == "float32" or d == "complex128":
                        call(out, name, f, values(d, s, 2), **o)
        x = holes("float64", (3, 4), 1)
        call(out, name, f, x, axis=2)
        call(out, name, f, np.zeros((0, 3)), axis=0)
        call(out, name, f, np.zeros((0, 3)), axis=1)
        if "arg" not in name:
            call(out, name, f, x, axis=0, where=np.array([True, False, True, True]), **({"initial": np.float64(2)} if "m" == name[3] and "n" != name[-1] or name == "nanmin" else {}))
        if name[3:] in ("mean", "var", "std"):
            call(out, name, f, x, dtype=np.dtype("int32"))
            call(out, name, f, x, axis=1, dtype=np.dtype("float32"))
        if name[3:] in ("var", "std"):
            for k in (1, 2, 3):
                call(out, name, f, x, axis=1, ddof=k)
                call(out, name, f, x, axis=0, ddof=k)
        if name in ("nanmax", "nanmin"):
            call(out, name, f, x, axis=1, initial=np.float64(1))
            call(out, name, f, np.array([nan, inf, -inf]))
            call(out, name, f, np.array([nan, -inf]))


def quantiles(out):
    for name in ("median", "nanmedian"):
        f = getattr(np, name)
        for d in ALL:
            if name == "nanmedian" and d[0] == "c":
                continue
            for s in SHAPES + [(7,), (4, 5)] if d in ("bool", "float16", "float64", "complex64") else [(5,), (2, 3)]:
                for o in spots(s):
                    call(out, name, f, values(d, s, 3), **o)
                    if d in FLOATS:
                        call(out, name, f, holes(d, s, 3), **o)
        call(out, name, f, np.zeros((0, 3)), axis=0)
        call(out, name, f, np.zeros((0, 3)), axis=1)
        call(out, name, f, np.zeros((0,)))
        call(out, name, f, np.array([inf, inf, -inf, 1.0]))
        call(out, name, f, np.zeros((2, 3)), axis=2)
    levels = [Weak(0.3), Weak(1.0), Weak(0.0), np.float64(0.5), np.array([0.1, 0.25, 0.5, 0.75, 1.0]), np.float32(0.25), np.array([0.2, 0.4], "float32")]
    for name in ("quantile", "nanquantile"):
        f = getattr(np, name)
        for m in METHODS:
            for d in ("int8", "int64") + tuple(FLOATS):
                for s in [(1,), (5,), (8,), (4, 5)] if d == "float64" else [(8,), (4, 5)] if d[0] == "f" else [(5,)]:
                    for q in levels if d in ("float64", "float32") and s == (8,) else levels[:1] + levels[4:5]:
                        if name == "quantile" or d == "float64":
                            call(out, name, f, values(d, s, 3), q, method=m)
                        if d in FLOATS and name == "nanquantile" and s != (1,):  # the dtype where all are NaN is not that of other cases
                            call(out, name, f, holes(d, s, 3), q, method=m)
                    if len(s) > 1:
                        for o in ({"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}):
                            call(out, name, f, values(d, s, 4), levels[4], method=m, **o)
                            if d in FLOATS:
                                call(out, name, f, holes(d, s, 4), levels[4], method=m, **o)
                                call(out, name, f, holes(d, s, 4), levels[0], method=m, **o)
        x = values("float64", (4, 5), 5)
        call(out, name, f, x, np.float64(1.5))
        call(out, name, f, x, np.array([0.5, -0.1]))
        call(out, name, f, x, np.float64(nan))
        call(out, name, f, x, Weak(0.5), method="median")
        call(out, name, f, x, Weak(0.5), axis=2)
        call(out, name, f, x.astype("complex64"), Weak(0.5))
        call(out, name, f, x, Weak(0.5), weights=np.ones((4, 5)))
        call(out, name, f, x, np.zeros(0))
        call(out, name, f, np.array([True, False, True]), Weak(0.5), method="lower")
        w = np.array([1.0, 0, 2, 1, 4])
        for q in levels:
            # NumPy's nanquantile wants weights of a's shape
            call(out, name, f, x, q, axis=1, weights=np.broadcast_to(w, (4, 5)) if name[0] == "n" else w, method="inverted_cdf")
            call(out, name, f, holes("float64", (4, 5), 5), q, axis=1, weights=np.broadcast_to(w, (4, 5)), method="inverted_cdf")
            call(out, name, f, x[0], q, weights=w, method="inverted_cdf")
        call(out, name, f, x, Weak(0.5), weights=w, method="inverted_cdf")
        call(out, name, f, x, Weak(0.5), axis=0, weights=w, method="inverted_cdf")
        call(out, name, f, x, Weak(0.5), axis=1, weights=-w, method="inverted_cdf")
        for v in (0, nan, inf):
            call(out, name, f, x[0], Weak(0.5), weights=w * 0 + v, method="inverted_cdf")
    call(out, "nanquantile", np.nanquantile, np.zeros((0, 3)), Weak(0.5), axis=0)
    call(out, "quantile", np.quantile, np.zeros((0, 3)), Weak(0.5), axis=0)
    call(out, "quantile", np.quantile, np.array([1, inf, inf]), np.array([0, 0.25, 0.5, 1]))
    call(out, "quantile", np.quantile, np.array([True, False]), Weak(0.5))
    for q in (Weak(0), Weak(1), I(0, 1), np.array([[0.1, 0.2], [0.3, 0.4]])):
        call(out, "quantile", np.quantile, I(3, 1, 2), q)
    for name in ("percentile", "nanpercentile"):
        f = getattr(np, name)
        for q in (Weak(50), Weak(30.5), I(0, 25, 100), np.array([12.5, 99.0]), np.float32(10)):
            for d in ("int32", "float32", "float64"):
                call(out, name, f, values(d, (7,), 6), q)
                call(out, name, f, values(d, (4, 3), 6), q, axis=0)
                call(out, name, f, holes(d, (4, 3), 6), q, axis=1)
        call(out, name, f, values("float64", (3,)), Weak(101))
        call(out, name, f, values("float64", (3,)), Weak(-1))


def averages(out):
    x = values("float64", (3, 4), 7)
    w = np.array([1.0, 2, 0.5, 4])
    for d in ["bool", "int8", "int64"] + FLOATS + ["complex64"]:
        a = values(d, (3, 4), 7)
        for o in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}):
            call(out, "average", np.average, a, **o)
            call(out, "average_returned", lambda a, **o: np.average(a, returned=True, **o), a, **o)
            call(out, "average", np.average, a, weights=values("float32", (3, 4), 8, positive=True), **o)
        call(out, "average", np.average, a, axis=1, weights=w)
        call(out, "average", np.average, a, axis=-1, weights=w.astype("float32"))
        call(out, "average_returned", lambda a, **o: np.average(a, returned=True, **o), a, axis=1, weights=w)
    call(out, "average", np.average, np.arange(24.0).reshape(2, 3, 4), axis=(2, 0), weights=np.arange(8.0).reshape(4, 2))
    call(out, "average", np.average, x, weights=w)
    call(out, "average", np.average, x, axis=0, weights=w)
    call(out, "average", np.average, x, axis=1, weights=np.zeros(4))
    m = np.array([[1.0, 2.5, -1, 4, 0], [2, 3, 1, 1, 7], [0, 0, 1, -2, 3]])
    f, a = I(1, 2, 1, 3, 1), np.array([0.5, 1, 2, 0.25, 1])
    for name, function in (("cov", np.cov), ("corrcoef", np.corrcoef)):
        for x in (m, m.astype("float32"), m.astype("int16"), (m + 1j * m[::-1])[:, :4], m[0], m[:1], m.T, np.zeros((0, 3)), np.float64(3.0)):
            call(out, name, function, x)
            call(out, name, function, x, rowvar=False)
        call(out, name, function, m, y=m[::-1])
        call(out, name, function, m[0], y=m[1])
        call(out, name, function, m.T, y=m.T, rowvar=False)
        call(out, name, function, m, dtype=np.dtype("float32"))
        call(out, name, function, np.zeros((2, 2, 2)))
        call(out, name, function, m, y=np.zeros((2, 2, 2)))
    for o in ({"bias": True}, {"ddof": 0}, {"ddof": 2}, {"ddof": 9}, {"fweights": f}, {"aweights": a}, {"fweights": f, "aweights": a}, {"fweights": f, "ddof": 0},
              {"aweights": a, "ddof": 2}, {"fweights": -f}, {"aweights": -a}, {"fweights": f + 0.5}, {"fweights": f[:2]}, {"aweights": a.reshape(5, 1)}):
        call(out, "cov", np.cov, m, **o)


def histograms(out):
    x = np.array([1.0, 2.5, 0, 4, 4, 3.2, 1.1, -2, 9, 0.3, 5, 5, 6.5, 2.2, 7.1])
    estimators = "auto doane fd rice scott sqrt stone sturges".split()
    for a in (x, x.astype("float32"), x.astype("int64"), x.astype("uint8"), x > 2, np.zeros(0), np.ones(3), x.reshape(3, 5)):
        for name, f in (("histogram", np.histogram), ("histogram_bin_edges", np.histogram_bin_edges)):
            call(out, name, f, a)
            call(out, name, f, a, bins=I(4)[0])
            call(out, name, f, a, bins=np.array([0, 1, 4, 4.5]))
            call(out, name, f, a, bins=I(0, 1, 1, 4))
            call(out, name, f, a, bins=I(5)[0], range=(0.0, 5.0))
            for e in estimators:
                g = lambda a, estimator, f=f, **o: f(a, bins=estimator, **o)
                call(out, name, g, a, estimator=e)
                call(out, name, g, a, estimator=e, range=(0.0, 5.0))
        call(out, "histogram", np.histogram, a, bins=I(4)[0], density=True)
        call(out, "histogram", np.histogram, a, bins=np.array([0, 1, 4, 4.5]), density=True)
        for w in ("float64", "float32", "int32", "complex128"):
            call(out, "histogram", np.histogram, a, bins=I(4)[0], weights=values(w, a.shape, 3))
    for name, f in (("histogram", np.histogram), ("histogram_bin_edges", np.histogram_bin_edges)):
        call(out, name, f, x, bins=np.float64(2.5))
        call(out, name, f, x, bins=I(0)[0])
        call(out, name, f, x, bins=I(3, 2, 1))
        call(out, name, f, x, bins=np.zeros((2, 2)))
        call(out, name, f, x, range=(5.0, 2.0))
        call(out, name, f, x, range=(0.0, inf))
        call(out, name, f, np.array([1.0, nan]))
        call(out, name, f, np.array([1.0, inf]))
        call(out, name, lambda a, estimator: f(a, bins=estimator), x, estimator="best")
        call(out, name, f, x, weights=np.ones(3))
        call(out, name, f, np.array([1.0, np.nextafter(1.0, 2)]), bins=I(10)[0])
    call(out, "histogram", np.histogram, np.array([1.0, nan, 2]), range=(0.0, 4.0))
    call(out, "histogram", np.histogram, np.array([1.0, nan, 2]), bins=I(0, 1, 2))
    p, q = x, x[::-1] * 0.5 + 1
    flat = lambda h: (h[0], *h[1])
    edges = np.array([0, 1, 4, 4.5])
    for o in ({}, {"density": True}, {"weights": np.arange(15.0)}):
        call(out, "histogram2d", np.histogram2d, p, q, **o)
        call(out, "histogram2d", lambda x, y, b, **o: np.histogram2d(x, y, int(b), **o), p, q, I(3)[0], **o)
        call(out, "histogram2d", lambda x, y, b, e, **o: np.histogram2d(x, y, [int(b), e], **o), p, q, I(3)[0], edges, **o)
        call(out, "histogram2d", lambda x, y, e, **o: np.histogram2d(x, y, e, **o), p, q, edges, **o)
        call(out, "histogramdd", lambda s, **o: flat(np.histogramdd(s, **o)), np.stack([p, q, p], 1)[:7] * 0.5, **{k: v[:7] if k == "weights" else v for k, v in o.items()}, bins=I(3)[0])
    call(out, "histogramdd", lambda s: flat(np.histogramdd(s)), p)
    call(out, "histogram2d", lambda x, y, b: np.histogram2d(x, y, int(b)), p, q, I(0)[0])
    call(out, "histogram2d", lambda x, y, b: np.histogram2d(x, y, b), p, q, I(4, 3, 1))
    call(out, "histogram2d", np.histogram2d, p, q[:4])
    for d in ("uint8", "int16", "int64", "bool"):
        call(out, "bincount", np.bincount, values(d, (6,), 2, positive=True))
        call(out, "bincount", np.bincount, values(d, (6,), 2, positive=True), weights=values("float32", (6,), 3))
        call(out, "bincount", np.bincount, values(d, (6,), 2, positive=True), weights=values("int64", (6,), 3), minlength=20)
    for o in ({}, {"minlength": 3}, {"minlength": -1}):
        call(out, "bincount", np.bincount, I(), **o)
        call(out, "bincount", np.bincount, I(1, 1, 4), **o)
    call(out, "bincount", np.bincount, I(1, -1))
    call(out, "bincount", np.bincount, np.array([1.5]))
    call(out, "bincount", np.bincount, np.array([1], "uint64"))
    call(out, "bincount", np.bincount, I(1, 1).reshape(1, 2))
    call(out, "bincount", np.bincount, I(1)[0])
    call(out, "bincount", np.bincount, I(1, 2), weights=np.ones(3))
    call(out, "bincount", np.bincount, I(1, 2), weights=np.ones(2, "complex64"))


def sorting(out):
    odd = np.array([0j, complex(0, nan), 1 + 1j, complex(nan, 0), complex(nan, nan), -1, complex(nan, -1), complex(-3, nan), 1 - 1j, complex(2, inf)])
    for z in (odd, odd.astype("complex64"), odd.reshape(2, 5)):
        for name in ("sort", "argsort"):
            call(out, name, getattr(np, name), z)
            call(out, name, getattr(np, name), z, axis=0)
        call(out, "sort_complex", np.sort_complex, z)
    call(out, "unique", np.unique, np.concatenate([odd[[8, 2, 0, 1, 5]]] * 2))  # which NaN stays is chance
    for d in REAL:
        call(out, "sort_complex", np.sort_complex, values(d, (2, 4), 1))
    call(out, "sort_complex", np.sort_complex, np.float64(1))
    for k in ("quicksort", "heapsort", "mergesort", "stable", "foo"):
        call(out, "sort", np.sort, values("int8", (6,), 1), kind=k)
    call(out, "sort", np.sort, values("int8", (6,), 1), kind="stable", stable=True)
    keys = [values("int8", (6,), 1), values("float32", (6,), 2), np.array([1, 1, 0, 0, 1, 0])]
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), *keys)
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), *keys[:1])
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), *[k.reshape(2, 3) for k in keys], axis=0)
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), *[k.reshape(2, 3) for k in keys], axis=-1)
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), keys[0], keys[1][:5])
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), *keys, axis=1)
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), np.zeros(10, complex), odd)
    call(out, "lexsort", lambda *k, **o: np.lexsort(k, **o), np.float64(1), np.float64(2))
    for name in ("partition", "argpartition"):
        f = getattr(np, name)
        x = I(3, 1, 2)
        for kth in (Weak(3), Weak(-4), I(0, 7)):
            call(out, name, f, x, kth)
        call(out, name, f, x, np.array([0.5]))
        call(out, name, f, x, I(0, 1).reshape(1, 2))
        call(out, name, f, x, Weak(0), axis=1)
        call(out, name, f, x, Weak(0), kind="quick")


def searching(out):
    for d in REAL:
        a = np.sort(values(d, (7,), 1))
        v = values(d, (2, 5), 2)
        for side in ("left", "right"):
            call(out, "searchsorted", np.searchsorted, a, v, side=side)
    a = np.array([-inf, -1, 0, 0, 2, 2, 2, inf, nan, nan])
    v = np.array([-0.0, nan, 3, inf, -inf, 2, -5])
    for side in ("left", "right", "middle"):
        for d in FLOATS:
            call(out, "searchsorted", np.searchsorted, a.astype(d), v.astype(d), side=side)
        call(out, "searchsorted", np.searchsorted, I(1, 2, 2, 5), np.float64(2), side=side)
        call(out, "searchsorted", np.searchsorted, I(1, 2, 2, 5), Weak(2.5), side=side)
        call(out, "searchsorted", np.searchsorted, I(), I(1, 2), side=side)
        call(out, "searchsorted", np.searchsorted, np.array([2**53, 2**53 + 1]), I(2**53 + 1), side=side)
        z = np.sort(np.array([0j, complex(0, nan), 1 + 1j, complex(nan, 0), complex(nan, nan), -1, 1 - 1j]))
        call(out, "searchsorted", np.searchsorted, z, z, side=side)
        call(out, "searchsorted", np.searchsorted, I(5, 1, 3), I(1, 2, 4, 9), side=side, sorter=I(1, 2, 0))
    call(out, "searchsorted", np.searchsorted, I(1, 2).reshape(1, 2), I(1))
    call(out, "searchsorted", np.searchsorted, np.int64(1), I(1))
    call(out, "searchsorted", np.searchsorted, I(1, 2), I(1), sorter=I(1))
    call(out, "searchsorted", np.searchsorted, I(1, 2), I(1), sorter=np.array([0.5, 1]))
    x = np.array([0.2, 6.4, 3, 1.6, 1, 10, -1, nan])
    for bins in (np.array([0.0, 1, 2.5, 4, 10]), np.array([10.0, 4, 2.5, 1, 0]), np.zeros(0), np.ones(3), I(2), np.array([0, 2.0, 1])):
        for right in (False, True):
            call(out, "digitize", np.digitize, x, bins, right=right)
            call(out, "digitize", np.digitize, np.float32(3), bins, right=right)
    call(out, "digitize", np.digitize, x.astype(complex), bins)
    call(out, "digitize", np.digitize, x, np.zeros((2, 2)))


def kinds(out):
    for d in ALL:
        x = values(d, (5,), 1) if d[0] != "f" else np.array([1, inf, -inf, nan, -0.0], d)
        for name in ("isposinf", "isneginf", "iscomplex", "isreal"):
            call(out, name, getattr(np, name), x)
    for a, b in ((np.ones((2, 3)), np.ones(3)), (np.ones((2, 3)), np.ones(2)), (I(1, 2), I(1, 2)), (I(1, 2), I(1, 3)), (np.ones((0, 3)), np.ones(3)),
                 (np.array([nan]), np.array([nan])), (I(1, 1, 1), np.float64(1)), (np.ones((1, 3)), np.ones((2, 1)))):
        call(out, "array_equiv", np.array_equiv, a, b)
    for x in (np.ones(2), np.ones(2, "complex64"), np.complex128(1), I(1)):
        call(out, "iscomplexobj", np.iscomplexobj, x)
        call(out, "isrealobj", np.isrealobj, x)


def main(folder):
    for name, parts in (("statistics", (reductions, without_nan, quantiles, averages, histograms)), ("sorting", (sorting, searching, kinds))):
        with open(f"{folder}/numpy_{name}.txt", "w") as out:
            out.write("# SPDX-License-Identifier: Apache-2.0\n# Written by scripts/golden/make_numpy_statistics.py.\n")
            for part in parts:
                part(out)


main(sys.argv[1])
