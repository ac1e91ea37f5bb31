/* SPDX-License-Identifier: Apache-2.0
 * expr.h -- short forms for writing programs in the kernel IR; a builder named k is in scope. For kernel/math/. */
#ifndef KN_KERNEL_EXPR_H
#define KN_KERNEL_EXPR_H
#include "kernel/kernel.h"

#define ADD(a, b)          knk_binary(k, KNK_ADD, a, b)
#define SUB(a, b)          knk_binary(k, KNK_SUB, a, b)
#define MUL(a, b)          knk_binary(k, KNK_MUL, a, b)
#define DIV(a, b)          knk_binary(k, KNK_DIV, a, b)
#define FMA(a, b, c)       knk_ternary(k, KNK_FMA, a, b, c)
#define MIN(a, b)          knk_binary(k, KNK_MIN, a, b)
#define MAX(a, b)          knk_binary(k, KNK_MAX, a, b)
#define NEG(a)             knk_unary(k, KNK_NEG, a)
#define ABS(a)             knk_unary(k, KNK_ABS, a)
#define SQRT(a)            knk_unary(k, KNK_SQRT, a)
#define RINT(a)            knk_unary(k, KNK_RINT, a)
#define SCALB(p, n)        knk_binary(k, KNK_SCALB, p, n)
#define AND(a, b)          knk_binary(k, KNK_AND, a, b)
#define OR(a, b)           knk_binary(k, KNK_OR, a, b)
#define XOR(a, b)          knk_binary(k, KNK_XOR, a, b)
#define NOT(a)             knk_unary(k, KNK_NOT, a)
#define SHL(a, n)          knk_binary(k, KNK_SHL, a, n)
#define SHR(a, n)          knk_binary(k, KNK_SHR, a, n)
#define SAR(a, n)          knk_binary(k, KNK_SAR, a, n)
#define EQ(a, b)           knk_binary(k, KNK_EQ, a, b)
#define NE(a, b)           knk_binary(k, KNK_NE, a, b)
#define LT(a, b)           knk_binary(k, KNK_LT, a, b)
#define LE(a, b)           knk_binary(k, KNK_LE, a, b)
#define SELECT(p, yes, no) knk_select(k, p, yes, no)
#define COLD(p, yes, no)   knk_select_cold(k, p, yes, no)
#define CAST(to, a)        knk_cast(k, KN_ID_##to, a)
#define BITS(to, a)        knk_bitcast(k, KN_ID_##to, a)
#define NUM(d, v)          knk_const_double(k, d, v) /* a float constant of dtype d */
#define F32(v)             knk_const_double(k, KN_ID_F32, v)
#define F64(v)             knk_const_double(k, KN_ID_F64, v)
#define I32(v)             knk_const_int(k, KN_ID_I32, v)
#define I64(v)             knk_const_int(k, KN_ID_I64, v)
#define U32(v)             knk_const(k, KN_ID_U32, v)
#define U64(v)             knk_const(k, KN_ID_U64, v)

/* A program that is used by the row alone that names it: unary.def's rows declare theirs. */
#define PROGRAM(name, k, x)                         \
    knk_node name(knk_builder *k, knk_node x);      \
    knk_node name(knk_builder *k, knk_node x)

/* c[0] + c[1] x + ... + c[n-1] x^(n-1), a chain of fma. */
knk_node knk_polynomial(knk_builder *k, knk_node x, int n, const double *c);
#define POLYNOMIAL(x, table) knk_polynomial(k, x, (int)(sizeof(table) / sizeof *(table)), table)
/* the same, but from the fourth one on as two chains, of even and of odd powers: long ones are done sooner, for two
 * operations more */
knk_node knk_two_chains(knk_builder *k, knk_node x, int n, const double *c);
#define TWO_CHAINS(x, table) knk_two_chains(k, x, (int)(sizeof(table) / sizeof *(table)), table)
/* with the table of the dtype of x */
#define EITHER(x, of_f32, of_f64) (knk_is_f32(k, x) ? POLYNOMIAL(x, of_f32) : POLYNOMIAL(x, of_f64))

/* The sign bit of x alone, as a float; and y with the sign bit of `sign` set where it is set there. */
knk_node knk_sign_bit(knk_builder *k, knk_node x);
knk_node knk_or_bits(knk_builder *k, knk_node y, knk_node sign);
knk_node knk_xor_bits(knk_builder *k, knk_node y, knk_node sign);

/* x is not in least <= x < end, both positive, least normal; so NaN and what is negative is. */
knk_node knk_outside(knk_builder *k, knk_node x, double least, double end);
/* 1 / x to 0.3 percent, without a division, for a positive normal x whose inverse is normal; of 0 some finite
 * number. */
knk_node knk_rough_inverse(knk_builder *k, knk_node x);
/* A positive finite x as m * 2^e with m in [sqrt(1/2), sqrt(2)); e is a float. Subnormals are right. */
void knk_split(knk_builder *k, knk_node x, knk_node *m, knk_node *e);
void knk_split_normal(knk_builder *k, knk_node x, knk_node *m, knk_node *e); /* of a normal number */
/* e^(x + tail) in the dtype of x, |tail| far below |x|; tail may be KNK_NONE. x need not be clamped, NaN passes. */
knk_node knk_exp_sum(knk_builder *k, knk_node x, knk_node tail);
/* The same as (hi + lo) 2^n, |lo| below a unit of hi; x finite and no larger than 2000. */
void knk_exp_parts(knk_builder *k, knk_node x, knk_node tail, knk_node *hi, knk_node *lo, knk_node *n);
/* log a of a positive normal number, without any test of it. */
knk_node knk_log_normal(knk_builder *k, knk_node a);
/* log a as hi + lo, |lo| below a unit of hi, and as exact as log; for a positive finite number. */
void knk_log_pair(knk_builder *k, knk_node a, knk_node *hi, knk_node *lo);
/* log (m 2^e) to about 67 bits (f32: 35) as hi + lo. */
void knk_log_parts(knk_builder *k, knk_node m, knk_node e, knk_node *hi, knk_node *lo);
/* log of an f64 with hardly any error beyond the last rounding. */
knk_node knk_log_best(knk_builder *k, knk_node x);
static inline bool knk_is_f32(const knk_builder *k, knk_node x) { return knk_dtype(k, x) == KN_ID_F32; }
#endif
