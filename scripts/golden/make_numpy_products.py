#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/numpy_products.txt (einsum, tensordot, kron, matvec, multi_dot, norms and their kin, in the format of
make_numpy.py) and numpy_einsum_paths.txt: calls of einsum_path, the shapes as lists, "->", the path, "|", the report, where "~" ends a
line.

usage: make_numpy_products.py tests/golden
"""
import random
import sys
import warnings

import make_numpy
import numpy as np
from make_numpy import COMPLEX, INTS, Weak, call, show, values

make_numpy.KINDS = {np.linalg.LinAlgError: "LinAlgError", KeyError: "KeyError", RuntimeError: "RuntimeError"} | make_numpy.KINDS
warnings.simplefilter("ignore")
rnd = random.Random(77)
DTYPES = ["bool"] + INTS + ["float32", "float64"] + COMPLEX


def terms(n_max, letters, extents, repeat, dots):
    """Random operands: their subscripts, their shapes, the result's subscripts or None."""
    size = {c: rnd.choice(extents) for c in letters}
    tail = [rnd.choice(extents) for _ in range(3)]
    subscripts, shapes, used, longest = [], [], [], 0
    for _ in range(rnd.randint(1, n_max)):
        labels = [rnd.choice(letters) for _ in range(rnd.randint(0, 3))]
        if not repeat:
            labels = list(dict.fromkeys(labels))
        shape = [1 if rnd.random() < 0.05 and labels.count(c) == 1 else size[c] for c in labels]
        if dots and rnd.random() < 0.6:
            at, n = rnd.randint(0, len(labels)), rnd.randint(0, 2)
            front = [1 if rnd.random() < 0.2 else v for v in tail[3 - n:]]
            shape[at:at] = front
            labels.insert(at, "...")
            longest = max(longest, n)
        used += [c for c in labels if c != "..."]
        text = "".join(labels)
        subscripts.append(text if rnd.random() < 0.9 else " ".join(labels) + " ")
        shapes.append(tuple(shape))
    out = None
    if rnd.random() < 0.7:
        out = sorted(set(used))
        rnd.shuffle(out)
        out = out[:rnd.randint(0, len(out))]
        if longest or rnd.random() < 0.1:
            out.insert(rnd.randint(0, len(out)), "...")
        out = "".join(out)
    return subscripts, shapes, out


def random_sums(out):
    done = 0
    while done < 420:
        n = rnd.choice([1, 2, 2, 2, 3, 3, 4, 5])
        letters = rnd.choice(["ij", "ijk", "ijkl", "aBxZ", "abcdef"])
        subscripts, shapes, result = terms(n, letters, [1, 2, 2, 3] if rnd.random() < 0.95 else [0, 2, 3], rnd.random() < 0.4, rnd.random() < 0.4)
        text = ",".join(subscripts) + ("" if result is None else "->" + result)
        dtype = rnd.choice(DTYPES)
        mixed = rnd.random() < 0.15
        x = [values(rnd.choice(DTYPES) if mixed else dtype, s, rnd.randint(0, 99)) for s in shapes]
        try:
            y = np.einsum(text, *x)
        except ValueError:
            if rnd.random() < 0.9:
                continue
            y = np.zeros(())
        if sum(len(show(a)) for a in x + [y]) > 1400:
            continue
        if np.result_type(*x) == "float16":
            continue
        how = rnd.choice(["greedy", "optimal", "none"])
        call(out, "einsum", lambda t, *a, optimize: np.einsum(t, *a), text, *x, optimize=how)
        done += 1


