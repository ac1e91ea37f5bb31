/* SPDX-License-Identifier: Apache-2.0
 * host.c -- the host as a device: its target facts, and how its steps run. */
#include "device/host/run.h"

/* The caches are those of a usual core of today. They decide what is joined, so they are the same everywhere: a program
 * looks the same on all hosts, and its decisions can be tested. */
static const knc_band_limits bands = {
    .value = 256 << 10, .again = 4 << 20, .sums = 16 << 20, .whole = 2 << 20, .block = 1 << 20, .routine = 2 << 20};
#define TARGET(cuts)                                                                                          \
    {                                                                                                         \
        .name = "host", .dtypes = UINT32_MAX, .index_bits = 64, .max_buffers = 64, .alignment = 64,           \
        .first_cache = 32 << 10, .second_cache = 2 << 20, .ns_per_unit = 10000. / (1 << 16), .bands = &bands, \
        .starts = true, .segments = (cuts), .attaches = knh_fits_rect                                         \
    }

/* Without machine code a launch has no segments: the interpreter asks each point where it lies anyway. */
static const knc_target *target(const knd_device *d)
{
    static const knc_target targets[] = {TARGET(false), TARGET(true)};
    (void)d;
    return &targets[knh_generator_best() != &knh_interpreter];
}

static int support_of(const knc_step *s, const knh_prepared *prepared)
{
    if (knc_is_kernel(s))
        return prepared ? KN_SUPPORT_NATIVE : KN_SUPPORT_INTERPRETED;
    return s->kind == KNC_PRODUCT ? KN_SUPPORT_NATIVE : KN_SUPPORT_ROUTINE;
}

int knd_step_support(const knd_loaded *l, uint32_t step)
{
    const knc_step *s = &l->program->step[step];
    const knd_host_step *x = &knd_host_of(l)->step[step];
    if (s->kind != KNC_BAND)
        return support_of(s, knc_is_kernel(s) ? x->prepared : NULL);
    for (uint32_t i = 0; i < s->u.band->n_step; i++)
        if (support_of(&s->u.band->step[i].step, x->band->step[i].prepared[0]) == KN_SUPPORT_INTERPRETED)
            return KN_SUPPORT_INTERPRETED;
    return KN_SUPPORT_NATIVE;
}

const knd_device knd_host = {.name = "host",
                             .target = target,
                             .load = knd_host_load,
                             .unload = knd_host_unload,
                             .reload = knd_host_reload,
                             .run = knd_host_run};
