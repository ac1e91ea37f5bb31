#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/coverage.npz: what each call in tests/coverage/*.def gives in NumPy 2.4, JAX 0.10 and optax 0.2 (64-bit types
on), under the name of its row, and the operands of the calls.

    /tmp/venv/bin/python scripts/golden/make_coverage.py tests/coverage tests/golden"""
import contextlib
import copy
import io
import os
import pathlib
import re
import sys
import tempfile
import warnings

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.flatten_util
import jax.ad_checkpoint
import jax.dlpack
import jax.scipy.linalg as jsl
import jax.numpy as jnp
import numpy as np
import optax
from numpy.lib import NumpyVersion
from jax import lax
from jax.scipy import special
from scipy import special as scipy_special

warnings.simplefilter("ignore")
assert np.__version__.startswith("2.4."), np.__version__
assert jax.__version__.startswith("0.10."), jax.__version__
assert optax.__version__.startswith("0.2."), optax.__version__
rng = np.random.default_rng(2)


def somewhere(lo, hi, *shape):
    return np.round(rng.uniform(lo, hi, shape), 3)


OPERANDS = {
    "b": rng.integers(0, 2, (3, 4)) > 0, "d": rng.integers(0, 2, (3, 4)) > 0, "f": somewhere(-2, 2, 3, 4).astype(np.float32),
    "g": somewhere(1.1, 4, 3, 4), "h": rng.integers(-2**31, 2**31, 6).astype(np.int32), "i": rng.integers(-5, 8, (3, 4)),
    "j": rng.integers(1, 7, (3, 4)), "n": somewhere(-2, 2, 3, 4), "q": np.array([0, 2, 1, 1, 0, 2]), "r": somewhere(-2, 2, 3, 3),
    "s": np.eye(3) * 2 + 0.25, "t": somewhere(-2, 2, 2, 3, 4), "u": rng.integers(0, 256, 6).astype(np.uint8),
    "v": np.sort(somewhere(0.1, 5, 6)), "w": somewhere(0.1, 5, 6), "x": somewhere(0.1, 0.9, 3, 4), "y": somewhere(-2, 2, 3, 4),
    "z": somewhere(-2, 2, 3, 4) + 1j * somewhere(-2, 2, 3, 4), "image": somewhere(-1, 1, 1, 2, 5, 5),
    "kernel": somewhere(-1, 1, 3, 2, 3, 3), "local": somewhere(-1, 1, 3, 18, 3, 3)}
OPERANDS["n"][0, 1] = OPERANDS["n"][2, 3] = np.nan
globals().update(OPERANDS)
key = jax.random.key(42)


# ---- The words of the tables.
def J(*parts):  # the elements of all of them
    parts = [np.ravel(np.asarray(p)) for p in parts]
    return np.concatenate([p if p.dtype.kind == "c" else p.astype(np.float64) for p in parts])


def S(text):
    return np.frombuffer(text.encode(), np.uint8)


def W(write):  # the bytes that are written to a file
    path = os.path.join(tempfile.mkdtemp(), "a")
    write(path)
    with open(path, "rb") as f:
        return np.frombuffer(f.read(), np.uint8)


def R(content, read):  # what is read of a file of these bytes
    path = os.path.join(tempfile.mkdtemp(), "a")
    with open(path, "wb") as f:
        f.write(content)
    return np.array(read(path))


def C_(x, change):  # x itself, changed
    change(x)
    return x


def C(x, change):  # a copy, changed
    c = np.array(x)
    change(c)
    return c


def raises(f, good, bad):
    def fails(args):
        try:
            f(*args)
        except AssertionError:
            return 1
        return 0

    return np.array([fails(good), fails(bad)])


def printed(a, **options):
    with np.printoptions(**options):
        return S(str(a))


def raises_floating(f):
    try:
        f()
    except FloatingPointError:
        return True
    return False


def heard(f):  # bits that np.seterrcall's function gets
    got = []
    with np.errstate(all="call"):
        old = np.seterrcall(lambda kind, bits: got.append(bits))
        f()
        np.seterrcall(old)
    return got


def raises_nan():
    with jax.debug_nans(True):
        try:
            jnp.log(jnp.array(-1.0)).block_until_ready()
        except FloatingPointError:
            return True
    return False


gather_rows = lax.GatherDimensionNumbers((1,), (0,), (0,))
scatter_rows = lax.ScatterDimensionNumbers((1,), (0,), (0,))


def wave(a):
    return jnp.sum(jnp.sin(a) * a)


def each(a):
    return jnp.sin(a) * a


def thrice(a):
    return 3.0 * a


rows = jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices(), ("x",)), jax.sharding.PartitionSpec("x"))


def drawn():
    """What JAX draws of six elements on the mesh (it needs rich)."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.debug.visualize_sharding((6,), rows, use_color=False)
    return S(text.getvalue().rstrip() + "\n")


