/* SPDX-License-Identifier: Apache-2.0
 * move.h -- operators that only move elements work on texts as they do on numbers: texts go in as an array of their
 * positions in a pool, are moved by the same functions, and come out as the texts at these positions. */
#ifndef KN_MODELS_ONNX_OPS_MOVE_H
#define KN_MODELS_ONNX_OPS_MOVE_H
#include "models/onnx/ops/call.h"

/* The texts of the inputs of one call; zeroed at first. All that is put in has to be of one kind. */
typedef struct knonnx_pool {
    enum { KNONNX_POOL_OPEN, KNONNX_POOL_ARRAYS, KNONNX_POOL_TEXTS } kind;
    size_t n, room;
    const char **text;
} knonnx_pool;

/* Input i, or a value: a tensor as it is, texts as int64 positions; NULL with an error. */
kn_array knonnx_movable(knonnx_call *c, knonnx_pool *p, int i);
kn_array knonnx_movable_value(knonnx_call *c, knonnx_pool *p, const knonnx_value *v);
/* The position of one more text; -1 with an error. */
int64_t knonnx_pool_add(knonnx_call *c, knonnx_pool *p, const char *text);
/* What was moved as a value, and as output i. A value of the kind KNONNX_ABSENT comes with an error. */
knonnx_value knonnx_moved(knonnx_call *c, const knonnx_pool *p, kn_array x);
int knonnx_set_moved(knonnx_call *c, const knonnx_pool *p, int i, kn_array x);

/* The integers of an array that is no input, as knonnx_ints_in has them. */
const int64_t *knonnx_ints_of(knonnx_call *c, kn_array x, int *n);
/* Texts of this shape (the list is kept) as a value. */
knonnx_value knonnx_of_texts(knonnx_call *c, const kn_shape *shape, const char *const *text);
/* The extents of input i, a tensor or texts; 0, or -1 with an error. */
int knonnx_shape_in(knonnx_call *c, int i, kn_shape *out);
/* -1 with a ConcretizationError unless the values of input i, which has this name, can be looked at. */
int knonnx_look(knonnx_call *c, int i, const char *name);
/* The kn_axes of one axis, and the array of integers with n elements and one axis. */
kn_axes knonnx_single_axis(int axis);
kn_array knonnx_int_array(const int64_t *v, int n);
/* x.dtype is y.dtype; -1 with a TypeError */
int knonnx_same_dtype(knonnx_call *c, kn_array x, kn_array y);
/* Values beside each other along a new axis: tensors, or texts. */
knonnx_value knonnx_stacked(knonnx_call *c, const knonnx_value *v, size_t n, int axis);
#endif
