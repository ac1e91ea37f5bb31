/* SPDX-License-Identifier: Apache-2.0
 * adding_removing.c -- elements added to arrays and taken out of them. Where they go is known when the function is
 * called; the elements themselves are taken by one gather. */
#include "lib/compose.h"
#include <string.h>

/* x (or two arrays joined) by a map along an axis. */
static kni_atom mapped(kna_op *op, kni_atom a, int axis, const int64_t *map, int64_t n)
{
    kn_array m = kna_failed(op) ? NULL : knl_integers(map, n);
    return m ? knl_take_axis(op, a, kna_in(op, m), axis, KN_GATHER_PROMISE) : KN_ATOM_NONE;
}

/* The operand and the axis to work along: flattened unless an axis is given. */
static kni_atom along(kna_op *op, kn_array x, kn_axes given, int *axis)
{
    kni_atom a = kna_in(op, x);
    *axis = 0;
    if (given.n <= 0)
        return knl_flatten(op, a);
    if (!kna_failed(op))
        *axis = kna_axis(op, given, knb_type(op->b, a).ndim, 0);
    return a;
}

/* ---- append. */

kn_array kn_append(kn_array x, kn_array values, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    knl_body c;
    knl_begin(&c, "append");
    /* numbers are no weak ones here: they become arrays first */
    const kn_array both[] = {kn_asarray(x, NULL), kn_asarray(values, NULL)};
    kn_concatenate_opts how = kn_concatenate_opts_default();
    how.axis = o.axis.n <= 0 ? (kn_axes){.n = -1} : o.axis;
    return knl_end(&c, kn_concatenate(kn_list_from(both, 2), &how));
}

/* Positions as integers, or a mask: looked at. */
static int64_t *look_positions(kna_op *op, kn_array obj, int64_t *n, int *ndim)
{
    const char *what = "arrays used as indices must be of integer (or boolean) type";
    kni_type t = kna_type(op, obj);
    *n = 0;
    *ndim = t.ndim;
    if (!kna_failed(op) && t.ndim == 1 && !t.dim[0]) /* no elements of any dtype */
        return knx_alloc(sizeof(int64_t));
    if (!kna_failed(op) && !knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
        kna_fail(op, KN_ERROR_INDEX, "%s", what);
    return knl_look_integers(op, obj, n, ndim, what);
}

/* ---- delete. */

/* Marks the positions; false with an IndexError. */
static bool mark(kna_op *op, const int64_t *at, int64_t n, int axis, int64_t extent, bool *gone)
{
    for (int64_t i = 0; i < n; i++) {
        if (at[i] < -extent || at[i] >= extent) {
            kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)at[i],
                     axis, (long long)extent);
            return false;
        }
        gone[at[i] < 0 ? at[i] + extent : at[i]] = true;
    }
    return true;
}

/* The part of a between two positions of an axis. */
static kni_atom range(kna_op *op, kni_atom a, int axis, int64_t start, int64_t limit)
{
    kn_shape from = {0}, to = knl_shape_of(op, a);
    from.dim[axis] = start;
    to.dim[axis] = limit;
    return kna_failed(op) ? a : knb_slice(op->b, a, from.dim, to.dim, NULL);
}

/* a without the element at one position of an axis, whose extent may be an expression. */
static kni_atom without(kna_op *op, kni_atom a, int axis, const int64_t *at)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t extent = knb_type(op->b, a).dim[axis], p = at[0] < 0 ? at[0] + extent : at[0];
    if (!knx_dim_le(0, p) || !knx_dim_lt(p, extent)) {
        knx_text s = {0}, t = {0};
        kna_fail(op, KN_ERROR_INDEX, "index %s is out of bounds for axis %d with size %s", knx_dim_show(&s, at[0]),
                 axis, knx_dim_show(&t, extent));
        return KN_ATOM_NONE;
    }
    const kni_atom both[] = {range(op, a, axis, 0, p), range(op, a, axis, p + 1, extent)};
    return kna_failed(op) ? KN_ATOM_NONE : knb_concatenate(op->b, 2, both, axis);
}

