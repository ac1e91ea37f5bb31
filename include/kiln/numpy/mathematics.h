/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/mathematics.h -- functions of elements: np.sin, np.add and their kin; what all chapters have in common
 * is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/mathematics.api. */
/* clang-format off */
#ifndef KILN_NUMPY_MATHEMATICS_H
#define KILN_NUMPY_MATHEMATICS_H
#include "kiln/numpy/indexing.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. An axis is the first; arrays are NULL where they are not given. */
typedef struct kn_round_opts { size_t size_; int decimals; } kn_round_opts;
KN_API kn_round_opts kn_round_opts_default(void);
typedef struct kn_nan_to_num_opts {
    size_t size_;
    kn_array nan;    /* NULL, 0 */
    kn_array posinf; /* NULL, the largest number of the dtype */
    kn_array neginf; /* NULL, the least number of the dtype */
} kn_nan_to_num_opts;
KN_API kn_nan_to_num_opts kn_nan_to_num_opts_default(void);
typedef struct kn_real_if_close_opts { size_t size_; double tol; } kn_real_if_close_opts; /* 100: in units of eps */
KN_API kn_real_if_close_opts kn_real_if_close_opts_default(void);
typedef struct kn_angle_opts { size_t size_; bool deg; } kn_angle_opts;
KN_API kn_angle_opts kn_angle_opts_default(void);
typedef struct kn_unwrap_opts {
    size_t size_;
    kn_axes axis;     /* not given, -1 */
    kn_array discont;
    kn_array period;  /* NULL, 2 pi */
} kn_unwrap_opts;
KN_API kn_unwrap_opts kn_unwrap_opts_default(void);
typedef struct kn_cumsum_opts {
    size_t size_;
    kn_axes axis;   /* flattened unless it is given */
    kn_dtype dtype;
} kn_cumsum_opts;
KN_API kn_cumsum_opts kn_cumsum_opts_default(void);
typedef struct kn_cumulative_sum_opts {
    size_t size_; kn_axes axis; kn_dtype dtype; bool include_initial;
} kn_cumulative_sum_opts;
KN_API kn_cumulative_sum_opts kn_cumulative_sum_opts_default(void);
typedef struct kn_diff_opts {
    size_t size_;
    kn_axes axis;     /* not given, -1 */
    int64_t n;        /* 1 */
    kn_array prepend;
    kn_array append;
} kn_diff_opts;
KN_API kn_diff_opts kn_diff_opts_default(void);
typedef struct kn_ediff1d_opts { size_t size_; kn_array to_end; kn_array to_begin; } kn_ediff1d_opts;
KN_API kn_ediff1d_opts kn_ediff1d_opts_default(void);
typedef struct kn_gradient_opts {
    size_t size_;
    kn_axes axis;    /* all axes unless given */
    kn_list spacing; /* NULL, 1 */
    int edge_order;  /* 1 */
} kn_gradient_opts;
KN_API kn_gradient_opts kn_gradient_opts_default(void);
typedef struct kn_trapezoid_opts {
    size_t size_;
    kn_axes axis; /* not given, -1 */
    kn_array x;
    kn_array dx;
} kn_trapezoid_opts;
KN_API kn_trapezoid_opts kn_trapezoid_opts_default(void);
typedef struct kn_interp_opts { size_t size_; kn_array left; kn_array right; kn_array period; } kn_interp_opts;
KN_API kn_interp_opts kn_interp_opts_default(void);
typedef struct kn_cross_opts {
    size_t size_;
    kn_axes axis;
    int axisa;    /* -1 */
    int axisb;    /* -1 */
    int axisc;    /* -1 */
} kn_cross_opts;
KN_API kn_cross_opts kn_cross_opts_default(void);
typedef struct kn_convolve_opts {
    size_t size_;
    const char *mode; /* NULL, "full"; or "same", "valid": correlate: "valid" */
} kn_convolve_opts;
KN_API kn_convolve_opts kn_convolve_opts_default(void);

/* ---- Elementwise, one argument. Integers become floats where the function is one of real numbers: 8 bits and bool
 * float16, 16 bits float32, wider ones float64. */
