/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_math.c -- mathematical functions: calls whose results and errors NumPy gave, derivatives, and use under
 * jit, vmap and grad. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <stdio.h>

typedef const numpy_call *call;

/* ---- Calls. */

#define ONE(name) \
    static numpy_result call_##name(call c) { return numpy_one(kn_##name(c->array[0])); }
#define TWO(name) \
    static numpy_result call_##name(call c) { return numpy_one(kn_##name(c->array[0], c->array[1])); }
/* clang-format off */
#define ONES(X) \
    X(floor) X(ceil) X(trunc) X(rint) X(fabs) X(signbit) X(spacing) X(deg2rad) X(radians) X(rad2deg) X(degrees) \
    X(bitwise_count) X(i0) X(sinc) X(fix) X(emath_sqrt) X(emath_log) X(emath_log2) X(emath_log10) \
    X(emath_arccos) X(emath_arcsin) X(emath_arctanh)
#define TWOS(X) \
    X(floor_divide) X(remainder) X(fmod) X(float_power) X(fmax) X(fmin) X(copysign) X(nextafter) X(heaviside) \
    X(logaddexp) X(logaddexp2) X(gcd) X(lcm) X(left_shift) X(right_shift) X(ldexp) X(emath_logn) X(emath_power)
/* clang-format on */
ONES(ONE)
TWOS(TWO)

static numpy_result call_divmod(call c)
{
    kn_divmod_result r = kn_divmod(c->array[0], c->array[1]);
    return (numpy_result){2, {r.quotient, r.remainder}};
}
static numpy_result call_modf(call c)
{
    kn_modf_result r = kn_modf(c->array[0]);
    return (numpy_result){2, {r.fractional, r.integral}};
}
static numpy_result call_frexp(call c)
{
    kn_frexp_result r = kn_frexp(c->array[0]);
    return (numpy_result){2, {r.mantissa, r.exponent}};
}
static numpy_result call_nan_to_num(call c)
{
    return numpy_one(kn_nan_to_num(c->array[0], .nan = numpy_array(c, "nan"), .posinf = numpy_array(c, "posinf"),
                                   .neginf = numpy_array(c, "neginf")));
}
static numpy_result call_round(call c)
{
    return numpy_one(kn_round(c->array[0], .decimals = (int)numpy_number(c, "decimals", 0)));
}
static numpy_result call_angle(call c) { return numpy_one(kn_angle(c->array[0], .deg = numpy_flag(c, "deg", false))); }
static numpy_result call_real_if_close(call c)
{
    return numpy_one(kn_real_if_close(c->array[0], .tol = numpy_number(c, "tol", 100)));
}
static numpy_result call_clip(call c) { return numpy_one(kn_clip(c->array[0], c->array[1], c->array[2])); }

#define CUMSUM(name)                                                                              \
    static numpy_result call_##name(call c)                                                       \
    {                                                                                             \
        return numpy_one(kn_##name(c->array[0], numpy_axes(c, "axis"), .dtype = numpy_dtype(c))); \
    }
CUMSUM(cumsum)
CUMSUM(cumprod)
CUMSUM(nancumsum)
CUMSUM(nancumprod)
#define CUMULATIVE(name)                                                                         \
    static numpy_result call_##name(call c)                                                      \
    {                                                                                            \
        return numpy_one(kn_##name(c->array[0], numpy_axes(c, "axis"), .dtype = numpy_dtype(c),  \
                                   .include_initial = numpy_flag(c, "include_initial", false))); \
    }
CUMULATIVE(cumulative_sum)
CUMULATIVE(cumulative_prod)

