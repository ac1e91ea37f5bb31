# SPDX-License-Identifier: Apache-2.0
"""Optimizers, their parts, and schedules, with optax's signatures."""
from ._base import optimizer as _optimizer, schedule as _schedule


def sgd(learning_rate, momentum=None, nesterov=False, accumulator_dtype=None):
    """optax.sgd"""
    return _optimizer(sgd, locals())


def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    """optax.adam"""
    return _optimizer(adam, locals())


def nadam(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, *, nesterov=True):
    """optax.nadam"""
    return _optimizer(nadam, locals())


def adamw(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, weight_decay=0.0001, mask=None, *,
          nesterov=False):
    """optax.adamw"""
    return _optimizer(adamw, locals())


def nadamw(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, weight_decay=0.0001, mask=None, *,
           nesterov=True):
    """optax.nadamw"""
    return _optimizer(nadamw, locals())


def adamax(learning_rate, b1=0.9, b2=0.999, eps=1e-08):
    """optax.adamax"""
    return _optimizer(adamax, locals())


def adamaxw(learning_rate, b1=0.9, b2=0.999, eps=1e-08, weight_decay=0.0001, mask=None):
    """optax.adamaxw"""
    return _optimizer(adamaxw, locals())


def amsgrad(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, bias_correction_mu=True,
            bias_correction_nu=True):
    """optax.amsgrad"""
    return _optimizer(amsgrad, locals())


def adabelief(learning_rate, b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, *, nesterov=False):
    """optax.adabelief"""
    return _optimizer(adabelief, locals())


def adadelta(learning_rate=None, rho=0.9, eps=1e-06, weight_decay=0.0, weight_decay_mask=None):
    """optax.adadelta"""
    return _optimizer(adadelta, locals())


def adagrad(learning_rate, initial_accumulator_value=0.1, eps=1e-07):
    """optax.adagrad"""
    return _optimizer(adagrad, locals())


def adan(learning_rate, b1=0.98, b2=0.92, b3=0.99, eps=1e-08, eps_root=1e-08, weight_decay=0.0, mask=None):
    """optax.adan"""
    return _optimizer(adan, locals())


def adafactor(learning_rate=None, min_dim_size_to_factor=128, decay_rate=0.8, decay_offset=0,
              multiply_by_parameter_scale=True, clipping_threshold=1.0, momentum=None, dtype_momentum=None,
              weight_decay_rate=None, eps=1e-30, factored=True, weight_decay_mask=None):
    """optax.adafactor"""
    return _optimizer(adafactor, locals())


def rmsprop(learning_rate, decay=0.9, eps=1e-08, initial_scale=0.0, eps_in_sqrt=True, centered=False, momentum=None,
            nesterov=False, bias_correction=False):
    """optax.rmsprop"""
    return _optimizer(rmsprop, locals())


def rprop(learning_rate, eta_minus=0.5, eta_plus=1.2, min_step_size=1e-06, max_step_size=50.0):
    """optax.rprop"""
    return _optimizer(rprop, locals())


def lion(learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=0.001, mask=None):
    """optax.lion"""
    return _optimizer(lion, locals())


def lamb(learning_rate, b1=0.9, b2=0.999, eps=1e-06, eps_root=0.0, weight_decay=0.0, mask=None):
    """optax.lamb"""
    return _optimizer(lamb, locals())


def lars(learning_rate, weight_decay=0.0, weight_decay_mask=True, trust_coefficient=0.001, eps=0.0,
         trust_ratio_mask=True, momentum=0.9, nesterov=False):
    """optax.lars"""
    return _optimizer(lars, locals())


def radam(learning_rate, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, threshold=5.0, *, nesterov=False):
    """optax.radam"""
    return _optimizer(radam, locals())


def yogi(learning_rate, b1=0.9, b2=0.999, eps=0.001):
    """optax.yogi"""
    return _optimizer(yogi, locals())


def novograd(learning_rate, b1=0.9, b2=0.25, eps=1e-06, eps_root=0.0, weight_decay=0.0):
    """optax.novograd"""
    return _optimizer(novograd, locals())


