# SPDX-License-Identifier: Apache-2.0
"""Searching, sets and sorting."""

from collections import Counter
from math import inf, nan

import pytest

from .standard import (
    ALL,
    COMPLEX,
    FLOATING,
    HIGHEST,
    INTEGER,
    LOWEST,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    dt,
    expect,
    function,
    make,
    nested,
    promoted,
    raises,
    reduced,
    sample,
    values,
    xp,
)

# ---- argmax and argmin


@pytest.mark.parametrize("dtype", REAL)
def test_argmax_and_argmin(dtype):
    x = make([[3, 1, 3], [0, 1, 0]], dtype)
    expect(xp.argmax(x), (), "int64", 0)
    expect(xp.argmin(x), (), "int64", 3)
    expect(xp.argmax(x, axis=0), (3,), "int64", [0, 0, 0])
    expect(xp.argmax(x, axis=1), (2,), "int64", [0, 1])
    expect(xp.argmin(x, axis=-1), (2,), "int64", [1, 0])
    expect(xp.argmin(x, axis=0, keepdims=True), (1, 3), "int64", [[1, 0, 1]])
    expect(xp.argmax(x, keepdims=True), (1, 1), "int64", [[0]])


@pytest.mark.parametrize("keepdims", (False, True))
@pytest.mark.parametrize("axis", (None, 0, 1, 2, -1, -3))
@pytest.mark.parametrize("name", ("argmax", "argmin"))
def test_argmax_along_axes(name, axis, keepdims):
    x = xp.reshape(make([(i * 7) % 11 for i in range(24)]), (2, 3, 4))
    best = max if name == "argmax" else min
    shape, want = reduced(x, axis, keepdims, lambda group: group.index(best(group)))
    expect(function(name)(x, axis=axis, keepdims=keepdims), shape, "int64")
    assert values(function(name)(x, axis=axis, keepdims=keepdims)) == want


@pytest.mark.parametrize("name", ("argmax", "argmin"))
def test_argmax_of_few_elements(name):
    expect(function(name)(make(5)), (), "int64", 0)
    expect(function(name)(make([5])), (), "int64", 0)
    for axis in (2, -3):
        raises(lambda: function(name)(xp.ones((2, 3)), axis=axis))


@pytest.mark.parametrize("dtype", INTEGER)
def test_argmax_at_the_ends(dtype):
    x = make([1, LOWEST[dtype], HIGHEST[dtype], HIGHEST[dtype] - 1], dtype)
    expect(xp.argmax(x), (), "int64", 2)
    expect(xp.argmin(x), (), "int64", 1 if LOWEST[dtype] < 1 else 0)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_argmax_of_infinities(dtype):
    x = make([1.0, -inf, inf, -inf, inf], dtype)
    expect(xp.argmax(x), (), "int64", 2)
    expect(xp.argmin(x), (), "int64", 1)


# ---- nonzero, where


@pytest.mark.parametrize("dtype", ALL)
def test_nonzero(dtype):
    x = make([[0, 1, 0], [1, 0, 1]], dtype)
    out = xp.nonzero(x)
    assert isinstance(out, tuple) and len(out) == 2
    expect(out[0], (3,), "int64", [0, 1, 1])
    expect(out[1], (3,), "int64", [1, 0, 2])
    assert values(xp.nonzero(make([0, 0], dtype))[0]) == []


@pytest.mark.parametrize("dtype", FLOATING)
def test_nonzero_of_special_values(dtype):
    expect(xp.nonzero(make([0.0, -0.0, nan, inf, -inf], dtype))[0], (3,), "int64", [2, 3, 4])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_nonzero_of_complex_numbers(dtype):
    expect(xp.nonzero(make([0j, 1j, 1, complex(-0.0, -0.0), complex(0, nan)], dtype))[0], (3,), "int64", [1, 2, 4])


def test_nonzero_without_axes():
    raises(lambda: xp.nonzero(make(1)))


