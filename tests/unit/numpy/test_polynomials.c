/* SPDX-License-Identifier: Apache-2.0
 * test_polynomials.c -- np.poly1d, np.polyfit and their kin: NumPy's values and errors (scripts/golden/make_polynomials.py), under
 * transformations, derivatives. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <math.h>
#include <string.h>

#define A(i) c->array[i]
#define CALL(name, ...) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(__VA_ARGS__); }
CALL(polyadd, kn_polyadd(A(0), A(1)))
CALL(polysub, kn_polysub(A(0), A(1)))
CALL(polymul, kn_polymul(A(0), A(1)))
CALL(poly1d, kn_poly1d(A(0), .r = numpy_flag(c, "r", false)))
CALL(polyval, kn_polyval(A(0), A(1)))
CALL(compose, kn_polyval(A(0), A(1), .compose = true))
CALL(polyint, kn_polyint(A(0), .m = (int)numpy_number(c, "m", 1), .k = numpy_array(c, "k")))
CALL(polyder, kn_polyder(A(0), .m = (int)numpy_number(c, "m", 1)))
/* In an order that the last bits do not change. */
static kn_array ordered(kn_array roots)
{
    kn_array key = kn_add(kn_mul(kn_round(kn_real(roots), .decimals = 3), 1000), kn_imag(roots));
    return kn_take(roots, kn_argsort(key));
}
CALL(roots, ordered(kn_roots(A(0))))
CALL(poly, kn_poly(A(0)))

static numpy_result call_poly1d_order(const numpy_call *c)
{
    int64_t order = kn_poly1d_order(A(0));
    return order < 0 ? (numpy_result){0, {NULL}} : numpy_one(kn_from(&order, KN_SHAPE()));
}

static numpy_result call_polydiv(const numpy_call *c)
{
    kn_polydiv_result r = kn_polydiv(A(0), A(1));
    return kn_ok(r.quotient) ? (numpy_result){2, {r.quotient, r.remainder}} : numpy_one(r.quotient);
}

static numpy_result call_text(const numpy_call *c)
{
    const char *text = kn_poly1d_str(A(0), .variable = numpy_option(c, "variable"));
    return numpy_one((kn_from_memory)(text, &(kn_shape){1, {(int64_t)strlen(text)}}, KN_U8));
}

static numpy_result call_polyfit(const numpy_call *c)
{
    kn_array r[5] = {NULL};
    bool full = numpy_flag(c, "full", false);
    const char *cov = numpy_option(c, "cov");
    kn_polyfit_opts o = kn_polyfit_opts_default();
    o.w = numpy_array(c, "w");
    if (numpy_array(c, "rcond"))
        o.rcond = kn_item(numpy_array(c, "rcond"));
    if (full) {
        o.residuals = &r[1];
        o.rank = &r[2];
        o.singular_values = &r[3];
    }
    o.cov = cov ? &r[4] : NULL;
    o.unscaled = cov && !strcmp(cov, "unscaled");
    r[0] = (kn_polyfit)(A(0), A(1), c->list[0].dim[0], &o);
    numpy_result y = numpy_one(r[0]);
    for (int i = 1; i < 5 && kn_ok(r[0]); i++)
        if (r[i])
            y.x[y.n++] = r[i];
    return y;
}

#define ENTRY(name, ulps)                \
    {                                    \
#name, call_##name, (double)ulps \
    }
static const numpy_entry table[] = {ENTRY(polyadd, 0),  ENTRY(polysub, 0),    ENTRY(polymul, 0), ENTRY(polydiv, -8),
                                    ENTRY(poly1d, 0),   ENTRY(text, 0),       ENTRY(compose, 0), ENTRY(poly1d_order, 0),
                                    ENTRY(polyval, -8), ENTRY(polyint, 4),    ENTRY(polyder, 0), ENTRY(roots, -64),
                                    ENTRY(poly, -16),   ENTRY(polyfit, -4096)};

static void values_and_errors_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_polynomials.txt", table, sizeof table / sizeof *table);
}

/* ---- Under transformations. */

static kn_array all_of_them(const kn_array *p, const kn_array *x)
{
    kn_array product = kn_polymul(*p, kn_polyint(*p), .trim_leading_zeros = false);
    kn_polydiv_result d = kn_polydiv(product, *p, .trim_leading_zeros = false);
    kn_array fit = kn_polyfit(*x, kn_polyval(*p, *x), 2), back = kn_poly(*p);
    return kn_concatenate(KN_LIST(product, d.quotient, d.remainder, fit, back, kn_polyval(d.quotient, *x)));
}
KN_FUNCTION(all_of_them, kn_array, kn_array, kn_array)

