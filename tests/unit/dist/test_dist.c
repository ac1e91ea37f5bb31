/* SPDX-License-Identifier: Apache-2.0
 * test_dist.c -- devices of one process: what they move, what becomes of those that do different things, and of errors. */
#include "support/group.h"
#include "support/programs.h"

#include "base/clock.h"
#include "kiln/callback.h"
#include "dist/dist.h"
#include "base/clock.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64 };
#define WHAT(name) ((kndist_what){(name), &(const kn_place){"user.c", __LINE__, "f"}})

static int32_t numbers[MOST];

static knx_error *run(int n, knx_error *(*work)(void *env, int i), void *env)
{
    for (int i = 0; i < MOST; i++)
        numbers[i] = i;
    return kndist_run(NULL, n, numbers, NULL, work, env);
}

static kndist_group all(int n, int me) { return (kndist_group){n, me, numbers}; }

static void fails(knx_error *e, const char *text)
{
    assert_non_null(e);
    if (!strstr(e->message, text))
        fail_msg("\"%s\" does not say \"%s\"", e->message, text);
    knx_error_release(e);
}

/* ---- Movements. */

typedef struct team {
    int n;
    atomic_int ran;
} team;

static knx_error *move_all(void *env, int i)
{
    const team *t = env;
    int n = t->n, sent[MOST], got[MOST], to = (i + 1) % n, from = (i + n - 1) % n;
    kndist_group g = all(n, i);
    assert_int_equal(kndist_self_now()->device, i);
    assert_int_equal(kndist_shares_process(), n > 1);
    for (int k = 0; k < n; k++)
        sent[k] = 100 * i + k;
    for (int round = 0; round < 20; round++) {
        KN_TRY(kndist_all_gather(&g, WHAT("gather"), &i, sizeof i, got));
        for (int k = 0; k < n; k++)
            assert_int_equal(got[k], k);
        KN_TRY(kndist_all_to_all(&g, WHAT("exchange"), sent, sizeof *sent, got));
        for (int k = 0; k < n; k++)
            assert_int_equal(got[k], 100 * k + i);
        KN_TRY(kndist_permute(&g, WHAT("ring"), sent, to, got, from, sizeof *sent));
        assert_int_equal(got[0], 100 * from);
        got[0] = -1;
        KN_TRY(kndist_permute(&g, WHAT("line"), sent, i + 1 < n ? i + 1 : -1, got, i - 1, sizeof *sent));
        assert_int_equal(got[0], i ? 100 * (i - 1) : -1);
        KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    }
    return NULL;
}

static void all_movements_among_one_to_many_devices(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n += n < 8 ? 1 : 25) {
        team t = {.n = n};
        test_ok(run(n, move_all, &t));
    }
}

/* Part k of device i has i + k bytes. */
static knx_error *move_parts(void *env, int i)
{
    enum { N = 5 };
    size_t send[N], at[N], recv[N], recv_at[N], end = 0, recv_end = 0;
    char from[64], to[64];
    kndist_group g = all(N, i);
    (void)env;
    for (int k = 0; k < N; k++) {
        send[k] = (size_t)(i + k);
        at[k] = end;
        end += send[k];
        recv[k] = (size_t)(i + k);
        recv_at[k] = recv_end;
        recv_end += recv[k];
        memset(from + at[k], 10 * i + k, send[k]);
    }
    KN_TRY(kndist_all_to_all_v(&g, WHAT("parts"), from, send, at, to, recv, recv_at));
    for (int k = 0; k < N; k++)
        for (size_t b = 0; b < recv[k]; b++)
            assert_int_equal(to[recv_at[k] + b], 10 * k + i);
    for (int k = 0; k < N; k++)
        recv[k] = (size_t)k;
    KN_TRY(kndist_all_gather_v(&g, WHAT("parts of all"), from, (size_t)i, to, recv, recv_at));
    return NULL;
}

static void parts_of_different_sizes(void **state)
{
    (void)state;
    test_ok(run(5, move_parts, NULL));
}

