/* SPDX-License-Identifier: Apache-2.0
 * test_custom_rules.c -- custom_jvp and custom_vjp: values and derivatives against closed forms, under all transformations. Rules here are
 * often wrong by a factor on purpose, to tell them from the derivative of the body. */
#include "support/expect.h"
#include "support/golden_text.h"
#include "support/group.h"

typedef struct {
    kn_array y, dy;
} Dual;
typedef struct {
    kn_array a, b;
} Pair;
typedef struct {
    kn_array y, a, b, c;
} Kept;
typedef struct {
    kn_array a, b, c;
} Residuals;

static kn_array sum_of(kn_array x) { return kn_sum(x); }

/* ---- f(x, y) = sin(x) y, whose rules call it. */

static int rule_calls;
static kn_array f(const kn_array *x, const kn_array *y) { return kn_mul(kn_sin(*x), *y); }
KN_FUNCTION(f, kn_array, kn_array, kn_array)
static kn_fn custom_f(void);
static Dual f_jvp(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy)
{
    Dual out = {0};
    rule_calls++;
    kn_call(custom_f(), &out.y, x, y);
    out.dy = kn_add(kn_mul(kn_mul(kn_cos(*x), *dx), *y), kn_mul(kn_sin(*x), *dy));
    return out;
}
KN_FUNCTION(f_jvp, Dual, kn_array, kn_array, kn_array, kn_array)
static kn_fn custom_f(void) { return kn_custom_jvp(KN_FN(f), KN_FN(f_jvp)); }

static kn_array g(const kn_array *x, const kn_array *y) { return kn_mul(kn_sin(*x), *y); }
KN_FUNCTION(g, kn_array, kn_array, kn_array)
static kn_fn custom_g(void);
static Kept g_fwd(const kn_array *x, const kn_array *y)
{
    Kept out = {.a = kn_cos(*x), .b = kn_sin(*x), .c = *y};
    rule_calls++;
    kn_call(custom_g(), &out.y, x, y);
    return out;
}
KN_FUNCTION(g_fwd, Kept, kn_array, kn_array)
static Pair g_bwd(const Residuals *r, const kn_array *ct)
{
    rule_calls++;
    return (Pair){kn_mul(kn_mul(r->a, *ct), r->c), kn_mul(r->b, *ct)};
}
KN_FUNCTION(g_bwd, Pair, Residuals, kn_array)
static kn_fn custom_g(void) { return kn_custom_vjp(KN_FN(g), KN_FN(g_fwd), KN_FN(g_bwd)); }

static void the_value_is_the_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 3, 4), out;
    kn_call(custom_f(), &out, &x, &y);
    expect_near(out, 1e-14, 3 * sin(1), 4 * sin(2));
    kn_call(kn_jit(custom_g()), &out, &x, &y);
    expect_near(out, 1e-14, 3 * sin(1), 4 * sin(2));
    kn_call(kn_vmap(custom_f()), &out, &x, &y);
    expect_near(out, 1e-14, 3 * sin(1), 4 * sin(2));
}

static void derivatives_are_the_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0), one = kn_scalar(1.0), two = kn_scalar(2.0), v, d;
    Pair both;
    kn_call(kn_grad(custom_f(), .argnums = KN_ARGNUMS(0, 1)), &both, &x, &y);
    expect_near(both.a, 1e-14, 3 * cos(1));
    expect_near(both.b, 1e-14, sin(1));
    kn_call(kn_grad(custom_g(), .argnums = KN_ARGNUMS(0, 1)), &both, &x, &y);
    expect_near(both.a, 1e-14, 3 * cos(1));
    expect_near(both.b, 1e-14, sin(1));
    kn_jvp(custom_f(), KN_ARGS(&x, &y), KN_ARGS(&one, &two), &v, &d);
    expect_near(v, 1e-14, 3 * sin(1));
    expect_near(d, 1e-14, 3 * cos(1) + 2 * sin(1));
    kn_call(kn_value_and_grad(kn_jit(custom_g())), &both, &x, &y);
    expect_near(both.a, 1e-14, 3 * sin(1));
    expect_near(both.b, 1e-14, 3 * cos(1));
}

