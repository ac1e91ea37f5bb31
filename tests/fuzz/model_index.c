/* SPDX-License-Identifier: Apache-2.0
 * model_index.c -- which elements an index selects: NumPy's basic and advanced indexing. */
#include "model.h"
#include <string.h>

/* One index array (or an integer beside arrays): it walks along one axis. */
typedef struct {
    m_shape shape;
    int64_t value[M_SIZE];
    int64_t extent, stride; /* of the axis; 0 for a truth value, which has no axis */
} walker;

typedef struct {
    m_array rest;  /* what slices, integers and None leave; index arrays have no axis in it */
    bool advanced; /* there are index arrays */
    int n;
    walker walk[M_NDIM + M_ITEMS];
    int first;  /* among rest's axes: where the first index array stood */
    bool apart; /* something stands between index arrays */
    bool last_was_array;
    bool out_of_bounds; /* a position is */
} state;

static void add_axis(state *s, int64_t dim, int64_t stride)
{
    s->rest.shape.dim[s->rest.shape.ndim] = dim;
    s->rest.stride[s->rest.shape.ndim++] = stride;
    s->last_was_array = false;
}

/* Python's slice(start, stop, step).indices(dim). */
static m_error add_slice(state *s, const m_item *item, int64_t dim, int64_t stride)
{
    int64_t step = item->has_step ? item->step : 1, count = 0;
    if (step == 0)
        return M_VALUE;
    step = step > dim + 1 ? dim + 1 : step < -dim - 1 ? -dim - 1 : step; /* large ones all do the same */
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
    int64_t start = step < 0 ? high : low, stop = step < 0 ? low : high;
    if (item->has_start)
        start = item->start + (item->start < 0 ? dim : 0);
    if (item->has_stop)
        stop = item->stop + (item->stop < 0 ? dim : 0);
    start = start < low ? low : start > high ? high : start;
    stop = stop < low ? low : stop > high ? high : stop;
    for (int64_t i = start; step < 0 ? i > stop : i < stop; i += step)
        count++;
    if (count)
        s->rest.offset += start * stride;
    add_axis(s, count, count > 1 ? stride * step : stride);
    return M_OK;
}

static walker *add_walker(state *s, const m_shape *shape, int64_t extent, int64_t stride)
{
    if (s->n && !s->last_was_array)
        s->apart = true;
    if (!s->n)
        s->first = s->rest.shape.ndim;
    s->last_was_array = true;
    s->walk[s->n] = (walker){.shape = *shape, .extent = extent, .stride = stride};
    return &s->walk[s->n++];
}

static m_error add_integers(state *s, const m_array *index, int64_t dim, int64_t stride)
{
    int64_t at[M_SIZE];
    walker *w = add_walker(s, &index->shape, dim, stride);
    m_offsets(index, at);
    for (int64_t k = 0; k < m_count(&index->shape); k++) {
        int64_t i = m_get(index, at[k]).i;
        w->value[k] = i < 0 ? i + dim : i;
        s->out_of_bounds |= w->value[k] < 0 || w->value[k] >= dim;
    }
    return M_OK;
}

/* A mask stands for as many arrays of positions as it has axes. */
static m_error add_mask(state *s, const m_array *mask, const int64_t *dim, const int64_t *stride)
{
    int64_t at[M_SIZE], n = 0, all = m_count(&mask->shape), one = 1;
    int ndim = mask->shape.ndim, base = s->n;
    for (int i = 0; i < ndim; i++)
        if (mask->shape.dim[i] != dim[i])
            return M_INDEX;
    m_offsets(mask, at);
    for (int64_t k = 0; k < all; k++)
        n += m_get(mask, at[k]).i;
    m_shape points = {1, {n}};
    for (int i = 0; i < ndim || i == 0; i++)
        add_walker(s, &points, ndim ? dim[i] : 0, ndim ? stride[i] : 0);
    for (int i = ndim - 1; i >= 0; i--) {
        for (int64_t k = 0, to = 0; k < all; k++)
            if (m_get(mask, at[k]).i)
                s->walk[base + i].value[to++] = k / one % dim[i];
        one *= dim[i];
    }
    return M_OK;
}

static int axes_of(const m_item *item)
{
    if (item->kind == M_ARRAY)
        return item->array.dtype == M_BOOL ? item->array.shape.ndim : 1;
    return item->kind == M_INT || item->kind == M_SLICE;
}

static m_error add_item(state *s, const m_item *item, const m_array *a, int axis)
{
    const int64_t *dim = a->shape.dim + axis, *stride = a->stride + axis;
    if (item->kind == M_SLICE)
        return add_slice(s, item, *dim, *stride);
    if (item->kind == M_NEW_AXIS)
        add_axis(s, 1, 0);
    if (item->kind == M_NEW_AXIS)
        return M_OK;
    if (item->kind == M_ARRAY)
        return item->array.dtype == M_BOOL ? add_mask(s, &item->array, dim, stride)
                                           : add_integers(s, &item->array, *dim, *stride);
    int64_t i = item->start < 0 ? item->start + *dim : item->start;
    if (i < 0 || i >= *dim)
        return M_INDEX;
    m_shape scalar = {0};
    if (s->advanced)
        add_walker(s, &scalar, *dim, *stride)->value[0] = i;
    else
        s->rest.offset += i * *stride;
    return M_OK;
}

