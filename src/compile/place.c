/* SPDX-License-Identifier: Apache-2.0
 * place.c -- gives each stored value a slot; views whose elements lie in order share the slot of their operand. Chooses
 * for each output of the program the buffer that it is written to. */
#include "compile/plan.h"

static uint32_t new_slot(knc_plan *p, knc_space space, uint32_t index, knx_bytes bytes)
{
    knc_slot s = {
        .space = (uint8_t)space, .index = index, .bytes = bytes, .maker = KNC_NO, .first = KNC_NO, .over = KNC_NO};
    if (!KN_VEC_PUSH(&p->slot, s)) {
        p->failed = true;
        return 0;
    }
    return (uint32_t)p->slot.n - 1;
}

uint32_t knc_slot_of(knc_plan *p, kni_atom a, knx_bytes *offset)
{
    *offset = 0;
    if (kni_is_literal(a)) {
        uint32_t l = a & ~KN_LITERAL_BIT;
        if (p->literal_slot[l] == KNC_NO)
            p->literal_slot[l] = new_slot(p, KNC_AT_LITERAL, l, kni_type_bytes(p->j->literal[l].type));
        return p->literal_slot[l];
    }
    knc_value *v = &p->value[a];
    if (v->slot == KNC_NO && v->state == KNC_GIVEN)
        v->slot = new_slot(p, KNC_AT_OPERAND, a, kni_type_bytes(p->j->type[a]));
    *offset = v->offset;
    return v->slot;
}

static void place_eqn(knc_plan *p, const kni_eqn *e)
{
    for (uint32_t k = 0; k < e->n_out; k++) {
        knc_value *v = &p->value[e->out + k];
        kni_type t = p->j->type[e->out + k];
        if (v->state == KNC_STORED)
            v->slot = new_slot(p, KNC_AT_WORK, 0, kni_type_bytes(t));
        if (v->state != KNC_ALIAS)
            continue;
        int64_t first = 0;
        knx_bytes offset;
        if (!knc_lies_in_order(p->j, e, &p->scratch, &first)) /* the grouping found that it does: now memory ran out */
            p->failed = true;
        v->slot = knc_slot_of(p, e->in[0], &offset);
        v->offset = (knx_bytes)knx_dim_add((int64_t)offset, knx_dim_mul(first, (int64_t)t.dtype->size));
    }
}

static bool copy_step(knc_plan *p, uint32_t from, uint32_t to, knx_bytes bytes)
{
    knc_ref *ref = knx_arena_alloc(&p->p->arena, 2 * sizeof *ref);
    if (!ref)
        return false;
    ref[0] = (knc_ref){.index = to};
    ref[1] = (knc_ref){.index = from};
    knc_step s = {.kind = KNC_COPY, .eqn = KNC_NO, .n_ref = 2, .ref = ref, .u.bytes = bytes};
    if (!KN_VEC_PUSH(&p->step, s))
        return false;
    p->slot.at[to].maker = (uint32_t)p->step.n - 1;
    return true;
}

static knx_error *place_output(knc_plan *p, uint32_t k, knc_output *out)
{
    kni_atom a = p->j->out[k];
    knx_bytes offset;
    uint32_t s = knc_slot_of(p, a, &offset);
    if (p->failed)
        return knx_error_nomem();
    *out = (knc_output){.kind = KNC_OUT_NEW, .bytes = kni_type_bytes(kni_atom_type(p->j, a))};
    knc_slot *slot = &p->slot.at[s];
    switch ((knc_space)slot->space) {
    case KNC_AT_OPERAND: out->kind = KNC_OUT_OPERAND, out->index = slot->index; return NULL;
    case KNC_AT_OUTPUT: out->kind = KNC_OUT_SAME, out->index = slot->index; return NULL;
    case KNC_AT_WORK: slot->space = KNC_AT_OUTPUT, slot->index = k; return NULL;
    case KNC_AT_LITERAL:
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: break;
    }
    uint32_t to = new_slot(p, KNC_AT_OUTPUT, k, out->bytes);
    return !p->failed && copy_step(p, s, to, out->bytes) ? NULL : knx_error_nomem();
}

knx_error *knc_place_values(knc_plan *p)
{
    knc_output *out = knx_arena_alloc(&p->p->arena, (p->j->n_out + 1) * sizeof *out);
    if (!out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < p->j->n_eqn; i++)
        place_eqn(p, &p->j->eqn[i]);
    for (uint32_t k = 0; k < p->j->n_out; k++)
        KN_TRY(place_output(p, k, &out[k]));
    p->p->output = out;
    return p->failed ? knx_error_nomem() : NULL;
}
