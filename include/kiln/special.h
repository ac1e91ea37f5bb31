/* SPDX-License-Identifier: Apache-2.0
 * kiln/special.h -- special functions, as scipy.special and jax.scipy.special. Elementwise, with NumPy's
 * broadcasting; integers become floats as in kiln/numpy/mathematics.h. (Softmax, log_softmax and logsumexp:
 * kiln/nn.h.) */
/* Made by scripts/make-api.py from api/special.api. */
/* clang-format off */
#ifndef KILN_SPECIAL_H
#define KILN_SPECIAL_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_API kn_array kn_special_expit(kn_array x); /* scipy.special.expit: the logistic function, 1 / (1 + e^-x) */
/* scipy.special.erfinv: the inverse of erf: infinite at -1 and 1, NaN beyond. TypeError for complex numbers */
KN_API kn_array kn_special_erfinv(kn_array x);
/* scipy.special.erf: the error function, 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x */
KN_API kn_array kn_special_erf(kn_array x);
KN_API kn_array kn_special_erfc(kn_array x);  /* scipy.special.erfc: 1 - erf(x), right where that is small, too */
/* scipy.special.gammaln: the logarithm of |gamma(x)|, which is there where gamma overflows; infinite at the poles */
KN_API kn_array kn_special_gammaln(kn_array x);
/* scipy.special.digamma: the derivative of gammaln; NaN at the negative integers */
KN_API kn_array kn_special_digamma(kn_array x);
KN_API kn_array kn_special_cosm1(kn_array x); /* scipy.special.cosm1: cos(x) - 1, right near 0 */
/* scipy.special.i0e: the modified Bessel function I0(x) times e^-|x|, which does not overflow */
KN_API kn_array kn_special_i0e(kn_array x);
/* scipy.special.i1e: the modified Bessel function I1(x) times e^-|x|, which does not overflow */
KN_API kn_array kn_special_i1e(kn_array x);

/* Gamma and beta functions, entropies, the normal distribution. Real numbers only (TypeError for complex ones), but
 * for wofz and loggamma. How exact they are: docs/accuracy.md. */
/* scipy.special.gamma: the gamma function, (x - 1)! of integers; exact for small integers, else some units in the
 * last place. NaN at the negative integers */
KN_API kn_array kn_special_gamma(kn_array x);
/* scipy.special.gammasgn: the sign of gamma(x); NaN at the negative integers */
KN_API kn_array kn_special_gammasgn(kn_array x);
/* scipy.special.factorial: n!, gamma(n + 1) also between the integers; 0 for negative n. In floating point, as
 * SciPy's without exact=True */
KN_API kn_array kn_special_factorial(kn_array n);
/* scipy.special.gammainc: the regularized lower incomplete gamma function: the integral of t^(a-1) e^-t from 0 to x,
 * over gamma(a) */
KN_API kn_array kn_special_gammainc(kn_array a, kn_array x);
/* scipy.special.gammaincc: the regularized upper incomplete gamma function, 1 - gammainc(a, x), right where that is
 * small, too */
KN_API kn_array kn_special_gammaincc(kn_array a, kn_array x);
/* scipy.special.multigammaln: the logarithm of the gamma function of dimension d; ValueError for d < 1 */
KN_API kn_array kn_special_multigammaln(kn_array a, int d);
/* scipy.special.polygamma: derivative number n of digamma; NaN unless n is 0, 1, 2, ... */
KN_API kn_array kn_special_polygamma(kn_array n, kn_array x);
/* scipy.special.zeta: Hurwitz' zeta function, the sum of (q + k)^-x over k >= 0; q = 1: Riemann's */
KN_API kn_array kn_special_zeta(kn_array x, kn_array q);
/* scipy.special.beta: the beta function, gamma(a) gamma(b) / gamma(a + b) */
KN_API kn_array kn_special_beta(kn_array a, kn_array b);
/* scipy.special.betaln: the logarithm of |beta(a, b)|, which is there where beta is too small */
KN_API kn_array kn_special_betaln(kn_array a, kn_array b);
/* scipy.special.betainc: the regularized incomplete beta function: the integral of t^(a-1) (1-t)^(b-1) from 0 to x,
 * over beta(a, b) */
KN_API kn_array kn_special_betainc(kn_array a, kn_array b, kn_array x);
/* scipy.special.poch: Pochhammer's symbol, gamma(z + m) / gamma(z): z (z + 1) ... (z + m - 1) for integers m */
KN_API kn_array kn_special_poch(kn_array z, kn_array m);
/* scipy.special.comb: binomial coefficients, n over k, exact while they are small; 0 unless 0 <= k <= n. In floating
 * point, as SciPy's without exact=True */
