/* SPDX-License-Identifier: Apache-2.0
 * emit_float.c -- arithmetic on float32 and float64. Minimum and maximum are those of x86 (a < b ? a : b), which the
 * kernel IR has taken over; rounding to an integer raises no flag, like the C functions rint, floor and trunc. */
#include "host/x86/emit_recipe.h"

/* A row for each of the two dtypes. */
#define BOTH_SIZES(op, ...)                                                           \
    {.from = KNH_SET(F32), .targets = KNH_BOTH, .insn = KNH_V##op##PS, __VA_ARGS__},  \
    {                                                                                 \
        .from = KNH_SET(F64), .targets = KNH_BOTH, .insn = KNH_V##op##PD, __VA_ARGS__ \
    }
#define FOR_TARGET(target, op, ...)                                                 \
    {.from = KNH_SET(F32), .targets = target, .insn = KNH_V##op##PS, __VA_ARGS__},  \
    {                                                                               \
        .from = KNH_SET(F64), .targets = target, .insn = KNH_V##op##PD, __VA_ARGS__ \
    }
#define TWO .memory = 2, .broadcast = 2, .over = 3, .emit = knh_emit_two
#define ONE .memory = 1, .broadcast = 1, .over = 1, .emit = knh_emit_one
#define END       \
    {             \
        .from = 0 \
    }

static knh_operand lanes(const knh_op *o, uint32_t for32, uint64_t for64)
{
    return o->from == KN_ID_F64 ? knh_lanes64(o->a, o->f, for64) : knh_lanes32(o->a, o->f, for32);
}

static void neg(const knh_op *o)
{
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, lanes(o, 0x80000000u, (uint64_t)1 << 63));
}

static void absolute(const knh_op *o)
{
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, lanes(o, 0x7fffffffu, INT64_MAX));
}

/* The three forms of an instruction differ in which operand is replaced and which may be memory:
 * 132: d = d * m + v; 213: d = v * d + m; 231: d = v * m + d. */
static void fused(const knh_op *o)
{
    const bool f64 = o->from == KN_ID_F64;
    const knh_insn f132 = f64 ? KNH_VFMADD132PD : KNH_VFMADD132PS, f213 = f64 ? KNH_VFMADD213PD : KNH_VFMADD213PS,
                   f231 = f64 ? KNH_VFMADD231PD : KNH_VFMADD231PS;
    knh_operand x = o->src[0], y = o->src[1], z = o->src[2];
    if (x.memory || (!y.memory && y.reg == o->dst)) { /* x * y = y * x: a factor in memory, or not in dst, is y */
        const knh_operand swap = x;
        x = y;
        y = swap;
    }
    if (!z.memory && z.reg == o->dst) {
        knh_v3(o->a, f231, o->len, o->dst, x.reg, y);
    } else if (x.reg == o->dst && y.memory) {
        knh_v3(o->a, f132, o->len, o->dst, z.reg, y);
    } else if (x.reg == o->dst || z.memory) {
        knh_copy(o->a, o->len, o->dst, x);
        knh_v3(o->a, f213, o->len, o->dst, y.reg, z);
    } else {
        knh_copy(o->a, o->len, o->dst, z);
        knh_v3(o->a, f231, o->len, o->dst, x.reg, y);
    }
}

/* As the interpreter: p * 2^(n / 2) * 2^(n - n / 2), the first product exact. The bias of the exponents is added twice
 * before n is halved. */
static void scalb_avx2(const knh_op *o)
{
    const bool f64 = o->from == KN_ID_F64;
    const int whole = o->temp[0], half = o->temp[1], len = o->len, small = f64 ? 0 : len;
    knh_asm *a = o->a;
    knh_v3(a, f64 ? KNH_VMAXPD : KNH_VMAXPS, len, whole, o->src[1].reg, lanes(o, 0xc3480000u, 0xc092c00000000000u));
    knh_v3(a, f64 ? KNH_VMINPD : KNH_VMINPS, len, whole, whole, lanes(o, 0x43480000u, 0x4092c00000000000u));
    knh_v2(a, f64 ? KNH_VCVTTPD2DQ : KNH_VCVTTPS2DQ, len, whole, knh_reg(whole));
    knh_v3(a, KNH_VPADDD, small, whole, whole, knh_lanes32(a, o->f, f64 ? 2 * 1023 : 2 * 127));
    knh_shift(a, KNH_VPSRLD_I, small, half, whole, 1);
    knh_v3(a, KNH_VPSUBD, small, whole, whole, knh_reg(half));
    for (int i = 1; i >= 0; i--) {
        const int t = o->temp[i];
        if (f64)
            knh_v2(a, KNH_VPMOVZXDQ, len, t, knh_reg(t));
        knh_shift(a, f64 ? KNH_VPSLLQ_I : KNH_VPSLLD_I, len, t, t, f64 ? 52 : 23);
    }
    knh_v3(a, o->recipe->insn, len, o->dst, o->src[0].reg, knh_reg(half));
    knh_v3(a, o->recipe->insn, len, o->dst, o->dst, knh_reg(whole));
}