static numpy_result call_diff(call c)
{
    return numpy_one(kn_diff(c->array[0], numpy_axes(c, "axis"), .n = (int64_t)numpy_number(c, "n", 1),
                             .prepend = numpy_array(c, "prepend"), .append = numpy_array(c, "append")));
}
static numpy_result call_ediff1d(call c)
{
    return numpy_one(
        kn_ediff1d(c->array[0], .to_end = numpy_array(c, "to_end"), .to_begin = numpy_array(c, "to_begin")));
}
static numpy_result call_trapezoid(call c)
{
    return numpy_one(
        kn_trapezoid(c->array[0], numpy_axes(c, "axis"), .x = numpy_array(c, "x"), .dx = numpy_array(c, "dx")));
}
static numpy_result call_gradient(call c)
{
    return numpy_list(kn_gradient(c->array[0], numpy_axes(c, "axis"),
                                  .spacing = c->n > 1 ? (kn_list_from)(c->array + 1, c->n - 1) : NULL,
                                  .edge_order = (int)numpy_number(c, "edge_order", 1)));
}
static numpy_result call_unwrap(call c)
{
    return numpy_one(kn_unwrap(c->array[0], numpy_axes(c, "axis"), .discont = numpy_array(c, "discont"),
                               .period = numpy_array(c, "period")));
}
static numpy_result call_convolve(call c)
{
    return numpy_one(kn_convolve(c->array[0], c->array[1], .mode = numpy_option(c, "mode")));
}
static numpy_result call_correlate(call c)
{
    return numpy_one(kn_correlate(c->array[0], c->array[1], .mode = numpy_option(c, "mode")));
}
static numpy_result call_interp(call c)
{
    return numpy_one(kn_interp(c->array[0], c->array[1], c->array[2], .left = numpy_array(c, "left"),
                               .right = numpy_array(c, "right"), .period = numpy_array(c, "period")));
}
static numpy_result call_cross(call c)
{
    return numpy_one(kn_cross(c->array[0], c->array[1], numpy_axes(c, "axis"),
                              .axisa = (int)numpy_number(c, "axisa", -1), .axisb = (int)numpy_number(c, "axisb", -1),
                              .axisc = (int)numpy_number(c, "axisc", -1)));
}
static numpy_result call_packbits(call c)
{
    return numpy_one(kn_packbits(c->array[0], numpy_axes(c, "axis"), .bitorder = numpy_option(c, "bitorder")));
}
static numpy_result call_unpackbits(call c)
{
    return numpy_one(
        kn_unpackbits(c->array[0], numpy_axes(c, "axis"), .bitorder = numpy_option(c, "bitorder"),
                      .count = numpy_option(c, "count") ? (int64_t)numpy_number(c, "count", 0) : INT64_MAX));
}

static kn_ufunc ufunc_of(call c)
{
    static const char *const names[] = {
        "add",        "subtract",    "multiply",      "divide",      "power",        "maximum",
        "minimum",    "bitwise_and", "bitwise_or",    "bitwise_xor", "floor_divide", "remainder",
        "fmod",       "float_power", "fmax",          "fmin",        "arctan2",      "hypot",
        "copysign",   "nextafter",   "heaviside",     "logaddexp",   "logaddexp2",   "gcd",
        "lcm",        "left_shift",  "right_shift",   "equal",       "not_equal",    "less",
        "less_equal", "greater",     "greater_equal", "logical_and", "logical_or",   "logical_xor"};
    const char *name = numpy_option(c, "u");
    for (int i = 0; i <= kn_ufunc_logical_xor; i++)
        if (!strcmp(names[i], name))
            return (kn_ufunc)i;
    fail_msg("there is no ufunc %s", name);
    return kn_ufunc_add;
}
static numpy_result call_ufunc_reduce(call c)
{
    return numpy_one(kn_ufunc_reduce(ufunc_of(c), c->array[0], numpy_axes(c, "axis"), .dtype = numpy_dtype(c),
                                     .keepdims = numpy_flag(c, "keepdims", false), .initial = numpy_array(c, "initial"),
                                     .where = numpy_array(c, "where")));
}
static numpy_result call_ufunc_accumulate(call c)
{
    return numpy_one(kn_ufunc_accumulate(ufunc_of(c), c->array[0], numpy_axes(c, "axis"), .dtype = numpy_dtype(c)));
}
static numpy_result call_ufunc_reduceat(call c)
{
    return numpy_one(
        kn_ufunc_reduceat(ufunc_of(c), c->array[0], c->array[1], numpy_axes(c, "axis"), .dtype = numpy_dtype(c)));
}
static numpy_result call_ufunc_outer(call c)
{
    return numpy_one(kn_ufunc_outer(ufunc_of(c), c->array[0], c->array[1]));
}

