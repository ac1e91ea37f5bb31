#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/random.npz and random_*.npz: what jax.random gives (JAX 0.10, default settings, 64-bit
types on). It takes a quarter of an hour; parts (keys continuous gamma discrete choice) may be named.

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


def make_keys():
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


FOLDER = pathlib.Path(sys.argv[1])
PARTS = sys.argv[2:] or ["keys", "continuous", "gamma", "discrete", "choice"]


def store(part):
    if part in PARTS:
        np.savez_compressed(FOLDER / ("random.npz" if part == "keys" else f"random_{part}.npz"), **out)
    out.clear()
    jax.clear_caches()


if "keys" in PARTS:
    make_keys()
store("keys")

# ---- random_continuous.npz, random_gamma.npz, random_discrete.npz: the distributions. "gamma f32 3 4x3 0.5,1,2" is
# gamma(key(3), array([0.5, 1, 2], float32), (4, 3), float32); a parameter without comma is a Python number; the shape
# "-" is None. "vmap:" in front: of the keys split(key(3), 3); "grad1:": the derivative of the sum by parameter 1.
INTS = {"i8": jnp.int8, "i16": jnp.int16, "i32": jnp.int32, "i64": jnp.int64, "u8": jnp.uint8, "u16": jnp.uint16,
        "u32": jnp.uint32, "u64": jnp.uint64}
DTYPES = FLOATS | INTS | {"c64": jnp.complex64, "c128": jnp.complex128}


def parameter(text, dtype):
    if "," in text:
        return jnp.array([float(x) for x in text.split(",")], dtype)
    return float(text) if any(c in text for c in ".einf") else int(text)


def moded(f, mode):
    return lambda key, *p, **options: f(key, *p, mode=mode, **options)


def without_dtype(f):
    return lambda key, *p, dtype, **options: f(key, *p, **options)


def randint(key, lo, hi, shape, dtype):
    return random.randint(key, shape, lo, hi, dtype)


def orthogonal(key, n, m, shape, dtype):
    return random.orthogonal(key, n, shape, dtype, m)


def ball(key, d, p, shape, dtype):
    return random.ball(key, d, p, shape, dtype)


FUNCTIONS = {
    "gumbel_high": moded(random.gumbel, "high"), "gumbel_highest": moded(random.gumbel, "highest"),
    "bernoulli": without_dtype(random.bernoulli), "bernoulli_high": without_dtype(moded(random.bernoulli, "high")),
    "randint": randint, "orthogonal": orthogonal, "ball": ball,
}


def call(name, key, parameters, shape, dtype):
    f = FUNCTIONS.get(name) or getattr(random, name)
    return f(key, *parameters, shape=shape, dtype=dtype)


def sample(line):
    name, d, seed, shape, *p = line.split()
    how, _, name = name.rpartition(":")
    dtype = DTYPES[d]
    of_parameters = dtype if jnp.issubdtype(dtype, jnp.floating) else jnp.int64 if name == "randint" else jnp.float64
    p = [parameter(x, of_parameters) for x in p]
    shape = None if shape == "-" else () if shape == "s" else tuple(int(x) for x in shape.split("x"))
    key = random.key(int(seed))
    if how == "vmap":
        y = jax.vmap(lambda k: call(name, k, p, shape, dtype))(random.split(key, 3))
    elif how:
        i = int(how[4:])
        y = jax.grad(lambda x: call(name, key, p[:i] + [x] + p[i + 1:], shape, dtype).sum())(p[i])
    else:
        y = call(name, key, p, shape, dtype)
    put(line, y)


