#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/repr.txt: arrays, bit for bit, and how NumPy (>= 2.3) shows them; bfloat16 as ml_dtypes does.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy ml_dtypes
    /tmp/venv/bin/python scripts/golden/make_repr.py > tests/golden/repr.txt

One line per case, fields separated by tabs: dtype, shape, options, elements in hex, str, repr (with \\n for a line break)."""
import itertools
import sys

import ml_dtypes
import numpy as np

assert tuple(map(int, np.__version__.split(".")[:2])) >= (2, 3), np.__version__
rng = np.random.default_rng(20)
bf16 = np.dtype(ml_dtypes.bfloat16)
DEFAULTS = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False, floatmode="maxprec", sign="-",
                nanstr="nan", infstr="inf")
lines = {}


def show(a, key=False, **options):
    """A case; a uint32 array with key=True is an array of keys (pairs along its last axis)."""
    a = np.ascontiguousarray(a) if np.ndim(a) else np.array(a)  # an array, never a scalar
    with np.printoptions(**{**DEFAULTS, **options}):
        texts = [f(a).replace("\n", "\\n") for f in (str, repr)]
    shape = a.shape[:-1] if key else a.shape
    fields = ["key<fry>" if key else a.dtype.name, ",".join(map(str, shape)) if shape else "()"]
    fields += [";".join(f"{k}={int(v) if isinstance(v, bool) else v}" for k, v in options.items()) or "-"]
    fields += [a.tobytes().hex() or "-", *texts]
    assert not any("\t" in f for f in fields)
    lines["\t".join(fields)] = None


FLOATS = [np.dtype(t) for t in ("f2", "f4", "f8")]
INTS = [np.dtype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
COMPLEX = [np.dtype(t) for t in ("c8", "c16")]
ALL = [np.dtype("?"), *INTS, *FLOATS, bf16, *COMPLEX]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.1, 1 / 3, 2.5, 1e-4, 9.999e-5, 1e-5, 999.0, 1000.0, 1001.0, 65504.0, 999999.0,
           1e6, 1e7, 99999999.0, 1e8, 123456789.0, 1e15, 9999999999999998.0, 1e16, 1e17, 1e22, 1e23, 5e-324, 2.2250738585072014e-308,
           1.7976931348623157e308, 1.17549435e-38, 3.4028235e38, 6e-8, 0.3, 1e100, 1e-100, 2.0**-44, 2.0**52, 2.0**53, 9007199254740993.0,
           5e-9, 4.999e-9, 1.5, 123.456, 0.5, 8.5]


def scalars():
    for v in SPECIAL:
        for t in [*FLOATS, bf16]:
            with np.errstate(over="ignore"):
                show(np.array(v).astype(t))
                show(np.array([v]).astype(t))
    for t in FLOATS:
        for bits in rng.integers(0, 2**63, 40, dtype=np.uint64):
            show(np.frombuffer(bits.tobytes()[: t.itemsize], dtype=t)[0].reshape(()))
        for v in (1e-4, 1e3, 1e6, 1e8, 1e16):
            if v < np.finfo(t).max:
                for w in (np.nextafter(t.type(v), t.type(0)), t.type(v), np.nextafter(t.type(v), t.type(np.inf))):
                    show(np.array(w))
                    show(np.array([w, 1]))
        for e in range(np.finfo(t).minexp, np.finfo(t).maxexp, 1 if t.itemsize < 4 else 37):  # powers of two: uneven neighbours
            show(np.array(t.type(2) ** t.type(e)))
    parts = [0.0, -0.0, 1.0, -2.5, np.nan, np.inf, -np.inf, 1e-5, 1e6, 1e16]
    for re, im in itertools.product(parts, parts):
        for t in COMPLEX:
            show(np.array(complex(re, im)).astype(t))
    for t in INTS:
        for v in (0, 1, np.iinfo(t).min, np.iinfo(t).max):
            show(np.array(v, t))
    for v in (False, True):
        show(np.array(v))


def shapes():
    for t in ALL:
        for shape in [(0,), (1,), (3,), (0, 3), (3, 0), (1, 1), (2, 3), (2, 2, 2), (1, 2, 1, 2), (2, 0, 2), (1,) * 7, (30,), (2, 40)]:
            n = int(np.prod(shape))
            show((np.arange(n) % 7 - 3).astype(t).reshape(shape) if n else np.zeros(shape, t))
    show(np.zeros((1,) * 64))
    for n in range(10, 40):
        show(np.arange(n))
        show(np.arange(n) / 4)
    for n in range(1, 14):
        show(np.full(n, 1234567, np.int32))
        show(np.full(n, 1.25, np.float32))


def values():
    for t in FLOATS:
        v = np.array(SPECIAL)
        with np.errstate(over="ignore"):
            v = v.astype(t)
        show(v)
        show(v[np.isfinite(v)])
        for _ in range(30):
            show(rng.choice(v, rng.integers(1, 9)))
        for scale in (1e-6, 1e-3, 1, 100, 1e4, 1e9):
            with np.errstate(over="ignore"):
                show((rng.standard_normal(7) * scale).astype(t))
                show((rng.standard_normal((2, 5)) * scale).astype(t))
                show(np.round(rng.standard_normal(5) * scale, 2).astype(t))
        show(np.array([np.nan, np.nan], t))
        show(np.array([np.inf, -np.inf, np.nan], t))
        show(np.array([1, np.inf], t))
        show(np.array([1, 1000], t))
        show(np.array([1, 1001], t))
        show(np.array([0.001, 1.0009], t))
    for t in COMPLEX:
        for _ in range(30):
            show((rng.choice(SPECIAL[:20], 4) + 1j * rng.choice(SPECIAL[:20], 4)).astype(t))
        show((rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))).astype(t))
        show(np.array([complex(np.nan, 1), complex(-np.inf, np.nan), complex(1, -np.inf)], t))
    for t in INTS:
        i = np.iinfo(t)
        show(np.array([i.min, i.max], t))
        show(np.array([0, i.max // 2, 7], t))
        show(rng.integers(i.min, i.max, (3, 4), dtype=t, endpoint=True))
    show(rng.integers(0, 2, (3, 30)).astype(bool))
    show(np.array(SPECIAL[:20]).astype(bf16))
    show(rng.standard_normal((4, 11)).astype(bf16))
    show(np.array([0x7FC0, 0xFFC0, 0x0001, 0x7F7F, 0x3F81], np.uint16).view(bf16))
    show(np.array([0, 42], np.uint32), key=True)
    show(np.arange(12, dtype=np.uint32).reshape(2, 3, 2) * 300000000, key=True)
    show(np.zeros((0, 2), np.uint32), key=True)
    show(np.arange(1400, dtype=np.uint32).reshape(700, 2), key=True)


def summaries():
    for t in (np.dtype("i2"), np.dtype("f4"), np.dtype("?"), bf16, np.dtype("c8")):
        show(np.arange(1001).astype(t))
        show(np.arange(1000).astype(t))
    show(np.arange(1001) * 1000)
    show(np.arange(1200, dtype=np.int16).reshape(30, 40))
    show(np.arange(1200, dtype=np.int16).reshape(3, 400))
    show(np.arange(1200, dtype=np.uint16).reshape(400, 3))
    show(np.arange(1210, dtype=np.uint16).reshape(10, 11, 11))
    show(np.arange(10000, dtype=np.int16))
    a = np.arange(60, dtype=np.float32).reshape(3, 4, 5) / 3
    for edge in (0, 1, 2, 3):
        for threshold in (0, 10, 59, 60):
            show(a, edgeitems=edge, threshold=threshold)
            show(a[0], edgeitems=edge, threshold=threshold)
            show(a[0, 0], edgeitems=edge, threshold=threshold)
            show(a[:1, :1, :1], edgeitems=edge, threshold=threshold)
    big = np.array([1, 2, 3, 1e20, np.nan, 4, 5, 6.5])  # what is left out does not count
    show(big, threshold=5)
    show(big.astype("c16") * 1j, threshold=5)
    show(np.arange(8, dtype="i4") * 10**np.arange(8, dtype="i4"), threshold=5, edgeitems=1)
    show(np.array(7.0), threshold=0)
    show(np.zeros((0, 3)), threshold=-1)
    show(np.zeros(0), threshold=-1)
    for width in (10, 20, 30):
        show(np.arange(30), threshold=5, linewidth=width)


def options():
    arrays = [np.array([0.1, 1 / 3, -2.5, 1000.125]), np.array([1e-7, 1.5, 123456.789]), np.array([1.0, np.nan, np.inf]),
              np.array([1e-10, 1e10, -np.inf]), np.array([0.0, -0.0]), np.array([1 / 3, 2 / 3], np.float32), np.array(2 / 3),
              np.array([1 / 3, 100.5], np.float16), np.array([1 + 2j, -0.001 - 1j / 3]), np.array([5e-9, 6e-9, 4e-9, 1]), np.array([1e-12]),
              np.array([np.nan, np.nan]), np.array([-np.nan, -np.inf]), np.array([0.5, 1.5, 2.5, 0.05, 0.06]), np.array([1e300, 1e-300]),
              np.array([2.0**-44, 2.0**-60, 2.0**60]), np.array([9.5, 99.95, 999.995]), np.array([9.9999999999])]
    for a in arrays:
        for mode in ("fixed", "unique", "maxprec", "maxprec_equal"):
            for precision in (0, 1, 3, 8, 17, 40):
                show(a, floatmode=mode, precision=precision)
            show(a, floatmode=mode, suppress=True)
            show(a, floatmode=mode, suppress=True, precision=2)
            for sign in "+ ":
                show(a, floatmode=mode, sign=sign)
        show(a, nanstr="missing", infstr="endless")
        show(a, nanstr="N", infstr="I", sign="+")
        show(a, nanstr="N", infstr="unendlich", sign=" ")
    show(np.array([1.5, 2]), floatmode="fixed", precision=330)
    show(np.array([5e-324, 1]), floatmode="fixed", precision=1100)
    show(np.array([5e-324, 1]), floatmode="fixed", precision=1100, suppress=True)
    show(np.array([1.7976931348623157e308]), floatmode="fixed", precision=3)
    for a in (np.array([1, -2, 300]), np.array([1, 2, 300]), np.array([0, 255], np.uint8), np.array(5), np.array([-7, -8])):
        for sign in "+ ":
            show(a, sign=sign)
    for width in (1, 5, 12, 20, 21, 22, 23, 40, 74, 75, 76, 200):
        show(np.arange(24).reshape(2, 12), linewidth=width)
        show(np.arange(10) / 3, linewidth=width)
        show(np.arange(9).astype(np.int8).reshape(3, 3), linewidth=width)
        show(np.arange(5) + 1j, linewidth=width)
        show(np.zeros((0, 2), np.int8), linewidth=width)
        show(np.array([True, False]), linewidth=width)
    for n in range(18, 26):
        show(np.arange(n, dtype=np.int16))
        show(np.arange(n, dtype=np.uint8))


for part in (scalars, shapes, values, summaries, options):
    part()
sys.stdout.write("".join(line + "\n" for line in lines))
