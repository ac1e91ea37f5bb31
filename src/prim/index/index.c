/* SPDX-License-Identifier: Apache-2.0
 * index.c -- what gather and the scatters have in common. */
#include "prim/index/index.h"
#include <string.h>

knp_indexing knp_indexing_of_gather(const kni_p_gather *p)
{
    return (knp_indexing){p->offset_dims,
                          p->collapsed_slice_dims,
                          p->start_index_map,
                          p->operand_batching_dims,
                          p->start_indices_batching_dims,
                          p->mode,
                          p->indices_are_sorted,
                          p->unique_indices,
                          p->wraps};
}

knp_indexing knp_indexing_of_scatter(const kni_p_scatter *p)
{
    return (knp_indexing){p->update_window_dims,
                          p->inserted_window_dims,
                          p->scatter_dims_to_operand_dims,
                          p->operand_batching_dims,
                          p->scatter_indices_batching_dims,
                          p->mode,
                          p->indices_are_sorted,
                          p->unique_indices,
                          p->wraps};
}

kni_p_gather knp_gather_params(const knp_indexing *x, kni_ints slice_sizes)
{
    return (kni_p_gather){x->window,   x->dropped, x->index_map, x->table_batching, x->index_batching,
                          slice_sizes, x->mode,    x->is_sorted, x->is_unique,      x->wraps};
}

kni_p_scatter knp_scatter_params(const knp_indexing *x)
{
    return (kni_p_scatter){x->window, x->dropped,   x->index_map, x->table_batching, x->index_batching,
                           x->mode,   x->is_sorted, x->is_unique, x->wraps};
}

/* --- checks ----------------------------------------------------------------------------------- */

static knx_error *check_list(const char *op, const char *what, kni_ints list, int below, bool rising)
{
    for (int i = 0; i < list.n; i++) {
        if (list.v[i] < 0 || list.v[i] >= below)
            return knx_error_new(KN_ERROR_TYPE, "Invalid %s set in %s op; valid range is [0, %d), got: %lld.", what, op,
                                 below, (long long)list.v[i]);
        if (rising && i && list.v[i] < list.v[i - 1])
            return knx_error_new(KN_ERROR_TYPE, "%s in %s op must be sorted", what, op);
        for (int k = 0; k < i; k++)
            if (list.v[k] == list.v[i])
                return knx_error_new(KN_ERROR_TYPE, "%s in %s op must not repeat; got %lld twice", what, op,
                                     (long long)list.v[i]);
    }
    return NULL;
}

knx_error *knp_check_indexing(const char *op, const knp_indexing *x, kni_type table, kni_type indices, int dense_ndim)
{
    if (!knx_is_integer(indices.dtype))
        return knx_error_new(KN_ERROR_TYPE, "%s: indices must have an integer dtype, got %s", op, indices.dtype->name);
    if (indices.ndim < 1)
        return knx_error_new(KN_ERROR_TYPE, "%s: indices must have the dimension of the index vectors, got a scalar",
                             op);
    int points = indices.ndim - 1;
    KN_TRY(check_list(op, "window dimensions", x->window, dense_ndim, true));
    KN_TRY(check_list(op, "collapsed dimensions", x->dropped, table.ndim, true));
    KN_TRY(check_list(op, "index map", x->index_map, table.ndim, false));
    KN_TRY(check_list(op, "operand batching dimensions", x->table_batching, table.ndim, true));
    KN_TRY(check_list(op, "indices batching dimensions", x->index_batching, points, false));
    if (dense_ndim != points + x->window.n || table.ndim != x->window.n + x->dropped.n + x->table_batching.n)
        return knx_error_new(KN_ERROR_TYPE,
                             "%s: the windows must have a dimension for each one of the operand that is neither "
                             "collapsed nor a batching dimension",
                             op);
    knx_text s = {0}, t = {0};
    if (!knx_dim_eq(x->index_map.n, indices.dim[points]))
        return knx_error_new(KN_ERROR_TYPE,
                             "%s: the index map has %d dimensions, but the index vectors have %s numbers", op,
                             x->index_map.n, knx_dim_show(&s, indices.dim[points]));
    if (x->table_batching.n != x->index_batching.n)
        return knx_error_new(KN_ERROR_TYPE, "%s: operand and indices have different numbers of batching dimensions",
                             op);
    for (int i = 0; i < x->table_batching.n; i++) {
        int64_t d = x->table_batching.v[i];
        if (!knx_dim_eq(table.dim[d], indices.dim[x->index_batching.v[i]]))
            return knx_error_new(KN_ERROR_TYPE, "%s: batching dimensions must have the same extent, got %s and %s", op,
                                 knx_dim_show(&s, table.dim[d]), knx_dim_show(&t, indices.dim[x->index_batching.v[i]]));
        if (knp_contains(x->dropped, d) || knp_contains(x->index_map, d))
            return knx_error_new(KN_ERROR_TYPE, "%s: a batching dimension cannot be collapsed or indexed", op);
    }
    return NULL;
}

