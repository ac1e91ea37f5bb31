# SPDX-License-Identifier: Apache-2.0
"""What optimizers are made of, each without a learning rate, with optax's signatures."""
from .. import numpy as _numpy
from ._base import optimizer as _optimizer


def scale_by_adadelta(rho=0.9, eps=1e-06):
    """optax.scale_by_adadelta"""
    return _optimizer(scale_by_adadelta, locals())


def scale_by_adamax(b1=0.9, b2=0.999, eps=1e-08):
    """optax.scale_by_adamax"""
    return _optimizer(scale_by_adamax, locals())


def scale_by_adan(b1=0.98, b2=0.92, b3=0.99, eps=1e-08, eps_root=0.0):
    """optax.scale_by_adan"""
    return _optimizer(scale_by_adan, locals())


def scale_by_amsgrad(b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, mu_dtype=None, bias_correction_mu=True,
                     bias_correction_nu=True):
    """optax.scale_by_amsgrad"""
    return _optimizer(scale_by_amsgrad, locals())


def scale_by_belief(b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, *, nesterov=False):
    """optax.scale_by_belief"""
    return _optimizer(scale_by_belief, locals())


def scale_by_distance_over_gradients(reps_rel=1e-06, eps=1e-08, param_dtype=_numpy.float32, global_scale=1.0):
    """The parameters where it began are kept as float32. (optax.scale_by_distance_over_gradients)"""
    return _optimizer(scale_by_distance_over_gradients, locals())


def scale_by_factored_rms(factored=True, decay_rate=0.8, step_offset=0, min_dim_size_to_factor=128, epsilon=1e-30,
                          decay_rate_fn=None):
    """The decay rate is that of Adafactor. (optax.scale_by_factored_rms)"""
    return _optimizer(scale_by_factored_rms, locals())


def scale_by_novograd(b1=0.9, b2=0.25, eps=1e-08, eps_root=0.0, weight_decay=0.0, mu_dtype=None):
    """optax.scale_by_novograd"""
    return _optimizer(scale_by_novograd, locals())


def scale_by_optimistic_gradient(alpha=1.0, beta=1.0):
    """optax.scale_by_optimistic_gradient"""
    return _optimizer(scale_by_optimistic_gradient, locals())


def scale_by_polyak(f_min=0.0, max_learning_rate=1.0, eps=0.0, variant='sps'):
    """optax.scale_by_polyak"""
    return _optimizer(scale_by_polyak, locals())


def scale_by_radam(b1=0.9, b2=0.999, eps=1e-08, eps_root=0.0, threshold=5.0, *, nesterov=False):
    """optax.scale_by_radam"""
    return _optimizer(scale_by_radam, locals())


def scale_by_rprop(learning_rate, eta_minus=0.5, eta_plus=1.2, min_step_size=1e-06, max_step_size=50.0):
    """optax.scale_by_rprop"""
    return _optimizer(scale_by_rprop, locals())


def scale_by_sm3(b1=0.9, b2=1.0, eps=1e-08):
    """optax.scale_by_sm3"""
    return _optimizer(scale_by_sm3, locals())


def scale_by_stddev(decay=0.9, eps=1e-08, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    """optax.scale_by_stddev"""
    return _optimizer(scale_by_stddev, locals())


def scale_by_yogi(b1=0.9, b2=0.999, eps=0.001, eps_root=0.0, initial_accumulator_value=1e-06):
    """optax.scale_by_yogi"""
    return _optimizer(scale_by_yogi, locals())


__all__ = [n for n in globals() if n.startswith("scale_by_")]
