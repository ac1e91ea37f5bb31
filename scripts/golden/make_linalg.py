#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/linalg.npz: results of np.linalg (NumPy 2).

    /tmp/venv/bin/python scripts/golden/make_linalg.py tests/golden

"re 5", "im 5" (int8) make the matrices of size 5: (re + i im) / 16, of which real dtypes take the real part; "b 5" / 16 are three right-hand
sides. "inv f32 5" is a result, stored every 7th row and 5th column where matrices are larger than 8. cholesky is that of a a^H + n I. "batch"
stands for the size of a stack of shape (2, 3, 4, 4)."""
import pathlib
import sys

import numpy as np

assert np.__version__.startswith("2."), np.__version__
SIZES = [0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 48, 64, 70]
DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
rng = np.random.default_rng(0)
out = {}


def store(name, x, n):
    out[name] = x if n <= 8 else x[..., ::7, ::5] if x.ndim > 1 else x


def matrices(shape, name, n):
    parts = [rng.integers(-50, 51, shape).astype(np.int8) for _ in range(2)]
    b = rng.integers(-50, 51, (*shape[:-1], 3)).astype(np.int8)
    out[f"re {name}"], out[f"im {name}"], out[f"b {name}"] = *parts, b
    for short, dtype in DTYPES.items():
        a = parts[0].astype(np.float64) / 16
        if np.issubdtype(dtype, np.complexfloating):
            a = a + 1j * (parts[1].astype(np.float64) / 16)
        s = (a @ a.swapaxes(-1, -2).conj() + n * np.eye(n)).astype(dtype)
        a, right = a.astype(dtype), (b.astype(np.float64) / 16).astype(dtype)
        tail = f"{short} {name}"
        store(f"inv {tail}", np.linalg.inv(a), n)
        store(f"solve {tail}", np.linalg.solve(a, right), n)
        if len(shape) == 2:
            store(f"solve1 {tail}", np.linalg.solve(a, right[:, 0]), n)
        store(f"cholesky {tail}", np.linalg.cholesky(s), n)
        store(f"upper {tail}", np.linalg.cholesky(s, upper=True), n)
        if n <= 32:
            out[f"det {tail}"] = np.asarray(np.linalg.det(a))
        sign, log = np.linalg.slogdet(a)
        out[f"sign {tail}"], out[f"log {tail}"] = np.asarray(sign), np.asarray(log)


for n in SIZES:
    matrices((n, n), str(n), n)
matrices((2, 3, 4, 4), "batch", 4)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "linalg.npz", **out)
