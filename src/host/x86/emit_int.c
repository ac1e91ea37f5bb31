/* SPDX-License-Identifier: Apache-2.0
 * emit_int.c -- arithmetic on integers. Those of 8 and 16 bits live in 32-bit lanes, extended; an operation whose
 * result may leave their range extends it again (recipe->extend). AVX2 has no 64-bit multiplication, minimum, absolute
 * value or arithmetic shift and no unsigned comparison: they are made from what there is. */
#include "host/x86/emit_recipe.h"

static uint32_t value_mask(int dtype)
{
    return knk_size(dtype) == 1 ? 0xff : knk_size(dtype) == 2 ? 0xffff : UINT32_MAX;
}

void knh_extend(knh_asm *a, const knh_form *f, int dtype, int dst, int src)
{
    const int len = knh_length(f, dtype), unused = 32 - 8 * knk_size(dtype);
    if (!knk_is_signed_id(dtype)) {
        knh_v3(a, KNH_VPANDD, len, dst, src, knh_lanes32(a, f, value_mask(dtype)));
        return;
    }
    knh_shift(a, KNH_VPSLLD_I, len, dst, src, unused);
    knh_shift(a, KNH_VPSRAD_I, len, dst, dst, unused);
}

static knh_operand sign_bits(const knh_op *o) { return knh_lanes64(o->a, o->f, (uint64_t)1 << 63); }

static void neg(const knh_op *o)
{
    knh_zero(o->a, o->dst);
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->dst, o->src[0]);
}

static void bit_not(const knh_op *o)
{
    const bool wide = knk_size(o->from) == 8;
    const uint32_t bits = knk_is_signed_id(o->from) ? UINT32_MAX : value_mask(o->from);
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg,
           wide ? knh_lanes64(o->a, o->f, UINT64_MAX) : knh_lanes32(o->a, o->f, bits));
}

/* AVX2: the sign bit chooses between -x and x. */
static void abs_i64(const knh_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    knh_zero(o->a, t);
    knh_v3(o->a, KNH_VPSUBQ, o->len, t, t, knh_reg(x));
    knh_v3i(o->a, KNH_VBLENDVPD, o->len, o->dst, x, knh_reg(t), x << 4);
}

/* AVX2: low * low + (low * high + high * low) * 2^32. */
static void mul_64(const knh_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    knh_v2i(o->a, KNH_VPSHUFD, o->len, t, o->src[1], 0xb1);
    knh_v3(o->a, KNH_VPMULLD, o->len, t, t, knh_reg(x));
    knh_v3(o->a, KNH_VPHADDD, o->len, t, t, knh_lanes64(o->a, o->f, 0));
    knh_v2i(o->a, KNH_VPSHUFD, o->len, t, knh_reg(t), 0x73);
    knh_v3(o->a, KNH_VPMULUDQ, o->len, o->dst, x, o->src[1]);
    knh_v3(o->a, KNH_VPADDQ, o->len, o->dst, o->dst, knh_reg(t));
}

/* AVX2, recipe->imm: 1 for the maximum. */
static void min_max_i64(const knh_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    knh_v3(o->a, KNH_VPCMPGTQ, o->len, t, x, o->src[1]);
    if (o->recipe->imm)
        knh_flip(o->a, o->f, o->len, t, t);
    knh_v3i(o->a, KNH_VBLENDVPD, o->len, o->dst, x, o->src[1], t << 4);
}

/* Unsigned numbers are in the order of signed ones after a change of the highest bit. The left one is changed in dst
 * and changed back. */
static void min_max_u64(const knh_op *o)
{
    const int t = o->temp[0], d = o->dst;
    const knh_operand sign = sign_bits(o);
    knh_v2(o->a, KNH_VMOVUPS, o->len, t, sign);
    knh_v3(o->a, KNH_VPXORD, o->len, d, o->src[0].reg, knh_reg(t));
    knh_v3(o->a, KNH_VPXORD, o->len, t, t, o->src[1]);
    if (o->recipe->imm)
        knh_v3(o->a, KNH_VPCMPGTQ, o->len, t, t, knh_reg(d));
    else
        knh_v3(o->a, KNH_VPCMPGTQ, o->len, t, d, knh_reg(t));
    knh_v3(o->a, KNH_VPXORD, o->len, d, d, sign);
    knh_v3i(o->a, KNH_VBLENDVPD, o->len, d, d, o->src[1], t << 4);
}

