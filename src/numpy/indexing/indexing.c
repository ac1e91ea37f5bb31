/* SPDX-License-Identifier: Apache-2.0
 * indexing.c -- x[index] with the whole of NumPy's grammar: see index_plan.h for the steps. Starts that are operands
 * are those of a dynamic_slice outside of traces, so that a loop over them compiles once; strides and reversals come
 * after it, since they depend on lengths alone. */
#include "array/element.h"
#include "numpy/indexing/found.h"
#include "numpy/indexing/index_plan.h"
#include "numpy/ufunc/ufunc.h"
#include <string.h>

/* ---- The basic part. */

/* The windows whose starts are operands. Outside of traces only: under a trace they are constants of the text. */
static void emit_windows(knn_index *p)
{
    kni_builder *b = p->op->b;
    kni_type t = knb_type(b, p->x);
    kni_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM];
    bool any = false;
    for (int i = 0; i < p->ndim; i++) {
        knn_index_axis *a = &p->axis[i];
        int64_t span = b->hook && a->count ? (a->count - 1) * (a->step < 0 ? -a->step : a->step) + 1 : 0;
        bool here = b->hook && a->operand && span && span < t.dim[i];
        int64_t low = a->start - (here && a->step < 0 ? span - 1 : 0);
        start[i] = here ? knl_number_of(p->op, KN_DT(I64), low) : KN_ATOM_NONE;
        size[i] = here ? span : t.dim[i];
        a->start -= here ? low : 0;
        any = any || here;
    }
    for (int i = 0; any && i < p->ndim; i++)
        start[i] = start[i] == KN_ATOM_NONE ? knb_integer(b, KN_DT(I64), 0) : start[i];
    if (any && !kna_failed(p->op))
        p->x = knb_dynamic_slice(b, p->x, start, size);
}

/* A slice from the end begins with its last element. Where it is not known that there is one, the axis is reversed
 * before. */
static void emit_reversals(knn_index *p)
{
    kni_type t = knb_type(p->op->b, p->x);
    int64_t back[KN_MAX_NDIM];
    int n = 0;
    for (int i = 0; i < p->ndim; i++) {
        knn_index_axis *a = &p->axis[i];
        if (a->step > 0 || !knx_is_symbolic(a->count) || knx_dim_taken_le(1, a->count))
            continue;
        a->start = knx_dim_sub(t.dim[i] - 1, a->start);
        a->stop = knx_dim_sub(t.dim[i] - 1, a->stop);
        a->step = -a->step;
        back[n++] = i;
    }
    if (n && !kna_failed(p->op))
        p->x = knb_rev(p->op->b, p->x, n, back);
}

