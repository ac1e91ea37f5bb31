/* SPDX-License-Identifier: Apache-2.0
 * read.c -- contents of memories come down, through buffers that can be mapped. A reading begins as a command behind
 * those that were recorded, and ends, perhaps much later, when somebody wants the bytes: only then is there a wait, if
 * they have not come. */
#include "webgpu/gpu.h"
#include <string.h>

enum { AT_ONCE = 1 << 26, SMALLEST = 1 << 16 };

struct kng_reading {
    WGPUBuffer landing;
    uint64_t room;              /* of it */
    uint64_t words, skip, want; /* bytes: of the memory there, before those that are wanted, wanted */
    kng_checks_part checks;     /* what of the records lies behind */
    uint64_t submission;        /* whose end is all that is wanted, if nothing is mapped */
    atomic_int mapped;          /* how mapping it went, and 1; 0: not known yet */
    bool given_up;              /* nobody waits: who answers frees it */
};

/* ---- Buffers that can be mapped: a few are kept. */

static int smallest_that_holds(const kng_heap *h, uint64_t bytes)
{
    int found = -1;
    for (int i = 0; i < KNG_LANDINGS; i++)
        if (h->landing[i] && h->landing_room[i] >= bytes && (found < 0 || h->landing_room[i] < h->landing_room[found]))
            found = i;
    return found;
}

static knx_error *take_landing(kng_gpu *g, uint64_t bytes, kng_reading *r)
{
    kng_heap *h = &g->heap;
    int i = smallest_that_holds(h, bytes);
    if (i >= 0) {
        r->landing = h->landing[i];
        r->room = h->landing_room[i];
        h->landing[i] = NULL;
        return NULL;
    }
    const uint64_t most = g->limits.maxBufferSize / 4 * 4;
    r->room = kng_room_for(bytes < SMALLEST ? SMALLEST : bytes);
    r->room = r->room > most && bytes <= most ? most : r->room;
    r->landing = g->api->DeviceCreateBuffer(
        g->handle,
        &(WGPUBufferDescriptor){.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, .size = r->room});
    knx_error *error = kng_check(g, "making memory to copy from it");
    if (error || !r->landing)
        return error ? error : knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory to copy through", g->name);
    return NULL;
}

/* One that is not mapped: it stays in the place of a smaller one, but what a whole large array came through. */
static void keep_landing(kng_gpu *g, kng_reading *r)
{
    kng_heap *h = &g->heap;
    int at = 0;
    if (r->room > 2 * (uint64_t)AT_ONCE) {
        g->api->BufferRelease(r->landing);
        r->landing = NULL;
        return;
    }
    for (int i = 0; i < KNG_LANDINGS; i++) {
        if (!h->landing[i]) {
            at = i;
            break;
        }
        at = h->landing_room[i] < h->landing_room[at] ? i : at;
    }
    if (h->landing[at] && h->landing_room[at] >= r->room) {
        g->api->BufferRelease(r->landing);
    } else {
        if (h->landing[at])
            g->api->BufferRelease(h->landing[at]);
        h->landing[at] = r->landing;
        h->landing_room[at] = r->room;
    }
    r->landing = NULL;
}

/* ---- Readings. */

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *env, void *b)
{
    kng_reading *r = env;
    (void)message, (void)b;
    r->mapped = (int)status + 1;
    if (r->given_up)
        kng_drop(r);
}

/* Whoever answers frees it, perhaps when the buffer is released; without a question nobody answers. */
static void give_up(kng_gpu *g, kng_reading *r)
{
    WGPUBuffer landing = r->landing;
    bool asked = landing && !r->mapped;
    r->landing = NULL;
    r->given_up = true;
    if (!asked)
        kng_drop(r);
    if (landing && !g->forked)
        g->api->BufferRelease(landing);
}

void kng_reading_drop(kng_gpu *g, kng_reading *r)
{
    if (r)
        give_up(g, r);
}

static knx_error *record(kng_gpu *g, kng_reading *r, knd_memory *from, uint64_t begin)
{
    WGPUCommandEncoder encoder;
    KN_TRY(take_landing(g, r->words + kng_checks_bytes(&r->checks), r));
    KN_TRY(kng_encoder(g, &encoder));
    if (from) {
        g->api->CommandEncoderCopyBufferToBuffer(encoder, from->buffer, begin, r->landing, 0, r->words);
        from->used = g->queue.number;
    }
    kng_checks_copy(g, &r->checks, encoder, r->landing, r->words);
    g->queue.recorded++;
    return kng_submit(g);
}

