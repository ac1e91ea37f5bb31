/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/mathematics.h -- functions of elements: np.sin, np.add and their kin; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_MATHEMATICS_H
#define KILN_NUMPY_MATHEMATICS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Elementwise, one argument. Integers become floats where the function is one of real numbers: 8 bits and bool
 * float16, 16 bits float32, wider ones float64. */
KN_API kn_array kn_negative(kn_array x);        /* np.negative; TypeError for bool */
KN_API kn_array kn_neg(kn_array x);             /* kn_negative */
KN_API kn_array kn_positive(kn_array x);        /* np.positive; TypeError for bool */
KN_API kn_array kn_absolute(kn_array x);        /* np.absolute; of complex numbers the modulus */
KN_API kn_array kn_abs(kn_array x);             /* kn_absolute */
KN_API kn_array kn_sign(kn_array x);            /* np.sign: -1, 0 or 1, NaN of NaN; complex x / |x| */
KN_API kn_array kn_square(kn_array x);          /* np.square */
KN_API kn_array kn_reciprocal(kn_array x);      /* np.reciprocal; of integers with truncation */
KN_API kn_array kn_sqrt(kn_array x);            /* np.sqrt */
KN_API kn_array kn_exp(kn_array x);             /* np.exp */
KN_API kn_array kn_log(kn_array x);             /* np.log */
KN_API kn_array kn_sin(kn_array x);             /* np.sin */
KN_API kn_array kn_cos(kn_array x);             /* np.cos */
KN_API kn_array kn_tanh(kn_array x);            /* np.tanh */
KN_API kn_array kn_real(kn_array x);            /* np.real: a view; of real numbers x itself */
KN_API kn_array kn_imag(kn_array x);            /* np.imag: a view; of real numbers zeros, read-only */
KN_API kn_array kn_conjugate(kn_array x);       /* np.conjugate */
KN_API kn_array kn_conj(kn_array x);            /* kn_conjugate */

/* ---- Elementwise, two or three arguments. ValueError if the shapes do not broadcast. */
KN_API kn_array kn_add(kn_array x, kn_array y);         /* np.add; bool: or */
KN_API kn_array kn_subtract(kn_array x, kn_array y);    /* np.subtract; TypeError for bool */
KN_API kn_array kn_sub(kn_array x, kn_array y);         /* kn_subtract */
KN_API kn_array kn_multiply(kn_array x, kn_array y);    /* np.multiply; bool: and */
KN_API kn_array kn_mul(kn_array x, kn_array y);         /* kn_multiply */
KN_API kn_array kn_divide(kn_array x, kn_array y);      /* np.divide: true division, integers give float64 */
KN_API kn_array kn_true_divide(kn_array x, kn_array y); /* kn_divide */
KN_API kn_array kn_div(kn_array x, kn_array y);         /* kn_divide */
KN_API kn_array kn_power(kn_array x, kn_array y); /* np.power; ValueError for integers to negative integer powers */
KN_API kn_array kn_maximum(kn_array x, kn_array y);     /* np.maximum; NaN if either is */
KN_API kn_array kn_minimum(kn_array x, kn_array y);     /* np.minimum */
KN_API kn_array kn_clip(kn_array x, kn_array lo, kn_array hi); /* np.clip; a bound may be KN_NONE */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_negative(x) KN_F1(kn_negative, x)
#define kn_neg(x) KN_F1(kn_neg, x)
#define kn_sin(x) KN_F1(kn_sin, x)
#define kn_cos(x) KN_F1(kn_cos, x)
#define kn_tanh(x) KN_F1(kn_tanh, x)
#define kn_exp(x) KN_F1(kn_exp, x)
#define kn_log(x) KN_F1(kn_log, x)
#define kn_sqrt(x) KN_F1(kn_sqrt, x)
#define kn_absolute(x) KN_F1(kn_absolute, x)
#define kn_abs(x) KN_F1(kn_abs, x)
#define kn_positive(x) KN_F1(kn_positive, x)
#define kn_square(x) KN_F1(kn_square, x)
#define kn_reciprocal(x) KN_F1(kn_reciprocal, x)
#define kn_sign(x) KN_F1(kn_sign, x)
#define kn_real(x) KN_F1(kn_real, x)
#define kn_imag(x) KN_F1(kn_imag, x)
#define kn_conjugate(x) KN_F1(kn_conjugate, x)
#define kn_conj(x) KN_F1(kn_conj, x)
#define kn_add(...) KN_FOLD(kn_add, __VA_ARGS__)
#define kn_multiply(...) KN_FOLD(kn_multiply, __VA_ARGS__)
#define kn_mul(...) KN_FOLD(kn_mul, __VA_ARGS__)
#define kn_subtract(x, y) KN_F2(kn_subtract, x, y)
#define kn_sub(x, y) KN_F2(kn_sub, x, y)
#define kn_divide(x, y) KN_F2(kn_divide, x, y)
#define kn_true_divide(x, y) KN_F2(kn_true_divide, x, y)
#define kn_div(x, y) KN_F2(kn_div, x, y)
#define kn_power(x, y) KN_F2(kn_power, x, y)
#define kn_maximum(x, y) KN_F2(kn_maximum, x, y)
#define kn_minimum(x, y) KN_F2(kn_minimum, x, y)
#define kn_clip(x, lo, hi) KN_F3(kn_clip, x, lo, hi)
#endif
#endif
