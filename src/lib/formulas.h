/* SPDX-License-Identifier: Apache-2.0
 * formulas.h -- what functions of elements are made of, where they are no primitive. Operands have one dtype and one
 * shape; 16-bit floats come as float32 where the result would lose by it. */
#ifndef KN_LIB_FORMULAS_H
#define KN_LIB_FORMULAS_H
#include "ir/ops.h"

/* numpy/mathematics/division.c: integers by zero give 0, the smallest by -1 itself */
kni_atom knl_floor_divide(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_modulo(kni_builder *b, kni_atom x, kni_atom y); /* with the sign of y */
kni_atom knl_fmod(kni_builder *b, kni_atom x, kni_atom y); /* with the sign of x */
void knl_floor_and_rest(kni_builder *b, kni_atom x, kni_atom y, kni_atom *quotient, kni_atom *rest);

/* numpy/error_state/ufunc.c: what is written between the two is one function for the error state, `ufunc` of x, whose
 * result is y; NULL: it has no events. No more than a look where there is none. */
typedef struct knl_hush {
    const kn_place *before;
    bool on;
} knl_hush;
knl_hush knl_hush_begin(kni_builder *b);
kni_atom knl_hush_end(kni_builder *b, const knl_hush *h, const char *ufunc, int n, const kni_atom *x, kni_atom y);

/* numpy/mathematics/gcd.c: of integers */
kni_atom knl_gcd(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_lcm(kni_builder *b, kni_atom x, kni_atom y);

/* numpy/logic/bits.c: counts beyond the width, and negative ones, leave nothing or the sign */
kni_atom knl_shift_left(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_shift_right(kni_builder *b, kni_atom x, kni_atom y);

/* numpy/mathematics/floating.c */
kni_atom knl_sign_bit(kni_builder *b, kni_atom x); /* bool, of floats */
kni_atom knl_is_nan(kni_builder *b, kni_atom x);
kni_atom knl_copysign(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_heaviside(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_nextafter(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_log_add_exp(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_log_add_exp2(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_fmax(kni_builder *b, kni_atom x, kni_atom y);
kni_atom knl_fmin(kni_builder *b, kni_atom x, kni_atom y);

/* numpy/mathematics/sinc_i0.c */
kni_atom knl_sinc(kni_builder *b, kni_atom x); /* sin(x) / x */

/* numpy/mathematics/bessel.c: modified Bessel functions of real floats */
kni_atom knl_i0(kni_builder *b, kni_atom x);
kni_atom knl_i1(kni_builder *b, kni_atom x);
#endif
