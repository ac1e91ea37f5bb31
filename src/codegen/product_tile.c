/* SPDX-License-Identifier: Apache-2.0
 * product_tile.c -- the frame of every inner loop of a product: arguments to registers, the loop over blocks of 256
 * steps, the loop over the steps of one, and the sums on their way to c and to the chains. */
#include "codegen/product_emit.h"

enum { BLOCK = 256, UNROLL = 4, ROWS_PER_BASE = 7 };
/* Two words on the stack: steps of the first block that are done (0 for further ones), and whether c has totals. */
enum { DONE = 0, HAVE_TOTALS = 8, STACK = 16 };

static kng_operand arg(size_t offset) { return kng_at(KNG_RDI, (int32_t)offset); }
#define ARG(field) arg(offsetof(kng_product_args, field))

/* ---- Registers: those that need not be saved first. */

static const int8_t order[] = {KNG_RAX, KNG_RCX, KNG_RDX, KNG_RSI, KNG_R8,  KNG_R9,  KNG_R10,
                               KNG_R11, KNG_RBX, KNG_RBP, KNG_R12, KNG_R13, KNG_R14, KNG_R15};
enum { UNSAVED = 8 };

static int take(kng_tiler *t) { return order[t->used++]; }

static void take_registers(kng_tiler *t)
{
    bool along = t->r->a_from == KNG_A_ALONG;
    int bases = along ? (t->rows + ROWS_PER_BASE - 1) / ROWS_PER_BASE : 1;
    for (int i = 0; i < bases; i++)
        t->a_base[i] = take(t);
    for (int i = 0; i < 3; i++)
        if (along ? t->rows > 2 * i + 1 : i < 2)
            t->a_row[i] = take(t);
    t->b = take(t);
    if (t->r->b_from != KNG_B_PACKED) {
        t->b_k = take(t);
        t->b_k3 = take(t);
    }
    if (t->r->b_from == KNG_B_PACKING)
        t->packed = take(t);
    t->count = take(t);
    t->left = take(t);
}

/* The distances of 1, 3 and 5 reach 0 to 6: 2, 4 and 6 are scaled ones. */
static void load_a(kng_tiler *t)
{
    kng_asm *a = t->a;
    bool along = t->r->a_from == KNG_A_ALONG;
    kng_load(a, t->a_base[0], ARG(a));
    if (!along || t->rows > 1)
        kng_load(a, t->a_row[0], along ? ARG(a_row) : ARG(a_k));
    if (!along || t->rows > 3)
        kng_lea(a, t->a_row[1], kng_at_index(t->a_row[0], t->a_row[0], 2, 0));
    if (along && t->rows > 5)
        kng_lea(a, t->a_row[2], kng_at_index(t->a_row[0], t->a_row[0], 4, 0));
    for (int i = 1; along && i * ROWS_PER_BASE < t->rows; i++) {
        kng_lea(a, t->a_base[i], kng_at_index(t->a_base[i - 1], t->a_row[1], 2, 0));
        kng_alu_reg(a, KNG_ADD, t->a_base[i], t->a_row[0]);
    }
}

