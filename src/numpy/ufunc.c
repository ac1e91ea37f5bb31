/* SPDX-License-Identifier: Apache-2.0
 * ufunc.c -- the functions of two arrays that go element by element: as such, and for what is done in place. */
#include "array/storage.h"
#include "numpy/internal.h"
#include <string.h>

typedef kn_atom (*two)(kn_builder *b, kn_atom x, kn_atom y);
static const struct {
    const char *name;
    two f;
    enum { NUMBERS, REAL, POWER, BITS } kind;
} table[] = {
    [kn_ufunc_add] = {"add", knb_add, NUMBERS},           [kn_ufunc_subtract] = {"subtract", knb_sub, NUMBERS},
    [kn_ufunc_multiply] = {"multiply", knb_mul, NUMBERS}, [kn_ufunc_divide] = {"divide", knb_div, REAL},
    [kn_ufunc_power] = {"power", knb_pow, POWER},         [kn_ufunc_maximum] = {"maximum", knb_max, NUMBERS},
    [kn_ufunc_minimum] = {"minimum", knb_min, NUMBERS},   [kn_ufunc_bitwise_and] = {"bitwise_and", knb_and, BITS},
    [kn_ufunc_bitwise_or] = {"bitwise_or", knb_or, BITS}, [kn_ufunc_bitwise_xor] = {"bitwise_xor", knb_xor, BITS},
};

const char *knn_ufunc_name(kn_ufunc f) { return table[f].name; }

bool knn_ufunc_exists(kna_op *op, kn_ufunc f)
{
    if ((unsigned)f < sizeof table / sizeof *table)
        return true;
    kna_fail(op, KN_ERROR_VALUE, "there is no ufunc with the number %d", (int)f);
    return false;
}

kn_dtype knn_ufunc_dtype(kna_op *op, kn_ufunc f, kn_array x, kn_array y)
{
    kn_array both[] = {x, y};
    kn_dtype d = kna_result_type(op, 2, both);
    if (kna_failed(op) || knn_not_a_number(op, table[f].name, d))
        return NULL;
    if (d->kind == KN_KIND_BOOL && f == kn_ufunc_subtract)
        kna_fail(op, KN_ERROR_TYPE,
                 "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                 "or the logical_xor function instead.");
    if (table[f].kind == BITS && d->kind != KN_KIND_BOOL && !knx_is_integer(d))
        knn_not_supported(op, table[f].name);
    if (table[f].kind == POWER && d->kind == KN_KIND_BOOL)
        return KN_DT(I8);
    return table[f].kind == REAL ? knn_inexact_for(d) : d;
}

bool knn_output_fits(kna_op *op, kn_ufunc f, kn_dtype d, kn_dtype to)
{
    if (kna_failed(op) || knx_can_cast(d, to, KN_CAST_SAME_KIND))
        return !kna_failed(op);
    kna_fail(op, KN_ERROR_TYPE,
             "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule 'same_kind'",
             table[f].name, d->name, to->name);
    return false;
}

/* ---- Powers. */

/* The value of a weak number, if y is one. */
static bool weak_number(kna_op *op, kn_array y, kn_type *t, double *value)
{
    *t = kna_type(op, y);
    if (kna_failed(op) || !t->weak || knx_is_complex(t->dtype))
        return false;
    kn_type unused;
    const void *at = kna_look(op, y, &unused);
    if (!at)
        return false;
    kn_scalar_bits bits = {{0}};
    memcpy(&bits, at, t->dtype->size);
    *value = t->dtype == KN_DT(U64)   ? (double)bits.u64
             : t->dtype == KN_DT(I64) ? (double)bits.i64
                                      : knx_scalar_to_double(t->dtype, bits);
    return true;
}

/* Is some power negative? Outside of traces only: there the answer is not known. */
static bool negative_powers(kna_op *op, kn_array y)
{
    kn_type t = kna_type(op, y);
    if (kna_failed(op) || t.dtype->kind != KN_KIND_INT || !op->b->hook)
        return false;
    const unsigned char *at = kna_look(op, y, &t);
    for (int64_t i = 0, n = kni_type_size(t); at && i < n; i++) {
        int64_t v = 0;
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, KN_DT(I64), &v);
        if (v < 0)
            return true;
    }
    return false;
}

