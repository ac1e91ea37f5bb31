# SPDX-License-Identifier: Apache-2.0
"""Continuous distributions of one variable (jax.scipy.stats)."""
import math as _math

from ... import numpy as np
from .. import special
from ..special import betainc, betaln, gammainc, gammaincc, gammaln, log_ndtr, ndtr, ndtri, xlog1py, xlogy
from ._common import Distribution, floats, inside

_inf, _pi, _LOG_2PI = _math.inf, _math.pi, _math.log(2 * _math.pi)


def _standard(name, doc, **of):
    """A distribution with a place and a width, of functions of z = (x - loc) / scale: logpdf(z) and others."""
    def located(short, f):
        def of_q(q, loc=0, scale=1):
            q, loc, scale = floats(q, loc, scale)
            return loc + scale * f(q)

        def of_x(x, loc=0, scale=1):
            x, loc, scale = floats(x, loc, scale)
            z = (x - loc) / scale
            return f(z) - np.log(scale) if short == "logpdf" else f(z)
        return of_q if short in ("ppf", "isf") else of_x
    return Distribution(name, doc, **{k: located(k, f) for k, f in of.items()})


norm = _standard(
    "norm", "The normal distribution.", logpdf=lambda z: -(z * z + _LOG_2PI) / 2, cdf=ndtr, logcdf=log_ndtr,
    sf=lambda z: ndtr(-z), logsf=lambda z: log_ndtr(-z), ppf=ndtri, isf=lambda q: -ndtri(q))
cauchy = _standard(
    "cauchy", "The Cauchy distribution.", logpdf=lambda z: -_math.log(_pi) - np.log1p(z * z),
    cdf=lambda z: np.arctan2(np.ones_like(z), -z) / _pi, sf=lambda z: np.arctan2(np.ones_like(z), z) / _pi,
    ppf=lambda q: np.tan(_pi * (q - 0.5)), isf=lambda q: np.tan(_pi * (0.5 - q)))
laplace = _standard(
    "laplace", "The Laplace distribution.", logpdf=lambda z: -np.abs(z) - _math.log(2),
    cdf=lambda z: np.where(z <= 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2))
logistic = _standard(
    "logistic", "The logistic distribution.", logpdf=lambda z: -z - 2 * np.logaddexp(0, -z),
    cdf=lambda z: np.exp(-np.logaddexp(0, -z)), logcdf=lambda z: -np.logaddexp(0, -z),
    sf=lambda z: np.exp(-np.logaddexp(0, z)), logsf=lambda z: -np.logaddexp(0, z),
    ppf=lambda q: np.log(q) - np.log1p(-q), isf=lambda q: np.log1p(-q) - np.log(q))
gumbel_r = _standard(
    "gumbel_r", "The Gumbel distribution of maxima.", logpdf=lambda z: -z - np.exp(-z),
    cdf=lambda z: np.exp(-np.exp(-z)), logcdf=lambda z: -np.exp(-z), sf=lambda z: -np.expm1(-np.exp(-z)),
    ppf=lambda q: -np.log(-np.log(q)))
gumbel_l = _standard(
    "gumbel_l", "The Gumbel distribution of minima.", logpdf=lambda z: z - np.exp(z),
    cdf=lambda z: -np.expm1(-np.exp(z)), sf=lambda z: np.exp(-np.exp(z)), logsf=lambda z: -np.exp(z),
    ppf=lambda q: np.log(-np.log1p(-q)))
uniform = _standard(
    "uniform", "The uniform distribution on [loc, loc + scale].",
    logpdf=lambda z: inside((z >= 0) & (z <= 1), np.zeros_like(z), -_inf), cdf=lambda z: np.clip(z, 0, 1),
    ppf=lambda q: inside((q >= 0) & (q <= 1), q, np.nan))
expon = _standard(
    "expon", "The exponential distribution.", logpdf=lambda z: inside(z >= 0, -z, -_inf),
    cdf=lambda z: -np.expm1(-np.maximum(z, 0)), sf=lambda z: np.exp(-np.maximum(z, 0)),
    logsf=lambda z: -np.maximum(z, 0), ppf=lambda q: inside((q >= 0) & (q <= 1), -np.log1p(-q), np.nan))


def _shaped(name, doc, n, **of):
    """The same with n parameters of the shape in front of loc and scale: f(z, *shape)."""
    def located(short, f):
        def of_x(x, *args, **named):
            names = [*_SHAPES[name], "loc", "scale"]
            if len(args) > n + 2:
                raise TypeError(f"{name}.{short}() takes at most {n + 3} arguments")
            named = dict(zip(names, args), **{k: v for k, v in named.items() if k not in names[:len(args)]})
            if set(named) - set(names) or not set(names[:n]) <= set(named):
                raise TypeError(f"{name}.{short}() takes x, {', '.join(names)}")
            x, loc, scale, *shape = floats(x, named.get("loc", 0), named.get("scale", 1), *map(named.get, names[:n]))
            if short == "ppf":
                return loc + scale * f(x, *shape)
            z = (x - loc) / scale
            return f(z, *shape) - np.log(scale) if short == "logpdf" else f(z, *shape)
        return of_x
    return Distribution(name, doc, **{k: located(k, f) for k, f in of.items()})


_SHAPES = {"gamma": ["a"], "beta": ["a", "b"], "t": ["df"], "chi2": ["df"], "pareto": ["b"], "gennorm": ["beta"],
           "truncnorm": ["a", "b"]}


def _from_zero(z):
    """z where it is positive, else 1: formulas of the other half give numbers that are not looked at."""
    return np.where(z > 0, z, 1)


def _unit(z):
    """z where it is between 0 and 1, else a half."""
    return np.where((z >= 0) & (z <= 1), z, 0.5)


