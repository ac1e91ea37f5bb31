#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/sharding.npz and sharding.txt: functions whose arguments are spread over meshes of eight devices (JAX 0.10, 64-bit types on).

    build/venv/bin/python scripts/golden/make_sharding.py tests/golden

A case is a function below with the decorator @case(arguments, spreads...). "softmax in 0" is its first argument, "softmax out 0" its first result.
A spread is "MESH: SPEC; SPEC" with a spec for each argument, as kn_named_sharding takes them; meshes are named by their sizes, their axes are
x, y, z. The text has a line for each function and spread: the name, the mesh, the specs of the arguments, and the specs that jit chose for
the results. A line of @traffic has no values, but what the compiled program moves: how many collectives, and how many bytes each device receives."""
import math
import os
import pathlib
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

assert jax.__version__.startswith("0.10."), jax.__version__
devices = np.array(jax.devices())
MESHES = {"8": Mesh(devices, ("x",)), "42": Mesh(devices.reshape(4, 2), ("x", "y")), "222": Mesh(devices.reshape(2, 2, 2), ("x", "y", "z"))}
CASES, TRAFFIC = [], []


def case(args, *spreads):
    def add(f):
        CASES.append((f.__name__, f, args, spreads))
        return f
    return add


def traffic(args, *spreads):
    """of the same function, with arguments of other sizes, only what is moved is stored"""
    def add(f):
        TRAFFIC.append((f.__name__, f, args, spreads))
        return f
    return add


# ---- Arguments: shapes of normal numbers, or "i20:8x3" for integers below 20, "p4x5x5" for positive definite matrices, "key".

def argument(rng, text):
    if text == "key":
        return jax.random.key(7)
    kind, shape = re.fullmatch(r"(i\d+:|p|)([\dx]*)", text).groups()
    shape = tuple(int(n) for n in shape.split("x")) if shape else ()
    if kind.startswith("i"):
        return rng.integers(0, int(kind[1:-1]), shape)
    a = rng.standard_normal(shape).astype(np.float32)
    return a @ np.swapaxes(a, -1, -2) + 4 * np.eye(shape[-1], dtype=np.float32) if kind == "p" else a


def entries(text):
    text = text.strip()
    for entry in re.findall(r"\([^)]*\)|[^,\s]+", text):
        names = entry.strip("()").replace(" ", "").split(",")
        yield None if entry == "None" else tuple(names) if len(names) > 1 else names[0]


def spread(text, args):
    mesh, specs = text.split(":")
    specs = [s.strip() for s in specs.split(";")]
    specs += [""] * (len(args) - len(specs))
    m = MESHES[mesh.strip()]
    return mesh.strip(), specs, [NamedSharding(m, P(*entries(s))) for s in specs]


def spec_text(y):
    def one(e):
        return "None" if not e else e if isinstance(e, str) else e[0] if len(e) == 1 else "(" + ", ".join(e) + ")"
    if not isinstance(y.sharding, NamedSharding):
        return "" if y.sharding.is_fully_replicated else str(y.sharding)
    return ", ".join(one(e) for e in y.sharding.spec)


# ---- Elementwise.

@case(["16x8", "16x8"], "42: x, y; x, y", "42: x; None, y", "8: x; None, x")
def elementwise(a, b):
    return jnp.tanh(a * b + 1)


@case(["16x8", "8"], "42: x, y; y", "8: x; x", "222: (x, y), z; z")
def broadcast(a, b):
    return a + jnp.exp(b)


@case(["16", "8"], "42: x; y", "8: x; x", "222: (x, y); z")
def outer_sum(a, b):
    return a[:, None] + b[None, :]


@case(["16x8", "16x8"], "42: x; x, y", "8: None, x; x")
def chosen(a, b):
    return jnp.where(a > b, a, 2 * b)


@case(["16x8"], "42: (x, y)", "222: x, (z, y)")
def clipped(a):
    return jnp.clip(a, -1, 1)


# ---- Reductions.

@case(["16x8"], "8: x", "42: x, y", "8: None, x")
def sum_rows(a):
    return a.sum(0)


@case(["16x8"], "8: x", "42: x, y", "222: (x, y), z")
def sum_all(a):
    return a.sum()


@case(["16x8"], "8: x", "42: x, y")
def mean_kept(a):
    return a.mean(1, keepdims=True)


@case(["16x8"], "8: x", "42: x, y", "8: None, x")
def largest(a):
    return a.max(1)


@case(["16x8"], "8: x", "42: y, x")
def product_of_rows(a):
    return a.prod(0)


@case(["16x8"], "8: x", "42: x, y")
def any_row(a):
    return (a > 1).any(0)


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y")
def variance(a):
    return a.var(0)


@case(["16x8"], "8: x", "42: x, y")
def norm(a):
    return jnp.sqrt((a * a).sum())


@traffic(["512x256"], "8: None, x", "42: x, y")
@case(["16x8"], "8: x", "8: None, x", "42: x, y")
def argmax_last(a):
    return a.argmax(1)


@case(["16x8"], "8: x", "42: x, y")
def argmin_first(a):
    return a.argmin(0)


@case(["16x8"], "8: x", "42: x, y")
def logsumexp(a):
    return jax.nn.logsumexp(a, 1)


# ---- Products.

@case(["16x8", "8x16"], "42: x; None, y", "42: x, y; y", "8: None, x; x", "222: x, y; y, z", "8: x; x")
def matmul(a, b):
    return a @ b


@case(["8x16", "8x16"], "42: x; x", "8: None, x; None, x", "42: None, x; None, y")
def matmul_first(a, b):
    return a.T @ b


@case(["8x4x6", "8x6x4"], "8: x; x", "42: x, y; x", "42: x, None, y; x, y")
def batched(a, b):
    return jnp.einsum("bij,bjk->bik", a, b)


@case(["4x8x4x2", "4x8x4x2"], "42: x, None, y; x, None, y", "222: x, y, z; x, None, z")
def scores(q, k):
    return jnp.einsum("bqhk,bshk->bhqs", q, k)


@case(["16x8", "8x16", "16x8"], "42: x; None, y; y", "8: x; None, None; None, x")
def chain(a, b, c):
    return a @ b @ c


@case(["16", "8"], "42: x; y", "8: x; x")
def outer(a, b):
    return jnp.einsum("i,j->ij", a, b)


@case(["16x8", "8"], "42: x, y; y", "8: x")
def matvec(a, v):
    return a @ v


@case(["4x6x8", "8x6x4"], "42: x, None, y; y, None, x", "222: x, y; None, y")
def contracted(a, b):
    return jnp.einsum("iab,baj->ij", a, b)


# ---- Normalisations.

@case(["16x8"], "8: x", "8: None, x", "42: x, y")
def softmax(a):
    return jax.nn.softmax(a, -1)


@case(["16x8"], "8: x", "42: x, y")
def softmax_first(a):
    return jax.nn.softmax(a, 0)


@case(["16x8"], "8: None, x", "42: x, y")
def log_softmax(a):
    return jax.nn.log_softmax(a, -1)


@case(["16x8", "8", "8"], "42: x", "42: x, y; y; y", "8: None, x; x; x")
def layer_norm(x, g, b):
    c = x - x.mean(-1, keepdims=True)
    return c / jnp.sqrt((c * c).mean(-1, keepdims=True) + 1e-5) * g + b


@case(["16x8", "8"], "42: x, y; y", "8: x")
def rms_norm(x, g):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


# ---- Orders and running sums.

@traffic(["512x256"], "8: None, x")
@case(["16x8"], "8: x", "42: x, y")
def sort_last(a):
    return jnp.sort(a, 1)


@case(["16x8"], "8: x", "8: None, x")
def sort_first(a):
    return jnp.sort(a, 0)


@case(["16x8"], "42: x, y", "8: x")
def argsort_last(a):
    return jnp.argsort(a, 1)


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y", "8: None, x")
def cumsum_first(a):
    return jnp.cumsum(a, 0)


@case(["16x8"], "8: x", "42: x, y")
def cumprod_last(a):
    return jnp.cumprod(a, 1)


@traffic(["512x256"], "8: None, x")
@case(["16x8"], "8: x", "42: x, y")
def top(a):
    return lax.top_k(a, 3)[0]


# ---- Places.

@case(["16x8", "i16:12"], "42: x, y", "8: x", "8: None, x", "42: None, y; x")
def take_rows(a, i):
    return jnp.take(a, i, 0)


@traffic(["512x256", "i256:512x16"], "42: x, y; x", "8: None, x")
@case(["16x8", "i8:16x1"], "8: x; x", "42: x, y; x")
def take_along(a, i):
    return jnp.take_along_axis(a, i, 1)


@traffic(["1024x64", "i1024:512", "512x64"], "8: x; ; x", "42: None, y; x; x, y", "8: x")
@case(["16x8", "i16:8", "8x8"], "8: x; ; x", "42: x, y", "42: None, y; x; x, y")
def add_rows(a, i, v):
    return a.at[i].add(v)


@case(["16x8", "8x8"], "8: x", "42: x, y; None, y")
def set_rows(a, v):
    return a.at[jnp.array([1, 3, 5, 7, 9, 11, 13, 15])].set(v)


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y", "8: None, x")
def part(a):
    return a[2:10]


@case(["16x8"], "8: x", "42: x, y")
def every_second(a):
    return a[::2]


@case(["16x8", "i8:"], "8: x", "42: x, y", "8: None, x")
def part_from(a, i):
    return lax.dynamic_slice(a, (i, 0), (8, 8))


@case(["16", "8"], "8: ; x", "42: x; y")
def places(a, v):
    return jnp.searchsorted(jnp.sort(a), v).astype(jnp.int64)  # as NumPy


@case(["i8:16"], "8: x", "42: x")
def one_hot(i):
    return jax.nn.one_hot(i, 8, dtype=jnp.float32)


# ---- Windows.

@case(["8x4x8x8", "8x4x3x3"], "8: x", "42: x; y", "42: x, y; None, y", "42: x, None, y")
def conv(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME")


@case(["8x8x8x4"], "8: x", "42: x, y", "42: None, x, None, y")
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@case(["8x8x8x4"], "8: x", "42: x, None, y")
def avg_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


@case(["8x8x8x4"], "42: x, None, y", "42: None, x, y")
def smoothed(x):
    """windows that reach to both sides"""
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME") / 9


@case(["16x8"], "42: None, y", "222: x, y")
def both_sides(a):
    """each column less the mean of its neighbours, round about"""
    return a - 0.5 * (jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1))


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y")
def difference(a):
    return a[1:] - a[:-1]


# ---- Shapes.

@case(["16x8"], "8: x", "42: x, y", "8: None, x")
def split_rows(a):
    return a.reshape(8, 2, 8)


@case(["8x4x6"], "8: x", "42: x, y", "42: None, x")
def merge_rows(a):
    return a.reshape(32, 6)


@case(["16x8"], "8: x", "42: x, y")
def ravel(a):
    return a.reshape(128)


@case(["16x8"], "42: x, y", "8: x")
def transpose(a):
    return a.T * 2


@traffic(["512x256", "512x256"], "8: x; x")
@case(["16x8", "16x8"], "8: x; x", "42: x, y; x, y")
def concatenate_first(a, b):
    return jnp.concatenate([a, b])


@case(["16x8", "16x8"], "8: x; x", "42: x, y; x, y")
def concatenate_last(a, b):
    return jnp.concatenate([a, b], 1)


@case(["16x8", "16x8"], "8: x; x", "42: x, y; None, y")
def stacked(a, b):
    return jnp.stack([a, b])


@case(["14x8"], "8: None, x", "42: None, (x, y)", "42: y, x")
def padded(a):
    return jnp.pad(a, 1)


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y")
def rolled(a):
    return jnp.roll(a, 3, 0)


@traffic(["512x256"], "8: x")
@case(["16x8"], "8: x", "42: x, y")
def flipped(a):
    return jnp.flip(a, 0)


@case(["8x4"], "8: x", "42: x, y")
def tiled(a):
    return jnp.tile(a, (2, 1))


@case(["16x8"], "8: x", "42: x, y")
def repeated(a):
    return jnp.repeat(a, 2, 0)


@case(["16x16"], "8: x", "42: x, y")
def lower(a):
    return jnp.tril(a)


# ---- Routines.

@case(["8x16"], "8: x", "42: x, y")
def fft(a):
    z = jnp.fft.fft(a)
    return jnp.real(z) + jnp.imag(z)


@case(["p8x4x4"], "8: x", "42: x, y", "42: (x, y)")
def cholesky(a):
    return jnp.linalg.cholesky(a)


@case(["p8x4x4", "8x4x2"], "8: x; x", "42: x; x, None, y")
def solve(a, b):
    return jnp.linalg.solve(a, b)


@case(["key", "16x8"], "8: ; x", "42: ; x, y")
def noise(k, a):
    return a + jax.random.normal(k, (16, 8), jnp.float32)


@case(["key"], "8: ")
def bits(k):
    return jax.random.uniform(k, (16, 8), jnp.float32)


# ---- Control.

@case(["6x8x4", "8x4", "4x4"], "8: None, x; x", "42: None, x, y; x, y; None, y", "42: None, x; x; y")
def recurrence(xs, h, w):
    def step(h, x):
        h = jnp.tanh(x + h @ w)
        return h, h.sum(1)
    return lax.scan(step, h, xs)


@case(["16x8"], "8: x", "42: x, y")
def halved(a):
    return lax.while_loop(lambda a: (a * a).sum() > 1, lambda a: a * 0.5, a)


@case(["16x8"], "8: x", "42: x, y")
def either(a):
    return lax.cond(a.sum() > 0, lambda a: jnp.sin(a), lambda a: a - a.mean(0), a)


# ---- Derivatives, lanes.

@case(["16x8", "8x16", "16x4"], "42: x; None, y; y", "8: x", "8: x; x; x")
def mlp_grad(x, w, v):
    return jax.grad(lambda w, v: (jnp.tanh(x @ w) @ v).sum(), (0, 1))(w, v)


@traffic(["512x8", "i8:512"], "42: x, y; x", "8: x; x")
@case(["16x8", "i8:16"], "8: x; x", "42: x, y; x")
def entropy_grad(a, i):
    return jax.grad(lambda a: -(jax.nn.log_softmax(a) * jax.nn.one_hot(i, 8, dtype=jnp.float32)).sum() / 16)(a)


@case(["16x8", "i16:12"], "8: x", "42: x, y", "42: None, y; x")
def embedding_grad(a, i):
    return jax.grad(lambda a: jnp.sin(jnp.take(a, i, 0)).sum())(a)


@case(["8x4x6", "6"], "8: x", "42: x, y", "42: x, None, y; y")
def lanes(a, v):
    return jax.vmap(lambda m: jnp.tanh(m @ v))(a)


@case(["8x6", "6"], "8: x", "42: x, y; y")
def lanes_of_grad(a, v):
    return jax.vmap(jax.grad(lambda r: (jnp.sin(r) * v).sum() ** 2))(a)


# ---- A transformer block: heads and hidden units over y, examples over x; then what is moved.

def normalized(x):
    c = x - x.mean(-1, keepdims=True)
    return c / jnp.sqrt((c * c).mean(-1, keepdims=True) + 1e-6)


def attended(x, q, k, v, o):
    y = normalized(x)
    a, b, c = (jnp.einsum("bsd,dhk->bshk", y, w) for w in (q, k, v))
    p = jax.nn.softmax(jnp.einsum("bqhk,bshk->bhqs", a, b) / math.sqrt(q.shape[-1]), -1)
    return p, x + jnp.einsum("bqhk,hkd->bqd", jnp.einsum("bhqs,bshk->bqhk", p, c), o)


def fed(z, up, down):
    h = jnp.einsum("bsd,df->bsf", normalized(z), up)
    return h, z + jnp.einsum("bsf,fd->bsd", jax.nn.gelu(h), down)


BLOCK = ["8x8x8", "8x4x2", "8x4x2", "8x4x2", "4x2x8", "8x16", "16x8"]
MEGATRON = "42: x; None, y; None, y; None, y; y; None, y; y"
FULLY = "8: x; x; x; x; None, None, x; x; None, x"
BIG = ["8x64x64", "64x4x16", "64x4x16", "64x4x16", "4x16x64", "64x256", "256x64"]


@traffic(BIG, MEGATRON)
@case(BLOCK, MEGATRON, FULLY)
def block(x, q, k, v, o, up, down):
    """its probabilities, the sum behind attention, hidden units, the result"""
    p, z = attended(x, q, k, v, o)
    h, y = fed(z, up, down)
    return p, z, h, y


@traffic(BIG, MEGATRON, FULLY)
@case(BLOCK, MEGATRON, FULLY)
def block_grad(x, q, k, v, o, up, down):
    def loss(*w):
        return (fed(attended(x, *w[:4])[1], *w[4:])[1] ** 2).mean()
    return jax.grad(loss, tuple(range(6)))(q, k, v, o, up, down)


@traffic(["512x128", "128x512", "512x128"], "42: x; None, y; y", "8: x; x; x")
def mlp(x, w, v):
    return jnp.tanh(x @ w) @ v


@traffic(["512x128", "128x512", "512x128"], "42: x; None, y; y", "8: x", "8: x; x; x")
def mlp_step(x, w, v):
    """a step of gradient descent; with all weights cut over the axis of the examples it is FSDP"""
    dw, dv = jax.grad(lambda w, v: (jnp.tanh(x @ w) @ v).sum(), (0, 1))(w, v)
    return w - 0.5 * dw, v - 0.5 * dv


@traffic(["512x256", "256", "256"], "42: x, y; y; y", "42: x")
def big_layer_norm(x, g, b):
    return layer_norm(x, g, b)


@traffic(["512x256"], "8: None, x", "42: x, y")
def big_softmax(a):
    return jax.nn.softmax(a, -1)


@traffic(["1024x64", "i1024:512"], "8: x", "42: y; x", "8: x; x")
def lookup(a, i):
    return jnp.take(a, i, 0)


@traffic(["1024x64", "i1024:512"], "42: y; x", "8: x")
def lookup_grad(a, i):
    return jax.grad(lambda a: jnp.sin(jnp.take(a, i, 0)).sum())(a)


@traffic(["256x512", "512x256"], "8: None, x; x", "42: x, y; y", "8: x; x", "42: x, y; x, y")
def big_matmul(a, b):
    return a @ b


@traffic(["16x8x32x32", "8x8x3x3"], "42: x, None, y", "42: x; y")
def big_conv(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME")


# ---- What a compiled program moves.

WIDTH = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8}


def group(line):
    """how many devices take part in a collective: {{0,1},{2,3}}, [2,4]<=[8], mesh['a'=4,'b'=2] {'b'} are three ways to say it"""
    if m := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
        return len(m[1].split(","))
    if m := re.search(r"replica_groups=\[(\d+),(\d+)\]", line):
        return int(m[2])
    if m := re.search(r"replica_groups=mesh\[([^\]]*)\].*? \{([^}]*)\}", line):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", m[1]))
        return math.prod(int(part or sizes[name]) for name, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", m[2]))
    assert "source_target_pairs" in line, line
    return 2


def moved(text):
    """Collectives, and the bytes that a device receives: of n devices' sums 2 (n - 1) / n of the operand, of a gathered result (n - 1) / n, ...
    As in kn_communication_of a permutation counts in full, though devices without a pair receive nothing."""
    count, total = 0, 0.0
    for line in text.splitlines():
        m = re.search(r"= (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(-start)?\(", line)
        if not m:
            continue
        size = sum(math.prod(map(int, d.split(","))) * WIDTH[t] if d else WIDTH[t] for t, d in re.findall(r"(\w+)\[([\d,]*)\]", m[1]))
        n = group(line)
        if n == 1:
            continue
        share = (n - 1) / n
        total += size * {"all-reduce": 2 * share, "all-gather": share, "reduce-scatter": n * share, "all-to-all": share, "collective-permute": 1}[m[2]]
        count += 1
    return count, round(total)


def placed(name, args, text):
    rng = np.random.default_rng(sum(map(ord, name)))
    args = [argument(rng, a) for a in args]
    mesh, specs, shardings = spread(text, args)
    return args, f"{name} | {mesh} | {'; '.join(specs)}", [jax.device_put(a, s) for a, s in zip(args, shardings)]


def main(folder):
    out, lines = {}, []
    for name, f, shapes, spreads in CASES:
        for k, text in enumerate(spreads):
            args, line, there = placed(name, shapes, text)
            results = jax.tree.leaves(jax.jit(f)(*there))
            lines.append(f"{line} | {'; '.join(spec_text(y) for y in results)}")
            for i, a in enumerate(args if not k else []):
                out[f"{name} in {i}"] = np.asarray(jax.random.key_data(a) if shapes[i] == "key" else a)
            for i, y in enumerate(jax.tree.leaves(jax.jit(f)(*args)) if not k else []):
                out[f"{name} out {i}"] = np.asarray(y)
    for name, f, shapes, spreads in TRAFFIC:
        for text in spreads:
            args, line, there = placed(name, shapes, text)
            compiled = jax.jit(f).lower(*there).compile().as_text()
            if len(sys.argv) > 2:
                print(line, *[m for m in compiled.splitlines() if re.search(r"(all-|reduce-scatter|permute)[a-z-]*\(", m)], sep="\n    ")
            count, size = moved(compiled)
            lines.append(f"> {line} | {','.join(shapes)} | {count} {size}")
    np.savez_compressed(folder / "sharding.npz", **out)
    (folder / "sharding.txt").write_text(f"# made by scripts/golden/make_sharding.py with JAX {jax.__version__}\n" + "\n".join(lines) + "\n")
    print(len(CASES), "functions,", len(lines), "lines")


main(pathlib.Path(sys.argv[1]))
