/* SPDX-License-Identifier: Apache-2.0
 * elementwise.c -- arithmetic: sign, powers, add, sub, mul, div, max, min, clamp. Operands have one dtype; each has the
 * common shape or is a scalar.
 *
 *     type       the common dtype and shape
 *     jvp        the rules of calculus; max and min share the tangent equally at ties, clamp takes that of the bound
 *                only beyond it; sign is constant (but for complex numbers)
 *     transpose  add, sub: the (negated) cotangent; mul, div: times the other operand; summed where the operand was
 *                a scalar
 *     batch      batch axes are moved together, batched scalars lined up with the arrays beside them
 *     lower      kernel operations; complex numbers by components
 */
#include "prim/rules.h"
#include <math.h>

#define JOINED_TYPE(name, kinds)                      \
    static knx_error *name(kni_rule *r, kni_type *y)  \
    {                                                 \
        KN_TRY(knp_accepts(r->xt[0].dtype, kinds));   \
        return knp_join(r->n_in, r->xt, r->arena, y); \
    }
JOINED_TYPE(numbers_or_bool_type, KNP_NUMBERS | KNP_BOOL)
JOINED_TYPE(numbers_type, KNP_NUMBERS)

#define ONE_OPERAND  .n_in = 1, .n_out = 1, .factors = "... -> ...", .batch = knp_batch_elementwise
#define TWO_OPERANDS .n_in = 2, .n_out = 1, .factors = "..., ... -> ...", .batch = knp_batch_elementwise

static bool is_complex(const kni_rule *r) { return knx_is_complex(r->xt[0].dtype); }
static kni_atom fit(const kni_rule *r, kni_atom t)
{
    return t == KN_ATOM_ZERO ? t : knb_broadcast_to(r->b, t, r->yt[0]);
}
static kni_atom times(kni_builder *b, kni_atom t, kni_atom factor)
{
    return t == KN_ATOM_ZERO ? t : knb_mul(b, t, factor);
}

static double cost_complex_quotient(const kni_rule *r)
{
    return (knx_is_complex(r->yt->dtype) ? 16.0 : 4.0) * kni_type_count(*r->yt);
}

/* sign: -1, 0 or 1; nan for nan; z / |z| of complex numbers */

static void sign_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    if (!knx_is_complex(r->xt[0].dtype))
        return;
    kni_atom size = knb_abs(b, r->x[0]), turn = knb_imag(b, knb_mul(b, knb_conj(b, r->y[0]), tx[0]));
    kni_atom at_zero = knb_eq(b, size, knb_like(b, size, 0));
    turn = knb_div(b, turn, knb_select(b, at_zero, knb_like(b, size, 1), size));
    ty[0] = knb_mul(b, r->y[0], knb_complex(b, knb_like(b, size, 0), turn));
}

static void sign_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    knk_node x = r->v[0].re;
    if (is_complex(r)) {
        *y = knp_complex_sign(k, r->v[0]);
        return;
    }
    bool is_float = knx_is_float(r->xt[0].dtype);
    knk_node zero = knk_const_double(k, knk_dtype(k, x), 0), one = knk_const_double(k, knk_dtype(k, x), 1);
    knk_node rest = is_float ? knk_select(k, knk_binary(k, KNK_EQ, x, zero), zero, x) : zero;
    if (r->xt[0].dtype->kind != KN_KIND_UINT)
        rest = knk_select(k, knk_binary(k, KNK_LT, x, zero), knk_const_double(k, knk_dtype(k, x), -1), rest);
    *y = knp_real(knk_select(k, knk_binary(k, KNK_LT, zero, x), one, rest));
}

const kni_prim knp_prim_sign = {.name = "sign",
                                ONE_OPERAND,
                                .bits = KN_ELEMENTWISE | KN_CHEAP,
                                .type = numbers_type,
                                .jvp = sign_jvp,
                                .expr = sign_expr,
                                .doc = "-1, 0 or 1 by the sign of x; of complex numbers x / |x| (np.sign)"};

/* integer_pow: x to a fixed whole power, by squaring */

