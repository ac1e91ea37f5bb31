/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/elementwise.hpp -- the functions of kiln/lax/elementwise.h in C++. */
/* Made by scripts/make-api.py from api/lax/elementwise.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_ELEMENTWISE_HPP
#define KILN_CPP_LAX_ELEMENTWISE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
/* jax.lax.neg: -x */
inline array neg(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_neg(x_h))); }
/* jax.lax.sign: -1, 0 or 1; NaN of NaN; complex x / |x| */
inline array sign(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_sign(x_h))); }
/* jax.lax.abs: |x|, of complex numbers the modulus (a real number); TypeError for unsigned integers */
inline array abs(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_abs(x_h))); }
/* jax.lax.floor: the largest whole number that is not above x; floats only */
inline array floor(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_floor(x_h))); }
/* jax.lax.ceil: the smallest whole number that is not below x; floats only */
inline array ceil(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_ceil(x_h))); }
/* jax.lax.is_finite: is each element neither NaN nor infinite? bool; floats only */
inline array is_finite(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_is_finite(x_h))); }
/* jax.lax.exp: e^x; floats and complex numbers */
inline array exp(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_exp(x_h))); }
/* jax.lax.exp2: 2^x; floats and complex numbers */
inline array exp2(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_exp2(x_h))); }
/* jax.lax.expm1: e^x - 1, exact also where x is small; floats and complex numbers */
inline array expm1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_expm1(x_h))); }
/* jax.lax.log: the natural logarithm; -inf of 0, NaN of negative floats; floats and complex numbers */
inline array log(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_log(x_h))); }
/* jax.lax.log1p: log(1 + x), exact also where x is small; floats and complex numbers */
inline array log1p(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_log1p(x_h))); }
/* jax.lax.logistic: 1 / (1 + e^-x), the sigmoid function; floats and complex numbers */
inline array logistic(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_logistic(x_h))); }
/* jax.lax.sin: the sine of an angle in radians; floats and complex numbers */
inline array sin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_sin(x_h))); }
/* jax.lax.cos: the cosine of an angle in radians; floats and complex numbers */
inline array cos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_cos(x_h))); }
/* jax.lax.tan: the tangent of an angle in radians; floats and complex numbers */
inline array tan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_tan(x_h))); }
/* jax.lax.asin: the angle in [-pi/2, pi/2] with the sine x; NaN outside of [-1, 1] */
inline array asin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_asin(x_h))); }
/* jax.lax.acos: the angle in [0, pi] with the cosine x; NaN outside of [-1, 1] */
inline array acos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_acos(x_h))); }
/* jax.lax.atan: the angle in (-pi/2, pi/2) with the tangent x */
inline array atan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_atan(x_h))); }
/* jax.lax.sinh: the hyperbolic sine, (e^x - e^-x) / 2 */
inline array sinh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_sinh(x_h))); }
/* jax.lax.cosh: the hyperbolic cosine, (e^x + e^-x) / 2 */
inline array cosh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_cosh(x_h))); }
/* jax.lax.tanh: the hyperbolic tangent, sinh(x) / cosh(x), between -1 and 1 */
inline array tanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_tanh(x_h))); }
/* jax.lax.asinh: the number with the hyperbolic sine x */
inline array asinh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_asinh(x_h))); }
/* jax.lax.acosh: the number from 0 on with the hyperbolic cosine x; NaN below 1 */
inline array acosh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_acosh(x_h))); }
/* jax.lax.atanh: the number with the hyperbolic tangent x; infinite at -1 and 1, NaN outside */
inline array atanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_atanh(x_h))); }
/* jax.lax.sqrt: the square root; NaN of negative floats; floats and complex numbers */
inline array sqrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_sqrt(x_h))); }
/* jax.lax.rsqrt: 1 / sqrt(x); infinite at 0; floats and complex numbers */
inline array rsqrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_rsqrt(x_h))); }
/* jax.lax.cbrt: the cube root, negative of negative numbers; real floats only */
inline array cbrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_cbrt(x_h))); }
/* jax.lax.square: x * x; integers too */
inline array square(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_square(x_h))); }
/* jax.lax.reciprocal: 1 / x, as integer_pow */
inline array reciprocal(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reciprocal(x_h))); }
/* jax.lax.real: the real part; complex numbers only */
inline array real(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_real(x_h))); }
/* jax.lax.imag: the imaginary part; complex numbers only */
inline array imag(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_imag(x_h))); }
/* jax.lax.conj: the conjugate, with the sign of the imaginary part changed; of real numbers: complex ones */
inline array conj(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_conj(x_h))); }
/* jax.lax.bitwise_not: every bit inverted, of bool: not x; integers and bool */
inline array bitwise_not(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_bitwise_not(x_h))); }
/* jax.lax.population_count: how many bits are set; integers */
inline array population_count(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_population_count(x_h))); }
/* jax.lax.clz: how many leading bits are zero, all of them of 0; integers */
inline array clz(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_clz(x_h))); }
/* jax.lax.lgamma: log |gamma(x)|; of n + 1 the logarithm of n!; infinite at 0, -1, -2, ...; floats */
inline array lgamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_lgamma(x_h))); }
/* jax.lax.digamma: the derivative of lgamma; floats */
inline array digamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_digamma(x_h))); }
/* jax.lax.erf: the error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x; floats */
inline array erf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_erf(x_h))); }
/* jax.lax.erfc: 1 - erf(x), exact also where erf(x) is near 1; floats */
inline array erfc(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_erfc(x_h))); }
/* jax.lax.erf_inv: the number with the error function x; infinite at -1 and 1, NaN outside; floats */
inline array erf_inv(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_erf_inv(x_h))); }
/* jax.lax.bessel_i0e: e^-|x| I0(x), the modified Bessel function of order 0, scaled; floats */
inline array bessel_i0e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_bessel_i0e(x_h))); }
/* jax.lax.bessel_i1e: e^-|x| I1(x), the modified Bessel function of order 1, scaled; floats */
inline array bessel_i1e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_bessel_i1e(x_h))); }
struct round_opts {
    KILN_OPTION((int), rounding_method, KN_LAX_AWAY_FROM_ZERO)
    kn_lax_round_opts c() const {
        kn_lax_round_opts to_ = {}; to_.size_ = sizeof to_; to_.rounding_method = detail::c_of(rounding_method); return
        to_; }
};
/* jax.lax.round: to the nearest whole number; halves away from zero, or to the even one. Floats. */
inline array round(const ::kiln::operand &x, const ::kiln::lax::round_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_round_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_round(x_h, &opts_c))); }
/* jax.lax.integer_pow: x to a power that is part of the program. TypeError for integers to a negative power. */
inline array integer_pow(const ::kiln::operand &x, int64_t y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_integer_pow(x_h, y))); }
/* jax.lax.reduce_precision: rounded to a float format of so many bits, keeping the dtype. ValueError for fewer than
 * one exponent bit. */
