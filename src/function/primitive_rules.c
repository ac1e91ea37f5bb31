/* SPDX-License-Identifier: Apache-2.0
 * primitive_rules.c -- the rules of primitives of the user's own.
 *
 *     complete   the body: what an expression or a computation is for these operands, recorded
 *     type       the body's results; of `run` what the shape rule says
 *     jvp        operand by operand: the primitive of the tangents where it is linear, else the user's rule
 *     transpose  the user's rule, or that of the body
 *     batch      the user's rule; elementwise; with the axis in front; or a scan over the lanes
 *     lower      expand to the body; `run` is a routine
 */
#include "function/primitive.h"
#include "base/out.h"
#include "ir/host.h"
#include "prim/custom/custom.h"
#include "prim/frame.h"
#include <string.h>

static const knf_primitive_params *head(const void *params) { return params; }
static const knf_primitive *own(const void *params) { return head(params)->p; }

/* --- body and types ---------------------------------------------------------------------------- */

static bool fits(const kni_jaxpr *body, int n_in, const kni_type *x)
{
    bool same = body && body->n_in == (uint32_t)n_in;
    for (int i = 0; same && i < n_in; i++)
        same = knp_same_type(kni_in_type(body, (uint32_t)i), x[i]);
    return same;
}

static knx_error *complete(const kni_rule *r, void *params)
{
    knf_primitive_params *h = params;
    const knf_primitive *p = h->p = knf_primitive_of(r->prim);
    if (p->o.run || fits(h->body, r->n_in, r->xt))
        return NULL;
    knx_arena a = KN_ARENA_INIT;
    kni_release(h->body);
    h->body = NULL;
    int *notes = knx_arena_zero(&a, (size_t)p->o.n_out * sizeof *notes);
    kni_type *y = knx_arena_alloc(&a, (size_t)p->o.n_out * sizeof *y);
    knx_error *e = y && notes ? NULL : knx_error_nomem();
    if (!e && p->o.shape)
        e = knf_primitive_shape_of(p, params, r->n_in, r->xt, &a, y);
    knf_ask ask = {.kind = KNF_ASK_BODY,
                   .p = p,
                   .params = params,
                   .n_in = r->n_in,
                   .n_out = p->o.n_out,
                   .x = r->xt,
                   .n = r->n_in,
                   .in = r->xt,
                   .n_results = p->o.n_out,
                   .out = p->o.shape ? y : NULL};
    if (!e)
        e = knf_primitive_ask(&ask, &h->body, notes);
    knx_arena_free(&a);
    return e;
}

static knx_error *type(kni_rule *r, kni_type *y)
{
    const knf_primitive *p = own(r->params);
    if (!p)
        return knx_error_new(KN_ERROR_VALUE, "an equation of a primitive that is not complete");
    if (!p->o.run)
        return knp_body_type(p->row.name, head(r->params)->body, r, y);
    r->n_out = p->o.n_out;
    return knf_primitive_shape_of(p, r->params, r->n_in, r->xt, r->arena, y);
}

static bool may_fail(const kni_rule *r)
{
    const knf_primitive *p = own(r->params);
    return p->o.run ? p->o.effect : knp_body_may_fail(head(r->params)->body);
}

static double cost(const kni_rule *r)
{
    return own(r->params)->o.run ? knp_cost_function(r) : knp_body_cost(head(r->params)->body);
}

/* --- derivatives -------------------------------------------------------------------------------- */

static bool has_bit(uint32_t bits, int i) { return bits >> (i < 31 ? i : 31) & 1u; }

static void add_to(const kni_rule *r, const kni_atom *more, kni_atom *ty)
{
    for (int k = 0; k < r->n_out; k++)
        if (kni_has_tangent(r->yt[k]) && !r->b->error)
            ty[k] = knb_add_any(r->b, ty[k], more[k]);
}

/* The primitive itself with these operands in place of its own. */
static void add_same(const kni_rule *r, const kni_atom *x, kni_atom *ty)
{
    kni_atom *more = knp_room(r->b, (size_t)r->n_out);
    if (!more)
        return;
    knb_emit(r->b, r->prim, r->params, r->n_in, x, more, r->n_out);
    add_to(r, more, ty);
}

/* Along the tangents of all operands that it is linear in together. */
static void along_linear(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    uint32_t bits = own(r->params)->o.linear_in;
    kni_atom *x = knp_room(r->b, (size_t)r->n_in);
    bool any = false;
    for (int i = 0; x && i < r->n_in; i++) {
        any = any || (has_bit(bits, i) && tx[i] != KN_ATOM_ZERO);
        x[i] = r->x[i];
    }
    for (int i = 0; x && any && i < r->n_in; i++)
        if (has_bit(bits, i))
            x[i] = knb_instantiate(r->b, tx[i], r->xt[i]);
    if (x && any)
        add_same(r, x, ty);
}

