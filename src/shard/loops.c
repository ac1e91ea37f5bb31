/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- loops and branches: their bodies are solved like any jaxpr, with the layouts of the operands. A carry has
 * to come out of a turn as it went in: where the body gives it cut further, it is cut so from the beginning. */
#include "shard/solve.h"
#include <string.h>

enum { MOST_TURNS = 6 };

/* What the row's parameters say of operands and jaxprs, in one form for all loops. */
typedef struct loop {
    int n_body;
    kni_jaxpr *body[2];
    kni_jaxpr *const *bodies;
    uint32_t n_carry;
    uint32_t first_carry; /* operand */
    uint32_t first_x;     /* operands from here on, and results behind the carries, have the turns in front */
    uint32_t n_condition; /* constants of a while's condition, in front */
} loop;

static loop loop_of(const kni_eqn *e)
{
    loop l = {0};
    if (e->prim->loops == KN_LOOP_SCAN) {
        const kni_p_scan *p = e->params;
        l = (loop){1,
                   {p->jaxpr},
                   NULL,
                   (uint32_t)p->num_carry,
                   (uint32_t)p->num_consts,
                   (uint32_t)(p->num_consts + p->num_carry),
                   0};
    } else if (e->prim->loops == KN_LOOP_WHILE) {
        const kni_p_while *p = e->params;
        uint32_t first = (uint32_t)(p->cond_nconsts + p->body_nconsts);
        l = (loop){2, {p->cond_jaxpr, p->body_jaxpr}, NULL, e->n_in - first, first, e->n_in, (uint32_t)p->cond_nconsts};
    } else {
        const kni_p_cond *p = e->params;
        l = (loop){p->branches.n, {NULL}, p->branches.v, 0, e->n_in, e->n_in, 0};
    }
    return l;
}

static kni_jaxpr *body_of(const loop *l, int b) { return l->bodies ? l->bodies[b] : l->body[b]; }

/* The operand of the equation that input k of body b is; of a branch the index is none of them. */
static uint32_t operand_of(const kni_eqn *e, const loop *l, int b, uint32_t k)
{
    if (e->prim->loops == KN_LOOP_COND)
        return k + 1;
    if (e->prim->loops == KN_LOOP_WHILE && !b)
        return k < l->n_condition ? k : l->first_carry + k - l->n_condition;
    return e->prim->loops == KN_LOOP_WHILE ? l->n_condition + k : k;
}

static uint32_t input_of(const kni_eqn *e, const loop *l, int b, uint32_t operand)
{
    uint32_t k = 0;
    while (k < body_of(l, b)->n_in && operand_of(e, l, b, k) != operand)
        k++;
    return k;
}

/* Without its first dimension, which is that of the turns; and with it. */
static bool element_lay(knx_arena *a, const knshard_lay *l, knshard_lay *out)
{
    bool fine = knshard_lay_new(a, l->ndim - 1, out);
    if (fine && l->ndim > 1)
        memcpy(out->dim, l->dim + 1, (size_t)(l->ndim - 1) * sizeof *out->dim);
    return fine;
}

static bool stacked_lay(knx_arena *a, const knshard_lay *l, knshard_lay *out)
{
    bool fine = knshard_lay_new(a, l->ndim + 1, out);
    if (fine && l->ndim)
        memcpy(out->dim + 1, l->dim, (size_t)l->ndim * sizeof *out->dim);
    return fine;
}

static bool operand_lay(const knshard_solution *s, const kni_eqn *e, uint32_t k, knshard_lay *out)
{
    knshard_lay l = knshard_lay_of(s, e->in[k]);
    return kni_is_var(e->in[k]) ? knshard_lay_copy(s->arena, &l, out)
                                : knshard_lay_new(s->arena, kni_atom_type(s->j, e->in[k]).ndim, out);
}

/* The layouts of a body's inputs; carry: those of the carries. */
static knx_error *body_inputs(const knshard_solution *s, const kni_eqn *e, const loop *l, int b,
                              const knshard_lay *carry, knshard_lay **out)
{
    const kni_jaxpr *j = body_of(l, b);
    *out = knx_arena_zero(s->arena, ((size_t)j->n_in + 1) * sizeof **out);
    bool fine = *out != NULL;
    for (uint32_t k = 0; fine && k < j->n_in; k++) {
        uint32_t operand = operand_of(e, l, b, k);
        knshard_lay whole;
        if (operand >= l->first_carry && operand < l->first_carry + l->n_carry) {
            (*out)[k] = carry[operand - l->first_carry];
            continue;
        }
        fine = operand_lay(s, e, operand, &whole) &&
               (operand < l->first_x ? ((*out)[k] = whole, true) : element_lay(s->arena, &whole, &(*out)[k]));
    }
    return fine ? NULL : knx_error_nomem();
}

static bool extends(knshard_lay *carry, const knshard_lay *by)
{
    bool any = false;
    for (int d = 0; d < carry->ndim; d++) {
        uint32_t others = knshard_lay_set(carry) & ~kni_mesh_axes_set(carry->dim[d]);
        if (by->dim[d].n > carry->dim[d].n && knshard_is_prefix(carry->dim[d], by->dim[d]) &&
            !(others & kni_mesh_axes_set(by->dim[d]))) {
            carry->dim[d] = by->dim[d];
            any = true;
        }
    }
    return any;
}

