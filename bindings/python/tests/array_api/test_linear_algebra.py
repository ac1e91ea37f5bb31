# SPDX-License-Identifier: Apache-2.0
"""matmul, matrix_transpose, tensordot, vecdot, and the extension linalg."""

import itertools
import math
from fractions import Fraction
from math import inf

import pytest

from .standard import (
    ALL,
    COMPLEX,
    COMPLEX_OF,
    FLOATING,
    INTEGER,
    NUMERIC,
    PRECISION,
    REAL_FLOATING,
    REAL_OF,
    SIGNED,
    dt,
    expect,
    function,
    make,
    nested,
    promoted,
    raises,
    sample,
    values,
    xp,
)

MAIN = ("matmul", "matrix_transpose", "tensordot", "vecdot")
PAIRS = [(a, b) for a in NUMERIC for b in NUMERIC if promoted(a, b)]


def near(x, want, scale=1.0, factor=64):
    """Asserts that an array is near another of its dtype."""
    assert tuple(x.shape) == tuple(want.shape), (x.shape, want.shape)
    tolerance = factor * PRECISION[[n for n in FLOATING if dt(n) == x.dtype][0]] * scale
    worst = max((abs(complex(a) - complex(b)) for a, b in zip(values(x), values(want), strict=True)), default=0.0)
    assert worst <= tolerance, (worst, tolerance)


def adjoint(x):
    return xp.conj(xp.matrix_transpose(x))


def matrices(dtype, shape):
    """Matrices of full rank, different from each other, complex where the dtype is."""
    m, n = shape[-2:]
    flat = []
    for s, position in enumerate(itertools.product(*map(range, shape))):
        i, j = position[-2:]
        value = math.sin(1.0 + 3.7 * s) + (3.0 + s % 5 if i == j else 0.0)
        flat.append(complex(value, math.cos(2.3 * s)) if dtype in COMPLEX else value)
    return xp.reshape(make(flat, dtype), shape)


def hermitian(dtype, shape):
    """Positive definite Hermitian matrices."""
    x = matrices(dtype, shape)
    return x @ adjoint(x) + xp.eye(shape[-1], dtype=dt(dtype))


def identity_like(x):
    return xp.broadcast_to(xp.eye(x.shape[-1], dtype=x.dtype), tuple(x.shape))


# ---- matmul


