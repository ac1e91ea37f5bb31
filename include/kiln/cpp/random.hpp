/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/random.hpp -- the functions of kiln/random.h in C++. */
/* Made by scripts/make-api.py from api/random.api. */
/* clang-format off */
#ifndef KILN_CPP_RANDOM_HPP
#define KILN_CPP_RANDOM_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace random {
struct split_opts {
    KILN_OPTION((int64_t), num, 2)
    KILN_OPTION((::kiln::shape), shape, {}) /* of an array of keys; wins over num */
    kn_random_split_opts c() const {
        kn_random_split_opts to_ = {}; to_.size_ = sizeof to_; to_.num = detail::c_of(num);
        to_.shape = detail::c_of(shape); return to_; }
};
struct bits_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* uint32 */
    kn_random_bits_opts c() const {
        kn_random_bits_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct uniform_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::array), minval, {}) /* 0 */
    KILN_OPTION((::kiln::array), maxval, {}) /* 1 */
    kn_random_uniform_opts c() const {
        kn_random_uniform_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.minval = detail::c_of(minval); to_.maxval = detail::c_of(maxval); return to_; }
};
struct normal_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_random_normal_opts c() const {
        kn_random_normal_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct permutation_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* 0 */
    KILN_OPTION((bool), independent, {}) /* each row its own way */
    kn_random_permutation_opts c() const {
        kn_random_permutation_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.independent = detail::c_of(independent); return to_; }
};
struct key_opts {
    KILN_OPTION((::kiln::text), impl, {}) /* "threefry2x32" */
    kn_random_key_opts c() const {
        kn_random_key_opts to_ = {}; to_.size_ = sizeof to_; to_.impl = detail::c_of(impl); return to_; }
};
struct dtype_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* float64 (the default float), or int64 for integers */
    kn_random_dtype_opts c() const {
        kn_random_dtype_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct gumbel_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), mode, {}) /* "high" and "highest" draw more bits for the tail */
    kn_random_gumbel_opts c() const {
        kn_random_gumbel_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.mode = detail::c_of(mode); return to_; }
};
struct bernoulli_opts {
    KILN_OPTION((::kiln::text), mode, "low")
    kn_random_bernoulli_opts c() const {
        kn_random_bernoulli_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
struct categorical_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the categories */
    KILN_OPTION((::kiln::shape), shape, {})
    KILN_OPTION((bool), replace, true)
    KILN_OPTION((::kiln::text), mode, {}) /* as in kn_random_gumbel_opts */
    kn_random_categorical_opts c() const {
        kn_random_categorical_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.shape = detail::c_of(shape); to_.replace = detail::c_of(replace); to_.mode = detail::c_of(mode); return to_;
        }
};
struct choice_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* 0 */
    KILN_OPTION((bool), replace, true)
    KILN_OPTION((::kiln::array), p, {}) /* the probability of each element */
    KILN_OPTION((::kiln::text), mode, {}) /* as in kn_random_gumbel_opts */
    kn_random_choice_opts c() const {
        kn_random_choice_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.replace = detail::c_of(replace); to_.p = detail::c_of(p); to_.mode = detail::c_of(mode); return to_; }
};
struct multivariate_normal_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), method, "cholesky") /* the others, eigh and svd, are a NotImplementedError */
    kn_random_multivariate_normal_opts c() const {
        kn_random_multivariate_normal_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.method = detail::c_of(method); return to_; }
};
struct multinomial_opts {
    KILN_OPTION((::kiln::shape), shape, {}) /* that of p */
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_random_multinomial_opts c() const {
        kn_random_multinomial_opts to_ = {}; to_.size_ = sizeof to_; to_.shape = detail::c_of(shape);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct orthogonal_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((int64_t), m, -1) /* columns (as n) */
    kn_random_orthogonal_opts c() const {
        kn_random_orthogonal_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.m = detail::c_of(m); return to_; }
};
struct ball_opts {
    KILN_OPTION((::kiln::array), p, {}) /* of the norm */
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_random_ball_opts c() const {
        kn_random_ball_opts to_ = {}; to_.size_ = sizeof to_; to_.p = detail::c_of(p); to_.dtype = detail::c_of(dtype);
        return to_; }
};
/* jax.random.key: a key for random numbers, made of an integer: the same integer, the same numbers, everywhere. An
 * array () of dtype key<fry>; ValueError for an impl that is not there */
inline array key(const ::kiln::operand &seed, const ::kiln::random::key_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_random_key_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_key(seed_h, &opts_c))); }
using PRNGKey_opts = ::kiln::random::key_opts;
/* jax.random.PRNGKey: a key of the old form, an array uint32[2], made of an integer; what is made of such keys has
 * that form, too */
