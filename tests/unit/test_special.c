/* SPDX-License-Identifier: Apache-2.0
 * test_special.c -- special functions against scipy, their derivatives, dtypes, and under jit and vmap. */
#include "support/expect.h"
#include "support/golden.h"
#include <stdio.h>

static kn_array multigammaln_3(kn_array a) { return (kn_special_multigammaln)(a, 3); }

static kn_array sine_integral(kn_array x) { return (kn_special_sici)(x).si; }
static kn_array cosine_integral(kn_array x) { return (kn_special_sici)(x).ci; }

static kn_array fresnel_s(kn_array x) { return (kn_special_fresnel)(x).s; }
static kn_array fresnel_c(kn_array x) { return (kn_special_fresnel)(x).c; }

typedef struct {
    const char *name;
    kn_array (*one)(kn_array);
    kn_array (*two)(kn_array, kn_array);
    kn_array (*three)(kn_array, kn_array, kn_array);
    double rtol, atol;
} subject;

#define ONE(f, rtol, atol)                         \
    {                                              \
#f, kn_special_##f, NULL, NULL, rtol, atol \
    }
#define TWO(f, rtol, atol)                         \
    {                                              \
#f, NULL, kn_special_##f, NULL, rtol, atol \
    }
#define THREE(f, rtol, atol)                       \
    {                                              \
#f, NULL, NULL, kn_special_##f, rtol, atol \
    }

/* The largest errors allowed; what is left of cancellation is absolute. */
static const subject subjects[] = {
    ONE(gamma, 4e-13, 0),
    {"gamma edges", .one = kn_special_gamma, .rtol = 4e-13},
    {"gamma whole", .one = kn_special_gamma},
    ONE(gammasgn, 0, 0),
    ONE(factorial, 4e-13, 0),
    TWO(gammainc, 1e-13, 0),
    TWO(gammaincc, 1e-13, 1e-16),
    {"multigammaln", .one = multigammaln_3, .rtol = 1e-14, .atol = 1e-14},
    TWO(polygamma, 1e-13, 0),
    TWO(zeta, 1e-14, 0),
    TWO(beta, 2e-13, 0),
    TWO(betaln, 1e-12, 1e-14), /* mostly the error of the stored values */
    THREE(betainc, 1e-12, 1e-15),
    TWO(poch, 2e-13, 0),
    TWO(comb, 2e-13, 0),
    TWO(xlogy, 2e-16, 0),
    TWO(xlog1py, 2e-16, 0),
    ONE(entr, 4e-16, 0),
    TWO(kl_div, 1e-15, 0),
    TWO(rel_entr, 1e-15, 0),
    ONE(logit, 1e-15, 0),
    ONE(ndtr, 4e-13, 0),
    ONE(log_ndtr, 4e-13, 0),
    ONE(ndtri, 4e-14, 0),
    ONE(rgamma, 4e-13, 0),
    ONE(erfcinv, 4e-14, 0),
    ONE(log_expit, 4e-16, 0),
    ONE(exp1, 2e-14, 0),
    ONE(expi, 2e-14, 1e-15),
    TWO(expn, 4e-14, 0),
    {"sici", .one = sine_integral, .rtol = 1e-14},
    {"ci", .one = cosine_integral, .rtol = 1e-14, .atol = 2e-15},
    ONE(erfcx, 2e-13, 0),
    {"fresnel", .one = fresnel_s, .rtol = 1e-14, .atol = 1e-15},
    {"fresnel c", .one = fresnel_c, .rtol = 1e-14, .atol = 1e-15},
    ONE(spence, 4e-15, 1e-15),
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
    return s->one ? s->one(x[0]) : s->two ? s->two(x[0], x[1]) : s->three(x[0], x[1], x[2]);
}

static int operands(const golden *g, const subject *s, kn_array *x)
{
    int n = s->one ? 1 : s->two ? 2 : 3;
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
        kn_array x[3];
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
        kn_array x[3], narrow[3];
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
    kn_array b = s->three ? kn_scalar(o->b) : *x, a = s->one ? *x : kn_scalar(o->a);
    return value(s, (const kn_array[]){a, b, *x});
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
        if (is_one_of(i, " zeta polygamma "))
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
    kn_special_multigammaln(2.0, 0);
    expect_error("ValueError", "special_multigammaln: d should be a positive integer (dimension)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_scipys),
        TEST(bernoulli_numbers_are_scipys),
        TEST(other_dtypes_agree_with_doubles),
        TEST(derivatives_agree_with_differences),
        TEST(derivatives_at_the_zeros_are_right),
        TEST(lanes_do_not_see_each_other),
        TEST(operands_are_broadcast_and_promoted),
        TEST(what_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
