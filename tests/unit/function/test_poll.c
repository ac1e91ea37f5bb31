/* SPDX-License-Identifier: Apache-2.0
 * test_poll.c -- kn_set_poll: a function that ends what runs, between two steps or two turns of a loop. */
#include "support/expect.h"
#include "support/group.h"
#include "support/programs.h"

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

KN_TEST_GROUP(test_poll)
{
    const struct CMUnitTest tests[] = {TEST(an_endless_loop_is_ended), TEST(one_that_lets_go_on_changes_nothing),
                                       TEST(what_waited_is_given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
