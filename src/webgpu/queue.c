/* SPDX-License-Identifier: Apache-2.0
 * queue.c -- commands are recorded into one encoder, dispatches into one pass of it as long as no copy comes between,
 * and submitted late: when somebody looks, or enough of them are there. What a submission takes from the host, words
 * of dispatches and small uploads, is written in two pieces right before it: an engine's queue keeps such writes in
 * order with submissions, so one buffer serves all. */
#include "base/log.h"
#include "webgpu/gpu.h"
#include "webgpu/library.h"
#include <string.h>

enum { RECORDED_AT_MOST = 256, AHEAD_AT_MOST = 16, UNIFORM_STEP = 256 };

static knx_error *make_buffer(kng_gpu *g, WGPUBufferUsage usage, uint64_t bytes, WGPUBuffer *out)
{
    if (*out)
        return NULL;
    *out = g->api->DeviceCreateBuffer(g->handle, &(WGPUBufferDescriptor){.usage = usage, .size = bytes});
    return kng_check(g, "making a buffer for commands");
}

/* The first command: memory for what comes with commands, once. */
static knx_error *begin(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    KN_TRY(kng_ready(g));
    if (q->encoder)
        return NULL;
    KN_TRY(make_buffer(g, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst, KNG_UNIFORM_BYTES, &q->uniform));
    KN_TRY(make_buffer(g, WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst, KNG_STAGE_BYTES, &q->stage));
    if (!q->words)
        q->words = kng_keep(KNG_UNIFORM_BYTES);
    if (!q->staged)
        q->staged = kng_keep(KNG_STAGE_BYTES);
    if (!q->words || !q->staged)
        return knx_error_nomem();
    q->encoder = g->api->DeviceCreateCommandEncoder(g->handle, NULL);
    return kng_check(g, "recording commands");
}

static void end_pass(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    if (!q->pass)
        return;
    g->api->ComputePassEncoderEnd(q->pass);
    g->api->ComputePassEncoderRelease(q->pass);
    q->pass = NULL;
}

knx_error *kng_encoder(kng_gpu *g, WGPUCommandEncoder *out)
{
    KN_TRY(begin(g));
    end_pass(g);
    *out = g->queue.encoder;
    return NULL;
}

/* ---- Submissions. */

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *env, void *b)
{
    kng_gpu *g = env;
    (void)status, (void)message, (void)b;
    atomic_fetch_add(&g->queue.ended, 1);
}

knx_error *kng_wait_for(kng_gpu *g, uint64_t number)
{
    int64_t since = 0;
    KN_TRY(kng_lost(g));
    kng_pump(g);
    while ((uint64_t)g->queue.ended < number) {
        KN_TRY(kng_pump_again(g, &since));
        KN_TRY(kng_lost(g));
    }
    return kng_check(g, "running commands");
}

static knx_error *submit(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    end_pass(g);
    kng_times_resolve(g);
    WGPUCommandBuffer commands = g->api->CommandEncoderFinish(q->encoder, NULL);
    g->api->CommandEncoderRelease(q->encoder);
    q->encoder = NULL;
    knx_error *error = kng_check(g, "recording commands");
    if (!error) {
        if (q->words_used)
            g->api->QueueWriteBuffer(g->commands, q->uniform, 0, q->words, q->words_used);
        if (q->staged_used)
            g->api->QueueWriteBuffer(g->commands, q->stage, 0, q->staged, q->staged_used);
        g->api->QueueSubmit(g->commands, 1, &commands);
        g->api->QueueOnSubmittedWorkDone(
            g->commands, (WGPUQueueWorkDoneCallbackInfo){
                             .mode = WGPUCallbackMode_AllowProcessEvents, .callback = on_done, .userdata1 = g});
        q->number++;
        g->counters.submits++;
        error = kng_check(g, "running commands");
    }
    if (commands)
        g->api->CommandBufferRelease(commands);
    q->words_used = q->staged_used = 0;
    q->recorded = 0;
    return error;
}

