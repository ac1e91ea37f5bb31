/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c -- plain memory, failure on demand, arenas, vectors and pooled buffers, with several threads too. */
#include "base/memory.h"
#include "support/group.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#define THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define THREAD_SANITIZER 0
#endif

/* Each test begins with an empty pool and ends with as many live blocks as it began with. */
static int64_t live_before;

static int begin(void **state)
{
    (void)state;
    knx_buffer_trim();
    live_before = knx_alloc_live();
    return 0;
}

static int end(void **state)
{
    (void)state;
    knx_fail_after(-1, false);
    return knx_alloc_live() == live_before ? 0 : -1;
}

/* Plain memory. */

static void an_allocation_of_nothing_is_a_pointer(void **state)
{
    (void)state;
    void *p = knx_alloc(0), *q = knx_alloc_zero(0);
    assert_true(p && q && p != q);
    p = knx_realloc(p, 0);
    assert_non_null(p);
    knx_free(p);
    knx_free(q);
}

static void freeing_null_is_fine(void **state)
{
    (void)state;
    knx_free(NULL);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    const char zero[100] = {0};
    char *p = knx_alloc_zero(100);
    assert_memory_equal(p, zero, 100);
    knx_free(p);
}

static void realloc_keeps_the_contents(void **state)
{
    (void)state;
    char *p = knx_realloc(NULL, 4);
    memcpy(p, "kiln", 4);
    p = knx_realloc(p, 100000);
    assert_memory_equal(p, "kiln", 4);
    knx_free(p);
}

static void live_blocks_are_counted(void **state)
{
    (void)state;
    void *p = knx_alloc(1), *q = knx_realloc(NULL, 1);
    q = knx_realloc(q, 1000);
    assert_int_equal(knx_alloc_live(), live_before + 2);
    knx_free(p);
    knx_free(q);
    assert_int_equal(knx_alloc_live(), live_before);
}

static void every_request_is_counted(void **state)
{
    (void)state;
    int64_t before = knx_alloc_count();
    void *p = knx_alloc(1);
    p = knx_realloc(p, 2);
    knx_free(p);
    knx_buffer_release(knx_buffer_new(1));
    knx_buffer_release(knx_buffer_new(1)); /* out of the pool: counts all the same */
    assert_int_equal(knx_alloc_count(), before + 4);
}

static void the_allocation_after_k_fails(void **state)
{
    (void)state;
    knx_fail_after(2, false);
    void *a = knx_alloc(1), *b = knx_alloc_zero(1), *c = knx_alloc(1), *d = knx_alloc(1);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(c);
    assert_non_null(d);
    knx_free(a);
    knx_free(b);
    knx_free(d);
}

static void sticky_failure_lasts_until_it_is_turned_off(void **state)
{
    (void)state;
    knx_fail_after(0, true);
    for (int i = 0; i < 5; i++)
        assert_null(knx_alloc(1));
    knx_fail_after(-1, false);
    void *p = knx_alloc(1);
    assert_non_null(p);
    knx_free(p);
}

static void a_failed_realloc_leaves_the_block_alone(void **state)
{
    (void)state;
    char *p = knx_alloc(4);
    memcpy(p, "kiln", 4);
    knx_fail_after(0, false);
    assert_null(knx_realloc(p, 1000));
    assert_memory_equal(p, "kiln", 4);
    assert_int_equal(knx_alloc_live(), live_before + 1);
    knx_free(p);
}

static void a_product_that_does_not_fit_is_reported(void **state)
{
    (void)state;
    size_t product;
    assert_false(knx_mul_overflows(SIZE_MAX / 2, 2, &product));
    assert_true(product == SIZE_MAX - 1);
    assert_true(knx_mul_overflows(SIZE_MAX / 2, 3, &product));
}

/* Arenas. */

