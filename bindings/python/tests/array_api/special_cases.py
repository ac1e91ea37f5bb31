# SPDX-License-Identifier: Apache-2.0
"""The special cases of the elementwise functions as data, from the text of the standard.

A row of a real function is (name, a class of values for each operand, the result or a function of the operands that
gives it); a row of a complex one is (name, values of the real component, values of the imaginary one, result as a pair
or a function).
"""

import math
from itertools import product
from math import copysign, cos, inf, log, nan, pi, sin

from .standard import OneOf, Value, either, near

POSITIVE = (2.0**-100, 0.5, 1.0, 3.0, 4.0, 2.0**100)
NEGATIVE = tuple(-v for v in POSITIVE)
NONZERO = POSITIVE + NEGATIVE
ZEROS = (0.0, -0.0)
FINITE = ZEROS + NONZERO
INFINITE = (inf, -inf)
NUMBERS = FINITE + INFINITE
ANY = NUMBERS + (nan,)
ABOVE = POSITIVE + (inf,)
BELOW = NEGATIVE + (-inf,)
MINUS_NAN = copysign(nan, -1.0)
PLUS_NAN = copysign(nan, 1.0)
WHOLE = (1.0, 3.0, -1.0, -4.0, 2.0**100, -(2.0**100))
HALVES = (0.5, 1.5, -0.5, -2.5)
ODD = (1.0, 3.0, 5.0, 2.0**23 + 1)
NOT_ODD = (0.5, 2.0, 2.5, 4.0, 2.0**24, 2.0**100)


def same_value(x):
    return x


def minus(values):
    return tuple(-v for v in values)


# ---- one real operand

UNARY = [
    ("abs", (nan,), nan),
    ("abs", (-0.0, 0.0), 0.0),
    ("abs", INFINITE, inf),
    ("acos", (nan, 1.5, 3.0, inf, -1.5, -3.0, -inf), nan),
    ("acos", (1.0,), 0.0),
    ("acosh", (nan, 0.5, 0.0, -0.0, -1.0, -inf), nan),
    ("acosh", (1.0,), 0.0),
    ("acosh", (inf,), inf),
    ("asin", (nan, 1.5, inf, -1.5, -inf), nan),
    ("asin", ZEROS, same_value),
    ("asinh", (nan,) + ZEROS + INFINITE, same_value),
    ("atan", (nan,) + ZEROS, same_value),
    ("atan", (inf,), near(pi / 2)),
    ("atan", (-inf,), near(-pi / 2)),
    ("atanh", (nan, -1.5, -inf, 1.5, inf), nan),
    ("atanh", (-1.0,), -inf),
    ("atanh", (1.0,), inf),
    ("atanh", ZEROS, same_value),
    ("cos", (nan,) + INFINITE, nan),
    ("cos", ZEROS, 1.0),
    ("cosh", (nan,), nan),
    ("cosh", ZEROS, 1.0),
    ("cosh", INFINITE, inf),
    ("exp", (nan,), nan),
    ("exp", ZEROS, 1.0),
    ("exp", (inf,), inf),
    ("exp", (-inf,), 0.0),
    ("expm1", (nan, inf) + ZEROS, same_value),
    ("expm1", (-inf,), -1.0),
    ("isfinite", INFINITE + (nan,), False),
    ("isfinite", FINITE, True),
    ("isinf", INFINITE, True),
    ("isinf", FINITE + (nan,), False),
    ("isnan", (nan, MINUS_NAN), True),
    ("isnan", NUMBERS, False),
    ("log1p", (nan, -1.5, -inf), nan),
    ("log1p", (-1.0,), -inf),
    ("log1p", ZEROS + (inf,), same_value),
    ("reciprocal", (nan,), nan),
    ("reciprocal", ZEROS, lambda x: copysign(inf, x)),
    ("reciprocal", INFINITE, lambda x: copysign(0.0, x)),
    ("round", (0.5, 1.5, 2.5, -0.5, -1.5, -2.5), lambda x: copysign(float(round(x)), x)),
    ("sign", BELOW, -1.0),
    ("sign", ZEROS, either(0.0)),
    ("sign", ABOVE, 1.0),
    ("sign", (nan,), nan),
    ("signbit", (0.0,) + ABOVE + (PLUS_NAN,), False),
    ("signbit", (-0.0,) + BELOW + (MINUS_NAN,), True),
    ("sin", (nan,) + INFINITE, nan),
    ("sin", ZEROS, same_value),
    ("sinh", (nan,) + ZEROS + INFINITE, same_value),
    ("square", (nan,), nan),
    ("square", ZEROS, 0.0),
    ("square", INFINITE, inf),
    ("sqrt", (nan,) + BELOW, nan),
    ("sqrt", ZEROS + (inf,), same_value),
    ("tan", (nan,) + INFINITE, nan),
    ("tan", ZEROS, same_value),
    ("tanh", (nan,) + ZEROS, same_value),
    ("tanh", INFINITE, lambda x: copysign(1.0, x)),
]
for _name in ("log", "log2", "log10"):
    UNARY += [(_name, (nan,) + BELOW, nan), (_name, ZEROS, -inf), (_name, (1.0,), 0.0), (_name, (inf,), inf)]
