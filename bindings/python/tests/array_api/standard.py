# SPDX-License-Identifier: Apache-2.0
"""What the tests of the standard share: the module under test, dtypes and their tables, values in and out of arrays."""

import importlib
import math
import os

MODULE = os.environ.get("ARRAY_API_MODULE", "kiln.numpy")
xp = importlib.import_module(MODULE)
ARRAY = type(xp.asarray([0]))

# ---- dtypes

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGER = SIGNED + UNSIGNED
REAL_FLOATING = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = REAL_FLOATING + COMPLEX
REAL = INTEGER + REAL_FLOATING
NUMERIC = REAL + COMPLEX
ALL = ("bool",) + NUMERIC

BITS = {name: int(name.lstrip("uintfloacmpex")) for name in NUMERIC}
LOWEST = {name: -(2 ** (BITS[name] - 1)) if name in SIGNED else 0 for name in INTEGER}
HIGHEST = {name: 2 ** (BITS[name] - (name in SIGNED)) - 1 for name in INTEGER}
REAL_OF = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
COMPLEX_OF = {"float32": "complex64", "float64": "complex128", "complex64": "complex64", "complex128": "complex128"}
PRECISION = {"float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23, "complex128": 2.0**-52}


def promoted(first, second):
    """The dtype that two dtypes promote to, or None where the standard leaves it open."""
    if first == second:
        return first
    if first in FLOATING and second in FLOATING:
        wide = max(BITS[REAL_OF[first]], BITS[REAL_OF[second]])
        return f"complex{2 * wide}" if first in COMPLEX or second in COMPLEX else f"float{wide}"
    if first in INTEGER and second in INTEGER:
        if (first in SIGNED) == (second in SIGNED):
            return max(first, second, key=BITS.get)
        signed, unsigned = (first, second) if first in SIGNED else (second, first)
        bits = max(BITS[signed], 2 * BITS[unsigned])
        return f"int{bits}" if bits <= 64 else None
    return None


def dt(name):
    """The dtype object of that name."""
    return getattr(xp, name)


def name_of(dtype):
    """The standard's name of a dtype object."""
    for name in ALL:
        if dtype == dt(name):
            return name
    raise AssertionError(f"{dtype!r} is no dtype of the standard")


def function(name):
    """A function of the namespace, or of an extension of it: "linalg.det"."""
    found = xp
    for part in name.split("."):
        found = getattr(found, part)
    return found


# ---- values in and out of arrays


def make(values, dtype=None):
    """An array of nested lists of Python numbers."""
    return xp.asarray(values, dtype=None if dtype is None else dt(dtype))


def sample(shape, dtype, start=0, step=1):
    """An array of that shape with start, start + step, ... in C order (1 and 0 by turns for bool)."""
    size = math.prod(shape)
    flat = [start + step * i for i in range(size)]
    if dtype == "bool":
        flat = [bool(value % 2) for value in flat]
    elif dtype in COMPLEX:
        flat = [complex(value, 1 - value) for value in flat]
    elif dtype in REAL_FLOATING:
        flat = [float(value) for value in flat]
    return xp.reshape(make(flat, dtype), shape)


def is_array(x):
    """Whether something is an array. (NumPy's scalars, which it returns for arrays of no axes, are let pass.)"""
    return isinstance(x, ARRAY) or (MODULE == "numpy" and isinstance(x, xp.generic))


def reader(x):
    """What makes Python numbers of the elements of an array."""
    name = name_of(x.dtype)
    return bool if name == "bool" else int if name in INTEGER else float if name in REAL_FLOATING else complex


def values(x):
    """The elements of an array in C order, as Python numbers."""
    assert is_array(x), f"{x!r} is no array"
    read = reader(x)
    if x.ndim == 0:
        return [read(x)]
    flat = x if x.ndim == 1 else xp.reshape(x, (-1,))
    return [read(flat[i]) for i in range(flat.shape[0])]


def nested(x):
    """The elements of an array as nested lists, a Python number for no axes."""

    def level(flat, shape):
        if not shape:
            return flat[0]
        size = math.prod(shape[1:])
        return [level(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]

    return level(values(x), x.shape)


# ---- comparing


class Value:
    """A value that is wanted: near it rather than it, or whatever its sign."""

    __slots__ = ("value", "near", "unsigned")

    def __init__(self, value, near=False, unsigned=False):
        self.value, self.near, self.unsigned = value, near, unsigned

    def __neg__(self):
        return Value(-self.value, self.near, self.unsigned)

    def __repr__(self):
        return ("~" if self.near else "") + ("±" if self.unsigned else "") + repr(self.value)


class OneOf:
    """One of several values: the standard allows them all."""

    def __init__(self, *choices):
        self.choices = choices

    def __neg__(self):
        return OneOf(*(tuple(-part for part in c) if isinstance(c, tuple) else -c for c in self.choices))

    def __repr__(self):
        return " or ".join(map(repr, self.choices))


def near(value):
    """Approximately that value."""
    return Value(value, near=True)


def either(value):
    """That value, the sign being left open (approximately it, unless it is zero, one or infinite)."""
    return Value(value, near=value not in (0.0, 1.0, math.inf), unsigned=True)


def negative(value):
    """Whether the sign bit of a float is set (also of NaN)."""
    return math.copysign(1.0, value) < 0


def close(got, want, dtype, ulps=8):
    """Whether two real or complex numbers are the same within a few units of the dtype's precision."""
    if got == want:
        return True
    if isinstance(got, complex) or isinstance(want, complex):
        scale = max(abs(complex(got)), abs(complex(want)))
        return abs(got - want) <= ulps * PRECISION[dtype] * scale
    if math.isnan(want):
        return math.isnan(got)
    return abs(got - want) <= ulps * PRECISION[dtype] * max(abs(got), abs(want))


def same(got, want, dtype):
    """Whether a number is the one that is wanted: NaN for NaN, and zeros with their signs."""
    if isinstance(want, OneOf):
        return any(same(got, choice, dtype) for choice in want.choices)
    if isinstance(want, tuple):
        return same(got.real, want[0], dtype) and same(got.imag, want[1], dtype)
    if isinstance(want, Value):
        if want.unsigned:
            got, want = abs(got), Value(abs(want.value), want.near)
        return close(got, want.value, dtype) if want.near else same(got, want.value, dtype)
    if isinstance(want, complex):
        return same(got.real, want.real, dtype) and same(got.imag, want.imag, dtype)
    if isinstance(want, float):
        if math.isnan(want):
            return math.isnan(got)
        return got == want and negative(got) == negative(want)
    return got == want


def expect(x, shape=None, dtype=None, want=None, ulps=0):
    """Asserts that x is an array of that shape and dtype with these elements (nested lists; within some ulps)."""
    assert is_array(x), f"{type(x)} is no array"
    if shape is not None:
        assert tuple(x.shape) == tuple(shape)
    if dtype is not None:
        assert x.dtype == dt(dtype), f"{x.dtype}, not {dtype}"
    if want is not None:
        got, name = nested(x), name_of(x.dtype)
        pairs = list(zip(flattened(got), flattened(want), strict=True))
        right = all(close(g, w, name, ulps) if ulps else same(g, w, name) for g, w in pairs)
        assert right, f"{got}, not {want}"


def flattened(values):
    """The numbers of nested lists, in order."""
    if isinstance(values, list):
        return [number for part in values for number in flattened(part)]
    return [values]


def raises(call, *kinds):
    """Asserts that a call raises: one of these kinds of exceptions, or any that says something."""
    try:
        call()
    except kinds or Exception as error:  # noqa: B030
        assert not isinstance(error, AttributeError) or AttributeError in kinds, error
        return
    raise AssertionError("nothing was raised")


def axes_of(axis, ndim):
    """The axes that an axis argument names, as nonnegative numbers."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple) else (axis,)))


def reduced(x, axis, keepdims, fold):
    """A reduction worked out in Python: (shape, flat list), by folding the lists of elements along the axes."""
    axes, shape, flat = axes_of(axis, x.ndim), tuple(x.shape), values(x)
    kept = [i for i in range(len(shape)) if i not in axes]
    groups = {}
    for position in positions(tuple(shape[i] for i in kept)):
        groups[position] = []
    for number, position in enumerate(positions(shape)):
        groups[tuple(position[i] for i in kept)].append(flat[number])
    out = tuple(1 if i in axes else n for i, n in enumerate(shape)) if keepdims else tuple(shape[i] for i in kept)
    return out, [fold(group) for group in groups.values()]


def positions(shape):
    """The positions of an array of that shape, in C order."""
    if not shape:
        return [()]
    rest = positions(shape[1:])
    return [(i,) + more for i in range(shape[0]) for more in rest]
