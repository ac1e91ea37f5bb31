/* SPDX-License-Identifier: Apache-2.0
 * sites.c -- where arrays are meant to be: a table of (device, did the user put it there, where he wrote that), so
 * that an array has a small number in place of all three. Entries never go; they are found by open addressing. */
#include "base/hash.h"
#include "base/lock.h"
#include "device/device.h"

enum { ENTRIES = 4096, TRIES = 16, LINES = ENTRIES / 2 }; /* the other half is for devices without a line */
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knd_site table[ENTRIES]; /* but the first two, so that nothing of it lies in the file */
static int lines;               /* entries that have one */
static const knd_site host = {.device = &knd_host};
_Atomic(uint16_t) knd_default_site = KND_NOWHERE;

const knd_site *knd_site_at(uint16_t id) { return id <= KND_HOST_ASKED ? &host : &table[id]; }

static bool is_entry(const knd_site *p, const knd_device *d, bool committed, const kn_place *line)
{
    return p->device == d && p->committed == committed && p->line == line;
}

/* 0: there is no room near the place where it would be looked for, or enough of lines. */
static uint16_t find(const knd_device *d, bool committed, const kn_place *line, uint32_t tries)
{
    uint64_t h = knx_hash_mix(knx_hash_mix(1 + committed, (uint64_t)(uintptr_t)d), (uint64_t)(uintptr_t)line);
    for (uint32_t i = 0; i < tries; i++) {
        uint16_t at = (uint16_t)(((h >> 32) + i) % (ENTRIES - 2) + 2);
        if (!table[at].device) {
            if (line && lines == LINES)
                return 0;
            lines += line != NULL;
            table[at] = (knd_site){d, line, committed};
        }
        if (is_entry(&table[at], d, committed, line))
            return at;
    }
    return 0;
}

uint16_t knd_site_of(const knd_device *d, bool committed, const kn_place *line)
{
    if (d == &knd_host && !committed)
        return KND_NOWHERE;
    knx_global_lock_take(&lock);
    uint16_t at = find(d, committed, committed ? line : NULL, TRIES);
    if (!at) /* without the line, wherever there is room */
        at = find(d, committed, NULL, ENTRIES);
    knx_global_unlock(&lock);
    return at;
}
