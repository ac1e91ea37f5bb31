/* SPDX-License-Identifier: Apache-2.0
 * ops.h -- one typed builder helper per primitive, and the small compositions that rules and libraries share. All
 * operands of an elementwise primitive have one dtype; each is of the common shape or a scalar. */
#ifndef KN_IR_OPS_H
#define KN_IR_OPS_H
#include "ir/builder.h"

/* The forms of prims.def: knb_exp, knb_add, knb_gather, knb_reduce_sum, ... */
#define KN_PRIM(id)
#define KN_PRIM_1(id) kni_atom knb_##id(kni_builder *b, kni_atom x);
#define KN_PRIM_2(id) kni_atom knb_##id(kni_builder *b, kni_atom x, kni_atom y);
#define KN_PRIM_3(id) kni_atom knb_##id(kni_builder *b, kni_atom x, kni_atom y, kni_atom z);
#define KN_PRIM_1P(id, set) kni_atom knb_##id(kni_builder *b, kni_atom x, const kni_p_##set *p);
#define KN_PRIM_2P(id, set) kni_atom knb_##id(kni_builder *b, kni_atom x, kni_atom y, const kni_p_##set *p);
#define KN_PRIM_3P(id, set) kni_atom knb_##id(kni_builder *b, kni_atom x, kni_atom y, kni_atom z, const kni_p_##set *p);
#define KN_PRIM_REDUCES(id) kni_atom knb_##id(kni_builder *b, kni_atom x, int n, const int64_t *axes);
#define KN_PRIM_CUMULATES(id) kni_atom knb_##id(kni_builder *b, kni_atom x, int axis, bool reverse);
#include "ir/prims.def"
/* The others. */
kni_atom knb_conj(kni_builder *b, kni_atom x); /* real operands come back as they are */
kni_atom knb_round(kni_builder *b, kni_atom x, bool to_even); /* halves away from zero, or to even numbers */
kni_atom knb_reduce_precision(kni_builder *b, kni_atom x, int exponent_bits, int mantissa_bits);
void knb_optimization_barrier(kni_builder *b, int n, const kni_atom *x, kni_atom *out);
kni_atom knb_integer_pow(kni_builder *b, kni_atom x, int64_t y);
/* sum of cotangents; either may be KN_ATOM_ZERO, then nothing is emitted */
kni_atom knb_add_any(kni_builder *b, kni_atom x, kni_atom y);
/* which: bool (2 cases: false first) or int32; scalar or full shape */
kni_atom knb_select_n(kni_builder *b, kni_atom which, int n, const kni_atom *cases);
/* select_n with the cases in the order people think; broadcasts scalar cases */
kni_atom knb_select(kni_builder *b, kni_atom pred, kni_atom yes, kni_atom no);
/* As jax.lax.convert_element_type; nothing if it has the dtype; literals are converted in place. */
kni_atom knb_convert(kni_builder *b, kni_atom x, kn_dtype d);
/* The same as NumPy's astype: they differ for floats outside of the range of integers, and for complex to bool. */
kni_atom knb_astype(kni_builder *b, kni_atom x, kn_dtype d);
/* These two, but never x itself: a weak one as an array. */
kni_atom knb_strong(kni_builder *b, kni_atom x, kn_dtype d);
kni_atom knb_strong_astype(kni_builder *b, kni_atom x, kn_dtype d);
kni_atom knb_bitcast(kni_builder *b, kni_atom x, kn_dtype d);
/* to a dtype of another size: the last axis is that much longer or shorter */
kni_atom knb_bitcast_last_axis(kni_builder *b, kni_atom x, kn_dtype d);
kni_atom knb_broadcast_in_dim(kni_builder *b, kni_atom x, int ndim, const int64_t *shape,
                             const int64_t *broadcast_dimensions);
/* nothing if it has the shape */
kni_atom knb_reshape(kni_builder *b, kni_atom x, int ndim, const int64_t *shape);
kni_atom knb_squeeze(kni_builder *b, kni_atom x, int n, const int64_t *dimensions);
kni_atom knb_transpose(kni_builder *b, kni_atom x, const int64_t *permutation); /* nothing for the identity */
kni_atom knb_rev(kni_builder *b, kni_atom x, int n, const int64_t *dimensions);
kni_atom knb_slice(kni_builder *b, kni_atom x, const int64_t *start, const int64_t *limit,
                  const int64_t *strides /* NULL: 1 */);
kni_atom knb_concatenate(kni_builder *b, int n, const kni_atom *x, int dimension);
/* out: as many as there are sizes */
void knb_split(kni_builder *b, kni_atom x, int n, const int64_t *sizes, int axis, kni_atom *out);
kni_atom knb_stack(kni_builder *b, int n, const kni_atom *x, int axis);
void knb_unstack(kni_builder *b, kni_atom x, int axis, int n, kni_atom *out); /* n: the extent of the axis */
kni_atom knb_tile(kni_builder *b, kni_atom x, const int64_t *reps);
kni_atom knb_pad(kni_builder *b, kni_atom x, kni_atom value, const int64_t *lo, const int64_t *hi,
                const int64_t *interior /* NULL: 0 */);
