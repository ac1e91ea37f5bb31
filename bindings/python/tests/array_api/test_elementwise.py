# SPDX-License-Identifier: Apache-2.0
"""The elementwise functions, dtype by dtype: dtypes of results, values by Python, promotion, broadcasting."""

import cmath
import math
import operator
from math import inf

import pytest

from .standard import (
    BITS,
    COMPLEX,
    COMPLEX_OF,
    FLOATING,
    HIGHEST,
    INTEGER,
    LOWEST,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    REAL_OF,
    SIGNED,
    dt,
    expect,
    function,
    make,
    promoted,
    raises,
    sample,
    values,
    xp,
)

# ---- one operand

KEEPING = {  # dtypes for which the result has the dtype of the operand
    "abs": REAL,
    "bitwise_invert": ("bool",) + INTEGER,
    "ceil": REAL,
    "conj": NUMERIC,
    "floor": REAL,
    "negative": SIGNED + FLOATING,
    "positive": NUMERIC,
    "real": REAL,
    "round": NUMERIC,
    "sign": NUMERIC,
    "square": NUMERIC,
    "trunc": REAL,
}
for _name in (
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 reciprocal sin sinh sqrt tan tanh"
).split():
    KEEPING[_name] = FLOATING
TESTING = {"isfinite": NUMERIC, "isinf": NUMERIC, "isnan": NUMERIC, "signbit": REAL_FLOATING, "logical_not": ("bool",)}


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("name, dtype", [(n, d) for n, dtypes in KEEPING.items() for d in dtypes])
def test_unary_dtype_and_shape(name, dtype, shape):
    expect(function(name)(xp.ones(shape, dtype=dt(dtype))), shape, dtype)


@pytest.mark.parametrize("name, dtype", [(n, d) for n, dtypes in TESTING.items() for d in dtypes])
def test_unary_test_gives_bool(name, dtype):
    expect(function(name)(xp.ones((2, 3), dtype=dt(dtype))), (2, 3), "bool", [name == "isfinite"] * 6)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ("abs", "real", "imag"))
def test_parts_of_complex_are_real(name, dtype):
    want = {"abs": [5.0, 13.0], "real": [3.0, -5.0], "imag": [-4.0, 12.0]}[name]
    expect(function(name)(make([3 - 4j, -5 + 12j], dtype)), (2,), REAL_OF[dtype], want, ulps=1)


REAL_POINTS = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, -0.1, -0.5, -0.875]
POINTS = {
    "acosh": [1.0, 1.25, 2.0, 10.0, 1e10],
    "exp": REAL_POINTS + [1.0, -3.5, 10.0, 20.25],
    "expm1": REAL_POINTS + [1e-6, -1e-6, 1.0, -3.5, 10.0],
    "log": [0.1, 0.5, 1.5, 2.0, 10.0, 12345.0],
    "log10": [0.1, 0.5, 1.5, 2.0, 1000.0, 12345.0],
    "log2": [0.125, 0.5, 1.5, 2.0, 1024.0, 12345.0],
    "log1p": REAL_POINTS + [1e-6, 10.0, 12345.0],
    "sqrt": [0.25, 0.5, 2.0, 3.0, 16.0, 12345.0],
    "sin": REAL_POINTS + [1.0, 3.0, -7.0, 100.0],
    "cos": REAL_POINTS + [1.0, 3.0, -7.0, 100.0],
    "tan": REAL_POINTS + [1.0, 3.0, -7.0, 100.0],
    "sinh": REAL_POINTS + [1.0, 3.0, -7.0, 20.0],
    "cosh": REAL_POINTS + [1.0, 3.0, -7.0, 20.0],
    "tanh": REAL_POINTS + [1.0, 3.0, -7.0, 20.0],
    "asinh": REAL_POINTS + [1.0, 3.0, -7.0, 1e10],
    "atan": REAL_POINTS + [1.0, 3.0, -7.0, 1e10],
}
REFEREES = {"log1p": math.log1p, "expm1": math.expm1, "log2": math.log2}


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", "acos asin atanh".split() + list(POINTS))
def test_real_function_by_math(name, dtype):
    x = make(POINTS.get(name, REAL_POINTS), dtype)
    expect(function(name)(x), x.shape, dtype, [getattr(math, name)(v) for v in values(x)], ulps=4)


