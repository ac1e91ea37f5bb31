/* SPDX-License-Identifier: Apache-2.0
 * print.h -- what the printers of the forms share: texts of literals and parameters, names of variables. */
#ifndef KN_IR_TEXT_PRINT_H
#define KN_IR_TEXT_PRINT_H
#include "ir/jaxpr.h"
#include "ir/params.h"

/* "1.0:f32[]" typed, "1.0" classic, "0x1.8p0:f32[]*" full. */
void kni_literal_text(knx_str *t, kni_jaxpr_form form, const kni_literal *l);
/* Bits that no number stands for (NaN payloads, keys): bits(0x..) or bits(0x..,0x..) of an element. */
void kni_bits_text(knx_str *t, kn_dtype d, const knx_scalar_bits *bits);
/* f32[3]; the full form marks weak types: f32[3]*. Unlike kni_type_text of any length. */
void kni_add_type(knx_str *t, kni_jaxpr_form form, kni_type type);
/* In double quotes, escaped: " and \ with \, the rest as \n or \xHH. */
void kni_quoted_text(knx_str *t, const char *s);

bool kni_field_shown(kni_jaxpr_form form, const kni_param_field *f, const void *params);
/* not of jaxprs */
void kni_field_value(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e, const kni_param_field *f);
/* Is it the place of an equation of a jaxpr among the parameters, to any depth? (As deep as the user's nesting.) */
bool kni_place_inside(const kni_prim *prim, const void *params, const kn_place *place);

/* branches.c: a choice between two jaxprs in the classic form. Each takes those of the captured operands that are its
 * own, and all others. */
typedef struct kni_branches {
    const kni_jaxpr *of[2];
    kni_ints consts; /* as in kni_p_cond */
} kni_branches;
bool kni_two_branches(const kni_eqn *e, kni_branches *b); /* false: e is no such equation */
bool kni_branch_takes(const kni_branches *b, int which, uint32_t input);
bool kni_branch_captured(const kni_branches *b, uint32_t input); /* no argument of its own */
/* What the branch takes, of the equation's operands: how many. */
uint32_t kni_branch_operands(const kni_branches *b, const kni_eqn *e, int which, kni_atom *out);
/* Is the operand a constant that nothing reads? The classic form shows it as *. */
bool kni_is_unit(const kni_jaxpr *j, const kni_eqn *e, uint32_t operand);
/* Per variable: the predicate that it is the index of, if such a choice alone reads it (then its equation is not
 * shown), or KN_ATOM_NONE. *predicate NULL: there are none. False without memory. */
bool kni_hidden_indices(const kni_jaxpr *j, knx_arena *a, kni_atom **predicate);

/* a .. z, ba, bb ...: the n-th name, NUL-terminated. */
enum { KN_NAME_ROOM = 16 };
const char *kni_var_name(uint64_t n, char room[KN_NAME_ROOM]);

/* name=value, one blank between, as the typed form shows them; jaxprs by their names. */
void kni_params_text(knx_str *t, const kni_jaxpr *j, const kni_eqn *e);
knx_error *kni_text_classic(const kni_jaxpr *j, knx_str *out);
/* typed and full */
knx_error *kni_text_modern(const kni_jaxpr *j, kni_jaxpr_form form, const char *const *consts, knx_str *out);
#endif
