/* SPDX-License-Identifier: Apache-2.0
 * conv_spread.c -- how conv_general_dilated is cut: images, features, groups; positions, with a halo where the kernel
 * is wider than its steps. */
#include "prim/product/conv.h"

typedef kni_p_conv params_t;

static void pair_of_three(kni_spread *s, kni_factor_kind kind, int64_t size, int lhs, int rhs, int out)
{
    kni_factor *f = kni_factor_new(s, kind, size);
    kni_factor_in(f, 0, lhs);
    kni_factor_in(f, 1, rhs);
    kni_factor_out(f, 0, out);
}

/* Images, features of the result, features that are summed; of groups these are whole, and the groups are cut. */
static void spread_features(const kni_rule *r, kni_spread *s)
{
    const params_t *p = r->params;
    kni_type x = r->xt[0], w = r->xt[1];
    int batch = (int)p->lhs_spec.v[KNP_BATCH], feature = (int)p->lhs_spec.v[KNP_FEATURE];
    int to_batch = (int)p->out_spec.v[KNP_BATCH], to = (int)p->out_spec.v[KNP_FEATURE];
    int into = (int)p->rhs_spec.v[KNP_OUT_FEATURE], from = (int)p->rhs_spec.v[KNP_IN_FEATURE];
    bool by_batch = knp_is_grouped(p->batch_group_count), by_feature = knp_is_grouped(p->feature_group_count);
    if (!by_batch)
        pair_of_three(s, KNI_PARALLEL, x.dim[batch], batch, -1, to_batch);
    if (!by_feature)
        pair_of_three(s, r->yt->dtype->kind == KN_KIND_BOOL ? KNI_OR : KNI_SUM, x.dim[feature], feature, from, -1);
    if (!by_batch && !by_feature)
        pair_of_three(s, KNI_PARALLEL, w.dim[into], -1, into, to);
    else
        pair_of_three(s, KNI_PARALLEL, by_batch ? p->batch_group_count : p->feature_group_count,
                      by_batch ? batch : feature, into, to);
}

/* A kernel that sees elements of its own at each position is cut between positions; one that sees those of others, too,
 * reaches into the neighbours' parts. */
static void spread_positions(const kni_rule *r, kni_spread *s)
{
    const params_t *p = r->params;
    for (int i = 0; i < p->lo.n; i++) {
        int lhs = (int)p->lhs_spec.v[KNP_SPATIAL + i], out = (int)p->out_spec.v[KNP_SPATIAL + i];
        int64_t taps = r->xt[1].dim[p->rhs_spec.v[KNP_SPATIAL + i]], size = r->yt->dim[out],
                stride = p->window_strides.v[i];
        int64_t reach = (taps - 1) * p->rhs_dilation.v[i];
        if (p->lhs_dilation.v[i] != 1 || !taps)
            continue;
        if (!p->lo.v[i] && reach < stride && r->xt[0].dim[lhs] == size * stride)
            knp_spread_pair(s, size, 0, lhs, 0, out);
        else if (size > 1)
            knp_spread_halo(s, size, 0, lhs, out, stride, p->lo.v[i], reach - p->lo.v[i]);
    }
}

void knp_conv_spread(const kni_rule *r, kni_spread *s)
{
    spread_features(r, s);
    spread_positions(r, s);
}

/* Groups that are cut: each part has some of them. */
knx_error *knp_conv_resize(const kni_rule *r, void *params)
{
    params_t *p = params;
    int64_t features = r->xt[0].dim[p->lhs_spec.v[KNP_FEATURE]], in = r->xt[1].dim[p->rhs_spec.v[KNP_IN_FEATURE]];
    int64_t batch = r->xt[0].dim[p->lhs_spec.v[KNP_BATCH]], images = r->yt[0].dim[p->out_spec.v[KNP_BATCH]];
    if (knp_is_grouped(p->feature_group_count) && in)
        p->feature_group_count = features / in;
    if (knp_is_grouped(p->batch_group_count) && images)
        p->batch_group_count = batch / images;
    return NULL;
}

/* What the part's kernels see outside of the array is zero. */
knx_error *knp_conv_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    params_t p = *(const params_t *)r->params;
    knp_dims lo = {.n = p.lo.n}, hi = lo;
    for (int i = 0; i < lo.n; i++) {
        bool window = knp_has_window(l, 0, (int)p.lhs_spec.v[KNP_SPATIAL + i]);
        lo.v[i] = window ? 0 : p.lo.v[i];
        hi.v[i] = window ? 0 : p.hi.v[i];
    }
    KN_TRY(knp_conv_resize(r, &p));
    p.lo = knp_ints(&lo);
    p.hi = knp_ints(&hi);
    kni_atom zero = knb_number(r->b, r->xt[0].dtype, 0);
    y[0] = knb_conv_general_dilated(r->b, knp_fill_windows(r, l, 0, zero), r->x[1], &p);
    return NULL;
}
