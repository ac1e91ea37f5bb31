/* SPDX-License-Identifier: Apache-2.0
 * simplify.c -- algebra that changes no bits (all NaNs being equal), and constants folded by the interpreter's own
 * loops. */
#include "kernel/builder.h"
#include "kernel/expr.h"
#include <string.h>

uint64_t knk_fold(const knk_inst *n, const knk_inst *node)
{
    union {
        uint64_t u;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
    } v[4] = {{0}};
    int count = knk_op_table[n->op].n_operands, first = node[n->op == KNK_SELECT ? n->b : n->a].dtype;
    if (n->op == KNK_BITCAST)
        return node[n->a].imm;
    for (int i = 0; i < count; i++) {
        const knk_inst *o = &node[knk_operand(n, i)];
        switch (knk_size(o->dtype)) {
        case 1: v[i].u8 = (uint8_t)o->imm; break;
        case 2: v[i].u16 = (uint16_t)o->imm; break;
        case 4: v[i].u32 = (uint32_t)o->imm; break;
        default: v[i].u = o->imm;
        }
    }
    if (n->op == KNK_CAST)
        knk_lane_loop(KNK_LOOP_OPS + first, n->dtype, 0)(&v[3], &v[0], NULL, NULL, 1);
    else
        knk_lane_loop(n->op, first, 0)(&v[3], &v[0], &v[1], &v[2], 1);
    switch (knk_size(n->dtype)) {
    case 1: return v[3].u8;
    case 2: return v[3].u16;
    case 4: return v[3].u32;
    default: return v[3].u;
    }
}

/* Is x the constant with these bits in its dtype's form of f32, f64 or an integer? */
static bool is_bits(const knk_builder *k, knk_node x, uint64_t f32, uint64_t f64, uint64_t integer)
{
    const knk_inst *n = &knk_nodes(k)[x];
    if (n->op != KNK_CONST)
        return false;
    return n->imm == (n->dtype == KN_ID_F32 ? f32 : n->dtype == KN_ID_F64 ? f64 : integer);
}

static bool is_one(const knk_builder *k, knk_node x) { return is_bits(k, x, 0x3f800000u, 0x3ff0000000000000u, 1); }
static bool is_minus_zero(const knk_builder *k, knk_node x)
{
    return is_bits(k, x, 0x80000000u, 0x8000000000000000u, 0);
}
static bool is_plus_zero(const knk_builder *k, knk_node x) { return is_bits(k, x, 0, 0, 0); }

static bool commutes(const knk_inst *n)
{
    return n->op == KNK_ADD || n->op == KNK_MUL || n->op == KNK_AND || n->op == KNK_OR || n->op == KNK_XOR ||
           n->op == KNK_EQ || n->op == KNK_NE;
}

static int is(knk_node x, knk_node *out)
{
    *out = x;
    return 1;
}

static int simplify_binary(knk_builder *k, const knk_inst *n, knk_node *out)
{
    bool floats = knk_is_float_id(n->dtype);
    int d = knk_nodes(k)[n->a].dtype;
    uint64_t ones = knk_reduction_identity(KNK_RED_AND, d);
    switch (n->op) {
    case KNK_ADD: return is_minus_zero(k, n->b) && is(n->a, out);
    case KNK_SUB: return is_plus_zero(k, n->b) && is(n->a, out);
    case KNK_MUL:
        if (is_one(k, n->b))
            return is(n->a, out);
        return !floats && is_plus_zero(k, n->b) && is(n->b, out);
    case KNK_AND:
        if (n->a == n->b || is_bits(k, n->b, 0, 0, ones))
            return is(n->a, out);
        return is_plus_zero(k, n->b) && is(n->b, out);
    case KNK_OR: return (n->a == n->b || is_plus_zero(k, n->b)) && is(n->a, out);
    case KNK_XOR:
    case KNK_SHL:
    case KNK_SHR:
    case KNK_SAR: return is_plus_zero(k, n->b) && is(n->a, out);
    case KNK_MIN:
    case KNK_MAX: return n->a == n->b && is(n->a, out);
    default: return 0;
    }
}

/* Does dtype `to` have all values of dtype `from`? */
static bool widens(int from, int to)
{
    return (knk_is_half_id(from) && knk_is_float_id(to)) || (from == KN_ID_F32 && to == KN_ID_F64);
}

static int simplify_cast(const knk_builder *k, knk_inst *n, knk_node *out)
{
    const knk_inst *a = &knk_nodes(k)[n->a];
    if (a->dtype == n->dtype)
        return is(n->a, out);
    if (n->op == KNK_CAST && a->op == KNK_CAST && knk_nodes(k)[a->a].dtype == n->dtype && widens(n->dtype, a->dtype))
        return is(a->a, out);
    if (n->op == KNK_BITCAST && a->op == KNK_BITCAST) {
        n->a = a->a;
        return knk_nodes(k)[n->a].dtype == n->dtype && is(n->a, out);
    }
    return 0;
}

