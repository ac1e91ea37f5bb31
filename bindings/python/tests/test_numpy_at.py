# SPDX-License-Identifier: Apache-2.0
"""x.at[index].set(v) and its kin give what JAX gives; x.flat what NumPy gives."""
import warnings

import numpy
import pytest

import kiln
import kiln.numpy as knp

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
jax.config.update("jax_enable_x64", True)

CALLS = """
x.at[1].set(9)
x.at[-1].set(9)
x.at[0, 1].add(5)
x.at[:, 1].multiply(2)
x.at[1:].set(0)
x.at[..., 0].add([1, 2, 3])
x.at[np.array([0, 0, 2])].add(1)
x.at[np.array([0, 0, 2]), np.array([1, 1, 3])].add(10)
x.at[x > 2].set(0)
x.at[0].subtract(1)
x.at[0].divide(2)
x.at[0].power(2)
x.at[np.array([0, 0])].min(1.5)
x.at[np.array([0, 0])].max(1.5)
x.at[np.array([0, 2])].mul(2)
x.at[1].apply(np.sin)
x.at[7].set(9)
x.at[np.array([1, 7])].set(9)
x.at[np.array([1, 7])].add(1)
x.at[np.array([1, -7])].add(1)
x.at[np.array([1, 7])].set(9, mode="clip")
x.at[np.array([1, 7]), 0].set(9)
x.at[0, np.array([1, 7])].set(np.array([8, 9]))
x.at[:2, np.array([1, 7])].add(1)
x.at[1:, 7].set(3)
x.at[0].get()
x.at[7].get()
x.at[np.array([1, 7])].get()
x.at[np.array([1, 7])].get(mode="clip")
x.at[np.array([1, 7])].get(mode="fill")
x.at[np.array([1, 7])].get(mode="fill", fill_value=-1)
x.at[1, np.array([1, 7])].get(mode="fill", fill_value=-1)
i.at[np.array([1, 9])].get(mode="fill")
i.at[1].set(2)
i.at[np.array([0, 0, 1])].add(1)
x.at[None, 0].set(1)
x.at[()].add(1)
x.at[np.zeros((2, 2), dtype=int)].add(1)
x.at[np.zeros(0, dtype=int)].set(9)
x.at[np.zeros(0, dtype=int)].get()
x.at[np.zeros(0, dtype=int)].get(mode="fill", fill_value=3)
x.at[np.zeros((0, 2), dtype=int), 0].add(np.zeros((0, 2)))
x.at[0:0].set(np.zeros((0, 4)))
e.at[np.array([0])].set(1.0)
e.at[0].set(1.0)
e.at[np.array([0, 3])].add(1.0)
e.at[:].set(1.0)
e.at[()].get()
x.at[x > 100].set(0)
x.at[np.array([True, False, True])].set(0)
x.at[np.array([True, False, True]), 1].add(5)
x.at[np.array([True, False, True]), 7].add(5)
x.at[:, np.array([True, False, True, False])].multiply(5)
x.at[np.array([True, False, True]), np.array([0, 9])].set(5)
x.at[True].set(0)
x.at[False].set(0)
x.at[True, 0].add(1)
x.at[np.array([1, 7])].set(9, mode="drop")
x.at[np.array([1, 7])].set(9, mode="fill")
x.at[np.array([1, 7])].add(9, mode="clip")
x.at[np.array([1, 2])].add(9, mode="promise_in_bounds")
x.at[np.array([1, -1])].add(9, mode="promise_in_bounds")
x.at[np.array([1, 7])].min(0, mode="drop")
x.at[np.array([1, 7])].max(100, mode="clip")
x.at[np.array([1, 7])].mul(3, mode="fill")
x.at[7].add(1, mode="clip")
x.at[-7].add(1, mode="clip")
x.at[-7].add(1)
x.at[0, 7].set(1)
x.at[7, 0].get(mode="fill")
x.at[7, 0].get(mode="fill", fill_value=5)
x.at[7].get(mode="fill", fill_value=5)
x.at[7].get(mode="clip")
x.at[-9].get(mode="clip")
x.at[np.array([-1, -9])].get(mode="fill")
x.at[np.array([-1, -3])].get(mode="fill", wrap_negative_indices=False)
x.at[np.array([-1, 1])].set(0, wrap_negative_indices=False)
x.at[np.array([-1, 1])].add(1, wrap_negative_indices=False, mode="clip")
x.at[-1].set(0, wrap_negative_indices=False)
x.at[np.array([0, 0, 1])].divide(2)
x.at[np.array([0, 0, 1])].power(2)
i.at[np.array([0, 0, 1])].divide(2)
i.at[np.array([0, 0, 1])].power(2)
i.at[1].divide(2)
i.at[1].divide(2.5)
i.at[1].set(2.7)
i.at[1].add(2.7)
i.at[1].multiply(2.7)
i.at[1].set(np.float32(2.7))
x.at[1].set(2)
x.at[1].set(np.arange(4, dtype="int64"))
f.at[1].set(np.array(2, dtype="int64"))
i8.at[1].set(True)
b.at[1].set(1)
b.at[1].set(False)
b.at[1].max(True)
c.at[1].set(2.0)
c.at[1].add(1j)
c.at[1].mul(1j)
x.at[np.array([0, 0, 1])].apply(lambda t: t * 2)
x.at[np.array([0, 7, 1])].apply(lambda t: t * 2)
x.at[x > 4].apply(lambda t: t * 2)
x.at[np.array([0, 7])].apply(lambda t: t * 2, mode="clip")
x.at[::2].apply(lambda t: t * 2)
x.at[:, ::-1].set(np.arange(4.0))
x.at[::-1, 1].set(np.arange(3.0))
x.at[..., np.array([0, 5])].set(0)
x.at[None, np.array([0, 5])].set(0)
x.at[np.array([0, 5]), None, 1].add(1)
x.at[np.array([0, 1]), :, None].add(1)
x.at[np.array([[0], [5]]), np.array([1, 2])].add(1)
x.at[np.array([0, 1], dtype="uint8")].set(0)
x.at[np.array([0, 200], dtype="uint8")].set(0)
x.at[np.array([0, 100], dtype="int8")].get(mode="fill")
x.at[(0, 1)].set(3)
x.at[np.array(1)].set(3)
x.at[np.array(9)].set(3)
x.at[np.array(9)].get(mode="fill")
t.at[np.array([0, 9]), :, 1].set(0)
t.at[0, :, np.array([1, 9])].add(np.ones((2, 2)))
t.at[:, 9].set(0)
t.at[..., 9].get(mode="fill")
t.at[1, ..., np.array([0, 9])].get(mode="fill", fill_value=-2)
t.at[:, np.array([0, 9])].get(mode="fill", fill_value=-2)
t.at[np.array([0, 9]), :, np.array([0, 1])].get(mode="fill", fill_value=-2)
t.at[1:5, np.array([0, 9])].set(0)
x.at[np.array([0, 2])].set(1, indices_are_sorted=True, unique_indices=True)
x.at[np.array([0, 2])].add(1, indices_are_sorted=True, unique_indices=True)
x.at[np.array([0, 2])].get(indices_are_sorted=True, unique_indices=True)
x.at[1].set(1, mode="nonsense")
x.at[1].get(mode="nonsense")
x.at[1.0].set(1)
x.at["a"].set(1)
x.at[0, 0, 0].set(1)
x.at[0].set(np.zeros(3))
x.at[..., ...].set(1)
x.at[np.array([True, False])].set(1)
x.at[0:2].set(np.zeros((1, 4)))
f.at[1].set(np.array(2.0, dtype="float64"))
f.at[1].set(np.asarray([1, 2], dtype="float32")[0])
i8.at[1].set(np.array(3, dtype="int64"))
""".strip().splitlines()