/* Shifts. The count of a constant goes into the instruction (recipe->imm). */
static void shift_lanes(const knh_op *o, int x)
{
    const knk_inst *count = &o->nodes[o->n->b];
    if (count->op == KNK_CONST)
        knh_shift(o->a, o->recipe->imm, o->len, o->dst, x, count->imm < 255 ? (int)count->imm : 255);
    else
        knh_v3(o->a, o->recipe->insn, o->len, o->dst, x, o->src[1]);
}

static void shift(const knh_op *o) { shift_lanes(o, o->src[0].reg); }

/* SHR of signed small integers and SAR of unsigned ones: the same bits, extended the other way. */
static void shift_other(const knh_op *o)
{
    static const uint8_t other[KN_ID_COUNT] = {
        [KN_ID_I8] = KN_ID_U8, [KN_ID_I16] = KN_ID_U16, [KN_ID_U8] = KN_ID_I8, [KN_ID_U16] = KN_ID_I16};
    knh_extend(o->a, o->f, other[o->from], o->dst, o->src[0].reg);
    shift_lanes(o, o->dst);
}

/* AVX2: a logical shift of what is not negative, x or ~x. */
static void sar_64(const knh_op *o)
{
    const int t = o->temp[0];
    knh_zero(o->a, t);
    knh_v3(o->a, KNH_VPCMPGTQ, o->len, t, t, o->src[0]);
    knh_v3(o->a, KNH_VPXORD, o->len, o->dst, o->src[0].reg, knh_reg(t));
    shift_lanes(o, o->dst);
    knh_v3(o->a, KNH_VPXORD, o->len, o->dst, o->dst, knh_reg(t));
}

/* Comparisons. AVX-512: recipe->imm is the predicate, and above it the one for exchanged operands. */
static void compare_mask(const knh_op *o)
{
    const bool swap = o->src[0].memory;
    knh_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[swap].reg, o->src[!swap],
            swap ? o->recipe->imm >> 8 : o->recipe->imm & 255);
}

/* AVX2: the register holds a comparison; recipe->imm: its opposite is wanted. */
static void finish_compare(const knh_op *o)
{
    if (knk_size(o->from) == 8)
        knh_narrow(o->a, o->dst, o->dst);
    if (o->recipe->imm)
        knh_flip(o->a, o->f, knh_length(o->f, KN_ID_BOOL), o->dst, o->dst);
}

static void compare(const knh_op *o)
{
    knh_emit_two(o);
    finish_compare(o);
}

static void compare_swapped(const knh_op *o)
{
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[1].reg, o->src[0]);
    finish_compare(o);
}

/* a <= b if min(a, b) = a; a < b unless min(a, b) = b */
static void compare_u32(const knh_op *o)
{
    knh_v3(o->a, KNH_VPMINUD, o->len, o->dst, o->src[0].reg, o->src[1]);
    knh_v3(o->a, KNH_VPCMPEQD, o->len, o->dst, o->dst, o->recipe->imm ? o->src[1] : o->src[0]);
    finish_compare(o);
}

static void compare_u64(const knh_op *o)
{
    const int t = o->temp[0];
    const knh_operand sign = sign_bits(o);
    knh_v3(o->a, KNH_VPXORD, o->len, t, o->src[0].reg, sign);
    knh_v3(o->a, KNH_VPXORD, o->len, o->dst, o->src[1].reg, sign);
    if (o->recipe->imm) /* a <= b: not a > b */
        knh_v3(o->a, KNH_VPCMPGTQ, o->len, o->dst, t, knh_reg(o->dst));
    else
        knh_v3(o->a, KNH_VPCMPGTQ, o->len, o->dst, o->dst, knh_reg(t));
    finish_compare(o);
}

/* clang-format off */
#define TWO .memory = 2, .broadcast = 2, .over = 3, .emit = knh_emit_two
#define COMMUTES .commutes = true
#define ROW(set, on, i, ...) {.from = (set), .targets = KNH_##on, .insn = KNH_##i, __VA_ARGS__}
#define END {.from = 0}
#define ANY32 (KNH_W32 | KNH_SMALL)
/* One instruction for 32-bit lanes, with or without another extension, and one for 64-bit ones. */
#define LANES(i32, i64, ...) ROW(ANY32, BOTH, i32, __VA_ARGS__), ROW(KNH_W64, BOTH, i64, __VA_ARGS__), END
#define WRAPPED(i32, i64, ...)                                                                                   \
    ROW(KNH_W32, BOTH, i32, __VA_ARGS__), ROW(KNH_SMALL, BOTH, i32, __VA_ARGS__, .extend = true),                \
    ROW(KNH_W64, BOTH, i64, __VA_ARGS__), END

