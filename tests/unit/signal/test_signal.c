/* SPDX-License-Identifier: Apache-2.0
 * test_signal.c -- convolutions as in scipy.signal: calls whose results and errors SciPy gave, and what they do under
 * transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

#define MODE numpy_option(c, "mode")
#define FUNCTION(name)                                                                          \
    static numpy_result call_##name(const numpy_call *c)                                        \
    {                                                                                           \
        return numpy_one(kn_##name(c->array[0], c->array[1], .mode = numpy_option(c, "mode"))); \
    }
#define OF_MATRICES(name)                                                                     \
    static numpy_result call_##name(const numpy_call *c)                                      \
    {                                                                                         \
        return numpy_one(kn_##name(c->array[0], c->array[1], .mode = numpy_option(c, "mode"), \
                                   .boundary = numpy_option(c, "boundary"),                   \
                                   .fillvalue = numpy_array(c, "fillvalue")));                \
    }
FUNCTION(signal_convolve)
FUNCTION(signal_correlate)
OF_MATRICES(signal_convolve2d)
OF_MATRICES(signal_correlate2d)

#define CALL(name)              \
    {                           \
#name, call_##name, 0.1 \
    } /* exact but for the sign of zeros */

static void results_are_those_of_scipy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {CALL(signal_convolve), CALL(signal_correlate), CALL(signal_convolve2d),
                                        CALL(signal_correlate2d)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/signal.txt", table, sizeof table / sizeof *table);
}

static void empty_arrays_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_signal_convolve(kn_zeros(KN_SHAPE(0)), kn_ones(KN_SHAPE(2))));
    expect_error("ValueError", "signal_convolve: in1 and in2 cannot be empty");
    (void)kn_ok(
        kn_signal_convolve2d(kn_ones(KN_SHAPE(2, 2)), kn_ones(KN_SHAPE(2, 2)), .fillvalue = kn_ones(KN_SHAPE(2))));
    expect_error("ValueError", "signal_convolve2d: fillvalue must be a scalar");
}

/* ---- Transformations. */

typedef struct {
    kn_array x, k;
} Pair;
typedef struct {
    int32_t which;
} Which;

static kn_array filtered(const Which *w, const Pair *p)
{
    switch (w->which) {
    case 0: return kn_signal_convolve(p->x, p->k);
    case 1: return kn_signal_convolve(p->x, p->k, .mode = "same");
    case 2: return kn_signal_correlate(p->k, p->x, .mode = "valid");
    case 3: return kn_signal_convolve2d(p->x, p->k, .boundary = "wrap");
    case 4: return kn_signal_correlate2d(p->x, p->k, .mode = "same", .boundary = "symm");
    default: return kn_convolve(kn_at(p->x, "0"), kn_at(p->k, "1"));
    }
}
KN_FUNCTION_ENV(filtered, kn_array, Which, Pair)
enum { CASES = 6, LANES = 3 };

static Pair operands(double start)
{
    kn_array x = kn_reshape(kn_sin(kn_arange(start, start + 20, 1.0)), KN_SHAPE(4, 5));
    kn_array k = kn_reshape(kn_cos(kn_arange(start, start + 6, 1.0)), KN_SHAPE(2, 3));
    return (Pair){x, k};
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        KN_SCOPE;
        Pair p = operands(0.5);
        if (kn_testing_check_grads(KN_FN_ENV(filtered, &(Which){i}), KN_ARGS(&p), 2, .atol = 1e-4, .rtol = 1e-4) != 0)
            fail_msg("%d: %s", i, kn_error_message());
    }
}

static void lanes_are_a_loop(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int shared = 0; shared < 2; shared++) {
            KN_SCOPE;
            kn_fn f = KN_FN_ENV(filtered, &(Which){i});
            kn_array x[LANES], k[LANES], want[LANES], got, jitted;
            for (int l = 0; l < LANES; l++) {
                Pair p = operands(l);
                x[l] = p.x;
                k[l] = p.k = shared ? operands(0).k : p.k;
                kn_call(f, &want[l], &p);
            }
            Pair all = {kn_stack((kn_list_from)(x, LANES)), kn_stack((kn_list_from)(k, LANES))};
            kn_call(kn_vmap(f), &got, &all);
            kn_call(kn_jit(kn_vmap(f)), &jitted, &all);
            kn_array loop = kn_stack((kn_list_from)(want, LANES));
            if (!kn_array_equal(got, loop) || !kn_array_equal(jitted, loop))
                fail_msg("%d", i);
        }
}

KN_TEST_GROUP(test_signal)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_scipy),
        TEST(empty_arrays_are_refused),
        TEST(derivatives_agree_with_differences),
        TEST(lanes_are_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