def fixed_sums(out):
    def sum_of(text, *x, **o):
        call(out, "einsum", np.einsum, text, *x, **o)

    def v(*shape, d="float64", seed=1):
        return values(d, shape, seed)

    for text, *x in [("ii", v(3, 3)), ("ii->i", v(3, 3)), ("iii->i", v(2, 2, 2)), ("iijj->ij", v(2, 2, 3, 3)), ("ijij->ji", v(2, 3, 2, 3)),
                     ("i...i->...", v(2, 3, 2)), ("...", v(2, 3)), ("->", v()), ("", v()), (",", v(), Weak(2)), (",ij", Weak(3), v(2, 3)),
                     ("..., ...", Weak(3), v(2, 3)), ("i,j", v(2), v(3)), ("i,i", v(3), v(3)), ("i,i->i", v(3), v(3)), ("ij,j", v(2, 3), v(3)),
                     ("ij...,jk...->ik...", v(2, 3), v(3, 2)), ("ij...,jk...->ik...", v(2, 3, 4), v(3, 2, 1)), ("ki,jk->ij", v(3, 2), v(4, 3)),
                     ("ki,...k->i...", v(3, 2), v(4, 3)), ("k...,jk", v(3, 2), v(4, 3)), ("bij,bjk->bik", v(2, 3, 2), v(2, 2, 3)),
                     ("bij,bjk->kib", v(2, 3, 2), v(2, 2, 3)), ("aij,bjk->abik", v(2, 3, 2), v(2, 2, 3)), ("ijk,jil->kl", v(3, 4, 2), v(4, 3, 2)),
                     ("bqhd,bkhd->bhqk", v(2, 3, 2, 2), v(2, 2, 2, 2)), ("i,i", v(1), v(3)), ("ij,jk", v(2, 1), v(3, 2)), ("ij->i", v(2, 0)),
                     ("ij,jk", v(2, 0), v(0, 2)), ("ab,bc,cd,de->ae", v(2, 3), v(3, 2), v(2, 3), v(3, 2)), ("a,ab,abc->abc", v(2), v(2, 2), v(2, 2, 3)),
                     ("a,b,c,d", v(2), v(2), v(2), v(2)), ("ea,fb,abcd,gc,hd->efgh", v(2, 2), v(2, 2), v(2, 2, 2, 2), v(2, 2), v(2, 2)),
                     ("i->", v(200, d="int8")), ("i,i", v(200, d="uint8"), v(200, d="uint8", seed=2)), ("i->", v(3, d="bool")), ("i,i->i", v(3, d="bool"), v(3, d="bool"))]:
        sum_of(text, *x)
    sum_of("ij,jk", v(2, 3, d="float32"), v(3, 2, d="float32"), dtype=np.dtype("float64"))
    sum_of("ij,jk", v(2, 3), v(3, 2), dtype=np.dtype("float32"))
    sum_of("ij,jk", v(2, 3, d="int8"), v(3, 2, d="int32"), dtype=np.dtype("float32"))
    for text, *x in [("ij", v(2)), ("i", v(2, 3)), ("ij,j", v(2, 3)), ("ij", v(2, 3), v(3)), ("ij.", v(2, 3)), ("i..j", v(2, 3)), ("......", v(2)),
                     ("i@", v(2, 3)), ("i1", v(2, 3)), ("ij->ii", v(2, 3)), ("ij->k", v(2, 3)), ("ij->i.", v(2, 3)), ("ij->......", v(2, 3)), ("ij-", v(2, 3)),
                     ("ij>i", v(2, 3)), ("ij- >i", v(2, 3)), ("ij->i,j", v(2, 3)), ("i...->i", v(2, 3)), ("...->", v(2, 3)), ("ij,jk", v(2, 3), v(4, 5)),
                     ("ij,jk->ki", v(2, 3), v(4, 5)), ("ij,jk,kl", v(2, 3), v(3, 4), v(5, 2)), ("i...,i...->...", v(2, 3), v(2, 4)), ("i,i", v(2), v(3)),
                     ("ii", v(2, 3)), ("ii->i", v(2, 3)), ("iij->j", v(1, 3, 2)), ("jii->ji", v(2, 1, 3)), ("ii,j", v(2, 3), v(2)), ("j,ii", v(2), v(2, 3)),
                     ("ii,ij", v(2, 2), v(3, 4))]:
        sum_of(text, *x)
    call(out, "einsum", np.einsum, "i")


def products(out):
    for d in DTYPES:
        for s, t in [((2, 3), (3,)), ((2, 3), (4, 3)), ((4, 2, 3), (3,)), ((4, 2, 3), (4, 3)), ((4, 1, 2, 3), (5, 3)), ((2, 0), (0,)), ((1, 2, 3), (5, 3))]:
            if d in ("bool", "int8", "float32", "complex64", "complex128") or len(s) == 2:
                call(out, "matvec", np.matvec, values(d, s, 1), values(d, t, 2))
                call(out, "vecmat", np.vecmat, values(d, t, 3), values(d, s[:-2] + s[:-3:-1], 4))
        for s, t in [((2,), (3,)), ((2, 3), (2,)), ((3,), (2, 2)), ((), (2, 3)), ((2, 2), ()), ((2, 1, 2), (2, 2)), ((0, 2), (2, 2)), ((2, 3), (3, 2))]:
            if d in ("bool", "int8", "float32", "complex64") or len(s) == 2:
                call(out, "kron", np.kron, values(d, s, 1), values(d, t, 2))
    x, y = values("float64", (2, 3), 1), values("float64", (3, 2), 2)
    for name in ("matvec", "vecmat"):
        f = getattr(np, name)
        call(out, name, f, values("int8", (2, 2), 1), values("float32", (2, 2), 2))
    # batches that broadcast
    for s, t in [((2, 1, 2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)), ((4, 2, 3), (1, 3, 2)), ((2, 1, 1, 3), (1, 4, 3, 2)), ((3,), (4, 3, 2)), ((1, 1, 3), (2, 3, 1))]:
        for d in ("bool", "int16", "float64", "complex64"):
            call(out, "matmul", np.matmul, values(d, s, 1), values(d, t, 2))
    for s, t in [((2, 1, 3), (4, 3)), ((1, 3), (4, 3)), ((4, 3), (1, 3)), ((3,), (2, 3))]:
        for d in ("int16", "float64", "complex64"):
            call(out, "vecdot", np.vecdot, values(d, s, 1), values(d, t, 2))
    tensors(out)


