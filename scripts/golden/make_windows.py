#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/windows.npz: reductions over windows, pooling, their derivatives (JAX 0.10 on CPU, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_windows.py tests/golden

"f32 table" has a row per case: what (0 sum, 1 max, 2 min), dimensions, and for each of 4 dimensions extent, window, stride, padding below
and above, base dilation, window dilation. "f32 x" are the operands of all cases, one behind the other, "f32 y" the results; for floats also
"f32 t" and "f32 jvp" (tangents; of max and min by a loop), "f32 g" and "f32 vjp" (cotangents), "f32 hvp": the derivative along t of the gradient of
sum(g * reduce(x * x)). max and min with window dilation or
negative padding have no gradient in JAX: zeros. 16-bit floats are stored as float32.

"any x", "any product", "any logaddexp", "any pair 0": reduce_window by other functions. "pool max same", ...: flax's pooling, by what
flax.linen does, of "pool x"; "pool grad ..." the gradients of sum(cos(result)). "scatter ...": select_and_scatter."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions as windowed

assert jax.__version__.startswith("0.10."), jax.__version__
rng = np.random.default_rng(0)
out = {}
DTYPES = {
    "f32": jnp.float32, "f64": jnp.float64, "f16": jnp.float16, "bf16": jnp.bfloat16, "i8": jnp.int8, "i32": jnp.int32, "i64": jnp.int64,
    "u8": jnp.uint8, "u32": jnp.uint32, "bool": jnp.bool_, "c64": jnp.complex64,
}


def identity(what, dtype):
    if what == 0:
        return np.zeros((), dtype)[()]
    if dtype == jnp.bool_:
        return np.bool_(what == 2)
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.asarray(-np.inf if what == 1 else np.inf, dtype)[()]
    return np.asarray((jnp.iinfo(dtype).min, jnp.iinfo(dtype).max)[what - 1], dtype)[()]


def draw(kind):
    """Windows of an array: a list of rows extent, window, stride, below, above, base, step."""
    while True:
        ndim = int(rng.integers(1, 5))
        rows = []
        for _ in range(ndim):
            extent = int(rng.integers(1, 12 if ndim < 3 else 6))
            window = int(rng.integers(1, 5 if ndim < 3 else 4))
            plain = rng.random() < 0.3
            stride = 1 if plain else int(rng.integers(1, 4))
            low, high = (0, 0) if plain else (int(rng.integers(-1, 4)), int(rng.integers(-1, 4)))
            base = 1 if kind == "plain" or rng.random() < 0.6 else int(rng.integers(2, 4))
            step = 1 if kind == "plain" or rng.random() < 0.6 else int(rng.integers(2, 4))
            rows.append((extent, window, stride, low, high, base, step))
        if rng.random() < 0.05:
            rows[0] = (0, *rows[0][1:])
        if kind == "large":  # more elements in a window than a kernel looks at, more than a block
            rows = [(int(rng.integers(20, 30)), int(rng.integers(9, 25)), *r[2:5], 1, 1) for r in rows[:2]]
        if all((e - 1) * b + 1 + lo + hi >= 0 for e, _, _, lo, hi, b, _ in rows):
            return rows


def values(dtype, n):
    if dtype == jnp.bool_:
        return rng.random(n) < 0.5
    if dtype in (jnp.float16, jnp.bfloat16):  # sums are exact
        return rng.integers(-9, 10, n).astype(dtype)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(dtype)
    if jnp.issubdtype(dtype, jnp.floating):
        v = rng.normal(size=n)
        if rng.random() < 0.3:  # ties, infinities
            v = rng.choice([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0], n)
        return v.astype(dtype)
    return rng.integers(jnp.iinfo(dtype).min, jnp.iinfo(dtype).max, n, endpoint=True, dtype=dtype)


def widened(v):
    v = np.asarray(v)
    return v.astype(np.float32) if v.dtype in (np.dtype(jnp.bfloat16), np.dtype(np.float16)) else v


