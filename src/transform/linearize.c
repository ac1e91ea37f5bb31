/* SPDX-License-Identifier: Apache-2.0
 * linearize.c -- derivatives. One sweep writes results and tangents side by side by the rows' rules; every equation
 * that depends on a tangent is linear in the tangents, so splitting the joint jaxpr at that line gives the primal part,
 * its residuals and the linear part. */
#include "ir/ops.h"
#include "transform/replay.h"

/* Writes j and its derivative into r->b; tangent[v] is the tangent of variable v of j or KN_ATOM_ZERO. */
static knx_error *tangents_of_equation(knt_replay *r, const kni_eqn *e, kni_atom *tangent, kni_atom *tx, bool forward)
{
    bool any = false;
    for (uint32_t i = 0; i < e->n_in; i++) {
        tx[i] = kni_is_var(e->in[i]) ? tangent[e->in[i]] : KN_ATOM_ZERO;
        any = any || tx[i] != KN_ATOM_ZERO;
    }
    knt_operands(r, e);
    kni_atom *ty = tangent + e->out;
    if (!any) {
        knt_emit_same(r, e);
    } else if (e->prim->linearize) {
        kni_rule rule = knt_rule(r, e, NULL);
        rule.forward = forward;
        KN_TRY(e->prim->linearize(&rule, tx, r->out, ty));
        knt_bind(r, e, r->out);
    } else {
        knt_emit_same(r, e);
        if (e->prim->bits & KN_INTEGER_RESULT)
            return NULL;
        if (!e->prim->jvp)
            return e->prim->why_no_jvp ? NULL : knt_missing_rule("the derivative", e);
        kni_rule rule = knt_rule(r, e, r->map + e->out);
        e->prim->jvp(&rule, tx, ty);
    }
    return NULL;
}

/* `forward`: no one splits what is written. */
static knx_error *joint(knt_replay *r, const bool *has_tangent, bool forward, kni_atom **tangent_of)
{
    const kni_jaxpr *j = r->j;
    kni_atom *tangent = knx_arena_alloc(&r->arena, ((size_t)j->n_var + 1) * sizeof *tangent);
    kni_atom *tx = knx_arena_alloc(&r->arena, ((size_t)r->max_in + 1) * sizeof *tx);
    if (!tangent || !tx)
        return knx_error_nomem();
    for (uint32_t v = 0; v < j->n_var; v++)
        tangent[v] = KN_ATOM_ZERO;
    for (uint32_t i = 0; i < j->n_in; i++)
        if (has_tangent[i])
            tangent[j->n_const + i] = knb_invar(&r->b, kni_in_type(j, i));
    for (uint32_t i = 0; i < j->n_eqn && !r->b.error; i++)
        KN_TRY(tangents_of_equation(r, &j->eqn[i], tangent, tx, forward));
    *tangent_of = tangent;
    return knb_take_error(&r->b);
}

static kni_atom tangent_of_atom(const kni_atom *tangent, kni_atom a)
{
    return kni_is_var(a) ? tangent[a] : KN_ATOM_ZERO;
}

knx_error *knt_jvp(const kni_jaxpr *j, const bool *has_tangent, kni_jaxpr **out)
{
    return knt_jvp_lazily(j, has_tangent, NULL, NULL, out);
}

knx_error *knt_jvp_lazily(const kni_jaxpr *j, const bool *has_tangent, const bool *instantiate, bool *out_tangent,
                          kni_jaxpr **out)
{
    knt_replay r;
    kni_atom *tangent = NULL;
    knx_error *error = knt_replay_begin(&r, j, true);
    if (!error)
        error = joint(&r, has_tangent, true, &tangent);
    kni_atom *y = error ? NULL : knx_arena_alloc(&r.arena, (2 * (size_t)j->n_out + 1) * sizeof *y);
    if (!error && !y)
        error = knx_error_nomem();
    if (!error) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < j->n_out; i++)
            y[n++] = knt_atom(&r, j->out[i]);
        for (uint32_t i = 0; i < j->n_out; i++) {
            kni_atom t = tangent_of_atom(tangent, j->out[i]);
            bool wanted = out_tangent ? t != KN_ATOM_ZERO || instantiate[i] : kni_has_tangent(kni_out_type(j, i));
            if (out_tangent)
                out_tangent[i] = wanted;
            if (wanted)
                y[n++] = knb_instantiate(&r.b, t, kni_out_type(j, i));
        }
        error = knb_finish(&r.b, (int)n, y, j->name, true, out);
    }
    knt_replay_end(&r);
    return error;
}

/* Splitting the joint equations. A variable is linear if it depends on a tangent, constant if it depends on no variable
 * at all (then both parts make their own copy; in a whole jaxpr it is primal), and otherwise belongs to the primal
 * part; those that the linear part reads are residuals. */
