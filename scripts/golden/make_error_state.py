#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/error_state.txt: the floating-point events that NumPy reports for single elements.

usage: make_error_state.py > tests/golden/error_state.txt

One line for each ufunc and dtype: name, dtype, the values as bits (complex numbers as real and imaginary part one behind the other), and
for each value, or each pair of values (the second one changes first), a hexadecimal digit: 1 divide, 2 over, 4 under, 8 invalid. "cast"
has the dtype that is cast to behind the first one. Arrays have one element.
"""
import numpy as np

inf, nan = np.inf, np.nan
UNARY = """negative sin cos tanh exp log sqrt exp2 expm1 log1p log2 log10 tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh cbrt
           square absolute reciprocal sign floor ceil trunc rint deg2rad rad2deg spacing""".split()
COMPLEX = """sin cos tanh exp log sqrt log1p log2 log10 tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh square
             absolute reciprocal""".split()
BINARY = """add subtract multiply divide power floor_divide remainder fmod divmod float_power maximum minimum fmax fmin arctan2 hypot copysign
            heaviside logaddexp logaddexp2 nextafter""".split()
INTEGER = "add multiply floor_divide remainder fmod divmod".split()


def reals(d):
    f = np.finfo(d)
    one = [0, 0.5, 1, 1.5, 2, 3.7, 1000, f.max, f.max / 2, f.tiny, f.smallest_subnormal, f.tiny * 0.75, np.sqrt(f.tiny), np.sqrt(f.max) * 1.5]
    some = np.array(one + [-v for v in one] + [inf, -inf, nan], d)
    return some


def few(d):
    f = np.finfo(d)
    return np.array([0, -0.0, 1, -1, 0.5, -2, 3, f.max, -f.max, f.tiny, f.smallest_subnormal, np.sqrt(f.tiny) / 4, inf, -inf, nan], d)


def complexes(d):
    part = [0, 1, -0.5, 1e3, inf, nan]
    return np.array([complex(a, b) for a in part for b in part], d)


def flags(call):
    got = []
    with np.errstate(all="call", call=lambda kind, bits: got.append(bits)):
        call()
    return f"{got[0] if got else 0:x}"


def bits(x):
    raw = x.tobytes()
    size = x.dtype.itemsize
    return ",".join(raw[i : i + size].hex() for i in range(0, len(raw), size))


def unary(name, x):
    f = getattr(np, name)
    print(name, x.dtype.name, bits(x), "".join(flags(lambda: f(x[i : i + 1])) for i in range(len(x))))


def binary(name, x):
    f = getattr(np, name)
    pairs = [(i, j) for i in range(len(x)) for j in range(len(x))]
    print(name, x.dtype.name, bits(x), "".join(flags(lambda: f(x[i : i + 1], x[j : j + 1])) for i, j in pairs))


for d in "float16 float32 float64".split():
    for name in UNARY:
        unary(name, reals(d))
    for name in BINARY:
        binary(name, few(d))
for d in "complex64 complex128".split():
    for name in COMPLEX:
        unary(name, complexes(d))
for d in "int8 int64 uint16".split():
    i = np.iinfo(d)
    for name in INTEGER:
        binary(name, np.array([0, 1, 2, i.max, i.min] + ([-1] if i.min else []), d))
    unary("reciprocal", np.array([0, 1, 2, i.max], d))
FLOATS = [0, -0.0, 1, -1.5, 300.7, -129, 65504, 65519, 65520, 2.0**31 - 1, 2.0**31, -(2.0**31), -(2.0**31) - 1, 2.0**32 + 7, 2.0**63, -(2.0**63),
          1.5 * 2.0**63, 2.0**64, 1e30, 1e39, 1e300, 1e-300, 1e-40, 6e-8, 1e-8, 1e-5, inf, -inf, nan]
with np.errstate(all="ignore"):
    for d in "float16 float32 float64".split():
        x = np.array(FLOATS, d)
        for to in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split():
            print("cast", d, to, bits(x), "".join(flags(lambda: x[i : i + 1].astype(to)) for i in range(len(x))))
    for d in "int32 int64 uint16".split():
        i = np.iinfo(d)
        x = np.array([0, 1, 300, 65519, min(65520, i.max), i.max, i.min], d)
        for to in "float16 float32 int8".split():
            print("cast", d, to, bits(x), "".join(flags(lambda: x[i : i + 1].astype(to)) for i in range(len(x))))
