/* SPDX-License-Identifier: Apache-2.0
 * lower_body.c -- the instructions of one item for one copy: operands to registers or memory, the operation, loads,
 * stores, gathers, calls of the interpreter's loops. */
#include "host/x86/lower_internal.h"

static const int gp_temp[3] = {KNH_RDX, KNH_RSI, KNH_R11};
static const int gp_move[4] = {KNH_R10, KNH_RDX, KNH_RSI, KNH_R11}; /* of loads and stores */

static int class_of(const knh_low *l, int stream) { return l->r->cls[stream]; }

/* Elements that are not whole lanes need temporaries on their way. */
static bool is_small(int dtype) { return knk_size(dtype) < 4; }

typedef struct temps {
    int v[4], m[2], n_v, n_m;
} temps;

static temps take_temps(knh_low *l, int n_v, int n_m)
{
    temps t = {{0, 0, 0, 0}, {0, 0}, n_v < 4 ? n_v : 4, l->target == KNH_AVX512 ? n_m < 2 ? n_m : 2 : 0};
    for (int i = 0; i < t.n_v; i++)
        t.v[i] = knh_low_take(l, 0, -1);
    for (int i = 0; i < t.n_m; i++)
        t.m[i] = knh_low_take(l, 1, -1);
    return t;
}

static void give_temps(knh_low *l, const temps *t)
{
    for (int i = 0; i < t->n_v; i++)
        knh_low_give(l, 0, t->v[i]);
    for (int i = 0; i < t->n_m; i++)
        knh_low_give(l, 1, t->m[i]);
}

/* What the list of the row works out for the lanes goes to its home, for all lanes of theirs; what a cold part works
 * out for the body, to where the body takes it from. */
static void bring_home(knh_low *l, const knh_item *it, int copy)
{
    const knh_value *v = &l->value[it->def];
    int r = l->state[knh_low_state(l, it->def, copy)].reg;
    if (l->current_part > 0 && v->home >= 0) {
        knh_spill(l->a, &l->form, v->dtype, knh_low_at(l, v->input), r);
        return;
    }
    if (l->current_part < 0 && v->single >= 0)
        knh_emit_store_one(l->a, &l->form, v->dtype, r, knh_low_at(l, v->single), -1, KNH_RDX);
    if (l->current_part >= 0 || !v->homed)
        return;
    knh_operand home = knh_low_at(l, v->home);
    if (v->mask && l->lane_form.lanes > l->form.lanes) {
        int both = knh_low_take(l, 1, -1);
        knh_v3(l->a, KNH_KUNPCKBW, 0, both, r, knh_reg(r));
        knh_spill(l->a, &l->form, v->dtype, home, both);
        knh_low_give(l, 1, both);
        return;
    }
    knh_spill(l->a, &l->form, v->dtype, home, r);
    if (l->lane_form.lanes > l->form.lanes && knk_size(v->dtype) < 8) { /* only cold parts read 64-bit lanes then */
        home.disp += l->form.lanes * (knk_is_half_id(v->dtype) ? 2 : 4);
        knh_spill(l->a, &l->form, v->dtype, home, r);
    }
}

void knh_low_end_item(knh_low *l, const knh_item *it, int copy)
{
    if (it->def >= 0 && l->current_part != KNH_BODY)
        bring_home(l, it, copy);
    knh_low_used(l, it, copy);
    if (it->def >= 0)
        knh_low_defined(l, it, copy);
    knh_low_unlock(l);
}

/* Addresses. */
int knh_low_pointer(knh_low *l, int s)
{
    const knh_way *w = &l->way[s];
    if (w->reg >= 0)
        return w->reg;
    knh_load(l->a, KNH_R10,
             w->pointer >= 0 ? knh_low_at(l, w->pointer) : knh_at(KNH_RDI, knh_low_word(s, offsetof(knh_words, at))));
    return KNH_R10;
}

