/* SPDX-License-Identifier: Apache-2.0
 * test_eager_backward.c -- watched arrays and going back from what was made of them, as PyTorch's users know it, with the bits
 * of kn_grad and kn_vjp. */
#include "base/memory.h"
#include "support/group.h"
#include "unit/eager/same.h"
#include <stdio.h>

static kn_array watched(kn_array x) { return kn_watch(kn_copy(x)); }

static kn_array loss(const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), kn_exp(*x))); }
KN_FUNCTION(loss, kn_array, kn_array)
static kn_array gradient(kn_fn f, kn_array x)
{
    kn_array g = NULL;
    kn_call(kn_grad(f), &g, &x);
    return g;
}

/* ---- What is left. */

static void gradients_have_the_bits_of_kn_grad(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.1, 0.2, 3), w = watched(x);
    assert_int_equal(kn_backward(loss(&w)), 0);
    same(kn_grad_of(w), gradient(KN_FN(loss), x));
    assert_true(kn_is_watched(w) && kn_is_watched(kn_add(w, 1)));
    assert_false(kn_is_watched(x) || kn_is_watched(kn_greater(w, 1)) || kn_is_watched(kn_stop_gradient(w)));
}

static void gradients_add_up_until_they_are_cleared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2));
    assert_false(kn_has_grad(w));
    expect_values(kn_grad_of(w), 0, 0);
    kn_backward(kn_sum(kn_square(w)));
    assert_true(kn_has_grad(w));
    expect_values(kn_grad_of(w), 2, 4);
    kn_backward(kn_sum(kn_mul(w, kn_of(double, 10, 20))));
    expect_values(kn_grad_of(w), 12, 24);
    assert_int_equal(kn_clear_grad(w), 0);
    assert_false(kn_has_grad(w));
    expect_values(kn_grad_of(w), 0, 0);
    kn_backward(kn_sum(w));
    expect_values(kn_grad_of(w), 1, 1);
    kn_watch(w); /* again: nothing is forgotten */
    expect_values(kn_grad_of(w), 1, 1);
}

static void several_arrays_and_uses_count(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = watched(kn_of(double, 1, 2)), b = watched(kn_scalar(3.0)), other = watched(kn_of(double, 5));
    kn_array p = kn_mul(a, b);
    kn_backward(kn_add(kn_sum(p), kn_add(kn_square(b), kn_sum(a))));
    expect_values(kn_grad_of(a), 4, 4);
    expect_values(kn_grad_of(b), 3 + 6);
    assert_false(kn_has_grad(other));
}

static void a_seed_is_the_cotangent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2, 3)), y = kn_square(w);
    kn_backward(y, .seed = kn_of(double, 1, 0, -1), .keep = true);
    expect_values(kn_grad_of(w), 2, 0, -6);
    kn_clear_grad(w);
    kn_backward(kn_at(y, "1"), .seed = kn_scalar(0.5), .keep = true);
    expect_values(kn_grad_of(w), 0, 2, 0);
    kn_clear_grad(w);
    kn_backward(kn_reshape(kn_sum(y), KN_SHAPE(1, 1))); /* one element needs none */
    expect_values(kn_grad_of(w), 2, 4, 6);
}

static void complex_and_small_floats_have_gradients_of_their_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array h = watched(kn_of(float, 1, 2));
    kn_backward(kn_sum(kn_astype(kn_mul(h, h), KN_F64)));
    assert_ptr_equal(kn_dtype_of(kn_grad_of(h)), KN_F32);
    expect_values(kn_grad_of(h), 2, 4);
    kn_array z = watched(kn_astype(kn_of(double, 1, 2), KN_C128));
    kn_backward(kn_sum(kn_real(kn_mul(z, z))));
    assert_ptr_equal(kn_dtype_of(kn_grad_of(z)), KN_C128);
    expect_values(kn_real(kn_grad_of(z)), 2, 4);
}

/* ---- Twice, and gradients of gradients. */

