/* SPDX-License-Identifier: Apache-2.0
 * webgpu.c -- the device that programs run on in the ways "far" and "auto", and on which "placed" puts operands: the one
 * of tests/devices, or with KILN_TEST_WEBGPU=1 the first WebGPU device (KILN_WEBGPU_EXACT=1: with the host's bits).
 * Without an engine the program ends with 77. */
#include "devices/devices.h"
#include "programs.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if KN_HAVE_WEBGPU
#include "webgpu/band.h"
#include "webgpu/gpu.h"

static const knd_device *first_webgpu(void)
{
    knx_error *e = kng_open();
    kng_band_bytes = 256; /* values are small; several blocks */
    if (!e)
        return &kng_gpu_at(0)->device;
    printf("skipped: %s\n", e->message);
    exit(77);
}
#else
static const knd_device *first_webgpu(void)
{
    printf("skipped: this Kiln was built without WebGPU\n");
    exit(77);
}
#endif

/* Asked in a process of its own: an engine that is open does not survive a fork. */
void far_or_skip(void)
{
    int status = 0;
    if (!getenv("KILN_TEST_WEBGPU"))
        return;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        far_now();
        _exit(0);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 77)
        exit(77);
}

const knd_device *far_now(void)
{
    static const knd_device *d;
    if (!d)
        d = getenv("KILN_TEST_WEBGPU") ? first_webgpu() : &far_device;
    return d;
}
