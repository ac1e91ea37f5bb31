/* SPDX-License-Identifier: Apache-2.0
 * bits.c -- operations on the bits of integers and booleans: and, or, xor, not, shifts, counts of bits, and the high
 * half of a product.
 *
 *     type       the common dtype and shape of the operands
 *     jvp        none: integers
 *     batch      as all elementwise primitives
 *     lower      kernel operations
 */
#include "prim/rules.h"

#define ONE_OPERAND  .n_in = 1, .n_out = 1, .factors = "... -> ...", .batch = knp_batch_elementwise
#define TWO_OPERANDS .n_in = 2, .n_out = 1, .factors = "..., ... -> ...", .batch = knp_batch_elementwise

static knx_error *bits_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_BITS));
    return knp_join(r->n_in, r->xt, r->arena, y);
}

static knx_error *integers_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_INTEGERS));
    return knp_join(r->n_in, r->xt, r->arena, y);
}

static void bits_expr(knk_builder *k, const kni_rule *r, knk_op op, kni_pair *y)
{
    *y = knp_real(knk_binary(k, op, r->v[0].re, r->v[1].re));
}

static void and_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_AND, y); }
static void or_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_OR, y); }
static void xor_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_XOR, y); }
static void shift_left_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_SHL, y); }
static void shift_right_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_SHR, y); }
static void shift_signed_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { bits_expr(k, r, KNK_SAR, y); }
static void not_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_unary(k, KNK_NOT, r->v[0].re));
}

#define ON_BITS .why_no_jvp = KN_WHY_INTEGERS, .why_no_transpose = KN_WHY_INTEGERS
enum { BITWISE = KN_ELEMENTWISE | KN_CHEAP | KN_INTEGER_RESULT };

const kni_prim knp_prim_and = {
    .name = "and",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE | KN_COMMUTES,
    .type = bits_type,
    .expr = and_expr,
    .doc = "bitwise and of integers or booleans (np.bitwise_and)",
};
const kni_prim knp_prim_or = {
    .name = "or",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE | KN_COMMUTES,
    .type = bits_type,
    .simplify = knp_interleaved,
    .expr = or_expr,
    .doc = "bitwise or of integers or booleans (np.bitwise_or)",
};
const kni_prim knp_prim_xor = {
    .name = "xor",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE | KN_COMMUTES,
    .type = bits_type,
    .expr = xor_expr,
    .doc = "bitwise exclusive or of integers or booleans (np.bitwise_xor)",
};
const kni_prim knp_prim_not = {
    .name = "not",
    ON_BITS,
    ONE_OPERAND,
    .bits = BITWISE,
    .type = bits_type,
    .expr = not_expr,
    .doc = "bitwise not of integers or booleans (np.bitwise_not)",
};
const kni_prim knp_prim_shift_left = {.name = "shift_left",
                                      ON_BITS,
                                      TWO_OPERANDS,
                                      .bits = BITWISE,
                                      .type = integers_type,
                                      .expr = shift_left_expr,
                                      .doc = "x << y of integers; 0 from the width of the dtype on (np.left_shift)"};
const kni_prim knp_prim_shift_right_logical = {
    .name = "shift_right_logical",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE,
    .type = integers_type,
    .expr = shift_right_expr,
    .doc =
        "x >> y of integers with zeros from the left; 0 from the width of the dtype on (jax.lax.shift_right_logical)"};
const kni_prim knp_prim_shift_right_arithmetic = {
    .name = "shift_right_arithmetic",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE,
    .type = integers_type,
    .expr = shift_signed_expr,
    .doc = "x >> y of integers with copies of the highest bit from the left (np.right_shift of signed integers)"};

/* Counts of bits */

static int width_of(const kni_rule *r) { return 8 * r->xt[0].dtype->size; }

/* The number whose bytes are all this one. */
static knk_node bytes(knk_builder *k, knx_dtype_id d, uint64_t byte)
{
    return knk_const_int(k, d, (int64_t)(byte * UINT64_C(0x0101010101010101)));
}

static knk_node shifted(knk_builder *k, knk_node x, int by)
{
    return knk_binary(k, KNK_SHR, x, knk_const_int(k, knk_dtype(k, x), by));
}

