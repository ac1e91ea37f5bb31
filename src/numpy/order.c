/* SPDX-License-Identifier: Apache-2.0
 * order.c -- NumPy's order of elements: NaN last. Complex numbers go by real, then by imaginary part; those whose
 * imaginary part is NaN come behind all that have none, and those whose real part is NaN behind these. */
#include "numpy/internal.h"

/* 0 without NaN, 1 with one in the imaginary part, 2 in the real part, 3 in both; int32. */
static kn_atom nan_class(kn_builder *b, kn_atom x)
{
    kn_atom re = knb_real(b, x), im = knb_imag(b, x), d = knb_astype(b, knb_ne(b, re, re), KN_DT(I32));
    return knb_add(b, knb_mul(b, d, knb_like(b, d, 2)), knb_astype(b, knb_ne(b, im, im), KN_DT(I32)));
}

static kn_atom real_before(kn_builder *b, kn_atom x, kn_atom y)
{
    return knb_or(b, knb_lt(b, x, y), knb_and(b, knb_ne(b, y, y), knb_eq(b, x, x)));
}

kn_atom knn_sorts_before(kna_op *op, kn_atom x, kn_atom y)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_dtype d = knb_type(b, x).dtype;
    if (!knx_is_inexact(d))
        return knb_lt(b, x, y);
    if (!knx_is_complex(d))
        return real_before(b, x, y);
    kn_atom p = nan_class(b, x), q = nan_class(b, y), u = knb_real(b, x), v = knb_real(b, y);
    kn_atom same = knb_and(b, knb_not(b, real_before(b, u, v)), knb_not(b, real_before(b, v, u)));
    kn_atom parts = knb_or(b, real_before(b, u, v), knb_and(b, same, real_before(b, knb_imag(b, x), knb_imag(b, y))));
    return knb_or(b, knb_lt(b, p, q), knb_and(b, knb_eq(b, p, q), parts));
}

void knn_sort(kna_op *op, int n, const kn_atom *x, int axis, int n_key, kn_atom *out)
{
    for (int i = 0; i < n; i++)
        out[i] = KN_ATOM_NONE;
    if (kna_failed(op))
        return;
    kn_builder *b = op->b;
    size_t room = (size_t)n + (size_t)n_key;
    kn_atom *in = knx_alloc(2 * room * sizeof *in), *sorted = in + room;
    int *place = knx_alloc((size_t)n * sizeof *place), m = 0;
    if (!in || !place)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; i < n && !kna_failed(op); i++) {
        if (i < n_key && knx_is_complex(knb_type(b, x[i]).dtype))
            in[m++] = nan_class(b, x[i]);
        place[i] = m;
        in[m++] = x[i];
    }
    if (!kna_failed(op))
        knb_sort(b, m, in, axis, n_key + m - n, sorted);
    for (int i = 0; i < n && !kna_failed(op); i++)
        out[i] = sorted[place[i]];
    knx_free(in);
    knx_free(place);
}

/* The opposite order: negative numbers, or all bits turned where there is no such number. */
static kn_atom opposite(kn_builder *b, kn_atom x)
{
    return knx_is_inexact(knb_type(b, x).dtype) ? knb_neg(b, x) : knb_not(b, x);
}

enum { DESCENDING_MAX = 2, DESCENDING_KEYS = 3 };

void knn_sort_descending(kna_op *op, int n, const kn_atom *x, int axis, kn_atom *out)
{
    kn_atom in[DESCENDING_MAX + DESCENDING_KEYS], sorted[DESCENDING_MAX + DESCENDING_KEYS];
    int m = 0;
    for (int i = 0; i < n; i++)
        out[i] = KN_ATOM_NONE;
    if (kna_failed(op) || n > DESCENDING_MAX)
        return;
    kn_builder *b = op->b;
    kn_dtype d = knb_type(b, x[0]).dtype;
    if (knx_is_complex(d)) {
        in[m++] = nan_class(b, x[0]);
        in[m++] = opposite(b, knb_real(b, x[0]));
        in[m++] = opposite(b, knb_imag(b, x[0]));
    } else
        in[m++] = opposite(b, x[0]); /* NaN stays NaN, and last */
    for (int i = 0; i < n; i++)
        in[m + i] = x[i];
    knb_sort(b, m + n, in, axis, m, sorted);
    for (int i = 0; i < n && !kna_failed(op); i++)
        out[i] = sorted[m + i];
}

kn_atom knn_order_image(kna_op *op, kn_atom x)
{
    kn_builder *b = op->b;
    if (kna_failed(op) || !knx_is_inexact(knb_type(b, x).dtype))
        return x;
    int size = knb_type(b, x).dtype->size;
    kn_dtype d = size == 2 ? KN_DT(I16) : size == 4 ? KN_DT(I32) : KN_DT(I64);
    const int64_t most = size == 2 ? INT16_MAX : size == 4 ? INT32_MAX : INT64_MAX;
    kn_atom bits = knb_bitcast(b, knb_add(b, x, knb_like(b, x, 0)), d); /* there is one zero then */
    kn_atom turned = knb_xor(b, bits, knb_integer(b, d, most));
    kn_atom image = knb_select(b, knb_lt(b, bits, knb_integer(b, d, 0)), turned, bits);
    return knb_select(b, knb_ne(b, x, x), knb_integer(b, d, -most - 1), image);
}

kn_atom knn_search(kna_op *op, kn_atom a, kn_atom v, bool right)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(b, a).dim[0];
    kn_shape shape = knn_shape_of(op, v);
    kn_atom found = knb_full(b, knn_shaped(KN_DT(I64), &shape), 0);
    if (!n)
        return knb_broadcast_to(b, found, knn_shaped(KN_DT(I64), &shape));
    int64_t step = 1;
    while (step <= n / 2)
        step *= 2;
    for (; step && !kna_failed(op); step /= 2) { /* `found` elements are known to come before */
        kn_atom next = knb_add(b, found, knb_like(b, found, (double)step));
        kn_atom at = knb_sub(b, next, knb_like(b, next, 1));
        kn_atom here = knn_take_axis(op, a, at, 0, KN_GATHER_CLIP);
        kn_atom before = right ? knb_not(b, knn_sorts_before(op, v, here)) : knn_sorts_before(op, here, v);
        kn_atom fits = knb_le(b, next, knb_integer(b, KN_DT(I64), n));
        found = knb_select(b, knb_and(b, before, fits), next, found);
    }
    return found;
}
