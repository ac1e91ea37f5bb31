/* SPDX-License-Identifier: Apache-2.0
 * pending.c -- what waits to be run for an array, and what it was made of. */
#define KNA_LIFTS
#include "array/handle.h"
#include "array/tape.h"
#include "eager/eager.h"
#include "function/jaxpr_handle.h"
#include "tree/tree.h"
#include <string.h>

/* The nodes that a value waits for, operands before users. */
typedef struct waiting {
    KN_VEC(kna_node *) node;
    KN_VEC(kna_value *) leaf; /* of all, each once */
    KN_VEC(kna_node *) stack;
    KN_VEC(uint32_t) next; /* of the stack: which operand is visited next */
    knx_table index;       /* of nodes: 1 + their number; and of leaves */
} waiting;

static void free_waiting(waiting *w)
{
    KN_VEC_FREE(&w->node);
    KN_VEC_FREE(&w->leaf);
    KN_VEC_FREE(&w->stack);
    KN_VEC_FREE(&w->next);
    knx_table_free(&w->index);
}

static uint64_t key_of(const void *p) { return knx_hash_mix(11, (uint64_t)(uintptr_t)p); }

/* The number of a node or leaf, or -1. */
static int64_t number_of(const waiting *w, const void *p, bool leaf)
{
    size_t cursor;
    uint64_t h = key_of(p);
    for (void *at = knx_table_first(&w->index, h, &cursor); at; at = knx_table_next(&w->index, h, &cursor)) {
        size_t i = (uintptr_t)at - 1;
        if (i % 2 == leaf &&
            (leaf ? i / 2 < w->leaf.n && w->leaf.at[i / 2] == p : i / 2 < w->node.n && w->node.at[i / 2] == p))
            return (int64_t)(i / 2);
    }
    return -1;
}

static bool add_number(waiting *w, const void *p, size_t i, bool leaf)
{
    return knx_table_add(&w->index, key_of(p), (void *)(uintptr_t)(2 * i + leaf + 1));
}

static bool push(waiting *w, kna_node *n) { return KN_VEC_PUSH(&w->stack, n) && KN_VEC_PUSH(&w->next, 0); }

static bool add_leaf(waiting *w, kna_value *v)
{
    return number_of(w, v, true) >= 0 || (KN_VEC_PUSH(&w->leaf, v) && add_number(w, v, w->leaf.n - 1, true));
}

static knx_error *collect(waiting *w, kna_value *v)
{
    if (v->state != KN_V_PENDING)
        return add_leaf(w, v) ? NULL : knx_error_nomem();
    bool ok = push(w, v->pending.node);
    while (ok && w->stack.n) {
        kna_node *n = w->stack.at[w->stack.n - 1];
        uint32_t i = w->next.at[w->next.n - 1]++;
        if (number_of(w, n, false) >= 0) {
            w->stack.n--, w->next.n--;
        } else if (i < n->n_in) {
            kna_value *in = n->in[i];
            if (in && in->state == KN_V_PENDING)
                ok = number_of(w, in->pending.node, false) >= 0 || push(w, in->pending.node);
            else if (in)
                ok = add_leaf(w, in);
        } else {
            w->stack.n--, w->next.n--;
            ok = KN_VEC_PUSH(&w->node, n) && add_number(w, n, w->node.n - 1, false);
        }
    }
    return ok ? NULL : knx_error_nomem();
}

/* What an array stands for outside of recordings; a new reference. */
static kna_value *outside_of(kna_op *op, kn_array x)
{
    kna_value *v = kne_value(op, x), *out = NULL;
    knx_error *error = v ? kna_constant(kna_lift_ground(v), &out) : NULL;
    if (error)
        kna_fail_with(op, error);
    kna_value_release(v);
    return out;
}

/* ---- As a jaxpr. */

static knx_error *write_jaxpr(const waiting *w, kna_value *v, kna_closed *c)
{
    kni_builder b;
    knx_arena a = KN_ARENA_INIT;
    size_t n_var = 0, widest = 1;
    for (size_t i = 0; i < w->node.n; i++) {
        n_var += w->node.at[i]->n_out;
        widest = w->node.at[i]->n_in > widest ? w->node.at[i]->n_in : widest;
    }
    kni_atom *leaf = knx_arena_alloc(&a, (w->leaf.n + 1) * sizeof *leaf),
             *var = knx_arena_alloc(&a, (n_var + 1) * sizeof *var), *in = knx_arena_alloc(&a, widest * sizeof *in);
    size_t *first = knx_arena_alloc(&a, (w->node.n + 1) * sizeof *first);
    c->consts = knx_alloc((w->leaf.n + 1) * sizeof *c->consts);
    knx_error *error = leaf && var && in && first && c->consts ? NULL : knx_error_nomem();
    knb_init(&b);
    for (size_t i = 0; !error && i < w->leaf.n; i++) {
        kni_type t = w->leaf.at[i]->type;
        t.weak = false;
        leaf[i] = knb_constvar(&b, t);
        c->consts[c->n_const++] = kna_value_retain(w->leaf.at[i]);
    }
    size_t at = 0;
    for (size_t k = 0; !error && k < w->node.n; k++) {
        const kna_node *n = w->node.at[k];
        for (uint32_t i = 0; i < n->n_in; i++) {
            const kna_value *x = n->in[i];
            in[i] = !x ? knb_literal(&b, n->literal[i].type.dtype, n->literal[i].type.weak, n->literal[i].bits)
                    : x->state == KN_V_PENDING ? var[first[number_of(w, x->pending.node, false)] + x->pending.index]
                                               : leaf[number_of(w, x, true)];
        }
        first[k] = at;
        b.place = n->place;
        knb_emit(&b, n->prim, n->params, (int)n->n_in, in, var + at, (int)n->n_out);
        at += n->n_out;
        error = knb_take_error(&b);
    }
    if (!error) {
        kni_atom y =
            v->state == KN_V_PENDING ? var[first[number_of(w, v->pending.node, false)] + v->pending.index] : leaf[0];
        error = knb_finish(&b, 1, &y, "pending", false, &c->jaxpr);
    }
    knb_free(&b);
    knx_arena_free(&a);
    return error;
}

