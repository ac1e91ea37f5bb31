/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/mathematics.hpp -- the functions of kiln/numpy/mathematics.h in C++. */
/* Made by scripts/make-api.py from api/numpy/mathematics.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_MATHEMATICS_HPP
#define KILN_CPP_NUMPY_MATHEMATICS_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/indexing.hpp"

namespace kiln {
struct round_opts {
    KILN_OPTION((int), decimals, {})
    kn_round_opts c() const {
        kn_round_opts to_ = {}; to_.size_ = sizeof to_; to_.decimals = detail::c_of(decimals); return to_; }
};
struct nan_to_num_opts {
    KILN_OPTION((::kiln::array), nan, {}) /* 0 */
    KILN_OPTION((::kiln::array), posinf, {}) /* the largest number of the dtype */
    KILN_OPTION((::kiln::array), neginf, {}) /* the least number of the dtype */
    kn_nan_to_num_opts c() const {
        kn_nan_to_num_opts to_ = {}; to_.size_ = sizeof to_; to_.nan = detail::c_of(nan);
        to_.posinf = detail::c_of(posinf); to_.neginf = detail::c_of(neginf); return to_; }
};
struct real_if_close_opts {
    KILN_OPTION((double), tol, 100) /* in units of eps */
    kn_real_if_close_opts c() const {
        kn_real_if_close_opts to_ = {}; to_.size_ = sizeof to_; to_.tol = detail::c_of(tol); return to_; }
};
struct angle_opts {
    KILN_OPTION((bool), deg, {})
    kn_angle_opts c() const {
        kn_angle_opts to_ = {}; to_.size_ = sizeof to_; to_.deg = detail::c_of(deg); return to_; }
};
struct unwrap_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* -1 */
    KILN_OPTION((::kiln::array), discont, {})
    KILN_OPTION((::kiln::array), period, {}) /* 2 pi */
    kn_unwrap_opts c() const {
        kn_unwrap_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.discont = detail::c_of(discont); to_.period = detail::c_of(period); return to_; }
};
struct cumsum_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* flattened unless it is given */
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_cumsum_opts c() const {
        kn_cumsum_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.dtype = detail::c_of(dtype);
        return to_; }
};
struct cumulative_sum_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((bool), include_initial, {})
    kn_cumulative_sum_opts c() const {
        kn_cumulative_sum_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.dtype = detail::c_of(dtype); to_.include_initial = detail::c_of(include_initial); return to_; }
};
struct diff_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* -1 */
    KILN_OPTION((int64_t), n, 1)
    KILN_OPTION((::kiln::array), prepend, {})
    KILN_OPTION((::kiln::array), append, {})
    kn_diff_opts c() const {
        kn_diff_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.n = detail::c_of(n);
        to_.prepend = detail::c_of(prepend); to_.append = detail::c_of(append); return to_; }
};
struct ediff1d_opts {
    KILN_OPTION((::kiln::array), to_end, {})
    KILN_OPTION((::kiln::array), to_begin, {})
    kn_ediff1d_opts c() const {
        kn_ediff1d_opts to_ = {}; to_.size_ = sizeof to_; to_.to_end = detail::c_of(to_end);
        to_.to_begin = detail::c_of(to_begin); return to_; }
};
struct gradient_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* all axes unless given */
    KILN_OPTION((std::vector<array>), spacing, {}) /* 1 */
    KILN_OPTION((int), edge_order, 1)
    kn_gradient_opts c() const {
        kn_gradient_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.spacing = detail::c_of(spacing); to_.edge_order = detail::c_of(edge_order); return to_; }
};
struct trapezoid_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* -1 */
    KILN_OPTION((::kiln::array), x, {})
    KILN_OPTION((::kiln::array), dx, {})
    kn_trapezoid_opts c() const {
        kn_trapezoid_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.x = detail::c_of(x);
        to_.dx = detail::c_of(dx); return to_; }
};
struct interp_opts {
    KILN_OPTION((::kiln::array), left, {})
    KILN_OPTION((::kiln::array), right, {})
    KILN_OPTION((::kiln::array), period, {})
    kn_interp_opts c() const {
        kn_interp_opts to_ = {}; to_.size_ = sizeof to_; to_.left = detail::c_of(left); to_.right = detail::c_of(right);
        to_.period = detail::c_of(period); return to_; }
};
struct cross_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((int), axisa, -1)
    KILN_OPTION((int), axisb, -1)
    KILN_OPTION((int), axisc, -1)
    kn_cross_opts c() const {
        kn_cross_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.axisa = detail::c_of(axisa);
        to_.axisb = detail::c_of(axisb); to_.axisc = detail::c_of(axisc); return to_; }
};
struct convolve_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* correlate: "valid" */
    kn_convolve_opts c() const {
        kn_convolve_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
/* np.negative: -x. TypeError for bool */
inline array negative(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_negative(x_h))); }
/* kn_negative */
inline array neg(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_neg(x_h))); }
/* np.positive: +x: its value, as an array of its own. TypeError for bool */
inline array positive(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_positive(x_h))); }
/* np.absolute: |x|; of complex numbers the modulus */
inline array absolute(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_absolute(x_h))); }
/* kn_absolute */
inline array abs(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_abs(x_h))); }
/* np.sign: -1, 0 or 1, NaN of NaN; complex x / |x| */
inline array sign(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_sign(x_h))); }
/* np.square: x x, in x's dtype */
inline array square(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_square(x_h))); }
/* np.reciprocal: 1 / x; of integers with truncation */
inline array reciprocal(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_reciprocal(x_h))); }
/* np.sqrt: the square root: NaN of negative real numbers; kn_emath_sqrt gives complex ones */
inline array sqrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_sqrt(x_h))); }
/* np.exp: e^x */
inline array exp(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_exp(x_h))); }
/* np.log: the logarithm to base e: -inf of 0, NaN of negative real numbers */
inline array log(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_log(x_h))); }
/* np.sin: the sine of x in radians */
inline array sin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_sin(x_h))); }
/* np.cos: the cosine of x in radians */
inline array cos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_cos(x_h))); }
/* np.tanh: hyperbolic tangent, from -1 to 1 */
inline array tanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_tanh(x_h))); }
/* np.exp2: 2^x */
inline array exp2(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_exp2(x_h))); }
/* np.expm1: e^x - 1; exact for small x, too */
inline array expm1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_expm1(x_h))); }
/* np.log2: the logarithm to base 2: a primitive of its own, JAX has none */
inline array log2(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_log2(x_h))); }
/* np.log10: the logarithm to base 10: a primitive of its own, JAX has none */
inline array log10(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_log10(x_h))); }
/* np.log1p: log(1 + x); exact for small x, too */
inline array log1p(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_log1p(x_h))); }
/* np.tan: the tangent of x in radians */
inline array tan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_tan(x_h))); }
/* np.arcsin: inverse of kn_sin, from -pi/2 to pi/2; NaN outside of [-1, 1] */
inline array arcsin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arcsin(x_h))); }
/* kn_arcsin */
inline array asin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_asin(x_h))); }
/* np.arccos: inverse of kn_cos, from 0 to pi; NaN outside of [-1, 1] */
inline array arccos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arccos(x_h))); }
/* kn_arccos */
inline array acos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_acos(x_h))); }
/* np.arctan: inverse of kn_tan, from -pi/2 to pi/2 */
inline array arctan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arctan(x_h))); }
/* kn_arctan */
inline array atan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_atan(x_h))); }
/* np.arcsinh: inverse of kn_sinh */
inline array arcsinh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arcsinh(x_h))); }
/* kn_arcsinh */
inline array asinh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_asinh(x_h))); }
/* np.arccosh: inverse of kn_cosh, never negative; NaN below 1 */
inline array arccosh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arccosh(x_h))); }
/* kn_arccosh */
inline array acosh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_acosh(x_h))); }
/* np.arctanh: inverse of kn_tanh; infinite at -1 and 1, NaN beyond */
inline array arctanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_arctanh(x_h))); }
/* kn_arctanh */
inline array atanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_atanh(x_h))); }
/* np.sinh: (e^x - e^-x) / 2 */
inline array sinh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_sinh(x_h))); }
/* np.cosh: (e^x + e^-x) / 2 */
inline array cosh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_cosh(x_h))); }
/* np.cbrt: the cube root. TypeError for complex */
inline array cbrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_cbrt(x_h))); }
/* np.real: the real part: a view; of real numbers x itself */
inline array real(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_real(x_h))); }
/* np.imag: the imaginary part: a view; of real numbers zeros, read-only */
inline array imag(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_imag(x_h))); }
/* np.conjugate: the imaginary part negated; real numbers as they are */
inline array conjugate(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_conjugate(x_h))); }
/* kn_conjugate */
inline array conj(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_conj(x_h))); }
/* np.fabs: |x|, of floats; TypeError for complex */
inline array fabs(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_fabs(x_h))); }
/* np.signbit: is the sign negative, also of -0.0 and NaN? TypeError for complex */
inline array signbit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_signbit(x_h))); }
/* np.spacing: the distance to the next number; TypeError for complex */
inline array spacing(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_spacing(x_h))); }
/* np.deg2rad: x pi / 180; TypeError for complex */
inline array deg2rad(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_deg2rad(x_h))); }
/* np.radians: the same */
inline array radians(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_radians(x_h))); }
/* np.rad2deg: x 180 / pi; TypeError for complex */
inline array rad2deg(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_rad2deg(x_h))); }
/* np.degrees: the same */
inline array degrees(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_degrees(x_h))); }
/* np.i0: modified Bessel function of order 0; TypeError for complex */
inline array i0(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_i0(x_h))); }
/* np.sinc: sin(pi x) / (pi x); 1 at 0 */
inline array sinc(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_sinc(x_h))); }
/* np.angle: the angle of complex numbers, from -pi to pi: in radians unless .deg */
inline array angle(const ::kiln::operand &z, const ::kiln::angle_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); kn_angle_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_angle(z_h, &opts_c))); }
/* np.nan_to_num: numbers in place of NaN and infinities; a new array */
inline array nan_to_num(const ::kiln::operand &x, const ::kiln::nan_to_num_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nan_to_num_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nan_to_num(x_h, &opts_c))); }
/* np.real_if_close: the real part if all imaginary parts are below tol (in eps if above 1); looks at the values */
inline array real_if_close(const ::kiln::operand &a, const ::kiln::real_if_close_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_real_if_close_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_real_if_close(a_h, &opts_c))); }
/* np.floor: the largest whole number that is not above x. TypeError for complex */
inline array floor(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_floor(x_h))); }
/* np.ceil: the smallest whole number that is not below x. TypeError for complex */
inline array ceil(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_ceil(x_h))); }
/* np.trunc: the whole number next to x towards zero; TypeError for complex */
inline array trunc(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_trunc(x_h))); }
/* kn_trunc */
inline array fix(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_fix(x_h))); }
/* np.rint: the nearest whole number, halves to even; complex numbers by parts */
inline array rint(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_rint(x_h))); }
/* np.round: rounded to .decimals, which may be negative; halves to even */
inline array round(const ::kiln::operand &x, const ::kiln::round_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_round_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_round(x_h, &opts_c))); }
using around_opts = ::kiln::round_opts;
/* kn_round */
inline array around(const ::kiln::operand &x, const ::kiln::round_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_round_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_around(x_h, &opts_c))); }
struct divmod_result { array quotient; array remainder; };
/* np.divmod: kn_floor_divide and kn_remainder */
inline ::kiln::divmod_result divmod(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); kn_divmod_result
    r_ = c_.value(kn_divmod(x_h, y_h)); return ::kiln::divmod_result{array::share(r_.quotient),
    array::share(r_.remainder)}; }
