/* SPDX-License-Identifier: Apache-2.0
 * test_custom_rules.c -- custom_jvp and custom_vjp: values and derivatives against closed forms, under all
 * transformations, and what is wrong with rules. Rules here are often wrong by a factor on purpose, to tell them from
 * the derivative of the body. */
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
