/* SPDX-License-Identifier: Apache-2.0
 * formula.c -- formulas with their own derivative as equations: see formula.h. */
#include "array/formula.h"
#include "array/lift.h"
#include "ir/thunk.h"

/* The rule of a formula; its jaxpr is made when a transformation asks for it. */
typedef struct formula_thunk {
    kni_thunk thunk;
    const kna_formula *formula;
} formula_thunk;

static const kna_formula *formula_of(const kni_thunk *t) { return ((const formula_thunk *)t)->formula; }

static knx_error *rule_jaxpr(kni_thunk *t, int n_in, const kni_type *in, kni_jaxpr **out)
{
    const kna_formula *f = formula_of(t);
    kni_builder b;
    kni_atom x[2 * KNA_FORMULA_OPERANDS] = {0}, y[2];
    if (n_in != 2 * f->n)
        return knx_error_new(KN_ERROR_TYPE, "the rule %s takes %d arrays; %d are given", f->rule_name, 2 * f->n, n_in);
    knb_init(&b);
    for (int i = 0; i < n_in; i++)
        x[i] = knb_invar(&b, in[i]);
    y[0] = kna_formula_of(&b, f, x); /* so that derivatives of the tangent use the rule, too */
    y[1] = f->tangent(&b, x, y[0], x + f->n);
    knx_error *e = knb_finish(&b, 2, y, f->rule_name, true, out);
    knb_free(&b);
    return e;
}

static bool same_formula(const kni_thunk *a, const kni_thunk *b) { return formula_of(a) == formula_of(b); }
static uint64_t hash_formula(const kni_thunk *t) { return (uint64_t)(uintptr_t)formula_of(t) * 0x9e3779b97f4a7c15u; }
static void free_formula(kni_thunk *t) { knx_free(t); }

static const kni_thunk_kind formula_kind = {rule_jaxpr, same_formula, hash_formula, free_formula, NULL};

static kni_thunk *thunk_of(const kna_formula *f)
{
    formula_thunk *t = knx_alloc(sizeof *t);
    if (t)
        *t = (formula_thunk){{.refs = 1, .kind = &formula_kind, .name = f->rule_name}, f};
    return t ? &t->thunk : NULL;
}

static knx_error *body_of(const kna_formula *f, const kni_type *in, kni_jaxpr **out)
{
    kni_builder b;
    kni_atom x[KNA_FORMULA_OPERANDS] = {0};
    knb_init(&b);
    for (int i = 0; i < f->n; i++)
        x[i] = knb_invar(&b, in[i]);
    kni_atom y = f->value(&b, x);
    knx_error *e = knb_finish(&b, 1, &y, f->name, true, out);
    knb_free(&b);
    return e;
}

/* Then it is differentiated now, by its own rule. */
static bool any_lifted(const kni_builder *b, int n, const kni_atom *x)
{
    const kna_state *s = b->hook == kna_lifted_equation ? b->hook_env : NULL;
    for (int i = 0; s && i < n; i++)
        if (kni_is_var(x[i]) && kna_is_lifted(s->lazy_value.at[x[i]]))
            return true;
    return false;
}

kni_atom kna_formula_of(kni_builder *b, const kna_formula *f, const kni_atom *x)
{
    kni_type in[KNA_FORMULA_OPERANDS];
    bool missing = (b->hook && !any_lifted(b, f->n, x)) || b->error;
    for (int i = 0; i < f->n && !missing; i++)
        missing = x[i] == KN_ATOM_NONE;
    if (missing)
        return f->value(b, x);
    for (int i = 0; i < f->n; i++) {
        in[i] = knb_type(b, x[i]);
        in[i].weak = false;
    }
    kni_jaxpr *body = NULL;
    kni_thunk *rule = thunk_of(f);
    knx_error *e = rule ? body_of(f, in, &body) : knx_error_nomem();
    kni_atom y = KN_ATOM_NONE;
    if (e)
        knb_fail(b, e);
    else
        knb_emit(b, &knp_prim_custom_jvp_call, &(kni_p_custom_jvp){f->name, body, rule, 0}, f->n, x, &y, 1);
    kni_release(body);
    kni_thunk_release(rule);
    return y;
}
