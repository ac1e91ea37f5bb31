/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/testing.hpp -- the functions of kiln/testing.h in C++. */
/* Made by scripts/make-api.py from api/testing.api. */
/* clang-format off */
#ifndef KILN_CPP_TESTING_HPP
#define KILN_CPP_TESTING_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace testing {
struct allclose_opts {
    KILN_OPTION((double), rtol, 1e-7)
    KILN_OPTION((double), atol, {}) /* 0 */
    KILN_OPTION((bool), equal_nan, true)
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    KILN_OPTION((bool), strict, {})
    kn_testing_allclose_opts c() const {
        kn_testing_allclose_opts to_ = {}; to_.size_ = sizeof to_; to_.rtol = detail::c_of(rtol);
        to_.atol = detail::c_of(atol); to_.equal_nan = detail::c_of(equal_nan); to_.err_msg = detail::c_of(err_msg);
        to_.verbose = detail::c_of(verbose); to_.strict = detail::c_of(strict); return to_; }
};
struct equal_opts {
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    KILN_OPTION((bool), strict, {})
    kn_testing_equal_opts c() const {
        kn_testing_equal_opts to_ = {}; to_.size_ = sizeof to_; to_.err_msg = detail::c_of(err_msg);
        to_.verbose = detail::c_of(verbose); to_.strict = detail::c_of(strict); return to_; }
};
struct almost_opts {
    KILN_OPTION((int), decimal, 7)
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    kn_testing_almost_opts c() const {
        kn_testing_almost_opts to_ = {}; to_.size_ = sizeof to_; to_.decimal = detail::c_of(decimal);
        to_.err_msg = detail::c_of(err_msg); to_.verbose = detail::c_of(verbose); return to_; }
};
struct array_almost_opts {
    KILN_OPTION((int), decimal, 6)
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    kn_testing_array_almost_opts c() const {
        kn_testing_array_almost_opts to_ = {}; to_.size_ = sizeof to_; to_.decimal = detail::c_of(decimal);
        to_.err_msg = detail::c_of(err_msg); to_.verbose = detail::c_of(verbose); return to_; }
};
struct approx_opts {
    KILN_OPTION((int), significant, 7)
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    kn_testing_approx_opts c() const {
        kn_testing_approx_opts to_ = {}; to_.size_ = sizeof to_; to_.significant = detail::c_of(significant);
        to_.err_msg = detail::c_of(err_msg); to_.verbose = detail::c_of(verbose); return to_; }
};
struct nulp_opts {
    KILN_OPTION((double), nulp, 1)
    kn_testing_nulp_opts c() const {
        kn_testing_nulp_opts to_ = {}; to_.size_ = sizeof to_; to_.nulp = detail::c_of(nulp); return to_; }
};
struct max_ulp_opts {
    KILN_OPTION((double), maxulp, 1)
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_testing_max_ulp_opts c() const {
        kn_testing_max_ulp_opts to_ = {}; to_.size_ = sizeof to_; to_.maxulp = detail::c_of(maxulp);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct check_opts {
    KILN_OPTION((::kiln::text), modes, {}) /* "fwd,rev" */
    KILN_OPTION((double), atol, -1) /* by dtype (1e-5 in float64, 2e-3 in float32, 1e-2 in 16 bits) */
    KILN_OPTION((double), rtol, -1) /* by dtype (1e-5 in float64, 2e-3 in float32, 1e-2 in 16 bits) */
    KILN_OPTION((double), eps, 1e-4) /* half the distance of the points that the numerical derivative is taken from */
    kn_testing_check_opts c() const {
        kn_testing_check_opts to_ = {}; to_.size_ = sizeof to_; to_.modes = detail::c_of(modes);
        to_.atol = detail::c_of(atol); to_.rtol = detail::c_of(rtol); to_.eps = detail::c_of(eps); return to_; }
};
struct compare_opts {
    KILN_OPTION((::kiln::text), err_msg, {})
    KILN_OPTION((bool), verbose, true)
    KILN_OPTION((::kiln::text), header, {}) /* "" */
    KILN_OPTION((int), precision, 6)
    KILN_OPTION((bool), equal_nan, true)
    KILN_OPTION((bool), equal_inf, true)
    KILN_OPTION((bool), strict, {})
    KILN_OPTION((const char *const *), names, {}) /* {"ACTUAL", "DESIRED"} */
    kn_testing_compare_opts c() const {
        kn_testing_compare_opts to_ = {}; to_.size_ = sizeof to_; to_.err_msg = detail::c_of(err_msg);
        to_.verbose = detail::c_of(verbose); to_.header = detail::c_of(header); to_.precision = detail::c_of(precision);
        to_.equal_nan = detail::c_of(equal_nan); to_.equal_inf = detail::c_of(equal_inf);
        to_.strict = detail::c_of(strict); to_.names = detail::c_of(names); return to_; }
};
struct err_msg_opts {
    KILN_OPTION((::kiln::text), header, {}) /* "Items are not equal:" */
    KILN_OPTION((bool), verbose, true)
    KILN_OPTION((const char *const *), names, {}) /* {"ACTUAL", "DESIRED"} */
    KILN_OPTION((int), precision, 8)
    kn_testing_err_msg_opts c() const {
        kn_testing_err_msg_opts to_ = {}; to_.size_ = sizeof to_; to_.header = detail::c_of(header);
        to_.verbose = detail::c_of(verbose); to_.names = detail::c_of(names); to_.precision = detail::c_of(precision);
        return to_; }
};
using assert_allclose_opts = ::kiln::testing::allclose_opts;
/* np.testing.assert_allclose: asserts that |actual - desired| <= atol + rtol |desired| everywhere; NaN equals NaN
 * unless .equal_nan is false */
inline int assert_allclose(const ::kiln::operand &actual, const ::kiln::operand &desired, const
    ::kiln::testing::allclose_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_allclose_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_allclose(actual_h, desired_h, &opts_c)); }
using assert_array_equal_opts = ::kiln::testing::equal_opts;
/* np.testing.assert_array_equal: asserts that two arrays are equal, shapes too; NaN equals NaN, a scalar fits every
 * array unless .strict */
inline int assert_array_equal(const ::kiln::operand &actual, const ::kiln::operand &desired, const
    ::kiln::testing::equal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_equal_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_array_equal(actual_h, desired_h, &opts_c)); }
