/* SPDX-License-Identifier: Apache-2.0
 * strided.c -- what strides tell: windows of a storage (as_strided), contiguity, shared memory. */
#include "array/layout.h"

/* ---- Windows: a gather from the storage's elements in a row. */

/* The storage's elements in a row, as those of dtype d that begin at *offset, which becomes a number of elements; so do
 * the strides. KN_ATOM_NONE with the op failed where they are no elements. */
static kni_atom flat_elements(kna_op *op, kni_atom all, kn_dtype d, kna_layout *l)
{
    kni_type t = knb_type(op->b, all);
    int64_t size = t.dtype->size, n = kni_type_size(t), part = 0;
    kni_atom flat = knb_reshape(op->b, all, 1, &n);
    if (knx_is_complex(t.dtype) && 2 * d->size == t.dtype->size) { /* real or imaginary parts */
        part = l->offset % size;
        flat = part ? knb_imag(op->b, flat) : knb_real(op->b, flat);
    }
    bool fits = d->size == size || (part && part == d->size) || (knx_is_complex(t.dtype) && 2 * d->size == size);
    fits = fits && (l->offset - part) % size == 0;
    for (int k = 0; k < l->type.ndim; k++)
        fits = fits && (l->stride[k] % size == 0 || l->type.dim[k] <= 1);
    if (!fits) {
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "strides that are no multiples of the elements' %d bytes", (int)size);
        return KN_ATOM_NONE;
    }
    l->offset = (l->offset - part) / size;
    for (int k = 0; k < l->type.ndim; k++)
        l->stride[k] /= size;
    return kna_failed(op) || knb_type(op->b, flat).dtype == d ? flat : knb_bitcast(op->b, flat, d);
}

static bool lies_inside(const kna_layout *elements, int64_t n)
{
    int64_t low = elements->offset, high = low;
    for (int k = 0; k < elements->type.ndim; k++) {
        int64_t by;
        if (__builtin_mul_overflow(elements->stride[k], elements->type.dim[k] - 1, &by) ||
            __builtin_add_overflow(by < 0 ? low : high, by, by < 0 ? &low : &high))
            return false;
    }
    return low >= 0 && high < n;
}

static kni_atom positions(kna_op *op, const kna_layout *elements)
{
    kni_builder *b = op->b;
    kni_type t = elements->type;
    int64_t shape[KN_MAX_NDIM + 1];
    for (int k = 0; k < t.ndim; k++)
        shape[k] = t.dim[k];
    shape[t.ndim] = 1;
    kni_atom at = knb_integer(b, KN_DT(I64), elements->offset);
    for (int k = 0; k < t.ndim; k++) {
        kni_atom i = knb_iota(b, KN_DT(I64), t.ndim + 1, shape, k);
        at = knb_add(b, at, knb_mul(b, i, knb_integer(b, KN_DT(I64), elements->stride[k])));
    }
    return t.ndim ? at : knb_broadcast_in_dim(b, at, 1, shape, NULL);
}

