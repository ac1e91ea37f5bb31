/* SPDX-License-Identifier: Apache-2.0
 * positions.c -- arrays of indices: where something holds, along diagonals and triangles, grids, flat ones. */
#include "tree/tree.h"
#include "lib/compose.h"
#include "numpy/indexing/found.h"
#include <string.h>

/* ---- Where elements are not zero: looked at. */

/* False: the operation failed. */
static bool find(kna_op *op, kn_array x, kni_type *t, knr_found *f)
{
    *t = kna_type(op, x);
    return !kna_failed(op) && !knl_not_a_number(op, "nonzero", t->dtype) && knn_find(op, x, t, f);
}

/* The positions along each axis. */
static kn_list columns(knl_body *c, kn_array x)
{
    kn_array out[KN_MAX_NDIM];
    knx_buffer *buffer[KN_MAX_NDIM];
    kni_type t;
    knr_found f;
    if (!find(&c->op, x, &t, &f))
        return NULL;
    bool good = knn_found_columns(&c->op, &f, t, buffer);
    for (int d = 0; good && d < t.ndim; d++)
        out[d] = knn_positions_of(1, &f.count, buffer[d]);
    knr_found_end(&f);
    return good ? kn_list_from(out, t.ndim) : NULL;
}

kn_list kn_nonzero(kn_array a)
{
    knl_body c;
    knl_begin(&c, "nonzero");
    kni_type t = kna_type(&c.op, a);
    if (!kna_failed(&c.op) && !t.ndim)
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.%s",
                 t.dtype->kind == KN_KIND_BOOL ? " If the context of this error is of the form `arr[nonzero(cond)]`, "
                                                 "just use `arr[cond]`."
                                               : "");
    return knl_end_list(&c, kna_failed(&c.op) ? NULL : columns(&c, a));
}

kn_array kn_argwhere(kn_array a)
{
    knl_body c;
    kni_type t;
    knr_found f;
    knl_begin(&c, "argwhere");
    if (!find(&c.op, a, &t, &f))
        return knl_end(&c, NULL);
    knx_buffer *buffer = knn_found_rows(&c.op, &f, t);
    kn_array y = buffer ? knn_positions_of(2, (int64_t[]){f.count, t.ndim}, buffer) : NULL;
    knr_found_end(&f);
    return knl_end(&c, y);
}

static kn_array flat_nonzero(knl_body *c, kn_array a)
{
    kni_type t;
    knr_found f;
    knx_buffer *buffer;
    if (!find(&c->op, a, &t, &f))
        return NULL;
    t = kni_type_of(t.dtype, 1, &f.size);
    kn_array y = knn_found_columns(&c->op, &f, t, &buffer) ? knn_positions_of(1, &f.count, buffer) : NULL;
    knr_found_end(&f);
    return y;
}

kn_array kn_flatnonzero(kn_array a)
{
    knl_body c;
    knl_begin(&c, "flatnonzero");
    return knl_end(&c, flat_nonzero(&c, a));
}

kn_array kn_compress(kn_array condition, kn_array a, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    knl_body c;
    knl_begin(&c, "compress");
    kni_type t = kna_type(&c.op, condition);
    if (!kna_failed(&c.op) && t.ndim != 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "condition must be a 1-d array");
    kn_take_opts along = kn_take_opts_default();
    along.axis = o.axis.n > 0 ? o.axis : (kn_axes){.n = -1};
    kn_array at = kna_failed(&c.op) ? NULL : flat_nonzero(&c, condition);
    return knl_end(&c, at ? kn_take(a, at, &along) : NULL);
}

kn_array kn_extract(kn_array condition, kn_array arr)
{
    knl_body c;
    knl_begin(&c, "extract");
    kn_array at = flat_nonzero(&c, condition);
    return knl_end(&c, at ? kn_take(arr, at, NULL) : NULL);
}

/* ---- Diagonals and triangles. */

static kn_list same_index(knl_body *c, int64_t n, int ndim)
{
    kn_array out[KN_MAX_NDIM];
    if (!kna_failed(&c->op) && (ndim < 0 || ndim > KN_MAX_NDIM))
        kna_fail(&c->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, ndim);
    for (int i = 0; i < ndim && !kna_failed(&c->op); i++)
        out[i] = kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL);
    return kna_failed(&c->op) ? NULL : kn_list_from(out, ndim);
}

kn_list kn_diag_indices(int64_t n, const kn_diag_indices_opts *opts)
{
    KNX_OPTS(kn_diag_indices_opts, o, opts);
    knl_body c;
    knl_begin(&c, "diag_indices");
    return knl_end_list(&c, same_index(&c, n, o.ndim));
}

