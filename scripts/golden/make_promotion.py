#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/promotion.txt: NumPy's (>= 2.4) np.result_type of three dtypes or Python numbers, which does not depend on
their order; and that functions of three arrays have that dtype.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy
    /tmp/venv/bin/python scripts/golden/make_promotion.py > tests/golden/promotion.txt

One line per three: their codes and the result's. b, i, f, c alone are a Python bool, int, float, complex."""
import itertools

import numpy as np

assert tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4), np.__version__
WEAK = {"b": True, "i": 1, "f": 1.0, "c": 1j}
CODES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split() + list(WEAK)
MASK = np.array([True, False])
FUNCTIONS = [np.stack, np.concatenate, np.hstack, np.vstack, np.dstack, np.column_stack]
EVERY = [lambda *x: np.choose([0, 1], x), lambda *x: np.select([MASK, ~MASK], x[:2], x[2]), lambda *x: np.concatenate(x, axis=None)]
ARRAYS = [lambda *x: np.clip(*x), lambda *x: np.diff(x[0], prepend=x[1], append=x[2]), lambda *x: np.einsum("i,i,i->i", *x),
          lambda *x: np.block(list(x))]


def operand(c):
    return WEAK[c] if c in WEAK else np.ones(2, c)


for three in itertools.combinations_with_replacement(CODES, 3):
    for p in itertools.permutations(three):
        x = [operand(c) for c in p]
        d = np.result_type(*x)
        assert d == np.result_type(*map(operand, three))
        for f in EVERY:
            try:
                assert f(*x).dtype == d, (f, p)
            except TypeError:  # a complex number for an array of floats
                pass
        if all(c not in WEAK for c in p):
            for f in FUNCTIONS:
                assert f(x).dtype == d, (f, p)
            for f in ARRAYS:
                assert f(*x).dtype == d, (f, p)
    print(*three, d.str[1:])