static void along_multilinear(const kni_rule *r, int i, kni_atom t, kni_atom *ty)
{
    kni_atom *x = knp_room(r->b, (size_t)r->n_in);
    if (!x)
        return;
    memcpy(x, r->x, (size_t)r->n_in * sizeof *x);
    x[i] = t;
    add_same(r, x, ty);
}

/* A rule that takes the tangent through a loop or a call: its derivative along the tangent, which is the same and whose
 * equations are linear. */
static knx_error *by_derivative(const kni_rule *r, const kni_jaxpr *rule, const kni_atom *in, kni_atom *out)
{
    uint32_t last = rule->n_in - 1;
    knt_linearized l = {0};
    bool *tangent = knx_arena_zero(&r->b->arena, rule->n_in);
    if (!tangent)
        return knx_error_nomem();
    tangent[last] = true;
    knx_error *e = knt_linearize(rule, tangent, &l);
    kni_atom *x = e ? NULL : knp_atoms(r->b, rule->n_in), *y = e ? NULL : knp_atoms(r->b, l.primal->n_out),
             *lx = e ? NULL : knp_atoms(r->b, l.linear->n_in), *t = e ? NULL : knp_atoms(r->b, l.linear->n_out);
    if (!e && (!x || !y || !lx || !t))
        e = knx_error_nomem();
    if (!e) {
        memcpy(x, in, rule->n_in * sizeof *x);
        x[last] = knb_zeros(r->b, kni_in_type(rule, last));
        knb_inline(r->b, l.primal, x, y);
        memcpy(lx, y + rule->n_out, l.n_residual * sizeof *lx);
        lx[l.n_residual] = in[last];
        knb_inline(r->b, l.linear, lx, t);
        for (uint32_t i = 0, k = 0; i < rule->n_out; i++)
            out[i] = l.out_tangent[i] ? t[k++] : KN_ATOM_ZERO;
    }
    knt_linearized_free(&l);
    return e;
}

static knx_error *apply_jvp(const kni_rule *r, const kni_jaxpr *rule, const kni_atom *in, kni_atom *out)
{
    knp_dependence d = KNP_LINEAR;
    const char *why = NULL;
    if (!r->forward)
        KN_TRY(knp_dependence_of(rule, rule->n_in - 1, 0, &d, &why));
    if (d == KNP_MIXED)
        return by_derivative(r, rule, in, out);
    if (d == KNP_CURVED)
        return knx_error_new(KN_ERROR_TYPE, "the jvp function must be linear in the tangent, but it uses %s of it",
                             why);
    knb_inline(r->b, rule, in, out);
    return NULL;
}

static knx_error *no_jvp(const kni_rule *r, int i)
{
    return knx_error_new(KN_ERROR_TYPE, "%s has no derivative by operand %d: kn_primitive_new was given no .jvp",
                         r->prim->name, i);
}

/* For a jaxpr of n inputs, by operand i of the call. */
static knf_ask ask_of(const kni_rule *r, knf_ask_kind kind, int n, const kni_type *in, int i)
{
    return (knf_ask){.kind = kind,
                     .p = own(r->params),
                     .params = r->params,
                     .n_in = r->n_in,
                     .n_out = r->n_out,
                     .x = r->xt,
                     .y = r->yt,
                     .n = n,
                     .in = in,
                     .operand = i};
}

static knx_error *along(const kni_rule *r, int i, kni_atom t, kni_atom *ty)
{
    const knf_primitive *p = own(r->params);
    int n = r->n_in + r->n_out + 1;
    if (!p->o.jvp)
        return no_jvp(r, i);
    kni_atom *in = knp_atoms(r->b, (size_t)n), *out = knp_atoms(r->b, (size_t)r->n_out);
    kni_type *types = knx_arena_alloc(&r->b->arena, (size_t)n * sizeof *types);
    int *notes = knx_arena_zero(&r->b->arena, (size_t)r->n_out * sizeof *notes);
    if (!in || !out || !types || !notes)
        return knx_error_nomem();
    for (int k = 0; k < n - 1; k++) {
        in[k] = k < r->n_in ? r->x[k] : r->y[k - r->n_in];
        types[k] = k < r->n_in ? r->xt[k] : r->yt[k - r->n_in];
    }
    in[n - 1] = t;
    types[n - 1] = r->xt[i];
    knf_ask ask = ask_of(r, KNF_ASK_JVP, n, types, i);
    ask.n_results = r->n_out;
    ask.out = r->yt;
    kni_jaxpr *rule = NULL, *flat = NULL;
    KN_TRY(knf_primitive_ask(&ask, &rule, notes));
    knx_error *e = knt_inline_calls(rule, &flat);
    if (!e)
        e = apply_jvp(r, flat, in, out);
    for (int k = 0; !e && k < r->n_out; k++)
        if (notes[k])
            out[k] = KN_ATOM_ZERO;
    if (!e)
        add_to(r, out, ty);
    kni_release(rule);
    kni_release(flat);
    return e;
}

