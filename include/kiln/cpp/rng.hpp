/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/rng.hpp -- the functions of kiln/rng.h in C++. */
/* Made by scripts/make-api.py from api/rng.api. */
/* clang-format off */
#ifndef KILN_CPP_RNG_HPP
#define KILN_CPP_RNG_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/random.hpp"

namespace kiln {
namespace seed_sequence {
struct opts {
    KILN_OPTION((::kiln::array), spawn_key, {}) /* integers: the place in the tree of children */
    KILN_OPTION((int64_t), pool_size, 4) /* words of the pool, 4 at least */
    KILN_OPTION((int64_t), n_children_spawned, {}) /* of a sequence that goes on */
    kn_seed_sequence_opts c() const {
        kn_seed_sequence_opts to_ = {}; to_.size_ = sizeof to_; to_.spawn_key = detail::c_of(spawn_key);
        to_.pool_size = detail::c_of(pool_size); to_.n_children_spawned = detail::c_of(n_children_spawned); return to_;
        }
};
struct generate_state_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* or uint64 */
    kn_seed_sequence_generate_state_opts c() const {
        kn_seed_sequence_generate_state_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return
        to_; }
};
} // namespace seed_sequence
using SeedSequence_opts = ::kiln::seed_sequence::opts;
/* np.random.SeedSequence: entropy (an integer, or an array of them) made into a source of seeds: good states of any
 * length, and children that are independent. TypeError for numbers that are no integers */
inline handle<kn_seed_sequence> SeedSequence(const ::kiln::operand &entropy, const ::kiln::seed_sequence::opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array entropy_h = entropy.c(); kn_seed_sequence_opts opts_c = opts.c(); c_.here(); return
    handle<kn_seed_sequence>(c_.take(kn_SeedSequence(entropy_h, &opts_c))); }
namespace seed_sequence {
/* np.random.SeedSequence.generate_state: so many words made of the entropy, the same each time: uint32 (or uint64),
 * seeds for other generators */
inline array generate_state(const ::kiln::handle<kn_seed_sequence> &sequence, int64_t n_words, const
    ::kiln::seed_sequence::generate_state_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_seed_sequence_generate_state_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_seed_sequence_generate_state(sequence.c(), n_words, &opts_c))); }
/* np.random.SeedSequence.entropy: the entropy as it was given, uint64; words of 32 bits if it is the operating
 * system's: to write down what a program was seeded with */
inline array entropy(const ::kiln::handle<kn_seed_sequence> &sequence, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_seed_sequence_entropy(sequence.c()))); }
/* np.random.SeedSequence.spawn_key: the place in the tree of children, uint64: the number of each ancestor among its
 * siblings; empty for the root */
inline array spawn_key(const ::kiln::handle<kn_seed_sequence> &sequence, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_seed_sequence_spawn_key(sequence.c()))); }
/* np.random.SeedSequence.pool: the words that states are made from, uint32: the entropy, mixed; .pool_size of them
 * (4) */
inline array pool(const ::kiln::handle<kn_seed_sequence> &sequence, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_seed_sequence_pool(sequence.c()))); }
/* np.random.SeedSequence.n_children_spawned: how many children the sequence has made; the next ones are others */
inline int64_t n_children_spawned(const ::kiln::handle<kn_seed_sequence> &sequence, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_seed_sequence_n_children_spawned(sequence.c())); }
struct state { array entropy; array spawn_key; int64_t pool_size; int64_t n_children_spawned; };
/* np.random.SeedSequence.state: what kn_SeedSequence makes the same sequence of: entropy, spawn_key, pool_size and
 * n_children_spawned */
