# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans of random arrays over random axes, NumPy being the referee."""

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

from .properties import LONGER, QUICK, SHAPES, alike, arrays, axis_of, given_to, quietly, read  # noqa: E402
from .standard import ALL, INTEGER, NUMERIC, REAL, REAL_FLOATING, dt, function, xp  # noqa: E402


@pytest.mark.parametrize("name", ("sum", "prod"))
@QUICK
@given(st.data())
def test_sums_and_products(name, data):
    plain = data.draw(arrays(SHAPES, NUMERIC, whole=True))
    axis, keepdims = data.draw(axis_of(plain.ndim, several=True)), data.draw(st.booleans())
    want = quietly(getattr(numpy, name), plain, axis=axis, keepdims=keepdims)
    if str(plain.dtype) in ("complex64", "complex128") or name == "prod":
        out = read(function(name)(given_to(plain), axis=axis, keepdims=keepdims))
        assert out.shape == want.shape and out.dtype == want.dtype
        assert numpy.array_equal(out, want)  # whatever the signs of zeros
    else:
        alike(function(name)(given_to(plain), axis=axis, keepdims=keepdims), want)


@QUICK
@given(st.data())
def test_sums_of_integers_wrap(data):
    plain = data.draw(arrays(LONGER, INTEGER))
    alike(xp.sum(given_to(plain)), quietly(numpy.sum, plain))


@pytest.mark.parametrize("name", ("max", "min"))
@QUICK
@given(st.data())
def test_max_and_min(name, data):
    plain = data.draw(arrays(LONGER, REAL))
    axis, keepdims = data.draw(axis_of(plain.ndim, several=True)), data.draw(st.booleans())
    out = read(function(name)(given_to(plain), axis=axis, keepdims=keepdims))
    want = quietly(getattr(numpy, name), plain, axis=axis, keepdims=keepdims)
    assert out.shape == want.shape and out.dtype == plain.dtype
    assert numpy.array_equal(out, want, equal_nan=plain.dtype.kind == "f")


@pytest.mark.parametrize("name", ("all", "any", "count_nonzero"))
@QUICK
@given(st.data())
def test_truth(name, data):
    plain = data.draw(arrays(SHAPES, ALL))
    axis, keepdims = data.draw(axis_of(plain.ndim, several=True)), data.draw(st.booleans())
    alike(
        function(name)(given_to(plain), axis=axis, keepdims=keepdims),
        getattr(numpy, name)(plain, axis=axis, keepdims=keepdims),
    )


@pytest.mark.parametrize("name", ("mean", "var", "std"))
@QUICK
@given(st.data())
def test_means(name, data):
    plain = data.draw(arrays(LONGER, REAL_FLOATING, whole=True))
    axis, keepdims = data.draw(axis_of(plain.ndim, several=True)), data.draw(st.booleans())
    out = read(function(name)(given_to(plain), axis=axis, keepdims=keepdims))
    want = quietly(getattr(numpy, name), plain, axis=axis, keepdims=keepdims)
    assert out.shape == want.shape and out.dtype == plain.dtype
    assert numpy.allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ("argmax", "argmin"))
@QUICK
@given(st.data())
def test_argmax(name, data):
    plain = data.draw(arrays(LONGER, REAL))
    axis, keepdims = data.draw(axis_of(plain.ndim)), data.draw(st.booleans())
    alike(
        function(name)(given_to(plain), axis=axis, keepdims=keepdims),
        getattr(numpy, name)(plain, axis=axis, keepdims=keepdims),
    )


@pytest.mark.parametrize("name", ("cumulative_sum", "cumulative_prod"))
@QUICK
@given(st.data())
def test_scans(name, data):
    plain = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5), NUMERIC, whole=True))
    axis, initial = data.draw(axis_of(plain.ndim, none=False)), data.draw(st.booleans())
    out = read(function(name)(given_to(plain), axis=axis, include_initial=initial))
    want = quietly(getattr(numpy, name), plain, axis=axis, include_initial=initial)
    assert out.shape == want.shape and out.dtype == want.dtype
    assert numpy.array_equal(out, want)


@QUICK
@given(st.data())
def test_diff(data):
    plain = data.draw(arrays(LONGER, ("int64", "uint8", "float64"), whole=True))
    axis, n = data.draw(axis_of(plain.ndim, none=False)), data.draw(st.integers(0, 3))
    alike(xp.diff(given_to(plain), axis=axis, n=n), quietly(numpy.diff, plain, axis=axis, n=n))


@QUICK
@given(st.data())
def test_sums_of_views(data):
    plain = data.draw(arrays(LONGER, ("int64", "float64"), whole=True))
    key = data.draw(hnp.basic_indices(plain.shape, max_dims=4))
    axis = data.draw(axis_of(numpy.ndim(plain[key]), several=True))
    alike(xp.sum(given_to(plain)[key], axis=axis), numpy.sum(plain[key], axis=axis))


@QUICK
@given(st.data())
def test_sum_with_a_dtype(data):
    plain = data.draw(arrays(SHAPES, ("int8", "uint8", "int32"), whole=True))
    to = data.draw(st.sampled_from(("int16", "int64", "uint64", "float32", "complex128")))
    alike(xp.sum(given_to(plain), dtype=dt(to)), numpy.sum(plain, dtype=to))


@QUICK
@given(st.data())
def test_matmul(data):
    shapes = data.draw(
        hnp.mutually_broadcastable_shapes(signature=numpy.matmul.signature, max_dims=2, max_side=4, min_side=0)
    )
    dtype = data.draw(st.sampled_from(("int64", "uint8", "float32", "float64", "complex128")))
    first, second = (data.draw(arrays(shape, (dtype,), whole=True)) for shape in shapes.input_shapes)
    out = read(xp.matmul(given_to(first), given_to(second)))
    want = numpy.matmul(first, second)
    assert out.shape == want.shape and out.dtype == want.dtype and numpy.array_equal(out, want)
