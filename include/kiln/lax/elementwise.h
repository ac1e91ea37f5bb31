/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/elementwise.h -- jax.lax, element by element: each function is one primitive, and nothing is promoted.
 *
 * Operands have one dtype; they have one shape or are scalars (extents of 1 are repeated where the numbers of
 * dimensions are equal). A C number takes the dtype of the arrays beside it. Anything else is a TypeError: "requires
 * arguments to have the same dtypes, got float32, int32", "arrays must have the same number of dimensions, got {1,
 * 2}", "does not accept dtype int32. Accepted dtypes are subtypes of floating, complexfloating." */
/* Made by scripts/make-api.py from api/lax/elementwise.api. */
/* clang-format off */
#ifndef KILN_LAX_ELEMENTWISE_H
#define KILN_LAX_ELEMENTWISE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One argument. (jax.lax.stop_gradient is in kiln/function.h.) */
KN_API kn_array kn_lax_neg(kn_array x);              /* jax.lax.neg: -x */
KN_API kn_array kn_lax_sign(kn_array x);             /* jax.lax.sign: -1, 0 or 1; NaN of NaN; complex x / |x| */
/* jax.lax.abs: |x|, of complex numbers the modulus (a real number); TypeError for unsigned integers */
KN_API kn_array kn_lax_abs(kn_array x);
KN_API kn_array kn_lax_floor(kn_array x); /* jax.lax.floor: the largest whole number that is not above x; floats only */
KN_API kn_array kn_lax_ceil(kn_array x); /* jax.lax.ceil: the smallest whole number that is not below x; floats only */
/* jax.lax.is_finite: is each element neither NaN nor infinite? bool; floats only */
KN_API kn_array kn_lax_is_finite(kn_array x);
KN_API kn_array kn_lax_exp(kn_array x);              /* jax.lax.exp: e^x; floats and complex numbers */
KN_API kn_array kn_lax_exp2(kn_array x);             /* jax.lax.exp2: 2^x; floats and complex numbers */
/* jax.lax.expm1: e^x - 1, exact also where x is small; floats and complex numbers */
KN_API kn_array kn_lax_expm1(kn_array x);
/* jax.lax.log: the natural logarithm; -inf of 0, NaN of negative floats; floats and complex numbers */
KN_API kn_array kn_lax_log(kn_array x);
/* jax.lax.log1p: log(1 + x), exact also where x is small; floats and complex numbers */
KN_API kn_array kn_lax_log1p(kn_array x);
/* jax.lax.logistic: 1 / (1 + e^-x), the sigmoid function; floats and complex numbers */
KN_API kn_array kn_lax_logistic(kn_array x);
KN_API kn_array kn_lax_sin(kn_array x); /* jax.lax.sin: the sine of an angle in radians; floats and complex numbers */
KN_API kn_array kn_lax_cos(kn_array x); /* jax.lax.cos: the cosine of an angle in radians; floats and complex numbers */
/* jax.lax.tan: the tangent of an angle in radians; floats and complex numbers */
KN_API kn_array kn_lax_tan(kn_array x);
/* jax.lax.asin: the angle in [-pi/2, pi/2] with the sine x; NaN outside of [-1, 1] */
KN_API kn_array kn_lax_asin(kn_array x);
/* jax.lax.acos: the angle in [0, pi] with the cosine x; NaN outside of [-1, 1] */
KN_API kn_array kn_lax_acos(kn_array x);
KN_API kn_array kn_lax_atan(kn_array x);             /* jax.lax.atan: the angle in (-pi/2, pi/2) with the tangent x */
KN_API kn_array kn_lax_sinh(kn_array x);             /* jax.lax.sinh: the hyperbolic sine, (e^x - e^-x) / 2 */
KN_API kn_array kn_lax_cosh(kn_array x);             /* jax.lax.cosh: the hyperbolic cosine, (e^x + e^-x) / 2 */
KN_API kn_array kn_lax_tanh(kn_array x); /* jax.lax.tanh: the hyperbolic tangent, sinh(x) / cosh(x), between -1 and 1 */
KN_API kn_array kn_lax_asinh(kn_array x);            /* jax.lax.asinh: the number with the hyperbolic sine x */
/* jax.lax.acosh: the number from 0 on with the hyperbolic cosine x; NaN below 1 */
KN_API kn_array kn_lax_acosh(kn_array x);
/* jax.lax.atanh: the number with the hyperbolic tangent x; infinite at -1 and 1, NaN outside */
KN_API kn_array kn_lax_atanh(kn_array x);
/* jax.lax.sqrt: the square root; NaN of negative floats; floats and complex numbers */
KN_API kn_array kn_lax_sqrt(kn_array x);
KN_API kn_array kn_lax_rsqrt(kn_array x); /* jax.lax.rsqrt: 1 / sqrt(x); infinite at 0; floats and complex numbers */
/* jax.lax.cbrt: the cube root, negative of negative numbers; real floats only */
KN_API kn_array kn_lax_cbrt(kn_array x);
KN_API kn_array kn_lax_square(kn_array x);           /* jax.lax.square: x * x; integers too */
KN_API kn_array kn_lax_reciprocal(kn_array x);       /* jax.lax.reciprocal: 1 / x, as integer_pow */
KN_API kn_array kn_lax_real(kn_array x);             /* jax.lax.real: the real part; complex numbers only */
KN_API kn_array kn_lax_imag(kn_array x);             /* jax.lax.imag: the imaginary part; complex numbers only */
/* jax.lax.conj: the conjugate, with the sign of the imaginary part changed; of real numbers: complex ones */
KN_API kn_array kn_lax_conj(kn_array x);
/* jax.lax.bitwise_not: every bit inverted, of bool: not x; integers and bool */
KN_API kn_array kn_lax_bitwise_not(kn_array x);
KN_API kn_array kn_lax_population_count(kn_array x); /* jax.lax.population_count: how many bits are set; integers */
KN_API kn_array kn_lax_clz(kn_array x); /* jax.lax.clz: how many leading bits are zero, all of them of 0; integers */
/* jax.lax.lgamma: log |gamma(x)|; of n + 1 the logarithm of n!; infinite at 0, -1, -2, ...; floats */
KN_API kn_array kn_lax_lgamma(kn_array x);
KN_API kn_array kn_lax_digamma(kn_array x);          /* jax.lax.digamma: the derivative of lgamma; floats */
/* jax.lax.erf: the error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x; floats */
KN_API kn_array kn_lax_erf(kn_array x);
KN_API kn_array kn_lax_erfc(kn_array x); /* jax.lax.erfc: 1 - erf(x), exact also where erf(x) is near 1; floats */
/* jax.lax.erf_inv: the number with the error function x; infinite at -1 and 1, NaN outside; floats */
KN_API kn_array kn_lax_erf_inv(kn_array x);
/* jax.lax.bessel_i0e: e^-|x| I0(x), the modified Bessel function of order 0, scaled; floats */
KN_API kn_array kn_lax_bessel_i0e(kn_array x);
/* jax.lax.bessel_i1e: e^-|x| I1(x), the modified Bessel function of order 1, scaled; floats */
KN_API kn_array kn_lax_bessel_i1e(kn_array x);
enum { KN_LAX_AWAY_FROM_ZERO, KN_LAX_TO_NEAREST_EVEN }; /* jax.lax.RoundingMethod */
typedef struct kn_lax_round_opts { size_t size_; int rounding_method; } kn_lax_round_opts; /* KN_LAX_AWAY_FROM_ZERO */
KN_API kn_lax_round_opts kn_lax_round_opts_default(void);
/* jax.lax.round: to the nearest whole number; halves away from zero, or to the even one. Floats. */
KN_API kn_array kn_lax_round(kn_array x, const kn_lax_round_opts *opts);
/* jax.lax.integer_pow: x to a power that is part of the program. TypeError for integers to a negative power. */
KN_API kn_array kn_lax_integer_pow(kn_array x, int64_t y);
/* jax.lax.reduce_precision: rounded to a float format of so many bits, keeping the dtype. ValueError for fewer than
 * one exponent bit. */
