/* SPDX-License-Identifier: Apache-2.0
 * kinds.h -- the kinds of steps that the files of this folder make. */
#ifndef KN_WEBGPU_ROUTINE_KINDS_H
#define KN_WEBGPU_ROUTINE_KINDS_H
#include "webgpu/routine/routine.h"

extern const kng_kind kng_cumsum, kng_cumprod, kng_cummax, kng_cummin;
extern const kng_kind kng_sort, kng_argsort, kng_top_k, kng_partition, kng_searchsorted, kng_argmax, kng_argmin;
#endif