static int piece_of(const knh_low *l, int copy) { return l->block * l->copies + copy; }

knh_operand knh_low_element(knh_low *l, int s, int copy)
{
    int size = 1 << l->way[s].shift;
    return knh_at_index(knh_low_pointer(l, s), KNH_RAX, size, piece_of(l, copy) * l->form.lanes * size);
}

static knh_operand numbers(knh_low *l, int first, int n, bool is_short)
{
    int64_t v[64];
    int32_t low[64];
    for (int i = 0; i < n; i++) {
        v[i] = first + i;
        low[i] = first + i;
    }
    int size = is_short ? 4 : 8;
    return knh_at_pool(knh_pool(l->a, is_short ? (const void *)low : v, n * size, n * size));
}

/* The element that an item loads: that of the stream, or one as far from there as the index says. */
static knh_operand loaded_element(knh_low *l, const knh_item *it, int copy)
{
    if (it->index < 0)
        return knh_low_element(l, it->stream, copy);
    const knh_value *v = &l->value[it->index];
    int size = 1 << l->way[it->stream].shift, base = knh_low_pointer(l, it->stream);
    if (v->kind == KNH_VALUE_CONSTANT)
        knh_mov_number(l->a, KNH_RDX, (int64_t)l->node[v->node].imm);
    else
        knh_load(l->a, KNH_RDX, knh_low_at(l, v->single));
    knh_lea(l->a, KNH_R10, knh_at_index(base, KNH_RDX, size, 0));
    return knh_at_index(KNH_R10, KNH_RAX, size, piece_of(l, copy) * l->form.lanes * size);
}

/* Where the lanes of a copy are, in elements: a memory operand of 64-bit numbers. */
static knh_operand lane_table(knh_low *l, int s, int copy)
{
    if (class_of(l, s) == KNK_STRIDE_ANY)
        return knh_low_at(l, l->way[s].table + copy * l->form.lanes * 8);
    return numbers(l, l->stream[s].kind == KNH_NUMBER ? copy * l->form.lanes : 0, l->form.lanes, false);
}

static knh_operand scratch(const knh_low *l) { return knh_low_at(l, l->scratch); }
int knh_low_exists(const knh_low *l) { return l->target == KNH_AVX512 ? l->exists.mask : l->exists.mask4; }

/* dst = pred ? yes : no, as the IR's select does it. dst is not one of the others, but may be `no`. */
void knh_low_select(knh_low *l, int dtype, int dst, int pred, knh_operand yes, knh_operand no)
{
    const knk_inst node[3] = {{.op = KNK_LOAD, .dtype = KN_ID_BOOL},
                              {.op = KNK_LOAD, .dtype = (uint8_t)dtype},
                              {.op = KNK_LOAD, .dtype = (uint8_t)dtype}};
    const knk_inst n = {.op = KNK_SELECT, .dtype = (uint8_t)dtype, .a = 0, .b = 1, .c = 2};
    knh_needs needs = knh_emit_needs(&l->form, &n, node);
    temps t = take_temps(l, needs.temps, needs.mask_temps);
    const knh_operand src[3] = {knh_reg(pred), yes, no};
    knh_emit_op(l->a, &l->form, &n, node, dst, src, t.v, t.m, gp_temp);
    give_temps(l, &t);
}