static void what_is_kept_can_be_gone_back_from_again(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y = kn_sum(kn_square(w));
    for (int k = 1; k <= 3; k++) {
        assert_int_equal(kn_backward(y, .keep = k < 3), 0);
        expect_values(kn_grad_of(w), 2 * k, 4 * k);
    }
    int line = __LINE__ + 1;
    assert_int_equal(kn_backward(y), -1);
    assert_int_equal(kn_error_line(), line);
    expect_error_with("RuntimeError", "for the second time");
    expect_values(kn_grad_of(w), 6, 12);
}

static void the_error_tells_all_three_places(void **state)
{
    (void)state;
    KN_SCOPE;
    char text[256];
    kn_array w = watched(kn_of(double, 1, 2));
    int made = __LINE__ + 1;
    kn_array e = kn_exp(w);
    int first = __LINE__ + 1;
    kn_backward(kn_sum(e));
    kn_backward(kn_sum(kn_mul(e, 2)));
    assert_string_equal(kn_error_kind_name(), "RuntimeError");
    snprintf(text, sizeof text, "'exp' at %s:%d", __FILE__, made);
    assert_non_null(strstr(kn_error_message(), text));
    snprintf(text, sizeof text, "backward at %s:%d", __FILE__, first);
    assert_non_null(strstr(kn_error_message(), text));
    assert_non_null(strstr(kn_error_message(), ".keep = true"));
    kn_error_clear();
}

static void sums_alone_need_nothing_and_can_be_gone_back_from_twice(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y = kn_sum(kn_mul(w, 3));
    kn_backward(y);
    if (kn_backward(y)) /* PyTorch refuses some of these; nothing wrong is added */
        kn_error_clear(), expect_values(kn_grad_of(w), 3, 3);
    else
        expect_values(kn_grad_of(w), 6, 6);
}

static kn_array fourth(const kn_array *x) { return kn_sum(kn_power(*x, 4)); }
KN_FUNCTION(fourth, kn_array, kn_array)

static void gradients_that_are_recorded_can_be_gone_back_from(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 2), w = watched(x);
    kn_backward(fourth(&w), .record = true);
    kn_array first = kn_grad_of(w);
    assert_true(kn_is_watched(first));
    expect_values(first, 0.5, 32);
    kn_clear_grad(w);
    kn_backward(kn_sum(first), .record = true);
    kn_array second = kn_grad_of(w);
    expect_values(second, 3, 48);
    kn_clear_grad(w);
    kn_backward(kn_sum(second), .record = true);
    kn_array third = kn_grad_of(w);
    expect_values(third, 12, 48);
    kn_clear_grad(w);
    kn_backward(kn_sum(third));
    expect_values(kn_grad_of(w), 24, 24);
    assert_false(kn_is_watched(kn_grad_of(w)));
}

static void record_keeps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y = kn_sum(kn_square(w));
    kn_backward(y, .record = true);
    kn_clear_grad(w);
    assert_int_equal(kn_backward(y), 0);
    expect_values(kn_grad_of(w), 2, 4);
}

/* ---- Writes. */

static void writes_before_the_use_count(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2, 3)), z = kn_mul(w, 2);
    kn_set_at(z, 100.0, "0");
    kn_imul(kn_at(z, "1:"), 5); /* through a view */
    kn_backward(kn_sum(kn_square(z)));
    expect_values(kn_grad_of(w), 0, 2 * 20 * 10, 2 * 30 * 10);
}

static void writes_behind_the_use_change_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), z = kn_mul(w, 1), y = kn_sum(kn_square(z));
    kn_set_at(z, 100.0, "0"); /* PyTorch refuses: there what backward needs was changed */
    kn_imul(z, 7);
    assert_int_equal(kn_backward(y), 0);
    expect_values(kn_grad_of(w), 2, 4);
}

