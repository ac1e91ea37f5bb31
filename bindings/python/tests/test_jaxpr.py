# SPDX-License-Identifier: Apache-2.0
"""make_jaxpr: JAX's texts, walking, running; callbacks and prints of recorded programs."""
import pytest

import kiln
import kiln.numpy as np


def test_typed_text():
    j = kiln.make_jaxpr(lambda x, y: (np.sin(x) * y, y))(np.ones((2, 3)), 2.0)
    assert str(j) == ("{ lambda ; a:f64[2,3] b:f64[]. let\n    c:f64[2,3] = sin a\n    d:f64[2,3] = mul c b\n"
                      "  in (d, b) }")


def test_a_traced_value_shows_its_type():
    seen = []
    kiln.make_jaxpr(lambda x: seen.extend([repr(x), str(x)]) or x)(np.ones((2, 3)))
    assert seen == ["JitTracer(float64[2,3])"] * 2


def test_forms():
    j = kiln.make_jaxpr(lambda x: x + 1)(1.0)
    assert "f64" not in j.text("classic") and kiln.core.jaxpr_parse(j.text("full")) == j
    with pytest.raises(ValueError):
        j.text("other")


def test_walking():
    j = kiln.make_jaxpr(lambda x: np.sum(x * 2.0))(np.ones(3))
    assert [e.primitive.name for e in j.eqns] == ["mul", "reduce_sum"]
    assert j.eqns[0].invars[1].val.tolist() == 2.0 and "axes=(0,)" in j.eqns[1].params
    assert j.in_avals[0].shape == (3,) and str(j.out_avals[0]) == "ShapedArray(float64[])"
    assert j.eqns[0].place[0] == __file__


def test_inner_jaxprs():
    j = kiln.make_jaxpr(lambda x: kiln.lax.scan(lambda c, a: (c + a, c), 0.0, x))(np.ones(3))
    assert j.eqns[0].primitive.name == "scan" and j.eqns[0].jaxprs[0].eqns[0].primitive.name == "add"


def test_running_and_constants():
    w = np.arange(3.0)
    j = kiln.make_jaxpr(lambda x: {"a": x * w})(np.ones(3))
    assert j(np.full(3, 2.0))[0].tolist() == [0, 2, 4] and j.consts[0].tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="takes 1 arguments"):
        j(1.0, 2.0)


def test_many_inputs():
    j = kiln.make_jaxpr(lambda *xs: sum(xs))(*range(12))
    assert int(j(*range(12))[0]) == 66


def test_static_and_shape():
    j, shape = kiln.make_jaxpr(lambda x, n: [x] * n, static_argnums=1, return_shape=True)(1.0, 2)
    assert len(shape) == 2 and shape[0].shape == ()


def test_axis_env():
    assert "psum" in str(kiln.make_jaxpr(lambda x: kiln.lax.psum(x, "i"), axis_env=[("i", 4)])(1.0))


def test_drawings_and_programs():
    j = kiln.make_jaxpr(lambda x: np.sin(x) + 1)(np.ones(3))
    assert j.graphviz().startswith("digraph") and "sin" in j.program()


# ---- Callbacks.

def test_pure_callback():
    f = lambda x: kiln.pure_callback(lambda v: {"r": v * 2}, {"r": kiln.ShapeDtypeStruct((2,), "float64")}, x)["r"]
    assert f(np.ones(2)).tolist() == [2, 2] and kiln.jit(f)(np.ones(2)).tolist() == [2, 2]


def test_pure_callback_under_vmap():
    f = lambda x: kiln.pure_callback(lambda v: v * 2, kiln.ShapeDtypeStruct((), "float64"), x)
    assert kiln.vmap(f)(np.arange(3.0)).tolist() == [0, 2, 4]
    g = lambda x: kiln.pure_callback(lambda v: v * 2, kiln.ShapeDtypeStruct((), "float64"), x, vmap_method="expand_dims")
    assert kiln.vmap(g)(np.arange(3.0)).tolist() == [0, 2, 4]


def test_callback_of_python_numbers_and_numpy():
    import numpy
    f = kiln.jit(lambda x: kiln.pure_callback(lambda v: 3, kiln.ShapeDtypeStruct((), "float64"), x))
    assert float(f(1.0)) == 3
    g = kiln.jit(lambda x: kiln.pure_callback(lambda v: numpy.ones(2), kiln.ShapeDtypeStruct((2,), "float64"), x))
    assert g(1.0).tolist() == [1, 1]


def test_exceptions_of_callbacks_come_out():
    class Mine(Exception):
        pass

    def bad(v):
        raise Mine("here")
    f = lambda x: kiln.pure_callback(bad, kiln.ShapeDtypeStruct((), "float64"), x)
    for g in (f, kiln.jit(f), kiln.jit(lambda x: kiln.lax.map(f, x * np.ones(2)))):
        with pytest.raises(Mine, match="here"):
            kiln.block_until_ready(g(1.0))


def test_callback_of_another_shape():
    f = kiln.jit(lambda x: kiln.pure_callback(lambda v: np.ones(3), kiln.ShapeDtypeStruct((2,), "float64"), x))
    with pytest.raises(TypeError, match="was promised"):
        kiln.block_until_ready(f(1.0))


def test_callback_of_another_tree():
    f = lambda x: kiln.pure_callback(lambda v: (v, v), kiln.ShapeDtypeStruct((), "float64"), x)
    with pytest.raises(ValueError, match="was promised"):
        f(1.0)


def test_io_callback_runs_each_time():
    from kiln.experimental import io_callback
    seen = []
    f = kiln.jit(lambda x: io_callback(lambda v: seen.append(float(v)) or v, kiln.ShapeDtypeStruct((), "float64"), x))
    f(1.0), f(2.0)
    assert seen == [1.0, 2.0]


def test_debug_callback_in_a_scan():
    seen = []
    kiln.jit(lambda x: kiln.lax.scan(lambda c, a: (kiln.debug.callback(lambda v: seen.append(float(v)), a), (c, c))[1],
                                     0.0, x))(np.arange(3.0))
    assert seen == [0, 1, 2]


def test_debug_print(capsys):
    f = kiln.jit(lambda x: (kiln.debug.print("x {} {y:.2f} {{}} {0}", x, y=x[0]), x)[1])
    f(np.ones(2))
    assert capsys.readouterr().out == "x [1. 1.] 1.00 {} [1. 1.]\n"


def test_debug_print_of_trees(capsys):
    kiln.debug.print("{t}", t={"a": 1.5})
    assert capsys.readouterr().out == "{'a': array(1.5)}\n"


def test_debug_print_errors():
    with pytest.raises(KeyError):
        kiln.debug.print("{a}")
    with pytest.raises(IndexError):
        kiln.debug.print("{}")
    with pytest.raises(ValueError, match="Unused keyword"):
        kiln.debug.print("x", a=1)
