/* SPDX-License-Identifier: Apache-2.0
 * kiln/random_state.h -- numpy.random.RandomState: streams of NumPy before 1.17, for programs that depend on them.
 *
 * Its methods are those of generators (kiln/rng.h) with the names, options and errors that they had; a seed is an
 * integer below 2^32 or an array of such. */
/* Made by scripts/make-api.py from api/random_state.api. */
/* clang-format off */
#ifndef KILN_RANDOM_STATE_H
#define KILN_RANDOM_STATE_H
#include "kiln/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_random_state_opts {
    size_t size_;
    kn_bit_generator bit_generator; /* in the place of MT19937 */
} kn_random_state_opts;
KN_API kn_random_state_opts kn_random_state_opts_default(void);
typedef struct kn_random_state_randint_opts {
    size_t size_;
    kn_dtype dtype; /* NULL, int64: any integer dtype, or bool */
} kn_random_state_randint_opts;
KN_API kn_random_state_randint_opts kn_random_state_randint_opts_default(void);
typedef struct kn_random_state_choice_opts {
    size_t size_;
    bool replace; /* true */
    kn_array p;   /* NULL, equal ones */
} kn_random_state_choice_opts;
KN_API kn_random_state_choice_opts kn_random_state_choice_opts_default(void);
typedef struct kn_random_state_multivariate_normal_opts {
    size_t size_;
    const char *check_valid; /* NULL, "warn"; or "raise", "ignore" */
    double tol;              /* 1e-8 */
} kn_random_state_multivariate_normal_opts;
KN_API kn_random_state_multivariate_normal_opts kn_random_state_multivariate_normal_opts_default(void);
/* np.random.RandomState: a source of random numbers of NumPy before 1.17, of an integer below 2^32 or an array of
 * such: the same seed, the same stream. kn_default_rng is faster and better for what is new */
KN_API kn_random_state kn_RandomState(kn_array seed, const kn_random_state_opts *opts);
/* the source of np.random.seed, np.random.rand and their kin: each context has one, seeded by the operating system
 * at first. np.random.f(...) is kn_random_state_f(kn_random_state_default(), ...) */
KN_API kn_random_state kn_random_state_default(void);
/* seeds a source anew: its stream begins again. TypeError if it has another bit generator than MT19937; 0, or -1
 * with an error */
KN_API int kn_random_state_seed(kn_random_state state, kn_array seed);
/* the state of its bit generator, and the normal number made ahead: with kn_random_state_set_state the same numbers
 * come again */
KN_API kn_bit_generator_state kn_random_state_get_state(kn_random_state state);
/* the state of kn_random_state_get_state, from where the stream goes on. ValueError for the state of another bit
 * generator; 0, or -1 with an error */
KN_API int kn_random_state_set_state(kn_random_state state, const kn_bit_generator_state *saved);
/* the bit generator that it draws from, not a copy */
KN_API kn_bit_generator kn_random_state_bit_generator(kn_random_state state);
/* floats in [0, 1), each as likely as the others: float64 */
KN_API kn_array kn_random_state_random_sample(kn_random_state state, const kn_shape *size);
/* floats in [0, 1): another name of kn_random_state_random_sample */
KN_API kn_array kn_random_state_random(kn_random_state state, const kn_shape *size);
/* numbers of the exponential distribution of mean 1: -log(1 - u) of a uniform number */
KN_API kn_array kn_random_state_standard_exponential(kn_random_state state, const kn_shape *size);
/* normal numbers of mean 0 and variance 1, made in pairs: the second one waits for the next call */
KN_API kn_array kn_random_state_standard_normal(kn_random_state state, const kn_shape *size);
/* numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that they have no mean */
KN_API kn_array kn_random_state_standard_cauchy(kn_random_state state, const kn_shape *size);
/* floats in [0, 1) of a shape, the numbers of kn_random_state_random_sample; np.random.rand takes the extents one by
 * one */
KN_API kn_array kn_random_state_rand(kn_random_state state, const kn_shape *size);
/* normal numbers of mean 0 and variance 1, those of kn_random_state_standard_normal; np.random.randn takes the
 * extents one by one */
