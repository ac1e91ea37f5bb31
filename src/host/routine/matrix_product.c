/* SPDX-License-Identifier: Apache-2.0
 * matrix_product.c -- products of matrices inside of factorisations, described for product.h, planned and run at
 * once; of those of dense.h each plane is one. */
#include "host/routine/matrix_product.h"
#include "base/fma.h"
#include "host/routine/condensed.h"
#include "host/routine/product.h"
#include <math.h>
#include <string.h>

enum { PLAN_BYTES = 1 << 12 /* of two matrices */, SMALL = 128, STEPS = 256 /* of a block of a product */ };

static knk_product describe(kn_dtype d, knr_extents e, knr_operand a, knr_operand b, int64_t row, int64_t column)
{
    knk_product p;
    p.operand = p.result = d;
    p.a_offset = p.b_offset = p.c_offset = 0;
    p.n_window = 0;
    p.batch.n = 0;
    p.m.n = p.n.n = p.k.n = 1;
    p.m.extent[0] = e.m, p.m.a[0] = a.row, p.m.b[0] = 0, p.m.c[0] = row;
    p.k.extent[0] = e.k, p.k.a[0] = a.column, p.k.b[0] = b.row, p.k.c[0] = 0;
    p.n.extent[0] = e.n, p.n.a[0] = 0, p.n.b[0] = b.column, p.n.c[0] = column;
    return p;
}

/* --- adding ----------------------------------------------------------------------------------- */

typedef struct target {
    const knr_linalg_loops *f;
    kn_dtype dtype;
    knr_result c;
} target;

/* Finished elements of a product: they are adjacent along one direction. */
static void lose(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns, void *from,
                 int64_t from_row, int64_t from_column, int worker)
{
    const target *x = env;
    const knr_result *c = &x->c;
    char *to = (char *)c->at + (row * c->row + column * c->column) * x->dtype->size;
    int parts = knx_is_complex(x->dtype) ? 2 : 1;
    (void)batch, (void)worker;
    if (from_column == 1)
        x->f->subtract(to, c->row, c->column, rows, columns, from, from_row, parts);
    else
        x->f->subtract(to, c->column, c->row, columns, rows, from, from_column, parts);
}

static void add_strided(bool wide, void *to, const void *from, int64_t step, int64_t n)
{
    double *y = to;
    float *z = to;
    for (int64_t j = 0; wide && j < n; j++)
        y[j] += ((const double *)from)[j * step];
    for (int64_t j = 0; !wide && j < n; j++)
        z[j] += ((const float *)from)[j * step];
}

/* The same of real numbers in rows, which are added. */
static void gain(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns, void *from,
                 int64_t from_row, int64_t from_column, int worker)
{
    const target *t = env;
    int64_t size = t->f->size;
    void (*add)(void *, const void *, int64_t) = knr_condensed()->add[size == 8];
    (void)batch, (void)worker;
    for (int64_t i = 0; i < rows; i++) {
        char *to = (char *)t->c.at + ((row + i) * t->c.row + column) * size;
        const char *x = (const char *)from + i * from_row * size;
        if (from_column == 1)
            add(to, x, columns);
        else
            add_strided(size == 8, to, x, from_column, columns);
    }
}

/* --- any strides ------------------------------------------------------------------------------ */

static void run_plan(const knr_products *w, const knr_plan *plan, knr_run *run)
{
    if (w->most) {
        size_t bytes = knr_product_workspace(plan, w->threads);
        *w->most = bytes > *w->most ? bytes : *w->most;
        return;
    }
    run->workspace = w->workspace;
    run->threads = w->threads;
    knr_product_run(plan, run);
}

static void plan_and_run(const knr_products *w, const knk_product *p, knr_run *run)
{
    _Alignas(64) char room[PLAN_BYTES];
    if (!p->m.extent[0] || !p->n.extent[0] || !p->k.extent[0])
        return;
    run_plan(w, knr_product_make(room, p, false, false, run->finish != NULL), run);
}

void knr_matrix_multiply(const knr_products *w, knr_extents e, knr_operand a, knr_operand b, knr_result c)
{
    knk_product p = describe(w->dtype, e, a, b, c.row, c.column);
    plan_and_run(w, &p, &(knr_run){.a = a.at, .b = b.at, .c = c.at});
}

/* The operand from its step `from` on; by: elements from step to step. */
static const void *step_at(const void *base, int64_t from, int64_t by, int64_t size)
{
    return base ? (const char *)base + from * by * size : NULL;
}

