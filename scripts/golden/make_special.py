#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/special.npz: values of scipy.special, and of mpmath where they are more exact.

    python scripts/golden/make_special.py tests/golden

"gammainc 0", "gammainc 1" are the operands of gammainc (broadcast against each other), "gammainc" is the result."""
import pathlib
import sys
import warnings

import mpmath
import numpy as np
import scipy.special as sp

warnings.simplefilter("ignore")
inf, nan = np.inf, np.nan
out = {}


def store(name, function, *operands):
    operands = [np.asarray(x, np.float64) for x in operands]
    for i, x in enumerate(operands):
        out[f"{name} {i}"] = x
    out[name] = np.asarray(function(*operands), np.float64)


def grid(*axes):
    return [np.ascontiguousarray(x) for x in np.meshgrid(*axes, indexing="ij", sparse=True)]


signed = np.array([-7.25, -3.5, -1.5, -0.75, -0.1, 0.1, 0.5, 1, 1.5, 2, 3, 4.25, 5, 10, 17, 30.5, 100, 170])
positive = np.array([0.05, 0.3, 0.5, 1, 1.5, 2, 3.75, 8, 12.5, 20, 45])
unit = np.array([0, 1e-10, 0.01, 0.1, 0.3, 0.45, 0.5, 0.5 + 2.0**-30, 0.6, 0.75, 0.99, 1])
edges = np.array([-inf, -2, -1, -0.0, 0.0, 0.5, 1, 3, inf, nan])
ints = np.arange(0, 14)



def exact(f, digits=60):
    """f of mpmath's numbers, elementwise, where it is finite and real."""
    def one(*x):
        mpmath.mp.dps = digits
        if any(np.isnan(v) for v in x):
            return nan
        y = mpmath.mpmathify(f(*[mpmath.mpf(float(v)) for v in x]))
        return float(y.real)
    return np.vectorize(one, otypes=[np.float64])


def store_complex(name, f, z):
    out[f"{name} 0"] = np.asarray(z, np.complex128)
    out[name] = np.asarray(f(z), np.complex128)


def hurwitz(x, q):
    """By Euler and Maclaurin's formula: mpmath.zeta loses digits for large q."""
    far = q + 40
    rest = far**(1 - x) / (x - 1) + far**-x / 2
    rest += sum(mpmath.bernoulli(2 * k) / mpmath.factorial(2 * k) * mpmath.rf(x, 2 * k - 1) * far**(1 - x - 2 * k) for k in range(1, 20))
    return sum((q + k)**-x for k in range(40)) + rest


def zeta_left(x, q):
    f = q - mpmath.floor(q)
    return hurwitz(x, f) + (-1)**int(x) * (hurwitz(x, 1 - f) - hurwitz(x, 1 - q))


def owens_t(h, a):
    end = mpmath.atan(a)
    integral = mpmath.quad(lambda t: mpmath.exp(-(h * mpmath.tan(t))**2 / 2), [0] + [end / 2**k for k in range(10, -1, -1)])
    return integral * mpmath.exp(-h * h / 2) / (2 * mpmath.pi)