/* --- layouts ---------------------------------------------------------------------------------- */

static bool is_window_dim(const knp_indexing *x, int64_t table_dim)
{
    return !knp_contains(x->dropped, table_dim) && !knp_contains(x->table_batching, table_dim);
}

knp_dims knp_window_sizes(const knp_indexing *x, kni_type table, kni_type dense)
{
    knp_dims s = {.n = table.ndim};
    for (int d = 0, i = 0; d < table.ndim; d++)
        s.v[d] = is_window_dim(x, d) ? dense.dim[x->window.v[i++]] : 1;
    return s;
}

static void c_strides(kni_type t, int64_t *stride)
{
    int64_t s = 1;
    for (int i = t.ndim - 1; i >= 0; i--) {
        stride[i] = s;
        s *= t.dim[i];
    }
}

static knr_out_of_bounds out_of_bounds(int64_t mode, bool gathers)
{
    switch ((kni_gather_mode)mode) {
    case KN_GATHER_CLIP: return KNR_OUT_CLIP;
    case KN_GATHER_FILL:
    case KN_GATHER_FILL_ZERO: return KNR_OUT_SKIP;
    case KN_GATHER_CHECK: return KNR_OUT_ERROR;
    case KN_GATHER_PROMISE: break; /* memory is safe also where the promise is broken */
    }
    return gathers ? KNR_OUT_CLIP : KNR_OUT_SKIP;
}

knx_scalar_bits knp_fill_value(kn_dtype d, bool zero)
{
    knx_scalar_bits s = {.u = {0}};
    if (zero)
        return s;
    switch (d->kind) {
    case KN_KIND_BOOL: s.u8 = 1; break;
    case KN_KIND_INT: return knx_scalar_extreme(d, false);
    case KN_KIND_UINT: return knx_scalar_extreme(d, true);
    case KN_KIND_KEY: memset(s.bytes, 0xff, d->size); break;
    case KN_KIND_FLOAT: s = knx_scalar_from_double(d, __builtin_nan("")); break;
    case KN_KIND_COMPLEX: {
        kn_dtype part = knx_component(d);
        s = knx_scalar_from_double(part, __builtin_nan(""));
        memcpy(s.bytes + part->size, s.bytes, part->size);
        break;
    }
    }
    return s;
}

int64_t knp_largest_start(const knp_indexing *x, kni_type table, kni_ints sizes, int64_t d)
{
    return knx_dim_sub(table.dim[d], is_window_dim(x, d) ? sizes.v[d] : 1);
}

/* As one example of a batch sees it. */
static int64_t axis_of(const knp_indexing *x, int64_t d) { return d - knp_axes_before(x->table_batching, (int)d); }

kni_p_check_bounds knp_bounds_of(const knp_indexing *x, kni_type table, kni_ints sizes, knp_bounds_lists *lists)
{
    *lists =
        (knp_bounds_lists){.axis = {.n = x->index_map.n}, .most = {.n = x->index_map.n}, .size = {.n = x->index_map.n}};
    for (int i = 0; i < x->index_map.n; i++) {
        int64_t d = x->index_map.v[i];
        lists->axis.v[i] = axis_of(x, d);
        lists->most.v[i] = knp_largest_start(x, table, sizes, d);
        lists->size.v[i] = table.dim[d];
    }
    return (kni_p_check_bounds){knp_ints(&lists->axis), knp_ints(&lists->most), knp_ints(&lists->size), x->wraps};
}

