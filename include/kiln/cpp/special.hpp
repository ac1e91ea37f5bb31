/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/special.hpp -- the functions of kiln/special.h in C++. */
/* Made by scripts/make-api.py from api/special.api. */
/* clang-format off */
#ifndef KILN_CPP_SPECIAL_HPP
#define KILN_CPP_SPECIAL_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace special {
/* scipy.special.expit: 1 / (1 + e^-x) */
inline array expit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_expit(x_h))); }
/* scipy.special.erfinv: TypeError for complex */
inline array erfinv(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfinv(x_h))); }
/* scipy.special.erf: 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x */
inline array erf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erf(x_h))); }
/* scipy.special.erfc: 1 - erf(x), right where that is small, too */
inline array erfc(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfc(x_h))); }
/* scipy.special.gammaln: log |gamma(x)| */
inline array gammaln(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gammaln(x_h))); }
/* scipy.special.digamma: the derivative of gammaln */
inline array digamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_digamma(x_h))); }
/* scipy.special.cosm1: cos(x) - 1, right near 0 */
inline array cosm1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_cosm1(x_h))); }
/* scipy.special.i0e: the modified Bessel function I0(x) times e^-|x| */
inline array i0e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i0e(x_h))); }
/* scipy.special.i1e: the modified Bessel function I1(x) times e^-|x| */
inline array i1e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i1e(x_h))); }
/* scipy.special.gamma: exact for small integers, else some units in the last place */
inline array gamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gamma(x_h))); }
/* scipy.special.gammasgn: the sign of gamma(x); NaN at the negative integers */
inline array gammasgn(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gammasgn(x_h))); }
/* scipy.special.factorial: not exact = True: gamma(n + 1), 0 for negative n */
inline array factorial(const ::kiln::operand &n, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); c_.here(); return array::share(c_.take(kn_special_factorial(n_h))); }
/* scipy.special.gammainc: regularized lower incomplete gamma function */
inline array gammainc(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_gammainc(a_h, x_h))); }
/* scipy.special.gammaincc: regularized upper incomplete gamma function */
inline array gammaincc(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_gammaincc(a_h, x_h))); }
/* scipy.special.multigammaln: log of the gamma function of dimension d; ValueError for d < 1 */
inline array multigammaln(const ::kiln::operand &a, int d, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_special_multigammaln(a_h,
    d))); }
/* scipy.special.polygamma: derivative number n of digamma; NaN unless n is 0, 1, 2, ... */
inline array polygamma(const ::kiln::operand &n, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_polygamma(n_h, x_h))); }
/* scipy.special.zeta: the sum of (q + k)^-x over k >= 0; q = 1: Riemann's */
inline array zeta(const ::kiln::operand &x, const ::kiln::operand &q, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_special_zeta(x_h, q_h))); }
/* scipy.special.beta */
inline array beta(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_special_beta(a_h, b_h))); }
/* scipy.special.betaln: log |beta(a, b)| */
inline array betaln(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_special_betaln(a_h, b_h))); }
/* scipy.special.betainc: regularized incomplete beta function */
inline array betainc(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_betainc(a_h, b_h, x_h))); }
/* scipy.special.poch: gamma(z + m) / gamma(z) */
inline array poch(const ::kiln::operand &z, const ::kiln::operand &m, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); kn_array m_h = m.c(); c_.here(); return
    array::share(c_.take(kn_special_poch(z_h, m_h))); }
/* scipy.special.comb: not exact = True: binomial coefficients, exact while they are small */
inline array comb(const ::kiln::operand &n, const ::kiln::operand &k, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array k_h = k.c(); c_.here(); return
    array::share(c_.take(kn_special_comb(n_h, k_h))); }
/* scipy.special.xlogy: x log(y), 0 where x is 0 */
inline array xlogy(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_xlogy(x_h, y_h))); }
/* scipy.special.xlog1py: x log(1 + y), 0 where x is 0 */
inline array xlog1py(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_xlog1py(x_h, y_h))); }
/* scipy.special.entr: -x log(x), 0 at 0, -inf below */
inline array entr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_entr(x_h))); }
/* scipy.special.kl_div: x log(x / y) - x + y */
inline array kl_div(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_kl_div(x_h, y_h))); }
/* scipy.special.rel_entr: x log(x / y) */
inline array rel_entr(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_rel_entr(x_h, y_h))); }
/* scipy.special.logit: log(x / (1 - x)) */
inline array logit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_logit(x_h))); }
/* scipy.special.ndtr: distribution function of the normal distribution */
inline array ndtr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_ndtr(x_h))); }
/* scipy.special.log_ndtr: its logarithm, right far to the left, too */
inline array log_ndtr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_log_ndtr(x_h))); }
/* scipy.special.ndtri: its inverse */
inline array ndtri(const ::kiln::operand &p, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return array::share(c_.take(kn_special_ndtri(p_h))); }
/* scipy.special.i0: modified Bessel function of order 0 */
inline array i0(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i0(x_h))); }
/* scipy.special.i1: modified Bessel function of order 1 */
inline array i1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i1(x_h))); }
/* scipy.special.rgamma: 1 / gamma(x), 0 at the poles */
inline array rgamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_rgamma(x_h))); }
/* scipy.special.erfcinv: the inverse of erfc */
inline array erfcinv(const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_special_erfcinv(y_h))); }
/* scipy.special.log_expit: log(expit(x)) */
inline array log_expit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_log_expit(x_h))); }
/* scipy.special.exp1: integral of e^-t / t from x on; NaN for x < 0 */
inline array exp1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_exp1(x_h))); }
/* scipy.special.spence: the dilogarithm of 1 - x; NaN for x < 0 */
inline array spence(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_spence(x_h))); }
/* scipy.special.expi: the integral of e^t / t up to x */
inline array expi(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_expi(x_h))); }
/* scipy.special.expn: the integral of e^-xt / t^n from 1 on; NaN unless n is 0, 1, 2, ... and x >= 0 */
inline array expn(const ::kiln::operand &n, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_expn(n_h, x_h))); }
struct sici_result { array si; array ci; };
/* scipy.special.sici: sine and cosine integrals; ci is that of |x| */
inline ::kiln::special::sici_result sici(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_special_sici_result r_ = c_.value(kn_special_sici(x_h));
    return ::kiln::special::sici_result{array::share(r_.si), array::share(r_.ci)}; }