/* recipe->imm: the predicate, and above it the one for exchanged operands. */
static void compare(const knh_op *o)
{
    const bool swap = o->src[0].memory;
    const int imm = swap ? o->recipe->imm >> 8 : o->recipe->imm & 255;
    knh_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[swap].reg, o->src[!swap], imm);
    if (!knh_wide(o->f) && o->from == KN_ID_F64)
        knh_narrow(o->a, o->dst, o->dst);
}

/* clang-format off */
#define ONE_COMPARE(set, target, name, predicate, exchanged, ...) \
    {.from = KNH_SET(set), .targets = target, .insn = KNH_##name, .imm = (predicate) | (exchanged) << 8, .memory = 3, \
     .emit = compare, __VA_ARGS__}
#define COMPARE(predicate, exchanged) {                                            \
    ONE_COMPARE(F32, KNH_512, VCMPPS_K, predicate, exchanged, .broadcast = 3),      \
    ONE_COMPARE(F64, KNH_512, VCMPPD_K, predicate, exchanged, .broadcast = 3),      \
    ONE_COMPARE(F32, KNH_2, VCMPPS, predicate, exchanged, .over = 3),               \
    ONE_COMPARE(F64, KNH_2, VCMPPD, predicate, exchanged, .over = 3), END}
static const knh_recipe add_recipes[] = {BOTH_SIZES(ADD, TWO, .commutes = true), END};
static const knh_recipe sub_recipes[] = {BOTH_SIZES(SUB, TWO), END};
static const knh_recipe mul_recipes[] = {BOTH_SIZES(MUL, TWO, .commutes = true), END};
static const knh_recipe div_recipes[] = {BOTH_SIZES(DIV, TWO), END};
static const knh_recipe min_recipes[] = {BOTH_SIZES(MIN, TWO), END};
static const knh_recipe max_recipes[] = {BOTH_SIZES(MAX, TWO), END};
static const knh_recipe sqrt_recipes[] = {BOTH_SIZES(SQRT, ONE), END};
static const knh_recipe neg_recipes[] = {BOTH_SIZES(XOR, .over = 1, .emit = neg), END};
static const knh_recipe abs_recipes[] = {BOTH_SIZES(AND, .over = 1, .emit = absolute), END};
static const knh_recipe fma_recipes[] = {BOTH_SIZES(ADD, .memory = 7, .broadcast = 7, .over = 7, .emit = fused), END};
#define ROUND(how) {FOR_TARGET(KNH_512, RNDSCALE, ONE, .imm = how), FOR_TARGET(KNH_2, ROUND, ONE, .imm = how), END}
static const knh_recipe rint_recipes[] = ROUND(8), floor_recipes[] = ROUND(9), trunc_recipes[] = ROUND(11);
static const knh_recipe scalb_recipes[] = {FOR_TARGET(KNH_512, SCALEF, TWO),
                                FOR_TARGET(KNH_2, MUL, .temps = 2, .over = 3, .emit = scalb_avx2), END};
static const knh_recipe eq_recipes[] = COMPARE(0, 0), ne_recipes[] = COMPARE(4, 4);
static const knh_recipe lt_recipes[] = COMPARE(0x11, 0x1e), le_recipes[] = COMPARE(0x12, 0x1d);
static const knh_recipe select_recipes[] = {
    FOR_TARGET(KNH_512, BLENDM, .memory = 2, .broadcast = 2, .over = 6, .emit = knh_emit_blend),
    {.from = KNH_SET(F32), .targets = KNH_2, .insn = KNH_VBLENDVPS, .memory = 2, .over = 7, .emit = knh_emit_blend},
    {.from = KNH_SET(F64), .targets = KNH_2, .insn = KNH_VBLENDVPD, .temps = 1, .memory = 2, .over = 7,
     .emit = knh_emit_blend}, END};
/* clang-format on */

const knh_recipe *const knh_float_recipes[KNK_OP_COUNT] = {
    [KNK_ADD] = add_recipes,       [KNK_SUB] = sub_recipes,     [KNK_MUL] = mul_recipes,
    [KNK_DIV] = div_recipes,       [KNK_MIN] = min_recipes,     [KNK_MAX] = max_recipes,
    [KNK_SQRT] = sqrt_recipes,     [KNK_NEG] = neg_recipes,     [KNK_ABS] = abs_recipes,
    [KNK_FMA] = fma_recipes,       [KNK_RINT] = rint_recipes,   [KNK_FLOOR] = floor_recipes,
    [KNK_TRUNC] = trunc_recipes,   [KNK_SCALB] = scalb_recipes, [KNK_EQ] = eq_recipes,
    [KNK_NE] = ne_recipes,         [KNK_LT] = lt_recipes,       [KNK_LE] = le_recipes,
    [KNK_SELECT] = select_recipes,
};
