/* SPDX-License-Identifier: Apache-2.0
 * pieces.c -- fills on several threads. */
#include "rng/pieces.h"
#include "base/context.h"
#include "base/pool.h"
#include <string.h>

enum { LEAST = 1 << 18, PIECE = 1 << 16 }; /* numbers: of a fill that is divided, and of its pieces */

typedef struct pieces {
    const knrng_task *task;
    const knrng_bits *from; /* as it is before the first piece */
    size_t n, count;        /* numbers, pieces */
    char *out;
    knrng_bits last; /* as the last piece leaves it */
} pieces;

static void run_piece(void *arg, int64_t part, int worker)
{
    pieces *p = arg;
    size_t first = (size_t)part * PIECE, count = p->n - first < PIECE ? p->n - first : PIECE;
    size_t words = p->task->halves ? first / 2 : first;
    knrng_bits own = *p->from;
    knrng_reader r;
    (void)worker;
    if (part) {
        bool has_half = own.has_half;
        uint32_t half = own.half;
        own.kind->advance(&own, (const uint64_t[4]){own.kind->block ? words / own.kind->block : words});
        own.has_half = has_half;
        own.half = half;
    }
    knrng_read(&r, &own);
    p->task->fill(&r, count, p->out + first * p->task->size, p->task->env);
    if ((size_t)part + 1 == p->count)
        p->last = own;
}

/* So many numbers come first, one by one: those whose words were made before the next step of the generator. */
static size_t made_already(const knrng_bits *g, bool halves)
{
    size_t words = g->kind->block ? knrng_philox_left(g) : 0;
    return halves ? 2 * words + g->has_half : words;
}

void knrng_fill_in_pieces(knrng_reader *r, const knrng_task *t, size_t n, void *out)
{
    int threads = knx_context()->threads;
    threads = threads ? threads : knx_threads_available();
    size_t first = made_already(r->g, t->halves);
    if (n < LEAST || threads < 2 || !r->g->kind->advance) {
        t->fill(r, n, out, t->env);
        return;
    }
    if (first)
        t->fill(r, first, out, t->env);
    pieces p = {t, r->g, n - first, (n - first + PIECE - 1) / PIECE, (char *)out + first * t->size, *r->g};
    knx_parallel(threads, (int64_t)p.count, run_piece, &p);
    memcpy(&r->g->words, &p.last.words, r->g->kind->bytes);
    r->g->has_half = p.last.has_half;
    r->g->half = p.last.half;
}
