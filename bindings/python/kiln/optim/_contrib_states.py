# SPDX-License-Identifier: Apache-2.0
"""The states of kiln.optim.contrib, as optax.contrib has them."""
import typing as _typing

from . import _states
from ._states import OptState, _Number, _Tree


class ScaleByAdemamixState(_typing.NamedTuple):
    """Of AdEMAMix. (optax.contrib.ScaleByAdemamixState)"""
    count: _Number
    count_m2: _Number
    m1: _Tree
    m2: _Tree
    nu: _Tree


class ScaleBySimplifiedAdEMAMixState(_typing.NamedTuple):
    """Of simplified_ademamix. (optax.contrib.ScaleBySimplifiedAdEMAMixState)"""
    t: _Number
    m: _Tree
    n: _Tree


class COCOBState(_typing.NamedTuple):
    """Of COCOB. (optax.contrib.COCOBState)"""
    init_particles: _Tree
    cumulative_gradients: _Tree
    scale: _Tree
    subgradients: _Tree
    reward: _Tree


class DAdaptAdamWState(_typing.NamedTuple):
    """Of D-Adaptation. (optax.contrib.DAdaptAdamWState)"""
    exp_avg: _Tree
    exp_avg_sq: _Tree
    grad_sum: _Tree
    estim_lr: _Number
    numerator_weighted: _Number
    count: _Number


class DoGState(_typing.NamedTuple):
    """Of DoG. (optax.contrib.DoGState)"""
    is_init_step: _Number
    init_params: _Tree
    max_dist: _Number
    sum_sq_norm_grads: _Number


class DoWGState(_typing.NamedTuple):
    """Of DoWG. (optax.contrib.DoWGState)"""
    init_params: _Tree
    weighted_sq_norm_grads: _Number
    estim_sq_dist: _Number


class MadgradState(_typing.NamedTuple):
    """Of MADGRAD. (optax.contrib.MadgradState)"""
    count: _Number
    grad_sum_sq: _Tree
    s: _Tree
    x0: _Tree


class MomoState(_typing.NamedTuple):
    """Of MoMo. (optax.contrib.MomoState)"""
    exp_avg: _Tree
    barf: _Number
    gamma: _Number
    lb: _Number
    count: _Number


class MomoAdamState(_typing.NamedTuple):
    """Of MoMo with Adam. (optax.contrib.MomoAdamState)"""
    exp_avg: _Tree
    exp_avg_sq: _Tree
    barf: _Number
    gamma: _Number
    lb: _Number
    count: _Number


class MuonState(_typing.NamedTuple):
    """Of Muon. (optax.contrib.MuonState)"""
    count: _Number
    mu: _Tree
    ns_coeffs: _Number


class ProdigyState(_typing.NamedTuple):
    """Of Prodigy. (optax.contrib.ProdigyState)"""
    exp_avg: _Tree
    exp_avg_sq: _Tree
    grad_sum: _Tree
    params0: _Tree
    estim_lr: _Number
    numerator_weighted: _Number
    count: _Number


class ReduceLROnPlateauState(_typing.NamedTuple):
    """Of reduce_on_plateau. (optax.contrib.ReduceLROnPlateauState)"""
    scale: _Number
    best_value: _Number
    plateau_count: _Number
    cooldown_count: _Number
    count: _Number
    avg_value: _Number


class SAMState(_typing.NamedTuple):
    """Of SAM; cache has the parameters that it goes back to. (optax.contrib.SAMState)"""
    steps_since_sync: _Number
    opt_state: OptState
    adv_state: OptState
    cache: _Tree


class ScheduleFreeState(_typing.NamedTuple):
    """Of schedule-free optimizers; the base optimizer moves z. (optax.contrib.ScheduleFreeState)"""
    b1: _Number
    weight_sum: _Number
    step_count: _Number
    max_lr: _Number
    base_optimizer_state: OptState
    z: _Tree


class MechanicState(_typing.NamedTuple):
    """Of mechanize. (optax.contrib.MechanicState)"""
    base_optimizer_state: OptState
    count: _Number
    r: _Number
    m: _Number
    v: _Number
    s: _Number
    x0: _Tree


class SplitRealAndImaginaryState(_typing.NamedTuple):
    """Of split_real_and_imaginary. (optax.contrib.SplitRealAndImaginaryState)"""
    inner_state: OptState


class SplitRealAndImaginaryArrays(_typing.NamedTuple):
    """What stands for a complex array there. (of optax.contrib.split_real_and_imaginary)"""
    real: _Tree
    imaginary: _Tree


class DifferentiallyPrivateAggregateState(_typing.NamedTuple):
    """Of noise for privacy. (optax.contrib.DifferentiallyPrivateAggregateState)"""
    rng_key: _Number


_classes = _states.classes_of(globals())
_states._CLASSES.update(_classes)
__all__ = list(_classes)
