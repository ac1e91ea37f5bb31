/* SPDX-License-Identifier: Apache-2.0
 * indexing.c -- x[index] with the whole of NumPy's grammar, take, take_along_axis.
 *
 * An index is worked through in three steps. The basic part (slices, and integers where there are no arrays) becomes
 * slices, reversals and a squeeze; starts that came with a % are operands of a dynamic_slice outside of traces, so that
 * a loop over them compiles once. The arrays (with the integers beside them) become one gather. New axes are put in at
 * the end. */
#include "numpy/internal.h"
#include <string.h>

typedef struct axis_plan {      /* what happens to one axis of the operand */
    int64_t start, count, step; /* elements start, start + step, ... */
    bool operand;               /* the start is an operand, not structure */
    bool dropped;               /* an integer: the axis goes */
    int index;                  /* which index array reads it, or -1 */
} axis_plan;

typedef struct index_plan {
    kna_op *op;
    kn_atom x;
    int ndim, n_items, n_index;
    axis_plan axis[KN_MAX_NDIM];
    knn_item item[KNN_MAX_ITEMS + 1];
    kn_atom index[KN_MAX_NDIM];   /* broadcast index arrays: int64 */
    bool in_bounds[KN_MAX_NDIM];  /* they came from masks */
    kn_shape points;              /* their common shape */
    int gap_at;                   /* among the result's axes: where the points go */
    bool is_new[2 * KN_MAX_NDIM]; /* per axis of the result: from None */
    kn_shape result;              /* with the new axes, when all is done */
} index_plan;

/* ---- Integers and slices. */

/* Python's rule for slice(start, stop, step).indices(extent). */
static void plan_slice(index_plan *p, const knn_item *s, int64_t extent, axis_plan *a)
{
    int64_t step = s->step.given ? s->step.value : 1;
    if (step == 0) {
        kna_fail(p->op, KN_ERROR_VALUE, "slice step cannot be zero");
        return;
    }
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent, bound[2];
    const knn_bound *given[] = {&s->start, &s->stop};
    for (int i = 0; i < 2; i++) {
        int64_t v = given[i]->value;
        if (!given[i]->given) {
            bound[i] = (i == 0) == (step > 0) ? low : high;
            continue;
        }
        v += v < 0 ? extent : 0;
        bound[i] = v < low ? low : v > high ? high : v;
    }
    int64_t way = step > 0 ? bound[1] - bound[0] : bound[0] - bound[1];
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    *a = (axis_plan){.start = bound[0], .step = step, .index = -1, .operand = s->start.operand && step == 1};
    a->count = way <= 0 ? 0 : (int64_t)(((uint64_t)way - 1) / by) + 1;
    if (a->count == 0)
        *a = (axis_plan){.start = 0, .step = 1, .index = -1};
}

static void plan_integer(index_plan *p, const knn_bound *i, int axis, int64_t extent, axis_plan *a)
{
    if (i->value < -extent || i->value >= extent) {
        kna_fail(p->op, KN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)i->value,
                 axis, (long long)extent);
        return;
    }
    int64_t start = i->value + (i->value < 0 ? extent : 0);
    *a = (axis_plan){.start = start, .count = 1, .step = 1, .operand = i->operand, .dropped = true, .index = -1};
}

/* ---- Index arrays. */

kn_atom knn_wrap(kna_op *op, kn_atom index, int64_t extent)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (knb_type(b, index).dtype->kind == KN_KIND_UINT && knb_type(b, index).dtype != KN_DT(U64))
        return knb_convert(b, index, KN_DT(I64));
    bool is_unsigned = knb_type(b, index).dtype == KN_DT(U64);
    if (is_unsigned) /* what no int64 holds is out of bounds */
        index = knb_min(b, index, knb_integer(b, KN_DT(U64), INT64_MAX));
    index = knb_convert(b, index, KN_DT(I64));
    if (is_unsigned)
        return index;
    kn_atom from_end = knb_add(b, index, knb_integer(b, KN_DT(I64), extent));
    return knb_select(b, knb_lt(b, index, knb_integer(b, KN_DT(I64), 0)), from_end, index);
}

static void add_index(index_plan *p, int axis, kn_atom index, bool in_bounds)
{
    p->index[p->n_index] = index;
    p->in_bounds[p->n_index] = in_bounds;
    p->axis[axis].index = p->n_index++;
}

