/* SPDX-License-Identifier: Apache-2.0
 * bits.c -- the functions of bits: shifts, element by element, counts, bits in bytes. */
#include "lib/formulas.h"
#include "lib/internal.h"
#include <string.h>

/* Shifts of the primitives with a count that is not negative; they leave nothing, or the sign, beyond the width. */
static kni_atom count_of(kni_builder *b, kni_atom y)
{
    kn_dtype d = knb_type(b, y).dtype;
    if (d->kind != KN_KIND_INT)
        return y;
    return knb_select(b, knb_lt(b, y, knb_like(b, y, 0)), knb_like(b, y, (double)d->size * 8), y);
}

kni_atom knl_shift_left(kni_builder *b, kni_atom x, kni_atom y) { return knb_shift_left(b, x, count_of(b, y)); }

kni_atom knl_shift_right(kni_builder *b, kni_atom x, kni_atom y)
{
    bool is_signed = knb_type(b, x).dtype->kind == KN_KIND_INT;
    return (is_signed ? knb_shift_right_arithmetic : knb_shift_right_logical)(b, x, count_of(b, y));
}

kn_array kn_bitwise_count(kn_array x)
{
    kna_op op;
    kna_begin(&op, "bitwise_count");
    kni_type t = kna_type(&op, x);
    kni_atom a = KN_ATOM_NONE;
    if (!kna_failed(&op) && t.dtype->kind != KN_KIND_BOOL && !knx_is_integer(t.dtype))
        knl_not_supported(&op, "bitwise_count");
    if (!kna_failed(&op)) {
        a = t.dtype->kind == KN_KIND_BOOL ? kna_in_as(&op, x, KN_DT(U8)) : kna_in(&op, x);
        if (!kna_failed(&op) && knb_type(op.b, a).dtype->kind == KN_KIND_INT)
            a = knb_abs(op.b, a);
        a = knb_astype(op.b, knb_population_count(op.b, a), KN_DT(U8));
    }
    return kna_end_in_order(&op, a, 1, &x);
}

/* ---- Eight truth values in a byte. They are worked on as one number of 64 bits, whose bytes they are. */

/* The sum of 2^(first - step i) for i = 0 .. 7. */
static kni_atom every(kni_builder *b, int first, int step)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)1 << (first - step * i);
    return knb_integer(b, KN_DT(U64), (int64_t)bits);
}

/* Whether byte i belongs to bit i, both counted from the lowest one. */
static bool in_step(bool little) { return little == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__); }

/* The axis (flattened if none is given) moved to the end; *axis receives it. */
static kni_atom along_last(kna_op *op, kn_array x, kn_axes given, int *axis)
{
    kni_atom a = kna_in(op, x);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (given.n <= 0 || knb_type(op->b, a).ndim == 0) { /* a scalar has one axis */
        a = knl_flatten(op, a);
        given = given.n <= 0 ? (kn_axes){.n = 0} : given;
    }
    *axis = kna_axis(op, given, kna_failed(op) ? 1 : knb_type(op->b, a).ndim, 0);
    return kna_failed(op) ? KN_ATOM_NONE : knb_move_axis(op->b, a, *axis, knb_type(op->b, a).ndim - 1);
}

kn_array kn_packbits(kn_array x, const kn_packbits_opts *opts)
{
    KNX_OPTS(kn_packbits_opts, o, opts);
    kna_op op;
    int axis = 0;
    kna_begin(&op, "packbits");
    kni_builder *b = op.b;
    kni_type t = kna_type(&op, x);
    bool little = o.bitorder && !strcmp(o.bitorder, "little");
    if (!kna_failed(&op) && t.dtype->kind != KN_KIND_BOOL && !knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "Expected an input array of integer or boolean data type");
    if (!kna_failed(&op) && o.bitorder && !little && strcmp(o.bitorder, "big") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "'order' must be either 'little' or 'big'");
    kni_atom a = along_last(&op, x, o.axis, &axis);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_shape shape = knl_shape_of(&op, a);
    a = knl_truth(&op, a);
    int64_t none[KN_MAX_NDIM] = {0}, more[KN_MAX_NDIM] = {0}, last = shape.ndim - 1;
    int64_t bytes = knx_dim_ceildiv(shape.dim[last], 8);
    more[last] = knx_dim_sub(knx_dim_mul(bytes, 8), shape.dim[last]);
    if (!knx_dim_eq(more[last], 0))
        a = knb_pad(b, a, knb_integer(b, KN_DT(BOOL), 0), none, more, NULL);
    a = knb_bitcast_last_axis(b, a, KN_DT(U64));
    /* bit 8 i moves to the highest byte, all others beyond it or below: no two bits of the product meet */
    a = knb_mul(b, a, in_step(little) ? every(b, 56, 7) : every(b, 63, 9));
    a = knb_astype(b, knb_shift_right_logical(b, a, knb_like(b, a, 56)), KN_DT(U8));
    return kna_end(&op, knb_move_axis(b, a, (int)last, axis));
}

