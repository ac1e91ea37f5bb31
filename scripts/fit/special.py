#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of src/kernel/math/math_erf.c, math_gamma.c, math_bessel.c, math_quantile.c and src/special/ and prints them as C tables (needs mpmath)."""
import sys
from functions import fit, rounded
from mpmath import mp, mpf, matrix, lu_solve, besseli, cos, digamma, erf, erfc, exp, findroot, loggamma, log, pi, sin, sqrt


def rational(name, f, weight, lo, hi, above, below, bits=64, points=200, rounds=25):
    """f = P / Q with Q(0) = 1: Q by weighted linear least squares, then P for the rounded Q."""
    lo, hi = mpf(lo), mpf(hi)
    xs = [lo + (hi - lo) * (1 + cos(pi * (i + mpf(0.5)) / points)) / 2 for i in range(points)]
    value, w = [f(x) for x in xs], [weight(x) for x in xs]
    n = above + 1 + below
    lawson, old, best = [mpf(1)] * points, [mpf(1)] * points, None
    for _ in range(rounds):
        a, b = matrix(n, n), matrix(n, 1)
        for x, v, u, l, q in zip(xs, value, w, lawson, old):
            u = u / q
            row = [u * x**k for k in range(above + 1)] + [-u * v * x**(k + 1) for k in range(below)]
            for i in range(n):
                b[i] += l * row[i] * u * v
                for j in range(i, n):
                    a[i, j] += l * row[i] * row[j]
        for i in range(n):
            for j in range(i):
                a[i, j] = a[j, i]
        c = lu_solve(a, b)
        old = [1 + sum(c[above + 1 + k] * x**(k + 1) for k in range(below)) for x in xs]
        err = [abs(v - sum(c[k] * x**k for k in range(above + 1)) / q) * u for x, v, u, q in zip(xs, value, w, old)]
        if best is None or max(err) < best[0]:
            best = max(err), [c[above + 1 + k] for k in range(below)]
        total = sum(l * e for l, e in zip(lawson, err))
        lawson = [l * e / total for l, e in zip(lawson, err)]
    q = [mpf(1)] + [rounded(v, bits) for v in best[1]]
    of = lambda x: sum(v * x**k for k, v in enumerate(q))
    print(f"{name}, below:\n    {{ {', '.join(float(v).hex() for v in q)} }}")
    fit(name + ", above", lambda x: f(x) * of(x), lambda x: weight(x) / of(x), lo, hi, above, bits)


def erf_tail(s):  # erf(x) / x - 1, s = x^2
    if s < mpf("1e-9"):
        return 2 / sqrt(pi) * sum((-s)**k / (mp.factorial(k) * (2 * k + 1)) for k in range(8)) - 1
    x = sqrt(s)
    return erf(x) / x - 1


def at(t, c):
    return c * (1 + t) / (1 - t)


def erfc_over(t, c):  # e^(a^2) erfc(a) (a + c)
    a = at(t, c)
    return exp(a * a) * erfc(a) * (a + c)


def erfc_exponent(a):
    return -log(erfc(a), 2)


def exp2_tail(f):  # (2^f - 1) / f
    return (mpf(2)**f - 1) / f if f else log(2)


def lgamma_quotient(v):  # lgamma(1 + v) / (v (v - 1))
    if abs(v) < mpf("1e-25"):
        return mp.euler
    if abs(v - 1) < mpf("1e-25"):
        return 1 - mp.euler
    mp.dps = 90
    r = loggamma(1 + v).real / (v * (v - 1))
    mp.dps = 60
    return r


def lgamma_far(s):  # (lgamma(x) - (x - 1/2)(log x - 1) - (log(2 pi) - 1) / 2) x, s = 1 / x^2
    x = 1 / sqrt(s)
    mp.dps = 90
    r = (loggamma(x) - (x - mpf(0.5)) * (log(x) - 1) - (log(2 * pi) - 1) / 2) * x
    mp.dps = 60
    return r


ZERO = findroot(digamma, mpf("1.4616321449683623"))


def digamma_middle(v):  # digamma(1 + v) / (1 + v - zero)
    mp.dps = 90
    d = 1 + v - findroot(digamma, mpf("1.4616321449683623412626595423257213284681962040064463512959884"))
    r = mp.polygamma(1, ZERO) if abs(d) < mpf("1e-25") else digamma(1 + v) / d
    mp.dps = 60
    return r


def digamma_far(s):  # (log x - 1 / (2 x) - digamma(x)) x^2, s = 1 / x^2
    x = 1 / sqrt(s)
    mp.dps = 90
    r = (log(x) - 1 / (2 * x) - digamma(x)) * x * x
    mp.dps = 60
    return r


