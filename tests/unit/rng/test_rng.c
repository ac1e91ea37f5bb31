/* SPDX-License-Identifier: Apache-2.0
 * test_rng.c -- methods of generators beside their streams: out, views, traces, factors of covariances. */
#include "host/routine/isa.h"
#include "rng/functions.h"
#include "support/bits_named.h"
#include "support/expect.h"
#include "support/group.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RNG kn_default_rng(42)

static void numbers_go_into_out(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_array want = kn_rng_random(RNG, KN_SHAPE(6)), whole = kn_zeros(KN_SHAPE(3, 6));
    kn_array row = kn_at(whole, "1"), x = kn_rng_random(RNG, KN_SHAPE_NONE, .out = row);
    assert_true(x == row && kn_array_equal(kn_at(whole, "1"), want)); /* out itself, and the view's owner sees it */
    assert_true(kn_item(kn_sum(kn_at(whole, "::2"))) == 0);
    kn_array f = kn_copy(kn_zeros(KN_SHAPE(2, 3)), .order = "F");
    kn_rng_standard_normal(RNG, KN_SHAPE(2, 3), .out = f); /* in memory's order */
    assert_true(kn_array_equal(kn_ravel(kn_transpose(f)), kn_rng_standard_normal(RNG, KN_SHAPE(6))));
    kn_array g = kn_zeros(KN_SHAPE(4), .dtype = KN_F32);
    kn_rng_standard_gamma(RNG, 2.5, KN_SHAPE_NONE, .dtype = KN_F32, .out = g);
    assert_true(kn_array_equal(g, kn_rng_standard_gamma(RNG, 2.5, KN_SHAPE(4), .dtype = KN_F32)));
}

static void out_has_to_fit(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(4, 4));
    (void)kn_ok(kn_rng_random(RNG, KN_SHAPE(3), .out = x));
    expect_error("ValueError", "random: size must match out.shape when used together");
    (void)kn_ok(kn_rng_random(RNG, KN_SHAPE_NONE, .dtype = KN_F32, .out = x));
    expect_error("TypeError", "random: Supplied output array has the wrong type. Expected float32, got float64");
    (void)kn_ok(kn_rng_random(RNG, KN_SHAPE_NONE, .out = kn_at(x, ":, 1")));
    expect_error("ValueError",
                 "random: Supplied output array must be contiguous, writable, aligned, and in machine byte-order.");
    (void)kn_ok(kn_rng_standard_gamma(RNG, 1, KN_SHAPE_NONE, .out = kn_at(x, ":, 1")));
    expect_error(
        "ValueError",
        "standard_gamma: Supplied output array must be C-contiguous, writable, aligned, and in machine byte-order.");
}

static void shuffle_writes_into_views(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_array x = kn_arange(0, 20, 1), want = kn_arange(0, 20, 2);
    assert_int_equal(kn_rng_shuffle(RNG, kn_at(x, "::2")), 0);
    assert_int_equal(kn_rng_shuffle(RNG, want), 0);
    assert_true(kn_array_equal(kn_at(x, "::2"), want) && kn_array_equal(kn_at(x, "1::2"), kn_arange(1, 20, 2)));
    kn_array out = kn_zeros(KN_SHAPE(2, 5), .dtype = KN_I64), rows = kn_reshape(kn_arange(0, 10, 1), KN_SHAPE(2, 5));
    assert_true(kn_rng_permuted(RNG, rows, KN_AXIS(1), .out = out) == out);
    assert_true(kn_array_equal(out, kn_rng_permuted(RNG, rows, KN_AXIS(1))));
    (void)kn_ok(kn_rng_permuted(RNG, rows, .out = kn_zeros(KN_SHAPE(5, 2))));
    expect_error("ValueError", "permuted: out must have the same shape as x");
    assert_int_equal(kn_rng_shuffle(RNG, kn_broadcast_to(x, KN_SHAPE(2, 20))), -1);
    expect_error("ValueError", "shuffle: array is read-only");
}

static kn_array noisy(const kn_array *x) { return kn_add(*x, kn_rng_normal(RNG, KN_SHAPE())); }
KN_FUNCTION(noisy, kn_array, kn_array)

static void generators_are_refused_while_functions_are_recorded(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = NULL;
    kn_call(kn_jit(KN_FN(noisy)), &y, &x);
    expect_error("MutationError",
                 "normal: random numbers of a generator would be drawn once, while noisy is traced by jit, and not in "
                 "each call; draw them outside, or use kn_random_* with a key");
    kn_call(kn_grad(KN_FN(noisy)), &y, &x);
    assert_string_equal(kn_error_kind_name(), "MutationError");
    kn_error_clear();
    kn_call(KN_FN(noisy), &y, &x); /* plain calls are none */
    assert_true(kn_ok(y));
}

