# SPDX-License-Identifier: Apache-2.0
"""Decompositions under the names of jax.lax.linalg."""
from .. import _core

_c = _core.functions("kiln.lax.linalg")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def _as_tuple(name):
    row = _c[name]

    def f(*args, **kwargs):
        return tuple(row(*args, **kwargs))

    f.__name__ = f.__qualname__ = name
    f.__doc__, f.__text_signature__ = row.__doc__, row.__text_signature__
    return f


lu, hessenberg, tridiagonal, qdwh = map(_as_tuple, ("lu", "hessenberg", "tridiagonal", "qdwh"))


def svd(x, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None):
    """(u, s, vh), or s alone. (jax.lax.linalg.svd)"""
    r = _c["_svd"](x, full_matrices, compute_uv, subset_by_index)
    return (r.u, r.s, r.vh) if compute_uv else r.s


def qr(x, *, pivoting=False, full_matrices=True, use_magma=None):
    """(q, r), with pivoting also the permutation. (jax.lax.linalg.qr)"""
    r = _c["qr"](x, pivoting=pivoting, full_matrices=full_matrices)
    return tuple(r)[:3 if pivoting else 2]


def eigh(x, *, lower=True, symmetrize_input=True, sort_eigenvalues=True, subset_by_index=None, implementation=None):
    """(eigenvectors, eigenvalues) of a Hermitian matrix. (jax.lax.linalg.eigh)"""
    return tuple(_c["eigh"](x, lower=lower, symmetrize_input=symmetrize_input, sort_eigenvalues=sort_eigenvalues,
                            subset_by_index=subset_by_index))


def eig(x, *, compute_left_eigenvectors=True, compute_right_eigenvectors=True, enable_eigvec_derivs=False,
        implementation=None, use_magma=None):
    """(eigenvalues, left eigenvectors, right ones), as far as they are asked for. (jax.lax.linalg.eig)"""
    r = _c["eig"](x, compute_left_eigenvectors=compute_left_eigenvectors,
                  compute_right_eigenvectors=compute_right_eigenvectors)
    return tuple(v for v in r if v is not None)


def schur(x, *, compute_schur_vectors=True, sort_eig_vals=False, select_callable=None):
    """(Schur form, vectors) (jax.lax.linalg.schur)"""
    r = _c["schur"](x, compute_schur_vectors=compute_schur_vectors)
    return tuple(v for v in r if v is not None)


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))
