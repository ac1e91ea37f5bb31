/* SPDX-License-Identifier: Apache-2.0
 * derive.c -- functions with derivatives of their own: custom_jvp_call with a rule that is written here and not by a
 * user. The rule may call the function again (with other operands), so it is recorded when it is asked for. */
#include "base/hash.h"
#include "base/memory.h"
#include "special/internal.h"
#include "transform/transform.h"
#include <string.h>

typedef struct kns_rule {
    kni_thunk thunk;
    const kns_function *f;
} kns_rule;

/* A call that speaks to b, in the dtype and shape of t. */
static kns_call within(kni_builder *b, kni_type t)
{
    kns_call c = {.op = {.b = b}, .b = b, .d = t.dtype, .result = t.dtype};
    c.shape.ndim = t.ndim;
    for (int i = 0; i < t.ndim; i++)
        c.shape.dim[i] = t.dim[i];
    return c;
}

static knx_error *finished(kns_call *c, knx_error *e, int n_out, const kni_atom *y, const char *name, kni_jaxpr **out)
{
    kni_builder *b = c->b;
    if (!e)
        e = c->op.error;
    else
        knx_error_release(c->op.error);
    knx_error *of_builder = knb_take_error(b);
    if (!e)
        e = of_builder;
    else
        knx_error_release(of_builder);
    if (!e)
        e = knb_finish(b, n_out, y, name, true, out);
    knb_free(b);
    return e;
}

/* The formula of f for operands of these types, all the same. */
static knx_error *body_of(const kns_function *f, const kni_type *in, kni_jaxpr **out)
{
    kni_builder b;
    kni_atom x[KNS_MAX_OPERANDS] = {0};
    knb_init(&b);
    for (int i = 0; i < f->n; i++)
        x[i] = knb_invar(&b, in[i]);
    kns_call c = within(&b, in[0]);
    kni_atom y = knb_broadcast_to(&b, f->value(&c, x), in[0]);
    return finished(&c, NULL, 1, &y, f->name, out);
}

/* dy/dx[i] by the formula: the derivative along that operand. */
static knx_error *forward(const kns_function *f, kni_builder *b, const kni_type *in, int i, const kni_atom *x,
                          kni_atom *dy)
{
    kni_jaxpr *body = NULL, *jvp = NULL;
    bool tangent[KNS_MAX_OPERANDS] = {false};
    kni_atom operand[KNS_MAX_OPERANDS + 1], y[2];
    tangent[i] = true;
    knx_error *e = body_of(f, in, &body);
    if (!e)
        e = knt_jvp(body, tangent, &jvp);
    for (int k = 0; k < f->n; k++)
        operand[k] = x[k];
    if (!e) {
        operand[f->n] = knb_full(b, in[i], 1);
        if (in[i].ndim)
            operand[f->n] = knb_broadcast_to(b, operand[f->n], in[i]);
        knb_inline(b, jvp, operand, y);
        *dy = y[1];
    }
    kni_release(jvp);
    kni_release(body);
    return e;
}

/* Operands, tangents -> value, its tangent. */
static knx_error *rule_jaxpr(kni_thunk *t, int n_in, const kni_type *in, kni_jaxpr **out)
{
    const kns_function *f = ((const kns_rule *)t)->f;
    kni_builder b;
    kni_atom x[2 * KNS_MAX_OPERANDS] = {0}, y[2];
    knb_init(&b);
    for (int i = 0; i < n_in; i++)
        x[i] = knb_invar(&b, in[i]);
    kns_call c = within(&b, in[0]);
    knx_error *e = NULL;
    y[0] = kns_apply(&c, f, x);
    y[1] = KN_ATOM_ZERO;
    for (int i = 0; i < f->n && !e; i++) {
        kni_atom slope = f->slope ? f->slope(&c, i, x, y[0]) : KN_ATOM_NONE;
        if (slope == KN_ATOM_NONE)
            e = forward(f, &b, in, i, x, &slope);
        if (!e)
            y[1] = knb_add_any(&b, y[1], knb_mul(&b, x[f->n + i], slope));
    }
    return finished(&c, e, 2, y, f->name, out);
}

static bool same(const kni_thunk *a, const kni_thunk *b)
{
    return ((const kns_rule *)a)->f == ((const kns_rule *)b)->f;
}

static uint64_t hash(const kni_thunk *t) { return knx_hash_bytes(t->name, strlen(t->name), 7); }

static void drop(kni_thunk *t) { knx_free(t); }

static kni_thunk *rule_of(const kns_function *f)
{
    static const kni_thunk_kind kind = {.jaxpr = rule_jaxpr, .equal = same, .hash = hash, .free = drop};
    kns_rule *r = knx_alloc(sizeof *r);
    if (!r)
        return NULL;
    *r = (kns_rule){.thunk = {.kind = &kind, .name = f->name}, .f = f};
    atomic_init(&r->thunk.refs, 1);
    return &r->thunk;
}

kni_atom kns_apply(kns_call *c, const kns_function *f, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom operand[KNS_MAX_OPERANDS] = {0}, y = KN_ATOM_NONE;
    kni_type in[KNS_MAX_OPERANDS] = {{0}};
    if (kna_failed(&c->op))
        return y;
    for (int i = 0; i < f->n; i++) {
        operand[i] = knb_broadcast_to(b, x[i], knl_shaped(c->d, &c->shape));
        in[i] = knl_shaped(c->d, &c->shape);
    }
    kni_jaxpr *body = NULL;
    kni_thunk *rule = rule_of(f);
    knx_error *e = rule ? body_of(f, in, &body) : knx_error_nomem();
    if (e)
        knb_fail(b, e);
    else
        knb_emit(b, &knp_prim_custom_jvp_call, &(kni_p_custom_jvp){f->name, body, rule, 0}, f->n, operand, &y, 1);
    kni_thunk_release(rule);
    kni_release(body);
    return y;
}
