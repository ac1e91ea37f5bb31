/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/polynomials.hpp -- the functions of kiln/numpy/polynomials.h in C++. */
/* Made by scripts/make-api.py from api/numpy/polynomials.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_POLYNOMIALS_HPP
#define KILN_CPP_NUMPY_POLYNOMIALS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct poly1d_opts {
    KILN_OPTION((bool), r, {}) /* the elements are roots */
    kn_poly1d_opts c() const {
        kn_poly1d_opts to_ = {}; to_.size_ = sizeof to_; to_.r = detail::c_of(r); return to_; }
};
struct poly1d_str_opts {
    KILN_OPTION((::kiln::text), variable, {}) /* "x" */
    kn_poly1d_str_opts c() const {
        kn_poly1d_str_opts to_ = {}; to_.size_ = sizeof to_; to_.variable = detail::c_of(variable); return to_; }
};
struct roots_opts {
    KILN_OPTION((bool), strip_zeros, true)
    kn_roots_opts c() const {
        kn_roots_opts to_ = {}; to_.size_ = sizeof to_; to_.strip_zeros = detail::c_of(strip_zeros); return to_; }
};
struct polyint_opts {
    KILN_OPTION((int), m, 1) /* so many times */
    KILN_OPTION((::kiln::array), k, {}) /* the constants, one for each time, or one for all */
    kn_polyint_opts c() const {
        kn_polyint_opts to_ = {}; to_.size_ = sizeof to_; to_.m = detail::c_of(m); to_.k = detail::c_of(k); return to_;
        }
};
struct polyder_opts {
    KILN_OPTION((int), m, 1) /* so many times */
    kn_polyder_opts c() const {
        kn_polyder_opts to_ = {}; to_.size_ = sizeof to_; to_.m = detail::c_of(m); return to_; }
};
struct polymul_opts {
    KILN_OPTION((bool), trim_leading_zeros, true) /* of the operands, which are looked at */
    kn_polymul_opts c() const {
        kn_polymul_opts to_ = {}; to_.size_ = sizeof to_; to_.trim_leading_zeros = detail::c_of(trim_leading_zeros);
        return to_; }
};
struct polydiv_opts {
    KILN_OPTION((bool), trim_leading_zeros, true) /* of the remainder, which is looked at: elements up to 1e-8 */
    kn_polydiv_opts c() const {
        kn_polydiv_opts to_ = {}; to_.size_ = sizeof to_; to_.trim_leading_zeros = detail::c_of(trim_leading_zeros);
        return to_; }
};
struct polyval_opts {
    KILN_OPTION((bool), compose, {}) /* x is a polynomial, too, and so is the result */
    kn_polyval_opts c() const {
        kn_polyval_opts to_ = {}; to_.size_ = sizeof to_; to_.compose = detail::c_of(compose); return to_; }
};
struct polyfit_opts {
    KILN_OPTION((double), rcond, __builtin_nan(""))
    KILN_OPTION((::kiln::array), w, {}) /* weights */
    KILN_OPTION((::kiln::array *), residuals, {}) /* sums of squares, one for each column of y */
    KILN_OPTION((::kiln::array *), rank, {})
    KILN_OPTION((::kiln::array *), singular_values, {})
    KILN_OPTION((::kiln::array *), cov, {}) /* the covariance of the coefficients */
    KILN_OPTION((bool), unscaled, {}) /* cov without the factor of the residuals */
    kn_polyfit_opts c() const {
        kn_polyfit_opts to_ = {}; to_.size_ = sizeof to_; to_.rcond = detail::c_of(rcond); to_.w = detail::c_of(w);
        to_.unscaled = detail::c_of(unscaled); return to_; }
};
/* np.poly1d: the coefficients without leading zeros, which are looked for; one coefficient at least */
inline array poly1d(const ::kiln::operand &c_or_r, const ::kiln::poly1d_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array c_or_r_h = c_or_r.c(); kn_poly1d_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_poly1d(c_or_r_h, &opts_c))); }
/* np.poly1d.order: the highest power whose coefficient is not zero, or 0; -1 with an error */
inline int64_t poly1d_order(const ::kiln::operand &p, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return c_.value(kn_poly1d_order(p_h)); }
/* str(np.poly1d(p)): two lines, powers in the upper one; owned by the scope */
inline std::string poly1d_str(const ::kiln::operand &p, const ::kiln::poly1d_str_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_poly1d_str_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_poly1d_str(p_h, &opts_c)); }
/* np.poly: the coefficients of the polynomial with these roots, or with a square matrix's eigenvalues. Real where
 * complex roots come in pairs, which are looked for unless the values are not known (under kn_jit: complex) */
