/* SPDX-License-Identifier: Apache-2.0
 * test_primitives_errors.c -- primitives of the user's own: definitions that are not sound, functions that fail, and
 * memory that is not there. */
#include "support/expect.h"
#include "base/memory.h"
#include "support/group.h"
#include "support/primitives.h"
#include <pthread.h>
#include <stdio.h>

static kn_array points(void) { return kn_of(double, -3, -0.5, 0, 0.25, 2); }

static int same(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = x[0];
    return 0;
}
static int same_shape(const kn_primitive_call *c, kn_aval *out)
{
    out[0] = c->in[0];
    return 0;
}

/* ---- Definitions. */

static void a_definition_has_one_computation(void **state)
{
    (void)state;
    assert_null(kn_primitive_new("none", .n_in = 1));
    expect_error("TypeError", "primitive_new: a primitive needs exactly one of .expression, .compute and .run");
    assert_null(kn_primitive_new("both", .n_in = 1, .expression = same, .compute = same));
    expect_error("TypeError", "primitive_new: a primitive needs exactly one of .expression, .compute and .run");
    assert_null(kn_primitive_new("empty"));
    expect_error("TypeError", "primitive_new: null definition");
}

static void what_belongs_together_is_asked_for(void **state)
{
    (void)state;
    assert_null(kn_primitive_new("p", .n_in = 1, .expression = same, .shape = same_shape));
    expect_error("TypeError", "primitive_new: an expression is elementwise: it takes no .shape");
    assert_null(kn_primitive_new("p", .n_in = 1, .run = blur_run));
    expect_error("TypeError", "primitive_new: .run needs .shape, the types of its results");
    assert_null(kn_primitive_new("p", .n_in = 1, .run = blur_run, .shape = same_shape, .linear_in = 1));
    expect_error("TypeError", "primitive_new: .run that is linear needs .transpose");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .transpose = blur_transpose));
    expect_error("TypeError",
                 "primitive_new: .transpose needs .linear_in or .multilinear_in: the operands that it is for");
    assert_null(kn_primitive_new("p", .n_in = 2, .compute = same, .linear_in = 1, .multilinear_in = 2));
    expect_error("TypeError", "primitive_new: a primitive takes .linear_in or .multilinear_in, not both");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .linear_in = 2));
    expect_error("ValueError", "primitive_new: linear in more than 1 operands");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .effect = true));
    expect_error("TypeError", "primitive_new: .effect is for .run; what others are made of says its effects itself");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .vmap_method = "sideways"));
    expect_error("ValueError", "primitive_new: vmap_method must be 'sequential', 'sequential_unrolled', 'expand_dims' "
                               "or 'broadcast_all', not 'sideways'");
    assert_null(kn_primitive_new("p", .n_in = -2, .compute = same));
    expect_error("ValueError", "primitive_new: a primitive has up to 64 operands or any number (-1), not -2");
    assert_null(kn_primitive_new("p", .n_in = 1, .n_out = 1000, .compute = same));
    expect_error("ValueError", "primitive_new: a primitive has up to 64 results, not 1000");
}

static void names_are_names_and_not_taken(void **state)
{
    (void)state;
    assert_null(kn_primitive_new("two words", .n_in = 1, .compute = same));
    expect_error("ValueError", "primitive_new: 'two words' is no name for a primitive");
    assert_null(kn_primitive_new("in", .n_in = 1, .compute = same));
    expect_error("ValueError", "primitive_new: 'in' is no name for a primitive");
    assert_null(kn_primitive_new("", .n_in = 1, .compute = same));
    expect_error("ValueError", "primitive_new: '' is no name for a primitive");
    assert_null(kn_primitive_new(NULL, .n_in = 1, .compute = same));
    expect_error("TypeError", "primitive_new: null name of a primitive");
    assert_null(kn_primitive_new("sin", .n_in = 1, .compute = same));
    expect_error("ValueError", "primitive_new: sin is a primitive of Kiln's own");
    assert_null(kn_primitive_new("xla_call", .n_in = 1, .compute = same)); /* as the classic form calls jit */
    expect_error("ValueError", "primitive_new: xla_call is a primitive of Kiln's own");
}

