/* SPDX-License-Identifier: Apache-2.0
 * eager.h -- what the functions of kiln/eager.h share. */
#ifndef KN_EAGER_EAGER_H
#define KN_EAGER_EAGER_H
#ifndef KNA_LIFTS
#define KNA_LIFTS
#endif
#include "array/lift.h"
#include "array/op.h"
#include "kiln/eager.h"

/* Ends with an array of this value (taken over; NULL: no memory). */
kn_array kne_end_value(kna_op *op, kna_value *v);
/* What an atom stands for, a new reference; NULL with the op failed, perhaps by what made the atom. */
kna_value *kne_atom_value(kna_op *op, kni_atom a);
/* x as a value of a dtype of its own, a new reference; NULL with the op failed. */
kna_value *kne_value(kna_op *op, kn_array x);
/* Is v of floats or complex numbers, so that it has `what`: tangents or gradients? Else the op is failed with a
 * TypeError. */
bool kne_has(kna_op *op, const kna_value *v, const char *what);
/* kne_value of such an array. */
kna_value *kne_inexact(kna_op *op, kn_array x, const char *what);
/* The physical value of v, an atom, with n batch axes of these extents: those that it has not are put in front. */
kni_atom kne_with_batch(kna_op *op, kna_value *v, int n, const int64_t *extent);
/* The batch axes of both, in front of the logical ones of either; their number, or -1 with the op failed. */
int kne_common_batch(kna_op *op, const kna_value *a, const kna_value *b, int64_t extent[KN_MAX_NDIM]);
/* Axis `from` of x, to where `to` is then. */
kni_atom kne_move_axis(kna_op *op, kni_atom x, int from, int to);
#endif
