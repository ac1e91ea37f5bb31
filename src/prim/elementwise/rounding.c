/* SPDX-License-Identifier: Apache-2.0
 * rounding.c -- floor, ceil, round, rem; is_finite, nextafter, reduce_precision: what is next to a number, and its
 * bits.
 *
 *     type       that of the operands; is_finite: bool
 *     jvp        floor, ceil, round: zero; rem: t - u trunc(x / y); reduce_precision counts as linear; nextafter has
 *                none, as in JAX
 *     transpose  reduce_precision: the same of the cotangent
 *     batch      as all elementwise primitives
 *     lower      kernel operations; the last two on the bits of the dtype itself, 16-bit floats included
 */
#include "prim/rules.h"

#define ONE_OPERAND  .n_in = 1, .n_out = 1, .factors = "... -> ...", .batch = knp_batch_elementwise
#define TWO_OPERANDS .n_in = 2, .n_out = 1, .factors = "..., ... -> ...", .batch = knp_batch_elementwise

static knx_error *float_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_FLOAT));
    return knp_join(r->n_in, r->xt, r->arena, y);
}

/* floor, ceil, round */

static void floor_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_unary(k, KNK_FLOOR, r->v[0].re));
}

static void ceil_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_unary(k, KNK_NEG, knk_unary(k, KNK_FLOOR, knk_unary(k, KNK_NEG, r->v[0].re))));
}

#define ROUNDS ONE_OPERAND, .bits = KN_ELEMENTWISE | KN_CHEAP, .jvp = knp_jvp_zero

const kni_prim knp_prim_floor = {
    .name = "floor",
    ROUNDS,
    .type = float_type,
    .expr = floor_expr,
    .doc = "the largest whole number that is not above x, elementwise (np.floor)",
};

const kni_prim knp_prim_ceil = {
    .name = "ceil",
    ROUNDS,
    .type = float_type,
    .expr = ceil_expr,
    .doc = "the smallest whole number that is not below x, elementwise (np.ceil)",
};

static knx_error *round_type(kni_rule *r, kni_type *y)
{
    int64_t method = ((const kni_p_round *)r->params)->rounding_method;
    if (method != KN_ROUND_AWAY_FROM_ZERO && method != KN_ROUND_TO_NEAREST_EVEN)
        return knx_error_new(KN_ERROR_VALUE, "%lld is not a valid RoundingMethod", (long long)method);
    return float_type(r, y);
}

static void round_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    knk_node x = r->v[0].re;
    knx_dtype_id d = knk_dtype(k, x);
    if (((const kni_p_round *)r->params)->rounding_method == KN_ROUND_TO_NEAREST_EVEN) {
        *y = knp_real(knk_unary(k, KNK_RINT, x));
        return;
    }
    knk_node whole = knk_unary(k, KNK_TRUNC, x), rest = knk_unary(k, KNK_ABS, knk_binary(k, KNK_SUB, x, whole));
    knk_node negative = knk_binary(k, KNK_LT, x, knk_const_double(k, d, 0));
    knk_node one = knk_select(k, negative, knk_const_double(k, d, -1), knk_const_double(k, d, 1));
    knk_node up = knk_binary(k, KNK_LE, knk_const_double(k, d, 0.5), rest);
    *y = knp_real(knk_select(k, up, knk_binary(k, KNK_ADD, whole, one), whole));
}

const kni_prim knp_prim_round = {
    .name = "round",
    ROUNDS,
    .fields = kni_fields_round,
    .params_size = sizeof(kni_p_round),
    .type = round_type,
    .expr = round_expr,
    .doc = "the nearest whole number, elementwise; halves away from zero, or to even ones (jax.lax.round, np.rint)",
};

/* rem */

static knx_error *rem_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_REALS));
    return knp_join(r->n_in, r->xt, r->arena, y);
}

