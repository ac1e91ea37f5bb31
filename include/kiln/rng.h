/* SPDX-License-Identifier: Apache-2.0
 * kiln/rng.h -- random numbers from generators, as numpy.random: NumPy's streams, bit for bit.
 *
 * A generator is a state outside of arrays; each call takes the next numbers of its stream. Numbers are drawn at
 * once, not when somebody looks. While a function is recorded (kn_jit, kn_grad, kn_vmap) drawing is a MutationError:
 * keys go into such functions (kiln/random.h).
 *
 * A size is a shape; KN_SHAPE_NONE is NumPy's size=None: the shape that the parameters broadcast to, () if they are
 * numbers. With a size, parameters broadcast to it. Results are float64 or int64 where nothing else is said.
 * Parameters out of their domain, and shapes that do not fit, are ValueErrors with NumPy's texts. */
/* Made by scripts/make-api.py from api/rng.api. */
/* clang-format off */
#ifndef KILN_RNG_H
#define KILN_RNG_H
#include "kiln/types.h"
#include "kiln/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Seed sequences: entropy of any length becomes states of any length, and children that are independent of each
 * other. Integers are numbers or arrays, from 0 on; an array of words of 32 bits, the lowest first, stands for a
 * larger integer, as in NumPy. */
typedef struct kn_seed_sequence_opts {
    size_t size_;
    kn_array spawn_key;         /* integers: the place in the tree of children */
    int64_t pool_size;          /* 4: words of the pool, 4 at least */
    int64_t n_children_spawned; /* of a sequence that goes on */
} kn_seed_sequence_opts;
KN_API kn_seed_sequence_opts kn_seed_sequence_opts_default(void);
typedef struct kn_seed_sequence_generate_state_opts {
    size_t size_;
    kn_dtype dtype; /* NULL, uint32: or uint64 */
} kn_seed_sequence_generate_state_opts;
KN_API kn_seed_sequence_generate_state_opts kn_seed_sequence_generate_state_opts_default(void);
typedef struct kn_seed_sequence_state {
    kn_array entropy, spawn_key; /* uint64 */
    int64_t pool_size, n_children_spawned;
} kn_seed_sequence_state;
/* np.random.SeedSequence: entropy (an integer, or an array of them) made into a source of seeds: good states of any
 * length, and children that are independent. TypeError for numbers that are no integers */
KN_API kn_seed_sequence kn_SeedSequence(kn_array entropy, const kn_seed_sequence_opts *opts);
/* np.random.SeedSequence.generate_state: so many words made of the entropy, the same each time: uint32 (or uint64),
 * seeds for other generators */
KN_API kn_array kn_seed_sequence_generate_state(kn_seed_sequence sequence, int64_t n_words,
    const kn_seed_sequence_generate_state_opts *opts);
/* np.random.SeedSequence.spawn: the next n children: sequences that are independent of each other, one for each
 * worker. 0, or -1 with an error */
KN_API int kn_seed_sequence_spawn(kn_seed_sequence sequence, int n, kn_seed_sequence *children);
/* np.random.SeedSequence.entropy: the entropy as it was given, uint64; words of 32 bits if it is the operating
 * system's: to write down what a program was seeded with */
KN_API kn_array kn_seed_sequence_entropy(kn_seed_sequence sequence);
/* np.random.SeedSequence.spawn_key: the place in the tree of children, uint64: the number of each ancestor among its
 * siblings; empty for the root */
KN_API kn_array kn_seed_sequence_spawn_key(kn_seed_sequence sequence);
/* np.random.SeedSequence.pool: the words that states are made from, uint32: the entropy, mixed; .pool_size of them
 * (4) */
KN_API kn_array kn_seed_sequence_pool(kn_seed_sequence sequence);
/* np.random.SeedSequence.n_children_spawned: how many children the sequence has made; the next ones are others */
KN_API int64_t kn_seed_sequence_n_children_spawned(kn_seed_sequence sequence);
/* np.random.SeedSequence.state: what kn_SeedSequence makes the same sequence of: entropy, spawn_key, pool_size and
 * n_children_spawned */
KN_API kn_seed_sequence_state kn_seed_sequence_get_state(kn_seed_sequence sequence);

/* ---- Bit generators. A seed is an integer, an array of integers, or KN_NONE for entropy of the operating system;
 * the option seed_seq, a seed sequence, takes its place. */
typedef struct kn_bit_generator_opts { size_t size_; kn_seed_sequence seed_seq; } kn_bit_generator_opts;
KN_API kn_bit_generator_opts kn_bit_generator_opts_default(void);
typedef struct kn_philox_opts {
    size_t size_;
    kn_seed_sequence seed_seq;
    kn_array key;              /* in the place of a seed: an integer, or 2 words of 64 bits, the lowest first */
    kn_array counter;          /* NULL, 0: an integer, or 4 words of 64 bits */
} kn_philox_opts;
KN_API kn_philox_opts kn_philox_opts_default(void);
typedef struct kn_bit_generator_jumped_opts { size_t size_; int64_t jumps; } kn_bit_generator_jumped_opts; /* 1 */
KN_API kn_bit_generator_jumped_opts kn_bit_generator_jumped_opts_default(void);
/* The state of a bit generator, without pointers: it can be copied and stored as bytes. Unused members are zero. */
typedef struct kn_bit_generator_state {
    char bit_generator[16];            /* "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64" */
    uint64_t state[4];                 /* PCG64: its 128 bits, the low word first; SFC64: three words and a counter */
    uint64_t inc[2];                   /* PCG64: the increment, the low word first */
    uint64_t counter[4], key[2];       /* Philox, the lowest word first */
    uint64_t buffer[4];                /* Philox: the words of the counter, */
    int32_t buffer_pos;                /* and how many of them were given; 4: all */
    int32_t mt_pos;                    /* MT19937: how many words of its key were given; 624: all */
    uint32_t mt_key[624];
    int32_t has_uint32;                /* half of a word was given; */
    uint32_t uinteger;                 /* this is the other half */
    int32_t has_gauss;                 /* a RandomState has made a normal number ahead: */
    double gauss;
} kn_bit_generator_state;
/* np.random.PCG64: a bit generator of 128 bits of state, that of kn_default_rng: a stream of words of 64 bits for
 * kn_Generator */
