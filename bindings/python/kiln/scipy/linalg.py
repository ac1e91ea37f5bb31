# SPDX-License-Identifier: Apache-2.0
"""Linear algebra (jax.scipy.linalg, and more of scipy.linalg)."""
from .. import _core
from .._core import Function

_c = _core.functions("kiln.scipy.linalg")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The Cholesky factor, upper by default. (jax.scipy.linalg.cholesky)"""
    return _c["_cholesky"](a, upper=not lower)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """(p, l, u), or (p l, u). (jax.scipy.linalg.lu)"""
    p, l, u = _c["_lu"](a, permute_l)
    return (l, u) if permute_l else (p, l, u)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """(lu, pivots) for lu_solve. (jax.scipy.linalg.lu_factor)"""
    return tuple(_c["lu_factor"](a))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solves with what lu_factor gave. (jax.scipy.linalg.lu_solve)"""
    return _c["_lu_solve"](*lu_and_piv, b, trans)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """(factor, lower) for cho_solve. (jax.scipy.linalg.cho_factor)"""
    return _c["_cho_factor"](a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves with what cho_factor gave. (jax.scipy.linalg.cho_solve)"""
    c, lower = c_and_lower
    return _c["_cho_solve"](c, b, lower)


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """(q, r), with pivoting also the permutation. (jax.scipy.linalg.qr)"""
    modes = {"full": "complete", "r": "r", "economic": "reduced"}
    if mode not in modes:
        raise ValueError(f"Unsupported QR decomposition mode '{mode}'")
    q, r, p = _c["_qr"](a, modes[mode], pivoting)
    if mode == "r":
        return (r, p) if pivoting else (r,)
    return (q, r, p) if pivoting else (q, r)


def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False):
    """(the product with q, r), with pivoting also the permutation. (jax.scipy.linalg.qr_multiply)"""
    return tuple(_c["_qr_multiply"](a, c, mode, pivoting, conjugate))[:3 if pivoting else 2]


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True, eigvals=None,
         type=1, check_finite=True, *, subset_by_index=None, subset_by_value=None):
    """(eigenvalues, eigenvectors) of a Hermitian matrix, or the first alone. (jax.scipy.linalg.eigh)"""
    row = _c["_eigvalsh" if eigvals_only else "_eigh"]
    r = row(a, "L" if lower else "U", b, type, eigvals if subset_by_index is None else subset_by_index, subset_by_value)
    return r if eigvals_only else tuple(r)


def eigvalsh(a, b=None, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
             subset_by_index=None, subset_by_value=None):
    """Eigenvalues of a Hermitian matrix. (scipy.linalg.eigvalsh)"""
    return _c["_eigvalsh"](a, "L" if lower else "U", b, type, subset_by_index, subset_by_value)


def eigh_tridiagonal(d, e, *, eigvals_only=False, select="a", select_range=None, tol=None, key=None):
    """Eigenvalues (and vectors) of a symmetric tridiagonal matrix. (jax.scipy.linalg.eigh_tridiagonal)"""
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    row = _c["_eigvalsh_tridiagonal" if eigvals_only else "_eigh_tridiagonal"]
    r = row(d, e, subset_by_index=select_range if select == "i" else None,
            subset_by_value=select_range if select == "v" else None)
    return r if eigvals_only else tuple(r)


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    """Eigenvalues of a symmetric tridiagonal matrix. (scipy.linalg.eigvalsh_tridiagonal)"""
    return eigh_tridiagonal(d, e, eigvals_only=True, select=select, select_range=select_range)


def schur(a, output="real"):
    """(Schur form, vectors). (jax.scipy.linalg.schur)"""
    return tuple(_c["schur"](a, output))


def rsf2csf(T, Z, check_finite=True):
    """The complex Schur form of a real one. (jax.scipy.linalg.rsf2csf)"""
    return tuple(_c["rsf2csf"](T, Z))


def hessenberg(a, *, calc_q=False, overwrite_a=False, check_finite=True):
    """The Hessenberg form, and with calc_q the unitary factor. (jax.scipy.linalg.hessenberg)"""
    r = _c["_hessenberg"](a)
    return tuple(r) if calc_q else r.h


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """(u, s, vh), or s. (jax.scipy.linalg.svd)"""
    r = _c["_svd"](a, full_matrices, compute_uv)
    return tuple(r) if compute_uv else r.s


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True):
    """Solves with a triangular matrix. (jax.scipy.linalg.solve_triangular)"""
    words = {"N": 0, "T": 1, "C": 2}
    return _c["_solve_triangular"](a, b, words.get(trans, trans), lower, unit_diagonal)


def expm_frechet(A, E, *, method=None, compute_expm=True):
    """(the exponential, its derivative along E), or the derivative. (jax.scipy.linalg.expm_frechet)"""
    r = _c["_expm_frechet"](A, E)
    return tuple(r) if compute_expm else r.derivative


def funm(A, func, disp=True):
    """func of a matrix; without disp also an estimate of the error. (jax.scipy.linalg.funm)"""
    r = _c["_funm"](A, Function(lambda x: [func(x[0])], (1,), func, n_out=1))
    return r.f if disp else tuple(r)


def polar(a, side="right", *, method="qdwh", eps=None, max_iterations=None):
    """(unitary, positive semidefinite) factors. (jax.scipy.linalg.polar)"""
    return tuple(_c["polar"](a, side))


def hadamard(n, dtype=int):
    """1 and -1 with orthogonal rows. (jax.scipy.linalg.hadamard)"""
    return _c["_hadamard"](n).astype(dtype)


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """Solves with a banded matrix. (scipy.linalg.solve_banded)"""
    return _c["_solve_banded"](*l_and_u, ab, b)


def _pair(c_or_cr):
    return c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)


def solve_toeplitz(c_or_cr, b, check_finite=True):
    """Solves with a Toeplitz matrix. (scipy.linalg.solve_toeplitz)"""
    return _c["_solve_toeplitz"](*_pair(c_or_cr), b)


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product with a Toeplitz matrix. (scipy.linalg.matmul_toeplitz)"""
    return _c["_matmul_toeplitz"](*_pair(c_or_cr), x)


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v) and n != "Function")
