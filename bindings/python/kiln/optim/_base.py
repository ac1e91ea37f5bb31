# SPDX-License-Identifier: Apache-2.0
"""Optimizers and schedules as objects over those of the library."""
from .. import _core
from .._core import Array
from ..tree_util import flatten_up_to, tree_flatten, tree_leaves, tree_structure
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


def _takes(name, values, plain):
    """What stands for the same under another name in the library, and what it does not have."""
    for key in ("mu_dtype", "accumulator_dtype"):
        if values.pop(key, None) is not None:
            raise NotImplementedError(f"{name}: {key}: moments have the dtype of the parameters")
    if name == "adafactor":
        values.pop("dtype_momentum")
        if values["clipping_threshold"] is None:  # which is not the default
            values["clipping_threshold"] = float("nan")
    if "key" in values:
        key = values.pop("key")
        if not isinstance(key, int):
            raise NotImplementedError(f"{name}: the key has to be a number, a seed")
        values["seed"] = key
    for key, only in plain.items():
        if key in values and values.pop(key) != only:
            raise NotImplementedError(f"{name}: {key} has to be {only!r}")
    if name == "adadelta":
        values["mask"] = values.pop("weight_decay_mask", None)
    return values


def optimizer(name, values):
    """The optimizer of the library with these arguments, those of the function in Python."""
    plain = {"scale_by_learning_rate": {"flip_sign": True}, "adaptive_grad_clip": {"axis": None},
             "scale_by_lion": {"mode": None, "smooth_beta": None}, "nadam": {"nesterov": True},
             "nadamw": {"nesterov": True}}.get(name, {})
    if name == "scale_by_lion":
        plain = {}
        values = {k: v for k, v in values.items() if k in ("b1", "b2", "mu_dtype")}
    values = _takes(name, dict(values), plain)
    if name == "scale_by_schedule":
        values["step_size"] = values.pop("step_size_fn")
    given = {}
    for key, v in values.items():
        if isinstance(v, Schedule):
            key, v = (key if name == "scale_by_schedule" else key + "_schedule"), v._handle
        elif isinstance(v, Array) and key == "learning_rate":
            key += "_array"
        elif callable(v) and "mask" not in key:
            raise TypeError(f"{name}: {key} has to be a number, an array or a schedule of kiln.optim")
        given[key] = v
    masks = [k for k in given if "mask" in k and given[k] is not None]
    row = _c["_" + name]
    if not masks:
        handle = row(**given)
        return GradientTransformation(lambda params: handle)
    return GradientTransformation(lambda params: row(**{**given, **{k: mask_of(given[k], params) for k in masks}}))


def schedule(name, values):
    """The schedule of the library with these arguments."""
    return Schedule(_c["_" + name](**values))