static knx_error *integer_pow_type(kni_rule *r, kni_type *y)
{
    const kni_p_integer_pow *p = r->params;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_NUMBERS));
    if (p->y < 0 && knx_is_integer(r->xt->dtype))
        return knx_error_new(KN_ERROR_VALUE, "Integers to negative integer powers are not allowed.");
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static void integer_pow_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    int64_t n = ((const kni_p_integer_pow *)r->params)->y;
    kni_builder *b = r->b;
    if (n == 0)
        return;
    if (n == 1 || n == INT64_MIN) { /* n - 1 does not exist: x^n is 1, 0 or infinite, its slope n x^n / x */
        ty[0] =
            n == 1 ? tx[0] : knb_mul(b, tx[0], knb_div(b, knb_mul(b, knb_like(b, r->x[0], -0x1p63), r->y[0]), r->x[0]));
        return;
    }
    kni_atom power = n == 2 ? r->x[0] : knb_integer_pow(b, r->x[0], n - 1);
    ty[0] = knb_mul(b, tx[0], knb_mul(b, knb_like(b, r->x[0], (double)n), power));
}

static void integer_pow_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    int64_t n = ((const kni_p_integer_pow *)r->params)->y;
    *y = is_complex(r) ? knp_complex_integer_pow(k, r->v[0], n) : knp_real(knk_integer_pow(k, r->v[0].re, n));
}

const kni_prim knp_prim_integer_pow = {
    .name = "integer_pow",
    .events = KN_EVENTS | KN_EVENTS_BY_ZERO | KN_EVENTS_ROUNDS,
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .fields = kni_fields_integer_pow,
    .params_size = sizeof(kni_p_integer_pow),
    .type = integer_pow_type,
    .jvp = integer_pow_jvp,
    .expr = integer_pow_expr,
    .doc = "x to the power of a whole number that is known beforehand (jax.lax.integer_pow)",
};

/* add, add_any (the sum of two cotangents), sub */

static void add_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    bool both = tx[0] != KN_ATOM_ZERO && tx[1] != KN_ATOM_ZERO;
    ty[0] = fit(r, both ? knb_add(r->b, tx[0], tx[1]) : knb_add_any(r->b, tx[0], tx[1]));
}

static void add_any_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = fit(r, knb_add_any(r->b, tx[0], tx[1]));
}

static knx_error *add_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    for (int i = 0; i < 2; i++)
        if (r->x[i] == KN_ATOM_LINEAR)
            ct_in[i] = knp_unbroadcast(r->b, ct[0], r->xt[i]);
    return NULL;
}

static void add_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y =
        is_complex(r) ? knp_complex_add(k, r->v[0], r->v[1]) : knp_real(knk_binary(k, KNK_ADD, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_add = {.name = "add",
                               .events = KN_EVENTS,
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE | KN_COMMUTES | KN_CHEAP,
                               .linear_in = 3,
                               .type = numbers_or_bool_type,
                               .jvp = add_jvp,
                               .transpose = add_transpose,
                               .simplify = knp_interleaved,
                               .expr = add_expr,
                               .doc = "x + y, elementwise; integers wrap, booleans are or-ed (np.add)"};

const kni_prim knp_prim_add_any = {
    .name = "add_any",
    .events = KN_EVENTS,
    TWO_OPERANDS,
    .bits = KN_ELEMENTWISE | KN_COMMUTES | KN_CHEAP,
    .linear_in = 3,
    .type = numbers_type,
    .jvp = add_any_jvp,
    .transpose = add_transpose,
    .simplify = knp_interleaved,
    .expr = add_expr,
    .doc = "the sum of two tangents or cotangents of one value",
};

static void sub_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    if (tx[0] != KN_ATOM_ZERO && tx[1] != KN_ATOM_ZERO)
        ty[0] = knb_sub(r->b, tx[0], tx[1]);
    else
        ty[0] = fit(r, tx[1] == KN_ATOM_ZERO ? tx[0] : knb_neg(r->b, tx[1]));
}

static knx_error *sub_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = knp_unbroadcast(r->b, ct[0], r->xt[0]);
    if (r->x[1] == KN_ATOM_LINEAR)
        ct_in[1] = knb_neg(r->b, knp_unbroadcast(r->b, ct[0], r->xt[1]));
    return NULL;
}

