#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_polynomials.txt: polynomial functions of NumPy's top level, calls in the format of make_numpy.py. Roots are complex,
in an order that the last bits do not change; polyfit gives the coefficients, then (`full`) residuals, rank and singular values, then (`cov`) the covariance.

usage: make_polynomials.py tests/golden
"""
import sys
import warnings

import numpy as np
from make_numpy import Weak, call, values

warnings.simplefilter("ignore")
W = Weak
FLOATS = ("float32", "float64", "complex64", "complex128")


def text(p, variable=None):
    return np.frombuffer(str(np.poly1d(p, variable=variable)).encode(), np.uint8)


def roots(p):
    r = np.roots(p).astype(np.complex64 if p.dtype in (np.float32, np.complex64) else np.complex128)
    return r[np.argsort(np.round(r.real, 3) * 1000 + r.imag, kind="stable")]


def fit(x, y, deg, **options):
    options = {k: v for k, v in options.items() if v is not None}
    full, cov = options.pop("full", False), options.pop("cov", False)
    out = []
    if full:
        c, residuals, rank, s, _ = np.polyfit(x, y, deg, full=True, **options)
        if not residuals.size:  # NumPy has none where the rank is less than the order
            off = np.polyval(c, x[:, None] if y.ndim > 1 else x) - y
            residuals = np.atleast_1d((abs(off) ** 2).sum(0))
        out = [c, residuals, np.int64(rank), s]
    if cov:
        c, v = np.polyfit(x, y, deg, cov=cov, **options)
        out = (out or [c]) + [v]
    return out or np.polyfit(x, y, deg, **options)


def divide(u, v):
    return list(np.polydiv(u, v))


def compose(p, x):
    return np.polyval(p, np.poly1d(x)).coeffs


def arithmetic(out):
    few = [values(d, (n,), n) for d in ("int8", "int64", "uint8", "float32", "float64", "complex64") for n in (1, 2, 5)]
    for a in few:
        for b in few[::4]:
            call(out, "polyadd", np.polyadd, a, b)
            call(out, "polysub", np.polysub, a, b)
            call(out, "polymul", np.polymul, a, b)
            call(out, "polydiv", divide, b + 1, a + 5 if a[0] == 0 else a)
    for f, name in ((np.polyadd, "polyadd"), (np.polysub, "polysub"), (np.polymul, "polymul")):
        call(out, name, f, W(3), np.array([1, 2], np.int8))
        call(out, name, f, np.array([]), np.array([1.0, 2]))
        call(out, name, f, np.array([0, 0, 1, 2]), np.array([0, 3]))
        call(out, name, f, np.array([True, False]), np.array([True]))
        call(out, name, f, np.ones((2, 2)), np.ones(2))
    call(out, "polydiv", divide, np.array([3.0, 5, 2]), np.array([2.0, 1]))
    call(out, "polydiv", divide, np.array([1.0, -3, 2, 0, 0, 7]), np.array([1.0, -1]))
    call(out, "polydiv", divide, np.array([1.0, 0, -1]), np.array([1.0, -1]))
    call(out, "polydiv", divide, np.array([1.0, 2]), np.array([1.0, 2, 3]))
    call(out, "polydiv", divide, np.array([1.0, 2]), np.array([0.0, 2]))
    call(out, "polydiv", divide, np.array([]), np.array([1.0]))
    call(out, "polydiv", divide, np.arange(90.0), np.array([2.0, 3, 1]))
    for p in (np.array([0, 0, 1, 2]), np.array([0.0, 0]), np.array([]), W(3), np.ones((2, 2)), np.array([0j, 1])):
        call(out, "poly1d", lambda p: np.poly1d(p).coeffs, p)
        call(out, "poly1d_order", lambda p: np.array(np.poly1d(p).order), p)
    call(out, "poly1d", lambda p, r: np.poly1d(p, r).coeffs, np.array([1.0, 2, -3]), r=True)


def evaluation(out):
    for dp in ("int8", "int64", "float32", "complex64", "bool"):
        for dx in ("int8", "uint8", "int64", "float16", "float32", "float64", "complex128", "bool"):
            call(out, "polyval", np.polyval, values(dp, (4,), 1), values(dx, (3,), 2))
    for shape in ((), (0,), (2, 3), (1, 4)):
        call(out, "polyval", np.polyval, np.array([3.0, 0, 1]), values("float64", shape, 3))
    call(out, "polyval", np.polyval, np.array([3.0, 0, 1]), W(5))
    call(out, "polyval", np.polyval, np.array([3, 0, 1], np.int8), W(5))
    call(out, "polyval", np.polyval, np.array([3, 0, 1], np.int8), W(0.5))
    call(out, "polyval", np.polyval, np.array([]), np.array([1.0, 2]))
    call(out, "polyval", np.polyval, np.array([1.0]), np.array([np.inf, np.nan, -0.0]))
    call(out, "polyval", np.polyval, values("float64", (3, 2), 5), values("float64", (4, 1), 6))
    call(out, "polyval", np.polyval, np.linspace(-1, 1, 200), np.array([0.25, -0.5]))
    call(out, "polyval", np.polyval, np.linspace(-1, 1, 200, dtype=np.float32), np.array([0.25, -0.5]))
    call(out, "polyval", np.polyval, values("int64", (150, 2), 7), np.array([[1], [0], [-1]]))
    for p, x in (([1, 2, 3], [1, 1]), ([1.5, 0, 2], [0, 2, 0]), ([2], [1, 1]), ([1, 0], [3, 1, 4]), ([1, 2, 3], [0, 0])):
        call(out, "compose", compose, np.array(p), np.array(x))


def calculus(out):
    for d in ("int8", "int64", "uint8", "float32", "float64", "complex64"):
        for n in (0, 1, 5):
            for m in (0, 1, 3):
                call(out, "polyint", np.polyint, values(d, (n,), n), m=m)
                if n or not m:
                    call(out, "polyder", np.polyder, values(d, (n,), n), m=m)
    p = np.array([3.0, 1, 2])
    for k in (W(2), np.array([1.0]), np.array([1, 2, 3]), np.array([1 + 2j, 0, 4]), np.array([1.0, 2])):
        call(out, "polyint", np.polyint, p, m=3, k=k)
        call(out, "polyint", np.polyint, p, m=1, k=k)
    call(out, "polyint", np.polyint, p, m=-1)
    call(out, "polyder", np.polyder, p, m=-1)


def zeros(out):
    for p in ([1, 0, -1], [3.2, 2, 1], [0, 0, 2, -3, 1], [1, 2, 0, 0], [0, 1, 2, 0], [0, 0], [5], [], [0, 7, 0, 0], [1, -6, 11, -6], [1, 0, 1, 0, 1]):
        for d in FLOATS:
            call(out, "roots", roots, np.array(p, d))
    call(out, "roots", roots, np.array([1, 0, -1]))
    call(out, "roots", roots, np.array([1, 2j, -1 + 1j, 4]))
    call(out, "roots", roots, np.ones((2, 2)))
    for d in ("int8", "bool", "float16", "float32", "float64", "complex64"):
        for n in (0, 1, 4):
            call(out, "poly", np.poly, values(d, (n,), n))
    call(out, "poly", np.poly, np.array([1 + 2j, 3, 1 - 2j]))
    call(out, "poly", np.poly, np.array([1 + 2j, 3, 1 + 2j]))
    call(out, "poly", np.poly, np.array([np.inf, 1.0, 2.0]))
    call(out, "poly", np.poly, np.array([[2.0, 1], [1, 3]]))
    call(out, "poly", np.poly, np.array([[0.0, 1], [-1, 0]]))
    call(out, "poly", np.poly, np.arange(9).reshape(3, 3) + np.eye(3))
    call(out, "poly", np.poly, np.ones((2, 3)))
    call(out, "poly", np.poly, np.ones((0, 0)))


def texts(out):
    for p in ([1, 2, 3], [0], [], [0, 0, 1, 0], [1, -2, 0, 3.5], [-1, 0, 0], [1.23456789, 1e10, -1e-10], [1 + 2j, 3, -2j, 4 - 1j], [2.0, -0.0, 1],
              list(range(1, 30)), [np.nan, np.inf, 1], [-1.5, -2, -3]):
        call(out, "text", text, np.array(p))
    call(out, "text", text, np.arange(1.0, 14), variable="zeta")


def fits(out):
    r = np.random.default_rng(7)
    x, w = np.linspace(-1, 2, 12), np.round(r.uniform(0.5, 2, 12), 3)
    y = np.round(3 * x**2 - x + r.normal(size=12) / 4, 3)
    wide = np.stack([y, x**3, np.round(r.normal(size=12), 3)], 1)
    for deg in (0, 1, 2, 5):
        for right in (y, wide):
            for o in ({}, {"w": w}, {"full": True}, {"cov": True}, {"cov": "unscaled"}, {"full": True, "cov": True, "w": w}, {"rcond": W(0.3), "full": True}):
                call(out, "polyfit", fit, x, right, deg, **o)
    call(out, "polyfit", fit, np.arange(5), np.arange(5) ** 2, 2)
    call(out, "polyfit", fit, x.astype(np.float32), y.astype(np.float32), 2)
    call(out, "polyfit", fit, x.astype(np.float32), y, 2)
    call(out, "polyfit", fit, x, y + 1j * x, 2, full=True)
    call(out, "polyfit", fit, np.array([1.0, 2]), np.array([3.0, 5]), 1)
    call(out, "polyfit", fit, np.array([1.0, 2]), np.array([3.0, 5]), 1, cov=True)
    call(out, "polyfit", fit, np.array([1.0, 2]), np.array([3.0, 5]), -1)
    call(out, "polyfit", fit, np.ones((2, 2)), np.ones(2), 1)
    call(out, "polyfit", fit, np.ones(0), np.ones(0), 1)
    call(out, "polyfit", fit, np.ones(2), np.ones((2, 2, 2)), 1)
    call(out, "polyfit", fit, np.ones(2), np.array(1.0), 1)
    call(out, "polyfit", fit, np.ones(2), np.ones(3), 1)
    call(out, "polyfit", fit, x, y, 1, w=np.ones((12, 1)))
    call(out, "polyfit", fit, x, y, 1, w=np.ones(3))


def main(folder):
    with open(f"{folder}/numpy_polynomials.txt", "w") as out:
        out.write("# Written by scripts/golden/make_polynomials.py.\n")
        for part in (arithmetic, evaluation, calculus, zeros, texts, fits):
            part(out)


if __name__ == "__main__":
    main(sys.argv[1])
