/* SPDX-License-Identifier: Apache-2.0
 * variables.h -- jaxprs of numbers with dimension variables in their place: in the types of operands and in parameters that are
 * extents (KN_PF_EXTENTS), equal numbers by the same one; and with other numbers in the place of these variables. */
#ifndef KN_TESTS_VARIABLES_H
#define KN_TESTS_VARIABLES_H
#include "base/dim.h"
#include "ir/jaxpr.h"
#include "ir/prim.h"

typedef struct variables {
    knx_dim_scope scope; /* whose sample has the variables; it assumes, and is in force */
    knx_arena arena;
    int64_t least;          /* numbers from here on become variables, ... */
    const int64_t *kept;    /* ... but not these */
    int n_kept;
    const int64_t *instead; /* not NULL: a number for each variable of the sample; the others stay as they are */
    bool rule;              /* there is a rule of a custom derivative that is no jaxpr: its types stay numbers */
} variables;

/* j with variables in the types of its inputs and in its parameters; all other types follow. */
kni_jaxpr *with_variables(variables *s, const kni_jaxpr *j, knx_error **error);
/* The variable, or the other number, in the place of n. */
int64_t variable_for(variables *s, int64_t n);
/* Have the guards the same answers for these numbers of the sample's variables? */
bool guards_hold(const variables *s, const knx_dim_value *value);
#endif
