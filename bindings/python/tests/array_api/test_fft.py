# SPDX-License-Identifier: Apache-2.0
"""The extension fft, judged by the sums that define the transforms."""

import cmath
import itertools
import math

import pytest

from .standard import (
    COMPLEX,
    COMPLEX_OF,
    FLOATING,
    NUMERIC,
    PRECISION,
    REAL_FLOATING,
    REAL_OF,
    dt,
    expect,
    function,
    make,
    nested,
    raises,
    sample,
    values,
    xp,
)

SIZES = (1, 2, 3, 4, 5, 8, 12)
NORMS = ("backward", "ortho", "forward")


def signal(n, dtype, start=0):
    flat = [math.sin(1.3 * i + start) + 0.2 * i for i in range(n)]
    if dtype in COMPLEX:
        flat = [complex(v, math.cos(2.1 * i)) for i, v in enumerate(flat)]
    return make(flat, dtype)


def fitted(plain, n):
    """Cut or filled up with zeros to n elements."""
    return (plain + [0.0] * n)[:n]


def transform(plain, sign, norm):
    """The sum that defines a transform: sign -1 forward, +1 inverse."""
    n = len(plain)
    factor = {
        "backward": 1.0 if sign < 0 else 1.0 / n,
        "ortho": 1.0 / math.sqrt(n),
        "forward": 1.0 / n if sign < 0 else 1.0,
    }[norm]
    return [factor * sum(v * cmath.exp(sign * 2j * math.pi * j * k / n) for j, v in enumerate(plain)) for k in range(n)]


def near(x, want, dtype):
    assert x.dtype == dt(dtype), (x.dtype, dtype)
    got = values(x)
    assert len(got) == len(want), (len(got), len(want))
    scale = max(1.0, *(abs(v) for v in want))
    worst = max(abs(a - b) for a, b in zip(got, want, strict=True))
    assert worst <= 32 * PRECISION[dtype] * scale, worst