static void load_b(kng_tiler *t)
{
    kng_asm *a = t->a;
    kng_load(a, t->b, ARG(b));
    if (t->r->b_from != KNG_B_PACKED) {
        kng_load(a, t->b_k, ARG(b_k));
        kng_lea(a, t->b_k3, kng_at_index(t->b_k, t->b_k, 2, 0));
    }
    if (t->r->b_from == KNG_B_PACKING)
        kng_load(a, t->packed, ARG(packed));
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

/* ---- Memory. */

kng_operand kng_tile_a(const kng_tiler *t, int i, int s, int p)
{
    static const uint8_t of[ROWS_PER_BASE] = {0, 0, 0, 1, 0, 2, 1}, scale[ROWS_PER_BASE] = {0, 1, 2, 1, 4, 1, 2};
    int32_t part = p * t->f.a_bytes / t->f.parts;
    bool along = t->r->a_from == KNG_A_ALONG;
    int base = t->a_base[along ? i / ROWS_PER_BASE : 0], n = along ? i % ROWS_PER_BASE : s;
    int32_t disp = part + (along ? s : i) * t->f.a_bytes;
    return n ? kng_at_index(base, t->a_row[of[n]], scale[n], disp) : kng_at(base, disp);
}

kng_operand kng_tile_b(const kng_tiler *t, int s, int v)
{
    if (t->r->b_from == KNG_B_PACKED)
        return kng_at(t->b, (s * t->vectors + v) * t->bytes);
    int32_t disp = v * t->bytes;
    return s == 0   ? kng_at(t->b, disp)
           : s == 3 ? kng_at_index(t->b, t->b_k3, 1, disp)
                    : kng_at_index(t->b, t->b_k, s, disp);
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

/* `by` times a distance that is a number of the call; by is 1 or 4. */
static void move_by(kng_tiler *t, int base, int distance, int by)
{
    if (by == 1)
        kng_alu_reg(t->a, KNG_ADD, base, distance);
    else
        kng_lea(t->a, base, kng_at_index(base, distance, 4, 0));
}

void kng_tile_advance(kng_tiler *t, int steps)
{
    int row = t->vectors * t->bytes * t->f.parts;
    if (t->r->a_from == KNG_A_ACROSS)
        move_by(t, t->a_base[0], t->a_row[0], steps);
    else
        for (int i = 0; i * ROWS_PER_BASE < t->rows; i++)
            kng_alu_number(t->a, KNG_ADD, t->a_base[i], steps * t->f.a_bytes);
    if (t->r->b_from == KNG_B_PACKED)
        kng_alu_number(t->a, KNG_ADD, t->b, steps * row);
    else
        move_by(t, t->b, t->b_k, steps);
    if (t->r->b_from == KNG_B_PACKING)
        kng_alu_number(t->a, KNG_ADD, t->packed, steps * row);
}

/* ---- Accumulators. */

static void zero_all(kng_tiler *t)
{
    for (int i = 0; i < t->rows * t->vectors; i++)
        kng_v3(t->a, KNG_VPXORD, 0, i, i, kng_reg(i));
}

/* All accumulators from or to rows that begin at `at` (which moves) and are a row of the call apart. */
static void walk(kng_tiler *t, int at, kng_operand distance, void (*one)(kng_tiler *t, int v, int reg, kng_operand m))
{
    for (int i = 0; i < t->rows; i++) {
        for (int v = 0; v < t->vectors; v++)
            one(t, v, kng_accumulator(t, i, v), kng_at(at, v * t->bytes));
        if (i + 1 < t->rows)
            kng_alu_load(t->a, KNG_ADD, at, distance);
    }
}

static void add_number(kng_tiler *t, int reg, int left, kng_operand right, int mask)
{
    static const kng_insn add[KNG_NUMBER_KINDS] = {KNG_VADDPS, KNG_VADDPD, KNG_VADDPS, KNG_VADDPD,
                                                   KNG_VPADDD, KNG_VPADDQ, KNG_VPADDD, KNG_VPADDD};
    kng_v(t->a, add[t->r->number], t->length, reg, left, right, mask, mask != 0, -1);
}

/* The order of the two operands of a sum does not matter for its bits. */
static void add_total(kng_tiler *t, int v, int reg, kng_operand from)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (masked && t->length == 1) {
        kng_tile_load(t, v, t->b0, from);
        add_number(t, reg, reg, kng_reg(t->b0), 0);
    } else {
        add_number(t, reg, reg, from, masked);
    }
}

/* ---- The function. */

static void steps(kng_tiler *t)
{
    kng_asm *a = t->a;
    void (*step)(kng_tiler *, int) = t->r->number <= KNG_NUMBER_C128 ? kng_tile_step_float : kng_tile_step_int;
    int many = kng_label(a), few = kng_label(a), one = kng_label(a), done = kng_label(a);
    kng_alu_number(a, KNG_SUB, t->count, UNROLL * t->f.steps);
    kng_jump_if(a, KNG_IF_L, few);
    kng_align(a, 32);
    kng_here(a, many);
    for (int s = 0; s < UNROLL; s++)
        step(t, s);
    kng_tile_advance(t, UNROLL);
    kng_alu_number(a, KNG_SUB, t->count, UNROLL * t->f.steps);
    kng_jump_if(a, KNG_IF_GE, many);
    kng_here(a, few);
    kng_alu_number(a, KNG_ADD, t->count, UNROLL * t->f.steps);
    kng_jump_if(a, KNG_IF_E, done);
    kng_here(a, one);
    step(t, 0);
    kng_tile_advance(t, 1);
    kng_alu_number(a, KNG_SUB, t->count, t->f.steps);
    kng_jump_if(a, KNG_IF_NE, one);
    kng_here(a, done);
}

/* The value of the block becomes the total, or is added to it. */
static void totals(kng_tiler *t)
{
    kng_asm *a = t->a;
    int first = kng_label(a);
    kng_load(a, t->count, kng_at(KNG_RSP, HAVE_TOTALS));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_E, first);
    kng_load(a, t->count, ARG(c));
    walk(t, t->count, ARG(c_row), add_total);
    kng_here(a, first);
    kng_load(a, t->count, ARG(c));
    walk(t, t->count, ARG(c_row), kng_tile_store);
}

