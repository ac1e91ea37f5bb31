#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_*.txt: what NumPy 2 gives for calls of its functions, as bits.

usage: make_numpy.py tests/golden

One call a line: the function, its arguments, "->", the result. An array is DTYPE[SHAPE]:BYTES in hexadecimal (float32[2,1]:0000803f...), a
number that is weak as a Python number is w:KIND:VALUE, an option NAME=VALUE, a list of integers i:1,2, an index "quoted". A result is an
array, "list" with arrays, or the kind of an error and its text.
"""
import random
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")
rnd = random.Random(20240)
INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
ALL = ["bool"] + INTS + FLOATS + COMPLEX
KINDS = {np.exceptions.AxisError: "AxisError", ValueError: "ValueError", TypeError: "TypeError", IndexError: "IndexError",
         OverflowError: "OverflowError"}


class Weak:
    """A C number: Python's own."""

    def __init__(self, value):
        self.value = value


def show(x):
    if isinstance(x, Weak):
        v = x.value
        if isinstance(v, bool):
            return f"w:bool:{int(v)}"
        if isinstance(v, int):
            return f"w:int:{v}"
        return f"w:complex:{v.real!r},{v.imag!r}" if isinstance(v, complex) else f"w:float:{v!r}"
    if isinstance(x, str):
        return f'"{x}"'
    if isinstance(x, (tuple, list)):
        return "i:" + ",".join(str(int(v)) for v in x)
    if isinstance(x, int) and not isinstance(x, bool):
        return f"i:{x}"
    a = np.asarray(x)
    return f"{a.dtype.name}[{','.join(map(str, a.shape))}]:{a.tobytes().hex()}"


def option(name, value):
    if value is None:
        return f"{name}=none"
    if isinstance(value, (tuple, list)):
        return f"{name}={','.join(map(str, value))};"
    if isinstance(value, bool):
        return f"{name}={int(value)}"
    if isinstance(value, (np.ndarray, np.generic, Weak)):
        return f"{name}={show(value)}"
    return f"{name}={value}" if not isinstance(value, np.dtype) else f"{name}={value.name}"


def reworded(name, text):
    """The texts where Kiln's differ on purpose."""
    text = text.strip().replace("Python integer", "integer")
    return text.removeprefix(name + ": ")


def call(out, name, function, *args, **options):
    given = [a.value if isinstance(a, Weak) else a for a in args]
    try:
        result = function(*given, **{k: v.value if isinstance(v, Weak) else v for k, v in options.items()})
        if isinstance(result, (list, tuple)):
            text = "list " + " ".join(show(r) for r in result)
        else:
            text = show(result)
    except tuple(KINDS) as e:
        kind = next(k for t, k in KINDS.items() if isinstance(e, t))
        text = f"{kind} {reworded(name, str(e))}"
        if "Python int too large" in text:  # NumPy's own text where the value fits no int64 at all
            value = next((a.value for a in args if isinstance(a, Weak)), None)
            if value is not None:
                text = f"{kind} integer {value} out of bounds for {next(a for a in args if not isinstance(a, Weak)).dtype}"
    words = [name] + [show(a) for a in args] + [option(k, v) for k, v in options.items()]
    out.write(" ".join(words) + " -> " + text + "\n")


def values(dtype, shape, seed=0, positive=False):
    """Small numbers of a dtype; sums of them are exact."""
    r = random.Random(seed * 7919 + len(shape))
    n = int(np.prod(shape, dtype=int))
    kind = np.dtype(dtype).kind
    low = 1 if positive else 0 if kind in "ub" else -4
    v = [r.randint(low, 1 if kind == "b" else 9) for _ in range(n)]
    if kind == "c":
        v = [complex(x, r.randint(-3, 3)) for x in v]
    return np.array(v, dtype).reshape(shape)


EDGES = {"f": [0.0, -0.0, 1.5, -2.25, float("inf"), float("-inf"), float("nan"), 3.0], "b": [False, True],
         "c": [0, 1 + 2j, -3 + 0.5j, complex(2, -1)]}


def edges(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 7, info.max, info.min, info.max - 1], dtype)
    return np.array(EDGES[dtype.kind], dtype)


