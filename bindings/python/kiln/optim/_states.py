# SPDX-License-Identifier: Apache-2.0
"""The states of optimizers as optax has them: named tuples with its names and fields, in trees of the parameters'."""
import typing as _typing

from ..tree_util import tree_map as _map, tree_structure as _structure

OptState = _typing.Any
_T = _typing.Any


class EmptyState(_typing.NamedTuple):
    """Of a transformation that remembers nothing. (optax.EmptyState)"""


class ScaleByScheduleState(_typing.NamedTuple):
    """Of a scheduled rate. (optax.ScaleByScheduleState)"""
    count: _T


class WeightDecaySchedule(_typing.NamedTuple):
    """Of a scheduled weight decay. (optax.transforms.WeightDecaySchedule)"""
    count: _T


class TraceState(_typing.NamedTuple):
    """Of momentum. (optax.TraceState)"""
    trace: _T


class EmaState(_typing.NamedTuple):
    """Of a moving average. (optax.EmaState)"""
    count: _T
    ema: _T


class AddNoiseState(_typing.NamedTuple):
    """Of noise that decays. (optax.AddNoiseState)"""
    count: _T
    rng_key: _T


class ZeroNansState(_typing.NamedTuple):
    """Of zero_nans: which updates had some. (optax.ZeroNansState)"""
    found_nan: _T


class ApplyEvery(_typing.NamedTuple):
    """Of apply_every. (optax.ApplyEvery)"""
    count: _T
    grad_acc: _T


class ScaleByAdamState(_typing.NamedTuple):
    """Of Adam and those like it. (optax.ScaleByAdamState)"""
    count: _T
    mu: _T
    nu: _T


class ScaleByAmsgradState(_typing.NamedTuple):
    """Of AMSGrad. (optax.transforms.ScaleByAmsgradState)"""
    count: _T
    mu: _T
    nu: _T
    nu_max: _T


class ScaleByBeliefState(_typing.NamedTuple):
    """Of AdaBelief. (optax.ScaleByBeliefState)"""
    count: _T
    mu: _T
    nu: _T


class ScaleByAdanState(_typing.NamedTuple):
    """Of Adan. (optax.ScaleByAdanState)"""
    m: _T
    v: _T
    n: _T
    g: _T
    t: _T


class ScaleByLionState(_typing.NamedTuple):
    """Of Lion. (optax.ScaleByLionState)"""
    count: _T
    mu: _T


class ScaleByNovogradState(_typing.NamedTuple):
    """Of NovoGrad. (optax.ScaleByNovogradState)"""
    count: _T
    mu: _T
    nu: _T


class ScaleByRssState(_typing.NamedTuple):
    """Of AdaGrad. (optax.ScaleByRssState)"""
    sum_of_squares: _T


class ScaleByRmsState(_typing.NamedTuple):
    """Of RMSProp. (optax.ScaleByRmsState)"""
    nu: _T


class ScaleByRmsWithCountState(_typing.NamedTuple):
    """Of RMSProp whose bias is corrected. (optax.transforms.ScaleByRmsWithCountState)"""
    count: _T
    nu: _T


class ScaleByRStdDevState(_typing.NamedTuple):
    """Of centered RMSProp. (optax.ScaleByRStdDevState)"""
    mu: _T
    nu: _T


class ScaleByRStdDevWithCountState(_typing.NamedTuple):
    """Of centered RMSProp whose bias is corrected. (optax.transforms.ScaleByRStdDevWithCountState)"""
    count: _T
    mu: _T
    nu: _T


class ScaleByAdaDeltaState(_typing.NamedTuple):
    """Of AdaDelta. (optax.ScaleByAdaDeltaState)"""
    e_g: _T
    e_x: _T


class ScaleByRpropState(_typing.NamedTuple):
    """Of Rprop. (optax.ScaleByRpropState)"""
    step_sizes: _T
    prev_updates: _T


class ScaleBySM3State(_typing.NamedTuple):
    """Of SM3; mu has a list for each parameter, of an array for each of its axes. (optax.ScaleBySM3State)"""
    mu: _T
    nu: _T


class ScaleByOptimisticGradientState(_typing.NamedTuple):
    """Of optimistic gradient descent. (optax.transforms.ScaleByOptimisticGradientState)"""
    is_initial_step: _T
    previous_gradient: _T


class FactoredState(_typing.NamedTuple):
    """Of Adafactor. (optax.FactoredState)"""
    count: _T
    v_row: _T
    v_col: _T
    v: _T


class MaskedState(_typing.NamedTuple):
    """Of masked transformations. (optax.MaskedState)"""
    inner_state: _T


class MaskedNode(_typing.NamedTuple):
    """What stands for parameters that a mask leaves out. (optax.MaskedNode)"""


class ApplyIfFiniteState(_typing.NamedTuple):
    """Of apply_if_finite. (optax.ApplyIfFiniteState)"""
    notfinite_count: _T
    last_finite: _T
    total_notfinite: _T
    inner_state: _T


class MultiStepsState(_typing.NamedTuple):
    """Of MultiSteps. (optax.MultiStepsState)"""
    mini_step: _T
    gradient_step: _T
    inner_opt_state: _T
    acc_grads: _T
    skip_state: _T


class LookaheadState(_typing.NamedTuple):
    """Of lookahead. (optax.LookaheadState)"""
    fast_state: _T
    steps_since_sync: _T


class LookaheadParams(_typing.NamedTuple):
    """The fast parameters, which have gradients, and the slow ones that follow them. (optax.LookaheadParams)"""
    fast: _T
    slow: _T

    @classmethod
    def init_synced(cls, params):
        """Both begin as these."""
        return cls(params, params)


_CLASSES = {name: c for name, c in globals().items() if isinstance(c, type) and issubclass(c, tuple)}
__all__ = [*_CLASSES, "OptState"]
_NUMBERS = {"count", "t", "rng_key", "is_initial_step", "mini_step", "gradient_step", "notfinite_count", "last_finite",
            "total_notfinite", "steps_since_sync"}
_STATES = {"inner_state", "inner_opt_state", "fast_state"}  # other fields are trees like the parameters


def masked_tree(mask, params):
    """The parameters with MaskedNode() for what the mask, a prefix of their tree or a function of it, leaves out."""
    return _map(lambda m, sub: sub if m else MaskedNode(), mask(params) if callable(mask) else mask, params)


def _of_parameter(node, leaves):
    return next(leaves) if node is None else [_of_parameter(n, leaves) for n in node[1:]]


def _like(node, leaves, params):
    """A tree like the parameters; one of a single array comes without the list of them."""
    nodes = [None] if node is None else node[1:]
    return _structure(params).unflatten([_of_parameter(n, leaves) for n in nodes])


def read(node, leaves, params, inner=None):
    """The state of a node as the library tells it, (name or None, child, child, ...), with the next of the leaves, for
    these parameters. inner does the same for the state of a transformation within."""
    inner = inner or read
    if node[0] is None:
        return tuple(inner(n, leaves, params) for n in node[1:])
    kind = _CLASSES[node[0]]
    return kind(*[next(leaves) if field in _NUMBERS else inner(n, leaves, params) if field in _STATES
                  else () if field == "skip_state" else _like(n, leaves, params)
                  for field, n in zip(kind._fields, node[1:], strict=True)])
