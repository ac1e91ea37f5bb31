/* SPDX-License-Identifier: Apache-2.0
 * emit.c -- operations by recipe: what they need, their instructions; moves, spills, constants. */
#include "host/x86/emit_recipe.h"
#include <string.h>

static int lane_size(int dtype)
{
    int size = knk_size(dtype);
    return knk_is_half_id(dtype) || size == 8 ? size : 4;
}

int knh_length(const knh_form *f, int dtype)
{
    const int bytes = knh_is_mask(f, dtype) ? 0 : f->lanes * lane_size(dtype);
    return bytes > 32 ? 2 : bytes > 16 ? 1 : 0;
}

int knh_value_bytes(const knh_form *f, int dtype) { return knh_is_mask(f, dtype) ? 8 : 16 << knh_length(f, dtype); }

/* Moves. */
void knh_copy(knh_asm *a, int len, int dst, knh_operand src)
{
    if (src.memory)
        knh_v2(a, KNH_VMOVUPS, len, dst, src);
    else if (src.reg != dst)
        knh_v2(a, KNH_VMOVAPS, len, dst, src);
}

void knh_zero(knh_asm *a, int dst) { knh_v3(a, KNH_VPXORD, 0, dst, dst, knh_reg(dst)); }

void knh_move(knh_asm *a, const knh_form *f, int dtype, int dst, int src)
{
    if (!knh_is_mask(f, dtype))
        knh_copy(a, knh_length(f, dtype), dst, knh_reg(src));
    else if (dst != src)
        knh_v2(a, KNH_KMOVW, 0, dst, knh_reg(src));
}

void knh_spill(knh_asm *a, const knh_form *f, int dtype, knh_operand to, int src)
{
    if (knh_is_mask(f, dtype))
        knh_v2(a, KNH_KMOVW_ST, 0, src, to);
    else
        knh_v2(a, KNH_VMOVUPS_ST, knh_length(f, dtype), src, to);
}

void knh_reload(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from)
{
    if (knh_is_mask(f, dtype))
        knh_v2(a, KNH_KMOVW, 0, dst, from);
    else
        knh_v2(a, KNH_VMOVUPS, knh_length(f, dtype), dst, from);
}

/* Constants. */
static knh_operand pool_lanes(knh_asm *a, uint64_t bits, int size, int bytes)
{
    uint8_t all[64];
    for (int i = 0; i < bytes; i += size)
        memcpy(all + i, &bits, (size_t)size); /* little-endian, as x86 is */
    return knh_at_pool(knh_pool(a, all, bytes, bytes));
}

static knh_operand all_lanes(knh_asm *a, const knh_form *f, uint64_t bits, int size)
{
    knh_operand o = pool_lanes(a, bits, size, knh_wide(f) ? size : 32);
    o.broadcast = knh_wide(f);
    return o;
}

knh_operand knh_lanes32(knh_asm *a, const knh_form *f, uint32_t bits) { return all_lanes(a, f, bits, 4); }
knh_operand knh_lanes64(knh_asm *a, const knh_form *f, uint64_t bits) { return all_lanes(a, f, bits, 8); }

/* An element as it lies in a lane. */
static uint64_t lane_bits(int dtype, uint64_t bits)
{
    int unused = 64 - 8 * knk_size(dtype);
    if (dtype == KN_ID_BOOL)
        return bits & 1 ? UINT32_MAX : 0;
    return knk_is_signed_id(dtype) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
}

knh_operand knh_constant(knh_asm *a, const knh_form *f, int dtype, uint64_t bits, bool broadcast)
{
    if (knh_is_mask(f, dtype))
        return knh_reg(0);
    int size = lane_size(dtype);
    if (broadcast && knh_wide(f) && size >= 4)
        return all_lanes(a, f, lane_bits(dtype, bits), size);
    return pool_lanes(a, lane_bits(dtype, bits), size, knh_value_bytes(f, dtype));
}

