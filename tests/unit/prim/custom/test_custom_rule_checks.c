/* SPDX-License-Identifier: Apache-2.0
 * test_custom_rule_checks.c -- what rules of custom_jvp and custom_vjp may use and give, what is wrong with them, and what is not
 * asked of them. */
#include "support/expect.h"
#include "support/golden_text.h"
#include "support/group.h"

typedef struct {
    kn_array y, dy;
} Dual;
typedef struct {
    kn_array a, b;
} Pair;

static kn_array sum_of(kn_array x) { return kn_sum(x); }

/* ---- What rules meet outside. */

static kn_array plain(const kn_array *x) { return *x; }
KN_FUNCTION(plain, kn_array, kn_array)
static Dual weighted_jvp(const kn_array *x, const kn_array *dx)
{
    return (Dual){*x, kn_mul(*dx, kn_of(double, 1, 2, 3))};
}
KN_FUNCTION(weighted_jvp, Dual, kn_array, kn_array)
static Dual heavy_jvp(const kn_array *x, const kn_array *dx)
{
    double many[300];
    for (int i = 0; i < 300; i++)
        many[i] = i;
    return (Dual){*x, kn_mul(*dx, kn_sum(kn_from(many, KN_SHAPE(300))))};
}
KN_FUNCTION(heavy_jvp, Dual, kn_array, kn_array)
static kn_array weighted_sum(const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_custom_jvp(KN_FN(plain), KN_FN(weighted_jvp)), &out, x);
    return sum_of(out);
}
KN_FUNCTION(weighted_sum, kn_array, kn_array)

static void small_constants_of_a_rule_are_part_of_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 4, 5, 6), d;
    kn_call(kn_grad(KN_FN(weighted_sum)), &d, &x);
    expect_values(d, 1, 2, 3);
}

static void large_constants_must_be_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), d;
    kn_call(kn_grad(kn_custom_jvp(KN_FN(plain), KN_FN(heavy_jvp))), &d, &x);
    expect_error_with("ValueError", "the rule heavy_jvp uses an array float64[300] that is not among its arguments");
}

/* ---- Rules that are wrong. */

static Dual narrow_jvp(const kn_array *x, const kn_array *dx)
{
    return (Dual){kn_astype(*x, KN_F32), kn_astype(*dx, KN_F32)};
}
static Dual long_jvp(const kn_array *x, const kn_array *dx) { return (Dual){*x, kn_mul(*dx, kn_of(double, 1, 2, 3))}; }
typedef struct {
    kn_array value, slope;
} Named;
KN_FIELDS(Named, value, slope)
static Named named_jvp(const kn_array *x, const kn_array *dx)
{
    return (Named){*x, kn_mul(*dx, kn_of(double, 1, 2, 3))};
}
KN_FUNCTION(named_jvp, Named, kn_array, kn_array)
static Dual curved_jvp(const kn_array *x, const kn_array *dx) { return (Dual){*x, kn_sin(*dx)}; }
static Dual mixing_jvp(const kn_array *x, const kn_array *dx) { return (Dual){kn_add(*x, *dx), *dx}; }
static Pair kept(const kn_array *x) { return (Pair){*x, *x}; }
static kn_array long_bwd(const kn_array *r, const kn_array *ct) { return kn_mul(*ct, kn_add(*r, kn_of(double, 1, 2))); }
static kn_array narrow_bwd(const kn_array *r, const kn_array *ct) { return kn_astype(kn_mul(*r, *ct), KN_F32); }
static kn_array same_bwd(const kn_array *r, const kn_array *ct) { return kn_add(kn_mul(*r, 0), *ct); }
static Pair narrow_fwd(const kn_array *x) { return (Pair){kn_astype(*x, KN_F32), *x}; }
KN_FUNCTION(narrow_jvp, Dual, kn_array, kn_array)
KN_FUNCTION(long_jvp, Dual, kn_array, kn_array)
KN_FUNCTION(curved_jvp, Dual, kn_array, kn_array)
KN_FUNCTION(mixing_jvp, Dual, kn_array, kn_array)
KN_FUNCTION(kept, Pair, kn_array)
KN_FUNCTION(long_bwd, kn_array, kn_array, kn_array)
KN_FUNCTION(narrow_bwd, kn_array, kn_array, kn_array)
KN_FUNCTION(same_bwd, kn_array, kn_array, kn_array)
KN_FUNCTION(narrow_fwd, Pair, kn_array)

#define EXPECT_GRAD_ERROR(fn, kind, text)  \
    do {                                   \
        kn_array x_ = kn_scalar(1.0), d_;  \
        kn_call(kn_grad(fn), &d_, &x_);    \
        expect_error(kind, "grad: " text); \
    } while (0)

