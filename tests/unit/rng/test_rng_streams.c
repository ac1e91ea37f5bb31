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
                                    ENTRY(choice)};
enum { ENTRIES = sizeof table / sizeof *table };

static void streams_are_those_of_numpy(void **unused)
{
    (void)unused;
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_streams.txt", table, ENTRIES);
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
        TEST(orders_are_those_of_numpy),
        TEST(errors_are_those_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
