/* SPDX-License-Identifier: Apache-2.0
 * index_plan.c -- what an index means for the axes of an array, by NumPy's rules. */
#include "numpy/indexing/index_plan.h"
#include "array/element.h"
#include "base/context.h"
#include "base/pool.h"
#include "numpy/indexing/found.h"
#include <string.h>

/* ---- Integers and slices. */

/* Python's rule for slice(start, stop, step).indices(extent). Cuts are choices where an extent is an expression, as JAX
 * has them: x[:4] of b elements are min(b, 4). */
/* Where a bound is from 0 to `extent`; all are numbers. */
static int64_t cut_number(const knl_bound *b, int64_t extent, int64_t otherwise)
{
    int64_t at = !b->given ? otherwise : b->value < 0 ? b->value + extent : b->value;
    return at < 0 ? 0 : at > extent ? extent : at;
}

KNX_HOT void knn_plan_slice(knn_index *p, const knl_item *s, int64_t extent, knn_index_axis *a)
{
    if (!s->step.given && !knx_is_symbolic(extent) && !knl_is_extent(s->start.value) && !knl_is_extent(s->stop.value)) {
        int64_t start = cut_number(&s->start, extent, 0), stop = cut_number(&s->stop, extent, extent);
        bool any = stop > start;
        *a = (knn_index_axis){.start = any ? start : 0, .count = any ? stop - start : 0, .step = 1, .index = -1};
        a->operand = any && s->start.operand;
        return;
    }
    int64_t step = s->step.given ? s->step.value : 1;
    if (knl_is_extent(step) && !kna_need_number(p->op, step, "the step of a slice"))
        return;
    if (step == 0) {
        kna_fail(p->op, KN_ERROR_VALUE, "slice step cannot be zero");
        return;
    }
    step = knl_within(step, extent);
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent, bound[2];
    const knl_bound *given[] = {&s->start, &s->stop};
    for (int i = 0; i < 2; i++)
        bound[i] = given[i]->given ? knl_cut(given[i]->value, extent, low, high) : (i == 0) == (step > 0) ? low : high;
    int64_t way = step > 0 ? knx_dim_sub(bound[1], bound[0]) : knx_dim_sub(bound[0], bound[1]);
    int64_t count = knx_dim_max(0, step == 1 ? way : knx_dim_ceildiv(way, step > 0 ? step : -step));
    *a = (knn_index_axis){.start = bound[0], .count = count, .step = step, .index = -1, .operand = s->start.operand};
    if (knx_is_symbolic(count))
        a->stop = step == 1  ? knx_dim_add(bound[0], count)
                  : step > 0 ? knx_dim_max(bound[1], bound[0])
                             : knx_dim_min(bound[1], bound[0]);
    if (count == 0)
        *a = (knn_index_axis){.start = 0, .step = 1, .index = -1};
}

KNX_HOT void knn_slice_of(const knn_index_axis *a, int64_t *start, int64_t *limit, int64_t *step)
{
    bool counted = !knx_is_symbolic(a->count);
    int64_t last = counted ? knx_dim_add(a->start, (a->count - 1) * a->step) /* fits: it is a position */
                           : knx_dim_add(a->start, knx_dim_mul(a->count - 1, a->step));
    *step = a->count <= 1 ? 1 : a->step < 0 ? -a->step : a->step;
    *start = a->count == 0 ? 0 : a->step < 0 ? last : a->start;
    *limit = a->count == 0 ? 0 : (a->step < 0 ? a->start : last) + 1;
    if (!counted && a->step > 0)
        *limit = a->stop ? a->stop : a->count;
}

static void out_of_bounds(knn_index *p, int64_t at, int axis, int64_t extent)
{
    knx_text s = {0}, t = {0};
    kna_fail(p->op, KN_ERROR_INDEX, "index %s is out of bounds for axis %d with size %s", knx_dim_show(&s, at), axis,
             knx_dim_show(&t, extent));
}

/* The position that v names where it or the extent is an expression. False: whether it is inside is seen when the
 * function runs. */
