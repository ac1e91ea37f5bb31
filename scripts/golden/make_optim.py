#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/optim.npz: twenty steps of optax's optimizers (optax 0.2, JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_optim.py tests/golden

The parameters are "w f32" (3x4) and "b f32" (4); the gradients at a point are 2 (w - 1) s + sin(w) and 3 b - 1, where s is "s f32".
"adam f32 w 20" is w after 20 steps; "adam f32 update w" the first update."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax

assert jax.__version__.startswith("0.10."), jax.__version__
assert optax.__version__.startswith("0.2."), optax.__version__
OPTIMIZERS = {
    "sgd": optax.sgd(0.05),
    "momentum": optax.sgd(0.05, momentum=0.9),
    "nesterov": optax.sgd(0.05, momentum=0.9, nesterov=True),
    "adam": optax.adam(0.1),
    "adam_options": optax.adam(0.03, b1=0.8, b2=0.95, eps=1e-4, eps_root=1e-6),
    "nadam": optax.adam(0.1, nesterov=True),
    "adamw": optax.adamw(0.1, weight_decay=0.02),
}
out = {}
rng = np.random.default_rng(0)
for name, dtype in ("f32", np.float32), ("f64", np.float64):
    start = {"w": rng.standard_normal((3, 4)).astype(dtype), "b": rng.standard_normal(4).astype(dtype)}
    s = rng.random((3, 4)).astype(dtype)
    out[f"w {name}"], out[f"b {name}"], out[f"s {name}"] = start["w"], start["b"], s
    for case, optimizer in OPTIMIZERS.items():
        params = jax.tree.map(jnp.asarray, start)
        state = optimizer.init(params)
        for step in range(1, 21):
            grads = {"w": 2 * (params["w"] - 1) * s + jnp.sin(params["w"]), "b": 3 * params["b"] - 1}
            updates, state = optimizer.update(grads, state, params)
            params = optax.apply_updates(params, updates)
            for leaf in "w", "b":
                assert params[leaf].dtype == dtype
                if step == 1:
                    out[f"{case} {name} update {leaf}"] = np.asarray(updates[leaf])
                if step in (1, 20):
                    out[f"{case} {name} {leaf} {step}"] = np.asarray(params[leaf])
np.savez_compressed(pathlib.Path(sys.argv[1]) / "optim.npz", **out)