kn_array kn_unpackbits(kn_array x, const kn_unpackbits_opts *opts)
{
    KNX_OPTS(kn_unpackbits_opts, o, opts);
    kna_op op;
    int axis = 0;
    kna_begin(&op, "unpackbits");
    kni_builder *b = op.b;
    kni_type t = kna_type(&op, x);
    bool little = o.bitorder && *o.bitorder == 'l';
    if (!kna_failed(&op) && t.dtype != KN_DT(U8))
        kna_fail(&op, KN_ERROR_TYPE, "Expected an input array of unsigned byte data type");
    if (!kna_failed(&op) && o.bitorder && !little && *o.bitorder != 'b')
        kna_fail(&op, KN_ERROR_VALUE, "'order' must begin with 'l' or 'b'");
    kni_atom a = along_last(&op, x, o.axis, &axis);
    kn_shape shape = knl_shape_of(&op, a);
    int64_t last = shape.ndim - 1, none[KN_MAX_NDIM] = {0}, end[KN_MAX_NDIM] = {0};
    int64_t bits = kna_failed(&op) ? 0 : knx_dim_mul(shape.dim[last], 8), count = o.count == INT64_MAX ? bits : o.count;
    if (!kna_failed(&op) && count < 0) {
        count += bits;
        if (knx_dim_lt(count, 0))
            kna_fail(&op, KN_ERROR_VALUE, "-count larger than number of elements");
    }
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    /* the byte eight times, of each a bit; what is not 0 reaches the highest one */
    a = knb_mul(b, knb_astype(b, a, KN_DT(U64)), every(b, 56, 8));
    a = knb_and(b, a, in_step(little) ? every(b, 63, 9) : every(b, 56, 7));
    a = knb_add(b, a, knb_integer(b, KN_DT(U64), 0x7f7f7f7f7f7f7f7f));
    a = knb_and(b, knb_shift_right_logical(b, a, knb_like(b, a, 7)), every(b, 56, 8));
    a = knb_bitcast_last_axis(b, a, KN_DT(U8));
    shape.dim[last] = bits;
    memcpy(end, shape.dim, sizeof end);
    end[last] = knx_dim_min(count, bits);
    a = knb_slice(b, a, none, end, NULL);
    memset(end, 0, sizeof end);
    end[last] = knx_dim_max(knx_dim_sub(count, bits), 0);
    a = knb_pad(b, a, knb_integer(b, KN_DT(U8), 0), none, end, NULL);
    return kna_end(&op, knb_move_axis(b, a, (int)last, axis));
}

/* ---- Bits of integers, element by element. */

kn_array kn_bitwise_and(kn_array x, kn_array y) { return knl_binary(kn_ufunc_bitwise_and, x, y); }
kn_array kn_bitwise_or(kn_array x, kn_array y) { return knl_binary(kn_ufunc_bitwise_or, x, y); }
kn_array kn_bitwise_xor(kn_array x, kn_array y) { return knl_binary(kn_ufunc_bitwise_xor, x, y); }
kn_array kn_left_shift(kn_array x, kn_array y) { return knl_binary(kn_ufunc_left_shift, x, y); }
kn_array kn_right_shift(kn_array x, kn_array y) { return knl_binary(kn_ufunc_right_shift, x, y); }
kn_array kn_bitwise_left_shift(kn_array x, kn_array y) { return kn_left_shift(x, y); }
kn_array kn_bitwise_right_shift(kn_array x, kn_array y) { return kn_right_shift(x, y); }

kn_array kn_bitwise_not(kn_array x)
{
    kna_op op;
    kna_begin(&op, "invert");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind != KN_KIND_BOOL && !knx_is_integer(t.dtype))
        knl_not_supported(&op, "invert");
    return kna_end_in_order(&op, knb_not(op.b, kna_in(&op, x)), 1, &x);
}

kn_array kn_invert(kn_array x) { return kn_bitwise_not(x); }
kn_array kn_bitwise_invert(kn_array x) { return kn_bitwise_not(x); }
