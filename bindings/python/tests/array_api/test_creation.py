# SPDX-License-Identifier: Apache-2.0
"""Creation functions."""

import array as buffers
import math
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
    is_array,
    make,
    nested,
    raises,
    same,
    sample,
    values,
    xp,
)


def default(kind):
    return xp.__array_namespace_info__().default_dtypes()[kind]


SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3), (1, 2, 1, 2)]

# ---- asarray


@pytest.mark.parametrize(
    "value, kind",
    [
        (True, None),
        (1, "integral"),
        (1.5, "real floating"),
        (1j, "complex floating"),
        ([True, False], None),
        ([1, 2], "integral"),
        ([True, 2], "integral"),
        ([1, 2.5], "real floating"),
        ([True, 2.5], "real floating"),
        ([1, 2j], "complex floating"),
        ([1.5, 2j], "complex floating"),
        ((1, 2), "integral"),
        ([[1, 2], [3, 4.5]], "real floating"),
        ([(1, 2), (3, 4)], "integral"),
    ],
    ids=str,
)
def test_asarray_finds_the_dtype(value, kind):
    assert xp.asarray(value).dtype == (dt("bool") if kind is None else default(kind))


def test_asarray_finds_the_shape():
    assert xp.asarray(1).shape == ()
    assert xp.asarray([]).shape == (0,)
    assert xp.asarray([[1, 2, 3], [4, 5, 6]]).shape == (2, 3)
    assert xp.asarray(((1,), (2,))).shape == (2, 1)
    assert xp.asarray([[], []]).shape == (2, 0)
    expect(xp.asarray([[1, 2], [3, 4]]), (2, 2), want=[[1, 2], [3, 4]])


@pytest.mark.parametrize("dtype", INTEGER)
def test_asarray_of_the_ends_of_integers(dtype):
    ends = [LOWEST[dtype], HIGHEST[dtype], 0]
    expect(xp.asarray(ends, dtype=dt(dtype)), (3,), dtype, ends)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_asarray_of_special_floats(dtype):
    special = [nan, inf, -inf, 0.0, -0.0, 0.5]
    expect(xp.asarray(special, dtype=dt(dtype)), (6,), dtype, special)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_asarray_of_special_complex_numbers(dtype):
    special = [complex(a, b) for a in (nan, inf, -0.0, 1.5) for b in (-inf, 0.0, -0.0, nan)]
    expect(xp.asarray(special, dtype=dt(dtype)), (16,), dtype, special)


@pytest.mark.parametrize("dtype", ALL)
def test_asarray_with_a_dtype(dtype):
    expect(xp.asarray([0, 1], dtype=dt(dtype)), (2,), dtype, {"bool": [False, True]}.get(dtype))
    assert values(xp.asarray([0, 1], dtype=dt(dtype))) == [0, 1]


@pytest.mark.parametrize("dtype", ALL)
def test_asarray_of_an_array(dtype):
    x = sample((2, 3), dtype)
    expect(xp.asarray(x), (2, 3), dtype, nested(x))
    expect(xp.asarray(x, dtype=dt(dtype)), (2, 3), dtype, nested(x))


def test_asarray_shares_or_copies():
    x = make([1, 2, 3], "int64")
    shared, copied = xp.asarray(x, copy=False), xp.asarray(x, copy=True)
    maybe = xp.asarray(x)
    x[0] = 9
    assert values(shared) == [9, 2, 3]
    assert values(copied) == [1, 2, 3]
    assert values(maybe) == [9, 2, 3]


def test_asarray_that_would_have_to_copy():
    raises(lambda: xp.asarray(make([1, 2], "int64"), dtype=dt("float64"), copy=False), ValueError)


def test_asarray_promotes():
    expect(xp.asarray(make([1, 2], "int8"), dtype=dt("int32")), (2,), "int32", [1, 2])
    expect(xp.asarray(make([1.5], "float32"), dtype=dt("complex128")), (1,), "complex128", [1.5 + 0j])


