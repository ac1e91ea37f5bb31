/* SPDX-License-Identifier: Apache-2.0
 * ops.c -- the typed builder helpers, one per primitive. They fold nothing but what ops.h says: an operation with
 * nothing to do. */
#include "ir/ops.h"
#include "ir/prim.h"
#include <string.h>

static kni_atom reduce(kni_builder *b, const kni_prim *p, kni_atom x, int n, const int64_t *axes);

/* The forms of prims.def. */
#define KN_PRIM(id)
#define KN_PRIM_1(id) \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x) { return knb_emit1(b, &knp_prim_##id, NULL, 1, &x); }
#define KN_PRIM_2(id)                                                     \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, kni_atom y)           \
    {                                                                     \
        return knb_emit1(b, &knp_prim_##id, NULL, 2, (kni_atom[]){x, y}); \
    }
#define KN_PRIM_3(id)                                                        \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, kni_atom y, kni_atom z)  \
    {                                                                        \
        return knb_emit1(b, &knp_prim_##id, NULL, 3, (kni_atom[]){x, y, z}); \
    }
#define KN_PRIM_1P(id, set)                                               \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, const kni_p_##set *p) \
    {                                                                     \
        return knb_emit1(b, &knp_prim_##id, p, 1, &x);                    \
    }
#define KN_PRIM_2P(id, set)                                                           \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, kni_atom y, const kni_p_##set *p) \
    {                                                                                 \
        return knb_emit1(b, &knp_prim_##id, p, 2, (kni_atom[]){x, y});                \
    }
#define KN_PRIM_3P(id, set)                                                                       \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, kni_atom y, kni_atom z, const kni_p_##set *p) \
    {                                                                                             \
        return knb_emit1(b, &knp_prim_##id, p, 3, (kni_atom[]){x, y, z});                         \
    }
#define KN_PRIM_REDUCES(id)                                                     \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, int n, const int64_t *axes) \
    {                                                                           \
        return reduce(b, &knp_prim_##id, x, n, axes);                           \
    }
#define KN_PRIM_CUMULATES(id)                                                           \
    kni_atom(knb_##id)(kni_builder * b, kni_atom x, int axis, bool reverse)             \
    {                                                                                   \
        return knb_emit1(b, &knp_prim_##id, &(kni_p_cumulative){axis, reverse}, 1, &x); \
    }
#include "ir/prims.def"

kni_atom knb_conj(kni_builder *b, kni_atom x)
{
    return knx_is_complex(knb_type(b, x).dtype) ? knb_emit1(b, &knp_prim_conj, NULL, 1, &x) : x;
}

kni_atom knb_integer_pow(kni_builder *b, kni_atom x, int64_t y)
{
    return knb_emit1(b, &knp_prim_integer_pow, &(kni_p_integer_pow){y}, 1, &x);
}

kni_atom knb_round(kni_builder *b, kni_atom x, bool to_even)
{
    kni_p_round p = {to_even ? KN_ROUND_TO_NEAREST_EVEN : KN_ROUND_AWAY_FROM_ZERO};
    return knb_emit1(b, &knp_prim_round, &p, 1, &x);
}

kni_atom knb_reduce_precision(kni_builder *b, kni_atom x, int exponent_bits, int mantissa_bits)
{
    return knb_emit1(b, &knp_prim_reduce_precision, &(kni_p_reduce_precision){exponent_bits, mantissa_bits}, 1, &x);
}

void knb_optimization_barrier(kni_builder *b, int n, const kni_atom *x, kni_atom *out)
{
    knb_emit(b, &knp_prim_optimization_barrier, NULL, n, x, out, n);
}

kni_atom(knb_add_any)(kni_builder *b, kni_atom x, kni_atom y)
{
    if (x == KN_ATOM_ZERO || y == KN_ATOM_ZERO)
        return x == KN_ATOM_ZERO ? y : x;
    return knb_emit1(b, &knp_prim_add_any, NULL, 2, (kni_atom[]){x, y});
}

/* Operands of a primitive with many of them, in the builder's arena. */
static kni_atom *operands(kni_builder *b, size_t n)
{
    kni_atom *in = b->error ? NULL : knx_arena_alloc(&b->arena, n * sizeof *in);
    if (!in && !b->error)
        knb_fail(b, knx_error_nomem());
    return in;
}

static KNX_HOT kni_atom emit_first_and_rest(kni_builder *b, const kni_prim *p, const void *params, int n_first,
                                            const kni_atom *first, int n, const kni_atom *rest)
{
    kni_atom *in = operands(b, (size_t)n_first + (size_t)n);
    if (!in)
        return KN_ATOM_NONE;
    memcpy(in, first, (size_t)n_first * sizeof *in);
    if (n)
        memcpy(in + n_first, rest, (size_t)n * sizeof *in);
    return knb_emit1(b, p, params, n_first + n, in);
}

kni_atom knb_select_n(kni_builder *b, kni_atom which, int n, const kni_atom *cases)
{
    return emit_first_and_rest(b, &knp_prim_select_n, NULL, 1, &which, n, cases);
}

kni_atom(knb_select)(kni_builder *b, kni_atom pred, kni_atom yes, kni_atom no)
{
    kni_type p = knb_type(b, pred), y = knb_type(b, yes), n = knb_type(b, no);
    kni_type full = y.ndim ? y : n.ndim ? n : p;
    return knb_select_n(b, pred, 2, (kni_atom[]){knb_broadcast_to(b, no, full), knb_broadcast_to(b, yes, full)});
}

static kni_atom converted(kni_builder *b, kni_atom x, kn_dtype d, bool wraps)
{
    kni_type t = knb_type(b, x);
    knx_scalar_bits bits, out = {.u = {0}};
    if (knb_literal_value(b, x, &bits) && t.dtype->kind != KN_KIND_KEY && d->kind != KN_KIND_KEY) {
        (wraps ? knx_convert : knx_saturate)(t.dtype, &bits, d, &out);
        return knb_literal(b, d, false, out);
    }
    if (wraps && knx_is_complex(t.dtype) && d->kind == KN_KIND_BOOL)
        return knb_ne(b, x, knb_like(b, x, 0));
    kni_p_convert p = {.new_dtype = d, .wraps = wraps && knx_is_inexact(t.dtype) && knx_is_integer(d)};
    return knb_emit1(b, &knp_prim_convert_element_type, &p, 1, &x);
}

kni_atom knb_strong(kni_builder *b, kni_atom x, kn_dtype d) { return converted(b, x, d, false); }
kni_atom knb_strong_astype(kni_builder *b, kni_atom x, kn_dtype d) { return converted(b, x, d, true); }

kni_atom knb_convert(kni_builder *b, kni_atom x, kn_dtype d)
{
    return knb_type(b, x).dtype == d ? x : converted(b, x, d, false);
}

KNX_HOT kni_atom knb_astype(kni_builder *b, kni_atom x, kn_dtype d)
{
    return knb_type(b, x).dtype == d ? x : converted(b, x, d, true);
}

kni_atom knb_bitcast(kni_builder *b, kni_atom x, kn_dtype d)
{
    return knb_emit1(b, &knp_prim_bitcast_convert_type, &(kni_p_bitcast){d}, 1, &x);
}

kni_atom knb_bitcast_last_axis(kni_builder *b, kni_atom x, kn_dtype d)
{
    return knb_emit1(b, &knp_prim_bitcast_last_axis, &(kni_p_bitcast){d}, 1, &x);
}

/* Shapes */

kni_atom knb_broadcast_in_dim(kni_builder *b, kni_atom x, int ndim, const int64_t *shape,
                              const int64_t *broadcast_dimensions)
{
    kni_p_broadcast_in_dim p = {{ndim, shape}, {knb_type(b, x).ndim, broadcast_dimensions}};
    return knb_emit1(b, &knp_prim_broadcast_in_dim, &p, 1, &x);
}

kni_atom knb_reshape(kni_builder *b, kni_atom x, int ndim, const int64_t *shape)
{
    if (kni_type_surely_same_shape(knb_type(b, x), kni_type_of(NULL, ndim, shape)))
        return x;
    return knb_emit1(b, &knp_prim_reshape, &(kni_p_reshape){{ndim, shape}}, 1, &x);
}

kni_atom knb_squeeze(kni_builder *b, kni_atom x, int n, const int64_t *dimensions)
{
    return knb_emit1(b, &knp_prim_squeeze, &(kni_p_dims){{n, dimensions}}, 1, &x);
}

kni_atom knb_rev(kni_builder *b, kni_atom x, int n, const int64_t *dimensions)
{
    return knb_emit1(b, &knp_prim_rev, &(kni_p_dims){{n, dimensions}}, 1, &x);
}

kni_atom knb_transpose(kni_builder *b, kni_atom x, const int64_t *permutation)
{
    int ndim = knb_type(b, x).ndim, moved = 0;
    for (int i = 0; i < ndim; i++)
        moved |= permutation[i] != i;
    return moved ? knb_emit1(b, &knp_prim_transpose, &(kni_p_transpose){{ndim, permutation}}, 1, &x) : x;
}

KNX_HOT kni_atom knb_slice(kni_builder *b, kni_atom x, const int64_t *start, const int64_t *limit,
                           const int64_t *strides)
{
    int ndim = knb_type(b, x).ndim, steps = 0;
    for (int i = 0; strides && i < ndim; i++)
        steps |= strides[i] != 1;
    kni_p_slice p = {{ndim, limit}, {ndim, start}, {steps ? ndim : 0, steps ? strides : NULL}};
    return knb_emit1(b, &knp_prim_slice, &p, 1, &x);
}

kni_atom knb_concatenate(kni_builder *b, int n, const kni_atom *x, int dimension)
{
    return knb_emit1(b, &knp_prim_concatenate, &(kni_p_concatenate){dimension}, n, x);
}

void knb_split(kni_builder *b, kni_atom x, int n, const int64_t *sizes, int axis, kni_atom *out)
{
    knb_emit(b, &knp_prim_split, &(kni_p_split){axis, {n, sizes}}, 1, &x, out, n);
}

kni_atom knb_stack(kni_builder *b, int n, const kni_atom *x, int axis)
{
    return knb_emit1(b, &knp_prim_stack, &(kni_p_axis){axis}, n, x);
}

void knb_unstack(kni_builder *b, kni_atom x, int axis, int n, kni_atom *out)
{
    knb_emit(b, &knp_prim_unstack, &(kni_p_axis){axis}, 1, &x, out, n);
}

kni_atom knb_tile(kni_builder *b, kni_atom x, const int64_t *reps)
{
    return knb_emit1(b, &knp_prim_tile, &(kni_p_tile){{knb_type(b, x).ndim, reps}}, 1, &x);
}

kni_atom(knb_pad)(kni_builder *b, kni_atom x, kni_atom value, const int64_t *lo, const int64_t *hi,
                  const int64_t *interior)
{
    static const int64_t none[KN_MAX_NDIM];
    int ndim = knb_type(b, x).ndim;
    kni_p_pad p = {{ndim, lo}, {ndim, hi}, {ndim, interior ? interior : none}};
    return knb_emit1(b, &knp_prim_pad, &p, 2, (kni_atom[]){x, value});
}

kni_atom knb_iota(kni_builder *b, kn_dtype d, int ndim, const int64_t *shape, int dimension)
{
    return knb_emit1(b, &knp_prim_iota, &(kni_p_iota){dimension, d, {ndim, shape}}, 0, NULL);
}

kni_atom knb_dim_as_value(kni_builder *b, int64_t d) { return knb_dim_that_fits(b, d, NULL); }

kni_atom knb_dim_that_fits(kni_builder *b, int64_t d, kn_dtype fits)
{
    return knb_emit1(b, &knp_prim_dim_as_value, &(kni_p_dim){d, fits}, 0, NULL);
}

/* Indexing */

void knb_check_bounds(kni_builder *b, kni_atom indices, const kni_p_check_bounds *p)
{
    knb_emit(b, &knp_prim_check_bounds, p, 1, &indices, NULL, 0);
}

kni_atom knb_dynamic_slice(kni_builder *b, kni_atom x, const kni_atom *start, const int64_t *slice_sizes)
{
    int ndim = knb_type(b, x).ndim;
    return emit_first_and_rest(b, &knp_prim_dynamic_slice, &(kni_p_dynamic_slice){{ndim, slice_sizes}}, 1, &x, ndim,
                               start);
}

kni_atom(knb_dynamic_update_slice)(kni_builder *b, kni_atom x, kni_atom update, const kni_atom *start)
{
    kni_atom first[] = {x, update};
    return emit_first_and_rest(b, &knp_prim_dynamic_update_slice, NULL, 2, first, knb_type(b, x).ndim, start);
}

kni_atom(knb_strided_update)(kni_builder *b, kni_atom x, kni_atom update, const kni_atom *start, const int64_t *strides)
{
    kni_atom first[] = {x, update};
    int ndim = knb_type(b, x).ndim;
    return emit_first_and_rest(b, &knp_prim_strided_update, &(kni_p_strided_update){{ndim, strides}}, 2, first, ndim,
                               start);
}

/* Reductions, products, sorting, random numbers, calls */

/* Axes in rising order, so that equal reductions are equal. */
static kni_atom reduce(kni_builder *b, const kni_prim *p, kni_atom x, int n, const int64_t *axes)
{
    int64_t sorted[KN_MAX_NDIM];
    if (n > KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "%s: %d axes are too many", p->name, n));
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > axes[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = axes[i];
    }
    return knb_emit1(b, p, &(kni_p_reduce){{n, sorted}}, 1, &x);
}

void knb_reduce(kni_builder *b, int n, const kni_atom *x, kni_jaxpr *j, int n_dimensions, const int64_t *dimensions,
                kni_atom *out)
{
    knb_emit(b, &knp_prim_reduce, &(kni_p_reduce_any){{n_dimensions, dimensions}, j}, 2 * n, x, out, n);
}

void knb_reduce_window(kni_builder *b, int n, const kni_atom *x, const kni_p_window *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_reduce_window, p, 2 * n, x, out, n);
}

static kni_atom arg_reduce(kni_builder *b, const kni_prim *p, kni_atom x, int axis, kn_dtype index_dtype)
{
    int64_t axes[] = {axis};
    return knb_emit1(b, p, &(kni_p_argreduce){{1, axes}, index_dtype}, 1, &x);
}

kni_atom knb_argmax(kni_builder *b, kni_atom x, int axis, kn_dtype index_dtype)
{
    return arg_reduce(b, &knp_prim_argmax, x, axis, index_dtype);
}

kni_atom knb_argmin(kni_builder *b, kni_atom x, int axis, kn_dtype index_dtype)
{
    return arg_reduce(b, &knp_prim_argmin, x, axis, index_dtype);
}

void knb_sort(kni_builder *b, int n, const kni_atom *x, int dimension, int num_keys, kni_atom *out)
{
    kni_p_sort p = {.dimension = dimension, .num_keys = num_keys, .is_stable = true};
    knb_emit(b, &knp_prim_sort, &p, n, x, out, n);
}

kni_atom knb_argsort(kni_builder *b, int n, const kni_atom *x, int dimension)
{
    return knb_emit1(b, &knp_prim_argsort, &(kni_p_argsort){dimension}, n, x);
}

void knb_top_k(kni_builder *b, kni_atom x, int axis, int64_t k, kni_atom out[2])
{
    knb_emit(b, &knp_prim_top_k, &(kni_p_top_k){axis, k}, 1, &x, out, 2);
}

kni_atom knb_cholesky(kni_builder *b, kni_atom x, kni_factor_check check)
{
    return knb_emit1(b, &knp_prim_cholesky, &(kni_p_factorize){check}, 1, &x);
}

void knb_lu(kni_builder *b, kni_atom x, kni_factor_check check, kni_atom out[3])
{
    knb_emit(b, &knp_prim_lu, &(kni_p_factorize){check}, 1, &x, out, 3);
}

void knb_inv(kni_builder *b, kni_atom x, const kni_p_solve *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_inv, p, 1, &x, out, p->factors ? 3 : 1);
}

void knb_solve(kni_builder *b, const kni_atom x[2], const kni_p_solve *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_solve, p, 2, x, out, p->factors ? 3 : 1);
}

void knb_qr(kni_builder *b, kni_atom x, const kni_p_qr *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_qr, p, 1, &x, out, p->pivoting ? 3 : 2);
}

void knb_geqrf(kni_builder *b, kni_atom x, kni_atom out[2]) { knb_emit(b, &knp_prim_geqrf, NULL, 1, &x, out, 2); }

void knb_eigh(kni_builder *b, kni_atom x, const kni_p_eigh *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_eigh, p, 1, &x, out, p->values_only ? 1 : 2);
}

void knb_tridiagonal(kni_builder *b, kni_atom x, const kni_p_tridiagonal *p, kni_atom out[4])
{
    knb_emit(b, &knp_prim_tridiagonal, p, 1, &x, out, 4);
}

void knb_svd(kni_builder *b, kni_atom x, const kni_p_svd *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_svd, p, 1, &x, out, p->compute_uv ? 3 : 1);
}

void knb_eig(kni_builder *b, kni_atom x, const kni_p_eig *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_eig, p, 1, &x, out, 1 + p->compute_left_eigenvectors + p->compute_right_eigenvectors);
}