inline array PRNGKey(const ::kiln::operand &seed, const ::kiln::random::key_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_random_key_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_PRNGKey(seed_h, &opts_c))); }
/* jax.random.key_dtype: the dtype of keys of an implementation, key<fry>; NULL: the default one */
inline ::kiln::dtype key_dtype(const ::kiln::text &impl, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_random_key_dtype(impl.c())); }
/* jax.random.clone: the same keys: for the reader, who sees that a key is used twice on purpose */
inline array clone(const ::kiln::operand &keys, place where = here())
{ detail::call c_(where); kn_array keys_h = keys.c(); c_.here(); return array::share(c_.take(kn_random_clone(keys_h)));
    }
/* jax.random.split: new keys of one, which should not be used again: `num` of them (2), or an array of keys of a
 * shape. Numbers of different keys are independent */
inline array split(const ::kiln::operand &key, const ::kiln::random::split_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_split_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_split(key_h, &opts_c))); }
/* jax.random.fold_in: a new key of a key and an integer of 32 bits (a step, a worker, a layer); the same two, the
 * same key */
inline array fold_in(const ::kiln::operand &key, const ::kiln::operand &data, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array data_h = data.c(); c_.here(); return
    array::share(c_.take(kn_random_fold_in(key_h, data_h))); }
/* jax.random.key_data: the words that keys are made of: uint32, of the keys' shape and a last axis of 2; to write
 * them to a file */
inline array key_data(const ::kiln::operand &keys, place where = here())
{ detail::call c_(where); kn_array keys_h = keys.c(); c_.here(); return
    array::share(c_.take(kn_random_key_data(keys_h))); }
using wrap_key_data_opts = ::kiln::random::key_opts;
/* jax.random.wrap_key_data: keys made of their words, uint32[..., 2]: the reverse of kn_random_key_data, and the way
 * from keys of kn_random_PRNGKey */
inline array wrap_key_data(const ::kiln::operand &data, const ::kiln::random::key_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_random_key_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_wrap_key_data(data_h, &opts_c))); }
/* jax.random.bits: random bits: unsigned integers, uint32 (also where JAX, with x64, takes uint64) unless a dtype of
 * 8 to 64 bits is given, each value as likely as the others */
inline array bits(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::bits_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_bits_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_bits(key_h, &shape, &opts_c))); }
/* jax.random.uniform: floats in [minval, maxval), each as likely as the others; bounds broadcast to the shape */
inline array uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::uniform_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_uniform_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_uniform(key_h, &shape, &opts_c))); }
/* jax.random.normal: normal numbers of mean 0 and variance 1; with a complex dtype both parts have variance 1/2 */
inline array normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::normal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_normal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_normal(key_h, &shape, &opts_c))); }
/* jax.random.permutation: x shuffled along an axis (0), slices as they are; with .independent each row its own way.
 * An integer x stands for 0 .. x-1 */
inline array permutation(const ::kiln::operand &key, const ::kiln::operand &x, const ::kiln::random::permutation_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array x_h = x.c(); kn_random_permutation_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_permutation(key_h, x_h, &opts_c))); }
using truncated_normal_opts = ::kiln::random::dtype_opts;
/* jax.random.truncated_normal: standard normal numbers in (lower, upper): those outside are never drawn, not clipped */
inline array truncated_normal(const ::kiln::operand &key, const ::kiln::operand &lower, const ::kiln::operand &upper,
    const ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array lower_h = lower.c(); kn_array upper_h = upper.c();
    kn_random_dtype_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_truncated_normal(key_h,
    lower_h, upper_h, &shape, &opts_c))); }
using cauchy_opts = ::kiln::random::dtype_opts;
/* jax.random.cauchy: numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that they have no mean */
inline array cauchy(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_cauchy(key_h, &shape, &opts_c))); }
using exponential_opts = ::kiln::random::dtype_opts;
/* jax.random.exponential: numbers of the exponential distribution, mean 1: density e^-x for x >= 0. Divide by a
 * rate, or multiply with a mean */