def elementwise(out):
    exact = {"negative": np.negative, "positive": np.positive, "absolute": np.absolute, "sign": np.sign, "square": np.square,
             "real": np.real, "imag": np.imag, "conjugate": np.conjugate, "isnan": np.isnan, "isinf": np.isinf,
             "isfinite": np.isfinite, "logical_not": np.logical_not, "bitwise_not": np.invert}
    for name, f in exact.items():
        for d in ALL:
            if d[0] == "c" and name in ("absolute", "sign", "square"):
                continue
            if name == "bitwise_not" and d[0] in "fc":
                continue
            if name in ("negative", "positive", "sign") and d == "bool":
                continue
            call(out, name, f, edges(d))
        call(out, name, f, values("int16", ()))
        call(out, name, f, values("float32", (0, 2)) if name != "bitwise_not" else values("int8", (0, 2)))
    for d in INTS + FLOATS:
        call(out, "reciprocal", np.reciprocal, values(d, (4,), 3, positive=True))
    for name in "sqrt exp log sin cos tanh".split():
        for d in ["bool"] + INTS + FLOATS:
            call(out, name, getattr(np, name), values(d, (3,), 5, positive=True) if d != "bool" else np.array([True, True]))
        call(out, name, getattr(np, name), np.array(2.5))
        call(out, name, getattr(np, name), values("float32", (2, 0, 1)))
        call(out, name, getattr(np, name), Weak(2))
        call(out, name, getattr(np, name), edges("float64"))
    names = """add subtract multiply divide power maximum minimum equal not_equal less less_equal greater greater_equal logical_and
               logical_or logical_xor bitwise_and bitwise_or bitwise_xor""".split()
    for name in names:
        f = getattr(np, name)
        pairs = [(a, b) for a in ALL for b in ALL]
        if name not in ("add", "less"):
            pairs = rnd.sample(pairs, 40)
        for a, b in pairs:
            bits = name.startswith("bitwise")
            if bits and (a[0] in "fc" or b[0] in "fc" or "float" in np.promote_types(a, b).name):
                continue
            if name in ("subtract", "power") and a == b == "bool":
                continue
            if name == "power":
                if a[0] == "c" or b[0] == "c":
                    continue
                call(out, name, f, values(a, (3,), 1, positive=True), values(b, (3,), 2, positive=True))
                continue
            x, y = edges(a), edges(b)
            n = min(len(x), len(y))
            if name == "divide":
                x, y = values(a, (4,), 1), values(b, (4,), 2, positive=True)
                n = 4
            if name in ("maximum", "minimum"):
                x, y = values(a, (4,), 1), values(b, (4,), 2)
                n = 4
            call(out, name, f, x[:n], y[:n][::-1].copy())
        for d in ALL:
            for w in (2, -1, 300, True, 1.5, 2**63, 1 + 2j):
                if name == "power" and (d[0] == "c" or isinstance(w, complex) or w in (300, 2**63, True) or (w == -1 and d == "bool")):
                    continue
                if name.startswith("bitwise") and (isinstance(w, (float, complex)) or d[0] in "fc" or w == 2**63):
                    continue
                if name == "subtract" and d == "bool" and w is True:
                    continue
                if w == 2**63 and (d in ("bool", "float16") or name == "divide" or name.startswith("logical") or d[0] == "c"):
                    continue
                x = values(d, (3,), 4, positive=True)
                call(out, name, f, x, Weak(w))
                if name not in ("power",) and rnd.random() < 0.3:
                    call(out, name, f, Weak(w), x)
    for s, t in [((3, 4), (3,)), ((2, 1), (3,)), ((2, 3), ()), ((0,), (1,)), ((0,), (3,)), ((1,), (1, 1)), ((4, 1, 3), (2, 1)), ((), ())]:
        call(out, "add", np.add, values("float32", s, 1), values("float32", t, 2))
        call(out, "where", np.where, values("bool", s, 1), values("int16", t, 2), Weak(2.5))
    call(out, "subtract", np.subtract, np.array([True]), np.array([False]))
    call(out, "power", np.power, np.array([2, 3]), np.array([1, -1]))
    call(out, "power", np.power, np.array([2, 3]), Weak(-1))
    call(out, "power", np.power, np.array([3, -7, 2], "int64"), np.array([40, 41, 63]))
    call(out, "clip", np.clip, np.arange(6.0), Weak(1), np.array([2.0, 3, 4, 0, 9, 9]))
    call(out, "clip", np.clip, np.arange(6, dtype="uint8"), Weak(1), Weak(3))
    call(out, "clip", np.clip, np.arange(3, dtype="uint8"), Weak(-1), Weak(3))
    for a, b in [([1.0, 2, np.inf, np.nan], [1.00001, 2.1, np.inf, np.nan]), ([1, 2], [1.0, 2.00000001]), ([0.0], [1e-9])]:
        call(out, "isclose", np.isclose, np.array(a), np.array(b))
        call(out, "isclose", np.isclose, np.array(a), np.array(b), equal_nan=True)
        call(out, "isclose", np.isclose, np.array(a), np.array(b), rtol=0.0, atol=0.0)
    call(out, "isclose", np.isclose, np.array([1, 2], "float32"), Weak(1))


