/* SPDX-License-Identifier: Apache-2.0
 * walk.h -- loops over index spaces for the interpreter: nests of extents with odometers, and the element number of
 * each map, kept up to date by additions. Adjacent loops that every map walks as one are joined first. */
#ifndef KN_KERNEL_WALK_H
#define KN_KERNEL_WALK_H
#include "kernel/internal.h"

typedef struct knk_nest {
    int n;
    int64_t total, *extent, *index;
} knk_nest;

/* One map: where it stands. Lanes run along one of the two nests of its stage. */
typedef struct knk_map_state {
    int64_t at;          /* element number of the first lane of this block */
    int64_t base;        /* the launch's offset */
    int64_t par, inner;  /* what the parallel and the inner loops add to it */
    int64_t lane_stride; /* from lane to lane, inside a run of the innermost loop */
    int64_t *par_stride, *par_carry, *inner_stride, *inner_carry;
    const int64_t *lane_carry; /* [d]: from the last lane of a run to the first of the next when loop d moves on */
    bool lanes_equal;          /* every lane has the same element */
} knk_map_state;

/* The runs of one block of lanes: lengths, and which loop moves on after each. */
typedef struct knk_segments {
    int n;
    uint16_t *length, *carry;
} knk_segments;

/* Joins loops, drops those of extent 1; the strides of each map go into its array `which` (0: parallel, 1: inner). */
void knk_nest_join(knk_nest *nest, int n, const int64_t *extent, const int16_t *map, int n_map,
                   const knk_map_values *values, int first_stride, knk_map_state *state, int which);
/* Cuts the next `lanes` points into runs and moves the nest's index on. */
void knk_nest_cut(knk_nest *nest, int lanes, knk_segments *seg);
static inline int64_t knk_nest_offset(const knk_nest *nest, const int64_t *stride)
{
    int64_t at = 0;
    for (int d = 0; d < nest->n; d++)
        at += nest->index[d] * stride[d];
    return at;
}
/* Moves the index on by one point; returns the loop that moved, -1 at the end. */
static inline int knk_nest_step(knk_nest *nest)
{
    for (int d = nest->n - 1; d >= 0; d--) {
        if (++nest->index[d] < nest->extent[d])
            return d;
        nest->index[d] = 0;
    }
    return -1;
}
#endif
