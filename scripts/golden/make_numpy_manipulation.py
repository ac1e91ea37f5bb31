#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_manipulation.txt: calls of NumPy's routines that move elements, in the format of make_numpy.py.

usage: make_numpy_manipulation.py tests/golden
"""
import sys

import numpy as np
from make_numpy import Weak, call, values

I = lambda *v: np.array(v, "int64")
SOME = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64")


def flips(out):
    for d in SOME:
        call(out, "rot90", np.rot90, values(d, (2, 3), 1))
        call(out, "roll", np.roll, values(d, (2, 3), 1), Weak(2))
    x = np.arange(24, dtype="int16").reshape(2, 3, 4)
    shapes = [np.float64(1.5), np.zeros(0), np.arange(1.0), np.arange(5), x, np.zeros((2, 0, 3), "int8"), np.ones((1, 1))]
    for a in shapes:
        call(out, "fliplr", np.fliplr, a)
        call(out, "flipud", np.flipud, a)
        for f in ("atleast_1d", "atleast_2d", "atleast_3d"):
            call(out, f, getattr(np, f), a)
        call(out, "matrix_transpose", np.matrix_transpose, a)
        for s in (0, 1, -1, 7, -100):
            call(out, "roll", np.roll, a, Weak(s))
            call(out, "roll", np.roll, a, Weak(s), axis=0)
            call(out, "roll", np.roll, a, Weak(s), axis=-1)
        call(out, "unstack", np.unstack, a)
        call(out, "unstack", np.unstack, a, axis=-1)
    for k in (-5, -1, 0, 1, 2, 3, 4, 7):
        call(out, "rot90", np.rot90, x, k=k)
        call(out, "rot90", np.rot90, x, k=k, axes=(2, 1))
        call(out, "rot90", np.rot90, x, k=k, axes=(-1, 0))
    for axes in ((0, 0), (0, 3), (0, -3), (1,), (-4, 1), (0, 1, 2)):
        call(out, "rot90", np.rot90, x, axes=axes)
    call(out, "rot90", np.rot90, np.arange(3))
    call(out, "roll", np.roll, x, I(1, 2), axis=(0, 1))
    call(out, "roll", np.roll, x, I(1, 2), axis=1)
    call(out, "roll", np.roll, x, Weak(1), axis=(0, 2))
    call(out, "roll", np.roll, x, I(1, 2), axis=(1, 1))
    call(out, "roll", np.roll, x, I(1, 2, 3), axis=(1, 1))
    call(out, "roll", np.roll, x, I(1, 2).reshape(2, 1), axis=(1, 1))
    call(out, "roll", np.roll, x, Weak(1), axis=5)
    for a in (0, 1, 2, -1, 3, -4):
        for s in (0, 1, 2, 3, -1, -3, 4, -4):
            if s in (4, -4):
                continue
            call(out, "rollaxis", np.rollaxis, x, a, start=s)
    call(out, "unstack", np.unstack, x, axis=1)
    call(out, "unstack", np.unstack, x, axis=3)
    for shape in ((24,), (4, 6), (4, -1), (2, 3, 4), (3, 8), (5, 5)):
        for order in "CF":
            if shape == (5, 5) or -1 in shape and order == "F":
                continue
            call(out, "reshape", np.reshape, x, shape, order=order)
    for order in "CFAK":
        call(out, "ravel", np.ravel, x, order=order)
        call(out, "flatten", lambda a, order: a.flatten(order), x, order=order)
    call(out, "ravel", np.ravel, x, order="Z")


def joins(out):
    parts = [[np.zeros(2, "int8"), np.ones(3, "float32")], [np.zeros((2, 2)), np.ones((2, 1))], [np.arange(3), np.arange(3)],
             [np.float64(1), np.float64(2)], [np.zeros((2, 3, 1)), np.ones((2, 3, 2))], [np.arange(4)], [np.zeros((2, 3)), np.ones((2, 4))],
             [np.zeros((0, 3)), np.ones((2, 3))], [np.array([True]), np.array([2.5], "float16")]]
    for p in parts:
        for name in ("dstack", "column_stack", "vstack", "hstack"):
            call(out, name, lambda *a, f=getattr(np, name): f(list(a)), *p)
        call(out, "block", lambda *a: np.block(list(a)), *p)
        for d in ("float32", "int64"):
            for c in ("same_kind", "unsafe", "safe"):
                call(out, "concatenate", lambda *a, **o: np.concatenate(list(a), **o), *p, dtype=np.dtype(d), casting=c)
            call(out, "vstack", lambda *a, **o: np.vstack(list(a), **o), *p, dtype=np.dtype(d))
            call(out, "hstack", lambda *a, **o: np.hstack(list(a), **o), *p, dtype=np.dtype(d), casting="unsafe")
            call(out, "stack", lambda *a, **o: np.stack(list(a), **o), *p, dtype=np.dtype(d), casting="unsafe")
        if p[0].ndim:
            call(out, "concat", lambda *a, **o: np.concat(list(a), **o), *p, axis=-1)
        call(out, "broadcast_arrays", np.broadcast_arrays, *p)
    call(out, "broadcast_arrays", np.broadcast_arrays, np.zeros((2, 1)), np.arange(3), np.float32(1))
    call(out, "broadcast_arrays", np.broadcast_arrays, np.zeros((2, 1)), np.arange(3), np.zeros((4, 1)))
    call(out, "block", lambda a, b, c, d: np.block([[a, b], [c, d]]), np.ones((2, 2)), np.zeros((2, 1)), np.zeros((1, 2)), np.ones((1, 1)))
    call(out, "block", lambda a, b, c, d: np.block([[a, b], [c, d]]), np.arange(2), np.arange(3), np.arange(2), np.arange(3))
    call(out, "block", lambda a, b, c, d: np.block([[a, b], [c, d]]), np.float32(1), np.int8(2), np.int8(3), np.int8(4))


def splits(out):
    x = np.arange(24, dtype="int16").reshape(2, 3, 4)
    for a in (np.arange(9.0), x, np.zeros((4, 0)), np.zeros((6, 4, 2), "uint8")):
        for n in (Weak(1), Weak(2), Weak(3), Weak(0), Weak(-2), I(2), I(1, 3), I(3, 1), I(-1, 20), I(0, 0), I(5, 7, 8), I().astype("int64")):
            zero = isinstance(n, Weak) and n.value == 0  # NumPy divides by it
            for name in ("array_split",) if zero else ("array_split", "split"):
                f = getattr(np, name)
                call(out, name, f, a, n)
                call(out, name, f, a, n, axis=-1)
            for name in () if zero else ("hsplit", "vsplit", "dsplit"):
                call(out, name, getattr(np, name), a, n)
    for name in ("hsplit", "vsplit", "dsplit"):
        call(out, name, getattr(np, name), np.float64(1), Weak(1))


def edits(out):
    x = np.arange(12, dtype="int16").reshape(3, 4)
    for d in SOME:
        v = values(d, (3, 4), 2)
        call(out, "append", np.append, v, v)
        call(out, "delete", np.delete, v, Weak(1), axis=1)
        call(out, "insert", np.insert, v, Weak(1), Weak(1), axis=0)
        call(out, "resize", np.resize, v, (2, 7))
        call(out, "repeat", np.repeat, v, I(1, 0, 2), axis=0)
    for a, b, o in [(x, Weak(5), {}), (x, x, {"axis": 0}), (x, np.ones((3, 1)), {"axis": 1}), (x, np.ones(3), {"axis": 1}), (np.zeros(0), x, {}),
                    (np.float32(1), np.int8(2), {}), (x, np.ones((3, 1)), {"axis": 0}), (x, x, {"axis": 2})]:
        call(out, "append", np.append, a, b, **o)
    objects = [Weak(0), Weak(-1), Weak(2), Weak(3), Weak(-4), Weak(20), I(0, 2), I(1, 1), I(-1, 0), I(2), I(0, 7), I(-9, 1), np.array([], "int64"),
               np.array([True, False, True]), np.array([True, False, True, True]), np.array([[0, 1]])]
    for a in (x, np.arange(5.0)):
        for i in objects:
            for o in ({}, {"axis": 0}, {"axis": -1}):
                if getattr(i, "ndim", 1) == 2 or (isinstance(i, np.ndarray) and i.dtype == bool and len(i) == 3 and a.ndim == 1):
                    continue
                call(out, "delete", np.delete, a, i, **o)
    call(out, "delete", np.delete, x, Weak(1), axis=2)
    call(out, "delete", np.delete, x, np.array([1.5, 2.5]), axis=1)
    for a in (x, np.arange(5.0)):
        for i in (Weak(0), Weak(1), Weak(-1), Weak(3), I(1), I(0, 2), I(2, 0), I(1, 1), np.array([True, False, True])):
            for v in (Weak(7), np.float64(2.75)):
                for o in ({}, {"axis": 0}, {"axis": -1}):
                    call(out, "insert", np.insert, a, i, v, **o)
    call(out, "insert", np.insert, x, Weak(1), I(1, 2, 3), axis=1)
    call(out, "insert", np.insert, x, I(1), I(1, 2, 3).reshape(3, 1), axis=1)
    call(out, "insert", np.insert, x, I(1, 3), I(10, 20), axis=1)
    call(out, "insert", np.insert, x, Weak(1), I(1, 2, 3, 4), axis=0)
    call(out, "insert", np.insert, x, Weak(1), I(1, 2, 3, 4, 5), axis=0)
    call(out, "insert", np.insert, x, I(1), x, axis=0)
    call(out, "insert", np.insert, np.arange(4), Weak(2), I(7, 8, 9))
    call(out, "insert", np.insert, np.arange(4), I(2, 2), I(7, 8))
    call(out, "insert", np.insert, np.arange(4), I(2, 2), I(7, 8, 9))
    call(out, "insert", np.insert, np.arange(4), Weak(9), Weak(1))
    call(out, "insert", np.insert, np.arange(4), Weak(-9), Weak(1))
    call(out, "insert", np.insert, np.arange(4), np.array([[1, 2]]), Weak(1))
    call(out, "insert", np.insert, np.arange(4), np.array([], "int64"), Weak(1))
    for s in ((5,), (2, 2), (30,), (0,), (), (3, 0), (-1, 2)):
        call(out, "resize", np.resize, x, s)
        call(out, "resize", np.resize, np.zeros(0), s)
    for r, o in [(I(1, 2, 3), {"axis": 0}), (I(2), {}), (I(1, 2), {"axis": 0}), (I(0, 0, 0), {"axis": 0}), (I(1, -1, 2), {"axis": 0}),
                 (np.array([1.5]), {}), (np.array([True, False, True]), {"axis": 0}), (np.ones((2, 2), "int64"), {}), (I(1, 2, 3), {"axis": 3}),
                 (np.arange(12), {})]:
        call(out, "repeat", np.repeat, x, r, **o)
    zeros = [np.array([0, 0, 1, 2, 0, 3, 0]), np.zeros(4), np.zeros(0), np.array([1.0]), np.array([[0, 0, 0], [0, 1, 0], [0, 2, 3]]), np.array([0, -0.0, np.nan, 0])]
    for z in zeros:
        for o in ({}, {"trim": "f"}, {"trim": "b"}, {"trim": "FB"}, {"trim": "bf"}, {"trim": "x"}, {"axis": 0}, {"axis": -1}, {"axis": 4}):
            if o == {"axis": 4}:
                continue
            call(out, "trim_zeros", np.trim_zeros, z, **o)


def pads(out):
    x = values("int16", (2, 3), 4)
    widths = [Weak(1), I(1, 2), np.array([[1, 0], [2, 3]]), Weak(0), Weak(7)]
    modes = "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap".split()
    for m in modes:
        for w in widths:
            call(out, "pad", np.pad, x, w, mode=m)
        for d in ("int8", "uint8", "int64", "float16", "float32", "float64", "complex64", "bool"):
            if d == "bool" and m in ("linear_ramp", "mean", "median") or d == "complex64" and m in ("median", "linear_ramp", "maximum", "minimum"):
                continue
            call(out, "pad", np.pad, values(d, (3, 4), 5), np.array([[1, 2], [3, 1]]), mode=m)
        for s in ((1,), (2,), (5,), (1, 3), (2, 2, 2)):
            call(out, "pad", np.pad, values("float64", s, 6), I(3, 5), mode=m)
        call(out, "pad", np.pad, np.zeros((0, 2)), Weak(1), mode=m)
        call(out, "pad", np.pad, np.zeros((0, 2)), np.array([[0, 0], [1, 2]]), mode=m)
        call(out, "pad", np.pad, np.float32(2), Weak(1), mode=m)
    for m in ("reflect", "symmetric"):
        for w in (Weak(2), I(9, 4)):
            call(out, "pad", np.pad, values("float32", (4,), 7), w, mode=m, reflect_type="odd")
            call(out, "pad", np.pad, values("int8", (2, 3), 7), w, mode=m, reflect_type="odd")
            call(out, "pad", np.pad, values("uint8", (2, 3), 7), w, mode=m, reflect_type="even")
    for m in ("maximum", "mean", "median", "minimum"):
        for s in (Weak(1), Weak(2), I(1, 2), np.array([[1, 2], [2, 1]]), Weak(9), Weak(0)):
            if m in ("mean", "median") and isinstance(s, Weak) and s.value == 0:
                continue
            call(out, "pad", np.pad, x, Weak(2), mode=m, stat_length=s)
    for v in (Weak(3), np.array([1.5, 2.5]), np.array([[1, 2], [3, 4]]), np.array([[1], [2]])):
        for d in ("int16", "float32"):
            call(out, "pad", np.pad, values(d, (2, 3), 1), I(2, 1), constant_values=v)
            call(out, "pad", np.pad, values(d, (2, 3), 1), I(2, 1), mode="linear_ramp", end_values=v)
    call(out, "pad", np.pad, x, Weak(1), mode="bad")
    call(out, "pad", np.pad, x, Weak(-1))
    call(out, "pad", np.pad, x, np.array(1.5))
    call(out, "pad", np.pad, x, I(1, 2, 3))
    call(out, "pad", np.pad, x, np.ones((3, 2), "int64"))
    call(out, "pad", np.pad, x, Weak(1), mode="edge", reflect_type="odd")
    call(out, "pad", np.pad, np.array([1.0, np.nan, 3, 2]), Weak(2), mode="median")


def uniques(out):
    cases = [values(d, s, 8) for d in SOME for s in ((6,), (2, 3), (0,), (), (1,))]
    cases += [np.array([np.nan, 1, np.nan, -0.0, 0.0, np.inf]), np.array([3, 3, 3]), np.array([1 + 1j, 1, np.nan, 1, np.nan]),
              np.array([2**62 + 1, 2**62, 2**62 + 1])]
    for x in cases:
        call(out, "unique", np.unique, x)
        for f in ("unique_all", "unique_counts", "unique_inverse"):
            call(out, f, lambda a, f=f: tuple(getattr(np, f)(a)), x)
        call(out, "unique_values", lambda a: np.sort(np.unique_values(a)), x)
        call(out, "unique", lambda a: np.unique(a, return_index=True, return_inverse=True, return_counts=True), x)
        if x.dtype.kind in "fc" and x.ndim == 1 and x.dtype != "float16":
            call(out, "unique", np.unique, x, equal_nan=False)
    m = np.array([[1, 2, 1], [0, 5, 0], [1, 2, 1], [0, 5, 0], [1, 2, 0]], "int16")
    for x in (m, m.astype("float32"), m.reshape(5, 3, 1), np.zeros((0, 3)), np.zeros((3, 0)), np.array([[np.nan, 1], [np.nan, 1], [0, 1]])):
        for axis in (0, 1, -1):
            call(out, "unique", np.unique, x, axis=axis)
            call(out, "unique", lambda a, axis: np.unique(a, return_index=True, return_inverse=True, return_counts=True, axis=axis), x, axis=axis)
        call(out, "unique", np.unique, x, axis=5)


def diagonals(out):
    for x in (np.arange(12, dtype="int16").reshape(3, 4), np.arange(24.0).reshape(2, 3, 4), np.zeros((0, 3)), np.arange(3), np.ones((2, 2), "bool"),
              values("complex64", (3, 3), 3), values("uint8", (3, 3), 3), values("float16", (3, 3), 3)):
        for k in (0, 1, -1, 2, -3, 9, -9):
            call(out, "diagonal", np.diagonal, x, offset=k)
            call(out, "trace", np.trace, x, offset=k)
        call(out, "diagonal", np.diagonal, x, axis1=1, axis2=0)
        call(out, "diagonal", np.diagonal, x, axis1=0, axis2=0)
        call(out, "diagonal", np.diagonal, x, axis1=-1, axis2=0, offset=1)
        call(out, "diagonal", np.diagonal, x, axis1=5, axis2=0)
        call(out, "trace", np.trace, x, axis1=-1, axis2=0, offset=1)
        call(out, "trace", np.trace, x, dtype=np.dtype("float32"))


def sets(out):
    pairs = [(I(3, 1, 2, 3), I(2, 3, 5)), (I(), I(1)), (values("float32", (2, 3), 1), values("int8", (4,), 2)), (np.array([1.0, np.nan, 2]), np.array([np.nan, 2])),
             (np.array([True, False]), np.array([True])), (np.float64(1), I(1, 2)), (I(5), I(6)), (values("uint8", (5,), 3), values("uint8", (5,), 3))]
    for a, b in pairs:
        call(out, "union1d", np.union1d, a, b)
        call(out, "intersect1d", np.intersect1d, a, b)
        call(out, "intersect1d", lambda a, b: np.intersect1d(a, b, return_indices=True), a, b)
        call(out, "setdiff1d", np.setdiff1d, a, b)
        call(out, "setdiff1d", np.setdiff1d, a, b, assume_unique=True)
        call(out, "setxor1d", np.setxor1d, a, b)
        call(out, "isin", np.isin, a, b)
        call(out, "isin", np.isin, a, b, invert=True)


def main():
    with open(f"{sys.argv[1]}/numpy_manipulation.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_manipulation.py\n")
        for chapter in (flips, joins, splits, edits, pads, uniques, diagonals, sets):
            chapter(out)


main()