/* A mask over `ndim` axes becomes that many arrays of positions, found by looking at its value. */
static void add_mask(index_plan *p, kn_array mask, int axis)
{
    kn_type t;
    const unsigned char *bits = kna_look(p->op, mask, &t);
    if (!bits)
        return;
    kn_type x = knb_type(p->op->b, p->x);
    for (int d = 0; d < t.ndim; d++)
        if (t.dim[d] != x.dim[axis + d]) {
            kna_fail(p->op, KN_ERROR_INDEX,
                     "boolean index did not match indexed array along axis %d; size of axis is %lld but size of "
                     "corresponding boolean "
                     "axis is %lld",
                     axis + d, (long long)x.dim[axis + d], (long long)t.dim[d]);
            return;
        }
    int64_t size = kni_type_size(t), found = 0;
    for (int64_t i = 0; i < size; i++)
        found += bits[i] != 0;
    for (int d = 0; d < t.ndim && !kna_failed(p->op); d++) {
        kn_buffer *buffer = knx_buffer_new((size_t)found * sizeof(int64_t));
        kn_value *v = buffer ? kna_value_buffer(kni_type(KN_DT(I64), 1, &found), buffer) : NULL;
        if (!v) {
            kna_fail_with(p->op, knx_error_nomem());
            return;
        }
        int64_t inner = 1, *out = buffer->data;
        for (int e = d + 1; e < t.ndim; e++)
            inner *= t.dim[e];
        for (int64_t i = 0; i < size; i++)
            if (bits[i])
                *out++ = i / inner % t.dim[d];
        add_index(p, axis + d, kna_value_atom(p->op, v), true);
        kna_value_release(v);
    }
}

/* ---- Planning: which item speaks of which axes. */

static bool is_mask(kn_type t) { return t.dtype->kind == KN_KIND_BOOL; }

