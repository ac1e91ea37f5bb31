/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what the functions of jax.lax share: options, operands that are not promoted, lists of axes.
 *
 * Each function is one equation (sometimes none) with the parameters that JAX's emits; checks are made here in JAX's
 * words where the row, which NumPy's functions share, says it otherwise. */
#ifndef KN_LAX_INTERNAL_H
#define KN_LAX_INTERNAL_H
#include "array/op.h"
#include "tree/tree.h"
#include "base/options.h"
#include "base/text.h"
#include "ir/prim.h"
#include "kiln/lax.h"


/* Operands of one dtype: a[i] of x[i]. Numbers take the dtype of the others; TypeError where dtypes differ. */
void knlax_same_dtypes(kna_op *op, int n, const kn_array *x, kni_atom *a);
/* The same for operands of an elementwise primitive: one shape, or scalars. */
void knlax_operands(kna_op *op, int n, const kn_array *x, kni_atom *a);
/* a, no longer weak */
kni_atom knlax_strong(kna_op *op, kni_atom a);
/* Is d of the kinds b (bool), i (integer), s (signed), f, c? TypeError otherwise; position < 0: the only one. */
bool knlax_accepts(kna_op *op, kn_dtype d, const char *kinds, int position);

/* Lists as given: v gets them, and their number is returned. */
#define knlax_list(op, axes, v) knlax_list_of(op, kna_axes_of(op, axes), v)
int knlax_list_of(kna_op *op, const kn_axes *axes, int64_t v[KN_MAX_NDIM]); /* 0 where they cannot be axes */
/* The same as axes of so many dimensions: negative ones count from the end; AxisError. */
int knlax_axes(kna_op *op, const kn_axes *axes, int ndim, int64_t v[KN_MAX_NDIM]);
int knlax_axis(kna_op *op, kn_axes axis, int ndim, int if_not_given); /* one of them */
/* padding.c. A window with its holes; false for what is too wide, or no window, which the rows refuse. */
bool knlax_wide_window(int64_t extent, int64_t dilation, int64_t *wide);
/* The padding of n axes of these extents, for (dilated) windows and strides. */
void knlax_read_pads(kna_op *op, const kn_lax_pads *given, int n, const int64_t *extent, const int64_t *window,
                     const int64_t *stride, kn_lax_pad_pair *pads);
/* "(0, 1)" as Python writes a tuple */
const char *knlax_tuple(knx_text *t, int n, const int64_t *v);
kni_type knlax_shaped(kn_dtype d, const kn_shape *shape); /* points into *shape; ValueError is left to the rows */

/* A list of n arrays that were made with atoms. Ends the operation. */
kn_list knlax_end_list(kna_op *op, int n, const kni_atom *a);
/* The arrays of a list as atoms (knx_alloc'ed, NULL with the operation failed); *n receives how many. With `same` they
 * have one dtype. */
kni_atom *knlax_read_list(kna_op *op, kn_list list, bool same, int *n);
#ifdef __clang_analyzer__
#define knlax_read_list(op, list, same, n) KNA_NULL_IF_FAILED(op, (knlax_read_list)(op, list, same, n))
#endif
/* reductions.c. Operands and their initial values, of equal dtypes: n atoms of each, and room for n results
 * (knx_alloc'ed, NULL with the operation failed); init: the array of the first initial value. */
kni_atom *knlax_read_pairs(kna_op *op, kn_list operands, kn_list init_values, int *n, const kn_array **init);
/* The computation, recorded for two sets of scalars of x's dtypes; NULL with the operation failed. */
kni_jaxpr *knlax_record(kna_op *op, kn_fn fn, int n, const kni_atom *x);
/* The number that x is, of dtype d; false if it is none that is known. */
bool knlax_known_number(kna_op *op, kn_array x, kni_atom a, kn_dtype d, knx_scalar_bits *bits);
bool knlax_is_zero(kn_dtype d, knx_scalar_bits bits);
/* Is it the identity of the largest (sign = -1) or the smallest (1)? */
bool knlax_is_extreme(kn_dtype d, knx_scalar_bits bits, int sign);
#endif