struct modf_result { array fractional; array integral; };
/* np.modf: the fraction and the whole number, both with the sign of x; TypeError for complex */
inline ::kiln::modf_result modf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_modf_result r_ = c_.value(kn_modf(x_h)); return
    ::kiln::modf_result{array::share(r_.fractional), array::share(r_.integral)}; }
struct frexp_result { array mantissa; array exponent; };
/* np.frexp: x = mantissa 2^exponent (int32); TypeError for complex; the mantissa is 0 or from 0.5 to 1 */
inline ::kiln::frexp_result frexp(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_frexp_result r_ = c_.value(kn_frexp(x_h)); return
    ::kiln::frexp_result{array::share(r_.mantissa), array::share(r_.exponent)}; }
/* np.ldexp: x1 2^x2, rounded once; x2 integers, else TypeError */
inline array ldexp(const ::kiln::operand &x1, const ::kiln::operand &x2, place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); c_.here(); return
    array::share(c_.take(kn_ldexp(x1_h, x2_h))); }
/* np.add: x + y; bool: or */
inline array add(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_add(x_h,
    y_h))); }
/* np.subtract: x - y. TypeError for bool */
inline array subtract(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_subtract(x_h, y_h))); }
/* kn_subtract */
inline array sub(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_sub(x_h,
    y_h))); }