static void arena_memory_is_aligned_and_its_own(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    char *before = NULL;
    for (size_t n = 0; n < 3000; n += 7) {
        char *p = knx_arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, (int)(n & 127), n);
        if (before && n > 7)
            assert_int_equal(before[n - 8], (n - 7) & 127); /* the last byte of the one before is untouched */
        before = p;
    }
    knx_arena_free(&a);
}

static void an_arena_holds_what_is_larger_than_a_block(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    char *p = knx_arena_zero(&a, 5 << 20);
    assert_int_equal(p[(5 << 20) - 1], 0);
    assert_true(a.total >= 5 << 20);
    knx_arena_free(&a);
}

static void an_arena_copies_bytes_and_strings(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    const int three[3] = {1, 2, 3};
    int *copy = knx_arena_copy(&a, three, sizeof three);
    assert_memory_equal(copy, three, sizeof three);
    assert_string_equal(knx_arena_string(&a, "clay"), "clay");
    assert_non_null(knx_arena_copy(&a, NULL, 0));
    knx_arena_free(&a);
}

static void many_small_pieces_take_few_blocks(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    int64_t before = knx_alloc_count();
    for (int i = 0; i < 100000; i++)
        assert_non_null(knx_arena_alloc(&a, 48));
    assert_true(knx_alloc_count() - before < 16);
    knx_arena_free(&a);
}

static void a_reset_arena_keeps_its_largest_block(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    knx_arena_alloc(&a, 10);
    void *large = knx_arena_alloc(&a, 100000);
    knx_arena_alloc(&a, 100000);
    knx_arena_reset(&a);
    int64_t before = knx_alloc_count();
    assert_non_null(large);
    assert_non_null(knx_arena_alloc(&a, 100000));
    assert_int_equal(knx_alloc_count(), before);
    assert_int_equal(knx_alloc_live(), live_before + 1);
    knx_arena_free(&a);
}

static void an_arena_without_memory_gives_null_and_lives_on(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    knx_fail_after(0, false);
    assert_null(knx_arena_zero(&a, 8));
    assert_non_null(knx_arena_zero(&a, 8));
    assert_null(knx_arena_alloc(&a, SIZE_MAX));
    assert_null(knx_arena_alloc(&a, SIZE_MAX - 20));
    knx_arena_free(&a);
}

/* Vectors. */

static void a_vector_keeps_what_was_pushed(void **state)
{
    (void)state;
    KN_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(KN_VEC_PUSH(&v, i));
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i);
    KN_VEC_FREE(&v);
    assert_null(v.at);
}

static void a_vector_grows_geometrically(void **state)
{
    (void)state;
    KN_VEC(char) v = {0};
    int64_t before = knx_alloc_count();
    for (int i = 0; i < 100000; i++)
        assert_true(KN_VEC_PUSH(&v, 'x'));
    assert_true(knx_alloc_count() - before < 40);
    KN_VEC_FREE(&v);
}

static void a_vector_without_memory_is_unchanged(void **state)
{
    (void)state;
    KN_VEC(int) v = {0};
    assert_true(KN_VEC_PUSH(&v, 7));
    knx_fail_after(0, false);
    assert_false(KN_VEC_RESERVE(&v, 1000));
    assert_int_equal(v.n, 1);
    assert_int_equal(v.at[0], 7);
    KN_VEC_FREE(&v);
}

static void a_vector_refuses_sizes_that_overflow(void **state)
{
    (void)state;
    KN_VEC(int) v = {0};
    assert_true(KN_VEC_PUSH(&v, 7));
    assert_false(KN_VEC_RESERVE(&v, SIZE_MAX));
    assert_false(KN_VEC_RESERVE(&v, SIZE_MAX / sizeof(int)));
    KN_VEC_FREE(&v);
}

/* Buffers. */

static void buffers_of_any_size_are_aligned_and_large_enough(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300000; n = n < 600 ? n + 1 : n + n / 3) {
        knx_buffer *b = knx_buffer_new(n);
        assert_non_null(b);
        assert_int_equal((uintptr_t)b->data % 64, 0);
        assert_true(b->bytes >= n);
        assert_true(b->bytes <= n + n / 4 + 64);
        memset(b->data, 1, b->bytes);
        knx_buffer_release(b);
    }
}

