/* SPDX-License-Identifier: Apache-2.0
 * hash.h -- one hash for structure keys, and an open-addressing map from 64-bit hashes to pointers. */
#ifndef KN_BASE_HASH_H
#define KN_BASE_HASH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t knx_hash_bytes(const void *p, size_t n, uint64_t seed);
static inline uint64_t knx_hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* Maps a hash to values; several entries may share a hash: walk them with knx_table_first / knx_table_next and compare
 * yourself. Values are not NULL. Starts as { 0 }. Removing the entry that a walk stands on is fine; adding ends the
 * walk. */
typedef struct knx_table {
    struct knx_table_slot {
        uint64_t hash;
        void *value;
    } * slot;
    size_t cap, used, live;
} knx_table;
void *knx_table_first(const knx_table *m, uint64_t hash, size_t *cursor);
void *knx_table_next(const knx_table *m, uint64_t hash, size_t *cursor);
bool knx_table_add(knx_table *m, uint64_t hash, void *value); /* false without memory */
bool knx_table_remove(knx_table *m, uint64_t hash, const void *value);
void knx_table_free(knx_table *m);
#endif
