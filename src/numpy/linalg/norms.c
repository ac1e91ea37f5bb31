/* SPDX-License-Identifier: Apache-2.0
 * norms.c -- np.linalg.norm, vector_norm, matrix_norm and cond: reductions of absolute values and singular values. */
#include "kiln/linalg.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

static kn_array sum(kn_array x, kn_axes axes, bool keepdims)
{
    return kn_sum(x, KNL_WITH(kn_sum_opts, .axis = axes, .keepdims = keepdims));
}

/* The largest (of nothing: 0) or the least. */
static kn_array extreme(kn_array x, kn_axes axes, bool keepdims, bool largest)
{
    const kn_max_opts *o =
        KNL_WITH(kn_max_opts, .axis = axes, .keepdims = keepdims, .initial = largest ? kn_like_double(0) : NULL);
    return largest ? kn_max(x, o) : kn_min(x, o);
}

static kn_array euclidean(kn_array x, kn_axes axes, bool keepdims)
{
    kn_array y = kn_multiply(kn_conj(x), x);
    return kn_sqrt(sum(kn_real(y), axes, keepdims));
}

static kn_array of_vectors(kn_array x, double ord, kn_axes axes, bool keepdims)
{
    if (isnan(ord) || ord == 2)
        return euclidean(x, axes, keepdims);
    if (isinf(ord))
        return extreme(kn_absolute(x), axes, keepdims, ord > 0);
    if (ord == 0) {
        kn_array some = kn_not_equal(x, kn_like_double(0));
        return sum(kn_astype(some, kn_dtype_of(kn_real(x)), NULL), axes, keepdims);
    }
    kn_array y = kn_absolute(x);
    if (ord == 1)
        return sum(y, axes, keepdims);
    y = sum(kn_power(y, kn_like_double(ord)), axes, keepdims);
    return kn_power(y, kn_like_double(1 / ord));
}

/* Of the singular values: the largest, the least, the sum. */
static kn_array by_singular_values(kn_array x, double ord, bool nuclear, int row, int column, bool keepdims)
{
    const kn_axes last = {.n = 3, .axis = {-2, -1}}, both = {.n = 3, .axis = {row, column}};
    kn_array s = kn_linalg_svdvals(kn_moveaxis(x, &both, &last));
    s = nuclear ? sum(s, knl_one_axis(-1), false) : extreme(s, knl_one_axis(-1), false, ord > 0);
    int low = row < column ? row : column, high = row < column ? column : row;
    const kn_axes back = {.n = 3, .axis = {low, high}};
    return keepdims ? kn_expand_dims(s, &back) : s;
}

/* Sums along one axis, then the largest or the least along the other. */
static kn_array of_matrices(kna_op *op, kn_array x, double ord, const char *named, int row, int column, bool keepdims)
{
    bool frobenius = named ? !strcmp(named, "fro") || !strcmp(named, "f") : isnan(ord);
    const kn_axes both = {.n = 3, .axis = {row, column}};
    if (frobenius)
        return euclidean(x, both, keepdims);
    bool nuclear = named && !strcmp(named, "nuc");
    if (nuclear || (!named && fabs(ord) == 2))
        return by_singular_values(x, ord, nuclear, row, column, keepdims);
    if (named || (fabs(ord) != 1 && !isinf(ord)))
        kna_fail(op, KN_ERROR_VALUE, "Invalid norm order for matrices.");
    if (kna_failed(op))
        return NULL;
    bool columns = fabs(ord) == 1;
    kn_array y = sum(kn_absolute(x), knl_one_axis(columns ? row : column), true);
    y = extreme(y, knl_one_axis(columns ? column : row), true, ord > 0);
    return keepdims ? y : kn_squeeze(y, KNL_WITH(kn_squeeze_opts, .axis = both));
}

static kn_array inexact(kna_op *op, kn_array x)
{
    kni_type t = kna_type(op, x);
    if (kna_failed(op) || knl_not_a_number(op, "norm", t.dtype))
        return NULL;
    return kn_astype(x, knl_inexact_for(t.weak ? kna_strong_dtype(t) : t.dtype), NULL);
}

