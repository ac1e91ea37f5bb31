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
    A = KNH_RAX,
    A_LOW = KNH_RCX,
    A_ROW = KNH_RDX,
    B = KNH_RSI,
    B_ROW = KNH_R8,
    COUNT = KNH_R9,
    TO = KNH_R10,
    BY = KNH_R11
};
#define ARG(field) knh_at(KNH_RDI, (int32_t)offsetof(knh_product_args, field))

typedef struct tiles {
    knh_asm *a;
    const knh_product_request *r;
    int down, across; /* tiles of sums */
} tiles;

int knh_amx_rows(int vectors) { return vectors < 1 || vectors > 4 ? 0 : vectors <= 2 ? 2 * ROWS : ROWS; }

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
                knh_tmm_load_once(t->a, LEFT + i, i ? A_LOW : A, A_ROW, 0);
            if (!i)
                knh_tmm_load(t->a, right(t, v), B, B_ROW, 64 * v);
            knh_tmm_dot(t->a, t->r->a_signed, t->r->b_signed, sum(t, i, v), LEFT + i, right(t, v));
        }
}

/* All sums from or to rows of 4-byte numbers at TO, BY apart; TO moves. */
static void move_sums(const tiles *t, void (*one)(knh_asm *, int, int, int, int32_t))
{
    for (int i = 0; i < t->down; i++) {
        if (i) {
            knh_shl(t->a, BY, 4);
            knh_alu_reg(t->a, KNH_ADD, TO, BY);
            knh_sar(t->a, BY, 4);
        }
        for (int v = 0; v < t->across; v++)
            one(t->a, sum(t, i, v), TO, BY, 64 * v);
    }
}

static void zero_sums(const tiles *t)
{
    for (int i = 0; i < t->down * t->across; i++)
        knh_tmm_zero(t->a, i);
}

/* To the stack and back, a tile after the other. */
static void park_sums(const tiles *t, void (*one)(knh_asm *, int, int, int, int32_t))
{
    knh_mov_number(t->a, BY, 64);
    for (int i = 0; i < t->down * t->across; i++)
        one(t->a, i, KNH_RSP, BY, SUMS + i * TILE_BYTES);
}

/* A subroutine: the sums begin where those of the chain are, or with the totals, if nothing is on its way in or to a
 * chain, or with zeros. */
static void put_begin(const tiles *t, int begin)
{
    knh_asm *a = t->a;
    int load = knh_label(a), zero = knh_label(a);
    knh_here(a, begin);
    knh_load(a, TO, ARG(chain_in));
    knh_load(a, BY, ARG(chain_row));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_NE, load);
    knh_load(a, TO, ARG(total_in));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_E, zero);
    knh_load(a, TO, ARG(chain_out));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_NE, zero);
    knh_load(a, TO, ARG(c));
    knh_load(a, BY, ARG(c_row));
    knh_here(a, load);
    move_sums(t, knh_tmm_load);
    knh_ret(a);
    knh_here(a, zero);
    zero_sums(t);
    knh_ret(a);
}

static void prefetch_rows(const tiles *t, int hint)
{
    knh_asm *a = t->a;
    int loop = knh_label(a);
    knh_here(a, loop);
    for (int v = 0; v < t->across; v++)
        knh_prefetch(a, knh_at(TO, 64 * v), hint);
    knh_alu_reg(a, KNH_ADD, TO, BY);
    knh_alu_number(a, KNH_SUB, COUNT, 1);
    knh_jump_if(a, KNH_IF_NE, loop);
}

/* To the first cache; to the second one if the rows are so far apart that they would share a few sets of the first. */
static void prefetch_c(const tiles *t)
{
    knh_asm *a = t->a;
    int far = knh_label(a), end = knh_label(a);
    knh_load(a, BY, ARG(c_row));
    knh_load(a, TO, ARG(c));
    knh_mov(a, COUNT, BY);
    knh_alu_number(a, KNH_AND, COUNT, 2047);
    knh_mov_number(a, COUNT, t->r->rows);
    knh_jump_if(a, KNH_IF_E, far);
    prefetch_rows(t, 1);
    knh_jump(a, end);
    knh_here(a, far);
    prefetch_rows(t, 2);
    knh_here(a, end);
}

