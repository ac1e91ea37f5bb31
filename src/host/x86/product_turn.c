/* SPDX-License-Identifier: Apache-2.0
 * product_turn.c -- steps of a product whose B has its columns along k: pieces of 16 bytes of all columns of a vector
 * change rows and columns in registers, and then are steps like others. A has a row for all columns, or one for each
 * of them (products of rows with rows, element by element, summed). */
#include "host/x86/product_emit.h"

enum { PIECE = 16, PIECES = 4 }; /* bytes of a column; taken at once: a line of the cache */
enum { AHEAD = 256 };            /* bytes of a column, where the call does not say it */
enum { ROOM = -128 };            /* below the stack pointer, where no signal writes: 64 bytes */

static int steps_of_piece(const knh_tiler *t) { return PIECE / t->f.c_bytes; }

/* Lane number `lane` of vector v: the last column again where there is none. */
static knh_operand column(const knh_tiler *t, const knh_lines *l, int v, int lane, int32_t disp)
{
    int c = v * (t->bytes / t->f.c_bytes) + lane;
    return knh_line(l, c < t->columns ? c : t->columns - 1, disp);
}

/* A piece of each column of vector v; the register of each of its steps. Registers to .. and t->t0 .. */
static void take_piece(knh_tiler *t, const knh_lines *l, int v, int32_t disp, int to, int *step)
{
    knh_asm *a = t->a;
    int n = steps_of_piece(t), x = t->t0, len = t->length;
    for (int r = 0; r < n; r++) {
        knh_v2(a, KNH_VMOVUPS, 0, to + r, column(t, l, v, r, disp));
        for (int g = 1; g < t->bytes / PIECE; g++)
            knh_v3i(a, len == 2 ? KNH_VINSERTF32X4 : KNH_VINSERTF128, len, to + r, to + r,
                    column(t, l, v, r + n * g, disp), g);
    }
    for (int r = 0; r < n; r++)
        step[r] = to + r;
    if (n == 2) {
        knh_v3(a, KNH_VUNPCKLPD, len, x, to, knh_reg(to + 1));
        knh_v3(a, KNH_VUNPCKHPD, len, to + 1, to, knh_reg(to + 1));
        step[0] = x;
    } else if (n == 4) {
        for (int r = 0; r < 4; r += 2) {
            knh_v3(a, KNH_VUNPCKLPS, len, x + r, to + r, knh_reg(to + r + 1));
            knh_v3(a, KNH_VUNPCKHPS, len, x + r + 1, to + r, knh_reg(to + r + 1));
        }
        for (int r = 0; r < 4; r++)
            knh_v3(a, r % 2 ? KNH_VUNPCKHPD : KNH_VUNPCKLPD, len, to + r, x + r / 2, knh_reg(x + 2 + r / 2));
    }
}

/* Part p of the complex numbers of a register, in both places. */
static int spread(knh_tiler *t, int reg, int p)
{
    int x = t->t0 + steps_of_piece(t) - 1; /* the last temporary, which has no step of B */
    if (t->f.parts == 1)
        return reg;
    if (t->f.wide)
        knh_v2i(t->a, KNH_VPERMILPD_I, t->length, x, knh_reg(reg), p ? 0xFF : 0);
    else
        knh_v2(t->a, p ? KNH_VMOVSHDUP : KNH_VMOVSLDUP, t->length, x, knh_reg(reg));
    return x;
}

/* The accumulators of vector v by one step: b, and A's step s, or a register of it. */
static void add_step(knh_tiler *t, int v, int b, int s, int a_reg)
{
    knh_insn fma = knh_either(t, KNH_VFMADD231PS, KNH_VFMADD231PD);
    for (int p = 0; p < t->f.parts; p++) {
        if (p)
            knh_tile_turn(t, b);
        for (int i = 0; i < t->rows; i++) {
            knh_operand from = a_reg >= 0 ? knh_reg(spread(t, a_reg, p)) : knh_tile_a(t, i, s, p);
            if (a_reg < 0 && t->length == 2) {
                from.broadcast = true;
            } else if (a_reg < 0) {
                knh_v2(t->a, knh_either(t, KNH_VBROADCASTSS, KNH_VBROADCASTSD), 1, t->a0, from);
                from = knh_reg(t->a0);
            }
            knh_v3(t->a, fma, t->length, knh_accumulator(t, i, v), b, from);
        }
    }
}

