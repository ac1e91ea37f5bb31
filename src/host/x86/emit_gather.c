/* SPDX-License-Identifier: Apache-2.0
 * emit_gather.c -- elements at indices. 4 and 8 byte elements have instructions for it;
 * smaller ones, and scattered ones, go one by one through general-purpose registers and the scratch memory where a
 * step alone does not say where they are (emit_apart.c): indices at 0, elements at 64 (in memory form), a mask at
 * 128. */
#include "host/x86/emit_recipe.h"

enum { INDEX_AT, ELEMENT_AT = 64, MASK_AT = 128 };
static const knh_tail whole = {.on = false};

static knh_operand past(knh_operand o, int bytes)
{
    o.disp += bytes;
    return o;
}

/* One element from memory to memory, through a register. */
static void copy_element(knh_asm *a, int size, knh_operand to, knh_operand from, int gp)
{
    if (size == 8) {
        knh_load(a, gp, from);
        knh_store(a, to, gp);
    } else {
        knh_load_part(a, size, false, gp, from);
        knh_store_part(a, size, to, gp);
    }
}

/* AVX-512: the lanes that are wanted, in k. */
static void wanted_512(knh_asm *a, int k, int pred, const knh_tail *t)
{
    if (pred >= 0 && t->on)
        knh_v3(a, KNH_KANDW, 0, k, pred, knh_reg(t->mask));
    else if (pred >= 0 || t->on)
        knh_v2(a, KNH_KMOVW, 0, k, knh_reg(pred >= 0 ? pred : t->mask));
    else
        knh_v3(a, KNH_KXNORW, 0, k, k, knh_reg(k));
}

/* AVX2: the same as 32-bit lanes. */
static void wanted_2(knh_asm *a, int t, int pred, const knh_tail *tail)
{
    if (pred >= 0 && tail->on)
        knh_v3(a, KNH_VPAND, 0, t, pred, knh_reg(tail->mask4));
    else if (pred >= 0 || tail->on)
        knh_copy(a, 0, t, knh_reg(pred >= 0 ? pred : tail->mask4));
    else
        knh_v3(a, KNH_VPCMPEQD, 0, t, t, knh_reg(t));
}

/* All lanes, whose indices lie in the scratch memory: each half is a chain of insertions. */
static void gather_whole(knh_asm *a, const knh_form *f, int dtype, int dst, int base, const int *temp, const int *gp,
                         knh_operand scratch)
{
    const int size = knk_size(dtype), halves = f->lanes > 4 ? 2 : 1, half = f->lanes / halves;
    for (int h = 0; h < halves; h++)
        knh_zero(a, temp[h]);
    for (int i = 0; i < half; i++)
        for (int h = 0; h < halves; h++) {
            knh_load(a, gp[h], past(scratch, 8 * (i + h * half)));
            knh_v3i(a, size == 1 ? KNH_VPINSRB : KNH_VPINSRW, 0, temp[h], temp[h], knh_at_index(base, gp[h], size, 0),
                    i);
        }
    if (halves == 2 && half * size == 16)
        knh_v3i(a, knh_wide(f) ? KNH_VINSERTI32X4 : KNH_VINSERTI128, 1, temp[0], temp[0], knh_reg(temp[1]), 1);
    else if (halves == 2)
        knh_v3(a, half * size == 4 ? KNH_VPUNPCKLDQ : KNH_VPUNPCKLQDQ, 0, temp[0], temp[0], knh_reg(temp[1]));
    knh_emit_unpack(a, f, dtype, dst, temp[0], temp[1]);
}

