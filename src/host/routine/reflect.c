/* SPDX-License-Identifier: Apache-2.0
 * reflect.c -- reflections of real matrices in blocks of 32. */
#include "host/routine/reflect.h"
#include "base/line.h"
#include "host/routine/condensed.h"
#include "host/routine/near.h"
#include <string.h>

enum {
    FEW = 64, /* rows and columns of small matrices */
    /* Of strips of columns, which threads share: one stays in the second cache. */
    STRIP_BYTES = 1 << 20,
    MOST_STRIP = 256,
    SHARES = 8, /* strips for each thread */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static char *place(const knr_reflector *r, const void *base, int64_t i)
{
    return base ? (char *)base + i * r->f->size : NULL;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* One block: its reflections top .. top + count, of n rows. */
typedef struct block {
    int64_t top, n;
    int count;
    char *v, *t; /* v: of row `top` */
} block;

static block block_at(const knr_reflector *r, int64_t top)
{
    block b = {.top = top, .n = r->m - top, .count = (int)least(KNR_BLOCK, r->k - top)};
    b.v = place(r, r->v.re, top * r->v.ld);
    b.t = place(r, r->t, top * KNR_BLOCK);
    return b;
}

static knr_dense rows_of(const knr_reflector *r, char *at, int64_t ld, int64_t rows, int64_t columns)
{
    return (knr_dense){r->f, {at, NULL, ld}, rows, columns};
}

static knr_dense vectors(const knr_reflector *r, const block *b) { return rows_of(r, b->v, r->v.ld, b->count, b->n); }

/* What one thread multiplies with. */
static knr_multiplier multiplier_of(const knr_reflector *r, int worker)
{
    knr_multiplier m = r->multiplier;
    m.room = (char *)m.room + (size_t)worker * m.bytes;
    return m;
}

/* --- reflections ------------------------------------------------------------------------------ */

static void set_number(const knr_reflector *r, char *at, double v)
{
    if (r->f->size == 8)
        *(double *)(void *)at = v;
    else
        *(float *)(void *)at = (float)v;
}

/* The vectors as they are meant: 1, with zeros before it. Then T, of their products. */
static void finish_block(const knr_reflector *r, const block *b, int worker)
{
    knr_dense v = vectors(r, b), g = rows_of(r, r->g, KNR_BLOCK, b->count, b->count);
    knr_multiplier m = multiplier_of(r, worker);
    for (int64_t i = 0; i < b->count; i++) {
        char *at = place(r, b->v, i * r->v.ld);
        memset(at, 0, (size_t)(i * r->f->size));
        set_number(r, place(r, at, i), 1);
    }
    knr_dense_product(&m, &g, KNR_SET, &v, KNR_PLAIN, &v, KNR_TRANSPOSED);
    r->f->block_factor(r->g, b->count, r->tau + b->top, b->t);
}

/* The block of the columns from `top` on. */
static void make_block(const knr_reflector *r, const knr_dense *a, int64_t top, bool packed, int worker)
{
    block b = block_at(r, top);
    knr_planes v = {b.v, NULL, r->v.ld};
    char *corner = place(r, a->p.re, top * a->p.ld + top);
    r->f->take(&v, b.count, b.n, &(knr_place_in){corner, 1, a->p.ld, false}, NULL);
    r->f->reflect_panel(&v, b.count, b.n, r->tau + top);
    r->f->put(&v, b.count, packed ? b.n : b.count, &(knr_place_out){corner, 1, a->p.ld, false});
    if (!r->whole)
        finish_block(r, &b, worker);
}

/* --- strips ----------------------------------------------------------------------------------- */

/* x = (I - V T V^T) x, or with T^T, a strip of columns after the other, so that a strip is read from the second cache
 * when it is read again. x is the matrix from the block's row and from column `left` on. Strips begin at multiples of
 * their width in the whole matrix, so a thread has the same ones for all blocks; but the first columns are apart. */
typedef struct strips {
    const knr_reflector *r;
    const block *b;
    const knr_dense *x;
    int64_t left, first; /* first: how many columns are apart */
    bool adjoint, from_identity;
    const knr_dense *next; /* the matrix: its next block, the first columns, is made as soon as these are done */
    bool packed;
} strips;
static const int64_t FIRST = INT64_MAX; /* the part that is the first columns */

/* Columns from .. from + n of x. */
static void apply_to(const strips *s, int64_t from, int64_t n, int worker)
{
    const knr_reflector *r = s->r;
    const block *b = s->b;
    int64_t skip = s->from_identity ? b->count : 0; /* rows of the identity, where other columns are zero */
    knr_dense x = knr_dense_part(s->x, 0, from, b->n, n), v = vectors(r, b);
    knr_dense t = rows_of(r, b->t, KNR_BLOCK, b->count, b->count), w[2];
    knr_multiplier m = multiplier_of(r, worker);
    for (int i = 0; i < 2; i++)
        w[i] = rows_of(r, place(r, r->w, (2 * worker + i) * KNR_BLOCK * r->strip), r->strip, b->count, n);
    if (skip && !from) {
        for (int64_t i = 0; i < b->count; i++)
            memcpy(place(r, w[0].p.re, i * r->strip), place(r, b->v, i * r->v.ld), (size_t)(n * r->f->size));
    } else {
        knr_dense below = knr_dense_part(&v, 0, skip, b->count, b->n - skip);
        knr_dense rest = knr_dense_part(&x, skip, 0, b->n - skip, n);
        knr_dense_product(&m, &w[0], KNR_SET, &below, KNR_PLAIN, &rest, KNR_PLAIN);
    }
    knr_dense_product(&m, &w[1], KNR_SET, &t, s->adjoint ? KNR_PLAIN : KNR_TRANSPOSED, &w[0], KNR_PLAIN);
    knr_dense_product(&m, &x, KNR_MINUS, &v, KNR_TRANSPOSED, &w[1], KNR_PLAIN);
}

static void run_strip(void *arg, int64_t part, int worker)
{
    const strips *s = arg;
    int64_t width = s->r->strip, from = part == FIRST ? 0 : most(part * width - s->left, s->first);
    int64_t end = part == FIRST ? s->first : least((part + 1) * width - s->left, s->x->columns);
    apply_to(s, from, end - from, worker);
    if (s->next && part == FIRST)
        make_block(s->r, s->next, s->b->top + KNR_BLOCK, s->packed, worker);
}

static void apply_block(const knr_reflector *r, const block *b, const knr_dense *x, int64_t left, strips *s)
{
    enum { WORTH = 1 << 18 /* multiply-adds */ };
    int64_t n = x->columns, width = r->strip;
    if (!n)
        return;
    s->r = r, s->b = b, s->x = x, s->left = left;
    s->first = least(n, s->next ? KNR_BLOCK : s->from_identity ? b->count : 0);
    bool more = s->first < n;
    knr_parallel_near(n * b->n * b->count < WORTH ? 1 : r->threads, more ? (left + s->first) / width : 0,
                      more ? (left + n - 1) / width + 1 : 0, s->first ? FIRST : -1, run_strip, s);
}

/* The rows of x from the block's on, columns from `left` on. */
static knr_dense part_of(const knr_dense *x, const block *b, int64_t left)
{
    return knr_dense_part(x, b->top, least(left, x->columns), b->n, x->columns - least(left, x->columns));
}

knr_reflector knr_reflector_take(knr_arena *arena, kn_dtype d, int64_t k, const knr_dense *a, const knr_dense *x,
                                 int threads)
{
    int64_t columns = a->columns > x->columns ? a->columns : x->columns;
    knr_reflector r = {.dtype = d, .f = knr_linalg_loops_of(d), .m = a->rows, .k = k};
    size_t size = (size_t)r.f->size, rounded = (size_t)(k + KNR_BLOCK - 1) / KNR_BLOCK * KNR_BLOCK;
    int64_t line = 64 / r.f->size;
    r.v.ld = ((r.m + KNR_ROW_PAD + line - 1) / line | 1) * line;
    r.v.re = knr_take(arena, rounded * (size_t)r.v.ld, size);
    r.t = knr_take(arena, rounded * KNR_BLOCK, size);
    r.g = knr_take(arena, KNR_BLOCK * KNR_BLOCK, size);
    r.tau = knr_take(arena, rounded, sizeof(double));
    if (k <= KNR_BLOCK && r.m <= FEW && x->columns <= FEW && a->columns <= k) {
        r.whole = knr_take(arena, KNR_WHOLE_ROOM, 1);
        return r;
    }
    r.threads = threads > 1 ? threads : 1;
    int64_t fits = STRIP_BYTES / (r.m * r.f->size), share = r.threads == 1 ? fits : columns / SHARES / r.threads;
    r.strip = most(least(least(fits, share), MOST_STRIP) / KNR_BLOCK, 1) * KNR_BLOCK;
    r.w = knr_take(arena, (size_t)(2 * r.threads * KNR_BLOCK * r.strip), size);
    knr_arena counted = {NULL, 0};
    r.multiplier = knr_multiplier_take(&counted, d, most(r.m, KNR_BLOCK), r.strip, most(r.m, KNR_BLOCK), 1);
    r.multiplier.bytes = knx_whole_lines(r.multiplier.bytes);
    r.multiplier.room = knr_take(arena, r.multiplier.bytes * (size_t)r.threads, 1);
    return r;
}

/* --- all blocks ------------------------------------------------------------------------------- */

void knr_reflector_factor(knr_reflector *r, const knr_dense *a, bool packed)
{
    if (r->k)
        make_block(r, a, 0, packed, 0);
    for (int64_t top = 0; !r->whole && top < r->k; top += KNR_BLOCK) {
        block b = block_at(r, top);
        knr_dense rest = part_of(a, &b, top + b.count);
        apply_block(r, &b, &rest, top + b.count,
                    &(strips){.adjoint = true, .next = top + KNR_BLOCK < r->k ? a : NULL, .packed = packed});
    }
}

void knr_reflector_load(knr_reflector *r, const void *packed, int64_t columns)
{
    for (int64_t top = 0; top < r->k; top += KNR_BLOCK) {
        block b = block_at(r, top);
        knr_planes v = {b.v, NULL, r->v.ld};
        const char *corner = (const char *)packed + (top * columns + top) * r->f->size;
        r->f->take(&v, b.count, b.n, &(knr_place_in){corner, 1, columns, false}, NULL);
        if (!r->whole)
            finish_block(r, &b, 0);
    }
}

void knr_reflector_apply(const knr_reflector *r, const knr_dense *x, bool adjoint, bool from_identity)
{
    int64_t blocks = (r->k + KNR_BLOCK - 1) / KNR_BLOCK;
    if (r->whole) {
        knr_condensed()->reflect_rows[r->f->size == 8](x->p.re, x->p.ld, x->rows, x->columns, r->v.re, r->v.ld, r->k,
                                                       r->tau, adjoint, from_identity, r->whole);
        return;
    }
    for (int64_t i = 0; i < blocks; i++) {
        int64_t top = (adjoint ? i : blocks - 1 - i) * KNR_BLOCK;
        block b = block_at(r, top);
        knr_dense part = part_of(x, &b, from_identity ? top : 0); /* other columns stay as they are */
        apply_block(r, &b, &part, from_identity ? top : 0,
                    &(strips){.adjoint = adjoint, .from_identity = from_identity});
    }
}