def sin_pi(s):  # sin(pi r) / (pi r), s = r^2
    r = pi * sqrt(s)
    return sin(r) / r if s else mpf(1)


def cot_pi(s):  # (1 / r - pi cot(pi r)) / r, s = r^2
    if s < mpf("1e-12"):
        return 2 * sum(mp.zeta(2 * k + 2) * s**k for k in range(6))
    r = sqrt(s)
    return (1 / r - pi / mp.tan(pi * r)) / r


def bessel_near(n):  # I_n(x) / x^n, s = x^2 / 128
    return lambda s: besseli(n, sqrt(128 * s)) / sqrt(128 * s)**n if s else mpf(1) / (n + 1)


def bessel_far(n):  # sqrt(x) e^-x I_n(x), u = 1 / x
    return lambda u: sqrt(1 / u) * exp(-1 / u) * besseli(n, 1 / u) if u else 1 / sqrt(2 * pi)


def quantile_of(r):  # -x, where log ndtr(x) = -r^2 / 2
    mp.dps = 90
    x = r - log(r * r * 2 * pi) / (2 * r) if r > 3 else r * mpf(0.65)
    step = mpf(1)
    while abs(step) > mpf("1e-80"):
        tail = erfc(x / sqrt(mpf(2))) / 2
        step = (log(tail) + r * r / 2) * tail * sqrt(2 * pi) * exp(x * x / 2)
        x += step
    return x


def quantile_tail(c):  # r - quantile_of(r), r = v + c
    return lambda v: v + c - quantile_of(v + c)


def quantile_middle(s):  # (ndtri(1/2 + q) / q - sqrt(2 pi)) / s, s = q^2
    q = sqrt(max(s, mpf("1e-10")))
    return (sqrt(mpf(2)) * mp.erfinv(2 * q) / q - sqrt(2 * pi)) / (q * q)