COMPLEX_POINTS = [complex(a, b) for a in (0.5, -0.75, 1.5, -2.25) for b in (0.25, -0.5, 1.75, -3.0)]
COMPLEX_REFEREES = {
    "expm1": lambda z: cmath.exp(z) - 1,
    "log1p": lambda z: cmath.log(1 + z),
    "log2": lambda z: cmath.log(z) / math.log(2),
    "log10": cmath.log10,
    "square": lambda z: z * z,
    "reciprocal": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
}


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize(
    "name",
    (
        "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 "
        "reciprocal sign sin sinh sqrt square tan tanh"
    ).split(),
)
def test_complex_function_by_cmath(name, dtype):
    referee = COMPLEX_REFEREES.get(name) or getattr(cmath, name)
    expect(function(name)(make(COMPLEX_POINTS, dtype)), None, dtype, [referee(z) for z in COMPLEX_POINTS], ulps=16)


CUTS = {  # on the branch cuts: continuous from the side that the sign of the zero says
    "acos": [complex(a, b) for a in (2.0, -2.0) for b in (0.0, -0.0)],
    "acosh": [complex(a, b) for a in (0.5, -2.0) for b in (0.0, -0.0)],
    "asin": [complex(a, b) for a in (2.0, -2.0) for b in (0.0, -0.0)],
    "asinh": [complex(a, b) for a in (0.0, -0.0) for b in (2.0, -2.0)],
    "atan": [complex(a, b) for a in (0.0, -0.0) for b in (2.0, -2.0)],
    "atanh": [complex(a, b) for a in (2.0, -2.0) for b in (0.0, -0.0)],
    "log": [complex(-2.0, 0.0), complex(-2.0, -0.0)],
    "sqrt": [complex(-2.0, 0.0), complex(-2.0, -0.0)],
}


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", CUTS)
def test_branch_cut(name, dtype):
    referee = getattr(cmath, name)
    out = values(function(name)(make(CUTS[name], dtype)))
    for z, got in zip(CUTS[name], out, strict=True):
        want = referee(z)
        assert abs(got - want) < 1e-6 * abs(want), (z, got, want)
        assert math.copysign(1, got.imag) == math.copysign(1, want.imag), (z, got, want)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_abs_of_complex_neither_overflows_nor_underflows(dtype):
    big = 2.0**120 if dtype == "complex64" else 2.0**1000
    expect(
        xp.abs(make([complex(3 * big, 4 * big), complex(3 / big, -4 / big)], dtype)),
        (2,),
        REAL_OF[dtype],
        [5 * big, 5 / big],
        ulps=1,
    )


@pytest.mark.parametrize("dtype", INTEGER)
@pytest.mark.parametrize("name", ("abs", "ceil", "floor", "round", "trunc", "positive", "sign", "real", "conj"))
def test_integers_at_their_ends(name, dtype):
    operands = [HIGHEST[dtype], HIGHEST[dtype] - 1, 0, 1, LOWEST[dtype] + 1]
    want = {"abs": abs, "sign": lambda v: (v > 0) - (v < 0)}.get(name, int)
    expect(function(name)(make(operands, dtype)), (5,), dtype, [want(v) for v in operands])


@pytest.mark.parametrize("dtype", INTEGER)
def test_isfinite_of_integers(dtype):
    x = make([LOWEST[dtype], 0, HIGHEST[dtype]], dtype)
    expect(xp.isfinite(x), (3,), "bool", [True] * 3)
    expect(xp.isinf(x), (3,), "bool", [False] * 3)
    expect(xp.isnan(x), (3,), "bool", [False] * 3)


