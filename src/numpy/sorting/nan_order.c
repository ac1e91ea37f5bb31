/* SPDX-License-Identifier: Apache-2.0
 * nan_order.c -- NumPy's order of elements: NaN last. Complex numbers go by real, then by imaginary part; those whose
 * imaginary part is NaN come behind all that have none, and those whose real part is NaN behind these. */
#include "lib/internal.h"

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

/* A step of the search, in a jaxpr of its own: a, v, how many elements are known to come before, how many behind these
 * are not known about. Whatever the comparisons say, the element asked for is there. */
static kni_jaxpr *search_step(kna_op *op, kn_atom a, kn_atom v, kn_type found, bool right)
{
    kn_builder body;
    kna_op step = {.b = &body};
    kni_jaxpr *j = NULL;
    knb_init(&body);
    const kn_atom in[] = {knb_invar(&body, knb_type(op->b, a)), knb_invar(&body, knb_type(op->b, v)),
                          knb_invar(&body, found), knb_invar(&body, kni_scalar_type(KN_DT(I64)))};
    const kn_atom one = knb_integer(&body, KN_DT(I64), 1), rest = knb_shift_right_arithmetic(&body, in[3], one);
    const kn_atom half = knb_sub(&body, in[3], rest);
    kn_atom here = knn_take_axis(&step, in[0], knb_add(&body, in[2], knb_sub(&body, half, one)), 0, KN_GATHER_PROMISE);
    kn_atom before =
        right ? knb_not(&body, knn_sorts_before(&step, in[1], here)) : knn_sorts_before(&step, here, in[1]);
    const kn_atom out[] = {knb_select(&body, before, knb_add(&body, in[2], half), in[2]), rest};
    kn_error *e = step.error ? step.error : knb_take_error(&body);
    if (!e)
        e = knb_finish(&body, 2, out, "", true, &j);
    if (e)
        kna_fail_with(op, e);
    knb_free(&body);
    return j;
}

kn_atom knn_search(kna_op *op, kn_atom a, kn_atom v, bool right)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(b, a).dim[0], steps = 0;
    kn_shape shape = knn_shape_of(op, v);
    kn_type t = knn_shaped(KN_DT(I64), &shape);
    kn_atom found = knb_full(b, t, 0), out[2] = {found, KN_ATOM_NONE};
    for (int64_t rest = n; rest; rest /= 2)
        steps++;
    kni_jaxpr *j = steps ? search_step(op, a, v, t, right) : NULL;
    const kn_atom in[] = {a, v, found, knb_integer(b, KN_DT(I64), n)};
    if (j)
        knb_scan(b, &(kn_p_scan){.jaxpr = j, .length = steps, .num_carry = 2, .num_consts = 2, .unroll = 1}, in, out);
    kni_release(j);
    return out[0];
}
