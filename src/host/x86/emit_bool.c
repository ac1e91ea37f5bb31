/* SPDX-License-Identifier: Apache-2.0
 * emit_bool.c -- bools: mask registers of AVX-512; 32-bit lanes of ones or zeros of AVX2. */
#include "host/x86/emit_recipe.h"

void knh_flip(knh_asm *a, const knh_form *f, int len, int dst, int src)
{
    knh_v3(a, KNH_VPXORD, len, dst, src, knh_lanes32(a, f, UINT32_MAX));
}

void knh_narrow(knh_asm *a, int dst, int src)
{
    knh_v2i(a, KNH_VPSHUFD, 1, dst, knh_reg(src), 0x88);
    knh_v2i(a, KNH_VPERMQ_I, 1, dst, knh_reg(dst), 0x08);
}

static void not_mask(const knh_op *o) { knh_v2(o->a, KNH_KNOTW, 0, o->dst, o->src[0]); }
static void not_lanes(const knh_op *o) { knh_flip(o->a, o->f, o->len, o->dst, o->src[0].reg); }

/* a <= b: not (b < a) = not (~b & a) */
static void le_mask(const knh_op *o)
{
    knh_v3(o->a, KNH_KANDNW, 0, o->dst, o->src[1].reg, o->src[0]);
    knh_v2(o->a, KNH_KNOTW, 0, o->dst, knh_reg(o->dst));
}

/* a <= b: (a | b) = b */
static void le_lanes(const knh_op *o)
{
    knh_v3(o->a, KNH_VPORD, o->len, o->dst, o->src[0].reg, o->src[1]);
    knh_v3(o->a, KNH_VPCMPEQD, o->len, o->dst, o->dst, o->src[1]);
}

/* pred & yes | ~pred & no */
static void select_mask(const knh_op *o)
{
    const int t = o->mask[0];
    knh_v3(o->a, KNH_KANDW, 0, t, o->src[0].reg, o->src[1]);
    knh_v3(o->a, KNH_KANDNW, 0, o->dst, o->src[0].reg, o->src[2]);
    knh_v3(o->a, KNH_KORW, 0, o->dst, o->dst, knh_reg(t));
}

/* clang-format off */
#define ROW(on, i, ...) {.from = KNH_BOOLS, .targets = KNH_##on, .insn = KNH_##i, __VA_ARGS__}
#define END {.from = 0}
#define EACH(mask, lanes, ...)                                                                                   \
    {ROW(512, mask, .over = 3, .emit = knh_emit_two, __VA_ARGS__),                                               \
     ROW(2, lanes, .memory = 2, .over = 3, .emit = knh_emit_two, __VA_ARGS__), END}
static const knh_recipe and_recipes[] = EACH(KANDW, VPAND, .commutes = true);
static const knh_recipe or_recipes[] = EACH(KORW, VPOR, .commutes = true);
static const knh_recipe xor_recipes[] = EACH(KXORW, VPXOR, .commutes = true);
static const knh_recipe eq_recipes[] = EACH(KXNORW, VPCMPEQD, .commutes = true);
static const knh_recipe lt_recipes[] = EACH(KANDNW, VPANDN, .commutes = false);
static const knh_recipe le_recipes[] = {ROW(512, KANDNW, .over = 3, .emit = le_mask),
                                  ROW(2, VPOR, .memory = 2, .over = 1, .emit = le_lanes), END};
static const knh_recipe not_recipes[] = {ROW(512, KNOTW, .over = 1, .emit = not_mask),
                                   ROW(2, VPXOR, .over = 1, .emit = not_lanes), END};
static const knh_recipe select_recipes[] = {ROW(512, KANDW, .mask_temps = 1, .over = 7, .emit = select_mask),
                                      ROW(2, VBLENDVPS, .memory = 2, .over = 7, .emit = knh_emit_blend), END};
/* clang-format on */

const knh_recipe *const knh_bool_recipes[KNK_OP_COUNT] = {
    [KNK_ADD] = or_recipes,        [KNK_MUL] = and_recipes, [KNK_MIN] = and_recipes, [KNK_MAX] = or_recipes,
    [KNK_AND] = and_recipes,       [KNK_OR] = or_recipes,   [KNK_XOR] = xor_recipes, [KNK_NOT] = not_recipes,
    [KNK_EQ] = eq_recipes,         [KNK_NE] = xor_recipes,  [KNK_LT] = lt_recipes,   [KNK_LE] = le_recipes,
    [KNK_SELECT] = select_recipes,
};
