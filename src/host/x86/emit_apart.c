/* SPDX-License-Identifier: Apache-2.0
 * emit_apart.c -- elements that lie a step apart, where all lanes exist. Four addresses follow from one and the step,
 * and neither indices nor elements go through memory: elements are inserted into registers one by one, four in a
 * chain, and leave through general-purpose registers. */
#include "host/x86/emit_recipe.h"

enum { GROUP = 4 }; /* elements between two changes of the address */

/* gp: address, step, three steps. */
static knh_operand element(const int *gp, int number)
{
    static const uint8_t scale[] = {1, 1, 2, 1};
    return number == 0 ? knh_at(gp[0], 0) : knh_at_index(gp[0], number == 3 ? gp[2] : gp[1], scale[number], 0);
}

static void three_steps(knh_asm *a, const int *gp) { knh_lea(a, gp[2], knh_at_index(gp[1], gp[1], 2, 0)); }
static void next_group(knh_asm *a, const int *gp) { knh_lea(a, gp[0], knh_at_index(gp[0], gp[1], GROUP, 0)); }

static void load_group(knh_asm *a, int size, int dst, const int *gp, bool last)
{
    knh_zero(a, dst);
    for (int i = 0; i < GROUP; i++)
        knh_v3i(a, size == 1 ? KNH_VPINSRB : KNH_VPINSRW, 0, dst, dst, element(gp, i), i);
    if (!last)
        next_group(a, gp);
}

/* So many groups into the lowest bytes of a register. */
static void load_groups(knh_asm *a, bool wide, int size, int n, int dst, const int *free, const int *gp, bool last)
{
    if (n == 1) {
        load_group(a, size, dst, gp, last);
        return;
    }
    const int half = n * GROUP * size / 2;
    load_groups(a, wide, size, n / 2, dst, free, gp, false);
    load_groups(a, wide, size, n / 2, free[0], free + 1, gp, last);
    if (half == 16)
        knh_v3i(a, wide ? KNH_VINSERTI32X4 : KNH_VINSERTI128, 1, dst, dst, knh_reg(free[0]), 1);
    else
        knh_v3(a, half == 4 ? KNH_VPUNPCKLDQ : KNH_VPUNPCKLQDQ, 0, dst, dst, knh_reg(free[0]));
}

void knh_emit_load_apart(knh_asm *a, const knh_form *f, int dtype, int dst, const int *temp, const int *gp)
{
    three_steps(a, gp);
    load_groups(a, knh_wide(f), knk_size(dtype), f->lanes / GROUP, temp[0], temp + 1, gp, true);
    knh_emit_unpack(a, f, dtype, dst, temp[0], temp[1]);
}

/* Eight bytes of a register, the number-th ones, to a general-purpose one. */
static void eight_bytes(knh_asm *a, const knh_form *f, int packed, int number, int length, int temp, int gp)
{
    const int quarter = number / 2;
    if (quarter && number % 2 == 0)
        knh_v2i(a, knh_wide(f) ? KNH_VEXTRACTI32X4 : KNH_VEXTRACTI128, length, packed, knh_reg(temp), quarter);
    const int from = quarter ? temp : packed;
    if (number % 2)
        knh_v2i(a, KNH_VPEXTRQ, 0, from, knh_reg(gp), 1);
    else
        knh_v2(a, KNH_VMOVQ_ST, 0, from, knh_reg(gp));
}

void knh_emit_store_apart(knh_asm *a, const knh_form *f, int dtype, int src, const int *temp, const int *gp)
{
    const int size = knk_size(dtype), packed = knh_emit_pack(a, f, dtype, src, temp[0]), in_eight = 8 / size;
    const int length = f->lanes * size > 32 ? 2 : 1, value = gp[3];
    three_steps(a, gp);
    for (int i = 0; i < f->lanes; i++) {
        if (i % in_eight == 0)
            eight_bytes(a, f, packed, i / in_eight, length, temp[1], value);
        else
            knh_shr(a, value, 8 * size);
        if (size == 8)
            knh_store(a, element(gp, i % GROUP), value);
        else
            knh_store_part(a, size, element(gp, i % GROUP), value);
        if (i % GROUP == GROUP - 1 && i < f->lanes - 1)
            next_group(a, gp);
    }
}
