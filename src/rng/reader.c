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

/* Words as their halves: the low ones first, as bytes lie. */
static bool refill_halves(knrng_reader *r)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (r->batch > 1 && !r->mixed && r->at == r->end && !r->g->has_half) {
        refill(r);
        r->at = r->end = NULL;
        r->at32 = r->ahead32;
        r->end32 = r->ahead32 + 2 * r->batch;
        r->halves = true;
        return true;
    }
#endif
    return false;
}

/* The generator has the state that it would have if halves had been taken one by one. */
static void settle_halves(knrng_reader *r)
{
    knrng_bits *g = r->g;
    size_t taken = (size_t)(r->at32 - r->ahead32);
    uint32_t high = taken ? r->ahead32[(taken - 1) | 1] : g->half; /* of the word that was taken from last */
    if (r->at32 < r->end32) {
        memcpy(&g->words, &r->before, g->kind->bytes);
        g->kind->fill(g, (taken + 1) / 2, r->ahead);
    }
    g->has_half = taken % 2;
    g->half = high;
    r->at32 = r->end32 = NULL;
    r->halves = false;
}

uint32_t knrng_more32(knrng_reader *r)
{
    knrng_bits *g = r->g;
    uint32_t half;
    if (r->pairs && r->batch > 1) {
        refill(r);
        return *r->at32++;
    }
    if (r->pairs) {
        g->kind->fill32(g, 1, &half);
        return half;
    }
    if (r->halves)
        settle_halves(r);
    if (refill_halves(r))
        return *r->at32++;
    g->has_half = !g->has_half;
    if (!g->has_half)
        return g->half;
    uint64_t w = knrng_next64(r);
    g->half = (uint32_t)(w >> 32);
    return (uint32_t)w;
}

uint64_t knrng_more(knrng_reader *r)
{
    if (r->pairs) {
        uint64_t high = knrng_next32(r);
        return high << 32 | knrng_next32(r);
    }
    if (r->halves) {
        settle_halves(r);
        r->mixed = true;
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
    r->mixed = false;
    if (r->halves) {
        settle_halves(r);
    } else if (r->at < r->end) {
        memcpy(&g->words, &r->before, g->kind->bytes);
        g->kind->fill(g, (size_t)(r->at - r->ahead), r->ahead);
    } else if (r->at32 < r->end32) {
        memcpy(&g->words, &r->before, g->kind->bytes);
        g->kind->fill32(g, (size_t)(r->at32 - r->ahead32), r->ahead32);
    }
    r->at = r->end = NULL;
    r->at32 = r->end32 = NULL;
}
