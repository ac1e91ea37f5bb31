/* SPDX-License-Identifier: Apache-2.0
 * test_own_ufuncs.c -- ufuncs of the user's own: of C functions of scalars and of strips, of expressions, generalized
 * ones; with methods, derivatives, mapping and errors. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

/* ---- Of a C function of scalars. */

static double times_plus(double x, double y) { return x * y + x; }
static float times_plus_f(float x, float y) { return x * y + x; }
KN_UFUNC_STRIP(times_plus_strip, double, times_plus, double, double)
KN_UFUNC_STRIP(times_plus_f_strip, float, times_plus_f, float, float)

static int times_plus_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t,
                          kn_array *ty)
{
    (void)c, (void)y;
    ty[0] = kn_mul(t, i ? x[0] : kn_add(x[1], 1));
    return 0;
}

static kn_ufunc scalars(void)
{
    return kn_ufunc_new("test_times_plus", .n_in = 2, .jvp = times_plus_jvp,
                        .loops = KN_LOOPS(KN_LOOP("ff->f", times_plus_f_strip), KN_LOOP("dd->d", times_plus_strip)));
}

static kn_array m23(void) { return kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(2, 3)); }

static void a_c_function_of_scalars_goes_element_by_element(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = scalars();
    expect_values(kn_ufunc_call(f, KN_OPERANDS(m23(), kn_of(double, 10, 20, 30))), 11, 42, 93, 44, 105, 186);
    expect_values(kn_ufunc_call(f, KN_OPERANDS(kn_transpose(m23()), 1)), 2, 8, 4, 10, 6, 12);
    expect_values(kn_ufunc_call(f, KN_OPERANDS(2, 3)), 8);
    assert_int_equal(kn_size(kn_ufunc_call(f, KN_OPERANDS(kn_zeros(KN_SHAPE(0, 3)), 3))), 0);
}

static void the_first_loop_that_takes_the_operands_is_used(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = scalars();
    assert_ptr_equal(kn_dtype_of(kn_ufunc_call(f, KN_OPERANDS(kn_of(float, 1, 2), 2))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_ufunc_call(f, KN_OPERANDS(kn_of(int16_t, 1, 2), 2))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_ufunc_call(f, KN_OPERANDS(kn_of(int64_t, 1, 2), 2))), KN_F64);
    assert_int_equal(kn_ufunc_ntypes(f), 2);
    assert_string_equal(kn_ufunc_types(f, 1), "dd->d");
    (void)kn_ufunc_call(f, KN_OPERANDS(kn_ones(KN_SHAPE(2), .dtype = KN_C64), 2));
    expect_error("TypeError",
                 "test_times_plus: ufunc 'test_times_plus' not supported for the input types, and the inputs "
                 "could not be safely coerced to any supported types according to the casting rule ''safe''");
}

static void options_and_methods_are_those_of_any_ufunc(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = scalars();
    kn_array x = kn_of(double, 1, 2, 3), to = kn_full(KN_SHAPE(3), 9.0);
    kn_array same = kn_ufunc_call(f, KN_OPERANDS(x, 2), .out = to, .where = kn_greater(x, 1));
    assert_ptr_equal(same, to);
    expect_values(to, 9, 6, 9);
    expect_values(kn_ufunc_reduce(f, x), (1 * 2 + 1) * 3 + 3);
    expect_values(kn_ufunc_accumulate(f, x), 1, 3, 12);
    expect_values(kn_ufunc_outer(f, x, kn_of(double, 1, 2)), 2, 3, 4, 6, 6, 9);
    expect_values(kn_ufunc_reduceat(f, x, kn_of(int64_t, 0, 1)), 1, 2 * 3 + 2);
    kn_ufunc_at(f, x, 2, "%", kn_of(int64_t, 0, 0, 2));
    expect_values(x, 9, 2, 9);
    (void)kn_ufunc_reduce(f, m23(), KN_AXIS(0, 1));
    expect_error_with("ValueError", "reduction operation 'test_times_plus' is not reorderable");
}

