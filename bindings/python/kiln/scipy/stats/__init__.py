# SPDX-License-Identifier: Apache-2.0
"""Distributions and statistics (jax.scipy.stats): formulas over kiln.numpy and kiln.scipy.special, which compose with
grad, jit and vmap."""
from ._continuous import (beta, cauchy, chi2, expon, gamma, gennorm, gumbel_l, gumbel_r, laplace, logistic, norm,
                          pareto, t, truncnorm, uniform, vonmises, wrapcauchy)
from ._discrete import bernoulli, betabinom, binom, geom, multinomial, nbinom, poisson
from ._kde import gaussian_kde
from ._multivariate import dirichlet, multivariate_normal
from ._statistics import mode, rankdata, sem

__all__ = ["bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma",
           "gaussian_kde", "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic", "mode", "multinomial",
           "multivariate_normal",
           "nbinom", "norm", "pareto", "poisson", "rankdata", "sem", "t",
           "truncnorm", "uniform", "vonmises", "wrapcauchy"]
