/* SPDX-License-Identifier: Apache-2.0
 * unique.c -- unique elements. The elements are sorted by Kiln; where others begin is looked at. Outside of traces
 * those are taken by a mask where nobody asks for positions, else by a gather, so that derivatives go through. */
#include "array/element.h"
#include "lib/compose.h"
#include "lib/kept.h"
#include "numpy/indexing/found.h"
#include <string.h>

/* Elements in order, and what was found out about them. Indices are of the elements or slices before sorting. */
typedef struct sorted {
    int64_t n, unique;
    kn_array begins;      /* elements: whether another value begins at each place; NULL: slices */
    kn_array places;      /* the places where other values begin; NULL: nobody asks */
    const int64_t *first; /* the same */
    const int64_t *from;  /* n: where the element at each place of the order comes from; NULL: nobody asks */
    int64_t *room[2];     /* of slices */
} sorted;

static void drop(sorted *s)
{
    knx_free(s->room[0]);
    knx_free(s->room[1]);
}

/* ---- Elements. */

static bool is_nan(kn_dtype d, const void *p)
{
    kn_c128 z = {0, 0};
    if (!knx_is_inexact(d))
        return false;
    knx_convert(d, p, KN_DT(C128), &z);
    return z.re != z.re || z.im != z.im;
}

/* Whether another value begins at each place of the vector, which is in order. */
static kn_array beginnings(const kn_array *x, const void *equal_nan)
{
    kn_array values = *x;
    int64_t n = kn_size(values);
    kn_array before = knl_part("", values, 0, 0, n ? n - 1 : 0), behind = knl_part("", values, 0, n ? 1 : 0, n);
    kn_array differ = kn_not_equal(before, behind);
    if (*(const bool *)equal_nan && knx_is_inexact(kn_dtype_of(values)))
        differ = kn_logical_and(differ, kn_logical_or(kn_equal(before, before), kn_equal(behind, behind)));
    kn_shape one = {1, {n ? 1 : 0}};
    const kn_array parts[] = {kn_astype(kn_ones(&one, NULL), KN_DT(BOOL), NULL), differ};
    return kn_concatenate(kn_list_from(parts, 2), NULL);
}

static kn_array in_order(const kn_array *x, const void *options)
{
    kna_op op;
    (void)options;
    kna_begin(&op, "unique");
    kni_atom a = knl_flatten(&op, kna_in(&op, *x)), y = KN_ATOM_NONE;
    if (!kna_failed(&op))
        knl_sort(&op, 1, &a, 0, 1, &y);
    return kna_end(&op, y);
}

/* The sorted elements of the flattened x, with `order` where they come from, with `places` where others begin. */
static kn_array sort_elements(knl_body *c, kn_array x, bool equal_nan, bool order, bool places, sorted *s)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, x);
    if (kna_failed(op))
        return NULL;
    s->n = kni_type_size(t);
    if (knl_not_a_number(op, "unique", t.dtype))
        return NULL;
    kn_array from = NULL, values;
    if (order) {
        kni_atom a = knl_flatten(op, kna_in(op, x)), positions = knl_argsort(op, 1, &a, 0);
        values = knl_made(c, knl_take_axis(op, a, positions, 0, KN_GATHER_PROMISE));
        from = knl_made(c, positions);
    } else {
        values = knl_kept(&(knl_call){.name = "unique", .f = in_order, .n = 1, .x = &x});
    }
    /* what others are made of is looked at first, so that it is there and made once */
    s->from = from && !kna_failed(op) ? kna_look(op, from, &t) : NULL;
    if (!kna_failed(op))
        kna_look(op, values, &t);
    const knl_call begins = {"unique", beginnings, 1, &values, &equal_nan, sizeof equal_nan};
    s->begins = kna_failed(op) ? NULL : knl_kept(&begins);
    if (places && !kna_failed(op)) {
        s->places = kn_flatnonzero(s->begins);
        s->first = kna_look(op, s->places, &t);
        s->unique = s->first ? t.dim[0] : 0;
    }
    return kna_failed(op) ? NULL : values;
}

/* ---- Slices along an axis: compared element by element, real part first, NaN last. */

typedef struct slices {
    kn_dtype d;
    const char *data;
    size_t bytes;
    int64_t n, size; /* of one slice */
} slices;

static int order_of_parts(double a, double b)
{
    bool p = a != a, q = b != b;
    return p || q ? p - q : (a > b) - (a < b);
}

