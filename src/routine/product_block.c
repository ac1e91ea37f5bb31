/* SPDX-License-Identifier: Apache-2.0
 * product_block.c -- blocking and packing around the inner loops of the matrix product.
 *
 * B is cut into column panels as wide as a tile (two vectors). A panel is read in place while few tiles use it, else
 * it is packed: its rows follow each other without gaps. A is read in place, too, unless it is large and its rows
 * would fall into the same cache sets or its columns are far apart. K is cut into long pieces between which the
 * totals wait in C; every cut is at a multiple of the block, so no cut changes the order of the additions. Rows are
 * split into tiles of nearly equal height, since any height has its own loop. */
#include "routine/product_block.h"
#include <string.h>

enum {
    K_PIECE_BYTES = 4096,    /* of one row of A: long pieces, each further one reads and writes C once more */
    B_PIECE_BYTES = 4 << 20, /* of packed B */
    A_PIECE_PANELS = 9,      /* tiles of rows in one piece of A */
    A_PAD = 64,              /* bytes between the rows of copied A */
    B_IN_PLACE_TILES = 4,    /* so many tiles down, packing B would not pay */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

typedef enum {
    A_IN_PLACE,
    A_ROWS /* row after row, padded */,
    A_COLUMNS /* per tile: the tile's rows side by side */
} a_layout;
typedef struct plan {
    int size, width;                   /* bytes of a number, columns of a panel */
    int64_t k_piece, n_piece, m_piece; /* m_piece in tiles */
    int64_t tiles_down, height, extra; /* the first `extra` tiles have one row more than `height` */
    bool pack_b;
    a_layout a;
    size_t b_bytes, a_bytes;
} plan;

static a_layout choose_a(const knr_matrices *x, const plan *p)
{
    if (x->n <= 4 * p->width || x->m < 2 * x->tiles->max_rows)
        return A_IN_PLACE;
    if (x->a_k == 1)
        return x->a_m * p->size % 1024 == 0 && x->k * p->size >= 1024 ? A_ROWS : A_IN_PLACE;
    return A_COLUMNS;
}

static plan make_plan(const knr_matrices *x)
{
    plan p = {.size = x->tiles->size, .width = KNR_TILE_VECTORS * x->tiles->vl};
    int64_t pieces = divide_up(x->k, K_PIECE_BYTES / p.size);
    p.k_piece = least(x->k, divide_up(divide_up(x->k, pieces), x->block) * x->block);
    p.n_piece = least(divide_up(x->n, p.width), B_PIECE_BYTES / (p.k_piece * p.size * p.width) + 1) * p.width;
    p.tiles_down = divide_up(x->m, x->tiles->max_rows);
    p.height = x->m / p.tiles_down;
    p.extra = x->m % p.tiles_down;
    p.m_piece = least(p.tiles_down, A_PIECE_PANELS);
    p.pack_b = x->b_n != 1 || p.tiles_down > B_IN_PLACE_TILES;
    p.a = choose_a(x, &p);
    if (p.pack_b)
        p.b_bytes = (size_t)(p.n_piece * p.k_piece * p.size + 63) & ~(size_t)63;
    if (p.a != A_IN_PLACE)
        p.a_bytes = (size_t)(p.m_piece * x->tiles->max_rows) * (size_t)(p.k_piece * p.size + A_PAD);
    return p;
}

/* A row times a B whose columns are contiguous (a matrix times a vector): squares of B are turned in registers, a
 * block at a time. */
static void row_times_columns(const knr_matrices *x, const char *a, const char *b, char *c, void *panel)
{
    const knr_tiles *t = x->tiles;
    int width = KNR_TILE_VECTORS * t->vl, size = t->size;
    for (int64_t j = 0; j < x->n; j += width) {
        int columns = (int)least(width, x->n - j), vectors = (columns + t->vl - 1) / t->vl;
        for (int64_t k = 0; k < x->k; k += x->block) {
            int64_t steps = least(x->block, x->k - k);
            t->pack_transposed(b + (j * x->b_n + k) * size, x->b_n, steps, columns, width, panel);
            knr_tile_args args = {.a = a + k * x->a_k * size,
                                  .b = panel,
                                  .c = c + j * size,
                                  .a_k = x->a_k,
                                  .b_k = width,
                                  .k = steps,
                                  .block = x->block,
                                  .lanes = columns - (vectors - 1) * t->vl,
                                  .add = k > 0};
            t->tile[args.lanes == t->vl][vectors - 1][0](&args);
        }
    }
}

static bool one_row(const knr_matrices *x, const void *a, const void *b, void *c, void *workspace)
{
    const knr_tiles *t = x->tiles;
    if (x->m == 1 && x->n == 1) {
        t->dot(a, b, x->k, x->block, c);
    } else if (x->b_n != 1) {
        row_times_columns(x, a, b, c, workspace);
    } else if (x->n > KNR_TILE_VECTORS * t->vl) {
        knr_tile_args args = {.a = a, .b = b, .c = c, .a_k = x->a_k, .b_k = x->b_k, .k = x->k, .block = x->block};
        t->row(&args, x->n);
    } else {
        return false;
    }
    return true;
}

/* A matrix times a vector is the vector times the transposed matrix. */
static knr_matrices turned(const knr_matrices *x)
{
    return (knr_matrices){.tiles = x->tiles,
                          .m = 1,
                          .n = x->m,
                          .k = x->k,
                          .block = x->block,
                          .a_m = 0,
                          .a_k = x->b_k,
                          .b_k = x->a_k,
                          .b_n = x->a_m};
}

/* --- the blocked product ---------------------------------------------------------------------- */

static void pack_b(const knr_matrices *x, const plan *p, const char *b, int64_t columns, int64_t k, char *to)
{
    for (int64_t j = 0; j < columns; j += p->width, to += k * p->width * p->size) {
        int64_t w = least(p->width, columns - j);
        if (x->b_n != 1) {
            x->tiles->pack_transposed(b + j * x->b_n * p->size, x->b_n, k, (int)w, p->width, to);
            continue;
        }
        const char *from = b + j * p->size;
        size_t bytes = (size_t)(w * p->size), panel = (size_t)(p->width * p->size);
        for (int64_t i = 0; i < k; i++, from += x->b_k * p->size)
            memcpy(to + i * (int64_t)panel, from, bytes); /* what is behind a narrow last panel is not read */
    }
}

static void copy_columns(const char *a, int64_t a_m, int64_t a_k, int64_t rows, int64_t k, int size, char *to)
{
    for (int64_t i = 0; i < k; i++, a += a_k * size) {
        if (a_m == 1) {
            memcpy(to, a, (size_t)(rows * size));
            to += rows * size;
            continue;
        }
        for (int64_t r = 0; r < rows; r++, to += size)
            memcpy(to, a + r * a_m * size, (size_t)size);
    }
}

typedef struct piece { /* of A: `tiles` tiles from tile `first` on, k steps */
    int64_t first, tiles, row, k;
    const char *a;
    int64_t a_tile, a_m,
        a_k; /* in numbers; a_tile: to the same row of the next tile, for a tile of height `height` + 1 */
} piece;

static int64_t height_of(const plan *p, int64_t tile) { return p->height + (tile < p->extra); }

static void copy_a(const knr_matrices *x, const plan *p, piece *s, char *to)
{
    int size = p->size;
    if (p->a == A_IN_PLACE)
        return;
    const char *from = s->a;
    int64_t row_bytes = s->k * size + A_PAD;
    s->a = to;
    for (int64_t i = 0; i < s->tiles; i++) {
        int64_t rows = height_of(p, s->first + i);
        if (p->a == A_ROWS) {
            for (int64_t r = 0; r < rows; r++)
                memcpy(to + r * row_bytes, from + r * x->a_m * size, (size_t)(s->k * size));
        } else {
            copy_columns(from, x->a_m, x->a_k, rows, s->k, size, to);
        }
        to += rows * row_bytes;
        from += rows * x->a_m * size;
    }
}

/* Every tile of a piece of A with one panel of B. */
static void run_panel(const knr_matrices *x, const plan *p, const piece *s, knr_tile_args *t, int64_t columns, char *c)
{
    const knr_tiles *tiles = x->tiles;
    int vectors = (int)divide_up(columns, tiles->vl);
    int64_t row_bytes = p->a == A_IN_PLACE ? x->a_m * p->size : s->k * p->size + A_PAD;
    const char *a = s->a;
    t->lanes = (int)columns - (vectors - 1) * tiles->vl;
    const knr_tile_fn *run = tiles->tile[t->lanes == tiles->vl][vectors - 1];
    for (int64_t i = 0; i < s->tiles; i++) {
        int64_t rows = height_of(p, s->first + i);
        t->a = a;
        t->c = c;
        t->a_k = p->a == A_COLUMNS ? rows : p->a == A_ROWS ? 1 : x->a_k;
        run[rows - 1](t);
        a += rows * row_bytes;
        c += rows * x->n * p->size;
    }
}

static void run_piece(const knr_matrices *x, const plan *p, const piece *s, const char *b, int64_t columns, char *c,
                      bool add)
{
    knr_tile_args t = {.a_row = p->a == A_COLUMNS ? 1
                                : p->a == A_ROWS  ? s->k + A_PAD / p->size
                                                  : x->a_m,
                       .b_k = p->pack_b ? p->width : x->b_k,
                       .c_row = x->n,
                       .k = s->k,
                       .block = x->block,
                       .add = add};
    int64_t panel = p->pack_b ? s->k * p->width * p->size : p->width * p->size;
    for (int64_t j = 0; j < columns; j += p->width, b += panel) {
        t.b = b;
        run_panel(x, p, s, &t, least(p->width, columns - j), c + j * p->size);
    }
}

static void blocked(const knr_matrices *x, const plan *p, const char *a, const char *b, char *c, char *workspace)
{
    int size = p->size;
    char *packed_b = workspace, *packed_a = workspace + p->b_bytes;
    for (int64_t j = 0; j < x->n; j += p->n_piece) {
        int64_t columns = least(p->n_piece, x->n - j);
        for (int64_t k = 0; k < x->k; k += p->k_piece) {
            int64_t steps = least(p->k_piece, x->k - k), row = 0;
            const char *bp = b + (k * x->b_k + j * x->b_n) * size;
            if (p->pack_b) {
                pack_b(x, p, bp, columns, steps, packed_b);
                bp = packed_b;
            }
            for (int64_t i = 0; i < p->tiles_down; i += p->m_piece) {
                piece s = {.first = i,
                           .tiles = least(p->m_piece, p->tiles_down - i),
                           .k = steps,
                           .a = a + (row * x->a_m + k * x->a_k) * size};
                copy_a(x, p, &s, packed_a);
                run_piece(x, p, &s, bp, columns, c + (row * x->n + j) * size, k > 0);
                row += s.tiles * p->height + least(s.tiles, p->extra > i ? p->extra - i : 0);
            }
        }
    }
}

size_t knr_matrices_workspace(const knr_matrices *x)
{
    if (x->n == 1 && x->m > 1) {
        knr_matrices y = turned(x);
        return knr_matrices_workspace(&y);
    }
    if (!x->m || !x->n || !x->k)
        return 0;
    if (x->m == 1)
        return x->b_n == 1 ? 0 : (size_t)(x->block * KNR_TILE_VECTORS * x->tiles->vl * x->tiles->size);
    plan p = make_plan(x);
    return p.b_bytes + p.a_bytes;
}

void knr_matrices_run(const knr_matrices *x, const void *a, const void *b, void *c, void *workspace)
{
    if (x->n == 1 && x->m > 1) {
        knr_matrices y = turned(x);
        knr_matrices_run(&y, b, a, c, workspace);
        return;
    }
    if (!x->m || !x->n)
        return;
    if (!x->k) {
        memset(c, 0, (size_t)(x->m * x->n * x->tiles->size));
        return;
    }
    if (x->m == 1 && one_row(x, a, b, c, workspace))
        return;
    plan p = make_plan(x);
    blocked(x, &p, a, b, c, workspace);
}