static const knh_recipe add_recipes[] = {WRAPPED(VPADDD, VPADDQ, TWO, COMMUTES)};
static const knh_recipe sub_recipes[] = {WRAPPED(VPSUBD, VPSUBQ, TWO)};
static const knh_recipe mul_recipes[] = {
    ROW(KNH_W32, BOTH, VPMULLD, TWO, COMMUTES),
    ROW(KNH_SMALL, BOTH, VPMULLW, .memory = 2, .over = 3, .emit = knh_emit_two, COMMUTES, .extend = true),
    ROW(KNH_W64, 512, VPMULLQ, TWO, COMMUTES),
    ROW(KNH_W64, 2, VPMULUDQ, .temps = 1, .memory = 2, .over = 3, .emit = mul_64, COMMUTES), END};
static const knh_recipe neg_recipes[] = {WRAPPED(VPSUBD, VPSUBQ, .memory = 1, .broadcast = 1, .emit = neg)};
#define ABS .memory = 1, .over = 1, .emit = knh_emit_one
static const knh_recipe abs_recipes[] = {
    ROW(KNH_SET(I32), BOTH, VPABSD, ABS), ROW(KNH_SMALL_S, BOTH, VPABSD, ABS, .extend = true),
    ROW(KNH_SET(I64), 512, VPABSQ, ABS), ROW(KNH_SET(I64), 2, VPSUBQ, .temps = 1, .over = 1, .emit = abs_i64),
    ROW(KNH_SMALL_U | KNH_SET(U32) | KNH_SET(U64), BOTH, VMOVAPS, .memory = 1, .over = 1, .emit = knh_emit_copy), END};
#define MIN_MAX(s32, u32, s64, u64, max) {                                                                       \
    ROW(KNH_SET(I32) | KNH_SMALL, BOTH, s32, TWO, COMMUTES), ROW(KNH_SET(U32), BOTH, u32, TWO, COMMUTES),        \
    ROW(KNH_SET(I64), 512, s64, TWO, COMMUTES), ROW(KNH_SET(U64), 512, u64, TWO, COMMUTES),                      \
    ROW(KNH_SET(I64), 2, VPCMPGTQ, .temps = 1, .memory = 2, .over = 3, .emit = min_max_i64, COMMUTES, .imm = max),\
    ROW(KNH_SET(U64), 2, VPCMPGTQ, .temps = 1, .memory = 2, .over = 1, .emit = min_max_u64, COMMUTES, .imm = max),\
    END}
static const knh_recipe min_recipes[] = MIN_MAX(VPMINSD, VPMINUD, VPMINSQ, VPMINUQ, 0);
static const knh_recipe max_recipes[] = MIN_MAX(VPMAXSD, VPMAXUD, VPMAXSQ, VPMAXUQ, 1);
static const knh_recipe and_recipes[] = {LANES(VPANDD, VPANDQ, TWO, COMMUTES)};
static const knh_recipe or_recipes[] = {LANES(VPORD, VPORQ, TWO, COMMUTES)};
static const knh_recipe xor_recipes[] = {LANES(VPXORD, VPXORQ, TWO, COMMUTES)};
static const knh_recipe not_recipes[] = {LANES(VPXORD, VPXORQ, .over = 1, .emit = bit_not)};
#define SHIFT .memory = 2, .broadcast = 2, .over = 3, .emit = shift
#define SHIFT_OTHER .memory = 2, .broadcast = 2, .over = 1, .emit = shift_other
static const knh_recipe shl_recipes[] = {
    ROW(KNH_W32, BOTH, VPSLLVD, SHIFT, .imm = KNH_VPSLLD_I),
    ROW(KNH_SMALL, BOTH, VPSLLVD, SHIFT, .imm = KNH_VPSLLD_I, .extend = true),
    ROW(KNH_W64, BOTH, VPSLLVQ, SHIFT, .imm = KNH_VPSLLQ_I), END};
static const knh_recipe shr_recipes[] = {
    ROW(KNH_W32 | KNH_SMALL_U, BOTH, VPSRLVD, SHIFT, .imm = KNH_VPSRLD_I),
    ROW(KNH_SMALL_S, BOTH, VPSRLVD, SHIFT_OTHER, .imm = KNH_VPSRLD_I, .extend = true),
    ROW(KNH_W64, BOTH, VPSRLVQ, SHIFT, .imm = KNH_VPSRLQ_I), END};