/* Where the inner loops cannot write the result it goes through a buffer, block by block. */
static void lose_by_blocks(const knr_products *w, knr_extents e, knr_operand a, knr_operand b, knr_result c)
{
    bool turned = c.row == 1 || c.row == -1;
    target x = {knr_linalg_loops_of(w->dtype), w->dtype, c};
    for (int64_t from = 0, size = (int64_t)w->dtype->size; from < e.k; from += STEPS) {
        knr_extents part = {e.m, e.n, e.k - from < STEPS ? e.k - from : STEPS};
        knk_product p = describe(w->dtype, part, a, b, turned ? 1 : e.n, turned ? e.m : 1);
        plan_and_run(w, &p,
                     &(knr_run){.a = step_at(a.at, from, a.column, size),
                                .b = step_at(b.at, from, b.row, size),
                                .finish = lose,
                                .env_finish = &x});
    }
}

void knr_matrix_lose(const knr_products *w, knr_extents e, knr_operand a, knr_operand b, knr_result c)
{
    _Alignas(64) char room[PLAN_BYTES];
    if (!e.m || !e.n || !e.k)
        return;
    knk_product p = describe(w->dtype, e, a, b, c.row, c.column);
    const knr_plan *plan = knr_product_make_into(room, &p, KNR_MINUS);
    if (plan)
        run_plan(w, plan, &(knr_run){.a = a.at, .b = b.at, .c = c.at});
    else
        lose_by_blocks(w, e, a, b, c);
}

/* --- one plane -------------------------------------------------------------------------------- */

/* Small ones are not planned ahead: what a plan asks for is less than twice the operands and the result, and a little
 * (and if it should not be, products are cut). */
knr_multiplier knr_multiplier_take(knr_arena *a, kn_dtype real, int64_t rows, int64_t columns, int64_t steps,
                                   int threads)
{
    knr_multiplier p = {real, threads > 1 ? threads : 1, NULL, 0};
    bool small = rows <= SMALL && columns <= SMALL && steps <= SMALL, none = !rows || !columns || !steps;
    if (small && !none)
        p.bytes = 2 * (size_t)(rows * columns + rows * steps + steps * columns) * real->size + (1 << 15);
    for (int way = 0; !none && !small && way < 8; way++) { /* turned or not; through a buffer or not */
        _Alignas(64) char room[PLAN_BYTES];
        knr_operand x = {NULL, way & 1 ? 1 : steps, way & 1 ? rows : 1};
        knr_operand y = {NULL, way & 2 ? 1 : columns, way & 2 ? steps : 1};
        knk_product q = describe(real, (knr_extents){rows, columns, steps}, x, y, columns, 1);
        size_t bytes = knr_product_workspace(knr_product_make(room, &q, false, false, way & 4), p.threads);
        p.bytes = bytes > p.bytes ? bytes : p.bytes;
    }
    p.room = knr_take(a, p.bytes, 1);
    return p;
}

static void clear(kn_dtype d, void *c, int64_t m, int64_t n, int64_t ld)
{
    for (int64_t i = 0; i < m; i++)
        memset((char *)c + i * ld * (int64_t)d->size, 0, (size_t)n * d->size);
}

/* One number, by the rule of products, where there is no room for a plan's copies. */
static void multiply_numbers(kn_dtype d, int64_t k, knr_operand a, knr_operand b, void *c, knr_into into)
{
    double total = 0;
    float narrow_total = 0;
    for (int64_t from = 0; from < k; from += STEPS) {
        double sum = 0;
        float narrow = 0;
        for (int64_t i = from; i < k && i < from + STEPS; i++) {
            if (d->size == 8)
                sum = knx_fma(((const double *)a.at)[i * a.column], ((const double *)b.at)[i * b.row], sum);
            else
                narrow = knx_fmaf(((const float *)a.at)[i * a.column], ((const float *)b.at)[i * b.row], narrow);
        }
        sum = into == KNR_MINUS ? -sum : sum;
        narrow = into == KNR_MINUS ? -narrow : narrow;
        bool first = from == 0 && into == KNR_SET;
        if (d->size == 8)
            total = first ? sum : (from ? total : *(double *)c) + sum;
        else
            narrow_total = first ? narrow : (from ? narrow_total : *(float *)c) + narrow;
    }
    if (d->size == 8)
        *(double *)c = total;
    else
        *(float *)c = narrow_total;
}

