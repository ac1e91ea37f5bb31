/* SPDX-License-Identifier: Apache-2.0
 * indexing.c -- operators that take elements from computed places and put them there. A place of several indices is
 * one number in the flattened axes: its parts are checked against their extents, negative ones count from the end. */
#include "models/onnx/ops/move.h"

static kn_array from_end(kn_array index, int64_t extent)
{
    index = kn_astype(index, KN_I64, NULL);
    kn_array zero = kn_like_int(0);
    return kn_where(kn_less(index, zero), kn_add(index, kn_dim_as_array(extent)), index);
}

/* 0, 1, ... along one axis of a shape of so many axes, to broadcast. */
static kn_array counts(int64_t n, int axis, int ndim)
{
    kn_shape shape = {.ndim = ndim};
    for (int k = 0; k < ndim; k++)
        shape.dim[k] = k == axis ? n : 1;
    return kn_reshape(kn_lax_iota(KN_I64, n), &shape, NULL);
}

/* The first `n` axes of x as one. */
static kn_array joined(kn_array x, const kn_shape *shape, int n)
{
    kn_shape to = {1 + shape->ndim - n, {1}};
    for (int k = 0; k < n; k++)
        to.dim[0] = kn_dim_mul(to.dim[0], shape->dim[k]);
    for (int k = n; k < shape->ndim; k++)
        to.dim[1 + k - n] = shape->dim[k];
    return kn_reshape(x, &to, NULL);
}

/* The number of a place in the flattened axes; one that is out of bounds gets a number that is, too. */
static kn_array flat_places(const kn_array *index, const kn_shape *extents)
{
    int64_t zero = 0, size = 1;
    kn_array flat = kn_strong(&zero, KN_I64), bad = NULL;
    for (int k = 0; k < extents->ndim; k++) {
        kn_array extent = kn_dim_as_array(extents->dim[k]);
        kn_array out = kn_logical_or(kn_less(index[k], kn_like_int(0)), kn_greater_equal(index[k], extent));
        flat = kn_add(kn_mul(flat, extent), index[k]);
        bad = bad ? kn_logical_or(bad, out) : out;
        size = kn_dim_mul(size, extents->dim[k]);
    }
    return kn_where(bad, kn_dim_as_array(size), flat);
}

/* ---- Gathering. */

static int gather(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_take_opts o = kn_take_opts_default();
    kn_array x = knonnx_movable(c, &pool, 0), index = x ? knonnx_in(c, 1) : NULL;
    int axis = index ? knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x)) : -1;
    if (axis < 0)
        return -1;
    o.axis = knonnx_single_axis(axis);
    return knonnx_set_moved(c, &pool, 0, kn_take(x, index, &o));
}

/* Indices may be shorter than x along the other axes: then only that part of x counts. */
static kn_array as_long_as(kn_array x, const kn_shape *shape, const kn_shape *index, int axis)
{
    kn_shape start = {.ndim = shape->ndim}, stop = *shape;
    bool cuts = false;
    for (int k = 0; k < shape->ndim; k++)
        if (k != axis && !kn_dim_eq(index->dim[k], shape->dim[k])) {
            stop.dim[k] = index->dim[k];
            cuts = true;
        }
    return cuts ? kn_lax_slice(x, &start, &stop, NULL) : x;
}

static int gather_elements(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_squeeze_opts o = kn_squeeze_opts_default();
    kn_array x = knonnx_movable(c, &pool, 0), index = x ? knonnx_in(c, 1) : NULL;
    int axis = index ? knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x)) : -1;
    if (axis < 0)
        return -1;
    kn_shape shape = kn_shape_of(x), places = kn_shape_of(index);
    if (shape.ndim != places.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "indices have %d axes, data %d", places.ndim, shape.ndim);
    o.axis = knonnx_single_axis(axis);
    return knonnx_set_moved(c, &pool, 0, kn_take_along_axis(as_long_as(x, &shape, &places, axis), index, &o));
}