KN_API kn_array kn_negative(kn_array x);   /* np.negative: -x. TypeError for bool */
KN_API kn_array kn_neg(kn_array x);        /* kn_negative */
KN_API kn_array kn_positive(kn_array x);   /* np.positive: +x: its value, as an array of its own. TypeError for bool */
KN_API kn_array kn_absolute(kn_array x);   /* np.absolute: |x|; of complex numbers the modulus */
KN_API kn_array kn_abs(kn_array x);        /* kn_absolute */
KN_API kn_array kn_sign(kn_array x);       /* np.sign: -1, 0 or 1, NaN of NaN; complex x / |x| */
KN_API kn_array kn_square(kn_array x);     /* np.square: x x, in x's dtype */
KN_API kn_array kn_reciprocal(kn_array x); /* np.reciprocal: 1 / x; of integers with truncation */
/* np.sqrt: the square root: NaN of negative real numbers; kn_emath_sqrt gives complex ones */
KN_API kn_array kn_sqrt(kn_array x);
KN_API kn_array kn_exp(kn_array x);        /* np.exp: e^x */
KN_API kn_array kn_log(kn_array x); /* np.log: the logarithm to base e: -inf of 0, NaN of negative real numbers */
KN_API kn_array kn_sin(kn_array x);        /* np.sin: the sine of x in radians */
KN_API kn_array kn_cos(kn_array x);        /* np.cos: the cosine of x in radians */
KN_API kn_array kn_tanh(kn_array x);       /* np.tanh: hyperbolic tangent, from -1 to 1 */
KN_API kn_array kn_exp2(kn_array x);       /* np.exp2: 2^x */
KN_API kn_array kn_expm1(kn_array x);      /* np.expm1: e^x - 1; exact for small x, too */
KN_API kn_array kn_log2(kn_array x);       /* np.log2: the logarithm to base 2: a primitive of its own, JAX has none */
KN_API kn_array kn_log10(kn_array x); /* np.log10: the logarithm to base 10: a primitive of its own, JAX has none */
KN_API kn_array kn_log1p(kn_array x);      /* np.log1p: log(1 + x); exact for small x, too */
KN_API kn_array kn_tan(kn_array x);        /* np.tan: the tangent of x in radians */
KN_API kn_array kn_arcsin(kn_array x); /* np.arcsin: inverse of kn_sin, from -pi/2 to pi/2; NaN outside of [-1, 1] */
KN_API kn_array kn_asin(kn_array x);       /* kn_arcsin */
KN_API kn_array kn_arccos(kn_array x);     /* np.arccos: inverse of kn_cos, from 0 to pi; NaN outside of [-1, 1] */
KN_API kn_array kn_acos(kn_array x);       /* kn_arccos */
KN_API kn_array kn_arctan(kn_array x);     /* np.arctan: inverse of kn_tan, from -pi/2 to pi/2 */
KN_API kn_array kn_atan(kn_array x);       /* kn_arctan */
KN_API kn_array kn_arcsinh(kn_array x);    /* np.arcsinh: inverse of kn_sinh */
KN_API kn_array kn_asinh(kn_array x);      /* kn_arcsinh */
KN_API kn_array kn_arccosh(kn_array x);    /* np.arccosh: inverse of kn_cosh, never negative; NaN below 1 */
KN_API kn_array kn_acosh(kn_array x);      /* kn_arccosh */
KN_API kn_array kn_arctanh(kn_array x);    /* np.arctanh: inverse of kn_tanh; infinite at -1 and 1, NaN beyond */
KN_API kn_array kn_atanh(kn_array x);      /* kn_arctanh */
KN_API kn_array kn_sinh(kn_array x);       /* np.sinh: (e^x - e^-x) / 2 */
KN_API kn_array kn_cosh(kn_array x);       /* np.cosh: (e^x + e^-x) / 2 */
KN_API kn_array kn_cbrt(kn_array x);       /* np.cbrt: the cube root. TypeError for complex */
KN_API kn_array kn_real(kn_array x);       /* np.real: the real part: a view; of real numbers x itself */
KN_API kn_array kn_imag(kn_array x);       /* np.imag: the imaginary part: a view; of real numbers zeros, read-only */
KN_API kn_array kn_conjugate(kn_array x);  /* np.conjugate: the imaginary part negated; real numbers as they are */
KN_API kn_array kn_conj(kn_array x);       /* kn_conjugate */
KN_API kn_array kn_fabs(kn_array x);       /* np.fabs: |x|, of floats; TypeError for complex */
/* np.signbit: is the sign negative, also of -0.0 and NaN? TypeError for complex */
KN_API kn_array kn_signbit(kn_array x);
KN_API kn_array kn_spacing(kn_array x);    /* np.spacing: the distance to the next number; TypeError for complex */
KN_API kn_array kn_deg2rad(kn_array x);    /* np.deg2rad: x pi / 180; TypeError for complex */
KN_API kn_array kn_radians(kn_array x);    /* np.radians: the same */
KN_API kn_array kn_rad2deg(kn_array x);    /* np.rad2deg: x 180 / pi; TypeError for complex */
KN_API kn_array kn_degrees(kn_array x);    /* np.degrees: the same */
KN_API kn_array kn_i0(kn_array x);         /* np.i0: modified Bessel function of order 0; TypeError for complex */
KN_API kn_array kn_sinc(kn_array x);       /* np.sinc: sin(pi x) / (pi x); 1 at 0 */
/* np.angle: the angle of complex numbers, from -pi to pi: in radians unless .deg */
KN_API kn_array kn_angle(kn_array z, const kn_angle_opts *opts);
/* np.nan_to_num: numbers in place of NaN and infinities; a new array */
KN_API kn_array kn_nan_to_num(kn_array x, const kn_nan_to_num_opts *opts);
/* np.real_if_close: the real part if all imaginary parts are below tol (in eps if above 1); looks at the values */
KN_API kn_array kn_real_if_close(kn_array a, const kn_real_if_close_opts *opts);