/* Rows and columns of a square take turns, each at its own pace. */
static knx_error *move_in_groups(void *env, int i)
{
    enum { N = 4 };
    int32_t row[N], column[N], got[N];
    (void)env;
    for (int k = 0; k < N; k++) {
        row[k] = i / N * N + k;
        column[k] = k * N + i % N;
    }
    for (int round = 0; round < 50; round++) {
        int32_t mine = i * 1000 + round;
        KN_TRY(kndist_all_gather(&(kndist_group){N, i % N, row}, WHAT("row"), &mine, sizeof mine, got));
        for (int k = 0; k < N; k++)
            assert_int_equal(got[k], row[k] * 1000 + round);
        KN_TRY(kndist_all_gather(&(kndist_group){N, i / N, column}, WHAT("column"), &mine, sizeof mine, got));
        for (int k = 0; k < N; k++)
            assert_int_equal(got[k], column[k] * 1000 + round);
    }
    return NULL;
}

static void groups_do_not_wait_for_each_other(void **state)
{
    (void)state;
    test_ok(run(16, move_in_groups, NULL));
}

/* ---- Movements in two halves. */

static kndist_move gather_of(kndist_what w, const int *x, int *y)
{
    return (kndist_move){.kind = KNDIST_GATHER, .what = w, .send = x, .bytes = sizeof *x, .recv = y};
}

/* So many of one group under way at once, waited for in the order of their starts or the other way round; those of
 * other groups in between. */
static knx_error *start_several(void *env, int i)
{
    enum { SEVERAL = 5, N = 4 };
    const team *t = env;
    int32_t pair[2] = {i & ~1, i | 1};
    int x[SEVERAL], y[SEVERAL][N], z[2];
    kndist_group g = all(N, i), two = {2, i & 1, pair};
    for (int round = 0; round < 50; round++) {
        kndist_flight *f[SEVERAL], *other;
        for (int k = 0; k < SEVERAL; k++) {
            x[k] = 1000 * round + 10 * k + i;
            kndist_move m = gather_of(WHAT("gather"), &x[k], y[k]);
            KN_TRY(kndist_start(&g, &m, &f[k]));
        }
        kndist_move m = gather_of(WHAT("pair"), &x[0], z);
        KN_TRY(kndist_start(&two, &m, &other));
        KN_TRY(kndist_barrier(&g, WHAT("barrier")));
        kndist_progress();
        for (int k = 0; k < SEVERAL; k++)
            KN_TRY(kndist_wait(f[t->n > 0 ? k : SEVERAL - 1 - k]));
        KN_TRY(kndist_wait(other));
        for (int k = 0; k < SEVERAL; k++)
            for (int from = 0; from < N; from++)
                assert_int_equal(y[k][from], 1000 * round + 10 * k + from);
        assert_int_equal(z[0], 1000 * round + (i & ~1));
    }
    return NULL;
}

static void several_movements_are_under_way_at_once(void **state)
{
    (void)state;
    test_ok(run(4, start_several, &(team){.n = 1}));
    test_ok(run(4, start_several, &(team){.n = -1}));
}

/* Device 0 has started when device 1 begins, so a start waits for nobody. */
static knx_error *start_before(void *env, int i)
{
    team *t = env;
    int y[2];
    kndist_flight *f = NULL;
    kndist_group g = all(2, i);
    kndist_move m = gather_of(WHAT("gather"), &i, y);
    while (i && !atomic_load(&t->ran))
        sched_yield();
    KN_TRY(kndist_start(&g, &m, &f));
    atomic_fetch_add(&t->ran, 1);
    KN_TRY(kndist_wait(f));
    assert_int_equal(y[1], 1);
    return NULL;
}

static void a_start_waits_for_nobody(void **state)
{
    (void)state;
    test_ok(run(2, start_before, &(team){.n = 2}));
}

/* ---- What goes wrong. */

static knx_error *other_operation(void *env, int i)
{
    kndist_group g = all(3, i);
    int x = i, y[3];
    (void)env;
    return i == 1 ? kndist_all_gather(&g, WHAT("psum"), &x, sizeof x, y)
                  : kndist_all_gather(&g, WHAT("pmax"), &x, sizeof x, y);
}

static knx_error *other_bytes(void *env, int i)
{
    kndist_group g = all(3, i);
    double x[2] = {i, i}, y[6];
    (void)env;
    return kndist_all_gather(&g, WHAT("all_gather"), x, i == 2 ? 16 : 8, y);
}

