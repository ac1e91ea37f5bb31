/* SPDX-License-Identifier: Apache-2.0
 * test_transform_options.c -- options of the transformations as JAX has them: results that are not differentiated,
 * axes per array, holomorphic derivatives, integers among the arguments. Numbers are JAX 0.10's. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Pair;
static Pair sine_and_square(const kn_array *x, const kn_array *y)
{
    return (Pair){kn_mul(kn_sin(*x), *y), kn_square(*x)};
}
KN_FUNCTION(sine_and_square, Pair, kn_array, kn_array)

static void jvp_leaves_aux_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1), y = kn_of(double, 2, 3), dx = kn_of(double, 1, 2), dy = kn_of(double, 0, 1);
    kn_array value, tangent, aux;
    kn_jvp_aux(KN_FN(sine_and_square), KN_ARGS(&x, &y), KN_ARGS(&dx, &dy), &value, &tangent, &aux);
    expect_near(value, 1e-15, 0.958851077208406, 2.5244129544236893);
    expect_near(tangent, 1e-15, 1.7551651237807455, 4.083284820016735);
    expect_values(aux, 0.25, 1);
}

static void vjp_and_linearize_leave_aux_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1), y = kn_of(double, 2, 3), ct = kn_of(double, 1, 2), value, aux, t;
    Pair g;
    kn_fn pullback = kn_vjp_aux(KN_FN(sine_and_square), KN_ARGS(&x, &y), &value, &aux);
    kn_call(pullback, &g, &ct);
    expect_near(g.a, 1e-15, 1.7551651237807455, 3.2418138352088386);
    expect_near(g.b, 1e-15, 0.479425538604203, 1.682941969615793);
    expect_values(aux, 0.25, 1);
    kn_fn linear = kn_linearize_aux(KN_FN(sine_and_square), KN_ARGS(&x, &y), &value, &aux);
    kn_array dx = kn_of(double, 1, 2), dy = kn_of(double, 0, 1);
    kn_call(linear, &t, &dx, &dy);
    expect_near(t, 1e-15, 1.7551651237807455, 4.083284820016735);
    expect_near(value, 1e-15, 0.958851077208406, 2.5244129544236893);
}

static void jacobians_hand_aux_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1), y = kn_of(double, 2, 3);
    for (int i = 0; i < 2; i++) {
        Pair j;
        kn_fn f =
            i ? kn_jacrev(KN_FN(sine_and_square), .has_aux = true) : kn_jacfwd(KN_FN(sine_and_square), .has_aux = true);
        kn_call(f, &j, &x, &y);
        expect_near(j.a, 1e-15, 1.7551651237807455, 0, 0, 1.6209069176044193);
        expect_values(j.b, 0.25, 1);
    }
    kn_array p = kn_scalar(0.5), q = kn_scalar(2.0);
    Pair h;
    kn_call(kn_hessian(KN_FN(sine_and_square), .has_aux = true), &h, &p, &q);
    expect_near(h.a, 1e-15, -0.958851077208406);
    expect_values(h.b, 0.25);
}

static void so_many_results_are_aux(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jacrev(KN_FN(sine_and_square), .has_aux = true, .n_aux = 2);
    expect_error("ValueError", "jacrev: 2 results of sine_and_square cannot be aux: it returns 2 arrays");
}

/* ---- Complex numbers. */

static kn_array cube(const kn_array *z) { return kn_mul(kn_mul(*z, *z), *z); }
static kn_array modulus(const kn_array *z) { return kn_abs(*z); }
KN_FUNCTION(cube, kn_array, kn_array)
KN_FUNCTION(modulus, kn_array, kn_array)

static void holomorphic_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_scalar(1.0 + 2.0 * __extension__ 1.0i), d;
    kn_fn all[] = {kn_grad(KN_FN(cube), .holomorphic = true), kn_jacfwd(KN_FN(cube), .holomorphic = true),
                   kn_jacrev(KN_FN(cube), .holomorphic = true)};
    for (int i = 0; i < 3; i++) {
        kn_call(all[i], &d, &z);
        expect_near(kn_real(d), 1e-14, -9); /* 3 z^2 */
        expect_near(kn_imag(d), 1e-14, 12);
    }
    kn_call(kn_hessian(KN_FN(cube), .holomorphic = true), &d, &z);
    expect_near(kn_real(d), 1e-14, 6);
    expect_near(kn_imag(d), 1e-14, 12);
}