static void wrong_jvp_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    EXPECT_GRAD_ERROR(kn_custom_jvp(KN_FN(plain), KN_FN(narrow_jvp)), "TypeError",
                      "Custom JVP rule narrow_jvp for function plain must produce primal outputs with the same shapes "
                      "and dtypes as the function, but array 0 of them is float32[] while the function's is "
                      "float64[].");
    EXPECT_GRAD_ERROR(kn_custom_jvp(KN_FN(plain), KN_FN(long_jvp)), "TypeError",
                      "Custom JVP rule long_jvp for function plain must produce primal and tangent outputs with "
                      "corresponding shapes and dtypes. Expected float64[] (tangent type of float64[]) as array 1 of "
                      "the rule's result but got float64[3].");
    EXPECT_GRAD_ERROR(kn_custom_jvp(KN_FN(plain), KN_FN(named_jvp)), "TypeError",
                      "Custom JVP rule named_jvp for function plain must produce primal and tangent outputs with "
                      "corresponding shapes and dtypes. Expected float64[] (tangent type of float64[]) as .slope but "
                      "got float64[3].");
    EXPECT_GRAD_ERROR(kn_custom_jvp(KN_FN(plain), KN_FN(curved_jvp)), "TypeError",
                      "Custom JVP rule curved_jvp for function plain must be linear in the tangents, but it uses sin "
                      "of one of them.");
    EXPECT_GRAD_ERROR(kn_custom_jvp(KN_FN(plain), KN_FN(mixing_jvp)), "TypeError",
                      "Custom JVP rule mixing_jvp for function plain must produce primal outputs that do not depend "
                      "on the tangents.");
}

static void wrong_vjp_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    EXPECT_GRAD_ERROR(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(long_bwd)), "ValueError",
                      "Custom VJP bwd rule long_bwd for function plain must produce an output with the same type as "
                      "the args tuple of the primal function, but at output[0] the bwd rule produced an output of type "
                      "float64[2] corresponding to an input of type float64[], so the shapes do not match");
    EXPECT_GRAD_ERROR(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(narrow_bwd)), "ValueError",
                      "Custom VJP bwd rule narrow_bwd for function plain must produce an output with the same type as "
                      "the args tuple of the primal function, but at output[0] the bwd rule produced an output of type "
                      "float32[] corresponding to an input of type float64[], so the dtypes do not match");
    EXPECT_GRAD_ERROR(kn_custom_vjp(KN_FN(plain), KN_FN(narrow_fwd), KN_FN(same_bwd)), "TypeError",
                      "Custom VJP fwd rule narrow_fwd for function plain must produce primal outputs with the same "
                      "shapes and dtypes as the function, but array 0 of them is float32[] while the function's is "
                      "float64[].");
}

static void forward_mode_over_a_custom_vjp(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y, d;
    kn_fn fn = kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(same_bwd));
    kn_jvp(fn, KN_ARGS(&x), KN_ARGS(&x), &y, &d);
    expect_error("TypeError", "jvp: can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
    kn_call(kn_jacfwd(fn), &d, &x);
    expect_error_with("TypeError", "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
    kn_call(kn_jit(kn_jacfwd(kn_jit(fn))), &d, &x);
    expect_error_with("TypeError", "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
}

/* The carry of a loop of no rounds does not depend on what the loop captures. */
static kn_array scaled_by(const kn_array *by, const kn_array *i, const kn_array *c) { return (void)i, kn_mul(*c, *by); }
KN_CLOSURE(scaled_by, kn_array, kn_array, kn_array, kn_array)
static kn_array not_scaled(const kn_array *x)
{
    kn_array y, z;
    kn_call(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(same_bwd)), &y, x);
    kn_fori_loop(0, 0, KN_CLOSE(scaled_by, &y), &z, x);
    return z;
}
KN_FUNCTION(not_scaled, kn_array, kn_array)
static void loops_of_no_rounds_need_no_rule(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.5), y, d;
    kn_fn l = kn_linearize(KN_FN(not_scaled), KN_ARGS(&x), &y);
    kn_call(l, &d, &x);
    expect_values(y, 0.5);
    expect_values(d, 0.5);
    kn_call(kn_jit(l), &d, &x);
    expect_values(d, 0.5);
    kn_call(kn_grad(KN_FN(not_scaled)), &d, &x);
    expect_values(d, 1);
}