static bool plan_symbolic_integer(knn_index *p, int64_t v, int axis, int64_t extent, knn_index_axis *a)
{
    int64_t at = v < 0 ? v + extent : v, lower, upper;
    knx_dim_bounds(knx_dim_sub(extent, at), &lower, &upper);
    bool inside = lower >= 1 && knx_dim_known_le(0, at);
    if (upper < 1 || (!knx_is_symbolic(at) && at < 0))
        out_of_bounds(p, v, axis, extent);
    *a = (knn_index_axis){.start = at, .count = 1, .step = 1, .dropped = true, .index = -1};
    return inside;
}

static void plan_integer(knn_index *p, const knl_bound *i, int axis, int64_t extent, knn_index_axis *a)
{
    if (i->value < -extent || i->value >= extent) {
        out_of_bounds(p, i->value, axis, extent);
        return;
    }
    int64_t start = i->value + (i->value < 0 ? extent : 0);
    *a = (knn_index_axis){.start = start, .count = 1, .step = 1, .operand = true, .dropped = true, .index = -1};
}

/* ---- Index arrays. */

kni_atom knl_wrap(kna_op *op, kni_atom index, int64_t extent)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (knb_type(b, index).dtype->kind == KN_KIND_UINT && knb_type(b, index).dtype != KN_DT(U64))
        return knb_astype(b, index, KN_DT(I64));
    bool is_unsigned = knb_type(b, index).dtype == KN_DT(U64);
    if (is_unsigned) /* what no int64 holds is out of bounds */
        index = knb_min(b, index, knb_integer(b, KN_DT(U64), INT64_MAX));
    index = knb_astype(b, index, KN_DT(I64));
    if (is_unsigned)
        return index;
    kni_atom from_end = knb_add(b, index, knl_number_of(op, KN_DT(I64), extent));
    return knb_select(b, knb_lt(b, index, knb_integer(b, KN_DT(I64), 0)), from_end, index);
}

static void add_index(knn_index *p, int axis, knn_index_array index)
{
    p->array[p->n_index] = index;
    p->axis[axis].index = p->n_index++;
}

static void add_number(knn_index *p, int axis, int64_t at, bool in_bounds)
{
    add_index(p, axis,
              (knn_index_array){
                  .atom = KN_ATOM_NONE, .number = at, .type = kni_scalar_type(KN_DT(I64)), .in_bounds = in_bounds});
}

/* Positions in a buffer, which is taken over. */
static void add_positions(knn_index *p, int axis, knx_buffer *buffer, int64_t n)
{
    kna_value *v = kna_value_buffer(kni_type_of(KN_DT(I64), 1, &n), buffer);
    if (!v) {
        kna_fail_with(p->op, knx_error_nomem());
        return;
    }
    add_index(
        p, axis,
        (knn_index_array){.atom = kna_value_atom(p->op, v), .type = v->type, .at = buffer->data, .in_bounds = true});
    kna_value_release(v);
}

knn_index_array knn_index_given(kna_op *op, kn_array index, int64_t extent, bool looks)
{
    knn_index_array a = {.given = index, .atom = KN_ATOM_NONE, .type = kna_type(op, index), .negative = true};
    if (!kna_failed(op) && op->b->hook && !knx_is_symbolic(extent) && !kna_has_batch_axes(index) &&
        ((looks && !kna_is_away(index)) || kna_is_there(index)))
        a.at = kna_look(op, index, &a.type);
    return a;
}

void knn_index_check(knn_index_array *a, int64_t extent)
{
    int given = knx_context()->threads, threads = given > 0 ? given : knx_threads_available();
    if (!a->given || !a->at)
        return;
    int64_t n = kni_type_size(a->type);
    a->negative = !knr_are_inside(a->type.dtype, a->at, n, extent, false, threads);
    a->in_bounds = !a->negative || (a->type.dtype->kind == KN_KIND_INT &&
                                    knr_are_inside(a->type.dtype, a->at, n, extent, true, threads));
}

