/* SPDX-License-Identifier: Apache-2.0
 * test_custom_batches.c -- rules of custom derivatives over one more axis: when they are equal, and what is wrong with
 * them. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array y, slope;
} Named;
KN_FIELDS(Named, y, slope)
typedef struct {
    kn_array a, b;
} Pair;

static kn_array plain(const kn_array *x) { return kn_mul(*x, 1); }
static Named long_jvp(const kn_array *x, const kn_array *dx)
{
    return (Named){*x, kn_mul(*dx, kn_of(double, 1, 2, 3))};
}
static Pair kept(const kn_array *x) { return (Pair){*x, *x}; }
static kn_array long_bwd(const kn_array *r, const kn_array *ct) { return kn_mul(*ct, kn_add(*r, kn_of(double, 1, 2))); }
KN_FUNCTION(plain, kn_array, kn_array)
KN_FUNCTION(long_jvp, Named, kn_array, kn_array)
KN_FUNCTION(kept, Pair, kn_array)
KN_FUNCTION(long_bwd, kn_array, kn_array, kn_array)

static kn_array over_long_bwd(const kn_array *x)
{
    kn_array y;
    kn_call(kn_vmap(kn_custom_vjp(KN_FN(plain), KN_FN(kept), KN_FN(long_bwd))), &y, x);
    return kn_sum(y);
}
static kn_array over_long_jvp(const kn_array *x)
{
    kn_array y;
    kn_call(kn_vmap(kn_custom_jvp(KN_FN(plain), KN_FN(long_jvp))), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(over_long_bwd, kn_array, kn_array)
KN_FUNCTION(over_long_jvp, kn_array, kn_array)

static void results_have_the_names_of_the_rule(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3, 4), d;
    kn_call(kn_grad(KN_FN(over_long_bwd)), &d, &x);
    expect_error_with("ValueError", "at output[0] the bwd rule produced an output of type float64[4,2] corresponding "
                                    "to an input of type float64[4], so the shapes do not match");
    kn_call(kn_grad(KN_FN(over_long_jvp)), &d, &x);
    expect_error_with("TypeError", "Expected float64[4] (tangent type of float64[4]) as .slope but got float64[4,3].");
}

/* ---- Equality. */

static kn_array product(const kn_array *x, const kn_array *y) { return kn_mul(*x, *y); }
typedef struct {
    kn_array y, a, b;
} Kept;
static Kept product_fwd(const kn_array *x, const kn_array *y) { return (Kept){kn_mul(*x, *y), *x, *y}; }
static Pair product_bwd(const Pair *r, const kn_array *ct) { return (Pair){kn_mul(r->b, *ct), kn_mul(r->a, *ct)}; }
KN_FUNCTION(product, kn_array, kn_array, kn_array)
KN_FUNCTION(product_fwd, Kept, kn_array, kn_array)
KN_FUNCTION(product_bwd, Pair, Pair, kn_array)
static kn_fn custom(void) { return kn_custom_vjp(KN_FN(product), KN_FN(product_fwd), KN_FN(product_bwd)); }

static kn_array rows(const kn_array *x, const kn_array *y)
{
    kn_array out;
    kn_call(kn_vmap(custom(), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, x, y);
    return out;
}
static kn_array both(const kn_array *x, const kn_array *y)
{
    kn_array out;
    kn_call(kn_vmap(custom()), &out, x, y);
    return out;
}
static kn_array named(const kn_array *x, const kn_array *y)
{
    kn_array out;
    kn_call(kn_vmap(custom(), .axis_name = "i"), &out, x, y);
    return out;
}
KN_FUNCTION(rows, kn_array, kn_array, kn_array)
KN_FUNCTION(both, kn_array, kn_array, kn_array)
KN_FUNCTION(named, kn_array, kn_array, kn_array)

static void rules_over_the_same_axes_are_equal(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_fn fn[3] = {KN_FN(rows), KN_FN(both), KN_FN(named)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            kn_jaxpr a = kn_make_jaxpr(fn[i], KN_ARGS(&x, &x)), b = kn_make_jaxpr(fn[k], KN_ARGS(&x, &x));
            assert_int_equal(kn_jaxpr_equal(a, b), i == k);
        }
}

KN_TEST_GROUP(test_custom_batches)
{
    const struct CMUnitTest tests[] = {
        TEST(results_have_the_names_of_the_rule),
        TEST(rules_over_the_same_axes_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
