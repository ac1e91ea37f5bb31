# SPDX-License-Identifier: Apache-2.0
"""custom_jvp, custom_vjp, custom_gradient."""
import functools
import gc

import pytest

import kiln
import kiln.numpy as np


def tripled():
    @kiln.custom_vjp
    def f(x, y):
        return np.sin(x) * y
    f.defvjp(lambda x, y: (f(x, y), (np.cos(x), y)), lambda res, g: (3 * res[0] * g * res[1], None))
    return f


def doubled():
    @kiln.custom_jvp
    def f(x):
        return x ** 2

    @f.defjvp
    def f_jvp(primals, tangents):
        return f(*primals), 4 * primals[0] * tangents[0]
    return f


def test_jvp_rule():
    assert float(kiln.grad(doubled())(3.0)) == 12
    assert [float(v) for v in kiln.jvp(doubled(), (3.0,), (1.0,))] == [9, 12]


def test_jvp_rule_in_vmap_jit_and_twice():
    f = doubled()
    assert kiln.vmap(kiln.grad(f))(np.arange(3.0)).tolist() == [0, 4, 8]
    assert float(kiln.jit(kiln.grad(f))(3.0)) == 12
    assert float(kiln.grad(kiln.grad(f))(3.0)) == 4


def test_jvp_rules_one_by_one():
    f = kiln.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, out, x, y: 10 * t, None)
    assert [float(g) for g in kiln.grad(f, argnums=(0, 1))(2.0, 3.0)] == [10, 0]


def test_jvp_missing():
    with pytest.raises(AttributeError, match="No JVP defined for custom_jvp function f using defjvp"):
        @kiln.custom_jvp
        def f(x):
            return x
        f(1.0)


def test_jvp_rule_without_a_pair():
    f = kiln.custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: p[0])
    with pytest.raises(TypeError, match="must produce a pair"):
        kiln.grad(f)(1.0)


def test_jvp_rule_of_another_tree():
    f = kiln.custom_jvp(lambda x: (x, x))
    f.defjvp(lambda p, t: ((p[0], p[0]), [t[0], t[0]]))
    with pytest.raises(TypeError, match=r"equal container \(pytree\) structures"):
        kiln.jvp(f, (1.0,), (1.0,))


def test_jvp_nondiff():
    @functools.partial(kiln.custom_jvp, nondiff_argnums=(0,))
    def apply(g, x):
        return g(x)

    @apply.defjvp
    def rule(g, primals, tangents):
        return apply(g, *primals), 7 * tangents[0]
    assert float(kiln.grad(apply, argnums=1)(np.sin, 2.0)) == 7


def test_jvp_keywords():
    f = kiln.custom_jvp(lambda x, y=2.0: x * y)
    f.defjvps(lambda t, out, x, y: 5 * t * y, None)
    assert float(kiln.grad(lambda x: f(x, y=3.0))(1.0)) == 15 and float(kiln.grad(lambda x: f(x))(1.0)) == 10


def test_vjp_rule():
    f = tripled()
    assert float(f(0.0, 2.0)) == 0 and [float(g) for g in kiln.grad(f, argnums=(0, 1))(0.0, 2.0)] == [6, 0]


def test_vjp_rule_in_vmap_and_jit():
    f = tripled()
    assert kiln.vmap(kiln.grad(f), (0, None))(np.zeros(2), 2.0).tolist() == [6, 6]
    assert float(kiln.grad(kiln.jit(lambda x: f(x, 2.0)))(0.0)) == 6


def test_vjp_trees():
    @kiln.custom_vjp
    def f(t):
        return {"o": t["a"] * t["b"][0]}
    f.defvjp(lambda t: (f(t), (t, [])), lambda res, g: ({"a": 100 * g["o"], "b": [res[0]["a"] * g["o"], None]},))
    g = kiln.grad(lambda t: f(t)["o"])({"a": 2.0, "b": [3.0, None]})
    assert float(g["a"]) == 100 and float(g["b"][0]) == 2


def test_vjp_refuses_forward_mode():
    with pytest.raises(TypeError):
        kiln.jvp(lambda x: tripled()(x, 1.0), (1.0,), (1.0,))


def test_vjp_backward_of_another_tree():
    f = kiln.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, None), lambda res, g: (g,))
    with pytest.raises(TypeError, match="Custom VJP bwd rule must produce an output with the same container"):
        kiln.grad(f)(1.0, 2.0)


