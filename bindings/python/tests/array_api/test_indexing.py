# SPDX-License-Identifier: Apache-2.0
"""Indexing: integers, slices, Ellipsis, None, integer arrays, masks; reading and writing; iteration."""

import itertools

import pytest

from .standard import ALL, INTEGER, NUMERIC, dt, expect, is_array, make, nested, raises, sample, values, xp

# ---- one axis


@pytest.mark.parametrize("dtype", ALL)
def test_integers_on_one_axis(dtype):
    x = sample((5,), dtype)
    flat = values(x)
    for i in range(-5, 5):
        y = x[i]
        expect(y, (), dtype)
        assert values(y) == [flat[i]]


def test_integers_that_are_not_ints():
    class Two:
        def __index__(self):
            return 2

    x = make([10, 11, 12, 13], "int64")
    expect(x[Two()], (), "int64", 12)
    expect(x[Two() :], (2,), "int64", [12, 13])


def test_every_slice_that_the_standard_defines():
    for n in range(6):
        x, plain = sample((n,), "int64", 10), list(range(10, 10 + n))
        for k in (None, 1, 2, 3, -1, -2, -3, 7, -7):
            down = k is not None and k < 0
            starts = [None, *range(-n, n + 1)]
            stops = [None, *range(-n - 1, max(0, n - 1) + 1)] if down else [None, *range(-n, n + 1)]
            for i, j in itertools.product(starts, stops):
                out = x[i:j:k]
                want = plain[i:j:k]
                assert (tuple(out.shape), values(out)) == ((len(want),), want), (n, i, j, k)


def test_slice_with_a_step_of_zero():
    raises(lambda: make([1, 2])[::0])


@pytest.mark.parametrize("dtype", ALL)
def test_slices_keep_the_dtype(dtype):
    assert sample((5,), dtype)[1:4].dtype == dt(dtype)
    assert sample((5,), dtype)[::-2].dtype == dt(dtype)


# ---- several axes

KEYS = [
    (0, 1, 2),
    (-1, -1, -1),
    (slice(None), 1, 2),
    (slice(None), slice(1, 3), 0),
    (1, slice(None), slice(None, None, -1)),
    (slice(0, 1), slice(0, 2), slice(1, 3)),
    (slice(None, None, -1), slice(None, None, -2), slice(3, None, -1)),
    (Ellipsis,),
    (Ellipsis, 1),
    (1, Ellipsis),
    (0, Ellipsis, 2),
    (slice(1, None), Ellipsis, slice(0, 2)),
    (0, 1, 2, Ellipsis),
    (Ellipsis, 0, 1, 2),
    (None, Ellipsis),
    (Ellipsis, None),
    (None, 0, None, slice(None), None, 1, None),
    (0, None, 1, None, 2),
    (slice(None), None, slice(None), 0),
    (slice(0, 0), 0, 0),
    (slice(0, 0), slice(0, 0), slice(0, 0)),
]


def indexed(shape, key):
    """(shape, positions in C order) of the elements that a key of integers, slices, Ellipsis and None selects."""
    given = sum(1 for part in key if part is not None and part is not Ellipsis)
    full = []
    for part in key if Ellipsis in key else (*key, Ellipsis):
        full += [slice(None)] * (len(shape) - given) if part is Ellipsis else [part]
    out, choices, axis = [], [], 0
    for part in full:
        if part is None:
            out.append(1)
        elif isinstance(part, slice):
            choices.append(range(shape[axis])[part])
            out.append(len(choices[-1]))
            axis += 1
        else:
            choices.append([range(shape[axis])[part]])
            axis += 1
    return tuple(out), list(itertools.product(*choices))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_several_axes(key):
    shape = (2, 3, 4)
    x = sample(shape, "int64")
    want, at = indexed(shape, key)
    expect(x[key], want, "int64")
    assert values(x[key]) == [i * 12 + j * 4 + k for i, j, k in at]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing_one_value_at_several_axes(key):
    shape = (2, 3, 4)
    x = sample(shape, "int64")
    x[key] = -1
    _, at = indexed(shape, key)
    flat = list(range(24))
    for i, j, k in at:
        flat[i * 12 + j * 4 + k] = -1
    assert values(x) == flat
    assert x.dtype == dt("int64")


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing_an_array_at_several_axes(key):
    shape = (2, 3, 4)
    x = sample(shape, "int64")
    want, at = indexed(shape, key)
    x[key] = sample(want, "int64", 100)
    flat = list(range(24))
    for number, (i, j, k) in enumerate(at):
        flat[i * 12 + j * 4 + k] = 100 + number
    assert values(x) == flat