@pytest.mark.parametrize("dtype", INTEGER)
def test_bitwise_invert(dtype):
    operands = [0, 1, 100, HIGHEST[dtype], LOWEST[dtype]]
    want = [~v if dtype in SIGNED else HIGHEST[dtype] - v for v in operands]
    expect(xp.bitwise_invert(make(operands, dtype)), (5,), dtype, want)


def test_bitwise_invert_of_bool():
    expect(xp.bitwise_invert(make([True, False])), (2,), "bool", [False, True])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_rounding(dtype):
    x = make([0.5, 1.5, -0.5, -2.5, 2.5000002, 1e6 + 0.5, -7.75], dtype)
    expect(xp.round(x), (7,), dtype, [0.0, 2.0, -0.0, -2.0, 3.0, 1e6, -8.0])
    expect(xp.floor(x), (7,), dtype, [0.0, 1.0, -1.0, -3.0, 2.0, 1e6, -8.0])
    expect(xp.ceil(x), (7,), dtype, [1.0, 2.0, -0.0, -2.0, 3.0, 1e6 + 1, -7.0])
    expect(xp.trunc(x), (7,), dtype, [0.0, 1.0, -0.0, -2.0, 2.0, 1e6, -7.0])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_rounding_of_complex(dtype):
    expect(xp.round(make([0.5 + 1.5j, -2.5 - 0.5j], dtype)), (2,), dtype, [complex(0.0, 2.0), complex(-2.0, -0.0)])


# ---- two operands

BINARY = {
    "add": NUMERIC,
    "atan2": REAL_FLOATING,
    "bitwise_and": ("bool",) + INTEGER,
    "bitwise_left_shift": INTEGER,
    "bitwise_or": ("bool",) + INTEGER,
    "bitwise_right_shift": INTEGER,
    "bitwise_xor": ("bool",) + INTEGER,
    "copysign": REAL_FLOATING,
    "divide": FLOATING,
    "floor_divide": REAL,
    "hypot": REAL_FLOATING,
    "logaddexp": REAL_FLOATING,
    "maximum": REAL,
    "minimum": REAL,
    "multiply": NUMERIC,
    "nextafter": REAL_FLOATING,
    "pow": NUMERIC,
    "remainder": REAL,
    "subtract": NUMERIC,
}
COMPARING = {
    "equal": ("bool",) + NUMERIC,
    "greater": REAL,
    "greater_equal": REAL,
    "less": REAL,
    "less_equal": REAL,
    "logical_and": ("bool",),
    "logical_or": ("bool",),
    "logical_xor": ("bool",),
    "not_equal": ("bool",) + NUMERIC,
}
PROMOTING = [
    (name, a, b)
    for table in (BINARY, COMPARING)
    for name, dtypes in table.items()
    for a in dtypes
    for b in dtypes
    if promoted(a, b) and (name != "nextafter" or a == b)
]
BY_NAME = sorted({(name, a) for name, a, b in PROMOTING})


@pytest.mark.parametrize("name, first", BY_NAME)
def test_promotion(name, first):
    call = function(name)
    for second in [b for n, a, b in PROMOTING if (n, a) == (name, first)]:
        want = "bool" if name in COMPARING else promoted(first, second)
        for left, right in (((2, 3), (2, 3)), ((), (2, 3)), ((3,), ()), ((), ())):
            x, y = xp.ones(left, dtype=dt(first)), xp.ones(right, dtype=dt(second))
            out = call(x, y)
            assert out.dtype == dt(want), (second, left, right, out.dtype)
            assert out.shape == (left or right), (second, left, right, out.shape)


SCALARS = {
    "bool": [True],
    **{d: [1] for d in INTEGER},
    **{d: [1, 1.5] for d in REAL_FLOATING},
    **{d: [1, 1.5, 1j] for d in COMPLEX},
}


