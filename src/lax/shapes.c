/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- jax.lax: arrays made of nothing, broadcast, with other shapes. */
#include "lax/internal.h"
#include <limits.h>
#include <string.h>

static kn_dtype need_dtype(kna_op *op, kn_dtype d)
{
    if (!d && !kna_failed(op))
        kna_fail(op, KN_ERROR_TYPE, "null dtype");
    return kna_failed(op) ? KN_DT(F32) : kna_lookup_dtype(d, d);
}

/* ---- Making. */

static kn_array iota(const char *name, kn_dtype dtype, const kn_shape *shape, int dimension)
{
    kna_op op;
    kna_begin(&op, name);
    shape = kna_shape(&op, shape);
    kn_dtype d = need_dtype(&op, dtype);
    if (!kna_failed(&op) && !knx_is_inexact(d) && !knx_is_integer(d))
        kna_fail(&op, KN_ERROR_TYPE, "does not accept dtype %s. Accepted dtypes are subtypes of number.", d->name);
    else if (!kna_failed(&op) && (dimension < 0 || dimension >= shape->ndim)) {
        knx_text s = {0};
        kna_fail(&op, KN_ERROR_VALUE, "iota dimension must be between 0 and len(shape), got dimension=%d for shape %s",
                 dimension, knlax_tuple(&s, shape->ndim, shape->dim));
    }
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_iota(op.b, d, shape->ndim, shape->dim, dimension));
}

kn_array kn_lax_iota(kn_dtype dtype, int64_t size) { return iota("lax.iota", dtype, &(kn_shape){1, {size}}, 0); }

kn_array kn_lax_broadcasted_iota(kn_dtype dtype, const kn_shape *shape, int dimension)
{
    return iota("lax.broadcasted_iota", dtype, shape, dimension);
}

static kni_atom filled(kna_op *op, kn_array value, kn_dtype d, const kn_shape *shape)
{
    kni_type t = kna_type(op, value);
    kni_atom a = d ? knlax_strong(op, kna_in_converted(op, value, d)) : kna_in(op, value);
    if (!kna_failed(op) && t.ndim) {
        knx_text s = {0};
        kna_fail(op, KN_ERROR_TYPE, "must be called with scalar fill_value, got fill_value.shape %s.",
                 knlax_tuple(&s, t.ndim, t.dim));
    }
    if (kna_failed(op) || !shape->ndim)
        return a;
    return knb_broadcast_in_dim(op->b, a, shape->ndim, shape->dim, NULL);
}

