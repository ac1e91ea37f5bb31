/* SPDX-License-Identifier: Apache-2.0
 * variables.c -- see variables.h. */
#include "variables.h"
#include "ir/builder.h"
#include "ir/thunk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t variable_for(variables *s, int64_t n)
{
    char name[32];
    int64_t d = n;
    knx_dim_var v;
    if (n < s->least)
        return n;
    snprintf(name, sizeof name, "n%lld", (long long)n);
    if (!knx_dim_named(name, strlen(name), &d) || !knx_dim_is_var(d, &v))
        abort();
    for (size_t i = 0; i < s->scope.sample.n; i++)
        if (s->scope.sample.at[i].var == v)
            return s->instead ? s->instead[i] : d;
    for (int i = 0; i < s->n_kept; i++)
        if (s->kept[i] == n)
            return n;
    if (s->instead)
        return n;
    if (!knx_dim_sample(&s->scope, v, n))
        abort();
    return d;
}

static kni_ints all_variables(variables *s, kni_ints v)
{
    int64_t *own = knx_arena_alloc(&s->arena, ((size_t)v.n + 1) * sizeof *own);
    for (int i = 0; i < v.n; i++)
        own[i] = variable_for(s, v.v[i]);
    return (kni_ints){v.n, own};
}

static kni_type retyped_type(variables *s, kni_type t)
{
    t.dim = all_variables(s, (kni_ints){t.ndim, t.dim}).v;
    return t;
}

static kni_thunk *retyped_rule(variables *s, kni_thunk *t, knx_error **error)
{
    kni_jaxpr *held = t->held && !*error ? with_variables(s, t->held, error) : NULL;
    kni_thunk *own = held ? kni_thunk_new(t->name, held) : kni_thunk_retain(t);
    s->rule |= !held;
    kni_release(held);
    return own;
}

static void *retyped_params(variables *s, const kni_eqn *e, knx_error **error)
{
    char *params = knx_arena_copy(&s->arena, e->params, e->prim->params_size);
    for (const kni_param_field *f = e->prim->fields; f && f->name && !*error; f++) {
        void *at = params + f->offset;
        if (f->kind == KN_P_INT && f->flags & KN_PF_EXTENTS)
            *(int64_t *)at = variable_for(s, *(int64_t *)at);
        else if (f->kind == KN_P_INTS && f->flags & KN_PF_EXTENTS)
            *(kni_ints *)at = all_variables(s, *(kni_ints *)at);
        else if (f->kind == KN_P_JAXPR && *(kni_jaxpr **)at)
            *(kni_jaxpr **)at = with_variables(s, *(kni_jaxpr **)at, error);
        else if (f->kind == KN_P_JAXPRS) {
            kni_jaxprs *list = at;
            kni_jaxpr **own = knx_arena_zero(&s->arena, ((size_t)list->n + 1) * sizeof *own);
            for (int i = 0; i < list->n; i++)
                own[i] = *error ? NULL : with_variables(s, list->v[i], error);
            list->v = own;
        }
        if (f->kind == KN_P_THUNK)
            *(kni_thunk **)at = retyped_rule(s, *(kni_thunk **)at, error);
    }
    return params;
}

static void release_held(const kni_prim *p, const void *params)
{
    for (const kni_param_field *f = p->fields; params && f && f->name; f++) {
        if (f->kind == KN_P_THUNK)
            kni_thunk_release(*(kni_thunk *const *)((const char *)params + f->offset));
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n; i++)
            kni_release(inner.v[i]);
    }
}

kni_jaxpr *with_variables(variables *s, const kni_jaxpr *j, knx_error **error)
{
    kni_builder k;
    kni_jaxpr *out = NULL;
    kni_atom *var = knx_arena_alloc(&s->arena, ((size_t)j->n_var + 1) * sizeof *var);
    knb_init(&k);
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
        var[i] = (i < j->n_const ? knb_constvar : knb_invar)(&k, retyped_type(s, j->type[i]));
    for (uint32_t i = 0; i < j->n_eqn && !k.error && !*error; i++) {
        const kni_eqn *e = &j->eqn[i];
        kni_atom *in = knx_arena_alloc(&s->arena, ((size_t)e->n_in + 1) * sizeof *in);
        for (uint32_t x = 0; x < e->n_in; x++) {
            const kni_literal *l = kni_is_literal(e->in[x]) ? &j->literal[e->in[x] & ~KN_LITERAL_BIT] : NULL;
            in[x] = l ? knb_literal(&k, l->type.dtype, l->type.weak, l->bits) : var[e->in[x]];
        }
        void *params = e->params ? retyped_params(s, e, error) : NULL;
        if (!*error) {
            int n = knb_emit(&k, e->prim, params, (int)e->n_in, in, var + e->out, (int)e->n_out);
            if (!k.error && n != (int)e->n_out)
                knb_fail(&k, knx_error_new(KN_ERROR_VALUE, "%d results instead of %u", n, e->n_out));
        }
        release_held(e->prim, params);
    }
    kni_atom *result = knx_arena_alloc(&s->arena, ((size_t)j->n_out + 1) * sizeof *result);
    for (uint32_t i = 0; i < j->n_out && !k.error && !*error; i++) {
        const kni_literal *l = kni_is_literal(j->out[i]) ? &j->literal[j->out[i] & ~KN_LITERAL_BIT] : NULL;
        result[i] = l ? knb_literal(&k, l->type.dtype, l->type.weak, l->bits) : var[j->out[i]];
    }
    if (!*error)
        *error = knb_finish(&k, (int)j->n_out, result, j->name, false, &out);
    knb_free(&k);
    return out;
}

bool guards_hold(const variables *s, const knx_dim_value *value)
{
    for (size_t g = 0; g < s->scope.guard.n; g++) {
        const knx_dim_guard *one = &s->scope.guard.at[g];
        int64_t e;
        if (!knx_dim_evaluate(one->e, (int)s->scope.sample.n, value, &e) ||
            (one->equal ? e == 0 : e >= 0) != one->holds)
            return false;
    }
    return true;
}
