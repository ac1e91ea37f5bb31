/* SPDX-License-Identifier: Apache-2.0
 * linalg.c -- matrix factorisations, blocked: what earlier blocks contribute to a block comes from the matrix product,
 * what happens inside of a block from the inner loops of linalg_tile.h, which work on copies of up to 32 rows or
 * columns. Blocks of 32 lie in panels of 256: a panel loses what all panels before it contribute by one product, then
 * its blocks lose what earlier blocks of the panel do.
 *
 * LU goes by Crout's scheme (a column of blocks, then the row of blocks beside its top; so do panels), Cholesky by
 * columns of blocks, triangular systems by rows of blocks. Threads share products and the columns of triangular
 * systems. */
#include "host/routine/linalg.h"
#include "base/line.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/matrix_product.h"
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

const knr_linalg_loops *knr_linalg_loops_of(kn_dtype d)
{
    int wide = knx_component(d)->size == 8;
    return &KNR_BY_ISA(knr_linalg)[wide];
}

/* --- the workspace ---------------------------------------------------------------------------- */

enum {
    PANEL = 256,
    COLUMNS = 64, /* of a panel of a Cholesky factor that lose earlier panels together: above them nothing is needed */
    STRIP = 128,  /* right-hand sides that are worked on together */
};

/* Room for: a product of a block with `length` numbers, a copy of as many (`block_length`), one triangle, a strip for
 * each thread, conjugated rows, and what products need. */
typedef struct room {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    int threads;
    size_t sum_bytes, block_bytes, triangle_bytes, strip_bytes, conjugate_bytes;
    char *sum, *conjugate, *rest;
    knr_planes block, triangle, strip; /* strip: the first thread's */
} room;

/* Rows lie an odd number of cache lines apart, so that they do not compete for the same sets. */
static int64_t row_length(int64_t length, int size)
{
    int64_t line = 64 / size, lines = (length + KNR_ROW_PAD + line - 1) / line;
    return (lines | 1) * line;
}

static size_t plane_bytes(knr_planes *p, int64_t length, int size)
{
    p->ld = row_length(length, size);
    return knx_whole_lines((size_t)p->ld * KNR_BLOCK * (size_t)size);
}

/* length: the most columns of a sum; block_length: of a copy of them, if there is one. */
static void plan_room(room *w, kn_dtype d, int64_t length, int64_t block_length, int threads)
{
    *w = (room){.dtype = d, .f = knr_linalg_loops_of(d), .threads = threads > 1 ? threads : 1};
    int size = w->f->size;
    w->sum_bytes = knx_whole_lines((size_t)length * KNR_BLOCK * d->size);
    w->block_bytes = block_length ? plane_bytes(&w->block, block_length, size) : 0;
    w->triangle_bytes = plane_bytes(&w->triangle, KNR_BLOCK, size);
    w->strip_bytes = plane_bytes(&w->strip, length < STRIP ? length : STRIP, size);
    w->conjugate_bytes = knx_is_complex(d) ? w->sum_bytes / KNR_BLOCK * COLUMNS + KNX_LINE_BYTES : 0;
}

static size_t room_bytes(const room *w)
{
    size_t parts = knx_is_complex(w->dtype) ? 2 : 1;
    return w->sum_bytes + w->conjugate_bytes +
           parts * (w->block_bytes + w->triangle_bytes + w->strip_bytes * (size_t)w->threads);
}

static void set_planes(knr_planes *p, char **at, size_t bytes, bool complex)
{
    p->re = *at;
    p->im = complex ? *at + bytes : NULL;
    *at += bytes * (complex ? 2 : 1);
}

static void take_room(room *w, void *workspace)
{
    char *at = workspace;
    bool complex = knx_is_complex(w->dtype);
    set_planes(&w->block, &at, w->block_bytes, complex);
    set_planes(&w->triangle, &at, w->triangle_bytes, complex);
    set_planes(&w->strip, &at, w->strip_bytes * (size_t)w->threads, complex);
    w->sum = at;
    w->conjugate = w->sum + w->sum_bytes;
    w->rest = w->conjugate + w->conjugate_bytes;
}

/* With `most` products only say what workspace they need. */
static knr_products products_of(const room *r, size_t *most)
{
    return (knr_products){r->dtype, r->threads, r->rest, most};
}

static const void *at(kn_dtype d, const void *base, int64_t index)
{
    return base ? (const char *)base + index * d->size : NULL;
}
static void *to(kn_dtype d, void *base, int64_t index) { return base ? (char *)base + index * d->size : NULL; }

