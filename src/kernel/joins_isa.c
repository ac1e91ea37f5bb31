/* SPDX-License-Identifier: Apache-2.0
 * joins_isa.c -- the loops of reductions, for the interpreter and for machine code: joining two vectors of partial
 * results, and filling one with the identity. Compiled for each instruction set (KN_ISA = base, avx2); the bits are
 * those of lanes.c. */
#include "base/isa_name.h"
#include "kernel/internal.h"
#include "kernel/lanes.h"

/* clang-format off */
#define BITS(T)                       \
    BINARY1(add_##T, T, T, WRAP(T, +)) \
    BINARY1(mul_##T, T, T, WRAP(T, *)) \
    BINARY1(and_##T, T, T, x & y)      \
    BINARY1(or_##T, T, T, x | y)       \
    BINARY1(xor_##T, T, T, x ^ y)
#define ORDER(T)                              \
    BINARY1(min_##T, T, T, FLOAT_MIN(x, y)) \
    BINARY1(max_##T, T, T, FLOAT_MAX(x, y))
#define FLOATING(T)                           \
    BINARY1(add_##T, T, T, x + y)            \
    BINARY1(mul_##T, T, T, x * y)            \
    BINARY1(min_##T, T, T, FLOAT_MINN(x, y)) \
    BINARY1(max_##T, T, T, FLOAT_MAXN(x, y))
BITS(u8) BITS(u16) BITS(u32) BITS(u64)
ORDER(u8) ORDER(u16) ORDER(u32) ORDER(u64) ORDER(i8) ORDER(i16) ORDER(i32) ORDER(i64)
FLOATING(f32) FLOATING(f64)

#define SIGNLESS(f)                                                                          \
    [KN_ID_I8] = f##_u8_vv, [KN_ID_U8] = f##_u8_vv, [KN_ID_I16] = f##_u16_vv,                \
    [KN_ID_U16] = f##_u16_vv, [KN_ID_I32] = f##_u32_vv, [KN_ID_U32] = f##_u32_vv,            \
    [KN_ID_I64] = f##_u64_vv, [KN_ID_U64] = f##_u64_vv
#define ORDERED(f)                                                                           \
    [KN_ID_BOOL] = f##_u8_vv, [KN_ID_I8] = f##_i8_vv, [KN_ID_U8] = f##_u8_vv,                \
    [KN_ID_I16] = f##_i16_vv, [KN_ID_U16] = f##_u16_vv, [KN_ID_I32] = f##_i32_vv,            \
    [KN_ID_U32] = f##_u32_vv, [KN_ID_I64] = f##_i64_vv, [KN_ID_U64] = f##_u64_vv
#define FLOATS(f) [KN_ID_F32] = f##_f32_vv, [KN_ID_F64] = f##_f64_vv

static void splat(int size, void *d, const void *value, size_t n)
{
    BY_SIZE(size, T *to = d; const T v = *(const T *)value; LANES for (size_t i = 0; i < n; i++) to[i] = v;)
}

const knk_joins KN_ISA_NAME(knk_joins) = {.splat = splat, .join = {
    [KNK_RED_ADD] = {SIGNLESS(add), [KN_ID_BOOL] = or_u8_vv, FLOATS(add)},
    [KNK_RED_MUL] = {SIGNLESS(mul), [KN_ID_BOOL] = and_u8_vv, FLOATS(mul)},
    [KNK_RED_MIN] = {ORDERED(min), FLOATS(min)},
    [KNK_RED_MAX] = {ORDERED(max), FLOATS(max)},
    [KNK_RED_AND] = {SIGNLESS(and), [KN_ID_BOOL] = and_u8_vv},
    [KNK_RED_OR] = {SIGNLESS(or), [KN_ID_BOOL] = or_u8_vv},
    [KNK_RED_XOR] = {SIGNLESS(xor), [KN_ID_BOOL] = xor_u8_vv},
}};
/* clang-format on */