inline ::kiln::seed_sequence::state get_state(const ::kiln::handle<kn_seed_sequence> &sequence, place where = here())
{ detail::call c_(where); c_.here(); kn_seed_sequence_state r_ = c_.value(kn_seed_sequence_get_state(sequence.c()));
    return ::kiln::seed_sequence::state{array::share(r_.entropy), array::share(r_.spawn_key), r_.pool_size,
    r_.n_children_spawned}; }
} // namespace seed_sequence
namespace bit_generator {
struct opts {
    KILN_OPTION((::kiln::handle<kn_seed_sequence>), seed_seq, {})
    kn_bit_generator_opts c() const {
        kn_bit_generator_opts to_ = {}; to_.size_ = sizeof to_; to_.seed_seq = detail::c_of(seed_seq); return to_; }
};
} // namespace bit_generator
struct philox_opts {
    KILN_OPTION((::kiln::handle<kn_seed_sequence>), seed_seq, {})
    KILN_OPTION((::kiln::array), key, {})
    KILN_OPTION((::kiln::array), counter, {}) /* an integer, or 4 words of 64 bits */
    kn_philox_opts c() const {
        kn_philox_opts to_ = {}; to_.size_ = sizeof to_; to_.seed_seq = detail::c_of(seed_seq);
        to_.key = detail::c_of(key); to_.counter = detail::c_of(counter); return to_; }
};
namespace bit_generator {
struct jumped_opts {
    KILN_OPTION((int64_t), jumps, 1)
    kn_bit_generator_jumped_opts c() const {
        kn_bit_generator_jumped_opts to_ = {}; to_.size_ = sizeof to_; to_.jumps = detail::c_of(jumps); return to_; }
};
} // namespace bit_generator
using PCG64_opts = ::kiln::bit_generator::opts;
/* np.random.PCG64: a bit generator of 128 bits of state, that of kn_default_rng: a stream of words of 64 bits for
 * kn_Generator */
inline handle<kn_bit_generator> PCG64(const ::kiln::operand &seed, const ::kiln::bit_generator::opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_bit_generator_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_PCG64(seed_h, &opts_c))); }
using PCG64DXSM_opts = ::kiln::bit_generator::opts;
/* np.random.PCG64DXSM: a bit generator of 128 bits of state, PCG64 with a better last step: for very many streams at
 * once */
inline handle<kn_bit_generator> PCG64DXSM(const ::kiln::operand &seed, const ::kiln::bit_generator::opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_bit_generator_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_PCG64DXSM(seed_h, &opts_c))); }
using MT19937_opts = ::kiln::bit_generator::opts;
/* np.random.MT19937: the Mersenne Twister, a bit generator of 624 words of state: that of kn_RandomState, for
 * streams of older programs */
inline handle<kn_bit_generator> MT19937(const ::kiln::operand &seed, const ::kiln::bit_generator::opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_bit_generator_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_MT19937(seed_h, &opts_c))); }
using Philox_opts = ::kiln::philox_opts;
/* np.random.Philox: a bit generator that encrypts a counter with a key: any place of the stream is reached at once,
 * and each key has a stream of its own. ValueError for both a seed and a key */
inline handle<kn_bit_generator> Philox(const ::kiln::operand &seed, const ::kiln::philox_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_philox_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_Philox(seed_h, &opts_c))); }
using SFC64_opts = ::kiln::bit_generator::opts;
/* np.random.SFC64: a small and fast bit generator of 256 bits of state; it cannot jump or advance */
inline handle<kn_bit_generator> SFC64(const ::kiln::operand &seed, const ::kiln::bit_generator::opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); kn_bit_generator_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_SFC64(seed_h, &opts_c))); }
namespace bit_generator {
/* the name of its kind: "PCG64", "PCG64DXSM", "MT19937", "Philox" or "SFC64" */
inline std::string name(const ::kiln::handle<kn_bit_generator> &bit_generator, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_bit_generator_name(bit_generator.c())); }
/* np.random.BitGenerator.seed_seq: the seed sequence that it was seeded with; NULL without an error where there is
 * none (a key, a legacy seed) */
inline handle<kn_seed_sequence> seed_seq(const ::kiln::handle<kn_bit_generator> &bit_generator, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_seed_sequence>(c_.take(kn_bit_generator_seed_seq(bit_generator.c()))); }
/* np.random.BitGenerator.random_raw: the next words of its stream, uint64; those of MT19937 have 32 bits */
inline array random_raw(const ::kiln::handle<kn_bit_generator> &bit_generator, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_bit_generator_random_raw(bit_generator.c(),
    &size))); }
/* np.random.PCG64.jumped: a new bit generator, as if so many numbers had been drawn that no one draws as many: 2^128
 * for each jump (PCG64: the golden ratio of 2^128). For streams that do not overlap; the old one stays.
 * NotImplementedError for SFC64 */
inline handle<kn_bit_generator> jumped(const ::kiln::handle<kn_bit_generator> &bit_generator, const
    ::kiln::bit_generator::jumped_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_bit_generator_jumped_opts opts_c = opts.c(); c_.here(); return
    handle<kn_bit_generator>(c_.take(kn_bit_generator_jumped(bit_generator.c(), &opts_c))); }