kn_list kn_diag_indices_from(kn_array arr)
{
    knl_body c;
    knl_begin(&c, "diag_indices_from");
    kni_type t = kna_type(&c.op, arr);
    if (!kna_failed(&c.op) && t.ndim < 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "input array must be at least 2-d");
    for (int i = 1; i < t.ndim && !kna_failed(&c.op); i++)
        if (!knx_dim_eq(t.dim[i], t.dim[0]))
            kna_fail(&c.op, KN_ERROR_VALUE, "All dimensions of input must be of equal length");
    return knl_end_list(&c, kna_failed(&c.op) ? NULL : same_index(&c, t.dim[0], t.ndim));
}

/* How many elements of n rows and m columns lie on and above diagonal k. */
static int64_t count_above(int64_t n, int64_t m, int64_t k)
{
    if (!knx_dim_le(0, k))
        return knx_dim_sub(knx_dim_mul(n, m), count_above(m, n, knx_dim_sub(1, k)));
    int64_t columns = knx_dim_sub(m, k), side = knx_dim_max(0, knx_dim_min(n, columns));
    return knx_dim_add(knx_dim_floordiv(knx_dim_mul(side, side + 1), 2), knx_dim_mul(side, knx_dim_sub(columns, side)));
}

/* The positions of the n elements of rows of m that hold, where n is known and they are not. */
static kn_list positions(kn_array holds, int64_t n, int64_t m)
{
    kn_array ends = kn_cumsum(kn_ravel(holds, NULL), NULL), width = kn_dim_as_array(m);
    kn_array at = kn_searchsorted(ends, kn_arange(kn_like_int(1), kn_like_int(n + 1), kn_like_int(1), NULL), NULL);
    return kn_list_from((kn_array[]){kn_floor_divide(at, width), kn_remainder(at, width)}, 2);
}

static kn_list triangle(const char *name, int64_t n, int64_t m, int64_t k, bool lower)
{
    knl_body c;
    knl_begin(&c, name);
    kn_eye_opts o = kn_eye_opts_default();
    o.M = m;
    o.k = lower ? k : k == INT64_MIN ? k : k - 1;
    o.dtype = KN_DT(BOOL);
    kn_array low = kn_tri(n, &o), there = lower ? low : kn_logical_not(low);
    kni_type t = kna_type(&c.op, there);
    if (kna_failed(&c.op) || !kni_type_is_symbolic(t))
        return knl_end_list(&c, kn_nonzero(there));
    k = knl_within(k, n);
    int64_t rows = t.dim[0], columns = t.dim[1];
    int64_t count = lower ? count_above(columns, rows, knx_dim_sub(0, k)) : count_above(rows, columns, k);
    return knl_end_list(&c, positions(there, count, columns));
}

kn_list kn_tril_indices(int64_t n, const kn_tril_indices_opts *opts)
{
    KNX_OPTS(kn_tril_indices_opts, o, opts);
    return triangle("tril_indices", n, o.m, o.k, true);
}

kn_list kn_triu_indices(int64_t n, const kn_tril_indices_opts *opts)
{
    KNX_OPTS(kn_tril_indices_opts, o, opts);
    return triangle("triu_indices", n, o.m, o.k, false);
}

static kn_list triangle_from(const char *name, kn_array arr, const kn_diag_opts *opts, bool lower)
{
    KNX_OPTS(kn_diag_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, arr);
    if (!kna_failed(&op) && t.ndim != 2)
        kna_fail(&op, KN_ERROR_VALUE, "input array must be 2-d");
    int64_t n = kna_failed(&op) ? 0 : t.dim[0], m = kna_failed(&op) ? 0 : t.dim[1];
    return kna_end_plain(&op) ? triangle(name, n, m, o.k, lower) : kn_list_from(NULL, 0);
}

kn_list kn_tril_indices_from(kn_array arr, const kn_diag_opts *opts)
{
    return triangle_from("tril_indices_from", arr, opts, true);
}
kn_list kn_triu_indices_from(kn_array arr, const kn_diag_opts *opts)
{
    return triangle_from("triu_indices_from", arr, opts, false);
}

kn_list kn_mask_indices(int64_t n, kn_mask_func mask_func, const kn_diag_opts *opts)
{
    knl_body c;
    knl_begin(&c, "mask_indices");
    kn_shape square = {2, {n, n}};
    kn_zeros_opts o = kn_zeros_opts_default();
    o.dtype = KN_DT(I64);
    if (!mask_func)
        kna_fail(&c.op, KN_ERROR_TYPE, "null function");
    return knl_end_list(&c, kna_failed(&c.op) ? NULL : kn_nonzero(mask_func(kn_ones(&square, &o), opts)));
}

