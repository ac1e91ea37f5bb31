#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/linalg_derivatives.npz: gradients through factorisations as JAX 0.10 gives them, in float64.

    /tmp/venv/bin/python scripts/golden/make_linalg_derivatives.py tests/golden

Each function takes a real matrix x; where its name ends in "complex" it works on z = x + i x^2 (elementwise). "x eigh", "g eigh", "h eigh": the
matrix, the gradient, and the product of the second derivative with v[k] = cos(k). tests/unit/numpy/test_linalg_derivatives.c has the
same functions."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax

assert jax.__version__.startswith("0.10."), jax.__version__
rng = np.random.default_rng(23)


def weighted(y):
    y = jnp.ravel(jnp.real(y) + 0.5 * jnp.imag(y))
    return jnp.sum(y * jnp.sin(1.0 + jnp.arange(y.size)))


def adjoint(z):
    return jnp.conj(z).T


def definite(z):
    return z @ adjoint(z) + len(z) * jnp.eye(len(z))


def hermitian(z):
    return z + adjoint(z)


def raised(z):
    return z + 3 * jnp.eye(len(z))


def square(y):
    return jnp.real(y * jnp.conj(y))


def of_qr(z):
    q, r = jnp.linalg.qr(z)
    return weighted(square(q)) + weighted(square(r))


def of_eigh(z):
    w, v = jnp.linalg.eigh(hermitian(z))
    return weighted(w) + weighted(square(v))


def of_svd(z):
    u, s, vh = jnp.linalg.svd(z, full_matrices=False)
    return weighted(square(u)) + weighted(s) + weighted(square(vh))


def right(z):
    return jnp.sin(jnp.arange(2.0 * len(z))).reshape(len(z), 2)


SQUARE, TALL, WIDE = (4, 4), (5, 3), (3, 5)
FUNCTIONS = {
    "cholesky": (SQUARE, lambda z: weighted(jnp.linalg.cholesky(definite(z)))),
    "lu": (SQUARE, lambda z: weighted(lax.linalg.lu(raised(z))[0])),
    "solve": (SQUARE, lambda z: weighted(jnp.linalg.solve(raised(z), z.T))),
    "inv": (SQUARE, lambda z: weighted(jnp.linalg.inv(raised(z)))),
    "det": (SQUARE, lambda z: weighted(jnp.linalg.det(z))),
    "slogdet": (SQUARE, lambda z: jnp.linalg.slogdet(z)[1]),
    "triangular": (SQUARE, lambda z: weighted(jsl.solve_triangular(raised(z), z, lower=True))),
    "qr": (TALL, of_qr),
    "eigh": (SQUARE, of_eigh),
    "svd": (TALL, of_svd),
    "svd wide": (WIDE, of_svd),
    "eigvals": (SQUARE, lambda z: jnp.sum(jnp.abs(jnp.linalg.eigvals(z)) ** 1.5)),
    "pinv": (TALL, lambda z: weighted(jnp.linalg.pinv(z))),
    "lstsq": (TALL, lambda z: weighted(jnp.linalg.lstsq(z, right(z).astype(z.dtype))[0])),
    "expm": (SQUARE, lambda z: weighted(jsl.expm(z / 4))),
    "norm": (SQUARE, lambda z: jnp.linalg.norm(z, 2) + jnp.linalg.norm(z, "nuc") + jnp.linalg.norm(z) + jnp.linalg.norm(z, 1)),
    "power": (SQUARE, lambda z: weighted(jnp.linalg.matrix_power(z, 5)) + weighted(jnp.linalg.matrix_power(raised(z), -2))),
}
out = {}
for name, (shape, f) in FUNCTIONS.items():
    for kind in ("", " complex"):
        x = np.round(rng.uniform(-1.2, 1.2, shape), 3)
        g = (lambda x: f(x + 1j * x * x)) if kind else f
        v = np.cos(np.arange(x.size)).reshape(shape)
        try:
            out[f"g {name}{kind}"] = np.asarray(jax.grad(g)(x))
            out[f"x {name}{kind}"] = x
            out[f"h {name}{kind}"] = np.asarray(jax.jvp(jax.grad(g), (x,), (v,))[1])
        except NotImplementedError as e:
            print(name, kind, e)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "linalg_derivatives.npz", **out)
print([k for k in out if not np.isfinite(out[k]).all()])