/* One array for each of the indices that lie along the last axis of `index`. */
static void columns(kn_array index, int n, const int64_t *extent, kn_array *to)
{
    kn_split_opts o = kn_split_opts_default();
    o.axis = knonnx_single_axis(kn_ndim(index) - 1);
    kn_list parts = n ? kn_unstack(index, &o) : NULL;
    for (int k = 0; k < n; k++)
        to[k] = from_end(kn_list_get(parts, k), extent[k]);
}

static int gather_nd(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0), index = x ? knonnx_in(c, 1) : NULL, part[KN_MAX_NDIM];
    if (!index)
        return -1;
    kn_shape shape = kn_shape_of(x), places = kn_shape_of(index);
    int64_t batch = knonnx_int(c, "batch_dims", 0), n = places.ndim > 0 ? places.dim[places.ndim - 1] : 0;
    if (places.ndim < 1 || batch < 0 || batch >= places.ndim || n < 0 || batch + n > shape.ndim)
        return knonnx_fail(
            c, KN_ERROR_VALUE,
            "indices of %d axes, the last one of %lld elements, and %lld batch axes do not fit data of %d axes",
            places.ndim, (long long)n, (long long)batch, shape.ndim);
    kn_shape lead = {.ndim = (int)(batch + n)}, to = {.ndim = places.ndim - 1};
    memcpy(lead.dim, shape.dim, (size_t)lead.ndim * sizeof *lead.dim);
    memcpy(to.dim, places.dim, (size_t)to.ndim * sizeof *to.dim);
    for (int k = 0; k < (int)batch; k++)
        part[k] = kn_broadcast_to(counts(shape.dim[k], k, to.ndim), &to);
    columns(index, (int)n, shape.dim + batch, part + batch);
    kn_zeros_opts ints = kn_zeros_opts_default();
    ints.dtype = KN_I64;
    kn_array flat = lead.ndim ? flat_places(part, &lead) : kn_zeros(&to, &ints);
    kn_take_opts o = kn_take_opts_default();
    o.axis = knonnx_single_axis(0);
    return knonnx_set_moved(c, &pool, 0, kn_take(joined(x, &shape, lead.ndim), flat, &o));
}

/* ---- Scattering. */

typedef kn_array scatter_function(kn_array, kn_array, kn_array, const kn_lax_scatter_dimension_numbers *,
                                  const kn_lax_gather_opts *);

static scatter_function *reduction(knonnx_call *c)
{
    const char *name = knonnx_string(c, "reduction", "none");
    if (!name)
        return NULL;
    if (!strcmp(name, "none"))
        return kn_lax_scatter;
    if (c->version >= 16 && !strcmp(name, "add"))
        return kn_lax_scatter_add;
    if (c->version >= 16 && !strcmp(name, "mul"))
        return kn_lax_scatter_mul;
    if (c->version >= 18 && !strcmp(name, "min"))
        return kn_lax_scatter_min;
    if (c->version >= 18 && !strcmp(name, "max"))
        return kn_lax_scatter_max;
    knonnx_fail(c, KN_ERROR_VALUE, "reduction \"%s\"", name);
    return NULL;
}

/* The places, with an IndexError for one that is none of n: scattering leaves such out. */
static kn_array checked(kn_array places, int64_t n)
{
    int64_t zero = 0;
    kn_array zeros = kn_broadcast_to(kn_strong(&zero, KN_I64), &(kn_shape){1, {n}});
    return kn_add(places, kn_take(zeros, places, NULL));
}

/* The rows of x (n, ...) at the places (m) joined with those of updates (m, ...). */
static kn_array scatter_rows(scatter_function *f, kn_array x, kn_array places, kn_array updates)
{
    kn_lax_scatter_dimension_numbers d = {.inserted_window_dims = knonnx_single_axis(0),
                                          .scatter_dims_to_operand_dims = knonnx_single_axis(0)};
    int ndim = kn_ndim(x);
    d.update_window_dims.n = ndim < 1 ? 1 : ndim;
    for (int k = 1; k < ndim; k++)
        d.update_window_dims.axis[k - 1] = k;
    kn_axes last = knonnx_single_axis(1);
    places = checked(places, kn_dim(x, 0));
    return f(x, kn_expand_dims(places, &last), updates, &d, NULL);
}

