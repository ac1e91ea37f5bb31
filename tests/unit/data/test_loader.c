/* SPDX-License-Identifier: Apache-2.0
 * test_loader.c -- loaders: which examples come when, with threads (pthread_create is the library's) and without; places in an epoch;
 * errors of the functions that make examples. */
#define _GNU_SOURCE
#include "data/loader.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    kn_array x, y;
} Pair;
KN_FIELDS(Pair, x, y)

static kn_tree pairs(int64_t n)
{
    kn_array rows = kn_reshape(kn_arange(0, 2 * n, 1), KN_SHAPE(n, 2));
    return kn_tree_dict("x", rows, "y", kn_astype(kn_arange(0, n, 1), KN_F32));
}

/* All batches of a loader, one behind the other: the numbers of their examples. */
static int64_t drain(kn_loader l, int64_t *out, int64_t room)
{
    int64_t n = 0;
    for (;;) {
        KN_SCOPE;
        kn_tree batch = kn_loader_next(l);
        if (!batch)
            return n;
        kn_array y = kn_tree_at(batch, "y"), x = kn_tree_at(batch, "x");
        for (int64_t i = 0; i < kn_size(y); i++) {
            assert_true(n < room);
            out[n++] = (int64_t)kn_item(y, i);
            assert_int_equal(kn_item_int(x, i, 0), 2 * out[n - 1]); /* rows stay together */
            assert_int_equal(kn_item_int(x, i, 1), 2 * out[n - 1] + 1);
        }
    }
}

static void without_a_key_the_order_is_that_of_the_arrays(void **state)
{
    (void)state;
    int64_t got[64];
    KN_SCOPE;
    assert_int_equal(drain(kn_loader_new(pairs(7), .batch_size = 3, .epochs = 2), got, 64), 14);
    for (int i = 0; i < 14; i++)
        assert_int_equal(got[i], i % 7);
    assert_int_equal(drain(kn_loader_new(pairs(7), .batch_size = 3, .epochs = 2, .drop_remainder = true), got, 64), 12);
    for (int i = 0; i < 12; i++)
        assert_int_equal(got[i], i % 6);
}

static void a_batch_is_a_tree_like_the_examples(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_zeros(KN_SHAPE(5, 3), .dtype = KN_F32), kn_zeros(KN_SHAPE(5), .dtype = KN_BOOL)};
    kn_tree batch = kn_loader_next(kn_loader_new(KN_TREE(&p, Pair), .batch_size = 2));
    assert_string_equal(kn_treedef_text(kn_tree_structure(batch)),
                        kn_treedef_text(kn_tree_structure(KN_TREE(&p, Pair))));
    assert_ptr_equal(kn_dtype_of(kn_tree_at(batch, "y")), KN_BOOL);
    assert_int_equal(kn_shape_of(kn_tree_at(batch, "x")).dim[0], 2);
    assert_int_equal(kn_shape_of(kn_tree_at(batch, "x")).dim[1], 3);
}

static void a_key_gives_each_epoch_an_order_of_its_own(void **state)
{
    (void)state;
    enum { N = 101, EPOCHS = 4 };
    int64_t got[N * EPOCHS], again[N * EPOCHS], other[N * EPOCHS];
    KN_SCOPE;
    kn_array key = kn_random_key(7);
    drain(kn_loader_new(pairs(N), .batch_size = 8, .epochs = EPOCHS, .key = key), got, N * EPOCHS);
    drain(kn_loader_new(pairs(N), .batch_size = 25, .epochs = EPOCHS, .key = kn_random_key_data(key)), again,
          N * EPOCHS);
    drain(kn_loader_new(pairs(N), .batch_size = 8, .epochs = EPOCHS, .key = kn_random_key(8)), other, N * EPOCHS);
    assert_memory_equal(got, again, sizeof got); /* whatever the batches are */
    assert_memory_not_equal(got, other, sizeof got);
    for (int e = 0; e < EPOCHS; e++) {
        bool seen[N] = {0};
        for (int i = 0; i < N; i++) {
            assert_false(seen[got[e * N + i]]);
            seen[got[e * N + i]] = true;
        }
        assert_memory_not_equal(got + e * N, got + ((e + 1) % EPOCHS) * N, N * sizeof *got);
    }
}

