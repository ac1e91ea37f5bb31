/* SPDX-License-Identifier: Apache-2.0
 * lower_alloc.c -- registers and places in the frame. The lists are straight-line code whose uses are known, so one
 * forward pass does: when no register is free, the value goes whose next use is farthest. Constants, uniform values
 * and what lies in memory anyway are dropped, everything else is stored once. */
#include "host/x86/lower_internal.h"
#include <string.h>

void knh_low_fail(knh_low *l, const char *why)
{
    if (!l->why)
        l->why = why;
}

int knh_low_frame(knh_low *l, int bytes, int align)
{
    int at = (l->frame + align - 1) & -align;
    l->frame = at + bytes;
    if (l->frame > KNH_FRAME_LIMIT) {
        knh_low_fail(l, "its values need more than 64 KB of stack");
        l->frame = at = 0;
    }
    return at;
}

int knh_low_bank_of(const knh_low *l, int32_t value) { return l->value[value].mask; }
int knh_low_state(const knh_low *l, int32_t v, int copy)
{
    return v * KNH_COPIES + (l->value[v].kind == KNH_VALUE_LANE ? copy : 0);
}
bool knh_low_in_register(const knh_low *l, int32_t v, int copy) { return l->state[knh_low_state(l, v, copy)].reg >= 0; }

/* Does the value lie somewhere else than in a slot of its own? */
static bool is_elsewhere(const knh_low *l, const knh_value *v)
{
    return v->kind == KNH_VALUE_CONSTANT || v->homed || v->resident || v->part != l->current_part;
}

void knh_low_start(knh_low *l, uint32_t reserved)
{
    knh_bank *v = &l->bank[0], *m = &l->bank[1];
    v->usable = (l->target == KNH_AVX512 ? 0xffffffffu : 0xffffu) & ~reserved;
    m->usable = l->target == KNH_AVX512 ? (l->in_tail ? 0xfcu : 0xfeu) : 0;
    v->free = v->usable;
    m->free = m->usable;
    v->lock = m->lock = 0;
    l->avoid[0] = l->avoid[1] = 0;
    memset(v->holds, -1, sizeof v->holds);
    memset(m->holds, -1, sizeof m->holds);
}

static int take_slot(knh_low *l, bool mask)
{
    if (l->free_slot[mask].n)
        return l->free_slot[mask].at[--l->free_slot[mask].n];
    return mask ? knh_low_frame(l, 8, 8) : knh_low_frame(l, l->spill_step, l->spill_step);
}

static void give_slot(knh_low *l, bool mask, int slot)
{
    if (slot < 0)
        return;
    if (!KN_VEC_PUSH(&l->free_slot[mask], slot))
        l->no_memory = true;
}

void knh_low_forget(knh_low *l, int32_t s)
{
    if (!l->state[s].folded)
        give_slot(l, l->value[s / KNH_COPIES].mask, l->state[s].slot);
    l->state[s].slot = -1;
}

/* The next value of a carry that lies in the frame goes there, if nobody reads the carry any more. -1: it does not */
static int place_in_carry(const knh_low *l, int32_t s)
{
    int32_t carry = l->value[s / KNH_COPIES].feeds;
    bool fine = carry >= 0 && l->value[carry].resident && l->current_part == KNH_BODY &&
                l->state[knh_low_state(l, carry, s % KNH_COPIES)].next >= KNH_NEVER;
    return fine ? l->value[carry].kept + s % KNH_COPIES * l->spill_step : -1;
}

static bool lies_in_carry(const knh_low *l, int32_t s)
{
    int32_t carry = l->value[s / KNH_COPIES].feeds;
    return carry >= 0 && l->state[s].slot == l->value[carry].kept + s % KNH_COPIES * l->spill_step;
}

static void store_away(knh_low *l, int32_t s)
{
    knh_state *st = &l->state[s];
    const knh_value *v = &l->value[s / KNH_COPIES];
    if (st->slot >= 0 || is_elsewhere(l, v))
        return;
    st->slot = place_in_carry(l, s);
    if (st->slot < 0)
        st->slot = take_slot(l, v->mask);
    knh_spill(l->a, &l->form, v->dtype, knh_low_at(l, st->slot), st->reg);
    l->info->spills++;
}

void knh_low_store_away(knh_low *l, int32_t s) { store_away(l, s); }