KN_API kn_array kn_random_state_randn(kn_random_state state, const kn_shape *size);
/* integers in [0, 2^63), each as likely as the others: int64 */
KN_API kn_array kn_random_state_tomaxint(kn_random_state state, const kn_shape *size);
/* integers in [low, high), each as likely as the others; bounds broadcast. int64 or another integer dtype;
 * ValueError if there are none */
KN_API kn_array kn_random_state_randint(kn_random_state state, kn_array low, kn_array high, const kn_shape *size,
    const kn_random_state_randint_opts *opts);
/* integers in [low, high], high included: int64. kn_random_state_randint with another end */
KN_API kn_array kn_random_state_random_integers(kn_random_state state, kn_array low, kn_array high,
    const kn_shape *size);
KN_API kn_array kn_random_state_bytes(kn_random_state state, int64_t length); /* random bytes, uint8[length] */
/* floats in [low, high), 0 and 1 unless they are given; bounds broadcast */
KN_API kn_array kn_random_state_uniform(kn_random_state state, const kn_shape *size, const kn_rng_uniform_opts *opts);
/* normal numbers of mean loc (0) and standard deviation scale (1). ValueError for a negative scale */
KN_API kn_array kn_random_state_normal(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* numbers of the Gumbel distribution of mode loc (0) and scale (1) */
KN_API kn_array kn_random_state_gumbel(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* numbers of the Laplace distribution of mean loc (0) and scale (1): exponential to both sides */
KN_API kn_array kn_random_state_laplace(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* numbers of the logistic distribution of mean loc (0) and scale (1) */
KN_API kn_array kn_random_state_logistic(kn_random_state state, const kn_shape *size,
    const kn_rng_loc_scale_opts *opts);
/* e to the power of normal numbers of mean `mean` (0) and standard deviation sigma (1) */
KN_API kn_array kn_random_state_lognormal(kn_random_state state, const kn_shape *size,
    const kn_rng_lognormal_opts *opts);
/* numbers of the exponential distribution of mean scale (1). ValueError for a negative scale */
KN_API kn_array kn_random_state_exponential(kn_random_state state, const kn_shape *size, const kn_rng_scale_opts *opts);
/* numbers of the Rayleigh distribution: the length of a vector of two normal numbers of standard deviation scale (1) */
KN_API kn_array kn_random_state_rayleigh(kn_random_state state, const kn_shape *size, const kn_rng_scale_opts *opts);
/* numbers of the gamma distribution of a shape, scale 1: the mean is the shape */
KN_API kn_array kn_random_state_standard_gamma(kn_random_state state, kn_array shape, const kn_shape *size);
/* numbers of the gamma distribution of a shape, times scale (1): mean shape times scale */
KN_API kn_array kn_random_state_gamma(kn_random_state state, kn_array shape, const kn_shape *size,
    const kn_rng_scale_opts *opts);
/* numbers in (0, 1) of the beta distribution of a and b: mean a / (a + b). ValueError unless both are positive */
KN_API kn_array kn_random_state_beta(kn_random_state state, kn_array a, kn_array b, const kn_shape *size);
/* numbers of the chi-square distribution: the sum of squares of df standard normal numbers, mean df */
KN_API kn_array kn_random_state_chisquare(kn_random_state state, kn_array df, const kn_shape *size);
/* numbers of the noncentral chi-square distribution: mean df + nonc */
KN_API kn_array kn_random_state_noncentral_chisquare(kn_random_state state, kn_array df, kn_array nonc,
    const kn_shape *size);
/* numbers of the F distribution: the ratio of two chi-square numbers of dfnum and dfden, each divided by its degrees
 * of freedom */
KN_API kn_array kn_random_state_f(kn_random_state state, kn_array dfnum, kn_array dfden, const kn_shape *size);
/* numbers of the noncentral F distribution: the F ratio with a noncentral chi-square number above */
KN_API kn_array kn_random_state_noncentral_f(kn_random_state state, kn_array dfnum, kn_array dfden, kn_array nonc,
    const kn_shape *size);
/* numbers of Student's t distribution of df degrees of freedom: heavier tails than normal ones, the fewer df */
KN_API kn_array kn_random_state_standard_t(kn_random_state state, kn_array df, const kn_shape *size);
/* numbers of the Pareto distribution of the second kind (Lomax) of shape a, from 0 on; add 1 for the classical one */
KN_API kn_array kn_random_state_pareto(kn_random_state state, kn_array a, const kn_shape *size);
/* numbers in [0, 1] of density a x^(a-1): the larger a, the nearer to 1 */
KN_API kn_array kn_random_state_power(kn_random_state state, kn_array a, const kn_shape *size);
/* numbers between left and right, whose density is a triangle with its top at mode. ValueError unless left <= mode
 * <= right */
KN_API kn_array kn_random_state_triangular(kn_random_state state, kn_array left, kn_array mode, kn_array right,
    const kn_shape *size);
/* angles in [-pi, pi] around mu, the closer the larger kappa: normal numbers on a circle */
KN_API kn_array kn_random_state_vonmises(kn_random_state state, kn_array mu, kn_array kappa, const kn_shape *size);
/* numbers of the Wald (inverse normal) distribution of a mean and a scale, both positive */
KN_API kn_array kn_random_state_wald(kn_random_state state, kn_array mean, kn_array scale, const kn_shape *size);
/* numbers of the Weibull distribution of shape a, scale 1: a number of the exponential distribution to the power 1 /
 * a */
KN_API kn_array kn_random_state_weibull(kn_random_state state, kn_array a, const kn_shape *size);
/* how many of n trials of probability p succeed: int64. ValueError for p outside of [0, 1] and negative n */
KN_API kn_array kn_random_state_binomial(kn_random_state state, kn_array n, kn_array p, const kn_shape *size);
/* how many trials of probability p fail before n succeed: int64 */
KN_API kn_array kn_random_state_negative_binomial(kn_random_state state, kn_array n, kn_array p, const kn_shape *size);
/* how many trials of probability p it takes until one succeeds: int64, from 1 on */
KN_API kn_array kn_random_state_geometric(kn_random_state state, kn_array p, const kn_shape *size);
/* how many of nsample balls, drawn without putting them back from ngood good and nbad bad ones, are good: int64.
 * ValueError for more than there are */
KN_API kn_array kn_random_state_hypergeometric(kn_random_state state, kn_array ngood, kn_array nbad, kn_array nsample,
    const kn_shape *size);
/* integers from 1 on, k with a probability proportional to p^k / k: int64 */
KN_API kn_array kn_random_state_logseries(kn_random_state state, kn_array p, const kn_shape *size);
/* integers from 1 on, k with a probability proportional to k^-a, for a > 1: int64 */
KN_API kn_array kn_random_state_zipf(kn_random_state state, kn_array a, const kn_shape *size);
/* how many events happen where lam (1) are expected: int64. ValueError for negative lam */
KN_API kn_array kn_random_state_poisson(kn_random_state state, const kn_shape *size, const kn_rng_poisson_opts *opts);
/* vectors of numbers in [0, 1] that add to 1, of the Dirichlet distribution of alpha, one axis. The result has the
 * size and that axis */
KN_API kn_array kn_random_state_dirichlet(kn_random_state state, kn_array alpha, const kn_shape *size);
/* how many of n trials fall into each category: of one n and one vector of probabilities; int64, the size and an
 * axis of the categories */
KN_API kn_array kn_random_state_multinomial(kn_random_state state, kn_array n, kn_array pvals, const kn_shape *size);
/* vectors of normal numbers of a mean[n] and a covariance[n, n]: the size and an axis of n. check_valid says what
 * happens to a covariance that is none: a line in the log, a ValueError ("raise") or nothing */
KN_API kn_array kn_random_state_multivariate_normal(kn_random_state state, kn_array mean, kn_array cov,
    const kn_shape *size, const kn_random_state_multivariate_normal_opts *opts);
/* puts the slices of x along the first axis in another order, in x itself; 0, or -1 with an error */
KN_API int kn_random_state_shuffle(kn_random_state state, kn_array x);
/* a copy of x with the slices along the first axis in another order; of a number x: 0 .. x-1 */
KN_API kn_array kn_random_state_permutation(kn_random_state state, kn_array x);
/* elements of a vector a drawn at random, or of 0 .. a-1 for an integer a; with .p of these probabilities, without
 * .replace none twice (ValueError for more than there are) */
KN_API kn_array kn_random_state_choice(kn_random_state state, kn_array a, const kn_shape *size,
    const kn_random_state_choice_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_RandomState(seed, ...) KN_F1O(kn_RandomState, kn_random_state_opts, (), seed, __VA_ARGS__)
#define kn_random_state_default() (KN_HERE(), (kn_random_state_default)())
#define kn_random_state_seed(state, seed) KN_RANDOM_STATE_SEED_(__COUNTER__, state, seed)
#define KN_RANDOM_STATE_SEED_(c, state, seed)                                                                          \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(seed); KN_HERE();              \
    (kn_random_state_seed)(KN_V(1, c), KN_V(2, c)); })
#define kn_random_state_get_state(state) KN_G1(kn_random_state_get_state, kn_random_state, state)
#define kn_random_state_set_state(state, saved)                                                                        \
    KN_G2(kn_random_state_set_state, kn_random_state, state, const kn_bit_generator_state *, saved)
#define kn_random_state_bit_generator(state) KN_G1(kn_random_state_bit_generator, kn_random_state, state)
#define kn_random_state_random_sample(state, size) KN_RANDOM_STATE_RANDOM_SAMPLE_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_RANDOM_SAMPLE_(c, state, size)                                                                 \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_random_sample)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_random(state, size) KN_RANDOM_STATE_RANDOM_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_RANDOM_(c, state, size)                                                                        \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_random)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_standard_exponential(state, size)                                                              \
    KN_RANDOM_STATE_STANDARD_EXPONENTIAL_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_STANDARD_EXPONENTIAL_(c, state, size)                                                          \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_standard_exponential)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_standard_normal(state, size) KN_RANDOM_STATE_STANDARD_NORMAL_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_STANDARD_NORMAL_(c, state, size)                                                               \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_standard_normal)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_standard_cauchy(state, size) KN_RANDOM_STATE_STANDARD_CAUCHY_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_STANDARD_CAUCHY_(c, state, size)                                                               \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_standard_cauchy)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_rand(state, size) KN_RANDOM_STATE_RAND_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_RAND_(c, state, size)                                                                          \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_rand)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_randn(state, size) KN_RANDOM_STATE_RANDN_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_RANDN_(c, state, size)                                                                         \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_randn)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_tomaxint(state, size) KN_RANDOM_STATE_TOMAXINT_(__COUNTER__, state, size)
