# SPDX-License-Identifier: Apache-2.0
"""The rows about new lengths (case_lengths.c) with NumPy and JAX."""
import numpy as np

F = np.float32
LEAST, SPAN, STEP, MANY = 100, 1000, 3571, 100_000
LENGTHS, EACH, WIDTH, HEADS, HIDDEN = 100, 8, 64, 4, 256


def lengths(first, span):
    i = 0
    while True:
        yield first + i * STEP % span
        i += 1


def write_numpy(x):
    x[1:-1] += 1.0
    return x


def eager(xp, write):
    return {
        "slice": lambda x: x,
        "multiply": lambda x: x * x,
        "add": lambda x: x + 1.5,
        "chain": lambda x: x[1:] * 2.0 + 1.5,
        "concatenate": lambda x: xp.concatenate([x, x[:7]]),
        "sum": lambda x: x.sum(),
        "write": write,
    }


def eager_rows(xp, write, ready):
    def row(f):
        def make():
            x = xp.sin(xp.arange(LEAST + SPAN, dtype=xp.float64))
            n = lengths(LEAST, SPAN)
            return {"call": lambda: ready(f(x[: next(n)])), "values": lambda: []}

        return make

    return {"new_length_" + name: row(f) for name, f in eager(xp, write).items()}


def numpy_cases(prepare, picks):
    def many():
        x = np.sin(np.arange(MANY + 2, dtype=np.float64))
        n = lengths(2, MANY)
        return {"call": lambda: (x[: next(n)] * 2.0).sum(), "values": lambda: []}

    return {**eager_rows(np, write_numpy, lambda y: y), "lengths_100000": many}


def wave(rows, columns, frequency, scale):
    y = np.sin(np.arange(rows * columns, dtype=np.float64) * frequency).astype(F).reshape(rows, columns)
    return y * F(scale)


def jax_cases(prepare, picks):
    import jax
    import jax.numpy as jnp
    from jax import lax, nn

    def lstm(x, w, u, b, d):
        def step(s, x):
            h, c = s
            z = x @ w + h @ u + b
            c = nn.sigmoid(z[64:128]) * c + nn.sigmoid(z[:64]) * jnp.tanh(z[128:192])
            h = nn.sigmoid(z[192:]) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros(WIDTH, F)
        return lax.scan(step, (zero, zero), x)[1] @ d

    def transformer(x, a, b, c, d):
        qkv = (x @ a).reshape(-1, 3, HEADS, WIDTH // HEADS)
        y = nn.dot_product_attention(qkv[:, 0], qkv[:, 1], qkv[:, 2], is_causal=True)
        z = x + y.reshape(-1, WIDTH) @ b
        return z + nn.gelu(nn.standardize(z) @ c) @ d

    weights = {
        "lstm": (lstm, (wave(64, 256, 0.37, 0.1), wave(64, 256, 0.73, 0.1), wave(1, 256, 0.11, 0.1)[0],
                        wave(64, 64, 0.53, 0.1))),
        "transformer": (transformer, (wave(64, 192, 0.37, 0.1), wave(64, 64, 0.73, 0.1), wave(64, 256, 0.11, 0.1),
                                      wave(256, 64, 0.53, 0.1))),
    }

    def sequences(name, fresh):
        def make():
            f, p = weights[name]
            p = [jax.device_put(w) for w in p]
            xs = [jax.device_put(wave(EACH * (1 + i * 37 % LENGTHS), WIDTH, 1.7, 1)) for i in range(LENGTHS)]
            kept = jax.jit(f)
            state = {"i": 0}
            # Some of the lengths, which are as long on average as all of them, each compiled before anything is measured.
            known = xs[LENGTHS // 20 :: LENGTHS // 10]
            for x in [] if fresh else known:
                jax.block_until_ready(kept(x, *p))

            def call():
                chosen = xs if fresh else known
                x = chosen[state["i"] % len(chosen)]
                state["i"] += 1
                g = jax.jit(lambda *a: f(*a)) if fresh else kept  # a new function: nothing of it is compiled
                return jax.block_until_ready(g(x, *p))

            def values():
                y = np.asarray(kept(xs[3], *p))
                return [float(y[0, 0]), float(y[-1, -1])]

            # Short lengths take less time than long ones: all the known ones in turn. (Compiling takes what it takes.)
            return {"call": call, "values": values, "round": 1 if fresh else len(known)}

        return make

    def write(x):
        return x.at[1:-1].add(1.0)

    rows = eager_rows(jnp, write, jax.block_until_ready)
    for name in weights:
        rows[name + "_new_length"] = sequences(name, True)
        rows[name + "_known_length"] = sequences(name, False)
    return rows
