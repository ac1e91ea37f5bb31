# SPDX-License-Identifier: Apache-2.0
"""kiln.scipy.stats gives what jax.scipy.stats gives: values, shapes, derivatives, under jit and vmap."""
import inspect
import warnings

import numpy
import pytest

import kiln
import kiln.numpy as knp
from kiln.scipy import stats

jax = pytest.importorskip("jax")
theirs = pytest.importorskip("jax.scipy.stats")
jax.config.update("jax_enable_x64", True)

X = [-3.0, -1.0, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 9.0]
Q = [0.01, 0.2, 0.5, 0.75, 0.99]
K = [-1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 7.0]
PLACED = [(), (0.5,), (0.5, 2.0)]
SHAPES = {
    **dict.fromkeys("norm cauchy laplace logistic gumbel_r gumbel_l uniform expon".split(), [()]),
    "gamma": [(2.5,), (1.0,)], "chi2": [(3.0,)], "beta": [(2.0, 3.0)], "t": [(3.0,)], "pareto": [(2.0,)],
    "truncnorm": [(-1.0, 2.0), (1.0, 3.0)]}
DISCRETE = {
    "bernoulli": [(0.3,)], "binom": [(5, 0.3)], "betabinom": [(5, 2.0, 1.5)], "geom": [(0.3,)], "nbinom": [(3, 0.4)],
    "poisson": [(2.5,)]}
OTHERS = {"vonmises": [(2.0,)], "wrapcauchy": [(0.5,)], "gennorm": [(1.5,)]}


def shared(name):
    d = getattr(theirs, name)
    return [f for f in ("logpdf pdf logcdf cdf logsf sf ppf isf logpmf pmf".split()) if hasattr(d, f)]


def cases():
    for name, shapes in (SHAPES | DISCRETE | OTHERS).items():
        for f in shared(name):
            for shape in shapes:
                more = PLACED if name in SHAPES else [(), (1,)] if name in DISCRETE and f[-3:] == "pmf" else [()]
                for placed in more:
                    yield name, f, shape, placed


def grid(name, f):
    return Q if f in ("ppf", "isf") else K if name in DISCRETE else X


@pytest.mark.parametrize("name, f, shape, placed", list(cases()))
def test_values(name, f, shape, placed):
    x = numpy.array(grid(name, f))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = numpy.asarray(getattr(getattr(theirs, name), f)(x, *shape, *placed))
        got = getattr(getattr(stats, name), f)(x, *shape, *placed)
        assert got.dtype == expected.dtype and got.shape == expected.shape
        numpy.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name, f", [(n, f) for n in SHAPES | OTHERS for f in shared(n) if f in ("logpdf", "pdf", "ppf")
                                     and n[:6] + f != "gumbelppf"])  # of which JAX has none
def test_derivatives_under_vmap_and_jit(name, f):
    shape = (SHAPES | OTHERS)[name][0]
    x = numpy.array([v for v in grid(name, f) if v not in (0.0, 1.0, -1.0)])
    expected = numpy.asarray(jax.vmap(jax.grad(lambda t: getattr(getattr(theirs, name), f)(t, *shape)))(x))
    got = kiln.jit(kiln.vmap(kiln.grad(lambda t: getattr(getattr(stats, name), f)(t, *shape))))(knp.asarray(x))
    sound = numpy.isfinite(expected)
    numpy.testing.assert_allclose(numpy.asarray(got)[sound], expected[sound], rtol=1e-6, atol=1e-10)


A = numpy.random.default_rng(0).normal(size=(3, 3))
CALLS = """
s.multivariate_normal.logpdf(np.ones((4, 3)), np.zeros(3), np.asarray(C))
s.multivariate_normal.pdf(np.ones(3), np.zeros(3), np.asarray(C))
s.multivariate_normal.logpdf(np.ones(3), 0.5, 2.0)
s.dirichlet.logpdf(np.asarray([0.2, 0.3, 0.5]), np.asarray([1.0, 2.0, 3.0]))
s.dirichlet.pdf(np.asarray([0.2, 0.3]), np.asarray([1.0, 2.0, 3.0]))
s.dirichlet.logpdf(np.asarray([0.2, 0.3, 0.6]), np.asarray([1.0, 2.0, 3.0]))
s.dirichlet.logpdf(np.asarray([0.2]), np.asarray([1.0, 2.0, 3.0]))
s.multinomial.logpmf(np.asarray([1, 2, 2]), 5, np.asarray([0.2, 0.3, 0.5]))
s.multinomial.pmf(np.asarray([1, 2, 1]), 5, np.asarray([0.2, 0.3, 0.5]))
s.sem(np.asarray(A))
s.sem(np.asarray(A), axis=None, ddof=0)
s.sem(np.asarray(A), axis=1, keepdims=True)
s.mode(np.asarray([[1, 2, 2], [3, 2, 1]]))
s.mode(np.asarray([[1, 2, 2], [3, 2, 1]]), axis=None)
s.mode(np.asarray([[1, 2, 2], [3, 2, 1]]), axis=1, keepdims=True)
s.rankdata(np.asarray([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]))
s.rankdata(np.asarray([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), "min")
s.rankdata(np.asarray([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), "max")
s.rankdata(np.asarray([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), "dense")
s.rankdata(np.asarray([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), "ordinal")
s.rankdata(np.asarray([[3, 1, 3], [1, 1, 2]]), axis=1)
s.rankdata(np.asarray([[3, 1, 3], [1, 1, 2]]), axis=0, method="max")
s.rankdata(np.asarray([1, 2]), "nonsense")
s.norm.logpdf(1)
s.norm.logpdf(np.asarray([1.0], dtype="float32"))
s.gamma.logpdf(1.0)
s.gamma.logpdf(1.0, 2.0, scale=3.0)
s.gamma.logpdf(1.0, a=2.0)
s.beta.pdf(0.5, 2, 3, loc=0.1, scale=2)
s.poisson.logpmf(3, mu=2.0)
s.norm.nonsense(3)
""".strip().splitlines()


@pytest.mark.parametrize("line", CALLS)
def test_others(line):
    def run(np, s):
        try:
            y = eval(line, {"np": np, "s": s, "A": A, "C": A @ A.T + numpy.eye(3)})
        except Exception as e:
            return type(e)
        return [(v.dtype.name, v.shape, numpy.asarray(v)) for v in (y if isinstance(y, tuple) else (y,))]
    expected, got = run(jax.numpy, theirs), run(knp, stats)
    if isinstance(expected, type):
        assert got is expected
        return
    for (dtype, shape, v), (own_dtype, own_shape, w) in zip(expected, got, strict=True):
        assert own_dtype == dtype and own_shape == shape
        numpy.testing.assert_allclose(w, v, rtol=1e-6)


def test_functions_know_their_names():
    assert stats.norm.cdf.__name__ == "cdf" and "norm" in repr(stats.norm) and inspect.getdoc(stats.t)
