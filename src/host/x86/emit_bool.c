/* SPDX-License-Identifier: Apache-2.0
 * emit_bool.c -- bools: mask registers of AVX-512; 32-bit lanes of ones or zeros of AVX2. */
#include "host/x86/emit_recipe.h"

void kng_flip(kng_asm *a, const kng_form *f, int len, int dst, int src)
{
    kng_v3(a, KNG_VPXORD, len, dst, src, kng_lanes32(a, f, UINT32_MAX));
}

void kng_narrow(kng_asm *a, int dst, int src)
{
    kng_v2i(a, KNG_VPSHUFD, 1, dst, kng_reg(src), 0x88);
    kng_v2i(a, KNG_VPERMQ_I, 1, dst, kng_reg(dst), 0x08);
}

static void not_mask(const kng_op *o) { kng_v2(o->a, KNG_KNOTW, 0, o->dst, o->src[0]); }
static void not_lanes(const kng_op *o) { kng_flip(o->a, o->f, o->len, o->dst, o->src[0].reg); }

/* a <= b: not (b < a) = not (~b & a) */
static void le_mask(const kng_op *o)
{
    kng_v3(o->a, KNG_KANDNW, 0, o->dst, o->src[1].reg, o->src[0]);
    kng_v2(o->a, KNG_KNOTW, 0, o->dst, kng_reg(o->dst));
}

/* a <= b: (a | b) = b */
static void le_lanes(const kng_op *o)
{
    kng_v3(o->a, KNG_VPORD, o->len, o->dst, o->src[0].reg, o->src[1]);
    kng_v3(o->a, KNG_VPCMPEQD, o->len, o->dst, o->dst, o->src[1]);
}

/* pred & yes | ~pred & no */
static void select_mask(const kng_op *o)
{
    const int t = o->mask[0];
    kng_v3(o->a, KNG_KANDW, 0, t, o->src[0].reg, o->src[1]);
    kng_v3(o->a, KNG_KANDNW, 0, o->dst, o->src[0].reg, o->src[2]);
    kng_v3(o->a, KNG_KORW, 0, o->dst, o->dst, kng_reg(t));
}

/* clang-format off */
#define ROW(on, i, ...) {.from = KNG_BOOLS, .targets = KNG_##on, .insn = KNG_##i, __VA_ARGS__}
#define END {.from = 0}
#define EACH(mask, lanes, ...)                                                                                   \
    {ROW(512, mask, .over = 3, .emit = kng_emit_two, __VA_ARGS__),                                               \
     ROW(2, lanes, .memory = 2, .over = 3, .emit = kng_emit_two, __VA_ARGS__), END}
static const kng_recipe and_recipes[] = EACH(KANDW, VPAND, .commutes = true);
static const kng_recipe or_recipes[] = EACH(KORW, VPOR, .commutes = true);
static const kng_recipe xor_recipes[] = EACH(KXORW, VPXOR, .commutes = true);
static const kng_recipe eq_recipes[] = EACH(KXNORW, VPCMPEQD, .commutes = true);
static const kng_recipe lt_recipes[] = EACH(KANDNW, VPANDN, .commutes = false);
static const kng_recipe le_recipes[] = {ROW(512, KANDNW, .over = 3, .emit = le_mask),
                                  ROW(2, VPOR, .memory = 2, .over = 1, .emit = le_lanes), END};
static const kng_recipe not_recipes[] = {ROW(512, KNOTW, .over = 1, .emit = not_mask),
                                   ROW(2, VPXOR, .over = 1, .emit = not_lanes), END};
static const kng_recipe select_recipes[] = {ROW(512, KANDW, .mask_temps = 1, .over = 7, .emit = select_mask),
                                      ROW(2, VBLENDVPS, .memory = 2, .over = 7, .emit = kng_emit_blend), END};
/* clang-format on */

const kng_recipe *const kng_bool_recipes[KNK_OP_COUNT] = {
    [KNK_ADD] = or_recipes,        [KNK_MUL] = and_recipes, [KNK_MIN] = and_recipes, [KNK_MAX] = or_recipes,
    [KNK_AND] = and_recipes,       [KNK_OR] = or_recipes,   [KNK_XOR] = xor_recipes, [KNK_NOT] = not_recipes,
    [KNK_EQ] = eq_recipes,         [KNK_NE] = xor_recipes,  [KNK_LT] = lt_recipes,   [KNK_LE] = le_recipes,
    [KNK_SELECT] = select_recipes,
};
