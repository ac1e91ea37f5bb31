/* SPDX-License-Identifier: Apache-2.0
 * control.h -- the programs of loops and branches: made, and laid out in the step's workspace (control_make.c). */
#ifndef KN_COMPILE_CONTROL_H
#define KN_COMPILE_CONTROL_H
#include "compile/plan.h"

kn_error *knc_make_while(const knc_plan *p, const kn_eqn *e, uint8_t path, knc_loop *l);
kn_error *knc_make_scan(const knc_plan *p, const kn_eqn *e, uint8_t path, knc_loop *l);
kn_error *knc_make_branch(const knc_plan *p, const kn_eqn *e, knc_branch *b);
/* control_cost.c: why a loop that could be this kernel is better run with routine calls; NULL: it is not */
const char *knc_better_by_calls(const kn_eqn *e, const knc_step *s);
enum { KNC_UNKNOWN_TURNS = 64 }; /* of a loop that ends by its condition */
#endif