kni_atom knb_iota(kni_builder *b, kn_dtype d, int ndim, const int64_t *shape, int dimension);
/* A dimension as an int64 scalar. For a plain number a literal is simpler: knb_integer. */
kni_atom knb_dim_as_value(kni_builder *b, int64_t d);
/* The same, where numbers that this dtype does not hold are an OverflowError. */
kni_atom knb_dim_that_fits(kni_builder *b, int64_t d, kn_dtype fits);
/* A dimension as a number of this dtype: a literal, or of an expression what dim_as_value gives. */
kni_atom knb_dimension(kni_builder *b, kn_dtype d, int64_t n);
void knb_check_bounds(kni_builder *b, kni_atom indices, const kni_p_check_bounds *p);
kni_atom knb_dynamic_slice(kni_builder *b, kni_atom x, const kni_atom *start /* ndim integer scalars */,
                          const int64_t *slice_sizes);
kni_atom knb_dynamic_update_slice(kni_builder *b, kni_atom x, kni_atom update, const kni_atom *start);
/* the same with `strides` between the elements that are replaced */
kni_atom knb_strided_update(kni_builder *b, kni_atom x, kni_atom update, const kni_atom *start, const int64_t *strides);
/* x: n arrays, then n scalars to begin with; j: of 2 n scalars */
void knb_reduce(kni_builder *b, int n, const kni_atom *x, kni_jaxpr *j, int n_dimensions, const int64_t *dimensions,
                kni_atom *out);
/* Over windows; of p the members that the row has fields for. */
/* as knb_reduce */
void knb_reduce_window(kni_builder *b, int n, const kni_atom *x, const kni_p_window *p, kni_atom *out);
kni_atom knb_argmax(kni_builder *b, kni_atom x, int axis, kn_dtype index_dtype);
kni_atom knb_argmin(kni_builder *b, kni_atom x, int axis, kn_dtype index_dtype);
void knb_sort(kni_builder *b, int n, const kni_atom *x, int dimension, int num_keys, kni_atom *out);
kni_atom knb_argsort(kni_builder *b, int n, const kni_atom *x, int dimension); /* int64 positions, by n keys */
void knb_top_k(kni_builder *b, kni_atom x, int axis, int64_t k, kni_atom out[2]); /* the largest, and their positions */
/* Matrices are the last two axes. */
kni_atom knb_cholesky(kni_builder *b, kni_atom x, kni_factor_check check);
void knb_lu(kni_builder *b, kni_atom x, kni_factor_check check, kni_atom out[3]); /* factors, pivots, permutation */
/* Inverses, or solutions of systems with small real matrices (knp_is_small); with p->factors lu's first and last
 * result. */
void knb_inv(kni_builder *b, kni_atom x, const kni_p_solve *p, kni_atom *out);
void knb_solve(kni_builder *b, const kni_atom x[2], const kni_p_solve *p, kni_atom *out);
/* q, r and with p->pivoting the positions of columns; packed factors and those of reflections */
void knb_qr(kni_builder *b, kni_atom x, const kni_p_qr *p, kni_atom *out);
void knb_geqrf(kni_builder *b, kni_atom x, kni_atom out[2]);
/* vectors, unless p->values_only, then eigenvalues */
void knb_eigh(kni_builder *b, kni_atom x, const kni_p_eigh *p, kni_atom *out);
/* packed matrix, diagonal, subdiagonal, factors */
void knb_tridiagonal(kni_builder *b, kni_atom x, const kni_p_tridiagonal *p, kni_atom out[4]);
void knb_svd(kni_builder *b, kni_atom x, const kni_p_svd *p, kni_atom *out); /* s, with compute_uv u and vh */
/* eigenvalues, and with their flags left and right eigenvectors; the triangular form, and its vectors; the packed form,
 * and factors; x of the diagonals below, on and above, and right-hand sides */
void knb_eig(kni_builder *b, kni_atom x, const kni_p_eig *p, kni_atom *out);
void knb_schur(kni_builder *b, kni_atom x, const kni_p_schur *p, kni_atom *out);
void knb_hessenberg(kni_builder *b, kni_atom x, kni_atom out[2]);
kni_atom knb_tridiagonal_solve(kni_builder *b, const kni_atom x[4]);
void knb_ldl(kni_builder *b, kni_atom x, const kni_p_ldl *p, kni_atom out[3]); /* l, d, order of l's rows */
/* uint32: key0, key1, count0, count1 */
void knb_threefry2x32(kni_builder *b, const kni_atom x[4], kni_atom out[2]);
kni_atom knb_random_bits(kni_builder *b, kni_atom key, int bit_width, int ndim, const int64_t *shape);
/* keys -> keys of one more shape */
kni_atom knb_random_split(kni_builder *b, kni_atom key, int ndim, const int64_t *shape);
/* a sample of Gamma(a, 1) for each a, or its logarithm; keys: of the shape of a's first axes */
kni_atom knb_random_gamma(kni_builder *b, kni_atom keys, kni_atom a, bool log_space);
/* state: uint32[4] or uint64[2]; out: the next state, unsigned integers */
void knb_rng_bit_generator(kni_builder *b, kni_atom state, const kni_p_rng_bit_generator *p, kni_atom out[2]);
void knb_jit(kni_builder *b, const char *name, kni_jaxpr *j, int n_const, const kni_atom *in, kni_atom *out);
/* in: constants of the condition, constants of the body, carry; out: the last carry */
void knb_while(kni_builder *b, const kni_p_while *p, const kni_atom *in, kni_atom *out);
/* in: constants, carries, inputs; out: carries, outputs */
void knb_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *out);
/* in: index, what the branches take */
void knb_cond(kni_builder *b, const kni_p_cond *p, const kni_atom *in, kni_atom *out);

