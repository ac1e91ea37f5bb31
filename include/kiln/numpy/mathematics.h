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
KN_API kn_array kn_exp2(kn_array x);            /* np.exp2 */
KN_API kn_array kn_expm1(kn_array x);           /* np.expm1: e^x - 1 */
KN_API kn_array kn_log2(kn_array x);            /* np.log2; a primitive of its own, JAX has none */
KN_API kn_array kn_log10(kn_array x);           /* np.log10; a primitive of its own, JAX has none */
KN_API kn_array kn_log1p(kn_array x);           /* np.log1p: log(1 + x) */
KN_API kn_array kn_tan(kn_array x);             /* np.tan */
KN_API kn_array kn_arcsin(kn_array x);          /* np.arcsin */
KN_API kn_array kn_asin(kn_array x);            /* kn_arcsin */
KN_API kn_array kn_arccos(kn_array x);          /* np.arccos */
KN_API kn_array kn_acos(kn_array x);            /* kn_arccos */
KN_API kn_array kn_arctan(kn_array x);          /* np.arctan */
KN_API kn_array kn_atan(kn_array x);            /* kn_arctan */
KN_API kn_array kn_arcsinh(kn_array x);         /* np.arcsinh */
KN_API kn_array kn_asinh(kn_array x);           /* kn_arcsinh */
KN_API kn_array kn_arccosh(kn_array x);         /* np.arccosh */
KN_API kn_array kn_acosh(kn_array x);           /* kn_arccosh */
KN_API kn_array kn_arctanh(kn_array x);         /* np.arctanh */
KN_API kn_array kn_atanh(kn_array x);           /* kn_arctanh */
KN_API kn_array kn_sinh(kn_array x);            /* np.sinh */
KN_API kn_array kn_cosh(kn_array x);            /* np.cosh */
KN_API kn_array kn_cbrt(kn_array x);            /* np.cbrt; TypeError for complex */
KN_API kn_array kn_lax_rsqrt(kn_array x);       /* jax.lax.rsqrt: 1 / sqrt(x) */
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
KN_API kn_array kn_arctan2(kn_array x, kn_array y); /* np.arctan2: angle of the points (y, x); TypeError for complex */
KN_API kn_array kn_atan2(kn_array x, kn_array y);       /* kn_arctan2 */
KN_API kn_array kn_hypot(kn_array x, kn_array y);       /* np.hypot: sqrt(x^2 + y^2); TypeError for complex */
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
#define kn_exp2(x) KN_F1(kn_exp2, x)
#define kn_expm1(x) KN_F1(kn_expm1, x)
#define kn_log2(x) KN_F1(kn_log2, x)
#define kn_log10(x) KN_F1(kn_log10, x)
#define kn_log1p(x) KN_F1(kn_log1p, x)
#define kn_tan(x) KN_F1(kn_tan, x)
#define kn_arcsin(x) KN_F1(kn_arcsin, x)
#define kn_asin(x) KN_F1(kn_asin, x)
#define kn_arccos(x) KN_F1(kn_arccos, x)
#define kn_acos(x) KN_F1(kn_acos, x)
#define kn_arctan(x) KN_F1(kn_arctan, x)
#define kn_atan(x) KN_F1(kn_atan, x)
#define kn_sinh(x) KN_F1(kn_sinh, x)
#define kn_cosh(x) KN_F1(kn_cosh, x)
#define kn_arcsinh(x) KN_F1(kn_arcsinh, x)
#define kn_asinh(x) KN_F1(kn_asinh, x)
#define kn_arccosh(x) KN_F1(kn_arccosh, x)
#define kn_acosh(x) KN_F1(kn_acosh, x)
#define kn_arctanh(x) KN_F1(kn_arctanh, x)
#define kn_atanh(x) KN_F1(kn_atanh, x)
#define kn_cbrt(x) KN_F1(kn_cbrt, x)
#define kn_lax_rsqrt(x) KN_F1(kn_lax_rsqrt, x)
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
#define kn_arctan2(x, y) KN_F2(kn_arctan2, x, y)
#define kn_atan2(x, y) KN_F2(kn_atan2, x, y)
#define kn_hypot(x, y) KN_F2(kn_hypot, x, y)
#define kn_maximum(x, y) KN_F2(kn_maximum, x, y)
#define kn_minimum(x, y) KN_F2(kn_minimum, x, y)
#define kn_clip(x, lo, hi) KN_F3(kn_clip, x, lo, hi)
#endif
#endif