static int scatter_elements(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0), index = x ? knonnx_in(c, 1) : NULL, part[KN_MAX_NDIM];
    kn_array updates = index ? knonnx_movable(c, &pool, 2) : NULL;
    scatter_function *f = updates ? reduction(c) : NULL;
    int axis = f ? knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x)) : -1;
    if (axis < 0 || knonnx_same_dtype(c, x, updates) < 0)
        return -1;
    kn_shape shape = kn_shape_of(x), places = kn_shape_of(index), given = kn_shape_of(updates);
    bool fits = places.ndim == shape.ndim && given.ndim == shape.ndim;
    for (int k = 0; fits && k < shape.ndim; k++)
        fits = kn_dim_eq(places.dim[k], given.dim[k]);
    if (!fits)
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "data, indices and updates have shapes that do not fit (%d, %d and %d axes)", shape.ndim,
                           places.ndim, given.ndim);
    for (int k = 0; k < shape.ndim; k++)
        part[k] =
            kn_broadcast_to(k == axis ? from_end(index, shape.dim[k]) : counts(places.dim[k], k, shape.ndim), &places);
    kn_array y = scatter_rows(f, kn_ravel(x, NULL), kn_ravel(flat_places(part, &shape), NULL), kn_ravel(updates, NULL));
    return knonnx_set_moved(c, &pool, 0, kn_reshape(y, &shape, NULL));
}

static int scatter_nd(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0), index = x ? knonnx_in(c, 1) : NULL, part[KN_MAX_NDIM];
    kn_array updates = index ? knonnx_movable(c, &pool, 2) : NULL;
    scatter_function *f = updates ? reduction(c) : NULL;
    if (!f || knonnx_same_dtype(c, x, updates) < 0)
        return -1;
    kn_shape shape = kn_shape_of(x), places = kn_shape_of(index), lead = {0}, rows = {.ndim = 1, .dim = {1}};
    int64_t n = places.ndim > 0 ? places.dim[places.ndim - 1] : 0;
    if (n < 1 || n > shape.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "places of %lld indices in data of %d axes", (long long)n, shape.ndim);
    lead.ndim = (int)n;
    memcpy(lead.dim, shape.dim, (size_t)n * sizeof *lead.dim);
    columns(index, (int)n, shape.dim, part);
    for (int k = 0; k < places.ndim - 1; k++)
        rows.dim[0] = kn_dim_mul(rows.dim[0], places.dim[k]);
    for (int k = (int)n; k < shape.ndim; k++)
        rows.dim[rows.ndim++] = shape.dim[k];
    kn_array flat = kn_ravel(flat_places(part, &lead), NULL);
    kn_array y = scatter_rows(f, joined(x, &shape, lead.ndim), flat, kn_reshape(updates, &rows, NULL));
    return knonnx_set_moved(c, &pool, 0, kn_reshape(y, &shape, NULL));
}

/* ---- Choosing. */

static int where(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_array condition = knonnx_in(c, 0), x = condition ? knonnx_movable(c, &pool, 1) : NULL;
    kn_array y = x ? knonnx_movable(c, &pool, 2) : NULL;
    if (!y || knonnx_same_dtype(c, x, y) < 0)
        return -1;
    return knonnx_set_moved(c, &pool, 0, kn_where(condition, x, y));
}

