#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package beside JAX (CPU, x64): results, gradients, batches, scans, random numbers and typed jaxpr texts of the same
functions. `python tests/referee_jax.py` prints what differs, and how many cases there were; pytest runs it from
test_referee_jax.py, where jax is installed.

A case is written once, as a function of (np, lax, nn, special, ...), which are jax's modules or kiln's."""
import os
import pickle
import re
import sys
from types import SimpleNamespace

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
os.environ.setdefault("JAX_ENABLE_X64", "1")
import numpy

import jax
import jax.flatten_util
import jax.numpy
import jax.scipy.linalg
import jax.scipy.signal
import jax.scipy.special
import jax.scipy.fft
import jax.ops

import kiln
import kiln.numpy

JAX = SimpleNamespace(api=jax, np=jax.numpy, lax=jax.lax, nn=jax.nn, special=jax.scipy.special, linalg=jax.scipy.linalg,
                      la=jax.numpy.linalg, fft=jax.numpy.fft, random=jax.random, signal=jax.scipy.signal, ops=jax.ops)
KILN = SimpleNamespace(api=kiln, np=kiln.numpy, lax=kiln.lax, nn=kiln.nn, special=kiln.scipy.special,
                       linalg=kiln.scipy.linalg, la=getattr(kiln.numpy, "linalg", None), fft=getattr(kiln.numpy, "fft", None),
                       random=kiln.random, signal=kiln.scipy.signal, ops=kiln.ops)

R = numpy.random.default_rng(7)
V = R.uniform(0.2, 0.8, 6)  # inside of every function's domain
W = R.uniform(0.2, 0.8, 6)
S = R.standard_normal((4, 6))
M = R.standard_normal((4, 4)) + 4 * numpy.eye(4)
P = M @ M.T
I = numpy.array([3, 1, 4, 1, 5, 9])
J = numpy.array([2, 7, 1, 8, 2, 8])
B = numpy.array([True, False, True, True, False, False])
C = R.standard_normal(6) + 1j * R.standard_normal(6)
IMAGE = R.standard_normal((2, 3, 6, 6))
KERNEL = R.standard_normal((4, 3, 3, 3))


class Case:
    """A function of modules and arrays; what is asked of it: results, a gradient by the first argument, a batch over the
    first one's first axis, a jaxpr."""

    def __init__(self, name, f, args, grad=True, batch=True, tol=1e-10, text=True):
        self.name, self.f, self.args, self.tol = name, f, args, tol
        self.grad, self.batch, self.text = grad, batch, text


CASES = []


def case(name, f, *args, **options):
    CASES.append(Case(name, f, args, **options))


def elementwise(module, names, *args, **options):
    for name in names.split():
        case(f"{module}.{name}", lambda m, *xs, n=name: getattr(getattr(m, module), n)(*xs), *args, **options)


elementwise("lax", "neg sign abs floor ceil exp exp2 expm1 log log1p logistic sin cos tan asin acos atan sinh cosh tanh "
            "asinh atanh sqrt rsqrt cbrt square reciprocal lgamma digamma erf erfc erf_inv bessel_i0e bessel_i1e", V)
elementwise("lax", "acosh", V + 1)
elementwise("lax", "is_finite", V, grad=False)
elementwise("lax", "add sub mul div rem max min pow atan2 igamma igammac zeta", V + (1.0), W)
elementwise("lax", "nextafter", V, W, grad=False)
elementwise("lax", "eq ne lt le gt ge", V, W, grad=False)
elementwise("lax", "bitwise_and bitwise_or bitwise_xor shift_left shift_right_arithmetic shift_right_logical", I, J % 5,
            grad=False)
