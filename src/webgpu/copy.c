/* SPDX-License-Identifier: Apache-2.0
 * copy.c -- copies within and between memories at any byte: an engine's own copies move whole words between two
 * buffers, the rest is a shader. An invocation makes one word of the target from two of the source, and keeps what does
 * not belong to the copy. */
#include "webgpu/gpu.h"

enum { GROUP = 64, MOST_GROUPS = 65535 };

/* Words: 0 the target's first byte, 1 the source's, 2 bytes, 3 invocations along x. */
#define COPY_BODY(from)                                                                              \
    "fn word(i: u32) -> u32 { return select(0u, " from "[i], i < arrayLength(&" from ")); }\n"       \
    "@compute @workgroup_size(64)\n"                                                                 \
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"                                      \
    "    let first = w.x / 4u;\n"                                                                    \
    "    let last = (w.x + w.z + 3u) / 4u;\n"                                                        \
    "    let i = first + id.x + id.y * w.w;\n"                                                       \
    "    if (i >= last) { return; }\n"                                                               \
    "    var keep = 0u;\n"                                                                           \
    "    if (i * 4u < w.x) { keep = (1u << ((w.x & 3u) * 8u)) - 1u; }\n"                             \
    "    let end = w.x + w.z;\n"                                                                     \
    "    if (i * 4u + 4u > end) { keep |= 0xffffffffu << ((end & 3u) * 8u); }\n"                     \
    "    let at = i * 4u + w.y - w.x;\n" /* of the source's bytes; wraps below 0 for what is kept */ \
    "    let k = bitcast<u32>(bitcast<i32>(at) >> 2u);\n"                                            \
    "    let low = (at & 3u) * 8u;\n"                                                                \
    "    var v = word(k) >> low;\n"                                                                  \
    "    if (low != 0u) { v |= word(k + 1u) << (32u - low); }\n"                                     \
    "    a[i] = (a[i] & keep) | (v & ~keep);\n"                                                      \
    "}\n"
static const char between[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                              "@group(0) @binding(1) var<storage, read_write> a: array<u32>;\n"
                              "@group(0) @binding(2) var<storage, read> b: array<u32>;\n" COPY_BODY("b");
static const char within[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                             "@group(0) @binding(1) var<storage, read_write> a: array<u32>;\n" COPY_BODY("a");

/* A window of the memory that the device can bind. */
static kng_bound window(const kng_gpu *g, knd_memory *m, uint64_t *at, uint64_t bytes)
{
    uint64_t begin = *at / 256 * 256, size = m->room - begin;
    if (m->room <= g->limits.maxStorageBufferBindingSize && m->room <= UINT32_MAX)
        return (kng_bound){.memory = m};
    *at -= begin;
    bytes = (*at + bytes + 3 + 255) / 256 * 256;
    return (kng_bound){m, begin, bytes < size ? bytes : size};
}

/* Within one memory the two parts do not overlap. */
static knx_error *by_shader(kng_gpu *g, knd_memory *to, uint64_t to_at, knd_memory *from, uint64_t from_at,
                            uint64_t bytes)
{
    kng_pipeline *p;
    kng_bound slot[KNG_SLOTS] = {0};
    if (to == from) {
        uint64_t first = to_at < from_at ? to_at : from_at, at = first;
        slot[0] = window(g, to, &at, (to_at > from_at ? to_at : from_at) + bytes - first);
        to_at -= first - at;
        from_at -= first - at;
    } else {
        slot[0] = window(g, to, &to_at, bytes);
        slot[1] = window(g, from, &from_at, bytes);
    }
    uint64_t words = (to_at + bytes + 3) / 4 - to_at / 4, groups = (words + GROUP - 1) / GROUP;
    if (to_at + bytes > UINT32_MAX || from_at + bytes > UINT32_MAX)
        return knx_error_new(KN_ERROR_MEMORY, "device '%s': a copy beyond 4 GiB of a memory", g->name);
    uint32_t x = groups < MOST_GROUPS ? (uint32_t)groups : MOST_GROUPS;
    uint32_t word[4] = {(uint32_t)to_at, (uint32_t)from_at, (uint32_t)bytes, x * GROUP};
    uint32_t grid[3] = {x, (uint32_t)((groups + x - 1) / x), 1};
    KN_TRY(kng_pipeline_for(g, to == from ? within : between, &p));
    knx_error *error = kng_dispatch_text(g, p, slot, word, 4, grid, NULL, 0);
    kng_pipeline_release(g, p);
    return error;
}

knx_error *kng_copy(kng_gpu *g, knd_memory *to, uint64_t to_at, knd_memory *from, uint64_t from_at, uint64_t bytes)
{
    KN_TRY(kng_ready(g));
    if (!bytes || (to == from && to_at == from_at))
        return NULL;
    if (to != from) {
        /* What follows the end of both memories belongs to nobody. */
        uint64_t whole = to_at + bytes >= to->bytes && (to_at + bytes + 3) / 4 * 4 <= to->room &&
                                 (from_at + bytes + 3) / 4 * 4 <= from->room
                             ? (bytes + 3) / 4 * 4
                             : bytes;
        /* An engine's own copies know no gate. */
        if (to_at % 4 == 0 && from_at % 4 == 0 && whole % 4 == 0 && !g->gate.on)
            return kng_copy_words(g, to, to_at, from, from_at, whole);
        return by_shader(g, to, to_at, from, from_at, bytes);
    }
    bool overlap = to_at < from_at + bytes && from_at < to_at + bytes;
    /* Two parts that share a word are as bad as two that overlap, or that one binding cannot have. */
    overlap |= to_at / 4 <= (from_at + bytes - 1) / 4 && from_at / 4 <= (to_at + bytes - 1) / 4;
    overlap |=
        (to_at < from_at ? from_at - to_at : to_at - from_at) + bytes + 512 > g->limits.maxStorageBufferBindingSize;
    if (!overlap)
        return by_shader(g, to, to_at, from, from_at, bytes);
    knd_memory *m;
    KN_TRY(kng_alloc(g, bytes, &m));
    knx_error *error = kng_copy(g, m, 0, from, from_at, bytes);
    if (!error)
        error = kng_copy(g, to, to_at, m, 0, bytes);
    kng_free(g, m);
    return error;
}
