/* SPDX-License-Identifier: Apache-2.0
 * webgpu_default.c -- linked to a program of a user, it makes the first WebGPU device the one that everything runs on,
 * with the host's bits. Where there is none the program ends with 77: skipped. */
#include "device/device.h"
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

__attribute__((constructor)) static void begin(void)
{
    setenv("XDG_RUNTIME_DIR", "/tmp", 0); /* Mesa wants one */
    setenv("KILN_WEBGPU_EXACT", "1", 0);
    knx_error *error = kng_open();
    if (error) {
        printf("skipped: %s\n", error->message);
        exit(77);
    }
    knd_set_default(&kng_gpu_at(0)->device);
    atexit(say);
}
