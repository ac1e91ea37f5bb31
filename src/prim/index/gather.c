/* SPDX-License-Identifier: Apache-2.0
 * gather.c -- gather: windows of an array, from starts that are data; all reading by computed indices.
 *
 *     type       the points' dimensions, with those of the windows at offset_dims
 *     jvp        linear in the operand: the same windows of its tangent, zero where a fill value came out
 *     transpose  scatter-add of the cotangent into zeros
 *     batch      operand: one more window dimension; indices: one more dimension of points; both: a pair of batching
 *                dimensions
 *     lower      a routine; a kernel that reads elements loads them itself; the mode CHECK expands into check_bounds
 *                and another mode
 *     put        scatter to the same places
 */
#include "prim/index/index.h"
#include <string.h>

typedef kni_p_gather params_t;

static knx_error *gather_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    knp_indexing how = knp_indexing_of_gather(p);
    int points = r->xt[1].ndim - 1, ndim = points + p->offset_dims.n;
    KN_TRY(knp_check_indexing("gather", &how, r->xt[0], r->xt[1], ndim));
    if (p->slice_sizes.n != r->xt[0].ndim)
        return knx_error_new(KN_ERROR_TYPE,
                             "gather: slice_sizes must have length equal to the number of axes %d, got %d",
                             r->xt[0].ndim, p->slice_sizes.n);
    knp_dims dim = {.n = ndim <= KN_MAX_NDIM ? ndim : KN_MAX_NDIM};
    for (int d = 0, w = 0; d < r->xt[0].ndim; d++) {
        int64_t size = p->slice_sizes.v[d];
        bool dropped = knp_contains(how.dropped, d) || knp_contains(how.table_batching, d);
        if (knx_dim_lt(size, 0) || knx_dim_lt(r->xt[0].dim[d], size) || (dropped && knx_dim_lt(1, size))) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_TYPE, "gather: slice size %s does not fit dimension %d of extent %s%s",
                                 knx_dim_show(&s, size), d, knx_dim_show(&t, r->xt[0].dim[d]),
                                 dropped ? ", which is collapsed" : "");
        }
        if (!dropped && how.window.v[w] < KN_MAX_NDIM)
            dim.v[how.window.v[w++]] = size;
    }
    for (int d = 0, i = 0; d < dim.n; d++)
        if (!knp_contains(how.window, d))
            dim.v[d] = r->xt[1].dim[i++];
    return knp_type_dims(r->arena, r->xt[0].dtype, r->xt[0].weak, ndim, dim.v, y);
}

static void gather_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    params_t p = *(const params_t *)r->params;
    p.mode = knp_mode_of_tangent(p.mode);
    ty[0] = knb_gather(r->b, tx[0], r->x[1], &p);
}

/* Scattering to where this reads from: what the indices miss is left out. */
static kni_p_scatter same_places(const kni_rule *r)
{
    knp_indexing how = knp_indexing_of_gather(r->params);
    how.mode = how.mode == KN_GATHER_FILL_ZERO ? KN_GATHER_FILL
               : how.mode == KN_GATHER_CHECK   ? KN_GATHER_PROMISE
                                               : how.mode;
    return knp_scatter_params(&how);
}

static knx_error *gather_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_p_scatter q = same_places(r);
    ct_in[0] = knb_scatter_add(r->b, knb_zeros(r->b, r->xt[0]), r->x[1], ct[0], &q);
    return NULL;
}

static kni_atom gather_put(const kni_rule *r, kni_atom v)
{
    kni_p_scatter q = same_places(r);
    return knb_scatter(r->b, r->x[0], r->x[1], v, &q);
}

static kni_atom gather_simplify(const kni_rule *r)
{
    knp_indexing how = knp_indexing_of_gather(r->params);
    kni_atom i = knp_simplify_indices(r, &how, 1);
    params_t q = knp_gather_params(&how, ((const params_t *)r->params)->slice_sizes);
    return i == KN_ATOM_NONE ? i : knb_gather(r->b, r->x[0], i, &q);
}

