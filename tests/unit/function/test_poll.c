/* SPDX-License-Identifier: Apache-2.0
 * test_poll.c -- kn_set_poll: a function that ends what runs, between two steps or two turns of a loop. */
#include "support/expect.h"
#include "support/group.h"
#include "support/programs.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef struct {
    kn_array i, x;
} Turn;
static kn_array for_ever(const Turn *t) { return kn_greater_equal(t->i, 0); }
static Turn sorted(const Turn *t) { return (Turn){kn_add(t->i, 1), kn_sort(kn_negative(t->x))}; }
KN_FUNCTION(for_ever, kn_array, Turn)
KN_FUNCTION(sorted, Turn, Turn)
static kn_array endless(const kn_array *x)
{
    Turn start = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_FN(for_ever), KN_FN(sorted), &end, &start);
    return end.x;
}
KN_FUNCTION(endless, kn_array, kn_array)

static bool at_third(void *env) { return ++*(int *)env >= 3; }
static bool never(void *env) { return ++*(int *)env, false; }

static void an_endless_loop_is_ended(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0;
    kn_array x = kn_arange(0, 1000, 1), out;
    kn_fn f = kn_jit(KN_FN(endless));
    kn_set_poll(at_third, &asked);
    kn_call(f, &out, &x);
    kn_set_poll(NULL, NULL);
    assert_int_equal(asked, 3);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_RUNTIME);
    assert_non_null(strstr(kn_error_message(), "interrupted"));
    kn_error_clear();
    expect_values(kn_sum(x), 499500); /* what was there before is whole */
}

static kn_array steps(const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < 400; i++)
        y = kn_sort(kn_negative(y));
    return y;
}
KN_FUNCTION(steps, kn_array, kn_array)

static void one_that_lets_go_on_changes_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0;
    kn_array x = kn_arange(0, 200000, 1), want, got;
    kn_call(kn_jit(KN_FN(steps)), &want, &x);
    kn_eval(want);
    kn_set_poll(never, &asked);
    kn_call(kn_jit(KN_FN(steps)), &got, &x);
    kn_eval(got);
    kn_set_poll(NULL, NULL);
    assert_true(asked > 0);
    assert_true(kn_array_equal(got, want));
}

static bool at_once(void *env) { return ++*(int *)env, true; }

/* Not run again one by one: all that was to be made is lost, and nothing else. */
static void what_waited_is_given_up(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0;
    kn_array x = kn_arange(0, 100000, 1), y = x;
    kn_eval(x); /* else it would be lost, too */
    for (int i = 0; i < 50; i++)
        y = kn_sort(kn_negative(y));
    kn_eval(kn_sort(kn_copy(x))); /* so long that the next step is asked about */
    kn_set_poll(at_once, &asked);
    for (int i = 0; i < 100 && !kn_error_pending(); i++)
        kn_eval(i % 2 ? y : kn_sort(kn_negative(x)));
    kn_set_poll(NULL, NULL);
    assert_true(asked > 0 && asked < 20);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_RUNTIME);
    kn_error_clear();
    expect_values(kn_sum(x), 4999950000);
}

/* The clock is looked at when it is long enough since the last time. */
static void wait_for_the_clock(void) { nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL); }
static bool once(void *env) { return ++*(int *)env == 1; }

static int kept;
static void count_kept(void *env, int level, const char *text)
{
    (void)env, (void)level;
    kept += strstr(text, "median is kept") != NULL;
}

/* Functions of few elements have programs of their own (lib/kept.h). What ended a run of one is told, and changes
 * neither the function nor what it gives next. */
static void a_kept_function_is_ended(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0, ended = 0;
    kn_array x = kn_copy(kn_reshape(kn_arange(0, 999, 1), KN_SHAPE(3, 333)));
    kn_eval(x);
    kept = 0;
    kn_set_log(count_kept, NULL);
    kn_set_debug(1);
    for (int k = 0; k < 80; k++)
        kn_eval(kn_median(x));
    assert_int_equal(kept, 1);
    kn_set_poll(once, &asked);
    for (int k = 0; k < 400 && !ended; k++) { /* asked about now and then */
        wait_for_the_clock();
        kn_array y = kn_median(x);
        kn_eval(y);
        ended = kn_error_pending();
        if (!ended)
            expect_values(y, 499);
    }
    kn_set_poll(NULL, NULL);
    assert_true(ended);
    assert_int_equal(asked, 1);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_RUNTIME);
    assert_string_equal(kn_error_message(), "median: interrupted");
    kn_error_clear();
    for (int k = 0; k < 80; k++)
        expect_values(kn_median(x), 499);
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
    assert_int_equal(kept, 1);
}