kn_array kn_lax_full(const kn_shape *shape, kn_array fill_value, const kn_lax_full_opts *opts)
{
    KNX_OPTS(kn_lax_full_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.full");
    shape = kna_shape(&op, shape);
    return kna_end(&op, filled(&op, fill_value, o.dtype ? kna_lookup_dtype(o.dtype, NULL) : NULL, shape));
}

kn_array kn_lax_full_like(kn_array x, kn_array fill_value, const kn_lax_full_like_opts *opts)
{
    KNX_OPTS(kn_lax_full_like_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.full_like");
    kni_type t = kna_type(&op, x);
    kn_shape shape = {t.ndim, {0}};
    if (t.ndim)
        memcpy(shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    kn_dtype d = kna_failed(&op) ? KN_DT(F32) : kna_lookup_dtype(o.dtype, kna_strong_dtype(t));
    return kna_end(&op, filled(&op, fill_value, d, o.shape ? kna_shape(&op, o.shape) : &shape));
}

kn_array kn_lax_empty(const kn_shape *shape, kn_dtype dtype)
{
    kna_op op;
    kna_begin(&op, "lax.empty");
    shape = kna_shape(&op, shape);
    kn_dtype d = need_dtype(&op, dtype);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_zeros(op.b, knlax_shaped(d, shape)));
}

/* ---- Broadcasting. */

/* x with axes in front of its own. */
static kni_atom in_front(kna_op *op, kni_atom a, int n, const int64_t *sizes)
{
    kni_type t = knb_type(op->b, a);
    int64_t shape[2 * KN_MAX_NDIM], dimensions[KN_MAX_NDIM];
    if (n + t.ndim > KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d, found %d", KN_MAX_NDIM,
                 n + t.ndim);
    if (kna_failed(op) || !n)
        return a;
    for (int i = 0; i < n; i++)
        shape[i] = sizes[i];
    for (int i = 0; i < t.ndim; i++) {
        shape[n + i] = t.dim[i];
        dimensions[i] = n + i;
    }
    return knb_broadcast_in_dim(op->b, a, n + t.ndim, shape, dimensions);
}

kn_array kn_lax_broadcast(kn_array x, const kn_shape *sizes)
{
    kna_op op;
    kna_begin(&op, "lax.broadcast");
    sizes = kna_shape(&op, sizes);
    kni_atom a = kna_in(&op, x);
    return kna_end(&op, kna_failed(&op) ? a : in_front(&op, a, sizes->ndim, sizes->dim));
}

kn_array kn_lax_broadcast_to_rank(kn_array x, int rank)
{
    kna_op op;
    int64_t ones[KN_MAX_NDIM];
    kna_begin(&op, "lax.broadcast_to_rank");
    kni_atom a = kna_in(&op, x);
    int had = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim, n = rank < 0 ? -1 : rank - had;
    for (int i = 0; i < KN_MAX_NDIM; i++)
        ones[i] = 1;
    if (!kna_failed(&op) && (n < 0 || n > KN_MAX_NDIM))
        kna_fail(&op, KN_ERROR_VALUE, "an array of dimension %d cannot have rank %d", had, rank);
    return kna_end(&op, kna_failed(&op) ? a : in_front(&op, a, n, ones));
}

kn_array kn_lax_broadcast_in_dim(kn_array x, const kn_shape *shape, const kn_axes *broadcast_dimensions)
{
    kna_op op;
    int64_t d[KN_MAX_NDIM];
    kna_begin(&op, "lax.broadcast_in_dim");
    shape = kna_shape(&op, shape);
    int n = knlax_list(&op, broadcast_dimensions, d);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    knx_text s = {0}, u = {0};
    if (!kna_failed(&op) && n != t.ndim)
        kna_fail(&op, KN_ERROR_TYPE,
                 "broadcast_dimensions must have length equal to operand ndim; got broadcast_dimensions %s for operand "
                 "ndim %d",
                 knlax_tuple(&s, n, d), t.ndim);
    else if (!kna_failed(&op) && shape->ndim < t.ndim)
        kna_fail(&op, KN_ERROR_TYPE,
                 "target broadcast shape must have equal or higher rank to the operand shape; got operand ndim %d and "
                 "target broadcast ndim %d.",
                 t.ndim, shape->ndim);
    for (int i = 0; i < n && !kna_failed(&op); i++)
        if (d[i] < 0 || d[i] >= shape->ndim)
            kna_fail(&op, KN_ERROR_TYPE,
                     "broadcast_dimensions must be a subset of output dimensions, got %s for operand ndim %d and shape "
                     "%s.",
                     knlax_tuple(&s, n, d), t.ndim, knlax_tuple(&u, shape->ndim, shape->dim));
    if (kna_failed(&op) || (shape->ndim == t.ndim && kni_type_same_shape(t, knlax_shaped(t.dtype, shape))))
        return kna_end(&op, a);
    return kna_end(&op, knb_broadcast_in_dim(op.b, a, shape->ndim, shape->dim, d));
}

kn_array kn_lax_broadcast_like(kn_array x, kn_array like)
{
    kna_op op;
    kna_begin(&op, "lax.broadcast_like");
    kni_atom a = kna_in(&op, x);
    kni_type to = kna_type(&op, like);
    return kna_end(&op, kna_failed(&op) ? a : knb_broadcast_to(op.b, a, to));
}

static void do_not_fit(kna_op *op, int n, const kn_shape *shapes)
{
    knx_text s = {0};
    for (int i = 0; i < n; i++)
        knlax_tuple((knx_text_add(&s, "%s", i ? ", " : ""), &s), shapes[i].ndim, shapes[i].dim);
    kna_fail(op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s]", s.s);
}

kn_shape kn_lax_broadcast_shapes(int n, const kn_shape *shapes)
{
    kna_op op;
    kn_shape y = {0};
    kna_begin(&op, "lax.broadcast_shapes");
    kna_given_list(&op, n, shapes, INT_MAX, "shapes");
    for (int i = 0; i < n && !kna_failed(&op); i++)
        kna_shape(&op, &shapes[i]);
    for (int i = 0; i < n && !kna_failed(&op); i++)
        y.ndim = shapes[i].ndim > y.ndim ? shapes[i].ndim : y.ndim;
    for (int k = 0; k < y.ndim; k++)
        y.dim[k] = 1;
    for (int i = 0; i < n && !kna_failed(&op); i++)
        for (int k = 0; k < shapes[i].ndim && !kna_failed(&op); k++) {
            int64_t *to = &y.dim[y.ndim - shapes[i].ndim + k], d = shapes[i].dim[k];
            if (knx_dim_eq(*to, 1))
                *to = d;
            else if (!knx_dim_eq(d, 1) && !knx_dim_eq(d, *to))
                do_not_fit(&op, n, shapes);
        }
    if (!kna_end_plain(&op))
        y.ndim = -1;
    return y;
}

/* ---- Shapes. */

/* JAX's texts for what cannot be a shape. */
static bool check_sizes(kna_op *op, const kn_shape *shape, kni_type t)
{
    knx_text s = {0}, u = {0};
    bool negative = false, same = knx_dim_eq(kni_type_size(knlax_shaped(t.dtype, shape)), kni_type_size(t));
    for (int i = 0; i < shape->ndim; i++)
        negative |= !knx_dim_le(0, shape->dim[i]);
    if (kna_failed(op))
        return false;
    if (negative)
        kna_fail(op, KN_ERROR_TYPE, "new_sizes must all be positive, got %s.",
                 knlax_tuple(&s, shape->ndim, shape->dim));
    else if (!same)
        kna_fail(op, KN_ERROR_TYPE, "total size must be unchanged, got new_sizes %s for shape %s.",
                 knlax_tuple(&s, shape->ndim, shape->dim), knlax_tuple(&u, t.ndim, t.dim));
    return !negative && same;
}

static bool is_permutation(int n, const int64_t *v, int ndim)
{
    bool seen[KN_MAX_NDIM] = {false};
    for (int i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= ndim || seen[v[i]])
            return false;
        seen[v[i]] = true;
    }
    return n == ndim;
}

kn_array kn_lax_reshape(kn_array x, const kn_shape *new_sizes, const kn_lax_reshape_opts *opts)
{
    KNX_OPTS(kn_lax_reshape_opts, o, opts);
    kna_op op;
    int64_t order[KN_MAX_NDIM];
    kna_begin(&op, "lax.reshape");
    new_sizes = kna_shape(&op, new_sizes);
    int n = knlax_list(&op, &o.dimensions, order);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!kna_failed(&op) && o.dimensions.n > 0 && !is_permutation(n, order, t.ndim)) {
        knx_text s = {0}, u = {0};
        kna_fail(&op, KN_ERROR_TYPE,
                 "dimensions must be a permutation of operand dimensions, got dimensions %s for shape %s.",
                 knlax_tuple(&s, n, order), knlax_tuple(&u, t.ndim, t.dim));
    }
    if (!check_sizes(&op, new_sizes, t))
        return kna_end(&op, KN_ATOM_NONE);
    if (o.dimensions.n > 0)
        a = knb_transpose(op.b, a, order);
    return kna_end(&op, knb_reshape(op.b, a, new_sizes->ndim, new_sizes->dim));
}