static knx_error *other_sizes(void *env, int i)
{
    kndist_group g = all(2, i);
    size_t bytes[2] = {4, 4}, at[2] = {0, 8}, wants[2] = {i ? 8 : 4, 4};
    char x[16] = {0}, y[16];
    (void)env;
    return kndist_all_to_all_v(&g, WHAT("parts"), x, bytes, at, y, wants, at);
}

static knx_error *other_group(void *env, int i)
{
    int32_t pair[2] = {0, 1}, others[2] = {1, 2}, last[2] = {2, 0};
    int x = i, y[2];
    (void)env;
    kndist_group g = i == 0   ? (kndist_group){2, 0, pair}
                     : i == 1 ? (kndist_group){2, 0, others}
                              : (kndist_group){2, 0, last};
    return kndist_all_gather(&g, WHAT(i == 0 ? "first" : i == 1 ? "second" : "third"), &x, sizeof x, y);
}

static knx_error *one_more(void *env, int i)
{
    kndist_group g = all(3, i);
    (void)env;
    KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    return i == 2 ? NULL : kndist_barrier(&g, WHAT("another barrier"));
}

static void different_movements_are_errors_that_name_both_lines(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        double start = knx_seconds();
        fails(run(3, other_operation, NULL), "device 0 is in pmax at user.c:");
        fails(run(3, other_operation, NULL), "device 1 in psum at user.c:");
        fails(run(3, other_bytes, NULL), "device 2 in all_gather at user.c:");
        fails(run(3, other_bytes, NULL), ", 16 bytes");
        fails(run(2, other_sizes, NULL), "device 0 sends 4 bytes in parts at user.c:");
        fails(run(3, other_group, NULL), "and they wait for each other");
        fails(run(3, one_more, NULL), "device 2 has ended");
        assert_true(knx_seconds() - start < 5);
    }
}

static knx_error *one_fails(void *env, int i)
{
    kndist_group g = all(4, i);
    const int *who = env;
    KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    if (i == *who || (*who == 9 && i > 1))
        return knx_error_new(KN_ERROR_INDEX, "out of bounds on %d", i);
    knx_error *error = kndist_barrier(&g, WHAT("barrier"));
    assert_non_null(error);
    assert_non_null(strstr(error->message, "has failed: out of bounds on"));
    fails(kndist_barrier(&g, WHAT("barrier")), "has failed: out of bounds on");
    return error;
}

static void the_first_failure_ends_all_and_is_what_comes_back(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        knx_error *e = run(4, one_fails, &i);
        char want[32];
        snprintf(want, sizeof want, "out of bounds on %d", i);
        assert_non_null(e);
        assert_string_equal(e->message, want);
        assert_int_equal(e->kind, KN_ERROR_INDEX);
        knx_error_release(e);
    }
    fails(run(4, one_fails, &(int){9}), "out of bounds on 2");
}

/* A device fails between starts and waits; its memory goes when it is out of them. How: all have come to the first
 * movement then (0), nobody knows (1), or others wait for it (2). */
static knx_error *fails_between(void *env, int i)
{
    enum { N = 4, LONG = 4096 };
    const int *how = env;
    int *x = calloc(2 * LONG, sizeof *x), *y = calloc(2 * N * LONG, sizeof *y);
    kndist_group g = all(N, i);
    kndist_flight *f[2] = {NULL};
    uint64_t since = kndist_started();
    knx_error *error = NULL;
    for (int k = 0; k < 2 && !error; k++) {
        kndist_move m = {.kind = KNDIST_GATHER,
                         .what = WHAT("gather"),
                         .send = x + k * LONG,
                         .recv = y + k * N * LONG,
                         .bytes = LONG * sizeof *x};
        error = kndist_start(&g, &m, &f[k]);
        if (!error && !k && *how == 0)
            error = kndist_barrier(&g, WHAT("barrier"));
        if (!error && i == 2 && *how == 2)
            usleep(2000);
        if (!error && i == 2 && k == (*how == 0))
            error = knx_error_new(KN_ERROR_INDEX, "out of bounds on %d", i);
    }
    for (int k = 2; k-- > 0 && !error;)
        error = kndist_wait(f[k]);
    if (error)
        kndist_abandon(since, error);
    free(x);
    free(y);
    return error;
}

