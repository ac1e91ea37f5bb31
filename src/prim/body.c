/* SPDX-License-Identifier: Apache-2.0
 * body.c -- rows that stand for one jaxpr over their operands: calls, custom derivatives, checkpoints. */
#include "prim/body.h"

knx_error *knp_body_type(const char *what, const kni_jaxpr *j, kni_rule *r, kni_type *y)
{
    if (!j || j->n_const)
        return knx_error_new(KN_ERROR_VALUE, "%s needs a jaxpr without constants", what);
    if ((uint32_t)r->n_in != j->n_in)
        return knx_error_new(KN_ERROR_TYPE, "%s takes %u arguments, not %d", *j->name ? j->name : "the function",
                             j->n_in, r->n_in);
    for (int i = 0; i < r->n_in; i++) {
        kni_type has = r->xt[i];
        has.weak = kni_in_type(j, (uint32_t)i).weak; /* arrays may take the place of numbers, and numbers theirs */
        if (!kni_type_equal(has, kni_in_type(j, (uint32_t)i))) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_TYPE, "%s: argument %d has type %s, not %s", *j->name ? j->name : what, i,
                                 kni_type_text(&s, r->xt[i], false),
                                 kni_type_text(&t, kni_in_type(j, (uint32_t)i), false));
        }
    }
    if ((uint32_t)r->n_out < j->n_out)
        return knx_error_new(KN_ERROR_VALUE, "%s has more results than there is room for", what);
    for (uint32_t i = 0; i < j->n_out; i++)
        if (!kni_type_copy(r->arena, kni_out_type(j, i),
                           &y[i])) /* the body may go before the equation's variables do */
            return knx_error_nomem();
    r->n_out = (int)j->n_out;
    return NULL;
}

bool knp_body_may_fail(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (kni_can_fail(j->eqn[i].prim, j->eqn[i].params))
            return true;
    return false;
}

double knp_body_cost(const kni_jaxpr *j)
{
    double cost = 0;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            cost += kni_type_count(j->type[j->eqn[i].out + k]);
    return cost;
}

kni_atom *knp_atoms(kni_builder *b, size_t n)
{
    kni_atom *a = knx_arena_alloc(&b->arena, (n + 1) * sizeof *a);
    for (size_t i = 0; a && i < n; i++)
        a[i] = KN_ATOM_NONE;
    return a;
}

static knx_error *emit_transposed(const kni_rule *r, kni_jaxpr *j, knp_emit_body *emit, const kni_atom *ct,
                                  kni_atom *ct_in)
{
    kni_atom *in = knp_atoms(r->b, j->n_in), *out = knp_atoms(r->b, j->n_out);
    if (!in || !out)
        return knx_error_nomem();
    int n = 0;
    for (int i = 0; i < r->n_in; i++)
        if (r->x[i] != KN_ATOM_LINEAR)
            in[n++] = r->x[i];
    for (int i = 0; i < r->n_out; i++)
        in[n++] = knb_instantiate(r->b, ct[i], r->yt[i]);
    emit(r, j, in, out);
    for (int i = 0, k = 0; i < r->n_in; i++)
        if (r->x[i] == KN_ATOM_LINEAR)
            ct_in[i] = out[k++];
    return NULL;
}

knx_error *knp_body_transpose(const kni_rule *r, const kni_jaxpr *j, knp_emit_body *emit, const kni_atom *ct,
                              kni_atom *ct_in)
{
    bool *linear = knx_alloc((size_t)r->n_in + 1);
    kni_jaxpr *transposed = NULL;
    if (!linear)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        linear[i] = r->x[i] == KN_ATOM_LINEAR;
    knx_error *error = knt_transpose(j, linear, &transposed);
    if (!error)
        error = emit_transposed(r, transposed, emit, ct, ct_in);
    kni_release(transposed);
    knx_free(linear);
    return error;
}

