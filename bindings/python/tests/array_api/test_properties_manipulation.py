# SPDX-License-Identifier: Apache-2.0
"""Manipulation of random arrays, NumPy being the referee."""

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

from .properties import LONGER, QUICK, SHAPES, alike, arrays, axis_of, given_to  # noqa: E402
from .standard import xp  # noqa: E402


@st.composite
def factors(draw, size):
    """A shape of that size."""
    shape, rest = [], size
    for _ in range(draw(st.integers(0, 3))):
        if rest == 0:
            shape.append(draw(st.integers(0, 3)))
            continue
        divisor = draw(st.sampled_from([d for d in range(1, rest + 1) if rest % d == 0]))
        shape.append(divisor)
        rest //= divisor
    return (*shape, rest)


@QUICK
@given(st.data())
def test_reshape(data):
    plain = data.draw(arrays(SHAPES))
    shape = list(data.draw(factors(plain.size)))
    if plain.size and data.draw(st.booleans()):
        shape[data.draw(st.integers(0, len(shape) - 1))] = -1
    alike(xp.reshape(given_to(plain), tuple(shape)), plain.reshape(shape))


@QUICK
@given(st.data())
def test_reshape_of_views(data):
    plain = data.draw(arrays(LONGER, ("int32",)))
    order = tuple(data.draw(st.permutations(range(plain.ndim))))
    shape = data.draw(factors(plain.size))
    x = xp.permute_dims(given_to(plain), order)[::-1]
    alike(xp.reshape(x, shape), numpy.transpose(plain, order)[::-1].reshape(shape))


@QUICK
@given(st.data())
def test_permute_dims(data):
    plain = data.draw(arrays(SHAPES))
    order = tuple(data.draw(st.permutations(range(plain.ndim))))
    order = tuple(a - plain.ndim if data.draw(st.booleans()) else a for a in order)
    alike(xp.permute_dims(given_to(plain), order), numpy.transpose(plain, order))


@QUICK
@given(st.data())
def test_moveaxis(data):
    plain = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)))
    count = data.draw(st.integers(1, plain.ndim))
    source, destination = (tuple(data.draw(st.permutations(range(plain.ndim)))[:count]) for _ in range(2))
    alike(xp.moveaxis(given_to(plain), source, destination), numpy.moveaxis(plain, source, destination))


@QUICK
@given(st.data())
def test_concat(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    axis = data.draw(axis_of(len(shape)))
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        sizes = list(shape)
        if axis is not None:
            sizes[axis] = data.draw(st.integers(0, 4))
        parts.append(data.draw(arrays(tuple(sizes), ("int8", "int64", "uint16"))))
    alike(xp.concat(list(map(given_to, parts)), axis=axis), numpy.concatenate(parts, axis=axis))


@QUICK
@given(st.data())
def test_stack_and_unstack(data):
    shape = data.draw(SHAPES)
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    parts = [data.draw(arrays(shape, ("float32", "complex128"))) for _ in range(data.draw(st.integers(1, 4)))]
    joined = xp.stack(list(map(given_to, parts)), axis=axis)
    want = numpy.stack(parts, axis=axis)
    alike(joined, want)
    for x, plain in zip(xp.unstack(joined, axis=axis), numpy.unstack(want, axis=axis), strict=True):
        alike(x, plain)


@QUICK
@given(st.data())
def test_roll(data):
    plain = data.draw(arrays(SHAPES))
    axis = data.draw(axis_of(plain.ndim, several=True))
    shifts = st.integers(-9, 9)
    shift = data.draw(
        st.tuples(*[shifts] * len(axis)) if isinstance(axis, tuple) and data.draw(st.booleans()) else shifts
    )
    alike(xp.roll(given_to(plain), shift, axis=axis), numpy.roll(plain, shift, axis=axis))


@QUICK
@given(st.data())
def test_flip(data):
    plain = data.draw(arrays(SHAPES))
    axis = data.draw(axis_of(plain.ndim, several=True))
    alike(xp.flip(given_to(plain), axis=axis), numpy.flip(plain, axis=axis))


@QUICK
@given(st.data())
def test_repeat(data):
    plain = data.draw(arrays(SHAPES))
    axis = data.draw(axis_of(plain.ndim))
    size = plain.size if axis is None else plain.shape[axis]
    times = data.draw(st.integers(0, 3))
    alike(xp.repeat(given_to(plain), times, axis=axis), numpy.repeat(plain, times, axis=axis))
    many = numpy.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), dtype="int64")
    alike(xp.repeat(given_to(plain), given_to(many), axis=axis), numpy.repeat(plain, many, axis=axis))


@QUICK
@given(st.data())
def test_tile(data):
    plain = data.draw(arrays(SHAPES))
    repetitions = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    alike(xp.tile(given_to(plain), repetitions), numpy.tile(plain, repetitions))


@QUICK
@given(st.data())
def test_expand_dims_and_squeeze(data):
    plain = data.draw(arrays(SHAPES))
    count = data.draw(st.integers(0, 3))
    ndim = plain.ndim + count
    axis = tuple(data.draw(st.permutations(range(ndim)))[:count])
    axis = tuple(a - ndim if data.draw(st.booleans()) else a for a in axis)
    longer = xp.expand_dims(given_to(plain), axis=axis)
    alike(longer, numpy.expand_dims(plain, axis))
    alike(xp.squeeze(longer, axis=axis), plain)


@QUICK
@given(st.data())
def test_triangles(data):
    plain = data.draw(arrays(hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=5)))
    k = data.draw(st.integers(-6, 6))
    alike(xp.tril(given_to(plain), k=k), numpy.tril(plain, k))
    alike(xp.triu(given_to(plain), k=k), numpy.triu(plain, k))


@QUICK
@given(st.data())
def test_meshgrid(data):
    plain = [
        data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=4)))
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    indexing = data.draw(st.sampled_from(("xy", "ij")))
    for x, want in zip(
        xp.meshgrid(*map(given_to, plain), indexing=indexing), numpy.meshgrid(*plain, indexing=indexing), strict=True
    ):
        alike(x, want)
