/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- columns `spread` and `resize` that many rows share: axes that simply correspond. */
#include "prim/rules.h"

kni_factor *knp_spread_pair(kni_spread *s, int64_t extent, int i, int d, int j, int e)
{
    kni_factor *f = kni_factor_new(s, KNI_PARALLEL, extent);
    kni_factor_in(f, i, d);
    kni_factor_out(f, j, e);
    return f;
}

void knp_spread_first(const kni_rule *r, kni_spread *s, int n, uint32_t without)
{
    for (int d = 0; d < n; d++) {
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->yt[0].dim[d]);
        for (int i = 0; i < r->n_in; i++)
            if (i >= 32 || !(without >> i & 1))
                kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            kni_factor_out(f, j, d);
    }
}

void knp_spread_but(const kni_rule *r, kni_spread *s, kni_ints axes)
{
    int ndim = r->xt[0].ndim;
    for (int d = 0; d < ndim; d++) {
        if (knp_contains(axes, d))
            continue;
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->xt[0].dim[d]);
        for (int i = 0; i < r->n_in; i++)
            if (r->xt[i].ndim == ndim)
                kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            if (r->yt[j].ndim == ndim)
                kni_factor_out(f, j, d);
    }
}

void knp_spread_rest(const kni_rule *r, kni_spread *s, int n, kni_ints axes)
{
    for (int d = 0, kept = 0; d < r->xt[0].ndim; d++) {
        if (knp_contains(axes, d))
            continue;
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->xt[0].dim[d]);
        for (int i = 0; i < n; i++)
            kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            kni_factor_out(f, j, kept);
        kept++;
    }
}

void knp_spread_matrices(const kni_rule *r, kni_spread *s)
{
    int ndim = 0;
    for (int i = 0; i < r->n_in; i++)
        ndim = r->xt[i].ndim > ndim ? r->xt[i].ndim : ndim;
    knp_spread_first(r, s, ndim - 2, 0);
}

void knp_resize_list(kni_ints v, const int64_t *dim)
{
    for (int i = 0; i < v.n; i++)
        knp_list(v)[i] = dim[i];
}

void knp_spread_counted(const kni_rule *r, kni_spread *s, int lead, kni_factor_kind kind)
{
    for (int d = 0; d < r->yt[0].ndim; d++) {
        kni_factor *f = kni_factor_new(s, d < lead ? KNI_PARALLEL : kind, r->yt[0].dim[d]);
        if (f)
            f->local = d >= lead;
        for (int i = 0; i < r->n_in; i++)
            if (d < r->xt[i].ndim)
                kni_factor_in(f, i, d);
        kni_factor_out(f, 0, d);
    }
}

kni_atom knp_numbers_of_part(const kni_rule *r, const kni_local *l, int lead, kn_dtype d)
{
    kni_builder *b = r->b;
    kni_type part = r->yt[0], whole = l->yt[0];
    kni_atom number = knb_integer(b, d, 0);
    int64_t step = 1;
    for (int k = part.ndim - 1; k >= lead; step *= whole.dim[k--]) {
        kni_atom at = knb_iota(b, d, part.ndim - lead, part.dim + lead, k - lead);
        at = knb_add(b, at, knb_convert(b, l->cut[k].first, d));
        number = knb_add(b, number, knb_mul(b, at, knb_integer(b, d, step)));
    }
    return number;
}

kni_factor *knp_spread_halo(kni_spread *s, int64_t size, int i, int d, int e, int64_t step, int64_t low, int64_t high)
{
    kni_factor *f = kni_factor_new(s, KNI_HALO, size);
    kni_factor_in(f, i, d);
    kni_factor_out(f, 0, e);
    if (!f)
        return NULL;
    f->local = true;
    f->step = step;
    f->low = low;
    f->high = high;
    return f;
}

kni_factor *knp_spread_one(const kni_rule *r, kni_spread *s, int d)
{
    kn_dtype dtype = r->xt[0].dtype;
    bool truth = dtype->kind == KN_KIND_BOOL;
    if (!(knp_kind(dtype) & (KNP_NUMBERS | KNP_BOOL)))
        return NULL;
    kni_factor *f = kni_factor_new(s, truth ? KNI_OR : KNI_ONE, r->xt[0].dim[d]);
    kni_factor_in(f, 0, d);
    if (f)
        f->local = true;
    return f;
}

kni_atom knp_fill_padding(const kni_rule *r, const kni_local *l, int f, int d, kni_atom fill)
{
    kni_builder *b = r->b;
    const kni_factor *factor = &l->spread->v[f];
    if (l->cut[f].extent * l->cut[f].parts == factor->size)
        return r->x[0];
    kni_atom at = knb_iota(b, KN_DT(I64), r->xt[0].ndim, r->xt[0].dim, d);
    at = knb_add(b, at, l->cut[f].first);
    return knb_select(b, knb_lt(b, at, knb_integer(b, KN_DT(I64), factor->size)), r->x[0], fill);
}

kni_atom knp_part_number(const kni_rule *r, const kni_local *l, int f)
{
    return knb_div(r->b, l->cut[f].first, knb_integer(r->b, KN_DT(I64), l->cut[f].extent));
}

kni_atom knp_in_front(kni_builder *b, kni_atom x, int64_t n)
{
    kni_type t = knb_type(b, x);
    int64_t shape[KN_MAX_NDIM + 1] = {n}, along[KN_MAX_NDIM + 1];
    for (int d = 0; !b->error && d < t.ndim; d++) {
        shape[d + 1] = t.dim[d];
        along[d] = d + 1;
    }
    return b->error ? KN_ATOM_NONE : knb_broadcast_in_dim(b, x, t.ndim + 1, shape, along);
}

int knp_cut_factor(const kni_local *l, int i, int d)
{
    for (int f = 0; f < l->spread->n; f++)
        if (l->spread->v[f].in[i] == d && l->cut[f].parts > 1)
            return f;
    return -1;
}

bool knp_has_window(const kni_local *l, int i, int d)
{
    int f = knp_cut_factor(l, i, d);
    return f >= 0 && l->spread->v[f].kind == KNI_HALO;
}

kni_atom knp_window_start(const kni_rule *r, const kni_local *l, int f, int i)
{
    kni_builder *b = r->b;
    const kni_factor *h = &l->spread->v[f];
    kni_atom first = l->cut[f].first;
    int64_t at = h->shift ? h->shift[i] - h->low : -h->low;
    if (h->reversed)
        first = knb_sub(b, knb_integer(b, KN_DT(I64), h->size - l->cut[f].extent), first);
    if (h->step != 1)
        first = knb_mul(b, first, knb_integer(b, KN_DT(I64), h->step));
    return at ? knb_add(b, first, knb_integer(b, KN_DT(I64), at)) : first;
}

kni_atom knp_fill_windows(const kni_rule *r, const kni_local *l, int i, kni_atom fill)
{
    kni_builder *b = r->b;
    kni_atom x = r->x[i];
    for (int d = 0; d < r->xt[i].ndim; d++) {
        if (!knp_has_window(l, i, d))
            continue;
        kni_atom at = knb_iota(b, KN_DT(I64), r->xt[i].ndim, r->xt[i].dim, d);
        at = knb_add(b, at, knp_window_start(r, l, knp_cut_factor(l, i, d), i));
        kni_atom above = knb_ge(b, at, knb_integer(b, KN_DT(I64), 0));
        kni_atom below = knb_lt(b, at, knb_integer(b, KN_DT(I64), l->xt[i].dim[d]));
        x = knb_select(b, knb_and(b, above, below), x, fill);
    }
    return x;
}
