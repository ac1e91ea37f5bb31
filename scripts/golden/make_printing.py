#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/printing.txt: how NumPy (2.4) prints arrays and numbers with all options.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy
    /tmp/venv/bin/python scripts/golden/make_printing.py > tests/golden/printing.txt

Fields are separated by tabs, texts escaped as Python's unicode_escape does it; = and ; in options are \\x3d and \\x3b.
A line `array` has a dtype, a shape and elements in hex, and those behind it are about it: `str`, `repr` or `array2string`, options and
the text. A line `number` has a dtype and the element in hex; behind it are `positional`, `scientific`, `base`, `binary`, `hex` and
`ratio`, with options and a text, or with the kind of an error in brackets and its message."""
import itertools
import sys

import numpy as np

assert tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4), np.__version__
rng = np.random.default_rng(21)
out = []

FORMATTERS = {  # as the test has them in C
    "two": lambda x: f"{float(np.real(x)):.2f}",
    "angle": lambda x: f"<{x!s}>",
    "lines": lambda x: f"{x!s}\n[{x!s}]\n!",
}


def escaped(text):
    return text.encode("unicode_escape").decode("ascii")


def shown(options):
    def one(v):
        text = str(int(v)) if isinstance(v, bool) else str(v)
        return escaped(text).replace("=", "\\x3d").replace(";", "\\x3b")
    return ";".join(f"{k}={one(v)}" for k, v in options.items()) or "-"


def outcome(f):
    try:
        return escaped(f())
    except (ValueError, TypeError, OverflowError, RuntimeError) as e:
        return f"[{type(e).__name__}] {escaped(str(e))}"


def functions(options):
    """formatter is KIND:NAME in the file."""
    if "formatter" not in options:
        return options
    return {**options, "formatter": {part.partition(":")[0]: FORMATTERS[part.partition(":")[2]]
                                     for part in options["formatter"].split(",")}}


current = None


def array(a):
    global current
    a = np.ascontiguousarray(a) if np.ndim(a) else np.array(a)
    current = a
    out.append("\t".join(["array", a.dtype.name, ",".join(map(str, a.shape)) if a.shape else "()", a.tobytes().hex() or "-"]))


def texts(**options):
    """str and repr with these print options."""
    for name, f in (("str", str), ("repr", repr)):
        def text():
            with np.printoptions(**functions(options)):
                return f(current)
        out.append("\t".join([name, shown(options), outcome(text)]))


def lines(**options):
    """array2string."""
    out.append("\t".join(["array2string", shown(options), outcome(lambda: np.array2string(current, **functions(options)))]))


FLOATS = [np.dtype(t) for t in ("f2", "f4", "f8")]
INTS = [np.dtype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
COMPLEX = [np.dtype(t) for t in ("c8", "c16")]
VALUES = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.1, 1 / 3, 2.5, 1e-4, 9.999e-5, 1e-5, 999.0, 1000.0, 1001.0, 65504.0, 999999.0, 1e6,
          99999999.0, 1e8, 123456789.0, 1e15, 1e16, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.17549435e-38,
          3.4028235e38, 6e-8, 1e100, 1e-100, 2.0**-44, 9007199254740993.0, 5e-9, 4.999e-9, 1.5, 123.456, 0.5, 8.5, 1e-45, 1.4e-45, 6.1e-5]
MODES = ("fixed", "unique", "maxprec", "maxprec_equal")
SHAPES = [(), (0,), (1,), (3,), (0, 3), (2, 0, 2), (1, 1), (2, 3), (2, 2, 2), (1, 2, 1, 2), (2, 2, 2, 2), (30,), (2, 24), (0,) * 4, (3, 1)]


def cast(v, t):
    with np.errstate(all="ignore"):
        return np.asarray(v).astype(t)


def some(t, n):
    """Elements of a dtype: special ones, or all of one size, or of very different sizes."""
    if t.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if t.kind in "iu":
        i = np.iinfo(t)
        kind = rng.integers(4)
        v = (rng.integers(i.min, i.max, n, t, endpoint=True) if kind == 0 else rng.integers(0, 10, n).astype(t) if kind == 1 else
             rng.choice(np.array([i.min, i.max, 0, 1, i.max // 3], t), n) if kind == 2 else
             (10.0 ** rng.uniform(0, np.log10(float(i.max)) - 0.1, n)).astype(t))
        return -v if t.kind == "i" and rng.integers(3) == 0 else v
    if t.kind == "c":
        part = np.dtype("f4") if t.itemsize == 8 else np.dtype("f8")
        v = np.empty(n, t)
        v.real, v.imag = some(part, n), some(part, n)
        return v
    kind = rng.integers(6)
    if kind == 0:
        return cast(rng.choice(VALUES, n), t)
    if kind == 1:
        return cast(rng.standard_normal(n) * 10.0 ** rng.integers(-6, 9), t)
    if kind == 2:
        return cast(np.round(rng.standard_normal(n) * 100, int(rng.integers(0, 4))), t)
    if kind == 3:
        return cast(rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n), t)
    if kind == 4:
        return rng.integers(0, 256, n * t.itemsize).astype(np.uint8).view(t)
    return cast(rng.integers(-5, 6, n), t)


def option(t):
    """Print options at random."""
    o = {}
    if rng.integers(2):
        o["precision"] = int(rng.choice([0, 1, 2, 3, 5, 8, 12, 17, 25]))
    if rng.integers(2):
        o["floatmode"] = MODES[rng.integers(4)]
    if rng.integers(3) == 0:
        o["suppress"] = bool(rng.integers(2))
    if rng.integers(3) == 0:
        o["sign"] = "-+ "[rng.integers(3)]
    if rng.integers(3) == 0:
        o["linewidth"] = int(rng.choice([1, 5, 10, 20, 33, 40, 60, 74, 75, 76, 100]))
    if rng.integers(3) == 0:
        o["threshold"] = int(rng.choice([0, 1, 3, 5, 10, 20]))
    if rng.integers(3) == 0:
        o["edgeitems"] = int(rng.choice([0, 1, 2, 3, 4]))
    if rng.integers(5) == 0:
        o["nanstr"] = str(rng.choice(["N", "missing", "", "\u00b5\u00b5"]))
    if rng.integers(5) == 0:
        o["infstr"] = str(rng.choice(["I", "endless", "\u221e", "unendlich viel"]))
    if rng.integers(8) == 0:
        o["formatter"] = str(rng.choice(["all:two", "all:lines", "int:angle", "int_kind:lines", "float_kind:two", "float:angle", "bool:angle",
                                         "complex_kind:angle", "complexfloat:two", "all:angle,float_kind:two,float:lines"]))
    return o


def line_option(t):
    o = {{"suppress": "suppress_small", "linewidth": "max_line_width"}.get(k, k): v for k, v in option(t).items()
         if k not in ("nanstr", "infstr")}
    if rng.integers(2):
        o["separator"] = str(rng.choice([", ", ",", "; ", " | ", "", "\t", "   ", ",\n", "--", " \u2192 "]))
    if rng.integers(3) == 0:
        o["prefix"] = str(rng.choice(["x = ", "array(", "\u00e4\u00f6\u00fc: "]))
    if rng.integers(3) == 0:
        o["suffix"] = str(rng.choice([")", " # the end", "\u00b5"]))
    return o


def random_arrays():
    for t in [np.dtype("?"), *INTS, *FLOATS, *COMPLEX]:
        for shape in SHAPES:
            for _ in range(3 if t.kind in "fc" else 1):
                n = int(np.prod(shape))
                array(some(t, n).reshape(shape))
                texts()
                for _ in range(2):
                    texts(**option(t))
                for _ in range(3):
                    lines(**line_option(t))


def modes():
    arrays = [[0.1, 1 / 3, -2.5, 1000.125], [1e-7, 1.5, 123456.789], [1.0, np.nan, np.inf], [1e-10, 1e10, -np.inf], [0.0, -0.0], [2 / 3],
              [5e-9, 6e-9, 4e-9, 1], [np.nan, np.nan], [0.5, 1.5, 2.5, 0.05, 0.06], [1e300, 1e-300], [9.5, 99.95, 999.995], [9.9999999999]]
    for v, t in itertools.product(arrays, FLOATS):
        array(cast(v, t))
        for mode, precision in itertools.product(MODES, (0, 2, 8)):
            lines(floatmode=mode, precision=precision)
        for mode, sign in itertools.product(("fixed", "maxprec"), "+ "):
            lines(floatmode=mode, sign=sign, suppress_small=True)
    array(np.arange(3.0))
    for bad in (dict(precision=-1), dict(floatmode="most"), dict(sign="x"), dict(precision=-1, floatmode="unique")):
        lines(**bad)
    array(np.arange(3))
    lines(precision=-1)
    texts(threshold=-1)
    array(np.zeros(0))
    lines(precision=-1)
    texts(threshold=-1)


def summaries():
    for t in (np.dtype("i2"), np.dtype("f4"), np.dtype("?"), np.dtype("c8")):
        array(cast(np.arange(1001) % 300, t))
        texts()
        lines(separator=",")
    a = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5) / 3
    array(a)
    for edge, threshold, separator in itertools.product((0, 1, 2, 3), (0, 119, 120), (" ", ", ")):
        lines(edgeitems=edge, threshold=threshold, separator=separator)


def number(x):
    global current
    current = x
    out.append("\t".join(["number", x.dtype.name, x.tobytes().hex()]))


def case(name, f, **options):
    out.append("\t".join([name, shown(options), outcome(lambda: f(current, **options))]))


def positional(**options):
    case("positional", np.format_float_positional, **options)


def scientific(**options):
    case("scientific", np.format_float_scientific, **options)


def float_option():
    o = {}
    if rng.integers(2):
        o["precision"] = int(rng.choice([0, 1, 2, 3, 5, 9, 17, 30, 60]))
    if rng.integers(2):
        o["unique"] = bool(rng.integers(2))
    if rng.integers(2):
        o["trim"] = "k.0-"[rng.integers(4)]
    if rng.integers(4) == 0:
        o["sign"] = True
    if rng.integers(4) == 0:
        o["pad_left"] = int(rng.integers(0, 9))
    if rng.integers(4) == 0:
        o["min_digits"] = int(rng.integers(0, 12))
    return o


def numbers():
    for t in FLOATS:
        for v in itertools.chain(VALUES, [None] * 15):
            number(cast(v, t)[()] if v is not None else rng.integers(0, 256, 8).astype(np.uint8).view(t)[0])
            positional()
            scientific()
            for _ in range(4):
                o = float_option()
                if rng.integers(3) == 0:
                    o["fractional"] = bool(rng.integers(2))
                if rng.integers(3) == 0:
                    o["pad_right"] = int(rng.integers(0, 9))
                positional(**o)
                o = float_option()
                if rng.integers(2):
                    o["exp_digits"] = int(rng.integers(0, 8))
                scientific(**o)
            case("hex", lambda x: float(x).hex())
            case("ratio", ratio)
    number(np.float64(1.5))
    for o in (dict(precision=-2), dict(pad_left=-2), dict(pad_right=-2), dict(min_digits=-2), dict(precision=0, fractional=False),
              dict(precision=2, min_digits=3), dict(unique=False), dict(pad_left=16384), dict(precision=16382, unique=False)):
        positional(**o)
    scientific(exp_digits=-2)


def ends():
    """Digits that end before the precision does."""
    for t, v in itertools.product(FLOATS, (4.0, -2.0, 0.125, 1e-5, 96.0, 0.1)):
        number(t.type(v))
        for precision, trim in itertools.product((1, 3, 6), "k.0-"):
            scientific(precision=precision, unique=False, trim=trim)
            positional(precision=precision, unique=False, trim=trim, fractional=False)


def ratio(x):
    n, d = x.as_integer_ratio()
    if abs(n) >= 2**63 or d >= 2**63:
        raise OverflowError("the integers of this ratio have more than 63 bits")
    return f"{n}/{d}"


def integers():
    for t in INTS:
        i = np.iinfo(t)
        for v in {i.min, i.min + 1, i.max, 0, 1, 2, 5, i.max // 3, -1 if i.min else 7, -4 if i.min else 8}:
            number(np.array(v, t)[()])
            for base in (2, 3, 10, 16, 36):
                case("base", np.base_repr, base=base)
            case("base", np.base_repr, base=8, padding=3)
            case("base", np.base_repr, padding=-1)
            for width in (0, 1, 3, 8, 64, 70):
                case("binary", np.binary_repr, width=width)
            case("binary", np.binary_repr)
    number(np.int64(5))
    for base in (37, 1, 0, -2):
        case("base", np.base_repr, base=base)
    case("binary", np.binary_repr, width=-3)
    for v in (np.float64(5.7), np.float64(-300.25)):
        number(v)
        case("base", np.base_repr, base=7)


for part in (random_arrays, modes, summaries, numbers, integers, ends):
    part()
sys.stdout.write("".join(line + "\n" for line in out))
