/* SPDX-License-Identifier: Apache-2.0
 * emit_near.c -- elements of 4 and 8 bytes that lie a few elements apart (parts of complex numbers, channels,
 * positions) or backwards, with AVX-512: all registers of memory between the first and the last of them, and a
 * permutation for each. The last register ends with the last element, so nothing outside is touched. */
#include "host/x86/emit_recipe.h"

enum { LANES = 8 };

/* The registers of memory that a piece lies in. */
typedef struct cover {
    int length;  /* as in knh_length */
    int in_one;  /* elements of a register */
    int n, span; /* registers; elements from the first lane's to the last one's */
} cover;

static cover cover_of(int size, int step)
{
    cover c = {.span = step * (LANES - 1) + 1};
    c.in_one = size == 4 && c.span < 16 ? 8 : 64 / size;
    c.length = c.in_one * size == 64 ? 2 : 1;
    c.n = (c.span + c.in_one - 1) / c.in_one;
    return c;
}

/* The first element of a register. */
static int start_of(const cover *c, int i) { return i == c->n - 1 ? c->span - c->in_one : i * c->in_one; }

static knh_operand past(knh_operand o, int bytes)
{
    o.disp += bytes;
    return o;
}

/* A register of lane numbers in the pool: 4 or 8 bytes each. */
static knh_operand lane_numbers(knh_asm *a, int size, int lanes, const int *number)
{
    int64_t wide[16];
    int32_t narrow[16];
    for (int i = 0; i < lanes; i++)
        wide[i] = narrow[i] = number[i];
    return knh_at_pool(knh_pool(a, size == 8 ? (const void *)wide : narrow, size * lanes, size * lanes));
}

static const int backwards[LANES] = {7, 6, 5, 4, 3, 2, 1, 0};

void knh_emit_load_near(knh_asm *a, const knh_form *f, int dtype, int step, int dst, knh_operand from, int temp)
{
    const int size = knk_size(dtype), len = knh_length(f, dtype);
    int number[LANES];
    if (step < 0) {
        knh_v2(a, KNH_VMOVUPS, len, temp, lane_numbers(a, size, LANES, backwards));
        knh_v3(a, size == 8 ? KNH_VPERMPD : KNH_VPERMPS, len, dst, temp, past(from, -(LANES - 1) * size));
        return;
    }
    const cover c = cover_of(size, step);
    knh_v2(a, size == 8 ? KNH_VMOVUPD : KNH_VMOVUPS, c.length, dst, from);
    for (int r = 1; r < c.n; r++) {
        for (int i = 0; i < LANES; i++) {
            const int in = i * step / c.in_one, old = r == 1 ? i * step : i;
            number[i] = in < r ? old : in == r || r == c.n - 1 ? c.in_one + i * step - start_of(&c, r) : 0;
        }
        knh_v2(a, KNH_VMOVUPS, len, temp, lane_numbers(a, size, LANES, number));
        knh_v3(a, size == 8 ? KNH_VPERMT2PD : KNH_VPERMT2PS, c.length, dst, temp, past(from, start_of(&c, r) * size));
    }
}

void knh_emit_store_near(knh_asm *a, const knh_form *f, int dtype, int step, int src, knh_operand to, const int *temp,
                         int mask, int gp)
{
    const int size = knk_size(dtype), len = knh_length(f, dtype);
    const knh_insn permute = size == 8 ? KNH_VPERMQ : KNH_VPERMD, store = size == 8 ? KNH_VMOVUPD_ST : KNH_VMOVUPS_ST;
    if (step < 0) {
        knh_v2(a, KNH_VMOVUPS, len, temp[0], lane_numbers(a, size, LANES, backwards));
        knh_v3(a, permute, len, temp[1], temp[0], knh_reg(src));
        knh_v2(a, store, len, temp[1], past(to, -(LANES - 1) * size));
        return;
    }
    const cover c = cover_of(size, step);
    for (int r = 0, lane = 0; r < c.n; r++) {
        int number[16] = {0}, bits = 0;
        const int start = start_of(&c, r);
        for (; lane < LANES && lane * step < start + c.in_one; lane++) {
            number[lane * step - start] = lane;
            bits |= 1 << (lane * step - start);
        }
        knh_v2(a, KNH_VMOVUPS, c.length, temp[0], lane_numbers(a, size, c.in_one, number));
        knh_v3(a, permute, c.length, temp[1], temp[0], knh_reg(src));
        knh_mov_number(a, gp, bits);
        knh_v2(a, KNH_KMOVW_KR, 0, mask, knh_reg(gp));
        knh_v(a, store, c.length, temp[1], 0, past(to, start * size), mask, false, -1);
    }
}
