/* SPDX-License-Identifier: Apache-2.0
 * control.h -- what loops and branches share as the user sees them: functions recorded as jaxprs without constants, the
 * operands that these get, and numbers that wait for a dtype. */
#ifndef KN_FUNCTION_CONTROL_H
#define KN_FUNCTION_CONTROL_H
#include "function/function.h"

/* A function, recorded: its jaxpr takes what it captured, then its arguments. */
typedef struct kna_part {
    kna_fn *f;
    kn_closed closed;
    kni_jaxpr *jaxpr;
    kn_value **constant; /* of the jaxpr's first inputs; borrowed */
    int n_const;
    kna_fn fitted; /* what f is for the structures of its trees */
} kna_part;

/* A function of trees: f becomes what it is for these arguments, then for these types of them (fit.c). */
kn_error *kna_part_fit(kna_part *p, const char *by, const kn_args *args);
kn_error *kna_part_fit_types(kna_part *p, const char *by, int n, const kn_type *t);
/* The same for the types of values; of those from number `first` on one element. */
kn_error *kna_part_fit_values(kna_part *p, const char *by, int n, kn_value *const *v, int first);
/* TypeError where a body returns another tree than its carry, arguments `first` to `end`; pair: in a tree of two, with
 * outputs behind it. */
kn_error *kna_check_tree(const kna_part *p, int first, int end, bool pair);

/* For arguments of these types. by: "scan", for messages. given: NULL, or for some arguments the number itself, which
 * the function gets instead (then the jaxpr does not read that input). */
kn_error *kna_part_record(kna_part *p, const char *by, const kn_type *t, kn_value *const *given);
void kna_part_free(kna_part *p);
/* Result i becomes one of dtype[i] (NULL: its own) where it is a number that can. */
kn_error *kna_part_settle(kna_part *p, const kn_dtype *dtype);
/* Whether a C number can become one of dtype d. */
bool kna_may_become(kn_type number, kn_dtype d);

/* C numbers among the first n_carry of the arguments after `skip` others take the dtype of what p returns for them, as
 * in JAX. */
kn_error *kna_promote_carry(kna_part *p, const char *by, int skip, int n_carry, kn_value **arg);
/* Those that are left get the dtype that they have alone. */
kn_error *kna_settle_values(int n, kn_value **v);

kn_error *kna_put_constants(kna_op *op, const kna_part *p, kn_atom *atom);
kn_error *kna_put_values(kna_op *op, int n, kn_value *const *v, kn_atom *atom);
/* The results of the operation as values; on errors there are none. */
kn_error *kna_take_results(kna_op *op, int n, const kn_atom *atom, kn_value **out);

/* "carry", "carry[1]" or "carry.previous": array i of the arguments from number `first` on, before number `end`. */
const char *kna_carry_name(kn_text *t, const kna_core *f, const kn_args *args, int first, int end, int i);
/* TypeError if the body returns another number of arrays than its carry has; more: it may return outputs, too. */
kn_error *kna_check_count(const kna_core *body, int n_carry, bool more);
/* TypeError for the first of n carries, from input `skip` after the constants on, that the body changes the type of;
 * args: what follows the body's first `first` arguments. */
kn_error *kna_check_carries(const kna_part *p, const kn_args *args, int first, int skip, int n);

/* *v, a C number, as one of dtype d; OverflowError where an integer does not fit. */
kn_error *kna_number_as(kn_value **v, kn_dtype d);
/* Records p for arguments of the types of these. */
kn_error *kna_record_for(kna_part *p, const char *by, int n, kn_value *const *arg);
/* Numbers that a body returns for its n carries, from input `skip` after the constants on, take their dtypes; others
 * their own. */
kn_error *kna_settle_body(kna_part *body, int skip, int n);
/* ValueError where it is none. */
kn_error *kna_check_checkpoint(int64_t checkpoint);

/* control_forward.c. One equation, but what the jaxprs hand on unchanged is no carry or result of it while a function
 * is recorded, as in JAX. in and y are those of all inputs and results. */
void kna_emit_scan(kn_builder *b, const kn_p_scan *p, const kn_atom *in, kn_atom *y);
void kna_emit_while(kn_builder *b, const kn_p_while *p, const kn_atom *in, kn_atom *y);
void kna_emit_cond(kn_builder *b, const kn_p_cond *p, const kn_atom *in, kn_atom *y);

/* Ends an operation on functions: 0, or -1 after reporting the error and giving it to the outputs. */
int kna_end_control(kna_op *op, kn_error *error, const kn_outs *outs);
#endif
