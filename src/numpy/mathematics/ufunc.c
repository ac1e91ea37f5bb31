/* SPDX-License-Identifier: Apache-2.0
 * ufunc.c -- the functions of two arrays that go element by element: as such, and for what is done in place. */
#include "array/element.h"
#include "array/scalars.h"
#include "array/storage.h"
#include "lib/formulas.h"
#include "lib/internal.h"
#include <string.h>

typedef kni_atom (*two)(kni_builder *b, kni_atom x, kni_atom y);
/* Which dtypes there are: all numbers; floats and complex; powers; bits; real numbers; integers, with bool as int8 or
 * without; floats; float64 and complex128; what gives truth values, and works on bool here. */
typedef enum kind { NUMBERS, INEXACT, POWER, BITS, REAL, SHIFT, INTEGER, FLOAT, FLOAT_POWER, TRUTH } kind;
/* wide: 16-bit floats are computed in float32; full: the formula wants operands of the full shape */
#define TWO(name, f, kind, wide, full, ...) [kn_ufunc_##name] = {#name, f, kind, wide, full},
static const struct {
    const char *name;
    two f;
    kind kind;
    bool wide, full;
} table[] = {
#include "numpy/ufunc/ufuncs.def"
};

bool knl_ufunc_has_formula(kn_ufunc f) { return f >= 0 && f < (int)(sizeof table / sizeof *table) && table[f].f; }

static const char *class_of(kna_op *op, kn_array x, knx_text *t)
{
    kni_type type = kna_type(op, x);
    static const char *const names[][2] = {{"bool", "Bool"},           {"int8", "Int8"},
                                           {"int16", "Int16"},         {"int32", "Int32"},
                                           {"int64", "Int64"},         {"uint8", "UInt8"},
                                           {"uint16", "UInt16"},       {"uint32", "UInt32"},
                                           {"uint64", "UInt64"},       {"float16", "Float16"},
                                           {"float32", "Float32"},     {"float64", "Float64"},
                                           {"complex64", "Complex64"}, {"complex128", "Complex128"}};
    const char *name = type.dtype->name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], name))
            name = names[i][1];
    if (type.weak && type.dtype->kind != KN_KIND_BOOL) {
        const char *number = knx_is_integer(type.dtype) ? "Long" : knx_is_float(type.dtype) ? "Float" : "Complex";
        knx_text_add(t, "<class 'numpy.dtypes._Py%sDType'>", number);
    } else
        knx_text_add(t, "<class 'numpy.dtypes.%sDType'>", name);
    return t->s;
}

static void no_loop(kna_op *op, kn_ufunc f, kn_array x, kn_array y)
{
    knx_text s = {0}, t = {0};
    kna_fail(op, KN_ERROR_TYPE, "ufunc '%s' did not contain a loop with signature matching types (%s, %s) -> None",
             table[f].name, class_of(op, x, &s), class_of(op, y, &t));
}

/* The first loop of floats that takes both. */
static kn_dtype float_dtype(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_array y)
{
    if (knx_is_complex(d)) {
        knl_not_supported(op, table[f].name);
        return d;
    }
    kni_type xt = kna_type(op, x), yt = kna_type(op, y);
    return xt.weak || yt.weak ? knl_float_for(kni_scalar_type(d)) : knx_promote(knl_float_for(xt), knl_float_for(yt));
}

/* d: what x and y promote to. */
static KNX_HOT kn_dtype dtype_for(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_array y)
{
    if (kna_failed(op) || knl_not_a_number(op, table[f].name, d))
        return NULL;
    bool is_bool = d->kind == KN_KIND_BOOL, whole = knx_is_integer(d);
    if (is_bool && f == kn_ufunc_subtract)
        kna_fail(op, KN_ERROR_TYPE,
                 "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                 "or the logical_xor function instead.");
    switch (table[f].kind) {
    case NUMBERS: return d;
    case INEXACT: return knl_inexact_for(d);
    case POWER: return is_bool ? KN_DT(I8) : d;
    case BITS:
    case SHIFT:
        if (!is_bool && !whole)
            knl_not_supported(op, table[f].name);
        return is_bool && table[f].kind == SHIFT ? KN_DT(I8) : d;
    case REAL:
        if (knx_is_complex(d))
            knl_not_supported(op, table[f].name);
        return is_bool ? KN_DT(I8) : d;
    case INTEGER:
        if (!whole)
            no_loop(op, f, x, y);
        return d;
    case FLOAT: return float_dtype(op, f, d, x, y);
    case FLOAT_POWER: return knx_is_complex(d) ? KN_DT(C128) : KN_DT(F64);
    case TRUTH: kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "%s in place", table[f].name); break;
    }
    return d;
}