void knp_describe_windows(const knp_indexing *x, kni_type table, kni_type indices, kni_type dense, kni_ints sizes,
                          bool gathers, knr_windows *w)
{
    int64_t table_stride[KN_MAX_NDIM] = {0}, dense_stride[KN_MAX_NDIM] = {0};
    c_strides(table, table_stride);
    c_strides(dense, dense_stride);
    w->dtype = table.dtype;
    w->index_dtype = indices.dtype;
    w->n_point = indices.ndim - 1;
    for (int i = 0, d = 0; i < w->n_point; i++, d++) {
        while (knp_contains(x->window, d))
            d++;
        w->point[i] = indices.dim[i];
        w->point_dense[i] = dense_stride[d];
        w->point_table[i] = 0;
    }
    for (int i = 0; i < x->table_batching.n; i++)
        w->point_table[x->index_batching.v[i]] = table_stride[x->table_batching.v[i]];
    w->n_index = x->index_map.n;
    w->wraps = x->wraps;
    for (int i = 0; i < w->n_index; i++) {
        int64_t d = x->index_map.v[i];
        w->index_table[i] = table_stride[d];
        w->index_most[i] = knp_largest_start(x, table, sizes, d);
        w->index_axis[i] = axis_of(x, d);
        w->index_size[i] = table.dim[d];
    }
    w->n_window = 0;
    w->may_cross = false;
    for (int d = 0; d < table.ndim; d++) {
        if (!is_window_dim(x, d))
            continue;
        int i = w->n_window++;
        w->window[i] = sizes.v[d];
        w->window_dense[i] = dense_stride[x->window.v[i]];
        w->window_table[i] = table_stride[d];
        w->may_cross = w->may_cross || (!x->is_unique && sizes.v[d] > 1 && knp_contains(x->index_map, d));
    }
    w->windows_last = !x->window.n || x->window.v[0] == w->n_point;
    w->fill = knp_fill_value(table.dtype, x->mode == KN_GATHER_FILL_ZERO);
    w->mode = out_of_bounds(x->mode, gathers);
}

/* --- indices that count from the end ---------------------------------------------------------- */

/* The equation that makes `a`, if it is one of p. */
static const kni_draft_eqn *maker(const kni_builder *b, kni_atom a, const kni_prim *p)
{
    const kni_draft_eqn *e = knb_maker(b, a);
    return e && e->prim == p ? e : NULL;
}

static bool is_number(const kni_builder *b, kni_atom a, int64_t v)
{
    knx_scalar_bits bits;
    return knb_literal_value(b, a, &bits) && knb_type(b, a).dtype == KN_DT(I64) && bits.i64 == v;
}

/* The operand of views that only add axes of extent 1 or take them away. */
static kni_atom as_made(const kni_builder *b, kni_atom a)
{
    for (const kni_draft_eqn *e;; a = e->in[0]) {
        e = maker(b, a, &knp_prim_reshape);
        e = e ? e : maker(b, a, &knp_prim_broadcast_in_dim);
        if (!e || !kni_is_var(e->in[0]))
            return a;
        kni_type x = knb_type(b, e->in[0]), y = knb_type(b, a);
        if (kni_type_is_symbolic(x) || kni_type_is_symbolic(y) || kni_type_size(x) != kni_type_size(y))
            return a;
    }
}

/* An array of indices as it was before it was widened, and before what is negative was counted from the end: what
 * `i < 0 ? i + size : i` was made of. Of the least number of bytes that is worth it. */
static kni_atom before_wrap(kni_builder *b, kni_atom a, int64_t size, int least, bool *wraps)
{
    kni_type t = knb_type(b, a);
    kni_atom i = as_made(b, a);
    const kni_draft_eqn *chosen = maker(b, i, &knp_prim_select_n);
    const kni_draft_eqn *below = chosen ? maker(b, chosen->in[0], &knp_prim_lt) : NULL;
    const kni_draft_eqn *sum = chosen && chosen->n_in == 3 ? maker(b, chosen->in[2], &knp_prim_add) : NULL;
    *wraps = below && sum && below->in[0] == chosen->in[1] && is_number(b, below->in[1], 0) &&
             sum->in[0] == chosen->in[1] && is_number(b, sum->in[1], size);
    i = *wraps ? as_made(b, chosen->in[1]) : i;
    const kni_draft_eqn *wide = maker(b, i, &knp_prim_convert_element_type);
    kn_dtype d = wide ? knb_type(b, wide->in[0]).dtype : NULL;
    bool widened = d && knx_is_integer(d) && d->size >= least && d->size < 8 && knb_type(b, i).dtype == KN_DT(I64);
    if (!*wraps && !widened)
        return KN_ATOM_NONE;
    return knb_reshape(b, widened ? wide->in[0] : i, t.ndim, t.dim);
}

