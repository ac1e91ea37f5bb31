# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching and sets of random arrays, NumPy being the referee."""

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from .properties import LONGER, QUICK, SHAPES, alike, arrays, axis_of, given_to, read  # noqa: E402
from .standard import ALL, INTEGER, REAL, xp  # noqa: E402


@QUICK
@given(st.data())
def test_sort(data):
    plain = data.draw(arrays(LONGER, REAL))
    axis = data.draw(axis_of(plain.ndim, none=False))
    want = numpy.sort(plain, axis=axis, kind="stable")
    out = read(xp.sort(given_to(plain), axis=axis, stable=True))
    assert out.shape == want.shape and out.dtype == want.dtype
    assert numpy.array_equal(out, want, equal_nan=plain.dtype.kind == "f")


@QUICK
@given(st.data())
def test_argsort(data):
    plain = data.draw(arrays(LONGER, REAL, whole=data.draw(st.booleans())))
    axis = data.draw(axis_of(plain.ndim, none=False))
    alike(xp.argsort(given_to(plain), axis=axis, stable=True), numpy.argsort(plain, axis=axis, kind="stable"))


@QUICK
@given(st.data())
def test_sort_descending(data):
    plain = data.draw(arrays(LONGER, INTEGER, whole=data.draw(st.booleans())))
    axis = data.draw(axis_of(plain.ndim, none=False))
    alike(xp.sort(given_to(plain), axis=axis, descending=True), numpy.flip(numpy.sort(plain, axis=axis), axis=axis))
    order = numpy.flip(numpy.argsort(numpy.flip(plain, axis=axis), axis=axis, kind="stable"), axis=axis)
    alike(xp.argsort(given_to(plain), axis=axis, descending=True), plain.shape[axis] - 1 - order)


@QUICK
@given(st.data())
def test_searchsorted(data):
    plain = numpy.sort(data.draw(arrays(LONGER, REAL, whole=data.draw(st.booleans())).map(numpy.ravel)))
    sought = data.draw(arrays(SHAPES, (str(plain.dtype),), whole=True))
    side = data.draw(st.sampled_from(("left", "right")))
    alike(xp.searchsorted(given_to(plain), given_to(sought), side=side), numpy.searchsorted(plain, sought, side=side))


@QUICK
@given(st.data())
def test_unique(data):
    plain = data.draw(arrays(SHAPES, ALL[:11], whole=True))
    out = xp.unique_all(given_to(plain))
    values, indices, inverse, counts = map(read, out)
    assert sorted(values.tolist()) == sorted(set(plain.reshape(-1).tolist()))
    assert numpy.array_equal(plain.reshape(-1)[indices], values)
    assert numpy.array_equal(values[inverse], plain)
    assert counts.tolist() == [plain.reshape(-1).tolist().count(v) for v in values.tolist()]


@QUICK
@given(st.data())
def test_isin(data):
    first = data.draw(arrays(SHAPES, INTEGER, whole=True))
    second = data.draw(arrays(SHAPES, (str(first.dtype),), whole=True))
    invert = data.draw(st.booleans())
    alike(xp.isin(given_to(first), given_to(second), invert=invert), numpy.isin(first, second, invert=invert))
