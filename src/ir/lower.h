/* SPDX-License-Identifier: Apache-2.0
 * lower.h -- what a row's lowering column speaks to: kernel expressions of elementwise primitives, index maps of
 * views, and pulled elements of loop nests. The planner (compile/) implements kni_lower. */
#ifndef KN_IR_LOWER_H
#define KN_IR_LOWER_H
#include "ir/params.h"
#include "kernel/kernel.h"

/* One scalar in a kernel. Complex numbers are two nodes; keys are two uint32 nodes (re, im); all others use re alone
 * (im is KNK_NONE). float16 and bfloat16 values travel as f32 nodes that hold an exactly representable number: after
 * each operation `expr` rows get their result rounded by the planner (CAST to the 16-bit type and back), so rows see
 * f32 and need do nothing. */
typedef struct kni_pair {
    knk_node re, im;
} kni_pair;

/* An element's position in a value: per axis an affine function of the kernel's loops, plus a runtime node where
 * indices are computed. */
typedef struct kni_index_axis {
    int64_t offset;
    int64_t coef[KNK_MAX_LOOPS];
    knk_node node; /* int64 added to it; KNK_NONE: none */
    bool fixed;    /* the planner's: without loops it is a number of the kernel, not of the launch */
} kni_index_axis;
typedef struct kni_index {
    int n_loop;
    int ndim;
    kni_index_axis *axis; /* room for KN_MAX_NDIM */
} kni_index;

typedef struct kni_lower kni_lower; /* the planner's */
knk_builder *kni_lower_kernel(kni_lower *l);
/* Operand `which` of the equation being lowered, at position i (i->ndim is that operand's rank): a load or the
 * producer's expression. With pred not KNK_NONE memory is touched only where it is true, and `other` is the value
 * elsewhere. */
kni_pair kni_lower_operand(kni_lower *l, int which, const kni_index *i, knk_node pred, kni_pair other);
/* the position along an axis as an int64 node */
knk_node kni_lower_axis_value(kni_lower *l, const kni_index *i, int axis);
/* a new position, all zero; same loops as `like` */
kni_index *kni_lower_index(kni_lower *l, int ndim, const kni_index *like);

/* A number as an int64 node: a constant, or of an expression what the launch gives. `like`: any position */
static inline knk_node kni_lower_number(kni_lower *l, const kni_index *like, int64_t n)
{
    kni_index *i = knx_is_symbolic(n) ? kni_lower_index(l, 1, like) : NULL;
    if (i)
        i->axis[0].offset = n;
    return i ? kni_lower_axis_value(l, i, 0) : knk_const_int(kni_lower_kernel(l), KN_ID_I64, n);
}

/* 16-bit floats are added in f32 by the planner; complex by components */
typedef struct kni_reduction_row {
    knk_reduction how;
} kni_reduction_row;
#endif
