/* SPDX-License-Identifier: Apache-2.0
 * reader.c -- words made ahead, and given back. */
#include "rng/reader.h"
#include <string.h>

/* The next `batch` words; those before are used up. */
static void refill(knrng_reader *r)
{
    knrng_bits *g = r->g;
    memcpy(&r->before, &g->words, g->kind->bytes);
    if (r->pairs) {
        g->kind->fill32(g, 2 * r->batch, r->ahead32);
        r->at32 = r->ahead32;
        r->end32 = r->ahead32 + 2 * r->batch;
    } else {
        knrng_read_ahead(r, r->batch);
    }
}

uint32_t knrng_more32(knrng_reader *r)
{
    uint32_t half;
    if (r->batch > 1) {
        refill(r);
        return *r->at32++;
    }
    r->g->kind->fill32(r->g, 1, &half);
    return half;
}

uint64_t knrng_more(knrng_reader *r)
{
    if (r->pairs) {
        uint64_t high = knrng_next32(r);
        return high << 32 | knrng_next32(r);
    }
    if (r->batch == 1)
        return knrng_word(r->g);
    refill(r);
    return *r->at++;
}

void knrng_give_back(knrng_reader *r)
{
    knrng_bits *g = r->g;
    r->batch = 1;
    if (r->at < r->end) {
        memcpy(&g->words, &r->before, g->kind->bytes);
        g->kind->fill(g, (size_t)(r->at - r->ahead), r->ahead);
    } else if (r->at32 < r->end32) {
        memcpy(&g->words, &r->before, g->kind->bytes);
        g->kind->fill32(g, (size_t)(r->at32 - r->ahead32), r->ahead32);
    }
    r->at = r->end = NULL;
    r->at32 = r->end32 = NULL;
}