/* np.multiply: x y; bool: and */
inline array multiply(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_multiply(x_h, y_h))); }
/* kn_multiply */
inline array mul(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_mul(x_h,
    y_h))); }
/* np.divide: x / y: true division, integers give float64 */
inline array divide(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_divide(x_h, y_h))); }
/* kn_divide */
inline array true_divide(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_true_divide(x_h, y_h))); }
/* kn_divide */
inline array div(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_div(x_h,
    y_h))); }
/* np.power: x^y. ValueError for integers to negative integer powers */
inline array power(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_power(x_h, y_h))); }
/* np.arctan2: angles of points (y, x), which are the arguments in this order, from -pi to pi; TypeError for complex */
inline array arctan2(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_arctan2(x_h, y_h))); }
/* kn_arctan2 */
inline array atan2(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_atan2(x_h, y_h))); }
/* np.hypot: sqrt(x^2 + y^2); TypeError for complex; without overflow between */
inline array hypot(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_hypot(x_h, y_h))); }
/* np.maximum: the larger one of each pair. NaN if either is */
inline array maximum(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_maximum(x_h, y_h))); }
/* np.minimum: the smaller one of each pair. NaN if either is */
inline array minimum(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_minimum(x_h, y_h))); }
/* np.clip: x, but at least lo and at most hi; a bound may be KN_NONE */
inline array clip(const ::kiln::operand &x, const ::kiln::operand &lo, const ::kiln::operand &hi, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array lo_h = lo.c(); kn_array hi_h = hi.c(); c_.here(); return
    array::share(c_.take(kn_clip(x_h, lo_h, hi_h))); }