/* ---- Rounding. Integers and bool stay as they are, but kn_rint makes floats of them. */
/* np.floor: the largest whole number that is not above x. TypeError for complex */
KN_API kn_array kn_floor(kn_array x);
KN_API kn_array kn_ceil(kn_array x); /* np.ceil: the smallest whole number that is not below x. TypeError for complex */
KN_API kn_array kn_trunc(kn_array x); /* np.trunc: the whole number next to x towards zero; TypeError for complex */
KN_API kn_array kn_fix(kn_array x);                               /* kn_trunc */
KN_API kn_array kn_rint(kn_array x); /* np.rint: the nearest whole number, halves to even; complex numbers by parts */
/* np.round: rounded to .decimals, which may be negative; halves to even */
KN_API kn_array kn_round(kn_array x, const kn_round_opts *opts);
KN_API kn_array kn_around(kn_array x, const kn_round_opts *opts); /* kn_round */

/* ---- Several results. */
typedef struct kn_divmod_result { kn_array quotient, remainder; } kn_divmod_result;
typedef struct kn_modf_result { kn_array fractional, integral; } kn_modf_result;
typedef struct kn_frexp_result { kn_array mantissa, exponent; } kn_frexp_result;
KN_API kn_divmod_result kn_divmod(kn_array x, kn_array y); /* np.divmod: kn_floor_divide and kn_remainder */
/* np.modf: the fraction and the whole number, both with the sign of x; TypeError for complex */
KN_API kn_modf_result kn_modf(kn_array x);
/* np.frexp: x = mantissa 2^exponent (int32); TypeError for complex; the mantissa is 0 or from 0.5 to 1 */
KN_API kn_frexp_result kn_frexp(kn_array x);
KN_API kn_array kn_ldexp(kn_array x1, kn_array x2); /* np.ldexp: x1 2^x2, rounded once; x2 integers, else TypeError */

