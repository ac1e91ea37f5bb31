# SPDX-License-Identifier: Apache-2.0
"""Statistical functions, and all, any, diff, count_nonzero."""

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
    SIGNED,
    dt,
    expect,
    function,
    make,
    raises,
    reduced,
    sample,
    values,
    xp,
)

AXES = (None, 0, 1, 2, -1, -3, (0, 2), (-1, 0), (0, 1, 2), (1,), ())


def summed(dtype):
    """The dtype of the sum or the product of an array of a dtype."""
    return dtype if dtype in FLOATING else "int64" if dtype in SIGNED else "uint64"


def variance(group, correction=0):
    mean = sum(group) / len(group)
    return sum((v - mean) ** 2 for v in group) / (len(group) - correction)


FOLDS = {
    "sum": sum,
    "prod": math.prod,
    "max": max,
    "min": min,
    "mean": lambda group: sum(group) / len(group),
    "var": variance,
    "std": lambda group: math.sqrt(variance(group)),
    "all": all,
    "any": any,
    "count_nonzero": lambda group: sum(1 for v in group if v),
}
DTYPES = {
    "sum": NUMERIC,
    "prod": NUMERIC,
    "max": REAL,
    "min": REAL,
    "mean": FLOATING,
    "var": REAL_FLOATING,
    "std": REAL_FLOATING,
    "all": ALL,
    "any": ALL,
    "count_nonzero": ALL,
}
RESULT = {
    "sum": summed,
    "prod": summed,
    "all": lambda _: "bool",
    "any": lambda _: "bool",
    "count_nonzero": lambda _: "int64",
}
CASES = [(name, dtype) for name in FOLDS for dtype in DTYPES[name]]


def operand(dtype, shape):
    """Small numbers, zeros among them, whose sums and products are exact in every dtype."""
    size = math.prod(shape)
    flat = [(1, 2, 0, 1, 2, 1, 1)[i % 7] for i in range(size)]
    return xp.reshape(make([bool(v) for v in flat] if dtype == "bool" else flat, dtype), shape)


@pytest.mark.parametrize("keepdims", (False, True))
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", FOLDS)
def test_axes(name, axis, keepdims):
    dtype = "bool" if name in ("all", "any") else "float64"
    x = operand(dtype, (2, 3, 4))
    shape, want = reduced(x, axis, keepdims, FOLDS[name])
    out = function(name)(x, axis=axis, keepdims=keepdims)
    expect(out, shape, RESULT.get(name, lambda d: d)(dtype), want, ulps=4)


@pytest.mark.parametrize("name, dtype", CASES)
def test_every_dtype(name, dtype):
    x = operand(dtype, (3, 5))
    for axis in (None, 0, 1):
        shape, want = reduced(x, axis, False, FOLDS[name])
        result = RESULT.get(name, lambda d: d)(dtype)
        expect(
            function(name)(x, axis=axis),
            shape,
            result,
            want if dtype not in COMPLEX or name != "mean" else None,
            ulps=8,
        )
        if dtype in COMPLEX and name == "mean":
            assert all(abs(a - b) < 1e-6 for a, b in zip(values(xp.mean(x, axis=axis)), want, strict=True))


@pytest.mark.parametrize("name, dtype", CASES)
def test_arrays_without_axes(name, dtype):
    x = make(1, dtype)
    result = RESULT.get(name, lambda d: d)(dtype)
    expect(function(name)(x), (), result)
    assert values(function(name)(x)) == [0 if name in ("var", "std") else 1]


@pytest.mark.parametrize("axis", (3, -4, (0, 3), (0, 0), (0, -3)), ids=str)
@pytest.mark.parametrize("name", FOLDS)
def test_invalid_axes(name, axis):
    raises(lambda: function(name)(xp.ones((2, 3, 4)), axis=axis))


