/* SPDX-License-Identifier: Apache-2.0
 * product_amx.c -- rectangles of products of bytes in tile registers: up to 32 x 32 sums in four tiles, 64 steps of k
 * at once. The steps that are left over come first, in smaller tiles. */
#include "host/x86/product_amx.h"
#include "host/x86/product.h"
#include <string.h>

enum { ROWS = 16, STEPS = 64, BLOCK = 256, TILE_BYTES = 1024 };
/* Tile registers: sums 0 to 3; A's; B's, of which the last vector has one of its own, as it may be narrower. */
enum { LEFT = 4, RIGHT = 6, LAST = 7 };
/* The stack: sums on their way, the configuration for the steps left over, the caller's stack pointer. */
enum { SUMS = 0, CONFIG = 4 * TILE_BYTES, SAVED = CONFIG + 64, FRAME = SAVED + 64 };
enum {
    A = KNG_RAX,
    A_LOW = KNG_RCX,
    A_ROW = KNG_RDX,
    B = KNG_RSI,
    B_ROW = KNG_R8,
    COUNT = KNG_R9,
    TO = KNG_R10,
    BY = KNG_R11
};
#define ARG(field) kng_at(KNG_RDI, (int32_t)offsetof(kng_product_args, field))

typedef struct tiles {
    kng_asm *a;
    const kng_product_request *r;
    int down, across; /* tiles of sums */
} tiles;

int kng_amx_rows(int vectors) { return vectors < 1 || vectors > 4 ? 0 : vectors <= 2 ? 2 * ROWS : ROWS; }

static int sum(const tiles *t, int i, int v) { return i * t->across + v; }
static int right(const tiles *t, int v) { return v == t->across - 1 ? LAST : v % 2 && t->down == 1 ? LEFT + 1 : RIGHT; }

/* What LDTILECFG reads: bytes of a row and rows of each tile. */
typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;
_Static_assert(sizeof(tile_config) == 64, "LDTILECFG reads 64 bytes");

static void configure(tile_config *c, int tile, int row_bytes, int rows)
{
    if (tile >= 0 && tile < 16) {
        c->row_bytes[tile] = (uint16_t)row_bytes;
        c->rows[tile] = (uint8_t)rows;
    }
}

static tile_config configuration(const tiles *t)
{
    tile_config c = {.palette = 1};
    for (int v = 0; v < t->across; v++) {
        int bytes = v == t->across - 1 ? 4 * t->r->lanes : 64;
        configure(&c, right(t, v), bytes, STEPS / 4);
        for (int i = 0; i < t->down; i++) {
            int left = i == t->down - 1 ? t->r->rows - i * ROWS : ROWS;
            configure(&c, sum(t, i, v), bytes, left);
            configure(&c, LEFT + i, STEPS, left);
        }
    }
    return c;
}

/* One group of steps. B's panel is read again for the rows below, and fills the first cache: A does not go there. */
static void step(const tiles *t)
{
    for (int v = 0; v < t->across; v++)
        for (int i = 0; i < t->down; i++) {
            if (!v)
                kng_tmm_load_once(t->a, LEFT + i, i ? A_LOW : A, A_ROW, 0);
            if (!i)
                kng_tmm_load(t->a, right(t, v), B, B_ROW, 64 * v);
            kng_tmm_dot(t->a, t->r->a_signed, t->r->b_signed, sum(t, i, v), LEFT + i, right(t, v));
        }
}

/* All sums from or to rows of 4-byte numbers at TO, BY apart; TO moves. */
static void move_sums(const tiles *t, void (*one)(kng_asm *, int, int, int, int32_t))
{
    for (int i = 0; i < t->down; i++) {
        if (i) {
            kng_shl(t->a, BY, 4);
            kng_alu_reg(t->a, KNG_ADD, TO, BY);
            kng_sar(t->a, BY, 4);
        }
        for (int v = 0; v < t->across; v++)
            one(t->a, sum(t, i, v), TO, BY, 64 * v);
    }
}

static void zero_sums(const tiles *t)
{
    for (int i = 0; i < t->down * t->across; i++)
        kng_tmm_zero(t->a, i);
}

/* To the stack and back, a tile after the other. */
static void park_sums(const tiles *t, void (*one)(kng_asm *, int, int, int, int32_t))
{
    kng_mov_number(t->a, BY, 64);
    for (int i = 0; i < t->down * t->across; i++)
        one(t->a, i, KNG_RSP, BY, SUMS + i * TILE_BYTES);
}

/* A subroutine: the sums begin where those of the chain are, or with the totals, if nothing is on its way in or to a
 * chain, or with zeros. */
