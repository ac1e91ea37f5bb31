# SPDX-License-Identifier: Apache-2.0
"""Arguments that transformations refuse, beside JAX: the same kind of exception, and the same text where it says something."""
import functools

import numpy
import pytest

import kiln
import kiln.numpy

jax = pytest.importorskip("jax")
import jax.numpy  # noqa: E402


def outcome(f, api):
    try:
        f(api, api.numpy)
    except Exception as e:
        return e
    return None


x2, x3, m = numpy.ones(2), numpy.ones(3), numpy.ones((2, 3))
CASES = {
    # vmap
    "in_axes short": lambda k, n: k.vmap(lambda a, b: a, in_axes=(0,))(x2, x2),
    "in_axes long": lambda k, n: k.vmap(lambda a: a, in_axes=(0, 0))(x2),
    "in_axes float": lambda k, n: k.vmap(lambda a: a, in_axes=1.0)(x2),
    "in_axes text": lambda k, n: k.vmap(lambda a: a, in_axes="a")(x2),
    "in_axes float inside": lambda k, n: k.vmap(lambda a: a, in_axes=(1.0,))(x2),
    "in_axes list": lambda k, n: k.vmap(lambda a: a, in_axes=[0])(x2),
    "in_axes dict": lambda k, n: k.vmap(lambda a: a, in_axes={"a": 0})(x2),
    "in_axes too large": lambda k, n: k.vmap(lambda a: a, in_axes=1)(x2),
    "in_axes too small": lambda k, n: k.vmap(lambda a: a, in_axes=-2)(x2),
    "in_axes of a scalar": lambda k, n: k.vmap(lambda a: a)(1.0),
    "in_axes none": lambda k, n: k.vmap(lambda a: a, in_axes=None)(x2),
    "in_axes all none": lambda k, n: k.vmap(lambda a, b: a, in_axes=(None, None))(x2, x2),
    "in_axes tree": lambda k, n: k.vmap(lambda a: a["x"], in_axes=({"y": 0},))({"x": x2}),
    "in_axes tree arity": lambda k, n: k.vmap(lambda a: a[0], in_axes=([0, 0, 0],))([x2, x2]),
    "no arguments": lambda k, n: k.vmap(lambda: 1.0)(),
    "sizes": lambda k, n: k.vmap(lambda a, b: a)(x2, x3),
    "sizes of one": lambda k, n: k.vmap(lambda a: a[0])((x2, x3)),
    "sizes three": lambda k, n: k.vmap(lambda a, b, c: a)(x2, x3, x2),
    "axis_size": lambda k, n: k.vmap(lambda a: a, axis_size=3)(x2),
    "out_axes none of a mapped result": lambda k, n: k.vmap(lambda a: a, out_axes=None)(x2),
    "out_axes none of one of two": lambda k, n: k.vmap(lambda a: (a, a), out_axes=(0, None))(x2),
    "out_axes none in jit": lambda k, n: k.jit(k.vmap(lambda a: a * 2, out_axes=None))(x2),
    "out_axes none of a constant": lambda k, n: k.vmap(lambda a: 1.0, out_axes=None)(x2),
    "out_axes none of an unmapped argument": lambda k, n: k.vmap(lambda a, b: b * 2, (0, None), out_axes=None)(x2, x3),
    "out_axes none of both": lambda k, n: k.vmap(lambda a, b: a + b, (0, None), out_axes=None)(x2, 1.0),
    "out_axes none, nested": lambda k, n: k.vmap(lambda a: k.vmap(lambda b: a, out_axes=None)(x3))(x2),
    "out_axes none, nested, wrong": lambda k, n: k.vmap(lambda a: k.vmap(lambda b: b, out_axes=None)(x3))(x2),
    "out_axes too large": lambda k, n: k.vmap(lambda a: a, out_axes=1)(x2),
    "out_axes too small": lambda k, n: k.vmap(lambda a: a, out_axes=-2)(x2),
    "out_axes tree": lambda k, n: k.vmap(lambda a: a, out_axes=(0, 0))(x2),
    "out_axes float": lambda k, n: k.vmap(lambda a: a, out_axes=1.0)(x2),
    "vmap of a string": lambda k, n: k.vmap(lambda a: a)("text"),
    "vmap of an object": lambda k, n: k.vmap(lambda a: a)(object()),
    "vmap result object": lambda k, n: k.vmap(lambda a: object())(x2),
    "vmap not callable": lambda k, n: k.vmap(3),
    "vmap axis name unbound": lambda k, n: k.vmap(lambda a: k.lax.psum(a, "j"), axis_name="i")(x2),
    # jit
    "jit not callable": lambda k, n: k.jit("f"),
    "static unhashable": lambda k, n: k.jit(lambda a, b: a, static_argnums=1)(1.0, [1]),
    "static unhashable name": lambda k, n: k.jit(lambda a, b: a, static_argnames="b")(1.0, b={}),
    "static array": lambda k, n: k.jit(lambda a, b: a, static_argnums=1)(1.0, n.ones(2)),
    "static_argnums out of range": lambda k, n: k.jit(lambda a: a, static_argnums=2),
    "static_argnums negative out of range": lambda k, n: k.jit(lambda a: a, static_argnums=-3),
    "static_argnames unknown": lambda k, n: k.jit(lambda a: a, static_argnames="q"),
    "static_argnums float": lambda k, n: k.jit(lambda a: a, static_argnums=1.5),
    "static_argnums text": lambda k, n: k.jit(lambda a: a, static_argnums="a"),
    "static_argnames int": lambda k, n: k.jit(lambda a: a, static_argnames=1),
    "static_argnames of ints": lambda k, n: k.jit(lambda a: a, static_argnames=(1,)),
    "static call too short": lambda k, n: k.jit(lambda *a: a[0], static_argnums=(0, 3))(1),
    "donate out of range": lambda k, n: k.jit(lambda a: a, donate_argnums=2),
    "donate unknown name": lambda k, n: k.jit(lambda a: a, donate_argnames="q"),
    "donate and static": lambda k, n: k.jit(lambda a: a, donate_argnums=0, static_argnums=0),
    "donate text": lambda k, n: k.jit(lambda a: a, donate_argnums="a"),
    "jit of a string": lambda k, n: k.jit(lambda a: a)("text"),
    "jit of an object": lambda k, n: k.jit(lambda a: a)(object()),
    "jit result string": lambda k, n: k.jit(lambda a: "text")(1.0),
    "jit result object": lambda k, n: k.jit(lambda a: object())(1.0),
    "jit too many arguments": lambda k, n: k.jit(lambda a: a)(1.0, 2.0),
    "jit missing argument": lambda k, n: k.jit(lambda a, b: a)(1.0),
    "jit unknown keyword": lambda k, n: k.jit(lambda a: a)(1.0, q=1.0),
    "jit branch on a value": lambda k, n: k.jit(lambda a: 1 if a > 0 else 2)(1.0),
    "jit float": lambda k, n: k.jit(lambda a: float(a))(1.0),
    "jit range": lambda k, n: k.jit(lambda a: list(range(a)))(3),
    "jit numpy": lambda k, n: k.jit(lambda a: numpy.asarray(a))(1.0),
    # grad
    "grad not callable": lambda k, n: k.grad(3.0),
    "argnums out of range": lambda k, n: k.grad(lambda a: a, argnums=1)(1.0),
    "argnums negative out of range": lambda k, n: k.grad(lambda a: a, argnums=-2)(1.0),
    "argnums tuple out of range": lambda k, n: k.grad(lambda a: a, argnums=(0, 2))(1.0),
    "argnums float": lambda k, n: k.grad(lambda a: a, argnums=0.5)(1.0),
    "argnums text": lambda k, n: k.grad(lambda a: a, argnums="a")(1.0),
    "argnums none": lambda k, n: k.grad(lambda a: a, argnums=None)(1.0),
    "argnums list": lambda k, n: k.grad(lambda a: a, argnums=[0])(1.0),
    "argnums empty": lambda k, n: k.grad(lambda a: a, argnums=())(1.0),
    "no argument at all": lambda k, n: k.grad(lambda a=1.0: a)(),
    "only keywords": lambda k, n: k.grad(lambda a: a)(a=1.0),
    "integer input": lambda k, n: k.grad(lambda a: a * 1.0)(3),
    "integer array": lambda k, n: k.grad(lambda a: n.sum(a * 1.0))(numpy.arange(3)),
    "bool input": lambda k, n: k.grad(lambda a: a * 1.0)(True),
    "complex input": lambda k, n: k.grad(lambda a: n.real(a))(1j),
    "complex output": lambda k, n: k.grad(lambda a: a * 1j)(1.0),
    "integer output": lambda k, n: k.grad(lambda a: 3)(1.0),
    "bool output": lambda k, n: k.grad(lambda a: a > 0)(1.0),
    "vector output": lambda k, n: k.grad(lambda a: a)(x2),
    "tree output": lambda k, n: k.grad(lambda a: (a, a))(1.0),
    "none output": lambda k, n: k.grad(lambda a: None)(1.0),
    "string output": lambda k, n: k.grad(lambda a: "text")(1.0),
    "string input": lambda k, n: k.grad(lambda a: 1.0)("text"),
    "object input": lambda k, n: k.grad(lambda a: 1.0)(object()),
    "has_aux without a pair": lambda k, n: k.grad(lambda a: a, has_aux=True)(1.0),
    "has_aux of three": lambda k, n: k.grad(lambda a: (a, a, a), has_aux=True)(1.0),
    "has_aux vector": lambda k, n: k.grad(lambda a: (a, 1.0), has_aux=True)(x2),
    "has_aux value_and_grad": lambda k, n: k.value_and_grad(lambda a: a, has_aux=True)(1.0),
    "holomorphic of reals": lambda k, n: k.grad(lambda a: a, holomorphic=True)(1.0),
    "holomorphic real output": lambda k, n: k.grad(lambda a: n.real(a), holomorphic=True)(1j),
    "jacfwd integer": lambda k, n: k.jacfwd(lambda a: a * 1.0)(3),
    "jacfwd complex": lambda k, n: k.jacfwd(lambda a: a)(1j),
    "jacfwd holomorphic": lambda k, n: k.jacfwd(lambda a: a, holomorphic=True)(1.0),
    "jacfwd has_aux": lambda k, n: k.jacfwd(lambda a: a, has_aux=True)(1.0),
    "jacrev integer": lambda k, n: k.jacrev(lambda a: a * 1.0)(3),
    "jacrev integer output": lambda k, n: k.jacrev(lambda a: a > 0)(1.0),
    "jacrev has_aux": lambda k, n: k.jacrev(lambda a: a, has_aux=True)(1.0),
    "jacrev argnums": lambda k, n: k.jacrev(lambda a: a, argnums=3)(1.0),
    "jacfwd argnums": lambda k, n: k.jacfwd(lambda a: a, argnums=3)(1.0),
    "hessian integer": lambda k, n: k.hessian(lambda a: a * 1.0)(3),
    "hessian vector": lambda k, n: k.hessian(lambda a: a * a)(x2),
    # jvp, vjp, linearize
    "jvp no tuple": lambda k, n: k.jvp(lambda a: a, 1.0, 1.0),
    "jvp lengths": lambda k, n: k.jvp(lambda a, b: a, (1.0, 1.0), (1.0,)),
    "jvp trees": lambda k, n: k.jvp(lambda a: a[0], ((1.0,),), ([1.0],)),
    "jvp dtypes": lambda k, n: k.jvp(lambda a: a, (1.0,), (1,)),
    "jvp integer": lambda k, n: k.jvp(lambda a: a, (1,), (1,)),
    "jvp float32": lambda k, n: k.jvp(lambda a: a, (1.0,), (numpy.float32(1),)),
    "jvp shapes": lambda k, n: k.jvp(lambda a: a, (x2,), (x3,)),
    "jvp aux": lambda k, n: k.jvp(lambda a: a, (1.0,), (1.0,), has_aux=True),
    "jvp not callable": lambda k, n: k.jvp(1, (1.0,), (1.0,)),
    "vjp tree": lambda k, n: k.vjp(lambda a: a, 1.0)[1]((1.0,)),
    "vjp shape": lambda k, n: k.vjp(lambda a: a, 1.0)[1](x2),
    "vjp dtype": lambda k, n: k.vjp(lambda a: a, 1.0)[1](numpy.float32(1)),
    "vjp integer cotangent": lambda k, n: k.vjp(lambda a: a, 1.0)[1](1),
    "vjp aux": lambda k, n: k.vjp(lambda a: a, 1.0, has_aux=True),
    "vjp not callable": lambda k, n: k.vjp(1, 1.0),
    "linearize tree": lambda k, n: k.linearize(lambda a: a, 1.0)[1]((1.0,)),
    "linearize count": lambda k, n: k.linearize(lambda a: a, 1.0)[1](1.0, 2.0),
    "linearize shape": lambda k, n: k.linearize(lambda a: a, 1.0)[1](x2),
    "linear_transpose tree": lambda k, n: k.linear_transpose(lambda a: 2 * a, 1.0)((1.0,)),
    "linear_transpose shape": lambda k, n: k.linear_transpose(lambda a: 2 * a, 1.0)(x2),
    "linear_transpose nonlinear": lambda k, n: k.linear_transpose(lambda a: a * a, 1.0)(1.0),
    # shapes and the rest
    "eval_shape string": lambda k, n: k.eval_shape(lambda a: a, "text"),
    "make_jaxpr string": lambda k, n: k.make_jaxpr(lambda a: a)("text"),
    "checkpoint not callable": lambda k, n: k.checkpoint(3),
    "ShapeDtypeStruct without dtype": lambda k, n: k.ShapeDtypeStruct((2,), None),
    "ShapeDtypeStruct shape": lambda k, n: k.ShapeDtypeStruct(None, "float32"),
    # control flow
    "scan no pair": lambda k, n: k.lax.scan(lambda c, a: c, 0.0, x2),
    "scan carry tree": lambda k, n: k.lax.scan(lambda c, a: ((c, c), a), 0.0, x2),
    "scan carry dtype": lambda k, n: k.lax.scan(lambda c, a: (c + 0.5, a), 0, x2),
    "scan carry shape": lambda k, n: k.lax.scan(lambda c, a: (n.ones(2), a), 0.0, x2),
    "scan lengths": lambda k, n: k.lax.scan(lambda c, a: (c, None), 0.0, (x2, x3)),
    "scan length": lambda k, n: k.lax.scan(lambda c, a: (c, None), 0.0, x2, length=3),
    "scan no length": lambda k, n: k.lax.scan(lambda c, a: (c, None), 0.0, None),
    "scan length float": lambda k, n: k.lax.scan(lambda c, a: (c, None), 0.0, None, length=2.0),
    "scan of a scalar": lambda k, n: k.lax.scan(lambda c, a: (c, None), 0.0, 1.0),
    "scan not callable": lambda k, n: k.lax.scan(3, 0.0, x2),
    "scan arguments": lambda k, n: k.lax.scan(lambda c: (c, None), 0.0, x2),
    "while cond tree": lambda k, n: k.lax.while_loop(lambda c: (True,), lambda c: c, 0.0),
    "while cond dtype": lambda k, n: k.lax.while_loop(lambda c: c, lambda c: c, 0.0),
    "while cond shape": lambda k, n: k.lax.while_loop(lambda c: c < 1, lambda c: c, x2),
    "while carry dtype": lambda k, n: k.lax.while_loop(lambda c: c < 3, lambda c: c + 0.5, 0),
    "while carry tree": lambda k, n: k.lax.while_loop(lambda c: c < 3, lambda c: (c,), 0.0),
    "while not callable": lambda k, n: k.lax.while_loop(1, 2, 3),
    "fori not callable": lambda k, n: k.lax.fori_loop(0, 3, 2, 0.0),
    "fori float bound": lambda k, n: k.lax.fori_loop(0.0, 3.0, lambda i, c: c, 0.0),
    "fori carry dtype": lambda k, n: k.lax.fori_loop(0, 3, lambda i, c: c + 0.5, 0),
    "fori carry tree": lambda k, n: k.lax.fori_loop(0, 3, lambda i, c: (c, c), 0.0),
    "fori vector bound": lambda k, n: k.lax.fori_loop(x2.astype(int), 3, lambda i, c: c, 0.0),
    "cond trees": lambda k, n: k.lax.cond(True, lambda a: a, lambda a: (a,), 1.0),
    "cond dtypes": lambda k, n: k.lax.cond(True, lambda a: a, lambda a: 1, 1.0),
    "cond shapes": lambda k, n: k.lax.cond(True, lambda a: a, lambda a: n.ones(2), 1.0),
    "cond vector": lambda k, n: k.lax.cond(x2, lambda a: a, lambda a: a, 1.0),
    "cond text": lambda k, n: k.lax.cond("yes", lambda a: a, lambda a: a, 1.0),
    "cond tuple": lambda k, n: k.lax.cond((True,), lambda a: a, lambda a: a, 1.0),
    "cond not callable": lambda k, n: k.lax.cond(True, 1, 2, 3),
    "cond operand twice": lambda k, n: k.lax.cond(True, lambda a: a, lambda a: a, 1.0, operand=2.0),
    "switch empty": lambda k, n: k.lax.switch(0, [], 1.0),
    "switch vector": lambda k, n: k.lax.switch(x2.astype(int), [lambda a: a, lambda a: a], 1.0),
    "switch float": lambda k, n: k.lax.switch(1.0, [lambda a: a, lambda a: a], 1.0),
    "switch trees": lambda k, n: k.lax.switch(0, [lambda a: a, lambda a: (a,)], 1.0),
    "switch not callable": lambda k, n: k.lax.switch(0, [1, 2], 1.0),
    "associative_scan sizes": lambda k, n: k.lax.associative_scan(lambda a, b: a, (x2, x3)),
    "associative_scan not callable": lambda k, n: k.lax.associative_scan(1, x2),
    "map sizes": lambda k, n: k.lax.map(lambda a: a[0], (x2, x3)),
    "map of a scalar": lambda k, n: k.lax.map(lambda a: a, 1.0),
    # custom derivatives
    "custom_jvp without": lambda k, n: k.custom_jvp(lambda a: a)(1.0),
    "custom_vjp without": lambda k, n: k.custom_vjp(lambda a: a)(1.0),
    "custom_jvp not callable": lambda k, n: k.custom_jvp(3),
    "custom_jvp keyword": lambda k, n: defined(k)(q=1.0),
    "custom_jvp missing": lambda k, n: defined(k)(),
}


