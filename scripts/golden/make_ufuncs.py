#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_ufuncs.txt: what NumPy's ufuncs say of themselves, which loops they choose, and what calls with their
options and methods give, in the format of make_numpy.py. Texts are arrays of bytes; says=NAME is what errors begin with.

usage: make_ufuncs.py tests/golden
"""
import itertools
import sys
import warnings

import numpy as np
from make_numpy import ALL, KINDS, Weak, option, show, values

warnings.simplefilter("ignore")
np.seterr(all="ignore")
LETTERS = "?bBhHiIlLefdFD->"
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
UFUNCS = sorted({getattr(np, n).__name__: getattr(np, n) for n in dir(np) if isinstance(getattr(np, n), np.ufunc)}.items())
UFUNCS = [(n, f) for n, f in UFUNCS if n != "isnat"]
ONES, TWOS = [[(n, f) for n, f in UFUNCS if f.nin == k and f.signature is None] for k in (1, 2)]


def text(s):
    return np.frombuffer(s.encode(), "uint8")


def reworded(f, s):
    s = s.strip().replace("Python integer", "integer").replace("numpy._core._exceptions.", "")
    return s.removeprefix(f + ": ")


SAYS = {"resolve": "ufunc_resolve_dtypes", "reduce": "ufunc_reduce", "accumulate": "ufunc_accumulate", "reduceat": "ufunc_reduceat",
        "at": "ufunc_at", "at_near": "ufunc_at", "reduce_near": "ufunc_reduce", "accumulate_near": "ufunc_accumulate"}


def row(file, name, f, function, *args, **options):
    """One line; the function gets what stands for the words."""
    try:
        result = function()
        shown = "list " + " ".join(map(show, result)) if isinstance(result, tuple) else show(result)
    except tuple(KINDS) + (RuntimeError,) as e:
        kind = next((k for t, k in KINDS.items() if isinstance(e, t)), "RuntimeError")
        shown = f"{kind} {reworded(f, str(e))}"
    says = "ufunc_call" if "positional arguments" in shown else "ufunc_outer" if name == "outer" else f
    words = [name] + [show(a) for a in args] + [f"f={f}", f"says={SAYS.get(name, says)}"] + [option(k, v) for k, v in options.items()]
    file.write(" ".join(words) + " -> " + shown + "\n")


def attributes(out):
    for n, f in UFUNCS:
        types = []
        for t in f.types:
            t = t.replace("q", "l").replace("Q", "L")
            if not set(t) - set(LETTERS) and t not in types:
                types.append(t)
        s = f"{f.nin} {f.nout} {f.nargs} {f.identity} {f.signature} {' '.join(types)}"
        row(out, "attributes", n, lambda: text(s))


def resolved(f, dtypes, **options):
    return text(" ".join(d.name for d in f.resolve_dtypes(dtypes, **options)))


def resolve(out):
    weak = {"int": int, "float": float, "complex": complex}
    dt = lambda d: weak.get(d) or np.dtype(d)
    for n, f in ONES:
        for d in DTYPES + list(weak):
            row(out, "resolve", n, lambda: resolved(f, (dt(d),) + (None,) * f.nout), dtypes=d)
    for n, f in TWOS:
        for d, e in itertools.product(DTYPES + list(weak), repeat=2):
            if f.nin == 2 and n in ("add", "divide", "power", "arctan2", "gcd", "left_shift", "less", "logical_or", "ldexp",
                                    "divmod", "float_power", "bitwise_and", "maximum") and (n, d, e) != ("less", "int", "int"):
                row(out, "resolve", n, lambda: resolved(f, (dt(d), dt(e)) + (None,) * f.nout), dtypes=d + "," + e)
    for c, d in itertools.product(("no", "equiv", "safe", "same_kind", "unsafe"), ("int8", "float32", "complex64")):
        row(out, "resolve", "add", lambda: resolved(np.add, (dt(d), dt("float64"), dt("float32")), casting=c),
            dtypes=d + ",float64,float32", casting=c)
    for n in ("add", "maximum", "multiply", "subtract", "logical_and", "sin"):
        for d in ("bool", "int8", "uint16", "float32"):
            f = getattr(np, n)
            row(out, "resolve", n, lambda: resolved(f, (None, dt(d), None)[: f.nargs], reduction=True), dtypes="none," + d,
                reduction=True)


def asked(out):
    """Loops that are asked for, by dtype or signature, and casts."""
    for n, f in ONES + [("add", np.add), ("divide", np.divide), ("equal", np.equal), ("ldexp", np.ldexp), ("divmod", np.divmod),
                        ("bitwise_and", np.bitwise_and), ("logical_and", np.logical_and), ("power", np.power)]:
        two = f.nin == 2
        for d, want in itertools.product(("int8", "int64", "float64", "complex64", "bool"),
                                         ("bool", "int8", "int32", "float32", "float64", "complex64")):
            if not two and want in ("int8", "complex64") and d in ("complex64", "bool"):
                continue
            x = values(d, (2,), 5, positive=True)
            given = (x, values(d, (2,), 6, positive=True)) if two else (x,)
            if f.nin == 2 and n == "ldexp":
                given = (x, np.array([1, 2], "int32"))
            if n in ("arccosh", "arctanh", "arcsin", "arccos", "signbit") and d == "complex64":
                continue
            if n in ("absolute", "negative", "positive", "sign") and want in ("bool", "complex64"):
                continue  # NumPy has other words there for a loop that does not exist
            row(out, "near", n, lambda: f(*given, dtype=want), *given, dtype=np.dtype(want))
    for n, s in [("add", "ii->i"), ("add", "dd->d"), ("add", "d"), ("add", "dd"), ("add", "xx->x"), ("add", "ddd->d"),
                 ("frexp", "f->fi"), ("modf", "d->dd"), ("sin", "f->f"), ("sin", "i->i"), ("divmod", "ff->ff"), ("matmul", "dd->d"),
                 ("equal", "ff->?"), ("clip", "ddd->d")]:
        f = np._core.umath.clip if n == "clip" else getattr(np, n)
        for d in ("int16", "float32", "complex64"):
            given = [values(d, (2,), 7 + k, positive=True) for k in range(f.nin)]
            row(out, "call", n, lambda: f(*given, signature=s), *given, signature=s)
    i8, f4 = np.array([3, 5], "int8"), np.array([1.5, 2], "float32")
    for c in ("no", "equiv", "safe", "same_kind", "unsafe", "foo"):
        for x, y in itertools.product((i8, f4, Weak(2), Weak(2.5)), (f4, np.array([1.0, 2.0]))):
            row(out, "call", "add", lambda: np.add(getattr(x, "value", x), y, casting=c), x, y, casting=c)
    for x, d in itertools.product((Weak(300), Weak(2), Weak(2.5), Weak(True)), ("int8", "int16", "float32", "complex64")):
        row(out, "call", "add", lambda: np.add(x.value, i8, dtype=d), x, i8, dtype=np.dtype(d))
        row(out, "call", "add", lambda: np.add(x.value, x.value, dtype=d), x, x, dtype=np.dtype(d))
    for n, f in TWOS[:3]:
        for k in (0, 1, 3):
            row(out, "call", n, lambda: f(*[f4] * k) if k != 3 else f(f4, f4, f4, f4), *[f4] * (4 if k == 3 else k))


def places(out):
    """out and where, with shapes that fit or do not."""
    f8 = np.array([1.5, 2, 4])
    targets = [np.zeros(3), np.zeros(3, "float32"), np.zeros(3, "int64"), np.zeros(4), np.zeros((2, 3)), np.zeros(()), np.zeros((1, 3)),
               np.zeros(0), np.zeros(3, "complex64"), np.zeros(3, bool)]
    masks = [None, np.array([True, False, True]), np.ones((2, 3), bool), np.array(True), np.array([True] * 4), f8,
             np.array([[True], [False]]), Weak(True)]
    for (n, given), t, m in itertools.product([("add", (f8, f8)), ("add", (Weak(1), Weak(2))), ("multiply", (np.ones((2, 1)), f8)),
                                               ("sqrt", (f8,)), ("less", (f8, Weak(2))), ("negative", (np.array([1, 2, 3]),))], targets, masks):
        f = getattr(np, n)
        o = t.copy()
        words = {"where": m} if m is not None else {}
        raw = {k: getattr(v, "value", v) for k, v in words.items()}
        row(out, "call", n, lambda: f(*[getattr(g, "value", g) for g in given], out=o, **raw), *given, out=t, **words)
    for c, t in itertools.product(("no", "safe", "same_kind", "unsafe"), (np.zeros(3, "int64"), np.zeros(3, "float32"), np.zeros(3))):
        o = t.copy()
        row(out, "call", "add", lambda: np.add(f8, f8, out=o, casting=c), f8, f8, out=t, casting=c)
    for m in masks[1:]:
        if isinstance(m, np.ndarray) and m.dtype == bool and not m.all():
            continue
        row(out, "call", "add", lambda: np.add(f8, f8, where=getattr(m, "value", m)), f8, f8, where=m)
    ints, fs = np.zeros(3, "int32"), np.zeros(3)
    for n, given, t in [("modf", (f8,), (ints, fs)), ("modf", (f8,), (fs, ints)), ("modf", (f8,), (fs, np.zeros(3, "float32"))),
                        ("divmod", (f8, f8), (ints, fs)), ("divmod", (f8, f8), (fs, ints)), ("frexp", (f8,), (fs, ints)),
                        ("divmod", (f8, f8), (fs, np.zeros(2)))]:
        f = getattr(np, n)
        o = tuple(x.copy() for x in t)
        row(out, "pair", n, lambda: f(*given, out=o), *given, *t)


def orders(out):
    shapes = [((3, 4), "C"), ((3, 4), "F"), ((2, 3, 4), "T"), ((4,), "C"), ((), "C")]
    lay = lambda s, o: np.asfortranarray(np.ones(s)) if o == "F" else np.ones(s) if o == "C" else np.ones((s[1], s[2], s[0])).transpose(2, 0, 1)
    for o in ("C", "F", "A", "K", "c", "f", "a", "k", "X", "CC", ""):
        for a, b in itertools.combinations_with_replacement(shapes, 2):
            try:
                np.broadcast_shapes(a[0], b[0])
            except ValueError:
                continue
            f = lambda: np.array(np.add(lay(*a), lay(*b), order=o).strides, "int64")
            row(out, "strides", "add", f, list(a[0]), list(b[0]), order=o or '-', lay=a[1] + b[1])


def methods(out):
    m = np.arange(1.0, 7).reshape(2, 3)
    i8, b = np.array([100, 100, 7], "int8"), np.array([True, False, True])
    targets = [np.zeros(()), np.zeros((), "int32"), np.zeros((), "int8"), np.zeros((), "float32"), np.zeros(3), np.zeros(3, "int16"), np.zeros((1, 3)),
               np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3), "float32")]
    for n, x, t in itertools.product(("add", "multiply", "maximum", "logical_and", "subtract", "arctan2"), (m, i8, b), targets):
        f = getattr(np, n)
        o = t.copy()
        if n == "arctan2" and x.dtype.kind != "f":
            continue  # NumPy 2.4.6 leaves an element out
        try:
            f.reduce(x, out=o.copy())
        except Exception as e:
            if "remapped" in str(e) or  ("boolean subtract" in str(e)):
                continue
        row(out, "reduce_near" if n == "arctan2" else "reduce", n, lambda: f.reduce(x, out=o), x, out=t)
        if t.ndim < x.ndim:  # NumPy 2.4.6 crashes
            continue
        try:
            f.accumulate(x, out=o.copy())
        except Exception as e:
            if "op_axes" in str(e) or "remapped" in str(e) or ("boolean subtract" in str(e)):
                continue
        row(out, "accumulate_near" if n == "arctan2" else "accumulate", n, lambda: f.accumulate(x, out=o), x, out=t)
    for n in ("sin", "divmod", "matmul", "modf", "ldexp", "equal", "hypot", "lcm", "gcd", "logical_or"):
        f = getattr(np, n)
        for x in (m, np.array([4, 6, 9]), b):
            for name in ("reduce", "accumulate"):
                if n == "gcd" and x.dtype.kind != "i" or n == "lcm" and x.dtype.kind != "i":
                    continue
                row(out, name, n, lambda: getattr(f, name)(x), x)
            row(out, "reduceat", n, lambda: f.reduceat(x, [0, 1]), x, np.array([0, 1])) if n not in ("gcd", "lcm") else None
    for axis in ((0, 1), (1,), None, (0,)):
        row(out, "accumulate", "add", lambda: np.add.accumulate(m, axis=axis), m, axis=axis)
        row(out, "reduceat", "add", lambda: np.add.reduceat(m, [0, 1], axis=axis), m, np.array([0, 1]), axis=axis)
    for n, given, opts in [("add", (m[0], i8), {}), ("divmod", (i8, i8), {}), ("sin", (m, m), {}), ("matmul", (m, m), {}), ("ldexp", (m, i8), {}),
                           ("subtract", (m, i8), {"dtype": np.dtype("float32")}), ("add", (m[0], i8), {"out": np.zeros((3, 3))}),
                           ("add", (m[0], i8), {"out": np.zeros((3, 2))}), ("less", (m, i8), {"out": np.zeros((2, 3, 3))})]:
        f = getattr(np, n)
        given_opts = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in opts.items()}
        row(out, "outer", n, lambda: (lambda r: r[0] if isinstance(r, tuple) else r)(f.outer(*given, **given_opts)), *given, **opts)


def ats(out):
    def changed(f, x, *a):
        x = x.copy()
        f.at(x, *a)
        return x
    i = np.array([0, 0, 2, -1])
    mask = np.array([True, False, True])
    for n, f in UFUNCS:
        for d in ("int64", "float64", "float32", "bool", "complex64", "uint8"):
            x = values(d, (3,), 2, positive=True)
            for index in (i, mask):
                if n in ("left_shift", "power", "lcm", "float_power", "multiply", "negative") and d == "uint8" or n == "matmul" and d != "int64":
                    continue
                if d == "complex64" and n in ("reciprocal", "sign", "absolute", "tan", "arccosh", "arctanh", "exp2", "log10"):
                    continue
                if d == "bool" and n in ("negative", "subtract") or d[0] in "fcb" and n in ("gcd", "lcm"):
                    continue
                v = (Weak(2),) if f.nin == 2 else ()
                near = "at_near" if d in ("float32", "float64", "complex64") else "at"
                row(out, near, n, lambda: changed(f, x, index, *[w.value for w in v]), x, index, *v)
    x = values("float64", (4, 3), 3)
    row(out, "at", "negative", lambda: changed(np.negative, x, i, x[0]), x, i, x[0])
    row(out, "at", "add", lambda: changed(np.add, x, i), x, i)
    row(out, "at", "less", lambda: changed(np.less, x, i, np.arange(12.0).reshape(4, 3) % 5), x, i, np.arange(12.0).reshape(4, 3) % 5)
    row(out, "at", "less", lambda: changed(np.less, x, i, np.arange(5.0)), x, i, np.arange(5.0))
    row(out, "at", "sqrt", lambda: changed(np.sqrt, abs(x), np.array([7])), abs(x), np.array([7]))


def generalized(out):
    a, b, v = values("float64", (2, 3), 1), values("float64", (3, 2), 2), values("float64", (3,), 3)
    t = values("int16", (4, 2, 3), 4)
    I = lambda *axes: axes
    cases = [("matmul", (a, b), {}), ("matmul", (a, a), {}), ("matmul", (v, Weak(2)), {}), ("matmul", (v, v), {}), ("matmul", (t, b), {}),
             ("matmul", (a, b), {"axis": I(0)}), ("matmul", (a, b), {"keepdims": True}), ("matmul", (a, b), {"dtype": np.dtype("float32")}),
             ("matmul", (a, a), {"axes": ["1,0", "0,1", "1,0"]}), ("matmul", (a, a), {"axes": ["1,0", "0,1", "1"]}),
             ("matmul", (a, a), {"axes": ["1,0", "0,1"]}), ("matmul", (a, a), {"axes": ["1,1", "0,1", "0,1"]}),
             ("matmul", (t, b), {"axes": ["0,2", "0,1", "0,2"]}), ("matmul", (a, b), {"out": np.zeros((2, 3))}),
             ("matmul", (a, b), {"out": np.zeros((4, 2, 2))}), ("matmul", (a, b), {"out": np.zeros((2, 2), "int32")}),
             ("matmul", (a, b), {"out": np.zeros((2, 2), "int32"), "casting": "unsafe"}), ("matmul", (v, v), {"out": np.zeros(2)}),
             ("matmul", (a, b), {"where": np.array(True)}), ("vecdot", (a, a), {"axis": I(0)}), ("vecdot", (a, a), {"axis": I(2)}),
             ("vecdot", (a, a), {"keepdims": True}), ("vecdot", (a, a), {"axis": I(0), "keepdims": True}), ("vecdot", (a, a), {"axes": ["0", "0"]}),
             ("vecdot", (a, a), {"axes": ["0", "0", ""]}), ("vecdot", (a, a), {"axis": I(0), "axes": ["0", "0"]}), ("vecdot", (v, v[:2]), {}),
             ("vecdot", (v, Weak(2)), {}), ("matvec", (v, v), {}), ("matvec", (a, v), {"axes": ["1,0", "0", "0"]}), ("vecmat", (v, a), {}),
             ("matvec", (t, v), {"out": np.zeros((4, 2))}), ("matvec", (t, v), {"out": np.zeros((4, 3))}),             ("vecdot", (t, v), {"out": np.zeros((4, 2), "float32")}),
             ("add", (v, v), {"axis": I(0)}), ("add", (v, v), {"keepdims": True}), ("matmul", (t, b), {"order": "F"})]
    for n, given, opts in cases:
        f = getattr(np, n)
        real = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in opts.items()}
        if "axes" in real:
            real["axes"] = [tuple(int(i) for i in s.split(",") if s) for s in real["axes"]]
        if "axis" in real:
            real["axis"] = real["axis"][0]
        words = {k: "/".join(s or "-" for s in v) if k == "axes" else v for k, v in opts.items()}
        row(out, "call", n, lambda: f(*[getattr(g, "value", g) for g in given], **real), *given, **words)


with open(sys.argv[1] + "/numpy_ufuncs.txt", "w") as out:
    out.write(f"# NumPy {np.__version__}: ufuncs and calls of them; made by scripts/golden/make_ufuncs.py\n")
    for part in (attributes, resolve, asked, places, orders, methods, ats, generalized):
        part(out)
