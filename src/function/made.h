/* SPDX-License-Identifier: Apache-2.0
 * made.h -- C functions of the library's that are made of another function, which they call: what a transformation is
 * that is composed of others. They are functions as those of the user: recorded, transformed and compiled like them. */
#ifndef KN_FUNCTION_MADE_H
#define KN_FUNCTION_MADE_H
#include "function/function.h"

/* What the call of such a function gets as its environment. */
typedef struct knf_made {
    kn_fn of;
    const void *options;             /* the bytes that it was made with */
    const kntree_structure *structure; /* ... and the structure; NULL: none */
    const kn_array *captured;        /* ... and the arrays */
} knf_made;

/* A handle of c (static; options of its env_bytes without gaps, or NULL; it captures nothing by itself), which calls
 * `of`. Its operands are what `of` captured, then these n arrays. Structure: NULL, or one that is retained. NULL, with
 * the error reported, if the operation has failed or does; the operation is ended. */
kn_fn knf_make_of(kna_op *op, const kn_function *c, const void *options, const kntree_structure *structure, kn_fn of,
                  int n, const kn_array *captured);

/* For function.c: in is of the function's captured arrays. made->of is a handle to be released. */
knx_error *knf_made_begin(const knf_core *f, const kn_array *in, knf_made *made);
#endif
