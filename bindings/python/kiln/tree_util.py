# SPDX-License-Identifier: Apache-2.0
"""Pytrees: structures of dicts, lists, tuples, named tuples, dataclasses and registered classes (jax.tree_util)."""
import dataclasses as _dataclasses
import functools as _functools

from ._core import PyTreeDef, flatten as _flatten, register_node as _register_node

__all__ = ["DictKey", "FlattenedIndexKey", "GetAttrKey", "SequenceKey", "keystr", "register_pytree_with_keys",
           "register_pytree_with_keys_class", "register_static", "tree_broadcast", "tree_flatten_with_path",
           "tree_leaves_with_path", "tree_map_with_path", "tree_reduce_associative", "PyTreeDef", "tree_all",
           "tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure",
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
    return _functools.reduce(function, leaves, *(() if initializer is _none else (initializer,)))


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


# ---- Where leaves are: paths of keys.

@_dataclasses.dataclass(frozen=True)
class SequenceKey:
    """The place in a list or tuple. (jax.tree_util.SequenceKey)"""
    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"


@_dataclasses.dataclass(frozen=True)
class DictKey:
    """The key in a dict. (jax.tree_util.DictKey)"""
    key: object

    def __str__(self):
        return f"[{self.key!r}]"


@_dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """The name of a field. (jax.tree_util.GetAttrKey)"""
    name: str

    def __str__(self):
        return f".{self.name}"


@_dataclasses.dataclass(frozen=True)
class FlattenedIndexKey:
    """The place among the children of a class that says no keys. (jax.tree_util.FlattenedIndexKey)"""
    key: int

    def __str__(self):
        return f"[<flat index {self.key}>]"


_keyed = {}  # class -> function of an instance that gives the keys of its children


def _keys_of(kind, data, n, node):
    if kind == "dict":
        return [DictKey(k) for k in data]
    if kind == "named":
        return [GetAttrKey(f) for f in data._fields]
    if kind == "custom":
        return _keyed[data[0]](node) if data[0] in _keyed else [FlattenedIndexKey(i) for i in range(n)]
    return [SequenceKey(i) for i in range(n)]


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """([(path, leaf), ...], treedef) (jax.tree_util.tree_flatten_with_path)"""
    out = []

    def walk(path, x):
        if is_leaf and (is_leaf(path, x) if is_leaf_takes_path else is_leaf(x)):
            out.append((path, x))
            return
        children, treedef = _flatten(x, lambda y: y is not x)
        kind, data = treedef.node_data()
        if kind == "leaf":
            out.append((path, x))
        elif kind != "none":
            for key, child in zip(_keys_of(kind, data, len(children), x), children):
                walk((*path, key), child)

    walk((), tree)
    if is_leaf and is_leaf_takes_path:
        ids = {id(x) for _, x in out}
        return out, tree_structure(tree, lambda x: id(x) in ids)
    return out, tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """[(path, leaf), ...] (jax.tree_util.tree_leaves_with_path)"""
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    """f of the path and the leaf. (jax.tree_util.tree_map_with_path)"""
    found, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [flatten_up_to(treedef, r) for r in rest]
    return treedef.unflatten([f(path, leaf, *xs) for (path, leaf), *xs in zip(found, *others)])


def keystr(keys, *, simple=False, separator=""):
    """A path as text: ['a'][0].x, or simple. (jax.tree_util.keystr)"""
    if not simple:
        return separator.join(str(k) for k in keys)
    return separator.join(str(getattr(k, "idx", getattr(k, "key", getattr(k, "name", k)))) for k in keys)


def tree_broadcast(prefix_tree, full_tree, is_leaf=None):
    """The prefix's leaves, each for all leaves of full_tree below it. (jax.tree_util.tree_broadcast)"""
    leaves, treedef = _flatten(prefix_tree, is_leaf)
    parts = flatten_up_to(treedef, full_tree)
    spread = [x for x, p in zip(leaves, parts) for _ in tree_leaves(p, is_leaf)]
    return tree_structure(full_tree, is_leaf).unflatten(spread)


def tree_reduce_associative(operation, tree, *, identity=None, is_leaf=None):
    """operation of all leaves, in pairs. (jax.tree_util.tree_reduce_associative)"""
    xs = tree_leaves(tree, is_leaf)
    if not xs:
        if identity is None:
            raise ValueError("Must specify identity for parallel reduction of empty sequence.")
        return identity
    while len(xs) > 1:
        xs = [operation(*xs[i:i + 2]) if i + 1 < len(xs) else xs[i] for i in range(0, len(xs), 2)]
    return xs[0]


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    """Makes a class a node whose children have keys: flatten_with_keys(x) -> (((key, child), ...), aux_data)."""
    def flatten(x):
        if flatten_func:
            return flatten_func(x)
        pairs, aux = flatten_with_keys(x)
        return tuple(c for _, c in pairs), aux

    _register_node(nodetype, flatten, unflatten_func)
    _keyed[nodetype] = lambda x: [k for k, _ in flatten_with_keys(x)[0]]


def register_pytree_with_keys_class(cls):
    """The same for a class with methods tree_flatten_with_keys and tree_unflatten; a decorator."""
    flatten = (lambda x: x.tree_flatten()) if hasattr(cls, "tree_flatten") else None
    register_pytree_with_keys(cls, lambda x: x.tree_flatten_with_keys(), cls.tree_unflatten, flatten)
    return cls


def register_static(cls):
    """Makes a class a node without children: its values are part of the structure; a decorator."""
    _register_node(cls, lambda x: ((), x), lambda x, _: x)
    return cls


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
            raise TypeError("register_dataclass: data_fields and meta_fields are required when nodetype is not a "
                            "dataclass.")
        fields = [f for f in _dataclasses.fields(nodetype) if f.init and f.name not in drop_fields]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
        data_fields = [f.name for f in fields if not f.metadata.get("static", False)]
    data_fields, meta_fields = tuple(data_fields), tuple(meta_fields)

    def flatten(x):
        return tuple(getattr(x, n) for n in data_fields), tuple(getattr(x, n) for n in meta_fields)

    def unflatten(meta, data):
        return nodetype(**dict(zip(meta_fields, meta)), **dict(zip(data_fields, data)))

    _register_node(nodetype, flatten, unflatten)
    _keyed[nodetype] = lambda x: [GetAttrKey(n) for n in data_fields]
    return nodetype


class Partial(_functools.partial):
    """functools.partial as a pytree: its arguments are children, its function is part of the structure."""


_register_node(Partial, lambda p: ((p.args, p.keywords), p.func), lambda func, xs: Partial(func, *xs[0], **xs[1]))