static void one_name_is_one_definition(void **state)
{
    (void)state;
    kn_primitive p = soft_clip();
    assert_non_null(p);
    assert_ptr_equal(soft_clip(), p);
    assert_null(kn_primitive_new("soft_clip", .n_in = 1, .expression = soft_clip_expression));
    expect_error("ValueError", "primitive_new: there is a primitive soft_clip already, with another definition");
}

typedef struct {
    int64_t n, rest;
    bool flag;
} holes;
static void each_member_is_a_parameter(void **state)
{
    (void)state;
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same,
                                 .params = KN_PARAMS(holes, KN_PARAM(holes, n), KN_PARAM(holes, flag))));
    expect_error("ValueError", "primitive_new: 8 bytes of the struct in front of parameter flag are no parameter");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .params = KN_PARAMS(holes, KN_PARAM(holes, n))));
    expect_error("ValueError", "primitive_new: 16 bytes at the end of the struct are no parameter");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same,
                                 .params = KN_PARAMS(holes, KN_PARAM(holes, n), KN_PARAM(holes, n))));
    expect_error("ValueError", "primitive_new: there are two parameters n");
    assert_null(
        kn_primitive_new("p", .n_in = 1, .compute = same, .params = {8, 1, (kn_param[]){{"n", KN_PARAM_INT, 4}}}));
    expect_error("ValueError", "primitive_new: parameter n does not lie in a struct of 8 bytes with the others");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .params = {8, 1, (kn_param[]){{"n", 77, 0}}}));
    expect_error("ValueError", "primitive_new: parameter n is of kind 77, which is none");
    assert_null(kn_primitive_new("p", .n_in = 1, .compute = same, .defaults = &(holes){0}));
    expect_error("TypeError", "primitive_new: .defaults without .params");
}

/* ---- Calls. */

static void calls_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_bind(soft_clip(), KN_LIST(points(), points()));
    expect_error("TypeError", "soft_clip: takes 1 operand, not 2");
    kn_bind(parts(), KN_LIST(points(), points()));
    expect_error("TypeError", "parts: has 2 results: kn_bind_all gives them");
    kn_bind(NULL, KN_LIST(points()));
    expect_error("TypeError", "bind: null primitive");
    kn_bind((kn_primitive)(uintptr_t)&points, KN_LIST(points()));
    expect_error("TypeError", "bind: this is no primitive of kn_primitive_new");
    assert_null(kn_primitive_name(NULL));
    expect_error("TypeError", "primitive_name: null primitive");
}

typedef struct {
    const char *text;
    kn_int_list list;
} text_params;
static void parameters_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p =
        kn_primitive_new("with_text", .n_in = 1, .compute = same,
                         .params = KN_PARAMS(text_params, KN_PARAM(text_params, text), KN_PARAM(text_params, list)));
    kn_bind(p, KN_LIST(points()));
    expect_error("TypeError", "with_text: the parameters are missing, and there are no defaults");
    kn_bind(p, KN_LIST(points()), &(text_params){NULL, {0, NULL}});
    expect_error("TypeError", "with_text: parameter text is null");
    kn_bind(p, KN_LIST(points()), &(text_params){"a", {3, NULL}});
    expect_error("TypeError", "with_text: parameter list is null");
    kn_bind(p, KN_LIST(points()), &(text_params){"a", {-3, NULL}});
    expect_error("ValueError", "with_text: parameter list has -3 elements");
}

static void the_shape_rule_speaks_for_the_call(void **state)
{
    (void)state;
    KN_SCOPE;
    int line = __LINE__ + 1;
    kn_array y = kn_bind(blur(), KN_LIST(kn_scalar(1.0)));
    assert_false(kn_ok(y));
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_primitives_errors.c"));
    expect_error("ValueError", "blur: a number has no neighbours");
    kn_bind(blur(), KN_LIST(kn_of(float, 1, 2)));
    expect_error("TypeError", "blur: takes float64, not float32");
}

