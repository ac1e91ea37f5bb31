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
from .. import _core, numpy as _numpy, random as _random
from ..tree_util import tree_flatten as _flatten, tree_leaves as _leaves
from . import _optimizers, _scales
from ._base import GradientTransformation, GradientTransformationExtraArgs, Schedule, same as _same
from ._combining import *  # noqa: F401, F403
from ._optimizers import *  # noqa: F401, F403
from ._scales import *  # noqa: F401, F403
from ._states import *  # noqa: F401, F403

_c = _core.functions("kiln.optim")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def poly_loss_cross_entropy(logits, labels, *, epsilon=2.0):
    """optax.losses.poly_loss_cross_entropy"""
    return _c["_poly_loss_cross_entropy"](logits, labels, epsilon)


def ntxent(embeddings, labels, temperature=0.07):
    """optax.losses.ntxent"""
    return _c["_ntxent"](embeddings, labels, temperature)


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


def scale_gradient(inputs, scale):
    """inputs, whose gradient is scaled. (optax.scale_gradient)"""
    leaves, treedef = _flatten(inputs)
    return treedef.unflatten(_c["_scale_gradient"](leaves, scale))


def per_example_global_norm_clip(grads, l2_norm_clip):
    """(the sum over examples of their gradients, each of this norm at most; how many were longer)
    (optax.per_example_global_norm_clip)"""
    leaves, treedef = _flatten(grads)
    total, count = _core.optim_clip_examples(leaves, l2_norm_clip, None)
    return treedef.unflatten(total), count


def per_example_layer_norm_clip(grads, global_l2_norm_clip, uniform=True):
    """(the sum over examples of their gradients, each leaf of a share of this norm at most; how many were longer)
    (optax.per_example_layer_norm_clip)"""
    leaves, treedef = _flatten(grads)
    total, count = _core.optim_clip_examples(leaves, global_l2_norm_clip, bool(uniform))
    return treedef.unflatten(total), treedef.unflatten(count)


def skip_not_finite(updates, gradient_step, params):
    """(is an element infinite or NaN?, what was found) (optax.skip_not_finite)"""
    yes, count = _core.optim_skip(_leaves(updates), None)
    return yes, {"should_skip": yes, "num_not_finite": count}


def skip_large_updates(updates, gradient_step, params, max_squared_norm):
    """(is the square of the norm not below max_squared_norm?, what was found) (optax.skip_large_updates)"""
    yes, square = _core.optim_skip(_leaves(updates), max_squared_norm)
    return yes, {"should_skip": yes, "norm_squared": square}


def power_iteration(matrix, *, v0=None, num_iters=100, error_tolerance=1e-06, precision=None, key=None):
    """(the eigenvalue of the largest size of a symmetric matrix, its eigenvector); without v0 it begins with uniform
    random numbers of the key. (optax.power_iteration)"""
    if callable(matrix):
        raise NotImplementedError("power_iteration: the matrix has to be an array")
    if v0 is None and key is not None:
        matrix = _numpy.asarray(matrix)
        v0 = _random.uniform(key, matrix.shape[-1:], matrix.dtype, -1.0, 1.0)
    return _c["_power_iteration"](matrix, v0=v0, num_iters=num_iters, error_tolerance=error_tolerance)


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

# The modules, which are of what is above.
from . import assignment, contrib, losses, projections, second_order, transforms, tree  # noqa: E402, F401