static void what_is_written_into_an_array_is_gone_back_from(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), z = kn_zeros(KN_SHAPE(2, 2)), row = kn_at(z, "1");
    kn_copyto(row, kn_square(w));
    kn_set_at(z, kn_at(w, "1"), "0, 0");
    kn_backward(kn_sum(kn_mul(z, kn_reshape(kn_arange(1., 5., 1), KN_SHAPE(2, 2)))));
    expect_values(kn_grad_of(w), 2 * 3, 1 + 2 * 2 * 4);
    assert_true(kn_is_watched(row));
}

static kn_array positive(const kn_array *x) { return kn_sum(kn_power(kn_at(*x, "%", kn_greater(*x, 0)), 3)); }
static kn_array different(const kn_array *x) { return kn_sum(kn_square(kn_unique(*x))); }
KN_FUNCTION(positive, kn_array, kn_array)
KN_FUNCTION(different, kn_array, kn_array)

static void what_is_found_by_looking_is_on_the_tape(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_fn each[] = {KN_FN(positive), KN_FN(different)};
    for (int k = 0; k < 2; k++) {
        kn_array x = kn_of(double, 3, -1, 2, -5), w = watched(x), y, t = kn_with_tangent(x, kn_of(double, 0, 1, 1, 0));
        kn_call(each[k], &y, &w);
        assert_int_equal(kn_backward(y), 0);
        same(kn_grad_of(w), gradient(each[k], x));
        kn_call(each[k], &y, &t);
        same(kn_tangent_of(y), kn_sum(kn_at(kn_grad_of(w), "1:3")));
    }
}

static void a_watched_array_that_is_changed_tells_where(void **state)
{
    (void)state;
    KN_SCOPE;
    char text[256];
    kn_array w = kn_of(double, 1, 2);
    int at = __LINE__ + 1;
    kn_watch(w);
    int since = __LINE__ + 1;
    kn_iadd(w, 1);
    int line = __LINE__ + 1;
    kn_grad_of(w);
    assert_string_equal(kn_error_kind_name(), "ValueError");
    assert_int_equal(kn_error_line(), line);
    snprintf(text, sizeof text, "watched at %s:%d, was changed by 'iadd' at %s:%d", __FILE__, at, __FILE__, since);
    assert_non_null(strstr(kn_error_message(), text));
    kn_error_clear();
    kn_watch(w); /* from now on, as what it is now */
    kn_backward(kn_sum(kn_square(w)));
    expect_values(kn_grad_of(w), 4, 6);
}

static void watching_what_depends_gives_it_a_gradient_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), h = kn_watch(kn_mul(w, 3));
    kn_backward(kn_sum(kn_square(h)));
    expect_values(kn_grad_of(h), 6, 12);
    expect_values(kn_grad_of(w), 18, 36);
}

/* ---- Tapes. */

static void nothing_is_on_the_tape_without_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y;
    {
        KN_NO_TAPE;
        y = kn_square(w);
        assert_false(kn_is_watched(y));
        kn_isub(w, kn_mul(0.5, y)); /* 0.5, 0 */
    }
    assert_false(kn_is_watched(y));
    assert_true(kn_is_watched(w));
    kn_backward(kn_sum(kn_square(w)));
    expect_values(kn_grad_of(w), 1, 0);
}

static void steps_of_descent_are_those_of_the_formula(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, -2));
    double a = 1, b = -2;
    for (int k = 0; k < 10; k++) {
        KN_SCOPE;
        kn_backward(kn_sum(kn_square(w)));
        KN_NO_TAPE;
        kn_isub(w, kn_mul(0.25, kn_grad_of(w)));
        kn_clear_grad(w);
        a -= 0.25 * (2 * a);
        b -= 0.25 * (2 * b);
    }
    expect_values(w, a, b);
}

static void inner_tapes_have_marks_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y;
    {
        KN_TAPE;
        kn_array v = watched(kn_of(double, 3, 4));
        y = kn_sum(kn_mul(w, v));
        kn_backward(y); /* the innermost tape that it depends on */
        expect_values(kn_grad_of(v), 1, 2);
        assert_true(kn_is_watched(y));
    }
    kn_backward(y);
    expect_values(kn_grad_of(w), 3, 4);
}