/* --- strips of triangular systems ------------------------------------------------------------- */

/* to = triangle^-1 (from - minus): `rows` x n, a strip after the other. */
typedef struct strips {
    const room *r;
    int rows;
    int64_t n;
    knr_place_in from;
    const knr_place_in *minus;
    knr_place_out to;
    knr_diagonal how;
} strips;

static void solve_strip(void *env, int64_t part, int worker)
{
    const strips *s = env;
    const room *r = s->r;
    int64_t j = part * STRIP, n = least(STRIP, s->n - j);
    knr_planes x = r->strip;
    knr_place_in from = s->from, minus = s->minus ? *s->minus : from;
    knr_place_out result = s->to;
    x.re = (char *)x.re + (size_t)worker * r->strip_bytes;
    x.im = x.im ? (char *)x.im + (size_t)worker * r->strip_bytes : NULL;
    from.at = at(r->dtype, from.at, j * from.column);
    minus.at = at(r->dtype, minus.at, j * minus.column);
    result.at = to(r->dtype, result.at, j * result.column);
    r->f->take(&x, s->rows, n, &from, s->minus ? &minus : NULL);
    r->f->solve(&r->triangle, &x, s->rows, n, s->how);
    r->f->put(&x, s->rows, n, &result);
}

static void solve_strips(strips *s)
{
    enum { WORTH = 1 << 14 /* numbers */ };
    int64_t parts = (s->n + STRIP - 1) / STRIP;
    int threads = s->n * s->rows < WORTH ? 1 : s->r->threads;
    knx_parallel(threads, parts, solve_strip, s);
}

/* --- Cholesky --------------------------------------------------------------------------------- */

/* Rows i .. n of columns i .. i + w lose the columns from .. from + k, or those make the sums. A real sum is rows x w;
 * a complex one is turned: there the conjugated factor is the left one, as inside of a block. */
static void cholesky_product(const room *r, int64_t n, int64_t i, int64_t w, int64_t from, int64_t k, void *l,
                             bool in_place, size_t *most)
{
    kn_dtype d = r->dtype;
    knr_products p = products_of(r, most);
    knr_operand rows = {at(d, l, i * n + from), n, 1}, turned = {rows.at, 1, n}, conjugate = {r->conjugate, k, 1};
    void *place = to(d, l, i * n + i);
    if (!knx_is_complex(d)) {
        if (in_place)
            knr_matrix_lose(&p, (knr_extents){n - i, w, k}, rows, turned, (knr_result){place, n, 1});
        else
            knr_matrix_multiply(&p, (knr_extents){n - i, w, k}, rows, turned, (knr_result){r->sum, w, 1});
        return;
    }
    for (int64_t row = 0; !most && row < w; row += KNR_BLOCK)
        for (int64_t c = 0; c < k; c += KNR_BLOCK) { /* through the planes, a block at a time */
            int many = (int)least(KNR_BLOCK, w - row);
            knr_place_in from_there = {at(d, rows.at, row * n + c), n, 1, true};
            r->f->take(&r->triangle, many, least(KNR_BLOCK, k - c), &from_there, NULL);
            r->f->put(&r->triangle, many, least(KNR_BLOCK, k - c),
                      &(knr_place_out){to(d, r->conjugate, row * k + c), k, 1, false});
        }
    if (in_place)
        knr_matrix_lose(&p, (knr_extents){w, n - i, k}, conjugate, turned, (knr_result){place, 1, n});
    else
        knr_matrix_multiply(&p, (knr_extents){w, n - i, k}, conjugate, turned, (knr_result){r->sum, n - i, 1});
}

/* Columns of the panel at `panel` lose those of the panels before it. */
static void cholesky_panel(const room *r, int64_t n, int64_t panel, void *l, size_t *most)
{
    int64_t end = least(n, panel + PANEL);
    for (int64_t i = panel; panel && i < end; i += COLUMNS)
        cholesky_product(r, n, i, least(COLUMNS, end - i), 0, panel, l, true, most);
}

static int64_t panel_of(int64_t j) { return j / PANEL * PANEL; }

