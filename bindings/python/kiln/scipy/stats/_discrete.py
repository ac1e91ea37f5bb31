# SPDX-License-Identifier: Apache-2.0
"""Distributions of integers (jax.scipy.stats)."""
from ... import numpy as np
from ..special import betaln, gammainc, gammaincc, gammaln, xlog1py, xlogy
from ._common import Distribution, floats, inside

_inf = np.inf


def _counted(f, whole=False):
    """f(k, *shape) with loc behind the shape; -inf below 0, and if `whole` between the integers."""
    def logpmf(k, *args, loc=0, **named):
        n = f.__code__.co_argcount - 1
        names = f.__code__.co_varnames[1:n + 1]
        if len(args) > n:
            args, loc = args[:n], args[n]
        k, loc, *shape = floats(k, loc, *args, *(named[name] for name in names[len(args):]))
        k = k - loc
        return inside((k >= 0) & ((k == np.floor(k)) | (not whole)), f(np.maximum(k, 0), *shape), -_inf)
    return logpmf


def _log_choose(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)


def _bernoulli(k, p):
    return inside(k <= 1, xlogy(k, p) + xlog1py(1 - k, -p), -_inf)


def _binom(k, n, p):
    return inside(k <= n, _log_choose(n, k) + xlogy(k, p) + xlog1py(n - k, -p), -_inf)


def _betabinom(k, n, a, b):
    k = np.floor(k)
    rest = np.maximum(n - k, 0)
    return inside(k <= n, _log_choose(n, k) + betaln(k + a, rest + b) - betaln(a, b), -_inf)


def _geom(k, p):
    return inside(k >= 1, xlog1py(k - 1, -p) + np.log(p), -_inf)


def _nbinom(k, n, p):
    return gammaln(k + n) - gammaln(n) - gammaln(k + 1) + xlogy(n, p) + xlog1py(k, -p)


def _poisson(k, mu):
    return xlogy(k, mu) - gammaln(k + 1) - mu


def _poisson_cdf(k, mu, loc=0):
    k, mu, loc = floats(k, mu, loc)
    k = np.floor(k - loc)
    return inside(k >= 0, gammaincc(np.maximum(k, 0) + 1, mu), 0)


def _poisson_sf(k, mu, loc=0):
    k, mu, loc = floats(k, mu, loc)
    k = np.floor(k - loc)
    return inside(k >= 0, gammainc(np.maximum(k, 0) + 1, mu), 1)


def _bernoulli_cdf(k, p):
    k, p = floats(k, p)
    return inside(k < 0, 0, inside(k < 1, 1 - p, 1))


def _bernoulli_ppf(q, p):
    q, p = floats(q, p)
    return inside((q >= 0) & (q <= 1) & (p >= 0) & (p <= 1), np.where(q <= 1 - p, 0.0, 1.0), np.nan)


def _multinomial(x, n, p):
    x, p = floats(x, p)
    n = np.asarray(n)
    return inside(x.sum(-1) == n, gammaln(n.astype(x.dtype) + 1) + (xlogy(x, p) - gammaln(x + 1)).sum(-1), -_inf)


bernoulli = Distribution("bernoulli", "One try.", logpmf=_counted(_bernoulli, True), cdf=_bernoulli_cdf,
                         ppf=_bernoulli_ppf)
binom = Distribution("binom", "Successes of n tries.", logpmf=_counted(_binom))
betabinom = Distribution("betabinom", "The same of a chance that has a beta distribution.", logpmf=_counted(_betabinom))
geom = Distribution("geom", "Tries until a success.", logpmf=_counted(_geom))
nbinom = Distribution("nbinom", "Failures before n successes.", logpmf=_counted(_nbinom))
poisson = Distribution("poisson", "Events at a rate.", logpmf=_counted(_poisson, True), cdf=_poisson_cdf,
                       sf=_poisson_sf)
multinomial = Distribution("multinomial", "How n tries fall into classes.", logpmf=_multinomial)