static void the_buffer_freed_last_is_handed_out_first(void **state)
{
    (void)state;
    knx_buffer *a = knx_buffer_new(1000), *b = knx_buffer_new(1000);
    knx_buffer_release(a);
    knx_buffer_release(b);
    assert_ptr_equal(knx_buffer_new(1001), b);
    assert_ptr_equal(knx_buffer_new(999), a);
    knx_buffer_release(a);
    knx_buffer_release(b);
}

static void a_buffer_lives_until_its_last_reference_goes(void **state)
{
    (void)state;
    knx_buffer *b = knx_buffer_new(10);
    assert_ptr_equal(knx_buffer_retain(b), b);
    knx_buffer_release(b);
    assert_int_equal(knx_alloc_live(), live_before + 1);
    knx_buffer_release(b);
    assert_int_equal(knx_alloc_live(), live_before);
    knx_buffer_release(NULL);
}

static void pooled_bytes_are_not_live(void **state)
{
    (void)state;
    size_t live = knx_buffer_bytes_live();
    knx_buffer *b = knx_buffer_new(1 << 20);
    size_t bytes = b->bytes;
    assert_true(knx_buffer_bytes_live() == live + bytes);
    assert_true(knx_buffer_bytes_pooled() == 0);
    knx_buffer_release(b);
    assert_true(knx_buffer_bytes_live() == live);
    assert_true(knx_buffer_bytes_pooled() == bytes);
}

static void trimming_empties_the_pool(void **state)
{
    (void)state;
    knx_buffer_release(knx_buffer_new(10));
    knx_buffer_release(knx_buffer_new(5 << 20));
    assert_true(knx_buffer_bytes_pooled() > 0);
    knx_buffer_trim();
    assert_true(knx_buffer_bytes_pooled() == 0);
}

static void the_pool_of_big_buffers_is_bounded_and_drops_the_oldest(void **state)
{
    (void)state;
    enum { N = 12, BYTES = 32 << 20, BOUND = 256 << 20 };
    knx_buffer *b[N];
    for (int i = 0; i < N; i++)
        b[i] = knx_buffer_new(BYTES); /* never written to: address space only */
    for (int i = 0; i < N; i++)
        knx_buffer_release(b[i]);
    assert_true(knx_buffer_bytes_pooled() <= BOUND);
    assert_true(knx_buffer_bytes_pooled() > BOUND - BYTES);
    knx_buffer *again = knx_buffer_new(BYTES);
    assert_ptr_equal(again, b[N - 1]);
    knx_buffer_release(again);
}

static void a_buffer_larger_than_the_bound_does_not_empty_the_pool(void **state)
{
    (void)state;
    knx_buffer_release(knx_buffer_new(1 << 20));
    size_t pooled = knx_buffer_bytes_pooled();
    knx_buffer_release(knx_buffer_new(300 << 20));
    assert_true(knx_buffer_bytes_pooled() == pooled);
}

/* y = f(x), again and again. */
static void the_memory_of_a_result_is_found_again(void **state)
{
    (void)state;
    enum { BYTES = 500 << 20 };
    knx_buffer *x = knx_buffer_new(BYTES), *y = knx_buffer_new(BYTES), *before = y;
    knx_buffer_release(y);
    y = knx_buffer_new(BYTES);
    assert_ptr_equal(y, before);
    knx_buffer_release(y);
    knx_buffer_release(x);
    knx_buffer_trim();
}