def reductions(out):
    shapes = [(), (1,), (0,), (5,), (2, 3), (3, 1, 2), (2, 0, 3)]
    for name in "sum mean var std max min ptp any all argmax argmin count_nonzero".split():
        f = getattr(np, name)
        for d in ALL:
            if d[0] == "c" and name in ("max", "min", "ptp") or (d == "bool" and name == "ptp"):
                continue
            for s in shapes if d in ("bool", "int8", "uint16", "float16", "float32", "complex128") else [(5,), (2, 3)]:
                x = values(d, s, 1)
                options = [{}] + [{"axis": a} for a in ([0, -1] if s else [0])]
                if len(s) > 1 and not name.startswith("arg"):
                    options += [{"axis": (0, 1)}, {"axis": ()}, {"axis": (0, 1), "keepdims": True}, {"axis": (0, 0)}]
                options += [{"axis": None, "keepdims": True}, {"axis": 7}] if d == "float32" else []
                for o in options:
                    if name == "var" and d[0] in "fc" and 0 in s:
                        continue
                    if o == {"axis": ()} and name == "ptp" or (name.startswith("arg") and s == () and o.get("axis") == 0):
                        continue
                    if name == "count_nonzero" and (s == () or 0 in o.get("axis", ()) if isinstance(o.get("axis"), tuple) else s == ()):
                        continue
                    if name in ("max", "min") and o == {"axis": ()} and 0 in s:
                        continue
                    call(out, name, f, x, **o)
        if name in ("max", "min"):
            x = values("float64", (2, 3), 3)
            call(out, name, f, x, where=np.array([True, False, True]))
            call(out, name, f, x, axis=1, where=np.array([True, False, True]), initial=np.float64(1.0))
            call(out, name, f, np.zeros((0, 3)), axis=0, initial=np.float64(-2.0))
            call(out, name, f, np.array([1.0, np.nan, 3]))
            call(out, name, f, np.zeros((0, 3)), axis=1)
        if name in ("argmax", "argmin"):
            call(out, name, f, np.array([1.0, np.nan, 3, np.nan]))
            call(out, name, f, np.array([2, 5, 5, 2, 2]))
    x = values("int32", (2, 3), 3)
    call(out, "sum", np.sum, x, initial=np.int64(10))
    call(out, "sum", np.sum, x, axis=0, where=np.array([[True], [False]]))
    call(out, "sum", np.sum, x, dtype=np.dtype("float32"))
    call(out, "sum", np.sum, x, dtype=np.dtype("int8"))
    call(out, "sum", np.sum, np.array([-0.0, -0.0]))
    call(out, "mean", np.mean, values("float32", (2, 3), 3), where=np.array([True, False, True]))
    call(out, "mean", np.mean, values("float32", (2, 3), 3), dtype=np.dtype("float64"))
    call(out, "var", np.var, values("float64", (4,), 3), ddof=1)
    call(out, "std", np.std, values("float64", (2, 4), 3), axis=1, ddof=2)
    call(out, "any", np.any, values("int8", (2, 3), 3), axis=0, where=np.array([True, False, True]))