static kn_array f(const kn_array *x, const kn_array *y) { return kn_mul(kn_sin(*x), *y); }
static Dual f_jvp(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy)
{
    return (Dual){f(x, y), kn_add(kn_mul(*dx, *y), *dy)};
}
static Pair g_fwd(const kn_array *x, const kn_array *y) { return (Pair){f(x, y), *x}; }
KN_FUNCTION(f, kn_array, kn_array, kn_array)
KN_FUNCTION(f_jvp, Dual, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(g_fwd, Pair, kn_array, kn_array)

static void rules_must_take_and_give_the_right_number_of_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_custom_jvp(KN_FN(f), KN_FN(curved_jvp)));
    expect_error("TypeError",
                 "custom_jvp: Custom JVP rule curved_jvp for function f must take all arguments of f, then "
                 "all tangents: twice 2 arrays, but it takes 2");
    assert_null(kn_custom_jvp(KN_FN(plain), KN_FN(long_bwd)));
    expect_error("TypeError",
                 "custom_jvp: Custom JVP rule long_bwd for function plain must produce a pair representing "
                 "primal and tangent outputs: twice 1 arrays, but it produces 1");
    assert_null(kn_custom_vjp(KN_FN(plain), KN_FN(g_fwd), KN_FN(same_bwd)));
    expect_error("TypeError", "custom_vjp: Custom VJP fwd rule g_fwd for function plain must take the arguments of "
                              "plain: 1 arrays, but it takes 2");
    assert_null(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(plain)));
    expect_error("TypeError", "custom_vjp: Custom VJP bwd rule plain for function plain must take the residuals and "
                              "the cotangents of the results: 1 and 1 arrays, but it takes 1");
    assert_null(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(f_jvp)));
    expect_error_with("TypeError", "Custom VJP bwd rule f_jvp for function plain must take");
    assert_null(kn_custom_jvp(KN_FN(plain), NULL));
    expect_error_with("TypeError", "null");
}

/* ---- Calls that take values and tangents together. */

static Dual inner_rule(const kn_array *x, const kn_array *dx) { return (Dual){kn_sin(*x), kn_mul(kn_mul(*dx, *x), 5)}; }
KN_FUNCTION(inner_rule, Dual, kn_array, kn_array)
static Dual jitted_rule(const kn_array *x, const kn_array *dx)
{
    Dual out = {0};
    kn_call(kn_jit(KN_FN(inner_rule)), &out, x, dx);
    return out;
}
KN_FUNCTION(jitted_rule, Dual, kn_array, kn_array)
static kn_array sine(const kn_array *x) { return kn_sin(*x); }
KN_FUNCTION(sine, kn_array, kn_array)
static Dual linear_rule(const kn_array *x, const kn_array *dx)
{
    Dual out = {kn_sin(*x), NULL};
    kn_call(kn_checkpoint(KN_FN(plain)), &out.dy, dx);
    return out;
}
KN_FUNCTION(linear_rule, Dual, kn_array, kn_array)

static void rules_may_call_jitted_functions_and_checkpoints(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), d;
    kn_call(kn_grad(kn_custom_jvp(KN_FN(sine), KN_FN(jitted_rule))), &d, &x);
    expect_near(d, 1e-14, 15);
    kn_call(kn_grad(kn_custom_jvp(KN_FN(sine), KN_FN(linear_rule))), &d, &x);
    expect_near(d, 1e-14, 1);
}

static Dual number_jvp(const kn_array *x, const kn_array *dx)
{
    (void)dx;
    return (Dual){*x, kn_num(0)};
}
KN_FUNCTION(number_jvp, Dual, kn_array, kn_array)

static void a_tangent_may_be_a_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0f), d;
    kn_call(kn_grad(kn_custom_jvp(KN_FN(plain), KN_FN(number_jvp))), &d, &x);
    expect_values(d, 0);
    assert_ptr_equal(kn_dtype_of(d), KN_F32);
}

static void a_gradient_may_be_stopped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    expect_values(kn_stop_gradient(x), 1, 2);
    expect_values(kn_lax_stop_gradient(kn_scalar(3)), 3);
}

static kn_array stopped(const kn_array *x) { return kn_mul(kn_stop_gradient(*x), *x); }
KN_FUNCTION(stopped, kn_array, kn_array)
static void stopped_gradients_are_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), one = kn_scalar(1.0f), d;
    kn_call(kn_grad(KN_FN(stopped)), &d, &x);
    expect_values(d, 3);
    golden_same_text("stop_gradient", KN_FN(stopped), KN_ARGS(&one));
}

KN_TEST_GROUP(test_custom_rule_checks)
{
    const struct CMUnitTest tests[] = {
        TEST(small_constants_of_a_rule_are_part_of_it),
        TEST(large_constants_must_be_bound),
        TEST(wrong_jvp_rules),
        TEST(wrong_vjp_rules),
        TEST(forward_mode_over_a_custom_vjp),
        TEST(loops_of_no_rounds_need_no_rule),
        TEST(rules_must_take_and_give_the_right_number_of_arrays),
        TEST(rules_may_call_jitted_functions_and_checkpoints),
        TEST(a_tangent_may_be_a_number),
        TEST(a_gradient_may_be_stopped),
        TEST(stopped_gradients_are_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
