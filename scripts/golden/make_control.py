#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/control.npz: programs with loops and branches, and their derivatives (JAX 0.10, 64-bit types on).

    /tmp/venv/bin/python scripts/golden/make_control.py tests/golden

"kalman in 0" is the first array that the program takes, "kalman out 0" the first one that it gives, "kalman grad 0" the
derivative by the first array of the sum over all floating outputs of output * cos(0, 1, 2, ...); "kalman jvp 0" is the tangent
of the first output for tangents sin(1, 2, 3, ...) of all arrays that it takes; "lorenz hessian" the second derivatives of that sum
by the first array."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np

assert jax.__version__.startswith("0.10."), jax.__version__
lax = jax.lax
rng = np.random.default_rng(5)
normal = rng.standard_normal


def running(x):
    """carry: sum and product; outputs: more than carries"""
    def body(c, x):
        s, p = c[0] + x, c[1] * jnp.cos(x)
        return (s, p), (s * p, s, x)

    (s, p), ys = lax.scan(body, (jnp.float64(0), jnp.float64(1)), x)
    return (s, p) + ys


def kalman(z, q, r):
    """A local level: filtered forward, smoothed backward (two passes)."""
    def forward(c, z):
        m, p = c
        p1 = p + q
        k = p1 / (p1 + r)
        m1 = m + k * (z - m)
        p2 = (1 - k) * p1
        return (m1, p2), (m1, p2, p1)

    _, (m, p, ahead) = lax.scan(forward, (jnp.float64(0), jnp.float64(4)), z)

    def backward(c, now):
        later, spread = c
        m, p, ahead = now
        g = p / ahead
        s, v = m + g * (later - m), p + g * g * (spread - ahead)
        return (s, v), (s, v)

    # the prediction that belongs to a step is the next one's
    tail = (m[:-1], p[:-1], ahead[1:])
    _, (s, v) = lax.scan(lambda c, n: backward(c, n), (m[-1], p[-1]), tail, reverse=True)
    return s, v


def rnn(w, u, x):
    def body(h, x):
        h = jnp.tanh(w @ h + u @ x)
        return h, h

    return lax.scan(body, jnp.zeros(5), x)[1]


def lstm(wx, wh, b, x):
    def body(c, x):
        cell, h = c
        a = x @ wx + h @ wh + b
        i, f, g, o = a[0:4], a[4:8], a[8:12], a[12:16]
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (cell, h), h

    zero = jnp.zeros(4, x.dtype)
    (cell, _), hs = lax.scan(body, (zero, zero), x)
    return cell, hs


def lorenz(p):
    def body(u, _):
        x, y, z = u
        return (x + 0.01 * (p[0] * (y - x)), y + 0.01 * (x * (p[1] - z) - y), z + 0.01 * (x * y - p[2] * z)), None

    one = jnp.float64(1)
    return lax.scan(body, (one, one, one), None, length=100)[0]


def logistic(r):
    def body(x, _):
        x = r * x * (1 - x)
        return x, x

    return lax.scan(body, jnp.full(r.shape, 0.3), None, length=20)[1]


def newton_of(a):
    go_on = lambda c: jnp.abs(c[0] - c[1]) > 1e-12
    return lax.while_loop(go_on, lambda c: (0.5 * (c[0] + a / c[0]), c[0]), (a, jnp.float64(0)))[0]


def bounded(a):
    """The same with at most 9 rounds: differentiated in reverse mode as a scan of that many."""
    def body(c, _):
        x, previous = c
        go_on = jnp.abs(x - previous) > 1e-12
        return (jnp.where(go_on, 0.5 * (x + a / x), x), jnp.where(go_on, x, previous)), None

    return lax.scan(body, (a, jnp.float64(0)), None, length=9)[0][0]


def fibonacci():
    return lax.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (jnp.int64(1), jnp.int64(1)), None, length=30)[1]


def bubble(x):
    def inner(j, x):
        a, b = x[j], x[j + 1]
        return x.at[j].set(jnp.minimum(a, b)).at[j + 1].set(jnp.maximum(a, b))

    n = x.shape[0]
    return lax.fori_loop(0, n - 1, lambda i, x: lax.fori_loop(0, n - 1, inner, x), x)


def collatz(n):
    def one(n):
        body = lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1)
        return lax.while_loop(lambda c: c[0] != 1, body, (n, jnp.int64(0)))[1]

    return jax.vmap(one)(n)