/* kn_power */
inline array pow(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_pow(x_h,
    y_h))); }
/* np.float_power: x^y in float64 or complex128 */
inline array float_power(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_float_power(x_h, y_h))); }
/* np.floor_divide: x // y: the quotient rounded down. Integers divided by zero give 0, the smallest one divided by
 * -1 itself; TypeError for complex */
inline array floor_divide(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_floor_divide(x_h, y_h))); }
/* np.remainder: x % y, with the sign of y */
inline array remainder(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_remainder(x_h, y_h))); }
/* kn_remainder */
inline array mod(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_mod(x_h,
    y_h))); }
/* np.fmod: the remainder with the sign of x */
inline array fmod(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_fmod(x_h, y_h))); }
/* np.fmax: the larger one of each pair, the other one if one is NaN */
inline array fmax(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_fmax(x_h, y_h))); }
/* np.fmin: the smaller one of each pair, the other one if one is NaN */
inline array fmin(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_fmin(x_h, y_h))); }
/* np.copysign: |x| with the sign of y; TypeError for complex */
inline array copysign(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_copysign(x_h, y_h))); }
/* np.nextafter: the next number of the dtype from x towards y; no derivative, as in JAX */
inline array nextafter(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_nextafter(x_h, y_h))); }
/* np.heaviside: 0, y (at 0) or 1; TypeError for complex */
inline array heaviside(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_heaviside(x_h, y_h))); }
/* np.logaddexp: log(e^x + e^y); TypeError for complex; without overflow between */
inline array logaddexp(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_logaddexp(x_h, y_h))); }
/* np.logaddexp2: log2(2^x + 2^y). TypeError for complex */
inline array logaddexp2(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_logaddexp2(x_h, y_h))); }
/* np.gcd: the greatest common divisor of integers, never negative; TypeError for others */
inline array gcd(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_gcd(x_h,
    y_h))); }
/* np.lcm: the least common multiple of integers; wraps; TypeError for others */
inline array lcm(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_lcm(x_h,
    y_h))); }
/* np.cumsum: the sums of all elements up to each; flattened without an axis */
inline array cumsum(const ::kiln::operand &x, const ::kiln::cumsum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumsum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cumsum(x_h, &opts_c))); }
using cumprod_opts = ::kiln::cumsum_opts;
/* np.cumprod: the products of all elements up to each; flattened without an axis */
inline array cumprod(const ::kiln::operand &x, const ::kiln::cumsum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumsum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cumprod(x_h, &opts_c))); }
using nancumsum_opts = ::kiln::cumsum_opts;
/* np.nancumsum: as kn_cumsum; NaN counts as 0 */
inline array nancumsum(const ::kiln::operand &x, const ::kiln::cumsum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumsum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nancumsum(x_h, &opts_c))); }
using nancumprod_opts = ::kiln::cumsum_opts;
/* np.nancumprod: as kn_cumprod; NaN counts as 1 */
inline array nancumprod(const ::kiln::operand &x, const ::kiln::cumsum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumsum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nancumprod(x_h, &opts_c))); }
/* np.cumulative_sum: kn_cumsum of a vector, or along the axis that is given; ValueError for several axes of which
 * none is given. include_initial: with 0 in front */
inline array cumulative_sum(const ::kiln::operand &x, const ::kiln::cumulative_sum_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumulative_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cumulative_sum(x_h, &opts_c))); }
using cumulative_prod_opts = ::kiln::cumulative_sum_opts;
/* np.cumulative_prod: kn_cumprod of a vector, or along the axis that is given; ValueError for several axes of which
 * none is given. include_initial: with 1 in front */
