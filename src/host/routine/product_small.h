/* SPDX-License-Identifier: Apache-2.0
 * product_small.h -- stacks of products of small matrices: as many matrices at a time as a vector has lanes. */
#ifndef KN_HOST_ROUTINE_PRODUCT_SMALL_H
#define KN_HOST_ROUTINE_PRODUCT_SMALL_H
#include "host/routine/product_plan.h"

bool knr_small_product_fits(const knr_plan *p);    /* is this product of that kind? */
size_t knr_small_product_bytes(const knr_plan *p); /* of a worker's workspace */
double knr_small_product_cost(const knr_plan *p);  /* nanoseconds */
/* Batches batch .. end - 1 */
void knr_small_product_run(const knr_plan *p, const knr_run *r, int64_t batch, int64_t end, void *workspace);
#endif
