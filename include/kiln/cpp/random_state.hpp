/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/random_state.hpp -- the functions of kiln/random_state.h in C++. */
/* Made by scripts/make-api.py from api/random_state.api. */
/* clang-format off */
#ifndef KILN_CPP_RANDOM_STATE_HPP
#define KILN_CPP_RANDOM_STATE_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/rng.hpp"

namespace kiln {
namespace random_state {
struct opts {
    KILN_OPTION((::kiln::handle<kn_bit_generator>), bit_generator, {}) /* in the place of MT19937 */
    kn_random_state_opts c() const {
        kn_random_state_opts to_ = {}; to_.size_ = sizeof to_; to_.bit_generator = detail::c_of(bit_generator); return
        to_; }
};
struct randint_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* any integer dtype, or bool */
    kn_random_state_randint_opts c() const {
        kn_random_state_randint_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct choice_opts {
    KILN_OPTION((bool), replace, true)
    KILN_OPTION((::kiln::array), p, {}) /* equal ones */
    kn_random_state_choice_opts c() const {
        kn_random_state_choice_opts to_ = {}; to_.size_ = sizeof to_; to_.replace = detail::c_of(replace);
        to_.p = detail::c_of(p); return to_; }
};
struct multivariate_normal_opts {
    KILN_OPTION((::kiln::text), check_valid, {}) /* "warn" */
    KILN_OPTION((double), tol, 1e-8)
    kn_random_state_multivariate_normal_opts c() const {
        kn_random_state_multivariate_normal_opts to_ = {}; to_.size_ = sizeof to_;
        to_.check_valid = detail::c_of(check_valid); to_.tol = detail::c_of(tol); return to_; }
};
} // namespace random_state
using RandomState_opts = ::kiln::random_state::opts;
/* np.random.RandomState: a source of random numbers of NumPy before 1.17, of an integer below 2^32 or an array of
 * such: the same seed, the same stream. kn_default_rng is faster and better for what is new */
inline handle<kn_random_state> RandomState(const ::kiln::operand &seed, const ::kiln::random_state::opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_random_state_opts opts_c = opts.c(); c_.here(); return
    handle<kn_random_state>(c_.take(kn_RandomState(seed_h, &opts_c))); }
namespace random_state {
/* the source of np.random.seed, np.random.rand and their kin: each context has one, seeded by the operating system
 * at first. np.random.f(...) is kn_random_state_f(kn_random_state_default(), ...) */
inline handle<kn_random_state> default_(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_random_state>(c_.take(kn_random_state_default())); }
/* seeds a source anew: its stream begins again. TypeError if it has another bit generator than MT19937; 0, or -1
 * with an error */
inline int seed(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &seed, place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); c_.here(); return c_.value(kn_random_state_seed(state.c(),
    seed_h)); }
/* the state of its bit generator, and the normal number made ahead: with kn_random_state_set_state the same numbers
 * come again */
inline kn_bit_generator_state get_state(const ::kiln::handle<kn_random_state> &state, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_random_state_get_state(state.c())); }
/* the state of kn_random_state_get_state, from where the stream goes on. ValueError for the state of another bit
 * generator; 0, or -1 with an error */
inline int set_state(const ::kiln::handle<kn_random_state> &state, const kn_bit_generator_state &saved, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_random_state_set_state(state.c(), &saved)); }
/* the bit generator that it draws from, not a copy */
inline handle<kn_bit_generator> bit_generator(const ::kiln::handle<kn_random_state> &state, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_bit_generator>(c_.take(kn_random_state_bit_generator(state.c())));
    }
/* floats in [0, 1), each as likely as the others: float64 */
inline array random_sample(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_random_sample(state.c(), &size))); }
/* floats in [0, 1): another name of kn_random_state_random_sample */
inline array random(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_random(state.c(), &size))); }
/* numbers of the exponential distribution of mean 1: -log(1 - u) of a uniform number */
inline array standard_exponential(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_standard_exponential(state.c(),
    &size))); }