static void scratch_is_the_memory_that_was_freed_last(void **state)
{
    (void)state;
    knx_buffer_trim();
    knx_buffer *small = knx_buffer_new(100 << 10), *large = knx_buffer_new(700 << 10), *huge = knx_buffer_new(9 << 20);
    knx_buffer_release(small);
    knx_buffer_release(large);
    knx_buffer_release(huge);
    size_t pooled = knx_buffer_bytes_pooled(), live = knx_buffer_bytes_live();
    knx_buffer *scratch = knx_buffer_scratch(100 << 10); /* not the huge one: that is too much larger */
    assert_ptr_equal(scratch, large);
    assert_int_equal(pooled - knx_buffer_bytes_pooled(), knx_buffer_bytes_live() - live);
    assert_ptr_equal(knx_buffer_new(100 << 10), small);
    knx_buffer_release(small);
    knx_buffer_release(scratch);
    assert_ptr_equal(knx_buffer_scratch(90 << 10), large);
    knx_buffer_release(large);
    assert_int_equal(knx_buffer_bytes_pooled(), pooled);
    assert_int_equal(knx_buffer_bytes_live(), live);
    huge = knx_buffer_new(40 << 20);
    knx_buffer_release(huge);
    scratch = knx_buffer_scratch(10 << 20); /* no cache has it, and a result may need it */
    assert_ptr_equal(knx_buffer_new(40 << 20), huge);
    knx_buffer_release(huge);
    knx_buffer_release(scratch);
}

static void the_bound_can_be_changed(void **state)
{
    (void)state;
    size_t before = knx_buffer_limit(3 << 20);
    knx_buffer_release(knx_buffer_new(2 << 20));
    knx_buffer_release(knx_buffer_new(1 << 20));
    assert_true(knx_buffer_bytes_pooled() >= 1 << 20);
    assert_int_equal(knx_buffer_limit(0), 3 << 20);
    assert_int_equal(knx_buffer_bytes_pooled(), 0);
    knx_buffer_release(knx_buffer_new(1 << 20));
    assert_int_equal(knx_buffer_bytes_pooled(), 0);
    knx_buffer_limit(before);
}

static void the_pool_of_small_buffers_is_bounded(void **state)
{
    (void)state;
    static knx_buffer *b[20000];
    for (int i = 0; i < 20000; i++)
        b[i] = knx_buffer_new(64);
    for (int i = 0; i < 20000; i++)
        knx_buffer_release(b[i]);
    assert_true(knx_buffer_bytes_pooled() <= 512 << 10);
    assert_true(knx_buffer_bytes_pooled() > 256 << 10);
}

static void a_buffer_can_fail_even_out_of_the_pool(void **state)
{
    (void)state;
    knx_buffer_release(knx_buffer_new(100));
    knx_fail_after(0, false);
    assert_null(knx_buffer_new(100));
    knx_buffer *b = knx_buffer_new(100);
    assert_non_null(b);
    knx_buffer_release(b);
}

static void an_impossible_size_is_null_and_not_live(void **state)
{
    (void)state;
    assert_null(knx_buffer_new(SIZE_MAX));
    assert_null(knx_buffer_new(SIZE_MAX / 2));
    assert_int_equal(knx_alloc_live(), live_before);
}

static void a_buffer_that_the_system_refuses_is_null_and_not_live(void **state)
{
    (void)state;
    if (THREAD_SANITIZER || sizeof(size_t) < 8)
        skip(); /* ThreadSanitizer ends a program that asks for too much */
    knx_buffer_release(knx_buffer_new(100));
    size_t live = knx_buffer_bytes_live();
    assert_null(knx_buffer_new(SIZE_MAX >> 16));
    assert_true(knx_buffer_bytes_live() == live);
    assert_true(knx_buffer_bytes_pooled() == 0); /* it tried without the pool's share, too */
    assert_int_equal(knx_alloc_live(), live_before);
}

static void count_release(void *data, void *env)
{
    assert_string_equal(data, "foreign");
    ++*(int *)env;
}

