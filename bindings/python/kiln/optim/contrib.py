# SPDX-License-Identifier: Apache-2.0
"""Newer optimizers (optax.contrib)."""
from operator import not_ as _not

from .. import _core, numpy as _numpy
from ..tree_util import tree_map as _map
from ._base import GradientTransformation, arguments as _arguments, of_rank as _of_rank, optimizer as _optimizer
from ._combining import around as _around, masked_state as _masked_state, parts_state as _parts_state
from ._contrib_states import *  # noqa: F401, F403
from ._contrib_states import SAMState, SplitRealAndImaginaryArrays, SplitRealAndImaginaryState
from ._contrib_states import __all__ as _states_here
from ._states import _like, read as _read

_c = _core.functions("kiln.optim")


def acprop(learning_rate, b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, weight_decay=0.0, mask=None):
    """optax.contrib.acprop"""
    return _optimizer(acprop, locals())


def ademamix(learning_rate, b1=0.9, b2=0.999, b3=0.9999, alpha=5.0, eps=1e-08, eps_root=0.0, mu_dtype=None,
             weight_decay=0.0, mask=None):
    """optax.contrib.ademamix"""
    return _optimizer(ademamix, locals())


def simplified_ademamix(learning_rate, b1=0.99, b2=0.95, alpha=0.0, eps=1e-08, eps_root=0.0, weight_decay=0.0,
                        mask=None):
    """optax.contrib.simplified_ademamix"""
    return _optimizer(simplified_ademamix, locals())


def adopt(learning_rate, b1=0.9, b2=0.9999, eps=1e-06, mu_dtype=None, *, nesterov=False, use_clipping=True,
          clip_value_fn=None):
    """optax.contrib.adopt"""
    return _optimizer(adopt, locals())


def cocob(learning_rate=1.0, alpha=100.0, eps=1e-08, weight_decay=0.0, mask=None):
    """optax.contrib.cocob"""
    return _optimizer(cocob, locals())


def dowg(learning_rate=1.0, init_estim_sq_dist=None, eps=0.0001, weight_decay=None, mask=None):
    """optax.contrib.dowg"""
    return _optimizer(dowg, locals())


def madgrad(learning_rate, momentum=0.9, weight_decay=0.0, eps=1e-06):
    """optax.contrib.madgrad"""
    return _optimizer(madgrad, locals())


def momo(learning_rate=1.0, beta=0.9, lower_bound=0.0, weight_decay=0.0, adapt_lower_bound=False):
    """optax.contrib.momo"""
    return _optimizer(momo, locals())


def momo_adam(learning_rate=0.01, b1=0.9, b2=0.999, eps=1e-08, lower_bound=0.0, weight_decay=0.0,
              adapt_lower_bound=False):
    """optax.contrib.momo_adam"""
    return _optimizer(momo_adam, locals())


def schedule_free_sgd(learning_rate=1.0, warmup_steps=None, b1=0.9, weight_decay=None, weight_lr_power=2.0,
                      state_dtype=None):
    """optax.contrib.schedule_free_sgd"""
    return _optimizer(schedule_free_sgd, locals())


def schedule_free_adamw(learning_rate=0.0025, warmup_steps=None, b1=0.9, b2=0.999, eps=1e-08, weight_decay=0.0,
                        weight_lr_power=2.0, state_dtype=None):
    """optax.contrib.schedule_free_adamw"""
    return _optimizer(schedule_free_adamw, locals())


def scale_by_acprop(b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16):
    """optax.contrib.scale_by_acprop"""
    return _optimizer(scale_by_acprop, locals())


def scale_by_ademamix(b1=0.9, b2=0.999, b3=0.9999, alpha=6.0, eps=1e-08, eps_root=0.0, mu_dtype=None):
    """optax.contrib.scale_by_ademamix"""
    return _optimizer(scale_by_ademamix, locals())


def scale_by_simplified_ademamix(b1=0.99, b2=0.95, alpha=0.0, eps=1e-08, eps_root=0.0):
    """optax.contrib.scale_by_simplified_ademamix"""
    return _optimizer(scale_by_simplified_ademamix, locals())


def scale_by_adopt(b1=0.9, b2=0.9999, eps=1e-06, mu_dtype=None, *, nesterov=False, use_clipping=True,
                   clip_value_fn=None):
    """optax.contrib.scale_by_adopt"""
    return _optimizer(scale_by_adopt, locals())


def scale_by_cocob(alpha=100.0, eps=1e-08):
    """optax.contrib.scale_by_cocob"""
    return _optimizer(scale_by_cocob, locals())


def scale_by_madgrad(learning_rate, momentum=0.9, eps=1e-06):
    """optax.contrib.scale_by_madgrad"""
    return _optimizer(scale_by_madgrad, locals())


def normalize():
    """optax.contrib.normalize"""
    return _optimizer(normalize, locals())


def reduce_on_plateau(factor=0.1, patience=10, rtol=0.0001, atol=0.0, cooldown=0, accumulation_size=1, min_scale=0.0):
    """optax.contrib.reduce_on_plateau"""
    return _optimizer(reduce_on_plateau, locals())


