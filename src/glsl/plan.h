/* SPDX-License-Identifier: Apache-2.0
 * plan.h -- what plan.c, inverse.c and text.c share: where a pass has its own words, and the inverse of a map. */
#ifndef KN_GLSL_PLAN_H
#define KN_GLSL_PLAN_H
#include "glsl/glsl.h"
#include "wgsl/gen.h"

enum { KNGL_MOST_MEMORIES = 64 };
/* The pass's own words come behind those of the kernel. STORE: the first element, how many there are behind it, the
 * point and the inner point of the first one; then four for each dimension. Else: how many elements, and how many to
 * a point. */
enum { KNGL_DIMENSIONS = 1 }; /* the word, of the launch, that says how many */

/* An element is base + sum of stride * index, index < extent; a turn of an index moves the point and the inner point
 * by so much, modulo 2^32. Strides come in decreasing order, each above all that the ones behind it reach. */
typedef struct kngl_dimension {
    int64_t stride, extent;
    uint32_t point, unit;
} kngl_dimension;
typedef struct kngl_inverse {
    int64_t base, span;
    uint32_t point, unit;
    int n;
    kngl_dimension d[KNK_MAX_LOOPS];
} kngl_inverse;

/* false: elements do not say which point writes them. */
bool kngl_invert(const kngl_plan *p, const kngl_pass *pass, kngl_inverse *out);

static inline const knw_layout *kngl_layout(const kngl_plan *p) { return p->layout; }
static inline uint64_t kngl_points(const kngl_plan *p) { return knw_product(p->launch->par, p->k->n_par); }
static inline uint64_t kngl_row(const kngl_plan *p, int stage)
{
    return knw_product(p->launch->inner[stage], p->k->stage[stage].n_inner);
}
static inline uint64_t kngl_blocks(const kngl_plan *p, int stage)
{
    return (kngl_row(p, stage) + KNW_SUM_BLOCK - 1) / KNW_SUM_BLOCK;
}
#endif