def named(a):
    c = jax.ad_checkpoint.checkpoint_name(jnp.sin(a), "s")
    return jnp.sum(jnp.sin(c @ c.T))


def on_one_device(f):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))
    return jax.shard_map(f, mesh=mesh, in_specs=jax.sharding.PartitionSpec("x"), out_specs=jax.sharding.PartitionSpec("x"))


def saved(f, policy):
    return jax.grad(jax.checkpoint(f, policy=policy))(jnp.asarray(y))


def run_unjitted(f, a):
    with jax.disable_jit():
        return jax.jit(f)(a)


@jax.custom_jvp
def ruled(a):
    return each(a)


ruled.defjvp(lambda p, dp: (each(*p), 10 * dp[0] * jnp.cos(p[0])))


@jax.custom_vjp
def pulled(a):
    return each(a)


pulled.defvjp(lambda a: (each(a), jnp.cos(a)), lambda kept, ct: (10 * ct * kept,))


def steps(optimizer, **more):
    params = [jnp.asarray(x), jnp.asarray(v)]
    state = optimizer.init(params)
    for k in 1, 2, 3:
        updates, state = optimizer.update([k * y, k * w], state, params, **more)
        params = optax.apply_updates(params, updates)
    return J(*jax.tree.leaves([updates, params]))


def steps_with_value(optimizer):
    return steps(optimizer, value=2.5)


def sophia_steps():  # the estimates of the Hessian's diagonal are the gradients' squares
    squares = optax.GradientTransformation(lambda p: (), lambda g, s, params=None: (jax.tree.map(jnp.square, g), s))
    return steps(optax.contrib.sophia(0.1, update_interval=2, hessian_diagonal_fn=squares))


def complex_step(optimizer):
    params = [jnp.asarray(z), jnp.asarray(v)]
    return J(*optimizer.update([jnp.conj(z * y), w], optimizer.init(params), params)[0])


def example_steps(optimizer):  # of three examples
    params = [jnp.asarray(x[0]), jnp.asarray(v[0])]
    state = optimizer.init(params)
    for k in 1, 2:
        updates, state = optimizer.update([k * y, k * w[:3]], state, params)
        params = optax.apply_updates(params, updates)
    return J(*params)


def search_steps(optimizer, from_state=False):
    def f(p):
        return jnp.sum(jnp.square(p[0] - 1)) + jnp.sum(jnp.square(jnp.square(p[1])))

    params = [jnp.asarray(x), jnp.asarray(v)]
    state, slope = optimizer.init(params), jax.value_and_grad(f)
    for _ in range(3):
        value, grad = optax.value_and_grad_from_state(f)(params, state=state) if from_state else slope(params)
        updates, state = optimizer.update(grad, state, params, value=value, grad=grad, value_fn=f)
        params = optax.apply_updates(params, updates)
    return J(*params)


def eval_params():
    params, optimizer = [jnp.asarray(x), jnp.asarray(v)], optax.contrib.schedule_free(optax.sgd(0.1), 0.1)
    state = optimizer.init(params)
    for k in 1, 2, 3:
        updates, state = optimizer.update([k * y, k * w], state, params)
        params = optax.apply_updates(params, updates)
    return J(*optax.contrib.schedule_free_eval_params(state, params))


def lookahead_steps():
    optimizer = optax.lookahead(optax.sgd(0.1), 2, 0.5)
    params = optax.LookaheadParams.init_synced([jnp.asarray(x), jnp.asarray(v)])
    state = optimizer.init(params)
    for k in 1, 2, 3:
        updates, state = optimizer.update([k * y, k * w], state, params)
        params = optax.apply_updates(params, updates)
    return J(*jax.tree.leaves(params))


def rates(schedule):
    return np.array([np.float64(schedule(np.int64(k))) for k in range(12)])


def main(tables, out):
    stored = {f"operand {name}": a for name, a in OPERANDS.items()}
    row = re.compile(r'^(?:SAME\(|NEAR\([^,]*, )([^"]*), "((?:[^"\\]|\\.)*)"', re.M)
    bad = 0
    for path in sorted(pathlib.Path(tables).glob("*.def")):
        for name, there in row.findall(path.read_text()):
            assert name not in stored, name
            try:
                result = eval(there.replace("\\\\", "\\"))
            except Exception as error:
                print(f"{name}: {there}: {type(error).__name__}: {str(error)[:200]}")
                bad += 1
                continue
            stored[name] = np.ascontiguousarray(result) if np.ndim(result) else np.array(result)
    if bad:
        sys.exit(f"{bad} calls failed")
    np.savez(pathlib.Path(out) / "coverage.npz", **stored)


main(*sys.argv[1:])
