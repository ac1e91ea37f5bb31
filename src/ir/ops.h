/* SPDX-License-Identifier: Apache-2.0
 * ops.h -- one typed builder helper per primitive, and the small compositions that rules and libraries share. All
 * operands of an elementwise primitive have one dtype; each is of the common shape or a scalar. */
#ifndef KN_IR_OPS_H
#define KN_IR_OPS_H
#include "ir/builder.h"

/* The forms of prims.def: knb_exp, knb_add, knb_gather, knb_reduce_sum, ... */
#define KN_PRIM(id)
#define KN_PRIM_1(id) kn_atom knb_##id(kn_builder *b, kn_atom x);
#define KN_PRIM_2(id) kn_atom knb_##id(kn_builder *b, kn_atom x, kn_atom y);
#define KN_PRIM_3(id) kn_atom knb_##id(kn_builder *b, kn_atom x, kn_atom y, kn_atom z);
#define KN_PRIM_1P(id, set) kn_atom knb_##id(kn_builder *b, kn_atom x, const kn_p_##set *p);
#define KN_PRIM_2P(id, set) kn_atom knb_##id(kn_builder *b, kn_atom x, kn_atom y, const kn_p_##set *p);
#define KN_PRIM_3P(id, set) kn_atom knb_##id(kn_builder *b, kn_atom x, kn_atom y, kn_atom z, const kn_p_##set *p);
#define KN_PRIM_REDUCES(id) kn_atom knb_##id(kn_builder *b, kn_atom x, int n, const int64_t *axes);
#define KN_PRIM_CUMULATES(id) kn_atom knb_##id(kn_builder *b, kn_atom x, int axis, bool reverse);
#include "ir/prims.def"
/* The others. */
kn_atom knb_conj(kn_builder *b, kn_atom x); /* real operands come back as they are */
kn_atom knb_round(kn_builder *b, kn_atom x, bool to_even); /* halves away from zero, or to even numbers */
kn_atom knb_reduce_precision(kn_builder *b, kn_atom x, int exponent_bits, int mantissa_bits);
void knb_optimization_barrier(kn_builder *b, int n, const kn_atom *x, kn_atom *out);
kn_atom knb_integer_pow(kn_builder *b, kn_atom x, int64_t y);
/* sum of cotangents; either may be KN_ATOM_ZERO, then nothing is emitted */
kn_atom knb_add_any(kn_builder *b, kn_atom x, kn_atom y);
/* which: bool (2 cases: false first) or int32; scalar or full shape */
kn_atom knb_select_n(kn_builder *b, kn_atom which, int n, const kn_atom *cases);
/* select_n with the cases in the order people think; broadcasts scalar cases */
kn_atom knb_select(kn_builder *b, kn_atom pred, kn_atom yes, kn_atom no);
/* As jax.lax.convert_element_type; nothing if it has the dtype; literals are converted in place. */
kn_atom knb_convert(kn_builder *b, kn_atom x, kn_dtype d);
/* The same as NumPy's astype: they differ for floats outside of the range of integers, and for complex to bool. */
kn_atom knb_astype(kn_builder *b, kn_atom x, kn_dtype d);
/* These two, but never x itself: a weak one as an array. */
kn_atom knb_strong(kn_builder *b, kn_atom x, kn_dtype d);
kn_atom knb_strong_astype(kn_builder *b, kn_atom x, kn_dtype d);
kn_atom knb_bitcast(kn_builder *b, kn_atom x, kn_dtype d);
/* to a dtype of another size: the last axis is that much longer or shorter */
kn_atom knb_bitcast_last_axis(kn_builder *b, kn_atom x, kn_dtype d);
kn_atom knb_broadcast_in_dim(kn_builder *b, kn_atom x, int ndim, const int64_t *shape,
                             const int64_t *broadcast_dimensions);
/* nothing if it has the shape */
kn_atom knb_reshape(kn_builder *b, kn_atom x, int ndim, const int64_t *shape);
kn_atom knb_squeeze(kn_builder *b, kn_atom x, int n, const int64_t *dimensions);
kn_atom knb_transpose(kn_builder *b, kn_atom x, const int64_t *permutation); /* nothing for the identity */
kn_atom knb_rev(kn_builder *b, kn_atom x, int n, const int64_t *dimensions);
kn_atom knb_slice(kn_builder *b, kn_atom x, const int64_t *start, const int64_t *limit,
                  const int64_t *strides /* NULL: 1 */);
