/* SPDX-License-Identifier: Apache-2.0
 * cases_elementwise.c -- samples of the elementwise primitives: unary.def's rows expanded, then the others. */
#include "cases.h"

#include <math.h>

#define ONE_SHAPES "T[]; T[0]; T[1]; T[3,4]; T[2,3,4]; T[2,0,3]"
#define TWO_SHAPES "T[] T[]; T[0] T[0]; T[1] T[1]; T[3,4] T[3,4]; T[3,4] T[]; T[] T[2,3,4]; T[5] T=2; T=3 T[5]; T[0,2] T[]"
#define MANY "T[60]"
#define MANY_TWO "T[60] T[60]"

/* References that unary.def names and libm does not have. */
static double ref_neg(double x) { return -x; }
static double ref_logistic(double x) { return 1 / (1 + exp(-x)); }
static double ref_erf_inv(double x) { return x; } /* reference_each.c knows better */

/* Every row: plain numbers of its domain, special ones of floats, integers of the whole range, many. */
#define UNARY(name, public, letters, derivative, expr, cexpr, libm, low, high, error, text)                                              \
    {.prim = &kn_prim_##name, .dtypes = "@" letters, .operands = ONE_SHAPES, .each = ref_unary, .real = libm,                            \
     .lo = low, .hi = high, .ulp = error, .result = 'u'},                                             \
    {.prim = &kn_prim_##name, .label = "special", .dtypes = "@" letters "s", .operands = MANY, .each = ref_unary, .real = libm,          \
     .lo = low, .hi = high, .ulp = error, .flags = SPECIAL | EXTREME | NO_SLOPE},                                                        \
    {.prim = &kn_prim_##name, .label = "large", .dtypes = "f32", .operands = "T[5000]; T[7,1100]", .each = ref_unary, .real = libm,      \
     .lo = low, .hi = high, .ulp = error},                                                                                               \
    {.prim = &kn_prim_##name, .label = "huge", .dtypes = "f32 f64", .operands = "T[100003]", .each = ref_unary, .real = libm,            \
     .lo = low, .hi = high, .ulp = error, .flags = LONG | NO_SLOPE},

#define POWER(n, types, error)                                                                                                           \
    {.prim = &kn_prim_integer_pow, .label = "y" #n, .dtypes = types, .operands = "T[]; T[2,3]; T[0]; T[40]", .each = ref_integer_pow,      \
     .params = &(kn_p_integer_pow){n}, .lo = 0.3, .hi = 3, .ulp = error},