/* The items one after the other; the ellipsis (at the end if there is none) takes the axes that nobody names. */
static m_error add_items(state *s, const m_array *a, int n, const m_item *item)
{
    int used = 0, ellipses = 0, axis = 0, new_axes = 0;
    const m_item whole = {.kind = M_SLICE};
    for (int i = 0; i < n; i++) {
        used += axes_of(&item[i]);
        ellipses += item[i].kind == M_ELLIPSIS;
        s->advanced |= item[i].kind == M_ARRAY;
        new_axes += item[i].kind == M_NEW_AXIS;
    }
    int free_axes = a->shape.ndim - used;
    if (ellipses > 1 || free_axes < 0)
        return M_INDEX;
    if (a->shape.ndim + new_axes > M_NDIM)
        return M_LIMIT;
    m_error e = M_OK;
    for (int i = 0; i <= n && !e; i++) {
        bool rest = i == n ? !ellipses : item[i].kind == M_ELLIPSIS;
        if (rest)
            s->last_was_array = false; /* an ellipsis stands between, even if it stands for nothing */
        for (int k = 0; rest && k < free_axes && !e; k++, axis++)
            e = add_slice(s, &whole, a->shape.dim[axis], a->stride[axis]);
        if (rest || i == n)
            continue;
        e = add_item(s, &item[i], a, axis);
        axis += axes_of(&item[i]);
    }
    return e;
}

/* The common shape of the index arrays. */
static m_error common_points(const state *s, m_shape *points)
{
    *points = (m_shape){0};
    for (int i = 0; i < s->n; i++) {
        const m_shape *w = &s->walk[i].shape;
        while (points->ndim < w->ndim) {
            memmove(points->dim + 1, points->dim, sizeof(int64_t) * (size_t)points->ndim++);
            points->dim[0] = 1;
        }
        for (int k = 0; k < w->ndim; k++) {
            int64_t *to = &points->dim[points->ndim - w->ndim + k];
            if (*to != w->dim[k] && *to != 1 && w->dim[k] != 1)
                return M_INDEX;
            *to = *to == 1 ? w->dim[k] : *to;
        }
    }
    return M_OK;
}

/* How far walker w moves for the point with these coordinates. */
static int64_t walked(const walker *w, const m_shape *points, const int64_t *at)
{
    int64_t k = 0;
    for (int i = 0; i < w->shape.ndim; i++)
        k = k * w->shape.dim[i] + (w->shape.dim[i] == 1 ? 0 : at[points->ndim - w->shape.ndim + i]);
    return w->value[k] * w->stride;
}

/* The offsets of an index with arrays. The points' axes stand where the arrays stood, or first if those are apart. */
static m_error place_points(const state *s, const m_shape *points, m_places *out)
{
    int gap = s->apart ? 0 : s->first, rest = s->rest.shape.ndim;
    out->shape.ndim = rest + points->ndim;
    if (out->shape.ndim > M_NDIM)
        return M_LIMIT;
    for (int i = 0; i < out->shape.ndim; i++)
        out->shape.dim[i] = i < gap                  ? s->rest.shape.dim[i]
                            : i < gap + points->ndim ? points->dim[i - gap]
                                                     : s->rest.shape.dim[i - points->ndim];
    if (m_count(&out->shape) > M_SIZE)
        return M_LIMIT;
    for (int64_t k = 0; k < m_count(&out->shape); k++) {
        int64_t at[M_NDIM], left = k, to = s->rest.offset;
        for (int i = out->shape.ndim - 1; i >= 0; i--) {
            at[i] = left % out->shape.dim[i];
            left /= out->shape.dim[i];
        }
        for (int i = 0; i < rest; i++)
            to += s->rest.stride[i] * at[i < gap ? i : i + points->ndim];
        for (int i = 0; i < s->n; i++)
            to += walked(&s->walk[i], points, at + gap);
        out->offset[k] = to;
    }
    return M_OK;
}

m_error m_select(const m_array *a, int n, const m_item *item, m_places *out)
{
    static state s; /* large; the model runs in one thread */
    memset(&s, 0, sizeof s);
    s.rest = *a;
    s.rest.shape.ndim = 0;
    m_error e = add_items(&s, a, n, item);
    if (e)
        return e;
    *out = (m_places){.basic = !s.advanced, .view = s.rest, .shape = s.rest.shape};
    out->scalar = s.rest.shape.ndim == 0;
    for (int i = 0; i < n; i++)
        out->scalar &= item[i].kind == M_INT ||
                       (item[i].kind == M_ARRAY && item[i].array.shape.ndim == 0 && item[i].array.dtype == M_I64);
    if (!s.advanced) {
        m_offsets(&s.rest, out->offset);
        return M_OK;
    }
    m_shape points;
    e = common_points(&s, &points);
    if (!e && s.out_of_bounds) /* NumPy does not look at positions when there are no points */
        e = m_count(&points) ? M_INDEX : M_LIMIT;
    return e ? e : place_points(&s, &points, out);
}
