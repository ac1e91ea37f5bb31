/* SPDX-License-Identifier: Apache-2.0
 * symbolic.h -- functions that are recorded once for all extents (.symbolic of kn_jit, docs/shapes.md): what the user
 * says of the extents, what a call makes of it, and the programs for each set of extents. */
#ifndef KN_FUNCTION_SYMBOLIC_H
#define KN_FUNCTION_SYMBOLIC_H
#include "function/function.h"

enum { KNF_MAX_DIM_VARS = 24 };

/* The numbers of the variables in a call; n is 0 for a function without any. */
typedef struct knf_dims {
    int n;
    knx_dim_value value[KNF_MAX_DIM_VARS];
} knf_dims;

/* Does the call go by dimension variables? Then *types (to be freed by knf_symbolic_end) are those of the arrays with
 * the variables, and *dims the variables' numbers. ValueError for shapes that do not match. */
knx_error *knf_symbolic_begin(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims);
void knf_symbolic_end(kni_type *types);
/* In force while such a function is recorded: comparisons that are not decided are refused. NULL: it has none. */
knx_dim_scope *knf_symbolic_scope(knf_core *f);
void knf_symbolic_free(knf_core *f);

/* The program of an entry for these numbers: a new reference; *fresh: it was made now. */
knx_error *knf_variant_program(knf_entry *e, const knf_dims *dims, bool *fresh, knd_loaded **out);
size_t knf_variants_bytes(const knf_entry *e);
void knf_variants_free(knf_entry *e);
#endif
