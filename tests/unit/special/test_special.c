/* SPDX-License-Identifier: Apache-2.0
 * test_special.c -- special functions against scipy, their derivatives, dtypes, and under jit and vmap. */
#include <string.h>
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <stdio.h>

static kn_array multigammaln_3(kn_array a) { return (kn_special_multigammaln)(a, 3); }

static kn_array sine_integral(kn_array x) { return (kn_special_sici)(x).si; }
static kn_array cosine_integral(kn_array x) { return (kn_special_sici)(x).ci; }

static kn_array fresnel_s(kn_array x) { return (kn_special_fresnel)(x).S; }
static kn_array fresnel_c(kn_array x) { return (kn_special_fresnel)(x).C; }

typedef struct {
    const char *name;
    kn_array (*one)(kn_array);
    kn_array (*two)(kn_array, kn_array);
    kn_array (*three)(kn_array, kn_array, kn_array);
    kn_array (*four)(kn_array, kn_array, kn_array, kn_array);
    double rtol, atol;
} subject;

/* clang-format off */
#define ONE(f, rtol, atol) {#f, kn_special_##f, NULL, NULL, NULL, rtol, atol}
#define TWO(f, rtol, atol) {#f, NULL, kn_special_##f, NULL, NULL, rtol, atol}
#define THREE(f, rtol, atol) {#f, NULL, NULL, kn_special_##f, NULL, rtol, atol}
#define FOUR(f, rtol, atol) {#f, NULL, NULL, NULL, kn_special_##f, rtol, atol}
/* clang-format on */

/* The largest errors allowed; what is left of cancellation is absolute. */
static const subject subjects[] = {
    ONE(gamma, 1e-15, 0),
    {"gamma edges", .one = kn_special_gamma, .rtol = 1e-15},
    {"gamma whole", .one = kn_special_gamma},
    ONE(gammasgn, 0, 0),
    ONE(factorial, 2e-15, 0),
    TWO(gammainc, 1e-13, 0),
    TWO(gammaincc, 1e-13, 1e-16),
    {"multigammaln", .one = multigammaln_3, .rtol = 1e-14, .atol = 1e-14},
    TWO(polygamma, 1e-13, 0),
    TWO(zeta, 1e-14, 0),
    {"zeta left", .two = kn_special_zeta, .rtol = 4e-15},
    TWO(beta, 4e-15, 0),
    TWO(betaln, 1e-12, 1e-14), /* mostly the error of the stored values */
    THREE(betainc, 1e-12, 1e-15),
    TWO(poch, 4e-15, 0),
    TWO(comb, 4e-15, 0),
    TWO(xlogy, 2e-16, 0),
    TWO(xlog1py, 2e-16, 0),
    ONE(entr, 4e-16, 0),
    TWO(kl_div, 1e-15, 0),
    TWO(rel_entr, 1e-15, 0),
    ONE(logit, 1e-15, 0),
    ONE(ndtr, 1e-15, 0),
    ONE(log_ndtr, 4e-15, 0),
    ONE(ndtri, 4e-15, 0),
    ONE(rgamma, 2e-15, 0),
    ONE(erfcinv, 4e-15, 0),
    ONE(log_expit, 4e-16, 0),
    ONE(exp1, 2e-14, 0),
    ONE(expi, 2e-14, 1e-15),
    TWO(expn, 4e-14, 0),
    {"sici", .one = sine_integral, .rtol = 1e-14},
    {"ci", .one = cosine_integral, .rtol = 1e-14, .atol = 2e-15},
    ONE(erfcx, 1e-15, 0),
    {"erfcx edges", .one = kn_special_erfcx, .rtol = 1e-15},
    {"fresnel", .one = fresnel_s, .rtol = 1e-14, .atol = 1e-15},
    {"fresnel c", .one = fresnel_c, .rtol = 1e-14, .atol = 1e-15},
    ONE(spence, 4e-15, 1e-15),
    TWO(boxcox, 1e-15, 0),
    TWO(boxcox1p, 1e-15, 0),
    {"boxcox edges", .two = kn_special_boxcox, .rtol = 1e-15},
    ONE(dawsn, 2e-15, 0),
    {"dawsn edges", .one = kn_special_dawsn, .rtol = 1e-15},
    TWO(owens_t, 1e-13, 0),
    {"owens_t far", .two = kn_special_owens_t, .rtol = 1e-14},
    {"loggamma real", .one = kn_special_loggamma, .rtol = 2e-15},
    THREE(hyp1f1, 1e-13, 1e-14),
    {"hyp1f1 edges", .three = kn_special_hyp1f1, .rtol = 1e-14},
    FOUR(hyp2f1, 4e-14, 1e-15),
    {"hyp2f1 edges", .four = kn_special_hyp2f1, .rtol = 1e-14},
    ONE(i0, 1e-14, 0),
    ONE(i1, 1e-14, 0),
};
enum { N = sizeof subjects / sizeof *subjects };

