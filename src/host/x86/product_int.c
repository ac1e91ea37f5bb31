/* SPDX-License-Identifier: Apache-2.0
 * product_int.c -- one step of k of a product of integers, modulo 2^bits. Shorts: products of pairs, added. Bytes:
 * products of four, one of whose operands the instruction takes as unsigned and the other as signed. Where both are of
 * one kind, 128 is added to (or taken from) those of B, and 128 times the sum of each row of A is taken from the result
 * (or added to it). */
#include "host/x86/product_emit.h"

static bool is_bytes(const kng_tiler *t) { return t->r->number == KNG_NUMBER_BYTES; }
static bool moves_b(const kng_tiler *t) { return is_bytes(t) && t->r->a_signed == t->r->b_signed; }

static kng_operand all_lanes(kng_tiler *t, uint32_t x)
{
    kng_operand m = kng_at_pool(kng_pool(t->a, &x, 4, 4));
    m.broadcast = true;
    return m;
}

/* acc += a * b, for 64 bits without an instruction: the low halves, and both mixed products in the upper half. */
static void add_wide(kng_tiler *t, int acc, int b, int a)
{
    kng_asm *s = t->a;
    int high_b = b + t->vectors, high_a = a + 1, x = t->t0, y = t->t0 + 1;
    kng_v3(s, KNG_VPMULUDQ, 1, x, high_b, kng_reg(a));
    kng_v3(s, KNG_VPMULUDQ, 1, y, b, kng_reg(high_a));
    kng_v3(s, KNG_VPADDQ, 1, x, x, kng_reg(y));
    kng_v3(s, KNG_VPMULUDQ, 1, y, b, kng_reg(a));
    kng_shift(s, KNG_VPSLLQ_I, 1, x, x, 32);
    kng_v3(s, KNG_VPADDQ, 1, acc, acc, kng_reg(y));
    kng_v3(s, KNG_VPADDQ, 1, acc, acc, kng_reg(x));
}

static void add_product(kng_tiler *t, int acc, int b, int a, int temp)
{
    kng_asm *s = t->a;
    switch ((kng_number)t->r->number) {
    case KNG_NUMBER_BYTES:
        kng_v3(s, KNG_VPDPBUSD, 2, acc, t->r->a_signed ? b : a, kng_reg(t->r->a_signed ? a : b));
        return;
    case KNG_NUMBER_SHORTS: kng_v3(s, KNG_VPMADDWD, t->length, temp, b, kng_reg(a)); break;
    case KNG_NUMBER_I32: kng_v3(s, KNG_VPMULLD, t->length, temp, b, kng_reg(a)); break;
    default:
        if (t->length == 1) {
            add_wide(t, acc, b, a);
            return;
        }
        kng_v3(s, KNG_VPMULLQ, 2, temp, b, kng_reg(a));
    }
    kng_v3(s, kng_either(t, KNG_VPADDD, KNG_VPADDQ), t->length, acc, acc, kng_reg(temp));
}

void kng_tile_step_int(kng_tiler *t, int s)
{
    bool halves = t->f.wide && t->length == 1;
    kng_tile_prefetch_b(t, s);
    kng_tile_take_b(t, s, 0);
    for (int v = 0; v < t->vectors; v++) {
        if (moves_b(t))
            kng_v3(t->a, KNG_VPXORD, 2, t->b0 + v, t->b0 + v, all_lanes(t, 0x80808080));
        if (halves)
            kng_shift(t->a, KNG_VPSRLQ_I, 1, t->b0 + t->vectors + v, t->b0 + v, 32);
    }
    for (int i = 0, n = 0; i < t->rows; i++) {
        int reg = halves ? t->a0 : t->a0 + i % t->n_a;
        kng_operand from = kng_tile_a(t, i, s, 0);
        kng_v2(t->a, kng_either(t, KNG_VPBROADCASTD, KNG_VPBROADCASTQ), t->length, reg, from);
        if (halves) {
            from.disp += 4;
            kng_v2(t->a, KNG_VPBROADCASTD, 1, reg + 1, from);
        }
        for (int v = 0; v < t->vectors; v++, n++)
            add_product(t, kng_accumulator(t, i, v), t->b0 + v, reg, t->t0 + n % 2);
    }
}

/* ---- Sums of rows of A. */

