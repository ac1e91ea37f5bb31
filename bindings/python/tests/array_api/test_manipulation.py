# SPDX-License-Identifier: Apache-2.0
"""Manipulation functions."""

import math

import pytest

from .standard import ALL, NUMERIC, dt, expect, make, nested, positions, promoted, raises, sample, values, xp

# ---- broadcasting and adding axes


def test_broadcast_arrays():
    out = xp.broadcast_arrays(make([1, 2], "int8"), make([[1.5], [2.5]], "float32"), make(True))
    assert isinstance(out, tuple)
    expect(out[0], (2, 2), "int8", [[1, 2], [1, 2]])
    expect(out[1], (2, 2), "float32", [[1.5, 1.5], [2.5, 2.5]])
    expect(out[2], (2, 2), "bool", [[True, True], [True, True]])
    expect(xp.broadcast_arrays(make([1, 2]))[0], (2,), "int64", [1, 2])


def test_broadcast_shapes():
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((2, 3)) == (2, 3)
    assert xp.broadcast_shapes((), (1,), (3, 1), (1, 4)) == (3, 4)
    assert xp.broadcast_shapes((0,), (1,)) == (0,)
    raises(lambda: xp.broadcast_shapes((2,), (3,)), ValueError)
    raises(lambda: xp.broadcast_shapes((0,), (2,)), ValueError)


@pytest.mark.parametrize("dtype", ALL)
def test_broadcast_to(dtype):
    x = sample((3, 1), dtype)
    expect(xp.broadcast_to(x, (2, 3, 2)), (2, 3, 2), dtype, [[[row[0]] * 2 for row in nested(x)]] * 2)


@pytest.mark.parametrize("shape, to", [((3,), (4,)), ((2, 3), (3,)), ((3,), ()), ((2,), (2, 3)), ((2,), (0,))])
def test_broadcast_to_what_does_not_fit(shape, to):
    raises(lambda: xp.broadcast_to(xp.ones(shape), to))


@pytest.mark.parametrize(
    "shape, axis, want",
    [
        ((), 0, (1,)),
        ((), -1, (1,)),
        ((3,), 0, (1, 3)),
        ((3,), 1, (3, 1)),
        ((3,), -1, (3, 1)),
        ((3,), -2, (1, 3)),
        ((2, 3), 1, (2, 1, 3)),
        ((2, 3), (0, 3), (1, 2, 3, 1)),
        ((2, 3), (-1, 0), (1, 2, 3, 1)),
        ((2,), (0, 1), (1, 1, 2)),
        ((2, 3), (), (2, 3)),
        ((2,), (2, 0), (1, 2, 1)),
    ],
)
def test_expand_dims(shape, axis, want):
    x = sample(shape, "int64")
    expect(xp.expand_dims(x, axis=axis), want, "int64")
    expect(xp.expand_dims(x, axis), want, "int64")
    assert values(xp.expand_dims(x, axis)) == values(x)


@pytest.mark.parametrize(
    "shape, axis", [((), 1), ((), -2), ((3,), 2), ((3,), -3), ((2, 3), (0, 4)), ((2, 3), (0, 0)), ((2,), (1, -2))]
)
def test_expand_dims_at_an_invalid_axis(shape, axis):
    raises(lambda: xp.expand_dims(xp.ones(shape), axis=axis))


@pytest.mark.parametrize("shape, axis", [((3,), 2), ((3,), -3), ((2, 3), (0, 4))])
def test_expand_dims_raises_index_error(shape, axis):
    raises(lambda: xp.expand_dims(xp.ones(shape), axis=axis), IndexError)


@pytest.mark.parametrize(
    "shape, axis, want",
    [
        ((1, 3, 1), 0, (3, 1)),
        ((1, 3, 1), -1, (1, 3)),
        ((1, 3, 1), (0, 2), (3,)),
        ((1, 3, 1), (-1, 0), (3,)),
        ((1,), 0, ()),
        ((1, 3), (), (1, 3)),
    ],
)
def test_squeeze(shape, axis, want):
    x = sample(shape, "int64")
    expect(xp.squeeze(x, axis=axis), want, "int64")
    expect(xp.squeeze(x, axis), want, "int64")
    assert values(xp.squeeze(x, axis)) == values(x)


