/* SPDX-License-Identifier: Apache-2.0
 * test_threads.c -- threads that share arrays while contexts come and go, an owner that writes and releases while
 * others read, and forks under load. To be run under ThreadSanitizer as well. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#if defined(ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
#define SLOW 1
#else
#define SLOW 0
#endif

enum { THREADS = 4, N = 1000, ROUNDS = SLOW ? 60 : 300 };

static void start(pthread_t *t, void *(*f)(void *), void *env) { assert_int_equal(pthread_create(t, NULL, f, env), 0); }

static void *joined(pthread_t t)
{
    void *result = NULL;
    assert_int_equal(pthread_join(t, &result), 0);
    return result;
}

/* ---- Each for himself. */

static void *works_alone(void *env)
{
    double *out = env;
    {
        KN_SCOPE;
        kn_array x = kn_arange(0, 100, 1, .dtype = KN_F64), total = kn_scalar(0.0);
        for (int i = 0; i < ROUNDS; i++) {
            KN_SCOPE;
            kn_array y = kn_copy(x);
            kn_set_at(y, i, "%", i % 100);
            kn_assign(&total, kn_add(total, kn_sum(y)));
        }
        *out = kn_item(total);
        kn_retain(x); /* forgotten: the thread's end sees to it */
    }
    return NULL;
}

static void threads_have_contexts_of_their_own(void **state)
{
    (void)state;
    double out[THREADS] = {0};
    pthread_t t[THREADS];
    int64_t blocks = 0;
    for (int again = 0; again < 2; again++) { /* the table of handles grows once */
        blocks = knx_alloc_live();
        for (int i = 0; i < THREADS; i++)
            start(&t[i], works_alone, &out[i]);
        for (int i = 0; i < THREADS; i++)
            joined(t[i]);
        for (int i = 1; i < THREADS; i++)
            assert_true(out[i] == out[0] && out[0] > 0);
    }
    assert_int_equal(knx_alloc_live(), blocks);
}

/* ---- Arrays of one thread, read by the others. */

typedef struct shared {
    kn_array bare, view, pinned, number, bad, written, row, waits;
    kn_fn f;
    atomic_bool stop;
    _Atomic(kn_array) passing; /* made and released by the owner all the time */
    atomic_int reads, seen, dead, waiting, ended;
} shared;

