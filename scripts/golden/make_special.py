#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/special.npz: values of scipy.special.

    python scripts/golden/make_special.py tests/golden

"gammainc 0", "gammainc 1" are the operands of gammainc (broadcast against each other), "gammainc" is the result."""
import pathlib
import sys
import warnings

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

store("gamma", sp.gamma, signed)
store("gamma edges", sp.gamma, edges)
store("gamma whole", sp.gamma, ints[1:])
store("gammasgn", sp.gammasgn, np.concatenate([signed, edges[1:]]))
store("factorial", sp.factorial, np.array([-2, -0.5, 0, 0.5, 1, 2, 3, 4, 5, 10, 16, 20.5, 100]))
store("gammainc", sp.gammainc, *grid(positive, np.append(positive, [0, inf])))
store("gammaincc", sp.gammaincc, *grid(positive, np.append(positive, [0, inf])))
store("multigammaln", lambda a: sp.multigammaln(a, 3), positive[4:])
store("polygamma", lambda n, x: sp.polygamma(n.astype(int), x), *grid(np.arange(6), positive))
store("zeta", sp.zeta, *grid(np.array([1, 1.5, 2, 3, 7.25, 20, 50, 200]), positive))
store("beta", sp.beta, *grid(positive, positive))
store("betaln", sp.betaln, *grid(np.append(positive, 1e10), np.append(positive, [300, 1e10])))
store("betainc", sp.betainc, *grid(positive, positive, unit))
store("poch", sp.poch, *grid(positive, np.array([0, 0.5, 1, 2, 3.25, 5])))
store("comb", sp.comb, *grid(np.array([-1, 0, 1, 2, 5, 10, 30, 45.5, 60]), np.array([-1, 0, 1, 2, 3.5, 5, 12, 30])))
store("xlogy", sp.xlogy, *grid(edges, edges))
store("xlog1py", sp.xlog1py, *grid(edges, edges))
store("entr", sp.entr, np.concatenate([edges, positive]))
store("kl_div", sp.kl_div, *grid(edges[1:], np.append(edges[1:], 1e-300)))
store("rel_entr", sp.rel_entr, *grid(edges[1:], np.append(edges[1:], 1e-300)))
store("logit", sp.logit, np.append(unit, [-0.5, 1.5, nan]))
store("ndtr", sp.ndtr, np.append(signed[:-2], [-30, -20, -10, 0, 8, -inf, inf, nan]))
store("log_ndtr", sp.log_ndtr, np.append(signed, [-1e5, -300, -40, -21, -20, -19, -10, 0, 8, nan]))
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
store("erfcx", sp.erfcx, np.append(signed, [-26, 0, 4.99, 5, 5.01, 1e10, inf, nan]))
store("fresnel", lambda x: sp.fresnel(x)[0], np.append(signed, [0, 1.79, 1.8, 1.81, 2.5, 1e3, inf, nan]))
store("fresnel c", lambda x: sp.fresnel(x)[1], np.append(signed, [0, 1.79, 1.8, 1.81, 2.5, 1e3, inf, nan]))
out["bernoulli"] = sp.bernoulli(60)
store("i0", sp.i0, signed[:-2])
store("i1", sp.i1, signed[:-2])
np.savez(pathlib.Path(sys.argv[1]) / "special.npz", **out)