@pytest.mark.parametrize(
    "code, dtype",
    [("b", "int8"), ("B", "uint8"), ("h", "int16"), ("i", "int32"), ("q", "int64"), ("f", "float32"), ("d", "float64")],
)
def test_asarray_of_a_buffer(code, dtype):
    source = buffers.array(code, [1, 2, 3])
    expect(xp.asarray(memoryview(source)), (3,), dtype, [1, 2, 3] if code not in "fd" else [1.0, 2.0, 3.0])
    shared, copied = xp.asarray(memoryview(source), copy=False), xp.asarray(memoryview(source), copy=True)
    source[0] = 7
    assert (values(shared)[0], values(copied)[0]) == (7, 1)


def test_asarray_of_bytes():
    expect(xp.asarray(memoryview(b"\x01\x02\xff")), (3,), "uint8", [1, 2, 255])


def test_asarray_of_ragged_lists():
    raises(lambda: xp.asarray([[1, 2], [3]]))


# ---- filled with one value

FILLERS = {"zeros": 0, "ones": 1}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FILLERS)
def test_filled_with_zeros_or_ones(name, shape):
    expect(getattr(xp, name)(shape), shape, "float64")
    for dtype in ALL:
        x = getattr(xp, name)(shape, dtype=dt(dtype))
        expect(x, shape, dtype)
        assert values(x) == [FILLERS[name]] * math.prod(shape)


@pytest.mark.parametrize("name", ("zeros", "ones", "empty"))
def test_shape_may_be_a_number(name):
    assert getattr(xp, name)(3).shape == (3,)
    assert getattr(xp, name)(0).shape == (0,)
    assert getattr(xp, name)(3).dtype == default("real floating")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_empty(dtype, shape):
    expect(xp.empty(shape, dtype=dt(dtype)), shape, dtype)


@pytest.mark.parametrize("value, kind", [(2, "integral"), (2.5, "real floating"), (2j, "complex floating")])
def test_full_finds_the_dtype(value, kind):
    x = xp.full((2, 3), value)
    assert x.dtype == default(kind)
    assert values(x) == [value] * 6


def test_full_of_bool():
    expect(xp.full((2,), True), (2,), "bool", [True, True])
    expect(xp.full(3, False), (3,), "bool", [False] * 3)


@pytest.mark.parametrize("dtype", ALL)
def test_full_with_a_dtype(dtype):
    value = {"bool": True}.get(dtype, 100)
    x = xp.full((2, 2), value, dtype=dt(dtype))
    expect(x, (2, 2), dtype)
    assert values(x) == [value] * 4


@pytest.mark.parametrize("value", (nan, inf, -inf, -0.0))
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_full_of_special_values(dtype, value):
    expect(xp.full((3,), value, dtype=dt(dtype)), (3,), dtype, [value] * 3)
    expect(xp.full_like(xp.ones((3,), dtype=dt(dtype)), value), (3,), dtype, [value] * 3)


@pytest.mark.parametrize("dtype", INTEGER)
def test_full_of_the_ends_of_integers(dtype):
    for value in (LOWEST[dtype], HIGHEST[dtype]):
        expect(xp.full((2,), value, dtype=dt(dtype)), (2,), dtype, [value] * 2)
        expect(xp.full_like(xp.zeros((2,), dtype=dt(dtype)), value), (2,), dtype, [value] * 2)


@pytest.mark.parametrize("to", ("int8", "float64", "complex64"))
@pytest.mark.parametrize("dtype", ALL)
def test_like(dtype, to):
    x = sample((2, 3), dtype)
    for name, value in (("zeros_like", 0), ("ones_like", 1), ("empty_like", None)):
        y = getattr(xp, name)(x)
        expect(y, (2, 3), dtype)
        assert value is None or values(y) == [value] * 6
        z = getattr(xp, name)(x, dtype=dt(to))
        expect(z, (2, 3), to)
        assert value is None or values(z) == [value] * 6
    expect(xp.full_like(x, True if dtype == "bool" else 3), (2, 3), dtype)
    expect(xp.full_like(x, 3, dtype=dt(to)), (2, 3), to)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_like_of_shapes(shape):
    x = xp.zeros(shape)
    for name in ("zeros_like", "ones_like", "empty_like"):
        expect(getattr(xp, name)(x), shape, "float64")


