/* SPDX-License-Identifier: Apache-2.0
 * kiln/random.h -- random numbers from keys, as jax.random: the same numbers for the same key (threefry2x32, its
 * default settings).
 *
 * A key is an array of dtype key<fry>; it goes into jit, vmap and scan like any other. Every function takes a single
 * key (batches through kn_vmap), or one in the old form of kn_random_PRNGKey. Use a key once: then split it, or fold
 * a number into it. ValueError for several keys, for dtypes that a function does not have. */
/* Made by scripts/make-api.py from api/random.api. */
/* clang-format off */
#ifndef KILN_RANDOM_H
#define KILN_RANDOM_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. An array that is NULL, or a dtype that is NULL, is not given. */
typedef struct kn_random_split_opts {
    size_t size_;
    int64_t num;    /* 2 */
    kn_shape shape; /* of an array of keys; wins over num */
} kn_random_split_opts;
KN_API kn_random_split_opts kn_random_split_opts_default(void);
typedef struct kn_random_bits_opts { size_t size_; kn_dtype dtype; } kn_random_bits_opts; /* uint32 */
KN_API kn_random_bits_opts kn_random_bits_opts_default(void);
typedef struct kn_random_uniform_opts {
    size_t size_;
    kn_dtype dtype;
    kn_array minval; /* NULL, 0 */
    kn_array maxval; /* NULL, 1 */
} kn_random_uniform_opts;
KN_API kn_random_uniform_opts kn_random_uniform_opts_default(void);
typedef struct kn_random_normal_opts { size_t size_; kn_dtype dtype; } kn_random_normal_opts;
KN_API kn_random_normal_opts kn_random_normal_opts_default(void);
typedef struct kn_random_permutation_opts {
    size_t size_;
    kn_axes axis;     /* not given, 0 */
    bool independent; /* each row its own way */
} kn_random_permutation_opts;
KN_API kn_random_permutation_opts kn_random_permutation_opts_default(void);
typedef struct kn_random_key_opts { size_t size_; const char *impl; } kn_random_key_opts; /* "threefry2x32" */
KN_API kn_random_key_opts kn_random_key_opts_default(void);
typedef struct kn_random_dtype_opts {
    size_t size_;
    kn_dtype dtype; /* float64 (the default float), or int64 for integers */
} kn_random_dtype_opts;
KN_API kn_random_dtype_opts kn_random_dtype_opts_default(void);
typedef struct kn_random_gumbel_opts {
    size_t size_;
    kn_dtype dtype;
    const char *mode; /* NULL, "low"; or "high", "highest": "high" and "highest" draw more bits for the tail */
} kn_random_gumbel_opts;
KN_API kn_random_gumbel_opts kn_random_gumbel_opts_default(void);
typedef struct kn_random_bernoulli_opts {
    size_t size_;
    const char *mode; /* "low"; or "high" */
} kn_random_bernoulli_opts;
KN_API kn_random_bernoulli_opts kn_random_bernoulli_opts_default(void);
typedef struct kn_random_categorical_opts {
    size_t size_;
    kn_axes axis;     /* not given, -1: the categories */
    kn_shape shape;   /* begins with axes of its own, ends with the other axes of the logits (default: these) */
    bool replace;     /* true */
    const char *mode; /* NULL, "low"; or "high", "highest": as in kn_random_gumbel_opts */
} kn_random_categorical_opts;
KN_API kn_random_categorical_opts kn_random_categorical_opts_default(void);
typedef struct kn_random_choice_opts {
    size_t size_;
    kn_axes axis;     /* not given, 0 */
    bool replace;     /* true */
    kn_array p;       /* NULL, equal ones: the probability of each element */
    const char *mode; /* NULL, "low"; or "high", "highest": as in kn_random_gumbel_opts */
} kn_random_choice_opts;
KN_API kn_random_choice_opts kn_random_choice_opts_default(void);
typedef struct kn_random_multivariate_normal_opts {
    size_t size_;
    kn_dtype dtype;
    const char *method; /* "cholesky": the others, eigh and svd, are a NotImplementedError */
} kn_random_multivariate_normal_opts;
KN_API kn_random_multivariate_normal_opts kn_random_multivariate_normal_opts_default(void);
typedef struct kn_random_multinomial_opts {
    size_t size_;
    kn_shape shape; /* that of p */
    kn_dtype dtype;
} kn_random_multinomial_opts;
KN_API kn_random_multinomial_opts kn_random_multinomial_opts_default(void);
typedef struct kn_random_orthogonal_opts {
    size_t size_;
    kn_dtype dtype;
    int64_t m;      /* -1: columns (as n) */
} kn_random_orthogonal_opts;
KN_API kn_random_orthogonal_opts kn_random_orthogonal_opts_default(void);
typedef struct kn_random_ball_opts {
    size_t size_;
    kn_array p;     /* NULL, 2: of the norm */
    kn_dtype dtype;
} kn_random_ball_opts;
KN_API kn_random_ball_opts kn_random_ball_opts_default(void);

