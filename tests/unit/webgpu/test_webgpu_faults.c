/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_faults.c -- a WebGPU device that is lost in the midst of a loop, of what waits, of copies up and down, or
 * has no room: an error with the line of the call, what the host has is whole, and nothing of the device is left. Each
 * in a process of its own, since a lost device stays so. Then threads that share the device. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static kng_gpu *g;
static int turn, line_of_loss;

/* In the child: what does not hold is printed, and the child ends with 1. */
#define HOLDS(x)                                                                                                      \
    do {                                                                                                              \
        if (!(x)) {                                                                                                   \
            print_error("line %d: not %s; %s\n", __LINE__, #x, kn_error_pending() ? kn_error_message() : "no error"); \
            return 1;                                                                                                 \
        }                                                                                                             \
    } while (0)

static bool fails_at(int line, const char *part)
{
    bool is = kn_error_pending() && strstr(kn_error_message(), part) && kn_error_line() == line;
    if (!is)
        print_error("line %d: %s\n", kn_error_line(), kn_error_pending() ? kn_error_message() : "no error");
    kn_error_clear();
    return is;
}

static bool lost_at(int line) { return fails_at(line, "device 'webgpu:0' is lost"); }

static bool is_whole(kn_array host)
{
    const float *x = kn_data(host, float);
    return x && x[0] == 0 && x[1] == 1 && x[2] == 2 && x[3] == 3 && kn_item(kn_sum(host)) == 6;
}

static int lose_at_third(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    if (++turn == 3)
        kng_lose(g);
    return 0;
}

static kn_array body(const kn_array *i, const kn_array *x)
{
    (void)i;
    kn_debug_callback(lose_at_third, NULL, KN_LIST(*x));
    line_of_loss = __LINE__ + 1;
    return kn_add(kn_mul(*x, 2), 1);
}
KN_FUNCTION(body, kn_array, kn_array, kn_array)

static kn_array loops(const kn_array *x)
{
    kn_array y;
    kn_fori_loop(0, 100, KN_FN(body), &y, x);
    return y;
}
KN_FUNCTION(loops, kn_array, kn_array)

static int in_a_loop(void)
{
    KN_SCOPE;
    kn_array host = kn_arange(0, 4, 1, KN_F32), y;
    kn_array x = kn_device_put(host, &g->device);
    kn_call(kn_jit(KN_FN(loops)), &y, &x);
    HOLDS(lost_at(line_of_loss));
    HOLDS(turn >= 3 && turn < 100);
    HOLDS(is_whole(host));
    kn_call(kn_jit(KN_FN(loops)), &y, &host);
    HOLDS(!kn_error_pending() && kn_ok(y));
    return 0;
}

static int in_an_upload(void)
{
    KN_SCOPE;
    kn_array host = kn_arange(0, 4, 1, KN_F32), x = kn_mul(kn_device_put(host, &g->device), 2);
    HOLDS(kn_item(kn_sum(x)) == 12);
    kng_lose(g);
    int line = __LINE__ + 1;
    kn_array y = kn_device_put(kn_add(host, 1), &g->device);
    HOLDS(!kn_ok(y));
    HOLDS(lost_at(line));
    line = __LINE__ + 1;
    kn_array z = kn_add(kn_device_put(host, &g->device), 1);
    HOLDS(!kn_ok(z));
    HOLDS(lost_at(line));
    HOLDS(is_whole(host));
    return 0;
}

static int while_work_waits(void)
{
    KN_SCOPE;
    kn_array host = kn_arange(0, 4, 1, KN_F32), x = kn_device_put(host, &g->device);
    kn_set_lazy(true);
    kn_array y = kn_add(kn_mul(x, 2), 1);
    HOLDS(kn_ok(y));
    kng_lose(g);
    HOLDS(!kn_data(y, float));
    HOLDS(kn_error_pending() && strstr(kn_error_message(), "is lost"));
    kn_error_clear();
    kn_set_lazy(false);
    HOLDS(is_whole(host));
    return 0;
}

static int in_a_download(void)
{
    KN_SCOPE;
    kn_array host = kn_arange(0, 4, 1, KN_F32);
    kn_array big = kn_add(kn_device_put(kn_zeros(KN_SHAPE(1 << 22), KN_F32), &g->device), 1);
    float *to = calloc((size_t)1 << 22, sizeof *to);
    HOLDS(to && kn_ok(big));
    kng_lose(g);
    int line = __LINE__ + 1;
    kn_copy_to(big, to, sizeof *to << 22);
    HOLDS(lost_at(line));
    free(to);
    HOLDS(is_whole(host));
    return 0;
}

/* More than a buffer may have, and then what fits: the device goes on. */
static int without_room(void)
{
    KN_SCOPE;
    kn_array host = kn_arange(0, 4, 1, KN_F32), x = kn_device_put(host, &g->device);
    kn_array row = kn_reshape(x, KN_SHAPE(4, 1)), wide = kn_broadcast_to(row, KN_SHAPE(4, (int64_t)1 << 32));
    int64_t live = g->heap.n_live;
    kn_array y = kn_add(wide, 1); /* which waits, so that the line is the one that asks for it */
    int line = __LINE__ + 1;
    HOLDS(!kn_ok(y));
    HOLDS(kn_error_get_kind() == KN_ERROR_MEMORY);
    HOLDS(fails_at(line, "device 'webgpu:0' has no memory for"));
    HOLDS((int64_t)g->heap.n_live == live);
    HOLDS(kn_item(kn_sum(kn_add(x, 1))) == 10);
    HOLDS(is_whole(host));
    return 0;
}

static int child(int (*f)(void))
{
    if (!(g = webgpu_first()))
        return 77;
    if (f())
        return 1;
    HOLDS(kn_shutdown() == 0);
    HOLDS(g->heap.n_live == 0 && g->heap.live == 0);
    return 0;
}

static void alone(int (*f)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        int result = child(f);
        fflush(NULL);
        _exit(result);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define ALONE(f)                       \
    static void lost_##f(void **state) \
    {                                  \
        (void)state;                   \
        alone(f);                      \
    }
ALONE(in_a_loop)
ALONE(in_an_upload)
ALONE(while_work_waits)
ALONE(in_a_download)
ALONE(without_room)

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 25, N = 1000 };

static kn_array squares(const kn_array *x) { return kn_add(kn_mul(*x, *x), 1); }
KN_FUNCTION(squares, kn_array, kn_array)

/* At once, compiled, and lazily; arrays of one round go while other threads are at work. */
static void *works(void *env)
{
    bool *fine = env;
    {
        KN_SCOPE;
        kn_array x = kn_device_put(kn_arange(0, N, 1, KN_F32), &g->device);
        for (int i = 0; *fine && i < ROUNDS; i++) {
            KN_SCOPE;
            kn_set_lazy(i % 3 == 0);
            kn_array y = kn_add(kn_mul(x, 2), i), z;
            kn_call(kn_jit(KN_FN(squares)), &z, &y);
            float v = kn_data(z, float) ? kn_data(z, float)[7] : -1, want = (float)((14 + i) * (14 + i) + 1);
            *fine = v == want && kn_item(kn_max(y)) == 2 * (N - 1) + i && !kn_error_pending();
        }
        kn_set_lazy(false);
        if (kn_error_pending())
            print_error("%s\n", kn_error_message());
    }
    return NULL;
}

static int threads_at_once(void)
{
    pthread_t t[THREADS];
    bool fine[THREADS];
    for (int i = 0; i < THREADS; i++) {
        fine[i] = true;
        HOLDS(pthread_create(&t[i], NULL, works, &fine[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        HOLDS(fine[i]);
    return 0;
}

/* One loses the device while the others work: errors, no more. */
static void *works_until_it_is_lost(void *env)
{
    bool *fine = env;
    {
        KN_SCOPE;
        kn_array host = kn_arange(0, 4, 1, KN_F32), x = kn_device_put(host, &g->device);
        while (!kn_error_pending()) {
            KN_SCOPE;
            kn_array y = kn_add(kn_mul(x, 2), 1), z;
            kn_call(kn_jit(KN_FN(squares)), &z, &y);
            kn_data(z, float);
        }
        *fine = strstr(kn_error_message(), "is lost");
        if (!*fine)
            print_error("%s\n", kn_error_message());
        kn_error_clear();
        *fine = *fine && is_whole(host);
    }
    return NULL;
}

static int under_threads(void)
{
    pthread_t t[THREADS];
    bool fine[THREADS] = {false};
    for (int i = 0; i < THREADS; i++)
        HOLDS(pthread_create(&t[i], NULL, works_until_it_is_lost, &fine[i]) == 0);
    usleep(200000);
    knd_lock();
    kng_lose(g);
    knd_unlock();
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        HOLDS(fine[i]);
    return 0;
}
ALONE(threads_at_once)
ALONE(under_threads)

KN_TEST_GROUP(test_webgpu_faults)
{
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_in_a_loop),        cmocka_unit_test(lost_in_an_upload),
        cmocka_unit_test(lost_while_work_waits), cmocka_unit_test(lost_in_a_download),
        cmocka_unit_test(lost_without_room),     cmocka_unit_test(lost_threads_at_once),
        cmocka_unit_test(lost_under_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