/* ---- Integers of up to 32 bits divided by a number that is the same at all points: by a multiplication with its
 * reciprocal, in floats that have more bits, which generators compute once. The reciprocal is a little too large, so
 * that quotients which are whole do not fall short of it; others are so far away from the next whole number (one over
 * the divisor) that they do not reach it. The smallest number by -1 is out of range, and so itself. */

static bool same_everywhere(const knk_builder *k, knk_node x, int depth)
{
    const knk_inst *n = &k->node.at[x];
    bool same = n->op == KNK_CONST;
    if (n->op == KNK_LOAD && n->a == KNK_NONE && n->b == KNK_NONE) {
        const knk_stage *s = &k->stage.at[n->stage];
        same = true;
        for (int i = 0; same && i < k->n_par + s->n_inner + s->n_loop; i++)
            same = k->map.at[n->map].cls[i] == KNK_STRIDE_ZERO;
    } else if (n->op >= KNK_ADD && n->op < KNK_LOOP && depth > 0) {
        same = true;
        for (int i = 0; same && i < knk_op_table[n->op].n_operands; i++)
            same = same_everywhere(k, knk_operand(n, i), depth - 1);
    }
    return same;
}

/* A number, or what a formula puts in place of 0. */
static bool is_never_zero(const knk_builder *k, knk_node x)
{
    const knk_inst *node = k->node.at, *n = &node[x];
    if (n->op != KNK_SELECT)
        return n->op == KNK_CONST && n->imm;
    const knk_inst *test = &node[n->a];
    return test->op == KNK_EQ && test->a == n->c && is_plus_zero(k, test->b) && node[n->b].op == KNK_CONST &&
           node[n->b].imm;
}

/* The quotient where the divisor is not 0, something where it is. */
static knk_node quotient(knk_builder *k, knk_node x, knk_node y, knx_dtype_id d)
{
    bool small = knk_size(d) < 4;
    knx_dtype_id f = small ? KN_ID_F32 : KN_ID_F64;
    knk_node above = knk_const_double(k, f, small ? 1 + 0x1p-22 : 1 + 0x1p-49);
    knk_node inverse = DIV(above, knk_cast(k, f, y));
    return knk_cast(k, d, MUL(knk_cast(k, f, x), inverse));
}

static bool divides(knk_builder *k, const knk_inst *n, knk_node *out)
{
    enum { DEPTH = 4 };
    const knx_dtype_id d = (knx_dtype_id)n->dtype;
    const knk_node x = n->a, y = n->b;
    const knk_stage *s = &k->stage.at[n->stage];
    bool loops = k->n_par + s->n_inner + s->n_loop > 0;
    bool doubles = knk_is_int_id(d) && knk_size(d) == 4;
    if (!loops || !knk_is_int_id(d) || knk_size(d) > 4 || (doubles && k->no_doubles) || same_everywhere(k, x, DEPTH) ||
        !same_everywhere(k, y, DEPTH))
        return false;
    bool rest = n->op == KNK_REM, never_zero = is_never_zero(k, y);
    knk_node q = quotient(k, x, y, d);
    if (rest)
        q = SUB(x, MUL(q, y));
    else if (!never_zero)
        q = knk_select(k, knk_binary(k, KNK_EQ, y, knk_const(k, d, 0)), knk_const(k, d, UINT64_MAX), q);
    *out = q;
    return true;
}

int knk_simplify(knk_builder *k, knk_inst *n, knk_node *out)
{
    const knk_inst *node = knk_nodes(k);
    if (commutes(n) && (node[n->a].op == KNK_CONST) >= (node[n->b].op == KNK_CONST) &&
        (node[n->a].op == KNK_CONST || n->a > n->b)) {
        knk_node a = n->a; /* constants on the right, else the older node on the left */
        n->a = n->b;
        n->b = a;
    }
    switch (n->op) {
    case KNK_CAST:
    case KNK_BITCAST: return simplify_cast(k, n, out);
    case KNK_NEG:
    case KNK_NOT: return node[n->a].op == n->op && is(node[n->a].a, out);
    case KNK_ABS:
        if (!knk_is_signed_id(n->dtype) && knk_is_int_id(n->dtype))
            return is(n->a, out);
        return node[n->a].op == KNK_ABS && is(n->a, out);
    case KNK_DIV:
    case KNK_REM: return (n->op == KNK_DIV && is_one(k, n->b) && is(n->a, out)) || divides(k, n, out);
    case KNK_SELECT:
        if (node[n->a].op == KNK_CONST)
            return is(node[n->a].imm ? n->b : n->c, out);
        return n->b == n->c && is(n->b, out);
    default:
        return knk_op_table[n->op].n_operands == 2 && knk_op_table[n->op].result != 'V' && simplify_binary(k, n, out);
    }
}