static void advance(knh_tiler *t, int32_t bytes)
{
    knh_lines_move(t, &t->at_a, bytes);
    knh_lines_move(t, &t->at_b, bytes);
}

static bool has_lanes(const knh_tiler *t) { return t->r->a_from == KNH_A_LANES; }

/* A line of each column. */
static void ask(knh_tiler *t)
{
    knh_lines next = t->at_b;
    for (int c = 0; c < t->columns; c++) {
        if (t->next >= 0 && c % KNH_LINES_PER_BASE == 0) {
            int base = c / KNH_LINES_PER_BASE;
            knh_load(t->a, t->next, KNH_PRODUCT_ARG(ahead));
            knh_alu_reg(t->a, KNH_ADD, t->next, t->at_b.base[base]);
            next.base[base] = (int8_t)t->next;
        }
        knh_prefetch(t->a, knh_line(&next, c, t->next >= 0 ? 0 : AHEAD), t->next >= 0 ? 2 : 1);
        if (has_lanes(t))
            knh_prefetch(t->a, knh_line(&t->at_a, c, AHEAD), 1);
    }
}

static void pieces(knh_tiler *t, int n)
{
    int b[PIECE / 4] = {0}, a[PIECE / 4] = {0};
    if (n == PIECES)
        ask(t);
    for (int v = 0; v < t->vectors; v++)
        for (int i = 0; i < n; i++) {
            if (has_lanes(t))
                take_piece(t, &t->at_a, v, i * PIECE, t->a0, a);
            if (has_lanes(t) && steps_of_piece(t) == 2) { /* the temporary is wanted for B */
                knh_v2(t->a, KNH_VMOVAPS, t->length, t->a0, knh_reg(a[0]));
                a[0] = t->a0;
            }
            take_piece(t, &t->at_b, v, i * PIECE, t->b0, b);
            for (int s = 0; s < steps_of_piece(t); s++)
                add_step(t, v, b[s], i * steps_of_piece(t) + s, has_lanes(t) ? a[s] : -1);
        }
    advance(t, n * PIECE);
}

/* One step of each column of vector v, element by element. */
static void take_step(knh_tiler *t, const knh_lines *l, int v, int to)
{
    int size = t->f.c_bytes;
    for (int lane = 0; lane < t->bytes / size; lane++) {
        knh_v2(t->a, size == 4 ? KNH_VMOVSS : KNH_VMOVSD, 0, to, column(t, l, v, lane, 0));
        knh_v2(t->a, size == 4 ? KNH_VMOVSS_ST : KNH_VMOVSD_ST, 0, to, knh_at(KNH_RSP, ROOM + lane * size));
    }
    knh_v2(t->a, KNH_VMOVUPS, t->length, to, knh_at(KNH_RSP, ROOM));
}

static void one_step(knh_tiler *t, int n)
{
    for (int v = 0; v < t->vectors; v++) {
        if (has_lanes(t))
            take_step(t, &t->at_a, v, t->a0);
        take_step(t, &t->at_b, v, t->b0);
        add_step(t, v, t->b0, 0, has_lanes(t) ? t->a0 : -1);
    }
    advance(t, n * t->f.c_bytes);
}

void knh_tile_steps_turned(knh_tiler *t)
{
    int n = steps_of_piece(t);
    knh_tile_loop(t, PIECES * n, pieces, PIECES);
    knh_tile_loop(t, n, pieces, 1);
    if (n > 1)
        knh_tile_loop(t, 1, one_step, 1);
}