KN_API kn_bit_generator kn_PCG64(kn_array seed, const kn_bit_generator_opts *opts);
/* np.random.PCG64DXSM: a bit generator of 128 bits of state, PCG64 with a better last step: for very many streams at
 * once */
KN_API kn_bit_generator kn_PCG64DXSM(kn_array seed, const kn_bit_generator_opts *opts);
/* np.random.MT19937: the Mersenne Twister, a bit generator of 624 words of state: that of kn_RandomState, for
 * streams of older programs */
KN_API kn_bit_generator kn_MT19937(kn_array seed, const kn_bit_generator_opts *opts);
/* np.random.Philox: a bit generator that encrypts a counter with a key: any place of the stream is reached at once,
 * and each key has a stream of its own. ValueError for both a seed and a key */
KN_API kn_bit_generator kn_Philox(kn_array seed, const kn_philox_opts *opts);
/* np.random.SFC64: a small and fast bit generator of 256 bits of state; it cannot jump or advance */
KN_API kn_bit_generator kn_SFC64(kn_array seed, const kn_bit_generator_opts *opts);
/* the name of its kind: "PCG64", "PCG64DXSM", "MT19937", "Philox" or "SFC64" */
KN_API const char *kn_bit_generator_name(kn_bit_generator bit_generator);
/* np.random.BitGenerator.seed_seq: the seed sequence that it was seeded with; NULL without an error where there is
 * none (a key, a legacy seed) */
KN_API kn_seed_sequence kn_bit_generator_seed_seq(kn_bit_generator bit_generator);
/* np.random.BitGenerator.random_raw: the next words of its stream, uint64; those of MT19937 have 32 bits */
KN_API kn_array kn_bit_generator_random_raw(kn_bit_generator bit_generator, const kn_shape *size);
/* np.random.PCG64.jumped: a new bit generator, as if so many numbers had been drawn that no one draws as many: 2^128
 * for each jump (PCG64: the golden ratio of 2^128). For streams that do not overlap; the old one stays.
 * NotImplementedError for SFC64 */
KN_API kn_bit_generator kn_bit_generator_jumped(kn_bit_generator bit_generator,
    const kn_bit_generator_jumped_opts *opts);
/* np.random.PCG64.advance: moves on as if delta words had been drawn (of Philox: delta times four); an integer, also
 * a negative one, or 2 (of Philox 4) words of 64 bits. NotImplementedError for MT19937 and SFC64; 0, or -1 with an
 * error */
KN_API int kn_bit_generator_advance(kn_bit_generator bit_generator, kn_array delta);
/* np.random.BitGenerator.spawn: n new bit generators of the same kind, of the next children of its seed sequence:
 * independent of it and of each other. 0, or -1 with an error */
KN_API int kn_bit_generator_spawn(kn_bit_generator bit_generator, int n, kn_bit_generator *children);
/* np.random.PCG64.state: the whole state, a struct without pointers: with kn_bit_generator_set_state the same
 * numbers come again */
KN_API kn_bit_generator_state kn_bit_generator_get_state(kn_bit_generator bit_generator);
/* the state of kn_bit_generator_get_state, from where the stream goes on. ValueError for the state of another kind
 * of bit generator; 0, or -1 with an error */
KN_API int kn_bit_generator_set_state(kn_bit_generator bit_generator, const kn_bit_generator_state *state);

/* ---- Generators. */
/* np.random.default_rng: a generator of random numbers: the same seed (an integer or an array of them), the same
 * stream as NumPy's. kn_Generator of kn_PCG64 of the seed */
KN_API kn_rng kn_default_rng(kn_array seed);
/* np.random.Generator: a generator of random numbers that draws from a bit generator; several generators of one bit
 * generator share its stream */
KN_API kn_rng kn_Generator(kn_bit_generator bit_generator);
/* np.random.Generator.bit_generator: the bit generator that it draws from, not a copy */
KN_API kn_bit_generator kn_rng_bit_generator(kn_rng rng);
/* np.random.Generator.spawn: n generators that are independent of it and of each other, one for each worker; 0, or
 * -1 with an error */
KN_API int kn_rng_spawn(kn_rng rng, int n, kn_rng *children);

/* ---- Uniform numbers, integers and bytes. out: C-contiguous (of functions without parameters: or
 * Fortran-contiguous), of the dtype, and writeable; its elements are set, and it is the result. */
typedef struct kn_rng_random_opts {
    size_t size_;
    kn_dtype dtype; /* NULL, float64: or float32 */
    kn_array out;
} kn_rng_random_opts;
KN_API kn_rng_random_opts kn_rng_random_opts_default(void);
typedef struct kn_rng_standard_exponential_opts {
    size_t size_;
    kn_dtype dtype;     /* NULL, float64: or float32 */
    const char *method; /* NULL, "zig"; or "inv": "inv": the logarithm of a uniform number */
    kn_array out;
} kn_rng_standard_exponential_opts;
KN_API kn_rng_standard_exponential_opts kn_rng_standard_exponential_opts_default(void);
typedef struct kn_rng_integers_opts {
    size_t size_;
    kn_dtype dtype; /* NULL, int64: any integer dtype, or bool */
    bool endpoint;  /* high is one of them, too */
} kn_rng_integers_opts;
KN_API kn_rng_integers_opts kn_rng_integers_opts_default(void);
typedef struct kn_rng_uniform_opts {
    size_t size_;
    kn_array low;  /* NULL, 0 */
    kn_array high; /* NULL, 1 */
} kn_rng_uniform_opts;
KN_API kn_rng_uniform_opts kn_rng_uniform_opts_default(void);
/* np.random.Generator.random: floats in [0, 1), each as likely as the others, float64 or float32; with .out they are
 * put there */
