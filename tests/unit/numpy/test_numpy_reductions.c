/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_reductions.c -- calls whose results and errors NumPy gave; any and all, which end early, at every place
 * where one element decides. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <stdlib.h>
#include <string.h>

static void reductions_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check(KN_TEST_DIR "/golden/numpy_reductions.txt");
}

/* n booleans, all but the one at `at` (-1: none) alike. */
static kn_array booleans(int64_t n, int64_t at, bool rest)
{
    bool *x = malloc((size_t)n);
    kn_shape shape = {1, {n}};
    memset(x, rest, (size_t)n);
    if (at >= 0)
        x[at] = !rest;
    kn_array y = (kn_from_memory)(x, &shape, KN_BOOL);
    free(x);
    return y;
}

static kn_array decided_later(const kn_array *x) { return kn_any(kn_greater(kn_astype(*x, KN_F32), 0.5)); }
KN_FUNCTION(decided_later, kn_array, kn_array)

static void one_element_decides_wherever_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { BLOCK = 16384, N = 70 * BLOCK + 77 };
    static const int64_t places[] = {
        -1, 0, BLOCK - 1, BLOCK, 3 * BLOCK + 5, 9 * BLOCK, 33 * BLOCK - 1, 69 * BLOCK + 1, N - 78, N - 1};
    kn_fn later = kn_jit(KN_FN(decided_later));
    for (int threads = 1; threads <= 3; threads++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            KN_SCOPE;
            KN_THREADS(threads);
            kn_array few = booleans(N, places[k], false), most = booleans(N, places[k], true), y;
            assert_int_equal(kn_item_bool(kn_any(few)), places[k] >= 0);
            assert_int_equal(kn_item_bool(kn_all(most)), places[k] < 0);
            assert_true(kn_item_bool(kn_any(most)));
            assert_false(kn_item_bool(kn_all(few)));
            kn_call(later, &y, &few);
            assert_int_equal(kn_item_bool(y), places[k] >= 0);
        }
}

/* Rows and columns are decided one by one. */
static void one_element_decides_its_line_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { ROWS = 3, LONG = 40000 };
    for (int64_t at = 0; at < ROWS * LONG; at += 19997) {
        kn_array x = kn_reshape(booleans(ROWS * LONG, at, false), KN_SHAPE(ROWS, LONG));
        kn_array rows = kn_any(x, KN_AXIS(1)), columns = kn_any(kn_transpose(x), KN_AXIS(0));
        for (int64_t r = 0; r < ROWS; r++) {
            assert_int_equal(kn_item_bool(kn_at(rows, "%", r)), r == at / LONG);
            assert_int_equal(kn_item_bool(kn_at(columns, "%", r)), r == at / LONG);
        }
    }
}

KN_TEST_GROUP(test_numpy_reductions)
{
    const struct CMUnitTest tests[] = {TEST(reductions_are_those_of_numpy), TEST(one_element_decides_wherever_it_is),
                                       TEST(one_element_decides_its_line_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