def gcd(a, b):
    one = lambda a, b: lax.while_loop(lambda c: c[1] != 0, lambda c: (c[1], c[0] % c[1]), (a, b))[0]
    return jax.vmap(one)(a, b)


BRANCHES = [lambda x: x * 0.5, lambda x: x * x, lambda x: jnp.sin(x)]


def branches(x):
    at = jnp.array([0, 1, 2, -3, 7, 1])
    return lax.scan(lambda c, v: (c, lax.switch(v[0], BRANCHES, v[1])), 0, (at, x))[1]


def branches_vmap(x):
    at = jnp.array([0, 1, 2, -3, 7, 1])
    return jax.vmap(lambda i, x: lax.switch(i, BRANCHES, x))(at, x)


def nested(x, w):
    def outer(c, row):
        def inner(d, v):
            d = jnp.sin(d * w) + v
            return d, d * c

        d, ys = lax.scan(inner, c, row)
        return d * 0.5, ys.sum()

    c, ys = lax.scan(outer, jnp.float64(0.25), x)
    return c, ys


def three_deep(x):
    def middle(j, c):
        def inner(d):
            return (d[0] + 1, d[1] * 0.75 + jnp.cos(d[1]))

        return lax.while_loop(lambda d: d[0] < 3, inner, (jnp.int64(0), c))[1] + j

    def body(c, v):
        c = lax.fori_loop(0, 2, middle, c + v)
        return c, c

    return lax.scan(body, jnp.float64(0), x)


def three_deep_unrolled(x):
    """What reverse mode sees: a while of a known number of rounds."""
    def middle(j, c):
        return lax.fori_loop(0, 3, lambda _, d: d * 0.75 + jnp.cos(d), c) + j

    def body(c, v):
        c = lax.fori_loop(0, 2, middle, c + v)
        return c, c

    return lax.scan(body, jnp.float64(0), x)


def long_rnn(w, x):
    def body(s, x):
        s = jnp.tanh(w * s + x)
        return s, s

    return lax.scan(body, jnp.float64(0), x)[1]


def discounted(x, g):
    def body(c, x):
        c = x + g * c
        return c, c

    return lax.scan(body, jnp.float64(0), x, reverse=True)


def conditional(x):
    one = lambda x: lax.cond(x > 0, lambda x: jnp.log(x), lambda x: x * x, x)
    return jax.vmap(one)(x)


def power(a):
    def body(_, v):
        v = a @ v
        return v / jnp.sqrt((v * v).sum())

    return lax.fori_loop(0, 12, body, jnp.ones(4))


def rows(x):
    def f(x):
        e = jnp.exp(x - x.max())
        return e / e.sum(), e.sum()

    return lax.map(f, x)


def mandelbrot(re, im):
    def one(a, b):
        go_on = lambda c: (c[0] * c[0] + c[1] * c[1] < 4) & (c[2] < 40)
        return lax.while_loop(go_on, lambda c: (c[0] * c[0] - c[1] * c[1] + a, 2 * c[0] * c[1] + b, c[2] + 1),
                              (jnp.float64(0), jnp.float64(0), jnp.int64(0)))[2]

    return jax.vmap(jax.vmap(one, (0, None)), (None, 0))(re, im)


def walk(x):
    """A branch in a scan: what leaves [-1, 1] is reflected."""
    def body(c, x):
        c = c + x
        c = lax.cond(jnp.abs(c) > 1, lambda c: jnp.sign(c) * 2 - c, lambda c: c * 0.99, c)
        return c, c

    return lax.scan(body, jnp.float64(0), x)[1]


def viterbi(score, move):
    def forward(best, s):
        each = best[:, None] + move
        at = jnp.argmax(each, axis=0)
        return each.max(axis=0) + s, at

    best, back = lax.scan(forward, score[0], score[1:])
    last = jnp.argmax(best)
    _, path = lax.scan(lambda at, b: (b[at], b[at]), last, back, reverse=True)
    return best.max(), path, last


def roots(a):
    def body(c, _):
        c = jnp.linalg.cholesky(c @ c.T + jnp.eye(3))
        return c, c[2, 0]

    return lax.scan(body, a, None, length=4)


def average(x):
    def body(c, x):
        c = jnp.float32(0.75) * c + jnp.float32(0.25) * x
        return c, c

    return lax.scan(body, jnp.zeros(3, jnp.float32), x)[1]


def histogram(w):
    at = jnp.array([0, 3, 3, 1, 4, 3])

    def body(c, v):
        c = c.at[v[0]].add(v[1] * c.sum())
        return c, c[v[0]]

    return lax.scan(body, jnp.ones(5), (at, w))