@pytest.mark.parametrize("dtype", ALL)
def test_arrays_without_axes(dtype):
    x = sample((), dtype, 1)
    for key in ((), Ellipsis, (Ellipsis,)):
        expect(x[key], (), dtype)
        assert values(x[key]) == values(x)
    expect(x[None], (1,), dtype)
    expect(x[None, ..., None], (1, 1), dtype)
    x[()] = make(0, dtype)
    assert values(x) == [0]


@pytest.mark.parametrize("key", [(Ellipsis, Ellipsis), (0, Ellipsis, 0, Ellipsis)], ids=str)
def test_more_than_one_ellipsis(key):
    raises(lambda: sample((2, 3, 4), "int64")[key], IndexError)


@pytest.mark.parametrize(
    "shape, key",
    [
        ((), (0,)),
        ((3,), (0, 0)),
        ((2, 3), (0, 0, 0)),
        ((2, 3), (slice(None),) * 3),
        ((), (slice(None),)),
        ((3,), (Ellipsis, 0, 0)),
    ],
    ids=str,
)
def test_too_many_indices(shape, key):
    raises(lambda: xp.zeros(shape)[key], IndexError)


@pytest.mark.parametrize("key", ["0", 1.5, 2j, {}, (0, "a"), object()], ids=str)
def test_keys_that_are_no_index(key):
    raises(lambda: sample((2, 3), "int64")[key])


def test_same_meaning_of_tuple_and_single_key():
    x = sample((4, 3), "int64")
    expect(x[(slice(1, 3),)], (2, 3), want=nested(x[1:3]))
    expect(x[(slice(1, 3), slice(None))], (2, 3), want=nested(x[1:3, :]))


def test_slices_that_are_chained():
    x = sample((10,), "int64")
    expect(x[1:][::2][1:], (4,), "int64", [3, 5, 7, 9])
    expect(x[::-1][2:5], (3,), "int64", [7, 6, 5])
    expect(x[::-2][::-1], (5,), "int64", [1, 3, 5, 7, 9])


@pytest.mark.parametrize("rank", range(5))
def test_ranks(rank):
    x = sample((2,) * rank, "int64")
    expect(x[(1,) * rank], (), "int64", 2**rank - 1)
    expect(x[(slice(None),) * rank], (2,) * rank, "int64", nested(x))


# ---- integer arrays


@pytest.mark.parametrize("dtype", ALL)
def test_integer_array_on_one_axis(dtype):
    x = sample((5,), dtype)
    at = [0, 4, 2, 2, -1, -5]
    expect(x[make(at, "int64")], (6,), dtype)
    assert values(x[make(at, "int64")]) == [values(x)[i] for i in at]


@pytest.mark.parametrize("dtype", INTEGER)
def test_integer_arrays_of_every_dtype(dtype):
    expect(sample((5,), "int64", 10)[make([3, 0], dtype)], (2,), "int64", [13, 10])


def test_integer_arrays_of_several_axes():
    x = sample((4, 4), "int64")
    expect(x[make([0, 1]), make([2, 3])], (2,), "int64", [2, 7])
    expect(x[make([[0], [1]]), make([2, 3])], (2, 2), "int64", [[2, 3], [6, 7]])
    expect(x[make([0, 1, -1]), 2], (3,), "int64", [2, 6, 14])
    expect(x[1, make([0, -1])], (2,), "int64", [4, 7])
    expect(x[make([[0, 1], [2, 3]]), make(1)], (2, 2), "int64", [[1, 5], [9, 13]])
    expect(x[make([], "int64"), make([], "int64")], (0,), "int64", [])


def test_integer_arrays_without_axes():
    x = sample((3, 4), "int64")
    expect(x[make(1), make(2)], (), "int64", 6)
    expect(x[make(1), 2], (), "int64", 6)
    expect(sample((3,), "int64")[make(-1)], (), "int64", 2)


def test_integer_arrays_of_three_axes():
    x = sample((2, 3, 4), "int64")
    a, b, c = make([[0], [1]]), make([0, 2, 1]), make([[3, 0, 1], [2, 2, 0]])
    want = [[0 * 12 + 0 * 4 + 3, 0 * 12 + 2 * 4 + 0, 0 * 12 + 1 * 4 + 1], [12 + 0 + 2, 12 + 8 + 2, 12 + 4 + 0]]
    expect(x[a, b, c], (2, 3), "int64", want)


