/* SPDX-License-Identifier: Apache-2.0
 * cast.c -- casts between lanes of other sizes. A part of the result is made of half a part of what it comes from, or
 * of two; those without instructions are left to the loops over lanes (call.c). */
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

static const uint8_t upper_half[16] = {8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15},
                     both_lower[16] = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};

/* Pushes a part as 32-bit integers, from float32: what does not fit is the least one. */
static void push_i32_of_float(stage *s, knk_node a, int part)
{
    knh_wasm_function *f = &s->f;
    knh_wasm_push(s, a, part, 0);
    if (s->cuts) {
        knh_wasm_op0(f, KNH_WASM_I32X4_RELAXED_TRUNC_F32X4_S);
        return;
    }
    knh_wasm_op0(f, KNH_WASM_I32X4_TRUNC_SAT_F32X4_S);
    knh_wasm_push_constant(s, 0x80000000u, 4);
    knh_wasm_push_constant(s, 0xcf000000u, 4), knh_wasm_push(s, a, part, 0), knh_wasm_op0(f, KNH_WASM_F32X4_LE);
    knh_wasm_push(s, a, part, 0), knh_wasm_push_constant(s, 0x4f000000u, 4), knh_wasm_op0(f, KNH_WASM_F32X4_LT);
    knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_blend(s, 4);
}

/* Integers of another size; `from` is that of what push_base gives. */
typedef void push_base(stage *s, knk_node a, int part);
static void push_value(stage *s, knk_node a, int part) { knh_wasm_push(s, a, part, 0); }

static void push_wider(stage *s, knk_node a, int part, int from, int to, bool is_signed)
{
    static const uint32_t op[3][2][2] = {{{KNH_WASM_I16X8_EXTEND_LOW_U, KNH_WASM_I16X8_EXTEND_HIGH_U},
                                          {KNH_WASM_I16X8_EXTEND_LOW_S, KNH_WASM_I16X8_EXTEND_HIGH_S}},
                                         {{KNH_WASM_I32X4_EXTEND_LOW_U, KNH_WASM_I32X4_EXTEND_HIGH_U},
                                          {KNH_WASM_I32X4_EXTEND_LOW_S, KNH_WASM_I32X4_EXTEND_HIGH_S}},
                                         {{KNH_WASM_I64X2_EXTEND_LOW_U, KNH_WASM_I64X2_EXTEND_HIGH_U},
                                          {KNH_WASM_I64X2_EXTEND_LOW_S, KNH_WASM_I64X2_EXTEND_HIGH_S}}};
    if (from == to) {
        knh_wasm_push(s, a, part, 0);
        return;
    }
    push_wider(s, a, part / 2, from, to / 2, is_signed);
    knh_wasm_op0(&s->f, op[knh_wasm_log2(to) - 1][is_signed][part & 1]);
}

static void push_narrower(stage *s, knk_node a, int part, int from, int to, push_base *base)
{
    if (from == to) {
        base(s, a, part);
        return;
    }
    uint8_t lower[16];
    bool two = knh_wasm_parts_of(s, 2 * to) > 1;
    for (int i = 0; i < 16; i++)
        lower[i] = (uint8_t)(i / to * 2 * to + i % to);
    push_narrower(s, a, two ? 2 * part : part, from, 2 * to, base);
    push_narrower(s, a, two ? 2 * part + 1 : part, from, 2 * to, base);
    knh_wasm_shuffle(&s->f, lower);
}

static void push_integer(stage *s, knk_node a, int part, int from, int to)
{
    if (knk_size(from) <= knk_size(to))
        push_wider(s, a, part, knk_size(from), knk_size(to), knk_is_signed_id(from));
    else
        push_narrower(s, a, part, knk_size(from), knk_size(to), push_value);
}

static void bool_to_number(stage *s, knk_node a, int part, int to)
{
    uint64_t one = to == KN_ID_F32    ? 0x3f800000u
                   : to == KN_ID_F64  ? 0x3ff0000000000000u
                   : to == KN_ID_F16  ? 0x3c00
                   : to == KN_ID_BF16 ? 0x3f80
                                      : 1;
    knh_wasm_push(s, a, part, knk_size(to));
    knh_wasm_push_constant(s, one, knk_size(to));
    knh_wasm_op0(&s->f, KNH_WASM_V128_AND);
}

static void number_to_bool(stage *s, knk_node a, int part, int from)
{
    static const uint32_t op[4] = {KNH_WASM_I8X16_NE, KNH_WASM_I16X8_NE, KNH_WASM_I32X4_NE, KNH_WASM_I64X2_NE};
    knh_wasm_push(s, a, part, 0);
    if (knk_is_half_id(from)) { /* without the sign */
        knh_wasm_i32(&s->f, 1);
        knh_wasm_op0(&s->f, KNH_WASM_I16X8_SHL);
    }
    knh_wasm_splat(&s->f, 0, 8);
    knh_wasm_op0(&s->f, from == KN_ID_F32   ? KNH_WASM_F32X4_NE
                        : from == KN_ID_F64 ? KNH_WASM_F64X2_NE
                                            : op[knh_wasm_log2(knk_size(from))]);
}

/* Float64 from what has 32 bits: of the lower or the upper half of a part. */
static void push_half(stage *s, knk_node a, int part, int from)
{
    knh_wasm_push(s, a, part / 2, 0);
    if (part & 1) {
        knh_wasm_push(s, a, part / 2, 0);
        knh_wasm_shuffle(&s->f, upper_half);
    }
    knh_wasm_op0(&s->f, from == KN_ID_F32   ? KNH_WASM_F64X2_PROMOTE
                        : from == KN_ID_U32 ? KNH_WASM_F64X2_CONVERT_LOW_I32X4_U
                                            : KNH_WASM_F64X2_CONVERT_LOW_I32X4_S);
}