enum { VAR_PRIMAL, VAR_CONSTANT, VAR_LINEAR };
typedef struct splitter {
    kni_builder *joint;
    uint8_t *kind;             /* per joint variable */
    bool *needed;              /* by the linear part */
    kni_atom *primal, *linear; /* its atom in either part; KN_ATOM_NONE: not made */
    KN_VEC(uint32_t) residual; /* joint variables */
    kni_builder p, l;
    kni_atom *in;
} splitter;

static kni_atom carry_literal(const splitter *s, kni_builder *to, kni_atom a)
{
    const kni_literal *l = &s->joint->literal.at[a & ~KN_LITERAL_BIT];
    return knb_literal(to, l->type.dtype, l->type.weak, l->bits);
}

static kni_atom in_primal(splitter *s, kni_atom a)
{
    return kni_is_literal(a) ? carry_literal(s, &s->p, a) : s->primal[a];
}

static kni_atom in_linear(splitter *s, kni_atom a)
{
    if (kni_is_literal(a))
        return carry_literal(s, &s->l, a);
    if (s->linear[a] == KN_ATOM_NONE && s->kind[a] == VAR_PRIMAL) { /* first use: a residual */
        if (!KN_VEC_PUSH(&s->residual, a))
            knb_fail(&s->l, knx_error_nomem());
        s->linear[a] = knb_invar(&s->l, knb_type(s->joint, a));
    }
    return s->linear[a];
}

static void copy_equation(splitter *s, const kni_draft_eqn *e, bool to_linear)
{
    kni_builder *b = to_linear ? &s->l : &s->p;
    b->place = e->place;
    for (uint32_t i = 0; i < e->n_in; i++)
        s->in[i] = to_linear ? in_linear(s, e->in[i]) : in_primal(s, e->in[i]);
    kni_atom *out = (to_linear ? s->linear : s->primal) + e->out;
    knb_emit(b, e->prim, e->params, (int)e->n_in, s->in, out, (int)e->n_out);
}

/* An equation without results, which shows a value, belongs where that value does. */
static uint8_t kind_of(const splitter *s, const kni_draft_eqn *e)
{
    if (e->n_out)
        return s->kind[e->out];
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && s->kind[e->in[i]] == VAR_LINEAR)
            return VAR_LINEAR;
    return VAR_PRIMAL;
}

static void classify(splitter *s)
{
    for (size_t k = 0; k < s->joint->eqn.n; k++) {
        const kni_draft_eqn *e = &s->joint->eqn.at[k];
        uint8_t kind = VAR_CONSTANT;
        for (uint32_t i = 0; i < e->n_in; i++)
            if (kni_is_var(e->in[i])) {
                uint8_t of = s->kind[e->in[i]];
                kind = of == VAR_LINEAR || kind == VAR_LINEAR ? VAR_LINEAR : of == VAR_PRIMAL ? VAR_PRIMAL : kind;
            }
        if (kind == VAR_CONSTANT && (s->p.whole || kni_must_stay(e->prim, e->params)))
            kind = VAR_PRIMAL;
        for (uint32_t i = 0; i < e->n_out; i++)
            s->kind[e->out + i] = kind;
    }
}

static bool splitter_begin(splitter *s, knt_replay *r, const kni_atom *tangent, const bool *has_tangent)
{
    const kni_jaxpr *j = r->j;
    size_t n = r->b.type.n + 1, widest = 1;
    s->joint = &r->b;
    knb_init(&s->p);
    knb_init(&s->l);
    s->p.whole = j->whole;
    for (size_t k = 0; k < r->b.eqn.n; k++)
        widest = r->b.eqn.at[k].n_in > widest ? r->b.eqn.at[k].n_in : widest;
    s->kind = knx_arena_zero(&r->arena, n);
    s->needed = knx_arena_zero(&r->arena, n);
    s->primal = knx_arena_alloc(&r->arena, n * sizeof *s->primal);
    s->linear = knx_arena_alloc(&r->arena, n * sizeof *s->linear);
    s->in = knx_arena_alloc(&r->arena, widest * sizeof *s->in);
    if (!s->kind || !s->needed || !s->primal || !s->linear || !s->in)
        return false;
    for (size_t v = 0; v < n; v++)
        s->primal[v] = s->linear[v] = KN_ATOM_NONE;
    for (uint32_t v = 0; v < j->n_const; v++)
        s->primal[r->map[v]] = knb_constvar(&s->p, j->type[v]);
    for (uint32_t i = 0; i < j->n_in; i++)
        s->primal[r->map[j->n_const + i]] = knb_invar(&s->p, kni_in_type(j, i));
    for (uint32_t i = 0; i < j->n_in; i++)
        if (has_tangent[i])
            s->kind[tangent[j->n_const + i]] = VAR_LINEAR;
    return true;
}

/* The linear part's inputs are to be residuals first, then tangents. Tangents were made first, residuals as they were
 * met: rotate. */
