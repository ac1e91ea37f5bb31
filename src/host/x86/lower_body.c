/* SPDX-License-Identifier: Apache-2.0
 * lower_body.c -- the instructions of one item for one copy: operands to registers or memory, the operation, loads,
 * stores, gathers, calls of the interpreter's loops. */
#include "host/x86/lower_internal.h"

static const int gp_temp[3] = {KNG_RDX, KNG_RSI, KNG_R11};
static const int gp_move[4] = {KNG_R10, KNG_RDX, KNG_RSI, KNG_R11}; /* of loads and stores */

static int class_of(const kng_low *l, int stream) { return l->r->cls[stream]; }

/* Elements that are not whole lanes need temporaries on their way. */
static bool is_small(int dtype) { return knk_size(dtype) < 4; }

typedef struct temps {
    int v[4], m[2], n_v, n_m;
} temps;

static temps take_temps(kng_low *l, int n_v, int n_m)
{
    temps t = {{0, 0, 0, 0}, {0, 0}, n_v < 4 ? n_v : 4, l->target == KNG_AVX512 ? n_m < 2 ? n_m : 2 : 0};
    for (int i = 0; i < t.n_v; i++)
        t.v[i] = kng_low_take(l, 0, -1);
    for (int i = 0; i < t.n_m; i++)
        t.m[i] = kng_low_take(l, 1, -1);
    return t;
}

static void give_temps(kng_low *l, const temps *t)
{
    for (int i = 0; i < t->n_v; i++)
        kng_low_give(l, 0, t->v[i]);
    for (int i = 0; i < t->n_m; i++)
        kng_low_give(l, 1, t->m[i]);
}

/* What the list of the row works out for the lanes goes to its home, for all lanes of theirs; what a cold part works
 * out for the body, to where the body takes it from. */
static void bring_home(kng_low *l, const kng_item *it, int copy)
{
    const kng_value *v = &l->value[it->def];
    int r = l->state[kng_low_state(l, it->def, copy)].reg;
    if (l->current_part > 0 && v->home >= 0) {
        kng_spill(l->a, &l->form, v->dtype, kng_low_at(l, v->input), r);
        return;
    }
    if (l->current_part < 0 && v->single >= 0)
        kng_emit_store_one(l->a, &l->form, v->dtype, r, kng_low_at(l, v->single), -1, KNG_RDX);
    if (l->current_part >= 0 || !v->homed)
        return;
    kng_operand home = kng_low_at(l, v->home);
    if (v->mask && l->lane_form.lanes > l->form.lanes) {
        int both = kng_low_take(l, 1, -1);
        kng_v3(l->a, KNG_KUNPCKBW, 0, both, r, kng_reg(r));
        kng_spill(l->a, &l->form, v->dtype, home, both);
        kng_low_give(l, 1, both);
        return;
    }
    kng_spill(l->a, &l->form, v->dtype, home, r);
    if (l->lane_form.lanes > l->form.lanes && knk_size(v->dtype) < 8) { /* only cold parts read 64-bit lanes then */
        home.disp += l->form.lanes * (knk_is_half_id(v->dtype) ? 2 : 4);
        kng_spill(l->a, &l->form, v->dtype, home, r);
    }
}

void kng_low_end_item(kng_low *l, const kng_item *it, int copy)
{
    if (it->def >= 0 && l->current_part != KNG_BODY)
        bring_home(l, it, copy);
    kng_low_used(l, it, copy);
    if (it->def >= 0)
        kng_low_defined(l, it, copy);
    kng_low_unlock(l);
}

/* Addresses. */
int kng_low_pointer(kng_low *l, int s)
{
    const kng_way *w = &l->way[s];
    if (w->reg >= 0)
        return w->reg;
    kng_load(l->a, KNG_R10,
             w->pointer >= 0 ? kng_low_at(l, w->pointer) : kng_at(KNG_RDI, kng_low_word(s, offsetof(kng_words, at))));
    return KNG_R10;
}

