/* SPDX-License-Identifier: Apache-2.0
 * c_loops.h -- the loops of a stage in C (c_loops.c), for c_piece.c. */
#ifndef KN_HOST_CSOURCE_C_LOOPS_H
#define KN_HOST_CSOURCE_C_LOOPS_H
#include "host/csource/c_piece.h"

/* The text of a LOOP with its carries, a WHILE, all NEXTs of a loop, an END. Returns the depth of what follows. */
int knh_c_loop_item(knh_c_stage *s, const knh_item *item, int depth);
void knh_c_loop_words(knh_c_stage *s); /* in the function: what the piece gets as w */
#endif