/* ---- Elementwise, two or three arguments. ValueError if the shapes do not broadcast. */
KN_API kn_array kn_add(kn_array x, kn_array y);         /* np.add: x + y; bool: or */
KN_API kn_array kn_subtract(kn_array x, kn_array y);    /* np.subtract: x - y. TypeError for bool */
KN_API kn_array kn_sub(kn_array x, kn_array y);         /* kn_subtract */
KN_API kn_array kn_multiply(kn_array x, kn_array y);    /* np.multiply: x y; bool: and */
KN_API kn_array kn_mul(kn_array x, kn_array y);         /* kn_multiply */
KN_API kn_array kn_divide(kn_array x, kn_array y);      /* np.divide: x / y: true division, integers give float64 */
KN_API kn_array kn_true_divide(kn_array x, kn_array y); /* kn_divide */
KN_API kn_array kn_div(kn_array x, kn_array y);         /* kn_divide */
/* np.power: x^y. ValueError for integers to negative integer powers */
KN_API kn_array kn_power(kn_array x, kn_array y);
/* np.arctan2: angles of points (y, x), which are the arguments in this order, from -pi to pi; TypeError for complex */
KN_API kn_array kn_arctan2(kn_array x, kn_array y);
KN_API kn_array kn_atan2(kn_array x, kn_array y);       /* kn_arctan2 */
/* np.hypot: sqrt(x^2 + y^2); TypeError for complex; without overflow between */
KN_API kn_array kn_hypot(kn_array x, kn_array y);
KN_API kn_array kn_maximum(kn_array x, kn_array y);     /* np.maximum: the larger one of each pair. NaN if either is */
KN_API kn_array kn_minimum(kn_array x, kn_array y);     /* np.minimum: the smaller one of each pair. NaN if either is */
/* np.clip: x, but at least lo and at most hi; a bound may be KN_NONE */
KN_API kn_array kn_clip(kn_array x, kn_array lo, kn_array hi);
KN_API kn_array kn_pow(kn_array x, kn_array y);         /* kn_power */
KN_API kn_array kn_float_power(kn_array x, kn_array y); /* np.float_power: x^y in float64 or complex128 */
/* np.floor_divide: x // y: the quotient rounded down. Integers divided by zero give 0, the smallest one divided by
 * -1 itself; TypeError for complex */
KN_API kn_array kn_floor_divide(kn_array x, kn_array y);
KN_API kn_array kn_remainder(kn_array x, kn_array y);   /* np.remainder: x % y, with the sign of y */
KN_API kn_array kn_mod(kn_array x, kn_array y);         /* kn_remainder */
KN_API kn_array kn_fmod(kn_array x, kn_array y);        /* np.fmod: the remainder with the sign of x */
KN_API kn_array kn_fmax(kn_array x, kn_array y); /* np.fmax: the larger one of each pair, the other one if one is NaN */
/* np.fmin: the smaller one of each pair, the other one if one is NaN */
KN_API kn_array kn_fmin(kn_array x, kn_array y);
KN_API kn_array kn_copysign(kn_array x, kn_array y);    /* np.copysign: |x| with the sign of y; TypeError for complex */
/* np.nextafter: the next number of the dtype from x towards y; no derivative, as in JAX */
KN_API kn_array kn_nextafter(kn_array x, kn_array y);
KN_API kn_array kn_heaviside(kn_array x, kn_array y);   /* np.heaviside: 0, y (at 0) or 1; TypeError for complex */
/* np.logaddexp: log(e^x + e^y); TypeError for complex; without overflow between */
KN_API kn_array kn_logaddexp(kn_array x, kn_array y);
KN_API kn_array kn_logaddexp2(kn_array x, kn_array y);  /* np.logaddexp2: log2(2^x + 2^y). TypeError for complex */
/* np.gcd: the greatest common divisor of integers, never negative; TypeError for others */
KN_API kn_array kn_gcd(kn_array x, kn_array y);
/* np.lcm: the least common multiple of integers; wraps; TypeError for others */
KN_API kn_array kn_lcm(kn_array x, kn_array y);

/* ---- Sums, products, differences along an axis. Small integers and bool are joined in 64 bits. */
/* np.cumsum: the sums of all elements up to each; flattened without an axis */
KN_API kn_array kn_cumsum(kn_array x, const kn_cumsum_opts *opts);
/* np.cumprod: the products of all elements up to each; flattened without an axis */
KN_API kn_array kn_cumprod(kn_array x, const kn_cumsum_opts *opts);
KN_API kn_array kn_nancumsum(kn_array x, const kn_cumsum_opts *opts); /* np.nancumsum: as kn_cumsum; NaN counts as 0 */
/* np.nancumprod: as kn_cumprod; NaN counts as 1 */
KN_API kn_array kn_nancumprod(kn_array x, const kn_cumsum_opts *opts);
/* np.cumulative_sum: kn_cumsum of a vector, or along the axis that is given; ValueError for several axes of which
 * none is given. include_initial: with 0 in front */