def ndtr(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def power_less_1(x, p):
    return mpmath.expm1(p * mpmath.log(x)) / p if p else mpmath.log(x)


store("gamma", exact(mpmath.gamma), np.append(signed, [1e-300, 1e-10, 11.999, 12, 12.001, 23.7, 141.2, 171.6, -12.01, -169.99]))
store("gamma edges", sp.gamma, edges)
store("gamma whole", sp.gamma, ints[1:])
store("boxcox", exact(power_less_1), *grid(np.array([1e-8, 0.3, 0.999, 1, 1.001, 2, 50, 1e6]), np.array([-3, -0.5, -1e-3, -1e-300, 0, 1e-17, 1e-3, 0.2, 0.3, 2, 7])))
store("boxcox1p", exact(lambda x, p: power_less_1(1 + x, p)), *grid(np.array([-0.99, -0.5, -1e-10, 0, 1e-17, 1e-3, 0.7, 1e3, 1e10]), np.array([-3, -0.5, -1e-3, 0, 1e-17, 1e-3, 0.2, 0.3, 2, 7])))
store("boxcox edges", sp.boxcox, *grid(edges[:-1], np.array([-1, 0, 0.5, 1, nan])))
store("dawsn", exact(lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x)), np.append(signed[:-2], [0, 1e-300, 1e-8, 0.2499, 0.25, 0.3837, 0.6396, 27.9, -12, nan]))
store("dawsn edges", sp.dawsn, np.array([1e10, -1e300, inf, -inf, nan]))
store("owens_t", exact(owens_t, 30), *grid(np.array([-3, 0, 1e-3, 0.5, 1.7, 6, 9, 12]), np.array([-2, -0.4, 0, 1e-8, 0.3, 0.9999, 1, 1.0001, 4, 1e3, inf])))
store("owens_t far", exact(owens_t, 30), *grid(np.array([0.2, 5, 8.7, 20, 36]), np.array([0.01, 0.2])))
store("gammasgn", sp.gammasgn, np.concatenate([signed, edges[1:]]))
store("factorial", sp.factorial, np.array([-2, -0.5, 0, 0.5, 1, 2, 3, 4, 5, 10, 16, 20.5, 100]))
store("gammainc", sp.gammainc, *grid(positive, np.append(positive, [0, inf])))
store("gammaincc", sp.gammaincc, *grid(positive, np.append(positive, [0, inf])))
store("multigammaln", lambda a: sp.multigammaln(a, 3), positive[4:])
store("polygamma", lambda n, x: sp.polygamma(n.astype(int), x), *grid(np.arange(6), positive))
store("zeta", sp.zeta, *grid(np.array([1, 1.5, 2, 3, 7.25, 20, 50, 200]), positive))
store("zeta left", exact(zeta_left, 120), *grid(np.array([2, 3, 5, 8]), np.array([-0.5, -3.25, -64.5, -65.75, -1000.125, -2.0**24 - 0.25, -2.0**40 - 0.5])))
store("beta", exact(mpmath.beta), *grid(positive, positive))
store("betaln", sp.betaln, *grid(np.append(positive, 1e10), np.append(positive, [300, 1e10])))
store("betainc", sp.betainc, *grid(positive, positive, unit))
store("poch", exact(mpmath.rf), *grid(positive, np.array([0, 0.5, 1, 2, 3.25, 5])))
store("comb", sp.comb, *grid(np.array([-1, 0, 1, 2, 5, 10, 30, 45.5, 60]), np.array([-1, 0, 1, 2, 3.5, 5, 12, 30])))
store("xlogy", sp.xlogy, *grid(edges, edges))
store("xlog1py", sp.xlog1py, *grid(edges, edges))
store("entr", sp.entr, np.concatenate([edges, positive]))
store("kl_div", sp.kl_div, *grid(edges[1:], np.append(edges[1:], 1e-300)))
store("rel_entr", sp.rel_entr, *grid(edges[1:], np.append(edges[1:], 1e-300)))
store("logit", sp.logit, np.append(unit, [-0.5, 1.5, nan]))
store("ndtr", exact(ndtr), np.append(signed[:-2], [-30, -20, -10, 0, 8, -inf, inf, nan]))
store("log_ndtr", exact(lambda x: mpmath.log1p(-ndtr(-x)) if x > 0 else mpmath.log(ndtr(x))), np.append(signed, [-1e5, -300, -40, -21, -20, -19, -10, 0, 8, nan]))
store("ndtri", sp.ndtri, np.append(unit, [1e-300, 1e-100, 1e-20, 0.0999, 0.1001, 0.9, 0.9001, 1 - 2.0**-40, -1, 2, nan]))
store("rgamma", sp.rgamma, np.append(signed, [0, -1, -5]))
store("erfcinv", sp.erfcinv, np.append(2 * unit, [1e-300, 1e-20, 0.1, 0.3, 1.9, 2.5, nan]))
store("log_expit", sp.log_expit, np.append(signed, [-1000, 0, nan]))
store("exp1", sp.exp1, np.append(positive, [0, 1e-10, 1.49, 1.5, 1.51, 2.5, 100, 800, inf, -1, nan]))
store("expi", sp.expi, np.append(signed, [0, 0.3725, 1e-10, 39, 41, 60, 700, 800, inf, -inf, nan]))
store("expn", lambda n, x: sp.expn(n.astype(int), x), *grid(np.array([0, 1, 2, 3, 7, 20, 40]), np.append(positive, [0, 1.49, 100, inf])))
store("sici", lambda x: sp.sici(x)[0], np.append(signed, [0, -0.0, 3.99, 4, 50, 1e4, inf, -inf, nan]))
store("ci", lambda x: sp.sici(x)[1], np.append(signed, [0, 3.99, 4, 50, 1e4, inf, nan]))
store("spence", sp.spence, np.append(positive, [0, 1e-10, 0.49, 0.51, 0.99, 1.01, 1.99, 2.01, 1e6, -1, nan]))
store("erfcx", exact(lambda x: mpmath.exp(x * x) * mpmath.erfc(x)), np.append(signed[:-1], [-26, 0, 4.99, 5, 5.01, nan]))
store("erfcx edges", sp.erfcx, np.array([1e10, 170, inf, -30, -inf]))
store("fresnel", lambda x: sp.fresnel(x)[0], np.append(signed, [0, 1.79, 1.8, 1.81, 2.5, 1e3, inf, nan]))
store("fresnel c", lambda x: sp.fresnel(x)[1], np.append(signed, [0, 1.79, 1.8, 1.81, 2.5, 1e3, inf, nan]))
store("hyp1f1", exact(lambda *x: mpmath.hyp1f1(*x, zeroprec=1000, maxterms=10**6, maxprec=10**5)), *grid(np.array([-3, -0.5, 0, 0.25, 1, 4.5]), np.array([-1.5, 0.5, 1, 3, 8.25]), np.array([-500, -120, -30, -1, 0, 0.3, 10, 40, 300, 650])))
store("hyp1f1 edges", sp.hyp1f1, *[np.array(x, np.float64) for x in ([-1, -1, -3, 0, 1, 1, 2, nan, 1], [-1, -2, -2, 0, 2, -2, 2, 1, 2], [2, 2, 2, 2, -inf, 0.5, 1, 1, nan])])
store("hyp2f1", exact(lambda *x: mpmath.hyp2f1(*x, zeroprec=1000, maxterms=10**6, maxprec=10**5)), *grid(np.array([-2, -0.5, 0.25, 1, 3]), np.array([0, 0.5, 2, 3.25]), np.array([-1.5, 0.5, 1, 4]), np.array([-1e6, -30, -1, -0.25, 0, 0.1, 0.5, 0.75, 0.999, 1 - 2.0**-30])))
store("hyp2f1 edges", sp.hyp2f1, *[np.array(x, np.float64) for x in ([1, -2, 1, 1, 1, -2, 1, nan], [2, 2, 2, 2, 2, 2, 2, 1], [3.5, 3.5, 3, 4, -4, -4, 2.5, 1], [1.5, 1.5, 1, 1, 0.5, 0.5, 1, 0.5])])
rng = np.random.default_rng(1)
plane = (rng.standard_normal(300) + 1j * rng.standard_normal(300)) * 10.0**rng.uniform(-6, 1.2, 300)
plane = np.append(plane, [0, 1, 2, 1e-300j, 30j, -5j, 6.2j, 28, 28 + 1e-3j, 1e9 + 1j, -1e200 - 1j, 5 - 1e-9j, complex(0, inf), complex(inf, 1), complex(0, -30), complex(nan, 1)])
store_complex("wofz", sp.wofz, plane)
cuts = [complex(-1.5, -0.0), complex(-1.5, 0.0), complex(-20.25, -0.0), complex(-20.25, 1e-10), -1, 0, 1, 2, 1e10j, 1e100 + 1e50j, 8, 8j, 7.99 + 7.99j, 0.5 + 3j, complex(nan, 0)]
store_complex("loggamma", sp.loggamma, np.append(plane[:300], cuts))
store("loggamma real", sp.loggamma, np.append(signed, [0, 1e-300, 1e300, inf, -inf, nan]))
points = np.array([-1, -0.99, -0.5, 0, 0.3, 0.999999, 1])
all_degrees = sp.assoc_legendre_p_all(6, 6, points, diff_n=1)
out["lpmn 0"] = points
out["lpmn"] = all_degrees[0][:, :7].transpose(1, 0, 2)
out["lpmn slopes"] = all_degrees[1][:, :7].transpose(1, 0, 2)
norm = [[np.sqrt((2 * l + 1) / (4 * np.pi) * sp.factorial(l - m) / sp.factorial(l + m)) if m <= l else 0 for l in range(7)] for m in range(7)]
out["lpmn normalized"] = out["lpmn"] * np.array(norm)[:, :, None]
n, m = [x.ravel() for x in np.meshgrid(np.arange(9), np.arange(-9, 10))]
out["sph_harm_y n"], out["sph_harm_y m"] = n, m
out["sph_harm_y theta"], out["sph_harm_y phi"] = np.array([[0.0], [0.3], [1.6], [3.1], [np.pi]]), np.array([[0.0], [5.5], [1.0], [-2.0], [3.0]])
out["sph_harm_y"] = sp.sph_harm_y(n, m, out["sph_harm_y theta"], out["sph_harm_y phi"])
out["bernoulli"] = sp.bernoulli(60)
store("i0", sp.i0, signed[:-2])
store("i1", sp.i1, signed[:-2])
np.savez(pathlib.Path(sys.argv[1]) / "special.npz", **out)
