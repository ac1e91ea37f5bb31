/* SPDX-License-Identifier: Apache-2.0
 * product_case.c -- products against a scalar fold written down from docs/determinism.md. */
#include "support/product_case.h"
#include "base/half.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka comes after these */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
uint32_t product_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void fill(kn_dtype d, char *p, int64_t n)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, p += part->size) {
        double number = ((double)(product_random() % 20001) - 10000) / 4096;
        knx_scalar_bits s = knx_is_inexact(d) ? knx_scalar_from_double(part, number)
                                              : knx_scalar_from_int(part, (int32_t)product_random());
        if (d->kind == 'b')
            s.u8 = product_random() % 5 == 0;
        if (product_random() % 64 == 0)
            s = knx_scalar_from_double(part, -0.0);
        memcpy(p, &s, part->size);
    }
}

/* --- the definition --------------------------------------------------------------------------- */

typedef struct term {
    double re, im;
    uint64_t u;
} term;

static term read_term(kn_dtype d, const char *p)
{
    kn_dtype part = knx_component(d);
    knx_scalar_bits s = {0}, wide = {0};
    term t = {0};
    memcpy(&s, p, part->size);
    t.re = knx_scalar_to_double(part, s);
    knx_convert(part, &s, part->kind == 'u' ? KN_DT(U64) : KN_DT(I64), &wide);
    t.u = wide.u64;
    if (part != d) {
        memcpy(&s, p + part->size, part->size);
        t.im = knx_scalar_to_double(part, s);
    }
    return t;
}

static double chain(bool wide, double a, double b, double c)
{
    return wide ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
}
static double join(bool wide, double a, double b) { return wide ? a + b : (double)((float)a + (float)b); }

/* A product, its operands, the places of their elements, and its result in C order. */
typedef struct problem {
    const knk_product *p;
    int64_t batches, m, n, k, *a_batch, *b_batch, *c_batch, *b_row, *b_k, *c_m, *c_n;
    int64_t *a_at; /* [m][k] beside a_batch; -1: outside of a window */
    int64_t a_count, b_count, c_count;
    char *a, *b, *want;
    term *x, *y;
} problem;

/* One element of the result: n steps, at these places of the operands. */
static void fold(const knk_product *p, int64_t n, const term *a, const int64_t *a_at, const term *b,
                 const int64_t *b_at, char *c)
{
    static const term nothing;
    bool wide = knx_component(p->result)->size == 8, any = false;
    double re_total = 0, im_total = 0;
    uint64_t u = 0;
    for (int64_t k0 = 0; k0 < n; k0 += 256) {
        double re = 0, im = 0;
        for (int64_t k = k0; k < n && k < k0 + 256; k++) {
            const term *x = a_at[k] < 0 ? &nothing : &a[a_at[k]], *y = &b[b_at[k]];
            re = chain(wide, x->re, y->re, re);
            if (knx_is_complex(p->operand)) {
                re = chain(wide, -x->im, y->im, re);
                im = chain(wide, x->re, y->im, im);
                im = chain(wide, x->im, y->re, im);
            }
            u += x->u * y->u;
            any = any || (x->u && y->u);
        }
        re_total = k0 ? join(wide, re_total, re) : re;
        im_total = k0 ? join(wide, im_total, im) : im;
    }
    kn_dtype part = knx_component(p->result);
    knx_scalar_bits s = knx_scalar_from_int(p->result, p->result->kind == 'b' ? any : (int64_t)u), i = {0};
    if (knx_is_inexact(p->result)) {
        s = knx_scalar_from_double(part, re_total);
        i = knx_scalar_from_double(part, im_total);
    }
    memcpy(c, &s, part->size);
    if (knx_is_complex(p->result))
        memcpy(c + part->size, &i, part->size);
}

int64_t product_extent(const knk_dims *d)
{
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= d->extent[i];
    return n;
}

static int64_t index_of(const knk_dims *d, int64_t flat, int dim)
{
    for (int k = d->n - 1; k > dim; k--)
        flat /= d->extent[k];
    return flat % d->extent[dim];
}

/* The element numbers of a group, in C order. */
static int64_t *offsets(const knk_dims *d, const int64_t *stride)
{
    int64_t n = product_extent(d), *at = malloc((size_t)n * sizeof *at + 1);
    for (int64_t i = 0; i < n; i++) {
        at[i] = 0;
        for (int k = 0; k < d->n; k++)
            at[i] += index_of(d, i, k) * stride[k];
    }
    return at;
}

static int64_t largest(const int64_t *at, int64_t n)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = at[i] > most ? at[i] : most;
    return most;
}

/* docs: position = index_m * step + index_k * dilation - low; an element if it is a multiple of `base` and inside. */
static int64_t place_of_a(const knk_product *p, int64_t row, int64_t step, int64_t at)
{
    for (int w = 0; w < p->n_window; w++) {
        const knk_window *v = &p->window[w];
        int64_t position = index_of(&p->m, row, v->m) * v->step + index_of(&p->k, step, v->k) * v->dilation - v->low;
        if (position < 0 || position % v->base || position / v->base >= v->extent)
            return -1;
        at += position / v->base * v->stride;
    }
    return at;
}