PROGRAMS = {  # name: function, arguments, derivatives
    "running": (running, [normal(9)], "grad jvp"),
    "kalman": (kalman, [normal(20), np.float64(0.3), np.float64(0.8)], "grad jvp"),
    "rnn": (rnn, [normal((5, 5)) * 0.4, normal((5, 3)), normal((12, 3))], "grad jvp"),
    "lstm": (lstm, [normal((3, 16)) * 0.5, normal((4, 16)) * 0.5, normal(16) * 0.1, normal((9, 3))], "grad jvp"),
    "lorenz": (lorenz, [np.array([10, 28, 8 / 3])], "grad jvp hessian"),
    "logistic": (logistic, [np.linspace(1.5, 3.3, 7)], "grad jvp"),
    "newton": (jax.vmap(newton_of), [np.array([4, 2, 1e6, 0.01, 9])], "jvp"),
    "bounded": (jax.vmap(bounded), [np.array([4, 2, 30, 0.5, 9])], "grad jvp"),
    "fibonacci": (fibonacci, [], ""),
    "bubble": (bubble, [normal(7)], "grad jvp"),
    "collatz": (collatz, [np.arange(1, 31)], ""),
    "gcd": (gcd, [np.array([12, 270, 17, 0, 1071]), np.array([18, 192, 5, 4, 462])], ""),
    "branches": (branches, [normal(6)], "grad jvp"),
    "branches_vmap": (branches_vmap, [normal(6)], "grad jvp"),
    "nested": (nested, [normal((4, 6)), np.float64(0.7)], "grad jvp"),
    "three_deep": (three_deep, [normal(5)], "jvp"),
    "three_deep_grad": (three_deep_unrolled, [normal(5)], "grad"),
    "long_rnn": (long_rnn, [np.float64(0.6), normal(37)], "grad jvp hessian"),
    "discounted": (discounted, [normal(11), np.float64(0.9)], "grad jvp"),
    "conditional": (conditional, [np.array([0.5, -1.5, 3, -0.25])], "grad jvp"),
    "power": (power, [normal((4, 4)) * 0.2 + np.diag([3.0, 2, 1, 1])], "grad jvp"),
    "rows": (rows, [normal((5, 3))], "grad jvp"),
    "mandelbrot": (mandelbrot, [np.linspace(-2, 0.6, 9), np.linspace(-1.1, 1.1, 5)], ""),
    "walk": (walk, [normal(15) * 0.6], "grad jvp"),
    "viterbi": (viterbi, [normal((8, 4)), normal((4, 4))], ""),
    "roots": (roots, [normal((3, 3))], "grad jvp"),
    "average": (average, [normal((10, 3)).astype(np.float32)], "grad jvp"),
    "histogram": (histogram, [normal(6) * 0.2], "grad jvp"),
}


def total_of(f):
    def total(*args):
        t = 0.0
        for y in jax.tree.leaves(f(*args)):
            if jnp.issubdtype(y.dtype, jnp.floating):
                t = t + (y * jnp.cos(jnp.arange(y.size, dtype=jnp.float64)).reshape(y.shape)).sum()
        return t

    return total


out = {}
for name, (f, args, derivatives) in PROGRAMS.items():
    for i, a in enumerate(args):
        out[f"{name} in {i}"] = np.asarray(a)
    for i, y in enumerate(jax.tree.leaves(jax.jit(f)(*args))):
        out[f"{name} out {i}"] = np.asarray(y)
    by = tuple(range(len(args)))
    if "grad" in derivatives:
        for i, g in enumerate(jax.jit(jax.grad(total_of(f), by))(*args)):
            out[f"{name} grad {i}"] = np.asarray(g)
    if "jvp" in derivatives:
        tangents = [np.sin(1 + np.arange(a.size)).reshape(a.shape).astype(a.dtype)[()] for a in map(np.asarray, args)]
        tangents = [np.asarray(t) for t in tangents]
        for i, t in enumerate(jax.tree.leaves(jax.jit(lambda a, t: jax.jvp(f, a, t))(tuple(args), tuple(tangents))[1])):
            out[f"{name} jvp {i}"] = np.asarray(t)
    if "hessian" in derivatives:
        out[f"{name} hessian"] = np.asarray(jax.jit(jax.hessian(total_of(f)))(*args))
np.savez_compressed(pathlib.Path(sys.argv[1]) / "control.npz", **out)
