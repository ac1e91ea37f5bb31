#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_math.txt: calls of NumPy's mathematical functions, in the format of make_numpy.py.

usage: make_numpy_math.py tests/golden
"""
import random
import sys

import numpy as np
from make_numpy import COMPLEX, FLOATS, INTS, Weak, call, edges, values

INF, NAN = float("inf"), float("nan")
REAL = ["bool"] + INTS + FLOATS


def special(d):
    """Numbers of a dtype with what is not ordinary."""
    d = np.dtype(d)
    if d.kind == "b":
        return np.array([False, True])
    if d.kind in "iu":
        i = np.iinfo(d)
        return np.array([0, 1, 2, 7, 12, 100, i.max, i.min, i.max - 1, i.min + 1], d)
    if d.kind == "c":
        return np.array([0, 1 + 2j, -3 + 0.5j, complex(2, -1), complex(NAN, 1), complex(1, NAN), complex(INF, -INF), 1 + 1j,
                         complex(-0.0, 0.0)], d)
    i = np.finfo(d)
    return np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -7.25, 100.0, INF, -INF, NAN, i.tiny, i.max, -i.max,
                     i.smallest_subnormal, i.smallest_subnormal * 5, i.eps], d)


def one(out):
    names = "floor ceil trunc rint fabs signbit spacing deg2rad radians rad2deg degrees modf frexp bitwise_count i0 sinc fix nan_to_num"
    for name in names.split():
        f = getattr(np, name)
        kinds = REAL if name != "bitwise_count" else ["bool"] + INTS
        for d in kinds:
            x = special(d)
            if name in ("i0", "sinc") and np.dtype(d).kind != "b":
                x = (values(d, (6,), 3) / (1 if np.dtype(d).kind in "iu" else 4)).astype(d)
            if name in ("spacing", "bitwise_count", "sinc", "i0") and d == "bool":
                continue
            if name == "sinc" and d == "float16":  # rounds pi x to float16 first
                continue
            if name == "spacing" and d in INTS:
                x = values(d, (4,), 1, positive=True)
            call(out, name, f, x)
        call(out, name, f, values("int16", (), 2))
        call(out, name, f, values("float32", (0, 2)) if name != "bitwise_count" else values("int8", (0, 2)))
        call(out, name, f, values("float64", (2, 3)).T if name != "bitwise_count" else values("int8", (2, 3)).T)
        for d in COMPLEX:
            if name in ("i0", "rint", "nan_to_num"):
                call(out, name, f, special(d))
            elif name not in ("fix", "bitwise_count"):
                call(out, name, f, np.array([1 + 2j, -0.5j], d))
    call(out, "bitwise_count", np.bitwise_count, np.array([1.5]))
    for d in FLOATS:
        call(out, "nan_to_num", np.nan_to_num, special(d), nan=Weak(7), posinf=Weak(2.5), neginf=Weak(-1))
    for d in REAL + COMPLEX:
        for n in (0, 1, -1, 2, 3, -2):
            call(out, "round", np.round, (values(d, (7,), 4) * (np.dtype(d).type(11) if d in INTS else 1) / 8).astype(d),
                 decimals=n)
        call(out, "angle", np.angle, special(d) if d in COMPLEX + FLOATS else values(d, (4,), 3))
        call(out, "angle", np.angle, values(d, (4,), 3), deg=True)
    call(out, "round", np.round, np.array([1234.5678, -0.05, 1e300, NAN, INF]), decimals=2)
    call(out, "round", np.round, np.array([15, 25, 35, -15, -25, 149, 151]), decimals=-1)
    for tol in (100, 1e-3, 0.5):
        call(out, "real_if_close", np.real_if_close, np.array([1 + 1e-14j, 2]), tol=tol)
        call(out, "real_if_close", np.real_if_close, np.array([1 + 1e-4j, 2], "complex64"), tol=tol)
    call(out, "real_if_close", np.real_if_close, np.array([1, 2]))


BINARY = """floor_divide remainder fmod float_power fmax fmin copysign nextafter heaviside logaddexp logaddexp2 gcd lcm left_shift
            right_shift divmod maximum minimum""".split()


def two(out):
    rnd = random.Random(11)
    pairs = [(a, b) for a in REAL for b in REAL]
    for name in BINARY:
        f = getattr(np, name)
        kinds = INTS if name in ("gcd", "lcm") else ["bool"] + INTS if "shift" in name else REAL
        for d in kinds:
            x = special(d)
            if name == "float_power":
                x = values(d, (4,), 3, positive=True)
            if d == "float16" and name in ("fmax", "fmin", "maximum", "minimum", "nextafter"):
                x = x[np.signbit(x) <= (x != 0)]  # which of the zeros, it decides otherwise than for float32
            if "shift" in name and d != "bool":
                n = np.dtype(d).itemsize * 8
                counts = [0, 1, n - 1, n, n + 1, 100] + ([-1, -100] if d[0] == "i" else [])
                call(out, name, f, x[:, None], np.array(counts, d))
            elif name == "lcm":
                call(out, name, f, x[:6, None], x[:6])
            else:
                call(out, name, f, x[:, None], x)
        for a, b in rnd.sample(pairs, 30):
            x, y = values(a, (3,), 5), values(b, (2, 3), 6)
            if name == "float_power":
                x = np.abs(x)
            call(out, name, f, x, y)
        d = "int8" if "shift" in name or name in ("gcd", "lcm") else "float32"
        call(out, name, f, values(d, (2, 0)), values(d, (1, 1)))
        call(out, name, f, values(d, (3,), 2, positive=True), Weak(2))
        call(out, name, f, Weak(7), values(d, (3,), 2, positive=True))
        call(out, name, f, Weak(7), Weak(2))
        call(out, name, f, values(d, (3,), 2), values(d, (2,), 2))
        call(out, name, f, values("int8", (3,), 2, positive=True), Weak(2))
        call(out, name, f, values("float32", (3,), 2, positive=True), Weak(1.5))
        for c in COMPLEX:
            x = special(c)
            if name in ("fmax", "fmin", "maximum", "minimum"):
                call(out, name, f, x[:, None], x)
            elif name == "float_power":
                call(out, name, f, np.array([1 + 2j, 0.5j], c), np.array([2 - 1j, 3], c))
            elif name not in ("gcd", "lcm"):
                call(out, name, f, values(c, (2,)), values(c, (2,)))
    for d in REAL:
        for e in ("int8", "int32", "int64", "uint32"):
            n = np.array([0, 1, 5, 3, 10, 20], e)
            call(out, "ldexp", np.ldexp, values(d, (6,), 2), n)
    for d in FLOATS:
        call(out, "ldexp", np.ldexp, special(d)[:, None], np.array([0, 1, -1, 10, -10, -30, 60, -140, 1000, -1040, -1070, 3000, -5000]))
    call(out, "ldexp", np.ldexp, np.array([1.5]), np.array([2], "uint64"))
    call(out, "ldexp", np.ldexp, np.array([1.5]), np.array([2.5]))
    call(out, "ldexp", np.ldexp, np.array([1.5], "float32"), Weak(3))
    for d in COMPLEX:
        x = special(d)
        call(out, "clip", np.clip, x, np.array(1 + 1j, d), np.array(2, d))
    for big in (2**53 + 1, 2**62 + 3, -(2**61) - 7):
        x = np.array([big, -big, big - 1], "int64")
        for name in ("floor_divide", "remainder", "fmod", "gcd"):
            call(out, name, getattr(np, name), x, np.array([3, -7, 2**33]))


def along(out):
    for name in "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod".split():
        f = getattr(np, name)
        for d in REAL + COMPLEX:
            x = values(d, (2, 3), 3)
            call(out, name, f, x, axis=0)
            call(out, name, f, x, axis=-1)
            if "cumulative" not in name:
                call(out, name, f, x)
            call(out, name, f, values(d, (4,), 2))
        call(out, name, f, np.array([1.5, NAN, 2.0, INF, 1.0]))
        call(out, name, f, values("int8", (0,)))
        call(out, name, f, values("float32", (3, 0)), axis=1)
        call(out, name, f, values("float32", (3,)), axis=1)
        call(out, name, f, values("float32", ()), axis=0)
        call(out, name, f, values("int8", (4,)), dtype=np.dtype("float32"))
        call(out, name, f, values("float32", (4,)), dtype=np.dtype("int16"))
        call(out, name, f, values("int8", (4,)), dtype=np.dtype("bool"))
        if "cumulative" in name:
            call(out, name, f, values("float64", (2, 3)))
            for axis in (0, 1):
                call(out, name, f, values("int32", (2, 3)), axis=axis, include_initial=True)
    for d in REAL + COMPLEX:
        x = values(d, (3, 4), 7)
        call(out, "diff", np.diff, x)
        call(out, "diff", np.diff, x, axis=0)
        call(out, "diff", np.diff, x, n=2)
        if d != "bool":
            call(out, "ediff1d", np.ediff1d, x)
            call(out, "trapezoid", np.trapezoid, x)
            call(out, "trapezoid", np.trapezoid, x, axis=0, dx=Weak(0.5))
            call(out, "gradient", np.gradient, x)
            call(out, "gradient", np.gradient, x, axis=(1,), edge_order=2)
            call(out, "trapezoid", np.trapezoid, x, x=np.array([1.0, 2, 4, 8]))
    x = values("float64", (3, 4), 8)
    call(out, "diff", np.diff, x, n=0)
    call(out, "diff", np.diff, x, n=9)
    call(out, "diff", np.diff, x, n=-1)
    call(out, "diff", np.diff, x, prepend=Weak(5), append=values("float32", (3, 2)))
    call(out, "diff", np.diff, x, axis=0, prepend=values("float64", (1, 4)))
    call(out, "diff", np.diff, np.array(1.5))
    call(out, "diff", np.diff, np.array([1, 2], "uint8")[::-1].copy())
    call(out, "diff", np.diff, np.zeros((2, 0)))
    call(out, "diff", np.diff, x, axis=2)
    call(out, "ediff1d", np.ediff1d, x, to_end=np.array([1.0, 2.0]), to_begin=Weak(-9))
    call(out, "ediff1d", np.ediff1d, np.array([1, 2, 4]), to_end=np.array([1.5]))
    call(out, "ediff1d", np.ediff1d, np.array([1, 2, 4]), to_begin=np.array([1.5]))
    call(out, "ediff1d", np.ediff1d, np.array([]))
    call(out, "trapezoid", np.trapezoid, x, x=x)
    call(out, "trapezoid", np.trapezoid, x, x=x, axis=0)
    call(out, "trapezoid", np.trapezoid, np.array([1.0]))

    def gradient(f, *given, **options):
        r = np.gradient(f, *given, **options)
        return list(r) if isinstance(r, tuple) else [r]

    call(out, "gradient", gradient, values("float64", (5,), 9))
    call(out, "gradient", gradient, values("float64", (5,), 9), edge_order=2)
    call(out, "gradient", gradient, values("float64", (1,), 9))
    call(out, "gradient", gradient, values("float64", (2,), 9), edge_order=2)
    call(out, "gradient", gradient, values("float64", (4,), 9), edge_order=3)
    steps, places = np.array([0.0, 1, 3, 4, 8]), np.array([2, 3, 5, 9])
    for order in (1, 2):
        call(out, "gradient", gradient, values("float32", (5,), 9), steps, edge_order=order)
        call(out, "gradient", gradient, values("float64", (4, 5), 9), Weak(2.0), steps, edge_order=order)
        call(out, "gradient", gradient, values("float64", (4, 5), 9), places, steps, edge_order=order)
        call(out, "gradient", gradient, values("float64", (4, 5), 9), Weak(0.5), edge_order=order)
    call(out, "gradient", gradient, values("float64", (4,), 9), Weak(1.0), Weak(2.0))
    call(out, "gradient", gradient, values("float64", (4,), 9), np.array([1.0, 2.0]))
    call(out, "gradient", gradient, values("float64", (4,), 9), np.ones((2, 2)))


def vectors(out):
    for d in REAL + COMPLEX:
        a, v = values(d, (6,), 1), values(d, (3,), 2)
        for name in ("convolve", "correlate"):
            f = getattr(np, name)
            for mode in ("full", "same", "valid"):
                call(out, name, f, a, v, mode=mode)
                call(out, name, f, v, a, mode=mode)
                call(out, name, f, a, values(d, (2,), 4), mode=mode)
            call(out, name, f, a, v)
        if d != "bool":
            call(out, "cross", np.cross, values(d, (2, 3), 1), values(d, (3,), 2))
            call(out, "cross", np.cross, values(d, (2, 3), 1), values(d, (2,), 2))
            call(out, "cross", np.cross, values(d, (2,), 1), values(d, (4, 3), 2))
            call(out, "cross", np.cross, values(d, (2, 2), 1), values(d, (2, 2), 2))
    x = values("float64", (3, 4), 5)
    call(out, "cross", np.cross, x, values("float64", (3, 4), 6), axis=0)
    call(out, "cross", np.cross, x, values("float64", (4, 3), 6), axisa=0, axisc=0)
    call(out, "cross", np.cross, np.array(1.0), x)
    call(out, "cross", np.cross, x, x, axisa=5)
    call(out, "convolve", np.convolve, np.array([]), np.array([1.0]))
    call(out, "convolve", np.convolve, np.array([1.0]), np.array([]))
    call(out, "convolve", np.convolve, np.array([[1.0]]), np.array([1.0]))
    call(out, "convolve", np.convolve, np.array([1.0, 2]), np.array([1.0]), mode="middle")
    call(out, "convolve", np.convolve, np.array([1.0, 2]), Weak(3))
    xp, fp = np.array([1.0, 2, 4, 8]), np.array([3.0, -1, 5, 0])
    x = np.array([[0.0, 1, 1.5, 2], [3, 7.999, 8, 9]])
    call(out, "interp", np.interp, x, xp, fp)
    call(out, "interp", np.interp, x, xp, fp, left=Weak(-5.0), right=Weak(9.0))
    call(out, "interp", np.interp, np.array([NAN, INF, -INF]), xp, fp)
    call(out, "interp", np.interp, x, xp, fp * (1 + 2j))
    call(out, "interp", np.interp, x.astype("float32"), xp.astype("int8"), fp.astype("float16"))
    call(out, "interp", np.interp, x, np.array([1.0]), np.array([3.0]))
    call(out, "interp", np.interp, x, np.array([1.0, INF]), np.array([3.0, 3.0]))
    call(out, "interp", np.interp, x, xp, np.array([3.0, INF, INF, 0]))
    call(out, "interp", np.interp, x, np.array([0.0, 0, 1.5, 1.5, 3]), np.array([1.0, 2, 3, 4, 5]))
    call(out, "interp", np.interp, Weak(2.5), xp, fp)
    call(out, "interp", np.interp, x, xp, fp, period=Weak(5.0))
    call(out, "interp", np.interp, x, xp, fp, period=Weak(-3.0))
    call(out, "interp", np.interp, x, xp, fp, period=Weak(0.0))
    call(out, "interp", np.interp, x, np.array([]), np.array([]))
    call(out, "interp", np.interp, x, xp, fp[:3].copy())
    for d in FLOATS:
        p = (values(d, (2, 6), 3) * np.array(1.7, d)).astype(d)
        call(out, "unwrap", np.unwrap, p)
        call(out, "unwrap", np.unwrap, p, axis=0)
        call(out, "unwrap", np.unwrap, p, period=Weak(4.0))
        call(out, "unwrap", np.unwrap, p, discont=Weak(5.0))
    call(out, "unwrap", np.unwrap, np.array([0, 1, 2, -1, 0, 7]), period=Weak(4))
    call(out, "unwrap", np.unwrap, np.array([0, 1, 2, -1, 0, 7]), period=Weak(3))
    call(out, "unwrap", np.unwrap, np.array([0, 255, 3, 200], "uint8").astype("int16"), period=Weak(255))


def bits(out):
    for d in ["bool"] + INTS:
        call(out, "packbits", np.packbits, values(d, (11,), 4))
        call(out, "packbits", np.packbits, values(d, (3, 9), 4) % 2 if d != "bool" else values(d, (3, 9), 4), axis=0)
        call(out, "packbits", np.packbits, values(d, (3, 9), 4), axis=-1, bitorder="little")
    call(out, "packbits", np.packbits, np.zeros((2, 0), "int8"), axis=1)
    call(out, "packbits", np.packbits, np.array([1.5]))
    call(out, "packbits", np.packbits, np.array([1]), bitorder="x")
    x = np.array([[2, 255, 7], [0, 129, 64]], "uint8")
    for options in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "bitorder": "little"}, {"count": 10}, {"axis": 1, "count": -3},
                    {"axis": 0, "count": 20}, {"count": -100}, {"bitorder": "x"}):
        call(out, "unpackbits", np.unpackbits, x, **options)
    call(out, "unpackbits", np.unpackbits, np.array([1]))


def emath(out):
    for name in "sqrt log log2 log10 arccos arcsin arctanh".split():
        f = getattr(np.emath, name)
        for d in INTS[:4] + FLOATS + COMPLEX:
            x = np.array([0.25, 0.5, 0.75] if np.dtype(d).kind in "fc" else [1, 1, 1], d)
            if name == "arctanh" and d in INTS:
                continue
            call(out, "emath_" + name, f, x)
            call(out, "emath_" + name, f, -4 * x)
    for d in ("int8", "float32", "float64"):
        x = np.array([2, 4, 8], d)
        call(out, "emath_logn", np.emath.logn, Weak(2), x)
        call(out, "emath_logn", np.emath.logn, np.array(2, d), -x)
        call(out, "emath_power", np.emath.power, x, Weak(2))
        call(out, "emath_power", np.emath.power, -x, np.array([0.5, 0.25, 2]))
    call(out, "emath_power", np.emath.power, np.array([2, 4]), Weak(-2))


def named(f):
    """The function with an option u, which tells the reader its name."""
    return lambda *args, u, **options: f(*args, **options)


def methods(out):
    names = "add subtract multiply divide power maximum minimum bitwise_and bitwise_or bitwise_xor".split()
    names += "floor_divide remainder fmod fmax fmin arctan2 hypot logaddexp logaddexp2 gcd lcm logical_and logical_or".split()
    names += "logical_xor less equal".split()
    for name in names:
        f = getattr(np, name)
        kinds = ["int8", "uint16", "int64"] if name in ("gcd", "lcm") or "bitwise" in name else ["bool", "int8", "float32", "complex128"]
        for d in kinds:
            if d == "bool" and name in ("logaddexp", "arctan2", "hypot", "logaddexp2"):
                continue  # float16: their own file of tolerances
            if d == "complex128" and name == "power":
                continue
            x = values(d, (3, 2), 3, positive=True)
            call(out, "ufunc_reduce", named(f.reduce), x, u=name)
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, axis=-1)
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, axis=None)
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, axis=(1,), keepdims=True)
            call(out, "ufunc_reduce", named(f.reduce), x[:0], u=name)
            call(out, "ufunc_reduce", named(f.reduce), x[0, 0], u=name)
            call(out, "ufunc_accumulate", named(f.accumulate), x, u=name)
            call(out, "ufunc_accumulate", named(f.accumulate), x, u=name, axis=1)
            if d != "float32" or name not in ("power", "arctan2"):  # NumPy 2.4's are wrong
                call(out, "ufunc_reduceat", named(f.reduceat), values(d, (5,), 3, positive=True), np.array([0, 3, 1, 1]), u=name)
            call(out, "ufunc_outer", named(f.outer), x, values(d, (2,), 4, positive=True), u=name)
        d = kinds[1]
        x = values(d, (3, 2), 3, positive=True)
        mask = np.array([[True, False], [True, True], [False, False]])
        if name not in ("less", "equal", "logical_xor"):
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, initial=Weak(2))
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, where=mask)
            call(out, "ufunc_reduce", named(f.reduce), x, u=name, where=mask, initial=Weak(3))
            call(out, "ufunc_reduce", named(f.reduce), x[:0], u=name, initial=Weak(3))
        if name in ("less", "equal"):
            continue
        call(out, "ufunc_reduce", named(f.reduce), x, u=name, axis=2)
        call(out, "ufunc_accumulate", named(f.accumulate), x[0, 0], u=name)
        call(out, "ufunc_reduceat", named(f.reduceat), x, np.array([0, 3]), u=name)
    for x in (2, -3, 2.5, 0):
        for n in (np.array([1, 2], "int32"), np.array(3), Weak(3)):
            call(out, "ldexp", np.ldexp, Weak(x), n)
    for name in ("add", "multiply", "maximum", "minimum", "fmax", "bitwise_or"):
        for d in ("bool", "int8", "uint8", "uint32", "int64", "uint64", "float16", "float32", "complex64"):
            for v in (-2, -2.5, 300, 1e30, 2.0**63, NAN, INF, -INF, 1.5):
                if (name == "bitwise_or" and d[0] in "fc") or (name == "multiply" and d[0] == "c" and abs(v) == INF):
                    continue  # which part of a product with infinity is NaN nobody says
                call(out, "ufunc_reduce", named(getattr(np, name).reduce), np.array([1, 2]).astype(d), u=name, initial=Weak(v))
    for name in names:  # no, one, two elements, negative ones too
        f = getattr(np, name)
        for d in ["int8", "int64"] if name in ("gcd", "lcm") or "bitwise" in name else ["bool", "int8", "float64"]:
            if d == "bool" and (name in ("subtract", "logaddexp", "arctan2", "hypot", "logaddexp2") or name in ("power", "fmod")):
                continue
            x = np.array([[-3, 2], [2, -1]]).astype(d)
            for part in (x[:0, 0], x[:1, 0], x[1:, 1], x[:, 0], x[:, 1], x[:1], x[:, :1], x[:, :0]):
                call(out, "ufunc_reduce", named(f.reduce), part, u=name)
                call(out, "ufunc_accumulate", named(f.accumulate), part, u=name)
                if len(part):
                    call(out, "ufunc_reduceat", named(f.reduceat), part, np.array([0]), u=name)
                    call(out, "ufunc_reduceat", named(f.reduceat), part, np.array([len(part) - 1, 0]), u=name)
                call(out, "ufunc_outer", named(f.outer), part, x[1], u=name)
            call(out, "ufunc_reduce", named(f.reduce), x[:1], u=name, axis=())
            call(out, "ufunc_reduce", named(f.reduce), x[0, 0], u=name)
            call(out, "ufunc_reduce", named(f.reduce), x[:1], u=name, axis=1, keepdims=True)
    call(out, "ufunc_reduce", named(np.add.reduce), values("int8", (4,)), u="add", dtype=np.dtype("float32"))
    call(out, "ufunc_accumulate", named(np.add.accumulate), values("int8", (4,)), u="add", dtype=np.dtype("float32"))
    call(out, "ufunc_reduceat", named(np.add.reduceat), values("int8", (4,)), np.array([1, 2]), u="add", dtype=np.dtype("float32"))
    call(out, "ufunc_reduceat", named(np.add.reduceat), values("int8", (4, 3)), np.array([1, 0]), u="add", axis=1)


def main():
    with open(sys.argv[1] + "/numpy_math.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_math.py\n")
        one(out)
        two(out)
        along(out)
        vectors(out)
        bits(out)
        emath(out)
        methods(out)


if __name__ == "__main__":
    main()
