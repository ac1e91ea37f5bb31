/* SPDX-License-Identifier: Apache-2.0
 * webgpu_run.h -- for tests on a WebGPU device: the device, if this machine has one, and a WGSL text that runs with
 * arrays of the host. */
#ifndef KN_TEST_WEBGPU_RUN_H
#define KN_TEST_WEBGPU_RUN_H
#include "webgpu/gpu.h"

/* The first adapter; NULL: there is none, and the reason has been printed: the test then ends with 77. */
kng_gpu *webgpu_first(void);
/* KN_TEST_EVERY=n: of cases that differ in numbers alone each n-th is enough (a driver in software compiles each of
 * them, and a sanitizer has seen Kiln's part); without it 1. */
int webgpu_every(void);

/* An array that a text has as a memory; what the text writes comes back to `data`. */
typedef struct webgpu_array {
    void *data;
    uint64_t bytes;
} webgpu_array;
/* The text has memory[i] at binding 1 + i, of those that it declares, and the words at binding 0. */
knx_error *webgpu_run(kng_gpu *g, const char *text, int n, const webgpu_array *memory, const uint32_t *words,
                      uint32_t n_words, uint32_t x, uint32_t y);
#endif