static int bad_shape(const kn_primitive_call *c, kn_aval *out)
{
    int64_t kind = c->in[0].shape.dim[0];
    out[0] = c->in[0];
    if (kind == 1)
        out[0].dtype = NULL;
    if (kind == 2)
        out[0].shape.ndim = 65;
    if (kind == 3)
        out[0].shape.dim[0] = -1;
    return kind == 4 ? 17 : 0;
}
static void shape_rules_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = kn_primitive_new("bad_shape", .n_in = 1, .run = blur_run, .shape = bad_shape);
    kn_bind(p, KN_LIST(kn_zeros(KN_SHAPE(1))));
    expect_error("TypeError", "bad_shape: the shape rule gives result 0 no dtype");
    kn_bind(p, KN_LIST(kn_zeros(KN_SHAPE(2))));
    expect_error("ValueError", "bad_shape: the shape rule gives result 0 65 dimensions");
    kn_bind(p, KN_LIST(kn_zeros(KN_SHAPE(3))));
    expect_error("ValueError", "bad_shape: the shape rule gives result 0 the extent -1");
    kn_bind(p, KN_LIST(kn_zeros(KN_SHAPE(4))));
    expect_error("RuntimeError", "bad_shape: the shape function of the primitive returned 17");
}

static int lying_shape(const kn_primitive_call *c, kn_aval *out)
{
    out[0] = c->in[0];
    out[0].shape.dim[0]++;
    return 0;
}
static void results_are_what_the_shape_rule_says(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = kn_primitive_new("lying", .n_in = 1, .compute = same, .shape = lying_shape);
    kn_bind(p, KN_LIST(points()));
    expect_error("TypeError", "lying: the compute function gives result 0 of type float64[5], not float64[6]");
}

static int sums_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_sub(x[0], kn_sum(x[0]));
    return 0;
}
static void an_expression_goes_element_by_element(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_bind(kn_primitive_new("sums", .n_in = 1, .expression = sums_expression), KN_LIST(points()));
    expect_error("TypeError", "sums: the expression uses reduce_sum, which does not go element by element; say it with "
                              ".compute");
    kn_bind(kn_primitive_new("sums2", .n_in = 2, .expression = sums_expression),
            KN_LIST(points(), kn_of(double, 1, 2)));
    expect_error("ValueError", "sums2: operands could not be broadcast together with shapes (5,) (2,)");
}

static kn_array outer_array;
static int captures(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_add(x[0], outer_array);
    return 0;
}
static kn_array calls_captures(const kn_array *x)
{
    outer_array = *x;
    return kn_bind(kn_primitive_named("captures"), KN_LIST(*x));
}
KN_FUNCTION(calls_captures, kn_array, kn_array)
static void arrays_from_outside_are_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), y;
    kn_primitive p = kn_primitive_new("captures", .n_in = 1, .compute = captures);
    outer_array = kn_scalar(1.0);
    expect_values(kn_bind(p, KN_LIST(kn_scalar(2.0))), 3);
    kn_call(kn_jit(KN_FN(calls_captures)), &y, &x);
    expect_error("LeakedTracerError",
                 "captures: the rule captures uses a traced array that is not among its arguments; "
                 "make it an operand");
}

static int leaves_empty(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c, (void)x, (void)y;
    return 0;
}
static int fails_inside(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_reshape(x[0], KN_SHAPE(2, 2));
    return 0;
}
static int looks(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_item(x[0]) > 0 ? x[0] : kn_negative(x[0]);
    return 0;
}
static int calls_itself(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    y[0] = kn_bind(c->primitive, KN_LIST(x[0]));
    return 0;
}
static void what_goes_wrong_inside_is_the_calls_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_bind(kn_primitive_new("leaves_empty", .n_in = 1, .compute = leaves_empty), KN_LIST(points()));
    expect_error("TypeError", "leaves_empty: leaves_empty left array 0 of its result empty (null)");
    kn_bind(kn_primitive_new("fails_inside", .n_in = 1, .compute = fails_inside), KN_LIST(points()));
    expect_error_with("ValueError", "cannot reshape array of size 5");
    kn_bind(kn_primitive_new("looks", .n_in = 1, .compute = looks), KN_LIST(kn_scalar(2.0)));
    expect_error_with("ConcretizationError", "is not known while looks is traced by compute");
    kn_bind(kn_primitive_new("calls_itself", .n_in = 1, .compute = calls_itself), KN_LIST(points()));
    expect_error_with("ValueError", "functions are called inside each other more than 200 deep");
}

