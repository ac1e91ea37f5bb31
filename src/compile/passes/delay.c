/* SPDX-License-Identifier: Apache-2.0
 * delay.c -- a jaxpr pass: a reshape that is no index map, of a value that is computed rather than in memory, moves
 * behind the elementwise equation that reads it. So kn_repeat(x, 2) * 3 multiplies the repeated elements in the shape
 * in which they are computed, in one kernel; the reshape behind it costs nothing, since elements lie in memory in the
 * same order in both shapes. */
#include "compile/plan.h"
#include "ir/ops.h"
#include "transform/replay.h"

typedef struct delay {
    knt_replay r;
    uint32_t *uses, *maker; /* per variable: how often it is read; its equation, KNC_NO: an operand */
    kni_atom *before;       /* per variable: the atom whose reshape it is; KN_ATOM_NONE: none */
} delay;

static bool is_reshape(const kni_jaxpr *j, const kni_eqn *e)
{
    return e->prim->map_exists && knc_class_of(j, e) == KNC_RESHAPE &&
           kni_atom_type(j, e->in[0]).dtype == j->type[e->out].dtype;
}

static const kni_eqn *maker_of(const delay *s, kni_atom a)
{
    return kni_is_var(a) && s->maker[a] != KNC_NO ? &s->r.j->eqn[s->maker[a]] : NULL;
}

/* Does the atom lie in memory, or cost nothing in any shape? */
static bool is_free(const delay *s, kni_atom a)
{
    const kni_eqn *m = maker_of(s, a);
    return !m || !kni_atom_type(s->r.j, a).ndim || knc_spreads_scalar(s->r.j, m) || knc_class_of(s->r.j, m) == KNC_RUN;
}

/* How often the equation reads a. */
static uint32_t reads(const kni_eqn *e, kni_atom a)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < e->n_in; k++)
        n += e->in[k] == a;
    return n;
}

/* *to: the shape in which the equation is better computed; false: its own. */
static bool find_shape(delay *s, const kni_eqn *e, kni_type *to)
{
    const kni_jaxpr *j = s->r.j;
    bool any = false;
    if (e->n_out != 1 || !(e->prim->bits & KN_ELEMENTWISE) || !j->type[e->out].ndim)
        return false;
    for (uint32_t k = 0; k < e->n_in; k++) {
        kni_atom a = e->in[k];
        if (!kni_is_var(a) || s->before[a] == KN_ATOM_NONE) {
            if (!is_free(s, a))
                return false;
            continue;
        }
        kni_type t = knb_type(&s->r.b, s->before[a]);
        if (s->uses[a] != reads(e, a) || (any && !kni_type_same_shape(t, *to)) ||
            j->type[e->out].dtype->size > t.dtype->size) /* the stored result would be larger than the operand */
            return false;
        *to = t;
        any = true;
    }
    return any;
}

static kni_atom in_shape(delay *s, kni_atom a, kni_type to)
{
    knt_replay *r = &s->r;
    const kni_eqn *m = maker_of(s, a);
    kni_atom x = knt_atom(r, a);
    if (!kni_atom_type(r->j, a).ndim)
        return x;
    if (s->before[a] != KN_ATOM_NONE)
        return s->before[a];
    if (m && knc_spreads_scalar(r->j, m))
        return knb_broadcast_in_dim(&r->b, knt_atom(r, m->in[0]), to.ndim, to.dim, NULL);
    return knb_reshape(&r->b, x, to.ndim, to.dim);
}

static void write_eqn(delay *s, const kni_eqn *e)
{
    knt_replay *r = &s->r;
    kni_type to = {0}, y = e->n_out == 1 ? r->j->type[e->out] : (kni_type){0};
    knt_operands(r, e);
    if (!find_shape(s, e, &to)) {
        knt_emit_same(r, e);
        /* its operand is not stored for other readers */
        if (is_reshape(r->j, e) && !is_free(s, e->in[0]) && s->uses[e->in[0]] == 1)
            s->before[e->out] = s->before[e->in[0]] == KN_ATOM_NONE ? r->in[0] : s->before[e->in[0]];
        return;
    }
    for (uint32_t k = 0; k < e->n_in; k++)
        r->in[k] = in_shape(s, e->in[k], to);
    kni_atom x = knb_emit1(&r->b, e->prim, e->params, (int)e->n_in, r->in);
    kni_atom again = knb_reshape(&r->b, x, y.ndim, y.dim);
    knt_bind(r, e, &again);
    s->before[e->out] = r->b.error ? KN_ATOM_NONE : x;
}

static knx_error *write_all(delay *s, kni_jaxpr **out)
{
    knt_replay *r = &s->r;
    const kni_jaxpr *j = r->j;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        write_eqn(s, &j->eqn[i]);
        KN_TRY(knb_take_error(&r->b));
    }
    return knt_replay_finish(r, out);
}

static bool begin(delay *s, const kni_jaxpr *j)
{
    s->uses = knx_arena_zero(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->uses);
    s->maker = knx_arena_alloc(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->maker);
    s->before = knx_arena_alloc(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->before);
    if (!s->uses || !s->maker || !s->before)
        return false;
    for (uint32_t v = 0; v < j->n_var; v++) {
        s->maker[v] = KNC_NO;
        s->before[v] = KN_ATOM_NONE;
    }
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            s->maker[j->eqn[i].out + k] = i;
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (kni_is_var(j->eqn[i].in[k]))
                s->uses[j->eqn[i].in[k]]++;
    }
    for (uint32_t k = 0; k < j->n_out; k++)
        if (kni_is_var(j->out[k]))
            s->uses[j->out[k]]++;
    return true;
}

knx_error *knc_delay_reshapes(const kni_jaxpr *j, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < j->n_eqn; i++)
        any = is_reshape(j, &j->eqn[i]);
    *out = any ? NULL : kni_retain(j);
    if (!any)
        return NULL;
    delay s = {0};
    knx_error *e = knt_replay_begin(&s.r, j, true);
    if (!e && !begin(&s, j))
        e = knx_error_nomem();
    if (!e)
        e = write_all(&s, out);
    knt_replay_end(&s.r);
    return e;
}
