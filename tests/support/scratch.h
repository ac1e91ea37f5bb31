/* SPDX-License-Identifier: Apache-2.0
 * scratch.h -- the bytes that a kernel needs to run, prepared for the interpreter; 0 without memory. */
#ifndef KN_TESTS_SCRATCH_H
#define KN_TESTS_SCRATCH_H
#include "host/native.h"

static inline bool prepared(const knk_kernel *k)
{
    knx_error *e = knk_prepare(k);
    knx_error_release(e);
    return !e;
}
/* By the interpreter, and by whichever generator of functions. */
static inline size_t interpreter_scratch(const knk_kernel *k) { return prepared(k) ? knk_scratch_bytes(k) : 0; }
static inline size_t any_scratch(const knk_kernel *k, int threads) { return prepared(k) ? knh_scratch_bytes(k, threads) : 0; }
#endif
