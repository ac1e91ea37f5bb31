/* SPDX-License-Identifier: Apache-2.0
 * control.h -- makes the programs of a loop or a branch, and lays out in the step's workspace what they need
 * (control_make.c). */
#ifndef KN_COMPILE_LOOPS_CONTROL_H
#define KN_COMPILE_LOOPS_CONTROL_H
#include "compile/plan.h"

knx_error *knc_make_while(const knc_plan *p, const kni_eqn *e, uint8_t path, knc_loop *l);
knx_error *knc_make_scan(const knc_plan *p, const kni_eqn *e, uint8_t path, knc_loop *l);
/* Where the carries, the condition and the programs' workspace lie in that of the step. second: KNC_IN_PLACE, or 0. */
void knc_lay_out_loop(knc_loop *l, knx_bytes *second, knx_bytes unit);
knx_error *knc_make_branch(const knc_plan *p, const kni_eqn *e, knc_branch *b);
#endif
