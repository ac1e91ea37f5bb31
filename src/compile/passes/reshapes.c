/* SPDX-License-Identifier: Apache-2.0
 * reshapes.c -- a jaxpr pass: a reshape that is no index map moves from the result of elementwise equations to their
 * operands, if these lie in memory anyway: there a reshape costs nothing. So exp(x).reshape(-1) * 2 becomes
 * exp(x.reshape(-1)) * 2, one kernel. */
#include "compile/plan.h"
#include "ir/ops.h"
#include "transform/replay.h"

enum { MOST_ROUNDS = 8 };

typedef struct reshapes {
    knt_replay r;
    uint32_t *maker; /* per variable: its equation, KNC_NO: an operand */
    uint32_t
        *target;  /* per variable: the reshape whose shape all its readers want; KNC_NO: they want several, or none */
    bool *wanted; /* per variable: does anything read it? */
    bool *banned; /* per equation: it keeps its shape */
} reshapes;

static kni_type shape_of(const kni_jaxpr *j, uint32_t reshape) { return j->type[j->eqn[reshape].out]; }

static void want(reshapes *s, kni_atom a, uint32_t target)
{
    const kni_jaxpr *j = s->r.j;
    if (!kni_is_var(a))
        return;
    uint32_t *t = &s->target[a];
    if (!s->wanted[a])
        *t = target;
    else if (*t != KNC_NO && (target == KNC_NO || !kni_type_same_shape(shape_of(j, *t), shape_of(j, target))))
        *t = KNC_NO;
    s->wanted[a] = true;
}

/* Does the result have the operand's elements in the same order? And is there no index map for that? */
static bool is_reshape(const kni_jaxpr *j, const kni_eqn *e)
{
    return e->prim->map_exists && kni_atom_type(j, e->in[0]).dtype == j->type[e->out].dtype;
}
static bool is_costly(const kni_jaxpr *j, const kni_eqn *e)
{
    return is_reshape(j, e) && knc_class_of(j, e) == KNC_RESHAPE;
}

/* Can the equation give its result in any shape, if its operands have that shape? */
static bool is_pliable(const kni_jaxpr *j, const kni_eqn *e)
{
    return e->n_out == 1 && j->type[e->out].ndim && ((e->prim->bits & KN_ELEMENTWISE) || is_reshape(j, e));
}

static bool is_moved(const reshapes *s, uint32_t i)
{
    const kni_eqn *e = &s->r.j->eqn[i];
    return !s->banned[i] && is_pliable(s->r.j, e) && s->target[e->out] != KNC_NO;
}

/* Finds in which shape each value is wanted, from the last equation to the first. */
static void spread(reshapes *s)
{
    const kni_jaxpr *j = s->r.j;
    for (uint32_t v = 0; v < j->n_var; v++) {
        s->target[v] = KNC_NO;
        s->wanted[v] = false;
    }
    for (uint32_t k = 0; k < j->n_out; k++)
        want(s, j->out[k], KNC_NO);
    for (uint32_t i = j->n_eqn; i-- > 0;) {
        const kni_eqn *e = &j->eqn[i];
        uint32_t target = is_moved(s, i) ? s->target[e->out] : is_costly(j, e) ? i : KNC_NO;
        for (uint32_t k = 0; k < e->n_in; k++)
            if (kni_atom_type(j, e->in[k]).ndim)
                want(s, e->in[k], target);
    }
}

static const kni_eqn *maker_of(const reshapes *s, kni_atom a)
{
    return kni_is_var(a) && s->maker[a] != KNC_NO ? &s->r.j->eqn[s->maker[a]] : NULL;
}

/* Does the operand cost nothing in another shape? */
static bool is_free(const reshapes *s, kni_atom a)
{
    const kni_jaxpr *j = s->r.j;
    const kni_eqn *m = maker_of(s, a);
    if (!m || !kni_atom_type(j, a).ndim || knc_spreads_scalar(j, m))
        return true;
    return knc_class_of(j, m) == KNC_RUN || (is_pliable(j, m) && is_moved(s, s->maker[a]));
}

