#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/searches.npz: steps of optax's L-BFGS and line searches (optax 0.2, JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_searches.py tests/golden

"rosen5 lbfgs f64 x" has the parameters behind each step, leaves joined, one row per step; "... rate" the learning rates and "... rounds" the
evaluations of each step, where there is a search. "logistic X f64" and its kin are what the problems are made of."""
import os
import pathlib
import sys
import typing

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0"  # a third of the time to compile
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax

assert jax.__version__.startswith("0.10."), jax.__version__
assert optax.__version__.startswith("0.2."), optax.__version__
STEPS = 15


class Net(typing.NamedTuple):
    w: typing.Any
    b: typing.Any


def rosen(x):
    return jnp.sum(100 * jnp.square(x[1:] - jnp.square(x[:-1])) + jnp.square(1 - x[:-1]))


def search(n, **more):
    return optax.scale_by_zoom_linesearch(n, **more)


OPTIMIZERS = {
    "lbfgs": optax.lbfgs(),
    "lbfgs_short": optax.lbfgs(memory_size=3, scale_init_precond=False),
    "lbfgs_fixed": optax.lbfgs(0.1, linesearch=None),
    "lbfgs_plain": optax.lbfgs(memory_size=1, linesearch=optax.scale_by_backtracking_linesearch(20)),
    # Rates that float32 holds, in which optax works them out.
    "lbfgs_scheduled": optax.lbfgs(optax.linear_schedule(0.125, 0.5, 8), linesearch=None),
    "backtracking": optax.chain(optax.sgd(1.0), optax.scale_by_backtracking_linesearch(30)),
    "backtracking_few": optax.chain(optax.sgd(1.0), optax.scale_by_backtracking_linesearch(3, slope_rtol=0.3, decrease_factor=0.5)),
    "backtracking_options": optax.chain(
        optax.sgd(1.0), optax.scale_by_backtracking_linesearch(30, increase_factor=np.inf, max_learning_rate=0.3, atol=1e-3, rtol=1e-2)),
    "zoom": optax.chain(optax.sgd(0.1), search(20)),
    "zoom_few": optax.chain(optax.sgd(1.0), search(3, initial_guess_strategy="one")),
    "zoom_strict": optax.chain(optax.sgd(0.01), search(30, curv_rtol=0.1, approx_dec_rtol=None, increase_factor=3.0)),
    "zoom_short": optax.chain(optax.sgd(0.01), search(20, max_learning_rate=1.5, tol=1e-3, stepsize_precision=1e-2)),
    "zoom_momentum": optax.chain(optax.sgd(0.001), search(20), optax.trace(0.5)),
}


def joined(tree):
    return np.concatenate([np.ravel(x) for x in jax.tree.leaves(tree)])


def run(problem, case, optimizer, name, f, params):
    state, rows, rates, rounds = optimizer.init(params), [], [], []
    searches = optax.tree.get(state, "info") is not None

    @jax.jit
    def step(params, state):
        value, grads = jax.value_and_grad(f)(params)
        updates, state = optimizer.update(grads, state, params, **(dict(value=value, grad=grads, value_fn=f) if searches else {}))
        return optax.apply_updates(params, updates), state

    for _ in range(STEPS):
        params, state = step(params, state)
        rows.append(joined(params))
        if searches:
            rates.append(np.asarray(optax.tree.get(state, "learning_rate")))
            rounds.append(np.asarray(optax.tree.get(state, "num_linesearch_steps")))
    out[f"{problem} {case} {name} x"] = np.array(rows)
    if rates:
        out[f"{problem} {case} {name} rate"] = np.array(rates)
        out[f"{problem} {case} {name} rounds"] = np.array(rounds)


out = {}
rng = np.random.default_rng(1)
X, y = rng.standard_normal((20, 3)), np.sign(rng.standard_normal(20))
D, d = 10.0 ** np.linspace(0, 4, 8), rng.standard_normal(8)
for name, dtype in ("f32", np.float32), ("f64", np.float64):
    data = {"logistic X": X, "logistic y": y, "quadratic D": D, "quadratic d": d}
    data = {key: value.astype(dtype) for key, value in data.items()}
    out.update({f"{key} {name}": value for key, value in data.items()})
    Xd, yd, Dd, dd = map(jnp.asarray, data.values())
    problems = {
        "rosen2": (rosen, jnp.asarray(np.array([-1.2, 1.0], dtype))),
        "rosen5": (rosen, jnp.asarray(np.array([-1.2, 1.0, -0.5, 0.25, 0.75], dtype))),
        "rosen10": (rosen, jnp.asarray(np.linspace(-1, 1.25, 10).astype(dtype))),
        "quadratic": (lambda x: jnp.sum(x * (0.5 * Dd * x - dd)), jnp.ones(8, dtype)),
        "logistic": (lambda p: jnp.mean(jnp.logaddexp(-yd * (Xd @ p.w + p.b), 0)) + 0.01 * jnp.sum(jnp.square(p.w)),
                     Net(jnp.zeros(3, dtype), jnp.asarray(0.5, dtype))),
    }
    for problem, (f, params) in problems.items():
        for case, optimizer in OPTIMIZERS.items():
            few = name == "f32" or problem in ("rosen2", "rosen10")  # each takes JAX seconds to compile
            noise = problem == "quadratic" and case == "lbfgs_short"  # a cubic through a parabola: rounding says where it is least
            if not noise and (not few or case in ("lbfgs", "backtracking", "zoom")):
                run(problem, case, optimizer, name, f, params)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "searches.npz", **out)