static void they_work_under_jit_and_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 2, -3, 0.5), x = kn_linspace(-1, 1, 9), y = NULL, many = NULL;
    kn_array want = all_of_them(&p, &x);
    kn_call(kn_jit(KN_FN(all_of_them)), &y, &p, &x);
    assert_true(kn_allclose(y, want, .rtol = 1e-12, .atol = 1e-12));
    kn_array rows = kn_stack(KN_LIST(p, kn_mul(p, 2)));
    kn_call(kn_vmap(KN_FN(all_of_them), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &many, &rows, &x);
    assert_true(kn_allclose(kn_at(many, "0"), want, .rtol = 1e-12, .atol = 1e-12));
}

static kn_array roots_of(const kn_array *p) { return kn_roots(*p, .strip_zeros = false); }
KN_FUNCTION(roots_of, kn_array, kn_array)
static kn_array stripped_roots_of(const kn_array *p) { return kn_roots(*p); }
KN_FUNCTION(stripped_roots_of, kn_array, kn_array)

/* As JAX: leading zeros become roots that are NaN. */
static void roots_under_jit_keep_their_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 0, 1, -3, 2), y = NULL;
    kn_call(kn_jit(KN_FN(roots_of)), &y, &p);
    assert_true(kn_allclose(kn_sort(kn_real(kn_at(y, ":2"))), kn_of(double, 1, 2)));
    assert_true(kn_item_bool(kn_isnan(kn_at(y, "2"))));
    kn_call(kn_jit(KN_FN(stripped_roots_of)), &y, &p);
    assert_string_equal(kn_error_kind_name(), "ConcretizationError");
    kn_error_clear();
}

static kn_array largest_root(const kn_array *p) { return kn_max(kn_real(kn_roots(*p))); }
KN_FUNCTION(largest_root, kn_array, kn_array)

static void roots_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 1, -3, 2), g = NULL; /* dr/dp_k = -r^(2-k) / p'(r) */
    kn_call(kn_grad(KN_FN(largest_root)), &g, &p);
    expect_near(g, 1e-12, -4, -2, -1);
}

static kn_array value_at(const kn_array *p, const kn_array *x) { return kn_sum(kn_polyval(*p, *x)); }
KN_FUNCTION(value_at, kn_array, kn_array, kn_array)

static void values_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 2, -1, 4), x = kn_of(double, 3, -2), g = NULL, h = NULL;
    kn_call(kn_grad(KN_FN(value_at), .argnums = KN_ARGNUMS(0, 1)), KN_OUT(&g, &h), &p, &x);
    expect_values(g, 13, 1, 2);
    expect_values(h, 11, -9);
    kn_array many = kn_ones(KN_SHAPE(100)), at = kn_of(double, 1); /* by a loop */
    kn_call(kn_grad(KN_FN(value_at), .argnums = KN_ARGNUMS(0, 1)), KN_OUT(&g, &h), &many, &at);
    assert_true(kn_allclose(g, kn_ones(KN_SHAPE(100))) && kn_item(h) == 4950);
}

static kn_array slope(const kn_array *x, const kn_array *y) { return kn_at(kn_polyfit(*x, *y, 1), "0"); }
KN_FUNCTION(slope, kn_array, kn_array, kn_array)

/* The slope is the sum of (x - mean) y over that of (x - mean) squared. */
static void fits_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1, 2, 3), y = kn_of(double, 1, 0, 2, 5), g = NULL;
    kn_call(kn_grad(KN_FN(slope), .argnums = KN_ARGNUMS(1)), &g, &x, &y);
    expect_near(g, 1e-13, -0.3, -0.1, 0.1, 0.3);
}

static char said[200];
static void hear(void *env, int level, const char *text)
{
    (void)env, (void)level;
    if (strstr(text, "RankWarning"))
        snprintf(said, sizeof said, "%s", text);
}

static void poor_fits_are_told(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 1, 1), rank = NULL;
    kn_set_debug(1);
    kn_set_log(hear, NULL);
    (void)kn_item(kn_sum(kn_polyfit(x, x, 1)));
    assert_string_equal(said, "RankWarning: Polyfit may be poorly conditioned");
    said[0] = 0;
    (void)kn_item(kn_sum(kn_polyfit(x, x, 1, .rank = &rank)));
    assert_string_equal(said, "");
    kn_set_log(NULL, NULL);
    kn_set_debug(0);
    assert_true(kn_item(rank) == 1);
}

KN_TEST_GROUP(test_polynomials)
{
    const struct CMUnitTest tests[] = {
        TEST(values_and_errors_are_those_of_numpy),
        TEST(they_work_under_jit_and_vmap),
        TEST(roots_under_jit_keep_their_number),
        TEST(roots_have_derivatives),
        TEST(values_have_derivatives),
        TEST(fits_have_derivatives),
        TEST(poor_fits_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
