/* SPDX-License-Identifier: Apache-2.0
 * cholesky.c -- Cholesky factors, a panel of columns after the other: the rows of a panel are worked on in strips, each
 * a copy whose rows are the panel's columns, which loses what all panels before contribute while it is in the cache.
 * The strip on the diagonal is factored, then the others are divided by it. Threads share the strips. */
#include "host/routine/linalg.h"
#include "base/line.h"
#include "host/routine/near.h"
#include "host/routine/panels.h"
#include <string.h>

enum {
    STRIP = 128,  /* rows of one, or as many as a panel has columns */
    DIAGONAL = 32 /* columns of the square on the diagonal that begin at their own row: above it nothing is needed */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

typedef struct factors {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    int threads;
    int64_t n, width, strip;
    const char *a;
    char *l;
    /* The square of a panel, its triangle in rows, the strips (of one thread one after the other in the same place);
     * of complex numbers the conjugates of the panel's rows. */
    knr_planes square, triangle, tile;
    int64_t tile_step; /* numbers from strip to strip */
    char *conjugate;
    size_t product_bytes;
    char *product; /* of each thread */
    int64_t first; /* column of the panel */
    bool failed;
} factors;

static void *element(const factors *x, int64_t i, int64_t j) { return knr_place_to(x->dtype, x->l, i * x->n + j); }
static const void *given(const factors *x, int64_t i, int64_t j) { return knr_place_of(x->dtype, x->a, i * x->n + j); }
static int64_t width_of(const factors *x) { return least(x->width, x->n - x->first); }

static knr_planes part_of(const factors *x, knr_planes p, int64_t from)
{
    int64_t at = from * x->f->size;
    return (knr_planes){p.re ? (char *)p.re + at : NULL, p.im ? (char *)p.im + at : NULL, p.ld};
}

/* --- what a strip loses ----------------------------------------------------------------------- */

/* Columns column .. + columns of the panel lose in `rows` rows from `row` on what the panel of the columns from
 * `before` on contributes: in `strip`, whose first row is `row`, or (complex) in l. The conjugated factor is the left
 * one, as inside of a panel. */
static void lose(const factors *x, int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t before,
                 const knr_planes *strip, int worker, size_t *most_bytes)
{
    kn_dtype d = x->dtype;
    knr_products products = {d, 1, x->product ? x->product + (size_t)worker * x->product_bytes : NULL, most_bytes};
    int64_t at = column - x->first;
    knr_operand left = {element(x, column, before), x->n, 1}, right = {element(x, row, before), 1, x->n};
    knr_result place = {knr_place_to(x->dtype, strip->re, at * strip->ld), strip->ld, 1};
    if (knx_is_complex(d)) {
        left = (knr_operand){knr_place_of(d, x->conjugate, at * x->n + before), x->n, 1};
        place = (knr_result){element(x, row, column), 1, x->n};
    }
    knr_matrix_lose(&products, (knr_extents){columns, rows, x->width}, left, right, place);
}

/* Rows from `row` on of the panel as they were, which real numbers bring to `strip`. */
static void begin(const factors *x, int64_t row, int64_t rows, int64_t column, int64_t columns, const knr_planes *strip)
{
    kn_dtype d = x->dtype;
    if (!knx_is_complex(d)) {
        knr_planes part = *strip;
        part.re = knr_place_to(d, strip->re, (column - x->first) * strip->ld);
        x->f->take(&part, (int)columns, rows, &(knr_place_in){given(x, row, column), 1, x->n, false}, NULL);
    } else {
        for (int64_t i = row; i < row + rows; i++)
            memcpy(element(x, i, column), given(x, i, column), (size_t)columns * d->size);
    }
}

/* Complex ones are there when they have lost everything. */
static void end(const factors *x, int64_t row, int64_t rows, const knr_planes *strip)
{
    if (knx_is_complex(x->dtype))
        x->f->take(strip, (int)width_of(x), rows, &(knr_place_in){element(x, row, x->first), 1, x->n, false}, NULL);
}

static void take_strip(const factors *x, int64_t row, int64_t rows, const knr_planes *strip, int worker)
{
    begin(x, row, rows, x->first, x->width, strip);
    for (int64_t b = 0; b < x->first; b += x->width)
        lose(x, row, rows, x->first, x->width, b, strip, worker, NULL);
    end(x, row, rows, strip);
}

static void take_square(const factors *x, int worker)
{
    int64_t w = width_of(x);
    for (int64_t c = 0; c < w; c += DIAGONAL) {
        knr_planes strip = part_of(x, x->square, c);
        int64_t at = x->first + c, columns = least(DIAGONAL, w - c);
        begin(x, at, w - c, at, columns, &strip);
        for (int64_t b = 0; b < x->first; b += x->width)
            lose(x, at, w - c, at, columns, b, &strip, worker, NULL);
    }
    end(x, x->first, w, &x->square);
}

/* --- panels ----------------------------------------------------------------------------------- */

/* l, zeros behind its diagonal, and the triangle by which the other rows are divided. */
static bool factor(const factors *x, int worker)
{
    kn_dtype d = x->dtype;
    int w = (int)width_of(x);
    char *to = element(x, x->first, x->first);
    take_square(x, worker);
    if (!x->f->cholesky(&x->square, w))
        return false;
    x->f->put(&x->square, w, w, &(knr_place_out){to, 1, x->n, false});
    for (int64_t i = 0; i < w; i++)
        memset(to + (i * x->n + i + 1) * (int64_t)d->size, 0, (size_t)(w - i - 1) * d->size);
    if (x->first + w < x->n)
        x->f->take(&x->triangle, w, w, &(knr_place_in){to, x->n, 1, knx_is_complex(d)}, NULL);
    return true;
}

/* Quotients, and zeros on the other side of the diagonal. */
static void put_strip(const factors *x, int64_t row, int64_t rows, const knr_planes *strip)
{
    x->f->solve(&x->triangle, strip, (int)x->width, rows, KNR_DIAGONAL_REAL);
    x->f->put(strip, (int)x->width, rows, &(knr_place_out){element(x, row, x->first), 1, x->n, false});
    for (int64_t i = x->first; i < x->first + x->width; i++)
        memset(element(x, i, row), 0, (size_t)rows * x->dtype->size);
}

/* Strips lie where they lie in all panels. */
static int64_t first_row(const factors *x, int64_t part) { return most(part * x->strip, x->first + x->width); }
static int64_t rows_of(const factors *x, int64_t part)
{
    return least((part + 1) * x->strip, x->n) - first_row(x, part);
}
static knr_planes tile_of(const factors *x, int64_t part) { return part_of(x, x->tile, part * x->tile_step); }
static const int64_t SQUARE = INT64_MAX; /* the part that is the square */

static void take_part(void *env, int64_t part, int worker)
{
    factors *x = env;
    if (part == SQUARE) {
        x->failed = !factor(x, worker);
    } else {
        knr_planes tile = tile_of(x, part);
        take_strip(x, first_row(x, part), rows_of(x, part), &tile, worker);
    }
}

static void put_part(void *env, int64_t part, int worker)
{
    const factors *x = env;
    knr_planes tile = tile_of(x, part);
    (void)worker;
    put_strip(x, first_row(x, part), rows_of(x, part), &tile);
}

static void conjugate_rows(const factors *x)
{
    for (int64_t i = 0; i < width_of(x) && x->first; i++) {
        const char *from = element(x, x->first + i, 0);
        char *to = x->conjugate + i * x->n * (int64_t)x->dtype->size;
        memcpy(to, from, (size_t)x->first * x->dtype->size);
        for (int64_t j = 0; j < x->first; j++)
            if (x->f->size == 4)
                ((float *)to)[2 * j + 1] = -((float *)to)[2 * j + 1];
            else
                ((double *)to)[2 * j + 1] = -((double *)to)[2 * j + 1];
    }
}

static bool run_panel(factors *x)
{
    enum { WORTH = 1 << 20 /* numbers times steps */ };
    int64_t behind = x->first + x->width, left = x->n - behind;
    int64_t parts = left > 0 ? (x->n - 1) / x->strip + 1 : 0, from = left > 0 ? behind / x->strip : 0;
    if (knx_is_complex(x->dtype))
        conjugate_rows(x);
    if (x->threads > 1 && left * x->width * behind >= WORTH) {
        knr_parallel_near(x->threads, from, parts, SQUARE, take_part, x);
        if (!x->failed)
            knr_parallel_near(x->threads, from, parts, -1, put_part, x);
        return !x->failed;
    }
    if (!factor(x, 0))
        return false;
    for (int64_t part = from; part < parts; part++) {
        knr_planes tile = tile_of(x, 0);
        take_strip(x, first_row(x, part), rows_of(x, part), &tile, 0);
        put_strip(x, first_row(x, part), rows_of(x, part), &tile);
    }
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* What the products of all strips and squares need. */
static void products_room(const factors *x, size_t *bytes)
{
    int64_t n = x->n, last = n % x->width;
    const int64_t rows[] = {x->strip, x->strip - x->width, n % x->strip, most(n % x->strip - x->width, 0)};
    for (int i = 0; i < 4; i++)
        lose(x, 0, rows[i], 0, x->width, 0, &x->tile, 0, bytes);
    for (int64_t c = 0; c < x->width; c += DIAGONAL) {
        lose(x, 0, x->width - c, 0, least(DIAGONAL, x->width - c), 0, &x->tile, 0, bytes);
        if (c < last)
            lose(x, 0, last - c, 0, least(DIAGONAL, last - c), 0, &x->tile, 0, bytes);
    }
}

/* The parts of the workspace; NULL: its bytes are counted. */
static size_t take_room(factors *x, kn_dtype d, int64_t n, int threads, void *workspace)
{
    knr_arena arena = {workspace, 0};
    *x = (factors){.dtype = d, .f = knr_linalg_loops_of(d), .threads = threads > 1 ? threads : 1, .n = n};
    bool narrow = knx_is_complex(d) || n <= KNR_NARROW_CHOLESKY;
    x->width = most(least(narrow ? KNR_PANEL : KNR_WIDE_PANEL, n), 1);
    x->strip = most(STRIP, x->width);
    x->square = knr_planes_take(&arena, d, x->width, x->width);
    if (n <= x->width)
        return arena.used;
    int64_t room = x->strip + KNR_ROW_PAD;
    x->tile_step = x->threads > 1 ? room : 0;
    x->triangle = knr_planes_take(&arena, d, x->width, x->width);
    x->tile = knr_planes_take(&arena, d, x->width, x->threads > 1 ? ((n - 1) / x->strip + 1) * room : room);
    x->conjugate = knx_is_complex(d) ? knr_take(&arena, (size_t)(n * x->width), d->size) : NULL;
    products_room(x, &x->product_bytes);
    x->product_bytes = knx_whole_lines(x->product_bytes);
    x->product = knr_take(&arena, x->product_bytes, (size_t)x->threads);
    return arena.used;
}

size_t knr_cholesky_workspace(kn_dtype d, int64_t n, int threads)
{
    factors x;
    return take_room(&x, d, n, threads, NULL);
}

static void lower_nan(kn_dtype d, int64_t n, void *l)
{
    knx_scalar_bits nan = knx_scalar_from_double(d, __builtin_nan(""));
    if (d->id == KN_ID_C64)
        nan.c64.im = nan.c64.re;
    if (d->id == KN_ID_C128)
        nan.c128.im = nan.c128.re;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++)
            memcpy(knr_place_to(d, l, i * n + k), nan.bytes, d->size);
        memset(knr_place_to(d, l, i * n + i + 1), 0, (size_t)(n - i - 1) * d->size);
    }
}

bool knr_cholesky(kn_dtype d, int64_t n, const void *a, void *l, void *workspace, int threads)
{
    factors x;
    take_room(&x, d, n, threads, workspace);
    x.a = a, x.l = l;
    for (x.first = 0; x.first < n; x.first += x.width)
        if (!run_panel(&x)) {
            lower_nan(d, n, l);
            return false;
        }
    return true;
}
