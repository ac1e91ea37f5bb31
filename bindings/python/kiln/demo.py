# SPDX-License-Identifier: Apache-2.0
"""python -m kiln.demo -- a tour of a minute: arrays, derivatives, compiled functions, a model that learns."""

import time

import kiln
import kiln.numpy as np


def show(title, text):
    print(f"\n{title}\n" + "\n".join("    " + line for line in str(text).splitlines()))


def arrays():
    x = np.arange(12.0).reshape(3, 4)
    x[1:, ::2] *= 10
    show("Arrays are NumPy's, with views and writes: x[1:, ::2] *= 10", x)
    show("x.T @ x", x.T @ x)


def derivatives():
    def f(x):
        return np.sum(np.sin(x) * x)

    x = np.linspace(0.0, 3.0, 4)
    show("Derivatives are JAX's: grad(f)(x) with f(x) = sum(sin(x) x)", kiln.grad(f)(x))
    show("hessian(f)(x)", kiln.hessian(f)(x))
    show("vmap(f)(rows)", kiln.vmap(f)(np.stack([x, x + 1, x + 2])))


def compiled():
    def chain(x):
        return np.exp(-x * x) * np.cos(3 * x) + np.sqrt(np.abs(x))

    f, x = kiln.jit(chain), np.linspace(-3.0, 3.0, 200_000)
    begin = time.perf_counter()
    f(x).block_until_ready()
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    for _ in range(20):
        f(x).block_until_ready()
    later = (time.perf_counter() - begin) / 20
    show(
        "A function of 200,000 numbers, compiled",
        f"first call, with compiling: {1e3 * first:.2f} ms\nlater: {1e3 * later:.2f} ms",
    )


def learning(steps=2000):
    """Fits y = a x^2 + b x + c by gradient descent in one compiled loop; (parameters, loss)."""
    x = np.linspace(-1.0, 1.0, 64)
    y = 3 * x * x - 2 * x + 0.5

    def loss(p):
        return np.mean((p[0] * x * x + p[1] * x + p[2] - y) ** 2)

    def step(p, _):
        value, slope = kiln.value_and_grad(loss)(p)
        return p - 0.2 * slope, value

    p, values = kiln.lax.scan(step, np.zeros(3), None, length=steps)
    return p, values[-1]


def main():
    print(f"Kiln {kiln.__version__}: array programs as NumPy and JAX have them")
    arrays()
    derivatives()
    compiled()
    p, value = learning()
    show("2,000 steps of gradient descent in one compiled loop: 3 x^2 - 2 x + 0.5 is", f"{p}, loss {float(value):.1e}")


if __name__ == "__main__":
    main()
