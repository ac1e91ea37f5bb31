/* SPDX-License-Identifier: Apache-2.0
 * few.c -- few elements of an array in memory, by positions that are there: read and written at once by the routines
 * that a plan would run. Recording, cutting and finding the plan cost ten times what the elements do. */
#include "array/element.h"
#include "array/scalars.h"
#include "array/state.h"
#include "numpy/indexing/index_plan.h"
#include "host/routine/windows_walk.h"
#include <string.h>

enum { FEW = 4096 }; /* elements: what has more is worth a plan, which may join it with what it is used for */

typedef struct few {
    knr_windows w;
    int64_t first; /* element of the array where the windows of start 0 begin */
    const void *indices;
    knx_buffer *starts; /* where they are made of the given ones; else NULL */
    bool as_given;      /* and not looked at yet */
} few;

static int axis_of(const knn_index *p, int k)
{
    int d = 0;
    while (p->axis[d].index != k)
        d++;
    return d;
}

/* Are n elements few, still, where each becomes `count`? That may be an expression, and large. */
static bool grows(int64_t *n, int64_t count)
{
    if (knx_is_symbolic(count) || count > FEW)
        return false;
    *n *= count;
    return *n <= FEW;
}

/* Is the index one that can be read here, and how many elements are there? -1: no. */
static int64_t count(const knn_index *p)
{
    bool plain =
        p->op->b->hook && !knx_context()->watched && p->n_index && !p->n_expanded && !knx_has_symbolic(p->ndim, p->dim);
    int64_t n = 1;
    for (int i = 0; i < p->n_index; i++) {
        const knn_index_array *a = &p->array[i];
        plain = plain && (a->at || (!a->given && !knx_is_symbolic(a->number)));
    }
    for (int d = 0; d < p->points.ndim && plain; d++)
        plain = grows(&n, p->points.dim[d]);
    for (int d = 0; d < p->ndim && plain; d++)
        plain = p->axis[d].index >= 0 || grows(&n, p->axis[d].count);
    return plain ? n : -1;
}

/* ---- Starts. */

/* One position for all points is a part of where their windows begin. */
static bool is_one(const knn_index_array *a) { return kni_type_size(a->type) == 1; }

/* Index array k, spread over the points. */
static bool add_starts(const knn_index *p, int k, int64_t stride, int64_t *to)
{
    const knn_index_array *a = &p->array[k];
    int64_t step[KN_MAX_NDIM], at[KN_MAX_NDIM], from = 0, below = 1;
    int n = p->points.ndim > 0 ? p->points.ndim : 0, missing = n - a->type.ndim, inner = n - 1;
    bool inside = true;
    step[0] = 0;
    for (int d = n; d-- > 0;) {
        int64_t here = d < missing ? 1 : a->type.dim[d - missing];
        step[d] = here == 1 ? 0 : below;
        below *= here;
        at[d] = 0;
    }
    int64_t line_step = step[n ? inner : 0], line = n ? p->points.dim[inner] : 1;
    for (; inner > 0 && step[inner - 1] == step[inner] * p->points.dim[inner]; inner--)
        line *= p->points.dim[inner - 1]; /* the line goes on */
    for (int d = 0; d >= 0; to += line) {
        const char *positions = (const char *)a->at + from * a->type.dtype->size;
        inside = knr_places(a->type.dtype, positions, line_step, line, p->dim[axis_of(p, k)], stride, to) && inside;
        for (d = inner - 1; d >= 0; d--) {
            from += step[d];
            if (++at[d] < p->points.dim[d])
                break;
            from -= step[d] * at[d];
            at[d] = 0;
        }
    }
    return inside;
}

/* The starts of all points as numbers of elements. Where an axis lies backwards they are counted from its last element.
 * False: some are out of bounds, or there is no memory. */
