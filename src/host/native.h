/* SPDX-License-Identifier: Apache-2.0
 * native.h -- running kernels: stage functions are made when they are first needed and kept with the kernel. */
#ifndef KN_HOST_NATIVE_H
#define KN_HOST_NATIVE_H
#include "host/generators.h"

/* Runs a kernel: knk_interpret's meaning. threads: at most so many, 1: this one alone. scratch: kng_scratch_bytes(k,
 * threads) bytes, 64-byte aligned. No allocation, lock or system call once all stage functions that it needs exist
 * (kng_prepare), but for waking workers. */
void kng_run(const knk_kernel *k, const knk_launch *launch, void *scratch, int threads);
void kng_run_on(const kng_generator *g, const knk_kernel *k, const knk_launch *launch, void *scratch, int threads);
size_t kng_scratch_bytes(const knk_kernel *k, int threads);
/* Makes the stage functions that such a launch needs now. Not an error where the interpreter will run it. */
kn_error *kng_prepare(const knk_kernel *k, const knk_launch *launch, int threads);

/* A launch thought through: which loops go where, which functions. It depends on extents and strides, not on addresses,
 * and serves all launches that differ in addresses only, with any number of threads, while its kernel lives. `room`:
 * kng_plan_bytes(k) bytes, at a multiple of 16, which must stay. NULL: the interpreter is to run everything. */
typedef struct kng_prepared kng_prepared;
size_t kng_plan_bytes(const knk_kernel *k); /* 0: it is interpreted */
const kng_prepared *kng_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch);
size_t kng_prepared_scratch(const kng_prepared *p, int threads); /* bytes that it needs: at most kng_scratch_bytes */
void kng_run_prepared(const kng_prepared *p, const knk_launch *launch, void *scratch, int threads);
/* The same at other places: the offsets of the maps are launch->map's, not those that it was prepared with. On this
 * thread. */
void kng_run_moved(const kng_prepared *p, const knk_launch *launch, void *scratch);

/* A launch that is one call of one function: its arguments but for addresses. Stream i begins at args->stream[i].at in
 * buffer number buffer[i]; -1: that is all. */
typedef struct kng_one {
    kng_function *f;
    const kng_args *args;
    const int16_t *buffer;
    int n_stream;
} kng_one;
bool kng_one_call(const kng_prepared *p, int threads, kng_one *out); /* false: it is not one */

/* A launch in segments: a kernel of its own for each of some boxes that its points are cut into (kernel/narrow.h). All
 * of it lies where it is and must stay. */
typedef struct kng_segment {
    const knk_kernel *kernel;
    const kng_prepared *prepared; /* not NULL */
    knk_launch launch;            /* but for the buffers */
    const int16_t *buffer;        /* per buffer of its kernel: which of the whole's; NULL: they are the same */
} kng_segment;
enum { KNG_SEGMENT_BUFFERS = 64 }; /* of a segment with a list of its own */
/* In kng_segments_bytes() bytes at `room`; for kng_run_prepared, not for kng_run_moved. */
size_t kng_segments_bytes(void);
const kng_prepared *kng_join_segments(void *room, int n, const kng_segment *segment);

/* The stage functions of the process: made, their bytes, seconds spent; and how often a launch had to fall back on the
 * interpreter. */
typedef struct kng_counts {
    uint64_t functions, fallbacks;
    size_t bytes;
    double seconds;
} kng_counts;
kng_counts kng_count(void);
#endif