KN_API kn_array kn_lax_reduce_precision(kn_array x, int exponent_bits, int mantissa_bits);
/* jax.lax.convert_element_type: x in another dtype; x itself if it has it. On the way to integers a float loses its
 * fraction; where it lies outside of the range it becomes the nearest number there, and NaN 0; integers wrap.
 * Complex numbers lose their imaginary part, to bool too. (kn_astype converts as NumPy does.) */
KN_API kn_array kn_lax_convert_element_type(kn_array x, kn_dtype new_dtype);
/* jax.lax.bitcast_convert_type: the bits as another dtype. A smaller one makes a last axis of the parts, a larger
 * one takes it; TypeError if its extent is not the ratio of the sizes. */
KN_API kn_array kn_lax_bitcast_convert_type(kn_array x, kn_dtype new_dtype);

/* ---- Two or three arguments. */
KN_API kn_array kn_lax_add(kn_array x, kn_array y);       /* jax.lax.add: x + y; numbers */
KN_API kn_array kn_lax_sub(kn_array x, kn_array y);       /* jax.lax.sub: x - y; numbers */
KN_API kn_array kn_lax_mul(kn_array x, kn_array y);       /* jax.lax.mul: x * y; numbers */
KN_API kn_array kn_lax_div(kn_array x, kn_array y);       /* jax.lax.div: x / y, of integers toward zero */
/* jax.lax.rem: what division toward zero leaves, with the sign of x (kn_remainder has that of y) */
KN_API kn_array kn_lax_rem(kn_array x, kn_array y);
KN_API kn_array kn_lax_max(kn_array x, kn_array y);       /* jax.lax.max: the larger of x and y; NaN if either is */
KN_API kn_array kn_lax_min(kn_array x, kn_array y);       /* jax.lax.min: the smaller of x and y; NaN if either is */
/* jax.lax.pow: x to the power y: y has the dtype of x, or is integers, which are converted to it */
KN_API kn_array kn_lax_pow(kn_array x, kn_array y);
KN_API kn_array kn_lax_atan2(kn_array y, kn_array x); /* jax.lax.atan2: the angle of (y, x): the first argument is y */
KN_API kn_array kn_lax_nextafter(kn_array x, kn_array y); /* jax.lax.nextafter: the next number after x towards y */
/* jax.lax.mulhi: the upper half of the product with twice as many bits; integers */
KN_API kn_array kn_lax_mulhi(kn_array x, kn_array y);
/* jax.lax.complex: re + i im: complex numbers of two arrays of floats */
KN_API kn_array kn_lax_complex(kn_array re, kn_array im);
KN_API kn_array kn_lax_eq(kn_array x, kn_array y);        /* jax.lax.eq: x == y, as bool; false where either is NaN */
KN_API kn_array kn_lax_ne(kn_array x, kn_array y);        /* jax.lax.ne: x != y, as bool; true where either is NaN */
/* jax.lax.lt: x < y, as bool; false where either is NaN; no complex numbers */
KN_API kn_array kn_lax_lt(kn_array x, kn_array y);
/* jax.lax.le: x <= y, as bool; false where either is NaN; no complex numbers */
KN_API kn_array kn_lax_le(kn_array x, kn_array y);
/* jax.lax.gt: x > y, as bool; false where either is NaN; no complex numbers */
KN_API kn_array kn_lax_gt(kn_array x, kn_array y);
/* jax.lax.ge: x >= y, as bool; false where either is NaN; no complex numbers */
KN_API kn_array kn_lax_ge(kn_array x, kn_array y);
/* jax.lax.bitwise_and: the bits that are set in both; integers and bool */
KN_API kn_array kn_lax_bitwise_and(kn_array x, kn_array y);
/* jax.lax.bitwise_or: the bits that are set in either; integers and bool */
KN_API kn_array kn_lax_bitwise_or(kn_array x, kn_array y);
/* jax.lax.bitwise_xor: the bits that are set in one of the two alone; integers and bool */
KN_API kn_array kn_lax_bitwise_xor(kn_array x, kn_array y);
/* jax.lax.shift_left: the bits of x moved y places up, which is x * 2^y; zeros come in; integers */
KN_API kn_array kn_lax_shift_left(kn_array x, kn_array y);
/* jax.lax.shift_right_arithmetic: the bits of x moved y places down, the sign stays: x / 2^y, rounded down; integers */
KN_API kn_array kn_lax_shift_right_arithmetic(kn_array x, kn_array y);
/* jax.lax.shift_right_logical: the bits of x moved y places down, zeros come in also for negative numbers; integers */
KN_API kn_array kn_lax_shift_right_logical(kn_array x, kn_array y);
/* jax.lax.igamma: regularized lower incomplete gamma function P(a, x), from 0 at x = 0 to 1; floats */
KN_API kn_array kn_lax_igamma(kn_array a, kn_array x);
/* jax.lax.igammac: regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), exact also where it is small;
 * floats */