static void a_gradient_inside_is_differentiated_outside(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 0.5, 2)), inner;
    {
        KN_TAPE;
        kn_array v = kn_copy(w);
        kn_watch(v);
        kn_backward(fourth(&v));
        inner = kn_grad_of(v); /* 4 w^3, on the outer tape */
    }
    expect_values(inner, 0.5, 32);
    assert_true(kn_is_watched(inner));
    kn_backward(kn_sum(inner));
    expect_values(kn_grad_of(w), 3, 48);
}

static void marks_end_with_their_tape(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = kn_of(double, 1, 2), y;
    {
        KN_TAPE;
        kn_watch(v);
        y = kn_sum(kn_square(v));
        kn_backward(y);
        expect_values(kn_grad_of(v), 2, 4);
    }
    assert_false(kn_is_watched(v) || kn_is_watched(y));
    kn_grad_of(v);
    expect_error_with("ValueError", "grad_of: the array is not watched any more");
    kn_backward(y);
    expect_error_with("ValueError", "depends on no watched");
}

static void detached_arrays_depend_on_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), d = kn_detach(kn_square(w));
    assert_false(kn_is_watched(d));
    kn_backward(kn_sum(kn_mul(w, d)));
    expect_values(kn_grad_of(w), 1, 4);
    kn_array t = kn_detach(kn_with_tangent(w, kn_of(double, 1, 1))); /* a tangent stays */
    assert_true(kn_has_tangent(t));
}

/* ---- Transformations. */

static kn_array inner_gradient(const kn_array *x)
{
    KN_TAPE;
    kn_array v = kn_copy(*x);
    kn_watch(v);
    kn_backward(kn_sum(kn_mul(kn_sin(v), kn_exp(v))));
    return kn_grad_of(v);
}
KN_FUNCTION(inner_gradient, kn_array, kn_array)
static kn_array summed(const kn_array *x) { return kn_sum(inner_gradient(x)); }
KN_FUNCTION(summed, kn_array, kn_array)
static kn_array whole_gradient(const kn_array *x)
{
    kn_array g;
    kn_call(kn_grad(KN_FN(loss)), &g, x);
    return g;
}
KN_FUNCTION(whole_gradient, kn_array, kn_array)
static kn_array whole_summed(const kn_array *x) { return kn_sum(whole_gradient(x)); }
KN_FUNCTION(whole_summed, kn_array, kn_array)

static void inside_of_jit_grad_and_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1, -1), rows = kn_stack(KN_LIST(x, kn_mul(x, 2))), got, want;
    kn_call(kn_jit(KN_FN(inner_gradient)), &got, &x);
    same(got, gradient(KN_FN(loss), x));
    same(gradient(KN_FN(summed), x), gradient(KN_FN(whole_summed), x));
    same(gradient(kn_jit(KN_FN(summed)), x), gradient(KN_FN(whole_summed), x));
    kn_call(kn_vmap(KN_FN(inner_gradient)), &got, &rows);
    kn_call(kn_vmap(KN_FN(whole_gradient)), &want, &rows);
    same(got, want);
}

static kn_array ruled(const kn_array *x) { return kn_sum(kn_sin(*x)); }
KN_FUNCTION(ruled, kn_array, kn_array)
typedef struct {
    kn_array y, dy;
} Ruled;
static Ruled ruled_rule(const kn_array *x, const kn_array *dx) { return (Ruled){ruled(x), kn_sum(kn_mul(*dx, 5))}; }
KN_FUNCTION(ruled_rule, Ruled, kn_array, kn_array)
static Ruled ruled_forward(const kn_array *x) { return (Ruled){ruled(x), *x}; }
KN_FUNCTION(ruled_forward, Ruled, kn_array)
static kn_array ruled_backward(const kn_array *x, const kn_array *ct) { return kn_mul(kn_mul(*x, 100), *ct); }
KN_FUNCTION(ruled_backward, kn_array, kn_array, kn_array)