static void sub_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y =
        is_complex(r) ? knp_complex_sub(k, r->v[0], r->v[1]) : knp_real(knk_binary(k, KNK_SUB, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_sub = {.name = "sub",
                               .events = KN_EVENTS,
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE | KN_CHEAP,
                               .linear_in = 3,
                               .type = numbers_type,
                               .jvp = sub_jvp,
                               .transpose = sub_transpose,
                               .expr = sub_expr,
                               .doc = "x - y, elementwise; integers wrap (np.subtract)"};

/* mul, div */

static void mul_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_atom left = times(r->b, tx[0], r->x[1]);
    kni_atom right = tx[1] == KN_ATOM_ZERO ? KN_ATOM_ZERO : knb_mul(r->b, r->x[0], tx[1]);
    ty[0] = knb_add_any(r->b, left, right);
}

static knx_error *mul_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = knp_unbroadcast(r->b, knb_mul(r->b, ct[0], r->x[1]), r->xt[0]);
    if (r->x[1] == KN_ATOM_LINEAR)
        ct_in[1] = knp_unbroadcast(r->b, knb_mul(r->b, r->x[0], ct[0]), r->xt[1]);
    return NULL;
}

static void mul_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y =
        is_complex(r) ? knp_complex_mul(k, r->v[0], r->v[1]) : knp_real(knk_binary(k, KNK_MUL, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_mul = {.name = "mul",
                               .events = KN_EVENTS | KN_EVENTS_PRODUCT,
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE | KN_COMMUTES | KN_CHEAP | KN_MULTILINEAR,
                               .linear_in = 3,
                               .type = numbers_or_bool_type,
                               .jvp = mul_jvp,
                               .transpose = mul_transpose,
                               .expr = mul_expr,
                               .doc = "x * y, elementwise; integers wrap, booleans are and-ed (np.multiply)"};

static void div_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom above = tx[0] == KN_ATOM_ZERO ? KN_ATOM_ZERO : knb_div(b, tx[0], r->x[1]), below = KN_ATOM_ZERO;
    if (tx[1] != KN_ATOM_ZERO)
        below = knb_mul(b, knb_neg(b, tx[1]), knb_div(b, r->y[0], r->x[1]));
    ty[0] = knb_add_any(b, above, below);
}

static knx_error *div_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = knp_unbroadcast(r->b, knb_div(r->b, ct[0], r->x[1]), r->xt[0]);
    return NULL;
}

