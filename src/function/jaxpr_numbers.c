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

static knx_error *compile_variables(const kni_jaxpr *j, const knc_compile_options *o, knf_symbolic *s,
                                    const knf_dims *dims, knc_program **out)
{
    knx_dim_scope *scope = knf_symbolic_rules(s);
    if (!knf_assume(scope, dims))
        return knx_error_nomem();
    knx_dim_enter(scope);
    knx_error *error = knc_compile(j, o, out);
    knx_dim_leave(scope);
    knx_error *refused = knx_dim_take_error(scope);
    if (!error && refused) {
        knc_release(*out);
        *out = NULL;
        return refused;
    }
    knx_error_release(refused);
    return error;
}

knx_error *knf_jaxpr_program(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out, knf_dims *dims)
{
    knf_symbolic *s;
    *out = NULL;
    dims->n = 0;
    if (!knf_jaxpr_has_variables(j))
        return knc_compile(j, o, out);
    KN_TRY(knf_symbolic_of(j->type, (int)(j->n_const + j->n_in), &s));
    knx_error *error = knf_symbolic_typical(s, dims);
    if (!error)
        error = compile_variables(j, o, s, dims, out);
    knf_symbolic_drop(s);
    return error;
}

static knx_error *for_inputs(const kni_jaxpr *j, const knf_symbolic *s, const kni_type *in, kni_jaxpr **out)
{
    kni_type *types = NULL;
    knf_dims dims;
    KN_TRY(knf_symbolic_numbers(s, in, &types, &dims));
    knx_free(types);
    return with_numbers(j, &dims, out);
}

/* Runs f in the scope in force, of which the inputs may have variables; else in one of its own, for what it refuses. */
static knx_error *in_scope(knx_error *(*f)(void *), void *x)
{
    knx_dim_scope own;
    if (knx_dim_now())
        return f(x);
    knx_dim_scope_init(&own);
    knx_dim_enter(&own);
    knx_error *error = f(x), *refused = own.error;
    knx_dim_leave(&own);
    if (refused) /* what else is wrong follows from it */
        knx_error_release(error);
    error = refused ? knx_dim_take_error(&own) : error;
    knx_dim_scope_free(&own);
    return error;
}

typedef struct filled {
    const kni_jaxpr *j;
    const kni_type *in;
    kni_jaxpr *made;
    const kni_eqn *e; /* of j, which alone is wanted */
    void *params;     /* a copy of its parameters */
} filled;

static knx_error *fill_jaxpr(void *x)
{
    filled *f = x;
    knf_symbolic *s;
    KN_TRY(knf_symbolic_of(f->j->type + f->j->n_const, (int)f->j->n_in, &s));
    knx_error *error = for_inputs(f->j, s, f->in, &f->made);
    knf_symbolic_drop(s);
    return error;
}

knx_error *knf_jaxpr_with_numbers(const kni_jaxpr *j, const kni_type *in, kni_jaxpr **out)
{
    filled f = {.j = j, .in = in};
    knx_error *error = in_scope(fill_jaxpr, &f);
    if (error)
        kni_release(f.made);
    *out = error ? NULL : f.made;
    return error;
}

static knx_error *fill_equation(void *x)
{
    filled *f = x;
    knf_symbolic *s;
    knf_dims dims;
    kni_type *was = knx_alloc((f->e->n_in + 1u) * sizeof *was), *types = NULL;
    for (uint32_t i = 0; was && i < f->e->n_in; i++)
        was[i] = kni_atom_type(f->j, f->e->in[i]);
    knx_error *error = was ? knf_symbolic_of(was, (int)f->e->n_in, &s) : knx_error_nomem();
    knx_free(was);
    if (error)
        return error;
    error = knf_symbolic_numbers(s, f->in, &types, &dims);
    if (!error)
        error = put_in_params(f->e->prim, f->params, &dims);
    knx_free(types);
    knf_symbolic_drop(s);
    return error;
}

knx_error *knf_params_with_numbers(const kni_jaxpr *j, const kni_eqn *e, const kni_type *in, void *params)
{
    filled f = {.j = j, .in = in, .e = e, .params = params};
    return in_scope(fill_equation, &f);
}
