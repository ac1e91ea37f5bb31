/* SPDX-License-Identifier: Apache-2.0
 * emit_gather.c -- elements at indices, and every second element. 4 and 8 byte elements have instructions for it;
 * smaller ones, and scattered ones, go one by one through general-purpose registers and the scratch memory where a
 * step alone does not say where they are (emit_apart.c): indices at 0, elements at 64 (in memory form), a mask at
 * 128. */
#include "host/x86/emit_recipe.h"

enum { INDEX_AT, ELEMENT_AT = 64, MASK_AT = 128 };
static const kng_tail whole = {.on = false};

static kng_operand past(kng_operand o, int bytes)
{
    o.disp += bytes;
    return o;
}

/* One element from memory to memory, through a register. */
static void copy_element(kng_asm *a, int size, kng_operand to, kng_operand from, int gp)
{
    if (size == 8) {
        kng_load(a, gp, from);
        kng_store(a, to, gp);
    } else {
        kng_load_part(a, size, false, gp, from);
        kng_store_part(a, size, to, gp);
    }
}

/* AVX-512: the lanes that are wanted, in k. */
static void wanted_512(kng_asm *a, int k, int pred, const kng_tail *t)
{
    if (pred >= 0 && t->on)
        kng_v3(a, KNG_KANDW, 0, k, pred, kng_reg(t->mask));
    else if (pred >= 0 || t->on)
        kng_v2(a, KNG_KMOVW, 0, k, kng_reg(pred >= 0 ? pred : t->mask));
    else
        kng_v3(a, KNG_KXNORW, 0, k, k, kng_reg(k));
}

/* AVX2: the same as 32-bit lanes. */
static void wanted_2(kng_asm *a, int t, int pred, const kng_tail *tail)
{
    if (pred >= 0 && tail->on)
        kng_v3(a, KNG_VPAND, 0, t, pred, kng_reg(tail->mask4));
    else if (pred >= 0 || tail->on)
        kng_copy(a, 0, t, kng_reg(pred >= 0 ? pred : tail->mask4));
    else
        kng_v3(a, KNG_VPCMPEQD, 0, t, t, kng_reg(t));
}

/* All lanes, whose indices lie in the scratch memory: each half is a chain of insertions. */
static void gather_whole(kng_asm *a, const kng_form *f, int dtype, int dst, int base, const int *temp, const int *gp,
                         kng_operand scratch)
{
    const int size = knk_size(dtype), halves = f->lanes > 4 ? 2 : 1, half = f->lanes / halves;
    for (int h = 0; h < halves; h++)
        kng_zero(a, temp[h]);
    for (int i = 0; i < half; i++)
        for (int h = 0; h < halves; h++) {
            kng_load(a, gp[h], past(scratch, 8 * (i + h * half)));
            kng_v3i(a, size == 1 ? KNG_VPINSRB : KNG_VPINSRW, 0, temp[h], temp[h], kng_at_index(base, gp[h], size, 0),
                    i);
        }
    if (halves == 2 && half * size == 16)
        kng_v3i(a, kng_wide(f) ? KNG_VINSERTI32X4 : KNG_VINSERTI128, 1, temp[0], temp[0], kng_reg(temp[1]), 1);
    else if (halves == 2)
        kng_v3(a, half * size == 4 ? KNG_VPUNPCKLDQ : KNG_VPUNPCKLQDQ, 0, temp[0], temp[0], kng_reg(temp[1]));
    kng_emit_unpack(a, f, dtype, dst, temp[0], temp[1]);
}

static void gather_small(kng_asm *a, const kng_form *f, int dtype, int dst, int base, int index, int pred, int other,
                         const kng_tail *t, const int *temp, const int *mask_temp, const int *gp, kng_operand scratch)
{
    const int size = knk_size(dtype), bits = gp[0], at = gp[1];
    const kng_operand elements = past(scratch, ELEMENT_AT);
    const bool all = pred < 0 && !t->on;
    kng_spill(a, f, KN_ID_I64, scratch, index);
    if (all) {
        gather_whole(a, f, dtype, dst, base, temp, gp, scratch);
        return;
    }
    if (kng_wide(f)) {
        wanted_512(a, mask_temp[0], pred, t);
        kng_v2(a, KNG_KMOVW_RK, 0, bits, kng_reg(mask_temp[0]));
    } else {
        wanted_2(a, temp[0], pred, t);
        kng_v2(a, KNG_VMOVMSKPS, 0, bits, kng_reg(temp[0]));
    }
    if (other >= 0) {
        kng_emit_store(a, f, dtype, other, elements, &whole, false, temp, gp, past(scratch, MASK_AT));
    } else {
        kng_zero(a, temp[0]);
        kng_v2(a, KNG_VMOVUPS_ST, 0, temp[0], elements);
    }
    for (int i = 0; i < f->lanes; i++) {
        const int skip = kng_label(a);
        kng_bt(a, bits, i);
        kng_jump_if(a, KNG_IF_AE, skip);
        kng_load(a, at, past(scratch, 8 * i));
        copy_element(a, size, past(elements, i * size), kng_at_index(base, at, size, 0), at);
        kng_here(a, skip);
    }
    kng_emit_load(a, f, dtype, dst, elements, &whole, temp, gp, scratch);
}