def hermitian(half, n):
    """The n values of a signal with Hermitian symmetry of which the first n // 2 + 1 are given."""
    half = fitted(half, n // 2 + 1)
    half = [complex(half[0].real, 0.0), *half[1:]]
    if n % 2 == 0 and n > 1:
        half[n // 2] = complex(half[n // 2].real, 0.0)
    return [half[k] if k <= n // 2 else half[n - k].conjugate() for k in range(n)]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ("fft", "ifft"))
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_transforms(dtype, name, norm):
    sign = -1 if name == "fft" else 1
    for m in SIZES:
        x = signal(m, dtype)
        near(function("fft." + name)(x, norm=norm), transform(values(x), sign, norm), dtype)
        for n in (1, 2, m + 3):
            near(function("fft." + name)(x, n=n, norm=norm), transform(fitted(values(x), n), sign, norm), dtype)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_rfft_and_ihfft(dtype, norm):
    for m in SIZES:
        x = signal(m, dtype)
        for n in (None, 1, 2, m + 3):
            plain = fitted(values(x), n or m)
            k = (n or m) // 2 + 1
            near(xp.fft.rfft(x, n=n, norm=norm), transform(plain, -1, norm)[:k], COMPLEX_OF[dtype])
            near(xp.fft.ihfft(x, n=n, norm=norm), transform(plain, 1, norm)[:k], COMPLEX_OF[dtype])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_irfft_and_hfft(dtype, norm):
    for m in SIZES[1:]:
        x = signal(m, dtype)
        for n in (None, 1, 2, 2 * m - 1, 2 * m + 3):
            whole = hermitian(values(x), 2 * (m - 1) if n is None else n)
            near(xp.fft.irfft(x, n=n, norm=norm), [v.real for v in transform(whole, 1, norm)], REAL_OF[dtype])
            near(xp.fft.hfft(x, n=n, norm=norm), [v.real for v in transform(whole, -1, norm)], REAL_OF[dtype])


@pytest.mark.parametrize("axis, shape", [(0, (2, 3, 4)), (1, (2, 3, 4)), (-1, (2, 3, 4)), (-3, (2, 3, 4))])
def test_transforms_along_axes(axis, shape):
    x = sample(shape, "complex128")
    moved = xp.moveaxis(x, axis, -1)
    want = [v for row in nested(xp.reshape(moved, (-1, moved.shape[-1]))) for v in transform(row, -1, "backward")]
    near(xp.moveaxis(xp.fft.fft(x, axis=axis), axis, -1), want, "complex128")
    assert xp.fft.fft(x, axis=axis, n=5).shape == tuple(5 if i == axis % 3 else n for i, n in enumerate(shape))
    y = xp.real(x)
    assert xp.fft.rfft(y, axis=axis).shape == tuple(n // 2 + 1 if i == axis % 3 else n for i, n in enumerate(shape))
    assert xp.fft.irfft(x, axis=axis).shape == tuple(2 * (n - 1) if i == axis % 3 else n for i, n in enumerate(shape))
    assert xp.fft.hfft(x, axis=axis, n=7).shape == tuple(7 if i == axis % 3 else n for i, n in enumerate(shape))
    assert xp.fft.ihfft(y, axis=axis).shape == tuple(n // 2 + 1 if i == axis % 3 else n for i, n in enumerate(shape))


SEVERAL = [
    (None, None),
    (None, (0, 1)),
    (None, (-1,)),
    ((4, 2), (0, 2)),
    ((3, 3, 3), (0, 1, 2)),
    ((5,), (1,)),
    ((2, 6), (-1, 0)),
]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("s, axes", SEVERAL, ids=str)
def test_transforms_of_several_axes(s, axes, norm):
    x = sample((2, 3, 4), "complex128")
    over = tuple(range(3)) if axes is None else axes
    sizes = [x.shape[a] for a in over] if s is None else s
    for name, one in (("fftn", xp.fft.fft), ("ifftn", xp.fft.ifft)):
        want = x
        for n, axis in zip(sizes, over, strict=True):
            want = one(want, n=n, axis=axis, norm=norm)
        out = function("fft." + name)(x, s=s, axes=axes, norm=norm)
        expect(out, want.shape, "complex128")
        near(out, values(want), "complex128")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("s, axes", SEVERAL, ids=str)
def test_real_transforms_of_several_axes(s, axes, norm):
    x = sample((2, 3, 4), "float64")
    over = tuple(range(3)) if axes is None else axes
    sizes = [x.shape[a] for a in over] if s is None else s
    want = xp.fft.rfft(x, n=sizes[-1], axis=over[-1], norm=norm)
    for n, axis in zip(sizes[:-1], over[:-1], strict=True):
        want = xp.fft.fft(want, n=n, axis=axis, norm=norm)
    out = xp.fft.rfftn(x, s=s, axes=axes, norm=norm)
    expect(out, want.shape, "complex128")
    near(out, values(want), "complex128")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("s, axes", SEVERAL, ids=str)
def test_inverse_real_transforms_of_several_axes(s, axes, norm):
    x = sample((2, 3, 4), "complex128")
    over = tuple(range(3)) if axes is None else axes
    sizes = [*(x.shape[a] for a in over[:-1]), 2 * (x.shape[over[-1]] - 1)] if s is None else s
    want = x
    for n, axis in zip(sizes[:-1], over[:-1], strict=True):
        want = xp.fft.ifft(want, n=n, axis=axis, norm=norm)
    want = xp.fft.irfft(want, n=sizes[-1], axis=over[-1], norm=norm)
    out = xp.fft.irfftn(x, s=s, axes=axes, norm=norm)
    expect(out, want.shape, "float64")
    near(out, values(want), "float64")


@pytest.mark.parametrize("dtype", FLOATING)
def test_round_trips(dtype):
    x = xp.reshape(signal(24, dtype), (4, 6))
    if dtype in COMPLEX:
        near(xp.fft.ifft(xp.fft.fft(x)), values(x), dtype)
        near(xp.fft.ifftn(xp.fft.fftn(x, norm="ortho"), norm="ortho"), values(x), dtype)
    else:
        near(xp.fft.irfft(xp.fft.rfft(x)), values(x), dtype)
        near(xp.fft.irfftn(xp.fft.rfftn(x)), values(x), dtype)
        near(xp.fft.hfft(xp.fft.ihfft(x)), values(x), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_dtypes_of_transforms(dtype):
    x = sample((2, 4), dtype)
    for name in ("fft", "ifft", "fftn", "ifftn", "fftshift", "ifftshift"):
        assert function("fft." + name)(x).dtype == dt(dtype), name
    for name in ("irfft", "irfftn", "hfft"):
        assert function("fft." + name)(x).dtype == dt(REAL_OF[dtype]), name
    for name in ("rfft", "rfftn", "ihfft"):
        assert function("fft." + name)(xp.real(x)).dtype == dt(dtype), name


@pytest.mark.parametrize("n", (1, 2, 3, 8, 9))
@pytest.mark.parametrize("d", (1.0, 0.25, 3.0))
def test_frequencies(n, d):
    whole = [k if k < (n + 1) // 2 else k - n for k in range(n)]
    expect(xp.fft.fftfreq(n, d=d), (n,), "float64", [k / (d * n) for k in whole], ulps=2)
    expect(xp.fft.rfftfreq(n, d=d), (n // 2 + 1,), "float64", [k / (d * n) for k in range(n // 2 + 1)], ulps=2)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ("fftfreq", "rfftfreq"))
def test_frequencies_with_a_dtype(name, dtype):
    expect(function("fft." + name)(4, dtype=dt(dtype)), None, dtype)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("n", (1, 4, 5))
def test_shifts(n, dtype):
    x = sample((n,), dtype)
    plain = values(x)
    expect(xp.fft.fftshift(x), (n,), dtype, plain[(n + 1) // 2 :] + plain[: (n + 1) // 2])
    expect(xp.fft.ifftshift(x), (n,), dtype, plain[n // 2 :] + plain[: n // 2])


@pytest.mark.parametrize("axes", (None, 0, -1, (0,), (1, 2), (0, 1, 2)), ids=str)
def test_shifts_along_axes(axes):
    x = sample((2, 3, 5), "float64")
    over = range(3) if axes is None else [a % 3 for a in (axes if isinstance(axes, tuple) else (axes,))]
    want, back = x, x
    for axis in over:
        want, back = xp.roll(want, x.shape[axis] // 2, axis=axis), xp.roll(back, -(x.shape[axis] // 2), axis=axis)
    expect(xp.fft.fftshift(x, axes=axes), (2, 3, 5), "float64", nested(want))
    expect(xp.fft.ifftshift(x, axes=axes), (2, 3, 5), "float64", nested(back))
    expect(xp.fft.ifftshift(xp.fft.fftshift(x, axes=axes), axes=axes), (2, 3, 5), "float64", nested(x))


@pytest.mark.parametrize("name", ("fft", "ifft", "irfft", "hfft"))
def test_errors_of_complex_transforms(name):
    x, call = sample((2, 3), "complex128"), function("fft." + name)
    for wrong in ({"axis": 2}, {"axis": -3}, {"norm": "unit"}, {"n": 0}, {"n": -2}):
        raises(lambda: call(x, **wrong))  # noqa: B023
    raises(lambda: call(make(1j)))


@pytest.mark.parametrize("name", ("fftn", "ifftn", "irfftn"))
def test_errors_of_transforms_of_several_axes(name):
    x, call = sample((2, 3), "complex128"), function("fft." + name)
    for wrong in ({"axes": (2,)}, {"axes": (0, -3)}, {"norm": "unit"}, {"s": (2, 3), "axes": (0,)}):
        raises(lambda: call(x, **wrong))  # noqa: B023


def test_all_pairs_of_sizes_give_the_shapes():
    for m, n in itertools.product((2, 3, 4), (1, 2, 5)):
        x = sample((m, 2), "complex128")
        assert xp.fft.fft(x, n=n, axis=0).shape == (n, 2)
        assert xp.fft.irfft(x, n=n, axis=0).shape == (n, 2)