static bool all_equal(const double *x, int n)
{
    for (int i = 1; i < n; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

/* NULL: fine. */
static const char *read_constants(const shared *s)
{
    KN_SCOPE;
    double x[N];
    if (kn_item(kn_sum(s->bare)) != (double)N * (N - 1) / 2)
        return "sum of bare";
    if (kn_item(kn_at(kn_mul(s->view, s->number), "0")) != 3.0 * (N - 1))
        return "view times number";
    if (kn_copy_to(s->pinned, x, sizeof x) || x[7] != 7)
        return "pinned";
    if (kn_data(s->view, double)[1] != N - 2)
        return "data of view";
    kn_array both = kn_concatenate(KN_LIST(s->bare, s->view));
    if (kn_size(both) != 2 * N || kn_item(kn_at(both, "-1")) != 0)
        return "concatenation";
    if (strncmp(kn_repr(s->number), "array(3", 7))
        return "repr of number";
    if (kn_error_pending())
        return kn_error_message();
    if (kn_ok(kn_add(s->bad, 1)) || !strstr(kn_error_message(), "reshape"))
        return "error";
    kn_error_clear();
    return NULL;
}

/* The owner writes one number everywhere; a reader sees one state or another, or has to wait, but no mixture. */
static const char *read_changing(shared *s)
{
    KN_SCOPE;
    double x[N], row[N];
    kn_array now = kn_positive(s->written), line = kn_positive(s->row);
    kn_array *both[] = {&now, &line};
    double *to[] = {x, row};
    for (int i = 0; i < 2; i++) {
        if (!kn_ok(*both[i])) {
            if (!strstr(kn_error_of(*both[i]), "another context waits"))
                return kn_error_of(*both[i]);
            atomic_fetch_add(&s->waiting, 1);
        } else if (kn_copy_to(*both[i], to[i], sizeof x) || !all_equal(to[i], N)) {
            return "a mixture";
        } else {
            atomic_fetch_add(&s->seen, 1);
        }
    }
    kn_error_clear();
    kn_array passing = atomic_load(&s->passing);
    for (int i = atomic_load(&s->reads) % 3; i > 0; i--) /* it may be gone by then */
        sched_yield();
    double one = kn_item(passing);
    if (kn_error_pending()) {
        if (strcmp(kn_error_kind_name(), "ValueError") || !strstr(kn_error_message(), "released"))
            return kn_error_message();
        kn_error_clear();
        atomic_fetch_add(&s->dead, 1);
    } else if (one != 42) {
        return "passing";
    }
    return NULL;
}

static const char *try_forbidden(const shared *s)
{
    KN_SCOPE;
    kn_array y;
    kn_iadd(s->written, 1);
    if (strcmp(kn_error_kind_name(), "ContextError"))
        return "a write was not refused";
    kn_error_clear();
    kn_release(s->bare);
    if (strcmp(kn_error_kind_name(), "ContextError"))
        return "a release was not refused";
    kn_error_clear();
    kn_call(s->f, &y, &s->bare);
    if (strcmp(kn_error_kind_name(), "ContextError"))
        return "a function was not refused";
    kn_error_clear();
    if (kn_ok(kn_add(s->waits, 1)) || strcmp(kn_error_kind_name(), "ContextError"))
        return "an array that waits was not refused";
    kn_error_clear();
    return NULL;
}

static void *reader(void *env)
{
    shared *s = env;
    char *wrong = NULL;
    for (int i = 0; !wrong && !atomic_load(&s->stop); i++) {
        kn_context c = i % 3 == 0 ? kn_context_new() : NULL;
        if (c)
            kn_context_push(c);
        const char *what = read_constants(s);
        if (!what)
            what = read_changing(s);
        if (!what && i % 10 == 0)
            what = try_forbidden(s);
        wrong = what ? strdup(what) : NULL; /* before its context goes */
        atomic_fetch_add(&s->reads, 1);
        if (c) {
            kn_context_pop();
            if (kn_context_free(c) != 0 && !wrong)
                wrong = strdup("a context did not end well");
        }
    }
    return wrong;
}

static kn_array plus_one(const kn_array *x) { return kn_add(*x, 1); }
KN_FUNCTION(plus_one, kn_array, kn_array)

static void make_shared(shared *s)
{
    s->bare = kn_arange(0, N, 1, .dtype = KN_F64);
    s->view = kn_at(s->bare, "::-1");
    s->pinned = kn_copy(s->bare);
    kn_data(s->pinned, double);
    s->number = kn_num(3);
    s->bad = kn_reshape(s->bare, KN_SHAPE(7));
    kn_error_clear();
    s->written = kn_zeros(KN_SHAPE(N));
    s->row = kn_reshape(kn_at(s->written, "::1"), KN_SHAPE(10, -1));
    s->waits = kn_add(s->bare, 5);
    s->f = kn_jit(KN_FN(plus_one));
    kn_eval(s->bare);
    kn_eval(s->view);
    kn_eval(s->written);
    kn_eval(s->row);
}

static kn_array forty_two(void)
{
    kn_array x = kn_add(kn_full(KN_SHAPE(1), 40.0), 2);
    kn_eval(x);
    return x;
}

static void one_writes_and_the_others_read(void **state)
{
    (void)state;
    KN_SCOPE;
    shared s = {0};
    pthread_t t[THREADS - 1];
    make_shared(&s);
    atomic_store(&s.passing, kn_retain(forty_two()));
    for (int i = 0; i < THREADS - 1; i++)
        start(&t[i], reader, &s);
    for (int i = 0; i < ROUNDS || (atomic_load(&s.reads) < ROUNDS && i < 1000000); i++) {
        KN_SCOPE;
        kn_set_at(s.written, i, "...");
        if (i % 5 == 0)
            kn_data(s.written, double); /* pinned from now on */
        if (i % 3 == 0)
            sched_yield(); /* it waits for a while */
        kn_eval(s.written);
        kn_eval(s.row);
        kn_array next = kn_retain(forty_two()), old = atomic_exchange(&s.passing, next);
        kn_release(old);
        if (i % 7 == 0)
            sched_yield();
    }
    atomic_store(&s.stop, true);
    for (int i = 0; i < THREADS - 1; i++) {
        char *wrong = joined(t[i]);
        if (wrong)
            fprintf(stderr, "%s\n", wrong);
        assert_null(wrong);
    }
    kn_release(atomic_load(&s.passing));
    assert_true(atomic_load(&s.seen) > 0);
    expect_no_error();
}

/* ---- A context is used by one thread at a time. */

typedef struct handed {
    kn_context c;
    kn_array x;
    int status;
    char kind[40];
    double sum;
} handed;

static void *pushes(void *env)
{
    handed *h = env;
    h->status = kn_context_push(h->c);
    strcpy(h->kind, kn_error_kind_name());
    kn_error_clear();
    if (h->status >= 0) {
        KN_SCOPE;
        h->sum = kn_item(kn_sum(h->x));
        kn_iadd(h->x, 1);
        kn_context_pop();
    } else if (kn_context_free(h->c) != -1) {
        h->status = 100;
    }
    kn_error_clear();
    return NULL;
}

static void a_context_has_one_user_at_a_time(void **state)
{
    (void)state;
    handed h = {.c = kn_context_new()};
    pthread_t t;
    kn_context_push(h.c);
    h.x = kn_add(kn_ones(KN_SHAPE(5)), 1); /* waits */
    start(&t, pushes, &h);
    joined(t);
    assert_int_equal(h.status, -1);
    assert_string_equal(h.kind, "ContextError");
    kn_context_pop();
    for (int i = 0; i < 3; i++) { /* handed on from thread to thread */
        start(&t, pushes, &h);
        joined(t);
        assert_int_equal(h.status, 0);
        assert_true(h.sum == 10 + 5 * i);
    }
    kn_context_push(h.c);
    expect_values(h.x, 5, 5, 5, 5, 5);
    kn_context_pop();
    assert_int_equal(kn_context_free(h.c), 0);
}

static void *leaves_pushed(void *env)
{
    kn_context_push(env);
    kn_ones(KN_SHAPE(3));
    return NULL;
}

static void a_thread_that_ends_gives_its_contexts_back(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    pthread_t t;
    start(&t, leaves_pushed, c);
    joined(t);
    assert_int_equal(kn_context_push(c), 0);
    assert_int_equal(kn_live_count(), 1);
    kn_context_pop();
    assert_int_equal(kn_context_free(c), 0);
}

static void *makes_an_array(void *env)
{
    kn_array *out = env;
    *out = kn_of(double, 1, 2);
    return NULL;
}

static void arrays_end_with_their_thread(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x;
    pthread_t t;
    start(&t, makes_an_array, &x);
    joined(t);
    kn_sum(x);
    expect_error("ValueError", "sum: this array was released: the scope that owned it has ended");
}

/* ---- Forks. */

static void *works_until_told(void *env)
{
    shared *s = env;
    while (!atomic_load(&s->stop)) {
        kn_context c = kn_context_new();
        kn_context_push(c);
        {
            KN_SCOPE;
            kn_array x = kn_arange(0, 500, 1, .dtype = KN_F64);
            kn_item(kn_sum(kn_mul(x, kn_add(s->bare, 1))));
            for (int i = 0; i < 20; i++)
                kn_eval(kn_zeros(KN_SHAPE(i * 100 + 1)));
        }
        kn_context_pop();
        kn_context_free(c);
        atomic_fetch_add(&s->reads, 1);
    }
    kn_shutdown();
    atomic_fetch_add(&s->ended, 1);
    return NULL;
}

static int in_the_child(const shared *s)
{
    alarm(30); /* a lock that stayed taken */
    KN_SCOPE;
    if (kn_item(kn_sum(kn_mul(s->bare, 2))) != 499 * 500)
        return 1;
    kn_context c = kn_context_new();
    if (kn_context_push(c) < 0)
        return 2;
    double there = kn_item(kn_sum(kn_add(kn_positive(s->bare), kn_zeros(KN_SHAPE(500)))));
    kn_context_pop();
    kn_set_debug(0);
    return there != 499 * 250 || kn_context_free(c) != 0 || kn_error_pending() ? 3 : 0;
}

static void a_child_can_go_on(void **state)
{
    (void)state;
    KN_SCOPE;
    shared s = {0};
    pthread_t t[THREADS - 1];
    s.bare = kn_arange(0, 500, 1, .dtype = KN_F64);
    kn_eval(s.bare);
    for (int i = 0; i < THREADS - 1; i++)
        start(&t[i], works_until_told, &s);
    while (atomic_load(&s.reads) < 20)
        sched_yield();
#ifdef ADDRESS_SANITIZER /* malloc of gcc 12's may stay locked in a child, whoever calls it */
    atomic_store(&s.stop, true);
    while (atomic_load(&s.ended) < THREADS - 1)
        sched_yield();
#endif
    for (int i = 0; i < (SLOW ? 10 : 60); i++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(in_the_child(&s));
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        kn_eval(kn_add(s.bare, i));
    }
    atomic_store(&s.stop, true);
    for (int i = 0; i < THREADS - 1; i++)
        joined(t[i]);
}

KN_TEST_GROUP(test_threads)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_have_contexts_of_their_own), TEST(one_writes_and_the_others_read),
        TEST(a_context_has_one_user_at_a_time),   TEST(a_thread_that_ends_gives_its_contexts_back),
        TEST(arrays_end_with_their_thread),       TEST(a_child_can_go_on),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