@pytest.mark.parametrize("first, second", [(a, b) for a in ALL for b in ALL if promoted(a, b)])
def test_where(first, second):
    x, y = sample((2, 2), first, 1), sample((2,), second, 0)
    out = xp.where(make([[True, False], [False, True]]), x, y)
    expect(out, (2, 2), promoted(first, second))
    a, b = values(x), values(y)
    assert values(out) == [a[0], b[1], b[0], a[3]]


SCALARS = [("bool", True)] + [(d, 1) for d in NUMERIC] + [(d, 1.5) for d in FLOATING] + [(d, 1j) for d in COMPLEX]


@pytest.mark.parametrize("dtype, scalar", SCALARS)
def test_where_with_a_scalar(dtype, scalar):
    condition, x = make([True, False]), sample((2,), dtype)
    expect(xp.where(condition, x, scalar), (2,), dtype)
    expect(xp.where(condition, scalar, x), (2,), dtype)
    assert values(xp.where(condition, scalar, x))[0] == scalar


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_where_of_real_with_a_complex_scalar(dtype):
    expect(
        xp.where(make([True, False]), sample((2,), dtype), 1j),
        (2,),
        {"float32": "complex64", "float64": "complex128"}[dtype],
    )


def test_where_broadcasts():
    out = xp.where(make([[True], [False]]), make([1, 2, 3]), make(0))
    expect(out, (2, 3), "int64", [[1, 2, 3], [0, 0, 0]])
    expect(xp.where(make(True), make(1), make(2)), (), "int64", 1)
    raises(lambda: xp.where(make([True, False]), make([1, 2, 3]), make(0)))


def test_where_does_not_mix_in_what_is_not_chosen():
    expect(xp.where(make([True, False]), make([1.0, nan]), make([nan, -0.0])), (2,), "float64", [1.0, -0.0])


# ---- searchsorted


def placed(plain, v, side):
    return sum(1 for w in plain if (w < v if side == "left" else w <= v))


@pytest.mark.parametrize("side", ("left", "right"))
@pytest.mark.parametrize("dtype", REAL)
def test_searchsorted(dtype, side):
    plain, sought = [1, 2, 2, 5, 9], [0, 1, 2, 3, 9, 10]
    x, v = make(plain, dtype), make(sought, dtype)
    want = [placed(plain, w, side) for w in sought]
    expect(xp.searchsorted(x, v, side=side), (6,), "int64", want)
    expect(xp.searchsorted(x, xp.reshape(v, (2, 3)), side=side), (2, 3), "int64", [want[:3], want[3:]])
    expect(xp.searchsorted(x, make(2, dtype), side=side), (), "int64", placed(plain, 2, side))
    expect(xp.searchsorted(x, 5, side=side), (), "int64", placed(plain, 5, side))


def test_searchsorted_with_a_sorter():
    x, order = make([5, 1, 9, 2]), make([1, 3, 0, 2])
    expect(xp.searchsorted(x, make([2, 6, 0]), sorter=order), (3,), "int64", [1, 3, 0])
    expect(xp.searchsorted(x, make([2, 9]), side="right", sorter=order), (2,), "int64", [2, 4])


def test_searchsorted_in_nothing():
    expect(xp.searchsorted(make([], "float64"), make([1.0, 2.0])), (2,), "int64", [0, 0])
    expect(xp.searchsorted(make([1.0]), make([], "float64")), (0,), "int64", [])
    expect(xp.searchsorted(make([1.0, 2.0]), 1.5), (), "int64", 1)


def test_searchsorted_of_infinities():
    expect(xp.searchsorted(make([-inf, 0.0, inf]), make([-inf, inf, 1.0])), (3,), "int64", [0, 2, 2])


def test_searchsorted_in_a_matrix():
    raises(lambda: xp.searchsorted(xp.ones((2, 2)), make([1.0])))


@pytest.mark.parametrize("side", ("middle", "", "LEFT"))
def test_searchsorted_with_another_side(side):
    raises(lambda: xp.searchsorted(make([1.0]), make([1.0]), side=side))


# ---- sets


