/* SPDX-License-Identifier: Apache-2.0
 * group.h -- between the files of the grouping pass. */
#ifndef KN_COMPILE_GROUP_H
#define KN_COMPILE_GROUP_H
#include "compile/plan.h"

/* All places where the results of one equation are read, each once, and what else asks for them. */
typedef struct knc_uses {
    knc_use at[KNC_MAX_USES];
    int n;
    bool many, need; /* more than that; something reads it from memory */
    uint8_t why;     /* it is needed */
    int32_t need_height;
    uint32_t level; /* the highest of all that read it */
} knc_uses;

/* measure.c */
void knc_measure(knc_plan *p);
unsigned knc_weight(knc_plan *p, const kn_eqn *e); /* scalar operations per element, from 1 on */
bool knc_is_cheap(const knc_value *v);

/* uses.c */
void knc_add_use(knc_plan *p, uint32_t var, knc_use u);
knc_uses knc_collect_uses(knc_plan *p, uint32_t first_var, uint32_t n);
int32_t knc_height_above(knc_plan *p, const knc_uses *u,
                         int except); /* of all that reads, but use number `except` (-1: none) */
void knc_merge_groups(knc_plan *p,
                      knc_uses *u); /* groups that read the same elements and do not depend on each other become one */
void knc_add_store_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last); /* variables linked by `next` */
void knc_add_reduce_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last);
bool knc_same_shape(kn_type a, kn_type b);
#endif
