/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_numbers.c -- jaxprs with dimension variables, for arrays whose extents are numbers: the same equations, written
 * with these. */
#include "function/symbolic.h"
#include "transform/replay.h"

static int64_t number(const knf_dims *dims, int64_t d)
{
    int64_t n;
    if (!knx_is_symbolic(d))
        return d;
    if (knx_dim_evaluate(d, dims->n, dims->value, &n))
        return n;
    knx_text t = {0};
    knx_dim_refuse(knx_error_new(KN_ERROR_VALUE, "the inputs do not say what %s is", knx_dim_show(&t, d)));
    return 0;
}

/* Do the numbers of extents fit where they become numbers of a dtype? */
static knx_error *check_equation(const kni_eqn *e, const knf_dims *dims)
{
    int64_t n;
    if (e->prim == &knp_prim_dim_as_value) {
        const kni_p_dim *p = e->params;
        return p->fits && knx_dim_evaluate(p->dim, dims->n, dims->value, &n) ? kni_dim_fits(p, n) : NULL;
    }
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, e->params);
        for (int i = 0; i < inner.n; i++)
            if (inner.v[i])
                KN_TRY(knf_check_numbers(inner.v[i], dims));
    }
    return NULL;
}

knx_error *knf_check_numbers(const kni_jaxpr *j, const knf_dims *dims)
{
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        knx_error *error = check_equation(&j->eqn[i], dims);
        if (error && !error->place)
            error->place = j->eqn[i].place;
        if (error)
            return error;
    }
    return NULL;
}

static bool put_numbers(knx_arena *a, const knf_dims *dims, kni_type from, kni_type *to)
{
    if (!kni_type_copy(a, from, to))
        return false;
    for (int d = 0; d < to->ndim; d++)
        ((int64_t *)(uintptr_t)to->dim)[d] = number(dims, to->dim[d]);
    return true;
}

static knx_error *with_numbers(const kni_jaxpr *j, const knf_dims *dims, kni_jaxpr **out);

/* In a copy of an equation's parameters, which has references to its jaxprs. */
static knx_error *put_in_params(const kni_prim *p, void *params, const knf_dims *dims)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        char *member = (char *)params + f->offset;
        if (f->flags & KN_PF_DERIVED)
            continue;
        if (f->kind == KN_P_INT)
            *(int64_t *)(void *)member = number(dims, *(int64_t *)(void *)member);
        kni_ints list = f->kind == KN_P_INTS ? *(kni_ints *)(void *)member : (kni_ints){0};
        for (int i = 0; i < list.n; i++)
            ((int64_t *)(uintptr_t)list.v)[i] = number(dims, list.v[i]);
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n; i++) {
            kni_jaxpr *was = inner.v[i], *is = NULL;
            if (!was)
                continue;
            KN_TRY(with_numbers(was, dims, &is));
            ((kni_jaxpr **)(uintptr_t)inner.v)[i] = is;
            kni_release(was);
        }
    }
    return NULL;
}

static knx_error *write_equation(knt_replay *r, const kni_eqn *e, const knf_dims *dims)
{
    const void *params;
    kni_eqn mine = *e;
    knt_operands(r, e);
    if (!kni_params_copy(&r->arena, e->prim, e->params, &params))
        return knx_error_nomem();
    mine.params = params;
    knx_error *error = params ? put_in_params(e->prim, (void *)(uintptr_t)params, dims) : NULL;
    if (!error)
        knt_emit_same(r, &mine);
    kni_params_drop(e->prim, params);
    return error;
}

static knx_error *with_numbers(const kni_jaxpr *j, const knf_dims *dims, kni_jaxpr **out)
{
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, false);
    for (uint32_t v = j->n_const; !error && v < j->n_const + j->n_in; v++) {
        kni_type t;
        if (put_numbers(&r.arena, dims, j->type[v], &t))
            r.map[v] = knb_invar(&r.b, t);
        else
            error = knx_error_nomem();
    }
    for (uint32_t i = 0; !error && i < j->n_eqn; i++)
        error = write_equation(&r, &j->eqn[i], dims);
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

bool knf_jaxpr_has_variables(const kni_jaxpr *j)
{
    for (uint32_t v = 0; v < j->n_var; v++)
        if (kni_type_is_symbolic(j->type[v]))
            return true;
    return false;
}

knx_error *knf_needs_numbers(const kni_jaxpr *j)
{
    if (!knf_jaxpr_has_variables(j))
        return NULL;
    return knx_error_new(KN_ERROR_VALUE,
                         "the jaxpr has dimension variables: kn_make_jaxpr of the function with arguments "
                         "whose extents are numbers has a program");
}

static knx_error *for_inputs(const kni_jaxpr *j, const knf_symbolic *s, const kni_type *in, kni_jaxpr **out)
{
    kni_type *types = NULL;
    knf_dims dims;
    KN_TRY(knf_symbolic_numbers(s, in, &types, &dims));
    knx_free(types);
    return with_numbers(j, &dims, out);
}

knx_error *knf_jaxpr_with_numbers(const kni_jaxpr *j, const kni_type *in, kni_jaxpr **out)
{
    knf_symbolic *s;
    knx_dim_scope own; /* for what it refuses, unless there is one, of which the inputs have variables */
    bool alone = !knx_dim_now();
    *out = NULL;
    KN_TRY(knf_symbolic_of(j->type + j->n_const, (int)j->n_in, &s));
    knx_dim_scope_init(&own);
    if (alone)
        knx_dim_enter(&own);
    knx_error *error = for_inputs(j, s, in, out);
    if (alone)
        knx_dim_leave(&own);
    if (own.error) { /* what else is wrong follows from it */
        knx_error_release(error);
        kni_release(*out);
        *out = NULL;
        error = knx_dim_take_error(&own);
    }
    knx_dim_scope_free(&own);
    knf_symbolic_drop(s);
    return error;
}