PLAIN = "cauchy exponential gumbel gumbel_high gumbel_highest laplace logistic maxwell".split()
FORMULAS = {  # name: parameters that are numbers; that are arrays
    "truncated_normal": ["-1 2", "0.5 inf", "-3,-1,0 1,2,0.25"], "pareto": ["2.5", "0.5,1,3"],
    "rayleigh": ["1.5", "0.5,1,3"], "wald": ["1.5", "0.5,1,3"], "weibull_min": ["2.0 1.5"],
    "triangular": ["-1.0 0.25 2.0", "-1,0,1 0,0.5,2 1,1,4"], "lognormal": ["0.75", "0.5,1,2"],
    "double_sided_maxwell": ["0.5 2.0"],
}
GAMMA = {
    "gamma": ["0.3", "1.0", "7.5", "0.5,1,20"], "loggamma": ["0.01", "2.5", "0.5,1,20"],
    "beta": ["0.5 2.0", "0.5,1,3 2,0.25,8"], "chisquare": ["3.0", "0.5,1,30"], "t": ["3.0", "0.5,1,30"],
    "f": ["3.0 5.0", "1,2,3 4,5,6"], "generalized_normal": ["2.0", "1.5"],
}


def samples_of(name, given, more):
    for k, p in enumerate(given):
        arrays = "," in p
        if name == "f" and arrays:  # JAX's f does not broadcast its parameters
            sample(f"f f64 6 3 {p}")
            continue
        for d in FLOATS if more and k == 0 else ["f32", "f64"]:
            sample(f"{name} {d} 5 " + ("80x3" if arrays else "240") + f" {p}")
        if more and k == 0:
            sample(f"{name} f64 2 0 {p}")
            sample(f"vmap:{name} f32 5 4 {p}")
        if more and arrays:
            sample(f"{name} f32 6 - {p}")
            for i in range(p.count(" ") + 1):
                sample(f"grad{i}:{name} f64 8 4x3 {p}")


def make_continuous():
    for name in PLAIN:
        for d in FLOATS if name in ("exponential", "gumbel") else ["f32", "f64"]:
            sample(f"{name} {d} 5 {500 if d in ('f32', 'f64') else 100}")
    for line in "laplace f32 1 s", "cauchy f32 3 2x0x3", "vmap:maxwell f32 5 4":
        sample(line)
    for name, given in FORMULAS.items():
        samples_of(name, given, name == "truncated_normal")
    sample("lognormal c64 3 20 0.5")


def make_gamma():
    for name, given in GAMMA.items():
        samples_of(name, given, name in ("gamma", "loggamma"))
    sample("grad1:beta f64 8 4x3 0.5,1,3 2,0.25,8")
    for d in "f32", "f64":
        sample(f"dirichlet {d} 6 40 0.05,0.1,3,1")
        sample(f"ball {d} 5 30 3 2")
    sample("ball f64 5 30 3 1.5")


def make_discrete():
    for d in "f32", "f64":
        for p in "10 0.3", "1000 0.4", "40 0.9", "3.7 0.5", "inf 0.5", "-1 0.5", "0 0.5", "7 0.0", "7 1.0":
            sample(f"binomial {d} 5 60 {p}")
    sample("binomial f32 6 - 5,100,2000 0.9,0.5,0.01")
    sample("vmap:binomial f64 7 4 30 0.4")
    sample("multinomial f64 6 10x4 30 0.1,0,0.6,0.3")
    for d in "i32", "i64":
        for p in "3.5", "30.0", "0.0":
            sample(f"poisson {d} 5 60 {p}")
    for line in "poisson i64 6 - 0.5,9.5,1000", "vmap:poisson i32 7 5 40.0", "poisson i64 8 0 2.0":
        sample(line)
    for d in "i32", "i64", "u8":
        sample(f"geometric {d} 5 60 0.3")
    sample("geometric i32 6 - 0.05,0.5,1")
    for d in "i8", "i32", "i64", "u8", "u32":
        for p in "0 10", "3 3", "5 2", "0 128", "0 256", "0 65536", "-20 100":
            if not (d[0] == "u" and p[0] == "-"):
                sample(f"randint {d} 5 60 {p}")
        sample(f"rademacher {d} 5 60")
    sample("randint i64 5 40x3 0,3,7 9,4,100")
    for p in "-9223372036854775808 9223372036854775807", "0 9223372036854775807", "-2147483648 2147483647":
        sample(f"randint i64 5 60 {p}")
    for p in "-2147483648 2147483647", "-2147483648 2147483648", "7 4294967296":
        sample(f"randint i32 5 60 {p}")
    sample("vmap:randint i32 7 5 0 1000")
    sample("rademacher f32 6 20")
    for name in "bernoulli", "bernoulli_high":
        sample(f"{name} f32 5 60x3 0.001,0.5,0.7")
        sample(f"{name} f64 7 100 0.3")
    sample("vmap:bernoulli f64 7 5 0.3")
    sample("bernoulli bf16 5 60x3 0.001,0.5,0.7")


