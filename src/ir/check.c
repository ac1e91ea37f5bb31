/* SPDX-License-Identifier: Apache-2.0
 * check.c -- the rules of the language: what every jaxpr must be, whoever made it. Messages name the equation. */
#include "base/hash.h"
#include "ir/params.h"
#include "ir/prim.h"
#include <stdio.h>
#include <string.h>

#define FAULT(...) knx_error_new(KN_ERROR_VALUE, __VA_ARGS__)

typedef struct checker {
    knx_arena scratch; /* of one equation's types */
    knx_table checked; /* jaxprs that were found right: shared ones are looked at once */
} checker;

static knx_error *check_jaxpr(checker *c, const kni_jaxpr *j);

static knx_error *check_type(kni_type t, const char *what, uint32_t number)
{
    if (!t.dtype)
        return FAULT("%s %u has no dtype", what, number);
    if (t.ndim < 0 || t.ndim > KN_MAX_NDIM)
        return FAULT("%s %u has %d dimensions", what, number, t.ndim);
    for (int i = 0; i < t.ndim; i++)
        if (t.dim[i] < 0)
            return FAULT("%s %u has a negative extent", what, number);
    return NULL;
}

static knx_error *check_tables(const kni_jaxpr *j)
{
    if (!j->name)
        return FAULT("the jaxpr has no name: \"\" stands for none");
    if ((uint64_t)j->n_const + j->n_in > j->n_var)
        return FAULT("%u constants and %u inputs are more than %u variables", j->n_const, j->n_in, j->n_var);
    for (uint32_t i = 0; i < j->n_var; i++)
        KN_TRY(check_type(j->type[i], "variable", i));
    for (uint32_t i = 0; i < j->n_literal; i++) {
        const kni_literal *l = &j->literal[i];
        KN_TRY(check_type(l->type, "literal", i));
        if (l->type.ndim)
            return FAULT("literal %u is not a scalar", i);
        for (size_t k = l->type.dtype->size; k < sizeof l->bits; k++)
            if (l->bits.bytes[k])
                return FAULT("literal %u has bits that its dtype does not use", i);
    }
    return NULL;
}

static knx_error *check_atom(const kni_jaxpr *j, kni_atom a, uint32_t bound, const char *what, uint32_t number)
{
    if (kni_is_literal(a))
        return (a & ~KN_LITERAL_BIT) < j->n_literal ? NULL
                                                    : FAULT("%s %u is a literal that does not exist", what, number);
    if (a >= j->n_var)
        return FAULT("%s %u is a variable that does not exist", what, number);
    return a < bound ? NULL : FAULT("%s %u is not bound before its use", what, number);
}

/* number: among several of this name; -1: it is the only one */
static knx_error *check_sub_jaxpr(checker *c, const kni_jaxpr *sub, const char *name, int number)
{
    char which[24] = "";
    knx_error *e = sub ? check_jaxpr(c, sub) : FAULT("there is none");
    if (!e)
        return NULL;
    if (number >= 0)
        snprintf(which, sizeof which, "[%d]", number);
    knx_error *outer = knx_error_new(e->kind, "%s%s: %s", name, which, e->message);
    knx_error_release(e);
    return outer;
}

static knx_error *check_field(checker *c, const kni_param_field *f, const void *params)
{
    const char *at = (const char *)params + f->offset;
    switch (f->kind) {
    case KN_P_INTS: {
        const kni_ints *v = (const void *)at;
        return v->n >= 0 && (v->n == 0 || v->v) ? NULL : FAULT("parameter %s is no list", f->name);
    }
    case KN_P_DOUBLES: {
        const kni_doubles *v = (const void *)at;
        return v->n >= 0 && (v->n == 0 || v->v) ? NULL : FAULT("parameter %s is no list", f->name);
    }
    case KN_P_NAMES: {
        const kni_names *v = (const void *)at;
        bool fine = v->n >= 0 && (v->n == 0 || v->v);
        for (int i = 0; fine && i < v->n; i++)
            fine = v->v[i] != NULL;
        return fine ? NULL : FAULT("parameter %s is no list of names", f->name);
    }
    case KN_P_SHARDING: return *(const kni_sharding *const *)at ? NULL : FAULT("parameter %s is missing", f->name);
    case KN_P_SHARDINGS: {
        const kni_shardings *v = (const void *)at;
        bool fine = v->n >= 0 && (v->n == 0 || v->v);
        for (int i = 0; fine && i < v->n; i++)
            fine = v->v[i] && v->v[i]->mesh == v->v[0]->mesh;
        return fine ? NULL : FAULT("parameter %s is no list of shardings of one mesh", f->name);
    }
    case KN_P_DTYPE:
        return *(const kn_dtype *)at || (f->flags & KN_PF_HIDE_EMPTY) ? NULL
                                                                      : FAULT("parameter %s is missing", f->name);
    case KN_P_ENUM: {
        int64_t v = *(const int64_t *)at, n = 0;
        while (f->names[n])
            n++;
        return v >= 0 && v < n ? NULL : FAULT("parameter %s is out of range", f->name);
    }
    case KN_P_JAXPR: return check_sub_jaxpr(c, *(kni_jaxpr *const *)at, f->name, -1);
    case KN_P_JAXPRS: {
        const kni_jaxprs *v = (const void *)at;
        if (v->n < 0 || (v->n > 0 && !v->v))
            return FAULT("parameter %s is no list", f->name);
        for (int i = 0; i < v->n; i++)
            KN_TRY(check_sub_jaxpr(c, v->v[i], f->name, i));
        return NULL;
    }
    case KN_P_THUNK: return *(kni_thunk *const *)at ? NULL : FAULT("parameter %s is missing", f->name);
    case KN_P_INT:
    case KN_P_BOOL:
    case KN_P_STRING:
    case KN_P_DOUBLE:
    case KN_P_MESH:
    case KN_P_TEXT: return NULL;
    }
    return FAULT("parameter %s is of an unknown kind", f->name);
}