static void rem_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom above = tx[0] == KN_ATOM_ZERO ? tx[0] : knb_broadcast_to(b, tx[0], r->yt[0]), below = KN_ATOM_ZERO;
    if (tx[1] != KN_ATOM_ZERO) {
        kni_atom minus = knb_neg(b, tx[1]), sign = knb_sign(b, knb_div(b, r->x[0], r->x[1]));
        kni_atom size = knb_floor(b, knb_abs(b, knb_div(b, r->x[0], r->x[1])));
        below = knb_mul(b, minus, knb_mul(b, sign, size));
    }
    ty[0] = knb_add_any(b, above, below);
}

static void rem_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_rem(k, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_rem = {
    .name = "rem",
    .events = KN_EVENTS,
    TWO_OPERANDS,
    .bits = KN_ELEMENTWISE,
    .type = rem_type,
    .jvp = rem_jvp,
    .expr = rem_expr,
    .doc = "what is left of x after division by y, with the sign of x; x of integers where y is 0 (np.fmod)",
};

/* is_finite */

static knx_error *finite_type(kni_rule *r, kni_type *y)
{
    KN_TRY(float_type(r, y));
    y->dtype = KN_DT(BOOL);
    y->weak = false;
    return NULL;
}

static void finite_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    knk_node x = r->v[0].re;
    *y = knp_real(knk_binary(k, KNK_LT, knk_unary(k, KNK_ABS, x), knk_const_double(k, knk_dtype(k, x), 1.0 / 0.0)));
}

const kni_prim knp_prim_is_finite = {
    .name = "is_finite",
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_DISCRETE,
    .why_no_transpose = KN_WHY_DISCRETE,
    .type = finite_type,
    .expr = finite_expr,
    .doc = "is x neither infinite nor nan, elementwise (np.isfinite)",
};

/* The bits of floats: nodes of the unsigned type as wide as the dtype. */

typedef struct layout {
    knx_dtype_id bits; /* of that type */
    int exponent, mantissa;
} layout;

static layout layout_of(kn_dtype d)
{
    switch (d->id) {
    case KN_ID_F16: return (layout){KN_ID_U16, 5, 10};
    case KN_ID_BF16: return (layout){KN_ID_U16, 8, 7};
    case KN_ID_F32: return (layout){KN_ID_U32, 8, 23};
    default: return (layout){KN_ID_U64, 11, 52};
    }
}

static knk_node to_bits(knk_builder *k, kn_dtype d, knk_node x)
{
    return knk_bitcast(k, layout_of(d).bits, d->size == 2 ? knk_cast(k, (knx_dtype_id)d->id, x) : x);
}

static knk_node from_bits(knk_builder *k, kn_dtype d, knk_node x)
{
    knk_node y = knk_bitcast(k, (knx_dtype_id)d->id, x);
    return d->size == 2 ? knk_cast(k, KN_ID_F32, y) : y;
}

/* nextafter */

static void next_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b, knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "Differentiation rule for 'nextafter' not implemented"));
}

/* One up or down of the bits, which are in the order of the magnitudes. */
static void next_expr(knk_builder *k, const kni_rule *r, kni_pair *to)
{
    kn_dtype d = r->xt[0].dtype;
    layout l = layout_of(d);
    knk_node x = r->v[0].re, y = r->v[1].re, xb = to_bits(k, d, x), yb = to_bits(k, d, y);
    knk_node zero = knk_const_double(k, knk_dtype(k, x), 0), one = knk_const(k, l.bits, 1);
    knk_node sign = knk_const(k, l.bits, (uint64_t)1 << (l.exponent + l.mantissa));
    knk_node rises = knk_binary(k, KNK_LT, x, y), positive = knk_binary(k, KNK_LT, zero, x);
    knk_node inward = knk_binary(k, KNK_XOR, rises, positive);
    knk_node next = knk_select(k, inward, knk_binary(k, KNK_SUB, xb, one), knk_binary(k, KNK_ADD, xb, one));
    knk_node smallest = knk_binary(k, KNK_OR, knk_binary(k, KNK_AND, yb, sign), one);
    next = knk_select(k, knk_binary(k, KNK_EQ, x, zero), smallest, next);
    next = from_bits(k, d, knk_select(k, knk_binary(k, KNK_EQ, x, y), yb, next));
    knk_node nan = knk_binary(k, KNK_OR, knk_binary(k, KNK_NE, x, x), knk_binary(k, KNK_NE, y, y));
    *to = knp_real(knk_select(k, nan, knk_binary(k, KNK_ADD, x, y), next));
}

