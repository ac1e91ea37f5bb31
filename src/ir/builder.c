/* SPDX-License-Identifier: Apache-2.0
 * builder.c -- collecting equations: variables, literals, type-checked emission. Eager operations go through here,
 * one builder reset after each, so nothing is allocated once the vectors have grown. */
#include "ir/builder.h"
#include "base/log.h"
#include "ir/prim.h"
#include <string.h>

enum { FEW_LITERALS = 8, FEW_OPERANDS = 8, MOST_VARIABLES = 0x7fff0000 };

void knb_init(kni_builder *b) { *b = (kni_builder){0}; }

static void drop_equations(kni_builder *b)
{
    for (size_t i = 0; b->holds_jaxprs && i < b->eqn.n; i++)
        kni_params_drop(b->eqn.at[i].prim, b->eqn.at[i].params);
    b->holds_jaxprs = false;
}

void knb_free(kni_builder *b)
{
    drop_equations(b);
    knx_error_release(b->error);
    knx_table_free(&b->literal_map);
    KN_VEC_FREE(&b->type);
    KN_VEC_FREE(&b->eqn);
    KN_VEC_FREE(&b->literal);
    KN_VEC_FREE(&b->constvar);
    KN_VEC_FREE(&b->invar);
    knx_arena_free(&b->arena);
    knb_init(b);
}

KNX_HOT void knb_reset(kni_builder *b)
{
    drop_equations(b);
    if (b->error) {
        knx_error_release(b->error);
        b->error = NULL;
    }
    if (b->literal_map.cap)
        knx_table_free(&b->literal_map);
    b->type.n = b->eqn.n = b->literal.n = b->constvar.n = b->invar.n = 0;
    knx_arena_reset(&b->arena);
}

knx_error *knb_take_error(kni_builder *b)
{
    knx_error *e = b->error;
    b->error = NULL;
    return e;
}

void knb_fail(kni_builder *b, knx_error *e)
{
    if (b->error) {
        knx_error_release(e);
        return;
    }
    b->error = knx_error_placed(e, b->place);
}

/* Variables */

static KNX_HOT kni_atom new_variable(kni_builder *b, kni_type t, void *list)
{
    KN_VEC(uint32_t) *vars = list;
    kni_type own;
    if (b->error)
        return KN_ATOM_NONE;
    knx_error *e = kni_type_check_size(t);
    if (!e && (b->type.n >= MOST_VARIABLES || !KN_VEC_RESERVE(vars, 1) || !KN_VEC_RESERVE(&b->type, 1) ||
               !kni_type_copy(&b->arena, t, &own)))
        e = knx_error_nomem();
    if (e) {
        knb_fail(b, e);
        return KN_ATOM_NONE;
    }
    uint32_t var = (uint32_t)b->type.n;
    vars->at[vars->n++] = var;
    b->type.at[b->type.n++] = own;
    return var;
}

kni_atom knb_constvar(kni_builder *b, kni_type t) { return new_variable(b, t, &b->constvar); }
KNX_HOT kni_atom knb_invar(kni_builder *b, kni_type t) { return new_variable(b, t, &b->invar); }

/* Literals */

static bool same_literal(const kni_literal *a, const kni_literal *b)
{
    return a->type.dtype == b->type.dtype && a->type.weak == b->type.weak && a->bits.u[0] == b->bits.u[0] &&
           a->bits.u[1] == b->bits.u[1];
}

static uint64_t literal_hash(const kni_literal *l)
{
    return knx_hash_mix(knx_hash_mix(kni_type_hash(l->type, 0), l->bits.u[0]), l->bits.u[1]);
}

/* 1 + the index of an equal literal, or 0. */
static size_t find_literal(const kni_builder *b, const kni_literal *l)
{
    if (b->literal.n <= FEW_LITERALS) {
        for (size_t i = 0; i < b->literal.n; i++)
            if (same_literal(&b->literal.at[i], l))
                return i + 1;
        return 0;
    }
    size_t cursor;
    uint64_t hash = literal_hash(l);
    for (void *v = knx_table_first(&b->literal_map, hash, &cursor); v;
         v = knx_table_next(&b->literal_map, hash, &cursor))
        if ((uintptr_t)v <= b->literal.n && same_literal(&b->literal.at[(uintptr_t)v - 1], l))
            return (uintptr_t)v;
    return 0;
}

/* The map begins with the first literal that is one too many for looking at them all. */
static bool add_literal(kni_builder *b, const kni_literal *l)
{
    if (b->literal.n >= MOST_VARIABLES || !KN_VEC_RESERVE(&b->literal, 1))
        return false;
    size_t first = b->literal.n == FEW_LITERALS ? 0 : b->literal.n;
    b->literal.at[b->literal.n] = *l;
    for (size_t i = first; b->literal.n >= FEW_LITERALS && i <= b->literal.n; i++)
        if (!knx_table_add(&b->literal_map, literal_hash(&b->literal.at[i]), (void *)(uintptr_t)(i + 1)))
            return false;
    b->literal.n++;
    return true;
}