KN_API kn_array kn_rng_random(kn_rng rng, const kn_shape *size, const kn_rng_random_opts *opts);
/* np.random.Generator.uniform: floats in [low, high), each as likely as the others; OverflowError where high - low
 * is not finite */
KN_API kn_array kn_rng_uniform(kn_rng rng, const kn_shape *size, const kn_rng_uniform_opts *opts);
/* np.random.Generator.integers: integers in [low, high), each as likely as the others; bounds broadcast. int64 or
 * another integer dtype; .endpoint: high is one of them, too. ValueError if there are none */
KN_API kn_array kn_rng_integers(kn_rng rng, kn_array low, kn_array high, const kn_shape *size,
    const kn_rng_integers_opts *opts);
KN_API kn_array kn_rng_bytes(kn_rng rng, int64_t length); /* np.random.Generator.bytes: random bytes, uint8[length] */

/* ---- Distributions of real numbers. */
typedef struct kn_rng_loc_scale_opts {
    size_t size_;
    kn_array loc;   /* NULL, 0 */
    kn_array scale; /* NULL, 1 */
} kn_rng_loc_scale_opts;
KN_API kn_rng_loc_scale_opts kn_rng_loc_scale_opts_default(void);
typedef struct kn_rng_scale_opts { size_t size_; kn_array scale; } kn_rng_scale_opts; /* NULL, 1 */
KN_API kn_rng_scale_opts kn_rng_scale_opts_default(void);
typedef struct kn_rng_lognormal_opts {
    size_t size_;
    kn_array mean;  /* NULL, 0 */
    kn_array sigma; /* NULL, 1 */
} kn_rng_lognormal_opts;
KN_API kn_rng_lognormal_opts kn_rng_lognormal_opts_default(void);
/* np.random.Generator.standard_normal: normal numbers of mean 0 and variance 1, float64 or float32 */
KN_API kn_array kn_rng_standard_normal(kn_rng rng, const kn_shape *size, const kn_rng_random_opts *opts);
/* np.random.Generator.standard_exponential: numbers of the exponential distribution of mean 1: density e^-x for x >=
 * 0. The method "inv" takes the logarithm of a uniform number: other numbers of the same distribution */
KN_API kn_array kn_rng_standard_exponential(kn_rng rng, const kn_shape *size,
    const kn_rng_standard_exponential_opts *opts);
/* np.random.Generator.standard_gamma: numbers of the gamma distribution of a shape, scale 1: the mean is the shape.
 * ValueError for a negative shape */
KN_API kn_array kn_rng_standard_gamma(kn_rng rng, kn_array shape, const kn_shape *size, const kn_rng_random_opts *opts);
/* np.random.Generator.standard_cauchy: numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that
 * they have no mean */
KN_API kn_array kn_rng_standard_cauchy(kn_rng rng, const kn_shape *size);
/* np.random.Generator.standard_t: numbers of Student's t distribution of df degrees of freedom: heavier tails than
 * normal ones, the fewer df */
KN_API kn_array kn_rng_standard_t(kn_rng rng, kn_array df, const kn_shape *size);
/* np.random.Generator.normal: normal numbers of mean loc (0) and standard deviation scale (1). ValueError for a
 * negative scale */
