/* SPDX-License-Identifier: Apache-2.0
 * factors.c -- the factors of equations whose rows have no column `spread`, seen in their other columns:
 *
 *     elementwise   each axis is parallel; operands that are scalars beside arrays have none
 *     map           an axis of the result that walks along one axis of the operand is parallel with it; one that walks
 *                   along none is a copy of the same
 *     reduction     axes of params that are joined, the others parallel
 *     rows          the first axes are parallel
 *     product       dimensions of batch, m and n are parallel, those of k summed, but for what a window moves
 *
 * And the equation of one device: parameters of the parts' types. */
#include "shard/factors.h"
#include "ir/mesh.h"
#include <string.h>

/* --- elementwise ------------------------------------------------------------------------------ */

static void of_elements(const kni_rule *r, kni_spread *s)
{
    for (int d = 0; d < r->yt->ndim; d++) {
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->yt->dim[d]);
        for (int i = 0; i < r->n_in; i++)
            if (r->xt[i].ndim)
                kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            kni_factor_out(f, j, d);
    }
}

/* --- map -------------------------------------------------------------------------------------- */

/* The one loop that an axis walks along, one by one from 0 on; -1: it stands still; -2: something else. */
static int loop_of(const kni_index_axis *a, int n_loop)
{
    int loop = -1;
    for (int l = 0; l < n_loop; l++)
        if (a->coef[l])
            loop = loop == -1 && a->coef[l] == 1 ? l : -2;
    return loop == -1 || (loop >= 0 && !a->offset && a->node == KNK_NONE) ? loop : -2;
}

/* Positions of so many axes, a loop for each axis of the result; they are large, so they are given back at once. */
static kni_index index_of(kni_index_axis *axis, int ndim, int n_loop)
{
    memset(axis, 0, (size_t)ndim * sizeof *axis);
    for (int d = 0; d < ndim; d++)
        axis[d].node = KNK_NONE;
    return (kni_index){.n_loop = n_loop, .ndim = ndim, .axis = axis};
}

static void of_view(const kni_rule *r, kni_spread *s)
{
    bool touched[KN_MAX_NDIM] = {false}; /* axes of the result that the operand follows */
    int along[KN_MAX_NDIM], n_loop = r->yt->ndim;
    kni_index_axis *axis = knx_alloc((size_t)(r->xt->ndim + n_loop + 1) * sizeof *axis);
    s->failed = s->failed || !axis;
    if (!axis)
        return;
    kni_index out = index_of(axis, n_loop, n_loop), in = index_of(axis + n_loop, r->xt->ndim, n_loop);
    for (int d = 0; d < n_loop; d++)
        out.axis[d].coef[d] = 1;
    r->prim->map(r, &out, &in);
    for (int i = 0; i < r->xt->ndim; i++) {
        along[i] = loop_of(&in.axis[i], n_loop);
        for (int l = 0; l < n_loop; l++)
            touched[l] = touched[l] || in.axis[i].coef[l];
    }
    knx_free(axis);
    for (int i = 0; i < r->xt->ndim; i++)
        if (along[i] >= 0 && r->xt->dim[i] == r->yt->dim[along[i]]) {
            kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->xt->dim[i]);
            kni_factor_in(f, 0, i);
            kni_factor_out(f, 0, along[i]);
        }
    for (int d = 0; d < r->yt->ndim; d++)
        if (!touched[d])
            kni_factor_out(kni_factor_new(s, KNI_PARALLEL, r->yt->dim[d]), 0, d);
}

/* --- reductions ------------------------------------------------------------------------------- */

static kni_factor_kind kind_of(knk_reduction how)
{
    static const uint8_t kind[] = {
        [KNK_RED_ADD] = KNI_SUM, [KNK_RED_MUL] = KNI_PROD, [KNK_RED_MIN] = KNI_MIN, [KNK_RED_MAX] = KNI_MAX,
        [KNK_RED_AND] = KNI_AND, [KNK_RED_OR] = KNI_OR,    [KNK_RED_XOR] = KNI_XOR};
    return kind[how];
}

