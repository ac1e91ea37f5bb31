/* SPDX-License-Identifier: Apache-2.0
 * emit_int.c -- arithmetic on integers. Those of 8 and 16 bits live in 32-bit lanes, extended; an operation whose
 * result may leave their range extends it again (recipe->extend). AVX2 has no 64-bit multiplication, minimum, absolute
 * value or arithmetic shift and no unsigned comparison: they are made from what there is. */
#include "host/x86/emit_recipe.h"

static uint32_t value_mask(int dtype)
{
    return knk_size(dtype) == 1 ? 0xff : knk_size(dtype) == 2 ? 0xffff : UINT32_MAX;
}

void kng_extend(kng_asm *a, const kng_form *f, int dtype, int dst, int src)
{
    const int len = kng_length(f, dtype), unused = 32 - 8 * knk_size(dtype);
    if (!knk_is_signed_id(dtype)) {
        kng_v3(a, KNG_VPANDD, len, dst, src, kng_lanes32(a, f, value_mask(dtype)));
        return;
    }
    kng_shift(a, KNG_VPSLLD_I, len, dst, src, unused);
    kng_shift(a, KNG_VPSRAD_I, len, dst, dst, unused);
}

static kng_operand sign_bits(const kng_op *o) { return kng_lanes64(o->a, o->f, (uint64_t)1 << 63); }

static void neg(const kng_op *o)
{
    kng_zero(o->a, o->dst);
    kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->dst, o->src[0]);
}

static void bit_not(const kng_op *o)
{
    const bool wide = knk_size(o->from) == 8;
    const uint32_t bits = knk_is_signed_id(o->from) ? UINT32_MAX : value_mask(o->from);
    kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg,
           wide ? kng_lanes64(o->a, o->f, UINT64_MAX) : kng_lanes32(o->a, o->f, bits));
}

/* AVX2: the sign bit chooses between -x and x. */
static void abs_i64(const kng_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    kng_zero(o->a, t);
    kng_v3(o->a, KNG_VPSUBQ, o->len, t, t, kng_reg(x));
    kng_v3i(o->a, KNG_VBLENDVPD, o->len, o->dst, x, kng_reg(t), x << 4);
}

/* AVX2: low * low + (low * high + high * low) * 2^32. */
static void mul_64(const kng_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    kng_v2i(o->a, KNG_VPSHUFD, o->len, t, o->src[1], 0xb1);
    kng_v3(o->a, KNG_VPMULLD, o->len, t, t, kng_reg(x));
    kng_v3(o->a, KNG_VPHADDD, o->len, t, t, kng_lanes64(o->a, o->f, 0));
    kng_v2i(o->a, KNG_VPSHUFD, o->len, t, kng_reg(t), 0x73);
    kng_v3(o->a, KNG_VPMULUDQ, o->len, o->dst, x, o->src[1]);
    kng_v3(o->a, KNG_VPADDQ, o->len, o->dst, o->dst, kng_reg(t));
}

/* AVX2, recipe->imm: 1 for the maximum. */
static void min_max_i64(const kng_op *o)
{
    const int t = o->temp[0], x = o->src[0].reg;
    kng_v3(o->a, KNG_VPCMPGTQ, o->len, t, x, o->src[1]);
    if (o->recipe->imm)
        kng_flip(o->a, o->f, o->len, t, t);
    kng_v3i(o->a, KNG_VBLENDVPD, o->len, o->dst, x, o->src[1], t << 4);
}

/* Unsigned numbers are in the order of signed ones after a change of the highest bit. The left one is changed in dst
 * and changed back. */
static void min_max_u64(const kng_op *o)
{
    const int t = o->temp[0], d = o->dst;
    const kng_operand sign = sign_bits(o);
    kng_v2(o->a, KNG_VMOVUPS, o->len, t, sign);
    kng_v3(o->a, KNG_VPXORD, o->len, d, o->src[0].reg, kng_reg(t));
    kng_v3(o->a, KNG_VPXORD, o->len, t, t, o->src[1]);
    if (o->recipe->imm)
        kng_v3(o->a, KNG_VPCMPGTQ, o->len, t, t, kng_reg(d));
    else
        kng_v3(o->a, KNG_VPCMPGTQ, o->len, t, d, kng_reg(t));
    kng_v3(o->a, KNG_VPXORD, o->len, d, d, sign);
    kng_v3i(o->a, KNG_VBLENDVPD, o->len, d, d, o->src[1], t << 4);
}