static kn_array numbers; /* what the next function looks at while it is recorded */
static bool inside, ends;
static bool once_inside(void *env) { return ends && inside && ++*(int *)env == 1; }
static kn_array times_a_number(const kn_array *x)
{
    kn_array y = numbers;
    inside = true;
    wait_for_the_clock();
    for (int i = 0; i < 70; i++)
        y = kn_sort(kn_negative(y));
    double v = kn_item(y, 999);
    inside = false;
    return kn_multiply(*x, v);
}
KN_FUNCTION(times_a_number, kn_array, kn_array)

/* A recording for all extents is tried; one that was ended says nothing about whether it can be made. */
static void a_recording_on_trial_is_ended(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0;
    numbers = kn_copy(kn_arange(0, 1000, 1));
    kn_eval(numbers);
    kn_fn f = kn_jit(KN_FN(times_a_number), .symbolic = KN_ALL);
    kn_set_poll(once_inside, &asked);
    for (int n = 2; n < 6; n++) {
        kn_array x = kn_ones(KN_SHAPE(n)), y;
        ends = n == 3;
        kn_call(f, &y, &x);
        kn_eval(y);
        assert_int_equal(kn_error_pending(), n == 3);
        if (n == 3)
            assert_string_equal(kn_error_message(), "item: interrupted");
        kn_error_clear();
    }
    kn_set_poll(NULL, NULL);
    assert_int_equal(asked, 1);
    assert_non_null(strstr(kn_fn_explain(f), "f64[b], 1 program"));
}

/* ---- Loops that became one kernel. */

static bool in_a_while(void *env) { return ++*(int *)env >= 2; }

typedef struct {
    kn_array i, y;
} Number;
static kn_array not_negative(const Number *t) { return kn_greater_equal(t->y, 0); }
static Number halved(const Number *t) { return (Number){kn_add(t->i, 1), kn_add(kn_multiply(t->y, 0.5), 1)}; }
KN_FUNCTION(not_negative, kn_array, Number)
KN_FUNCTION(halved, Number, Number)
static kn_array endless_number(const kn_array *x)
{
    Number start = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_FN(not_negative), KN_FN(halved), &end, &start);
    return end.y;
}
KN_FUNCTION(endless_number, kn_array, kn_array)
static kn_array endless_lanes(const kn_array *x)
{
    kn_array y;
    kn_call(kn_vmap(KN_FN(endless_number)), &y, x);
    return y;
}
static Number all_steps(const Number *c) { return (Number){kn_add(c->i, 1), kn_add(kn_multiply(c->y, 0.5), 0.1)}; }
KN_FUNCTION(all_steps, Number, Number)
static kn_array long_scan(const kn_array *x)
{
    Number start = {kn_scalar(0), *x}, end;
    kn_scan(KN_FN(all_steps), &end, &start, KN_NOTHING, .length = INT64_C(1000000000000), .accept = KN_PATH_COMPILED);
    return end.y;
}
static Number around(const Number *c)
{
    kn_array y = kn_where(kn_less(c->y, 2), kn_add(c->y, 1), c->y);
    Number start = {kn_scalar(0), y}, end;
    kn_while_loop(KN_FN(not_negative), KN_FN(halved), &end, &start);
    return (Number){kn_add(c->i, 1), end.y};
}
KN_FUNCTION(around, Number, Number)
static kn_array endless_inside(const kn_array *x)
{
    Number start = {kn_scalar(0), *x}, end;
    kn_scan(KN_FN(around), &end, &start, KN_NOTHING, .length = 3);
    return end.y;
}
KN_FUNCTION(endless_lanes, kn_array, kn_array)
KN_FUNCTION(long_scan, kn_array, kn_array)
KN_FUNCTION(endless_inside, kn_array, kn_array)

static kn_fn endless_of(int i)
{
    switch (i) {
    case 0: return KN_FN(endless_number);
    case 1: return KN_FN(endless_lanes);
    case 2: return KN_FN(long_scan);
    default: return KN_FN(endless_inside);
    }
}

static void expect_interrupted(int asked)
{
    assert_int_equal(asked, 2);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_RUNTIME);
    assert_non_null(strstr(kn_error_message(), "interrupted"));
    kn_error_clear();
}

