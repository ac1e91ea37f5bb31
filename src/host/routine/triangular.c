/* SPDX-License-Identifier: Apache-2.0
 * triangular.c -- triangular systems and inverses, in strips of right-hand sides, each worked on from the first to the
 * last unknown by one thread. Blocks of unknowns are as wide as the panels of the factors (panels.h): a block is solved
 * by the inner loops of linalg_tile.h, then all unknowns behind it lose what it contributes by a product. A strip of
 * real numbers is a copy that stays in the second cache; complex ones stay in the result. */
#include "host/routine/linalg.h"
#include "base/line.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/panels.h"
#include <string.h>

enum {
    STRIP = 128, /* right-hand sides that are worked on together, */
    LEAST_STRIP = 64,
    STRIPS = 8,            /* so that there are some to share; */
    STRIP_BYTES = 1 << 20, /* of the copy of a strip */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

const knr_linalg_loops *knr_linalg_loops_of(kn_dtype d)
{
    int wide = knx_component(d)->size == 8;
    return &KNR_BY_ISA(knr_linalg)[wide];
}

/* --- one matrix ------------------------------------------------------------------------------- */

/* An m x m triangle, or the triangle of what lies in memory transposed. Unknowns are numbered from the end if it is an
 * upper one. */
typedef struct triangle {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    int64_t m, width;
    const char *at;
    int64_t row, column;
    bool upper;
    knr_diagonal how;
    knr_planes block; /* copies of the blocks on the diagonal, one behind the other */
} triangle;

static triangle triangle_of(kn_dtype d, int64_t m, const void *at, int64_t row, int64_t column, bool upper, bool unit)
{
    return (triangle){.dtype = d,
                      .f = knr_linalg_loops_of(d),
                      .m = m,
                      .width = most(least(knr_panel_width(d, m), m), 1),
                      .at = at,
                      .row = row,
                      .column = column,
                      .upper = upper,
                      .how = unit ? KNR_DIAGONAL_ONE : KNR_DIAGONAL_FULL};
}

static void take_blocks(triangle *t, knr_arena *a)
{
    t->block = knr_planes_take(a, t->dtype, (t->m + t->width - 1) / t->width * t->width, t->width);
}

static knr_planes rows_of(const triangle *t, const knr_planes *x, int64_t row)
{
    int64_t at = row * x->ld * t->f->size;
    return (knr_planes){(char *)x->re + at, x->im ? (char *)x->im + at : NULL, x->ld};
}

/* The block of the unknowns from `part` times the width on. */
static void copy_block(void *env, int64_t part, int worker)
{
    const triangle *t = env;
    int64_t i = part * t->width, w = least(t->width, t->m - i), first = t->upper ? t->m - 1 - i : i;
    int64_t sign = t->upper ? -1 : 1;
    knr_planes to = rows_of(t, &t->block, i);
    (void)worker;
    t->f->take(&to, (int)w, w,
               &(knr_place_in){knr_place_of(t->dtype, t->at, first * (t->row + t->column)), sign * t->row,
                               sign * t->column, false},
               NULL);
}

static void copy_blocks(triangle *t, int threads)
{
    enum { WORTH = 1 << 16 /* numbers */ };
    knx_parallel(t->m * t->width < WORTH ? 1 : threads, (t->m + t->width - 1) / t->width, copy_block, t);
}

/* --- a strip ---------------------------------------------------------------------------------- */

/* Unknowns: real ones in the plane x; complex ones at `place`, in rows of m, with x for a block of them. */
typedef struct strip {
    knr_planes x;
    knr_place_out place;
    int64_t n;
    knr_products products;
} strip;

/* What unknowns behind those from .. from + w lose to them. */
static void lose(const triangle *t, const strip *s, int64_t from, int64_t w)
{
    kn_dtype d = t->dtype;
    int64_t left = t->m - from - w, known = t->upper ? left : from, rest = t->upper ? 0 : from + w;
    knr_operand a = {knr_place_of(d, t->at, rest * t->row + known * t->column), t->row, t->column};
    knr_place_out x = s->place;
    if (!knx_is_complex(d))
        x = (knr_place_out){s->x.re, s->x.ld, 1, false};
    knr_matrix_lose(&s->products, (knr_extents){left, s->n, w}, a,
                    (knr_operand){knr_place_of(d, x.at, known * x.row), x.row, x.column},
                    (knr_result){knr_place_to(d, x.at, rest * x.row), x.row, x.column});
}

/* Unknowns from .. from + w of the block from `first` on; those before them are zero. */
static void solve_block(const triangle *t, const strip *s, int64_t first, int64_t from, int64_t w)
{
    kn_dtype d = t->dtype;
    bool complex = knx_is_complex(d);
    int64_t size = t->f->size, at = t->upper ? t->m - 1 - from : from, sign = t->upper ? -1 : 1;
    knr_planes block = rows_of(t, &t->block, from), x = s->x;
    block.re = (char *)block.re + (from - first) * size;
    block.im = block.im ? (char *)block.im + (from - first) * size : NULL;
    knr_place_out place = {knr_place_to(d, s->place.at, at * s->place.row), sign * s->place.row, s->place.column,
                           false};
    if (complex) {
        t->f->take(&x, (int)w, s->n, &(knr_place_in){place.at, place.row, place.column, false}, NULL);
    } else {
        x = rows_of(t, &x, at);
        x.ld *= sign;
    }
    t->f->solve(&block, &x, (int)w, s->n, t->how);
    if (complex)
        t->f->put(&x, (int)w, s->n, &place);
}

/* All unknowns; those before `from` are zero. */
static void solve_strip(const triangle *t, const strip *s, int64_t from)
{
    for (int64_t first = from / t->width * t->width; first < t->m; first += t->width, from = first) {
        int64_t w = least(t->width, t->m - first) - (from - first);
        if (!s->products.most)
            solve_block(t, s, first, from, w);
        lose(t, s, from, w);
    }
}

/* --- strips ----------------------------------------------------------------------------------- */

/* Where a thread works: a strip's numbers, and what products need. One strip alone has all threads for its products. */
typedef struct room {
    int threads;
    int64_t columns; /* of a strip */
    knr_planes x;    /* the first thread's */
    size_t x_bytes, product_bytes;
    char *product;
} room;

/* Strips of the n right-hand sides that t's unknowns have. */
static room take_strips(const triangle *t, knr_arena *a, int64_t n, int threads)
{
    int64_t fit = STRIP_BYTES / (most(t->m, 1) * (int64_t)t->dtype->size), share = most(n / STRIPS, LEAST_STRIP);
    room r = {.threads = threads > 1 ? threads : 1};
    r.columns = most(least(least(fit, share), STRIP) / KNR_BLOCK, 1) * KNR_BLOCK;
    size_t before = a->used;
    r.x = knr_planes_take(a, t->dtype, knx_is_complex(t->dtype) ? t->width : t->m, least(n, r.columns));
    r.x_bytes = a->used - before;
    knr_take(a, r.x_bytes, n > r.columns ? (size_t)r.threads - 1 : 0);
    return r;
}

static void take_products(room *r, knr_arena *a, int64_t n, size_t bytes)
{
    r->product_bytes = knx_whole_lines(bytes);
    r->product = knr_take(a, r->product_bytes, n > r->columns ? (size_t)r->threads : 1);
}

/* Number `part` of them. `most`: as knr_products has it. */
static strip strip_of(const triangle *t, const room *r, knr_place_out place, int64_t n, int64_t part, int worker,
                      size_t *most_bytes)
{
    int64_t j = part * r->columns;
    size_t at = (size_t)worker * r->x_bytes;
    strip s = {.x = r->x, .place = place, .n = least(r->columns, n - j)};
    s.x.re = (char *)s.x.re + (r->x.re ? at : 0);
    s.x.im = r->x.im ? (char *)s.x.im + at : NULL;
    s.place.at = knr_place_to(t->dtype, place.at, j * place.column);
    s.products = (knr_products){t->dtype, n > r->columns ? 1 : r->threads,
                                r->product ? r->product + (size_t)worker * r->product_bytes : NULL, most_bytes};
    return s;
}

/* --- systems ---------------------------------------------------------------------------------- */

/* x op(a) = b is op(a)^T x^T = b^T */
static bool is_turned(const knr_triangular *s) { return s->transpose_a == s->left_side; }

knr_solve_view knr_triangular_view(const knr_triangular *s)
{
    bool turned = is_turned(s), lower = s->lower != turned;
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

typedef struct system {
    triangle t;
    room r;
    int64_t n;
    bool conjugated;
    knr_place_in from;
    knr_place_out to;
} system;

static size_t take_system(system *y, const knr_triangular *s, const void *a, const void *b, void *x, int threads,
                          void *workspace)
{
    knr_arena arena = {workspace, 0};
    size_t bytes = 0;
    bool turned = is_turned(s);
    int64_t row = s->left_side ? s->n : 1, column = s->left_side ? 1 : s->m;
    *y = (system){.n = s->n, .conjugated = s->conjugate_a && knx_is_complex(s->dtype)};
    y->t = triangle_of(s->dtype, s->m, a, turned ? 1 : s->m, turned ? s->m : 1, s->lower == turned, s->unit_diagonal);
    y->from = (knr_place_in){b, row, column, y->conjugated};
    y->to = (knr_place_out){x, row, column, y->conjugated};
    take_blocks(&y->t, &arena);
    y->r = take_strips(&y->t, &arena, s->n, threads);
    for (int64_t part = 0, last = (s->n - 1) / y->r.columns; s->n && part <= last; part += most(last - part, 1)) {
        strip one = strip_of(&y->t, &y->r, (knr_place_out){NULL, row, column, false}, s->n, part, 0, &bytes);
        solve_strip(&y->t, &one, 0);
    }
    take_products(&y->r, &arena, s->n, bytes);
    return arena.used;
}

size_t knr_triangular_workspace(const knr_triangular *s, int threads)
{
    system y;
    return take_system(&y, s, NULL, NULL, NULL, threads, NULL);
}

/* The strip's rows come from where they are, or go there; complex ones by way of a block, from the one place to the
 * other. */
static void move_strip(const system *y, const strip *s, knr_place_in from, knr_place_out to)
{
    const triangle *t = &y->t;
    for (int64_t i = 0, w; i < t->m; i += w) {
        w = least(t->width, t->m - i);
        t->f->take(
            &s->x, (int)w, s->n,
            &(knr_place_in){knr_place_of(t->dtype, from.at, i * from.row), from.row, from.column, from.conjugate},
            NULL);
        t->f->put(&s->x, (int)w, s->n,
                  &(knr_place_out){knr_place_to(t->dtype, to.at, i * to.row), to.row, to.column, false});
    }
}

static void run_strip(void *env, int64_t part, int worker)
{
    const system *y = env;
    const triangle *t = &y->t;
    strip s = strip_of(t, &y->r, y->to, y->n, part, worker, NULL);
    knr_place_in from = y->from, result = {s.place.at, s.place.row, s.place.column, true};
    from.at = knr_place_of(t->dtype, from.at, part * y->r.columns * from.column);
    if (!knx_is_complex(t->dtype)) {
        t->f->take(&s.x, (int)t->m, s.n, &from, NULL);
        solve_strip(t, &s, 0);
        t->f->put(&s.x, (int)t->m, s.n, &s.place);
        return;
    }
    move_strip(y, &s, from, s.place);
    solve_strip(t, &s, 0);
    if (y->conjugated)
        move_strip(y, &s, result, s.place);
}

void knr_triangular_run(const knr_triangular *s, const void *a, const void *b, void *x, void *workspace, int threads)
{
    system y;
    if (!s->n || !s->m)
        return;
    take_system(&y, s, a, b, x, threads, workspace);
    copy_blocks(&y.t, threads);
    knx_parallel(threads, (s->n + y.r.columns - 1) / y.r.columns, run_strip, &y);
}

/* --- inverses --------------------------------------------------------------------------------- */

/* The inverse of a matrix from its factors: l x = 1, u y = x, a strip after the other; a strip's unknowns before its
 * first column are zero in x. Columns of y in the order of the permutation are the inverse. */
typedef struct inverse {
    triangle l, u;
    room r;
    int64_t n;
    const int32_t *permutation;
    char *y, *row; /* a row for each thread */
    size_t row_bytes;
} inverse;

static size_t take_inverse(inverse *x, kn_dtype d, int64_t n, const void *lu, const int32_t *permutation, void *y,
                           int threads, void *workspace)
{
    knr_arena arena = {workspace, 0};
    size_t bytes = 0;
    *x = (inverse){.n = n, .y = y, .permutation = permutation};
    x->l = triangle_of(d, n, lu, n, 1, false, true);
    x->u = triangle_of(d, n, lu, n, 1, true, false);
    take_blocks(&x->l, &arena);
    take_blocks(&x->u, &arena);
    x->r = take_strips(&x->l, &arena, n, threads);
    for (int64_t part = 0; part * x->r.columns < n; part++) {
        strip s = strip_of(&x->l, &x->r, (knr_place_out){NULL, n, 1, false}, n, part, 0, &bytes);
        solve_strip(&x->l, &s, part * x->r.columns);
        if (!part || (part + 1) * x->r.columns >= n)
            solve_strip(&x->u, &s, 0);
    }
    take_products(&x->r, &arena, n, bytes);
    x->row_bytes = knx_whole_lines((size_t)n * d->size);
    x->row = knr_take(&arena, x->row_bytes, (size_t)x->r.threads);
    return arena.used;
}

size_t knr_inverse_workspace(kn_dtype d, int64_t n, int threads)
{
    inverse x;
    return take_inverse(&x, d, n, NULL, NULL, NULL, threads, NULL);
}

/* Columns of the identity, at the place of the strip. */
static void set_identity(const inverse *x, const strip *s, int64_t first)
{
    kn_dtype d = x->l.dtype;
    bool complex = knx_is_complex(d);
    int64_t size = complex ? (int64_t)d->size : x->l.f->size, ld = complex ? s->place.row : s->x.ld;
    char *at = complex ? s->place.at : s->x.re;
    int64_t bytes = (complex ? s->n : s->n + KNR_ROW_PAD) * size;
    for (int64_t i = 0; i < x->n; i++, at += ld * size) {
        memset(at, 0, (size_t)bytes);
        if (i < first || i >= first + s->n)
            continue;
        if (x->l.f->size == 8)
            *(double *)(void *)(at + (i - first) * size) = 1;
        else
            *(float *)(void *)(at + (i - first) * size) = 1;
    }
}

static void invert_strip(void *env, int64_t part, int worker)
{
    const inverse *x = env;
    kn_dtype d = x->l.dtype;
    strip s = strip_of(&x->l, &x->r, (knr_place_out){x->y, x->n, 1, false}, x->n, part, worker, NULL);
    set_identity(x, &s, part * x->r.columns);
    solve_strip(&x->l, &s, part * x->r.columns);
    solve_strip(&x->u, &s, 0);
    if (!knx_is_complex(d))
        x->l.f->put(&s.x, (int)x->n, s.n, &s.place);
}

enum { ROWS = 32 /* that are put in order together */ };

static void order_rows(void *env, int64_t part, int worker)
{
    const inverse *x = env;
    size_t size = x->l.dtype->size;
    char *row = x->row + (size_t)worker * x->row_bytes;
    for (int64_t i = part * ROWS; i < least(x->n, (part + 1) * ROWS); i++) {
        char *y = x->y + (size_t)(i * x->n) * size;
        memcpy(row, y, (size_t)x->n * size);
#define SCATTER(T)                     \
    for (int64_t j = 0; j < x->n; j++) \
        ((T *)(void *)y)[x->permutation[j]] = ((const T *)(const void *)row)[j];
        switch (size) {
        case 4: SCATTER(float) break;
        case 8: SCATTER(uint64_t) break;
        default: SCATTER(kn_c128)
        }
#undef SCATTER
    }
}

void knr_inverse(kn_dtype d, int64_t n, const void *lu, const int32_t *permutation, void *y, void *workspace,
                 int threads)
{
    enum { WORTH = 1 << 12 /* rows and columns */ };
    inverse x;
    int useful = n * n < WORTH ? 1 : threads;
    if (!n)
        return;
    take_inverse(&x, d, n, lu, permutation, y, threads, workspace);
    copy_blocks(&x.l, useful);
    copy_blocks(&x.u, useful);
    knx_parallel(useful, (n + x.r.columns - 1) / x.r.columns, invert_strip, &x);
    knx_parallel(useful, (n + ROWS - 1) / ROWS, order_rows, &x);
}