def defined(k):
    f = k.custom_jvp(lambda a: a)
    f.defjvp(lambda p, t: (p[0], t[0]))
    return f


# What differs: there is no float0, a callable is looked at at once, bounds are integers, branches' numbers wait for their
# dtype, and JAX's is an assertion.
OTHERWISE = {"jvp integer": None, "checkpoint not callable": TypeError, "custom_jvp not callable": TypeError,
             "fori float bound": TypeError, "cond dtypes": None, "linear_transpose nonlinear": TypeError}


@pytest.mark.parametrize("name", CASES)
def test_refusals_are_those_of_jax(name):
    got, want = outcome(CASES[name], kiln), outcome(CASES[name], jax)
    if name in OTHERWISE:
        assert isinstance(got, OTHERWISE[name]) if OTHERWISE[name] else got is None
    elif want is None:
        assert got is None
    else:
        kinds = [c.__name__ for c in type(want).__mro__ if c.__module__ == "builtins"]
        assert got is not None, repr(want)
        assert kinds[0] in [c.__name__ for c in type(got).__mro__], (repr(got), repr(want))
        assert len(str(got)) > 10 and "SystemError" not in repr(got)


def test_out_axes_that_mix():
    def f(k):
        def g(a, b):
            return {"m": a * 2, "n": [b + 1, k.numpy.sum(b)], "z": (a, b)}
        return k.vmap(g, (0, None), {"m": 0, "n": None, "z": (-1, None)})(m, x2)
    got, want = f(kiln), f(jax)
    for a, b in zip(kiln.tree.leaves(got), jax.tree.leaves(want)):
        assert a.shape == b.shape and numpy.asarray(a).tolist() == numpy.asarray(b).tolist()
    assert kiln.vmap(lambda a: 3.0, out_axes=None)(x2).tolist() == 3