elementwise("lax", "bitwise_not population_count clz", I, grad=False)
elementwise("lax", "real imag conj abs", C, grad=False)
case("lax.complex", lambda m, x, y: m.lax.real(m.lax.complex(x, y) * m.lax.complex(y, x)), V, W)
case("lax.betainc", lambda m, x, y: m.lax.betainc(1.5, 2.5, x) * y, V, W)
case("lax.polygamma", lambda m, x: m.lax.polygamma(m.np.ones(6) * 2.0, x), V)
case("lax.clamp", lambda m, x: m.lax.clamp(0.3, x, 0.6), V)
case("lax.select", lambda m, x, y: m.lax.select(x > y, x, y), V, W)
case("lax.select_n", lambda m, x, y: m.lax.select_n(x > y, x, y), V, W)
case("lax.integer_pow", lambda m, x: m.lax.integer_pow(x, 5), V)
case("lax.round", lambda m, x: m.lax.round(x * 5, m.lax.RoundingMethod.TO_NEAREST_EVEN), V)
case("lax.convert_element_type", lambda m, x: m.lax.convert_element_type(x, "float32"), V, tol=1e-6)
case("lax.bitcast_convert_type", lambda m, x: m.lax.bitcast_convert_type(x, "int64"), V, grad=False)
case("lax.reduce_precision", lambda m, x: m.lax.reduce_precision(x, 5, 7), V)
for name in "cumsum cumprod cummax cummin cumlogsumexp".split():
    case(f"lax.{name}", lambda m, x, n=name: getattr(m.lax, n)(x, axis=0), V)
    case(f"lax.{name} reverse", lambda m, x, n=name: getattr(m.lax, n)(x, axis=1, reverse=True), S, batch=False)
for name in "sum prod max min".split():
    case(f"lax.reduce_{name}", lambda m, x, n=name: getattr(m.lax, "reduce_" + n)(x, (0,)), S)
case("lax.reduce_or", lambda m, x: m.lax.reduce_or(x, (0,)), B, grad=False, batch=False)
case("lax.reduce_and", lambda m, x: m.lax.reduce_and(x, (0,)), B, grad=False, batch=False)
case("lax.argmax", lambda m, x: m.lax.argmax(x, 0, "int32"), V, grad=False, batch=False)
case("lax.argmin", lambda m, x: m.lax.argmin(x, 1, "int64"), S, grad=False, batch=False)
case("lax.sort", lambda m, x: m.lax.sort(x), V)
case("lax.sort two", lambda m, x, y: m.lax.sort((x, y), num_keys=1)[1], V, W)
case("lax.sort_key_val", lambda m, x, y: m.lax.sort_key_val(x, y)[1], V, W)
case("lax.top_k", lambda m, x: m.lax.top_k(x, 3)[0], V)
case("lax.iota", lambda m, x: m.lax.iota("float64", 6) * x, V)
case("lax.broadcasted_iota", lambda m, x: m.lax.broadcasted_iota("int32", (2, 3), 1) + m.lax.convert_element_type(x[0], "int32"), V,
     grad=False, batch=False)
case("lax.full", lambda m, x: m.lax.full((2, 3), 1.5) * x[0], V, batch=False)
case("lax.full_like", lambda m, x: m.lax.full_like(x, 2.0) * x, V)
case("lax.broadcast", lambda m, x: m.lax.broadcast(x, (2,)), V)
case("lax.broadcast_in_dim", lambda m, x: m.lax.broadcast_in_dim(x, (6, 2), (0,)), V)
case("lax.reshape", lambda m, x: m.lax.reshape(x, (3, 8)), S, batch=False)
case("lax.collapse", lambda m, x: m.lax.collapse(x, 0), S)
case("lax.expand_dims", lambda m, x: m.lax.expand_dims(x, (0,)), V)
case("lax.squeeze", lambda m, x: m.lax.squeeze(m.lax.expand_dims(x, (0,)), (0,)), V)
case("lax.transpose", lambda m, x: m.lax.transpose(x, (1, 0)), S, batch=False)
case("lax.rev", lambda m, x: m.lax.rev(x, (0,)), V)
case("lax.pad", lambda m, x: m.lax.pad(x, 0.5, [(1, 2, 0), (0, -1, 1)]), S, batch=False)
case("lax.concatenate", lambda m, x, y: m.lax.concatenate([x, y], 0), V, W)
case("lax.split", lambda m, x: m.lax.split(x, (2, 4))[1], V)
case("lax.tile", lambda m, x: m.lax.tile(x, (2,)), V)
case("lax.slice", lambda m, x: m.lax.slice(x, (0, 1), (4, 6), (2, 2)), S, batch=False)
case("lax.slice_in_dim", lambda m, x: m.lax.slice_in_dim(x, 1, 5, 2), V)
case("lax.index_in_dim", lambda m, x: m.lax.index_in_dim(x, 2, keepdims=False), V)
case("lax.dynamic_slice", lambda m, x: m.lax.dynamic_slice(x, (1, 2), (2, 3)), S, batch=False)
case("lax.dynamic_slice traced", lambda m, x, i: m.lax.dynamic_slice(x, (i,), (3,)), V, 2)
case("lax.dynamic_slice_in_dim", lambda m, x, i: m.lax.dynamic_slice_in_dim(x, i, 2), V, 5)
case("lax.dynamic_index_in_dim", lambda m, x, i: m.lax.dynamic_index_in_dim(x, i, keepdims=False), V, 3)
case("lax.dynamic_update_slice", lambda m, x, y, i: m.lax.dynamic_update_slice(x, y[:2], (i,)), V, W, 3)
case("lax.dynamic_update_index_in_dim", lambda m, x, i: m.lax.dynamic_update_index_in_dim(x, 2.5, i, 0), V, 4)
case("lax.gather", lambda m, x: m.lax.gather(x, m.np.asarray([[0], [2], [9]]), m.lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 6),
                                            mode="clip"), S, batch=False)
