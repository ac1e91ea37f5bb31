/* SPDX-License-Identifier: Apache-2.0
 * product_tile.c -- the frame of every inner loop of a product: the loop over blocks of 256 steps, the loop over the
 * steps of one, and the sums on their way to c and to the chains. */
#include "host/x86/product_emit.h"

enum { BLOCK = 256, UNROLL = 4 };
enum { LONG = 64 }; /* from so many steps on c is prefetched */
/* Two words on the stack: steps of the first block that are done (0 for further ones), and whether c has totals. Below
 * them, where no signal writes, sums of rows of A (BYTES). */
enum { DONE = 0, HAVE_TOTALS = 8, STACK = 16, SUMS = -128 };
#define ARG(field) KNH_PRODUCT_ARG(field)

static bool is_integer(const knh_tiler *t) { return t->r->number > KNH_NUMBER_C128; }

/* ---- Accumulators. */

static void zero_all(knh_tiler *t)
{
    for (int i = 0; i < t->rows * t->vectors; i++)
        knh_v3(t->a, KNH_VPXORD, 0, i, i, knh_reg(i));
}

/* All accumulators from or to rows that begin at `at` (which moves) and are a row of the call apart. */
static void walk(knh_tiler *t, int at, knh_operand distance, void (*one)(knh_tiler *t, int v, int reg, knh_operand m))
{
    for (int i = 0; i < t->rows; i++) {
        for (int v = 0; v < t->vectors; v++)
            one(t, v, knh_accumulator(t, i, v), knh_at(at, v * t->bytes));
        if (i + 1 < t->rows)
            knh_alu_load(t->a, KNH_ADD, at, distance);
    }
}

static void add_number(knh_tiler *t, int reg, int left, knh_operand right, int mask)
{
    static const knh_insn add[KNH_NUMBER_KINDS] = {KNH_VADDPS, KNH_VADDPD, KNH_VADDPS, KNH_VADDPD,
                                                   KNH_VPADDD, KNH_VPADDQ, KNH_VPADDD, KNH_VPADDD};
    knh_v(t->a, add[t->r->number], t->length, reg, left, right, mask, mask != 0, -1);
}

/* The order of the two operands of a sum does not matter for its bits. */
static void add_total(knh_tiler *t, int v, int reg, knh_operand from)
{
    bool masked = t->partial && v == t->vectors - 1;
    if (masked && t->length == 1) {
        knh_tile_load(t, v, t->b0, from);
        add_number(t, reg, reg, knh_reg(t->b0), 0);
    } else {
        add_number(t, reg, reg, from, masked);
    }
}

/* Floats: what is there less what the block has. */
static void take_from_total(knh_tiler *t, int v, int reg, knh_operand from)
{
    knh_tile_load(t, v, t->b0, from);
    knh_v3(t->a, knh_either(t, KNH_VSUBPS, KNH_VSUBPD), t->length, reg, t->b0, knh_reg(reg));
}

/* ---- The function. */

void knh_tile_loop(knh_tiler *t, int steps, void (*body)(knh_tiler *t, int n), int n)
{
    knh_asm *a = t->a;
    int again = knh_label(a), end = knh_label(a);
    knh_alu_number(a, KNH_SUB, t->count, steps);
    knh_jump_if(a, KNH_IF_L, end);
    knh_align(a, 32);
    knh_here(a, again);
    body(t, n);
    knh_alu_number(a, KNH_SUB, t->count, steps);
    knh_jump_if(a, KNH_IF_GE, again);
    knh_here(a, end);
    knh_alu_number(a, KNH_ADD, t->count, steps);
}

static void some_steps(knh_tiler *t, int n)
{
    for (int s = 0; s < n; s++)
        if (is_integer(t))
            knh_tile_step_int(t, s);
        else
            knh_tile_step_float(t, s);
    knh_tile_advance(t, n);
}

static void steps(knh_tiler *t)
{
    if (t->r->b_from == KNH_B_TURNED) {
        knh_tile_steps_turned(t);
        return;
    }
    knh_tile_loop(t, UNROLL * t->f.steps, some_steps, UNROLL);
    knh_tile_loop(t, t->f.steps, some_steps, 1);
}

/* The value of the block becomes the total, or is added to it, or taken from it. */
static void totals(knh_tiler *t)
{
    knh_asm *a = t->a;
    int first = knh_label(a);
    knh_load(a, t->count, knh_at(KNH_RSP, HAVE_TOTALS));
    knh_test(a, t->count, t->count);
    knh_jump_if(a, KNH_IF_E, first);
    knh_load(a, t->count, ARG(c));
    walk(t, t->count, ARG(c_row), t->r->minus ? take_from_total : add_total);
    knh_here(a, first);
    knh_load(a, t->count, ARG(c));
    walk(t, t->count, ARG(c_row), knh_tile_store);
}