kn_jaxpr kn_pending_jaxpr(kn_array x)
{
    kna_op op;
    kna_closed c = {0};
    waiting w = {0};
    kna_begin(&op, "pending_jaxpr");
    kna_value *v = outside_of(&op, x);
    knx_error *error = v ? collect(&w, v) : NULL;
    if (v && !error)
        error = write_jaxpr(&w, v, &c);
    if (error)
        kna_fail_with(&op, error);
    free_waiting(&w);
    kna_value_release(v);
    if (!kna_end_handle(&op)) {
        kna_closed_free(&c);
        return NULL;
    }
    return knf_jaxpr_handle(&c);
}

/* ---- Walking. */

/* The step that made v; NULL: it is on no tape, or watched. */
static const kna_step *step_of(kna_value *v)
{
    for (; kna_is_lifted(v); v = v->lift->inner)
        if (v->lift->kind == KNA_LIFT_TAPE && v->lift->step->derived)
            return v->lift->step;
    return NULL;
}

const char *kn_operation_of(kn_array x)
{
    kna_op op;
    kna_begin(&op, "operation_of");
    kna_value *v = kne_value(&op, x);
    const kna_value *ground = v ? kna_lift_ground(v) : NULL;
    const kna_step *s = v ? step_of(v) : NULL;
    const char *name = s                                         ? s->derived->prim->name
                       : ground && ground->state == KN_V_PENDING ? ground->pending.node->prim->name
                                                                 : "";
    kna_value_release(v);
    return kna_end_handle(&op) ? name : NULL;
}

/* Ends with a list of the values that are not NULL. */
static kn_list end_list(kna_op *op, uint32_t n, kna_value *const *v)
{
    kn_array *x = knx_alloc(((size_t)n + 1) * sizeof *x);
    int made = 0;
    if (!x && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    for (uint32_t i = 0; x && i < n; i++)
        if (v[i])
            x[made++] = kna_handle_new(KN_H_ARRAY, kna_value_retain(v[i]), kna_drop_value);
    bool ok = kna_end_handle(op);
    kn_list list = ok ? (kn_list_from)(x, made) : NULL;
    knx_free(x);
    return list;
}

kn_list kn_parents_of(kn_array x)
{
    kna_op op;
    kna_begin(&op, "parents_of");
    kna_value *v = kne_value(&op, x), *ground = v ? kna_lift_ground(v) : NULL;
    const kna_step *s = v ? step_of(v) : NULL;
    kna_value *const *in = NULL;
    uint32_t n = 0;
    if (ground && ground->state == KN_V_PENDING) {
        in = ground->pending.node->in;
        n = ground->pending.node->n_in;
    } else if (s && !s->let_go) {
        in = s->held;
        n = s->derived->plain ? s->derived->n_input : 0;
    }
    kn_list list = end_list(&op, n, in);
    kna_value_release(v);
    return list;
}

kn_list kn_siblings_of(kn_array x)
{
    kna_op op;
    kna_begin(&op, "siblings_of");
    kna_value *v = kne_value(&op, x);
    const kna_value *ground = v ? kna_lift_ground(v) : NULL;
    const kna_node *n = ground && ground->state == KN_V_PENDING ? ground->pending.node : NULL;
    kn_list list = end_list(&op, n ? n->n_out : 0, n ? n->out : NULL);
    kna_value_release(v);
    return list;
}

int64_t kn_pending_step(kn_array x)
{
    kna_op op;
    waiting w = {0};
    int64_t left = -1;
    kna_begin(&op, "pending_step");
    kna_value *v = outside_of(&op, x), *some = NULL;
    knx_error *error = v ? collect(&w, v) : NULL;
    if (!error && v) {
        left = (int64_t)w.node.n;
        for (uint32_t i = 0; left && !some && i < w.node.at[0]->n_out; i++)
            some = kna_value_retain(w.node.at[0]->out[i]);
        error = some ? kna_force(1, &some) : NULL;
        left -= some != NULL;
    }
    if (error)
        kna_fail_with(&op, error);
    kna_value_release(some);
    kna_value_release(v);
    free_waiting(&w);
    return kna_end_plain(&op) ? left : -1;
}

kn_pending_memory kn_pending_memory_of(kn_array x)
{
    kna_op op;
    waiting w = {0};
    kn_pending_memory m = {0};
    kna_begin(&op, "pending_memory_of");
    kna_value *v = outside_of(&op, x);
    knx_error *error = v && v->state == KN_V_PENDING ? collect(&w, v) : NULL;
    m.operations = (int64_t)w.node.n;
    for (size_t i = 0; !error && i < w.leaf.n; i++)
        m.operands += (int64_t)kni_type_bytes(w.leaf.at[i]->type);
    if (v)
        m.results = (int64_t)kni_type_bytes(v->type);
    if (error)
        kna_fail_with(&op, error);
    kna_value_release(v);
    free_waiting(&w);
    return kna_end_plain(&op) ? m : (kn_pending_memory){0};
}