/* Shifts. The count of a constant goes into the instruction (recipe->imm). */
static void shift_lanes(const kng_op *o, int x)
{
    const knk_inst *count = &o->nodes[o->n->b];
    if (count->op == KNK_CONST)
        kng_shift(o->a, o->recipe->imm, o->len, o->dst, x, count->imm < 255 ? (int)count->imm : 255);
    else
        kng_v3(o->a, o->recipe->insn, o->len, o->dst, x, o->src[1]);
}

static void shift(const kng_op *o) { shift_lanes(o, o->src[0].reg); }

/* SHR of signed small integers and SAR of unsigned ones: the same bits, extended the other way. */
static void shift_other(const kng_op *o)
{
    static const uint8_t other[KN_ID_COUNT] = {
        [KN_ID_I8] = KN_ID_U8, [KN_ID_I16] = KN_ID_U16, [KN_ID_U8] = KN_ID_I8, [KN_ID_U16] = KN_ID_I16};
    kng_extend(o->a, o->f, other[o->from], o->dst, o->src[0].reg);
    shift_lanes(o, o->dst);
}

/* AVX2: a logical shift of what is not negative, x or ~x. */
static void sar_64(const kng_op *o)
{
    const int t = o->temp[0];
    kng_zero(o->a, t);
    kng_v3(o->a, KNG_VPCMPGTQ, o->len, t, t, o->src[0]);
    kng_v3(o->a, KNG_VPXORD, o->len, o->dst, o->src[0].reg, kng_reg(t));
    shift_lanes(o, o->dst);
    kng_v3(o->a, KNG_VPXORD, o->len, o->dst, o->dst, kng_reg(t));
}

/* Comparisons. AVX-512: recipe->imm is the predicate, and above it the one for exchanged operands. */
static void compare_mask(const kng_op *o)
{
    const bool swap = o->src[0].memory;
    kng_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[swap].reg, o->src[!swap],
            swap ? o->recipe->imm >> 8 : o->recipe->imm & 255);
}

/* AVX2: the register holds a comparison; recipe->imm: its opposite is wanted. */
static void finish_compare(const kng_op *o)
{
    if (knk_size(o->from) == 8)
        kng_narrow(o->a, o->dst, o->dst);
    if (o->recipe->imm)
        kng_flip(o->a, o->f, kng_length(o->f, KN_ID_BOOL), o->dst, o->dst);
}

static void compare(const kng_op *o)
{
    kng_emit_two(o);
    finish_compare(o);
}

static void compare_swapped(const kng_op *o)
{
    kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[1].reg, o->src[0]);
    finish_compare(o);
}

/* a <= b if min(a, b) = a; a < b unless min(a, b) = b */
static void compare_u32(const kng_op *o)
{
    kng_v3(o->a, KNG_VPMINUD, o->len, o->dst, o->src[0].reg, o->src[1]);
    kng_v3(o->a, KNG_VPCMPEQD, o->len, o->dst, o->dst, o->recipe->imm ? o->src[1] : o->src[0]);
    finish_compare(o);
}

static void compare_u64(const kng_op *o)
{
    const int t = o->temp[0];
    const kng_operand sign = sign_bits(o);
    kng_v3(o->a, KNG_VPXORD, o->len, t, o->src[0].reg, sign);
    kng_v3(o->a, KNG_VPXORD, o->len, o->dst, o->src[1].reg, sign);
    if (o->recipe->imm) /* a <= b: not a > b */
        kng_v3(o->a, KNG_VPCMPGTQ, o->len, o->dst, t, kng_reg(o->dst));
    else
        kng_v3(o->a, KNG_VPCMPGTQ, o->len, o->dst, o->dst, kng_reg(t));
    finish_compare(o);
}

/* clang-format off */
#define TWO .memory = 2, .broadcast = 2, .over = 3, .emit = kng_emit_two
#define COMMUTES .commutes = true
#define ROW(set, on, i, ...) {.from = (set), .targets = KNG_##on, .insn = KNG_##i, __VA_ARGS__}
#define END {.from = 0}
#define ANY32 (KNG_W32 | KNG_SMALL)
/* One instruction for 32-bit lanes, with or without another extension, and one for 64-bit ones. */
#define LANES(i32, i64, ...) ROW(ANY32, BOTH, i32, __VA_ARGS__), ROW(KNG_W64, BOTH, i64, __VA_ARGS__), END
#define WRAPPED(i32, i64, ...)                                                                                   \
    ROW(KNG_W32, BOTH, i32, __VA_ARGS__), ROW(KNG_SMALL, BOTH, i32, __VA_ARGS__, .extend = true),                \
    ROW(KNG_W64, BOTH, i64, __VA_ARGS__), END