/* Frees the register whose value is needed last; at a tie, one that has a copy in memory. */
static int evict(knh_low *l, knh_bank *k)
{
    int best = -1;
    int64_t farthest = -1;
    for (uint32_t in = k->usable & ~k->free & ~k->lock; in; in &= in - 1) {
        int r = __builtin_ctz(in);
        int32_t s = k->holds[r];
        if (s < 0 || l->state[s].pinned)
            continue;
        bool clean = l->state[s].slot >= 0 || is_elsewhere(l, &l->value[s / KNH_COPIES]);
        int64_t far = (int64_t)l->state[s].next * 16 + s % KNH_COPIES * 2 + clean;
        if (far > farthest) {
            farthest = far;
            best = r;
        }
    }
    if (best < 0)
        return -1;
    int32_t s = k->holds[best];
    if (l->state[s].next < KNH_NEVER)
        store_away(l, s);
    l->state[s].reg = -1;
    k->holds[best] = -1;
    k->free |= 1u << best;
    return best;
}

int knh_low_take(knh_low *l, int bank, int32_t s)
{
    knh_bank *k = &l->bank[bank];
    uint32_t can = k->free & ~k->lock, first = can & ~l->avoid[bank];
    int r = first ? __builtin_ctz(first) : can ? __builtin_ctz(can) : evict(l, k);
    if (r < 0) {
        knh_low_fail(l, "an operation needs more registers than there are");
        return 2;
    }
    k->free &= ~(1u << r);
    k->lock |= 1u << r;
    k->holds[r] = s;
    l->changed[bank] |= 1u << r;
    if (s >= 0)
        l->state[s].reg = (int8_t)r;
    return r;
}

void knh_low_give(knh_low *l, int bank, int reg)
{
    l->bank[bank].free |= 1u << reg;
    l->bank[bank].lock &= ~(1u << reg);
    l->bank[bank].holds[reg] = -1;
}

void knh_low_drop(knh_low *l, int32_t s, int bank)
{
    if (l->state[s].reg >= 0 && !l->state[s].pinned) {
        knh_low_give(l, bank, l->state[s].reg);
        l->state[s].reg = -1;
    }
}

void knh_low_unlock(knh_low *l) { l->bank[0].lock = l->bank[1].lock = 0; }

/* Memory operands of a constant are the same for all of its uses. */
static knh_operand constant(knh_low *l, knh_value *v, bool broadcast)
{
    if (v->pool_lanes != l->form.lanes) {
        v->pool_lanes = (int8_t)l->form.lanes;
        v->has_one = v->has_all = false;
    }
    bool *has = broadcast ? &v->has_one : &v->has_all;
    knh_operand *at = broadcast ? &v->one : &v->all;
    if (!*has) {
        *at = knh_constant(l->a, &l->form, v->dtype, l->node[v->node].imm, broadcast);
        *has = true;
    }
    return *at;
}

knh_operand knh_low_memory(knh_low *l, int32_t value, int copy, bool broadcast)
{
    knh_value *v = &l->value[value];
    const knh_state *st = &l->state[knh_low_state(l, value, copy)];
    if (v->kind == KNH_VALUE_CONSTANT)
        return constant(l, v, broadcast);
    if (v->homed)
        return knh_low_at(l, v->home);
    if (st->folded)
        return knh_low_element(l, (int)st->slot, copy);
    if (v->resident && l->current_part == KNH_BODY)
        return knh_low_at(l, v->kept + copy * l->spill_step);
    if (v->part != l->current_part)
        return knh_low_at(l, l->current_part > 0 ? v->input : l->result_base + copy * l->result_bytes + v->home);
    if (st->slot < 0)
        knh_low_fail(l, "a value was lost"); /* never seen */
    return knh_low_at(l, st->slot);
}

int knh_low_need(knh_low *l, int32_t value, int copy)
{
    int32_t s = knh_low_state(l, value, copy);
    knh_value *v = &l->value[value];
    if (l->state[s].reg < 0) {
        int r = knh_low_take(l, v->mask, s);
        if (v->kind == KNH_VALUE_CONSTANT)
            knh_emit_constant(l->a, &l->form, v->dtype, r, l->node[v->node].imm, KNH_RDX);
        else
            knh_reload(l->a, &l->form, v->dtype, r, knh_low_memory(l, value, copy, false));
        l->info->reloads++;
    }
    l->bank[v->mask].lock |= 1u << l->state[s].reg;
    return l->state[s].reg;
}