def shapes(out):
    x = np.arange(24, dtype="int16").reshape(2, 3, 4)
    for s in [(24,), (4, -1), (-1,), (5, -1), (2, -1, -1), (0, -1), (3, 8), (3, 7), (1, 24, 1)]:
        try:
            np.reshape(x, s)
        except ValueError as e:
            if "reshape array" in str(e):  # NumPy shows -1 as newaxis; Kiln shows the shape as it was given
                shape = "(" + ",".join(map(str, s)) + (",)" if len(s) == 1 else ")")
                out.write(f"reshape {show(x)} {show(s)} -> ValueError cannot reshape array of size 24 into shape {shape}\n")
                continue
        call(out, "reshape", np.reshape, x, s)
    call(out, "reshape", np.reshape, np.zeros((0, 3)), (3, 0))
    call(out, "reshape", np.reshape, np.float32(2), (1, 1))
    call(out, "ravel", np.ravel, x)
    for o in ({}, {"axes": (1, 0, 2)}, {"axes": (-1, 0, 1)}, {"axes": (0, 1)}, {"axes": (0, 0, 1)}, {"axes": (0, 1, 3)}):
        call(out, "transpose", np.transpose, x, **o)
    call(out, "transpose", np.transpose, np.float64(1))
    for a, b in [(0, 1), (-1, 0), (1, 1), (0, 3)]:
        call(out, "swapaxes", np.swapaxes, x, a, b)
        if b < 3:
            call(out, "moveaxis", np.moveaxis, x, (a,), (b,))
    call(out, "moveaxis", np.moveaxis, x, (0, 1), (-1, 0))
    call(out, "moveaxis", np.moveaxis, x, (0, 0), (1, 2))
    for a in [(0,), (-1,), (0, -1), (1, 2), (9,), (0, 0)]:
        call(out, "expand_dims", np.expand_dims, x, a)
    y = x.reshape(1, 6, 1, 4)
    for o in ({}, {"axis": 0}, {"axis": (0, 2)}, {"axis": 1}, {"axis": 4}):
        call(out, "squeeze", np.squeeze, y, **o)
    call(out, "broadcast_to", np.broadcast_to, np.arange(3), (2, 3))
    call(out, "broadcast_to", np.broadcast_to, np.arange(3), (3, 2))
    call(out, "broadcast_to", np.broadcast_to, np.float64(1), (2, 0))
    for o in ({}, {"axis": 0}, {"axis": (0, 2)}, {"axis": -4}):
        call(out, "flip", np.flip, x, **o)
    joins = [[np.zeros(2, "int8"), np.ones(3, "float32")], [np.zeros((2, 2)), np.ones((2, 1))], [np.zeros((2, 2)), np.ones(2)],
             [np.arange(3), np.arange(3)], [np.float64(1), np.float64(2)], [np.zeros((2, 3)), np.ones((2, 4))]]
    for parts in joins:
        for o in ({}, {"axis": 1}, {"axis": None}, {"axis": -1}):
            for name in ("concatenate", "stack") if o.get("axis", 0) is not None else ("concatenate",):
                f = getattr(np, name)
                call(out, name, lambda *p, f=f, **k: f(list(p), **k), *parts, **o)
        for name in ("vstack", "hstack"):
            call(out, name, lambda *p, f=getattr(np, name), **k: f(list(p), **k), *parts)
    for n in (1, 3, 5):
        call(out, "array_split", np.array_split, np.arange(7), n)
        call(out, "split", np.split, np.arange(6), n)
    call(out, "array_split", np.array_split, x, 3, axis=2)
    for r in [(2,), (2, 1), (2, 2, 1, 1), (0,), ()]:
        call(out, "tile", np.tile, x[0, :2, :2], r)
    for r, o in [(2, {}), (3, {"axis": 0}), (0, {"axis": 1}), (2, {"axis": -1})]:
        call(out, "repeat", np.repeat, x, r, **o)
    for a, b, c in [(0, 6, 1), (2, 20, 3), (5, 0, -2), (0, 0, 1), (1, 1.3, 0.1), (0, 1, 0.25), (-1.0, 1, 0.3), (3, 1, 1)]:
        call(out, "arange", np.arange, Weak(a), Weak(b), Weak(c))
        for d in ("float32", "int8", "float16"):
            if d == "int8" and any(isinstance(v, float) for v in (a, b, c)):
                continue
            call(out, "arange", np.arange, Weak(a), Weak(b), Weak(c), dtype=np.dtype(d))
    for a, b, n in [(0, 1, 5), (-3, 3, 7), (0, 0, 3), (2, 3, 1), (1, 2, 0), (5, 1, 4), (0.1, 0.7, 13)]:
        call(out, "linspace", np.linspace, Weak(a), Weak(b), n)
        call(out, "linspace", np.linspace, Weak(a), Weak(b), n, endpoint=False)
        call(out, "linspace", np.linspace, Weak(a), Weak(b), n, dtype=np.dtype("int32"))
    call(out, "linspace", np.linspace, np.array([0.0, 1]), np.array([1.0, 5]), 4)
    for n, o in [(3, {}), (2, {"M": 3, "k": 1}), (3, {"k": -1}), (0, {}), (2, {"dtype": np.dtype("int8")})]:
        call(out, "eye", np.eye, n, **o)
    call(out, "full", np.full, (2, 2), Weak(7))
    call(out, "full", np.full, (2, 2), np.array([1, 2], "int8"))
    call(out, "full", np.full, (2, 2), np.arange(3))
    call(out, "zeros", np.zeros, (2, 0), dtype=np.dtype("int16"))
    call(out, "ones", np.ones, (), dtype=np.dtype("complex64"))
    call(out, "zeros", np.zeros, (-1,))
    for a, b in [("float32", "int8"), ("int64", "bool"), ("bool", "complex64"), ("complex128", "float32"), ("uint8", "int64")]:
        call(out, "astype", lambda v, t: v.astype(t), values(a, (3,), 1), b)
    # products
    sets = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((3,), (5, 3, 4)),
            ((2, 1, 2, 3), (5, 3, 4)), ((2, 0), (0, 3)), ((4, 2, 3), (3,)), ((), ()), ((3,), ())]
    for s, t in sets:
        for d in ("float64", "int8", "complex64"):
            a, b = values(d, s, 1), values(d, t, 2)
            if s and t:
                call(out, "matmul", np.matmul, a, b)
            if len(s) < 4:
                call(out, "dot", np.dot, a, b)
            call(out, "outer", np.outer, a, b)
            if a.size == b.size:
                call(out, "vdot", np.vdot, a, b)
    call(out, "matmul", np.matmul, values("bool", (2, 3), 1), values("bool", (3, 2), 2))
    call(out, "dot", np.dot, np.ones((2, 3)), np.ones((2, 3)))
    call(out, "inner", np.inner, values("int32", (2, 3), 1), values("int32", (4, 3), 2))
    call(out, "vecdot", np.vecdot, values("complex64", (2, 3), 1), values("complex64", (3,), 2))
    call(out, "tensordot", np.tensordot, values("int32", (2, 3, 4), 1), values("int32", (3, 4, 5), 2))
    call(out, "tensordot", np.tensordot, values("int32", (2, 3), 1), values("int32", (3, 2), 2), axes=1)
    call(out, "tensordot", np.tensordot, values("int32", (2, 3), 1), values("int32", (3, 2), 2), axes=0)
    call(out, "trace", np.trace, values("int8", (3, 4), 1))
    call(out, "diagonal", np.diagonal, values("float32", (3, 2, 2), 1))
    # sorting, taking
    for d in ALL:
        x = values(d, (3, 4), 9)
        for o in ({}, {"axis": 0}, {"axis": None}):
            call(out, "sort", np.sort, x, **o)
            call(out, "argsort", lambda v, **k: np.argsort(v, kind="stable", **k), x, **o)
    call(out, "sort", np.sort, np.array([3, np.nan, -np.inf, 1, np.nan, np.inf]))
    call(out, "argsort", lambda v: np.argsort(v, kind="stable"), np.array([3, np.nan, -np.inf, 1, np.nan, 1]))
    call(out, "sort", np.sort, np.zeros((2, 0)))
    x = np.arange(12, dtype="float32").reshape(3, 4)
    for i in ([0, 2], [-1, 1], [[0, 1], [2, 0]], 1, [3], [-4], []):
        i = np.array(i, "int64")
        for o in ({"axis": 0}, {"axis": 1}):
            call(out, "take", np.take, x, i, **o)
        if np.size(i) and np.max(i) < 3 and np.min(i) > -4:
            call(out, "take", np.take, x, i)
        if np.size(i):
            call(out, "take", np.take, x, i, axis=0, mode="clip")
    call(out, "take_along_axis", np.take_along_axis, x, np.array([[1], [-1], [3]]), axis=1)
    call(out, "take_along_axis", np.take_along_axis, x, np.array([[0, 1, 2, 0]], "uint8"), axis=0)
    call(out, "take_along_axis", np.take_along_axis, x, np.array([0, 4]), axis=1)


