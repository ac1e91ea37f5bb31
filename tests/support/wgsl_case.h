/* SPDX-License-Identifier: Apache-2.0
 * wgsl_case.h -- a kernel with a launch and data as a device with words for memory has them, and what the interpreter
 * makes of it. */
#ifndef KN_SUPPORT_WGSL_CASE_H
#define KN_SUPPORT_WGSL_CASE_H
#include "support/kernel_case.h"
#include "support/stages.h"
#include "wgsl/wgsl.h"

enum { WGSL_MEMORIES = 64 };

/* Pieces of memory, each of one dtype: before, and as the interpreter leaves them. */
typedef struct wgsl_piece {
    int dtype, memory;
    size_t at, bytes; /* in its memory */
    char *before, *after;
} wgsl_piece;

typedef struct wgsl_case {
    knk_kernel *k;
    knw_launch l;
    uint8_t *memory;
    uint32_t *at;
    int n_memory, n_piece;
    wgsl_piece piece[WGSL_MEMORIES];
    size_t bytes[WGSL_MEMORIES]; /* of each memory, a multiple of 4 */
} wgsl_case;

/* together: all buffers lie in one memory. False: there is no data that fits. The case refers to its source. */
bool wgsl_case_of_kernel(kernel_case *from, uint64_t seed, bool together, wgsl_case *to);
bool wgsl_case_of_scene(const scene *from, bool together, wgsl_case *to);
void wgsl_case_free(wgsl_case *c);
/* The bytes of a memory before, for n_memory of them; `bytes` of it have room. */
void wgsl_case_fill(const wgsl_case *c, int memory, char *to);
/* Elements of a memory that differ from what the interpreter left, NaNs being equal; `where`: the first of them. */
int64_t wgsl_case_differences(const wgsl_case *c, int memory, const char *got, char *where, size_t room);
#endif
