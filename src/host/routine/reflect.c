/* SPDX-License-Identifier: Apache-2.0
 * reflect.c -- reflections of real matrices in blocks of 32. */
#include "host/routine/reflect.h"
#include "host/routine/condensed.h"
#include <string.h>

enum { FEW = 64 /* rows and columns of small matrices */ };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static char *place(const knr_reflector *r, const void *base, int64_t i)
{
    return base ? (char *)base + i * r->f->size : NULL;
}

/* --- products --------------------------------------------------------------------------------- */

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

/* The products of its vectors. */
static void multiply_vectors(const knr_reflector *r, const block *b)
{
    knr_matrix_multiply(&r->products, (knr_extents){b->count, b->count, b->n}, (knr_operand){b->v, r->v.ld, 1},
                        (knr_operand){b->v, 1, r->v.ld}, (knr_result){r->g, KNR_BLOCK, 1});
}

/* w = V^T x for n columns of x; of the identity's first columns that is V^T itself. */
static void project(const knr_reflector *r, const block *b, const knr_dense *x, bool from_identity)
{
    int64_t n = x->columns, own = from_identity ? least(b->count, n) : 0, skip = from_identity ? b->count : 0;
    for (int64_t i = 0; r->products.most == NULL && own && i < b->count; i++)
        memcpy(place(r, r->w[0], i * n), place(r, b->v, i * r->v.ld), (size_t)(own * r->f->size));
    knr_matrix_multiply(
        &r->products, (knr_extents){b->count, n - own, b->n - skip}, (knr_operand){place(r, b->v, skip), r->v.ld, 1},
        (knr_operand){place(r, x->p.re, skip * x->p.ld + own), x->p.ld, 1}, (knr_result){place(r, r->w[0], own), n, 1});
    for (int64_t i = 0; r->products.most == NULL && b->n == skip && own < n && i < b->count; i++)
        memset(place(r, r->w[0], i * n + own), 0, (size_t)((n - own) * r->f->size));
}

/* x = (I - V T V^T) x, or with T^T; x begins at the block's row. */
static void apply_block(const knr_reflector *r, const block *b, const knr_dense *x, bool adjoint, bool from_identity)
{
    int64_t n = x->columns, k = b->count;
    knr_operand t = {b->t, adjoint ? KNR_BLOCK : 1, adjoint ? 1 : KNR_BLOCK};
    project(r, b, x, from_identity);
    knr_matrix_multiply(&r->products, (knr_extents){k, n, k}, t, (knr_operand){r->w[0], n, 1},
                        (knr_result){r->w[1], n, 1});
    knr_matrix_lose(&r->products, (knr_extents){b->n, n, k}, (knr_operand){b->v, 1, r->v.ld},
                    (knr_operand){r->w[1], n, 1}, (knr_result){x->p.re, x->p.ld, 1});
}

/* The rows of x from the block's on, columns from `left` on. */
static knr_dense part_of(const knr_dense *x, const block *b, int64_t left)
{
    return knr_dense_part(x, b->top, least(left, x->columns), b->n, x->columns - least(left, x->columns));
}

/* What products of all blocks need: strides count, too. */
static size_t products_bytes(const knr_reflector *like, const knr_dense *a, const knr_dense *x)
{
    size_t most = 0;
    knr_reflector r = *like;
    r.products.most = &most;
    for (int64_t top = 0; top < r.k; top += KNR_BLOCK) {
        block b = block_at(&r, top);
        knr_dense rest = part_of(a, &b, top + b.count), own = part_of(x, &b, top), all = part_of(x, &b, 0);
        multiply_vectors(&r, &b);
        apply_block(&r, &b, &rest, true, false);
        apply_block(&r, &b, &own, false, true);
        apply_block(&r, &b, &all, true, false);
        apply_block(&r, &b, &all, false, false);
    }
    return most;
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
    for (int i = 0; i < 2; i++)
        r.w[i] = knr_take(arena, (size_t)(columns * KNR_BLOCK), size);
    r.tau = knr_take(arena, rounded, sizeof(double));
    if (k <= KNR_BLOCK && r.m <= FEW && x->columns <= FEW && a->columns <= k) {
        r.whole = knr_take(arena, KNR_WHOLE_ROOM, 1);
        return r;
    }
    r.products = (knr_products){.dtype = d, .threads = threads > 1 ? threads : 1};
    if (arena->at)
        r.products.workspace = arena->at + arena->used;
    else
        knr_take(arena, products_bytes(&r, a, x), 1);
    return r;
}

/* --- reflections ------------------------------------------------------------------------------ */

static void set_number(const knr_reflector *r, char *at, double v)
{
    if (r->f->size == 8)
        *(double *)(void *)at = v;
    else
        *(float *)(void *)at = (float)v;
}

/* The vectors as they are meant: 1, with zeros before it. Then T. */
static void finish_block(const knr_reflector *r, const block *b)
{
    for (int64_t i = 0; i < b->count; i++) {
        char *v = place(r, b->v, i * r->v.ld);
        memset(v, 0, (size_t)(i * r->f->size));
        set_number(r, place(r, v, i), 1);
    }
    multiply_vectors(r, b);
    r->f->block_factor(r->g, b->count, r->tau + b->top, b->t);
}

void knr_reflector_factor(knr_reflector *r, const knr_dense *a, bool packed)
{
    for (int64_t top = 0; top < r->k; top += KNR_BLOCK) {
        block b = block_at(r, top);
        knr_planes v = {b.v, NULL, r->v.ld};
        char *corner = place(r, a->p.re, top * a->p.ld + top);
        r->f->take(&v, b.count, b.n, &(knr_place_in){corner, 1, a->p.ld, false}, NULL);
        r->f->reflect_panel(&v, b.count, b.n, r->tau + top);
        r->f->put(&v, b.count, packed ? b.n : b.count, &(knr_place_out){corner, 1, a->p.ld, false});
        if (r->whole)
            return;
        finish_block(r, &b);
        knr_dense rest = part_of(a, &b, top + b.count);
        apply_block(r, &b, &rest, true, false);
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
            finish_block(r, &b);
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
        apply_block(r, &b, &part, adjoint, from_identity);
    }
}