inline array poly(const ::kiln::operand &seq_of_zeros, place where = here())
{ detail::call c_(where); kn_array seq_of_zeros_h = seq_of_zeros.c(); c_.here(); return
    array::share(c_.take(kn_poly(seq_of_zeros_h))); }
/* np.roots: the roots of the polynomial: the eigenvalues of the companion matrix */
inline array roots(const ::kiln::operand &p, const ::kiln::roots_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_roots_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_roots(p_h, &opts_c))); }
/* np.polyint: the integral, .m times. ValueError for m < 0 */
inline array polyint(const ::kiln::operand &p, const ::kiln::polyint_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_polyint_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_polyint(p_h, &opts_c))); }
/* np.polyder: the derivative, .m times. ValueError for m < 0 */
inline array polyder(const ::kiln::operand &p, const ::kiln::polyder_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_polyder_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_polyder(p_h, &opts_c))); }
/* np.polyadd: the sum; the lengths may differ */
inline array polyadd(const ::kiln::operand &a1, const ::kiln::operand &a2, place where = here())
{ detail::call c_(where); kn_array a1_h = a1.c(); kn_array a2_h = a2.c(); c_.here(); return
    array::share(c_.take(kn_polyadd(a1_h, a2_h))); }
/* np.polysub: the difference a1 - a2; leading zeros stay */
inline array polysub(const ::kiln::operand &a1, const ::kiln::operand &a2, place where = here())
{ detail::call c_(where); kn_array a1_h = a1.c(); kn_array a2_h = a2.c(); c_.here(); return
    array::share(c_.take(kn_polysub(a1_h, a2_h))); }
/* np.polymul: the product of two polynomials */
inline array polymul(const ::kiln::operand &a1, const ::kiln::operand &a2, const ::kiln::polymul_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a1_h = a1.c(); kn_array a2_h = a2.c(); kn_polymul_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_polymul(a1_h, a2_h, &opts_c))); }
struct polydiv_result { array quotient; array remainder; };
/* np.polydiv: u = quotient v + remainder */
inline ::kiln::polydiv_result polydiv(const ::kiln::operand &u, const ::kiln::operand &v, const ::kiln::polydiv_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array u_h = u.c(); kn_array v_h = v.c(); kn_polydiv_opts opts_c = opts.c(); c_.here();
    kn_polydiv_result r_ = c_.value(kn_polydiv(u_h, v_h, &opts_c)); return
    ::kiln::polydiv_result{array::share(r_.quotient), array::share(r_.remainder)}; }
/* np.polyval: the values of the polynomial at the elements of x, by Horner's rule */
inline array polyval(const ::kiln::operand &p, const ::kiln::operand &x, const ::kiln::polyval_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array p_h = p.c(); kn_array x_h = x.c(); kn_polyval_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_polyval(p_h, x_h, &opts_c))); }
/* np.polyfit: the coefficients of the polynomial with the least squares of differences; of several columns y, in
 * columns. A line in the log (RankWarning) where powers of x cannot be told apart, unless rank or its kin are asked
 * for */
inline array polyfit(const ::kiln::operand &x, const ::kiln::operand &y, int64_t deg, const ::kiln::polyfit_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_polyfit_opts opts_c = opts.c();
    detail::out_array residuals_o(opts.residuals); opts_c.residuals = residuals_o.c(); detail::out_array
    rank_o(opts.rank); opts_c.rank = rank_o.c(); detail::out_array singular_values_o(opts.singular_values);
    opts_c.singular_values = singular_values_o.c(); detail::out_array cov_o(opts.cov); opts_c.cov = cov_o.c();
    c_.here(); return array::share(c_.take(kn_polyfit(x_h, y_h, deg, &opts_c))); }
} // namespace kiln
#endif