def test_integer_arrays_that_do_not_broadcast():
    raises(lambda: sample((4, 4), "int64")[make([0, 1]), make([0, 1, 2])])


# ---- masks


@pytest.mark.parametrize("dtype", ALL)
def test_mask_of_the_same_shape(dtype):
    x = sample((2, 3), dtype)
    mask = make([[True, False, True], [False, False, True]])
    expect(x[mask], (3,), dtype)
    assert values(x[mask]) == [values(x)[i] for i in (0, 2, 5)]


def test_mask_of_the_first_axes():
    x = sample((2, 3, 2), "int64")
    expect(x[make([False, True])], (1, 3, 2), "int64", [[[6, 7], [8, 9], [10, 11]]])
    expect(x[make([[True, False, False], [False, True, True]])], (3, 2), "int64", [[0, 1], [8, 9], [10, 11]])


def test_mask_of_all_or_nothing():
    x = sample((2, 3), "int64")
    expect(x[xp.ones((2, 3), dtype=dt("bool"))], (6,), "int64", list(range(6)))
    expect(x[xp.zeros((2, 3), dtype=dt("bool"))], (0,), "int64", [])
    expect(x[xp.zeros((2,), dtype=dt("bool"))], (0, 3), "int64", [])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_mask_without_axes(shape):
    x = sample(shape, "int64")
    expect(x[make(True)], (1, *shape), "int64")
    assert values(x[make(True)]) == values(x)
    expect(x[make(False)], (0, *shape), "int64")
    expect(x[True], (1, *shape), "int64")
    expect(x[False], (0, *shape), "int64")


def test_mask_with_too_many_axes():
    raises(lambda: make([1, 2])[make([[True, False]])], IndexError)
    raises(lambda: make(1)[make([True])], IndexError)


def test_mask_of_another_size():
    raises(lambda: make([1, 2, 3])[make([True, False])], IndexError)
    raises(lambda: sample((2, 3), "int64")[make([[True, False], [True, False]])], IndexError)


def test_mask_of_size_zero():
    """The standard lets a dimension of the mask be 0, whatever the array has."""
    expect(xp.zeros((0, 3))[xp.zeros((0,), dtype=dt("bool"))], (0, 3), "float64")


@pytest.mark.parametrize("dtype", ALL)
def test_writing_with_a_mask(dtype):
    x = sample((4,), dtype)
    want = values(x)
    x[make([True, False, True, False])] = True if dtype == "bool" else 7
    want[0] = want[2] = True if dtype == "bool" else 7
    assert values(x) == want


def test_writing_an_array_with_a_mask():
    x = sample((2, 3), "int64")
    x[make([[True, False, True], [False, False, True]])] = make([10, 20, 30])
    assert values(x) == [10, 1, 20, 3, 4, 30]
    x[make([False, True])] = make([7, 8, 9])
    assert values(x) == [10, 1, 20, 7, 8, 9]
    x[make(False)] = 0
    assert values(x) == [10, 1, 20, 7, 8, 9]
    x[make(True)] = 0
    assert values(x) == [0] * 6


# ---- writing


@pytest.mark.parametrize("dtype", ALL)
def test_writing_keeps_the_dtype(dtype):
    x = sample((3,), dtype)
    x[1] = True if dtype == "bool" else 1
    x[2] = make(1, dtype)
    assert x.dtype == dt(dtype)
    assert values(x)[1:] == [1, 1]


@pytest.mark.parametrize("value", ("int8", "int16", "int32"))
def test_writing_promotes_the_value(value):
    x = xp.zeros((3,), dtype=dt("int64"))
    x[:] = make([1, 2, 3], value)
    expect(x, (3,), "int64", [1, 2, 3])


def test_writing_promotes_to_complex():
    x = xp.zeros((2,), dtype=dt("complex128"))
    x[0] = 1.5
    x[1] = make(2.5, "float32")
    expect(x, (2,), "complex128", [1.5 + 0j, 2.5 + 0j])


