/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/special.hpp -- the functions of kiln/special.h in C++. */
/* Made by scripts/make-api.py from api/special.api. */
/* clang-format off */
#ifndef KILN_CPP_SPECIAL_HPP
#define KILN_CPP_SPECIAL_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace special {
/* scipy.special.expit: the logistic function, 1 / (1 + e^-x) */
inline array expit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_expit(x_h))); }
/* scipy.special.erfinv: the inverse of erf: infinite at -1 and 1, NaN beyond. TypeError for complex numbers */
inline array erfinv(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfinv(x_h))); }
/* scipy.special.erf: the error function, 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x */
inline array erf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erf(x_h))); }
/* scipy.special.erfc: 1 - erf(x), right where that is small, too */
inline array erfc(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfc(x_h))); }
/* scipy.special.gammaln: the logarithm of |gamma(x)|, which is there where gamma overflows; infinite at the poles */
inline array gammaln(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gammaln(x_h))); }
/* scipy.special.digamma: the derivative of gammaln; NaN at the negative integers */
inline array digamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_digamma(x_h))); }
/* scipy.special.cosm1: cos(x) - 1, right near 0 */
inline array cosm1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_cosm1(x_h))); }
/* scipy.special.i0e: the modified Bessel function I0(x) times e^-|x|, which does not overflow */
inline array i0e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i0e(x_h))); }
/* scipy.special.i1e: the modified Bessel function I1(x) times e^-|x|, which does not overflow */
inline array i1e(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i1e(x_h))); }
/* scipy.special.gamma: the gamma function, (x - 1)! of integers; exact for small integers, else some units in the
 * last place. NaN at the negative integers */
inline array gamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gamma(x_h))); }
/* scipy.special.gammasgn: the sign of gamma(x); NaN at the negative integers */
inline array gammasgn(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_gammasgn(x_h))); }
/* scipy.special.factorial: n!, gamma(n + 1) also between the integers; 0 for negative n. In floating point, as
 * SciPy's without exact=True */
inline array factorial(const ::kiln::operand &n, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); c_.here(); return array::share(c_.take(kn_special_factorial(n_h))); }
/* scipy.special.gammainc: the regularized lower incomplete gamma function: the integral of t^(a-1) e^-t from 0 to x,
 * over gamma(a) */
inline array gammainc(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_gammainc(a_h, x_h))); }
/* scipy.special.gammaincc: the regularized upper incomplete gamma function, 1 - gammainc(a, x), right where that is
 * small, too */
inline array gammaincc(const ::kiln::operand &a, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_gammaincc(a_h, x_h))); }
/* scipy.special.multigammaln: the logarithm of the gamma function of dimension d; ValueError for d < 1 */
inline array multigammaln(const ::kiln::operand &a, int d, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_special_multigammaln(a_h,
    d))); }
/* scipy.special.polygamma: derivative number n of digamma; NaN unless n is 0, 1, 2, ... */
inline array polygamma(const ::kiln::operand &n, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_polygamma(n_h, x_h))); }
/* scipy.special.zeta: Hurwitz' zeta function, the sum of (q + k)^-x over k >= 0; q = 1: Riemann's */
inline array zeta(const ::kiln::operand &x, const ::kiln::operand &q, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_special_zeta(x_h, q_h))); }
/* scipy.special.beta: the beta function, gamma(a) gamma(b) / gamma(a + b) */
inline array beta(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_special_beta(a_h, b_h))); }
/* scipy.special.betaln: the logarithm of |beta(a, b)|, which is there where beta is too small */
inline array betaln(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_special_betaln(a_h, b_h))); }
/* scipy.special.betainc: the regularized incomplete beta function: the integral of t^(a-1) (1-t)^(b-1) from 0 to x,
 * over beta(a, b) */
inline array betainc(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_betainc(a_h, b_h, x_h))); }
/* scipy.special.poch: Pochhammer's symbol, gamma(z + m) / gamma(z): z (z + 1) ... (z + m - 1) for integers m */
inline array poch(const ::kiln::operand &z, const ::kiln::operand &m, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); kn_array m_h = m.c(); c_.here(); return
    array::share(c_.take(kn_special_poch(z_h, m_h))); }
/* scipy.special.comb: binomial coefficients, n over k, exact while they are small; 0 unless 0 <= k <= n. In floating
 * point, as SciPy's without exact=True */
inline array comb(const ::kiln::operand &n, const ::kiln::operand &k, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array k_h = k.c(); c_.here(); return
    array::share(c_.take(kn_special_comb(n_h, k_h))); }
/* scipy.special.xlogy: x log(y), 0 where x is 0 */
inline array xlogy(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_xlogy(x_h, y_h))); }
/* scipy.special.xlog1py: x log(1 + y), right where y is small, too; 0 where x is 0 */
inline array xlog1py(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_xlog1py(x_h, y_h))); }
/* scipy.special.entr: what a probability x adds to the entropy: -x log(x), 0 at 0, -inf below */
inline array entr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_entr(x_h))); }
/* scipy.special.kl_div: x log(x / y) - x + y, which is 0 where x = y and never negative; y where x is 0, infinite
 * for negative numbers and where y alone is 0 */
inline array kl_div(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_kl_div(x_h, y_h))); }
/* scipy.special.rel_entr: x log(x / y), 0 where x is 0, infinite for negative numbers and where y alone is 0: what
 * an element adds to the divergence of Kullback and Leibler */
