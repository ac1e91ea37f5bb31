# SPDX-License-Identifier: Apache-2.0
"""kiln.lax.custom_root and custom_linear_solve beside JAX's: values, both modes, twice, vmap, jit, errors."""
import gc

import numpy
import pytest

import kiln
import kiln.numpy
from kiln import _core

jax = pytest.importorskip("jax")
import jax.numpy  # noqa: E402

rng = numpy.random.default_rng(0)
A, B = rng.normal(size=(3, 3)) + 4 * numpy.eye(3), rng.normal(size=3)


def newton(k):
    return lambda f, x: k.lax.while_loop(lambda x: k.numpy.abs(f(x)) > 1e-13, lambda x: x - f(x) / k.grad(f)(x), x)


def root(k, a):
    return k.lax.custom_root(lambda x: x ** 3 - a * k.numpy.sin(a), 1.3, newton(k), lambda g, y: y / g(1.0))


def vector_root(k, a, b):
    n = k.numpy

    def solve(f, x):
        return k.lax.fori_loop(0, 20, lambda i, x: x - n.linalg.solve(k.jacfwd(f)(x), f(x)), x)
    return k.lax.custom_root(lambda x: a @ x + 0.1 * x ** 3 - b, n.zeros(3), solve,
                             lambda g, y: n.linalg.solve(k.jacobian(g)(y), y))


def tree_root(k, a, b):
    n = k.numpy

    def f(t):
        return {"x": t["x"] * t["y"][0] - a, "y": (t["y"][0] - b * t["x"],)}

    def solve(f, t):
        x = n.sqrt(a / b)
        return {"x": x, "y": (b * x,)}, {"steps": 7.0, "residual": f(t)["x"]}

    def tangent(g, r):
        one, zero = n.ones_like(a), n.zeros_like(a)
        p, q = g({"x": one, "y": (zero,)}), g({"x": zero, "y": (one,)})
        det = p["x"] * q["y"][0] - q["x"] * p["y"][0]
        return {"x": (r["x"] * q["y"][0] - q["x"] * r["y"][0]) / det, "y": ((p["x"] * r["y"][0] - r["x"] * p["y"][0]) / det,)}
    t, aux = k.lax.custom_root(f, {"x": a, "y": (b,)}, solve, tangent, has_aux=True)
    return t["x"] + 2 * t["y"][0] ** 2, aux


def conjugate(k, matvec, b):
    n = k.numpy

    def step(s):
        x, r, p, i = s
        q = matvec(p)
        alpha = (r @ r) / (p @ q)
        new = r - alpha * q
        return x + alpha * p, new, new + (new @ new) / (r @ r) * p, i + 1
    x, r, _, steps = k.lax.while_loop(lambda s: (s[1] @ s[1] > 1e-24) & (s[3] < 50), step, (n.zeros_like(b), b, b, 0))
    return x, steps


def dense(k, matvec, b):
    return k.numpy.linalg.solve(k.jacobian(matvec)(b), b)


def system(k, a, b):
    return k.lax.custom_linear_solve(lambda x: a @ x, b, lambda m, v: dense(k, m, v), lambda m, v: dense(k, m, v))


def symmetric(k, a, b):
    """By conjugate gradients, a loop that has no derivative in reverse mode of its own."""
    s = a @ a.T
    return k.lax.custom_linear_solve(lambda x: s @ x, b, lambda m, v: conjugate(k, m, v)[0], symmetric=True)


def with_aux(k, a, b):
    s = a @ a.T
    return k.lax.custom_linear_solve(lambda x: s @ x, b, lambda m, v: conjugate(k, m, v), symmetric=True, has_aux=True)[0]


def nonlinear(k, a, b):
    """Two arrays are closed over, one of them in two ways."""
    c = k.numpy.sin(b) + 3
    return k.lax.custom_linear_solve(lambda x: a @ x * c + b[0] * x, b, lambda m, v: dense(k, m, v),
                                     lambda m, v: dense(k, m, v))


def of_trees(k, a, b):
    n = k.numpy

    def matvec(t):
        return {"u": 2 * t["u"] + a[0, 0] * t["v"][0], "v": (t["u"] + 5 * t["v"][0] * b[0],)}

    def solve(m, t):
        one, zero = n.ones(()), n.zeros(())
        p, q = m({"u": one, "v": (zero,)}), m({"u": zero, "v": (one,)})
        det = p["u"] * q["v"][0] - q["u"] * p["v"][0]
        return {"u": (t["u"] * q["v"][0] - q["u"] * t["v"][0]) / det, "v": ((p["u"] * t["v"][0] - t["u"] * p["v"][0]) / det,)}
    t = k.lax.custom_linear_solve(matvec, {"u": b[1], "v": (b[2],)}, solve, solve)
    return n.stack([t["u"], t["v"][0]])