# ---- special cases


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("name", ("sum", "prod", "mean", "max", "min", "var", "std"))
def test_nan_propagates(name, dtype):
    if dtype not in DTYPES[name]:
        pytest.skip("of real dtypes alone")
    for count in (1, 2, 17, 100):
        for at in (0, count // 2, count - 1):
            numbers = [1.5] * count
            numbers[at] = nan
            got = complex(values(function(name)(make(numbers, dtype)))[0])
            assert math.isnan(got.real), (count, at)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_max_and_min_of_infinities(dtype):
    x = make([1.0, inf, -inf, 2.0], dtype)
    expect(xp.max(x), (), dtype, inf)
    expect(xp.min(x), (), dtype, -inf)
    expect(xp.max(make([inf, nan, -inf], dtype)), (), dtype, nan)
    expect(xp.min(make([[inf, nan], [-inf, 0.0]], dtype), axis=1), (2,), dtype, [nan, -inf])


@pytest.mark.parametrize("dtype", INTEGER)
def test_max_and_min_at_the_ends(dtype):
    x = make([LOWEST[dtype], HIGHEST[dtype], 0, 1], dtype)
    expect(xp.max(x), (), dtype, HIGHEST[dtype])
    expect(xp.min(x), (), dtype, LOWEST[dtype])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_sums_of_special_values(dtype):
    expect(xp.sum(make([inf, 1.0], dtype)), (), dtype, inf)
    expect(xp.sum(make([inf, -inf], dtype)), (), dtype, nan)
    expect(xp.sum(make([-inf, 1.0], dtype)), (), dtype, -inf)
    expect(xp.prod(make([inf, 0.0], dtype)), (), dtype, nan)
    expect(xp.prod(make([inf, -2.0], dtype)), (), dtype, -inf)
    expect(xp.prod(make([-0.0, 2.0], dtype)), (), dtype, -0.0)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_sums_and_products_of_nothing(dtype):
    for shape, axis in (((0,), None), ((2, 0), 1), ((0, 3), 0), ((2, 0, 3), (0, 1))):
        x = xp.zeros(shape, dtype=dt(dtype))
        assert set(values(xp.sum(x, axis=axis))) <= {0}
        assert set(values(xp.prod(x, axis=axis))) <= {1}
        assert xp.sum(x, axis=axis).dtype == xp.prod(x, axis=axis).dtype == dt(summed(dtype))
    assert values(xp.sum(xp.zeros((0,), dtype=dt(dtype)))) == [0]
    assert values(xp.prod(xp.zeros((2, 0), dtype=dt(dtype)), axis=1)) == [1, 1]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_means_of_nothing(dtype):
    for name in ("mean", "var", "std"):
        expect(function(name)(xp.zeros((0,), dtype=dt(dtype))), (), dtype, nan)
        expect(function(name)(xp.zeros((2, 0), dtype=dt(dtype)), axis=1), (2,), dtype, [nan, nan])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_mean_of_nothing(dtype):
    got = complex(xp.mean(xp.zeros((0,), dtype=dt(dtype))))
    assert math.isnan(got.real) and math.isnan(got.imag)


@pytest.mark.parametrize("correction", (3, 4, 3.5))
@pytest.mark.parametrize("name", ("var", "std"))
def test_corrections_that_leave_nothing(name, correction):
    expect(function(name)(make([1.0, 2.0, 4.0]), correction=correction), (), "float64", nan)


@pytest.mark.parametrize("correction", (0, 1, 2, 0.5, 1.5, -1))
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_correction(dtype, correction):
    x = make([1.0, 2.0, 4.0, 9.0], dtype)
    want = variance([1.0, 2.0, 4.0, 9.0], correction)
    expect(xp.var(x, correction=correction), (), dtype, want, ulps=4)
    expect(xp.std(x, correction=correction), (), dtype, math.sqrt(want), ulps=4)
    y = make([[1.0, 2.0, 4.0, 9.0]] * 2, dtype)
    expect(xp.var(y, axis=1, correction=correction, keepdims=True), (2, 1), dtype, [[want]] * 2, ulps=4)


@pytest.mark.parametrize("dtype", INTEGER)
@pytest.mark.parametrize("name", ("mean", "var", "std"))
def test_means_of_integers_are_of_the_default_dtype(name, dtype):
    expect(function(name)(make([1, 2, 4], dtype)), (), "float64", FOLDS[name]([1, 2, 4]), ulps=4)


# ---- sums and dtypes


@pytest.mark.parametrize("dtype", INTEGER)
def test_sums_do_not_overflow_small_integers(dtype):
    high = HIGHEST[dtype] if dtype not in ("int64", "uint64") else 1000
    expect(xp.sum(make([high] * 5, dtype)), (), summed(dtype), 5 * high)
    expect(xp.prod(make([high, 2], dtype)), (), summed(dtype), 2 * high)
    expect(xp.cumulative_sum(make([high] * 3, dtype)), (3,), summed(dtype), [high, 2 * high, 3 * high])
    expect(xp.cumulative_prod(make([high, 2], dtype)), (2,), summed(dtype), [high, 2 * high])


@pytest.mark.parametrize("to", NUMERIC)
@pytest.mark.parametrize("name", ("sum", "prod"))
def test_reductions_with_a_dtype(name, to):
    for dtype in ("int8", "uint16", "int64") + ((to,) if to in FLOATING else ()):
        out = function(name)(make([1, 2, 3], dtype), dtype=dt(to))
        expect(out, (), to)
        assert values(out) == [6]


def test_dtype_is_that_of_the_calculation():
    expect(xp.sum(make([200, 100], "uint8"), dtype=dt("float32")), (), "float32", 300.0)
    expect(xp.prod(make([100, 100], "int8"), dtype=dt("int32")), (), "int32", 10000)


@pytest.mark.parametrize("axis", (0, 1, 2, -1, -3))
@pytest.mark.parametrize("name", ("cumulative_sum", "cumulative_prod"))
def test_cumulative(name, axis):
    x = operand("float64", (2, 3, 4))
    step = (lambda a, b: a + b) if name == "cumulative_sum" else (lambda a, b: a * b)
    parts = [xp.take(x, make([i]), axis=axis) for i in range(x.shape[axis])]
    sums = [parts[0]]
    for part in parts[1:]:
        sums.append(step(sums[-1], part))
    want = xp.concat(sums, axis=axis)
    out = function(name)(x, axis=axis)
    expect(out, x.shape, "float64", None)
    assert values(out) == values(want)
    start = xp.zeros_like(parts[0]) if name == "cumulative_sum" else xp.ones_like(parts[0])
    longer = function(name)(x, axis=axis, include_initial=True)
    assert longer.shape == xp.concat([start, want], axis=axis).shape
    assert values(longer) == values(xp.concat([start, want], axis=axis))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_cumulative_of_every_dtype(dtype):
    x = make([1, 2, 3], dtype)
    for call, want in ((xp.cumulative_sum, [1, 3, 6]), (xp.cumulative_prod, [1, 2, 6])):
        expect(call(x), (3,), summed(dtype))
        assert values(call(x)) == want
        start = 0 if want[1] == 3 else 1
        assert values(call(x, include_initial=True)) == [start, *want]
        expect(call(x, dtype=dt("complex128")), (3,), "complex128")
    expect(xp.cumulative_sum(xp.zeros((0,), dtype=dt(dtype))), (0,), summed(dtype))
    expect(xp.cumulative_sum(xp.zeros((0,), dtype=dt(dtype)), include_initial=True), (1,), summed(dtype))
    assert values(xp.cumulative_prod(xp.zeros((0,), dtype=dt(dtype)), include_initial=True)) == [1]


def test_cumulative_of_special_values():
    expect(xp.cumulative_sum(make([1.0, inf, -inf, 1.0])), (4,), "float64", [1.0, inf, nan, nan])
    expect(xp.cumulative_prod(make([2.0, inf, 0.0, 1.0])), (4,), "float64", [2.0, inf, nan, nan])
    expect(xp.cumulative_prod(make([2.0, -0.0, 3.0])), (3,), "float64", [2.0, -0.0, -0.0])


@pytest.mark.parametrize("name", ("cumulative_sum", "cumulative_prod"))
def test_cumulative_needs_an_axis(name):
    raises(lambda: function(name)(xp.ones((2, 3))))
    raises(lambda: function(name)(xp.ones((2, 3)), axis=2))
    raises(lambda: function(name)(xp.ones((2, 3)), axis=-3))


# ---- all, any, count_nonzero


@pytest.mark.parametrize("dtype", FLOATING)
def test_truth_of_special_values(dtype):
    special = [nan, inf, -inf, 0.5]
    expect(xp.all(make(special, dtype)), (), "bool", True)
    for value in special:
        expect(xp.any(make([0.0, value], dtype)), (), "bool", True)
    expect(xp.any(make([0.0, -0.0], dtype)), (), "bool", False)
    expect(xp.count_nonzero(make(special + [0.0, -0.0], dtype)), (), "int64", 4)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_truth_of_complex_numbers(dtype):
    expect(xp.all(make([1j, 1, complex(0, nan)], dtype)), (), "bool", True)
    expect(xp.any(make([0j, complex(-0.0, -0.0)], dtype)), (), "bool", False)
    expect(xp.count_nonzero(make([0j, 1j, 1, complex(-0.0, 0.0)], dtype)), (), "int64", 2)


@pytest.mark.parametrize("dtype", ALL)
def test_truth_of_nothing(dtype):
    for shape, axis in (((0,), None), ((2, 0), 1), ((0, 3), 0)):
        x = xp.zeros(shape, dtype=dt(dtype))
        assert set(values(xp.all(x, axis=axis))) == {True}
        assert set(values(xp.any(x, axis=axis))) == {False}
        assert set(values(xp.count_nonzero(x, axis=axis))) == {0}
    expect(xp.all(xp.zeros((0, 3), dtype=dt(dtype)), axis=1), (0,), "bool", [])


# ---- diff


@pytest.mark.parametrize("dtype", SIGNED + FLOATING)
def test_diff(dtype):
    x = make([1, 4, 9, 16, 2], dtype)
    expect(xp.diff(x), (4,), dtype)
    assert values(xp.diff(x)) == [3, 5, 7, -14]
    assert values(xp.diff(x, n=2)) == [2, 2, -21]
    assert values(xp.diff(x, n=0)) == [1, 4, 9, 16, 2]
    assert values(xp.diff(x, n=4)) == [-23 - 0]
    assert values(xp.diff(x, prepend=make([0, 0], dtype), append=make([3], dtype))) == [0, 1, 3, 5, 7, -14, 1]


@pytest.mark.parametrize(
    "axis, shape, want",
    [(0, (1, 3), [3, 3, 3]), (1, (2, 2), [1, 1, 1, 1]), (-1, (2, 2), [1] * 4), (-2, (1, 3), [3] * 3)],
)
def test_diff_along_axes(axis, shape, want):
    expect(xp.diff(sample((2, 3), "int64"), axis=axis), shape, "int64")
    assert values(xp.diff(sample((2, 3), "int64"), axis=axis)) == want


def test_diff_with_more_values_along_an_axis():
    x = sample((2, 2), "int64")
    expect(xp.diff(x, axis=0, prepend=make([[5, 5]])), (2, 2), "int64", [[-5, -4], [2, 2]])
    expect(xp.diff(x, axis=1, append=make([[7, 9], [9, 9]])), (2, 3), "int64", [[1, 6, 2], [1, 6, 0]])


def test_diff_along_an_invalid_axis():
    raises(lambda: xp.diff(xp.ones((2, 3)), axis=2))
    raises(lambda: xp.diff(xp.ones((2, 3)), axis=-3))


def test_exactness_of_float_sums():
    """Sums whose partial sums are all exact do not depend on the order."""
    x = [float((i * 37) % 1001) for i in range(1000)]
    expect(xp.sum(make(x)), (), "float64", math.fsum(x))
    expect(xp.mean(make(x)), (), "float64", math.fsum(x) / 1000)