static void of_reduction(const kni_rule *r, kni_spread *s)
{
    kni_ints axes = ((const kni_p_reduce *)r->params)->axes;
    for (int d = 0, kept = 0; d < r->xt->ndim; d++) {
        bool joined = false;
        for (int i = 0; i < axes.n; i++)
            joined = joined || axes.v[i] == d;
        kni_factor *f = kni_factor_new(s, joined ? kind_of(r->prim->reduction->how) : KNI_PARALLEL, r->xt->dim[d]);
        kni_factor_in(f, 0, d);
        if (!joined)
            kni_factor_out(f, 0, kept++);
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

static void of_rows(const kni_rule *r, kni_spread *s)
{
    int n = r->prim->rows(r);
    for (int d = 0; d < n; d++) {
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->yt->dim[d]);
        for (int i = 0; i < r->n_in; i++)
            kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            kni_factor_out(f, j, d);
    }
}

/* --- products --------------------------------------------------------------------------------- */

/* The axis of a C-contiguous array that a dimension with this stride walks, or whose major part it is. -1: none */
static int axis_of(const kni_type *t, int64_t extent, int64_t stride)
{
    int64_t own = 1;
    for (int d = t->ndim - 1; d >= 0; own *= t->dim[d--])
        if (t->dim[d] > 1 && stride >= own && stride % own == 0 && stride / own * extent == t->dim[d])
            return d;
    return -1;
}

static bool walked_by_window(const knk_product *p, const knk_dims *g, int i)
{
    for (int w = 0; w < p->n_window; w++)
        if ((g == &p->m && p->window[w].m == i) || (g == &p->k && p->window[w].k == i))
            return true;
    return false;
}

/* Has the array an axis for the dimension where it has a stride? */
static bool place(const kni_type *t, const knk_dims *g, int i, int64_t stride, int *axis)
{
    *axis = stride ? axis_of(t, g->extent[i], stride) : -1;
    return !stride || *axis >= 0;
}

/* Sums of truth values are true where one is. */
static kni_factor_kind sum_kind(kn_dtype d) { return d->kind == KN_KIND_BOOL ? KNI_OR : KNI_SUM; }

static void of_group(const kni_rule *r, kni_spread *s, const knk_product *p, const knk_dims *g, bool of_a, bool of_b,
                     bool of_c)
{
    for (int i = 0; i < g->n; i++) {
        int a, b, c;
        bool whole = !place(&r->xt[0], g, i, g->a[i], &a) || !place(&r->xt[1], g, i, g->b[i], &b) ||
                     !place(r->yt, g, i, g->c[i], &c) || walked_by_window(p, g, i);
        if (g->extent[i] < 2 || whole || (a >= 0) != of_a || (b >= 0) != of_b || (c >= 0) != of_c)
            continue;
        kni_factor *f = kni_factor_new(s, of_c ? KNI_PARALLEL : sum_kind(r->yt->dtype), g->extent[i]);
        kni_factor_in(f, 0, a);
        kni_factor_in(f, 1, b);
        kni_factor_out(f, 0, c);
    }
}

static bool has_no_elements(const kni_type *t)
{
    for (int d = 0; d < t->ndim; d++)
        if (!t->dim[d])
            return true;
    return false;
}

static void of_product(const kni_rule *r, kni_spread *s)
{
    if (has_no_elements(&r->xt[0]) || has_no_elements(&r->xt[1]) || has_no_elements(r->yt))
        return; /* strides are zero */
    knk_product *p = knx_alloc(sizeof *p);
    s->failed = s->failed || !p;
    if (!p)
        return;
    r->prim->product(r, p);
    of_group(r, s, p, &p->batch, true, true, true);
    of_group(r, s, p, &p->m, true, false, true);
    of_group(r, s, p, &p->n, false, true, true);
    of_group(r, s, p, &p->k, true, true, false);
    knx_free(p);
}

/* --- all -------------------------------------------------------------------------------------- */

static bool has_symbols(int n, const kni_type *t)
{
    for (int i = 0; i < n; i++)
        if (kni_type_is_symbolic(t[i]))
            return true;
    return false;
}

/* Sums of booleans are `or`, products `and`. */
static void of_truths(const kni_rule *r, kni_spread *s)
{
    for (int f = 0; r->n_out && r->yt->dtype->kind == KN_KIND_BOOL && f < s->n; f++)
        s->v[f].kind = s->v[f].kind == KNI_SUM ? KNI_OR : s->v[f].kind == KNI_PROD ? KNI_AND : s->v[f].kind;
}

knx_error *knshard_factors(const kni_rule *r, knx_arena *a, kni_spread *out)
{
    const kni_prim *p = r->prim;
    *out = (kni_spread){.n_in = r->n_in, .n_out = r->n_out, .arena = a};
    if (has_symbols(r->n_in, r->xt) || has_symbols(r->n_out, r->yt))
        return NULL;
    if (p->spread)
        p->spread(r, out);
    else if (p->bits & KN_ELEMENTWISE)
        of_elements(r, out);
    else if (p->map && (!p->map_exists || p->map_exists(r)))
        of_view(r, out);
    else if (p->bits & KN_REDUCES)
        of_reduction(r, out);
    else if (p->rows)
        of_rows(r, out);
    else if (p->product)
        of_product(r, out);
    of_truths(r, out);
    return out->failed ? knx_error_nomem() : NULL;
}

bool knshard_allows(const kni_factor *f, const kni_rule *r, int64_t parts)
{
    bool multiple = f->even;
    for (int i = 0; i < r->n_in; i++)
        multiple = multiple || (f->in[i] >= 0 && r->xt[i].dim[f->in[i]] != f->size);
    for (int j = 0; j < r->n_out; j++)
        multiple = multiple || (f->out[j] >= 0 && r->yt[j].dim[f->out[j]] != f->size);
    return parts == 1 || !multiple || f->kind == KNI_HALO || f->size % parts == 0;
}

int64_t knshard_part(const kni_factor *f, int64_t parts, int64_t extent)
{
    if (f->kind == KNI_HALO || extent == f->size || !f->size)
        return kni_part_extent(extent, parts);
    return kni_part_extent(f->size, parts) * (extent / f->size);
}

/* --- the equation of one device --------------------------------------------------------------- */

knx_error *knshard_resize(const kni_rule *r, knx_arena *a, const void **params)
{
    *params = NULL;
    if (!r->prim->resize)
        return NULL;
    if (!kni_params_copy(a, r->prim, r->params, params))
        return knx_error_nomem();
    knx_error *error = r->prim->resize(r, (void *)(uintptr_t)*params);
    if (error) {
        kni_params_drop(r->prim, *params);
        *params = NULL;
    }
    return error;
}