static bool make_starts(few *f, const knn_index *p, const kna_lying *x)
{
    int64_t low = 0, most = 0, n = f->w.point[0];
    f->starts = knx_buffer_new((uint64_t)n * sizeof(int64_t));
    int64_t *to = f->starts ? f->starts->data : NULL;
    bool inside = to != NULL;
    f->indices = to;
    if (to)
        memset(to, 0, (size_t)n * sizeof *to);
    for (int k = 0; k < p->n_index && inside && n; k++) {
        int d = axis_of(p, k);
        int64_t reach = (p->dim[d] - 1) * x->stride[d];
        if (is_one(&p->array[k]))
            continue;
        *(reach < 0 ? &low : &most) += reach;
        inside = add_starts(p, k, x->stride[d], to);
    }
    for (int64_t i = 0; low && inside && i < n; i++)
        to[i] -= low;
    f->first += low;
    f->w.index_dtype = KN_DT(I64);
    f->w.index_table[0] = 1;
    f->w.index_most[0] = f->w.index_size[0] = most - low;
    f->w.wraps = false;
    return inside;
}

/* ---- The windows of a planned index, in an array that lies like this. */

static void describe_windows(few *f, const knn_index *p, const kna_lying *x)
{
    knr_windows *w = &f->w;
    int before = knn_axes_before(p), i = w->n_window = p->ndim - p->n_index;
    int64_t step = 1, points = knr_elements(p->points.ndim, p->points.dim);
    w->n_point = 1;
    w->point[0] = points;
    w->point_table[0] = 0;
    for (int d = p->ndim; d-- > 0;) {
        const knn_index_axis *a = &p->axis[d];
        if (a->index >= 0)
            continue;
        if (i-- == before) {
            w->point_dense[0] = step;
            step *= points;
        }
        w->window[i] = a->count;
        w->window_dense[i] = step;
        w->window_table[i] = x->stride[d] * a->step;
        f->first += x->stride[d] * a->start;
        step *= a->count;
    }
    if (i == before)
        w->point_dense[0] = step;
    w->windows_last = !before;
    w->may_cross = false;
}

/* False: as above. */
static bool describe(few *f, const knn_index *p, const kna_lying *x)
{
    int many = 0, which = 0;
    f->first = 0;
    f->starts = NULL;
    f->as_given = false;
    f->w.dtype = x->type.dtype;
    f->w.mode = KNR_OUT_ERROR;
    f->w.fill = (knx_scalar_bits){.u = {0}};
    f->w.n_index = 1;
    describe_windows(f, p, x);
    for (int k = 0; k < p->n_index; k++) {
        const knn_index_array *a = &p->array[k];
        int64_t at = 0;
        int d = axis_of(p, k);
        if (!is_one(a)) {
            many++;
            which = k;
        } else if (!knr_places(a->type.dtype, a->at ? a->at : &a->number, 1, 1, p->dim[d], x->stride[d], &at))
            return false;
        f->first += at;
    }
    const knn_index_array *a = &p->array[which];
    int d = axis_of(p, which);
    if (many != 1 || x->stride[d] < 0 || kni_type_size(a->type) != f->w.point[0])
        return make_starts(f, p, x);
    f->indices = a->at;
    f->as_given = true;
    f->w.index_dtype = a->type.dtype;
    f->w.index_table[0] = x->stride[d];
    f->w.index_most[0] = p->dim[d] - 1;
    f->w.index_size[0] = p->dim[d];
    f->w.index_axis[0] = d;
    f->w.wraps = a->type.dtype->kind == KN_KIND_INT;
    return true;
}

/* ---- Reading. */

knx_buffer *knn_few_read(knn_index *p, kn_array x, kni_type *t, int64_t dim[KN_MAX_NDIM])
{
    few f;
    kna_lying l;
    kn_shape shape;
    int64_t n = count(p);
    if (n < 0 || !kna_lies(x, &l))
        return NULL;
    knn_index_shape(p, &shape);
    knx_buffer *b = kna_failed(p->op) ? NULL : knx_buffer_new((uint64_t)n * l.type.dtype->size);
    if (!b)
        return NULL;
    knx_error *error = NULL; /* the ordinary path says what is out of bounds */
    bool good = describe(&f, p, &l);
    if (good)
        error = knr_gather(&f.w, l.first + f.first * l.type.dtype->size, f.indices, b->data, 1);
    knx_buffer_release(f.starts);
    if (!good || error) {
        knx_error_release(error);
        knx_buffer_release(b);
        return NULL;
    }
    for (int d = 0; d < shape.ndim; d++)
        dim[d] = shape.dim[d];
    *t = kni_type_of(l.type.dtype, shape.ndim, dim);
    return b;
}

