/* SPDX-License-Identifier: Apache-2.0
 * binary.c -- functions of two elements and of several: ONNX's Add, Div, Mod, Pow, BitShift, comparisons, Max, Sum
 * and their kin. */
#include "models/onnx/ops/numbers.h"
#include <string.h>

/* ---- Broadcasting. Since opset 7 as NumPy's; before, `broadcast` allows the second operand to be smaller: its axes
 * are those of the first from `axis` on, or the last ones. */

static bool same_shape(kn_array a, kn_array b)
{
    kn_shape s = kn_shape_of(a), t = kn_shape_of(b);
    bool same = s.ndim == t.ndim;
    for (int k = 0; k < s.ndim && same; k++)
        same = kn_dim_eq(s.dim[k], t.dim[k]);
    return same;
}

static int aligned(knonnx_call *c, kn_array a, kn_array *b)
{
    kn_shape s = kn_shape_of(a), t = kn_shape_of(*b);
    if (s.ndim < 0 || t.ndim < 0)
        return knonnx_done(c);
    if (!knonnx_int(c, "broadcast", 0))
        return same_shape(a, *b) ? 0 : knonnx_fail(c, KN_ERROR_VALUE, "the shapes differ, and there is no broadcast=1");
    if (!knonnx_given(c, "axis") || kn_size(*b) == 1)
        return 0;
    int axis = knonnx_axis(c, knonnx_int(c, "axis", 0), s.ndim);
    if (axis < 0)
        return -1;
    if (axis + t.ndim > s.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "axis=%d leaves fewer axes than the second operand has", axis);
    while (axis + t.ndim < s.ndim)
        t.dim[t.ndim++] = 1;
    *b = knonnx_shaped(*b, t.ndim, t.dim);
    return 0;
}

typedef kn_array two(kn_array x, kn_array y);

static int op_two(knonnx_call *c, two *f)
{
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1);
    if (!a || !b || (c->version < 7 && aligned(c, a, &b)))
        return -1;
    return knonnx_set(c, 0, f(a, b));
}

#define BINARY(name, f) \
    static int name(knonnx_call *c) { return op_two(c, f); }

/* ---- Arithmetic. */

/* Integers are divided toward zero. */
static kn_array quotient(kn_array x, kn_array y)
{
    char kind = kn_dtype_kind(kn_dtype_of(x));
    if (kind != 'i' && kind != 'u')
        return kn_divide(x, y);
    kn_list both = kn_broadcast_arrays(kn_list_from((kn_array[]){x, y}, 2));
    return kn_lax_div(kn_list_get(both, 0), kn_list_get(both, 1));
}

/* The result has the base's dtype, whatever that of the exponent is. */
static kn_array power(kn_array x, kn_array y)
{
    kn_dtype d = kn_dtype_of(x);
    bool whole = !knonnx_is_float(x);
    if (!whole || (kn_dtype_of(y) == d && kn_dtype_kind(d) == 'u'))
        return kn_power(x, knonnx_as(y, d));
    return knonnx_as(kn_power(knonnx_as(x, KN_F64), knonnx_as(y, KN_F64)), d);
}

BINARY(op_add, kn_add)
BINARY(op_sub, kn_subtract)
BINARY(op_mul, kn_multiply)
BINARY(op_div, quotient)
BINARY(op_pow, power)

static int op_mod(knonnx_call *c)
{
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1);
    int64_t fmod = knonnx_int(c, "fmod", 0);
    if (fmod != 0 && fmod != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "fmod=%lld is neither 0 nor 1", (long long)fmod);
    if (!fmod && c->version < 28 && a && knonnx_is_float(a))
        return knonnx_fail(c, KN_ERROR_VALUE, "before opset 28 floats need fmod=1");
    return knonnx_set(c, 0, fmod ? kn_fmod(a, b) : kn_remainder(a, b));
}

/* ---- Comparisons, logic, bits. */

BINARY(op_and, kn_logical_and)
BINARY(op_or, kn_logical_or)
BINARY(op_xor, kn_logical_xor)
BINARY(op_greater, kn_greater)
BINARY(op_greater_equal, kn_greater_equal)
BINARY(op_less, kn_less)
BINARY(op_less_equal, kn_less_equal)
BINARY(op_bitwise_and, kn_bitwise_and)
BINARY(op_bitwise_or, kn_bitwise_or)
BINARY(op_bitwise_xor, kn_bitwise_xor)

static int op_bit_shift(knonnx_call *c)
{
    const char *way = knonnx_string(c, "direction", NULL);
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1);
    if (!way || (strcmp(way, "LEFT") && strcmp(way, "RIGHT")))
        return knonnx_fail(c, KN_ERROR_VALUE, "direction is \"LEFT\" or \"RIGHT\"");
    return knonnx_set(c, 0, !strcmp(way, "LEFT") ? kn_left_shift(a, b) : kn_right_shift(a, b));
}

