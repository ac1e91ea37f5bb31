/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c -- remat2: a call whose derivative keeps its operands and computes the rest again; name: its operand,
 * under a name that policies know.
 *
 *     type       the body's; name: the operand's
 *     linearize  the body's values and what the policy saves; then, as one remat2 equation, the other residuals
 *                computed again from operands and saved values, and the linear part. name: the tangent, unnamed
 *     transpose  the body, transposed: one remat2 equation, which computes again when the cotangents are there
 *     batch      the body, batched
 *     lower      expands to the body; if it computes again, behind a barrier over all of its operands, so that nothing
 *                of it is shared with the first time and none of it comes before the cotangents
 */
#include "prim/body.h"
#include "transform/replay.h"
#include <string.h>

static const kni_jaxpr *body(const void *params) { return ((const kni_p_remat *)params)->jaxpr; }

static knx_error *remat_type(kni_rule *r, kni_type *y) { return knp_body_type("remat2", body(r->params), r, y); }

/* A remat2 equation of j with this one's policy, which computes again. */
static void emit_again(const kni_rule *r, kni_jaxpr *j, const kni_atom *in, kni_atom *out)
{
    kni_p_remat p = *(const kni_p_remat *)r->params;
    p.differentiated = true;
    p.jaxpr = j;
    for (uint32_t i = 0; i < j->n_out; i++)
        out[i] = KN_ATOM_NONE;
    knb_emit(r->b, r->prim, &p, (int)j->n_in, in, out, (int)j->n_out);
}

/* --- policies --------------------------------------------------------------------------------- */

/* Is `name` one of the lines of `names`? */
static bool is_listed(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = names; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (!strncmp(s, name, n) && (s[n] == '\n' || !s[n]))
            return true;
    }
    return false;
}

static bool may_save(const kni_p_remat *p, const kni_eqn *e)
{
    bool product = (e->prim->bits & KN_PRODUCT) != 0, named = e->prim == &knp_prim_name;
    switch ((kni_save_policy)p->policy) {
    case KN_SAVE_NOTHING: break;
    case KN_SAVE_EVERYTHING: return true;
    case KN_SAVE_PRODUCTS: return product;
    case KN_SAVE_PRODUCTS_WITHOUT_BATCH:
        return e->prim == &knp_prim_dot_general && !((const kni_p_dot_general *)e->params)->lhs_batch.n;
    case KN_SAVE_THESE_NAMES: return named && is_listed(p->names, ((const kni_p_name *)e->params)->name);
    case KN_SAVE_OTHER_NAMES: return named && !is_listed(p->names, ((const kni_p_name *)e->params)->name);
    }
    return false;
}

/* --- linearize -------------------------------------------------------------------------------- */

/* The primal part of a body, divided. */
typedef struct division {
    const kni_jaxpr *primal; /* -> n_value values, residuals */
    uint32_t n_value;
    bool *needed; /* per variable: the residuals need it when they are computed again */
    bool *saved;  /* per variable: needed, and kept from the first time */
    uint32_t n_saved;
    kni_atom *atoms; /* room for results and operands of both parts */
} division;