KN_API kn_array kn_rng_normal(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* np.random.Generator.lognormal: e to the power of normal numbers of mean `mean` (0) and standard deviation sigma
 * (1) */
KN_API kn_array kn_rng_lognormal(kn_rng rng, const kn_shape *size, const kn_rng_lognormal_opts *opts);
/* np.random.Generator.exponential: numbers of the exponential distribution of mean scale (1): how long it takes
 * until something happens. ValueError for a negative scale */
KN_API kn_array kn_rng_exponential(kn_rng rng, const kn_shape *size, const kn_rng_scale_opts *opts);
/* np.random.Generator.gamma: numbers of the gamma distribution of a shape, times scale (1): mean shape times scale.
 * ValueError for negative parameters */
KN_API kn_array kn_rng_gamma(kn_rng rng, kn_array shape, const kn_shape *size, const kn_rng_scale_opts *opts);
/* np.random.Generator.beta: numbers in (0, 1) of the beta distribution of a and b: mean a / (a + b), narrow if they
 * are large. ValueError unless both are positive */
KN_API kn_array kn_rng_beta(kn_rng rng, kn_array a, kn_array b, const kn_shape *size);
/* np.random.Generator.chisquare: numbers of the chi-square distribution: the sum of squares of df standard normal
 * numbers, mean df. ValueError unless df is positive */
KN_API kn_array kn_rng_chisquare(kn_rng rng, kn_array df, const kn_shape *size);
/* np.random.Generator.noncentral_chisquare: numbers of the noncentral chi-square distribution: squares of df normal
 * numbers whose squared means add to nonc; mean df + nonc */
KN_API kn_array kn_rng_noncentral_chisquare(kn_rng rng, kn_array df, kn_array nonc, const kn_shape *size);
/* np.random.Generator.f: numbers of the F distribution: the ratio of two chi-square numbers of dfnum and dfden, each
 * divided by its degrees of freedom */
KN_API kn_array kn_rng_f(kn_rng rng, kn_array dfnum, kn_array dfden, const kn_shape *size);
/* np.random.Generator.noncentral_f: numbers of the noncentral F distribution: the F ratio with a noncentral
 * chi-square number above */
KN_API kn_array kn_rng_noncentral_f(kn_rng rng, kn_array dfnum, kn_array dfden, kn_array nonc, const kn_shape *size);
/* np.random.Generator.gumbel: numbers of the Gumbel distribution of mode loc (0) and scale (1): the largest of many */
KN_API kn_array kn_rng_gumbel(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* np.random.Generator.laplace: numbers of the Laplace distribution of mean loc (0) and scale (1): exponential to
 * both sides */
KN_API kn_array kn_rng_laplace(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* np.random.Generator.logistic: numbers of the logistic distribution of mean loc (0) and scale (1) */
KN_API kn_array kn_rng_logistic(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts);
/* np.random.Generator.pareto: numbers of the Pareto distribution of the second kind (Lomax) of shape a, from 0 on;
 * add 1 for the classical one */
KN_API kn_array kn_rng_pareto(kn_rng rng, kn_array a, const kn_shape *size);
/* np.random.Generator.power: numbers in [0, 1] of density a x^(a-1): the larger a, the nearer to 1 */
KN_API kn_array kn_rng_power(kn_rng rng, kn_array a, const kn_shape *size);
/* np.random.Generator.rayleigh: numbers of the Rayleigh distribution: the length of a vector of two normal numbers
 * of standard deviation scale (1) */
KN_API kn_array kn_rng_rayleigh(kn_rng rng, const kn_shape *size, const kn_rng_scale_opts *opts);
/* np.random.Generator.triangular: numbers between left and right, whose density is a triangle with its top at mode.
 * ValueError unless left <= mode <= right and left < right */
KN_API kn_array kn_rng_triangular(kn_rng rng, kn_array left, kn_array mode, kn_array right, const kn_shape *size);
/* np.random.Generator.vonmises: angles in [-pi, pi] around mu, the closer the larger kappa: normal numbers on a
 * circle */
KN_API kn_array kn_rng_vonmises(kn_rng rng, kn_array mu, kn_array kappa, const kn_shape *size);
/* np.random.Generator.wald: numbers of the Wald (inverse normal) distribution of a mean and a scale, both positive */
KN_API kn_array kn_rng_wald(kn_rng rng, kn_array mean, kn_array scale, const kn_shape *size);
/* np.random.Generator.weibull: numbers of the Weibull distribution of shape a, scale 1: a number of the exponential
 * distribution to the power 1 / a */
KN_API kn_array kn_rng_weibull(kn_rng rng, kn_array a, const kn_shape *size);

/* ---- Distributions of integers, int64. */
typedef struct kn_rng_poisson_opts { size_t size_; kn_array lam; } kn_rng_poisson_opts; /* NULL, 1 */
KN_API kn_rng_poisson_opts kn_rng_poisson_opts_default(void);
/* np.random.Generator.binomial: how many of n trials of probability p succeed. ValueError for p outside of [0, 1]
 * and negative n */
KN_API kn_array kn_rng_binomial(kn_rng rng, kn_array n, kn_array p, const kn_shape *size);
/* np.random.Generator.negative_binomial: how many trials of probability p fail before n succeed; n need not be whole */
KN_API kn_array kn_rng_negative_binomial(kn_rng rng, kn_array n, kn_array p, const kn_shape *size);
/* np.random.Generator.poisson: how many events happen where lam (1) are expected. ValueError for negative lam */
KN_API kn_array kn_rng_poisson(kn_rng rng, const kn_shape *size, const kn_rng_poisson_opts *opts);
/* np.random.Generator.geometric: how many trials of probability p it takes until one succeeds: from 1 on, mean 1 / p */
KN_API kn_array kn_rng_geometric(kn_rng rng, kn_array p, const kn_shape *size);
/* np.random.Generator.hypergeometric: how many of nsample balls, drawn without putting them back from ngood good and
 * nbad bad ones, are good. ValueError for more than there are */
KN_API kn_array kn_rng_hypergeometric(kn_rng rng, kn_array ngood, kn_array nbad, kn_array nsample,
    const kn_shape *size);
/* np.random.Generator.logseries: integers from 1 on, k with a probability proportional to p^k / k, for p in [0, 1) */
KN_API kn_array kn_rng_logseries(kn_rng rng, kn_array p, const kn_shape *size);
/* np.random.Generator.zipf: integers from 1 on, k with a probability proportional to k^-a, for a > 1: ranks of words */
KN_API kn_array kn_rng_zipf(kn_rng rng, kn_array a, const kn_shape *size);

/* ---- Distributions of vectors: the result has one more axis than the size, the last one. */
typedef struct kn_rng_multivariate_normal_opts {
    size_t size_;
    /* NULL, "warn"; or "raise", "ignore": a covariance that is none: "warn" writes a line to the log */
    const char *check_valid;
    double tol;              /* 1e-8 */
    const char *method;      /* NULL, "svd"; or "eigh", "cholesky" */
} kn_rng_multivariate_normal_opts;
KN_API kn_rng_multivariate_normal_opts kn_rng_multivariate_normal_opts_default(void);
typedef struct kn_rng_multivariate_hypergeometric_opts {
    size_t size_;
    const char *method; /* NULL, "marginals"; or "count" */
} kn_rng_multivariate_hypergeometric_opts;
KN_API kn_rng_multivariate_hypergeometric_opts kn_rng_multivariate_hypergeometric_opts_default(void);
/* np.random.Generator.dirichlet: vectors of numbers in [0, 1] that add to 1, of the Dirichlet distribution of alpha,
 * one axis: probabilities of categories. The result has the size and that axis */
KN_API kn_array kn_rng_dirichlet(kn_rng rng, kn_array alpha, const kn_shape *size);
/* np.random.Generator.multinomial: how many of n trials fall into each category of probabilities pvals (the last
 * axis); n and pvals but for that axis broadcast. ValueError if pvals without the last one add to more than 1 */
KN_API kn_array kn_rng_multinomial(kn_rng rng, kn_array n, kn_array pvals, const kn_shape *size);
/* np.random.Generator.multivariate_hypergeometric: how many of each color are among nsample balls, drawn without
 * putting them back; colors[k] is how many there are */
KN_API kn_array kn_rng_multivariate_hypergeometric(kn_rng rng, kn_array colors, kn_array nsample, const kn_shape *size,
    const kn_rng_multivariate_hypergeometric_opts *opts);
/* np.random.Generator.multivariate_normal: vectors of normal numbers of a mean[n] and a covariance[n, n]: the size
 * and an axis of n. The normal numbers are NumPy's, the factor of the covariance is kn_linalg's. check_valid says
 * what happens to a covariance that is none: a line in the log, a ValueError ("raise") or nothing */
KN_API kn_array kn_rng_multivariate_normal(kn_rng rng, kn_array mean, kn_array cov, const kn_shape *size,
    const kn_rng_multivariate_normal_opts *opts);

/* ---- Orders and choices. */
typedef struct kn_rng_axis_opts { size_t size_; kn_axes axis; } kn_rng_axis_opts; /* not given, 0 */
KN_API kn_rng_axis_opts kn_rng_axis_opts_default(void);
typedef struct kn_rng_permuted_opts {
    size_t size_;
    kn_axes axis; /* None: all elements */
    kn_array out;
} kn_rng_permuted_opts;
KN_API kn_rng_permuted_opts kn_rng_permuted_opts_default(void);
typedef struct kn_rng_choice_opts {
    size_t size_;
    bool replace; /* true */
    kn_array p;   /* NULL, equal ones: the probability of each element */
    kn_axes axis; /* not given, 0 */
    bool shuffle; /* true: without replacement: in random order, too */
} kn_rng_choice_opts;
KN_API kn_rng_choice_opts kn_rng_choice_opts_default(void);
/* np.random.Generator.shuffle: puts the slices of x along an axis (0) in another order, in x itself; 0, or -1 with
 * an error */
KN_API int kn_rng_shuffle(kn_rng rng, kn_array x, const kn_rng_axis_opts *opts);
/* np.random.Generator.permutation: a copy of x with the slices along an axis (0) in another order; of a number x: 0
 * .. x-1 */
KN_API kn_array kn_rng_permutation(kn_rng rng, kn_array x, const kn_rng_axis_opts *opts);
/* np.random.Generator.permuted: a copy of x with each vector along the axis in an order of its own; without an axis
 * all elements, in the shape of x */
KN_API kn_array kn_rng_permuted(kn_rng rng, kn_array x, const kn_rng_permuted_opts *opts);
/* np.random.Generator.choice: elements of a drawn at random (or slices along the axis, 0), or of 0 .. a-1 for an
 * integer a; with .p of these probabilities, without .replace none twice (ValueError for more than there are) */
KN_API kn_array kn_rng_choice(kn_rng rng, kn_array a, const kn_shape *size, const kn_rng_choice_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_SeedSequence(entropy, ...)                                                                                  \
    KN_F1O(kn_SeedSequence, kn_seed_sequence_opts, (.pool_size = 4, ), entropy, __VA_ARGS__)
#define kn_seed_sequence_generate_state(sequence, n_words, ...)                                                        \
    KN_G2O(kn_seed_sequence_generate_state, kn_seed_sequence_generate_state_opts, (), kn_seed_sequence, sequence,      \
    int64_t, n_words, __VA_ARGS__)
#define kn_seed_sequence_spawn(sequence, n, children) KN_SEED_SEQUENCE_SPAWN_(__COUNTER__, sequence, n, children)
#define KN_SEED_SEQUENCE_SPAWN_(c, sequence, n, children)                                                              \
    __extension__({ KN_TAKE(kn_seed_sequence, 1, c, sequence) KN_TAKE(int, 2, c, n)                                    \
    KN_TAKE(kn_seed_sequence *, 3, c, children) KN_HERE(); (kn_seed_sequence_spawn)(KN_V(1, c), KN_V(2, c),            \
    KN_V(3, c)); })
#define kn_seed_sequence_entropy(sequence) KN_G1(kn_seed_sequence_entropy, kn_seed_sequence, sequence)
#define kn_seed_sequence_spawn_key(sequence) KN_G1(kn_seed_sequence_spawn_key, kn_seed_sequence, sequence)
#define kn_seed_sequence_pool(sequence) KN_G1(kn_seed_sequence_pool, kn_seed_sequence, sequence)
#define kn_seed_sequence_n_children_spawned(sequence)                                                                  \
    KN_G1(kn_seed_sequence_n_children_spawned, kn_seed_sequence, sequence)
#define kn_seed_sequence_get_state(sequence) KN_G1(kn_seed_sequence_get_state, kn_seed_sequence, sequence)
#define kn_PCG64(seed, ...) KN_F1O(kn_PCG64, kn_bit_generator_opts, (), seed, __VA_ARGS__)
#define kn_PCG64DXSM(seed, ...) KN_F1O(kn_PCG64DXSM, kn_bit_generator_opts, (), seed, __VA_ARGS__)
#define kn_MT19937(seed, ...) KN_F1O(kn_MT19937, kn_bit_generator_opts, (), seed, __VA_ARGS__)
#define kn_Philox(seed, ...) KN_F1O(kn_Philox, kn_philox_opts, (), seed, __VA_ARGS__)
#define kn_SFC64(seed, ...) KN_F1O(kn_SFC64, kn_bit_generator_opts, (), seed, __VA_ARGS__)
#define kn_bit_generator_name(bit_generator) KN_G1(kn_bit_generator_name, kn_bit_generator, bit_generator)
#define kn_bit_generator_seed_seq(bit_generator) KN_G1(kn_bit_generator_seed_seq, kn_bit_generator, bit_generator)
#define kn_bit_generator_random_raw(bit_generator, size) KN_BIT_GENERATOR_RANDOM_RAW_(__COUNTER__, bit_generator, size)
#define KN_BIT_GENERATOR_RANDOM_RAW_(c, bit_generator, size)                                                           \
    __extension__({ KN_TAKE(kn_bit_generator, 1, c, bit_generator) KN_TAKE(kn_shape, 2, c, size) KN_HERE();            \
    (kn_bit_generator_random_raw)(KN_V(1, c), &KN_V(2, c)); })
#define kn_bit_generator_jumped(bit_generator, ...)                                                                    \
    KN_G1O(kn_bit_generator_jumped, kn_bit_generator_jumped_opts, (.jumps = 1, ), kn_bit_generator, bit_generator,     \
    __VA_ARGS__)
#define kn_bit_generator_advance(bit_generator, delta) KN_BIT_GENERATOR_ADVANCE_(__COUNTER__, bit_generator, delta)
#define KN_BIT_GENERATOR_ADVANCE_(c, bit_generator, delta)                                                             \
    __extension__({ KN_TAKE(kn_bit_generator, 1, c, bit_generator) kn_array KN_V(2, c) = KN_LIKE(delta); KN_HERE();    \
    (kn_bit_generator_advance)(KN_V(1, c), KN_V(2, c)); })
#define kn_bit_generator_spawn(bit_generator, n, children)                                                             \
    KN_BIT_GENERATOR_SPAWN_(__COUNTER__, bit_generator, n, children)
#define KN_BIT_GENERATOR_SPAWN_(c, bit_generator, n, children)                                                         \
    __extension__({ KN_TAKE(kn_bit_generator, 1, c, bit_generator) KN_TAKE(int, 2, c, n)                               \
    KN_TAKE(kn_bit_generator *, 3, c, children) KN_HERE(); (kn_bit_generator_spawn)(KN_V(1, c), KN_V(2, c),            \
    KN_V(3, c)); })
#define kn_bit_generator_get_state(bit_generator) KN_G1(kn_bit_generator_get_state, kn_bit_generator, bit_generator)
#define kn_bit_generator_set_state(bit_generator, state)                                                               \
    KN_G2(kn_bit_generator_set_state, kn_bit_generator, bit_generator, const kn_bit_generator_state *, state)
#define kn_default_rng(seed) KN_F1(kn_default_rng, seed)
#define kn_Generator(bit_generator) KN_G1(kn_Generator, kn_bit_generator, bit_generator)
#define kn_rng_bit_generator(rng) KN_G1(kn_rng_bit_generator, kn_rng, rng)
#define kn_rng_spawn(rng, n, children) KN_RNG_SPAWN_(__COUNTER__, rng, n, children)
#define KN_RNG_SPAWN_(c, rng, n, children)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(int, 2, c, n) KN_TAKE(kn_rng *, 3, c, children) KN_HERE();      \
    (kn_rng_spawn)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_rng_random(rng, size, ...) KN_RNG_RANDOM_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_RANDOM_(c, rng, size, ...)                                                                              \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_random_opts, (),        \
    __VA_ARGS__) KN_HERE(); (kn_rng_random)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_uniform(rng, size, ...) KN_RNG_UNIFORM_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_UNIFORM_(c, rng, size, ...)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_uniform_opts, (),       \
    __VA_ARGS__) KN_HERE(); (kn_rng_uniform)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_integers(rng, low, high, size, ...) KN_RNG_INTEGERS_(__COUNTER__, rng, low, high, size, __VA_ARGS__)
#define KN_RNG_INTEGERS_(c, rng, low, high, size, ...)                                                                 \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(low); kn_array                            \
    KN_V(3, c) = KN_LIKE(high); KN_TAKE(kn_shape, 4, c, size) KN_OPTS(c, kn_rng_integers_opts, (), __VA_ARGS__)        \
    KN_HERE(); (kn_rng_integers)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_rng_bytes(rng, length) KN_G2(kn_rng_bytes, kn_rng, rng, int64_t, length)
#define kn_rng_standard_normal(rng, size, ...) KN_RNG_STANDARD_NORMAL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_STANDARD_NORMAL_(c, rng, size, ...)                                                                     \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_random_opts, (),        \
    __VA_ARGS__) KN_HERE(); (kn_rng_standard_normal)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_standard_exponential(rng, size, ...) KN_RNG_STANDARD_EXPONENTIAL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_STANDARD_EXPONENTIAL_(c, rng, size, ...)                                                                \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c,                                \
    kn_rng_standard_exponential_opts, (), __VA_ARGS__) KN_HERE(); (kn_rng_standard_exponential)(KN_V(1, c),            \
    &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_standard_gamma(rng, shape, size, ...) KN_RNG_STANDARD_GAMMA_(__COUNTER__, rng, shape, size, __VA_ARGS__)
#define KN_RNG_STANDARD_GAMMA_(c, rng, shape, size, ...)                                                               \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(shape); KN_TAKE(kn_shape, 3, c, size)     \
    KN_OPTS(c, kn_rng_random_opts, (), __VA_ARGS__) KN_HERE(); (kn_rng_standard_gamma)(KN_V(1, c), KN_V(2, c),         \
    &KN_V(3, c), KN_V(opt, c)); })
