#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random chains of view functions, as NumPy 2 sees them: view or copy, strides, values, and what a write does.

usage: make_views.py DIRECTORY
Writes views.txt, one chain a line, its fields separated by ';':
    dtype and shape of the base (its element k is k, or k + (k + 100)j); the chain; shares memory with the base;
    writeable; shape; strides in bytes ('_' where an axis of fewer than two elements makes them meaningless);
    elements; elements of the base after `result[...] = 1000 + arange` (empty if that was not done)."""
import pathlib
import random
import sys
import numpy as np

assert np.__version__.startswith("2."), np.__version__
rng = random.Random(20250101)


def index_of(a):
    """A random basic index in text."""
    items, left = [], a.ndim
    use = rng.randint(0, left)
    for d in range(use):
        n = a.shape[d]
        kind = rng.random()
        if kind < 0.3 and n:
            items.append(str(rng.randint(-n, n - 1)))
        elif kind < 0.4:
            items.append(":")
        else:
            start = rng.choice(["", str(rng.randint(-n - 1, n + 1))])
            stop = rng.choice(["", "", str(rng.randint(-n - 1, n + 1))])
            step = rng.choice(["", ":", ":-1", ":2", ":-2", ":3"])
            items.append(f"{start}:{stop}{step}")
        if rng.random() < 0.1:
            items.append("None")
    if rng.random() < 0.25:
        items.insert(0 if use == 0 else rng.choice([0, len(items)]), "...")
    return ",".join(items)


def other_shape(n):
    if n == 0:
        return rng.choice([(0,), (2, 0), (0, 3), (1, 0, 1)])
    shape = []
    while n > 1 and len(shape) < 4:
        f = rng.choice([k for k in range(1, n + 1) if n % k == 0])
        shape.append(f)
        n //= f
    shape.append(n)
    rng.shuffle(shape)
    return tuple(shape)


def ordered_step(a):
    """One with an order."""
    name, order = rng.choice(["ravel", "ravel", "flatten", "reshape", "copy", "T", "broadcast", "at", "swap", "flip"]), rng.choice("CFAK")
    if name == "ravel":
        return f"ravel {order}", a.ravel(order)
    if name == "flatten":
        return f"flatten {order}", a.flatten(order)
    if name == "copy":
        return f"copy {order}", a.copy(order)
    if name == "reshape":
        order, shape = rng.choice("CFA"), other_shape(a.size)
        return f"reshape {order} " + "x".join(map(str, shape)), np.reshape(a, shape, order=order)
    try:
        return step(a)
    except IndexError:
        return None


def step(a):
    """A random function: its text and its result."""
    axis = lambda: rng.randrange(a.ndim)
    name = rng.choice(["at", "at", "at", "reshape", "reshape", "ravel", "T", "T", "swap", "move", "expand", "squeeze",
                       "flip", "broadcast", "diagonal", "split", "asarray", "flatten", "real", "imag", "view"])
    if name == "at":
        text = index_of(a)
        return f"at {text}", eval(f"a[{text}]" if text else "a[()]")
    if name == "reshape":
        shape = other_shape(a.size)
        return "reshape " + "x".join(map(str, shape)), a.reshape(shape)
    if name == "ravel":
        return name, a.ravel()
    if name == "flatten" and rng.random() < 0.2:
        return name, a.flatten()
    if name == "asarray":
        return name, np.asarray(a)
    if name == "squeeze":
        return name, a.squeeze()
    if name == "T":
        order = list(range(a.ndim))
        rng.shuffle(order)
        return "T " + ",".join(map(str, order)), a.transpose(order)
    if name == "expand" and a.ndim < 5:
        k = rng.randint(0, a.ndim)
        return f"expand {k}", np.expand_dims(a, k)
    if name == "broadcast" and a.ndim < 4 and rng.random() < 0.5:
        shape = tuple(rng.choice([1, 2]) for _ in range(rng.randint(0, 1))) + tuple(
            rng.choice([1, 3]) if n == 1 else n for n in a.shape)
        return "broadcast " + "x".join(map(str, shape)), np.broadcast_to(a, shape)
    if name in ("real", "imag") and a.dtype == np.complex128:
        return name, getattr(a, name)
    if name == "view" and a.dtype != np.complex128:
        if a.dtype == np.float64:
            return None
        to = np.uint64 if a.dtype == np.int64 else np.int64
        return "view " + ("u" if to is np.uint64 else "i"), a.view(to)
    if a.ndim and name == "swap":
        i, j = axis(), axis()
        return f"swap {i},{j}", a.swapaxes(i, j)
    if a.ndim and name == "move":
        i, j = axis(), axis()
        return f"move {i},{j}", np.moveaxis(a, i, j)
    if a.ndim and name == "flip":
        i = axis()
        return f"flip {i}", np.flip(a, i)
    if a.ndim > 1 and name == "diagonal" and rng.random() < 0.5:
        return name, np.diagonal(a)
    if a.ndim and name == "split":
        n, i = rng.randint(1, 3), axis()
        k = rng.randrange(n)
        return f"split {n},{i},{k}", np.array_split(a, n, i)[k]
    return None


def numbers(a):
    a = np.asarray(a)
    flat = np.ascontiguousarray(a).ravel()
    if flat.dtype == np.complex128:
        flat = flat.view(np.float64)
    return ",".join(str(int(v)) for v in flat)


def make(shape, dtype):
    n = int(np.prod(shape, dtype=int))
    base = np.arange(n).astype(dtype)
    if dtype == "c16":
        base += 1j * (np.arange(n) + 100)
    return base.reshape(shape).copy()


lines = []
MORE = [(3, 1), (1, 3), (1, 1), (3, 2), (2, 1, 3), (0, 1), (1, 4, 1), (2, 3, 2)]  # where orders differ, and where they do not
SHAPES = [(), (1,), (7,), (0,), (3, 4), (4, 4), (2, 3, 4), (2, 1, 5), (3, 0, 2), (2, 2, 2, 2), (1, 6, 1)]
while len(lines) < 1400:
    late = len(lines) >= 700
    dtype = rng.choice(["i8", "i8", "c16"])
    shape = rng.choice(SHAPES + MORE if late else SHAPES)
    base = a = make(shape, dtype)
    chain = []
    for _ in range(rng.randint(1, 6)):
        s = ordered_step(a) if late else step(a)
        if s is None:
            continue
        chain.append(s[0])
        a = s[1]
        if not isinstance(a, np.ndarray):  # a scalar: the chain ends
            a = np.asarray(a)
            break
        if a.ndim > 5:
            break
    if not chain:
        continue
    shares, writeable, after = np.shares_memory(base, a), a.flags.writeable, ""
    values = numbers(a)
    strides = ["_" if n < 2 or a.size == 0 else str(s) for n, s in zip(a.shape, a.strides)]
    if writeable:
        a[...] = 1000 + np.arange(a.size).reshape(a.shape)
        after = numbers(base)
    fields = [dtype + " " + "x".join(map(str, shape)), "|".join(chain), str(int(shares)), str(int(writeable)),
              "x".join(map(str, a.shape)), ",".join(strides), values, after]
    lines.append(";".join(fields))
(pathlib.Path(sys.argv[1]) / "views.txt").write_text("\n".join(lines) + "\n")