/* acc[i] += 64 bytes of row i, in fours. */
static void add_chunk(kng_tiler *t, int mask)
{
    for (int i = 0; i < t->rows; i++) {
        kng_v(t->a, KNG_VMOVDQU32, 2, t->b0, 0, kng_tile_a(t, i, 0, 0), mask, mask != 0, -1);
        kng_v3(t->a, KNG_VPDPBUSD, 2, i, t->r->a_signed ? t->a0 : t->b0, kng_reg(t->r->a_signed ? t->b0 : t->a0));
    }
}

/* The sum of the 16 lanes of accumulator i, times 128, to the stack. */
static void store_sum(kng_tiler *t, int i, kng_operand to)
{
    kng_asm *a = t->a;
    int x = t->b0, y = t->a0;
    kng_v2i(a, KNG_VEXTRACTI64X4, 2, i, kng_reg(x), 1);
    kng_v3(a, KNG_VPADDD, 1, x, x, kng_reg(i));
    kng_v2i(a, KNG_VEXTRACTI32X4, 1, x, kng_reg(y), 1);
    kng_v3(a, KNG_VPADDD, 0, x, x, kng_reg(y));
    kng_v2i(a, KNG_VPSHUFD, 0, y, kng_reg(x), 0x4E);
    kng_v3(a, KNG_VPADDD, 0, x, x, kng_reg(y));
    kng_v2i(a, KNG_VPSHUFD, 0, y, kng_reg(x), 0xB1);
    kng_v3(a, KNG_VPADDD, 0, x, x, kng_reg(y));
    kng_shift(a, KNG_VPSLLD_I, 0, x, x, 7);
    kng_v2(a, KNG_VMOVD_ST, 0, x, to);
}

void kng_tile_row_sums(kng_tiler *t, int stack)
{
    kng_asm *a = t->a;
    int loop = kng_label(a), rest = kng_label(a), done = kng_label(a);
    if (!moves_b(t))
        return;
    for (int i = 0; i < t->rows; i++)
        kng_v3(a, KNG_VPXORD, 0, i, i, kng_reg(i));
    kng_v2(a, KNG_VPBROADCASTD, 2, t->a0,
           (kng_operand){.memory = true, .base = -1, .index = -1, .scale = 1, .disp = all_lanes(t, 0x01010101).disp});
    kng_mov(a, t->count, t->left);
    kng_alu_number(a, KNG_SUB, t->count, 64);
    kng_jump_if(a, KNG_IF_L, rest);
    kng_here(a, loop);
    add_chunk(t, 0);
    kng_lines_move(t, &t->at_a, 64);
    kng_alu_number(a, KNG_SUB, t->count, 64);
    kng_jump_if(a, KNG_IF_GE, loop);
    kng_here(a, rest);
    kng_alu_number(a, KNG_ADD, t->count, 64);
    kng_jump_if(a, KNG_IF_E, done);
    kng_shr(a, t->count, 2);
    kng_mov_number(a, t->at_b.base[0], 0xFFFF);
    kng_bzhi(a, t->at_b.base[0], t->at_b.base[0], t->count);
    kng_v2(a, KNG_KMOVW_KR, 0, 2, kng_reg(t->at_b.base[0]));
    kng_shl(a, t->count, 2);
    kng_load(a, t->at_b.base[0], KNG_PRODUCT_ARG(b));
    add_chunk(t, 2);
    kng_here(a, done);
    kng_alu_reg(a, KNG_SUB, t->count, t->left);
    for (int i = 0; i < t->at_a.n_base; i++)
        kng_alu_reg(a, KNG_ADD, t->at_a.base[i], t->count);
    for (int i = 0; i < t->rows; i++)
        store_sum(t, i, kng_at(KNG_RSP, stack + 4 * i));
}

void kng_tile_correct(kng_tiler *t, int stack)
{
    if (!moves_b(t))
        return;
    for (int i = 0; i < t->rows; i++)
        for (int v = 0; v < t->vectors; v++) {
            kng_operand m = kng_at(KNG_RSP, stack + 4 * i);
            int acc = kng_accumulator(t, i, v);
            m.broadcast = true;
            kng_v3(t->a, t->r->a_signed ? KNG_VPSUBD : KNG_VPADDD, 2, acc, acc, m);
        }
}