void knb_schur(kni_builder *b, kni_atom x, const kni_p_schur *p, kni_atom *out)
{
    knb_emit(b, &knp_prim_schur, p, 1, &x, out, p->compute_schur_vectors ? 2 : 1);
}

void knb_hessenberg(kni_builder *b, kni_atom x, kni_atom out[2])
{
    knb_emit(b, &knp_prim_hessenberg, NULL, 1, &x, out, 2);
}

kni_atom knb_tridiagonal_solve(kni_builder *b, const kni_atom x[4])
{
    return knb_emit1(b, &knp_prim_tridiagonal_solve, NULL, 4, x);
}

void knb_ldl(kni_builder *b, kni_atom x, const kni_p_ldl *p, kni_atom out[3])
{
    knb_emit(b, &knp_prim_ldl, p, 1, &x, out, 3);
}

void knb_threefry2x32(kni_builder *b, const kni_atom x[4], kni_atom out[2])
{
    knb_emit(b, &knp_prim_threefry2x32, NULL, 4, x, out, 2);
}

kni_atom knb_random_bits(kni_builder *b, kni_atom key, int bit_width, int ndim, const int64_t *shape)
{
    return knb_emit1(b, &knp_prim_random_bits, &(kni_p_random_bits){bit_width, {ndim, shape}}, 1, &key);
}

