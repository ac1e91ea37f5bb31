/* SPDX-License-Identifier: Apache-2.0
 * test_fold.c -- kn_make_jaxpr(.fold): what depends on no argument is worked out while a function is recorded; the
 * values of constants in the full form. */
#include "base/memory.h"
#include "support/expect.h"
#include "support/group.h"

static kn_jaxpr folded(kn_fn f, const kn_args *args) { return kn_make_jaxpr(f, args, .fold = true); }
static const char *classic(kn_fn f, const kn_args *args) { return kn_jaxpr_text(folded(f, args), KN_JAXPR_CLASSIC); }

static kn_array constants_in_order(const kn_array *x)
{
    kn_array ones = kn_ones(KN_SHAPE(2));
    kn_array threes = kn_add(ones, kn_mul(ones, 2));
    return kn_sub(kn_mul(*x, threes), ones);
}
KN_FUNCTION(constants_in_order, kn_array, kn_array)

static void constants_come_in_the_order_of_their_use(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_jaxpr j = folded(KN_FN(constants_in_order), KN_ARGS(&x));
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_CLASSIC), "{ lambda b d ; a.\n"
                                                            "  let c = mul a b\n"
                                                            "      e = sub c d\n"
                                                            "  in e }");
    expect_values(kn_jaxpr_constant(j, 0), 3, 3);
    expect_values(kn_jaxpr_constant(j, 1), 1, 1);
    kn_call(kn_fn_from_jaxpr(j), &out, &x);
    expect_values(out, 2, 5);
}

static void without_fold_all_is_recorded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(constants_in_order), KN_ARGS(&x));
    assert_int_equal(kn_jaxpr_count(j).constvars, 0);
    assert_int_equal(kn_jaxpr_equation_count(j), 5);
}

static kn_array unused(const kn_array *x)
{
    kn_mul(kn_ones(KN_SHAPE(3)), 2);
    return kn_mul(*x, 2);
}
KN_FUNCTION(unused, kn_array, kn_array)

static void what_is_not_read_is_no_constant(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    assert_string_equal(classic(KN_FN(unused), KN_ARGS(&x)), "{ lambda ; a.\n"
                                                             "  let b = mul a 2.0\n"
                                                             "  in b }");
}

static kn_array only_constants(const kn_array *x)
{
    (void)x;
    return kn_mul(kn_ones(KN_SHAPE(2)), 4);
}
KN_FUNCTION(only_constants, kn_array, kn_array)

static void a_result_may_be_a_constant(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_jaxpr j = folded(KN_FN(only_constants), KN_ARGS(&x));
    assert_int_equal(kn_jaxpr_equation_count(j), 0);
    kn_call(kn_fn_from_jaxpr(j), &out, &x);
    expect_values(out, 4, 4);
}

static kn_array converted(const kn_array *x) { return kn_add(*x, kn_arange(0, 2, 1)); }
KN_FUNCTION(converted, kn_array, kn_array)

static void operands_that_an_operation_converts_are_folded_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_jaxpr j = folded(KN_FN(converted), KN_ARGS(&x));
    assert_int_equal(kn_jaxpr_equation_count(j), 1);
    assert_ptr_equal(kn_dtype_of(kn_jaxpr_constant(j, 0)), KN_F64);
}

static kn_array writes(const kn_array *x)
{
    kn_array table = kn_zeros(KN_SHAPE(4)), part = kn_at(table, "1:3");
    kn_set_at(part, 5, "0");   /* through a view of a constant */
    kn_set_at(table, *x, "3"); /* and now it depends on x */
    kn_set_at(part, kn_num(7), "1");
    return table;
}
KN_FUNCTION(writes, kn_array, kn_array)

static void writes_go_through_views_of_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), out;
    kn_call(kn_fn_from_jaxpr(folded(KN_FN(writes), KN_ARGS(&x))), &out, &x);
    expect_values(out, 0, 5, 7, 2);
}

