/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_elementary.c -- elementary functions: calls whose results and errors NumPy gave, results that are exact,
 * and the derivatives as JAX writes them. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include "ir/ops.h"
#include "ir/prim.h"
#include "ir/text/print.h"
#include <stdio.h>
#include <stdlib.h>

#define ONES(X)  \
    X(exp2, 4)   \
    X(expm1, 4)  \
    X(log1p, 4)  \
    X(log2, 4)   \
    X(log10, 4)  \
    X(tan, 4)    \
    X(arcsin, 4) \
    X(arccos, 4) X(arctan, 4) X(sinh, 4) X(cosh, 4) X(arcsinh, 4) X(arccosh, 4) X(arctanh, 4) X(cbrt, 4) X(square, 0)
#define TWOS(X) X(arctan2, 4) X(hypot, 4)
#define CALL_ONE(name, tolerance) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(kn_##name(c->array[0])); }
#define CALL_TWO(name, tolerance) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(kn_##name(c->array[0], c->array[1])); }
#define ENTRY(name, tolerance) {#name, call_##name, tolerance},
ONES(CALL_ONE)
TWOS(CALL_TWO)
static const numpy_entry table[] = {ONES(ENTRY) TWOS(ENTRY)};

static void elementary_functions_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_elementary.txt", table, sizeof table / sizeof *table);
}

/* ---- Exact results. */

static bool equal(kn_array a, kn_array b) { return kn_item_bool(kn_all(kn_equal(a, b))); }

static void powers_of_two_are_exact(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int wide = 0; wide < 2; wide++) {
        kn_dtype d = wide ? KN_F64 : KN_F32;
        kn_array n = kn_astype(kn_arange(wide ? -1074 : -149, wide ? 1024 : 128, 1), d), p = kn_exp2(n);
        const double *at = kn_data(kn_astype(p, KN_F64), double);
        for (int i = 0; i < (wide ? 2098 : 277); i++)
            assert_true(at[i] == ldexp(1, i - (wide ? 1074 : 149)));
        assert_true(equal(kn_log2(p), n));
    }
}

static void logarithms_of_powers_of_ten_are_exact(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int n = -307; n <= 308; n++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", n);
        if (kn_item(kn_log10(strtod(text, NULL))) != n)
            fail_msg("log10(1e%d)", n);
    }
    for (int n = 0; n <= 10; n++)
        assert_true(kn_item(kn_log10(kn_astype(kn_scalar(pow(10, n)), KN_F32))) == n);
}

static void roots_of_cubes_and_squares_are_exact(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_arange(-2000, 2000, 1), cubes = kn_mul(n, n, n), least = kn_arange(-200, 200, 1);
    assert_true(equal(kn_cbrt(cubes), n));
    assert_true(equal(kn_cbrt(kn_astype(kn_mul(least, least, least), KN_F32)), least));
    kn_array p = kn_exp2(kn_arange(-500, 500, 1));
    assert_true(equal(kn_lax_rsqrt(kn_mul(p, p)), kn_divide(1, p)));
    expect_values(kn_hypot(kn_of(double, 3, 5, 8, 3e300, 5e-320), kn_of(double, 4, 12, 15, 4e300, 0)), 5, 13, 17, 5e300,
                  5e-320);
}

static void quadrants_have_their_angles(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = kn_of(double, 0.0, -0.0, 0.0, -0.0, 1, -1, INFINITY, -INFINITY),
             x = kn_of(double, 1, 1, -1, -1, 0, -0.0, INFINITY, -INFINITY);
    kn_array r = kn_arctan2(y, x);
    const double *at = kn_data(r, double);
    const double want[] = {0.0, -0.0, M_PI, -M_PI, M_PI_2, -M_PI_2, M_PI_4, -3 * M_PI_4};
    assert_memory_equal(at, want, sizeof want);
}

/* ---- Derivatives. */

/* The result and its tangent; operands are a, b, tangents behind them. */
static void expect_tangent(const kni_prim *p, const char *want)
{
    kni_builder b;
    kni_type type = kni_scalar_type(KN_DT(F64));
    kni_type xt[] = {type, type}, yt[] = {type};
    kni_atom x[2], t[2], y[2] = {KN_ATOM_ZERO, KN_ATOM_ZERO};
    kni_jaxpr *j = NULL;
    knb_init(&b);
    for (int i = 0; i < p->n_in; i++)
        x[i] = knb_invar(&b, type);
    for (int i = 0; i < p->n_in; i++)
        t[i] = knb_invar(&b, type);
    y[0] = knb_emit1(&b, p, NULL, p->n_in, x);
    kni_rule rule = {.b = &b, .prim = p, .n_in = p->n_in, .n_out = 1, .x = x, .xt = xt, .y = y, .yt = yt};
    p->jvp(&rule, t, &y[1]);
    assert_null(knb_finish(&b, 2, y, "", false, &j));
    char *text, *end;
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    end = text;
    for (char *c = text; *c; c++) /* lines into one, as the expected text */
        if (*c != ' ' && *c != '\n')
            *end++ = *c;
        else if (end > text && end[-1] != ' ')
            *end++ = ' ';
    *end = 0;
    assert_string_equal(text, want);
    knx_free(text);
    kni_release(j);
    knb_free(&b);
}