static void derivatives_of_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0), d;
    kn_call(kn_grad(kn_grad(custom_f())), &d, &x, &y);
    expect_near(d, 1e-14, -3 * sin(1));
    kn_call(kn_grad(kn_grad(custom_g())), &d, &x, &y);
    expect_near(d, 1e-14, -3 * sin(1));
    kn_call(kn_grad(kn_grad(kn_grad(custom_f()))), &d, &x, &y);
    expect_near(d, 1e-14, -3 * cos(1));
    kn_call(kn_jit(kn_jacfwd(kn_jacrev(custom_f()))), &d, &x, &y);
    expect_near(d, 1e-14, -3 * sin(1));
}

static void over_a_batch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_scalar(3.0), d;
    kn_fn f_grad = kn_grad(custom_f()), g_grad = kn_grad(custom_g());
    kn_call(kn_vmap(f_grad, .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &d, &x, &y);
    expect_near(d, 1e-14, 3 * cos(1), 3 * cos(2));
    kn_call(kn_vmap(g_grad, .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &d, &x, &y);
    expect_near(d, 1e-14, 3 * cos(1), 3 * cos(2));
}

static kn_array batched_f(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_call(kn_vmap(custom_f(), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, x, y);
    return sum_of(out);
}
static kn_array batched_g(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_call(kn_vmap(custom_g(), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, x, y);
    return sum_of(out);
}
KN_FUNCTION(batched_f, kn_array, kn_array, kn_array)
KN_FUNCTION(batched_g, kn_array, kn_array, kn_array)

static void the_derivative_of_a_batch_sums_over_what_was_shared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_scalar(3.0);
    Pair d;
    kn_call(kn_grad(KN_FN(batched_f), .argnums = KN_ARGNUMS(0, 1)), &d, &x, &y);
    expect_near(d.a, 1e-14, 3 * cos(1), 3 * cos(2));
    expect_near(d.b, 1e-14, sin(1) + sin(2));
    kn_call(kn_jit(kn_grad(KN_FN(batched_g), .argnums = KN_ARGNUMS(0, 1))), &d, &x, &y);
    expect_near(d.a, 1e-14, 3 * cos(1), 3 * cos(2));
    expect_near(d.b, 1e-14, sin(1) + sin(2));
}

static void jacobians(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 3, 4), d;
    kn_call(kn_jacrev(custom_g()), &d, &x, &y);
    expect_near(d, 1e-14, 3 * cos(1), 0, 0, 4 * cos(2));
    kn_call(kn_jacfwd(custom_f()), &d, &x, &y);
    expect_near(d, 1e-14, 3 * cos(1), 0, 0, 4 * cos(2));
}

static void a_batch_of_a_batch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), y = kn_of(double, 5, 6), d;
    kn_fn rows = kn_vmap(kn_grad(KN_FN(batched_g)), .in_axes = {KN_MAPPED(1), KN_MAPPED(0)});
    kn_call(rows, &d, &x, &y);
    expect_near(d, 1e-14, 5 * cos(1), 5 * cos(3), 6 * cos(2), 6 * cos(4));
}

/* ---- Texts. */

static Dual twice_jvp(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy)
{
    Dual out = {.y = kn_mul(kn_sin(*x), *y)};
    out.dy = kn_add(kn_mul(kn_mul(kn_cos(*x), *dx), *y), kn_mul(kn_sin(*x), *dy));
    return out;
}
KN_FUNCTION(twice_jvp, Dual, kn_array, kn_array, kn_array, kn_array)
static Dual pushed(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy)
{
    Dual out = {0};
    kn_jvp(kn_custom_jvp(KN_FN(f), KN_FN(twice_jvp)), KN_ARGS(x, y), KN_ARGS(dx, dy), &out.y, &out.dy);
    return out;
}
KN_FUNCTION(pushed, Dual, kn_array, kn_array, kn_array, kn_array)