def first_tangents(what, rows, x, t, counts):
    """The tangents of the first of each window's largest or smallest elements, in C order; JAX's order of equal ones is another one."""
    y = np.zeros(counts, t.dtype)
    for o in np.ndindex(*counts):
        best = identity(what, x.dtype)
        for k in np.ndindex(*(r[1] for r in rows)):
            at = [oo * r[2] + kk * r[6] - r[3] for oo, kk, r in zip(o, k, rows)]
            if any(a < 0 or a % r[5] or a // r[5] >= r[0] for a, r in zip(at, rows)):
                continue
            e = tuple(a // r[5] for a, r in zip(at, rows))
            if not (best >= x[e] if what == 1 else best <= x[e]):
                best, y[o] = x[e], t[e]
    return y


def one_case(name, what, rows, lists):
    dtype = DTYPES[name]
    shape, window, stride = (tuple(r[i] for r in rows) for i in range(3))
    pads, base, step = tuple((r[3], r[4]) for r in rows), tuple(r[5] for r in rows), tuple(r[6] for r in rows)
    x = values(dtype, int(np.prod(shape))).reshape(shape)
    reducer = (lax.add, lax.max, lax.min)[what]
    f = lambda x: lax.reduce_window(x, identity(what, dtype), reducer, window, stride, pads, base, step)
    y = f(jnp.asarray(x))
    if y.size > 3000:
        return False
    flat = {"x": x, "y": y}
    if name in ("f32", "f64"):
        t, g = rng.normal(size=x.shape).astype(dtype), rng.normal(size=y.shape).astype(dtype)
        flat["t"], flat["g"] = t, g
        smooth = np.where(np.isfinite(x), x, 3).astype(dtype)
        flat["jvp"] = jax.jvp(f, (x,), (t,))[1] if x.size else np.zeros(y.shape, dtype)
        if what:
            first = first_tangents(what, rows, x, t, y.shape)
            assert len(np.unique(x)) < x.size or (first == flat["jvp"]).all()
            flat["jvp"] = first
        none = x.size == 0 or y.size == 0 or (what and (any(s != 1 for s in step) or any(p < 0 for r in rows for p in r[3:5])))
        flat["vjp"] = np.zeros(x.shape, dtype) if none else jax.vjp(f, x)[1](jnp.asarray(g))[0]
        total = lambda x: (f(x * x) * g).sum()
        flat["hvp"] = np.zeros(x.shape, dtype) if none else jax.grad(lambda x: (jax.grad(total)(x) * t).sum())(smooth)
    for k, v in flat.items():
        lists.setdefault(k, []).append(widened(v).reshape(-1))
    padded = list(rows) + [(1, 1, 1, 0, 0, 1, 1)] * (4 - len(rows))
    lists.setdefault("table", []).append(np.array([what, len(rows), *sum(padded, ())], np.int64))
    return True


def reductions():
    for name in DTYPES:
        lists = {}
        many = 60 if name in ("f32", "f64") else 14
        done = 0
        while done < many:
            what = done % 3 if name not in ("c64", "bool") else 0 if name == "c64" else 1 + done % 2
            kind = "large" if done % 15 == 14 else "plain" if done % 3 == 2 else "any"
            done += one_case(name, what, draw(kind), lists)
        for k, v in lists.items():
            out[f"{name} {k}"] = np.stack(v) if k == "table" else np.concatenate(v)


def others():
    x = rng.normal(size=(4, 7, 6)).astype(np.float32)
    where = dict(window_dimensions=(2, 3, 1), window_strides=(1, 2, 2), padding=((1, 0), (1, 1), (0, 0)), base_dilation=(1, 2, 1),
                 window_dilation=(2, 1, 1))
    out["any x"] = x
    out["any product"] = lax.reduce_window(x, np.float32(1), lambda a, b: a * b, **where)
    out["any product of 3"] = lax.reduce_window(x, np.float32(3), lax.mul, **where)
    out["any logaddexp"] = lax.reduce_window(x, np.float32(-np.inf), jnp.logaddexp, **where)
    t = rng.normal(size=x.shape).astype(np.float32)
    out["any t"] = t
    out["any product jvp"] = jax.jvp(lambda x: lax.reduce_window(x, np.float32(1), lax.mul, **where), (x,), (t,))[1]
    i = np.arange(x.size, dtype=np.int32).reshape(x.shape)
    largest = lambda a, b: tuple(jnp.where(a[0] >= b[0], p, q) for p, q in zip(a, b))
    pair = lax.reduce_window((x, i), (np.float32(-np.inf), np.int32(-1)), largest, **where)
    out["any pair 0"], out["any pair 1"] = pair
    x = rng.integers(-5, 6, (3, 9, 8)).astype(np.float32)
    window, stride, pads = (1, 3, 2), (1, 2, 2), ((0, 0), (0, 0), (0, 0))
    shape = lax.reduce_window_shape_tuple(x.shape, window, stride, pads)
    source = rng.normal(size=shape).astype(np.float32)
    out["scatter x"], out["scatter source"] = x, source
    out["scatter add"] = windowed._select_and_scatter(jnp.asarray(x), lax.ge, window, stride, pads, jnp.asarray(source), jnp.float32(0), lax.add)
    out["scatter max"] = windowed._select_and_scatter(jnp.asarray(x), lax.le, window, stride, pads, jnp.asarray(source), jnp.float32(-1), lax.max)


def pool(x, init, by, window, strides, padding):
    """flax.linen.pooling.pool"""
    batch = x.ndim - (len(window) + 1)
    strides = (1,) * batch + (strides or (1,) * len(window)) + (1,)
    dims = (1,) * batch + window + (1,)
    single = batch == 0
    if single:
        x, strides, dims = x[None], (1,) + strides, (1,) + dims
    if not isinstance(padding, str):
        padding = ((0, 0),) * (x.ndim - 1 - len(window)) + padding + ((0, 0),)
    y = lax.reduce_window(x, init, by, dims, strides, padding)
    return jnp.squeeze(y, 0) if single else y


def avg_pool(x, window, strides=None, padding="VALID", count_include_pad=True):
    y = pool(x, np.float32(0), lax.add, window, strides, padding)
    if count_include_pad:
        return y / np.prod(window)
    ones = jnp.ones((1,) * (x.ndim - 1 - len(window)) + x.shape[x.ndim - 1 - len(window):-1] + (1,), x.dtype)
    return y / pool(ones, np.float32(0), lax.add, window, strides, padding)


def pooling():
    x = rng.normal(size=(2, 9, 8, 3)).astype(np.float32)
    inf = np.float32(np.inf)
    cases = {
        "max": lambda x: pool(x, -inf, lax.max, (2, 2), (2, 2), "VALID"),
        "max same": lambda x: pool(x, -inf, lax.max, (3, 2), (2, 1), "SAME"),
        "max lower": lambda x: pool(x, -inf, lax.max, (3, 2), (2, 3), "SAME_LOWER"),
        "max pads": lambda x: pool(x, -inf, lax.max, (3, 3), (2, 2), ((1, 1), (0, 2))),
        "min": lambda x: pool(x, inf, lax.min, (2, 3), None, "VALID"),
        "avg": lambda x: avg_pool(x, (2, 2), (2, 2)),
        "avg same": lambda x: avg_pool(x, (3, 3), (2, 2), "SAME"),
        "avg without": lambda x: avg_pool(x, (3, 3), (2, 2), "SAME", False),
        "avg pads": lambda x: avg_pool(x, (3, 3), (2, 1), ((2, 1), (0, 1)), False),
        "one": lambda x: pool(x[0], -inf, lax.max, (2, 2), (2, 2), "VALID"),
        "one axis": lambda x: avg_pool(x, (3,), (2,), "SAME", False),
        "product": lambda x: pool(x, np.float32(1), lax.mul, (2, 2), (2, 2), "VALID"),
    }
    out["pool x"] = x
    for name, f in cases.items():
        out[f"pool {name}"] = f(x)
        if name != "product":
            out[f"pool grad {name}"] = jax.grad(lambda x: jnp.cos(f(x)).sum())(x)


reductions()
others()
pooling()
np.savez_compressed(pathlib.Path(sys.argv[1]) / "windows.npz", **{k: np.asarray(v) for k, v in out.items()})
print(len(out), "arrays", sum(np.asarray(v).nbytes for v in out.values()), "bytes")