KN_API kn_array kn_lax_igammac(kn_array a, kn_array x);
/* jax.lax.igamma_grad_a: derivative of igamma(a, x) by a; floats */
KN_API kn_array kn_lax_igamma_grad_a(kn_array a, kn_array x);
/* jax.lax.random_gamma_grad: derivative by a of samples from Gamma(a, 1), so that they can be differentiated; floats */
KN_API kn_array kn_lax_random_gamma_grad(kn_array a, kn_array sample);
/* jax.lax.zeta: Hurwitz zeta function, the sum of (k + q)^-x over k = 0, 1, ...; with q = 1 that of Riemann; floats */
KN_API kn_array kn_lax_zeta(kn_array x, kn_array q);
/* jax.lax.polygamma: derivative number m of digamma at x; floats, m too */
KN_API kn_array kn_lax_polygamma(kn_array m, kn_array x);
/* jax.lax.clamp: x between lower and upper bounds, which have the shape of x or are scalars. */
KN_API kn_array kn_lax_clamp(kn_array lower, kn_array x, kn_array upper);
/* jax.lax.betainc: the regularized incomplete beta function I_x(a, b), from 0 at x = 0 to 1 at x = 1; floats. */
KN_API kn_array kn_lax_betainc(kn_array a, kn_array b, kn_array x);
/* jax.lax.select: yes where pred, else no; pred is bool, a scalar or of their shape, which is one. TypeError
 * otherwise. */
