#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/casts.txt: what NumPy on x86-64 gives for astype of single elements, as bits.

usage: make_casts.py > tests/golden/casts.txt

One line for each pair of dtypes: from to in:out in:out ... in hexadecimal, a complex number as its real and imaginary part one behind
the other. Arrays of one element are cast, because NumPy's vector loops for floats out of range of uint32 differ from its scalar ones.
"""
import platform
import sys
import warnings

import numpy as np

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()

INTS = [0, 1, -1, 2, 100, 127, 128, -128, -129, 255, 256, 2049, 32767, -32768, 65519, 65520, 65535, 16777217, -16777219, 2**31 - 1,
        -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1, 2**63 + 1025]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.75, 300.7, -300.7, 65519.99, 65520.0, 1e-8, 2.0**-25, 3 * 2.0**-25, 1 + 2.0**-11,
          1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-24, 2.0**31, -(2.0**31), -(2.0**31) - 1, 2.0**31 + 5, 2.0**32 + 7, -(2.0**33) - 3, 2.0**63,
          -(2.0**63), 9.3e18, -1e19, 2.0**64, 1.9e19, 1e30, 1e39, 1e-45, 1e-300, float("inf"), float("-inf"), float("nan")]


def values(dtype):
    """The elements of that dtype to be cast, without repetition."""
    kind = dtype.kind
    if kind == "b":
        all_values = [False, True]
    elif kind in "iu":
        info = np.iinfo(dtype)
        all_values = [v for v in INTS if info.min <= v <= info.max]
    elif kind == "f":
        all_values = FLOATS
    else:
        all_values = [complex(x, y) for x, y in zip(FLOATS, [0.0, 2.5] + FLOATS[2:][::-1])]
    seen, out = set(), []
    for v in all_values:
        x = np.array([v], "c16" if kind == "c" else None).astype(dtype)
        if x.tobytes() not in seen:
            seen.add(x.tobytes())
            out.append(x)
    return out


def bits(x):
    """The bits of a one-element array in hexadecimal."""
    parts = x.view(x.real.dtype) if x.dtype.kind == "c" else x
    size = parts.dtype.itemsize
    return "".join("%0*x" % (2 * size, v) for v in parts.view("u%d" % size).tolist())


def main():
    if platform.machine() != "x86_64" or sys.byteorder != "little":
        sys.exit("make_casts.py: the golden values are those of x86-64")
    warnings.simplefilter("ignore")
    print("# NumPy %s on x86-64: from to in:out ... (bits); made by scripts/golden/make_casts.py" % np.__version__)
    for source in map(np.dtype, DTYPES):
        for target in map(np.dtype, DTYPES):
            if source != target:
                print(source, target, *("%s:%s" % (bits(x), bits(x.astype(target))) for x in values(source)))


main()