static knx_error *gather_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const params_t *p = r->params;
    knp_indexing_lists lists;
    bool table = axis[0] >= 0, indices = axis[1] >= 0;
    knp_indexing old = knp_indexing_of_gather(p), how = knp_batch_indexing(&old, table, indices, &lists);
    knp_dims sizes = {.n = 0};
    if (table)
        sizes = knp_insert(p->slice_sizes, 0, indices && !knx_dim_eq(size, 0) ? 1 : size);
    params_t q = knp_gather_params(&how, table ? knp_ints(&sizes) : p->slice_sizes);
    kni_atom x = table ? knb_move_axis(r->b, r->x[0], axis[0], 0) : r->x[0];
    kni_atom i = indices ? knb_move_axis(r->b, r->x[1], axis[1], 0) : r->x[1];
    y[0] = knb_gather(r->b, x, i, &q);
    axis_out[0] = 0;
    return NULL;
}

static knx_error *gather_run(const kni_rule *r, const kni_routine_args *args)
{
    const params_t *p = r->params;
    knp_indexing how = knp_indexing_of_gather(p);
    knr_windows w;
    knp_describe_windows(&how, r->xt[0], r->xt[1], r->yt[0], p->slice_sizes, true, &w);
    return knr_gather(&w, args->x[0], args->x[1], args->y[0], args->threads);
}

/* --- by a kernel that reads elements ------------------------------------------------------------ */

/* Every start that is moved inside of the table has elements there. */
static bool has_elements(kni_type table)
{
    for (int d = 0; d < table.ndim; d++)
        if (!knx_dim_taken_le(1, table.dim[d]))
            return false;
    return true;
}

static bool gather_pulls(const kni_rule *r)
{
    return ((const params_t *)r->params)->mode != KN_GATHER_CHECK && has_elements(r->xt[0]);
}

/* What may fail becomes a check of the indices, and what cannot. */
static bool gather_expands(const kni_rule *r)
{
    return ((const params_t *)r->params)->mode == KN_GATHER_CHECK && has_elements(r->xt[0]);
}

static knx_error *gather_expand(const kni_rule *r, kni_atom *y)
{
    params_t p = *(const params_t *)r->params;
    knp_indexing how = knp_indexing_of_gather(&p);
    knp_bounds_lists lists;
    kni_p_check_bounds bounds = knp_bounds_of(&how, r->xt[0], p.slice_sizes, &lists);
    knb_check_bounds(r->b, r->x[1], &bounds);
    p.mode = KN_GATHER_PROMISE;
    y[0] = knb_gather(r->b, r->x[0], r->x[1], &p);
    return NULL;
}

typedef struct puller {
    kni_lower *l;
    const kni_rule *r;
    const kni_index *i; /* where in the result */
    knp_indexing how;
    bool fills;
    knk_node inside; /* fills: do all starts lie in the table? */
} puller;

/* A number of the launch rather than one of the kernel. */
static knk_node number(const puller *p, int64_t v)
{
    kni_index *at = kni_lower_index(p->l, 1, p->i);
    if (!at)
        return KNK_NONE;
    at->axis[0].offset = v;
    return kni_lower_axis_value(p->l, at, 0);
}

/* The indices' position of number `which` of the start. */
static const kni_index *index_position(const puller *p, int which)
{
    int points = p->r->xt[1].ndim - 1;
    kni_index *at = kni_lower_index(p->l, points + 1, p->i);
    for (int d = 0, k = 0; at && d < p->r->yt[0].ndim; d++)
        if (!knp_contains(p->how.window, d))
            knp_index_copy(p->i, d, at, k++);
    if (at)
        at->axis[points].offset = which;
    return at;
}

