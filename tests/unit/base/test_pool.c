/* SPDX-License-Identifier: Apache-2.0
 * test_pool.c -- the worker threads: every part once, numbers of workers, nesting, several callers, forks, parking;
 * and how many CPUs a control group leaves. To be run under ThreadSanitizer as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka comes after these */
#include "base/cpus.h"
#include "base/poll.h"
#include "base/pool.h"
#include "kiln/callback.h"
#include "support/group.h"
#include <cmocka.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif

enum { MOST = 3000 };

typedef struct parts {
    int threads;
    int64_t n;
    int seen[MOST]; /* how often; not atomic: the end of the call orders it */
    atomic_int busy_now[KNX_MAX_THREADS];
    atomic_int bad;
} parts;

static void count_part(void *arg, int64_t part, int worker)
{
    parts *p = arg;
    if (part < 0 || part >= p->n || worker < 0 || worker >= (p->threads > 1 ? p->threads : 1)) {
        atomic_fetch_add(&p->bad, 1);
        return;
    }
    if (atomic_fetch_add(&p->busy_now[worker], 1))
        atomic_fetch_add(&p->bad, 1);
    p->seen[part]++;
    atomic_fetch_sub(&p->busy_now[worker], 1);
}

static bool all_parts_once(int threads, int64_t n)
{
    static _Thread_local parts p;
    memset(&p, 0, sizeof p);
    p.threads = threads;
    p.n = n;
    knx_parallel(threads, n, count_part, &p);
    bool fine = !p.bad;
    for (int64_t i = 0; i < n; i++)
        fine &= p.seen[i] == 1;
    return fine;
}

static void every_part_runs_once(void **state)
{
    (void)state;
    static const int threads[] = {-1, 0, 1, 2, 3, 4, 7, 16};
    static const int64_t n[] = {-1, 0, 1, 2, 3, 4, 5, 17, 100, MOST};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            for (size_t k = 0; k < sizeof n / sizeof *n; k++)
                assert_true(all_parts_once(threads[i], n[k]));
    knx_pool_stop();
    assert_int_equal(knx_pool_look().workers, 0);
    assert_true(all_parts_once(4, 100));
    assert_int_equal(knx_pool_look().workers, 3);
}

static void many_calls(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        assert_true(all_parts_once(2 + i % 3, 2 + i % 5));
}

/* Waits until all threads of the call are there: so it takes that many. */
typedef struct meeting {
    int threads;
    atomic_int here;
    int worker[16];
    bool blocked[16];
    int rounding[16];
    pthread_t self[16];
} meeting;

static void meet(void *arg, int64_t part, int worker)
{
    meeting *m = arg;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    m->worker[part] = worker;
    m->blocked[part] = sigismember(&set, SIGINT) && sigismember(&set, SIGUSR1) && !sigismember(&set, SIGSEGV);
    m->rounding[part] = fegetround();
    m->self[part] = pthread_self();
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < m->threads)
        sched_yield();
}

static void parts_run_at_the_same_time(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 16; threads++) {
        meeting m = {.threads = threads};
        knx_parallel(threads, threads, meet, &m);
        for (int i = 0; i < threads; i++)
            for (int k = 0; k < i; k++) {
                assert_int_not_equal(m.worker[i], m.worker[k]);
                assert_false(pthread_equal(m.self[i], m.self[k]));
            }
    }
}

static void workers_have_a_default_environment(void **state)
{
    (void)state;
    knx_pool_stop();
    fesetround(FE_UPWARD); /* of the thread that starts them */
    meeting m = {.threads = 4};
    knx_parallel(4, 4, meet, &m);
    fesetround(FE_TONEAREST);
    for (int i = 0; i < 4; i++)
        if (m.worker[i]) {
            assert_true(m.blocked[i]);
            assert_int_equal(m.rounding[i], FE_TONEAREST);
        }
}

/* ---- Nested calls, several callers. */

static void call_again(void *arg, int64_t part, int worker)
{
    parts inner = {.threads = 4, .n = 20};
    pthread_t self = pthread_self();
    meeting alone = {.threads = 1};
    (void)part, (void)worker;
    knx_parallel(4, 20, count_part, &inner);
    bool fine = !inner.bad;
    for (int i = 0; i < 20; i++)
        fine &= inner.seen[i] == 1;
    knx_parallel(4, 3, meet, &alone);
    for (int i = 0; i < 3; i++)
        fine &= alone.worker[i] == 0 && pthread_equal(alone.self[i], self);
    knx_pool_stop(); /* nothing from here */
    if (!fine)
        atomic_fetch_add((atomic_int *)arg, 1);
}

static void nested_calls_run_where_they_are(void **state)
{
    (void)state;
    atomic_int bad = 0;
    for (int i = 0; i < 50; i++) {
        knx_parallel(4, 12, call_again, &bad);
        knx_parallel(1, 2, call_again, &bad);
    }
    assert_int_equal(bad, 0);
}