def fromage(learning_rate, min_norm=1e-06):
    """optax.fromage"""
    return _optimizer(fromage, locals())


def sm3(learning_rate, momentum=0.9):
    """optax.sm3"""
    return _optimizer(sm3, locals())


def sign_sgd(learning_rate):
    """optax.sign_sgd"""
    return _optimizer(sign_sgd, locals())


def signum(learning_rate, beta=0.9, accumulator_dtype=None):
    """optax.signum"""
    return _optimizer(signum, locals())


def noisy_sgd(learning_rate, eta=0.01, gamma=0.55, key=None, *, seed=None):
    """optax.noisy_sgd"""
    return _optimizer(noisy_sgd, locals())


def optimistic_gradient_descent(learning_rate, alpha=1.0, beta=1.0):
    """optax.optimistic_gradient_descent"""
    return _optimizer(optimistic_gradient_descent, locals())


def polyak_sgd(max_learning_rate=1.0, scaling=1.0, f_min=0.0, eps=0.0, variant='sps'):
    """optax.polyak_sgd"""
    return _optimizer(polyak_sgd, locals())


def optimistic_adam(learning_rate, optimism=None, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, *,
                    nesterov=True):
    """optax.optimistic_adam"""
    return _optimizer(optimistic_adam, locals())


def optimistic_adam_v2(learning_rate, *, alpha=1.0, beta=1.0, b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None,
                       nesterov=True):
    """optax.optimistic_adam_v2"""
    return _optimizer(optimistic_adam_v2, locals())


def constant_schedule(value):
    """optax.constant_schedule"""
    return _schedule("constant_schedule", locals())


def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
    """optax.linear_schedule"""
    return _schedule("linear_schedule", locals())


def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
    """optax.polynomial_schedule"""
    return _schedule("polynomial_schedule", locals())


def exponential_decay(init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None):
    """optax.exponential_decay"""
    return _schedule("exponential_decay", locals())


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
    """optax.cosine_decay_schedule"""
    return _schedule("cosine_decay_schedule", locals())


def linear_onecycle_schedule(transition_steps, peak_value, pct_start=0.3, pct_final=0.85, div_factor=25.0,
                             final_div_factor=10000.0):
    """optax.linear_onecycle_schedule"""
    return _schedule("linear_onecycle_schedule", locals())


def cosine_onecycle_schedule(transition_steps, peak_value, pct_start=0.3, div_factor=25.0, final_div_factor=10000.0):
    """optax.cosine_onecycle_schedule"""
    return _schedule("cosine_onecycle_schedule", locals())


def warmup_constant_schedule(init_value, peak_value, warmup_steps):
    """optax.warmup_constant_schedule"""
    return _schedule("warmup_constant_schedule", locals())


def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
    """optax.warmup_cosine_decay_schedule"""
    return _schedule("warmup_cosine_decay_schedule", locals())


def warmup_exponential_decay_schedule(init_value, peak_value, warmup_steps, transition_steps, decay_rate,
                                      transition_begin=0, staircase=False, end_value=None):
    """optax.warmup_exponential_decay_schedule"""
    return _schedule("warmup_exponential_decay_schedule", locals())


def apply_every(k=1):
    """optax.apply_every"""
    return _optimizer(apply_every, locals())


def identity():
    """optax.identity"""
    return _optimizer(identity, locals())


def set_to_zero():
    """optax.set_to_zero"""
    return _optimizer(set_to_zero, locals())


def scale(step_size):
    """optax.scale"""
    return _optimizer(scale, locals())


def scale_by_learning_rate(learning_rate=None, *, flip_sign=True):
    """optax.scale_by_learning_rate"""
    return _optimizer(scale_by_learning_rate, locals())


def scale_by_schedule(step_size_fn):
    """optax.scale_by_schedule"""
    return _optimizer(scale_by_schedule, locals())


def add_decayed_weights(weight_decay=0.0, mask=None):
    """optax.add_decayed_weights"""
    return _optimizer(add_decayed_weights, locals())


