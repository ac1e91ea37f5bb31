/* SPDX-License-Identifier: Apache-2.0
 * instance.h -- programs of dimension variables, and what is made of them when the variables have numbers. */
#ifndef KN_COMPILE_PROGRAM_INSTANCE_H
#define KN_COMPILE_PROGRAM_INSTANCE_H
#include "compile/plan.h"

/* The last pass over a program of variables: its numbers become places in the table of its code. The variables are
 * those of the sample in the scope in force. */
knx_error *knc_finish_variables(knc_plan *p);
#endif
