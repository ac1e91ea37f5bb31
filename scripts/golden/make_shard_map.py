#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/shard_map.npz and shard_map_texts.txt: functions of one device over meshes of eight (JAX 0.10, 64-bit types on).

    build/venv/bin/python scripts/golden/make_shard_map.py tests/golden

A program is a function below with the decorator @program(mesh, in_specs, out_specs, shape, ...). "ring in 0" is the first array that it takes,
"ring out 0" the first one that it gives, "ring grad 0" the derivative by the first array of the sum over all floating results of
result * cos(0, 1, 2, ...). The text is that of jax.make_jaxpr for arrays of 32 bits, without the check of replication, which would put types and
equations of its own there; sets of Python are put into the order of the mesh."""
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
from jax.sharding import Mesh, PartitionSpec as P

assert jax.__version__.startswith("0.10."), jax.__version__
devices = np.array(jax.devices())
MESHES = {"x4": Mesh(devices[:4], ("x",)), "x8": Mesh(devices, ("x",)), "xy": Mesh(devices.reshape(4, 2), ("x", "y")),
          "xyz": Mesh(devices.reshape(2, 2, 2), ("x", "y", "z")), "x3": Mesh(devices[:3], ("x",))}
rng = np.random.default_rng(11)
PROGRAMS = []


def program(mesh, in_specs, out_specs, *shapes, check=True, grad=True):
    def add(f):
        PROGRAMS.append((f.__name__, f, MESHES[mesh], in_specs, out_specs, shapes, check, grad))
        return f
    return add


RING = [(i, (i + 1) % 4) for i in range(4)]


@program("x4", P("x"), P("x"), (8, 3))
def ring(a):
    """each device's part goes around, and is added up with weights"""
    y = a
    for k in range(3):
        a = lax.ppermute(a, "x", RING)
        y = y + (k + 2) * jnp.sin(a)
    return y


@program("x4", P("x"), P("x"), (8, 3))
def shifted(a):
    """zeros where nobody sends"""
    return a * lax.ppermute(a, "x", [(0, 1), (2, 3)])


@program("x4", P("x"), P(None, "x"), (8, 12))
def exchange(a):
    return lax.all_to_all(jnp.cos(a), "x", 1, 0, tiled=True)


@program("x4", P("x"), P("x"), (16, 5))
def swap_blocks(a):
    return lax.all_to_all(a * a, "x", 0, 0, tiled=False)


@program("x4", P(None, "x"), P("x"), (8, 12))
def scatter_sum(a):
    return lax.psum_scatter(jnp.exp(a), "x", scatter_dimension=0, tiled=True)


@program("x4", P("x"), P("x"), (8, 3))
def gathered(a):
    whole = lax.all_gather(a, "x", tiled=True)
    return a * whole.sum(0)


@program("x4", P("x"), P("x"), (8, 2))
def stacked(a):
    return lax.all_gather(a, "x") * 2.0


@program("x4", P("x"), P("x"), (8, 3))
def numbered(a):
    return a * lax.axis_index("x").astype(a.dtype)


@program("xy", (P("x", "y"), P("y")), P("x"), (8, 6), (6, 4))
def product(a, b):
    """a row of devices has the parts of a sum"""
    return lax.psum(a @ b, "y")


@program("xy", (P("x", "y"), P("x", "y")), P(None, "y"), (8, 6), (8, 6))
def summed_rows(a, b):
    return lax.psum(a * b, "x")


@program("xy", P(("x", "y")), P(), (16, 3))
def total(a):
    return lax.psum((a * a).sum(), ("x", "y"))


@program("xy", P(("y", "x")), P("y"), (16, 3))
def minor_first(a):
    return lax.psum(jnp.tanh(a), "x")


@program("xy", P("x"), P("x"), (8, 3))
def mean(a):
    return a - lax.pmean(a, "x")


@program("x8", P("x"), P(), (16, 2), grad=False)
def largest(a):
    return lax.pmax(a, "x") + lax.pmin(a * a, "x")