def random_index(ndim, shape):
    """A random index: its Python object, its text and its arguments."""
    objects, words, args = [], [], []
    axis, ellipsis = 0, False
    while axis < ndim and rnd.random() < 0.9:
        extent = shape[axis]
        kind = rnd.choice("issss.nabm%")
        number = lambda: rnd.randint(-extent - 2, extent + 2)
        if kind == "i":
            v = rnd.randint(-extent, extent - 1) if rnd.random() < 0.93 and extent else number()
            objects.append(v)
            if rnd.random() < 0.5:
                words.append("%")
                args.append(v)
            else:
                words.append(str(v))
            axis += 1
        elif kind == "s":
            bounds = [number() if rnd.random() < 0.5 else None, number() if rnd.random() < 0.5 else None,
                      rnd.choice([1, 2, -1, -2, 3]) if rnd.random() < 0.4 else None]
            text = []
            for b in bounds:
                if b is not None and rnd.random() < 0.4:
                    text.append("%")
                    args.append(b)
                else:
                    text.append("" if b is None else str(b))
            word = text[0] + ":" + text[1]
            word += ":" + text[2] if text[2] or rnd.random() < 0.2 else ""
            objects.append(slice(*bounds))
            words.append(word)
            axis += 1
        elif kind == ".":
            if ellipsis and rnd.random() < 0.95:
                continue
            ellipsis = True
            objects.append(...)
            words.append("...")
            axis += rnd.randint(0, ndim - axis)
        elif kind == "n":
            objects.append(None)
            words.append("None")
        elif kind == "b" and rnd.random() < 0.2:
            v = np.array(rnd.random() < 0.5)
            objects.append(v)
            words.append("%")
            args.append(v)
        elif kind == "m":
            n = rnd.randint(1, ndim - axis)
            mask = np.array([rnd.random() < 0.5 for _ in range(int(np.prod(shape[axis:axis + n])))]).reshape(shape[axis:axis + n])
            if rnd.random() < 0.05:
                mask = np.concatenate([mask, mask])
            objects.append(mask)
            words.append("%")
            args.append(mask)
            axis += n
        elif kind in "a%":
            s = rnd.choice([(), (2,), (2,), (1,), (3, 1), (3, 2), (0,), (3,)])
            high = max(extent - 1, 0)
            v = np.array([rnd.randint(-extent, high) if rnd.random() < 0.99 else 99 for _ in range(int(np.prod(s)))],
                         rnd.choice(["int64", "int32", "int8"])).reshape(s)
            objects.append(v)
            words.append("%")
            args.append(v)
            axis += 1
    return tuple(objects), rnd.choice([", ", ","]).join(words), args


def indexing(out):
    made = 0
    while made < 1500:
        shape = tuple(rnd.choice([0, 1, 2, 3, 4, 2, 3]) for _ in range(rnd.randint(0, 4)))
        x = np.arange(int(np.prod(shape)), dtype="int16").reshape(shape)
        index, text, args = random_index(len(shape), shape)
        if any(isinstance(i, np.ndarray) and i.ndim == 0 for i in index):
            try:
                x[index]
            except IndexError:
                continue  # boolean scalars: other axis numbers in texts; integer ones are looked at when the gather runs
        call(out, "at", lambda a, t, *rest, index=index: a[index], x, text, *args)
        made += 1


def main():
    folder = sys.argv[1]
    for function in (elementwise, reductions, shapes, indexing):
        with open(f"{folder}/numpy_{function.__name__}.txt", "w") as out:
            out.write(f"# NumPy {np.__version__}: calls and their results; made by scripts/golden/make_numpy.py\n")
            function(out)


if __name__ == "__main__":
    main()
