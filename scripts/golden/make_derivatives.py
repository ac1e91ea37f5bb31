#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/derivatives.npz: derivatives of functions of elements at zeros, ties, kinks, infinities and NaN.

    /tmp/venv/bin/python scripts/golden/make_derivatives.py tests/golden      (JAX 0.10, optax 0.2, mpmath; 64-bit types on)

"abs jax" has JAX's value, first, second and third derivative (reverse mode, nested) at the points "one"; of functions of two
operands the value and the derivatives x, xx, xxx, y, yy, yyy, xy, yx at the points "two" (n x 2). A row that JAX has no rule for
is NaN, and named so in "abs without". "abs calculus" has the derivatives where the function is smooth, found by differences in 120
digits: those from the left and from the right agree, in this and all lower orders. Elsewhere it is NaN."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.lax as lax
import jax.nn as nn
import jax.numpy as jnp
import jax.scipy.special as special
import mpmath
import numpy as np
import optax.losses as losses
from mpmath import mp, mpf

assert jax.__version__.startswith("0.10."), jax.__version__
mp.dps = 120
INF, NAN = float("inf"), float("nan")
ONE = [0.0, -0.0, 1e-3, -1e-3, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 6.0, 40.0, -40.0, 800.0, -800.0, INF, -INF, NAN]
SIDE = [-1.0, -0.0, 0.0, 0.5, 1.0, 2.0, INF, -INF, NAN]
TWO = [(x, y) for x in SIDE for y in SIDE]
ORDERS = {1: ["", "x", "xx", "xxx"], 2: ["", "x", "xx", "xxx", "y", "yy", "yyy", "xy", "yx"]}


class Undefined(Exception):
    pass


def real(f):
    """f where its value is a real number."""
    def g(*x):
        y = f(*x)
        if isinstance(y, mpmath.mpc):
            if y.imag != 0:
                raise Undefined
            y = y.real
        return y
    return g


def above(limit, f):
    """f for numbers above the limit."""
    def g(x):
        if x <= limit:
            raise Undefined
        return f(x)
    return g


def pick(condition, yes, no):
    return lambda x: yes(x) if condition(x) else no(x)


half, two = mpf(1) / 2, mpf(2)
sigmoid = lambda x: 1 / (1 + mpmath.exp(-x))
softplus = lambda x: mpmath.log1p(mpmath.exp(-abs(x))) + max(x, 0)
relu6 = lambda x: min(max(x, mpf(0)), mpf(6))
ndtr = lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2
lgamma = lambda x: mpmath.log(abs(mpmath.gamma(x)))
clip = lambda x, low, high: min(max(x, mpf(low)), mpf(high))
elu = lambda x, a=1: x if x > 0 else a * mpmath.expm1(x)
huber = lambda x: x * x / 2 if abs(x) <= 1 else abs(x) - half
log_cosh = lambda x: mpmath.log(mpmath.cosh(x))
xlogy = lambda x, y: mpf(0) if x == 0 else x * mpmath.log(y)
sinc = lambda x: mpmath.sincpi(x)
lse = lambda *x: mpmath.log(sum(mpmath.exp(t) for t in x))
bce = lambda x, t: t * softplus(-x) + (1 - t) * softplus(x)


def focal(x, t, gamma=2):
    p = sigmoid(x)
    return bce(x, t) * (1 - (p * t + (1 - p) * (1 - t))) ** gamma


def sqrt_above(x):
    if x < 0:
        raise Undefined
    return mpmath.sqrt(x)


def modulo(x, y):
    if y == 0:
        raise Undefined
    return x - mpmath.floor(x / y) * y


def fmod(x, y):
    if y == 0:
        raise Undefined
    q = x / y
    return x - (mpmath.floor(q) if q >= 0 else mpmath.ceil(q)) * y


