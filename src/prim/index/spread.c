/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- how gather and the scatters are cut: along axes of the table that windows fill, axes of points, and pairs
 * of batching axes. */
#include "prim/index/index.h"

typedef struct spreader {
    const kni_rule *r;
    const knp_indexing *x;
    kni_spread *s;
    bool gathers;
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

/* Axis d of the points is axis `axis` of the dense array; one of a batching pair is the table's, too. Updates at several
 * points may meet in one element of the table: those axes are whole, unless the row says what to do. */
static void point_axis(const spreader *p, int d, int axis)
{
    const knp_indexing *x = p->x;
    int pair = 0;
    while (pair < x->index_batching.n && x->index_batching.v[pair] != d)
        pair++;
    bool batching = pair < x->index_batching.n;
    if (!batching && !p->gathers)
        return;
    kni_factor *f = kni_factor_new(p->s, KNI_PARALLEL, p->r->xt[1].dim[d]);
    kni_factor_in(f, 1, d);
    dense_axis(p, f, axis);
    if (batching)
        table_axis(p, f, (int)x->table_batching.v[pair]);
}

void knp_spread_windows(const kni_rule *r, const knp_indexing *x, bool gathers, kni_ints sizes, kni_spread *s)
{
    const spreader p = {r, x, s, gathers, gathers ? r->yt[0] : r->xt[2]};
    window_axes(&p, sizes);
    for (int axis = 0, d = 0; axis < p.dense.ndim; axis++)
        if (!knp_contains(x->window, axis))
            point_axis(&p, d++, axis);
}
