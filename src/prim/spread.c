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
