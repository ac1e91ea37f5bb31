#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/rng_streams.txt and rng_more.txt (numbers of numpy.random's generators), rng_orders.txt (permutations and
choices), rng_bits.txt (words of bit generators and seed sequences) and rng_errors.txt: calls of NumPy in the format of
make_numpy.py. In rng_more.txt are the other generators for each set of parameters, longer orders, and chains of calls of one
generator: a hash of each call's result, and the state after.

Each call makes its generator from the options `gen` and `seed`. Its result is a list: the first 8 numbers, the shape, a hash
(FNV-1a, 64 bits) of all bytes (of vonmises: of the numbers in units of 2^-30, because cosines may be others in their last bit), and the state after: whether half a word is left and which, a normal number made ahead by a
RandomState, the next two words.

usage: make_rng.py tests/golden
"""
import sys
import warnings

import numpy as np
from make_numpy import KINDS, Weak, call

KINDS.update({MemoryError: "MemoryError", RuntimeError: "RuntimeError", NotImplementedError: "NotImplementedError"})
warnings.simplefilter("ignore")
GENERATORS = "PCG64 PCG64DXSM MT19937 Philox SFC64".split()
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


def fnv(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def source(gen, seed):
    if gen == "RandomState":
        return np.random.RandomState(seed)
    if gen.startswith("RandomState-"):
        return np.random.RandomState(getattr(np.random, gen.split("-")[1])(seed))
    return np.random.Generator(getattr(np.random, gen)(seed))


def state_after(g):
    legacy = isinstance(g, np.random.RandomState)
    bits = g._bit_generator
    s = bits.state
    own = g.get_state(legacy=False) if legacy else {}
    words = [s.get("has_uint32", 0), s.get("uinteger", 0), own.get("has_gauss", 0),
             int(np.float64(own.get("gauss", 0.0)).view(np.uint64))]
    return np.array(words + [int(w) for w in bits.random_raw(2)], np.uint64)


def method(name):
    def f(*args, gen, seed, **options):
        g = source(gen, seed)
        r = np.asarray(getattr(g, name)(*args, **options))
        if options.get("size") is None and "dtype" in options:  # a Python number
            r = r.astype(options["dtype"])
        told = np.rint(r * 2**30).astype(np.int64) if name == "vonmises" else r
        return [r.ravel()[:8].copy(), np.array(r.shape, np.int64), np.array(fnv(told.tobytes()), np.uint64), state_after(g)]
    return f


def F(*v):
    return np.array(v, np.float64)


def I(*v):
    return np.array(v, np.int64)


W = Weak
# name, sets of parameters, those that RandomState takes in the place of these (None: the same; (): it has no such method)
REAL = [
    ("standard_cauchy", [()], None),
    ("standard_t", [(W(1.0),), (W(0.3),), (W(3),), (W(250.5),)], None),
    ("beta", [(W(0.5), W(0.5)), (W(1), W(1)), (W(0.01), W(0.02)), (W(2.5), W(0.7)), (W(30.0), W(40)), (W(1e-4), W(1e-4))], None),
    ("chisquare", [(W(1),), (W(0.1),), (W(2),), (W(7.5),)], None),
    ("noncentral_chisquare", [(W(3), W(2.5)), (W(0.5), W(2.5)), (W(0.5), W(60.0)), (W(2), W(0.0))], None),
    ("f", [(W(2), W(3)), (W(0.5), W(40.0))], None),
    ("noncentral_f", [(W(2), W(3), W(1.5)), (W(0.5), W(4), W(0)), (W(0.9), W(4), W(30))], None),
    ("pareto", [(W(3),), (W(0.2),)], None),
    ("power", [(W(3),), (W(0.2),), (W(1),)], None),
    ("weibull", [(W(3),), (W(0.2),), (W(0.0),), (W(1),)], None),
    ("wald", [(W(1), W(2)), (W(3.0), W(0.1)), (W(1e-3), W(100.0))], None),
    ("vonmises", [(W(0.0), W(1.0)), (W(1.5), W(1e-9)), (W(-2.0), W(3e-6)), (W(0.3), W(400.0)), (W(50.0), W(0.7))], None),
    ("triangular", [(W(-1.0), W(0.5), W(2.0)), (W(0), W(0), W(1)), (W(0), W(1), W(1))], None),
    ("geometric", [(W(0.5),), (W(0.01),), (W(1.0),), (W(0.34),), (W(1e-12),)], None),
    ("logseries", [(W(0.5),), (W(0.01),), (W(0.99),), (W(0.0),)], None),
    ("zipf", [(W(2.0),), (W(1.1),), (W(20.0),), (W(5.5),)], None),
    ("binomial", [(W(10), W(0.3)), (W(10), W(0.8)), (W(1000), W(0.4)), (W(1000), W(0.9)), (W(0), W(0.5)), (W(10**6), W(0.01)),
                  (W(100), W(0.0)), (W(100), W(1.0)), (W(10**12), W(0.25)), (W(61), W(0.5))], None),
    ("negative_binomial", [(W(3), W(0.5)), (W(0.5), W(0.1)), (W(100.0), W(0.02)), (W(20), W(1.0))], None),
    ("hypergeometric", [(W(10), W(15), W(7)), (W(100), W(50), W(60)), (W(15), W(15), W(25)), (W(5000), W(90000), W(3000)),
                        (W(20), W(3), W(12)), (W(3), W(20), W(9)), (W(400), W(300), W(650))], None),
]
NAMED = [
    ("normal", [{}, {"loc": W(10.0), "scale": W(3)}, {"scale": W(0.0)}]),
    ("lognormal", [{}, {"mean": W(1), "sigma": W(0.25)}]),
    ("exponential", [{}, {"scale": W(2.5)}]),
    ("gumbel", [{}, {"loc": W(-1.0), "scale": W(0.1)}]),
    ("laplace", [{}, {"loc": W(-1.0), "scale": W(0.1)}]),
    ("logistic", [{}, {"loc": W(-1.0), "scale": W(7)}]),
    ("rayleigh", [{}, {"scale": W(2.5)}]),
    ("uniform", [{}, {"low": W(-3), "high": W(4.5)}, {"low": W(2.0), "high": W(2.0)}]),
    ("poisson", [{}, {"lam": W(0.01)}, {"lam": W(9.99)}, {"lam": W(10)}, {"lam": W(123.5)}, {"lam": W(1e10)}, {"lam": W(0)}]),
]


def distributions(out):
    seed = 1000
    for name, sets, _ in REAL:
        for i, args in enumerate(sets):
            seed += 1
            for gen in GENERATORS if i == 0 else GENERATORS[:1]:
                call(out, name, method(name), *args, gen=gen, seed=seed, size=(1000,))
            for gen in ["RandomState", "RandomState-PCG64"][:2 if i == 0 else 1]:
                call(out, name, method(name), *args, gen=gen, seed=seed, size=(1000,))
        call(out, name, method(name), *sets[0], gen="PCG64", seed=seed, size=None)
        call(out, name, method(name), *sets[0], gen="Philox", seed=seed, size=(3, 0, 2))
        call(out, name, method(name), *sets[0], gen="RandomState", seed=seed, size=())
        if sets[0]:  # broadcast parameters
            wide = [np.array([a.value] * 3).reshape(3 if k else 1, -1 if k == 0 else 1) for k, a in enumerate(sets[0])]
            call(out, name, method(name), *wide, gen="PCG64", seed=seed, size=None)
            call(out, name, method(name), *wide[:1], *sets[0][1:], gen="RandomState", seed=seed, size=(5, 3) if len(wide) < 2 else None)
            call(out, name, method(name), *wide, gen="SFC64", seed=seed, size=(4, 3, 3))
    for name, sets in NAMED:
        for i, options in enumerate(sets):
            seed += 1
            for gen in GENERATORS if i == 0 else GENERATORS[:1]:
                call(out, name, method(name), gen=gen, seed=seed, size=(1000,), **options)
            call(out, name, method(name), gen="RandomState", seed=seed, size=(1000,), **options)
        wide = {k: np.array([v.value, v.value * 1.5]) for k, v in sets[1].items()}
        call(out, name, method(name), gen="PCG64", seed=seed, size=None, **wide)
        call(out, name, method(name), gen="RandomState", seed=seed, size=(7, 2), **wide)
        call(out, name, method(name), gen="MT19937", seed=seed, size=None, **sets[1])
    for shape in (W(0.3), W(1), W(0.0), W(1.5), W(90.0)):
        for scale in ({}, {"scale": W(2.5)}):
            seed += 1
            call(out, "gamma", method("gamma"), shape, gen="PCG64", seed=seed, size=(1000,), **scale)
            call(out, "gamma", method("gamma"), shape, gen="RandomState", seed=seed, size=(1000,), **scale)
        for gen in GENERATORS:
            call(out, "standard_gamma", method("standard_gamma"), shape, gen=gen, seed=seed, size=(1000,))
            call(out, "standard_gamma", method("standard_gamma"), shape, gen=gen, seed=seed, size=(1000,), dtype="float32")
        call(out, "standard_gamma", method("standard_gamma"), shape, gen="RandomState", seed=seed, size=(1000,))
    for dtype in ("float32", "float64"):
        call(out, "standard_gamma", method("standard_gamma"), F(0.5, 2.0, 1.0), gen="PCG64", seed=5, size=None, dtype=dtype)
        call(out, "standard_gamma", method("standard_gamma"), F(0.5, 2.0), gen="MT19937", seed=5, size=(3, 2), dtype=dtype)


def standard(out):
    seed = 5000
    for name, options in [("random", {}), ("standard_normal", {}), ("standard_exponential", {}), ("standard_exponential", {"method": "inv"})]:
        for dtype in ("float64", "float32"):
            for size in [(1000,), None, (2, 0), (7, 3, 11), (1,)]:
                for gen in GENERATORS if size == (1000,) else ["PCG64", "MT19937"]:
                    seed += 1
                    call(out, name, method(name), gen=gen, seed=seed, size=size, dtype=dtype, **options)
            call(out, name, method(name), gen="PCG64", seed=77, size=(40000,), dtype=dtype, **options)
            call(out, name, method(name), gen="Philox", seed=77, size=(40000,), dtype=dtype, **options)
    for name in ("random_sample", "random", "standard_normal", "standard_exponential", "tomaxint"):
        for size in [(1000,), (999,), None, (0,)]:
            for gen in ("RandomState", "RandomState-Philox"):
                seed += 1
                call(out, name, method(name), gen=gen, seed=seed, size=size)


def integers(out):
    seed = 9000
    for d in INTEGERS + ["bool"]:
        info = np.iinfo(d) if d != "bool" else None
        low, high = (info.min, info.max) if info else (0, 1)
        bounds = [(0, 1), (low, high), (high, high), (0, high), (low, low)]
        bounds += [(3, 77), (-5, 100) if low else (5, 100), (0, 63), (0, 99)] if info else []
        if high > 2**31:
            bounds += [(0, 2**32 - 1), (5, 2**32 + 4), (0, 2**32), (0, 2**40), (1, 3 * 2**61)]
        if d in ("int32", "uint32"):
            bounds += [(0, 2**31 - 2), (10, 2**30 + 11)]
        for i, (a, b) in enumerate(bounds):
            seed += 1
            if b <= 2**64 - 1:
                for gen in GENERATORS if i in (1, 5, 7) else ["PCG64", "MT19937"]:
                    call(out, "integers", method("integers"), W(a), W(b), gen=gen, seed=seed, size=(1000,), dtype=d, endpoint=True)
            if b + 1 <= 2**64 - 1:
                call(out, "integers", method("integers"), W(a), W(b + 1), gen="PCG64", seed=seed, size=(1001,), dtype=d)
                call(out, "randint", method("randint"), W(a), W(b + 1), gen="RandomState", seed=seed, size=(1000,), dtype=d)
                call(out, "randint", method("randint"), W(a), W(b + 1), gen="RandomState-PCG64", seed=seed, size=(999,), dtype=d)
                call(out, "integers", method("integers"), W(a), W(b + 1), gen="SFC64", seed=seed, size=None, dtype=d)
        lows = np.array([0, 1, 0], d)
        highs = np.array([[1], [high if d != "bool" else 1]], d)
        call(out, "integers", method("integers"), lows, highs, gen="PCG64", seed=seed, size=None, dtype=d, endpoint=True)
        call(out, "integers", method("integers"), lows, highs, gen="MT19937", seed=seed, size=(50, 2, 3), dtype=d, endpoint=True)
        if d != "bool":
            call(out, "randint", method("randint"), lows, I(2, 100, 77), gen="RandomState", seed=seed, size=(50, 3), dtype=d)
    call(out, "integers", method("integers"), W(10), gen="PCG64", seed=42, size=(5,))
    call(out, "integers", method("integers"), W(10), gen="PCG64", seed=42, size=(5,), endpoint=True)
    call(out, "integers", method("integers"), I(10, 20), gen="PCG64", seed=42, size=None)
    call(out, "integers", method("integers"), W(2.9), W(7.9), gen="PCG64", seed=42, size=(20,))
    call(out, "random_integers", method("random_integers"), W(6), gen="RandomState", seed=42, size=(20,))
    call(out, "random_integers", method("random_integers"), W(-6), W(6), gen="RandomState", seed=42, size=(20,))
    for n in (1, 3, 4, 1001):
        for gen in ("PCG64", "MT19937", "RandomState"):
            f = lambda length, gen, seed: bytes_of(length, gen, seed)
            call(out, "bytes", f, n, gen=gen, seed=7 + n)


def bytes_of(length, gen, seed):
    g = source(gen, seed)
    r = np.frombuffer(g.bytes(length), np.uint8)
    return [r[:8].copy(), np.array(r.shape, np.int64), np.array(fnv(r.tobytes()), np.uint64), state_after(g)]


def vectors(out):
    seed = 12000
    for alpha in (F(1, 2, 3), F(0.01, 0.02, 0.03, 0.0), F(0, 0), F(5), F(), F(0.5, 50)):
        for gen in ("PCG64", "MT19937", "RandomState"):
            seed += 1
            if gen == "RandomState" and (alpha == 0).any():
                continue
            call(out, "dirichlet", method("dirichlet"), alpha, gen=gen, seed=seed, size=(300,) if len(alpha) else (2,))
        call(out, "dirichlet", method("dirichlet"), alpha, gen="PCG64", seed=seed, size=None)
    for n, p in [(W(20), F(0.2, 0.3, 0.5)), (W(0), F(0.2, 0.8)), (W(1000), F(0.1, 0.2, 0.3, 0.4)), (W(7), F(1.0)), (W(50), F(0, 0.5, 0.5, 0))]:
        for gen in ("PCG64", "SFC64", "RandomState"):
            seed += 1
            call(out, "multinomial", method("multinomial"), n, p, gen=gen, seed=seed, size=(200,))
            call(out, "multinomial", method("multinomial"), n, p, gen=gen, seed=seed, size=None)
    call(out, "multinomial", method("multinomial"), I(3, 40), F(0.2, 0.3, 0.5), gen="PCG64", seed=1, size=None)
    call(out, "multinomial", method("multinomial"), I(3, 40), F(0.2, 0.3, 0.5).reshape(1, 1, 3), gen="PCG64", seed=1, size=(4, 2))
    call(out, "multinomial", method("multinomial"), W(30), F(0.2, 0.8, 0.5, 0.5).reshape(2, 2), gen="PCG64", seed=1, size=(5, 2))
    for how in ("marginals", "count"):
        for colors, n in [(I(16, 8, 4), 6), (I(16, 8, 4), 25), (I(0, 5), 5), (I(3), 2), (I(), 0), (I(4, 4), 0), (I(1000, 2000, 300), 1500)]:
            for gen in ("PCG64", "Philox"):
                seed += 1
                call(out, "multivariate_hypergeometric", method("multivariate_hypergeometric"), colors, W(n), gen=gen, seed=seed,
                     size=(100,), method=how)
            call(out, "multivariate_hypergeometric", method("multivariate_hypergeometric"), colors, W(n), gen="PCG64", seed=seed,
                 size=None, method=how)


def order(name):
    def f(x, gen, seed, fortran=False, **options):
        g = source(gen, seed)
        if fortran:
            x = np.asfortranarray(x)
        if name == "shuffle":
            r = x.copy(order="K")
            g.shuffle(r, **options)
        else:
            r = getattr(g, name)(x, **options)
        r = np.asarray(r)
        if r.size > 64:
            r = np.append(r.ravel()[:8].astype(np.uint64), np.uint64(fnv(r.tobytes())))
        return [r, state_after(g)]
    return f


def orders(out):
    seed = 20000
    for gen in ("PCG64", "MT19937", "RandomState"):
        for x in (I(), I(5), np.arange(40), np.arange(10, dtype=np.int8), np.arange(11) * (1 + 2j), np.arange(24.0).reshape(4, 3, 2),
                  np.zeros((3, 0)), np.arange(6, dtype=np.float32).reshape(6, 1)):
            axes = [{}] if gen == "RandomState" else [{"axis": a} for a in range(-1, x.ndim)]
            for o in axes:
                seed += 1
                call(out, "shuffle", order("shuffle"), x, gen=gen, seed=seed, **o)
                call(out, "permutation", order("permutation"), x, gen=gen, seed=seed, **o)
                if gen != "RandomState":
                    call(out, "permuted", order("permuted"), x, gen=gen, seed=seed, **o)
            if gen != "RandomState":
                call(out, "permuted", order("permuted"), x, gen=gen, seed=seed)
                if x.ndim > 1:
                    call(out, "permuted", order("permuted"), x, gen=gen, seed=seed, fortran=True)
        for n in (0, 1, 17, -3):
            call(out, "permutation", order("permutation"), W(n), gen=gen, seed=seed)
    p = F(0.1, 0, 0.3, 0.25, 0.35)
    for gen in ("PCG64", "SFC64", "RandomState"):
        for a in (W(5), np.arange(5) * 1.5, np.arange(10).reshape(5, 2)):
            if gen == "RandomState" and not isinstance(a, Weak) and a.ndim > 1:
                continue
            for size in (None, (), (3,), (2, 2), (0,)):
                for o in ({}, {"replace": False}, {"p": p}, {"p": p, "replace": False}):
                    seed += 1
                    call(out, "choice", order("choice"), a, gen=gen, seed=seed, size=size, **o)
    for n, k in [(20000, 500), (20000, 5), (30, 30), (10001, 10001), (100, 99)]:
        for shuffle in (True, False):
            seed += 1
            call(out, "choice", order("choice"), W(n), gen="PCG64", seed=seed, size=(k,), replace=False, shuffle=shuffle)
            call(out, "choice", order("choice"), W(n), gen="MT19937", seed=seed, size=(k,), replace=False, shuffle=shuffle)
    call(out, "choice", order("choice"), np.arange(10).reshape(2, 5), gen="PCG64", seed=3, size=(4,), axis=1)
    call(out, "choice", order("choice"), np.arange(10).reshape(2, 5), gen="PCG64", seed=3, size=(2, 2), axis=-1, replace=False)
    call(out, "choice", order("choice"), np.arange(10).reshape(2, 5), gen="PCG64", seed=3, size=None, axis=1)
    call(out, "choice", order("choice"), W(3), gen="PCG64", seed=3, size=(10,), p=np.array([0.1, 0.2, 0.7], np.float32))


def errors(out):
    nan, inf = np.nan, np.inf

    def bad(name, *args, gens=("PCG64", "RandomState"), **options):
        for gen in gens:
            call(out, name, method(name) if name not in ("shuffle", "permutation", "permuted", "choice") else order(name), *args, gen=gen,
                 seed=1, **options)
    new, old = ("PCG64",), ("RandomState",)
    for s in (None, (3,)):
        bad("normal", scale=W(-1), size=s)
        bad("normal", scale=F(1, -1, 1), size=s)
        bad("lognormal", sigma=W(-1.0), size=s)
        bad("exponential", scale=W(-0.0), size=s)
        bad("gamma", W(-1.0), size=s)
        bad("gamma", W(1.0), scale=W(-1), size=s)
        bad("standard_gamma", F(1, -1, 1), size=s)
        bad("beta", W(0), W(1), size=s)
        bad("beta", W(1), F(1, 0, 1), size=s)
        bad("chisquare", W(0), size=s)
        bad("f", W(1), W(-1), size=s)
        bad("noncentral_chisquare", W(1), W(-1), size=s)
        bad("noncentral_f", W(1), W(1), W(-1), size=s)
        bad("standard_t", W(0), size=s)
        bad("vonmises", W(0), W(-1), size=s)
        bad("pareto", W(0), size=s)
        bad("weibull", W(-1), size=s)
        bad("power", W(0), size=s)
        bad("laplace", scale=W(-1), size=s)
        bad("gumbel", scale=W(-1), size=s)
        bad("logistic", scale=W(-1), size=s)
        bad("rayleigh", scale=W(-1), size=s)
        bad("wald", W(0), W(1), size=s)
        bad("wald", W(1), W(0), size=s)
        bad("triangular", W(1), W(0), W(2), size=s)
        bad("triangular", W(0), W(3), W(2), size=s)
        bad("triangular", W(1), W(1), W(1), size=s)
        bad("triangular", F(0, 1, 2), W(1), W(5), size=s)
        bad("uniform", low=W(0), high=W(inf), size=s)
        bad("uniform", low=F(0, 0, 0), high=W(inf), size=s)
        bad("uniform", low=W(1), high=W(0), size=s, gens=new)
        for p in (W(-0.1), W(1.1), W(nan), F(0.5, nan, 0.5)):
            bad("binomial", W(3), p, size=s)
            bad("geometric", p, size=s)
            bad("logseries", p, size=s)
        bad("binomial", W(-3), W(0.5), size=s)
        bad("binomial", I(3, -3, 3), W(0.5), size=s)
        bad("binomial", W(3.5), W(0.5), size=s)
        bad("negative_binomial", W(0), W(0.5), size=s)
        bad("negative_binomial", W(nan), W(0.5), size=s, gens=new)
        bad("negative_binomial", W(1), W(1e-19), size=s, gens=new)
        bad("negative_binomial", W(1), W(2), size=s)
        for lam in (W(-1), W(nan), W(1e19), F(1, -1, 1), F(1, nan, 1), F(1, 1e19, 1)):
            bad("poisson", lam=lam, size=s)
        bad("zipf", W(1), size=s)
        bad("zipf", W(nan), size=s)
        bad("zipf", F(2, 1, 2), size=s)
        bad("hypergeometric", W(10), W(10), W(21), size=s)
        bad("hypergeometric", W(-1), W(10), W(2), size=s)
        bad("hypergeometric", W(10), W(-1), W(2), size=s)
        bad("hypergeometric", W(10), I(10, 10, 10), W(-2), size=s)
        bad("hypergeometric", W(10**9), W(1), W(2), size=s, gens=new)
        bad("hypergeometric", W(5), W(5), W(0), size=s, gens=old)
    bad("normal", loc=F(1, 2), scale=F(1, 2, 3), size=None)
    bad("normal", loc=F(1, 2), size=(3,))
    bad("normal", loc=F(1, 2), size=(1,))
    bad("normal", loc=F(1, 2, 3).reshape(3, 1), scale=F(1, 2), size=(3, 1))
    bad("beta", F(1, 2), F(1, 2, 3), size=(2,))
    bad("normal", loc=np.array(1j), size=None, gens=())
    bad("random", size=(-1,))
    bad("standard_normal", size=(2, -1), gens=new)
    for name in ("random", "standard_normal", "standard_exponential"):
        bad(name, dtype=np.dtype("int32"), size=(3,), gens=new)
    bad("standard_gamma", W(1), dtype=np.dtype("float16"), size=None, gens=new)
    for s in (None, (3,)):
        bad("integers", W(0), size=s, gens=new)
        bad("integers", W(-1), size=s, gens=new)
        bad("integers", W(5), W(5), size=s, gens=new)
        bad("integers", W(6), W(5), size=s, gens=new, endpoint=True)
        bad("integers", W(0), W(-1), size=s, gens=new, endpoint=True)
        bad("integers", I(5, 1, 1), W(5), size=s, gens=new)
        bad("integers", W(0), W(5), dtype=np.dtype("float32"), size=s, gens=new)
        bad("randint", W(0), W(5), dtype=np.dtype("float32"), size=s, gens=old)
        bad("randint", W(5), W(5), size=s, gens=old)
        for d in INTEGERS:
            info = np.iinfo(d)
            if info.min > -2**63:
                bad("integers", W(info.min - 1), W(1), dtype=d, size=s, gens=new)
                bad("integers", I(*[info.min - 1] * 3), W(1), dtype=d, size=s, gens=new)
            if info.max < 2**63:
                bad("integers", W(0), W(info.max + 2), dtype=d, size=s, gens=new)
                bad("integers", W(0), np.array([info.max + 2] * 3, np.uint64), dtype=d, size=s, gens=new)
                bad("integers", W(0), W(info.max + 1), dtype=d, size=s, gens=new, endpoint=True)
        bad("integers", W(0), W(3), dtype="bool", size=s, gens=new)
    bad("integers", I(0, 0), I(3, 3, 3), size=None, gens=new)
    bad("integers", I(0, 0), W(3), size=(3,), gens=new)
    bad("dirichlet", F(1, -1), size=None)
    bad("dirichlet", F(1, 0), size=None, gens=old)
    bad("dirichlet", F(1, 2, 3, 4).reshape(2, 2), size=None)
    bad("multinomial", W(-1), F(0.5, 0.5), size=None)
    bad("multinomial", W(1), F(0.7, 0.7, 0.1), size=None)
    bad("multinomial", W(1), F(0.7, 0.7, 0.1, 0.5, 0.2, 0.3).reshape(2, 3), size=None, gens=new)
    bad("multinomial", W(1), F(0.7, 1.7), size=None)
    bad("multinomial", W(1), F(), size=None, gens=new)
    bad("multinomial", I(1, 2), F(0.5, 0.5), size=(3,), gens=new)
    bad("multinomial", W(1), np.array([0.4, 0.6000001, 0.1], np.float32), size=None)
    bad("multinomial", W(1), np.array([0.5, 0.50000005, 0.0], np.float32), size=None)
    for how in ("marginals", "count", "other"):
        for colors, n in [(I(3, -1), W(1)), (I(3, 4), W(8)), (I(3, 4), W(-1)), (F(3, 4), W(1)), (I(1, 2, 3, 4).reshape(2, 2), W(1)), (I(3), W(1.5)),
                          (I(2**62, 2**62), W(1)), (I(10**9), W(1))]:
            if how != "count" or colors.sum() < 10**8 and colors.sum() >= 0:
                bad("multivariate_hypergeometric", colors, n, size=None, method=how, gens=new)
    bad("choice", W(0), size=(1,))
    bad("choice", W(-3), size=None)
    bad("choice", I(), size=(1,))
    bad("choice", W(3), size=(4,), replace=False)
    bad("choice", W(3), size=(2,), p=F(0.5, 0.5))
    bad("choice", W(2), size=(2,), p=F(0.5, 0.5).reshape(1, 2))
    bad("choice", W(2), size=(2,), p=F(0.5, 0.6))
    bad("choice", W(2), size=(2,), p=F(1.5, -0.5))
    bad("choice", W(2), size=(2,), p=F(nan, 0.5))
    bad("choice", W(3), size=(2,), p=F(1.0, 0, 0), replace=False)
    bad("choice", I(1, 2, 3, 4).reshape(2, 2), size=(2,), gens=old)
    bad("permutation", np.arange(6).reshape(2, 3), gens=new, axis=2)
    bad("shuffle", np.arange(6).reshape(2, 3), gens=new, axis=2)
    bad("permuted", np.arange(6).reshape(2, 3), gens=new, axis=-3)


def order_of_range(name):
    """The same of numbers that count up to 119 and begin again, in rows of so many columns."""
    def f(n, gen, seed, dtype, columns=1, **options):
        x = (np.arange(n) % 120).astype(dtype)
        return order(name)(x.reshape(-1, columns) if columns > 1 else x, gen, seed, **options)
    return f


def chain(gen, seed, rounds):
    """Many methods of one generator, one after the other: none may leave words or halves behind that the next one does not find in NumPy."""
    g, hashes = source(gen, seed), []
    f4 = {"dtype": "float32"}
    new = [
        lambda n: g.random(n), lambda n: g.random(n, **f4), lambda n: g.integers(0, 100, n, dtype="uint8"), lambda n: g.integers(0, 1000, n),
        lambda n: g.integers(0, 2**40, n), lambda n: g.integers(0, 2, n, dtype="bool"), lambda n: g.standard_normal(n),
        lambda n: g.standard_normal(n, **f4), lambda n: g.standard_exponential(n), lambda n: g.standard_exponential(n, **f4),
        lambda n: g.gamma(0.7, size=n), lambda n: g.standard_gamma(2.5, size=n, **f4), lambda n: g.poisson(3, n), lambda n: g.poisson(100, n),
        lambda n: g.binomial(10, 0.3, n), lambda n: g.binomial(1000, 0.4, n), lambda n: g.permutation(5 * n), lambda n: g.choice(2000, n, replace=False),
        lambda n: g.choice(50, n), lambda n: np.frombuffer(g.bytes(n), np.uint8), lambda n: g.beta(0.5, 0.5, n), lambda n: g.zipf(2.0, n),
        lambda n: g.geometric(0.01, n), lambda n: g.hypergeometric(10, 15, 7, n), lambda n: g.multinomial(20, [0.2, 0.3, 0.5], n),
        lambda n: g.multivariate_hypergeometric([16, 8, 4], 6, n, method="count"), lambda n: g.dirichlet([1.0, 2.0, 3.0], n),
        lambda n: g.wald(1.0, 2.0, n), lambda n: g.laplace(size=n), lambda n: g.integers(np.array([0, 5, 2**33]), 2**34, (n, 3)),
        lambda n: g.permuted(np.arange(3 * n).reshape(n, 3), axis=1)]
    old = [
        lambda n: g.random_sample(n), lambda n: g.randint(0, 100, n, dtype="uint8"), lambda n: g.randint(0, 1000, n), lambda n: g.standard_normal(n),
        lambda n: g.standard_exponential(n), lambda n: g.gamma(0.7, size=n), lambda n: g.poisson(3, n), lambda n: g.poisson(100, n),
        lambda n: g.binomial(10, 0.3, n), lambda n: g.binomial(1000, 0.4, n), lambda n: g.permutation(5 * n), lambda n: g.choice(2000, n, replace=False),
        lambda n: np.frombuffer(g.bytes(n), np.uint8), lambda n: g.beta(0.5, 0.5, n), lambda n: g.zipf(2.0, n),
        lambda n: g.multinomial(20, [0.2, 0.3, 0.5], n), lambda n: g.dirichlet([1.0, 2.0, 3.0], n), lambda n: g.laplace(size=n),
        lambda n: g.hypergeometric(10, 15, 7, n), lambda n: g.randint(0, 2**40, n)]
    calls = old if isinstance(g, np.random.RandomState) else new
    for r in range(rounds):
        for i, f in enumerate(calls):
            n = ((7 * i + 11 * r) % 23 + 1) * (60 if r == rounds - 1 else 1)
            hashes.append(fnv(f(n).tobytes()))
    return [np.array(hashes, np.uint64), state_after(g)]


def more(out):
    seed = 30000
    for name, sets, _ in REAL:
        for args in sets[1:]:
            for gen in GENERATORS[1:]:
                seed += 1
                call(out, name, method(name), *args, gen=gen, seed=seed, size=(1000,))
    for name, sets in NAMED:
        for options in sets[1:]:
            for gen in GENERATORS[1:]:
                seed += 1
                call(out, name, method(name), gen=gen, seed=seed, size=(1000,), **options)
    for shape in (W(0.3), W(1), W(1.5), W(90.0)):
        for gen in GENERATORS[1:]:
            seed += 1
            call(out, "gamma", method("gamma"), shape, gen=gen, seed=seed, size=(1000,), scale=W(2.5))
    for gen in GENERATORS:
        for d in INTEGERS:
            seed += 1
            call(out, "integers", method("integers"), np.array([0, 1, 3], d), np.array([[7], [100]], d), gen=gen, seed=seed, size=(170, 2, 3), dtype=d)
        for n in (48, 49, 50, 51, 1000, 5000):
            seed += 1
            call(out, "permutation", order("permutation"), W(n), gen=gen, seed=seed)
        for d in ("int8", "uint16", "float32", "float64", "complex128"):
            seed += 1
            call(out, "shuffle_range", order_of_range("shuffle"), W(1000), gen=gen, seed=seed, dtype=d)
        for name, axis in (("shuffle", 0), ("shuffle", 1), ("permuted", 0), ("permuted", 1), ("permutation", 0), ("permutation", 1)):
            call(out, name + "_range", order_of_range(name), W(1200), gen=gen, seed=seed, dtype="int64", columns=4, axis=axis)
        call(out, "permuted_range", order_of_range("permuted"), W(1200), gen=gen, seed=seed, dtype="int64", columns=4)
        p = np.arange(1.0, 101) / 5050
        for o in ({"p": p}, {"p": p, "replace": False}, {"replace": False}, {}):
            seed += 1
            call(out, "choice", order("choice"), W(100), gen=gen, seed=seed, size=(80,), **o)
        call(out, "choice", order("choice"), W(100000), gen=gen, seed=seed, size=(1000,), replace=False)
        call(out, "choice", order("choice"), W(20000), gen=gen, seed=seed, size=(5000,), replace=False)
    for gen in GENERATORS + ["RandomState", "RandomState-PCG64"]:
        for rounds in (1, 4):
            seed += 1
            call(out, "chain", chain, gen=gen, seed=seed, rounds=rounds)


def raw(seed, gen, jumps=0, advance=0, child=None, legacy=False):
    """Words 0 to 4 and 999."""
    if legacy:
        bits = np.random.RandomState(seed)._bit_generator
    else:
        bits = getattr(np.random, gen)(seed)
    if child is not None:
        bits = bits.spawn(child + 1)[child].spawn(2)[1]
    if jumps:
        bits = bits.jumped(jumps)
    if advance:
        bits.advance(advance)
    return bits.random_raw(1000)[[0, 1, 2, 3, 4, 999]]


def philox(gen, key=None, counter=None):
    return np.random.Philox(key=key, counter=counter).random_raw(9)


def sequence(entropy, n_words, dtype, spawn_key=(), pool_size=4, child=None):
    s = np.random.SeedSequence(entropy, spawn_key=tuple(int(k) for k in spawn_key), pool_size=pool_size)
    if child is not None:
        s = s.spawn(child + 1)[child]
    return s.generate_state(n_words, dtype)


def bits(out):
    seeds = [W(0), W(0xDEADBEAF), W(2**64 - 1), I(1, 2, 3), np.array([2**63 + 5, 7], np.uint64), np.arange(700, dtype=np.uint32), I()]
    for gen in GENERATORS:
        for seed in seeds:
            call(out, "random_raw", raw, seed, gen=gen)
        call(out, gen, raw, W(-1), gen=gen)
        call(out, "random_raw", raw, W(5), gen=gen, child=3)
        for jumps in (1, 2, 7) if gen != "SFC64" else ():
            call(out, "random_raw", raw, W(5), gen=gen, jumps=jumps)
        for advance in (1, 7, 2**40 + 3, -1, -(2**62)) if gen in ("PCG64", "PCG64DXSM", "Philox") else ():
            call(out, "random_raw", raw, W(5), gen=gen, advance=advance)
    for seed in (W(0), W(5489), W(2**32 - 1), I(0x123, 0x234, 0x345, 0x456), I(7), np.arange(1000)):
        call(out, "random_raw", raw, seed, gen="MT19937", legacy=True)
    for seed in (W(-1), W(2**32), I(1, -1), I(), np.arange(4).reshape(2, 2)):
        call(out, "RandomState", raw, seed, gen="MT19937", legacy=True)
    for key in (W(0), W(5), W(-1), np.array([1, 2], np.uint64), I(1, 2, 3)):
        call(out, "Philox", philox, gen="Philox", key=key)
    for counter in (W(9), W(-1), np.array([2**64 - 1, 2**64 - 1, 0, 4], np.uint64), I(1, 2)):
        call(out, "Philox", philox, gen="Philox", key=W(3), counter=counter)
    for seed in seeds + [I(3735928559, 195939070, 229505742, 305419896), W(42), W(-3)]:
        for n, dtype in ((4, "uint32"), (5, "uint64"), (0, "uint32"), (9, "uint32")):
            call(out, "generate_state" if not (isinstance(seed, W) and seed.value < 0) else "SeedSequence", sequence, seed, n, dtype)
        if not (isinstance(seed, W) and seed.value < 0):
            call(out, "generate_state", sequence, seed, 4, "uint32", spawn_key=I(0, 2**40))
            call(out, "generate_state", sequence, seed, 9, "uint64", pool_size=8)
            call(out, "generate_state", sequence, seed, 4, "uint32", child=2)
            call(out, "generate_state", sequence, seed, 4, "uint64", spawn_key=I(3), child=1)
    call(out, "SeedSequence", sequence, W(1), 4, "uint32", pool_size=3)
    call(out, "generate_state", sequence, W(1), 4, "int32")


def main(folder):
    for name, parts in (("bits", [bits]), ("streams", [distributions, standard, integers, vectors]), ("orders", [orders]),
                        ("errors", [errors]), ("more", [more])):
        with open(f"{folder}/rng_{name}.txt", "w") as out:
            out.write("# Written by scripts/golden/make_rng.py.\n")
            for part in parts:
                part(out)


if __name__ == "__main__":
    main(sys.argv[1])
