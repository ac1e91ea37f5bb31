/* SPDX-License-Identifier: Apache-2.0
 * test_optim_functions_no_memory.c -- allocations of a program of microbatches, perturbed functions, assignments and
 * maps over a state fail: what comes out is a MemoryError or the right answer, and nothing is lost. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"

typedef struct {
    kn_array each, sum;
} Parts;
static Parts parts(const kn_array *x) { return (Parts){kn_mul(*x, 2), kn_sum(*x)}; }
KN_FUNCTION(parts, Parts, kn_array)

static kn_array bend(const kn_array *w, const kn_array *x, const kn_array *y)
{
    return kn_sum(kn_square(kn_sub(kn_mul(*w, *x), *y)));
}
KN_FUNCTION(bend, kn_array, kn_array, kn_array, kn_array)

static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(doubled, kn_array, kn_array)

static double functions(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3, 4), key = kn_random_key(1), y = NULL;
    Parts p = {NULL, NULL};
    kn_tree how = kn_tree_tuple(KN_OPTIM_CONCAT, KN_OPTIM_SUM);
    kn_call(kn_jit(kn_optim_microbatch(KN_FN(parts), KN_ARGNUMS(0), 2, .accumulators = how)), &p, &x);
    kn_call(kn_optim_make_perturbed_fun(KN_FN(doubled), .num_samples = 2), &y, &key, &x);
    return kn_item(kn_sum(p.each)) + kn_item(p.sum) + kn_item(kn_sum(y));
}

static double derivatives(void)
{
    KN_SCOPE;
    kn_array w = kn_of(double, 1, 2), cost = kn_reshape(kn_of(double, 3, 1, 2, 2, 5, 1), KN_SHAPE(2, 3));
    kn_array diagonal = kn_optim_hessian_diag(KN_FN(bend), KN_TREE(&w), w, w);
    kn_assignment_result r = kn_optim_hungarian_algorithm(cost);
    kn_optimizer o = kn_optim_adam(.learning_rate = 0.1);
    kn_tree t = kn_optim_tree_map_params(o, KN_FN(doubled), kn_optim_init(o, KN_TREE(&w)), KN_TREE(&w), 0, NULL);
    return kn_item(kn_sum(diagonal)) + kn_item(kn_sum(r.j)) + kn_item(kn_sum(kn_tree_at(t, "[0].mu")));
}

static void functions_may_fail_anywhere(void **state)
{
    (void)state;
    no_memory_check(functions, 13, NULL);
}

static void derivatives_may_fail_anywhere(void **state)
{
    (void)state;
    no_memory_check(derivatives, 13, NULL);
}

KN_TEST_GROUP(test_optim_functions_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_may_fail_anywhere),
                                       cmocka_unit_test(derivatives_may_fail_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