/* np.random.PCG64.advance: moves on as if delta words had been drawn (of Philox: delta times four); an integer, also
 * a negative one, or 2 (of Philox 4) words of 64 bits. NotImplementedError for MT19937 and SFC64; 0, or -1 with an
 * error */
inline int advance(const ::kiln::handle<kn_bit_generator> &bit_generator, const ::kiln::operand &delta, place
    where = here())
{ detail::call c_(where); kn_array delta_h = delta.c(); c_.here(); return
    c_.value(kn_bit_generator_advance(bit_generator.c(), delta_h)); }
/* np.random.PCG64.state: the whole state, a struct without pointers: with kn_bit_generator_set_state the same
 * numbers come again */
inline kn_bit_generator_state get_state(const ::kiln::handle<kn_bit_generator> &bit_generator, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_bit_generator_get_state(bit_generator.c())); }
/* the state of kn_bit_generator_get_state, from where the stream goes on. ValueError for the state of another kind
 * of bit generator; 0, or -1 with an error */
inline int set_state(const ::kiln::handle<kn_bit_generator> &bit_generator, const kn_bit_generator_state &state, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_bit_generator_set_state(bit_generator.c(), &state)); }
} // namespace bit_generator
/* np.random.default_rng: a generator of random numbers: the same seed (an integer or an array of them), the same
 * stream as NumPy's. kn_Generator of kn_PCG64 of the seed */
inline handle<kn_rng> default_rng(const ::kiln::operand &seed, place where = here())
{ detail::call c_(where); kn_array seed_h = seed.c(); c_.here(); return handle<kn_rng>(c_.take(kn_default_rng(seed_h)));
    }
/* np.random.Generator: a generator of random numbers that draws from a bit generator; several generators of one bit
 * generator share its stream */
inline handle<kn_rng> Generator(const ::kiln::handle<kn_bit_generator> &bit_generator, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_rng>(c_.take(kn_Generator(bit_generator.c()))); }
namespace rng {
/* np.random.Generator.bit_generator: the bit generator that it draws from, not a copy */
inline handle<kn_bit_generator> bit_generator(const ::kiln::handle<kn_rng> &rng, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_bit_generator>(c_.take(kn_rng_bit_generator(rng.c()))); }
struct random_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* or float32 */
    KILN_OPTION((::kiln::array), out, {})
    kn_rng_random_opts c() const {
        kn_rng_random_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.out = detail::c_of(out); return to_; }
};
struct standard_exponential_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* or float32 */
    KILN_OPTION((::kiln::text), method, {}) /* "inv": the logarithm of a uniform number */
    KILN_OPTION((::kiln::array), out, {})
    kn_rng_standard_exponential_opts c() const {
        kn_rng_standard_exponential_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.method = detail::c_of(method); to_.out = detail::c_of(out); return to_; }
};
struct integers_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* any integer dtype, or bool */
    KILN_OPTION((bool), endpoint, {}) /* high is one of them, too */
    kn_rng_integers_opts c() const {
        kn_rng_integers_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.endpoint = detail::c_of(endpoint); return to_; }
};
struct uniform_opts {
    KILN_OPTION((::kiln::array), low, {}) /* 0 */
    KILN_OPTION((::kiln::array), high, {}) /* 1 */
    kn_rng_uniform_opts c() const {
        kn_rng_uniform_opts to_ = {}; to_.size_ = sizeof to_; to_.low = detail::c_of(low);
        to_.high = detail::c_of(high); return to_; }
};
/* np.random.Generator.random: floats in [0, 1), each as likely as the others, float64 or float32; with .out they are
 * put there */
inline array random(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::random_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_random_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_random(rng.c(), &size, &opts_c))); }
/* np.random.Generator.uniform: floats in [low, high), each as likely as the others; OverflowError where high - low
 * is not finite */
inline array uniform(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::uniform_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_uniform_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_uniform(rng.c(), &size, &opts_c))); }
/* np.random.Generator.integers: integers in [low, high), each as likely as the others; bounds broadcast. int64 or
 * another integer dtype; .endpoint: high is one of them, too. ValueError if there are none */
inline array integers(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &low, const ::kiln::operand &high, const
    ::kiln::shape &size, const ::kiln::rng::integers_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array low_h = low.c(); kn_array high_h = high.c(); kn_rng_integers_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_rng_integers(rng.c(), low_h, high_h, &size, &opts_c))); }