static knx_error *divide(division *d, const kni_p_remat *p, knx_arena *a)
{
    const kni_jaxpr *j = d->primal;
    d->needed = knx_arena_zero(a, (size_t)j->n_var + 1);
    d->saved = knx_arena_zero(a, (size_t)j->n_var + 1);
    d->atoms = knx_arena_alloc(a, (2 * (size_t)j->n_var + j->n_out + 1) * sizeof *d->atoms);
    if (!d->needed || !d->saved || !d->atoms)
        return knx_error_nomem();
    for (uint32_t i = d->n_value; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            d->needed[j->out[i]] = true;
    for (uint32_t k = j->n_eqn; k-- > 0;) {
        const kni_eqn *e = &j->eqn[k];
        bool again = false, save = may_save(p, e);
        for (uint32_t i = 0; i < e->n_out; i++) {
            again = again || d->needed[e->out + i];
            d->saved[e->out + i] = save && d->needed[e->out + i];
            d->n_saved += d->saved[e->out + i];
        }
        for (uint32_t i = 0; again && !save && i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                d->needed[e->in[i]] = true;
    }
    return NULL;
}

/* operands -> values, saved values */
static knx_error *first_part(const division *d, kni_jaxpr **out)
{
    const kni_jaxpr *j = d->primal;
    knt_replay r;
    knx_error *e = knt_replay_begin(&r, j, true);
    uint32_t n = 0;
    for (uint32_t k = 0; !e && k < j->n_eqn; k++) {
        knt_operands(&r, &j->eqn[k]);
        knt_emit_same(&r, &j->eqn[k]);
    }
    for (uint32_t i = 0; !e && i < d->n_value; i++)
        d->atoms[n++] = knt_atom(&r, j->out[i]);
    for (uint32_t v = 0; !e && v < j->n_var; v++)
        if (d->saved[v])
            d->atoms[n++] = r.map[v];
    if (!e)
        e = knb_finish(&r.b, (int)n, d->atoms, j->name, true, out);
    knt_replay_end(&r);
    return e;
}

static bool is_again(const division *d, const kni_eqn *e)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        if (d->needed[e->out + i] && !d->saved[e->out + i])
            return true;
    return false;
}

/* saved values, operands that are needed, tangents -> tangents of the results */
static knx_error *second_part(const division *d, const knt_linearized *l, kni_jaxpr **out)
{
    const kni_jaxpr *j = d->primal;
    knt_replay r;
    knx_error *e = knt_replay_begin(&r, j, false);
    kni_atom *x = e ? NULL : knx_arena_alloc(&r.arena, ((size_t)l->linear->n_in + l->linear->n_out + 1) * sizeof *x);
    if (!e && !x)
        e = knx_error_nomem();
    for (uint32_t v = 0; !e && v < j->n_var; v++)
        if (d->saved[v])
            r.map[v] = knb_invar(&r.b, j->type[v]);
    for (uint32_t v = 0; !e && v < j->n_in; v++)
        if (d->needed[v])
            r.map[v] = knb_invar(&r.b, j->type[v]);
    for (uint32_t k = 0; !e && k < j->n_eqn; k++) {
        const kni_eqn *q = &j->eqn[k];
        if (!is_again(d, q))
            continue;
        knt_operands(&r, q);
        knt_emit_same(&r, q);
    }
    uint32_t n = 0, n_in = l->linear->n_in;
    for (uint32_t i = 0; !e && i < l->n_residual; i++)
        x[n++] = knt_atom(&r, j->out[d->n_value + i]);
    for (; !e && n < n_in; n++)
        x[n] = knb_invar(&r.b, kni_in_type(l->linear, n));
    r.b.place = NULL;
    if (!e) {
        knb_inline(&r.b, l->linear, x, x + n_in);
        e = knb_finish(&r.b, (int)l->linear->n_out, x + n_in, j->name, true, out);
    }
    knt_replay_end(&r);
    return e;
}

static knx_error *emit_parts(const kni_rule *r, const division *d, const knt_linearized *l, const kni_atom *tx,
                             kni_atom *y, kni_atom *ty)
{
    kni_jaxpr *first = NULL, *second = NULL;
    knx_error *e = first_part(d, &first);
    if (!e)
        e = second_part(d, l, &second);
    kni_atom *out = e ? NULL : knp_atoms(r->b, first->n_out), *in = e ? NULL : knp_atoms(r->b, second->n_in),
             *t = e ? NULL : knp_atoms(r->b, second->n_out);
    if (!e && (!out || !in || !t))
        e = knx_error_nomem();
    if (!e && ((const kni_p_remat *)r->params)->differentiated)
        emit_again(r, first, r->x, out);
    else if (!e)
        knb_inline(r->b, first, r->x, out);
    uint32_t n = 0;
    for (int i = 0; !e && i < r->n_out; i++)
        y[i] = out[i];
    for (uint32_t i = 0; !e && i < d->n_saved; i++)
        in[n++] = out[(uint32_t)r->n_out + i];
    for (int i = 0; !e && i < r->n_in; i++)
        if (d->needed[i])
            in[n++] = r->x[i];
    for (int i = 0; !e && i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            in[n++] = tx[i];
    if (!e)
        emit_again(r, second, in, t);
    for (int i = 0, k = 0; !e && i < r->n_out; i++)
        if (l->out_tangent[i])
            ty[i] = t[k++];
    kni_release(first);
    kni_release(second);
    return e;
}

/* Results and tangents are wanted together: the body and its derivative are one body. */
static knx_error *forward_derivative(const kni_rule *r, const kni_jaxpr *j, const bool *tangent, const kni_atom *tx,
                                     kni_atom *y, kni_atom *ty)
{
    kni_p_remat p = *(const kni_p_remat *)r->params;
    p.jaxpr = NULL;
    KN_TRY(knt_jvp(j, tangent, &p.jaxpr));
    int n_in = (int)p.jaxpr->n_in, n_out = (int)p.jaxpr->n_out, n = 0;
    kni_atom *in = knp_atoms(r->b, (size_t)n_in), *out = knp_atoms(r->b, (size_t)n_out);
    for (int i = 0; in && out && i < r->n_in; i++)
        in[n++] = r->x[i];
    for (int i = 0; in && out && i < r->n_in; i++)
        if (tangent[i])
            in[n++] = tx[i];
    if (in && out)
        knb_emit(r->b, r->prim, &p, n_in, in, out, n_out);
    kni_release(p.jaxpr);
    if (!in || !out)
        return knx_error_nomem();
    for (int i = 0, k = r->n_out; i < r->n_out; i++) {
        y[i] = out[i];
        if (kni_has_tangent(r->yt[i]))
            ty[i] = out[k++];
    }
    return NULL;
}

static knx_error *linearized(const kni_rule *r, const kni_jaxpr *j, const bool *tangent, const kni_atom *tx,
                             kni_atom *y, kni_atom *ty)
{
    knt_linearized l = {0};
    KN_TRY(knt_linearize(j, tangent, &l));
    division d = {.primal = l.primal, .n_value = (uint32_t)r->n_out};
    knx_error *e = divide(&d, r->params, &r->b->arena);
    if (!e)
        e = emit_parts(r, &d, &l, tx, y, ty);
    knt_linearized_free(&l);
    return e;
}

static knx_error *remat_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *tangent = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    kni_jaxpr *j = NULL;
    if (!tangent)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        tangent[i] = tx[i] != KN_ATOM_ZERO;
    KN_TRY(knt_inline_calls(body(r->params), &j)); /* policies look into calls */
    knx_error *e = (r->forward ? forward_derivative : linearized)(r, j, tangent, tx, y, ty);
    kni_release(j);
    return e;
}

/* --- transpose, batch, lowering --------------------------------------------------------------- */

static knx_error *remat_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    return knp_body_transpose(r, body(r->params), emit_again, ct, ct_in);
}

