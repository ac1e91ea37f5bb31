/* SPDX-License-Identifier: Apache-2.0
 * test_hash.c -- the hash of bytes and the map from hashes to pointers. */
#include "base/hash.h"
#include "base/memory.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void equal_bytes_hash_equally_wherever_they_lie(void **state)
{
    (void)state;
    char a[80], b[81];
    for (int i = 0; i < 80; i++)
        a[i] = b[i + 1] = (char)(i * 7);
    for (size_t n = 0; n <= 80; n++)
        assert_true(knx_hash_bytes(a, n, 3) == knx_hash_bytes(b + 1, n, 3));
}

static void the_seed_changes_the_hash(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 70; n += 7) {
        char a[70] = {0};
        assert_true(knx_hash_bytes(a, n, 1) != knx_hash_bytes(a, n, 2));
    }
}

static void trailing_zeros_count(void **state)
{
    (void)state;
    const char zero[70] = {0};
    for (size_t n = 0; n < 70; n++)
        assert_true(knx_hash_bytes(zero, n, 0) != knx_hash_bytes(zero, n + 1, 0));
}

static void every_bit_of_the_input_changes_about_half_of_the_hash(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 72; n++) {
        unsigned char a[72] = {0};
        uint64_t before = knx_hash_bytes(a, n, 0);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            a[bit / 8] ^= (unsigned char)(1u << bit % 8);
            int changed = __builtin_popcountll(before ^ knx_hash_bytes(a, n, 0));
            a[bit / 8] ^= (unsigned char)(1u << bit % 8);
            if (changed < 10 || changed > 54)
                fail_msg("%zu bytes, bit %zu: %d bits change", n, bit, changed);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void a_million_small_keys_do_not_collide(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint64_t *h = malloc(sizeof *h * N * N);
    assert_non_null(h);
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++)
            h[i * N + j] = knx_hash_bytes((uint64_t[]){i << 54, j << 25}, 16, 0); /* high bits of neighbours */
    qsort(h, N * N, sizeof *h, by_value);
    int collisions = 0;
    for (size_t i = 1; i < N * N; i++)
        collisions += h[i] == h[i - 1];
    free(h);
    assert_int_equal(collisions, 0);
}

/* The map. Values are addresses in this array. */
static char value[4000];

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    assert_null(knx_table_first(&m, 5, &at));
    assert_null(knx_table_next(&m, 5, &at));
    assert_false(knx_table_remove(&m, 5, value));
    knx_table_free(&m);
}

static void what_was_added_is_found(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    for (size_t i = 0; i < 4000; i++)
        assert_true(knx_table_add(&m, i * i, &value[i]));
    assert_int_equal(m.live, 4000);
    for (size_t i = 0; i < 4000; i++) {
        assert_ptr_equal(knx_table_first(&m, i * i, &at), &value[i]);
        assert_null(knx_table_next(&m, i * i, &at));
    }
    assert_null(knx_table_first(&m, 2, &at));
    knx_table_free(&m);
}

static void entries_of_one_hash_come_in_the_order_they_went_in(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    for (int i = 0; i < 100; i++) { /* with others between them, and rebuilt several times */
        assert_true(knx_table_add(&m, 7, &value[i]));
        assert_true(knx_table_add(&m, 1000u + (unsigned)i, &value[i]));
    }
    char *v = knx_table_first(&m, 7, &at);
    for (int i = 0; i < 100; i++, v = knx_table_next(&m, 7, &at))
        assert_ptr_equal(v, &value[i]);
    assert_null(v);
    knx_table_free(&m);
}

static void the_hashes_zero_and_one_are_like_any_other(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    assert_true(knx_table_add(&m, 0, &value[0]));
    assert_true(knx_table_add(&m, 1, &value[1]));
    assert_ptr_equal(knx_table_first(&m, 0, &at), &value[0]);
    assert_ptr_equal(knx_table_first(&m, 1, &at), &value[1]);
    assert_true(knx_table_remove(&m, 1, &value[1]));
    assert_null(knx_table_first(&m, 1, &at));
    knx_table_free(&m);
}

static void removing_leaves_the_others_reachable(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    for (int i = 0; i < 10; i++)
        assert_true(knx_table_add(&m, 7, &value[i]));
    for (int i = 0; i < 10; i += 2)
        assert_true(knx_table_remove(&m, 7, &value[i]));
    assert_false(knx_table_remove(&m, 7, &value[0]));
    char *v = knx_table_first(&m, 7, &at);
    for (int i = 1; i < 10; i += 2, v = knx_table_next(&m, 7, &at))
        assert_ptr_equal(v, &value[i]);
    assert_null(v);
    assert_int_equal(m.live, 5);
    knx_table_free(&m);
}

static void the_entry_that_a_walk_stands_on_can_be_removed(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at;
    int seen = 0;
    for (int i = 0; i < 10; i++)
        assert_true(knx_table_add(&m, 7, &value[i]));
    for (char *v = knx_table_first(&m, 7, &at); v; v = knx_table_next(&m, 7, &at), seen++)
        assert_true(knx_table_remove(&m, 7, v));
    assert_int_equal(seen, 10);
    assert_int_equal(m.live, 0);
    knx_table_free(&m);
}

static void coming_and_going_does_not_make_the_map_grow(void **state)
{
    (void)state;
    knx_table m = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(knx_table_add(&m, i, &value[i % 4000]));
        if (i >= 10)
            assert_true(knx_table_remove(&m, i - 10, &value[(i - 10) % 4000]));
    }
    assert_int_equal(m.live, 10);
    assert_true(m.cap <= 64);
    knx_table_free(&m);
}

static void a_map_without_memory_says_so_and_keeps_its_entries(void **state)
{
    (void)state;
    knx_table m = {0};
    size_t at, added = 0;
    assert_true(knx_table_add(&m, 1, &value[1]));
    knx_fail_after(0, true);
    while (added < 100 && knx_table_add(&m, 100 + added, value))
        added++;
    knx_fail_after(-1, false);
    assert_true(added < 100);
    assert_int_equal(m.live, 1 + added);
    assert_ptr_equal(knx_table_first(&m, 1, &at), &value[1]);
    knx_table_free(&m);
}

#define T cmocka_unit_test
KN_TEST_GROUP(test_hash)
{
    const struct CMUnitTest tests[] = {
        T(equal_bytes_hash_equally_wherever_they_lie),
        T(the_seed_changes_the_hash),
        T(trailing_zeros_count),
        T(every_bit_of_the_input_changes_about_half_of_the_hash),
        T(a_million_small_keys_do_not_collide),
        T(an_empty_map_has_nothing),
        T(what_was_added_is_found),
        T(entries_of_one_hash_come_in_the_order_they_went_in),
        T(the_hashes_zero_and_one_are_like_any_other),
        T(removing_leaves_the_others_reachable),
        T(the_entry_that_a_walk_stands_on_can_be_removed),
        T(coming_and_going_does_not_make_the_map_grow),
        T(a_map_without_memory_says_so_and_keeps_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
