/* SPDX-License-Identifier: Apache-2.0
 * ops.c -- the typed builder helpers, one per primitive. They fold nothing but what ops.h says: an operation with
 * nothing to do. */
#include "ir/ops.h"
#include "ir/prim.h"
#include <string.h>

static kn_atom reduce(kn_builder *b, const kn_prim *p, kn_atom x, int n, const int64_t *axes);

/* The forms of prims.def. */
#define KN_PRIM(id)
#define KN_PRIM_1(id) \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x) { return knb_emit1(b, &kn_prim_##id, NULL, 1, &x); }
#define KN_PRIM_2(id)                                                   \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, kn_atom y)             \
    {                                                                   \
        return knb_emit1(b, &kn_prim_##id, NULL, 2, (kn_atom[]){x, y}); \
    }
#define KN_PRIM_3(id)                                                      \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, kn_atom y, kn_atom z)     \
    {                                                                      \
        return knb_emit1(b, &kn_prim_##id, NULL, 3, (kn_atom[]){x, y, z}); \
    }
#define KN_PRIM_1P(id, set) \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, const kn_p_##set *p) { return knb_emit1(b, &kn_prim_##id, p, 1, &x); }
#define KN_PRIM_2P(id, set)                                                      \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, kn_atom y, const kn_p_##set *p) \
    {                                                                            \
        return knb_emit1(b, &kn_prim_##id, p, 2, (kn_atom[]){x, y});             \
    }
#define KN_PRIM_3P(id, set)                                                                 \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, kn_atom y, kn_atom z, const kn_p_##set *p) \
    {                                                                                       \
        return knb_emit1(b, &kn_prim_##id, p, 3, (kn_atom[]){x, y, z});                     \
    }
#define KN_PRIM_REDUCES(id)                                                  \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, int n, const int64_t *axes) \
    {                                                                        \
        return reduce(b, &kn_prim_##id, x, n, axes);                         \
    }
#define KN_PRIM_CUMULATES(id)                                                         \
    kn_atom(knb_##id)(kn_builder * b, kn_atom x, int axis, bool reverse)              \
    {                                                                                 \
        return knb_emit1(b, &kn_prim_##id, &(kn_p_cumulative){axis, reverse}, 1, &x); \
    }
#include "ir/prims.def"

kn_atom knb_conj(kn_builder *b, kn_atom x)
{
    return knx_is_complex(knb_type(b, x).dtype) ? knb_emit1(b, &kn_prim_conj, NULL, 1, &x) : x;
}

kn_atom knb_integer_pow(kn_builder *b, kn_atom x, int64_t y)
{
    return knb_emit1(b, &kn_prim_integer_pow, &(kn_p_integer_pow){y}, 1, &x);
}

kn_atom knb_round(kn_builder *b, kn_atom x, bool to_even)
{
    kn_p_round p = {to_even ? KN_ROUND_TO_NEAREST_EVEN : KN_ROUND_AWAY_FROM_ZERO};
    return knb_emit1(b, &kn_prim_round, &p, 1, &x);
}

kn_atom knb_reduce_precision(kn_builder *b, kn_atom x, int exponent_bits, int mantissa_bits)
{
    return knb_emit1(b, &kn_prim_reduce_precision, &(kn_p_reduce_precision){exponent_bits, mantissa_bits}, 1, &x);
}

void knb_optimization_barrier(kn_builder *b, int n, const kn_atom *x, kn_atom *out)
{
    knb_emit(b, &kn_prim_optimization_barrier, NULL, n, x, out, n);
}

kn_atom(knb_add_any)(kn_builder *b, kn_atom x, kn_atom y)
{
    if (x == KN_ATOM_ZERO || y == KN_ATOM_ZERO)
        return x == KN_ATOM_ZERO ? y : x;
    return knb_emit1(b, &kn_prim_add_any, NULL, 2, (kn_atom[]){x, y});
}

/* Operands of a primitive with many of them, in the builder's arena. */
static kn_atom *operands(kn_builder *b, size_t n)
{
    kn_atom *in = b->error ? NULL : knx_arena_alloc(&b->arena, n * sizeof *in);
    if (!in && !b->error)
        knb_fail(b, knx_error_nomem());
    return in;
}

static kn_atom emit_first_and_rest(kn_builder *b, const kn_prim *p, const void *params, int n_first,
                                   const kn_atom *first, int n, const kn_atom *rest)
{
    kn_atom *in = operands(b, (size_t)n_first + (size_t)n);
    if (!in)
        return KN_ATOM_NONE;
    memcpy(in, first, (size_t)n_first * sizeof *in);
    if (n)
        memcpy(in + n_first, rest, (size_t)n * sizeof *in);
    return knb_emit1(b, p, params, n_first + n, in);
}

kn_atom knb_select_n(kn_builder *b, kn_atom which, int n, const kn_atom *cases)
{
    return emit_first_and_rest(b, &kn_prim_select_n, NULL, 1, &which, n, cases);
}

kn_atom(knb_select)(kn_builder *b, kn_atom pred, kn_atom yes, kn_atom no)
{
    kn_type p = knb_type(b, pred), y = knb_type(b, yes), n = knb_type(b, no);
    kn_type full = y.ndim ? y : n.ndim ? n : p;
    return knb_select_n(b, pred, 2, (kn_atom[]){knb_broadcast_to(b, no, full), knb_broadcast_to(b, yes, full)});
}

static kn_atom converted(kn_builder *b, kn_atom x, kn_dtype d, bool wraps)
{
    kn_type t = knb_type(b, x);
    kn_scalar_bits bits, out = {.u = {0}};
    if (knb_literal_value(b, x, &bits) && t.dtype->kind != KN_KIND_KEY && d->kind != KN_KIND_KEY) {
        (wraps ? knx_convert : knx_saturate)(t.dtype, &bits, d, &out);
        return knb_literal(b, d, false, out);
    }
    if (wraps && knx_is_complex(t.dtype) && d->kind == KN_KIND_BOOL)
        return knb_ne(b, x, knb_like(b, x, 0));
    kn_p_convert p = {.new_dtype = d, .wraps = wraps && knx_is_inexact(t.dtype) && knx_is_integer(d)};
    return knb_emit1(b, &kn_prim_convert_element_type, &p, 1, &x);
}

kn_atom knb_strong(kn_builder *b, kn_atom x, kn_dtype d) { return converted(b, x, d, false); }
kn_atom knb_strong_astype(kn_builder *b, kn_atom x, kn_dtype d) { return converted(b, x, d, true); }

kn_atom knb_convert(kn_builder *b, kn_atom x, kn_dtype d)
{
    return knb_type(b, x).dtype == d ? x : converted(b, x, d, false);
}

kn_atom knb_astype(kn_builder *b, kn_atom x, kn_dtype d)
{
    return knb_type(b, x).dtype == d ? x : converted(b, x, d, true);
}

kn_atom knb_bitcast(kn_builder *b, kn_atom x, kn_dtype d)
{
    return knb_emit1(b, &kn_prim_bitcast_convert_type, &(kn_p_bitcast){d}, 1, &x);
}

kn_atom knb_bitcast_last_axis(kn_builder *b, kn_atom x, kn_dtype d)
{
    return knb_emit1(b, &kn_prim_bitcast_last_axis, &(kn_p_bitcast){d}, 1, &x);
}

/* Shapes */

kn_atom knb_broadcast_in_dim(kn_builder *b, kn_atom x, int ndim, const int64_t *shape,
                             const int64_t *broadcast_dimensions)
{
    kn_p_broadcast_in_dim p = {{ndim, shape}, {knb_type(b, x).ndim, broadcast_dimensions}};
    return knb_emit1(b, &kn_prim_broadcast_in_dim, &p, 1, &x);
}

kn_atom knb_reshape(kn_builder *b, kn_atom x, int ndim, const int64_t *shape)
{
    if (kni_type_same_shape(knb_type(b, x), kni_type(NULL, ndim, shape)))
        return x;
    return knb_emit1(b, &kn_prim_reshape, &(kn_p_reshape){{ndim, shape}}, 1, &x);
}

kn_atom knb_squeeze(kn_builder *b, kn_atom x, int n, const int64_t *dimensions)
{
    return knb_emit1(b, &kn_prim_squeeze, &(kn_p_dims){{n, dimensions}}, 1, &x);
}

kn_atom knb_rev(kn_builder *b, kn_atom x, int n, const int64_t *dimensions)
{
    return knb_emit1(b, &kn_prim_rev, &(kn_p_dims){{n, dimensions}}, 1, &x);
}

kn_atom knb_transpose(kn_builder *b, kn_atom x, const int64_t *permutation)
{
    int ndim = knb_type(b, x).ndim, moved = 0;
    for (int i = 0; i < ndim; i++)
        moved |= permutation[i] != i;
    return moved ? knb_emit1(b, &kn_prim_transpose, &(kn_p_transpose){{ndim, permutation}}, 1, &x) : x;
}

kn_atom knb_slice(kn_builder *b, kn_atom x, const int64_t *start, const int64_t *limit, const int64_t *strides)
{
    int ndim = knb_type(b, x).ndim, steps = 0;
    for (int i = 0; strides && i < ndim; i++)
        steps |= strides[i] != 1;
    kn_p_slice p = {{ndim, limit}, {ndim, start}, {steps ? ndim : 0, steps ? strides : NULL}};
    return knb_emit1(b, &kn_prim_slice, &p, 1, &x);
}

kn_atom knb_concatenate(kn_builder *b, int n, const kn_atom *x, int dimension)
{
    return knb_emit1(b, &kn_prim_concatenate, &(kn_p_concatenate){dimension}, n, x);
}

void knb_split(kn_builder *b, kn_atom x, int n, const int64_t *sizes, int axis, kn_atom *out)
{
    knb_emit(b, &kn_prim_split, &(kn_p_split){axis, {n, sizes}}, 1, &x, out, n);
}

kn_atom knb_stack(kn_builder *b, int n, const kn_atom *x, int axis)
{
    return knb_emit1(b, &kn_prim_stack, &(kn_p_axis){axis}, n, x);
}

void knb_unstack(kn_builder *b, kn_atom x, int axis, int n, kn_atom *out)
{
    knb_emit(b, &kn_prim_unstack, &(kn_p_axis){axis}, 1, &x, out, n);
}

kn_atom knb_tile(kn_builder *b, kn_atom x, const int64_t *reps)
{
    return knb_emit1(b, &kn_prim_tile, &(kn_p_tile){{knb_type(b, x).ndim, reps}}, 1, &x);
}

kn_atom(knb_pad)(kn_builder *b, kn_atom x, kn_atom value, const int64_t *lo, const int64_t *hi, const int64_t *interior)
{
    static const int64_t none[KN_MAX_NDIM];
    int ndim = knb_type(b, x).ndim;
    kn_p_pad p = {{ndim, lo}, {ndim, hi}, {ndim, interior ? interior : none}};
    return knb_emit1(b, &kn_prim_pad, &p, 2, (kn_atom[]){x, value});
}

kn_atom knb_iota(kn_builder *b, kn_dtype d, int ndim, const int64_t *shape, int dimension)
{
    return knb_emit1(b, &kn_prim_iota, &(kn_p_iota){dimension, d, {ndim, shape}}, 0, NULL);
}

/* Indexing */

void knb_check_bounds(kn_builder *b, kn_atom indices, const kn_p_check_bounds *p)
{
    knb_emit(b, &kn_prim_check_bounds, p, 1, &indices, NULL, 0);
}

kn_atom knb_dynamic_slice(kn_builder *b, kn_atom x, const kn_atom *start, const int64_t *slice_sizes)
{
    int ndim = knb_type(b, x).ndim;
    return emit_first_and_rest(b, &kn_prim_dynamic_slice, &(kn_p_dynamic_slice){{ndim, slice_sizes}}, 1, &x, ndim,
                               start);
}

kn_atom(knb_dynamic_update_slice)(kn_builder *b, kn_atom x, kn_atom update, const kn_atom *start)
{
    kn_atom first[] = {x, update};
    return emit_first_and_rest(b, &kn_prim_dynamic_update_slice, NULL, 2, first, knb_type(b, x).ndim, start);
}

kn_atom(knb_strided_update)(kn_builder *b, kn_atom x, kn_atom update, const kn_atom *start, const int64_t *strides)
{
    kn_atom first[] = {x, update};
    int ndim = knb_type(b, x).ndim;
    return emit_first_and_rest(b, &kn_prim_strided_update, &(kn_p_strided_update){{ndim, strides}}, 2, first, ndim,
                               start);
}

/* Reductions, products, sorting, random numbers, calls */

/* Axes in rising order, so that equal reductions are equal. */
static kn_atom reduce(kn_builder *b, const kn_prim *p, kn_atom x, int n, const int64_t *axes)
{
    int64_t sorted[KN_MAX_NDIM];
    if (n > KN_MAX_NDIM) {
        knb_fail(b, knx_error(KN_ERROR_VALUE, "%s: %d axes are too many", p->name, n));
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > axes[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = axes[i];
    }
    return knb_emit1(b, p, &(kn_p_reduce){{n, sorted}}, 1, &x);
}

void knb_reduce(kn_builder *b, int n, const kn_atom *x, kni_jaxpr *j, int n_dimensions, const int64_t *dimensions,
                kn_atom *out)
{
    knb_emit(b, &kn_prim_reduce, &(kn_p_reduce_any){{n_dimensions, dimensions}, j}, 2 * n, x, out, n);
}

void knb_reduce_window(kn_builder *b, int n, const kn_atom *x, const kn_p_window *p, kn_atom *out)
{
    knb_emit(b, &kn_prim_reduce_window, p, 2 * n, x, out, n);
}

static kn_atom arg_reduce(kn_builder *b, const kn_prim *p, kn_atom x, int axis, kn_dtype index_dtype)
{
    int64_t axes[] = {axis};
    return knb_emit1(b, p, &(kn_p_argreduce){{1, axes}, index_dtype}, 1, &x);
}

kn_atom knb_argmax(kn_builder *b, kn_atom x, int axis, kn_dtype index_dtype)
{
    return arg_reduce(b, &kn_prim_argmax, x, axis, index_dtype);
}

kn_atom knb_argmin(kn_builder *b, kn_atom x, int axis, kn_dtype index_dtype)
{
    return arg_reduce(b, &kn_prim_argmin, x, axis, index_dtype);
}

void knb_sort(kn_builder *b, int n, const kn_atom *x, int dimension, int num_keys, kn_atom *out)
{
    kn_p_sort p = {.dimension = dimension, .num_keys = num_keys, .is_stable = true};
    knb_emit(b, &kn_prim_sort, &p, n, x, out, n);
}

void knb_top_k(kn_builder *b, kn_atom x, int axis, int64_t k, kn_atom out[2])
{
    knb_emit(b, &kn_prim_top_k, &(kn_p_top_k){axis, k}, 1, &x, out, 2);
}

kn_atom knb_cholesky(kn_builder *b, kn_atom x, kn_factor_check check)
{
    return knb_emit1(b, &kn_prim_cholesky, &(kn_p_factorize){check}, 1, &x);
}

void knb_lu(kn_builder *b, kn_atom x, kn_factor_check check, kn_atom out[3])
{
    knb_emit(b, &kn_prim_lu, &(kn_p_factorize){check}, 1, &x, out, 3);
}

void knb_threefry2x32(kn_builder *b, const kn_atom x[4], kn_atom out[2])
{
    knb_emit(b, &kn_prim_threefry2x32, NULL, 4, x, out, 2);
}

kn_atom knb_random_bits(kn_builder *b, kn_atom key, int bit_width, int ndim, const int64_t *shape)
{
    return knb_emit1(b, &kn_prim_random_bits, &(kn_p_random_bits){bit_width, {ndim, shape}}, 1, &key);
}

kn_atom knb_random_split(kn_builder *b, kn_atom key, int ndim, const int64_t *shape)
{
    return knb_emit1(b, &kn_prim_random_split, &(kn_p_random_split){{ndim, shape}}, 1, &key);
}

kn_atom(knb_random_gamma)(kn_builder *b, kn_atom keys, kn_atom a, bool log_space)
{
    return knb_emit1(b, &kn_prim_random_gamma, &(kn_p_random_gamma){log_space}, 2, (kn_atom[]){keys, a});
}

void knb_rng_bit_generator(kn_builder *b, kn_atom state, const kn_p_rng_bit_generator *p, kn_atom out[2])
{
    knb_emit(b, &kn_prim_rng_bit_generator, p, 1, &state, out, 2);
}

void knb_jit(kn_builder *b, const char *name, kni_jaxpr *j, int n_const, const kn_atom *in, kn_atom *out)
{
    knb_emit(b, &kn_prim_jit, &(kn_p_jit){name, j, n_const}, (int)j->n_in, in, out, (int)j->n_out);
}

void knb_while(kn_builder *b, const kn_p_while *p, const kn_atom *in, kn_atom *out)
{
    int carries = (int)p->body_jaxpr->n_out, n = (int)(p->cond_nconsts + p->body_nconsts) + carries;
    knb_emit(b, &kn_prim_while, p, n, in, out, carries);
}

void knb_scan(kn_builder *b, const kn_p_scan *p, const kn_atom *in, kn_atom *out)
{
    knb_emit(b, &kn_prim_scan, p, (int)p->jaxpr->n_in, in, out, (int)p->jaxpr->n_out);
}

void knb_cond(kn_builder *b, const kn_p_cond *p, const kn_atom *in, kn_atom *out)
{
    knb_emit(b, &kn_prim_cond, p, 1 + (int)p->branches.v[0]->n_in, in, out, (int)p->branches.v[0]->n_out);
}

/* Collectives */

kn_atom knb_psum(kn_builder *b, kn_atom x, kn_names axes)
{
    return knb_emit1(b, &kn_prim_psum, &(kn_p_all_reduce){axes}, 1, &x);
}

kn_atom knb_pmax(kn_builder *b, kn_atom x, kn_names axes)
{
    return knb_emit1(b, &kn_prim_pmax, &(kn_p_all_reduce){axes}, 1, &x);
}

kn_atom knb_pmin(kn_builder *b, kn_atom x, kn_names axes)
{
    return knb_emit1(b, &kn_prim_pmin, &(kn_p_all_reduce){axes}, 1, &x);
}

kn_atom knb_pbroadcast(kn_builder *b, kn_atom x, kn_names axis, int64_t source)
{
    return knb_emit1(b, &kn_prim_pbroadcast, &(kn_p_pbroadcast){axis, source}, 1, &x);
}

kn_atom knb_axis_index(kn_builder *b, kn_names axis)
{
    return knb_emit1(b, &kn_prim_axis_index, &(kn_p_axis_index){axis}, 0, NULL);
}

/* The user's code */

void knb_debug_print(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x)
{
    knb_emit(b, &kn_prim_debug_print, p, n, x, NULL, 0);
}

void knb_debug_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x)
{
    knb_emit(b, &kn_prim_debug_callback, p, n, x, NULL, 0);
}

void knb_pure_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x, kn_atom *y, int n_out)
{
    knb_emit(b, &kn_prim_pure_callback, p, n, x, y, n_out);
}

void knb_io_callback(kn_builder *b, const kn_p_callback *p, int n, const kn_atom *x, kn_atom *y, int n_out)
{
    knb_emit(b, &kn_prim_io_callback, p, n, x, y, n_out);
}