knx_error *kng_reading_begin(kng_gpu *g, knd_memory *from, uint64_t at, uint64_t bytes, kng_reading **out)
{
    uint64_t begin = at / 4 * 4;
    *out = NULL;
    KN_TRY(kng_ready(g));
    kng_reading *r = kng_keep(sizeof *r);
    if (!r)
        return knx_error_nomem();
    r->skip = at - begin;
    r->want = bytes;
    r->words = from ? (r->skip + bytes + 3) / 4 * 4 : 0;
    r->checks = kng_checks_unknown(g);
    knx_error *error = r->words || r->checks.n ? record(g, r, from, begin) : kng_submit(g);
    if (error) {
        if (r->landing && !g->forked)
            g->api->BufferRelease(r->landing);
        kng_drop(r);
        return error;
    }
    if (r->landing)
        g->api->BufferMapAsync(r->landing, WGPUMapMode_Read, 0, r->words + kng_checks_bytes(&r->checks),
                               (WGPUBufferMapCallbackInfo){
                                   .mode = WGPUCallbackMode_AllowProcessEvents, .callback = on_map, .userdata1 = r});
    r->submission = g->queue.number - 1;
    *out = r;
    return NULL;
}

static knx_error *wait_for(kng_gpu *g, kng_reading *r)
{
    kng_pump(g);
    for (int64_t since = 0; !r->mapped;) {
        KN_TRY(kng_pump_again(g, &since));
        KN_TRY(r->mapped ? NULL : kng_check(g, "copying from it"));
    }
    return kng_check(g, "copying from it");
}

static bool read_mapped(kng_gpu *g, WGPUBuffer from, size_t at, void *to, size_t n)
{
    if (!n)
        return true;
    if (!g->api->BufferGetConstMappedRange)
        return g->api->BufferReadMappedRange(from, at, to, n) == WGPUStatus_Success;
    /* Ranges begin at multiples of 8, and end at multiples of 4. */
    const uint8_t *p = g->api->BufferGetConstMappedRange(from, 0, (at + n + 3) / 4 * 4);
    if (p)
        memcpy(to, p + at, n);
    return p != NULL;
}

bool kng_read_mapped(kng_gpu *g, WGPUBuffer from, void *to, size_t n) { return read_mapped(g, from, 0, to, n); }

static knx_error *take_contents(kng_gpu *g, kng_reading *r, void *to)
{
    size_t n = kng_checks_bytes(&r->checks);
    uint32_t *records = n ? kng_keep(n) : NULL;
    knx_error *error = n && !records ? knx_error_nomem() : NULL;
    if (!error && (r->mapped != WGPUMapAsyncStatus_Success + 1 || !read_mapped(g, r->landing, r->skip, to, r->want) ||
                   !read_mapped(g, r->landing, r->words, records, n)))
        error = knx_error_new(KN_ERROR_RUNTIME, "device '%s' does not give what is in its memory (status %d)", g->name,
                              r->mapped - 1);
    if (!error && n)
        error = kng_checks_take(g, &r->checks, records);
    kng_drop(records);
    return error;
}

bool kng_reading_came(const kng_reading *r) { return r->landing && r->mapped; }

knx_error *kng_reading_end(kng_gpu *g, kng_reading *r, void *to)
{
    g->counters.waits++;
    if (!r->landing) {
        uint64_t submission = r->submission;
        kng_drop(r);
        return kng_wait_for(g, submission);
    }
    knx_error *error = kng_lost(g);
    error = error ? error : wait_for(g, r);
    error = error ? error : take_contents(g, r, to);
    if (error) {
        give_up(g, r);
        return error;
    }
    g->api->BufferUnmap(r->landing);
    keep_landing(g, r);
    kng_drop(r);
    return NULL;
}

knx_error *kng_download(kng_gpu *g, void *to, knd_memory *from, uint64_t at, uint64_t bytes)
{
    KN_TRY(kng_ready(g));
    g->counters.bytes_down += (int64_t)bytes;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < AT_ONCE ? bytes - done : AT_ONCE;
        kng_reading *r;
        KN_TRY(kng_reading_begin(g, from, at + done, part, &r));
        KN_TRY(kng_reading_end(g, r, (uint8_t *)to + done));
        done += part;
    }
    return NULL;
}

knx_error *kng_bring_checks(kng_gpu *g)
{
    kng_reading *r;
    KN_TRY(kng_reading_begin(g, NULL, 0, 0, &r));
    return kng_reading_end(g, r, NULL);
}

/* ---- The table. */

static knx_error *begin(const knd_device *d, knd_memory *from, size_t at, size_t bytes, void **coming)
{
    kng_gpu *g = kng_gpu_of(d);
    kng_reading *r = NULL;
    knx_error *error = kng_reading_begin(g, from, at, bytes, &r);
    *coming = r;
    return error;
}

static knx_error *end(const knd_device *d, void *coming, void *to)
{
    kng_reading *r = coming;
    kng_gpu *g = kng_gpu_of(d);
    g->counters.bytes_down += (int64_t)r->want;
    return kng_reading_end(g, r, to);
}

static void drop(const knd_device *d, void *coming) { kng_reading_drop(kng_gpu_of(d), coming); }

const knd_ahead kng_ahead_table = {begin, end, drop};
