/* SPDX-License-Identifier: Apache-2.0
 * find.c -- elements that are not zero, found by all threads: blocks of elements become bits, which are counted; so
 * each block knows where what it finds goes. */
#include "host/routine/find.h"
#include "base/memory.h"
#include "base/pool.h"
#include "host/routine/find_loops.h"
#include "host/routine/isa.h"
#include <string.h>

enum { WORD = 64, BLOCK = 1 << 15, WORDS = BLOCK / WORD };

/* The bits of an element that make it differ from zero: those of a float but its sign. */
static uint64_t meaning(kn_dtype d)
{
    if (!knx_is_inexact(d))
        return UINT64_MAX;
    int size = knx_is_complex(d) ? d->size / 2 : d->size;
    return size == 2 ? 0x7fff7fff7fff7fffu : size == 4 ? 0x7fffffff7fffffffu : 0x7fffffffffffffffu;
}

typedef struct work {
    const knr_found *f;
    const knr_find_loops *loops;
    const char *x;
    int64_t bytes; /* of an element */
    uint64_t of;   /* which of its bits count */
    char *y;
    int ndim;
    const int64_t *dim;
    int64_t *const *to, step;
} work;

static int64_t in_block(const knr_found *f, int64_t block)
{
    int64_t left = f->size - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static void run(work *w, void (*part)(void *arg, int64_t block, int worker))
{
    knx_parallel(w->f->threads, w->f->n_block, part, w);
}

static void mark(void *arg, int64_t block, int worker)
{
    const work *w = arg;
    const knr_found *f = w->f;
    (void)worker;
    f->before[block + 1] = w->loops->mark((int)w->bytes, w->of, w->x + block * BLOCK * w->bytes, in_block(f, block),
                                          f->bits + block * WORDS);
}

bool knr_find(knr_found *f, kn_dtype d, const void *x, int64_t n, int threads)
{
    int64_t blocks = (n + BLOCK - 1) / BLOCK, words = (n + WORD - 1) / WORD;
    *f = (knr_found){.size = n, .n_block = blocks, .threads = threads};
    f->bits = knx_alloc((size_t)(words + blocks + 1) * sizeof *f->bits);
    if (!f->bits)
        return false;
    f->before = (int64_t *)f->bits + words;
    f->before[0] = 0;
    run(&(work){.f = f, .loops = &KNR_BY_ISA(knr_find_loops), .x = x, .bytes = d->size, .of = meaning(d)}, mark);
    for (int64_t b = 0; b < blocks; b++)
        f->before[b + 1] += f->before[b];
    f->count = f->before[blocks];
    return true;
}

void knr_found_end(knr_found *f) { knx_free(f->bits); }

/* --- positions ------------------------------------------------------------------------------------ */

enum { SOME = 1024 }; /* elements whose positions are taken apart at a time */

static void list(void *arg, int64_t block, int worker)
{
    const work *w = arg;
    const knr_found *f = w->f;
    const uint64_t *bits = f->bits + block * WORDS;
    int64_t n = in_block(f, block), first = block * BLOCK, to = f->before[block], room[SOME + 2 * WORD];
    (void)worker;
    if (w->ndim == 1 && w->step == 1) {
        w->loops->list(bits, (n + WORD - 1) / WORD, first, w->to[0] + to, f->before[block + 1] - to);
        return;
    }
    for (int64_t i = 0; i < n; i += SOME) {
        int64_t few = n - i < SOME ? n - i : SOME;
        int64_t found =
            w->loops->list(bits + i / WORD, (few + WORD - 1) / WORD, first + i, room, SOME + 2 * WORD) - room;
        for (int d = w->ndim - 1; d > 0; d--)
            w->loops->split(room, found, w->dim[d], d == 1 ? w->to[0] + to * w->step : room, d == 1 ? w->step : 1,
                            w->to[d] + to * w->step, w->step);
        for (int64_t k = 0; w->ndim == 1 && k < found; k++)
            w->to[0][(to + k) * w->step] = room[k];
        to += found;
    }
}

void knr_found_positions(const knr_found *f, int ndim, const int64_t *dim, int64_t *const *y, int64_t step)
{
    if (ndim)
        run(&(work){.f = f, .loops = &KNR_BY_ISA(knr_find_loops), .ndim = ndim, .dim = dim, .to = y, .step = step},
            list);
}

/* --- elements ------------------------------------------------------------------------------------- */

static void keep(void *arg, int64_t block, int worker)
{
    const work *w = arg;
    const knr_found *f = w->f;
    const uint64_t *bits = f->bits + block * WORDS;
    const char *x = w->x + block * BLOCK * w->bytes;
    char *y = w->y + f->before[block] * w->bytes;
    int64_t n = in_block(f, block), bytes = w->bytes;
    (void)worker;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
        w->loops->keep((int)bytes, bits, x, n, y, f->before[block + 1] - f->before[block]);
        return;
    }
    for (int64_t i = 0; i < n; i += WORD)
        for (uint64_t word = bits[i / WORD]; word; word &= word - 1, y += bytes)
            memcpy(y, x + (i + __builtin_ctzll(word)) * bytes, (size_t)bytes);
}

void knr_found_elements(const knr_found *f, int64_t bytes, const void *x, void *y)
{
    if (bytes && f->count)
        run(&(work){.f = f, .loops = &KNR_BY_ISA(knr_find_loops), .x = x, .bytes = bytes, .y = y}, keep);
}