for name in "scatter scatter_add scatter_mul scatter_min scatter_max".split():
    case(f"lax.{name}", lambda m, x, y, n=name: getattr(m.lax, n)(
        x, m.np.asarray([[0], [2]]), y[:2], m.lax.ScatterDimensionNumbers((), (0,), (0,)), unique_indices=n == "scatter_mul"), V, W)
case("lax.dot", lambda m, x, y: m.lax.dot(x, y), V, W)
case("lax.dot matrices", lambda m, x: m.lax.dot(x, x), M, batch=False)
case("lax.dot_general", lambda m, x, y: m.lax.dot_general(x, y, (((1,), (1,)), ((0,), (0,)))), S.reshape(2, 3, 4), S.reshape(2, 3, 4) + 1,
     batch=False)
case("lax.batch_matmul", lambda m, x: m.lax.batch_matmul(x, x), R.standard_normal((2, 3, 3)), batch=False)
case("lax.conv", lambda m, x, k: m.lax.conv(x, k, (1, 1), "SAME"), IMAGE, KERNEL, batch=False)
case("lax.conv_general_dilated", lambda m, x, k: m.lax.conv_general_dilated(
    x, k, (2, 1), [(1, 2), (0, 1)], lhs_dilation=(1, 2), rhs_dilation=(2, 1)), IMAGE, KERNEL, batch=False)