/* ---- Grids. */

static bool fits(kna_op *op, const kn_shape *s)
{
    if (kna_failed(op))
        return false;
    if (s->ndim >= KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, s->ndim);
    else
        kna_fail_with(op, kni_type_check_size(knl_shaped(KN_DT(I64), s)));
    return !kna_failed(op);
}

kn_array kn_indices(const kn_shape *dimensions, const kn_indices_opts *opts)
{
    KNX_OPTS(kn_indices_opts, o, opts);
    kna_op op;
    kna_begin(&op, "indices");
    dimensions = kna_shape(&op, dimensions);
    kn_dtype d = kna_lookup_dtype(o.dtype, KN_DT(I64));
    kn_shape s = {.ndim = dimensions->ndim + 1, .dim = {1}};
    kni_atom part[KN_MAX_NDIM];
    if (!fits(&op, dimensions))
        return kna_end(&op, KN_ATOM_NONE);
    int n = dimensions->ndim;
    memcpy(s.dim + 1, dimensions->dim, (size_t)n * sizeof *s.dim);
    for (int i = 0; i < n; i++)
        part[i] = knb_astype(op.b, knb_iota(op.b, KN_DT(I64), s.ndim, s.dim, i + 1), d);
    s.dim[0] = 0;
    return kna_end(&op, !n ? knb_zeros(op.b, knl_shaped(d, &s)) : n == 1 ? part[0] : knb_concatenate(op.b, n, part, 0));
}

kn_list kn_indices_sparse(const kn_shape *dimensions, const kn_indices_opts *opts)
{
    KNX_OPTS(kn_indices_opts, o, opts);
    knl_body c;
    kn_array out[KN_MAX_NDIM];
    knl_begin(&c, "indices_sparse");
    kn_dtype d = kna_lookup_dtype(o.dtype, KN_DT(I64));
    dimensions = kna_shape(&c.op, dimensions);
    bool ok = fits(&c.op, dimensions);
    for (int i = 0; ok && i < dimensions->ndim; i++) {
        kn_shape s = {.ndim = dimensions->ndim};
        for (int k = 0; k < s.ndim; k++)
            s.dim[k] = k == i ? dimensions->dim[i] : 1;
        out[i] = knl_made(&c, knb_astype(c.op.b, knb_iota(c.op.b, KN_DT(I64), s.ndim, s.dim, i), d));
    }
    return knl_end_list(&c, ok && !kna_failed(&c.op) ? kn_list_from(out, dimensions->ndim) : NULL);
}

kn_list kn_ix_(kn_list list)
{
    knl_body c;
    const kn_array *x;
    kn_array out[KN_MAX_NDIM];
    knl_begin(&c, "ix_");
    int n = kntree_list_read(&c.op, list, &x);
    if (!kna_failed(&c.op) && n > KN_MAX_NDIM)
        kna_fail(&c.op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, n);
    for (int i = 0; i < n && !kna_failed(&c.op); i++) {
        kni_type t = kna_type(&c.op, x[i]);
        if (!kna_failed(&c.op) && t.ndim != 1)
            kna_fail(&c.op, KN_ERROR_VALUE, "Cross index must be 1 dimensional");
        if (kna_failed(&c.op))
            break;
        kn_array v = t.dtype->kind == KN_KIND_BOOL ? flat_nonzero(&c, x[i]) : x[i];
        kn_shape s = {.ndim = n};
        for (int k = 0; k < n; k++)
            s.dim[k] = k == i ? -1 : 1;
        if (kn_size(v) == 0)
            s.dim[i] = 0;
        out[i] = kn_reshape(v, &s, NULL);
    }
    return knl_end_list(&c, kna_failed(&c.op) ? NULL : kn_list_from(out, n));
}

/* ---- Flat indices. */

typedef enum { RAISE, CLIP, WRAP } bounds_mode;

static bounds_mode read_mode(kna_op *op, const char *mode)
{
    if (!mode || !strcmp(mode, "raise"))
        return RAISE;
    if (strcmp(mode, "clip") != 0 && strcmp(mode, "wrap") != 0)
        kna_fail(op, KN_ERROR_VALUE, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '%s')", mode);
    return mode[0] == 'c' ? CLIP : WRAP;
}

static bool into_bounds(bounds_mode mode, int64_t n, int64_t *i)
{
    if (mode == CLIP)
        *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
    else if (mode == WRAP && n)
        *i = (*i % n + n) % n;
    return *i >= 0 && *i < n;
}

