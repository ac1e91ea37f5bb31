/* SPDX-License-Identifier: Apache-2.0
 * sites.c -- where arrays are meant to be: a table of (device, did the user put it there, where he wrote that), so
 * that an array has a small number in place of all three. Entries never go; they are found by open addressing. Lines
 * are copies: arrays outlive the library that put them on a device, whose names of files go with it. */
#include "base/hash.h"
#include "base/lock.h"
#include "device/device.h"
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 4096, TRIES = 16, LINES = ENTRIES / 2 }; /* the other half is for devices without a line */
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knd_site table[ENTRIES]; /* but the first two, so that nothing of it lies in the file */
static int lines;               /* entries that have one */
static const knd_site host = {.device = &knd_host};
_Atomic(uint16_t) knd_default_site = KND_NOWHERE;

const knd_site *knd_site_at(uint16_t id) { return id <= KND_HOST_ASKED ? &host : &table[id]; }

static const char *file_of(const kn_place *line) { return line->file ? line->file : ""; }

static bool is_line(const kn_place *a, const kn_place *b)
{
    return !a == !b && (!a || (a->line == b->line && !strcmp(file_of(a), file_of(b))));
}

static bool is_entry(const knd_site *p, const knd_device *d, bool committed, const kn_place *line)
{
    return p->device == d && p->committed == committed && is_line(p->line, line);
}

static uint64_t hash_of(const knd_device *d, bool committed, const kn_place *line)
{
    uint64_t h = knx_hash_mix(1 + committed, (uint64_t)(uintptr_t)d);
    return line ? knx_hash_bytes(file_of(line), strlen(file_of(line)), knx_hash_mix(h, (uint64_t)line->line)) : h;
}

/* With its file's name behind it; of nobody's memory, since it stays. NULL: there is none. */
static const kn_place *copy_of(const kn_place *line)
{
    size_t n = strlen(file_of(line)) + 1;
    kn_place *p = knx_alloc_must_fail() ? NULL : malloc(sizeof *p + n);
    if (p)
        *p = (kn_place){.file = memcpy(p + 1, file_of(line), n), .line = line->line};
    return p;
}

static bool add(knd_site *at, const knd_device *d, bool committed, const kn_place *line)
{
    const kn_place *mine = line && lines < LINES ? copy_of(line) : NULL;
    if (line && !mine)
        return false;
    lines += line != NULL;
    *at = (knd_site){d, mine, committed};
    return true;
}

/* 0: there is no room near the place where it would be looked for, or enough of lines. */
static uint16_t find(const knd_device *d, bool committed, const kn_place *line, uint32_t tries)
{
    uint64_t h = hash_of(d, committed, line);
    for (uint32_t i = 0; i < tries; i++) {
        uint16_t at = (uint16_t)(((h >> 32) + i) % (ENTRIES - 2) + 2);
        if (!table[at].device && !add(&table[at], d, committed, line))
            return 0;
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