/* Powers that are small whole numbers in the program's text are products, as in JAX; 2.0 and 0.5 are square and sqrt,
 * as in NumPy. */
static kn_atom power(kna_op *op, kn_atom a, kn_array y, kn_dtype d, const kn_shape *shape)
{
    kn_type t;
    double value = 0;
    bool number = weak_number(op, y, &t, &value);
    bool whole = number && t.dtype->kind != KN_KIND_FLOAT && value >= -0x1p53 && value <= 0x1p53;
    if (whole && knx_is_integer(d))
        kna_in_as(op, y, d); /* OverflowError if it does not fit */
    if (!kna_failed(op) && knx_is_integer(d) && (number ? value < 0 : negative_powers(op, y)))
        kna_fail(op, KN_ERROR_VALUE, "Integers to negative integer powers are not allowed.");
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (whole || (number && value == 2))
        return knb_integer_pow(op->b, a, (int64_t)value);
    if (number && value == 0.5)
        return knb_sqrt(op->b, a);
    return knb_pow(op->b, a, knn_operand(op, y, d, shape));
}

/* ---- Two arguments. */

kn_atom knn_apply(kna_op *op, kn_ufunc f, kn_array x, kn_atom xa, kn_array y, const kn_shape *shape)
{
    kn_dtype d = knn_ufunc_dtype(op, f, x, y);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_atom a = xa == KN_ATOM_NONE ? knn_operand(op, x, d, shape) : knn_spread(op, knb_convert(op->b, xa, d), shape);
    if (table[f].kind == POWER)
        return power(op, a, y, d, shape);
    return table[f].f(op->b, a, knn_operand(op, y, d, shape));
}

static kn_array binary(kn_ufunc f, kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, table[f].name);
    kn_array both[] = {x, y};
    kn_shape shape;
    kna_result_type(&op, 2, both); /* dtypes that do not mix are spoken of first */
    knn_common_shape(&op, 2, both, &shape);
    return kna_end_in_order(&op, knn_apply(&op, f, x, KN_ATOM_NONE, y, &shape), 2, both);
}

kn_array kn_add(kn_array x, kn_array y) { return binary(kn_ufunc_add, x, y); }
kn_array kn_subtract(kn_array x, kn_array y) { return binary(kn_ufunc_subtract, x, y); }
kn_array kn_sub(kn_array x, kn_array y) { return kn_subtract(x, y); }
kn_array kn_multiply(kn_array x, kn_array y) { return binary(kn_ufunc_multiply, x, y); }
kn_array kn_mul(kn_array x, kn_array y) { return kn_multiply(x, y); }
kn_array kn_divide(kn_array x, kn_array y) { return binary(kn_ufunc_divide, x, y); }
kn_array kn_true_divide(kn_array x, kn_array y) { return kn_divide(x, y); }
kn_array kn_div(kn_array x, kn_array y) { return kn_divide(x, y); }
kn_array kn_power(kn_array x, kn_array y) { return binary(kn_ufunc_power, x, y); }
kn_array kn_maximum(kn_array x, kn_array y) { return binary(kn_ufunc_maximum, x, y); }
kn_array kn_minimum(kn_array x, kn_array y) { return binary(kn_ufunc_minimum, x, y); }
kn_array kn_bitwise_and(kn_array x, kn_array y) { return binary(kn_ufunc_bitwise_and, x, y); }
kn_array kn_bitwise_or(kn_array x, kn_array y) { return binary(kn_ufunc_bitwise_or, x, y); }
kn_array kn_bitwise_xor(kn_array x, kn_array y) { return binary(kn_ufunc_bitwise_xor, x, y); }