KN_API kn_array kn_lax_select(kn_array pred, kn_array yes, kn_array no);
/* jax.lax.select_n: the case that `which` numbers, for each element: bool for one or two cases, int32 for any
 * number. kn_lax_select_n(which, KN_LIST(a, b, c)). TypeError for cases of different shapes or dtypes. */
KN_API kn_array kn_lax_select_n(kn_array which, kn_list cases);
/* jax.lax.optimization_barrier: the arrays; what follows is not computed together with what comes before. */
KN_API kn_list kn_lax_optimization_barrier(kn_list operands);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_lax_neg(x) KN_F1(kn_lax_neg, x)
#define kn_lax_sign(x) KN_F1(kn_lax_sign, x)
#define kn_lax_abs(x) KN_F1(kn_lax_abs, x)
#define kn_lax_floor(x) KN_F1(kn_lax_floor, x)
#define kn_lax_ceil(x) KN_F1(kn_lax_ceil, x)
#define kn_lax_is_finite(x) KN_F1(kn_lax_is_finite, x)
#define kn_lax_exp(x) KN_F1(kn_lax_exp, x)
#define kn_lax_exp2(x) KN_F1(kn_lax_exp2, x)
#define kn_lax_expm1(x) KN_F1(kn_lax_expm1, x)
#define kn_lax_log(x) KN_F1(kn_lax_log, x)
#define kn_lax_log1p(x) KN_F1(kn_lax_log1p, x)
#define kn_lax_logistic(x) KN_F1(kn_lax_logistic, x)
#define kn_lax_sin(x) KN_F1(kn_lax_sin, x)
#define kn_lax_cos(x) KN_F1(kn_lax_cos, x)
#define kn_lax_tan(x) KN_F1(kn_lax_tan, x)
#define kn_lax_asin(x) KN_F1(kn_lax_asin, x)
#define kn_lax_acos(x) KN_F1(kn_lax_acos, x)
#define kn_lax_atan(x) KN_F1(kn_lax_atan, x)
#define kn_lax_sinh(x) KN_F1(kn_lax_sinh, x)
#define kn_lax_cosh(x) KN_F1(kn_lax_cosh, x)
#define kn_lax_tanh(x) KN_F1(kn_lax_tanh, x)
#define kn_lax_asinh(x) KN_F1(kn_lax_asinh, x)
#define kn_lax_acosh(x) KN_F1(kn_lax_acosh, x)
#define kn_lax_atanh(x) KN_F1(kn_lax_atanh, x)
#define kn_lax_sqrt(x) KN_F1(kn_lax_sqrt, x)
#define kn_lax_rsqrt(x) KN_F1(kn_lax_rsqrt, x)
#define kn_lax_cbrt(x) KN_F1(kn_lax_cbrt, x)
#define kn_lax_square(x) KN_F1(kn_lax_square, x)
#define kn_lax_reciprocal(x) KN_F1(kn_lax_reciprocal, x)
#define kn_lax_real(x) KN_F1(kn_lax_real, x)
#define kn_lax_imag(x) KN_F1(kn_lax_imag, x)
#define kn_lax_conj(x) KN_F1(kn_lax_conj, x)
#define kn_lax_bitwise_not(x) KN_F1(kn_lax_bitwise_not, x)
#define kn_lax_population_count(x) KN_F1(kn_lax_population_count, x)
#define kn_lax_clz(x) KN_F1(kn_lax_clz, x)
#define kn_lax_lgamma(x) KN_F1(kn_lax_lgamma, x)
#define kn_lax_digamma(x) KN_F1(kn_lax_digamma, x)
#define kn_lax_erf(x) KN_F1(kn_lax_erf, x)
#define kn_lax_erfc(x) KN_F1(kn_lax_erfc, x)
#define kn_lax_erf_inv(x) KN_F1(kn_lax_erf_inv, x)
#define kn_lax_bessel_i0e(x) KN_F1(kn_lax_bessel_i0e, x)
#define kn_lax_bessel_i1e(x) KN_F1(kn_lax_bessel_i1e, x)
#define kn_lax_round(x, ...)                                                                                           \
    KN_F1O(kn_lax_round, kn_lax_round_opts, (.rounding_method = KN_LAX_AWAY_FROM_ZERO, ), x, __VA_ARGS__)
