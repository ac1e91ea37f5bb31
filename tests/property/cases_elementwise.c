/* SPDX-License-Identifier: Apache-2.0
 * cases_elementwise.c -- samples of the elementwise primitives: unary.def's rows expanded, then the others. */
#include "cases.h"

#include <math.h>

#define ONE_SHAPES "T[]; T[0]; T[1]; T[3,4]; T[2,3,4]; T[2,0,3]"
#define TWO_SHAPES \
    "T[] T[]; T[0] T[0]; T[1] T[1]; T[3,4] T[3,4]; T[3,4] T[]; T[] T[2,3,4]; T[5] T=2; T=3 T[5]; T[0,2] T[]"
#define MANY     "T[60]"
#define MANY_TWO "T[60] T[60]"

/* References that unary.def names and libm does not have. + - * / and sqrt in double: it rounds as float32 and the
 * 16-bit types need it, too. */
static long double ref_negl(long double x) { return -x; }
static long double ref_sqrtl(long double x) { return sqrt((double)x); }
static long double ref_rsqrtl(long double x) { return 1 / sqrtl(x); }
static long double ref_squarel(long double x) { return (double)x * (double)x; }
static long double ref_logisticl(long double x) { return 1 / (1 + expl(-x)); }
static long double ref_digammal(long double x) { return wide_digamma(x); }
static long double ref_cosm1l(long double x) { return -2 * sinl(x / 2) * sinl(x / 2); }
static long double ref_bessel_i0el(long double x) { return wide_i0e(x); }
static long double ref_bessel_i1el(long double x) { return wide_i1e(x); }

static long double ref_erf_invl(long double x) /* Newton's method on erf, or erfc near the ends; bisection first */
{
    if (fabsl(x) >= 1 || isnan(x))
        return fabsl(x) == 1 ? copysignl(INFINITY, x) : NAN;
    long double lo = 0, hi = 12, a = fabsl(x);
    for (int i = 0; i < 60; i++) {
        long double mid = (lo + hi) / 2;
        *(1 - erfcl(mid) < a ? &lo : &hi) = mid;
    }
    long double y = a < 1e-3L ? a * 0.886226925452758013649083741670572591L : (lo + hi) / 2;
    for (int i = 0; i < 3; i++)
        y += (a < 0.5L ? a - erfl(y) : erfcl(y) - (1 - a)) * 0.886226925452758013649083741670572591L * expl(y * y);
    return copysignl(y, x);
}

static long double ref_ndtril(long double p) /* by bisection of the logarithm of erfc, and Newton's method */
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    long double t = p > 0.5L ? 1 - p : p, lo = 0, hi = 170, root = 1.414213562373095048801688724209698079L;
    for (int i = 0; i < 60; i++) {
        long double mid = (lo + hi) / 2;
        *(erfcl(mid / root) / 2 > t ? &lo : &hi) = mid;
    }
    long double x = (lo + hi) / 2;
    for (int i = 0; i < 2; i++)
        x += (t > 0.25L ? 0.5L - t - erfl(x / root) / 2 : erfcl(x / root) / 2 - t) * 2.506628274631000502415765L *
             expl(x * x / 2);
    return p > 0.5L ? x : -x;
}

/* Every row: plain numbers of its domain, special ones of floats, integers of the whole range, many. */
#define UNARY(name, public, letters, derivative, expr, cexpr, libm, low, high, error, text) \
    {.prim = &knp_prim_##name,                                                              \
     .dtypes = "@" letters,                                                                 \
     .operands = ONE_SHAPES,                                                                \
     .each = ref_unary,                                                                     \
     .real = libm##l,                                                                       \
     .lo = low,                                                                             \
     .hi = high,                                                                            \
     .ulp = error,                                                                          \
     .result = 'u'},                                                                        \
        {.prim = &knp_prim_##name,                                                          \
         .label = "special",                                                                \
         .dtypes = "@" letters "s",                                                         \
         .operands = MANY,                                                                  \
         .each = ref_unary,                                                                 \
         .real = libm##l,                                                                   \
         .lo = low,                                                                         \
         .hi = high,                                                                        \
         .ulp = error,                                                                      \
         .flags = SPECIAL | EXTREME | NO_SLOPE},                                            \
        {.prim = &knp_prim_##name,                                                          \
         .label = "special",                                                                \
         .dtypes = "@" letters "k",                                                         \
         .operands = "T[200]",                                                              \
         .each = ref_unary,                                                                 \
         .real = libm##l,                                                                   \
         .lo = low,                                                                         \
         .hi = high,                                                                        \
         .ulp = error,                                                                      \
         .result = 'u',                                                                     \
         .flags = SPECIAL | NO_SLOPE},                                                      \
        {.prim = &knp_prim_##name,                                                          \
         .label = "large",                                                                  \
         .dtypes = "f32",                                                                   \
         .operands = "T[5000]; T[7,1100]",                                                  \
         .each = ref_unary,                                                                 \
         .real = libm##l,                                                                   \
         .lo = low,                                                                         \
         .hi = high,                                                                        \
         .ulp = error},                                                                     \
        {.prim = &knp_prim_##name,                                                          \
         .label = "huge",                                                                   \
         .dtypes = "f32 f64",                                                               \
         .operands = "T[100003]",                                                           \
         .each = ref_unary,                                                                 \
         .real = libm##l,                                                                   \
         .lo = low,                                                                         \
         .hi = high,                                                                        \
         .ulp = error,                                                                      \
         .flags = LONG | NO_SLOPE},

