#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/lax_casts.txt: what jax.lax.convert_element_type gives on the CPU for single elements, as bits.

usage: make_lax_casts.py > tests/golden/lax_casts.txt

One line for each pair of dtypes: from to in:out in:out ... in hexadecimal, a complex number as its real and imaginary part one behind
the other. Subnormal numbers are left out: XLA takes them for zeros; so are doubles that XLA rounds twice on their way to 16 bits.
"""
import sys
import warnings

import jax
import ml_dtypes
import numpy as np
from jax import lax

DTYPES = [np.dtype(d) for d in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16".split()]
DTYPES += [np.dtype(ml_dtypes.bfloat16)] + [np.dtype(d) for d in "float32 float64 complex64 complex128".split()]

INTS = [0, 1, -1, 2, 100, 127, 128, -128, -129, 255, 256, 2049, 32767, -32768, 65519, 65520, 65535, 16777217, -16777219, 2**31 - 1,
        -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1, 2**63 + 1025]


def around(edge):
    """The edge of a range, the doubles beside it and a half further."""
    return [edge, np.nextafter(edge, np.inf), np.nextafter(edge, -np.inf), edge + 0.5, edge - 0.5]


FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, -1.5, 2.75, 300.7, -300.7, 1 + 2.0**-11, 1 + 2.0**-24, 9.3e18, -1e19,
          1.9e19, 1e30, -1e30, 65519.99, 65520.0, 1e39, float("inf"), float("-inf"), float("nan")]
for _bits in (8, 16, 32, 64):
    for _edge in (2.0 ** (_bits - 1), -(2.0 ** (_bits - 1)), 2.0**_bits, 2.0 ** (_bits - 1) - 1, -(2.0 ** (_bits - 1)) - 1, 2.0**_bits - 1):
        FLOATS += around(_edge)


def values(dtype):
    """The elements of that dtype to be cast, without repetition."""
    if dtype.kind == "b":
        candidates = [False, True]
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        candidates = [v for v in INTS if info.min <= v <= info.max]
    elif dtype.kind == "c":
        candidates = [complex(x, y) for x, y in zip(FLOATS, [0.0, 2.5] + FLOATS[2:][::-1])]
    else:
        candidates = FLOATS
    seen, out = set(), []
    for v in candidates:
        x = np.array([v], "c16" if dtype.kind == "c" else None).astype(dtype)
        if x.tobytes() not in seen:
            seen.add(x.tobytes())
            out.append(x)
    return np.concatenate(out)


def bits(x):
    """The bits of each element in hexadecimal."""
    parts = x.view(x.real.dtype).reshape(-1, 2) if x.dtype.kind == "c" else x.reshape(-1, 1)
    size = parts.dtype.itemsize
    return ["".join("%0*x" % (2 * size, v) for v in row) for row in parts.view("u%d" % size).tolist()]


def main():
    warnings.simplefilter("ignore")
    if sys.byteorder != "little":
        sys.exit("make_lax_casts.py: the bits are read as those of a little-endian machine")
    jax.config.update("jax_enable_x64", True)
    print("# JAX %s on CPU: from to in:out ... (bits); made by scripts/golden/make_lax_casts.py" % jax.__version__)
    for source in DTYPES:
        x = values(source)
        for target in DTYPES:
            if source != target:
                y = np.asarray(lax.convert_element_type(jax.numpy.asarray(x), target))
                print(source, target, *("%s:%s" % pair for pair in zip(bits(x), bits(y))))


main()
