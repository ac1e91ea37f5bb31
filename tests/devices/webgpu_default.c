/* SPDX-License-Identifier: Apache-2.0
 * webgpu_default.c -- linked to a program of a user, it makes the first WebGPU device the one that everything runs on,
 * with the host's bits; with KILN_TEST_AUTO the device "auto" over it, by costs with which small programs are on both.
 * Where there is none the program ends with 77: skipped. */
#include "device/device.h"
#include "device/offload/offload.h"
#include "webgpu/gpu.h"
#include <stdio.h>
#include <stdlib.h>

static void say(void)
{
    const kng_gpu *g = kng_gpu_at(0);
    const kng_counters *c = &g->counters;
    if (getenv("KILN_TEST_WEBGPU"))
        fprintf(
            stderr,
            "%s: %lld dispatches, %lld copies, %lld submits, %lld waits, %lld pipelines (%lld found again), %lld bind "
            "groups (%lld), %lld bytes up, %lld down\n",
            g->name, (long long)c->dispatches, (long long)c->copies, (long long)c->submits, (long long)c->waits,
            (long long)c->pipelines, (long long)c->pipeline_hits, (long long)c->groups, (long long)c->group_hits,
            (long long)c->bytes_up, (long long)c->bytes_down);
}

static const knd_device *decide_by_costs(const knd_device *d)
{
    const kn_offload_costs c = {.size_ = sizeof c,
                                .up = 1e9,
                                .down = 1e9,
                                .up_latency = 1e-6,
                                .down_latency = 1e-6,
                                .here = {1e-6, 1e8, 1e7, 1e7},
                                .there = {1e-6, 1e9, 1e9, 1e9}};
    kn_offload_set_costs(d->name, &c);
    knd_auto_use(d);
    return &knd_auto;
}

__attribute__((constructor)) static void begin(void)
{
    setenv("XDG_RUNTIME_DIR", "/tmp", 0); /* Mesa wants one */
    setenv("KILN_WEBGPU_EXACT", "1", 0);
    knx_error *error = kng_open();
    if (error) {
        printf("skipped: %s\n", error->message);
        exit(77);
    }
    const knd_device *d = &kng_gpu_at(0)->device;
    knd_set_default(getenv("KILN_TEST_AUTO") ? decide_by_costs(d) : d);
    atexit(say);
}