/* normal numbers of mean 0 and variance 1, made in pairs: the second one waits for the next call */
inline array standard_normal(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_standard_normal(state.c(), &size))); }
/* numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that they have no mean */
inline array standard_cauchy(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_standard_cauchy(state.c(), &size))); }
/* floats in [0, 1) of a shape, the numbers of kn_random_state_random_sample; np.random.rand takes the extents one by
 * one */
inline array rand(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_rand(state.c(), &size))); }
/* normal numbers of mean 0 and variance 1, those of kn_random_state_standard_normal; np.random.randn takes the
 * extents one by one */
inline array randn(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_randn(state.c(), &size))); }
/* integers in [0, 2^63), each as likely as the others: int64 */
inline array tomaxint(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_tomaxint(state.c(), &size))); }
/* integers in [low, high), each as likely as the others; bounds broadcast. int64 or another integer dtype;
 * ValueError if there are none */
inline array randint(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &low, const ::kiln::operand
    &high, const ::kiln::shape &size, const ::kiln::random_state::randint_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array low_h = low.c(); kn_array high_h = high.c(); kn_random_state_randint_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_state_randint(state.c(), low_h, high_h, &size,
    &opts_c))); }
/* integers in [low, high], high included: int64. kn_random_state_randint with another end */
inline array random_integers(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &low, const
    ::kiln::operand &high, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array low_h = low.c(); kn_array high_h = high.c(); c_.here(); return
    array::share(c_.take(kn_random_state_random_integers(state.c(), low_h, high_h, &size))); }
/* random bytes, uint8[length] */
inline array bytes(const ::kiln::handle<kn_random_state> &state, int64_t length, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_random_state_bytes(state.c(), length))); }
using uniform_opts = ::kiln::rng::uniform_opts;
/* floats in [low, high), 0 and 1 unless they are given; bounds broadcast */
inline array uniform(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::uniform_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_uniform_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_uniform(state.c(), &size, &opts_c))); }
using normal_opts = ::kiln::rng::loc_scale_opts;
/* normal numbers of mean loc (0) and standard deviation scale (1). ValueError for a negative scale */
inline array normal(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::loc_scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_normal(state.c(), &size, &opts_c))); }
using gumbel_opts = ::kiln::rng::loc_scale_opts;
/* numbers of the Gumbel distribution of mode loc (0) and scale (1) */
inline array gumbel(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::loc_scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_gumbel(state.c(), &size, &opts_c))); }
using laplace_opts = ::kiln::rng::loc_scale_opts;
/* numbers of the Laplace distribution of mean loc (0) and scale (1): exponential to both sides */
inline array laplace(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::loc_scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_laplace(state.c(), &size, &opts_c))); }
using logistic_opts = ::kiln::rng::loc_scale_opts;
/* numbers of the logistic distribution of mean loc (0) and scale (1) */
inline array logistic(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::loc_scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_logistic(state.c(), &size, &opts_c))); }
using lognormal_opts = ::kiln::rng::lognormal_opts;
/* e to the power of normal numbers of mean `mean` (0) and standard deviation sigma (1) */
inline array lognormal(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::lognormal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_lognormal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_lognormal(state.c(), &size, &opts_c))); }
using exponential_opts = ::kiln::rng::scale_opts;
/* numbers of the exponential distribution of mean scale (1). ValueError for a negative scale */
inline array exponential(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_exponential(state.c(), &size, &opts_c))); }
using rayleigh_opts = ::kiln::rng::scale_opts;
/* numbers of the Rayleigh distribution: the length of a vector of two normal numbers of standard deviation scale (1) */
inline array rayleigh(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_rayleigh(state.c(), &size, &opts_c))); }
/* numbers of the gamma distribution of a shape, scale 1: the mean is the shape */
inline array standard_gamma(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &shape, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array shape_h = shape.c(); c_.here(); return
    array::share(c_.take(kn_random_state_standard_gamma(state.c(), shape_h, &size))); }
using gamma_opts = ::kiln::rng::scale_opts;
/* numbers of the gamma distribution of a shape, times scale (1): mean shape times scale */
inline array gamma(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &shape, const ::kiln::shape
    &size, const ::kiln::rng::scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array shape_h = shape.c(); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_gamma(state.c(), shape_h, &size, &opts_c))); }