static void foreign_memory_is_released_once_with_its_env(void **state)
{
    (void)state;
    char text[] = "foreign";
    int released = 0;
    knx_buffer *b = knx_buffer_wrap(text, sizeof text, count_release, &released);
    assert_ptr_equal(b->data, text);
    knx_buffer_retain(b);
    knx_buffer_release(b);
    assert_int_equal(released, 0);
    knx_buffer_release(b);
    assert_int_equal(released, 1);
    assert_true(knx_buffer_bytes_pooled() == 0);
}

static void a_wrap_that_fails_leaves_the_memory_to_the_caller(void **state)
{
    (void)state;
    char text[] = "foreign";
    int released = 0;
    knx_fail_after(0, false);
    assert_null(knx_buffer_wrap(text, sizeof text, count_release, &released));
    assert_int_equal(released, 0);
}

/* Threads. */

enum { THREADS = 4, ROUNDS = 4000 };

static void *churn(void *arg)
{
    unsigned random = (unsigned)(uintptr_t)arg;
    knx_buffer *mine[8] = {0};
    intptr_t wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        knx_buffer **b = &mine[random >> 29];
        if (*b)
            wrong += *(unsigned char *)(*b)->data != (unsigned char)(uintptr_t)arg;
        knx_buffer_release(*b);
        *b = knx_buffer_new(random >> 8 & (random & 1 ? 0xff : 0x1ffff));
        memset((*b)->data, (int)(uintptr_t)arg, 8);
        if (i % 1000 == 999)
            knx_buffer_trim();
    }
    for (int i = 0; i < 8; i++)
        knx_buffer_release(mine[i]);
    return (void *)wrong;
}

static void threads_never_share_a_buffer_by_accident(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
}

static void *use_shared(void *arg)
{
    knx_buffer *b = arg;
    for (int i = 0; i < ROUNDS; i++)
        knx_buffer_release(knx_buffer_retain(b));
    knx_buffer_release(b);
    return NULL;
}

static void the_last_of_several_threads_frees_the_buffer(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    knx_buffer *b = knx_buffer_new(100);
    for (int i = 0; i < THREADS; i++) {
        knx_buffer_retain(b);
        assert_int_equal(pthread_create(&thread[i], NULL, use_shared, b), 0);
    }
    knx_buffer_release(b);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(knx_alloc_live(), live_before);
}

static atomic_bool stop;

static void *churn_until_stopped(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        knx_buffer_release(knx_buffer_new(100));
    return NULL;
}