/* Loads. */
static void do_splat(knh_low *l, const knh_item *it, int copy, knh_operand from)
{
    int dtype = l->value[it->def].dtype, dst = knh_low_define(l, it, copy);
    temps t = take_temps(l, 1, 1);
    knh_emit_splat(l->a, &l->form, dtype, dst, from, t.v[0], KNH_RDX);
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

static void load_adjacent(knh_low *l, int dtype, int dst, knh_operand from, const knh_tail *tail)
{
    temps t = take_temps(l, is_small(dtype) ? 2 : 0, 0);
    knh_emit_load(l->a, &l->form, dtype, dst, from, tail, t.v, gp_move, scratch(l));
    give_temps(l, &t);
}

/* The lanes that exist; values for later stages lie in memory of ours. */
static knh_tail exists_in(const knh_low *l, int stream)
{
    knh_tail t = l->exists;
    t.loose = l->stream[stream].kind != KNH_MEMORY;
    return t;
}

static void do_adjacent(knh_low *l, const knh_item *it, int copy)
{
    const knh_value *v = &l->value[it->def];
    if (v->folds && !l->in_tail && l->way[it->stream].reg >= 0) {
        l->state[knh_low_state(l, it->def, copy)] =
            (knh_state){.next = it->first, .slot = it->stream, .reg = -1, .folded = true};
        return;
    }
    int dst = knh_low_define(l, it, copy);
    const knh_tail tail = exists_in(l, it->stream);
    load_adjacent(l, v->dtype, dst, loaded_element(l, it, copy), &tail);
    knh_low_end_item(l, it, copy);
}

/* A load under a predicate, adjacent lanes: the predicate is the mask of the load. */
static void do_masked(knh_low *l, const knh_item *it, int copy, int pred, int other)
{
    const knh_value *v = &l->value[it->def];
    int p = knh_low_need(l, pred, copy), bank = knh_low_bank_of(l, pred), wide = -1;
    knh_tail tail = {.on = true, .may_be_none = true, .mask = p, .mask4 = p};
    int both = l->in_tail ? knh_low_take(l, bank, -1) : -1;
    if (l->in_tail) {
        if (bank)
            knh_v3(l->a, KNH_KANDW, 0, both, p, knh_reg(l->exists.mask));
        else
            knh_v3(l->a, KNH_VPAND, knh_length(&l->form, KN_ID_BOOL), both, p, knh_reg(l->exists.mask4));
        tail.mask = tail.mask4 = both;
    }
    if (!bank && l->form.lanes == 4) {
        tail.mask8 = wide = knh_low_take(l, 0, -1);
        knh_v2(l->a, KNH_VPMOVSXDQ, 1, wide, knh_reg(tail.mask4));
    }
    int no = other >= 0 ? knh_low_need(l, other, copy) : -1, dst = knh_low_define(l, it, copy);
    int loaded = no >= 0 ? knh_low_take(l, v->mask, -1) : dst;
    load_adjacent(l, v->dtype, loaded, loaded_element(l, it, copy), &tail);
    if (no >= 0 && knk_is_half_id(v->dtype)) { /* the IR has no select of these */
        knh_move(l->a, &l->form, v->dtype, dst, no);
        knh_v(l->a, KNH_VMOVDQU16, knh_length(&l->form, v->dtype), dst, 0, knh_reg(loaded), p, false, -1);
    } else if (no >= 0) {
        knh_low_select(l, v->dtype, dst, p, knh_reg(loaded), knh_reg(no));
    }
    if (no >= 0)
        knh_low_give(l, v->mask, loaded);
    if (both >= 0)
        knh_low_give(l, bank, both);
    if (wide >= 0)
        knh_low_give(l, 0, wide);
    knh_low_end_item(l, it, copy);
}

/* A register of lane numbers, in elements from the base: the stream's own, an index, or both. *taken: a temporary. */
static int lane_index(knh_low *l, int s, int copy, int32_t index, bool *taken)
{
    bool zero = class_of(l, s) == KNK_STRIDE_ZERO;
    int i = index >= 0 ? knh_low_need(l, index, copy) : -1;
    *taken = !(zero && i >= 0);
    if (!*taken)
        return i;
    int r = knh_low_take(l, 0, -1), length = knh_length(&l->form, KN_ID_I64);
    if (zero)
        knh_emit_constant(l->a, &l->form, KN_ID_I64, r, 0, KNH_RDX);
    else if (i >= 0)
        knh_v3(l->a, KNH_VPADDQ, length, r, i, lane_table(l, s, copy));
    else
        knh_reload(l->a, &l->form, KN_ID_I64, r, lane_table(l, s, copy));
    return r;
}

/* The register that lane numbers count from. */
static int base_of(knh_low *l, int s, int copy)
{
    if (class_of(l, s) != KNK_STRIDE_ONE)
        return knh_low_pointer(l, s);
    knh_lea(l->a, KNH_R10, knh_low_element(l, s, copy));
    return KNH_R10;
}

/* A near step, and all lanes exist. */
static bool is_near(const knh_low *l, int stream)
{
    return l->near[stream] != 0 && !l->in_tail && l->current_part == KNH_BODY;
}

/* The same, if it turns out that they do. */
static bool may_be_near(const knh_low *l, int stream)
{
    return l->near[stream] != 0 && l->in_tail && l->current_part == KNH_BODY && l->form.lanes == 8;
}

/* In a tail: jumps where some lane does not exist. */
static void if_not_all(knh_low *l, int label)
{
    knh_v2(l->a, KNH_KORTESTB, 0, l->exists.mask, knh_reg(l->exists.mask));
    knh_jump_if(l->a, KNH_IF_AE, label);
}

/* A step apart, and all lanes exist. */
static bool is_apart(const knh_low *l, int stream)
{
    return class_of(l, stream) == KNK_STRIDE_ANY && l->stream[stream].kind == KNH_MEMORY && !l->in_tail &&
           l->current_part == KNH_BODY;
}

/* The address of a copy's first lane to gp_move[0], the step to gp_move[1]. */
static void find_apart(knh_low *l, int s, int copy)
{
    const int base = knh_low_pointer(l, s), first = gp_move[0], step = gp_move[1];
    knh_load(l->a, step, knh_at(KNH_RDI, knh_low_word(s, offsetof(knh_words, lane_step))));
    if (!copy) {
        knh_mov(l->a, first, base);
        return;
    }
    knh_mov_number(l->a, gp_move[2], copy * l->form.lanes);
    knh_imul(l->a, gp_move[2], knh_reg(step));
    knh_lea(l->a, first, knh_at_index(base, gp_move[2], 1, 0));
}

/* index: -1, or a value that is the same for all lanes. */
static void do_apart(knh_low *l, const knh_item *it, int copy, int32_t index)
{
    int moved = index >= 0 ? knh_low_need(l, index, copy) : -1, dst = knh_low_define(l, it, copy);
    temps t = take_temps(l, 3, 0);
    find_apart(l, it->stream, copy);
    if (moved >= 0) {
        knh_v2(l->a, KNH_VMOVQ_ST, 0, moved, knh_reg(gp_move[2]));
        knh_lea(l->a, gp_move[0], knh_at_index(gp_move[0], gp_move[2], 1 << l->way[it->stream].shift, 0));
    }
    knh_emit_load_apart(l->a, &l->form, l->value[it->def].dtype, dst, t.v, gp_move);
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

static knh_operand near_element(knh_low *l, int s, int copy)
{
    return knh_at(knh_low_pointer(l, s), copy * l->form.lanes * l->near[s] * (1 << l->way[s].shift));
}

static void do_gather(knh_low *l, const knh_item *it, int copy, int32_t index, int32_t pred, int32_t other)
{
    const knh_value *v = &l->value[it->def];
    bool taken;
    int at = lane_index(l, it->stream, copy, index, &taken);
    int p = pred >= 0 ? knh_low_need(l, pred, copy) : -1, no = other >= 0 ? knh_low_need(l, other, copy) : -1;
    temps t = take_temps(l, 2, 1);
    int dst = knh_low_define(l, it, copy), some = knh_label(l->a), end = knh_label(l->a);
    bool near = may_be_near(l, it->stream) && index < 0 && p < 0;
    if (near) {
        if_not_all(l, some);
        knh_emit_load_near(l->a, &l->form, v->dtype, l->near[it->stream], dst, near_element(l, it->stream, copy),
                           t.v[0]);
        knh_jump(l->a, end);
        knh_here(l->a, some);
    }
    int base = base_of(l, it->stream, copy);
    knh_emit_gather(l->a, &l->form, v->dtype, dst, base, at, p, no, &l->exists, t.v, t.m, gp_temp, scratch(l));
    knh_here(l->a, end);
    if (!near)
        knh_here(l->a, some);
    give_temps(l, &t);
    if (taken)
        knh_low_give(l, 0, at);
    knh_low_end_item(l, it, copy);
}

/* All lanes are one point: its element, at an index, under a predicate. */
static void do_element(knh_low *l, const knh_item *it, int copy, int32_t index, int32_t pred, int32_t other)
{
    const knh_value *v = &l->value[it->def];
    int skip = knh_label(l->a), at = index >= 0 ? knh_low_need(l, index, copy) : -1,
        p = pred >= 0 ? knh_low_need(l, pred, copy) : -1, no = other >= 0 ? knh_low_need(l, other, copy) : -1;
    temps t = take_temps(l, 1, 0);
    int dst = knh_low_define(l, it, copy);
    if (p >= 0) {
        if (no >= 0)
            knh_move(l->a, &l->form, v->dtype, dst, no);
        else
            knh_emit_constant(l->a, &l->form, v->dtype, dst, 0, KNH_RDX);
        knh_v2(l->a, KNH_VMOVMSKPS, 0, KNH_RDX, knh_reg(p));
        knh_test(l->a, KNH_RDX, KNH_RDX);
        knh_jump_if(l->a, KNH_IF_E, skip);
    }
    int base = knh_low_pointer(l, it->stream);
    knh_operand from = knh_at(base, 0);
    if (at >= 0) {
        knh_v2(l->a, KNH_VMOVQ_ST, 0, at, knh_reg(KNH_RDX));
        from = knh_at_index(base, KNH_RDX, 1 << l->way[it->stream].shift, 0);
    }
    knh_emit_splat(l->a, &l->form, v->dtype, dst, from, t.v[0], KNH_RSI);
    knh_here(l->a, skip);
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

static void do_near(knh_low *l, const knh_item *it, int copy)
{
    int dst = knh_low_define(l, it, copy);
    temps t = take_temps(l, 1, 0);
    knh_emit_load_near(l->a, &l->form, l->value[it->def].dtype, l->near[it->stream], dst,
                       near_element(l, it->stream, copy), t.v[0]);
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

static void do_load(knh_low *l, const knh_item *it, int copy)
{
    const knk_inst *n = &l->node[it->node];
    bool import = it->kind == KNH_ITEM_IMPORT, one = class_of(l, it->stream) == KNK_STRIDE_ONE;
    int32_t index = -1, pred = -1, other = -1;
    int at = 0;
    if (!import) {
        index = n->a >= 0 && it->index < 0 ? it->use[at++] : -1;
        pred = n->b >= 0 ? it->use[at++] : -1;
        other = n->c >= 0 ? it->use[at++] : -1;
    }
    if ((l->value[it->def].kind == KNH_VALUE_UNIFORM || (class_of(l, it->stream) == KNK_STRIDE_ZERO && !import)) &&
        index < 0 && pred < 0 && it->index < 0)
        do_splat(l, it, copy, knh_at(knh_low_pointer(l, it->stream), 0));
    else if (one && index < 0 && pred < 0)
        do_adjacent(l, it, copy);
    else if (is_near(l, it->stream) && index < 0 && pred < 0 && it->index < 0)
        do_near(l, it, copy);
    else if (is_apart(l, it->stream) && is_small(n->dtype) && pred < 0 && it->index < 0 &&
             (index < 0 || l->value[index].kind == KNH_VALUE_UNIFORM))
        do_apart(l, it, copy, index);
    else if (one && index < 0 && (l->target == KNH_AVX512 || knk_size(n->dtype) >= 4))
        do_masked(l, it, copy, pred, other);
    else if (l->single && l->target == KNH_AVX2)
        do_element(l, it, copy, index, pred, other);
    else
        do_gather(l, it, copy, index, pred, other);
}

static void do_index(knh_low *l, const knh_item *it, int copy)
{
    if (l->value[it->def].kind == KNH_VALUE_UNIFORM) {
        do_splat(l, it, copy, knh_at(KNH_RDI, knh_low_word(it->stream, offsetof(knh_words, at))));
        return;
    }
    int dtype = l->value[it->def].dtype, dst = knh_low_define(l, it, copy);
    bool is_short = knk_size(dtype) == 4;
    temps t = take_temps(l, 1, 0);
    knh_emit_splat(l->a, &l->form, dtype, dst, knh_low_at(l, l->way[it->stream].pointer), t.v[0], KNH_RDX);
    give_temps(l, &t);
    if (class_of(l, it->stream) != KNK_STRIDE_ZERO)
        knh_v3(l->a, is_short ? KNH_VPADDD : KNH_VPADDQ, knh_length(&l->form, dtype), dst, dst,
               is_short ? numbers(l, copy * l->form.lanes, l->form.lanes, true) : lane_table(l, it->stream, copy));
    knh_low_end_item(l, it, copy);
}

/* Lanes that lie apart. */
static void store_apart(knh_low *l, const knh_item *it, int copy, int r, const temps *t)
{
    int dtype = l->value[it->use[0]].dtype, end = knh_label(l->a), some = knh_label(l->a);
    bool taken, whole = is_near(l, it->stream), near = may_be_near(l, it->stream);
    int at = whole ? -1 : lane_index(l, it->stream, copy, -1, &taken); /* all registers are taken before the jump */
    if (near)
        if_not_all(l, some);
    if (near || whole)
        knh_emit_store_near(l->a, &l->form, dtype, l->near[it->stream], r, near_element(l, it->stream, copy), t->v,
                            t->m[0], KNH_RDX);
    if (near)
        knh_jump(l->a, end);
    knh_here(l->a, some);
    if (!whole) {
        int base = base_of(l, it->stream, copy);
        knh_emit_scatter(l->a, &l->form, dtype, r, base, at, &l->exists, t->v, gp_temp, scratch(l));
        knh_low_give(l, 0, at);
    }
    knh_here(l->a, end);
}

static void do_store(knh_low *l, const knh_item *it, int copy)
{
    int dtype = l->value[it->use[0]].dtype, r = knh_low_need(l, it->use[0], copy), cls = class_of(l, it->stream);
    bool past = l->r->nontemporal && !l->in_tail && l->stream[it->stream].kind == KNH_MEMORY;
    temps t = take_temps(l, cls == KNK_STRIDE_ONE && !is_small(dtype) ? 0 : 2, l->near[it->stream] != 0);
    if (cls == KNK_STRIDE_ONE) {
        knh_operand to = knh_low_element(l, it->stream, copy);
        const knh_tail tail = exists_in(l, it->stream);
        knh_emit_store(l->a, &l->form, dtype, r, to, &tail, past, t.v, gp_move, scratch(l));
    } else if (cls == KNK_STRIDE_ZERO) {
        knh_emit_store_one(l->a, &l->form, dtype, r, knh_at(knh_low_pointer(l, it->stream), 0), t.v[0], KNH_RDX);
    } else if (is_apart(l, it->stream)) {
        find_apart(l, it->stream, copy);
        knh_emit_store_apart(l->a, &l->form, dtype, r, t.v, gp_move);
    } else {
        store_apart(l, it, copy, r, &t);
    }
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

/* Operations. */
enum { MOST_OPERANDS = 3 };
typedef struct operands {
    knh_operand src[MOST_OPERANDS];
} operands;

/* Which operand stays in memory: one that is not in a register, if the operation takes it so; -1: none. Where operands
 * may change places the first one may be it, too. */
static int memory_operand(const knh_low *l, const knh_item *it, int copy)
{
    const knh_needs *needs = &it->needs;
    for (int j = it->n_use - 1; j >= 0; j--) {
        const knh_value *v = &l->value[it->use[j]];
        const knh_state *s = &l->state[knh_low_state(l, it->use[j], copy)];
        int bits = needs->memory, place = needs->commutes && j == 0 ? 1 : j;
        bool again = false;
        if (s->reg >= 0 || v->mask)
            continue;
        for (int i = 0; i < it->n_use; i++)
            again |= i != j && it->use[i] == it->use[j];
        if (v->kind == KNH_VALUE_CONSTANT)
            bits |= needs->broadcast;
        if (again || !(bits >> place & 1))
            continue;
        if (v->kind == KNH_VALUE_LANE && !s->folded && it->next[j] < KNH_NEVER && (l->bank[0].free & ~l->bank[0].lock))
            continue; /* it is read again: better a register */
        return j;
    }
    return -1;
}

static operands get_operands(knh_low *l, const knh_item *it, int copy)
{
    operands o = {0};
    for (int j = 0; j < it->n_use; j++) { /* those that are in registers stay there */
        const knh_state *s = &l->state[knh_low_state(l, it->use[j], copy)];
        if (s->reg >= 0)
            l->bank[knh_low_bank_of(l, it->use[j])].lock |= 1u << s->reg;
    }
    int m = memory_operand(l, it, copy);
    for (int j = 0; j < it->n_use && j < MOST_OPERANDS;
         j++) /* gcc's bounds warning does not know that n_use is at most 3 */
        if (j != m)
            o.src[j] = knh_reg(knh_low_need(l, it->use[j], copy));
    if (m < 0)
        return o;
    int place = it->needs.commutes && m == 0 ? 1 : m;
    bool constant = l->value[it->use[m]].kind == KNH_VALUE_CONSTANT;
    o.src[m] = knh_low_memory(l, it->use[m], copy, constant && (it->needs.broadcast >> place & 1));
    if (place != m) {
        knh_operand swap = o.src[0];
        o.src[0] = o.src[1];
        o.src[1] = swap;
    }
    return o;
}

static void do_operation(knh_low *l, const knh_item *it, int copy)
{
    operands o = get_operands(l, it, copy);
    temps t = take_temps(l, it->needs.temps, it->needs.mask_temps);
    int dst = knh_low_define(l, it, copy);
    if (it->fused)
        knh_low_emit_fused(l, it, dst, o.src);
    else
        knh_emit_op(l->a, &l->form, &l->node[it->node], l->node, dst, o.src, t.v, t.m, gp_temp);
    give_temps(l, &t);
    knh_low_end_item(l, it, copy);
}

/* Calls. Registers that the callee does not keep are put away: all vectors and masks, and of the others: */
static const int8_t put_away[] = {KNH_RAX, KNH_RCX, KNH_RDI, KNH_R8, KNH_R9};

static void keep(knh_low *l, bool save)
{
    for (int i = 0; i < (int)sizeof put_away; i++) {
        if (save)
            knh_store(l->a, knh_low_at(l, l->saved_area + 8 * i), put_away[i]);
        else
            knh_load(l->a, put_away[i], knh_low_at(l, l->saved_area + 8 * i));
    }
    if (!l->in_tail)
        return;
    if (l->target == KNH_AVX512) {
        knh_operand at = knh_low_at(l, l->saved_area + 64);
        knh_v2(l->a, save ? KNH_KMOVW_ST : KNH_KMOVW, 0, l->exists.mask, at);
        return;
    }
    knh_v2(l->a, save ? KNH_VMOVUPS_ST : KNH_VMOVUPS, 1, l->exists.mask4, knh_low_at(l, l->saved_area + 64));
    if (l->form.lanes == 4)
        knh_v2(l->a, save ? KNH_VMOVUPS_ST : KNH_VMOVUPS, 1, l->exists.mask8, knh_low_at(l, l->saved_area + 96));
}

static knk_loop *loop_of(const knh_low *l, const knk_inst *n)
{
    int row = n->op == KNK_CAST ? KNK_LOOP_OPS + l->node[n->a].dtype : n->op;
    int dtype = n->op == KNK_SELECT || n->op == KNK_CAST ? n->dtype : l->node[n->a].dtype;
    return knk_lane_loop(row, dtype, 0);
}

/* An operation without instructions: through memory and the interpreter's loop for it. */
static void do_call(knh_low *l, const knh_item *it, int copy)
{
    static const int8_t argument[4] = {KNH_RDI, KNH_RSI, KNH_RDX, KNH_RCX};
    const knh_tail all = {.on = false};
    const knk_inst *n = &l->node[it->node];
    knk_loop *loop = loop_of(l, n);
    if (!loop) {
        knh_low_fail(l, "an operation has no loop");
        return;
    }
    for (int j = 0; j < it->n_use; j++) {
        int r = knh_low_need(l, it->use[j], copy), dtype = l->value[it->use[j]].dtype;
        temps t = take_temps(l, is_small(dtype) ? 2 : 0, 0);
        knh_emit_store(l->a, &l->form, dtype, r, knh_low_at(l, l->helper_area + 128 * (j + 1)), &all, false, t.v,
                       gp_temp, scratch(l));
        give_temps(l, &t);
    }
    knh_low_used(l, it, copy);
    knh_low_unlock(l);
    knh_low_spill_all(l);
    keep(l, true);
    for (int i = 0; i < 4; i++)
        knh_lea(l->a, argument[i], knh_low_at(l, l->helper_area + 128 * i));
    knh_mov_number(l->a, KNH_R8, l->form.lanes);
    knh_mov_number(l->a, KNH_RAX, (int64_t)(intptr_t)loop);
    knh_v(l->a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_call_reg(l->a, KNH_RAX);
    keep(l, false);
    int dst = knh_low_define(l, it, copy);
    load_adjacent(l, l->value[it->def].dtype, dst, knh_low_at(l, l->helper_area), &all);
    if (l->current_part != KNH_BODY)
        bring_home(l, it, copy);
    knh_low_defined(l, it, copy);
    knh_low_unlock(l);
}

static void do_item(knh_low *l, const knh_item *it, int copy)
{
    switch ((knh_item_kind)it->kind) {
    case KNH_ITEM_OP: it->needs.helper ? do_call(l, it, copy) : do_operation(l, it, copy); return;
    case KNH_ITEM_IMPORT:
    case KNH_ITEM_LOAD: do_load(l, it, copy); return;
    case KNH_ITEM_INDEX: do_index(l, it, copy); return;
    case KNH_ITEM_STORE: do_store(l, it, copy); return;
    case KNH_ITEM_REDUCE:
        knh_low_reduce(l, it, copy);
        knh_low_end_item(l, it, copy);
        return;
    case KNH_ITEM_COLD:
        knh_low_cold_test(l, it, copy);
        knh_low_end_item(l, it, copy);
        return;
    case KNH_ITEM_USE: knh_low_end_item(l, it, copy); return;
    default: knh_low_turn_item(l, it, copy); return;
    }
}

void knh_low_block(knh_low *l, const knh_list *list, int copies)
{
    l->copy_count = copies;
    for (int p = 0; p < (int)list->item.n && knh_low_fine(l); p++) {
        l->position = p;
        for (int c = 0; c < copies; c++)
            do_item(l, &list->item.at[p], c);
    }
    for (int b = 0; b < 2; b++)
        for (uint32_t in = l->bank[b].usable & ~l->bank[b].free; in; in &= in - 1) {
            int r = __builtin_ctz(in), s = l->bank[b].holds[r];
            if (s >= 0)
                l->state[s].reg = -1;
            knh_low_give(l, b, r);
        }
}
