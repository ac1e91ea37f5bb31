/* SPDX-License-Identifier: Apache-2.0
 * test_control_effects.c -- loops and branches: who is told of steps, what runs and what is recorded how often,
 * errors of one lane or one step, and other transformations inside and around. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Two;
typedef struct {
    kn_array carry, y;
} Step;

static int calls;
static Step counted(const kn_array *c, const kn_array *x)
{
    calls++;
    return (Step){kn_add(*c, *x),
                  kn_reshape(kn_mul(kn_astype(*x, KN_F32), kn_ones(KN_SHAPE(6), .dtype = KN_F32)), KN_SHAPE(3, 2))};
}
KN_FUNCTION(counted, Step, kn_array, kn_array)
static Step add_up(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(*c, *x);
    return (Step){s, s};
}
KN_FUNCTION(add_up, Step, kn_array, kn_array)
static kn_array next(const kn_array *i, const kn_array *c)
{
    (void)i;
    return kn_add(*c, 1);
}
KN_FUNCTION(next, kn_array, kn_array, kn_array)

/* ---- who is told, what runs, what is recorded */
typedef struct {
    int n;
    int64_t at[64], length;
} heard;
static void hear(void *env, int64_t step, int64_t length)
{
    heard *h = env;
    h->at[h->n++ % 64] = step;
    h->length = length;
}
static void a_step_hook_hears_each_step(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int reverse = 0; reverse < 2; reverse++) {
        heard h = {.n = 0};
        kn_array start = kn_scalar(0.0), x = kn_arange(0, 17, 1.0);
        Step out;
        kn_scan(KN_FN(add_up), &out, &start, &x, .reverse = reverse, .on_step = hear, .on_step_env = &h);
        kn_eval(out.y);
        assert_int_equal(h.n, 17);
        assert_int_equal(h.at[0], 1);
        assert_int_equal(h.at[16], 17);
        assert_int_equal(h.length, 17);
        expect_values(out.carry, 136);
    }
    heard h = {.n = 0};
    kn_array start = kn_scalar(0.0), none = kn_zeros(KN_SHAPE(0));
    Step out;
    kn_scan(KN_FN(add_up), &out, &start, &none, .on_step = hear, .on_step_env = &h);
    kn_eval(out.carry);
    assert_int_equal(h.n, 0);
}

static void a_body_is_recorded_once_not_once_a_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_scalar(0.0), x = kn_arange(0, 1000, 1.0);
    Step out;
    calls = 0;
    kn_scan(KN_FN(counted), &out, &start, &x);
    expect_values(out.carry, 499500);
    assert_true(calls >= 1 && calls <= 2);
}

static int ran;
static int note(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    ran++;
    return 0;
}
static kn_array loud(const kn_array *x)
{
    kn_debug_callback(note, NULL, KN_LIST(*x));
    return kn_mul(*x, 3);
}
static kn_array quiet(const kn_array *x) { return kn_neg(*x); }
KN_FUNCTION(loud, kn_array, kn_array)
KN_FUNCTION(quiet, kn_array, kn_array)
static kn_array loud_or_quiet(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_greater(*x, 0), KN_FN(loud), KN_FN(quiet), &out, x);
    return out;
}
KN_FUNCTION(loud_or_quiet, kn_array, kn_array)
static void only_the_branch_that_is_taken_runs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array plus = kn_scalar(2.0), minus = kn_scalar(-2.0), out;
    kn_fn f[] = {KN_FN(loud_or_quiet), kn_jit(KN_FN(loud_or_quiet))};
    for (int i = 0; i < 2; i++) {
        ran = 0;
        kn_call(f[i], &out, &minus);
        expect_values(out, 2);
        assert_int_equal(ran, 0);
        kn_call(f[i], &out, &plus);
        expect_values(out, 6);
        assert_int_equal(ran, 1);
    }
}

static Step loud_step(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(*c, loud(x));
    return (Step){s, s};
}
KN_FUNCTION(loud_step, Step, kn_array, kn_array)
static Step loud_scan(const kn_array *x)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_FN(loud_step), &out, &start, x);
    return out;
}
KN_FUNCTION(loud_scan, Step, kn_array)
static void effects_of_a_body_happen_each_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    Step out;
    kn_fn f[] = {KN_FN(loud_scan), kn_jit(KN_FN(loud_scan))};
    for (int i = 0; i < 2; i++) {
        ran = 0;
        kn_call(f[i], &out, &x);
        expect_values(out.carry, 18);
        assert_int_equal(ran, 3);
    }
}

