/* SPDX-License-Identifier: Apache-2.0
 * order.c -- shuffle, permutation, permuted. */
#include "array/storage.h"
#include "kiln/numpy.h"
#include "lib/compose.h"
#include "rng/order.h"
#include <string.h>

/* ---- R. A. Fisher and F. Yates' way: from the last position on each has a partner, up to itself.
 *
 * Partners of many positions are found first: a word that is too large is left out without a branch, and the memory
 * that is changed is known before it is. */

enum { FEW = 48, TOGETHER = 2 * KNRNG_AHEAD, SOON = 24 };

/* Partners of positions from i on, as many as there are in `count` words; how many these were. */
static size_t find_partners(const uint32_t *w, size_t count, uint64_t i, uint32_t *partner)
{
    size_t found = 0;
    for (size_t k = 0; k < count;) {
        uint64_t mask = i;
        for (int shift = 1; shift < 64; shift *= 2)
            mask |= mask >> shift;
        for (uint64_t last = mask >> 1; k < count && i > last; k++) {
            uint32_t v = w[k] & (uint32_t)mask;
            bool fits = v <= i;
            partner[found] = v;
            found += fits;
            i -= fits;
        }
    }
    return found;
}

#define SHUFFLE(name, T)                                                         \
    static void name(const uint32_t *partner, size_t count, size_t i, T *v)      \
    {                                                                            \
        for (size_t k = 0; k < count; k++, i--) {                                \
            __builtin_prefetch(&v[partner[k + SOON < count ? k + SOON : k]], 1); \
            T other = v[partner[k]];                                             \
            v[partner[k]] = v[i];                                                \
            v[i] = other;                                                        \
        }                                                                        \
    }
SHUFFLE(shuffle_8, uint8_t)
SHUFFLE(shuffle_16, uint16_t)
SHUFFLE(shuffle_32, uint32_t)
SHUFFLE(shuffle_64, uint64_t)

static void swap(char *a, char *b, size_t size)
{
    char kept[16]; /* no dtype is larger */
    memcpy(kept, b, size);
    memmove(b, a, size);
    memcpy(a, kept, size);
}

static void shuffle_any(const uint32_t *partner, size_t count, size_t i, size_t size, int64_t stride, char *data)
{
    for (size_t k = 0; k < count; k++, i--)
        swap(data + (int64_t)i * stride, data + (int64_t)partner[k] * stride, size);
}

void knrng_shuffle(knrng_reader *r, int64_t n, size_t size, int64_t stride, char *data)
{
    uint32_t partner[TOGETHER];
    int64_t i = n - 1;
    bool dense = stride == (int64_t)size;
    if (n > FEW)
        knrng_give_back(r);
    while (i > FEW && i <= UINT32_MAX) { /* each position takes one word of 32 bits at least */
        size_t words = i < TOGETHER ? (size_t)i : TOGETHER, at = (size_t)i;
        knrng_halves(r->g, words, r->ahead32);
        size_t found = find_partners(r->ahead32, words, at, partner);
        if (dense && size == 8)
            shuffle_64(partner, found, at, (uint64_t *)data);
        else if (dense && size == 4)
            shuffle_32(partner, found, at, (uint32_t *)data);
        else if (dense && size == 2)
            shuffle_16(partner, found, at, (uint16_t *)data);
        else if (dense && size == 1)
            shuffle_8(partner, found, at, (uint8_t *)data);
        else
            shuffle_any(partner, found, at, size, stride, data);
        i -= (int64_t)found;
    }
    for (uint64_t *v = (uint64_t *)data; size == 8 && i > 0; i--) {
        int64_t step = stride / 8, j = (int64_t)knrng_interval(r, (uint64_t)i);
        uint64_t other = v[j * step];
        v[j * step] = v[i * step];
        v[i * step] = other;
    }
    for (; i > 0; i--)
        swap(data + i * stride, data + (int64_t)knrng_interval(r, (uint64_t)i) * stride, size);
}

/* ---- The last ones of 0 .. n-1, by D. Lemire's way to a partner. */

/* As find_partners. A low product, which may be one to leave out, is a rare one. */
static size_t find_bounded(const uint32_t *w, size_t count, uint32_t i, uint32_t *partner)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t choices = (uint64_t)i + 1, m = w[k] * choices;
        if (__builtin_expect((uint32_t)m < choices, 0) && (uint32_t)m < (UINT32_MAX - i) % choices)
            continue;
        partner[found++] = (uint32_t)(m >> 32);
        i--;
    }
    return found;
}

void knrng_shuffle_last(knrng_reader *r, int64_t *v, int64_t n, int64_t first)
{
    uint32_t partner[TOGETHER];
    knrng_pieces none = {0};
    int64_t i = n - 1;
    if (n - first > FEW)
        knrng_give_back(r);
    while (i - first >= FEW && i < UINT32_MAX) {
        size_t words = i - first < TOGETHER ? (size_t)(i - first) : TOGETHER;
        knrng_halves(r->g, words, r->ahead32);
        size_t found = find_bounded(r->ahead32, words, (uint32_t)i, partner);
        shuffle_64(partner, found, (size_t)i, (uint64_t *)v);
        i -= (int64_t)found;
    }
    for (; i >= first; i--) {
        int64_t j = (int64_t)knrng_bounded(r, 64, (uint64_t)i, false, &none), kept = v[j];
        v[j] = v[i];
        v[i] = kept;
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
    c->shape = (kn_shape){1, {n}};
    knx_buffer *b = knrng_room(c, d);
    for (int64_t i = 0; b && i < n && d == KN_DT(I64); i++)
        ((int64_t *)b->data)[i] = i;
    for (int64_t i = 0; b && i < n && d != KN_DT(I64); i++)
        knx_convert(KN_DT(I64), &i, d, (char *)b->data + (size_t)i * d->size);
    if (b)
        knrng_shuffle(&c->r, n, d->size, (int64_t)d->size, b->data);
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
    if (s.n <= FEW)
        knrng_expect(&c->r, (size_t)kni_type_size(t));
    for (int64_t o = 0; o < s.outer; o++, data += (size_t)s.n * s.inner)
        for (size_t i = 0; i < s.inner; i += size)
            knrng_shuffle(&c->r, s.n, size, (int64_t)s.inner, data + i);
    knrng_give_back(&c->r);
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
    bool same = made.dtype == t.dtype;
    if (b && same)
        memcpy(b->data, from, kni_type_bytes(t));
    for (int64_t i = 0; b && !same && i < kni_type_size(t); i++)
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