static void put_begin(const tiles *t, int begin)
{
    kng_asm *a = t->a;
    int load = kng_label(a), zero = kng_label(a);
    kng_here(a, begin);
    kng_load(a, TO, ARG(chain_in));
    kng_load(a, BY, ARG(chain_row));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_NE, load);
    kng_load(a, TO, ARG(total_in));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_E, zero);
    kng_load(a, TO, ARG(chain_out));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_NE, zero);
    kng_load(a, TO, ARG(c));
    kng_load(a, BY, ARG(c_row));
    kng_here(a, load);
    move_sums(t, kng_tmm_load);
    kng_ret(a);
    kng_here(a, zero);
    zero_sums(t);
    kng_ret(a);
}

static void prefetch_rows(const tiles *t, int hint)
{
    kng_asm *a = t->a;
    int loop = kng_label(a);
    kng_here(a, loop);
    for (int v = 0; v < t->across; v++)
        kng_prefetch(a, kng_at(TO, 64 * v), hint);
    kng_alu_reg(a, KNG_ADD, TO, BY);
    kng_alu_number(a, KNG_SUB, COUNT, 1);
    kng_jump_if(a, KNG_IF_NE, loop);
}

/* To the first cache; to the second one if the rows are so far apart that they would share a few sets of the first. */
static void prefetch_c(const tiles *t)
{
    kng_asm *a = t->a;
    int far = kng_label(a), end = kng_label(a);
    kng_load(a, BY, ARG(c_row));
    kng_load(a, TO, ARG(c));
    kng_mov(a, COUNT, BY);
    kng_alu_number(a, KNG_AND, COUNT, 2047);
    kng_mov_number(a, COUNT, t->r->rows);
    kng_jump_if(a, KNG_IF_E, far);
    prefetch_rows(t, 1);
    kng_jump(a, end);
    kng_here(a, far);
    prefetch_rows(t, 2);
    kng_here(a, end);
}

/* The steps that do not fill a tile: those at the end. */
static void put_rest(const tiles *t, int begin, int32_t config, int main, int stored)
{
    kng_asm *a = t->a;
    kng_v2(a, KNG_VMOVUPS, 2, 0, kng_at_pool(config));
    kng_v2(a, KNG_VMOVUPS_ST, 2, 0, kng_at(KNG_RSP, CONFIG));
    for (int i = 0; i < t->down; i++)
        kng_store_part(a, 2, kng_at(KNG_RSP, CONFIG + 16 + 2 * (LEFT + i)), TO);
    kng_alu_reg(a, KNG_SUB, COUNT, TO);
    kng_shr(a, TO, 2);
    for (int v = 0; v < t->across; v++)
        kng_store_part(a, 1, kng_at(KNG_RSP, CONFIG + 48 + right(t, v)), TO);
    kng_tmm_configure(a, kng_at(KNG_RSP, CONFIG));
    kng_call(a, begin);
    kng_alu_reg(a, KNG_ADD, A, COUNT);
    if (t->down > 1)
        kng_alu_reg(a, KNG_ADD, A_LOW, COUNT);
    kng_mov_number(a, TO, t->across * 64 / 4);
    kng_imul(a, TO, kng_reg(COUNT));
    kng_alu_reg(a, KNG_ADD, B, TO);
    step(t);
    kng_alu_reg(a, KNG_SUB, A, COUNT);
    if (t->down > 1)
        kng_alu_reg(a, KNG_SUB, A_LOW, COUNT);
    kng_alu_reg(a, KNG_SUB, B, TO);
    kng_test(a, COUNT, COUNT);
    kng_jump_if(a, KNG_IF_E, stored);
    park_sums(t, kng_tmm_store);
    kng_tmm_configure(a, kng_at_pool(config));
    park_sums(t, kng_tmm_load);
    kng_jump(a, main);
}

static void put_steps(const tiles *t, int begin, int done)
{
    kng_asm *a = t->a;
    const tile_config bytes = configuration(t);
    int main = kng_label(a), loop = kng_label(a), whole = kng_label(a);
    int32_t config = kng_pool(a, &bytes, sizeof bytes, 64);
    kng_mov(a, TO, COUNT);
    kng_alu_number(a, KNG_AND, TO, STEPS - 1);
    kng_jump_if(a, KNG_IF_E, whole);
    put_rest(t, begin, config, main, done);
    kng_here(a, whole);
    kng_tmm_configure(a, kng_at_pool(config));
    kng_call(a, begin);
    kng_here(a, main);
    kng_align(a, 32);
    kng_here(a, loop);
    step(t);
    kng_alu_number(a, KNG_ADD, A, STEPS);
    if (t->down > 1)
        kng_alu_number(a, KNG_ADD, A_LOW, STEPS);
    kng_alu_number(a, KNG_ADD, B, STEPS / 4 * 64 * t->across);
    kng_alu_number(a, KNG_SUB, COUNT, STEPS);
    kng_jump_if(a, KNG_IF_NE, loop);
}

