# SPDX-License-Identifier: Apache-2.0
"""x.at[index].set(v) and its kin give what JAX gives; x.flat what NumPy gives."""
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
""".strip().splitlines()


def operands(np):
    return {"np": np, "x": np.asarray([[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]), "i": np.asarray([1, 2, 3])}


@pytest.mark.parametrize("line", CALLS)
def test_at(line):
    expected, got = eval(line, operands(jnp)), eval(line, operands(knp))
    assert got.dtype.name == expected.dtype.name
    numpy.testing.assert_allclose(numpy.array(got.tolist()), numpy.array(expected))


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