static void texts_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = kn_of(float, 1, 2, 3);
    golden_same_text("custom_jvp", custom_f(), KN_ARGS(&x, &x));
    golden_same_text("custom_jvp_vmap", kn_vmap(custom_f()), KN_ARGS(&v, &v));
    golden_same_text("custom_jvp_in_jit", kn_jit(custom_f()), KN_ARGS(&x, &x));
    golden_same_text("custom_jvp_jvp", KN_FN(pushed), KN_ARGS(&x, &x, &x, &x));
    golden_same_text("custom_vjp", custom_g(), KN_ARGS(&x, &x));
    golden_same_text("custom_vjp_vmap", kn_vmap(custom_g()), KN_ARGS(&v, &v));
    golden_same_text("custom_vjp_vmap_one", kn_vmap(custom_g(), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}),
                     KN_ARGS(&v, &x));
}

static void a_text_read_back_can_be_called_but_has_no_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0), out;
    const char *text = kn_jaxpr_text(kn_make_jaxpr(custom_f(), KN_ARGS(&x, &y)), KN_JAXPR_FULL);
    kn_jaxpr back = kn_jaxpr_parse(text);
    assert_string_equal(kn_jaxpr_text(back, KN_JAXPR_FULL), text);
    kn_call(kn_fn_from_jaxpr(back), &out, &x, &y);
    expect_near(out, 1e-14, 3 * sin(1));
    kn_call(kn_grad(kn_fn_from_jaxpr(back)), &out, &x, &y);
    expect_error_with("ValueError", "the rule f_jvp is known by its name only");
}

/* ---- Rules are recorded once for each list of types. */

static void many_calls_record_a_rule_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array d;
    rule_calls = 0;
    for (int i = 0; i < 2000; i++) {
        KN_SCOPE;
        kn_array a = kn_scalar(0.001 * i), b = kn_scalar(2.0);
        kn_call(kn_grad(custom_f()), &d, &a, &b);
        kn_call(kn_jit(kn_grad(custom_g())), &d, &a, &b);
    }
    assert_in_range(rule_calls, 0, 3); /* less if other tests asked before */
}

typedef struct {
    int how;
} How;

/* ---- Integers, several results, data bound to functions. */

typedef struct {
    int power;
} Power;
static Pair power_of(const Power *env, const kn_array *x, const kn_array *n)
{
    return (Pair){kn_power(*x, env->power), kn_add(*n, 1)};
}
typedef struct {
    kn_array y, n, dy, dn;
} PairDual;
static PairDual power_jvp(const Power *env, const kn_array *x, const kn_array *n, const kn_array *dx,
                          const kn_array *dn)
{
    kn_array slope = kn_mul(kn_mul(kn_power(*x, env->power - 1), env->power), 10);
    return (PairDual){kn_power(*x, env->power), kn_add(*n, 1), kn_mul(slope, *dx), *dn};
}
KN_FUNCTION_ENV(power_of, Pair, Power, kn_array, kn_array)
KN_FUNCTION_ENV(power_jvp, PairDual, Power, kn_array, kn_array, kn_array, kn_array)
static kn_array first_power(const kn_array *x, const kn_array *n)
{
    Power p = {3};
    Pair out = {0};
    kn_call(kn_custom_jvp(KN_FN_ENV(power_of, &p), KN_FN_ENV(power_jvp, &p)), &out, x, n);
    return out.a;
}
KN_FUNCTION(first_power, kn_array, kn_array, kn_array)

static void integers_have_no_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), n = kn_scalar(7), d;
    kn_call(kn_grad(KN_FN(first_power)), &d, &x, &n);
    expect_values(d, 120); /* ten times 3 x^2 */
}

/* ---- Random keys. */