stack = jnp.stack
# name: JAX's function, the same in mpmath or None
FUNCTIONS_OF_ONE = {
    "negative": (jnp.negative, lambda x: -x),
    "positive": (jnp.positive, lambda x: x),
    "absolute": (jnp.abs, abs),
    "sign": (jnp.sign, mpmath.sign),
    "square": (jnp.square, lambda x: x * x),
    "reciprocal": (jnp.reciprocal, lambda x: 1 / x),
    "sqrt": (jnp.sqrt, mpmath.sqrt),
    "exp": (jnp.exp, mpmath.exp),
    "log": (jnp.log, mpmath.log),
    "sin": (jnp.sin, mpmath.sin),
    "cos": (jnp.cos, mpmath.cos),
    "tanh": (jnp.tanh, mpmath.tanh),
    "exp2": (jnp.exp2, lambda x: two ** x),
    "expm1": (jnp.expm1, mpmath.expm1),
    "log2": (jnp.log2, lambda x: mpmath.log(x) / mpmath.log(2)),
    "log10": (jnp.log10, lambda x: mpmath.log(x) / mpmath.log(10)),
    "log1p": (jnp.log1p, mpmath.log1p),
    "tan": (jnp.tan, mpmath.tan),
    "arcsin": (jnp.arcsin, mpmath.asin),
    "arccos": (jnp.arccos, mpmath.acos),
    "arctan": (jnp.arctan, mpmath.atan),
    "arcsinh": (jnp.arcsinh, mpmath.asinh),
    "arccosh": (jnp.arccosh, mpmath.acosh),
    "arctanh": (jnp.arctanh, mpmath.atanh),
    "sinh": (jnp.sinh, mpmath.sinh),
    "cosh": (jnp.cosh, mpmath.cosh),
    "cbrt": (jnp.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "rsqrt": (lax.rsqrt, lambda x: 1 / sqrt_above(x)),
    "real": (jnp.real, lambda x: x),
    "imag": (jnp.imag, lambda x: mpf(0)),
    "conjugate": (jnp.conjugate, lambda x: x),
    "deg2rad": (jnp.deg2rad, lambda x: x * mpmath.pi / 180),
    "rad2deg": (jnp.rad2deg, lambda x: x * 180 / mpmath.pi),
    "i0": (jnp.i0, lambda x: mpmath.besseli(0, x)),
    "sinc": (jnp.sinc, sinc),
    "angle": (jnp.angle, None),
    "nan_to_num": (jnp.nan_to_num, lambda x: x),
    "floor": (jnp.floor, mpmath.floor),
    "ceil": (jnp.ceil, mpmath.ceil),
    "trunc": (jnp.trunc, lambda x: mpmath.floor(x) if x >= 0 else mpmath.ceil(x)),
    "rint": (jnp.rint, None),
    "modf": (lambda x: jnp.modf(x)[0], lambda x: x - (mpmath.floor(x) if x >= 0 else mpmath.ceil(x))),
    "frexp": (lambda x: jnp.frexp(x)[0], None),
    "clip": (lambda x: jnp.clip(x, -1, 1), lambda x: clip(x, -1, 1)),
    "clamp": (lambda x: lax.clamp(-1.0, x, 1.0), lambda x: clip(x, -1, 1)),
    "ldexp": (lambda x: jnp.ldexp(x, 3), lambda x: 8 * x),
    "power 2": (lambda x: jnp.power(x, 2), lambda x: x ** 2),
    "power 3": (lambda x: jnp.power(x, 3), lambda x: x ** 3),
    "power -1": (lambda x: jnp.power(x, -1), lambda x: 1 / x),
    "power 2.5": (lambda x: jnp.power(x, 2.5), lambda x: sqrt_above(x) ** 5),
    "integer_pow 5": (lambda x: lax.integer_pow(x, 5), lambda x: x ** 5),
    # special
    "expit": (special.expit, sigmoid),
    "erfinv": (special.erfinv, mpmath.erfinv),
    "erf": (special.erf, mpmath.erf),
    "erfc": (special.erfc, mpmath.erfc),
    "gammaln": (special.gammaln, lgamma),
    "digamma": (special.digamma, mpmath.digamma),
    "i0e": (special.i0e, lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x))),
    "i1e": (special.i1e, lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x))),
    "gamma": (special.gamma, mpmath.gamma),
    "gammasgn": (special.gammasgn, None),
    "factorial": (special.factorial, above(0, lambda x: mpmath.gamma(x + 1))),
    "multigammaln 3": (lambda x: special.multigammaln(x, 3),
                       above(1, lambda x: mpmath.log(mpmath.pi) * 3 / 2 + sum(lgamma(x - mpf(j) / 2) for j in range(3)))),
    "entr": (special.entr, above(0, lambda x: -x * mpmath.log(x))),
    "logit": (special.logit, lambda x: mpmath.log(x / (1 - x))),
    "ndtr": (special.ndtr, ndtr),
    "log_ndtr": (special.log_ndtr, lambda x: mpmath.log(ndtr(x))),
    "ndtri": (special.ndtri, lambda p: -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * p)),
    "special i0": (special.i0, lambda x: mpmath.besseli(0, x)),
    "special i1": (special.i1, lambda x: mpmath.besseli(1, x)),
    "rgamma": (None, mpmath.rgamma),
    "erfcinv": (None, lambda x: mpmath.erfinv(1 - x)),
    "log_expit": (nn.log_sigmoid, lambda x: -softplus(-x)),
    "exp1": (special.exp1, above(0, mpmath.e1)),
    "spence": (special.spence, above(0, lambda x: mpmath.polylog(2, 1 - x).real)),
    "expi": (special.expi, mpmath.ei),
    "sici si": (lambda x: special.sici(x)[0], mpmath.si),
    "sici ci": (lambda x: special.sici(x)[1], above(0, mpmath.ci)),
    "erfcx": (special.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x)),
    "fresnel S": (lambda x: special.fresnel(x)[0], mpmath.fresnels),
    "fresnel C": (lambda x: special.fresnel(x)[1], mpmath.fresnelc),
    "dawsn": (special.dawsn, lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x)),
    "polygamma 1": (lambda x: special.polygamma(1, x), lambda x: mpmath.psi(1, x)),
    "expn 2": (lambda x: special.expn(jnp.asarray(2), x), above(0, lambda x: mpmath.expint(2, x))),
    "hyp2f1": (lambda x: special.hyp2f1(1.0, 2.0, 3.5, x), lambda x: mpmath.hyp2f1(1, 2, mpf("3.5"), x)),
    "interp": (lambda x: jnp.interp(x, jnp.array([0.0, 1.0, 2.0]), jnp.array([0.0, 1.0, 0.0])),
               lambda x: clip(1 - abs(x - 1), 0, 1)),
    "loggamma": (special.loggamma, above(0, mpmath.loggamma)),
    # nn
    "nn identity": (nn.identity, lambda x: x),
    "relu": (nn.relu, lambda x: max(x, mpf(0))),
    "relu6": (nn.relu6, relu6),
    "softplus": (nn.softplus, softplus),
    "sparse_plus": (nn.sparse_plus, lambda x: mpf(0) if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4),
    "sparse_sigmoid": (nn.sparse_sigmoid, lambda x: clip((x + 1) / 2, 0, 1)),
    "soft_sign": (nn.soft_sign, lambda x: x / (abs(x) + 1)),
    "silu": (nn.silu, lambda x: x * sigmoid(x)),
    "log_sigmoid": (nn.log_sigmoid, lambda x: -softplus(-x)),
    "leaky_relu": (nn.leaky_relu, lambda x: x if x >= 0 else x / 100),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: relu6(x + 3) / 6),
    "hard_silu": (nn.hard_silu, lambda x: x * relu6(x + 3) / 6),
    "hard_tanh": (nn.hard_tanh, lambda x: clip(x, -1, 1)),
    "elu": (nn.elu, elu),
    "celu": (nn.celu, elu),
    "selu": (nn.selu, lambda x: elu(x, mpf("1.6732632423543772848170429916717")) * mpf("1.0507009873554804934193349852946")),
    "gelu": (nn.gelu, lambda x: x * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpf("0.044715") * x ** 3))) / 2),
    "gelu exact": (lambda x: nn.gelu(x, approximate=False), lambda x: x * ndtr(x)),
    "squareplus": (nn.squareplus, lambda x: (x + mpmath.sqrt(x * x + 4)) / 2),
    "mish": (nn.mish, lambda x: x * mpmath.tanh(softplus(x))),
    "log1mexp": (nn.log1mexp, above(0, lambda x: mpmath.log(-mpmath.expm1(-x)))),
    "softmax": (lambda x: nn.softmax(stack([x, 0 * x]))[0], sigmoid),
    "log_softmax": (lambda x: nn.log_softmax(stack([x, 0 * x]))[0], lambda x: -softplus(-x)),
    "logsumexp": (lambda x: nn.logsumexp(stack([x, 0 * x, -x])), lambda x: lse(x, mpf(0), -x)),
    "logmeanexp": (lambda x: nn.logsumexp(stack([x, 0 * x])) - jnp.log(2.0), lambda x: softplus(x) - mpmath.log(2)),
    "glu": (lambda x: nn.glu(stack([x, x]))[0], lambda x: x * sigmoid(x)),
    # losses of one error, and of two classes
    "squared_error": (losses.squared_error, lambda x: x * x),
    "l2_loss": (losses.l2_loss, lambda x: x * x / 2),
    "huber_loss": (losses.huber_loss, huber),
    "log_cosh": (losses.log_cosh, log_cosh),
    "cosine_similarity": (lambda x: losses.cosine_similarity(stack([x, x + 1]), jnp.array([1.0, 2.0])), None),
    "sigmoid_binary_cross_entropy": (lambda x: losses.sigmoid_binary_cross_entropy(x, jnp.asarray(0.25)), lambda x: bce(x, mpf(1) / 4)),
    "sigmoid_focal_loss": (lambda x: losses.sigmoid_focal_loss(x, jnp.asarray(0.25)), None),
    "hinge_loss": (lambda x: losses.hinge_loss(x, 1.0), lambda x: max(mpf(0), 1 - x)),
    "perceptron_loss": (lambda x: losses.perceptron_loss(x, 1.0), lambda x: max(mpf(0), -x)),
    "softmax_cross_entropy": (lambda x: losses.softmax_cross_entropy(stack([x, 0 * x]), jnp.array([0.25, 0.75])),
                              lambda x: bce(x, mpf(1) / 4)),
    "softmax_cross_entropy_with_integer_labels":
        (lambda x: losses.softmax_cross_entropy_with_integer_labels(stack([x, 0 * x]), jnp.array(0)), lambda x: softplus(-x)),
    "safe_softmax_cross_entropy": (lambda x: losses.safe_softmax_cross_entropy(stack([x, 0 * x]), jnp.array([1.0, 0.0])),
                                   lambda x: softplus(-x)),
    "poly_loss_cross_entropy": (lambda x: losses.poly_loss_cross_entropy(stack([x, 0 * x]), jnp.array([1.0, 0.0]), epsilon=2.0),
                                lambda x: softplus(-x) + 2 * (1 - sigmoid(x))),
    # of several elements
    "prod": (lambda x: jnp.prod(stack([x, x, jnp.asarray(2.0)])), lambda x: 2 * x * x),
    "cumprod": (lambda x: jnp.sum(jnp.cumprod(stack([x, x, jnp.asarray(2.0)]))), lambda x: x + 3 * x * x),
    "norm": (lambda x: jnp.linalg.norm(stack([x, jnp.asarray(1.0)])), lambda x: mpmath.sqrt(x * x + 1)),
    "max of ties": (lambda x: jnp.max(stack([x, 0 * x, -x])), abs),
    "sort": (lambda x: jnp.sum(jnp.sort(stack([x, jnp.asarray(0.5)])) * jnp.array([1.0, 2.0])),
             lambda x: min(x, half) + 2 * max(x, half)),
    "abs squared": (lambda x: jnp.square(jnp.abs(x)), lambda x: x * x),
    "fabs times x": (lambda x: x * jnp.fabs(x), lambda x: x * abs(x)),
}


