/* SPDX-License-Identifier: Apache-2.0
 * norms.c -- np.linalg.norm, vector_norm and matrix_norm: reductions of absolute values. */
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

/* Sums along one axis, then the largest or the least along the other. */
static kn_array of_matrices(kna_op *op, kn_array x, double ord, const char *named, int row, int column, bool keepdims)
{
    bool frobenius = named ? !strcmp(named, "fro") || !strcmp(named, "f") : isnan(ord);
    const kn_axes both = {.n = 3, .axis = {row, column}};
    if (frobenius)
        return euclidean(x, both, keepdims);
    if (named ? !strcmp(named, "nuc") : fabs(ord) == 2)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "norms of matrices by their singular values");
    else if (named || (fabs(ord) != 1 && !isinf(ord)))
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