static int axes_of(index_plan *p, const knn_item *item)
{
    if (item->kind == KNN_SLICE || item->kind == KNN_INTEGER)
        return 1;
    if (item->kind != KNN_ARRAY)
        return 0;
    kn_type t = kna_type(p->op, item->array);
    if (!kna_failed(p->op) && !is_mask(t) && !knx_is_integer(t.dtype))
        kna_fail(p->op, KN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
    return is_mask(t) ? t.ndim : 1;
}

/* Puts an ellipsis at the end if there is none, and says for how many axes it stands. */
static int settle_ellipsis(index_plan *p)
{
    int used = 0, at = -1;
    for (int i = 0; i < p->n_items; i++) {
        if (p->item[i].kind == KNN_ELLIPSIS && at >= 0)
            kna_fail(p->op, KN_ERROR_INDEX, "an index can only have a single ellipsis ('...')");
        if (p->item[i].kind == KNN_ELLIPSIS)
            at = i;
        used += axes_of(p, &p->item[i]);
    }
    if (!kna_failed(p->op) && used > p->ndim)
        kna_fail(p->op, KN_ERROR_INDEX, "too many indices for array: array is %d-dimensional, but %d were indexed",
                 p->ndim, used);
    if (at < 0)
        p->item[p->n_items++] = (knn_item){.kind = KNN_ELLIPSIS};
    return p->ndim - used;
}

/* A boolean scalar makes an axis of extent 1 that is read once or not at all: x gets that axis here, in front of
 * `axis`. */
static void add_scalar_mask(index_plan *p, kn_array mask, int axis)
{
    kn_type t;
    const unsigned char *bit = kna_look(p->op, mask, &t);
    int64_t count = bit && *bit ? 1 : 0;
    kn_buffer *buffer = bit ? knx_buffer_new(sizeof(int64_t)) : NULL;
    kn_value *v = buffer ? kna_value_buffer(kni_type(KN_DT(I64), 1, &count), buffer) : NULL;
    if (!v) {
        kna_fail_with(p->op, bit ? knx_error_nomem() : NULL);
        return;
    }
    *(int64_t *)buffer->data = 0;
    p->x = knb_expand_dims(p->op->b, p->x, axis);
    if (!kna_failed(p->op) && ++p->ndim <= KN_MAX_NDIM) {
        p->axis[axis] = (axis_plan){.count = 1, .step = 1, .index = -1};
        add_index(p, axis, kna_value_atom(p->op, v), true);
    }
    kna_value_release(v);
}

/* One item, at `axis` of x; returns the axis behind it. */
static int plan_item(index_plan *p, const knn_item *item, int axis, int ellipsis, bool arrays)
{
    kn_builder *b = p->op->b;
    int64_t extent = axis < p->ndim ? knb_type(b, p->x).dim[axis] : 0;
    switch (item->kind) {
    case KNN_SLICE: plan_slice(p, item, extent, &p->axis[axis]); return axis + 1;
    case KNN_INTEGER:
        plan_integer(p, &item->start, axis, extent, &p->axis[axis]);
        if (arrays && !kna_failed(p->op)) {
            add_index(p, axis, knb_integer(b, KN_DT(I64), p->axis[axis].start), true);
            p->axis[axis].start = 0, p->axis[axis].count = extent;
            p->axis[axis].dropped = p->axis[axis].operand = false;
        }
        return axis + 1;
    case KNN_ELLIPSIS:
        for (int i = 0; i < ellipsis; i++)
            p->axis[axis + i] = (axis_plan){.count = knb_type(b, p->x).dim[axis + i], .step = 1, .index = -1};
        return axis + ellipsis;
    case KNN_NEW_AXIS: return axis;
    case KNN_ARRAY: break;
    }
    kn_type t = kna_type(p->op, item->array);
    if (is_mask(t) && t.ndim == 0) {
        add_scalar_mask(p, item->array, axis);
        return axis + 1;
    }
    int n = is_mask(t) ? t.ndim : 1;
    for (int i = 0; i < n; i++)
        p->axis[axis + i] = (axis_plan){.count = knb_type(b, p->x).dim[axis + i], .step = 1, .index = -1};
    if (is_mask(t))
        add_mask(p, item->array, axis);
    else
        add_index(p, axis, knn_wrap(p->op, kna_in(p->op, item->array), extent), false);
    return axis + n;
}

/* Where the axes of the result come from, in order; the points stand where the arrays stood, or first if something is
 * between them. */
static void plan_result(index_plan *p, int ellipsis)
{
    int gaps = 0, first = -1, n = 0, last_array = -2;
    for (int i = 0; i < p->n_items; i++) {
        const knn_item *item = &p->item[i];
        bool array = item->kind == KNN_ARRAY || (item->kind == KNN_INTEGER && p->n_index);
        if (item->kind == KNN_ELLIPSIS && ellipsis == 0 && i == p->n_items - 1)
            continue;
        if (array) {
            gaps += last_array >= 0 && last_array != i - 1;
            last_array = i;
            first = first < 0 ? n : first;
        }
        int more = item->kind == KNN_ELLIPSIS                              ? ellipsis
                   : item->kind == KNN_SLICE || item->kind == KNN_NEW_AXIS ? 1
                                                                           : 0;
        for (int j = 0; j < more && n < 2 * KN_MAX_NDIM; j++)
            p->is_new[n++] = item->kind == KNN_NEW_AXIS;
    }
    p->gap_at = gaps || first < 0 ? 0 : first;
    p->result.ndim = n;
}

static void broadcast_indices(index_plan *p)
{
    kn_builder *b = p->op->b;
    kn_shape *s = &p->points;
    for (int i = 0; i < p->n_index && !kna_failed(p->op); i++) {
        kn_type t = knb_type(b, p->index[i]);
        for (int more = t.ndim - s->ndim; more > 0; more--) {
            memmove(s->dim + 1, s->dim, (size_t)s->ndim++ * sizeof *s->dim);
            s->dim[0] = 1;
        }
        for (int d = 0; d < t.ndim; d++) {
            int64_t *e = &s->dim[s->ndim - t.ndim + d];
            if (*e != 1 && t.dim[d] != 1 && *e != t.dim[d]) {
                kn_text all = {0};
                for (int j = 0; j < p->n_index; j++) {
                    kn_type u = knb_type(b, p->index[j]);
                    knx_text_add(&all, all.length && u.ndim ? " " : "");
                    if (u.ndim) /* integers are not spoken of */
                        knx_show_shape(&all, u.ndim, u.dim);
                }
                kna_fail(p->op, KN_ERROR_INDEX,
                         "shape mismatch: indexing arrays could not be broadcast together with shapes %s", all.s);
                return;
            }
            *e = *e == 1 ? t.dim[d] : *e;
        }
    }
}

/* ---- Emitting. */

static kn_atom operand_number(kna_op *op, int64_t v)
{
    kn_value *n = kna_value_number(KN_DT(I64), false, knx_scalar_from_int(KN_DT(I64), v));
    if (!n) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    kn_atom a = kna_value_atom(op, n);
    kna_value_release(n);
    return a;
}

/* The slices whose starts are operands. Outside of traces only: under a trace they are constants of the text. */
static void emit_dynamic(index_plan *p)
{
    kn_builder *b = p->op->b;
    kn_type t = knb_type(b, p->x);
    kn_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM];
    bool any = false;
    for (int i = 0; i < p->ndim; i++)
        any = any || (p->axis[i].operand && p->axis[i].count);
    if (!any || !b->hook)
        return;
    for (int i = 0; i < p->ndim; i++) {
        axis_plan *a = &p->axis[i];
        bool here = a->operand && a->count;
        start[i] = here ? operand_number(p->op, a->start) : knb_integer(b, KN_DT(I64), 0);
        size[i] = here ? a->count : t.dim[i];
        if (here)
            a->start = 0;
    }
    if (!kna_failed(p->op))
        p->x = knb_dynamic_slice(b, p->x, start, size);
}