static kn_array operand(const golden *g, const subject *s, int i)
{
    char name[64];
    snprintf(name, sizeof name, "%s %d", s->name, i);
    return golden_array(golden_find(g, name));
}

static kn_array value(const subject *s, const kn_array *x)
{
    if (s->one)
        return s->one(x[0]);
    if (s->two)
        return s->two(x[0], x[1]);
    return s->three ? s->three(x[0], x[1], x[2]) : s->four(x[0], x[1], x[2], x[3]);
}

static int operands(const golden *g, const subject *s, kn_array *x)
{
    int n = s->one ? 1 : s->two ? 2 : s->three ? 3 : 4;
    for (int i = 0; i < n; i++)
        x[i] = operand(g, s, i);
    return n;
}

static void values_are_scipys(void **state)
{
    (void)state;
    golden g = golden_read("special.npz");
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        kn_array x[4];
        operands(&g, &subjects[i], x);
        golden_close(subjects[i].name, value(&subjects[i], x), golden_find(&g, subjects[i].name), subjects[i].rtol,
                     subjects[i].atol);
    }
    golden_free(&g);
}

static void bernoulli_numbers_are_scipys(void **state)
{
    (void)state;
    KN_SCOPE;
    golden g = golden_read("special.npz");
    golden_close("bernoulli", kn_special_bernoulli(60), golden_find(&g, "bernoulli"), 1e-11,
                 0); /* the stored ones are no better */
    assert_int_equal(kn_size(kn_special_bernoulli(0)), 1);
    kn_special_bernoulli(-1);
    expect_error("ValueError", "special_bernoulli: n must be a non-negative integer");
    golden_free(&g);
}

static void other_dtypes_agree_with_doubles(void **state)
{
    (void)state;
    golden g = golden_read("special.npz");
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        kn_array x[4], narrow[4];
        int n = operands(&g, &subjects[i], x);
        for (int k = 0; k < n; k++) {
            x[k] = kn_clip(x[k], 0.25, 0.75); /* inside of every domain, without rounding */
            narrow[k] = kn_astype(x[k], KN_F32);
        }
        kn_array y = value(&subjects[i], narrow);
        assert_ptr_equal(kn_dtype_of(y), KN_F32);
        kn_array want = value(&subjects[i], x);
        for (int k = 0; k < n; k++)
            narrow[k] = kn_astype(narrow[k], KN_F64);
        want = value(&subjects[i], narrow);
        if (!kn_allclose(kn_astype(y, KN_F64), want, .rtol = 2e-5, .atol = 2e-6, .equal_nan = true))
            fail_msg("%s in float32", subjects[i].name);
    }
    golden_free(&g);
}

/* A function of its last argument; which, and the others, are part of what it is. */
typedef struct {
    int which;
    double a, b;
} Others;
static kn_array of_last(const Others *o, const kn_array *x)
{
    const subject *s = &subjects[o->which];
    kn_array b = s->one || s->two ? *x : kn_scalar(o->b), a = s->one ? *x : kn_scalar(o->a);
    return value(s, (const kn_array[]){a, b, s->four ? kn_scalar(2.25) : *x, *x});
}
KN_FUNCTION_ENV(of_last, kn_array, Others, kn_array)

