/* SPDX-License-Identifier: Apache-2.0
 * lower_fuse.c -- two operations in one instruction, where the first has no other user and the bits are the same:
 * two bitwise operations, a test of bits, a multiply-add of something negated; and the three of a rotation. */
#include "host/x86/lower_internal.h"

static const knk_stage *stage_of(const knh_low *l) { return &l->k->stage[l->r->stage]; }
static int at_of(const knh_low *l, knk_node x) { return x - stage_of(l)->first; }
static bool is_logic(int op) { return op == KNK_AND || op == KNK_OR || op == KNK_XOR; }
static bool is_whole_int(int dtype) { return knk_is_int_id(dtype) && knk_size(dtype) >= 4; }

static bool is_zero(const knh_low *l, knk_node x) { return x >= 0 && l->node[x].op == KNK_CONST && !l->node[x].imm; }

/* The node behind bitcasts that change nothing. */
static knk_node behind(const knh_low *l, knk_node x)
{
    while (x >= stage_of(l)->first && l->node[x].op == KNK_BITCAST && knk_size(l->node[x].dtype) >= 4)
        x = l->node[x].a;
    return x;
}

/* May x, which has one user, become a part of it? */
static bool may_vanish(const knh_low *l, knk_node x, const uint8_t *users)
{
    for (;; x = l->node[x].a) {
        if (x < stage_of(l)->first || users[at_of(l, x)] != 1 || l->region[at_of(l, x)] > 0 ||
            (l->flags[at_of(l, x)] & (KNH_NODE_LIVE | KNH_NODE_UNIFORM | KNH_NODE_EXPORTED)) != KNH_NODE_LIVE)
            return false;
        if (l->node[x].op != KNK_BITCAST)
            return true;
    }
}

/* Two shifts of one value by constants that make up its bits, joined: AVX-512 rotates. */
static bool is_rotation(const knh_low *l, knk_node x, const uint8_t *users)
{
    const knk_inst *n = &l->node[x];
    if (l->target != KNH_AVX512 || n->op != KNK_OR || !is_whole_int(n->dtype) || n->a < 0 || n->b < 0)
        return false;
    for (int j = 0; j < 2; j++) {
        knk_node y = knk_operand(n, j);
        if (y < stage_of(l)->first || l->node[y].op == KNK_BITCAST || !may_vanish(l, y, users) ||
            knh_low_level(l, y) != knh_low_level(l, x))
            return false;
    }
    const knk_inst *one = &l->node[n->a], *two = &l->node[n->b];
    if (one->a != two->a || one->op == two->op || (one->op != KNK_SHL && one->op != KNK_SHR) ||
        (two->op != KNK_SHL && two->op != KNK_SHR))
        return false;
    const knk_inst *left = &l->node[one->b], *right = &l->node[two->b];
    uint64_t bits = 8 * (uint64_t)knk_size(n->dtype);
    return left->op == KNK_CONST && right->op == KNK_CONST && left->imm && left->imm < bits &&
           right->imm == bits - left->imm;
}

static bool absorbs(const knh_low *l, const knk_inst *n, int j)
{
    knk_node x = behind(l, knk_operand(n, j));
    const knk_inst *y = &l->node[x];
    if (n->op == KNK_FMA)
        return y->op == KNK_NEG && y->dtype == n->dtype;
    if (l->target != KNH_AVX512 || x < stage_of(l)->first)
        return false;
    if (is_logic(n->op))
        return is_whole_int(n->dtype) && is_logic(y->op) && is_whole_int(y->dtype);
    return (n->op == KNK_NE || n->op == KNK_EQ) && y->op == KNK_AND && is_whole_int(y->dtype) &&
           is_whole_int(l->node[n->a].dtype) && is_zero(l, knk_operand(n, 1 - j));
}

static void absorb(knh_low *l, knk_node x)
{
    for (;; x = l->node[x].a) {
        l->flags[at_of(l, x)] |= KNH_NODE_ABSORBED;
        if (l->node[x].op != KNK_BITCAST)
            return;
    }
}

void knh_low_find_fusions(knh_low *l)
{
    const knk_stage *st = stage_of(l);
    int n = st->end - st->first;
    uint8_t *users = knx_arena_zero(&l->arena, (size_t)n + 1);
    if (!users) {
        l->no_memory = true;
        return;
    }
    for (int i = st->first; i < st->end; i++)
        for (int j = 0; j < 3 && (l->flags[at_of(l, i)] & KNH_NODE_LIVE); j++) {
            int x = at_of(l, knk_operand(&l->node[i], j));
            if (x >= 0 && users[x] < 2)
                users[x]++;
        }
    for (int i = st->end - 1; i >= st->first; i--) {
        const knk_inst *x = &l->node[i];
        uint8_t f = l->flags[at_of(l, i)];
        bool fma = x->op == KNK_FMA, one = is_logic(x->op) || x->op == KNK_NE || x->op == KNK_EQ, done = false;
        if ((!fma && !one) || l->region[at_of(l, i)] > 0 ||
            (f & (KNH_NODE_LIVE | KNH_NODE_UNIFORM | KNH_NODE_ABSORBED)) != KNH_NODE_LIVE)
            continue;
        if (is_rotation(l, i, users)) {
            absorb(l, x->a);
            absorb(l, x->b);
            continue;
        }
        for (int j = 0; j < knk_op_table[x->op].n_operands && !(one && done); j++) {
            knk_node y = knk_operand(x, j);
            if (knh_low_level(l, y) == knh_low_level(l, i) && absorbs(l, x, j) && may_vanish(l, y, users) &&
                !is_rotation(l, behind(l, y), users)) {
                absorb(l, y);
                done = true;
            }
        }
    }
}