def test_writing_broadcasts():
    x = xp.zeros((2, 3, 4))
    x[...] = xp.ones((1, 3, 4))
    assert values(x) == [1.0] * 24
    x[0, ...] = make([1.0, 2.0, 3.0, 4.0])
    assert nested(x)[0] == [[1.0, 2.0, 3.0, 4.0]] * 3


def test_writing_what_does_not_broadcast():
    def write(key, shape):
        xp.zeros((2, 3, 4))[key] = xp.ones(shape)

    raises(lambda: write((1, Ellipsis), (2, 3, 4)))
    raises(lambda: write(Ellipsis, (3,)))
    raises(lambda: write((0, 0), (3,)))


def test_writing_overlapping_parts():
    x = sample((6,), "int64")
    x[1:] = x[:-1]
    assert values(x) == [0, 0, 1, 2, 3, 4]
    y = sample((6,), "int64")
    y[:] = y[::-1]
    assert values(y) == [5, 4, 3, 2, 1, 0]


def test_writing_special_values():
    x = xp.zeros((3,))
    x[0], x[1], x[2] = float("nan"), float("-inf"), -0.0
    expect(x, (3,), "float64", [float("nan"), float("-inf"), -0.0])


# ---- iteration


@pytest.mark.parametrize("dtype", NUMERIC)
def test_iteration_of_one_axis(dtype):
    x = sample((4,), dtype)
    items = list(x)
    assert all(is_array(item) and item.shape == () and item.dtype == dt(dtype) for item in items)
    assert [values(item)[0] for item in items] == values(x)


def test_iteration_of_two_axes():
    assert [values(row) for row in sample((2, 2), "int64")] == [[0, 1], [2, 3]]


def test_iteration_of_no_axes():
    raises(lambda: iter(make(1)).__next__())


# ---- take, take_along_axis


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axis", (0, 1, 2, -1, -3))
def test_take(dtype, axis):
    x = sample((2, 3, 4), dtype)
    at = [1, 0, -1, 1]
    out = xp.take(x, make(at), axis=axis)
    key = [slice(None)] * 3
    parts = []
    for i in at:
        key[axis] = i
        parts.append(x[tuple(key)])
    want = xp.stack(parts, axis=axis)
    expect(out, want.shape, dtype)
    assert values(out) == values(want)


def test_take_of_one_axis():
    expect(xp.take(make([10, 20, 30]), make([2, 0, -1, -3])), (4,), "int64", [30, 10, 30, 10])
    expect(xp.take(make([10, 20, 30]), make([], "int64")), (0,), "int64", [])


def test_take_along_an_invalid_axis():
    raises(lambda: xp.take(sample((2, 3), "int64"), make([0]), axis=2))
    raises(lambda: xp.take(sample((2, 3), "int64"), make([0]), axis=-3))


@pytest.mark.parametrize("dtype", ALL)
def test_take_along_axis(dtype):
    x = sample((2, 3), dtype)
    rows = nested(x)
    expect(xp.take_along_axis(x, make([[2, 0], [-1, 1]])), (2, 2), dtype)
    assert nested(xp.take_along_axis(x, make([[2, 0], [-1, 1]]))) == [
        [rows[0][2], rows[0][0]],
        [rows[1][2], rows[1][1]],
    ]
    assert nested(xp.take_along_axis(x, make([[1, 0, 1]]), axis=0)) == [[rows[1][0], rows[0][1], rows[1][2]]]


def test_take_along_axis_broadcasts():
    x = sample((2, 3), "int64")
    expect(xp.take_along_axis(x, make([[2, 1]]), axis=1), (2, 2), "int64", [[2, 1], [5, 4]])
    expect(xp.take_along_axis(make([[1, 2, 3]]), make([[0], [2]]), axis=-1), (2, 1), "int64", [[1], [3]])


def test_take_along_an_axis_that_is_not_there():
    raises(lambda: xp.take_along_axis(sample((2, 3), "int64"), make([[0], [0]]), axis=2))


@pytest.mark.parametrize("dtype", INTEGER)
def test_indices_of_every_dtype(dtype):
    x = sample((2, 3), "float32")
    expect(xp.take(x, make([2, 0], dtype), axis=1), (2, 2), "float32", [[2.0, 0.0], [5.0, 3.0]])
    expect(xp.take_along_axis(x, make([[1], [2]], dtype), axis=1), (2, 1), "float32", [[1.0], [5.0]])
    expect(xp.repeat(make([7, 8]), make([2, 1], dtype)), (3,), "int64", [7, 7, 8])