/* As a Python slice reads its bounds. */
static int bound(int at, int ndim)
{
    at += at < 0 ? ndim : 0;
    return at < 0 ? 0 : at > ndim ? ndim : at;
}

kn_array kn_lax_collapse(kn_array x, int start_dimension, const kn_lax_collapse_opts *opts)
{
    KNX_OPTS(kn_lax_collapse_opts, o, opts);
    kna_op op;
    kn_shape to = {0};
    kna_begin(&op, "lax.collapse");
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int lo = bound(start_dimension, t.ndim), hi = bound(o.stop_dimension, t.ndim);
    if (!kna_failed(&op) && hi < lo) {
        knx_text s = {0};
        kna_fail(&op, KN_ERROR_VALUE, "Invalid dimension range passed to collapse: %s[%d:%d]",
                 knlax_tuple(&s, t.ndim, t.dim), start_dimension, o.stop_dimension);
    } else if (!kna_failed(&op) && lo == hi && t.ndim == KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
    if (kna_failed(&op))
        return kna_end(&op, a);
    for (int i = 0; i < lo; i++)
        to.dim[to.ndim++] = t.dim[i];
    to.dim[to.ndim] = 1;
    for (int i = lo; i < hi; i++)
        to.dim[to.ndim] = knx_dim_mul(to.dim[to.ndim], t.dim[i]);
    to.ndim++;
    for (int i = hi; i < t.ndim; i++)
        to.dim[to.ndim++] = t.dim[i];
    return kna_end(&op, knb_reshape(op.b, a, to.ndim, to.dim));
}

kn_array kn_lax_expand_dims(kn_array x, const kn_axes *dimensions)
{
    kna_op op;
    int64_t v[KN_MAX_NDIM], shape[KN_MAX_NDIM], from[KN_MAX_NDIM];
    bool is_new[KN_MAX_NDIM] = {false};
    kna_begin(&op, "lax.expand_dims");
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int n = knlax_list(&op, dimensions, v), ndim = t.ndim + n, k = 0;
    if (!kna_failed(&op) && ndim > KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d, found %d", KN_MAX_NDIM,
                 ndim);
    if (!kna_failed(&op))
        knlax_axes(&op, dimensions, ndim, v);
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        if (is_new[v[i]]) {
            knx_text s = {0};
            kna_fail(&op, KN_ERROR_VALUE, "repeated axis in lax.expand_dims: %s", knlax_tuple(&s, n, v));
            break;
        }
        is_new[v[i]] = true;
    }
    if (kna_failed(&op) || !n)
        return kna_end(&op, a);
    for (int i = 0; i < ndim; i++) {
        shape[i] = is_new[i] ? 1 : t.dim[k];
        if (!is_new[i])
            from[k++] = i;
    }
    return kna_end(&op, knb_broadcast_in_dim(op.b, a, ndim, shape, from));
}

