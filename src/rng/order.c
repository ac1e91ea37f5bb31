/* SPDX-License-Identifier: Apache-2.0
 * order.c -- shuffle, permutation, permuted. */
#include "array/storage.h"
#include "kiln/numpy.h"
#include "lib/compose.h"
#include "rng/order.h"
#include <string.h>

/* The largest position first. Each takes a word of 32 bits at least, so words for all that are left may be made
 * ahead. */
static int64_t partner(knrng_reader *r, int64_t i)
{
    if (r->at32 == r->end32 && i > 8 && i <= UINT32_MAX)
        knrng_read_ahead32(r, i < 2 * KNRNG_AHEAD ? (size_t)i : 2 * KNRNG_AHEAD);
    return (int64_t)knrng_interval(r, (uint64_t)i);
}

void knrng_shuffle(knrng_reader *r, int64_t n, size_t size, int64_t stride, char *data)
{
    if (size == sizeof(uint64_t) && stride == (int64_t)size) {
        uint64_t *v = (uint64_t *)data;
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t j = partner(r, i);
            uint64_t other = v[j];
            v[j] = v[i];
            v[i] = other;
        }
        return;
    }
    char kept[16]; /* no dtype is larger */
    for (int64_t i = n - 1; i > 0; i--) {
        char *a = data + i * stride, *b = data + partner(r, i) * stride;
        memcpy(kept, b, size);
        memmove(b, a, size);
        memcpy(a, kept, size);
    }
}

int64_t *knrng_order(knrng_call *c, int64_t n)
{
    int64_t *v = knl_integer_room(&c->op, n);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = i;
    if (v)
        knrng_shuffle(&c->r, n, sizeof *v, sizeof *v, (char *)v);
    return v;
}

const char *knrng_elements(knrng_call *c, kn_array x, kni_type *t, knx_scalar_bits *number)
{
    *t = kna_type(&c->op, x);
    const char *at = kna_failed(&c->op) ? NULL : kna_look(&c->op, x, t);
    if (at && t->weak) {
        kn_dtype d = kna_strong_dtype(*t);
        *number = (knx_scalar_bits){{0}};
        knx_convert(t->dtype, at, d, number);
        *t = kni_scalar_type(d);
        return (const char *)number;
    }
    return at;
}

/* ---- Slices along an axis. */

typedef struct slices {
    int64_t outer, n;
    size_t inner; /* bytes */
} slices;

static slices along(const kni_type *t, int axis)
{
    slices s = {1, t->dim[axis], t->dtype->size};
    for (int i = 0; i < axis; i++)
        s.outer *= t->dim[i];
    for (int i = axis + 1; i < t->ndim; i++)
        s.inner *= (size_t)t->dim[i];
    return s;
}

static void gather(const slices *s, const char *from, const int64_t *position, int64_t n, char *to)
{
    for (int64_t o = 0; o < s->outer; o++, from += (size_t)s->n * s->inner)
        for (int64_t i = 0; i < n; i++, to += s->inner)
            memcpy(to, from + (size_t)position[i] * s->inner, s->inner);
}

kn_array knrng_take_slices(knrng_call *c, kn_array x, int axis, const int64_t *position, int64_t n,
                           const kn_shape *shape)
{
    kni_type t;
    knx_scalar_bits number;
    kn_shape out = {0};
    const char *from = knrng_elements(c, x, &t, &number);
    if (!from || knl_too_many_axes(&c->op, t.ndim - 1 + shape->ndim))
        return knrng_failed(c);
    slices s = along(&t, axis);
    for (int i = 0; i < axis; i++)
        out.dim[out.ndim++] = t.dim[i];
    for (int i = 0; i < shape->ndim; i++)
        out.dim[out.ndim++] = shape->dim[i];
    for (int i = axis + 1; i < t.ndim; i++)
        out.dim[out.ndim++] = t.dim[i];
    c->shape = out;
    knx_buffer *b = knrng_room(c, t.dtype);
    if (b && kni_type_size(kni_type_of(t.dtype, out.ndim, out.dim)))
        gather(&s, from, position, n, b->data);
    return b ? kna_from_buffer(&c->op, kni_type_of(t.dtype, out.ndim, out.dim), b) : knrng_failed(c);
}

/* The elements of x with their slices shuffled, in memory of their own; NULL with the op failed. if_empty: numbers
 * are drawn also where the slices have no elements. */