/* Bans equations with an operand that would have to be stored for its new shape. True if an equation was banned just
 * now. */
static bool ban(reshapes *s)
{
    const kni_jaxpr *j = s->r.j;
    bool any = false;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in && is_moved(s, i); k++)
            if (!is_free(s, j->eqn[i].in[k]))
                any = s->banned[i] = true;
    return any;
}

/* Does an equation get another shape that is not a reshape itself? */
static bool is_worth_it(const reshapes *s)
{
    for (uint32_t i = 0; i < s->r.j->n_eqn; i++)
        if (is_moved(s, i) && !is_reshape(s->r.j, &s->r.j->eqn[i]))
            return true;
    return false;
}

/* An operand in the shape `to`. */
static kni_atom in_shape(reshapes *s, kni_atom a, kni_type to)
{
    knt_replay *r = &s->r;
    const kni_eqn *m = maker_of(s, a);
    kni_atom x = knt_atom(r, a);
    if (!kni_atom_type(r->j, a).ndim || (m && is_moved(s, s->maker[a])))
        return x;
    if (m && knc_spreads_scalar(r->j, m))
        return knb_broadcast_in_dim(&r->b, knt_atom(r, m->in[0]), to.ndim, to.dim, NULL);
    return knb_reshape(&r->b, x, to.ndim, to.dim);
}

static void write_eqn(reshapes *s, uint32_t i)
{
    knt_replay *r = &s->r;
    const kni_eqn *e = &r->j->eqn[i];
    knt_operands(r, e);
    bool moved = is_moved(s, i), reshape = is_reshape(r->j, e);
    if (!moved && !(reshape && maker_of(s, e->in[0]) && is_moved(s, s->maker[e->in[0]]))) {
        knt_emit_same(r, e);
        return;
    }
    kni_type to = moved ? shape_of(r->j, s->target[e->out]) : r->j->type[e->out];
    for (uint32_t k = 0; k < e->n_in; k++)
        r->in[k] = in_shape(s, e->in[k], to);
    if (reshape)
        knt_bind(r, e, r->in);
    else
        knt_emit_same(r, e);
}

static knx_error *write_all(reshapes *s, kni_jaxpr **out)
{
    knt_replay *r = &s->r;
    const kni_jaxpr *j = r->j;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        write_eqn(s, i);
        KN_TRY(knb_take_error(&r->b));
    }
    return knt_replay_finish(r, out);
}

static bool begin(reshapes *s, const kni_jaxpr *j)
{
    s->maker = knx_arena_alloc(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->maker);
    s->target = knx_arena_alloc(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->target);
    s->wanted = knx_arena_alloc(&s->r.arena, ((size_t)j->n_var + 1) * sizeof *s->wanted);
    s->banned = knx_arena_zero(&s->r.arena, ((size_t)j->n_eqn + 1) * sizeof *s->banned);
    if (!s->maker || !s->target || !s->wanted || !s->banned)
        return false;
    for (uint32_t v = 0; v < j->n_var; v++)
        s->maker[v] = KNC_NO;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            s->maker[j->eqn[i].out + k] = i;
    return true;
}

knx_error *knc_carry_reshapes(const kni_jaxpr *j, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < j->n_eqn; i++)
        any = is_costly(j, &j->eqn[i]);
    *out = any ? NULL : kni_retain(j);
    if (!any)
        return NULL;
    reshapes s = {0};
    knx_error *e = knt_replay_begin(&s.r, j, true);
    if (!e && !begin(&s, j))
        e = knx_error_nomem();
    bool more = true;
    for (int round = 0; !e && more && round < MOST_ROUNDS; round++) {
        spread(&s);
        more = ban(&s);
    }
    if (!e && !more && is_worth_it(&s))
        e = write_all(&s, out);
    else if (!e)
        *out = kni_retain(j);
    knt_replay_end(&s.r);
    return e;
}
