/* SPDX-License-Identifier: Apache-2.0
 * fit.c -- polyfit: polynomials next to points, by least squares. */
#include "base/log.h"
#include "kiln/linalg.h"
#include "numpy/polynomials/coefficients.h"
#include <math.h>

static kn_array with_axis(kn_array x, int axis)
{
    const kn_axes at = knl_one_axis(axis);
    return kn_expand_dims(x, &at);
}

/* An array of floating numbers. */
static kn_array inexact(kn_array x) { return kn_add(kn_asarray(x, NULL), kn_like_double(0)); }

typedef struct fit {
    kn_array x, y, w; /* w: NULL without weights */
    kn_array lhs, scale;
    int64_t n, order;
    bool wide; /* several columns y */
} fit;

static void check(knl_body *c, fit *f, int64_t deg)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, f->x), u = kna_type(op, f->y);
    if (kna_failed(op))
        return;
    if (deg < 0)
        kna_fail(op, KN_ERROR_VALUE, "expected deg >= 0");
    else if (t.ndim != 1)
        kna_fail(op, KN_ERROR_TYPE, "expected 1D vector for x");
    else if (knx_dim_eq(t.dim[0], 0))
        kna_fail(op, KN_ERROR_TYPE, "expected non-empty vector for x");
    else if (u.ndim < 1 || u.ndim > 2)
        kna_fail(op, KN_ERROR_TYPE, "expected 1D or 2D array for y");
    else if (!knx_dim_eq(t.dim[0], u.dim[0]))
        kna_fail(op, KN_ERROR_TYPE, "expected x and y to have same length");
    if (kna_failed(op))
        return;
    f->n = t.dim[0];
    f->wide = u.ndim == 2;
    kni_type v = f->w ? kna_type(op, f->w) : t;
    if (!kna_failed(op) && v.ndim != 1)
        kna_fail(op, KN_ERROR_TYPE, "expected a 1-d array for weights");
    else if (!kna_failed(op) && !knx_dim_eq(v.dim[0], u.dim[0]))
        kna_fail(op, KN_ERROR_TYPE, "expected w and y to have the same length");
}

/* Powers of x, with weights, in columns of length 1. */
static void prepare(fit *f)
{
    kn_dtype dx = kn_dtype_of(f->x), dy = kn_dtype_of(f->y);
    f->lhs = kn_vander(f->x, KNL_WITH(kn_vander_opts, .N = f->order));
    if (f->w) {
        kn_array column = with_axis(f->w, 1);
        f->lhs = kn_astype(kn_multiply(f->lhs, column), dx, NULL);
        f->y = kn_astype(kn_multiply(f->y, f->wide ? column : f->w), dy, NULL);
    }
    f->scale = kn_sqrt(kn_sum(kn_multiply(f->lhs, f->lhs), KNL_WITH(kn_sum_opts, .axis = knl_one_axis(0))));
    f->lhs = kn_divide(f->lhs, f->scale);
}

static double epsilon(kn_dtype d) { return knx_component(d)->size == 4 ? 0x1p-23 : 0x1p-52; }

static kn_array covariance(knl_body *c, const fit *f, kn_array residuals, bool unscaled)
{
    kn_array base = kn_linalg_inv(kn_dot(kn_matrix_transpose(f->lhs), f->lhs));
    base = kn_divide(base, kn_outer(f->scale, f->scale));
    if (f->wide)
        base = with_axis(base, 2);
    if (unscaled)
        return base;
    if (!knx_dim_lt(f->order, f->n)) {
        kna_fail(&c->op, KN_ERROR_VALUE, "the number of data points must exceed order to scale the covariance matrix");
        return NULL;
    }
    return kn_multiply(base, kn_divide(residuals, kn_like_int(knx_dim_sub(f->n, f->order))));
}

static void warn(knl_body *c, kn_array rank, int64_t order)
{
    kni_type t;
    const int64_t *found =
        knx_debug_level >= 1 && knl_may_look(rank) && !kna_failed(&c->op) ? kna_look(&c->op, rank, &t) : NULL;
    if (found && *found != order)
        knx_log_(1, "RankWarning: Polyfit may be poorly conditioned");
}

/* The columns had length 1: coefficients of the powers themselves. */
static kn_array unscaled(const fit *f, kn_array y) { return kn_divide(y, f->wide ? with_axis(f->scale, 1) : f->scale); }

kn_array kn_polyfit(kn_array x, kn_array y, int64_t deg, const kn_polyfit_opts *opts)
{
    enum { RESULTS = 5 };
    KNX_OPTS(kn_polyfit_opts, o, opts);
    knl_body c;
    kn_array result[RESULTS], p = NULL, *const to[RESULTS] = {&p, o.residuals, o.rank, o.singular_values, o.cov};
    knl_begin(&c, "polyfit");
    fit f = {.x = inexact(x), .y = inexact(y), .w = o.w ? inexact(o.w) : NULL, .order = deg + (deg < INT64_MAX)};
    bool full = o.residuals || o.rank || o.singular_values;
    int n = 0;
    for (int i = 0; i < RESULTS; i++)
        result[i] = NULL;
    check(&c, &f, deg);
    if (!kna_failed(&c.op)) {
        prepare(&f);
        kn_linalg_lstsq_opts how = {.size_ = sizeof how, .rcond = o.rcond};
        if (isnan(o.rcond) && !knx_is_symbolic(f.n))
            how.rcond = (double)f.n * epsilon(kn_dtype_of(f.x));
        kn_linalg_lstsq_result found = kn_linalg_lstsq(f.lhs, f.y, &how);
        result[0] = unscaled(&f, found.x);
        result[1] = found.residuals;
        result[2] = found.rank;
        result[3] = found.s;
        if (!full)
            warn(&c, found.rank, f.order);
        if (o.cov)
            result[4] = covariance(&c, &f, found.residuals, o.unscaled);
    }
    for (int i = 0; i < RESULTS; i++) /* those that are asked for */
        if (to[i])
            result[n++] = result[i];
    knl_end_n(&c, n, result);
    for (int i = n = 0; i < RESULTS; i++)
        if (to[i])
            *to[i] = result[n++];
    return p;
}
