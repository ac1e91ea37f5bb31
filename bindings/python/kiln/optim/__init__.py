# SPDX-License-Identifier: Apache-2.0
"""Optimizers, schedules and losses (optax).

>>> import kiln, kiln.numpy as knp
>>> opt = kiln.optim.sgd(0.1)
>>> params = {"w": knp.ones(2)}
>>> state = opt.init(params)
>>> grads = kiln.grad(lambda p: knp.sum(p["w"] ** 2))(params)
>>> updates, state = opt.update(grads, state, params)
>>> kiln.optim.apply_updates(params, updates)["w"].tolist()
[0.8, 0.8]
"""
from .. import _core
from ..tree_util import tree_flatten as _flatten, tree_leaves as _leaves, tree_structure as _structure
from . import _optimizers
from ._base import GradientTransformation, GradientTransformationExtraArgs, Schedule
from ._base import Lookahead as _Lookahead, mask_of as _mask_of
from ._optimizers import *  # noqa: F401, F403
from ._states import *  # noqa: F401, F403
from ._states import MaskedState as _MaskedState, masked_tree as _masked_tree, read as _read

_c = _core.functions("kiln.optim")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def poly_loss_cross_entropy(logits, labels, *, epsilon=2.0):
    """optax.losses.poly_loss_cross_entropy"""
    return _c["_poly_loss_cross_entropy"](logits, labels, epsilon)


def ntxent(embeddings, labels, temperature=0.07):
    """optax.losses.ntxent"""
    return _c["_ntxent"](embeddings, labels, temperature)


def _same(a, b):
    leaves, treedef = _flatten(a)
    if _structure(b) != treedef:
        raise ValueError(f"trees of different structure: {treedef} and {_structure(b)}")
    return leaves, _leaves(b), treedef


def apply_updates(params, updates):
    """The sums, in the parameters' dtypes. (optax.apply_updates)"""
    p, u, treedef = _same(params, updates)
    return treedef.unflatten(_c["_apply_updates"](p, u))


def global_norm(tree):
    """The root of the sum of all squares. (optax.global_norm)"""
    return _c["_global_norm"](_leaves(tree))


def incremental_update(new_tensors, old_tensors, step_size):
    """step_size new + (1 - step_size) old (optax.incremental_update)"""
    new, old, treedef = _same(new_tensors, old_tensors)
    return treedef.unflatten(_c["_incremental_update"](new, old, step_size))


def periodic_update(new_tensors, old_tensors, steps, update_period):
    """new where steps is a multiple of the period, else old (optax.periodic_update)"""
    new, old, treedef = _same(new_tensors, old_tensors)
    return treedef.unflatten(_c["_periodic_update"](new, old, steps, update_period))


def _around(inner):
    """Reads the state of a transformation around another one."""
    return lambda node, leaves, params: _read(node, leaves, params, inner._state)


def chain(*args):
    """One transformation after the other. (optax.chain)"""
    return GradientTransformation(
        lambda params: _core.optim_chain(tuple(a._handle(params) for a in args)),
        lambda node, leaves, params: tuple(a._state(n, leaves, params) for a, n in zip(args, node[1:], strict=True)))


def masked(inner, mask, *, mask_compatible_extra_args=False):
    """inner, where the mask is true; other updates stay. (optax.masked)"""
    return GradientTransformation(
        lambda params: _c["_masked"](inner._handle(_masked_tree(mask, params)), _mask_of(mask, params)),
        lambda node, leaves, params: _MaskedState(inner._state(node[1], leaves, _masked_tree(mask, params))))


def freeze(mask):
    """Zeros, where the mask is true. (optax.freeze)"""
    return GradientTransformation(lambda params: _c["_freeze"](_mask_of(mask, params)))


def apply_if_finite(inner, max_consecutive_errors):
    """inner, but for updates with NaN and infinities, up to so many. (optax.apply_if_finite)"""
    return GradientTransformation(lambda params: _c["_apply_if_finite"](inner._handle(params), max_consecutive_errors),
                                  _around(inner))


class MultiSteps:
    """opt after every k gradients, of their mean. (optax.MultiSteps)"""

    def __init__(self, opt, every_k_schedule, use_grad_mean=True):
        t = GradientTransformation(
            lambda params: _c["_multi_steps"](opt._handle(params), every_k_schedule, use_grad_mean), _around(opt))
        self._t, self.init, self.update = t, t.init, t.update

    def gradient_transformation(self):
        """As a part of a chain."""
        return self._t


def lookahead(fast_optimizer, sync_period, slow_step_size, reset_state=False):
    """Slow parameters that follow the fast ones, both as LookaheadParams. (optax.lookahead)"""
    return _Lookahead(
        lambda params: _c["_lookahead"](fast_optimizer._handle(params), sync_period, slow_step_size, reset_state),
        _around(fast_optimizer))


def join_schedules(schedules, boundaries):
    """Schedules that begin at these steps, one after the other. (optax.join_schedules)"""
    return Schedule(_core.optim_join(tuple(s._handle for s in schedules), tuple(boundaries)))


def piecewise_constant_schedule(init_value, boundaries_and_scales=None):
    """Constant between steps, scaled at each. (optax.piecewise_constant_schedule)"""
    return Schedule(_core.optim_piecewise(None, init_value, tuple(sorted((boundaries_and_scales or {}).items()))))


def piecewise_interpolate_schedule(interpolate_type, init_value, boundaries_and_scales=None):
    """From value to value in lines or cosines. (optax.piecewise_interpolate_schedule)"""
    return Schedule(_core.optim_piecewise(interpolate_type, init_value,
                                          tuple(sorted((boundaries_and_scales or {}).items()))))


def sgdr_schedule(cosine_kwargs):
    """Warm restarts: warmup_cosine_decay_schedule, again and again. (optax.sgdr_schedule)"""
    return Schedule(_core.optim_sgdr(tuple(
        (c["init_value"], c["peak_value"], c["warmup_steps"], c["decay_steps"], c.get("end_value", 0.0),
         c.get("exponent", 1.0))
        for c in cosine_kwargs)))


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))