static void a_forked_child_can_use_buffers(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, churn_until_stopped, NULL), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (!child) {
            alarm(20); /* a lock that stayed taken would hang it */
            knx_buffer_release(knx_buffer_new(100));
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

enum { ALIVE_AFTER = 5 };
static void *leave_blocks(void *arg)
{
    void **left = arg;
    for (int i = 0; i < ALIVE_AFTER; i++) {
        left[i] = knx_alloc(8);
        knx_free(knx_alloc(8));
    }
    knx_free(left[ALIVE_AFTER]); /* another thread's */
    return NULL;
}

/* Each thread counts its own blocks, and takes the counts along when it ends. */
static void blocks_of_a_thread_that_ended_are_counted(void **state)
{
    (void)state;
    void *left[ALIVE_AFTER + 1];
    int64_t live = knx_alloc_live(), asked = knx_alloc_count();
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        left[ALIVE_AFTER] = knx_alloc(8);
        assert_int_equal(pthread_create(&thread, NULL, leave_blocks, left), 0);
        pthread_join(thread, NULL);
        assert_int_equal(knx_alloc_live(), live + ALIVE_AFTER);
        for (int i = 0; i < ALIVE_AFTER; i++)
            knx_free(left[i]);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_int_equal(knx_alloc_count(), asked + 3 * (2 * ALIVE_AFTER + 1));
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)
/* Pieces. */

static void pieces_are_counted_like_blocks(void **state)
{
    (void)state;
    enum { MANY = 100 };
    void *p[MANY];
    for (int round = 0; round < 2; round++) {
        int64_t asked = knx_alloc_count();
        for (int i = 0; i < MANY; i++)
            assert_non_null(p[i] = knx_piece((size_t)i * 7));
        assert_int_equal(knx_alloc_live(), live_before + MANY);
        assert_int_equal(knx_alloc_count(), asked + MANY);
        for (int i = 0; i < MANY; i++) {
            memset(p[i], 0xff, (size_t)i * 7);
            knx_piece_free(p[i], (size_t)i * 7);
        }
        assert_int_equal(knx_alloc_live(), live_before);
    }
    knx_piece_free(NULL, 8);
    knx_pieces_trim();
    assert_int_equal(knx_alloc_live(), live_before);
}

/* Also one that was given back by somebody who asked for a few bytes less. */
static void a_zeroed_piece_is_zero(void **state)
{
    (void)state;
    unsigned char *p = knx_piece(100);
    memset(p, 0xff, 100);
    knx_piece_free(p, 100);
    p = knx_piece_zero(128);
    for (int i = 0; i < 128; i++)
        assert_int_equal(p[i], 0);
    memset(p, 0xff, 128);
    knx_piece_free(p, 128);
}

static void a_piece_can_fail_even_one_that_is_there(void **state)
{
    (void)state;
    knx_piece_free(knx_piece(40), 40);
    knx_fail_after(0, false);
    assert_null(knx_piece(40));
    knx_fail_after(0, false);
    assert_null(knx_piece_zero(4000));
    knx_fail_after(-1, false);
    void *p = knx_piece(40);
    assert_non_null(p);
    knx_piece_free(p, 40);
}

KN_TEST_GROUP(test_memory)
{
    const struct CMUnitTest tests[] = {
        T(an_allocation_of_nothing_is_a_pointer),
        T(freeing_null_is_fine),
        T(zeroed_memory_is_zero),
        T(realloc_keeps_the_contents),
        T(live_blocks_are_counted),
        T(every_request_is_counted),
        T(the_allocation_after_k_fails),
        T(sticky_failure_lasts_until_it_is_turned_off),
        T(a_failed_realloc_leaves_the_block_alone),
        T(a_product_that_does_not_fit_is_reported),
        T(arena_memory_is_aligned_and_its_own),
        T(an_arena_holds_what_is_larger_than_a_block),
        T(an_arena_copies_bytes_and_strings),
        T(many_small_pieces_take_few_blocks),
        T(a_reset_arena_keeps_its_largest_block),
        T(an_arena_without_memory_gives_null_and_lives_on),
        T(pieces_are_counted_like_blocks),
        T(a_zeroed_piece_is_zero),
        T(a_piece_can_fail_even_one_that_is_there),
        T(a_vector_keeps_what_was_pushed),
        T(a_vector_grows_geometrically),
        T(a_vector_without_memory_is_unchanged),
        T(a_vector_refuses_sizes_that_overflow),
        T(buffers_of_any_size_are_aligned_and_large_enough),
        T(the_buffer_freed_last_is_handed_out_first),
        T(a_buffer_lives_until_its_last_reference_goes),
        T(pooled_bytes_are_not_live),
        T(trimming_empties_the_pool),
        T(the_pool_of_big_buffers_is_bounded_and_drops_the_oldest),
        T(a_buffer_larger_than_the_bound_does_not_empty_the_pool),
        T(the_memory_of_a_result_is_found_again),
        T(scratch_is_the_memory_that_was_freed_last),
        T(the_bound_can_be_changed),
        T(the_pool_of_small_buffers_is_bounded),
        T(a_buffer_can_fail_even_out_of_the_pool),
        T(an_impossible_size_is_null_and_not_live),
        T(a_buffer_that_the_system_refuses_is_null_and_not_live),
        T(foreign_memory_is_released_once_with_its_env),
        T(a_wrap_that_fails_leaves_the_memory_to_the_caller),
        T(threads_never_share_a_buffer_by_accident),
        T(the_last_of_several_threads_frees_the_buffer),
        T(a_forked_child_can_use_buffers),
        T(blocks_of_a_thread_that_ended_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