/* Number `which` of the start as an int64, moved into the table: between 0 and `most`. */
static knk_node start_node(puller *p, int which, int64_t most)
{
    knk_builder *k = kni_lower_kernel(p->l);
    const kni_index *at = index_position(p, which);
    kn_dtype d = p->r->xt[1].dtype;
    if (!at)
        return KNK_NONE;
    knk_node v = kni_lower_operand(p->l, 1, at, KNK_NONE, knp_real(KNK_NONE)).re, zero = knk_const_int(k, KN_ID_I64, 0);
    if (d->id == KN_ID_U64) /* before it could turn negative */
        v = knk_binary(k, KNK_MIN, v, knk_const_int(k, KN_ID_U64, INT64_MAX));
    if (d->id != KN_ID_I64)
        v = knk_cast(k, KN_ID_I64, v);
    if (p->how.wraps && d->kind == KN_KIND_INT) {
        knk_node from_end = knk_binary(k, KNK_ADD, v, number(p, p->r->xt[0].dim[p->how.index_map.v[which]]));
        v = knk_select(k, knk_binary(k, KNK_LT, v, zero), from_end, v);
    }
    knk_node last = number(p, most);
    if (p->fills) {
        knk_node inside = knk_binary(k, KNK_AND, knk_binary(k, KNK_LE, zero, v), knk_binary(k, KNK_LE, v, last));
        p->inside = p->inside < 0 ? inside : knk_binary(k, KNK_AND, p->inside, inside);
        return v;
    }
    return knk_binary(k, KNK_MAX, knk_binary(k, KNK_MIN, v, last), zero);
}

/* Where in the table, but for the starts. */
static kni_index *window_position(const puller *p)
{
    const knp_indexing *how = &p->how;
    kni_index *in = kni_lower_index(p->l, p->r->xt[0].ndim, p->i);
    for (int d = 0, w = 0; in && d < p->r->xt[0].ndim; d++)
        if (!knp_contains(how->dropped, d) && !knp_contains(how->table_batching, d))
            knp_index_copy(p->i, (int)how->window.v[w++], in, d);
    for (int b = 0; in && b < how->table_batching.n; b++)
        for (int d = 0, point = 0; d < p->r->yt[0].ndim; d++)
            if (!knp_contains(how->window, d) && point++ == how->index_batching.v[b])
                knp_index_copy(p->i, d, in, (int)how->table_batching.v[b]);
    return in;
}

static knk_node part_constant(knk_builder *k, kn_dtype d, const knx_scalar_bits *fill, int part)
{
    kn_dtype c = knx_part(d);
    knx_scalar_bits s = {.u = {0}};
    memcpy(&s, fill->bytes + (size_t)part * c->size, c->size);
    if (c->kind == KN_KIND_FLOAT && c->size == 2) /* float16 is float32 in a kernel */
        return knk_const_double(k, KN_ID_F32, knx_scalar_to_double(c, s));
    return knk_const(k, (knx_dtype_id)c->id, knx_scalar_word(c->size, &s));
}

static void gather_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    const params_t *q = r->params;
    knk_builder *k = kni_lower_kernel(l);
    puller p = {l,       r, i, knp_indexing_of_gather(q), q->mode == KN_GATHER_FILL || q->mode == KN_GATHER_FILL_ZERO,
                KNK_NONE};
    kni_index *in = window_position(&p);
    for (int s = 0; in && s < p.how.index_map.n; s++) {
        int64_t d = p.how.index_map.v[s];
        knk_node start = start_node(&p, s, knp_largest_start(&p.how, r->xt[0], q->slice_sizes, d));
        kni_index_axis *axis = &in->axis[d];
        axis->node = axis->node < 0 ? start : knk_binary(k, KNK_ADD, axis->node, start);
    }
    if (!in)
        return;
    kn_dtype d = r->xt[0].dtype;
    kni_pair other = {KNK_NONE, KNK_NONE};
    if (p.fills) {
        knx_scalar_bits fill = knp_fill_value(d, q->mode == KN_GATHER_FILL_ZERO);
        other.re = part_constant(k, d, &fill, 0);
        if (knx_is_pair(d))
            other.im = part_constant(k, d, &fill, 1);
    }
    y[0] = kni_lower_operand(l, 0, in, p.inside, other);
}

