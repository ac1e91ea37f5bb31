/* SPDX-License-Identifier: Apache-2.0
 * linalg.c -- matrix factorisations, blocked: what earlier blocks contribute to a block comes from the matrix product,
 * what happens inside of a block from the inner loops of linalg_tile.h. All work on copies of up to 32 rows or columns.
 *
 * LU goes by Crout's scheme (a column of blocks, then the row of blocks beside its top), Cholesky by columns of blocks,
 * triangular systems by rows of blocks. */
#include "host/routine/linalg.h"
#include "base/line.h"
#include "host/routine/isa.h"
#include "host/routine/linalg_tile.h"
#include "host/routine/product.h"
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

const knr_linalg_loops *knr_linalg_loops_of(kn_dtype d)
{
    int wide = knx_component(d)->size == 8;
#if defined(KN_HAVE_ISA_VARIANTS)
    switch (knr_isa()) {
    case KNR_ISA_AVX512: return &knr_linalg_avx512[wide];
    case KNR_ISA_AVX2: return &knr_linalg_avx2[wide];
    case KNR_ISA_BASE: break;
    }
#endif
    return &knr_linalg_base[wide];
}

/* --- the workspace ---------------------------------------------------------------------------- */

/* Room for: a product of a block with `length` numbers, a copy of as many, one triangle, one conjugated block, and what
 * products need. */
typedef struct room {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    size_t sum_bytes, block_bytes, triangle_bytes, conjugate_bytes;
    char *sum, *conjugate, *rest;
    knr_planes block, triangle;
} room;

/* Rows lie an odd number of cache lines apart, so that they do not compete for the same sets. */
static int64_t row_length(int64_t length, int size)
{
    int64_t line = 64 / size, lines = (length + KNR_ROW_PAD + line - 1) / line;
    return (lines | 1) * line;
}

static void plan_room(room *w, kn_dtype d, int64_t length)
{
    *w = (room){.dtype = d, .f = knr_linalg_loops_of(d)};
    int size = w->f->size, parts = knx_is_complex(d) ? 2 : 1;
    w->block.ld = row_length(length, size);
    w->triangle.ld = row_length(KNR_BLOCK, size);
    w->sum_bytes = knx_whole_lines((size_t)length * KNR_BLOCK * d->size);
    w->block_bytes = knx_whole_lines((size_t)w->block.ld * KNR_BLOCK * (size_t)size);
    w->triangle_bytes = knx_whole_lines((size_t)w->triangle.ld * KNR_BLOCK * (size_t)size);
    w->conjugate_bytes = parts == 2 ? w->sum_bytes : 0;
}

static size_t room_bytes(const room *w)
{
    size_t parts = knx_is_complex(w->dtype) ? 2 : 1;
    return w->sum_bytes + w->conjugate_bytes + parts * (w->block_bytes + w->triangle_bytes);
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
    w->sum = at;
    w->conjugate = w->sum + w->sum_bytes;
    w->rest = w->conjugate + w->conjugate_bytes;
}

/* --- products --------------------------------------------------------------------------------- */

typedef struct operand {
    const void *at;
    int64_t row, column; /* strides in elements */
} operand;

/* c = a b with m x k and k x n matrices; c is contiguous. */
static knk_product product_of(kn_dtype d, int64_t m, int64_t n, int64_t k, operand a, operand b)
{
    knk_product p;
    p.operand = p.result = d;
    p.a_offset = p.b_offset = p.c_offset = 0;
    p.n_window = 0;
    p.batch.n = 0;
    p.m.n = p.n.n = p.k.n = 1;
    p.m.extent[0] = m, p.m.a[0] = a.row, p.m.b[0] = 0, p.m.c[0] = n;
    p.k.extent[0] = k, p.k.a[0] = a.column, p.k.b[0] = b.row, p.k.c[0] = 0;
    p.n.extent[0] = n, p.n.a[0] = 0, p.n.b[0] = b.column, p.n.c[0] = 1;
    return p;
}