def operands(np):
    return {"np": np, "x": np.asarray([[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]), "i": np.asarray([1, 2, 3]),
            "e": np.zeros(0), "b": np.asarray([True, False, True]), "c": np.asarray([1 + 1j, 2, 3]),
            "i8": np.asarray([1, 2], dtype="int8"), "f": np.asarray([1, 2], dtype="float32"),
            "t": np.arange(12.0).reshape(2, 2, 3)}


def outcome(line, np):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            y = eval(line, operands(np))
        except Exception as e:
            return type(e), None, None
    return y.dtype.name, numpy.array(y.tolist()).reshape(y.shape), [w.category for w in told]


@pytest.mark.parametrize("line", CALLS)
def test_at(line):
    expected, got = outcome(line, jnp), outcome(line, knp)
    assert got[0] == expected[0] and got[2] == expected[2]
    if expected[2] is not None:
        numpy.testing.assert_allclose(got[1], expected[1])


DERIVATIVES = """
x.at[np.array([0, 9]), 1].set(x[0, :2])
x.at[np.array([0, 0]), 1].add(x[0, :2])
x.at[np.array([0, 2]), 1].mul(x[0, :2], unique_indices=True)
x.at[np.array([0, 2]), 1].min(x[0, :2])
x.at[np.array([0, 9]), 1].max(x[0, :2] * 3)
x.at[np.array([0, 1]), 1].divide(x[0, :2], unique_indices=True)
x.at[np.array([0, 1]), 1].power(x[0, :2], unique_indices=True)
x.at[np.array([0, 9])].get(mode="fill", fill_value=0)
x.at[np.array([0, 9])].get(mode="clip")
x.at[np.array([0, 9])].add(x[:2], mode="clip")
x.at[x > 3].set(0)
x.at[7].set(x[0])
x.at[:, np.array([0, 9])].get(mode="fill", fill_value=1)
x.at[::-1, 1].multiply(x[:, 0])
""".strip().splitlines()


@pytest.mark.parametrize("line", DERIVATIVES)
def test_at_has_the_derivatives_of_jax(line):
    def gradient(grad, np):
        def f(x):
            return np.sum(np.sin(eval(line, {"np": np, "x": x})))
        return numpy.asarray(grad(f)(operands(np)["x"]))
    expected = gradient(jax.grad, jnp)
    numpy.testing.assert_allclose(gradient(kiln.grad, knp), expected)
    numpy.testing.assert_allclose(gradient(lambda f: kiln.jit(kiln.grad(f)), knp), expected)


def test_at_repeats_functions_under_jit():
    f = kiln.jit(lambda x, i: x.at[i].apply(lambda t: t * 2))
    assert f(knp.ones(3), knp.array([0, 0, 9])).tolist() == [4, 1, 1]


def test_at_fills_what_an_empty_array_has_not():
    assert knp.zeros(0).at[knp.array([0])].get(mode="fill", fill_value=2).tolist() == [2]


@pytest.mark.parametrize("mode", list(kiln.lax.GatherScatterMode))
def test_at_takes_modes_of_lax(mode):
    x, i = knp.zeros(3), knp.array([0, 1])
    assert x.at[i].set(1, mode=mode).tolist() == [1, 1, 0] and x.at[i].get(mode=mode).tolist() == [0, 0]


def test_at_leaves_the_array():
    x = knp.arange(3)
    x.at[0].set(9)
    assert x.tolist() == [0, 1, 2]


def test_at_refuses_floats_as_positions():
    with pytest.raises(TypeError, match="Indexer must have integer or boolean type"):
        knp.arange(3).at[knp.array([1.5])].set(0)


def test_at_inside_of_jit():
    f = kiln.jit(lambda x, v: x.at[1:].add(v))
    assert f(knp.arange(3.0), 2.0).tolist() == [0, 3, 4]


def test_at_has_derivatives():
    g = kiln.grad(lambda x: knp.sum(x.at[knp.array([0, 0])].multiply(2.0) ** 2))
    assert g(knp.arange(1.0, 4)).tolist() == [32, 4, 6]


def test_at_handles_do_not_leak():
    x = knp.arange(6.0)
    x.at[knp.array([1, 9])].add(1)
    before = kiln._core.live_count()
    for _ in range(5):
        x.at[knp.array([1, 9])].add(1), x.at[0].set(1), x.flat[2:4], x.at[9].get(mode="fill")
    assert kiln._core.live_count() == before


FLAT = """
x.flat[5]
x.flat[1:4]
x.flat[[1, 7]]
x.flat[x.flat > 3] if False else 0
len(x.flat)
list(x.flat)
x.T.flat[2]
x.flat.copy()
x.flat.base is x
x.flat == 1
""".strip().splitlines()


@pytest.mark.parametrize("line", FLAT)
def test_flat(line):
    expected, got = eval(line, operands(numpy)), eval(line, operands(knp))
    numpy.testing.assert_allclose(numpy.array(knp.asarray(got).tolist()), numpy.array(expected))


@pytest.mark.parametrize("index, value", [(3, 7), (slice(1, 9, 2), [1, 2]), ([0, 5], 9), (slice(None), 0), (-1, 5)])
def test_flat_writes(index, value):
    for transposed in (False, True):
        x, y = operands(numpy)["x"], operands(knp)["x"]
        (x.T if transposed else x).flat[index] = value
        (y.T if transposed else y).flat[index] = value
        assert y.tolist() == x.tolist()


def test_flat_is_an_iterator_that_goes_on():
    for np in (numpy, knp):
        it = np.asarray([[1, 2], [3, 4]]).flat
        assert int(next(it)) == 1 and it.index == 1 and it.coords == (0, 1)


def test_flat_assigned():
    x = knp.zeros((2, 2))
    x.flat = [1, 2]
    assert x.tolist() == [[1, 2], [1, 2]]