def test_squeeze_of_an_axis_that_is_longer():
    raises(lambda: xp.squeeze(xp.ones((2, 1)), axis=0), ValueError)
    raises(lambda: xp.squeeze(xp.ones((2, 1)), axis=(0, 1)), ValueError)
    raises(lambda: xp.squeeze(xp.ones((2, 1)), axis=2))
    raises(lambda: xp.squeeze(xp.ones((2, 1)), axis=-3))


# ---- joining


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axis", (0, 1, -1, -2))
def test_concat(dtype, axis):
    x, y = sample((2, 2), dtype), sample((2, 2), dtype, 4)
    a, b = nested(x), nested(y)
    want = a + b if axis in (0, -2) else [p + q for p, q in zip(a, b, strict=True)]
    shape = (4, 2) if axis in (0, -2) else (2, 4)
    expect(xp.concat([x, y], axis=axis), shape, dtype, want)
    expect(xp.concat((x, y), axis=axis), shape, dtype, want)


def test_concat_of_different_sizes():
    expect(xp.concat([make([1, 2]), make([], "int64"), make([3])]), (3,), "int64", [1, 2, 3])
    expect(xp.concat([xp.zeros((2, 0)), xp.ones((2, 3))], axis=1), (2, 3), "float64", [[1.0] * 3] * 2)
    expect(xp.concat([make([7])]), (1,), "int64", [7])


def test_concat_of_flattened_arrays():
    expect(xp.concat([make([[1, 2], [3, 4]]), make([5])], axis=None), (5,), "int64", [1, 2, 3, 4, 5])
    expect(xp.concat([make(1), make([2])], axis=None), (2,), "int64", [1, 2])


PAIRS = [(a, b) for a in ALL for b in ALL if promoted(a, b)]


@pytest.mark.parametrize("first, second", PAIRS)
def test_joining_promotes(first, second):
    x, y = sample((2,), first), sample((2,), second)
    expect(xp.concat([x, y]), (4,), promoted(first, second))
    expect(xp.stack([x, y]), (2, 2), promoted(first, second))
    assert values(xp.concat([x, y])) == values(x) + values(y)


@pytest.mark.parametrize("axis", (2, -3))
def test_joining_along_an_invalid_axis(axis):
    raises(lambda: xp.concat([xp.ones((2, 2))] * 2, axis=axis))
    raises(lambda: xp.stack([xp.ones((2,))] * 2, axis=axis))


def test_joining_what_does_not_fit():
    raises(lambda: xp.concat([xp.ones((2, 2)), xp.ones((3, 3))]))
    raises(lambda: xp.concat([xp.ones((2, 2)), xp.ones((2,))]))
    raises(lambda: xp.stack([xp.ones((2,)), xp.ones((3,))]))
    raises(lambda: xp.concat([make(1), make(2)]))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    "axis, shape", [(0, (3, 2, 4)), (1, (2, 3, 4)), (2, (2, 4, 3)), (-1, (2, 4, 3)), (-3, (3, 2, 4))]
)
def test_stack(dtype, axis, shape):
    parts = [sample((2, 4), dtype, 8 * i) for i in range(3)]
    out = xp.stack(parts, axis=axis)
    expect(out, shape, dtype)
    for i, part in enumerate(parts):
        key = [slice(None)] * 3
        key[axis] = i
        assert values(out[tuple(key)]) == values(part)


def test_stack_of_arrays_without_axes():
    expect(xp.stack([make(1), make(2)]), (2,), "int64", [1, 2])


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axis", (0, 1, 2, -1, -3))
def test_unstack(dtype, axis):
    x = sample((2, 3, 4), dtype)
    out = xp.unstack(x, axis=axis)
    assert isinstance(out, tuple) and len(out) == x.shape[axis]
    for i, part in enumerate(out):
        key = [slice(None)] * 3
        key[axis] = i
        expect(part, x[tuple(key)].shape, dtype, nested(x[tuple(key)]))


def test_unstack_of_one_axis():
    assert [values(part) for part in xp.unstack(make([1, 2]))] == [[1], [2]]
    assert xp.unstack(make([], "int64")) == ()
    raises(lambda: xp.unstack(make(1)))
    raises(lambda: xp.unstack(make([1]), axis=1))


# ---- moving elements and axes


def places(x, place):
    """The elements at the positions that place makes of each position, in C order."""
    at = {p: v for p, v in zip(positions(tuple(x.shape)), values(x), strict=True)}
    return [at[place(p)] for p in positions(tuple(x.shape))]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axis", (None, 0, 1, -1, (0, 2), (-1, 0), (), (0, 1, 2)), ids=str)