/* In ulps of the result's dtype. NumPy's own float16 and float32 results may be off by one. */
#define EXACT(name) {#name, call_##name, 0},
#define CLOSE(name) {#name, call_##name, 4},
static const numpy_entry table[] = {
    EXACT(floor) EXACT(ceil) EXACT(trunc) EXACT(rint) EXACT(fabs) EXACT(signbit) EXACT(spacing) EXACT(fix)
        EXACT(bitwise_count) EXACT(round) EXACT(nan_to_num) EXACT(modf) EXACT(frexp) EXACT(ldexp) EXACT(divmod)
            EXACT(floor_divide) EXACT(remainder) EXACT(fmod) EXACT(fmax) EXACT(fmin) EXACT(copysign) EXACT(nextafter)
                EXACT(heaviside) EXACT(gcd) EXACT(lcm) EXACT(left_shift) EXACT(right_shift) EXACT(real_if_close)
                    EXACT(clip) EXACT(cumsum) EXACT(cumprod) EXACT(nancumsum) EXACT(nancumprod) EXACT(cumulative_sum)
                        EXACT(cumulative_prod) EXACT(diff) EXACT(ediff1d) EXACT(cross) EXACT(packbits) EXACT(unpackbits)
                            CLOSE(deg2rad) CLOSE(radians) CLOSE(rad2deg) CLOSE(degrees) CLOSE(i0) CLOSE(sinc)
                                CLOSE(angle) CLOSE(float_power) CLOSE(logaddexp) CLOSE(logaddexp2) CLOSE(trapezoid)
                                    CLOSE(gradient) CLOSE(unwrap) CLOSE(convolve) CLOSE(correlate) CLOSE(interp)
                                        CLOSE(emath_sqrt) CLOSE(emath_log) CLOSE(emath_log2) CLOSE(emath_log10)
                                            CLOSE(emath_logn) CLOSE(emath_power) CLOSE(emath_arccos) CLOSE(emath_arcsin)
                                                CLOSE(emath_arctanh) CLOSE(ufunc_outer) CLOSE(ufunc_reduce)
                                                    CLOSE(ufunc_accumulate) CLOSE(ufunc_reduceat)};

static void mathematical_functions_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_math.txt", table, sizeof table / sizeof *table);
}

/* ---- Derivatives, at x = 0, -0, 1.5, -2 and y = 1, 2, -0.5, 3: JAX's, of the sum of the results. */

typedef struct {
    kn_array x, y;
} Pair;

#define GRADIENTS(X)                                                                                  \
    X(remainder, (1, 1, 1, 1), (0, 0, 3, 1))                                                          \
    X(fmod, (1, 1, 1, 1), (0, 0, 3, 0))                                                               \
    X(floor_divide, (0, 0, 0, 0), (0, 0, 0, 0))                                                       \
    X(fmax, (0, 0, 1, 0), (1, 1, 0, 1))                                                               \
    X(fmin, (1, 1, 0, 1), (0, 0, 1, 0))                                                               \
    X(heaviside, (0, 0, 0, 0), (1, 1, 0, 0))                                                          \
    X(logaddexp, (0.2689414213699951, 0.11920292202211753, 0.8807970779778825, 0.006692850924284855), \
      (0.731058578630005, 0.8807970779778823, 0.11920292202211759, 0.9933071490757149))               \
    X(logaddexp2, (1.0 / 3, 0.2, 0.8, 0.030303030303030304), (2.0 / 3, 0.8, 0.2, 0.9696969696969697)) \
    X(divided, (1, 1, 1, 1), (0, 0, 3, 1))                                                            \
    X(scaled, (2, 2, 2, 2), (0, 0, 0, 0))

