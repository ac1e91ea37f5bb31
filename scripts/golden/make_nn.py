#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/nn.npz: values and gradients of jax.nn's functions (JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_nn.py tests/golden

"x f32" is the operand of each case, "m" the mask and "b f32" the factors. "value softmax_0 f32" is the case's result, "grad softmax_0 f32"
the gradient of sum(cos(result)) by x. "edge ..." are results for "edge f64", which has infinities and NaN."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np

assert jax.__version__.startswith("0.10."), jax.__version__
nn = jax.nn
mask = np.random.default_rng(1).random((3, 4, 5)) < 0.7
mask[1, :, 2] = False
CASES = {
    "relu": lambda x, b: nn.relu(x),
    "sigmoid": lambda x, b: nn.sigmoid(x),
    "silu": lambda x, b: nn.silu(x),
    "softmax": lambda x, b: nn.softmax(x),
    "softmax_0": lambda x, b: nn.softmax(x, 0),
    "softmax_02": lambda x, b: nn.softmax(x, (0, 2)),
    "softmax_all": lambda x, b: nn.softmax(x, None),
    "softmax_where": lambda x, b: nn.softmax(x, -1, where=mask),
    "log_softmax": lambda x, b: nn.log_softmax(x),
    "log_softmax_1": lambda x, b: nn.log_softmax(x, 1),
    "logsumexp": lambda x, b: nn.logsumexp(x),
    "logsumexp_1": lambda x, b: nn.logsumexp(x, 1),
    "logsumexp_20_keep": lambda x, b: nn.logsumexp(x, (2, 0), keepdims=True),
    "logsumexp_b": lambda x, b: nn.logsumexp(x, -1, b=b),
    "logsumexp_where": lambda x, b: nn.logsumexp(x, 0, where=mask),
}
out = {"m": mask}
rng = np.random.default_rng(0)
for name, dtype in ("f32", np.float32), ("f64", np.float64):
    x = (rng.standard_normal((3, 4, 5)) * 3).astype(dtype)
    x.flat[7] = 0
    b = (rng.random((4, 5)) * 2 - 0.3).astype(dtype)
    b[2, 3] = 0
    out[f"x {name}"], out[f"b {name}"] = x, b
    for case, f in CASES.items():
        out[f"value {case} {name}"] = np.asarray(f(x, b))
        if case != "logsumexp_b":  # NaN where sums are negative
            out[f"grad {case} {name}"] = np.asarray(jax.grad(lambda x: jnp.cos(f(x, b)).sum())(x))
inf, nan = np.inf, np.nan
edge = np.array([[1, inf, 2], [-inf, -inf, -inf], [nan, 1, 2], [-inf, 0, 1], [1000, -1000, 999], [-0.0, 0.0, -5]])
out["edge f64"] = edge
for case in "relu", "sigmoid", "silu", "softmax", "log_softmax", "logsumexp_1":
    out[f"edge {case} f64"] = np.asarray(CASES[case](edge, None))
labels = jnp.array([[0, 3, -1], [4, 5, 2]])
out["one_hot"] = np.asarray(nn.one_hot(labels, 5))
out["one_hot_0"] = np.asarray(nn.one_hot(labels, 5, axis=0, dtype=jnp.int32))
out["one_hot_1"] = np.asarray(nn.one_hot(labels, 5, axis=1, dtype=jnp.float32))
np.savez_compressed(pathlib.Path(sys.argv[1]) / "nn.npz", **out)
