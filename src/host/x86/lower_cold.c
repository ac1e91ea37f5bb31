/* SPDX-License-Identifier: Apache-2.0
 * lower_cold.c -- what only the cold side of selects needs: subroutines behind the function that all copies and the
 * tail share, the test whether any lane needs them, and the way there. */
#include "host/x86/lower_internal.h"

/* One sweep from users to operands: a node lies in a region if all of its users do, or are cold selects of the region's
 * predicate that read it as their cold side. Loads and indices depend on the copy and stay outside. */
void knh_low_find_regions(knh_low *l)
{
    const knk_stage *st = &l->k->stage[l->r->stage];
    int n = st->end - st->first, regions = 0;
    int32_t *region = l->region, *own = region + n + 1, *by_predicate; /* [of lanes, of the row][predicate] */
    by_predicate = knx_arena_zero(&l->arena, (size_t)(n + 1) * 2 * sizeof *by_predicate);
    int8_t *level = knx_arena_alloc(&l->arena, (size_t)n + 2); /* of a region */
    if (!by_predicate || !level) {
        l->no_memory = true;
        return;
    }
    for (int i = 0; i < n; i++)
        region[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        const knk_inst *x = &l->node[st->first + i];
        uint8_t f = l->flags[i];
        if (region[i] < 0 || x->op == KNK_LOAD || x->op == KNK_INDEX || x->op == KNK_STORE || x->op == KNK_REDUCE ||
            x->op >= KNK_LOOP || (f & KNH_NODE_EXPORTED))
            region[i] = 0;
        if (!(f & KNH_NODE_LIVE))
            continue;
        bool row = f & KNH_NODE_UNIFORM;
        int32_t mine = region[i], cold = mine;
        int predicate = x->a - st->first;
        if (x->op == KNK_SELECT && x->sub == 1 && !mine && predicate >= 0) {
            int32_t *r = &by_predicate[row * (n + 1) + predicate];
            if (!*r || level[*r] != knh_low_level(l, st->first + i)) {
                *r = ++regions;
                level[*r] = (int8_t)knh_low_level(l, st->first + i);
            }
            cold = own[i] = *r;
        }
        for (int j = 0; j < 3; j++) {
            int at = knk_operand(x, j) - st->first;
            if (at < 0)
                continue;
            bool other = row != !!(l->flags[at] & KNH_NODE_UNIFORM) ||
                         knh_low_level(l, st->first + at) != knh_low_level(l, st->first + i);
            int32_t here = other ? 0 : j == 1 ? cold : mine;
            region[at] = region[at] < 0 || region[at] == here ? here : 0;
        }
    }
}

/* Where the inputs of the part are for this copy now is written down for the stub. */
static void add_stub(knh_low *l, int number, int copy, int label, int back)
{
    const knh_part *p = &l->part.at[number];
    uint32_t vectors = l->target == KNH_AVX512 ? 0xffffffffu : 0xffffu, masks = l->target == KNH_AVX512 ? 0xfeu : 0;
    knh_stub stub = {.part = (int16_t)number,
                     .copy = (int8_t)copy,
                     .label = label,
                     .back = back,
                     .at = (int32_t)l->where.n,
                     .live = {vectors & ~l->bank[0].free, masks & ~l->bank[1].free}};
    for (int i = 0; i < p->n_input; i++) {
        const knh_value *v = &l->value[p->input[i]];
        const knh_state *s = &l->state[knh_low_state(l, p->input[i], copy)];
        int32_t at = s->reg >= 0   ? s->reg
                     : v->homed    ? -1 - v->home
                     : v->resident ? -1 - (v->kept + copy * l->spill_step)
                     : v->part > 0 ? -1 - (l->result_base + copy * l->result_bytes + v->home)
                                   : -1 - s->slot;
        if (!KN_VEC_PUSH(&l->where, at))
            l->no_memory = true;
    }
    if (!KN_VEC_PUSH(&l->stub, stub))
        l->no_memory = true;
}