static knx_error *check_result_types(checker *c, const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_prim *p = e->prim;
    size_t room = kni_result_room(p, e->params, (int)e->n_in) + (p->n_out < 0 ? e->n_out : 0);
    kni_type *x = knx_arena_alloc(&c->scratch, e->n_in * sizeof *x),
             *y = knx_arena_alloc(&c->scratch, room * sizeof *y);
    if (!x || !y)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    kni_rule r = {.prim = p,
                  .params = e->params,
                  .n_in = (int)e->n_in,
                  .n_out = p->n_out >= 0 ? p->n_out : (int)room,
                  .xt = x,
                  .arena = &c->scratch};
    KN_TRY(p->type(&r, y));
    if (p->n_out < 0 && (uint32_t)r.n_out != e->n_out)
        return FAULT("the type rule gives %d results, not %u", r.n_out, e->n_out);
    for (uint32_t i = 0; i < e->n_out; i++)
        if (!kni_type_equal(y[i], j->type[e->out + i])) {
            knx_text has = {0}, rule = {0};
            return FAULT("result %u has type %s%s, the type rule gives %s%s", i,
                         kni_type_text(&has, j->type[e->out + i], false), j->type[e->out + i].weak ? "*" : "",
                         kni_type_text(&rule, y[i], false), y[i].weak ? "*" : "");
        }
    return NULL;
}

static knx_error *check_equation(checker *c, const kni_jaxpr *j, const kni_eqn *e, uint32_t bound)
{
    const kni_prim *p = e->prim;
    if (e->out != bound || (uint64_t)bound + e->n_out > j->n_var)
        return FAULT("its results are not the next variables");
    if (p->n_in >= 0 && e->n_in != (uint32_t)p->n_in)
        return FAULT("%u operands instead of %d", e->n_in, p->n_in);
    if (p->n_out >= 0 && e->n_out != (uint32_t)p->n_out)
        return FAULT("%u results instead of %d", e->n_out, p->n_out);
    for (uint32_t i = 0; i < e->n_in; i++)
        KN_TRY(check_atom(j, e->in[i], bound, "operand", i));
    if (!e->params != !p->params_size)
        return FAULT(e->params ? "parameters, but it takes none" : "the parameters are missing");
    for (const kni_param_field *f = p->fields; e->params && f && f->name; f++)
        KN_TRY(check_field(c, f, e->params));
    return check_result_types(c, j, e);
}

static knx_error *check_equations(checker *c, const kni_jaxpr *j)
{
    uint32_t bound = j->n_const + j->n_in;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (!e->prim)
            return FAULT("equation %u has no primitive", i);
        knx_error *error = check_equation(c, j, e, bound);
        if (error) {
            knx_error *named = knx_error_new(error->kind, "equation %u (%s): %s", i, e->prim->name, error->message);
            knx_error_release(error);
            return named;
        }
        bound += e->n_out;
        knx_arena_reset(&c->scratch);
    }
    if (bound != j->n_var)
        return FAULT("%u variables, but constants, inputs and equations bind %u", j->n_var, bound);
    for (uint32_t i = 0; i < j->n_out; i++)
        KN_TRY(check_atom(j, j->out[i], bound, "result", i));
    return NULL;
}

static knx_error *check_jaxpr(checker *c, const kni_jaxpr *j)
{
    size_t cursor;
    uint64_t key = (uintptr_t)j;
    if (knx_table_first(&c->checked, key, &cursor))
        return NULL;
    KN_TRY(check_tables(j));
    KN_TRY(check_equations(c, j));
    if (j->hash != kni_hash(j))
        return FAULT("the hash is not that of the structure");
    return knx_table_add(&c->checked, key, (void *)(uintptr_t)j) ? NULL : knx_error_nomem();
}

knx_error *kni_check(const kni_jaxpr *j)
{
    checker c = {.scratch = KN_ARENA_INIT};
    knx_error *e = check_jaxpr(&c, j);
    knx_arena_free(&c.scratch);
    knx_table_free(&c.checked);
    return e;
}