case("lax.conv NHWC", lambda m, x, k: m.lax.conv_general_dilated(
    x, k, (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NHWC")), IMAGE, KERNEL, batch=False)
case("lax.conv_transpose", lambda m, x, k: m.lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")), IMAGE,
     R.standard_normal((4, 3, 3, 3)), batch=False, tol=1e-9)
case("lax.reduce_window", lambda m, x: m.lax.reduce_window(x, 0.0, m.lax.add, (2, 2), (1, 2), "SAME"), S, batch=False)
case("lax.reduce_window max", lambda m, x: m.lax.reduce_window(x, -numpy.inf, m.lax.max, (2, 2), (1, 2), "VALID"), S, batch=False)
case("lax.reduce", lambda m, x: m.lax.reduce(x, 0.0, m.lax.add, (0,)), S)
case("lax.reduce own", lambda m, x: m.lax.reduce(x, 1.0, lambda a, b: a * b, (1,)), S, grad=False, batch=False)
case("lax.fft", lambda m, x: m.lax.real(m.lax.fft(m.lax.complex(x, x), m.lax.FftType.FFT, (6,))), V)
case("lax.stop_gradient", lambda m, x: m.lax.stop_gradient(x) * x, V)
case("lax.associative_scan", lambda m, x: m.lax.associative_scan(m.lax.mul, x), V, text=False)
case("lax.associative_scan own", lambda m, x: m.lax.associative_scan(
    lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, x + 1), reverse=True)[1], V, text=False)

# ---- Control flow.
case("scan", lambda m, x: m.lax.scan(lambda c, a: (c * a + 1, c + a), 1.0, x)[1], V)
case("scan carry", lambda m, x: m.lax.scan(lambda c, a: (m.np.sin(c) * a, None), 1.0, x)[0], V)
case("scan reverse", lambda m, x: m.lax.scan(lambda c, a: (c * a, c + a), 1.0, x, reverse=True)[1], V)
case("scan tree", lambda m, x: m.lax.scan(lambda c, a: ({"p": c["p"] + a["u"], "q": c["q"] * a["v"]}, c["p"]),
                                          {"p": 0.0, "q": 1.0}, {"u": x, "v": x + 1})[1], V)
case("scan length", lambda m, x: m.lax.scan(lambda c, _: (m.np.cos(c), c), x, None, length=4)[1], V)
case("scan matrix", lambda m, x, w: m.lax.scan(lambda h, a: (m.np.tanh(w @ h + a), m.np.sum(h)), m.np.zeros(4), x[:, :4])[1], S, M / 9,
     batch=False)
case("scan of scan", lambda m, x: m.lax.scan(lambda c, a: m.lax.scan(lambda d, b: (d * b, d + a), c, x), 1.0, x)[1], V)
case("while", lambda m, x: m.lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 1.5), (0, x))[1], V, grad=False)
case("while of lanes", lambda m, x: m.lax.while_loop(lambda s: m.np.sum(s) < 50.0, lambda s: s * 1.5, x), V, grad=False)
case("fori", lambda m, x: m.lax.fori_loop(0, 4, lambda i, y: y * x + i, x), V)
case("fori traced", lambda m, x, n: m.lax.fori_loop(0, n, lambda i, y: y * x, x), V, 3, grad=False)
case("cond", lambda m, x: m.lax.cond(x[0] > 0.5, lambda a: a * 2, lambda a: m.np.sin(a), x), V)
case("cond of lanes", lambda m, x: m.lax.cond(m.np.sum(x) > 0, m.np.cos, m.np.sin, x), S[0])
case("switch", lambda m, x, i: m.lax.switch(i, [lambda a: a, lambda a: a * 2, lambda a: m.np.exp(a)], x), V, 2)
case("map", lambda m, x: m.lax.map(lambda a: m.np.sin(a) * a, x), V)
case("map batches", lambda m, x: m.lax.map(lambda a: m.np.sin(a) * a, x, batch_size=2), V, text=False)

# ---- jax.numpy, nn, special.
elementwise("np", "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 log log2 log10 log1p sqrt "
            "cbrt square abs sign floor ceil rint trunc reciprocal negative positive fabs deg2rad rad2deg sinc i0 nan_to_num "
            "radians degrees", V)
elementwise("np", "isnan isinf isfinite signbit logical_not", V, grad=False)
elementwise("np", "add subtract multiply divide power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2 mod "
            "float_power heaviside copysign remainder fmod floor_divide", V, W)