#define KN_RANDOM_STATE_TOMAXINT_(c, state, size)                                                                      \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                     \
    (kn_random_state_tomaxint)(KN_V(1, c), &KN_V(2, c)); })
#define kn_random_state_randint(state, low, high, size, ...)                                                           \
    KN_RANDOM_STATE_RANDINT_(__COUNTER__, state, low, high, size, __VA_ARGS__)
#define KN_RANDOM_STATE_RANDINT_(c, state, low, high, size, ...)                                                       \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(low); kn_array                 \
    KN_V(3, c) = KN_LIKE(high); KN_TAKE(kn_shape, 4, c, size) KN_OPTS(c, kn_random_state_randint_opts, (),             \
    __VA_ARGS__) KN_HERE(); (kn_random_state_randint)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c));  \
    })
#define kn_random_state_random_integers(state, low, high, size)                                                        \
    KN_RANDOM_STATE_RANDOM_INTEGERS_(__COUNTER__, state, low, high, size)
#define KN_RANDOM_STATE_RANDOM_INTEGERS_(c, state, low, high, size)                                                    \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(low); kn_array                 \
    KN_V(3, c) = KN_LIKE(high); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_random_integers)(KN_V(1, c), \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_bytes(state, length) KN_G2(kn_random_state_bytes, kn_random_state, state, int64_t, length)
#define kn_random_state_uniform(state, size, ...) KN_RANDOM_STATE_UNIFORM_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_UNIFORM_(c, state, size, ...)                                                                  \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_uniform_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_uniform)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); \
    })
