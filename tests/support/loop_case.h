/* SPDX-License-Identifier: Apache-2.0
 * loop_case.h -- kernels with loops: launches of them against a reference that takes one point after the other and one
 * turn after the other, bit for bit, with everything that can run them. */
#ifndef KN_SUPPORT_LOOP_CASE_H
#define KN_SUPPORT_LOOP_CASE_H
#include "kernel/kernel.h"

enum { LOOP_CASE_MAPS = 128, LOOP_CASE_BUFFERS = 128, LOOP_CASE_DIMS = 16 };

void loop_case_seed(uint64_t seed); /* of the random data, and of: */
int loop_case_below(int n);
/* par: extents; loops: those of the stage's loops. Memory is laid out without gaps, the innermost index the one of
 * class ONE. Fails the test where results differ or a launch falls back on the interpreter. */
void loop_case_check(const knk_kernel *k, const int64_t *par, const int64_t *loops, int threads);

/* Building; a failure fails the test. Each load and store has a buffer and a map of its own. */
knk_builder *loop_case_begin(int n_par);
knk_kernel *loop_case_finish(knk_builder *b);
knk_node loop_case_load(knk_builder *k, int d, const uint8_t *cls, bool in_loop);
void loop_case_store(knk_builder *k, knk_node x, const uint8_t *cls, bool in_loop);
#endif