static const knh_recipe sar_recipes[] = {
    ROW(KNH_W32 | KNH_SMALL_S, BOTH, VPSRAVD, SHIFT, .imm = KNH_VPSRAD_I),
    ROW(KNH_SMALL_U, BOTH, VPSRAVD, SHIFT_OTHER, .imm = KNH_VPSRAD_I, .extend = true),
    ROW(KNH_W64, 512, VPSRAVQ, SHIFT, .imm = KNH_VPSRAQ_I),
    ROW(KNH_W64, 2, VPSRLVQ, .temps = 1, .memory = 2, .over = 1, .emit = sar_64, .imm = KNH_VPSRLQ_I), END};
#define MASK(set, i, predicate, exchanged)                                                                       \
    ROW(set, 512, i, .memory = 3, .broadcast = 3, .emit = compare_mask, .imm = (predicate) | (exchanged) << 8)
#define MASKS(predicate, exchanged)                                                                              \
    MASK(KNH_SET(I32) | KNH_SMALL, VPCMPD, predicate, exchanged), MASK(KNH_SET(U32), VPCMPUD, predicate, exchanged),\
    MASK(KNH_SET(I64), VPCMPQ, predicate, exchanged), MASK(KNH_SET(U64), VPCMPUQ, predicate, exchanged)
#define EQUAL(opposite)                                                                                          \
    ROW(ANY32, 2, VPCMPEQD, .memory = 2, .over = 3, .emit = compare, COMMUTES, .imm = opposite),                 \
    ROW(KNH_W64, 2, VPCMPEQQ, .memory = 2, .over = 3, .emit = compare, COMMUTES, .imm = opposite), END
static const knh_recipe eq_recipes[] = {MASKS(0, 0), EQUAL(0)};
static const knh_recipe ne_recipes[] = {MASKS(4, 4), EQUAL(1)};
static const knh_recipe lt_recipes[] = {
    MASKS(1, 6), ROW(KNH_SET(I32) | KNH_SMALL, 2, VPCMPGTD, .memory = 1, .over = 3, .emit = compare_swapped),
    ROW(KNH_SET(I64), 2, VPCMPGTQ, .memory = 1, .over = 3, .emit = compare_swapped),
    ROW(KNH_SET(U32), 2, VPMINUD, .memory = 2, .over = 1, .emit = compare_u32, .imm = 1),
    ROW(KNH_SET(U64), 2, VPCMPGTQ, .temps = 1, .over = 3, .emit = compare_u64), END};
static const knh_recipe le_recipes[] = {
    MASKS(2, 5), ROW(KNH_SET(I32) | KNH_SMALL, 2, VPCMPGTD, .memory = 2, .over = 3, .emit = compare, .imm = 1),
    ROW(KNH_SET(I64), 2, VPCMPGTQ, .memory = 2, .over = 3, .emit = compare, .imm = 1),
    ROW(KNH_SET(U32), 2, VPMINUD, .memory = 2, .over = 2, .emit = compare_u32),
    ROW(KNH_SET(U64), 2, VPCMPGTQ, .temps = 1, .over = 3, .emit = compare_u64, .imm = 1), END};
static const knh_recipe select_recipes[] = {
    ROW(ANY32, 512, VPBLENDMD, .memory = 2, .broadcast = 2, .over = 6, .emit = knh_emit_blend),
    ROW(KNH_W64, 512, VPBLENDMQ, .memory = 2, .broadcast = 2, .over = 6, .emit = knh_emit_blend),
    ROW(ANY32, 2, VBLENDVPS, .memory = 2, .over = 7, .emit = knh_emit_blend),
    ROW(KNH_W64, 2, VBLENDVPD, .temps = 1, .memory = 2, .over = 7, .emit = knh_emit_blend), END};
/* clang-format on */

/* DIV and REM of 64 bits are helpers. */
const knh_recipe *const knh_int_recipes[KNK_OP_COUNT] = {
    [KNK_DIV] = knh_div_recipes,   [KNK_REM] = knh_rem_recipes, [KNK_ADD] = add_recipes, [KNK_SUB] = sub_recipes,
    [KNK_MUL] = mul_recipes,       [KNK_NEG] = neg_recipes,     [KNK_ABS] = abs_recipes, [KNK_MIN] = min_recipes,
    [KNK_MAX] = max_recipes,       [KNK_AND] = and_recipes,     [KNK_OR] = or_recipes,   [KNK_XOR] = xor_recipes,
    [KNK_NOT] = not_recipes,       [KNK_SHL] = shl_recipes,     [KNK_SHR] = shr_recipes, [KNK_SAR] = sar_recipes,
    [KNK_EQ] = eq_recipes,         [KNK_NE] = ne_recipes,       [KNK_LT] = lt_recipes,   [KNK_LE] = le_recipes,
    [KNK_SELECT] = select_recipes,
};