/* numbers in (0, 1) of the beta distribution of a and b: mean a / (a + b). ValueError unless both are positive */
inline array beta(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::operand &b,
    const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_random_state_beta(state.c(), a_h, b_h, &size))); }
/* numbers of the chi-square distribution: the sum of squares of df standard normal numbers, mean df */
inline array chisquare(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &df, const ::kiln::shape
    &size, place where = here())
{ detail::call c_(where); kn_array df_h = df.c(); c_.here(); return
    array::share(c_.take(kn_random_state_chisquare(state.c(), df_h, &size))); }
/* numbers of the noncentral chi-square distribution: mean df + nonc */
inline array noncentral_chisquare(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &df, const
    ::kiln::operand &nonc, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array df_h = df.c(); kn_array nonc_h = nonc.c(); c_.here(); return
    array::share(c_.take(kn_random_state_noncentral_chisquare(state.c(), df_h, nonc_h, &size))); }
/* numbers of the F distribution: the ratio of two chi-square numbers of dfnum and dfden, each divided by its degrees
 * of freedom */
inline array f(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &dfnum, const ::kiln::operand &dfden,
    const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array dfnum_h = dfnum.c(); kn_array dfden_h = dfden.c(); c_.here(); return
    array::share(c_.take(kn_random_state_f(state.c(), dfnum_h, dfden_h, &size))); }
/* numbers of the noncentral F distribution: the F ratio with a noncentral chi-square number above */
inline array noncentral_f(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &dfnum, const
    ::kiln::operand &dfden, const ::kiln::operand &nonc, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array dfnum_h = dfnum.c(); kn_array dfden_h = dfden.c(); kn_array nonc_h = nonc.c();
    c_.here(); return array::share(c_.take(kn_random_state_noncentral_f(state.c(), dfnum_h, dfden_h, nonc_h, &size))); }
/* numbers of Student's t distribution of df degrees of freedom: heavier tails than normal ones, the fewer df */
inline array standard_t(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &df, const ::kiln::shape
    &size, place where = here())
{ detail::call c_(where); kn_array df_h = df.c(); c_.here(); return
    array::share(c_.take(kn_random_state_standard_t(state.c(), df_h, &size))); }
/* numbers of the Pareto distribution of the second kind (Lomax) of shape a, from 0 on; add 1 for the classical one */
inline array pareto(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::shape &size,
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_random_state_pareto(state.c(),
    a_h, &size))); }
/* numbers in [0, 1] of density a x^(a-1): the larger a, the nearer to 1 */
inline array power(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::shape &size,
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_random_state_power(state.c(),
    a_h, &size))); }
/* numbers between left and right, whose density is a triangle with its top at mode. ValueError unless left <= mode
 * <= right */
inline array triangular(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &left, const ::kiln::operand
    &mode, const ::kiln::operand &right, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array left_h = left.c(); kn_array mode_h = mode.c(); kn_array right_h = right.c();
    c_.here(); return array::share(c_.take(kn_random_state_triangular(state.c(), left_h, mode_h, right_h, &size))); }
/* angles in [-pi, pi] around mu, the closer the larger kappa: normal numbers on a circle */
inline array vonmises(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &mu, const ::kiln::operand
    &kappa, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array mu_h = mu.c(); kn_array kappa_h = kappa.c(); c_.here(); return
    array::share(c_.take(kn_random_state_vonmises(state.c(), mu_h, kappa_h, &size))); }
/* numbers of the Wald (inverse normal) distribution of a mean and a scale, both positive */
inline array wald(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &mean, const ::kiln::operand
    &scale, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array mean_h = mean.c(); kn_array scale_h = scale.c(); c_.here(); return
    array::share(c_.take(kn_random_state_wald(state.c(), mean_h, scale_h, &size))); }
/* numbers of the Weibull distribution of shape a, scale 1: a number of the exponential distribution to the power 1 /
 * a */
inline array weibull(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::shape &size,
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return
    array::share(c_.take(kn_random_state_weibull(state.c(), a_h, &size))); }