static kn_array divided(kn_array x, kn_array y)
{
    kn_divmod_result r = kn_divmod(x, y);
    return kn_add(r.quotient, r.remainder);
}
static kn_array scaled(kn_array x, kn_array y)
{
    (void)y;
    return kn_ldexp(x, kn_of(int, 1, 1, 1, 1));
}
#define kn_divided divided
#define kn_scaled  scaled
#define SUM_OF(name, ...)                                                                                    \
    static kn_array sum_##name(const kn_array *x, const kn_array *y) { return kn_sum((kn_##name)(*x, *y)); } \
    KN_FUNCTION(sum_##name, kn_array, kn_array, kn_array)
GRADIENTS(SUM_OF)
#define LIST(...) __VA_ARGS__

static void derivatives_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.0, -0.0, 1.5, -2), y = kn_of(double, 1, 2, -0.5, 3);
    Pair g;
#define GRADIENT(name, by_x, by_y)                                                        \
    kn_call(kn_jit(kn_grad(KN_FN(sum_##name), .argnums = KN_ARGNUMS(0, 1))), &g, &x, &y); \
    expect_near(g.x, 1e-14, LIST by_x);                                                   \
    expect_near(g.y, 1e-14, LIST by_y);
    GRADIENTS(GRADIENT)
}

static kn_array weights(kn_array y) { return kn_sum(kn_multiply(y, kn_arange(1, (double)kn_size(y) + 1, 1))); }
#define SLOPES(X)                                           \
    X(sinc, 0, 0, 0.4244131815783872, -2.0)                 \
    X(i0, 0, 0, 2.944999285733722, -6.362547418549318)      \
    X(deg2rad, M_PI / 180, M_PI / 90, M_PI / 60, M_PI / 45) \
    X(floor, 0, 0, 0, 0)                                    \
    X(trunc, 0, 0, 0, 0)                                    \
    X(rint, 0, 0, 0, 0)                                     \
    X(nan_to_num, 1, 2, 3, 4)                               \
    X(unwrap, 1, 2, 3, 4)                                   \
    X(cumsum, 10, 9, 7, 4)                                  \
    X(cumprod, 1, 0, 0, 0)                                  \
    X(diff, -1, -1, -1, 3)                                  \
    X(parts, 1, 2, 3, 4)                                    \
    X(mantissas, 1, 2, 1.5, 1)                              \
    X(slopes, -2, -0.5, -3, 5.5)                            \
    X(turned, 4, 7, 10, 13)

static kn_array parts(kn_array x) { return kn_modf(x).fractional; }
static kn_array mantissas(kn_array x) { return kn_frexp(x).mantissa; }
static kn_array slopes(kn_array x) { return kn_list_get(kn_gradient(x), 0); }
static kn_array turned(kn_array x) { return kn_convolve(x, kn_of(double, 2, 1), .mode = "full"); }
#define kn_parts     parts
#define kn_mantissas mantissas
#define kn_slopes    slopes
#define kn_turned    turned
#define SLOPE_OF(name, ...)                                                               \
    static kn_array weighted_##name(const kn_array *x) { return weights(kn_##name(*x)); } \
    KN_FUNCTION(weighted_##name, kn_array, kn_array)
SLOPES(SLOPE_OF)

static void derivatives_of_one_array_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.0, -0.0, 1.5, -2), g = NULL;
#define SLOPE(name, ...)                                      \
    kn_call(kn_jit(kn_grad(KN_FN(weighted_##name))), &g, &x); \
    expect_near(g, 1e-14, __VA_ARGS__);
    SLOPES(SLOPE)
}

static kn_array sum_interp(const kn_array *x, const kn_array *xp, const kn_array *fp)
{
    return kn_sum(kn_interp(*x, *xp, *fp));
}
KN_FUNCTION(sum_interp, kn_array, kn_array, kn_array, kn_array)
static kn_array sum_cross(const kn_array *a, const kn_array *b) { return weights(kn_cross(*a, *b)); }
KN_FUNCTION(sum_cross, kn_array, kn_array, kn_array)
static kn_array area(const kn_array *y) { return kn_trapezoid(*y, .x = kn_of(double, 0, 1, 3, 4)); }
KN_FUNCTION(area, kn_array, kn_array)
static kn_array correlated(const kn_array *y) { return weights(kn_correlate(*y, kn_of(double, 1, 2), .mode = "same")); }
KN_FUNCTION(correlated, kn_array, kn_array)

typedef struct {
    kn_array x, xp, fp;
} Triple;

static void derivatives_of_compositions_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1.5, 2, -1, 5), xp = kn_of(double, 0, 1, 2, 4), fp = kn_of(double, 1, 3, 2, 5);
    kn_array a = kn_of(double, 1, 2, 3), b = kn_of(double, 4, -1, 2), y = kn_of(double, 1, 4, 9, 2), d = NULL;
    Triple t;
    Pair p;
    kn_call(kn_grad(KN_FN(sum_interp), .argnums = KN_ARGNUMS(0, 1, 2)), &t, &x, &xp, &fp);
    expect_near(t.x, 1e-14, 2, -1, 1.5, 0, 0);
    expect_near(t.xp, 1e-14, -1, -0.5, -1, 0);
    expect_near(t.fp, 1e-14, 1.5, 1, 1.5, 1);
    kn_call(kn_grad(KN_FN(sum_cross), .argnums = KN_ARGNUMS(0, 1)), &p, &a, &b);
    expect_near(p.x, 1e-14, -7, -10, 9);
    expect_near(p.y, 1e-14, 0, 0, 0);
    kn_call(kn_grad(KN_FN(area)), &d, &y);
    expect_near(d, 1e-14, 0.5, 1.5, 1.5, 0.5);
    kn_call(kn_grad(KN_FN(correlated)), &d, &y);
    expect_near(d, 1e-14, 4, 7, 10, 8);
    x = kn_scalar(4.0); /* the last point */
    kn_call(kn_grad(KN_FN(sum_interp)), &d, &x, &xp, &fp);
    expect_near(d, 1e-14, 1.5);
}

static kn_array sinc_of(const kn_array *x) { return kn_sinc(*x); }
KN_FUNCTION(sinc_of, kn_array, kn_array)

static void sinc_has_its_curvature_at_zero(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.0), d = NULL;
    kn_call(kn_grad(kn_grad(KN_FN(sinc_of))), &d, &x);
    expect_near(d, 1e-14, -M_PI * M_PI / 3);
}

/* ---- Transformations: each row of a matrix alone, and compiled. */

/* clang-format off */
#define ROWS(X) \
    X(floor) X(trunc) X(rint) X(signbit) X(spacing) X(i0) X(sinc) X(cumsum) X(cumprod) X(diff) X(unwrap) \
    X(ediff1d) X(nan_to_num) X(parts) X(mantissas) X(slopes) X(turned) X(angle) X(trapezoid) X(round) \
    X(divisors) X(shifts) X(located) X(crossed) X(packed) X(folded) X(scanned) X(pairs)
/* clang-format on */

static kn_array divisors(kn_array x)
{
    kn_array n = kn_astype(kn_mul(x, 6), KN_I32);
    return kn_add(kn_gcd(n, 12), kn_lcm(n, 10));
}
static kn_array shifts(kn_array x) { return kn_right_shift(kn_astype(kn_mul(x, 100), KN_I16), 2); }
static kn_array located(kn_array x) { return kn_interp(x, kn_of(double, -1, 0, 1), kn_of(double, 3, 1, 2)); }
static kn_array crossed(kn_array x) { return kn_cross(kn_at(x, ":3"), kn_at(x, "1:")); }
static kn_array packed(kn_array x) { return kn_unpackbits(kn_packbits(kn_greater(x, 0))); }
static kn_array folded(kn_array x) { return kn_ufunc_reduce(kn_ufunc_hypot, x); }
static kn_array scanned(kn_array x) { return kn_ufunc_accumulate(kn_ufunc_logaddexp, x); }
static kn_array pairs(kn_array x) { return kn_ufunc_outer(kn_ufunc_remainder, x, kn_of(double, 2, -0.75)); }
#define kn_divisors divisors
#define kn_shifts   shifts
#define kn_located  located
#define kn_crossed  crossed
#define kn_packed   packed
#define kn_folded   folded
#define kn_scanned  scanned
#define kn_pairs    pairs
#define ROW_OF(name)                                                        \
    static kn_array row_##name(const kn_array *x) { return kn_##name(*x); } \
    KN_FUNCTION(row_##name, kn_array, kn_array)
ROWS(ROW_OF)

static void expect_rows(kn_fn f, kn_array x, const char *name)
{
    KN_SCOPE;
    kn_array all = NULL, one = NULL;
    kn_call(kn_jit(kn_vmap(f)), &all, &x);
    for (int i = 0; i < 3; i++) {
        kn_array row = kn_at(x, "%", i);
        kn_call(f, &one, &row);
        if (!kn_array_equal(kn_at(all, "%", i), one, .equal_nan = true))
            fail_msg("%s of row %d differs under vmap and jit", name, i);
    }
    expect_no_error();
}

static void functions_are_the_same_under_vmap_and_jit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 0.5, -1.25, 3, 0.125, 2, 7.5, -0.5, 1, -3.5, 4, 0.75, -0.0), KN_SHAPE(3, 4));
#define EXPECT_ROWS(name) expect_rows(KN_FN(row_##name), x, #name);
    ROWS(EXPECT_ROWS)
}

/* ---- In place. */

static void in_place_forms_are_those_of_python(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, 7, -7, 9), y = kn_of(double, 7.5, -7.5);
    kn_ifloordiv(x, 2);
    expect_values(x, 3, -4, 4);
    kn_ilshift(x, kn_of(int, 1, 2, 3));
    expect_values(x, 6, -16, 32);
    kn_irshift(x, 1);
    expect_values(x, 3, -8, 16);
    kn_imod(x, 5);
    expect_values(x, 3, 2, 1);
    kn_imod_at(x, 2, "1:");
    expect_values(x, 3, 0, 1);
    kn_ilshift_at(x, 4, "%", kn_of(int, 0, 2, 2));
    expect_values(x, 48, 0, 16);
    kn_ifloordiv(y, 2);
    expect_values(y, 3, -4);
    assert_int_equal(kn_ilshift(y, 1), -1);
    expect_error_with("TypeError", "ufunc 'left_shift' not supported for the input types");
    assert_int_equal(kn_ifloordiv(x, 1.5), -1);
    expect_error("TypeError", "ifloordiv: Cannot cast ufunc 'floor_divide' output from dtype('float64') to "
                              "dtype('int32') with casting rule 'same_kind'");
}