def add_noise(eta, gamma, key=None, *, seed=None):
    """optax.add_noise"""
    return _optimizer(add_noise, locals())


def trace(decay, nesterov=False, accumulator_dtype=None):
    """optax.trace"""
    return _optimizer(trace, locals())


def ema(decay, debias=True, accumulator_dtype=None):
    """optax.ema"""
    return _optimizer(ema, locals())


def clip(max_delta):
    """optax.clip"""
    return _optimizer(clip, locals())


def clip_by_global_norm(max_norm):
    """optax.clip_by_global_norm"""
    return _optimizer(clip_by_global_norm, locals())


def clip_by_block_rms(threshold):
    """optax.clip_by_block_rms"""
    return _optimizer(clip_by_block_rms, locals())


def adaptive_grad_clip(clipping, eps=0.001, axis=None):
    """optax.adaptive_grad_clip"""
    return _optimizer(adaptive_grad_clip, locals())


def centralize():
    """optax.centralize"""
    return _optimizer(centralize, locals())


def zero_nans():
    """optax.zero_nans"""
    return _optimizer(zero_nans, locals())


def normalize_by_update_norm(scale_factor=1.0, eps=1e-06):
    """optax.normalize_by_update_norm"""
    return _optimizer(normalize_by_update_norm, locals())


def keep_params_nonnegative():
    """optax.keep_params_nonnegative"""
    return _optimizer(keep_params_nonnegative, locals())


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    """optax.scale_by_adam"""
    return _optimizer(scale_by_adam, locals())


def scale_by_rms(decay=0.9, eps=1e-08, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    """optax.scale_by_rms"""
    return _optimizer(scale_by_rms, locals())


def scale_by_rss(initial_accumulator_value=0.1, eps=1e-07):
    """optax.scale_by_rss"""
    return _optimizer(scale_by_rss, locals())


def scale_by_lion(b1=0.9, b2=0.99, mu_dtype=None, *, mode='hard', smooth_beta=1.0):
    """optax.scale_by_lion"""
    return _optimizer(scale_by_lion, locals())


def scale_by_trust_ratio(min_norm=0.0, trust_coefficient=1.0, eps=0.0):
    """optax.scale_by_trust_ratio"""
    return _optimizer(scale_by_trust_ratio, locals())


def scale_by_sign():
    """optax.scale_by_sign"""
    return _optimizer(scale_by_sign, locals())


def scale_by_param_block_norm(min_scale=0.001):
    """optax.scale_by_param_block_norm"""
    return _optimizer(scale_by_param_block_norm, locals())


def scale_by_param_block_rms(min_scale=0.001):
    """optax.scale_by_param_block_rms"""
    return _optimizer(scale_by_param_block_rms, locals())


__all__ = ["sgd", "adam", "nadam", "adamw", "nadamw", "adamax", "adamaxw", "amsgrad", "adabelief", "adadelta",
           "adagrad", "adan", "adafactor", "rmsprop", "rprop", "lion", "lamb", "lars", "radam", "yogi", "novograd",
           "fromage", "sm3", "sign_sgd", "signum", "noisy_sgd", "optimistic_gradient_descent", "polyak_sgd",
           "optimistic_adam", "optimistic_adam_v2",
           "constant_schedule", "linear_schedule", "polynomial_schedule", "exponential_decay",
           "cosine_decay_schedule", "linear_onecycle_schedule", "cosine_onecycle_schedule",
           "warmup_constant_schedule", "warmup_cosine_decay_schedule", "warmup_exponential_decay_schedule",
           "apply_every", "identity", "set_to_zero", "scale", "scale_by_learning_rate", "scale_by_schedule",
           "add_decayed_weights", "add_noise", "trace", "ema", "clip", "clip_by_global_norm", "clip_by_block_rms",
           "adaptive_grad_clip", "centralize", "zero_nans", "normalize_by_update_norm", "keep_params_nonnegative",
           "scale_by_adam", "scale_by_rms", "scale_by_rss", "scale_by_lion", "scale_by_trust_ratio", "scale_by_sign",
           "scale_by_param_block_norm", "scale_by_param_block_rms"]