def gauss_legendre(name, n):
    """Nodes and weights on [0, 1]: the lower half of them."""
    j = matrix(n, n)
    for k in range(1, n):
        j[k, k - 1] = j[k - 1, k] = k / sqrt(mpf(4 * k * k - 1))
    values, vectors = mp.eigsy(j)
    rows = sorted(((1 + values[i]) / 2, vectors[0, i]**2) for i in range(n))[:n // 2]
    print(f"{name}:\n    {{ {', '.join('{' + float(x).hex() + ', ' + float(w).hex() + '}' for x, w in rows)} }}")


def jobs():
    tiny = mpf("1e-12")
    erf_weight = lambda s: 1 / (1 + erf_tail(s))
    relative = lambda f: lambda x: 1 / f(x)
    t = lambda x, c: (mpf(x) - c) / (mpf(x) + c)
    over = lambda u, c: erfc_over(u, mpf(c))
    far = lambda x: 1 / mpf(x)**2
    # what a far part counts relative to the result
    lgamma_far_weight = lambda s: sqrt(s) / abs(loggamma(1 / sqrt(s)))
    digamma_far_weight = lambda s: s / abs(digamma(1 / sqrt(s)))
    yield "erf64", lambda: fit("erf64", erf_tail, erf_weight, tiny, mpf("1.001"), 12, 64)
    yield "erf32", lambda: fit("erf32", erf_tail, erf_weight, tiny, mpf("0.88")**2, 6, 32)
    middle = mpf(float.fromhex("0x1.ea5ep-1")) # its exponent is nearly a float
    first, end = rounded(erfc_exponent(middle), 32), mpf("4.01") - middle
    exponent = lambda u: (erfc_exponent(middle + u) - first) / u
    yield "erfc exponent 32", lambda: fit("erfc exponent 32", exponent, lambda u: abs(u) * erfc(middle + u), mpf("0.83") - middle, end, 5, 32)
    first64 = rounded(erfc_exponent(mpf(1.5)), 64)
    exponent64 = lambda u: (erfc_exponent(u + 1.5) - first64) / u
    yield "erfc exponent 64", lambda: fit("erfc exponent 64", exponent64, lambda u: abs(u) * erfc(u + 1.5), mpf("-0.501"), mpf("4.46"), 16, 64)
    yield "erf power 64", lambda: fit("erf power 64", exp2_tail, abs, mpf("-0.501"), mpf("0.501"), 10, 64)
    yield "erf power 32", lambda: fit("erf power 32", exp2_tail, abs, mpf("-0.51"), mpf("0.51"), 5, 32)
    rest = lambda u, c: (over(u, c) - over(mpf(0), c)) / u
    yield "erfc32 rest", lambda: fit("erfc32 rest", lambda u: rest(u, 2), lambda u: abs(u) / over(u, 2), t("0.4749", 2), t("10.3", 2), 8, 32)
    yield "erfc64 rest", lambda: fit("erfc64 rest", lambda u: rest(u, 2), lambda u: abs(u) / over(u, 2), t("0.4767", 2), t("27.6", 2), 22, 64)
    yield "lgamma middle", lambda: rational("lgamma middle", lambda v: lgamma_quotient(v) - mpf(0.5), relative(lgamma_quotient), -0.2501, 2, 8, 8)
    yield "lgamma far", lambda: fit("lgamma far", lgamma_far, lgamma_far_weight, tiny, far(3), 9, 64)
    yield "gamma middle", lambda: fit("gamma middle", lambda v: mp.gamma(v + mpf(2.5)), lambda v: 1 / mp.gamma(v + mpf(2.5)), -0.5, 0.5, 17, 64)
    yield "digamma middle", lambda: rational("digamma middle", digamma_middle, relative(digamma_middle), -0.2501, 2, 8, 8)
    yield "digamma far", lambda: fit("digamma far", digamma_far, digamma_far_weight, tiny, far(3), 9, 64)
    yield "lgamma middle 32", lambda: rational("lgamma middle 32", lambda v: lgamma_quotient(v) - mpf(0.5), relative(lgamma_quotient), -0.2501, 2, 4, 4, 32)
    yield "lgamma far 32", lambda: fit("lgamma far 32", lgamma_far, lgamma_far_weight, tiny, far(3), 3, 32)
    one_up = lambda u: (mp.gamma(u + 2) - 1) / u if u else 1 - mp.euler
    yield "gamma middle 32", lambda: fit("gamma middle 32", one_up, lambda u: u / mp.gamma(u + 2), tiny, 1, 7, 32)
    yield "digamma middle 32", lambda: rational("digamma middle 32", digamma_middle, relative(digamma_middle), -0.2501, 2, 4, 4, 32)
    yield "digamma far 32", lambda: fit("digamma far 32", digamma_far, digamma_far_weight, tiny, far(3), 3, 32)
    yield "sin pi 32", lambda: fit("sin pi 32", sin_pi, relative(sin_pi), tiny, 0.2501, 4, 32)
    yield "cot pi 32", lambda: fit("cot pi 32", cot_pi, lambda s: s, tiny, 0.2501, 6, 32)
    yield "sin pi", lambda: fit("sin pi", sin_pi, relative(sin_pi), tiny, 0.2501, 8, 64)
    yield "cot pi", lambda: fit("cot pi", cot_pi, lambda s: s, tiny, 0.2501, 14, 64)
    middle_of = lambda v: quantile_middle(mpf(0.180625) - v)
    middle_weight = lambda v: 1 / (quantile_middle(mpf(0.180625) - v) + sqrt(2 * pi) / max(mpf(0.180625) - v, mpf("1e-10")))
    cut, edge = mpf(0.180625) - mpf("0.4251")**2, sqrt(-2 * log(mpf("0.0751")))
    for name, c, lo, hi, above, bits in ("32", 0, edge, "14.4", 3, 32), ("64", 2.25, edge, "7.51", 7, 64), ("64, far", 7.5, "7.49", "38.7", 7, 64):
        yield "quantile tail " + name, lambda name=name, c=mpf(c), lo=mpf(lo), hi=mpf(hi), above=above, bits=bits: rational("quantile tail " + name, quantile_tail(c), lambda v: 1 / quantile_of(v + c), lo - c, hi - c, above, 4 if bits == 32 else 7, bits, 100, 12)
    for degree, bits in (3, 32), (7, 64):
        yield f"quantile middle {bits}", lambda degree=degree, bits=bits: rational(f"quantile middle {bits}", middle_of, middle_weight, cut, mpf(0.180625), degree, degree, bits, 100, 12)
    yield "owens_t", lambda: gauss_legendre("owens_t", 24)
    for n in 0, 1:
        near, beyond = bessel_near(n), bessel_far(n)
        yield f"i{n}e near", lambda n=n, f=near: fit(f"i{n}e near", f, relative(f), 0, mpf(9) / 8, 18, 64)
        yield f"i{n}e far", lambda n=n, f=beyond: fit(f"i{n}e far", f, relative(f), 0, mpf(1) / 12, 18, 64)
        yield f"i{n}e near 32", lambda n=n, f=near: fit(f"i{n}e near 32", f, relative(f), 0, mpf(1) / 2, 10, 32)
        yield f"i{n}e far 32", lambda n=n, f=beyond: fit(f"i{n}e far 32", f, relative(f), 0, mpf(1) / 8, 7, 32)

def main():
    table = dict(jobs())
    for name in sys.argv[1:] or table:
        table[name]()


if __name__ == "__main__":
    main()