static knx_error *remat_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_remat p = *(const kni_p_remat *)r->params;
    bool *batched = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    if (!batched)
        return knx_error_nomem();
    KN_TRY(knt_batch_lazily(body(r->params), size, r->axis_name, axis, batched, &p.jaxpr));
    knb_emit(r->b, r->prim, &p, r->n_in, r->x, y, r->n_out);
    kni_release(p.jaxpr);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = batched[i] ? 0 : -1;
    return NULL;
}

static knx_error *remat_expand(const kni_rule *r, kni_atom *y)
{
    const kni_p_remat *p = r->params;
    kni_atom *x = knp_atoms(r->b, (size_t)r->n_in);
    if (!x)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        x[i] = r->x[i];
    if (p->differentiated && p->prevent_cse && r->n_in)
        knb_emit(r->b, &knp_prim_optimization_barrier, NULL, r->n_in, x, x, r->n_in);
    knb_inline(r->b, p->jaxpr, x, y);
    return NULL;
}

static bool remat_may_fail(const kni_rule *r) { return knp_body_may_fail(body(r->params)); }
static double remat_cost(const kni_rule *r) { return knp_body_cost(body(r->params)); }

const kni_prim knp_prim_remat2 = {
    .name = "remat2",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_remat,
    .params_size = sizeof(kni_p_remat),
    .doc = "calls a jaxpr whose derivative computes it again instead of keeping its values (jax.checkpoint)",
    .type = remat_type,
    .linearize = remat_linearize,
    .transpose = remat_transpose,
    .batch = remat_batch,
    .expand = remat_expand,
    .may_fail = remat_may_fail,
    .cost = remat_cost,
};

/* --- name ------------------------------------------------------------------------------------- */

static knx_error *name_type(kni_rule *r, kni_type *y)
{
    if (!((const kni_p_name *)r->params)->name)
        return knx_error_new(KN_ERROR_VALUE, "needs a name");
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static void name_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty) { (void)r, *ty = *tx; }

static knx_error *name_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    (void)r;
    *ct_in = *ct;
    return NULL;
}

const kni_prim knp_prim_name = {
    .name = "name",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_IDENTITY,
    .linear_in = 1,
    .factors = "... -> ...",
    .fields = kni_fields_name,
    .params_size = sizeof(kni_p_name),
    .doc = "x itself, under a name that policies of checkpoint know (jax.ad_checkpoint.checkpoint_name)",
    .type = name_type,
    .jvp = name_jvp,
    .transpose = name_transpose,
    .batch = knp_batch_elementwise,
    .expr = knp_expr_same,
    .cost = knp_cost_none,
};