#define kn_random_state_normal(state, size, ...) KN_RANDOM_STATE_NORMAL_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_NORMAL_(c, state, size, ...)                                                                   \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_loc_scale_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_normal)(KN_V(1, c), &KN_V(2, c),               \
    KN_V(opt, c)); })
#define kn_random_state_gumbel(state, size, ...) KN_RANDOM_STATE_GUMBEL_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_GUMBEL_(c, state, size, ...)                                                                   \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_loc_scale_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_gumbel)(KN_V(1, c), &KN_V(2, c),               \
    KN_V(opt, c)); })
#define kn_random_state_laplace(state, size, ...) KN_RANDOM_STATE_LAPLACE_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_LAPLACE_(c, state, size, ...)                                                                  \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_loc_scale_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_laplace)(KN_V(1, c), &KN_V(2, c),              \
    KN_V(opt, c)); })
#define kn_random_state_logistic(state, size, ...) KN_RANDOM_STATE_LOGISTIC_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_LOGISTIC_(c, state, size, ...)                                                                 \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_loc_scale_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_logistic)(KN_V(1, c), &KN_V(2, c),             \
    KN_V(opt, c)); })
#define kn_random_state_lognormal(state, size, ...) KN_RANDOM_STATE_LOGNORMAL_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_LOGNORMAL_(c, state, size, ...)                                                                \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_lognormal_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_lognormal)(KN_V(1, c), &KN_V(2, c),            \
    KN_V(opt, c)); })