#define kn_rng_standard_cauchy(rng, size) KN_RNG_STANDARD_CAUCHY_(__COUNTER__, rng, size)
#define KN_RNG_STANDARD_CAUCHY_(c, rng, size)                                                                          \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_HERE();                                \
    (kn_rng_standard_cauchy)(KN_V(1, c), &KN_V(2, c)); })
#define kn_rng_standard_t(rng, df, size) KN_RNG_STANDARD_T_(__COUNTER__, rng, df, size)
#define KN_RNG_STANDARD_T_(c, rng, df, size)                                                                           \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(df); KN_TAKE(kn_shape, 3, c, size)        \
    KN_HERE(); (kn_rng_standard_t)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_normal(rng, size, ...) KN_RNG_NORMAL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_NORMAL_(c, rng, size, ...)                                                                              \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_loc_scale_opts, (),     \
    __VA_ARGS__) KN_HERE(); (kn_rng_normal)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_lognormal(rng, size, ...) KN_RNG_LOGNORMAL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_LOGNORMAL_(c, rng, size, ...)                                                                           \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_lognormal_opts, (),     \
    __VA_ARGS__) KN_HERE(); (kn_rng_lognormal)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_exponential(rng, size, ...) KN_RNG_EXPONENTIAL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_EXPONENTIAL_(c, rng, size, ...)                                                                         \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_scale_opts, (),         \
    __VA_ARGS__) KN_HERE(); (kn_rng_exponential)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_gamma(rng, shape, size, ...) KN_RNG_GAMMA_(__COUNTER__, rng, shape, size, __VA_ARGS__)