static void multiply(const knr_multiplier *p, int64_t m, int64_t n, int64_t k, knr_operand a, knr_operand b, void *c,
                     int64_t ld, knr_into into)
{
    _Alignas(64) char room[PLAN_BYTES];
    kn_dtype d = p->real;
    if (!m || !n || !k) {
        if (into == KNR_SET)
            clear(d, c, m, n, ld);
        return;
    }
    knk_product q = describe(d, (knr_extents){m, n, k}, a, b, ld, 1);
    const knr_plan *plan =
        into == KNR_SET ? knr_product_make(room, &q, false, false, false) : knr_product_make_into(room, &q, into);
    bool buffered = !plan; /* a column: block by block */
    for (int64_t from = 0; buffered && k > STEPS && from < k; from += STEPS) {
        knr_operand left = {step_at(a.at, from, a.column, d->size), a.row, a.column};
        knr_operand right = {step_at(b.at, from, b.row, d->size), b.row, b.column};
        multiply(p, m, n, k - from < STEPS ? k - from : STEPS, left, right, c, ld, into);
    }
    if (buffered && k > STEPS)
        return;
    plan = plan ? plan : knr_product_make(room, &q, false, false, true);
    int threads = p->threads;
    while (threads > 1 && knr_product_workspace(plan, threads) > p->bytes)
        threads--;
    bool fits = knr_product_workspace(plan, threads) <= p->bytes;
    if (!fits && m == 1 && n == 1) {
        multiply_numbers(d, k, a, b, c, into);
        return;
    }
    if (!fits) { /* elements do not depend on others */
        int64_t size = (int64_t)d->size, rows = m >= n ? m / 2 : m, columns = m >= n ? n : n / 2;
        bool down = m >= n;
        multiply(p, rows, columns, k, a, b, c, ld, into);
        knr_operand below = a, beside = b;
        below.at = down ? (const char *)a.at + rows * a.row * size : a.at;
        beside.at = down ? b.at : (const char *)b.at + columns * b.column * size;
        multiply(p, down ? m - rows : m, down ? n : n - columns, k, below, beside,
                 (char *)c + (down ? rows * ld : columns) * size, ld, into);
        return;
    }
    target t = {knr_linalg_loops_of(d), d, {c, ld, 1}};
    knr_product_run(plan, &(knr_run){.a = a.at,
                                     .b = b.at,
                                     .c = c,
                                     .finish = !buffered           ? NULL
                                               : into == KNR_MINUS ? lose
                                                                   : gain,
                                     .env_finish = &t,
                                     .workspace = p->room,
                                     .threads = threads});
}

/* --- matrices --------------------------------------------------------------------------------- */

void knr_dense_clear(const knr_dense *x)
{
    kn_dtype d = x->f->size == 8 ? KN_DT(F64) : KN_DT(F32);
    clear(d, x->p.re, x->rows, x->columns, x->p.ld);
    if (x->p.im)
        clear(d, x->p.im, x->rows, x->columns, x->p.ld);
}

static knr_operand operand_of(const knr_dense *x, const void *plane, knr_turn turn)
{
    bool turned = turn == KNR_TRANSPOSED || turn == KNR_ADJOINT;
    return (knr_operand){plane, turned ? 1 : x->p.ld, turned ? x->p.ld : 1};
}

static bool is_conjugated(knr_turn turn) { return turn == KNR_ADJOINT || turn == KNR_CONJUGATED; }
static knr_into signed_into(bool minus, bool again) { return minus == again ? KNR_PLUS : KNR_MINUS; }

void knr_dense_product(const knr_multiplier *p, const knr_dense *c, knr_into into, const knr_dense *a, knr_turn turn_a,
                       const knr_dense *b, knr_turn turn_b)
{
    bool turned = turn_a == KNR_TRANSPOSED || turn_a == KNR_ADJOINT, minus = into == KNR_MINUS;
    bool minus_a = is_conjugated(turn_a), minus_b = is_conjugated(turn_b);
    int64_t m = c->rows, n = c->columns, k = turned ? a->rows : a->columns, ld = c->p.ld;
    knr_operand a_re = operand_of(a, a->p.re, turn_a), a_im = operand_of(a, a->p.im, turn_a);
    knr_operand b_re = operand_of(b, b->p.re, turn_b), b_im = operand_of(b, b->p.im, turn_b);
    multiply(p, m, n, k, a_re, b_re, c->p.re, ld, into);
    if (!c->p.im)
        return;
    if (into == KNR_SET)
        clear(p->real, c->p.im, m, n, ld);
    if (a_im.at && b_im.at)
        multiply(p, m, n, k, a_im, b_im, c->p.re, ld, signed_into(minus, minus_a == minus_b));
    if (b_im.at)
        multiply(p, m, n, k, a_re, b_im, c->p.im, ld, signed_into(minus, minus_b));
    if (a_im.at)
        multiply(p, m, n, k, a_im, b_re, c->p.im, ld, signed_into(minus, minus_a));
}
