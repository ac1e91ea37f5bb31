/* SPDX-License-Identifier: Apache-2.0
 * replay.c -- walking a jaxpr while writing another one. */
#include "transform/replay.h"

static knx_error *allocate(knt_replay *r)
{
    const kni_jaxpr *j = r->j;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        r->max_in = j->eqn[i].n_in > r->max_in ? j->eqn[i].n_in : r->max_in;
        r->max_out = j->eqn[i].n_out > r->max_out ? j->eqn[i].n_out : r->max_out;
    }
    r->map = knx_arena_alloc(&r->arena, ((size_t)j->n_var + 1) * sizeof *r->map);
    r->in = knx_arena_alloc(&r->arena, ((size_t)r->max_in + 1) * sizeof *r->in);
    r->out = knx_arena_alloc(&r->arena, ((size_t)r->max_out + 1) * sizeof *r->out);
    r->in_type = knx_arena_alloc(&r->arena, ((size_t)r->max_in + 1) * sizeof *r->in_type);
    r->out_type = knx_arena_alloc(&r->arena, ((size_t)r->max_out + 1) * sizeof *r->out_type);
    return r->map && r->in && r->out && r->in_type && r->out_type ? NULL : knx_error_nomem();
}

knx_error *knt_replay_begin(knt_replay *r, const kni_jaxpr *j, bool with_inputs)
{
    *r = (knt_replay){.j = j};
    knb_init(&r->b);
    r->b.whole = j->whole;
    KN_TRY(allocate(r));
    for (uint32_t v = 0; v < j->n_var; v++)
        r->map[v] = KN_ATOM_NONE;
    for (uint32_t v = 0; v < j->n_const; v++)
        r->map[v] = knb_constvar(&r->b, j->type[v]);
    for (uint32_t v = j->n_const; with_inputs && v < j->n_const + j->n_in; v++)
        r->map[v] = knb_invar(&r->b, j->type[v]);
    return NULL;
}

void knt_replay_end(knt_replay *r)
{
    knb_free(&r->b);
    knx_arena_free(&r->arena);
}

kni_atom knt_atom(knt_replay *r, kni_atom old)
{
    if (!kni_is_literal(old))
        return kni_is_var(old) ? r->map[old] : old;
    const kni_literal *l = &r->j->literal[old & ~KN_LITERAL_BIT];
    return knb_literal(&r->b, l->type.dtype, l->type.weak, l->bits);
}

knx_error *knt_replay_finish(knt_replay *r, kni_jaxpr **out)
{
    const kni_jaxpr *j = r->j;
    KN_TRY(knb_take_error(&r->b));
    kni_atom *y = knx_arena_alloc(&r->arena, ((size_t)j->n_out + 1) * sizeof *y);
    if (!y)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++)
        y[i] = knt_atom(r, j->out[i]);
    return knb_finish(&r->b, (int)j->n_out, y, j->name, true, out);
}

void knt_operands(knt_replay *r, const kni_eqn *e)
{
    r->b.place = e->place;
    for (uint32_t i = 0; i < e->n_in; i++) {
        r->in[i] = knt_atom(r, e->in[i]);
        r->in_type[i] = kni_is_var(r->in[i]) || kni_is_literal(r->in[i]) ? knb_type(&r->b, r->in[i])
                                                                         : kni_atom_type(r->j, e->in[i]);
    }
    for (uint32_t i = 0; i < e->n_out; i++)
        r->out_type[i] = r->j->type[e->out + i];
}

void knt_bind(knt_replay *r, const kni_eqn *e, const kni_atom *y)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        r->map[e->out + i] = y[i];
}

void knt_emit_same(knt_replay *r, const kni_eqn *e)
{
    knb_emit(&r->b, e->prim, e->params, (int)e->n_in, r->in, r->out, (int)e->n_out);
    if (r->b.error)
        for (uint32_t i = 0; i < e->n_out; i++)
            r->out[i] = KN_ATOM_NONE;
    knt_bind(r, e, r->out);
}

kni_rule knt_rule(knt_replay *r, const kni_eqn *e, const kni_atom *y)
{
    return (kni_rule){.b = &r->b,
                      .prim = e->prim,
                      .params = e->params,
                      .n_in = (int)e->n_in,
                      .n_out = (int)e->n_out,
                      .x = r->in,
                      .xt = r->in_type,
                      .y = y,
                      .yt = r->out_type};
}

knx_error *knt_missing_rule(const char *transformation, const kni_eqn *e)
{
    return knx_error_placed(
        knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s of %s is not defined", transformation, e->prim->name), e->place);
}
