# SPDX-License-Identifier: Apache-2.0
"""Pytrees: structures of dicts, lists, tuples, named tuples, dataclasses and registered classes (jax.tree_util)."""
import dataclasses as _dataclasses
import functools as _functools

from ._core import PyTreeDef, flatten as _flatten, register_node as _register_node

__all__ = ["PyTreeDef", "tree_all", "tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure",
           "tree_transpose", "tree_unflatten", "register_pytree_node", "register_pytree_node_class", "register_dataclass",
           "treedef_children", "treedef_is_leaf", "treedef_tuple", "all_leaves", "Partial"]


def tree_flatten(tree, is_leaf=None):
    """(leaves, treedef) of a tree."""
    return _flatten(tree, is_leaf)


def tree_unflatten(treedef, leaves):
    """The tree of these leaves."""
    return treedef.unflatten(leaves)


def tree_leaves(tree, is_leaf=None):
    """The leaves of a tree, a list."""
    return _flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """The treedef of a tree."""
    return _flatten(tree, is_leaf)[1]


def flatten_up_to(treedef, tree):
    """The subtrees of `tree` that stand where `treedef` has its leaves. ValueError where it has another structure."""
    kind, data = treedef.node_data()
    if kind == "leaf":
        return [tree]
    children = treedef.children()
    if kind == "none":
        if tree is not None:
            raise ValueError(f"Expected None, got {tree!r}.")
        return []
    if kind == "dict":
        if not isinstance(tree, dict) or sorted(tree) != data:
            raise ValueError(f"Expected dict with keys {data}, got {tree!r}.")
        items = [tree[k] for k in data]
    elif kind in ("tuple", "list", "named"):
        wanted = {"tuple": tuple, "list": list}.get(kind, data)
        if type(tree) is not wanted:
            raise ValueError(f"Expected {wanted.__name__}, got {tree!r}.")
        items = list(tree)
    else:
        leaves, given = _flatten(tree, lambda x: x is not tree)
        if given.node_data() != (kind, data):
            raise ValueError(f"Expected a node of {data[0].__name__}, got {tree!r}.")
        items = leaves
    if len(items) != len(children):
        raise ValueError(f"{kind} arity mismatch: {len(items)} != {len(children)}; value: {tree!r}.")
    return [x for child, item in zip(children, items) for x in flatten_up_to(child, item)]


def tree_map(f, tree, *rest, is_leaf=None):
    """f of each leaf of the tree, and of the subtrees of the others that stand at its place."""
    leaves, treedef = _flatten(tree, is_leaf)
    others = [flatten_up_to(treedef, r) for r in rest]
    return treedef.unflatten([f(*xs) for xs in zip(leaves, *others)])


_none = object()


def tree_reduce(function, tree, initializer=_none, is_leaf=None):
    """f(f(f(initial, a), b), c) of the leaves."""
    leaves = tree_leaves(tree, is_leaf)
    return _functools.reduce(function, leaves) if initializer is _none else _functools.reduce(function, leaves, initializer)


def tree_all(tree, *, is_leaf=None):
    """Whether all leaves are true."""
    return all(tree_leaves(tree, is_leaf))


def all_leaves(iterable, is_leaf=None):
    """Whether all elements are leaves."""
    return all(treedef_is_leaf(tree_structure(x, is_leaf)) for x in iterable)


def treedef_children(treedef):
    """The treedefs of the root's children."""
    return treedef.children()


def treedef_is_leaf(treedef):
    """Whether it is one node (a leaf, None or an empty container)."""
    return treedef.num_nodes == 1


def treedef_tuple(treedefs):
    """The treedef of a tuple of trees with these treedefs."""
    return tree_structure(tuple(t.unflatten([0] * t.num_leaves) for t in treedefs))


def tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    """A tree of structure outer, whose leaves are trees of structure inner, turned inside out."""
    flat, treedef = tree_flatten(pytree_to_transpose)
    inner, outer = inner_treedef.num_leaves, outer_treedef.num_leaves
    if inner == 0 or outer == 0:
        raise ValueError("Inner and outer trees must have at least one leaf.")
    if len(flat) != inner * outer:
        raise TypeError(f"Mismatch\n{treedef}\n != \n{outer_treedef} of {inner_treedef}")
    rows = [outer_treedef.unflatten(flat[i::inner]) for i in range(inner)]
    return inner_treedef.unflatten(rows)


def register_pytree_node(nodetype, flatten_func, unflatten_func):
    """Makes a class a node: flatten_func(x) -> (children, aux_data), unflatten_func(aux_data, children) -> x."""
    _register_node(nodetype, flatten_func, unflatten_func)


def register_pytree_node_class(cls):
    """The same for a class with methods tree_flatten and tree_unflatten; a decorator."""
    _register_node(cls, lambda x: x.tree_flatten(), cls.tree_unflatten)
    return cls


def register_dataclass(nodetype, data_fields=None, meta_fields=None, drop_fields=()):
    """Makes a dataclass a node: data_fields are its children, meta_fields are part of its structure; a decorator."""
    if data_fields is None or meta_fields is None:
        if not _dataclasses.is_dataclass(nodetype):
            raise TypeError("register_dataclass: data_fields and meta_fields are required when nodetype is not a dataclass.")
        fields = [f for f in _dataclasses.fields(nodetype) if f.init and f.name not in drop_fields]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
        data_fields = [f.name for f in fields if not f.metadata.get("static", False)]
    data_fields, meta_fields = tuple(data_fields), tuple(meta_fields)

    def flatten(x):
        return tuple(getattr(x, n) for n in data_fields), tuple(getattr(x, n) for n in meta_fields)

    def unflatten(meta, data):
        return nodetype(**dict(zip(meta_fields, meta)), **dict(zip(data_fields, data)))

    _register_node(nodetype, flatten, unflatten)
    return nodetype


class Partial(_functools.partial):
    """functools.partial as a pytree: its arguments are children, its function is part of the structure."""


_register_node(Partial, lambda p: ((p.args, p.keywords), p.func), lambda func, xs: Partial(func, *xs[0], **xs[1]))