#define POWER(n, types, error)               \
    {.prim = &knp_prim_integer_pow,          \
     .label = "y" #n,                        \
     .dtypes = types,                        \
     .operands = "T[]; T[2,3]; T[0]; T[40]", \
     .each = ref_integer_pow,                \
     .params = &(kni_p_integer_pow){n},      \
     .lo = 0.3,                              \
     .hi = 3,                                \
     .ulp = error},

/* An arithmetic primitive of two operands: shapes, special values, a large one. */
#define TWO(name, types, error, how, low, high)          \
    {.prim = &knp_prim_##name,                           \
     .dtypes = types,                                    \
     .operands = TWO_SHAPES,                             \
     .each = ref_##name,                                 \
     .lo = low,                                          \
     .hi = high,                                         \
     .ulp = error},                                      \
        {.prim = &knp_prim_##name,                       \
         .label = "special",                             \
         .dtypes = "i8 i32 i64 u8 u64 " FLOATS,          \
         .operands = MANY_TWO,                           \
         .each = ref_##name,                             \
         .lo = low,                                      \
         .hi = high,                                     \
         .ulp = (error) < 4 ? 0 : error,                 \
         .flags = (how) | SPECIAL | EXTREME | NO_SLOPE}, \
        {.prim = &knp_prim_##name,                       \
         .label = "large",                               \
         .dtypes = "f32 i64",                            \
         .operands = "T[5000] T[5000]; T[7,1100] T[]",   \
         .each = ref_##name,                             \
         .lo = low,                                      \
         .hi = high,                                     \
         .ulp = error},

#define ref_add_any ref_add

/* A function of a point of the plane. */
#define PLANE(name, error)                             \
    {.prim = &knp_prim_##name,                         \
     .dtypes = FLOATS,                                 \
     .operands = TWO_SHAPES,                           \
     .each = ref_##name,                               \
     .lo = 0.3,                                        \
     .hi = 3,                                          \
     .ulp = error},                                    \
        {.prim = &knp_prim_##name,                     \
         .label = "all_round",                         \
         .dtypes = "f32 f64",                          \
         .operands = "T[40] T[40]{-3,-0.3}",           \
         .each = ref_##name,                           \
         .lo = -3,                                     \
         .hi = 3,                                      \
         .ulp = error},                                \
        {.prim = &knp_prim_##name,                     \
         .label = "special",                           \
         .dtypes = FLOATS,                             \
         .operands = "T[300] T[300]",                  \
         .each = ref_##name,                           \
         .lo = -3,                                     \
         .hi = 3,                                      \
         .ulp = error,                                 \
         .flags = SPECIAL | EXTREME | NO_SLOPE},       \
        {.prim = &knp_prim_##name,                     \
         .label = "large",                             \
         .dtypes = "f32",                              \
         .operands = "T[5000] T[5000]; T[7,1100] T[]", \
         .each = ref_##name,                           \
         .lo = 0.3,                                    \
         .hi = 3,                                      \
         .ulp = error},

#define COMPARE(name, types)                 \
    {.prim = &knp_prim_##name,               \
     .dtypes = types,                        \
     .operands = TWO_SHAPES,                 \
     .each = ref_##name,                     \
     .result = 'b',                          \
     .lo = -1,                               \
     .hi = 1},                               \
        {.prim = &knp_prim_##name,           \
         .label = "special",                 \
         .dtypes = types,                    \
         .operands = MANY_TWO,               \
         .each = ref_##name,                 \
         .result = 'b',                      \
         .lo = -1,                           \
         .hi = 1,                            \
         .flags = SPECIAL | EXTREME},        \
        {.prim = &knp_prim_##name,           \
         .label = "ties",                    \
         .dtypes = INTEGERS " f32",          \
         .operands = "T[40] T=1; T=0 T[40]", \
         .each = ref_##name,                 \
         .result = 'b',                      \
         .lo = 0,                            \
         .hi = 2,                            \
         .flags = SPECIAL},                  \
        {.prim = &knp_prim_##name,           \
         .label = "large",                   \
         .dtypes = "f32",                    \
         .operands = "T[5000] T[5000]",      \
         .each = ref_##name,                 \
         .result = 'b'},

