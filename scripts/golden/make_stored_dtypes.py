#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/stored_dtypes.npz: the dtypes of ml_dtypes that Kiln stores, by what NumPy 2.4 with ml_dtypes casts to them and from them.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy ml_dtypes
    /tmp/venv/bin/python scripts/golden/make_stored_dtypes.py tests/golden

'values T': numbers of dtype T; 'T to D': their bytes in the stored dtype D; 'D from bytes': all bytes as float32; 'D to T': all bytes as T."""
import pathlib
import sys
import warnings

import ml_dtypes as m
import numpy as np

assert np.__version__.startswith("2.4."), np.__version__
warnings.simplefilter("ignore")
np.seterr(all="ignore")
STORED = ["float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
          "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "uint4", "int2", "uint2", "int1", "uint1"]
CODES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
rng = np.random.default_rng(3)


def numbers():
    """Numbers at, between and beside those of the stored floats, and what is special."""
    kept = []
    for d in STORED:
        f = np.arange(256, dtype=np.uint8).view(d).astype(np.float64)
        f = np.unique(f[np.isfinite(f)])
        kept += [f, (f[1:] + f[:-1]) / 2, (f[1:] + f[:-1]) / 2 * (1 + 2.0**-40), (f[1:] + f[:-1]) / 2 * (1 - 2.0**-40)]
    more = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e300, -1e300, 5e-324, 1e-40, 3e-39, 2.0**-127, 2.0**-126, 3 * 2.0**-128, 6e-39, 7e-39, 8e-39,
            2.0**127, 1.5 * 2.0**127, 3.4e38, 2.0**128, 1e9, 3e9, -3e9, 1e19, -1e19, 255.5, 256.5, 65504, 65520]
    return np.unique(np.concatenate(kept + [np.array(more), -np.array(more), rng.normal(size=64) * 10.0**rng.integers(-10, 10, 64)]).view(np.uint64)).view(np.float64)


def main(out):
    stored = {}
    v = numbers()
    for c in CODES:
        x = v.astype(c) if c[0] == "f" else None
        if c[0] == "c":
            x = v[::7].astype(c) + np.array(1j, c)
        if c[0] in "iu":
            i = np.iinfo(c)
            some = sorted({s * (2**k + d) for k in range(65) for d in (-1, 0, 1) for s in (1, -1)} | set(range(-300, 300)))
            x = np.array([n for n in some if i.min <= n <= i.max], c)
        if c == "b1":
            x = np.array([False, True])
        x = np.unique(x.view(f"u{x.dtype.itemsize}")).view(c) if c[0] == "f" else x
        stored["values " + c] = x
        for d in STORED:
            stored[f"{c} to {d}"] = x.astype(d).view(np.uint8)
    for d in STORED:
        y = np.arange(256, dtype=np.uint8).view(d)
        stored[d + " from bytes"] = y.astype(np.float32)
        for c in CODES[:-2]:
            stored[f"{d} to {c}"] = y.astype(c)
    np.savez(pathlib.Path(out) / "stored_dtypes.npz", **stored)


main(*sys.argv[1:])