kni_atom knb_random_split(kni_builder *b, kni_atom key, int ndim, const int64_t *shape)
{
    return knb_emit1(b, &knp_prim_random_split, &(kni_p_random_split){{ndim, shape}}, 1, &key);
}

kni_atom(knb_random_gamma)(kni_builder *b, kni_atom keys, kni_atom a, bool log_space)
{
    return knb_emit1(b, &knp_prim_random_gamma, &(kni_p_random_gamma){log_space}, 2, (kni_atom[]){keys, a});
}

void knb_rng_bit_generator(kni_builder *b, kni_atom state, const kni_p_rng_bit_generator *p, kni_atom out[2])
{
    knb_emit(b, &knp_prim_rng_bit_generator, p, 1, &state, out, 2);
}

void knb_jit(kni_builder *b, const char *name, kni_jaxpr *j, int n_const, const kni_atom *in, kni_atom *out)
{
    knb_emit(b, &knp_prim_jit, &(kni_p_jit){name, j, n_const}, (int)j->n_in, in, out, (int)j->n_out);
}

void knb_while(kni_builder *b, const kni_p_while *p, const kni_atom *in, kni_atom *out)
{
    int carries = (int)p->body_jaxpr->n_out, n = (int)(p->cond_nconsts + p->body_nconsts) + carries;
    knb_emit(b, &knp_prim_while, p, n, in, out, carries);
}