/* scipy.special.erfcx: e^(x^2) erfc(x) */
inline array erfcx(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfcx(x_h))); }
struct fresnel_result { array S; array C; };
/* scipy.special.fresnel: the integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x */
inline ::kiln::special::fresnel_result fresnel(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_special_fresnel_result
    r_ = c_.value(kn_special_fresnel(x_h)); return ::kiln::special::fresnel_result{array::share(r_.S),
    array::share(r_.C)}; }
/* scipy.special.bernoulli: float64, B0 to Bn; ValueError for n < 0 */
inline array bernoulli(int n, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_special_bernoulli(n))); }
/* scipy.special.boxcox: (x^lmbda - 1) / lmbda, log(x) where lmbda is 0; NaN for x < 0 */
inline array boxcox(const ::kiln::operand &x, const ::kiln::operand &lmbda, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array lmbda_h = lmbda.c(); c_.here(); return
    array::share(c_.take(kn_special_boxcox(x_h, lmbda_h))); }
/* scipy.special.boxcox1p: boxcox of 1 + x, right where x is small, too */
inline array boxcox1p(const ::kiln::operand &x, const ::kiln::operand &lmbda, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array lmbda_h = lmbda.c(); c_.here(); return
    array::share(c_.take(kn_special_boxcox1p(x_h, lmbda_h))); }
/* scipy.special.dawsn: Dawson's integral, e^(-x^2) times that of e^(t^2) from 0 to x */
inline array dawsn(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_dawsn(x_h))); }
/* scipy.special.wofz: e^(-z^2) erfc(-iz); complex */
inline array wofz(const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_wofz(z_h))); }
/* scipy.special.loggamma: the logarithm of the gamma function, cut along the negative real axis; of real numbers NaN
 * below 0 */
inline array loggamma(const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_loggamma(z_h))); }
/* scipy.special.owens_t: Owen's T function */
inline array owens_t(const ::kiln::operand &h, const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array h_h = h.c(); kn_array a_h = a.c(); c_.here(); return
    array::share(c_.take(kn_special_owens_t(h_h, a_h))); }
/* jax.scipy.special.lpmn_values: associated Legendre functions of z (float32 or float64, one axis), by order, degree
 * and point: (m + 1, n + 1, size of z). is_normalized: as in spherical harmonics. m must be n (NotImplementedError). */
inline array lpmn_values(int m, int n, const ::kiln::operand &z, bool is_normalized, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_lpmn_values(m, n, z_h,
    is_normalized))); }
struct lpmn_result { array values; array derivatives; };
/* jax.scipy.special.lpmn: their values (not normalized) and derivatives by z */
inline ::kiln::special::lpmn_result lpmn(int m, int n, const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); kn_special_lpmn_result r_ = c_.value(kn_special_lpmn(m, n,
    z_h)); return ::kiln::special::lpmn_result{array::share(r_.values), array::share(r_.derivatives)}; }
struct sph_harm_y_opts {
    KILN_OPTION((int64_t), n_max, -1)
    kn_special_sph_harm_y_opts c() const {
        kn_special_sph_harm_y_opts to_ = {}; to_.size_ = sizeof to_; to_.n_max = detail::c_of(n_max); return to_; }
};
/* scipy.special.sph_harm_y: spherical harmonics of degree n and order m at the polar angle theta and the azimuth
 * phi; complex, 0 where |m| > n */
inline array sph_harm_y(const ::kiln::operand &n, const ::kiln::operand &m, const ::kiln::operand &theta, const
    ::kiln::operand &phi, const ::kiln::special::sph_harm_y_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array m_h = m.c(); kn_array theta_h = theta.c(); kn_array
    phi_h = phi.c(); kn_special_sph_harm_y_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_special_sph_harm_y(n_h, m_h, theta_h, phi_h, &opts_c))); }
/* scipy.special.hyp1f1: the sum of (a)_k / (b)_k x^k / k! */
inline array hyp1f1(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_hyp1f1(a_h, b_h, x_h))); }
/* scipy.special.hyp2f1: the sum of (a)_k (b)_k / (c)_k x^k / k!, continued to all x < 1; inf beyond unless it ends */
inline array hyp2f1(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &c, const ::kiln::operand
    &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array c_h = c.c(); kn_array x_h = x.c();
    c_.here(); return array::share(c_.take(kn_special_hyp2f1(a_h, b_h, c_h, x_h))); }
} // namespace special
} // namespace kiln
#endif