/* ---- errors */
static kn_array factor(const kn_array *a) { return kn_linalg_cholesky(*a); }
static kn_array as_it_is(const kn_array *a) { return *a; }
KN_FUNCTION(factor, kn_array, kn_array)
KN_FUNCTION(as_it_is, kn_array, kn_array)
static kn_array factor_if(const kn_array *go, const kn_array *a)
{
    kn_array out;
    kn_cond(*go, KN_FN(factor), KN_FN(as_it_is), &out, a);
    return out;
}
KN_FUNCTION(factor_if, kn_array, kn_array, kn_array)
static void lanes_that_do_not_take_a_branch_have_no_errors_of_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array good = kn_mul(4, kn_eye(2)), bad = kn_neg(kn_eye(2)), a = kn_stack(KN_LIST(good, bad, good)), out;
    kn_array fine = kn_of(bool, true, false, true), wrong = kn_of(bool, false, true, true);
    for (int jit = 0; jit < 2; jit++) {
        kn_fn f = kn_vmap(KN_FN(factor_if));
        kn_call(jit ? kn_jit(f) : f, &out, &fine, &a);
        expect_values(out, 2, 0, 0, 2, -1, 0, 0, -1, 2, 0, 0, 2);
        expect_no_error();
        kn_call(jit ? kn_jit(f) : f, &out, &wrong, &a);
        kn_eval(out);
        expect_error_with("LinAlgError", "positive definite");
    }
}

static Step factor_step(const kn_array *c, const kn_array *x)
{
    kn_array l = kn_linalg_cholesky(*x);
    return (Step){kn_add(*c, kn_sum(l)), l};
}
KN_FUNCTION(factor_step, Step, kn_array, kn_array)
static void the_error_of_a_step_is_that_of_the_scan(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array good = kn_mul(4, kn_eye(2)), bad = kn_neg(kn_eye(2)), start = kn_scalar(0.0);
    kn_array x = kn_stack(KN_LIST(good, bad, good)), sound = kn_stack(KN_LIST(good, good));
    Step out;
    kn_scan(KN_FN(factor_step), &out, &start, &x);
    kn_eval(out.carry);
    expect_error_with("LinAlgError", "positive definite");
    kn_scan(KN_FN(factor_step), &out, &start, &sound);
    expect_values(out.carry, 8);
}

static kn_array element(const kn_array *x, const kn_array *i, const kn_array *c)
{
    return kn_add(*c, kn_at(*x, "%", *i));
}
KN_CLOSURE(element, kn_array, kn_array, kn_array, kn_array)
static void an_index_that_runs_out_of_bounds_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), start = kn_scalar(0.0), out;
    kn_fori_loop(0, 3, KN_CLOSE(element, &x), &out, &start);
    expect_values(out, 6);
    kn_fori_loop(0, 4, KN_CLOSE(element, &x), &out, &start);
    kn_eval(out);
    expect_error_with("IndexError", "out of bounds");
}

static kn_array changes_dtype(const kn_array *i, const kn_array *c)
{
    (void)i;
    return kn_add(*c, 0.5);
}
KN_FUNCTION(changes_dtype, kn_array, kn_array, kn_array)
static void a_carry_that_changes_its_dtype_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_scalar(0), out;
    assert_int_equal(kn_fori_loop(0, 3, KN_FN(changes_dtype), &out, &zero), -1);
    expect_error_with("TypeError", "int32");
}

static kn_array still_fewer(const kn_array *n, const kn_array *c) { return kn_less(*c, *n); }
static kn_array one_more(const kn_array *n, const kn_array *c)
{
    (void)n;
    return kn_add(*c, 1);
}
KN_CLOSURE(still_fewer, kn_array, kn_array, kn_array)
KN_CLOSURE(one_more, kn_array, kn_array, kn_array)
static kn_array at_most_5(const kn_array *n)
{
    kn_array zero = kn_scalar(0), out;
    kn_while_loop(KN_CLOSE(still_fewer, n), KN_CLOSE(one_more, n), &out, &zero, .max_steps = 5);
    return out;
}
KN_FUNCTION(at_most_5, kn_array, kn_array)
static void a_bound_ends_a_while(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_of(int, 3, 100, 0, 5), out;
    kn_call(kn_vmap(KN_FN(at_most_5)), &out, &n);
    expect_values(out, 3, 5, 0, 5);
    kn_array many = kn_scalar(1000);
    kn_call(kn_jit(KN_FN(at_most_5)), &out, &many);
    expect_values(out, 5);
}

