# SPDX-License-Identifier: Apache-2.0
"""Pytrees: structures of dicts, lists, tuples, named tuples, dataclasses and registered classes (jax.tree_util)."""
import collections as _collections
import dataclasses as _dataclasses
import difflib as _difflib
import functools as _functools
import textwrap as _textwrap

from ._core import PyTreeDef, flatten as _flatten, is_registered as _is_registered, register_node as _register_node

__all__ = ["DictKey", "FlattenedIndexKey", "GetAttrKey", "SequenceKey", "keystr", "register_pytree_with_keys",
           "register_pytree_with_keys_class", "register_static", "tree_broadcast", "tree_flatten_with_path",
           "tree_leaves_with_path", "tree_map_with_path", "tree_reduce_associative", "PyTreeDef", "tree_all",
           "tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure",
           "tree_transpose", "tree_unflatten", "register_pytree_node", "register_pytree_node_class",
            "register_dataclass",
           "treedef_children", "treedef_is_leaf", "treedef_tuple", "all_leaves", "Partial", "flatten_one_level",
           "flatten_one_level_with_keys", "is_tree_node"]


def tree_flatten(tree, is_leaf=None):
    """(leaves, treedef) of a tree."""
    return _flatten(tree, is_leaf)


def tree_unflatten(treedef, leaves):
    """The tree of these leaves."""
    if not isinstance(treedef, PyTreeDef):
        raise TypeError(f"tree_unflatten: a PyTreeDef is wanted, not {treedef!r}")
    return treedef.unflatten(leaves)


def tree_leaves(tree, is_leaf=None):
    """The leaves of a tree, a list."""
    return _flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """The treedef of a tree."""
    return _flatten(tree, is_leaf)[1]


def flatten_up_to(treedef, tree):
    """The subtrees of `tree` that stand where `treedef` has its leaves. ValueError where it has another structure."""
    return treedef.flatten_up_to(tree)


def _subtrees(trees, treedef, tree, is_leaf, what):
    """The subtrees of each of the trees in the places of the leaves; the error names the place where one differs."""
    try:
        return [treedef.flatten_up_to(t) for t in trees]
    except ValueError as e:
        for t in trees:
            text = _difference(tree, t, is_leaf, what)
            if text:
                raise ValueError(text) from None
        raise e from None


def tree_map(f, tree, *rest, is_leaf=None):
    """f of each leaf of the tree, and of the subtrees of the others that stand at its place."""
    leaves, treedef = _flatten(tree, is_leaf)
    others = _subtrees(rest, treedef, tree, is_leaf, "tree_map tree")
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
    return all(tree_structure(x, is_leaf).node_data() is None for x in iterable)


def is_tree_node(typ):
    """Whether instances of a class are nodes. (jax.tree_util.is_tree_node)"""
    return typ in (tuple, list, dict, type(None)) or _is_registered(typ)


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
    if inner_treedef is None:
        inner_treedef = tree_structure(outer_treedef.flatten_up_to(pytree_to_transpose)[0])
    inner = inner_treedef.num_leaves
    if len(flat) != inner * outer_treedef.num_leaves:
        raise TypeError(f"Mismatch\n{treedef}\n != \n{outer_treedef.compose(inner_treedef)}")
    return inner_treedef.unflatten([outer_treedef.unflatten(flat[i::inner]) for i in range(inner)])


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


_keyed = {}  # class -> function of an instance that gives (((key, child), ...), aux data)


def _one_level(node):
    """(kind, keys, children, aux data) of a node by itself, None of a leaf."""
    if type(node) in _keyed:
        pairs, aux = _keyed[type(node)](node)
        pairs = list(pairs)
        return type(node), [k for k, _ in pairs], [c for _, c in pairs], aux
    children, treedef = _flatten(node, lambda x: x is not node)
    data = treedef.node_data()
    if data is None:
        return None
    kind, aux = data
    if kind is dict:
        keys, aux = [DictKey(k) for k in aux], tuple(aux)
    elif kind in (tuple, list):
        keys = [SequenceKey(i) for i in range(len(children))]
    elif issubclass(kind, tuple) and not _is_registered(kind):  # a named one
        keys = [GetAttrKey(f) for f in kind._fields]
    else:
        keys = [FlattenedIndexKey(i) for i in range(len(children))]
    return kind, keys, children, aux


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """([(path, leaf), ...], treedef) (jax.tree_util.tree_flatten_with_path)"""
    out, stops = [], []  # stops: whether each node that is looked at is a leaf, in the order of the walk

    def walk(path, x):
        level = None if is_leaf and (is_leaf(path, x) if is_leaf_takes_path else is_leaf(x)) else _one_level(x)
        stops.append(level is None)
        if level is None:
            out.append((path, x))
            return
        for key, child in zip(*level[1:3]):
            walk((*path, key), child)

    walk((), tree)
    stop = iter(stops)
    return out, tree_structure(tree, (lambda _: next(stop)) if is_leaf else None)


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """[(path, leaf), ...] (jax.tree_util.tree_leaves_with_path)"""
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    """f of the path and the leaf. (jax.tree_util.tree_map_with_path)"""
    found, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = _subtrees(rest, treedef, tree, None if is_leaf_takes_path else is_leaf, "tree_map_with_path tree")
    return treedef.unflatten([f(path, leaf, *xs) for (path, leaf), *xs in zip(found, *others)])