def product(a, b):
    """The product of two matrices of Python numbers."""
    return [[sum(p * q for p, q in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


@pytest.mark.parametrize("first, second", PAIRS)
def test_matmul_promotes(first, second):
    x, y = sample((2, 3), first, 1), sample((3, 2), second, 0)
    for call in (xp.matmul, xp.linalg.matmul):
        out = call(x, y)
        expect(out, (2, 2), promoted(first, second))
        assert nested(out) == product(nested(x), nested(y))


@pytest.mark.parametrize(
    "first, second, want",
    [
        ((3,), (3,), ()),
        ((3,), (3, 2), (2,)),
        ((2, 3), (3,), (2,)),
        ((3,), (4, 3, 2), (4, 2)),
        ((4, 2, 3), (3,), (4, 2)),
        ((2, 3), (5, 3, 4), (5, 2, 4)),
        ((5, 2, 3), (3, 4), (5, 2, 4)),
        ((5, 1, 2, 3), (6, 3, 4), (5, 6, 2, 4)),
        ((0, 3), (3, 2), (0, 2)),
        ((2, 0), (0, 3), (2, 3)),
        ((1, 2, 3), (4, 3, 1), (4, 2, 1)),
        ((0,), (0,), ()),
    ],
)
@pytest.mark.parametrize("dtype", ("int64", "float64", "complex64"))
def test_matmul_shapes(first, second, want, dtype):
    x, y = sample(first, dtype), sample(second, dtype)
    expect(xp.matmul(x, y), want, dtype)
    expect(x @ y, want, dtype)
    if 0 in first:
        assert set(values(x @ y)) <= {0}


@pytest.mark.parametrize(
    "first, second",
    [
        ((), (2,)),
        ((2,), ()),
        ((), ()),
        ((2,), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (2,)),
        ((2, 3), (2, 3)),
        ((2, 2, 3), (3, 3, 2)),
    ],
)
def test_matmul_of_what_does_not_fit(first, second):
    raises(lambda: xp.matmul(xp.ones(first), xp.ones(second)))
    raises(lambda: xp.ones(first) @ xp.ones(second))


def test_matmul_does_not_conjugate():
    expect(xp.matmul(make([1j, 2]), make([1j, 1])), (), "complex128", 1 + 0j)
    expect(xp.tensordot(make([1j, 2]), make([1j, 1]), axes=1), (), "complex128", 1 + 0j)


def test_matmul_of_stacks_by_matrices():
    x, y = sample((2, 2, 3), "int64"), sample((2, 3, 2), "int64", 5)
    expect(xp.matmul(x, y), (2, 2, 2), "int64", [product(a, b) for a, b in zip(nested(x), nested(y), strict=True)])


@pytest.mark.parametrize("dtype", ALL)
def test_matrix_transpose(dtype):
    for call in (xp.matrix_transpose, xp.linalg.matrix_transpose):
        x = sample((2, 3, 4), dtype)
        expect(call(x), (2, 4, 3), dtype, [[list(c) for c in zip(*m, strict=True)] for m in nested(x)])


def test_matrix_transpose_of_too_few_axes():
    raises(lambda: xp.matrix_transpose(xp.ones((3,))))


# ---- tensordot, vecdot


@pytest.mark.parametrize("first, second", PAIRS)
def test_tensordot_promotes(first, second):
    expect(xp.tensordot(sample((2, 3), first), sample((3, 2), second), axes=1), (2, 2), promoted(first, second))


@pytest.mark.parametrize(
    "first, second, axes, want",
    [
        ((2, 3), (4,), 0, (2, 3, 4)),
        ((2, 3), (3, 4), 1, (2, 4)),
        ((2, 3, 4), (3, 4, 5), 2, (2, 5)),
        ((2, 3), (2, 3), 2, ()),
        ((2, 3), (3, 2), ((0, 1), (1, 0)), ()),
        ((2, 3, 4), (4, 3, 5), ((1, 2), (1, 0)), (2, 5)),
        ((2, 3), (5, 3), ((-1,), (-1,)), (2, 5)),
        ((2, 3, 4), (4,), ((2,), (0,)), (2, 3)),
        ((), (), 0, ()),
        ((2, 3), (4, 5), ((), ()), (2, 3, 4, 5)),
        ((2, 0), (0, 3), 1, (2, 3)),
    ],
)
def test_tensordot(first, second, axes, want):
    x, y = sample(first, "int64", 1), sample(second, "int64", 2)
    a_axes, b_axes = axes if isinstance(axes, tuple) else (range(len(first) - axes, len(first)), range(axes))
    a_axes, b_axes = [a % len(first) for a in a_axes], [b % len(second) for b in b_axes]
    for call in (xp.tensordot, xp.linalg.tensordot):
        out = call(x, y, axes=axes)
        expect(out, want, "int64")
        free_a, free_b = (
            [i for i in range(len(first)) if i not in a_axes],
            [i for i in range(len(second)) if i not in b_axes],
        )
        a = xp.reshape(
            xp.permute_dims(x, (*free_a, *a_axes)),
            (math.prod([first[i] for i in free_a]), math.prod([first[i] for i in a_axes])),
        )
        b = xp.reshape(
            xp.permute_dims(y, (*b_axes, *free_b)),
            (math.prod([first[i] for i in a_axes]), math.prod([second[i] for i in free_b])),
        )
        assert values(out) == values(a @ b)


def test_tensordot_of_what_does_not_fit():
    raises(lambda: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=1))
    raises(lambda: xp.tensordot(xp.ones((2, 3)), xp.ones((3, 2)), axes=((0, 1), (0, 1))))
    raises(lambda: xp.tensordot(xp.ones((2, 3)), xp.ones((3, 2)), axes=((2,), (0,))))
    raises(lambda: xp.tensordot(xp.ones((2, 1)), xp.ones((3, 2)), axes=1))
    raises(lambda: xp.tensordot(xp.ones((2, 3)), xp.ones((3, 2)), axes=((0,), (0, 1))))


@pytest.mark.parametrize("first, second", PAIRS)
def test_vecdot(first, second):
    x, y = sample((2, 3), first, 1), sample((3,), second, 2)
    for call in (xp.vecdot, xp.linalg.vecdot):
        out = call(x, y)
        expect(out, (2,), promoted(first, second))
        assert values(out) == [
            sum(complex(a).conjugate() * b for a, b in zip(row, nested(y), strict=True)) for row in nested(x)
        ]


def test_vecdot_conjugates_its_first_operand():
    expect(xp.vecdot(make([1j, 2]), make([1j, 1j])), (), "complex128", 1 + 2j)


@pytest.mark.parametrize("axis, want", [(-1, (2, 3)), (-2, (2, 4)), (-3, (3, 4))])
def test_vecdot_along_axes(axis, want):
    x, y = sample((2, 3, 4), "float64"), sample((2, 3, 4), "float64", 3)
    expect(xp.vecdot(x, y, axis=axis), want, "float64", nested(xp.sum(x * y, axis=axis)), ulps=4)


def test_vecdot_broadcasts():
    assert xp.vecdot(xp.ones((4, 1, 3)), xp.ones((5, 3))).shape == (4, 5)
    expect(xp.vecdot(sample((3, 2), "float64"), sample((3, 1), "float64", 1), axis=-2), (2,), "float64", [16.0, 22.0])


def test_vecdot_of_what_does_not_fit():
    raises(lambda: xp.vecdot(xp.ones((3,)), xp.ones((4,))))
    raises(lambda: xp.vecdot(xp.ones((3,)), xp.ones((1,))))
    raises(lambda: xp.vecdot(xp.ones((2, 3)), xp.ones((4, 3))))


# ---- simple ones


@pytest.mark.parametrize("first, second", PAIRS)
def test_cross(first, second):
    x, y = make([1, 2, 3], first), make([4, 5, 7], second)
    if first in SIGNED + FLOATING and second in SIGNED + FLOATING:
        expect(xp.linalg.cross(x, y), (3,), promoted(first, second))
        assert values(xp.linalg.cross(x, y)) == [-1, 5, -3]
    else:
        expect(xp.linalg.cross(x, y), (3,), promoted(first, second))


def test_cross_broadcasts():
    x, y = make([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), make([0.0, 0.0, 1.0])
    expect(xp.linalg.cross(x, y), (2, 3), "float64", [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    assert xp.linalg.cross(xp.ones((4, 1, 3)), xp.ones((5, 3))).shape == (4, 5, 3)
    assert xp.linalg.cross(xp.ones((3, 2)), xp.ones((3, 1)), axis=-2).shape == (3, 2)


@pytest.mark.parametrize(
    "first, second", [((2,), (2,)), ((4,), (4,)), ((2,), (3,)), ((3,), (1,)), ((1, 3), (3, 1)), ((2, 3), (4, 3))]
)
def test_cross_of_what_does_not_fit(first, second):
    raises(lambda: xp.linalg.cross(xp.ones(first), xp.ones(second)))


@pytest.mark.parametrize("offset", (-3, -1, 0, 1, 2, 5))
@pytest.mark.parametrize("dtype", ALL)
def test_diagonal(dtype, offset):
    x = sample((2, 3, 4), dtype)
    want = [[m[i][i + offset] for i in range(3) if 0 <= i + offset < 4] for m in nested(x)]
    expect(xp.linalg.diagonal(x, offset=offset), (2, len(want[0])), dtype, want)


@pytest.mark.parametrize("first, second", PAIRS)
def test_outer(first, second):
    x, y = sample((2,), first, 1), sample((3,), second, 2)
    expect(xp.linalg.outer(x, y), (2, 3), promoted(first, second))
    assert nested(xp.linalg.outer(x, y)) == [[a * b for b in nested(y)] for a in nested(x)]


def test_outer_of_matrices():
    raises(lambda: xp.linalg.outer(xp.ones((2, 2)), xp.ones((2,))))


@pytest.mark.parametrize("offset", (-2, -1, 0, 1, 3, 7))
@pytest.mark.parametrize("dtype", NUMERIC)
def test_trace(dtype, offset):
    x = sample((2, 3, 4), dtype)
    result = dtype if dtype in FLOATING else "int64" if dtype in SIGNED else "uint64"
    out = xp.linalg.trace(x, offset=offset)
    expect(out, (2,), result)
    assert values(out) == [sum(m[i][i + offset] for i in range(3) if 0 <= i + offset < 4) for m in nested(x)]


def test_trace_with_a_dtype():
    expect(xp.linalg.trace(make([[200, 0], [0, 100]], "uint8"), dtype=dt("float32")), (), "float32", 300.0)
    expect(xp.linalg.trace(xp.zeros((0, 0))), (), "float64", 0.0)


@pytest.mark.parametrize("name", ("det", "inv", "cholesky", "eig", "eigh", "eigvals", "eigvalsh", "slogdet"))
def test_matrices_that_are_not_square(name):
    raises(lambda: function("linalg." + name)(xp.ones((2, 3))))
    raises(lambda: function("linalg." + name)(xp.ones((3,))))


# ---- determinants and inverses


@pytest.mark.parametrize("dtype", FLOATING)
def test_det(dtype):
    expect(xp.linalg.det(make([[1, 2], [3, 4]], dtype)), (), dtype)
    assert abs(complex(xp.linalg.det(make([[1, 2], [3, 4]], dtype))) + 2) < 1e-5
    assert xp.linalg.det(matrices(dtype, (4, 2, 3, 3))).shape == (4, 2)
    assert values(xp.linalg.det(xp.eye(3, dtype=dt(dtype)))) == [1]
    assert values(xp.linalg.det(make([[1, 2], [2, 4]], dtype))) == [0]


def test_det_by_fractions():
    rows = [[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]

    def det(m):
        if not m:
            return Fraction(1)
        return sum((-1) ** j * m[0][j] * det([row[:j] + row[j + 1 :] for row in m[1:]]) for j in range(len(m)))

    want = float(det([[Fraction(v) for v in row] for row in rows]))
    assert abs(float(xp.linalg.det(make(rows, "float64"))) - want) < 1e-12 * abs(want)


@pytest.mark.parametrize("dtype", FLOATING)
def test_slogdet(dtype):
    x = matrices(dtype, (2, 3, 3))
    out = xp.linalg.slogdet(x)
    assert out._fields == ("sign", "logabsdet")
    expect(out.sign, (2,), dtype)
    expect(out.logabsdet, (2,), REAL_OF[dtype])
    near(out.sign * xp.astype(xp.exp(out.logabsdet), dt(dtype)), xp.linalg.det(x), 100.0)
    sign, logabsdet = xp.linalg.slogdet(make([[1, 2], [2, 4]], dtype))
    assert (values(sign), values(logabsdet)) == ([0], [-inf])


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (0, 0), (0, 2, 2)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_inv(dtype, shape):
    x = matrices(dtype, shape)
    out = xp.linalg.inv(x)
    expect(out, shape, dtype)
    near(out @ x, identity_like(x))
    near(x @ out, identity_like(x))


def test_inv_of_a_singular_matrix():
    raises(lambda: xp.linalg.inv(xp.zeros((2, 2))))


@pytest.mark.parametrize("first, second", [(a, b) for a in FLOATING for b in FLOATING])
def test_solve_promotes(first, second):
    want = promoted(first, second)
    x, y = matrices(first, (3, 3)), matrices(second, (3, 2))
    out = xp.linalg.solve(x, y)
    expect(out, (3, 2), want)
    near(
        xp.astype(x, dt(want)) @ out,
        xp.astype(y, dt(want)),
        factor=64 if want in ("float64", "complex128") and first != "float32" else 64,
    )


@pytest.mark.parametrize(
    "first, second, want",
    [
        ((3, 3), (3,), (3,)),
        ((2, 3, 3), (3,), (2, 3)),
        ((3, 3), (2, 3, 1), (2, 3, 1)),
        ((2, 3, 3), (3, 2), (2, 3, 2)),
        ((4, 1, 3, 3), (2, 3, 2), (4, 2, 3, 2)),
        ((3, 3), (3, 0), (3, 0)),
        ((0, 0), (0, 2), (0, 2)),
        ((2, 2, 2), (2, 2), (2, 2, 2)),
    ],
)
def test_solve_shapes(first, second, want):
    x = matrices("float64", first)
    y = sample(second, "float64")
    out = xp.linalg.solve(x, y)
    expect(out, want, "float64")
    if len(second) == 1:
        near(xp.matmul(x, xp.expand_dims(out, axis=-1))[..., 0], xp.broadcast_to(y, want), 10.0)
    else:
        near(xp.matmul(x, out), xp.broadcast_to(y, want), 10.0)


def test_solve_of_what_does_not_fit():
    raises(lambda: xp.linalg.solve(xp.ones((2, 3)), xp.ones((2,))))
    raises(lambda: xp.linalg.solve(xp.eye(3), xp.ones((2,))))
    raises(lambda: xp.linalg.solve(xp.eye(3), xp.ones((2, 3))))


@pytest.mark.parametrize("n", (-2, -1, 0, 1, 2, 3, 5, 8))
@pytest.mark.parametrize("dtype", FLOATING)
def test_matrix_power(dtype, n):
    x = matrices(dtype, (2, 2, 2)) / 4
    out = xp.linalg.matrix_power(x, n)
    want, step = identity_like(x), x if n > 0 else xp.linalg.inv(x)
    for _ in range(abs(n)):
        want = want @ step
    expect(out, (2, 2, 2), dtype)
    near(out, want, max(1.0, *(abs(v) for v in values(want))))


# ---- decompositions


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (0, 0)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_cholesky(dtype, shape):
    x = hermitian(dtype, shape)
    for upper in (False, True):
        out = xp.linalg.cholesky(x, upper=upper)
        expect(out, shape, dtype)
        near(adjoint(out) @ out if upper else out @ adjoint(out), x, 100.0)
        assert values(out) == values(xp.triu(out) if upper else xp.tril(out))


def test_cholesky_of_an_indefinite_matrix():
    raises(lambda: xp.linalg.cholesky(make([[1.0, 2.0], [2.0, 1.0]])))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_qr(dtype, shape):
    x = matrices(dtype, shape)
    m, n = shape[-2:]
    k = min(m, n)
    for mode, inner in (("reduced", k), ("complete", m)):
        out = xp.linalg.qr(x, mode=mode)
        assert out._fields == ("Q", "R")
        expect(out.Q, (*shape[:-2], m, inner), dtype)
        expect(out.R, (*shape[:-2], inner, n), dtype)
        near(out.Q @ out.R, x, 10.0)
        near(adjoint(out.Q) @ out.Q, xp.broadcast_to(xp.eye(inner, dtype=dt(dtype)), (*shape[:-2], inner, inner)))
        assert values(out.R) == values(xp.triu(out.R))


def test_qr_in_another_mode():
    raises(lambda: xp.linalg.qr(xp.ones((2, 2)), mode="thin"))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_svd(dtype, shape):
    x = matrices(dtype, shape)
    m, n = shape[-2:]
    k = min(m, n)
    for full in (True, False):
        out = xp.linalg.svd(x, full_matrices=full)
        assert out._fields == ("U", "S", "Vh")
        expect(out.U, (*shape[:-2], m, m if full else k), dtype)
        expect(out.S, (*shape[:-2], k), REAL_OF[dtype])
        expect(out.Vh, (*shape[:-2], n if full else k, n), dtype)
        s = xp.astype(out.S, dt(dtype))
        near((out.U[..., :k] * xp.expand_dims(s, axis=-2)) @ out.Vh[..., :k, :], x, 10.0)
        near(
            adjoint(out.U) @ out.U,
            xp.broadcast_to(xp.eye(out.U.shape[-1], dtype=dt(dtype)), (*shape[:-2],) + (out.U.shape[-1],) * 2),
        )
        near(
            out.Vh @ adjoint(out.Vh),
            xp.broadcast_to(xp.eye(out.Vh.shape[-2], dtype=dt(dtype)), (*shape[:-2],) + (out.Vh.shape[-2],) * 2),
        )
        rows = values(out.S)
        assert all(v >= 0 for v in rows)
        assert all(a >= b for i in range(0, len(rows), k) for a, b in itertools.pairwise(rows[i : i + k]))
    expect(xp.linalg.svdvals(x), (*shape[:-2], k), REAL_OF[dtype])
    near(xp.linalg.svdvals(x), xp.linalg.svd(x).S, 10.0)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (0, 0)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_eigh(dtype, shape):
    x = hermitian(dtype, shape)
    out = xp.linalg.eigh(x)
    assert out._fields == ("eigenvalues", "eigenvectors")
    expect(out.eigenvalues, shape[:-1], REAL_OF[dtype])
    expect(out.eigenvectors, shape, dtype)
    scaled = out.eigenvectors * xp.expand_dims(xp.astype(out.eigenvalues, dt(dtype)), axis=-2)
    near(scaled @ adjoint(out.eigenvectors), x, 100.0)
    near(adjoint(out.eigenvectors) @ out.eigenvectors, identity_like(x))
    only = xp.linalg.eigvalsh(x)
    expect(only, shape[:-1], REAL_OF[dtype])
    near(xp.sort(only), xp.sort(out.eigenvalues), 100.0)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_eig(dtype, shape):
    """The eigenvalues are complex, whatever the matrix."""
    x = matrices(dtype, shape)
    out = xp.linalg.eig(x)
    assert out._fields == ("eigenvalues", "eigenvectors")
    expect(out.eigenvalues, shape[:-1], COMPLEX_OF[dtype])
    expect(out.eigenvectors, shape, COMPLEX_OF[dtype])
    near(
        xp.astype(x, dt(COMPLEX_OF[dtype])) @ out.eigenvectors,
        out.eigenvectors * xp.expand_dims(out.eigenvalues, axis=-2),
        30.0,
    )


@pytest.mark.parametrize("dtype", FLOATING)
def test_eigvals(dtype):
    for rows, want in (([[2, 0], [0, 3]], [2, 3]), ([[0, -1], [1, 0]], [-1j, 1j])):
        out = xp.linalg.eigvals(make(rows, dtype))
        expect(out, (2,), COMPLEX_OF[dtype])
        assert all(
            abs(a - b) < 1e-5
            for a, b in zip(sorted(values(out), key=lambda z: (round(z.real, 3), z.imag)), want, strict=True)
        )


# ---- ranks, pinv, norms


@pytest.mark.parametrize("dtype", FLOATING)
def test_matrix_rank(dtype):
    x = make([[[1, 0], [0, 1]], [[1, 2], [2, 4]], [[0, 0], [0, 0]]], dtype)
    expect(xp.linalg.matrix_rank(x), (3,), "int64", [2, 1, 0])
    expect(xp.linalg.matrix_rank(matrices(dtype, (4, 2))), (), "int64", 2)
    y = make([[1, 0], [0, 0.01]], dtype)
    expect(xp.linalg.matrix_rank(y, rtol=0.1), (), "int64", 1)
    expect(xp.linalg.matrix_rank(y, rtol=0.001), (), "int64", 2)


def test_matrix_rank_with_an_array():
    x = make([[[1.0, 0.0], [0.0, 0.01]]] * 2)
    expect(xp.linalg.matrix_rank(x, rtol=make([0.1, 0.001])), (2,), "int64", [1, 2])


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)], ids=str)
@pytest.mark.parametrize("dtype", FLOATING)
def test_pinv(dtype, shape):
    x = matrices(dtype, shape)
    out = xp.linalg.pinv(x)
    expect(out, (*shape[:-2], shape[-1], shape[-2]), dtype)
    near(x @ out @ x, x, 10.0)
    near(out @ x @ out, out, 10.0)


def test_pinv_with_a_tolerance():
    x = make([[1.0, 0.0], [0.0, 0.01]])
    near(xp.linalg.pinv(x, rtol=0.1), make([[1.0, 0.0], [0.0, 0.0]]))
    near(xp.linalg.pinv(x), make([[1.0, 0.0], [0.0, 100.0]]), 100.0)
    both = xp.linalg.pinv(xp.stack([x, x]), rtol=make([0.1, 0.001]))
    near(both, make([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 100.0]]]), 100.0)


NORMS = ("fro", "nuc", 1, 2, inf, -1, -2, -inf)


@pytest.mark.parametrize("keepdims", (False, True))
@pytest.mark.parametrize("order", NORMS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_matrix_norm(dtype, order, keepdims):
    x = matrices(dtype, (2, 3, 2))
    out = xp.linalg.matrix_norm(x, ord=order, keepdims=keepdims)
    expect(out, (2, 1, 1) if keepdims else (2,), REAL_OF[dtype])
    size, s = xp.abs(x), xp.linalg.svdvals(x)
    want = {
        "fro": lambda: xp.sqrt(xp.sum(size * size, axis=(1, 2))),
        "nuc": lambda: xp.sum(s, axis=1),
        1: lambda: xp.max(xp.sum(size, axis=1), axis=1),
        -1: lambda: xp.min(xp.sum(size, axis=1), axis=1),
        inf: lambda: xp.max(xp.sum(size, axis=2), axis=1),
        -inf: lambda: xp.min(xp.sum(size, axis=2), axis=1),
        2: lambda: xp.max(s, axis=1),
        -2: lambda: xp.min(s, axis=1),
    }[order]()
    near(xp.reshape(out, (2,)), want, 10.0)


def test_matrix_norm_of_a_vector():
    raises(lambda: xp.linalg.matrix_norm(xp.ones((3,))))


@pytest.mark.parametrize("order", (1, 2, inf, 3, 2.5, 0, -1, -2, -inf, 0.5))
@pytest.mark.parametrize("dtype", FLOATING)
def test_vector_norm(dtype, order):
    x = make([[3, -4, 1], [2, 1, -2]], dtype)
    size = [[abs(v) for v in row] for row in nested(x)]

    def norm(group):
        if order == 0:
            return float(sum(1 for v in group if v))
        if abs(order) == inf:
            return max(group) if order > 0 else min(group)
        return sum(v**order for v in group) ** (1 / order)

    expect(xp.linalg.vector_norm(x, ord=order), (), REAL_OF[dtype], norm(size[0] + size[1]), ulps=32)
    expect(xp.linalg.vector_norm(x, ord=order, axis=1), (2,), REAL_OF[dtype], [norm(row) for row in size], ulps=32)
    expect(xp.linalg.vector_norm(x, ord=order, axis=(0, 1)), (), REAL_OF[dtype], norm(size[0] + size[1]), ulps=32)
    expect(
        xp.linalg.vector_norm(x, ord=order, axis=0, keepdims=True),
        (1, 3),
        REAL_OF[dtype],
        [[norm(c) for c in zip(*size, strict=True)]],
        ulps=32,
    )
    expect(
        xp.linalg.vector_norm(x, ord=order, keepdims=True), (1, 1), REAL_OF[dtype], [[norm(size[0] + size[1])]], ulps=32
    )


def test_vector_norm_of_several_axes():
    x = sample((2, 3, 4), "float64")
    expect(xp.linalg.vector_norm(x, axis=(0, 2)), (3,), "float64", nested(xp.sqrt(xp.sum(x * x, axis=(0, 2)))), ulps=8)
    expect(xp.linalg.vector_norm(x, axis=(-1, 1), keepdims=True), (2, 1, 1), "float64")
    expect(xp.linalg.vector_norm(make(-3.0)), (), "float64", 3.0)


def test_main_functions_are_in_the_extension():
    for name in MAIN:
        assert callable(getattr(xp.linalg, name))


@pytest.mark.parametrize("dtype", INTEGER)
def test_products_of_integers_are_exact(dtype):
    x = make([[1, 2], [3, 4]], dtype)
    assert nested(xp.matmul(x, x)) == [[7, 10], [15, 22]]
    assert values(xp.tensordot(x, x)) == [30]
    assert values(xp.vecdot(x, x)) == [5, 25]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_big_integers_in_matmul(dtype):
    big = 2.0**20
    expect(make([[big, 1.0]], dtype) @ make([[1.0], [1.0]], dtype), (1, 1), dtype, [[big + 1]])
