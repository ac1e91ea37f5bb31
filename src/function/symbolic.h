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

/* What holds for some numbers alone: comparisons that were assumed while it was made. */
typedef struct knf_conditions {
    knx_dim_conditions held;
    int n;
    knx_dim_var var[KNF_MAX_DIM_VARS];
    size_t n_guard; /* of an entry: the same in words */
    const knx_dim_guard *guard;
} knf_conditions;
/* Those that the scope has collected since it got these samples. False without memory. */
bool knf_conditions_of(const knx_dim_scope *s, const knf_dims *dims, knf_conditions *out);
/* value: room for KNF_MAX_DIM_VARS numbers, those of the variables in their order. */
bool knf_conditions_hold(const knf_conditions *c, const knf_dims *dims, int64_t *value);
/* The scope decides by these numbers, and collects what it decided. False without memory. */
bool knf_assume(knx_dim_scope *s, const knf_dims *dims);
/* "b >= 128" */
const char *knf_show_guard(knx_text *t, const knx_dim_guard *g);

/* ---- symbolic.c: shapes that the user wrote. */

/* Does the call go by dimension variables? Then *types (to be freed by knf_symbolic_end) are those of the arrays with
 * the variables, and *dims the variables' numbers. ValueError for shapes that do not match. */
knx_error *knf_symbolic_begin(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims);
void knf_symbolic_end(kni_type *types);
/* In force while such a function is recorded and compiled. NULL: it has none. */
knx_dim_scope *knf_symbolic_scope(knf_core *f);
void knf_symbolic_free(knf_core *f);
/* .checks: the ValueError of a call for which the conditions of the recording do not hold. */
knx_error *knf_symbolic_differs(const knf_entry *e, const knf_dims *dims);

/* ---- automatic.c: KN_ALL. */

#define KNF_ALL "*" /* KN_ALL */
bool knf_is_automatic(const knf_core *f);
knx_error *knf_automatic_entry(knf_core *f, const kni_type *in, knf_dims *dims, knf_entry **out, knf_entry **once);
knx_dim_scope *knf_automatic_scope(knf_core *f);
void knf_automatic_free(knf_core *f);

/* ---- entries.c. */

/* *out: NULL if there is none whose conditions hold for these numbers. *other: one of these types whose conditions do not
 * hold (NULL: not wanted). ValueError: it is being recorded. */
knx_error *knf_known_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knf_entry **out,
                           const knf_entry **other);
/* scope: in force meanwhile; NULL: there are no variables. */
knx_error *knf_record_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knx_dim_scope *scope, knf_entry **out,
                            knf_entry **once);

/* ---- variants.c. The program of an entry for these numbers: a new reference; *fresh: it was made now. */
knx_error *knf_variant_program(knf_entry *e, const knf_dims *dims, bool *fresh, knd_loaded **out);
size_t knf_variants_bytes(const knf_entry *e);
void knf_variants_free(knf_entry *e);
void knf_variants_show(knx_str *t, const knf_entry *e); /* ", 3 programs" */
#endif