void knh_low_cold_test(knh_low *l, const knh_item *it, int copy)
{
    int p = knh_low_need(l, it->use[0], copy), bank = knh_low_bank_of(l, it->use[0]), tested = p;
    int label = knh_label(l->a), back = knh_label(l->a);
    if (l->in_tail) {
        tested = knh_low_take(l, bank, -1);
        if (bank)
            knh_v3(l->a, KNH_KANDW, 0, tested, p, knh_reg(l->exists.mask));
        else
            knh_v3(l->a, KNH_VPAND, knh_length(&l->form, KN_ID_BOOL), tested, p, knh_reg(l->exists.mask4));
    }
    knh_emit_any(l->a, &l->form, tested, KNH_RDX);
    knh_jump_if(l->a, KNH_IF_NE, label);
    knh_here(l->a, back);
    if (tested != p)
        knh_low_give(l, bank, tested);
    add_stub(l, it->part, copy, label, back);
}

static const knh_form *caller_of(const knh_low *l, const knh_part *p) { return p->row ? &l->row_form : &l->lane_form; }

int knh_low_value_room(const knh_low *l, const knh_part *p, int dtype)
{
    int bytes = caller_of(l, p)->lanes * knk_size(dtype);
    return bytes > l->spill_step ? bytes : l->spill_step;
}

enum { PLACE = 128 }; /* 16 lanes of 64 bits */

/* Where the part finds its inputs and leaves its results, in places that all parts share. Returns how many. */
static int place_values(knh_low *l, const knh_part *p)
{
    int n = 0;
    for (int i = 0; i < p->n_input; i++)
        l->value[p->input[i]].input = l->part_area + PLACE * n++;
    for (size_t i = 0; i < p->list.item.n; i++) {
        knh_value *v = &l->value[p->list.item.at[i].def];
        if (v->home >= 0)
            v->input = l->part_area + PLACE * n++;
    }
    return n;
}

void knh_low_lay_out_parts(knh_low *l)
{
    int most = 0;
    if (l->part.n < 2)
        return;
    l->save_area = knh_low_frame(l, 32 * 64 + 64, 64);
    for (size_t p = 1; p < l->part.n; p++) {
        int n = place_values(l, &l->part.at[p]);
        most = n > most ? n : most;
        l->part.at[p].label = knh_label(l->a);
    }
    l->part_area = knh_low_frame(l, PLACE * most, 64);
}

static void copy_bytes(knh_low *l, knh_operand to, knh_operand from, int bytes)
{
    for (int i = 0; i < bytes; i += 8, to.disp += 8, from.disp += 8) {
        knh_load(l->a, KNH_RDX, from);
        knh_store(l->a, to, KNH_RDX);
    }
}

/* Stores or loads the registers that are in use and that the part changes. */
static void keep(knh_low *l, const knh_stub *s, bool save)
{
    const knh_part *p = &l->part.at[s->part];
    int length = l->target == KNH_AVX512 ? 2 : 1;
    for (uint32_t in = s->live[0] & p->changes[0]; in; in &= in - 1) {
        int r = __builtin_ctz(in);
        knh_v2(l->a, save ? KNH_VMOVUPS_ST : KNH_VMOVUPS, length, r, knh_low_at(l, l->save_area + r * 64));
    }
    for (uint32_t in = s->live[1] & p->changes[1]; in; in &= in - 1) {
        int r = __builtin_ctz(in);
        knh_v2(l->a, save ? KNH_KMOVW_ST : KNH_KMOVW, 0, r, knh_low_at(l, l->save_area + 32 * 64 + r * 8));
    }
}

static void emit_stub(knh_low *l, const knh_stub *s)
{
    const knh_part *p = &l->part.at[s->part];
    place_values(l, p);
    knh_here(l->a, s->label);
    for (int i = 0; i < p->n_input; i++) {
        const knh_value *v = &l->value[p->input[i]];
        int32_t at = l->where.at[s->at + i];
        if (at >= 0)
            knh_spill(l->a, caller_of(l, p), v->dtype, knh_low_at(l, v->input), at);
        else
            copy_bytes(l, knh_low_at(l, v->input), knh_low_at(l, -1 - at),
                       v->mask ? 8 : knh_low_value_room(l, p, v->dtype));
    }
    keep(l, s, true);
    knh_lea(l->a, KNH_R11, knh_low_at(l, l->result_base + s->copy * l->result_bytes));
    knh_call(l->a, p->label);
    keep(l, s, false);
    knh_jump(l->a, s->back);
}

/* Bytes of the values of one form's lanes, as they lie behind each other in a longer register. */
static int bytes_of(const knh_form *f, int dtype)
{
    return f->lanes * (knk_size(dtype) == 8 ? 8 : knk_is_half_id(dtype) ? 2 : 4);
}