static int compare(const slices *s, int64_t i, int64_t j)
{
    const char *p = s->data + (size_t)i * s->bytes, *q = s->data + (size_t)j * s->bytes;
    for (int64_t k = 0; k < s->size; k++, p += s->d->size, q += s->d->size) {
        int r = 0;
        if (s->d->kind == KN_KIND_UINT || s->d->kind == KN_KIND_INT || s->d->kind == KN_KIND_BOOL) {
            int64_t u, v;
            bool is_unsigned = s->d->kind == KN_KIND_UINT;
            knx_convert(s->d, p, is_unsigned ? KN_DT(U64) : KN_DT(I64), &u);
            knx_convert(s->d, q, is_unsigned ? KN_DT(U64) : KN_DT(I64), &v);
            r = is_unsigned ? ((uint64_t)u > (uint64_t)v) - ((uint64_t)u < (uint64_t)v) : (u > v) - (u < v);
        } else {
            kn_c128 u, v;
            knx_convert(s->d, p, KN_DT(C128), &u);
            knx_convert(s->d, q, KN_DT(C128), &v);
            r = order_of_parts(u.re, v.re);
            r = r ? r : order_of_parts(u.im, v.im);
        }
        if (r)
            return r;
    }
    return 0;
}

/* Stable, by merging runs that double in length. */
static void merge_sort(const slices *s, int64_t *at, int64_t *scratch)
{
    for (int64_t run = 1; run < s->n; run *= 2) {
        for (int64_t low = 0; low < s->n; low += 2 * run) {
            int64_t i = low, middle = low + run < s->n ? low + run : s->n, j = middle;
            int64_t high = low + 2 * run < s->n ? low + 2 * run : s->n;
            for (int64_t k = low; k < high; k++)
                scratch[k] = j >= high || (i < middle && compare(s, at[i], at[j]) <= 0) ? at[i++] : at[j++];
        }
        memcpy(at, scratch, (size_t)s->n * sizeof *at);
    }
}

/* NaN is unlike everything, as a field of a structure is. */
static bool holds_nan(const slices *s, int64_t i)
{
    for (int64_t k = 0; k < s->size; k++)
        if (is_nan(s->d, s->data + (size_t)i * s->bytes + (size_t)k * s->d->size))
            return true;
    return false;
}

/* x with the axis in front; its order is looked at. */
static kn_array sort_slices(knl_body *c, kn_array x, int axis, sorted *s)
{
    kna_op *op = &c->op;
    kni_atom a = kna_in(op, x);
    if (kna_failed(op))
        return NULL;
    kn_array front = knl_made(c, knb_move_axis(op->b, a, axis, 0));
    kni_type t = kna_type(op, front);
    slices all = {.d = t.dtype, .data = kna_look(op, front, &t)};
    if (kna_failed(op) || knl_not_a_number(op, "unique", t.dtype))
        return NULL;
    s->n = all.n = t.dim[0];
    int64_t *from = s->room[0] = knl_integer_room(op, all.n), *first = s->room[1] = knl_integer_room(op, all.n);
    if (kna_failed(op))
        return NULL;
    all.size = 1;
    for (int i = 1; i < t.ndim; i++)
        all.size *= t.dim[i];
    all.bytes = (size_t)all.size * t.dtype->size;
    for (int64_t i = 0; i < all.n; i++)
        from[i] = i;
    merge_sort(&all, from, first);
    for (int64_t i = 0; i < all.n; i++)
        if (!i || compare(&all, from[i - 1], from[i]) != 0 || holds_nan(&all, from[i]))
            first[s->unique++] = i;
    s->from = from;
    s->first = first;
    return front;
}

/* ---- Results. */

/* Room for integers; NULL: the operation failed. */
static knx_buffer *room(kna_op *op, int ndim, const int64_t *dim)
{
    kni_type t = kni_type_of(KN_DT(I64), ndim, dim);
    knx_buffer *buffer = kna_failed(op) ? NULL : knx_buffer_new(kni_type_bytes(t));
    if (!buffer && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem_for(kni_type_bytes(t), ndim, dim, "int64"));
    return buffer;
}

/* The buffer as an array; NULL stays. */
static kn_array array_of(kni_type t, knx_buffer *buffer)
{
    kna_op whole;
    if (!buffer)
        return NULL;
    kna_begin(&whole, "");
    return kna_from_buffer(&whole, t, buffer);
}

static kn_array integers_of(int ndim, const int64_t *dim, knx_buffer *buffer)
{
    return array_of(kni_type_of(KN_DT(I64), ndim, dim), buffer);
}

static kn_array indices_of(kna_op *op, const sorted *s)
{
    knx_buffer *buffer = room(op, 1, &s->unique);
    int64_t *v = buffer ? buffer->data : NULL;
    for (int64_t i = 0; v && i < s->unique; i++)
        v[i] = s->from[s->first[i]];
    return integers_of(1, &s->unique, buffer);
}

static kn_array inverse_of(kna_op *op, const sorted *s, const kn_shape *shape)
{
    knx_buffer *buffer = room(op, shape->ndim, shape->dim);
    int64_t *v = buffer ? buffer->data : NULL;
    for (int64_t k = 0; v && k < s->unique; k++)
        for (int64_t i = s->first[k], end = k + 1 < s->unique ? s->first[k + 1] : s->n; i < end; i++)
            v[s->from[i]] = k;
    return integers_of(shape->ndim, shape->dim, buffer);
}