#define BITS(name)                 \
    {.prim = &knp_prim_##name,     \
     .dtypes = "bool " INTEGERS,   \
     .operands = TWO_SHAPES,       \
     .each = ref_##name,           \
     .lo = -100,                   \
     .hi = 100},                   \
        {.prim = &knp_prim_##name, \
         .label = "special",       \
         .dtypes = INTEGERS,       \
         .operands = MANY_TWO,     \
         .each = ref_##name,       \
         .flags = SPECIAL},

#define SHIFT(name)                                                             \
    {.prim = &knp_prim_##name,                                                  \
     .dtypes = "i8 u8",                                                         \
     .operands = "T[30]{-100,100} T[30]{0,9}; T[] T[]{0,8}",                    \
     .each = ref_##name},                                                       \
        {.prim = &knp_prim_##name,                                              \
         .dtypes = "i16 u16",                                                   \
         .operands = "T[30]{-9000,9000} T[30]{0,18}; T[3,4] T[]{0,9}",          \
         .each = ref_##name},                                                   \
        {.prim = &knp_prim_##name,                                              \
         .dtypes = "i32 u32",                                                   \
         .operands = "T[50]{-2e9,2e9} T[50]{0,33}; T[] T[2,3]{0,9}; T[0] T[0]", \
         .each = ref_##name},                                                   \
        {.prim = &knp_prim_##name,                                              \
         .dtypes = "i64 u64",                                                   \
         .operands = "T[80]{-9e18,9e18} T[80]{0,66}; T[2,3] T=13",              \
         .each = ref_##name},

/* Counts below zero are large ones. */
#define NEGATIVE_SHIFT(name)                    \
    {.prim = &knp_prim_##name,                  \
     .label = "negative",                       \
     .dtypes = "i8 i16 i32 i64",                \
     .operands = "T[30]{-100,100} T[30]{-9,3}", \
     .each = ref_##name},

#define ROUND(method, name)                             \
    {.prim = &knp_prim_round,                           \
     .label = name,                                     \
     .dtypes = FLOATS,                                  \
     .operands = ONE_SHAPES "; T[90]{-0.6,0.6}; T[90]", \
     .params = &(kni_p_round){method},                  \
     .each = ref_round,                                 \
     .flags = SPECIAL | EXTREME | FLAT},

#define PRECISION(exponent, mantissa, name)                     \
    {.prim = &knp_prim_reduce_precision,                        \
     .label = name,                                             \
     .dtypes = FLOATS,                                          \
     .operands = "T[]; T[3,4]; T[0]; T[300]; T[300]{-3e5,3e5}", \
     .params = &(kni_p_reduce_precision){exponent, mantissa},   \
     .each = ref_reduce_precision,                              \
     .flags = SPECIAL | EXTREME | NO_SLOPE},

#define CONVERT_SPECIAL(ID, label_, wraps_)                               \
    {.prim = &knp_prim_convert_element_type,                              \
     .label = label_,                                                     \
     .dtypes = EVERYTHING,                                                \
     .operands = "T[60]",                                                 \
     .params = &(kni_p_convert){.new_dtype = KN_DT(ID), .wraps = wraps_}, \
     .whole = ref_convert,                                                \
     .lo = -3e5,                                                          \
     .hi = 3e5,                                                           \
     .flags = SPECIAL | EXTREME | NO_SLOPE},
#define CONVERT(ID, short_name)                          \
    {.prim = &knp_prim_convert_element_type,             \
     .label = "to_" short_name,                          \
     .dtypes = EVERYTHING,                               \
     .operands = "T[3,4]; T[]; T[0]",                    \
     .params = &(kni_p_convert){.new_dtype = KN_DT(ID)}, \
     .whole = ref_convert,                               \
     .lo = 0,                                            \
     .hi = 100,                                          \
     .flags = NO_SLOPE},                                 \
        CONVERT_SPECIAL(ID, "special_to_" short_name, false) CONVERT_SPECIAL(ID, "wraps_to_" short_name, true)

#define BITCAST(ID, short_name, types)       \
    {.prim = &knp_prim_bitcast_convert_type, \
     .label = "to_" short_name,              \
     .dtypes = types,                        \
     .operands = "T[3,4]; T[]; T[0]",        \
     .params = &(kni_p_bitcast){KN_DT(ID)},  \
     .whole = ref_bitcast,                   \
     .lo = 1,                                \
     .hi = 100,                              \
     .flags = NO_SLOPE},

const sample samples_elementwise[] = {
#include "elementwise.def"
    {.prim = NULL},
};
