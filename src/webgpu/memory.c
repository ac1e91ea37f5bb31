/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- memory of an adapter. Sizes go by classes, four to each doubling; what is freed waits in its class for
 * the next who asks, and is given back when too much waits. Commands run in the order in which they were recorded, so
 * memory that a recorded command still needs may be had by later ones at once. */
#include "webgpu/gpu.h"
#include <string.h>

enum { SMALLEST = 256, STAGED_AT_MOST = 1 << 16, KEPT_AT_LEAST = 1 << 28, WRITTEN_AT_ONCE = 1 << 26 };

/* Class 4 i + j holds (4 + j) * 64 << i bytes. */
static uint64_t class_bytes(int c) { return (uint64_t)(4 + c % 4) * (SMALLEST / 4) << c / 4; }
static int class_of(uint64_t bytes)
{
    int c = bytes > SMALLEST ? 4 * (55 - __builtin_clzll(bytes)) : 0;
    while (class_bytes(c) < bytes)
        c++;
    return c;
}

static void give_back(kng_gpu *g, knd_memory *m)
{
    kng_groups_drop(g, m->id);
    if (!g->forked)
        g->api->BufferRelease(m->buffer);
    kng_drop(m);
}

void kng_trim(kng_gpu *g, uint64_t keep)
{
    for (int c = KNG_POOLS - 1; c >= 0 && g->heap.kept > keep; c--) {
        while (g->heap.free[c] && g->heap.kept > keep) {
            knd_memory *m = g->heap.free[c];
            g->heap.free[c] = m->next;
            g->heap.kept -= m->room;
            give_back(g, m);
        }
    }
}

knx_error *kng_memory_new(kng_gpu *g, uint64_t room, knd_memory **out)
{
    knd_memory *m = kng_keep(sizeof *m);
    if (!m)
        return knx_error_nomem();
    m->buffer = g->api->DeviceCreateBuffer(
        g->handle,
        &(WGPUBufferDescriptor){.usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst,
                                .size = room});
    knx_error *error = kng_check(g, "allocating memory");
    if (!error && !m->buffer)
        error = knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory for %llu bytes", g->name,
                              (unsigned long long)room);
    if (error) {
        if (m->buffer)
            g->api->BufferRelease(m->buffer);
        kng_drop(m);
        return error;
    }
    m->room = room;
    m->id = g->heap.next_id++;
    *out = m;
    return NULL;
}

knx_error *kng_alloc(kng_gpu *g, uint64_t bytes, knd_memory **out)
{
    *out = NULL;
    KN_TRY(kng_ready(g));
    uint64_t most = g->limits.maxBufferSize / SMALLEST * SMALLEST; /* an engine may say 2^31 - 1 */
    if (bytes > most)
        return knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory for %llu bytes at once: at most %llu", g->name,
                             (unsigned long long)bytes, (unsigned long long)most);
    int c = class_of(bytes);
    uint64_t room = class_bytes(c) < most ? class_bytes(c) : most;
    knd_memory *m = g->heap.free[c];
    if (m) {
        g->heap.free[c] = m->next;
        g->heap.kept -= m->room;
    } else {
        knx_error *error = kng_memory_new(g, room, &m);
        if (error && error->kind == KN_ERROR_MEMORY && g->heap.kept) { /* what waits may be what is missing */
            knx_error_release(error);
            KN_TRY(kng_finish(g));
            kng_trim(g, 0);
            error = kng_memory_new(g, room, &m);
        }
        KN_TRY(error);
        m->pool = (uint8_t)c;
    }
    m->bytes = bytes;
    m->next = NULL;
    g->heap.live += m->room;
    g->heap.most = g->heap.live > g->heap.most ? g->heap.live : g->heap.most;
    g->heap.n_live++;
    *out = m;
    return NULL;
}

void kng_free(kng_gpu *g, knd_memory *m)
{
    g->heap.live -= m->room;
    g->heap.n_live--;
    if (g->lost) {
        give_back(g, m);
        return;
    }
    m->next = g->heap.free[m->pool];
    g->heap.free[m->pool] = m;
    g->heap.kept += m->room;
    uint64_t most = g->heap.live / 2 > KEPT_AT_LEAST ? g->heap.live / 2 : KEPT_AT_LEAST;
    if (g->heap.kept > most)
        kng_trim(g, most / 2);
}

uint64_t kng_room_for(uint64_t bytes) { return class_bytes(class_of(bytes)); }

/* ---- Up. */

static knx_error *upload_words(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes)
{
    if (to->used == g->queue.number && bytes <= STAGED_AT_MOST)
        return kng_stage(g, to, at, from, bytes);
    if (to->used == g->queue.number) /* recorded commands come first */
        KN_TRY(kng_submit(g));
    for (uint64_t done = 0, part; done < bytes; done += part) { /* an engine keeps a copy of each until it is sent */
        part = bytes - done < WRITTEN_AT_ONCE ? bytes - done : WRITTEN_AT_ONCE;
        g->api->QueueWriteBuffer(g->commands, to->buffer, at + done, (const uint8_t *)from + done, part);
        if (part == WRITTEN_AT_ONCE) {
            g->api->QueueSubmit(g->commands, 0, NULL);
            kng_pump(g);
        }
    }
    return kng_check(g, "copying to it");
}

/* Some bytes of words whose other bytes must stay: by way of a memory that begins as they do. */
static knx_error *upload_bytes(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes)
{
    knd_memory *between;
    uint8_t word[8] = {0};
    memcpy(word, from, bytes);
    KN_TRY(kng_alloc(g, sizeof word, &between));
    knx_error *error = upload_words(g, between, 0, word, sizeof word);
    if (!error)
        error = kng_copy(g, to, at, between, 0, bytes);
    kng_free(g, between);
    return error;
}

knx_error *kng_upload(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes)
{
    const uint8_t *p = from;
    uint64_t head = at % 4 ? 4 - at % 4 : 0;
    KN_TRY(kng_ready(g));
    head = head < bytes ? head : bytes;
    g->counters.bytes_up += (int64_t)bytes;
    if (head)
        KN_TRY(upload_bytes(g, to, at, p, head));
    at += head;
    p += head;
    bytes -= head;
    uint64_t whole = bytes / 4 * 4, tail = bytes % 4;
    if (whole)
        KN_TRY(upload_words(g, to, at, p, whole));
    if (tail && at + bytes >= to->bytes) { /* nobody has what follows */
        uint8_t word[4] = {0};
        memcpy(word, p + whole, tail);
        return upload_words(g, to, at + whole, word, sizeof word);
    }
    return tail ? upload_bytes(g, to, at + whole, p + whole, tail) : NULL;
}