static void emit_basic(index_plan *p)
{
    kn_builder *b = p->op->b;
    emit_dynamic(p);
    if (kna_failed(p->op))
        return;
    kn_type t = knb_type(b, p->x);
    int64_t start[KN_MAX_NDIM], limit[KN_MAX_NDIM], step[KN_MAX_NDIM], back[KN_MAX_NDIM], gone[KN_MAX_NDIM];
    int n_back = 0, n_gone = 0;
    bool whole = true, steps = false;
    for (int i = 0; i < p->ndim; i++) {
        const axis_plan *a = &p->axis[i];
        int64_t last = a->start + (a->count - 1) * a->step; /* fits: it is a position */
        step[i] = a->count <= 1 ? 1 : a->step < 0 ? -a->step : a->step;
        start[i] = a->count == 0 ? 0 : a->step < 0 ? last : a->start;
        limit[i] = a->count == 0 ? 0 : (a->step < 0 ? a->start : last) + 1;
        whole = whole && start[i] == 0 && limit[i] == t.dim[i] && step[i] == 1;
        steps = steps || step[i] != 1;
        if (a->step < 0 && a->count > 1)
            back[n_back++] = i;
        if (a->dropped)
            gone[n_gone++] = i;
    }
    if (!whole)
        p->x = knb_slice(b, p->x, start, limit, steps ? step : NULL);
    if (n_back)
        p->x = knb_rev(b, p->x, n_back, back);
    if (n_gone)
        p->x = knb_squeeze(b, p->x, n_gone, gone);
}

/* All index arrays side by side along a new last axis. */
static kn_atom index_vectors(index_plan *p)
{
    kn_builder *b = p->op->b;
    kn_shape one = p->points;
    if (one.ndim == KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
        return KN_ATOM_NONE;
    }
    one.dim[one.ndim++] = 1;
    for (int i = 0; i < p->n_index; i++) {
        kn_atom full = knb_broadcast_to(b, p->index[i], knn_shaped(KN_DT(I64), &p->points));
        p->index[i] = knb_reshape(b, full, one.ndim, one.dim);
    }
    return p->n_index == 1 ? p->index[0] : knb_concatenate(b, p->n_index, p->index, p->points.ndim);
}

static void emit_gather(index_plan *p)
{
    kn_builder *b = p->op->b;
    int64_t offset[KN_MAX_NDIM], collapsed[KN_MAX_NDIM], map[KN_MAX_NDIM], size[KN_MAX_NDIM];
    int n_offset = 0, n_collapsed = 0, before = 0;
    bool in_bounds = true;
    kn_atom indices = index_vectors(p);
    if (kna_failed(p->op))
        return;
    for (int i = 0; i < p->gap_at; i++)
        before += !p->is_new[i];
    kn_type t = knb_type(b, p->x);
    for (int i = 0; i < p->ndim; i++) {
        int k = p->axis[i].index;
        size[i] = k < 0 ? t.dim[i] : t.dim[i] ? 1 : 0;
        if (k >= 0) {
            collapsed[n_collapsed++] = i;
            map[k] = i;
            in_bounds = in_bounds && p->in_bounds[k];
        } else {
            offset[n_offset] = n_offset + (n_offset >= before ? p->points.ndim : 0);
            n_offset++;
        }
    }
    kn_p_gather g = {.offset_dims = {n_offset, offset},
                     .collapsed_slice_dims = {n_collapsed, collapsed},
                     .start_index_map = {p->n_index, map},
                     .slice_sizes = {p->ndim, size},
                     .mode = in_bounds ? KN_GATHER_PROMISE : KN_GATHER_CHECK};
    p->x = knb_gather(b, p->x, indices, &g);
}

