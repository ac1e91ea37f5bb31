# SPDX-License-Identifier: Apache-2.0
"""NumPy's side of the benchmarks: the same work on the same inputs. Reads "values NAME" and "run NAME TIMES" line by line."""
import sys
import time

import numpy as np


def small():
    x = np.arange(10, dtype=np.float64)
    return {"call": lambda: x + 1.0, "values": lambda: [float((x + 1.0).sum())]}


def small_add():
    x = np.arange(10, dtype=np.float64)
    return {"call": lambda: x + x, "values": lambda: [float((x + x).sum())]}


def chain_input(n):
    return (np.arange(n, dtype=np.float32) * np.float32(10.0 / n)).astype(np.float32)


def chain_functions(n=10_000_000):
    x = chain_input(n)

    def f():
        y = np.sin(x) * np.exp(-x / np.float32(10))
        return np.mean(np.tanh(y) + np.float32(0.1) * y)

    return {"call": f, "values": lambda: [float(f())]}


def chain_polynomial():
    x = chain_input(10_000_000)

    def f():
        p = x * np.float32(0.5) + np.float32(1)
        for c in (0.25, 0.125, -0.0625, 0.03125):
            p = p * x + np.float32(c)
        return p

    return {"call": f, "values": lambda: [float(f()[k]) for k in (0, 1, 777777, 9999999)]}


class Digits:
    """One epoch of the digits network: forward, backward by hand, Adam."""

    def __init__(self):
        data = np.load(sys.argv[1] + "/digits.npz") if len(sys.argv) > 1 else np.load(DATA + "/digits.npz")
        self.x = (data["images"].reshape(-1, 64).astype(np.float32) / np.float32(16))[:1437]
        self.y = data["labels"].astype(np.int32)[:1437]
        self.reset()

    def reset(self):
        def weights(rows, columns, scale):
            i = np.arange(rows * columns, dtype=np.float32)
            return (np.sin(i * np.float32(1.7)) * np.float32(scale)).astype(np.float32).reshape(rows, columns)

        self.p = [weights(64, 128, 0.15), np.zeros(128, np.float32), weights(128, 10, 0.1), np.zeros(10, np.float32)]
        self.m = [np.zeros_like(a) for a in self.p]
        self.v = [np.zeros_like(a) for a in self.p]
        self.t = 0

    def step(self, lo):
        x, y = self.x[lo:lo + 128], self.y[lo:lo + 128]
        w1, b1, w2, b2 = self.p
        z = x @ w1 + b1
        h = np.maximum(z, 0)
        s = h @ w2 + b2
        s = s - s.max(axis=1, keepdims=True)
        e = np.exp(s)
        total = e.sum(axis=1, keepdims=True)
        log_p = s - np.log(total)
        rows = np.arange(128)
        loss = -log_p[rows, y].mean()
        g = e / total
        g[rows, y] -= 1
        g /= np.float32(128)
        gh = (g @ w2.T) * (z > 0)
        grads = [x.T @ gh, gh.sum(axis=0), h.T @ g, g.sum(axis=0)]
        self.t += 1
        c1, c2 = np.float32(1 - 0.9 ** self.t), np.float32(1 - 0.999 ** self.t)
        for k in range(4):
            self.m[k] = np.float32(0.9) * self.m[k] + np.float32(0.1) * grads[k]
            self.v[k] = np.float32(0.999) * self.v[k] + np.float32(0.001) * grads[k] * grads[k]
            self.p[k] = self.p[k] - np.float32(3e-3) * (self.m[k] / c1) / (np.sqrt(self.v[k] / c2) + np.float32(1e-8))
        return float(loss)

    def epoch(self):
        return sum(self.step(lo) for lo in range(0, 1437 - 127, 128))

    def values(self):
        self.reset()
        first = self.epoch()
        return [first, self.epoch()]


DATA = __file__.rsplit("/", 2)[0] + "/data"


def digits_epoch():
    d = Digits()
    return {"call": d.epoch, "values": d.values}


MAKE = {"jit_call_10": small, "eager_add_10": small_add, "chain_functions_1e7": chain_functions, "chain_polynomial_1e7": chain_polynomial,
        "eager_chain_10": lambda: chain_functions(10), "eager_chain_1e3": lambda: chain_functions(1000),
        "eager_chain_1e5": lambda: chain_functions(100_000), "eager_chain_1e7": chain_functions,
        "digits_epoch": digits_epoch, "digits_epoch_eager": digits_epoch}
made = {}


def case(name):
    if name not in made:
        made.clear()
        made[name] = MAKE[name]()
    return made[name]


print("ready numpy", np.__version__, flush=True)
for line in sys.stdin:
    words = line.split()
    try:
        if words[0] == "values":
            print(*[repr(v) for v in case(words[1])["values"]()], flush=True)
        else:
            call, times = case(words[1])["call"], int(words[2])
            start = time.perf_counter()
            for _ in range(times):
                call()
            print(time.perf_counter() - start, flush=True)
    except Exception as e:  # the bench prints an empty column and says why
        print("error", repr(e).replace("\n", " "), flush=True)