static void what_fails_draws_nothing(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_rng rng = RNG;
    (void)kn_ok(kn_rng_normal(rng, KN_SHAPE(3), .scale = kn_num(-1)));
    (void)kn_ok(kn_rng_integers(rng, 5, 5, KN_SHAPE(3)));
    (void)kn_ok(kn_rng_choice(rng, 3, KN_SHAPE(4), .replace = false));
    kn_error_clear();
    assert_true(kn_array_equal(kn_rng_random(rng, KN_SHAPE(3)), kn_rng_random(RNG, KN_SHAPE(3))));
}

static void covariances_have_three_factors(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_array mean = kn_of(double, 1, -2), cov = kn_reshape(kn_of(double, 2, 0.5, 0.5, 1), KN_SHAPE(2, 2));
    kn_array z = kn_rng_standard_normal(RNG, KN_SHAPE(4, 2));
    kn_array want = kn_add(mean, kn_matmul(z, kn_transpose(kn_linalg_cholesky(cov))));
    kn_array x = kn_rng_multivariate_normal(RNG, mean, cov, KN_SHAPE(4), .method = "cholesky");
    assert_true(kn_allclose(x, want, .rtol = 1e-14));
    const char *const methods[] = {"svd", "eigh"};
    for (int i = 0; i < 2; i++) { /* of any factor samples have this covariance */
        kn_array y = kn_rng_multivariate_normal(RNG, mean, cov, KN_SHAPE(20000), .method = methods[i]);
        assert_true(kn_allclose(kn_cov(kn_transpose(y)), cov, .atol = 0.06) &&
                    kn_allclose(kn_mean(y, KN_AXIS(0)), mean, .atol = 0.05));
    }
    (void)kn_ok(kn_rng_multivariate_normal(RNG, mean, kn_negative(cov), KN_SHAPE_NONE, .check_valid = "raise"));
    expect_error("ValueError", "multivariate_normal: covariance is not symmetric positive-semidefinite.");
    (void)kn_ok(kn_rng_multivariate_normal(RNG, mean, cov, KN_SHAPE_NONE, .method = "lu"));
    expect_error("ValueError", "multivariate_normal: method must be one of {'eigh', 'svd', 'cholesky'}");
    (void)kn_ok(kn_rng_multivariate_normal(RNG, kn_of(double, 1, 2, 3), cov, KN_SHAPE_NONE));
    expect_error("ValueError", "multivariate_normal: mean and cov must have same length");
}

static void numbers_that_no_one_could_draw_end(void **unused) /* NaN and infinite parameters that NumPy lets through */
{
    (void)unused;
    KN_SCOPE;
    double nan = NAN, inf = INFINITY;
    assert_true(isnan(kn_item(kn_rng_standard_gamma(RNG, nan, KN_SHAPE()))));
    assert_true(isnan(kn_item(kn_rng_chisquare(RNG, nan, KN_SHAPE()))));
    assert_true(isnan(kn_item(kn_rng_vonmises(RNG, 0.0, nan, KN_SHAPE()))));
    assert_true(kn_item(kn_random_state_vonmises(kn_RandomState(1), 0.5, 1e200, KN_SHAPE())) == 0.5);
    assert_true(kn_item(kn_random_state_vonmises(kn_RandomState(1), 0.5, 1e18, KN_SHAPE())) == 0.5);
    assert_true(kn_item(kn_random_state_zipf(kn_RandomState(1), inf, KN_SHAPE())) == 1);
    assert_true(isinf(kn_item(kn_rng_gamma(RNG, inf, KN_SHAPE()))));
}

static void a_context_has_a_random_state_of_its_own(void **unused)
{
    (void)unused;
    KN_SCOPE;
    assert_int_equal(kn_random_state_seed(kn_random_state_default(), 42), 0); /* np.random.seed(42) */
    kn_array x = kn_random_state_rand(kn_random_state_default(), KN_SHAPE(3));
    kn_array y = kn_random_state_randn(kn_random_state_default(), KN_SHAPE(1)); /* another handle, the same stream */
    kn_random_state same = kn_RandomState(42);
    assert_true(kn_array_equal(x, kn_random_state_rand(same, KN_SHAPE(3))));
    assert_true(kn_array_equal(y, kn_random_state_randn(same, KN_SHAPE(1))));
    kn_context mine = kn_context_new();
    kn_context_push(mine);
    {
        KN_SCOPE;
        kn_array z = kn_random_state_randn(kn_random_state_default(), KN_SHAPE(4)); /* seeded by the system */
        assert_true(kn_size(z) == 4 && kn_ok(z));
    }
    kn_context_pop();
    assert_int_equal(kn_context_free(mine), 0);
    assert_true(kn_array_equal(kn_random_state_randn(kn_random_state_default(), KN_SHAPE(3)),
                               kn_random_state_randn(same, KN_SHAPE(3)))); /* the second normal number was kept, too */
}