/* np.random.Generator.bytes: random bytes, uint8[length] */
inline array bytes(const ::kiln::handle<kn_rng> &rng, int64_t length, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_rng_bytes(rng.c(), length))); }
struct loc_scale_opts {
    KILN_OPTION((::kiln::array), loc, {}) /* 0 */
    KILN_OPTION((::kiln::array), scale, {}) /* 1 */
    kn_rng_loc_scale_opts c() const {
        kn_rng_loc_scale_opts to_ = {}; to_.size_ = sizeof to_; to_.loc = detail::c_of(loc);
        to_.scale = detail::c_of(scale); return to_; }
};
struct scale_opts {
    KILN_OPTION((::kiln::array), scale, {}) /* 1 */
    kn_rng_scale_opts c() const {
        kn_rng_scale_opts to_ = {}; to_.size_ = sizeof to_; to_.scale = detail::c_of(scale); return to_; }
};
struct lognormal_opts {
    KILN_OPTION((::kiln::array), mean, {}) /* 0 */
    KILN_OPTION((::kiln::array), sigma, {}) /* 1 */
    kn_rng_lognormal_opts c() const {
        kn_rng_lognormal_opts to_ = {}; to_.size_ = sizeof to_; to_.mean = detail::c_of(mean);
        to_.sigma = detail::c_of(sigma); return to_; }
};
using standard_normal_opts = ::kiln::rng::random_opts;
/* np.random.Generator.standard_normal: normal numbers of mean 0 and variance 1, float64 or float32 */
inline array standard_normal(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const
    ::kiln::rng::random_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_random_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_standard_normal(rng.c(), &size, &opts_c))); }
/* np.random.Generator.standard_exponential: numbers of the exponential distribution of mean 1: density e^-x for x >=
 * 0. The method "inv" takes the logarithm of a uniform number: other numbers of the same distribution */
inline array standard_exponential(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const
    ::kiln::rng::standard_exponential_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_standard_exponential_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_standard_exponential(rng.c(), &size, &opts_c))); }
using standard_gamma_opts = ::kiln::rng::random_opts;
/* np.random.Generator.standard_gamma: numbers of the gamma distribution of a shape, scale 1: the mean is the shape.
 * ValueError for a negative shape */
inline array standard_gamma(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &shape, const ::kiln::shape &size,
    const ::kiln::rng::random_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array shape_h = shape.c(); kn_rng_random_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_standard_gamma(rng.c(), shape_h, &size, &opts_c))); }
/* np.random.Generator.standard_cauchy: numbers of the Cauchy distribution, median 0, scale 1: so heavy tails that
 * they have no mean */
inline array standard_cauchy(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_rng_standard_cauchy(rng.c(), &size))); }
/* np.random.Generator.standard_t: numbers of Student's t distribution of df degrees of freedom: heavier tails than
 * normal ones, the fewer df */
inline array standard_t(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &df, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array df_h = df.c(); c_.here(); return array::share(c_.take(kn_rng_standard_t(rng.c(),
    df_h, &size))); }
using normal_opts = ::kiln::rng::loc_scale_opts;
/* np.random.Generator.normal: normal numbers of mean loc (0) and standard deviation scale (1). ValueError for a
 * negative scale */
inline array normal(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::loc_scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_normal(rng.c(), &size, &opts_c))); }
/* np.random.Generator.lognormal: e to the power of normal numbers of mean `mean` (0) and standard deviation sigma
 * (1) */
inline array lognormal(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::lognormal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_lognormal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_lognormal(rng.c(), &size, &opts_c))); }
using exponential_opts = ::kiln::rng::scale_opts;
/* np.random.Generator.exponential: numbers of the exponential distribution of mean scale (1): how long it takes
 * until something happens. ValueError for a negative scale */
inline array exponential(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_exponential(rng.c(), &size, &opts_c))); }
using gamma_opts = ::kiln::rng::scale_opts;
/* np.random.Generator.gamma: numbers of the gamma distribution of a shape, times scale (1): mean shape times scale.
 * ValueError for negative parameters */
inline array gamma(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &shape, const ::kiln::shape &size, const
    ::kiln::rng::scale_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array shape_h = shape.c(); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_gamma(rng.c(), shape_h, &size, &opts_c))); }
/* np.random.Generator.beta: numbers in (0, 1) of the beta distribution of a and b: mean a / (a + b), narrow if they
 * are large. ValueError unless both are positive */
