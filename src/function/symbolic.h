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
    uint16_t site;             /* of the results (array/site.c) */
    const knd_device *device;  /* that the call is to run on */
    const knd_loaded *program; /* if it is known at once (recall.c); else NULL */
    knx_dim_value value[KNF_MAX_DIM_VARS];
} knf_dims;

/* recall.c: the entry and the numbers of one of the last calls for arrays of these types; NULL: it is none of them. */
knf_entry *knf_recall(const knf_core *f, const kni_type *in, knf_dims *dims);
void knf_remember(knf_core *f, const kni_type *in, knf_entry *e, knf_dims *dims);
void knf_remember_program(const knf_entry *e, const knf_dims *dims, const knd_loaded *p);
/* Of the programs that only these calls hold: the entry's variants have dropped them. */
size_t knf_calls_bytes(const knf_entry *e);
void knf_forget_calls(knf_core *f, const knf_entry *e); /* those of this entry; NULL: all */
/* entries.c: was it made in the state that the context has now (dtypes, named axes, ...)? */
bool knf_same_state(const knf_entry *e);


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

typedef struct knf_symbolic knf_symbolic;
/* Reads .symbolic and .constraints for a function that captures so many arrays and takes so many. */
knx_error *knf_symbolic_new(const char *symbolic, const char *constraints, int n_captured, int n_in,
                            knf_symbolic **out);
/* The same of types that have variables. */
knx_error *knf_symbolic_of(const kni_type *in, int n, knf_symbolic **out);
void knf_symbolic_drop(knf_symbolic *s);
/* The variables' numbers for arrays of these types (captured ones first), and the types with the variables, to be freed
 * by knx_free; NULL: a number is less than variables are. ValueError for shapes that do not match. */
knx_error *knf_symbolic_match(const knf_symbolic *s, const kni_type *in, kni_type **types, knf_dims *dims);
/* The same, where all numbers have to be those of variables. */
knx_error *knf_symbolic_numbers(const knf_symbolic *s, const kni_type *in, kni_type **types, knf_dims *dims);
/* In force while such a function is recorded and compiled: refuses, or assumes by knf_assume. */
knx_dim_scope *knf_symbolic_rules(knf_symbolic *s);
int knf_symbolic_variables(const knf_symbolic *s, const knx_dim_var **out); /* as they first appear */
/* Do these numbers keep the constraints? */
bool knf_symbolic_allows(const knf_symbolic *s, const knf_dims *dims);
/* Numbers of the variables that keep the constraints, for who has no call to show some: near 64, if they may be. */
knx_error *knf_symbolic_typical(const knf_symbolic *s, knf_dims *dims);
/* What a public call is asked for beside example arguments, and what becomes of it; to be dropped. */
typedef struct knf_extents {
    const char *symbolic, *constraints; /* NULL: the shapes of the examples */
    knf_symbolic *s;
    knf_dims dims; /* of the examples */
} knf_extents;
/* Of examples. */
knx_error *knf_extents_begin(knf_extents *x, const knf_core *f, const kni_type *in, kni_type **types);

/* The same of a jitted function that says so; dims->n is 0 if the call goes by its own shapes. */
knx_error *knf_symbolic_begin(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims);
/* Of the function's variables; NULL: it has none. */
knx_dim_scope *knf_symbolic_scope(knf_core *f);
void knf_symbolic_free(knf_core *f);
/* .checks: the ValueError of a call for which the conditions of the recording do not hold. */
knx_error *knf_symbolic_differs(const knf_entry *e, const knf_dims *dims);

/* ---- jaxpr_numbers.c. */

bool knf_jaxpr_has_variables(const kni_jaxpr *j);
/* Its program, which is one of variables if the jaxpr has some; its choices are those for numbers like *dims. */
knx_error *knf_jaxpr_program(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out, knf_dims *dims);
/* OverflowError if a number of an extent does not fit into the dtype that j makes it of. */
knx_error *knf_check_numbers(const kni_jaxpr *j, const knf_dims *dims);
/* j for inputs of these types. ValueError if they do not fit. */
knx_error *knf_jaxpr_with_numbers(const kni_jaxpr *j, const kni_type *in, kni_jaxpr **out);
/* The same in the parameters of its equation e for operands of these types; they are a copy that kni_params_copy
 * made. */
knx_error *knf_params_with_numbers(const kni_jaxpr *j, const kni_eqn *e, const kni_type *in, void *params);

/* ---- automatic.c: KN_ALL. */

#define KNF_ALL "*" /* KN_ALL */
bool knf_is_automatic(const knf_core *f);
knx_error *knf_automatic_entry(knf_core *f, const kni_type *in, knf_dims *dims, knf_entry **out, knf_entry **once);
/* The types that this call has, with variables for those of its extents that have changed; dims->n: how many. */
knx_error *knf_automatic_types(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims);
knx_dim_scope *knf_automatic_scope(knf_core *f);
void knf_automatic_free(knf_core *f);

/* ---- entries.c. */

/* *out: NULL if there is none whose conditions hold for these numbers. *other: one of these types whose conditions do
 * not hold (NULL: not wanted). ValueError: it is being recorded. */
knx_error *knf_known_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knf_entry **out,
                           const knf_entry **other);
/* Is there a recording of variables for arrays of these types, which are numbers? */
bool knf_knows(knf_core *f, const kni_type *in);
/* scope: in force meanwhile; NULL: there are no variables. */
knx_error *knf_record_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knx_dim_scope *scope,
                            knf_entry **out, knf_entry **once);

/* ---- variants.c: the programs of a jaxpr with variables. */

typedef struct knf_variants {
    struct knf_variant **first;
    const kni_jaxpr *jaxpr;
    const bool *donated;
    knx_dim_scope *scope;
    const knd_device *device;
} knf_variants;
/* The program for these numbers: a new reference; *fresh: it was made now. */
knx_error *knf_variant_program(const knf_variants *x, const knf_dims *dims, bool *fresh, knd_loaded **out);
size_t knf_variants_bytes(const knf_entry *e);
void knf_variants_free(struct knf_variant **first);
void knf_variants_show(knx_str *t, const knf_entry *e); /* ", 3 programs" */
#endif
