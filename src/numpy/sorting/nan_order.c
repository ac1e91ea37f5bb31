/* SPDX-License-Identifier: Apache-2.0
 * nan_order.c -- NumPy's order of elements: NaN last. Complex numbers go by real, then by imaginary part; those whose
 * imaginary part is NaN come behind all that have none, and those whose real part is NaN behind these. */
#include "lib/internal.h"
#include "prim/iterate.h"

/* 0 without NaN, 1 with one in the imaginary part, 2 in the real part, 3 in both; int32. */
static kni_atom nan_class(kni_builder *b, kni_atom x)
{
    kni_atom re = knb_real(b, x), im = knb_imag(b, x), d = knb_astype(b, knb_ne(b, re, re), KN_DT(I32));
    return knb_add(b, knb_mul(b, d, knb_like(b, d, 2)), knb_astype(b, knb_ne(b, im, im), KN_DT(I32)));
}

static kni_atom real_before(kni_builder *b, kni_atom x, kni_atom y)
{
    return knb_or(b, knb_lt(b, x, y), knb_and(b, knb_ne(b, y, y), knb_eq(b, x, x)));
}

kni_atom knl_sorts_before(kna_op *op, kni_atom x, kni_atom y)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_dtype d = knb_type(b, x).dtype;
    if (!knx_is_inexact(d))
        return knb_lt(b, x, y);
    if (!knx_is_complex(d))
        return real_before(b, x, y);
    kni_atom p = nan_class(b, x), q = nan_class(b, y), u = knb_real(b, x), v = knb_real(b, y);
    kni_atom same = knb_and(b, knb_not(b, real_before(b, u, v)), knb_not(b, real_before(b, v, u)));
    kni_atom parts = knb_or(b, real_before(b, u, v), knb_and(b, same, real_before(b, knb_imag(b, x), knb_imag(b, y))));
    return knb_or(b, knb_lt(b, p, q), knb_and(b, knb_eq(b, p, q), parts));
}

void knl_sort(kna_op *op, int n, const kni_atom *x, int axis, int n_key, kni_atom *out)
{
    for (int i = 0; i < n; i++)
        out[i] = KN_ATOM_NONE;
    if (kna_failed(op))
        return;
    kni_builder *b = op->b;
    size_t room = (size_t)n + (size_t)n_key;
    kni_atom *in = knx_alloc(2 * room * sizeof *in), *sorted = in + room;
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

kni_atom knl_argsort(kna_op *op, int n, const kni_atom *x, int axis)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom *key = knx_alloc(2 * ((size_t)n + 1) * sizeof *key), y = KN_ATOM_NONE;
    int m = 0;
    if (!key)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; i < n && !kna_failed(op); i++) {
        if (knx_is_complex(knb_type(op->b, x[i]).dtype))
            key[m++] = nan_class(op->b, x[i]);
        key[m++] = x[i];
    }
    if (!kna_failed(op))
        y = knb_argsort(op->b, m, key, axis);
    knx_free(key);
    return y;
}

/* The opposite order: negative numbers, or all bits turned where there is no such number. */
kni_atom knl_opposite(kna_op *op, kni_atom x)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return knx_is_inexact(knb_type(b, x).dtype) ? knb_neg(b, x) : knb_not(b, x);
}

/* What x is sorted by, the largest first; the number of keys. */
static int descending_keys(kna_op *op, kni_atom x, kni_atom key[3])
{
    kni_builder *b = op->b;
    if (!knx_is_complex(knb_type(b, x).dtype)) {
        key[0] = knl_opposite(op, x); /* NaN stays NaN, and last */
        return 1;
    }
    key[0] = nan_class(b, x);
    key[1] = knl_opposite(op, knb_real(b, x));
    key[2] = knl_opposite(op, knb_imag(b, x));
    return 3;
}

kni_atom knl_sort_descending(kna_op *op, kni_atom x, int axis)
{
    kni_builder *b = op->b;
    kni_atom in[4], sorted[4];
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int n = descending_keys(op, x, in);
    if (n > 1)
        in[n] = x;
    knb_sort(b, n > 1 ? n + 1 : 1, in, axis, n, sorted);
    return kna_failed(op) ? KN_ATOM_NONE : n > 1 ? sorted[n] : knl_opposite(op, sorted[0]);
}

kni_atom knl_argsort_descending(kna_op *op, kni_atom x, int axis)
{
    kni_atom key[3];
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int n = descending_keys(op, x, key);
    return knb_argsort(op->b, n, key, axis);
}

kni_atom knl_partition(kna_op *op, kni_atom x, kni_atom ranks, int axis, bool whole, bool positions, bool descending)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    const kni_p_partition p = {.dimension = axis, .positions = positions, .whole = whole};
    kni_type t = knb_type(b, x), u = knb_type(b, ranks);
    kn_shape shape = knl_shape_of(op, x);
    shape.dim[axis] = u.dim[axis];
    ranks = knb_broadcast_to(b, ranks, knl_shaped(KN_DT(I64), &shape));
    if (knx_is_complex(t.dtype)) { /* these are sorted altogether */
        kni_atom order = descending ? knl_argsort_descending(op, x, axis) : knl_argsort(op, 1, &x, axis);
        kni_atom y = whole ? order : knl_take_along(op, order, ranks, axis, KN_GATHER_CLIP);
        return positions ? y : knl_take_along(op, x, y, axis, KN_GATHER_PROMISE);
    }
    kni_atom y = knb_partition(b, descending ? knl_opposite(op, x) : x, ranks, &p);
    return descending && !positions && !kna_failed(op) ? knl_opposite(op, y) : y;
}

