/* SPDX-License-Identifier: Apache-2.0
 * test_static_arguments.c -- arguments whose values are part of what kn_jit records (.static_argnums): they can be
 * looked at, each value is recorded once, and what cannot be static is refused. */
#include "support/expect.h"
#include "support/group.h"

static int n_recorded;

/* x to the power n, by n - 1 products */
static kn_array power_of(const kn_array *x, const kn_array *n)
{
    kn_array y = *x;
    n_recorded++;
    for (int64_t i = 1; i < kn_item_int(*n); i++)
        y = kn_mul(y, *x);
    return kn_sum(y);
}
KN_FUNCTION(power_of, kn_array, kn_array, kn_array)

static kn_array power(kn_fn fn, kn_array x, int64_t exponent)
{
    kn_array n = kn_scalar(exponent), y = NULL;
    kn_call(fn, &y, &x, &n);
    return y;
}

static void each_value_is_recorded_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1));
    kn_array x = kn_of(double, 1, 2, 3);
    n_recorded = 0;
    for (int round = 0; round < 3; round++) {
        expect_values(power(f, x, 2), 14);
        expect_values(power(f, x, 3), 36);
    }
    assert_int_equal(n_recorded, 2);
    assert_int_equal(kn_fn_trace_count(f), 2);
    expect_values(power(kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1)), x, 3), 36);
    assert_int_equal(n_recorded, 2); /* the same function, made again */
    expect_values(power(f, kn_of(double, 1, 2), 3), 9);
    assert_int_equal(n_recorded, 3);
    kn_call(f, &x, &x, KN_TREE(&(struct { kn_array n; }){kn_num(2)}));
    expect_values(x, 14);
}

static void under_transformations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), m = kn_stack(KN_LIST(x, kn_mul(2, x)));
    kn_fn f = kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1));
    expect_values(power(kn_grad(f), x, 3), 3, 12, 27);
    expect_values(power(kn_jit(kn_grad(KN_FN(power_of)), .static_argnums = KN_ARGNUMS(1)), x, 3), 3, 12, 27);
    expect_values(power(kn_vmap(f, .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), m, 2), 14, 56);
    expect_values(
        power(kn_jit(kn_vmap(KN_FN(power_of), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), .static_argnums = KN_ARGNUMS(1)),
              m, 2),
        14, 56);
    kn_array n = kn_scalar((int64_t)3);
    kn_jaxpr j = kn_make_jaxpr(f, KN_ARGS(&x, &n));
    assert_non_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "mul"));
    expect_no_error();
}

/* A text, as bytes. */
static kn_array chosen(const kn_array *x, const kn_array *name)
{
    return strncmp((const char *)kn_data(*name, uint8_t), "sin", 3) ? kn_cos(*x) : kn_sin(*x);
}
KN_FUNCTION(chosen, kn_array, kn_array, kn_array)

static void a_text_is_an_array_of_bytes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(chosen), .static_argnums = KN_ARGNUMS(1));
    kn_array x = kn_scalar(0.0), y = NULL, name = kn_frombuffer("sin", 3, .dtype = KN_U8);
    kn_call(f, &y, &x, &name);
    expect_values(y, 0);
    name = kn_frombuffer("cos", 3, .dtype = KN_U8);
    kn_call(f, &y, &x, &name);
    expect_values(y, 1);
}

static kn_array calls_with_a_tracer(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1)), &y, x, x);
    return y;
}
KN_FUNCTION(calls_with_a_tracer, kn_array, kn_array)
static kn_array carried(const kn_array *x) { return *x; }
KN_FUNCTION(carried, kn_array, kn_array)

static void what_cannot_be_static(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), m = kn_ones(KN_SHAPE(2, 2)), y = NULL, big = kn_zeros(KN_SHAPE(10000));
    kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(2));
    expect_error("ValueError", "jit: static_argnums 2 is out of range: power_of has 2 arguments");
    kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(-1));
    expect_error("ValueError", "jit: static_argnums -1 is out of range: power_of has 2 arguments");
    kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1), .donate_argnums = KN_ARGNUMS(1));
    expect_error("TypeError", "jit: argument 1 of power_of cannot be static and donated");
    kn_fn f = kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(1));
    kn_call(f, &y, &x, &big);
    expect_error_with("ValueError", "static argument 1 of power_of has more than 65536 bytes");
    kn_call(kn_vmap(f), &y, &m, &x);
    expect_error_with("ValueError", "vmap over argument 1 of power_of, which is static");
    kn_call(kn_jit(KN_FN(calls_with_a_tracer)), &y, &x);
    expect_error_with("ConcretizationError", "");
    kn_fori_loop(0, 2, kn_jit(KN_FN(power_of), .static_argnums = KN_ARGNUMS(0)), &y, &x);
    expect_error_with("ValueError", "has static arguments, which have no value there");
    kn_while_loop(KN_FN(carried), kn_jit(KN_FN(carried), .static_argnums = KN_ARGNUMS(0)), &y, &x);
    expect_error_with("ValueError", "has static arguments, which have no value there");
}

typedef struct {
    char kind;
    double factor;
} Env;
static kn_array scaled(const Env *env, const kn_array *x) { return kn_mul(env->factor, *x); }
KN_FUNCTION_ENV(scaled, kn_array, Env, kn_array)

static void bytes_between_fields_do_not_count(void **state)
{
    (void)state;
    KN_SCOPE;
    Env a, b;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    memset(&a, 1, sizeof a);
    memset(&b, 2, sizeof b);
    a.kind = b.kind = 'k';
    a.factor = b.factor = 3;
    kn_call(kn_jit(KN_FN_ENV(scaled, &a)), &y, &x);
    kn_fn f = kn_jit(KN_FN_ENV(scaled, &b));
    kn_call(f, &y, &x);
    expect_values(y, 3, 6);
#if defined(__GNUC__) && !defined(__clang__)
    assert_int_equal(kn_fn_trace_count(f), 1);
#endif
    kn_fn_of(&kn_function_of_scaled, NULL);
    expect_error_with("TypeError", "needs its environment");
}

KN_TEST_GROUP(test_static_arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(each_value_is_recorded_once),       TEST(under_transformations),
        TEST(a_text_is_an_array_of_bytes),       TEST(what_cannot_be_static),
        TEST(bytes_between_fields_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