static void *calls(void *env)
{
    for (int i = 0; i < 2000; i++)
        if (!all_parts_once(2 + i % 3, 1 + i % 40))
            atomic_fetch_add((atomic_int *)env, 1);
    return NULL;
}

static void several_threads_call(void **state)
{
    (void)state;
    atomic_int bad = 0;
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, calls, &bad), 0);
    for (int i = 0; i < 50; i++) {
        knx_pool_stop();
        sched_yield();
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(bad, 0);
}

/* ---- Forks. */

static int status_of(pid_t child)
{
    int status = -1;
    if (waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static void *calls_until_told(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        if (!all_parts_once(3, 20))
            return stop;
    return NULL;
}

/* The child of a process whose pool is in use, or idle, has a pool of its own. */
static void a_child_starts_its_own(void **state)
{
    (void)state;
#if defined(THREAD_SANITIZER) /* allows no threads in the child of a process with several */
    skip();
#endif
    atomic_bool stop = false;
    pthread_t t[2];
    assert_true(all_parts_once(3, 20));
    for (int busy = 0; busy < 2; busy++) {
        for (int i = 0; busy && i < 2; i++)
            assert_int_equal(pthread_create(&t[i], NULL, calls_until_told, &stop), 0);
        for (int i = 0; i < 40; i++) {
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                alarm(60); /* rather than for ever */
                bool fine = knx_pool_look().workers == 0;
                for (int k = 0; k < 20; k++)
                    fine &= all_parts_once(3, 20);
                meeting m = {.threads = 3};
                knx_parallel(3, 3, meet, &m);
                fine &= knx_pool_look().workers == 2;
                knx_pool_stop();
                _exit(fine ? 0 : 1);
            }
            assert_int_equal(status_of(child), 0);
            assert_true(all_parts_once(3, 20));
        }
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
}

/* ---- Parking. */

static int64_t cpu_milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void sleep_milliseconds(int n)
{
    nanosleep(&(struct timespec){.tv_sec = n / 1000, .tv_nsec = n % 1000 * 1000000L}, NULL);
}

static void idle_workers_are_parked(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        assert_true(all_parts_once(4, 100));
        int still = 0; /* one that was woken for nothing parks once more */
        for (int waited = 0; still < 5 && waited < 10000; waited++) {
            sleep_milliseconds(1);
            knx_pool_state now = knx_pool_look();
            still = now.parked == now.workers ? still + 1 : 0;
        }
        assert_true(knx_pool_look().workers >= 3);
        assert_int_equal(still, 5);
    }
    int64_t before = cpu_milliseconds();
    sleep_milliseconds(300);
    assert_true(cpu_milliseconds() - before < 100);
    meeting m = {.threads = 4}; /* and wake up */
    knx_parallel(4, 4, meet, &m);
}

/* ---- A busy machine. */

typedef struct places {
    meeting m;
    int cpu[2];
} places;

static void note_place(void *arg, int64_t part, int worker)
{
    places *p = arg;
    p->cpu[part] = knx_cpu_now();
    meet(&p->m, part, worker);
}

/* While other processes want every CPU, a woken worker is put on the CPU of its caller: two threads of one call must not
 * stay there. */
static void threads_of_a_call_have_cpus_of_their_own(void **state)
{
    (void)state;
    enum { ROUNDS = 50, MOST_BUSY = 64 };
    pid_t busy[MOST_BUSY];
    int cpus = knx_cpus() < MOST_BUSY ? knx_cpus() : MOST_BUSY, same = 0;
    knx_pool_stop(); /* no more threads than CPUs */
    if (cpus < 2 || knx_cpu_now() < 0)
        skip();
    for (int i = 0; i < cpus; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            alarm(60);
            if (nice(19) >= -1)
                for (volatile int k = 0;; k = k + 1)
                    ;
        }
    }
    for (int i = 0; i < ROUNDS; i++) {
        places p = {.m.threads = 2};
        struct timespec start, now;
        clock_gettime(CLOCK_MONOTONIC, &start);
        do /* the caller goes on alone, and the worker parks */
            clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 400000);
        knx_parallel(2, 2, note_place, &p);
        same += p.cpu[0] == p.cpu[1];
    }
    for (int i = 0; i < cpus; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    print_message("one CPU for two threads in %d calls of %d\n", same, ROUNDS);
    assert_true(same < ROUNDS / 2);
}

/* ---- Control groups. */

typedef struct made_up {
    const char *path, *text;
} made_up;

static bool read_made_up(void *env, const char *path, char *text, size_t room)
{
    for (const made_up *f = env; f->path; f++)
        if (!strcmp(f->path, path) && strlen(f->text) < room) {
            strcpy(text, f->text);
            return true;
        }
    return false;
}

#define CPUS(...) knx_cgroup_cpus(read_made_up, (made_up[]){__VA_ARGS__, {0}})
#define OF(group)                  \
    {                              \
        "/proc/self/cgroup", group \
    }