/* New axes of extent 1: `is_new` speaks of the result without the points, which stand at gap_at. */
static void emit_new_axes(index_plan *p)
{
    kn_shape shape = {.ndim = 0};
    bool is_new[KN_MAX_NDIM] = {false}, any = false;
    if (kna_failed(p->op))
        return;
    kn_type t = knb_type(p->op->b, p->x);
    int points = p->n_index ? p->points.ndim : 0;
    if (p->result.ndim + points > KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_INDEX, "number of dimensions must be within [0, %d], indexing result would have %d",
                 KN_MAX_NDIM, p->result.ndim + points);
        return;
    }
    for (int i = 0, old = 0; i <= p->result.ndim; i++) {
        for (int j = 0; i == p->gap_at && j < points; j++)
            shape.dim[shape.ndim++] = t.dim[old++];
        if (i == p->result.ndim)
            break;
        any = any || p->is_new[i];
        is_new[shape.ndim] = p->is_new[i];
        shape.dim[shape.ndim] = p->is_new[i] ? 1 : t.dim[old++];
        shape.ndim++;
    }
    if (any)
        p->x = knn_insert_axes(p->op, p->x, &shape, is_new);
}

static kn_atom at(kna_op *op, kn_array x, const char *index, int n, const kn_index_arg *args)
{
    index_plan p = {.op = op, .x = kna_in(op, x)};
    if (!kna_failed(op))
        p.n_items = knn_parse_index(op, index, n, args, p.item);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    p.ndim = knb_type(op->b, p.x).ndim;
    int ellipsis = settle_ellipsis(&p), axis = 0;
    bool arrays = false;
    for (int i = 0; i < p.n_items; i++)
        arrays = arrays || p.item[i].kind == KNN_ARRAY;
    for (int i = 0; i < p.n_items && !kna_failed(op); i++)
        axis = plan_item(&p, &p.item[i], axis, ellipsis, arrays);
    if (!kna_failed(op))
        plan_result(&p, ellipsis);
    broadcast_indices(&p);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    emit_basic(&p);
    if (p.n_index && !kna_failed(op))
        emit_gather(&p);
    emit_new_axes(&p);
    return p.x;
}

kn_array kn_at(kn_array x, const char *index, int n, const kn_index_arg *args)
{
    kna_op op;
    kna_begin(&op, "at");
    return kna_end(&op, at(&op, x, index, n, args));
}

/* ---- take and take_along_axis. */

kn_atom knn_take_axis(kna_op *op, kn_atom x, kn_atom indices, int axis, int64_t mode)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_type t = knb_type(b, x), i = knb_type(b, indices);
    int64_t offset[KN_MAX_NDIM], size[KN_MAX_NDIM], at_axis = axis;
    kn_shape vectors = knn_shape_of(op, indices);
    if (i.ndim + t.ndim - 1 > KN_MAX_NDIM || i.ndim == KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, i.ndim + t.ndim - 1);
        return KN_ATOM_NONE;
    }
    vectors.dim[vectors.ndim++] = 1;
    int n = 0;
    for (int d = 0; d < t.ndim; d++) {
        size[d] = d == axis ? (t.dim[d] ? 1 : 0) : t.dim[d];
        if (d != axis) {
            offset[n] = n < axis ? n : n + i.ndim;
            n++;
        }
    }
    kn_p_gather g = {.offset_dims = {n, offset},
                     .collapsed_slice_dims = {1, &at_axis},
                     .start_index_map = {1, &at_axis},
                     .slice_sizes = {t.ndim, size},
                     .mode = mode};
    return knb_gather(b, x, knb_reshape(b, indices, vectors.ndim, vectors.dim), &g);
}

static kn_atom index_operand(kna_op *op, kn_array indices)
{
    kn_atom a = kna_in(op, indices);
    if (kna_failed(op))
        return a;
    kn_dtype d = knb_type(op->b, a).dtype;
    if (d->kind == KN_KIND_BOOL)
        return knb_convert(op->b, a, KN_DT(I64));
    if (!knx_is_integer(d))
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule 'safe'", d->name);
    return a;
}