knx_error *kng_submit(kng_gpu *g)
{
    KN_TRY(kng_lost(g));
    if (!g->queue.encoder)
        return NULL;
    KN_TRY(submit(g));
    KN_TRY(kng_times_take(g));
    if (kng_comes_late || g->queue.number <= AHEAD_AT_MOST) { /* a page bounds what is ahead by itself */
        kng_pump(g);
        return NULL;
    }
    return kng_wait_for(g, g->queue.number - 1 - AHEAD_AT_MOST);
}

knx_error *kng_finish(kng_gpu *g)
{
    if (!g->handle)
        return kng_lost(g);
    kng_reading *coming = g->checks.coming;
    g->checks.coming = NULL;
    KN_TRY(coming ? kng_reading_end(g, coming, NULL) : NULL);
    if (kng_checks_unknown(g).n)
        return kng_bring_checks(g); /* what comes down last has waited for all before */
    KN_TRY(kng_submit(g));
    g->counters.waits++;
    return kng_wait_for(g, g->queue.number - 1);
}

knx_error *kng_flush(kng_gpu *g)
{
    if (!g->handle)
        return kng_lost(g);
    kng_pump(g);
    kng_reading *coming = g->checks.coming;
    if (coming && kng_reading_came(coming)) {
        g->checks.coming = NULL;
        KN_TRY(kng_reading_end(g, coming, NULL));
        g->counters.waits--; /* it was there */
    }
    return g->checks.coming || !kng_checks_unknown(g).n ? kng_submit(g)
                                                        : kng_reading_begin(g, NULL, 0, 0, &g->checks.coming);
}

/* One more command is there. */
static knx_error *recorded(kng_gpu *g) { return ++g->queue.recorded >= RECORDED_AT_MOST ? kng_submit(g) : NULL; }

/* ---- Dispatches. */

static knx_error *begin_pass(kng_gpu *g, kng_pipeline *p)
{
    kng_queue *q = &g->queue;
    WGPUPassTimestampWrites times;
    WGPUComputePassDescriptor d = {0};
    if (kng_times_begin(g, p, &times)) { /* a pass of its own */
        end_pass(g);
        d.timestampWrites = &times;
    }
    if (!q->pass)
        q->pass = g->api->CommandEncoderBeginComputePass(q->encoder, &d);
    return NULL;
}

/* Room for words, and how many bytes of the buffer are bound. */
static knx_error *place_words(kng_gpu *g, const uint32_t *words, uint32_t n, uint32_t *at, uint32_t *bound)
{
    kng_queue *q = &g->queue;
    uint32_t step = g->limits.minUniformBufferOffsetAlignment > UNIFORM_STEP ? g->limits.minUniformBufferOffsetAlignment
                                                                             : UNIFORM_STEP;
    *bound = (n * 4 + step - 1) / step * step;
    *bound = *bound ? *bound : step;
    if (*bound > g->limits.maxUniformBufferBindingSize || *bound > KNG_UNIFORM_BYTES)
        return knx_error_new(KN_ERROR_RUNTIME, "device '%s': %u numbers of a launch do not fit its uniform block",
                             g->name, (unsigned)n);
    if (q->words_used + *bound > KNG_UNIFORM_BYTES)
        KN_TRY(kng_submit(g));
    KN_TRY(begin(g));
    *at = q->words_used;
    q->words_used += *bound;
    if (n)
        memcpy(q->words + *at, words, n * 4);
    return NULL;
}

static knx_error *check_slots(const kng_gpu *g, const kng_layout *l, const kng_bound *slot)
{
    for (uint32_t i = 0; i < KNG_SLOTS; i++) {
        if (!(l->slots >> i & 1))
            continue;
        if (!slot[i].memory)
            return knx_error_new(KN_ERROR_ASSERTION, "a shader's memory %u is not given", (unsigned)i);
        uint64_t bytes = slot[i].bytes ? slot[i].bytes : slot[i].memory->room - slot[i].at;
        if (bytes > g->limits.maxStorageBufferBindingSize)
            return knx_error_new(KN_ERROR_MEMORY, "device '%s' binds at most %llu bytes, and a step needs %llu at once",
                                 g->name, (unsigned long long)g->limits.maxStorageBufferBindingSize,
                                 (unsigned long long)bytes);
    }
    return NULL;
}