static void div_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y =
        is_complex(r) ? knp_complex_div(k, r->v[0], r->v[1]) : knp_real(knk_binary(k, KNK_DIV, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_div = {.name = "div",
                               .events = KN_EVENTS | KN_EVENTS_BY_ZERO | KN_EVENTS_QUOTIENT,
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE,
                               .linear_in = 1,
                               .cost = cost_complex_quotient,
                               .type = numbers_type,
                               .jvp = div_jvp,
                               .transpose = div_transpose,
                               .expr = div_expr,
                               .doc = "x / y, elementwise; integers toward zero, x / 0 is -1 (jax.lax.div)"};

/* pow */

/* d/dx: y x^(y-1), but 0 where y is 0 and x^-1 is not finite. */
static kni_atom pow_slope(const kni_rule *r)
{
    kni_builder *b = r->b;
    knx_scalar_bits bits;
    kni_atom x = r->x[0], y = r->x[1];
    if (knb_literal_value(b, y, &bits) && knx_is_float(r->xt[1].dtype)) {
        double n = knx_scalar_to_double(r->xt[1].dtype, bits);
        return n == 0 ? KN_ATOM_ZERO : knb_mul(b, y, knb_pow(b, x, knb_like(b, y, n - 1)));
    }
    kni_atom one = knb_like(b, y, 1), zero = knb_like(b, y, 0), constant = knb_eq(b, y, zero);
    if (!knx_is_complex(r->xt[0].dtype)) { /* elsewhere the slope is 0 too, but not constant in y */
        kn_dtype d = r->xt[0].dtype;
        double normal = d == KN_DT(F64) ? 0x1p-1022 : d == KN_DT(F16) ? 0x1p-14 : 0x1p-126;
        kni_atom size = knb_abs(b, x), least = knb_like(b, x, normal);
        kni_atom inside = knb_and(b, knb_ge(b, size, least), knb_lt(b, size, knb_like(b, x, INFINITY)));
        constant = knb_and(b, constant, knb_not(b, inside));
    }
    kni_atom safe = knb_select(b, constant, one, y);
    return knb_select(b, constant, zero, knb_mul(b, safe, knb_pow(b, x, knb_sub(b, safe, one))));
}

static kni_atom zero_to_one(kni_builder *b, kni_atom x)
{
    knx_scalar_bits bits;
    kn_dtype d = knb_type(b, x).dtype;
    if (knb_literal_value(b, x, &bits) && knx_is_float(d))
        return knx_scalar_to_double(d, bits) == 0 ? knb_like(b, x, 1) : x;
    return knb_select(b, knb_eq(b, x, knb_like(b, x, 0)), knb_like(b, x, 1), x);
}

/* d/dy: log(x) x^y, where log 0 counts as 0. */
static void pow_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom base = KN_ATOM_ZERO, power = KN_ATOM_ZERO;
    if (tx[0] != KN_ATOM_ZERO) {
        kni_atom slope = pow_slope(r);
        base = slope == KN_ATOM_ZERO ? slope : knb_mul(b, tx[0], slope);
    }
    if (tx[1] != KN_ATOM_ZERO) {
        kni_atom log = knb_log(b, zero_to_one(b, r->x[0]));
        power = knb_mul(b, tx[1], knb_mul(b, log, r->y[0]));
    }
    ty[0] = knb_add_any(b, base, power);
}

/* Integers by squaring, wrapping; the power's bits are looked at one by one. A negative power of 1 and -1 is one of
 * them, of 0 it is -1 as a division by zero, of anything else 0. */
static knk_node integer_power(knk_builder *k, knk_node x, knk_node n, kn_dtype d)
{
    knx_dtype_id id = (knx_dtype_id)d->id;
    knk_node zero = knk_const_int(k, id, 0), one = knk_const_int(k, id, 1), y = one, square = x;
    bool is_signed = d->kind == KN_KIND_INT;
    int width = 8 * d->size - is_signed;
    for (int i = 0; i < width; i++) {
        knk_node bit = knk_binary(k, KNK_AND, n, knk_const_int(k, id, (int64_t)((uint64_t)1 << i)));
        y = knk_select(k, knk_binary(k, KNK_NE, bit, zero), knk_binary(k, KNK_MUL, y, square), y);
        if (i + 1 < width)
            square = knk_binary(k, KNK_MUL, square, square);
    }
    if (!is_signed)
        return y;
    knk_node minus = knk_const_int(k, id, -1), odd = knk_binary(k, KNK_NE, knk_binary(k, KNK_AND, n, one), zero);
    knk_node inverse = knk_select(k, knk_binary(k, KNK_EQ, x, minus), knk_select(k, odd, minus, one), zero);
    inverse = knk_select(k, knk_binary(k, KNK_EQ, x, one), one, inverse);
    inverse = knk_select(k, knk_binary(k, KNK_EQ, x, zero), minus, inverse);
    return knk_select(k, knk_binary(k, KNK_LT, n, zero), inverse, y);
}

static void pow_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    if (is_complex(r))
        *y = knp_complex_pow(k, r->v[0], r->v[1]);
    else if (knx_is_integer(r->xt[0].dtype))
        *y = knp_real(integer_power(k, r->v[0].re, r->v[1].re, r->xt[0].dtype));
    else
        *y = knp_real(knk_pow(k, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_pow = {
    .name = "pow",
    .events = KN_EVENTS | KN_EVENTS_BY_ZERO | KN_EVENTS_ROUNDS,
    TWO_OPERANDS,
    .bits = KN_ELEMENTWISE,
    .cost = knp_cost_function,
    .type = numbers_type,
    .jvp = pow_jvp,
    .expr = pow_expr,
    .doc = "x to the power of y, elementwise (np.power)",
};

/* max, min: nan if either is; complex numbers by NumPy's order */

/* The part of the tangent that goes through operand i: all where it alone is the result, half at a tie. */
static kni_atom chosen_part(const kni_rule *r, int i, kni_atom t)
{
    kni_builder *b = r->b;
    kn_dtype d = r->yt[0].dtype;
    if (t == KN_ATOM_ZERO)
        return t;
    kni_atom mine = knb_convert(b, knb_eq(b, r->x[i], r->y[0]), d),
             other = knb_convert(b, knb_eq(b, r->x[1 - i], r->y[0]), d);
    return knb_mul(b, t, knb_div(b, mine, knb_add(b, other, knb_number(b, d, 1))));
}

static void extreme_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = knb_add_any(r->b, chosen_part(r, 0, tx[0]), chosen_part(r, 1, tx[1]));
}

static kni_pair extreme(knk_builder *k, kn_dtype d, kni_pair x, kni_pair y, bool largest)
{
    if (knx_is_complex(d)) {
        knk_node nan = knk_binary(k, KNK_OR, knk_binary(k, KNK_NE, x.re, x.re), knk_binary(k, KNK_NE, x.im, x.im));
        knk_node first = largest ? knp_complex_less(k, y, x, true) : knp_complex_less(k, x, y, true);
        return knp_complex_select(k, knk_binary(k, KNK_OR, nan, first), x, y);
    }
    if (d->kind == KN_KIND_BOOL)
        return knp_real(knk_binary(k, largest ? KNK_OR : KNK_AND, x.re, y.re));
    if (knx_is_integer(d))
        return knp_real(knk_binary(k, largest ? KNK_MAX : KNK_MIN, x.re, y.re));
    return knp_real(largest ? knk_max_nan(k, x.re, y.re) : knk_min_nan(k, x.re, y.re));
}

static void max_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = extreme(k, r->xt[0].dtype, r->v[0], r->v[1], true);
}

static void min_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = extreme(k, r->xt[0].dtype, r->v[0], r->v[1], false);
}

