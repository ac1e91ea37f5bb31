/* SPDX-License-Identifier: Apache-2.0
 * device.c -- the table of a device of WebGPU. */
#include "base/log.h"
#include "device/steps/steps.h"
#include "host/rect.h"
#include "webgpu/plan.h"
#include <stdio.h>
#include <string.h>

static const knc_target *target(const knd_device *d) { return &kng_gpu_of(d)->target; }

static knx_error *alloc(const knd_device *d, size_t bytes, knd_memory **out)
{
    return kng_alloc(kng_gpu_of(d), bytes, out);
}
static void free_memory(const knd_device *d, knd_memory *m) { kng_free(kng_gpu_of(d), m); }

static knx_error *copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes)
{
    return kng_upload(kng_gpu_of(d), to, at, from, bytes);
}
static knx_error *copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    return kng_download(kng_gpu_of(d), to, from, at, bytes);
}
static knx_error *copy(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                       size_t bytes)
{
    return kng_copy(kng_gpu_of(d), to, to_at, from, from_at, bytes);
}

static const char *refuses(const knd_device *d, const knc_program *p, const knc_step *s)
{
    return kng_refuses(kng_gpu_of(d), p, s);
}
static knx_error *prepare(const knd_device *d, const knc_program *p, const knc_step *s, void **out)
{
    kng_prepared *x = NULL;
    knx_error *error = kng_prepare(kng_gpu_of(d), p, s, &x);
    *out = x;
    return error;
}
static void discard(const knd_device *d, void *prepared) { kng_discard(kng_gpu_of(d), prepared); }
static knx_error *launch(const knd_device *d, void *prepared, const knd_place *at)
{
    return kng_launch(kng_gpu_of(d), prepared, at);
}
static knx_error *wait(const knd_device *d) { return kng_finish(kng_gpu_of(d)); }

static bool by_value(const knd_device *d, const knc_step *s, uint32_t r)
{
    (void)d;
    return kng_may_give(s, r);
}

static knx_error *begin_checks(const knd_device *d, uint64_t *number, uint64_t *outer)
{
    return kng_checks_begin(kng_gpu_of(d), number, outer);
}
static void end_checks(const knd_device *d, uint64_t outer) { kng_checks_end(kng_gpu_of(d), outer); }
static knx_error *name_check(const knd_device *d, const kn_place *place, const char *operation)
{
    return kng_checks_name(kng_gpu_of(d), place, operation);
}
static uint64_t known(const knd_device *d) { return kng_gpu_of(d)->checks.known; }
static knx_error *failed(const knd_device *d, uint64_t number) { return kng_checks_failed(kng_gpu_of(d), number); }

static const kn_device_info *info(const knd_device *d) { return &kng_gpu_of(d)->info; }

/* Whoever draws from it submits to the same queue, after what is submitted here. */
static knx_error *share(const knd_device *d, knd_memory *m, kn_device_handle *out)
{
    kng_gpu *g = kng_gpu_of(d);
    KN_TRY(kng_ready(g));
    KN_TRY(kng_submit(g));
    out->device = g->handle;
    out->queue = g->commands;
    out->buffer = m->buffer;
    out->offset = 0;
    return kng_check(g, "running commands");
}

static const char *told(const char *text) { return text[0] ? text : NULL; }

static void describe(kng_gpu *g)
{
    snprintf(g->features, sizeof g->features, "%s%s%s", g->can_f16 ? "shader-f16 " : "",
             g->can_subgroups ? "subgroups " : "", g->can_time ? "timestamp-query " : "");
    size_t n = strlen(g->features);
    if (n)
        g->features[n - 1] = 0;
    g->info = (kn_device_info){.size_ = sizeof g->info,
                               .description = told(g->label),
                               .vendor = told(g->vendor),
                               .driver = told(g->driver_name),
                               .features = told(g->features),
                               .most_buffer_bytes = g->limits.maxBufferSize,
                               .most_buffers = g->target.max_buffers,
                               .alignment = (int)g->target.alignment,
                               .index_bits = g->target.index_bits};
}

/* In software a wait costs less than the dispatches that turn out to be none. */
static bool goes_ahead(const kng_gpu *g)
{
    int asked = knx_env()->webgpu_ahead;
    return asked < 0 ? g->type != WGPUAdapterType_CPU : asked;
}

/* How much one worker of a GPU has at hand is not told: what is common. */
enum { FIRST_CACHE = 32 << 10, SECOND_CACHE = 1 << 20 };
/* Blocks have work for all workers of the device, and stay in the cache that they share where it is large. */
static const knc_band_limits bands = {
    .value = 8 << 20, .again = 16 << 20, .sums = 32 << 20, .whole = 32 << 20, .block = 16 << 20};

/* A product that the device refuses runs on the host with its kernels, so the host must have them, too. */
static bool attaches(const knk_kernel *k)
{
    return knh_fits_rect(k) && !knw_refuses(k) && k->n_buffer <= KNW_MOST_MEMORIES;
}

void kng_make_device(kng_gpu *g)
{
    uint32_t slots = g->limits.maxStorageBuffersPerShaderStage;
    slots = (slots < KNG_SLOTS ? slots : KNG_SLOTS) - 1; /* one is for scratch */
    g->target = (knc_target){.name = g->name,
                             .dtypes = ~(1u << KN_ID_F64 | 1u << KN_ID_C128),
                             .index_bits = 32,
                             .max_buffers = (uint16_t)slots,
                             .alignment = 256,
                             .first_cache = FIRST_CACHE,
                             .second_cache = SECOND_CACHE,
                             .ns_per_unit = 0.01,
                             .bands = &bands,
                             .attaches = attaches,
                             .joins_all = true};
    g->take_times = knx_env()->webgpu_times;
    describe(g);
    g->device = (knd_device){.name = g->name,
                             .info = info,
                             .share = share,
                             .gate = goes_ahead(g) ? &kng_gate_table : NULL,
                             .loops = &kng_loops_table,
                             .ahead = &kng_ahead_table,
                             .by_value = by_value,
                             .begin_checks = begin_checks,
                             .end_checks = end_checks,
                             .name_check = name_check,
                             .known = known,
                             .failed = failed,
                             KND_STEPS_TABLE};
}