void kng_emit_gather(kng_asm *a, const kng_form *f, int dtype, int dst, int base, int index, int pred, int other,
                     const kng_tail *t, const int *temp, const int *mask_temp, const int *gp_temp, kng_operand scratch)
{
    const int size = knk_size(dtype), len = kng_length(f, KN_ID_I64);
    if (size < 4) {
        gather_small(a, f, dtype, dst, base, index, pred, other, t, temp, mask_temp, gp_temp, scratch);
        return;
    }
    const int into = dst == index || dst == pred ? temp[1] : dst; /* the instruction takes different registers only */
    const kng_operand from = kng_at_index(base, index, size, 0);
    if (kng_wide(f))
        wanted_512(a, mask_temp[0], pred, t);
    else
        wanted_2(a, temp[0], pred, t);
    if (other >= 0)
        kng_move(a, f, dtype, into, other);
    else
        kng_zero(a, into);
    if (kng_wide(f)) {
        kng_v(a, size == 4 ? KNG_VGATHERQPS : KNG_VGATHERQPD, len, into, 0, from, mask_temp[0], false, -1);
    } else {
        if (size == 8)
            kng_v2(a, KNG_VPMOVSXDQ, 1, temp[0], kng_reg(temp[0]));
        kng_v(a, size == 4 ? KNG_VGATHERQPS_V : KNG_VGATHERQPD_V, len, into, temp[0], from, 0, false, -1);
    }
    kng_move(a, f, dtype, dst, into);
}

void kng_emit_scatter(kng_asm *a, const kng_form *f, int dtype, int src, int base, int index, const kng_tail *t,
                      const int *temp, const int *gp_temp, kng_operand scratch)
{
    const int size = knk_size(dtype), bits = gp_temp[0], at = gp_temp[1], value = gp_temp[2];
    const kng_operand elements = past(scratch, ELEMENT_AT);
    const int end = kng_label(a);
    kng_emit_store(a, f, dtype, src, elements, &whole, false, temp, gp_temp, past(scratch, MASK_AT));
    kng_spill(a, f, KN_ID_I64, scratch, index);
    if (t->on && kng_wide(f))
        kng_v2(a, KNG_KMOVW_RK, 0, bits, kng_reg(t->mask));
    for (int i = 0; i < f->lanes; i++) {
        if (t->on && kng_wide(f)) {
            kng_bt(a, bits, i);
            kng_jump_if(a, KNG_IF_AE, end);
        } else if (t->on) {
            kng_alu_number(a, KNG_CMP, t->count, i);
            kng_jump_if(a, KNG_IF_LE, end);
        }
        kng_load(a, at, past(scratch, 8 * i));
        copy_element(a, size, kng_at_index(base, at, size, 0), past(elements, i * size), value);
    }
    kng_here(a, end);
}

/* A register of lane numbers in the pool: 4 or 8 bytes each. */
static kng_operand lane_numbers(kng_asm *a, int size, int lanes, const int *number)
{
    int64_t wide[16];
    int32_t narrow[16];
    for (int i = 0; i < lanes; i++)
        wide[i] = narrow[i] = number[i];
    return kng_at_pool(kng_pool(a, size == 8 ? (const void *)wide : narrow, size * lanes, size * lanes));
}

/* The elements lie in two registers, of which the second one ends with the last of them. */
void kng_emit_load_second(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, int temp)
{
    const int size = knk_size(dtype), len = kng_length(f, dtype), n = f->lanes;
    int number[16];
    for (int i = 0; i < n; i++)
        number[i] = 2 * i < n ? 2 * i : n + 2 * i - (n - 1);
    kng_v2(a, KNG_VMOVUPS, len, temp, lane_numbers(a, size, n, number));
    kng_v2(a, size == 8 ? KNG_VMOVUPD : KNG_VMOVUPS, len, dst, from);
    kng_v3(a, size == 8 ? KNG_VPERMT2PD : KNG_VPERMT2PS, len, dst, temp, past(from, (n - 1) * size));
}

void kng_emit_store_second(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, const int *temp, int mask,
                           int gp)
{
    const int size = knk_size(dtype), len = kng_length(f, dtype), n = f->lanes;
    int number[16];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < n; i++)
            number[i] = half * n / 2 + i / 2;
        kng_v2(a, KNG_VMOVUPS, len, temp[0], lane_numbers(a, size, n, number));
        kng_v3(a, size == 8 ? KNG_VPERMQ : KNG_VPERMD, len, temp[1], temp[0], kng_reg(src));
        kng_mov_number(a, gp, half ? 0xaaaa : 0x5555);
        kng_v2(a, KNG_KMOVW_KR, 0, mask, kng_reg(gp));
        kng_v(a, size == 8 ? KNG_VMOVUPD_ST : KNG_VMOVUPS_ST, len, temp[1], 0, half ? past(to, (n - 1) * size) : to,
              mask, false, -1);
    }
}