/* How the results have to come: carries as they went in, those of branches as the first one's. */
static const knshard_lay *wanted(const knshard_solution *s, const kni_eqn *e, const loop *l, int b,
                                 const knshard_lay *carry)
{
    const kni_jaxpr *j = body_of(l, b);
    if (e->prim->loops == KN_LOOP_COND)
        return b ? s->cut[e - s->j->eqn].body[0]->out : NULL;
    knshard_lay *want = knx_arena_zero(s->arena, ((size_t)j->n_out + 1) * sizeof *want);
    bool condition = e->prim->loops == KN_LOOP_WHILE && !b;
    for (uint32_t k = 0; want && k < l->n_carry && !condition; k++)
        want[k] = carry[k];
    if (want && condition)
        knshard_lay_new(s->arena, 0, &want[0]);
    return want;
}

/* The carries' layouts, and the solution of body b with them. */
static knx_error *find_carries(const knshard_solution *s, const kni_eqn *e, const loop *l, int b, knshard_lay *carry,
                               knshard_solution **body)
{
    bool any = true;
    for (uint32_t k = 0; k < l->n_carry; k++)
        if (!operand_lay(s, e, l->first_carry + k, &carry[k]))
            return knx_error_nomem();
    for (int turn = 0; any; turn++) {
        knshard_lay *in;
        KN_TRY(body_inputs(s, e, l, b, carry, &in));
        KN_TRY(knshard_solve(body_of(l, b), s->mesh, s->arena, in, wanted(s, e, l, b, carry), body));
        any = false;
        for (uint32_t k = 0; k < l->n_carry && turn < MOST_TURNS; k++) {
            kni_atom a = body_of(l, b)->out[k];
            any |= kni_is_var(a) && extends(&carry[k], &(*body)->var[a]);
        }
    }
    return NULL;
}

static bool result_lay(const knshard_solution *s, const kni_eqn *e, const loop *l, uint32_t k, knshard_lay *out)
{
    const knshard_solution *last = s->cut[e - s->j->eqn].body[l->n_body - 1];
    if (e->prim->loops == KN_LOOP_SCAN && k >= l->n_carry)
        return stacked_lay(s->arena, &last->out[k], out);
    return knshard_lay_copy(s->arena, &last->out[k], out);
}

/* Do the operands lie as when the bodies were solved? Else notes how they do. */
static knx_error *same_operands(const knshard_solution *s, const kni_eqn *e, knshard_cut *c, bool *same)
{
    *same = c->operand != NULL;
    if (!c->operand && !(c->operand = knx_arena_zero(s->arena, ((size_t)e->n_in + 1) * sizeof *c->operand)))
        return knx_error_nomem();
    for (uint32_t k = 0; k < e->n_in; k++) {
        knshard_lay l;
        if (!operand_lay(s, e, k, &l))
            return knx_error_nomem();
        *same = *same && knshard_lay_equal(&l, &c->operand[k]);
        c->operand[k] = l;
    }
    return NULL;
}

static knx_error *solve_bodies(knshard_solution *s, const kni_eqn *e, knshard_cut *c)
{
    loop l = loop_of(e);
    int last = l.n_body - 1;
    knshard_lay *carry = knx_arena_zero(s->arena, ((size_t)l.n_carry + 1) * sizeof *carry), *in;
    c->body = knx_arena_zero(s->arena, ((size_t)l.n_body + 1) * sizeof *c->body);
    if (!carry || !c->body)
        return knx_error_nomem();
    if (e->prim->loops != KN_LOOP_COND)
        KN_TRY(find_carries(s, e, &l, last, carry, &c->body[last]));
    for (int b = 0; b < l.n_body; b++) {
        if (c->body[b])
            continue;
        KN_TRY(body_inputs(s, e, &l, b, carry, &in));
        KN_TRY(knshard_solve(body_of(&l, b), s->mesh, s->arena, in, wanted(s, e, &l, b, carry), &c->body[b]));
    }
    return NULL;
}

knx_error *knshard_solve_bodies(knshard_solution *s, uint32_t i)
{
    const kni_eqn *e = &s->j->eqn[i];
    knshard_cut *c = &s->cut[i];
    const loop l = loop_of(e);
    bool same;
    KN_TRY(same_operands(s, e, c, &same));
    if (same)
        return NULL;
    KN_TRY(solve_bodies(s, e, c));
    for (uint32_t k = 0; k < e->n_out; k++) {
        if (!result_lay(s, e, &l, k, &s->var[e->out + k]))
            return knx_error_nomem();
        s->var[e->out + k].fixed = true; /* by the bodies */
    }
    return NULL;
}

bool knshard_loop_lay(const knshard_solution *s, uint32_t i, bool result, uint32_t k, knshard_lay *out)
{
    const kni_eqn *e = &s->j->eqn[i];
    const loop l = loop_of(e);
    if (result)
        return result_lay(s, e, &l, k, out);
    if (e->prim->loops == KN_LOOP_COND && !k)
        return knshard_lay_new(s->arena, 0, out);
    int b = k < l.n_condition ? 0 : l.n_body - 1;
    const knshard_lay *in = &s->cut[i].body[b]->var[input_of(e, &l, b, k)];
    return k < l.first_x ? knshard_lay_copy(s->arena, in, out) : stacked_lay(s->arena, in, out);
}