@program("xyz", P("x", ("y", "z")), P(("x", "z"), "y"), (4, 8))
def three_axes(a):
    return lax.all_gather(jnp.sin(a), "z", axis=0, tiled=True)[:1] + lax.psum(a, "z")[:1] * a[:1, :1]


@program("x3", P("x"), P("x"), (6, 3))
def three_devices(a):
    return a / lax.psum(a * a + 1.0, "x")


@program("x4", (P("x"), P("x")), (P("x"), P("x")), (8, 3), (8,))
def two_results(a, b):
    return lax.ppermute(a, "x", RING) * b[:, None], jnp.sin(b) + lax.psum(b, "x")


@program("x4", (P(None, "x"), P("x")), P(None, "x"), (5, 8), (8,))
def scanned(xs, c):
    """a loop in which neighbours speak with each other"""
    def step(c, x):
        c = 0.5 * lax.ppermute(c, "x", RING) + jnp.sin(x * c)
        return c, c + lax.psum(c.sum(), "x")
    return lax.scan(step, c, xs)[1]


@program("x4", (P("x"), P()), P("x"), (8, 3), (3, 3))
def with_weights(a, w):
    """w is the same everywhere: its derivative is a sum over devices"""
    return jnp.tanh(a @ w) * lax.axis_index("x").astype(a.dtype)


@program("x4", P("x"), P("x"), (8, 4))
def normalised(a):
    """softmax over an axis that is cut"""
    m = lax.stop_gradient(lax.pmax(lax.stop_gradient(a).max(0), "x"))
    e = jnp.exp(a - m)
    return e / lax.psum(e.sum(0), "x")


@program("x4", P("x"), P("x"), (8, 3), check=False)
def branched(a):
    return lax.cond(lax.axis_index("x") % 2 == 0, jnp.sin, lambda v: v * 3.0, a)


@program("x4", P("x"), P("x"), (12,))
def halo(a):
    """a difference with both neighbours"""
    left = lax.ppermute(a[-1:], "x", [(i, i + 1) for i in range(3)])
    right = lax.ppermute(a[:1], "x", [(i + 1, i) for i in range(3)])
    b = jnp.concatenate([left, a, right])
    return b[2:] - 2.0 * b[1:-1] + b[:-2]


def total_of(f):
    def total(*args):
        t = 0.0
        for y in jax.tree.leaves(f(*args)):
            t = t + (y * jnp.cos(jnp.arange(y.size, dtype=jnp.float64)).reshape(y.shape)).sum()
        return t
    return total


def in_order(text, mesh):
    names = "frozenset({" + ", ".join(f"'{n}'" for n in mesh.axis_names) + "})"
    return re.sub(r"frozenset\(\{[^}]*\}\)", names, text)


out, texts = {}, []
for name, f, mesh, in_specs, out_specs, shapes, check, grad in PROGRAMS:
    args = [rng.standard_normal(s) for s in shapes]
    g = jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check)
    for i, a in enumerate(args):
        out[f"{name} in {i}"] = a
    for i, y in enumerate(jax.tree.leaves(jax.jit(g)(*args))):
        out[f"{name} out {i}"] = np.asarray(y)
    if grad:
        for i, d in enumerate(jax.jit(jax.grad(total_of(g), tuple(range(len(args)))))(*args)):
            out[f"{name} grad {i}"] = np.asarray(d)
    with jax.enable_x64(False):
        plain = jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
        text = str(jax.make_jaxpr(plain)(*[jnp.ones(s, jnp.float32) for s in shapes]))
    texts.append(f"\n== {name}\n{in_order(text, mesh)}\n")
folder = pathlib.Path(sys.argv[1])
np.savez_compressed(folder / "shard_map.npz", **out)
(folder / "shard_map_texts.txt").write_text(f"# made by scripts/golden/make_shard_map.py with JAX {jax.__version__}\n" + "".join(texts))