inline array rel_entr(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_special_rel_entr(x_h, y_h))); }
/* scipy.special.logit: log(x / (1 - x)), the inverse of expit: infinite at 0 and 1, NaN beyond */
inline array logit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_logit(x_h))); }
/* scipy.special.ndtr: the distribution function of the normal distribution: how probable a number below x is */
inline array ndtr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_ndtr(x_h))); }
/* scipy.special.log_ndtr: the logarithm of ndtr, right far to the left, too */
inline array log_ndtr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_log_ndtr(x_h))); }
/* scipy.special.ndtri: the inverse of ndtr, the quantiles of the normal distribution: infinite at 0 and 1, NaN
 * beyond */
inline array ndtri(const ::kiln::operand &p, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return array::share(c_.take(kn_special_ndtri(p_h))); }
/* scipy.special.i0: the modified Bessel function of the first kind of order 0 */
inline array i0(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i0(x_h))); }
/* scipy.special.i1: the modified Bessel function of the first kind of order 1, which is odd */
inline array i1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_i1(x_h))); }
/* scipy.special.rgamma: 1 / gamma(x), 0 at the poles */
inline array rgamma(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_rgamma(x_h))); }
/* scipy.special.erfcinv: the inverse of erfc, right for small y: infinite at 0 and 2, NaN beyond */
inline array erfcinv(const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_special_erfcinv(y_h))); }
/* scipy.special.log_expit: log(expit(x)), right far to the left, too */
inline array log_expit(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_log_expit(x_h))); }
/* scipy.special.exp1: the exponential integral E1: that of e^-t / t from x on; infinite at 0, NaN for x < 0 */
inline array exp1(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_exp1(x_h))); }
/* scipy.special.spence: Spence's function, the dilogarithm of 1 - x; NaN for x < 0 */
inline array spence(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_spence(x_h))); }
/* scipy.special.expi: the exponential integral Ei: that of e^t / t up to x; -infinity at 0 */
inline array expi(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_expi(x_h))); }
/* scipy.special.expn: the exponential integral En: that of e^-xt / t^n from 1 on; NaN unless n is 0, 1, 2, ... and x
 * >= 0 */
inline array expn(const ::kiln::operand &n, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_expn(n_h, x_h))); }
struct sici_result { array si; array ci; };
/* scipy.special.sici: the sine and cosine integrals: si, of sin(t) / t from 0 to x, and ci, of cos(t) / t up to x,
 * which is that of |x| */
inline ::kiln::special::sici_result sici(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_special_sici_result r_ = c_.value(kn_special_sici(x_h));
    return ::kiln::special::sici_result{array::share(r_.si), array::share(r_.ci)}; }
/* scipy.special.erfcx: erfc(x) times e^(x^2), which is there where erfc is too small */
inline array erfcx(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_special_erfcx(x_h))); }
struct fresnel_result { array S; array C; };
/* scipy.special.fresnel: Fresnel's integrals: S of sin(pi t^2 / 2) and C of cos(pi t^2 / 2), from 0 to x */
inline ::kiln::special::fresnel_result fresnel(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_special_fresnel_result
    r_ = c_.value(kn_special_fresnel(x_h)); return ::kiln::special::fresnel_result{array::share(r_.S),
    array::share(r_.C)}; }
/* scipy.special.bernoulli: Bernoulli's numbers B0 to Bn, float64; ValueError for n < 0 */
inline array bernoulli(int n, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_special_bernoulli(n))); }
/* scipy.special.boxcox: the transformation of Box and Cox, (x^lmbda - 1) / lmbda, log(x) where lmbda is 0; NaN for x
 * < 0 */
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
/* scipy.special.wofz: Faddeeva's function, e^(-z^2) erfc(-iz); complex */
inline array wofz(const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_wofz(z_h))); }
/* scipy.special.loggamma: the logarithm of the gamma function, cut along the negative real axis, of complex numbers,
 * too; of real numbers NaN below 0 */
inline array loggamma(const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_loggamma(z_h))); }
/* scipy.special.owens_t: Owen's T function: how probable it is that X > h and 0 < Y < a X for independent normal X
 * and Y */
inline array owens_t(const ::kiln::operand &h, const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array h_h = h.c(); kn_array a_h = a.c(); c_.here(); return
    array::share(c_.take(kn_special_owens_t(h_h, a_h))); }
/* jax.scipy.special.lpmn_values: associated Legendre functions of z (float32 or float64, one axis), by order, degree
 * and point: (m + 1, n + 1, size of z). is_normalized: as in spherical harmonics. m must be n (NotImplementedError). */
inline array lpmn_values(int m, int n, const ::kiln::operand &z, bool is_normalized, place where = here())
{ detail::call c_(where); kn_array z_h = z.c(); c_.here(); return array::share(c_.take(kn_special_lpmn_values(m, n, z_h,
    is_normalized))); }
struct lpmn_result { array values; array derivatives; };
/* jax.scipy.special.lpmn: associated Legendre functions up to order m and degree n at z (not normalized), and their
 * derivatives by z; shapes as of kn_special_lpmn_values */
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
/* scipy.special.hyp1f1: Kummer's confluent hypergeometric function, the sum of (a)_k / (b)_k x^k / k! */
inline array hyp1f1(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_special_hyp1f1(a_h, b_h, x_h))); }
/* scipy.special.hyp2f1: Gauss' hypergeometric function, the sum of (a)_k (b)_k / (c)_k x^k / k!, continued to all x
 * < 1; inf beyond unless it ends */
inline array hyp2f1(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &c, const ::kiln::operand
    &x, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array c_h = c.c(); kn_array x_h = x.c();
    c_.here(); return array::share(c_.take(kn_special_hyp2f1(a_h, b_h, c_h, x_h))); }
} // namespace special
} // namespace kiln
#endif