/* Also without kn_jit, and twice: what was kept of the first run is of use. */
static void an_endless_kernel_is_ended(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        KN_SCOPE;
        int asked = 0;
        kn_array x = i % 4 == 1 ? kn_arange(0.0, 100.0, 1.0) : kn_scalar(3.0), out;
        kn_fn f = i / 4 % 2 ? kn_jit(endless_of(i % 4)) : endless_of(i % 4);
        kn_eval(x);
        kn_set_poll(in_a_while, &asked);
        kn_call(f, &out, &x);
        kn_eval(out);
        kn_set_poll(NULL, NULL);
        expect_interrupted(asked);
        expect_values(kn_sum(x), i % 4 == 1 ? 4950 : 3);
        if (i % 4 == 2)
            continue;
        kn_array y = kn_where(kn_greater_equal(x, 0), -5, x), end; /* here the same program ends */
        kn_call(f, &end, &y);
        expect_values(kn_sum(end), i % 4 == 0 ? -5 : i % 4 == 1 ? -500 : -2);
    }
}

static atomic_bool wanted;
static bool is_wanted(void *env) { return (void)env, atomic_load(&wanted); }
static void *want_the_end(void *env)
{
    wait_for_the_clock();
    atomic_store(&wanted, true);
    return env;
}

static void another_thread_ends_a_kernel(void **state)
{
    (void)state;
    KN_SCOPE;
    pthread_t thread;
    struct timespec begin, end;
    kn_array x = kn_arange(0.0, 1000.0, 1.0), out;
    kn_fn f = kn_jit(KN_FN(endless_lanes));
    kn_set_poll(is_wanted, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(pthread_create(&thread, NULL, want_the_end, NULL), 0);
    kn_call(f, &out, &x);
    kn_eval(out);
    clock_gettime(CLOCK_MONOTONIC, &end);
    kn_set_poll(NULL, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_RUNTIME);
    kn_error_clear();
    assert_true(end.tv_sec - begin.tv_sec < 10);
}

static kn_array a_hundred(const kn_array *x)
{
    Number start = {kn_scalar(0), *x}, end;
    kn_scan(KN_FN(halved), &end, &start, KN_NOTHING, .length = 100, .accept = KN_PATH_COMPILED);
    return end.y;
}
KN_FUNCTION(a_hundred, kn_array, kn_array)

/* A run with all memory the caller's; and then one of another function. */
static void an_endless_prepared_kernel_is_ended(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        KN_SCOPE;
        int asked = 0;
        kn_array x = i == 1 ? kn_ones(KN_SHAPE(100)) : kn_scalar(3.0), one = kn_scalar(3.0);
        double in[100] = {3}, out[100];
        kn_prepared p = kn_prepare(endless_of(i), KN_ARGS(&x)), q = kn_prepare(KN_FN(a_hundred), KN_ARGS(&one));
        size_t bytes = kn_prepared_workspace_bytes(p) + kn_prepared_workspace_bytes(q);
        void *workspace = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
        kn_set_poll(in_a_while, &asked);
        assert_int_equal(kn_prepared_run(p, (const void *[]){in}, (void *[]){out}, workspace), -1);
        kn_set_poll(NULL, NULL);
        expect_interrupted(asked);
        assert_int_equal(kn_prepared_run(q, (const void *[]){in}, (void *[]){out}, workspace), 0);
        assert_true(out[0] == 2);
        kn_prepared_free(p);
        kn_prepared_free(q);
        free(workspace);
    }
}

/* The line of the loop is that of the error. */
static void the_error_has_the_line_of_the_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    int asked = 0;
    kn_array x = kn_scalar(3.0), out;
    kn_fn f = kn_jit(KN_FN(endless_number));
    kn_set_poll(in_a_while, &asked);
    kn_call(f, &out, &x);
    kn_eval(out);
    kn_set_poll(NULL, NULL);
    assert_non_null(kn_error_file());
    assert_non_null(strstr(kn_error_file(), "test_poll.c"));
    expect_interrupted(asked);
}

KN_TEST_GROUP(test_poll)
{
    const struct CMUnitTest tests[] = {
        TEST(an_endless_loop_is_ended),
        TEST(one_that_lets_go_on_changes_nothing),
        TEST(what_waited_is_given_up),
        TEST(a_kept_function_is_ended),
        TEST(a_recording_on_trial_is_ended),
        TEST(an_endless_kernel_is_ended),
        TEST(an_endless_prepared_kernel_is_ended),
        TEST(another_thread_ends_a_kernel),
        TEST(the_error_has_the_line_of_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
