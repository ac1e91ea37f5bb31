#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/nn.npz: values and gradients of jax.nn's functions (JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_nn.py tests/golden

"x f32" is the operand of each case, "m" the mask and "b f32" the factors. "value softmax_0 f32" is the case's result, "grad softmax_0 f32"
the gradient of sum(cos(result)) by x. "edge ..." are results for "edge f64", which has infinities and NaN.

"each gelu f32" has the values, first and second derivatives of an elementwise function at the points "grid f64" (kinks, far away, infinities,
NaN), or for 16-bit dtypes, whose results are stored as float32, at "short grid f64".

"attention causal f32" is the result for "q", "k" and "v" with "bias", "mask" and "q lengths", "kv lengths"; "attention grad ..." the gradients
of sum(cos(result)) by the three, flat, one behind the other. "segment ..." are of "data", "ids"; "init ..." initializers of key 7."""
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
    "logmeanexp": lambda x, b: nn.logmeanexp(x),
    "logmeanexp_1_keep": lambda x, b: nn.logmeanexp(x, 1, keepdims=True),
    "logmeanexp_where": lambda x, b: nn.logmeanexp(x, (0, 2), where=mask),
    "standardize": lambda x, b: nn.standardize(x),
    "standardize_0": lambda x, b: nn.standardize(x, 0, epsilon=0.1),
    "standardize_all": lambda x, b: nn.standardize(x, None, algorithm="stable"),
    "standardize_where": lambda x, b: nn.standardize(x, (0, 2), where=mask),
    "standardize_given": lambda x, b: nn.standardize(x, mean=b, variance=b * b),
    "glu": lambda x, b: nn.glu(x, 1),
    "elu_array": lambda x, b: nn.elu(x, b),
    "leaky_relu_array": lambda x, b: nn.leaky_relu(x, b),
    "squareplus_array": lambda x, b: nn.squareplus(x, b * b),
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

# ---- Elementwise functions at their kinks and far away.
EACH = {
    **{f: getattr(nn, f) for f in (
        "identity relu relu6 sigmoid softplus sparse_plus sparse_sigmoid soft_sign silu swish log_sigmoid leaky_relu hard_sigmoid hard_silu "
        "hard_swish hard_tanh tanh elu celu selu gelu squareplus mish log1mexp").split()},
    "gelu_exact": lambda x: nn.gelu(x, approximate=False),
    "leaky_relu_3": lambda x: nn.leaky_relu(x, 0.3),
    "elu_2": lambda x: nn.elu(x, 2),
    "celu_2": lambda x: nn.celu(x, 2),
    "squareplus_1": lambda x: nn.squareplus(x, 1),
}
short = [-20, -7, -6, -4, -3, -2.5, -1.5, -1, -0.75, -0.125, 0, 0.25, 0.5, 0.6875, 0.75, 1, 1.75, 2, 3, 3.5, 5, 6, 6.5, 20]
grid = short + [-0.0, 1e-3, -1e-3, 1e-9, -1e-9, 90, -90, 1000, -1000, inf, -inf, nan]
out["short grid f64"], out["grid f64"] = np.array(short), np.array(grid)
DTYPES = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32, "f64": jnp.float64}
for name, dtype in DTYPES.items():
    wide = name in ("f32", "f64")
    x = jnp.asarray(np.array(grid if wide else short), dtype)
    for case, f in EACH.items():
        slope = jax.grad(f)
        rows = [f(x), jax.vmap(slope)(x)] + ([jax.vmap(jax.grad(slope))(x)] if wide else [])
        out[f"each {case} {name}"] = np.asarray(jnp.stack([r.astype(dtype if wide else jnp.float32) for r in rows]))

# ---- Attention.
B, T, S, N, H = 2, 3, 5, 4, 8
q, k, v = rng.standard_normal((B, T, N, H)), rng.standard_normal((B, S, N, H)), rng.standard_normal((B, S, N, H))
bias, biases, masks = rng.standard_normal((1, 1, T, S)), rng.standard_normal((B, N, T, S)), rng.random((B, N, T, S)) < 0.7
q_lengths, kv_lengths = np.array([3, 2], np.int32), np.array([2, 5], np.int32)
out.update({"q": q, "k": k, "v": v, "bias": bias, "biases": biases, "masks": masks, "q lengths": q_lengths, "kv lengths": kv_lengths})
ATTENTION = {  # how many key heads, and options
    "plain": (4, {}),
    "grouped": (2, {}),
    "one_head": (1, {}),
    "bias": (4, {"bias": bias}),
    "biases": (4, {"bias": biases}),
    "mask": (4, {"mask": masks}),
    "scale": (4, {"scale": 0.7}),
    "causal": (4, {"is_causal": True}),
    "lengths": (4, {"query_seq_lengths": q_lengths, "key_value_seq_lengths": kv_lengths}),
    "window": (4, {"local_window_size": 1}),
    "windows": (4, {"local_window_size": (2, 0)}),
    "grouped_all": (2, {"bias": bias, "mask": masks, "is_causal": True, "key_value_seq_lengths": kv_lengths, "local_window_size": (1, 1)}),
    "grouped_biases": (2, {"bias": biases, "mask": masks[:1, :1], "query_seq_lengths": q_lengths}),
}
for name in "f32", "f64", "bf16":
    for case, (heads, options) in ATTENTION.items():
        dtype = DTYPES[name]
        args = [jnp.asarray(a, dtype) for a in (q, k[:, :, :heads], v[:, :, :heads])]
        options = {o: jnp.asarray(a, dtype) if o == "bias" else a for o, a in options.items()}
        f = lambda q, k, v: nn.dot_product_attention(q, k, v, **options)
        store = lambda a: np.asarray(a.astype(jnp.float32) if name == "bf16" else a)
        out[f"attention {case} {name}"] = store(f(*args))
        grads = jax.grad(lambda *a: jnp.cos(f(*a)).sum(), (0, 1, 2))(*args)
        out[f"attention grad {case} {name}"] = np.concatenate([store(g).ravel() for g in grads])
        if case == "grouped_all":
            out[f"attention residual {case} {name}"] = store(nn.dot_product_attention(*args, return_residual=True, **options)[1])
out["attention flat f32"] = np.asarray(nn.dot_product_attention(*[jnp.asarray(a[0], jnp.float32) for a in (q, k, v)]))
a, b = rng.standard_normal((2, 3, 8)).astype("f4"), rng.standard_normal((2, 4, 8)).astype("f4")
sa, sb = rng.random((2, 3, 2)).astype("f4"), rng.random((2, 4, 2)).astype("f4")
out.update({"scaled a": a, "scaled b": b, "scaled sa": sa, "scaled sb": sb})  # JAX has it for accelerators only: by its definition
out["scaled"] = np.einsum("bmk,bnk->bmn", a * np.repeat(sa, 4, -1), b * np.repeat(sb, 4, -1))

# ---- Segments.
ids = np.array([2, 0, -1, 3, 2, 7, 0, 2, 5])
data = rng.standard_normal((9, 2))
out["ids"], out["data"] = ids, data
integers = np.array([3, -5, 7, 2, 4, 1, 6, 9, 8], np.int8)
out["integers"] = integers
for f in "sum", "prod", "max", "min":
    segment = getattr(jax.ops, "segment_" + f)
    out[f"segment {f}"] = np.asarray(segment(data, ids))
    out[f"segment {f} 4"] = np.asarray(segment(data, ids, 4))
    out[f"segment {f} clip"] = np.asarray(segment(data, ids, 4, mode="clip"))
    out[f"segment {f} bucket"] = np.asarray(segment(data, ids, 4, bucket_size=4))
    out[f"segment {f} int8"] = np.asarray(segment(integers, ids, 7))
    if f != "prod":
        out[f"segment {f} grad"] = np.asarray(jax.grad(lambda d: jnp.cos(segment(d, ids, 4)).sum())(data))
unique = np.array([3, 0, 5, 1, 9, 2, 8, 7, 6])
out["unique"] = unique
out["segment prod grad"] = np.asarray(jax.grad(lambda d: jnp.cos(jax.ops.segment_prod(d, unique, 7, unique_indices=True)).sum())(data))

# ---- Initializers.
init = nn.initializers
INIT = {
    "zeros": init.zeros, "ones": init.ones, "constant": init.constant(2.5), "uniform": init.uniform(), "uniform_3": init.uniform(3),
    "normal": init.normal(), "normal_2": init.normal(2), "truncated_normal": init.truncated_normal(),
    "truncated_normal_2": init.truncated_normal(2, lower=-1, upper=0.5),
    "variance_scaling": init.variance_scaling(1, "fan_in", "truncated_normal"),
    "variance_scaling_out": init.variance_scaling(3, "fan_out", "normal"),
    "variance_scaling_geo": init.variance_scaling(3, "fan_geo_avg", "uniform", in_axis=0, out_axis=(1, 2), batch_axis=()),
    "variance_scaling_batch": init.variance_scaling(0.5, "fan_avg", "normal", in_axis=1, out_axis=2, batch_axis=0),
    **{n: getattr(init, n)() for n in ("glorot_uniform glorot_normal xavier_uniform xavier_normal lecun_uniform lecun_normal he_uniform he_normal "
                                       "kaiming_uniform kaiming_normal").split()},
}
for name, dtype in {**DTYPES, "c64": jnp.complex64, "c128": jnp.complex128}.items():
    for case, f in INIT.items():
        if name[0] == "c" and ("uniform" in case[:8] or case.startswith("truncated")):
            continue
        y = f(jax.random.key(7), (3, 4, 5), dtype)
        out[f"init {case} {name}"] = np.asarray(y.astype(jnp.float32) if name.endswith("f16") else y)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "nn.npz", **out)