/* ---- with other transformations */
static Step mean_step(const kn_array *c, const kn_array *x)
{
    kn_array all = kn_lax_psum(kn_mul(*c, *x), "lanes");
    return (Step){kn_add(*c, all), all};
}
KN_FUNCTION(mean_step, Step, kn_array, kn_array)
static Step coupled(const kn_array *start, const kn_array *xs)
{
    Step out;
    kn_scan(KN_FN(mean_step), &out, start, xs);
    return out;
}
KN_FUNCTION(coupled, Step, kn_array, kn_array)
static void lanes_talk_to_each_other_in_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_of(double, 1, 2), xs = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2));
    Step out;
    kn_call(kn_vmap(KN_FN(coupled), .axis_name = "lanes"), &out, &start, &xs);
    /* step 1: 1 * 1 + 2 * 3 = 7; carries 8, 9; step 2: 8 * 2 + 9 * 4 = 52 */
    expect_values(out.y, 7, 52, 7, 52);
    expect_values(out.carry, 60, 61);
}

static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
static Two doubled_forward(const kn_array *x) { return (Two){kn_mul(*x, 2), *x}; }
static kn_array doubled_backward(const kn_array *x, const kn_array *ct)
{
    (void)x;
    return kn_mul(*ct, 10); /* not the derivative, so that one sees who was asked */
}
KN_FUNCTION(doubled, kn_array, kn_array)
KN_FUNCTION(doubled_forward, Two, kn_array)
KN_FUNCTION(doubled_backward, kn_array, kn_array, kn_array)
static kn_array custom_step(const kn_array *i, const kn_array *c)
{
    (void)i;
    kn_array out;
    kn_call(kn_custom_vjp(KN_FN(doubled), KN_FN(doubled_forward), KN_FN(doubled_backward)), &out, c);
    return out;
}
KN_FUNCTION(custom_step, kn_array, kn_array, kn_array)
static kn_array three_times(const kn_array *x)
{
    kn_array out;
    kn_fori_loop(0, 3, KN_FN(custom_step), &out, x);
    return out;
}
KN_FUNCTION(three_times, kn_array, kn_array)
static void rules_of_ones_own_hold_in_loops(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.5), y, g;
    kn_call(kn_value_and_grad(KN_FN(three_times)), KN_OUT(&y, &g), &x);
    expect_values(y, 12);
    expect_values(g, 1000);
}

static kn_array linear_step(const kn_array *w, const kn_array *i, const kn_array *c)
{
    (void)i;
    return kn_matmul(*w, *c);
}
KN_CLOSURE(linear_step, kn_array, kn_array, kn_array, kn_array)
static kn_array linear(const kn_array *x)
{
    kn_array w = kn_reshape(kn_of(double, 1, 2, 0, 1), KN_SHAPE(2, 2)), out;
    kn_fori_loop(0, 3, KN_CLOSE(linear_step, &w), &out, x);
    return out;
}
KN_FUNCTION(linear, kn_array, kn_array)
static void linear_loops_are_transposed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 1), y, j, ct = kn_of(double, 1, 10), back;
    kn_call(KN_FN(linear), &y, &x);
    expect_values(y, 7, 1); /* w^3 is 1, 6; 0, 1 */
    kn_call(kn_linear_transpose(KN_FN(linear), KN_ARGS(&x)), &back, &ct);
    expect_values(back, 1, 16);
    kn_call(kn_jacfwd(KN_FN(linear)), &j, &x);
    expect_values(j, 1, 6, 0, 1);
    kn_call(kn_jacrev(KN_FN(linear)), &j, &x);
    expect_values(j, 1, 6, 0, 1);
}

static kn_array stopped_step(const kn_array *i, const kn_array *c)
{
    (void)i;
    return kn_mul(*c, kn_stop_gradient(*c));
}
KN_FUNCTION(stopped_step, kn_array, kn_array, kn_array)
static kn_array stopped(const kn_array *x)
{
    kn_array out;
    kn_fori_loop(0, 2, KN_FN(stopped_step), &out, x);
    return out;
}
KN_FUNCTION(stopped, kn_array, kn_array)
static void gradients_stop_in_loops(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), g;
    kn_call(kn_jit(kn_grad(KN_FN(stopped))), &g, &x);
    expect_values(g, 27); /* x^4, of which d is 3 * 9 */
}

static kn_array gradient_inside(const kn_array *i, const kn_array *c)
{
    (void)i;
    kn_array g;
    kn_call(kn_grad(KN_FN(three_times)), &g, c);
    return kn_mul(*c, kn_mul(g, 1e-3));
}
KN_FUNCTION(gradient_inside, kn_array, kn_array, kn_array)
static void gradients_of_loops_in_loops(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), out;
    kn_fori_loop(0, 5, KN_FN(gradient_inside), &out, &x);
    expect_near(out, 1e-12, 3);
}

