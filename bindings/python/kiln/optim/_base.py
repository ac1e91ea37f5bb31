# SPDX-License-Identifier: Apache-2.0
"""Optimizers and schedules as objects over those of the library."""
import inspect

from .. import _core, numpy
from .._core import Array
from ..tree_util import flatten_up_to, tree_flatten, tree_leaves, tree_map, tree_structure
from ._states import LookaheadParams, read

_c = _core.functions("kiln.optim")


class Schedule:
    """A number for each step: schedule(step)."""

    def __init__(self, handle):
        self._handle = handle

    def __call__(self, count):
        return _c["_schedule_at"](self._handle, count)


class GradientTransformation:
    """init(params) -> state; update(grads, state, params) -> (updates, state). (optax.GradientTransformation)"""

    def __init__(self, build, state=read):
        """build(params) -> a handle of the library; params, a tree, is there for masks alone. state reads a state."""
        self._build, self._state, self._handles = build, state, {}

    def _handle(self, tree):
        structure = tree_structure(tree)
        if structure not in self._handles:
            self._handles[structure] = self._build(tree)
        return self._handles[structure]

    def _first(self, params, leaves):
        node, state = _core.optim_init(self._handle(params), leaves)
        return self._state(node, iter(state), params)

    def _step(self, updates, state, params, value):
        """(leaves of the updates, the next state); params: leaves, or None."""
        leaves, treedef = tree_flatten(state)
        new, leaves = _core.optim_update(self._handle(updates), tree_leaves(updates), leaves, params, value)
        return new, treedef.unflatten(leaves)

    def init(self, params):
        """The state before the first step."""
        return self._first(params, tree_leaves(params))

    def update(self, updates, state, params=None, *, value=None, **extra_args):
        """(what to add to the parameters, the next state)"""
        treedef = same_structure(updates, params)
        new, state = self._step(updates, state, None if params is None else tree_leaves(params), value)
        return treedef.unflatten(new), state


def same_structure(updates, params):
    """The structure of the gradients, which has to be that of the parameters, if there are some."""
    treedef = tree_structure(updates)
    if params is not None and tree_structure(params) != treedef:
        raise ValueError(f"the gradients' structure {treedef} is not that of the parameters, "
                         f"{tree_structure(params)}")
    return treedef


class Lookahead(GradientTransformation):
    """A transformation of LookaheadParams, with gradients of the fast ones."""

    def init(self, params):
        """The state before the first step, of LookaheadParams or of the fast parameters alone."""
        fast = getattr(params, "fast", params)
        return self._first(fast, 2 * tree_leaves(fast))

    def update(self, updates, state, params=None, *, value=None, **extra_args):
        """(what to add to the LookaheadParams, the next state)"""
        if not isinstance(params, LookaheadParams):
            raise TypeError(f"lookahead: the parameters have to be LookaheadParams, not {type(params).__name__}")
        treedef = same_structure(updates, params.fast)
        same_structure(updates, params.slow)
        new, state = self._step(updates, state, tree_leaves(params), value)
        n = treedef.num_leaves
        return LookaheadParams(treedef.unflatten(new[:n]), treedef.unflatten(new[n:])), state


GradientTransformationExtraArgs = GradientTransformation


def mask_of(mask, params):
    """A bool for each leaf of the parameters, of a mask that is a prefix of their tree or a function of it."""
    tree = mask(params) if callable(mask) else mask
    leaves, treedef = tree_flatten(tree)
    return [m for m, sub in zip(leaves, flatten_up_to(treedef, params)) for _ in tree_leaves(sub)]


def of_rank(ndim):
    """A mask of the parameters that have so many dimensions."""
    return lambda params: tree_map(lambda p: numpy.ndim(p) == ndim, params)


def only(name, key, value, default):
    """NotImplementedError for what the library does not have but for its default."""
    if value is not default and value != default:
        raise NotImplementedError(f"{name}: {key} has to be {default!r}")


def _renamed(name, values):
    """What the library has under other names than optax."""
    if "key" in values and not isinstance(values["key"], Array):
        key, seed = values.pop("key"), values.get("seed")
        if key is not None and seed is not None:
            raise ValueError(f"{name}: only one of seed and key can be given")
        values["seed"] = key if key is not None else seed if seed is not None else 0
    if name == "adadelta":
        values["mask"] = values.pop("weight_decay_mask", None)
    if name == "scale_by_schedule":
        values["step_size"] = values.pop("step_size_fn")
    return values


def arguments(f, values):
    """(the function of the library for f, its arguments): f is the function of Python with optax's signature, values
    are its arguments. What the library does not have takes its default alone; None for a number that has another
    default is NaN."""
    name, row, given = f.__name__, _c["_" + f.__name__], {}
    own, there = inspect.signature(f).parameters, inspect.signature(row).parameters
    for key, v in _renamed(name, dict(values)).items():
        default = own[key].default if key in own else None
        if isinstance(v, Schedule) and key + "_schedule" in there:
            key, v = key + "_schedule", v._handle
        elif isinstance(v, Schedule) and name == "scale_by_schedule":
            v = v._handle
        elif isinstance(v, Array) and key + "_array" in there:
            key += "_array"
        elif key not in there:
            if key == "key":
                raise NotImplementedError(f"{name}: the key has to be a number, a seed")
            only(name, key, v, default)
            continue
        elif callable(v) and "mask" not in key:
            what = "a number, an array or a schedule of kiln.optim" if key + "_schedule" in there else "a number"
            raise TypeError(f"{name}: {key} has to be {what}")
        given[key] = float("nan") if v is None and isinstance(default, float) else v
    return row, given


def optimizer(f, values, state=read):
    """The optimizer of the library for f, the function of Python with optax's signature, with these arguments."""
    row, given = arguments(f, values)
    masks = [k for k in given if "mask" in k and given[k] is not None]
    if not masks:
        handle = row(**given)
        return GradientTransformation(lambda params: handle, state)
    return GradientTransformation(
        lambda params: row(**{**given, **{k: mask_of(given[k], params) for k in masks}}), state)


def same(*trees):
    """(the leaves of each, the structure), which has to be the same."""
    leaves, treedef = tree_flatten(trees[0])
    for t in trees[1:]:
        if tree_structure(t) != treedef:
            raise ValueError(f"trees of different structure: {treedef} and {tree_structure(t)}")
    return *(tree_leaves(t) for t in trees), treedef


def schedule(name, values):
    """The schedule of the library with these arguments."""
    return Schedule(_c["_" + name](**values))