void knn_index_refuse(kna_op *op, const knn_index_array *a, int axis, int64_t extent)
{
    const char *at = a->at;
    for (int64_t i = 0, n = kni_type_size(a->type); i < n; i++, at += a->type.dtype->size) {
        int64_t v = 0;
        knx_convert(a->type.dtype, at, KN_DT(I64), &v);
        if (v >= (a->type.dtype == KN_DT(U64) ? 0 : -extent) && v < extent)
            continue;
        kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)v, axis,
                 (long long)extent);
        return;
    }
}

/* A mask over `ndim` axes becomes that many arrays of positions, found by looking at its value. */
static void add_mask(knn_index *p, kn_array mask, int axis)
{
    kni_type t = kna_type(p->op, mask);
    for (int d = 0; d < t.ndim; d++)
        if (t.dim[d] != 0 && !knx_dim_eq(t.dim[d], p->dim[axis + d])) { /* as in NumPy, an extent of 0 goes with any */
            knx_text has = {0}, wants = {0};
            kna_fail(p->op, KN_ERROR_INDEX,
                     "boolean index did not match indexed array along axis %d; size of axis is %s but size of "
                     "corresponding boolean "
                     "axis is %s",
                     axis + d, knx_dim_show(&has, p->dim[axis + d]), knx_dim_show(&wants, t.dim[d]));
            return;
        }
    knr_found f;
    knx_buffer *buffer[KN_MAX_NDIM];
    if (!knn_find(p->op, mask, &t, &f))
        return;
    bool good = knn_found_columns(p->op, &f, t, buffer);
    for (int d = 0; good && d < t.ndim; d++)
        add_positions(p, axis + d, buffer[d], f.count);
    knr_found_end(&f);
}

/* ---- Planning: which item speaks of which axes. */

static bool is_mask(kni_type t) { return t.dtype->kind == KN_KIND_BOOL; }

static int axes_of(knn_index *p, const knl_item *item)
{
    if (item->kind == KNL_SLICE || item->kind == KNL_INTEGER)
        return 1;
    if (item->kind != KNL_ARRAY)
        return 0;
    kni_type t = kna_type(p->op, item->array);
    if (!kna_failed(p->op) && !is_mask(t) && !knx_is_integer(t.dtype))
        kna_fail(p->op, KN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
    return is_mask(t) ? t.ndim : 1;
}

/* Puts an ellipsis at the end if there is none, and says for how many axes it stands. */
static int settle_ellipsis(knn_index *p)
{
    int used = 0, at = -1;
    for (int i = 0; i < p->n_items; i++) {
        if (p->item[i].kind == KNL_ELLIPSIS && at >= 0)
            kna_fail(p->op, KN_ERROR_INDEX, "an index can only have a single ellipsis ('...')");
        if (p->item[i].kind == KNL_ELLIPSIS)
            at = i;
        used += axes_of(p, &p->item[i]);
    }
    if (!kna_failed(p->op) && used > p->ndim)
        kna_fail(p->op, KN_ERROR_INDEX, "too many indices for array: array is %d-dimensional, but %d were indexed",
                 p->ndim, used);
    p->scalar = p->n_items == p->ndim && used == p->ndim;
    for (int i = 0; i < p->n_items; i++)
        p->scalar = p->scalar && p->item[i].kind == KNL_INTEGER;
    if (at < 0)
        p->item[p->n_items++] = (knl_item){.kind = KNL_ELLIPSIS};
    return p->ndim - used;
}

/* A boolean scalar makes an axis of extent 1 that is read once or not at all: x gets that axis, in front of `axis`. */
static void add_scalar_mask(knn_index *p, kn_array mask, int axis)
{
    kni_type t;
    const unsigned char *bit = kna_look(p->op, mask, &t);
    knx_buffer *buffer = bit ? knx_buffer_new(sizeof(int64_t)) : NULL;
    if (!buffer) {
        kna_fail_with(p->op, bit ? knx_error_nomem() : NULL);
        return;
    }
    *(int64_t *)buffer->data = 0;
    if (p->ndim == KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_AXIS, "axis %d is out of bounds for array of dimension %d", axis, p->ndim + 1);
        knx_buffer_release(buffer);
        return;
    }
    memmove(&p->dim[axis + 1], &p->dim[axis], (size_t)(p->ndim++ - axis) * sizeof *p->dim);
    p->dim[axis] = 1;
    p->expanded[p->n_expanded++] = axis;
    p->axis[axis] = (knn_index_axis){.count = 1, .step = 1, .index = -1};
    add_positions(p, axis, buffer, *bit ? 1 : 0);
}