kn_array kn_take(kn_array x, kn_array indices, const kn_take_opts *opts)
{
    KNN_OPTS(kn_take_opts, o, opts);
    kna_op op;
    kna_begin(&op, "take");
    kn_atom a = kna_in(&op, x), i = index_operand(&op, indices);
    bool clip = o.mode && !strcmp(o.mode, "clip");
    if (o.mode && !clip && strcmp(o.mode, "raise") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "clipmode must be one of 'clip' or 'raise' (got '%s')", o.mode);
    if (o.axis.n <= 0 || (!kna_failed(&op) && knb_type(op.b, a).ndim == 0))
        a = knn_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_type t = knb_type(op.b, a);
    int axis = o.axis.n <= 0 ? 0 : kna_axis(&op, o.axis, t.ndim, 0);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (!t.dim[axis] && kni_type_size(knb_type(op.b, i)))
        kna_fail(&op, KN_ERROR_INDEX, "cannot do a non-empty take from an empty axes.");
    if (!clip)
        i = knn_wrap(&op, i, t.dim[axis]);
    return kna_end(&op, knn_take_axis(&op, a, i, axis, clip ? KN_GATHER_CLIP : KN_GATHER_CHECK));
}

/* Both with the same extents everywhere but on the axis. */
static bool align(kna_op *op, kn_atom *x, kn_atom *indices, int axis)
{
    kn_shape s = knn_shape_of(op, *x), t = knn_shape_of(op, *indices);
    for (int i = 0; i < s.ndim; i++) {
        if (i == axis || s.dim[i] == t.dim[i])
            continue;
        if (s.dim[i] != 1 && t.dim[i] != 1) {
            kn_text p = {0}, q = {0};
            kna_fail(op, KN_ERROR_INDEX,
                     "shape mismatch: indexing arrays could not be broadcast together with shapes %s %s",
                     knx_show_shape(&p, s.ndim, s.dim), knx_show_shape(&q, t.ndim, t.dim));
            return false;
        }
        s.dim[i] = t.dim[i] = s.dim[i] == 1 ? t.dim[i] : s.dim[i];
    }
    *x = knb_broadcast_to(op->b, *x, knn_shaped(KN_DT(F32), &s));
    *indices = knb_broadcast_to(op->b, *indices, knn_shaped(KN_DT(F32), &t));
    return true;
}

kn_array kn_take_along_axis(kn_array x, kn_array indices, const kn_squeeze_opts *opts)
{
    KNN_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "take_along_axis");
    kn_atom a = kna_in(&op, x), i = kna_in(&op, indices);
    if (!kna_failed(&op) && !knx_is_integer(knb_type(op.b, i).dtype))
        kna_fail(&op, KN_ERROR_INDEX, "`indices` must be an integer array");
    if (o.axis.n < 0)
        a = knn_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int ndim = knb_type(op.b, a).ndim, axis = kna_axis(&op, o.axis.n < 0 ? (kn_axes){0} : o.axis, ndim, -1);
    if (!kna_failed(&op) && knb_type(op.b, i).ndim != ndim)
        kna_fail(&op, KN_ERROR_VALUE, "`indices` and `arr` must have the same number of dimensions");
    if (kna_failed(&op) || !align(&op, &a, &i, axis))
        return kna_end(&op, KN_ATOM_NONE);
    i = knn_wrap(&op, i, knb_type(op.b, a).dim[axis]);
    kn_type t = knb_type(op.b, a);
    kn_shape vectors = knn_shape_of(&op, i);
    int64_t others[KN_MAX_NDIM], size[KN_MAX_NDIM], at_axis = axis;
    int n = 0;
    if (ndim == KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    vectors.dim[vectors.ndim++] = 1;
    for (int d = 0; d < ndim; d++) {
        size[d] = t.dim[d] ? 1 : 0;
        if (d != axis)
            others[n++] = d;
    }
    kn_p_gather g = {.collapsed_slice_dims = {1, &at_axis},
                     .start_index_map = {1, &at_axis},
                     .operand_batching_dims = {n, others},
                     .start_indices_batching_dims = {n, others},
                     .slice_sizes = {ndim, size},
                     .mode = KN_GATHER_CHECK};
    return kna_end(&op, knb_gather(op.b, a, knb_reshape(op.b, i, vectors.ndim, vectors.dim), &g));
}
