#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_indices.txt: calls of NumPy's indexing routines, in the format of make_numpy.py. The result of one that writes is
the array that was written to.

usage: make_numpy_indices.py tests/golden
"""
import sys

import numpy as np
from make_numpy import Weak, call, values

I = lambda *v: np.array(v, "int64")
X = np.arange(12, dtype="int16").reshape(3, 4)


def written(name):
    def f(a, *rest, **options):
        b = a.copy()
        try:
            getattr(np, name)(b, *rest, **options)
        except ValueError as e:
            raise ValueError(str(e).removeprefix(name + ": ")) from None
        return b

    return f


def places(out):
    for d in ("bool", "int8", "uint16", "float16", "float64", "complex64"):
        for s in ((5,), (2, 3), (0,), (2, 0, 3), (), (1,)):
            x = values(d, s, 1)
            x = x * (np.arange(x.size).reshape(s) % 2).astype(d)
            call(out, "nonzero", np.nonzero, x)
            call(out, "argwhere", np.argwhere, x)
            call(out, "flatnonzero", np.flatnonzero, x)
    m = np.array([True, False, True])
    for c in (m, I(0, 1), np.array([True] * 5), np.array([], "bool"), np.ones((1, 2), "bool")):
        for o in ({}, {"axis": 0}, {"axis": 1}, {"axis": -1}, {"axis": 2}):
            call(out, "compress", np.compress, c, X, **o)
        call(out, "extract", np.extract, c, X)
    call(out, "extract", np.extract, X % 3 == 0, X)


def grids(out):
    for s in ((3,), (2, 3), (), (0, 2), (2, 1, 2)):
        call(out, "indices", np.indices, s)
        call(out, "indices", np.indices, s, dtype=np.dtype("float32"))
        call(out, "indices_sparse", lambda s: np.indices(s, sparse=True), s)
    for n in (0, 1, 3):
        for k in (-2, 0, 1, 5):
            for o in ({}, {"m": 2}):
                call(out, "tril_indices", np.tril_indices, n, k=k, **o)
                call(out, "triu_indices", np.triu_indices, n, k=k, **o)
        for d in (1, 2, 3):
            call(out, "diag_indices", np.diag_indices, n, ndim=d)
    for x in (X, np.ones((2, 2)), np.ones(3), np.ones((2, 2, 2)), np.ones((2, 3, 2))):
        call(out, "tril_indices_from", np.tril_indices_from, x, k=1)
        call(out, "triu_indices_from", np.triu_indices_from, x, k=-1)
        call(out, "diag_indices_from", np.diag_indices_from, x)
    call(out, "mask_indices", lambda n: np.mask_indices(n, np.triu, 1), 3)
    for p in ([I(0, 2), I(1, 3, 0)], [np.array([True, False, True]), I(1)], [np.array([], "int64"), I(1, 2)], [X], [I(1)]):
        call(out, "ix_", np.ix_, *p)
    for o in ({}, {"order": "F"}):
        call(out, "unravel_index", np.unravel_index, I(0, 5, 11), (3, 4), **o)
        call(out, "unravel_index", np.unravel_index, np.array(7), (3, 4), **o)
        call(out, "unravel_index", np.unravel_index, I(0, 12), (3, 4), **o)
        call(out, "unravel_index", np.unravel_index, I(-1), (3, 4), **o)
        call(out, "unravel_index", np.unravel_index, np.array([1.5]), (3, 4), **o)
        for mode in ("raise", "clip", "wrap"):
            f = lambda a, b, dims, **o: np.ravel_multi_index((a, b), dims, **o)
            call(out, "ravel_multi_index", f, I(0, 2), I(1, 3), (3, 4), mode=mode, **o)
            call(out, "ravel_multi_index", f, I(0, 5), I(-1, 3), (3, 4), mode=mode, **o)
            call(out, "ravel_multi_index", f, np.array(2), I(1, 3), (3, 4), mode=mode, **o)


def choices(out):
    for d in ("int8", "float32", "complex64", "bool"):
        a, b, c = (values(d, (2, 3), k) for k in (1, 2, 3))
        call(out, "choose", lambda i, *p: np.choose(i, p), np.array([[0, 1, 2], [2, 1, 0]]), a, b, c)
        call(out, "select", lambda p, q, a, b: np.select([p, q], [a, b]), a != 0, b != 0, a, c)
    for mode in ("raise", "clip", "wrap"):
        for i in (I(0, 1, 1), I(0, 2, -1), I(1), np.array(1), np.array([[0], [1]]), np.array([True, False, True]), np.array([0.5]), I(-5, 9, 0)):
            call(out, "choose", lambda i, *p, **o: np.choose(i, p, **o), i, I(10, 20, 30), np.array([1.5, 2.5, 3.5]), mode=mode)
    call(out, "choose", lambda i, *p: np.choose(i, p), I(0, 1), I(10, 20, 30), I(1, 2, 3))
    call(out, "select", lambda p, q, a, b: np.select([p, q], [a, b]), np.array([True, False, False]), np.array([True, True, False]), I(1, 2, 3), np.float32(2.5))
    call(out, "select", lambda p, q, a, b: np.select([p, q], [a, b]), I(1, 0), np.array([True, True]), I(1, 2), I(3, 4))
    call(out, "select", lambda: np.select([], []))


def writes(out):
    for i in (I(0, 5, -7), np.array([[9]]), I(-1)):
        for o in ({}, {"axis": 0}, {"axis": 1}):
            call(out, "take", np.take, X, i, mode="wrap", **o)
    for v in (Weak(7), I(7, 8), np.array([1.5, 2.5, 3.5]), np.array([], "int64")):
        for i in (I(0, 5), I(-1, 2, 2), Weak(3), I(11, 12), I(-13), I(100, -100), np.array([], "int64"), np.array([1.5])):
            for mode in ("raise", "clip", "wrap"):
                if i is not None and getattr(i, "dtype", None) == np.dtype("float64") and mode != "raise":
                    continue
                call(out, "put", written("put"), X, i, v, mode=mode)
        for m in (X % 3 == 0, X > 100, np.ones(12, "bool"), np.array([True, False])):
            call(out, "putmask", written("putmask"), X, m, v)
            call(out, "place_mask", written("place"), X, m, v if not isinstance(v, Weak) else np.array([7]))
        for a in (X, X.T.copy(), np.zeros((3, 3, 3), "int8"), np.zeros((2, 3, 3)), np.zeros(3), np.zeros((7, 3)), np.zeros((0, 3))):
            for o in ({}, {"wrap": True}):
                if a.size == 0 or np.size(getattr(v, "value", v)) == 0:
                    continue
                call(out, "fill_diagonal", written("fill_diagonal"), a, v, **o)
    call(out, "put", written("put"), np.array(3), Weak(0), Weak(9))
    call(out, "put", written("put"), np.zeros(0), Weak(0), Weak(9))
    for i, v, a in [(np.array([[1], [0], [3]]), Weak(9), 1), (np.array([[1, 0, 2, -1]]), I(1, 2, 3, 4), 0), (np.array([[4]]), Weak(9), 1), (np.array([[1.5]]), Weak(9), 1),
                    (I(1), Weak(9), 1), (np.array([[0, 1], [1, 2], [2, 3]]), np.array([[1], [2], [3]]), -1), (I(0, 5, -1), I(1, 2, 3), None)]:
        call(out, "put_along_axis", written("put_along_axis"), X, i, v, axis=a)


def main():
    with open(f"{sys.argv[1]}/numpy_indices.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_indices.py\n")
        for chapter in (places, grids, choices, writes):
            chapter(out)


main()
