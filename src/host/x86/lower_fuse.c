/* SPDX-License-Identifier: Apache-2.0
 * lower_fuse.c -- two operations in one instruction, where the first has no other user and the bits are the same:
 * two bitwise operations, a test of bits, a multiply-add of something negated. */
#include "host/x86/lower_internal.h"

static const knk_stage *stage_of(const kng_low *l) { return &l->k->stage[l->r->stage]; }
static int at_of(const kng_low *l, knk_node x) { return x - stage_of(l)->first; }
static bool is_logic(int op) { return op == KNK_AND || op == KNK_OR || op == KNK_XOR; }
static bool is_whole_int(int dtype) { return knk_is_int_id(dtype) && knk_size(dtype) >= 4; }

static bool is_zero(const kng_low *l, knk_node x) { return x >= 0 && l->node[x].op == KNK_CONST && !l->node[x].imm; }

/* The node behind bitcasts that change nothing. */
static knk_node behind(const kng_low *l, knk_node x)
{
    while (x >= stage_of(l)->first && l->node[x].op == KNK_BITCAST && knk_size(l->node[x].dtype) >= 4)
        x = l->node[x].a;
    return x;
}

/* May x, which has one user, become a part of it? */
static bool may_vanish(const kng_low *l, knk_node x, const uint8_t *users)
{
    for (;; x = l->node[x].a) {
        if (x < stage_of(l)->first || users[at_of(l, x)] != 1 || l->region[at_of(l, x)] > 0 ||
            (l->flags[at_of(l, x)] & (KNG_NODE_LIVE | KNG_NODE_UNIFORM | KNG_NODE_EXPORTED)) != KNG_NODE_LIVE)
            return false;
        if (l->node[x].op != KNK_BITCAST)
            return true;
    }
}

static bool absorbs(const kng_low *l, const knk_inst *n, int j)
{
    knk_node x = behind(l, knk_operand(n, j));
    const knk_inst *y = &l->node[x];
    if (n->op == KNK_FMA)
        return y->op == KNK_NEG && y->dtype == n->dtype;
    if (l->target != KNG_AVX512 || x < stage_of(l)->first)
        return false;
    if (is_logic(n->op))
        return is_whole_int(n->dtype) && is_logic(y->op) && is_whole_int(y->dtype);
    return (n->op == KNK_NE || n->op == KNK_EQ) && y->op == KNK_AND && is_whole_int(y->dtype) &&
           is_whole_int(l->node[n->a].dtype) && is_zero(l, knk_operand(n, 1 - j));
}

static void absorb(kng_low *l, knk_node x)
{
    for (;; x = l->node[x].a) {
        l->flags[at_of(l, x)] |= KNG_NODE_ABSORBED;
        if (l->node[x].op != KNK_BITCAST)
            return;
    }
}

void kng_low_find_fusions(kng_low *l)
{
    const knk_stage *st = stage_of(l);
    int n = st->end - st->first;
    uint8_t *users = knx_arena_zero(&l->arena, (size_t)n + 1);
    if (!users) {
        l->no_memory = true;
        return;
    }
    for (int i = st->first; i < st->end; i++)
        for (int j = 0; j < 3 && (l->flags[at_of(l, i)] & KNG_NODE_LIVE); j++) {
            int x = at_of(l, knk_operand(&l->node[i], j));
            if (x >= 0 && users[x] < 2)
                users[x]++;
        }
    for (int i = st->end - 1; i >= st->first; i--) {
        const knk_inst *x = &l->node[i];
        uint8_t f = l->flags[at_of(l, i)];
        bool fma = x->op == KNK_FMA, one = is_logic(x->op) || x->op == KNK_NE || x->op == KNK_EQ, done = false;
        if ((!fma && !one) || l->region[at_of(l, i)] > 0 ||
            (f & (KNG_NODE_LIVE | KNG_NODE_UNIFORM | KNG_NODE_ABSORBED)) != KNG_NODE_LIVE)
            continue;
        for (int j = 0; j < knk_op_table[x->op].n_operands && !(one && done); j++) {
            knk_node y = knk_operand(x, j);
            if (kng_low_level(l, y) == kng_low_level(l, i) && absorbs(l, x, j) && may_vanish(l, y, users)) {
                absorb(l, y);
                done = true;
            }
        }
    }
}

static bool is_absorbed(const kng_low *l, knk_node x)
{
    return x >= stage_of(l)->first && (l->flags[at_of(l, x)] & KNG_NODE_ABSORBED);
}

/* (a one b) two c; a, b, c are bits 2, 1, 0 of the number of a bit of the table. */
static int truth(int one, int two)
{
    int table = 0;
    for (int i = 0; i < 8; i++) {
        int a = i >> 2, b = i >> 1 & 1, c = i & 1, ab = one == KNK_AND ? a & b : one == KNK_OR ? a | b : a ^ b;
        table |= (two == KNK_AND ? ab & c : two == KNK_OR ? ab | c : ab ^ c) << i;
    }
    return table;
}