KN_API kn_array kn_cumulative_sum(kn_array x, const kn_cumulative_sum_opts *opts);
/* np.cumulative_prod: kn_cumprod of a vector, or along the axis that is given; ValueError for several axes of which
 * none is given. include_initial: with 1 in front */
KN_API kn_array kn_cumulative_prod(kn_array x, const kn_cumulative_sum_opts *opts);
/* np.diff: differences of neighbours along an axis, .n times; .prepend and .append are numbers or arrays; of bool
 * kn_not_equal. ValueError for n < 0 */
KN_API kn_array kn_diff(kn_array x, const kn_diff_opts *opts);
/* np.ediff1d: differences of neighbours in the flattened array, with .to_begin in front and .to_end behind */
KN_API kn_array kn_ediff1d(kn_array x, const kn_ediff1d_opts *opts);
/* np.gradient: derivatives by central differences, at the ends by one-sided ones: one array for each axis. .spacing:
 * numbers, or positions along the axis; one number stands for all axes. ValueError for fewer than edge_order + 1
 * elements */
KN_API kn_list kn_gradient(kn_array f, const kn_gradient_opts *opts);
/* np.trapezoid: the integral along an axis by straight lines between the samples, which stand at .x, or .dx apart (1
 * unless given) */
KN_API kn_array kn_trapezoid(kn_array y, const kn_trapezoid_opts *opts);
/* np.interp: values at x of the straight lines through the points (xp, fp); float64, or complex128 if fp is complex;
 * xp ascending. Values outside: fp's ends, or .left and .right */
KN_API kn_array kn_interp(kn_array x, kn_array xp, kn_array fp, const kn_interp_opts *opts);
/* np.cross: the vector product, of vectors of 3 (or 2) along the last axis unless others are given */
KN_API kn_array kn_cross(kn_array a, kn_array b, const kn_cross_opts *opts);
/* np.convolve: of vectors: sums of products with v turned round and moved along a. "full": wherever they overlap;
 * "same": as long as the longer one; "valid": where they overlap wholly */
KN_API kn_array kn_convolve(kn_array a, kn_array v, const kn_convolve_opts *opts);
/* np.correlate: of vectors: sums of products with v, conjugated, moved along a; .mode as in kn_convolve, "valid"
 * unless given */
KN_API kn_array kn_correlate(kn_array a, kn_array v, const kn_convolve_opts *opts);
/* np.unwrap: angles without jumps: multiples of .period are added where neighbours differ by more than .discont,
 * half of it unless given */
KN_API kn_array kn_unwrap(kn_array p, const kn_unwrap_opts *opts);

/* ---- numpy.emath: complex results where real ones would be NaN. The dtype depends on the values, which are looked
 * at: under a transformation a ConcretizationError, but for complex x. */