#define kn_random_state_exponential(state, size, ...)                                                                  \
    KN_RANDOM_STATE_EXPONENTIAL_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_EXPONENTIAL_(c, state, size, ...)                                                              \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_scale_opts,  \
    (), __VA_ARGS__) KN_HERE(); (kn_random_state_exponential)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_random_state_rayleigh(state, size, ...) KN_RANDOM_STATE_RAYLEIGH_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_RAYLEIGH_(c, state, size, ...)                                                                 \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_scale_opts,  \
    (), __VA_ARGS__) KN_HERE(); (kn_random_state_rayleigh)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_random_state_standard_gamma(state, shape, size)                                                             \
    KN_RANDOM_STATE_STANDARD_GAMMA_(__COUNTER__, state, shape, size)
#define KN_RANDOM_STATE_STANDARD_GAMMA_(c, state, shape, size)                                                         \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(shape);                        \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_standard_gamma)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_gamma(state, shape, size, ...)                                                                 \
    KN_RANDOM_STATE_GAMMA_(__COUNTER__, state, shape, size, __VA_ARGS__)
#define KN_RANDOM_STATE_GAMMA_(c, state, shape, size, ...)                                                             \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(shape);                        \
    KN_TAKE(kn_shape, 3, c, size) KN_OPTS(c, kn_rng_scale_opts, (), __VA_ARGS__) KN_HERE();                            \
    (kn_random_state_gamma)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_random_state_beta(state, a, b, size) KN_RANDOM_STATE_BETA_(__COUNTER__, state, a, b, size)
