# SPDX-License-Identifier: Apache-2.0
"""jit, derivatives, vmap and their kin: results by hand or by NumPy, errors in JAX's kinds and words."""
import collections
import dataclasses
import functools
import gc
import os

import numpy
import pytest

import kiln
import kiln.numpy as np

Point = collections.namedtuple("Point", "x y")


def near(a, b):
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-12, atol=1e-12)


# ---- jit

def test_jit_traces_once_for_each_type():
    n = []

    @kiln.jit
    def f(x):
        n.append(1)
        return x * 2

    f(np.ones(3)), f(np.zeros(3)), f(np.ones(4))
    assert len(n) == 2


def test_jit_static_argument_is_python():
    @functools.partial(kiln.jit, static_argnums=1)
    def f(x, n):
        for _ in range(n):
            x = x * 2
        return x
    assert float(f(1.0, 3)) == 8 and float(f(1.0, n=2)) == 4 and float(f(x=1.0, n=1)) == 2


def test_jit_static_names():
    f = kiln.jit(lambda x, mode="a": x + (1 if mode == "a" else 2), static_argnames="mode")
    assert float(f(1.0)) == 2 and float(f(1.0, mode="b")) == 3 and float(f(1.0, "b")) == 3


def test_jit_static_negative():
    f = kiln.jit(lambda x, n: x * len(n), static_argnums=-1)
    assert float(f(2.0, "abc")) == 6


def test_jit_static_unhashable():
    with pytest.raises(ValueError, match="Non-hashable static arguments"):
        kiln.jit(lambda x, n: x, static_argnums=1)(1.0, [1])


def test_jit_keys_of_dicts_that_are_equal_are_not_the_same():
    n = []

    @kiln.jit
    def f(d):
        n.append(1)
        return {k: v * 2 for k, v in d[0].items()}

    for _ in range(2):
        for key in 1, 1.0, True, numpy.int64(1), "1":
            [found] = f(({key: 1.0},))
            assert type(found) is type(key)
    assert len(n) == 5


def test_jit_static_true_is_not_one():
    f = kiln.jit(lambda x, n: x + (10 if n is True else 0), static_argnums=1)
    assert float(f(1.0, 1)) == 1 and float(f(1.0, True)) == 11


def test_jit_static_out_of_range():
    with pytest.raises(ValueError, match="but only accepts 1 positional"):
        kiln.jit(lambda x: x, static_argnums=3)


def test_jit_not_callable():
    with pytest.raises(TypeError, match="Expected a callable value"):
        kiln.jit(3)


def test_jit_trees_in_and_out():
    f = kiln.jit(lambda t: {"s": Point(t["a"] + 1, None), "l": [t["b"][0]]})
    out = f({"a": 1.0, "b": (np.ones(2), None)})
    assert isinstance(out["s"], Point) and out["s"].y is None and float(out["s"].x) == 2 and isinstance(out["l"], list)


def test_jit_method():
    class A:
        k = 3

        @kiln.jit
        def plain(x):
            return x + 1

        @functools.partial(kiln.jit, static_argnums=0)
        def f(self, x):
            return x * self.k
    assert float(A().f(2.0)) == 6


def test_jit_donation_keeps_the_result():
    f = kiln.jit(lambda x, y: x + y, donate_argnums=0)
    assert f(np.ones(1000), np.ones(1000)).tolist() == [2.0] * 1000


def test_jit_static_and_donated():
    with pytest.raises(ValueError, match="cannot intersect"):
        kiln.jit(lambda x: x, static_argnums=0, donate_argnums=0)


def test_jit_python_control_flow_on_a_tracer():
    with pytest.raises(kiln.errors.ConcretizationTypeError):
        kiln.jit(lambda x: 1 if x > 0 else 2)(1.0)


def test_jit_numpy_arrays():
    assert kiln.jit(lambda x: x.sum())(numpy.arange(4.0)).tolist() == 6


def test_jit_closure_over_an_array_sees_the_value_when_traced():
    a = np.ones(3)
    near(kiln.jit(lambda x: x + a)(np.zeros(3)), numpy.ones(3))


def test_jit_exception_of_the_user():
    with pytest.raises(KeyError, match="mine"):
        kiln.jit(lambda x: {}["mine"])(1.0)


