/* SPDX-License-Identifier: Apache-2.0
 * control.h -- what loops and branches share as the user sees them: functions recorded as jaxprs without constants, the
 * operands that these get, and numbers that wait for a dtype. */
#ifndef KN_FUNCTION_CONTROL_H
#define KN_FUNCTION_CONTROL_H
#include "function/function.h"

/* A function, recorded: its jaxpr takes what it captured, then its arguments. */
typedef struct knf_part {
    knf_fn *f;
    kna_closed closed;
    kni_jaxpr *jaxpr;
    kna_value **constant; /* of the jaxpr's first inputs; borrowed */
    int n_const;
    knf_fn fitted; /* what f is for the structures of its trees */
} knf_part;

/* A function of trees: f becomes what it is for these arguments, then for these types of them (fit.c). */
knx_error *knf_part_fit(knf_part *p, const char *by, const kn_args *args);
knx_error *knf_part_fit_types(knf_part *p, const char *by, int n, const kni_type *t);
/* The same for the types of values; of those from number `first` on one element. */
knx_error *knf_part_fit_values(knf_part *p, const char *by, int n, kna_value *const *v, int first);
/* TypeError where a body returns another tree than its carry, arguments `first` to `end`; pair: in a tree of two, with
 * outputs behind it. */
knx_error *knf_check_tree(const knf_part *p, int first, int end, bool pair);

/* For arguments of these types. by: "scan", for messages. given: NULL, or for some arguments the number itself, which
 * the function gets instead (then the jaxpr does not read that input). */
knx_error *knf_part_record(knf_part *p, const char *by, const kni_type *t, kna_value *const *given);
void knf_part_free(knf_part *p);
/* Result i becomes one of dtype[i] (NULL: its own) where it is a number that can. */
knx_error *knf_part_settle(knf_part *p, const kn_dtype *dtype);
/* Whether a C number can become one of dtype d. */
bool knf_may_become(kni_type number, kn_dtype d);

/* C numbers among the first n_carry of the arguments after `skip` others take the dtype of what p returns for them, as
 * in JAX. */
knx_error *knf_promote_carry(knf_part *p, const char *by, int skip, int n_carry, kna_value **arg);
/* Those that are left get the dtype that they have alone. */
knx_error *knf_settle_values(int n, kna_value **v);

knx_error *knf_put_constants(kna_op *op, const knf_part *p, kni_atom *atom);
knx_error *knf_put_values(kna_op *op, int n, kna_value *const *v, kni_atom *atom);
/* The results of the operation as values; on errors there are none. */
knx_error *knf_take_results(kna_op *op, int n, const kni_atom *atom, kna_value **out);

/* "carry", "carry[1]" or "carry.previous": array i of the arguments from number `first` on, before number `end`. */
const char *knf_carry_name(knx_text *t, const knf_core *f, const kn_args *args, int first, int end, int i);
/* TypeError if the body returns another number of arrays than its carry has; more: it may return outputs, too. */
knx_error *knf_check_count(const knf_core *body, int n_carry, bool more);
/* TypeError for the first of n carries, from input `skip` after the constants on, that the body changes the type of;
 * args: what follows the body's first `first` arguments. */
knx_error *knf_check_carries(const knf_part *p, const kn_args *args, int first, int skip, int n);

/* *v, a C number, as one of dtype d; OverflowError where an integer does not fit. */
knx_error *knf_number_as(kna_value **v, kn_dtype d);
/* Records p for arguments of the types of these. */
knx_error *knf_record_for(knf_part *p, const char *by, int n, kna_value *const *arg);
/* Numbers that a body returns for its n carries, from input `skip` after the constants on, take their dtypes; others
 * their own. */
knx_error *knf_settle_body(knf_part *body, int skip, int n);
/* ValueError where it is none. */
knx_error *knf_check_checkpoint(int64_t checkpoint);

/* control_forward.c. One equation, but what the jaxprs hand on unchanged is no carry or result of it while a function
 * is recorded, as in JAX. in and y are those of all inputs and results. */
void knf_emit_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *y);
void knf_emit_while(kni_builder *b, const kni_p_while *p, const kni_atom *in, kni_atom *y);
void knf_emit_cond(kni_builder *b, const kni_p_cond *p, const kni_atom *in, kni_atom *y);

/* Ends an operation on functions: 0, or -1 after reporting the error and giving it to the outputs. */
int knf_end_control(kna_op *op, knx_error *error, const kn_outs *outs);
#endif