inline array exponential(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_exponential(key_h, &shape, &opts_c))); }
using laplace_opts = ::kiln::random::dtype_opts;
/* jax.random.laplace: numbers of the Laplace distribution, mean 0, scale 1: density e^-|x| / 2 */
inline array laplace(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_laplace(key_h, &shape, &opts_c))); }
using logistic_opts = ::kiln::random::dtype_opts;
/* jax.random.logistic: numbers of the logistic distribution, mean 0, scale 1: the sigmoid of one is uniform in (0,
 * 1) */
inline array logistic(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_logistic(key_h, &shape, &opts_c))); }
using maxwell_opts = ::kiln::random::dtype_opts;
/* jax.random.maxwell: numbers of the Maxwell distribution: the length of a vector of three standard normal numbers */
inline array maxwell(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_maxwell(key_h, &shape, &opts_c))); }
/* jax.random.gumbel: numbers of the Gumbel distribution, scale 1, median -log(log 2): added to logits, the largest
 * is a sample of their categories. Modes "high" and "highest" draw more bits for the tail */
inline array gumbel(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::gumbel_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_gumbel_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_gumbel(key_h, &shape, &opts_c))); }
using pareto_opts = ::kiln::random::dtype_opts;
/* jax.random.pareto: numbers of the Pareto distribution of shape b, scale 1: density b / x^(b + 1) for x >= 1 */
inline array pareto(const ::kiln::operand &key, const ::kiln::operand &b, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array b_h = b.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_pareto(key_h, b_h, &shape, &opts_c))); }
using rayleigh_opts = ::kiln::random::dtype_opts;
/* jax.random.rayleigh: numbers of the Rayleigh distribution: the length of a vector of two normal numbers of
 * standard deviation scale */
inline array rayleigh(const ::kiln::operand &key, const ::kiln::operand &scale, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array scale_h = scale.c(); kn_random_dtype_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_rayleigh(key_h, scale_h, &shape, &opts_c))); }
using wald_opts = ::kiln::random::dtype_opts;
/* jax.random.wald: numbers of the Wald (inverse normal) distribution of a mean, scale 1 */
inline array wald(const ::kiln::operand &key, const ::kiln::operand &mean, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array mean_h = mean.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_wald(key_h, mean_h, &shape, &opts_c))); }
using lognormal_opts = ::kiln::random::dtype_opts;
/* jax.random.lognormal: e to the power of normal numbers times sigma; complex dtypes too */
inline array lognormal(const ::kiln::operand &key, const ::kiln::operand &sigma, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array sigma_h = sigma.c(); kn_random_dtype_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_lognormal(key_h, sigma_h, &shape, &opts_c))); }
using weibull_min_opts = ::kiln::random::dtype_opts;
/* jax.random.weibull_min: numbers of the Weibull distribution: density proportional to x^(concentration-1)
 * exp(-x^concentration), times scale. The shape is that of the uniform numbers behind it, () if none is given */
inline array weibull_min(const ::kiln::operand &key, const ::kiln::operand &scale, const ::kiln::operand &concentration,
    const ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array scale_h = scale.c(); kn_array
    concentration_h = concentration.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_weibull_min(key_h, scale_h, concentration_h, &shape, &opts_c))); }
using double_sided_maxwell_opts = ::kiln::random::dtype_opts;
/* jax.random.double_sided_maxwell: loc + scale times Maxwell numbers of both signs; the result has the shape, then
 * the parameters' one (without a shape that twice, as in JAX) */
inline array double_sided_maxwell(const ::kiln::operand &key, const ::kiln::operand &loc, const ::kiln::operand &scale,
    const ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array loc_h = loc.c(); kn_array scale_h = scale.c();
    kn_random_dtype_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_double_sided_maxwell(key_h,
    loc_h, scale_h, &shape, &opts_c))); }
using triangular_opts = ::kiln::random::dtype_opts;
/* jax.random.triangular: numbers between left and right, whose density is a triangle with its top at mode */
inline array triangular(const ::kiln::operand &key, const ::kiln::operand &left, const ::kiln::operand &mode, const
    ::kiln::operand &right, const ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array left_h = left.c(); kn_array mode_h = mode.c(); kn_array
    right_h = right.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_triangular(key_h, left_h, mode_h, right_h, &shape, &opts_c))); }
