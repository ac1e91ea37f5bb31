#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_elementary.txt: calls of NumPy's elementary functions, in the format of make_numpy.py.

usage: make_numpy_elementary.py tests/golden
"""
import random
import sys

import numpy as np
from make_numpy import FLOATS, INTS, Weak, call, edges, values

ONES = "exp2 expm1 log1p log2 log10 tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh cbrt square".split()


def one(out):
    for name in ONES:
        f = getattr(np, name)
        for d in ["bool"] + INTS:
            call(out, name, f, values(d, (3,), 5, positive=True) if d != "bool" else np.array([True, False]))
        for d in FLOATS:
            call(out, name, f, edges(d))
            call(out, name, f, (values(d, (5,), 5) / 10).astype(d))
        call(out, name, f, np.array(0.25))
        call(out, name, f, values("float32", (2, 0, 1)))
        if name != "square":  # of a weak number it stays one
            call(out, name, f, Weak(1))
            call(out, name, f, Weak(0.5))
    call(out, "cbrt", np.cbrt, np.array([1 + 2j]))


def two(out):
    rnd = random.Random(7)
    real = ["bool"] + INTS + FLOATS
    for name in "arctan2 hypot".split():
        f = getattr(np, name)
        for a, b in rnd.sample([(a, b) for a in real for b in real], 50):
            x, y = edges(a), edges(b)
            n = min(len(x), len(y))
            call(out, name, f, x[:n], y[:n][::-1].copy())
        for d in FLOATS:
            call(out, name, f, edges(d)[:, None], edges(d))
        call(out, name, f, values("float32", (2, 0)), values("float64", (1, 1)))
        call(out, name, f, values("float32", (3,)), Weak(2))
        call(out, name, f, Weak(1.5), values("int8", (3,)))
        call(out, name, f, Weak(1), Weak(2))
        call(out, name, f, values("float32", (3,)), values("float32", (2,)))
        call(out, name, f, values("complex64", (3,)), values("float32", (3,)))


def main():
    with open(sys.argv[1] + "/numpy_elementary.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_elementary.py\n")
        one(out)
        two(out)


if __name__ == "__main__":
    main()