size_t knr_cholesky_workspace(kn_dtype d, int64_t n, int threads)
{
    room r;
    size_t most = 0;
    plan_room(&r, d, n, 0, threads);
    for (int64_t j = KNR_BLOCK; j < n; j += KNR_BLOCK) {
        int64_t panel = panel_of(j);
        if (j == panel)
            cholesky_panel(&r, n, panel, NULL, &most);
        else
            cholesky_product(&r, n, j, least(KNR_BLOCK, n - j), panel, j - panel, NULL, false, &most);
    }
    return room_bytes(&r) + most;
}

/* Columns j .. j + w of the factor. a: where the matrix is, l itself behind the first panel */
static bool cholesky_block(const room *r, int64_t n, int64_t j, int w, const void *a, void *l)
{
    kn_dtype d = r->dtype;
    bool complex = knx_is_complex(d);
    int64_t panel = panel_of(j);
    knr_place_in diagonal = {at(d, a, j * n + j), 1, n, false}, below = {at(d, a, (j + w) * n + j), 1, n, false};
    /* strides of the sums, seen as columns by rows */
    int64_t by_column = complex ? n - j : 1, by_row = complex ? 1 : w;
    knr_place_in sums = {r->sum, by_column, by_row, false}, lower = sums;
    lower.at = at(d, r->sum, w * by_row);
    if (j > panel)
        cholesky_product(r, n, j, w, panel, j - panel, l, false, NULL);
    r->f->take(&r->triangle, w, w, &diagonal, j > panel ? &sums : NULL);
    if (!r->f->cholesky(&r->triangle, w))
        return false;
    r->f->put(&r->triangle, w, w, &(knr_place_out){to(d, l, j * n + j), 1, n, false});
    if (j + w < n) {
        r->f->take(&r->triangle, w, w, &(knr_place_in){to(d, l, j * n + j), n, 1, true}, NULL);
        knr_place_out result = {to(d, l, (j + w) * n + j), 1, n, false};
        solve_strips(&(strips){r, w, n - j - w, below, j > panel ? &lower : NULL, result, KNR_DIAGONAL_REAL});
    }
    for (int i = 0; i < w; i++)
        memset(to(d, l, (j + i) * n + j + i + 1), 0, (size_t)(n - j - i - 1) * d->size);
    return true;
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
            memcpy(to(d, l, i * n + k), nan.bytes, d->size);
        memset(to(d, l, i * n + i + 1), 0, (size_t)(n - i - 1) * d->size);
    }
}

bool knr_cholesky(kn_dtype d, int64_t n, const void *a, void *l, void *workspace, int threads)
{
    room r;
    plan_room(&r, d, n, 0, threads);
    take_room(&r, workspace);
    for (int64_t j = 0; j < n; j += KNR_BLOCK) {
        int64_t panel = panel_of(j), end = least(n, panel + PANEL);
        for (int64_t i = j; j && j == panel && i < n; i++)
            memcpy(to(d, l, i * n + j), at(d, a, i * n + j), (size_t)(least(i + 1, end) - j) * d->size);
        if (j && j == panel)
            cholesky_panel(&r, n, panel, l, NULL);
        if (!cholesky_block(&r, n, j, (int)least(KNR_BLOCK, n - j), panel ? l : a, l)) {
            lower_nan(d, n, l);
            return false;
        }
    }
    return true;
}

/* --- LU --------------------------------------------------------------------------------------- */

/* A matrix that becomes its factors, in place. */
typedef struct factors {
    const room *r;
    int64_t m, n;
    char *lu;
    int32_t *pivots;
} factors;

static void *element(const factors *x, int64_t i, int64_t j) { return to(x->r->dtype, x->lu, i * x->n + j); }

/* What rows i .. i + m and columns j .. j + n lose to steps from .. from + k: at once, or as sums. */
static void lu_product(const factors *x, int64_t i, int64_t m, int64_t j, int64_t n, int64_t from, int64_t k,
                       bool in_place, size_t *most)
{
    knr_products p = products_of(x->r, most);
    knr_operand left = {element(x, i, from), x->n, 1}, right = {element(x, from, j), x->n, 1};
    if (in_place)
        knr_matrix_lose(&p, (knr_extents){m, n, k}, left, right, (knr_result){element(x, i, j), x->n, 1});
    else
        knr_matrix_multiply(&p, (knr_extents){m, n, k}, left, right, (knr_result){x->r->sum, n, 1});
}

/* Rows from .. to change places as their pivots say, columns first .. last. */
static void swap_rows(const factors *x, int64_t from, int64_t to, int64_t first, int64_t last)
{
    int64_t size = (int64_t)x->r->dtype->size;
    if (first < last)
        x->r->f->exchange(element(x, 0, first), x->n * size, (last - first) * size, x->pivots, from, to - from);
}