#define KN_RNG_GAMMA_(c, rng, shape, size, ...)                                                                        \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(shape); KN_TAKE(kn_shape, 3, c, size)     \
    KN_OPTS(c, kn_rng_scale_opts, (), __VA_ARGS__) KN_HERE(); (kn_rng_gamma)(KN_V(1, c), KN_V(2, c), &KN_V(3, c),      \
    KN_V(opt, c)); })
#define kn_rng_beta(rng, a, b, size) KN_RNG_BETA_(__COUNTER__, rng, a, b, size)
#define KN_RNG_BETA_(c, rng, a, b, size)                                                                               \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); kn_array KN_V(3, c) = KN_LIKE(b);     \
    KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_beta)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_chisquare(rng, df, size) KN_RNG_CHISQUARE_(__COUNTER__, rng, df, size)
#define KN_RNG_CHISQUARE_(c, rng, df, size)                                                                            \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(df); KN_TAKE(kn_shape, 3, c, size)        \
    KN_HERE(); (kn_rng_chisquare)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_noncentral_chisquare(rng, df, nonc, size) KN_RNG_NONCENTRAL_CHISQUARE_(__COUNTER__, rng, df, nonc, size)
#define KN_RNG_NONCENTRAL_CHISQUARE_(c, rng, df, nonc, size)                                                           \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(df); kn_array KN_V(3, c) = KN_LIKE(nonc); \
    KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_noncentral_chisquare)(KN_V(1, c), KN_V(2, c), KN_V(3, c),         \
    &KN_V(4, c)); })