for _name in ("ceil", "floor", "round", "trunc"):
    UNARY += [(_name, (nan,) + INFINITE + ZEROS + WHOLE, same_value)]
UNARY += [
    ("ceil", HALVES, lambda x: float(math.ceil(x)) or copysign(0.0, x)),
    ("floor", HALVES, lambda x: float(math.floor(x))),
    ("trunc", HALVES, lambda x: float(math.trunc(x)) or copysign(0.0, x)),
]

# ---- two real operands


def signed(value):
    """That value with the sign of the product of the operands."""
    return lambda a, b: copysign(value, copysign(1.0, a) * copysign(1.0, b))


BINARY = []
for _name in ("add", "subtract"):
    _turn = same_value if _name == "add" else minus  # subtract(x1, x2) is add(x1, -x2)
    BINARY += [
        (_name, (nan,), ANY, nan),
        (_name, ANY, (nan,), nan),
        (_name, (inf,), _turn((-inf,)), nan),
        (_name, (-inf,), _turn((inf,)), nan),
        (_name, (inf,), _turn((inf,) + FINITE), inf),
        (_name, (-inf,), _turn((-inf,) + FINITE), -inf),
        (_name, FINITE, _turn((inf,)), inf),
        (_name, FINITE, _turn((-inf,)), -inf),
        (_name, (-0.0,), _turn((-0.0,)), -0.0),
        (_name, (-0.0,), _turn((0.0,)), 0.0),
        (_name, (0.0,), _turn(ZEROS), 0.0),
        (_name, NONZERO, ZEROS, lambda a, b: a),
    ]
    for _value in NONZERO:
        BINARY += [(_name, (_value,), _turn((-_value,)), 0.0)]
BINARY += [("add", ZEROS, NONZERO, lambda a, b: b), ("subtract", ZEROS, NONZERO, lambda a, b: -b)]