KNX_HOT kn_dtype knl_ufunc_dtype(kna_op *op, kn_ufunc f, kn_array x, kn_array y)
{
    kn_array both[] = {x, y};
    return dtype_for(op, f, kna_result_type(op, 2, both), x, y);
}

KNX_HOT bool knl_output_fits(kna_op *op, kn_ufunc f, kn_dtype d, kn_dtype to)
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
static bool weak_number(kna_op *op, kn_array y, kni_type *t, double *value)
{
    *t = kna_type(op, y);
    if (!kna_is_number(op, y) || knx_is_complex(t->dtype))
        return false;
    kni_type unused;
    const void *at = kna_look(op, y, &unused);
    if (!at)
        return false;
    knx_scalar_bits bits = {{0}};
    memcpy(&bits, at, t->dtype->size);
    *value = t->dtype == KN_DT(U64)   ? (double)bits.u64
             : t->dtype == KN_DT(I64) ? (double)bits.i64
                                      : knx_scalar_to_double(t->dtype, bits);
    return true;
}

/* Is some power negative? Outside of traces only: there the answer is not known. */
static bool negative_powers(kna_op *op, kn_array y)
{
    kni_type t = kna_type(op, y);
    if (kna_failed(op) || t.dtype->kind != KN_KIND_INT || !op->b->hook || kna_has_batch_axes(y))
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

void knl_check_powers(kna_op *op, kn_array y, kn_dtype d, const kn_shape *shape)
{
    kni_type t;
    double value = 0;
    bool number = weak_number(op, y, &t, &value), whole = number && t.dtype->kind != KN_KIND_FLOAT;
    if (kna_failed(op) || !knx_is_integer(d))
        return;
    if (whole)
        kna_in_as(op, y, d); /* OverflowError if it does not fit */
    if (!kna_failed(op) && kni_type_size(knl_shaped(d, shape)) && (number ? value < 0 : negative_powers(op, y)))
        kna_fail(op, KN_ERROR_VALUE, "Integers to negative integer powers are not allowed.");
}

/* Powers that are small whole numbers in the program's text are products, as in JAX; 2.0 and 0.5 are square and sqrt,
 * as in NumPy. */
static kni_atom power(kna_op *op, kni_atom a, kn_array y, kn_dtype d, const kn_shape *shape)
{
    kni_type t;
    double value = 0;
    bool number = weak_number(op, y, &t, &value);
    bool whole = number && t.dtype->kind != KN_KIND_FLOAT && value >= -0x1p53 && value <= 0x1p53;
    knl_check_powers(op, y, d, shape);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (whole && value < 0 && knx_is_integer(d)) /* of no elements */
        return a;
    if (whole || (number && value == 2))
        return knb_integer_pow(op->b, a, (int64_t)value);
    if (number && value == 0.5)
        return knb_sqrt(op->b, a);
    return knb_pow(op->b, a, knl_operand(op, y, d, shape));
}

/* ---- Two arguments. */

/* Of more than one equation: what is made of a scalar alone may meet a mask of the shape. */
static kni_atom formula(kni_builder *b, kn_ufunc f, kni_atom x, kni_atom y, kn_dtype d, const kn_shape *shape)
{
    bool wide = table[f].wide && d->size == 2 && knx_is_float(d);
    const kni_atom given[] = {x, y};
    knl_hush hush = knl_hush_begin(b);
    kn_dtype as = wide ? KN_DT(F32) : d;
    x = knb_broadcast_to(b, knb_astype(b, x, as), knl_shaped(as, shape));
    y = knb_broadcast_to(b, knb_astype(b, y, as), knl_shaped(as, shape));
    kni_atom z = knb_astype(b, table[f].f(b, x, y), d);
    return knl_hush_end(b, &hush, table[f].name, 2, given, z);
}

KNX_HOT kni_atom knl_ufunc_formula(kni_builder *b, kn_ufunc f, kni_atom x, kni_atom y, const kn_shape *shape)
{
    kn_dtype d = knb_type(b, x).dtype;
    return table[f].full ? formula(b, f, x, y, d, shape) : table[f].f(b, x, y);
}

static kni_atom formula_of_few(kni_builder *b, int which, const kni_atom *x, const kn_shape *shape)
{
    return knl_ufunc_formula(b, (kn_ufunc)which, x[0], x[1], shape);
}

kn_dtype knl_scalar_ufunc(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, const void *element, kn_array y,
                          knx_scalar_bits *result)
{
    knx_scalar_bits room[2];
    if (kna_failed(op) || !d || !table[f].f || table[f].kind == POWER)
        return NULL;
    const void *both[] = {element ? element : kna_scalar_there(op, x, d, &room[0]),
                          kna_scalar_there(op, y, d, &room[1])};
    return both[0] && both[1] ? kna_scalars_formula(formula_of_few, f, 2, d, both, result) : NULL;
}

/* Of powers with numbers, and of integers, the value decides. */
kn_array knl_short_ufunc(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_array y, const kn_shape *shape)
{
    const kn_array both[] = {x, y};
    if (kna_failed(op) || !shape->ndim || !d || !table[f].f)
        return NULL;
    if (table[f].kind == POWER && (!knx_is_float(d) || kna_is_number(op, y)))
        return NULL;
    return kna_short_formula(op, formula_of_few, f, 2, d, both, shape);
}

KNX_HOT kni_atom knl_apply(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kni_atom xa, kn_array y,
                           const kn_shape *shape)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom a = xa == KN_ATOM_NONE ? knl_operand(op, x, d, shape) : knl_spread(op, knb_astype(op->b, xa, d), shape);
    if (table[f].kind == POWER)
        return power(op, a, y, d, shape);
    return knl_ufunc_formula(op->b, f, a, knl_operand(op, y, d, shape), shape);
}

