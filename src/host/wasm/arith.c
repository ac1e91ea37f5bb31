/* SPDX-License-Identifier: Apache-2.0
 * arith.c -- operations on lanes. What v128 has no instructions for is left to the loops over lanes (call.c). */
#include "base/fma.h"
#include "host/wasm/fma.h"
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
#define NONE 0
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

/* Instructions by the size of a lane: 1, 2, 4, 8 bytes. */
typedef struct by_size {
    uint32_t op[4];
} by_size;
#define INTS(name)                                                                                     \
    {                                                                                                  \
        {                                                                                              \
            KNH_WASM_I8X16_##name, KNH_WASM_I16X8_##name, KNH_WASM_I32X4_##name, KNH_WASM_I64X2_##name \
        }                                                                                              \
    }
#define FLOATS(name)                                                 \
    {                                                                \
        {                                                            \
            NONE, NONE, KNH_WASM_F32X4_##name, KNH_WASM_F64X2_##name \
        }                                                            \
    }
#define SMALL(name)                                                                   \
    {                                                                                 \
        {                                                                             \
            KNH_WASM_I8X16_##name, KNH_WASM_I16X8_##name, KNH_WASM_I32X4_##name, NONE \
        }                                                                             \
    }
#define SAME(op)           \
    {                      \
        {                  \
            op, op, op, op \
        }                  \
    }

typedef struct forms { /* by kind: floats, signed, unsigned integers */
    by_size kind[3];
} forms;
static const forms form[KNK_OP_COUNT] = {
    [KNK_ADD] = {{FLOATS(ADD), INTS(ADD), INTS(ADD)}},
    [KNK_SUB] = {{FLOATS(SUB), INTS(SUB), INTS(SUB)}},
    [KNK_MUL] = {{FLOATS(MUL),
                  {{NONE, KNH_WASM_I16X8_MUL, KNH_WASM_I32X4_MUL, KNH_WASM_I64X2_MUL}},
                  {{NONE, KNH_WASM_I16X8_MUL, KNH_WASM_I32X4_MUL, KNH_WASM_I64X2_MUL}}}},
    [KNK_DIV] = {{FLOATS(DIV)}},
    [KNK_NEG] = {{FLOATS(NEG), INTS(NEG), INTS(NEG)}},
    [KNK_ABS] = {{FLOATS(ABS), INTS(ABS)}},
    [KNK_MIN] = {{FLOATS(PMIN), SMALL(MIN_S), SMALL(MIN_U)}},
    [KNK_MAX] = {{FLOATS(PMAX), SMALL(MAX_S), SMALL(MAX_U)}},
    [KNK_SQRT] = {{FLOATS(SQRT)}},
    [KNK_RINT] = {{FLOATS(NEAREST)}},
    [KNK_FLOOR] = {{FLOATS(FLOOR)}},
    [KNK_TRUNC] = {{FLOATS(TRUNC)}},
    [KNK_AND] = {{{{0}}, SAME(KNH_WASM_V128_AND), SAME(KNH_WASM_V128_AND)}},
    [KNK_OR] = {{{{0}}, SAME(KNH_WASM_V128_OR), SAME(KNH_WASM_V128_OR)}},
    [KNK_XOR] = {{{{0}}, SAME(KNH_WASM_V128_XOR), SAME(KNH_WASM_V128_XOR)}},
    [KNK_NOT] = {{{{0}}, SAME(KNH_WASM_V128_NOT), SAME(KNH_WASM_V128_NOT)}},
    [KNK_EQ] = {{FLOATS(EQ), INTS(EQ), INTS(EQ)}},
    [KNK_NE] = {{FLOATS(NE), INTS(NE), INTS(NE)}},
    [KNK_LT] = {{FLOATS(LT), INTS(LT_S), SMALL(LT_U)}},
    [KNK_LE] = {{FLOATS(LE), INTS(LE_S), SMALL(LE_U)}},
};
static const by_size shifts[3] = {INTS(SHL), INTS(SHR_U), INTS(SHR_S)};

