#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/stored.npz and deflated.npz with NumPy (>= 2.3): the same arrays, np.savez and np.savez_compressed.

    /tmp/venv/bin/python scripts/golden/make_npz.py tests/golden

Element k in C order is k % 5, for complex numbers k % 5 + 1j * (k % 3). Names say dtype, order of bytes, order of axes and shape:
"f4_le_C_2x3"; a 0-d array has the shape "s"."""
import pathlib
import sys

import numpy as np

assert tuple(map(int, np.__version__.split(".")[:2])) >= (2, 3), np.__version__
arrays = {}
for code in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
    for order, sign in ("le", "<"), ("be", ">"):
        for shape in ((), (1,), (7,), (0,), (2, 3), (3, 0, 2), (2, 3, 4), (1, 5, 1), (100,)):
            for axes in "CF":
                if (axes == "F" and len(shape) < 2) or (order == "be" and np.dtype(code).itemsize == 1):
                    continue
                n = int(np.prod(shape))
                k = np.arange(n)
                v = k % 5 + (1j * (k % 3) if code[0] == "c" else 0)
                a = np.asarray(v.astype(sign + code).reshape(shape), order=axes)
                arrays[f"{code}_{order}_{axes}_{'x'.join(map(str, shape)) or 's'}"] = a
folder = pathlib.Path(sys.argv[1])
few = {name: a for i, (name, a) in enumerate(arrays.items()) if i % 3 == 0}
np.savez(folder / "stored.npz", **few)
np.savez_compressed(folder / "deflated.npz", **arrays)