static void at_takes_more_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, 12, 18, 5);
    kn_ufunc_at(kn_ufunc_gcd, x, 8, "0");
    kn_ufunc_at(kn_ufunc_remainder, x, 4, "1:");
    expect_values(x, 4, 2, 1);
    kn_ufunc_at(kn_ufunc_remainder, x, kn_of(int, 3, 7), "%", kn_of(int, 0, 0));
    kn_ufunc_at(kn_ufunc_lcm, x, kn_of(int, 6, 5), "%", kn_of(int, 1, 1));
    expect_values(x, 1, 30, 1);
    kn_ufunc_at(kn_ufunc_left_shift, x, 2, "%", kn_of(int, 0, 0, -1));
    expect_values(x, 16, 30, 4);
    assert_int_equal(kn_ufunc_at(kn_ufunc_less, x, 2, "0"), 0);
    expect_values(x, 0, 30, 4);
}

/* ---- Integers. */

static void integer_division_never_traps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, INT64_MIN, INT64_MIN, INT64_MAX, 7), y = kn_of(int64_t, -1, 0, -1, 0);
    kn_divmod_result r = kn_divmod(x, y);
    assert_true(kn_array_equal(r.quotient, kn_of(int64_t, INT64_MIN, 0, -INT64_MAX, 0)));
    expect_values(r.remainder, 0, 0, 0, 0);
    expect_values(kn_fmod(x, y), 0, 0, 0, 0);
    assert_true(kn_array_equal(kn_gcd(INT64_MIN, kn_of(int64_t, 0, 6)), kn_of(int64_t, INT64_MIN, 2)));
}

