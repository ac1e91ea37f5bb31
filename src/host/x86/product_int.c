/* SPDX-License-Identifier: Apache-2.0
 * product_int.c -- one step of k of a product of integers, modulo 2^bits. Shorts: products of pairs, added. Bytes:
 * products of four, one of whose operands the instruction takes as unsigned and the other as signed. Where both are of
 * one kind, 128 is added to (or taken from) those of B, and 128 times the sum of each row of A is taken from the result
 * (or added to it). */
#include "host/x86/product_emit.h"

static bool is_bytes(const knh_tiler *t) { return t->r->number == KNH_NUMBER_BYTES; }
static bool moves_b(const knh_tiler *t) { return is_bytes(t) && t->r->a_signed == t->r->b_signed; }

static knh_operand all_lanes(knh_tiler *t, uint32_t x)
{
    knh_operand m = knh_at_pool(knh_pool(t->a, &x, 4, 4));
    m.broadcast = true;
    return m;
}

/* acc += a * b, for 64 bits without an instruction: the low halves, and both mixed products in the upper half. */
static void add_wide(knh_tiler *t, int acc, int b, int a)
{
    knh_asm *s = t->a;
    int high_b = b + t->vectors, high_a = a + 1, x = t->t0, y = t->t0 + 1;
    knh_v3(s, KNH_VPMULUDQ, 1, x, high_b, knh_reg(a));
    knh_v3(s, KNH_VPMULUDQ, 1, y, b, knh_reg(high_a));
    knh_v3(s, KNH_VPADDQ, 1, x, x, knh_reg(y));
    knh_v3(s, KNH_VPMULUDQ, 1, y, b, knh_reg(a));
    knh_shift(s, KNH_VPSLLQ_I, 1, x, x, 32);
    knh_v3(s, KNH_VPADDQ, 1, acc, acc, knh_reg(y));
    knh_v3(s, KNH_VPADDQ, 1, acc, acc, knh_reg(x));
}

static void add_product(knh_tiler *t, int acc, int b, int a, int temp)
{
    knh_asm *s = t->a;
    switch ((knh_number)t->r->number) {
    case KNH_NUMBER_BYTES:
        knh_v3(s, KNH_VPDPBUSD, 2, acc, t->r->a_signed ? b : a, knh_reg(t->r->a_signed ? a : b));
        return;
    case KNH_NUMBER_SHORTS: knh_v3(s, KNH_VPMADDWD, t->length, temp, b, knh_reg(a)); break;
    case KNH_NUMBER_I32: knh_v3(s, KNH_VPMULLD, t->length, temp, b, knh_reg(a)); break;
    default:
        if (t->length == 1) {
            add_wide(t, acc, b, a);
            return;
        }
        knh_v3(s, KNH_VPMULLQ, 2, temp, b, knh_reg(a));
    }
    knh_v3(s, knh_either(t, KNH_VPADDD, KNH_VPADDQ), t->length, acc, acc, knh_reg(temp));
}

void knh_tile_step_int(knh_tiler *t, int s)
{
    bool halves = t->f.wide && t->length == 1;
    knh_tile_find(t, s);
    knh_tile_prefetch_b(t, s);
    knh_tile_take_b(t, s, 0);
    for (int v = 0; v < t->vectors; v++) {
        if (moves_b(t))
            knh_v3(t->a, KNH_VPXORD, 2, t->b0 + v, t->b0 + v, all_lanes(t, 0x80808080));
        if (halves)
            knh_shift(t->a, KNH_VPSRLQ_I, 1, t->b0 + t->vectors + v, t->b0 + v, 32);
    }
    for (int i = 0, n = 0; i < t->rows; i++) {
        int reg = halves ? t->a0 : t->a0 + i % t->n_a;
        knh_operand from = knh_tile_a(t, i, s, 0);
        knh_v2(t->a, knh_either(t, KNH_VPBROADCASTD, KNH_VPBROADCASTQ), t->length, reg, from);
        if (halves) {
            from.disp += 4;
            knh_v2(t->a, KNH_VPBROADCASTD, 1, reg + 1, from);
        }
        for (int v = 0; v < t->vectors; v++, n++)
            add_product(t, knh_accumulator(t, i, v), t->b0 + v, reg, t->t0 + n % 2);
    }
}

/* ---- Sums of rows of A. */