static void holomorphic_is_asked_for_and_kept(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_scalar(1.0 + 2.0 * __extension__ 1.0i), x = kn_scalar(1.0), d;
    kn_call(kn_grad(KN_FN(cube), .holomorphic = true), &d, &x);
    expect_error_with("TypeError", "grad with holomorphic = true requires inputs with complex dtype, but got float64");
    kn_call(kn_grad(KN_FN(modulus), .holomorphic = true), &d, &z);
    expect_error_with("TypeError", "requires outputs with complex dtype, but modulus returned float64");
    kn_call(kn_jacfwd(KN_FN(cube)), &d, &z);
    expect_error_with("TypeError", "jacfwd requires real-valued inputs, but got complex128");
    kn_call(kn_jacrev(KN_FN(cube)), &d, &z);
    expect_error_with("TypeError", "jacrev requires real-valued outputs, but cube returned complex128");
}

/* ---- Integers. */

static kn_array scaled(const kn_array *x, const kn_array *n) { return kn_sum(kn_mul(*x, *n)); }
KN_FUNCTION(scaled, kn_array, kn_array, kn_array)

static void gradients_of_integers_are_zeros(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), n = kn_of(int32_t, 3, 4);
    Pair g;
    kn_call(kn_grad(KN_FN(scaled), .argnums = KN_ARGNUMS(0, 1), .allow_int = true), &g, &x, &n);
    expect_values(g.a, 3, 4);
    expect_values(g.b, 0, 0);
    assert_ptr_equal(kn_dtype_of(g.b), KN_I32);
    kn_call(kn_jacrev(KN_FN(scaled), .argnums = KN_ARGNUMS(0, 1), .allow_int = true), &g, &x, &n);
    expect_values(g.a, 3, 4);
    expect_values(g.b, 0, 0);
    kn_call(kn_grad(KN_FN(scaled), .argnums = KN_ARGNUMS(1)), &g.a, &x, &n);
    expect_error_with("TypeError", "must be real or complex floating point");
}

/* ---- vmap. */

static kn_array weighted(const Pair *p, const kn_array *x) { return kn_add(kn_mul(p->a, *x), p->b); }
KN_FUNCTION(weighted, kn_array, Pair, kn_array)

static void axes_by_array(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(2, 3)), kn_of(double, 10, 20)};
    kn_array x = kn_of(double, 1, 1, 2), y;
    /* a by its second axis, b as it is, x by its first: a[:, i] * x[i] + b */
    kn_call(kn_vmap(KN_FN(weighted), .in_leaves = {KN_LEAVES(KN_MAPPED(1), KN_UNMAPPED)}), &y, &p, &x);
    expect_values(y, 11, 24, 12, 25, 16, 32);
    kn_call(kn_jit(kn_vmap(KN_FN(weighted), .in_leaves = {KN_LEAVES(KN_MAPPED(-1), KN_UNMAPPED)})), &y, &p, &x);
    expect_values(y, 11, 24, 12, 25, 16, 32);
    kn_call(kn_vmap(KN_FN(weighted), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &p, &x);
    expect_values(y, 11, 12, 16, 24, 25, 32);
}

static void too_many_axes_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_vmap(KN_FN(weighted), .in_axes = {KN_MAPPED(0), KN_MAPPED(0), KN_MAPPED(0)});
    expect_error("ValueError",
                 "vmap: in_axes must have entries corresponding to the arguments of the function, but has 3, "
                 "and weighted takes 2");
    kn_vmap(KN_FN(weighted), .in_leaves = {KN_LEAVES(KN_MAPPED(0))});
    expect_error("ValueError", "vmap: in_leaves of argument 0 has 1 axes, but it has 2 arrays");
}

KN_TEST_GROUP(test_transform_options)
{
    const struct CMUnitTest tests[] = {
        TEST(jvp_leaves_aux_alone),
        TEST(vjp_and_linearize_leave_aux_alone),
        TEST(jacobians_hand_aux_on),
        TEST(so_many_results_are_aux),
        TEST(holomorphic_derivatives),
        TEST(holomorphic_is_asked_for_and_kept),
        TEST(gradients_of_integers_are_zeros),
        TEST(axes_by_array),
        TEST(too_many_axes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