static Pair noisy(const kn_array *key, const kn_array *x)
{
    return (Pair){kn_mul(*x, kn_random_normal(*key, KN_SHAPE())), *key};
}
static PairDual noisy_jvp(const kn_array *key, const kn_array *x, const kn_array *dkey, const kn_array *dx)
{
    return (PairDual){kn_mul(*x, kn_random_normal(*key, KN_SHAPE())), *key, kn_mul(*dx, 10), *dkey};
}
static Kept noisy_fwd(const kn_array *key, const kn_array *x)
{
    return (Kept){kn_mul(*x, kn_random_normal(*key, KN_SHAPE())), *key, *key, *x};
}
static Pair noisy_bwd(const Pair *kept, const Pair *ct) { return (Pair){kept->a, kn_mul(ct->a, 10)}; }
KN_FUNCTION(noisy, Pair, kn_array, kn_array)
KN_FUNCTION(noisy_jvp, PairDual, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(noisy_fwd, Kept, kn_array, kn_array)
KN_FUNCTION(noisy_bwd, Pair, Pair, Pair)
static kn_array noise(const How *how, const kn_array *key, const kn_array *x)
{
    Pair out = {0};
    kn_call(how->how ? kn_custom_vjp(KN_FN(noisy), KN_FN(noisy_fwd), KN_FN(noisy_bwd))
                     : kn_custom_jvp(KN_FN(noisy), KN_FN(noisy_jvp)),
            &out, key, x);
    return out.a;
}
KN_FUNCTION_ENV(noise, kn_array, How, kn_array, kn_array)

static void keys_have_no_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(3), x = kn_scalar(2.0), d;
    for (int how = 0; how < 2; how++) {
        kn_call(kn_grad(KN_FN_ENV(noise, &((How){how})), .argnums = KN_ARGNUMS(1)), &d, &key, &x);
        expect_values(d, 10);
    }
}

/* ---- Captured arrays. */

static kn_array scaled(const kn_array *w, const kn_array *x) { return kn_mul(*w, *x); }
KN_CLOSURE(scaled, kn_array, kn_array, kn_array)
static Dual scaled_jvp(const kn_array *w, const kn_array *x, const kn_array *dx)
{
    return (Dual){kn_mul(*w, *x), kn_mul(kn_mul(*w, *dx), 10)};
}
KN_CLOSURE(scaled_jvp, Dual, kn_array, kn_array, kn_array)
static Dual scaled_by_jvp(const kn_array *w, const kn_array *x, const kn_array *dw, const kn_array *dx)
{
    return (Dual){kn_mul(*w, *x), kn_add(kn_mul(kn_mul(*w, *dx), 10), kn_mul(kn_mul(*x, *dw), 100))};
}
KN_FUNCTION(scaled_by_jvp, Dual, kn_array, kn_array, kn_array, kn_array)
static Pair scaled_fwd(const kn_array *w, const kn_array *x) { return (Pair){kn_mul(*w, *x), *w}; }
KN_CLOSURE(scaled_fwd, Pair, kn_array, kn_array)
static kn_array scaled_bwd(const kn_array *t, const kn_array *w, const kn_array *ct)
{
    return kn_mul(kn_mul(*w, *ct), *t);
}
KN_CLOSURE(scaled_bwd, kn_array, kn_array, kn_array, kn_array)
static Kept scaled_by_fwd(const kn_array *w, const kn_array *x) { return (Kept){kn_mul(*w, *x), *w, *x, *x}; }
KN_FUNCTION(scaled_by_fwd, Kept, kn_array, kn_array)
static Pair scaled_by_bwd(const Residuals *r, const kn_array *ct)
{
    return (Pair){kn_mul(kn_mul(r->b, *ct), 100), kn_mul(kn_mul(r->a, *ct), 10)};
}
KN_FUNCTION(scaled_by_bwd, Pair, Residuals, kn_array)

static kn_array with_w(const How *how, const kn_array *w, const kn_array *x)
{
    kn_array out = NULL, ten = kn_scalar(10.0);
    kn_fn f_of_w = KN_CLOSE(scaled, w), fn = NULL;
    if (how->how == 0)
        fn = kn_custom_jvp(f_of_w, KN_CLOSE(scaled_jvp, w));
    if (how->how == 1)
        fn = kn_custom_jvp(f_of_w, KN_FN(scaled_by_jvp));
    if (how->how == 2)
        fn = kn_custom_vjp(f_of_w, KN_CLOSE(scaled_fwd, w), KN_CLOSE(scaled_bwd, &ten));
    if (how->how == 3)
        fn = kn_custom_vjp(f_of_w, KN_FN(scaled_by_fwd), KN_FN(scaled_by_bwd));
    kn_call(fn, &out, x);
    return sum_of(out);
}
KN_FUNCTION_ENV(with_w, kn_array, How, kn_array, kn_array)