def log2add(x, y):
    return mpmath.log(two ** x + two ** y) / mpmath.log(2)


def where(f, inside):
    def g(*x):
        if not inside(*x):
            raise Undefined
        return f(*x)
    return g


positive = lambda *x: all(t > 0 for t in x)
FUNCTIONS_OF_TWO = {
    "add": (jnp.add, lambda x, y: x + y),
    "subtract": (jnp.subtract, lambda x, y: x - y),
    "multiply": (jnp.multiply, lambda x, y: x * y),
    "divide": (jnp.divide, lambda x, y: x / y),
    "power": (jnp.power, where(lambda x, y: x ** y, lambda x, y: x > 0)),
    "arctan2": (jnp.arctan2, where(lambda x, y: mpmath.atan2(x, y), lambda x, y: y > 0 or x != 0)),
    "hypot": (jnp.hypot, lambda x, y: mpmath.sqrt(x * x + y * y)),
    "maximum": (jnp.maximum, max),
    "minimum": (jnp.minimum, min),
    "fmax": (jnp.fmax, max),
    "fmin": (jnp.fmin, min),
    "floor_divide": (jnp.floor_divide, where(lambda x, y: mpmath.floor(x / y), lambda x, y: y != 0)),
    "remainder": (jnp.remainder, modulo),
    "fmod": (jnp.fmod, fmod),
    "copysign": (jnp.copysign, where(lambda x, y: abs(x) * mpmath.sign(y), lambda x, y: y != 0)),
    "heaviside": (jnp.heaviside, lambda x, y: mpf(0) if x < 0 else mpf(1) if x > 0 else y),
    "logaddexp": (jnp.logaddexp, lse),
    "logaddexp2": (jnp.logaddexp2, log2add),
    "lax rem": (lax.rem, fmod),
    "lax pow": (lax.pow, where(lambda x, y: x ** y, lambda x, y: x > 0)),
    "where": (lambda x, y: jnp.where(x > y, x * x, y), lambda x, y: x * x if x > y else y),
    # special
    "gammainc": (special.gammainc, where(lambda a, x: mpmath.gammainc(a, 0, x, regularized=True), positive)),
    "gammaincc": (special.gammaincc, where(lambda a, x: mpmath.gammainc(a, x, regularized=True), positive)),
    "zeta": (special.zeta, where(mpmath.zeta, lambda x, q: x > 1 and q > 0)),
    "beta": (special.beta, where(mpmath.beta, positive)),
    "betaln": (special.betaln, where(lambda a, b: mpmath.log(mpmath.beta(a, b)), positive)),
    "betainc 2": (lambda b, x: special.betainc(jnp.asarray(2.0), b, x),
                  where(lambda b, x: mpmath.betainc(2, b, 0, x, regularized=True), lambda b, x: b > 0 and 0 < x < 1)),
    "poch": (special.poch, where(mpmath.rf, lambda x, y: x > 0 and x + y > 0)),
    "comb": (special.comb, None),
    "xlogy": (special.xlogy, where(xlogy, lambda x, y: y > 0)),
    "xlog1py": (special.xlog1py, where(lambda x, y: xlogy(x, 1 + y), lambda x, y: y > -1)),
    "kl_div": (special.kl_div, where(lambda x, y: x * mpmath.log(x / y) - x + y, positive)),
    "rel_entr": (special.rel_entr, where(lambda x, y: x * mpmath.log(x / y), positive)),
    "boxcox": (special.boxcox, where(lambda x, y: (x ** y - 1) / y if y else mpmath.log(x), lambda x, y: x > 0)),
    "boxcox1p": (special.boxcox1p, where(lambda x, y: ((1 + x) ** y - 1) / y if y else mpmath.log1p(x), lambda x, y: x > -1)),
    "owens_t": (special.owens_t, lambda h, a: mpmath.quad(
        lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mpmath.pi)),
    "hyp1f1 2": (lambda b, x: special.hyp1f1(jnp.asarray(2.0), b, x), where(lambda b, x: mpmath.hyp1f1(2, b, x), lambda b, x: b > 0)),
    # losses
    "kl_divergence": (lambda x, y: losses.kl_divergence(stack([x, x]), stack([y, y])),
                      where(lambda x, y: 2 * y * (mpmath.log(y) - x), lambda x, y: y > 0)),
    "kl_divergence_with_log_targets": (lambda x, y: losses.kl_divergence_with_log_targets(stack([x, x]), stack([y, y])),
                                       lambda x, y: 2 * mpmath.exp(y) * (y - x)),
    "huber_loss of two": (losses.huber_loss, lambda x, y: huber(x - y)),
    "log_cosh of two": (losses.log_cosh, lambda x, y: log_cosh(x - y)),
}


