#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jax_values.py -- writes data/jax.json: what JAX and optax say to the rows of data/jax.txt (dtype, shape and values of
each array of the result)."""
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl  # noqa: F401
import jax.scipy.special as sp  # noqa: F401
import numpy as np
import optax
from jax import lax, nn as N, random as R  # noqa: F401

DATA = Path(__file__).parent.parent / "data"
given = json.loads((DATA / "jax_inputs.json").read_text())
x, X, S, L, I, W, G, T3, Q, K, V, B = (jnp.array(given[k], jnp.float32) for k in given)  # noqa: E741
key = R.PRNGKey(7)


def run(optimizer):
    """Three steps down x^2 + sin x of a tree."""
    params = {"w": X[0], "b": [X[1]]}
    state = optimizer.init(params)
    for _ in range(3):
        grads = jax.tree.map(lambda p: 2 * p + jnp.cos(p), params)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params


def steps(schedule):
    """Its numbers at the first steps."""
    return [schedule(n) for n in range(10)]


def value(v):
    v = np.asarray(v)
    flat = v.astype(np.float64) if v.dtype.kind not in "c" else v
    parts = flat.ravel() if v.dtype.kind != "c" else np.stack([v.real, v.imag], -1).ravel()
    return {"dtype": str(v.dtype), "shape": list(v.shape),
            "values": [int(n) if v.dtype.kind in "biu" else float(n) if np.isfinite(n) else str(n) for n in parts]}


out = {}
for line in (DATA / "jax.txt").read_text().splitlines():
    if line and line[0] != "#":
        name, python, _ = line.split(" | ")
        out[name] = [value(v) for v in jax.tree.leaves(eval(python))]
(DATA / "jax.json").write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in out.items()) + "\n}\n")