const kni_prim knp_prim_max = {.name = "max",
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE | KN_CHEAP,
                               .type = numbers_or_bool_type,
                               .jvp = extreme_jvp,
                               .expr = max_expr,
                               .doc = "the larger of x and y, elementwise; nan if either is (np.maximum)"};

const kni_prim knp_prim_min = {.name = "min",
                               TWO_OPERANDS,
                               .bits = KN_ELEMENTWISE | KN_CHEAP,
                               .type = numbers_or_bool_type,
                               .jvp = extreme_jvp,
                               .expr = min_expr,
                               .doc = "the smaller of x and y, elementwise; nan if either is (np.minimum)"};

/* clamp: the smaller of the third operand and the larger of the first two */

static knx_error *clamp_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_REALS | KNP_BOOL));
    for (int i = 0; i < 3; i += 2)
        if (r->xt[i].ndim && !kni_type_same_shape(r->xt[i], r->xt[1])) {
            const char *name = i ? "max" : "min";
            knx_text s = {0}, t = {0};
            return knx_error_new(
                KN_ERROR_TYPE,
                "requires %s.shape == operand.shape or %s.shape == (), got %s.shape=%s, operand.shape=%s.", name, name,
                name, knx_show_shape(&s, r->xt[i].ndim, r->xt[i].dim), knx_show_shape(&t, r->xt[1].ndim, r->xt[1].dim));
        }
    return knp_join(r->n_in, r->xt, r->arena, y);
}

/* t where the condition holds, else 0, in the shape of the result. */
static kni_atom where(const kni_rule *r, kni_atom condition, kni_atom t)
{
    kni_atom chosen = knb_select(r->b, condition, t, knb_like(r->b, t, 0));
    return knb_broadcast_to(r->b, chosen, r->yt[0]);
}

static void clamp_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom low = r->x[0], x = r->x[1], high = r->x[2];
    if (tx[0] != KN_ATOM_ZERO) {
        kni_atom above = knb_gt(b, low, x), below = knb_lt(b, low, high);
        ty[0] = where(r, knb_and(b, above, below), tx[0]);
    }
    if (tx[1] != KN_ATOM_ZERO) {
        kni_atom above = knb_gt(b, x, low), below = knb_lt(b, x, high);
        ty[0] = knb_add_any(b, ty[0], where(r, knb_and(b, above, below), tx[1]));
    }
    if (tx[2] != KN_ATOM_ZERO)
        ty[0] = knb_add_any(b, ty[0], where(r, knb_lt(b, high, x), tx[2]));
}

/* With a batch axis the operand has the shape of bounds that have one. */
static knx_error *clamp_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    if (axis[1] >= 0)
        return knp_batch_elementwise(r, size, axis, y, axis_out);
    kni_atom x[3] = {r->x[0], knp_batched_at(r, 1, size, -1, 0), r->x[2]};
    kni_rule batched = *r;
    batched.x = x;
    return knp_batch_elementwise(&batched, size, (int[]){axis[0], 0, axis[2]}, y, axis_out);
}

static void clamp_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    kn_dtype d = r->xt[0].dtype;
    *y = extreme(k, d, extreme(k, d, r->v[0], r->v[1], true), r->v[2], false);
}

const kni_prim knp_prim_clamp = {.name = "clamp",
                                 .n_in = 3,
                                 .n_out = 1,
                                 .factors = "..., ..., ... -> ...",
                                 .bits = KN_ELEMENTWISE | KN_CHEAP,
                                 .type = clamp_type,
                                 .jvp = clamp_jvp,
                                 .batch = clamp_batch,
                                 .expr = clamp_expr,
                                 .doc = "min(max(low, x), high) of low, x and high; nan if one is (jax.lax.clamp)"};