def test_flip(dtype, axis):
    x = sample((2, 3, 4), dtype)
    axes = range(3) if axis is None else [a % 3 for a in (axis if isinstance(axis, tuple) else (axis,))]
    want = places(x, lambda p: tuple(x.shape[i] - 1 - v if i in axes else v for i, v in enumerate(p)))
    expect(xp.flip(x, axis=axis), (2, 3, 4), dtype)
    assert values(xp.flip(x, axis=axis)) == want


@pytest.mark.parametrize("shift", (0, 1, -1, 2, 7, -10))
@pytest.mark.parametrize("axis", (0, 1, -1))
def test_roll(shift, axis):
    x = sample((3, 4), "int64")
    want = places(x, lambda p: tuple((v - shift) % x.shape[i] if i == axis % 2 else v for i, v in enumerate(p)))
    expect(xp.roll(x, shift, axis=axis), (3, 4), "int64")
    assert values(xp.roll(x, shift, axis=axis)) == want


def test_roll_of_several_axes():
    x = sample((3, 4), "int64")
    expect(xp.roll(x, (1, -1), axis=(0, 1)), (3, 4), "int64", [[9, 10, 11, 8], [1, 2, 3, 0], [5, 6, 7, 4]])
    expect(xp.roll(x, 1, axis=(0, 1)), (3, 4), "int64", [[11, 8, 9, 10], [3, 0, 1, 2], [7, 4, 5, 6]])
    expect(xp.roll(x, 5), (3, 4), "int64", [[7, 8, 9, 10], [11, 0, 1, 2], [3, 4, 5, 6]])
    expect(xp.roll(make([], "int64"), 3), (0,), "int64", [])
    expect(xp.roll(make(5), 3), (), "int64", 5)


def test_invalid_axes():
    x = xp.ones((2, 3))
    for call in (xp.flip, lambda x, axis: xp.roll(x, 1, axis=axis), lambda x, axis: xp.repeat(x, 2, axis=axis)):
        for axis in (2, -3):
            raises(lambda: call(x, axis=axis))
    raises(lambda: xp.permute_dims(x, (0, 2)))
    raises(lambda: xp.permute_dims(x, (0, 0)))
    raises(lambda: xp.permute_dims(x, (0,)))
    raises(lambda: xp.moveaxis(x, 0, 2))
    raises(lambda: xp.moveaxis(x, -3, 0))
    raises(lambda: xp.moveaxis(x, (0, 0), (0, 1)))
    raises(lambda: xp.moveaxis(x, (0, 1), (0, 0)))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (-1, 0, 1), (-2, -3, -1)], ids=str)
def test_permute_dims(dtype, axes):
    x = sample((2, 3, 4), dtype)
    shape = tuple(x.shape[a] for a in axes)
    at = {p: v for p, v in zip(positions((2, 3, 4)), values(x), strict=True)}
    want = []
    for p in positions(shape):
        source = [0] * 3
        for i, a in enumerate(axes):
            source[a] = p[i]
        want.append(at[tuple(source)])
    expect(xp.permute_dims(x, axes), shape, dtype)
    assert values(xp.permute_dims(x, axes)) == want


def test_permute_dims_of_no_axes():
    expect(xp.permute_dims(make(3), ()), (), "int64", 3)


@pytest.mark.parametrize(
    "source, destination, order",
    [
        (0, 2, (1, 2, 0)),
        (2, 0, (2, 0, 1)),
        (0, -1, (1, 2, 0)),
        (-1, 0, (2, 0, 1)),
        ((0, 1), (1, 0), (1, 0, 2)),
        ((0, 1), (-1, -2), (2, 1, 0)),
        (1, 1, (0, 1, 2)),
    ],
)
def test_moveaxis(source, destination, order):
    x = sample((2, 3, 4), "int64")
    want = xp.permute_dims(x, order)
    expect(xp.moveaxis(x, source, destination), want.shape, "int64", nested(want))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("shape", [(6,), (3, 2), (1, 6, 1), (-1,), (3, -1), (-1, 2, 1)], ids=str)
def test_reshape(dtype, shape):
    x = sample((2, 3), dtype)
    y = xp.reshape(x, shape)
    missing = 6 // abs(math.prod(shape))
    expect(y, tuple(missing if n == -1 else n for n in shape), dtype)
    assert values(y) == values(x)


