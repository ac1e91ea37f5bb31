/* SPDX-License-Identifier: Apache-2.0
 * instance.h -- programs of dimension variables, and what is made of them when the variables have numbers. */
#ifndef KN_COMPILE_PROGRAM_INSTANCE_H
#define KN_COMPILE_PROGRAM_INSTANCE_H
#include "compile/plan.h"

/* The last pass over a program of variables: the image of its instances. The variables are those of the sample in the
 * scope in force. */
knx_error *knc_finish_variables(knc_plan *p);
void knc_free_image(struct knc_image *m);
size_t knc_image_bytes(const struct knc_image *m); /* of an instance */
#endif
