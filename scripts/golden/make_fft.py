#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/fft.txt: calls of scipy.fft in the format of make_numpy.py.

usage: make_fft.py tests/golden
"""
import sys

import numpy as np
import scipy.fft as F
from make_numpy import call, values


def main(out):
    for name in "dct idct dst idst".split():
        f = getattr(F, name)
        for type in 1, 2, 3, 4:
            for n in (2, 3, 4, 5, 7, 8, 16, 17, 30) if type == 1 else (1, 2, 3, 4, 5, 7, 8, 16, 17, 30):
                call(out, name, f, values("float64", (n,), n), type=type)
            for norm in "backward", "ortho", "forward":
                for orthogonalize in None, True, False:
                    for n in 4, 5:
                        call(out, name, f, values("float64", (2, n), n), type=type, norm=norm,
                             orthogonalize=orthogonalize)
            for d in "bool int8 float16 float32 complex64 complex128".split():
                call(out, name, f, values(d, (2, 3, 5), 1), type=type, axis=1)
            for n in 2, 3, 4, 6:
                call(out, name, f, values("float32", (4, 2), 2), type=type, n=n, axis=0)
        call(out, name, f, values("float64", (0, 4), 1))
        call(out, name, f, values("float64", (4, 0), 1))
        call(out, name, f, values("float64", (4,), 1), n=0)
        call(out, name, f, values("float64", (4,), 1), type=5)
        call(out, name, f, values("float64", (4,), 1), type=0)
        call(out, name, f, values("float64", (4,), 1), norm="both")
    for name in "dctn idctn dstn idstn".split():
        f = getattr(F, name)
        for type in 1, 2, 3, 4:
            for norm in "backward", "ortho", "forward":
                call(out, name, f, values("float64", (3, 4), 3), type=type, norm=norm)
                call(out, name, f, values("complex64", (3, 2, 4), 4), type=type, norm=norm, axes=(2, 0))
            call(out, name, f, values("float32", (3, 4, 5), 5), type=type, s=(4, 3))
            call(out, name, f, values("float64", (3, 4, 5), 6), type=type, s=(2, -1), axes=(1, 0), orthogonalize=True)
        x = values("float64", (3, 4), 7)
        call(out, name, f, x, axes=(0, 0))
        call(out, name, f, x, axes=(2,))
        call(out, name, f, x, s=(2, 2, 2))
        call(out, name, f, x, s=(2, 2), axes=(0,))
        call(out, name, f, x, norm="both")
        call(out, name, f, values("float64", (), 7))
    for name in "hfft2 ihfft2 hfftn ihfftn".split():
        f = getattr(F, name)
        d = "float64" if name[0] == "i" else "complex128"
        for norm in "backward", "ortho", "forward":
            call(out, name, f, values(d, (3, 4), 8), norm=norm)
            call(out, name, f, values(d, (2, 3, 4), 9), s=(3, 5), axes=(2, 1), norm=norm)


with open(f"{sys.argv[1]}/fft.txt", "w") as file:
    main(file)