elementwise("np", "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor", V, W, grad=False)
elementwise("np", "gcd lcm bitwise_and bitwise_or bitwise_xor left_shift right_shift", I, J % 4 + 1, grad=False)
elementwise("np", "sum prod max min mean std var ptp median cumsum cumprod nansum nanmean nanmax nanstd average", V)
elementwise("np", "argmax argmin all any argsort count_nonzero", V, grad=False)
elementwise("np", "sort flip ravel diff ediff1d cumsum gradient trapezoid", V)
elementwise("np", "dot vdot inner outer cross kron convolve correlate matmul", V[:3], W[:3])
elementwise("np", "transpose fliplr flipud rot90 triu tril trace diagonal ravel", M, batch=False)
case("np.where", lambda m, x, y: m.np.where(x > 0.5, x, y), V, W)
case("np.clip", lambda m, x: m.np.clip(x, 0.3, 0.6), V)
case("np.concatenate", lambda m, x, y: m.np.concatenate([x, y]), V, W)
case("np.stack", lambda m, x, y: m.np.stack([x, y], axis=1), V, W)
case("np.reshape", lambda m, x: m.np.reshape(x, (2, 3)), V)
case("np.roll", lambda m, x: m.np.roll(x, 2), V)
case("np.repeat", lambda m, x: m.np.repeat(x, 2), V)
case("np.tile", lambda m, x: m.np.tile(x, 2), V)
case("np.pad", lambda m, x: m.np.pad(x, 2), V)
case("np.take", lambda m, x: m.np.take(x, m.np.asarray([0, 2, 2])), V)
case("np.einsum", lambda m, x, y: m.np.einsum("ij,jk->ik", x, y), M, M + 1, batch=False)
case("np.tensordot", lambda m, x, y: m.np.tensordot(x, y, 1), M, M + 1, batch=False)
case("np.interp", lambda m, x, y: m.np.interp(x, m.np.asarray([0.0, 0.5, 1.0]), y[:3]), V, W)
case("np.polyval", lambda m, x: m.np.polyval(m.np.asarray([1.0, 2.0, 3.0]), x), V)
case("np.quantile", lambda m, x: m.np.quantile(x, 0.3), V)
case("np.percentile", lambda m, x: m.np.percentile(x, 30), V)
case("np.searchsorted", lambda m, x, y: m.np.searchsorted(m.np.sort(x), y).astype("int64"), V, W, grad=False, text=False)
case("np.unwrap", lambda m, x: m.np.unwrap(x * 10), V)
case("np.cov", lambda m, x: m.np.cov(x), S, batch=False)
case("np.corrcoef", lambda m, x: m.np.corrcoef(x), S, batch=False)
case("index", lambda m, x: x[1:5:2] + x[m.np.asarray([0, 1])], V)
case("index rows", lambda m, x: x[2, ::-1], S, batch=False)
case("at.set", lambda m, x: x.at[1].set(5.0), V)
case("at.add", lambda m, x: x.at[m.np.asarray([0, 0, 1])].add(2.0), V)
case("at.mul", lambda m, x: x.at[1:3].mul(3.0), V)
elementwise("nn", "relu relu6 sigmoid softplus sparse_plus sparse_sigmoid soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu "
            "hard_tanh elu celu selu gelu glu squareplus mish softmax log_softmax logsumexp standardize", V)
case("nn.gelu exact", lambda m, x: m.nn.gelu(x, approximate=False), V)
case("nn.one_hot", lambda m, x: m.nn.one_hot(m.np.asarray([0, 2, 5]), 6) * x, V)
case("nn.softmax axis", lambda m, x: m.nn.softmax(x, axis=0), S, batch=False)
case("nn.attention", lambda m, x: m.nn.dot_product_attention(x, x + 1, x * 2), R.standard_normal((2, 5, 3, 4)), batch=False, tol=1e-6)
elementwise("special", "expit erf erfc erfinv gammaln digamma i0 i1 i0e i1e gamma logit ndtr log_ndtr ndtri entr exp1 expi spence "
            "erfcx", V, tol=1e-9)
elementwise("special", "gammainc gammaincc xlogy xlog1py kl_div rel_entr beta betaln boxcox", V, W, tol=1e-9)
elementwise("special", "poch zeta", V + 1, W + 1, tol=1e-8, grad=False)
case("special.betainc", lambda m, x: m.special.betainc(2.0, 3.0, x), V, tol=1e-9)
case("special.polygamma", lambda m, x: m.special.polygamma(1, x), V, tol=1e-9)
case("special.multigammaln", lambda m, x: m.special.multigammaln(x + 3, 2), V, tol=1e-9)
case("special.expn", lambda m, x: m.special.expn(2, x), V, tol=1e-9, text=False)
case("special.logsumexp", lambda m, x: m.special.logsumexp(x, axis=0), S, batch=False)
elementwise("la", "inv det norm pinv", M, batch=False, tol=1e-8)
case("la.solve", lambda m, a, b: m.la.solve(a, b), M, M[0], batch=False, tol=1e-8)
case("la.cholesky", lambda m, a: m.la.cholesky(a), P, batch=False, tol=1e-8, grad=False)
case("la.eigvalsh", lambda m, a: m.la.eigvalsh((a + a.T) / 2), P, batch=False, tol=1e-8)
case("la.svd", lambda m, a: m.la.svd(a, compute_uv=False), M, batch=False, tol=1e-8)
case("la.slogdet", lambda m, a: m.la.slogdet(a)[1], M, batch=False, tol=1e-8)
case("la.matrix_power", lambda m, a: m.la.matrix_power(a, 3), M / 4, batch=False, tol=1e-8)
case("la.qr", lambda m, a: m.la.qr(a)[1], M, batch=False, tol=1e-8)
case("linalg.expm", lambda m, a: m.linalg.expm(a), M / 5, batch=False, tol=1e-8, text=False)
case("linalg.solve_triangular", lambda m, a, b: m.linalg.solve_triangular(a, b, lower=True), numpy.tril(M), M[0], batch=False, tol=1e-8)
case("linalg.cho_solve", lambda m, a, b: m.linalg.cho_solve(m.linalg.cho_factor((a + a.T) / 2), b), P, M[0], batch=False, tol=1e-8, text=False)
case("linalg.lu", lambda m, a: m.linalg.lu(a)[2], M, batch=False, tol=1e-8, text=False)
case("fft.rfft", lambda m, x: m.np.real(m.fft.rfft(x)), V, text=False)
case("fft.ifft", lambda m, x: m.np.real(m.fft.ifft(x)), V, text=False)
case("signal.convolve", lambda m, x, y: m.signal.convolve(x, y[:3], mode="same"), V, W, text=False)
case("ops.segment_sum", lambda m, x: m.ops.segment_sum(x, m.np.asarray([0, 0, 1, 1, 3, 3]), num_segments=4), V)
case("ops.segment_max", lambda m, x: m.ops.segment_max(x, m.np.asarray([0, 0, 1, 1, 2, 2]), num_segments=3), V)

