/* SPDX-License-Identifier: Apache-2.0
 * unary.c -- functions of one element: ONNX's Abs, Exp, Round, IsNaN, Not and their kin. */
#include "models/onnx/ops/numbers.h"

KNONNX_UNARY(op_abs, kn_abs)
KNONNX_UNARY(op_acos, kn_arccos)
KNONNX_UNARY(op_acosh, kn_arccosh)
KNONNX_UNARY(op_asin, kn_arcsin)
KNONNX_UNARY(op_asinh, kn_arcsinh)
KNONNX_UNARY(op_atan, kn_arctan)
KNONNX_UNARY(op_atanh, kn_arctanh)
KNONNX_UNARY(op_bitwise_not, kn_bitwise_not)
KNONNX_UNARY(op_ceil, kn_ceil)
KNONNX_UNARY(op_cos, kn_cos)
KNONNX_UNARY(op_cosh, kn_cosh)
KNONNX_UNARY(op_exp, kn_exp)
KNONNX_UNARY(op_floor, kn_floor)
KNONNX_UNARY(op_log, kn_log)
KNONNX_UNARY(op_neg, kn_negative)
KNONNX_UNARY(op_not, kn_logical_not)
KNONNX_UNARY(op_reciprocal, kn_reciprocal)
KNONNX_UNARY(op_round, kn_rint)
KNONNX_UNARY(op_sign, kn_sign)
KNONNX_UNARY(op_sin, kn_sin)
KNONNX_UNARY(op_sinh, kn_sinh)
KNONNX_UNARY(op_sqrt, kn_sqrt)
KNONNX_UNARY(op_tan, kn_tan)
KNONNX_UNARY(op_tanh, kn_tanh)

/* Also of integers, which stay integers. */
static int op_erf(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    if (knonnx_is_float(x))
        return knonnx_set(c, 0, kn_lax_erf(x));
    return knonnx_set(c, 0, knonnx_as(kn_lax_erf(knonnx_as(x, KN_F64)), kn_dtype_of(x)));
}

static int op_is_nan(knonnx_call *c) { return knonnx_set(c, 0, kn_isnan(knonnx_plain(knonnx_in(c, 0)))); }

static int op_is_inf(knonnx_call *c)
{
    kn_array x = knonnx_plain(knonnx_in(c, 0));
    bool up = knonnx_int(c, "detect_positive", 1), down = knonnx_int(c, "detect_negative", 1);
    kn_zeros_like_opts o = kn_zeros_like_opts_default();
    o.dtype = KN_BOOL;
    kn_array y = up && down ? kn_isinf(x) : up ? kn_isposinf(x) : down ? kn_isneginf(x) : kn_zeros_like(x, &o);
    return knonnx_set(c, 0, y);
}

const knonnx_row knonnx_rows_unary[] = {
    {"Abs", 1, op_abs, 1, 1, 1, 1},       {"Acos", 7, op_acos, 1, 1, 1, 1},
    {"Acosh", 9, op_acosh, 1, 1, 1, 1},   {"Asin", 7, op_asin, 1, 1, 1, 1},
    {"Asinh", 9, op_asinh, 1, 1, 1, 1},   {"Atan", 7, op_atan, 1, 1, 1, 1},
    {"Atanh", 9, op_atanh, 1, 1, 1, 1},   {"BitwiseNot", 18, op_bitwise_not, 1, 1, 1, 1},
    {"Ceil", 1, op_ceil, 1, 1, 1, 1},     {"Cos", 7, op_cos, 1, 1, 1, 1},
    {"Cosh", 9, op_cosh, 1, 1, 1, 1},     {"Erf", 9, op_erf, 1, 1, 1, 1},
    {"Exp", 1, op_exp, 1, 1, 1, 1},       {"Floor", 1, op_floor, 1, 1, 1, 1},
    {"IsInf", 10, op_is_inf, 1, 1, 1, 1}, {"IsNaN", 9, op_is_nan, 1, 1, 1, 1},
    {"Log", 1, op_log, 1, 1, 1, 1},       {"Neg", 1, op_neg, 1, 1, 1, 1},
    {"Not", 1, op_not, 1, 1, 1, 1},       {"Reciprocal", 1, op_reciprocal, 1, 1, 1, 1},
    {"Round", 11, op_round, 1, 1, 1, 1},  {"Sign", 9, op_sign, 1, 1, 1, 1},
    {"Sin", 7, op_sin, 1, 1, 1, 1},       {"Sinh", 9, op_sinh, 1, 1, 1, 1},
    {"Sqrt", 1, op_sqrt, 1, 1, 1, 1},     {"Tan", 7, op_tan, 1, 1, 1, 1},
    {"Tanh", 1, op_tanh, 1, 1, 1, 1},     {NULL, 0, NULL, 0, 0, 0, 0},
};
