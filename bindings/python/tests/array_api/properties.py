# SPDX-License-Identifier: Apache-2.0
"""What the property-based tests share: random arrays, as NumPy has them and as the module under test does."""

import numpy
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .standard import ALL, COMPLEX, HIGHEST, INTEGER, LOWEST, REAL_FLOATING, dt, is_array, name_of, values, xp

# The same examples at each run; the tests are many, the examples of each are few.
QUICK = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
LONGER = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=9)


def elements(dtype, whole=False):
    """Numbers of a dtype; whole keeps floats to small integers, of which sums and products are exact."""
    if dtype == "bool":
        return st.booleans()
    if dtype in INTEGER:
        ends = (-9, 9) if whole and dtype[0] == "i" else (0, 9) if whole else (LOWEST[dtype], HIGHEST[dtype])
        return st.integers(*ends)
    if whole:
        plain = st.integers(-4, 4).map(float)
        return plain if dtype in REAL_FLOATING else st.builds(complex, plain, plain)
    width = 32 if dtype in ("float32", "complex64") else 64
    plain = st.floats(width=width, allow_subnormal=False) | st.sampled_from([0.0, -0.0, 1.0, -1.0])
    return plain if dtype in REAL_FLOATING else st.builds(complex, plain, plain)


@st.composite
def arrays(draw, shape=SHAPES, dtypes=ALL, whole=False):
    """A random array as NumPy has it."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    size = int(numpy.prod(shape))
    flat = draw(st.lists(elements(dtype, whole), min_size=size, max_size=size))
    return numpy.array(flat, dtype=dtype).reshape(shape)


def given_to(plain):
    """The same array in the module under test."""
    flat = xp.asarray(plain.reshape(-1).tolist(), dtype=dt(str(plain.dtype)))
    return xp.reshape(flat, plain.shape)


def read(x):
    """An array of the module under test as NumPy has it."""
    assert is_array(x), type(x)
    return numpy.array(values(x), dtype=name_of(x.dtype)).reshape(tuple(x.shape))


def bits(plain):
    """The elements, with NaN for NaN and zeros with their signs: what two arrays must have in common to be the same."""
    if plain.dtype.name in COMPLEX:
        return bits(plain.real.copy()) + bits(plain.imag.copy())
    if plain.dtype.name in REAL_FLOATING:
        return ["nan" if v != v else (v, bool(numpy.signbit(v))) for v in plain.reshape(-1).tolist()]
    return plain.reshape(-1).tolist()


def alike(x, want, dtype=None):
    """Asserts that x has the shape, the dtype and the elements of an array of NumPy's."""
    want = numpy.asarray(want)
    got = read(x)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert got.dtype == (dtype or want.dtype), (got.dtype, want.dtype)
    assert bits(got) == bits(want.astype(got.dtype)), (got, want)


@st.composite
def axis_of(draw, ndim, none=True, several=False):
    """An axis of an array of ndim axes, None or a tuple of axes where that is allowed."""
    choices = [st.integers(-ndim, ndim - 1)] if ndim else []
    if none or not ndim:
        choices.append(st.none())
    if several and ndim:
        choices.append(st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim).map(tuple))
    return draw(st.one_of(choices))


def quietly(call, *args, **kwargs):
    """A call of NumPy's without its warnings."""
    with numpy.errstate(all="ignore"):
        return call(*args, **kwargs)
