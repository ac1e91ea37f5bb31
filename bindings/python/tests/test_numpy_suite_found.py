# SPDX-License-Identifier: Apache-2.0
"""What NumPy's own tests have found (numpy_suite.py): NumPy is the referee."""
import numpy
import pytest

import kiln
import kiln.numpy as np


@pytest.mark.parametrize("text", [
    "m.logspace(0, 6)", "m.geomspace(1, 1e6)", "m.einsum(m.ones(3), m.array([0]), [])", "m.mgrid[0:5:m.complex64(3j)]",
    "m.r_[0:36:m.complex64(100j)]", "m.interp([-m.inf], [-m.inf] * 3, [0., 4, 9])", "m.complex64(1, m.nan)", "m.float32()",
])
def test_value(text):
    ours, theirs = eval(text, {"m": np}), eval(text, {"m": numpy})
    numpy.testing.assert_allclose(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("text", [
    "m.einsum(m.ones(3), [60])", "m.einsum(m.ones(3), [-1])", "m.einsum(5)", "m.einsum('a', 0, out='test')", "m.pad([1, 2], '3')",
    "m.pad([1, 2], None)", "m.einsum(m.ones(3), [0], out=m.zeros(()))", "m.einsum(m.ones((2, 3)), [True, 1])",
    "m.zeros(3).flags['Q']", "m.float32.newbyteorder('q') if m.__name__ != 'numpy' else m.dtype('f4').newbyteorder('q')",
])
def test_error(text):
    with pytest.raises(Exception) as theirs:
        eval(text, {"m": numpy})
    with pytest.raises(type(theirs.value)) as ours:
        eval(text, {"m": np})
    assert str(theirs.value).rstrip(".") in str(ours.value)


@pytest.mark.parametrize("name", [n for n in dir(numpy.zeros(1).flags) if not n.startswith("_")])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 1)])
@pytest.mark.parametrize("transposed", [False, True])
def test_flags(name, shape, transposed):
    ours, theirs = np.zeros(shape), numpy.zeros(shape)
    if transposed:
        ours, theirs = ours.T, theirs.T
    assert getattr(ours.flags, name) == getattr(theirs.flags, name)
    assert repr(ours.flags) == repr(theirs.flags)


def test_flags_can_be_set():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError):
        x[0] = 1


def test_another_shape_in_place():
    x = np.arange(6)
    v = x[:]
    x.shape = 2, -1
    v.shape = 3, 2
    v[2, 0] = 9
    assert x.tolist() == [[0, 1, 2], [3, 9, 5]] and v.tolist() == [[0, 1], [2, 3], [9, 5]]
    with pytest.raises(AttributeError, match="Incompatible shape for in-place modification"):
        np.arange(6).reshape(2, 3).T.shape = 6
    with pytest.raises(ValueError, match="cannot reshape array of size 6"):
        x.shape = 5


def test_another_shape_in_place_in_a_trace():
    def f(x):
        y = x * 2
        y.shape = 3, 2
        return y
    assert kiln.jit(f)(np.arange(6)).tolist() == [[0, 2], [4, 6], [8, 10]]


def test_elements_are_instances_of_their_dtypes():
    i, f = np.arange(3)[0], np.ones(2)[0]
    assert isinstance(i, np.int64) and isinstance(i, np.integer) and not isinstance(i, np.floating)
    assert isinstance(f, (int, np.float64)) and isinstance(f, np.generic) and not isinstance(np.arange(3), np.int64)


def test_numpy_takes_dtypes():
    assert numpy.zeros(2, dtype=np.float32).dtype == numpy.float32
    assert numpy.dtype(np.bfloat16).name == "bfloat16"


@pytest.mark.parametrize("d", ["float16", "float32", "float64"])
def test_limits_of_classes(d):
    assert np.finfo(getattr(numpy, d)).eps == numpy.finfo(d).eps
    assert np.iinfo(numpy.int8).max == 127


def test_defaults_of_random_arguments():
    key = kiln.random.key(0)
    assert kiln.random.bernoulli(key).tolist() == kiln.random.bernoulli(key, 0.5).tolist()
    assert kiln.random.lognormal(key).tolist() == kiln.random.lognormal(key, 1.0).tolist()
    assert kiln.random.bernoulli(key, shape=(2,)).shape == kiln.random.lognormal(key, shape=(2,)).shape == (2,)


def test_clip_casts_as_it_is_told():
    out = np.zeros(3, dtype=np.int32)
    with pytest.raises(TypeError, match="same_kind"):
        np.clip(np.array([0.5, 2.5, 9.0]), 1, 3, out=out)
    assert np.clip(np.array([0.5, 2.5, 9.0]), 1, 3, out=out, casting="unsafe") is out
    assert out.tolist() == [1, 2, 3]
    np.clip(np.array([9, 9, 9], dtype=np.int32), 0, 5, out=out, where=np.array([True, False, True]))
    assert out.tolist() == [5, 2, 5]


def test_clip_refuses_what_it_does_not_know():
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        np.clip(np.ones(2), 0, 1, speed=3)


@pytest.mark.parametrize("value", [0.5, 1.5, -2.5, 7.49])
def test_round_of_a_number_is_pythons(value):
    assert round(np.array(value)) == round(value) and isinstance(round(np.array(value)), int)


def test_round_of_an_array_has_digits():
    assert round(np.array([1.25, 2.789]), 1).tolist() == [1.2, 2.8]


@pytest.mark.parametrize("optimize", [False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)]])
def test_three_operands_of_einsum(optimize):
    a, b, c = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4), numpy.arange(8.0).reshape(4, 2)
    ours = np.einsum("ij,jk,kl->il", np.asarray(a), np.asarray(b), np.asarray(c), optimize=optimize)
    assert ours.tolist() == numpy.einsum("ij,jk,kl->il", a, b, c, optimize=optimize).tolist()
    path, text = np.einsum_path("ij,jk,kl->il", np.asarray(a), np.asarray(b), np.asarray(c), optimize=optimize)
    assert path == numpy.einsum_path("ij,jk,kl->il", a, b, c, optimize=optimize)[0] and "Complete contraction" in text


def test_einsum_takes_three_operands_as_it_is():
    assert float(np.einsum("i,i,i", [1.0, 2], [3.0, 4], [5.0, 6])) == 63


@pytest.mark.parametrize("f", [np.var, np.std, np.nanvar, np.nanstd])
def test_one_of_ddof_and_correction(f):
    with pytest.raises(ValueError, match="ddof and correction can't be provided simultaneously."):
        f(np.ones(3), ddof=0.5, correction=0.5)
