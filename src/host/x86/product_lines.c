/* SPDX-License-Identifier: Apache-2.0
 * product_lines.c -- how the inner loops of products reach their operands: general-purpose registers, addresses, masks,
 * prefetches. */
#include "host/x86/product_emit.h"

enum { AHEAD = 24 }; /* rows of plain B are prefetched so many steps ahead */

/* Those that need not be saved first. */
static const int8_t order[] = {KNH_RAX, KNH_RCX, KNH_RDX, KNH_RSI, KNH_R8,  KNH_R9,  KNH_R10,
                               KNH_R11, KNH_RBX, KNH_RBP, KNH_R12, KNH_R13, KNH_R14, KNH_R15};
enum { UNSAVED = 8 };

static int take(knh_tiler *t) { return order[t->used++]; }

void knh_tile_save(knh_tiler *t)
{
    for (int i = UNSAVED; i < t->used; i++)
        knh_push(t->a, order[i]);
}

void knh_tile_restore(knh_tiler *t)
{
    for (int i = t->used - 1; i >= UNSAVED; i--)
        knh_pop(t->a, order[i]);
}

/* ---- Lines: the distances of 1, 3 and 5 lines reach 0 to 6, for 2, 4 and 6 are scaled ones. */

static void take_lines(knh_tiler *t, knh_lines *l, int n)
{
    l->n = n;
    l->n_base = (n + KNH_LINES_PER_BASE - 1) / KNH_LINES_PER_BASE;
    for (int i = 0; i < l->n_base; i++)
        l->base[i] = (int8_t)take(t);
    for (int i = 0; i < 3; i++)
        if (n > 2 * i + 1)
            l->by[i] = (int8_t)take(t);
}

/* The bases behind the first one. */
static void follow(knh_tiler *t, const knh_lines *l)
{
    for (int i = 1; i < l->n_base; i++) {
        knh_lea(t->a, l->base[i], knh_at_index(l->base[i - 1], l->by[1], 2, 0));
        knh_alu_reg(t->a, KNH_ADD, l->base[i], l->by[0]);
    }
}

static void load_lines(knh_tiler *t, const knh_lines *l, knh_operand first, knh_operand distance)
{
    knh_asm *a = t->a;
    knh_load(a, l->base[0], first);
    if (l->n > 1)
        knh_load(a, l->by[0], distance);
    if (l->n > 3)
        knh_lea(a, l->by[1], knh_at_index(l->by[0], l->by[0], 2, 0));
    if (l->n > 5)
        knh_lea(a, l->by[2], knh_at_index(l->by[0], l->by[0], 4, 0));
    follow(t, l);
}

knh_operand knh_line(const knh_lines *l, int i, int32_t disp)
{
    static const uint8_t of[KNH_LINES_PER_BASE] = {0, 0, 0, 1, 0, 2, 1},
                         scale[KNH_LINES_PER_BASE] = {0, 1, 2, 1, 4, 1, 2};
    int base = l->base[i / KNH_LINES_PER_BASE], n = i % KNH_LINES_PER_BASE;
    return n ? knh_at_index(base, l->by[of[n]], scale[n], disp) : knh_at(base, disp);
}

void knh_lines_move(knh_tiler *t, const knh_lines *l, int32_t bytes)
{
    for (int i = 0; i < l->n_base; i++)
        knh_alu_number(t->a, KNH_ADD, l->base[i], bytes);
}

/* ---- Operands. */

/* Lines of A are its rows, or four of its steps; of B: four of its steps, or its columns. */
enum { STEPS = 4 };

static bool table_of_a(const knh_tiler *t) { return t->r->a_from >= KNH_A_TABLE; }
static bool table_of_b(const knh_tiler *t) { return t->r->b_from == KNH_B_TABLE; }

void knh_tile_registers(knh_tiler *t)
{
    int from = t->r->b_from, a_from = t->r->a_from;
    bool plain = from == KNH_B_PLAIN || from == KNH_B_PACKING;
    take_lines(t, &t->at_a, a_from == KNH_A_ACROSS ? STEPS : a_from == KNH_A_LANES ? t->columns : t->rows);
    take_lines(t, &t->at_b, plain ? STEPS : from == KNH_B_TURNED ? t->columns : 1);
    if (table_of_a(t) || table_of_b(t)) {
        t->table = take(t);
        t->origin = take(t);
    }
    t->ahead = t->at_b;
    if (plain)
        t->ahead.base[0] = (int8_t)take(t);
    if (from == KNH_B_PACKING)
        t->packed = take(t);
    t->count = take(t);
    t->left = take(t);
    t->next = from == KNH_B_TURNED && a_from != KNH_A_LANES && t->used < (int)sizeof order ? take(t) : -1;
}

/* Which lanes the last vector of a row has: k1, or a register of ones and zeros. */
static void load_mask(knh_tiler *t)
{
    int reals = t->r->lanes * t->f.c_bytes / (t->f.wide ? 8 : 4);
    if (!t->partial)
        return;
    if (t->length == 2) {
        knh_mov_number(t->a, t->count, (1 << reals) - 1);
        knh_v2(t->a, KNH_KMOVW_KR, 0, 1, knh_reg(t->count));
        return;
    }
    uint32_t ones[8] = {0};
    for (int i = 0; i < reals * (t->f.wide ? 2 : 1); i++)
        ones[i] = UINT32_MAX;
    knh_v2(t->a, KNH_VMOVUPS, 1, t->mask, knh_at_pool(knh_pool(t->a, ones, 32, 32)));
}

