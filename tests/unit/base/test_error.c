/* SPDX-License-Identifier: Apache-2.0
 * test_error.c -- errors as values, texts for messages, the log and the environment. */
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void an_error_carries_kind_and_text(void **state)
{
    (void)state;
    knx_error *e = knx_error_new(KN_ERROR_AXIS, "axis %d is out of bounds", 2);
    assert_int_equal(e->kind, KN_ERROR_AXIS);
    assert_string_equal(e->message, "axis 2 is out of bounds");
    assert_string_equal(e->operation, "");
    assert_null(e->place);
    knx_error_release(e);
}

static void a_long_message_is_kept_whole(void **state)
{
    (void)state;
    knx_error *e = knx_error_new(KN_ERROR_VALUE, "%5000d", 7);
    assert_int_equal(strlen(e->message), 5000);
    assert_int_equal(e->message[4999], '7');
    knx_error_release(e);
}

static void an_error_lives_until_its_last_reference_goes(void **state)
{
    (void)state;
    int64_t before = knx_alloc_live();
    knx_error *e = knx_error_new(KN_ERROR_KEY, "k");
    assert_ptr_equal(knx_error_retain(e), e);
    knx_error_release(e);
    assert_string_equal(e->message, "k");
    knx_error_release(e);
    assert_int_equal(knx_alloc_live(), before);
}

static void an_error_without_memory_is_the_static_memory_error(void **state)
{
    (void)state;
    knx_fail_after(0, false);
    knx_error *e = knx_error_new(KN_ERROR_VALUE, "anything");
    knx_fail_after(-1, false);
    assert_ptr_equal(e, knx_error_nomem());
    assert_int_equal(e->kind, KN_ERROR_MEMORY);
    assert_string_equal(e->message, "out of memory");
}

static void the_static_error_is_never_freed(void **state)
{
    (void)state;
    knx_error *e = knx_error_retain(knx_error_nomem());
    for (int i = 0; i < 3; i++)
        knx_error_release(e);
    assert_string_equal(e->message, "out of memory");
    assert_int_equal(e->refs, -1);
}

static void no_error_is_null_and_needs_no_care(void **state)
{
    (void)state;
    assert_null(knx_error_retain(NULL));
    knx_error_release(NULL);
}

static void kinds_have_the_names_of_the_exceptions(void **state)
{
    (void)state;
    assert_string_equal(knx_error_kind_name(KN_ERROR_VALUE), "ValueError");
    assert_string_equal(knx_error_kind_name(KN_ERROR_LEAKED_TRACER), "LeakedTracerError");
    assert_string_equal(knx_error_kind_name(KN_ERROR_MEMORY), "MemoryError");
    assert_string_equal(knx_error_kind_name(KN_NO_ERROR), "");
    assert_string_equal(knx_error_kind_name((kn_error_kind)99), "");
}

static knx_error *fails_if(bool fails) { return fails ? knx_error_new(KN_ERROR_TYPE, "first") : NULL; }

static knx_error *tries(bool fails)
{
    KN_TRY(fails_if(fails));
    return knx_error_new(KN_ERROR_VALUE, "second");
}

static void try_returns_the_first_error(void **state)
{
    (void)state;
    knx_error *first = tries(true), *second = tries(false);
    assert_string_equal(first->message, "first");
    assert_string_equal(second->message, "second");
    knx_error_release(first);
    knx_error_release(second);
}

static void shapes_are_shown_as_numpy_shows_them(void **state)
{
    (void)state;
    knx_text t[4] = {0};
    const int64_t dim[] = {3, 4, -1};
    assert_string_equal(knx_show_shape(&t[0], 0, dim), "()");
    assert_string_equal(knx_show_shape(&t[1], 1, dim), "(3,)");
    assert_string_equal(knx_show_shape(&t[2], 2, dim), "(3,4)");
    assert_string_equal(knx_show_shape(&t[3], 3, dim), "(3,4,-1)");
}

static void a_text_grows_at_its_end(void **state)
{
    (void)state;
    knx_text t = {0};
    knx_text_add(&t, "%s ", "shape");
    assert_string_equal(knx_show_shape(&t, 1, (int64_t[]){5}), "(5,)");
    knx_text_add(&t, "!");
    assert_string_equal(t.s, "shape (5,)!");
    assert_int_equal(t.length, 11);
}

