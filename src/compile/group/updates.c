/* SPDX-License-Identifier: Apache-2.0
 * updates.c -- updates in place. The routine of a row with `updates` finds the old elements in its result's memory.
 * While the program is planned, a copy in front of the routine moves them there. The copy goes away where the result
 * can have the old value's memory, since nothing reads the old value any more.
 *
 * Before grouping each value gets a level: the number of updates on the longest way to it. A value of a lower level
 * than an update cannot depend on that, so it can be computed before. If such a value reads the old value it is stored,
 * rather than computed by a reader that may run after the update. */
#include "compile/plan.h"

static const kni_atom *updated_operand(const kni_eqn *e)
{
    return e->prim->updates && e->n_out ? &e->in[e->prim->updates - 1] : NULL;
}

/* Does the equation's result show all of its operand's memory, in order? */
static bool shows_whole(knc_plan *p, const kni_eqn *e)
{
    knc_class c = knc_class_of(p->j, e);
    int64_t first;
    if ((c != KNC_VIEW && c != KNC_RESHAPE && c != KNC_IDENTITY) || !kni_is_var(e->in[0]))
        return false;
    return kni_type_bytes(knc_type(p, e->in[0])) == kni_type_bytes(p->j->type[e->out]) &&
           knc_lies_in_order(p->j, e, &p->scratch, &first) && !first;
}

static void give_levels(knc_plan *p)
{
    for (uint32_t i = 0; i < p->j->n_eqn; i++) {
        const kni_eqn *e = &p->j->eqn[i];
        uint32_t level = 0;
        for (uint32_t k = 0; k < e->n_in; k++)
            if (kni_is_var(e->in[k]) && p->value[e->in[k]].level > level)
                level = p->value[e->in[k]].level;
        level += e->prim->updates > 0;
        for (uint32_t k = 0; k < e->n_out; k++)
            p->value[e->out + k].level = level;
        if (e->n_out == 1 && shows_whole(p, e))
            p->value[e->out].whole = p->value[e->in[0]].whole;
    }
}

/* Marks the values whose memory an update may write into: temporaries and donated operands that are no outputs. */
static void mark_updated(knc_plan *p)
{
    uint32_t given = p->j->n_const + p->j->n_in;
    for (uint32_t k = 0; k < p->j->n_out; k++)
        if (kni_is_var(p->j->out[k]))
            p->value[p->value[p->j->out[k]].whole].kept = true;
    for (uint32_t i = 0; i < p->j->n_eqn; i++) {
        const kni_atom *x = updated_operand(&p->j->eqn[i]);
        if (!x || !kni_is_var(*x))
            continue;
        uint32_t whole = p->value[*x].whole, level = p->value[p->j->eqn[i].out].level;
        bool ours = whole >= given || (p->o->donated && p->o->donated[whole]);
        if (ours && !p->value[whole].kept && p->value[whole].updated_at < level)
            p->value[whole].updated_at = level;
    }
}

/* The value that e's operands show, or read, and that is updated at a level above this one; of several such values
 * the one with the lowest level of update. KNC_NO: there is none. */
static uint32_t old_value(const knc_plan *p, const kni_eqn *e, uint32_t level)
{
    uint32_t best = KNC_NO, limit = KNC_NO;
    for (uint32_t k = 0; k < e->n_in; k++) {
        const knc_value *x = kni_is_var(e->in[k]) ? &p->value[e->in[k]] : NULL;
        uint32_t seen[2] = {x ? x->whole : KNC_NO, x ? x->old : KNC_NO};
        for (int i = 0; i < 2; i++) {
            uint32_t at = seen[i] == KNC_NO ? 0 : p->value[seen[i]].updated_at;
            if (at > level && at < limit) {
                limit = at;
                best = seen[i];
            }
        }
    }
    return best;
}

void knc_find_updates(knc_plan *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->j->n_eqn; i++)
        n += p->j->eqn[i].prim->updates > 0;
    if (!n)
        return;
    give_levels(p);
    mark_updated(p);
    for (uint32_t i = 0; i < p->j->n_eqn; i++) {
        const kni_eqn *e = &p->j->eqn[i];
        if (!e->n_out || knc_class_of(p->j, e) == KNC_RUN)
            continue;
        uint32_t old = old_value(p, e, p->value[e->out].level);
        for (uint32_t k = 0; k < e->n_out; k++)
            p->value[e->out + k].old = old;
    }
}

uint32_t knc_update_limit(const knc_plan *p, uint32_t var)
{
    uint32_t old = p->value[var].old;
    return old == KNC_NO ? KNC_NO : p->value[old].updated_at;
}

/* Would a reader of this level read the old value after its update, and does storing e's results for it cost no more
 * than the copy that this avoids? */
bool knc_reads_too_late(const knc_plan *p, const kni_eqn *e, bool moves, uint32_t level)
{
    uint32_t old = p->value[e->out].old;
    if (old == KNC_NO || level < p->value[old].updated_at)
        return false;
    int64_t mine = 0, whole = (int64_t)kni_type_bytes(p->j->type[old]);
    for (uint32_t k = 0; k < e->n_out; k++)
        mine = knx_dim_add(mine, (int64_t)kni_type_bytes(p->j->type[e->out + k]));
    return moves ? knx_dim_lt(mine, whole) : knx_dim_le(mine, whole);
}

