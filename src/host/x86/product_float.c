/* SPDX-License-Identifier: Apache-2.0
 * product_float.c -- one step of k of a product of floats: multiply-adds of a vector of B and an element of A. A step
 * of complex numbers is two of reals: (re, im) of B by re of A, then (-im, re) of B by im of A. */
#include "host/x86/product_emit.h"

/* (re, im) to (-im, re). */
void kng_tile_turn(kng_tiler *t, int reg)
{
    uint8_t sign[64] = {0};
    int size = t->f.c_bytes;
    for (int i = 0; i < t->bytes; i += size)
        sign[i + size / 2 - 1] = 0x80;
    if (t->f.wide)
        kng_v2i(t->a, KNG_VPERMILPD_I, t->length, reg, kng_reg(reg), 0x55);
    else
        kng_v2i(t->a, KNG_VPERMILPS_I, t->length, reg, kng_reg(reg), 0xB1);
    kng_v3(t->a, KNG_VXORPS, t->length, reg, reg, kng_at_pool(kng_pool(t->a, sign, t->bytes, t->bytes)));
}

void kng_tile_take_b(kng_tiler *t, int s, int p)
{
    int row = s * t->f.parts + p;
    for (int v = 0; v < t->vectors; v++) {
        int reg = t->b0 + v;
        if (t->r->b_from == KNG_B_PACKED) {
            kng_v2(t->a, KNG_VMOVUPS, t->length, reg, kng_tile_b(t, row, v));
            continue;
        }
        if (p == 0)
            kng_tile_load(t, v, reg, kng_tile_b(t, s, v));
        else
            kng_tile_turn(t, reg);
        if (t->r->b_from == KNG_B_PACKING)
            kng_v2(t->a, KNG_VMOVUPS_ST, t->length, reg, kng_at(t->packed, (row * t->vectors + v) * t->bytes));
    }
}

void kng_tile_step_float(kng_tiler *t, int s)
{
    kng_insn fma = kng_either(t, KNG_VFMADD231PS, KNG_VFMADD231PD);
    kng_tile_prefetch_b(t, s);
    for (int p = 0; p < t->f.parts; p++) {
        kng_tile_take_b(t, s, p);
        for (int i = 0; i < t->rows; i++) {
            kng_operand from = kng_tile_a(t, i, s, p);
            if (t->vectors == 1 && t->length == 2) {
                from.broadcast = true;
                kng_v3(t->a, fma, 2, i, t->b0, from);
                continue;
            }
            int reg = t->a0 + i % t->n_a;
            kng_v2(t->a, kng_either(t, KNG_VBROADCASTSS, KNG_VBROADCASTSD), t->length, reg, from);
            for (int v = 0; v < t->vectors; v++)
                kng_v3(t->a, fma, t->length, kng_accumulator(t, i, v), t->b0 + v, kng_reg(reg));
        }
    }
}
