# SPDX-License-Identifier: Apache-2.0
"""Projections of trees onto sets (optax.projections)."""
from .. import _core
from ..tree_util import all_leaves as _all_leaves, flatten_up_to as _flatten_up_to, tree_flatten as _flatten
from ._base import same as _same

_c = _core.functions("kiln.optim")


def _project(name, tree, *args):
    leaves, treedef = _flatten(tree)
    return treedef.unflatten(_c[name](leaves, *args))


def projection_non_negative(tree):
    """Negative elements become 0. (optax.projections.projection_non_negative)"""
    return _project("_projection_non_negative", tree)


def projection_box(tree, lower, upper):
    """Each element between its bounds: numbers, arrays, or trees of them. (optax.projections.projection_box)"""
    leaves, treedef = _flatten(tree)
    low, high = ([b] * len(leaves) if _all_leaves([b]) else _flatten_up_to(treedef, b) for b in (lower, upper))
    return treedef.unflatten([_c["_projection_box"]([x], *b)[0] for x, *b in zip(leaves, low, high)])


def projection_hypercube(tree, scale=1):
    """Elements from 0 to scale, a number or a tree of them. (optax.projections.projection_hypercube)"""
    return projection_box(tree, 0, scale)


def projection_simplex(tree, scale=1):
    """No element negative, their sum scale. (optax.projections.projection_simplex)"""
    return _project("_projection_simplex", tree, scale)


def projection_l1_sphere(tree, scale=1):
    """The sum of sizes is scale. (optax.projections.projection_l1_sphere)"""
    return _project("_projection_l1_sphere", tree, scale)


def projection_l1_ball(tree, scale=1):
    """The sum of sizes is scale at most. (optax.projections.projection_l1_ball)"""
    return _project("_projection_l1_ball", tree, scale)


def projection_l2_sphere(tree, scale=1):
    """The norm is scale. (optax.projections.projection_l2_sphere)"""
    return _project("_projection_l2_sphere", tree, scale)


def projection_l2_ball(tree, scale=1):
    """The norm is scale at most. (optax.projections.projection_l2_ball)"""
    return _project("_projection_l2_ball", tree, scale)


def projection_linf_ball(tree, scale=1):
    """No element is larger than scale. (optax.projections.projection_linf_ball)"""
    return _project("_projection_linf_ball", tree, scale)


def _with_normal(name, x, a, *args):
    leaves, normal, treedef = _same(x, a)
    return treedef.unflatten(_c[name](leaves, normal, *args))


def projection_vector(x, a):
    """Onto the multiples of a. (optax.projections.projection_vector)"""
    return _with_normal("_projection_vector", x, a)


def projection_hyperplane(x, a, b):
    """Onto what has the product b with a. (optax.projections.projection_hyperplane)"""
    return _with_normal("_projection_hyperplane", x, a, b)


def projection_halfspace(x, a, b):
    """Onto what has the product b at most with a. (optax.projections.projection_halfspace)"""
    return _with_normal("_projection_halfspace", x, a, b)


__all__ = [n for n in globals() if n.startswith("projection_")]