/* over named axes: of a vmap, or of a mesh (kni_p_all_gather says what that means) */
kni_atom knb_psum(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh);
/* the sum of nothing but -0 being -0 */
kni_atom knb_psum_minus_zeros(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh);
kni_atom knb_pmax(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh);
kni_atom knb_pmin(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh);
kni_atom knb_pbroadcast(kni_builder *b, kni_atom x, kni_names axis, int64_t source, const kni_mesh *mesh);
kni_atom knb_axis_index(kni_builder *b, kni_names axis, const kni_mesh *mesh); /* int32 */

/* the user's code; fmt and callback as kni_p_callback has them */
void knb_debug_print(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x);
void knb_debug_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x);
void knb_pure_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x, kni_atom *y, int n_out);
void knb_io_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x, kni_atom *y, int n_out);

/* Compositions. */
/* samples.c. Real numbers of JAX's bits, of the keys' shape with another one behind it: in [0, 1); in [lo, hi), which
 * are scalars or of the result's shape; normal ones; of the exponential distribution. */
kni_atom knb_random_unit(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape);
kni_atom knb_random_uniform(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape, kni_atom lo,
                           kni_atom hi);
kni_atom knb_random_normal(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape);
kni_atom knb_random_exponential(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape);
/* key number i of those that a split of each key gives, whatever their number is */
kni_atom knb_subkey(kni_builder *b, kni_atom keys, int i);
kni_atom knb_number(kni_builder *b, kn_dtype d, double v); /* a scalar literal */
kni_atom knb_integer(kni_builder *b, kn_dtype d, int64_t v);
/* a scalar literal of x's dtype */
kni_atom knb_like(kni_builder *b, kni_atom x, double v);
/* a literal, broadcast to t's shape unless it is a scalar */
kni_atom knb_full(kni_builder *b, kni_type t, double v);
/* of any dtype with zero (not keys) */
kni_atom knb_zeros(kni_builder *b, kni_type t);
/* NumPy's rule: aligned at the last axis; nothing if it fits already */
kni_atom knb_broadcast_to(kni_builder *b, kni_atom x, kni_type shape_of);
/* a new axis of extent 1, by broadcast_in_dim */
kni_atom knb_expand_dims(kni_builder *b, kni_atom x, int axis);
kni_atom knb_move_axis(kni_builder *b, kni_atom x, int from, int to);
/* Of matrices in the last two axes: their transposes, products, rows in the order of a permutation, and the elements on
 * and below the diagonal number k (lower) or on and above it, zeros elsewhere. */
kni_atom knb_swap_last(kni_builder *b, kni_atom x);
kni_atom knb_matrix_product(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knb_permute_rows(kni_builder *b, kni_atom x, kni_atom permutation);
kni_atom knb_triangle(kni_builder *b, kni_atom x, bool lower, int64_t k);
kni_atom knb_moved(kni_builder *b, kni_atom x, int axis, int64_t by); /* so many places on, zeros where nothing was */
kni_atom knb_on_diagonal(kni_builder *b, kni_atom x, kni_atom yes, kni_atom no); /* of x's shape; scalars, or of it */
/* sign(x) t; complex: Re(conj(x) t) / |x|, 0 at 0 */
kni_atom knb_abs_derivative(kni_builder *b, kni_atom x, kni_atom y, kni_atom t);
/* t (i0e(x) - y (sign(x) + 1 / x)) for y = i1e(x); t / 2 at 0 */
kni_atom knb_i1e_derivative(kni_builder *b, kni_atom x, kni_atom y, kni_atom t);
/* t / sqrt(x^2 - 1), on the branch that acosh is on left of the imaginary axis, too */
kni_atom knb_acosh_derivative(kni_builder *b, kni_atom x, kni_atom t);
kni_atom knb_ndtri_derivative(kni_builder *b, kni_atom y, kni_atom t);
/* a, or zeros of t if a is KN_ATOM_ZERO */
kni_atom knb_instantiate(kni_builder *b, kni_atom a, kni_type t);
#include "ir/order.h"
#endif