def test_jit_leaked_tracer():
    kept = []
    kiln.jit(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(kiln.errors.UnexpectedTracerError):
        float(kept[0] + 1)


def test_jit_keyword_arguments_in_any_order():
    f = kiln.jit(lambda *, a, b: a - b)
    assert float(f(b=1.0, a=3.0)) == 2 and float(f(a=3.0, b=1.0)) == 2


def test_jit_dataclass():
    @kiln.tree_util.register_dataclass
    @dataclasses.dataclass
    class D:
        x: object
        name: str = dataclasses.field(metadata={"static": True})
    out = kiln.jit(lambda d: D(d.x * len(d.name), d.name + "!"))(D(np.ones(2), "ab"))
    assert out.name == "ab!" and out.x.tolist() == [2.0, 2.0]


def test_jit_class_of_ones_own():
    @kiln.tree_util.register_pytree_node_class
    class T:
        def __init__(self, x, k):
            self.x, self.k = x, k

        def tree_flatten(self):
            return (self.x,), self.k

        @classmethod
        def tree_unflatten(cls, k, xs):
            return cls(xs[0], k)
    t = kiln.jit(lambda t: T(t.x * t.k, t.k))(T(np.ones(2), 3))
    assert t.x.tolist() == [3.0, 3.0] and t.k == 3


def test_jit_of_a_jitted_function():
    g = kiln.jit(lambda x: x + 1)
    assert float(kiln.jit(lambda x: g(g(x)))(1.0)) == 3


# ---- grad

def test_grad_of_one():
    near(kiln.grad(lambda x: np.sum(x ** 3))(np.arange(3.0)), [0, 3, 12])


def test_grad_argnums_tuple_and_negative():
    f = lambda x, y: x * y ** 2
    assert [float(g) for g in kiln.grad(f, argnums=(0, 1))(3.0, 2.0)] == [4, 12]
    assert float(kiln.grad(f, argnums=-1)(3.0, 2.0)) == 12


def test_grad_argnums_too_large():
    with pytest.raises(TypeError, match="requires at least 3 positional arguments"):
        kiln.grad(lambda x: x, argnums=2)(1.0)


def test_grad_has_aux():
    g, aux = kiln.grad(lambda x: (x ** 2, {"v": x + 1}), has_aux=True)(3.0)
    assert float(g) == 6 and float(aux["v"]) == 4


def test_value_and_grad_has_aux():
    (v, aux), g = kiln.value_and_grad(lambda x: (x ** 2, (x, None)), has_aux=True)(3.0)
    assert float(v) == 9 and float(g) == 6 and float(aux[0]) == 3 and aux[1] is None


def test_grad_of_a_tree():
    g = kiln.grad(lambda t: np.sum(t["a"] * t["b"][0]))({"a": np.ones(2), "b": [np.arange(2.0), None]})
    near(g["a"], [0, 1])
    near(g["b"][0], [1, 1])
    assert g["b"][1] is None


def test_grad_of_a_vector_result():
    with pytest.raises(TypeError, match="Gradient only defined for scalar-output functions"):
        kiln.grad(lambda x: x)(np.ones(2))


def test_grad_of_a_tree_result():
    with pytest.raises(TypeError, match="Gradient only defined for scalar-output functions"):
        kiln.grad(lambda x: {"a": x})(1.0)


def test_grad_of_an_integer():
    with pytest.raises(TypeError, match="grad requires real- or complex-valued inputs"):
        kiln.grad(lambda x: x * 1.0)(3)


def test_grad_of_a_complex_result():
    with pytest.raises(TypeError, match="real-valued outputs"):
        kiln.grad(lambda x: x * 1j)(1.0)


def test_grad_holomorphic():
    near(kiln.grad(lambda z: z ** 2, holomorphic=True)(1 + 2j), 2 + 4j)


def test_grad_keywords_are_not_differentiated():
    assert float(kiln.grad(lambda x, k: x * k)(2.0, k=5.0)) == 5


def test_grad_other_arguments_stay_python():
    assert float(kiln.grad(lambda x, n: sum(x for _ in range(n)))(2.0, 4)) == 4


def test_grad_other_arguments_may_be_anything():
    assert float(kiln.grad(lambda x, f, name: f(x) * len(name))(0.0, np.sin, "ab")) == 2


def test_grad_of_grad():
    assert float(kiln.grad(kiln.grad(lambda x: x ** 4))(2.0)) == 48


def test_grad_closes_over_an_outer_tracer():
    assert float(kiln.grad(lambda x: kiln.grad(lambda y: x * y ** 2)(3.0) * x)(2.0)) == 24


def test_grad_aux_pair_wanted():
    with pytest.raises(TypeError, match="two-element tuple"):
        kiln.grad(lambda x: x, has_aux=True)(1.0)


def test_grad_through_an_in_place_write():
    def f(x):
        y = np.zeros(3)
        y[1] = x * 3
        return np.sum(y * y)
    assert float(kiln.grad(f)(2.0)) == 36


# ---- jvp, vjp, linearize, jacobians

def test_jvp():
    y, dy = kiln.jvp(lambda x, y: (x * y, {"s": x + y}), (2.0, 3.0), (1.0, 10.0))
    assert float(dy[0]) == 23 and float(dy[1]["s"]) == 11 and float(y[0]) == 6


def test_jvp_wants_the_same_tree():
    with pytest.raises(TypeError, match="must have the same tree structure"):
        kiln.jvp(lambda x: x["a"], ({"a": 1.0},), ({"b": 1.0},))


def test_jvp_wants_tuples():
    with pytest.raises(TypeError, match="must be tuples or lists"):
        kiln.jvp(lambda x: x, 1.0, 1.0)


def test_jvp_has_aux():
    y, dy, aux = kiln.jvp(lambda x: (x * x, [x]), (3.0,), (1.0,), has_aux=True)
    assert float(dy) == 6 and float(aux[0]) == 3


def test_vjp():
    y, back = kiln.vjp(lambda a, b: {"p": a * b}, 2.0, 5.0)
    assert [float(g) for g in back({"p": 10.0})] == [50, 20]


def test_vjp_wrong_tree():
    _, back = kiln.vjp(lambda x: x, 1.0)
    with pytest.raises(ValueError, match="unexpected tree structure of argument to vjp function"):
        back((1.0, 2.0))


def test_vjp_has_aux_of_integers():
    y, back, aux = kiln.vjp(lambda x: (x * 2, 7), 1.0, has_aux=True)
    assert float(back(1.0)[0]) == 2 and int(aux) == 7


def test_linearize():
    y, f = kiln.linearize(lambda x: x ** 3, 2.0)
    assert float(y) == 8 and float(f(1.0)) == 12 and float(f(2.0)) == 24


def test_linear_transpose_of_a_type():
    t = kiln.linear_transpose(lambda x: x * 3, kiln.ShapeDtypeStruct((2,), "float64"))
    near(t(np.ones(2))[0], [3, 3])


def test_jacobians_agree():
    f = lambda x: np.stack([x[0] * x[1], np.sin(x[0]), x[1] ** 2])
    x = np.asarray([1.0, 2.0])
    near(kiln.jacfwd(f)(x), kiln.jacrev(f)(x))


def test_jacobian_of_trees():
    j = kiln.jacrev(lambda t: {"o": t["a"] * t["b"]})({"a": np.ones(2), "b": 2.0})
    near(j["o"]["a"], 2 * numpy.eye(2))
    near(j["o"]["b"], [1, 1])


def test_hessian():
    near(kiln.hessian(lambda x: np.sum(x ** 3))(np.arange(3.0)), numpy.diag([0, 6, 12]))


# ---- vmap

def test_vmap_axes():
    f = kiln.vmap(lambda x, y: x + y, in_axes=(0, 1), out_axes=1)
    x = numpy.arange(6.0).reshape(2, 3)
    near(f(x, x.T), (x + x).T)


def test_vmap_a_tree_of_axes():
    f = kiln.vmap(lambda t: t["a"] * t["b"], in_axes=({"a": 0, "b": None},))
    near(f({"a": np.arange(3.0), "b": 2.0}), [0, 2, 4])


def test_vmap_unmapped_python_number_stays():
    assert kiln.vmap(lambda x, n: x * len(range(n)), (0, None))(np.ones(2), 3).tolist() == [3, 3]


def test_vmap_axes_of_another_number():
    with pytest.raises(ValueError, match=r"len\(in_axes\)=2, len\(args\)=1"):
        kiln.vmap(lambda x: x, in_axes=(0, 0))(np.ones(2))


def test_vmap_no_axis():
    with pytest.raises(ValueError, match="at least one non-None value in in_axes"):
        kiln.vmap(lambda x: x, in_axes=None)(np.ones(2))


def test_vmap_rank_too_small():
    with pytest.raises(ValueError, match="its rank should be at least 1"):
        kiln.vmap(lambda x: x)(1.0)


def test_vmap_sizes_that_differ():
    with pytest.raises(ValueError, match="inconsistent sizes"):
        kiln.vmap(lambda x, y: x)(np.ones(2), np.ones(3))


def test_vmap_bad_in_axes():
    with pytest.raises(TypeError, match="vmap in_axes must be an int, None, or a tuple"):
        kiln.vmap(lambda x: x, in_axes="0")


def test_vmap_of_vmap():
    f = kiln.vmap(kiln.vmap(lambda x, y: x * y, (None, 0)), (0, None))
    near(f(np.arange(3.0), np.arange(2.0)), numpy.outer(numpy.arange(3), numpy.arange(2)))


def test_vmap_axis_size():
    assert kiln.vmap(lambda: 3.0, axis_size=2)().tolist() == [3, 3]


def test_vmap_keywords_are_mapped():
    near(kiln.vmap(lambda *, x: x * 2)(x=np.arange(3.0)), [0, 2, 4])


def test_vmap_of_jit_of_grad():
    near(kiln.vmap(kiln.jit(kiln.grad(lambda x: x ** 2)))(np.arange(3.0)), [0, 2, 4])


# ---- Shapes, checkpoints, memory

def test_eval_shape_runs_nothing():
    out = kiln.eval_shape(lambda x: {"a": x @ x.T}, kiln.ShapeDtypeStruct((10 ** 6, 3), "float32"))
    assert out["a"].shape == (10 ** 6, 10 ** 6) and str(out["a"].dtype) == "float32"


def test_checkpoint_policies():
    f = lambda x: np.sin(np.sin(x))
    for policy in (None, kiln.checkpoint_policies.everything_saveable, kiln.checkpoint_policies.dots_saveable,
                   kiln.checkpoint_policies.save_only_these_names("a")):
        near(kiln.grad(kiln.checkpoint(f, policy=policy))(1.0), kiln.grad(f)(1.0))


def test_checkpoint_static():
    f = kiln.checkpoint(lambda x, n: x ** n, static_argnums=1)
    assert float(kiln.grad(f)(2.0, 3)) == 12


def test_checkpoint_name():
    from kiln.ad_checkpoint import checkpoint_name
    f = kiln.checkpoint(lambda x: np.sin(checkpoint_name(np.cos(x), "c")),
                        policy=kiln.checkpoint_policies.save_only_these_names("c"))
    near(kiln.grad(f)(1.0), -numpy.cos(numpy.cos(1)) * numpy.sin(1))


def test_ravel_pytree():
    from kiln.flatten_util import ravel_pytree
    v, back = ravel_pytree({"a": np.ones((2, 2)), "b": [np.zeros(1), None]})
    assert v.shape == (5,) and back(v * 2)["a"].tolist() == [[2, 2], [2, 2]] and back(v)["b"][1] is None
    with pytest.raises(ValueError, match="unravel function given array of shape"):
        back(np.ones(3))


def test_named_call():
    assert "name=foo" in str(kiln.make_jaxpr(kiln.named_call(lambda x: x + 1, name="foo"))(1.0))


def test_switches():
    with kiln.debug_nans(True):
        with pytest.raises(ValueError, match="nan encountered in log"):
            float(np.log(np.asarray(-1.0)))
    with kiln.default_float("float32"):
        assert np.zeros(2).dtype == "float32"
    assert np.zeros(2).dtype == "float64"


def test_devices():
    assert kiln.device_count() >= 1 and kiln.device_put({"a": 1})["a"].tolist() == 1
    assert isinstance(kiln.device_get(np.ones(2)), numpy.ndarray)
    assert kiln.block_until_ready([np.ones(2), None])[0].tolist() == [1, 1]


def test_no_handle_is_left():
    x = np.ones(3)

    def work():
        kiln.grad(lambda x: np.sum(x * x))(x)
        kiln.vmap(lambda a: a * 2)(x)
        kiln.jit(lambda a: {"x": a * 2})(x)
        kiln.jvp(np.sin, (x,), (x,))
        kiln.vjp(np.sin, x)[1](x)
        kiln.hessian(lambda a: np.sum(a ** 3))(x)
        kiln.make_jaxpr(lambda a: a + 1)(x)
        kiln.lax.scan(lambda c, a: (c + a, a), 0.0, x)
        kiln.lax.cond(True, lambda a: a, lambda a: -a, x)
        kiln.lax.reduce(x, 0.0, lambda a, b: a + b, (0,))
        kiln.debug.callback(lambda a: None, x)
        kiln.random.normal(kiln.random.key(0), (3,))
        for f in (lambda: kiln.grad(lambda a: a)(x), lambda: kiln.jit(lambda a: 1 / 0)(x)):
            with pytest.raises((TypeError, ZeroDivisionError)):
                f()

    work()
    gc.collect()
    before = kiln._core.live_count()
    for _ in range(3):
        work()
    gc.collect()
    assert kiln._core.live_count() == before


# ---- what is recorded goes with the function

def _resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_functions_that_are_gone_leave_no_recordings():
    x = np.ones(8)

    def use(i):
        def f(x):
            return np.sum(np.sin(x) * i + np.cos(x))
        kiln.jit(f)(x), kiln.grad(f)(x), kiln.jit(kiln.value_and_grad(f))(x), kiln.vmap(f)(x)

    def many(n):
        for _ in range(n):
            use(3.0)
        gc.collect()
        np.ones(1) + 1  # what is gone is released when the library is called next
    many(40)
    before = _resident()
    many(160)
    assert _resident() - before < 4e6  # 100 KB for each of them otherwise
