/* SPDX-License-Identifier: Apache-2.0
 * webgpu_run.c -- see webgpu_run.h. */
#include "support/webgpu_run.h"
#include <stdio.h>
#include <stdlib.h>

kng_gpu *webgpu_first(void)
{
    setenv("XDG_RUNTIME_DIR", "/tmp", 0); /* Mesa wants one */
    knx_error *error = kng_open();
    if (!error)
        return kng_gpu_at(0);
    printf("skipped: %s\n", error->message);
    knx_error_release(error);
    return NULL;
}

int webgpu_every(void)
{
    const char *text = getenv("KN_TEST_EVERY");
    return text && atoi(text) > 1 ? atoi(text) : 1;
}

static knx_error *run(kng_gpu *g, kng_pipeline *p, int n, const webgpu_array *memory, const uint32_t *words,
                      uint32_t n_words, uint32_t x, uint32_t y)
{
    kng_bound slot[KNG_SLOTS] = {0};
    knx_error *error = NULL;
    for (int i = 0; !error && i < n; i++) {
        error = kng_alloc(g, memory[i].bytes, &slot[i].memory);
        if (!error)
            error = kng_upload(g, slot[i].memory, 0, memory[i].data, memory[i].bytes);
    }
    if (!error)
        error = kng_dispatch_text(g, p, slot, words, n_words, (uint32_t[]){x, y, 1}, NULL, 0);
    for (int i = 0; i < n; i++) {
        if (!error && p->layout->written >> i & 1)
            error = kng_download(g, memory[i].data, slot[i].memory, 0, memory[i].bytes);
        if (slot[i].memory)
            kng_free(g, slot[i].memory);
    }
    return error;
}

knx_error *webgpu_run(kng_gpu *g, const char *text, int n, const webgpu_array *memory, const uint32_t *words,
                      uint32_t n_words, uint32_t x, uint32_t y)
{
    kng_pipeline *p = NULL;
    knd_lock();
    knx_error *error = kng_pipeline_for(g, text, &p);
    if (!error)
        error = run(g, p, n, memory, words, n_words, x, y);
    kng_pipeline_release(g, p);
    knd_unlock();
    return error;
}