kn_array kn_delete(kn_array x, kn_array obj, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    knl_body c;
    knl_begin(&c, "delete");
    int axis, ndim = 0;
    int64_t n = 0, left = 0;
    kni_atom a = along(&c.op, x, o.axis, &axis), y = KN_ATOM_NONE;
    kni_type given = kna_type(&c.op, obj);
    int64_t extent = kna_failed(&c.op) ? 0 : knb_type(c.op.b, a).dim[axis];
    int64_t *at = look_positions(&c.op, obj, &n, &ndim);
    bool mask = given.dtype->kind == KN_KIND_BOOL;
    if (!at) { /* the extent may be an expression here: no room is made for its elements */
        if (!kna_failed(&c.op))
            kna_fail_with(&c.op, knx_error_nomem());
        return knl_end(&c, knl_made(&c, KN_ATOM_NONE));
    }
    if (knx_is_symbolic(extent) || (n == 1 && knl_is_extent(at[0]))) {
        bool one = n == 1 && !mask;
        y = one || kna_need_number(&c.op, extent, "which elements stay is worked out") ? without(&c.op, a, axis, at)
                                                                                       : KN_ATOM_NONE;
        knx_free(at);
        return knl_end(&c, knl_made_like(&c, y, x));
    }
    bool *gone = knx_alloc_zero((size_t)extent + 1);
    int64_t *map = knl_integer_room(&c.op, extent);
    if (!gone && !kna_failed(&c.op))
        kna_fail_with(&c.op, knx_error_nomem());
    if (!kna_failed(&c.op) && mask && (given.ndim != 1 || given.dim[0] != extent))
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "boolean array argument obj to delete must be one dimensional and match the axis length of %lld",
                 (long long)extent);
    else if (!kna_failed(&c.op) && mask)
        for (int64_t i = 0; i < n; i++)
            gone[i] = at[i];
    else if (!kna_failed(&c.op))
        mark(&c.op, at, n, n == 1 ? axis : 0, extent, gone); /* several: NumPy indexes a mask */
    if (!kna_failed(&c.op)) {
        for (int64_t i = 0; i < extent; i++)
            if (!gone[i])
                map[left++] = i;
        y = mapped(&c.op, a, axis, map, left);
    }
    knx_free(at);
    knx_free(gone);
    knx_free(map);
    return knl_end(&c, knl_made_like(&c, y, x));
}

/* ---- insert. */

/* a with v before the element at one position of an axis, whose extent may be an expression. */
static kni_atom with(kna_op *op, kni_atom a, kni_atom v, int axis, int64_t at)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t extent = knb_type(op->b, a).dim[axis], p = at < 0 ? at + extent : at;
    if (!knx_dim_le(0, p) || !knx_dim_le(p, extent)) {
        knx_text s = {0}, t = {0};
        kna_fail(op, KN_ERROR_INDEX, "index %s is out of bounds for axis %d with size %s", knx_dim_show(&s, at), axis,
                 knx_dim_show(&t, extent));
        return KN_ATOM_NONE;
    }
    const kni_atom all[] = {range(op, a, axis, 0, p), v, range(op, a, axis, p, extent)};
    return kna_failed(op) ? KN_ATOM_NONE : knb_concatenate(op->b, 3, all, axis);
}

/* Counted from the start; the one behind the last element is one, too. */
static int64_t position_of(kna_op *op, int64_t at, int64_t extent, int axis)
{
    int64_t p = at < 0 ? at + extent : at;
    if (p < 0 || p > extent)
        kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)at, axis,
                 (long long)extent);
    return p;
}

/* Where x has the elements 0 .. extent - 1 and the new ones follow: the order of the result. Positions count in x;
 * elements of one place stay as they come. */
static int64_t *insertion_map(kna_op *op, const int64_t *at, int64_t n, int64_t extent, int axis)
{
    int64_t *map = knl_integer_room(op, extent + n), *next = knl_integer_room(op, n);
    int64_t *first = knl_integer_room(op, extent + 1);
    for (int64_t i = 0; i <= extent && !kna_failed(op); i++)
        first[i] = -1;
    for (int64_t i = n - 1; i >= 0 && !kna_failed(op); i--) { /* a list for each place */
        int64_t p = position_of(op, at[i], extent, axis);
        if (kna_failed(op))
            break;
        next[i] = first[p];
        first[p] = i;
    }
    for (int64_t i = 0, to = 0; i <= extent && !kna_failed(op); i++) {
        for (int64_t k = first[i]; k >= 0; k = next[k])
            map[to++] = extent + k;
        if (i < extent)
            map[to++] = i;
    }
    knx_free(next);
    knx_free(first);
    return map;
}