/* The way of a column of blocks to its copy, whose rows are columns, and back: a part of its rows. */
typedef struct copies {
    const room *r;
    int columns;
    int64_t rows;
    knr_place_in from, minus;
    bool has_minus;
    knr_place_out to; /* back */
} copies;
enum { COPY_ROWS = 128, COPY_WORTH = 1 << 14 /* numbers */ };

static void copy_part(const copies *c, int64_t part, bool back)
{
    const room *r = c->r;
    int64_t i = part * COPY_ROWS, n = least(COPY_ROWS, c->rows - i), size = r->f->size;
    knr_planes x = {(char *)r->block.re + i * size, r->block.im ? (char *)r->block.im + i * size : NULL, r->block.ld};
    knr_place_in from = c->from, minus = c->minus;
    knr_place_out result = c->to;
    from.at = at(r->dtype, from.at, i * from.column);
    minus.at = at(r->dtype, minus.at, i * minus.column);
    result.at = to(r->dtype, result.at, i * result.column);
    if (back)
        r->f->put(&x, c->columns, n, &result);
    else /* what is behind the last row is cleared, too */
        (i + n == c->rows ? r->f->take : r->f->take_part)(&x, c->columns, n, &from, c->has_minus ? &minus : NULL);
}
static void copy_in(void *env, int64_t part, int worker)
{
    (void)worker;
    copy_part(env, part, false);
}
static void copy_back(void *env, int64_t part, int worker)
{
    (void)worker;
    copy_part(env, part, true);
}

/* Columns j .. j + w of the panel first .. last, with their pivots; the panel's other columns follow. */
static bool lu_column(const factors *x, int64_t first, int64_t last, int64_t j, int w, size_t *most)
{
    const room *r = x->r;
    int64_t pivot[KNR_BLOCK], rows = x->m - j, parts = (rows + COPY_ROWS - 1) / COPY_ROWS;
    int threads = rows * w < COPY_WORTH ? 1 : r->threads;
    lu_product(x, j, rows, j, w, first, j - first, false, most);
    if (most)
        return true;
    copies c = {r,
                w,
                rows,
                {element(x, j, j), 1, x->n, false},
                {r->sum, 1, w, false},
                j > first,
                {element(x, j, j), 1, x->n, false}};
    knx_parallel(threads, parts, copy_in, &c);
    bool regular = r->f->lu(&r->block, w, rows, pivot);
    knx_parallel(threads, parts, copy_back, &c);
    for (int k = 0; k < w; k++)
        x->pivots[j + k] = (int32_t)(j + pivot[k]);
    swap_rows(x, j, j + w, first, j);
    swap_rows(x, j, j + w, j + w, last);
    return regular;
}

/* Rows j .. j + w of U in columns from .. to; what was before the panel of row j is done. */
static void lu_row(const factors *x, int64_t j, int w, int64_t from, int64_t to, size_t *most)
{
    const room *r = x->r;
    int64_t first = panel_of(j);
    lu_product(x, j, w, from, to - from, first, j - first, false, most);
    if (most || from == to)
        return;
    r->f->take(&r->triangle, w, w, &(knr_place_in){element(x, j, j), x->n, 1, false}, NULL);
    solve_strips(&(strips){r,
                           w,
                           to - from,
                           {element(x, j, from), x->n, 1, false},
                           j > first ? &(knr_place_in){r->sum, to - from, 1, false} : NULL,
                           {element(x, j, from), x->n, 1, false},
                           KNR_DIAGONAL_ONE});
}

/* The rows of U above row `end`, columns from .. to. */
static void lu_above(const factors *x, int64_t end, int64_t from, int64_t to, size_t *most)
{
    for (int64_t j = 0; j < end; j += KNR_BLOCK) {
        if (j == panel_of(j))
            lu_product(x, j, least(PANEL, end - j), from, to - from, 0, j, true, most);
        lu_row(x, j, (int)least(KNR_BLOCK, end - j), from, to, most);
    }
}

typedef struct swaps {
    const factors *x;
    int64_t from, to;
} swaps;
enum { SWAP_COLUMNS = 128 };

/* Columns of L before a panel follow its pivots. */
static void swap_part(void *env, int64_t part, int worker)
{
    const swaps *s = env;
    (void)worker;
    swap_rows(s->x, s->from, s->to, part * SWAP_COLUMNS, least(s->from, (part + 1) * SWAP_COLUMNS));
}