KN_API kn_array kn_special_comb(kn_array n, kn_array k);
KN_API kn_array kn_special_xlogy(kn_array x, kn_array y); /* scipy.special.xlogy: x log(y), 0 where x is 0 */
/* scipy.special.xlog1py: x log(1 + y), right where y is small, too; 0 where x is 0 */
KN_API kn_array kn_special_xlog1py(kn_array x, kn_array y);
/* scipy.special.entr: what a probability x adds to the entropy: -x log(x), 0 at 0, -inf below */
KN_API kn_array kn_special_entr(kn_array x);
/* scipy.special.kl_div: x log(x / y) - x + y, which is 0 where x = y and never negative; y where x is 0, infinite
 * for negative numbers and where y alone is 0 */
KN_API kn_array kn_special_kl_div(kn_array x, kn_array y);
/* scipy.special.rel_entr: x log(x / y), 0 where x is 0, infinite for negative numbers and where y alone is 0: what
 * an element adds to the divergence of Kullback and Leibler */
KN_API kn_array kn_special_rel_entr(kn_array x, kn_array y);
/* scipy.special.logit: log(x / (1 - x)), the inverse of expit: infinite at 0 and 1, NaN beyond */
KN_API kn_array kn_special_logit(kn_array x);
/* scipy.special.ndtr: the distribution function of the normal distribution: how probable a number below x is */
KN_API kn_array kn_special_ndtr(kn_array x);
/* scipy.special.log_ndtr: the logarithm of ndtr, right far to the left, too */
KN_API kn_array kn_special_log_ndtr(kn_array x);
/* scipy.special.ndtri: the inverse of ndtr, the quantiles of the normal distribution: infinite at 0 and 1, NaN
 * beyond */
KN_API kn_array kn_special_ndtri(kn_array p);
/* scipy.special.i0: the modified Bessel function of the first kind of order 0 */
KN_API kn_array kn_special_i0(kn_array x);
/* scipy.special.i1: the modified Bessel function of the first kind of order 1, which is odd */
KN_API kn_array kn_special_i1(kn_array x);
KN_API kn_array kn_special_rgamma(kn_array x);            /* scipy.special.rgamma: 1 / gamma(x), 0 at the poles */
/* scipy.special.erfcinv: the inverse of erfc, right for small y: infinite at 0 and 2, NaN beyond */
KN_API kn_array kn_special_erfcinv(kn_array y);
/* scipy.special.log_expit: log(expit(x)), right far to the left, too */
KN_API kn_array kn_special_log_expit(kn_array x);
/* scipy.special.exp1: the exponential integral E1: that of e^-t / t from x on; infinite at 0, NaN for x < 0 */
KN_API kn_array kn_special_exp1(kn_array x);
/* scipy.special.spence: Spence's function, the dilogarithm of 1 - x; NaN for x < 0 */
KN_API kn_array kn_special_spence(kn_array x);
/* scipy.special.expi: the exponential integral Ei: that of e^t / t up to x; -infinity at 0 */
KN_API kn_array kn_special_expi(kn_array x);
/* scipy.special.expn: the exponential integral En: that of e^-xt / t^n from 1 on; NaN unless n is 0, 1, 2, ... and x
 * >= 0 */
KN_API kn_array kn_special_expn(kn_array n, kn_array x);
typedef struct kn_special_sici_result { kn_array si, ci; } kn_special_sici_result;
/* scipy.special.sici: the sine and cosine integrals: si, of sin(t) / t from 0 to x, and ci, of cos(t) / t up to x,
 * which is that of |x| */
KN_API kn_special_sici_result kn_special_sici(kn_array x);
/* scipy.special.erfcx: erfc(x) times e^(x^2), which is there where erfc is too small */
KN_API kn_array kn_special_erfcx(kn_array x);
typedef struct kn_special_fresnel_result { kn_array S, C; } kn_special_fresnel_result;
/* scipy.special.fresnel: Fresnel's integrals: S of sin(pi t^2 / 2) and C of cos(pi t^2 / 2), from 0 to x */
KN_API kn_special_fresnel_result kn_special_fresnel(kn_array x);
/* scipy.special.bernoulli: Bernoulli's numbers B0 to Bn, float64; ValueError for n < 0 */
KN_API kn_array kn_special_bernoulli(int n);
/* scipy.special.boxcox: the transformation of Box and Cox, (x^lmbda - 1) / lmbda, log(x) where lmbda is 0; NaN for x
 * < 0 */