static void derivatives_are_those_of_jax(void **state)
{
    (void)state;
    expect_tangent(&knp_prim_exp2, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = exp2 a d:f64[] = log 2.0:f64[] e:f64[] = "
                                   "mul b c f:f64[] = mul d e in (c, f) }");
    expect_tangent(
        &knp_prim_expm1,
        "{ lambda ; a:f64[] b:f64[]. let c:f64[] = expm1 a d:f64[] = add c 1.0:f64[] e:f64[] = mul b d in (c, e) }");
    expect_tangent(
        &knp_prim_log1p,
        "{ lambda ; a:f64[] b:f64[]. let c:f64[] = log1p a d:f64[] = add a 1.0:f64[] e:f64[] = div b d in (c, e) }");
    expect_tangent(&knp_prim_tan, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = tan a d:f64[] = square c e:f64[] = add "
                                  "1.0:f64[] d f:f64[] = mul b e in (c, f) }");
    expect_tangent(&knp_prim_asin, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = asin a d:f64[] = square a e:f64[] = sub "
                                   "1.0:f64[] d f:f64[] = rsqrt e g:f64[] = mul b f in (c, g) }");
    expect_tangent(&knp_prim_acos, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = acos a d:f64[] = square a e:f64[] = sub "
                                   "1.0:f64[] d f:f64[] = rsqrt e g:f64[] = neg f h:f64[] = mul b g in (c, h) }");
    expect_tangent(&knp_prim_atan, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = atan a d:f64[] = square a e:f64[] = add "
                                   "1.0:f64[] d f:f64[] = div b e in (c, f) }");
    expect_tangent(&knp_prim_sinh,
                   "{ lambda ; a:f64[] b:f64[]. let c:f64[] = sinh a d:f64[] = cosh a e:f64[] = mul b d in (c, e) }");
    expect_tangent(&knp_prim_cosh,
                   "{ lambda ; a:f64[] b:f64[]. let c:f64[] = cosh a d:f64[] = sinh a e:f64[] = mul b d in (c, e) }");
    expect_tangent(&knp_prim_asinh,
                   "{ lambda ; a:f64[] b:f64[]. let c:f64[] = asinh a d:f64[] = square a e:f64[] = add "
                   "d 1.0:f64[] f:f64[] = rsqrt e g:f64[] = mul b f in (c, g) }");
    expect_tangent(&knp_prim_acosh,
                   "{ lambda ; a:f64[] b:f64[]. let c:f64[] = acosh a d:f64[] = square a e:f64[] = sub "
                   "d 1.0:f64[] f:f64[] = rsqrt e g:f64[] = mul b f in (c, g) }");
    expect_tangent(&knp_prim_atanh,
                   "{ lambda ; a:f64[] b:f64[]. let c:f64[] = atanh a d:f64[] = add 1.0:f64[] a e:f64[] = "
                   "integer_pow[y=-1] d f:f64[] = sub 1.0:f64[] a g:f64[] = div b f h:f64[] = mul e g in (c, h) }");
    expect_tangent(&knp_prim_cbrt, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = cbrt a d:f64[] = integer_pow[y=-2] c "
                                   "e:f64[] = mul 0.3333333333333333:f64[] d f:f64[] = mul b e in (c, f) }");
    expect_tangent(&knp_prim_rsqrt, "{ lambda ; a:f64[] b:f64[]. let c:f64[] = rsqrt a d:f64[] = div c a e:f64[] = mul "
                                    "-0.5:f64[] d f:f64[] = mul b e in (c, f) }");
    expect_tangent(
        &knp_prim_square,
        "{ lambda ; a:f64[] b:f64[]. let c:f64[] = square a d:f64[] = mul 2.0:f64[] a e:f64[] = mul b d in (c, e) }");
    expect_tangent(
        &knp_prim_atan2,
        "{ lambda ; a:f64[] b:f64[] c:f64[] d:f64[]. let e:f64[] = atan2 a b f:f64[] = square a g:f64[] = square b "
        "h:f64[] = add f g i:f64[] = div b h j:f64[] = mul c i k:f64[] = neg a l:f64[] = square a m:f64[] = square b "
        "n:f64[] = add l m o:f64[] = div k n p:f64[] = mul d o q:f64[] = add_any j p in (e, q) }");
}

KN_TEST_GROUP(test_numpy_elementary)
{
    const struct CMUnitTest tests[] = {
        TEST(elementary_functions_are_those_of_numpy),
        TEST(powers_of_two_are_exact),
        TEST(logarithms_of_powers_of_ten_are_exact),
        TEST(roots_of_cubes_and_squares_are_exact),
        TEST(quadrants_have_their_angles),
        TEST(derivatives_are_those_of_jax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