static void a_failure_between_start_and_wait_is_the_error_of_all(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        double start = knx_seconds();
        fails(run(4, fails_between, &(int){trial % 3}), "out of bounds on 2");
        assert_true(knx_seconds() - start < 5);
    }
}

/* One waits for the first movement, which needs the other one's wait, and that one for something else. */
static knx_error *waits_elsewhere(void *env, int i)
{
    int y[2];
    kndist_flight *f;
    kndist_group g = all(2, i);
    kndist_move m = gather_of(WHAT("psum"), &i, y);
    (void)env;
    KN_TRY(kndist_start(&g, &m, &f));
    if (i)
        KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    return kndist_wait(f);
}

/* The same movements, started in another order. */
static knx_error *other_order(void *env, int i)
{
    int y[2], z[2];
    kndist_flight *f, *h;
    kndist_group g = all(2, i);
    kndist_move m = gather_of(WHAT(i ? "pmax" : "psum"), &i, y), o = gather_of(WHAT(i ? "psum" : "pmax"), &i, z);
    (void)env;
    KN_TRY(kndist_start(&g, &m, &f));
    KN_TRY(kndist_start(&g, &o, &h));
    KN_TRY(kndist_wait(f));
    return kndist_wait(h);
}

static knx_error *never_waits(void *env, int i)
{
    static int y[2], x;
    kndist_flight *f;
    kndist_group g = all(2, i);
    kndist_move m = gather_of(WHAT("psum"), &x, y);
    (void)env;
    return kndist_start(&g, &m, &f);
}

static void different_starts_and_waits_are_errors(void **state)
{
    (void)state;
    double start = knx_seconds();
    fails(run(2, waits_elsewhere, NULL), "devices run different movements: device ");
    fails(run(2, waits_elsewhere, NULL), "psum at user.c:");
    fails(run(2, other_order, NULL), "device 0 is in psum at user.c:");
    fails(run(2, other_order, NULL), "device 1 in pmax at user.c:");
    fails(run(2, never_waits, NULL), "has not waited for all that it started");
    assert_true(knx_seconds() - start < 5);
}

static knx_error *one_is_late(void *env, int i)
{
    (void)env;
    for (double end = knx_seconds() + 1; i == 1 && knx_seconds() < end;)
        usleep(1000);
    return kndist_barrier(&(kndist_group){2, i, numbers}, WHAT("barrier"));
}

/* One gives up about when the last one comes. */
static knx_error *about_then(void *env, int i)
{
    static const int32_t three[] = {0, 1, 2};
    const kndist_group g = {3, i, three};
    double until = knx_seconds() + (i == 1 ? 0.001 : i == 2 ? 0.003 + 2e-6 * *(const int *)env : 0);
    while (knx_seconds() < until)
        sched_yield();
    return kndist_barrier(&g, (kndist_what){"barrier", NULL});
}

static void nobody_waits_for_ever_where_one_gives_up(void **state)
{
    (void)state;
    kndist_set_timeout(0.003);
    for (int trial = 0; trial < 300; trial++) /* it ends */
        knx_error_release(run(3, about_then, &trial));
    kndist_set_timeout(-1);
}

static void who_does_not_come_in_time_is_an_error(void **state)
{
    (void)state;
    assert_true(kndist_timeout() == 300);
    kndist_set_timeout(0.2);
    fails(run(2, one_is_late, NULL), "device 0 waited 0.2 s in barrier at user.c:");
    fails(run(2, one_is_late, NULL), "for device 1, which is at work");
    kndist_set_timeout(0);
    test_ok(run(2, one_is_late, NULL));
    kndist_set_timeout(-1);
}

static void who_is_in_no_mesh_moves_nothing(void **state)
{
    (void)state;
    assert_null(kndist_self_now());
    assert_false(kndist_shares_process());
    fails(kndist_barrier(&(kndist_group){1, 0, numbers}, WHAT("psum")), "psum runs on no device of a mesh");
    test_ok(run(0, move_all, NULL));
    fails(run(-1, move_all, NULL), "the number of devices must be 0 to 4096, not -1");
    fails(kndist_set_local(0), "the number of devices must be 1 to 4096, not 0");
    fails(kndist_set_local(5000), "not 5000");
}