static kn_array looks(const kn_array *x)
{
    kn_array n = kn_sum(kn_ones(KN_SHAPE(3)));
    return kn_item(n) > 2 ? kn_mul(*x, n) : *x;
}
KN_FUNCTION(looks, kn_array, kn_array)

static void constants_can_be_looked_at(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), out;
    kn_call(kn_fn_from_jaxpr(folded(KN_FN(looks), KN_ARGS(&x))), &out, &x);
    expect_values(out, 6);
}

static kn_array inner(const kn_array *x) { return kn_mul(*x, kn_exp(kn_zeros(KN_SHAPE(2)))); }
KN_FUNCTION(inner, kn_array, kn_array)
static kn_array outer(const kn_array *x)
{
    kn_array y;
    kn_call(kn_jit(KN_FN(inner)), &y, x);
    return y;
}
KN_FUNCTION(outer, kn_array, kn_array)

static void functions_inside_fold_as_well(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    assert_string_equal(classic(KN_FN(outer), KN_ARGS(&x)), "{ lambda b ; a.\n"
                                                            "  let c = xla_call[ backend=None\n"
                                                            "                    call_jaxpr={ lambda ; b a.\n"
                                                            "                                 let c = mul a b\n"
                                                            "                                 in c }\n"
                                                            "                    device=None\n"
                                                            "                    name=inner ] b a\n"
                                                            "  in c }");
    /* and what was recorded so is for nobody else */
    kn_call(kn_jit(KN_FN(inner)), &y, &x);
    expect_values(y, 1, 2);
    assert_int_equal(kn_jaxpr_count(kn_make_jaxpr(KN_FN(outer), KN_ARGS(&x))).constvars, 0);
}

typedef struct {
    kn_array table, x;
} Captured;
static kn_array look_up(const Captured *c, const kn_array *i, const kn_array *sum)
{
    (void)i;
    return kn_add(*sum, kn_mul(kn_mul(c->table, 2), c->x));
}
KN_CLOSURE(look_up, kn_array, Captured, kn_array, kn_array)
static kn_array looped(const kn_array *x, const kn_array *n)
{
    Captured c = {kn_ones(KN_SHAPE(2)), *x};
    kn_array out, start = kn_zeros(KN_SHAPE(2));
    kn_fori_loop(0, *n, KN_CLOSE(look_up, &c), &out, &start);
    return out;
}
KN_FUNCTION(looped, kn_array, kn_array, kn_array)

static void captured_arrays_with_values_stay_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), n = kn_scalar(3), out;
    kn_jaxpr j = folded(KN_FN(looped), KN_ARGS(&x, &n));
    assert_int_equal(kn_jaxpr_count(j).constvars, 2); /* twice the table, and zeros */
    assert_int_equal(kn_jaxpr_equation_count(j), 1);
    kn_call(kn_fn_from_jaxpr(j), &out, &x, &n);
    expect_values(out, 12, 12);
}

static kn_array fails(const kn_array *x) { return kn_add(*x, kn_linalg_cholesky(kn_negative(kn_eye(2)))); }
KN_FUNCTION(fails, kn_array, kn_array)

static void errors_of_constants_end_the_recording(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0);
    assert_null(folded(KN_FN(fails), KN_ARGS(&x)));
    expect_error_with("LinAlgError", "Matrix is not positive definite");
}

static int calls;
static int count_call(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    calls++;
    return 0;
}
static kn_array heard(const kn_array *x)
{
    kn_debug_callback(count_call, NULL, KN_LIST(kn_ones(KN_SHAPE(2))));
    return *x;
}
KN_FUNCTION(heard, kn_array, kn_array)

static void effects_are_recorded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0);
    calls = 0;
    kn_jaxpr j = folded(KN_FN(heard), KN_ARGS(&x));
    assert_int_equal(calls, 0);
    assert_int_equal(kn_jaxpr_equation_count(j), 1);
    kn_eval(x);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int64_t k = 0, done = 0; !done; k++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2);
        knx_fail_after(k, true);
        kn_jaxpr j = folded(KN_FN(constants_in_order), KN_ARGS(&x));
        knx_fail_after(-1, false);
        done = !kn_error_pending();
        kn_error_clear();
        if (done)
            assert_int_equal(kn_jaxpr_count(j).constvars, 2);
    }
}

