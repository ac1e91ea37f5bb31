# SPDX-License-Identifier: Apache-2.0
"""Results do not depend on how arrays lie in memory, nor on how long they are."""

from itertools import groupby

import pytest

from . import special_cases as cases
from .standard import (
    COMPLEX,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    dt,
    expect,
    function,
    make,
    nested,
    sample,
    values,
    xp,
)
from .test_elementwise import BINARY, COMPARING, KEEPING, TESTING

VIEWS = {
    "reversed": lambda x: x[::-1, ::-1],
    "every other": lambda x: x[::2, 1::2],
    "transposed": lambda x: x.T,
    "a column": lambda x: x[:, 1],
    "a row": lambda x: x[2, :],
    "of one element": lambda x: x[1:2, 3:4],
    "empty": lambda x: x[2:2, :],
    "turned and cut": lambda x: x.T[1:, ::-2],
    "repeated": lambda x: xp.broadcast_to(x[0, :], (3, 6)),
    "with new axes": lambda x: x[:, None, ::2],
}


def plain(x):
    """The same elements in memory of their own, one after the other."""
    return xp.reshape(make(values(x), next(d for d in (*NUMERIC, "bool") if dt(d) == x.dtype)), tuple(x.shape))


def alike(x, y):
    assert x.dtype == y.dtype
    assert tuple(x.shape) == tuple(y.shape)
    assert repr(values(x)) == repr(values(y))


def dtypes_to_try(dtypes):
    """One dtype of each kind."""
    return [
        d for d in ("bool", "int8", "uint32", "int64", "float32", "float64", "complex64", "complex128") if d in dtypes
    ]


@pytest.mark.parametrize("name", sorted({**KEEPING, **TESTING}))
def test_unary_function_of_views(name):
    call = function(name)
    for dtype in dtypes_to_try({**KEEPING, **TESTING}[name]):
        x = sample((4, 6), dtype, 1)
        for view in VIEWS.values():
            alike(call(view(x)), call(plain(view(x))))


@pytest.mark.parametrize("name", sorted({**BINARY, **COMPARING}))
def test_binary_function_of_views(name):
    call = function(name)
    for dtype in dtypes_to_try({**BINARY, **COMPARING}[name]):
        x, y = sample((4, 6), dtype, 1), sample((4, 6), dtype, 1)
        for view in VIEWS.values():
            want = call(plain(view(x)), plain(view(y)))
            alike(call(view(x), view(y)), want)
            alike(call(view(x), plain(view(y))), want)
            alike(call(plain(view(x)), view(y)), want)
            alike(call(view(x), view(x)), call(plain(view(x)), plain(view(x))))


REDUCTIONS = "sum prod max min mean var all any count_nonzero argmax argmin cumulative_sum sort argsort flip".split()
AXIS_NEEDED = ("cumulative_sum", "sort", "argsort")


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_views(name):
    call = function(name)
    for dtype in ("int8", "int64", "float64"):
        x = sample((4, 6), dtype, 1)
        for key, view in VIEWS.items():
            if key == "empty" and name in ("max", "min", "argmax", "argmin"):
                continue
            v = view(x)
            for axis in (*range(v.ndim), *(() if name in AXIS_NEEDED else (None,))):
                if name == "var":
                    got, want = values(call(v, axis=axis)), values(call(plain(v), axis=axis))
                    assert all(abs(a - b) < 1e-9 or (a != a and b != b) for a, b in zip(got, want, strict=True))
                else:
                    alike(call(v, axis=axis), call(plain(v), axis=axis))


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_views(name):
    """What is written to the array is seen in the view, as long as the view reads from it."""
    x = sample((4, 6), "int64")
    view = VIEWS[name](x)
    x += 100
    alike(view, VIEWS[name](plain(x)))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_operands_that_overlap_the_result(dtype):
    x = sample((6,), dtype, 1)
    want = [a + b for a, b in zip(values(x), values(x)[::-1], strict=True)]
    x += x[::-1]
    assert values(x) == want
    y = sample((6,), dtype, 1)
    want = values(y)
    want[1:] = [a * b for a, b in zip(want[1:], want[:-1], strict=True)]
    y[1:] *= y[:-1]
    assert values(y) == want


@pytest.mark.parametrize("dtype", ("int64", "float32", "complex128"))
def test_matmul_of_views(dtype):
    x = sample((4, 4), dtype)
    for view in (lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[::-2, :], lambda x: x[1:, :-1]):
        alike(view(x) @ plain(view(x)).T, plain(view(x)) @ plain(view(x).T))


@pytest.mark.parametrize("dtype", INTEGER + REAL_FLOATING)
def test_writing_to_views(dtype):
    for view in (lambda x: x[::-1, ::2], lambda x: x.T[1:, ::-2], lambda x: x[2, :]):
        x, y = sample((4, 6), dtype), sample((4, 6), dtype)
        part = view(x)
        part += 1
        marks = xp.zeros((4, 6), dtype=dt("bool"))
        view(marks)[...] = True
        want = [v + 1 if marked else v for v, marked in zip(values(y), values(marks), strict=True)]
        assert values(x) == want


# ------------------------------------------------------------------------------------------------------- long arrays

REPEATED = 61


def same_throughout(out, n):
    """Asserts that a result of n elements, repeated, is the same in each repetition, signs of zeros included."""
    rows = xp.reshape(out, (REPEATED, n))
    first = rows[0, :]
    if xp.isdtype(out.dtype, "complex floating"):
        same_throughout(xp.reshape(xp.real(rows), (-1,)), n)
        return same_throughout(xp.reshape(xp.imag(rows), (-1,)), n)
    equal = rows == first
    if not xp.isdtype(out.dtype, "bool"):
        equal = (equal & (xp.signbit(rows) == xp.signbit(first))) | (xp.isnan(rows) & xp.isnan(first))
    wrong = values(xp.nonzero(~xp.all(equal, axis=0))[0])
    assert not wrong, [(i, nested(rows[:, i])[:4], nested(first[i])) for i in wrong[:4]]


def grouped(rows):
    rows = sorted(rows, key=lambda row: row[0])
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: row[0])]


@pytest.mark.parametrize("name, rows", grouped(cases.unary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_special_cases_in_long_arrays(name, rows):
    for dtype in REAL_FLOATING:
        x = make([row[1] for row in rows] * REPEATED, dtype)
        same_throughout(function(name)(x), len(rows))


@pytest.mark.parametrize("name, rows", grouped(cases.binary_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_special_cases_of_two_operands_in_long_arrays(name, rows):
    for dtype in REAL_FLOATING:
        x, y = (make([row[i] for row in rows] * REPEATED, dtype) for i in (1, 2))
        same_throughout(function(name)(x, y), len(rows))


@pytest.mark.parametrize("name, rows", grouped(cases.complex_rows()), ids=lambda v: v if isinstance(v, str) else "")
def test_complex_special_cases_in_long_arrays(name, rows):
    for dtype in COMPLEX:
        x = make([complex(row[1], row[2]) for row in rows] * REPEATED, dtype)
        same_throughout(function(name)(x), len(rows))


@pytest.mark.parametrize("n", (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 1000, 4097))
def test_lengths(n):
    """Sums and products of every length are those of all elements."""
    for dtype in REAL:
        x = xp.ones((n,), dtype=dt(dtype))
        total = 1 if dtype in INTEGER else 1.0
        expect(xp.sum(x), (), None, total * n)
        expect(xp.max(x), (), dtype, total)
        assert bool(xp.all(x + x == 2))
        if n < 128:
            assert values(xp.cumulative_sum(x)) == list(range(1, n + 1))