inline array cumulative_prod(const ::kiln::operand &x, const ::kiln::cumulative_sum_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_cumulative_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cumulative_prod(x_h, &opts_c))); }
/* np.diff: differences of neighbours along an axis, .n times; .prepend and .append are numbers or arrays; of bool
 * kn_not_equal. ValueError for n < 0 */
inline array diff(const ::kiln::operand &x, const ::kiln::diff_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_diff_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_diff(x_h, &opts_c))); }
/* np.ediff1d: differences of neighbours in the flattened array, with .to_begin in front and .to_end behind */
inline array ediff1d(const ::kiln::operand &x, const ::kiln::ediff1d_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_ediff1d_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ediff1d(x_h, &opts_c))); }
/* np.gradient: derivatives by central differences, at the ends by one-sided ones: one array for each axis. .spacing:
 * numbers, or positions along the axis; one number stands for all axes. ValueError for fewer than edge_order + 1
 * elements */
inline std::vector<array> gradient(const ::kiln::operand &f, const ::kiln::gradient_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array f_h = f.c(); kn_gradient_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_gradient(f_h, &opts_c))); }
/* np.trapezoid: the integral along an axis by straight lines between the samples, which stand at .x, or .dx apart (1
 * unless given) */
inline array trapezoid(const ::kiln::operand &y, const ::kiln::trapezoid_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array y_h = y.c(); kn_trapezoid_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_trapezoid(y_h, &opts_c))); }
/* np.interp: values at x of the straight lines through the points (xp, fp); float64, or complex128 if fp is complex;
 * xp ascending. Values outside: fp's ends, or .left and .right */
inline array interp(const ::kiln::operand &x, const ::kiln::operand &xp, const ::kiln::operand &fp, const
    ::kiln::interp_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array xp_h = xp.c(); kn_array fp_h = fp.c(); kn_interp_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_interp(x_h, xp_h, fp_h, &opts_c))); }
/* np.cross: the vector product, of vectors of 3 (or 2) along the last axis unless others are given */
inline array cross(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::cross_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_cross_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cross(a_h, b_h, &opts_c))); }
/* np.convolve: of vectors: sums of products with v turned round and moved along a. "full": wherever they overlap;
 * "same": as long as the longer one; "valid": where they overlap wholly */
inline array convolve(const ::kiln::operand &a, const ::kiln::operand &v, const ::kiln::convolve_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array v_h = v.c(); kn_convolve_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_convolve(a_h, v_h, &opts_c))); }
using correlate_opts = ::kiln::convolve_opts;
/* np.correlate: of vectors: sums of products with v, conjugated, moved along a; .mode as in kn_convolve, "valid"
 * unless given */
inline array correlate(const ::kiln::operand &a, const ::kiln::operand &v, const ::kiln::convolve_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array v_h = v.c(); kn_convolve_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_correlate(a_h, v_h, &opts_c))); }
/* np.unwrap: angles without jumps: multiples of .period are added where neighbours differ by more than .discont,
 * half of it unless given */
inline array unwrap(const ::kiln::operand &p, const ::kiln::unwrap_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_unwrap_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_unwrap(p_h, &opts_c))); }
namespace emath {
/* np.emath.sqrt: as kn_sqrt, but complex if an element is negative */
inline array sqrt(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_sqrt(x_h))); }
/* np.emath.log: as kn_log, but complex if an element is negative */
inline array log(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_log(x_h))); }
/* np.emath.log2: as kn_log2, but complex if an element is negative */
inline array log2(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_log2(x_h))); }
/* np.emath.log10: as kn_log10, but complex if an element is negative */
inline array log10(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_log10(x_h))); }
/* np.emath.logn: the logarithm to base n, complex if an element is negative */
inline array logn(const ::kiln::operand &n, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_emath_logn(n_h, x_h))); }
/* np.emath.power: as kn_power, but complex if an element is negative; integers to negative powers as floats */
inline array power(const ::kiln::operand &x, const ::kiln::operand &p, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_emath_power(x_h, p_h))); }
/* np.emath.arccos: as kn_arccos, but complex if an element is outside of [-1, 1] */
inline array arccos(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_arccos(x_h))); }
/* np.emath.arcsin: as kn_arcsin, but complex if an element is outside of [-1, 1] */
inline array arcsin(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_arcsin(x_h))); }
/* np.emath.arctanh: as kn_arctanh, but complex if an element is outside of [-1, 1] */
inline array arctanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_emath_arctanh(x_h))); }
} // namespace emath
} // namespace kiln
#endif