static bool is_absorbed(const knh_low *l, knk_node x)
{
    return x >= stage_of(l)->first && (l->flags[at_of(l, x)] & KNH_NODE_ABSORBED);
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

static void fuse_fma(knh_low *l, const knk_inst *n, knh_item *it, knk_node operand[3])
{
    it->fused = KNH_FUSE_FMA;
    for (int j = 0; j < 3; j++) {
        operand[j] = knk_operand(n, j);
        if (!is_absorbed(l, operand[j]))
            continue;
        operand[j] = l->node[behind(l, operand[j])].a;
        it->how ^= j == 2 ? 2 : 1;
    }
    it->needs = (knh_needs){.memory = 7, .broadcast = l->target == KNH_AVX512 ? 7 : 0, .over = 7};
}

bool knh_low_fuse(knh_low *l, knk_node x, knh_item *it, knk_node operand[3])
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
    if (y->op == KNK_SHL || y->op == KNK_SHR) {
        operand[0] = y->a;
        operand[1] = operand[2] = KNK_NONE;
        it->fused = KNH_FUSE_ROTATE;
        it->how = (uint8_t)l->node[y->op == KNK_SHL ? y->b : l->node[n->a].b].imm;
        it->needs = (knh_needs){.over = 1};
        return true;
    }
    operand[0] = y->a;
    operand[1] = y->b;
    operand[2] = KNK_NONE;
    if (is_logic(n->op)) {
        operand[2] = knk_operand(n, 1 - at);
        it->fused = KNH_FUSE_LOGIC;
        it->how = (uint8_t)truth(y->op, n->op);
        it->needs = (knh_needs){.memory = 4, .broadcast = 4, .over = 1};
    } else {
        it->fused = KNH_FUSE_TEST;
        it->how = n->op == KNK_EQ;
        it->needs = (knh_needs){.memory = 2, .broadcast = 2, .commutes = true};
    }
    return true;
}

/* 132: d = d * m + v; 213: d = v * d + m; 231: d = v * m + d, with signs. */
static void emit_fma(knh_low *l, const knh_item *it, int dst, const knh_operand src[3])
{
    static const knh_insn insn[3][2][3] = {
        {{KNH_VFNMADD132PS, KNH_VFNMADD213PS, KNH_VFNMADD231PS},
         {KNH_VFNMADD132PD, KNH_VFNMADD213PD, KNH_VFNMADD231PD}},
        {{KNH_VFMSUB132PS, KNH_VFMSUB213PS, KNH_VFMSUB231PS}, {KNH_VFMSUB132PD, KNH_VFMSUB213PD, KNH_VFMSUB231PD}},
        {{KNH_VFNMSUB132PS, KNH_VFNMSUB213PS, KNH_VFNMSUB231PS},
         {KNH_VFNMSUB132PD, KNH_VFNMSUB213PD, KNH_VFNMSUB231PD}}};
    static const knh_insn plain[2][3] = {{KNH_VFMADD132PS, KNH_VFMADD213PS, KNH_VFMADD231PS},
                                         {KNH_VFMADD132PD, KNH_VFMADD213PD, KNH_VFMADD231PD}};
    int dtype = l->node[it->node].dtype, len = knh_length(&l->form, dtype);
    const knh_insn *f = it->how ? insn[it->how - 1][dtype == KN_ID_F64] : plain[dtype == KN_ID_F64];
    knh_operand x = src[0], y = src[1], z = src[2];
    if (x.memory || (!y.memory && y.reg == dst)) { /* a factor in memory, or not in dst, is y */
        x = src[1];
        y = src[0];
    }
    if (!z.memory && z.reg == dst) {
        knh_v3(l->a, f[2], len, dst, x.reg, y);
    } else if (x.reg == dst && y.memory) {
        knh_v3(l->a, f[0], len, dst, z.reg, y);
    } else if (x.reg == dst || z.memory) {
        knh_move(l->a, &l->form, dtype, dst, x.reg);
        knh_v3(l->a, f[1], len, dst, y.reg, z);
    } else {
        knh_move(l->a, &l->form, dtype, dst, z.reg);
        knh_v3(l->a, f[2], len, dst, x.reg, y);
    }
}

void knh_low_emit_fused(knh_low *l, const knh_item *it, int dst, const knh_operand src[3])
{
    int dtype = l->value[it->use[0]].dtype, len = knh_length(&l->form, dtype);
    bool wide = knk_size(dtype) == 8;
    switch ((knh_fusion)it->fused) {
    case KNH_FUSE_NONE: return;
    case KNH_FUSE_FMA: emit_fma(l, it, dst, src); return;
    case KNH_FUSE_LOGIC:
        knh_move(l->a, &l->form, dtype, dst, src[0].reg);
        knh_v3i(l->a, wide ? KNH_VPTERNLOGQ : KNH_VPTERNLOGD, len, dst, src[1].reg, src[2], it->how);
        return;
    case KNH_FUSE_ROTATE: knh_shift(l->a, wide ? KNH_VPROLQ_I : KNH_VPROLD_I, len, dst, src[0].reg, it->how); return;
    case KNH_FUSE_TEST:
        knh_v3(l->a,
               it->how ? wide ? KNH_VPTESTNMQ : KNH_VPTESTNMD
               : wide  ? KNH_VPTESTMQ
                       : KNH_VPTESTMD,
               len, dst, src[0].reg, src[1]);
    }
}