kn_array kn_ravel_multi_index(kn_list multi_index, const kn_shape *dims, const kn_ravel_multi_index_opts *opts)
{
    KNX_OPTS(kn_ravel_multi_index_opts, o, opts);
    knl_body c;
    knl_begin(&c, "ravel_multi_index");
    kna_op *op = &c.op;
    dims = kna_shape(op, dims);
    kn_list wide = kna_failed(op) ? NULL : kn_broadcast_arrays(multi_index);
    const kn_array *x;
    int n = kntree_list_read(op, wide, &x);
    bounds_mode mode = read_mode(op, o.mode);
    bool f = knl_order_is_fortran(op, o.order);
    if (!kna_failed(op) && n != dims->ndim)
        kna_fail(op, KN_ERROR_VALUE, "parameter multi_index must be a sequence of length %d", dims->ndim);
    kni_type t = kna_failed(op) || !n ? kni_scalar_type(KN_DT(I64)) : kna_type(op, x[0]);
    int64_t size = kni_type_is_symbolic(t) ? 0 : kni_type_size(t), stride = 1,
            *sum = knx_alloc_zero((size_t)size * sizeof *sum + 1);
    if (!sum)
        kna_fail_with(op, knx_error_nomem());
    for (int k = 0; k < n && !kna_failed(op) && kna_need_number(op, dims->dim[k], "flat positions are worked out");
         k++) {
        int d = f ? k : n - 1 - k;
        int64_t m = 0, *v = knl_look_integers(op, x[d], &m, NULL, "only int indices permitted");
        for (int64_t i = 0; v && i < m; i++) {
            if (!into_bounds(mode, dims->dim[d], &v[i]) && !kna_failed(op))
                kna_fail(op, KN_ERROR_VALUE, "invalid entry in coordinates array");
            sum[i] += v[i] * stride;
        }
        knx_free(v);
        if (__builtin_mul_overflow(stride, dims->dim[d], &stride) && !kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE,
                     "invalid dims: array size defined by dims is larger than the maximum possible size.");
    }
    kn_shape shape = {.ndim = t.ndim};
    if (t.ndim)
        memcpy(shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    kn_array y = kna_failed(op) ? NULL : kn_from_memory(sum, &shape, KN_DT(I64));
    knx_free(sum);
    return knl_end(&c, y);
}

kn_list kn_unravel_index(kn_array indices, const kn_shape *shape, const kn_unravel_index_opts *opts)
{
    KNX_OPTS(kn_unravel_index_opts, o, opts);
    knl_body c;
    kn_array out[KN_MAX_NDIM];
    knl_begin(&c, "unravel_index");
    kna_op *op = &c.op;
    shape = kna_shape(op, shape);
    bool f = knl_order_is_fortran(op, o.order);
    kni_type t = kna_type(op, indices);
    int64_t n = 0, all = 1, *v = knl_look_integers(op, indices, &n, NULL, "only int indices permitted");
    for (int i = 0;
         i < shape->ndim && !kna_failed(op) && kna_need_number(op, shape->dim[i], "flat positions are worked out"); i++)
        if (__builtin_mul_overflow(all, shape->dim[i], &all))
            kna_fail(op, KN_ERROR_VALUE,
                     "dimensions are too large; arrays and shapes with a total size greater than "
                     "'intp' are not supported.");
    for (int64_t i = 0; v && i < n && !kna_failed(op); i++)
        if (v[i] < 0 || v[i] >= all)
            kna_fail(op, KN_ERROR_VALUE, "index %lld is out of bounds for array with size %lld", (long long)v[i],
                     (long long)all);
    if (!kna_failed(op) && !shape->ndim && t.ndim)
        kna_fail(op, KN_ERROR_VALUE, "multiple indices are not supported for 0d arrays");
    kn_shape as = {.ndim = kna_failed(op) ? 0 : t.ndim};
    for (int i = 0; i < as.ndim; i++)
        as.dim[i] = t.dim[i];
    int64_t *part = knl_integer_room(op, n);
    for (int k = 0; k < shape->ndim && !kna_failed(op); k++) {
        int d = f ? k : shape->ndim - 1 - k;
        for (int64_t i = 0; v && i < n; i++) {
            part[i] = v[i] % shape->dim[d];
            v[i] /= shape->dim[d];
        }
        out[d] = kn_from_memory(part, &as, KN_DT(I64));
    }
    knx_free(part);
    knx_free(v);
    return knl_end_list(&c, kna_failed(op) ? NULL : kn_list_from(out, shape->ndim));
}