static bool is_one_of(int i, const char *names)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", subjects[i].name);
    return strstr(names, word) != NULL;
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        if (is_one_of(i, " gammasgn multigammaln "))
            continue;
        Others o = {i, 2, 1.5};
        kn_array x = kn_of(double, 0.15, 0.4, 0.83), one = kn_ones(KN_SHAPE(3)), up, down, y, dy;
        if (is_one_of(i, " zeta polygamma zeta left "))
            x = kn_add(x, 1);
        kn_fn f = KN_FN_ENV(of_last, &o);
        kn_jvp(f, KN_ARGS(&x), KN_ARGS(&one), &y, &dy);
        kn_call(f, &up, &(kn_array){kn_add(x, 1e-6)});
        kn_call(f, &down, &(kn_array){kn_sub(x, 1e-6)});
        if (!kn_allclose(dy, kn_div(kn_sub(up, down), 2e-6), .rtol = 1e-6, .atol = 1e-7))
            fail_msg("the derivative of %s", subjects[i].name);
    }
    expect_no_error();
}

static void complex_values_are_scipys(void **state)
{
    (void)state;
    KN_SCOPE;
    static const subject complex_ones[] = {ONE(wofz, 4e-14, 1e-300), ONE(loggamma, 4e-14, 1e-14)};
    golden g = golden_read("special.npz");
    for (int i = 0; i < 2; i++) {
        KN_SCOPE;
        kn_array z = operand(&g, &complex_ones[i], 0), y = complex_ones[i].one(z), inside = kn_mul(z, 0.01);
        golden_close(complex_ones[i].name, y, golden_find(&g, complex_ones[i].name), complex_ones[i].rtol,
                     complex_ones[i].atol);
        kn_array narrow = complex_ones[i].one(kn_astype(inside, KN_C64));
        assert_ptr_equal(kn_dtype_of(narrow), KN_C64);
        inside = complex_ones[i].one(kn_astype(kn_astype(inside, KN_C64), KN_C128));
        assert_true(kn_allclose(narrow, kn_astype(inside, KN_C64), .rtol = 1e-6, .equal_nan = true));
    }
    assert_ptr_equal(kn_dtype_of(kn_special_wofz(kn_of(float, 1))), KN_C64);
    golden_free(&g);
}

static void legendre_functions_are_scipys(void **state)
{
    (void)state;
    KN_SCOPE;
    golden g = golden_read("special.npz");
    kn_array z = golden_array(golden_find(&g, "lpmn 0"));
    kn_special_lpmn_result r = kn_special_lpmn(6, 6, z);
    golden_close("lpmn", r.values, golden_find(&g, "lpmn"), 1e-13, 1e-13);
    golden_close("lpmn slopes", r.derivatives, golden_find(&g, "lpmn slopes"), 1e-12, 1e-11);
    golden_close("lpmn", kn_special_lpmn_values(6, 6, z, false), golden_find(&g, "lpmn"), 1e-13, 1e-13);
    golden_close("lpmn normalized", kn_special_lpmn_values(6, 6, z, true), golden_find(&g, "lpmn normalized"), 1e-13,
                 1e-14);
    kn_array n = golden_array(golden_find(&g, "sph_harm_y n")), m = golden_array(golden_find(&g, "sph_harm_y m"));
    kn_array theta = golden_array(golden_find(&g, "sph_harm_y theta"));
    kn_array phi = golden_array(golden_find(&g, "sph_harm_y phi")), y = kn_special_sph_harm_y(n, m, theta, phi);
    golden_close("sph_harm_y", y, golden_find(&g, "sph_harm_y"), 1e-13, 1e-15);
    kn_array clipped = kn_special_sph_harm_y(10, 2, theta, phi, .n_max = 6);
    assert_true(kn_array_equal(clipped, kn_special_sph_harm_y(6, 2, theta, phi)));
    golden_free(&g);
}