using gamma_opts = ::kiln::random::dtype_opts;
/* jax.random.gamma: numbers of the gamma distribution of shape a, scale 1: density proportional to x^(a-1) e^-x,
 * mean a. Differentiable by a */
inline array gamma(const ::kiln::operand &key, const ::kiln::operand &a, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array a_h = a.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_gamma(key_h, a_h, &shape, &opts_c))); }
using loggamma_opts = ::kiln::random::dtype_opts;
/* jax.random.loggamma: the logarithms of numbers of the gamma distribution, exact for small a, where kn_random_gamma
 * gives 0 */
inline array loggamma(const ::kiln::operand &key, const ::kiln::operand &a, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array a_h = a.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_loggamma(key_h, a_h, &shape, &opts_c))); }
using beta_opts = ::kiln::random::dtype_opts;
/* jax.random.beta: numbers in (0, 1) of the beta distribution: density proportional to x^(a-1) (1-x)^(b-1), mean a /
 * (a + b) */
inline array beta(const ::kiln::operand &key, const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::shape
    &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_random_dtype_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_beta(key_h, a_h, b_h, &shape, &opts_c))); }
using dirichlet_opts = ::kiln::random::dtype_opts;
/* jax.random.dirichlet: vectors of numbers in (0, 1) that add to 1, of the Dirichlet distribution: probabilities of
 * categories. alpha's last axis is theirs, the shape is without it */
inline array dirichlet(const ::kiln::operand &key, const ::kiln::operand &alpha, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array alpha_h = alpha.c(); kn_random_dtype_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_dirichlet(key_h, alpha_h, &shape, &opts_c))); }
using chisquare_opts = ::kiln::random::dtype_opts;
/* jax.random.chisquare: numbers of the chi-square distribution: the sum of squares of df standard normal numbers,
 * mean df */
inline array chisquare(const ::kiln::operand &key, const ::kiln::operand &df, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array df_h = df.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_chisquare(key_h, df_h, &shape, &opts_c))); }
using f_opts = ::kiln::random::dtype_opts;
/* jax.random.f: numbers of the F distribution: the ratio of two chi-square numbers, each divided by its degrees of
 * freedom */
inline array f(const ::kiln::operand &key, const ::kiln::operand &dfnum, const ::kiln::operand &dfden, const
    ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array dfnum_h = dfnum.c(); kn_array dfden_h = dfden.c();
    kn_random_dtype_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_f(key_h, dfnum_h, dfden_h,
    &shape, &opts_c))); }
using t_opts = ::kiln::random::dtype_opts;
/* jax.random.t: numbers of Student's t distribution of df degrees of freedom: heavier tails than normal ones, the
 * fewer df */
inline array t(const ::kiln::operand &key, const ::kiln::operand &df, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array df_h = df.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_t(key_h, df_h, &shape, &opts_c))); }
using generalized_normal_opts = ::kiln::random::dtype_opts;
/* jax.random.generalized_normal: numbers of a density proportional to exp(-|x|^p): p = 1 is Laplace, 2 normal (of
 * variance 1/2), large p nearly uniform in (-1, 1) */
inline array generalized_normal(const ::kiln::operand &key, const ::kiln::operand &p, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array p_h = p.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_generalized_normal(key_h, p_h, &shape, &opts_c))); }
/* jax.random.ball: points of d coordinates, uniform in the unit ball of the norm p (2); the result has the shape and
 * a last axis of d */
inline array ball(const ::kiln::operand &key, int64_t d, const ::kiln::shape &shape, const ::kiln::random::ball_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_ball_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_ball(key_h, d, &shape, &opts_c))); }
/* jax.random.multivariate_normal: vectors of normal numbers of a mean[..., n] and a covariance[..., n, n]; the shape
 * is without the last axis. NotImplementedError for other methods than cholesky */
inline array multivariate_normal(const ::kiln::operand &key, const ::kiln::operand &mean, const ::kiln::operand &cov,
    const ::kiln::shape &shape, const ::kiln::random::multivariate_normal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array mean_h = mean.c(); kn_array cov_h = cov.c();
    kn_random_multivariate_normal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_multivariate_normal(key_h, mean_h, cov_h, &shape, &opts_c))); }