static kn_array deeper(const kn_array *i, const kn_array *c)
{
    (void)i;
    kn_array out;
    kn_fori_loop(0, 2, KN_FN(next), &out, c);
    return out;
}
KN_FUNCTION(deeper, kn_array, kn_array, kn_array)
static kn_array deeper_2(const kn_array *i, const kn_array *c)
{
    (void)i;
    kn_array out;
    kn_fori_loop(0, 2, KN_FN(deeper), &out, c);
    return out;
}
KN_FUNCTION(deeper_2, kn_array, kn_array, kn_array)
static kn_array deeper_3(const kn_array *i, const kn_array *c)
{
    (void)i;
    kn_array out;
    kn_fori_loop(0, 2, KN_FN(deeper_2), &out, c);
    return out;
}
KN_FUNCTION(deeper_3, kn_array, kn_array, kn_array)
static void loops_are_five_deep(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_of(double, 0, 1), out;
    kn_fori_loop(0, 3, KN_FN(deeper_3), &out, &zero);
    expect_values(out, 48 / 2, 25);
}

static void a_long_scan_has_the_right_end(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_scalar((int64_t)0), x = kn_arange(0, 300000, 1);
    Step out;
    kn_scan(KN_FN(add_up), &out, &start, &x);
    assert_int_equal(kn_item_int(out.carry), 44999850000);
    assert_int_equal(kn_item_int(kn_at(out.y, "100000")), 5000050000);
}

static kn_array masked(const kn_array *x) { return kn_log(*x); }
static kn_array zero_of(const kn_array *x) { return kn_zeros_like(*x); }
KN_FUNCTION(masked, kn_array, kn_array)
KN_FUNCTION(zero_of, kn_array, kn_array)
static kn_array safe_log(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_greater(*x, 0), KN_FN(masked), KN_FN(zero_of), &out, x);
    return out;
}
KN_FUNCTION(safe_log, kn_array, kn_array)
static void a_branch_that_is_not_taken_gives_no_nan_to_gradients(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_scalar(0.0), two = kn_scalar(2.0), x = kn_of(double, 0, 2), g;
    kn_call(kn_grad(KN_FN(safe_log)), &g, &zero);
    expect_values(g, 0);
    kn_call(kn_jit(kn_grad(KN_FN(safe_log))), &g, &two);
    expect_values(g, 0.5);
    kn_call(kn_grad(KN_FN(safe_log)), &g, &zero);
    kn_call(kn_vmap(kn_grad(KN_FN(safe_log))), &g, &x);
    assert_true(kn_item(kn_at(g, "1")) == 0.5);
}

static kn_array pick(const kn_array *i)
{
    kn_fn f[] = {KN_FN(doubled), KN_FN(quiet)};
    kn_array x = kn_scalar(4.0), out;
    kn_switch(*i, f, 2, &out, &x);
    return out;
}
KN_FUNCTION(pick, kn_array, kn_array)
static void indices_of_all_dtypes_choose(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_dtype dtypes[] = {KN_I8, KN_I16, KN_I32, KN_I64};
    for (int d = 0; d < 4; d++) {
        kn_array at = kn_astype(kn_of(int, -7, 0, 1, 9), dtypes[d]), out;
        kn_call(kn_vmap(KN_FN(pick)), &out, &at);
        expect_values(out, 8, 8, -4, -4);
    }
}

KN_TEST_GROUP(test_control_effects)
{
    const struct CMUnitTest tests[] = {
        TEST(a_step_hook_hears_each_step),
        TEST(a_body_is_recorded_once_not_once_a_step),
        TEST(only_the_branch_that_is_taken_runs),
        TEST(effects_of_a_body_happen_each_step),
        TEST(lanes_that_do_not_take_a_branch_have_no_errors_of_it),
        TEST(the_error_of_a_step_is_that_of_the_scan),
        TEST(an_index_that_runs_out_of_bounds_is_an_error),
        TEST(a_carry_that_changes_its_dtype_is_an_error),
        TEST(a_bound_ends_a_while),
        TEST(lanes_talk_to_each_other_in_a_loop),
        TEST(rules_of_ones_own_hold_in_loops),
        TEST(linear_loops_are_transposed),
        TEST(gradients_stop_in_loops),
        TEST(gradients_of_loops_in_loops),
        TEST(loops_are_five_deep),
        TEST(a_long_scan_has_the_right_end),
        TEST(a_branch_that_is_not_taken_gives_no_nan_to_gradients),
        TEST(indices_of_all_dtypes_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