/* ---- Writing. */

typedef struct updates {
    const knn_index *index;
    knr_combine how;
    const knx_buffer *buffer; /* where they lie */
    const void *at;
} updates;

static bool lies_in(const knx_buffer *b, const void *at) { return (uintptr_t)at - (uintptr_t)b->data < b->bytes; }

/* Nothing that is read on the way is written to. */
static bool write_few(const void *env, const kna_lying *to)
{
    const updates *u = env;
    few f;
    bool apart = u->buffer != to->buffer;
    for (int k = 0; k < u->index->n_index; k++)
        apart = apart && !lies_in(to->buffer, u->index->array[k].at);
    if (!apart)
        return false;
    bool good = describe(&f, u->index, to);
    if (good && f.as_given)
        good = knr_are_inside(f.w.index_dtype, f.indices, f.w.point[0], f.w.index_size[0], f.w.wraps, 1);
    f.w.mode = KNR_OUT_SKIP; /* there are none */
    knx_error *error = NULL;
    if (good)
        error = knr_scatter(&f.w, u->how, to->first + f.first * to->type.dtype->size, f.indices, u->at, NULL, 1);
    knx_buffer_release(f.starts);
    knx_error_release(error);
    return good && !error;
}

/* The same bits n times. */
static knx_buffer *repeated(const void *bits, int64_t n, int size)
{
    knx_buffer *b = knx_buffer_new((uint64_t)n * (uint64_t)size);
    if (b)
        knr_copy_line(size, b->data, 1, bits, 0, n);
    return b;
}

/* v as it lies, if nothing has to be spread or converted. */
static bool lies_ready(knn_index *p, kn_array v, kni_type t, kn_dtype d, kna_lying *l)
{
    kn_shape shape;
    if (t.dtype != d || !kna_lies(v, l) || !kna_lies_in_order(l))
        return false;
    knn_index_shape(p, &shape);
    return !kna_failed(p->op) && t.ndim == shape.ndim && memcmp(t.dim, shape.dim, (size_t)t.ndim * sizeof *t.dim) == 0;
}

bool knn_few_write(knn_index *p, kn_array x, kn_array v, knr_combine how)
{
    kna_lying l;
    knx_scalar_bits room;
    int64_t n = count(p);
    kn_dtype d = kna_type(p->op, x).dtype;
    kni_type t = kna_type(p->op, v);
    updates u = {p, how, NULL, NULL};
    if (n < 0 || kna_failed(p->op))
        return false;
    const void *bits = t.ndim ? NULL : kna_scalar_there(p->op, v, d, &room);
    knx_buffer *own = bits ? repeated(bits, n, d->size) : NULL;
    if (own)
        u.at = own->data;
    else if (t.ndim && lies_ready(p, v, t, d, &l)) {
        u.at = l.first;
        u.buffer = l.buffer;
    }
    bool written = u.at && kna_write_here(p->op, x, write_few, &u);
    knx_buffer_release(own);
    return written;
}

/* The old elements are in a buffer of their own, so is what became of them. */
bool knn_few_put(knn_index *p, kn_array x, kni_atom y)
{
    kna_value *v = kna_failed(p->op) ? NULL : kna_atom_value(p->op, y);
    knx_error *error = v ? kna_force_here(1, &v) : NULL; /* the ordinary path meets it again */
    bool written = v && !error && v->state == KN_V_BUFFER &&
                   kna_write_here(p->op, x, write_few, &(updates){p, KNR_SET, v->buffer, v->buffer->data});
    knx_error_release(error);
    kna_value_release(v);
    return written;
}