def dadapt_adamw(learning_rate=1.0, betas=(0.9, 0.999), eps=1e-08, estim_lr0=1e-06, weight_decay=0.0):
    """optax.contrib.dadapt_adamw"""
    b1, b2 = betas
    del betas
    return _optimizer(dadapt_adamw, locals())


def prodigy(learning_rate=1.0, betas=(0.9, 0.999), beta3=None, eps=1e-08, estim_lr0=1e-06, estim_lr_coef=1.0,
            weight_decay=0.0, safeguard_warmup=False):
    """optax.contrib.prodigy"""
    b1, b2 = betas
    del betas
    return _optimizer(prodigy, locals())


def dog(learning_rate=1.0, init_step=('heuristic', 1e-06), eps=1e-08, weight_decay=None, mask=None):
    """optax.contrib.dog"""
    init_step, init_value = init_step
    return _optimizer(dog, locals())


def _of_no_matrix(params):
    return _map(_not, _of_rank(2)(params))


def muon(learning_rate, ns_coeffs=(3.4445, -4.775, 2.0315), ns_steps=5, beta=0.95, eps=1e-08, weight_decay=0.0,
         weight_decay_mask=None, mu_dtype=None, *, nesterov=True, adaptive=False, preconditioning='frobenius',
         adam_b1=0.9, adam_b2=0.999, adam_eps_root=0.0, adam_weight_decay=0.0, adam_learning_rate=None,
         muon_weight_dimension_numbers=None, consistent_rms=None):
    """Matrices are orthogonalized, all else is left to Adam. (optax.contrib.muon)"""
    return _optimizer(muon, locals(), _parts_state({"adam": (_read, _of_no_matrix), "muon": (_read, _of_rank(2))}))


def scale_by_muon(ns_coeffs=(3.4445, -4.775, 2.0315), ns_steps=5, beta=0.95, eps=1e-08, mu_dtype=None, *, nesterov=True,
                  adaptive=False, preconditioning='frobenius', weight_dimension_numbers=None):
    """For matrices alone. (optax.contrib.scale_by_muon)"""
    return _optimizer(scale_by_muon, locals(), _masked_state(_read, _of_rank(2)))


def schedule_free(base_optimizer, learning_rate, b1=0.9, weight_lr_power=2.0, state_dtype=None):
    """optax.contrib.schedule_free"""
    row, given = _arguments(schedule_free, {k: v for k, v in locals().items() if k != "base_optimizer"})
    return GradientTransformation(lambda params: row(base_optimizer._handle(params), **given), _around(base_optimizer))


def mechanize(base_optimizer, weight_decay=0.01, eps=1e-08, s_init=1e-06, num_betas=6):
    """base_optimizer with a learning rate that is found on the way. (optax.contrib.mechanize)"""
    row, given = _arguments(mechanize, {k: v for k, v in locals().items() if k != "base_optimizer"})
    return GradientTransformation(lambda params: row(base_optimizer._handle(params), **given), _around(base_optimizer))


def _pairs(tree):
    return _map(lambda x: SplitRealAndImaginaryArrays(x, x) if _numpy.iscomplexobj(x) else x, tree)


def split_real_and_imaginary(inner):
    """inner, which sees complex arrays as pairs of real ones. (optax.contrib.split_real_and_imaginary)"""
    row = _c["_split_real_and_imaginary"]
    return GradientTransformation(
        lambda params: row(inner._handle(_pairs(params))),
        lambda node, leaves, params: SplitRealAndImaginaryState(inner._state(node[1], leaves, _pairs(params))))


def differentially_private_aggregate(l2_norm_clip, noise_multiplier, key=None, *, seed=None):
    """The mean of gradients with a first axis of examples, each of this norm at most, with noise.
    (optax.contrib.differentially_private_aggregate)"""
    return _optimizer(differentially_private_aggregate, locals())


def dpsgd(learning_rate, l2_norm_clip, noise_multiplier, seed, momentum=None, nesterov=False):
    """optax.contrib.dpsgd"""
    return _optimizer(dpsgd, locals())


def schedule_free_eval_params(state, params):
    """The parameters to evaluate at. (optax.contrib.schedule_free_eval_params)"""
    if not hasattr(state, "b1") or not hasattr(state, "z"):
        raise ValueError("schedule_free_eval_params requires a ScheduleFreeState as input.")
    b1 = state.b1
    return _map(lambda y, z: (y - (1.0 - b1) * z) / b1, params, state.z)


def sam(optimizer, adv_optimizer, sync_period=2, reset_state=True, opaque_mode=False, batch_axis_name=None):
    """optimizer at every sync_period-th step, with the gradient at the place where adv_optimizer went in between.
    (optax.contrib.sam)"""
    row, given = _arguments(sam, {k: v for k, v in locals().items() if not k.endswith("optimizer")})

    def state(node, leaves, params):
        _, _, opt, adv, cache = node
        return SAMState(next(leaves), optimizer._state(opt, leaves, params), adv_optimizer._state(adv, leaves, params),
                        _like(cache, leaves, params))

    return GradientTransformation(lambda params: row(optimizer._handle(params), adv_optimizer._handle(params), **given),
                                  state)


__all__ = sorted([*_states_here, *(n for n, f in globals().items() if getattr(f, "__module__", None) == __name__
                                   and n[0] != "_")])
