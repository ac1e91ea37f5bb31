/* SPDX-License-Identifier: Apache-2.0
 * gate.c -- turns of a loop that are recorded before it is known whether they are wanted: their dispatches take the
 * numbers of their workgroups from memory of the device, where a shader makes zeros of them when the loop has ended. */
#include "webgpu/gpu.h"
#include <string.h>

enum { OPEN, PASSED, GRIDS, WORDS = GRIDS + 3 * KNG_GRIDS };

/* Words: 0 the grid's word, 1 to 3 the grid. */
static const char grid_text[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                                "@group(0) @binding(1) var<storage, read_write> gate: array<u32>;\n"
                                "@compute @workgroup_size(1) fn main() {\n"
                                "    let open = gate[0] != 0u;\n"
                                "    gate[w.x] = select(0u, w.y, open);\n"
                                "    gate[w.x + 1u] = select(0u, w.z, open);\n"
                                "    gate[w.x + 2u] = select(0u, w.w, open);\n"
                                "}\n";
/* Words: 0 the byte of the flag, 1 the end of the grids. */
static const char ask_text[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                               "@group(0) @binding(1) var<storage, read_write> gate: array<u32>;\n"
                               "@group(0) @binding(2) var<storage, read> flag: array<u32>;\n"
                               "@compute @workgroup_size(1) fn main() {\n"
                               "    if (gate[0] == 0u) { return; }\n"
                               "    if (((flag[w.x / 4u] >> (8u * (w.x % 4u))) & 255u) != 0u) {\n"
                               "        gate[1] += 1u;\n"
                               "        return;\n"
                               "    }\n"
                               "    gate[0] = 0u;\n"
                               "    for (var i = 2u; i < w.y; i++) { gate[i] = 0u; }\n"
                               "}\n";

static knx_error *make_memory(kng_gpu *g)
{
    knd_memory *m = kng_keep(sizeof *m);
    if (!m)
        return knx_error_nomem();
    m->buffer = g->api->DeviceCreateBuffer(
        g->handle, &(WGPUBufferDescriptor){.usage = WGPUBufferUsage_Storage | WGPUBufferUsage_Indirect |
                                                    WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst,
                                           .size = 4 * WORDS});
    knx_error *error = kng_check(g, "making memory for grids");
    if (error || !m->buffer) {
        if (m->buffer)
            g->api->BufferRelease(m->buffer);
        kng_drop(m);
        return error ? error : knx_error_nomem();
    }
    m->bytes = m->room = 4 * WORDS;
    m->id = g->heap.next_id++;
    g->gate.memory = m;
    return NULL;
}

/* One of the two texts, in front of the gate. */
static knx_error *run(kng_gpu *g, const char *text, const kng_bound *slot, const uint32_t word[4])
{
    kng_pipeline *p;
    bool on = g->gate.on;
    KN_TRY(kng_pipeline_for(g, text, &p));
    g->gate.on = false;
    knx_error *error = kng_dispatch_text(g, p, slot, word, 4, (uint32_t[]){1, 1, 1}, NULL, 0);
    g->gate.on = on;
    kng_pipeline_release(g, p);
    return error;
}

/* A new grid, perhaps in the place of an older one: what was recorded with that comes before. */
static knx_error *add_grid(kng_gpu *g, const uint32_t grid[3], uint32_t *out)
{
    kng_gate *x = &g->gate;
    uint32_t i = x->next, word[4] = {GRIDS + 3 * i, grid[0], grid[1], grid[2]};
    const kng_bound slot[KNG_SLOTS] = {{.memory = x->memory}};
    KN_TRY(run(g, grid_text, slot, word));
    memcpy(x->grid[i], grid, sizeof x->grid[i]);
    x->n = x->n > i ? x->n : i + 1;
    x->next = (i + 1) % KNG_GRIDS;
    *out = i;
    return NULL;
}

knx_error *kng_gate_place(kng_gpu *g, const uint32_t grid[3], uint64_t *at)
{
    uint32_t i = 0;
    while (i < g->gate.n && memcmp(g->gate.grid[i], grid, sizeof g->gate.grid[i]))
        i++;
    KN_TRY(i == g->gate.n ? add_grid(g, grid, &i) : NULL);
    *at = 4 * (GRIDS + 3 * (uint64_t)i);
    return NULL;
}

/* ---- The table. */

static knx_error *open_gate(const knd_device *d)
{
    kng_gpu *g = kng_gpu_of(d);
    uint32_t begin[2] = {[OPEN] = 1, [PASSED] = 0};
    if (g->gate.on)
        return knx_error_new(KN_ERROR_ASSERTION, "a gate behind a gate");
    KN_TRY(kng_ready(g));
    KN_TRY(g->gate.memory ? NULL : make_memory(g));
    KN_TRY(kng_upload(g, g->gate.memory, 0, begin, sizeof begin));
    g->gate.n = g->gate.next = g->gate.passed = 0;
    g->gate.total = 0;
    g->gate.on = true;
    return NULL;
}

/* Of the flag's memory a few bytes are bound: all of it may be more than can be. */
static knx_error *ask(const knd_device *d, knd_memory *flag, size_t at)
{
    kng_gpu *g = kng_gpu_of(d);
    uint64_t begin = at / 256 * 256, bytes = flag->room - begin;
    const kng_bound slot[KNG_SLOTS] = {{.memory = g->gate.memory}, {flag, begin, bytes < 256 ? bytes : 256}};
    uint32_t word[4] = {(uint32_t)(at - begin), GRIDS + 3 * g->gate.n};
    KN_TRY(kng_lost(g));
    return run(g, ask_text, slot, word);
}

static knx_error *count(const knd_device *d, int64_t *passed, bool *open)
{
    kng_gpu *g = kng_gpu_of(d);
    uint32_t now[2];
    KN_TRY(kng_download(g, now, g->gate.memory, 0, sizeof now));
    g->gate.total += now[PASSED] - g->gate.passed;
    g->gate.passed = now[PASSED];
    *passed = g->gate.total;
    *open = now[OPEN] != 0;
    return NULL;
}

static void close_gate(const knd_device *d) { kng_gpu_of(d)->gate.on = false; }

const knd_gate kng_gate_table = {open_gate, ask, count, close_gate};