using assert_equal_opts = ::kiln::testing::equal_opts;
/* np.testing.assert_equal: asserts that two numbers or arrays are equal; NaN equals NaN, and between numbers -0 is
 * not 0 */
inline int assert_equal(const ::kiln::operand &actual, const ::kiln::operand &desired, const ::kiln::testing::equal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_equal_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_equal(actual_h, desired_h, &opts_c)); }
using assert_array_less_opts = ::kiln::testing::equal_opts;
/* np.testing.assert_array_less: asserts that x < y everywhere */
inline int assert_array_less(const ::kiln::operand &x, const ::kiln::operand &y, const ::kiln::testing::equal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_testing_equal_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_testing_assert_array_less(x_h, y_h, &opts_c)); }
using assert_array_almost_equal_opts = ::kiln::testing::array_almost_opts;
/* np.testing.assert_array_almost_equal: asserts that |actual - desired| < 1.5 * 10^-decimal everywhere;
 * kn_testing_assert_allclose is the better measure */
inline int assert_array_almost_equal(const ::kiln::operand &actual, const ::kiln::operand &desired, const
    ::kiln::testing::array_almost_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_array_almost_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_array_almost_equal(actual_h, desired_h, &opts_c)); }
using assert_almost_equal_opts = ::kiln::testing::almost_opts;
/* np.testing.assert_almost_equal: asserts that |actual - desired| < 1.5 * 10^-decimal of two numbers, or of arrays */
inline int assert_almost_equal(const ::kiln::operand &actual, const ::kiln::operand &desired, const
    ::kiln::testing::almost_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_almost_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_almost_equal(actual_h, desired_h, &opts_c)); }
using assert_approx_equal_opts = ::kiln::testing::approx_opts;
/* np.testing.assert_approx_equal: asserts that two numbers agree in so many significant digits */
inline int assert_approx_equal(const ::kiln::operand &actual, const ::kiln::operand &desired, const
    ::kiln::testing::approx_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_approx_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_testing_assert_approx_equal(actual_h, desired_h, &opts_c)); }
using assert_array_almost_equal_nulp_opts = ::kiln::testing::nulp_opts;
/* np.testing.assert_array_almost_equal_nulp: asserts that |x - y| is at most nulp times the spacing of floats at the
 * larger one */
inline int assert_array_almost_equal_nulp(const ::kiln::operand &x, const ::kiln::operand &y, const
    ::kiln::testing::nulp_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_testing_nulp_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_testing_assert_array_almost_equal_nulp(x_h, y_h, &opts_c)); }
using assert_array_max_ulp_opts = ::kiln::testing::max_ulp_opts;
/* np.testing.assert_array_max_ulp: asserts that there are at most maxulp steps from float to float between a and b */
inline int assert_array_max_ulp(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::testing::max_ulp_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_testing_max_ulp_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_testing_assert_array_max_ulp(a_h, b_h, &opts_c)); }
using assert_array_compare_opts = ::kiln::testing::compare_opts;
/* np.testing.assert_array_compare: asserts what a function of one's own says: comparison gives the truth values of
 * what is left of x and y beside NaN and infinities, e.g. (kn_less_equal) */
inline int assert_array_compare(kn_testing_comparison comparison, const ::kiln::operand &x, const ::kiln::operand &y,
    const ::kiln::testing::compare_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_testing_compare_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_testing_assert_array_compare(comparison, x_h, y_h, &opts_c)); }
/* np.testing.assert_string_equal: asserts that two texts are equal; the report shows where they differ */
inline int assert_string_equal(const ::kiln::text &actual, const ::kiln::text &desired, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_testing_assert_string_equal(actual.c(), desired.c())); }
using build_err_msg_opts = ::kiln::testing::err_msg_opts;
/* np.testing.build_err_msg: the report of an assertion about two arrays; it belongs to the scope */
inline std::string build_err_msg(const ::kiln::operand &actual, const ::kiln::operand &desired, const ::kiln::text
    &err_msg, const ::kiln::testing::err_msg_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array actual_h = actual.c(); kn_array desired_h = desired.c(); kn_testing_err_msg_opts
    opts_c = opts.c(); c_.here(); return c_.text(kn_testing_build_err_msg(actual_h, desired_h, err_msg.c(), &opts_c)); }
/* np.testing.assert_: asserts that value is true; else msg is the message, which may be NULL */
inline int assert_(bool value, const ::kiln::text &msg, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_testing_assert_(value, msg.c())); }
/* asserts that an error of this kind is pending, and clears it: for np.testing.assert_raises. AssertionError
 * "ValueError not raised" if there is none; an error of another kind stays as it is. */
inline int assert_error(kn_error_kind kind, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_testing_assert_error(kind)); }
/* asserts that an error of this kind is pending whose message has this part, and clears it: for
 * np.testing.assert_raises_regex; else AssertionError */
inline int assert_error_with(kn_error_kind kind, const ::kiln::text &part, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_testing_assert_error_with(kind, part.c())); }
} // namespace testing
} // namespace kiln
#endif