void knh_tile_arguments(knh_tiler *t)
{
    knh_asm *a = t->a;
    knh_load(a, t->left, KNH_PRODUCT_ARG(k));
    load_lines(t, &t->at_a, KNH_PRODUCT_ARG(a),
               t->r->a_from == KNH_A_ACROSS ? KNH_PRODUCT_ARG(a_k) : KNH_PRODUCT_ARG(a_row));
    load_lines(t, &t->at_b, KNH_PRODUCT_ARG(b), KNH_PRODUCT_ARG(b_k));
    if (table_of_a(t) || table_of_b(t)) {
        knh_load(a, t->table, KNH_PRODUCT_ARG(table));
        knh_mov(a, t->origin, table_of_a(t) ? t->at_a.base[0] : t->at_b.base[0]);
    }
    if (t->ahead.base[0] != t->at_b.base[0]) {
        knh_mov_number(a, t->ahead.base[0], AHEAD);
        knh_imul(a, t->ahead.base[0], knh_reg(t->at_b.by[0]));
        knh_alu_reg(a, KNH_ADD, t->ahead.base[0], t->at_b.base[0]);
    }
    if (t->r->b_from == KNH_B_PACKING)
        knh_load(a, t->packed, KNH_PRODUCT_ARG(packed));
    load_mask(t);
}

void knh_tile_find(knh_tiler *t, int s)
{
    const knh_lines *l = table_of_a(t) ? &t->at_a : &t->at_b;
    if (!table_of_a(t) && !table_of_b(t))
        return;
    knh_load(t->a, l->base[0], knh_at(t->table, s * (int)sizeof(int64_t)));
    knh_alu_reg(t->a, KNH_ADD, l->base[0], t->origin);
    follow(t, l);
}

knh_operand knh_tile_a(const knh_tiler *t, int i, int s, int p)
{
    int32_t part = p * t->f.a_bytes / t->f.parts;
    bool across = t->r->a_from == KNH_A_ACROSS;
    return knh_line(&t->at_a, across ? s : i, part + (across ? i : table_of_a(t) ? 0 : s) * t->f.a_bytes);
}

knh_operand knh_tile_b(const knh_tiler *t, int s, int v)
{
    if (t->r->b_from == KNH_B_PACKED)
        return knh_line(&t->at_b, 0, (s * t->vectors + v) * t->bytes);
    return knh_line(&t->at_b, table_of_b(t) ? 0 : s, v * t->bytes);
}

/* The rows of plain B lie too far apart for the processor to guess the next one. A few rows wait for memory anyway,
 * and read wide pieces of it. */
void knh_tile_prefetch_b(knh_tiler *t, int s)
{
    int end = t->vectors * t->bytes;
    if (t->r->b_from == KNH_B_PACKED || table_of_b(t) || t->rows < 4)
        return;
    for (int32_t disp = 0; disp < end + 64; disp += 64)
        knh_prefetch(t->a, knh_line(&t->ahead, s, disp < end ? disp : end - 1), 2);
}

void knh_tile_load(knh_tiler *t, int v, int reg, knh_operand from)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (!masked)
        knh_v2(t->a, KNH_VMOVUPS, t->length, reg, from);
    else if (t->length == 2)
        knh_v(t->a, knh_either(t, KNH_VMOVUPS, KNH_VMOVUPD), 2, reg, 0, from, 1, true, -1);
    else
        knh_v3(t->a, KNH_VMASKMOVPS, 1, reg, t->mask, from);
}

void knh_tile_store(knh_tiler *t, int v, int reg, knh_operand to)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (!masked)
        knh_v2(t->a, KNH_VMOVUPS_ST, t->length, reg, to);
    else if (t->length == 2)
        knh_v(t->a, knh_either(t, KNH_VMOVUPS_ST, KNH_VMOVUPD_ST), 2, reg, 0, to, 1, false, -1);
    else
        knh_v3(t->a, KNH_VMASKMOVPS_ST, 1, reg, t->mask, to);
}

/* A base by one or four lines. */
static void move_lines(knh_tiler *t, const knh_lines *l, int steps)
{
    if (steps == 1)
        knh_alu_reg(t->a, KNH_ADD, l->base[0], l->by[0]);
    else
        knh_lea(t->a, l->base[0], knh_at_index(l->base[0], l->by[0], 4, 0));
}

void knh_tile_advance(knh_tiler *t, int steps)
{
    int row = t->vectors * t->bytes * t->f.parts;
    if (table_of_a(t) || table_of_b(t))
        knh_alu_number(t->a, KNH_ADD, t->table, steps * (int)sizeof(int64_t));
    if (t->r->a_from == KNH_A_ACROSS)
        move_lines(t, &t->at_a, steps);
    else if (!table_of_a(t))
        knh_lines_move(t, &t->at_a, steps * t->f.a_bytes);
    if (t->r->b_from == KNH_B_PACKED) {
        knh_lines_move(t, &t->at_b, steps * row);
    } else if (!table_of_b(t)) {
        move_lines(t, &t->at_b, steps);
        move_lines(t, &t->ahead, steps);
    }
    if (t->r->b_from == KNH_B_PACKING)
        knh_alu_number(t->a, KNH_ADD, t->packed, steps * row);
}
