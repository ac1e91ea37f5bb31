/* SPDX-License-Identifier: Apache-2.0
 * test_eager_transforms.c -- transformed functions whose arguments, or captured arrays, have tangents, are watched or have
 * batch axes; and functions that do such things inside. Beside transformations alone. */
#include "support/group.h"
#include "unit/eager/same.h"

static kn_array cubes(const kn_array *x) { return kn_sum(kn_mul(kn_square(*x), kn_sin(*x))); }
KN_FUNCTION(cubes, kn_array, kn_array)
static kn_array slope(const kn_array *x)
{
    kn_array g;
    kn_call(kn_grad(KN_FN(cubes)), &g, x);
    return g;
}
KN_FUNCTION(slope, kn_array, kn_array)
static kn_array slopes(const kn_array *x) { return kn_sum(slope(x)); }
KN_FUNCTION(slopes, kn_array, kn_array)
static kn_array rows(const kn_array *x)
{
    kn_array y;
    kn_call(kn_vmap(KN_FN(slope)), &y, x);
    return y;
}
KN_FUNCTION(rows, kn_array, kn_array)
static kn_array rows_summed(const kn_array *x) { return kn_sum(kn_mul(rows(x), *x)); }
KN_FUNCTION(rows_summed, kn_array, kn_array)
static kn_array curvature(const kn_array *x)
{
    kn_array h;
    kn_call(kn_hessian(KN_FN(cubes)), &h, x);
    return kn_sum(kn_square(h));
}
KN_FUNCTION(curvature, kn_array, kn_array)

/* f of a watched array, gone back from, has kn_grad's bits. */
static void check(kn_fn f, kn_array x)
{
    kn_array w = kn_watch(kn_copy(x)), y, want;
    kn_call(kn_grad(f), &want, &x);
    kn_call(f, &y, &w);
    assert_int_equal(kn_backward(y), 0);
    same(kn_grad_of(w), want);
    kn_call(kn_jit(f), &y, &w); /* adds up */
    assert_int_equal(kn_backward(y), 0);
    same(kn_grad_of(w), kn_mul(want, 2));
}

static void transformed_functions_of_watched_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1, 2), m = kn_stack(KN_LIST(x, kn_mul(x, 2)));
    check(KN_FN(cubes), x);
    check(KN_FN(slopes), x);
    check(KN_FN(rows_summed), m);
    check(KN_FN(curvature), x);
}

static void transformed_functions_of_arrays_with_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1, 2), t = kn_of(double, 1, -1, 3);
    const kn_fn each[] = {KN_FN(cubes), KN_FN(slope), KN_FN(curvature)};
    for (int k = 0; k < 3; k++) {
        kn_array y, dy, got, in = kn_with_tangent(x, t);
        kn_jvp(each[k], KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
        kn_call(each[k], &got, &in);
        same(kn_primal_of(got), y);
        same(kn_tangent_of(got), dy);
        kn_call(kn_jit(each[k]), &got, &in);
        same(kn_tangent_of(got), dy);
    }
}

static void transformed_functions_of_arrays_with_batch_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_sin(kn_reshape(kn_arange(0., 6., 1), KN_SHAPE(2, 3))), b = kn_batch_in(xs, 0);
    const kn_fn each[] = {KN_FN(cubes), KN_FN(slope), KN_FN(curvature)};
    for (int k = 0; k < 3; k++) {
        kn_array want, got;
        kn_call(kn_vmap(each[k]), &want, &xs);
        kn_call(each[k], &got, &b);
        same(kn_batch_out(got, 0), want);
        kn_call(kn_jit(each[k]), &got, &b);
        same(kn_batch_out(got, 0), want);
    }
    kn_array m = kn_reshape(kn_sin(kn_arange(0., 12., 1)), KN_SHAPE(2, 2, 3)), want, got, mb = kn_batch_in(m, 1);
    kn_call(kn_vmap(KN_FN(rows), .in_axes = {KN_MAPPED(1)}), &want, &m);
    kn_call(KN_FN(rows), &got, &mb); /* lanes of kn_vmap over those */
    same(kn_batch_out(got, 0), want);
}

/* ---- Captured arrays. */

typedef struct {
    kn_array w;
} Given;
static kn_array weighted(const Given *g, const kn_array *x) { return kn_sum(kn_mul(kn_exp(g->w), *x)); }
KN_CLOSURE(weighted, kn_array, Given, kn_array)

