/* SPDX-License-Identifier: Apache-2.0
 * test_unwind.c -- the user's code leaves a public call by longjmp: the end of the scope around the call puts the
 * context back, whatever was being recorded, called back or told. */
#include "support/expect.h"
#include "support/group.h"

/* What the calls had allocated when they were left is lost, as of any C function: no leak checks in this program. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

static jmp_buf out;
static int left; /* calls until the jump */

static void leave_once(void)
{
    if (left > 0 && --left == 0)
        longjmp(out, 1);
}

static kn_array one(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2);
    leave_once();
    return kn_sum(y);
}
static kn_array same(const kn_array *x)
{
    leave_once();
    return kn_mul(*x, 2);
}
static kn_array two(const kn_array *i, const kn_array *c)
{
    leave_once();
    return kn_add(*c, *i);
}
typedef struct pair {
    kn_array a, b;
} pair;
static pair body(const kn_array *c, const kn_array *x)
{
    leave_once();
    kn_array n = kn_add(*c, *x);
    return (pair){n, n};
}
static kn_array below(const kn_array *x)
{
    leave_once();
    return kn_less(*x, 3);
}
KN_FUNCTION(one, kn_array, kn_array)
KN_FUNCTION(same, kn_array, kn_array)
KN_FUNCTION(two, kn_array, kn_array, kn_array)
KN_FUNCTION(body, pair, kn_array, kn_array)
KN_FUNCTION(below, kn_array, kn_array)

static kn_array outer(const kn_array *x) /* a transformation inside of a recorded function */
{
    kn_array y;
    kn_call(kn_grad(KN_FN(one)), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(outer, kn_array, kn_array)

static int called_back(void *env, int n_in, const kn_array *in, int n_out, kn_array *y)
{
    (void)env, (void)n_in, (void)n_out;
    leave_once();
    y[0] = in[0];
    return 0;
}
static kn_array calls_back(const kn_array *x)
{
    return kn_list_get(
        kn_pure_callback(called_back, NULL, KN_LIST(kn_shape_dtype_struct(KN_SHAPE(3), KN_F64)), KN_LIST(*x)), 0);
}
KN_FUNCTION(calls_back, kn_array, kn_array)

static void hook(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)env, (void)kind, (void)message, (void)place;
    leave_once();
}

/* What is called: number i, with x of three elements. */
enum { WAYS = 17 };
static void call(int i, kn_array x)
{
    kn_array y, dy, z = kn_scalar(1.0);
    pair p;
    switch (i) {
    case 0: kn_call(KN_FN(one), &y, &x); break;
    case 1: kn_call(kn_jit(KN_FN(one)), &y, &x); break;
    case 2: kn_call(kn_grad(KN_FN(one)), &y, &x); break;
    case 3: kn_call(kn_jit(kn_grad(KN_FN(one))), &y, &x); break;
    case 4: kn_call(kn_vmap(KN_FN(same), .axis_name = "i"), &y, &x); break;
    case 5: kn_jvp(KN_FN(one), KN_ARGS(&x), KN_ARGS(&x), &y, &dy); break;
    case 6: kn_vjp(KN_FN(one), KN_ARGS(&x), &y); break;
    case 7: kn_make_jaxpr(KN_FN(one), KN_ARGS(&x), .fold = true); break;
    case 8: kn_fori_loop(0, 3, KN_FN(two), &y, &z); break;
    case 9: kn_scan(KN_FN(body), &p, &z, &x); break;
    case 10: kn_while_loop(KN_FN(below), KN_FN(same), &y, &z); break;
    case 11: kn_cond(KN_TRUE, KN_FN(same), KN_FN(same), &y, &x); break;
    case 12: kn_call(kn_jit(KN_FN(outer)), &y, &x); break;
    case 13: kn_call(kn_checkpoint(KN_FN(one)), &y, &x); break;
    case 14: kn_call(kn_jit(KN_FN(calls_back)), &y, &x), kn_eval(y); break;
    case 15: kn_call(KN_FN(calls_back), &y, &x), kn_eval(y); break;
    default: kn_add(x, kn_ones(KN_SHAPE(2))); break; /* the hook hears of it */
    }
}

static void works_as_ever(void)
{
    KN_SCOPE;
    kn_array x = kn_linspace(0, 1, 5), y;
    assert_float_equal(kn_item(kn_sum(x)), 2.5, 0);
    kn_call(kn_jit(kn_grad(KN_FN(one))), &y, &x);
    assert_float_equal(kn_item(kn_at(y, "0")), 2, 0);
    assert_false(kn_error_pending());
    (void)kn_add(x, kn_ones(KN_SHAPE(2)));
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (5,) (2,)");
}

static void leave(int i)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    left = 1;
    if (!setjmp(out))
        call(i, x);
    assert_int_equal(left, 0);
}

