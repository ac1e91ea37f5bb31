/* SPDX-License-Identifier: Apache-2.0
 * product_lines.c -- how the inner loops of products reach their operands: general-purpose registers, addresses, masks,
 * prefetches. */
#include "host/x86/product_emit.h"

enum { LINES_PER_BASE = 7 };
enum { AHEAD = 24 }; /* rows of plain B are prefetched so many steps ahead */

/* Those that need not be saved first. */
static const int8_t order[] = {KNG_RAX, KNG_RCX, KNG_RDX, KNG_RSI, KNG_R8,  KNG_R9,  KNG_R10,
                               KNG_R11, KNG_RBX, KNG_RBP, KNG_R12, KNG_R13, KNG_R14, KNG_R15};
enum { UNSAVED = 8 };

static int take(kng_tiler *t) { return order[t->used++]; }

void kng_tile_save(kng_tiler *t)
{
    for (int i = UNSAVED; i < t->used; i++)
        kng_push(t->a, order[i]);
}

void kng_tile_restore(kng_tiler *t)
{
    for (int i = t->used - 1; i >= UNSAVED; i--)
        kng_pop(t->a, order[i]);
}

/* ---- Lines: the distances of 1, 3 and 5 lines reach 0 to 6, for 2, 4 and 6 are scaled ones. */

static void take_lines(kng_tiler *t, kng_lines *l, int n)
{
    l->n = n;
    l->n_base = (n + LINES_PER_BASE - 1) / LINES_PER_BASE;
    for (int i = 0; i < l->n_base; i++)
        l->base[i] = (int8_t)take(t);
    for (int i = 0; i < 3; i++)
        if (n > 2 * i + 1)
            l->by[i] = (int8_t)take(t);
}

static void load_lines(kng_tiler *t, const kng_lines *l, kng_operand first, kng_operand distance)
{
    kng_asm *a = t->a;
    kng_load(a, l->base[0], first);
    if (l->n > 1)
        kng_load(a, l->by[0], distance);
    if (l->n > 3)
        kng_lea(a, l->by[1], kng_at_index(l->by[0], l->by[0], 2, 0));
    if (l->n > 5)
        kng_lea(a, l->by[2], kng_at_index(l->by[0], l->by[0], 4, 0));
    for (int i = 1; i < l->n_base; i++) {
        kng_lea(a, l->base[i], kng_at_index(l->base[i - 1], l->by[1], 2, 0));
        kng_alu_reg(a, KNG_ADD, l->base[i], l->by[0]);
    }
}

kng_operand kng_line(const kng_lines *l, int i, int32_t disp)
{
    static const uint8_t of[LINES_PER_BASE] = {0, 0, 0, 1, 0, 2, 1}, scale[LINES_PER_BASE] = {0, 1, 2, 1, 4, 1, 2};
    int base = l->base[i / LINES_PER_BASE], n = i % LINES_PER_BASE;
    return n ? kng_at_index(base, l->by[of[n]], scale[n], disp) : kng_at(base, disp);
}

void kng_lines_move(kng_tiler *t, const kng_lines *l, int32_t bytes)
{
    for (int i = 0; i < l->n_base; i++)
        kng_alu_number(t->a, KNG_ADD, l->base[i], bytes);
}

/* ---- Operands. */

/* Lines of A are its rows, or four of its steps; of B: four of its steps, or its columns. */
enum { STEPS = 4 };

void kng_tile_registers(kng_tiler *t)
{
    int from = t->r->b_from;
    bool plain = from == KNG_B_PLAIN || from == KNG_B_PACKING;
    take_lines(t, &t->at_a, t->r->a_from == KNG_A_ALONG ? t->rows : t->r->a_from == KNG_A_ACROSS ? STEPS : t->columns);
    take_lines(t, &t->at_b, plain ? STEPS : from == KNG_B_PACKED ? 1 : t->columns);
    t->ahead = t->at_b;
    if (plain)
        t->ahead.base[0] = (int8_t)take(t);
    if (from == KNG_B_PACKING)
        t->packed = take(t);
    t->count = take(t);
    t->left = take(t);
}

/* Which lanes the last vector of a row has: k1, or a register of ones and zeros. */
static void load_mask(kng_tiler *t)
{
    int reals = t->r->lanes * t->f.c_bytes / (t->f.wide ? 8 : 4);
    if (!t->partial)
        return;
    if (t->length == 2) {
        kng_mov_number(t->a, t->count, (1 << reals) - 1);
        kng_v2(t->a, KNG_KMOVW_KR, 0, 1, kng_reg(t->count));
        return;
    }
    uint32_t ones[8] = {0};
    for (int i = 0; i < reals * (t->f.wide ? 2 : 1); i++)
        ones[i] = UINT32_MAX;
    kng_v2(t->a, KNG_VMOVUPS, 1, t->mask, kng_at_pool(kng_pool(t->a, ones, 32, 32)));
}