static knx_error *strange_groups(void *env, int i)
{
    int32_t far[2] = {0, 7}, other[2] = {1, 0};
    (void)env;
    if (i)
        return NULL;
    fails(kndist_barrier(&(kndist_group){2, 0, other}, WHAT("psum")), "device 0 is not the member");
    return kndist_barrier(&(kndist_group){2, 0, far}, WHAT("psum"));
}

static void devices_that_do_not_run_are_no_members(void **state)
{
    (void)state;
    fails(run(2, strange_groups, NULL), "device 7 does not run this program");
}

/* ---- Threads. */

static knx_error *inner(void *env, int i)
{
    team *t = env;
    atomic_fetch_add(&t->ran, 1);
    return kndist_barrier(&(kndist_group){2, i, numbers}, WHAT("inner"));
}

static knx_error *outer(void *env, int i)
{
    const kndist_self *self = kndist_self_now();
    KN_TRY(kndist_run(NULL, 2, numbers, NULL, inner, env));
    assert_ptr_equal(self, kndist_self_now());
    return kndist_barrier(&(kndist_group){3, i, numbers}, WHAT("outer"));
}

static void a_device_may_run_devices(void **state)
{
    (void)state;
    team t = {.n = 3};
    for (int i = 0; i < 20; i++)
        test_ok(run(3, outer, &t));
    assert_int_equal(t.ran, 20 * 3 * 2);
}

static void a_forked_child_has_threads_of_its_own(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it does not let a child have threads */
#endif
    team t = {.n = 3};
    test_ok(run(3, move_all, &t));
    pid_t child = fork();
    if (!child) {
        knx_error *e = run(4, move_all, &(team){.n = 4});
        _exit(e ? 1 : 0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    test_ok(run(3, move_all, &t));
}

static int stop_after;
static bool poll_stop(void *env) { return (void)env, --stop_after < 0; }

static knx_error *for_ever(void *env, int i)
{
    (void)env;
    for (;;)
        KN_TRY(kndist_barrier(&(kndist_group){2, i, numbers}, WHAT("barrier")));
}

static void the_user_can_end_a_run(void **state)
{
    (void)state;
    stop_after = 3;
    kn_set_poll(poll_stop, NULL);
    knx_error *e = run(2, for_ever, NULL);
    kn_set_poll(NULL, NULL);
    assert_non_null(e);
    assert_true(e->interruption);
    knx_error_release(e);
}

static void without_memory_there_is_an_error(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 60; k++) {
        team t = {.n = 3};
        int64_t before = knx_alloc_live();
        knx_fail_after(k, false);
        knx_error *e = run(3, move_all, &t);
        knx_fail_after(-1, false);
        knx_error_release(e);
        if (!e)
            assert_true(k > 3);
        assert_true(knx_alloc_live() - before <= 8); /* threads stay */
    }
}

KN_TEST_GROUP(test_dist)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_movements_among_one_to_many_devices),
        cmocka_unit_test(parts_of_different_sizes),
        cmocka_unit_test(groups_do_not_wait_for_each_other),
        cmocka_unit_test(several_movements_are_under_way_at_once),
        cmocka_unit_test(a_start_waits_for_nobody),
        cmocka_unit_test(different_movements_are_errors_that_name_both_lines),
        cmocka_unit_test(a_failure_between_start_and_wait_is_the_error_of_all),
        cmocka_unit_test(different_starts_and_waits_are_errors),
        cmocka_unit_test(the_first_failure_ends_all_and_is_what_comes_back),
        cmocka_unit_test(who_does_not_come_in_time_is_an_error),
        cmocka_unit_test(nobody_waits_for_ever_where_one_gives_up),
        cmocka_unit_test(who_is_in_no_mesh_moves_nothing),
        cmocka_unit_test(devices_that_do_not_run_are_no_members),
        cmocka_unit_test(a_device_may_run_devices),
        cmocka_unit_test(a_forked_child_has_threads_of_its_own),
        cmocka_unit_test(the_user_can_end_a_run),
        cmocka_unit_test(without_memory_there_is_an_error),
    };
    if (kndist_set_local(64))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