/* The new elements, n of them along the axis, in the shape of x but there. One position may take several: n is set. */
static kni_atom new_elements(kna_op *op, kn_array values, kni_type t, int axis, int64_t *n, bool one, bool scalar)
{
    kni_builder *b = op->b;
    kni_atom v = kna_in_as(op, values, t.dtype);
    kn_shape shape = {.ndim = t.ndim};
    while (one && !kna_failed(op) && knb_type(b, v).ndim < t.ndim)
        v = knb_expand_dims(b, v, 0);
    if (one && scalar && !kna_failed(op) && knb_type(b, v).ndim > axis)
        v = knb_move_axis(b, v, 0, axis);
    kni_type from = kna_failed(op) ? t : knb_type(b, v);
    if (one && from.ndim > axis)
        *n = from.dim[axis];
    for (int i = 0; i < t.ndim; i++)
        shape.dim[i] = i == axis ? *n : t.dim[i];
    int extra = from.ndim > shape.ndim ? from.ndim - shape.ndim : 0;
    bool fits = true;
    for (int i = 0; i < from.ndim; i++)
        fits = fits && (knx_dim_eq(from.dim[i], 1) ||
                        (i >= extra && knx_dim_eq(from.dim[i], shape.dim[shape.ndim - from.ndim + i])));
    knx_text p = {0}, q = {0};
    if (!kna_failed(op) && !fits && one)
        knl_cannot_broadcast(op, from, &shape);
    else if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
                 knx_show_shape(&p, from.ndim, from.dim), knx_show_shape(&q, shape.ndim, shape.dim));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (extra)
        v = knb_reshape(b, v, shape.ndim, from.dim + extra);
    return kna_failed(op) ? v : knb_broadcast_to(b, v, knl_shaped(t.dtype, &shape));
}

kn_array kn_insert(kn_array x, kn_array obj, kn_array values, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    knl_body c;
    knl_begin(&c, "insert");
    int axis, ndim = 0;
    int64_t n = 0, *map = NULL, first;
    kni_atom a = along(&c.op, x, o.axis, &axis), y = KN_ATOM_NONE;
    kni_type given = kna_type(&c.op, obj), t = kna_failed(&c.op) ? given : knb_type(c.op.b, a);
    bool mask = !kna_failed(&c.op) && given.dtype->kind == KN_KIND_BOOL;
    int64_t extent = kna_failed(&c.op) ? 0 : t.dim[axis];
    int64_t *at = look_positions(&c.op, obj, &n, &ndim);
    if (!kna_failed(&c.op) && ndim != 1 && (mask || ndim > 1))
        kna_fail(&c.op, KN_ERROR_VALUE, "%s argument obj to insert must be one dimensional%s",
                 mask ? "boolean array" : "index array", mask ? "" : " or scalar");
    if (mask && !kna_failed(&c.op)) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++)
            if (at[i])
                at[m++] = i;
        n = m;
    }
    bool one = n == 1;
    if (!kna_failed(&c.op)) {
        first = n ? at[0] : 0;
        if (one && !knx_any_symbolic(extent, first)) /* before the values */
            position_of(&c.op, first, extent, axis);
        for (int64_t i = 0; !one && i < n && !knx_is_symbolic(extent) && !kna_failed(&c.op); i++)
            position_of(&c.op, at[i], extent, axis);
        kni_atom v = kna_failed(&c.op) ? KN_ATOM_NONE : new_elements(&c.op, values, t, axis, &n, one, ndim == 0);
        if (one && !kna_failed(&c.op) && n != 1 && !knx_any_symbolic(extent, n)) { /* several at the one position */
            int64_t *more = knx_realloc(at, (size_t)n * sizeof *at + 1);
            at = more ? more : at;
            if (!more)
                kna_fail_with(&c.op, knx_error_nomem());
            for (int64_t i = 0; more && i < n; i++)
                at[i] = first;
        }
        if (one && (knx_any_symbolic(extent, n) || knl_is_extent(first))) {
            y = with(&c.op, a, v, axis, first);
            knx_free(at);
            return knl_end(&c, knl_made_like(&c, y, x));
        }
        if (!kna_failed(&c.op) && kna_need_number(&c.op, extent, "where the elements go is worked out"))
            kna_need_number(&c.op, n, "where the elements go is worked out");
        map = kna_failed(&c.op) ? NULL : insertion_map(&c.op, at, n, extent, axis);
        kni_atom both[] = {a, v};
        if (!kna_failed(&c.op))
            y = mapped(&c.op, knb_concatenate(c.op.b, 2, both, axis), axis, map, extent + n);
    }
    knx_free(at);
    knx_free(map);
    return knl_end(&c, knl_made_like(&c, y, x));
}

