/* SPDX-License-Identifier: Apache-2.0
 * product_float.c -- one step of k of a product of floats: multiply-adds of a vector of B and an element of A. A step
 * of complex numbers is two of reals: (re, im) of B by re of A, then (-im, re) of B by im of A. */
#include "host/x86/product_emit.h"

/* (re, im) to (-im, re). */
void knh_tile_turn(knh_tiler *t, int reg)
{
    uint8_t sign[64] = {0};
    int size = t->f.c_bytes;
    for (int i = 0; i < t->bytes; i += size)
        sign[i + size / 2 - 1] = 0x80;
    if (t->f.wide)
        knh_v2i(t->a, KNH_VPERMILPD_I, t->length, reg, knh_reg(reg), 0x55);
    else
        knh_v2i(t->a, KNH_VPERMILPS_I, t->length, reg, knh_reg(reg), 0xB1);
    knh_v3(t->a, KNH_VXORPS, t->length, reg, reg, knh_at_pool(knh_pool(t->a, sign, t->bytes, t->bytes)));
}

void knh_tile_take_b(knh_tiler *t, int s, int p)
{
    int row = s * t->f.parts + p;
    for (int v = 0; v < t->vectors; v++) {
        int reg = t->b0 + v;
        if (t->r->b_from == KNH_B_PACKED) {
            knh_v2(t->a, KNH_VMOVUPS, t->length, reg, knh_tile_b(t, row, v));
            continue;
        }
        if (p == 0)
            knh_tile_load(t, v, reg, knh_tile_b(t, s, v));
        else
            knh_tile_turn(t, reg);
        if (t->r->b_from == KNH_B_PACKING)
            knh_v2(t->a, KNH_VMOVUPS_ST, t->length, reg, knh_at(t->packed, (row * t->vectors + v) * t->bytes));
    }
}

/* One row: B is an operand of the multiply-adds. Where it comes from memory the processor looks as far ahead as it has
 * room for instructions, so there should be few of them. */
static bool takes_b_along(const knh_tiler *t)
{
    return t->rows == 1 && t->f.parts == 1 && t->r->b_from != KNH_B_PACKING && t->r->a_from != KNH_A_VECTORS &&
           t->vectors > 1 && (t->length == 2 || !t->partial);
}

static void step_of_one_row(knh_tiler *t, int s)
{
    knh_insn fma = knh_either(t, KNH_VFMADD231PS, KNH_VFMADD231PD);
    knh_v2(t->a, knh_either(t, KNH_VBROADCASTSS, KNH_VBROADCASTSD), t->length, t->a0, knh_tile_a(t, 0, s, 0));
    for (int v = 0; v < t->vectors; v++) {
        bool masked = t->partial && v == t->vectors - 1;
        knh_v(t->a, fma, t->length, v, t->a0, knh_tile_b(t, s, v), masked, false, -1);
    }
}

void knh_tile_step_float(knh_tiler *t, int s)
{
    knh_insn fma = knh_either(t, KNH_VFMADD231PS, KNH_VFMADD231PD);
    knh_tile_find(t, s);
    knh_tile_prefetch_b(t, s);
    if (takes_b_along(t)) {
        step_of_one_row(t, s);
        return;
    }
    for (int p = 0; p < t->f.parts; p++) {
        knh_tile_take_b(t, s, p);
        for (int i = 0; i < t->rows; i++) {
            knh_operand from = knh_tile_a(t, i, s, p);
            if (t->r->a_from == KNH_A_VECTORS) {
                for (int v = 0; v < t->vectors; v++, from.disp += t->bytes)
                    knh_v3(t->a, fma, t->length, knh_accumulator(t, i, v), t->b0 + v, from);
                continue;
            }
            if (t->vectors == 1 && t->length == 2) {
                from.broadcast = true;
                knh_v3(t->a, fma, 2, i, t->b0, from);
                continue;
            }
            int reg = t->a0 + i % t->n_a;
            knh_v2(t->a, knh_either(t, KNH_VBROADCASTSS, KNH_VBROADCASTSD), t->length, reg, from);
            for (int v = 0; v < t->vectors; v++)
                knh_v3(t->a, fma, t->length, knh_accumulator(t, i, v), t->b0 + v, knh_reg(reg));
        }
    }
}