#define kn_lax_integer_pow(x, y) KN_H1(kn_lax_integer_pow, x, int64_t, y)
#define kn_lax_reduce_precision(x, exponent_bits, mantissa_bits)                                                       \
    KN_H2(kn_lax_reduce_precision, x, int, exponent_bits, int, mantissa_bits)
#define kn_lax_convert_element_type(x, new_dtype) KN_H1(kn_lax_convert_element_type, x, kn_dtype, new_dtype)
#define kn_lax_bitcast_convert_type(x, new_dtype) KN_H1(kn_lax_bitcast_convert_type, x, kn_dtype, new_dtype)
#define kn_lax_add(x, y) KN_F2(kn_lax_add, x, y)
#define kn_lax_sub(x, y) KN_F2(kn_lax_sub, x, y)
#define kn_lax_mul(x, y) KN_F2(kn_lax_mul, x, y)
#define kn_lax_div(x, y) KN_F2(kn_lax_div, x, y)
#define kn_lax_rem(x, y) KN_F2(kn_lax_rem, x, y)
#define kn_lax_max(x, y) KN_F2(kn_lax_max, x, y)
#define kn_lax_min(x, y) KN_F2(kn_lax_min, x, y)
#define kn_lax_pow(x, y) KN_F2(kn_lax_pow, x, y)
#define kn_lax_atan2(y, x) KN_F2(kn_lax_atan2, y, x)
#define kn_lax_nextafter(x, y) KN_F2(kn_lax_nextafter, x, y)
#define kn_lax_mulhi(x, y) KN_F2(kn_lax_mulhi, x, y)
#define kn_lax_complex(re, im) KN_F2(kn_lax_complex, re, im)
#define kn_lax_eq(x, y) KN_F2(kn_lax_eq, x, y)
#define kn_lax_ne(x, y) KN_F2(kn_lax_ne, x, y)
#define kn_lax_lt(x, y) KN_F2(kn_lax_lt, x, y)
#define kn_lax_le(x, y) KN_F2(kn_lax_le, x, y)
#define kn_lax_gt(x, y) KN_F2(kn_lax_gt, x, y)
#define kn_lax_ge(x, y) KN_F2(kn_lax_ge, x, y)
#define kn_lax_bitwise_and(x, y) KN_F2(kn_lax_bitwise_and, x, y)
#define kn_lax_bitwise_or(x, y) KN_F2(kn_lax_bitwise_or, x, y)
#define kn_lax_bitwise_xor(x, y) KN_F2(kn_lax_bitwise_xor, x, y)
#define kn_lax_shift_left(x, y) KN_F2(kn_lax_shift_left, x, y)
#define kn_lax_shift_right_arithmetic(x, y) KN_F2(kn_lax_shift_right_arithmetic, x, y)
#define kn_lax_shift_right_logical(x, y) KN_F2(kn_lax_shift_right_logical, x, y)
#define kn_lax_igamma(a, x) KN_F2(kn_lax_igamma, a, x)
#define kn_lax_igammac(a, x) KN_F2(kn_lax_igammac, a, x)
#define kn_lax_igamma_grad_a(a, x) KN_F2(kn_lax_igamma_grad_a, a, x)
#define kn_lax_random_gamma_grad(a, sample) KN_F2(kn_lax_random_gamma_grad, a, sample)
#define kn_lax_zeta(x, q) KN_F2(kn_lax_zeta, x, q)
#define kn_lax_polygamma(m, x) KN_F2(kn_lax_polygamma, m, x)
#define kn_lax_clamp(lower, x, upper) KN_F3(kn_lax_clamp, lower, x, upper)
#define kn_lax_betainc(a, b, x) KN_F3(kn_lax_betainc, a, b, x)
#define kn_lax_select(pred, yes, no) KN_F3(kn_lax_select, pred, yes, no)
#define kn_lax_select_n(which, cases) KN_H1(kn_lax_select_n, which, kn_list, cases)
#define kn_lax_optimization_barrier(operands) KN_G1(kn_lax_optimization_barrier, kn_list, operands)
#endif
#endif
