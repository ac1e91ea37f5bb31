# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of trees (optax.tree)."""
import functools as _functools

from .. import _core, random as _random
from ..tree_util import tree_flatten as _flatten, tree_leaves as _leaves
from ._base import only as _only, same as _same

_c = _core.functions("kiln.optim")


def _of_one(name, tree, *args):
    """The tree that a function of the library makes of one."""
    leaves, treedef = _flatten(tree)
    return treedef.unflatten(_c[name](leaves, *args))


def _of_two(name, x, y, *args):
    """The tree that a function of the library makes of two of one structure."""
    first, second, treedef = _same(x, y)
    return treedef.unflatten(_c[name](first, second, *args))


def add(tree_x, tree_y, *other_trees):
    """x + y + ... (optax.tree.add)"""
    return _functools.reduce(lambda x, y: _of_two("_tree_add", x, y), (tree_y, *other_trees), tree_x)


def sub(tree_x, tree_y):
    """x - y (optax.tree.sub)"""
    return _of_two("_tree_sub", tree_x, tree_y)


def mul(tree_x, tree_y):
    """x y (optax.tree.mul)"""
    return _of_two("_tree_mul", tree_x, tree_y)


def div(tree_x, tree_y):
    """x / y (optax.tree.div)"""
    return _of_two("_tree_div", tree_x, tree_y)


def scale(scalar, tree):
    """scalar x (optax.tree.scale)"""
    leaves, treedef = _flatten(tree)
    return treedef.unflatten(_c["_tree_scale"](scalar, leaves))


def add_scale(tree_x, scalar, tree_y):
    """x + scalar y (optax.tree.add_scale)"""
    x, y, treedef = _same(tree_x, tree_y)
    return treedef.unflatten(_c["_tree_add_scale"](x, scalar, y))


def vdot(tree_x, tree_y):
    """The sum of the products of conj(x) and y. (optax.tree.vdot)"""
    x, y, _ = _same(tree_x, tree_y)
    return _c["_tree_vdot"](x, y)


def sum(tree, associative_reduction=False):
    """The sum of all elements. (optax.tree.sum)"""
    return _c["_tree_sum"](_leaves(tree))


def max(tree):
    """The largest element. (optax.tree.max)"""
    return _c["_tree_max"](_leaves(tree))


def min(tree):
    """The smallest element. (optax.tree.min)"""
    return _c["_tree_min"](_leaves(tree))


def size(tree):
    """The number of elements. (optax.tree.size)"""
    return _c["_tree_size"](_leaves(tree))


def norm(tree, ord=None, squared=False):
    """The norm of all elements together. (optax.tree.norm)"""
    if ord is not None:
        _only("norm", "ord", ord, 2)
    length = _c["_global_norm"](_leaves(tree))
    return length * length if squared else length


def conj(tree):
    """The complex conjugates. (optax.tree.conj)"""
    return _of_one("_tree_conj", tree)


def real(tree):
    """The real parts. (optax.tree.real)"""
    return _of_one("_tree_real", tree)


def clip(tree, min_value=None, max_value=None):
    """Elements between these. (optax.tree.clip)"""
    return _of_one("_tree_clip", tree, min_value, max_value)


def cast(tree, dtype):
    """Of this dtype; with None the tree itself. (optax.tree.cast)"""
    return tree if dtype is None else _of_one("_tree_cast", tree, dtype)


def cast_like(tree, other_tree):
    """Of the dtypes of another tree. (optax.tree.cast_like)"""
    return _of_two("_tree_cast_like", tree, other_tree)


def dtype(tree, mixed_dtype_handler=None):
    """The dtype of all leaves; the handler, 'promote', 'highest' or 'lowest', is for several. (optax.tree.dtype)"""
    return _c["_tree_dtype"](_leaves(tree), mixed_dtype_handler)


def zeros_like(tree, dtype=None):
    """Zeros. (optax.tree.zeros_like)"""
    return cast(_of_one("_tree_zeros_like", tree), dtype)


def ones_like(tree, dtype=None):
    """Ones. (optax.tree.ones_like)"""
    return cast(_of_one("_tree_ones_like", tree), dtype)


def full_like(tree, fill_value, dtype=None):
    """This value everywhere. (optax.tree.full_like)"""
    return _of_one("_tree_full_like", cast(tree, dtype), fill_value)


def where(condition, tree_x, tree_y):
    """x where the condition holds, else y. (optax.tree.where)"""
    x, y, treedef = _same(tree_x, tree_y)
    return treedef.unflatten(_c["_tree_where"](condition, x, y))


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Are all elements near each other? (optax.tree.allclose)"""
    x, y, _ = _same(a, b)
    return _c["_tree_allclose"](x, y, rtol, atol, equal_nan)


def batch_shape(tree, shape=()):
    """Each leaf, repeated along new axes in front. (optax.tree.batch_shape)"""
    return _of_one("_tree_batch_shape", tree, shape)


def update_moment(updates, moments, decay, order):
    """(1 - decay) updates^order + decay moments (optax.tree.update_moment)"""
    return _of_two("_tree_update_moment", updates, moments, decay, order)


def update_moment_per_elem_norm(updates, moments, decay, order):
    """(1 - decay) |updates|^order + decay moments (optax.tree.update_moment_per_elem_norm)"""
    return _of_two("_tree_update_moment_per_elem_norm", updates, moments, decay, order)


def update_infinity_moment(updates, moments, decay, eps):
    """The larger of |updates| + eps and decay moments. (optax.tree.update_infinity_moment)"""
    return _of_two("_tree_update_infinity_moment", updates, moments, decay, eps)


def bias_correction(moment, decay, count):
    """moment / (1 - decay^count) (optax.tree.bias_correction)"""
    return _of_one("_tree_bias_correction", moment, decay, count)


def split_key_like(rng_key, target_tree):
    """A key for each leaf. (optax.tree.split_key_like)"""
    leaves, treedef = _flatten(target_tree)
    return treedef.unflatten(_c["_tree_split_key_like"](rng_key, leaves))


def random_like(rng_key, target_tree, sampler=_random.normal, dtype=None):
    """Random numbers in the shapes of a tree, of normal distribution or what sampler(key, shape, dtype) gives.
    (optax.tree.random_like)"""
    leaves, treedef = _flatten(target_tree if dtype is None else cast(target_tree, dtype))
    if sampler is _random.normal:
        return treedef.unflatten(_c["_tree_random_like"](rng_key, leaves))
    keys = _c["_tree_split_key_like"](rng_key, leaves)
    return treedef.unflatten([sampler(k, x.shape, x.dtype) for k, x in zip(keys, leaves)])


__all__ = [n for n, v in globals().items() if n[0] != "_" and callable(v)]