kni_atom knl_order_image(kna_op *op, kni_atom x)
{
    kni_builder *b = op->b;
    if (kna_failed(op) || !knx_is_inexact(knb_type(b, x).dtype))
        return x;
    int size = knb_type(b, x).dtype->size;
    kn_dtype d = size == 2 ? KN_DT(I16) : size == 4 ? KN_DT(I32) : KN_DT(I64);
    const int64_t most = size == 2 ? INT16_MAX : size == 4 ? INT32_MAX : INT64_MAX;
    kni_atom bits = knb_bitcast(b, knb_add(b, x, knb_like(b, x, 0)), d); /* there is one zero then */
    kni_atom turned = knb_xor(b, bits, knb_integer(b, d, most));
    kni_atom image = knb_select(b, knb_lt(b, bits, knb_integer(b, d, 0)), turned, bits);
    return knb_select(b, knb_ne(b, x, x), knb_integer(b, d, -most - 1), image);
}

/* A step of the search. a, v, how many elements are known to come before, how many behind these are not known about:
 * the last two as they are then. Whatever the comparisons say, the element asked for is there. */
static void halve(kna_op *op, const kni_atom in[4], bool right, kni_atom next[2])
{
    kni_builder *b = op->b;
    const kni_atom one = knb_integer(b, KN_DT(I64), 1), rest = knb_shift_right_arithmetic(b, in[3], one);
    const kni_atom half = knb_sub(b, in[3], rest);
    kni_atom here = knl_take_axis(op, in[0], knb_add(b, in[2], knb_sub(b, half, one)), 0, KN_GATHER_PROMISE);
    kni_atom before = right ? knb_not(b, knl_sorts_before(op, in[1], here)) : knl_sorts_before(op, here, in[1]);
    next[0] = knb_select(b, before, knb_add(b, in[2], half), in[2]);
    next[1] = rest;
}

/* The step in a jaxpr of its own. */
static kni_jaxpr *search_step(kna_op *op, kni_atom a, kni_atom v, kni_type found, bool right)
{
    kni_builder body;
    kna_op step = {.b = &body};
    knb_init(&body);
    const kni_atom in[] = {knb_invar(&body, knb_type(op->b, a)), knb_invar(&body, knb_type(op->b, v)),
                           knb_invar(&body, found), knb_invar(&body, kni_scalar_type(KN_DT(I64)))};
    kni_atom out[2];
    halve(&step, in, right, out);
    if (step.error)
        knb_fail(&body, step.error);
    return knb_finish_for(op->b, &body, 2, out);
}

/* Of so many elements as an expression says: until nothing is unknown. */
static kni_atom search_on(kna_op *op, kni_atom a, kni_atom v, kni_atom found, bool right, int64_t n)
{
    kni_atom rest = knl_number_of(op, KN_DT(I64), n), zero = knb_integer(op->b, KN_DT(I64), 0), out[3], next[3];
    knp_iteration it;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    const kni_atom init[] = {a, v, knb_gt(op->b, rest, zero), found, rest};
    knp_iterate(&it, op->b, 2, 3, init);
    kna_op step = {.b = &it.body};
    halve(&step, (const kni_atom[]){it.in[0], it.in[1], it.in[3], it.in[4]}, right, next + 1);
    next[0] = knb_gt(&it.body, next[2], knb_integer(&it.body, KN_DT(I64), 0));
    if (step.error)
        knb_fail(&it.body, step.error);
    knp_iterate_end(&it, next, out);
    return out[1];
}

kni_atom knl_search(kna_op *op, kni_atom a, kni_atom v, bool right)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(b, a).dim[0], steps = 0;
    if (!knx_is_complex(knb_type(b, a).dtype) &&
        knb_type(b, v).ndim) /* one search may be a part of a loop in a kernel */
        return knb_searchsorted(b, a, v, &(kni_p_searchsorted){.right = right});
    kn_shape shape = knl_shape_of(op, v);
    kni_type t = knl_shaped(KN_DT(I64), &shape);
    kni_atom found = knb_full(b, t, 0), out[2] = {found, KN_ATOM_NONE};
    if (knx_is_symbolic(n))
        return search_on(op, a, v, found, right, n);
    for (int64_t rest = n; rest; rest /= 2)
        steps++;
    kni_jaxpr *j = steps ? search_step(op, a, v, t, right) : NULL;
    const kni_atom in[] = {a, v, found, knb_integer(b, KN_DT(I64), n)};
    if (j)
        knb_scan(b, &(kni_p_scan){.jaxpr = j, .length = steps, .num_carry = 2, .num_consts = 2, .unroll = 1}, in, out);
    kni_release(j);
    return out[0];
}