def tensors(out):
    def tensordot(a, b, axes=2, a_axes=None, b_axes=None):
        return np.tensordot(a, b, axes if a_axes is None else (a_axes, b_axes))

    a, b = values("float32", (2, 3, 4), 1), values("float32", (4, 3, 2), 2)
    for n in (0, 1, -1):
        call(out, "tensordot", tensordot, values("int32", (2, 3), 1), values("int32", (3, 2), 2), axes=n)
    for i, j in [((0,), (2,)), ((0, 1), (2, 1)), ((2, 0), (0, 2)), ((-1, -2), (-3, -2)), ((2, 1, 0), (0, 1, 2)), ((1,), (1,)), ((-3,), (-1,))]:
        for d in ("bool", "int8", "float32", "complex128"):
            call(out, "tensordot", tensordot, values(d, (2, 3, 4), 1), values(d, (4, 3, 2), 2), a_axes=i, b_axes=j)
    call(out, "tensordot", tensordot, a, b, axes=2)
    call(out, "tensordot", tensordot, a, b, axes=4)
    for i, j in [((0,), (0,)), ((0, 1), (2,)), ((3,), (0,)), ((0,), (-4,))]:
        call(out, "tensordot", tensordot, a, b, a_axes=i, b_axes=j)
    for _ in range(60):
        n = rnd.randint(0, 3)
        common = [rnd.choice([1, 2, 3]) for _ in range(n)]
        s = common + [rnd.choice([1, 2, 3]) for _ in range(rnd.randint(0, 2))]
        t = common + [rnd.choice([1, 2, 3]) for _ in range(rnd.randint(0, 2))]
        p, q = list(range(len(s))), list(range(len(t)))
        rnd.shuffle(p)
        rnd.shuffle(q)
        i, j = [p.index(k) for k in range(n)], [q.index(k) for k in range(n)]
        i, j = [k - len(s) if rnd.random() < 0.3 else k for k in i], [k - len(t) if rnd.random() < 0.3 else k for k in j]
        d = rnd.choice(DTYPES)
        call(out, "tensordot", tensordot, values(d, [s[k] for k in p], 1), values(d, [t[k] for k in q], 2), a_axes=tuple(i), b_axes=tuple(j))