/* All 120 orders of five are as frequent as each other: chi-square, 119 degrees of freedom, is below 190 in 99.996% of cases. */
static void orders_are_uniform(void **state)
{
    (void)state;
    enum { N = 5, ORDERS = 120, EPOCHS = 60000 };
    int count[ORDERS] = {0};
    const uint32_t key[2] = {1, 2};
    for (int e = 0; e < EPOCHS; e++) {
        int order[N], number = 0;
        for (int i = 0; i < N; i++) {
            order[i] = (int)kndata_shuffled(N, key, e, i);
            int smaller = order[i];
            for (int k = 0; k < i; k++)
                smaller -= order[k] < order[i];
            number = number * (N - i) + smaller;
        }
        count[number]++;
    }
    double chi = 0, want = (double)EPOCHS / ORDERS;
    for (int i = 0; i < ORDERS; i++)
        chi += (count[i] - want) * (count[i] - want) / want;
    assert_true(chi < 190);
}

static void huge_orders_take_no_table(void **state)
{
    (void)state;
    const uint32_t key[2] = {3, 4};
    const int64_t n = (int64_t)1 << 50;
    double mean = 0;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t at = kndata_shuffled(n, key, 0, i);
        assert_true(at >= 0 && at < n);
        mean += (double)at / (double)n / 1000;
    }
    assert_true(fabs(mean - 0.5) < 0.05);
}

static kn_tree example(void *env, int64_t i)
{
    (void)env;
    kn_array first = kn_mul(kn_of(int64_t, 2, 2), i);
    return kn_tree_dict("x", kn_add(first, kn_of(int64_t, 0, 1)), "y", kn_astype(kn_num((double)i), KN_F32));
}

static void threads_change_nothing(void **state)
{
    (void)state;
    enum { N = 200 };
    int64_t got[2 * N], want[2 * N];
    KN_SCOPE;
    kn_array key = kn_random_key(3);
    drain(kn_loader_new(pairs(N), .batch_size = 7, .epochs = 2, .key = key), want, 2 * N);
    for (int workers = 0; workers <= 3; workers++)
        for (int prefetch = 1; prefetch <= 5; prefetch += 4) {
            KN_SCOPE;
            kn_tree all = pairs(N);
            drain(
                kn_loader_new(all, .batch_size = 7, .epochs = 2, .key = key, .workers = workers, .prefetch = prefetch),
                got, 2 * N);
            assert_memory_equal(got, want, sizeof got);
            drain(kn_loader_of(N, example, NULL, .batch_size = 7, .epochs = 2, .key = key, .workers = workers,
                               .prefetch = prefetch),
                  got, 2 * N);
            assert_memory_equal(got, want, sizeof got);
        }
}

static void shards_have_all_examples_once(void **state)
{
    (void)state;
    enum { N = 32, SHARDS = 4 };
    int64_t got[N];
    bool seen[N] = {0};
    KN_SCOPE;
    for (int s = 0; s < SHARDS; s++) {
        kn_loader l = kn_loader_new(pairs(N), .batch_size = 3, .key = kn_random_key(1), .shards = SHARDS, .shard = s);
        assert_int_equal(kn_loader_length(l), 3);
        assert_int_equal(drain(l, got, N), N / SHARDS);
        for (int i = 0; i < N / SHARDS; i++) {
            assert_false(seen[got[i]]);
            seen[got[i]] = true;
        }
    }
}

static kn_tree noisy(void *env, kn_tree batch, kn_array key)
{
    (void)env;
    kn_array y = kn_tree_at(batch, "y");
    return kn_tree_tuple(kn_add(y, kn_random_normal(key, KN_SHAPE(kn_size(y)), .dtype = KN_F32)), kn_mul(y, 2));
}

static void a_map_has_a_key_for_each_batch(void **state)
{
    (void)state;
    kn_array batch[2][6];
    KN_SCOPE;
    for (int workers = 0; workers < 3; workers += 2) {
        kn_loader l = kn_loader_new(pairs(6), .batch_size = 2, .epochs = 2, .key = kn_random_key(5), .map = noisy,
                                    .workers = workers);
        for (int i = 0; i < 6; i++)
            batch[workers / 2][i] = kn_tree_at(kn_loader_next(l), "[0]");
        assert_null(kn_loader_next(l));
    }
    for (int i = 0; i < 6; i++) {
        assert_true(kn_array_equal(batch[0][i], batch[1][i]));
        for (int k = 0; k < i; k++)
            assert_false(kn_array_equal(batch[0][i], batch[0][k]));
    }
}