static void captured_arrays_are_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 2, 3), x = kn_of(double, 5, 7), d;
    for (int how = 0; how < 4; how++) {
        kn_call(kn_grad(KN_FN_ENV(with_w, &((How){how})), .argnums = KN_ARGNUMS(1)), &d, &w, &x);
        expect_near(d, 1e-14, 20, 30);
        kn_call(kn_jit(kn_grad(KN_FN_ENV(with_w, &((How){how})), .argnums = KN_ARGNUMS(1))), &d, &w, &x);
        expect_near(d, 1e-14, 20, 30);
    }
}

static void rules_that_take_captured_arrays_differentiate_by_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 2, 3), x = kn_of(double, 5, 7), d;
    for (int how = 1; how < 4; how += 2) {
        kn_call(kn_grad(KN_FN_ENV(with_w, &((How){how}))), &d, &w, &x);
        expect_near(d, 1e-14, 500, 700);
    }
}

static void other_rules_refuse_derivatives_by_captured_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 2, 3), x = kn_of(double, 5, 7), d;
    kn_call(kn_grad(KN_FN_ENV(with_w, &((How){0}))), &d, &w, &x);
    expect_error_with("TypeError", "Detected differentiation of a custom_jvp function with respect to a closed-over");
    kn_call(kn_grad(KN_FN_ENV(with_w, &((How){2}))), &d, &w, &x);
    expect_error_with("TypeError", "Detected differentiation of a custom_vjp function with respect to a closed-over");
}

static void rows_of_captured_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_reshape(kn_of(double, 2, 3, 4, 5), KN_SHAPE(2, 2)), x = kn_of(double, 5, 7), d;
    for (int how = 0; how < 4; how++) {
        kn_fn rows = kn_vmap(kn_grad(KN_FN_ENV(with_w, &((How){how})), .argnums = KN_ARGNUMS(1)),
                             .in_axes = {KN_MAPPED(0), KN_UNMAPPED});
        kn_call(rows, &d, &w, &x);
        expect_near(d, 1e-14, 20, 30, 40, 50);
    }
}

/* ---- A function without a reverse derivative of its own: the square root by a loop. */

typedef struct {
    kn_array i, x, a;
} Newton;
static kn_array go_on(const Newton *s) { return kn_less(s->i, 30); }
static Newton step(const Newton *s)
{
    return (Newton){kn_add(s->i, 1), kn_mul(kn_add(s->x, kn_div(s->a, s->x)), 0.5), s->a};
}
KN_FUNCTION(go_on, kn_array, Newton)
KN_FUNCTION(step, Newton, Newton)
static kn_array root(const kn_array *a)
{
    Newton end = {0}, start = {kn_scalar(0), kn_ones_like(*a), *a};
    kn_while_loop(KN_FN(go_on), KN_FN(step), &end, &start);
    return end.x;
}
KN_FUNCTION(root, kn_array, kn_array)
static kn_fn custom_root(void);
static Dual root_jvp(const kn_array *a, const kn_array *da)
{
    Dual out = {0};
    kn_call(custom_root(), &out.y, a);
    out.dy = kn_div(*da, kn_mul(out.y, 2));
    return out;
}
KN_FUNCTION(root_jvp, Dual, kn_array, kn_array)
static kn_fn custom_root(void) { return kn_custom_jvp(KN_FN(root), KN_FN(root_jvp)); }

static void a_loop_gets_a_reverse_derivative(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(4.0), d;
    kn_call(kn_grad(custom_root()), &d, &a);
    expect_near(d, 1e-14, 0.25);
    kn_call(kn_jit(kn_grad(kn_grad(custom_root()))), &d, &a);
    expect_near(d, 1e-14, -0.25 / 8);
    a = kn_of(double, 4, 9);
    kn_call(kn_jit(kn_vmap(kn_grad(custom_root()))), &d, &a);
    expect_near(d, 1e-14, 1.0 / 4, 1.0 / 6);
}

/* ---- A jaxpr as a function, with a rule that calls it. */

static kn_fn read_back;
static Dual read_jvp(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy)
{
    Dual out = {0};
    kn_call(read_back, &out.y, x, y);
    out.dy = kn_add(kn_mul(*dx, 10), kn_mul(*dy, 100));
    return out;
}
KN_FUNCTION(read_jvp, Dual, kn_array, kn_array, kn_array, kn_array)