/* The steps that do not fill a tile: those at the end. */
static void put_rest(const tiles *t, int begin, int32_t config, int main, int stored)
{
    knh_asm *a = t->a;
    knh_v2(a, KNH_VMOVUPS, 2, 0, knh_at_pool(config));
    knh_v2(a, KNH_VMOVUPS_ST, 2, 0, knh_at(KNH_RSP, CONFIG));
    for (int i = 0; i < t->down; i++)
        knh_store_part(a, 2, knh_at(KNH_RSP, CONFIG + 16 + 2 * (LEFT + i)), TO);
    knh_alu_reg(a, KNH_SUB, COUNT, TO);
    knh_shr(a, TO, 2);
    for (int v = 0; v < t->across; v++)
        knh_store_part(a, 1, knh_at(KNH_RSP, CONFIG + 48 + right(t, v)), TO);
    knh_tmm_configure(a, knh_at(KNH_RSP, CONFIG));
    knh_call(a, begin);
    knh_alu_reg(a, KNH_ADD, A, COUNT);
    if (t->down > 1)
        knh_alu_reg(a, KNH_ADD, A_LOW, COUNT);
    knh_mov_number(a, TO, t->across * 64 / 4);
    knh_imul(a, TO, knh_reg(COUNT));
    knh_alu_reg(a, KNH_ADD, B, TO);
    step(t);
    knh_alu_reg(a, KNH_SUB, A, COUNT);
    if (t->down > 1)
        knh_alu_reg(a, KNH_SUB, A_LOW, COUNT);
    knh_alu_reg(a, KNH_SUB, B, TO);
    knh_test(a, COUNT, COUNT);
    knh_jump_if(a, KNH_IF_E, stored);
    park_sums(t, knh_tmm_store);
    knh_tmm_configure(a, knh_at_pool(config));
    park_sums(t, knh_tmm_load);
    knh_jump(a, main);
}

static void put_steps(const tiles *t, int begin, int done)
{
    knh_asm *a = t->a;
    const tile_config bytes = configuration(t);
    int main = knh_label(a), loop = knh_label(a), whole = knh_label(a);
    int32_t config = knh_pool(a, &bytes, sizeof bytes, 64);
    knh_mov(a, TO, COUNT);
    knh_alu_number(a, KNH_AND, TO, STEPS - 1);
    knh_jump_if(a, KNH_IF_E, whole);
    put_rest(t, begin, config, main, done);
    knh_here(a, whole);
    knh_tmm_configure(a, knh_at_pool(config));
    knh_call(a, begin);
    knh_here(a, main);
    knh_align(a, 32);
    knh_here(a, loop);
    step(t);
    knh_alu_number(a, KNH_ADD, A, STEPS);
    if (t->down > 1)
        knh_alu_number(a, KNH_ADD, A_LOW, STEPS);
    knh_alu_number(a, KNH_ADD, B, STEPS / 4 * 64 * t->across);
    knh_alu_number(a, KNH_SUB, COUNT, STEPS);
    knh_jump_if(a, KNH_IF_NE, loop);
}

