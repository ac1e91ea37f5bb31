# SPDX-License-Identifier: Apache-2.0
"""The states of optimizers as optax has them: named tuples with its names and fields, in trees of the parameters'."""
import typing as _typing

from ..tree_util import tree_map as _map, tree_structure as _structure

OptState = _typing.Annotated[_typing.Any, "the state of a transformation within"]
_Number = _typing.Annotated[_typing.Any, "an array of its own"]
_Tree = _typing.Annotated[_typing.Any, "a tree like the parameters"]
_Nothing = _typing.Annotated[_typing.Any, "()"]


class EmptyState(_typing.NamedTuple):
    """Of a transformation that remembers nothing. (optax.EmptyState)"""


class ScaleByScheduleState(_typing.NamedTuple):
    """Of a scheduled rate. (optax.ScaleByScheduleState)"""
    count: _Number


class WeightDecaySchedule(_typing.NamedTuple):
    """Of a scheduled weight decay. (optax.transforms.WeightDecaySchedule)"""
    count: _Number


class TraceState(_typing.NamedTuple):
    """Of momentum. (optax.TraceState)"""
    trace: _Tree


class EmaState(_typing.NamedTuple):
    """Of a moving average. (optax.EmaState)"""
    count: _Number
    ema: _Tree


class AddNoiseState(_typing.NamedTuple):
    """Of noise that decays. (optax.AddNoiseState)"""
    count: _Number
    rng_key: _Number


class ZeroNansState(_typing.NamedTuple):
    """Of zero_nans: which updates had some. (optax.ZeroNansState)"""
    found_nan: _Tree


class ApplyEvery(_typing.NamedTuple):
    """Of apply_every. (optax.ApplyEvery)"""
    count: _Number
    grad_acc: _Tree


class ScaleByAdamState(_typing.NamedTuple):
    """Of Adam and those like it. (optax.ScaleByAdamState)"""
    count: _Number
    mu: _Tree
    nu: _Tree


class ScaleByAmsgradState(_typing.NamedTuple):
    """Of AMSGrad. (optax.transforms.ScaleByAmsgradState)"""
    count: _Number
    mu: _Tree
    nu: _Tree
    nu_max: _Tree


class ScaleByBeliefState(_typing.NamedTuple):
    """Of AdaBelief. (optax.ScaleByBeliefState)"""
    count: _Number
    mu: _Tree
    nu: _Tree


class ScaleByAdanState(_typing.NamedTuple):
    """Of Adan. (optax.ScaleByAdanState)"""
    m: _Tree
    v: _Tree
    n: _Tree
    g: _Tree
    t: _Number


class ScaleByLionState(_typing.NamedTuple):
    """Of Lion. (optax.ScaleByLionState)"""
    count: _Number
    mu: _Tree


class ScaleByNovogradState(_typing.NamedTuple):
    """Of NovoGrad. (optax.ScaleByNovogradState)"""
    count: _Number
    mu: _Tree
    nu: _Tree


class ScaleByRssState(_typing.NamedTuple):
    """Of AdaGrad. (optax.ScaleByRssState)"""
    sum_of_squares: _Tree


class ScaleByRmsState(_typing.NamedTuple):
    """Of RMSProp. (optax.ScaleByRmsState)"""
    nu: _Tree


class ScaleByRmsWithCountState(_typing.NamedTuple):
    """Of RMSProp whose bias is corrected. (optax.transforms.ScaleByRmsWithCountState)"""
    count: _Number
    nu: _Tree


class ScaleByRStdDevState(_typing.NamedTuple):
    """Of centered RMSProp. (optax.ScaleByRStdDevState)"""
    mu: _Tree
    nu: _Tree


class ScaleByRStdDevWithCountState(_typing.NamedTuple):
    """Of centered RMSProp whose bias is corrected. (optax.transforms.ScaleByRStdDevWithCountState)"""
    count: _Number
    mu: _Tree
    nu: _Tree


class ScaleByAdaDeltaState(_typing.NamedTuple):
    """Of AdaDelta. (optax.ScaleByAdaDeltaState)"""
    e_g: _Tree
    e_x: _Tree


class ScaleByRpropState(_typing.NamedTuple):
    """Of Rprop. (optax.ScaleByRpropState)"""
    step_sizes: _Tree
    prev_updates: _Tree