def test_reshape_of_few_elements():
    expect(xp.reshape(make([5]), ()), (), "int64", 5)
    expect(xp.reshape(make(5), (1, 1)), (1, 1), "int64", [[5]])
    expect(xp.reshape(xp.zeros((0, 3)), (3, 0)), (3, 0), "float64")
    expect(xp.reshape(xp.zeros((0,)), (-1, 2)), (0, 2), "float64")


@pytest.mark.parametrize("shape", [(5,), (7,), (-1, 4), (-1, -1), (2, 2), ()], ids=str)
def test_reshape_to_what_does_not_fit(shape):
    raises(lambda: xp.reshape(xp.ones((2, 3)), shape))


def test_reshape_and_copies():
    x = sample((2, 3), "int64")
    copied, shared = xp.reshape(x, (3, 2), copy=True), xp.reshape(x, (3, 2), copy=False)
    maybe = xp.reshape(x, (6,))
    x[0, 0] = 50
    assert (values(copied)[0], values(shared)[0], values(maybe)[0]) == (0, 50, 50)


def test_reshape_that_would_have_to_copy():
    raises(lambda: xp.reshape(sample((2, 3), "int64").T, (6,), copy=False), ValueError)


# ---- repeat and tile


@pytest.mark.parametrize("dtype", ALL)
def test_repeat(dtype):
    x = sample((2, 2), dtype)
    a = nested(x)
    expect(xp.repeat(x, 2), (8,), dtype, [v for row in a for v in row for _ in range(2)])
    expect(xp.repeat(x, 2, axis=0), (4, 2), dtype, [a[0], a[0], a[1], a[1]])
    expect(xp.repeat(x, 3, axis=-1), (2, 6), dtype, [[row[0]] * 3 + [row[1]] * 3 for row in a])
    expect(xp.repeat(x, 0, axis=0), (0, 2), dtype)


def test_repeat_by_an_array():
    x = make([[1, 2], [3, 4]])
    expect(xp.repeat(x, make([1, 0, 2, 3])), (6,), "int64", [1, 3, 3, 4, 4, 4])
    expect(xp.repeat(x, make([2, 1]), axis=0), (3, 2), "int64", [[1, 2], [1, 2], [3, 4]])
    expect(xp.repeat(x, make([0, 2]), axis=1), (2, 2), "int64", [[2, 2], [4, 4]])
    expect(xp.repeat(x, make([2]), axis=1), (2, 4), "int64", [[1, 1, 2, 2], [3, 3, 4, 4]])
    expect(xp.repeat(x, make([2])), (8,), "int64", [1, 1, 2, 2, 3, 3, 4, 4])
    expect(xp.repeat(make([], "int64"), make([], "int64")), (0,), "int64", [])


def test_repeat_by_what_does_not_fit():
    raises(lambda: xp.repeat(make([1, 2, 3]), make([1, 2])))
    raises(lambda: xp.repeat(make([1, 2]), -1))
    raises(lambda: xp.repeat(make([1, 2]), make([1.0, 2.0])))


@pytest.mark.parametrize(
    "shape, repetitions, want",
    [
        ((2,), (2,), (4,)),
        ((2, 3), (2,), (2, 6)),
        ((2, 3), (2, 1), (4, 3)),
        ((2,), (3, 2), (3, 4)),
        ((4, 2), (3, 3, 3, 3), (3, 3, 12, 6)),
        ((), (2, 2), (2, 2)),
        ((2, 3), (), (2, 3)),
        ((2,), (0,), (0,)),
        ((0, 2), (2, 2), (0, 4)),
        ((8, 2), (1, 0), (8, 0)),
    ],
)
def test_tile(shape, repetitions, want):
    x = sample(shape, "int64")
    y = xp.tile(x, repetitions)
    expect(y, want, "int64")
    full = (1,) * (len(want) - len(shape)) + shape
    source = {p: v for p, v in zip(positions(full), values(x), strict=True)}
    assert values(y) == [source[tuple(v % n for v, n in zip(p, full, strict=True))] for p in positions(want)]


@pytest.mark.parametrize("dtype", NUMERIC)
def test_tile_keeps_the_dtype(dtype):
    assert xp.tile(sample((2,), dtype), (2, 2)).dtype == dt(dtype)