static void errors_of_c_code_are_the_programs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_list y = kn_bind_all(parts(), KN_LIST(kn_of(int64_t, 1, 2), kn_of(int64_t, 1, 0)));
    kn_eval(kn_list_get(y, 0));
    expect_error("ZeroDivisionError", "parts: element 1 of the divisor is 0");
}

static void an_error_is_said_in_functions_of_primitives_only(void **state)
{
    (void)state;
    assert_int_equal(kn_primitive_error(KN_ERROR_VALUE, "nothing runs"), -1);
    expect_error("ContextError", "primitive_error: no function of a primitive is running");
}

/* ---- Derivatives and batching. */

enum { BIND_LINE = __LINE__ + 1 };
static kn_array bound(const kn_array *x) { return kn_sum(kn_bind(kn_primitive_named("now"), KN_LIST(*x))); }
KN_FUNCTION(bound, kn_array, kn_array)
static kn_array bound_too(const kn_array *x) { return kn_sum(kn_bind(kn_primitive_named("curved"), KN_LIST(*x))); }
KN_FUNCTION(bound_too, kn_array, kn_array)
static kn_array bound_three(const kn_array *x) { return kn_sum(kn_bind(kn_primitive_named("misshapen"), KN_LIST(*x))); }
KN_FUNCTION(bound_three, kn_array, kn_array)
static kn_array bound_four(const kn_array *x) { return kn_bind(kn_primitive_named("astray"), KN_LIST(*x)); }
KN_FUNCTION(bound_four, kn_array, kn_array)

static int curved_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    (void)c, (void)x, (void)y, (void)i;
    ty[0] = kn_sin(t);
    return 0;
}
static int misshapen_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t,
                         kn_array *ty)
{
    (void)c, (void)x, (void)y, (void)i;
    ty[0] = kn_sum(t);
    return 0;
}
static void derivatives_that_are_not_there_or_not_right(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), g;
    kn_primitive_new("now", .n_in = 1, .compute = same);
    kn_call(kn_grad(KN_FN(bound)), &g, &x);
    assert_int_equal(kn_error_line(), BIND_LINE);
    expect_error_with("TypeError", "now has no derivative by operand 0: kn_primitive_new was given no .jvp");
    kn_primitive_new("curved", .n_in = 1, .compute = same, .jvp = curved_jvp);
    kn_call(kn_grad(KN_FN(bound_too)), &g, &x);
    expect_error_with("TypeError", "the jvp function must be linear in the tangent, but it uses sin of it");
    kn_primitive_new("misshapen", .n_in = 1, .compute = same, .jvp = misshapen_jvp);
    kn_call(kn_grad(KN_FN(bound_three)), &g, &x);
    expect_error_with("TypeError", "the jvp function gives tangent 0 of type float64[], not float64[5]");
}

static int astray_batch(const kn_primitive_call *c, int64_t size, const int *axis, const kn_array *x, kn_array *y,
                        int *out_axis)
{
    (void)c, (void)axis;
    y[0] = x[0];
    out_axis[0] = size == 5 ? 7 : -1;
    return 0;
}
static void batch_rules_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), y;
    kn_primitive_new("astray", .n_in = 1, .compute = same, .batch = astray_batch);
    kn_call(kn_vmap(KN_FN(bound_four)), &y, &x);
    expect_error_with("ValueError", "the batch function puts the axis of result 0 at 7, of 1");
    x = kn_zeros(KN_SHAPE(3));
    kn_call(kn_vmap(KN_FN(bound_four)), &y, &x);
    expect_error_with("TypeError", "the batch function gives result 0 of type float64[3], not float64[]");
}