static int kind_of(int d) { return knk_is_float_id(d) ? 0 : knk_is_signed_id(d) ? 1 : 2; }

/* Each part of x: operands in their order, or the second one first. */
static void plain(stage *s, knk_node x, unsigned op, bool exchanged)
{
    const knk_inst *n = node(s, x);
    int count = knk_op_table[n->op].n_operands;
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        for (int j = 0; j < count; j++)
            knh_wasm_push(s, knk_operand(n, exchanged ? count - 1 - j : j), p, 0);
        knh_wasm_op0(&s->f, op);
        knh_wasm_pop(s, x, p);
    }
}

/* Bools: in the width of the result. */
static void of_bools(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int op = n->op, w = s->width[x] ? s->width[x] : 1;
    bool both = op == KNK_AND || op == KNK_MUL || op == KNK_MIN, differ = op == KNK_XOR || op == KNK_NE,
         same = op == KNK_EQ, less = op == KNK_LT || op == KNK_LE;
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        if (op == KNK_NOT) {
            knh_wasm_push(s, n->a, p, w);
            knh_wasm_op0(&s->f, KNH_WASM_V128_NOT);
            knh_wasm_pop(s, x, p);
            continue;
        }
        if (less) { /* ~a & b, ~a | b */
            knh_wasm_push(s, op == KNK_LT ? n->b : n->a, p, w);
            if (op == KNK_LE)
                knh_wasm_op0(&s->f, KNH_WASM_V128_NOT);
            knh_wasm_push(s, op == KNK_LT ? n->a : n->b, p, w);
            knh_wasm_op0(&s->f, op == KNK_LT ? KNH_WASM_V128_ANDNOT : KNH_WASM_V128_OR);
        } else {
            knh_wasm_push(s, n->a, p, w);
            knh_wasm_push(s, n->b, p, w);
            knh_wasm_op0(&s->f, both ? KNH_WASM_V128_AND : differ || same ? KNH_WASM_V128_XOR : KNH_WASM_V128_OR);
            if (same)
                knh_wasm_op0(&s->f, KNH_WASM_V128_NOT);
        }
        knh_wasm_pop(s, x, p);
    }
}

/* Unsigned 64-bit numbers are compared as signed ones with the first bit turned over. */
static void compare_u64(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        for (int j = 0; j < 2; j++) {
            knh_wasm_push(s, knk_operand(n, j), p, 0);
            knh_wasm_push_constant(s, (uint64_t)1 << 63, 8);
            knh_wasm_op0(&s->f, KNH_WASM_V128_XOR);
        }
        knh_wasm_op0(&s->f, n->op == KNK_LT ? KNH_WASM_I64X2_LT_S : KNH_WASM_I64X2_LE_S);
        knh_wasm_pop(s, x, p);
    }
}

/* The smaller or the larger one of 64-bit integers: of two that are equal it does not matter which. */
static void extreme_of_longs(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    bool least = n->op == KNK_MIN, is_unsigned = n->dtype == KN_ID_U64;
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, n->a, p, 0);
        knh_wasm_push(s, n->b, p, 0);
        for (int j = 0; j < 2; j++) {
            knh_wasm_push(s, least ^ (j == 1) ? n->a : n->b, p, 0);
            if (is_unsigned)
                knh_wasm_push_constant(s, (uint64_t)1 << 63, 8), knh_wasm_op0(&s->f, KNH_WASM_V128_XOR);
        }
        knh_wasm_op0(&s->f, KNH_WASM_I64X2_LT_S);
        knh_wasm_blend(s, 8);
        knh_wasm_pop(s, x, p);
    }
}

