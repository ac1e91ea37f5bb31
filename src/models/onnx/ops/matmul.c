/* SPDX-License-Identifier: Apache-2.0
 * matmul.c -- products of matrices: MatMul, Gemm, and those of quantised numbers. */
#include "models/onnx/ops/layers.h"

static int matmul(knonnx_call *c)
{
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1);
    return a && b ? knonnx_set(c, 0, kn_matmul(a, b)) : -1;
}

/* ---- Gemm. */

static kn_array scaled(kn_array x, double by)
{
    return by == 1 ? x : knonnx_as(kn_multiply(x, kn_like_double(by)), kn_dtype_of(x));
}

/* Before version 7 the attribute `broadcast` allows C to have another shape; NumPy's rule holds all such cases. */
static int gemm(knonnx_call *c)
{
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1), more = knonnx_in_or(c, 2, NULL);
    double alpha = knonnx_float(c, "alpha", 1), beta = knonnx_float(c, "beta", 1);
    if (!a || !b)
        return -1;
    if (kn_ndim(a) != 2 || kn_ndim(b) != 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "A and B are matrices, and have %d and %d axes", kn_ndim(a), kn_ndim(b));
    a = knonnx_int(c, "transA", 0) ? kn_matrix_transpose(a) : a;
    b = knonnx_int(c, "transB", 0) ? kn_matrix_transpose(b) : b;
    kn_array y = scaled(kn_matmul(a, b), alpha);
    if (more && beta != 0)
        y = kn_add(y, scaled(more, beta));
    return knonnx_set(c, 0, y);
}

/* ---- Integers. Products are made of int8, whose sums are exact in 32 bits: a - p of numbers without sign is (a -
 * 128) - (p - 128), and (a - p) (b - q) is a b - p (sums of b's columns) - q (sums of a's rows) + k p q. What is known
 * to be zero is left out. */

/* A zero point or a scale: a number; a vector, for rows (of the first operand and the result) or columns; or as it
 * stands. */
static kn_array of_rows(kn_array x, bool rows)
{
    if (kn_ndim(x) == 1 && kn_dim(x, 0) == 1)
        return kn_reshape(x, &(kn_shape){0, {0}}, NULL);
    return kn_ndim(x) == 1 && rows ? kn_reshape(x, KNONNX_SHAPE(-1, 1), NULL) : x;
}

/* As kn_matmul of operands with two axes at least, with sums of another dtype. */
static kn_array product(kn_array a, kn_array b, kn_dtype dtype)
{
    kn_shape s = kn_shape_of(a), t = kn_shape_of(b), batch[2] = {s, t};
    batch[0].ndim -= 2;
    batch[1].ndim -= 2;
    kn_shape both = s.ndim < 2 || t.ndim < 2 ? (kn_shape){-1, {0}} : kn_broadcast_shapes(2, batch);
    int n = both.ndim;
    if (n < 0)
        return kn_matmul(a, b); /* which says what is wrong */
    kn_shape left = both, right = both;
    for (int k = 0; k < 2; k++) {
        left.dim[left.ndim++] = kn_dim(a, k - 2);
        right.dim[right.ndim++] = kn_dim(b, k - 2);
    }
    kn_lax_dot_dimension_numbers numbers = {.lhs_contract = knonnx_one_axis(n + 1),
                                            .rhs_contract = knonnx_one_axis(n),
                                            .lhs_batch = knonnx_axes_from(0, n),
                                            .rhs_batch = knonnx_axes_from(0, n)};
    return kn_lax_dot_general(kn_broadcast_to(a, &left), kn_broadcast_to(b, &right), &numbers,
                              KNONNX_O(kn_lax_dot_opts, .preferred_element_type = dtype));
}

static kn_array sums(kn_array x, int axis)
{
    kn_axes axes = knonnx_one_axis(axis);
    return knonnx_summed(knonnx_as(x, KN_I32), &axes, true);
}

/* (a - a_zero) (b - b_zero), of inputs ia and ib of the node with zero points iza and izb. */
static kn_array integer_product(knonnx_call *c, int ia, int iza, int ib, int izb)
{
    kn_array a = knonnx_in(c, ia), b = knonnx_in(c, ib), p, q;
    if (!a || !b)
        return NULL;
    a = knonnx_int8(c, a, iza, &p);
    b = knonnx_int8(c, b, izb, &q);
    bool row = kn_ndim(a) == 1, column = kn_ndim(b) == 1;
    a = row ? kn_reshape(a, KNONNX_SHAPE(1, -1), NULL) : a;
    b = column ? kn_reshape(b, KNONNX_SHAPE(-1, 1), NULL) : b;
    kn_array y = product(a, b, KN_I32);
    p = p ? of_rows(p, true) : NULL;
    q = q ? of_rows(q, false) : NULL;
    y = p ? kn_subtract(y, kn_multiply(p, sums(b, -2))) : y;
    y = q ? kn_subtract(y, kn_multiply(q, sums(a, -1))) : y;
    y = p && q ? kn_add(y, kn_multiply(kn_multiply(p, q), kn_like_int(kn_dim(a, -1)))) : y;
    y = column ? kn_squeeze(y, KNONNX_O(kn_squeeze_opts, .axis = knonnx_one_axis(-1))) : y;
    return row ? kn_squeeze(y, KNONNX_O(kn_squeeze_opts, .axis = knonnx_one_axis(column ? -1 : -2))) : y;
}

static int matmul_integer(knonnx_call *c)
{
    kn_array y = integer_product(c, 0, 2, 1, 3);
    return y ? knonnx_set(c, 0, y) : -1;
}

/* a_scale b_scale (a - a_zero) (b - b_zero) / y_scale + y_zero, rounded once. */
static int qlinear_matmul(knonnx_call *c)
{
    kn_array in[8];
    for (int i = 0; i < 8; i++)
        if (!(in[i] = knonnx_in(c, i)))
            return -1;
    kn_dtype d = kn_dtype_of(in[7]);
    kn_array sum;
    if (knonnx_float_dtype(kn_dtype_of(in[0]))) {
        kn_array a = kn_subtract(knonnx_as(in[0], KN_F32), of_rows(knonnx_as(in[2], KN_F32), true));
        kn_array b = kn_subtract(knonnx_as(in[3], KN_F32), of_rows(knonnx_as(in[5], KN_F32), false));
        sum = kn_matmul(a, b);
    } else
        sum = knonnx_as(integer_product(c, 0, 2, 3, 5), KN_F32);
    kn_array scale = kn_multiply(of_rows(knonnx_as(in[1], KN_F32), true), of_rows(knonnx_as(in[4], KN_F32), false));
    kn_array y = kn_multiply(sum, kn_divide(scale, of_rows(knonnx_as(in[6], KN_F32), true)));
    kn_array zero = of_rows(knonnx_as(in[7], KN_F32), true);
    if (knonnx_float_dtype(d))
        return knonnx_set(c, 0, knonnx_as(kn_add(y, zero), d));
    return knonnx_set(c, 0, knonnx_saturated(kn_add(kn_rint(y), zero), d));
}

const knonnx_row knonnx_rows_matmul[] = {
    {"MatMul", 1, matmul, 2, 2, 1, 1},
    {"Gemm", 1, gemm, 3, 3, 1, 1},
    {"Gemm", 11, gemm, 2, 3, 1, 1},
    {"MatMulInteger", 10, matmul_integer, 2, 4, 1, 1},
    {"QLinearMatMul", 10, qlinear_matmul, 8, 8, 1, 1},
    {0},
};