static void a_full_text_ends_in_dots(void **state)
{
    (void)state;
    knx_text t = {0};
    for (int i = 0; i < 300; i++)
        knx_text_add(&t, "%d,", i);
    assert_int_equal(strlen(t.s), sizeof t.s - 1);
    assert_int_equal(t.length, sizeof t.s - 1);
    assert_string_equal(t.s + t.length - 3, "...");
    assert_int_equal(strncmp(t.s, "0,1,2,", 6), 0);
}

/* The log. */

static char logged[5000];
static int logged_level;

static void catch_log(void *env, int level, const char *text)
{
    ++*(int *)env;
    logged_level = level;
    snprintf(logged, sizeof logged, "%s", text);
}

static int end_log(void **state)
{
    (void)state;
    knx_log_callback(NULL, NULL);
    knx_debug_level = 0;
    return 0;
}

static void the_log_speaks_up_to_its_level(void **state)
{
    (void)state;
    int calls = 0;
    knx_log_callback(catch_log, &calls);
    knx_debug_level = 2;
    KN_LOG(3, "too detailed");
    assert_int_equal(calls, 0);
    KN_LOG(2, "kernel %d", 5);
    assert_int_equal(calls, 1);
    assert_int_equal(logged_level, 2);
    assert_string_equal(logged, "kernel 5");
}

static void a_silent_log_does_not_evaluate_its_arguments(void **state)
{
    (void)state;
    int n = 0;
    KN_LOG(1, "%d", ++n);
    assert_int_equal(n, 0);
}

static void a_long_log_text_comes_whole(void **state)
{
    (void)state;
    int calls = 0;
    knx_log_callback(catch_log, &calls);
    knx_debug_level = 1;
    KN_LOG(1, "%4000d", 7);
    assert_int_equal(calls, 1);
    assert_int_equal(strlen(logged), 4000);
}

static void without_memory_the_log_gives_the_beginning(void **state)
{
    (void)state;
    int calls = 0;
    knx_log_callback(catch_log, &calls);
    knx_debug_level = 1;
    knx_fail_after(0, false);
    KN_LOG(1, "%-4000d", 7);
    knx_fail_after(-1, false);
    assert_int_equal(calls, 1);
    assert_int_equal(logged[0], '7');
    assert_int_equal(strlen(logged), 511);
}

/* The environment is read once, so one test looks at all of it. */
static void the_environment_is_read_once_and_nonsense_is_not_set(void **state)
{
    (void)state;
    setenv("KILN_DEBUG", "9", 1);
    setenv("KILN_NUM_THREADS", "4 or so", 1);
    setenv("KILN_BACKEND", "interp", 1);
    setenv("KILN_TRACE", "", 1);
    setenv("KILN_AMX", "0", 1);
    const kn_env *env = knx_env();
    assert_int_equal(env->debug, 5);
    assert_int_equal(knx_debug_level, 5);
    assert_int_equal(env->num_threads, 0);
    assert_string_equal(env->backend, "interp");
    assert_null(env->trace);
    assert_true(env->no_amx);
    setenv("KILN_BACKEND", "avx2", 1);
    assert_string_equal(knx_env()->backend, "interp");
}

#define T        cmocka_unit_test
#define T_LOG(f) cmocka_unit_test_setup_teardown(f, NULL, end_log)
KN_TEST_GROUP(test_error)
{
    const struct CMUnitTest tests[] = {
        T(an_error_carries_kind_and_text),
        T(a_long_message_is_kept_whole),
        T(an_error_lives_until_its_last_reference_goes),
        T(an_error_without_memory_is_the_static_memory_error),
        T(the_static_error_is_never_freed),
        T(no_error_is_null_and_needs_no_care),
        T(kinds_have_the_names_of_the_exceptions),
        T(try_returns_the_first_error),
        T(shapes_are_shown_as_numpy_shows_them),
        T(a_text_grows_at_its_end),
        T(a_full_text_ends_in_dots),
        T_LOG(the_log_speaks_up_to_its_level),
        T_LOG(a_silent_log_does_not_evaluate_its_arguments),
        T_LOG(a_long_log_text_comes_whole),
        T_LOG(without_memory_the_log_gives_the_beginning),
        T_LOG(the_environment_is_read_once_and_nonsense_is_not_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
