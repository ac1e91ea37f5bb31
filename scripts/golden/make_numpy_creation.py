#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_creation.txt: calls of NumPy's routines that make arrays, in the format of make_numpy.py.

usage: make_numpy_creation.py tests/golden
"""
import sys

import numpy as np
from make_numpy import Weak, call, values

D = np.dtype
SOME = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64")


def spaces(out):
    for a, b, n in [(0, 1, 5), (-3, 3, 7), (2, 2, 3), (1, 3, 1), (1, 2, 0), (5, 1, 4), (0.1, 0.7, 13)]:
        for o in ({}, {"endpoint": False}, {"dtype": D("float32")}, {"dtype": D("int64")}, {"base": Weak(2.0)}):
            if "dtype" in o and o["dtype"] == D("int64"):
                continue  # a power that is one ulp off may be rounded down to another integer
            call(out, "logspace", np.logspace, Weak(a), Weak(b), n, **o)
        call(out, "linspace_step", lambda p, q, n: np.linspace(p, q, n, retstep=True), Weak(a), Weak(b), n)
        for dtype in ("int32", "uint8"):
            call(out, "linspace", np.linspace, np.array([a, 1.5]), np.array([b, 9.25]), n, dtype=D(dtype)) if a >= 0 else None
    for axis in (0, 1, -1, 2, -3):
        call(out, "linspace", np.linspace, values("float64", (2,), 1), values("float64", (2,), 2), 3, axis=axis) if axis in (0, 1, -1) else None
        call(out, "linspace", np.linspace, values("float32", (2, 3), 1), values("float32", (3,), 2), 4, axis=axis)
    call(out, "linspace", np.linspace, np.array([0.0, 1, 2]), np.array([0.0, 0.7, 2]), 5)  # a step of zero changes them all
    call(out, "logspace", np.logspace, np.array([0.0, 1]), np.array([1.0, 3]), 4, axis=-1)
    call(out, "logspace", np.logspace, Weak(0), Weak(1), 3, base=np.array([2.0, 10]))
    call(out, "logspace", np.logspace, Weak(0), Weak(1), 3, base=np.array([2.0, 10]), axis=-1)
    call(out, "logspace", np.logspace, Weak(0), Weak(1), -1)
    for a, b, n in [(1, 1000, 4), (1, 256, 9), (-1000, -1, 4), (1000, 1, 7), (0.5, 2, 1), (3, 4, 0), (2.5, 2.5, 3)]:
        for o in ({}, {"endpoint": False}, {"dtype": D("float32")}):
            call(out, "geomspace", np.geomspace, Weak(a), Weak(b), n, **o)
    call(out, "geomspace", np.geomspace, Weak(1j), Weak(1000j), 4)
    call(out, "geomspace", np.geomspace, Weak(-1 + 0j), Weak(1 + 0j), 5)
    call(out, "geomspace", np.geomspace, np.array([1.0, 2]), np.array([8.0, 32]), 4)
    call(out, "geomspace", np.geomspace, np.array([1.0, 2]), np.array([8.0, 32]), 4, axis=-1)
    call(out, "geomspace", np.geomspace, Weak(0), Weak(1), 4)
    call(out, "geomspace", np.geomspace, Weak(1), Weak(2), -4)


def grids(out):
    sets = [[np.arange(3), np.arange(2.0)], [np.arange(3)], [np.arange(2), np.arange(3), np.arange(4, dtype="int8")], [np.float64(1), np.arange(2)],
            [np.zeros(0), np.arange(2)], [np.ones((2, 2)), np.arange(3)], []]
    for s in sets:
        for o in ({}, {"indexing": "ij"}, {"sparse": True}, {"indexing": "ij", "sparse": True}):
            call(out, "meshgrid", np.meshgrid, *s, **o)
    call(out, "meshgrid", np.meshgrid, *sets[0], indexing="zz")
    for a, b, c in [(0, 3, 1), (-1, 5, 2), (5, 0, -2), (0, 1, 0.25), (3, 0, 1)]:
        call(out, "mgrid1", lambda p, q, r: np.mgrid[p:q:r], Weak(a), Weak(b), Weak(c))
        if (b - a) * c > 0:
            call(out, "mgrid2", lambda p, q, r: np.mgrid[p:q:r, 0:2:1], Weak(a), Weak(b), Weak(c))
        call(out, "ogrid2", lambda p, q, r: tuple(np.ogrid[p:q:r, 0:2:1]), Weak(a), Weak(b), Weak(c))
        call(out, "ogrid1", lambda p, q, r: np.ogrid[p:q:r], Weak(a), Weak(b), Weak(c))
    for a, b, n in [(0, 1, 5), (-1, 1, 3), (0, 2, 1)]:
        call(out, "mgrid_num", lambda p, q, n: np.mgrid[p:q:n * 1j], Weak(a), Weak(b), n)
        call(out, "mgrid_num2", lambda p, q, n: np.mgrid[p:q:n * 1j, 0:3:1], Weak(a), Weak(b), n)


def matrices(out):
    for d in SOME:
        v = values(d, (3,), 1)
        m = values(d, (3, 4), 2)
        call(out, "diag", np.diag, v)
        call(out, "diagflat", np.diagflat, m)
        call(out, "tril", np.tril, m)
        call(out, "triu", np.triu, m, k=1)
        call(out, "tri", np.tri, 3, dtype=D(d))
        call(out, "vander", np.vander, v) if d != "bool" else None
    for x in (np.arange(3), np.zeros(0), np.arange(12.0).reshape(3, 4), np.arange(24).reshape(2, 3, 4), np.float32(2), np.zeros((0, 3)), np.array([np.nan, np.inf])):
        for k in (0, 1, -1, 2, -4, 7):
            call(out, "diag", np.diag, x, k=k)
            call(out, "diagflat", np.diagflat, x, k=k)
            if np.ndim(x):
                call(out, "tril", np.tril, x, k=k)
                call(out, "triu", np.triu, x, k=k)
    for n, o in [(3, {}), (2, {"M": 4}), (4, {"M": 2, "k": -1}), (0, {}), (3, {"k": 1}), (3, {"k": -5}), (2, {"M": 0})]:
        call(out, "tri", np.tri, n, **o)
    for n in (None, 0, 1, 2, 5):
        o = {} if n is None else {"N": n}
        call(out, "vander", np.vander, np.array([2, 3, -1]), **o)
        call(out, "vander", np.vander, np.array([2.5, 3, -1]), **o, increasing=True)
        call(out, "vander", np.vander, np.zeros(0), **o)
    call(out, "vander", np.vander, np.ones((2, 2)))


def prototypes(out):
    for d in SOME:
        x = values(d, (2, 3), 1)
        for f in ("zeros_like", "ones_like"):
            call(out, f, getattr(np, f), x)
            call(out, f, getattr(np, f), x, dtype=D("float32"))
            call(out, f, getattr(np, f), x, shape=(2, 0))
            call(out, f, getattr(np, f), x, order="F")
        call(out, "full_like", np.full_like, x, Weak(1), shape=(4,))
    call(out, "zeros_like", np.zeros_like, np.ones(2), shape=(2, -1))
    for n in (0, 1, 3):
        call(out, "asarray", np.array, np.arange(3), ndmin=n)
        call(out, "asarray", np.array, np.float32(1), ndmin=n)
        call(out, "asarray", np.array, np.zeros((0, 2)), ndmin=n, dtype=D("int8"))
    call(out, "asarray_chkfinite", np.asarray_chkfinite, np.arange(3))
    call(out, "asarray_chkfinite", np.asarray_chkfinite, np.array([1.0, np.inf]))
    call(out, "asarray_chkfinite", np.asarray_chkfinite, np.array([1.0, complex(0, np.nan)]))
    call(out, "ascontiguousarray", np.ascontiguousarray, np.float32(3))
    call(out, "asfortranarray", np.asfortranarray, np.arange(6).reshape(2, 3))
    call(out, "asfortranarray", np.asfortranarray, np.float32(3))
    for r in ("C", "F", "W", "O", "A", "CF"):
        call(out, "require", lambda x, r: np.require(x, requirements=r), np.arange(6).reshape(2, 3), r)


def texts(out):
    for text, sep in [("1 2 3", " "), ("1,2,3", ","), ("1, 2 ,3", ","), ("  4   5 ", " "), ("1.5;2e3;-.5", ";"), ("", ","), ("7", ","), ("1,2,", ","), ("1,a", ","),
                      ("nan inf -inf", " "), ("1 2 x", " ")]:
        for o in ({}, {"dtype": D("float32")}, {"dtype": D("int64")}, {"count": 2}):
            if o.get("dtype") == D("int64") and ("." in text or "nan" in text) or "count" in o and text in ("", "7"):
                continue  # (where there are fewer numbers, NumPy gives what was in memory)
            try:
                call(out, "fromstring", lambda t, s, **k: np.fromstring(t, sep=s, **k), text, sep, **o)
            except DeprecationWarning:
                pass
    b = np.arange(6, dtype="int16")
    for o in ({}, {"dtype": D("int16")}, {"dtype": D("int16"), "count": 2}, {"dtype": D("int16"), "offset": 4}, {"dtype": D("int32"), "offset": 4},
              {"dtype": D("uint8"), "count": 3, "offset": 1}, {"dtype": D("int16"), "offset": 13}, {"dtype": D("int16"), "count": 7}, {"dtype": D("int64")},
              {"dtype": D("int16"), "offset": -1}, {"dtype": D("int16"), "offset": 12}):
        call(out, "frombuffer", np.frombuffer, b, **o)
    for s in ((3,), (2, 3), (0, 2), (2, 1, 2)):
        call(out, "fromfunction", lambda s: np.fromfunction(lambda *i: sum(i) * 2 + 1, s), s)
        call(out, "fromfunction", lambda s, dtype: np.fromfunction(lambda *i: sum(i) * 2 + 1, s, dtype=dtype), s, dtype=D("int64"))


def main():
    with open(f"{sys.argv[1]}/numpy_creation.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_creation.py\n")
        for chapter in (spaces, grids, matrices, prototypes, texts):
            chapter(out)


main()
