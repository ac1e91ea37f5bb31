# SPDX-License-Identifier: Apache-2.0
"""Indexing of random arrays by random keys, NumPy being the referee."""

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

from .properties import LONGER, QUICK, SHAPES, alike, arrays, elements, given_to  # noqa: E402
from .standard import raises, xp  # noqa: E402

DTYPES = ("bool", "int8", "int64", "uint16", "float32", "float64", "complex128")


@QUICK
@given(st.data())
def test_reading_by_basic_keys(data):
    plain = data.draw(arrays(SHAPES, DTYPES))
    key = data.draw(hnp.basic_indices(plain.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))
    alike(given_to(plain)[key], plain[key])


@QUICK
@given(st.data())
def test_reading_views_of_views(data):
    plain = data.draw(arrays(LONGER, ("int64",)))
    x = given_to(plain)
    for _ in range(3):
        key = data.draw(hnp.basic_indices(plain.shape, allow_newaxis=True, max_dims=5))
        x, plain = x[key], numpy.asarray(plain[key])
        alike(x, plain)


@QUICK
@given(st.data())
def test_writing_a_number_by_basic_keys(data):
    plain = data.draw(arrays(SHAPES, DTYPES))
    key = data.draw(hnp.basic_indices(plain.shape, allow_newaxis=True, max_dims=6))
    value = data.draw(elements(str(plain.dtype)))
    x = given_to(plain)
    x[key] = value
    plain[key] = value
    alike(x, plain)


@QUICK
@given(st.data())
def test_writing_an_array_by_basic_keys(data):
    plain = data.draw(arrays(SHAPES, DTYPES))
    key = data.draw(hnp.basic_indices(plain.shape, allow_newaxis=True, max_dims=6))
    shape = numpy.shape(plain[key])
    ones = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    shorter = data.draw(st.integers(0, len(shape)))
    shape = tuple(1 if one else n for one, n in zip(ones, shape, strict=True))[shorter:]
    part = data.draw(arrays(shape, (str(plain.dtype),)))
    x = given_to(plain)
    try:
        plain[key] = part
    except ValueError:
        raises(lambda: x.__setitem__(key, given_to(part)))
    else:
        x[key] = given_to(part)
        alike(x, plain)


@QUICK
@given(st.data())
def test_writing_through_views(data):
    plain = data.draw(arrays(LONGER, ("int64",)))
    x = given_to(plain)
    view, part = x, plain
    for _ in range(2):
        key = data.draw(hnp.basic_indices(part.shape, max_dims=4).filter(lambda k: k != ()))
        if isinstance(part[key], numpy.ndarray):
            view, part = view[key], part[key]
    view += 100
    part += 100
    alike(x, plain)


@QUICK
@given(st.data())
def test_reading_by_integer_arrays(data):
    plain = data.draw(arrays(LONGER, DTYPES))
    key = data.draw(
        hnp.integer_array_indices(
            plain.shape, result_shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
        )
    )
    alike(given_to(plain)[tuple(map(given_to, key))], plain[key])


@QUICK
@given(st.data())
def test_writing_a_number_by_integer_arrays(data):
    plain = data.draw(arrays(LONGER, DTYPES))
    key = data.draw(
        hnp.integer_array_indices(
            plain.shape, result_shape=hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4)
        )
    )
    value = data.draw(elements(str(plain.dtype)))
    x = given_to(plain)
    x[tuple(map(given_to, key))] = value
    plain[key] = value
    alike(x, plain)


@QUICK
@given(st.data())
def test_integer_arrays_beside_slices(data):
    """An array among slices: its axes stand where it stands."""
    plain = data.draw(arrays(hnp.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=4), ("int64",)))
    axis = data.draw(st.integers(0, plain.ndim - 1))
    size = plain.shape[axis]
    at = numpy.array(data.draw(st.lists(st.integers(-size, size - 1), max_size=4)), dtype="int64")
    if data.draw(st.booleans()):
        at = at.reshape(1, -1)
    key = [
        data.draw(st.sampled_from([slice(None), slice(1, None), slice(None, None, -1), slice(0, 2, 2)]))
        for _ in plain.shape
    ]
    key[axis] = at
    want = plain[tuple(key)]
    key[axis] = given_to(at)
    alike(given_to(plain)[tuple(key)], want)


@QUICK
@given(st.data())
def test_masks(data):
    plain = data.draw(arrays(SHAPES, DTYPES))
    axes = data.draw(st.integers(0, plain.ndim))
    mask = data.draw(arrays(plain.shape[:axes], ("bool",)))
    x, m = given_to(plain), given_to(mask)
    alike(x[m], plain[mask])
    value = data.draw(elements(str(plain.dtype)))
    x[m] = value
    plain[mask] = value
    alike(x, plain)


@QUICK
@given(st.data())
def test_take(data):
    plain = data.draw(arrays(LONGER, DTYPES))
    axis = data.draw(st.integers(-plain.ndim, plain.ndim - 1))
    size = plain.shape[axis]
    at = numpy.array(data.draw(st.lists(st.integers(-size, size - 1), max_size=6)), dtype="int64")
    alike(xp.take(given_to(plain), given_to(at), axis=axis), numpy.take(plain, at, axis=axis))


@QUICK
@given(st.data())
def test_take_along_axis(data):
    plain = data.draw(arrays(LONGER, DTYPES))
    axis = data.draw(st.integers(-plain.ndim, plain.ndim - 1))
    shape = list(plain.shape)
    shape[axis] = data.draw(st.integers(0, 5))
    size, count = plain.shape[axis], int(numpy.prod(shape))
    flat = data.draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
    at = numpy.array(flat, dtype="int64").reshape(shape)
    alike(xp.take_along_axis(given_to(plain), given_to(at), axis=axis), numpy.take_along_axis(plain, at, axis=axis))


@QUICK
@given(st.data())
def test_nonzero(data):
    plain = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5), DTYPES))
    for x, want in zip(xp.nonzero(given_to(plain)), numpy.nonzero(plain), strict=True):
        alike(x, want)