static void quotas_limit_cpus(void **state)
{
    (void)state;
    assert_int_equal(CPUS({"/else", ""}), 0);
    assert_int_equal(CPUS(OF("0::/\n")), 0);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "max 100000\n"}), 0);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}), 2);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "150000 100000\n"}), 2);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "1000 100000\n"}), 1);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "nonsense"}), 0);
    assert_int_equal(CPUS(OF("0::/\n"), {"/sys/fs/cgroup/cpu.max", "100000 0"}), 0);
    assert_int_equal(CPUS(OF("nonsense\n:\n::\n"), {"/sys/fs/cgroup/cpu.max", "100000 100000"}), 1);
}

static void the_tightest_group_counts(void **state)
{
    (void)state;
    assert_int_equal(CPUS(OF("0::/a/b\n"), {"/sys/fs/cgroup/a/b/cpu.max", "max 100000"},
                          {"/sys/fs/cgroup/a/cpu.max", "300000 100000"}, {"/sys/fs/cgroup/cpu.max", "500000 100000"}),
                     3);
    assert_int_equal(CPUS(OF("0::/a/b\n"), {"/sys/fs/cgroup/a/b/cpu.max", "400000 50000"},
                          {"/sys/fs/cgroup/a/cpu.max", "900000 100000"}),
                     8);
    /* what a container sees of the host's path */
    assert_int_equal(CPUS(OF("0::/../../host/x\n"), {"/sys/fs/cgroup/cpu.max", "400000 100000"}), 4);
}

static void the_first_version_counts_too(void **state)
{
    (void)state;
    assert_int_equal(CPUS(OF("3:cpuset:/x\n2:cpu,cpuacct:/x\n"), {"/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "250000\n"},
                          {"/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"}),
                     3);
    assert_int_equal(CPUS(OF("2:cpuacct,cpu:/docker/12ab\n"),
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "600000\n"},
                          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}),
                     6);
    assert_int_equal(CPUS(OF("1:cpu:/\n"), {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}),
                     0);
    assert_int_equal(CPUS(OF("2:cpuacct:/\n"), {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n"},
                          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}),
                     0);
}

static void there_is_one_cpu_at_least(void **state)
{
    (void)state;
    assert_true(knx_cpus() >= 1);
    assert_true(knx_threads_available() >= 1 && knx_threads_available() <= KNX_MAX_THREADS);
}

/* ---- Parts that ask whether to go on. */

typedef struct endless {
    pthread_t caller;
    atomic_bool begun; /* by a worker */
    atomic_int asked, elsewhere;
} endless;

static bool says_no(void *env)
{
    endless *e = env;
    atomic_fetch_add(&e->asked, 1);
    atomic_fetch_add(&e->elsewhere, !pthread_equal(pthread_self(), e->caller));
    return true;
}

/* The caller's part ends when a worker has begun with one. */
static void endless_part(void *arg, int64_t part, int worker)
{
    endless *e = arg;
    (void)part;
    if (worker) {
        atomic_store(&e->begun, true);
        while (!knx_must_stop())
            sched_yield();
    }
    while (!atomic_load(&e->begun))
        sched_yield();
}

static void who_waits_asks_for_the_workers(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        endless e = {.caller = pthread_self()};
        kn_set_poll(says_no, &e);
        knx_parallel_asking(2, 2, endless_part, &e);
        kn_set_poll(NULL, NULL);
        assert_int_equal(e.asked, 1);
        assert_int_equal(e.elsewhere, 0);
        knx_error *error = knx_take_stop();
        assert_non_null(error);
        assert_true(error->interruption);
        knx_error_release(error);
        assert_null(knx_take_stop());
        assert_true(all_parts_once(2, 100));
        assert_false(knx_parts_stopped());
    }
}

/* The number is asked for once, so in a process of its own. */
static void the_environment_decides(void **state)
{
    (void)state;
    char self[4096] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        skip();
    pid_t child = fork();
    if (child == 0) {
        setenv("KILN_NUM_THREADS", "7", 1);
        execl(self, self, "test_pool", "--threads", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(status_of(child), 7);
}

KN_TEST_GROUP(test_pool)
{
    if (argc > 1 && !strcmp(argv[1], "--threads"))
        return knx_threads_available();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_runs_once),
        cmocka_unit_test(parts_run_at_the_same_time),
        cmocka_unit_test(workers_have_a_default_environment),
        cmocka_unit_test(nested_calls_run_where_they_are),
        cmocka_unit_test(several_threads_call),
        cmocka_unit_test(many_calls),
        cmocka_unit_test(a_child_starts_its_own),
        cmocka_unit_test(idle_workers_are_parked),
        cmocka_unit_test(threads_of_a_call_have_cpus_of_their_own),
        cmocka_unit_test(quotas_limit_cpus),
        cmocka_unit_test(the_tightest_group_counts),
        cmocka_unit_test(the_first_version_counts_too),
        cmocka_unit_test(there_is_one_cpu_at_least),
        cmocka_unit_test(the_environment_decides),
        cmocka_unit_test(who_waits_asks_for_the_workers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    knx_pool_stop();
    return failed;
}
