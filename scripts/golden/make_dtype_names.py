#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/dtype_names.txt: what np.dtype (NumPy >= 2.4, with ml_dtypes) makes of names.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy ml_dtypes
    /tmp/venv/bin/python scripts/golden/make_dtype_names.py > tests/golden/dtype_names.txt

One line per name, fields separated by tabs: the name and the dtype's name; '>' before that: of the other byte order; '-':
NumPy refuses it; '!': a dtype that Kiln does not have. On x86-64."""
import itertools
import string
import warnings

import ml_dtypes
import numpy as np

assert tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4), np.__version__
warnings.simplefilter("ignore")
HERE = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
        "complex128", "bfloat16"}
HERE |= {"float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
         "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "uint4", "int2", "uint2", "int1", "uint1"}


def meaning(name):
    try:
        d = np.dtype(name)
    except (TypeError, SyntaxError, ValueError):
        return "-"
    if d.name not in HERE or d.fields or d.subdtype:
        return "!" + d.name
    return d.name if d.isnative else ">" + d.newbyteorder("=").name


names = {str(k) for k in np.sctypeDict} | set(HERE)
for t in [np.dtype(t) for t in set(np.sctypeDict.values()) if np.dtype(t).kind in "biufc"]:
    names |= {t.name, t.str, t.char, t.str[1:], t.type.__name__}
codes = ["".join(c) for n in (1, 2) for c in itertools.product(string.ascii_letters + string.digits + "?", repeat=n)]
codes += [k + str(n) for k in "biufcSUVOMm" for n in (0, 3, 5, 10, 12, 16, 32, 64, 80, 96, 128, 256)] + ["f04", "i08"]
ordered = [o + c for o in "<>=|" for c in codes if meaning(c) != "-"]
names |= {c for c in codes if meaning(c) != "-"} | set(ordered)
names |= {o + n for o in "<>=|" for n in HERE}  # orders go with codes only
# JAX's short names, and others that NumPy does not take
names |= {k + str(n) for k in ("i", "u", "f", "c", "bf") for n in (1, 2, 4, 8, 16, 32, 64, 128)}
names |= {"pred", "bool8", "int0", "uint0", "float_", "complex_", "Float64", "FLOAT64", "float 64", " f4", "f4 ", "i4,", "4i", "(2,)i4",
          "unsigned int", "long long", "signed char", "size_t", "ssize_t", "f", "x", "key", "<", ">", "=", "|", "<<f4", "<|f4", "float31",
          "float64_t", "int64_t", "b2", "?1", "i", "u", "c", "bfloat", "bf", "brain", "half_", "single_", "double_"}
OTHER = ("!str", "!bytes", "!void", "!object", "!StringDType", "!datetime", "!timedelta")
names = {n for n in names if n.isalpha() or not meaning(n).startswith(OTHER) or n in ("V2", "|V2", "S1", "U8", "i4,", "4i", "(2,)i4")}
for name in sorted(names):
    print(f"{name}\t{meaning(name)}")