static void softmax_is_over_all_axes_unless_one_is_given(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_log(kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)));
    expect_near(kn_special_softmax(x), 1e-15, 0.1, 0.2, 0.3, 0.4);
    expect_near(kn_special_softmax(x, KN_AXIS(0)), 1e-15, 0.25, 1 / 3.0, 0.75, 2 / 3.0);
    expect_near(kn_exp(kn_special_log_softmax(x)), 1e-15, 0.1, 0.2, 0.3, 0.4);
}

/* The derivative of a function of three or four operands by one of them. */
typedef struct {
    int which, by;
} Part;
static kn_array of_one(const Part *o, const kn_array *x)
{
    kn_array v[4] = {kn_scalar(1.3), kn_scalar(2.6), kn_scalar(o->which == 4 ? 1.9 : -2.5), kn_scalar(0.8)};
    v[o->by] = *x;
    return o->which == 4   ? kn_special_hyp2f1(v[0], v[1], v[2], v[3])
           : o->which == 3 ? kn_special_hyp1f1(v[0], v[1], v[2])
                           : kn_special_boxcox(v[1], v[0]);
}
KN_FUNCTION_ENV(of_one, kn_array, Part, kn_array)

static void parameters_have_derivatives(void **state)
{
    (void)state;
    for (int which = 2; which <= 4; which++)
        for (int by = 0; by < which; by++) {
            KN_SCOPE;
            Part o = {which, by};
            kn_fn f = KN_FN_ENV(of_one, &o);
            kn_array x = kn_scalar(which == 4 && by == 3 ? -3.5 : which == 2 && by == 0 ? 0.0 : 0.75), dx, up, down;
            kn_call(kn_grad(f), &dx, &x);
            kn_call(f, &up, &(kn_array){kn_add(x, 1e-6)});
            kn_call(f, &down, &(kn_array){kn_sub(x, 1e-6)});
            if (!kn_allclose(dx, kn_div(kn_sub(up, down), 2e-6), .rtol = 1e-7, .atol = 1e-8))
                fail_msg("the derivative of function %d by operand %d", which, by);
            if (by + 1 < which || which == 2)
                continue; /* twice by the last operand */
            kn_call(kn_grad(kn_grad(f)), &dx, &x);
            kn_array slope_up, slope_down;
            kn_call(kn_grad(f), &slope_up, &(kn_array){kn_add(x, 1e-6)});
            kn_call(kn_grad(f), &slope_down, &(kn_array){kn_sub(x, 1e-6)});
            assert_true(kn_allclose(dx, kn_div(kn_sub(slope_up, slope_down), 2e-6), .rtol = 1e-7, .atol = 1e-8));
        }
    expect_no_error();
}

static void hypergeometric_functions_know_elementary_ones(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1e5, -2, -0.1, 0.3, 0.99);
    assert_true(kn_allclose(kn_special_hyp2f1(1, 1, 2, x), kn_div(kn_log1p(kn_neg(x)), kn_neg(x)), .rtol = 1e-14));
    assert_true(kn_allclose(kn_special_hyp1f1(1, 2, x), kn_div(kn_expm1(x), x), .rtol = 1e-14));
}

static kn_array zero_log(const kn_array *x) { return kn_special_xlogy(0.0, *x); }
static kn_array entropy(const kn_array *x) { return kn_special_entr(*x); }
KN_FUNCTION(zero_log, kn_array, kn_array)
KN_FUNCTION(entropy, kn_array, kn_array)

static void derivatives_at_the_zeros_are_right(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 2), inside = kn_of(double, 1, 2), one = kn_ones(KN_SHAPE(2)), y, dy;
    kn_jvp(KN_FN(zero_log), KN_ARGS(&x), KN_ARGS(&one), &y, &dy);
    expect_values(y, 0, 0);
    expect_values(dy, 0, 0);
    kn_jvp(KN_FN(entropy), KN_ARGS(&inside), KN_ARGS(&one), &y, &dy);
    expect_near(dy, 1e-15, -1, -1 - log(2));
}

