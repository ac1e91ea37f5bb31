/* SPDX-License-Identifier: Apache-2.0
 * test_no_memory.c -- every allocation of a small program fails once: what comes out is a MemoryError or the right answer, and nothing
 * is lost or leaked. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <stdio.h>

typedef struct {
    kn_array w, b;
} Line;

static kn_array loss(const Line *line, const kn_array *x)
{
    kn_array y = kn_add(kn_mul(line->w, *x), line->b);
    return kn_mean(kn_square(kn_sub(kn_tanh(y), kn_sin(*x))));
}
KN_FUNCTION(loss, kn_array, Line, kn_array)

static kn_array peeks(const kn_array *x) { return kn_item(kn_sum(*x)) > 0 ? kn_sum(kn_exp(*x)) : kn_sum(*x); }
KN_FUNCTION(peeks, kn_array, kn_array)

typedef struct {
    kn_array a, b;
} Two;
static kn_array cube(const kn_array *x) { return kn_checkpoint_name(kn_mul(*x, *x, *x), "cube"); }
static Two cube_jvp(const kn_array *x, const kn_array *dx)
{
    return (Two){kn_mul(*x, *x, *x), kn_mul(kn_mul(*x, *x), kn_mul(*dx, 3))};
}
static Two cube_fwd(const kn_array *x) { return (Two){kn_mul(*x, *x, *x), *x}; }
static kn_array cube_bwd(const kn_array *x, const kn_array *ct) { return kn_mul(kn_mul(*x, *x), kn_mul(*ct, 3)); }
KN_FUNCTION(cube, kn_array, kn_array)
KN_FUNCTION(cube_jvp, Two, kn_array, kn_array)
KN_FUNCTION(cube_fwd, Two, kn_array)
KN_FUNCTION(cube_bwd, kn_array, kn_array, kn_array)
static kn_array cubes(const kn_array *x)
{
    kn_array a = NULL, b = NULL, c = NULL;
    kn_call(kn_vmap(kn_custom_jvp(KN_FN(cube), KN_FN(cube_jvp))), &a, x);
    kn_call(kn_custom_vjp(KN_FN(cube), KN_FN(cube_fwd), KN_FN(cube_bwd)), &b, x);
    kn_call(kn_checkpoint(KN_FN(cube), .policy = KN_SAVE_ONLY_THESE_NAMES("cube")), &c, x);
    return kn_sum(kn_add(a, b, c));
}
KN_FUNCTION(cubes, kn_array, kn_array)

/* Returns a number that tells whether all went well; NaN where something failed. */
static double program(void)
{
    KN_SCOPE;
    kn_array x = kn_linspace(0, 1, 5), value, g, batched,
             stack = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3));
    Line line = {kn_scalar(0.5), kn_scalar(0.25)}, grad;
    kn_call(kn_jit(kn_value_and_grad(KN_FN(loss))), KN_OUT(&value, &grad), &line, &x);
    kn_call(kn_grad(KN_FN(peeks)), &g, &x);
    kn_call(kn_vmap(kn_grad(KN_FN(loss), .argnums = KN_ARGNUMS(1)), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &batched,
            &line, &stack);
    kn_array slopes;
    kn_call(kn_grad(KN_FN(cubes)), &slopes, &x);
    kn_array joined = kn_concatenate(KN_LIST(g, kn_ravel(batched)), KN_AXIS(0));
    kn_array chosen = kn_take(kn_at(joined, "::-1"), kn_of(int64_t, 0, 2, 4), KN_AXIS(0));
    kn_array product = kn_matmul(stack, kn_transpose(stack));
    kn_array row = kn_at(stack, "1, ::-1"), flat = kn_reshape(kn_transpose(stack), KN_SHAPE(3, 1, 2));
    kn_set_at(row, kn_at(row, "1:"), ":-1");
    kn_iadd_at(stack, 1, "%", kn_greater(stack, 2));
    kn_ufunc_at(kn_ufunc_add, flat, 2, "%, 0", kn_of(int64_t, 1, 1));
    kn_set_at(kn_as_strided(x, KN_SHAPE(2, 2), KN_SHAPE(8, 16)), value, "0");
    kn_array writes = kn_add(kn_sum(stack), kn_sum(flat), kn_sum(x), kn_sum(slopes));
    return kn_item(value) + kn_item(kn_add(grad.w, grad.b)) + kn_item(kn_sum(chosen)) + kn_item(kn_sum(product)) +
           kn_item(writes);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    no_memory_check(program, 1, NULL);
}

KN_TEST_GROUP(test_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