def _difference(prefix, full, is_leaf, name, path=()):
    """Where and how a tree differs from its prefix, as JAX tells it; None: it does not."""
    level = None if is_leaf and is_leaf(prefix) else _one_level(prefix)
    if level is None:
        return None
    kind, keys, children, aux = level
    place = f"at key path\n    {name}{keystr(path)}\nAt that key path, the prefix pytree {name} has a subtree of type"
    if type(prefix) is not type(full):
        return (f"pytree structure error: different types {place}\n    {type(prefix)}\nbut at the same key "
                f"path the full "
                f"pytree has a subtree of different type\n    {type(full)}.")
    _, other_keys, others, other_aux = _one_level(full)
    if isinstance(prefix, (list, tuple)):
        if len(prefix) != len(full):
            return (f"pytree structure error: different lengths of {kind.__name__} {place} {kind.__name__} of length "
                    f"{len(prefix)}, but the full pytree has a subtree of the same type but of length {len(full)}.")
    elif len(children) != len(others):
        texts = [" ".join(str(_simple(k)) for k in ks) for ks in (keys, other_keys)]
        different = " ".join(str(_simple(k)) for k in [*keys, *other_keys] if (k in keys) != (k in other_keys))
        return (f"pytree structure error: different numbers of pytree children {place}\n    {type(prefix)}\nwith "
                f"{len(keys)} child keys\n    {texts[0]}\nbut at the same key path the full pytree has a "
                f"subtree of the "
                f"same type but with {len(other_keys)} child keys\n    {texts[1]}\nso the symmetric "
                f"difference on key sets "
                f"is\n    {different}")
    if aux != other_aux:
        lines = "\n".join(_difflib.ndiff(str(aux).splitlines(), str(other_aux).splitlines()))
        return (f"pytree structure error: different pytree metadata {place}\n    {type(prefix)}\nwith "
                f"metadata\n    {aux}\n"
                "but at the same key path the full pytree has a subtree of the same type but with metadata\n    "
                f"{other_aux}\nso the diff in the metadata at these pytree nodes is\n{_textwrap.indent(lines, '    ')}")
    found = (_difference(a, b, is_leaf, name, (*path, k)) for k, a, b in zip(keys, children, others))
    return next((text for text in found if text), None)


def _simple(key):
    return getattr(key, "idx", getattr(key, "key", getattr(key, "name", key)))


def keystr(keys, *, simple=False, separator=""):
    """A path as text: ['a'][0].x, or simple. (jax.tree_util.keystr)"""
    if not simple:
        return separator.join(str(k) for k in keys)
    return separator.join(str(_simple(k)) for k in keys)


def tree_broadcast(prefix_tree, full_tree, is_leaf=None):
    """The prefix's leaves, each for all leaves of full_tree below it. (jax.tree_util.tree_broadcast)"""
    leaves, treedef = _flatten(prefix_tree, is_leaf)
    [parts] = _subtrees([full_tree], treedef, prefix_tree, is_leaf, "broadcast_prefix prefix_tree")
    return tree_structure(full_tree).unflatten([x for x, p in zip(leaves, parts) for _ in tree_leaves(p)])


def tree_reduce_associative(operation, tree, *, identity=_none, is_leaf=None):
    """operation of all leaves, in halves. (jax.tree_util.tree_reduce_associative)"""
    def reduced(xs):
        half = len(xs) // 2
        return operation(reduced(xs[:half]), reduced(xs[half:])) if half else xs[0]

    xs = tree_leaves(tree, is_leaf)
    if not xs and identity is _none:
        raise TypeError("Must specify identity for parallel reduction of empty sequence.")
    return reduced(xs) if xs else identity


