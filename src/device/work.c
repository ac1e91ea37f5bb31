/* SPDX-License-Identifier: Apache-2.0
 * work.c -- what devices are asked to do, counted for each: memory, copies, launches. */
#include "base/clock.h"
#include "base/context.h"
#include "device/device.h"
#include "kiln/offload.h"
#include <string.h>

/* Devices that were at work, under their lock. */
enum { MOST = 32 };
typedef struct counted {
    const knd_device *device;
    char name[32];
    kn_device_counts counts;
} counted;
static counted all[MOST], others;

static kn_device_counts *counts_of(const knd_device *d)
{
    for (int i = 0; i < MOST; i++) {
        if (all[i].device == d)
            return &all[i].counts;
        if (!all[i].device) {
            all[i].device = d;
            strncpy(all[i].name, d->name, sizeof all[i].name - 1);
            return &all[i].counts;
        }
    }
    return &others.counts;
}

void knd_forget_work(const knd_device *d)
{
    int n = 0, at = -1;
    knd_lock();
    for (; n < MOST && all[n].device; n++)
        at = all[n].device == d ? n : at;
    if (at >= 0) {
        all[at] = all[n - 1];
        all[n - 1] = (counted){0};
    }
    knd_unlock();
}

/* ---- Memory. */

void knd_count_memory(const knd_device *d, size_t bytes)
{
    kn_device_counts *c = counts_of(d);
    c->allocations++;
    c->memory_live += (int64_t)bytes;
    c->memory_peak = c->memory_live > c->memory_peak ? c->memory_live : c->memory_peak;
}

knx_error *knd_alloc(const knd_device *d, size_t bytes, knd_memory **out)
{
    KN_TRY(d->alloc(d, bytes, out));
    knd_count_memory(d, bytes);
    return NULL;
}

void knd_free(const knd_device *d, knd_memory *m, size_t bytes)
{
    if (!m)
        return;
    for (int i = 0; i < MOST && all[i].device; i++) /* of one that went away nothing is counted */
        if (all[i].device == d)
            all[i].counts.memory_live -= (int64_t)bytes;
    d->free(d, m);
}

/* ---- Copies and launches; the time is the caller's: what a device does behind his back is not in it. */

knx_error *knd_copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->copy_in(d, to, at, from, bytes));
    kn_device_counts *c = counts_of(d);
    c->uploads++;
    c->bytes_up += (int64_t)bytes;
    c->copy_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

knx_error *knd_copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->copy_out(d, to, from, at, bytes));
    kn_device_counts *c = counts_of(d);
    c->downloads++;
    c->bytes_down += (int64_t)bytes;
    c->copy_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

knx_error *knd_end_copy_out(const knd_device *d, void *coming, void *to, size_t bytes)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->ahead->end(d, coming, to));
    kn_device_counts *c = counts_of(d);
    c->downloads++;
    c->bytes_down += (int64_t)bytes;
    c->copy_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

knx_error *knd_copy_there(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                          size_t bytes)
{
    KN_TRY(d->copy(d, to, to_at, from, from_at, bytes));
    counts_of(d)->copies++;
    return NULL;
}

knx_error *knd_launch(const knd_device *d, void *prepared, const knd_place *at)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->launch(d, prepared, at));
    kn_device_counts *c = counts_of(d);
    c->launches++;
    c->launch_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

/* All turns together count as one launch, and a wait as what comes down. */
knx_error *knd_run_turns(const knd_device *d, void *prepared, const knd_turns *t, bool waits, knd_turned *out)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->loops->run(d, prepared, t, out));
    kn_device_counts *c = counts_of(d);
    c->launches += out->ran;
    c->downloads += out->ran && waits;
    c->bytes_down += out->ran && waits ? (int64_t)sizeof(uint32_t) : 0;
    c->launch_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

/* It counts as what comes down: a wait for a few bytes. */
knx_error *knd_gate_count(const knd_device *d, int64_t *passed, bool *open)
{
    int64_t begin = knx_nanoseconds();
    KN_TRY(d->gate->count(d, passed, open));
    kn_device_counts *c = counts_of(d);
    c->downloads++;
    c->bytes_down += (int64_t)sizeof *passed;
    c->copy_seconds += (double)(knx_nanoseconds() - begin) * 1e-9;
    return NULL;
}

/* ---- For users. */

static counted *find(const char *name)
{
    for (int i = 0; i < MOST && all[i].device; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return NULL;
}

/* Is there such a device, whether it was at work or not? */
static bool is_known(const char *name)
{
    knd_lock();
    bool known = find(name) != NULL;
    knd_unlock();
    return known || knd_find(name);
}

static int refuse(const char *operation, const char *device)
{
    knx_report_new(operation, device ? KN_ERROR_VALUE : KN_ERROR_TYPE,
                   device ? "there is no device '%s'" : "the name is null", device);
    return -1;
}

int kn_device_count(const char *device, kn_device_counts *out)
{
    size_t size = out ? out->size_ : 0;
    if (!device || !is_known(device))
        return refuse("device_count", device);
    if (size < sizeof size) {
        knx_report_new("device_count", KN_ERROR_TYPE, "the result is null, or its size_ is not set");
        return -1;
    }
    knd_lock();
    const counted *c = find(device);
    kn_device_counts now = c ? c->counts : (kn_device_counts){0};
    knd_unlock();
    now.size_ = size;
    memcpy(out, &now, size < sizeof now ? size : sizeof now);
    return 0;
}

int kn_device_forget_counts(const char *device)
{
    if (!device || !is_known(device))
        return refuse("device_forget_counts", device);
    knd_lock();
    counted *c = find(device);
    if (c)
        c->counts = (kn_device_counts){.memory_live = c->counts.memory_live, .memory_peak = c->counts.memory_live};
    knd_unlock();
    return 0;
}