KN_API kn_array kn_special_boxcox(kn_array x, kn_array lmbda);
/* scipy.special.boxcox1p: boxcox of 1 + x, right where x is small, too */
KN_API kn_array kn_special_boxcox1p(kn_array x, kn_array lmbda);
/* scipy.special.dawsn: Dawson's integral, e^(-x^2) times that of e^(t^2) from 0 to x */
KN_API kn_array kn_special_dawsn(kn_array x);
KN_API kn_array kn_special_wofz(kn_array z); /* scipy.special.wofz: Faddeeva's function, e^(-z^2) erfc(-iz); complex */
/* scipy.special.loggamma: the logarithm of the gamma function, cut along the negative real axis, of complex numbers,
 * too; of real numbers NaN below 0 */
KN_API kn_array kn_special_loggamma(kn_array z);
/* scipy.special.owens_t: Owen's T function: how probable it is that X > h and 0 < Y < a X for independent normal X
 * and Y */
KN_API kn_array kn_special_owens_t(kn_array h, kn_array a);
/* jax.scipy.special.lpmn_values: associated Legendre functions of z (float32 or float64, one axis), by order, degree
 * and point: (m + 1, n + 1, size of z). is_normalized: as in spherical harmonics. m must be n (NotImplementedError). */
KN_API kn_array kn_special_lpmn_values(int m, int n, kn_array z, bool is_normalized);
typedef struct kn_special_lpmn_result { kn_array values, derivatives; } kn_special_lpmn_result;
/* jax.scipy.special.lpmn: associated Legendre functions up to order m and degree n at z (not normalized), and their
 * derivatives by z; shapes as of kn_special_lpmn_values */
KN_API kn_special_lpmn_result kn_special_lpmn(int m, int n, kn_array z);
typedef struct kn_special_sph_harm_y_opts {
    size_t size_;
    int64_t n_max; /* -1: n is at most that; not given: the largest element of n, which must be known then */
} kn_special_sph_harm_y_opts;
KN_API kn_special_sph_harm_y_opts kn_special_sph_harm_y_opts_default(void);
/* scipy.special.sph_harm_y: spherical harmonics of degree n and order m at the polar angle theta and the azimuth
 * phi; complex, 0 where |m| > n */
KN_API kn_array kn_special_sph_harm_y(kn_array n, kn_array m, kn_array theta, kn_array phi,
    const kn_special_sph_harm_y_opts *opts);
/* scipy.special.hyp1f1: Kummer's confluent hypergeometric function, the sum of (a)_k / (b)_k x^k / k! */
KN_API kn_array kn_special_hyp1f1(kn_array a, kn_array b, kn_array x);
/* scipy.special.hyp2f1: Gauss' hypergeometric function, the sum of (a)_k (b)_k / (c)_k x^k / k!, continued to all x
 * < 1; inf beyond unless it ends */