const kni_prim knp_prim_nextafter = {
    .name = "nextafter",
    .events = KN_EVENTS | KN_EVENTS_ROUNDS,
    TWO_OPERANDS,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .type = float_type,
    .jvp = next_jvp,
    .expr = next_expr,
    .doc = "the number next to x in the direction of y, elementwise (np.nextafter)",
};

/* reduce_precision */

static knx_error *precision_type(kni_rule *r, kni_type *y)
{
    const kni_p_reduce_precision *p = r->params;
    if (p->exponent_bits < 1)
        return knx_error_new(KN_ERROR_VALUE, "exponent_bits must be positive; got %lld", (long long)p->exponent_bits);
    if (p->mantissa_bits < 0)
        return knx_error_new(KN_ERROR_VALUE, "mantissa_bits must be non-negative; got %lld",
                             (long long)p->mantissa_bits);
    return float_type(r, y);
}

/* To the nearest number with so many bits behind the point, of two the even one; a carry goes into the exponent. */
static knk_node round_mantissa(knk_builder *k, layout l, knk_node x, int drop)
{
    uint64_t last = (uint64_t)1 << drop;
    knk_node odd = knk_binary(k, KNK_SHR, knk_binary(k, KNK_AND, x, knk_const(k, l.bits, last)),
                              knk_const(k, l.bits, (uint64_t)drop));
    x = knk_binary(k, KNK_ADD, x, knk_binary(k, KNK_ADD, odd, knk_const(k, l.bits, last / 2 - 1)));
    return knk_binary(k, KNK_AND, x, knk_unary(k, KNK_NOT, knk_const(k, l.bits, last - 1)));
}

/* Infinite beyond the range of so many bits of exponent, zero below its normal numbers. */
static knk_node cut_exponent(knk_builder *k, layout l, knk_node x, int bits)
{
    uint64_t bias = ((uint64_t)1 << (l.exponent - 1)) - 1, reach = ((uint64_t)1 << (bits - 1)) - 1;
    uint64_t all = (((uint64_t)1 << l.exponent) - 1) << l.mantissa;
    knk_node sign = knk_const(k, l.bits, (uint64_t)1 << (l.exponent + l.mantissa)),
             infinity = knk_const(k, l.bits, all);
    knk_node exponent = knk_binary(k, KNK_AND, x, infinity), signed_zero = knk_binary(k, KNK_AND, x, sign);
    knk_node high = knk_binary(k, KNK_LT, knk_const(k, l.bits, (bias + reach) << l.mantissa), exponent);
    knk_node low = knk_binary(k, KNK_LE, exponent, knk_const(k, l.bits, (bias - reach) << l.mantissa));
    x = knk_select(k, high, knk_binary(k, KNK_OR, signed_zero, infinity), x);
    return knk_select(k, low, signed_zero, x);
}

static void precision_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    const kni_p_reduce_precision *p = r->params;
    kn_dtype d = r->xt[0].dtype;
    layout l = layout_of(d);
    knk_node x = r->v[0].re, bits = to_bits(k, d, x);
    if (p->mantissa_bits < l.mantissa)
        bits = round_mantissa(k, l, bits, l.mantissa - (int)p->mantissa_bits);
    if (p->exponent_bits < l.exponent)
        bits = cut_exponent(k, l, bits, (int)p->exponent_bits);
    *y = knp_real(knk_select(k, knk_binary(k, KNK_NE, x, x), x, from_bits(k, d, bits)));
}

const kni_prim knp_prim_reduce_precision = {
    .name = "reduce_precision",
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .linear_in = 1,
    .fields = kni_fields_reduce_precision,
    .params_size = sizeof(kni_p_reduce_precision),
    .type = precision_type,
    .jvp = knp_jvp_linear,
    .transpose = knp_transpose_same,
    .expr = precision_expr,
    .doc = "x rounded to a float of fewer bits, in its own dtype (jax.lax.reduce_precision)",
};
