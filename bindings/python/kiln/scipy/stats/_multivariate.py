# SPDX-License-Identifier: Apache-2.0
"""Distributions of vectors (jax.scipy.stats)."""
import math as _math

from ... import numpy as np
from ..linalg import solve_triangular
from ..special import gammaln, xlogy
from ._common import Distribution, floats, inside


def _normal(x, mean, cov, allow_singular=None):
    if allow_singular is not None:
        raise NotImplementedError("allow_singular argument of multivariate_normal.logpdf")
    x, mean, cov = floats(x, mean, cov)
    if not mean.shape and cov.ndim <= 1:
        return -np.square(x - mean) / (2 * cov) - (_math.log(2 * np.pi) + np.log(cov)) / 2
    n = mean.shape[-1] if mean.shape else cov.shape[-1]
    if cov.ndim < 2 or cov.shape[-2:] != (n, n):
        raise ValueError("multivariate_normal.logpdf got incompatible shapes")
    factor = np.linalg.cholesky(cov)
    z = solve_triangular(np.broadcast_to(factor, (x - mean).shape[:-1] + (n, n)), (x - mean)[..., None], lower=True)
    half = np.log(np.diagonal(factor, axis1=-2, axis2=-1)).sum(-1)
    return -(z[..., 0] ** 2).sum(-1) / 2 - n * _math.log(2 * np.pi) / 2 - half


def _dirichlet(x, alpha):
    x, alpha = floats(x, alpha)
    if alpha.ndim != 1:
        raise ValueError(f"`alpha` must be one-dimensional; got alpha.shape={alpha.shape}")
    if x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
        raise ValueError("`x` must have either the same number of entries as `alpha` or one entry fewer; "
                         f"got x.shape={x.shape}, alpha.shape={alpha.shape}")
    if x.shape[0] != alpha.shape[0]:
        x = np.concatenate([x, 1 - x.sum(0, keepdims=True)], axis=0)
    powers = alpha.reshape((-1,) + (1,) * (x.ndim - 1)) - 1
    log = xlogy(powers, np.maximum(x, 0)).sum(0) + gammaln(alpha.sum()) - gammaln(alpha).sum()
    return inside((x > 0).all(0) & (np.abs(x.sum(0) - 1) < 1e-6), log, -np.inf)


multivariate_normal = Distribution("multivariate_normal", "The normal distribution of vectors.", logpdf=_normal)
dirichlet = Distribution("dirichlet", "The Dirichlet distribution.", logpdf=_dirichlet)