static void blocks(kng_tiler *t, int load_chain, int first, int store_chain, int end)
{
    kng_asm *a = t->a;
    int block = kng_label(a), whole = kng_label(a);
    kng_load(a, t->count, ARG(chain_in));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_NE, load_chain);
    kng_here(a, block);
    zero_all(t);
    kng_here(a, first);
    kng_mov_number(a, t->count, BLOCK);
    kng_alu_load(a, KNG_SUB, t->count, kng_at(KNG_RSP, DONE));
    kng_alu_reg(a, KNG_CMP, t->count, t->left);
    kng_cmov(a, KNG_IF_G, t->count, t->left);
    kng_alu_reg(a, KNG_SUB, t->left, t->count);
    steps(t);
    kng_test(a, t->left, t->left);
    kng_jump_if(a, KNG_IF_NE, whole);
    kng_load(a, t->count, ARG(chain_out));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_NE, store_chain);
    kng_here(a, whole);
    totals(t);
    kng_test(a, t->left, t->left);
    kng_jump_if(a, KNG_IF_E, end);
    kng_mov_number(a, t->count, 0);
    kng_store(a, kng_at(KNG_RSP, DONE), t->count);
    kng_mov_number(a, t->count, 1);
    kng_store(a, kng_at(KNG_RSP, HAVE_TOTALS), t->count);
    kng_jump(a, block);
}

void kng_tile_function(kng_tiler *t)
{
    kng_asm *a = t->a;
    take_registers(t);
    for (int i = UNSAVED; i < t->used; i++)
        kng_push(a, order[i]);
    kng_load(a, t->count, ARG(total_in));
    kng_push(a, t->count);
    kng_load(a, t->count, ARG(phase));
    kng_push(a, t->count);
    kng_load(a, t->left, ARG(k));
    load_a(t);
    load_b(t);
    load_mask(t);
    int load_chain = kng_label(a), first = kng_label(a), store_chain = kng_label(a), end = kng_label(a);
    blocks(t, load_chain, first, store_chain, end);
    kng_here(a, end);
    kng_alu_number(a, KNG_ADD, KNG_RSP, STACK);
    for (int i = t->used - 1; i >= UNSAVED; i--)
        kng_pop(a, order[i]);
    kng_v(a, KNG_VZEROUPPER, 0, 0, 0, kng_reg(0), 0, false, -1);
    kng_ret(a);
    kng_here(a, load_chain);
    walk(t, t->count, ARG(chain_row), kng_tile_load);
    kng_jump(a, first);
    kng_here(a, store_chain);
    walk(t, t->count, ARG(chain_row), kng_tile_store);
    kng_jump(a, end);
}
