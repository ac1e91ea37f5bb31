# SPDX-License-Identifier: Apache-2.0
"""Loops that look at something each round compile nothing after their first rounds, whatever holds their state in between.
A process of its own says what it compiles (KILN_DEBUG=1)."""

import os
import subprocess
import sys

import pytest

import kiln.numpy as np

ROUNDS = 200  # operations of few elements are prepared one by one in the first 130


def newton():
    a = np.arange(5000.0) + 1
    x = a
    while True:
        y = 0.5 * (x + a / x)
        d = np.abs(y - x).max()
        x = y
        yield float(d)


def conjugate_gradients():
    n = 1100  # more elements than those of arrays whose operations are prepared one by one
    a, x = np.eye(n) * np.arange(1.0, n + 1) + 0.01, np.zeros(n)
    r = np.ones(n)
    p, rs = r, r @ r
    while True:
        ap = a @ p
        step = rs / (p @ ap + 1e-300)
        x, r = x + step * p, r - step * ap
        new = r @ r
        yield float(new)
        p, rs = r + new / (rs + 1e-300) * p, new


def power_iteration():
    a, v = np.eye(200) + np.ones((200, 200)), np.arange(200.0)
    while True:
        w = a @ v
        n = np.sqrt((w * w).sum())
        v = w / n
        yield float(n)


def descent_with_momentum():
    x, m, k = np.linspace(-1, 1, 5000), np.zeros(5000), 0
    while True:
        m = 0.9 * m + 0.1 * (2 * x * np.cos(x))
        x = x - 0.01 * m
        k += 1
        yield float((x * x).sum()) if k % 5 == 0 else None


def heat():
    u = np.zeros((64, 64))
    u[0] = 1.0
    while True:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        d = np.abs(new - u).max()
        u = new
        yield float(d)


def leapfrog():
    q, p = np.linspace(-1, 1, 5000), np.ones(5000)
    while True:
        p = p - 0.01 * np.sin(q)
        q = q + 0.01 * p
        yield float((0.5 * p * p).sum())


def averages_with_a_history():
    s, x, history = np.zeros(5000), np.sin(np.arange(5000.0)), []
    while True:
        s = 0.9 * s + 0.1 * x
        history = [*history[-3:], s]
        yield float(s[0])


def what_is_looked_at_is_on_the_way():
    x = np.linspace(-1, 1, 5000)
    while True:
        y = np.sin(x)
        x = y * 2 + 0.1
        yield float(y.sum())


LOOPS = [newton, conjugate_gradients, power_iteration, descent_with_momentum, heat, leapfrog, averages_with_a_history,
         what_is_looked_at_is_on_the_way]


@pytest.fixture(scope="module")
def said():
    done = subprocess.run([sys.executable, __file__], env={**os.environ, "KILN_DEBUG": "1"}, stderr=subprocess.PIPE, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_nothing_is_compiled_after_the_first_rounds(loop, said):
    later = said.split(f"later: {loop.__name__}\n")[1].split("done\n")[0]
    assert [line for line in later.splitlines() if "first time" in line] == []


if __name__ == "__main__":
    for loop in LOOPS:
        turns = loop()
        for k in range(2 * ROUNDS):
            if k == ROUNDS:
                print("later:", loop.__name__, file=sys.stderr, flush=True)
            next(turns)
        print("done", file=sys.stderr, flush=True)
