/* SPDX-License-Identifier: Apache-2.0
 * group.h -- what the files of the grouping pass share. */
#ifndef KN_COMPILE_GROUP_GROUP_H
#define KN_COMPILE_GROUP_GROUP_H
#include "compile/plan.h"

/* The uses of one equation's results (which groups read them, and where in their loops), each once, and what is known
 * of the readers that are not listed. */
typedef struct knc_uses {
    knc_use at[KNC_MAX_USES];
    int n;
    bool many, need; /* more uses than that; a reader wants a result in memory */
    uint8_t why;     /* knc_why: the reason for need */
    int32_t need_height; /* of the highest reader that is not listed; -1: none */
    uint32_t level; /* the highest level of all readers */
} knc_uses;

/* measure.c */
void knc_measure(knc_plan *p);
bool knc_is_cheap(const knc_value *v);

/* uses.c */
void knc_add_use(knc_plan *p, uint32_t var, knc_use u);
knc_uses knc_collect_uses(knc_plan *p, uint32_t first_var, uint32_t n);
/* The height of the highest reader, without use number `except` (-1: of all); KNC_TOO_HIGH if the group of that use
 * has another use, too. */
int32_t knc_height_above(knc_plan *p, const knc_uses *u, int except);
enum { KNC_TOO_HIGH = INT32_MAX - 1 };
/* May the group have at least this height? A group rises to run before others; a pinned one stays where it is. */
static inline bool knc_may_rise(const knc_group *g, int32_t height)
{
    return g->height >= height || height < g->ceiling;
}
void knc_rise(knc_plan *p, uint32_t group, int32_t height);
void knc_pin(knc_plan *p, uint32_t group);
/* Groups that read the same elements of these values and do not depend on each other become one. */
void knc_merge_groups(knc_plan *p, uint32_t first_var, uint32_t n, knc_uses *u);
void knc_add_store_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last); /* variables linked by `next` */
void knc_add_reduce_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last);
bool knc_same_shape(kni_type a, kni_type b);
/* The pass that runs first: passes are counted from the last one. */
static inline int knc_last_stage(uint16_t stages) { return 31 - __builtin_clz(stages | 1u); }

/* rows.c */
uint64_t knc_long_axes(kni_type t); /* all loops with more than one turn, as knc_use.keep */
bool knc_same_rows(const knc_group *g, kni_type x, kni_ints axes);
/* Is a row so small that several passes over it find it in the cache? */
bool knc_rows_fit(const knc_plan *p, kni_type x, kni_ints axes);
/* Does the value read a reduction's results whose rows are not those of the group? Then a group of its own can
 * compute it. */
bool knc_has_other_rows(const knc_plan *p, const knc_value *v, const knc_group *g);
/* The group gets the rows of a reduction of x over the axes: its points so far become rows, or elements of rows. */
void knc_points_are_rows(knc_plan *p, uint32_t group, kni_type x, kni_ints axes, kni_type rows);
void knc_points_are_elements(knc_plan *p, uint32_t group, kni_type x, kni_ints axes, kni_type rows);
/* If e's result is one per row of a reduction, groups that read it at all elements of the rows get these rows. True
 * if any did. */
bool knc_make_rows(knc_plan *p, const kni_eqn *e, const knc_uses *u);
void knc_add_row(knc_plan *p, uint32_t group, uint32_t var, int stage);
/* The use of a view's operand, made of the use of the view. */
knc_use knc_use_through_view(knc_plan *p, const kni_eqn *e, knc_use at);
#endif