/* One item, at `axis` of x; returns the axis behind it. */
static int plan_item(knn_index *p, const knl_item *item, int axis, int ellipsis, bool arrays)
{
    int64_t extent = axis < p->ndim ? p->dim[axis] : 0;
    switch (item->kind) {
    case KNL_SLICE: knn_plan_slice(p, item, extent, &p->axis[axis]); return axis + 1;
    case KNL_INTEGER:
        if (knx_is_symbolic(extent) || knl_is_extent(item->start.value)) {
            bool inside = plan_symbolic_integer(p, item->start.value, axis, extent, &p->axis[axis]);
            if (!kna_failed(p->op) && (arrays || !inside)) {
                int64_t at = p->axis[axis].start;
                p->axis[axis] = (knn_index_axis){.count = extent, .step = 1};
                add_number(p, axis, at, inside);
            }
            return axis + 1;
        }
        plan_integer(p, &item->start, axis, extent, &p->axis[axis]);
        if (arrays && !kna_failed(p->op)) {
            add_number(p, axis, p->axis[axis].start, true);
            p->axis[axis].start = 0, p->axis[axis].count = extent;
            p->axis[axis].dropped = p->axis[axis].operand = false;
        }
        return axis + 1;
    case KNL_ELLIPSIS:
        for (int i = 0; i < ellipsis; i++)
            p->axis[axis + i] = (knn_index_axis){.count = p->dim[axis + i], .step = 1, .index = -1};
        return axis + ellipsis;
    case KNL_NEW_AXIS: return axis;
    case KNL_ARRAY: break;
    }
    kni_type t = kna_type(p->op, item->array);
    if (is_mask(t) && t.ndim == 0) {
        add_scalar_mask(p, item->array, axis);
        return axis + 1;
    }
    int n = is_mask(t) ? t.ndim : 1;
    for (int i = 0; i < n; i++)
        p->axis[axis + i] = (knn_index_axis){.count = p->dim[axis + i], .step = 1, .index = -1};
    if (is_mask(t))
        add_mask(p, item->array, axis);
    else
        add_index(p, axis, knn_index_given(p->op, item->array, extent, p->looks));
    return axis + n;
}

/* Where the axes of the result come from, in order; the points stand where the arrays stood, or first if something is
 * between them. */
static void plan_result(knn_index *p, int ellipsis)
{
    int gaps = 0, first = -1, n = 0, last_array = -2;
    for (int i = 0; i < p->n_items; i++) {
        const knl_item *item = &p->item[i];
        bool array = item->kind == KNL_ARRAY || (item->kind == KNL_INTEGER && p->n_index);
        if (item->kind == KNL_ELLIPSIS && ellipsis == 0 && i == p->n_items - 1)
            continue;
        if (array) {
            gaps += last_array >= 0 && last_array != i - 1;
            last_array = i;
            first = first < 0 ? n : first;
        }
        int more = item->kind == KNL_ELLIPSIS                              ? ellipsis
                   : item->kind == KNL_SLICE || item->kind == KNL_NEW_AXIS ? 1
                                                                           : 0;
        for (int j = 0; j < more && n < 2 * KN_MAX_NDIM; j++)
            p->is_new[n++] = item->kind == KNL_NEW_AXIS;
    }
    p->gap_at = gaps || first < 0 ? 0 : first;
    p->n_result = n;
}

