# SPDX-License-Identifier: Apache-2.0
"""The rows about loops (case_control*.c) with JAX, some with NumPy, too."""
import os

import numpy as np

F = np.float32
SHRINK = int(os.environ.get("KILN_BENCH_SHRINK", "1"))


def steps(n):
    return n // SHRINK if SHRINK > 1 and n > SHRINK else n


def values_of(picks):
    """A few elements of each result."""

    def values(out):
        out = out if isinstance(out, (tuple, list)) else (out,)
        n = max(8 // len(out), 1)
        return [v for a in out for v in picks(a, n)][:8]

    return values


# ---- a Kalman filter
def kalman_arguments():
    n = steps(10_000)
    f = np.eye(4)
    f[0, 2] = f[1, 3] = 0.1
    h = np.eye(2, 4)
    z = np.sin(np.arange(2 * n) * 0.37).reshape(n, 2)
    return f, h, 0.01 * np.eye(4), 0.5 * np.eye(2), np.zeros(4), np.eye(4), z


def kalman_step(f, h, q, r, x, p, z, stack):
    x = f @ x
    p = f @ p @ f.T + q
    ph = p @ h.T
    s = h @ ph + r
    a, b, c, d = s[0, 0], s[0, 1], s[1, 0], s[1, 1]
    k = ph @ (stack([d, -b, -c, a]).reshape(2, 2) / (a * d - b * c))
    return x + k @ (z - h @ x), p - k @ ph.T


def kalman_numpy(f, h, q, r, x, p, zs):
    means = np.empty((len(zs), 4))
    for t in range(len(zs)):
        x, p = kalman_step(f, h, q, r, x, p, zs[t], np.array)
        means[t] = x
    return x, p, means


def paths_numpy():
    n = 250_000
    random = np.random.default_rng(42)

    def f():
        s = np.full(n, 100, F)
        for _ in range(steps(256)):
            s += s * (F(0.0002) + F(0.0125) * random.standard_normal(n, F))
        return s

    return f


def numpy_cases(prepare, picks):
    return {
        "control_kalman": lambda: prepare(kalman_numpy, *kalman_arguments(), values=values_of(picks)),
        "control_gbm": lambda: prepare(paths_numpy(), values=lambda s: []),  # other random numbers
    }


def jax_cases(prepare, picks):
    import jax
    import jax.numpy as jnp

    lax = jax.lax
    values = values_of(picks)

    def kalman(f, h, q, r, x, p, zs):
        def body(c, z):
            x, p = kalman_step(f, h, q, r, *c, z, jnp.array)
            return (x, p), x

        (x, p), means = lax.scan(body, (x, p), zs)
        return x, p, means

    def lorenz(parameters):
        s, r, b = parameters
        flow = lambda x, y, z: (s * (y - x), x * (r - z) - y, x * y - b * z)
        move = lambda u, h, k: [a + h * c for a, c in zip(u, k)]
        h = 1e-4

        def body(u, _):
            k1 = flow(*u)
            k2 = flow(*move(u, 0.5 * h, k1))
            k3 = flow(*move(u, 0.5 * h, k2))
            k4 = flow(*move(u, h, k3))
            return tuple(u[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]) for i in range(3)), None

        one = jnp.float64(1)
        (x, y, z), _ = lax.scan(body, (one, one, one), None, length=steps(100_000))
        return x * x + y * y + z * z

    lorenz_arguments = ((np.float64(10), np.float64(28), np.float64(8 / 3)),)

    def springs(x, v):
        def body(c, _):
            x, v = c[:6], c[6:]
            wall = 0.0
            left, right = (wall,) + x[:5], x[1:] + (wall,)
            v = tuple(v[i] + 0.01 * (left[i] - 2 * x[i] + right[i]) for i in range(6))
            return tuple(x[i] + 0.01 * v[i] for i in range(6)) + v, None

        return lax.scan(body, x + v, None, length=steps(100_000))[0]

    def springs_arguments():
        return (tuple(np.float64(0.1 * (i + 1)) for i in range(6)), tuple(np.float64(0) for _ in range(6)))

    def newton(a):
        go_on = lambda c: jnp.abs(c[0] - c[1]) > 1e-12 * c[0]
        return lax.while_loop(go_on, lambda c: (0.5 * (c[0] + a / c[0]), c[0]), (a, jnp.zeros_like(a)))[0]

    def argmax(x):
        def body(c):
            i, at, best = c
            better = x[i] > best
            return i + 1, jnp.where(better, i, at), jnp.where(better, x[i], best)

        zero = jnp.int64(0)
        _, at, best = lax.while_loop(lambda c: c[0] < len(x), body, (zero, zero, F(-np.inf)))
        return at, best

    def lstm(w, x):
        def body(c, x):
            cell, hidden = c
            i, f, g, o = jnp.split(x @ w[0] + hidden @ w[1] + w[2], 4)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (cell, hidden), hidden

        zero = jnp.zeros(64, F)
        return jnp.mean(lax.scan(body, (zero, zero), x)[1] ** 2)

    def wave(shape, frequency):
        n = int(np.prod(shape))
        return np.sin(np.arange(n, dtype=np.float64) * frequency).astype(F).reshape(shape)

    def lstm_arguments():
        w = (wave((64, 256), 1.7) * F(0.2), wave((64, 256), 2.3) * F(0.2), wave((256,), 0.7) * F(0.1))
        return w, wave((steps(256), 64), 0.37)

    def neurons(target, weight):
        def body(c, event):
            v, current, fired = c
            current = (current * F(0.9)).at[event[0]].add(event[1])
            u = v + F(0.1) * (current - v)
            fires = (u > 1).astype(F)
            return (u * (1 - fires), current, fired + fires), None

        zero = jnp.zeros(1000, F)
        return lax.scan(body, (zero, zero, zero), (target, weight))[0]

    def neurons_arguments():
        shape = (steps(1000), 50)
        i = np.arange(shape[0] * shape[1], dtype=np.int64)
        return (i * 7919 % 1000).astype(np.int32).reshape(shape), wave(shape, 0.37) * F(2.5) + F(3)

    def paths(key):
        def body(s, t):
            z = jax.random.normal(jax.random.fold_in(key, t), (250_000,), F)
            return s + s * (F(0.0002) + F(0.0125) * z), None

        return lax.scan(body, jnp.full(250_000, 100, F), jnp.arange(steps(256), dtype=jnp.int32))[0]

    count = steps(1_000_000)
    start = (np.int64(0),)
    return {
        "control_kalman": lambda: prepare(kalman, *kalman_arguments(), values=values),
        "control_lorenz": lambda: prepare(lorenz, *lorenz_arguments, values=values),
        "control_lorenz_grad": lambda: prepare(jax.grad(lorenz), *lorenz_arguments, values=values),
        "control_carries12": lambda: prepare(springs, *springs_arguments(), values=values),
        "control_newton": lambda: prepare(jax.vmap(newton), (np.arange(1000) + 1.0) ** 2 * 0.37, values=values),
        "control_argmax": lambda: prepare(argmax, wave((count,), 1.7), values=values),
        "control_argmax_clip": lambda: prepare(argmax, wave((count,), 1.7), values=values),
        "control_lstm": lambda: prepare(lstm, *lstm_arguments(), values=values),
        "control_lstm_grad": lambda: prepare(jax.grad(lstm), *lstm_arguments(), values=values),
        "control_neurons": lambda: prepare(neurons, *neurons_arguments(), values=values),
        "control_gbm": lambda: prepare(paths, jax.random.key(42), values=values),
        "control_fori": lambda: prepare(lambda i: lax.fori_loop(0, count, lambda _, c: c + 1, i), *start,
                                        values=values),
        "control_while": lambda: prepare(lambda i: lax.while_loop(lambda c: c < count, lambda c: c + 1, i), *start,
                                         values=values),
    }
