/* SPDX-License-Identifier: Apache-2.0
 * native.h -- running kernels: stage functions are made when they are first needed and kept with the kernel. */
#ifndef KN_HOST_NATIVE_H
#define KN_HOST_NATIVE_H
#include "host/generators.h"

/* Runs a kernel, which is prepared for the interpreter: knk_interpret's meaning. threads: at most so many, 1: this one
 * alone. scratch: knh_scratch_bytes(k, threads) bytes, 64-byte aligned. No allocation, lock or system call once all
 * stage functions that it needs exist, but for waking workers. For tests and tools; programs go through
 * knh_prepare_in. */
knx_error *knh_run_on(const knh_generator *g, const knk_kernel *k, const knk_launch *launch, void *scratch,
                      int threads);
size_t knh_scratch_bytes(const knk_kernel *k, int threads); /* of a kernel that is prepared for the interpreter, too */

double knh_operations(const knk_kernel *k); /* knk_cost, found once */

/* The functions that are made for the launches of one program, if their generator finishes them together
 * (host/stage/generator.h). It is a thread's own; {0} is an empty one. Nothing that is planned with it runs before it
 * is finished. */
typedef struct knh_made knh_made;
typedef struct knh_batch {
    knh_made **made;
    int n, room;
} knh_batch;
/* Empties it. False: some are not there; what was planned is of no use, and without a batch it can be planned again. */
bool knh_finish_batch(knh_batch *b);

/* A launch thought through: which loops go where, which functions. It depends on extents and strides, not on addresses,
 * and serves all launches that differ in addresses only, with any number of threads, while its kernel lives. `room`:
 * knh_plan_bytes(k) bytes, at a multiple of 16, which must stay. batch: may be NULL. *out NULL: knk_interpret is to run
 * everything, which the kernel is then prepared for. */
typedef struct knh_prepared knh_prepared;
size_t knh_plan_bytes(const knk_kernel *k); /* 0: it is interpreted */
knx_error *knh_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                          const knh_prepared **out);
/* Makes of p, which no one uses, what it would be for another launch of its kernel, if all that was decided for it is
 * right for that one, too: then only numbers change. Of segments: their launches have other numbers now. False: it is
 * not, or it takes longer to find out than to think again; p is of no use any more. */
bool knh_prepare_again(const knh_prepared *p, const knk_launch *launch);
bool knh_runs_alone(const knh_prepared *p); /* there is not enough work for a second thread */
size_t knh_prepared_scratch(const knh_prepared *p, int threads); /* bytes that it needs: at most knh_scratch_bytes */
/* Errors are those of who ends what runs (kn_set_poll), which loops ask about: then what was to be stored is undefined.
 * Where workers of the pool run launches, the thread that they work for has to look for itself (knx_take_stop). */
knx_error *knh_run_prepared(const knh_prepared *p, const knk_launch *launch, void *scratch, int threads);
/* The same at other places: the offsets of the maps are launch->map's, not those that it was prepared with. On this
 * thread. */
knx_error *knh_run_moved(const knh_prepared *p, const knk_launch *launch, void *scratch);

/* A launch that is one call of one function: its arguments but for addresses. Stream i begins at args->stream[i].at in
 * buffer number buffer[i]; -1: that is all. */
typedef struct knh_one {
    knh_function *f;
    const knh_args *args;
    const int16_t *buffer;
    int n_stream;
} knh_one;
bool knh_one_call(const knh_prepared *p, int threads, knh_one *out); /* false: it is not one */

/* A launch in segments: a kernel of its own for each of some boxes that its points are cut into (kernel/narrow.h). All
 * of it lies where it is and must stay. */
typedef struct knh_segment {
    const knk_kernel *kernel;
    const knh_prepared *prepared; /* not NULL */
    knk_launch launch;            /* but for the buffers */
    const int16_t *buffer;        /* per buffer of its kernel: which of the whole's; NULL: they are the same */
} knh_segment;
enum { KNH_SEGMENT_BUFFERS = 64 }; /* of a segment with a list of its own */
/* In knh_segments_bytes() bytes at `room`; for knh_run_prepared, not for knh_run_moved. */
size_t knh_segments_bytes(void);
const knh_prepared *knh_join_segments(void *room, int n, const knh_segment *segment);

/* The stage functions of the process: made, their bytes, seconds spent; and how often a launch had to fall back on the
 * interpreter. */
typedef struct knh_counts {
    uint64_t functions, fallbacks;
    size_t bytes;
    double seconds;
} knh_counts;
knh_counts knh_count(void);
#endif