@pytest.mark.parametrize("name, dtype", [(n, d) for n, ds in {**BINARY, **COMPARING}.items() for d in ds])
def test_scalars_take_the_dtype_of_the_array(name, dtype):
    call, want = function(name), "bool" if name in COMPARING else dtype
    for scalar in SCALARS[dtype]:
        for x in (xp.ones((3,), dtype=dt(dtype)), xp.ones((), dtype=dt(dtype))):
            expect(call(x, scalar), x.shape, want)
            expect(call(scalar, x), x.shape, want)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ("add", "subtract", "multiply", "divide", "pow"))
def test_complex_scalars_make_real_arrays_complex(name, dtype):
    x = xp.ones((3,), dtype=dt(dtype))
    expect(function(name)(x, 1j), (3,), COMPLEX_OF[dtype])
    expect(function(name)(1j, x), (3,), COMPLEX_OF[dtype])


EXACT = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "maximum": max,
    "minimum": min,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "pow": operator.pow,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
}


@pytest.mark.parametrize("dtype", INTEGER)
@pytest.mark.parametrize("name", EXACT)
def test_integers_are_exact(name, dtype):
    """All results that the dtype can hold, operands at the ends of the dtype included."""
    ends = [
        LOWEST[dtype],
        LOWEST[dtype] + 1,
        HIGHEST[dtype],
        HIGHEST[dtype] - 1,
        HIGHEST[dtype] // 2 + 1,
        0,
        1,
        2,
        3,
        5,
        7,
        100,
    ]
    operands = ends + ([-1, -2, -3, -7, -100] if dtype in SIGNED else [])
    small = range(BITS[dtype]) if "shift" in name else range(64) if name == "pow" else operands
    if name in ("floor_divide", "remainder"):
        small = [v for v in operands if v]
    rows = [(a, b, EXACT[name](a, b)) for a in operands for b in small if abs(b) <= 127 or name != "pow"]
    rows = [row for row in rows if isinstance(row[2], bool) or LOWEST[dtype] <= row[2] <= HIGHEST[dtype]]
    out = function(name)(make([row[0] for row in rows], dtype), make([row[1] for row in rows], dtype))
    wrong = [(row, got) for row, got in zip(rows, values(out), strict=True) if got != row[2]]
    assert not wrong, wrong[:8]


@pytest.mark.parametrize(
    "name", ("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor")
)
def test_bools(name):
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    rule = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: a != b}[name.split("_")[1]]
    out = function(name)(make([a for a, _ in pairs]), make([b for _, b in pairs]))
    expect(out, (4,), "bool", [rule(a, b) for a, b in pairs])


def test_logical_not():
    expect(xp.logical_not(make([True, False])), (2,), "bool", [False, True])


@pytest.mark.parametrize(
    "first, second", [("int8", "uint8"), ("int16", "uint16"), ("int32", "uint8"), ("int64", "uint32")]
)
def test_mixed_integers_lose_nothing(first, second):
    want = promoted(first, second)
    low, high = LOWEST[first], HIGHEST[first]
    x, y = make([low, 0, high], first), make([HIGHEST[second]] * 3, second)
    expect(xp.add(x, y)[:2], (2,), want, [low + HIGHEST[second], HIGHEST[second]])
    expect(xp.less(x, y), (3,), "bool", [True, True, high < HIGHEST[second]])
    expect(xp.maximum(x, y), (3,), want, [HIGHEST[second], HIGHEST[second], max(high, HIGHEST[second])])


REAL_PAIRS = [(a, b) for a in (0.1, 0.75, 2.5, 7.0, -0.3, -4.25) for b in (0.2, 1.5, 3.0, -0.7, -2.0)]
REAL_REFEREES = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "copysign": math.copysign,
    "maximum": max,
    "minimum": min,
    "logaddexp": lambda a, b: max(a, b) + math.log1p(math.exp(-abs(a - b))),
}