def of_trees_dense(k, a, b):
    m = k.numpy.stack([k.numpy.stack([2.0 + 0 * a[0, 0], a[0, 0]]), k.numpy.stack([1.0 + 0 * a[0, 0], 5 * b[0]])])
    return k.numpy.linalg.solve(m, b[1:])


SYSTEMS = [system, symmetric, with_aux, nonlinear, of_trees, vector_root]
BOTH = {
    "value": lambda k, f: f(k.numpy.asarray(A), k.numpy.asarray(B)),
    "jit": lambda k, f: k.jit(f)(A, B),
    "jvp": lambda k, f: k.jvp(f, (A, B), (A ** 2, B + 1)),
    "jvp in jit": lambda k, f: k.jit(lambda a, b: k.jvp(f, (a, b), (a ** 2, b + 1)))(A, B),
    "grad": lambda k, f: k.grad(lambda a, b: k.numpy.sum(k.numpy.sin(f(a, b))), (0, 1))(A, B),
    "grad in jit": lambda k, f: k.jit(k.grad(lambda a, b: k.numpy.sum(k.numpy.sin(f(a, b))), (0, 1)))(A, B),
    "grad of jit": lambda k, f: k.grad(k.jit(lambda a, b: k.numpy.sum(k.numpy.sin(f(a, b)))), (0, 1))(A, B),
    "jacfwd": lambda k, f: k.jacfwd(f, 1)(A, B),
    "jacrev": lambda k, f: k.jacrev(f, 1)(A, B),
    "vjp": lambda k, f: k.vjp(f, A, B)[1](k.numpy.ones(f(k.numpy.asarray(A), k.numpy.asarray(B)).shape)),
    "linearize": lambda k, f: k.linearize(f, A, B)[1](A + 1, B - 1),
    "vmap of one": lambda k, f: k.vmap(f, (None, 0))(A, numpy.stack([B, 2 * B])),
    "vmap of both": lambda k, f: k.vmap(f)(numpy.stack([A, A + 0.1]), numpy.stack([B, 2 * B])),
    "vmap of grad": lambda k, f: k.vmap(k.grad(lambda a, b: k.numpy.sum(f(a, b))))(numpy.stack([A, A + 0.1]), numpy.stack([B, 2 * B])),
    "grad of vmap": lambda k, f: k.grad(lambda a: k.numpy.sum(k.numpy.cos(k.vmap(f, (None, 0))(a, numpy.stack([B, 2 * B])))))(A),
    "grad of grad": lambda k, f: k.grad(lambda a: k.numpy.sum(k.grad(lambda b: k.numpy.sum(f(a, b) ** 2))(
        k.numpy.asarray(B)) ** 2))(A),
    "hessian": lambda k, f: k.hessian(lambda b: k.numpy.sum(k.numpy.sin(f(k.numpy.asarray(A), b))))(B),
}

@pytest.mark.parametrize("what", BOTH)
@pytest.mark.parametrize("f", SYSTEMS, ids=lambda f: f.__name__)
def test_systems(f, what):
    got = BOTH[what](kiln, lambda a, b: f(kiln, a, b))
    # trees of several arrays fail an assertion of JAX's in some of these: there it solves the same system with a matrix
    want = BOTH[what](jax, lambda a, b: (of_trees_dense if f is of_trees else f)(jax, a, b))
    got, want = kiln.tree.leaves(got), jax.tree.leaves(want)
    assert len(got) == len(want)
    for x, y in zip(got, want):
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("what", ["value", "grad", "grad of grad", "jit", "jit of grad", "vmap", "vmap of grad", "jvp", "vjp"])
def test_root(what):
    ways = {"value": lambda k, f: f(1.2), "grad": lambda k, f: k.grad(f)(1.2), "grad of grad": lambda k, f: k.grad(k.grad(f))(1.2),
            "jit": lambda k, f: k.jit(f)(1.2), "jit of grad": lambda k, f: k.jit(k.grad(f))(1.2),
            "vmap": lambda k, f: k.vmap(f)(numpy.asarray([1.2, 2.0])), "jvp": lambda k, f: k.jvp(f, (1.2,), (2.0,)),
            "vmap of grad": lambda k, f: k.vmap(k.grad(f))(numpy.asarray([1.2, 2.0])),
            "vjp": lambda k, f: k.vjp(f, 1.2)[1](3.0)}
    got, want = (ways[what](k, lambda a: root(k, k.numpy.asarray(a))) for k in (kiln, jax))
    for x, y in zip(kiln.tree.leaves(got), jax.tree.leaves(want)):
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-10)