/* The number in the flattened array t of what stands at `place` of the result of shape s. */
static int64_t source(const knonnx_strings *t, const kn_shape *s, int64_t place)
{
    int64_t at = 0, step = 1;
    for (int k = 1; k <= s->ndim; k++) {
        int64_t extent = s->dim[s->ndim - k], i = place % extent;
        int64_t own = k <= t->ndim ? t->dim[t->ndim - k] : 1;
        at += own == 1 ? 0 : i * step;
        step *= own;
        place /= extent;
    }
    return at;
}

static int equal_strings(knonnx_call *c)
{
    const knonnx_strings *a = knonnx_strings_in(c, 0), *b = knonnx_strings_in(c, 1);
    kn_shape both[2] = {{0}};
    if (!a || !b)
        return -1;
    const knonnx_strings *t[] = {a, b};
    for (int k = 0; k < 2; k++) {
        both[k].ndim = t[k]->ndim;
        memcpy(both[k].dim, t[k]->dim, sizeof both[k].dim);
    }
    kn_shape s = kn_broadcast_shapes(2, both);
    int64_t n = s.ndim < 0 ? 0 : 1;
    for (int k = 0; k < s.ndim; k++)
        n *= s.dim[k];
    bool *same = knonnx_take(c, (uint64_t)n + 1, sizeof *same);
    if (s.ndim < 0 || !same)
        return -1;
    for (int64_t i = 0; i < n; i++)
        same[i] = !strcmp(a->text[source(a, &s, i)], b->text[source(b, &s, i)]);
    return knonnx_set(c, 0, kn_from_memory(same, &s, KN_BOOL));
}

static int op_equal(knonnx_call *c)
{
    if (c->version >= 19 && c->in[0].kind == KNONNX_STRINGS_VALUE)
        return equal_strings(c);
    return op_two(c, kn_equal);
}

/* ---- Of several operands. Before opset 8 they have one shape. */

static kn_array joined(knonnx_call *c, two *f)
{
    kn_array y = knonnx_in(c, 0);
    for (int i = 1; i < c->n_in && y; i++) {
        kn_array x = knonnx_in(c, i);
        if (x && c->version < 8 && !same_shape(y, x))
            knonnx_fail(c, KN_ERROR_VALUE, "before opset 8 all inputs have one shape");
        y = f(y, x);
    }
    return y;
}

static int op_max(knonnx_call *c) { return knonnx_set(c, 0, joined(c, kn_maximum)); }
static int op_min(knonnx_call *c) { return knonnx_set(c, 0, joined(c, kn_minimum)); }
static int op_sum(knonnx_call *c) { return knonnx_set(c, 0, joined(c, kn_add)); }

static int op_mean(knonnx_call *c)
{
    kn_array y = joined(c, kn_add);
    return knonnx_set(c, 0, c->n_in == 1 ? y : kn_divide(y, kn_like_int(c->n_in)));
}

const knonnx_row knonnx_rows_binary[] = {
    {"Add", 1, op_add, 2, 2, 1, 1},
    {"And", 1, op_and, 2, 2, 1, 1},
    {"BitShift", 11, op_bit_shift, 2, 2, 1, 1},
    {"BitwiseAnd", 18, op_bitwise_and, 2, 2, 1, 1},
    {"BitwiseOr", 18, op_bitwise_or, 2, 2, 1, 1},
    {"BitwiseXor", 18, op_bitwise_xor, 2, 2, 1, 1},
    {"Div", 1, op_div, 2, 2, 1, 1},
    {"Equal", 1, op_equal, 2, 2, 1, 1},
    {"Greater", 1, op_greater, 2, 2, 1, 1},
    {"GreaterOrEqual", 12, op_greater_equal, 2, 2, 1, 1},
    {"Less", 1, op_less, 2, 2, 1, 1},
    {"LessOrEqual", 12, op_less_equal, 2, 2, 1, 1},
    {"Max", 1, op_max, 1, -1, 1, 1},
    {"Mean", 1, op_mean, 1, -1, 1, 1},
    {"Min", 1, op_min, 1, -1, 1, 1},
    {"Mod", 10, op_mod, 2, 2, 1, 1},
    {"Mul", 1, op_mul, 2, 2, 1, 1},
    {"Or", 1, op_or, 2, 2, 1, 1},
    {"Pow", 1, op_pow, 2, 2, 1, 1},
    {"Sub", 1, op_sub, 2, 2, 1, 1},
    {"Sum", 1, op_sum, 1, -1, 1, 1},
    {"Xor", 1, op_xor, 2, 2, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