kn_array kna_end_strided(kna_op *op, kn_array x, const kna_layout *l)
{
    kna_array *a = kna_failed(op) ? NULL : kna_array_of(op, x);
    if (!a)
        return kna_end(op, KN_ATOM_NONE);
    kni_atom all = kna_value_atom(op, a->storage->value);
    kna_layout elements = *l;
    kni_type st = a->storage->value->type;
    if (!kna_failed(op) && (knx_has_symbolic(st.ndim, st.dim) || knx_has_symbolic(l->type.ndim, l->type.dim) ||
                            knx_has_symbolic(l->type.ndim, l->stride)))
        kna_fail(op, KN_ERROR_DIMENSION, "strides of an array whose extents are dimension expressions");
    if (kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    bool empty = !kni_type_size(l->type);
    for (int k = 0; empty && k < l->type.ndim; k++)
        elements.stride[k] = 0;
    kni_atom flat = kna_failed(op) ? KN_ATOM_NONE : flat_elements(op, all, l->type.dtype, &elements);
    if (!kna_failed(op) && !empty && !lies_inside(&elements, kni_type_size(st)))
        kna_fail(op, KN_ERROR_VALUE, "the strides lead out of the array's memory");
    if (!kna_failed(op) && l->type.ndim == KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "strides of %d axes", KN_MAX_NDIM);
    if (kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    int64_t zero = 0, one = empty && !kni_type_size(st) ? 0 : 1;
    kni_p_gather g = {.collapsed_slice_dims = {1, &zero},
                      .start_index_map = {1, &zero},
                      .slice_sizes = {1, &one},
                      .mode = KN_GATHER_PROMISE};
    kni_atom y = knb_gather(op->b, flat, positions(op, &elements), &g);
    return kna_end_view_as(op, x, all, y, l, true);
}

/* ---- Contiguity. */

bool kna_is_contiguous(kni_type t, const int64_t *stride)
{
    int64_t step = t.dtype->size;
    if (!kni_type_size(t))
        return true;
    for (int d = t.ndim; d-- > 0; step = knx_dim_mul(step, t.dim[d]))
        if (t.dim[d] > 1 && stride[d] != step)
            return false;
    return true;
}

/* ---- Shared memory: is there a common byte? Both arrays' positions are sums of strides; the question is whether
 * a bounded sum with integer coefficients has a certain value. */

typedef struct term {
    int64_t step, most; /* 0 to `most` of this step */
} term;
enum { MOST_TERMS = 2 * KN_MAX_NDIM + 2 };

static void bounds(const kna_array *a, int64_t *low, int64_t *high)
{
    *low = *high = a->offset;
    for (int d = 0; d < a->type.ndim; d++)
        *(a->stride[d] < 0 ? low : high) += a->stride[d] * (a->type.dim[d] - 1);
    *high += a->type.dtype->size;
}

static bool is_symbolic(const kna_array *a)
{
    kni_type t = a->storage->value->type;
    return knx_has_symbolic(t.ndim, t.dim) || knx_has_symbolic(a->type.ndim, a->type.dim) ||
           knx_has_symbolic(a->type.ndim, a->stride);
}

/* The bounds of two arrays, both from the same point; false if their storages have nothing to do with each other. Two
 * storages may be over the same memory of the user. */
static bool both_bounds(const kna_array *a, const kna_array *b, int64_t low[2], int64_t high[2])
{
    const kna_storage *s = a->storage, *t = b->storage;
    if ((s != t && !(s->pin && t->pin)) || !kni_type_size(a->type) || !kni_type_size(b->type))
        return false;
    bounds(a, &low[0], &high[0]);
    bounds(b, &low[1], &high[1]);
    int64_t apart = s == t ? 0 : (int64_t)((uintptr_t)t->pin->buffer->data - (uintptr_t)s->pin->buffer->data);
    low[1] += apart;
    high[1] += apart;
    return true;
}

bool kna_may_share_memory(const kna_array *a, const kna_array *b)
{
    int64_t low[2], high[2];
    if (is_symbolic(a) || is_symbolic(b)) /* traced arrays of which no one knows where they lie */
        return a->storage == b->storage;
    return both_bounds(a, b, low, high) && low[0] < high[1] && low[1] < high[0];
}

/* Sorted by falling steps; equal steps become one. */
static void add_term(term *t, int *n, int64_t step, int64_t most)
{
    int i = 0;
    if (step < 0)
        step = -step;
    if (!step || !most)
        return;
    while (i < *n && t[i].step > step)
        i++;
    if (i < *n && t[i].step == step) {
        t[i].most += most;
        return;
    }
    for (int k = (*n)++; k > i; k--)
        t[k] = t[k - 1];
    t[i] = (term){step, most};
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static bool is_multiple(int64_t a, int64_t of) { return of ? a % of == 0 : a == 0; }

/* Is there a sum of the terms that is `want`? Tries the largest step first; what is left must be within what the others
 * can reach, and a multiple of what divides them all. Few tries are needed for all but adversarial strides; after
 * MOST_TRIES the answer is yes. */
enum { MOST_TRIES = 1 << 20 };
static bool has_sum(int n, const term *t, int64_t want)
{
    int64_t reach[MOST_TERMS + 1], common[MOST_TERMS + 1], left[MOST_TERMS + 1], next[MOST_TERMS] = {0};
    reach[n] = common[n] = 0;
    for (int i = n; i-- > 0;) {
        reach[i] = reach[i + 1] + t[i].step * t[i].most;
        common[i] = divisor(t[i].step, common[i + 1]);
    }
    int i = 0;
    left[0] = want;
    next[0] = -1;
    for (int tries = 0; i >= 0; tries++) {
        if (tries == MOST_TRIES)
            return true;
        if (i == n) {
            if (left[n] == 0)
                return true;
            i--;
            continue;
        }
        if (next[i] < 0) { /* the smallest number of steps after which the others can do it */
            int64_t lack = left[i] - reach[i + 1];
            next[i] = lack > 0 ? (lack + t[i].step - 1) / t[i].step : 0;
            if (left[i] < 0 || !is_multiple(left[i], common[i]))
                next[i] = t[i].most + 1;
        }
        int64_t x = next[i]++, rest = left[i] - x * t[i].step;
        if (x > t[i].most || rest < 0) {
            i--;
            continue;
        }
        if (is_multiple(rest, common[i + 1])) {
            left[++i] = rest;
            if (i < n)
                next[i] = -1;
        }
    }
    return false;
}

bool kna_shares_memory(const kna_array *a, const kna_array *b)
{
    term t[MOST_TERMS];
    int64_t low[2] = {0}, high[2] = {0};
    int n = 0;
    if (!kna_may_share_memory(a, b))
        return false;
    if (is_symbolic(a) || is_symbolic(b))
        return true;
    both_bounds(a, b, low, high);
    /* first + sum(a) + byte of a = first + sum(b) + byte of b, with b counted from its end */
    for (int d = 0; d < a->type.ndim; d++)
        add_term(t, &n, a->stride[d], a->type.dim[d] - 1);
    for (int d = 0; d < b->type.ndim; d++)
        add_term(t, &n, b->stride[d], b->type.dim[d] - 1);
    add_term(t, &n, 1, a->type.dtype->size - 1);
    add_term(t, &n, 1, b->type.dtype->size - 1);
    return has_sum(n, t, high[1] - 1 - low[0]);
}