static void gather_small(knh_asm *a, const knh_form *f, int dtype, int dst, int base, int index, int pred, int other,
                         const knh_tail *t, const int *temp, const int *mask_temp, const int *gp, knh_operand scratch)
{
    const int size = knk_size(dtype), bits = gp[0], at = gp[1];
    const knh_operand elements = past(scratch, ELEMENT_AT);
    const bool all = pred < 0 && !t->on;
    knh_spill(a, f, KN_ID_I64, scratch, index);
    if (all) {
        gather_whole(a, f, dtype, dst, base, temp, gp, scratch);
        return;
    }
    if (knh_wide(f)) {
        wanted_512(a, mask_temp[0], pred, t);
        knh_v2(a, KNH_KMOVW_RK, 0, bits, knh_reg(mask_temp[0]));
    } else {
        wanted_2(a, temp[0], pred, t);
        knh_v2(a, KNH_VMOVMSKPS, 0, bits, knh_reg(temp[0]));
    }
    if (other >= 0) {
        knh_emit_store(a, f, dtype, other, elements, &whole, false, temp, gp, past(scratch, MASK_AT));
    } else {
        knh_zero(a, temp[0]);
        knh_v2(a, KNH_VMOVUPS_ST, 0, temp[0], elements);
    }
    for (int i = 0; i < f->lanes; i++) {
        const int skip = knh_label(a);
        knh_bt(a, bits, i);
        knh_jump_if(a, KNH_IF_AE, skip);
        knh_load(a, at, past(scratch, 8 * i));
        copy_element(a, size, past(elements, i * size), knh_at_index(base, at, size, 0), at);
        knh_here(a, skip);
    }
    knh_emit_load(a, f, dtype, dst, elements, &whole, temp, gp, scratch);
}

void knh_emit_gather(knh_asm *a, const knh_form *f, int dtype, int dst, int base, int index, int pred, int other,
                     const knh_tail *t, const int *temp, const int *mask_temp, const int *gp_temp, knh_operand scratch)
{
    const int size = knk_size(dtype), len = knh_length(f, KN_ID_I64);
    if (size < 4) {
        gather_small(a, f, dtype, dst, base, index, pred, other, t, temp, mask_temp, gp_temp, scratch);
        return;
    }
    const int into = dst == index || dst == pred ? temp[1] : dst; /* the instruction takes different registers only */
    const knh_operand from = knh_at_index(base, index, size, 0);
    if (knh_wide(f))
        wanted_512(a, mask_temp[0], pred, t);
    else
        wanted_2(a, temp[0], pred, t);
    if (other >= 0)
        knh_move(a, f, dtype, into, other);
    else
        knh_zero(a, into);
    if (knh_wide(f)) {
        knh_v(a, size == 4 ? KNH_VGATHERQPS : KNH_VGATHERQPD, len, into, 0, from, mask_temp[0], false, -1);
    } else {
        if (size == 8)
            knh_v2(a, KNH_VPMOVSXDQ, 1, temp[0], knh_reg(temp[0]));
        knh_v(a, size == 4 ? KNH_VGATHERQPS_V : KNH_VGATHERQPD_V, len, into, temp[0], from, 0, false, -1);
    }
    knh_move(a, f, dtype, dst, into);
}

void knh_emit_scatter(knh_asm *a, const knh_form *f, int dtype, int src, int base, int index, const knh_tail *t,
                      const int *temp, const int *gp_temp, knh_operand scratch)
{
    const int size = knk_size(dtype), bits = gp_temp[0], at = gp_temp[1], value = gp_temp[2];
    const knh_operand elements = past(scratch, ELEMENT_AT);
    const int end = knh_label(a);
    knh_emit_store(a, f, dtype, src, elements, &whole, false, temp, gp_temp, past(scratch, MASK_AT));
    knh_spill(a, f, KN_ID_I64, scratch, index);
    if (t->on && knh_wide(f))
        knh_v2(a, KNH_KMOVW_RK, 0, bits, knh_reg(t->mask));
    for (int i = 0; i < f->lanes; i++) {
        if (t->on && knh_wide(f)) {
            knh_bt(a, bits, i);
            knh_jump_if(a, KNH_IF_AE, end);
        } else if (t->on) {
            knh_alu_number(a, KNH_CMP, t->count, i);
            knh_jump_if(a, KNH_IF_LE, end);
        }
        knh_load(a, at, past(scratch, 8 * i));
        copy_element(a, size, knh_at_index(base, at, size, 0), past(elements, i * size), value);
    }
    knh_here(a, end);
}