def linear_algebra(out):
    L = np.linalg

    def multi_dot(*x):
        return L.multi_dot(x)

    for d in ("int32", "float64", "complex64"):
        for extents in [(2, 3), (2, 3, 4), (3, 2, 4, 2), (2, 4, 1, 3, 2), (5, 2, 3, 1, 4, 2), (1, 3, 2, 3, 1)]:
            x = [values(d, extents[i:i + 2], i) for i in range(len(extents) - 1)]
            if len(x) > 1:
                call(out, "multi_dot", multi_dot, *x)
                call(out, "multi_dot", multi_dot, x[0][0], *x[1:])
                call(out, "multi_dot", multi_dot, *x[:-1], np.ascontiguousarray(x[-1][:, 0]))
                call(out, "multi_dot", multi_dot, x[0][0], *x[1:-1], np.ascontiguousarray(x[-1][:, 0]))
    o = np.ones
    call(out, "multi_dot", multi_dot, o((2, 2)))
    call(out, "multi_dot", multi_dot, o((2, 2)), o((2, 2, 2)), o((2, 2)))
    call(out, "multi_dot", multi_dot, Weak(1.0), o((2, 2)), o((2, 2)))
    call(out, "multi_dot", multi_dot, o((2, 2)), o(2), o((2, 2)))
    call(out, "multi_dot", multi_dot, o((2, 3)), o((2, 2)), o((2, 2)))
    call(out, "multi_dot", multi_dot, o((2, 3)), o((2, 2)))
    for d in ("bool", "int64", "float32", "complex128"):
        for n in (0, 1, 2, 3, 4, 5, 7):
            call(out, "matrix_power", L.matrix_power, values(d, (2, 2), 1), n)
            call(out, "matrix_power", L.matrix_power, values(d, (3, 2, 2), 2), n)
    call(out, "matrix_power", L.matrix_power, np.array([[2.0, 0], [0, 4]]), -2)
    call(out, "matrix_power", L.matrix_power, np.array([[2, 0], [0, 4]]), -3)
    call(out, "matrix_power", L.matrix_power, o((2, 3)), 2)
    call(out, "matrix_power", L.matrix_power, o(2), 2)
    for d in ("int16", "float64", "complex64"):
        x, y = values(d, (3, 2), 1), values(d, (3, 2), 2)
        call(out, "linalg_vecdot", L.vecdot, x, y)
        call(out, "linalg_vecdot", L.vecdot, x, y, axis=0)
        call(out, "linalg_outer", L.outer, values(d, (3,), 1), values(d, (2,), 1))
        call(out, "linalg_cross", L.cross, values(d, (2, 3), 1), values(d, (2, 3), 3))
        call(out, "linalg_cross", L.cross, x, y, axis=0)
        z = values(d, (2, 3, 4), 1)
        for k in (-1, 0, 2):
            call(out, "linalg_diagonal", L.diagonal, z, offset=k)
            call(out, "linalg_trace", L.trace, z, offset=k)
    call(out, "linalg_trace", L.trace, values("int8", (2, 2), 1), dtype=np.dtype("float32"))


def tensor_equations(out):
    L = np.linalg
    r = np.random.default_rng(3)
    for d in ("float64", "float32", "complex128"):
        a = np.eye(6).reshape(2, 3, 3, 2) * 3 + r.integers(0, 2, (2, 3, 3, 2))
        call(out, "tensorsolve", L.tensorsolve, a.astype(d), values(d, (2, 3), 1))
        call(out, "tensorinv", L.tensorinv, a.astype(d))
        call(out, "tensorinv", L.tensorinv, a.reshape(6, 3, 2).astype(d), ind=1)
        call(out, "tensorsolve", L.tensorsolve, a.transpose(2, 0, 3, 1).astype(d).copy(), values(d, (2, 3), 1), axes=(0, 2))
    o = np.ones
    call(out, "tensorsolve", L.tensorsolve, o((2, 3, 4)), o((2, 3)))
    call(out, "tensorinv", L.tensorinv, o((2, 2)), ind=0)
    call(out, "tensorinv", L.tensorinv, o((2, 3)), ind=1)
    call(out, "tensorinv", L.tensorinv, o((2, 2)))


def norms(out):
    def of(name, *args, **options):
        # errors are told of the function that is called
        call(out, name, getattr(np.linalg, name), *args, **options)

    for d in ["bool", "int8", "int64", "float32", "float64", "complex64", "complex128"]:
        x = values(d, (3, 4), 1)
        for axis in (None, 0, -1):
            for ord in (None, 0, 1, 2, 3, 0.5, -1, -2, np.inf, -np.inf):
                if not (axis is None and ord in (0, 3, 0.5, 2, -2)):
                    of("norm", x, axis=axis, ord=ord, **({"keepdims": True} if ord == 1 else {}))
                if ord is not None:
                    of("vector_norm", x, axis=axis, ord=ord, **({"keepdims": True} if ord == 1 else {}))
        of("norm", x)
        of("norm", x[0], ord=2)
        of("norm", x, keepdims=True)
        of("vector_norm", x)
        y = values(d, (2, 3, 4), 2)
        for axis in ((0, 1), (1, 0), (2, 0), (-1, 1)):
            for ord in (None, "fro", 1, -1, np.inf, -np.inf):
                of("norm", y, axis=axis, ord=ord, **({"keepdims": True} if ord == 1 else {}))
        of("vector_norm", y, axis=(0, 2))
        for ord in ("fro", 1, -1, np.inf, -np.inf):
            of("matrix_norm", y, ord=ord)
        of("norm", y)
        of("matrix_norm", y, keepdims=True)
    x = values("float64", (2, 3, 4), 3)
    of("norm", np.zeros((0, 3)), axis=0, ord=np.inf)
    of("norm", np.zeros((0, 3)), axis=(0, 1), ord=1)
    of("norm", x, ord=1)
    of("norm", x, ord="fro")
    of("norm", x, axis=(0, 1, 2))
    of("norm", x, axis=(0, 0))
    of("norm", x, axis=(0, -3))
    of("norm", x, axis=(0, 1), ord=3)
    of("norm", x, axis=0, ord="fro")
    of("norm", x, axis=5)
    of("norm", x, axis=(0, 5))
    of("norm", Weak(-3.0))
    of("norm", np.float32(-3), ord=1)
    of("matrix_norm", x, ord=7)