gamma = _shaped(
    "gamma", "The gamma distribution.", 1,
    logpdf=lambda z, a: inside(z >= 0, xlogy(a - 1, np.where(z >= 0, z, 1)) - z - gammaln(a), -_inf),
    cdf=lambda z, a: gammainc(a, np.maximum(z, 0)), sf=lambda z, a: gammaincc(a, np.maximum(z, 0)))
chi2 = _shaped(
    "chi2", "The chi-squared distribution.", 1,
    logpdf=lambda z, df: inside(z >= 0, xlogy(df / 2 - 1, np.where(z >= 0, z, 1) / 2) - z / 2 -
                                gammaln(df / 2) - _math.log(2), -_inf),
    cdf=lambda z, df: gammainc(df / 2, np.maximum(z, 0) / 2), sf=lambda z, df: gammaincc(df / 2, np.maximum(z, 0) / 2))
beta = _shaped(
    "beta", "The beta distribution.", 2,
    logpdf=lambda z, a, b: inside((z >= 0) & (z <= 1), xlogy(a - 1, _unit(z)) + xlog1py(b - 1, -_unit(z)) -
                                  betaln(a, b), -_inf),
    cdf=lambda z, a, b: betainc(a, b, np.clip(z, 0, 1)), sf=lambda z, a, b: betainc(b, a, 1 - np.clip(z, 0, 1)))


def _log_student(z, df):
    return (-(df + 1) / 2 * np.log1p(z * z / df) - np.log(df * _pi) / 2 + gammaln((df + 1) / 2) - gammaln(df / 2))


def _student(z, df):
    """The distribution function of Student's t: half of betainc at df / (df + z^2), or at 1 less that near the middle,
    where that one has the digits; a line at the middle itself, where that has no derivative."""
    line, near, infinite = np.abs(z) < 1e-7, z * z < np.minimum(df, 1), np.isinf(z)
    w = np.where(line | infinite, 1, z * z)
    tail = np.where(infinite, 0, betainc(df / 2, 0.5, np.where(near, 0.5, df / (df + w)))) / 2
    middle = betainc(0.5, df / 2, np.where(near, w / (df + w), 0.5)) / 2
    middle = np.where(line, z * np.exp(_log_student(np.zeros_like(z), df)), np.where(z < 0, -middle, middle))
    return np.where(near, 0.5 + middle, np.where(z < 0, tail, 1 - tail))


def _log_of_student(z, df):
    """Its logarithm, with the digits of the other tail where it is near 0."""
    below = np.minimum(z, -z)
    rest = _student(np.where(z > 0, below, -1), df)
    return np.where(z > 0, np.log1p(-rest), np.log(_student(np.where(z > 0, -1, z), df)))


t = _shaped(
    "t", "Student's t distribution.", 1, logpdf=_log_student, cdf=_student, sf=lambda z, df: _student(-z, df),
    logcdf=_log_of_student, logsf=lambda z, df: _log_of_student(-z, df))
pareto = _shaped(
    "pareto", "The Pareto distribution.", 1,
    logpdf=lambda z, b: inside(z >= 1, np.log(b) - (b + 1) * np.log(_from_zero(z)), -_inf),
    cdf=lambda z, b: inside(z >= 1, 1 - _from_zero(z) ** -b, 0), sf=lambda z, b: inside(z >= 1, _from_zero(z) ** -b, 1),
    logsf=lambda z, b: inside(z >= 1, -b * np.log(_from_zero(z)), 0), ppf=lambda q, b: (1 - q) ** (-1 / b))
gennorm = Distribution(
    "gennorm", "The generalized normal distribution.",
    logpdf=lambda x, beta: _gennorm(*floats(x, beta)), cdf=lambda x, beta: _gennorm_cdf(*floats(x, beta)))


def _gennorm(x, beta):
    return np.log(beta) - _math.log(2) - gammaln(1 / beta) - np.abs(x) ** beta


def _gennorm_cdf(x, beta):
    return (1 + np.sign(x) * gammainc(1 / beta, np.abs(x) ** beta)) / 2


def _log_mass(a, b):
    """log(ndtr(b) - ndtr(a)) in the tail where it has digits."""
    a, b = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
    return log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b)))


truncnorm = _shaped(
    "truncnorm", "The normal distribution on [a, b].", 2,
    logpdf=lambda z, a, b: inside((z >= a) & (z <= b), -(z * z + _LOG_2PI) / 2 - _log_mass(a, b), -_inf),
    logcdf=lambda z, a, b: inside(z > a, inside(z < b, _log_mass(a, np.clip(z, a, b)) - _log_mass(a, b), 0), -_inf),
    logsf=lambda z, a, b: inside(z > a, inside(z < b, _log_mass(np.clip(z, a, b), b) - _log_mass(a, b), -_inf), 0),
    sf=lambda z, a, b: np.exp(inside(z > a, inside(z < b, _log_mass(np.clip(z, a, b), b) - _log_mass(a, b), -_inf), 0)))


def _vonmises(x, kappa):
    return inside(kappa > 0, kappa * (np.cos(x) - 1) - np.log(2 * _pi * special.i0e(kappa)), np.nan)


def _wrapcauchy(x, c):
    fits = (x >= 0) & (x <= 2 * _pi) & (c > 0) & (c < 1)
    return inside(fits, np.log(1 - c * c) - _LOG_2PI - np.log(1 + c * c - 2 * c * np.cos(x)), -_inf)


vonmises = Distribution("vonmises", "The von Mises distribution.",
                        logpdf=lambda x, kappa: _vonmises(*floats(x, kappa)))
wrapcauchy = Distribution("wrapcauchy", "The wrapped Cauchy distribution.",
                          logpdf=lambda x, c: _wrapcauchy(*floats(x, c)))
