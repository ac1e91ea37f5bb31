#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_corners.txt: calls of NumPy's functions at the corners of what they take (arrays of no axes and of no
elements, every mode, dtypes that results are asked for in), in the format of make_numpy.py.

usage: make_numpy_corners.py tests/golden
"""
import io
import itertools
import sys
import warnings

import numpy as np
from make_numpy import ALL, Weak, call, values

warnings.simplefilter("ignore")
I = lambda *v: np.array(v, "int64")
SOME = ("bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex64")
SHAPES = [(), (1,), (0,), (3,), (2, 3), (3, 1), (0, 2), (2, 0)]


def pads(out):
    modes = "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty".split()
    for m, d, s in itertools.product(modes, SOME, SHAPES):
        if m == "empty" or (d == "complex64" and m in ("median",)):
            continue
        for w in (Weak(0), Weak(2), I(0, 3), I(5, 1)):
            call(out, "pad", np.pad, values(d, s, 3), w, mode=m)
    for m, d, s in itertools.product(("reflect", "symmetric"), SOME, SHAPES):
        for w in (Weak(1), I(0, 2), I(7, 3)):
            call(out, "pad", np.pad, values(d, s, 3), w, mode=m, reflect_type="odd")
    ends = [Weak(2.5), Weak(-3), Weak(True), np.float32(1.75), np.array([2.5, -1.5]), I(4, 9)]
    for d, v, s in itertools.product(SOME, ends, ((3,), (1,), (2, 2), ())):
        if d == "bool":
            continue
        call(out, "pad", np.pad, values(d, s, 4), Weak(3), mode="linear_ramp", end_values=v)
        call(out, "pad", np.pad, values(d, s, 4), I(0, 4), mode="linear_ramp", end_values=v)
    for d, v in itertools.product(SOME, ends):
        call(out, "pad", np.pad, values(d, (2, 2), 4), Weak(1), constant_values=v)


def written(f):
    """What f leaves in a copy of its first argument."""
    def g(a, *args, **options):
        a = a.copy()
        f(a, *args, **options)
        return a
    return g


def puts(out):
    bases = [np.array(9.0), np.zeros(4), np.zeros((2, 3), "int16"), np.zeros(0), np.zeros((1, 1), "complex64"), np.array(7, "int8")]
    indices = [Weak(0), I(0, 0), I(0), I(-1), I(1, 0), I(0, 1, 0), I(5), np.zeros(0, "int64"), np.array([[0, 1]])]
    vals = [Weak(3), np.array([1.0, 2.0]), np.array([1, 2, 3], "int8"), np.zeros(0), np.array([[5], [6]], "uint8")]
    for a, i, v, m in itertools.product(bases, indices, vals, (None, "wrap", "clip")):
        call(out, "put", written(np.put), a, i, v, **({"mode": m} if m else {}))
    for a, i, v in itertools.product(bases, indices, vals + [np.array([1.0, 2.0, 3.0]), np.array(4.0)]):
        if isinstance(i, Weak):
            continue
        call(out, "put_along_axis", written(np.put_along_axis), a, i, v, axis=None)
        if np.all((i >= -len(np.atleast_1d(a))) & (i < len(np.atleast_1d(a)))):  # else two errors, in another order
            call(out, "put_along_axis", written(np.put_along_axis), a, i, v, axis=0)
    b = np.arange(6.0).reshape(2, 3)
    for i, v, x in itertools.product((I(0).reshape(1, 1), I(0, 1).reshape(2, 1), I(1, 0, 1).reshape(1, 3), np.array([[0, 2, 1], [1, 0, 0]])),
                                     (Weak(7), np.array([7.0, 8.0]), np.array([7.0, 8, 9]), np.array([[1.0], [2.0]]), np.ones((2, 3)) * 5),
                                     (0, 1, -1, 2, -3)):
        if not (x in (0, -3, -2) and np.max(i) > 1):  # else two errors, in another order
            call(out, "put_along_axis", written(np.put_along_axis), b, i, v, axis=x)
    masks = [np.array(True), np.array([True, False, True, False]), np.zeros(0, bool), np.ones((2, 3), bool), np.ones((1, 1), bool)]
    for a, m, v in itertools.product(bases, masks, vals):
        call(out, "putmask", written(np.putmask), a, m, v)
        line = io.StringIO()
        call(line, "place", written(np.place), a, m, v)
        out.write("place_mask" + line.getvalue().removeprefix("place"))  # its name here


def axes_of_scalars(out):
    """Functions with an axis, of arrays without one."""
    plain = ("sum prod max min any all argmax argmin mean var std cumsum cumprod median ptp nansum nanprod nanmax nanmin nanmean nanvar "
             "nanstd nanmedian nancumsum nancumprod nanargmax nanargmin count_nonzero flip sort argsort squeeze expand_dims "
             "cumulative_sum cumulative_prod").split()
    for f, d, x in itertools.product(plain, ("bool", "int32", "float32", "complex64"), (0, -1, 1, -2, ())):
        if x == () and f in ("expand_dims", "squeeze"):
            continue
        if d == "complex64" and f in ("nanmedian", "median", "ptp"):
            continue
        if x == () and f in "argmax argmin cumsum cumprod nancumsum nancumprod nanargmax nanargmin sort argsort cumulative_sum cumulative_prod".split():
            continue
        call(out, f, getattr(np, f), values(d, (), 5), axis=x)
    for f in ("nansum", "nanmax", "nanmean", "nanargmax", "nanmedian", "nancumsum", "nanvar", "nanprod"):
        for x in (0, -1, 1):
            call(out, f, getattr(np, f), np.array(np.nan), axis=x)
    for x in (0, -1, 1, -2):
        call(out, "repeat", np.repeat, np.float32(2), Weak(3), axis=x)
        call(out, "repeat", np.repeat, np.float32(2), I(3), axis=x)
        call(out, "take", np.take, np.float32(2), I(0, 0), axis=x)
        call(out, "append", np.append, np.float32(2), np.float32(3), axis=x)
        call(out, "roll", np.roll, np.float32(2), Weak(1), axis=x)
        call(out, "diff", np.diff, np.float32(2), axis=x)
        call(out, "compress", lambda a, c, axis: np.compress(c, a, axis), np.float32(2), np.array([True]), axis=x)
        call(out, "delete", np.delete, np.float32(2), Weak(0), axis=x)
        call(out, "insert", np.insert, np.float32(2), Weak(0), Weak(1), axis=x)
    for s in ((), (1,), (0,), (0, 3), (3, 0)):
        for k in (0, 1, -1, 2, 5):
            call(out, "partition", lambda a, k, axis: np.sort(np.partition(a, k, axis=axis), axis=axis), values("float64", s, 5), Weak(k), axis=-1)
            call(out, "argpartition", lambda a, k, axis: np.argpartition(a, k, axis=axis), values("float64", s, 5), Weak(k), axis=-1)
            if s:
                call(out, "partition", lambda a, k, axis: np.sort(np.partition(a, k, axis=axis), axis=axis), values("float64", s, 5), Weak(k), axis=0)
    for f in ("sort", "argsort", "argmax", "max", "sum", "cumsum", "median", "mean", "any", "ptp", "nanmax", "nanmean", "nanmedian", "flip"):
        for s, x in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1), ((3, 0), 0)):
            call(out, f, getattr(np, f), np.zeros(s, "float32"), axis=x)


def dtypes(out):
    """var, std, mean and sums in a dtype that is asked for."""
    for f, d, r in itertools.product(("var", "std", "mean", "nanvar", "nanstd", "nanmean"), SOME,
                                     ("int8", "int64", "float16", "float32", "float64", "complex64", "complex128")):
        if d == "complex64" and np.dtype(r).kind != "c":
            continue  # the imaginary parts go, with a warning
        if d == "complex64" and r == "complex128" and "nan" in f:
            continue  # products in float32 on the way
        call(out, f, getattr(np, f), values(d, (4,), 6), dtype=np.dtype(r))
        call(out, f, getattr(np, f), values(d, (2, 3), 6), dtype=np.dtype(r), axis=1)
    for d, n in itertools.product(ALL, (0, 1, 3)):
        for s in ((3,), (2, 3), (1,), (0,)):
            call(out, "diff", np.diff, values(d, s, 2), n=n)
            call(out, "diff", np.diff, values(d, s, 2), n=n, prepend=Weak(1), append=Weak(True))
    call(out, "diff", np.diff, np.arange(3), n=-1)
    call(out, "diff", np.diff, np.float64(1), n=0)


def casts(out):
    """x += y and its kin of arrays of one element and of more: the casting is 'same_kind' for all."""
    names = {"iadd": np.add, "isub": np.subtract, "imul": np.multiply, "idiv": np.divide, "ipow": np.power, "ifloordiv": np.floor_divide,
             "imod": np.remainder, "iand": np.bitwise_and, "ilshift": np.left_shift}
    for (name, f), d, e in itertools.product(names.items(), ("bool", "int8", "int64", "float32"), ("bool", "uint8", "int64", "float32", "float64", "complex64")):
        for s, t in (((), ()), ((1,), ()), ((1,), (1,)), ((3,), ()), ((2,), (1,))):
            def g(a, b, f=f):
                a = a.copy()
                f(a, b, out=a)
                return a
            call(out, name, g, values(d, s, 3, positive=True), values(e, t, 4, positive=True))


def accumulates(out):
    for d in ("int16", "float32"):
        for s in ((), (0,), (3,), (2, 3), (2, 0), (0, 2)):
            for f in ("add", "multiply", "maximum", "subtract"):
                u = getattr(np, f)
                for o in ({}, {"axis": -1}):
                    call(out, "ufunc_accumulate", lambda a, f, u=u, **o: u.accumulate(a, **o), values(d, s, 7), f=f, **o)
                    call(out, "ufunc_reduce", lambda a, f, u=u, **o: u.reduce(a, **o), values(d, s, 7), f=f, **o)


def main(folder):
    with open(f"{folder}/numpy_corners.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy_corners.py\n")
        for part in (pads, puts, axes_of_scalars, dtypes, casts, accumulates):
            part(out)


if __name__ == "__main__":
    main(sys.argv[1])