static void captured_arrays_are_followed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), w = kn_of(double, 0, 1), y;
    double e = exp(1);
    Given g = {kn_watch(kn_copy(w))}, t = {kn_with_tangent(w, kn_of(double, 1, 1))},
          b = {kn_batch_in(kn_stack(KN_LIST(w, x)), 0)};
    for (int jit = 0; jit < 2; jit++) {
        kn_fn f = jit ? kn_jit(KN_CLOSE(weighted, &g)) : KN_CLOSE(weighted, &g);
        kn_call(f, &y, &x);
        kn_backward(y);
        expect_near(kn_grad_of(g.w), 1e-15, 1, 2 * e);
        kn_clear_grad(g.w);
        f = jit ? kn_jit(KN_CLOSE(weighted, &t)) : KN_CLOSE(weighted, &t);
        kn_call(f, &y, &x);
        expect_near(kn_tangent_of(y), 1e-15, 1 + 2 * e);
        f = jit ? kn_jit(KN_CLOSE(weighted, &b)) : KN_CLOSE(weighted, &b);
        kn_call(f, &y, &x);
        expect_near(kn_batch_out(y, 0), 1e-14, 1 + 2 * e, e + 2 * e * e);
    }
    kn_array d; /* the gradient by x depends on the watched w */
    kn_call(kn_grad(KN_CLOSE(weighted, &g)), &d, &x);
    kn_backward(kn_sum(kn_square(d)));
    expect_near(kn_grad_of(g.w), 1e-14, 2, 2 * e * e);
}

/* ---- Pullbacks and linear functions. */

static void pullbacks_of_watched_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_watch(kn_of(double, 0.5, 2)), y, ct = kn_scalar(1.0), g;
    kn_fn pullback = kn_vjp(KN_FN(cubes), KN_ARGS(&x), &y);
    kn_call(pullback, &g, &ct);
    kn_backward(kn_sum(g));
    kn_array want, plain = kn_of(double, 0.5, 2);
    kn_call(kn_grad(KN_FN(slopes)), &want, &plain);
    same(kn_grad_of(x), want);
}

/* ---- The same names inside and outside. */

static kn_array all_inside(const kn_array *x)
{
    kn_array out;
    {
        KN_TAPE;
        kn_array w = kn_copy(*x);
        kn_watch(w);
        {
            KN_TANGENTS;
            kn_array t = kn_with_tangent(w, kn_ones_like(w));
            kn_array b = kn_batch_in(kn_reshape(t, KN_SHAPE(1, -1)), 0);
            kn_array y = kn_batch_out(kn_sum(kn_mul(kn_sin(b), b)), 0);
            kn_backward(kn_sum(kn_tangent_of(y))); /* d/dx of sin x + x cos x */
        }
        out = kn_grad_of(w);
    }
    return out;
}
KN_FUNCTION(all_inside, kn_array, kn_array)
static kn_array all_summed(const kn_array *x) { return kn_sum(all_inside(x)); }
KN_FUNCTION(all_summed, kn_array, kn_array)

static void everything_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 2), y, many = kn_stack(KN_LIST(x, x));
    double a = 2 * cos(0.5) - 0.5 * sin(0.5), b = 2 * cos(2) - 2 * sin(2);
    double da = -3 * sin(0.5) - 0.5 * cos(0.5), db = -3 * sin(2) - 2 * cos(2);
    expect_near(all_inside(&x), 1e-14, a, b);
    kn_call(kn_jit(KN_FN(all_inside)), &y, &x);
    expect_near(y, 1e-14, a, b);
    kn_call(kn_vmap(KN_FN(all_inside)), &y, &many);
    expect_near(y, 1e-14, a, b, a, b);
    kn_call(kn_grad(KN_FN(all_summed)), &y, &x);
    expect_near(y, 1e-14, da, db);
    kn_array w = kn_watch(kn_copy(x));
    kn_backward(all_summed(&w));
    expect_near(kn_grad_of(w), 1e-14, da, db);
    {
        KN_TANGENTS;
        kn_array t = kn_with_tangent(x, kn_of(double, 1, 10));
        expect_near(kn_tangent_of(all_inside(&t)), 1e-13, da, 10 * db);
    }
    kn_array lanes = kn_batch_in(many, 0);
    expect_near(kn_batch_out(all_inside(&lanes), 0), 1e-14, a, b, a, b);
}

KN_TEST_GROUP(test_eager_transforms)
{
    const struct CMUnitTest tests[] = {
        TEST(transformed_functions_of_watched_arrays),
        TEST(transformed_functions_of_arrays_with_tangents),
        TEST(transformed_functions_of_arrays_with_batch_axes),
        TEST(captured_arrays_are_followed),
        TEST(pullbacks_of_watched_arrays),
        TEST(everything_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
