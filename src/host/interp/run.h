/* SPDX-License-Identifier: Apache-2.0
 * run.h -- the state of a running kernel, for the files of the interpreter. */
#ifndef KN_HOST_INTERP_RUN_H
#define KN_HOST_INTERP_RUN_H
#include "kernel/walk.h"

typedef struct knk_value {
    char *p;
    size_t one;
} knk_value;

typedef struct knk_run {
    const knk_kernel *k;
    const struct knk_prepared *p;
    const knk_launch *launch;
    char *scratch;
    knk_value *value;
    uint8_t *taken; /* per cold region: does this block need it */
    knk_map_state *map;
    knk_segments seg;
    int lanes;        /* of this block */
    int64_t point;    /* of the chunk: the block's first one */
    int64_t inner_at; /* columns: number of the inner point in its sum block; rows: of the block's first lane */
    bool rows;
} knk_run;

static inline char *knk_place_in_scratch(const knk_run *r, const knk_step *st)
{
    return r->scratch + st->slot + (st->persist ? (size_t)r->point * st->size : 0);
}

/* interp_loops.c: the steps of loops. They return the step after which the run goes on. */
void knk_run_carry(knk_run *r, const knk_step *st); /* CARRY and KEEP */
void knk_run_next(knk_run *r, const knk_prepared_stage *ps, const knk_step *st);
int knk_run_loop(knk_run *r, const knk_prepared_stage *ps, int step);
int knk_run_while(knk_run *r, const knk_prepared_stage *ps, int step);
int knk_run_end(knk_run *r, const knk_prepared_stage *ps, int step);
#endif