static void broadcast_indices(knn_index *p)
{
    kn_shape *s = &p->points;
    for (int i = 0; i < p->n_index; i++) {
        kni_type t = p->array[i].type;
        for (int more = t.ndim - s->ndim; more > 0; more--) {
            memmove(s->dim + 1, s->dim, (size_t)s->ndim++ * sizeof *s->dim);
            s->dim[0] = 1;
        }
        for (int d = 0; d < t.ndim; d++) {
            int64_t *e = &s->dim[s->ndim - t.ndim + d];
            if (*e != 1 && t.dim[d] != 1 && !knx_dim_eq(*e, t.dim[d])) {
                knx_text all = {0};
                for (int j = 0; j < p->n_index; j++) {
                    kni_type u = p->array[j].type;
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

KNX_HOT bool knn_are_slices(knn_index *p, kni_type t, knn_slices *s)
{
    s->whole = true;
    s->steps = false;
    if (kna_failed(p->op) || !p->op->b->hook || p->n_items > t.ndim || knx_has_symbolic(t.ndim, t.dim))
        return false;
    for (int i = 0; i < t.ndim; i++) {
        knn_index_axis a = {.count = t.dim[i], .step = 1};
        if (i < p->n_items && p->item[i].kind != KNL_SLICE)
            return false;
        if (i < p->n_items)
            knn_plan_slice(p, &p->item[i], t.dim[i], &a);
        if (kna_failed(p->op) || a.step < 0 || a.operand)
            return false;
        p->axis[i] = a;
        p->axis[i].index = -1;
        knn_slice_of(&a, &s->start[i], &s->limit[i], &s->step[i]);
        s->whole = s->whole && s->start[i] == 0 && s->limit[i] == t.dim[i] && s->step[i] == 1;
        s->steps = s->steps || s->step[i] != 1;
    }
    return true;
}

/* The same as a plan. */
static KNX_HOT bool plan_slices(knn_index *p, kni_type t)
{
    p->sliced = t.ndim && knn_are_slices(p, t, &p->slices);
    for (int i = 0; p->sliced && i < t.ndim; i++)
        p->is_new[i] = false;
    p->n_result = t.ndim;
    p->gap_at = 0;
    p->scalar = false;
    return p->sliced;
}

KNX_HOT bool knn_plan_index(knn_index *p, kna_op *op, kni_type x, bool looks)
{
    p->op = op;
    p->looks = looks;
    p->ndim = x.ndim;
    p->n_index = p->n_expanded = p->points.ndim = 0;
    if (kna_failed(op) || plan_slices(p, x))
        return !kna_failed(op);
    int most = x.ndim + p->n_items; /* a mask of one element makes an axis */
    memset(p->axis, 0, (size_t)(most < KN_MAX_NDIM ? most : KN_MAX_NDIM) * sizeof p->axis[0]);
    for (int d = 0; d < x.ndim; d++)
        p->dim[d] = x.dim[d];
    int ellipsis = settle_ellipsis(p), axis = 0;
    bool arrays = false;
    for (int i = 0; i < p->n_items; i++)
        arrays = arrays || p->item[i].kind == KNL_ARRAY;
    for (int i = 0; i < p->n_items && !kna_failed(op); i++)
        axis = plan_item(p, &p->item[i], axis, ellipsis, arrays);
    if (!kna_failed(op))
        plan_result(p, ellipsis);
    if (!kna_failed(op))
        broadcast_indices(p);
    return !kna_failed(op);
}

KNX_HOT void knn_plan_axis(knn_index *p, kna_op *op, kni_type x, int axis, const knn_index_array *at)
{
    p->op = op;
    p->ndim = x.ndim;
    p->n_index = 1;
    p->n_expanded = 0;
    p->sliced = p->scalar = false;
    p->array[0] = *at;
    p->points.ndim = at->type.ndim;
    for (int d = 0; d < at->type.ndim; d++)
        p->points.dim[d] = at->type.dim[d];
    for (int d = 0; d < x.ndim; d++) {
        p->dim[d] = x.dim[d];
        p->axis[d] = (knn_index_axis){.count = x.dim[d], .step = 1, .index = d == axis ? 0 : -1};
        p->is_new[d] = false;
    }
    p->gap_at = axis;
    p->n_result = x.ndim - 1;
}
