/* SPDX-License-Identifier: Apache-2.0
 * hash.c -- hashing of bytes, eight at a time, and the map from hashes to pointers. */
#include "base/hash.h"
#include "base/memory.h"
#include <string.h>

/* The rounds and constants are xxHash64's: each word is mixed by itself before it meets the state, so that neither
 * a regular pattern nor a change in the top bits of neighbouring words cancels. */
static const uint64_t P1 = 0x9e3779b185ebca87u, P2 = 0xc2b2ae3d27d4eb4fu, P3 = 0x165667b19e3779f9u,
                      P4 = 0x85ebca77c2b2ae63u, P5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t x, int r) { return x << r | x >> (64 - r); }
static uint64_t absorb(uint64_t lane, uint64_t word) { return rotate(lane + word * P2, 31) * P1; }

static uint64_t word_at(const unsigned char *p, size_t n) /* n <= 8 bytes, the rest zero */
{
    uint64_t w = 0;
    memcpy(&w, p, n);
    return w;
}

static uint64_t finish(uint64_t h)
{
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

uint64_t knx_hash_bytes(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = seed + P5, total = n;
    if (n >= 32) { /* four lanes: the multiplications overlap */
        uint64_t lane[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
        for (; n >= 32; p += 32, n -= 32)
            for (int i = 0; i < 4; i++)
                lane[i] = absorb(lane[i], word_at(p + 8 * i, 8));
        h = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
        for (int i = 0; i < 4; i++)
            h = (h ^ absorb(0, lane[i])) * P1 + P4;
    }
    h += total;
    for (; n >= 8; p += 8, n -= 8)
        h = rotate(h ^ absorb(0, word_at(p, 8)), 27) * P1 + P4;
    if (n)
        h = rotate(h ^ absorb(0, word_at(p, n)), 27) * P1 + P4;
    return finish(h);
}

/* The map: linear probing in a power of two; three quarters full at most, tombstones included, so that a probe
 * always ends. A slot without a value is empty (hash 0) or a tombstone (hash 1). */

static bool is_empty(const struct knx_table_slot *s) { return !s->value && !s->hash; }
static size_t home(const knx_table *m, uint64_t hash) { return (size_t)(finish(hash) & (m->cap - 1)); }

static void *find_from(const knx_table *m, uint64_t hash, size_t *cursor)
{
    for (size_t i = *cursor;; i = (i + 1) & (m->cap - 1)) {
        const struct knx_table_slot *s = &m->slot[i];
        if ((s->value && s->hash == hash) || is_empty(s)) {
            *cursor = i;
            return s->value;
        }
    }
}

KNX_HOT void *knx_table_first(const knx_table *m, uint64_t hash, size_t *cursor)
{
    *cursor = 0;
    if (!m->cap)
        return NULL;
    *cursor = home(m, hash);
    return find_from(m, hash, cursor);
}

void *knx_table_next(const knx_table *m, uint64_t hash, size_t *cursor)
{
    if (!m->cap || is_empty(&m->slot[*cursor]))
        return NULL;
    *cursor = (*cursor + 1) & (m->cap - 1);
    return find_from(m, hash, cursor);
}

static void place(knx_table *m, uint64_t hash, void *value)
{
    size_t i = home(m, hash);
    while (!is_empty(&m->slot[i])) /* tombstones stay: entries of one hash are met in the order they came */
        i = (i + 1) & (m->cap - 1);
    m->slot[i] = (struct knx_table_slot){hash, value};
    m->used++;
    m->live++;
}

/* Makes the table anew, without tombstones, at most half full. */
static bool rebuild(knx_table *m)
{
    knx_table bigger = {.cap = 16};
    size_t bytes;
    while (bigger.cap / 2 < m->live + 1)
        bigger.cap *= 2;
    if (knx_mul_overflows(bigger.cap, sizeof *m->slot, &bytes) || !(bigger.slot = knx_alloc_zero(bytes)))
        return false;
    /* Begin after an empty slot, so that no run of entries is cut in two and their order is kept. */
    size_t start = 0;
    while (m->cap && !is_empty(&m->slot[start]))
        start++;
    for (size_t i = 0; i < m->cap; i++) {
        const struct knx_table_slot *s = &m->slot[(start + i) & (m->cap - 1)];
        if (s->value)
            place(&bigger, s->hash, s->value);
    }
    knx_free(m->slot);
    *m = bigger;
    return true;
}

bool knx_table_add(knx_table *m, uint64_t hash, void *value)
{
    if (4 * (m->used + 1) > 3 * m->cap && !rebuild(m))
        return false;
    place(m, hash, value);
    return true;
}

bool knx_table_remove(knx_table *m, uint64_t hash, const void *value)
{
    size_t cursor;
    for (const void *v = knx_table_first(m, hash, &cursor); v; v = knx_table_next(m, hash, &cursor)) {
        if (v != value)
            continue;
        bool last = is_empty(&m->slot[(cursor + 1) & (m->cap - 1)]); /* then no probe goes through here */
        m->slot[cursor] = (struct knx_table_slot){.hash = !last};
        m->used -= last;
        m->live--;
        return true;
    }
    return false;
}

KNX_HOT void knx_table_free(knx_table *m)
{
    knx_free(m->slot);
    *m = (knx_table){0};
}