@pytest.mark.parametrize("name", REAL_REFEREES)
def test_real_pairs_by_math(name):
    for dtype in REAL_FLOATING:
        x, y = make([a for a, _ in REAL_PAIRS], dtype), make([b for _, b in REAL_PAIRS], dtype)
        want = [REAL_REFEREES[name](a, b) for a, b in zip(values(x), values(y), strict=True)]
        expect(function(name)(x, y), None, dtype, want, ulps=4)


@pytest.mark.parametrize("name", ("add", "subtract", "multiply", "divide"))
def test_float64_arithmetic_is_correctly_rounded(name):
    x, y = make([a for a, _ in REAL_PAIRS], "float64"), make([b for _, b in REAL_PAIRS], "float64")
    expect(function(name)(x, y), None, "float64", [REAL_REFEREES[name](a, b) for a, b in REAL_PAIRS])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_sqrt_is_correctly_rounded(dtype):
    x = make([2.0, 3.0, 5.0, 0.1, 1e10, 7e-12, 123456789.0], dtype)
    want = make([math.sqrt(v) for v in values(x)], dtype)  # rounded once more for float32, which is the same
    expect(xp.sqrt(x), None, dtype, values(want))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_pow_by_math(dtype):
    x, y = make([0.5, 2.0, 3.5, 10.0, -2.0, -3.0], dtype), make([3.0, -2.0, 0.5, 2.5, 3.0, -2.0], dtype)
    expect(xp.pow(x, y), None, dtype, [math.pow(a, b) for a, b in zip(values(x), values(y), strict=True)], ulps=4)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ("add", "subtract", "multiply", "divide", "pow"))
def test_complex_pairs(name, dtype):
    rule = {"divide": operator.truediv, "pow": lambda a, b: cmath.exp(b * cmath.log(a))}.get(name) or EXACT[name]
    pairs = [(a, b) for a in COMPLEX_POINTS[:8] for b in COMPLEX_POINTS[4:12]]
    out = function(name)(make([a for a, _ in pairs], dtype), make([b for _, b in pairs], dtype))
    expect(out, None, dtype, [rule(a, b) for a, b in pairs], ulps=32)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_nextafter(dtype):
    eps = {"float32": 2.0**-23, "float64": 2.0**-52}[dtype]
    tiny = {"float32": 2.0**-149, "float64": 2.0**-1074}[dtype]
    x, y = make([1.0, 1.0, 0.0, -0.0, 2.0, inf], dtype), make([2.0, 0.0, 1.0, -1.0, inf, 0.0], dtype)
    largest = (2 - eps) * 2.0 ** (127 if dtype == "float32" else 1023)
    expect(xp.nextafter(x, y), (6,), dtype, [1 + eps, 1 - eps / 2, tiny, -tiny, 2 + 2 * eps, largest])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_logaddexp_does_not_overflow(dtype):
    expect(
        xp.logaddexp(make([1000.0, -1000.0], dtype), make([1000.0, -1000.0], dtype)),
        (2,),
        dtype,
        [1000 + math.log(2), -1000 + math.log(2)],
        ulps=2,
    )


@pytest.mark.parametrize("dtype", ("float64", "complex128"))
def test_functions_near_zero_are_accurate(dtype):
    for name in ("expm1", "log1p", "sinh", "tanh", "asinh", "atanh", "sin", "tan", "asin", "atan"):
        expect(function(name)(make([1e-18, -1e-18], dtype)), (2,), dtype, [1e-18, -1e-18], ulps=4)


# ---- clip


@pytest.mark.parametrize("dtype", REAL)
def test_clip(dtype):
    x = make([0, 1, 5, 9, 100], dtype)
    expect(xp.clip(x, 1, 9), (5,), dtype, [float(v) if dtype in FLOATING else v for v in (1, 1, 5, 9, 9)])
    expect(
        xp.clip(x, make(2, dtype), make([3, 4, 5, 6, 7], dtype)),
        (5,),
        dtype,
        [float(v) if dtype in FLOATING else v for v in (2, 2, 5, 6, 7)],
    )


