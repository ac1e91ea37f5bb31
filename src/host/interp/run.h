/* SPDX-License-Identifier: Apache-2.0
 * run.h -- the state of a running kernel, for the files of the interpreter. */
#ifndef KN_HOST_INTERP_RUN_H
#define KN_HOST_INTERP_RUN_H
#include "kernel/walk.h"

typedef struct knh_interp_value {
    char *p;
    size_t one;
} knh_interp_value;

typedef struct knh_interp_run {
    const knk_kernel *k;
    const struct knk_prepared *p;
    const knk_launch *launch;
    char *scratch;
    knh_interp_value *value;
    uint8_t *taken; /* per cold region: does this block need it */
    knk_map_state *map;
    knk_segments seg;
    int lanes;        /* of this block */
    int64_t point;    /* of the chunk: the block's first one */
    int64_t inner_at; /* columns: number of the inner point in its sum block; rows: of the block's first lane */
    bool rows;
    bool stopped; /* somebody ended it (base/poll.h), which loops ask about */
    int64_t left; /* operations until they ask: of steps and lanes */
} knh_interp_run;

enum { KNH_INTERP_ASKING = 1 << 22 }; /* operations between two questions: some milliseconds */

static inline char *knh_place_in_scratch(const knh_interp_run *r, const knk_action *st)
{
    return r->scratch + st->slot + (st->persist ? (size_t)r->point * st->size : 0);
}

/* interp_loops.c: the steps of loops. They return the step after which the run goes on. */
void knh_run_carry(knh_interp_run *r, const knk_action *st); /* CARRY and KEEP */
void knh_run_next(knh_interp_run *r, const knk_prepared_stage *ps, const knk_action *st);
int knh_run_loop(knh_interp_run *r, const knk_prepared_stage *ps, int step);
int knh_run_while(knh_interp_run *r, const knk_prepared_stage *ps, int step);
int knh_run_end(knh_interp_run *r, const knk_prepared_stage *ps, int step);
#endif