static void own_rules_and_checkpoints_are_followed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y;
    kn_call(kn_custom_jvp(KN_FN(ruled), KN_FN(ruled_rule)), &y, &w);
    kn_backward(y);
    expect_values(kn_grad_of(w), 5, 5);
    kn_clear_grad(w);
    kn_call(kn_custom_vjp(KN_FN(ruled), KN_FN(ruled_forward), KN_FN(ruled_backward)), &y, &w);
    kn_backward(kn_mul(y, 2));
    expect_values(kn_grad_of(w), 200, 400);
    kn_clear_grad(w);
    kn_call(kn_checkpoint(KN_FN(loss)), &y, &w);
    kn_backward(y);
    same(kn_grad_of(w), gradient(kn_checkpoint(KN_FN(loss)), kn_of(double, 1, 2)));
}

typedef struct {
    kn_array c, y;
} Step;
static Step step(const kn_array *c, const kn_array *x)
{
    kn_array n = kn_tanh(kn_add(kn_mul(*c, 0.9), *x));
    return (Step){n, kn_square(n)};
}
KN_FUNCTION(step, Step, kn_array, kn_array)
static kn_array scanned(const kn_array *xs)
{
    kn_array zero = kn_scalar(0.0);
    Step out;
    kn_scan(KN_FN(step), &out, &zero, xs);
    return kn_sum(kn_mul(out.y, out.c));
}
KN_FUNCTION(scanned, kn_array, kn_array)

static void loops_are_gone_back_through(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 0.1, -0.5, 1, 2), w = watched(xs), c = kn_scalar(0.0), all = kn_zeros(KN_SHAPE(4));
    kn_backward(scanned(&w));
    same(kn_grad_of(w), gradient(KN_FN(scanned), xs));
    kn_array before = kn_grad_of(w);
    kn_clear_grad(w);
    for (int k = 0; k < 4; k++) { /* the same loop, run in C, that writes its results into an array */
        kn_array x = kn_at(w, "%", k);
        Step s = step(&c, &x);
        c = s.c;
        kn_set_at(all, s.y, "%", k);
    }
    kn_backward(kn_sum(kn_mul(all, c)));
    kn_array difference = kn_max(kn_abs(kn_sub(kn_grad_of(w), before)));
    assert_true(kn_item(difference) < 1e-15);
}

static void a_chain_of_many_steps_needs_no_stack(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), y = w;
    for (int k = 0; k < 20000; k++)
        y = kn_mul(y, 1);
    kn_backward(kn_sum(y));
    expect_values(kn_grad_of(w), 1, 1);
}

static Ruled thirds(const kn_array *x, const kn_array *dx)
{
    return (Ruled){ruled(x), kn_sum(kn_mul(*dx, kn_astype(kn_divide(kn_ones(KN_SHAPE()), 3), kn_dtype_of(*dx))))};
}
KN_FUNCTION(thirds, Ruled, kn_array, kn_array)

static kn_array gradient_of_thirds(kn_fn f)
{
    kn_array w = watched(kn_of(double, 1, 2)), y;
    kn_call(f, &y, &w);
    kn_backward(y);
    return kn_grad_of(w);
}

static void rules_are_recorded_again_with_other_settings(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_custom_jvp(KN_FN(ruled), KN_FN(thirds));
    expect_values(gradient_of_thirds(f), 1. / 3, 1. / 3);
    kn_dtype before = kn_set_default_float(KN_F32);
    expect_values(gradient_of_thirds(f), 1.f / 3, 1.f / 3);
    kn_set_default_float(before);
    expect_values(gradient_of_thirds(f), 1. / 3, 1. / 3);
}

static kn_array half_detached(const kn_array *x) { return kn_sum(kn_mul(*x, kn_detach(*x))); }
KN_FUNCTION(half_detached, kn_array, kn_array)

static void detached_arrays_are_so_in_recorded_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), rows = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), w = watched(x), y;
    kn_call(kn_jit(KN_FN(half_detached)), &y, &w);
    kn_backward(y);
    expect_values(kn_grad_of(w), 1, 2);
    kn_call(kn_grad(KN_FN(half_detached)), &y, &x);
    expect_values(y, 1, 2);
    kn_call(kn_vmap(kn_grad(KN_FN(half_detached))), &y, &rows);
    expect_values(y, 1, 2, 3, 4);
    kn_call(kn_jit(KN_FN(half_detached)), &y, &x);
    expect_values(y, 5);
}

