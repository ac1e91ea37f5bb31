/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- how gather and the scatters are cut: along axes of the table that windows fill, axes of points, and pairs
 * of batching axes; and along axes of the table that indices move on, one element at a time: then each device looks for
 * the indices that fall into its part, so that neither the table nor its update goes from device to device. */
#include "prim/index/index.h"

typedef struct spreader {
    const kni_rule *r;
    const knp_indexing *x;
    kni_spread *s;
    bool gathers;
    int join;
    kni_type dense;
} spreader;

/* An axis of the dense array, which is a result or an operand. */
static void dense_axis(const spreader *p, kni_factor *f, int axis)
{
    if (p->gathers)
        kni_factor_out(f, 0, axis);
    else
        kni_factor_in(f, 2, axis);
}

/* An axis of the table; that of a scatter comes back. */
static void table_axis(const spreader *p, kni_factor *f, int axis)
{
    kni_factor_in(f, 0, axis);
    if (!p->gathers)
        kni_factor_out(f, 0, axis);
}

/* Windows that fill an axis of the table, along which no index moves them. */
static void window_axes(const spreader *p, kni_ints sizes)
{
    const knp_indexing *x = p->x;
    kni_type table = p->r->xt[0];
    for (int d = 0, w = 0; d < table.ndim; d++) {
        if (knp_contains(x->dropped, d) || knp_contains(x->table_batching, d))
            continue;
        int axis = (int)x->window.v[w++];
        if (sizes.v[d] != table.dim[d] || knp_contains(x->index_map, d))
            continue;
        kni_factor *f = kni_factor_new(p->s, KNI_PARALLEL, table.dim[d]);
        table_axis(p, f, d);
        dense_axis(p, f, axis);
    }
}

/* Axis d of the points is axis `axis` of the dense array; one of a batching pair is the table's, too. Updates at
 * several points may meet in one element of the table: those axes are whole, unless the row says what to do. */
static void point_axis(const spreader *p, int d, int axis)
{
    const knp_indexing *x = p->x;
    int pair = 0;
    while (pair < x->index_batching.n && x->index_batching.v[pair] != d)
        pair++;
    bool batching = pair < x->index_batching.n, joins = !batching && !p->gathers;
    if (joins && p->join < 0)
        return;
    kni_factor *f = kni_factor_new(p->s, joins ? (kni_factor_kind)p->join : KNI_PARALLEL, p->r->xt[1].dim[d]);
    if (f)
        f->local = joins;
    if (f)
        f->minus = joins;
    kni_factor_in(f, 1, d);
    dense_axis(p, f, axis);
    if (batching)
        table_axis(p, f, (int)x->table_batching.v[pair]);
}

/* Axes of the table that indices move on. A gather finds an element on one device, zeros on the others. */
static void indexed_axes(const spreader *p, kni_ints sizes)
{
    kni_type table = p->r->xt[0];
    for (int d = 0; d < table.ndim; d++) {
        bool moved = knp_contains(p->x->index_map, d) && !knp_contains(p->x->table_batching, d);
        if (!moved || sizes.v[d] != 1 || table.dim[d] < 2)
            continue;
        if (p->gathers) {
            knp_spread_one(p->r, p->s, d);
            continue;
        }
        kni_factor *f = kni_factor_new(p->s, KNI_PARALLEL, table.dim[d]);
        table_axis(p, f, d);
        if (f)
            f->local = true;
    }
}

void knp_spread_windows(const kni_rule *r, const knp_indexing *x, bool gathers, kni_ints sizes, int join, kni_spread *s)
{
    const spreader p = {r, x, s, gathers, join, gathers ? r->yt[0] : r->xt[2]};
    window_axes(&p, sizes);
    indexed_axes(&p, sizes);
    for (int axis = 0, d = 0; axis < p.dense.ndim; axis++)
        if (!knp_contains(x->window, axis))
            point_axis(&p, d++, axis);
}

/* --- on one device ---------------------------------------------------------------------------- */

bool knp_table_is_cut(const kni_local *l, const knp_indexing *x)
{
    for (int k = 0; k < x->index_map.n; k++)
        if (knp_cut_factor(l, 0, (int)x->index_map.v[k]) >= 0)
            return true;
    return false;
}

kni_atom knp_is_first(const kni_rule *r, const kni_local *l)
{
    kni_builder *b = r->b;
    kni_atom first = KN_ATOM_NONE;
    for (int f = 0; f < l->spread->n; f++) {
        if (l->cut[f].parts == 1 || !kni_factor_joins(l->spread->v[f].kind))
            continue;
        kni_atom here = knb_eq(b, l->cut[f].first, knb_integer(b, KN_DT(I64), 0));
        first = first == KN_ATOM_NONE ? here : knb_and(b, first, here);
    }
    return first == KN_ATOM_NONE ? knb_integer(b, KN_DT(BOOL), 1) : first;
}

static kni_atom index_number(kni_builder *b, int64_t v) { return knb_integer(b, KN_DT(I64), v); }

/* Number k of each start, along a last axis of extent 1, as an int64. Large uint64 stay beyond the end. */
static kni_atom column_of(const kni_rule *r, int k)
{
    kni_builder *b = r->b;
    kni_type t = r->xt[1];
    knp_dims start = {.n = t.ndim}, limit = knp_dims_of(t);
    kni_atom v = r->x[1];
    start.v[t.ndim - 1] = k;
    limit.v[t.ndim - 1] = k + 1;
    if (t.dim[t.ndim - 1] != 1)
        v = knb_slice(b, v, start.v, limit.v, NULL);
    if (t.dtype == KN_DT(U64))
        v = knb_min(b, v, knb_integer(b, KN_DT(U64), INT64_MAX));
    return knb_convert(b, v, KN_DT(I64));
}

static kni_atom part_column(const kni_rule *r, const kni_local *l, const knp_indexing *x, kni_ints sizes, bool clips,
                            int k)
{
    kni_builder *b = r->b;
    int d = (int)x->index_map.v[k], f = knp_cut_factor(l, 0, d);
    int64_t extent = l->xt[0].dim[d], most = knp_largest_start(x, l->xt[0], sizes, d);
    kni_atom v = column_of(r, k), zero = index_number(b, 0), last = index_number(b, most), inside = KN_ATOM_NONE;
    if (x->wraps && r->xt[1].dtype->kind == KN_KIND_INT)
        v = knb_select(b, knb_lt(b, v, zero), knb_add(b, v, index_number(b, extent)), v);
    if (clips)
        v = knb_max(b, knb_min(b, v, last), zero);
    else
        inside = knb_and(b, knb_ge(b, v, zero), knb_le(b, v, last));
    if (f >= 0)
        v = knb_sub(b, v, l->cut[f].first);
    return clips ? v : knb_select(b, inside, v, index_number(b, -1));
}

kni_atom knp_part_indices(const kni_rule *r, const kni_local *l, const knp_indexing *x, kni_ints sizes, bool clips)
{
    int n = x->index_map.n;
    kni_atom *column = knp_room(r->b, (size_t)n + 1);
    for (int k = 0; column && k < n; k++)
        column[k] = part_column(r, l, x, sizes, clips, k);
    if (!column || r->b->error)
        return KN_ATOM_NONE;
    return n == 1 ? column[0] : knb_concatenate(r->b, n, column, r->xt[1].ndim - 1);
}
