/* SPDX-License-Identifier: Apache-2.0
 * emit.c -- operations by recipe: what they need, their instructions; moves, spills, constants. */
#include "host/x86/emit_recipe.h"
#include <string.h>

static int lane_size(int dtype)
{
    int size = knk_size(dtype);
    return knk_is_half_id(dtype) || size == 8 ? size : 4;
}

int kng_length(const kng_form *f, int dtype)
{
    const int bytes = kng_is_mask(f, dtype) ? 0 : f->lanes * lane_size(dtype);
    return bytes > 32 ? 2 : bytes > 16 ? 1 : 0;
}

int kng_value_bytes(const kng_form *f, int dtype) { return kng_is_mask(f, dtype) ? 8 : 16 << kng_length(f, dtype); }

/* Moves. */
void kng_copy(kng_asm *a, int len, int dst, kng_operand src)
{
    if (src.memory)
        kng_v2(a, KNG_VMOVUPS, len, dst, src);
    else if (src.reg != dst)
        kng_v2(a, KNG_VMOVAPS, len, dst, src);
}

void kng_zero(kng_asm *a, int dst) { kng_v3(a, KNG_VPXORD, 0, dst, dst, kng_reg(dst)); }

void kng_move(kng_asm *a, const kng_form *f, int dtype, int dst, int src)
{
    if (!kng_is_mask(f, dtype))
        kng_copy(a, kng_length(f, dtype), dst, kng_reg(src));
    else if (dst != src)
        kng_v2(a, KNG_KMOVW, 0, dst, kng_reg(src));
}

void kng_spill(kng_asm *a, const kng_form *f, int dtype, kng_operand to, int src)
{
    if (kng_is_mask(f, dtype))
        kng_v2(a, KNG_KMOVW_ST, 0, src, to);
    else
        kng_v2(a, KNG_VMOVUPS_ST, kng_length(f, dtype), src, to);
}

void kng_reload(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from)
{
    if (kng_is_mask(f, dtype))
        kng_v2(a, KNG_KMOVW, 0, dst, from);
    else
        kng_v2(a, KNG_VMOVUPS, kng_length(f, dtype), dst, from);
}

/* Constants. */
static kng_operand pool_lanes(kng_asm *a, uint64_t bits, int size, int bytes)
{
    uint8_t all[64];
    for (int i = 0; i < bytes; i += size)
        memcpy(all + i, &bits, (size_t)size); /* little-endian, as x86 is */
    return kng_at_pool(kng_pool(a, all, bytes, bytes));
}

static kng_operand all_lanes(kng_asm *a, const kng_form *f, uint64_t bits, int size)
{
    kng_operand o = pool_lanes(a, bits, size, kng_wide(f) ? size : 32);
    o.broadcast = kng_wide(f);
    return o;
}

kng_operand kng_lanes32(kng_asm *a, const kng_form *f, uint32_t bits) { return all_lanes(a, f, bits, 4); }
kng_operand kng_lanes64(kng_asm *a, const kng_form *f, uint64_t bits) { return all_lanes(a, f, bits, 8); }

/* An element as it lies in a lane. */
static uint64_t lane_bits(int dtype, uint64_t bits)
{
    int unused = 64 - 8 * knk_size(dtype);
    if (dtype == KN_ID_BOOL)
        return bits & 1 ? UINT32_MAX : 0;
    return knk_is_signed_id(dtype) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
}

kng_operand kng_constant(kng_asm *a, const kng_form *f, int dtype, uint64_t bits, bool broadcast)
{
    if (kng_is_mask(f, dtype))
        return kng_reg(0);
    int size = lane_size(dtype);
    if (broadcast && kng_wide(f) && size >= 4)
        return all_lanes(a, f, lane_bits(dtype, bits), size);
    return pool_lanes(a, lane_bits(dtype, bits), size, kng_value_bytes(f, dtype));
}