static void the_end_of_a_scope_unwinds_what_was_left(void **state)
{
    (void)state;
    kn_on_error(hook, NULL);
    for (int i = 0; i < WAYS; i++) {
        leave(i);
        kn_error_clear();
        works_as_ever();
        kn_error_clear();
        leave(i); /* and once more */
        kn_error_clear();
        works_as_ever();
    }
    kn_on_error(NULL, NULL);
}

static int way;
static kn_array keeps_on(const kn_array *x) /* its own scope unwinds what it left; the recording around goes on */
{
    leave(way);
    kn_error_clear();
    return kn_sum(kn_mul(*x, 3));
}
KN_FUNCTION(keeps_on, kn_array, kn_array)

static void a_recording_around_goes_on(void **state)
{
    (void)state;
    kn_on_error(hook, NULL);
    for (way = 0; way < WAYS; way++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2, 3), y;
        assert_int_equal(kn_call(kn_grad(KN_FN(keeps_on)), &y, &x), 0);
        expect_values(y, 3, 3, 3);
    }
    kn_on_error(NULL, NULL);
}

static kn_array catches(const kn_array *x) /* without a scope: its return unwinds */
{
    if (!setjmp(out))
        call(way, kn_of(double, 1, 2, 3));
    return kn_sum(kn_mul(*x, 3));
}
KN_FUNCTION(catches, kn_array, kn_array)

static void the_return_of_the_function_around_unwinds(void **state)
{
    (void)state;
    kn_context mine = kn_context_current();
    for (way = 0; way < WAYS - 3; way++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2, 3), y;
        left = 1;
        kn_call(KN_FN(catches), &y, &x);
        assert_ptr_equal(kn_context_current(), mine);
        assert_float_equal(kn_item(y), 18, 0);
    }
}

static kn_level around;

static kn_array ends_the_level_and_leaves(const kn_array *x)
{
    (void)x;
    kn_level_end(&around);
    longjmp(out, 1);
}
KN_FUNCTION(ends_the_level_and_leaves, kn_array, kn_array)

static void a_level_may_have_ended_in_what_a_jump_has_left(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_error_clear(); /* of the tests before */
    kn_array x = kn_ones(KN_SHAPE(2)), y = NULL, w = kn_copy(x);
    around = kn_tape_begin();
    {
        KN_SCOPE;
        if (!setjmp(out))
            kn_call(kn_jit(KN_FN(ends_the_level_and_leaves)), &y, &x);
    }
    kn_backward(kn_sum(kn_square(kn_watch(w))));
    assert_int_equal(kn_item(kn_sum(kn_grad_of(w))), 4);
    assert_true(kn_has_tangent(kn_with_tangent(2.0, 1.0)));
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_unwind)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_scope_unwinds_what_was_left),
        cmocka_unit_test(a_recording_around_goes_on),
        cmocka_unit_test(the_return_of_the_function_around_unwinds),
        cmocka_unit_test(a_level_may_have_ended_in_what_a_jump_has_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