static const kng_recipe add_recipes[] = {WRAPPED(VPADDD, VPADDQ, TWO, COMMUTES)};
static const kng_recipe sub_recipes[] = {WRAPPED(VPSUBD, VPSUBQ, TWO)};
static const kng_recipe mul_recipes[] = {
    ROW(KNG_W32, BOTH, VPMULLD, TWO, COMMUTES),
    ROW(KNG_SMALL, BOTH, VPMULLW, .memory = 2, .over = 3, .emit = kng_emit_two, COMMUTES, .extend = true),
    ROW(KNG_W64, 512, VPMULLQ, TWO, COMMUTES),
    ROW(KNG_W64, 2, VPMULUDQ, .temps = 1, .memory = 2, .over = 3, .emit = mul_64, COMMUTES), END};
static const kng_recipe neg_recipes[] = {WRAPPED(VPSUBD, VPSUBQ, .memory = 1, .broadcast = 1, .emit = neg)};
#define ABS .memory = 1, .over = 1, .emit = kng_emit_one
static const kng_recipe abs_recipes[] = {
    ROW(KNG_SET(I32), BOTH, VPABSD, ABS), ROW(KNG_SMALL_S, BOTH, VPABSD, ABS, .extend = true),
    ROW(KNG_SET(I64), 512, VPABSQ, ABS), ROW(KNG_SET(I64), 2, VPSUBQ, .temps = 1, .over = 1, .emit = abs_i64),
    ROW(KNG_SMALL_U | KNG_SET(U32) | KNG_SET(U64), BOTH, VMOVAPS, .memory = 1, .over = 1, .emit = kng_emit_copy), END};
#define MIN_MAX(s32, u32, s64, u64, max) {                                                                       \
    ROW(KNG_SET(I32) | KNG_SMALL, BOTH, s32, TWO, COMMUTES), ROW(KNG_SET(U32), BOTH, u32, TWO, COMMUTES),        \
    ROW(KNG_SET(I64), 512, s64, TWO, COMMUTES), ROW(KNG_SET(U64), 512, u64, TWO, COMMUTES),                      \
    ROW(KNG_SET(I64), 2, VPCMPGTQ, .temps = 1, .memory = 2, .over = 3, .emit = min_max_i64, COMMUTES, .imm = max),\
    ROW(KNG_SET(U64), 2, VPCMPGTQ, .temps = 1, .memory = 2, .over = 1, .emit = min_max_u64, COMMUTES, .imm = max),\
    END}
static const kng_recipe min_recipes[] = MIN_MAX(VPMINSD, VPMINUD, VPMINSQ, VPMINUQ, 0);
static const kng_recipe max_recipes[] = MIN_MAX(VPMAXSD, VPMAXUD, VPMAXSQ, VPMAXUQ, 1);
static const kng_recipe and_recipes[] = {LANES(VPANDD, VPANDQ, TWO, COMMUTES)};
static const kng_recipe or_recipes[] = {LANES(VPORD, VPORQ, TWO, COMMUTES)};
static const kng_recipe xor_recipes[] = {LANES(VPXORD, VPXORQ, TWO, COMMUTES)};
static const kng_recipe not_recipes[] = {LANES(VPXORD, VPXORQ, .over = 1, .emit = bit_not)};
#define SHIFT .memory = 2, .broadcast = 2, .over = 3, .emit = shift
#define SHIFT_OTHER .memory = 2, .broadcast = 2, .over = 1, .emit = shift_other
static const kng_recipe shl_recipes[] = {
    ROW(KNG_W32, BOTH, VPSLLVD, SHIFT, .imm = KNG_VPSLLD_I),
    ROW(KNG_SMALL, BOTH, VPSLLVD, SHIFT, .imm = KNG_VPSLLD_I, .extend = true),
    ROW(KNG_W64, BOTH, VPSLLVQ, SHIFT, .imm = KNG_VPSLLQ_I), END};
static const kng_recipe shr_recipes[] = {
    ROW(KNG_W32 | KNG_SMALL_U, BOTH, VPSRLVD, SHIFT, .imm = KNG_VPSRLD_I),
    ROW(KNG_SMALL_S, BOTH, VPSRLVD, SHIFT_OTHER, .imm = KNG_VPSRLD_I, .extend = true),
    ROW(KNG_W64, BOTH, VPSRLVQ, SHIFT, .imm = KNG_VPSRLQ_I), END};