@pytest.mark.parametrize("dtype", INTEGER)
def test_isin(dtype):
    x = make([[0, 1, 2], [3, 4, HIGHEST[dtype]]], dtype)
    y = make([2, HIGHEST[dtype], 0], dtype)
    want = [[True, False, True], [False, False, True]]
    expect(xp.isin(x, y), (2, 3), "bool", want)
    expect(xp.isin(x, y, invert=True), (2, 3), "bool", [[not v for v in row] for row in want])
    expect(xp.isin(x, 3), (2, 3), "bool", [[False] * 3, [True, False, False]])
    expect(xp.isin(2, y), (), "bool", True)
    expect(xp.isin(3, y, invert=True), (), "bool", True)
    expect(xp.isin(x, make([], dtype)), (2, 3), "bool", [[False] * 3] * 2)
    expect(xp.isin(make([], dtype), y), (0,), "bool", [])


def test_isin_of_different_dtypes():
    expect(xp.isin(make([1, -1], "int8"), make([255, 1], "uint8")), (2,), "bool", [True, False])


def test_isin_of_floats():
    expect(xp.isin(make([0.0, -0.0, nan, inf]), make([-0.0, nan, inf])), (4,), "bool", [True, True, False, True])


@pytest.mark.parametrize("dtype", ALL)
def test_unique(dtype):
    plain = [[1, 0, 1], [1, 0, 0]] if dtype == "bool" else [[3, 1, 3], [7, 1, 1]]
    x = make(plain, dtype)
    flat = values(x)
    every = xp.unique_all(x)
    assert every._fields == ("values", "indices", "inverse_indices", "counts")
    found = values(every.values)
    assert sorted(found, key=abs) == sorted(set(flat), key=abs)
    n = len(found)
    expect(every.values, (n,), dtype)
    expect(every.indices, (n,), "int64", [flat.index(v) for v in found])
    expect(every.inverse_indices, (2, 3), "int64")
    assert [found[i] for i in values(every.inverse_indices)] == flat
    expect(every.counts, (n,), "int64", [flat.count(v) for v in found])


@pytest.mark.parametrize("dtype", ALL)
def test_parts_of_unique(dtype):
    x = make([[1, 0, 1], [1, 0, 0]] if dtype == "bool" else [[3, 1, 3], [7, 1, 1]], dtype)
    flat = values(x)
    counts = xp.unique_counts(x)
    assert counts._fields == ("values", "counts")
    assert dict(zip(values(counts.values), values(counts.counts), strict=True)) == Counter(flat)
    assert counts.values.dtype == dt(dtype) and counts.counts.dtype == dt("int64")
    inverse = xp.unique_inverse(x)
    assert inverse._fields == ("values", "inverse_indices")
    expect(inverse.inverse_indices, (2, 3), "int64")
    found = values(inverse.values)
    assert [found[i] for i in values(inverse.inverse_indices)] == flat
    only = xp.unique_values(x)
    assert only.ndim == 1 and only.dtype == dt(dtype) and sorted(values(only), key=abs) == sorted(set(flat), key=abs)


@pytest.mark.parametrize("dtype", FLOATING)
def test_unique_of_nan_and_zeros(dtype):
    x = make([nan, 1.0, nan, -0.0, 0.0, 1.0], dtype)
    out = xp.unique_all(x)
    counts = dict(zip([str(abs(v)) for v in values(out.values)], values(out.counts), strict=True))
    assert out.values.shape == (4,)
    assert counts == {"0.0": 2, "1.0": 2, "nan": 1}
    assert xp.unique_values(x).shape == (4,)
    assert sorted(values(xp.unique_counts(x).counts)) == [1, 1, 2, 2]
    assert xp.unique_inverse(x).values.shape == (4,)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0)], ids=str)
def test_unique_of_few_elements(shape):
    x = sample(shape, "int64", 5)
    n = len(values(x))
    expect(xp.unique_values(x), (n,), "int64", values(x))
    out = xp.unique_all(x)
    expect(out.inverse_indices, shape, "int64")
    expect(out.counts, (n,), "int64", [1] * n)
    expect(xp.unique_inverse(x).inverse_indices, shape, "int64")


# ---- sorting


