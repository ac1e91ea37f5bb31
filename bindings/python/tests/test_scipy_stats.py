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


@pytest.mark.parametrize("df", [0.5, 1.0, 2.0, 3.0, 10.0, 200.0, 2000.0])
@pytest.mark.parametrize("f", ["cdf", "sf", "logcdf", "logsf"])
def test_students_t_as_in_scipy(f, df):
    scipy = pytest.importorskip("scipy.stats")
    x = numpy.array([-numpy.inf, -1e3, -30, -12, -3, -1, -0.25, -1e-2, 0, 1e-2, 0.25, 1, 3, 50, numpy.inf, numpy.nan])
    with numpy.errstate(divide="ignore"):
        expected = getattr(scipy.t, f)(x, df, 0.0, 1.0)
    numpy.testing.assert_allclose(getattr(stats.t, f)(x, df), expected, rtol=1e-11, atol=1e-300)


def test_students_t_at_its_middle():
    x = knp.asarray([-1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-7])
    numpy.testing.assert_allclose(stats.t.cdf(x, 3.0), 0.5 + x * stats.t.pdf(0.0, 3.0), rtol=1e-15)


def test_derivative_of_students_t():
    x = knp.asarray([-20.0, -2.0, -0.5, 0.0, 1e-9, 0.5, 1.7, 1.8, 30.0])
    got = kiln.jit(kiln.vmap(kiln.grad(lambda z: stats.t.cdf(z, 3.0))))(x)
    numpy.testing.assert_allclose(got, stats.t.pdf(x, 3.0), rtol=1e-11)


# ---- gaussian_kde.

RNG = numpy.random.default_rng(1)
DATA = [(RNG.normal(size=9), None), (RNG.normal(size=9), RNG.random(9)), (RNG.normal(size=(2, 7)), None),
        (RNG.normal(size=(3, 8)), RNG.random(8)), (RNG.integers(0, 9, 6), None),
        (RNG.normal(size=9).astype("float32"), None)]
POINTS = RNG.normal(size=(3, 5))
KDE_CALLS = """
k.evaluate(P)
k(P)
k.pdf(P)
k.logpdf(P)
k.neff
k.covariance
k.inv_cov
k.weights
k.dataset
k.evaluate(P[:, 0])
k.integrate_gaussian(P[:, 0], np.eye(k.d) * 0.5)
k.integrate_gaussian(P[:, 0], np.eye(k.d + 1))
k.integrate_gaussian(np.zeros(k.d + 1), np.eye(k.d))
k.integrate_box_1d(-0.5, 2.0)
k.integrate_box_1d(-np.inf, np.inf)
k.integrate_box_1d(P, 2.0)
k.integrate_kde(k)
k.integrate_kde(other)
k.resample(key)
k.resample(key, (4,))
k.integrate_box(0, 1)
k.set_bandwidth()
k.evaluate(np.ones((k.d + 2, 3)))
k.evaluate(P * 1j)
""".strip().splitlines()


def agree(of_jax, of_kiln, rtol=1e-9):
    def run(f):
        try:
            return numpy.asarray(f())
        except Exception as e:
            return e
    expected, got = run(of_jax), run(of_kiln)
    if isinstance(expected, Exception):
        assert type(got) is type(expected) and str(got) == str(expected)
        return
    assert got.dtype == expected.dtype and got.shape == expected.shape
    numpy.testing.assert_allclose(got, expected, rtol=1e-4 if got.dtype == "float32" else rtol, atol=1e-12)


@pytest.mark.parametrize("n", range(len(DATA)))
@pytest.mark.parametrize("line", KDE_CALLS)
def test_gaussian_kde(line, n):
    data, weights = DATA[n]

    def run(lib, np, s):
        k = s.gaussian_kde(np.asarray(data), weights=None if weights is None else np.asarray(weights))
        other = s.gaussian_kde(np.asarray(numpy.concatenate([numpy.atleast_2d(data)] * 2, 1)) * 1.5)
        return eval(line, {"k": k, "np": np, "P": np.asarray(POINTS[:k.d]), "key": lib.random.key(3), "other": other})
    agree(lambda: run(jax, jax.numpy, theirs), lambda: run(kiln, knp, stats))


@pytest.mark.parametrize("method", ["None", "'scott'", "'silverman'", "0.3",
                                    "lambda k: k.n ** -0.2", "'nonsense'", "[1]"])
def test_widths_of_kernels(method):
    of = lambda s: s.gaussian_kde(DATA[2][0], bw_method=eval(method)).covariance
    agree(lambda: of(theirs), lambda: of(stats))


@pytest.mark.parametrize("dataset, weights", [([1.0], None), ([1.0, 2j], None), ([1.0, 2.0, 4.0], [1.0, 2.0]),
                                              ([1.0, 2.0, 4.0], [[1.0, 2.0, 3.0]])])
def test_datasets_that_are_refused(dataset, weights):
    given = [None if x is None else numpy.asarray(x) for x in (dataset, weights)]
    of = lambda s: s.gaussian_kde(given[0], weights=given[1]).covariance
    agree(lambda: of(theirs), lambda: of(stats))


def test_gaussian_kde_as_in_scipy():
    scipy = pytest.importorskip("scipy.stats")
    for data, weights in DATA[:4]:
        k, want = stats.gaussian_kde(data, weights=weights), scipy.gaussian_kde(data, weights=weights)
        p = POINTS[:k.d]
        numpy.testing.assert_allclose(k.evaluate(p), want.evaluate(p), rtol=1e-10)
        numpy.testing.assert_allclose(k.logpdf(p), want.logpdf(p), rtol=1e-10)
        numpy.testing.assert_allclose(k.integrate_kde(k), want.integrate_kde(want), rtol=1e-10)


def test_gaussian_kde_is_a_tree():
    k = stats.gaussian_kde(DATA[2][0])
    p = knp.asarray(POINTS[:2])
    numpy.testing.assert_allclose(kiln.jit(lambda k, p: k.logpdf(p))(k, p), k.logpdf(p), rtol=1e-12)
    expected = jax.grad(lambda d: theirs.gaussian_kde(d).logpdf(POINTS[:2]).sum())(DATA[2][0])
    got = kiln.grad(lambda d: stats.gaussian_kde(d).logpdf(p).sum())(knp.asarray(DATA[2][0]))
    numpy.testing.assert_allclose(got, expected, rtol=1e-8)
    with pytest.raises(AttributeError):
        k.neff = 3


def test_kde_samples_of_any_shape():
    kde, key = stats.gaussian_kde(RNG.normal(size=(2, 7))), kiln.random.key(0)
    many = kde.resample(key, (3, 4))
    assert many.shape == (2, 3, 4)
    assert (many.reshape(2, 12) == kde.resample(key, (12,))).all()