knx_error *knp_joins_scalars(const kni_jaxpr *j, int n, const kni_type *x, bool test)
{
    if (!j || j->n_const)
        return knx_error_new(KN_ERROR_VALUE, "needs a jaxpr without constants");
    int results = test ? 1 : n;
    if (j->n_in != 2 * (uint32_t)n || j->n_out != (uint32_t)results)
        return knx_error_new(KN_ERROR_TYPE,
                             "the computation must take %d scalars and give %d, but takes %u and gives %u", 2 * n,
                             results, j->n_in, j->n_out);
    for (int i = 0; i < 2 * n + results; i++) {
        kni_type t = i < 2 * n ? kni_in_type(j, (uint32_t)i) : kni_out_type(j, (uint32_t)(i - 2 * n));
        kn_dtype wanted = test && i >= 2 * n ? KN_DT(BOOL) : x[i % n].dtype;
        if (t.ndim || t.dtype != wanted) {
            knx_text text = {0};
            return knx_error_new(KN_ERROR_TYPE, "%s %d of the computation is %s, not a scalar %s",
                                 i < 2 * n ? "argument" : "result", i < 2 * n ? i : i - 2 * n,
                                 kni_type_text(&text, t, false), wanted->name);
        }
    }
    return NULL;
}

/* The last axis first. */
bool knp_join_tangents(const kni_rule *r, const kni_jaxpr *j, const kni_atom *tx, knp_joined *out)
{
    int n = r->n_out, all = n;
    for (int i = 0; i < n; i++)
        all += kni_has_tangent(r->xt[i]);
    *out = (knp_joined){.n = all, .x = knp_room(r->b, 2 * (size_t)all), .y = knp_room(r->b, (size_t)all)};
    bool *tangent = knx_arena_alloc(&r->b->arena, 2 * (size_t)n);
    if (!out->x || !out->y)
        return false;
    for (int i = 0, t = n; i < n; i++) {
        out->x[i] = r->x[i];
        out->x[all + i] = r->x[n + i];
        if (!kni_has_tangent(r->xt[i]))
            continue;
        out->x[t] = knb_instantiate(r->b, tx[i], r->xt[i]);
        out->x[all + t++] = knb_instantiate(r->b, tx[n + i], r->xt[n + i]);
    }
    for (int i = 0; tangent && i < 2 * n; i++)
        tangent[i] = kni_has_tangent(r->xt[i]);
    knx_error *e = tangent ? knt_jvp(j, tangent, &out->jaxpr) : knx_error_nomem();
    if (e)
        knb_fail(r->b, e);
    return !e;
}

void knp_end_join(const kni_rule *r, knp_joined *j, kni_atom *ty)
{
    kni_release(j->jaxpr);
    for (int i = 0, t = r->n_out; i < r->n_out; i++)
        if (kni_has_tangent(r->xt[i]))
            ty[i] = r->b->error ? KN_ATOM_NONE : j->y[t++];
}

kni_atom *knp_batch_joined(const kni_rule *r, int64_t size, const int *axis, bool *starts, int *axis_out)
{
    int n = r->n_out;
    kni_atom *x = knp_room(r->b, (size_t)r->n_in);
    *starts = false;
    for (int i = 0; x && i < n; i++) {
        x[i] = knp_batched_at(r, i, size, axis[i], 0);
        x[n + i] = r->x[n + i];
        *starts = *starts || axis[n + i] >= 0;
        axis_out[i] = 0;
    }
    return x;
}

knx_error *knp_over_axes(const kni_jaxpr *j, kni_type t, kni_jaxpr **out)
{
    kni_jaxpr *now = kni_retain((kni_jaxpr *)j);
    int *axis = knx_alloc_zero((j->n_in + 1) * sizeof *axis); /* all in front */
    knx_error *e = axis ? NULL : knx_error_nomem();
    for (int d = t.ndim - 1; d >= 0 && !e; d--) {
        kni_jaxpr *next = NULL;
        e = knt_batch(now, t.dim[d], NULL, axis, NULL, &next);
        kni_release(now);
        now = next;
    }
    knx_free(axis);
    if (e)
        kni_release(now);
    else
        *out = now;
    return e;
}