#define kn_rng_f(rng, dfnum, dfden, size) KN_RNG_F_(__COUNTER__, rng, dfnum, dfden, size)
#define KN_RNG_F_(c, rng, dfnum, dfden, size)                                                                          \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(dfnum); kn_array                          \
    KN_V(3, c) = KN_LIKE(dfden); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_f)(KN_V(1, c), KN_V(2, c),           \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_noncentral_f(rng, dfnum, dfden, nonc, size)                                                             \
    KN_RNG_NONCENTRAL_F_(__COUNTER__, rng, dfnum, dfden, nonc, size)
#define KN_RNG_NONCENTRAL_F_(c, rng, dfnum, dfden, nonc, size)                                                         \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(dfnum); kn_array                          \
    KN_V(3, c) = KN_LIKE(dfden); kn_array KN_V(4, c) = KN_LIKE(nonc); KN_TAKE(kn_shape, 5, c, size) KN_HERE();         \
    (kn_rng_noncentral_f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_rng_gumbel(rng, size, ...) KN_RNG_GUMBEL_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_GUMBEL_(c, rng, size, ...)                                                                              \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_loc_scale_opts, (),     \
    __VA_ARGS__) KN_HERE(); (kn_rng_gumbel)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_laplace(rng, size, ...) KN_RNG_LAPLACE_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_LAPLACE_(c, rng, size, ...)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_loc_scale_opts, (),     \
    __VA_ARGS__) KN_HERE(); (kn_rng_laplace)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_logistic(rng, size, ...) KN_RNG_LOGISTIC_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_LOGISTIC_(c, rng, size, ...)                                                                            \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_loc_scale_opts, (),     \
    __VA_ARGS__) KN_HERE(); (kn_rng_logistic)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_pareto(rng, a, size) KN_RNG_PARETO_(__COUNTER__, rng, a, size)
#define KN_RNG_PARETO_(c, rng, a, size)                                                                                \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_pareto)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_power(rng, a, size) KN_RNG_POWER_(__COUNTER__, rng, a, size)
#define KN_RNG_POWER_(c, rng, a, size)                                                                                 \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_power)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_rayleigh(rng, size, ...) KN_RNG_RAYLEIGH_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_RAYLEIGH_(c, rng, size, ...)                                                                            \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_scale_opts, (),         \
    __VA_ARGS__) KN_HERE(); (kn_rng_rayleigh)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_triangular(rng, left, mode, right, size) KN_RNG_TRIANGULAR_(__COUNTER__, rng, left, mode, right, size)
#define KN_RNG_TRIANGULAR_(c, rng, left, mode, right, size)                                                            \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(left); kn_array                           \
    KN_V(3, c) = KN_LIKE(mode); kn_array KN_V(4, c) = KN_LIKE(right); KN_TAKE(kn_shape, 5, c, size) KN_HERE();         \
    (kn_rng_triangular)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_rng_vonmises(rng, mu, kappa, size) KN_RNG_VONMISES_(__COUNTER__, rng, mu, kappa, size)
#define KN_RNG_VONMISES_(c, rng, mu, kappa, size)                                                                      \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(mu); kn_array                             \
    KN_V(3, c) = KN_LIKE(kappa); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_vonmises)(KN_V(1, c), KN_V(2, c),    \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_wald(rng, mean, scale, size) KN_RNG_WALD_(__COUNTER__, rng, mean, scale, size)
#define KN_RNG_WALD_(c, rng, mean, scale, size)                                                                        \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(mean); kn_array                           \
    KN_V(3, c) = KN_LIKE(scale); KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_wald)(KN_V(1, c), KN_V(2, c),        \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_weibull(rng, a, size) KN_RNG_WEIBULL_(__COUNTER__, rng, a, size)
#define KN_RNG_WEIBULL_(c, rng, a, size)                                                                               \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_weibull)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_binomial(rng, n, p, size) KN_RNG_BINOMIAL_(__COUNTER__, rng, n, p, size)
#define KN_RNG_BINOMIAL_(c, rng, n, p, size)                                                                           \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(n); kn_array KN_V(3, c) = KN_LIKE(p);     \
    KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_binomial)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_negative_binomial(rng, n, p, size) KN_RNG_NEGATIVE_BINOMIAL_(__COUNTER__, rng, n, p, size)
