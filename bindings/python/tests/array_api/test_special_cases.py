# SPDX-License-Identifier: Apache-2.0
"""The special cases of the elementwise functions, as single elements and within longer arrays."""

from itertools import groupby
from math import inf, nan

import pytest

from . import special_cases as cases
from .standard import COMPLEX, REAL_FLOATING, REAL_OF, dt, function, make, negative, same, values, xp

LONG = 19  # long enough for whole vectors and a rest


def grouped(rows):
    """Rows by the names of their functions."""
    rows = sorted(rows, key=lambda row: row[0])
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: row[0])]


def judge(rows, outs, dtype):
    """Asserts that what was computed for the rows is what they want; says what is not, the first few."""
    wrong = [
        f"{name}({', '.join(map(repr, operands))}) is {got!r}, not {want!r}"
        for (name, *operands, want), got in zip(rows, outs, strict=True)
        if not same(got, want, dtype)
    ]
    if wrong:
        raise AssertionError(f"{dtype}, {len(wrong)} of {len(rows)}: " + "; ".join(wrong[:12]))


def boolean(rows):
    return isinstance(rows[0][-1], bool)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", grouped(cases.unary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_unary_in_an_array(name, rows, dtype):
    out = function(name)(make([row[1] for row in rows], dtype))
    assert out.dtype == (xp.bool if boolean(rows) else dt(dtype))
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", grouped(cases.unary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_unary_of_one_value(name, rows, dtype):
    call = function(name)
    for count in (None, 1, LONG):
        outs = [values(call(make(row[1] if count is None else [row[1]] * count, dtype))) for row in rows]
        judge(rows, [out[0] for out in outs], dtype)
        judge(rows, [out[-1] for out in outs], dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", grouped(cases.binary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_binary_in_an_array(name, rows, dtype):
    out = function(name)(make([row[1] for row in rows], dtype), make([row[2] for row in rows], dtype))
    assert out.dtype == (xp.bool if boolean(rows) else dt(dtype))
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", grouped(cases.binary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_binary_of_arrays_without_axes(name, rows, dtype):
    call = function(name)
    outs = [values(call(make(row[1], dtype), make(row[2], dtype)))[0] for row in rows]
    judge(rows, outs, dtype)


@pytest.mark.parametrize("name, rows", grouped(cases.binary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_binary_with_a_python_number(name, rows):
    call = function(name)
    for dtype in REAL_FLOATING:
        outs = [values(call(make([row[1]] * LONG, dtype), row[2]))[-1] for row in rows]
        judge(rows, outs, dtype)
        outs = [values(call(row[1], make([row[2]] * LONG, dtype)))[-1] for row in rows]
        judge(rows, outs, dtype)


OPERATORS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
}
ROWS_OF_OPERATORS = [group for group in grouped(cases.binary_rows()) if group[0] in OPERATORS]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", ROWS_OF_OPERATORS, ids=lambda v: v if isinstance(v, str) else "")
def test_operator(name, rows, dtype):
    out = OPERATORS[name](make([row[1] for row in rows], dtype), make([row[2] for row in rows], dtype))
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name, rows", ROWS_OF_OPERATORS, ids=lambda v: v if isinstance(v, str) else "")
def test_operator_with_a_python_number(name, rows, dtype):
    call = OPERATORS[name]
    outs = [values(call(make([row[1]], dtype), row[2]))[0] for row in rows]
    judge(rows, outs, dtype)
    outs = [values(call(row[1], make([row[2]], dtype)))[0] for row in rows]
    judge(rows, outs, dtype)


IN_PLACE = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow")


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize(
    "name, rows", [g for g in ROWS_OF_OPERATORS if g[0] in IN_PLACE], ids=lambda v: v if isinstance(v, str) else ""
)
def test_operator_in_place(name, rows, dtype):
    x, y = make([row[1] for row in rows], dtype), make([row[2] for row in rows], dtype)
    if name == "add":
        x += y
    elif name == "subtract":
        x -= y
    elif name == "multiply":
        x *= y
    elif name == "divide":
        x /= y
    elif name == "floor_divide":
        x //= y
    elif name == "remainder":
        x %= y
    else:
        x **= y
    assert x.dtype == dt(dtype)
    judge(rows, values(x), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name, rows", grouped(cases.complex_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_complex_in_an_array(name, rows, dtype):
    out = function(name)(make([complex(row[1], row[2]) for row in rows], dtype))
    want = xp.bool if boolean(rows) else dt(REAL_OF[dtype] if name == "abs" else dtype)
    assert out.dtype == want
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name, rows", grouped(cases.complex_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_complex_of_one_value(name, rows, dtype):
    call = function(name)
    outs = [values(call(make(complex(row[1], row[2]), dtype)))[0] for row in rows]
    judge(rows, outs, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ("add", "subtract"))
def test_complex_sums_are_sums_of_components(name, dtype):
    sign = 1 if name == "add" else -1
    pairs = cases.COMPLEX_PAIRS
    out = function(name)(
        make([complex(a, b) for a, b, _, _ in pairs], dtype), make([complex(c, d) for _, _, c, d in pairs], dtype)
    )
    rows = [(name, complex(a, b), complex(c, d), (a + sign * c, b + sign * d)) for a, b, c, d in pairs]
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ("multiply", "divide"))
def test_complex_products_of_nan(name, dtype):
    every = make([complex(nan, nan)], dtype)
    rows = [(name, (nan, nan))]
    judge(rows, values(function(name)(every, every)), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_equality(dtype):
    pairs = cases.COMPLEX_PAIRS
    x = make([complex(a, b) for a, b, _, _ in pairs], dtype)
    y = make([complex(c, d) for _, _, c, d in pairs], dtype)
    rows = [("equal", complex(a, b), complex(c, d), a == c and b == d) for a, b, c, d in pairs]
    judge(rows, values(xp.equal(x, y)), dtype)
    rows = [("not_equal", complex(a, b), complex(c, d), a != c or b != d) for a, b, c, d in pairs]
    judge(rows, values(xp.not_equal(x, y)), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ("negative", "conj", "round", "real", "imag", "positive"))
def test_complex_by_components(name, dtype):
    rules = {
        "negative": lambda a, b: (-a, -b),
        "conj": lambda a, b: (a, -b),
        "round": lambda a, b: (a, b),
        "real": lambda a, b: a,
        "imag": lambda a, b: b,
        "positive": lambda a, b: (a, b),
    }
    components = (-0.0, 0.0, 2.0, -3.0, inf, -inf, nan)
    rows = [(name, complex(a, b), rules[name](a, b)) for a in components for b in components]
    out = function(name)(make([row[1] for row in rows], dtype))
    assert out.dtype == dt(REAL_OF[dtype] if name in ("real", "imag") else dtype)
    judge(rows, values(out), dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_copysign_of_nan(dtype):
    rows = cases.COPYSIGN_OF_NAN
    out = values(xp.copysign(make([row[0] for row in rows], dtype), make([row[1] for row in rows], dtype)))
    assert [(x != x, negative(x)) for x in out] == [(True, row[2]) for row in rows]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("x, low, high", cases.CLIP)
def test_clip_of_nan(x, low, high, dtype):
    bounds = [None if bound is None else make([bound], dtype) for bound in (low, high)]
    assert same(values(xp.clip(make([x], dtype), *bounds))[0], nan, dtype)
    assert same(values(xp.clip(make([x], dtype), low, high))[0], nan, dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_hypot_is_symmetric(dtype):
    operands = [0.1, 1.7, 3.3e-20, 2.5e18, 12345.678]
    x, y = (make([a for a in operands for _ in operands], dtype), make(operands * len(operands), dtype))
    want = values(xp.hypot(x, y))
    assert values(xp.hypot(y, x)) == want
    assert values(xp.hypot(x, -y)) == want
    assert values(xp.hypot(-x, y)) == want
    assert values(xp.hypot(-x, -y)) == want


@pytest.mark.parametrize("dtype", REAL_FLOATING + COMPLEX)
@pytest.mark.parametrize("name, sign", [("sinh", -1), ("tanh", -1), ("cosh", 1)])
def test_odd_and_even(name, sign, dtype):
    operands = [0.25, 1.5, 3.75, 0.001]
    if dtype in COMPLEX:
        operands = [complex(a, b) for a in operands for b in (0.5, -2.25)]
    x, call = make(operands, dtype), function(name)
    assert values(call(-x)) == values(sign * call(x))
