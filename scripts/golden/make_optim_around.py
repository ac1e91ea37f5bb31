#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/optim_around.npz: fifteen steps of those optimizers of optax.contrib that are around others or see examples (optax 0.2,
JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_optim_around.py tests/golden

The parameters are lists of leaves: "real f64 0", ... (a tall matrix, a wide one, a vector, a scalar and an array of three dimensions), "complex f64 0", ...
and "examples f64 0", ... ("kind dtype number"). Gradients at step k are "kind grad dtype number"[k] + p / 2; those of examples, without the p / 2, have
the examples as their first axis. "case dtype number 15" is a leaf of the parameters after 15 steps, "case dtype update number" of the first update.

Singular vectors have signs that are the library's choice, so of galore only what does not depend on them is here: parameters and updates, and
where projections change on the way, with base optimizers that keep squares or nothing."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax
from optax import contrib

assert jax.__version__.startswith("0.10."), jax.__version__
assert optax.__version__.startswith("0.2."), optax.__version__
STEPS, EXAMPLES = 15, 6
SHAPES = {"real": [(5, 3), (3, 5), (4,), (), (2, 3, 4)], "complex": [(3, 2), (4,), ()], "examples": [(5, 3), (4,), ()]}
KINDS = {"f32": np.float32, "f64": np.float64}


def dims(*axes):
    return contrib.GaLoreDimensionNumbers(*axes)


CASES = {
    "mechanize_sgd": ("real", contrib.mechanize(optax.sgd(1.0))),
    "mechanize_adam": ("real", contrib.mechanize(optax.adam(1.0), weight_decay=0.1, eps=1e-6, s_init=1e-2, num_betas=3)),
    "mechanize_scheduled": ("real", contrib.mechanize(optax.adamw(optax.cosine_decay_schedule(1.0, 10)), s_init=0.5)),
    "galore": ("real", contrib.galore(0.1, rank=2)),
    "galore_gap": ("real", contrib.galore(0.1, rank=2, update_proj_gap=4, scale=0.5, weight_decay=0.1, base_optimizer=optax.scale_by_rms())),
    "galore_masked": ("real", contrib.galore(0.1, rank=1, weight_decay=0.1, mask=[True, False, True, False, False])),
    "galore_lion": ("real", contrib.galore(0.1, base_optimizer=optax.scale_by_lion())),
    "galore_scheduled": ("real", contrib.galore(optax.linear_schedule(0.2, 0.0, 20), rank=2, base_optimizer=optax.trace(0.9))),
    "galore_dims": ("real", contrib.galore(0.1, rank=2, weight_dimension_numbers=[dims(), dims(1, 0), None, None, dims((0, 2), -2)])),
    "galore_one_for_all": ("examples", contrib.galore(0.1, rank=2, weight_dimension_numbers=dims(1, 0))),
    "scale_by_galore": ("real", contrib.scale_by_galore(2, 3, -0.3, optax.scale(0.5))),
    "split_adam": ("complex", contrib.split_real_and_imaginary(optax.adam(0.1))),
    "split_lamb": ("complex", contrib.split_real_and_imaginary(optax.lamb(0.1, weight_decay=0.1))),
    "split_dog": ("complex", contrib.split_real_and_imaginary(contrib.dog(0.5, ("heuristic", 1e-2)))),
    "split_masked": ("complex", contrib.split_real_and_imaginary(optax.chain(optax.masked(contrib.dowg(), lambda p: jax.tree.map(lambda x: x.ndim > 0, p)), optax.sgd(0.1)))),
    "split_mechanize": ("complex", contrib.split_real_and_imaginary(contrib.mechanize(optax.adam(1.0), s_init=1e-2))),
    "split_galore": ("complex", contrib.split_real_and_imaginary(contrib.galore(0.1, rank=1))),
    "dpsgd": ("examples", contrib.dpsgd(0.1, 1.0, 0.5, seed=7)),
    "dpsgd_nesterov": ("examples", contrib.dpsgd(0.1, 2.0, 0.1, seed=8, momentum=0.9, nesterov=True)),
    "private_adam": ("examples", optax.chain(contrib.differentially_private_aggregate(0.5, 1.0, key=jax.random.key(9)), optax.adam(0.1))),
    "private_without_noise": ("examples", optax.chain(contrib.differentially_private_aggregate(3.0, 0.0, key=0), optax.scale(-0.1))),
}


def run(case, optimizer, kind, name):
    params = [jnp.asarray(out[f"{kind} {name} {i}"]) for i in range(len(SHAPES[kind]))]
    grads = [jnp.asarray(out[f"{kind} grad {name} {i}"]) for i in range(len(SHAPES[kind]))]
    private = case.startswith(("dpsgd", "private"))
    one = [g.mean(axis=1) if kind == "examples" and not private else g for g in grads]
    state = optimizer.init(params)
    for step in range(STEPS):
        now = [g[step] if private else g[step] + p / 2 for g, p in zip(one, params)]
        updates, state = optimizer.update(now, state, params)
        params = optax.apply_updates(params, updates)
        for i in range(len(params)):
            assert params[i].dtype == updates[i].dtype == out[f"{kind} {name} {i}"].dtype
            if step == 0:
                out[f"{case} {name} update {i}"] = np.asarray(updates[i])
            if step == STEPS - 1:
                out[f"{case} {name} {i} {STEPS}"] = np.asarray(params[i])
    out[f"{case} leaves"] = np.asarray(len(jax.tree.leaves(state)))


out = {}
rng = np.random.default_rng(3)
for kind, shapes in SHAPES.items():
    front = (STEPS, EXAMPLES) if kind == "examples" else (STEPS,)
    for i, shape in enumerate(shapes):
        p, g = rng.standard_normal(shape), rng.standard_normal(front + shape)
        if kind == "complex" and i < 2:
            p, g = p + 1j * rng.standard_normal(p.shape), g + 1j * rng.standard_normal(g.shape)
        for name, dtype in KINDS.items():
            own = np.result_type(dtype, np.complex64) if np.iscomplexobj(p) else dtype
            out[f"{kind} {name} {i}"], out[f"{kind} grad {name} {i}"] = np.asarray(p, own), np.asarray(g, own)
for case, (kind, optimizer) in CASES.items():
    for name in KINDS:
        run(case, optimizer, kind, name)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "optim_around.npz", **out)