/* acc[i] += 64 bytes of row i, in fours. */
static void add_chunk(knh_tiler *t, int mask)
{
    for (int i = 0; i < t->rows; i++) {
        knh_v(t->a, KNH_VMOVDQU32, 2, t->b0, 0, knh_tile_a(t, i, 0, 0), mask, mask != 0, -1);
        knh_v3(t->a, KNH_VPDPBUSD, 2, i, t->r->a_signed ? t->a0 : t->b0, knh_reg(t->r->a_signed ? t->b0 : t->a0));
    }
}

/* The sum of the 16 lanes of accumulator i, times 128, to the stack. */
static void store_sum(knh_tiler *t, int i, knh_operand to)
{
    knh_asm *a = t->a;
    int x = t->b0, y = t->a0;
    knh_v2i(a, KNH_VEXTRACTI64X4, 2, i, knh_reg(x), 1);
    knh_v3(a, KNH_VPADDD, 1, x, x, knh_reg(i));
    knh_v2i(a, KNH_VEXTRACTI32X4, 1, x, knh_reg(y), 1);
    knh_v3(a, KNH_VPADDD, 0, x, x, knh_reg(y));
    knh_v2i(a, KNH_VPSHUFD, 0, y, knh_reg(x), 0x4E);
    knh_v3(a, KNH_VPADDD, 0, x, x, knh_reg(y));
    knh_v2i(a, KNH_VPSHUFD, 0, y, knh_reg(x), 0xB1);
    knh_v3(a, KNH_VPADDD, 0, x, x, knh_reg(y));
    knh_shift(a, KNH_VPSLLD_I, 0, x, x, 7);
    knh_v2(a, KNH_VMOVD_ST, 0, x, to);
}

void knh_tile_row_sums(knh_tiler *t, int stack)
{
    knh_asm *a = t->a;
    int loop = knh_label(a), rest = knh_label(a), done = knh_label(a);
    if (!moves_b(t))
        return;
    for (int i = 0; i < t->rows; i++)
        knh_v3(a, KNH_VPXORD, 0, i, i, knh_reg(i));
    knh_v2(a, KNH_VPBROADCASTD, 2, t->a0,
           (knh_operand){.memory = true, .base = -1, .index = -1, .scale = 1, .disp = all_lanes(t, 0x01010101).disp});
    knh_mov(a, t->count, t->left);
    knh_alu_number(a, KNH_SUB, t->count, 64);
    knh_jump_if(a, KNH_IF_L, rest);
    knh_here(a, loop);
    add_chunk(t, 0);
    knh_lines_move(t, &t->at_a, 64);
    knh_alu_number(a, KNH_SUB, t->count, 64);
    knh_jump_if(a, KNH_IF_GE, loop);
    knh_here(a, rest);
    knh_alu_number(a, KNH_ADD, t->count, 64);
    knh_jump_if(a, KNH_IF_E, done);
    knh_shr(a, t->count, 2);
    knh_mov_number(a, t->at_b.base[0], 0xFFFF);
    knh_bzhi(a, t->at_b.base[0], t->at_b.base[0], t->count);
    knh_v2(a, KNH_KMOVW_KR, 0, 2, knh_reg(t->at_b.base[0]));
    knh_shl(a, t->count, 2);
    knh_load(a, t->at_b.base[0], KNH_PRODUCT_ARG(b));
    add_chunk(t, 2);
    knh_here(a, done);
    knh_alu_reg(a, KNH_SUB, t->count, t->left);
    for (int i = 0; i < t->at_a.n_base; i++)
        knh_alu_reg(a, KNH_ADD, t->at_a.base[i], t->count);
    for (int i = 0; i < t->rows; i++)
        store_sum(t, i, knh_at(KNH_RSP, stack + 4 * i));
}

void knh_tile_correct(knh_tiler *t, int stack)
{
    if (!moves_b(t))
        return;
    for (int i = 0; i < t->rows; i++)
        for (int v = 0; v < t->vectors; v++) {
            knh_operand m = knh_at(KNH_RSP, stack + 4 * i);
            int acc = knh_accumulator(t, i, v);
            m.broadcast = true;
            knh_v3(t->a, t->r->a_signed ? KNH_VPSUBD : KNH_VPADDD, 2, acc, acc, m);
        }
}
