# SPDX-License-Identifier: Apache-2.0
"""Data-type functions: astype, can_cast, finfo, iinfo, isdtype, result_type."""

from math import inf, nan

import pytest

from .standard import (
    ALL,
    BITS,
    COMPLEX,
    FLOATING,
    HIGHEST,
    INTEGER,
    LOWEST,
    NUMERIC,
    PRECISION,
    REAL,
    REAL_FLOATING,
    REAL_OF,
    SIGNED,
    UNSIGNED,
    dt,
    expect,
    make,
    name_of,
    nested,
    promoted,
    raises,
    sample,
    values,
    xp,
)

PAIRS = [(a, b) for a in ALL for b in ALL]
DEFINED = [(a, b) for a, b in PAIRS if promoted(a, b)]

# ---- astype


@pytest.mark.parametrize("to", NUMERIC)
def test_astype_of_bool(to):
    want = [complex(1), complex(0)] if to in COMPLEX else [1, 0]
    expect(xp.astype(make([True, False]), dt(to)), (2,), to, want)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_astype_to_bool(dtype):
    expect(xp.astype(make([0, 1, 2, 100], dtype), dt("bool")), (4,), "bool", [False, True, True, True])


@pytest.mark.parametrize("dtype", FLOATING)
def test_astype_of_special_values_to_bool(dtype):
    special = [0.0, -0.0, nan, inf, -inf, 2.0**-100, -0.5]
    expect(xp.astype(make(special, dtype), dt("bool")), (7,), "bool", [False, False, True, True, True, True, True])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_astype_of_complex_to_bool(dtype):
    x = make([0j, complex(-0.0, -0.0), 1j, 1 + 0j, complex(0, nan)], dtype)
    expect(xp.astype(x, dt("bool")), (5,), "bool", [False, False, True, True, True])


@pytest.mark.parametrize("to", NUMERIC)
@pytest.mark.parametrize("dtype", REAL)
def test_astype_of_small_numbers(dtype, to):
    expect(
        xp.astype(make([[0, 1], [2, 100]], dtype), dt(to)),
        (2, 2),
        to,
        [[0, 1], [2, 100]] if to not in FLOATING else None,
    )
    assert values(xp.astype(make([3, 120], dtype), dt(to))) == [3, 120]


@pytest.mark.parametrize("to", INTEGER)
@pytest.mark.parametrize("dtype", INTEGER)
def test_astype_of_the_ends_of_integers(dtype, to):
    ends = [v for v in (LOWEST[dtype], HIGHEST[dtype], HIGHEST[dtype] - 1) if LOWEST[to] <= v <= HIGHEST[to]]
    expect(xp.astype(make(ends, dtype), dt(to)), (len(ends),), to, ends)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_astype_truncates_to_integers(dtype):
    expect(xp.astype(make([1.5, -1.5, 2.9, -0.0], dtype), dt("int32")), (4,), "int32", [1, -1, 2, 0])


@pytest.mark.parametrize("to", COMPLEX)
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_astype_of_real_to_complex(dtype, to):
    x = make([1.5, -0.0, inf, nan], dtype)
    expect(xp.astype(x, dt(to)), (4,), to, [complex(1.5, 0), complex(-0.0, 0), complex(inf, 0), complex(nan, 0)])


def test_astype_rounds_to_float32():
    expect(
        xp.astype(make([0.1, 1e300, -1e300, 1e-300], "float64"), dt("float32")),
        (4,),
        "float32",
        [0.10000000149011612, inf, -inf, 0.0],
    )


@pytest.mark.parametrize("dtype", ALL)
def test_astype_copies(dtype):
    x = sample((3,), dtype)
    y = xp.astype(x, dt(dtype))
    before = values(y)
    x[0] = x[1]
    assert y is not x
    assert values(y) == before


@pytest.mark.parametrize("dtype", ALL)
def test_astype_without_copy(dtype):
    x = sample((3,), dtype)
    assert xp.astype(x, dt(dtype), copy=False) is x


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_astype_keeps_the_shape(shape):
    expect(xp.astype(xp.zeros(shape), dt("int8")), shape, "int8")


# ---- can_cast and result_type


@pytest.mark.parametrize("first, second", [p for p in PAIRS if promoted(*p)])
def test_can_cast(first, second):
    assert xp.can_cast(dt(first), dt(second)) is (promoted(first, second) == second)


@pytest.mark.parametrize(
    "first, second", [("float32", "int64"), ("complex64", "float64"), ("int8", "bool"), ("uint64", "int64")]
)
def test_can_cast_across_kinds(first, second):
    assert xp.can_cast(dt(first), dt(second)) is False


@pytest.mark.parametrize("dtype", ALL)
def test_can_cast_of_an_array(dtype):
    assert xp.can_cast(sample((2,), dtype), dt(dtype)) is True


def test_can_cast_of_arrays_to_others():
    assert xp.can_cast(make([1], "int32"), dt("int64")) is True
    assert xp.can_cast(make([1], "int64"), dt("int32")) is False
    assert xp.can_cast(make(1, "int64"), dt("int8")) is False