inline array beta(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::operand &b, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_rng_beta(rng.c(), a_h, b_h, &size))); }
/* np.random.Generator.chisquare: numbers of the chi-square distribution: the sum of squares of df standard normal
 * numbers, mean df. ValueError unless df is positive */
inline array chisquare(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &df, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array df_h = df.c(); c_.here(); return array::share(c_.take(kn_rng_chisquare(rng.c(), df_h,
    &size))); }
/* np.random.Generator.noncentral_chisquare: numbers of the noncentral chi-square distribution: squares of df normal
 * numbers whose squared means add to nonc; mean df + nonc */
inline array noncentral_chisquare(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &df, const ::kiln::operand
    &nonc, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array df_h = df.c(); kn_array nonc_h = nonc.c(); c_.here(); return
    array::share(c_.take(kn_rng_noncentral_chisquare(rng.c(), df_h, nonc_h, &size))); }
/* np.random.Generator.f: numbers of the F distribution: the ratio of two chi-square numbers of dfnum and dfden, each
 * divided by its degrees of freedom */
inline array f(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &dfnum, const ::kiln::operand &dfden, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array dfnum_h = dfnum.c(); kn_array dfden_h = dfden.c(); c_.here(); return
    array::share(c_.take(kn_rng_f(rng.c(), dfnum_h, dfden_h, &size))); }
/* np.random.Generator.noncentral_f: numbers of the noncentral F distribution: the F ratio with a noncentral
 * chi-square number above */
inline array noncentral_f(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &dfnum, const ::kiln::operand &dfden,
    const ::kiln::operand &nonc, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array dfnum_h = dfnum.c(); kn_array dfden_h = dfden.c(); kn_array nonc_h = nonc.c();
    c_.here(); return array::share(c_.take(kn_rng_noncentral_f(rng.c(), dfnum_h, dfden_h, nonc_h, &size))); }
using gumbel_opts = ::kiln::rng::loc_scale_opts;
/* np.random.Generator.gumbel: numbers of the Gumbel distribution of mode loc (0) and scale (1): the largest of many */
inline array gumbel(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::loc_scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_gumbel(rng.c(), &size, &opts_c))); }
using laplace_opts = ::kiln::rng::loc_scale_opts;
/* np.random.Generator.laplace: numbers of the Laplace distribution of mean loc (0) and scale (1): exponential to
 * both sides */
inline array laplace(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::loc_scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_laplace(rng.c(), &size, &opts_c))); }
using logistic_opts = ::kiln::rng::loc_scale_opts;
/* np.random.Generator.logistic: numbers of the logistic distribution of mean loc (0) and scale (1) */
inline array logistic(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::loc_scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_loc_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_logistic(rng.c(), &size, &opts_c))); }
/* np.random.Generator.pareto: numbers of the Pareto distribution of the second kind (Lomax) of shape a, from 0 on;
 * add 1 for the classical one */
inline array pareto(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_rng_pareto(rng.c(), a_h,
    &size))); }
/* np.random.Generator.power: numbers in [0, 1] of density a x^(a-1): the larger a, the nearer to 1 */
inline array power(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_rng_power(rng.c(), a_h,
    &size))); }
using rayleigh_opts = ::kiln::rng::scale_opts;
/* np.random.Generator.rayleigh: numbers of the Rayleigh distribution: the length of a vector of two normal numbers
 * of standard deviation scale (1) */
inline array rayleigh(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::scale_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_scale_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_rayleigh(rng.c(), &size, &opts_c))); }
/* np.random.Generator.triangular: numbers between left and right, whose density is a triangle with its top at mode.
 * ValueError unless left <= mode <= right and left < right */
inline array triangular(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &left, const ::kiln::operand &mode,
    const ::kiln::operand &right, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array left_h = left.c(); kn_array mode_h = mode.c(); kn_array right_h = right.c();
    c_.here(); return array::share(c_.take(kn_rng_triangular(rng.c(), left_h, mode_h, right_h, &size))); }
/* np.random.Generator.vonmises: angles in [-pi, pi] around mu, the closer the larger kappa: normal numbers on a
 * circle */
inline array vonmises(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &mu, const ::kiln::operand &kappa, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array mu_h = mu.c(); kn_array kappa_h = kappa.c(); c_.here(); return
    array::share(c_.take(kn_rng_vonmises(rng.c(), mu_h, kappa_h, &size))); }
