#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/random.npz: what jax.random gives (JAX 0.10, default settings, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_random.py tests/golden

Names are calls: "uniform f32 42 3x5" is uniform(key(42), (3, 5), float32); a 0-d shape is "s". Keys are stored as their data, bfloat16 as
its bits."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import random

assert jax.__version__.startswith("0.10."), jax.__version__
assert jax.config.jax_threefry_partitionable
out = {}
SHAPES = [(), (0,), (1,), (5,), (3, 5), (2, 0, 3), (1, 17), (2, 3, 4)]
FLOATS = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32, "f64": jnp.float64}
UINTS = {"u8": jnp.uint8, "u16": jnp.uint16, "u32": jnp.uint32, "u64": jnp.uint64}


def text(shape):
    return "x".join(map(str, shape)) or "s"


def put(name, x):
    if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
        x = random.key_data(x)
    x = np.asarray(x)
    assert name not in out, name
    out[name] = x.view(np.uint16) if x.dtype == jnp.bfloat16 else x


for seed in 0, 1, 42, 942802475, 2**32 - 1, 2**32 + 5, 2**63 - 1, -1, -2**63:
    put(f"key {seed}", random.key(seed))
for data in 0, 1, 7, 100, 2**31, 2**32 - 1:
    put(f"fold_in 3 {data}", random.fold_in(random.key(3), data))
for shape in (1,), (2,), (3,), (0,), (5, 2), (2, 1, 3):
    put(f"split 1 {text(shape)}", random.split(random.key(1), shape))
for shape in SHAPES:
    for name, dtype in UINTS.items():
        put(f"bits {name} 42 {text(shape)}", random.bits(random.key(42), shape, dtype))
    for name, dtype in FLOATS.items():
        put(f"uniform {name} 51 {text(shape)}", random.uniform(random.key(51), shape, dtype))
        put(f"normal {name} 7 {text(shape)}", random.normal(random.key(7), shape, dtype))
for name, dtype in FLOATS.items():
    for lo, hi in (-1, 1), (0, 3), (-2.5, 0.75), (1e-3, 1e3):
        put(f"uniform_between {name} 5 64 {lo} {hi}", random.uniform(random.key(5), (64,), dtype, lo, hi))
    put(f"normal {name} 11 2000", random.normal(random.key(11), (2000,), dtype))
    keys = random.split(random.key(2), 3)
    put(f"uniform_vmap {name} 2 3 4", jax.vmap(lambda k: random.uniform(k, (4,), dtype))(keys))
    put(f"normal_vmap {name} 2 3 4", jax.vmap(lambda k: random.normal(k, (4,), dtype))(keys))
for name, dtype in ("c64", jnp.complex64), ("c128", jnp.complex128):
    put(f"normal {name} 9 30x7", random.normal(random.key(9), (30, 7), dtype))
keys = random.split(random.key(2), 3)
put("split_vmap 2 3 2", jax.vmap(lambda k: random.split(k, 2))(keys))
put("fold_in_vmap 2 3 9", jax.vmap(lambda k: random.fold_in(k, 9))(keys))
put("permutation_vmap 2 3 20", jax.vmap(lambda k: random.permutation(k, 20))(keys))
for n in 0, 1, 2, 10, 1437, 1700, 1701, 5000:  # 1625 is where a second round begins
    p = random.permutation(random.key(4), n)
    put(f"permutation 4 {n}", p.astype(jnp.int16))
x = jnp.arange(60, dtype=jnp.float32).reshape(3, 4, 5)
for axis in 0, 1, 2, -1:
    put(f"permutation_rows 6 {axis} 0", random.permutation(random.key(6), x, axis))
    put(f"permutation_rows 6 {axis} 1", random.permutation(random.key(6), x, axis, independent=True))
u = jnp.full((4,), 0.25), jnp.full((4,), 2.0)
g = jax.grad(lambda lo, hi: random.uniform(random.key(8), (4,), jnp.float64, lo, hi).sum(), (0, 1))(*u)
put("uniform_grad 8 4 lo", g[0])
put("uniform_grad 8 4 hi", g[1])
np.savez_compressed(pathlib.Path(sys.argv[1]) / "random.npz", **out)