static const kng_recipe sar_recipes[] = {
    ROW(KNG_W32 | KNG_SMALL_S, BOTH, VPSRAVD, SHIFT, .imm = KNG_VPSRAD_I),
    ROW(KNG_SMALL_U, BOTH, VPSRAVD, SHIFT_OTHER, .imm = KNG_VPSRAD_I, .extend = true),
    ROW(KNG_W64, 512, VPSRAVQ, SHIFT, .imm = KNG_VPSRAQ_I),
    ROW(KNG_W64, 2, VPSRLVQ, .temps = 1, .memory = 2, .over = 1, .emit = sar_64, .imm = KNG_VPSRLQ_I), END};
#define MASK(set, i, predicate, exchanged)                                                                       \
    ROW(set, 512, i, .memory = 3, .broadcast = 3, .emit = compare_mask, .imm = (predicate) | (exchanged) << 8)
#define MASKS(predicate, exchanged)                                                                              \
    MASK(KNG_SET(I32) | KNG_SMALL, VPCMPD, predicate, exchanged), MASK(KNG_SET(U32), VPCMPUD, predicate, exchanged),\
    MASK(KNG_SET(I64), VPCMPQ, predicate, exchanged), MASK(KNG_SET(U64), VPCMPUQ, predicate, exchanged)
#define EQUAL(opposite)                                                                                          \
    ROW(ANY32, 2, VPCMPEQD, .memory = 2, .over = 3, .emit = compare, COMMUTES, .imm = opposite),                 \
    ROW(KNG_W64, 2, VPCMPEQQ, .memory = 2, .over = 3, .emit = compare, COMMUTES, .imm = opposite), END
static const kng_recipe eq_recipes[] = {MASKS(0, 0), EQUAL(0)};
static const kng_recipe ne_recipes[] = {MASKS(4, 4), EQUAL(1)};
static const kng_recipe lt_recipes[] = {
    MASKS(1, 6), ROW(KNG_SET(I32) | KNG_SMALL, 2, VPCMPGTD, .memory = 1, .over = 3, .emit = compare_swapped),
    ROW(KNG_SET(I64), 2, VPCMPGTQ, .memory = 1, .over = 3, .emit = compare_swapped),
    ROW(KNG_SET(U32), 2, VPMINUD, .memory = 2, .over = 1, .emit = compare_u32, .imm = 1),
    ROW(KNG_SET(U64), 2, VPCMPGTQ, .temps = 1, .over = 3, .emit = compare_u64), END};
static const kng_recipe le_recipes[] = {
    MASKS(2, 5), ROW(KNG_SET(I32) | KNG_SMALL, 2, VPCMPGTD, .memory = 2, .over = 3, .emit = compare, .imm = 1),
    ROW(KNG_SET(I64), 2, VPCMPGTQ, .memory = 2, .over = 3, .emit = compare, .imm = 1),
    ROW(KNG_SET(U32), 2, VPMINUD, .memory = 2, .over = 2, .emit = compare_u32),
    ROW(KNG_SET(U64), 2, VPCMPGTQ, .temps = 1, .over = 3, .emit = compare_u64, .imm = 1), END};
static const kng_recipe select_recipes[] = {
    ROW(ANY32, 512, VPBLENDMD, .memory = 2, .broadcast = 2, .over = 6, .emit = kng_emit_blend),
    ROW(KNG_W64, 512, VPBLENDMQ, .memory = 2, .broadcast = 2, .over = 6, .emit = kng_emit_blend),
    ROW(ANY32, 2, VBLENDVPS, .memory = 2, .over = 7, .emit = kng_emit_blend),
    ROW(KNG_W64, 2, VBLENDVPD, .temps = 1, .memory = 2, .over = 7, .emit = kng_emit_blend), END};
/* clang-format on */

/* DIV and REM of 64 bits are helpers. */
const kng_recipe *const kng_int_recipes[KNK_OP_COUNT] = {
    [KNK_DIV] = kng_div_recipes,   [KNK_REM] = kng_rem_recipes, [KNK_ADD] = add_recipes, [KNK_SUB] = sub_recipes,
    [KNK_MUL] = mul_recipes,       [KNK_NEG] = neg_recipes,     [KNK_ABS] = abs_recipes, [KNK_MIN] = min_recipes,
    [KNK_MAX] = max_recipes,       [KNK_AND] = and_recipes,     [KNK_OR] = or_recipes,   [KNK_XOR] = xor_recipes,
    [KNK_NOT] = not_recipes,       [KNK_SHL] = shl_recipes,     [KNK_SHR] = shr_recipes, [KNK_SAR] = sar_recipes,
    [KNK_EQ] = eq_recipes,         [KNK_NE] = ne_recipes,       [KNK_LT] = lt_recipes,   [KNK_LE] = le_recipes,
    [KNK_SELECT] = select_recipes,
};