inline array reduce_precision(const ::kiln::operand &x, int exponent_bits, int mantissa_bits, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_precision(x_h,
    exponent_bits, mantissa_bits))); }
/* jax.lax.convert_element_type: x in another dtype; x itself if it has it. On the way to integers a float loses its
 * fraction; where it lies outside of the range it becomes the nearest number there, and NaN 0; integers wrap.
 * Complex numbers lose their imaginary part, to bool too. (kn_astype converts as NumPy does.) */
inline array convert_element_type(const ::kiln::operand &x, const ::kiln::dtype &new_dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_convert_element_type(x_h,
    new_dtype))); }
/* jax.lax.bitcast_convert_type: the bits as another dtype. A smaller one makes a last axis of the parts, a larger
 * one takes it; TypeError if its extent is not the ratio of the sizes. */
inline array bitcast_convert_type(const ::kiln::operand &x, const ::kiln::dtype &new_dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_bitcast_convert_type(x_h,
    new_dtype))); }
/* jax.lax.add: x + y; numbers */
inline array add(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_add(x_h, y_h))); }
/* jax.lax.sub: x - y; numbers */
inline array sub(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_sub(x_h, y_h))); }
/* jax.lax.mul: x * y; numbers */
inline array mul(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_mul(x_h, y_h))); }
/* jax.lax.div: x / y, of integers toward zero */
inline array div(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_div(x_h, y_h))); }
/* jax.lax.rem: what division toward zero leaves, with the sign of x (kn_remainder has that of y) */
inline array rem(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_rem(x_h, y_h))); }
/* jax.lax.max: the larger of x and y; NaN if either is */
inline array max(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_max(x_h, y_h))); }
/* jax.lax.min: the smaller of x and y; NaN if either is */
inline array min(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_min(x_h, y_h))); }
/* jax.lax.pow: x to the power y: y has the dtype of x, or is integers, which are converted to it */
inline array pow(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_pow(x_h, y_h))); }
/* jax.lax.atan2: the angle of (y, x): the first argument is y */
inline array atan2(const ::kiln::operand &y, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array y_h = y.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_atan2(y_h, x_h))); }
/* jax.lax.nextafter: the next number after x towards y */
inline array nextafter(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_nextafter(x_h, y_h))); }
/* jax.lax.mulhi: the upper half of the product with twice as many bits; integers */
inline array mulhi(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_mulhi(x_h, y_h))); }
/* jax.lax.complex: re + i im: complex numbers of two arrays of floats */
inline array complex(const ::kiln::operand &re, const ::kiln::operand &im, place where = here())
{ detail::call c_(where); kn_array re_h = re.c(); kn_array im_h = im.c(); c_.here(); return
    array::share(c_.take(kn_lax_complex(re_h, im_h))); }