static void lanes_do_not_see_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        Others o = {i, 2.5, 1.5};
        kn_array x = kn_of(double, 0.01, 0.3, 0.99, 0.5), y, z, lane;
        kn_fn f = KN_FN_ENV(of_last, &o);
        kn_call(f, &y, &x);
        kn_call(kn_jit(kn_vmap(f)), &z, &x);
        if (!kn_array_equal(y, z, .equal_nan = true))
            fail_msg("%s differs under vmap", subjects[i].name);
        for (int k = 0; k < 4; k++) {
            kn_call(kn_jit(f), &lane, &(kn_array){kn_at(x, "%", k)});
            if (!kn_array_equal(lane, kn_at(y, "%", k), .equal_nan = true))
                fail_msg("%s alone differs", subjects[i].name);
        }
    }
    expect_no_error();
}

static void operands_are_broadcast_and_promoted(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(int, 1, 2), KN_SHAPE(2, 1)), x = kn_of(double, 1, 2, 3);
    kn_array y = kn_special_gammainc(a, x);
    assert_int_equal(kn_dim(y, 0), 2);
    assert_int_equal(kn_dim(y, 1), 3);
    assert_ptr_equal(kn_dtype_of(y), KN_F64);
    expect_values(kn_special_factorial(kn_of(int, 0, 1, 5)), 1, 1, 120);
    expect_values(kn_special_comb(5, 2), 10);
    assert_int_equal(kn_size(kn_special_betainc(kn_zeros(KN_SHAPE(0)), 1, 0.5)), 0);
    assert_ptr_equal(kn_dtype_of(kn_special_ndtr(kn_astype(x, KN_F16))), KN_F16);
}

static void what_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_special_gammainc(kn_of(double _Complex, 1), 2.0);
    expect_error_with("TypeError", "ufunc 'special_gammainc' not supported for the input types");
    kn_special_xlogy(kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "special_xlogy: operands could not be broadcast together with shapes (2,) (3,)");
    kn_special_lpmn(2, 3, kn_ones(KN_SHAPE(2)));
    expect_error("NotImplementedError", "special_lpmn: Computations for m!=n are not yet supported.");
    kn_special_lpmn_values(2, 2, kn_ones(KN_SHAPE(2, 2)), true);
    expect_error("ValueError", "special_lpmn_values: z must be a 1D array.");
    kn_special_lpmn(2, 2, kn_of(int, 1));
    expect_error("TypeError", "special_lpmn: z.dtype=int32 is not supported, see docstring for supported types.");
    kn_special_multigammaln(2.0, 0);
    expect_error("ValueError", "special_multigammaln: d should be a positive integer (dimension)");
}

static int equations_of(kn_fn f)
{
    kn_array x = kn_scalar(2000.0);
    const char *text = kn_jaxpr_text(kn_make_jaxpr(f, KN_ARGS(&x)), KN_JAXPR_TYPED);
    int n = 0;
    for (; text && *text; text++)
        n += !strncmp(text, " = ", 3); /* an equation; long ones have several lines */
    return n;
}

static kn_array of_degree(const int *d, const kn_array *x) { return kn_special_multigammaln(*x, *d); }
KN_FUNCTION_ENV(of_degree, kn_array, int, kn_array)

static void equations_do_not_grow_with_the_degree(void **state)
{
    (void)state;
    KN_SCOPE;
    int few = 3, many = 1000;
    assert_int_equal(equations_of(KN_FN_ENV(of_degree, &few)), equations_of(KN_FN_ENV(of_degree, &many)));
    assert_true(equations_of(KN_FN_ENV(of_degree, &few)) > 3);
}

KN_TEST_GROUP(test_special)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_scipys),
        TEST(complex_values_are_scipys),
        TEST(legendre_functions_are_scipys),
        TEST(softmax_is_over_all_axes_unless_one_is_given),
        TEST(parameters_have_derivatives),
        TEST(hypergeometric_functions_know_elementary_ones),
        TEST(bernoulli_numbers_are_scipys),
        TEST(other_dtypes_agree_with_doubles),
        TEST(derivatives_agree_with_differences),
        TEST(derivatives_at_the_zeros_are_right),
        TEST(lanes_do_not_see_each_other),
        TEST(operands_are_broadcast_and_promoted),
        TEST(what_is_refused),
        TEST(equations_do_not_grow_with_the_degree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