void kng_tile_arguments(kng_tiler *t)
{
    kng_asm *a = t->a;
    kng_load(a, t->left, KNG_PRODUCT_ARG(k));
    load_lines(t, &t->at_a, KNG_PRODUCT_ARG(a),
               t->r->a_from == KNG_A_ACROSS ? KNG_PRODUCT_ARG(a_k) : KNG_PRODUCT_ARG(a_row));
    load_lines(t, &t->at_b, KNG_PRODUCT_ARG(b), KNG_PRODUCT_ARG(b_k));
    if (t->ahead.base[0] != t->at_b.base[0]) {
        kng_mov_number(a, t->ahead.base[0], AHEAD);
        kng_imul(a, t->ahead.base[0], kng_reg(t->at_b.by[0]));
        kng_alu_reg(a, KNG_ADD, t->ahead.base[0], t->at_b.base[0]);
    }
    if (t->r->b_from == KNG_B_PACKING)
        kng_load(a, t->packed, KNG_PRODUCT_ARG(packed));
    load_mask(t);
}

kng_operand kng_tile_a(const kng_tiler *t, int i, int s, int p)
{
    int32_t part = p * t->f.a_bytes / t->f.parts;
    bool across = t->r->a_from == KNG_A_ACROSS;
    return kng_line(&t->at_a, across ? s : i, part + (across ? i : s) * t->f.a_bytes);
}

kng_operand kng_tile_b(const kng_tiler *t, int s, int v)
{
    if (t->r->b_from == KNG_B_PACKED)
        return kng_line(&t->at_b, 0, (s * t->vectors + v) * t->bytes);
    return kng_line(&t->at_b, s, v * t->bytes);
}

/* The rows of plain B lie too far apart for the processor to guess the next one. A few rows wait for memory anyway,
 * and read wide pieces of it. */
void kng_tile_prefetch_b(kng_tiler *t, int s)
{
    int end = t->vectors * t->bytes;
    if (t->r->b_from == KNG_B_PACKED || t->rows < 4)
        return;
    for (int32_t disp = 0; disp < end + 64; disp += 64)
        kng_prefetch(t->a, kng_line(&t->ahead, s, disp < end ? disp : end - 1), 2);
}

void kng_tile_load(kng_tiler *t, int v, int reg, kng_operand from)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (!masked)
        kng_v2(t->a, KNG_VMOVUPS, t->length, reg, from);
    else if (t->length == 2)
        kng_v(t->a, kng_either(t, KNG_VMOVUPS, KNG_VMOVUPD), 2, reg, 0, from, 1, true, -1);
    else
        kng_v3(t->a, KNG_VMASKMOVPS, 1, reg, t->mask, from);
}

void kng_tile_store(kng_tiler *t, int v, int reg, kng_operand to)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (!masked)
        kng_v2(t->a, KNG_VMOVUPS_ST, t->length, reg, to);
    else if (t->length == 2)
        kng_v(t->a, kng_either(t, KNG_VMOVUPS_ST, KNG_VMOVUPD_ST), 2, reg, 0, to, 1, false, -1);
    else
        kng_v3(t->a, KNG_VMASKMOVPS_ST, 1, reg, t->mask, to);
}

/* A base by one or four lines. */
static void move_lines(kng_tiler *t, const kng_lines *l, int steps)
{
    if (steps == 1)
        kng_alu_reg(t->a, KNG_ADD, l->base[0], l->by[0]);
    else
        kng_lea(t->a, l->base[0], kng_at_index(l->base[0], l->by[0], 4, 0));
}

void kng_tile_advance(kng_tiler *t, int steps)
{
    int row = t->vectors * t->bytes * t->f.parts;
    if (t->r->a_from == KNG_A_ACROSS)
        move_lines(t, &t->at_a, steps);
    else
        kng_lines_move(t, &t->at_a, steps * t->f.a_bytes);
    if (t->r->b_from == KNG_B_PACKED) {
        kng_lines_move(t, &t->at_b, steps * row);
    } else {
        move_lines(t, &t->at_b, steps);
        move_lines(t, &t->ahead, steps);
    }
    if (t->r->b_from == KNG_B_PACKING)
        kng_alu_number(t->a, KNG_ADD, t->packed, steps * row);
}
