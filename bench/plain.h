/* SPDX-License-Identifier: Apache-2.0
 * plain.h -- what rows of tables do, as one writes it in C without Kiln: loops that the compiler is told to do its best
 * with. One thread. */
#ifndef KN_BENCH_PLAIN_H
#define KN_BENCH_PLAIN_H
#include "work.h"

typedef void plain_function(const work_memory *);
plain_function plain_sort_f32, plain_searchsorted;
#endif