/* np.random.Generator.wald: numbers of the Wald (inverse normal) distribution of a mean and a scale, both positive */
inline array wald(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &mean, const ::kiln::operand &scale, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array mean_h = mean.c(); kn_array scale_h = scale.c(); c_.here(); return
    array::share(c_.take(kn_rng_wald(rng.c(), mean_h, scale_h, &size))); }
/* np.random.Generator.weibull: numbers of the Weibull distribution of shape a, scale 1: a number of the exponential
 * distribution to the power 1 / a */
inline array weibull(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_rng_weibull(rng.c(), a_h,
    &size))); }
struct poisson_opts {
    KILN_OPTION((::kiln::array), lam, {}) /* 1 */
    kn_rng_poisson_opts c() const {
        kn_rng_poisson_opts to_ = {}; to_.size_ = sizeof to_; to_.lam = detail::c_of(lam); return to_; }
};
/* np.random.Generator.binomial: how many of n trials of probability p succeed. ValueError for p outside of [0, 1]
 * and negative n */
inline array binomial(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &n, const ::kiln::operand &p, const
    ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_rng_binomial(rng.c(), n_h, p_h, &size))); }
/* np.random.Generator.negative_binomial: how many trials of probability p fail before n succeed; n need not be whole */
inline array negative_binomial(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &n, const ::kiln::operand &p,
    const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array p_h = p.c(); c_.here(); return
    array::share(c_.take(kn_rng_negative_binomial(rng.c(), n_h, p_h, &size))); }
/* np.random.Generator.poisson: how many events happen where lam (1) are expected. ValueError for negative lam */
inline array poisson(const ::kiln::handle<kn_rng> &rng, const ::kiln::shape &size, const ::kiln::rng::poisson_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_rng_poisson_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_poisson(rng.c(), &size, &opts_c))); }
/* np.random.Generator.geometric: how many trials of probability p it takes until one succeeds: from 1 on, mean 1 / p */
inline array geometric(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &p, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return array::share(c_.take(kn_rng_geometric(rng.c(), p_h,
    &size))); }
/* np.random.Generator.hypergeometric: how many of nsample balls, drawn without putting them back from ngood good and
 * nbad bad ones, are good. ValueError for more than there are */
inline array hypergeometric(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &ngood, const ::kiln::operand
    &nbad, const ::kiln::operand &nsample, const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array ngood_h = ngood.c(); kn_array nbad_h = nbad.c(); kn_array nsample_h = nsample.c();
    c_.here(); return array::share(c_.take(kn_rng_hypergeometric(rng.c(), ngood_h, nbad_h, nsample_h, &size))); }
/* np.random.Generator.logseries: integers from 1 on, k with a probability proportional to p^k / k, for p in [0, 1) */
inline array logseries(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &p, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array p_h = p.c(); c_.here(); return array::share(c_.take(kn_rng_logseries(rng.c(), p_h,
    &size))); }
/* np.random.Generator.zipf: integers from 1 on, k with a probability proportional to k^-a, for a > 1: ranks of words */
inline array zipf(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_rng_zipf(rng.c(), a_h,
    &size))); }
struct multivariate_normal_opts {
    KILN_OPTION((::kiln::text), check_valid, {}) /* a covariance that is none: "warn" writes a line to the log */
    KILN_OPTION((double), tol, 1e-8)
    KILN_OPTION((::kiln::text), method, {}) /* "svd" */
    kn_rng_multivariate_normal_opts c() const {
        kn_rng_multivariate_normal_opts to_ = {}; to_.size_ = sizeof to_; to_.check_valid = detail::c_of(check_valid);
        to_.tol = detail::c_of(tol); to_.method = detail::c_of(method); return to_; }
};
struct multivariate_hypergeometric_opts {
    KILN_OPTION((::kiln::text), method, {}) /* "marginals" */
    kn_rng_multivariate_hypergeometric_opts c() const {
        kn_rng_multivariate_hypergeometric_opts to_ = {}; to_.size_ = sizeof to_; to_.method = detail::c_of(method);
        return to_; }
};
/* np.random.Generator.dirichlet: vectors of numbers in [0, 1] that add to 1, of the Dirichlet distribution of alpha,
 * one axis: probabilities of categories. The result has the size and that axis */
