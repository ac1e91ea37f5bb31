/* SPDX-License-Identifier: Apache-2.0
 * call.c -- jit: a call of a jaxpr, kept as one equation so that it is seen in jaxprs and compiled as a whole.
 *
 *     type       operands of exactly the body's types; its results
 *     linearize  the body's primal part with residuals, and a second call of its linear part; in forward mode one call
 *                of both, so that a loop in there runs once
 *     transpose  the body, transposed
 *     batch      the body, batched
 *     lower      expands to the body
 */
#include "prim/body.h"

static knx_error *jit_type(kni_rule *r, kni_type *y)
{
    return knp_body_type("jit", ((const kni_p_jit *)r->params)->jaxpr, r, y);
}

/* A call of j with the name that this equation's has. */
static void call(const kni_rule *r, kni_jaxpr *j, const kni_atom *in, kni_atom *out)
{
    for (uint32_t i = 0; i < j->n_out; i++)
        out[i] = KN_ATOM_NONE;
    knb_jit(r->b, ((const kni_p_jit *)r->params)->name, j, 0, in, out);
}

/* --- linearize -------------------------------------------------------------------------------- */

static knx_error *emit_linearized(const kni_rule *r, const knt_linearized *l, const kni_atom *tx, kni_atom *y,
                                  kni_atom *ty)
{
    kni_atom *out = knp_atoms(r->b, (size_t)l->primal->n_out), *in = knp_atoms(r->b, (size_t)l->linear->n_in);
    kni_atom *t = knp_atoms(r->b, (size_t)l->linear->n_out);
    if (!out || !in || !t)
        return knx_error_nomem();
    call(r, l->primal, r->x, out);
    for (int i = 0; i < r->n_out; i++)
        y[i] = out[i];
    if (!l->n_tangent_out)
        return NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n_residual; i++)
        in[n++] = out[(uint32_t)r->n_out + i];
    for (int i = 0; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            in[n++] = tx[i];
    call(r, l->linear, in, t);
    for (int i = 0, k = 0; i < r->n_out; i++)
        if (l->out_tangent[i])
            ty[i] = t[k++];
    return NULL;
}

static knx_error *linearized(const kni_rule *r, const kni_jaxpr *j, const bool *has_tangent, const kni_atom *tx,
                             kni_atom *y, kni_atom *ty)
{
    knt_linearized l = {0};
    knx_error *error = knt_linearize(j, has_tangent, &l);
    if (!error)
        error = emit_linearized(r, &l, tx, y, ty);
    knt_linearized_free(&l);
    return error;
}

static knx_error *emit_forward(const kni_rule *r, kni_jaxpr *j, const bool *out_tangent, const kni_atom *tx,
                               kni_atom *y, kni_atom *ty)
{
    kni_atom *in = knp_atoms(r->b, j->n_in), *out = knp_atoms(r->b, j->n_out);
    if (!in || !out)
        return knx_error_nomem();
    uint32_t n = 0;
    for (int i = 0; i < r->n_in; i++)
        in[n++] = r->x[i];
    for (int i = 0; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            in[n++] = tx[i];
    call(r, j, in, out);
    for (int i = 0, k = r->n_out; i < r->n_out; i++) {
        y[i] = out[i];
        if (out_tangent[i])
            ty[i] = out[k++];
    }
    return NULL;
}

static knx_error *forward_derivative(const kni_rule *r, const kni_jaxpr *j, const bool *has_tangent, const kni_atom *tx,
                                     kni_atom *y, kni_atom *ty)
{
    bool *none = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    bool *out_tangent = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    kni_jaxpr *joint = NULL;
    if (!none || !out_tangent)
        return knx_error_nomem();
    KN_TRY(knt_jvp_lazily(j, has_tangent, none, out_tangent, &joint));
    knx_error *error = emit_forward(r, joint, out_tangent, tx, y, ty);
    kni_release(joint);
    return error;
}

static knx_error *jit_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *has_tangent = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    if (!has_tangent)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        has_tangent[i] = tx[i] != KN_ATOM_ZERO;
    const kni_jaxpr *j = ((const kni_p_jit *)r->params)->jaxpr;
    return (r->forward ? forward_derivative : linearized)(r, j, has_tangent, tx, y, ty);
}

/* --- transpose -------------------------------------------------------------------------------- */

static knx_error *jit_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    return knp_body_transpose(r, ((const kni_p_jit *)r->params)->jaxpr, call, ct, ct_in);
}

/* --- batch, lowering -------------------------------------------------------------------------- */

static knx_error *jit_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    bool *batched = knx_alloc((size_t)r->n_out + 1);
    kni_jaxpr *j = NULL;
    if (!batched)
        return knx_error_nomem();
    knx_error *error = knt_batch_lazily(((const kni_p_jit *)r->params)->jaxpr, size, r->axis_name, axis, batched, &j);
    if (!error) {
        call(r, j, r->x, y);
        for (int i = 0; i < r->n_out; i++)
            axis_out[i] = batched[i] ? 0 : -1;
    }
    kni_release(j);
    knx_free(batched);
    return error;
}

static knx_error *jit_expand(const kni_rule *r, kni_atom *y)
{
    knb_inline(r->b, ((const kni_p_jit *)r->params)->jaxpr, r->x, y);
    return NULL;
}

static bool jit_may_fail(const kni_rule *r) { return knp_body_may_fail(((const kni_p_jit *)r->params)->jaxpr); }

static double jit_cost(const kni_rule *r) { return knp_body_cost(((const kni_p_jit *)r->params)->jaxpr); }

const kni_prim knp_prim_jit = {
    .name = "jit",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CALLS | KN_CAN_FAIL,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_jit,
    .params_size = sizeof(kni_p_jit),
    .doc = "calls a jaxpr (jax.jit)",
    .type = jit_type,
    .linearize = jit_linearize,
    .transpose = jit_transpose,
    .batch = jit_batch,
    .expand = jit_expand,
    .may_fail = jit_may_fail,
    .cost = jit_cost,
};
