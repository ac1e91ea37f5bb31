/* SPDX-License-Identifier: Apache-2.0
 * test_search_no_memory.c -- allocations of steps of line searches fail, one after the other: what comes out is a
 * MemoryError or the right answer, and nothing is lost. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"

static kn_array loss(const kn_array *scale, const kn_array *x)
{
    return kn_sum(kn_mul(*scale, kn_square(kn_square(kn_sub(*x, 1)))));
}
KN_CLOSURE(loss, kn_array, kn_array, kn_array)

/* Two steps; NaN where something failed. */
static double steps(kn_optimizer o)
{
    kn_array x = kn_of(double, 2, -1), scale = kn_of(double, 1, 3);
    kn_fn f = KN_CLOSE(loss, &scale);
    kn_tree state = kn_optim_init(o, KN_TREE(&x));
    for (int i = 0; i < 2; i++) {
        kn_array value;
        kn_tree grad;
        if (kn_optim_value_and_grad_from_state(f, KN_TREE(&x), state, &value, &grad) ||
            kn_optim_apply(o, &state, KN_TREE(&x), grad, .value = value, .value_fn = f))
            return __builtin_nan("");
    }
    return kn_item(kn_sum(x));
}

static double zoom(void)
{
    KN_SCOPE;
    return steps(kn_optim_lbfgs(.memory_size = 2));
}

static double backtracking(void)
{
    KN_SCOPE;
    return steps(kn_optim_chain(kn_optim_sgd(.learning_rate = 1),
                                kn_optim_scale_by_backtracking_linesearch(9, .store_grad = true)));
}

static void the_zoom_search_may_fail_anywhere(void **state)
{
    (void)state;
    no_memory_check(zoom, 61, NULL);
}

static void backtracking_may_fail_anywhere(void **state)
{
    (void)state;
    no_memory_check(backtracking, 23, NULL);
}

KN_TEST_GROUP(test_search_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoom_search_may_fail_anywhere),
                                       cmocka_unit_test(backtracking_may_fail_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