def test_like_gives_memory_of_its_own():
    x = make([1, 2], "int64")
    y = xp.zeros_like(x)
    y[0] = 5
    assert values(x) == [1, 2]


# ---- arange and linspace


@pytest.mark.parametrize(
    "args",
    [
        (5,),
        (0,),
        (-3,),
        (2, 7),
        (7, 2),
        (0, 10, 3),
        (0, 9, 3),
        (10, 0, -3),
        (10, 0, 3),
        (0, 10, -1),
        (3, 3),
        (-5, 5, 4),
    ],
    ids=str,
)
def test_arange_of_integers(args):
    want = list(range(*args))
    x = xp.arange(*args)
    expect(x, (len(want),), want=want)
    assert x.dtype == default("integral")


@pytest.mark.parametrize(
    "args", [(2.5,), (0.0, 1.0, 0.25), (1.0, 0.0, -0.5), (0, 2.0), (1.0, 5), (0.5, 3.0), (3.0, 0.5)], ids=str
)
def test_arange_of_floats(args):
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    count = max(0, math.ceil((stop - start) / step))
    x = xp.arange(*args)
    expect(x, (count,), "float64", [float(start + i * step) for i in range(count)])


@pytest.mark.parametrize("dtype", REAL)
def test_arange_with_a_dtype(dtype):
    x = xp.arange(1, 10, 2, dtype=dt(dtype))
    expect(x, (5,), dtype)
    assert values(x) == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("dtype", INTEGER)
def test_arange_to_the_end_of_integers(dtype):
    high = HIGHEST[dtype]
    expect(xp.arange(high - 3, high, dtype=dt(dtype)), (3,), dtype, [high - 3, high - 2, high - 1])


def test_arange_with_a_step_of_zero():
    raises(lambda: xp.arange(0, 5, 0))


@pytest.mark.parametrize(
    "start, stop, num", [(0, 1, 5), (0.0, 10.0, 11), (-1, 1, 3), (5, 5, 2), (1, 0, 4), (0.0, 1.0, 1), (2, 3, 0)]
)
def test_linspace(start, stop, num):
    want = [start + (stop - start) * i / (num - 1) if num > 1 else float(start) for i in range(num)]
    expect(xp.linspace(start, stop, num), (num,), "float64", want, ulps=2)


@pytest.mark.parametrize(
    "start, stop, num", [(0, 1, 5), (0.0, 10.0, 10), (-1, 1, 4), (1, 0, 4), (0.0, 1.0, 1), (2, 3, 0)]
)
def test_linspace_without_the_endpoint(start, stop, num):
    want = [start + (stop - start) * i / num for i in range(num)]
    expect(xp.linspace(start, stop, num, endpoint=False), (num,), "float64", want, ulps=2)


@pytest.mark.parametrize("dtype", FLOATING)
def test_linspace_with_a_dtype(dtype):
    x = xp.linspace(0, 1, 3, dtype=dt(dtype))
    expect(x, (3,), dtype)
    assert values(x) == [0, 0.5, 1]


def test_linspace_ends_with_the_endpoint():
    for num in (3, 7, 10, 49, 50, 1000):
        x = values(xp.linspace(0.1, 0.7, num))
        assert (x[0], x[-1]) == (0.1, 0.7)


def test_linspace_of_complex_numbers():
    expect(xp.linspace(0, 2 + 4j, 3), (3,), "complex128", [0j, 1 + 2j, 2 + 4j])
    expect(xp.linspace(1j, 1, 2, dtype=dt("complex64")), (2,), "complex64", [1j, 1 + 0j])


def test_linspace_of_a_negative_number():
    raises(lambda: xp.linspace(0, 1, -1))


