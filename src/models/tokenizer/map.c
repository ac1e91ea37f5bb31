/* SPDX-License-Identifier: Apache-2.0
 * map.c -- texts and their numbers, pairs of numbers, the vocabulary. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

uint32_t kntok_hash(const void *s, size_t n)
{
    const uint8_t *at = s;
    uint64_t h = n * 0x9e3779b97f4a7c15u, k;
    for (; n >= 8; n -= 8, at += 8) {
        memcpy(&k, at, 8);
        h = (h ^ k) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    k = 0;
    for (size_t i = 0; i < n; i++)
        k |= (uint64_t)at[i] << 8 * i;
    h = (h ^ k) * 0xd6e8feb86659fd93u;
    return (uint32_t)(h ^ h >> 32);
}

static kntok_slot *find(const kntok_map *m, uint32_t hash, const void *s, size_t n)
{
    for (uint32_t i = hash & m->mask;; i = (i + 1) & m->mask) {
        kntok_slot *slot = &m->slot[i];
        if (slot->id < 0 || (slot->hash == hash && slot->n == n && !memcmp(m->text.at + slot->at, s, n)))
            return slot;
    }
}

int32_t kntok_map_get(const kntok_map *m, const void *s, size_t n)
{
    if (!m->slot || n > m->longest)
        return -1;
    return find(m, kntok_hash(s, n), s, n)->id;
}

static bool grow(kntok_map *m)
{
    uint32_t size = m->slot ? (m->mask + 1) * 2 : 64, before = m->slot ? m->mask + 1 : 0;
    kntok_slot *old = m->slot, *slot = knbeside_alloc(size, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t i = 0; i < size; i++)
        slot[i].id = -1;
    m->slot = slot;
    m->mask = size - 1;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].id >= 0)
            for (uint32_t j = old[i].hash & m->mask;; j = (j + 1) & m->mask)
                if (slot[j].id < 0) {
                    slot[j] = old[i];
                    break;
                }
    free(old);
    return true;
}

bool kntok_map_set(kntok_map *m, const void *s, size_t n, int32_t id)
{
    static const char nothing[1];
    if (m->n >= UINT32_MAX / 4 || n > UINT32_MAX / 4 || m->text.n > UINT32_MAX - n - 1)
        return false;
    if ((!m->slot || m->n + m->n / 2 > m->mask) && !grow(m))
        return false;
    uint32_t hash = kntok_hash(s, n);
    kntok_slot *slot = find(m, hash, s, n);
    if (slot->id < 0) {
        size_t at = m->text.n;
        knbeside_put(&m->text, s, n);
        knbeside_put(&m->text, nothing, 1);
        if (m->text.failed) /* the slot stays free */
            return false;
        *slot = (kntok_slot){hash, (uint32_t)at, (uint32_t)n, id};
        m->n++;
        if (n > m->longest)
            m->longest = (uint32_t)n;
    }
    slot->id = id;
    return true;
}

void kntok_map_free(kntok_map *m)
{
    free(m->slot);
    knbeside_bytes_free(&m->text);
    *m = (kntok_map){0};
}

/* ---- Pairs. */

static void place(kntok_pairs *m, kntok_pair pair)
{
    for (uint64_t i = pair.key * 0x9e3779b97f4a7c15u >> 20 & m->mask;; i = (i + 1) & m->mask)
        if (!m->slot[i].key || m->slot[i].key == pair.key) {
            m->n += !m->slot[i].key;
            m->slot[i] = pair;
            return;
        }
}

bool kntok_pairs_set(kntok_pairs *m, int32_t a, int32_t b, uint32_t rank, int32_t to)
{
    if (!m->slot || m->n * 2 > m->mask) {
        uint64_t size = m->slot ? (m->mask + 1) * 2 : 64, before = m->slot ? m->mask + 1 : 0;
        kntok_pair *old = m->slot, *slot = knbeside_alloc(size, sizeof *slot);
        if (!slot)
            return false;
        m->slot = slot;
        m->mask = size - 1;
        m->n = 0;
        for (uint64_t i = 0; i < before; i++)
            if (old[i].key)
                place(m, old[i]);
        free(old);
    }
    place(m, (kntok_pair){((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1, rank, to});
    return true;
}

/* ---- The vocabulary. */

int kntok_vocab_finish(const char *op, kntok_vocab *v)
{
    int64_t top = 0;
    uint32_t slots = v->map.slot ? v->map.mask + 1 : 0;
    for (uint32_t i = 0; i < slots; i++)
        if (v->map.slot[i].id >= top)
            top = (int64_t)v->map.slot[i].id + 1;
    if (top > 16 * (int64_t)v->map.n + 65536)
        return knbeside_fail(op, KN_ERROR_VALUE, "the vocabulary has %u tokens, but one of them has the number %lld",
                             (unsigned)v->map.n, (long long)top - 1);
    free(v->of);
    v->of = knbeside_alloc((uint64_t)top, sizeof *v->of);
    if (!v->of)
        return knbeside_no_memory(op);
    v->top = (int32_t)top;
    v->count = v->map.n;
    for (uint32_t i = 0; i < slots; i++) {
        const kntok_slot *s = &v->map.slot[i];
        if (s->id < 0 || (v->of[s->id].there && v->of[s->id].at > s->at)) /* of two, the later one */
            continue;
        v->of[s->id].at = s->at;
        v->of[s->id].n = s->n;
        v->of[s->id].there = true;
    }
    return 0;
}

void kntok_vocab_free(kntok_vocab *v)
{
    kntok_map_free(&v->map);
    free(v->of);
    *v = (kntok_vocab){0};
}

bool kntok_grow(void *at, size_t *room, size_t need, size_t size)
{
    void *old;
    if (need <= *room)
        return true;
    size_t more = *room * 2 > need ? *room * 2 : need + 64;
    memcpy(&old, at, sizeof old);
    void *grown = more > SIZE_MAX / 2 / size ? NULL : realloc(old, more * size);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *room = more;
    return true;
}
