/* SPDX-License-Identifier: Apache-2.0
 * product_made.c -- the table of the functions of products. */
#include "host/stage/product_made.h"
#include "base/clock.h"
#include "base/hash.h"
#include "host/stage/stage.h"
#include <stdatomic.h>

enum { SLOTS = 1 << 14 };
static struct {
    atomic_uint_fast64_t key; /* the request, 0: free */
    _Atomic(knh_product_function *) f;
    void *keep; /* so that its memory is known to be in use */
    atomic_bool refused;
} table[SLOTS];

/* Never 0: there is a row. */
static uint64_t key_of(const knh_product_request *r, int kind, int extra)
{
    const uint8_t part[8] = {
        r->number, (uint8_t)kind, r->rows,   r->vectors,
        r->lanes,  r->b_from,     r->a_from, (uint8_t)(r->a_signed | r->b_signed << 1 | r->minus << 3 | extra << 4)};
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key |= (uint64_t)part[i] << 8 * i;
    return key;
}

static int slot_of(uint64_t key)
{
    uint32_t at = (uint32_t)knx_hash_bytes(&key, sizeof key, 0);
    for (int tries = 0; tries < SLOTS; tries++, at++) {
        uint_fast64_t there = atomic_load_explicit(&table[at % SLOTS].key, memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong(&table[at % SLOTS].key, &there, key))
            return (int)(at % SLOTS);
        if (there == key)
            return (int)(at % SLOTS);
    }
    return -1;
}

/* What two threads make at once, one of them throws away. */
static knh_product_function *make_and_keep(const knh_product_making *m, const knh_product_request *r, int kind,
                                           int slot)
{
    void *keep = NULL;
    size_t bytes = 0;
    knh_product_function *mine = NULL, *first = NULL;
    uint64_t start = (uint64_t)knx_nanoseconds();
    knx_error *e = m->make(r, kind, &mine, &keep, &bytes);
    if (e) {
        atomic_store(&table[slot].refused, !knx_error_passes(e));
        knx_error_release(e);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&table[slot].f, &first, mine)) {
        m->drop(keep);
        return first;
    }
    table[slot].keep = keep;
    knh_note_made(1, (int64_t)bytes, (uint64_t)knx_nanoseconds() - start);
    return mine;
}

knh_product_function *knh_product_made(const knh_product_making *m, const knh_product_request *r, int kind, int extra)
{
    int slot = slot_of(key_of(r, kind, extra));
    if (slot < 0)
        return NULL;
    knh_product_function *f = atomic_load_explicit(&table[slot].f, memory_order_acquire);
    return f || atomic_load_explicit(&table[slot].refused, memory_order_relaxed) ? f : make_and_keep(m, r, kind, slot);
}
