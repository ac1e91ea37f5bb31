/* SPDX-License-Identifier: Apache-2.0
 * put.c -- np.put and its kin: writes by flat positions, masks and indices along an axis. Each becomes one write of
 * assign.c. */
#include "lib/compose.h"
#include "numpy/indexing/found.h"
#include <stdio.h>
#include <string.h>

/* "%, %, %" for so many index arrays. */
static const char *index_text(int n, char text[3 * KN_MAX_NDIM + 4])
{
    strcpy(text, n ? "" : "...");
    for (int i = 0; i < n; i++)
        strcat(text, i ? ",%" : "%");
    return text;
}

/* The elements of v again and again, n of them. */
static kn_array cycled(kna_op *op, kn_array v, int64_t n)
{
    kni_type t = kna_type(op, v);
    kn_shape shape = {1, {n}};
    if (t.ndim != 1 || knx_is_symbolic(t.dim[0]) || t.dim[0] < n)
        return kn_resize(v, &shape);
    return t.dim[0] == n ? v : kn_at(v, ":%", 1, &(kn_index_arg){.kind = KN_ARG_INT, .integer = n});
}

/* a[positions of the axes] = v, n of them, v again and again. */
static void write_at(knl_body *c, kn_array a, const kn_index_arg *arg, int64_t n, kn_array v)
{
    char text[3 * KN_MAX_NDIM + 4];
    int ndim = kna_type(&c->op, a).ndim;
    bool number = kna_type(&c->op, v).weak;
    kn_array y = number ? v : cycled(&c->op, v, n);
    kn_shape scalar = {.ndim = 0};
    if (!ndim && !number) /* the last one wins */
        y = kn_reshape(knl_part("put", y, 0, n - 1, n), &scalar, NULL);
    kn_set_at(a, y, index_text(ndim, text), ndim, arg);
}

/* a.flat[at] = v, v again and again. */
static void write_flat(knl_body *c, kn_array a, const int64_t *at, int64_t n, kn_array v)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, a), u = kna_type(op, v);
    kn_index_arg arg[KN_MAX_NDIM];
    if (kna_failed(op) || !n || !kni_type_size(u) ||
        !kna_need_number(op, kni_type_size(t), "flat positions are worked out"))
        return;
    int64_t *part = t.ndim > 1 ? knl_integer_room(op, n) : NULL, below = 1;
    for (int d = t.ndim - 1; d > 0 && part; d--) {
        for (int64_t i = 0; i < n; i++)
            part[i] = at[i] / below % t.dim[d];
        below *= t.dim[d];
        arg[d] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = knl_integers(part, n)};
    }
    for (int64_t i = 0; i < n && part; i++)
        part[i] = at[i] / below;
    if (!kna_failed(op)) {
        arg[0] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = knl_integers(part ? part : at, n)};
        write_at(c, a, arg, n, v);
    }
    knx_free(part);
}

static void check_safe(kna_op *op, kni_type v, kni_type to)
{
    if (!kna_failed(op) && !v.weak && !knx_can_cast(v.dtype, to.dtype, KN_CAST_SAFE))
        kna_fail(op, KN_ERROR_TYPE, "Cannot cast %s from dtype('%s') to dtype('%s') according to the rule 'safe'",
                 v.ndim ? "array data" : "scalar", v.dtype->name, to.dtype->name);
}

/* Ends a body that wrote: what went wrong inside is pending already. */
static int end(knl_body *c, int status) { return knl_end_plain(c) ? status : -1; }

int kn_put(kn_array a, kn_array ind, kn_array v, const kn_mode_opts *opts)
{
    KNX_OPTS(kn_mode_opts, o, opts);
    knl_body c;
    knl_begin(&c, "put");
    kna_op *op = &c.op;
    knl_is_writeable(op, a, "put: output array");
    kni_type t = kna_type(op, a), from = kna_type(op, ind);
    knx_text what = {0};
    if (!kna_failed(op))
        knx_text_add(&what, "Cannot cast %s from dtype('%s') to dtype('int64') according to the rule 'safe'",
                     from.ndim ? "array data" : "scalar", from.dtype->name);
    int64_t n = 0, *at = knl_look_integers(op, ind, &n, NULL, what.s), size = kna_failed(op) ? 0 : kni_type_size(t);
    bool clip = o.mode && !strcmp(o.mode, "clip"), wrap = o.mode && !strcmp(o.mode, "wrap");
    if (o.mode && !clip && !wrap && strcmp(o.mode, "raise") != 0)
        kna_fail(op, KN_ERROR_VALUE, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '%s')", o.mode);
    kna_need_number(op, size, "flat positions are worked out");
    if (!kna_failed(op) && n && !size)
        kna_fail(op, KN_ERROR_INDEX, "cannot replace elements of an empty array");
    if (!kna_failed(op) && !kni_type_size(kna_type(op, v)))
        n = 0;
    for (int64_t i = 0; i < n && !kna_failed(op); i++) {
        int64_t k = at[i];
        if (clip)
            k = k < 0 ? 0 : k >= size ? size - 1 : k;
        else if (wrap)
            k = (k % size + size) % size;
        else if (k < -size || k >= size)
            kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis 0 with size %lld", (long long)k,
                     (long long)size);
        at[i] = k < 0 ? k + size : k;
    }
    write_flat(&c, a, at, n, v);
    knx_free(at);
    return end(&c, kn_error_pending() ? -1 : 0);
}

