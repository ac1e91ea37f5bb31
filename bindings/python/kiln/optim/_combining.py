# SPDX-License-Identifier: Apache-2.0
"""Transformations made of others."""
from .. import _core
from ..tree_util import flatten_up_to as _flatten_up_to, tree_flatten as _flatten, tree_leaves as _leaves
from ..tree_util import tree_map as _map
from ._base import GradientTransformation, Lookahead as _Lookahead, mask_of as _mask_of, only as _only
from ._optimizers import set_to_zero as _set_to_zero
from ._states import MaskedState as _MaskedState, PartitionState as _PartitionState
from ._states import masked_tree as _masked_tree, read as _read
from ._steps import steps_of as _steps_of

_c = _core.functions("kiln.optim")


def around(inner):
    """Reads the state of a transformation around another one."""
    return lambda node, leaves, params: _read(node, leaves, params, inner._state)


def masked_state(state, mask):
    """Reads the state of a transformation that sees what the mask has."""
    return lambda node, leaves, params: _MaskedState(state(node[1], leaves, _masked_tree(mask, params)))


def parts_state(parts):
    """Reads the state of a partition: parts has for each label what reads its state, and its mask."""
    return lambda node, leaves, params: _PartitionState(
        {k: masked_state(*parts[k])(n, leaves, params) for k, n in zip(sorted(parts), node[1][1:], strict=True)})


def chain(*args):
    """One transformation after the other. (optax.chain)"""
    return GradientTransformation(
        lambda params: _core.optim_chain(tuple(a._handle(params) for a in args)),
        lambda node, leaves, params: tuple(a._state(n, leaves, params) for a, n in zip(args, node[1:], strict=True)))


def masked(inner, mask, *, mask_compatible_extra_args=False):
    """inner, where the mask is true; other updates stay. (optax.masked)"""
    return GradientTransformation(
        lambda params: _c["_masked"](inner._handle(_masked_tree(mask, params)), _mask_of(mask, params)),
        masked_state(inner._state, mask))


def freeze(mask):
    """Zeros, where the mask is true. (optax.freeze)"""
    return GradientTransformation(lambda params: _c["_freeze"](_mask_of(mask, params)))


def apply_if_finite(inner, max_consecutive_errors):
    """inner, but for updates with NaN and infinities, up to so many. (optax.apply_if_finite)"""
    return GradientTransformation(lambda params: _c["_apply_if_finite"](inner._handle(params), max_consecutive_errors),
                                  around(inner))


class MultiSteps:
    """opt after every k gradients, of their mean. (optax.MultiSteps)"""

    def __init__(self, opt, every_k_schedule, use_grad_mean=True):
        t = GradientTransformation(
            lambda params: _c["_multi_steps"](opt._handle(params), every_k_schedule, use_grad_mean), around(opt))
        self._t, self.init, self.update = t, t.init, t.update

    def gradient_transformation(self):
        """As a part of a chain."""
        return self._t


def lookahead(fast_optimizer, sync_period, slow_step_size, reset_state=False):
    """Slow parameters that follow the fast ones, both as LookaheadParams. (optax.lookahead)"""
    return _Lookahead(
        lambda params: _c["_lookahead"](fast_optimizer._handle(params), sync_period, slow_step_size, reset_state),
        around(fast_optimizer))


def partition(transforms, param_labels, *, mask_compatible_extra_args=False):
    """For each parameter the transformation of its label. param_labels is a prefix of the parameters' tree, or a
    function of them; the labels can be sorted. (optax.partition)"""
    keys = sorted(transforms)

    def labels_of(params):
        return param_labels(params) if callable(param_labels) else param_labels

    def mask_of(key):
        return lambda params: _map(lambda label: label == key, labels_of(params))

    def build(params):
        labels, treedef = _flatten(labels_of(params))
        absent = [label for label in labels if label not in transforms]
        if absent:
            raise ValueError(f"partition: there is no transformation for the labels {absent}, only for {keys}")
        parts = _flatten_up_to(treedef, params)
        numbers = [keys.index(label) for label, part in zip(labels, parts) for _ in _leaves(part)]
        return _core.optim_partition(
            tuple(transforms[k]._handle(_masked_tree(mask_of(k), params)) for k in keys), numbers)

    return GradientTransformation(build, parts_state({k: (t._state, mask_of(k)) for k, t in transforms.items()}))


def selective_transform(optimizer, *, freeze_mask):
    """optimizer, where the mask is false; zeros elsewhere. (optax.selective_transform)"""
    return partition({"train": optimizer, "freeze": _set_to_zero()},
                     lambda params: _map(lambda m: "freeze" if m else "train", freeze_mask))


def _conditionally(name, inner, condition, forward_extra_args):
    _only(name, "forward_extra_args", forward_extra_args, False)
    steps = _steps_of(name, condition)
    return GradientTransformation(lambda params: _c["_" + name](inner._handle(params), **steps), around(inner))


def conditionally_transform(inner, should_transform_fn, forward_extra_args=False):
    """inner at the steps where the condition holds; at the others the updates stay as they are. The condition is a
    range of steps: lambda step: step >= 10, or (step < 100) & (step % 2 == 0). (optax.conditionally_transform)"""
    return _conditionally("conditionally_transform", inner, should_transform_fn, forward_extra_args)


def conditionally_mask(inner, should_transform_fn, forward_extra_args=False):
    """inner at the steps where the condition holds, a range of steps as for conditionally_transform; zeros at the
    others. (optax.conditionally_mask)"""
    return _conditionally("conditionally_mask", inner, should_transform_fn, forward_extra_args)


def flatten(inner):
    """inner, which sees all parameters as one vector. (optax.flatten)"""
    vector = 0.0  # a tree of one leaf
    return GradientTransformation(lambda params: _c["_flatten"](inner._handle(vector)),
                                  lambda node, leaves, params: inner._state(node, leaves, vector))


__all__ = ["chain", "masked", "freeze", "apply_if_finite", "MultiSteps", "lookahead", "partition",
           "selective_transform", "conditionally_transform", "conditionally_mask", "flatten"]