static void dispatch(kng_gpu *g, const uint32_t grid[3], bool gated, uint64_t gate_at)
{
    kng_queue *q = &g->queue;
    if (!gated) {
        g->api->ComputePassEncoderDispatchWorkgroups(q->pass, grid[0], grid[1], grid[2]);
        return;
    }
    g->api->ComputePassEncoderDispatchWorkgroupsIndirect(q->pass, g->gate.memory->buffer, gate_at);
    g->gate.memory->used = q->number;
}

knx_error *kng_dispatch_text(kng_gpu *g, kng_pipeline *p, const kng_bound *slot, const uint32_t *words,
                             uint32_t n_words, const uint32_t grid[3], const kng_late_word *late, int n_late)
{
    kng_queue *q = &g->queue;
    uint32_t at = 0, bound = 0;
    uint64_t gate_at = 0;
    bool gated = g->gate.on;
    WGPUBindGroup group;
    if (!grid[0] || !grid[1] || !grid[2])
        return NULL;
    KN_TRY(check_slots(g, p->layout, slot));
    KN_TRY(gated ? kng_gate_place(g, grid, &gate_at) : NULL);
    KN_TRY(begin(g));
    if (p->layout->uniform)
        KN_TRY(place_words(g, words, n_words, &at, &bound));
    KN_TRY(kng_group_for(g, p->layout, slot, bound, &group));
    for (int i = 0; i < n_late; i++) {
        end_pass(g);
        g->api->CommandEncoderCopyBufferToBuffer(q->encoder, late[i].from->buffer, late[i].at, q->uniform,
                                                 at + 4 * late[i].word, 4);
        late[i].from->used = q->number;
    }
    KN_TRY(begin_pass(g, p));
    g->api->ComputePassEncoderSetPipeline(q->pass, p->pipeline);
    g->api->ComputePassEncoderSetBindGroup(q->pass, 0, group, p->layout->uniform ? 1 : 0, &at);
    dispatch(g, grid, gated, gate_at);
    for (uint32_t i = 0; i < KNG_SLOTS; i++)
        if (p->layout->slots >> i & 1)
            slot[i].memory->used = q->number;
    p->dispatches++;
    g->counters.dispatches++;
    KN_TRY(kng_check(g, "recording a dispatch"));
    return recorded(g);
}

/* ---- Copies. */

knx_error *kng_copy_words(kng_gpu *g, knd_memory *to, uint64_t to_at, knd_memory *from, uint64_t from_at,
                          uint64_t bytes)
{
    WGPUCommandEncoder encoder;
    if (!bytes)
        return NULL;
    KN_TRY(kng_encoder(g, &encoder));
    g->api->CommandEncoderCopyBufferToBuffer(encoder, from->buffer, from_at, to->buffer, to_at, bytes);
    to->used = from->used = g->queue.number;
    g->counters.copies++;
    KN_TRY(kng_check(g, "copying"));
    return recorded(g);
}

knx_error *kng_stage(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes)
{
    kng_queue *q = &g->queue;
    WGPUCommandEncoder encoder;
    if (q->staged_used + bytes > KNG_STAGE_BYTES)
        KN_TRY(kng_submit(g));
    KN_TRY(kng_encoder(g, &encoder));
    memcpy(q->staged + q->staged_used, from, bytes);
    g->api->CommandEncoderCopyBufferToBuffer(encoder, q->stage, q->staged_used, to->buffer, at, bytes);
    q->staged_used += (uint32_t)bytes;
    to->used = q->number;
    KN_TRY(kng_check(g, "copying to it"));
    return recorded(g);
}