static void prefetch_c(knh_tiler *t)
{
    knh_asm *a = t->a;
    int skip = knh_label(a), end = t->vectors * t->bytes;
    knh_alu_number(a, KNH_CMP, t->left, LONG);
    knh_jump_if(a, KNH_IF_L, skip);
    knh_load(a, t->count, ARG(c));
    for (int i = 0; i < t->rows; i++) {
        for (int32_t disp = 0; disp < end; disp += 64)
            knh_prefetch(a, knh_at(t->count, disp), 1);
        if (i + 1 < t->rows)
            knh_alu_load(a, KNH_ADD, t->count, ARG(c_row));
    }
    knh_here(a, skip);
}

/* How many steps. Sums of integers are the same in any order: they have one block. */
static void take_block(knh_tiler *t)
{
    knh_asm *a = t->a;
    if (is_integer(t)) {
        knh_mov(a, t->count, t->left);
        knh_mov_number(a, t->left, 0);
        return;
    }
    knh_mov_number(a, t->count, BLOCK);
    knh_alu_load(a, KNH_SUB, t->count, knh_at(KNH_RSP, DONE));
    knh_alu_reg(a, KNH_CMP, t->count, t->left);
    knh_cmov(a, KNH_IF_G, t->count, t->left);
    knh_alu_reg(a, KNH_SUB, t->left, t->count);
}

/* Where the sums go, and the next block. */
static void end_block(knh_tiler *t, int block, int store_chain, int end)
{
    knh_asm *a = t->a;
    int whole = knh_label(a);
    knh_test(a, t->left, t->left);
    knh_jump_if(a, KNH_IF_NE, whole);
    knh_load(a, t->count, ARG(chain_out));
    knh_test(a, t->count, t->count);
    knh_jump_if(a, KNH_IF_NE, store_chain);
    knh_here(a, whole);
    totals(t);
    knh_test(a, t->left, t->left);
    knh_jump_if(a, KNH_IF_E, end);
    knh_mov_number(a, t->count, 0);
    knh_store(a, knh_at(KNH_RSP, DONE), t->count);
    knh_mov_number(a, t->count, 1);
    knh_store(a, knh_at(KNH_RSP, HAVE_TOTALS), t->count);
    knh_jump(a, block);
}

/* Integers: all sums go to the totals, and zeros to the chain, if the call has ended a block that counts as one;
 * else to the chain. */
static void end_integers(knh_tiler *t, int store_chain, int end)
{
    knh_asm *a = t->a;
    int whole = knh_label(a);
    knh_load(a, t->count, ARG(chain_out));
    knh_test(a, t->count, t->count);
    knh_jump_if(a, KNH_IF_E, whole);
    knh_load(a, t->left, ARG(k));
    knh_alu_load(a, KNH_ADD, t->left, knh_at(KNH_RSP, DONE));
    knh_alu_number(a, KNH_CMP, t->left, BLOCK);
    knh_jump_if(a, KNH_IF_L, store_chain);
    knh_here(a, whole);
    totals(t);
    knh_load(a, t->count, ARG(chain_out));
    knh_test(a, t->count, t->count);
    knh_jump_if(a, KNH_IF_E, end);
    zero_all(t);
    knh_jump(a, store_chain);
}

static void blocks(knh_tiler *t, int load_chain, int first, int store_chain, int end)
{
    knh_asm *a = t->a;
    int block = knh_label(a);
    knh_tile_row_sums(t, SUMS);
    knh_load(a, t->count, ARG(chain_in));
    knh_test(a, t->count, t->count);
    knh_jump_if(a, KNH_IF_NE, load_chain);
    knh_here(a, block);
    zero_all(t);
    knh_here(a, first);
    knh_tile_correct(t, SUMS);
    take_block(t);
    steps(t);
    if (is_integer(t))
        end_integers(t, store_chain, end);
    else
        end_block(t, block, store_chain, end);
}

void knh_tile_function(knh_tiler *t)
{
    knh_asm *a = t->a;
    knh_tile_registers(t);
    knh_tile_save(t);
    knh_load(a, t->count, ARG(total_in));
    knh_push(a, t->count);
    knh_load(a, t->count, ARG(phase));
    knh_push(a, t->count);
    knh_tile_arguments(t);
    prefetch_c(t);
    int load_chain = knh_label(a), first = knh_label(a), store_chain = knh_label(a), end = knh_label(a);
    blocks(t, load_chain, first, store_chain, end);
    knh_here(a, end);
    knh_alu_number(a, KNH_ADD, KNH_RSP, STACK);
    knh_tile_restore(t);
    knh_v(a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_ret(a);
    knh_here(a, load_chain);
    walk(t, t->count, ARG(chain_row), knh_tile_load);
    knh_jump(a, first);
    knh_here(a, store_chain);
    walk(t, t->count, ARG(chain_row), knh_tile_store);
    knh_jump(a, end);
}