@pytest.mark.parametrize("first, second", DEFINED)
def test_result_type(first, second):
    want = promoted(first, second)
    assert xp.result_type(dt(first), dt(second)) == dt(want)
    assert xp.result_type(sample((2,), first), dt(second)) == dt(want)
    assert xp.result_type(sample((), first), sample((2, 2), second)) == dt(want)


@pytest.mark.parametrize("dtype", ALL)
def test_result_type_of_one(dtype):
    assert xp.result_type(dt(dtype)) == dt(dtype)
    assert xp.result_type(sample((2,), dtype)) == dt(dtype)


def test_result_type_of_many():
    assert xp.result_type(dt("int8"), dt("uint8"), dt("int32")) == dt("int32")
    assert xp.result_type(dt("uint32"), dt("int8"), dt("uint8")) == dt("int64")
    assert xp.result_type(dt("float32"), make([1j], "complex64"), dt("float64")) == dt("complex128")


SCALARS = [("bool", True)] + [(d, 1) for d in NUMERIC] + [(d, 1.5) for d in FLOATING] + [(d, 1j) for d in COMPLEX]


@pytest.mark.parametrize("dtype, scalar", SCALARS)
def test_result_type_with_a_scalar(dtype, scalar):
    assert xp.result_type(dt(dtype), scalar) == dt(dtype)
    assert xp.result_type(scalar, sample((2,), dtype)) == dt(dtype)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_result_type_of_real_with_a_complex_scalar(dtype):
    assert xp.result_type(dt(dtype), 1j) == dt({"float32": "complex64", "float64": "complex128"}[dtype])


def test_result_type_of_nothing():
    raises(lambda: xp.result_type())


# ---- finfo and iinfo

LARGEST = {"float32": (2 - 2.0**-23) * 2.0**127, "float64": (2 - 2.0**-52) * 2.0**1023}
NORMAL = {"float32": 2.0**-126, "float64": 2.0**-1022}


@pytest.mark.parametrize("how", ("dtype", "array"))
@pytest.mark.parametrize("dtype", FLOATING)
def test_finfo(dtype, how):
    found = xp.finfo(dt(dtype) if how == "dtype" else sample((2,), dtype))
    real = REAL_OF[dtype]
    assert found.bits == BITS[real] and isinstance(found.bits, int)
    assert found.eps == PRECISION[dtype]
    assert found.max == LARGEST[real]
    assert found.min == -LARGEST[real]
    assert found.smallest_normal == NORMAL[real]
    assert found.dtype == dt(real)


@pytest.mark.parametrize("how", ("dtype", "array"))
@pytest.mark.parametrize("dtype", INTEGER)
def test_iinfo(dtype, how):
    found = xp.iinfo(dt(dtype) if how == "dtype" else sample((2,), dtype))
    assert found.bits == BITS[dtype] and isinstance(found.bits, int)
    assert found.max == HIGHEST[dtype] and isinstance(found.max, int)
    assert found.min == LOWEST[dtype] and isinstance(found.min, int)
    assert found.dtype == dt(dtype)


@pytest.mark.parametrize("field", ("eps", "max", "min", "smallest_normal"))
@pytest.mark.parametrize("dtype", FLOATING)
def test_finfo_gives_floats(dtype, field):
    assert isinstance(getattr(xp.finfo(dt(dtype)), field), float)


def test_finfo_of_integers():
    raises(lambda: xp.finfo(dt("int32")))


def test_iinfo_of_floats():
    raises(lambda: xp.iinfo(dt("float32")))


# ---- isdtype

KINDS = {
    "bool": ("bool",),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ALL)
def test_isdtype(dtype, kind):
    assert xp.isdtype(dt(dtype), kind) is (dtype in KINDS[kind])


@pytest.mark.parametrize("dtype", ALL)
def test_isdtype_of_a_dtype(dtype):
    assert [other for other in ALL if xp.isdtype(dt(dtype), dt(other))] == [dtype]


@pytest.mark.parametrize("dtype", ALL)
def test_isdtype_of_a_tuple(dtype):
    assert xp.isdtype(dt(dtype), ("bool", "real floating")) is (dtype in ("bool",) + REAL_FLOATING)
    assert xp.isdtype(dt(dtype), (dt("int8"), "complex floating")) is (dtype in ("int8",) + COMPLEX)
    assert xp.isdtype(dt(dtype), (dt("int8"), dt("bool"))) is (dtype in ("int8", "bool"))
    assert xp.isdtype(dt(dtype), ()) is False


def test_isdtype_by_keyword():
    assert xp.isdtype(dtype=dt("int8"), kind="integral") is True


def test_isdtype_of_an_unknown_kind():
    raises(lambda: xp.isdtype(dt("int8"), "whole number"))


@pytest.mark.parametrize("dtype", ALL)
def test_isdtype_of_the_dtype_of_an_array(dtype):
    x = sample((2,), dtype)
    assert name_of(x.dtype) == dtype
    assert xp.isdtype(x.dtype, dt(dtype))
    assert len(nested(x)) == 2