static void select_lanes(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int w = s->width[x] ? s->width[x] : 1;
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, n->b, p, w);
        knh_wasm_push(s, n->c, p, w);
        knh_wasm_push(s, n->a, p, w);
        knh_wasm_blend(s, w);
        knh_wasm_pop(s, x, p);
    }
}

static bool shift_by_constant(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x), *by = node(s, n->b);
    int size = knk_size(n->dtype);
    if (by->op != KNK_CONST || by->imm >= 8 * (uint64_t)size)
        return false;
    const by_size *op = &shifts[n->op == KNK_SHL ? 0 : n->op == KNK_SHR ? 1 : 2];
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, n->a, p, 0);
        knh_wasm_i32(&s->f, (int32_t)by->imm);
        knh_wasm_op0(&s->f, op->op[knh_wasm_log2(size)]);
        knh_wasm_pop(s, x, p);
    }
    return true;
}

/* ---- Multiply-add. */

static void fma_by_doubles(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push_exact_fma(&s->f, s->temp, s->fma_constants, knh_wasm_own(s, n->a, p), knh_wasm_own(s, n->b, p),
                                knh_wasm_own(s, n->c, p));
        knh_wasm_pop(s, x, p);
    }
}

static void fma_by_call(stage *s, knk_node x)
{
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        for (int j = 0; j < 3; j++)
            knh_wasm_push(s, knk_operand(node(s, x), j), p, 0);
        knh_wasm_i32(&s->f, (int32_t)(uintptr_t)knx_exact_fma8);
        knh_wasm_call(&s->f, KNH_WASM_THREE);
        knh_wasm_pop(s, x, p);
    }
}

static void multiply_add(stage *s, knk_node x)
{
    bool single = node(s, x)->dtype == KN_ID_F32;
    if (s->fused)
        plain(s, x, single ? KNH_WASM_F32X4_RELAXED_MADD : KNH_WASM_F64X2_RELAXED_MADD, false);
    else if (single)
        fma_by_doubles(s, x);
    else
        fma_by_call(s, x);
}

static void copy(stage *s, knk_node x)
{
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, node(s, x)->a, p, s->width[x]);
        knh_wasm_pop(s, x, p);
    }
}

/* Operations by the table; false: it has no form. */
static bool by_table(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int d = node(s, n->a)->dtype, size = knk_size(d), op = n->op;
    unsigned code = form[op].kind[kind_of(d)].op[knh_wasm_log2(size)];
    bool extreme = op == KNK_MIN || op == KNK_MAX;
    if (d == KN_ID_U64 && (op == KNK_LT || op == KNK_LE)) {
        compare_u64(s, x);
        return true;
    }
    if (extreme && (d == KN_ID_U64 || d == KN_ID_I64)) {
        extreme_of_longs(s, x);
        return true;
    }
    if (op == KNK_ABS && kind_of(d) == 2) {
        copy(s, x);
        return true;
    }
    if (!code || knk_is_half_id(d))
        return false;
    plain(s, x, code, extreme && knk_is_float_id(d)); /* pmin(b, a) is a < b ? a : b */
    return true;
}

void knh_wasm_compute(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int operand = n->a >= 0 ? node(s, n->a)->dtype : n->dtype;
    bool done = true;
    switch ((int)n->op) {
    case KNK_INDEX: knh_wasm_index_value(s, x); break;
    case KNK_LOAD: knh_wasm_load(s, x); break;
    case KNK_CAST: knh_wasm_cast(s, x); break;
    case KNK_LAST:
    case KNK_BITCAST: copy(s, x); break;
    case KNK_SELECT: select_lanes(s, x); break;
    case KNK_SHL:
    case KNK_SHR:
    case KNK_SAR: done = shift_by_constant(s, x); break;
    case KNK_FMA: multiply_add(s, x); break;
    case KNK_SCALB: knh_wasm_scale(s, x); break;
    default:
        if (operand == KN_ID_BOOL)
            of_bools(s, x);
        else
            done = by_table(s, x);
    }
    if (!done)
        knh_wasm_call_loop(s, x, n->op, operand);
}

