/* SPDX-License-Identifier: Apache-2.0
 * loop.h -- while loops in the making. Condition and body see the same constants and the carry; the carry is not
 * frozen for elements that are done, as JAX's is not. */
#ifndef KN_RANDOM_LOOP_H
#define KN_RANDOM_LOOP_H
#include "ir/ops.h"

enum { KNRAND_MAX_LOOP = 24 };

typedef struct knrand_loop {
    kn_builder *outer, cond, body;
    int n_const, n;
    kn_atom init[KNRAND_MAX_LOOP];
    kn_atom c[KNRAND_MAX_LOOP], x[KNRAND_MAX_LOOP]; /* constants, then carries: in the condition, in the body */
} knrand_loop;

/* init[]: n_const constants, then n carries */
void knrand_loop_begin(knrand_loop *l, kn_builder *outer, int n_const, int n, const kn_atom *init);
/* `more`: made by `cond`; next[]: the carries after a round, made by `body`; out[]: what they are in the end */
void knrand_loop_end(knrand_loop *l, kn_atom more, const kn_atom *next, kn_atom *out);
/* is any element true? */
kn_atom knrand_any(kn_builder *b, kn_atom x);
/* Row i (an int64 scalar) of an array of rows of type `one`; the array with another row i. */
kn_atom knrand_read_row(kn_builder *b, kn_atom x, kn_atom i, kn_type one);
kn_atom knrand_write_row(kn_builder *b, kn_atom x, kn_atom i, kn_atom row);
#endif