/* The operands do not broadcast: as NumPy does, a loop that there is not is spoken of first. d: their dtype */
static KNX_COLD kn_array no_common_shape(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_array y)
{
    knx_error *shapes = op->error;
    op->error = NULL;
    dtype_for(op, f, d, x, y);
    if (op->error)
        knx_error_release(shapes);
    else
        op->error = shapes;
    return kna_end(op, KN_ATOM_NONE);
}

KNX_HOT kn_array knl_binary(kn_ufunc f, kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, table[f].name);
    kn_array both[] = {x, y};
    kn_shape shape;
    kn_dtype d = kna_join(&op, 2, both, &shape); /* dtypes that do not mix are spoken of first */
    if (op.error && d)
        return no_common_shape(&op, f, d, x, y);
    d = kna_failed(&op) ? NULL : dtype_for(&op, f, d, x, y);
    knx_scalar_bits bits;
    kn_dtype made = shape.ndim ? NULL : knl_scalar_ufunc(&op, f, d, x, NULL, y, &bits);
    if (made)
        return kna_end_element(&op, made, &bits);
    kn_array few = knl_short_ufunc(&op, f, d, x, y, &shape);
    if (few)
        return few;
    return kna_end_in_order(&op, knl_apply(&op, f, d, x, KN_ATOM_NONE, y, &shape), 2, both);
}

KNX_HOT kn_array kn_add(kn_array x, kn_array y) { return knl_binary(kn_ufunc_add, x, y); }
kn_array kn_subtract(kn_array x, kn_array y) { return knl_binary(kn_ufunc_subtract, x, y); }
kn_array kn_sub(kn_array x, kn_array y) { return kn_subtract(x, y); }
KNX_HOT kn_array kn_multiply(kn_array x, kn_array y) { return knl_binary(kn_ufunc_multiply, x, y); }
kn_array kn_mul(kn_array x, kn_array y) { return kn_multiply(x, y); }
kn_array kn_divide(kn_array x, kn_array y) { return knl_binary(kn_ufunc_divide, x, y); }
kn_array kn_true_divide(kn_array x, kn_array y) { return kn_divide(x, y); }
kn_array kn_div(kn_array x, kn_array y) { return kn_divide(x, y); }
kn_array kn_power(kn_array x, kn_array y) { return knl_binary(kn_ufunc_power, x, y); }
kn_array kn_maximum(kn_array x, kn_array y) { return knl_binary(kn_ufunc_maximum, x, y); }
kn_array kn_minimum(kn_array x, kn_array y) { return knl_binary(kn_ufunc_minimum, x, y); }