/* ---- resize: x again and again. */

kn_array kn_resize(kn_array x, const kn_shape *new_shape)
{
    kna_op op;
    kna_begin(&op, "resize");
    new_shape = kna_shape(&op, new_shape);
    kni_atom a = kna_in(&op, x);
    int64_t size = 1, have = kna_failed(&op) ? 0 : kni_type_size(knb_type(op.b, a));
    for (int i = 0; i < new_shape->ndim && !kna_failed(&op); i++)
        if (new_shape->dim[i] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "all elements of `new_shape` must be non-negative");
    if (!kna_failed(&op)) {
        kni_type t = knl_shaped(knb_type(op.b, a).dtype, new_shape);
        kna_fail_with(&op, kni_type_check_size(t));
        size = kna_failed(&op) ? 0 : kni_type_size(t);
        if (!kna_failed(&op) && (knx_dim_eq(have, 0) || knx_dim_eq(size, 0)))
            return kna_end(&op, knb_zeros(op.b, t));
    }
    kni_atom y = knl_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, y);
    KN_KNOWN(have > 0);
    bool symbolic = knx_any_symbolic(size, have);
    if (symbolic ? size != have : size > have) {
        int64_t times = symbolic ? knx_dim_ceildiv(size, have) : (size + have - 1) / have;
        kn_shape wide = {2, {times, have}}, flat = {1, {knx_dim_mul(times, have)}};
        y = knb_broadcast_to(op.b, y, knl_shaped(knb_type(op.b, y).dtype, &wide));
        y = knl_reshape(&op, y, &flat);
        have = flat.dim[0];
    }
    int64_t start = 0;
    if ((symbolic ? size != have : size < have) && !kna_failed(&op))
        y = knb_slice(op.b, y, &start, &size, NULL);
    return kna_end(&op, knl_reshape(&op, y, new_shape));
}

/* ---- trim_zeros. */

/* First and last position of what is not zero, per axis; false if there is nothing. */
static bool nonzero_box(kni_type t, const char *data, int64_t *low, int64_t *high)
{
    int64_t at[KN_MAX_NDIM] = {0}, n = kni_type_size(t);
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        uint8_t truth = 0;
        knx_convert(t.dtype, data + (size_t)i * t.dtype->size, KN_DT(BOOL), &truth);
        for (int d = 0; d < t.ndim && truth; d++) {
            low[d] = any && low[d] < at[d] ? low[d] : at[d];
            high[d] = any && high[d] > at[d] ? high[d] : at[d];
        }
        any = any || truth;
        for (int d = t.ndim - 1; d >= 0 && ++at[d] == t.dim[d]; d--)
            at[d] = 0;
    }
    return any;
}

kn_array kn_trim_zeros(kn_array x, const kn_trim_zeros_opts *opts)
{
    KNX_OPTS(kn_trim_zeros_opts, o, opts);
    kna_op op;
    kna_begin(&op, "trim_zeros");
    const char *trim = o.trim ? o.trim : "fb";
    char ends[3] = {0};
    for (size_t i = 0; i < 2 && trim[i]; i++)
        ends[i] = trim[i] >= 'A' && trim[i] <= 'Z' ? (char)(trim[i] + 32) : trim[i];
    bool front = strchr(ends, 'f') != NULL, back = strchr(ends, 'b') != NULL;
    if (!*trim || strlen(trim) != (size_t)front + back)
        kna_fail(&op, KN_ERROR_VALUE, "unexpected character(s) in `trim`: '%s'", trim);
    kni_atom a = kna_in(&op, x);
    kni_type t = kna_type(&op, x);
    int64_t axes[KN_MAX_NDIM], low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
    int n = kna_failed(&op) ? 0 : knl_axis_tuple(&op, o.axis, t.ndim, "axis", axes);
    const char *data = kna_failed(&op) || !n ? NULL : kna_look(&op, x, &t);
    if (kna_failed(&op) || !n)
        return kna_end_view(&op, x, a, a);
    bool any = nonzero_box(t, data, low, high);
    kn_shape from = {0}, to = knl_shape_of(&op, a);
    for (int i = 0; i < n; i++) {
        from.dim[axes[i]] = any && front ? low[axes[i]] : 0;
        to.dim[axes[i]] = !any ? 0 : back ? high[axes[i]] + 1 : to.dim[axes[i]];
    }
    return kna_end_view(&op, x, a, knb_slice(op.b, a, from.dim, to.dim, NULL));
}