static void a_place_is_found_again(void **state)
{
    (void)state;
    enum { N = 23 };
    int64_t rest[3 * N], got[3 * N];
    for (int taken = 0; taken < 14; taken++) {
        KN_SCOPE;
        kn_loader l = kn_loader_new(pairs(N), .batch_size = 4, .epochs = 3, .key = kn_random_key(9),
                                    .workers = taken % 3, .prefetch = 3);
        for (int i = 0; i < taken; i++)
            assert_non_null(kn_loader_next(l));
        kn_tree place = kn_loader_state(l);
        int64_t n = drain(l, rest, 3 * N);
        kn_loader other =
            kn_loader_new(pairs(N), .batch_size = 4, .epochs = 3, .key = kn_random_key(1), .workers = taken % 2);
        kn_loader_next(other);
        assert_int_equal(kn_loader_restore(other, place), 0);
        assert_int_equal(drain(other, got, 3 * N), n);
        assert_memory_equal(got, rest, (size_t)n * sizeof *got);
    }
}

static void a_state_without_a_key_has_the_order_of_the_arrays(void **state)
{
    (void)state;
    enum { N = 40 };
    int64_t plain[N], got[N];
    KN_SCOPE;
    kn_array zero = kn_random_key(0); /* whose words are 0, as if there were none */
    kn_loader without = kn_loader_new(pairs(N), .batch_size = 8),
              with = kn_loader_new(pairs(N), .batch_size = 8, .key = zero);
    kn_tree unmixed = kn_loader_state(without), mixed = kn_loader_state(with);
    assert_int_equal(kn_loader_restore(with, unmixed), 0);
    assert_int_equal(kn_loader_restore(without, mixed), 0);
    assert_int_equal(drain(with, got, N), N);
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], i);
    drain(kn_loader_new(pairs(N), .batch_size = 8, .key = zero), plain, N);
    assert_int_equal(drain(without, got, N), N);
    assert_memory_equal(got, plain, sizeof got);
}

/* As far as int64 counts: the threads do not wait for a place that never comes. */
static void a_state_of_the_last_epoch_there_can_be_goes_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_loader l = kn_loader_new(pairs(4), .batch_size = 4, .epochs = 0, .workers = 1);
    kn_tree place = kn_loader_state(l);
    place = kn_tree_dict("batch", kn_tree_at(place, "batch"), "batch_size", kn_tree_at(place, "batch_size"), "epoch",
                         kn_scalar((int64_t)INT64_MAX - 1), "key", kn_tree_at(place, "key"), "length",
                         kn_tree_at(place, "length"), "shards", kn_tree_at(place, "shards"));
    assert_int_equal(kn_loader_restore(l, place), 0);
    assert_non_null(kn_loader_next(l));
    assert_null(kn_loader_next(l));
}

static void a_state_of_another_loader_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_loader l = kn_loader_new(pairs(10), .batch_size = 2);
    kn_tree other = kn_loader_state(kn_loader_new(pairs(11), .batch_size = 2));
    kn_loader_next(l);
    assert_int_equal(kn_loader_restore(l, other), -1);
    expect_error("ValueError", "loader_restore: the state is of a loader of 11 examples, but this one has 10");
    other = kn_loader_state(kn_loader_new(pairs(10), .batch_size = 5));
    assert_int_equal(kn_loader_restore(l, other), -1);
    expect_error("ValueError",
                 "loader_restore: the state is of a loader of batches of 5, but this one has batches of 2");
    other = kn_loader_state(kn_loader_new(pairs(10), .batch_size = 2, .shards = 2));
    assert_int_equal(kn_loader_restore(l, other), -1);
    expect_error("ValueError", "loader_restore: the state is of one of 2 shards, but this loader is one of 1");
    other = kn_loader_state(l);
    kn_tree_set_at(other, "batch", kn_astype(5, KN_I64));
    assert_int_equal(kn_loader_restore(l, other), -1);
    expect_error("ValueError", "loader_restore: there is no batch 5 of epoch 0");
    assert_int_equal(kn_loader_restore(l, pairs(3)), -1);
    expect_error("KeyError", "loader_restore: this is no state of a loader: it has no 'batch'");
    expect_values(kn_tree_at(kn_loader_next(l), "y"), 2, 3); /* it stayed where it was */
}