def path_call(out, text, shapes, how="greedy", memory=0):
    x = [np.broadcast_to(np.float64(1), s) for s in shapes]
    optimize = False if how == "none" else (how, memory) if memory else how
    try:
        path, report = np.einsum_path(text, *x, optimize=optimize)
        result = f"{path}|{report}".replace("\n", "~")
    except tuple(make_numpy.KINDS) as e:
        kind = next(k for t, k in make_numpy.KINDS.items() if isinstance(e, t))
        message = e.args[0] % e.args[1] if isinstance(e, KeyError) else str(e)
        result = f"{kind} {message}"
    words = ["einsum_path", f'"{text}"'] + ["i:" + ",".join(map(str, s)) for s in shapes] + [f"optimize={how}", f"memory={memory}"]
    out.write(" ".join(words) + " -> " + result + "\n")


def paths(out):
    for how in ("greedy", "optimal", "none"):
        path_call(out, "ij,jk,kl->il", [(2, 2), (2, 5), (5, 2)], how)
        path_call(out, "ea,fb,abcd,gc,hd->efgh", [(10, 10), (10, 10), (10, 10, 10, 10), (10, 10), (10, 10)], how)
        path_call(out, "ij,jk,kl", [(2, 3), (3, 4), (4, 5)], how)
        path_call(out, "ijk,ilm,njm,nlk,abc->", [(2, 4, 8)] * 5, how)
        path_call(out, "ii->", [(3, 3)], how)
        path_call(out, "ii,i", [(3, 3), (3,)], how)
        path_call(out, "a,b,c,d", [(2,), (3,), (4,), (5,)], how)
        path_call(out, "a,b,c,d->", [(2,), (3,), (4,), (5,)], how)
    for memory in (1, 4, 8, 20, 1000):
        for how in ("greedy", "optimal"):
            path_call(out, "ij,jk,kl", [(2, 3), (3, 4), (4, 5)], how, memory)
            path_call(out, "ea,fb,abcd,gc,hd->efgh", [(2, 2), (2, 2), (2, 2, 2, 2), (2, 2), (2, 2)], how, memory)
    done = 0
    while done < 300:
        n = rnd.choice([2, 3, 3, 4, 4, 5, 5, 6, 7])
        letters = rnd.choice(["ijk", "ijkl", "aBxZ", "abcdef", "abcdefghij"])
        subscripts, shapes, result = terms(n, letters, rnd.choice([[1, 2, 3], [2, 3, 5, 7, 11], [2, 2, 2], [4, 10, 100, 20]]), rnd.random() < 0.2, False)
        text = ",".join(subscripts) + ("" if result is None else "->" + result)
        if len(subscripts) == 1 and rnd.random() < 0.8:
            continue
        path_call(out, text, shapes, rnd.choice(["greedy", "optimal"]), rnd.choice([0, 0, 0, 10, 100]))
        done += 1
    for text, shapes in [("i@", [(2, 3)]), ("ii->ii", [(2, 2)]), ("ii->j", [(2, 2)]), ("ii,->", [(2, 2)]), ("i..", [(2, 2)]), ("ijk...", [(2, 2)]),
                         ("i->-", [(2,)]), ("i>", [(2,)]), ("ij,i->", [(2,), (2,)]), ("i,i->", [(2,), (3,)]), ("ij,jk,kl", [(2, 3), (3, 4), (5, 5)]), ("i,j,k", [(2,), (3,)])]:
        path_call(out, text, shapes)
    path_call(out, "ij,jk,kl", [(2, 3), (3, 4), (4, 5)], "fastest")


def main(folder):
    with open(f"{folder}/numpy_products.txt", "w") as out:
        fixed_sums(out)
        random_sums(out)
        products(out)
        linear_algebra(out)
        tensor_equations(out)
        norms(out)
    with open(f"{folder}/numpy_einsum_paths.txt", "w") as out:
        paths(out)


main(sys.argv[1])
