#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/optim.npz: twenty steps of optax's optimizers (optax 0.2, JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_optim.py tests/golden

The parameters are "w f32" (3x4) and "b f32" (4); the gradients at a point are 2 (w - 1) s + sin(w) and 3 b - 1, where s is "s f32".
"adam f32 w 20" is w after 20 steps; "adam f32 update w" the first update. "schedule cosine" has the values at the
steps 0 to 20; "loss f32 huber" is made of "loss f32 x" and its kin."""
import os
import pathlib
import sys
import typing

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax

assert jax.__version__.startswith("0.10."), jax.__version__
assert optax.__version__.startswith("0.2."), optax.__version__


class Net(typing.NamedTuple):  # its leaves are in this order, as those of a struct
    w: typing.Any
    b: typing.Any


MASK = Net(True, False)
OPTIMIZERS = {
    "sgd": optax.sgd(0.05),
    "momentum": optax.sgd(0.05, momentum=0.9),
    "nesterov": optax.sgd(0.05, momentum=0.9, nesterov=True),
    "adam": optax.adam(0.1),
    "adam_options": optax.adam(0.03, b1=0.8, b2=0.95, eps=1e-4, eps_root=1e-6),
    "nadam": optax.nadam(0.1),
    "adamw": optax.adamw(0.1, weight_decay=0.02),
    "adamw_masked": optax.adamw(0.1, weight_decay=0.02, mask=MASK),
    "nadamw": optax.nadamw(0.1),
    "adamax": optax.adamax(0.1),
    "adamaxw": optax.adamaxw(0.1),
    "amsgrad": optax.amsgrad(0.1),
    "adabelief": optax.adabelief(0.1),
    "adadelta": optax.adadelta(0.5, weight_decay=0.01),
    "adagrad": optax.adagrad(0.5),
    "adan": optax.adan(0.05, weight_decay=0.01),
    "adafactor": optax.adafactor(0.1, momentum=0.9, weight_decay_rate=0.01),
    "adafactor_factored": optax.adafactor(0.1, min_dim_size_to_factor=2),
    "rmsprop": optax.rmsprop(0.05),
    "rmsprop_options": optax.rmsprop(0.02, decay=0.8, eps_in_sqrt=False, momentum=0.5, nesterov=True, bias_correction=True),
    "rmsprop_centered": optax.rmsprop(0.02, centered=True, momentum=0.5, initial_scale=0.5),
    "rprop": optax.rprop(0.05),
    "lion": optax.lion(0.05),
    "lamb": optax.lamb(0.05, weight_decay=0.01),
    "lars": optax.lars(0.5, weight_decay=0.01, trust_coefficient=0.1),
    "radam": optax.radam(0.1, b2=0.9),
    "yogi": optax.yogi(0.1),
    "novograd": optax.novograd(0.1, weight_decay=0.01),
    "fromage": optax.fromage(0.05),
    "sm3": optax.sm3(0.3),
    "sign_sgd": optax.sign_sgd(0.03),
    "signum": optax.signum(0.03),
    "noisy_sgd": optax.noisy_sgd(0.05, key=7),
    "optimistic": optax.optimistic_gradient_descent(0.05, alpha=1.1, beta=0.8),
    "scheduled": optax.adam(optax.cosine_decay_schedule(0.2, 15)),
    "chain": optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1)),
    "clipped": optax.chain(optax.clip(0.5), optax.clip_by_block_rms(0.2), optax.sgd(0.1)),
    "agc": optax.chain(optax.adaptive_grad_clip(0.1), optax.sgd(0.1)),
    "centralized": optax.chain(optax.centralize(), optax.zero_nans(), optax.ema(0.8), optax.sgd(0.1)),
    "normalized": optax.chain(optax.normalize_by_update_norm(), optax.scale(-0.1)),
    "nonnegative": optax.chain(optax.sgd(0.3), optax.keep_params_nonnegative()),
    "if_finite": optax.apply_if_finite(optax.adam(0.1), 3),
    "every": optax.chain(optax.sgd(0.05), optax.apply_every(3)),
    "multi": optax.MultiSteps(optax.adam(0.1), 3),
    "frozen": optax.chain(optax.sgd(0.1), optax.transforms.freeze(Net(False, True))),
    "masked": optax.masked(optax.adam(0.1), MASK),
    "muon_adaptive": optax.contrib.muon(0.1, adaptive=True, nesterov=False, consistent_rms=0.2, weight_decay=0.1),
    "prodigy_options": optax.contrib.prodigy(0.5, estim_lr0=1e-2, weight_decay=0.1, safeguard_warmup=True),
    "prodigy_scheduled": optax.contrib.prodigy(optax.linear_schedule(1.0, 0.1, 4)),
    "dadapt_adamw_options": optax.contrib.dadapt_adamw(0.5, estim_lr0=1e-2, weight_decay=0.1),
    "dog_options": optax.contrib.dog(0.5, ('learning_rate', 1e-2), weight_decay=0.1),
    "adopt_options": optax.contrib.adopt(0.1, nesterov=True, use_clipping=False),
    "schedule_free_sgd_warmed": optax.contrib.schedule_free_sgd(0.5, warmup_steps=2, weight_decay=0.1),
    "schedule_free_adamw_warmed": optax.contrib.schedule_free_adamw(0.5, warmup_steps=2, weight_decay=0.1),
    "sam_adam": optax.contrib.sam(optax.adam(0.1), optax.adam(0.2), sync_period=3, reset_state=False),
    "acprop": optax.contrib.acprop(0.1),
    "ademamix": optax.contrib.ademamix(0.1),
    "cocob": optax.contrib.cocob(),
    "dowg": optax.contrib.dowg(),
    "dog": optax.contrib.dog(),
    "madgrad": optax.contrib.madgrad(0.1),
    "muon": optax.contrib.muon(0.1),
    "optimistic_adam": optax.optimistic_adam_v2(0.1),
    "partition": optax.partition({0: optax.sgd(0.1), 1: optax.adam(0.2)}, Net(1, 0)),
    "flattened": optax.flatten(optax.adam(0.1)),
    "dog_masked": optax.masked(optax.contrib.dog(), Net(False, True)),
}
SCHEDULES = {
    "constant": optax.constant_schedule(0.3),
    "linear": optax.linear_schedule(1.0, 0.1, 10, transition_begin=2),
    "polynomial": optax.polynomial_schedule(1.0, 0.1, 2.5, 12),
    "exponential": optax.exponential_decay(1.0, 5, 0.8, transition_begin=2, end_value=0.5),
    "staircase": optax.exponential_decay(1.0, 4, 0.5, staircase=True),
    "cosine": optax.cosine_decay_schedule(0.7, 12, alpha=0.1, exponent=1.5),
    "piecewise": optax.piecewise_constant_schedule(1.0, {3: 0.5, 9: 0.1}),
    "interpolate_linear": optax.piecewise_interpolate_schedule("linear", 1.0, {3: 0.5, 9: 4.0}),
    "interpolate_cosine": optax.piecewise_interpolate_schedule("cosine", 1.0, {3: 0.5, 9: 4.0}),
    "linear_onecycle": optax.linear_onecycle_schedule(18, 0.5),
    "cosine_onecycle": optax.cosine_onecycle_schedule(18, 0.5),
    "warmup_constant": optax.warmup_constant_schedule(0.1, 0.6, 5),
    "warmup_cosine": optax.warmup_cosine_decay_schedule(0.0, 1.0, 4, 16, end_value=0.05),
    "warmup_exponential": optax.warmup_exponential_decay_schedule(0.0, 1.0, 4, 6, 0.7, end_value=0.3),
    "join": optax.join_schedules([optax.constant_schedule(0.2), optax.linear_schedule(1.0, 0.0, 5)], [6]),
    "sgdr": optax.sgdr_schedule([
        {"init_value": 0.0, "peak_value": 1.0, "warmup_steps": 2, "decay_steps": 8},
        {"init_value": 0.1, "peak_value": 0.5, "warmup_steps": 3, "decay_steps": 10, "end_value": 0.05}]),
}


def losses(x, y, t, n, where):
    """x, y: logits; t: probabilities; n: numbers of classes."""
    log_p = jax.nn.log_softmax(x)
    sign = jnp.sign(y)
    return {
        "squared_error": optax.squared_error(x, y), "l2": optax.l2_loss(x, y), "l2_alone": optax.l2_loss(x),
        "huber": optax.huber_loss(x, y, delta=0.7), "log_cosh": optax.log_cosh(x, y),
        "cosine_similarity": optax.cosine_similarity(x, y), "cosine_distance": optax.cosine_distance(x, y, epsilon=1e-3, axis=0),
        "sigmoid_bce": optax.sigmoid_binary_cross_entropy(x, t), "hinge": optax.hinge_loss(x, sign),
        "perceptron": optax.losses.perceptron_loss(x, sign), "softmax": optax.softmax_cross_entropy(x, t),
        "softmax_where": optax.softmax_cross_entropy(x, t, where=where), "integer": optax.softmax_cross_entropy_with_integer_labels(x, n),
        "safe": optax.safe_softmax_cross_entropy(x, t), "kl": optax.kl_divergence(log_p, t),
        "kl_log": optax.losses.kl_divergence_with_log_targets(log_p, jax.nn.log_softmax(y)),
        "generalized_kl": optax.losses.generalized_kl_divergence(log_p, t), "smooth": optax.smooth_labels(t, 0.1),
        "focal": optax.sigmoid_focal_loss(x, t), "focal_alpha": optax.sigmoid_focal_loss(x, t, alpha=0.3, gamma=1.5),
        "poly": optax.losses.poly_loss_cross_entropy(x, t), "ntxent": optax.losses.ntxent(x, jnp.minimum(n, 2), 0.5),
    }


def run(case, optimizer, name, start, s):
    params = Net(jnp.asarray(start["w"]), jnp.asarray(start["b"]))
    dtype = start["w"].dtype
    state = optimizer.init(params)
    for step in range(1, 21):
        grads = Net(2 * (params.w - 1) * s + jnp.sin(params.w), 3 * params.b - 1)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        for leaf in "w", "b":
            assert getattr(params, leaf).dtype == dtype
            if step == 1:
                out[f"{case} {name} update {leaf}"] = np.asarray(getattr(updates, leaf))
            if step in (1, 20):
                out[f"{case} {name} {leaf} {step}"] = np.asarray(getattr(params, leaf))
    out[f"{case} leaves"] = np.asarray(len(jax.tree.leaves(state)))


out = {}
rng = np.random.default_rng(0)
for name, dtype in ("f32", np.float32), ("f64", np.float64):
    start = {"w": rng.standard_normal((3, 4)).astype(dtype), "b": rng.standard_normal(4).astype(dtype)}
    s = rng.random((3, 4)).astype(dtype)
    out[f"w {name}"], out[f"b {name}"], out[f"s {name}"] = start["w"], start["b"], s
    for case, optimizer in OPTIMIZERS.items():
        run(case, optimizer, name, start, s)
    # Polyak's step needs the loss: the sum of the squares of w, of which 2 w is the gradient.
    params, optimizer = {"w": jnp.asarray(start["w"])}, optax.polyak_sgd(0.1, f_min=-0.5)
    state = optimizer.init(params)
    for _ in range(20):
        updates, state = optimizer.update({"w": 2 * params["w"]}, state, params, value=(params["w"] ** 2).sum())
        params = optax.apply_updates(params, updates)
    out[f"polyak_sgd {name} w 20"] = np.asarray(params["w"])
    # Lookahead has fast and slow parameters.
    pair = optax.LookaheadParams.init_synced({"w": jnp.asarray(start["w"])})
    optimizer = optax.lookahead(optax.adam(0.1), 4, 0.3, reset_state=True)
    state = optimizer.init(pair)
    for _ in range(20):
        updates, state = optimizer.update({"w": 2 * pair.fast["w"]}, state, pair)
        pair = optax.apply_updates(pair, updates)
    out[f"lookahead {name} fast"], out[f"lookahead {name} slow"] = np.asarray(pair.fast["w"]), np.asarray(pair.slow["w"])
    x, y = rng.standard_normal((5, 4)).astype(dtype), rng.standard_normal((5, 4)).astype(dtype)
    t = np.array(jax.nn.softmax(jnp.asarray(rng.standard_normal((5, 4)).astype(dtype))))
    t[0] = [1, 0, 0, 0]
    n, where = rng.integers(0, 4, 5).astype(np.int32), rng.random((5, 4)) < 0.8
    for key, value in ("x", x), ("y", y), ("t", t), ("n", n), ("where", where):
        out[f"loss {name} {key}"] = value
    for case, value in losses(*map(jnp.asarray, (x, y, t, n, where))).items():
        out[f"loss {name} {case}"] = np.asarray(value, dtype)
for case, schedule in SCHEDULES.items():
    out[f"schedule {case}"] = np.asarray([schedule(jnp.asarray(step, jnp.int64)) for step in range(21)], np.float64)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "optim.npz", **out)