/* ---- Texts of primitives that are not there. */
static void a_text_needs_the_primitive(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jaxpr_parse("{ lambda ; a:f64[]. let b:f64[] = never_made a in (b) }");
    expect_error_with("ValueError", "there is no primitive never_made");
    soft_clip();
    kn_jaxpr_parse("{ lambda ; a:f64[]. let b:f64[] = soft_clip a in (b) }");
    expect_error_with("ValueError", "parameter limit of soft_clip is missing");
    kn_jaxpr_parse("{ lambda ; a:f64[]. let b:f64[] = soft_clip[limit=1 body=2] a in (b) }");
    expect_error_with("ValueError", "soft_clip has no such parameter");
}

/* ---- Threads. */
static void *make_and_use(void *result)
{
    {
        KN_SCOPE;
        kn_primitive p = soft_clip();
        *(double *)result = kn_item(kn_bind(p, KN_LIST(0.0), &(soft_clip_params){3}));
    }
    kn_shutdown();
    return NULL;
}
static void threads_make_the_same_one(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t t[THREADS];
    double results[THREADS];
    for (int i = 0; i < THREADS; i++) {
        results[i] = 1;
        assert_int_equal(pthread_create(&t[i], NULL, make_and_use, &results[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        assert_true(results[i] == 0);
    }
}

/* ---- Memory. */
static kn_array both(const kn_array *x)
{
    kn_array y = kn_bind(soft_clip(), KN_LIST(kn_bind(blur_rows(), KN_LIST(*x))), &(soft_clip_params){2});
    return kn_sum(kn_square(y));
}
KN_FUNCTION(both, kn_array, kn_array)
static double program(bool *failed)
{
    double sum;
    {
        KN_SCOPE;
        kn_array g = NULL, m = kn_reshape(kn_linspace(0, 1, 6), KN_SHAPE(2, 3));
        kn_call(kn_vmap(kn_grad(KN_FN(both))), &g, &m);
        sum = kn_item(kn_sum(g));
    }
    *failed = kn_error_pending();
    if (*failed)
        assert_string_equal(kn_error_kind_name(), "MemoryError");
    kn_error_clear();
    kn_shutdown();
    return sum;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    bool failed;
    double right = program(&failed);
    assert_false(failed);
    program(&failed);
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    program(&failed);
    int64_t n = knx_alloc_count() - start, failures = 0;
    for (int64_t k = 0; k < n; k++) {
        knx_buffer_trim();
        knx_fail_after(k, k % 2);
        double v = program(&failed);
        knx_fail_after(-1, false);
        kn_error_clear();
        kn_shutdown();
        failures += failed;
        if (!failed && v != right)
            fail_msg("allocation %lld of %lld: %.17g, not %.17g", (long long)k, (long long)n, v, right);
        if (knx_alloc_live() != live)
            fail_msg("allocation %lld of %lld: %lld blocks are alive, %lld were", (long long)k, (long long)n,
                     (long long)knx_alloc_live(), (long long)live);
    }
    assert_true(failures > 0);
}

KN_TEST_GROUP(test_primitives_errors)
{
    const struct CMUnitTest tests[] = {
        TEST(a_definition_has_one_computation),
        TEST(what_belongs_together_is_asked_for),
        TEST(names_are_names_and_not_taken),
        TEST(one_name_is_one_definition),
        TEST(each_member_is_a_parameter),
        TEST(calls_are_checked),
        TEST(parameters_are_checked),
        TEST(the_shape_rule_speaks_for_the_call),
        TEST(shape_rules_are_checked),
        TEST(results_are_what_the_shape_rule_says),
        TEST(an_expression_goes_element_by_element),
        TEST(arrays_from_outside_are_operands),
        TEST(what_goes_wrong_inside_is_the_calls_error),
        TEST(errors_of_c_code_are_the_programs),
        TEST(an_error_is_said_in_functions_of_primitives_only),
        TEST(derivatives_that_are_not_there_or_not_right),
        TEST(batch_rules_are_checked),
        TEST(a_text_needs_the_primitive),
        TEST(threads_make_the_same_one),
        TEST(each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("primitives' errors", tests, NULL, NULL);
}