/* Columns first .. last of a, with the rows as they are by now. */
typedef struct beginning {
    const factors *x;
    const void *a;
    const int32_t *permutation;
    int64_t first, last;
} beginning;

static void begin_part(void *env, int64_t part, int worker)
{
    const beginning *s = env;
    const factors *x = s->x;
    (void)worker;
    for (int64_t i = part * COPY_ROWS; i < least(x->m, (part + 1) * COPY_ROWS); i++)
        memcpy(element(x, i, s->first), at(x->r->dtype, s->a, (int64_t)s->permutation[i] * x->n + s->first),
               (size_t)(s->last - s->first) * x->r->dtype->size);
}

static void lu_begin(const factors *x, const void *a, const int32_t *permutation, int64_t first, int64_t last)
{
    int threads = x->m * (last - first) < COPY_WORTH ? 1 : x->r->threads;
    if (first < last)
        knx_parallel(threads, (x->m + COPY_ROWS - 1) / COPY_ROWS, begin_part,
                     &(beginning){x, a, permutation, first, last});
}

/* Columns first .. last from their first row on, with rows of U inside of the panel. With `most` only the workspace is
 * asked for. */
static bool lu_panel(const factors *x, int64_t first, int64_t last, size_t *most)
{
    bool regular = true;
    lu_product(x, first, x->m - first, first, last - first, 0, first, true, most);
    for (int64_t j = first; j < last; j += KNR_BLOCK) {
        int w = (int)least(KNR_BLOCK, last - j);
        regular &= lu_column(x, first, last, j, w, most);
        lu_row(x, j, w, j + w, last, most);
    }
    return regular;
}

size_t knr_lu_workspace(kn_dtype d, int64_t m, int64_t n, int threads)
{
    room r;
    size_t most = 0;
    int64_t steps = least(m, n);
    plan_room(&r, d, m > n ? m : n, m, threads);
    factors x = {.r = &r, .m = m, .n = n};
    for (int64_t j = 0; j < steps; j += PANEL) {
        lu_above(&x, j, j, least(j + PANEL, steps), &most);
        lu_panel(&x, j, least(j + PANEL, steps), &most);
    }
    lu_above(&x, steps, steps, n, &most);
    return room_bytes(&r) + most;
}

/* Panels of columns from left to right, then what is right of a wide matrix's square. */
bool knr_lu(kn_dtype d, int64_t m, int64_t n, const void *a, void *lu, int32_t *pivots, int32_t *permutation,
            void *workspace, int threads)
{
    room r;
    bool regular = true;
    int64_t steps = least(m, n);
    plan_room(&r, d, m > n ? m : n, m, threads);
    take_room(&r, workspace);
    factors x = {&r, m, n, lu, pivots};
    for (int64_t i = 0; i < m; i++)
        permutation[i] = (int32_t)i;
    for (int64_t j = 0; j < steps; j += PANEL) {
        int64_t end = least(j + PANEL, steps);
        lu_begin(&x, a, permutation, j, end);
        lu_above(&x, j, j, end, NULL);
        regular &= lu_panel(&x, j, end, NULL);
        knx_parallel(threads, (j + SWAP_COLUMNS - 1) / SWAP_COLUMNS, swap_part, &(swaps){&x, j, end});
        for (int64_t k = j; k < end; k++) {
            int32_t swapped = permutation[k];
            permutation[k] = permutation[pivots[k]];
            permutation[pivots[k]] = swapped;
        }
    }
    lu_begin(&x, a, permutation, steps, n);
    lu_above(&x, steps, steps, n, NULL);
    return regular;
}

/* --- triangular systems ----------------------------------------------------------------------- */

typedef knr_solve_view view;

knr_solve_view knr_triangular_view(const knr_triangular *s)
{
    bool turned = s->transpose_a == s->left_side; /* x op(a) = b is op(a)^T x^T = b^T */
    bool lower = s->lower != turned;
    int64_t m = s->m, n = s->n;
    knr_solve_view v = {.t_row = turned ? 1 : m, .t_column = turned ? m : 1};
    v.x_row = s->left_side ? n : 1;
    v.x_column = s->left_side ? 1 : m;
    if (!lower) {
        v.t_first = m * m - 1;
        v.x_first = (m - 1) * v.x_row;
        v.t_row = -v.t_row;
        v.t_column = -v.t_column;
        v.x_row = -v.x_row;
    }
    return v;
}