class ScaleBySM3State(_typing.NamedTuple):
    """Of SM3; mu has a list for each parameter, of an array for each of its axes. (optax.ScaleBySM3State)"""
    mu: _Tree
    nu: _Tree


class ScaleByOptimisticGradientState(_typing.NamedTuple):
    """Of optimistic gradient descent. (optax.transforms.ScaleByOptimisticGradientState)"""
    is_initial_step: _Number
    previous_gradient: _Tree


class FactoredState(_typing.NamedTuple):
    """Of Adafactor. (optax.FactoredState)"""
    count: _Number
    v_row: _Tree
    v_col: _Tree
    v: _Tree


class ScaleByDistanceOverGradientsState(_typing.NamedTuple):
    """Of distances over gradients. (of optax.scale_by_distance_over_gradients)"""
    max_dist: _Tree
    grad_sum_of_squares: _Tree
    init_params: _Tree


class PartitionState(_typing.NamedTuple):
    """Of partition: a MaskedState for each label. (optax.PartitionState)"""
    inner_states: OptState


class ConditionallyTransformState(_typing.NamedTuple):
    """Of conditionally_transform. (optax.ConditionallyTransformState)"""
    inner_state: OptState
    step: _Number


class ConditionallyMaskState(_typing.NamedTuple):
    """Of conditionally_mask. (optax.transforms.ConditionallyMaskState)"""
    step: _Number
    inner_state: OptState


class MaskedState(_typing.NamedTuple):
    """Of masked transformations. (optax.MaskedState)"""
    inner_state: OptState


class MaskedNode(_typing.NamedTuple):
    """What stands for parameters that a mask leaves out. (optax.MaskedNode)"""


class ApplyIfFiniteState(_typing.NamedTuple):
    """Of apply_if_finite. (optax.ApplyIfFiniteState)"""
    notfinite_count: _Number
    last_finite: _Number
    total_notfinite: _Number
    inner_state: OptState


class MultiStepsState(_typing.NamedTuple):
    """Of MultiSteps. (optax.MultiStepsState)"""
    mini_step: _Number
    gradient_step: _Number
    inner_opt_state: OptState
    acc_grads: _Tree
    skip_state: _Nothing


class LookaheadState(_typing.NamedTuple):
    """Of lookahead. (optax.LookaheadState)"""
    fast_state: OptState
    steps_since_sync: _Number


class LookaheadParams(_typing.NamedTuple):
    """The fast parameters, which have gradients, and the slow ones that follow them. (optax.LookaheadParams)"""
    fast: _Tree
    slow: _Tree

    @classmethod
    def init_synced(cls, params):
        """Both begin as these."""
        return cls(params, params)


def classes_of(module):
    """The named tuples of a module, by their names."""
    return {name: c for name, c in module.items() if isinstance(c, type) and issubclass(c, tuple)}


_CLASSES = classes_of(globals())  # and those of contrib
__all__ = [*_CLASSES, "OptState"]


def masked_tree(mask, params):
    """The parameters with MaskedNode() for what the mask, a prefix of their tree or a function of it, leaves out."""
    return _map(lambda m, sub: sub if m else MaskedNode(), mask(params) if callable(mask) else mask, params)


def _of_parameter(node, leaves):
    return next(leaves) if node is None else [_of_parameter(n, leaves) for n in node[1:]]


def _is_struct(node):
    return node is not None and node[0] is not None


def _like(node, leaves, params):
    """A tree like the parameters, whose structs are nodes of it; that of a single array comes without the list of
    them."""
    nodes = [None] if node is None else [m for n in node[1:] for m in (n[1:] if _is_struct(n) else [n])]
    return _structure(params).unflatten([_of_parameter(n, leaves) for n in nodes])


def read(node, leaves, params, inner=None):
    """The state of a node as the library tells it, (name or None, child, child, ...), with the next of the leaves, for
    these parameters. inner does the same for the state of a transformation within."""
    inner = inner or read
    if node[0] is None:
        return tuple(inner(n, leaves, params) for n in node[1:])
    kind = _CLASSES[node[0]]
    return kind(*[next(leaves) if field is _Number else inner(n, leaves, params) if field is OptState
                  else () if field is _Nothing else _like(n, leaves, params)
                  for field, n in zip(kind.__annotations__.values(), node[1:], strict=True)])