/* The register of the carry whose next value it is: then that need not move. */
static int seat_of(const knh_low *l, int32_t v, int copy)
{
    int32_t carry = l->current_part == KNH_BODY ? l->value[v].feeds : -1;
    return carry >= 0 && !l->value[carry].resident ? l->value[carry].seat[copy] : -1;
}

static int sit_down(knh_low *l, int bank, int r, int32_t s)
{
    l->bank[bank].free &= ~(1u << r);
    l->bank[bank].lock |= 1u << r;
    l->bank[bank].holds[r] = s;
    l->changed[bank] |= 1u << r;
    l->state[s].reg = (int8_t)r;
    return r;
}

/* Does an operand that the result may take the place of have that register? */
static bool dies_on_seat(const knh_low *l, const knh_item *it, int copy, int seat)
{
    for (int j = 0; j < it->n_use; j++)
        if (l->state[knh_low_state(l, it->use[j], copy)].reg == seat && it->next[j] >= KNH_NEVER &&
            (it->needs.over >> j & 1))
            return true;
    return false;
}

/* The register of an item's result: that of an operand that dies, where the operation allows it, else another one. */
int knh_low_define(knh_low *l, const knh_item *it, int copy)
{
    int32_t d = knh_low_state(l, it->def, copy);
    int bank = knh_low_bank_of(l, it->def);
    l->state[d] = (knh_state){.next = it->first, .slot = -1, .reg = -1};
    int seat = seat_of(l, it->def, copy);
    if (seat >= 0 && (l->bank[bank].free & ~l->bank[bank].lock) >> seat & 1)
        return sit_down(l, bank, seat, d);
    for (int j = it->kind == KNH_ITEM_OP ? it->n_use - 1 : -1; j >= 0; j--) {
        int32_t v = it->use[j], s = knh_low_state(l, v, copy);
        bool all = true;
        for (int i = 0; i < it->n_use; i++)
            all &= it->use[i] != v || (it->needs.over >> i & 1);
        if (seat >= 0 && j && l->state[s].reg != seat && dies_on_seat(l, it, copy, seat))
            continue;
        bool own = l->value[v].kind == KNH_VALUE_LANE || l->current_part != KNH_BODY; /* not of other copies, too */
        if (!all || !own || it->next[j] < KNH_NEVER || l->state[s].reg < 0 || knh_low_bank_of(l, v) != bank ||
            l->state[s].pinned)
            continue;
        int r = l->state[s].reg;
        l->state[s].reg = -1;
        l->state[d].reg = (int8_t)r;
        l->bank[bank].holds[r] = d;
        return r;
    }
    return knh_low_take(l, bank, d);
}

void knh_low_used(knh_low *l, const knh_item *it, int copy)
{
    for (int j = 0; j < it->n_use; j++) {
        int32_t v = it->use[j], s = knh_low_state(l, v, copy);
        knh_state *st = &l->state[s];
        bool shared = l->value[v].kind != KNH_VALUE_LANE && copy + 1 < l->copy_count;
        st->next = shared ? l->position : it->next[j];
        if (st->next < KNH_NEVER)
            continue;
        knh_low_drop(l, s, knh_low_bank_of(l, v));
        if (st->slot >= 0 && !st->folded && !is_elsewhere(l, &l->value[v]) && !lies_in_carry(l, s))
            give_slot(l, l->value[v].mask, st->slot);
        if (!is_elsewhere(l, &l->value[v])) {
            st->slot = -1;
            st->folded = false;
        }
    }
}

void knh_low_defined(knh_low *l, const knh_item *it, int copy)
{
    int32_t s = knh_low_state(l, it->def, copy);
    if (it->first >= KNH_NEVER)
        knh_low_drop(l, s, knh_low_bank_of(l, it->def));
}

void knh_low_spill_all(knh_low *l)
{
    for (int b = 0; b < 2; b++)
        for (uint32_t in = l->bank[b].usable & ~l->bank[b].free; in; in &= in - 1) {
            int r = __builtin_ctz(in);
            int32_t s = l->bank[b].holds[r];
            if (s < 0)
                continue;
            if (l->state[s].next < KNH_NEVER)
                store_away(l, s);
            l->state[s].reg = -1;
            knh_low_give(l, b, r);
        }
}
