#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/scipy_linalg.npz: results of scipy.linalg (SciPy 1.15 or later).

    /tmp/venv/bin/python scripts/golden/make_scipy_linalg.py tests/golden

"a real 3" (or complex) is a matrix of 3 rows, in sixteenths, so that float32 has it exactly; what else goes in is made of it as the test says.
"cosm real 3" is a result, in double precision."""
import pathlib
import sys

import numpy as np
import scipy
from scipy import linalg as sl

assert tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15), scipy.__version__
rng = np.random.default_rng(17)
out = {}


def sixteenths(*shape, complex_=False):
    x = rng.integers(-24, 25, shape) / 16
    return x + 1j * (rng.integers(-24, 25, shape) / 16) if complex_ else x


def one(kind, n):
    c = kind == "complex"
    tail = f"{kind} {n}"
    a, b, ab = sixteenths(n, n, complex_=c), sixteenths(n, 2, complex_=c), sixteenths(4, n, complex_=c)
    ab[1] += 6  # the main diagonal of 2 below and 1 above
    put = lambda name, x: out.__setitem__(f"{name} {tail}", np.asarray(x))
    put("a", a), put("b", b), put("ab", ab)
    h = a + a.conj().T
    for lower in (True, False):
        for hermitian in (True, False):
            lu, d, p = sl.ldl(h if hermitian else a + a.T, lower=lower, hermitian=hermitian)
            name = f"{'lower' if lower else 'upper'} {'hermitian' if hermitian else 'symmetric'}"
            put(f"ldl {name} l", lu), put(f"ldl {name} d", d), put(f"ldl {name} p", p)
    for name in "cosm sinm tanm coshm sinhm tanhm".split():
        put(name, getattr(sl, name)(a / 4))
    good = a + 4 * np.eye(n)
    good[0, 0] -= 8  # eigenvalues of both signs
    put("signm", sl.signm(good))
    put("power", sl.fractional_matrix_power(a + 6 * np.eye(n), 0.3).astype(complex))
    put("power -1.75", sl.fractional_matrix_power(a + 6 * np.eye(n), -1.75).astype(complex))
    put("funm", sl.funm(a + np.diag(4.0 * np.arange(n)), lambda x: 1 / (20 + x)).astype(complex))
    put("solve_banded", sl.solve_banded((2, 1), ab, b))
    half = ab[1:4] + np.array([[6], [0], [0]])  # a lower band
    half[0] = half[0].real
    put("solveh_banded", sl.solveh_banded(half, b, lower=True))
    put("solveh_banded upper", sl.solveh_banded(half[::-1], b, lower=False))
    put("eigvals_banded", sl.eigvals_banded(half, lower=True))
    put("eigvals_banded upper", sl.eigvals_banded(half[::-1]))
    c, r = a[0] + 8 * (np.arange(n) == 0), a[:, 0]
    put("solve_toeplitz", sl.solve_toeplitz((c, r), b))
    put("solve_toeplitz hermitian", sl.solve_toeplitz(np.where(np.arange(n) == 0, c.real, c), b))
    put("matmul_toeplitz", sl.matmul_toeplitz((c, r[:n]), b))
    put("solve_circulant", sl.solve_circulant(c, b))
    w = b @ b.conj().T + np.eye(n)
    rr = np.array([[2, 0.5], [0.5, 1.0]])
    s = b / 8
    put("continuous_are", sl.solve_continuous_are(a, b, w, rr, s=s))
    put("discrete_are", sl.solve_discrete_are(a, b, w, rr, s=s))
    put("continuous_are plain", sl.solve_continuous_are(a, np.eye(n), w, 2 * np.eye(n)))
    put("discrete_are plain", sl.solve_discrete_are(a, np.eye(n), w, 2 * np.eye(n)))
    put("khatri_rao", sl.khatri_rao(a, np.hstack([b] * n)[:, :n]))
    r1, s1 = sl.orthogonal_procrustes(a, a @ a + np.eye(n))
    put("procrustes r", r1), put("procrustes scale", s1)
    put("bandwidth", sl.bandwidth(np.tril(np.triu(a + 10, -1), 2)))
    tall = np.vstack([a, b.T[:, :n]])
    p, l, u = sl.lu(tall, p_indices=True)
    put("lu p", p), put("lu l", l), put("lu u", u)
    d, e = np.diag(a).real, np.diag(a, 1).real
    put("eigvalsh_tridiagonal", sl.eigvalsh_tridiagonal(d, e))


for kind in ("real", "complex"):
    for n in (1, 2, 5, 9):
        one(kind, n)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "scipy_linalg.npz", **out)