inline array dirichlet(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &alpha, const ::kiln::shape &size, place
    where = here())
{ detail::call c_(where); kn_array alpha_h = alpha.c(); c_.here(); return array::share(c_.take(kn_rng_dirichlet(rng.c(),
    alpha_h, &size))); }
/* np.random.Generator.multinomial: how many of n trials fall into each category of probabilities pvals (the last
 * axis); n and pvals but for that axis broadcast. ValueError if pvals without the last one add to more than 1 */
inline array multinomial(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &n, const ::kiln::operand &pvals,
    const ::kiln::shape &size, place where = here())
{ detail::call c_(where); kn_array n_h = n.c(); kn_array pvals_h = pvals.c(); c_.here(); return
    array::share(c_.take(kn_rng_multinomial(rng.c(), n_h, pvals_h, &size))); }
/* np.random.Generator.multivariate_hypergeometric: how many of each color are among nsample balls, drawn without
 * putting them back; colors[k] is how many there are */
inline array multivariate_hypergeometric(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &colors, const
    ::kiln::operand &nsample, const ::kiln::shape &size, const ::kiln::rng::multivariate_hypergeometric_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array colors_h = colors.c(); kn_array nsample_h = nsample.c();
    kn_rng_multivariate_hypergeometric_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_multivariate_hypergeometric(rng.c(), colors_h, nsample_h, &size, &opts_c))); }
/* np.random.Generator.multivariate_normal: vectors of normal numbers of a mean[n] and a covariance[n, n]: the size
 * and an axis of n. The normal numbers are NumPy's, the factor of the covariance is kn_linalg's. check_valid says
 * what happens to a covariance that is none: a line in the log, a ValueError ("raise") or nothing */
inline array multivariate_normal(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &mean, const ::kiln::operand
    &cov, const ::kiln::shape &size, const ::kiln::rng::multivariate_normal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array mean_h = mean.c(); kn_array cov_h = cov.c(); kn_rng_multivariate_normal_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_rng_multivariate_normal(rng.c(), mean_h, cov_h, &size,
    &opts_c))); }
struct axis_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* 0 */
    kn_rng_axis_opts c() const {
        kn_rng_axis_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct permuted_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* None: all elements */
    KILN_OPTION((::kiln::array), out, {})
    kn_rng_permuted_opts c() const {
        kn_rng_permuted_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.out = detail::c_of(out); return to_; }
};
struct choice_opts {
    KILN_OPTION((bool), replace, true)
    KILN_OPTION((::kiln::array), p, {}) /* the probability of each element */
    KILN_OPTION((::kiln::axes), axis, {}) /* 0 */
    KILN_OPTION((bool), shuffle, true) /* without replacement: in random order, too */
    kn_rng_choice_opts c() const {
        kn_rng_choice_opts to_ = {}; to_.size_ = sizeof to_; to_.replace = detail::c_of(replace);
        to_.p = detail::c_of(p); to_.axis = detail::c_of(axis); to_.shuffle = detail::c_of(shuffle); return to_; }
};
using shuffle_opts = ::kiln::rng::axis_opts;
/* np.random.Generator.shuffle: puts the slices of x along an axis (0) in another order, in x itself; 0, or -1 with
 * an error */
inline int shuffle(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &x, const ::kiln::rng::axis_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_rng_axis_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_rng_shuffle(rng.c(), x_h, &opts_c)); }
using permutation_opts = ::kiln::rng::axis_opts;
/* np.random.Generator.permutation: a copy of x with the slices along an axis (0) in another order; of a number x: 0
 * .. x-1 */
inline array permutation(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &x, const ::kiln::rng::axis_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_rng_axis_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_permutation(rng.c(), x_h, &opts_c))); }
/* np.random.Generator.permuted: a copy of x with each vector along the axis in an order of its own; without an axis
 * all elements, in the shape of x */
inline array permuted(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &x, const ::kiln::rng::permuted_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_rng_permuted_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_permuted(rng.c(), x_h, &opts_c))); }
/* np.random.Generator.choice: elements of a drawn at random (or slices along the axis, 0), or of 0 .. a-1 for an
 * integer a; with .p of these probabilities, without .replace none twice (ValueError for more than there are) */
inline array choice(const ::kiln::handle<kn_rng> &rng, const ::kiln::operand &a, const ::kiln::shape &size, const
    ::kiln::rng::choice_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_rng_choice_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rng_choice(rng.c(), a_h, &size, &opts_c))); }
} // namespace rng
} // namespace kiln
#endif