static kn_shape shape_of_type(kni_type t)
{
    kn_shape shape = {.ndim = t.ndim};
    for (int d = 0; d < t.ndim; d++)
        shape.dim[d] = t.dim[d];
    return shape;
}

/* The truth of a mask, of which there is one for each element of an array of type t. */
static kn_array mask_of(kna_op *op, kn_array mask, kni_type t)
{
    kni_type m = kna_type(op, mask);
    kn_shape shape = shape_of_type(t);
    if (!kni_type_same_shape(m, t))
        mask = kn_reshape(kn_asarray(mask, NULL), &shape, NULL);
    return m.dtype->kind == KN_KIND_BOOL && !m.weak ? mask : kn_astype(mask, KN_DT(BOOL), NULL);
}

/* Where an array of type m is not zero. */
static void write_found(knl_body *c, kn_array a, const knr_found *f, kni_type m, kn_array v)
{
    knx_buffer *column[KN_MAX_NDIM];
    kn_index_arg arg[KN_MAX_NDIM];
    if (!knn_found_columns(&c->op, f, m, column))
        return;
    for (int d = 0; d < m.ndim; d++)
        arg[d] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = knn_positions_of(1, &f->count, column[d])};
    write_at(c, a, arg, f->count, v);
}

int kn_putmask(kn_array a, kn_array mask, kn_array values)
{
    knl_body c;
    knl_begin(&c, "putmask");
    kna_op *op = &c.op;
    knl_is_writeable(op, a, "putmask: output array");
    kni_type t = kna_type(op, a), m = kna_type(op, mask), v = kna_type(op, values);
    kn_copyto_opts o = kn_copyto_opts_default();
    int status = 0;
    if (!kna_failed(op) && !knx_dim_eq(kni_type_size(m), kni_type_size(t)))
        kna_fail(op, KN_ERROR_VALUE, "mask and data must be the same size");
    check_safe(op, v, t);
    if (!kna_failed(op) && kni_type_size(v)) {
        o.where = mask_of(op, mask, t);
        o.casting = "unsafe";
        kn_shape shape = shape_of_type(t);
        status = kn_copyto(a, v.weak || kni_type_same_shape(v, t) ? values : kn_resize(values, &shape), &o);
    }
    return end(&c, status);
}

int kn_place_mask(kn_array arr, kn_array mask, kn_array vals)
{
    knl_body c;
    knl_begin(&c, "place_mask");
    kna_op *op = &c.op;
    kni_type t = kna_type(op, arr), m = kna_type(op, mask), v = kna_type(op, vals);
    knr_found f;
    if (!kna_failed(op) && !knx_dim_eq(kni_type_size(m), kni_type_size(t)))
        kna_fail(op, KN_ERROR_VALUE, "mask and data must be the same size");
    check_safe(op, v, t);
    kn_array truth = kna_failed(op) ? NULL : mask_of(op, mask, t);
    if (truth && knn_find(op, truth, &m, &f)) {
        if (f.count && !kni_type_size(v))
            kna_fail(op, KN_ERROR_VALUE, "Cannot insert from an empty array!");
        else if (f.count)
            write_found(&c, arr, &f, m, vals);
        knr_found_end(&f);
    }
    return end(&c, kn_error_pending() ? -1 : 0);
}

/* Do values go to n places, one each or one for all? */
static void check_places(kna_op *op, kni_type values, int64_t n)
{
    knx_text t = {0};
    bool fits = true;
    for (int d = 0; d < values.ndim; d++)
        fits = fits && (values.dim[d] == 1 || (d == values.ndim - 1 && values.dim[d] == n));
    if (!fits)
        kna_fail(op, KN_ERROR_VALUE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape (%lld,)",
                 knx_show_shape(&t, values.ndim, values.dim), (long long)n);
}

