/* SPDX-License-Identifier: Apache-2.0
 * test_nn_caches.c -- attention whose keys and values are kept: token by token, or in parts, it gives what causal
 * attention over all of them gives, by one program for all positions. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

enum { B = 2, T = 9, S = 12, D = 8, N = 4, K = 2, H = 4 };
typedef struct Weights {
    kn_array query, key, value, out;
} Weights;
typedef struct Step {
    kn_array y, keys, values;
} Step;
typedef struct how {
    bool window, mask;
} how;

static kn_array normal(int seed, const kn_shape *shape, kn_dtype d)
{
    return kn_astype(kn_random_normal(kn_random_key(seed), *shape), d);
}
static Weights weights(kn_dtype d)
{
    return (Weights){normal(1, &KN_SHAPE(D, N, H), d), normal(2, &KN_SHAPE(D, K, H), d),
                     normal(3, &KN_SHAPE(D, K, H), d), normal(4, &KN_SHAPE(N, H, D), d)};
}

static Step step(const how *h, const Weights *w, const kn_array *x, const kn_array *keys, const kn_array *values,
                 const kn_array *position)
{
    kn_nn_multi_head_attention_opts o = kn_nn_multi_head_attention_opts_default();
    o.rope = true;
    if (h->window)
        o.local_window_size = KN_SHAPE(2, 0);
    if (h->mask)
        o.mask = kn_not_equal(kn_arange(0, S, 1), 1); /* nobody sees token 1 */
    kn_nn_cached_attention_result r =
        (kn_nn_multi_head_attention_cached)(*x, *keys, *values, *position, w->query, w->key, w->value, w->out, &o);
    return (Step){r.encoded, r.key_cache, r.value_cache};
}
KN_FUNCTION_ENV(step, Step, how, Weights, kn_array, kn_array, kn_array, kn_array)

/* In parts of so many tokens, each by the same compiled function. */
static void check(how h, int part, kn_dtype d, kn_dtype cached, double tolerance)
{
    KN_SCOPE;
    Weights w = weights(d);
    kn_array x = normal(5, &KN_SHAPE(B, T, D), d);
    kn_nn_multi_head_attention_opts o = kn_nn_multi_head_attention_opts_default();
    o.rope = o.is_causal = true;
    if (h.window)
        o.local_window_size = KN_SHAPE(2, 0);
    if (h.mask)
        o.mask = kn_not_equal(kn_arange(0, T, 1), 1);
    kn_array want = (kn_nn_multi_head_attention)(x, w.query, w.key, w.value, w.out, &o);
    kn_array keys = kn_zeros(KN_SHAPE(B, S, K, H), .dtype = cached), values = keys;
    kn_fn f = kn_jit(KN_FN_ENV(step, &h));
    for (int i = 0; i < T; i += part) {
        Step r;
        kn_array now = kn_at(x, ":, %:%", i, i + part), position = kn_scalar(i);
        kn_call(f, &r, &w, &now, &keys, &values, &position);
        assert_ptr_equal(kn_dtype_of(r.y), d);
        assert_ptr_equal(kn_dtype_of(r.keys), cached);
        kn_array a = kn_astype(r.y, KN_F64), b = kn_astype(kn_at(want, ":, %:%", i, i + part), KN_F64);
        assert_true(kn_allclose(a, b, .rtol = tolerance, .atol = tolerance));
        keys = r.keys, values = r.values;
    }
    assert_true(kn_item(kn_sum(kn_abs(kn_astype(kn_at(keys, ":, %:", (int)T), KN_F64)))) == 0);
    expect_no_error();
}

static void token_by_token_it_is_causal_attention(void **state)
{
    (void)state;
    check((how){false, false}, 1, KN_F64, KN_F64, 1e-5);
    check((how){false, false}, 1, KN_F32, KN_F32, 1e-4);
    check((how){false, false}, 1, KN_BF16, KN_BF16, 0.5);
}

static void in_parts_it_is_causal_attention(void **state)
{
    (void)state;
    check((how){false, false}, 3, KN_F32, KN_F32, 1e-4);
    check((how){false, false}, T, KN_F32, KN_F32, 1e-4);
}

static void windows_and_masks_hold(void **state)
{
    (void)state;
    check((how){true, false}, 1, KN_F32, KN_F32, 1e-4);
    check((how){true, false}, 3, KN_F32, KN_F32, 1e-4);
    check((how){false, true}, 1, KN_F32, KN_F32, 1e-4);
    check((how){true, true}, 3, KN_F32, KN_F32, 1e-4);
}

static void caches_may_be_shorter_than_what_is_computed(void **state)
{
    (void)state;
    check((how){false, false}, 1, KN_F32, KN_F16, 2e-2);
}

static void donated_caches_are_written_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    how h = {false, false};
    Weights w = weights(KN_F32);
    kn_array x = normal(5, &KN_SHAPE(B, 1, D), KN_F32), keys = kn_zeros(KN_SHAPE(B, S, K, H), .dtype = KN_F32);
    kn_array values = kn_ones(KN_SHAPE(B, S, K, H), .dtype = KN_F32);
    kn_fn f = kn_jit(KN_FN_ENV(step, &h), .donate_argnums = KN_ARGNUMS(2, 3));
    for (int i = 0; i < 3; i++) {
        Step r;
        kn_array position = kn_scalar(i);
        const void *before = kn_data_bytes(keys, KN_F32);
        kn_call(f, &r, &w, &x, &keys, &values, &position);
        if (i) /* what was there first may be shared */
            assert_ptr_equal(kn_data_bytes(r.keys, KN_F32), before);
        keys = r.keys, values = r.values;
    }
    expect_no_error();
}