static void jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const knf_primitive *p = own(r->params);
    along_linear(r, tx, ty);
    for (int i = 0; i < r->n_in && !r->b->error; i++) {
        if (tx[i] == KN_ATOM_ZERO || has_bit(p->o.linear_in, i))
            continue;
        if (has_bit(p->o.multilinear_in, i)) {
            along_multilinear(r, i, tx[i], ty);
            continue;
        }
        knx_error *e = along(r, i, tx[i], ty);
        if (e)
            knb_fail(r->b, e);
    }
}

static void inline_body(const kni_rule *r, kni_jaxpr *j, const kni_atom *in, kni_atom *out)
{
    knb_inline(r->b, j, in, out);
}

static knx_error *transpose_one(const kni_rule *r, int i, const bool *absent, const kni_atom *ct, kni_atom *ct_in)
{
    int n = 0, nothing = 0;
    kni_atom *in = knp_atoms(r->b, (size_t)r->n_in + (size_t)r->n_out);
    kni_type *types = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + (size_t)r->n_out) * sizeof *types);
    if (!in || !types)
        return knx_error_nomem();
    for (int k = 0; k < r->n_in; k++)
        if (!absent[k]) {
            types[n] = r->xt[k];
            in[n++] = r->x[k];
        }
    for (int k = 0; k < r->n_out; k++) {
        types[n] = r->yt[k];
        in[n++] = knb_instantiate(r->b, ct[k], r->yt[k]);
    }
    knf_ask ask = ask_of(r, KNF_ASK_TRANSPOSE, n, types, i);
    ask.n_results = 1;
    ask.out = &r->xt[i];
    ask.absent = absent;
    kni_jaxpr *rule = NULL;
    KN_TRY(knf_primitive_ask(&ask, &rule, &nothing));
    if (!nothing)
        knb_inline(r->b, rule, in, &ct_in[i]);
    kni_release(rule);
    return NULL;
}

static knx_error *transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const knf_primitive *p = own(r->params);
    if (!p->o.transpose)
        return knp_body_transpose(r, head(r->params)->body, inline_body, ct, ct_in);
    bool *absent = knx_arena_zero(&r->b->arena, (size_t)r->n_in + 1);
    if (!absent)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        absent[i] = r->x[i] == KN_ATOM_LINEAR;
    for (int i = 0; i < r->n_in; i++)
        if (absent[i])
            KN_TRY(transpose_one(r, i, absent, ct, ct_in));
    return NULL;
}

/* --- batching ----------------------------------------------------------------------------------- */

static knx_error *check_batched(const kni_rule *r, int64_t size, int k, kni_atom y, int axis)
{
    kni_type t = knb_type(r->b, y), one = r->yt[k];
    if (axis < -1 || axis > one.ndim)
        return knx_error_new(KN_ERROR_VALUE, "the batch function puts the axis of result %d at %d, of %d", k, axis,
                             one.ndim + 1);
    knp_dims d = knp_dims_of(one);
    if (axis >= 0)
        d = knp_insert(knp_ints(&d), axis, size);
    kni_type wanted = kni_type_of(one.dtype, d.n, d.v);
    knx_text a = {0}, b = {0};
    return knp_same_type(t, wanted)
               ? NULL
               : knx_error_new(KN_ERROR_TYPE, "the batch function gives result %d of type %s, not %s", k,
                               kni_type_text(&a, t, true), kni_type_text(&b, wanted, true));
}

/* The operands' types of one lane (r->xt has the axes); NULL without memory. */
static kni_type *lane_types(const kni_rule *r, const int *axis)
{
    kni_type *one = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *one);
    knx_error *e = NULL;
    for (int i = 0; one && !e && i < r->n_in; i++) {
        kni_type t = knb_type(r->b, r->x[i]);
        knp_dims d = knp_dims_without(t, axis[i]);
        e = knp_type_dims(&r->b->arena, t.dtype, false, d.n, d.v, &one[i]);
    }
    knx_error_release(e);
    return e ? NULL : one;
}