static void gather_spread(const kni_rule *r, kni_spread *s)
{
    knp_indexing how = knp_indexing_of_gather(r->params);
    knp_spread_windows(r, &how, true, ((const params_t *)r->params)->slice_sizes, -1, s);
}

static knx_error *gather_resize(const kni_rule *r, void *params)
{
    knp_indexing how = knp_indexing_of_gather(r->params);
    for (int d = 0, w = 0; d < r->xt[0].ndim; d++)
        if (!knp_contains(how.dropped, d) && !knp_contains(how.table_batching, d))
            knp_list(((params_t *)params)->slice_sizes)[d] = r->yt[0].dim[how.window.v[w++]];
    return NULL;
}

/* The fill value where the indices leave the whole table, on the first device; the others have zeros there. */
static kni_atom fill_outside(const kni_rule *r, const kni_local *l, const knp_indexing *how,
                             const kni_p_check_bounds *bounds, kni_atom y)
{
    kni_builder *b = r->b;
    kn_dtype d = r->yt[0].dtype;
    knp_dims points = knp_axes_rest(how->window, r->yt[0].ndim);
    kni_atom outside = knb_and(b, knp_outside(b, r->x[1], bounds), knp_is_first(r, l));
    outside = knb_broadcast_in_dim(b, outside, r->yt[0].ndim, r->yt[0].dim, points.v);
    return knb_select(b, outside, knb_literal(b, d, false, knp_fill_value(d, false)), y);
}

/* What lies in the device's part of the table, and zeros. */
static knx_error *gather_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const params_t *p = r->params;
    knp_indexing how = knp_indexing_of_gather(p);
    knp_bounds_lists lists;
    kni_p_check_bounds bounds = knp_bounds_of(&how, l->xt[0], p->slice_sizes, &lists);
    bool fills = p->mode == KN_GATHER_FILL || p->mode == KN_GATHER_FILL_ZERO;
    knp_dims sizes = {.n = p->slice_sizes.n};
    for (int d = 0; d < sizes.n; d++)
        sizes.v[d] = p->slice_sizes.v[d];
    if (p->mode == KN_GATHER_CHECK)
        knb_check_bounds(r->b, r->x[1], &bounds);
    kni_atom indices = knp_part_indices(r, l, &how, p->slice_sizes, !fills);
    how.mode = KN_GATHER_FILL_ZERO;
    how.wraps = how.is_sorted = how.is_unique = false;
    params_t q = knp_gather_params(&how, knp_ints(&sizes));
    KN_TRY(gather_resize(r, &q));
    y[0] = r->b->error ? KN_ATOM_NONE : knb_gather(r->b, r->x[0], indices, &q);
    if (p->mode == KN_GATHER_FILL)
        y[0] = fill_outside(r, l, &how, &bounds, y[0]);
    return NULL;
}

static double gather_cost(const kni_rule *r)
{
    return (double)(2 + 6 * ((const params_t *)r->params)->start_index_map.n) * kni_type_count(r->yt[0]);
}

static bool gather_may_fail(const kni_rule *r) { return ((const params_t *)r->params)->mode == KN_GATHER_CHECK; }

const kni_prim knp_prim_gather = {
    .name = "gather",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .linear_in = 1,
    .fields = kni_fields_gather,
    .params_size = sizeof(params_t),
    .factors = "n w, p i -> p w v",
    .doc = "windows of an array that begin where the indices say (jax.lax.gather)",
    .type = gather_type,
    .jvp = gather_jvp,
    .transpose = gather_transpose,
    .simplify = gather_simplify,
    .batch = gather_batch,
    .run = gather_run,
    .pull = gather_pull,
    .pulls = gather_pulls,
    .spread = gather_spread,
    .resize = gather_resize,
    .local = gather_local,
    .expand = gather_expand,
    .expands = gather_expands,
    .cost = gather_cost,
    .may_fail = gather_may_fail,
    .put = gather_put,
};
