/* SPDX-License-Identifier: Apache-2.0
 * target.h -- what the compiler has to know of the device that a program is made for. It asks nothing else: a device
 * brings its facts, and the compiler knows no device. */
#ifndef KN_COMPILE_TARGET_H
#define KN_COMPILE_TARGET_H
#include "kernel/kernel.h"

typedef struct knc_target {
    const char *name;
    uint32_t dtypes;       /* bit per knx_dtype_id that its kernels can load, compute and store */
    uint8_t index_bits;    /* of the positions that its kernels compute with: 32 or 64 */
    uint16_t max_buffers;  /* that one kernel reads and writes, but for literals, and single equations with more */
    uint32_t alignment;    /* of everything that a kernel is given, in bytes: a power of 2, at least 64 */
    size_t first_cache;    /* bytes that one worker has to itself at the speed of its arithmetic */
    size_t second_cache;   /* bytes that one worker has to itself at several times the speed of memory */
    double ns_per_unit;    /* nanoseconds of a unit of work (knk_cost) on one worker: which work is worth another one */
    const struct knc_band_limits *bands; /* it runs some rows of several steps at a time (docs/products.md); NULL: it
                                            does not */
    bool starts;           /* it runs routines in halves, with other steps in between */
    bool segments;         /* it runs the boxes of a launch with kernels of their own */
    /* May this kernel, which has at most KNC_ATTACHED_MAPS maps, be a part of a product's step, which calls it for
     * rectangles of elements? NULL: none may. */
    bool (*attaches)(const knk_kernel *k);
    bool joins_all; /* a step of its own costs more than any value's way through memory: such kernels join products
                       whatever the sizes */
} knc_target;

enum { KNC_ATTACHED_MAPS = 96 };

/* When steps that share rows are worth a band, in bytes. */
typedef struct knc_band_limits {
    size_t value; /* a smaller value between two steps is no reason for a band */
    size_t again; /* a smaller value is kept in memory rather than made again */
    size_t sums;  /* a set with sums over the rows has to save so much, since sums in parts cost more than whole ones */
    size_t whole; /* operands that each block reads as a whole stay in a cache up to this size */
    size_t block; /* the blocks that are worked on by one worker, together */
    size_t routine; /* a set of kernels and routines has to save so much: less stays in the cache anyhow; 0: no routine
                       is a part of a band */
} knc_band_limits;

/* Does the target have kernels of this dtype? */
static inline bool knc_target_has(const knc_target *t, int dtype_id)
{
    return dtype_id < 32 ? t->dtypes >> dtype_id & 1 : t->dtypes == UINT32_MAX;
}
#endif
