/* SPDX-License-Identifier: Apache-2.0
 * loop.h -- while loops in the making. Condition and body see the same constants and the carry; the carry is not
 * frozen for elements that are done, as JAX's is not. */
#ifndef KN_RANDOM_LOOP_H
#define KN_RANDOM_LOOP_H
#include "ir/ops.h"

enum { KNRANDOM_MAX_LOOP = 24 };

typedef struct knrandom_loop {
    kni_builder *outer, cond, body;
    int n_const, n;
    kni_atom init[KNRANDOM_MAX_LOOP];
    kni_atom c[KNRANDOM_MAX_LOOP], x[KNRANDOM_MAX_LOOP]; /* constants, then carries: in the condition, in the body */
} knrandom_loop;

/* init[]: n_const constants, then n carries */
void knrandom_loop_begin(knrandom_loop *l, kni_builder *outer, int n_const, int n, const kni_atom *init);
/* `more`: made by `cond`; next[]: the carries after a round, made by `body`; out[]: what they are in the end */
void knrandom_loop_end(knrandom_loop *l, kni_atom more, const kni_atom *next, kni_atom *out);
/* is any element true? */
kni_atom knrandom_any(kni_builder *b, kni_atom x);
/* Row i (an int64 scalar) of an array of rows of type `one`; the array with another row i. */
kni_atom knrandom_read_row(kni_builder *b, kni_atom x, kni_atom i, kni_type one);
kni_atom knrandom_write_row(kni_builder *b, kni_atom x, kni_atom i, kni_atom row);
#endif