static void fuse_fma(kng_low *l, const knk_inst *n, kng_item *it, knk_node operand[3])
{
    it->fused = KNG_FUSE_FMA;
    for (int j = 0; j < 3; j++) {
        operand[j] = knk_operand(n, j);
        if (!is_absorbed(l, operand[j]))
            continue;
        operand[j] = l->node[behind(l, operand[j])].a;
        it->how ^= j == 2 ? 2 : 1;
    }
    it->needs = (kng_needs){.memory = 7, .broadcast = l->target == KNG_AVX512 ? 7 : 0, .over = 7};
}

bool kng_low_fuse(kng_low *l, knk_node x, kng_item *it, knk_node operand[3])
{
    const knk_inst *n = &l->node[x];
    int at = -1;
    for (int j = 0; j < knk_op_table[n->op].n_operands; j++)
        if (is_absorbed(l, knk_operand(n, j)))
            at = j;
    if (at < 0)
        return false;
    if (n->op == KNK_FMA) {
        fuse_fma(l, n, it, operand);
        return true;
    }
    const knk_inst *y = &l->node[behind(l, knk_operand(n, at))];
    operand[0] = y->a;
    operand[1] = y->b;
    operand[2] = KNK_NONE;
    if (is_logic(n->op)) {
        operand[2] = knk_operand(n, 1 - at);
        it->fused = KNG_FUSE_LOGIC;
        it->how = (uint8_t)truth(y->op, n->op);
        it->needs = (kng_needs){.memory = 4, .broadcast = 4, .over = 1};
    } else {
        it->fused = KNG_FUSE_TEST;
        it->how = n->op == KNK_EQ;
        it->needs = (kng_needs){.memory = 2, .broadcast = 2, .commutes = true};
    }
    return true;
}

/* 132: d = d * m + v; 213: d = v * d + m; 231: d = v * m + d, with signs. */
static void emit_fma(kng_low *l, const kng_item *it, int dst, const kng_operand src[3])
{
    static const kng_insn insn[3][2][3] = {
        {{KNG_VFNMADD132PS, KNG_VFNMADD213PS, KNG_VFNMADD231PS},
         {KNG_VFNMADD132PD, KNG_VFNMADD213PD, KNG_VFNMADD231PD}},
        {{KNG_VFMSUB132PS, KNG_VFMSUB213PS, KNG_VFMSUB231PS}, {KNG_VFMSUB132PD, KNG_VFMSUB213PD, KNG_VFMSUB231PD}},
        {{KNG_VFNMSUB132PS, KNG_VFNMSUB213PS, KNG_VFNMSUB231PS},
         {KNG_VFNMSUB132PD, KNG_VFNMSUB213PD, KNG_VFNMSUB231PD}}};
    static const kng_insn plain[2][3] = {{KNG_VFMADD132PS, KNG_VFMADD213PS, KNG_VFMADD231PS},
                                         {KNG_VFMADD132PD, KNG_VFMADD213PD, KNG_VFMADD231PD}};
    int dtype = l->node[it->node].dtype, len = kng_length(&l->form, dtype);
    const kng_insn *f = it->how ? insn[it->how - 1][dtype == KN_ID_F64] : plain[dtype == KN_ID_F64];
    kng_operand x = src[0], y = src[1], z = src[2];
    if (x.memory || (!y.memory && y.reg == dst)) { /* a factor in memory, or not in dst, is y */
        x = src[1];
        y = src[0];
    }
    if (!z.memory && z.reg == dst) {
        kng_v3(l->a, f[2], len, dst, x.reg, y);
    } else if (x.reg == dst && y.memory) {
        kng_v3(l->a, f[0], len, dst, z.reg, y);
    } else if (x.reg == dst || z.memory) {
        kng_move(l->a, &l->form, dtype, dst, x.reg);
        kng_v3(l->a, f[1], len, dst, y.reg, z);
    } else {
        kng_move(l->a, &l->form, dtype, dst, z.reg);
        kng_v3(l->a, f[2], len, dst, x.reg, y);
    }
}

void kng_low_emit_fused(kng_low *l, const kng_item *it, int dst, const kng_operand src[3])
{
    int dtype = l->value[it->use[0]].dtype, len = kng_length(&l->form, dtype);
    bool wide = knk_size(dtype) == 8;
    switch ((kng_fusion)it->fused) {
    case KNG_FUSE_NONE: return;
    case KNG_FUSE_FMA: emit_fma(l, it, dst, src); return;
    case KNG_FUSE_LOGIC:
        kng_move(l->a, &l->form, dtype, dst, src[0].reg);
        kng_v3i(l->a, wide ? KNG_VPTERNLOGQ : KNG_VPTERNLOGD, len, dst, src[1].reg, src[2], it->how);
        return;
    case KNG_FUSE_TEST:
        kng_v3(l->a,
               it->how ? wide ? KNG_VPTESTNMQ : KNG_VPTESTNMD
               : wide  ? KNG_VPTESTMQ
                       : KNG_VPTESTMD,
               len, dst, src[0].reg, src[1]);
    }
}