/* ---- Values in texts. */

static kn_array all_dtypes(const kn_array *x)
{
    kn_array nan = kn_of(double, NAN, -0.0, 0.1, 1e300), wide = kn_of(int64_t, INT64_MIN, 3),
             truth = kn_of(bool, true, false), complex = kn_astype(kn_of(float, 1.5, -2), KN_C64);
    kn_array y = kn_add(kn_sum(kn_where(truth, wide, 0)), kn_sum(kn_mul(nan, *x)));
    return kn_add(kn_add(y, kn_sum(kn_abs(kn_mul(complex, *x)))), kn_sum(kn_mul(kn_zeros(KN_SHAPE(0, 3)), *x)));
}
KN_FUNCTION(all_dtypes, kn_array, kn_array)

static void constants_come_back_from_the_full_form(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0);
    kn_jaxpr j = folded(KN_FN(all_dtypes), KN_ARGS(&x));
    assert_true(kn_jaxpr_count(j).constvars >= 3);
    kn_jaxpr back = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, back));
}

static void equal_elements_are_written_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    const char *text = kn_jaxpr_text(folded(KN_FN(constants_in_order), KN_ARGS(&x)), KN_JAXPR_FULL);
    assert_non_null(strstr(text, ":f64[2]=\"3.0\""));
    assert_non_null(strstr(text, ":f64[2]=\"1.0\""));
}

static void constants_without_good_values_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_jaxpr_parse("{ lambda a:f64[3] ; . let in (a,) }"));
    expect_error("ValueError", "jaxpr_parse: the text has 1 constants, whose values it does not carry");
    assert_null(kn_jaxpr_parse("{ lambda a:f64[3]=\"1.0 2.0\" ; . let in (a,) }"));
    expect_error("ValueError", "jaxpr_parse: the text of constant 0 is no value of type float64[3]");
    assert_null(kn_jaxpr_parse("{ lambda a:f64[2]=\"1.0 2.0 3.0\" ; . let in (a,) }"));
    expect_error("ValueError", "jaxpr_parse: the text of constant 0 is no value of type float64[2]");
    assert_null(kn_jaxpr_parse("{ lambda a:i32[2]=\"1 x\" ; . let in (a,) }"));
    expect_error("ValueError", "jaxpr_parse: the text of constant 0 is no value of type int32[2]");
}

static void numbers_have_the_default_float_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_defaults_push(.dtype = KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_scalar(0.1)), KN_F32);
    expect_values(kn_scalar(0.1), 0.1f);
    assert_ptr_equal(kn_dtype_of(kn_of(double, 0.1)), KN_F64);
    kn_defaults_pop();
    assert_ptr_equal(kn_dtype_of(kn_scalar(0.1)), KN_F64);
}

KN_TEST_GROUP(test_fold)
{
    const struct CMUnitTest tests[] = {
        TEST(constants_come_in_the_order_of_their_use),
        TEST(without_fold_all_is_recorded),
        TEST(what_is_not_read_is_no_constant),
        TEST(a_result_may_be_a_constant),
        TEST(operands_that_an_operation_converts_are_folded_too),
        TEST(writes_go_through_views_of_constants),
        TEST(constants_can_be_looked_at),
        TEST(functions_inside_fold_as_well),
        TEST(captured_arrays_with_values_stay_constants),
        TEST(errors_of_constants_end_the_recording),
        TEST(effects_are_recorded),
        TEST(each_allocation_may_fail),
        TEST(constants_come_back_from_the_full_form),
        TEST(equal_elements_are_written_once),
        TEST(constants_without_good_values_are_refused),
        TEST(numbers_have_the_default_float_dtype),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
