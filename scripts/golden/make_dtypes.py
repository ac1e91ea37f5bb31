#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/dtypes.txt: what NumPy 2.4 says of dtypes and of numbers that become others.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy ml_dtypes
    /tmp/venv/bin/python scripts/golden/make_dtypes.py > tests/golden/dtypes.txt

One line a call, fields separated by tabs: the function, its arguments, and the result. Dtypes are codes; a number is w:int:3, w:float:HEX,
w:complex:HEX,HEX or w:bool:1, and with a code for w a 0-d array of that dtype; floats are in hexadecimal. An error is ! and its text."""
import itertools
import math
import random
import warnings

import ml_dtypes
import numpy as np

assert np.__version__.startswith("2.4."), np.__version__
warnings.simplefilter("ignore")
CODES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
WEAK = {"w:bool:1": True, "w:int:3": 3, "w:int:-1": -1, "w:float:0x1.8p+0": 1.5, "w:complex:0x0p+0,0x1p+0": 1j,
        "w:int:9223372036854775808": 2**63}
STORED_FLOATS = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
                 "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
STORED_INTEGERS = ["int4", "uint4", "int2", "uint2", "int1", "uint1"]
rng = random.Random(7)


def show(r):
    if isinstance(r, (bool, np.bool)):
        return str(int(r))
    if isinstance(r, (float, np.floating)) or type(r).__module__ == "ml_dtypes":
        return float(r).hex()
    if isinstance(r, type) or isinstance(r, np.dtype):
        return np.dtype(r).name
    return str(r)


def line(name, arguments, f):
    try:
        r = show(f())
    except Exception as e:
        r = "!" + str(e).replace("\n", " ")
    print(name, *arguments, r, sep="\t")


def operand(code):
    if code in WEAK:
        return WEAK[code]
    return np.ones((), code[2:]) if code.startswith("a:") else np.dtype(code)


# ---- Common dtypes.
pool = CODES + ["a:" + c for c in CODES] + list(WEAK)
for n in (1, 2, 3, 4, 5):
    for _ in range(60 if n > 1 else 0):
        some = [rng.choice(pool) for _ in range(n)]
        if sum(s.endswith("808") for s in some) and all(s.startswith("w:") for s in some):
            continue
        line("result_type", some, lambda: np.result_type(*map(operand, some)))
for c in pool:
    line("result_type", [c], lambda: np.result_type(operand(c)))
line("result_type", [], lambda: np.result_type())
for a, b in itertools.product(CODES, CODES):
    line("promote_types", [a, b], lambda: np.promote_types(a, b))
    for how in ("no", "equiv", "safe", "same_kind", "unsafe"):
        line("can_cast", [a, b, how], lambda: np.can_cast(a, b, how))
    for op in ("lt", "le", "gt", "ge", "eq"):
        line(op, [a, b], lambda: getattr(np.dtype(a), f"__{op}__")(np.dtype(b)))
for how in ("same_value", "foo", ""):
    line("can_cast", ["i4", "f4", how], lambda: np.can_cast("i4", "f4", how))
line("can_cast", ["a:i8", "i1", "safe"], lambda: np.can_cast(np.ones((), "i8"), "i1", "safe"))


# ---- The least dtype of a number.
def number(code, v):
    kind = np.dtype(code).kind if code != "w" else {bool: "b", int: "i", float: "f", complex: "c"}[type(v)]
    word = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[kind]
    text = str(int(v)) if kind in "biu" else float(v).hex() if kind == "f" else float(v.real).hex() + "," + float(v.imag).hex()
    return f"{code}:{word}:{text}", (v if code == "w" else np.array(v, code))


ints = sorted({s * (2**k + d) for k in (0, 7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, 0, 1) for s in (1, -1)})
reals = [0.0, -0.0, 1.0, 0.1, 64999.0, 64999.5, 65000.0, 65504.0, -64999.0, -65000.0, 65520.0, 1e5, 3.3e38, 3.4e38, -3.4e38, 3.5e38, 1e308,
         2.0**-30, 5e-324, math.inf, -math.inf, math.nan]
for v in ints:
    for code in ["w"] + [c for c in CODES if c[0] in "iu"]:
        if code == "w" and -2**63 <= v < 2**64 or code != "w" and np.iinfo(code).min <= v <= np.iinfo(code).max:
            text, x = number(code, v)
            line("min_scalar_type", [text], lambda: np.min_scalar_type(x))
for code in ("w", "f2", "f4", "f8"):
    for v in reals:
        text, x = number(code, v)
        line("min_scalar_type", [text], lambda: np.min_scalar_type(x))
for code in ("w", "c8", "c16"):
    for v in [complex(a, b) for a in reals[::3] for b in reals[1::3]]:
        text, x = number(code, v)
        line("min_scalar_type", [text], lambda: np.min_scalar_type(x))
for code in ("w", "b1"):
    text, x = number(code, True)
    line("min_scalar_type", [text], lambda: np.min_scalar_type(x))

# ---- Common inexact types.
for n in (1, 2, 3):
    for some in itertools.combinations_with_replacement(CODES, n):
        if n < 3 or rng.random() < 0.2:
            line("common_type", some, lambda: np.common_type(*[np.ones(2, c) for c in some]))
LETTERS = "?bBhHiIlLqQefdgFDGSx"
for n in (0, 1, 2, 3, 4):
    for _ in range(40 if n else 1):
        chars = "".join(rng.choice(LETTERS) for _ in range(n))
        line("mintypecode", [chars], lambda: np.mintypecode(chars))
        sets = "".join(rng.sample("GDFgdfQqLlIiHhBb?", 5))
        line("mintypecode", [chars, sets, "f"], lambda: np.mintypecode(chars, sets, "f"))
line("mintypecode", ["ed", "ed", "f"], lambda: np.mintypecode("ed", "ed", "f"))

# ---- Kinds.
KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
for c in CODES:
    for k in KINDS:
        line("isdtype", [c, k], lambda: np.isdtype(np.dtype(c), k))
    for a, b in itertools.combinations(KINDS, 2):
        line("isdtype", [c, a + ", " + b], lambda: np.isdtype(np.dtype(c), (a, b)))
for k in ("foo", "", "Bool", "floating"):
    line("isdtype", ["f4", k], lambda: np.isdtype(np.dtype("f4"), k))
ABSTRACT = "generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character".split()
for a, b in itertools.product(CODES + ABSTRACT, CODES + ABSTRACT):
    line("issubdtype", [a, b], lambda: np.issubdtype(getattr(np, a, a), getattr(np, b, b)))
for c in "?bBhHiIlLqQfdgFDGSUVOex":
    line("typename", [c], lambda: np.typename(c))
line("typename", ["S1"], lambda: np.typename("S1"))
for k in list(np.typecodes) + ["foo"]:
    line("typecodes", [k], lambda: np.typecodes[k])

# ---- Limits.
FINFO = "dtype bits nmant nexp iexp machep negep maxexp minexp precision eps epsneg max min resolution smallest_normal smallest_subnormal tiny"
for c in ("f2", "f4", "f8", "c8", "c16", "bfloat16") + STORED_FLOATS:
    f = ml_dtypes.finfo(np.dtype(c)) if len(c) > 3 else np.finfo(c)
    print("finfo", c, *[show(getattr(f, k)) for k in FINFO.split()], sep="\t")
for c in [c for c in CODES if c[0] in "iu"] + STORED_INTEGERS:
    i = np.iinfo(c) if c in CODES else ml_dtypes.iinfo(np.dtype(c))
    print("iinfo", c, *[show(getattr(i, k)) for k in "dtype bits kind min max".split()], show(getattr(i, "key", "nothing")), sep="\t")
for c in ("i4", "u1", "b1"):
    line("finfo", [c], lambda: np.finfo(c))
for c in ("f4", "b1", "c8"):
    line("iinfo", [c], lambda: np.iinfo(c))

# ---- What a dtype says of itself.
OTHER = ["bfloat16", "key", *STORED_FLOATS, *STORED_INTEGERS]  # their numbers are Kiln's own
for c in CODES + [o for o in OTHER if o != "key"]:
    d = np.dtype(c)
    print("attributes", c, d.char, 256 + OTHER.index(c) if c in OTHER else d.num, d.str, d.byteorder, d.alignment, int(d.isnative), d.isbuiltin,
          d.descr, d.ndim, d.base.name, sep="\t")
for order in ("S", "<", ">", "=", "|", "little", "big", "native", "swap", "L", "B", "N", "s", "x", "ignore", "I", "i", "big-endian", "0"):
    for c in ("i4", "u1"):
        def f():
            d = np.dtype(c).newbyteorder(order)
            return "swapped" if not d.isnative else d
        line("newbyteorder", [c, order], f)

# ---- Casts that keep values.
VALUES = {"i": [0, 1, -1, 127, 128, 255, 256, -128, -129, 2**15, 2**16 - 1, 2**24 + 1, 2**31, 2**32 - 1, 2**53 + 1, 2**62 + 1, 2**63 - 1, -2**63],
          "u": [0, 1, 127, 255, 2**16 - 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1],
          "f": [0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 255.0, 256.0, -128.0, 65504.0, 65520.0, 2.0**31, 2.0**53, 2.0**63, 2.0**64, 1e300, math.inf, math.nan],
          "c": [0j, 1 + 0j, 1 + 1j, 0.1 + 0j, complex(0, math.nan), complex(math.nan, 0), 256 + 0j, 1e300 + 0j, complex(0.1, 0.5)], "b": [True, False]}
for a, b in itertools.product(CODES, CODES):
    for v in VALUES[np.dtype(a).kind]:
        if a[0] in "iu" and not np.iinfo(a).min <= v <= np.iinfo(a).max:
            continue
        if a == "f2" and v == 0 and math.copysign(1, v) < 0 or b == "f2" and v == 65504.0:
            continue  # NumPy 2.4 refuses -0.0 as an integer, and the largest float16, by mistake
        text, x = number(a, v)
        line("same_value", [text, b], lambda: bool(np.array([v], a).astype(b, casting="same_value").size))