#define KN_RANDOM_STATE_BETA_(c, state, a, b, size)                                                                    \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a); kn_array                   \
    KN_V(3, c) = KN_LIKE(b); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_beta)(KN_V(1, c), KN_V(2, c),   \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_chisquare(state, df, size) KN_RANDOM_STATE_CHISQUARE_(__COUNTER__, state, df, size)
#define KN_RANDOM_STATE_CHISQUARE_(c, state, df, size)                                                                 \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(df);                           \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_chisquare)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_noncentral_chisquare(state, df, nonc, size)                                                    \
    KN_RANDOM_STATE_NONCENTRAL_CHISQUARE_(__COUNTER__, state, df, nonc, size)
#define KN_RANDOM_STATE_NONCENTRAL_CHISQUARE_(c, state, df, nonc, size)                                                \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(df); kn_array                  \
    KN_V(3, c) = KN_LIKE(nonc); KN_TAKE(kn_shape, 4, c, size) KN_HERE();                                               \
    (kn_random_state_noncentral_chisquare)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_f(state, dfnum, dfden, size) KN_RANDOM_STATE_F_(__COUNTER__, state, dfnum, dfden, size)
#define KN_RANDOM_STATE_F_(c, state, dfnum, dfden, size)                                                               \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(dfnum); kn_array               \
    KN_V(3, c) = KN_LIKE(dfden); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_f)(KN_V(1, c), KN_V(2, c),  \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_noncentral_f(state, dfnum, dfden, nonc, size)                                                  \
    KN_RANDOM_STATE_NONCENTRAL_F_(__COUNTER__, state, dfnum, dfden, nonc, size)
#define KN_RANDOM_STATE_NONCENTRAL_F_(c, state, dfnum, dfden, nonc, size)                                              \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(dfnum); kn_array               \
    KN_V(3, c) = KN_LIKE(dfden); kn_array KN_V(4, c) = KN_LIKE(nonc); KN_TAKE(kn_shape, 5, c, size) KN_HERE();         \
    (kn_random_state_noncentral_f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_random_state_standard_t(state, df, size) KN_RANDOM_STATE_STANDARD_T_(__COUNTER__, state, df, size)
#define KN_RANDOM_STATE_STANDARD_T_(c, state, df, size)                                                                \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(df);                           \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_standard_t)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_pareto(state, a, size) KN_RANDOM_STATE_PARETO_(__COUNTER__, state, a, size)
#define KN_RANDOM_STATE_PARETO_(c, state, a, size)                                                                     \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_pareto)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_power(state, a, size) KN_RANDOM_STATE_POWER_(__COUNTER__, state, a, size)
#define KN_RANDOM_STATE_POWER_(c, state, a, size)                                                                      \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_power)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_triangular(state, left, mode, right, size)                                                     \
    KN_RANDOM_STATE_TRIANGULAR_(__COUNTER__, state, left, mode, right, size)
#define KN_RANDOM_STATE_TRIANGULAR_(c, state, left, mode, right, size)                                                 \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(left); kn_array                \
    KN_V(3, c) = KN_LIKE(mode); kn_array KN_V(4, c) = KN_LIKE(right); KN_TAKE(kn_shape, 5, c, size) KN_HERE();         \
    (kn_random_state_triangular)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_random_state_vonmises(state, mu, kappa, size) KN_RANDOM_STATE_VONMISES_(__COUNTER__, state, mu, kappa, size)
#define KN_RANDOM_STATE_VONMISES_(c, state, mu, kappa, size)                                                           \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(mu); kn_array                  \
    KN_V(3, c) = KN_LIKE(kappa); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_vonmises)(KN_V(1, c),       \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_wald(state, mean, scale, size) KN_RANDOM_STATE_WALD_(__COUNTER__, state, mean, scale, size)
#define KN_RANDOM_STATE_WALD_(c, state, mean, scale, size)                                                             \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(mean); kn_array                \
    KN_V(3, c) = KN_LIKE(scale); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_wald)(KN_V(1, c),           \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_weibull(state, a, size) KN_RANDOM_STATE_WEIBULL_(__COUNTER__, state, a, size)
#define KN_RANDOM_STATE_WEIBULL_(c, state, a, size)                                                                    \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_weibull)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_binomial(state, n, p, size) KN_RANDOM_STATE_BINOMIAL_(__COUNTER__, state, n, p, size)
#define KN_RANDOM_STATE_BINOMIAL_(c, state, n, p, size)                                                                \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(n); kn_array                   \
    KN_V(3, c) = KN_LIKE(p); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_binomial)(KN_V(1, c),           \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_negative_binomial(state, n, p, size)                                                           \
    KN_RANDOM_STATE_NEGATIVE_BINOMIAL_(__COUNTER__, state, n, p, size)
#define KN_RANDOM_STATE_NEGATIVE_BINOMIAL_(c, state, n, p, size)                                                       \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(n); kn_array                   \
    KN_V(3, c) = KN_LIKE(p); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_negative_binomial)(KN_V(1, c),  \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_geometric(state, p, size) KN_RANDOM_STATE_GEOMETRIC_(__COUNTER__, state, p, size)
#define KN_RANDOM_STATE_GEOMETRIC_(c, state, p, size)                                                                  \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(p);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_geometric)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_hypergeometric(state, ngood, nbad, nsample, size)                                              \
    KN_RANDOM_STATE_HYPERGEOMETRIC_(__COUNTER__, state, ngood, nbad, nsample, size)
#define KN_RANDOM_STATE_HYPERGEOMETRIC_(c, state, ngood, nbad, nsample, size)                                          \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(ngood); kn_array               \
    KN_V(3, c) = KN_LIKE(nbad); kn_array KN_V(4, c) = KN_LIKE(nsample); KN_TAKE(kn_shape, 5, c, size) KN_HERE();       \
    (kn_random_state_hypergeometric)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_random_state_logseries(state, p, size) KN_RANDOM_STATE_LOGSERIES_(__COUNTER__, state, p, size)
#define KN_RANDOM_STATE_LOGSERIES_(c, state, p, size)                                                                  \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(p);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_logseries)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_zipf(state, a, size) KN_RANDOM_STATE_ZIPF_(__COUNTER__, state, a, size)
#define KN_RANDOM_STATE_ZIPF_(c, state, a, size)                                                                       \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_zipf)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_poisson(state, size, ...) KN_RANDOM_STATE_POISSON_(__COUNTER__, state, size, __VA_ARGS__)
#define KN_RANDOM_STATE_POISSON_(c, state, size, ...)                                                                  \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                     \
    kn_rng_poisson_opts, (), __VA_ARGS__) KN_HERE(); (kn_random_state_poisson)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); \
    })