# ---- Transformations.
case("jvp", lambda m, x, y: m.api.jvp(m.np.sin, (x,), (y,))[1], V, W)
case("vjp", lambda m, x, y: m.api.vjp(m.np.sin, x)[1](y)[0], V, W)
case("linearize", lambda m, x, y: m.api.linearize(m.np.sin, x)[1](y), V, W, text=False)
case("jacfwd", lambda m, x: m.api.jacfwd(lambda a: a ** 2 * m.np.sum(a))(x), V, text=False)
case("jacrev", lambda m, x: m.api.jacrev(lambda a: a ** 2 * m.np.sum(a))(x), V, text=False)
case("hessian", lambda m, x: m.api.hessian(lambda a: m.np.sum(a ** 3) * a[0])(x), V, text=False)
case("grad of grad", lambda m, x: m.api.grad(lambda a: m.np.sum(m.api.grad(lambda b: m.np.sum(b ** 4))(a) * a))(x), V)
case("value_and_grad", lambda m, x: m.api.value_and_grad(lambda a: m.np.sum(m.np.sin(a)))(x)[1], V)
case("jit", lambda m, x: m.api.jit(lambda a: m.np.sin(a) * 2)(x), V)
case("jit of grad", lambda m, x: m.api.jit(m.api.grad(lambda a: m.np.sum(a ** 3)))(x), V)
case("vmap", lambda m, x, y: m.api.vmap(lambda a, b: a * b, (0, None))(x, y), V, W)
case("vmap out_axes", lambda m, x: m.api.vmap(lambda a: a * m.np.ones(3), out_axes=1)(x), V)
case("vmap names", lambda m, x: m.api.vmap(lambda a: a / m.lax.psum(a, "i"), axis_name="i")(x), V)
case("vmap pmax", lambda m, x: m.api.vmap(lambda a: a - m.lax.pmax(a, "i"), axis_name="i")(x), V, grad=False)
case("vmap ppermute", lambda m, x: m.api.vmap(lambda a: m.lax.ppermute(a, "i", [(i, (i + 1) % 6) for i in range(6)]), axis_name="i")(x), V)
case("vmap all_gather", lambda m, x: m.api.vmap(lambda a: m.lax.all_gather(a, "i") * a, axis_name="i")(x), V)
case("vmap axis_index", lambda m, x: m.api.vmap(lambda a: a * m.lax.axis_index("i"), axis_name="i")(x), V)
case("checkpoint", lambda m, x: m.api.grad(m.api.checkpoint(lambda a: m.np.sum(m.np.sin(m.np.sin(a)))))(x), V, text=False)
case("linear_transpose", lambda m, x: m.api.linear_transpose(lambda a: a * 3.0, x)(x)[0], V, text=False)
case("custom_jvp", lambda m, x: _custom_jvp(m)(x), V, text=False)
case("custom_vjp", lambda m, x: _custom_vjp(m)(x), V, text=False)
case("tree of arguments", lambda m, x: m.api.grad(lambda t: m.np.sum(t["a"][0] * t["b"]))({"a": (x, None), "b": x + 1})["a"][0], V, text=False)