kn_atom knb_concatenate(kn_builder *b, int n, const kn_atom *x, int dimension);
/* out: as many as there are sizes */
void knb_split(kn_builder *b, kn_atom x, int n, const int64_t *sizes, int axis, kn_atom *out);
kn_atom knb_stack(kn_builder *b, int n, const kn_atom *x, int axis);
void knb_unstack(kn_builder *b, kn_atom x, int axis, int n, kn_atom *out); /* n: the extent of the axis */
kn_atom knb_tile(kn_builder *b, kn_atom x, const int64_t *reps);
kn_atom knb_pad(kn_builder *b, kn_atom x, kn_atom value, const int64_t *lo, const int64_t *hi,
                const int64_t *interior /* NULL: 0 */);
kn_atom knb_iota(kn_builder *b, kn_dtype d, int ndim, const int64_t *shape, int dimension);
void knb_check_bounds(kn_builder *b, kn_atom indices, const kn_p_check_bounds *p);
kn_atom knb_dynamic_slice(kn_builder *b, kn_atom x, const kn_atom *start /* ndim integer scalars */,
                          const int64_t *slice_sizes);
kn_atom knb_dynamic_update_slice(kn_builder *b, kn_atom x, kn_atom update, const kn_atom *start);
/* the same with `strides` between the elements that are replaced */
kn_atom knb_strided_update(kn_builder *b, kn_atom x, kn_atom update, const kn_atom *start, const int64_t *strides);
/* x: n arrays, then n scalars to begin with; j: of 2 n scalars */
void knb_reduce(kn_builder *b, int n, const kn_atom *x, kni_jaxpr *j, int n_dimensions, const int64_t *dimensions,
                kn_atom *out);
/* Over windows; of p the members that the row has fields for. */
void knb_reduce_window(kn_builder *b, int n, const kn_atom *x, const kn_p_window *p, kn_atom *out); /* as knb_reduce */
kn_atom knb_argmax(kn_builder *b, kn_atom x, int axis, kn_dtype index_dtype);
kn_atom knb_argmin(kn_builder *b, kn_atom x, int axis, kn_dtype index_dtype);
void knb_sort(kn_builder *b, int n, const kn_atom *x, int dimension, int num_keys, kn_atom *out);
void knb_top_k(kn_builder *b, kn_atom x, int axis, int64_t k, kn_atom out[2]); /* the largest, and their positions */
/* Matrices are the last two axes. */
kn_atom knb_cholesky(kn_builder *b, kn_atom x, kn_factor_check check);
void knb_lu(kn_builder *b, kn_atom x, kn_factor_check check, kn_atom out[3]); /* factors, pivots, permutation */
/* uint32: key0, key1, count0, count1 */
void knb_threefry2x32(kn_builder *b, const kn_atom x[4], kn_atom out[2]);
kn_atom knb_random_bits(kn_builder *b, kn_atom key, int bit_width, int ndim, const int64_t *shape);
/* keys -> keys of one more shape */
kn_atom knb_random_split(kn_builder *b, kn_atom key, int ndim, const int64_t *shape);
/* a sample of Gamma(a, 1) for each a, or its logarithm; keys: of the shape of a's first axes */
kn_atom knb_random_gamma(kn_builder *b, kn_atom keys, kn_atom a, bool log_space);
/* state: uint32[4] or uint64[2]; out: the next state, unsigned integers */
void knb_rng_bit_generator(kn_builder *b, kn_atom state, const kn_p_rng_bit_generator *p, kn_atom out[2]);
void knb_jit(kn_builder *b, const char *name, kni_jaxpr *j, int n_const, const kn_atom *in, kn_atom *out);
/* in: constants of the condition, constants of the body, carry; out: the last carry */
void knb_while(kn_builder *b, const kn_p_while *p, const kn_atom *in, kn_atom *out);
/* in: constants, carries, inputs; out: carries, outputs */
void knb_scan(kn_builder *b, const kn_p_scan *p, const kn_atom *in, kn_atom *out);
/* in: index, what the branches take */
void knb_cond(kn_builder *b, const kn_p_cond *p, const kn_atom *in, kn_atom *out);