/* ---- Keys. */
/* jax.random.key: a key for random numbers, made of an integer: the same integer, the same numbers, everywhere. An
 * array () of dtype key<fry>; ValueError for an impl that is not there */
KN_API kn_array kn_random_key(kn_array seed, const kn_random_key_opts *opts);
/* jax.random.PRNGKey: a key of the old form, an array uint32[2], made of an integer; what is made of such keys has
 * that form, too */
KN_API kn_array kn_random_PRNGKey(kn_array seed, const kn_random_key_opts *opts);
/* jax.random.key_dtype: the dtype of keys of an implementation, key<fry>; NULL: the default one */
KN_API kn_dtype kn_random_key_dtype(const char *impl);
/* jax.random.clone: the same keys: for the reader, who sees that a key is used twice on purpose */
KN_API kn_array kn_random_clone(kn_array keys);
/* jax.random.split: new keys of one, which should not be used again: `num` of them (2), or an array of keys of a
 * shape. Numbers of different keys are independent */
KN_API kn_array kn_random_split(kn_array key, const kn_random_split_opts *opts);
/* jax.random.fold_in: a new key of a key and an integer of 32 bits (a step, a worker, a layer); the same two, the
 * same key */
KN_API kn_array kn_random_fold_in(kn_array key, kn_array data);
/* jax.random.key_data: the words that keys are made of: uint32, of the keys' shape and a last axis of 2; to write
 * them to a file */
KN_API kn_array kn_random_key_data(kn_array keys);
/* jax.random.wrap_key_data: keys made of their words, uint32[..., 2]: the reverse of kn_random_key_data, and the way
 * from keys of kn_random_PRNGKey */
KN_API kn_array kn_random_wrap_key_data(kn_array data, const kn_random_key_opts *opts);

/* ---- Numbers. The dtype is the context's default float (float64) unless it is given. */
/* jax.random.bits: random bits: unsigned integers, uint32 (also where JAX, with x64, takes uint64) unless a dtype of
 * 8 to 64 bits is given, each value as likely as the others */
KN_API kn_array kn_random_bits(kn_array key, const kn_shape *shape, const kn_random_bits_opts *opts);
/* jax.random.uniform: floats in [minval, maxval), each as likely as the others; bounds broadcast to the shape */
KN_API kn_array kn_random_uniform(kn_array key, const kn_shape *shape, const kn_random_uniform_opts *opts);
/* jax.random.normal: normal numbers of mean 0 and variance 1; with a complex dtype both parts have variance 1/2 */
KN_API kn_array kn_random_normal(kn_array key, const kn_shape *shape, const kn_random_normal_opts *opts);
/* jax.random.permutation: x shuffled along an axis (0), slices as they are; with .independent each row its own way.
 * An integer x stands for 0 .. x-1 */
KN_API kn_array kn_random_permutation(kn_array key, kn_array x, const kn_random_permutation_opts *opts);

/* ---- Distributions. Parameters are numbers or arrays that broadcast to the shape; the shape NULL (in macros
 * KN_SHAPE_NONE) is the one that the parameters broadcast to, or () if there are none. ValueError for dtypes that
 * the distribution does not have, and for parameters that do not fit the shape. */
