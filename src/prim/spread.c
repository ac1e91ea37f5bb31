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
    for (int d = 0; d < r->xt[0].ndim; d++)
        if (!knp_contains(axes, d))
            knp_spread_pair(s, r->xt[0].dim[d], 0, d, 0, d);
}

void knp_resize_list(kni_ints v, const int64_t *dim)
{
    for (int i = 0; i < v.n; i++)
        knp_list(v)[i] = dim[i];
}