/* A copy has the value of the array that it is of, but not its mark. */
static void copies_are_watched_apart(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), u = kn_watch(kn_copy(w));
    kn_backward(kn_add(kn_sum(kn_square(u)), kn_sum(kn_mul(10, w))));
    expect_values(kn_grad_of(u), 2, 4);
    expect_values(kn_grad_of(w), 12, 14);
    kn_clear_grad(u);
    kn_backward(kn_sum(kn_watch(u))); /* it is already */
    expect_values(kn_grad_of(u), 1, 1);
    expect_values(kn_grad_of(w), 13, 15);
}

/* ---- Orders of axes. */

static void expect_gradients_of(kn_array x)
{
    kn_array six = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(2, 3)), row = kn_at(x, "1");
    assert_ptr_equal(kn_watch(x), x);
    expect_values(kn_grad_of(x), 0, 0, 0, 0, 0, 0);
    assert_int_equal(kn_backward(kn_sum(kn_mul(kn_square(x), six))), 0);
    assert_int_equal(kn_backward(kn_sum(row)), 0);
    expect_values(kn_grad_of(x), 0, 4, 12, 25, 41, 61);
    {
        KN_NO_TAPE;
        kn_isub(x, kn_grad_of(x));
    }
    expect_values(x, 0, -3, -10, -22, -37, -56);
    assert_true(kn_has_grad(x));
    assert_int_equal(kn_clear_grad(x), 0);
    assert_false(kn_has_grad(x));
    kn_watch(kn_at(x, "0"));
    expect_error_with("ValueError", "a view cannot be watched");
}

static void arrays_in_fortrans_order_are_watched(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array six = kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(2, 3)), t = kn_copy(kn_transpose(six));
    expect_gradients_of(kn_copy(six, .order = "F"));
    expect_gradients_of(kn_copy(kn_transpose(t)));
    expect_gradients_of(kn_asfortranarray(six));
}

/* ---- What is kept. */

static kn_array mean_of(kn_array x) { return kn_mean(kn_mul(x, 2)); }

static void memory_is_let_go(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_ones(KN_SHAPE(100000)));
    int64_t before = 0, now = 0;
    for (int k = 0; k < 6; k++) {
        KN_SCOPE;
        kn_array y = w;
        for (int m = 0; m < 10; m++)
            y = kn_sin(y);
        kn_backward(mean_of(y));
        kn_clear_grad(w);
        now = knx_alloc_live();
        before = k == 2 ? now : before;
    }
    assert_true(now <= before);
}

/* Such a gradient holds the steps that it was made by, and these the watched array's. */
static void a_recorded_gradient_is_let_go_with_its_array(void **state)
{
    (void)state;
    KN_SCOPE;
    int64_t before = 0, now = 0;
    for (int k = 0; k < 6; k++) {
        KN_SCOPE;
        kn_array w = watched(kn_ones(KN_SHAPE(100000))), y = kn_watch(kn_power(w, 3));
        assert_int_equal(kn_backward(mean_of(kn_sin(y)), .record = true), 0);
        assert_true(kn_ok(kn_grad_of(w)));
        assert_true(kn_ok(kn_grad_of(y)));
        now = knx_alloc_live();
        before = k == 2 ? now : before;
    }
    assert_true(now <= before);
}

static void arrays_that_are_gone_are_gone_through(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), z = kn_copy(w);
    {
        KN_SCOPE;
        kn_assign(&z, kn_square(kn_watch(kn_mul(w, 3))));
    }
    kn_backward(kn_sum(z), .keep = true);
    kn_backward(kn_sum(z));
    expect_values(kn_grad_of(w), 36, 72);
}