static void a_jaxpr_may_have_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0);
    Pair d;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(f), KN_ARGS(&x, &y));
    read_back = kn_custom_jvp(kn_fn_from_jaxpr(j), KN_FN(read_jvp));
    for (int i = 0; i < 2; i++) {
        kn_call(kn_grad(read_back, .argnums = KN_ARGNUMS(0, 1)), &d, &x, &y);
        expect_values(d.a, 10);
        expect_values(d.b, 100);
    }
}

/* ---- Rules that speak of named axes. */

static kn_array centred(const kn_array *x) { return kn_sub(*x, kn_lax_pmean(*x, "i")); }
static Dual centred_jvp(const kn_array *x, const kn_array *dx)
{
    return (Dual){kn_sub(*x, kn_lax_pmean(*x, "i")), kn_mul(kn_sub(*dx, kn_lax_pmean(*dx, "i")), 10)};
}
KN_FUNCTION(centred, kn_array, kn_array)
KN_FUNCTION(centred_jvp, Dual, kn_array, kn_array)
static kn_array weighted_lanes(const kn_array *x, const kn_array *w)
{
    kn_array y = NULL;
    kn_call(kn_vmap(kn_custom_jvp(KN_FN(centred), KN_FN(centred_jvp)), .axis_name = "i"), &y, x);
    return kn_sum(kn_mul(y, *w));
}
KN_FUNCTION(weighted_lanes, kn_array, kn_array, kn_array)

static void rules_see_the_axes_of_their_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 6), w = kn_of(double, 1, 2, 3), d;
    kn_call(kn_grad(KN_FN(weighted_lanes)), &d, &x, &w);
    expect_near(d, 1e-14, -10, 0, 10);
    kn_call(kn_jit(kn_grad(KN_FN(weighted_lanes))), &d, &x, &w);
    expect_near(d, 1e-14, -10, 0, 10);
}

/* ---- At a point. */

static void pullbacks_and_linear_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0), two = kn_scalar(2.0), v, d;
    Pair both;
    kn_fn back = kn_vjp(custom_g(), KN_ARGS(&x, &y), &v);
    expect_near(v, 1e-14, 3 * sin(1));
    kn_call(back, &both, &two);
    expect_near(both.a, 1e-14, 6 * cos(1));
    expect_near(both.b, 1e-14, 2 * sin(1));
    kn_call(kn_linearize(custom_f(), KN_ARGS(&x, &y), &v), &d, &two, &two);
    expect_near(d, 1e-14, 6 * cos(1) + 2 * sin(1));
    kn_call(kn_linearize(custom_g(), KN_ARGS(&x, &y), &v), &d, &two, &two);
    kn_eval(d);
    expect_error_with("TypeError", "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
}

static kn_array looks(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_call(custom_g(), &out, x, y);
    return kn_item(out) > 0 ? kn_mul(out, 10) : out;
}
KN_FUNCTION(looks, kn_array, kn_array, kn_array)

static void values_can_be_looked_at_under_grad_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(3.0), d;
    kn_call(kn_grad(KN_FN(looks)), &d, &x, &y);
    expect_near(d, 1e-13, 30 * cos(1));
}

KN_TEST_GROUP(test_custom_rules)
{
    const struct CMUnitTest tests[] = {
        TEST(the_value_is_the_functions),
        TEST(derivatives_are_the_rules),
        TEST(derivatives_of_derivatives),
        TEST(over_a_batch),
        TEST(the_derivative_of_a_batch_sums_over_what_was_shared),
        TEST(jacobians),
        TEST(a_batch_of_a_batch),
        TEST(texts_are_those_of_jax),
        TEST(a_text_read_back_can_be_called_but_has_no_rules),
        TEST(many_calls_record_a_rule_once),
        TEST(integers_have_no_tangents),
        TEST(keys_have_no_tangents),
        TEST(captured_arrays_are_operands),
        TEST(rules_that_take_captured_arrays_differentiate_by_them),
        TEST(other_rules_refuse_derivatives_by_captured_arrays),
        TEST(rows_of_captured_arrays),
        TEST(a_loop_gets_a_reverse_derivative),
        TEST(a_jaxpr_may_have_rules),
        TEST(rules_see_the_axes_of_their_function),
        TEST(pullbacks_and_linear_functions),
        TEST(values_can_be_looked_at_under_grad_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
