# SPDX-License-Identifier: Apache-2.0
"""Tolerances of matrix_rank and pinv: one number, or one for each matrix of a stack, as NumPy takes them."""
import numpy
import pytest

import kiln
import kiln.numpy as knp

CALLS = """
np.linalg.matrix_rank(A, rtol=np.asarray([1e-3, 1e-5, 1e-9]))
np.linalg.matrix_rank(A, rtol=np.asarray([[1e-3], [1e-5]]))
np.linalg.matrix_rank(A, rtol=1e-3)
np.linalg.matrix_rank(A, rtol=np.asarray(1e-3))
np.linalg.matrix_rank(A, tol=np.asarray([1e-3, 1e-5, 1e-9]))
np.linalg.matrix_rank(A, tol=np.asarray([[1e-3, 1e-5, 1e-9],[.1,.2,.3]]))
np.linalg.matrix_rank(A, rtol=[1e-3, 1e-5, 1e-9])
np.linalg.matrix_rank(A, tol=1e-3)
np.linalg.matrix_rank(A, tol=1e-3, rtol=1e-3)
np.linalg.matrix_rank(H, rtol=np.asarray([1e-3, 1e-5, 1e-9]), hermitian=True)
np.linalg.matrix_rank(A[0, 0], rtol=np.asarray([1e-3, 1e-9]))
np.linalg.matrix_rank(A[0, 0], tol=np.asarray([1e-3, 1e-9]))
np.linalg.matrix_rank(A[0], rtol=np.asarray([[1e-3], [1e-9]]))
np.linalg.matrix_rank(A[0], rtol=np.asarray([1e-3, 1e-9]))
np.linalg.matrix_rank(np.asarray([1., 2]), rtol=1.)
np.linalg.pinv(A, rtol=np.asarray([1e-3, 1e-5, 1e-9]))
np.linalg.pinv(A, rcond=np.asarray([1e-3, 1e-5, 1e-9]))
np.linalg.pinv(A, rtol=np.asarray([[1e-3], [1e-5]]))
np.linalg.pinv(A, rtol=1e-3)
np.linalg.pinv(A, rcond=1e-3)
np.linalg.pinv(A, np.asarray(1e-3))
np.linalg.pinv(A, rcond=1e-3, rtol=1e-3)
np.linalg.pinv(H, rtol=np.asarray([1e-3, 1e-5, 1e-9]), hermitian=True)
np.linalg.pinv(C, rtol=np.asarray([1e-3, 1e-5, 1e-9]))
np.linalg.pinv(A[0], rtol=np.asarray([1e-3, 1e-9]))
np.linalg.pinv(A[:, :, :2], rtol=np.asarray([1e-3, 1e-9, 1e-1]))
np.linalg.pinv(A[:, :, :, :2], rtol=np.asarray([1e-3, 1e-9, 1e-1]))
np.linalg.pinv(A.astype("float32"), rtol=np.asarray([1e-2, 1e-2, 1e-1]))
np.linalg.matrix_rank(A.astype("float32"), rtol=np.asarray([1e-3, 1e-9, 1e-1]))
np.linalg.pinv(np.zeros((3, 0, 2)), rtol=np.asarray([1e-3, 1e-9, 1e-1]))
np.linalg.matrix_rank(np.zeros((3, 0, 2)), rtol=np.asarray([1e-3, 1e-9, 1e-1]))
""".strip().splitlines()


def operands(np):
    rng = numpy.random.default_rng(0)
    a = rng.normal(size=(2, 3, 4, 4))
    a[0, 0, 3] = a[0, 0, 2] * 1.0001
    a[1, 1] *= numpy.array([1, 1e-2, 1e-4, 1e-8])
    a[0, 1, 0] = 0
    made = {"A": a, "H": a + a.swapaxes(-1, -2), "C": a + 1j * rng.normal(size=a.shape)}
    return {k: np.asarray(v) for k, v in made.items()} | {"np": np}


def outcome(line, np):
    try:
        return numpy.asarray(eval(line, operands(np)))
    except Exception as e:
        return type(e).__name__


@pytest.mark.parametrize("line", CALLS)
def test_tolerances(line):
    expected, got = outcome(line, numpy), outcome(line, knp)
    if isinstance(expected, str):
        assert got == expected
        return
    assert got.shape == expected.shape and got.dtype == expected.dtype
    numpy.testing.assert_allclose(got, expected, rtol=1e-3 if got.dtype == "float32" else 1e-7, atol=1e-7)


def test_a_pseudo_inverse_with_tolerances_has_a_derivative():
    a, rtol = operands(knp)["A"][0], knp.asarray([1e-9, 1e-9, 1e-9])
    expected = kiln.grad(lambda x: knp.sum(knp.linalg.pinv(x, rtol=1e-9) ** 2))(a[2])
    got = kiln.jit(kiln.grad(lambda x: knp.sum(knp.linalg.pinv(x, rtol=rtol) ** 2)))(a)[2]
    numpy.testing.assert_allclose(got, expected, rtol=1e-6)
