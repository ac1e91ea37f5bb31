# SPDX-License-Identifier: Apache-2.0
"""Broadcasting of random arrays, NumPy being the referee."""

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

from .properties import QUICK, SHAPES, alike, arrays, elements, given_to, quietly  # noqa: E402
from .standard import ALL, FLOATING, INTEGER, NUMERIC, REAL, function, raises, xp  # noqa: E402

PAIRS = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0)
TRIPLES = hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4, min_side=0)
FUNCTIONS = {
    "add": NUMERIC,
    "subtract": NUMERIC,
    "multiply": INTEGER + ("float32", "float64"),
    "divide": ("float32", "float64"),
    "maximum": INTEGER,
    "minimum": INTEGER,
    "bitwise_and": ("bool",) + INTEGER,
    "bitwise_xor": ("bool",) + INTEGER,
    "logical_or": ("bool",),
    "equal": ALL,
    "not_equal": ALL,
    "less": REAL,
    "greater_equal": REAL,
    "copysign": ("float32", "float64"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@QUICK
@given(st.data())
def test_binary_function(name, data):
    shapes = data.draw(PAIRS)
    first = data.draw(arrays(shapes.input_shapes[0], FUNCTIONS[name]))
    second = data.draw(arrays(shapes.input_shapes[1], (str(first.dtype),)))
    out = function(name)(given_to(first), given_to(second))
    assert out.shape == shapes.result_shape
    alike(out, quietly(getattr(numpy, name), first, second))


@pytest.mark.parametrize("name", ("add", "subtract", "multiply", "equal", "less", "maximum"))
@QUICK
@given(st.data())
def test_binary_function_of_different_dtypes(name, data):
    shapes = data.draw(PAIRS)
    kinds = data.draw(
        st.sampled_from(
            [("int8", "int16", "int32", "int64"), ("uint8", "int16", "uint16", "int32"), ("float32", "float64")]
        )
    )
    first, second = (data.draw(arrays(shape, kinds, whole=True)) for shape in shapes.input_shapes)
    alike(function(name)(given_to(first), given_to(second)), quietly(getattr(numpy, name), first, second))


@QUICK
@given(st.data())
def test_binary_function_with_a_scalar(data):
    first = data.draw(arrays(SHAPES, ("int8", "uint16", "int64", "float32", "float64", "complex64")))
    scalar = data.draw(elements(str(first.dtype), whole=True))
    name = data.draw(st.sampled_from(("add", "subtract", "multiply", "equal")))
    alike(function(name)(given_to(first), scalar), quietly(getattr(numpy, name), first, scalar))
    alike(function(name)(scalar, given_to(first)), quietly(getattr(numpy, name), scalar, first))


@QUICK
@given(st.data())
def test_where(data):
    shapes = data.draw(TRIPLES).input_shapes
    condition = data.draw(arrays(shapes[0], ("bool",)))
    first = data.draw(arrays(shapes[1]))
    second = data.draw(arrays(shapes[2], (str(first.dtype),)))
    alike(xp.where(*map(given_to, (condition, first, second))), numpy.where(condition, first, second))


@QUICK
@given(st.data())
def test_broadcast_arrays_and_shapes(data):
    shapes = data.draw(TRIPLES)
    plain = [data.draw(arrays(shape)) for shape in shapes.input_shapes]
    assert xp.broadcast_shapes(*shapes.input_shapes) == shapes.result_shape
    for x, before in zip(xp.broadcast_arrays(*map(given_to, plain)), plain, strict=True):
        alike(x, numpy.broadcast_to(before, shapes.result_shape))


@QUICK
@given(SHAPES, SHAPES)
def test_all_pairs_of_shapes(first, second):
    try:
        want = numpy.broadcast_shapes(first, second)
    except ValueError:
        raises(lambda: xp.broadcast_shapes(first, second), ValueError)
        raises(lambda: xp.add(xp.ones(first), xp.ones(second)))
    else:
        assert xp.broadcast_shapes(first, second) == want
        assert xp.add(xp.ones(first), xp.ones(second)).shape == want


@QUICK
@given(st.data())
def test_in_place(data):
    shapes = data.draw(PAIRS)
    first = data.draw(arrays(shapes.result_shape, INTEGER + FLOATING[:2]))
    second = data.draw(arrays(shapes.input_shapes[1], (str(first.dtype),)))
    x, y = given_to(first), given_to(second)
    with numpy.errstate(all="ignore"):
        x += y
        first += second
        x *= y
        first *= second
    alike(x, first)