static kn_array total(const kn_array *x) { return kn_sum(kn_ufunc_call(scalars(), KN_OPERANDS(*x, kn_square(*x)))); }
KN_FUNCTION(total, kn_array, kn_array)
static kn_array row_of_sums(const kn_array *x, const kn_array *y)
{
    return kn_ufunc_call(scalars(), KN_OPERANDS(*x, *y));
}
KN_FUNCTION(row_of_sums, kn_array, kn_array, kn_array)
static kn_array broadcast_total(const kn_array *x) { return kn_sum(kn_ufunc_call(scalars(), KN_OPERANDS(m23(), *x))); }
KN_FUNCTION(broadcast_total, kn_array, kn_array)

static void derivatives_are_the_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), slope, many;
    kn_call(kn_jit(kn_grad(KN_FN(total))), &slope, &x); /* x^3 + x */
    expect_values(slope, 4, 13);
    kn_array row = kn_of(double, 1, 2, 3);
    kn_call(kn_grad(KN_FN(broadcast_total)), &slope, &row); /* the operand has fewer axes than the result */
    expect_values(slope, 5, 7, 9);
    kn_call(kn_vmap(KN_FN(row_of_sums), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &many, &x, &row);
    expect_values(many, 2, 3, 4, 4, 6, 8);
}

/* ---- Several results, and a loop that fails nobody. */

static void split(char **args, const int64_t *n, const int64_t *step, void *data)
{
    const double *scale = data;
    for (int64_t i = 0; i < n[0]; i++) {
        double x = *(const double *)(void *)(args[0] + i * step[0]) * *scale;
        *(double *)(void *)(args[1] + i * step[1]) = floor(x);
        *(double *)(void *)(args[2] + i * step[2]) = x - floor(x);
    }
}
static double twice = 2;

static void several_results_go_where_they_are_wanted(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = kn_ufunc_new("test_split", .n_in = 1, .n_out = 2, .loops = KN_LOOPS(KN_LOOP("d->dd", split, &twice)));
    kn_array x = kn_of(double, 1.25, 2.5), rest = kn_zeros(KN_SHAPE(2));
    kn_list y = kn_ufunc_call_all(f, KN_OPERANDS(x), .outs = KN_OPERANDS(KN_NONE, rest));
    expect_values(kn_list_get(y, 0), 2, 5);
    expect_values(rest, 0.5, 0);
    expect_values(kn_ufunc_call(f, KN_OPERANDS(x)), 2, 5); /* the second one is not read */
}

/* ---- Expressions. */

static int soft_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    double limit = *(const double *)c->env;
    y[0] = kn_mul(limit, kn_tanh(kn_div(x[0], x[1])));
    return 0;
}

static double limit = 2;
static kn_ufunc expression(void)
{
    return kn_ufunc_new("test_soft", .n_in = 2, .expression = soft_expression, .env = &limit);
}
static kn_array soft_total(const kn_array *x) { return kn_sum(kn_ufunc_call(expression(), KN_OPERANDS(*x, 2))); }
KN_FUNCTION(soft_total, kn_array, kn_array)
static kn_array plain_total(const kn_array *x) { return kn_sum(kn_mul(2.0, kn_tanh(kn_div(*x, 2)))); }
KN_FUNCTION(plain_total, kn_array, kn_array)

static void an_expression_is_what_it_says_and_fuses(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 0.5, 3), y, z;
    kn_call(kn_grad(KN_FN(soft_total)), &y, &x);
    kn_call(kn_grad(KN_FN(plain_total)), &z, &x);
    assert_true(kn_array_equal(y, z));
    assert_int_equal(kn_ufunc_ntypes(expression()), 0);
    expect_near(kn_ufunc_reduce(expression(), x), 1e-12, 2 * tanh(2 * tanh(-2) / 3));
    expect_near(kn_ufunc_accumulate(expression(), x), 1e-12, -1, 2 * tanh(-2), 2 * tanh(2 * tanh(-2) / 3));
    kn_ufunc_at(expression(), x, 2, "%", kn_of(int64_t, 1, 1));
    expect_near(x, 1e-12, -1, 2 * tanh(2 * tanh(0.25) / 2), 3);
}

static int larger_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_maximum(x[0], x[1]);
    return 0;
}