/* What the unknowns from .. from + k contribute to rows i .. i + w: at once, or as sums. */
static void solve_product(const room *r, const knr_triangular *s, const view *v, int64_t i, int64_t w, int64_t from,
                          int64_t k, const void *a, void *x, bool in_place, size_t *most)
{
    kn_dtype d = s->dtype;
    knr_products p = products_of(r, most);
    knr_extents e = {w, s->n, k};
    knr_operand t = {at(d, a, v->t_first + i * v->t_row + from * v->t_column), v->t_row, v->t_column};
    knr_operand known = {at(d, x, v->x_first + from * v->x_row), v->x_row, v->x_column};
    if (in_place)
        knr_matrix_lose(&p, e, t, known, (knr_result){to(d, x, v->x_first + i * v->x_row), v->x_row, v->x_column});
    else
        knr_matrix_multiply(&p, e, t, known, (knr_result){r->sum, s->n, 1});
}

size_t knr_triangular_workspace(const knr_triangular *s, int threads)
{
    room r;
    size_t most = 0;
    view v = knr_triangular_view(s);
    plan_room(&r, s->dtype, s->n, 0, threads);
    for (int64_t i = KNR_BLOCK; i < s->m; i += KNR_BLOCK) {
        int64_t panel = panel_of(i);
        if (i == panel)
            solve_product(&r, s, &v, i, least(PANEL, s->m - i), 0, i, NULL, NULL, true, &most);
        else
            solve_product(&r, s, &v, i, least(KNR_BLOCK, s->m - i), panel, i - panel, NULL, NULL, false, &most);
    }
    return room_bytes(&r) + most;
}

/* A conjugated triangle: the conjugates of b and x are worked with. */
static void conjugate(const knr_triangular *s, void *x)
{
    int64_t count = s->m * s->n;
    if (s->dtype->id == KN_ID_C64)
        for (int64_t i = 0; i < count; i++)
            ((kn_c64 *)x)[i].im = -((kn_c64 *)x)[i].im;
    if (s->dtype->id == KN_ID_C128)
        for (int64_t i = 0; i < count; i++)
            ((kn_c128 *)x)[i].im = -((kn_c128 *)x)[i].im;
}

/* b is x itself where there are several panels. */
static void solve_block(const room *r, const knr_triangular *s, const view *v, int64_t i, const void *a,
                        const knr_place_in *b, void *x)
{
    kn_dtype d = s->dtype;
    int w = (int)least(KNR_BLOCK, s->m - i);
    int64_t panel = panel_of(i), place = v->x_first + i * v->x_row;
    knr_place_in t = {at(d, a, v->t_first + i * (v->t_row + v->t_column)), v->t_row, v->t_column, false}, from = *b;
    from.at = at(d, b->at, place);
    solve_product(r, s, v, i, w, panel, i - panel, a, x, false, NULL);
    r->f->take(&r->triangle, w, w, &t, NULL);
    solve_strips(&(strips){r,
                           w,
                           s->n,
                           from,
                           i > panel ? &(knr_place_in){r->sum, s->n, 1, false} : NULL,
                           {to(d, x, place), v->x_row, v->x_column, false},
                           s->unit_diagonal ? KNR_DIAGONAL_ONE : KNR_DIAGONAL_FULL});
}

void knr_triangular_run(const knr_triangular *s, const void *a, const void *b, void *x, void *workspace, int threads)
{
    room r;
    view v = knr_triangular_view(s);
    bool conjugated = s->conjugate_a && knx_is_complex(s->dtype), panels = s->m > PANEL;
    knr_place_in from = {b, v.x_row, v.x_column, conjugated};
    if (!s->n || !s->m)
        return;
    plan_room(&r, s->dtype, s->n, 0, threads);
    take_room(&r, workspace);
    if (panels) {
        memcpy(x, b, (size_t)(s->m * s->n) * s->dtype->size);
        if (conjugated)
            conjugate(s, x);
        from = (knr_place_in){x, v.x_row, v.x_column, false};
    }
    for (int64_t i = 0; i < s->m; i += KNR_BLOCK) {
        if (i == panel_of(i))
            solve_product(&r, s, &v, i, least(PANEL, s->m - i), 0, i, a, x, true, NULL);
        solve_block(&r, s, &v, i, a, &from, x);
    }
    if (conjugated)
        conjugate(s, x);
}
