/* SPDX-License-Identifier: Apache-2.0
 * custom.h -- functions with custom derivatives, and checkpoints: how they become equations. */
#ifndef KN_FUNCTION_CUSTOM_H
#define KN_FUNCTION_CUSTOM_H
#include "function/function.h"
#include "ir/thunk.h"

/* of KNA_FN_CUSTOM_JVP, KNA_FN_CUSTOM_VJP and KNA_FN_CHECKPOINT */
kn_error *kna_derive_custom(kna_core *f, const kn_type *in, kn_value *const *known, const char *why, kn_closed *out);
/* Rule number `which` of f for an equation with this many constants in front; NULL without memory. */
kn_thunk *kna_rule_thunk(kna_core *f, int which, int implicit);
/* The jaxpr with its constants in it, for a rule, which has no operands for what it meets outside: small arrays and
 * those of one number repeated; others are errors that end with `advice`. */
kn_error *kna_fold_constants(const char *rule, const char *advice, const kn_closed *c, kni_jaxpr **out);
void kna_rules_free(kna_core *f); /* what was recorded of its rules */
/* custom_face.c: whether the rules take and return as many arrays as they have to. */
kn_error *kna_check_rules(kna_fn_kind kind, const kna_core *f, const kna_core *first, const kna_core *second);
#endif
