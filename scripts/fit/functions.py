#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of src/kernel/math/ and prints them as C tables (needs mpmath).

Weighted least squares on the relative error at Chebyshev points, with weights moved towards the largest errors (Lawson), in
60 digits; coefficients are rounded to the target type one at a time, lowest order first, and the rest is fitted again."""
import struct
import sys
from mpmath import mp, mpf, matrix, lu_solve, cos, sin, pi, exp, log, log1p, asin, atan, atanh, tanh, sqrt

mp.dps = 60
POINTS, ROUNDS = 140, 14


def rounded(x, bits):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0]) if bits == 32 else mpf(float(x))


def solve(xs, target, weight, first, deg):
    """Coefficients first..deg of the best polynomial in the weighted maximum norm, nearly."""
    n = deg + 1 - first
    rows = [[w * x**(first + k) for k in range(n)] for x, w in zip(xs, weight)]
    rhs = [t * w for t, w in zip(target, weight)]
    lawson, best = [mpf(1)] * len(xs), None
    for _ in range(ROUNDS):
        a, b = matrix(n, n), matrix(n, 1)
        for row, r, l in zip(rows, rhs, lawson):
            for i in range(n):
                lr = l * row[i]
                b[i] += lr * r
                for j in range(i, n):
                    a[i, j] += lr * row[j]
        for i in range(n):
            for j in range(i):
                a[i, j] = a[j, i]
        c = lu_solve(a, b)
        err = [abs(r - sum(row[i] * c[i] for i in range(n))) for row, r in zip(rows, rhs)]
        if best is None or max(err) < best[0]:
            best = max(err), c
        total = sum(l * e for l, e in zip(lawson, err))
        if total == 0:
            break
        lawson = [l * e / total for l, e in zip(lawson, err)]
    return list(best[1])


def fit(name, f, weight, lo, hi, deg, bits):
    lo, hi = mpf(lo), mpf(hi)
    xs = [lo + (hi - lo) * (1 + cos(pi * (i + mpf(0.5)) / POINTS)) / 2 for i in range(POINTS)]
    value, w = [f(x) for x in xs], [weight(x) for x in xs]
    fixed = []
    for d in range(deg + 1):
        target = [v - sum(c * x**k for k, c in enumerate(fixed)) for v, x in zip(value, xs)]
        fixed.append(rounded(solve(xs, target, w, d, deg)[0], bits))
    err = max(abs(v - sum(c * x**k for k, c in enumerate(fixed))) * q for v, x, q in zip(value, xs, w))
    suffix = "f" if bits == 32 else ""
    text = ", ".join(float(c).hex() + suffix for c in fixed)
    print(f"{name}: largest relative error 2^{float(log(err, 2)):.1f}\n    {{ {text} }}", flush=True)


def series(f, x, terms=40):
    """f(x, k): the k-th term; for quotients that cancel at 0."""
    return sum(f(x, k) for k in range(terms))


def exp_tail(r):  # (e^r - 1 - r) / r^2
    return series(lambda x, k: x**k / mp.factorial(k + 2), r)


def exp_tail2(r):  # the next one: (e^r - 1 - r - r^2/2) / r^3
    return series(lambda x, k: x**k / mp.factorial(k + 3), r)


def sin_tail(s):  # (sin r / r - 1) / s, s = r^2
    return series(lambda x, k: (-1)**(k + 1) * x**k / mp.factorial(2 * k + 3), s)


def cos_tail(s):  # (cos r - 1 + s/2) / s^2
    return series(lambda x, k: (-1)**k * x**k / mp.factorial(2 * k + 4), s)


def log_tail(f):  # (log(1 + f) - f + f^2/2) / f^3
    if abs(f) < mpf("1e-6"):
        return series(lambda x, k: (-x)**k / (k + 3), f, 12)
    return (log1p(f) - f + f * f / 2) / f**3


def log_square(f):  # (log(1 + f) - f) / f^2
    return f * log_tail(f) - mpf(0.5)


def atanh_tail(z):  # (2 atanh(s) / s - 2) / z, z = s^2
    return series(lambda x, k: 2 * x**k / (2 * k + 3), z, 60)


def atanh_tail2(z):  # the next one: (2 atanh(s) / s - 2 - 2 z / 3) / z^2
    return series(lambda x, k: 2 * x**k / (2 * k + 5), z, 60)


def atan_tail(z):  # (atan(t) / t - 1) / z, z = t^2
    if z < mpf("1e-8"):
        return series(lambda x, k: (-1)**(k + 1) * x**k / (2 * k + 3), z, 12)
    t = sqrt(z)
    return (atan(t) / t - 1) / z


def asin_tail(z):  # (asin(t) / t - 1) / z, z = t^2
    if z < mpf("1e-8"):
        return mpf(1) / 6 + 3 * z / 40 + 15 * z**2 / 336 + 105 * z**3 / 3456
    t = sqrt(z)
    return (asin(t) / t - 1) / z


def sinh_tail(z):  # (sinh(t) / t - 1) / z, z = t^2
    return series(lambda x, k: x**k / mp.factorial(2 * k + 3), z)


def tan_tail(z):  # (tan(t) / t - 1) / z
    if z < mpf("1e-8"):
        return mpf(1) / 3 + 2 * z / 15 + 17 * z * z / 315
    t = sqrt(z)
    return (mp.tan(t) / t - 1) / z


def asinh_tail(z):  # (asinh(t) / t - 1) / z
    if z < mpf("1e-8"):
        return -mpf(1) / 6 + 3 * z / 40 - 15 * z**2 / 336 + 105 * z**3 / 3456
    t = sqrt(z)
    return (mp.asinh(t) / t - 1) / z


def tanh_tail(z):
    if z < mpf("1e-6"):
        return -mpf(1) / 3 + 2 * z / 15 - 17 * z * z / 315 + 62 * z**3 / 2835
    t = sqrt(z)
    return (tanh(t) / t - 1) / z


def main():
    half_ln2 = log(2) / 2 * mpf("1.0001")
    quarter = (pi / 4 * mpf("1.0002"))**2
    sin_weight = lambda s: s / (sin(sqrt(s)) / sqrt(s))
    cos_weight = lambda s: s * s / cos(sqrt(s))
    low, high = sqrt(mpf(0.5)) - 1, sqrt(mpf(2)) - 1
    log_weight = lambda f: abs(f**3 / log1p(f))
    z_high = (high / (2 + high))**2 * mpf("1.0002")
    atan_weight = lambda z: z / (atan(sqrt(z)) / sqrt(z))
    tanh_weight = lambda z: z / (tanh(sqrt(z)) / sqrt(z))
    asin_weight = lambda z: z / (asin(sqrt(z)) / sqrt(z))
    log_square_weight = lambda f: abs(f * f / log1p(f) * log(2))
    tiny, fourth, third = mpf("1e-12"), mpf("0.25"), mpf(1) / 9 * mpf("1.0002")
    jobs = {
        "exp32": lambda: fit("exp32", exp_tail, lambda r: r * r / exp(r), -half_ln2, half_ln2, 4, 32),
        "exp64": lambda: fit("exp64", exp_tail, lambda r: r * r / exp(r), -half_ln2, half_ln2, 9, 64),
        "expm1 64": lambda: fit("expm1 64", exp_tail2, lambda r: abs(r**3 / mp.expm1(r)), -half_ln2, half_ln2, 8, 64),
        "sin32": lambda: fit("sin32", sin_tail, sin_weight, tiny, quarter, 2, 32),
        "cos32": lambda: fit("cos32", cos_tail, cos_weight, tiny, quarter, 2, 32),
        "sin64": lambda: fit("sin64", sin_tail, sin_weight, tiny, quarter, 5, 64),
        "cos64": lambda: fit("cos64", cos_tail, cos_weight, tiny, quarter, 5, 64),
        "log32": lambda: fit("log32", log_tail, log_weight, low, high, 7, 32),
        "log64": lambda: fit("log64", atanh_tail, lambda z: z / 2, tiny, z_high, 6, 64),
        "log64 second": lambda: fit("log64 second", atanh_tail2, lambda z: z * z / 2, tiny, z_high, 6, 64),
        "log32 second": lambda: fit("log32 second", atanh_tail2, lambda z: z * z / 2, tiny, z_high, 2, 32),
        "asin32": lambda: fit("asin32", asin_tail, asin_weight, tiny, fourth, 4, 32),
        "asin64": lambda: fit("asin64", asin_tail, asin_weight, tiny, fourth, 11, 64),
        "atan32": lambda: fit("atan32", atan_tail, atan_weight, tiny, fourth, 4, 32),
        "atan64 to 0.5": lambda: fit("atan64 to 0.5", atan_tail, atan_weight, tiny, fourth, 11, 64),
        "tanh32": lambda: fit("tanh32", tanh_tail, tanh_weight, tiny, 1, 6, 32),
        "exp32 fine": lambda: fit("exp32 fine", exp_tail, lambda r: r * r / abs(mp.expm1(r)), -half_ln2, half_ln2, 5, 32),
        "sinh32": lambda: fit("sinh32", sinh_tail, lambda z: z / (1 + z * sinh_tail(z)), tiny, 1, 3, 32),
        "tan32": lambda: fit("tan32", tan_tail, lambda z: z / (1 + z * tan_tail(z)), tiny, quarter, 6, 32),
        "asinh32": lambda: fit("asinh32", asinh_tail, lambda z: z / (1 + z * asinh_tail(z)), tiny, fourth, 4, 32),
        "sinh64": lambda: fit("sinh64", sinh_tail, lambda z: z / (1 + z * sinh_tail(z)), tiny, 1, 6, 64),
        "tanh64": lambda: fit("tanh64", tanh_tail, tanh_weight, tiny, 1, 14, 64),
        "asinh64": lambda: fit("asinh64", asinh_tail, lambda z: z / (1 + z * asinh_tail(z)), tiny, fourth, 10, 64),
        "atanh32": lambda: fit("atanh32", lambda z: atanh_tail(z) / 2, lambda z: z, tiny, third, 4, 32),
        "atanh64": lambda: fit("atanh64", lambda z: atanh_tail(z) / 2, lambda z: z, tiny, third, 9, 64),
        "log2 of f32": lambda: fit("log2 of f32", lambda f: log_square(f) / log(2), log_square_weight, low, high, 8, 32),
        "log10 of f32": lambda: fit("log10 of f32", lambda f: log_square(f) / log(10), lambda f: log_square_weight(f) * log(10) / log(2), low, high, 8, 32),
    }
    for name in sys.argv[1:] or jobs:
        jobs[name]()


if __name__ == "__main__":
    main()