void knh_emit_constant(knh_asm *a, const knh_form *f, int dtype, int dst, uint64_t bits, int gp_temp)
{
    (void)gp_temp;
    int len = knh_length(f, dtype), size = lane_size(dtype);
    uint64_t lane = lane_bits(dtype, bits);
    if (knh_is_mask(f, dtype))
        knh_v3(a, lane ? KNH_KXNORW : KNH_KXORW, 0, dst, dst, knh_reg(dst));
    else if (!lane)
        knh_zero(a, dst);
    else if (dtype == KN_ID_BOOL)
        knh_v3(a, KNH_VPCMPEQD, len, dst, dst, knh_reg(dst));
    else
        knh_v2(a,
               size == 2   ? KNH_VPBROADCASTW
               : size == 4 ? KNH_VPBROADCASTD
                           : KNH_VPBROADCASTQ,
               len, dst, pool_lanes(a, lane, size, size));
}

/* Recipes. */
static bool is_zero(const knk_inst *n) { return n->op == KNK_CONST && !n->imm; }

static const knh_recipe *find(const knh_form *f, const knk_inst *n, const knk_inst *nodes, int dtype)
{
    const int op = n->op;
    if (op == KNK_SELECT && dtype != KN_ID_BOOL && (is_zero(&nodes[n->c]) || (is_zero(&nodes[n->b]) && !knh_wide(f))))
        return knh_select_zero(f, dtype, is_zero(&nodes[n->c]));
    const knh_recipe *r = dtype == KN_ID_BOOL      ? knh_bool_recipes[op]
                          : knk_is_float_id(dtype) ? knh_float_recipes[op]
                                                   : knh_int_recipes[op];
    for (; r && r->from; r++)
        if (knh_in(r->from, dtype) && r->targets >> f->target & 1)
            return r;
    return NULL;
}

static int operand_dtype(const knk_inst *n, const knk_inst *nodes)
{
    return nodes[n->op == KNK_SELECT ? n->b : n->a].dtype;
}

knh_needs knh_emit_needs(const knh_form *f, const knk_inst *n, const knk_inst *nodes)
{
    int dtype = operand_dtype(n, nodes);
    if (n->op == KNK_CAST || n->op == KNK_BITCAST)
        return knh_cast_needs(f, dtype, n->dtype, n->op == KNK_BITCAST);
    const knh_recipe *r = find(f, n, nodes, dtype);
    if (!r)
        return (knh_needs){.helper = true};
    return (knh_needs){.temps = r->temps,
                       .mask_temps = r->mask_temps,
                       .gp_temps = r->gp_temps,
                       .memory = r->memory,
                       .broadcast = knh_wide(f) ? r->broadcast : 0,
                       .over = r->over,
                       .commutes = r->commutes};
}

void knh_emit_op(knh_asm *a, const knh_form *f, const knk_inst *n, const knk_inst *nodes, int dst,
                 const knh_operand src[3], const int *temp, const int *mask_temp, const int *gp_temp)
{
    int dtype = operand_dtype(n, nodes);
    knh_op o = {.a = a,
                .f = f,
                .n = n,
                .nodes = nodes,
                .from = dtype,
                .to = n->dtype,
                .len = knh_length(f, dtype),
                .dst = dst,
                .src = src,
                .temp = temp,
                .mask = mask_temp,
                .gp = gp_temp};
    if (n->op == KNK_CAST || n->op == KNK_BITCAST) {
        knh_cast(&o, n->op == KNK_BITCAST);
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
        knh_extend(a, f, dtype, dst, dst);
}

/* Frequent forms. */
void knh_emit_two(const knh_op *o) { knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, o->src[1]); }

void knh_emit_one(const knh_op *o)
{
    if (o->recipe->imm)
        knh_v2i(o->a, o->recipe->insn, o->len, o->dst, o->src[0], o->recipe->imm);
    else
        knh_v2(o->a, o->recipe->insn, o->len, o->dst, o->src[0]);
}

void knh_emit_copy(const knh_op *o) { knh_copy(o->a, o->len, o->dst, o->src[0]); }