/* Along the only axis of the flattened array. */
static void put_along_all(knl_body *c, kn_array arr, kn_array indices, kn_array values)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, arr), v = kna_type(op, values);
    int ndim = 1;
    int64_t n = 0, size = kni_type_size(t), *at = knl_look_integers(op, indices, &n, &ndim, "");
    if (!kna_failed(op) && ndim != 1)
        kna_fail(op, KN_ERROR_VALUE, "when axis=None, `indices` must have a single dimension.");
    kna_need_number(op, size, "flat positions are worked out");
    if (!kna_failed(op))
        check_places(op, v, n);
    for (int64_t k = 0; k < n && !kna_failed(op); k++) {
        if (at[k] < -size || at[k] >= size)
            kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis 0 with size %lld", (long long)at[k],
                     (long long)size);
        at[k] += at[k] < 0 ? size : 0;
    }
    write_flat(c, arr, at, n, values);
    knx_free(at);
}

int kn_put_along_axis(kn_array arr, kn_array indices, kn_array values, const kn_axes *axis)
{
    knl_body c;
    knl_begin(&c, "put_along_axis");
    kna_op *op = &c.op;
    axis = kna_axes_of(op, axis);
    kni_type t = kna_type(op, arr), i = kna_type(op, indices);
    kn_index_arg arg[KN_MAX_NDIM];
    char text[3 * KN_MAX_NDIM + 4];
    int status = 0;
    if (!kna_failed(op) && !knx_is_integer(i.dtype))
        kna_fail(op, KN_ERROR_INDEX, "`indices` must be an integer array");
    if (!kna_failed(op) && axis->n < 0) {
        put_along_all(&c, arr, indices, values);
        return end(&c, kn_error_pending() ? -1 : 0);
    }
    int at = kna_failed(op) ? 0 : kna_axis(op, *axis, t.ndim, -1);
    if (!kna_failed(op) && i.ndim != t.ndim)
        kna_fail(op, KN_ERROR_VALUE, "`indices` and `arr` must have the same number of dimensions");
    for (int d = 0; d < t.ndim && !kna_failed(op); d++) {
        int64_t shape[KN_MAX_NDIM];
        for (int k = 0; k < t.ndim; k++)
            shape[k] = k == d ? t.dim[d] : 1;
        kn_array along = d == at ? indices : knl_made(&c, knb_iota(op->b, KN_DT(I64), t.ndim, shape, d));
        arg[d] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = along};
    }
    if (!kna_failed(op))
        status = kn_set_at(arr, values, index_text(t.ndim, text), t.ndim, arg);
    return end(&c, status);
}

int kn_fill_diagonal(kn_array a, kn_array val, const kn_fill_diagonal_opts *opts)
{
    KNX_OPTS(kn_fill_diagonal_opts, o, opts);
    knl_body c;
    knl_begin(&c, "fill_diagonal");
    kna_op *op = &c.op;
    knl_is_writeable(op, a, "underlying array");
    kni_type t = kna_type(op, a);
    int64_t step = 1, end_at, n = 0, power = 1;
    if (!kna_failed(op) && t.ndim < 2)
        kna_fail(op, KN_ERROR_VALUE, "array must be at least 2-d");
    for (int d = 1; d < t.ndim && t.ndim > 2 && !kna_failed(op); d++)
        if (!knx_dim_eq(t.dim[d], t.dim[0]))
            kna_fail(op, KN_ERROR_VALUE, "All dimensions of input must be of equal length");
    if (kna_failed(op) || !kna_need_number(op, kni_type_size(t), "flat positions are worked out"))
        return end(&c, -1);
    end_at = kni_type_size(t);
    if (t.ndim == 2) {
        step = t.dim[1] + 1;
        end_at = !o.wrap && t.dim[1] < t.dim[0] ? t.dim[1] * t.dim[1] : end_at;
    } else
        for (int d = 1; d < t.ndim; d++)
            step += power *= t.dim[d];
    n = end_at ? (end_at - 1) / step + 1 : 0;
    int64_t *at = knl_integer_room(op, n);
    for (int64_t i = 0; at && i < n; i++)
        at[i] = i * step;
    if (at)
        write_flat(&c, a, at, n, val);
    knx_free(at);
    return end(&c, kn_error_pending() ? -1 : 0);
}