static void types_choose_what_an_expression_works_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = kn_ufunc_new("test_larger", .n_in = 2, .expression = larger_expression, .types = "ff->f dd->d",
                              .identity = kn_num(-INFINITY));
    assert_ptr_equal(kn_dtype_of(kn_ufunc_call(f, KN_OPERANDS(kn_of(int64_t, 1), 2))), KN_F64);
    expect_values(kn_ufunc_reduce(f, m23(), KN_AXIS(0, 1)), 6);
    expect_values(kn_ufunc_reduce(f, kn_zeros(KN_SHAPE(0))), -INFINITY);
    expect_values(kn_ufunc_identity(f), -INFINITY);
    kn_array x = kn_of(double, 1, 2), y = kn_ufunc_call(f, KN_OPERANDS(x, -9));
    kn_fill(x, 7);
    expect_values(y, 1, 2);
}

/* ---- Generalized ones. */

static int product_core(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_matmul(x[0], x[1]);
    return 0;
}

static kn_ufunc product(void)
{
    return kn_ufunc_new("test_product", .n_in = 2, .compute = product_core, .signature = "(n?,k),(k,m?)->(n?,m?)");
}

static void dot_strip(char **args, const int64_t *n, const int64_t *step, void *data)
{
    (void)data;
    for (int64_t i = 0; i < n[0]; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n[1]; k++)
            sum += *(const double *)(void *)(args[0] + i * step[0] + k * step[3]) *
                   *(const double *)(void *)(args[1] + i * step[1] + k * step[4]);
        *(double *)(void *)(args[2] + i * step[2]) = sum;
    }
}

static kn_ufunc dot(void)
{
    return kn_ufunc_new("test_dot", .n_in = 2, .signature = "(n),(n)->()",
                        .loops = KN_LOOPS(KN_LOOP("dd->d", dot_strip)));
}

static void core_functions_are_mapped_over_the_other_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array t = kn_reshape(kn_arange(0, 24, 1, .dtype = KN_F64), KN_SHAPE(4, 2, 3)), b = kn_transpose(m23());
    assert_true(kn_array_equal(kn_ufunc_call(product(), KN_OPERANDS(t, b)), kn_matmul(t, b)));
    assert_true(kn_array_equal(kn_ufunc_call(product(), KN_OPERANDS(m23(), kn_of(double, 1, 2, 3))),
                               kn_matmul(m23(), kn_of(double, 1, 2, 3))));
    kn_array pairs = kn_reshape(t, KN_SHAPE(4, 1, 2, 3)),
             other = kn_reshape(kn_arange(0, 18, 1, .dtype = KN_F64), KN_SHAPE(3, 3, 2));
    assert_true(kn_array_equal(kn_ufunc_call(product(), KN_OPERANDS(pairs, other)), kn_matmul(pairs, other)));
    (void)kn_ufunc_call(product(), KN_OPERANDS(m23(), m23()));
    expect_error("ValueError",
                 "test_product: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                 "(n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)");
}

static void core_strips_get_core_dimensions_and_steps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = kn_of(double, 1, 2, 3), y = kn_zeros(KN_SHAPE(2));
    expect_values(kn_ufunc_call(dot(), KN_OPERANDS(m23(), v)), 14, 32);
    expect_values(kn_ufunc_call(dot(), KN_OPERANDS(kn_transpose(m23()), v), .axis = KN_AXIS(0)), 14, 32);
    expect_values(kn_ufunc_call(dot(), KN_OPERANDS(m23(), m23()), .keepdims = true), 14, 77);
    kn_ufunc_call(dot(), KN_OPERANDS(m23(), v), .out = y);
    expect_values(y, 14, 32);
    assert_string_equal(kn_ufunc_signature(dot()), "(n),(n)->()");
    (void)kn_ufunc_reduce(dot(), v);
    expect_error("RuntimeError", "ufunc_reduce: Reduction not defined on ufunc with signature");
}

static kn_array product_total(const kn_array *x)
{
    return kn_sum(kn_square(kn_ufunc_call(product(), KN_OPERANDS(*x, *x))));
}
KN_FUNCTION(product_total, kn_array, kn_array)
static kn_array matmul_total(const kn_array *x) { return kn_sum(kn_square(kn_matmul(*x, *x))); }
KN_FUNCTION(matmul_total, kn_array, kn_array)
static kn_array dots(const kn_array *x, const kn_array *y) { return kn_ufunc_call(dot(), KN_OPERANDS(*x, *y)); }
KN_FUNCTION(dots, kn_array, kn_array, kn_array)