@pytest.mark.parametrize("dtype", REAL)
def test_sort(dtype):
    x = make([[5, 1, 4, 1], [9, 2, 6, 0]], dtype)
    rows = nested(x)
    expect(xp.sort(x), (2, 4), dtype, [sorted(row) for row in rows])
    expect(xp.sort(x, axis=0), (2, 4), dtype, [[5, 1, 4, 0], [9, 2, 6, 1]] if dtype not in FLOATING else None)
    expect(xp.sort(x, stable=False), (2, 4), dtype, [sorted(row) for row in rows])
    expect(xp.argsort(x), (2, 4), "int64", [sorted(range(4), key=row.__getitem__) for row in rows])


@pytest.mark.parametrize("dtype", REAL)
def test_sort_descending(dtype):
    x = make([[5, 1, 4, 1, 5], [9, 2, 6, 0, 2]], dtype)
    rows = nested(x)
    expect(xp.sort(x, descending=True), (2, 5), dtype, [sorted(row, reverse=True) for row in rows])
    want = [sorted(range(5), key=row.__getitem__, reverse=True) for row in rows]
    expect(xp.argsort(x, descending=True), (2, 5), "int64", want)
    unstable = nested(xp.argsort(x, descending=True, stable=False))
    assert [[row[i] for i in at] for row, at in zip(rows, unstable, strict=True)] == [
        sorted(r, reverse=True) for r in rows
    ]


@pytest.mark.parametrize("axis", (0, 1, 2, -1, -2, -3))
def test_sort_along_axes(axis):
    x = xp.reshape(make([(i * 7) % 11 for i in range(24)]), (2, 3, 4))
    out, order = xp.sort(x, axis=axis), xp.argsort(x, axis=axis)
    moved = nested(xp.moveaxis(x, axis, -1))
    want = [[sorted(row) for row in m] for m in moved]
    assert nested(xp.moveaxis(out, axis, -1)) == want
    assert nested(xp.moveaxis(order, axis, -1)) == [
        [sorted(range(len(row)), key=row.__getitem__) for row in m] for m in moved
    ]


@pytest.mark.parametrize("dtype", INTEGER)
def test_sort_at_the_ends(dtype):
    x = make([HIGHEST[dtype], LOWEST[dtype], HIGHEST[dtype] - 1, 1, 0], dtype)
    expect(xp.sort(x), (5,), dtype, sorted(values(x)))


@pytest.mark.parametrize("dtype", REAL)
def test_argsort_is_stable(dtype):
    plain = [(i * i) % 3 for i in range(100)]
    want = sorted(range(100), key=plain.__getitem__)
    expect(xp.argsort(make(plain, dtype)), (100,), "int64", want)
    expect(xp.argsort(make(plain, dtype), stable=True), (100,), "int64", want)


@pytest.mark.parametrize("dtype", REAL)
def test_descending_argsort_is_stable(dtype):
    plain = [(i * i) % 3 for i in range(100)]
    want = sorted(range(100), key=lambda i: -plain[i])
    expect(xp.argsort(make(plain, dtype), descending=True), (100,), "int64", want)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_sort_of_infinities(dtype):
    expect(xp.sort(make([inf, 1.0, -inf, 0.0], dtype)), (4,), dtype, [-inf, 0.0, 1.0, inf])


def test_sort_of_few_elements():
    expect(xp.sort(make([], "int64")), (0,), "int64", [])
    expect(xp.argsort(make([], "float64")), (0,), "int64", [])
    expect(xp.sort(make([3])), (1,), "int64", [3])
    expect(xp.sort(xp.zeros((2, 0))), (2, 0), "float64")


def test_sort_leaves_its_operand():
    x = make([3, 1, 2])
    xp.sort(x)
    assert values(x) == [3, 1, 2]


@pytest.mark.parametrize("name", ("sort", "argsort"))
def test_sort_along_an_invalid_axis(name):
    raises(lambda: function(name)(xp.ones((2, 3)), axis=2))
    raises(lambda: function(name)(xp.ones((2, 3)), axis=-3))