#define kn_random_state_dirichlet(state, alpha, size) KN_RANDOM_STATE_DIRICHLET_(__COUNTER__, state, alpha, size)
#define KN_RANDOM_STATE_DIRICHLET_(c, state, alpha, size)                                                              \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(alpha);                        \
    KN_TAKE(kn_shape, 3, c, size) KN_HERE(); (kn_random_state_dirichlet)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_random_state_multinomial(state, n, pvals, size)                                                             \
    KN_RANDOM_STATE_MULTINOMIAL_(__COUNTER__, state, n, pvals, size)
#define KN_RANDOM_STATE_MULTINOMIAL_(c, state, n, pvals, size)                                                         \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(n); kn_array                   \
    KN_V(3, c) = KN_LIKE(pvals); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_random_state_multinomial)(KN_V(1, c),    \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_random_state_multivariate_normal(state, mean, cov, size, ...)                                               \
    KN_RANDOM_STATE_MULTIVARIATE_NORMAL_(__COUNTER__, state, mean, cov, size, __VA_ARGS__)
#define KN_RANDOM_STATE_MULTIVARIATE_NORMAL_(c, state, mean, cov, size, ...)                                           \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(mean); kn_array                \
    KN_V(3, c) = KN_LIKE(cov); KN_TAKE(kn_shape, 4, c, size) KN_OPTS(c, kn_random_state_multivariate_normal_opts,      \
    (.tol = 1e-8, ), __VA_ARGS__) KN_HERE(); (kn_random_state_multivariate_normal)(KN_V(1, c), KN_V(2, c), KN_V(3, c), \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_random_state_shuffle(state, x) KN_RANDOM_STATE_SHUFFLE_(__COUNTER__, state, x)
#define KN_RANDOM_STATE_SHUFFLE_(c, state, x)                                                                          \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(x); KN_HERE();                 \
    (kn_random_state_shuffle)(KN_V(1, c), KN_V(2, c)); })
#define kn_random_state_permutation(state, x) KN_RANDOM_STATE_PERMUTATION_(__COUNTER__, state, x)
#define KN_RANDOM_STATE_PERMUTATION_(c, state, x)                                                                      \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(x); KN_HERE();                 \
    (kn_random_state_permutation)(KN_V(1, c), KN_V(2, c)); })
#define kn_random_state_choice(state, a, size, ...) KN_RANDOM_STATE_CHOICE_(__COUNTER__, state, a, size, __VA_ARGS__)
#define KN_RANDOM_STATE_CHOICE_(c, state, a, size, ...)                                                                \
    __extension__({ KN_TAKE(kn_random_state, 1, c, state) kn_array KN_V(2, c) = KN_LIKE(a);                            \
    KN_TAKE(kn_shape, 3, c, size) KN_OPTS(c, kn_random_state_choice_opts, (.replace = true, ), __VA_ARGS__) KN_HERE(); \
    (kn_random_state_choice)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