KN_API kn_array kn_emath_sqrt(kn_array x);  /* np.emath.sqrt: as kn_sqrt, but complex if an element is negative */
KN_API kn_array kn_emath_log(kn_array x);   /* np.emath.log: as kn_log, but complex if an element is negative */
KN_API kn_array kn_emath_log2(kn_array x);  /* np.emath.log2: as kn_log2, but complex if an element is negative */
KN_API kn_array kn_emath_log10(kn_array x); /* np.emath.log10: as kn_log10, but complex if an element is negative */
/* np.emath.logn: the logarithm to base n, complex if an element is negative */
KN_API kn_array kn_emath_logn(kn_array n, kn_array x);
/* np.emath.power: as kn_power, but complex if an element is negative; integers to negative powers as floats */
KN_API kn_array kn_emath_power(kn_array x, kn_array p);
/* np.emath.arccos: as kn_arccos, but complex if an element is outside of [-1, 1] */
KN_API kn_array kn_emath_arccos(kn_array x);
/* np.emath.arcsin: as kn_arcsin, but complex if an element is outside of [-1, 1] */
KN_API kn_array kn_emath_arcsin(kn_array x);
/* np.emath.arctanh: as kn_arctanh, but complex if an element is outside of [-1, 1] */
KN_API kn_array kn_emath_arctanh(kn_array x);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_negative(x) KN_F1(kn_negative, x)
#define kn_neg(x) KN_F1(kn_neg, x)
#define kn_positive(x) KN_F1(kn_positive, x)
#define kn_absolute(x) KN_F1(kn_absolute, x)
#define kn_abs(x) KN_F1(kn_abs, x)
#define kn_sign(x) KN_F1(kn_sign, x)
#define kn_square(x) KN_F1(kn_square, x)
#define kn_reciprocal(x) KN_F1(kn_reciprocal, x)
#define kn_sqrt(x) KN_F1(kn_sqrt, x)
#define kn_exp(x) KN_F1(kn_exp, x)
#define kn_log(x) KN_F1(kn_log, x)
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
#define kn_arcsinh(x) KN_F1(kn_arcsinh, x)
#define kn_asinh(x) KN_F1(kn_asinh, x)
#define kn_arccosh(x) KN_F1(kn_arccosh, x)
#define kn_acosh(x) KN_F1(kn_acosh, x)
#define kn_arctanh(x) KN_F1(kn_arctanh, x)
#define kn_atanh(x) KN_F1(kn_atanh, x)
#define kn_sinh(x) KN_F1(kn_sinh, x)
#define kn_cosh(x) KN_F1(kn_cosh, x)
#define kn_cbrt(x) KN_F1(kn_cbrt, x)
#define kn_real(x) KN_F1(kn_real, x)
#define kn_imag(x) KN_F1(kn_imag, x)
#define kn_conjugate(x) KN_F1(kn_conjugate, x)
#define kn_conj(x) KN_F1(kn_conj, x)
#define kn_fabs(x) KN_F1(kn_fabs, x)
#define kn_signbit(x) KN_F1(kn_signbit, x)
#define kn_spacing(x) KN_F1(kn_spacing, x)
#define kn_deg2rad(x) KN_F1(kn_deg2rad, x)
#define kn_radians(x) KN_F1(kn_radians, x)
#define kn_rad2deg(x) KN_F1(kn_rad2deg, x)
#define kn_degrees(x) KN_F1(kn_degrees, x)
#define kn_i0(x) KN_F1(kn_i0, x)
#define kn_sinc(x) KN_F1(kn_sinc, x)
#define kn_angle(z, ...) KN_F1O(kn_angle, kn_angle_opts, (), z, __VA_ARGS__)
#define kn_nan_to_num(x, ...) KN_F1O(kn_nan_to_num, kn_nan_to_num_opts, (), x, __VA_ARGS__)
#define kn_real_if_close(a, ...) KN_F1O(kn_real_if_close, kn_real_if_close_opts, (.tol = 100, ), a, __VA_ARGS__)
#define kn_floor(x) KN_F1(kn_floor, x)
#define kn_ceil(x) KN_F1(kn_ceil, x)
#define kn_trunc(x) KN_F1(kn_trunc, x)
#define kn_fix(x) KN_F1(kn_fix, x)
#define kn_rint(x) KN_F1(kn_rint, x)
#define kn_round(x, ...) KN_F1O(kn_round, kn_round_opts, (), x, __VA_ARGS__)
#define kn_around(x, ...) KN_F1O(kn_around, kn_round_opts, (), x, __VA_ARGS__)
#define kn_divmod(x, y) KN_F2(kn_divmod, x, y)
#define kn_modf(x) KN_F1(kn_modf, x)
#define kn_frexp(x) KN_F1(kn_frexp, x)
#define kn_ldexp(x1, x2) KN_F2(kn_ldexp, x1, x2)
#define kn_add(...) KN_FOLD(kn_add, __VA_ARGS__)
#define kn_subtract(x, y) KN_F2(kn_subtract, x, y)
#define kn_sub(x, y) KN_F2(kn_sub, x, y)
#define kn_multiply(...) KN_FOLD(kn_multiply, __VA_ARGS__)
#define kn_mul(...) KN_FOLD(kn_mul, __VA_ARGS__)
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
#define kn_pow(x, y) KN_F2(kn_pow, x, y)
#define kn_float_power(x, y) KN_F2(kn_float_power, x, y)
#define kn_floor_divide(x, y) KN_F2(kn_floor_divide, x, y)
#define kn_remainder(x, y) KN_F2(kn_remainder, x, y)
#define kn_mod(x, y) KN_F2(kn_mod, x, y)
#define kn_fmod(x, y) KN_F2(kn_fmod, x, y)
#define kn_fmax(x, y) KN_F2(kn_fmax, x, y)
#define kn_fmin(x, y) KN_F2(kn_fmin, x, y)
#define kn_copysign(x, y) KN_F2(kn_copysign, x, y)
#define kn_nextafter(x, y) KN_F2(kn_nextafter, x, y)
#define kn_heaviside(x, y) KN_F2(kn_heaviside, x, y)
#define kn_logaddexp(x, y) KN_F2(kn_logaddexp, x, y)
#define kn_logaddexp2(x, y) KN_F2(kn_logaddexp2, x, y)
#define kn_gcd(x, y) KN_F2(kn_gcd, x, y)
#define kn_lcm(x, y) KN_F2(kn_lcm, x, y)
#define kn_cumsum(x, ...) KN_F1O(kn_cumsum, kn_cumsum_opts, (), x, __VA_ARGS__)
#define kn_cumprod(x, ...) KN_F1O(kn_cumprod, kn_cumsum_opts, (), x, __VA_ARGS__)
#define kn_nancumsum(x, ...) KN_F1O(kn_nancumsum, kn_cumsum_opts, (), x, __VA_ARGS__)
#define kn_nancumprod(x, ...) KN_F1O(kn_nancumprod, kn_cumsum_opts, (), x, __VA_ARGS__)
#define kn_cumulative_sum(x, ...) KN_F1O(kn_cumulative_sum, kn_cumulative_sum_opts, (), x, __VA_ARGS__)
#define kn_cumulative_prod(x, ...) KN_F1O(kn_cumulative_prod, kn_cumulative_sum_opts, (), x, __VA_ARGS__)
#define kn_diff(x, ...) KN_F1O(kn_diff, kn_diff_opts, (.n = 1, ), x, __VA_ARGS__)
#define kn_ediff1d(x, ...) KN_F1O(kn_ediff1d, kn_ediff1d_opts, (), x, __VA_ARGS__)
#define kn_gradient(f, ...) KN_F1O(kn_gradient, kn_gradient_opts, (.edge_order = 1, ), f, __VA_ARGS__)
#define kn_trapezoid(y, ...) KN_F1O(kn_trapezoid, kn_trapezoid_opts, (), y, __VA_ARGS__)
#define kn_interp(x, xp, fp, ...) KN_F3O(kn_interp, kn_interp_opts, (), x, xp, fp, __VA_ARGS__)
#define kn_cross(a, b, ...)                                                                                            \
    KN_F2O(kn_cross, kn_cross_opts, (.axisa = -1, .axisb = -1, .axisc = -1, ), a, b, __VA_ARGS__)
#define kn_convolve(a, v, ...) KN_F2O(kn_convolve, kn_convolve_opts, (), a, v, __VA_ARGS__)
#define kn_correlate(a, v, ...) KN_F2O(kn_correlate, kn_convolve_opts, (), a, v, __VA_ARGS__)
#define kn_unwrap(p, ...) KN_F1O(kn_unwrap, kn_unwrap_opts, (), p, __VA_ARGS__)
#define kn_emath_sqrt(x) KN_F1(kn_emath_sqrt, x)
#define kn_emath_log(x) KN_F1(kn_emath_log, x)
#define kn_emath_log2(x) KN_F1(kn_emath_log2, x)
#define kn_emath_log10(x) KN_F1(kn_emath_log10, x)
#define kn_emath_logn(n, x) KN_F2(kn_emath_logn, n, x)
#define kn_emath_power(x, p) KN_F2(kn_emath_power, x, p)
#define kn_emath_arccos(x) KN_F1(kn_emath_arccos, x)
#define kn_emath_arcsin(x) KN_F1(kn_emath_arcsin, x)
#define kn_emath_arctanh(x) KN_F1(kn_emath_arctanh, x)
#endif
#endif
