# SPDX-License-Identifier: Apache-2.0
"""Estimates of densities by kernels (jax.scipy.stats.gaussian_kde)."""
import math as _math

from ... import numpy as np, random
from ..._transforms import vmap
from ...tree_util import register_pytree_node_class
from ..linalg import cho_factor, cho_solve
from ..special import logsumexp, ndtr
from ._common import floats

_FIELDS = ("neff", "dataset", "weights", "covariance", "inv_cov")


def _real(x, what):
    x = np.asarray(x)
    if x.dtype.kind == "c":
        raise NotImplementedError(f"gaussian_kde does not support complex {what}")
    return x


def _weights(weights, dataset):
    """(weights that sum to one, the dataset in the same dtype)"""
    n = dataset.shape[1]
    if weights is None:
        dataset, = floats(dataset)
        return np.full(n, 1 / n, dtype=dataset.dtype), dataset
    dataset, weights = floats(dataset, weights)
    weights = np.atleast_1d(weights)
    if weights.ndim != 1:
        raise ValueError("`weights` input should be one-dimensional.")
    if len(weights) != n:
        raise ValueError("`weights` input should be of length n")
    return weights / np.sum(weights), dataset


@register_pytree_node_class
class gaussian_kde:
    """A density estimated by a normal distribution around each point of the dataset. (jax.scipy.stats.gaussian_kde)

    Args:
      dataset: real numbers, (points,) or (dimensions, points).
      bw_method: "scott", "silverman", a number, or a function of the estimate: the width of the kernels.
      weights: of the points.

    >>> from kiln.scipy.stats import gaussian_kde
    >>> round(float(gaussian_kde([0.0, 1.0, 3.0]).evaluate(1.0)[0]), 6)
    0.214895
    """

    def __init__(self, dataset, bw_method=None, weights=None):
        dataset = np.atleast_2d(_real(dataset, "data"))
        if not dataset.size > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        weights, dataset = _weights(weights, dataset)
        self._set(dataset=dataset, weights=weights, neff=1 / np.sum(weights ** 2))
        factor = self._factor("scott" if bw_method is None else bw_method)
        covariance = np.atleast_2d(np.cov(dataset, rowvar=True, bias=False, aweights=weights)).astype(dataset.dtype)
        self._set(covariance=covariance * factor ** 2, inv_cov=np.linalg.inv(covariance) / factor ** 2)

    def _set(self, **fields):
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def _factor(self, method):
        exponent = -1 / (self.d + 4)
        if isinstance(method, str):
            if method not in ("scott", "silverman"):
                raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar, or a callable.")
            return np.power(self.neff if method == "scott" else self.neff * (self.d + 2) / 4, exponent)
        if callable(method):
            return method(self)
        if isinstance(method, (int, float)) or getattr(method, "shape", None) == ():
            return method
        raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar, or a callable.")

    def tree_flatten(self):
        """The arrays; nothing else. (jax.scipy.stats.gaussian_kde.tree_flatten)"""
        return tuple(getattr(self, f) for f in _FIELDS), None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        """What tree_flatten took apart. (jax.scipy.stats.gaussian_kde.tree_unflatten)"""
        kde = cls.__new__(cls)
        kde._set(**dict(zip(_FIELDS, children)))
        return kde

    @property
    def d(self):
        """How many dimensions."""
        return self.dataset.shape[0]

    @property
    def n(self):
        """How many points."""
        return self.dataset.shape[1]

    def evaluate(self, points):
        """The density at points, (dimensions, points). (jax.scipy.stats.gaussian_kde.evaluate)"""
        log, weights = self._logs(points)
        return np.sum(weights * np.exp(log), axis=1)

    __call__ = pdf = evaluate

    def logpdf(self, x):
        """The logarithm of the density. (jax.scipy.stats.gaussian_kde.logpdf)"""
        log, weights = self._logs(x)
        return logsumexp(np.log(weights) + log, axis=1)

    def _logs(self, points):
        """(logarithms of the kernels, of points by those of the dataset; the weights)"""
        points = np.atleast_2d(_real(points, "coordinates"))
        d, m = points.shape
        if d != self.d:
            if d != 1 or m != self.d:
                raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
            points = np.reshape(points, (self.d, 1))
        points, dataset, weights, precision = floats(points, self.dataset, self.weights, self.inv_cov)
        whitening = np.linalg.cholesky(precision)
        at, of = np.dot(points.T, whitening), np.dot(dataset.T, whitening)
        log_norm = np.sum(np.log(np.diag(whitening))) - self.d / 2 * _math.log(2 * _math.pi)
        return log_norm - np.sum(np.square(at[:, None] - of[None]), axis=-1) / 2, weights

    def integrate_gaussian(self, mean, cov):
        """The integral of the density times a normal one. (jax.scipy.stats.gaussian_kde.integrate_gaussian)"""
        mean, cov = np.atleast_1d(np.squeeze(np.asarray(mean))), np.atleast_2d(np.asarray(cov))
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        return self._product(self.covariance + cov)(mean)

    def _product(self, covariance):
        """A function of a place: the integral of the density times a normal one there, of which the sum of both
        covariances is told."""
        chol = cho_factor(covariance)
        norm = 1 / (_math.sqrt(2 * _math.pi) ** self.d * np.prod(np.diag(chol[0])))

        def at(mean):
            diff = self.dataset - mean[:, None]
            return norm * np.sum(np.exp(-np.sum(diff * cho_solve(chol, diff), axis=0) / 2) * self.weights)

        return at

    def integrate_box_1d(self, low, high):
        """The integral of a density of one dimension. (jax.scipy.stats.gaussian_kde.integrate_box_1d)"""
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        if np.ndim(low) or np.ndim(high):
            raise ValueError("the limits of integration in integrate_box_1d must be scalars")
        sigma = np.sqrt(self.covariance[0, 0])
        low, high = (low - self.dataset[0]) / sigma, (high - self.dataset[0]) / sigma
        return np.sum(self.weights * (ndtr(high) - ndtr(low)))

    def integrate_kde(self, other):
        """The integral of the product of two densities. (jax.scipy.stats.gaussian_kde.integrate_kde)"""
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        small, large = (self, other) if self.n < other.n else (other, self)
        at = large._product(self.covariance + other.covariance)
        return np.sum(vmap(at, in_axes=1)(small.dataset) * small.weights)

    def resample(self, key, shape=()):
        """Random points, (dimensions, *shape). (jax.scipy.stats.gaussian_kde.resample)"""
        which, off = random.split(key)
        at = random.choice(which, self.n, shape=shape, p=self.weights)
        noise = random.multivariate_normal(off, np.zeros(self.d, self.covariance.dtype), self.covariance, shape=shape,
                                           dtype=self.dataset.dtype)
        return self.dataset[:, at] + np.moveaxis(noise, -1, 0)

    def integrate_box(self, low_bounds, high_bounds, maxpts=None):
        """Not there, as in JAX."""
        raise NotImplementedError("only 1D box integrations are supported; use `integrate_box_1d`")

    def set_bandwidth(self, bw_method=None):
        """Not there, as in JAX."""
        raise NotImplementedError("dynamically changing the bandwidth method is not supported")