enum { PLAN_BYTES = 1 << 12 }; /* of a matrix */

/* Products are planned and run by the same functions: without a room they only say what workspace is needed. */
static void multiply(const room *w, kn_dtype d, int64_t m, int64_t n, int64_t k, operand a, operand b, size_t *most)
{
    knk_product p = product_of(d, m, n, k, a, b);
    _Alignas(64) char plan_room[PLAN_BYTES];
    const knr_plan *plan = knr_product_make(plan_room, &p, false, false, false);
    if (w) {
        knr_product_run(plan, &(knr_run){.a = a.at, .b = b.at, .c = w->sum, .workspace = w->rest, .threads = 1});
        return;
    }
    size_t bytes = knr_product_workspace(plan, 1);
    *most = bytes > *most ? bytes : *most;
}

static const void *at(kn_dtype d, const void *base, int64_t index)
{
    return base ? (const char *)base + index * d->size : NULL;
}
static void *to(kn_dtype d, void *base, int64_t index) { return (char *)base + index * d->size; }

/* --- Cholesky --------------------------------------------------------------------------------- */

/* The sums over the columns before j of rows j .. n with rows j .. j + w. A real one is rows x w; a complex one is
 * turned: there the conjugated factor is the left one, as inside of the block. */
static void cholesky_sums(const room *r, kn_dtype d, int64_t n, int64_t j, int64_t w, const void *l, size_t *most)
{
    operand rows = {at(d, l, j * n), n, 1}, turned = {rows.at, 1, n};
    if (!knx_is_complex(d)) {
        multiply(r, d, n - j, w, j, rows, turned, most);
        return;
    }
    operand conjugate = {r ? r->conjugate : NULL, j, 1};
    if (r)
        for (int64_t k = 0; k < j; k += KNR_BLOCK) { /* through the planes, a block at a time */
            r->f->take(&r->block, (int)w, KNR_BLOCK, &(knr_place_in){at(d, rows.at, k), n, 1, true}, NULL);
            r->f->put(&r->block, (int)w, KNR_BLOCK, &(knr_place_out){to(d, r->conjugate, k), j, 1, false});
        }
    multiply(r, d, w, n - j, j, conjugate, turned, most);
}

size_t knr_cholesky_workspace(kn_dtype d, int64_t n)
{
    room w;
    size_t most = 0;
    plan_room(&w, d, n);
    for (int64_t j = KNR_BLOCK; j < n; j += KNR_BLOCK)
        cholesky_sums(NULL, d, n, j, least(KNR_BLOCK, n - j), NULL, &most);
    return room_bytes(&w) + most;
}