/* --- once slots share memory ------------------------------------------------------------------ */

static bool is_output(const knc_plan *p, const knc_slot *s)
{
    for (uint32_t k = 0; s->space == KNC_AT_OPERAND && k < p->p->n_output; k++)
        if (p->p->output[k].kind == KNC_OUT_OPERAND && p->p->output[k].index == s->index)
            return true;
    return s->space == KNC_AT_OUTPUT;
}

static knc_update_how settle(const knc_plan *p, const knc_update *u)
{
    const knc_slot *from = &p->slot.at[u->from], *to = &p->slot.at[knc_place_of(p, u->to)];
    if (!p->slot.at[u->to].bytes || &p->slot.at[knc_place_of(p, u->from)] == to)
        return KNC_UPDATE_IN_PLACE;
    if (from->space == KNC_AT_LITERAL)
        return KNC_UPDATE_LITERAL;
    if (!u->whole)
        return KNC_UPDATE_PART;
    if (is_output(p, from))
        return KNC_UPDATE_OUTPUT;
    if (from->space == KNC_AT_OPERAND && !(p->o->donated && p->o->donated[from->index]))
        return KNC_UPDATE_CALLERS;
    if (from->last != u->copy)
        return from->last == u->step ? KNC_UPDATE_ITSELF : KNC_UPDATE_LATER;
    if (to->space == KNC_AT_OPERAND && to->index == from->index)
        return KNC_UPDATE_IN_OPERAND;
    const knc_output *o = to->space == KNC_AT_OUTPUT ? &p->p->output[to->index] : NULL;
    return o && o->kind == KNC_OUT_DONATED && o->index == from->index ? KNC_UPDATE_IN_OPERAND : KNC_UPDATE_TAKEN;
}

static bool list_overwritten(knc_plan *p)
{
    uint32_t n = 0, *list;
    for (size_t s = 0; s < p->slot.n; s++)
        n += p->slot.at[s].overwritten;
    list = n ? knx_arena_alloc(&p->p->arena, n * sizeof *list) : NULL;
    if (!list)
        return !n;
    for (size_t s = 0; s < p->slot.n; s++)
        if (p->slot.at[s].overwritten)
            list[p->p->n_overwritten++] = p->slot.at[s].index;
    p->p->overwritten = list;
    return true;
}

knx_error *knc_settle_updates(knc_plan *p)
{
    knc_program *q = p->p;
    knc_update_note *note = knx_arena_alloc(&q->arena, (p->update.n + 1) * sizeof *note);
    if (!note || !list_overwritten(p))
        return knx_error_nomem();
    for (size_t i = 0; i < p->update.n; i++) {
        const knc_update *u = &p->update.at[i];
        knc_update_how how = settle(p, u);
        note[i] = (knc_update_note){.eqn = u->eqn, .how = (uint8_t)how, .reader = KNC_NO};
        note[i].bytes = p->slot.at[u->to].bytes;
        if (how == KNC_UPDATE_LATER)
            note[i].reader = q->step[p->slot.at[u->from].last].eqn;
        if (how > KNC_UPDATE_IN_OPERAND)
            q->copied = (knx_bytes)knx_dim_add((int64_t)q->copied, (int64_t)note[i].bytes);
    }
    q->update = note;
    q->n_update = (uint32_t)p->update.n;
    return NULL;
}

/* Drops the copies of memory onto itself. Copies into an output in a donated operand's buffer stay: the caller may
 * pass plain memory instead of a buffer. */
knx_error *knc_drop_copies(knc_plan *p)
{
    knc_program *q = p->p;
    knc_step *step = (knc_step *)(uintptr_t)q->step;
    knc_note *note = (knc_note *)(uintptr_t)q->note;
    uint32_t n = 0, *number = p->update.n ? knx_arena_zero(&p->scratch, (q->n_step + 1) * sizeof *number) : NULL;
    if (!number)
        return p->update.n ? knx_error_nomem() : NULL;
    for (size_t i = 0; i < p->update.n; i++)
        number[p->update.at[i].copy] = q->update[i].how == KNC_UPDATE_IN_PLACE ||
                                       (q->update[i].how == KNC_UPDATE_IN_OPERAND &&
                                        p->slot.at[knc_place_of(p, p->update.at[i].to)].space == KNC_AT_OPERAND);
    for (uint32_t s = 0; s < q->n_step; s++) {
        bool drop = number[s] != 0;
        number[s] = n;
        if (!drop)
            step[n++] = step[s];
    }
    for (uint32_t i = 0; i < p->j->n_eqn; i++)
        if (note[i].step != KNC_NO)
            note[i].step = number[note[i].step];
    for (size_t g = 0; g < p->group.n; g++)
        if (p->group.at[g].step != KNC_NO)
            p->group.at[g].step = number[p->group.at[g].step];
    q->n_step = n;
    return NULL;
}