# ---- eye, tril, triu, meshgrid


@pytest.mark.parametrize("rows, columns", [(3, None), (2, 3), (3, 2), (0, None), (0, 2), (1, 1)])
@pytest.mark.parametrize("k", (-4, -1, 0, 1, 2))
def test_eye(rows, columns, k):
    wide = rows if columns is None else columns
    want = [[float(j - i == k) for j in range(wide)] for i in range(rows)]
    expect(xp.eye(rows, columns, k=k), (rows, wide), "float64", want)


@pytest.mark.parametrize("dtype", ALL)
def test_eye_with_a_dtype(dtype):
    x = xp.eye(2, dtype=dt(dtype))
    expect(x, (2, 2), dtype)
    assert values(x) == [1, 0, 0, 1]


@pytest.mark.parametrize("k", (-3, -1, 0, 1, 4))
@pytest.mark.parametrize("dtype", ALL)
def test_triangles(dtype, k):
    x = sample((2, 3, 4), dtype, 1)
    zero = {"bool": False}.get(dtype, 0)
    for call, keep in ((xp.tril, lambda i, j: j - i <= k), (xp.triu, lambda i, j: j - i >= k)):
        y = call(x, k=k)
        expect(y, (2, 3, 4), dtype)
        want = [[[v if keep(i, j) else zero for j, v in enumerate(row)] for i, row in enumerate(m)] for m in nested(x)]
        assert nested(y) == want


def test_triangles_zero_what_they_drop():
    """Zeros take the place of NaN and infinities, too."""
    x = make([[1.0, nan], [inf, 2.0]])
    expect(xp.tril(x), (2, 2), "float64", [[1.0, 0.0], [inf, 2.0]])
    expect(xp.triu(x), (2, 2), "float64", [[1.0, nan], [0.0, 2.0]])


@pytest.mark.parametrize("indexing", ("xy", "ij"))
@pytest.mark.parametrize("sizes", [(3,), (3, 2), (2, 3, 4), (1, 2, 3, 2), (0, 2)], ids=str)
def test_meshgrid(sizes, indexing):
    vectors = [sample((n,), "int64", 10 * i) for i, n in enumerate(sizes)]
    out = xp.meshgrid(*vectors, indexing=indexing)
    shape = list(sizes)
    if indexing == "xy" and len(sizes) > 1:
        shape[:2] = shape[1::-1]
    assert len(out) == len(sizes)
    for i, grid in enumerate(out):
        expect(grid, shape, "int64")
        axis = {0: 1, 1: 0}.get(i, i) if indexing == "xy" and len(sizes) > 1 else i
        positions = sample((sizes[i],), "int64", 10 * i)
        want = xp.broadcast_to(
            xp.reshape(positions, (1,) * axis + (-1,) + (1,) * (len(sizes) - axis - 1)), tuple(shape)
        )
        assert values(grid) == values(want)


def test_meshgrid_gives_a_tuple():
    assert isinstance(xp.meshgrid(make([1]), make([2])), tuple)
    assert isinstance(xp.meshgrid(make([1])), tuple)
    assert tuple(xp.meshgrid()) == ()


@pytest.mark.parametrize("dtype", NUMERIC)
def test_meshgrid_keeps_the_dtype(dtype):
    assert all(x.dtype == dt(dtype) and is_array(x) for x in xp.meshgrid(sample((2,), dtype), sample((3,), dtype)))


def test_meshgrid_with_another_indexing():
    raises(lambda: xp.meshgrid(make([1]), make([2]), indexing="yx"))


def test_negative_sizes():
    for name in ("zeros", "ones", "empty"):
        raises(lambda: getattr(xp, name)((2, -1)))
    raises(lambda: xp.full((-1,), 2))


def test_same_reads_signs_of_zeros():
    """The helper that all these tests rest on."""
    assert not same(0.0, -0.0, "float64")
    assert same(nan, nan, "float64")
    assert not same(complex(0.0, -0.0), complex(0.0, 0.0), "complex128")
