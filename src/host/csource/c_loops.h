/* SPDX-License-Identifier: Apache-2.0
 * c_loops.h -- the loops of a stage in C (c_loops.c), for c_piece.c. */
#ifndef KN_HOST_CSOURCE_C_LOOPS_H
#define KN_HOST_CSOURCE_C_LOOPS_H
#include "host/csource/c_piece.h"

/* The loop that each node of the stage lies in, KNH_C_NO_LOOP: none; s->n_loop. */
enum { KNH_C_NO_LOOP = 255 };
void knh_c_find_loops(knh_c_stage *s);
/* The text of LOOP with its carries, WHILE, all NEXTs of a loop, END; marks what it places. */
void knh_c_loop_node(knh_c_stage *s, knk_node x, int depth);
void knh_c_loop_words(knh_c_stage *s); /* in the function: what the piece gets as w */
#endif