static int piece_of(const kng_low *l, int copy) { return l->block * l->copies + copy; }

kng_operand kng_low_element(kng_low *l, int s, int copy)
{
    int size = 1 << l->way[s].shift;
    return kng_at_index(kng_low_pointer(l, s), KNG_RAX, size, piece_of(l, copy) * l->form.lanes * size);
}

static kng_operand numbers(kng_low *l, int first, int n)
{
    int64_t v[64];
    for (int i = 0; i < n; i++)
        v[i] = first + i;
    return kng_at_pool(kng_pool(l->a, v, n * 8, n * 8));
}

/* The element that an item loads: that of the stream, or one as far from there as the index says. */
static kng_operand loaded_element(kng_low *l, const kng_item *it, int copy)
{
    if (it->index < 0)
        return kng_low_element(l, it->stream, copy);
    const kng_value *v = &l->value[it->index];
    int size = 1 << l->way[it->stream].shift, base = kng_low_pointer(l, it->stream);
    if (v->kind == KNG_VALUE_CONSTANT)
        kng_mov_number(l->a, KNG_RDX, (int64_t)l->node[v->node].imm);
    else
        kng_load(l->a, KNG_RDX, kng_low_at(l, v->single));
    kng_lea(l->a, KNG_R10, kng_at_index(base, KNG_RDX, size, 0));
    return kng_at_index(KNG_R10, KNG_RAX, size, piece_of(l, copy) * l->form.lanes * size);
}

/* Where the lanes of a copy are, in elements: a memory operand of 64-bit numbers. */
static kng_operand lane_table(kng_low *l, int s, int copy)
{
    if (class_of(l, s) == KNK_STRIDE_ANY)
        return kng_low_at(l, l->way[s].table + copy * l->form.lanes * 8);
    return numbers(l, l->stream[s].kind == KNG_NUMBER ? copy * l->form.lanes : 0, l->form.lanes);
}

static kng_operand scratch(const kng_low *l) { return kng_low_at(l, l->scratch); }
int kng_low_exists(const kng_low *l) { return l->target == KNG_AVX512 ? l->exists.mask : l->exists.mask4; }

/* dst = pred ? yes : no, as the IR's select does it. dst is not one of the others, but may be `no`. */
void kng_low_select(kng_low *l, int dtype, int dst, int pred, kng_operand yes, kng_operand no)
{
    const knk_inst node[3] = {{.op = KNK_LOAD, .dtype = KN_ID_BOOL},
                              {.op = KNK_LOAD, .dtype = (uint8_t)dtype},
                              {.op = KNK_LOAD, .dtype = (uint8_t)dtype}};
    const knk_inst n = {.op = KNK_SELECT, .dtype = (uint8_t)dtype, .a = 0, .b = 1, .c = 2};
    kng_needs needs = kng_emit_needs(&l->form, &n, node);
    temps t = take_temps(l, needs.temps, needs.mask_temps);
    const kng_operand src[3] = {kng_reg(pred), yes, no};
    kng_emit_op(l->a, &l->form, &n, node, dst, src, t.v, t.m, gp_temp);
    give_temps(l, &t);
}