BINARY += [
    ("atan2", (nan,), ANY, nan),
    ("atan2", ANY, (nan,), nan),
    ("atan2", ABOVE, ZEROS, near(pi / 2)),
    ("atan2", (0.0,), ABOVE + (0.0,), 0.0),
    ("atan2", (0.0,), (-0.0,) + BELOW, near(pi)),
    ("atan2", (-0.0,), ABOVE + (0.0,), -0.0),
    ("atan2", (-0.0,), (-0.0,) + BELOW, near(-pi)),
    ("atan2", BELOW, ZEROS, near(-pi / 2)),
    ("atan2", POSITIVE, (inf,), 0.0),
    ("atan2", POSITIVE, (-inf,), near(pi)),
    ("atan2", NEGATIVE, (inf,), -0.0),
    ("atan2", NEGATIVE, (-inf,), near(-pi)),
    ("atan2", (inf,), FINITE, near(pi / 2)),
    ("atan2", (-inf,), FINITE, near(-pi / 2)),
    ("atan2", (inf,), (inf,), near(pi / 4)),
    ("atan2", (inf,), (-inf,), near(3 * pi / 4)),
    ("atan2", (-inf,), (inf,), near(-pi / 4)),
    ("atan2", (-inf,), (-inf,), near(-3 * pi / 4)),
    ("copysign", NUMBERS, (-0.0, MINUS_NAN) + BELOW, lambda a, b: -abs(a)),
    ("copysign", NUMBERS, (0.0, PLUS_NAN) + ABOVE, lambda a, b: abs(a)),
    ("hypot", INFINITE, ANY, inf),
    ("hypot", ANY, INFINITE, inf),
    ("hypot", ZEROS, NUMBERS, lambda a, b: abs(b)),
    ("hypot", NUMBERS, ZEROS, lambda a, b: abs(a)),
    ("hypot", FINITE + (nan,), (nan,), nan),
    ("hypot", (nan,), FINITE + (nan,), nan),
    ("hypot", (2.0**100,), (2.0**100, -(2.0**100)), near(2.0**100.5)),
    ("hypot", (2.0**-100,), (2.0**-100,), near(2.0**-99.5)),
    ("logaddexp", (nan,), ANY, nan),
    ("logaddexp", ANY, (nan,), nan),
    ("logaddexp", (inf,), NUMBERS, inf),
    ("logaddexp", NUMBERS, (inf,), inf),
    ("multiply", (nan,), ANY, nan),
    ("multiply", ANY, (nan,), nan),
    ("multiply", INFINITE, ZEROS, nan),
    ("multiply", ZEROS, INFINITE, nan),
    ("multiply", INFINITE, INFINITE + NONZERO, signed(inf)),
    ("multiply", NONZERO, INFINITE, signed(inf)),
    ("multiply", ZEROS, FINITE, signed(0.0)),
    ("multiply", FINITE, ZEROS, signed(0.0)),
    ("nextafter", (nan,), ANY, nan),
    ("nextafter", ANY, (nan,), nan),
    ("nextafter", (-0.0,), (0.0,), 0.0),
    ("nextafter", (0.0,), (-0.0,), -0.0),
    ("nextafter", NONZERO, same_value, lambda a, b: a),
]
for _name in ("maximum", "minimum"):
    BINARY += [(_name, (nan,), ANY, nan), (_name, ANY, (nan,), nan)]

for _name in ("divide", "floor_divide"):
    BINARY += [
        (_name, (nan,), ANY, nan),
        (_name, ANY, (nan,), nan),
        (_name, INFINITE, INFINITE, nan),
        (_name, ZEROS, ZEROS, nan),
        (_name, ZEROS, ABOVE + BELOW, signed(0.0)),
        (_name, ABOVE + BELOW, ZEROS, signed(inf)),
    ]
