/* SPDX-License-Identifier: Apache-2.0
 * test_error_state_process.c -- NumPy's error state beyond one thread: in others, in a forked child, and on standard
 * error. */
#include "support/expect.h"
#include "support/group.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool raises(void)
{
    KN_SCOPE;
    kn_eval(kn_divide(kn_of(double, 1), 0));
    bool raised = kn_error_pending() && !strcmp(kn_error_kind_name(), "FloatingPointError");
    kn_error_clear();
    return raised;
}

/* What a thread finds: the state that it begins with, and whether its own counts. */
static void *in_a_thread(void *arg)
{
    bool *good = arg;
    KN_SCOPE;
    *good = !strcmp(kn_geterr().divide, "ignore") && !raises();
    KN_ERRSTATE(.divide = "raise");
    for (int i = 0; i < 20; i++)
        *good = *good && raises();
    return NULL;
}

static void threads_have_states_of_their_own(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool good[THREADS] = {false};
    KN_SCOPE;
    KN_ERRSTATE(.all = "warn", .divide = "raise");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, in_a_thread, &good[i]), 0);
    for (int i = 0; i < 20; i++)
        assert_true(raises());
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_true(good[i]);
    }
    assert_string_equal(kn_geterr().over, "warn");
}

/* Does `f` hold in a forked child? */
static bool holds_in_a_child(bool (*f)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(f() ? 0 : 1);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool child_raises_and_may_stop(void)
{
    if (!raises())
        return false;
    kn_seterr(.all = "ignore");
    return !raises();
}

static void a_forked_child_has_the_state_of_its_parent(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_ERRSTATE(.divide = "raise");
    assert_true(raises());
    assert_true(holds_in_a_child(child_raises_and_may_stop));
    assert_string_equal(kn_geterr().divide, "raise"); /* what the child does is its own business */
    assert_true(raises());
}

static void print_writes_to_standard_error(void **state)
{
    (void)state;
    KN_SCOPE;
    char text[256] = {0};
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_non_null(file);
    KN_ERRSTATE(.all = "print");
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    for (int i = 0; i < 2; i++) /* each time, unlike warnings */
        kn_eval(kn_divide(kn_of(double, 1), 0));
    kn_eval(kn_sqrt(kn_of(double, -1)));
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    assert_string_equal(text, "Warning: divide by zero encountered in divide\n"
                              "Warning: divide by zero encountered in divide\n"
                              "Warning: invalid value encountered in sqrt\n");
    expect_no_error();
}

KN_TEST_GROUP(test_error_state_process)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_have_states_of_their_own),
        TEST(a_forked_child_has_the_state_of_its_parent),
        TEST(print_writes_to_standard_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