/* Loads. */
static void do_splat(kng_low *l, const kng_item *it, int copy, kng_operand from)
{
    int dtype = l->value[it->def].dtype, dst = kng_low_define(l, it, copy);
    temps t = take_temps(l, 1, 1);
    kng_emit_splat(l->a, &l->form, dtype, dst, from, t.v[0], KNG_RDX);
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

static void load_adjacent(kng_low *l, int dtype, int dst, kng_operand from, const kng_tail *tail)
{
    temps t = take_temps(l, is_small(dtype) ? 2 : 0, 0);
    kng_emit_load(l->a, &l->form, dtype, dst, from, tail, t.v, gp_move, scratch(l));
    give_temps(l, &t);
}

/* The lanes that exist; values for later stages lie in memory of ours. */
static kng_tail exists_in(const kng_low *l, int stream)
{
    kng_tail t = l->exists;
    t.loose = l->stream[stream].kind != KNG_MEMORY;
    return t;
}

static void do_adjacent(kng_low *l, const kng_item *it, int copy)
{
    const kng_value *v = &l->value[it->def];
    if (v->folds && !l->in_tail && l->way[it->stream].reg >= 0) {
        l->state[kng_low_state(l, it->def, copy)] =
            (kng_state){.next = it->first, .slot = it->stream, .reg = -1, .folded = true};
        return;
    }
    int dst = kng_low_define(l, it, copy);
    const kng_tail tail = exists_in(l, it->stream);
    load_adjacent(l, v->dtype, dst, loaded_element(l, it, copy), &tail);
    kng_low_end_item(l, it, copy);
}

/* A load under a predicate, adjacent lanes: the predicate is the mask of the load. */
static void do_masked(kng_low *l, const kng_item *it, int copy, int pred, int other)
{
    const kng_value *v = &l->value[it->def];
    int p = kng_low_need(l, pred, copy), bank = kng_low_bank_of(l, pred), wide = -1;
    kng_tail tail = {.on = true, .may_be_none = true, .mask = p, .mask4 = p};
    int both = l->in_tail ? kng_low_take(l, bank, -1) : -1;
    if (l->in_tail) {
        if (bank)
            kng_v3(l->a, KNG_KANDW, 0, both, p, kng_reg(l->exists.mask));
        else
            kng_v3(l->a, KNG_VPAND, kng_length(&l->form, KN_ID_BOOL), both, p, kng_reg(l->exists.mask4));
        tail.mask = tail.mask4 = both;
    }
    if (!bank && l->form.lanes == 4) {
        tail.mask8 = wide = kng_low_take(l, 0, -1);
        kng_v2(l->a, KNG_VPMOVSXDQ, 1, wide, kng_reg(tail.mask4));
    }
    int no = other >= 0 ? kng_low_need(l, other, copy) : -1, dst = kng_low_define(l, it, copy);
    int loaded = no >= 0 ? kng_low_take(l, v->mask, -1) : dst;
    load_adjacent(l, v->dtype, loaded, loaded_element(l, it, copy), &tail);
    if (no >= 0 && knk_is_half_id(v->dtype)) { /* the IR has no select of these */
        kng_move(l->a, &l->form, v->dtype, dst, no);
        kng_v(l->a, KNG_VMOVDQU16, kng_length(&l->form, v->dtype), dst, 0, kng_reg(loaded), p, false, -1);
    } else if (no >= 0) {
        kng_low_select(l, v->dtype, dst, p, kng_reg(loaded), kng_reg(no));
    }
    if (no >= 0)
        kng_low_give(l, v->mask, loaded);
    if (both >= 0)
        kng_low_give(l, bank, both);
    if (wide >= 0)
        kng_low_give(l, 0, wide);
    kng_low_end_item(l, it, copy);
}

/* A register of lane numbers, in elements from the base: the stream's own, an index, or both. *taken: a temporary. */
static int lane_index(kng_low *l, int s, int copy, int32_t index, bool *taken)
{
    bool zero = class_of(l, s) == KNK_STRIDE_ZERO;
    int i = index >= 0 ? kng_low_need(l, index, copy) : -1;
    *taken = !(zero && i >= 0);
    if (!*taken)
        return i;
    int r = kng_low_take(l, 0, -1), length = kng_length(&l->form, KN_ID_I64);
    if (zero)
        kng_emit_constant(l->a, &l->form, KN_ID_I64, r, 0, KNG_RDX);
    else if (i >= 0)
        kng_v3(l->a, KNG_VPADDQ, length, r, i, lane_table(l, s, copy));
    else
        kng_reload(l->a, &l->form, KN_ID_I64, r, lane_table(l, s, copy));
    return r;
}

/* The register that lane numbers count from. */
static int base_of(kng_low *l, int s, int copy)
{
    if (class_of(l, s) != KNK_STRIDE_ONE)
        return kng_low_pointer(l, s);
    kng_lea(l->a, KNG_R10, kng_low_element(l, s, copy));
    return KNG_R10;
}

/* Every second element, and all lanes exist: where the piece of a copy begins. */
static bool is_second(const kng_low *l, int stream)
{
    return l->second[stream] && !l->in_tail && l->current_part == KNG_BODY;
}

/* The same, if it turns out that they do. */
static bool may_be_second(const kng_low *l, int stream)
{
    return l->second[stream] && l->in_tail && l->current_part == KNG_BODY && l->form.lanes == 8;
}

/* In a tail: jumps where some lane does not exist. */
static void if_not_all(kng_low *l, int label)
{
    kng_v2(l->a, KNG_KORTESTB, 0, l->exists.mask, kng_reg(l->exists.mask));
    kng_jump_if(l->a, KNG_IF_AE, label);
}

/* A step apart, and all lanes exist. */
static bool is_apart(const kng_low *l, int stream)
{
    return class_of(l, stream) == KNK_STRIDE_ANY && l->stream[stream].kind == KNG_MEMORY && !l->in_tail &&
           l->current_part == KNG_BODY;
}

/* The address of a copy's first lane to gp_move[0], the step to gp_move[1]. */
static void find_apart(kng_low *l, int s, int copy)
{
    const int base = kng_low_pointer(l, s), first = gp_move[0], step = gp_move[1];
    kng_load(l->a, step, kng_at(KNG_RDI, kng_low_word(s, offsetof(kng_words, lane_step))));
    if (!copy) {
        kng_mov(l->a, first, base);
        return;
    }
    kng_mov_number(l->a, gp_move[2], copy * l->form.lanes);
    kng_imul(l->a, gp_move[2], kng_reg(step));
    kng_lea(l->a, first, kng_at_index(base, gp_move[2], 1, 0));
}

/* index: -1, or a value that is the same for all lanes. */
static void do_apart(kng_low *l, const kng_item *it, int copy, int32_t index)
{
    int moved = index >= 0 ? kng_low_need(l, index, copy) : -1, dst = kng_low_define(l, it, copy);
    temps t = take_temps(l, 3, 0);
    find_apart(l, it->stream, copy);
    if (moved >= 0) {
        kng_v2(l->a, KNG_VMOVQ_ST, 0, moved, kng_reg(gp_move[2]));
        kng_lea(l->a, gp_move[0], kng_at_index(gp_move[0], gp_move[2], 1 << l->way[it->stream].shift, 0));
    }
    kng_emit_load_apart(l->a, &l->form, l->value[it->def].dtype, dst, t.v, gp_move);
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

static kng_operand second_element(kng_low *l, int s, int copy)
{
    return kng_at(kng_low_pointer(l, s), copy * l->form.lanes * 2 << l->way[s].shift);
}

static void do_gather(kng_low *l, const kng_item *it, int copy, int32_t index, int32_t pred, int32_t other)
{
    const kng_value *v = &l->value[it->def];
    bool taken;
    int at = lane_index(l, it->stream, copy, index, &taken);
    int p = pred >= 0 ? kng_low_need(l, pred, copy) : -1, no = other >= 0 ? kng_low_need(l, other, copy) : -1;
    temps t = take_temps(l, 2, 1);
    int dst = kng_low_define(l, it, copy), some = kng_label(l->a), end = kng_label(l->a);
    bool second = may_be_second(l, it->stream) && index < 0 && p < 0;
    if (second) {
        if_not_all(l, some);
        kng_emit_load_second(l->a, &l->form, v->dtype, dst, second_element(l, it->stream, copy), t.v[0]);
        kng_jump(l->a, end);
        kng_here(l->a, some);
    }
    int base = base_of(l, it->stream, copy);
    kng_emit_gather(l->a, &l->form, v->dtype, dst, base, at, p, no, &l->exists, t.v, t.m, gp_temp, scratch(l));
    kng_here(l->a, end);
    if (!second)
        kng_here(l->a, some);
    give_temps(l, &t);
    if (taken)
        kng_low_give(l, 0, at);
    kng_low_end_item(l, it, copy);
}

/* All lanes are one point: its element, at an index, under a predicate. */
static void do_element(kng_low *l, const kng_item *it, int copy, int32_t index, int32_t pred, int32_t other)
{
    const kng_value *v = &l->value[it->def];
    int skip = kng_label(l->a), at = index >= 0 ? kng_low_need(l, index, copy) : -1,
        p = pred >= 0 ? kng_low_need(l, pred, copy) : -1, no = other >= 0 ? kng_low_need(l, other, copy) : -1;
    temps t = take_temps(l, 1, 0);
    int dst = kng_low_define(l, it, copy);
    if (p >= 0) {
        if (no >= 0)
            kng_move(l->a, &l->form, v->dtype, dst, no);
        else
            kng_emit_constant(l->a, &l->form, v->dtype, dst, 0, KNG_RDX);
        kng_v2(l->a, KNG_VMOVMSKPS, 0, KNG_RDX, kng_reg(p));
        kng_test(l->a, KNG_RDX, KNG_RDX);
        kng_jump_if(l->a, KNG_IF_E, skip);
    }
    int base = kng_low_pointer(l, it->stream);
    kng_operand from = kng_at(base, 0);
    if (at >= 0) {
        kng_v2(l->a, KNG_VMOVQ_ST, 0, at, kng_reg(KNG_RDX));
        from = kng_at_index(base, KNG_RDX, 1 << l->way[it->stream].shift, 0);
    }
    kng_emit_splat(l->a, &l->form, v->dtype, dst, from, t.v[0], KNG_RSI);
    kng_here(l->a, skip);
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

static void do_second(kng_low *l, const kng_item *it, int copy)
{
    int dst = kng_low_define(l, it, copy);
    temps t = take_temps(l, 1, 0);
    kng_emit_load_second(l->a, &l->form, l->value[it->def].dtype, dst, second_element(l, it->stream, copy), t.v[0]);
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

static void do_load(kng_low *l, const kng_item *it, int copy)
{
    const knk_inst *n = &l->node[it->node];
    bool import = it->kind == KNG_ITEM_IMPORT, one = class_of(l, it->stream) == KNK_STRIDE_ONE;
    int32_t index = -1, pred = -1, other = -1;
    int at = 0;
    if (!import) {
        index = n->a >= 0 && it->index < 0 ? it->use[at++] : -1;
        pred = n->b >= 0 ? it->use[at++] : -1;
        other = n->c >= 0 ? it->use[at++] : -1;
    }
    if ((l->value[it->def].kind == KNG_VALUE_UNIFORM || (class_of(l, it->stream) == KNK_STRIDE_ZERO && !import)) &&
        index < 0 && pred < 0 && it->index < 0)
        do_splat(l, it, copy, kng_at(kng_low_pointer(l, it->stream), 0));
    else if (one && index < 0 && pred < 0)
        do_adjacent(l, it, copy);
    else if (is_second(l, it->stream) && index < 0 && pred < 0 && it->index < 0)
        do_second(l, it, copy);
    else if (is_apart(l, it->stream) && is_small(n->dtype) && pred < 0 && it->index < 0 &&
             (index < 0 || l->value[index].kind == KNG_VALUE_UNIFORM))
        do_apart(l, it, copy, index);
    else if (one && index < 0 && (l->target == KNG_AVX512 || knk_size(n->dtype) >= 4))
        do_masked(l, it, copy, pred, other);
    else if (l->single && l->target == KNG_AVX2)
        do_element(l, it, copy, index, pred, other);
    else
        do_gather(l, it, copy, index, pred, other);
}

static void do_index(kng_low *l, const kng_item *it, int copy)
{
    if (l->value[it->def].kind == KNG_VALUE_UNIFORM) {
        do_splat(l, it, copy, kng_at(KNG_RDI, kng_low_word(it->stream, offsetof(kng_words, at))));
        return;
    }
    int dst = kng_low_define(l, it, copy);
    temps t = take_temps(l, 1, 0);
    kng_emit_splat(l->a, &l->form, KN_ID_I64, dst, kng_low_at(l, l->way[it->stream].pointer), t.v[0], KNG_RDX);
    give_temps(l, &t);
    if (class_of(l, it->stream) != KNK_STRIDE_ZERO)
        kng_v3(l->a, KNG_VPADDQ, kng_length(&l->form, KN_ID_I64), dst, dst, lane_table(l, it->stream, copy));
    kng_low_end_item(l, it, copy);
}

/* Lanes that lie apart. */
static void store_apart(kng_low *l, const kng_item *it, int copy, int r, const temps *t)
{
    int dtype = l->value[it->use[0]].dtype, end = kng_label(l->a), some = kng_label(l->a);
    bool taken, whole = is_second(l, it->stream), second = may_be_second(l, it->stream);
    int at = whole ? -1 : lane_index(l, it->stream, copy, -1, &taken); /* all registers are taken before the jump */
    if (second)
        if_not_all(l, some);
    if (second || whole)
        kng_emit_store_second(l->a, &l->form, dtype, r, second_element(l, it->stream, copy), t->v, t->m[0], KNG_RDX);
    if (second)
        kng_jump(l->a, end);
    kng_here(l->a, some);
    if (!whole) {
        int base = base_of(l, it->stream, copy);
        kng_emit_scatter(l->a, &l->form, dtype, r, base, at, &l->exists, t->v, gp_temp, scratch(l));
        kng_low_give(l, 0, at);
    }
    kng_here(l->a, end);
}

static void do_store(kng_low *l, const kng_item *it, int copy)
{
    int dtype = l->value[it->use[0]].dtype, r = kng_low_need(l, it->use[0], copy), cls = class_of(l, it->stream);
    bool past = l->r->nontemporal && !l->in_tail && l->stream[it->stream].kind == KNG_MEMORY;
    temps t = take_temps(l, cls == KNK_STRIDE_ONE && !is_small(dtype) ? 0 : 2, l->second[it->stream]);
    if (cls == KNK_STRIDE_ONE) {
        kng_operand to = kng_low_element(l, it->stream, copy);
        const kng_tail tail = exists_in(l, it->stream);
        kng_emit_store(l->a, &l->form, dtype, r, to, &tail, past, t.v, gp_move, scratch(l));
    } else if (cls == KNK_STRIDE_ZERO) {
        kng_emit_store_one(l->a, &l->form, dtype, r, kng_at(kng_low_pointer(l, it->stream), 0), t.v[0], KNG_RDX);
    } else if (is_apart(l, it->stream)) {
        find_apart(l, it->stream, copy);
        kng_emit_store_apart(l->a, &l->form, dtype, r, t.v, gp_move);
    } else {
        store_apart(l, it, copy, r, &t);
    }
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

/* Operations. */
enum { MOST_OPERANDS = 3 };
typedef struct operands {
    kng_operand src[MOST_OPERANDS];
} operands;

/* Which operand stays in memory: one that is not in a register, if the operation takes it so; -1: none. Where operands
 * may change places the first one may be it, too. */
static int memory_operand(const kng_low *l, const kng_item *it, int copy)
{
    const kng_needs *needs = &it->needs;
    for (int j = it->n_use - 1; j >= 0; j--) {
        const kng_value *v = &l->value[it->use[j]];
        const kng_state *s = &l->state[kng_low_state(l, it->use[j], copy)];
        int bits = needs->memory, place = needs->commutes && j == 0 ? 1 : j;
        bool again = false;
        if (s->reg >= 0 || v->mask)
            continue;
        for (int i = 0; i < it->n_use; i++)
            again |= i != j && it->use[i] == it->use[j];
        if (v->kind == KNG_VALUE_CONSTANT)
            bits |= needs->broadcast;
        if (again || !(bits >> place & 1))
            continue;
        if (v->kind == KNG_VALUE_LANE && !s->folded && it->next[j] < KNG_NEVER && (l->bank[0].free & ~l->bank[0].lock))
            continue; /* it is read again: better a register */
        return j;
    }
    return -1;
}

static operands get_operands(kng_low *l, const kng_item *it, int copy)
{
    operands o = {0};
    for (int j = 0; j < it->n_use; j++) { /* those that are in registers stay there */
        const kng_state *s = &l->state[kng_low_state(l, it->use[j], copy)];
        if (s->reg >= 0)
            l->bank[kng_low_bank_of(l, it->use[j])].lock |= 1u << s->reg;
    }
    int m = memory_operand(l, it, copy);
    for (int j = 0; j < it->n_use && j < MOST_OPERANDS;
         j++) /* gcc's bounds warning does not know that n_use is at most 3 */
        if (j != m)
            o.src[j] = kng_reg(kng_low_need(l, it->use[j], copy));
    if (m < 0)
        return o;
    int place = it->needs.commutes && m == 0 ? 1 : m;
    bool constant = l->value[it->use[m]].kind == KNG_VALUE_CONSTANT;
    o.src[m] = kng_low_memory(l, it->use[m], copy, constant && (it->needs.broadcast >> place & 1));
    if (place != m) {
        kng_operand swap = o.src[0];
        o.src[0] = o.src[1];
        o.src[1] = swap;
    }
    return o;
}

static void do_operation(kng_low *l, const kng_item *it, int copy)
{
    operands o = get_operands(l, it, copy);
    temps t = take_temps(l, it->needs.temps, it->needs.mask_temps);
    int dst = kng_low_define(l, it, copy);
    if (it->fused)
        kng_low_emit_fused(l, it, dst, o.src);
    else
        kng_emit_op(l->a, &l->form, &l->node[it->node], l->node, dst, o.src, t.v, t.m, gp_temp);
    give_temps(l, &t);
    kng_low_end_item(l, it, copy);
}

/* Calls. Registers that the callee does not keep are put away: all vectors and masks, and of the others: */
static const int8_t put_away[] = {KNG_RAX, KNG_RCX, KNG_RDI, KNG_R8, KNG_R9};

static void keep(kng_low *l, bool save)
{
    for (int i = 0; i < (int)sizeof put_away; i++) {
        if (save)
            kng_store(l->a, kng_low_at(l, l->saved_area + 8 * i), put_away[i]);
        else
            kng_load(l->a, put_away[i], kng_low_at(l, l->saved_area + 8 * i));
    }
    if (!l->in_tail)
        return;
    if (l->target == KNG_AVX512) {
        kng_operand at = kng_low_at(l, l->saved_area + 64);
        kng_v2(l->a, save ? KNG_KMOVW_ST : KNG_KMOVW, 0, l->exists.mask, at);
        return;
    }
    kng_v2(l->a, save ? KNG_VMOVUPS_ST : KNG_VMOVUPS, 1, l->exists.mask4, kng_low_at(l, l->saved_area + 64));
    if (l->form.lanes == 4)
        kng_v2(l->a, save ? KNG_VMOVUPS_ST : KNG_VMOVUPS, 1, l->exists.mask8, kng_low_at(l, l->saved_area + 96));
}

static knk_loop *loop_of(const kng_low *l, const knk_inst *n)
{
    int row = n->op == KNK_CAST ? KNK_LOOP_OPS + l->node[n->a].dtype : n->op;
    int dtype = n->op == KNK_SELECT || n->op == KNK_CAST ? n->dtype : l->node[n->a].dtype;
    return knk_lane_loop(row, dtype, 0);
}

/* An operation without instructions: through memory and the interpreter's loop for it. */
static void do_call(kng_low *l, const kng_item *it, int copy)
{
    static const int8_t argument[4] = {KNG_RDI, KNG_RSI, KNG_RDX, KNG_RCX};
    const kng_tail all = {.on = false};
    const knk_inst *n = &l->node[it->node];
    knk_loop *loop = loop_of(l, n);
    if (!loop) {
        kng_low_fail(l, "an operation has no loop");
        return;
    }
    for (int j = 0; j < it->n_use; j++) {
        int r = kng_low_need(l, it->use[j], copy), dtype = l->value[it->use[j]].dtype;
        temps t = take_temps(l, is_small(dtype) ? 2 : 0, 0);
        kng_emit_store(l->a, &l->form, dtype, r, kng_low_at(l, l->helper_area + 128 * (j + 1)), &all, false, t.v,
                       gp_temp, scratch(l));
        give_temps(l, &t);
    }
    kng_low_used(l, it, copy);
    kng_low_unlock(l);
    kng_low_spill_all(l);
    keep(l, true);
    for (int i = 0; i < 4; i++)
        kng_lea(l->a, argument[i], kng_low_at(l, l->helper_area + 128 * i));
    kng_mov_number(l->a, KNG_R8, l->form.lanes);
    kng_mov_number(l->a, KNG_RAX, (int64_t)(intptr_t)loop);
    kng_v(l->a, KNG_VZEROUPPER, 0, 0, 0, kng_reg(0), 0, false, -1);
    kng_call_reg(l->a, KNG_RAX);
    keep(l, false);
    int dst = kng_low_define(l, it, copy);
    load_adjacent(l, l->value[it->def].dtype, dst, kng_low_at(l, l->helper_area), &all);
    if (l->current_part != KNG_BODY)
        bring_home(l, it, copy);
    kng_low_defined(l, it, copy);
    kng_low_unlock(l);
}

static void do_item(kng_low *l, const kng_item *it, int copy)
{
    switch ((kng_item_kind)it->kind) {
    case KNG_ITEM_OP: it->needs.helper ? do_call(l, it, copy) : do_operation(l, it, copy); return;
    case KNG_ITEM_IMPORT:
    case KNG_ITEM_LOAD: do_load(l, it, copy); return;
    case KNG_ITEM_INDEX: do_index(l, it, copy); return;
    case KNG_ITEM_STORE: do_store(l, it, copy); return;
    case KNG_ITEM_REDUCE:
        kng_low_reduce(l, it, copy);
        kng_low_end_item(l, it, copy);
        return;
    case KNG_ITEM_COLD:
        kng_low_cold_test(l, it, copy);
        kng_low_end_item(l, it, copy);
        return;
    case KNG_ITEM_USE: kng_low_end_item(l, it, copy); return;
    default: kng_low_turn_item(l, it, copy); return;
    }
}

void kng_low_block(kng_low *l, const kng_list *list, int copies)
{
    l->copy_count = copies;
    for (int p = 0; p < (int)list->item.n && kng_low_fine(l); p++) {
        l->position = p;
        for (int c = 0; c < copies; c++)
            do_item(l, &list->item.at[p], c);
    }
    for (int b = 0; b < 2; b++)
        for (uint32_t in = l->bank[b].usable & ~l->bank[b].free; in; in &= in - 1) {
            int r = __builtin_ctz(in), s = l->bank[b].holds[r];
            if (s >= 0)
                l->state[s].reg = -1;
            kng_low_give(l, b, r);
        }
}