void kng_emit_constant(kng_asm *a, const kng_form *f, int dtype, int dst, uint64_t bits, int gp_temp)
{
    (void)gp_temp;
    int len = kng_length(f, dtype), size = lane_size(dtype);
    uint64_t lane = lane_bits(dtype, bits);
    if (kng_is_mask(f, dtype))
        kng_v3(a, lane ? KNG_KXNORW : KNG_KXORW, 0, dst, dst, kng_reg(dst));
    else if (!lane)
        kng_zero(a, dst);
    else if (dtype == KN_ID_BOOL)
        kng_v3(a, KNG_VPCMPEQD, len, dst, dst, kng_reg(dst));
    else
        kng_v2(a,
               size == 2   ? KNG_VPBROADCASTW
               : size == 4 ? KNG_VPBROADCASTD
                           : KNG_VPBROADCASTQ,
               len, dst, pool_lanes(a, lane, size, size));
}

/* Recipes. */
static bool is_zero(const knk_inst *n) { return n->op == KNK_CONST && !n->imm; }

static const kng_recipe *find(const kng_form *f, const knk_inst *n, const knk_inst *nodes, int dtype)
{
    const int op = n->op;
    if (op == KNK_SELECT && dtype != KN_ID_BOOL && (is_zero(&nodes[n->c]) || (is_zero(&nodes[n->b]) && !kng_wide(f))))
        return kng_select_zero(f, dtype, is_zero(&nodes[n->c]));
    const kng_recipe *r = dtype == KN_ID_BOOL      ? kng_bool_recipes[op]
                          : knk_is_float_id(dtype) ? kng_float_recipes[op]
                                                   : kng_int_recipes[op];
    for (; r && r->from; r++)
        if (kng_in(r->from, dtype) && r->targets >> f->target & 1)
            return r;
    return NULL;
}

static int operand_dtype(const knk_inst *n, const knk_inst *nodes)
{
    return nodes[n->op == KNK_SELECT ? n->b : n->a].dtype;
}

kng_needs kng_emit_needs(const kng_form *f, const knk_inst *n, const knk_inst *nodes)
{
    int dtype = operand_dtype(n, nodes);
    if (n->op == KNK_CAST || n->op == KNK_BITCAST)
        return kng_cast_needs(f, dtype, n->dtype, n->op == KNK_BITCAST);
    const kng_recipe *r = find(f, n, nodes, dtype);
    if (!r)
        return (kng_needs){.helper = true};
    return (kng_needs){.temps = r->temps,
                       .mask_temps = r->mask_temps,
                       .gp_temps = r->gp_temps,
                       .memory = r->memory,
                       .broadcast = kng_wide(f) ? r->broadcast : 0,
                       .over = r->over,
                       .commutes = r->commutes};
}

void kng_emit_op(kng_asm *a, const kng_form *f, const knk_inst *n, const knk_inst *nodes, int dst,
                 const kng_operand src[3], const int *temp, const int *mask_temp, const int *gp_temp)
{
    int dtype = operand_dtype(n, nodes);
    kng_op o = {.a = a,
                .f = f,
                .n = n,
                .nodes = nodes,
                .from = dtype,
                .to = n->dtype,
                .len = kng_length(f, dtype),
                .dst = dst,
                .src = src,
                .temp = temp,
                .mask = mask_temp,
                .gp = gp_temp};
    if (n->op == KNK_CAST || n->op == KNK_BITCAST) {
        kng_cast(&o, n->op == KNK_BITCAST);
        return;
    }
    o.recipe = find(f, n, nodes, dtype);
    if (!o.recipe) {
        a->failed = true;
        a->why = "an operation without instructions";
        return;
    }
    o.recipe->emit(&o);
    if (o.recipe->extend)
        kng_extend(a, f, dtype, dst, dst);
}

/* Frequent forms. */
void kng_emit_two(const kng_op *o) { kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, o->src[1]); }

void kng_emit_one(const kng_op *o)
{
    if (o->recipe->imm)
        kng_v2i(o->a, o->recipe->insn, o->len, o->dst, o->src[0], o->recipe->imm);
    else
        kng_v2(o->a, o->recipe->insn, o->len, o->dst, o->src[0]);
}

void kng_emit_copy(const kng_op *o) { kng_copy(o->a, o->len, o->dst, o->src[0]); }