#define KN_SHAPE_NONE ((kn_shape){.ndim = -1})
/* jax.random.truncated_normal: standard normal numbers in (lower, upper): those outside are never drawn, not clipped */
KN_API kn_array kn_random_truncated_normal(kn_array key, kn_array lower, kn_array upper, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.cauchy: numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that they have no mean */
KN_API kn_array kn_random_cauchy(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.exponential: numbers of the exponential distribution, mean 1: density e^-x for x >= 0. Divide by a
 * rate, or multiply with a mean */
KN_API kn_array kn_random_exponential(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.laplace: numbers of the Laplace distribution, mean 0, scale 1: density e^-|x| / 2 */
KN_API kn_array kn_random_laplace(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.logistic: numbers of the logistic distribution, mean 0, scale 1: the sigmoid of one is uniform in (0,
 * 1) */
KN_API kn_array kn_random_logistic(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.maxwell: numbers of the Maxwell distribution: the length of a vector of three standard normal numbers */
KN_API kn_array kn_random_maxwell(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.gumbel: numbers of the Gumbel distribution, scale 1, median -log(log 2): added to logits, the largest
 * is a sample of their categories. Modes "high" and "highest" draw more bits for the tail */
KN_API kn_array kn_random_gumbel(kn_array key, const kn_shape *shape, const kn_random_gumbel_opts *opts);
/* jax.random.pareto: numbers of the Pareto distribution of shape b, scale 1: density b / x^(b + 1) for x >= 1 */
KN_API kn_array kn_random_pareto(kn_array key, kn_array b, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.rayleigh: numbers of the Rayleigh distribution: the length of a vector of two normal numbers of
 * standard deviation scale */
KN_API kn_array kn_random_rayleigh(kn_array key, kn_array scale, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.wald: numbers of the Wald (inverse normal) distribution of a mean, scale 1 */
KN_API kn_array kn_random_wald(kn_array key, kn_array mean, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.lognormal: e to the power of normal numbers times sigma; complex dtypes too */
KN_API kn_array kn_random_lognormal(kn_array key, kn_array sigma, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.weibull_min: numbers of the Weibull distribution: density proportional to x^(concentration-1)
 * exp(-x^concentration), times scale. The shape is that of the uniform numbers behind it, () if none is given */
KN_API kn_array kn_random_weibull_min(kn_array key, kn_array scale, kn_array concentration, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.double_sided_maxwell: loc + scale times Maxwell numbers of both signs; the result has the shape, then
 * the parameters' one (without a shape that twice, as in JAX) */
KN_API kn_array kn_random_double_sided_maxwell(kn_array key, kn_array loc, kn_array scale, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.triangular: numbers between left and right, whose density is a triangle with its top at mode */
KN_API kn_array kn_random_triangular(kn_array key, kn_array left, kn_array mode, kn_array right, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.gamma: numbers of the gamma distribution of shape a, scale 1: density proportional to x^(a-1) e^-x,
 * mean a. Differentiable by a */
KN_API kn_array kn_random_gamma(kn_array key, kn_array a, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.loggamma: the logarithms of numbers of the gamma distribution, exact for small a, where kn_random_gamma
 * gives 0 */
KN_API kn_array kn_random_loggamma(kn_array key, kn_array a, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.beta: numbers in (0, 1) of the beta distribution: density proportional to x^(a-1) (1-x)^(b-1), mean a /
 * (a + b) */
KN_API kn_array kn_random_beta(kn_array key, kn_array a, kn_array b, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.dirichlet: vectors of numbers in (0, 1) that add to 1, of the Dirichlet distribution: probabilities of
 * categories. alpha's last axis is theirs, the shape is without it */
KN_API kn_array kn_random_dirichlet(kn_array key, kn_array alpha, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.chisquare: numbers of the chi-square distribution: the sum of squares of df standard normal numbers,
 * mean df */
KN_API kn_array kn_random_chisquare(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.f: numbers of the F distribution: the ratio of two chi-square numbers, each divided by its degrees of
 * freedom */
KN_API kn_array kn_random_f(kn_array key, kn_array dfnum, kn_array dfden, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.t: numbers of Student's t distribution of df degrees of freedom: heavier tails than normal ones, the
 * fewer df */
KN_API kn_array kn_random_t(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.generalized_normal: numbers of a density proportional to exp(-|x|^p): p = 1 is Laplace, 2 normal (of
 * variance 1/2), large p nearly uniform in (-1, 1) */
KN_API kn_array kn_random_generalized_normal(kn_array key, kn_array p, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.ball: points of d coordinates, uniform in the unit ball of the norm p (2); the result has the shape and
 * a last axis of d */
KN_API kn_array kn_random_ball(kn_array key, int64_t d, const kn_shape *shape, const kn_random_ball_opts *opts);
/* jax.random.multivariate_normal: vectors of normal numbers of a mean[..., n] and a covariance[..., n, n]; the shape
 * is without the last axis. NotImplementedError for other methods than cholesky */
KN_API kn_array kn_random_multivariate_normal(kn_array key, kn_array mean, kn_array cov, const kn_shape *shape,
    const kn_random_multivariate_normal_opts *opts);
/* jax.random.orthogonal: matrices[n, m] (m is n unless it is given) whose rows or columns, the fewer of them, are
 * orthonormal, each as likely as the others */
KN_API kn_array kn_random_orthogonal(kn_array key, int64_t n, const kn_shape *shape,
    const kn_random_orthogonal_opts *opts);

/* ---- Distributions of truth values and integers. */
/* jax.random.bernoulli: truth values, true with probability p (a float, or an array of floats): bool */
KN_API kn_array kn_random_bernoulli(kn_array key, kn_array p, const kn_shape *shape,
    const kn_random_bernoulli_opts *opts);
/* jax.random.rademacher: -1 or 1, one as likely as the other: int64 unless another number dtype is given */
KN_API kn_array kn_random_rademacher(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.randint: integers in [minval, maxval), each as likely as the others; minval if that is empty. Bounds
 * broadcast to the shape */
KN_API kn_array kn_random_randint(kn_array key, const kn_shape *shape, kn_array minval, kn_array maxval,
    const kn_random_dtype_opts *opts);
/* jax.random.geometric: how many trials of probability p it takes until one succeeds: integers from 1 on, mean 1 / p */
KN_API kn_array kn_random_geometric(kn_array key, kn_array p, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.poisson: how many events happen where lam are expected: integers, mean lam; the rate is rounded to
 * float32 as in JAX */
KN_API kn_array kn_random_poisson(kn_array key, kn_array lam, const kn_shape *shape, const kn_random_dtype_opts *opts);
/* jax.random.binomial: how many of n trials of probability p succeed: whole numbers, as floats */
KN_API kn_array kn_random_binomial(kn_array key, kn_array n, kn_array p, const kn_shape *shape,
    const kn_random_dtype_opts *opts);
/* jax.random.multinomial: how many of n trials fall into each category, whose probabilities are p's last axis: whole
 * numbers, as floats, that add to n */
KN_API kn_array kn_random_multinomial(kn_array key, kn_array n, kn_array p, const kn_random_multinomial_opts *opts);
/* jax.random.categorical: positions along an axis of logits (the last one), with probabilities proportional to
 * exp(logits): int64. -INFINITY is never drawn; without .replace none is drawn twice */
KN_API kn_array kn_random_categorical(kn_array key, kn_array logits, const kn_random_categorical_opts *opts);
/* jax.random.choice: elements of a drawn at random, or slices along an axis (0), or of 0 .. a-1 for an integer a;
 * with .p of these probabilities, without .replace none twice (ValueError for more than there are) */
KN_API kn_array kn_random_choice(kn_array key, kn_array a, const kn_shape *shape, const kn_random_choice_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_random_key(seed, ...) KN_F1O(kn_random_key, kn_random_key_opts, (), seed, __VA_ARGS__)
#define kn_random_PRNGKey(seed, ...) KN_F1O(kn_random_PRNGKey, kn_random_key_opts, (), seed, __VA_ARGS__)
#define kn_random_key_dtype(impl) KN_G1(kn_random_key_dtype, const char *, impl)
#define kn_random_clone(keys) KN_F1(kn_random_clone, keys)
#define kn_random_split(key, ...) KN_F1O(kn_random_split, kn_random_split_opts, (.num = 2, ), key, __VA_ARGS__)
#define kn_random_fold_in(key, data) KN_F2(kn_random_fold_in, key, data)
#define kn_random_key_data(keys) KN_F1(kn_random_key_data, keys)
#define kn_random_wrap_key_data(data, ...) KN_F1O(kn_random_wrap_key_data, kn_random_key_opts, (), data, __VA_ARGS__)
#define kn_random_bits(key, shape, ...)                                                                                \
    KN_P1O(kn_random_bits, kn_random_bits_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_uniform(key, shape, ...)                                                                             \
    KN_P1O(kn_random_uniform, kn_random_uniform_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_normal(key, shape, ...)                                                                              \
    KN_P1O(kn_random_normal, kn_random_normal_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_permutation(key, x, ...)                                                                             \
    KN_F2O(kn_random_permutation, kn_random_permutation_opts, (), key, x, __VA_ARGS__)
#define kn_random_truncated_normal(key, lower, upper, shape, ...)                                                      \
    KN_RANDOM_TRUNCATED_NORMAL_(__COUNTER__, key, lower, upper, shape, __VA_ARGS__)
#define KN_RANDOM_TRUNCATED_NORMAL_(c, key, lower, upper, shape, ...)                                                  \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(lower); kn_array                 \
    KN_V(3, c) = KN_LIKE(upper); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__)      \
    KN_HERE(); (kn_random_truncated_normal)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_cauchy(key, shape, ...)                                                                              \
    KN_P1O(kn_random_cauchy, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_exponential(key, shape, ...)                                                                         \
    KN_P1O(kn_random_exponential, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_laplace(key, shape, ...)                                                                             \
    KN_P1O(kn_random_laplace, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_logistic(key, shape, ...)                                                                            \
    KN_P1O(kn_random_logistic, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_maxwell(key, shape, ...)                                                                             \
    KN_P1O(kn_random_maxwell, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_gumbel(key, shape, ...)                                                                              \
    KN_P1O(kn_random_gumbel, kn_random_gumbel_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_pareto(key, b, shape, ...) KN_RANDOM_PARETO_(__COUNTER__, key, b, shape, __VA_ARGS__)
#define KN_RANDOM_PARETO_(c, key, b, shape, ...)                                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(b);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_pareto)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_rayleigh(key, scale, shape, ...) KN_RANDOM_RAYLEIGH_(__COUNTER__, key, scale, shape, __VA_ARGS__)
#define KN_RANDOM_RAYLEIGH_(c, key, scale, shape, ...)                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(scale);                          \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_rayleigh)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_wald(key, mean, shape, ...) KN_RANDOM_WALD_(__COUNTER__, key, mean, shape, __VA_ARGS__)
#define KN_RANDOM_WALD_(c, key, mean, shape, ...)                                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(mean);                           \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_wald)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_lognormal(key, sigma, shape, ...) KN_RANDOM_LOGNORMAL_(__COUNTER__, key, sigma, shape, __VA_ARGS__)
#define KN_RANDOM_LOGNORMAL_(c, key, sigma, shape, ...)                                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(sigma);                          \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_lognormal)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_weibull_min(key, scale, concentration, shape, ...)                                                   \
    KN_RANDOM_WEIBULL_MIN_(__COUNTER__, key, scale, concentration, shape, __VA_ARGS__)
#define KN_RANDOM_WEIBULL_MIN_(c, key, scale, concentration, shape, ...)                                               \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(scale); kn_array                 \
    KN_V(3, c) = KN_LIKE(concentration); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (),           \
    __VA_ARGS__) KN_HERE(); (kn_random_weibull_min)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_double_sided_maxwell(key, loc, scale, shape, ...)                                                    \
    KN_RANDOM_DOUBLE_SIDED_MAXWELL_(__COUNTER__, key, loc, scale, shape, __VA_ARGS__)
#define KN_RANDOM_DOUBLE_SIDED_MAXWELL_(c, key, loc, scale, shape, ...)                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(loc); kn_array                   \
    KN_V(3, c) = KN_LIKE(scale); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__)      \
    KN_HERE(); (kn_random_double_sided_maxwell)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_triangular(key, left, mode, right, shape, ...)                                                       \
    KN_RANDOM_TRIANGULAR_(__COUNTER__, key, left, mode, right, shape, __VA_ARGS__)
#define KN_RANDOM_TRIANGULAR_(c, key, left, mode, right, shape, ...)                                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(left); kn_array                  \
    KN_V(3, c) = KN_LIKE(mode); kn_array KN_V(4, c) = KN_LIKE(right); KN_TAKE(kn_shape, 5, c, shape) KN_OPTS(c,        \
    kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_triangular)(KN_V(1, c), KN_V(2, c), KN_V(3, c),       \
    KN_V(4, c), &KN_V(5, c), KN_V(opt, c)); })
#define kn_random_gamma(key, a, shape, ...) KN_RANDOM_GAMMA_(__COUNTER__, key, a, shape, __VA_ARGS__)
#define KN_RANDOM_GAMMA_(c, key, a, shape, ...)                                                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(a);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_gamma)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_loggamma(key, a, shape, ...) KN_RANDOM_LOGGAMMA_(__COUNTER__, key, a, shape, __VA_ARGS__)
#define KN_RANDOM_LOGGAMMA_(c, key, a, shape, ...)                                                                     \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(a);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_loggamma)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_beta(key, a, b, shape, ...) KN_RANDOM_BETA_(__COUNTER__, key, a, b, shape, __VA_ARGS__)
#define KN_RANDOM_BETA_(c, key, a, b, shape, ...)                                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(a); kn_array                     \
    KN_V(3, c) = KN_LIKE(b); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__)          \
    KN_HERE(); (kn_random_beta)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_dirichlet(key, alpha, shape, ...) KN_RANDOM_DIRICHLET_(__COUNTER__, key, alpha, shape, __VA_ARGS__)
#define KN_RANDOM_DIRICHLET_(c, key, alpha, shape, ...)                                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(alpha);                          \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_dirichlet)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_chisquare(key, df, shape, ...) KN_RANDOM_CHISQUARE_(__COUNTER__, key, df, shape, __VA_ARGS__)
#define KN_RANDOM_CHISQUARE_(c, key, df, shape, ...)                                                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(df);                             \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_chisquare)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_f(key, dfnum, dfden, shape, ...) KN_RANDOM_F_(__COUNTER__, key, dfnum, dfden, shape, __VA_ARGS__)
#define KN_RANDOM_F_(c, key, dfnum, dfden, shape, ...)                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(dfnum); kn_array                 \
    KN_V(3, c) = KN_LIKE(dfden); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__)      \
    KN_HERE(); (kn_random_f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_t(key, df, shape, ...) KN_RANDOM_T_(__COUNTER__, key, df, shape, __VA_ARGS__)
#define KN_RANDOM_T_(c, key, df, shape, ...)                                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(df);                             \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_t)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_generalized_normal(key, p, shape, ...)                                                               \
    KN_RANDOM_GENERALIZED_NORMAL_(__COUNTER__, key, p, shape, __VA_ARGS__)
#define KN_RANDOM_GENERALIZED_NORMAL_(c, key, p, shape, ...)                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(p);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_generalized_normal)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_ball(key, d, shape, ...) KN_RANDOM_BALL_(__COUNTER__, key, d, shape, __VA_ARGS__)
#define KN_RANDOM_BALL_(c, key, d, shape, ...)                                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); KN_TAKE(int64_t, 2, c, d) KN_TAKE(kn_shape, 3, c, shape)       \
    KN_OPTS(c, kn_random_ball_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_ball)(KN_V(1, c), KN_V(2, c), &KN_V(3, c),  \
    KN_V(opt, c)); })
#define kn_random_multivariate_normal(key, mean, cov, shape, ...)                                                      \
    KN_RANDOM_MULTIVARIATE_NORMAL_(__COUNTER__, key, mean, cov, shape, __VA_ARGS__)
#define KN_RANDOM_MULTIVARIATE_NORMAL_(c, key, mean, cov, shape, ...)                                                  \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(mean); kn_array                  \
    KN_V(3, c) = KN_LIKE(cov); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_multivariate_normal_opts,           \
    (.method = "cholesky", ), __VA_ARGS__) KN_HERE(); (kn_random_multivariate_normal)(KN_V(1, c), KN_V(2, c),          \
    KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_orthogonal(key, n, shape, ...) KN_RANDOM_ORTHOGONAL_(__COUNTER__, key, n, shape, __VA_ARGS__)
#define KN_RANDOM_ORTHOGONAL_(c, key, n, shape, ...)                                                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); KN_TAKE(int64_t, 2, c, n) KN_TAKE(kn_shape, 3, c, shape)       \
    KN_OPTS(c, kn_random_orthogonal_opts, (.m = -1, ), __VA_ARGS__) KN_HERE(); (kn_random_orthogonal)(KN_V(1, c),      \
    KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_bernoulli(key, p, shape, ...) KN_RANDOM_BERNOULLI_(__COUNTER__, key, p, shape, __VA_ARGS__)
#define KN_RANDOM_BERNOULLI_(c, key, p, shape, ...)                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(p);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_bernoulli_opts, (.mode = "low", ), __VA_ARGS__) KN_HERE();     \
    (kn_random_bernoulli)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_rademacher(key, shape, ...)                                                                          \
    KN_P1O(kn_random_rademacher, kn_random_dtype_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_random_randint(key, shape, minval, maxval, ...)                                                             \
    KN_RANDOM_RANDINT_(__COUNTER__, key, shape, minval, maxval, __VA_ARGS__)
#define KN_RANDOM_RANDINT_(c, key, shape, minval, maxval, ...)                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); KN_TAKE(kn_shape, 2, c, shape) kn_array                        \
    KN_V(3, c) = KN_LIKE(minval); kn_array KN_V(4, c) = KN_LIKE(maxval); KN_OPTS(c, kn_random_dtype_opts, (),          \
    __VA_ARGS__) KN_HERE(); (kn_random_randint)(KN_V(1, c), &KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_random_geometric(key, p, shape, ...) KN_RANDOM_GEOMETRIC_(__COUNTER__, key, p, shape, __VA_ARGS__)
#define KN_RANDOM_GEOMETRIC_(c, key, p, shape, ...)                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(p);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_geometric)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_poisson(key, lam, shape, ...) KN_RANDOM_POISSON_(__COUNTER__, key, lam, shape, __VA_ARGS__)
#define KN_RANDOM_POISSON_(c, key, lam, shape, ...)                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(lam);                            \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__) KN_HERE();                        \
    (kn_random_poisson)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_binomial(key, n, p, shape, ...) KN_RANDOM_BINOMIAL_(__COUNTER__, key, n, p, shape, __VA_ARGS__)
#define KN_RANDOM_BINOMIAL_(c, key, n, p, shape, ...)                                                                  \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(n); kn_array                     \
    KN_V(3, c) = KN_LIKE(p); KN_TAKE(kn_shape, 4, c, shape) KN_OPTS(c, kn_random_dtype_opts, (), __VA_ARGS__)          \
    KN_HERE(); (kn_random_binomial)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_multinomial(key, n, p, ...)                                                                          \
    KN_F3O(kn_random_multinomial, kn_random_multinomial_opts, (), key, n, p, __VA_ARGS__)
#define kn_random_categorical(key, logits, ...)                                                                        \
    KN_F2O(kn_random_categorical, kn_random_categorical_opts, (.replace = true, ), key, logits, __VA_ARGS__)
#define kn_random_choice(key, a, shape, ...) KN_RANDOM_CHOICE_(__COUNTER__, key, a, shape, __VA_ARGS__)
#define KN_RANDOM_CHOICE_(c, key, a, shape, ...)                                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(a);                              \
    KN_TAKE(kn_shape, 3, c, shape) KN_OPTS(c, kn_random_choice_opts, (.replace = true, ), __VA_ARGS__) KN_HERE();      \
    (kn_random_choice)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
