/* SPDX-License-Identifier: Apache-2.0
 * dump.h -- the kernels that a process runs, written to files for tests: KILN_DUMP_KERNELS names a directory.
 *
 * A file has the text of a kernel (knk_text), then what one launch was like:
 *     launch
 *     par 3 4             extents of the parallel loops
 *     inner 0 100         those of the inner loops of stage 0, then of its other loops; a line for each stage with any
 *     map 2 -1 4 0 1      offset and strides of map 2, of parallel, inner and other loops
 *     alias 1 0           buffer 1 begins where buffer 0 does */
#ifndef KN_HOST_DUMP_H
#define KN_HOST_DUMP_H
#include "kernel/kernel.h"
#include <stdatomic.h>

extern atomic_int knh_dumps; /* whether a directory is named; below 0: not known yet */
void knh_dump_new(const knk_kernel *k, const knk_launch *l);
/* Writes the kernel and this launch, if a directory is named and the kernel is not there yet (a file per hash). What
 * fails is left out. */
static inline void knh_dump(const knk_kernel *k, const knk_launch *l)
{
    if (__builtin_expect(atomic_load_explicit(&knh_dumps, memory_order_relaxed) != 0, 0))
        knh_dump_new(k, l);
}
/* The same as text; knx_alloc'ed. */
knx_error *knh_dump_text(const knk_kernel *k, const knk_launch *l, char **out);
#endif
