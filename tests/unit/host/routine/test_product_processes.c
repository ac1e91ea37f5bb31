/* SPDX-License-Identifier: Apache-2.0
 * test_product_processes.c -- products in forked processes and in several threads at once, and where the system does not
 * give tile registers: the bits are those of one thread alone, or the definition's. */
#include "support/expect.h"
#include "support/group.h"
#include "base/cpu.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) /* it allows no threads in a child of several */
#define THREADS_OF_CHILD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_OF_CHILD 1
#endif
#endif
#if !defined(THREADS_OF_CHILD)
#define THREADS_OF_CHILD 3
#endif

enum { M = 70, K = 300, N = 45, THREADS = 4, ROUNDS = 8 };

static int number(int64_t i, int by) { return (int)((uint64_t)i * 2654435761u >> by) % 251 - 125; }

/* ---- Bytes: exact, so the definition is a plain loop. */

static bool bytes_are_right(void)
{
    KN_SCOPE;
    int8_t *a = malloc(M * K), *b = malloc(K * N);
    bool good = a && b;
    for (int64_t i = 0; good && i < M * K; i++)
        a[i] = (int8_t)number(i, 7);
    for (int64_t i = 0; good && i < K * N; i++)
        b[i] = (int8_t)number(i, 9);
    if (good) {
        kn_array x = kn_from(a, KN_SHAPE(M, K)), y = kn_from(b, KN_SHAPE(K, N));
        const int32_t *c = kn_data(kn_lax_dot(x, y, .preferred_element_type = KN_I32), int32_t);
        good = c != NULL;
        for (int64_t i = 0; good && i < M * N; i++) {
            int32_t sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += a[i / N * K + k] * b[k * N + i % N];
            good = c[i] == sum;
        }
    }
    free(a);
    free(b);
    return good && !kn_error_pending();
}

/* ---- Floats and complex numbers: the same bits as before. */

static void sizes_of(int which, int64_t *m, int64_t *k, int64_t *n)
{
    static const int64_t size[][3] = {{70, 300, 45}, {1, 500, 333},  {333, 257, 1},
                                      {1, 3000, 1},  {200, 64, 200}, {13, 9, 31}};
    const int64_t *s = size[which % 6];
    *m = s[0], *k = s[1], *n = s[2];
}

/* A hash of a product's elements; 0: it failed. */
static uint64_t bits_of(int which)
{
    KN_SCOPE;
    int64_t m, k, n;
    uint64_t h = 1469598103934665603u;
    const kn_dtype dtype[] = {KN_F32, KN_F64, KN_C64, KN_BF16, KN_I32};
    kn_dtype d = dtype[which % 5];
    sizes_of(which, &m, &k, &n);
    kn_array x = kn_sin(kn_arange(0, (double)(m * k), 1, .dtype = KN_F32)),
             y = kn_cos(kn_arange(0, (double)(k * n), 1, .dtype = KN_F32));
    x = kn_astype(kn_mul(kn_reshape(x, KN_SHAPE(m, k)), 100), d);
    y = kn_astype(kn_mul(kn_reshape(y, KN_SHAPE(k, n)), 100), d);
    kn_array z = kn_matmul(x, y);
    const unsigned char *p = (kn_data_bytes)(z, d);
    for (int64_t i = 0; p && i < m * n * (int64_t)kn_dtype_size(d); i++)
        h = (h ^ p[i]) * 1099511628211u;
    return p && !kn_error_pending() ? h | 1 : 0;
}

enum { KINDS = 30 };
static uint64_t want[KINDS];

static bool all_are_right(void)
{
    for (int i = 0; i < KINDS; i++)
        if (bits_of(i) != want[i])
            return false;
    return true;
}

static void expect_child(bool (*f)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(300); /* a lock that stayed taken */
        _exit(f() ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- Without tile registers. These come first: a process is told once. */

static bool without_by_wish(void) { return setenv("KILN_AMX", "0", 1) == 0 && bytes_are_right() && !knx_cpu_amx(); }

/* A signal's stack that has no room for the tiles: the system refuses. */
static bool without_by_refusal(void)
{
    static char room[8192];
    const stack_t small = {.ss_sp = room, .ss_size = sizeof room};
    return sigaltstack(&small, NULL) == 0 && bytes_are_right() && !knx_cpu_amx();
}

static void bytes_where_tiles_are_not_wanted(void **state)
{
    (void)state;
    expect_child(without_by_wish);
}

static void bytes_where_tiles_are_refused(void **state)
{
    (void)state;
    expect_child(without_by_refusal);
}

static void bytes_as_they_are(void **state)
{
    (void)state;
    expect_child(bytes_are_right);
    assert_true(bytes_are_right());
}

/* ---- Threads, and processes. */

static void *all_in_a_thread(void *env)
{
    bool *good = env;
    *good = true;
    for (int i = 0; i < ROUNDS && *good; i++)
        *good = all_are_right();
    *good = *good && bytes_are_right();
    return NULL;
}

static void threads_multiply_at_once(void **state)
{
    (void)state;
    pthread_t t[THREADS];
    bool good[THREADS] = {false};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, all_in_a_thread, &good[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_true(good[i]);
}

static bool all_in_a_child(void)
{
    KN_THREADS(THREADS_OF_CHILD);
    return all_are_right() && bytes_are_right();
}

static void a_child_multiplies_after_its_parent(void **state)
{
    (void)state;
    KN_THREADS(2);
    assert_true(all_are_right());
    expect_child(all_in_a_child);
    assert_true(all_are_right());
}

/* Half of the functions are made in the parent, by threads, and the others in the child. */
static bool other_sizes(void)
{
    KN_SCOPE;
    KN_THREADS(THREADS_OF_CHILD);
    for (int64_t n = 1; n < 40; n++) {
        kn_array x = kn_ones(KN_SHAPE(n, 260), .dtype = KN_F32), y = kn_ones(KN_SHAPE(260, 2 * n), .dtype = KN_F32);
        if (kn_item(kn_sum(kn_matmul(x, y))) != (double)(260 * 2 * n * n))
            return false;
    }
    return true;
}

static void a_child_makes_functions_of_its_own(void **state)
{
    (void)state;
    expect_child(other_sizes);
    assert_true(other_sizes());
}

KN_TEST_GROUP(test_product_processes)
{
    const struct CMUnitTest first[] = {
        cmocka_unit_test(bytes_where_tiles_are_not_wanted), /* the environment is read once */
        TEST(bytes_where_tiles_are_refused), TEST(bytes_as_they_are)};
    const struct CMUnitTest then[] = {TEST(a_child_makes_functions_of_its_own), TEST(threads_multiply_at_once),
                                      TEST(a_child_multiplies_after_its_parent)};
    int failed = cmocka_run_group_tests(first, NULL, NULL);
    for (int i = 0; i < KINDS; i++) {
        KN_THREADS(1);
        want[i] = bits_of(i);
        if (!want[i])
            failed++;
    }
    failed += cmocka_run_group_tests(then, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
