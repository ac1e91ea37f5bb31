/* SPDX-License-Identifier: Apache-2.0
 * custom.h -- functions with custom derivatives, and checkpoints: how they become equations. */
#ifndef KN_FUNCTION_CUSTOM_H
#define KN_FUNCTION_CUSTOM_H
#include "function/function.h"
#include "ir/thunk.h"

/* of KNF_FN_CUSTOM_JVP, KNF_FN_CUSTOM_VJP and KNF_FN_CHECKPOINT */
knx_error *knf_derive_custom(knf_core *f, const kni_type *in, kna_value *const *known, const char *why,
                             kna_closed *out);
/* The rules of f for an equation with this many constants in front: one, or two; NULL without memory. */
void knf_rule_thunks(knf_core *f, int implicit, kni_thunk *out[2]);
/* The jaxpr with its constants in it, for a rule, which has no operands for what it meets outside: small arrays and
 * those of one number repeated; others are errors that end with `advice`. */
knx_error *knf_fold_constants(const char *rule, const char *advice, const kna_closed *c, kni_jaxpr **out);
void knf_rules_free(knf_core *f); /* what was recorded of its rules */
/* fit.c: is that of what the forward rule of f returned a pair, of the result and residuals? The backward rule for
 * that. */
knx_error *knf_check_pair(const knf_core *f, const kntree_structure *pair);
knx_error *knf_fit_backward(const knf_core *f, const kntree_structure *pair, knf_core **out);
/* custom_face.c: whether the rules take and return as many arrays as they have to. */
knx_error *knf_check_rules(knf_fn_kind kind, const knf_core *f, const knf_core *first, const knf_core *second);
#endif
