/* SPDX-License-Identifier: Apache-2.0
 * test_groups.c -- the groups of a program as structures, and asking from another thread what runs now. */
#include "support/expect.h"
#include "support/group.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- Groups. */

enum { FIRST_LINE = __LINE__ + 3 };
static kn_array softmax(const kn_array *x)
{
    kn_array e = kn_exp(kn_sub(*x, 1.0));
    kn_array s = kn_sum(e, KN_AXIS(0));
    return kn_div(e, s);
}
KN_FUNCTION(softmax, kn_array, kn_array)

static void groups_have_what_they_are_made_of(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1000));
    int n = -1, nodes = 0;
    const kn_group *g = kn_jaxpr_groups(kn_make_jaxpr(KN_FN(softmax), KN_ARGS(&x)), &n);
    expect_no_error();
    assert_true(n >= 1);
    for (int i = 0; i < n; i++) {
        assert_int_equal(g[i].kind, KN_STEP_KERNEL);
        assert_true(g[i].first_line >= FIRST_LINE && g[i].last_line <= FIRST_LINE + 2);
        assert_true(g[i].first_line <= g[i].last_line);
        assert_non_null(strstr(g[i].file, "test_groups.c"));
        assert_true(g[i].elements >= 1000);
        assert_true(i == 0 || g[i].id == g[i - 1].id + 1);
        for (int k = 0; k < g[i].n_node; k++, nodes++)
            assert_non_null(g[i].node[k].primitive);
    }
    assert_true(nodes >= 4); /* sub, exp, sum, div */
    assert_int_equal(g[n - 1].shape.ndim, 1);
    assert_int_equal(g[n - 1].shape.dim[0], 1000);
    assert_ptr_equal(g[n - 1].dtype, KN_F64);
}

static void numbers_of_groups_grow(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(10));
    kn_jaxpr j = kn_make_jaxpr(KN_FN(softmax), KN_ARGS(&x));
    int n, m;
    const kn_group *a = kn_jaxpr_groups(j, &n), *b = kn_jaxpr_groups(j, &m);
    assert_int_equal(n, m);
    assert_true(b[0].id > a[n - 1].id);
}

static kn_array solved(const kn_array *a) { return kn_lax_linalg_cholesky(*a, .symmetrize_input = false); }
KN_FUNCTION(solved, kn_array, kn_array)

static void routines_say_so(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_eye(3);
    int n, routines = 0;
    const kn_group *g = kn_jaxpr_groups(kn_make_jaxpr(KN_FN(solved), KN_ARGS(&a)), &n);
    for (int i = 0; i < n; i++)
        routines += g[i].kind == KN_STEP_ROUTINE && g[i].support == KN_SUPPORT_ROUTINE;
    assert_int_equal(routines, 1);
}

static void errors(void **state)
{
    (void)state;
    int n = 7;
    assert_null(kn_jaxpr_groups(NULL, &n));
    assert_int_equal(n, 0);
    expect_error_with("TypeError", "jaxpr_groups");
    assert_null(kn_jaxpr_groups(NULL, NULL));
    expect_error_with("TypeError", "the number is null");
}

/* ---- Steps that ran have the numbers of their groups. */

static kn_step last;
static void note(void *env, const kn_step *step)
{
    (void)env;
    last = *step;
}

static void steps_have_lines_and_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(100)), y;
    kn_on_step(note, NULL);
    kn_call(kn_jit(KN_FN(softmax)), &y, &x);
    kn_block_until_ready(y);
    kn_on_step(NULL, NULL);
    assert_true(last.group > 0);
    assert_true(last.first_line >= FIRST_LINE && last.last_line <= FIRST_LINE + 2);
}

/* ---- From another thread. The step that is watched is one of the user's code, which waits for the answer. */

static kn_context watched;
static atomic_int asked, answer;
static kn_running_step seen;

static void *ask(void *unused)
{
    (void)unused;
    while (!atomic_load(&asked))
        sched_yield();
    seen = (kn_running_step){.size_ = sizeof seen};
    atomic_store(&answer, 1 + kn_running(watched, &seen));
    return NULL;
}

static int wait_for_answer(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    atomic_store(&asked, 1);
    while (!atomic_load(&answer))
        sched_yield();
    out[0] = in[0];
    return 0;
}

static kn_array waits(const kn_array *x)
{
    kn_list y =
        kn_pure_callback(wait_for_answer, NULL, KN_LIST(kn_shape_dtype_struct(KN_SHAPE(3), KN_F64)), KN_LIST(*x));
    return kn_list_get(y, 0);
}
KN_FUNCTION(waits, kn_array, kn_array)

static void what_runs_can_be_asked_from_another_thread(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y;
    pthread_t thread;
    watched = kn_context_current();
    assert_false(kn_watch_steps(true));
    assert_int_equal(pthread_create(&thread, NULL, ask, NULL), 0);
    kn_call(kn_jit(KN_FN(waits)), &y, &x);
    expect_values(y, 1, 2, 3);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&answer), 2); /* 1: a step was running */
    assert_int_equal(seen.kind, KN_STEP_ROUTINE);
    assert_string_equal(seen.program, "waits");
    assert_string_equal(seen.operations, "pure_callback");
    assert_int_equal(seen.elements, 3);
    assert_true(seen.seconds >= 0 && seen.group > 0);
    assert_non_null(strstr(seen.file, "test_groups.c"));
    assert_int_equal(kn_running(watched, &seen), 0); /* it is over */
    assert_true(kn_watch_steps(false));
}

static void only_contexts_that_there_are(void **state)
{
    (void)state;
    kn_running_step step = {.size_ = sizeof step};
    assert_int_equal(kn_running((kn_context)&step, &step), -1);
    expect_error("ContextError", "running: there is no such context");
    assert_int_equal(kn_running(kn_context_current(), NULL), -1);
    expect_error("TypeError", "running: the result is null, or its size_ is not set");
}

KN_TEST_GROUP(test_groups)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_have_what_they_are_made_of),
        TEST(numbers_of_groups_grow),
        TEST(routines_say_so),
        TEST(errors),
        TEST(steps_have_lines_and_numbers),
        TEST(what_runs_can_be_asked_from_another_thread),
        TEST(only_contexts_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
