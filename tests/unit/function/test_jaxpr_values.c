/* SPDX-License-Identifier: Apache-2.0
 * test_jaxpr_values.c -- jaxprs as public values: read in the classic form, walked, interpreted, drawn. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array w, x;
} Pair;

static kn_array model(const Pair *p) { return kn_sum(kn_mul(kn_sin(p->w), p->x), KN_AXIS(0)); }
KN_FUNCTION(model, kn_array, Pair)

static kn_array twice(const kn_array *x)
{
    kn_array y;
    kn_call(kn_jit(KN_FN(model)), &y, (&(Pair){*x, *x}));
    return kn_add(y, 2.0);
}
KN_FUNCTION(twice, kn_array, kn_array)

static kn_jaxpr model_jaxpr(void)
{
    Pair example = {kn_zeros(KN_SHAPE(3), .dtype = KN_F32), kn_zeros(KN_SHAPE(3), .dtype = KN_F32)};
    return kn_make_jaxpr(KN_FN(model), KN_ARGS(&example));
}

static void the_classic_form_reads_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jaxpr j = model_jaxpr();
    kn_array x = kn_zeros(KN_SHAPE(3), .dtype = KN_F32);
    kn_jaxpr again = kn_jaxpr_parse_classic(kn_jaxpr_text(j, KN_JAXPR_CLASSIC), KN_LIST(x, x));
    assert_true(kn_jaxpr_equal(j, again));
}

static void constants_of_the_classic_form_have_the_values_of_the_examples(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_of(double, 1, 2), x = kn_of(double, 10, 20), y = NULL;
    kn_jaxpr j = kn_jaxpr_parse_classic("{ lambda c ; a.\n  let b = add a c\n  in b }", KN_LIST(c, x));
    assert_int_equal(kn_jaxpr_count(j).constvars, 1);
    assert_int_equal(kn_call(kn_fn_from_jaxpr(j), &y, &x), 0);
    assert_true(kn_array_equal(y, kn_of(double, 11, 22)));
}

static void errors_of_the_classic_form(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1);
    assert_null(kn_jaxpr_parse_classic("{ lambda ; a b.\n  let\n  in a }", KN_LIST(x)));
    expect_error("ValueError", "jaxpr_parse_classic: line 1, column 11: 2 inputs, but types of 1 are given");
    assert_null(kn_jaxpr_parse_classic(NULL, KN_LIST(x)));
    expect_error("TypeError", "jaxpr_parse_classic: null text");
}

/* An interpreter: every equation again, by hand. */
static kn_array interpret(kn_jaxpr j, kn_array w, kn_array x)
{
    kn_array value[64] = {w, x};
    for (int i = 0; i < kn_jaxpr_equation_count(j); i++) {
        kn_equation e = {0};
        kn_array in[8];
        assert_int_equal(kn_jaxpr_equation(j, i, &e), 0);
        for (int k = 0; k < e.n_in; k++)
            in[k] = e.in[k] & KN_JAXPR_LITERAL ? kn_jaxpr_constant(j, e.in[k]) : value[e.in[k]];
        assert_int_equal(kn_jaxpr_bind(j, i, in, &value[e.first_out]), 0);
    }
    return value[kn_jaxpr_outvar(j, 0)];
}

static void an_interpreter_gives_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_of(float, 1, 2, 3), kn_of(float, 4, 5, 6)};
    assert_true(kn_array_equal(interpret(model_jaxpr(), p.w, p.x), model(&p)));
}

static void parameters_and_jaxprs_of_an_equation(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jaxpr j = model_jaxpr();
    assert_string_equal(kn_jaxpr_params(j, 2), "axes=(0,) out_sharding=None");
    assert_int_equal(kn_jaxpr_sub_count(j, 2), 0);
    kn_array x = kn_of(float, 1, 2);
    kn_jaxpr outer = kn_make_jaxpr(KN_FN(twice), KN_ARGS(&x));
    assert_string_equal(kn_jaxpr_params(outer, 0), "name=model jaxpr=model");
    assert_int_equal(kn_jaxpr_sub_count(outer, 0), 1);
    assert_int_equal(kn_jaxpr_equation_count(kn_jaxpr_sub(outer, 0, 0)), 3);
    assert_null(kn_jaxpr_sub(outer, 0, 1));
    expect_error("IndexError", "jaxpr_sub: index 1 is out of bounds for 1 jaxprs of the equation");
    assert_string_equal(kn_jaxpr_params(outer, 9), "");
    expect_error("IndexError", "jaxpr_params: index 9 is out of bounds for 2 equations");
}