static void bfloat16_has_the_functions_of_floats(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(double, -0.0, 1.5, -2.5, 256), KN_BF16);
    assert_ptr_equal(kn_dtype_of(kn_floor(x)), KN_BF16);
    expect_values(kn_rint(x), 0, 2, -2, 256);
    expect_values(kn_signbit(x), 1, 0, 1, 0);
    expect_values(kn_spacing(x), 0x1p-133, 0x1p-7, -0x1p-6, 2);
    expect_values(kn_frexp(x).mantissa, 0, 0.75, -0.625, 0.5);
    expect_values(kn_frexp(x).exponent, 0, 1, 2, 9);
    expect_values(kn_remainder(x, 2), 0, 1.5, 1.5, 0);
    expect_values(kn_nan_to_num(kn_divide(x, 0)), 0, 0x1.fep127, -0x1.fep127, 0x1.fep127);
}

/* ---- Errors. */

static kn_array rooted(const kn_array *x) { return kn_emath_sqrt(*x); }
KN_FUNCTION(rooted, kn_array, kn_array)
static kn_array close_to_real(const kn_array *x) { return kn_real_if_close(*x); }
KN_FUNCTION(close_to_real, kn_array, kn_array)
static kn_array slope_of_next(const kn_array *x) { return kn_nextafter(*x, 2); }
KN_FUNCTION(slope_of_next, kn_array, kn_array)