static knx_error *by_rule(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_type *types = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *types), *one = lane_types(r, axis);
    int *at = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *at);
    if (!types || !at || !one)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++) {
        types[i] = knb_type(r->b, r->x[i]);
        at[i] = axis[i];
    }
    knf_ask ask = {.kind = KNF_ASK_BATCH,
                   .p = own(r->params),
                   .params = r->params,
                   .n_in = r->n_in,
                   .n_out = r->n_out,
                   .x = one,
                   .y = r->yt,
                   .n = r->n_in,
                   .in = types,
                   .n_results = r->n_out,
                   .size = size,
                   .axis = at};
    kni_jaxpr *rule = NULL;
    KN_TRY(knf_primitive_ask(&ask, &rule, axis_out));
    knb_inline(r->b, rule, r->x, y);
    kni_release(rule);
    for (int k = 0; k < r->n_out && !r->b->error; k++)
        KN_TRY(check_batched(r, size, k, y[k], axis_out[k]));
    return NULL;
}

/* The primitive of all lanes at once; with `expand` operands without the axis have one of extent 1. */
static knx_error *in_front(const kni_rule *r, int64_t size, bool expand, const int *axis, kni_atom *y, int *axis_out)
{
    kni_atom *x = knp_atoms(r->b, (size_t)r->n_in);
    if (!x)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        x[i] = knp_batched_at(r, i, expand && axis[i] < 0 ? 1 : size, axis[i], 0);
    knb_emit(r->b, r->prim, r->params, r->n_in, x, y, r->n_out);
    for (int k = 0; k < r->n_out; k++)
        axis_out[k] = 0;
    for (int k = 0; k < r->n_out && !r->b->error; k++)
        KN_TRY(check_batched(r, size, k, y[k], 0));
    return NULL;
}

static knx_error *batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const knf_primitive *p = own(r->params);
    const char *method = p->o.vmap_method;
    if (p->o.batch)
        return by_rule(r, size, axis, y, axis_out);
    if (p->o.expression)
        return knp_batch_elementwise(r, size, axis, y, axis_out);
    if (!strcmp(method, kni_vmap_methods[KN_VMAP_BROADCAST_ALL]))
        return in_front(r, size, false, axis, y, axis_out);
    if (!strcmp(method, kni_vmap_methods[KN_VMAP_EXPAND_DIMS]))
        return in_front(r, size, true, axis, y, axis_out);
    return knp_lane_by_lane(r, size, axis, y, axis_out);
}

/* --- running ------------------------------------------------------------------------------------ */

static knx_error *expand(const kni_rule *r, kni_atom *y)
{
    knb_inline(r->b, head(r->params)->body, r->x, y);
    return NULL;
}

typedef struct running {
    knf_primitive_calling c;
    const knf_primitive *p;
    const kni_routine_args *args;
} running;

static void call_run(void *arg)
{
    running *n = arg;
    knf_speaker before = knf_primitive_listen();
    int status = n->p->o.run(&n->c.call, n->args->x, n->args->y);
    knf_primitive_heard(before, "run", status, &n->c);
}

static knx_error *run(const kni_rule *r, const kni_routine_args *args)
{
    knx_arena a = KN_ARENA_INIT;
    running n = {.p = own(r->params), .args = args};
    knx_error *e = knf_primitive_describe(n.p, r->params, r->n_in, r->xt, r->yt, &a, &n.c) ? knx_call_user(call_run, &n)
                                                                                           : knx_error_nomem();
    knx_arena_free(&a);
    return e ? e : n.c.error;
}

void knf_primitive_rules(knf_primitive *p)
{
    kni_prim *row = &p->row;
    const kn_primitive_opts *o = &p->o;
    row->n_in = (int8_t)o->n_in;
    row->n_out = (int8_t)o->n_out;
    row->bits = o->run ? KN_USER | (o->effect ? KN_EFFECT | KN_CAN_FAIL : 0) : KN_CAN_FAIL;
    row->bits |= (o->expression ? KN_ELEMENTWISE : 0) | (o->multilinear_in ? KN_MULTILINEAR : 0);
    row->linear_in = o->linear_in | o->multilinear_in;
    row->doc = "a primitive of the user's own";
    row->complete = complete;
    row->type = type;
    row->jvp = jvp;
    row->transpose = row->linear_in ? transpose : NULL;
    row->batch = batch;
    row->run = o->run ? run : NULL;
    row->expand = o->run ? NULL : expand;
    row->may_fail = row->bits & KN_CAN_FAIL ? may_fail : NULL;
    row->cost = cost;
}