#define KN_RNG_NEGATIVE_BINOMIAL_(c, rng, n, p, size)                                                                  \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(n); kn_array KN_V(3, c) = KN_LIKE(p);     \
    KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_negative_binomial)(KN_V(1, c), KN_V(2, c), KN_V(3, c),            \
    &KN_V(4, c)); })
#define kn_rng_poisson(rng, size, ...) KN_RNG_POISSON_(__COUNTER__, rng, size, __VA_ARGS__)
#define KN_RNG_POISSON_(c, rng, size, ...)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) KN_TAKE(kn_shape, 2, c, size) KN_OPTS(c, kn_rng_poisson_opts, (),       \
    __VA_ARGS__) KN_HERE(); (kn_rng_poisson)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_geometric(rng, p, size) KN_RNG_GEOMETRIC_(__COUNTER__, rng, p, size)
#define KN_RNG_GEOMETRIC_(c, rng, p, size)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(p); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_geometric)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_hypergeometric(rng, ngood, nbad, nsample, size)                                                         \
    KN_RNG_HYPERGEOMETRIC_(__COUNTER__, rng, ngood, nbad, nsample, size)
#define KN_RNG_HYPERGEOMETRIC_(c, rng, ngood, nbad, nsample, size)                                                     \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(ngood); kn_array                          \
    KN_V(3, c) = KN_LIKE(nbad); kn_array KN_V(4, c) = KN_LIKE(nsample); KN_TAKE(kn_shape, 5, c, size) KN_HERE();       \
    (kn_rng_hypergeometric)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), &KN_V(5, c)); })
#define kn_rng_logseries(rng, p, size) KN_RNG_LOGSERIES_(__COUNTER__, rng, p, size)
#define KN_RNG_LOGSERIES_(c, rng, p, size)                                                                             \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(p); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_logseries)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_zipf(rng, a, size) KN_RNG_ZIPF_(__COUNTER__, rng, a, size)
#define KN_RNG_ZIPF_(c, rng, a, size)                                                                                  \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_shape, 3, c, size)         \
    KN_HERE(); (kn_rng_zipf)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_dirichlet(rng, alpha, size) KN_RNG_DIRICHLET_(__COUNTER__, rng, alpha, size)
#define KN_RNG_DIRICHLET_(c, rng, alpha, size)                                                                         \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(alpha); KN_TAKE(kn_shape, 3, c, size)     \
    KN_HERE(); (kn_rng_dirichlet)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_rng_multinomial(rng, n, pvals, size) KN_RNG_MULTINOMIAL_(__COUNTER__, rng, n, pvals, size)
#define KN_RNG_MULTINOMIAL_(c, rng, n, pvals, size)                                                                    \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(n); kn_array KN_V(3, c) = KN_LIKE(pvals); \
    KN_TAKE(kn_shape, 4, c, size) KN_HERE(); (kn_rng_multinomial)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_rng_multivariate_hypergeometric(rng, colors, nsample, size, ...)                                            \
    KN_RNG_MULTIVARIATE_HYPERGEOMETRIC_(__COUNTER__, rng, colors, nsample, size, __VA_ARGS__)
#define KN_RNG_MULTIVARIATE_HYPERGEOMETRIC_(c, rng, colors, nsample, size, ...)                                        \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(colors); kn_array                         \
    KN_V(3, c) = KN_LIKE(nsample); KN_TAKE(kn_shape, 4, c, size) KN_OPTS(c, kn_rng_multivariate_hypergeometric_opts,   \
    (), __VA_ARGS__) KN_HERE(); (kn_rng_multivariate_hypergeometric)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c),  \
    KN_V(opt, c)); })
#define kn_rng_multivariate_normal(rng, mean, cov, size, ...)                                                          \
    KN_RNG_MULTIVARIATE_NORMAL_(__COUNTER__, rng, mean, cov, size, __VA_ARGS__)
#define KN_RNG_MULTIVARIATE_NORMAL_(c, rng, mean, cov, size, ...)                                                      \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(mean); kn_array                           \
    KN_V(3, c) = KN_LIKE(cov); KN_TAKE(kn_shape, 4, c, size) KN_OPTS(c, kn_rng_multivariate_normal_opts, (.tol = 1e-8, \
    ), __VA_ARGS__) KN_HERE(); (kn_rng_multivariate_normal)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c),           \
    KN_V(opt, c)); })
#define kn_rng_shuffle(rng, x, ...) KN_RNG_SHUFFLE_(__COUNTER__, rng, x, __VA_ARGS__)
#define KN_RNG_SHUFFLE_(c, rng, x, ...)                                                                                \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_rng_axis_opts, (),      \
    __VA_ARGS__) KN_HERE(); (kn_rng_shuffle)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_permutation(rng, x, ...) KN_RNG_PERMUTATION_(__COUNTER__, rng, x, __VA_ARGS__)
#define KN_RNG_PERMUTATION_(c, rng, x, ...)                                                                            \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_rng_axis_opts, (),      \
    __VA_ARGS__) KN_HERE(); (kn_rng_permutation)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_permuted(rng, x, ...) KN_RNG_PERMUTED_(__COUNTER__, rng, x, __VA_ARGS__)
#define KN_RNG_PERMUTED_(c, rng, x, ...)                                                                               \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_rng_permuted_opts, (),  \
    __VA_ARGS__) KN_HERE(); (kn_rng_permuted)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_rng_choice(rng, a, size, ...) KN_RNG_CHOICE_(__COUNTER__, rng, a, size, __VA_ARGS__)
#define KN_RNG_CHOICE_(c, rng, a, size, ...)                                                                           \
    __extension__({ KN_TAKE(kn_rng, 1, c, rng) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_shape, 3, c, size)         \
    KN_OPTS(c, kn_rng_choice_opts, (.replace = true, .shuffle = true, ), __VA_ARGS__) KN_HERE();                       \
    (kn_rng_choice)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
