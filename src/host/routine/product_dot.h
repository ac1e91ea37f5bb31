/* SPDX-License-Identifier: Apache-2.0
 * product_dot.h -- products of two long vectors, whose result is one number; and of many pairs of rows. */
#ifndef KN_HOST_ROUTINE_PRODUCT_DOT_H
#define KN_HOST_ROUTINE_PRODUCT_DOT_H
#include "host/routine/product_plan.h"

bool knr_dot_fits(const knr_plan *p); /* may this product be run so? */
bool knr_dot_plan(knr_plan *p);       /* finds the functions; false: there are none */
size_t knr_dot_bytes(const knr_plan *p);
/* One batch; values: knr_dot_bytes(p) bytes. */
void knr_dot_run(const knr_plan *p, const char *a, const char *b, char *c, char *values, int threads);
/* Rows with rows, a number for each pair, that lie side by side; false: this product is something else. */
bool knr_dots_plan(knr_plan *p);
/* Pairs batch .. end - 1: dot_columns at least. */
void knr_dots_run(const knr_plan *p, const char *a, const char *b, char *c, int64_t batch, int64_t end);
#endif