static kn_tree doubled(void *env, kn_tree batch, kn_array key)
{
    (void)env, (void)key;
    return kn_tree_tuple(kn_multiply(kn_tree_get(batch, 0), 2));
}

/* The sum of all examples; NaN where something failed: a batch that is lost would make it another number. */
static double sum_of_all(void)
{
    KN_SCOPE;
    kn_array x = kn_arange(0.0, 6, 1), sum = kn_num(0);
    kn_loader l = kn_loader_new(KN_TREE(&x), .batch_size = 2, .map = doubled);
    for (int i = 0; i < 3; i++) {
        kn_tree batch = kn_loader_next(l);
        if (!batch)
            return NAN;
        sum = kn_add(sum, kn_sum(kn_tree_get(batch, 0)));
    }
    return kn_item(sum);
}

static void without_memory_nothing_is_taken_for_the_end(void **state)
{
    (void)state;
    no_memory_check(sum_of_all, 1, NULL);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree all = pairs(5);
    assert_null(kn_loader_new(all, .batch_size = 0));
    expect_error("ValueError", "loader_new: batch_size must be at least 1, but is 0");
    assert_null(kn_loader_new(all, .workers = -1));
    expect_error("ValueError", "loader_new: workers must be at least 0, but is -1");
    assert_null(kn_loader_new(all, .prefetch = 0));
    expect_error("ValueError", "loader_new: prefetch must be at least 1, but is 0");
    assert_null(kn_loader_new(all, .shards = 2, .shard = 2));
    expect_error("ValueError", "loader_new: shard must be at most 1, but is 2");
    assert_null(kn_loader_new(all, .shards = 6));
    expect_error("ValueError", "loader_new: 5 examples are too few for 6 shards");
    assert_null(kn_loader_new(all, .batch_size = 6, .drop_remainder = true));
    expect_error("ValueError", "loader_new: 5 examples are less than a batch of 6, and drop_remainder drops them");
    assert_null(kn_loader_new(all, .key = kn_of(float, 1)));
    expect_error("TypeError", "loader_new: the key of a loader is one of kn_random_key, but this is float32[1]");
    assert_null(kn_loader_new(kn_tree_tuple(kn_zeros(KN_SHAPE(3)), kn_zeros(KN_SHAPE(4)))));
    expect_error("ValueError", "loader_new: leaf 1 has 4 examples, but leaf 0 has 3");
    assert_null(kn_loader_new(kn_tree_tuple(1.0)));
    expect_error("ValueError", "loader_new: leaf 0 has no axis that counts examples");
    assert_null(kn_loader_new(kn_tree_tuple(kn_zeros(KN_SHAPE(0, 2)))));
    expect_error("ValueError", "loader_new: there are no examples");
    assert_null(kn_loader_of(0, example, NULL));
    expect_error("ValueError", "loader_of: n must be at least 1, but is 0");
    assert_null(kn_loader_of(3, NULL, NULL));
    expect_error("TypeError", "loader_of: null example");
}

/* ---- Errors of the user's functions. */

static int wrong_line;
static kn_tree wrong_at_five(void *env, int64_t i)
{
    if (i == *(const int *)env) {
        wrong_line = __LINE__ + 1;
        return kn_tree_list(kn_add(kn_zeros(KN_SHAPE(2)), kn_zeros(KN_SHAPE(3))));
    }
    return kn_tree_list((double)i);
}

static void errors_come_to_the_reader_with_their_place(void **state)
{
    (void)state;
    for (int workers = 0; workers < 3; workers++) {
        KN_SCOPE;
        int wrong = 5;
        kn_loader l = kn_loader_of(8, wrong_at_five, &wrong, .batch_size = 2, .workers = workers);
        expect_values(kn_tree_at(kn_loader_next(l), "[0]"), 0, 1);
        expect_values(kn_tree_at(kn_loader_next(l), "[0]"), 2, 3);
        expect_no_error();
        assert_null(kn_loader_next(l));
        assert_int_equal(kn_error_line(), wrong_line);
        expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (3,)");
        wrong = -1; /* it is all right now: the loader is still before that batch */
        expect_values(kn_tree_at(kn_loader_next(l), "[0]"), 4, 5);
        expect_values(kn_tree_at(kn_loader_next(l), "[0]"), 6, 7);
        assert_null(kn_loader_next(l));
        expect_no_error();
    }
}