static void place_a(problem *q)
{
    const knk_product *p = q->p;
    int64_t *row = offsets(&p->m, p->m.a), *step = offsets(&p->k, p->k.a);
    q->a_at = malloc((size_t)(q->m * q->k) * sizeof *q->a_at + 1);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t k = 0; k < q->k; k++)
            q->a_at[i * q->k + k] = place_of_a(p, i, k, row[i] + step[k] + p->a_offset);
    free(row);
    free(step);
}

static term *read_terms(kn_dtype d, const char *p, int64_t n)
{
    term *t = malloc((size_t)n * sizeof *t);
    for (int64_t i = 0; i < n; i++)
        t[i] = read_term(d, p + i * d->size);
    return t;
}

static void define(problem *q)
{
    char *c = q->want;
    for (int64_t l = 0; l < q->batches; l++)
        for (int64_t i = 0; i < q->m; i++)
            for (int64_t j = 0; j < q->n; j++, c += q->p->result->size)
                fold(q->p, q->k, q->x + q->a_batch[l], q->a_at + i * q->k,
                     q->y + q->b_batch[l] + q->b_row[j] + q->p->b_offset, q->b_k, c);
}

static void make_problem(problem *q, const knk_product *p)
{
    *q =
        (problem){.p = p, .batches = product_extent(&p->batch), .m = product_extent(&p->m), .n = product_extent(&p->n)};
    q->k = product_extent(&p->k);
    q->a_batch = offsets(&p->batch, p->batch.a);
    q->b_batch = offsets(&p->batch, p->batch.b);
    q->c_batch = offsets(&p->batch, p->batch.c);
    q->b_row = offsets(&p->n, p->n.b);
    q->b_k = offsets(&p->k, p->k.b);
    q->c_m = offsets(&p->m, p->m.c);
    q->c_n = offsets(&p->n, p->n.c);
    place_a(q);
    q->a_count = 1 + largest(q->a_batch, q->batches) + largest(q->a_at, q->m * q->k);
    q->b_count = 1 + p->b_offset + largest(q->b_batch, q->batches) + largest(q->b_row, q->n) + largest(q->b_k, q->k);
    q->c_count = 1 + p->c_offset + largest(q->c_batch, q->batches) + largest(q->c_m, q->m) + largest(q->c_n, q->n);
    /* Exact blocks: the address sanitizer sees a read or write past the end. */
    q->a = malloc((size_t)q->a_count * p->operand->size);
    q->b = malloc((size_t)q->b_count * p->operand->size);
    q->want = malloc((size_t)(q->batches * q->m * q->n) * p->result->size + 1);
    fill(p->operand, q->a, q->a_count);
    fill(p->operand, q->b, q->b_count);
    q->x = read_terms(p->operand, q->a, q->a_count);
    q->y = read_terms(p->operand, q->b, q->b_count);
    define(q);
}

static void free_problem(problem *q)
{
    void *all[] = {q->a_batch, q->b_batch, q->c_batch, q->b_row, q->b_k, q->c_m, q->c_n,
                   q->a_at,    q->a,       q->b,       q->want,  q->x,   q->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* --- callbacks -------------------------------------------------------------------------------- */

typedef struct callbacks {
    const problem *q;
    char *got; /* as `want` */
    uint8_t *seen;
} callbacks;

static void put(kn_dtype d, const char *from, int64_t at, void *to, int64_t to_at)
{
    if (at < 0)
        memset((char *)to + to_at * d->size, 0, d->size);
    else
        memcpy((char *)to + to_at * d->size, from + at * d->size, d->size);
}

static void fill_a(void *env, int64_t batch, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to,
                   int64_t to_row, int64_t to_k, int worker)
{
    const problem *q = ((callbacks *)env)->q;
    (void)worker;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t s = 0; s < steps; s++) {
            int64_t at = q->a_at[(row + i) * q->k + k + s];
            put(q->p->operand, q->a, at < 0 ? -1 : at + q->a_batch[batch], to, i * to_row + s * to_k);
        }
}

static void fill_b(void *env, int64_t batch, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to,
                   int64_t to_row, int64_t to_k, int worker)
{
    const problem *q = ((callbacks *)env)->q;
    (void)worker;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t s = 0; s < steps; s++)
            put(q->p->operand, q->b, q->p->b_offset + q->b_batch[batch] + q->b_row[row + i] + q->b_k[k + s], to,
                i * to_row + s * to_k);
}

static void finish(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns, void *from,
                   int64_t from_row, int64_t from_column, int worker)
{
    const callbacks *c = env;
    const problem *q = c->q;
    size_t size = q->p->result->size;
    (void)worker;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t at = (batch * q->m + row + i) * q->n + column + j;
            char *x = (char *)from + (size_t)(i * from_row + j * from_column) * size;
            memcpy(c->got + (size_t)at * size, x, size);
            memset(x, 0x77, size); /* it may be written over */
            c->seen[at]++;
        }
}