static int one_hot(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    kn_array index = knonnx_in(c, 0), values = index ? knonnx_movable(c, &pool, 2) : NULL;
    if (!values || knonnx_look(c, 1, "depth") < 0)
        return -1;
    const double *depth = knonnx_doubles_in(c, 1, &n);
    int ndim = kn_ndim(index) + 1, axis = depth ? knonnx_axis(c, knonnx_int(c, "axis", -1), ndim) : -1;
    if (axis < 0)
        return -1;
    if (n != 1 || !(depth[0] >= 0 && depth[0] < 0x1p53))
        return knonnx_fail(c, KN_ERROR_VALUE, "depth has to be one number, not negative");
    if (kn_ndim(values) != 1 || kn_size(values) != 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "values have to be two: off and on");
    index = kn_astype(index, KN_I64, NULL);
    if (c->version >= 11)
        index = from_end(index, (int64_t)depth[0]);
    kn_axes at = knonnx_single_axis(axis);
    kn_array hot = kn_equal(kn_expand_dims(index, &at), counts((int64_t)depth[0], axis, ndim));
    kn_list choice = kn_unstack(values, NULL);
    return knonnx_set_moved(c, &pool, 0, kn_where(hot, kn_list_get(choice, 1), kn_list_get(choice, 0)));
}

static int trilu(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), k = kn_like_int(0);
    if (!x)
        return -1;
    if (knonnx_has(c, 1)) {
        if (!(k = knonnx_in(c, 1)))
            return -1;
        k = kn_reshape(k, &(kn_shape){0}, NULL);
    }
    int ndim = kn_ndim(x);
    if (ndim < 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "a tensor of %d axes is no matrix", ndim);
    kn_array diagonal = kn_sub(counts(kn_dim(x, ndim - 1), 1, 2), counts(kn_dim(x, ndim - 2), 0, 2));
    kn_array keep = knonnx_int(c, "upper", 1) ? kn_greater_equal(diagonal, k) : kn_less_equal(diagonal, k);
    return knonnx_set(c, 0, kn_where(keep, x, kn_zeros_like(x, NULL)));
}

static int reverse_sequence(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0), length = x ? knonnx_in(c, 1) : NULL, part[2];
    int64_t batch = knonnx_int(c, "batch_axis", 1), time = knonnx_int(c, "time_axis", 0);
    if (!length)
        return -1;
    kn_shape shape = kn_shape_of(x);
    if (shape.ndim < 2 || batch == time || batch < 0 || time < 0 || batch > 1 || time > 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "batch_axis %lld and time_axis %lld of a tensor with %d axes",
                           (long long)batch, (long long)time, shape.ndim);
    kn_shape two = {2, {shape.dim[0], shape.dim[1]}}, along = {2, {1, 1}};
    along.dim[batch] = shape.dim[batch];
    length = kn_reshape(kn_astype(length, KN_I64, NULL), &along, NULL);
    kn_array t = counts(shape.dim[time], (int)time, 2), last = kn_sub(length, kn_like_int(1));
    part[time] = kn_broadcast_to(kn_where(kn_less(t, length), kn_sub(last, t), t), &two);
    part[batch] = kn_broadcast_to(counts(shape.dim[batch], (int)batch, 2), &two);
    kn_take_opts o = kn_take_opts_default();
    o.axis = knonnx_single_axis(0);
    return knonnx_set_moved(c, &pool, 0, kn_take(joined(x, &shape, 2), flat_places(part, &two), &o));
}

const knonnx_row knonnx_rows_indexing[] = {
    {"Gather", 1, gather, 2, 2, 1, 1},
    {"GatherElements", 11, gather_elements, 2, 2, 1, 1},
    {"GatherND", 11, gather_nd, 2, 2, 1, 1},
    {"Scatter", 9, scatter_elements, 3, 3, 1, 1},
    {"ScatterElements", 11, scatter_elements, 3, 3, 1, 1},
    {"ScatterND", 11, scatter_nd, 3, 3, 1, 1},
    {"Where", 9, where, 3, 3, 1, 1},
    {"OneHot", 9, one_hot, 3, 3, 1, 1},
    {"Trilu", 14, trilu, 1, 2, 1, 1},
    {"ReverseSequence", 10, reverse_sequence, 2, 2, 1, 1},
    {0},
};