/* jax.lax.eq: x == y, as bool; false where either is NaN */
inline array eq(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_eq(x_h, y_h))); }
/* jax.lax.ne: x != y, as bool; true where either is NaN */
inline array ne(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_ne(x_h, y_h))); }
/* jax.lax.lt: x < y, as bool; false where either is NaN; no complex numbers */
inline array lt(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_lt(x_h, y_h))); }
/* jax.lax.le: x <= y, as bool; false where either is NaN; no complex numbers */
inline array le(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_le(x_h, y_h))); }
/* jax.lax.gt: x > y, as bool; false where either is NaN; no complex numbers */
inline array gt(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_gt(x_h, y_h))); }
/* jax.lax.ge: x >= y, as bool; false where either is NaN; no complex numbers */
inline array ge(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_ge(x_h, y_h))); }
/* jax.lax.bitwise_and: the bits that are set in both; integers and bool */
inline array bitwise_and(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_bitwise_and(x_h, y_h))); }
/* jax.lax.bitwise_or: the bits that are set in either; integers and bool */
inline array bitwise_or(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_bitwise_or(x_h, y_h))); }
/* jax.lax.bitwise_xor: the bits that are set in one of the two alone; integers and bool */
inline array bitwise_xor(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_bitwise_xor(x_h, y_h))); }
/* jax.lax.shift_left: the bits of x moved y places up, which is x * 2^y; zeros come in; integers */
inline array shift_left(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_shift_left(x_h, y_h))); }
/* jax.lax.shift_right_arithmetic: the bits of x moved y places down, the sign stays: x / 2^y, rounded down; integers */
inline array shift_right_arithmetic(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_shift_right_arithmetic(x_h, y_h))); }
/* jax.lax.shift_right_logical: the bits of x moved y places down, zeros come in also for negative numbers; integers */
inline array shift_right_logical(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_lax_shift_right_logical(x_h, y_h))); }
/* jax.lax.igamma: regularized lower incomplete gamma function P(a, x), from 0 at x = 0 to 1; floats */
inline array igamma(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_igamma(a_h, x_h))); }
/* jax.lax.igammac: regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), exact also where it is small;
 * floats */
inline array igammac(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_igammac(a_h, x_h))); }
/* jax.lax.igamma_grad_a: derivative of igamma(a, x) by a; floats */
inline array igamma_grad_a(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_igamma_grad_a(a_h, x_h))); }
/* jax.lax.random_gamma_grad: derivative by a of samples from Gamma(a, 1), so that they can be differentiated; floats */
inline array random_gamma_grad(const ::kiln::operand &a, const ::kiln::operand &sample, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array sample_h = sample.c(); c_.here(); return
    array::share(c_.take(kn_lax_random_gamma_grad(a_h, sample_h))); }
/* jax.lax.zeta: Hurwitz zeta function, the sum of (k + q)^-x over k = 0, 1, ...; with q = 1 that of Riemann; floats */
inline array zeta(const ::kiln::operand &x, const ::kiln::operand &q, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_lax_zeta(x_h, q_h))); }
/* jax.lax.polygamma: derivative number m of digamma at x; floats, m too */
inline array polygamma(const ::kiln::operand &m, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array m_h = m.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_polygamma(m_h, x_h))); }
/* jax.lax.clamp: x between lower and upper bounds, which have the shape of x or are scalars. */
inline array clamp(const ::kiln::operand &lower, const ::kiln::operand &x, const ::kiln::operand &upper, place
    where = here())
{ detail::call c_(where); kn_array lower_h = lower.c(); kn_array x_h = x.c(); kn_array upper_h = upper.c(); c_.here();
    return array::share(c_.take(kn_lax_clamp(lower_h, x_h, upper_h))); }
/* jax.lax.betainc: the regularized incomplete beta function I_x(a, b), from 0 at x = 0 to 1 at x = 1; floats. */
inline array betainc(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_lax_betainc(a_h, b_h, x_h))); }
/* jax.lax.select: yes where pred, else no; pred is bool, a scalar or of their shape, which is one. TypeError
 * otherwise. */
inline array select(const ::kiln::operand &pred, const ::kiln::operand &yes, const ::kiln::operand &no, place
    where = here())
{ detail::call c_(where); kn_array pred_h = pred.c(); kn_array yes_h = yes.c(); kn_array no_h = no.c(); c_.here();
    return array::share(c_.take(kn_lax_select(pred_h, yes_h, no_h))); }
/* jax.lax.select_n: the case that `which` numbers, for each element: bool for one or two cases, int32 for any
 * number. kn_lax_select_n(which, KN_LIST(a, b, c)). TypeError for cases of different shapes or dtypes. */
inline array select_n(const ::kiln::operand &which, const ::kiln::operands &cases, place where = here())
{ detail::call c_(where); kn_array which_h = which.c(); kn_list cases_h = cases.list(); c_.here(); return
    array::share(c_.take(kn_lax_select_n(which_h, cases_h))); }
/* jax.lax.optimization_barrier: the arrays; what follows is not computed together with what comes before. */
inline std::vector<array> optimization_barrier(const ::kiln::operands &operands, place where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); c_.here(); return
    detail::arrays_of(c_.take(kn_lax_optimization_barrier(operands_h))); }
} // namespace lax
} // namespace kiln
#endif