BINARY += [
    ("divide", INFINITE, NONZERO, signed(inf)),
    ("divide", NONZERO, INFINITE, signed(0.0)),
    ("divide", (1.0, -1.0), (3.0, -3.0), lambda a, b: near(a / b)),
    ("floor_divide", INFINITE, NONZERO, lambda a, b: OneOf(signed(inf)(a, b), nan)),
    ("floor_divide", POSITIVE, (inf,), 0.0),
    ("floor_divide", NEGATIVE, (-inf,), 0.0),
    ("floor_divide", POSITIVE, (-inf,), OneOf(-0.0, -1.0)),
    ("floor_divide", NEGATIVE, (inf,), OneOf(-0.0, -1.0)),
    ("floor_divide", (0.5, 1.0, 5.0, 7.5), (0.5, 1.0, 2.0, 8.0), lambda a, b: a // b),
    ("floor_divide", (-0.5, -1.0, -5.0, -7.5), (-0.5, -1.0, -2.0, -8.0), lambda a, b: a // b),
    ("floor_divide", (0.5, 1.0, 5.0, 7.5), (-0.5, -1.0, -2.0, -8.0), lambda a, b: a // b),
    ("floor_divide", (-0.5, -1.0, -5.0, -7.5), (0.5, 1.0, 2.0, 8.0), lambda a, b: a // b),
    ("remainder", (nan,), ANY, nan),
    ("remainder", ANY, (nan,), nan),
    ("remainder", INFINITE, INFINITE + NONZERO, nan),
    ("remainder", ZEROS, ZEROS, nan),
    ("remainder", ZEROS, ABOVE, 0.0),
    ("remainder", ZEROS, BELOW, -0.0),
    ("remainder", ABOVE + BELOW, ZEROS, nan),
    ("remainder", POSITIVE, (inf,), lambda a, b: a),
    ("remainder", POSITIVE, (-inf,), lambda a, b: b),
    ("remainder", NEGATIVE, (inf,), lambda a, b: b),
    ("remainder", NEGATIVE, (-inf,), lambda a, b: a),
    ("remainder", (0.5, 1.0, 5.0, 7.5, -0.5, -1.0, -5.0, -7.5), (0.5, 2.0, 8.0, -0.5, -2.0, -8.0), lambda a, b: a % b),
    ("pow", tuple(v for v in ANY if v != 1.0), (nan,), nan),
    ("pow", ANY, ZEROS, 1.0),
    ("pow", (nan,), ABOVE + BELOW, nan),
    ("pow", (1.5, 2.0, -2.0, -(2.0**100), inf, -inf), (inf,), inf),
    ("pow", (1.5, 2.0, -2.0, -(2.0**100), inf, -inf), (-inf,), 0.0),
    ("pow", (1.0, -1.0), INFINITE, 1.0),
    ("pow", (1.0,), NUMBERS, 1.0),
    ("pow", (0.5, -0.5, 2.0**-100, 0.0, -0.0), (inf,), 0.0),
    ("pow", (0.5, -0.5, 2.0**-100, 0.0, -0.0), (-inf,), inf),
    ("pow", (inf,), ABOVE, inf),
    ("pow", (inf,), BELOW, 0.0),
    ("pow", (-inf,), ODD, -inf),
    ("pow", (-inf,), NOT_ODD, inf),
    ("pow", (-inf,), minus(ODD), -0.0),
    ("pow", (-inf,), minus(NOT_ODD), 0.0),
    ("pow", (0.0,), ABOVE, 0.0),
    ("pow", (0.0,), BELOW, inf),
    ("pow", (-0.0,), ODD, -0.0),
    ("pow", (-0.0,), NOT_ODD, 0.0),
    ("pow", (-0.0,), minus(ODD), -inf),
    ("pow", (-0.0,), minus(NOT_ODD), inf),
    ("pow", NEGATIVE, HALVES, nan),
    ("equal", (nan,), ANY, False),
    ("equal", ANY, (nan,), False),
    ("equal", ZEROS, ZEROS, True),
    ("equal", NUMBERS, NUMBERS, lambda a, b: a == b),
    ("not_equal", (nan,), ANY, True),
    ("not_equal", ANY, (nan,), True),
    ("not_equal", ZEROS, ZEROS, False),
    ("not_equal", NUMBERS, NUMBERS, lambda a, b: a != b),
    ("less", ANY, ANY, lambda a, b: a < b),
    ("less_equal", ANY, ANY, lambda a, b: a <= b),
    ("greater", ANY, ANY, lambda a, b: a > b),
    ("greater_equal", ANY, ANY, lambda a, b: a >= b),
]

# The sign of NaN is a bit of its own: (x1, x2, whether the sign bit of the result is set).
COPYSIGN_OF_NAN = [(x, y, copysign(1.0, y) < 0) for x in (PLUS_NAN, MINUS_NAN) for y in ANY + (MINUS_NAN,)]

# clip: (x, min, max), the result being NaN.
CLIP = [(nan, -1.0, 1.0), (nan, None, 1.0), (nan, -1.0, None), (1.0, nan, 2.0), (1.0, 0.0, nan), (inf, nan, nan)]


def binary_rows():
    """(name, x1, x2, result) for every pair of operands."""
    for name, firsts, seconds, result in BINARY:
        for a in firsts:
            for b in (a,) if seconds is same_value else seconds:
                yield name, a, b, result(a, b) if callable(result) else result


def unary_rows():
    """(name, x, result) for every operand."""
    for name, operands, result in UNARY:
        for x in operands:
            yield name, x, result(x) if callable(result) else result


# ---- one complex operand

SOME = (0.5, 1.0, 3.0, 2.0**20)  # positive finite numbers for a component
BOTH = SOME + minus(SOME)
REALS = ZEROS + BOTH
EVERY = REALS + INFINITE + (nan,)
NANS = (nan, nan)


def cis(scale, less=0.0):
    """scale * cis(b) - less, with scale an infinity or a zero."""
    return lambda a, b: (copysign(scale, cos(b)) - less, copysign(scale, sin(b)) if b else b)


COMPLEX_ROWS = [
    ("abs", INFINITE, EVERY, inf),
    ("abs", EVERY, INFINITE, inf),
    ("abs", ZEROS, EVERY, lambda a, b: abs(b)),
    ("abs", EVERY, ZEROS, lambda a, b: abs(a)),
    ("abs", (nan,), REALS + (nan,), nan),
    ("abs", REALS, (nan,), nan),
    ("acos", ZEROS, (0.0,), (near(pi / 2), -0.0)),
    ("acos", ZEROS, (nan,), (near(pi / 2), nan)),
    ("acos", REALS, (inf,), (near(pi / 2), -inf)),
    ("acos", BOTH, (nan,), NANS),
    ("acos", (-inf,), SOME, (near(pi), -inf)),
    ("acos", (inf,), SOME, (0.0, -inf)),
    ("acos", (-inf,), (inf,), (near(3 * pi / 4), -inf)),
    ("acos", (inf,), (inf,), (near(pi / 4), -inf)),
    ("acos", INFINITE, (nan,), (nan, either(inf))),
    ("acos", (nan,), REALS, NANS),
    ("acos", (nan,), (inf,), (nan, -inf)),
    ("acos", (nan,), (nan,), NANS),
    ("acosh", ZEROS, (0.0,), (0.0, near(pi / 2))),
    ("acosh", REALS, (inf,), (inf, near(pi / 2))),
    ("acosh", BOTH, (nan,), NANS),
    ("acosh", (0.0,), (nan,), (nan, either(pi / 2))),
    ("acosh", (-inf,), SOME, (inf, near(pi))),
    ("acosh", (inf,), SOME, (inf, 0.0)),
    ("acosh", (-inf,), (inf,), (inf, near(3 * pi / 4))),
    ("acosh", (inf,), (inf,), (inf, near(pi / 4))),
    ("acosh", INFINITE, (nan,), (inf, nan)),
    ("acosh", (nan,), REALS, NANS),
    ("acosh", (nan,), (inf,), (inf, nan)),
    ("acosh", (nan,), (nan,), NANS),
    ("asinh", (0.0,), (0.0,), (0.0, 0.0)),
    ("asinh", SOME, (inf,), (inf, near(pi / 2))),
    ("asinh", REALS, (nan,), NANS),
    ("asinh", (inf,), SOME, (inf, 0.0)),
    ("asinh", (inf,), (inf,), (inf, near(pi / 4))),
    ("asinh", (nan,), (0.0,), (nan, 0.0)),
    ("asinh", (nan,), BOTH, NANS),
    ("asinh", (nan,), (inf,), (either(inf), nan)),
    ("asinh", (nan,), (nan,), NANS),
    ("atanh", (0.0,), (0.0,), (0.0, 0.0)),
    ("atanh", (0.0,), (nan,), (0.0, nan)),
    ("atanh", (1.0,), (0.0,), (inf, 0.0)),
    ("atanh", SOME, (inf,), (0.0, near(pi / 2))),
    ("atanh", BOTH, (nan,), NANS),
    ("atanh", (inf,), SOME, (0.0, near(pi / 2))),
    ("atanh", (inf,), (inf,), (0.0, near(pi / 2))),
    ("atanh", (inf,), (nan,), (0.0, nan)),
    ("atanh", (nan,), REALS, NANS),
    ("atanh", (nan,), (inf,), (either(0.0), near(pi / 2))),
    ("atanh", (nan,), (nan,), NANS),
    ("cosh", (0.0,), (0.0,), (1.0, either(0.0))),
    ("cosh", (0.0,), (inf, nan), (nan, either(0.0))),
    ("cosh", BOTH, (inf, nan), NANS),
    ("cosh", (inf,), (0.0,), (inf, 0.0)),
    ("cosh", (inf,), BOTH, cis(inf)),
    ("cosh", (inf,), (inf,), (either(inf), nan)),
    ("cosh", (inf,), (nan,), (inf, nan)),
    ("cosh", (nan,), ZEROS, (nan, either(0.0))),
    ("cosh", (nan,), BOTH + (nan,), NANS),
    ("exp", ZEROS, (0.0,), (1.0, 0.0)),
    ("exp", REALS, (inf, nan), NANS),
    ("exp", (inf,), (0.0,), (inf, 0.0)),
    ("exp", (-inf,), REALS, cis(0.0)),
    ("exp", (inf,), BOTH, cis(inf)),
    ("exp", (-inf,), (inf, nan), (either(0.0), either(0.0))),
    ("exp", (inf,), (inf, nan), (either(inf), nan)),
    ("exp", (nan,), (0.0,), (nan, 0.0)),
    ("exp", (nan,), BOTH + INFINITE + (nan,), NANS),
    ("expm1", ZEROS, (0.0,), (either(0.0), 0.0)),
    ("expm1", REALS, (inf, nan), NANS),
    ("expm1", (inf,), (0.0,), (inf, 0.0)),
    ("expm1", (-inf,), REALS, cis(0.0, less=1.0)),
    ("expm1", (inf,), BOTH, cis(inf, less=1.0)),
    ("expm1", (-inf,), (inf, nan), (-1.0, either(0.0))),
    ("expm1", (inf,), (inf, nan), (either(inf), nan)),
    ("expm1", (nan,), (0.0,), (nan, 0.0)),
    ("expm1", (nan,), BOTH + INFINITE + (nan,), NANS),
    ("isfinite", (nan,) + INFINITE, EVERY, False),
    ("isfinite", EVERY, (nan,) + INFINITE, False),
    ("isfinite", REALS, REALS, True),
    ("isinf", INFINITE, EVERY, True),
    ("isinf", REALS + (nan,), INFINITE, True),
    ("isinf", REALS + (nan,), REALS + (nan,), False),
    ("isnan", (nan,), EVERY, True),
    ("isnan", EVERY, (nan,), True),
    ("isnan", REALS + INFINITE, REALS + INFINITE, False),
    ("log", (-0.0,), (0.0,), (-inf, near(pi))),
    ("log", (0.0,), (0.0,), (-inf, 0.0)),
    ("log1p", (-1.0,), (0.0,), (-inf, 0.0)),
    ("sign", ZEROS, ZEROS, (either(0.0), either(0.0))),
    ("sign", (nan,), REALS + (nan,), NANS),
    ("sign", REALS, (nan,), NANS),
    ("sinh", (0.0,), (0.0,), (0.0, 0.0)),
    ("sinh", (0.0,), (inf, nan), (either(0.0), nan)),
    ("sinh", SOME, (inf, nan), NANS),
    ("sinh", (inf,), (0.0,), (inf, 0.0)),
    ("sinh", (inf,), SOME, cis(inf)),
    ("sinh", (inf,), (inf, nan), (either(inf), nan)),
    ("sinh", (nan,), (0.0,), (nan, 0.0)),
    ("sinh", (nan,), BOTH + (nan,), NANS),
    ("sqrt", ZEROS, (0.0,), (0.0, 0.0)),
    ("sqrt", EVERY, (inf,), (inf, inf)),
    ("sqrt", REALS, (nan,), NANS),
    ("sqrt", (-inf,), SOME, (0.0, inf)),
    ("sqrt", (inf,), SOME, (inf, 0.0)),
    ("sqrt", (-inf,), (nan,), (nan, either(inf))),
    ("sqrt", (inf,), (nan,), (inf, nan)),
    ("sqrt", (nan,), REALS + (nan,), NANS),
    ("tanh", (0.0,), (0.0,), (0.0, 0.0)),
    ("tanh", BOTH, (inf, nan), NANS),
    ("tanh", (0.0,), (inf, nan), OneOf((0.0, nan), NANS)),
    ("tanh", (inf,), SOME, (1.0, either(0.0))),
    ("tanh", (inf,), (0.5, 1.0), (1.0, 0.0)),
    ("tanh", (inf,), (inf, nan), (1.0, either(0.0))),
    ("tanh", (nan,), (0.0,), (nan, 0.0)),
    ("tanh", (nan,), BOTH + INFINITE + (nan,), NANS),
    ("square", (nan,), (nan,), NANS),
]
for _name in ("log", "log1p"):
    COMPLEX_ROWS += [
        (_name, REALS, (inf,), (inf, near(pi / 2))),
        (_name, REALS, (nan,), NANS),
        (_name, (-inf,), SOME, (inf, near(pi))),
        (_name, (inf,), SOME, (inf, 0.0)),
        (_name, (-inf,), (inf,), (inf, near(3 * pi / 4))),
        (_name, (inf,), (inf,), (inf, near(pi / 4))),
        (_name, INFINITE, (nan,), (inf, nan)),
        (_name, (nan,), REALS, NANS),
        (_name, (nan,), (inf,), (inf, nan)),
        (_name, (nan,), (nan,), NANS),
    ]

CONJUGATE = ("acos", "acosh", "asinh", "atanh", "cosh", "exp", "expm1", "log", "log1p", "sinh", "sqrt", "tanh")
ODD_FUNCTIONS = ("asinh", "atanh", "sinh", "tanh")
EVEN_FUNCTIONS = ("cosh",)
# f(x) = -1j * g(1j * x), or g(1j * x) for the last.
TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh", "cos": "cosh"}


def turned(result, change):
    """A pair, or the pairs of OneOf, with a change made to each."""
    if isinstance(result, OneOf):
        return OneOf(*(change(*pair) for pair in result.choices))
    return change(*result)


def scaled(part, by):
    """A wanted number divided by a positive one."""
    if isinstance(part, Value):
        return Value(part.value / by, part.near, part.unsigned)
    return part / by


def complex_rows():
    """(name, a, b, result) for every pair of components, with what follows from symmetries and from definitions."""
    rows = {}
    for name, reals, imaginaries, result in COMPLEX_ROWS:
        for a, b in product(reals, imaginaries):
            row = [(a, b, result(a, b) if callable(result) else result)]
            if name in CONJUGATE:
                row += [(a, -b, turned(r, lambda re, im: (re, -im))) for a, b, r in row]
            if name in ODD_FUNCTIONS:
                row += [(-a, -b, turned(r, lambda re, im: (-re, -im))) for a, b, r in row]
            if name in EVEN_FUNCTIONS:
                row += [(-a, -b, r) for a, b, r in row]
            for a2, b2, r in row:
                rows[name, repr(a2), repr(b2), repr(r)] = (name, a2, b2, r)
    found = list(rows.values())
    for name, of in TURNED.items():
        for _, a, b, r in [row for row in found if row[0] == of]:  # g at a + bj is f at b - aj
            yield name, b, -a, r if name == "cos" else turned(r, lambda re, im: (im, -re))
    for name, base in (("log2", 2.0), ("log10", 10.0)):
        for _, a, b, r in [row for row in found if row[0] == "log"]:
            yield name, a, b, turned(r, lambda re, im: (scaled(re, log(base)), scaled(im, log(base))))
    yield from found


# ---- two complex operands

MIXED = (-0.0, 0.0, 1.5, -3.0, inf, -inf, nan)

OTHERS = ((-0.0, 0.0), (0.0, -0.0), (1.5, -3.0), (inf, nan))
COMPLEX_PAIRS = [(a, b, c, d) for a, b in product(MIXED, MIXED) for c, d in OTHERS]
