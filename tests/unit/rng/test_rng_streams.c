/* SPDX-License-Identifier: Apache-2.0
 * test_rng_streams.c -- numbers, permutations, choices and errors of generators are NumPy's, and so are the states
 * after them (scripts/golden/make_rng.py). */
#include "support/expect.h"
#include "support/group.h"
#include "support/bits_named.h"
#include "support/numpy_calls.h"
#include <stdlib.h>
#include <string.h>

/* ---- Who draws: the options gen and seed. */

static kn_rng rng; /* one of them is NULL */
static kn_random_state state;

static void make_source(const numpy_call *c)
{
    const char *name = numpy_option(c, "gen");
    kn_array seed = kn_asarray((int64_t)numpy_number(c, "seed", 0));
    rng = NULL;
    state = NULL;
    if (!strcmp(name, "RandomState"))
        state = kn_RandomState(seed);
    else if (!strncmp(name, "RandomState-", 12))
        state = kn_RandomState(KN_NONE, .bit_generator = bits_named(name + 12, seed));
    else
        rng = kn_Generator(bits_named(name, seed));
    assert_true(rng || state);
}

static kn_array state_after(void)
{
    kn_bit_generator bits = rng ? kn_rng_bit_generator(rng) : kn_random_state_bit_generator(state);
    kn_bit_generator_state s = rng ? kn_bit_generator_get_state(bits) : kn_random_state_get_state(state);
    uint64_t word[6] = {(uint64_t)s.has_uint32, s.uinteger, (uint64_t)s.has_gauss};
    memcpy(&word[3], &s.gauss, sizeof s.gauss);
    (kn_copy_to)((kn_bit_generator_random_raw)(bits, &(kn_shape){1, {2}}), &word[4], 16);
    return kn_from(word, KN_SHAPE(6));
}

