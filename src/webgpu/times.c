/* SPDX-License-Identifier: Apache-2.0
 * times.c -- the time of each dispatch, where the adapter has timestamps and somebody asks (KILN_WEBGPU_TIMES=1): each
 * gets a pass of its own, and each submission is waited for, so what is measured is the dispatches and nothing else. */
#include "base/log.h"
#include "webgpu/gpu.h"

enum { TIMED_AT_MOST = 1024 };

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *env, void *b)
{
    (void)message, (void)b;
    *(atomic_int *)env = (int)status + 1;
}

static knx_error *open_times(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    q->timed = kng_keep(TIMED_AT_MOST * sizeof(kng_pipeline *));
    if (!q->timed)
        return knx_error_nomem();
    q->times = g->api->DeviceCreateQuerySet(
        g->handle, &(WGPUQuerySetDescriptor){.type = WGPUQueryType_Timestamp, .count = 2 * TIMED_AT_MOST});
    q->resolved = g->api->DeviceCreateBuffer(
        g->handle, &(WGPUBufferDescriptor){.usage = WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc,
                                           .size = 16 * TIMED_AT_MOST});
    q->read = g->api->DeviceCreateBuffer(
        g->handle, &(WGPUBufferDescriptor){.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                           .size = 16 * TIMED_AT_MOST});
    return kng_check(g, "asking for times");
}

bool kng_times_begin(kng_gpu *g, kng_pipeline *p, WGPUPassTimestampWrites *out)
{
    kng_queue *q = &g->queue;
    if (!g->take_times || q->n_timed == TIMED_AT_MOST)
        return false;
    if (!q->timed) {
        knx_error *error = g->can_time ? open_times(g) : NULL;
        if (error || !g->can_time) { /* the work goes on without */
            knx_error_release(error);
            g->take_times = false;
            return false;
        }
    }
    *out = (WGPUPassTimestampWrites){
        .querySet = q->times, .beginningOfPassWriteIndex = 2 * q->n_timed, .endOfPassWriteIndex = 2 * q->n_timed + 1};
    p->refs++; /* until its time is known */
    q->timed[q->n_timed++] = p;
    return true;
}

/* Before the commands are finished. */
void kng_times_resolve(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    if (!q->n_timed)
        return;
    g->api->CommandEncoderResolveQuerySet(q->encoder, q->times, 0, 2 * q->n_timed, q->resolved, 0);
    g->api->CommandEncoderCopyBufferToBuffer(q->encoder, q->resolved, 0, q->read, 0, 16 * (uint64_t)q->n_timed);
}

static void add_up(kng_gpu *g, const uint64_t *t)
{
    kng_queue *q = &g->queue;
    for (uint32_t i = 0; i < q->n_timed; i++) {
        kng_pipeline *p = q->timed[i];
        int64_t ns = t && t[2 * i + 1] > t[2 * i] ? (int64_t)(t[2 * i + 1] - t[2 * i]) : 0;
        p->nanoseconds += ns;
        g->counters.nanoseconds += ns;
        KN_LOG(2, "device %s: pipeline %u ran for %lld ns", g->name, p->number, (long long)ns);
        kng_pipeline_release(g, p);
    }
    q->n_timed = 0;
}

knx_error *kng_times_take(kng_gpu *g)
{
    kng_queue *q = &g->queue;
    knx_error *error = NULL;
    if (!q->n_timed)
        return NULL;
    q->times_mapped = 0;
    g->api->BufferMapAsync(q->read, WGPUMapMode_Read, 0, 16 * (size_t)q->n_timed,
                           (WGPUBufferMapCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                       .callback = on_map,
                                                       .userdata1 = &q->times_mapped});
    for (int64_t since = 0; !q->times_mapped && !error;) {
        error = kng_pump_again(g, &since);
        error = error || q->times_mapped ? error : kng_check(g, "reading times");
    }
    uint64_t *t = kng_keep(16 * (size_t)q->n_timed);
    bool well = !error && q->times_mapped == WGPUMapAsyncStatus_Success + 1;
    add_up(g, well && t && kng_read_mapped(g, q->read, t, 16 * (size_t)q->n_timed) ? t : NULL);
    kng_drop(t);
    if (well)
        g->api->BufferUnmap(q->read);
    return error;
}