/* What a view has been looked at for where nothing is recorded is not what it is elsewhere. */
static void views_that_were_looked_at_aside_stay_on_the_tape(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = watched(kn_of(double, 1, 2)), v = kn_at(w, "::-1");
    {
        KN_NO_TAPE;
        kn_isub(w, 1);
        expect_values(v, 1, 0);
        assert_false(kn_is_watched(kn_add(v, 1)));
    }
    assert_int_equal(kn_backward(kn_sum(kn_square(v))), 0);
    expect_values(kn_grad_of(w), 0, 2);
}

static void a_tree_is_watched_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree p = kn_tree_dict("b", kn_scalar(2.0), "w", kn_of(double, 1, 3));
    assert_ptr_equal(kn_watch_tree(p), p);
    kn_backward(kn_sum(kn_mul(kn_tree_at(p, "w"), kn_tree_at(p, "b"))));
    kn_tree g = kn_tree_grads_of(p);
    expect_values(kn_tree_at(g, "w"), 2, 2);
    expect_values(kn_tree_at(g, "b"), 4);
    assert_int_equal(kn_clear_tree_grads(p), 0);
    assert_false(kn_has_grad(kn_tree_at(p, "w")));
}

/* ---- With tangents. */

static void forward_over_reverse_and_reverse_over_forward_agree(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 2), v = kn_of(double, 1, -1), w = watched(x);
    kn_backward(kn_tangent_of(fourth(&(kn_array){kn_with_tangent(w, v)})));
    expect_values(kn_grad_of(w), 12 * 0.25, -12 * 4);
    {
        KN_TAPE;
        kn_array u = kn_copy(kn_with_tangent(x, v));
        kn_watch(u);
        kn_backward(fourth(&u));
        expect_values(kn_primal_of(kn_grad_of(u)), 0.5, 32);
        expect_values(kn_tangent_of(kn_grad_of(u)), 3, -48);
    }
}

KN_TEST_GROUP(test_eager_backward)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_have_the_bits_of_kn_grad),
        TEST(gradients_add_up_until_they_are_cleared),
        TEST(several_arrays_and_uses_count),
        TEST(a_seed_is_the_cotangent),
        TEST(complex_and_small_floats_have_gradients_of_their_dtype),
        TEST(what_is_kept_can_be_gone_back_from_again),
        TEST(the_error_tells_all_three_places),
        TEST(sums_alone_need_nothing_and_can_be_gone_back_from_twice),
        TEST(gradients_that_are_recorded_can_be_gone_back_from),
        TEST(record_keeps),
        TEST(writes_before_the_use_count),
        TEST(writes_behind_the_use_change_nothing),
        TEST(what_is_written_into_an_array_is_gone_back_from),
        TEST(what_is_found_by_looking_is_on_the_tape),
        TEST(a_watched_array_that_is_changed_tells_where),
        TEST(watching_what_depends_gives_it_a_gradient_too),
        TEST(nothing_is_on_the_tape_without_one),
        TEST(steps_of_descent_are_those_of_the_formula),
        TEST(inner_tapes_have_marks_of_their_own),
        TEST(a_gradient_inside_is_differentiated_outside),
        TEST(marks_end_with_their_tape),
        TEST(detached_arrays_depend_on_nothing),
        TEST(inside_of_jit_grad_and_vmap),
        TEST(own_rules_and_checkpoints_are_followed),
        TEST(rules_are_recorded_again_with_other_settings),
        TEST(detached_arrays_are_so_in_recorded_functions),
        TEST(copies_are_watched_apart),
        TEST(arrays_in_fortrans_order_are_watched),
        TEST(loops_are_gone_back_through),
        TEST(a_chain_of_many_steps_needs_no_stack),
        TEST(memory_is_let_go),
        TEST(a_recorded_gradient_is_let_go_with_its_array),
        TEST(arrays_that_are_gone_are_gone_through),
        TEST(views_that_were_looked_at_aside_stay_on_the_tape),
        TEST(a_tree_is_watched_at_once),
        TEST(forward_over_reverse_and_reverse_over_forward_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
