/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_math.c -- mathematical functions: calls whose results and errors NumPy gave, derivatives, and use under
 * jit, vmap and grad. */
#include "support/expect.h"
#include "support/numpy_calls.h"
#include <stdio.h>

typedef const numpy_call *call;

/* ---- Calls. */

#define ONE(name) \
    static numpy_result call_##name(call c) { return numpy_one(kn_##name(c->array[0])); }
#define TWO(name) \
    static numpy_result call_##name(call c) { return numpy_one(kn_##name(c->array[0], c->array[1])); }
#define ONES(X)                                                                                                 \
    X(floor) X(ceil) X(trunc) X(rint) X(fabs) X(signbit) X(spacing) X(deg2rad) X(radians) X(rad2deg) X(degrees) \
        X(bitwise_count) X(i0) X(sinc) X(fix) X(emath_sqrt) X(emath_log) X(emath_log2) X(emath_log10)           \
            X(emath_arccos) X(emath_arcsin) X(emath_arctanh)
#define TWOS(X)                                                                                                  \
    X(floor_divide) X(remainder) X(fmod) X(float_power) X(fmax) X(fmin) X(copysign) X(nextafter) X(heaviside)    \
        X(logaddexp) X(logaddexp2) X(gcd) X(lcm) X(left_shift) X(right_shift) X(ldexp) X(emath_logn) X(emath_power)
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
static numpy_result call_angle(call c)
{
    return numpy_one(kn_angle(c->array[0], .deg = numpy_flag(c, "deg", false)));
}
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
    return numpy_one(kn_trapezoid(c->array[0], numpy_axes(c, "axis"), .x = numpy_array(c, "x"),
                                  .dx = numpy_array(c, "dx")));
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
    return numpy_one(kn_unpackbits(c->array[0], numpy_axes(c, "axis"), .bitorder = numpy_option(c, "bitorder"),
                                   .count = numpy_option(c, "count") ? (int64_t)numpy_number(c, "count", 0)
                                                                     : INT64_MAX));
}

static kn_ufunc ufunc_of(call c)
{
    static const char *const names[] = {
        "add",         "subtract",    "multiply",   "divide",        "power",       "maximum",    "minimum",
        "bitwise_and", "bitwise_or",  "bitwise_xor", "floor_divide", "remainder",   "fmod",       "float_power",
        "fmax",        "fmin",        "arctan2",    "hypot",         "copysign",    "nextafter",  "heaviside",
        "logaddexp",   "logaddexp2",  "gcd",        "lcm",           "left_shift",  "right_shift", "equal",
        "not_equal",   "less",        "less_equal", "greater",       "greater_equal", "logical_and", "logical_or",
        "logical_xor"};
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
                                     .keepdims = numpy_flag(c, "keepdims", false),
                                     .initial = numpy_array(c, "initial"), .where = numpy_array(c, "where")));
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
    EXACT(heaviside) EXACT(gcd) EXACT(lcm) EXACT(left_shift) EXACT(right_shift) EXACT(real_if_close) EXACT(clip)
    EXACT(cumsum) EXACT(cumprod) EXACT(nancumsum) EXACT(nancumprod) EXACT(cumulative_sum) EXACT(cumulative_prod)
    EXACT(diff) EXACT(ediff1d) EXACT(cross) EXACT(packbits) EXACT(unpackbits) EXACT(ufunc_outer)
    CLOSE(deg2rad) CLOSE(radians) CLOSE(rad2deg) CLOSE(degrees) CLOSE(i0) CLOSE(sinc) CLOSE(angle)
    CLOSE(float_power) CLOSE(logaddexp) CLOSE(logaddexp2) CLOSE(trapezoid) CLOSE(gradient) CLOSE(unwrap)
    CLOSE(convolve) CLOSE(correlate) CLOSE(interp) CLOSE(emath_sqrt) CLOSE(emath_log) CLOSE(emath_log2)
    CLOSE(emath_log10) CLOSE(emath_logn) CLOSE(emath_power) CLOSE(emath_arccos) CLOSE(emath_arcsin)
    CLOSE(emath_arctanh) CLOSE(ufunc_reduce) CLOSE(ufunc_accumulate) CLOSE(ufunc_reduceat)
};

static void mathematical_functions_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_math.txt", table, sizeof table / sizeof *table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mathematical_functions_are_those_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