/* One word a number: pieces begin where the words of the ones before end. */
static void threads_do_not_change_streams(void **unused)
{
    static const char *const names[] = {"PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        KN_SCOPE;
        kn_array made[2][8];
        for (int many = 0; many < 2; many++) {
            KN_THREADS(many ? 3 : 1);
            kn_rng rng = kn_Generator(bits_named(names[i], kn_asarray(INT64_C(5))));
            kn_shape n = KN_SHAPE(300007);
            kn_array *m = made[many];
            (void)kn_rng_integers(rng, 0, 9, KN_SHAPE(3)); /* half of a word is left */
            m[0] = kn_rng_random(rng, n);
            m[1] = kn_rng_random(rng, n, .dtype = KN_F32);
            m[2] = kn_rng_uniform(rng, n, .low = kn_num(-2));
            m[3] = kn_rng_integers(rng, 0, 1024, n);
            m[4] = kn_rng_integers(rng, INT64_MIN, INT64_MAX, n, .endpoint = true);
            m[5] = kn_rng_integers(rng, 5, 37, n, .dtype = KN_I32);
            m[6] = kn_bit_generator_random_raw(kn_rng_bit_generator(rng), n);
            m[7] = kn_rng_integers(rng, 0, 1000, KN_SHAPE(11));
            for (int k = 0; k < 8; k++)
                kn_eval(m[k]);
        }
        for (int k = 0; k < 8; k++)
            assert_true(kn_array_equal(made[0][k], made[1][k]));
    }
}

/* As NumPy 2.4 does. */
static void no_bytes_draw_a_word(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_rng rng = kn_default_rng(1);
    assert_int_equal(kn_size(kn_rng_bytes(rng, 0)), 0);
    assert_int_equal(kn_size(kn_rng_integers(rng, 5, 4, KN_SHAPE(3, 0))), 0); /* bounds are not looked at */
    assert_true(kn_array_equal(kn_rng_integers(rng, 0, 1000, KN_SHAPE(3)), kn_of(int64_t, 511, 755, 950)));
}

static void null_and_dead_generators_are_errors(void **unused)
{
    (void)unused;
    KN_SCOPE;
    (void)kn_ok(kn_rng_random(NULL, KN_SHAPE(3)));
    expect_error("TypeError", "random: null generator");
    kn_rng dead;
    {
        KN_SCOPE;
        dead = RNG;
    }
    (void)kn_ok(kn_rng_random(dead, KN_SHAPE(3)));
    expect_error("ValueError", "random: this generator was released: the scope that owned it has ended");
}

/* ---- The functions, as built for each instruction set. */

enum { ARGUMENTS = 100000, ROW = 10 };

static uint64_t next_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

static double unit(uint64_t *state) { return (double)(next_word(state) >> 11) * 0x1p-53; }

/* Of x and y: every bit pattern now and then, magnitudes that the streams have otherwise. */
static void results_of(double *row, int i, uint64_t *state)
{
    const knrng_functions *f = knrng_function();
    double x = ldexp(unit(state) - 0.5, i % 24 - 11), y = ldexp(unit(state) - 0.5, i % 7);
    if (i % 4 == 0) {
        uint64_t word = next_word(state);
        memcpy(&x, &word, sizeof x);
    } else if (i % 4 == 1) {
        x = ldexp(unit(state) - 0.5, -(i % 1090));
    }
    double a = fabs(x), angle = fmod(a, 3.140625);
    float x32 = (float)x, a32 = fabsf(x32);
    row[0] = f->exp(x), row[1] = f->expm1(x), row[2] = f->log(a), row[3] = f->log1p(x), row[4] = f->pow(a, y);
    row[5] = isfinite(x) ? f->cos(angle) : 0, row[6] = f->acos(x);
    row[7] = (double)f->expf(x32), row[8] = (double)f->logf(a32), row[9] = (double)f->powf(a32, (float)y);
    for (int k = 0; k < ROW; k++)
        if (isnan(row[k])) /* whatever its sign */
            row[k] = NAN;
}

static void functions_have_the_same_bits_on_every_instruction_set(void **unused)
{
    (void)unused;
    double *base = malloc(sizeof(double[ARGUMENTS][ROW])), row[ROW];
    assert_non_null(base);
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++) {
        uint64_t state = 42;
        knr_isa_limit((knr_isa_kind)isa);
        knrng_choose_functions();
        for (int i = 0; i < ARGUMENTS; i++)
            if (isa == KNR_ISA_BASE)
                results_of(base + i * ROW, i, &state);
            else {
                results_of(row, i, &state);
                assert_memory_equal(row, base + i * ROW, sizeof row);
            }
    }
    free(base);
}

KN_TEST_GROUP(test_rng)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_go_into_out),
        TEST(out_has_to_fit),
        TEST(shuffle_writes_into_views),
        TEST(generators_are_refused_while_functions_are_recorded),
        TEST(what_fails_draws_nothing),
        TEST(covariances_have_three_factors),
        TEST(numbers_that_no_one_could_draw_end),
        TEST(a_context_has_a_random_state_of_its_own),
        TEST(threads_do_not_change_streams),
        TEST(no_bytes_draw_a_word),
        TEST(null_and_dead_generators_are_errors),
        TEST(functions_have_the_same_bits_on_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