/* Ones are counted in pairs, in fours, in bytes; the product adds the bytes up in the highest one. */
static knk_node count_ones(knk_builder *k, knk_node x, int width)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node pairs = bytes(k, d, 0x55), fours = bytes(k, d, 0x33);
    x = knk_binary(k, KNK_SUB, x, knk_binary(k, KNK_AND, shifted(k, x, 1), pairs));
    x = knk_binary(k, KNK_ADD, knk_binary(k, KNK_AND, x, fours), knk_binary(k, KNK_AND, shifted(k, x, 2), fours));
    x = knk_binary(k, KNK_AND, knk_binary(k, KNK_ADD, x, shifted(k, x, 4)), bytes(k, d, 0x0f));
    return width == 8 ? x : shifted(k, knk_binary(k, KNK_MUL, x, bytes(k, d, 1)), width - 8);
}

static void population_count_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(count_ones(k, r->v[0].re, width_of(r)));
}

static void clz_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    knk_node x = r->v[0].re;
    for (int by = 1; by < width_of(r); by *= 2)
        x = knk_binary(k, KNK_OR, x, shifted(k, x, by));
    knk_node width = knk_const_int(k, knk_dtype(k, x), width_of(r));
    *y = knp_real(knk_binary(k, KNK_SUB, width, count_ones(k, x, width_of(r))));
}

const kni_prim knp_prim_population_count = {
    .name = "population_count",
    ON_BITS,
    ONE_OPERAND,
    .bits = BITWISE,
    .type = integers_type,
    .expr = population_count_expr,
    .doc = "the number of ones among the bits of integers (jax.lax.population_count)",
};
const kni_prim knp_prim_clz = {
    .name = "clz",
    ON_BITS,
    ONE_OPERAND,
    .bits = BITWISE,
    .type = integers_type,
    .expr = clz_expr,
    .doc = "the number of zeros above the highest one among the bits of integers (jax.lax.clz)",
};

/* The high half of a product */

static knk_node high_of_u64(knk_builder *k, knk_node x, knk_node y)
{
    knk_node low = knk_const(k, KN_ID_U64, UINT32_MAX);
    knk_node xh = shifted(k, x, 32), xl = knk_binary(k, KNK_AND, x, low);
    knk_node yh = shifted(k, y, 32), yl = knk_binary(k, KNK_AND, y, low);
    knk_node carry = shifted(k, knk_binary(k, KNK_MUL, xl, yl), 32);
    knk_node middle = knk_binary(k, KNK_ADD, knk_binary(k, KNK_MUL, xh, yl), carry);
    knk_node other = knk_binary(k, KNK_AND, middle, low);
    other = knk_binary(k, KNK_ADD, knk_binary(k, KNK_MUL, xl, yh), other);
    knk_node high = knk_binary(k, KNK_ADD, knk_binary(k, KNK_MUL, xh, yh), shifted(k, middle, 32));
    return knk_binary(k, KNK_ADD, high, shifted(k, other, 32));
}

/* As unsigned numbers negative ones are 2^64 too large: the other factor is too much in the high half. */
static knk_node high_of_i64(knk_builder *k, knk_node x, knk_node y)
{
    knk_node all = knk_const_int(k, KN_ID_I64, 63), too_much[2];
    too_much[0] = knk_binary(k, KNK_AND, knk_binary(k, KNK_SAR, x, all), y);
    too_much[1] = knk_binary(k, KNK_AND, knk_binary(k, KNK_SAR, y, all), x);
    knk_node high = high_of_u64(k, knk_bitcast(k, KN_ID_U64, x), knk_bitcast(k, KN_ID_U64, y));
    high = knk_binary(k, KNK_SUB, knk_bitcast(k, KN_ID_I64, high), too_much[0]);
    return knk_binary(k, KNK_SUB, high, too_much[1]);
}

static void mulhi_expr(knk_builder *k, const kni_rule *r, kni_pair *to)
{
    knk_node x = r->v[0].re, y = r->v[1].re;
    knx_dtype_id d = knk_dtype(k, x), wide = r->xt[0].dtype->kind == KN_KIND_INT ? KN_ID_I64 : KN_ID_U64;
    if (d == wide) {
        *to = knp_real(d == KN_ID_I64 ? high_of_i64(k, x, y) : high_of_u64(k, x, y));
        return;
    }
    knk_node product = knk_binary(k, KNK_MUL, knk_cast(k, wide, x), knk_cast(k, wide, y));
    *to = knp_real(knk_cast(k, d, shifted(k, product, width_of(r))));
}

const kni_prim knp_prim_mulhi = {
    .name = "mulhi",
    ON_BITS,
    TWO_OPERANDS,
    .bits = BITWISE | KN_COMMUTES,
    .type = integers_type,
    .expr = mulhi_expr,
    .doc = "the high half of the product of integers (jax.lax.mulhi)",
};