/* An arithmetic primitive of two operands: shapes, special values, a large one. */
#define TWO(name, types, error, how, low, high)                                                                                          \
    {.prim = &kn_prim_##name, .dtypes = types, .operands = TWO_SHAPES, .each = ref_##name, .lo = low, .hi = high, .ulp = error},         \
    {.prim = &kn_prim_##name, .label = "special", .dtypes = "i8 i32 i64 u8 u64 " FLOATS, .operands = MANY_TWO, .each = ref_##name,       \
     .lo = low, .hi = high, .ulp = (error) < 4 ? 0 : error, .flags = (how) | SPECIAL | EXTREME | NO_SLOPE},                              \
    {.prim = &kn_prim_##name, .label = "large", .dtypes = "f32 i64", .operands = "T[5000] T[5000]; T[7,1100] T[]", .each = ref_##name,   \
     .lo = low, .hi = high, .ulp = error},

#define ref_add_any ref_add

#define COMPARE(name, types)                                                                                                             \
    {.prim = &kn_prim_##name, .dtypes = types, .operands = TWO_SHAPES, .each = ref_##name, .result = 'b', .lo = -1, .hi = 1},            \
    {.prim = &kn_prim_##name, .label = "special", .dtypes = types, .operands = MANY_TWO, .each = ref_##name, .result = 'b',              \
     .lo = -1, .hi = 1, .flags = SPECIAL | EXTREME},                                                                                     \
    {.prim = &kn_prim_##name, .label = "ties", .dtypes = INTEGERS " f32", .operands = "T[40] T=1; T=0 T[40]", .each = ref_##name,        \
     .result = 'b', .lo = 0, .hi = 2, .flags = SPECIAL},                                                                                 \
    {.prim = &kn_prim_##name, .label = "large", .dtypes = "f32", .operands = "T[5000] T[5000]", .each = ref_##name, .result = 'b'},

#define BITS(name)                                                                                                                       \
    {.prim = &kn_prim_##name, .dtypes = "bool " INTEGERS, .operands = TWO_SHAPES, .each = ref_##name, .lo = -100, .hi = 100},            \
    {.prim = &kn_prim_##name, .label = "special", .dtypes = INTEGERS, .operands = MANY_TWO, .each = ref_##name, .flags = SPECIAL},

#define SHIFT(name)                                                                                                                      \
    {.prim = &kn_prim_##name, .dtypes = "i8 u8", .operands = "T[30]{-100,100} T[30]{0,9}; T[] T[]{0,8}", .each = ref_##name},            \
    {.prim = &kn_prim_##name, .dtypes = "i16 u16", .operands = "T[30]{-9000,9000} T[30]{0,18}; T[3,4] T[]{0,9}", .each = ref_##name},    \
    {.prim = &kn_prim_##name, .dtypes = "i32 u32", .operands = "T[50]{-2e9,2e9} T[50]{0,33}; T[] T[2,3]{0,9}; T[0] T[0]",                \
     .each = ref_##name},                                                                                                                \
    {.prim = &kn_prim_##name, .dtypes = "i64 u64", .operands = "T[80]{-9e18,9e18} T[80]{0,66}; T[2,3] T=13", .each = ref_##name},

#define CONVERT(ID, short_name)                                                                                                          \
    {.prim = &kn_prim_convert_element_type, .label = "to_" short_name, .dtypes = EVERYTHING, .operands = "T[3,4]; T[]; T[0]",            \
     .params = &(kn_p_convert){KN_DT(ID), false}, .whole = ref_convert, .lo = 0, .hi = 100, .flags = NO_SLOPE},                          \
    {.prim = &kn_prim_convert_element_type, .label = "special_to_" short_name, .dtypes = EVERYTHING, .operands = "T[60]",                \
     .params = &(kn_p_convert){KN_DT(ID), false}, .whole = ref_convert, .lo = -3e5, .hi = 3e5, .flags = SPECIAL | EXTREME | NO_SLOPE},

#define BITCAST(ID, short_name, types)                                                                                                   \
    {.prim = &kn_prim_bitcast_convert_type, .label = "to_" short_name, .dtypes = types, .operands = "T[3,4]; T[]; T[0]",                 \
     .params = &(kn_p_bitcast){KN_DT(ID)}, .whole = ref_bitcast, .lo = 1, .hi = 100, .flags = NO_SLOPE},


const sample samples_elementwise[] = {
#include "ir/unary.def"
    {.prim = &kn_prim_sign, .dtypes = NUMBERS, .operands = ONE_SHAPES, .each = ref_sign, .ulp = 1},
    {.prim = &kn_prim_sign, .label = "special", .dtypes = INTEGERS " " FLOATS, .operands = MANY, .each = ref_sign,
     .flags = SPECIAL | EXTREME | NO_SLOPE},
    POWER(0, NUMBERS, 0) POWER(1, NUMBERS, 1) POWER(2, NUMBERS, 2) POWER(3, NUMBERS, 4) POWER(7, NUMBERS, 8) POWER(-1, FLOATS " " COMPLEX, 4)
    POWER(-3, FLOATS " " COMPLEX, 6)
    {.prim = &kn_prim_integer_pow, .label = "special", .dtypes = INTEGERS " " FLOATS, .operands = MANY, .each = ref_integer_pow,
     .params = &(kn_p_integer_pow){3}, .lo = -9, .hi = 9, .ulp = 4, .flags = SPECIAL | EXTREME | NO_SLOPE},
    {.prim = &kn_prim_not, .dtypes = "bool " INTEGERS, .operands = ONE_SHAPES, .each = ref_not, .flags = SPECIAL},
    {.prim = &kn_prim_stop_gradient, .dtypes = EVERYTHING " key<fry>", .operands = ONE_SHAPES, .each = ref_same, .flags = SPECIAL | FLAT},
    {.prim = &kn_prim_real, .dtypes = COMPLEX, .operands = ONE_SHAPES, .each = ref_real, .result = 'r', .flags = SPECIAL},
    {.prim = &kn_prim_imag, .dtypes = COMPLEX, .operands = ONE_SHAPES, .each = ref_imag, .result = 'r', .flags = SPECIAL},
    {.prim = &kn_prim_conj, .dtypes = COMPLEX, .operands = ONE_SHAPES, .each = ref_conj, .flags = SPECIAL},
    {.prim = &kn_prim_complex, .dtypes = "f32 f64", .operands = TWO_SHAPES, .each = ref_complex, .result = 'c', .flags = SPECIAL},

    TWO(add, EVERYTHING, 0, 0, -4, 4) TWO(sub, NUMBERS, 0, 0, -4, 4) TWO(mul, EVERYTHING, 2, 0, -4, 4)
    TWO(div, NUMBERS, 4, 0, 0.5, 4) TWO(max, EVERYTHING, 0, ANY_ZERO, -4, 4) TWO(min, EVERYTHING, 0, ANY_ZERO, -4, 4)
    TWO(add_any, NUMBERS, 0, 0, -4, 4)
    {.prim = &kn_prim_pow, .dtypes = FLOATS, .operands = TWO_SHAPES, .each = ref_pow, .lo = 0.3, .hi = 3, .ulp = 2},
    {.prim = &kn_prim_pow, .dtypes = COMPLEX, .operands = "T[3,4] T[3,4]; T[] T[]; T[5] T=2; T[0] T[]", .each = ref_pow, .lo = 0.3, .hi = 3,
     .ulp = 32},
    {.prim = &kn_prim_pow, .label = "special", .dtypes = FLOATS, .operands = "T[300] T[300]", .each = ref_pow, .lo = -3, .hi = 3, .ulp = 2,
     .flags = SPECIAL | EXTREME | NO_SLOPE},
    {.prim = &kn_prim_pow, .label = "whole", .dtypes = "f32 f64", .operands = "T[40]{-3,3} T=2; T[40]{-3,3} T=-3", .each = ref_pow,
     .ulp = 2, .flags = SPECIAL},
    {.prim = &kn_prim_pow, .label = "integers", .dtypes = INTEGERS, .operands = "T[40]{-5,5} T[40]{-3,9}; T[]{-5,5} T[]{0,9}; T[8] T=3; T[0] T[]",
     .each = ref_pow},
    {.prim = &kn_prim_pow, .label = "special_integers", .dtypes = INTEGERS, .operands = "T[60] T[60]", .each = ref_pow, .flags = SPECIAL},
    COMPARE(eq, EVERYTHING) COMPARE(ne, EVERYTHING) COMPARE(lt, EVERYTHING) COMPARE(le, EVERYTHING) COMPARE(gt, EVERYTHING) COMPARE(ge, EVERYTHING)
    BITS(and) BITS(or) BITS(xor) SHIFT(shift_left) SHIFT(shift_right_logical)

    {.prim = &kn_prim_select_n, .dtypes = EVERYTHING " key<fry>", .each = ref_select_n, .flags = SPECIAL,
     .operands = "bool[] T[] T[]; bool[3,4] T[3,4] T[3,4]; bool[] T[2,3] T[2,3]; bool[0] T[0] T[0]; bool[1] T[1] T[1]"},
    {.prim = &kn_prim_select_n, .label = "three", .dtypes = "i32 f64 c64 u8", .each = ref_select_n,
     .operands = "i32[]{0,2} T[2,3] T[2,3] T[2,3]; i32[5]{0,2} T[5] T[5] T[5]; i32[]{0,2} T[] T[] T[]; i32[7]{0,3} T[7] T[7] T[7] T[7]"},
    {.prim = &kn_prim_select_n, .label = "large", .dtypes = "f32", .each = ref_select_n, .operands = "bool[5000] T[5000] T[5000]"},

    CONVERT(BOOL, "bool") CONVERT(I8, "i8") CONVERT(I16, "i16") CONVERT(I32, "i32") CONVERT(I64, "i64") CONVERT(U8, "u8")
    CONVERT(U16, "u16") CONVERT(U32, "u32") CONVERT(U64, "u64") CONVERT(F16, "f16") CONVERT(BF16, "bf16") CONVERT(F32, "f32")
    CONVERT(F64, "f64") CONVERT(C64, "c64") CONVERT(C128, "c128")
    {.prim = &kn_prim_convert_element_type, .label = "slope_c128", .dtypes = "f64 c128", .operands = "T[3,4]; T[]",
     .params = &(kn_p_convert){KN_DT(C128), false}, .whole = ref_convert},
    {.prim = &kn_prim_convert_element_type, .label = "slope_f64", .dtypes = "f64 c128", .operands = "T[3,4]; T[]",
     .params = &(kn_p_convert){KN_DT(F64), false}, .whole = ref_convert},
    {.prim = &kn_prim_convert_element_type, .label = "weak", .dtypes = "i32 f32", .operands = "T[3,4]; T[]",
     .params = &(kn_p_convert){KN_DT(F32), true}, .whole = ref_convert, .flags = NO_SLOPE},
    {.prim = &kn_prim_convert_element_type, .label = "large_to_bf16", .dtypes = "f32 f64 i32", .operands = "T[5000]",
     .params = &(kn_p_convert){KN_DT(BF16), false}, .whole = ref_convert, .flags = NO_SLOPE | SPECIAL | EXTREME},

    BITCAST(I8, "i8", "u8 i8 bool") BITCAST(U8, "u8", "i8 u8 bool") BITCAST(U16, "u16", "i16 f16 bf16 u16") BITCAST(I16, "i16", "u16 f16 bf16 i16")
    BITCAST(F16, "f16", "u16 i16 bf16 f16") BITCAST(BF16, "bf16", "u16 i16 f16 bf16") BITCAST(U32, "u32", "i32 f32 u32")
    BITCAST(I32, "i32", "u32 f32 i32") BITCAST(F32, "f32", "u32 i32 f32") BITCAST(U64, "u64", "i64 f64 u64 c64") BITCAST(C64, "c64", "i64 f64 u64 c64") BITCAST(C128, "c128", "c128") BITCAST(I64, "i64", "u64 f64 i64")
    BITCAST(F64, "f64", "u64 i64 f64 c64")
    {.prim = NULL},
};
