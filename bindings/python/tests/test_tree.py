# SPDX-License-Identifier: Apache-2.0
"""kiln.tree and kiln.tree_util: structures, paths, registered classes."""
import collections

import pytest

import kiln
from kiln import tree_util

Point = collections.namedtuple("Point", "x y")


def test_flatten_in_jax_order():
    leaves, treedef = kiln.tree.flatten({"b": (1, None), "a": [2, Point(3, {})]})
    assert leaves == [2, 3, 1]
    assert str(treedef) == "PyTreeDef({'a': [*, CustomNode(namedtuple[Point], [*, {}])], 'b': (*, None)})"
    assert treedef.unflatten(leaves) == {"b": (1, None), "a": [2, Point(3, {})]}


def test_map_of_several_trees():
    assert kiln.tree.map(lambda a, b: a + b[0], {"x": 1}, {"x": (2, 3)}) == {"x": 3}
    with pytest.raises(ValueError):
        kiln.tree.map(lambda a, b: a, {"x": 1}, {"y": 1})


def test_is_leaf():
    assert kiln.tree.leaves([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple)) == [1, (2, 3)]
    assert kiln.tree.leaves([None, 1], is_leaf=lambda x: x is None) == [None, 1]


def test_paths():
    found, _ = kiln.tree.flatten_with_path({"a": [1, Point(2, None)], "b": (3,)})
    assert [tree_util.keystr(p) for p, _ in found] == ["['a'][0]", "['a'][1].x", "['b'][0]"]
    assert tree_util.keystr(found[1][0], simple=True, separator="/") == "a/1/x"
    assert kiln.tree.map_with_path(lambda p, x: (len(p), x), {"a": [5]}) == {"a": [(2, 5)]}


def test_reduce_and_all():
    assert kiln.tree.reduce(lambda a, b: a * 10 + b, [1, [2, 3]]) == 123
    assert kiln.tree.reduce(lambda a, b: a + b, [], 7) == 7
    assert kiln.tree.reduce_associative(max, [3, {"a": 9}, 4]) == 9
    assert kiln.tree.all([True, (1, None)]) and not kiln.tree.all([0])


def test_transpose():
    outer, inner = kiln.tree.structure([0, 0]), kiln.tree.structure({"a": 0, "b": 0})
    assert kiln.tree.transpose(outer, inner, [{"a": 1, "b": 2}, {"a": 3, "b": 4}]) == {"a": [1, 3], "b": [2, 4]}


def test_broadcast():
    assert kiln.tree.broadcast({"a": 1, "b": 2}, {"a": [5, 6], "b": 7}) == {"a": [1, 1], "b": 2}


def test_registered_twice():
    class A:
        pass
    tree_util.register_pytree_node(A, lambda a: ((), None), lambda _, xs: A())
    with pytest.raises(ValueError, match="Duplicate custom PyTreeDef type registration"):
        tree_util.register_pytree_node(A, lambda a: ((), None), lambda _, xs: A())


def test_registered_with_keys():
    @tree_util.register_pytree_with_keys_class
    class A:
        def __init__(self, v):
            self.v = v

        def tree_flatten_with_keys(self):
            return ((tree_util.GetAttrKey("v"), self.v),), None

        @classmethod
        def tree_unflatten(cls, aux, xs):
            return cls(*xs)
    assert tree_util.keystr(kiln.tree.leaves_with_path({"k": A(1)})[0][0]) == "['k'].v"
    assert kiln.tree.map(lambda x: x + 1, A(1)).v == 2


def test_static_class():
    @tree_util.register_static
    class S(str):
        pass
    assert kiln.tree.leaves([S("a"), 1]) == [1]


def test_keys_that_do_not_compare():
    with pytest.raises(ValueError, match="Comparator raised exception"):
        kiln.tree.flatten({1: 0, "a": 1})


def test_too_few_leaves():
    with pytest.raises(ValueError, match="Too few leaves for PyTreeDef"):
        kiln.tree.structure([0, 0]).unflatten([1])


def test_partial():
    p = kiln.tree_util.Partial(lambda a, b: a + b, 1)
    assert kiln.tree.leaves(p) == [1] and kiln.tree.map(lambda x: x * 10, p)(5) == 15