kn_array kn_lax_squeeze(kn_array x, const kn_axes *dimensions)
{
    kna_op op;
    int64_t v[KN_MAX_NDIM];
    kna_begin(&op, "lax.squeeze");
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int n = kna_failed(&op) ? 0 : knlax_axes(&op, dimensions, t.ndim, v);
    for (int i = 1; i < n; i++) /* in rising order */
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            int64_t swap = v[k];
            v[k] = v[k - 1];
            v[k - 1] = swap;
        }
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        knx_text s = {0}, u = {0};
        if (i && v[i] == v[i - 1])
            kna_fail(&op, KN_ERROR_VALUE, "dimensions are not unique: %s", knlax_tuple(&s, n, v));
        else if (!knx_dim_eq(t.dim[v[i]], 1))
            kna_fail(&op, KN_ERROR_VALUE,
                     "cannot select an axis to squeeze out which has size not equal to one, got shape=%s and "
                     "dimensions=%s",
                     knlax_tuple(&u, t.ndim, t.dim), knlax_tuple(&s, n, v));
    }
    return kna_end(&op, kna_failed(&op) || !n ? a : knb_squeeze(op.b, a, n, v));
}

kn_array kn_lax_transpose(kn_array x, const kn_axes *permutation)
{
    kna_op op;
    int64_t v[KN_MAX_NDIM];
    kna_begin(&op, "lax.transpose");
    int n = knlax_list(&op, permutation, v);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!kna_failed(&op) && !is_permutation(n, v, t.ndim)) {
        knx_text s = {0}, u = {0};
        kna_fail(&op, KN_ERROR_TYPE,
                 "permutation isn't a permutation of operand dimensions, got permutation %s for operand shape %s.",
                 knlax_tuple(&s, n, v), knlax_tuple(&u, t.ndim, t.dim));
    }
    return kna_end(&op, kna_failed(&op) ? a : knb_transpose(op.b, a, v));
}

kn_array kn_lax_rev(kn_array x, const kn_axes *dimensions)
{
    kna_op op;
    int64_t v[KN_MAX_NDIM];
    kna_begin(&op, "lax.rev");
    int n = knlax_list(&op, dimensions, v);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        knx_text s = {0};
        bool twice = false;
        for (int k = 0; k < i; k++)
            twice |= v[k] == v[i];
        if (twice)
            kna_fail(&op, KN_ERROR_TYPE, "dimensions must be unique, got %s.", knlax_tuple(&s, n, v));
        else if (v[i] < 0 || v[i] >= t.ndim)
            kna_fail(&op, KN_ERROR_TYPE,
                     "dimensions must all be less than operand ndim, got dimensions %s for operand ndim %d.",
                     knlax_tuple(&s, n, v), t.ndim);
    }
    return kna_end(&op, kna_failed(&op) ? a : knb_rev(op.b, a, n, v));
}