KN_API kn_array kn_special_hyp2f1(kn_array a, kn_array b, kn_array c, kn_array x);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_special_expit(x) KN_F1(kn_special_expit, x)
#define kn_special_erfinv(x) KN_F1(kn_special_erfinv, x)
#define kn_special_erf(x) KN_F1(kn_special_erf, x)
#define kn_special_erfc(x) KN_F1(kn_special_erfc, x)
#define kn_special_gammaln(x) KN_F1(kn_special_gammaln, x)
#define kn_special_digamma(x) KN_F1(kn_special_digamma, x)
#define kn_special_cosm1(x) KN_F1(kn_special_cosm1, x)
#define kn_special_i0e(x) KN_F1(kn_special_i0e, x)
#define kn_special_i1e(x) KN_F1(kn_special_i1e, x)
#define kn_special_gamma(x) KN_F1(kn_special_gamma, x)
#define kn_special_gammasgn(x) KN_F1(kn_special_gammasgn, x)
#define kn_special_factorial(n) KN_F1(kn_special_factorial, n)
#define kn_special_gammainc(a, x) KN_F2(kn_special_gammainc, a, x)
#define kn_special_gammaincc(a, x) KN_F2(kn_special_gammaincc, a, x)
#define kn_special_multigammaln(a, d) KN_H1(kn_special_multigammaln, a, int, d)
#define kn_special_polygamma(n, x) KN_F2(kn_special_polygamma, n, x)
#define kn_special_zeta(x, q) KN_F2(kn_special_zeta, x, q)
#define kn_special_beta(a, b) KN_F2(kn_special_beta, a, b)
#define kn_special_betaln(a, b) KN_F2(kn_special_betaln, a, b)
#define kn_special_betainc(a, b, x) KN_F3(kn_special_betainc, a, b, x)
#define kn_special_poch(z, m) KN_F2(kn_special_poch, z, m)
#define kn_special_comb(n, k) KN_F2(kn_special_comb, n, k)
#define kn_special_xlogy(x, y) KN_F2(kn_special_xlogy, x, y)
#define kn_special_xlog1py(x, y) KN_F2(kn_special_xlog1py, x, y)
#define kn_special_entr(x) KN_F1(kn_special_entr, x)
#define kn_special_kl_div(x, y) KN_F2(kn_special_kl_div, x, y)
#define kn_special_rel_entr(x, y) KN_F2(kn_special_rel_entr, x, y)
#define kn_special_logit(x) KN_F1(kn_special_logit, x)
#define kn_special_ndtr(x) KN_F1(kn_special_ndtr, x)
#define kn_special_log_ndtr(x) KN_F1(kn_special_log_ndtr, x)
#define kn_special_ndtri(p) KN_F1(kn_special_ndtri, p)
#define kn_special_i0(x) KN_F1(kn_special_i0, x)
#define kn_special_i1(x) KN_F1(kn_special_i1, x)
#define kn_special_rgamma(x) KN_F1(kn_special_rgamma, x)
#define kn_special_erfcinv(y) KN_F1(kn_special_erfcinv, y)
#define kn_special_log_expit(x) KN_F1(kn_special_log_expit, x)
#define kn_special_exp1(x) KN_F1(kn_special_exp1, x)
#define kn_special_spence(x) KN_F1(kn_special_spence, x)
#define kn_special_expi(x) KN_F1(kn_special_expi, x)
#define kn_special_expn(n, x) KN_F2(kn_special_expn, n, x)
#define kn_special_sici(x) KN_F1(kn_special_sici, x)
#define kn_special_erfcx(x) KN_F1(kn_special_erfcx, x)
#define kn_special_fresnel(x) KN_F1(kn_special_fresnel, x)
#define kn_special_bernoulli(n) KN_G1(kn_special_bernoulli, int, n)
#define kn_special_boxcox(x, lmbda) KN_F2(kn_special_boxcox, x, lmbda)
#define kn_special_boxcox1p(x, lmbda) KN_F2(kn_special_boxcox1p, x, lmbda)
#define kn_special_dawsn(x) KN_F1(kn_special_dawsn, x)
#define kn_special_wofz(z) KN_F1(kn_special_wofz, z)
#define kn_special_loggamma(z) KN_F1(kn_special_loggamma, z)
#define kn_special_owens_t(h, a) KN_F2(kn_special_owens_t, h, a)
#define kn_special_lpmn_values(m, n, z, is_normalized) KN_SPECIAL_LPMN_VALUES_(__COUNTER__, m, n, z, is_normalized)
#define KN_SPECIAL_LPMN_VALUES_(c, m, n, z, is_normalized)                                                             \
    __extension__({ KN_TAKE(int, 1, c, m) KN_TAKE(int, 2, c, n) kn_array KN_V(3, c) = KN_LIKE(z);                      \
    KN_TAKE(bool, 4, c, is_normalized) KN_HERE(); (kn_special_lpmn_values)(KN_V(1, c), KN_V(2, c), KN_V(3, c),         \
    KN_V(4, c)); })
#define kn_special_lpmn(m, n, z) KN_SPECIAL_LPMN_(__COUNTER__, m, n, z)
#define KN_SPECIAL_LPMN_(c, m, n, z)                                                                                   \
    __extension__({ KN_TAKE(int, 1, c, m) KN_TAKE(int, 2, c, n) kn_array KN_V(3, c) = KN_LIKE(z); KN_HERE();           \
    (kn_special_lpmn)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_special_sph_harm_y(n, m, theta, phi, ...)                                                                   \
    KN_F4O(kn_special_sph_harm_y, kn_special_sph_harm_y_opts, (.n_max = -1, ), n, m, theta, phi, __VA_ARGS__)
#define kn_special_hyp1f1(a, b, x) KN_F3(kn_special_hyp1f1, a, b, x)
#define kn_special_hyp2f1(a, b, c, x) KN_F4(kn_special_hyp2f1, a, b, c, x)
#endif
#endif