/* From where the part left its results to the results of the copy (R11). */
static void hand_results(knh_low *l, const knh_part *p, bool second)
{
    for (size_t i = 0; i < p->list.item.n; i++) {
        const knh_value *v = &l->value[p->list.item.at[i].def];
        if (v->home < 0)
            continue;
        if (v->mask) {
            knh_v2(l->a, KNH_KMOVW, 0, 1, knh_low_at(l, v->input));
            if (p->form.lanes == caller_of(l, p)->lanes)
                knh_v(l->a, KNH_KMOVW_ST, 0, 1, 0, knh_at(KNH_R11, v->home), 0, false, -1);
            else
                knh_v(l->a, KNH_KMOVB_ST, 0, 1, 0, knh_at(KNH_R11, v->home + second), 0, false, -1);
            continue;
        }
        knh_reload(l->a, &p->form, v->dtype, 0, knh_low_at(l, v->input));
        knh_spill(l->a, &p->form, v->dtype, knh_at(KNH_R11, v->home + (second ? bytes_of(&p->form, v->dtype) : 0)), 0);
    }
}

static void take_upper_halves(knh_low *l, const knh_part *p)
{
    for (int i = 0; i < p->n_input; i++) {
        const knh_value *v = &l->value[p->input[i]];
        if (v->mask) {
            knh_v2(l->a, KNH_KMOVB, 0, 1, knh_low_at(l, v->input + 1));
            knh_v(l->a, KNH_KMOVW_ST, 0, 1, 0, knh_low_at(l, v->input), 0, false, -1);
            continue;
        }
        knh_reload(l->a, &p->form, v->dtype, 0, knh_low_at(l, v->input + bytes_of(&p->form, v->dtype)));
        knh_spill(l->a, &p->form, v->dtype, knh_low_at(l, v->input), 0);
    }
}

/* The part as a subroutine. Where it needs 64-bit values and the lane loop does not, it does one half of the lanes
 * after the other. */
static void emit_part(knh_low *l, int number)
{
    knh_part *p = &l->part.at[number];
    bool halves = p->form.lanes < caller_of(l, p)->lanes;
    int again = knh_label(l->a), second = knh_label(l->a);
    place_values(l, p);
    knh_align(l->a, 16);
    knh_here(l->a, p->label);
    knh_alu_number(l->a, KNH_SUB, KNH_RSP, 56);
    l->shift = 64;
    knh_store(l->a, knh_low_at(l, l->result_out), KNH_R11);
    if (halves) {
        knh_mov_number(l->a, KNH_RDX, 0);
        knh_store(l->a, knh_low_at(l, l->half), KNH_RDX);
    }
    knh_here(l->a, again);
    l->form = p->form;
    l->current_part = number;
    knh_low_start(l, 0);
    l->changed[0] = 1; /* register 0, k1: for the way of the results */
    l->changed[1] = 2;
    knh_low_block(l, &p->list, 1);
    for (int b = 0; b < 2; b++)
        p->changes[b] = p->list.helper ? UINT32_MAX : l->changed[b];
    knh_load(l->a, KNH_R11, knh_low_at(l, l->result_out));
    if (halves) {
        knh_load(l->a, KNH_RDX, knh_low_at(l, l->half));
        knh_test(l->a, KNH_RDX, KNH_RDX);
        knh_jump_if(l->a, KNH_IF_NE, second);
    }
    hand_results(l, p, false);
    if (halves) {
        take_upper_halves(l, p);
        knh_mov_number(l->a, KNH_RDX, 1);
        knh_store(l->a, knh_low_at(l, l->half), KNH_RDX);
        knh_jump(l->a, again);
    }
    knh_here(l->a, second);
    if (halves)
        hand_results(l, p, true);
    knh_alu_number(l->a, KNH_ADD, KNH_RSP, 56);
    knh_ret(l->a);
    l->shift = 0;
}

void knh_low_stubs_and_parts(knh_low *l)
{
    l->in_tail = false;
    l->exists.on = false;
    l->free_slot[0].n = l->free_slot[1].n = 0; /* those of the body are alive while a part runs */
    for (int i = 1; i < (int)l->part.n && knh_low_fine(l); i++)
        emit_part(l, i);
    for (size_t i = 0; i < l->stub.n && knh_low_fine(l); i++)
        emit_stub(l, &l->stub.at[i]);
}