def _custom_jvp(m):
    @m.api.custom_jvp
    def f(x):
        return m.np.sum(m.np.exp(x))

    f.defjvps(lambda t, out, x: out * m.np.sum(t) * 2)
    return f


def _custom_vjp(m):
    @m.api.custom_vjp
    def f(x):
        return m.np.sum(m.np.sin(x))

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * m.np.cos(x) * 3,))
    return f


# ---- Random numbers: the same bits.
RANDOM = {}
for text in """uniform(k,(5,)) normal(k,(5,)) bits(k,(5,)) bernoulli(k,0.3,(9,)) randint(k,(6,),0,9) permutation(k,7) cauchy(k,(5,))
exponential(k,(5,)) laplace(k,(5,)) logistic(k,(5,)) maxwell(k,(5,)) gumbel(k,(5,)) pareto(k,2.0,(5,)) rayleigh(k,2.0,(5,))
wald(k,2.0,(5,)) lognormal(k,0.5,(5,)) weibull_min(k,1.5,2.5,(5,)) double_sided_maxwell(k,0.0,1.0,(5,)) triangular(k,0.0,0.5,1.0,(5,))
gamma(k,2.5,(5,)) loggamma(k,2.5,(5,)) beta(k,2.0,3.0,(5,)) chisquare(k,3.0,(5,)) f(k,3.0,5.0,(5,)) t(k,3.0,(5,))
generalized_normal(k,1.5,(5,)) ball(k,3,shape=(2,)) truncated_normal(k,-1.0,1.0,(5,)) rademacher(k,(9,)) geometric(k,0.3,(5,))
poisson(k,4.0,(5,)) binomial(k,9.0,0.4,(5,)) orthogonal(k,3) choice(k,9,(4,)) choice(k,9,(4,),replace=False)
uniform(k,(5,),"float32") normal(k,(5,),"float32") uniform(k,(3,),minval=-1.0,maxval=2.0) randint(k,(6,),-5,5,"int32") bits(k,(5,),"uint8")""".split():
    RANDOM[text] = text


def plain(x):
    return numpy.asarray(x)


def given(m, args):
    return [m.np.asarray(a) if isinstance(a, numpy.ndarray) else a for a in args]


def scalar(m, f):
    def g(x, *rest):
        y = f(m, x, *rest)
        return m.np.sum(y * m.np.cos(m.np.arange(y.size).reshape(y.shape)))
    return g