/* Columns j .. j + w of the factor. */
static bool cholesky_block(const room *r, int64_t n, int64_t j, int w, const void *a, char *l)
{
    kn_dtype d = r->dtype;
    bool complex = knx_is_complex(d);
    knr_place_in diagonal = {at(d, a, j * n + j), 1, n, false}, below = {at(d, a, (j + w) * n + j), 1, n, false};
    /* strides of the sums, seen as columns by rows */
    int64_t by_column = complex ? n - j : 1, by_row = complex ? 1 : w;
    knr_place_in sums = {r->sum, by_column, by_row, false}, lower = sums;
    lower.at = at(d, r->sum, w * by_row);
    if (j)
        cholesky_sums(r, d, n, j, w, l, NULL);
    r->f->take(&r->triangle, w, w, &diagonal, j ? &sums : NULL);
    if (!r->f->cholesky(&r->triangle, w))
        return false;
    r->f->put(&r->triangle, w, w, &(knr_place_out){to(d, l, j * n + j), 1, n, false});
    r->f->take(&r->triangle, w, w, &(knr_place_in){to(d, l, j * n + j), n, 1, true}, NULL);
    r->f->take(&r->block, w, n - j - w, &below, j ? &lower : NULL);
    r->f->solve(&r->triangle, &r->block, w, n - j - w, KNR_DIAGONAL_REAL);
    r->f->put(&r->block, w, n - j - w, &(knr_place_out){to(d, l, (j + w) * n + j), 1, n, false});
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

bool knr_cholesky(kn_dtype d, int64_t n, const void *a, void *l, void *workspace)
{
    room r;
    plan_room(&r, d, n);
    take_room(&r, workspace);
    for (int64_t j = 0; j < n; j += KNR_BLOCK)
        if (!cholesky_block(&r, n, j, (int)least(KNR_BLOCK, n - j), a, l)) {
            lower_nan(d, n, l);
            return false;
        }
    return true;
}

/* --- LU --------------------------------------------------------------------------------------- */

/* The sums over the columns before j: of the column of blocks (rows j .. m), and of the row of blocks beside it. */
static void column_sums(const room *r, kn_dtype d, int64_t m, int64_t n, int64_t j, int64_t w, const void *lu,
                        size_t *most)
{
    multiply(r, d, m - j, w, j, (operand){at(d, lu, j * n), n, 1}, (operand){at(d, lu, j), n, 1}, most);
}

static void row_sums(const room *r, kn_dtype d, int64_t n, int64_t j, int64_t w, const void *lu, size_t *most)
{
    multiply(r, d, w, n - j - w, j, (operand){at(d, lu, j * n), n, 1}, (operand){at(d, lu, j + w), n, 1}, most);
}

size_t knr_lu_workspace(kn_dtype d, int64_t m, int64_t n)
{
    room r;
    size_t most = 0;
    plan_room(&r, d, m > n ? m : n);
    for (int64_t j = KNR_BLOCK; j < least(m, n); j += KNR_BLOCK) {
        int64_t w = least(KNR_BLOCK, least(m, n) - j);
        column_sums(NULL, d, m, n, j, w, NULL, &most);
        row_sums(NULL, d, n, j, w, NULL, &most);
    }
    return room_bytes(&r) + most;
}

static void swap_bytes(char *a, char *b, size_t n)
{
    char t[1024];
    for (size_t step; n; n -= step, a += step, b += step) {
        step = n < sizeof t ? n : sizeof t;
        memcpy(t, a, step);
        memcpy(a, b, step);
        memcpy(b, t, step);
    }
}

/* Columns j .. j + w, with their pivots; the other columns' rows follow. */
static bool lu_column(const room *r, int64_t m, int64_t n, int64_t j, int w, void *lu, int32_t *pivots)
{
    kn_dtype d = r->dtype;
    int64_t pivot[KNR_BLOCK];
    if (j)
        column_sums(r, d, m, n, j, w, lu, NULL);
    r->f->take(&r->block, w, m - j, &(knr_place_in){to(d, lu, j * n + j), 1, n, false},
               j ? &(knr_place_in){r->sum, 1, w, false} : NULL);
    bool regular = r->f->lu(&r->block, w, m - j, pivot);
    r->f->put(&r->block, w, m - j, &(knr_place_out){to(d, lu, j * n + j), 1, n, false});
    for (int k = 0; k < w; k++) {
        pivots[j + k] = (int32_t)(j + pivot[k]);
        if (pivot[k] == k)
            continue;
        char *a = to(d, lu, (j + k) * n), *b = to(d, lu, (j + pivot[k]) * n);
        swap_bytes(a, b, (size_t)j * d->size);
        swap_bytes(to(d, a, j + w), to(d, b, j + w), (size_t)(n - j - w) * d->size);
    }
    return regular;
}

/* Rows j .. j + w of U beside it. */
static void lu_row(const room *r, int64_t n, int64_t j, int w, void *lu)
{
    kn_dtype d = r->dtype;
    if (j + w == n)
        return;
    void *place = to(d, lu, j * n + j + w);
    if (j)
        row_sums(r, d, n, j, w, lu, NULL);
    r->f->take(&r->triangle, w, w, &(knr_place_in){to(d, lu, j * n + j), n, 1, false}, NULL);
    r->f->take(&r->block, w, n - j - w, &(knr_place_in){place, n, 1, false},
               j ? &(knr_place_in){r->sum, n - j - w, 1, false} : NULL);
    r->f->solve(&r->triangle, &r->block, w, n - j - w, KNR_DIAGONAL_ONE);
    r->f->put(&r->block, w, n - j - w, &(knr_place_out){place, n, 1, false});
}

bool knr_lu(kn_dtype d, int64_t m, int64_t n, const void *a, void *lu, int32_t *pivots, int32_t *permutation,
            void *workspace)
{
    room r;
    bool regular = true;
    plan_room(&r, d, m > n ? m : n);
    take_room(&r, workspace);
    memcpy(lu, a, (size_t)(m * n) * d->size);
    for (int64_t i = 0; i < m; i++)
        permutation[i] = (int32_t)i;
    for (int64_t j = 0; j < least(m, n); j += KNR_BLOCK) {
        int w = (int)least(KNR_BLOCK, least(m, n) - j);
        regular &= lu_column(&r, m, n, j, w, lu, pivots);
        lu_row(&r, n, j, w, lu);
        for (int64_t k = j; k < j + w; k++) {
            int32_t swapped = permutation[k];
            permutation[k] = permutation[pivots[k]];
            permutation[pivots[k]] = swapped;
        }
    }
    return regular;
}

/* --- triangular systems ----------------------------------------------------------------------- */

typedef knr_solve_view view;

static view view_of(const knr_triangular *s)
{
    bool turned = s->transpose_a == s->left_side; /* x op(a) = b is op(a)^T x^T = b^T */
    bool lower = s->lower != turned;
    int64_t m = s->m, n = s->n;
    view v = {.t_row = turned ? 1 : m, .t_column = turned ? m : 1};
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

/* The sums over the unknowns before i of rows i .. i + w. */
static void solve_sums(const room *r, const knr_triangular *s, const view *v, int64_t i, int64_t w, const void *a,
                       const void *x, size_t *most)
{
    operand t = {at(s->dtype, a, v->t_first + i * v->t_row), v->t_row, v->t_column},
            known = {at(s->dtype, x, v->x_first), v->x_row, v->x_column};
    multiply(r, s->dtype, w, s->n, i, t, known, most);
}

size_t knr_triangular_workspace(const knr_triangular *s)
{
    room r;
    size_t most = 0;
    view v = view_of(s);
    plan_room(&r, s->dtype, s->n);
    for (int64_t i = KNR_BLOCK; i < s->m; i += KNR_BLOCK)
        solve_sums(NULL, s, &v, i, least(KNR_BLOCK, s->m - i), NULL, NULL, &most);
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

void knr_triangular_run(const knr_triangular *s, const void *a, const void *b, void *x, void *workspace)
{
    room r;
    kn_dtype d = s->dtype;
    view v = view_of(s);
    bool conjugated = s->conjugate_a && knx_is_complex(d);
    if (!s->n || !s->m)
        return;
    plan_room(&r, d, s->n);
    take_room(&r, workspace);
    for (int64_t i = 0; i < s->m; i += KNR_BLOCK) {
        int w = (int)least(KNR_BLOCK, s->m - i);
        knr_place_in t = {at(d, a, v.t_first + i * (v.t_row + v.t_column)), v.t_row, v.t_column, false};
        int64_t place = v.x_first + i * v.x_row;
        if (i)
            solve_sums(&r, s, &v, i, w, a, x, NULL);
        r.f->take(&r.triangle, w, w, &t, NULL);
        r.f->take(&r.block, w, s->n, &(knr_place_in){at(d, b, place), v.x_row, v.x_column, conjugated},
                  i ? &(knr_place_in){r.sum, s->n, 1, false} : NULL);
        r.f->solve(&r.triangle, &r.block, w, s->n, s->unit_diagonal ? KNR_DIAGONAL_ONE : KNR_DIAGONAL_FULL);
        r.f->put(&r.block, w, s->n, &(knr_place_out){to(d, x, place), v.x_row, v.x_column, false});
    }
    if (conjugated)
        conjugate(s, x);
}

/* --- small matrices of a stack ---------------------------------------------------------------- */

enum { SMALL = 16 /* rows */, SMALL_NUMBERS = 1024 /* of right-hand sides */ };

bool knr_is_small(kn_dtype d, int64_t n, int64_t columns)
{
    return !knx_is_complex(d) && n > 0 && n <= SMALL && columns > 0 && n * columns <= SMALL_NUMBERS;
}

size_t knr_small_workspace(kn_dtype d, int64_t n, int64_t columns)
{
    return (size_t)(n * n + n * columns) * KNR_MOST_LANES * d->size + SMALL * KNR_MOST_LANES * sizeof(int32_t);
}

static bool any(const bool *failed, int count)
{
    for (int l = 0; l < count; l++)
        if (failed[l])
            return true;
    return false;
}

bool knr_small_cholesky(kn_dtype d, int64_t n, int64_t count, const void *a, void *l, void *workspace)
{
    const knr_linalg_loops *f = knr_linalg_loops_of(d);
    bool well = true, failed[KNR_MOST_LANES];
    for (int64_t i = 0; i < count; i += f->lanes) {
        int now = (int)least(f->lanes, count - i);
        f->side_by_side(workspace, at(d, a, i * n * n), n * n, now);
        f->lanes_cholesky(workspace, (int)n, failed);
        f->one_by_one(to(d, l, i * n * n), workspace, n * n, now);
        well = well && !any(failed, now);
    }
    return well;
}

bool knr_small_lu(kn_dtype d, int64_t n, int64_t count, const void *a, void *lu, int32_t *pivots, int32_t *permutation,
                  void *workspace)
{
    const knr_linalg_loops *f = knr_linalg_loops_of(d);
    int32_t *all = (int32_t *)((char *)workspace + knr_small_workspace(d, n, 0)) - SMALL * KNR_MOST_LANES;
    bool well = true, failed[KNR_MOST_LANES];
    for (int64_t i = 0; i < count; i += f->lanes) {
        int now = (int)least(f->lanes, count - i);
        f->side_by_side(workspace, at(d, a, i * n * n), n * n, now);
        f->lanes_lu(workspace, (int)n, all, failed);
        f->one_by_one(to(d, lu, i * n * n), workspace, n * n, now);
        for (int l = 0; l < now; l++) {
            int32_t *p = pivots + (i + l) * n, *order = permutation + (i + l) * n;
            for (int32_t k = 0; k < n; k++)
                order[k] = k;
            for (int64_t k = 0; k < n; k++) {
                int32_t row = p[k] = all[k * f->lanes + l], swapped = order[k];
                order[k] = order[row];
                order[row] = swapped;
            }
        }
        well = well && !any(failed, now);
    }
    return well;
}

void knr_small_triangular(const knr_triangular *s, int64_t count, const void *a, const void *b, void *x,
                          void *workspace)
{
    const knr_linalg_loops *f = knr_linalg_loops_of(s->dtype);
    const view v = view_of(s);
    int64_t square = s->m * s->m, all = s->m * s->n;
    void *unknowns = to(s->dtype, workspace, square * f->lanes);
    for (int64_t i = 0; i < count; i += f->lanes) {
        int now = (int)least(f->lanes, count - i);
        f->side_by_side(workspace, at(s->dtype, a, i * square), square, now);
        f->side_by_side(unknowns, at(s->dtype, b, i * all), all, now);
        f->lanes_solve(workspace, unknowns, (int)s->m, (int)s->n, &v, s->unit_diagonal);
        f->one_by_one(to(s->dtype, x, i * all), unknowns, all, now);
    }
}
