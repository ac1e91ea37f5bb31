# SPDX-License-Identifier: Apache-2.0
"""Factorisations, systems and eigenvalues by NumPy (with SciPy, if it is there) and JAX: the cases of case_linalg.c and case_small.c."""
import numpy as np

MANY, SIDES = 100000, 8


def hashed(shape):
    k = np.arange(1, int(np.prod(shape)) + 1, dtype=np.int64)
    z = (k * 2654435761) % 2**32
    z = ((z ^ (z >> 15)) * 2246822519) % 2**32
    return ((z ^ (z >> 13)) / 2.0**32 - 0.5).reshape(shape)


def matrices(shape, kind, dtype):
    n, m = shape[-1], hashed(shape)
    t = np.swapaxes(m, -1, -2)
    m = {"general": lambda: m + 2 * np.eye(n), "symmetric": lambda: (m + t) / 2, "definite": lambda: m @ t / n + np.eye(n)}[kind]()
    return m.astype(dtype)


def cases(prepare, picks, xp, lu):
    def right(x):
        return xp.swapaxes(x, -1, -2)[..., :1 if x.shape[-1] < SIDES else SIDES]

    def row(x):
        return x[..., 0, :] * 0

    def qr(x):
        q, r = xp.linalg.qr(x)
        return abs(r) + row(q)[..., None, :]

    def eigh(x):
        w, v = xp.linalg.eigh(x)
        return w + row(v)

    def svd(x):
        u, s, vh = xp.linalg.svd(x)
        return s + row(u) + row(vh)

    def eig(x):
        w, v = xp.linalg.eig(x)
        return xp.sort(abs(w)) + row(v).real

    def lstsq(x):
        half = x.shape[1] // 2
        return xp.linalg.lstsq(x[:, :half], x[:, half], rcond=None)[0]

    one = {"cholesky": (xp.linalg.cholesky, "definite"), "lu": (lu, "general"),
           "solve": (lambda x: xp.linalg.solve(x, right(x)), "general"), "qr": (qr, "general"), "eigh": (eigh, "symmetric"),
           "svd": (svd, "general"), "eig": (eig, "general"), "lstsq": (lstsq, "general")}
    many = {"matmul": (lambda x: x @ x, "general"), "matvec": (lambda x: xp.matvec(x, x[..., 0, :]), "general"),
            "inv": (xp.linalg.inv, "general"), "det": (xp.linalg.det, "general"),
            **{name: one[name] for name in ("solve", "cholesky", "lu", "qr", "eigh", "svd")}}

    def make(f, shape, kind, dtype):
        return lambda: prepare(f, matrices(shape, kind, dtype), values=lambda y: picks(np.asarray(y).astype(np.float32)))

    made = {}
    for bits in 32, 64:
        dtype = np.dtype(f"f{bits // 8}")
        for name, (f, kind) in one.items():
            for n in 32, 64, 256, 1024:
                if f:
                    made[f"{name}_f{bits}_{n}"] = make(f, (n, n), kind, dtype)
        for name, (f, kind) in many.items():
            for n in 3, 4, 8:
                if f:
                    made[f"{name}_f{bits}_many_{n}"] = make(f, (MANY, n, n), kind, dtype)
    return made


def numpy_cases(prepare, picks):
    try:
        import scipy.linalg
    except ImportError:
        return cases(prepare, picks, np, None)
    return cases(prepare, picks, np, lambda x: scipy.linalg.lu_factor(x)[0])


def jax_cases(prepare, picks):
    import jax
    import jax.numpy

    made = cases(prepare, picks, jax.numpy, lambda x: jax.lax.linalg.lu(x)[0])

    def gradient(f, kind, dtype):
        return lambda: prepare(jax.grad(f), matrices((256, 256), kind, dtype),
                               values=lambda y: picks(np.asarray(y).astype(np.float32)))

    def sum_of_sine(x):
        w, v = jax.numpy.linalg.eigh((x + x.T) * 0.5)
        return ((v * jax.numpy.sin(w)) @ v.T).sum()

    def sum_of_shrunk(x):
        u, s, vh = jax.numpy.linalg.svd(x)
        return ((u * (s / (s + 1))) @ vh).sum()

    for bits in 32, 64:
        dtype = np.dtype(f"f{bits // 8}")
        made[f"eigh_gradient_f{bits}_256"] = gradient(sum_of_sine, "symmetric", dtype)
        made[f"svd_gradient_f{bits}_256"] = gradient(sum_of_shrunk, "general", dtype)
        made[f"cholesky_gradient_f{bits}_256"] = gradient(lambda x: jax.numpy.linalg.cholesky(x).sum(), "definite", dtype)
        made[f"solve_gradient_f{bits}_256"] = gradient(lambda x: jax.numpy.linalg.solve(x, x.T[:, :SIDES]).sum(), "general", dtype)
    return made
