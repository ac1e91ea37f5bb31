#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/conv.npz: convolutions and their gradients by JAX.

    python scripts/golden/make_conv.py tests/golden

"p 7" are the numbers of case 7: dtype (0 f32, 1 f64, 2 bf16, 3 f16, 4 c64, 5 i32, 6 i8), spatial axes, feature and batch groups, then strides,
padding below, padding above, dilations of lhs, dilations of rhs, the three specs, the shapes of lhs, rhs and the result. "v 7" has, one behind the
other, lhs, rhs, the result, and, but for integers, a cotangent of it and the gradients. Operands are small multiples of 1/8, so that results of 32
bits and more are exact. "nhwc SAME 23 21": conv_general_dilated of "nhwc x", "nhwc w" with strides (2, 3), dilations of rhs (2, 1).
"transpose SAME 23 10": conv_transpose with strides (2, 3), transpose_kernel, without use_consistent_padding; "patches ...", "local ...": the
functions of these names."""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

DTYPES = [jnp.float32, jnp.float64, jnp.bfloat16, jnp.float16, jnp.complex64, jnp.int32, jnp.int8]
rng = np.random.default_rng(0)
out = {}


def numbers(shape, dtype):
    x = rng.integers(-8, 9, shape)
    if dtype in (jnp.int32, jnp.int8):
        return jnp.asarray(x, dtype)
    x = x / 8
    if dtype == jnp.complex64:
        x = x + 1j * rng.integers(-8, 9, shape) / 8
    return jnp.asarray(x, dtype)


def stored(x):
    return np.asarray(x.astype(jnp.float32) if x.dtype == jnp.bfloat16 else x)


def place(shape, spec):
    """A shape in the order batch, feature, spatial as an array with that spec has it."""
    y = [0] * len(shape)
    for extent, axis in zip(shape, spec):
        y[axis] = int(extent)
    return y


def case(i):
    n = int(rng.choice([0, 1, 1, 2, 2, 2, 3]))
    groups, how = int(rng.choice([1, 1, 2, 3])), rng.integers(2)
    fg, bg = (groups, 1) if how else (1, groups)
    batch, feature, outs = int(rng.integers(1, 3)) * bg, int(rng.integers(1, 4)), int(rng.integers(1, 4)) * groups
    while True:
        extent = rng.integers(1, 7 if n < 3 else 5, n)
        kernel = rng.integers(1, 4, n)
        strides, ld, rd = (rng.choice([1, 1, 1, 2, 3], n) for _ in range(3))
        lo, hi = rng.integers(-1, 4, n), rng.integers(-1, 4, n)
        full = [(e - 1) * d + 1 + a + b for e, d, a, b in zip(extent, ld, lo, hi)]
        if all(f >= 0 for f in full):
            break
    specs = [[int(v) for v in rng.permutation(n + 2)] if rng.integers(2) else list(range(n + 2)) for _ in range(3)]
    dtype = int(rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 6]))
    t = DTYPES[dtype]
    x = numbers(place([batch, feature * fg, *extent], specs[0]), t)
    w = numbers(place([outs, feature, *kernel], specs[1]), t)

    def f(x, w):
        return lax.conv_general_dilated(
            x, w, [int(v) for v in strides], [(int(a), int(b)) for a, b in zip(lo, hi)], [int(v) for v in ld], [int(v) for v in rd],
            lax.ConvDimensionNumbers(*(tuple(s) for s in specs)), fg, bg)

    if dtype < 5:
        # XLA's float32 convolutions of this version are wrong for some groups with dilations; float64 is exact
        exact = jnp.complex128 if dtype == 4 else jnp.float64
        y, back = jax.vjp(f, x.astype(exact), w.astype(exact))
        ct = numbers(y.shape, t)
        arrays = [x, w, y, ct, *back(ct.astype(exact))]
    else:
        y = f(x, w)
        arrays = [x, w, y]
    stored_as = np.complex64 if dtype == 4 else np.float32
    out[f"v {i}"] = np.concatenate([np.asarray(a.astype(t).astype(stored_as)).ravel() for a in arrays])
    out[f"p {i}"] = np.array([dtype, n, fg, bg, *strides, *lo, *hi, *ld, *rd, *specs[0], *specs[1], *specs[2], *x.shape, *w.shape, *y.shape], np.int16)


for i in range(160):
    case(i)

NHWC = ("NHWC", "HWIO", "NHWC")
x, w = numbers((2, 6, 7, 4), jnp.float32), numbers((3, 2, 4, 6), jnp.float32)
out["nhwc x"], out["nhwc w"] = stored(x), stored(w)
for pad in ("SAME", "SAME_LOWER", "VALID"):
    for s in ((1, 1), (2, 3)):
        for d in ((1, 1), (2, 1)):
            y = lax.conv_general_dilated(x, w, s, pad, rhs_dilation=d, dimension_numbers=NHWC)
            out[f"nhwc {pad} {s[0]}{s[1]} {d[0]}{d[1]}"] = stored(y)
for pad in ("SAME", "VALID", ((1, 0), (2, 1))):
    for s in ((1, 1), (2, 3), (4, 1)):
        for kernel in (False, True):
            for consistent in (False, True):
                u = w.swapaxes(2, 3) if kernel else w
                y = lax.conv_transpose(x, u, s, pad, transpose_kernel=kernel, use_consistent_padding=consistent)
                out[f"transpose {pad if isinstance(pad, str) else 'PAIRS'} {s[0]}{s[1]} {int(kernel)}{int(consistent)}"] = stored(y)
out["transpose dilated"] = stored(lax.conv_transpose(x, w, (2, 2), "SAME", rhs_dilation=(1, 3)))
x1, w1 = numbers((2, 5, 3), jnp.float32), numbers((3, 3, 4), jnp.float32)
out["line x"], out["line w"] = stored(x1), stored(w1)
out["transpose line"] = stored(lax.conv_transpose(x1, w1, (2,), "SAME"))
out["patches nhwc"] = stored(lax.conv_general_dilated_patches(x, (3, 2), (2, 1), "SAME", dimension_numbers=NHWC))
out["patches default"] = stored(lax.conv_general_dilated_patches(x, (2, 2), (1, 1), ((1, 0), (0, 0)), rhs_dilation=(2, 1)))
out["patches mixed"] = stored(lax.conv_general_dilated_patches(x, (2, 3), (1, 2), ((0, 0), (1, 0)), (2, 1), dimension_numbers=("HCNW", "WOIH", "CWNH")))
for name, numbers_, shape in (("local nhwc", NHWC, (6, 7, 24, 2)), ("local mixed", ("NHWC", "WIHO", "CWNH"), (7, 24, 6, 2))):
    filter_shape = (3, 2) if name == "local nhwc" else (2, 3)
    u = numbers(shape, jnp.float32)
    out[name + " w"] = stored(u)
    out[name] = stored(lax.conv_general_dilated_local(x, u, (1, 1), "SAME", filter_shape, dimension_numbers=numbers_))
np.savez_compressed(pathlib.Path(sys.argv[1]) / "conv.npz", **out)