/* What is written and what a query sees have one position. */
static void positions_outside_of_the_cache_are_those_at_its_ends(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array new = normal(1, &KN_SHAPE(3, 2, 4), KN_F64), keys = normal(2, &KN_SHAPE(7, 2, 4), KN_F64);
    const int64_t position[4] = {-2, 0, 6, 4};
    for (int i = 0; i < 4; i += 2) {
        kn_nn_cached_attention_result r = kn_nn_cached_attention(new, new, new, keys, keys, kn_scalar(position[i]));
        kn_nn_cached_attention_result s = kn_nn_cached_attention(new, new, new, keys, keys, kn_scalar(position[i + 1]));
        assert_true(kn_array_equal(r.encoded, s.encoded));
        assert_true(kn_array_equal(r.key_cache, s.key_cache));
    }
    expect_no_error();
}

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array q = kn_ones(KN_SHAPE(2, 3, 4, 8)), cache = kn_ones(KN_SHAPE(2, 2, 4, 8)),
             full = kn_ones(KN_SHAPE(2, 6, 4, 8));
    kn_nn_cached_attention(q, q, q, cache, cache, 0);
    expect_error("ValueError",
                 "nn_cached_attention: key_cache of shape (..., S, K, H) is needed, but got (2,2,4,8) for (2,3,4,8)");
    kn_nn_cached_attention(q, q, q, full, kn_ones(KN_SHAPE(2, 6, 4, 7)), 0);
    expect_error("ValueError",
                 "nn_cached_attention: value_cache of shape (..., S, K, H) is needed, but got (2,6,4,7) for (2,3,4,8)");
    kn_nn_cached_attention(kn_ones(KN_SHAPE(2, 2, 4, 8)), q, q, full, full, 0);
    expect_error("ValueError", "nn_cached_attention: query and key are of the same new tokens, but have 2 and 3");
    kn_nn_cached_attention(q, q, q, full, full, 0.5);
    expect_error("TypeError", "nn_cached_attention: position must be integers, but got float64");
    kn_nn_cached_attention(q, q, q, full, full, kn_of(int, 1, 2));
    expect_error("ValueError", "nn_cached_attention: position must be a single number, but has 1 axes");
    kn_nn_cached_attention(q, q, q, full, full, 0, .mask = kn_ones(KN_SHAPE(3, 6)));
    expect_error("ValueError", "nn_cached_attention: mask dtype should be bool, but got float64");
    kn_nn_cached_attention(q, q, q, full, full, 0, .mask = kn_ones(KN_SHAPE(3, 5), .dtype = KN_BOOL));
    expect_error(
        "ValueError",
        "nn_cached_attention: mask must broadcast to (B, N, T, S) with T and S (3,6), but has the shape (3,5)");
    Weights w = weights(KN_F64);
    kn_array x = kn_ones(KN_SHAPE(B, T, D)), caches = kn_zeros(KN_SHAPE(B, S, K, H));
    kn_nn_multi_head_attention(x, w.out, w.key, w.value, w.out);
    expect_error(
        "ValueError",
        "nn_multi_head_attention: w_query of shape (D, N, H) is needed for inputs of shape (2,9,8), but got (4,4,8)");
    kn_nn_multi_head_attention(x, w.query, w.key, w.value, w.key);
    expect_error(
        "ValueError",
        "nn_multi_head_attention: w_out of shape (N, H, O) is needed for heads of shape (2,9,4,4), but got (8,2,4)");
    kn_nn_multi_head_attention(kn_ones(KN_SHAPE(D)), w.query, w.key, w.value, w.out);
    expect_error(
        "ValueError",
        "nn_multi_head_attention: x of shape (T, D) or (B, T, D) is needed, and a context like it, but they have "
        "1 and 1 axes");
    kn_nn_multi_head_attention(x, w.query, w.key, w.value, w.out, .bias_query = kn_ones(KN_SHAPE(4)));
    expect_error("ValueError", "nn_multi_head_attention: the bias must have the shape (4,4), but has (4,)");
    kn_nn_multi_head_attention_cached(x, caches, caches, 0, w.query, w.key, w.value, w.out, .context = x);
    expect_error(
        "ValueError",
        "nn_multi_head_attention_cached: context: keys and values of a context do not change, and need no cache");
}

KN_TEST_GROUP(test_nn_caches)
{
    const struct CMUnitTest tests[] = {
        TEST(token_by_token_it_is_causal_attention),
        TEST(in_parts_it_is_causal_attention),
        TEST(windows_and_masks_hold),
        TEST(caches_may_be_shorter_than_what_is_computed),
        TEST(donated_caches_are_written_in_place),
        TEST(positions_outside_of_the_cache_are_those_at_its_ends),
        TEST(wrong_operands_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
