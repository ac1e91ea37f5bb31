/* SPDX-License-Identifier: Apache-2.0
 * emit_select.c -- select of numbers: a blend; where one side is the constant zero, a move that zeroes the other lanes
 * (AVX-512) or a bitwise and (AVX2). AVX2 widens the predicate of 64-bit lanes first. */
#include "host/x86/emit_recipe.h"

/* AVX2: the register with the predicate as wide as the values. */
static int wide_pred(const knh_op *o)
{
    const int pred = o->src[0].reg;
    if (knk_size(o->from) < 8)
        return pred;
    knh_v2(o->a, KNH_VPMOVSXDQ, o->len, o->temp[0], knh_reg(pred));
    return o->temp[0];
}

void knh_emit_blend(const knh_op *o)
{
    if (knh_wide(o->f))
        knh_v(o->a, o->recipe->insn, o->len, o->dst, o->src[2].reg, o->src[1], o->src[0].reg, false, -1);
    else
        knh_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[2].reg, o->src[1], wide_pred(o) << 4);
}

/* recipe->imm: the instruction for one element in memory */
static void zero_no_512(const knh_op *o)
{
    knh_operand yes = o->src[1];
    const int insn = yes.broadcast ? o->recipe->imm : o->recipe->insn;
    yes.broadcast = false;
    knh_v(o->a, (knh_insn)insn, o->len, o->dst, 0, yes, o->src[0].reg, true, -1);
}

static void zero_no(const knh_op *o) { knh_v3(o->a, o->recipe->insn, o->len, o->dst, wide_pred(o), o->src[1]); }
static void zero_yes(const knh_op *o) { knh_v3(o->a, o->recipe->insn, o->len, o->dst, wide_pred(o), o->src[2]); }

/* Whatever the register of the constant holds is not used. */
const knh_recipe *knh_select_zero(const knh_form *f, int dtype, bool no)
{
    static const knh_recipe wide[2] = {
        {.memory = 6, .broadcast = 6, .over = 6, .insn = KNH_VMOVUPS, .imm = KNH_VPBROADCASTD, .emit = zero_no_512},
        {.memory = 6, .broadcast = 6, .over = 6, .insn = KNH_VMOVUPD, .imm = KNH_VPBROADCASTQ, .emit = zero_no_512}};
    static const knh_recipe no_zero[2] = {{.memory = 6, .over = 7, .insn = KNH_VANDPS, .emit = zero_no},
                                          {.memory = 6, .over = 7, .temps = 1, .insn = KNH_VANDPS, .emit = zero_no}};
    static const knh_recipe yes_zero[2] = {{.memory = 6, .over = 7, .insn = KNH_VANDNPS, .emit = zero_yes},
                                           {.memory = 6, .over = 7, .temps = 1, .insn = KNH_VANDNPS, .emit = zero_yes}};
    return &(knh_wide(f) ? wide : no ? no_zero : yes_zero)[knk_size(dtype) == 8];
}