static kn_array counts_of(kna_op *op, const sorted *s)
{
    knx_buffer *buffer = room(op, 1, &s->unique);
    int64_t *v = buffer ? buffer->data : NULL;
    for (int64_t i = 0; v && i < s->unique; i++)
        v[i] = (i + 1 < s->unique ? s->first[i + 1] : s->n) - s->first[i];
    return integers_of(1, &s->unique, buffer);
}

/* Outside of traces: the elements that the mask keeps. */
static kn_array kept(knl_body *c, kn_array values, kn_array mask)
{
    kni_type t = kni_scalar_type(KN_DT(I64));
    int64_t dim[KN_MAX_NDIM];
    knx_buffer *buffer = knn_found_elements(&c->op, values, mask, &t, dim);
    return array_of(t, buffer);
}

/* out: values, indices, inverse, counts; which: those that are wanted. */
static void unique(const char *name, kn_array x, kn_axes along, bool equal_nan, const bool which[4], kn_array out[4])
{
    knl_body c;
    sorted s = {0};
    kn_array made[4] = {0}, base = NULL;
    int n = 0;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, x);
    int axis = -1;
    if (along.n > 0 && !kna_failed(&c.op))
        axis = kna_axis(&c.op, along, t.ndim, 0);
    bool flat = axis < 0 || t.ndim == 1,
         masked = flat && c.op.b->hook && !kna_has_lift(x) && !which[1] && !which[2] && !which[3];
    if (!kna_failed(&c.op) && kni_type_is_symbolic(t)) /* how many differ is looked at, and there is no value */
        kna_look(&c.op, x, &t);
    if (!kna_failed(&c.op))
        base = flat ? sort_elements(&c, x, equal_nan, which[1] || which[2], !masked, &s) : sort_slices(&c, x, axis, &s);
    if (base && !kna_failed(&c.op)) {
        kn_shape shape = {1, {s.n}};
        if (flat && t.ndim != 1) {
            shape.ndim = t.ndim;
            if (t.ndim)
                memcpy(shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
        }
        kn_array indices = s.from ? indices_of(&c.op, &s) : NULL, places = flat ? s.places : indices;
        if (masked)
            made[n++] = kept(&c, base, s.begins);
        else {
            kni_atom a = kna_in(&c.op, base), at = kna_in(&c.op, places);
            kni_atom v = knl_take_axis(&c.op, a, at, 0, KN_GATHER_PROMISE);
            if (!flat && !kna_failed(&c.op))
                v = knb_move_axis(c.op.b, v, 0, axis);
            made[n++] = knl_made(&c, v);
        }
        if (which[1])
            made[n++] = indices;
        if (which[2])
            made[n++] = inverse_of(&c.op, &s, &shape);
        if (which[3])
            made[n++] = counts_of(&c.op, &s);
    } else
        n = 1 + which[1] + which[2] + which[3];
    drop(&s);
    knl_end_n(&c, n, made);
    for (int i = 0, k = 0; i < 4; i++)
        out[i] = which[i] ? made[k++] : NULL;
}

kn_array kn_unique(kn_array x, const kn_unique_opts *opts)
{
    KNX_OPTS(kn_unique_opts, o, opts);
    kn_array out[4];
    const bool which[4] = {true, o.return_index != NULL, o.return_inverse != NULL, o.return_counts != NULL};
    unique("unique", x, o.axis, o.equal_nan, which, out);
    if (o.return_index)
        *o.return_index = out[1];
    if (o.return_inverse)
        *o.return_inverse = out[2];
    if (o.return_counts)
        *o.return_counts = out[3];
    return out[0];
}

static const kn_axes flattened = {.n = 0};

kn_unique_all_result kn_unique_all(kn_array x)
{
    kn_array out[4];
    unique("unique_all", x, flattened, false, (const bool[]){true, true, true, true}, out);
    return (kn_unique_all_result){out[0], out[1], out[2], out[3]};
}

kn_unique_counts_result kn_unique_counts(kn_array x)
{
    kn_array out[4];
    unique("unique_counts", x, flattened, false, (const bool[]){true, false, false, true}, out);
    return (kn_unique_counts_result){out[0], out[3]};
}

kn_unique_inverse_result kn_unique_inverse(kn_array x)
{
    kn_array out[4];
    unique("unique_inverse", x, flattened, false, (const bool[]){true, false, true, false}, out);
    return (kn_unique_inverse_result){out[0], out[2]};
}

kn_array kn_unique_values(kn_array x)
{
    kn_array out[4];
    unique("unique_values", x, flattened, false, (const bool[]){true, false, false, false}, out);
    return out[0];
}