static KNX_HOT void emit_basic(knn_index *p)
{
    kni_builder *b = p->op->b;
    emit_windows(p);
    emit_reversals(p);
    if (kna_failed(p->op))
        return;
    kni_type t = knb_type(b, p->x);
    int64_t start[KN_MAX_NDIM], limit[KN_MAX_NDIM], step[KN_MAX_NDIM], back[KN_MAX_NDIM], gone[KN_MAX_NDIM];
    int n_back = 0, n_gone = 0;
    bool whole = true, steps = false;
    for (int i = 0; i < p->ndim; i++) {
        const knn_index_axis *a = &p->axis[i];
        knn_slice_of(a, &start[i], &limit[i], &step[i]);
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

/* The view of x that they are; NULL: the long way. */
static KNX_HOT kn_array sliced(kna_op *op, kn_array x, kni_type t, const knn_slices *s)
{
    const kni_p_slice p = {{t.ndim, s->limit}, {t.ndim, s->start}, {s->steps ? t.ndim : 0, s->steps ? s->step : NULL}};
    return s->whole ? NULL : kna_end_slice(op, x, &p);
}

/* Positions of an axis as int64, none of them negative. Outside of traces they are checked now if writes have to know,
 * since a program that can fail writes nothing in place. */
static kni_atom positions(knn_index *p, int axis)
{
    knn_index_array *a = &p->array[p->axis[axis].index];
    int64_t extent = p->dim[axis];
    if (a->atom != KN_ATOM_NONE)
        return a->atom;
    if (!a->given)
        return knl_number_of(p->op, KN_DT(I64), a->number);
    knn_index_check(a, extent);
    if (p->looks && a->at && !a->in_bounds)
        knn_index_refuse(p->op, a, axis, extent);
    kni_atom at = kna_in(p->op, a->given);
    return a->negative ? knl_wrap(p->op, at, extent) : knb_astype(p->op->b, at, KN_DT(I64));
}

KNX_HOT bool knn_index_begin(knn_index *p, kni_atom x)
{
    kni_builder *b = p->op->b;
    p->x = x;
    if (kna_failed(p->op))
        return false;
    if (p->sliced) {
        const knn_slices *s = &p->slices;
        p->x = s->whole ? x : knb_slice(b, x, s->start, s->limit, s->steps ? s->step : NULL);
        return !kna_failed(p->op);
    } /* then all extents are numbers */
    for (int i = 0; i < p->n_expanded; i++)
        p->x = knb_expand_dims(b, p->x, p->expanded[i]);
    for (int d = 0; d < p->ndim && !kna_failed(p->op); d++)
        if (p->axis[d].index >= 0)
            p->array[p->axis[d].index].atom = positions(p, d);
    if (!kna_failed(p->op))
        emit_basic(p);
    for (int d = 0, i = 0; d < p->ndim && !kna_failed(p->op); d++) /* as the slices say it */
        if (!p->axis[d].dropped)
            p->axis[d].count = knb_type(b, p->x).dim[i++];
    return !kna_failed(p->op);
}

KNX_HOT bool knn_index_element(const knn_index *p, kni_type x, int64_t *at)
{
    if (p->n_items != x.ndim)
        return false;
    for (int i = 0; i < x.ndim; i++) {
        int64_t v = p->item[i].start.value, extent = x.dim[i];
        if (p->item[i].kind != KNL_INTEGER || knx_is_symbolic(extent) || knl_is_extent(v) || v < -extent || v >= extent)
            return false;
        at[i] = v < 0 ? v + extent : v;
    }
    return true;
}

/* ---- The arrays. */

/* All index arrays side by side along a new last axis. */
static kni_atom index_vectors(knn_index *p)
{
    kni_builder *b = p->op->b;
    kn_shape one = p->points;
    if (one.ndim == KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
        return KN_ATOM_NONE;
    }
    one.dim[one.ndim++] = 1;
    kni_atom column[KN_MAX_NDIM];
    for (int i = 0; i < p->n_index; i++) {
        kni_atom full = knb_broadcast_to(b, p->array[i].atom, knl_shaped(KN_DT(I64), &p->points));
        column[i] = knb_reshape(b, full, one.ndim, one.dim);
    }
    return p->n_index == 1 ? column[0] : knb_concatenate(b, p->n_index, column, p->points.ndim);
}

typedef struct gather_lists {
    int64_t offset[KN_MAX_NDIM], collapsed[KN_MAX_NDIM], map[KN_MAX_NDIM], size[KN_MAX_NDIM];
} gather_lists;

int knn_axes_before(const knn_index *p)
{
    int before = 0;
    for (int i = 0; i < p->gap_at; i++)
        before += !p->is_new[i];
    return before;
}

static kni_p_gather describe(const knn_index *p, gather_lists *l)
{
    int n_offset = 0, n_collapsed = 0, before = knn_axes_before(p);
    bool in_bounds = true;
    kni_type t = knb_type(p->op->b, p->x);
    for (int i = 0; i < p->ndim; i++) {
        int k = p->axis[i].index;
        l->size[i] = k < 0 ? t.dim[i] : t.dim[i] ? 1 : 0;
        if (k >= 0) {
            l->collapsed[n_collapsed++] = i;
            l->map[k] = i;
            in_bounds = in_bounds && p->array[k].in_bounds;
        } else {
            l->offset[n_offset] = n_offset + (n_offset >= before ? p->points.ndim : 0);
            n_offset++;
        }
    }
    return (kni_p_gather){.offset_dims = {n_offset, l->offset},
                          .collapsed_slice_dims = {n_collapsed, l->collapsed},
                          .start_index_map = {p->n_index, l->map},
                          .slice_sizes = {p->ndim, l->size},
                          .mode = in_bounds ? KN_GATHER_PROMISE : KN_GATHER_CHECK};
}

/* ---- The result. */

/* Its shape without the new axes. */
static void shape_of_elements(const knn_index *p, kn_shape *s)
{
    int before = knn_axes_before(p);
    bool placed = !p->n_index;
    s->ndim = 0;
    for (int i = 0, rest = 0; i <= p->ndim; i++) {
        bool stays = i < p->ndim && p->axis[i].index < 0 && !p->axis[i].dropped;
        for (int j = 0; !placed && rest == before && (stays || i == p->ndim) && j < p->points.ndim; j++)
            s->dim[s->ndim++] = p->points.dim[j];
        placed = placed || (rest == before && stays);
        rest += stays;
        if (stays)
            s->dim[s->ndim++] = p->axis[i].count;
    }
}

/* The whole shape; is_new tells its axes from None. */
static void whole_shape(const knn_index *p, kn_shape *whole, bool *is_new)
{
    kn_shape s = {0};
    int points = p->n_index ? p->points.ndim : 0;
    whole->ndim = 0;
    if (p->n_result + points > KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_INDEX, "number of dimensions must be within [0, %d], indexing result would have %d",
                 KN_MAX_NDIM, p->n_result + points);
        return;
    }
    shape_of_elements(p, &s);
    for (int i = 0, old = 0; i <= p->n_result; i++) {
        for (int j = 0; i == p->gap_at && j < points; j++) {
            is_new[whole->ndim] = false;
            whole->dim[whole->ndim++] = s.dim[old++];
        }
        if (i == p->n_result)
            break;
        is_new[whole->ndim] = p->is_new[i];
        whole->dim[whole->ndim++] = p->is_new[i] ? 1 : s.dim[old++];
    }
}

void knn_index_shape(knn_index *p, kn_shape *shape)
{
    bool is_new[KN_MAX_NDIM];
    whole_shape(p, shape, is_new);
}

static KNX_HOT kni_atom with_new_axes(knn_index *p, kni_atom a)
{
    bool is_new[KN_MAX_NDIM], any = p->n_index > 0; /* else no axis is added but the new ones */
    for (int i = 0; i < p->n_result; i++)
        any = any || p->is_new[i];
    if (!any)
        return a;
    kn_shape whole;
    whole_shape(p, &whole, is_new);
    any = false;
    for (int i = 0; i < whole.ndim; i++)
        any = any || is_new[i];
    return any ? knl_insert_axes(p->op, a, &whole, is_new) : a;
}

KNX_HOT kni_atom knn_index_read(knn_index *p)
{
    gather_lists lists;
    if (!p->n_index || kna_failed(p->op))
        return with_new_axes(p, p->x);
    kni_p_gather g = describe(p, &lists);
    return with_new_axes(p, knb_gather(p->op->b, p->x, index_vectors(p), &g));
}

KNX_HOT kni_atom knn_index_write(knn_index *p, knn_scatter put, bool check, kni_atom v, kni_atom *place)
{
    gather_lists lists;
    if (!p->n_index || kna_failed(p->op)) {
        *place = with_new_axes(p, p->x);
        return v;
    }
    kni_p_gather g = describe(p, &lists);
    kni_p_scatter q = {.update_window_dims = g.offset_dims,
                       .inserted_window_dims = g.collapsed_slice_dims,
                       .scatter_dims_to_operand_dims = g.start_index_map,
                       .mode = check ? g.mode : KN_GATHER_PROMISE};
    kn_shape elements;
    shape_of_elements(p, &elements);
    *place = p->x;
    return (put ? put : knb_scatter)(p->op->b, p->x, index_vectors(p), knl_reshape(p->op, v, &elements), &q);
}

/* ---- f of elements that an index may name more than once. */

/* The axes of the elements, those of the points first. */
static void points_first(const knn_index *p, int ndim, int64_t *permutation)
{
    int before = knn_axes_before(p), n = 0;
    for (int i = 0; i < p->points.ndim; i++)
        permutation[n++] = before + i;
    for (int i = 0; i < ndim; i++)
        if (i < before || i >= before + p->points.ndim)
            permutation[n++] = i;
}

/* x, a point, v there -> x with f of its elements there, in dtype d, and v, converted; v: NULL for one argument */
static kni_jaxpr *fold_point(knn_index *p, const kni_p_gather *g, kn_ufunc f, kn_dtype d, kni_type point,
                             const kni_type *v)
{
    kni_builder b;
    knb_init(&b);
    kni_type t = knb_type(p->op->b, p->x);
    kni_atom x = knb_invar(&b, t), at = knb_invar(&b, point), pair[2], y;
    kni_p_scatter q = {.update_window_dims = g->offset_dims,
                       .inserted_window_dims = g->collapsed_slice_dims,
                       .scatter_dims_to_operand_dims = g->start_index_map,
                       .mode = KN_GATHER_PROMISE}; /* the reading has seen to it */
    if (v)
        pair[1] = knb_invar(&b, *v);
    pair[0] = knb_astype(&b, knb_gather(&b, x, at, g), d);
    y = knn_formula(p->op, &b, f, v ? 2 : 1, pair);
    if (!kna_failed(p->op))
        y = knb_scatter(&b, x, at, knb_astype(&b, y, t.dtype), &q);
    kni_jaxpr *body = knb_finish_for(p->op->b, &b, 1, &y);
    return body;
}

kni_atom knn_index_fold(knn_index *p, kn_ufunc f, kn_dtype d, kni_atom v)
{
    kni_builder *b = p->op->b;
    bool two = v != KN_ATOM_NONE;
    gather_lists lists;
    kn_shape elements, rows;
    shape_of_elements(p, &elements);
    int64_t permutation[KN_MAX_NDIM];
    kni_p_gather g = describe(p, &lists);
    points_first(p, elements.ndim, permutation);
    if (two)
        v = knb_transpose(b, knl_reshape(p->op, v, &elements), permutation);
    rows.ndim = 0;
    rows.dim[rows.ndim++] = knx_dim_size(p->points.ndim, p->points.dim);
    for (int i = p->points.ndim; i < elements.ndim; i++) {
        lists.offset[i - p->points.ndim] = i - p->points.ndim; /* a point alone: its window has all axes */
        rows.dim[rows.ndim++] = elements.dim[permutation[i]];
    }
    if (two)
        v = knl_reshape(p->op, v, &rows);
    kni_atom at = knb_reshape(b, index_vectors(p), 2, (int64_t[]){rows.dim[0], p->n_index}), y = KN_ATOM_NONE;
    if (kna_failed(p->op))
        return y;
    kni_type point = {.dtype = KN_DT(I64), .ndim = 1, .dim = (int64_t[]){p->n_index}}, part = point;
    if (two) {
        part = knb_type(b, v);
        part.ndim--;
        part.dim++;
    }
    kni_jaxpr *body = fold_point(p, &g, f, d, point, two ? &part : NULL);
    if (body && !kna_failed(p->op))
        knb_scan(b, &(kni_p_scan){.jaxpr = body, .length = rows.dim[0], .num_carry = 1, .unroll = 1},
                 (kni_atom[]){p->x, at, v}, &y);
    kni_release(body);
    return y;
}

/* Is the index one mask over the first axes of x, whose type is t, and no more? */
static bool is_mask_of_first(knn_index *p, kni_type t)
{
    bool one = p->n_items == 1 || (p->n_items == 2 && p->item[1].kind == KNL_ELLIPSIS);
    if (!one || p->item[0].kind != KNL_ARRAY || kna_failed(p->op))
        return false;
    kni_type m = kna_type(p->op, p->item[0].array);
    bool fits = !kna_failed(p->op) && m.dtype->kind == KN_KIND_BOOL && m.ndim > 0 && m.ndim <= t.ndim;
    for (int d = 0; fits && d < m.ndim; d++)
        fits = m.dim[d] == t.dim[d];
    return fits;
}

/* The view of x, of type t, if the index does nothing but turn axes round; NULL: the ordinary path. */
static kn_array reversed_at_once(const knn_index *p, kn_array x, kni_type t)
{
    int64_t back[KN_MAX_NDIM];
    int n = 0;
    bool plain = p->op->b->hook && !p->n_index && !p->n_expanded && p->n_result == t.ndim;
    for (int i = 0; plain && i < t.ndim; i++) {
        const knn_index_axis *a = &p->axis[i];
        bool turns = a->step == -1 && a->count > 1;
        plain = a->count == t.dim[i] && !a->dropped && !p->is_new[i] && (turns || a->step == 1);
        if (turns)
            back[n++] = i;
    }
    return plain && n ? kna_end_step(p->op, x, &knp_prim_rev, &(kni_p_dims){{n, back}}, t) : NULL;
}

KNX_HOT kn_array kn_at(kn_array x, const char *index, int n, const kn_index_arg *args)
{
    kna_op op;
    knn_index p;
    int64_t at[KN_MAX_NDIM];
    kna_begin(&op, "at");
    kni_type t = kna_type(&op, x);
    p.n_items = kna_failed(&op) ? 0 : knl_parse_index(&op, index, n, args, p.item);
    const void *element = !kna_failed(&op) && knn_index_element(&p, t, at) ? kna_element(x, at) : NULL;
    if (element)
        return kna_end_element(&op, t.dtype, element);
    p.op = &op;
    kn_array view = knn_are_slices(&p, t, &p.slices) ? sliced(&op, x, t, &p.slices) : NULL;
    if (view)
        return view;
    if (op.b->hook && !kna_has_lift(x) && is_mask_of_first(&p, t)) { /* no positions are needed: all is looked at */
        int64_t dim[KN_MAX_NDIM];
        knx_buffer *buffer = knn_found_elements(&op, x, p.item[0].array, &t, dim);
        return kna_failed(&op) ? kna_end(&op, KN_ATOM_NONE) : kna_from_buffer(&op, t, buffer);
    }
    if (!knn_plan_index(&p, &op, t, false))
        return kna_end(&op, KN_ATOM_NONE);
    kn_array back = reversed_at_once(&p, x, t);
    if (back)
        return back;
    knx_buffer *few = p.n_index ? knn_few_read(&p, x, &t, at) : NULL;
    if (few)
        return kna_from_buffer(&op, t, few);
    kni_atom a = kna_in(&op, x);
    if (!knn_index_begin(&p, a))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom y = knn_index_read(&p);
    return p.n_index || p.scalar ? kna_end(&op, y) : kna_end_view(&op, x, a, y);
}