@pytest.mark.parametrize("dtype", REAL)
def test_clip_with_one_bound_or_none(dtype):
    x = make([0, 5, 100], dtype)
    as_is = float if dtype in FLOATING else int
    expect(xp.clip(x, None, 9), (3,), dtype, [as_is(v) for v in (0, 5, 9)])
    expect(xp.clip(x, 2, None), (3,), dtype, [as_is(v) for v in (2, 5, 100)])
    expect(xp.clip(x, None, None), (3,), dtype, [as_is(v) for v in (0, 5, 100)])
    expect(xp.clip(x), (3,), dtype, [as_is(v) for v in (0, 5, 100)])


def test_clip_broadcasts():
    x = make([[0, 10], [20, 30]], "int64")
    expect(xp.clip(x, make([5, 12], "int64"), make([[15], [25]], "int64")), (2, 2), "int64", [[5, 12], [20, 25]])


# ---- broadcasting

SHAPES = [
    ((8, 1, 6, 1), (7, 1, 5), (8, 7, 6, 5)),
    ((5, 4), (1,), (5, 4)),
    ((5, 4), (4,), (5, 4)),
    ((15, 3, 5), (15, 1, 5), (15, 3, 5)),
    ((15, 3, 5), (3, 5), (15, 3, 5)),
    ((15, 3, 5), (3, 1), (15, 3, 5)),
    ((), (2, 3), (2, 3)),
    ((0,), (1,), (0,)),
    ((0, 3), (1, 3), (0, 3)),
    ((1,), (), (1,)),
    ((2, 1), (1, 0), (2, 0)),
]


@pytest.mark.parametrize("first, second, want", SHAPES)
def test_broadcasting(first, second, want):
    assert xp.add(xp.ones(first), xp.ones(second)).shape == want
    assert xp.less(xp.ones(second), xp.ones(first)).shape == want
    assert (xp.ones(first) * xp.ones(second)).shape == want
    assert xp.broadcast_shapes(first, second) == want
    assert [x.shape for x in xp.broadcast_arrays(xp.ones(first), xp.ones(second))] == [want, want]


@pytest.mark.parametrize(
    "first, second", [((3,), (4,)), ((2, 1), (8, 4, 3)), ((15, 3, 5), (15, 3)), ((0,), (2,)), ((2, 3), (3, 2))]
)
def test_shapes_that_do_not_broadcast(first, second):
    raises(lambda: xp.add(xp.ones(first), xp.ones(second)))
    raises(lambda: xp.ones(first) < xp.ones(second))
    raises(lambda: xp.broadcast_shapes(first, second), ValueError)
    raises(lambda: xp.broadcast_arrays(xp.ones(first), xp.ones(second)))


@pytest.mark.parametrize("name", sorted({**BINARY, **COMPARING}))
def test_every_binary_function_broadcasts(name):
    dtype = {**BINARY, **COMPARING}[name][-1]
    x, y = xp.ones((2, 1, 3), dtype=dt(dtype)), xp.ones((4, 1), dtype=dt(dtype))
    assert function(name)(x, y).shape == (2, 4, 3)


def test_operands_stay_as_they_are():
    x, y = make([1.5, 2.5], "float64"), make([3.0, 4.0], "float64")
    for name in BINARY:
        if "float64" in BINARY[name]:
            function(name)(x, y)
    for name, dtypes in KEEPING.items():
        if "float64" in dtypes:
            function(name)(x)
    assert (values(x), values(y)) == ([1.5, 2.5], [3.0, 4.0])


@pytest.mark.parametrize(
    "name, dtype", [("bitwise_and", "float64"), ("bitwise_invert", "float32"), ("bitwise_left_shift", "float64")]
)
def test_bits_of_floats(name, dtype):
    x = sample((2,), dtype)
    raises(lambda: function(name)(*([x] if name == "bitwise_invert" else [x, x])))
