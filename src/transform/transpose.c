/* SPDX-License-Identifier: Apache-2.0
 * transpose.c -- the transpose of a linear function: equations that do not depend on the linear inputs are written as
 * they are, then cotangents flow through the linear ones from the last to the first. */
#include "ir/ops.h"
#include "transform/replay.h"

typedef struct transposition {
    knt_replay r;
    bool *linear; /* per variable of j: depends on a linear input */
    kni_atom *ct; /* per variable of j: its cotangent so far, or KN_ATOM_ZERO */
    kni_atom *ct_in;
} transposition;

static bool depends(const transposition *t, const kni_eqn *e)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && t->linear[e->in[i]])
            return true;
    return false;
}

static bool is_linear(const transposition *t, const kni_eqn *e)
{
    int n = 0;
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && t->linear[e->in[i]]) {
            n++;
            if (!(e->prim->bits & KN_CALLS) && !kni_linear_in(e->prim, (int)i))
                return false;
        }
    return e->prim->transpose && (n < 2 || !(e->prim->bits & KN_MULTILINEAR));
}

static knx_error *not_linear(const kni_eqn *e)
{
    knx_error *error =
        e->prim->no_transpose
            ? knx_error_new(KN_ERROR_VALUE, "%s", e->prim->no_transpose)
            : knx_error_new(KN_ERROR_TYPE,
                            "the function is not linear in the given arguments: it uses %s of one of them",
                            e->prim->name);
    return knx_error_placed(error, e->place);
}

static knx_error *forward(transposition *t)
{
    const kni_jaxpr *j = t->r.j;
    for (uint32_t i = 0; i < j->n_eqn && !t->r.b.error; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (depends(t, e)) {
            if (!e->n_out) /* it shows a value that no one computes here */
                continue;
            if (!is_linear(t, e))
                return not_linear(e);
            for (uint32_t k = 0; k < e->n_out; k++)
                t->linear[e->out + k] = true;
        } else {
            knt_operands(&t->r, e);
            knt_emit_same(&t->r, e);
        }
    }
    return knb_take_error(&t->r.b);
}

static knx_error *backward_through(transposition *t, const kni_eqn *e)
{
    knt_replay *r = &t->r;
    bool any = false;
    for (uint32_t k = 0; k < e->n_out; k++)
        any = any || t->ct[e->out + k] != KN_ATOM_ZERO;
    if (!any)
        return NULL;
    r->b.place = e->place;
    for (uint32_t i = 0; i < e->n_in; i++) {
        bool linear = kni_is_var(e->in[i]) && t->linear[e->in[i]];
        r->in[i] = linear ? KN_ATOM_LINEAR : knt_atom(r, e->in[i]);
        r->in_type[i] = kni_atom_type(r->j, e->in[i]);
        t->ct_in[i] = KN_ATOM_ZERO;
    }
    for (uint32_t k = 0; k < e->n_out; k++)
        r->out_type[k] = r->j->type[e->out + k];
    kni_rule rule = knt_rule(r, e, NULL);
    KN_TRY(e->prim->transpose(&rule, t->ct + e->out, t->ct_in));
    for (uint32_t i = 0; i < e->n_in; i++)
        if (r->in[i] == KN_ATOM_LINEAR && t->ct_in[i] != KN_ATOM_ZERO)
            t->ct[e->in[i]] = knb_add_any(&r->b, t->ct[e->in[i]], t->ct_in[i]);
    return NULL;
}

static knx_error *backward(transposition *t)
{
    const kni_jaxpr *j = t->r.j;
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_atom ct = knb_invar(&t->r.b, kni_out_type(j, i)), y = j->out[i];
        if (kni_is_var(y) && t->linear[y])
            t->ct[y] = knb_add_any(&t->r.b, t->ct[y], ct);
    }
    for (uint32_t i = j->n_eqn; i-- > 0 && !t->r.b.error;)
        if (j->eqn[i].n_out && t->linear[j->eqn[i].out])
            KN_TRY(backward_through(t, &j->eqn[i]));
    return knb_take_error(&t->r.b);
}

static knx_error *transpose(transposition *t, const bool *linear, kni_jaxpr **out)
{
    knt_replay *r = &t->r;
    const kni_jaxpr *j = r->j;
    t->linear = knx_arena_zero(&r->arena, (size_t)j->n_var + 1);
    t->ct = knx_arena_alloc(&r->arena, ((size_t)j->n_var + 1) * sizeof *t->ct);
    t->ct_in = knx_arena_alloc(&r->arena, ((size_t)r->max_in + 1) * sizeof *t->ct_in);
    kni_atom *y = knx_arena_alloc(&r->arena, ((size_t)j->n_in + 1) * sizeof *y);
    if (!t->linear || !t->ct || !t->ct_in || !y)
        return knx_error_nomem();
    for (uint32_t v = 0; v < j->n_var; v++)
        t->ct[v] = KN_ATOM_ZERO;
    for (uint32_t i = 0; i < j->n_in; i++) {
        t->linear[j->n_const + i] = linear[i];
        if (!linear[i])
            r->map[j->n_const + i] = knb_invar(&r->b, kni_in_type(j, i));
    }
    KN_TRY(forward(t));
    KN_TRY(backward(t));
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->n_in; i++)
        if (linear[i])
            y[n++] = knb_instantiate(&r->b, t->ct[j->n_const + i], kni_in_type(j, i));
    return knb_finish(&r->b, (int)n, y, j->name, true, out);
}

knx_error *knt_transpose(const kni_jaxpr *j, const bool *linear, kni_jaxpr **out)
{
    transposition t;
    knx_error *error = knt_replay_begin(&t.r, j, false);
    if (!error)
        error = transpose(&t, linear, out);
    knt_replay_end(&t.r);
    return error;
}
