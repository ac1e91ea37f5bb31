/* SPDX-License-Identifier: Apache-2.0
 * toposort.h -- the order in which JAX of 2020 wrote a jaxpr down, from its results backwards. The classic form names
 * constants where they stand in it. */
#ifndef KN_IR_TOPOSORT_H
#define KN_IR_TOPOSORT_H
#include "ir/jaxpr.h"

/* An equation: its operands, literals left out or not, and its results. */
typedef struct kni_link {
    const kni_atom *in;
    uint32_t n_in, out, n_out;
} kni_link;

/* The variables that the results need, in that order: (*order)[0 .. *n), in the arena. False without memory. */
bool kni_toposort(knx_arena *a, uint32_t n_var, uint32_t n_link, const kni_link *link, uint32_t n_out,
                  const kni_atom *out, uint32_t **order, uint32_t *n);
#endif