def test_vjp_forward_without_a_pair():
    f = kiln.custom_vjp(lambda x: x)
    f.defvjp(lambda x: x, lambda res, g: (g,))
    with pytest.raises(TypeError, match="must produce a pair"):
        kiln.grad(f)(1.0)


def test_vjp_nondiff():
    @functools.partial(kiln.custom_vjp, nondiff_argnums=(1,))
    def power(x, n):
        return x ** n
    power.defvjp(lambda x, n: (power(x, n), x), lambda n, x, g: (g * n * 1000,))
    assert float(kiln.grad(power)(2.0, 3)) == 3000


def test_custom_gradient():
    f = kiln.custom_gradient(lambda x: (x ** 2, lambda g: (g * x,)))
    assert float(f(3.0)) == 9 and float(kiln.grad(f)(3.0)) == 3


def test_eager_calls_see_values():
    f = kiln.custom_jvp(lambda x: x if x > 0 else -x)
    f.defjvps(lambda t, out, x: t)
    assert float(f(-2.0)) == 2


def test_methods():
    class A:
        @kiln.custom_jvp
        def f(x):
            return x * 2
        f.defjvps(lambda t, out, x: 5 * t)
    assert float(kiln.grad(A.f)(1.0)) == 5


def test_a_local_function_may_die_before_its_derivative_is_taken():
    def outer(x):
        y = tripled()(x, 2.0)
        gc.collect()
        return y
    assert float(kiln.grad(outer)(0.0)) == 6
    jitted = kiln.jit(outer)
    jitted(0.0)
    gc.collect()
    assert float(kiln.grad(jitted)(0.0)) == 6 and float(kiln.grad(lambda x: jitted(x))(0.0)) == 6


def counted():
    """A function that keeps a tree with nothing and numbers in it, and the names of what was recorded."""
    said = []

    @kiln.custom_vjp
    def f(x, y):
        said.append("f")
        return {"a": np.sin(x) * y}

    def forward(x, y):
        said.append("forward")
        return f(x, y), {"kept": (x, None), "more": [], "factor": 3}

    def backward(kept, g):
        said.append("backward")
        return kept["kept"][0] * g["a"] * kept["factor"], None

    f.defvjp(forward, backward)
    return f, said


def test_vjp_rules_are_not_asked_for_without_a_derivative():
    f, said = counted()
    kiln.jit(f)(2.0, 3.0)
    assert said == ["f"]


@pytest.mark.parametrize("transformed", [
    lambda f: kiln.grad(f), lambda f: kiln.jit(kiln.grad(f)), lambda f: lambda x: kiln.vjp(f, x)[1](1.0)[0],
    lambda f: lambda x: kiln.vmap(kiln.grad(f))(np.full(2, x))[0]])
def test_vjp_rules_are_recorded_once(transformed):
    f, said = counted()
    assert float(transformed(lambda x: f(x, 3.0)["a"])(2.0)) == 6
    assert (said.count("forward"), said.count("backward")) == (1, 1)


def test_vjp_residuals_that_depend_on_the_shape():
    f = kiln.custom_vjp(lambda x: x * 1.0)
    f.defvjp(lambda x: (f(x), (x,) * (1 + x.ndim)), lambda kept, g: (g * len(kept),))
    total = lambda x, y: f(x) + np.sum(f(y)) + np.sum(kiln.vmap(f)(y))
    g = kiln.grad(total, argnums=(0, 1))(np.asarray(1.0), np.ones(2))
    assert [a.tolist() for a in g] == [1.0, [3.0, 3.0]]


def test_vjp_without_residuals():
    f = kiln.custom_vjp(lambda x: x * 2)
    f.defvjp(lambda x: (f(x), ()), lambda kept, g: (g * 7,))
    assert float(kiln.grad(f)(1.0)) == 7
    assert float(kiln.jit(kiln.grad(kiln.grad(lambda x: f(x) * x)))(1.0)) == 14


def test_vjp_in_a_loop():
    f, _ = counted()
    g = kiln.grad(lambda x: kiln.lax.scan(lambda c, t: (c + f(t * x, 1.0)["a"], None), 0.0, np.arange(3.0))[0])(1.0)
    assert float(g) == 3 * (1 + 4)