/* how many of n trials of probability p succeed: int64. ValueError for p outside of [0, 1] and negative n */
inline array binomial(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &n, const ::kiln::operand &p,
    const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_random_state_binomial(state.c(), n_h, p_h, &size))); }
/* how many trials of probability p fail before n succeed: int64 */
inline array negative_binomial(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &n, const
    ::kiln::operand &p, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_random_state_negative_binomial(state.c(), n_h, p_h, &size))); }
/* how many trials of probability p it takes until one succeeds: int64, from 1 on */
inline array geometric(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &p, const ::kiln::shape
    &size, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_random_state_geometric(state.c(), p_h, &size))); }
/* how many of nsample balls, drawn without putting them back from ngood good and nbad bad ones, are good: int64.
 * ValueError for more than there are */
inline array hypergeometric(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &ngood, const
    ::kiln::operand &nbad, const ::kiln::operand &nsample, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array ngood_h = ngood.c(); kn_array nbad_h = nbad.c(); kn_array nsample_h = nsample.c();
    c_.here(); return array::share(c_.take(kn_random_state_hypergeometric(state.c(), ngood_h, nbad_h, nsample_h,
    &size))); }
/* integers from 1 on, k with a probability proportional to p^k / k: int64 */
inline array logseries(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &p, const ::kiln::shape
    &size, place where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_random_state_logseries(state.c(), p_h, &size))); }
/* integers from 1 on, k with a probability proportional to k^-a, for a > 1: int64 */
inline array zipf(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::shape &size,
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_random_state_zipf(state.c(),
    a_h, &size))); }
using poisson_opts = ::kiln::rng::poisson_opts;
/* how many events happen where lam (1) are expected: int64. ValueError for negative lam */
inline array poisson(const ::kiln::handle<kn_random_state> &state, const ::kiln::shape &size, const
    ::kiln::rng::poisson_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_poisson_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_poisson(state.c(), &size, &opts_c))); }
/* vectors of numbers in [0, 1] that add to 1, of the Dirichlet distribution of alpha, one axis. The result has the
 * size and that axis */
inline array dirichlet(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &alpha, const ::kiln::shape
    &size, place where = here())
{ detail::call c_(where); kn_array alpha_h = alpha.c(); c_.here(); return
    array::share(c_.take(kn_random_state_dirichlet(state.c(), alpha_h, &size))); }
/* how many of n trials fall into each category: of one n and one vector of probabilities; int64, the size and an
 * axis of the categories */
inline array multinomial(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &n, const ::kiln::operand
    &pvals, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array pvals_h = pvals.c(); c_.here(); return
    array::share(c_.take(kn_random_state_multinomial(state.c(), n_h, pvals_h, &size))); }
/* vectors of normal numbers of a mean[n] and a covariance[n, n]: the size and an axis of n. check_valid says what
 * happens to a covariance that is none: a line in the log, a ValueError ("raise") or nothing */
inline array multivariate_normal(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &mean, const
    ::kiln::operand &cov, const ::kiln::shape &size, const ::kiln::random_state::multivariate_normal_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array mean_h = mean.c(); kn_array cov_h = cov.c(); kn_random_state_multivariate_normal_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_state_multivariate_normal(state.c(), mean_h,
    cov_h, &size, &opts_c))); }
/* puts the slices of x along the first axis in another order, in x itself; 0, or -1 with an error */
inline int shuffle(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_random_state_shuffle(state.c(), x_h)); }
/* a copy of x with the slices along the first axis in another order; of a number x: 0 .. x-1 */
inline array permutation(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_random_state_permutation(state.c(), x_h))); }
/* elements of a vector a drawn at random, or of 0 .. a-1 for an integer a; with .p of these probabilities, without
 * .replace none twice (ValueError for more than there are) */
inline array choice(const ::kiln::handle<kn_random_state> &state, const ::kiln::operand &a, const ::kiln::shape &size,
    const ::kiln::random_state::choice_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_random_state_choice_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_state_choice(state.c(), a_h, &size, &opts_c))); }
} // namespace random_state
} // namespace kiln
#endif