def flatten_one_level(tree):
    """(children, aux data) of a node by itself. (jax.tree_util.flatten_one_level)"""
    level = _one_level(tree)
    if level is None:
        raise ValueError(f"can't tree-flatten type: {type(tree)}")
    return tuple(level[2]), level[3]


def flatten_one_level_with_keys(tree):
    """(((key, child), ...), aux data) of a node by itself. (jax.tree_util.flatten_one_level_with_keys)"""
    level = _one_level(tree)
    if level is None:
        raise ValueError(f"can't tree-flatten type: {type(tree)}")
    return tuple(zip(level[1], level[2])), level[3]


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    """Makes a class a node whose children have keys: flatten_with_keys(x) -> (((key, child), ...), aux_data)."""
    def flatten(x):
        if flatten_func:
            return flatten_func(x)
        pairs, aux = flatten_with_keys(x)
        return tuple(c for _, c in pairs), aux

    _register_node(nodetype, flatten, unflatten_func)
    _keyed[nodetype] = flatten_with_keys


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
    if (data_fields is None) != (meta_fields is None):
        raise TypeError("register_dataclass: data_fields and meta_fields must both be specified when either "
                        "is specified. "
                        f"Got {data_fields=} {meta_fields=}.")
    is_dataclass = _dataclasses.is_dataclass(nodetype)
    if data_fields is None:
        if not is_dataclass:
            raise TypeError("register_dataclass: data_fields and meta_fields are required when nodetype is not a "
                            f"dataclass. Got {nodetype=}.")
        fields = [f for f in _dataclasses.fields(nodetype) if f.name not in drop_fields]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
        data_fields = [f.name for f in fields if not f.metadata.get("static", False)]
    data_fields, meta_fields = tuple(data_fields), tuple(meta_fields)
    if is_dataclass:
        _check_fields({f.name for f in _dataclasses.fields(nodetype) if f.init} - {*drop_fields},
                      {*meta_fields, *data_fields})
    if overlap := set(data_fields) & set(meta_fields):
        raise ValueError(f"data_fields and meta_fields must not overlap. Overlapping fields: {overlap}.")

    def flatten(x):
        return tuple(getattr(x, n) for n in data_fields), tuple(getattr(x, n) for n in meta_fields)

    def unflatten(meta, data):
        return nodetype(**dict(zip(meta_fields, meta)), **dict(zip(data_fields, data)))

    _register_node(nodetype, flatten, unflatten)
    _keyed[nodetype] = lambda x: ([(GetAttrKey(n), getattr(x, n)) for n in data_fields], flatten(x)[1])
    return nodetype


def _check_fields(wanted, given):
    if given == wanted:
        return
    text = "data_fields and meta_fields must include all dataclass fields with ``init=True`` and only them."
    if missing := wanted - given:
        text += f" Missing fields: {missing}. Add them to drop_fields to suppress this error."
    if unexpected := given - wanted:
        text += f" Unexpected fields: {unexpected}."
    raise ValueError(text)


class _Shim:
    """A callable that is no functools.partial, which would take another one's arguments for its own."""

    def __init__(self, fun):
        self.fun = fun

    def __call__(self, *args, **kwargs):
        return self.fun(*args, **kwargs)

    def __hash__(self):
        return hash(self.fun)

    def __eq__(self, other):
        return self.fun == (other.fun if isinstance(other, _Shim) else other)

    def __repr__(self):
        return repr(self.fun)


class Partial(_functools.partial):
    """functools.partial as a pytree: its arguments are children, its function is part of the structure."""

    def __new__(cls, func, *args, **kwargs):
        return super().__new__(cls, _Shim(func) if isinstance(func, _functools.partial) else func, *args, **kwargs)


_register_node(Partial, lambda p: ((p.args, p.keywords), p.func), lambda func, xs: Partial(func, *xs[0], **xs[1]))
register_pytree_with_keys(_collections.OrderedDict, lambda d: (tuple((DictKey(k), v) for k, v in d.items()), tuple(d)),
                          lambda keys, values: _collections.OrderedDict(zip(keys, values)))


def _flatten_defaultdict(d):
    keys = tuple(sorted(d))
    return tuple((DictKey(k), d[k]) for k in keys), (d.default_factory, keys)


register_pytree_with_keys(_collections.defaultdict, _flatten_defaultdict,
                          lambda aux, values: _collections.defaultdict(aux[0], zip(aux[1], values)))