static uint64_t hash_of(kn_array x)
{
    const unsigned char *p = (kn_data_bytes)(x, NULL);
    uint64_t h = 0xcbf29ce484222325u;
    size_t bytes = (size_t)kn_size(x) * kn_dtype_size(kn_dtype_of(x));
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static kn_array first_of(kn_array x, int64_t n) { return kn_at(kn_ravel(x), ":%", kn_size(x) < n ? kn_size(x) : n); }

/* The first numbers, the shape, the hash, the state. */
static numpy_result summary(kn_array x)
{
    numpy_result r = {1, {x}};
    if (!kn_ok(x))
        return r;
    kn_shape shape = kn_shape_of(x), count = {1, {shape.ndim}};
    uint64_t hash = hash_of(x);
    return (numpy_result){
        4, {first_of(x, 8), (kn_from_memory)(shape.dim, &count, KN_I64), kn_from(&hash, KN_SHAPE()), state_after()}};
}

/* All of it, unless it is large. */
static numpy_result order(kn_array x)
{
    numpy_result r = {1, {x}};
    if (!kn_ok(x))
        return r;
    if (kn_size(x) > 64) {
        uint64_t hash = hash_of(x);
        x = kn_concatenate(KN_LIST(kn_astype(first_of(x, 8), KN_U64), kn_from(&hash, KN_SHAPE(1))));
    }
    return (numpy_result){2, {x, state_after()}};
}

static kn_shape size_of(const numpy_call *c)
{
    const char *s = numpy_option(c, "size");
    if (!s || !strcmp(s, "none"))
        return KN_SHAPE_NONE;
    kn_shape shape = {.ndim = 0};
    while (*s && *s != ';') {
        char *end;
        shape.dim[shape.ndim++] = strtoll(s, &end, 10);
        s = *end == ',' ? end + 1 : end;
    }
    return shape;
}

/* ---- The methods. */

#define SIZE       size_of(c)
#define A(i)       c->array[i]
#define GIVEN(key) .key = numpy_array(c, #key)
#define METHOD(name, ...)                                \
    static numpy_result call_##name(const numpy_call *c) \
    {                                                    \
        make_source(c);                                  \
        return __VA_ARGS__;                              \
    }
#define BOTH(name, ...) \
    METHOD(name, summary(rng ? kn_rng_##name(rng, __VA_ARGS__) : kn_random_state_##name(state, __VA_ARGS__)))
BOTH(standard_cauchy, SIZE)
BOTH(standard_t, A(0), SIZE)
BOTH(beta, A(0), A(1), SIZE)
BOTH(chisquare, A(0), SIZE)
BOTH(noncentral_chisquare, A(0), A(1), SIZE)
BOTH(f, A(0), A(1), SIZE)
BOTH(noncentral_f, A(0), A(1), A(2), SIZE)
BOTH(pareto, A(0), SIZE)
BOTH(power, A(0), SIZE)
BOTH(weibull, A(0), SIZE)
BOTH(wald, A(0), A(1), SIZE)
BOTH(triangular, A(0), A(1), A(2), SIZE)
BOTH(geometric, A(0), SIZE)
BOTH(logseries, A(0), SIZE)
BOTH(zipf, A(0), SIZE)
BOTH(binomial, A(0), A(1), SIZE)
BOTH(negative_binomial, A(0), A(1), SIZE)
BOTH(hypergeometric, A(0), A(1), A(2), SIZE)
BOTH(normal, SIZE, GIVEN(loc), GIVEN(scale))
BOTH(lognormal, SIZE, GIVEN(mean), GIVEN(sigma))
BOTH(exponential, SIZE, GIVEN(scale))
BOTH(gumbel, SIZE, GIVEN(loc), GIVEN(scale))
BOTH(laplace, SIZE, GIVEN(loc), GIVEN(scale))
BOTH(logistic, SIZE, GIVEN(loc), GIVEN(scale))
BOTH(rayleigh, SIZE, GIVEN(scale))
BOTH(uniform, SIZE, GIVEN(low), GIVEN(high))
BOTH(poisson, SIZE, GIVEN(lam))
BOTH(gamma, A(0), SIZE, GIVEN(scale))
BOTH(dirichlet, A(0), SIZE)
BOTH(multinomial, A(0), A(1), SIZE)
/* Its cosines may be others in their last bit: the numbers are told in units of 2^-30. */
static numpy_result call_vonmises(const numpy_call *c)
{
    make_source(c);
    kn_array x = rng ? kn_rng_vonmises(rng, A(0), A(1), SIZE) : kn_random_state_vonmises(state, A(0), A(1), SIZE);
    numpy_result r = summary(x);
    if (r.n > 1) {
        uint64_t hash = hash_of(kn_astype(kn_rint(kn_multiply(x, 1 << 30)), KN_I64));
        r.x[2] = kn_from(&hash, KN_SHAPE());
    }
    return r;
}

METHOD(standard_gamma, summary(rng ? kn_rng_standard_gamma(rng, A(0), SIZE, .dtype = numpy_dtype(c))
                                   : kn_random_state_standard_gamma(state, A(0), SIZE)))
METHOD(random, summary(rng ? kn_rng_random(rng, SIZE, .dtype = numpy_dtype(c)) : kn_random_state_random(state, SIZE)))
METHOD(random_sample, summary(kn_random_state_random_sample(state, SIZE)))
METHOD(standard_normal, summary(rng ? kn_rng_standard_normal(rng, SIZE, .dtype = numpy_dtype(c))
                                    : kn_random_state_standard_normal(state, SIZE)))
METHOD(standard_exponential, summary(rng ? kn_rng_standard_exponential(rng, SIZE, .dtype = numpy_dtype(c),
                                                                       .method = numpy_option(c, "method"))
                                         : kn_random_state_standard_exponential(state, SIZE)))
METHOD(tomaxint, summary(kn_random_state_tomaxint(state, SIZE)))
METHOD(integers, summary(kn_rng_integers(rng, A(0), c->n > 1 ? A(1) : KN_NONE, SIZE, .dtype = numpy_dtype(c),
                                         .endpoint = numpy_flag(c, "endpoint", false))))
METHOD(randint, summary(kn_random_state_randint(state, A(0), c->n > 1 ? A(1) : KN_NONE, SIZE, .dtype = numpy_dtype(c))))
METHOD(random_integers, summary(kn_random_state_random_integers(state, A(0), c->n > 1 ? A(1) : KN_NONE, SIZE)))
METHOD(bytes, summary(rng ? kn_rng_bytes(rng, c->list[0].dim[0]) : kn_random_state_bytes(state, c->list[0].dim[0])))
METHOD(multivariate_hypergeometric,
       summary(kn_rng_multivariate_hypergeometric(rng, A(0), A(1), SIZE, .method = numpy_option(c, "method"))))

/* ---- Orders. */

static kn_array laid_out(const numpy_call *c)
{
    return numpy_flag(c, "fortran", false) ? kn_copy(c->array[0], .order = "F") : c->array[0];
}

static numpy_result call_shuffle(const numpy_call *c)
{
    make_source(c);
    kn_array x = kn_copy(c->array[0]);
    int status = rng ? kn_rng_shuffle(rng, x, numpy_axes(c, "axis")) : kn_random_state_shuffle(state, x);
    return status ? (numpy_result){0, {NULL}} : order(x);
}

METHOD(permutation,
       order(rng ? kn_rng_permutation(rng, A(0), numpy_axes(c, "axis")) : kn_random_state_permutation(state, A(0))))
METHOD(permuted, order(kn_rng_permuted(rng, laid_out(c), numpy_axes(c, "axis"))))
METHOD(choice,
       order(rng ? kn_rng_choice(rng, A(0), SIZE, .replace = numpy_flag(c, "replace", true), .p = numpy_array(c, "p"),
                                 .axis = numpy_axes(c, "axis"), .shuffle = numpy_flag(c, "shuffle", true))
                 : kn_random_state_choice(state, A(0), SIZE, .replace = numpy_flag(c, "replace", true),
                                          .p = numpy_array(c, "p"))))

/* ---- The same of numbers that count up to 119 and begin again. */

static kn_array counting(const numpy_call *c)
{
    int64_t n = (int64_t)kn_item(A(0)), columns = (int64_t)numpy_number(c, "columns", 1);
    kn_array x = kn_astype(kn_remainder(kn_arange(0, n, 1), 120), numpy_dtype(c));
    return columns > 1 ? kn_reshape(x, KN_SHAPE(-1, columns)) : x;
}

static numpy_result call_shuffle_range(const numpy_call *c)
{
    make_source(c);
    kn_array x = kn_copy(counting(c));
    return kn_rng_shuffle(rng, x, numpy_axes(c, "axis")) ? (numpy_result){0, {NULL}} : order(x);
}

METHOD(permutation_range, order(kn_rng_permutation(rng, counting(c), numpy_axes(c, "axis"))))
METHOD(permuted_range, order(kn_rng_permuted(rng, counting(c), numpy_axes(c, "axis"))))

/* ---- Many methods of one generator, one after the other. */

typedef kn_array link(int64_t n);
#define S KN_SHAPE(n)
#define LINK(name, ...) \
    static kn_array name(int64_t n) { return __VA_ARGS__; }
LINK(new_random, kn_rng_random(rng, S))
LINK(new_random32, kn_rng_random(rng, S, .dtype = KN_F32))
LINK(new_bytes8, kn_rng_integers(rng, 0, 100, S, .dtype = KN_U8))
LINK(new_integers, kn_rng_integers(rng, 0, 1000, S))
LINK(new_wide, kn_rng_integers(rng, 0, INT64_C(1) << 40, S))
LINK(new_bool, kn_rng_integers(rng, 0, 2, S, .dtype = KN_BOOL))
LINK(new_normal, kn_rng_standard_normal(rng, S))
LINK(new_normal32, kn_rng_standard_normal(rng, S, .dtype = KN_F32))
LINK(new_exponential, kn_rng_standard_exponential(rng, S))
LINK(new_exponential32, kn_rng_standard_exponential(rng, S, .dtype = KN_F32))
LINK(new_gamma, kn_rng_gamma(rng, 0.7, S))
LINK(new_gamma32, kn_rng_standard_gamma(rng, 2.5, S, .dtype = KN_F32))
LINK(new_poisson, kn_rng_poisson(rng, S, .lam = kn_num(3)))
LINK(new_poisson100, kn_rng_poisson(rng, S, .lam = kn_num(100)))
LINK(new_binomial, kn_rng_binomial(rng, 10, 0.3, S))
LINK(new_binomial1000, kn_rng_binomial(rng, 1000, 0.4, S))
LINK(new_permutation, kn_rng_permutation(rng, 5 * n))
LINK(new_sample, kn_rng_choice(rng, 2000, S, .replace = false))
LINK(new_choice, kn_rng_choice(rng, 50, S))
LINK(new_bytes, kn_rng_bytes(rng, n))
LINK(new_beta, kn_rng_beta(rng, 0.5, 0.5, S))
LINK(new_zipf, kn_rng_zipf(rng, 2.0, S))
LINK(new_geometric, kn_rng_geometric(rng, 0.01, S))
LINK(new_hypergeometric, kn_rng_hypergeometric(rng, 10, 15, 7, S))
LINK(new_multinomial, kn_rng_multinomial(rng, 20, kn_of(double, 0.2, 0.3, 0.5), S))
LINK(new_colors, kn_rng_multivariate_hypergeometric(rng, kn_of(int64_t, 16, 8, 4), 6, S, .method = "count"))
LINK(new_dirichlet, kn_rng_dirichlet(rng, kn_of(double, 1, 2, 3), S))
LINK(new_wald, kn_rng_wald(rng, 1.0, 2.0, S))
LINK(new_laplace, kn_rng_laplace(rng, S))
LINK(new_bounds, kn_rng_integers(rng, kn_of(int64_t, 0, 5, INT64_C(1) << 33), INT64_C(1) << 34, KN_SHAPE(n, 3)))
LINK(new_permuted, kn_rng_permuted(rng, kn_reshape(kn_arange(0, 3 * n, 1), KN_SHAPE(n, 3)), KN_AXIS(1)))
LINK(old_random, kn_random_state_random_sample(state, S))
LINK(old_bytes8, kn_random_state_randint(state, 0, 100, S, .dtype = KN_U8))
LINK(old_integers, kn_random_state_randint(state, 0, 1000, S))
LINK(old_normal, kn_random_state_standard_normal(state, S))
LINK(old_exponential, kn_random_state_standard_exponential(state, S))
LINK(old_gamma, kn_random_state_gamma(state, 0.7, S))
LINK(old_poisson, kn_random_state_poisson(state, S, .lam = kn_num(3)))
LINK(old_poisson100, kn_random_state_poisson(state, S, .lam = kn_num(100)))
LINK(old_binomial, kn_random_state_binomial(state, 10, 0.3, S))
LINK(old_binomial1000, kn_random_state_binomial(state, 1000, 0.4, S))
LINK(old_permutation, kn_random_state_permutation(state, 5 * n))
LINK(old_sample, kn_random_state_choice(state, 2000, S, .replace = false))
LINK(old_bytes, kn_random_state_bytes(state, n))
LINK(old_beta, kn_random_state_beta(state, 0.5, 0.5, S))
LINK(old_zipf, kn_random_state_zipf(state, 2.0, S))
LINK(old_multinomial, kn_random_state_multinomial(state, 20, kn_of(double, 0.2, 0.3, 0.5), S))
LINK(old_dirichlet, kn_random_state_dirichlet(state, kn_of(double, 1, 2, 3), S))
LINK(old_laplace, kn_random_state_laplace(state, S))
LINK(old_hypergeometric, kn_random_state_hypergeometric(state, 10, 15, 7, S))
LINK(old_wide, kn_random_state_randint(state, 0, INT64_C(1) << 40, S))

static numpy_result call_chain(const numpy_call *c)
{
    static link *const of_generator[] = {
        new_random,   new_random32,     new_bytes8,         new_integers,    new_wide,    new_bool,      new_normal,
        new_normal32, new_exponential,  new_exponential32,  new_gamma,       new_gamma32, new_poisson,   new_poisson100,
        new_binomial, new_binomial1000, new_permutation,    new_sample,      new_choice,  new_bytes,     new_beta,
        new_zipf,     new_geometric,    new_hypergeometric, new_multinomial, new_colors,  new_dirichlet, new_wald,
        new_laplace,  new_bounds,       new_permuted};
    static link *const of_random_state[] = {
        old_random,     old_bytes8,      old_integers,     old_normal,      old_exponential,    old_gamma, old_poisson,
        old_poisson100, old_binomial,    old_binomial1000, old_permutation, old_sample,         old_bytes, old_beta,
        old_zipf,       old_multinomial, old_dirichlet,    old_laplace,     old_hypergeometric, old_wide};
    enum { NEW = sizeof of_generator / sizeof *of_generator, OLD = sizeof of_random_state / sizeof *of_random_state };
    uint64_t hash[4 * NEW];
    int count = 0, rounds = (int)numpy_number(c, "rounds", 1);
    make_source(c);
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < (rng ? NEW : OLD); i++) {
            int64_t n = ((7 * i + 11 * r) % 23 + 1) * (r == rounds - 1 ? 60 : 1);
            hash[count++] = hash_of(rng ? of_generator[i](n) : of_random_state[i](n));
        }
    return (numpy_result){2, {kn_from(hash, KN_SHAPE(count)), state_after()}};
}

#define ENTRY(name)           \
    {                         \
#name, call_##name, 0 \
    }
static const numpy_entry table[] = {ENTRY(standard_cauchy),
                                    ENTRY(standard_t),
                                    ENTRY(beta),
                                    ENTRY(chisquare),
                                    ENTRY(noncentral_chisquare),
                                    ENTRY(f),
                                    ENTRY(noncentral_f),
                                    ENTRY(pareto),
                                    ENTRY(power),
                                    ENTRY(weibull),
                                    ENTRY(wald),
                                    {"vonmises", call_vonmises, 4},
                                    ENTRY(triangular),
                                    ENTRY(geometric),
                                    ENTRY(logseries),
                                    ENTRY(zipf),
                                    ENTRY(binomial),
                                    ENTRY(negative_binomial),
                                    ENTRY(hypergeometric),
                                    ENTRY(normal),
                                    ENTRY(lognormal),
                                    ENTRY(exponential),
                                    ENTRY(gumbel),
                                    ENTRY(laplace),
                                    ENTRY(logistic),
                                    ENTRY(rayleigh),
                                    ENTRY(uniform),
                                    ENTRY(poisson),
                                    ENTRY(gamma),
                                    ENTRY(dirichlet),
                                    ENTRY(multinomial),
                                    ENTRY(standard_gamma),
                                    ENTRY(random),
                                    ENTRY(random_sample),
                                    ENTRY(standard_normal),
                                    ENTRY(standard_exponential),
                                    ENTRY(tomaxint),
                                    ENTRY(integers),
                                    ENTRY(randint),
                                    ENTRY(random_integers),
                                    ENTRY(bytes),
                                    ENTRY(multivariate_hypergeometric),
                                    ENTRY(shuffle),
                                    ENTRY(permutation),
                                    ENTRY(permuted),
                                    ENTRY(choice),
                                    ENTRY(shuffle_range),
                                    ENTRY(permutation_range),
                                    ENTRY(permuted_range),
                                    ENTRY(chain)};
enum { ENTRIES = sizeof table / sizeof *table };

static void streams_are_those_of_numpy(void **unused)
{
    (void)unused;
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_streams.txt", table, ENTRIES);
}

static void more_streams_are_those_of_numpy(void **unused)
{
    (void)unused;
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_more.txt", table, ENTRIES);
}

static void orders_are_those_of_numpy(void **unused)
{
    (void)unused;
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_orders.txt", table, ENTRIES);
}

static void errors_are_those_of_numpy(void **unused)
{
    (void)unused;
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_errors.txt", table, ENTRIES);
}

KN_TEST_GROUP(test_rng_streams)
{
    const struct CMUnitTest tests[] = {
        TEST(streams_are_those_of_numpy),
        TEST(more_streams_are_those_of_numpy),
        TEST(orders_are_those_of_numpy),
        TEST(errors_are_those_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
