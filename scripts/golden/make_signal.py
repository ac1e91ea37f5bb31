#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/signal.txt: calls of scipy.signal in the format of make_numpy.py.

usage: make_signal.py tests/golden
"""
import random
import sys

import numpy as np
import scipy.signal as S
from make_numpy import Weak, call, values

rnd = random.Random(5)
DTYPES = "int8 int64 uint16 float32 float64 complex64 complex128".split()


def main(out):
    def convolve(a, b, mode="full"):
        return S.convolve(a, b, mode, method="direct")

    def correlate(a, b, mode="full"):
        return S.correlate(a, b, mode, method="direct")

    f = {"signal_convolve": convolve, "signal_correlate": correlate, "signal_convolve2d": S.convolve2d, "signal_correlate2d": S.correlate2d}
    for name in list(f)[:2]:
        for mode in ("full", "same", "valid"):
            for s, t in [((5,), (3,)), ((5,), (2,)), ((2,), (5,)), ((4,), (4,)), ((4, 5), (2, 3)), ((4, 5), (3, 2)), ((2, 2), (4, 3)), ((3, 2, 4), (2, 2, 3)), ((1,), (1,)),
                         ((), ()), ((4, 2), (2, 3))]:
                for d in DTYPES if s in ((5,), (4, 5)) else ("int8", "float64", "complex64"):
                    if name == "signal_correlate" and d != "float64" and mode == "same" and len(s) == 1 and s < t:
                        continue
                    call(out, name, f[name], values(d, s, rnd.randint(0, 99)), values(d, t, rnd.randint(0, 99)), mode=mode)
        call(out, name, f[name], values("int8", (5,), 1), values("float32", (3,), 1))
        call(out, name, f[name], values("int8", (5,), 1), values("int8", (3, 1), 1))
        call(out, name, f[name], values("int8", (5,), 1), values("int8", (3,), 1), mode="middle")
    for name in list(f)[2:]:
        for boundary in ("fill", "pad", "wrap", "circular", "symm", "symmetric"):
            for mode in ("full", "same", "valid"):
                for s, t in [((4, 5), (2, 3)), ((4, 5), (3, 2)), ((3, 3), (3, 3)), ((2, 1), (3, 4)), ((2, 3), (5, 6)), ((4, 2), (2, 3))]:
                    for d in DTYPES if s == (4, 5) and boundary != "pad" else ("int64", "complex64"):
                        call(out, name, f[name], values(d, s, rnd.randint(0, 99)), values(d, t, rnd.randint(0, 99)), mode=mode, boundary=boundary)
        for v in (2, -1.5):
            call(out, name, f[name], values("float64", (3, 4), 1), values("float64", (2, 3), 1), fillvalue=Weak(v))
        call(out, name, f[name], values("float64", (3, 4), 1), values("float64", (2,), 1))
        call(out, name, f[name], values("float64", (3, 4), 1), values("float64", (2, 2), 1), mode="middle")
        call(out, name, f[name], values("float64", (3, 4), 1), values("float64", (2, 2), 1), boundary="mirror")


with open(f"{sys.argv[1]}/signal.txt", "w") as file:
    main(file)
