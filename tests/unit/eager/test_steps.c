/* SPDX-License-Identifier: Apache-2.0
 * test_steps.c -- how much runs in loops over values with something at them. */
#include "kiln/kiln.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void count(void *env, const kn_step *step)
{
    (void)step;
    ++*(int *)env;
}

/* One step of descent; how many steps of programs have run for it. */
static int descend(kn_array w, kn_array x)
{
    KN_SCOPE;
    int n = 0;
    kn_on_step(count, &n);
    kn_array y = kn_sum(kn_add(kn_matmul(x, w), 1)), loss = kn_sum(kn_square(y));
    kn_backward(loss);
    KN_NO_TAPE;
    kn_isub(w, kn_multiply(0.01, kn_grad_of(w)));
    kn_clear_grad(w);
    kn_item(loss);
    kn_on_step(NULL, NULL);
    return n;
}

/* What the derivative does not need is nobody's but the array's, and yet is not worked out again in each turn. */
static void a_watched_array_that_is_updated_in_place_is_worked_out_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_copy(kn_ones(KN_SHAPE(3)))),
             x = kn_copy(kn_reshape(kn_arange(0, 12, 0.1), KN_SHAPE(-1, 3)));
    descend(w, x);
    int second = descend(w, x), tenth = 0;
    for (int i = 2; i < 10; i++)
        tenth = descend(w, x);
    assert_int_equal(tenth, second);
    assert_false(kn_error_pending());
}

static void a_dual_array_that_is_updated_in_place_is_worked_out_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_with_tangent(kn_ones(KN_SHAPE(3)), kn_ones(KN_SHAPE(3))));
    int n = 0, second = 0;
    for (int i = 0; i < 10; i++) {
        n = 0;
        kn_on_step(count, &n);
        kn_iadd(x, kn_multiply(0.1, kn_sin(x)));
        kn_item(kn_sum(kn_tangent_of(x)));
        second = i == 1 ? n : second;
    }
    kn_on_step(NULL, NULL);
    assert_int_equal(n, second);
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_steps)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watched_array_that_is_updated_in_place_is_worked_out_once),
        cmocka_unit_test(a_dual_array_that_is_updated_in_place_is_worked_out_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
