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

/* Maps a hash to values; several entries may share a hash: walk them with knx_map_first / knx_map_next and compare
 * yourself. Values are not NULL. Starts as { 0 }. Removing the entry that a walk stands on is fine; adding ends the
 * walk. */
typedef struct kn_map { struct kn_map_slot { uint64_t hash; void *value; } *slot; size_t cap, used, live; } kn_map;
void *knx_map_first(const kn_map *m, uint64_t hash, size_t *cursor);
void *knx_map_next(const kn_map *m, uint64_t hash, size_t *cursor);
bool knx_map_add(kn_map *m, uint64_t hash, void *value); /* false without memory */
bool knx_map_remove(kn_map *m, uint64_t hash, const void *value);
void knx_map_free(kn_map *m);
#endif