static void transformations_see_through_core_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 12, 1, .dtype = KN_F64), KN_SHAPE(3, 2, 2)), y, z;
    kn_call(kn_jit(kn_grad(KN_FN(product_total))), &y, &x);
    kn_call(kn_jit(kn_grad(KN_FN(matmul_total))), &z, &x);
    assert_true(kn_array_equal(y, z));
    kn_array m = m23(), v = kn_of(double, 1, 2, 3), all;
    kn_call(kn_vmap(KN_FN(dots), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &all, &m, &v);
    expect_values(all, 14, 32);
    kn_call(kn_jit(KN_FN(dots)), &all, &m, &v);
    expect_values(all, 14, 32);
}

/* ---- Definitions. */

static void the_same_definition_is_the_same_ufunc(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(scalars(), scalars());
    assert_int_equal(kn_ufunc_named("test_times_plus"), scalars());
    assert_string_equal(kn_ufunc_name(scalars()), "test_times_plus");
    assert_int_equal(kn_ufunc_new("test_times_plus", .n_in = 1, .expression = larger_expression), kn_ufunc_none);
    expect_error("ValueError", "ufunc_new: there is a ufunc test_times_plus already, with another definition");
    assert_int_equal(kn_ufunc_named("no_such_ufunc"), kn_ufunc_none);
    expect_no_error();
}

static void definitions_that_are_not_sound_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_ufunc_new("add", .n_in = 2, .expression = larger_expression), kn_ufunc_none);
    expect_error("ValueError", "ufunc_new: add is a ufunc of NumPy's");
    assert_int_equal(kn_ufunc_new("test_bad", .n_in = 2), kn_ufunc_none);
    expect_error("TypeError", "ufunc_new: a ufunc needs exactly one of .loops, .expression and .compute");
    assert_int_equal(kn_ufunc_new("test_bad", .n_in = 2, .loops = KN_LOOPS(KN_LOOP("d->d", split))), kn_ufunc_none);
    expect_error("ValueError", "ufunc_new: a type-string for test_bad, 2 typecode(s) before and 1 after the -> sign");
    assert_int_equal(kn_ufunc_new("test_bad", .n_in = 2, .compute = product_core, .signature = "(n),(n->()"),
                     kn_ufunc_none);
    expect_error("ValueError", "ufunc_new: expect ',' or ')' at position 6 in \"(n),(n->()\"");
    assert_int_equal(kn_ufunc_new("test bad", .n_in = 1, .loops = KN_LOOPS(KN_LOOP("d->d", split))), kn_ufunc_none);
    expect_error_with("ValueError", "test bad");
    assert_int_equal(kn_ufunc_new("test_bad", .n_in = 1, .loops = KN_LOOPS(KN_LOOP("d->d", split)), .linear_in = 1),
                     kn_ufunc_none);
    expect_error("TypeError", "ufunc_new: .run that is linear needs .transpose");
}

static int failing(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c, (void)x, (void)y;
    return kn_primitive_error(KN_ERROR_VALUE, "wants %d things", 3);
}

static void an_expression_can_refuse(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_ufunc f = kn_ufunc_new("test_failing", .n_in = 1, .expression = failing);
    assert_false(kn_ok(kn_ufunc_call(f, KN_OPERANDS(1.5))));
    expect_error("ValueError", "test_failing: wants 3 things");
}

KN_TEST_GROUP(test_own_ufuncs)
{
    const struct CMUnitTest tests[] = {
        TEST(a_c_function_of_scalars_goes_element_by_element),
        TEST(the_first_loop_that_takes_the_operands_is_used),
        TEST(options_and_methods_are_those_of_any_ufunc),
        TEST(derivatives_are_the_rules),
        TEST(several_results_go_where_they_are_wanted),
        TEST(an_expression_is_what_it_says_and_fuses),
        TEST(types_choose_what_an_expression_works_on),
        TEST(core_functions_are_mapped_over_the_other_axes),
        TEST(core_strips_get_core_dimensions_and_steps),
        TEST(transformations_see_through_core_functions),
        TEST(the_same_definition_is_the_same_ufunc),
        TEST(definitions_that_are_not_sound_are_refused),
        TEST(an_expression_can_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