/* c += the sums, where they could not begin with the totals. */
static void add_totals(const tiles *t)
{
    kng_asm *a = t->a;
    park_sums(t, kng_tmm_store);
    kng_load(a, TO, ARG(c));
    kng_load(a, BY, ARG(c_row));
    kng_mov_number(a, COUNT, (1 << t->r->lanes) - 1);
    kng_v2(a, KNG_KMOVW_KR, 0, 1, kng_reg(COUNT));
    for (int i = 0; i < t->down; i++) {
        int loop = kng_label(a);
        kng_lea(a, A, kng_at(KNG_RSP, SUMS + sum(t, i, 0) * TILE_BYTES));
        kng_mov_number(a, COUNT, i == t->down - 1 ? t->r->rows - i * ROWS : ROWS);
        kng_here(a, loop);
        for (int v = 0; v < t->across; v++) {
            int mask = v == t->across - 1;
            kng_v2(a, KNG_VMOVUPS, 2, 0, kng_at(A, v * TILE_BYTES));
            kng_v(a, KNG_VPADDD, 2, 0, 0, kng_at(TO, 64 * v), mask, mask, -1);
            kng_v(a, KNG_VMOVUPS_ST, 2, 0, 0, kng_at(TO, 64 * v), mask, false, -1);
        }
        kng_alu_number(a, KNG_ADD, A, 64);
        kng_alu_reg(a, KNG_ADD, TO, BY);
        kng_alu_number(a, KNG_SUB, COUNT, 1);
        kng_jump_if(a, KNG_IF_NE, loop);
    }
}

/* As in the other loops over integers: to the chain, or to the totals if a block has ended, and the chain is zero. */
static void put_end(const tiles *t)
{
    kng_asm *a = t->a;
    int totals = kng_label(a), store = kng_label(a), chain = kng_label(a), out = kng_label(a), end = kng_label(a);
    kng_load(a, TO, ARG(chain_out));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_E, totals);
    kng_load(a, COUNT, ARG(k));
    kng_alu_load(a, KNG_ADD, COUNT, ARG(phase));
    kng_alu_number(a, KNG_CMP, COUNT, BLOCK);
    kng_jump_if(a, KNG_IF_L, out);
    kng_here(a, totals);
    kng_load(a, TO, ARG(total_in));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_E, store);
    kng_load(a, TO, ARG(chain_in));
    kng_alu_load(a, KNG_OR, TO, ARG(chain_out));
    kng_jump_if(a, KNG_IF_E, store);
    add_totals(t);
    kng_jump(a, chain);
    kng_here(a, store);
    kng_load(a, TO, ARG(c));
    kng_load(a, BY, ARG(c_row));
    move_sums(t, kng_tmm_store);
    kng_here(a, chain);
    kng_load(a, TO, ARG(chain_out));
    kng_test(a, TO, TO);
    kng_jump_if(a, KNG_IF_E, end);
    zero_sums(t);
    kng_here(a, out);
    kng_load(a, BY, ARG(chain_row));
    move_sums(t, kng_tmm_store);
    kng_here(a, end);
    kng_tmm_release(a);
}

void kng_amx_function(kng_asm *a, const kng_product_request *r)
{
    tiles t = {a, r, (r->rows + ROWS - 1) / ROWS, r->vectors};
    int begin = kng_label(a), done = kng_label(a);
    kng_mov(a, TO, KNG_RSP);
    kng_alu_number(a, KNG_SUB, KNG_RSP, FRAME);
    kng_alu_number(a, KNG_AND, KNG_RSP, -64);
    kng_store(a, kng_at(KNG_RSP, SAVED), TO);
    kng_load(a, A, ARG(a));
    kng_load(a, A_ROW, ARG(a_row));
    if (t.down > 1) {
        kng_mov(a, A_LOW, A_ROW);
        kng_shl(a, A_LOW, 4);
        kng_alu_reg(a, KNG_ADD, A_LOW, A);
    }
    prefetch_c(&t);
    kng_load(a, B, ARG(b));
    kng_mov_number(a, B_ROW, 64 * t.across);
    kng_load(a, COUNT, ARG(k));
    put_steps(&t, begin, done);
    kng_here(a, done);
    put_end(&t);
    kng_load(a, KNG_RSP, kng_at(KNG_RSP, SAVED));
    kng_v(a, KNG_VZEROUPPER, 0, 0, 0, kng_reg(0), 0, false, -1);
    kng_ret(a);
    put_begin(&t, begin);
}