/* jax.random.orthogonal: matrices[n, m] (m is n unless it is given) whose rows or columns, the fewer of them, are
 * orthonormal, each as likely as the others */
inline array orthogonal(const ::kiln::operand &key, int64_t n, const ::kiln::shape &shape, const
    ::kiln::random::orthogonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_orthogonal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_orthogonal(key_h, n, &shape, &opts_c))); }
/* jax.random.bernoulli: truth values, true with probability p (a float, or an array of floats): bool */
inline array bernoulli(const ::kiln::operand &key, const ::kiln::operand &p, const ::kiln::shape &shape, const
    ::kiln::random::bernoulli_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array p_h = p.c(); kn_random_bernoulli_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_bernoulli(key_h, p_h, &shape, &opts_c))); }
using rademacher_opts = ::kiln::random::dtype_opts;
/* jax.random.rademacher: -1 or 1, one as likely as the other: int64 unless another number dtype is given */
inline array rademacher(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::random::dtype_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_random_dtype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_random_rademacher(key_h, &shape, &opts_c))); }
using randint_opts = ::kiln::random::dtype_opts;
/* jax.random.randint: integers in [minval, maxval), each as likely as the others; minval if that is empty. Bounds
 * broadcast to the shape */
inline array randint(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::operand &minval, const
    ::kiln::operand &maxval, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array minval_h = minval.c(); kn_array maxval_h = maxval.c();
    kn_random_dtype_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_randint(key_h, &shape,
    minval_h, maxval_h, &opts_c))); }
using geometric_opts = ::kiln::random::dtype_opts;
/* jax.random.geometric: how many trials of probability p it takes until one succeeds: integers from 1 on, mean 1 / p */
inline array geometric(const ::kiln::operand &key, const ::kiln::operand &p, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array p_h = p.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_geometric(key_h, p_h, &shape, &opts_c))); }
using poisson_opts = ::kiln::random::dtype_opts;
/* jax.random.poisson: how many events happen where lam are expected: integers, mean lam; the rate is rounded to
 * float32 as in JAX */
inline array poisson(const ::kiln::operand &key, const ::kiln::operand &lam, const ::kiln::shape &shape, const
    ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array lam_h = lam.c(); kn_random_dtype_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_poisson(key_h, lam_h, &shape, &opts_c))); }
using binomial_opts = ::kiln::random::dtype_opts;
/* jax.random.binomial: how many of n trials of probability p succeed: whole numbers, as floats */
inline array binomial(const ::kiln::operand &key, const ::kiln::operand &n, const ::kiln::operand &p, const
    ::kiln::shape &shape, const ::kiln::random::dtype_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array n_h = n.c(); kn_array p_h = p.c(); kn_random_dtype_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_binomial(key_h, n_h, p_h, &shape, &opts_c))); }
/* jax.random.multinomial: how many of n trials fall into each category, whose probabilities are p's last axis: whole
 * numbers, as floats, that add to n */
inline array multinomial(const ::kiln::operand &key, const ::kiln::operand &n, const ::kiln::operand &p, const
    ::kiln::random::multinomial_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array n_h = n.c(); kn_array p_h = p.c();
    kn_random_multinomial_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_multinomial(key_h,
    n_h, p_h, &opts_c))); }
/* jax.random.categorical: positions along an axis of logits (the last one), with probabilities proportional to
 * exp(logits): int64. -INFINITY is never drawn; without .replace none is drawn twice */
inline array categorical(const ::kiln::operand &key, const ::kiln::operand &logits, const
    ::kiln::random::categorical_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array logits_h = logits.c(); kn_random_categorical_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_random_categorical(key_h, logits_h, &opts_c))); }
/* jax.random.choice: elements of a drawn at random, or slices along an axis (0), or of 0 .. a-1 for an integer a;
 * with .p of these probabilities, without .replace none twice (ValueError for more than there are) */
inline array choice(const ::kiln::operand &key, const ::kiln::operand &a, const ::kiln::shape &shape, const
    ::kiln::random::choice_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array a_h = a.c(); kn_random_choice_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_random_choice(key_h, a_h, &shape, &opts_c))); }
} // namespace random
} // namespace kiln
#endif