/* c += the sums, where they could not begin with the totals. */
static void add_totals(const tiles *t)
{
    knh_asm *a = t->a;
    park_sums(t, knh_tmm_store);
    knh_load(a, TO, ARG(c));
    knh_load(a, BY, ARG(c_row));
    knh_mov_number(a, COUNT, (1 << t->r->lanes) - 1);
    knh_v2(a, KNH_KMOVW_KR, 0, 1, knh_reg(COUNT));
    for (int i = 0; i < t->down; i++) {
        int loop = knh_label(a);
        knh_lea(a, A, knh_at(KNH_RSP, SUMS + sum(t, i, 0) * TILE_BYTES));
        knh_mov_number(a, COUNT, i == t->down - 1 ? t->r->rows - i * ROWS : ROWS);
        knh_here(a, loop);
        for (int v = 0; v < t->across; v++) {
            int mask = v == t->across - 1;
            knh_v2(a, KNH_VMOVUPS, 2, 0, knh_at(A, v * TILE_BYTES));
            knh_v(a, KNH_VPADDD, 2, 0, 0, knh_at(TO, 64 * v), mask, mask, -1);
            knh_v(a, KNH_VMOVUPS_ST, 2, 0, 0, knh_at(TO, 64 * v), mask, false, -1);
        }
        knh_alu_number(a, KNH_ADD, A, 64);
        knh_alu_reg(a, KNH_ADD, TO, BY);
        knh_alu_number(a, KNH_SUB, COUNT, 1);
        knh_jump_if(a, KNH_IF_NE, loop);
    }
}

/* As in the other loops over integers: to the chain, or to the totals if a block has ended, and the chain is zero. */
static void put_end(const tiles *t)
{
    knh_asm *a = t->a;
    int totals = knh_label(a), store = knh_label(a), chain = knh_label(a), out = knh_label(a), end = knh_label(a);
    knh_load(a, TO, ARG(chain_out));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_E, totals);
    knh_load(a, COUNT, ARG(k));
    knh_alu_load(a, KNH_ADD, COUNT, ARG(phase));
    knh_alu_number(a, KNH_CMP, COUNT, BLOCK);
    knh_jump_if(a, KNH_IF_L, out);
    knh_here(a, totals);
    knh_load(a, TO, ARG(total_in));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_E, store);
    knh_load(a, TO, ARG(chain_in));
    knh_alu_load(a, KNH_OR, TO, ARG(chain_out));
    knh_jump_if(a, KNH_IF_E, store);
    add_totals(t);
    knh_jump(a, chain);
    knh_here(a, store);
    knh_load(a, TO, ARG(c));
    knh_load(a, BY, ARG(c_row));
    move_sums(t, knh_tmm_store);
    knh_here(a, chain);
    knh_load(a, TO, ARG(chain_out));
    knh_test(a, TO, TO);
    knh_jump_if(a, KNH_IF_E, end);
    zero_sums(t);
    knh_here(a, out);
    knh_load(a, BY, ARG(chain_row));
    move_sums(t, knh_tmm_store);
    knh_here(a, end);
    knh_tmm_release(a);
}

void knh_amx_function(knh_asm *a, const knh_product_request *r)
{
    tiles t = {a, r, (r->rows + ROWS - 1) / ROWS, r->vectors};
    int begin = knh_label(a), done = knh_label(a);
    knh_mov(a, TO, KNH_RSP);
    knh_alu_number(a, KNH_SUB, KNH_RSP, FRAME);
    knh_alu_number(a, KNH_AND, KNH_RSP, -64);
    knh_store(a, knh_at(KNH_RSP, SAVED), TO);
    knh_load(a, A, ARG(a));
    knh_load(a, A_ROW, ARG(a_row));
    if (t.down > 1) {
        knh_mov(a, A_LOW, A_ROW);
        knh_shl(a, A_LOW, 4);
        knh_alu_reg(a, KNH_ADD, A_LOW, A);
    }
    prefetch_c(&t);
    knh_load(a, B, ARG(b));
    knh_mov_number(a, B_ROW, 64 * t.across);
    knh_load(a, COUNT, ARG(k));
    put_steps(&t, begin, done);
    knh_here(a, done);
    put_end(&t);
    knh_load(a, KNH_RSP, knh_at(KNH_RSP, SAVED));
    knh_v(a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_ret(a);
    put_begin(&t, begin);
}