static void small_to_double(stage *s, knk_node a, int part, int from)
{
    push_wider(s, a, part / 2, knk_size(from), 4, knk_is_signed_id(from));
    if (part & 1) {
        knh_wasm_tee(&s->f, s->temp);
        knh_wasm_get(&s->f, s->temp);
        knh_wasm_shuffle(&s->f, upper_half);
    }
    knh_wasm_op0(&s->f, KNH_WASM_F64X2_CONVERT_LOW_I32X4_S);
}

static void double_to_single(stage *s, knk_node a, int part)
{
    bool two = knh_wasm_parts_of(s, 8) > 1;
    for (int i = 0; i < 2; i++) {
        knh_wasm_push(s, a, two ? 2 * part + i : part, 0);
        knh_wasm_op0(&s->f, KNH_WASM_F32X4_DEMOTE);
    }
    knh_wasm_shuffle(&s->f, both_lower);
}

static void constant(stage *s, uint64_t bits, uint32_t op)
{
    knh_wasm_push_constant(s, bits, 8);
    knh_wasm_op0(&s->f, op);
}

/* The halves of an integer become the last digits of 2^84 and of 2^52; what they are too large by is taken from the
 * upper one, exactly, and their sum is rounded once. */
static void long_to_double(stage *s, knk_node a, int part, bool is_signed)
{
    uint64_t bias = is_signed ? 0x80000000u : 0;
    knh_wasm_push(s, a, part, 0);
    knh_wasm_i32(&s->f, 32), knh_wasm_op0(&s->f, KNH_WASM_I64X2_SHR_U);
    constant(s, 0x4530000000000000u | bias, KNH_WASM_V128_XOR);
    constant(s, 0x4530000000100000u | bias, KNH_WASM_F64X2_SUB);
    knh_wasm_push(s, a, part, 0);
    constant(s, 0xffffffffu, KNH_WASM_V128_AND);
    constant(s, 0x4330000000000000u, KNH_WASM_V128_OR);
    knh_wasm_op0(&s->f, KNH_WASM_F64X2_ADD);
}

/* What does not fit is the least one: so is what saturates below. */
static void double_to_i32(stage *s, knk_node a, int part)
{
    bool two = knh_wasm_parts_of(s, 8) > 1;
    for (int i = 0; i < 2; i++) {
        int from = two ? 2 * part + i : part;
        knh_wasm_push(s, a, from, 0);
        if (s->cuts) {
            knh_wasm_op0(&s->f, KNH_WASM_I32X4_RELAXED_TRUNC_F64X2_S);
            continue;
        }
        knh_wasm_push_constant(s, 0xc1e0000000000000u, 8);
        knh_wasm_push(s, a, from, 0);
        constant(s, 0x41e0000000000000u, KNH_WASM_F64X2_LT);
        knh_wasm_blend(s, 8);
        knh_wasm_op0(&s->f, KNH_WASM_I32X4_TRUNC_SAT_F64X2_S);
    }
    knh_wasm_shuffle(&s->f, both_lower);
}

/* Pushes a part of the cast; false: there is no form. */
static bool push_cast(stage *s, knk_node a, int part, int from, int to)
{
    bool from_int = knk_is_int_id(from), to_int = knk_is_int_id(to);
    if (from == KN_ID_BOOL)
        bool_to_number(s, a, part, to);
    else if (to == KN_ID_BOOL)
        number_to_bool(s, a, part, from);
    else if (from_int && to_int)
        push_integer(s, a, part, from, to);
    else if (from == KN_ID_F32 && to_int && (knk_size(to) < 4 || to == KN_ID_I32))
        push_narrower(s, a, part, 4, knk_size(to), push_i32_of_float);
    else if (from_int && to == KN_ID_F32 && knk_size(from) <= 4) {
        push_wider(s, a, part, knk_size(from), 4, knk_is_signed_id(from));
        knh_wasm_op0(&s->f, from == KN_ID_U32 ? KNH_WASM_F32X4_CONVERT_I32X4_U : KNH_WASM_F32X4_CONVERT_I32X4_S);
    } else if (to == KN_ID_F64 && (from == KN_ID_F32 || from == KN_ID_I32 || from == KN_ID_U32))
        push_half(s, a, part, from);
    else if (to == KN_ID_F64 && from_int && knk_size(from) < 4)
        small_to_double(s, a, part, from);
    else if (to == KN_ID_F64 && from_int)
        long_to_double(s, a, part, from == KN_ID_I64);
    else if (from == KN_ID_F64 && to == KN_ID_F32)
        double_to_single(s, a, part);
    else if (from == KN_ID_F64 && to == KN_ID_I32)
        double_to_i32(s, a, part);
    else if (from == KN_ID_BF16 && to == KN_ID_F32) {
        push_wider(s, a, part, 2, 4, false);
        knh_wasm_i32(&s->f, 16);
        knh_wasm_op0(&s->f, KNH_WASM_I32X4_SHL);
    } else
        return false;
    return true;
}

void knh_wasm_cast(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int from = node(s, n->a)->dtype;
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        if (!push_cast(s, n->a, p, from, n->dtype)) {
            knh_wasm_call_loop(s, x, KNK_LOOP_OPS + from, n->dtype);
            return;
        }
        knh_wasm_pop(s, x, p);
    }
}