kn_array kn_floor_divide(kn_array x, kn_array y) { return knl_binary(kn_ufunc_floor_divide, x, y); }
kn_array kn_remainder(kn_array x, kn_array y) { return knl_binary(kn_ufunc_remainder, x, y); }
kn_array kn_fmod(kn_array x, kn_array y) { return knl_binary(kn_ufunc_fmod, x, y); }
kn_array kn_float_power(kn_array x, kn_array y) { return knl_binary(kn_ufunc_float_power, x, y); }
kn_array kn_fmax(kn_array x, kn_array y) { return knl_binary(kn_ufunc_fmax, x, y); }
kn_array kn_fmin(kn_array x, kn_array y) { return knl_binary(kn_ufunc_fmin, x, y); }
kn_array kn_arctan2(kn_array x, kn_array y) { return knl_binary(kn_ufunc_arctan2, x, y); }
kn_array kn_hypot(kn_array x, kn_array y) { return knl_binary(kn_ufunc_hypot, x, y); }
kn_array kn_copysign(kn_array x, kn_array y) { return knl_binary(kn_ufunc_copysign, x, y); }
kn_array kn_nextafter(kn_array x, kn_array y) { return knl_binary(kn_ufunc_nextafter, x, y); }
kn_array kn_heaviside(kn_array x, kn_array y) { return knl_binary(kn_ufunc_heaviside, x, y); }
kn_array kn_logaddexp(kn_array x, kn_array y) { return knl_binary(kn_ufunc_logaddexp, x, y); }
kn_array kn_logaddexp2(kn_array x, kn_array y) { return knl_binary(kn_ufunc_logaddexp2, x, y); }
kn_array kn_gcd(kn_array x, kn_array y) { return knl_binary(kn_ufunc_gcd, x, y); }
kn_array kn_lcm(kn_array x, kn_array y) { return knl_binary(kn_ufunc_lcm, x, y); }
kn_array kn_mod(kn_array x, kn_array y) { return kn_remainder(x, y); }
kn_array kn_pow(kn_array x, kn_array y) { return kn_power(x, y); }
kn_array kn_atan2(kn_array x, kn_array y) { return kn_arctan2(x, y); }

kn_divmod_result kn_divmod(kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, "divmod");
    kn_array both[] = {x, y}, z[2];
    kni_atom parts[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_shape shape;
    kn_dtype d = kna_result_type(&op, 2, both);
    if (d && knx_is_complex(d))
        knl_not_supported(&op, "divmod");
    d = kna_failed(&op) ? d : knl_ufunc_dtype(&op, kn_ufunc_floor_divide, x, y);
    kna_common_shape(&op, 2, both, &shape);
    if (!kna_failed(&op)) {
        kn_dtype wide = d->size == 2 && knx_is_float(d) ? KN_DT(F32) : d;
        kni_type full = knl_shaped(wide, &shape);
        kni_atom p = knb_astype(op.b, kna_in_as(&op, x, d), wide), q = knb_astype(op.b, kna_in_as(&op, y, d), wide);
        const kni_atom given[] = {p, q};
        knl_hush hush = knl_hush_begin(op.b);
        p = knb_broadcast_to(op.b, p, full);
        knl_floor_and_rest(op.b, p, knb_broadcast_to(op.b, q, full), &parts[0], &parts[1]);
        for (int i = 0; i < 2; i++)
            parts[i] = knb_astype(op.b, parts[i], d);
        parts[0] = knl_hush_end(op.b, &hush, "divmod", 2, given, parts[0]);
        parts[1] = knl_hush_end(op.b, &hush, knx_is_float(d) ? "divmod" : NULL, 2, given, parts[1]);
    }
    knl_end_two(&op, parts, z, 2, both);
    return (kn_divmod_result){z[0], z[1]};
}