def same(a, b, tol):
    a, b = plain(a), plain(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{a.shape} instead of {b.dtype}{b.shape}"
    if a.dtype.kind in "fc":
        with numpy.errstate(all="ignore"):
            bad = ~((numpy.abs(a - b) <= tol * (1 + numpy.abs(b))) | (numpy.isnan(a) & numpy.isnan(b)) | (a == b))
        return f"{a.ravel()[:4]} instead of {b.ravel()[:4]}" if bad.any() else None
    return None if (a == b).all() else f"{a.ravel()[:6]} instead of {b.ravel()[:6]}"


def leaves(tree):
    if isinstance(tree, (tuple, list)):
        return [x for t in tree for x in leaves(t)]
    return [tree]


class Answers:
    """JAX's answers, kept in a file between runs if KILN_REFEREE_CACHE names one: most of the time goes into its compiler."""

    def __init__(self):
        self.path = os.environ.get("KILN_REFEREE_CACHE")
        self.known, self.fresh = {}, 0
        if self.path and os.path.exists(self.path):
            with open(self.path, "rb") as f:
                self.known = pickle.load(f)

    def of(self, key, code, work):
        key = (key, code)
        if key not in self.known:
            try:
                self.known[key] = work()
            except Exception as e:
                self.known[key] = f"jax: {type(e).__name__}: {str(e)[:100]}"
            self.fresh += 1
            if self.fresh % 20 == 0:
                self.save()
        return self.known[key]

    def save(self):
        if self.path:
            with open(self.path, "wb") as f:
                pickle.dump(self.known, f)


def code_of(f):
    """What tells a function from another one of the same name, in the file of answers."""
    c = f.__code__
    return repr((c.co_code, [x for x in c.co_consts if not hasattr(x, "co_code")], c.co_names, f.__defaults__))


def jax_all(c):
    """JAX's result, gradient and batch, or what error each was; compiled in one piece if that goes."""
    wanted = {what: f for what, f in checks(c) if what != "jit"}

    def flat(f):
        return [x for x in leaves(f(JAX))]

    def one(f):
        try:
            return [plain(x) for x in jax.jit(lambda: flat(f))()]
        except Exception as e:
            return f"jax: {type(e).__name__}: {str(e)[:100]}"
    try:
        all_ = jax.jit(lambda: {what: flat(f) for what, f in wanted.items()})()
        return {what: [plain(x) for x in v] for what, v in all_.items()}
    except Exception:
        return {what: one(f) for what, f in wanted.items()}


def compare(f, want, tol):
    """What differs between kiln's answer and JAX's; None: nothing."""
    try:
        got = leaves(f(KILN))
        if len(got) != len(want):
            return f"{len(got)} results instead of {len(want)}"
        return next((d for d in (same(a, b, tol) for a, b in zip(got, want)) if d), None)
    except Exception as e:
        return f"{type(e).__name__}: {str(e)[:160]}"


def checks(c):
    """(what, function of modules) of a case."""
    yield "result", lambda m: c.f(m, *given(m, c.args))
    if c.grad:
        yield "grad", lambda m: m.api.grad(scalar(m, c.f))(*given(m, c.args))
    if c.batch:
        def batch(m):
            x, *rest = given(m, c.args)
            return m.api.vmap(lambda a: c.f(m, a, *rest))(m.np.stack([x, x * 1, x]))

        def jitted(m):
            return m.api.jit(lambda *xs: c.f(m, *xs))(*given(m, c.args))
        yield "batch", batch
        yield "jit", jitted


def normal_text(text):
    """Without what names only Python's objects or JAX's bookkeeping."""
    return re.sub(r"\s+", " ", re.sub(r"0x[0-9a-f]+", "0x", text)).strip()


def texts(c):
    def one(m):
        return normal_text(str(m.api.make_jaxpr(lambda *xs: c.f(m, *xs))(*given(m, c.args))))
    return one(JAX), one(KILN)


def run(say=print):
    """(cases by kind, differences)"""
    counts, differences, functions, answers = {}, [], set(), Answers()
    for c in CASES:
        want = answers.of(c.name, code_of(c.f) + str([numpy.asarray(a).tobytes() for a in c.args]), lambda: jax_all(c))
        for what, f in checks(c):
            w = want.get("result" if what == "jit" else what)
            if not isinstance(w, list):  # JAX has no answer: then there is no case
                say(f"{c.name}: {what}: {w}")
                continue
            counts[what] = counts.get(what, 0) + 1
            functions.add(c.name)
            bad = compare(f, w, c.tol)
            if bad:
                differences.append(f"{c.name}: {what}: {bad}")
    for text in RANDOM:
        def of(m):
            return eval("m.random." + text, {"m": m, "k": m.random.key(42)})
        want = answers.of("random", text, lambda: [plain(of(JAX))])
        counts["random"] = counts.get("random", 0) + 1
        bad = compare(of, want, 2e-6 if "float32" in text else 1e-12) if isinstance(want, list) else want
        if bad:
            differences.append(f"random.{text}: {bad}")
    answers.save()
    counts["functions"] = len(functions) + len(RANDOM)
    return counts, differences


def run_texts():
    """(how many typed jaxprs are equal, those that are not)"""
    equal, differences = 0, []
    for c in CASES:
        if not c.text:
            continue
        try:
            want, got = texts(c)
        except Exception as e:
            differences.append(f"{c.name}: {type(e).__name__}: {str(e)[:100]}")
            continue
        if want == got:
            equal += 1
        else:
            differences.append(f"{c.name}:\n  jax:  {want}\n  kiln: {got}")
    return equal, differences


if __name__ == "__main__":
    counts, differences = run()
    print("\n".join(differences), flush=True)
    print(counts, len(differences), "differ")
    equal, other = run_texts()
    if "--texts" in sys.argv:
        print("\n".join(other))
    print(equal, "typed jaxprs equal,", len(other), "not")