void knb_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *out)
{
    knb_emit(b, &knp_prim_scan, p, (int)p->jaxpr->n_in, in, out, (int)p->jaxpr->n_out);
}

void knb_cond(kni_builder *b, const kni_p_cond *p, const kni_atom *in, kni_atom *out)
{
    knb_emit(b, &knp_prim_cond, p, 1 + (int)p->branches.v[0]->n_in, in, out, (int)p->branches.v[0]->n_out);
}

/* Collectives */

kni_atom knb_psum(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_psum, &(kni_p_all_reduce){axes, mesh, false}, 1, &x);
}

kni_atom knb_psum_minus_zeros(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_psum, &(kni_p_all_reduce){axes, mesh, true}, 1, &x);
}

kni_atom knb_pmax(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_pmax, &(kni_p_all_reduce){axes, mesh, false}, 1, &x);
}

kni_atom knb_pmin(kni_builder *b, kni_atom x, kni_names axes, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_pmin, &(kni_p_all_reduce){axes, mesh, false}, 1, &x);
}

kni_atom knb_pbroadcast(kni_builder *b, kni_atom x, kni_names axis, int64_t source, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_pbroadcast, &(kni_p_pbroadcast){axis, mesh, source}, 1, &x);
}

kni_atom knb_axis_index(kni_builder *b, kni_names axis, const kni_mesh *mesh)
{
    return knb_emit1(b, &knp_prim_axis_index, &(kni_p_axis_index){axis, mesh}, 0, NULL);
}

/* The user's code */

void knb_debug_print(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x)
{
    knb_emit(b, &knp_prim_debug_print, p, n, x, NULL, 0);
}

void knb_debug_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x)
{
    knb_emit(b, &knp_prim_debug_callback, p, n, x, NULL, 0);
}

void knb_pure_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x, kni_atom *y, int n_out)
{
    knb_emit(b, &knp_prim_pure_callback, p, n, x, y, n_out);
}

void knb_io_callback(kni_builder *b, const kni_p_callback *p, int n, const kni_atom *x, kni_atom *y, int n_out)
{
    knb_emit(b, &knp_prim_io_callback, p, n, x, y, n_out);
}