def one_sided(f, x, order, signs, step):
    """The derivative of this order (an operand per letter) from these sides, or None where f is not defined there."""
    h = [sign * step for sign in signs]
    terms = {tuple(mpf(0) for _ in x): mpf(1)}
    for letter in order:
        i = "xy".index(letter)
        more = {}
        for place, w in terms.items():
            moved = tuple(p + (h[i] if k == i else 0) for k, p in enumerate(place))
            more[moved] = more.get(moved, 0) + w / h[i]
            more[place] = more.get(place, 0) - w / h[i]
        terms = more
    try:
        y = sum(w * real(f)(*(a + p for a, p in zip(x, place))) for place, w in terms.items())
    except (Undefined, ZeroDivisionError, ValueError, mpmath.libmp.NoConvergence, OverflowError):
        return None
    return y if mpmath.isfinite(y) else None


def value_nearby(f, x, signs, step):
    return one_sided(f, [a + s * step for a, s in zip(x, signs)], "", signs, step)


def calculus(f, x, order, known):
    """The same from all sides and for two steps, as those of all lower orders."""
    if not all(np.isfinite(x)) or any(np.isnan(y) for lower, y in known.items() if len(lower) < len(order)):
        return NAN
    x = [mpf(t) for t in x]
    sides = [(-1,), (1,)] if len(x) == 1 else [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    found = []
    for step in (mpf(10) ** -18, mpf(10) ** -17):
        for signs in sides:
            found.append(one_sided(f, x, order, signs, step) if order else value_nearby(f, x, signs, step))
    if not order:
        found.append(one_sided(f, x, "", sides[0], mpf(1)))
    if any(y is None for y in found):
        return NAN
    y = found[-1] if not order else (found[0] + found[1]) / 2 if len(x) == 1 else sum(found[:4]) / 4
    near = max(found) - min(found) <= mpf(10) ** -12 * max(1, abs(y))
    return float(y) if near and abs(y) < mpf(10) ** 300 else NAN


def derivatives(f, order):
    g = f
    for letter in order:
        g = jax.grad(g, argnums="xy".index(letter))
    return jax.vmap(g)


def write(out, name, n, f, exact, points):
    columns = [np.array(p) for p in zip(*points)]
    by_jax, smooth, without = [], [], []
    for order in ORDERS[n]:
        try:
            y = np.asarray(derivatives(f, order)(*columns)) if f else None
        except Exception as e:
            print(f"{name} {order}: {type(e).__name__}: {str(e)[:80]}", file=sys.stderr)
            y = None
        without.append(y is None)
        by_jax.append(np.full(len(points), NAN) if y is None else y.astype(float))
    for p in points:
        known = {}
        for order in ORDERS[n]:
            known[order] = calculus(exact, p, order, known) if exact else NAN
        smooth.append([known[order] for order in ORDERS[n]])
    out[f"{name} jax"] = np.array(by_jax)
    out[f"{name} calculus"] = np.array(smooth).T
    if any(without):
        out[f"{name} without"] = np.array(without)


def main():
    out = {"one": np.array(ONE), "two": np.array(TWO)}
    only = sys.argv[2:]
    for n, functions, points in ((1, FUNCTIONS_OF_ONE, [(x,) for x in ONE]), (2, FUNCTIONS_OF_TWO, TWO)):
        for name, (f, exact) in functions.items():
            if only and name not in only:
                continue
            print(name, file=sys.stderr, flush=True)
            write(out, name, n, f, exact, points)
    np.savez(pathlib.Path(sys.argv[1]) / "derivatives.npz", **out)


main()