static knx_buffer *shuffled(knrng_call *c, kn_array x, int axis, bool if_empty, kni_type *t)
{
    knx_scalar_bits number;
    const char *from = knrng_elements(c, x, t, &number);
    knx_buffer *b = from ? knx_buffer_new(kni_type_bytes(*t)) : NULL;
    if (from && !b)
        kna_fail_with(&c->op, knx_error_nomem());
    if (!b)
        return b;
    slices s = along(t, axis);
    if (t->ndim == 1 && s.n) {
        memcpy(b->data, from, (size_t)s.n * s.inner);
        knrng_shuffle(&c->r, s.n, s.inner, (int64_t)s.inner, b->data);
        return b;
    }
    if (kni_type_size(*t) == 0 && !if_empty)
        return b;
    int64_t *order = knrng_order(c, s.n);
    if (order) {
        gather(&s, from, order, s.n, b->data);
    } else {
        knx_buffer_release(b);
        b = NULL;
    }
    knx_free(order);
    return b;
}

/* x gets these elements (taken over). */
static void put(knrng_call *c, kn_array x, kni_type t, knx_buffer *b)
{
    kna_value *v = kna_value_buffer(t, b);
    if (!v) {
        kna_fail_with(&c->op, knx_error_nomem());
        return;
    }
    kni_atom all = kna_in(&c->op, x);
    kna_put(&c->op, x, all, all, kna_value_atom(&c->op, v));
    kna_value_release(v);
}

static kna_array *writeable(knrng_call *c, kn_array x)
{
    kna_array *a = kna_array_of(&c->op, x);
    if (a && (!a->writeable || a->storage->readonly))
        kna_fail(&c->op, KN_ERROR_VALUE, "array is read-only");
    return a && !kna_failed(&c->op) && kna_may_write(&c->op, a) ? a : NULL;
}

static int shuffle(const void *handle, bool legacy, kn_array x, kn_axes given)
{
    knrng_call c;
    kna_array *a = knrng_begin(&c, "shuffle", handle, legacy, NULL) ? writeable(&c, x) : NULL;
    if (a && a->type.ndim == 0)
        kna_fail(&c.op, KN_ERROR_TYPE, "len() of unsized object");
    int axis = a && !kna_failed(&c.op) ? kna_axis(&c.op, given, a->type.ndim, 0) : 0;
    kni_type t;
    knx_buffer *b = kna_failed(&c.op) ? NULL : shuffled(&c, x, axis, false, &t);
    if (b)
        put(&c, x, t, b);
    return kna_end_plain(&c.op) ? 0 : -1;
}

int kn_rng_shuffle(kn_rng rng, kn_array x, const kn_rng_axis_opts *opts)
{
    return shuffle(rng, false, x, opts ? opts->axis : (kn_axes){0});
}

int kn_random_state_shuffle(kn_random_state state, kn_array x) { return shuffle(state, true, x, (kn_axes){0}); }

/* ---- Copies in another order. */

/* 0 .. n-1 for a number. */
static kn_array permuted_range(knrng_call *c, kn_array x, kni_type t)
{
    int64_t n = 0;
    const void *at = kna_look(&c->op, x, &t);
    kn_dtype d = t.weak ? KN_DT(I64) : t.dtype;
    if (!at)
        return knrng_failed(c);
    knx_convert(t.dtype, at, KN_DT(I64), &n);
    n = n < 0 ? 0 : n;
    int64_t *v = knrng_order(c, n);
    if (!v)
        return knrng_failed(c);
    c->shape = (kn_shape){1, {n}};
    knx_buffer *b = knrng_room(c, d);
    for (int64_t i = 0; b && i < n; i++)
        knx_convert(KN_DT(I64), &v[i], d, (char *)b->data + (size_t)i * d->size);
    knx_free(v);
    return b ? kna_from_buffer(&c->op, kni_type_of(d, 1, &n), b) : knrng_failed(c);
}

static kn_array permutation(const void *handle, bool legacy, kn_array x, kn_axes given)
{
    knrng_call c;
    if (!knrng_begin(&c, "permutation", handle, legacy, NULL))
        return knrng_failed(&c);
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && t.ndim == 0 && knx_is_integer(t.dtype))
        return permuted_range(&c, x, t);
    if (!kna_failed(&c.op) && t.ndim == 0 && legacy)
        kna_fail(&c.op, KN_ERROR_INDEX, "x must be an integer or at least 1-dimensional");
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, given, t.ndim, 0);
    if (!kna_failed(&c.op) && t.ndim == 0)
        kna_normalize_axis(&c.op, 0, 0);
    knx_buffer *b = kna_failed(&c.op) ? NULL : shuffled(&c, x, axis, true, &t);
    return b ? kna_from_buffer(&c.op, t, b) : knrng_failed(&c);
}

kn_array kn_rng_permutation(kn_rng rng, kn_array x, const kn_rng_axis_opts *opts)
{
    return permutation(rng, false, x, opts ? opts->axis : (kn_axes){0});
}