# random_choice.npz: "categorical f32 5 axis shape replace mode" of the logits of (2, 3, 4); "choice" of arange(12).
def make_choice():
    logits = (jnp.arange(24) * 7 % 11 - 5.0).reshape(2, 3, 4) / 3
    for d in FLOATS:
        x = logits.astype(FLOATS[d])
        for axis in (-1, 0) if d == "f32" else [1] if d == "bf16" else []:
            rest = tuple(np.delete(x.shape, axis))
            put(f"categorical {d} 5 {axis} - 1 low", random.categorical(random.key(5), x, axis))
            put(f"categorical {d} 5 {axis} {text((5,) + rest)} 1 low", random.categorical(random.key(5), x, axis, (5,) + rest))
            put(f"categorical {d} 5 {axis} - 1 high", random.categorical(random.key(5), x, axis, mode="high"))
            put(f"categorical {d} 5 {axis} {text((2,) + rest)} 0 low",
                random.categorical(random.key(5), x, axis, (2,) + rest, replace=False))
    a = jnp.arange(12)
    p = (a * 5 % 7 + 0.0)
    for shape in (), (2, 4), (0,):
        for replace in 0, 1:
            options = dict(shape=shape, replace=bool(replace))
            end = f"{text(shape)} {replace}"
            put(f"choice 5 n {end}", random.choice(random.key(5), 12, **options))
            put(f"choice 5 np {end}", random.choice(random.key(5), 12, p=p, **options))
            put(f"choice 5 a {end}", random.choice(random.key(5), a * 2, **options))
            put(f"choice 5 ap {end}", random.choice(random.key(5), a * 2, p=p / p.sum(), **options))
            if np.prod(shape) <= 4 and 0 not in shape:
                put(f"choice 5 m {end}", random.choice(random.key(5), a.reshape(3, 4), axis=1, **options))
    put("choice 5 np32 2x4 1", random.choice(random.key(5), 12, (2, 4), p=p.astype(jnp.float32)))
    put("choice 5 np32 2x4 0", random.choice(random.key(5), 12, (2, 4), replace=False, p=p.astype(jnp.float32)))
    for d in "f32", "f64":
        sample(f"orthogonal {d} 5 s 4 4")
    sample("orthogonal f64 5 2 3 5")
    mean, root = jnp.array([1.0, -2.0, 0.5]), jnp.array([[2.0, 0, 0], [1, 1.5, 0], [-0.5, 0.25, 1]])
    for d in "f32", "f64":
        m, c = mean.astype(DTYPES[d]), (root @ root.T).astype(DTYPES[d])
        put(f"multivariate_normal {d} 5 -", random.multivariate_normal(random.key(5), m, c))
        put(f"multivariate_normal {d} 5 40", random.multivariate_normal(random.key(5), m, c, (40,)))
        put(f"multivariate_normal {d} 5 4x2", random.multivariate_normal(random.key(5), jnp.stack([m, -m]), c, (4, 2)))
    for seed in 0, 7, -3:
        put(f"PRNGKey {seed}", random.PRNGKey(seed))
    legacy = random.PRNGKey(7)
    put("legacy_split", random.split(legacy, 3))
    put("legacy_fold_in", random.fold_in(legacy, 5))
    put("legacy_uniform", random.uniform(legacy, (4,), jnp.float32))


for part, make in (("continuous", make_continuous), ("gamma", make_gamma), ("discrete", make_discrete),
                   ("choice", make_choice)):
    if part in PARTS:
        make()
    store(part)