/* --- runs ------------------------------------------------------------------------------------- */

static void run_parts(const knr_plan *plan, const knr_run *r, const problem *q, const product_way *way)
{
    int64_t rows = way->rows ? way->rows : q->m, steps = way->steps ? way->steps : q->k;
    size_t bytes = knr_product_chain_bytes(plan);
    char *chain = way->steps ? malloc(bytes + 1) : NULL;
    for (int64_t l = 0; l < q->batches; l++) {
        if (chain)
            memset(chain, 0x5b, bytes);
        for (int64_t k = 0; k == 0 || k < q->k; k += steps ? steps : 1)
            for (int64_t i = 0; i < q->m; i += rows) {
                knr_part part = {.batch = l, .m0 = i, .m1 = i + rows < q->m ? i + rows : q->m, .k0 = k, .chain = chain};
                part.k1 = k + steps < q->k ? k + steps : q->k;
                knr_product_run_part(plan, r, &part, 3);
            }
    }
    free(chain);
}

static void compare(const problem *q, const char *c, const char *what)
{
    size_t size = q->p->result->size;
    for (int64_t l = 0, at = 0; l < q->batches; l++)
        for (int64_t i = 0; i < q->m; i++)
            for (int64_t j = 0; j < q->n; j++, at++) {
                int64_t there = q->p->c_offset + q->c_batch[l] + q->c_m[i] + q->c_n[j];
                if (memcmp(c + (size_t)there * size, q->want + (size_t)at * size, size))
                    fail_msg("%s: %s->%s %d x %d x %d x %d: element (%d, %d, %d) differs", what, q->p->operand->name,
                             q->p->result->name, (int)q->batches, (int)q->m, (int)q->n, (int)q->k, (int)l, (int)i,
                             (int)j);
            }
}

static void run_way(const problem *q, const product_way *way, const char *what)
{
    size_t size = q->p->result->size, dense = (size_t)(q->batches * q->m * q->n);
    char *room = aligned_alloc(64, (knr_plan_bytes(q->p) + 63) / 64 * 64);
    memset(room, 0xff, knr_plan_bytes(q->p)); /* nothing is expected of it */
    const knr_plan *plan = knr_product_make(room, q->p, way->fill_a, way->fill_b, way->finish);
    bool parts = way->rows || way->steps;
    size_t bytes = parts ? knr_part_workspace(plan) : knr_product_workspace(plan, way->threads ? way->threads : 1);
    callbacks calls = {.q = q, .got = calloc(dense + 1, size), .seen = calloc(dense + 1, 1)};
    char *c = malloc((size_t)q->c_count * size + 1), *workspace = aligned_alloc(64, (bytes + 127) / 64 * 64);
    memset(c, 0x5a, (size_t)q->c_count * size + 1);
    memset(workspace, 0xff, bytes + 64);
    knr_run r = {.a = way->fill_a ? NULL : q->a, .b = way->fill_b ? NULL : q->b, .c = way->finish ? NULL : c};
    r.fill_a = way->fill_a ? fill_a : NULL;
    r.fill_b = way->fill_b ? fill_b : NULL;
    r.finish = way->finish ? finish : NULL;
    r.env_a = r.env_b = r.env_finish = &calls;
    r.workspace = workspace;
    r.threads = way->threads ? way->threads : 1;
    if (parts)
        run_parts(plan, &r, q, way);
    else
        knr_product_run(plan, &r);
    for (size_t i = bytes; i < bytes + 64; i++)
        assert_int_equal((uint8_t)workspace[i], 0xff);
    assert_int_equal(c[(size_t)q->c_count * size], 0x5a);
    if (way->finish) {
        for (size_t i = 0; i < dense; i++)
            assert_int_equal(calls.seen[i], 1);
        if (memcmp(calls.got, q->want, dense * size))
            fail_msg("%s, finish, %d threads, parts of %d rows: %s->%s %d x %d x %d x %d differs", what, way->threads,
                     (int)way->rows, q->p->operand->name, q->p->result->name, (int)q->batches, (int)q->m, (int)q->n,
                     (int)q->k);
    } else {
        compare(q, c, what);
    }
    free(room);
    free(workspace);
    free(c);
    free(calls.got);
    free(calls.seen);
}

void product_check_ways(const knk_product *p, int n, const product_way *way, const char *what)
{
    problem q;
    make_problem(&q, p);
    for (int i = 0; i < n; i++)
        run_way(&q, &way[i], what);
    free_problem(&q);
}

void product_check(const knk_product *p, const product_way *way, const char *what)
{
    product_check_ways(p, 1, way, what);
}

knk_product product_with_plain_result(knk_product p)
{
    knk_dims *group[] = {&p.n, &p.m, &p.batch};
    int64_t stride = 1;
    for (int g = 0; g < 3; g++)
        for (int i = group[g]->n - 1; i >= 0; i--) {
            group[g]->c[i] = stride;
            stride *= group[g]->extent[i];
        }
    return p;
}