/* over named axes */
kn_atom knb_psum(kn_builder *b, kn_atom x, kn_names axes);
kn_atom knb_pmax(kn_builder *b, kn_atom x, kn_names axes);
kn_atom knb_pmin(kn_builder *b, kn_atom x, kn_names axes);
kn_atom knb_pbroadcast(kn_builder *b, kn_atom x, kn_names axis, int64_t source);
kn_atom knb_axis_index(kn_builder *b, kn_names axis); /* int32 */

/* the user's code; fmt and callback as kn_p_callback has them */
void knb_debug_print(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x);
void knb_debug_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x);
void knb_pure_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x, kn_atom *y, int n_out);
void knb_io_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x, kn_atom *y, int n_out);

/* Compositions. */
/* samples.c. Real numbers of JAX's bits, of the keys' shape with another one behind it: in [0, 1); in [lo, hi), which
 * are scalars or of the result's shape; normal ones; of the exponential distribution. */
kn_atom knb_random_unit(kn_builder *b, kn_atom keys, kn_dtype d, int ndim, const int64_t *shape);
kn_atom knb_random_uniform(kn_builder *b, kn_atom keys, kn_dtype d, int ndim, const int64_t *shape, kn_atom lo,
                           kn_atom hi);
kn_atom knb_random_normal(kn_builder *b, kn_atom keys, kn_dtype d, int ndim, const int64_t *shape);
kn_atom knb_random_exponential(kn_builder *b, kn_atom keys, kn_dtype d, int ndim, const int64_t *shape);
/* key number i of those that a split of each key gives, whatever their number is */
kn_atom knb_subkey(kn_builder *b, kn_atom keys, int i);
kn_atom knb_number(kn_builder *b, kn_dtype d, double v); /* a scalar literal */
kn_atom knb_integer(kn_builder *b, kn_dtype d, int64_t v);
/* a scalar literal of x's dtype */
kn_atom knb_like(kn_builder *b, kn_atom x, double v);
/* a literal, broadcast to t's shape unless it is a scalar */
kn_atom knb_full(kn_builder *b, kn_type t, double v);
/* of any dtype with zero (not keys) */
kn_atom knb_zeros(kn_builder *b, kn_type t);
/* NumPy's rule: aligned at the last axis; nothing if it fits already */
kn_atom knb_broadcast_to(kn_builder *b, kn_atom x, kn_type shape_of);
/* a new axis of extent 1, by broadcast_in_dim */
kn_atom knb_expand_dims(kn_builder *b, kn_atom x, int axis);
kn_atom knb_move_axis(kn_builder *b, kn_atom x, int from, int to);
/* Of matrices in the last two axes: their transposes, products, rows in the order of a permutation, and the elements on
 * and below the diagonal number k (lower) or on and above it, zeros elsewhere. */
kn_atom knb_swap_last(kn_builder *b, kn_atom x);
kn_atom knb_matrix_product(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knb_permute_rows(kn_builder *b, kn_atom x, kn_atom permutation);
kn_atom knb_triangle(kn_builder *b, kn_atom x, bool lower, int64_t k);
kn_atom knb_on_diagonal(kn_builder *b, kn_atom x, kn_atom yes, kn_atom no); /* of x's shape; scalars, or of it */
/* sign(x) t; complex: Re(conj(x) t) / |x|, 0 at 0 */
kn_atom knb_abs_derivative(kn_builder *b, kn_atom x, kn_atom y, kn_atom t);
/* t (i0e(x) - y (sign(x) + 1 / x)) for y = i1e(x); t / 2 at 0 */
kn_atom knb_i1e_derivative(kn_builder *b, kn_atom x, kn_atom y, kn_atom t);
/* t / sqrt(x^2 - 1), on the branch that acosh is on left of the imaginary axis, too */
kn_atom knb_acosh_derivative(kn_builder *b, kn_atom x, kn_atom t);
/* a, or zeros of t if a is KN_ATOM_ZERO */
kn_atom knb_instantiate(kn_builder *b, kn_atom a, kn_type t);
#include "ir/order.h"
#endif
