/* SPDX-License-Identifier: Apache-2.0
 * test_ir_dims.c -- dimension expressions in texts of jaxprs: in types and in parameters, there and back. */
#include "base/dim.h"
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LIST(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define TYPE(D, ...) kni_type_of(KN_DT(D), LIST(__VA_ARGS__))

static int64_t live, b, t;
static int setup(void **state)
{
    (void)state;
    live = knx_alloc_live();
    return knx_dim_named("b", 1, &b) && knx_dim_named("t", 1, &t) ? 0 : -1;
}
static int teardown(void **state)
{
    (void)state;
    knx_dims_free();
    return knx_alloc_live() == live ? 0 : -1;
}

static kni_jaxpr *finish(kni_builder *builder, kni_atom out)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knb_finish(builder, 1, &out, "", false, &j);
    if (e)
        fail_msg("%s", e->message);
    e = kni_check(j);
    if (e)
        fail_msg("%s", e->message);
    return j;
}

static void expect_text(const kni_jaxpr *j, kni_jaxpr_form form, const char *want)
{
    char *text;
    assert_null(kni_text(j, form, &text));
    assert_string_equal(text, want);
    knx_free(text);
}

static void expect_full_round_trip(const kni_jaxpr *j)
{
    char *text;
    kni_jaxpr *k;
    assert_null(kni_text(j, KN_FORM_FULL, &text));
    knx_error *e = kni_parse(text, &k);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    assert_true(kni_equal(j, k));
    kni_release(k);
    knx_free(text);
}

static void expect_classic_round_trip(const kni_jaxpr *j)
{
    char *text;
    kni_jaxpr *k;
    assert_null(kni_text(j, KN_FORM_CLASSIC, &text));
    knx_error *e = kni_parse_classic(text, 0, NULL, (int)j->n_in, j->type, &k);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    assert_true(kni_equal(j, k));
    kni_release(k);
    knx_free(text);
}

static void expect_both_ways(kni_jaxpr *j)
{
    expect_full_round_trip(j);
    expect_classic_round_trip(j);
    kni_release(j);
}

static kni_jaxpr *value(int64_t d)
{
    kni_builder own;
    knb_init(&own);
    kni_jaxpr *j = finish(&own, knb_dim_as_value(&own, d));
    knb_free(&own);
    return j;
}

static void a_dimension_as_a_value_shows_the_dimension(void **state)
{
    (void)state;
    kni_jaxpr *j = value(2 * 7);
    expect_text(j, KN_FORM_TYPED, "{ lambda ; . let a:i64[] = dim_as_value[dim=14]  in (a,) }");
    kni_release(j);
    j = value(b);
    expect_text(j, KN_FORM_TYPED, "{ lambda ; . let a:i64[] = dim_as_value[dim=b]  in (a,) }");
    expect_text(j, KN_FORM_FULL, "{ lambda ; . let a:i64[] = dim_as_value[dim=b] in (a,) }");
    kni_release(j);
}

static void a_single_parameter_comes_back(void **state)
{
    (void)state;
    expect_both_ways(value(b));
    expect_both_ways(value(knx_dim_mul(b, 2) + 3));
    expect_both_ways(value(knx_dim_sub(3, b)));
    expect_both_ways(value(knx_dim_sub(0, b)));
    expect_both_ways(value(knx_dim_floordiv(knx_dim_add(b, t), 2) - 1));
    expect_both_ways(value(knx_dim_max(knx_dim_mod(t, 8), knx_dim_mul(b, knx_dim_mul(b, t)))));
    expect_both_ways(value(-5));
}

static void shapes_in_types_and_parameters_come_back(void **state)
{
    (void)state;
    kni_builder own;
    knb_init(&own);
    kni_atom x = knb_invar(&own, TYPE(F32, b, knx_dim_mul(2, b) + 3, knx_dim_floordiv(t, 2)));
    int64_t size = knx_dim_mul(b, knx_dim_mul(2, b) + 3);
    kni_atom y = knb_reshape(&own, x, LIST(size, knx_dim_floordiv(t, 2)));
    kni_jaxpr *j = finish(&own, y);
    expect_text(j, KN_FORM_TYPED,
                "{ lambda ; a:f32[b,2*b + 3,floordiv(t, 2)]. let\n"
                "    b:f32[2*b^2 + 3*b,floordiv(t, 2)] = reshape[\n"
                "      dimensions=None\n"
                "      new_sizes=(2*b^2 + 3*b, floordiv(t, 2))\n"
                "      sharding=None\n"
                "    ] a\n"
                "  in (b,) }");
    expect_both_ways(j);
    knb_free(&own);
}

static void pairs_of_amounts_come_back(void **state)
{
    (void)state;
    kni_builder own;
    knb_init(&own);
    kni_atom x = knb_invar(&own, TYPE(F32, b));
    kni_jaxpr *j = finish(&own, knb_pad(&own, x, knb_number(&own, KN_DT(F32), 0), (int64_t[]){t},
                                        (int64_t[]){knx_dim_mul(2, b) - 1}, NULL));
    expect_both_ways(j);
    knb_free(&own);
}

static void expect_refused(const char *text, const char *want)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse(text, &j);
    assert_non_null(e);
    assert_string_equal(e->message, want);
    knx_error_release(e);
}

static void what_is_no_dimension_is_refused_with_its_place(void **state)
{
    (void)state;
    expect_refused("{ lambda ; a:f32[b +]. let  in (a,) }",
                   "line 1, column 18: a dimension has something else where a number, a name or ( is expected");
    expect_refused("{ lambda ; a:f32[floordiv(b)]. let  in (a,) }",
                   "line 1, column 18: a dimension has something else where a comma is expected");
    expect_refused("{ lambda ; a:f32[/]. let  in (a,) }", "line 1, column 18: expected an integer of 64 bits");
    expect_refused("{ lambda ; a:f32[2305843009213693952]. let  in (a,) }",
                   "line 1, column 37: a number as large as no extent");
}

KN_TEST_GROUP(test_ir_dims)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_dimension_as_a_value_shows_the_dimension),     TEST(a_single_parameter_comes_back),
        TEST(shapes_in_types_and_parameters_come_back),       TEST(pairs_of_amounts_come_back),
        TEST(what_is_no_dimension_is_refused_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
