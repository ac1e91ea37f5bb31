#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/jaxpr_texts.txt: jaxprs as the installed JAX prints them, one named case each.

A case is a function below with the decorator @case(example, ...): its name is the case's, the text is that of
jax.make_jaxpr of it (or of what it returns, if it returns a function). text() names a case in one line. tests/unit programs record the same function with
Kiln and compare the typed form to the letter. To add a case, write a function; nothing else.
"""
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name

OUT = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "golden", "jaxpr_texts.txt")
CASES = []

x = jnp.float32(1)                                       # f32[]
v = jnp.ones(3, jnp.float32)                             # f32[3]
m = jnp.ones((2, 2), jnp.float32)                        # f32[2,2]


def case(*examples):
    def add(make):
        CASES.append((make.__name__, make, examples))
        return make
    return add


# --- custom derivatives --------------------------------------------------------------------------

@jax.custom_jvp
def f(x, y):
    return jnp.sin(x) * y


@f.defjvp
def f_jvp(primals, tangents):
    x, y = primals
    dx, dy = tangents
    return f(x, y), jnp.cos(x) * dx * y + jnp.sin(x) * dy


@jax.custom_vjp
def g(x, y):
    return jnp.sin(x) * y


def g_fwd(x, y):
    return g(x, y), (jnp.cos(x), jnp.sin(x), y)


def g_bwd(residuals, ct):
    a, b, y = residuals
    return a * ct * y, b * ct


g.defvjp(g_fwd, g_bwd)


@case(x, x)
def custom_jvp():
    return f


@case(v, v)
def custom_jvp_vmap():
    return jax.vmap(f)


@case(x, x)
def custom_jvp_in_jit():
    return jax.jit(f)


@case(x, x, x, x)
def custom_jvp_jvp():
    @jax.custom_jvp
    def twice(x, y):
        return jnp.sin(x) * y

    @twice.defjvp
    def twice_jvp(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return jnp.sin(x) * y, jnp.cos(x) * dx * y + jnp.sin(x) * dy

    return lambda x, y, dx, dy: jax.jvp(twice, (x, y), (dx, dy))


@case(x, x)
def custom_vjp():
    return g


@case(v, v)
def custom_vjp_vmap():
    return jax.vmap(g)


@case(v, x)
def custom_vjp_vmap_one():
    return jax.vmap(g, in_axes=(0, None))


# --- checkpoint ----------------------------------------------------------------------------------

def h(x, y):
    return jnp.sin(jnp.sin(x)) * y


def named(x):
    return checkpoint_name(jnp.sin(x), "s") * x


def product(x):
    return jnp.matmul(x, x)


policies = jax.checkpoint_policies


@case(x, x)
def checkpoint():
    return jax.checkpoint(h)


@case(v, v)
def checkpoint_vmap():
    return jax.vmap(jax.checkpoint(h))


@case(x, x)
def checkpoint_value_and_grad():
    return jax.value_and_grad(jax.checkpoint(h))


@case(x)
def checkpoint_no_cse():
    return jax.checkpoint(jnp.sin, prevent_cse=False)


@case(m)
def checkpoint_products():
    return jax.checkpoint(product, policy=policies.dots_saveable)


@case(m)
def checkpoint_products_without_batch():
    return jax.checkpoint(product, policy=policies.dots_with_no_batch_dims_saveable)


@case(x)
def checkpoint_names():
    return jax.checkpoint(named, policy=policies.save_only_these_names("s"))


@case(x)
def checkpoint_other_names():
    return jax.checkpoint(named, policy=policies.save_any_names_but_these("t"))


@case(x, x)
def checkpoint_jvp():
    return lambda x, dx: jax.jvp(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), (x,), (dx,))


@case(x)
def stop_gradient():
    return lambda x: jax.lax.stop_gradient(x) * x


# --- jax.lax: one equation per function ----------------------------------------------------------

EXAMPLES = {
    "s": jnp.float32(1), "v": v, "m": jnp.ones((2, 3), jnp.float32), "n": jnp.ones((3, 2), jnp.float32), "q": m,
    "B": jnp.ones((2, 3, 3), jnp.float32), "2": jnp.ones(2, jnp.float32), "o": jnp.ones((1, 3), jnp.float32),
    "t": jnp.ones((3, 3), jnp.float32), "e": jnp.ones(5, jnp.float32), "r": jnp.ones((4, 2, 3), jnp.float32),
    "z": jnp.ones((4, 3, 5), jnp.float32), "h": jnp.ones(3, jnp.float16), "c": jnp.ones(3, jnp.complex64),
    "i": jnp.ones(3, jnp.int32), "j": jnp.int32(1), "p": jnp.ones((3, 1), jnp.int32), "b": jnp.ones(3, bool),
    "k": jnp.zeros(4, jnp.uint32), "I": jnp.ones((2, 5, 6, 3), jnp.float32), "K": jnp.ones((3, 2, 3, 4), jnp.float32),
    "L": jnp.ones((2, 4, 6), jnp.float32), "O": jnp.ones((6, 4, 3), jnp.float32), "G": jnp.ones((6, 2, 3), jnp.float32),
}


def text(name, letters, function):
    """The case `name` with an argument for each letter: see EXAMPLES, and the same letters in tests/unit/ir/text/jaxpr_texts.def."""
    CASES.append((name, lambda: function, [EXAMPLES[k] for k in letters]))


rows_of_gather = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
rows_of_scatter = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))


def add_and_max(a, b):
    return lax.add(a[0], b[0]), lax.max(a[1], b[1])


def sin_times(x, y):
    return lax.mul(lax.sin(x), y)


NHWC = ("NHWC", "HWIO", "NHWC")


def convolve_nhwc(x, w):
    return lax.conv_general_dilated(x, w, (2, 1), [(1, 2), (-1, 0)], dimension_numbers=NHWC)


def sum_of_convolution(x, w):
    return lax.reduce_sum(convolve_nhwc(x, w), (0, 1, 2, 3))


def product_and_vjp(x, y, ct):
    value, pullback = jax.vjp(sin_times, x, y)
    return value, pullback(ct)


def sum_of_squares(x):
    return lax.reduce_sum(lax.mul(x, x), (0,))


def sum_of_logistic(x):
    return lax.reduce_sum(lax.logistic(x), (0,))


def layer(w, x, b):
    return lax.reduce_sum(lax.logistic(lax.add(lax.dot(w, x), lax.broadcast(b, (3,)))), (0, 1))


text("lax_neg", "v", lambda x: lax.neg(x))
text("lax_sign", "v", lambda x: lax.sign(x))
text("lax_floor", "v", lambda x: lax.floor(x))
text("lax_ceil", "v", lambda x: lax.ceil(x))
text("lax_is_finite", "v", lambda x: lax.is_finite(x))
text("lax_exp", "v", lambda x: lax.exp(x))
text("lax_exp2", "v", lambda x: lax.exp2(x))
text("lax_expm1", "v", lambda x: lax.expm1(x))
text("lax_log", "v", lambda x: lax.log(x))
text("lax_log1p", "v", lambda x: lax.log1p(x))
text("lax_logistic", "v", lambda x: lax.logistic(x))
text("lax_sin", "v", lambda x: lax.sin(x))
text("lax_cos", "v", lambda x: lax.cos(x))
text("lax_tan", "v", lambda x: lax.tan(x))
text("lax_asin", "v", lambda x: lax.asin(x))
text("lax_acos", "v", lambda x: lax.acos(x))
text("lax_atan", "v", lambda x: lax.atan(x))
text("lax_sinh", "v", lambda x: lax.sinh(x))
text("lax_cosh", "v", lambda x: lax.cosh(x))
text("lax_tanh", "v", lambda x: lax.tanh(x))
text("lax_asinh", "v", lambda x: lax.asinh(x))
text("lax_acosh", "v", lambda x: lax.acosh(x))
text("lax_atanh", "v", lambda x: lax.atanh(x))
text("lax_sqrt", "v", lambda x: lax.sqrt(x))
text("lax_rsqrt", "v", lambda x: lax.rsqrt(x))
text("lax_cbrt", "v", lambda x: lax.cbrt(x))
text("lax_square", "v", lambda x: lax.square(x))
text("lax_reciprocal", "v", lambda x: lax.reciprocal(x))
text("lax_lgamma", "v", lambda x: lax.lgamma(x))
text("lax_digamma", "v", lambda x: lax.digamma(x))
text("lax_erf", "v", lambda x: lax.erf(x))
text("lax_erfc", "v", lambda x: lax.erfc(x))
text("lax_erf_inv", "v", lambda x: lax.erf_inv(x))
text("lax_bessel_i0e", "v", lambda x: lax.bessel_i0e(x))
text("lax_bessel_i1e", "v", lambda x: lax.bessel_i1e(x))
text("lax_abs", "v", lambda x: lax.abs(x))
text("lax_real_complex", "c", lambda x: lax.real(x))
text("lax_imag_complex", "c", lambda x: lax.imag(x))
text("lax_conj_complex", "c", lambda x: lax.conj(x))
text("lax_abs_complex", "c", lambda x: lax.abs(x))
text("lax_bitwise_not", "i", lambda x: lax.bitwise_not(x))
text("lax_population_count", "i", lambda x: lax.population_count(x))
text("lax_clz", "i", lambda x: lax.clz(x))
text("lax_round", "v", lambda x: lax.round(x))
text("lax_round_even", "v", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN))
text("lax_integer_pow", "v", lambda x: lax.integer_pow(x, 3))
text("lax_integer_pow_one", "v", lambda x: lax.integer_pow(x, 1))
text("lax_reduce_precision", "v", lambda x: lax.reduce_precision(x, 5, 3))
text("lax_convert_element_type", "v", lambda x: lax.convert_element_type(x, 'int32'))
text("lax_convert_element_type_same", "v", lambda x: lax.convert_element_type(x, 'float32'))
text("lax_bitcast_convert_type", "v", lambda x: lax.bitcast_convert_type(x, 'int32'))
text("lax_add", "vv", lambda x, y: lax.add(x, y))
text("lax_sub", "vv", lambda x, y: lax.sub(x, y))
text("lax_mul", "vv", lambda x, y: lax.mul(x, y))
text("lax_div", "vv", lambda x, y: lax.div(x, y))
text("lax_rem", "vv", lambda x, y: lax.rem(x, y))
text("lax_max", "vv", lambda x, y: lax.max(x, y))
text("lax_min", "vv", lambda x, y: lax.min(x, y))
text("lax_pow", "vv", lambda x, y: lax.pow(x, y))
text("lax_atan2", "vv", lambda x, y: lax.atan2(x, y))
text("lax_nextafter", "vv", lambda x, y: lax.nextafter(x, y))
text("lax_complex", "vv", lambda x, y: lax.complex(x, y))
text("lax_eq", "vv", lambda x, y: lax.eq(x, y))
text("lax_ne", "vv", lambda x, y: lax.ne(x, y))
text("lax_lt", "vv", lambda x, y: lax.lt(x, y))
text("lax_le", "vv", lambda x, y: lax.le(x, y))
text("lax_gt", "vv", lambda x, y: lax.gt(x, y))
text("lax_ge", "vv", lambda x, y: lax.ge(x, y))
text("lax_igamma", "vv", lambda x, y: lax.igamma(x, y))
text("lax_igammac", "vv", lambda x, y: lax.igammac(x, y))
text("lax_igamma_grad_a", "vv", lambda x, y: lax.igamma_grad_a(x, y))
text("lax_zeta", "vv", lambda x, y: lax.zeta(x, y))
text("lax_polygamma", "vv", lambda x, y: lax.polygamma(x, y))
text("lax_mulhi", "ii", lambda x, y: lax.mulhi(x, y))
text("lax_bitwise_and", "ii", lambda x, y: lax.bitwise_and(x, y))
text("lax_bitwise_or", "ii", lambda x, y: lax.bitwise_or(x, y))
text("lax_bitwise_xor", "ii", lambda x, y: lax.bitwise_xor(x, y))
text("lax_shift_left", "ii", lambda x, y: lax.shift_left(x, y))
text("lax_shift_right_arithmetic", "ii", lambda x, y: lax.shift_right_arithmetic(x, y))
text("lax_shift_right_logical", "ii", lambda x, y: lax.shift_right_logical(x, y))
text("lax_add_scalar", "vs", lambda x, y: lax.add(x, y))
text("lax_add_number", "v", lambda x: lax.add(x, 2.5))
text("lax_add_number_int", "i", lambda x: lax.add(x, 2))
text("lax_clamp", "v", lambda x: lax.clamp(0., x, 1.))
text("lax_betainc", "vvv", lambda x, y, z: lax.betainc(x, y, z))
text("lax_select", "bvv", lambda x, y, z: lax.select(x, y, z))
text("lax_select_n", "iv", lambda x, y: lax.select_n(x, y, y, y))
text("lax_stop_gradient", "v", lambda x: lax.stop_gradient(x))
text("lax_optimization_barrier", "vm", lambda x, y: lax.optimization_barrier((x, y)))
text("lax_iota", "s", lambda x: (lax.iota(jnp.int32, 3), x)[0])
text("lax_broadcasted_iota", "s", lambda x: (lax.broadcasted_iota(jnp.float32, (2, 3), 1), x)[0])
text("lax_full", "s", lambda x: lax.full((2,), x))
text("lax_full_dtype", "s", lambda x: lax.full((2,), x, jnp.int32))
text("lax_full_like", "v", lambda x: lax.full_like(x, 2))
text("lax_full_like_shape", "v", lambda x: lax.full_like(x, 2, shape=(1,)))
text("lax_broadcast", "v", lambda x: lax.broadcast(x, (2,)))
text("lax_broadcast_nothing", "v", lambda x: lax.broadcast(x, ()))
text("lax_broadcast_in_dim", "v", lambda x: lax.broadcast_in_dim(x, (2, 3), (1,)))
text("lax_broadcast_like", "vm", lambda x, y: lax.broadcast_like(x, y))
text("lax_broadcast_to_rank", "v", lambda x: lax.broadcast_to_rank(x, 3))
text("lax_reshape", "m", lambda x: lax.reshape(x, (3, 2)))
text("lax_reshape_same", "m", lambda x: lax.reshape(x, (2, 3)))
text("lax_collapse", "m", lambda x: lax.collapse(x, 0, 2))
text("lax_expand_dims", "v", lambda x: lax.expand_dims(x, (0, -1)))
text("lax_squeeze", "o", lambda x: lax.squeeze(x, (0,)))
text("lax_transpose", "m", lambda x: lax.transpose(x, (1, 0)))
text("lax_rev", "m", lambda x: lax.rev(x, [1]))
text("lax_pad", "m", lambda x: lax.pad(x, 0., [(1, 1, 0), (0, 0, 1)]))
text("lax_concatenate", "v", lambda x: lax.concatenate([x, x], 0))
text("lax_stack", "v", lambda x: lax.stack([x, x], -1))
text("lax_unstack", "m", lambda x: lax.unstack(x))
text("lax_split", "v", lambda x: lax.split(x, [1, 2], 0))
text("lax_tile", "v", lambda x: lax.tile(x, [2]))
text("lax_slice", "m", lambda x: lax.slice(x, (0, 1), (2, 3)))
text("lax_slice_strides", "m", lambda x: lax.slice(x, (0, 1), (2, 3), (1, 2)))
text("lax_slice_in_dim", "m", lambda x: lax.slice_in_dim(x, -2, None, axis=-1))
text("lax_index_in_dim", "m", lambda x: lax.index_in_dim(x, -1, 1, keepdims=False))
text("lax_dynamic_slice", "mj", lambda x, y: lax.dynamic_slice(x, (y, y), (1, 2)))
text("lax_dynamic_slice_number", "mj", lambda x, y: lax.dynamic_slice(x, (-1, y), (1, 2)))
text("lax_dynamic_slice_no_negative", "mj",
     lambda x, y: lax.dynamic_slice(x, (y, y), (1, 2), allow_negative_indices=False))
text("lax_dynamic_slice_in_dim", "mj", lambda x, y: lax.dynamic_slice_in_dim(x, y, 2, 1))
text("lax_dynamic_update_slice", "moj", lambda x, y, z: lax.dynamic_update_slice(x, y, (z, 0)))
text("lax_dynamic_update_slice_in_dim", "moj", lambda x, y, z: lax.dynamic_update_slice_in_dim(x, y, z, 0))
text("lax_gather", "mp", lambda x, y: lax.gather(x, y, rows_of_gather, (1, 3)))
text("lax_gather_clip", "mp", lambda x, y: lax.gather(x, y, rows_of_gather, (1, 3), mode='clip'))
text("lax_gather_fill", "mp", lambda x, y: lax.gather(x, y, rows_of_gather, (1, 3), mode='fill'))
text("lax_gather_sorted", "mp",
     lambda x, y: lax.gather(x, y, rows_of_gather, (1, 3), indices_are_sorted=True, unique_indices=True))
text("lax_scatter", "mpt", lambda x, y, z: lax.scatter(x, y, z, rows_of_scatter))
text("lax_scatter_add", "mpt", lambda x, y, z: lax.scatter_add(x, y, z, rows_of_scatter))
text("lax_scatter_sub", "mpt", lambda x, y, z: lax.scatter_sub(x, y, z, rows_of_scatter))
text("lax_scatter_mul", "mpt", lambda x, y, z: lax.scatter_mul(x, y, z, rows_of_scatter))
text("lax_scatter_min", "mpt", lambda x, y, z: lax.scatter_min(x, y, z, rows_of_scatter))
text("lax_scatter_max", "mpt", lambda x, y, z: lax.scatter_max(x, y, z, rows_of_scatter))
text("lax_reduce_sum", "m", lambda x: lax.reduce_sum(x, (0,)))
text("lax_reduce_prod", "m", lambda x: lax.reduce_prod(x, (0,)))
text("lax_reduce_max", "m", lambda x: lax.reduce_max(x, (0,)))
text("lax_reduce_min", "m", lambda x: lax.reduce_min(x, (0,)))
text("lax_reduce_and", "i", lambda x: lax.reduce_and(x, (0,)))
text("lax_reduce_or", "i", lambda x: lax.reduce_or(x, (0,)))
text("lax_reduce_xor", "i", lambda x: lax.reduce_xor(x, (0,)))
text("lax_cumsum", "m", lambda x: lax.cumsum(x, 1, True))
text("lax_cumprod", "m", lambda x: lax.cumprod(x, 1, True))
text("lax_cummax", "m", lambda x: lax.cummax(x, 1, True))
text("lax_cummin", "m", lambda x: lax.cummin(x, 1, True))
text("lax_cumlogsumexp", "m", lambda x: lax.cumlogsumexp(x, 1, True))
text("lax_cumsum_default", "v", lambda x: lax.cumsum(x))
text("lax_argmax", "m", lambda x: lax.argmax(x, 1, jnp.int32))
text("lax_argmin", "m", lambda x: lax.argmin(x, 1, jnp.int32))
text("lax_reduce_by_add", "m", lambda x: lax.reduce(x, 0., lax.add, (0,)))
text("lax_reduce_by_mul", "m", lambda x: lax.reduce(x, 1., lax.mul, (0,)))
text("lax_reduce_by_max", "m", lambda x: lax.reduce(x, -jnp.inf, lax.max, (0,)))
text("lax_reduce_by_min", "m", lambda x: lax.reduce(x, jnp.inf, lax.min, (0,)))
text("lax_reduce_other_identity", "m", lambda x: lax.reduce(x, 1., lax.add, (0,)))
text("lax_reduce_function", "m", lambda x: lax.reduce(x, 0., lambda a, b: lax.mul(lax.add(a, b), 2.), (0, 1)))
text("lax_reduce_list", "mm", lambda x, y: lax.reduce((x, y), (1., 2.), add_and_max, (0,)))
text("lax_sort", "m", lambda x: lax.sort(x))
text("lax_sort_unstable", "m", lambda x: lax.sort(x, 0, is_stable=False))
text("lax_sort_list", "mm", lambda x, y: lax.sort((x, y), dimension=0, num_keys=2))
text("lax_sort_key_val", "vi", lambda x, y: lax.sort_key_val(x, y))
text("lax_top_k", "m", lambda x: lax.top_k(x, 2))
text("lax_dot", "mn", lambda x, y: lax.dot(x, y))
text("lax_dot_vectors", "vv", lambda x, y: lax.dot(x, y))
text("lax_dot_preferred", "hh", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32))
text("lax_dot_general", "mm", lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((0,), (0,)))))
text("lax_batch_matmul", "rz", lambda x, y: lax.batch_matmul(x, y))
text("lax_conv", "LO", lambda x, w: lax.conv(x, w, (1,), "SAME"))
text("lax_conv_nhwc", "IK", convolve_nhwc)
text("lax_conv_preferred", "LO", lambda x, w: lax.conv(x, w, (2,), "VALID", preferred_element_type=jnp.float32))
text("lax_conv_groups", "LG", lambda x, w: lax.conv_general_dilated(x, w, (1,), [(2, -1)], rhs_dilation=(2,), feature_group_count=2))
text("lax_conv_with_general_padding", "LO", lambda x, w: lax.conv_with_general_padding(x, w, (2,), [(1, 3)], (2,), None))
text("lax_conv_transpose", "IK", lambda x, w: lax.conv_transpose(x, w, (2, 1), "SAME"))
text("lax_conv_transpose_kernel", "IK", lambda x, w: lax.conv_transpose(lax.pad(x, jnp.float32(0), [(0, 0, 0)] * 3 + [(0, 1, 0)]), w, (2, 1), "VALID", transpose_kernel=True))
text("lax_conv_patches", "I", lambda x: lax.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME", dimension_numbers=NHWC))
text("lax_cholesky", "q", lambda x: lax.linalg.cholesky(x))
text("lax_cholesky_as_it_is", "q", lambda x: lax.linalg.cholesky(x, symmetrize_input=False))
text("lax_cholesky_batch", "B", lambda x: lax.linalg.cholesky(x))
text("lax_lu", "q", lambda x: lax.linalg.lu(x))
text("lax_triangular_solve", "qq", lambda x, y: lax.linalg.triangular_solve(x, y))
text("lax_triangular_solve_vector", "q2", lambda x, y: lax.linalg.triangular_solve(x, y, left_side=True, lower=True))
text("lax_rng_bit_generator", "k", lambda x: lax.rng_bit_generator(x, (3,)))
text("associative_scan", "e", lambda x: lax.associative_scan(lax.add, x))
text("associative_scan_reverse", "m", lambda x: lax.associative_scan(lax.add, x, reverse=True, axis=1))
text("associative_scan_even", "m", lambda x: lax.associative_scan(lax.max, x))

# --- their transformations -----------------------------------------------------------------------

text("value_and_grad_neg", "s", jax.value_and_grad(lambda x: lax.neg(x)))
text("value_and_grad_exp", "s", jax.value_and_grad(lambda x: lax.exp(x)))
text("value_and_grad_log", "s", jax.value_and_grad(lambda x: lax.log(x)))
text("value_and_grad_sin", "s", jax.value_and_grad(lambda x: lax.sin(x)))
text("value_and_grad_cos", "s", jax.value_and_grad(lambda x: lax.cos(x)))
text("value_and_grad_tan", "s", jax.value_and_grad(lambda x: lax.tan(x)))
text("value_and_grad_asin", "s", jax.value_and_grad(lambda x: lax.asin(x)))
text("value_and_grad_acos", "s", jax.value_and_grad(lambda x: lax.acos(x)))
text("value_and_grad_atan", "s", jax.value_and_grad(lambda x: lax.atan(x)))
text("value_and_grad_sinh", "s", jax.value_and_grad(lambda x: lax.sinh(x)))
text("value_and_grad_cosh", "s", jax.value_and_grad(lambda x: lax.cosh(x)))
text("value_and_grad_asinh", "s", jax.value_and_grad(lambda x: lax.asinh(x)))
text("value_and_grad_acosh", "s", jax.value_and_grad(lambda x: lax.acosh(x)))
text("value_and_grad_atanh", "s", jax.value_and_grad(lambda x: lax.atanh(x)))
text("value_and_grad_sqrt", "s", jax.value_and_grad(lambda x: lax.sqrt(x)))
text("value_and_grad_rsqrt", "s", jax.value_and_grad(lambda x: lax.rsqrt(x)))
text("value_and_grad_square", "s", jax.value_and_grad(lambda x: lax.square(x)))
text("value_and_grad_logistic", "s", jax.value_and_grad(lambda x: lax.logistic(x)))
text("value_and_grad_log1p", "s", jax.value_and_grad(lambda x: lax.log1p(x)))
text("value_and_grad_expm1", "s", jax.value_and_grad(lambda x: lax.expm1(x)))
text("value_and_grad_erf", "s", jax.value_and_grad(lambda x: lax.erf(x)))
text("value_and_grad_erfc", "s", jax.value_and_grad(lambda x: lax.erfc(x)))
text("value_and_grad_lgamma", "s", jax.value_and_grad(lambda x: lax.lgamma(x)))
text("value_and_grad_digamma", "s", jax.value_and_grad(lambda x: lax.digamma(x)))
text("value_and_grad_cbrt", "s", jax.value_and_grad(lambda x: lax.cbrt(x)))
text("value_and_grad_exp2", "s", jax.value_and_grad(lambda x: lax.exp2(x)))
text("value_and_grad_integer_pow_3", "s", jax.value_and_grad(lambda x: lax.integer_pow(x, 3)))
text("value_and_grad_reciprocal", "s", jax.value_and_grad(lambda x: lax.reciprocal(x)))
text("value_and_grad_erf_inv", "s", jax.value_and_grad(lambda x: lax.erf_inv(x)))
text("value_and_grad_bessel_i0e", "s", jax.value_and_grad(lambda x: lax.bessel_i0e(x)))
text("grad_both_add", "ss", jax.value_and_grad(lambda x, y: lax.add(x, y), argnums=(0, 1)))
text("grad_both_sub", "ss", jax.value_and_grad(lambda x, y: lax.sub(x, y), argnums=(0, 1)))
text("grad_both_mul", "ss", jax.value_and_grad(lambda x, y: lax.mul(x, y), argnums=(0, 1)))
text("grad_both_atan2", "ss", jax.value_and_grad(lambda x, y: lax.atan2(x, y), argnums=(0, 1)))
text("jvp_sin", "ss", lambda x, dx: jax.jvp(lax.sin, (x,), (dx,)))
text("jvp_exp", "ss", lambda x, dx: jax.jvp(lax.exp, (x,), (dx,)))
text("jvp_mul", "ssss", lambda x, y, dx, dy: jax.jvp(lax.mul, (x, y), (dx, dy)))
text("jvp_sub", "ssss", lambda x, y, dx, dy: jax.jvp(lax.sub, (x, y), (dx, dy)))
text("jvp_add", "ssss", lambda x, y, dx, dy: jax.jvp(lax.add, (x, y), (dx, dy)))
text("value_and_grad_product", "ss", jax.value_and_grad(sin_times))
text("grad_sum_of_squares", "v", jax.value_and_grad(sum_of_squares))
text("grad_dot", "vv", jax.value_and_grad(lambda x, y: lax.dot(x, y), argnums=(0, 1)))
text("grad_conv", "IK", jax.value_and_grad(sum_of_convolution, (0, 1)))
text("vmap_conv", "LO", jax.vmap(lambda x, w: lax.conv(lax.reshape(x, (1, 4, 6)), w, (1,), "SAME"), in_axes=(0, None)))
text("grad_sum_of_logistic", "v", jax.value_and_grad(sum_of_logistic))
text("vmap_value_and_grad", "vv", jax.vmap(jax.value_and_grad(sin_times)))
text("jit_value_and_grad", "ss", jax.jit(jax.value_and_grad(sin_times)))
text("vmap_vmap", "mm", jax.vmap(jax.vmap(sin_times)))
text("grad_layer", "nmv", jax.value_and_grad(layer))
text("vmap_product", "vv", jax.vmap(sin_times))
text("vmap_one", "vs", jax.vmap(sin_times, in_axes=(0, None)))
text("vmap_dot", "mv", jax.vmap(lambda x, y: lax.dot(x, y), in_axes=(0, None)))
text("vmap_sort", "m", jax.vmap(lambda x: lax.sort(x)))
text("vmap_cumsum", "m", jax.vmap(lambda x: lax.cumsum(x)))
text("jit_product", "ss", jax.jit(sin_times))
text("jit_vmap", "vv", jax.jit(jax.vmap(sin_times)))
text("vmap_jit", "vv", jax.vmap(jax.jit(sin_times)))
text("checkpoint_product", "ss", jax.checkpoint(sin_times))
text("vmap_checkpoint", "vv", jax.vmap(jax.checkpoint(sin_times)))
text("vjp_product", "sss", product_and_vjp)

WINDOW = dict(window_dimensions=(1, 2), window_strides=(1, 2), padding="SAME")
window_max = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, **WINDOW)
window_min = lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 2), padding=((0, 1), (-1, 2)), base_dilation=(1, 2), window_dilation=(2, 1))
window_sum = lambda x: lax.reduce_window(x, 0.0, lax.add, **WINDOW)
text("lax_reduce_window_max", "m", window_max)
text("lax_reduce_window_min", "m", window_min)
text("lax_reduce_window_sum", "m", window_sum)
text("lax_reduce_window_mul", "m", lambda x: lax.reduce_window(x, 1.0, lax.mul, **WINDOW))
text("lax_reduce_window_other_identity", "m", lambda x: lax.reduce_window(x, 1.0, lax.add, (2, 2)))
text("lax_reduce_window_function", "m", lambda x: lax.reduce_window(x, 0.0, lambda a, b: (a + b) * 2, (2, 1), window_strides=(1, 3), padding="SAME_LOWER"))
text("lax_reduce_window_list", "mm", lambda x, y: lax.reduce_window((x, y), (1.0, 2.0), add_and_max, (2, 2)))
text("lax_reduce_window_integers", "i", lambda x: lax.reduce_window(x, 0, lax.add, (2,)))
text("value_and_grad_window_max", "m", jax.value_and_grad(lambda x: lax.reduce_sum(window_max(x), (0, 1))))
text("value_and_grad_window_sum", "m", jax.value_and_grad(lambda x: lax.reduce_sum(window_sum(x), (0, 1))))
text("jvp_window_max", "mm", lambda x, t: jax.jvp(window_max, (x,), (t,)))
text("vmap_window_max", "n", jax.vmap(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2,))))


# --- control flow ----------------------------------------------------------------------------------

def sin_if_positive(x):
    return lax.cond(lax.gt(x, 0.0), lax.sin, lax.cos, x)


def trade_if_positive(x, y):
    return lax.cond(lax.gt(x, 0.0), lambda a, b: (b, a), lambda a, b: (lax.mul(a, b), b), x, y)


def captured_if_positive(x, y):
    return lax.cond(lax.gt(x, 0.0), lambda a: lax.add(a, y), lambda a: lax.sub(a, x), y)


def captured_by_both(x, y):
    return lax.cond(lax.gt(x, 0.0), lambda a: lax.add(a, y), lambda a: lax.sub(a, y), x)


def switch_between_three(i, x):
    return lax.switch(i, [lax.sin, lax.cos, lax.neg], x)


def cond_in_cond(x):
    return lax.cond(lax.gt(x, 1.0), sin_if_positive, lax.neg, x)


def running_sum(xs, scale):
    return lax.scan(lambda c, x: (lax.add(c, lax.mul(x, scale)), c), jnp.float32(0), xs)


def doubled_while_small(x, limit):
    return lax.while_loop(lambda a: lax.lt(a, limit), lambda a: lax.add(a, a), x)


text("cond", "s", sin_if_positive)
text("cond_two_results", "ss", trade_if_positive)
text("cond_captured", "ss", captured_if_positive)
text("cond_captured_by_both", "ss", captured_by_both)
text("cond_in_cond", "s", cond_in_cond)
text("switch", "js", switch_between_three)
text("vmap_switch", "jv", jax.vmap(switch_between_three, in_axes=(None, 0)))
text("jvp_cond", "ss", lambda x, t: jax.jvp(sin_if_positive, (x,), (t,)))
text("jit_cond", "s", jax.jit(sin_if_positive))
text("scan", "vs", running_sum)
text("scan_reverse", "v", lambda xs: lax.scan(lambda c, x: (lax.add(c, x), lax.neg(x)), jnp.float32(1), xs, reverse=True))
text("vmap_scan", "ms", jax.vmap(running_sum, in_axes=(0, None)))
text("jvp_scan", "vv", lambda x, t: jax.jvp(lambda x: lax.scan(lambda c, x: (lax.mul(c, x), c), jnp.float32(1), x), (x,), (t,)))
text("while_loop", "ss", doubled_while_small)
text("fori_loop", "s", lambda x: lax.fori_loop(0, 3, lambda i, a: lax.add(a, a), x))
text("fori_loop_of_so_many", "sj", lambda x, n: lax.fori_loop(0, n, lambda i, a: lax.add(a, a), x))
text("lax_map", "m", lambda x: lax.map(lax.sin, x))


# -------------------------------------------------------------------------------------------------

def main():
    with open(OUT, "w") as out:
        out.write("# made by scripts/golden/make_jaxpr_texts.py with JAX %s\n" % jax.__version__)
        for name, make, examples in CASES:
            text = str(jax.make_jaxpr(make())(*examples))
            # the reducer of a reduction is in its jaxpr; scatter-add and its kin say by their names what theirs is
            text = re.sub(r"\n *computation=<function [^\n]*", "", text)
            text = re.sub(r"update_jaxpr=\{[^\n]*\}", "update_jaxpr=None", text)
            if "np.int64" in text: # by which the line of a pad is too long
                text = re.sub(r"np\.int64\((-?\d+)\)", r"\1", text)
                text = re.sub(r"pad\[\n *(padding_config=[^\n]*)\n *\]", r"pad[\1]", text)
            if re.search(r" at 0x[0-9a-fA-F]+", text):
                raise SystemExit("%s: the text has an address" % name)
            out.write("\n== %s\n%s\n" % (name, text))


if __name__ == "__main__":
    main()