static kn_tree uneven(void *env, int64_t i)
{
    switch (*(const int *)env) {
    case 0: return i ? kn_tree_list(1.0, 2.0) : kn_tree_list(1.0);
    case 1: return kn_tree_list(kn_zeros(KN_SHAPE(2 + i)));
    case 2: return kn_tree_list(kn_random_key(i));
    default: return NULL;
    }
}

static void examples_that_do_not_fit_each_other_are_errors(void **state)
{
    (void)state;
    static const char *const kind[] = {"ValueError", "ValueError", "TypeError", "RuntimeError"};
    static const char *const text[] = {
        "loader_next: example 1 is a tree of another structure than the examples before it in its batch",
        "loader_next: leaf 0 of example 1 is float64[3], but float64[2] before",
        "loader_next: leaf 0 is a random key, which is no part of a batch",
        "loader_next: the function of examples gave no tree and no error"};
    for (int workers = 0; workers < 2; workers++)
        for (int i = 0; i < 4; i++) {
            KN_SCOPE;
            assert_null(kn_loader_next(kn_loader_of(2, uneven, &i, .batch_size = 2, .workers = workers)));
            expect_error(kind[i], text[i]);
        }
}

static void a_loader_may_end_at_any_time(void **state)
{
    (void)state;
    for (int taken = 0; taken < 6; taken++) {
        KN_SCOPE;
        kn_loader l = kn_loader_new(pairs(64), .batch_size = 2, .epochs = 0, .workers = 2, .prefetch = 4, .map = noisy,
                                    .key = kn_random_key(0));
        for (int i = 0; i < taken; i++)
            assert_non_null(kn_loader_next(l));
    } /* its threads end, its batches go */
}

static void memory_mapped_files_are_read_as_they_are_needed(void **state)
{
    (void)state;
    char path[] = "/tmp/kiln-loader-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    {
        KN_SCOPE;
        kn_array all = kn_reshape(kn_arange(0, 600, 1), KN_SHAPE(200, 3));
        assert_int_equal(kn_tofile(all, path), 0);
        kn_array there = kn_memmap(path, .dtype = KN_I64, .mode = "r", .shape = &KN_SHAPE(200, 3));
        kn_loader l = kn_loader_new(kn_tree_list(there), .batch_size = 2, .key = kn_random_key(1), .workers = 1);
        for (int i = 0; i < 100; i++) {
            kn_array x = kn_tree_at(kn_loader_next(l), "[0]");
            assert_int_equal(kn_item_int(x, 1, 2), kn_item_int(x, 1, 0) + 2);
        }
        assert_null(kn_loader_next(l));
    }
    unlink(path);
}

static void a_child_of_a_fork_goes_on_without_threads(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_loader l = kn_loader_new(pairs(40), .batch_size = 4, .workers = 2);
    assert_non_null(kn_loader_next(l));
    pid_t child = fork();
    if (!child) {
        KN_SCOPE;
        kn_tree batch = kn_loader_next(l);
        _exit(batch && kn_item(kn_tree_at(batch, "y"), 0) == 4 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

KN_TEST_GROUP(test_loader)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_key_the_order_is_that_of_the_arrays),
        TEST(a_batch_is_a_tree_like_the_examples),
        TEST(a_key_gives_each_epoch_an_order_of_its_own),
        TEST(orders_are_uniform),
        TEST(huge_orders_take_no_table),
        TEST(threads_change_nothing),
        TEST(shards_have_all_examples_once),
        TEST(a_map_has_a_key_for_each_batch),
        TEST(a_place_is_found_again),
        TEST(a_state_without_a_key_has_the_order_of_the_arrays),
        TEST(a_state_of_the_last_epoch_there_can_be_goes_on),
        TEST(a_state_of_another_loader_is_refused),
        TEST(without_memory_nothing_is_taken_for_the_end),
        TEST(arguments_are_checked),
        TEST(errors_come_to_the_reader_with_their_place),
        TEST(examples_that_do_not_fit_each_other_are_errors),
        TEST(a_loader_may_end_at_any_time),
        TEST(memory_mapped_files_are_read_as_they_are_needed),
        TEST(a_child_of_a_fork_goes_on_without_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