KNX_HOT kni_atom knb_literal(kni_builder *b, kn_dtype d, bool weak, knx_scalar_bits bits)
{
    if (b->error)
        return KN_ATOM_NONE;
    kni_literal l = {.type = {.dtype = d, .weak = weak}};
    memcpy(&l.bits, &bits, d->size <= sizeof bits ? d->size : sizeof bits); /* unused bytes are zero, whatever came */
    size_t found = find_literal(b, &l);
    if (found)
        return (kni_atom)(found - 1) | KN_LITERAL_BIT;
    if (!add_literal(b, &l)) {
        knb_fail(b, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    return (kni_atom)(b->literal.n - 1) | KN_LITERAL_BIT;
}

const kni_draft_eqn *knb_maker(const kni_builder *b, kni_atom a)
{
    size_t low = 0, high = kni_is_var(a) ? b->eqn.n : 0;
    while (low < high) { /* in order of their results */
        size_t middle = (low + high) / 2;
        const kni_draft_eqn *e = &b->eqn.at[middle];
        if (a < e->out)
            high = middle;
        else if (a >= e->out + e->n_out)
            low = middle + 1;
        else
            return e;
    }
    return NULL;
}

bool knb_literal_value(const kni_builder *b, kni_atom a, knx_scalar_bits *bits)
{
    if (!kni_is_literal(a) || !knb_is_known(b, a))
        return false;
    *bits = b->literal.at[a & ~KN_LITERAL_BIT].bits;
    return true;
}

/* Equations */

static knx_error *too_many_results(const kni_prim *p, int n, int room)
{
    return knx_error_new(KN_ERROR_VALUE, "%s has %d results, where at most %d were expected", p->name, n, room);
}

/* Runs the type rule; the types are put behind those of b's variables, where they stay if all is well. */
static knx_error *infer(kni_builder *b, kni_draft_eqn *e, kni_rule *r, int max_out)
{
    const kni_prim *p = e->prim;
    size_t room = kni_result_room(p, e->params, (int)e->n_in) + (p->n_out < 0 ? (size_t)max_out : 0);
    if (b->type.n + room >= MOST_VARIABLES || room > INT32_MAX || !KN_VEC_RESERVE(&b->type, room))
        return knx_error_nomem();
    kni_type *y = b->type.at + b->type.n;
    r->n_out = p->n_out >= 0 ? p->n_out : (int)room;
    KN_TRY(p->type(r, y));
    int n_out = p->n_out >= 0 ? p->n_out : r->n_out;
    if (n_out < 0 || n_out > max_out)
        return too_many_results(p, n_out, max_out);
    for (int i = 0; i < n_out; i++)
        KN_TRY(kni_type_check_size(y[i]));
    e->out = (uint32_t)b->type.n;
    e->n_out = (uint32_t)n_out;
    return NULL;
}

/* Everything of knb_emit that can fail but the hook. What belongs to the equation is in the arena first: types may
 * point into it. */
static knx_error *emit(kni_builder *b, kni_draft_eqn *e, const void *params, const kni_atom *in, int max_out)
{
    const kni_prim *p = e->prim;
    kni_type few[FEW_OPERANDS], *x = few;
    if (p->n_in >= 0 && e->n_in != (uint32_t)p->n_in)
        return knx_error_new(KN_ERROR_VALUE, "%s takes %d operands, not %d", p->name, p->n_in, (int)e->n_in);
    if (p->n_out > max_out)
        return too_many_results(p, p->n_out, max_out);
    if (e->n_in > FEW_OPERANDS && !(x = knx_arena_alloc(&b->arena, e->n_in * sizeof *x)))
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++) {
        if (!knb_is_known(b, in[i]))
            return knx_error_new(KN_ERROR_VALUE, "operand %d of %s has no value", (int)i, p->name);
        x[i] = knb_type(b, in[i]);
    }
    kni_atom *own = knx_arena_alloc(&b->arena, e->n_in * sizeof *in);
    for (uint32_t i = 0; own && i < e->n_in; i++)
        own[i] = in[i];
    e->in = own;
    if (!own || !KN_VEC_RESERVE(&b->eqn, 1) || !kni_params_copy(&b->arena, p, params, &e->params))
        return knx_error_nomem();
    kni_rule r = {.prim = p, .params = e->params, .n_in = (int)e->n_in, .xt = x, .arena = &b->arena};
    knx_error *error = p->complete ? p->complete(&r, (void *)(uintptr_t)e->params) : NULL;
    if (!error)
        error = infer(b, e, &r, max_out);
    knx_error *refused = knx_dim_now() ? knx_dim_take_error(knx_dim_now()) : NULL;
    if (refused) { /* a comparison that the rule could not decide: what the rule says of the answer says less */
        knx_error_release(error);
        error = refused;
    }
    if (error) {
        kni_params_drop(p, e->params);
        return error;
    }
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        b->holds_jaxprs |= f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS || f->kind == KN_P_THUNK;
    b->type.n += e->n_out;
    b->eqn.at[b->eqn.n++] = *e;
    return NULL;
}

KNX_HOT int knb_emit(kni_builder *b, const kni_prim *p, const void *params, int n_in, const kni_atom *in, kni_atom *out,
                     int max_out)
{
    kni_draft_eqn e = {.prim = p, .place = b->place, .n_in = (uint32_t)n_in};
    if (!b->error) {
        knx_error *error = emit(b, &e, params, in, max_out);
        if (!error && b->traced && __builtin_expect(knx_debug_level >= 5, 0))
            kni_trace_equation(b, &e);
        if (!error && b->hook)
            error = b->hook(b->hook_env, b, &e);
        if (!error && b->fold)
            error = b->fold(b->fold_env, b, &e);
        if (error)
            knb_fail(b, error);
    }
    if (b->error) {
        for (int i = 0; i < max_out; i++)
            out[i] = KN_ATOM_NONE;
        return 0;
    }
    for (uint32_t i = 0; i < e.n_out; i++)
        out[i] = e.out + i;
    return (int)e.n_out;
}

KNX_HOT kni_atom knb_emit1(kni_builder *b, const kni_prim *p, const void *params, int n_in, const kni_atom *in)
{
    kni_atom out = KN_ATOM_NONE;
    knb_emit(b, p, params, n_in, in, &out, 1);
    return out;
}