kni_atom knp_given_indices(kni_builder *b, kni_atom indices, kni_ints sizes, int least, bool *wraps)
{
    const kni_draft_eqn *columns = maker(b, indices, &knp_prim_concatenate);
    kni_atom part[KN_MAX_NDIM];
    int last = knb_type(b, indices).ndim - 1;
    bool wrapped;
    *wraps = false;
    if (sizes.n < 1 || sizes.n > KN_MAX_NDIM || kni_type_is_symbolic(knb_type(b, indices)))
        return KN_ATOM_NONE;
    if (sizes.n == 1)
        return before_wrap(b, indices, sizes.v[0], least, wraps);
    if (!columns || columns->n_in != (uint32_t)sizes.n ||
        ((const kni_p_concatenate *)columns->params)->dimension != last)
        return KN_ATOM_NONE;
    const kni_atom *column = columns->in; /* stays where it is, the equation does not */
    for (int k = 0; k < sizes.n; k++) {
        part[k] = before_wrap(b, column[k], sizes.v[k], least, &wrapped);
        if (part[k] == KN_ATOM_NONE ||
            (k && (wrapped != *wraps || knb_type(b, part[k]).dtype != knb_type(b, part[0]).dtype)))
            return KN_ATOM_NONE;
        *wraps = wrapped;
    }
    return knb_concatenate(b, sizes.n, part, last);
}

kni_atom knp_simplify_indices(const kni_rule *r, knp_indexing *x, int least)
{
    knp_dims sizes = {.n = x->index_map.n};
    for (int k = 0; k < sizes.n; k++)
        sizes.v[k] = r->xt[0].dim[x->index_map.v[k]];
    bool wraps, had = x->wraps;
    kni_atom i = knp_given_indices(r->b, r->x[1], knp_ints(&sizes), least, &wraps);
    x->wraps = had || wraps;
    return had && wraps ? KN_ATOM_NONE : i;
}

/* --- batching and derivatives ----------------------------------------------------------------- */

/* 0 in front of `list` if `first`, and all of it one up if `up`. */
static knp_dims shifted(kni_ints list, bool up, bool first)
{
    knp_dims d = {0};
    if (first)
        d.v[d.n++] = 0;
    for (int i = 0; i < list.n && d.n < KN_MAX_NDIM; i++)
        d.v[d.n++] = list.v[i] + up;
    return d;
}

knp_indexing knp_batch_indexing(const knp_indexing *x, bool table, bool indices, knp_indexing_lists *lists)
{
    lists->window = shifted(x->window, true, table && !indices);
    lists->dropped = shifted(x->dropped, table, false);
    lists->index_map = shifted(x->index_map, table, false);
    lists->table_batching = shifted(x->table_batching, table, table && indices);
    lists->index_batching = shifted(x->index_batching, indices, table && indices);
    return (knp_indexing){.window = knp_ints(&lists->window),
                          .dropped = knp_ints(&lists->dropped),
                          .index_map = knp_ints(&lists->index_map),
                          .table_batching = knp_ints(&lists->table_batching),
                          .index_batching = knp_ints(&lists->index_batching),
                          .mode = x->mode,
                          .is_sorted = x->is_sorted && !indices,
                          .is_unique = x->is_unique && (table || !indices),
                          .wraps = x->wraps};
}

int64_t knp_mode_of_tangent(int64_t mode)
{
    switch ((kni_gather_mode)mode) {
    case KN_GATHER_FILL: return KN_GATHER_FILL_ZERO;
    case KN_GATHER_CHECK: return KN_GATHER_PROMISE;
    default: return mode;
    }
}
