/* SPDX-License-Identifier: Apache-2.0
 * product_tile.c -- the frame of every inner loop of a product: the loop over blocks of 256 steps, the loop over the
 * steps of one, and the sums on their way to c and to the chains. */
#include "host/x86/product_emit.h"

enum { BLOCK = 256, UNROLL = 4 };
enum { LONG = 64 }; /* from so many steps on c is prefetched */
/* Two words on the stack: steps of the first block that are done (0 for further ones), and whether c has totals. Below
 * them, where no signal writes, sums of rows of A (BYTES). */
enum { DONE = 0, HAVE_TOTALS = 8, STACK = 16, SUMS = -128 };
#define ARG(field) KNG_PRODUCT_ARG(field)

static bool is_integer(const kng_tiler *t) { return t->r->number > KNG_NUMBER_C128; }

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

void kng_tile_loop(kng_tiler *t, int steps, void (*body)(kng_tiler *t, int n), int n)
{
    kng_asm *a = t->a;
    int again = kng_label(a), end = kng_label(a);
    kng_alu_number(a, KNG_SUB, t->count, steps);
    kng_jump_if(a, KNG_IF_L, end);
    kng_align(a, 32);
    kng_here(a, again);
    body(t, n);
    kng_alu_number(a, KNG_SUB, t->count, steps);
    kng_jump_if(a, KNG_IF_GE, again);
    kng_here(a, end);
    kng_alu_number(a, KNG_ADD, t->count, steps);
}

static void some_steps(kng_tiler *t, int n)
{
    for (int s = 0; s < n; s++)
        if (is_integer(t))
            kng_tile_step_int(t, s);
        else
            kng_tile_step_float(t, s);
    kng_tile_advance(t, n);
}

static void steps(kng_tiler *t)
{
    if (t->r->b_from == KNG_B_TURNED) {
        kng_tile_steps_turned(t);
        return;
    }
    kng_tile_loop(t, UNROLL * t->f.steps, some_steps, UNROLL);
    kng_tile_loop(t, t->f.steps, some_steps, 1);
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

static void prefetch_c(kng_tiler *t)
{
    kng_asm *a = t->a;
    int skip = kng_label(a), end = t->vectors * t->bytes;
    kng_alu_number(a, KNG_CMP, t->left, LONG);
    kng_jump_if(a, KNG_IF_L, skip);
    kng_load(a, t->count, ARG(c));
    for (int i = 0; i < t->rows; i++) {
        for (int32_t disp = 0; disp < end; disp += 64)
            kng_prefetch(a, kng_at(t->count, disp), 1);
        if (i + 1 < t->rows)
            kng_alu_load(a, KNG_ADD, t->count, ARG(c_row));
    }
    kng_here(a, skip);
}

/* How many steps. Sums of integers are the same in any order: they have one block. */
static void take_block(kng_tiler *t)
{
    kng_asm *a = t->a;
    if (is_integer(t)) {
        kng_mov(a, t->count, t->left);
        kng_mov_number(a, t->left, 0);
        return;
    }
    kng_mov_number(a, t->count, BLOCK);
    kng_alu_load(a, KNG_SUB, t->count, kng_at(KNG_RSP, DONE));
    kng_alu_reg(a, KNG_CMP, t->count, t->left);
    kng_cmov(a, KNG_IF_G, t->count, t->left);
    kng_alu_reg(a, KNG_SUB, t->left, t->count);
}

/* Where the sums go, and the next block. */
static void end_block(kng_tiler *t, int block, int store_chain, int end)
{
    kng_asm *a = t->a;
    int whole = kng_label(a);
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

/* Integers: all sums go to the totals, and zeros to the chain, if the call has ended a block that counts as one;
 * else to the chain. */
static void end_integers(kng_tiler *t, int store_chain, int end)
{
    kng_asm *a = t->a;
    int whole = kng_label(a);
    kng_load(a, t->count, ARG(chain_out));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_E, whole);
    kng_load(a, t->left, ARG(k));
    kng_alu_load(a, KNG_ADD, t->left, kng_at(KNG_RSP, DONE));
    kng_alu_number(a, KNG_CMP, t->left, BLOCK);
    kng_jump_if(a, KNG_IF_L, store_chain);
    kng_here(a, whole);
    totals(t);
    kng_load(a, t->count, ARG(chain_out));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_E, end);
    zero_all(t);
    kng_jump(a, store_chain);
}

static void blocks(kng_tiler *t, int load_chain, int first, int store_chain, int end)
{
    kng_asm *a = t->a;
    int block = kng_label(a);
    kng_tile_row_sums(t, SUMS);
    kng_load(a, t->count, ARG(chain_in));
    kng_test(a, t->count, t->count);
    kng_jump_if(a, KNG_IF_NE, load_chain);
    kng_here(a, block);
    zero_all(t);
    kng_here(a, first);
    kng_tile_correct(t, SUMS);
    take_block(t);
    steps(t);
    if (is_integer(t))
        end_integers(t, store_chain, end);
    else
        end_block(t, block, store_chain, end);
}

void kng_tile_function(kng_tiler *t)
{
    kng_asm *a = t->a;
    kng_tile_registers(t);
    kng_tile_save(t);
    kng_load(a, t->count, ARG(total_in));
    kng_push(a, t->count);
    kng_load(a, t->count, ARG(phase));
    kng_push(a, t->count);
    kng_tile_arguments(t);
    prefetch_c(t);
    int load_chain = kng_label(a), first = kng_label(a), store_chain = kng_label(a), end = kng_label(a);
    blocks(t, load_chain, first, store_chain, end);
    kng_here(a, end);
    kng_alu_number(a, KNG_ADD, KNG_RSP, STACK);
    kng_tile_restore(t);
    kng_v(a, KNG_VZEROUPPER, 0, 0, 0, kng_reg(0), 0, false, -1);
    kng_ret(a);
    kng_here(a, load_chain);
    walk(t, t->count, ARG(chain_row), kng_tile_load);
    kng_jump(a, first);
    kng_here(a, store_chain);
    walk(t, t->count, ARG(chain_row), kng_tile_store);
    kng_jump(a, end);
}