def test_root_of_a_tree_with_aux():
    def ways(k):
        f = lambda a, b: tree_root(k, a, b)
        a, b = k.numpy.asarray(2.0), k.numpy.asarray(3.0)
        return (f(a, b), k.grad(f, (0, 1), has_aux=True)(a, b), k.jit(f)(a, b),
                k.vmap(k.grad(lambda a, b: f(a, b)[0]))(numpy.asarray([2.0, 3.0]), numpy.asarray([3.0, 4.0])))
    for x, y in zip(kiln.tree.leaves(ways(kiln)), jax.tree.leaves(ways(jax))):
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-12)


def test_reverse_mode_wants_a_transpose():
    f = lambda k: k.grad(lambda b: k.numpy.sum(k.lax.custom_linear_solve(lambda x: A @ x, b, lambda m, v: dense(k, m, v))))(B)
    for k in (kiln, jax):
        with pytest.raises(TypeError, match="transpose_solve required for backwards mode automatic differentiation"):
            f(k)
    jvp = [k.jvp(lambda b, k=k: k.lax.custom_linear_solve(lambda x: A @ x, b, lambda m, v: dense(k, m, v)), (B,), (B,))[1]
           for k in (kiln, jax)]
    numpy.testing.assert_allclose(*map(numpy.asarray, jvp))


WRONG = {
    "f tree": lambda k: k.lax.custom_root(lambda x: (x, x), 1.0, lambda f, x: x, lambda g, y: y),
    "solve tree": lambda k: k.lax.custom_root(lambda x: x, 1.0, lambda f, x: (x, x), lambda g, y: y),
    "tangent tree": lambda k: k.lax.custom_root(lambda x: x, 1.0, lambda f, x: x, lambda g, y: (y, y)),
    "no aux": lambda k: k.lax.custom_root(lambda x: x, 1.0, lambda f, x: x, lambda g, y: y, has_aux=True),
    "matvec shape": lambda k: k.lax.custom_linear_solve(lambda x: x[:1], B, lambda m, v: v),
    "solve shape": lambda k: k.lax.custom_linear_solve(lambda x: x, B, lambda m, v: v[:1]),
    "matvec tree": lambda k: k.lax.custom_linear_solve(lambda x: (x,), B, lambda m, v: v),
    "solve no aux": lambda k: k.lax.custom_linear_solve(lambda x: x, B, lambda m, v: v, has_aux=True),
    "transposed shape": lambda k: k.lax.custom_linear_solve(lambda x: x, B, lambda m, v: v, lambda m, v: v[:1]),
    "raises": lambda k: k.lax.custom_linear_solve(lambda x: x, B, lambda m, v: 1 / 0),
}


@pytest.mark.parametrize("name", WRONG)
def test_refusals(name):
    errors = []
    for k in (kiln, jax):
        with pytest.raises(Exception) as e:
            WRONG[name](k)
        errors.append(e)
    got, want = errors
    assert isinstance(got.value, (TypeError, ValueError, ZeroDivisionError)) and len(str(got.value)) > 10
    if name != "solve no aux" and name != "no aux":
        assert got.type is want.type


def test_nothing_stays():
    def work():
        for f in SYSTEMS[:3]:
            kiln.grad(lambda a, f=f: kiln.numpy.sum(f(kiln, a, B)))(A)
        kiln.grad(lambda a: root(kiln, a))(1.2)
    work()
    gc.collect()
    before = _core.live_count()
    for _ in range(3):
        work()
    gc.collect()
    assert _core.live_count() == before


def test_eval_jaxpr_takes_other_constants():
    j = kiln.make_jaxpr(lambda x: kiln.numpy.sum(x * kiln.numpy.asarray(B)) + 1)(B)
    assert float(kiln.core.eval_jaxpr(j, [numpy.ones(3)], numpy.ones(3))[0]) == 4
    assert float(kiln.core.eval_jaxpr(j, j.consts, numpy.ones(3))[0]) == pytest.approx(B.sum() + 1)
    with pytest.raises(TypeError, match="takes 1 constants and 1 arguments"):
        kiln.core.eval_jaxpr(j, [], 1.0)
