#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py [--rounds N] [--only TEXT] [--json FILE] -- times of the Python package beside NumPy and JAX (CPU, float64).

Eager calls on small arrays, jitted calls of ten arrays, conversions, a training loop. What they compute is compared
first;
then each round times all of them once, so that a machine that is busy for a while is so for all. Minimum and median."""

import argparse
import json
import statistics
import time

import numpy

import kiln
import kiln.numpy as np

try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None


def wait(x):
    for y in x if isinstance(x, (tuple, list)) else (x,):
        if hasattr(y, "block_until_ready"):
            y.block_until_ready()
    return x


class Row:
    """A thing to be timed: (name, calls in a batch, {who: function})."""

    def __init__(self, name, calls, **who):
        self.name, self.calls = name, calls
        self.who = {k: f for k, f in who.items() if f and (k != "jax" or jax)}
        self.times = {k: [] for k in self.who}

    def check(self):
        results = {k: wait(f()) for k, f in self.who.items()}
        want = results.pop("kiln")
        for k, got in results.items():
            for a, b in zip(*(x if isinstance(x, (tuple, list)) else (x,) for x in (want, got)), strict=True):
                numpy.testing.assert_allclose(
                    numpy.asarray(a), numpy.asarray(b), rtol=1e-9, atol=1e-9, err_msg=f"{self.name}: {k}"
                )

    def round(self):
        for k, f in self.who.items():
            begin = time.perf_counter()
            for _ in range(self.calls):
                r = f()
            wait(r)
            self.times[k].append((time.perf_counter() - begin) / self.calls)


def eager(n):
    a = numpy.random.default_rng(0).normal(size=n)
    x, j = np.array(a), jnp.asarray(a) if jax else None
    calls = 300

    def ready(f):
        return lambda: f().block_until_ready()

    yield Row(f"x + x, waits, n={n}", calls, kiln=lambda: x + x, numpy=lambda: a + a, jax=lambda: j + j)
    yield Row(f"x + x, n={n}", calls, kiln=ready(lambda: x + x), numpy=lambda: a + a, jax=ready(lambda: j + j))
    yield Row(
        f"sum(x), n={n}",
        calls,
        kiln=ready(lambda: np.sum(x)),
        numpy=lambda: numpy.sum(a),
        jax=ready(lambda: jnp.sum(j)),
    )
    yield Row(
        f"exp(sin(x) * 2), n={n}",
        calls,
        kiln=ready(lambda: np.exp(np.sin(x) * 2)),
        numpy=lambda: numpy.exp(numpy.sin(a) * 2),
        jax=ready(lambda: jnp.exp(jnp.sin(j) * 2)),
    )
    yield Row(f"x[1:-1], waits, n={n}", calls, kiln=lambda: x[1:-1], numpy=lambda: a[1:-1], jax=lambda: j[1:-1])
    yield Row(
        f"float(x[3]), n={n}", calls, kiln=lambda: float(x[3]), numpy=lambda: float(a[3]), jax=lambda: float(j[3])
    )


def jitted():
    rng = numpy.random.default_rng(1)
    arrays = [rng.normal(size=8) for _ in range(10)]
    xs, js = [np.array(a) for a in arrays], [jnp.asarray(a) for a in arrays] if jax else None

    def f(*x):
        return [x[i] + x[(i + 1) % 10] for i in range(10)]

    g, h = kiln.jit(f), jax.jit(f) if jax else None
    yield Row("jit of ten arrays, ten results", 300, kiln=lambda: g(*xs), numpy=lambda: f(*arrays), jax=lambda: h(*js))
    one, two = kiln.jit(lambda *x: x[0] + x[9]), jax.jit(lambda *x: x[0] + x[9]) if jax else None
    yield Row(
        "jit of ten arrays, one result",
        300,
        kiln=lambda: one(*xs),
        numpy=lambda: arrays[0] + arrays[9],
        jax=lambda: two(*js),
    )
    a = rng.normal(size=1_000_000)
    x, j = np.array(a), jnp.asarray(a) if jax else None

    def chain(np):
        return lambda x: np.exp(-x * x) * np.cos(3 * x) + np.sqrt(np.abs(x))

    c, d = kiln.jit(chain(np)), jax.jit(chain(jnp)) if jax else None
    yield Row(
        "jit of a chain, n=1,000,000", 1, kiln=lambda: wait(c(x)), numpy=lambda: chain(numpy)(a), jax=lambda: wait(d(j))
    )


def conversions():
    for n in (10, 1_000_000):
        a = numpy.random.default_rng(2).normal(size=n)
        x, j = np.array(a), jnp.asarray(a) if jax else None
        calls = 300 if n == 10 else 10
        yield Row(
            f"asarray of NumPy's array, n={n}",
            calls,
            kiln=lambda a=a: np.asarray(a),
            numpy=lambda a=a: numpy.asarray(a),
            jax=lambda a=a: jnp.asarray(a),
        )
        yield Row(
            f"array of NumPy's array, a copy, n={n}",
            calls,
            kiln=lambda a=a: wait(np.array(a)),
            numpy=lambda a=a: numpy.array(a),
            jax=lambda a=a: wait(jnp.array(a)),
        )
        yield Row(
            f"numpy.asarray, n={n}",
            calls,
            kiln=lambda x=x: numpy.asarray(x),
            numpy=lambda a=a: numpy.asarray(a),
            jax=lambda j=j: numpy.asarray(j),
        )
        yield Row(
            f"numpy.from_dlpack, n={n}",
            calls,
            kiln=lambda x=x: numpy.from_dlpack(x),
            numpy=lambda a=a: numpy.from_dlpack(a),
            jax=lambda j=j: numpy.from_dlpack(j),
        )
    rows = numpy.arange(10_000.0).reshape(100, 100).tolist()
    x, a, j = np.array(rows), numpy.array(rows), jnp.array(rows) if jax else None
    yield Row(
        "array of lists, 100 x 100",
        3,
        kiln=lambda: wait(np.array(rows)),
        numpy=lambda: numpy.array(rows),
        jax=lambda: wait(jnp.array(rows)),
    )
    yield Row("tolist, 100 x 100", 3, kiln=lambda: x.tolist(), numpy=lambda: a.tolist(), jax=lambda: j.tolist())


def training():
    """A perceptron of three layers, 64 rows, twenty steps of gradient descent."""
    rng = numpy.random.default_rng(3)
    x, y = rng.normal(size=(64, 20)), rng.normal(size=(64, 5))
    weights = [rng.normal(size=s) * 0.1 for s in ((20, 32), (32, 32), (32, 5))]

    def made(lib, np):
        def loss(w, x, y):
            h = np.tanh(np.tanh(x @ w[0]) @ w[1])
            return np.mean((h @ w[2] - y) ** 2)

        @lib.jit
        def step(w, x, y):
            value, slope = lib.value_and_grad(loss)(w, x, y)
            return [p - 0.1 * s for p, s in zip(w, slope)], value

        data = [np.asarray(v) for v in (x, y)]

        def run():
            w = [np.asarray(p) for p in weights]
            for _ in range(20):
                w, value = step(w, *data)
            return wait([*w, value])

        return run

    def plain():
        w = [p.copy() for p in weights]
        for _ in range(20):
            a = numpy.tanh(x @ w[0])
            h = numpy.tanh(a @ w[1])
            d = h @ w[2] - y
            value = numpy.mean(d**2)
            d = 2 * d / d.size
            dh = (d @ w[2].T) * (1 - h * h)
            da = (dh @ w[1].T) * (1 - a * a)
            w = [p - 0.1 * s for p, s in zip(w, (x.T @ da, a.T @ dh, h.T @ d))]
        return [*w, value]

    yield Row("training, twenty steps", 1, kiln=made(kiln, np), numpy=plain, jax=made(jax, jnp) if jax else None)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--json")
    o = arguments.parse_args()
    rows = [
        r
        for make in (lambda: eager(10), lambda: eager(1000), jitted, conversions, training)
        for r in make()
        if o.only in r.name
    ]
    for r in rows:
        r.check()
    print(f"{len(rows)} rows agree; {o.rounds} rounds; minimum and median of a call in microseconds\n")
    for r in rows:
        r.round()
        r.times = {k: [] for k in r.who}
    for _ in range(o.rounds):
        for r in rows:
            r.round()
    print(f"{'':40}" + "".join(f"{k:>22}" for k in ("kiln", "numpy", "jax")))
    for r in rows:
        cells = [
            f"{1e6 * min(t):10.2f} {1e6 * statistics.median(t):10.2f}" if (t := r.times.get(k)) else ""
            for k in ("kiln", "numpy", "jax")
        ]
        print(f"{r.name:40}" + "".join(f"{c:>22}" for c in cells))
    if o.json:
        with open(o.json, "w") as f:
            json.dump({r.name: r.times for r in rows}, f)


if __name__ == "__main__":
    main()