static void a_literal_as_an_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    kn_jaxpr outer = kn_make_jaxpr(KN_FN(twice), KN_ARGS(&x));
    kn_equation e;
    kn_jaxpr_equation(outer, 1, &e);
    assert_true(kn_item(kn_jaxpr_constant(outer, e.in[1])) == 2.0);
    assert_false(kn_ok(kn_jaxpr_constant(outer, 0)));
    expect_error("IndexError", "jaxpr_constant: the jaxpr has no constant or literal 0");
}

static kn_array beside_an_inverse(const kn_array *x)
{
    kn_linalg_inv(*x);
    return kn_add(*x, 1.0);
}
KN_FUNCTION(beside_an_inverse, kn_array, kn_array)

/* Found by the programs fuzzer: only jitted it was an error. */
static void what_can_fail_runs_although_nobody_reads_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 2)), y = NULL;
    kn_fn f = kn_fn_from_jaxpr(kn_make_jaxpr(KN_FN(beside_an_inverse), KN_ARGS(&x)));
    for (int lazy = 0; lazy < 2; lazy++) {
        bool before = kn_set_lazy(lazy);
        kn_call(f, &y, &x);
        expect_error("LinAlgError", "inv: Singular matrix");
        kn_set_lazy(before);
    }
}

/* Found by the programs fuzzer: arrays are never weak, so calls inside were refused. */
static void arrays_take_the_place_of_numbers_in_calls(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    kn_fn f = kn_fn_from_jaxpr(
        kn_jaxpr_parse("{ lambda \"f\" ; a:f64[2]*. let"
                       "    b:f64[2]* = jit[name=\"g\" jaxpr={ lambda ; c:f64[2]*. let d:f64[2]* = add c c in (d,) }] a"
                       "  in (b,) }"));
    for (int lazy = 0; lazy < 2; lazy++) {
        bool before = kn_set_lazy(lazy);
        assert_int_equal(kn_call(f, &y, &x), 0);
        assert_true(kn_array_equal(y, kn_of(double, 2, 4)));
        kn_set_lazy(before);
    }
}

static void the_drawing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    const char *text = kn_jaxpr_graphviz(kn_make_jaxpr(KN_FN(twice), KN_ARGS(&x)));
    assert_memory_equal(text, "digraph \"twice\" {\n", 17);
    assert_non_null(strstr(text, "j0_v0 [shape=ellipse, style=solid, label=\"f32[2]\"];\n"));
    assert_non_null(strstr(text, "j0_v0 -> j0_e0 [label=\"f32[2]\"];\n"));
    assert_non_null(strstr(text, "subgraph cluster_1 { label=\"jaxpr\";\n"));
    assert_non_null(strstr(text, "[shape=plaintext, label=\"2.0:f32[]\"]"));
    assert_non_null(strstr(text, "j0_o0 [shape=doublecircle, label=\"0\"];\nj0_e1 -> j0_o0 [label=\"f32[]\"];\n"));
}

KN_TEST_GROUP(test_jaxpr_values)
{
    const struct CMUnitTest tests[] = {
        TEST(the_classic_form_reads_back),
        TEST(constants_of_the_classic_form_have_the_values_of_the_examples),
        TEST(errors_of_the_classic_form),
        TEST(an_interpreter_gives_the_same),
        TEST(parameters_and_jaxprs_of_an_equation),
        TEST(a_literal_as_an_array),
        TEST(what_can_fail_runs_although_nobody_reads_it),
        TEST(arrays_take_the_place_of_numbers_in_calls),
        TEST(the_drawing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
