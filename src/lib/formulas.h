/* SPDX-License-Identifier: Apache-2.0
 * formulas.h -- what functions of elements are made of, where they are no primitive. Operands have one dtype and one
 * shape; 16-bit floats come as float32 where the result would lose by it. */
#ifndef KN_LIB_FORMULAS_H
#define KN_LIB_FORMULAS_H
#include "ir/ops.h"

/* numpy/mathematics/division.c: integers by zero give 0, the smallest by -1 itself */
kn_atom knn_floor_divide(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_modulo(kn_builder *b, kn_atom x, kn_atom y); /* with the sign of y */
kn_atom knn_fmod(kn_builder *b, kn_atom x, kn_atom y);   /* with the sign of x */
void knn_floor_and_rest(kn_builder *b, kn_atom x, kn_atom y, kn_atom *quotient, kn_atom *rest);

/* numpy/mathematics/gcd.c: of integers */
kn_atom knn_gcd(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_lcm(kn_builder *b, kn_atom x, kn_atom y);

/* numpy/logic/bits.c: counts beyond the width, and negative ones, leave nothing or the sign */
kn_atom knn_shift_left(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_shift_right(kn_builder *b, kn_atom x, kn_atom y);

/* numpy/mathematics/floating.c */
kn_atom knn_sign_bit(kn_builder *b, kn_atom x); /* bool, of floats */
kn_atom knn_is_nan(kn_builder *b, kn_atom x);
kn_atom knn_copysign(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_heaviside(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_log_add_exp(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_log_add_exp2(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_fmax(kn_builder *b, kn_atom x, kn_atom y);
kn_atom knn_fmin(kn_builder *b, kn_atom x, kn_atom y);

/* numpy/mathematics/sinc_i0.c */
kn_atom knn_sinc(kn_builder *b, kn_atom x); /* sin(x) / x */

/* numpy/mathematics/bessel.c: modified Bessel functions of real floats */
kn_atom knn_i0(kn_builder *b, kn_atom x);
kn_atom knn_i1(kn_builder *b, kn_atom x);
#endif