kn_array kn_random_state_permutation(kn_random_state state, kn_array x)
{
    return permutation(state, true, x, (kn_axes){0});
}

/* ---- Each vector in an order of its own. */

/* The elements of `data`, in C order, as one vector; in Fortran's order if x lies in memory so. */
static bool shuffle_all(knrng_call *c, kni_type t, bool fortran, char *data)
{
    int64_t n = kni_type_size(t);
    size_t size = t.dtype->size;
    if (!fortran) {
        knrng_shuffle(&c->r, n, size, (int64_t)size, data);
        return true;
    }
    int64_t *order = knrng_order(c, n);
    char *copy = order ? knx_alloc((size_t)n * size + 1) : NULL;
    if (order && !copy)
        kna_fail_with(&c->op, knx_error_nomem());
    if (copy) { /* the k-th in Fortran's order becomes the one that was the order[k]-th there */
        memcpy(copy, data, (size_t)n * size);
        int64_t *place = order; /* reused for the places in C order */
        for (int64_t k = 0; k < n; k++) {
            int64_t to = 0, from = 0, rest_to = k, rest_from = place[k], step = n;
            int64_t index_to[KN_MAX_NDIM], index_from[KN_MAX_NDIM];
            for (int i = 0; i < t.ndim; i++) {
                index_to[i] = rest_to % t.dim[i];
                index_from[i] = rest_from % t.dim[i];
                rest_to /= t.dim[i];
                rest_from /= t.dim[i];
            }
            for (int i = 0; i < t.ndim; i++) {
                step /= t.dim[i];
                to += index_to[i] * step;
                from += index_from[i] * step;
            }
            memcpy(data + (size_t)to * size, copy + (size_t)from * size, size);
        }
    }
    knx_free(copy);
    knx_free(order);
    return !kna_failed(&c->op);
}

static void shuffle_vectors(knrng_call *c, kni_type t, int axis, char *data)
{
    slices s = along(&t, axis);
    size_t size = t.dtype->size;
    if (kni_type_size(t) == 0)
        return;
    for (int64_t o = 0; o < s.outer; o++, data += (size_t)s.n * s.inner)
        for (size_t i = 0; i < s.inner; i += size)
            knrng_shuffle(&c->r, s.n, size, (int64_t)s.inner, data + i);
}

kn_array kn_rng_permuted(kn_rng rng, kn_array x, const kn_rng_permuted_opts *opts)
{
    knrng_call c;
    knx_scalar_bits number;
    kn_axes given = opts ? opts->axis : (kn_axes){0};
    kn_array out = opts ? opts->out : NULL;
    if (!knrng_begin(&c, "permuted", rng, false, NULL))
        return knrng_failed(&c);
    kni_type t = kna_type(&c.op, x);
    bool all = given.n <= 0;
    if (!kna_failed(&c.op) && t.ndim == 0 && all)
        kna_fail(&c.op, KN_ERROR_TYPE, "len() of unsized object");
    int axis = kna_failed(&c.op) || all ? 0 : kna_axis(&c.op, given, t.ndim, 0);
    kna_array *to = out && !kna_failed(&c.op) ? writeable(&c, out) : NULL;
    if (to && !knrng_has_shape(to->type, t.ndim, t.dim))
        kna_fail(&c.op, KN_ERROR_VALUE, "out must have the same shape as x");
    else if (to && !knx_can_cast(t.dtype, to->type.dtype, KN_CAST_SAFE))
        kna_fail(&c.op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule 'safe'", t.dtype->name,
                 to->type.dtype->name);
    bool fortran = !kna_failed(&c.op) && all && t.ndim > 1 && knl_is_fortran(&c.op, out ? out : x);
    const char *from = kna_failed(&c.op) ? NULL : knrng_elements(&c, x, &t, &number);
    kni_type made = kni_type_of(to ? to->type.dtype : t.dtype, t.ndim, t.dim);
    knx_buffer *b = from ? knx_buffer_new(kni_type_bytes(made)) : NULL;
    if (from && !b)
        kna_fail_with(&c.op, knx_error_nomem());
    for (int64_t i = 0; b && i < kni_type_size(t); i++)
        knx_convert(t.dtype, from + (size_t)i * t.dtype->size, made.dtype,
                    (char *)b->data + (size_t)i * made.dtype->size);
    if (b && all)
        shuffle_all(&c, made, fortran, b->data);
    else if (b)
        shuffle_vectors(&c, made, axis, b->data);
    if (!out)
        return b ? kna_from_buffer(&c.op, made, b) : knrng_failed(&c);
    if (b)
        put(&c, out, made, b);
    return kna_failed(&c.op) ? knrng_failed(&c) : kna_end_plain(&c.op) ? out : NULL;
}