static void what_depends_on_values_does_not_work_in_traces(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 4), z = kn_astype(x, KN_C128), y = NULL;
    kn_call(kn_jit(KN_FN(rooted)), &y, &x);
    (void)kn_ok(y);
    expect_error_with("ConcretizationError", "is not known while rooted is traced");
    kn_call(kn_jit(KN_FN(rooted)), &y, &z);
    expect_near(y, 1e-15, 1, 2);
    kn_call(kn_jit(KN_FN(close_to_real)), &y, &z);
    (void)kn_ok(y);
    expect_error_with("ConcretizationError", "is not known while close_to_real is traced");
}

static void errors_name_what_is_wrong(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), d = NULL, one = kn_scalar(1.0);
    (void)kn_ok(kn_cross(kn_of(double, 1, 2, 3, 4), x));
    expect_error("ValueError", "cross: incompatible dimensions for cross product\n(dimension must be 2 or 3)");
    (void)kn_ok(kn_ufunc_reduce((kn_ufunc)99, x));
    expect_error("ValueError", "ufunc_reduce: there is no ufunc with the number 99");
    (void)kn_ok(kn_ufunc_outer((kn_ufunc)99, x, x));
    expect_error("ValueError", "ufunc_outer: there is no ufunc with the number 99");
    (void)kn_ok(kn_ufunc_reduceat(kn_ufunc_add, x, kn_of(int, 3)));
    expect_error("IndexError", "ufunc_reduceat: index 3 out-of-bounds in add.reduceat [0, 3)");
    (void)kn_ok(kn_ufunc_reduce(kn_ufunc_maximum, x, .where = kn_greater(x, 1)));
    expect_error("ValueError",
                 "ufunc_reduce: reduction operation 'maximum' does not have an identity, so to use a where "
                 "mask one has to specify 'initial'");
    (void)kn_ok(kn_gcd(1.5, 2));
    expect_error("TypeError", "gcd: ufunc 'gcd' did not contain a loop with signature matching types (<class "
                              "'numpy.dtypes._PyFloatDType'>, <class 'numpy.dtypes._PyLongDType'>) -> None");
    kn_call(kn_grad(KN_FN(slope_of_next)), &d, &one);
    (void)kn_ok(d);
    expect_error_with("NotImplementedError", "Differentiation rule for 'nextafter' not implemented");
}

KN_TEST_GROUP(test_numpy_math)
{
    const struct CMUnitTest tests[] = {
        TEST(mathematical_functions_are_those_of_numpy),
        TEST(derivatives_are_those_of_jax),
        TEST(derivatives_of_one_array_are_those_of_jax),
        TEST(derivatives_of_compositions_are_those_of_jax),
        TEST(sinc_has_its_curvature_at_zero),
        TEST(functions_are_the_same_under_vmap_and_jit),
        TEST(in_place_forms_are_those_of_python),
        TEST(at_takes_more_functions),
        TEST(integer_division_never_traps),
        TEST(bfloat16_has_the_functions_of_floats),
        TEST(what_depends_on_values_does_not_work_in_traces),
        TEST(errors_name_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