static kn_array norm(knl_body *c, kn_array x, const kn_linalg_norm_opts *o)
{
    kna_op *op = &c->op;
    x = inexact(op, x);
    int ndim = kna_failed(op) ? 0 : kna_type(op, x).ndim, n = knl_axis_count(op, o->axis), axis[2] = {0, 1};
    if (kna_failed(op))
        return NULL;
    if (o->axis.n <= 0) {
        bool named = o->named && (!strcmp(o->named, "fro") || !strcmp(o->named, "f"));
        if ((!o->named && isnan(o->ord)) || (named && ndim == 2))
            return euclidean(x, (kn_axes){.n = -1}, o->keepdims);
        n = ndim;
    } else
        for (int i = 0; i < n && i < 2; i++)
            axis[i] = kna_normalize_axis(op, o->axis.axis[i], ndim);
    if (kna_failed(op))
        return NULL;
    if (n == 1 && o->named)
        kna_fail(op, KN_ERROR_VALUE, "Invalid norm order '%s' for vectors", o->named);
    else if (n == 2 && axis[0] == axis[1])
        kna_fail(op, KN_ERROR_VALUE, "Duplicate axes given.");
    else if (n != 1 && n != 2)
        kna_fail(op, KN_ERROR_VALUE, "Improper number of dimensions to norm.");
    if (kna_failed(op))
        return NULL;
    return n == 1 ? of_vectors(x, o->ord, knl_one_axis(axis[0]), o->keepdims)
                  : of_matrices(op, x, o->ord, o->named, axis[0], axis[1], o->keepdims);
}

kn_array kn_linalg_norm(kn_array x, const kn_linalg_norm_opts *opts)
{
    KNX_OPTS(kn_linalg_norm_opts, o, opts);
    knl_body c;
    knl_begin(&c, "norm");
    return knl_end(&c, norm(&c, x, &o));
}

kn_array kn_linalg_vector_norm(kn_array x, const kn_linalg_vector_norm_opts *opts)
{
    KNX_OPTS(kn_linalg_vector_norm_opts, o, opts);
    knl_body c;
    knl_begin(&c, "vector_norm");
    x = inexact(&c.op, x);
    int64_t axes[KN_MAX_NDIM];
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op))
        knl_axis_tuple(&c.op, o.axis, t.ndim, NULL, axes);
    return knl_end(&c, kna_failed(&c.op) ? NULL : of_vectors(x, o.ord, o.axis, o.keepdims));
}

kn_array kn_linalg_matrix_norm(kn_array x, const kn_linalg_matrix_norm_opts *opts)
{
    KNX_OPTS(kn_linalg_matrix_norm_opts, o, opts);
    knl_body c;
    knl_begin(&c, "matrix_norm");
    kn_linalg_norm_opts as = {
        .size_ = sizeof as, .axis = {.n = 3, .axis = {-2, -1}}, .ord = o.ord, .named = o.named, .keepdims = o.keepdims};
    return knl_end(&c, norm(&c, x, &as));
}

/* The inverse, with infinities and NaN where there is none. */
static kn_array inverse(knl_body *c, kn_array x)
{
    kni_type t = kna_type(&c->op, x);
    if (kna_failed(&c->op))
        return NULL;
    kn_linalg_lu_factor_result f = kn_linalg_lu_factor(x);
    kn_dtype d = knl_inexact_for(t.weak ? kna_strong_dtype(t) : t.dtype);
    kn_array one = kn_eye(t.dim[t.ndim - 1], KNL_WITH(kn_eye_opts, .M = -1, .dtype = d));
    return kn_linalg_lu_solve(f.lu, f.piv, one, NULL);
}

kn_array kn_linalg_cond(kn_array x, const kn_linalg_cond_opts *opts)
{
    KNX_OPTS(kn_linalg_cond_opts, o, opts);
    knl_body c;
    knl_begin(&c, "cond");
    kni_type t = kna_type(&c.op, x);
    bool empty = false;
    for (int i = t.ndim > 2 ? t.ndim - 2 : 0; i < t.ndim && !kna_failed(&c.op); i++)
        empty = empty || knx_dim_eq(t.dim[i], 0);
    if (empty)
        kna_fail(&c.op, KN_ERROR_LINALG, "cond is not defined on empty arrays");
    else if (!kna_failed(&c.op) && t.ndim < 2)
        kna_fail(&c.op, KN_ERROR_LINALG, "%d-dimensional array given. Array must be at least two-dimensional", t.ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array y;
    if (!o.named && (isnan(o.p) || fabs(o.p) == 2)) {
        kn_array s = kn_linalg_svdvals(x), most = kn_max(s, KNL_WITH(kn_max_opts, .axis = knl_one_axis(-1)));
        kn_array least = kn_min(s, KNL_WITH(kn_max_opts, .axis = knl_one_axis(-1)));
        y = o.p == -2 ? kn_divide(least, most) : kn_divide(most, least);
    } else {
        const kn_linalg_matrix_norm_opts *n = KNL_WITH(kn_linalg_matrix_norm_opts, .ord = o.p, .named = o.named);
        kn_array first = kn_linalg_matrix_norm(x, n);
        y = kn_multiply(first, kn_linalg_matrix_norm(inverse(&c, x), n));
    }
    return knl_end(&c, kn_where(kn_isnan(y), kn_full_like(y, kn_like_double(INFINITY), NULL), y));
}
