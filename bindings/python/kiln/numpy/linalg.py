# SPDX-License-Identifier: Apache-2.0
"""Linear algebra. (numpy.linalg)"""
from collections import namedtuple as _namedtuple

from .. import _core
from .._core import ConcretizationTypeError as _Traced, LinAlgError
from ._creation import asarray
from ._wrapped import _tensordot

_c = _core.functions("kiln.numpy.linalg")
_np = _core.functions("kiln.numpy")
globals().update(_c)

EigResult = _namedtuple("EigResult", ("eigenvalues", "eigenvectors"))
EighResult = _namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
QRResult = _namedtuple("QRResult", ("Q", "R"))
SlogdetResult = _namedtuple("SlogdetResult", ("sign", "logabsdet"))
SVDResult = _namedtuple("SVDResult", ("U", "S", "Vh"))


def real_if_real(*x):
    """Complex results whose imaginary parts are all 0, as real ones; inside of a trace nobody knows."""
    try:
        real = x[0].dtype.kind == "c" and not (x[0].imag != 0).any()
        x = tuple(y.real.copy() for y in x) if real else x
    except _Traced:
        pass
    return x if len(x) > 1 else x[0]


def eig(a):
    """Eigenvalues and eigenvectors; of a real matrix real ones if all are. (numpy.linalg.eig)"""
    a = asarray(a)
    return EigResult(*(_c["eig"](a) if a.dtype.kind == "c" else real_if_real(*_c["eig"](a))))


def eigvals(a):
    """Eigenvalues; of a real matrix real ones if all are. (numpy.linalg.eigvals)

    >>> import kiln.numpy as knp
    >>> knp.linalg.eigvals([[2., 0.], [0., 3.]])
    array([2., 3.])
    """
    a = asarray(a)
    return _c["eigvals"](a) if a.dtype.kind == "c" else real_if_real(_c["eigvals"](a))


def eigh(a, UPLO="L"):
    """Eigenvalues, rising, and eigenvectors of Hermitian matrices. (numpy.linalg.eigh)"""
    return EighResult(*_c["eigh"](a, UPLO))


def slogdet(a):
    """The sign and the logarithm of determinants. (numpy.linalg.slogdet)"""
    return SlogdetResult(*_c["slogdet"](a))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """a = U diag(S) Vh; S alone without compute_uv. (numpy.linalg.svd)"""
    u, s, vh = _c["svd"](a, full_matrices, compute_uv, hermitian)
    return SVDResult(u, s, vh) if compute_uv else s


def qr(a, mode="reduced"):
    """a = Q R with orthonormal columns of Q and R upper triangular. (numpy.linalg.qr)"""
    if mode in ("f", "full", "e", "economic"):
        raise ValueError(f"The {mode!r} mode is not supported")
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r, _ = _c["qr"](a, mode)
    return r if mode == "r" else (q, r) if mode == "raw" else QRResult(q, r)


def lstsq(a, b, rcond=None):
    """The least squares of a x - b: x, what is left, the rank, the singular values. (numpy.linalg.lstsq)"""
    x, residuals, rank, s = _c["lstsq"](a, b, rcond)
    return x, residuals, rank.astype("int32"), s


def _order(ord):
    return {"named": ord} if isinstance(ord, str) else {"ord": ord}


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a matrix or of vectors. (numpy.linalg.norm)

    >>> import kiln.numpy as knp
    >>> knp.linalg.norm([3., 4.])
    array(5.)
    """
    x = asarray(x)
    n = x.ndim if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
    if isinstance(ord, str) and n == 1:
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if isinstance(ord, str) and n == 2 and ord not in ("fro", "f", "nuc"):
        raise ValueError("Invalid norm order for matrices.")
    return _c["norm"](x, axis=axis, keepdims=keepdims, **_order("fro" if ord == "f" else ord))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of matrices. (numpy.linalg.matrix_norm)"""
    return _c["matrix_norm"](x, keepdims=keepdims, **_order(ord))


def cond(x, p=None):
    """The condition number. (numpy.linalg.cond)"""
    return _c["cond"](x, **({"named": p} if isinstance(p, str) else {"p": p}))


def _is_list(tolerance):
    """A tolerance for each matrix."""
    return tolerance is not None and not isinstance(tolerance, (int, float)) and asarray(tolerance).ndim > 0


def _cutoff(S, relative):
    return _np["max"](S, axis=-1, keepdims=True, initial=0) * asarray(relative)[..., None]


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are larger than the tolerance. (numpy.linalg.matrix_rank) Tolerances may be arrays of
    one for each matrix.

    >>> import kiln.numpy as knp
    >>> knp.linalg.matrix_rank([[[1., 0.], [0., 1e-3]]] * 2, rtol=[1e-2, 1e-4])
    array([1, 2])
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = asarray(A)
    if A.ndim < 2 or not (_is_list(tol) or _is_list(rtol)):
        return _c["matrix_rank"](A, tol, hermitian, rtol=rtol)
    S = svd(A, compute_uv=False, hermitian=hermitian)
    cutoff = asarray(tol)[..., None] if rtol is None else _cutoff(S, rtol)
    return _np["count_nonzero"](S > cutoff, axis=-1)


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The pseudo-inverse, without the singular values below the tolerance. (numpy.linalg.pinv) Tolerances may be arrays
    of one for each matrix."""
    if rtol is not None and rcond is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    a, relative = asarray(a), rcond if rtol is None else rtol
    if not _is_list(relative):
        return _c["pinv"](a, rcond, hermitian, rtol=rtol)
    if a.size == 0:
        return _np["empty"]((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    u, s, vh = svd(a.conj(), False, True, hermitian)
    kept = s > _cutoff(s, relative)
    s = _np["where"](kept, 1 / _np["where"](kept, s, 1), 0).astype(s.dtype)
    return vh.mT @ (s[..., None] * u.mT)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products along axes of both. (numpy.linalg.tensordot)"""
    return _tensordot(_c["tensordot"], x1, x2, axes)


__all__ = [*_c, "LinAlgError"]