/* ---- Joining. */

static void extreme_of(stage *s, int how, int dtype)
{
    knh_wasm_function *f = &s->f;
    int a = s->temp, b = s->temp + 1, size = knk_size(dtype);
    bool least = how == KNK_RED_MIN, is_float = knk_is_float_id(dtype);
    unsigned code = form[least ? KNK_MIN : KNK_MAX].kind[kind_of(dtype)].op[knh_wasm_log2(size)];
    if (!is_float && code) {
        knh_wasm_op0(f, code);
        return;
    }
    knh_wasm_set(f, b), knh_wasm_set(f, a);
    if (is_float) { /* a where it is NaN */
        knh_wasm_get(f, a);
        knh_wasm_get(f, b), knh_wasm_get(f, a), knh_wasm_op0(f, code);
        knh_wasm_get(f, a), knh_wasm_get(f, a);
        knh_wasm_op0(f, dtype == KN_ID_F32 ? KNH_WASM_F32X4_NE : KNH_WASM_F64X2_NE);
    } else {
        knh_wasm_get(f, a), knh_wasm_get(f, b);
        knh_wasm_get(f, least ? a : b);
        if (dtype == KN_ID_U64)
            knh_wasm_push_constant(s, (uint64_t)1 << 63, 8), knh_wasm_op0(f, KNH_WASM_V128_XOR);
        knh_wasm_get(f, least ? b : a);
        if (dtype == KN_ID_U64)
            knh_wasm_push_constant(s, (uint64_t)1 << 63, 8), knh_wasm_op0(f, KNH_WASM_V128_XOR);
        knh_wasm_op0(f, KNH_WASM_I64X2_LT_S);
    }
    knh_wasm_blend(s, size);
}

/* Products of bytes: of their even and odd halves as 16-bit numbers. */
static void multiply_bytes(stage *s)
{
    knh_wasm_function *f = &s->f;
    int a = s->temp, b = s->temp + 1;
    knh_wasm_set(f, b), knh_wasm_set(f, a);
    knh_wasm_get(f, a), knh_wasm_get(f, b), knh_wasm_op0(f, KNH_WASM_I16X8_MUL);
    knh_wasm_push_constant(s, 0xff, 2), knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_get(f, a), knh_wasm_i32(f, 8), knh_wasm_op0(f, KNH_WASM_I16X8_SHR_U);
    knh_wasm_get(f, b), knh_wasm_i32(f, 8), knh_wasm_op0(f, KNH_WASM_I16X8_SHR_U);
    knh_wasm_op0(f, KNH_WASM_I16X8_MUL), knh_wasm_i32(f, 8), knh_wasm_op0(f, KNH_WASM_I16X8_SHL);
    knh_wasm_op0(f, KNH_WASM_V128_OR);
}

void knh_wasm_combine(stage *s, int how, int dtype)
{
    static const uint8_t op_of[] = {KNK_ADD, KNK_MUL, KNK_MIN, KNK_MAX, KNK_AND, KNK_OR, KNK_XOR};
    if (dtype == KN_ID_BOOL) {
        bool both = how == KNK_RED_AND || how == KNK_RED_MUL || how == KNK_RED_MIN;
        knh_wasm_op0(&s->f, both ? KNH_WASM_V128_AND : how == KNK_RED_XOR ? KNH_WASM_V128_XOR : KNH_WASM_V128_OR);
    } else if (how == KNK_RED_MIN || how == KNK_RED_MAX) {
        extreme_of(s, how, dtype);
    } else if (how == KNK_RED_MUL && knk_size(dtype) == 1) {
        multiply_bytes(s);
    } else {
        knh_wasm_op0(&s->f, form[op_of[how]].kind[kind_of(dtype)].op[knh_wasm_log2(knk_size(dtype))]);
    }
}