static bool order_linear_inputs(splitter *s, uint32_t n_tangent)
{
    uint32_t *v = s->l.invar.at, *order = knx_alloc(s->l.invar.n * sizeof *order + 1);
    if (!order)
        return false;
    size_t n = s->l.invar.n;
    for (size_t i = 0; i < n; i++)
        order[i] = v[(i + n_tangent) % n];
    for (size_t i = 0; i < n; i++)
        v[i] = order[i];
    knx_free(order);
    return true;
}

/* Linear equations that no tangent of a result needs are left out, so that they bring no residuals along. */
static void drop_unused_linear(splitter *s, knt_replay *r, const kni_atom *tangent)
{
    for (uint32_t i = 0; i < r->j->n_out; i++) {
        kni_atom t = tangent_of_atom(tangent, r->j->out[i]);
        if (kni_is_var(t))
            s->needed[t] = true;
    }
    for (size_t k = s->joint->eqn.n; k-- > 0;) {
        const kni_draft_eqn *e = &s->joint->eqn.at[k];
        bool needed = kni_can_fail(e->prim, e->params);
        for (uint32_t i = 0; i < e->n_out; i++)
            needed = needed || s->needed[e->out + i];
        if (!e->n_out || s->kind[e->out] == VAR_PRIMAL || !needed)
            continue;
        s->needed[e->out] = true;
        for (uint32_t i = 0; i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                s->needed[e->in[i]] = true;
    }
}

static bool any_needed(const splitter *s, const kni_draft_eqn *e)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        if (s->needed[e->out + i])
            return true;
    return false;
}

static knx_error *split_results(splitter *s, knt_replay *r, const kni_atom *tangent, knt_linearized *out)
{
    const kni_jaxpr *j = r->j;
    kni_atom *ly = knx_arena_alloc(&r->arena, ((size_t)j->n_out + 1) * sizeof *ly);
    out->out_tangent = knx_alloc_zero((size_t)j->n_out + 1);
    if (!ly || !out->out_tangent)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_atom t = tangent_of_atom(tangent, j->out[i]);
        out->out_tangent[i] = t != KN_ATOM_ZERO;
        if (t != KN_ATOM_ZERO)
            ly[out->n_tangent_out++] = in_linear(s, t);
    }
    out->n_residual = (uint32_t)s->residual.n;
    if (!order_linear_inputs(s, out->n_tangent_in))
        return knx_error_nomem();
    kni_atom *py = knx_arena_alloc(&r->arena, ((size_t)j->n_out + s->residual.n + 1) * sizeof *py);
    if (!py)
        return knx_error_nomem();
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_atom y = knt_atom(r, j->out[i]);
        KN_TRY(knb_take_error(&r->b)); /* a literal is made anew */
        py[n++] = in_primal(s, y);
    }
    for (size_t i = 0; i < s->residual.n; i++)
        py[n++] = s->primal[s->residual.at[i]];
    KN_TRY(knb_finish(&s->p, (int)n, py, j->name, true, &out->primal));
    return knb_finish(&s->l, (int)out->n_tangent_out, ly, j->name, true, &out->linear);
}

static knx_error *split(knt_replay *r, const kni_atom *tangent, const bool *has_tangent, knt_linearized *out)
{
    const kni_jaxpr *j = r->j;
    splitter s = {0};
    knx_error *error = splitter_begin(&s, r, tangent, has_tangent) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < j->n_in; i++)
            if (has_tangent[i]) {
                kni_atom t = tangent[j->n_const + i];
                out->n_tangent_in++;
                s.linear[t] = knb_invar(&s.l, knb_type(s.joint, t));
            }
        classify(&s);
        drop_unused_linear(&s, r, tangent);
        for (size_t k = 0; k < s.joint->eqn.n; k++) {
            const kni_draft_eqn *e = &s.joint->eqn.at[k];
            uint8_t kind = kind_of(&s, e);
            if (kind != VAR_LINEAR)
                copy_equation(&s, e, false);
            if (kind != VAR_PRIMAL && any_needed(&s, e))
                copy_equation(&s, e, true);
        }
        error = knb_take_error(&s.p);
        if (!error)
            error = knb_take_error(&s.l);
    }
    if (!error)
        error = split_results(&s, r, tangent, out);
    knb_free(&s.p);
    knb_free(&s.l);
    KN_VEC_FREE(&s.residual);
    return error;
}

knx_error *knt_linearize(const kni_jaxpr *j, const bool *has_tangent, knt_linearized *out)
{
    knt_replay r;
    kni_atom *tangent = NULL;
    *out = (knt_linearized){0};
    knx_error *error = knt_replay_begin(&r, j, true);
    if (!error)
        error = joint(&r, has_tangent, false, &tangent);
    if (!error)
        error = split(&r, tangent, has_tangent, out);
    knt_replay_end(&r);
    if (error)
        knt_linearized_free(out);
    return error;
}

void knt_linearized_free(knt_linearized *l)
{
    kni_release(l->primal);
    kni_release(l->linear);
    knx_free(l->out_tangent);
    *l = (knt_linearized){0};
}
