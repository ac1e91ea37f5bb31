/* SPDX-License-Identifier: Apache-2.0
 * branches.c -- equations with KN_PF_BRANCHES as the form of 2020 knew them: two jaxprs, each over the operands that it
 * takes, behind a predicate. Today all branches take the operands of all, and the index is the predicate converted. */
#include "ir/print.h"
#include "ir/prim.h"

static const kn_p_cond *params_of(const kn_eqn *e)
{
    for (const kn_param_field *f = e->prim->fields; e->params && f && f->name; f++)
        if (f->flags & KN_PF_BRANCHES)
            return e->params;
    return NULL;
}

/* Does j read one of these inputs? */
static bool reads(const kni_jaxpr *j, uint32_t first, uint32_t n)
{
    uint32_t from = j->n_const + first, to = from + n;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (j->eqn[i].in[k] >= from && j->eqn[i].in[k] < to)
                return true;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (j->out[i] >= from && j->out[i] < to)
            return true;
    return false;
}

bool kni_two_branches(const kn_eqn *e, kni_branches *b)
{
    const kn_p_cond *p = params_of(e);
    if (!p || p->branches.n != 2 || !e->n_in)
        return false;
    uint32_t n = e->n_in - 1;
    bool known = p->consts.n == 2;
    for (int i = 0; known && i < 2; i++)
        known = p->consts.v[i] >= 0 && p->consts.v[i] <= n;
    *b = (kni_branches){.of = {p->branches.v[0], p->branches.v[1]}, .common = n};
    if (!known || p->consts.v[0] + p->consts.v[1] > n)
        return true;
    uint32_t own[2] = {(uint32_t)p->consts.v[0], (uint32_t)p->consts.v[1]};
    if (reads(b->of[0], own[0], own[1]) || reads(b->of[1], 0, own[0]))
        return true; /* some rule found a use for them */
    b->own[0] = own[0];
    b->own[1] = own[1];
    b->common -= own[0] + own[1];
    return true;
}

uint32_t kni_branch_operands(const kni_branches *b, const kn_eqn *e, int which, kn_atom *out)
{
    uint32_t n = 0, first = 1 + (which ? b->own[0] : 0), common = 1 + b->own[0] + b->own[1];
    for (uint32_t i = 0; i < b->own[which]; i++)
        out[n++] = e->in[first + i];
    for (uint32_t i = 0; i < b->common; i++)
        out[n++] = e->in[common + i];
    return n;
}

/* As many as there are operands behind the index, those that both branches take twice. */
void kni_show_linear(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    kni_branches b;
    uint32_t n = e->n_in;
    (void)form, (void)j;
    if (kni_two_branches(e, &b))
        n = b.own[0] + b.own[1] + 2 * b.common;
    else if (params_of(e))
        n--;
    knx_str_puts(t, "(");
    for (uint32_t i = 0; i < n; i++)
        knx_str_puts(t, i ? ", False" : "False");
    knx_str_puts(t, n == 1 ? ",)" : ")");
}

void kni_show_forward(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form, (void)j;
    knx_str_puts(t, ((const kn_p_scan *)e->params)->reverse ? "False" : "True");
}

/* Does the equation make the index of a predicate? */
static bool makes_index(const kni_jaxpr *j, const kn_eqn *e)
{
    const kn_p_convert *p = e->params;
    return e->prim == &kn_prim_convert_element_type && p->new_dtype == KN_DT(I32) && !p->weak_type &&
           kni_is_var(e->in[0]) && j->type[e->in[0]].dtype == KN_DT(BOOL) && !j->type[e->in[0]].ndim;
}

bool kni_hidden_indices(const kni_jaxpr *j, kn_arena *a, kn_atom **predicate)
{
    kni_branches b;
    bool any = false;
    *predicate = NULL;
    for (uint32_t i = 0; i < j->n_eqn && !any; i++)
        any = kni_two_branches(&j->eqn[i], &b);
    if (!any)
        return true;
    uint32_t *uses = knx_arena_zero(a, ((size_t)j->n_var + 1) * sizeof *uses);
    kn_atom *of = knx_arena_alloc(a, ((size_t)j->n_var + 1) * sizeof *of);
    if (!uses || !of)
        return false;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (kni_is_var(j->eqn[i].in[k]))
                uses[j->eqn[i].in[k]]++;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            uses[j->out[i]]++;
    for (uint32_t v = 0; v < j->n_var; v++)
        of[v] = KN_ATOM_NONE;
    for (uint32_t i = 0; i < j->n_eqn; i++) { /* an index comes before its use: marked, then confirmed */
        const kn_eqn *e = &j->eqn[i];
        if (e->n_out == 1 && uses[e->out] == 1 && makes_index(j, e))
            of[e->out] = e->in[0];
        else
            for (uint32_t k = 0; k < e->n_in; k++)
                if (kni_is_var(e->in[k]) && (k || !kni_two_branches(e, &b)))
                    of[e->in[k]] = KN_ATOM_NONE;
    }
    for (uint32_t i = 0; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            of[j->out[i]] = KN_ATOM_NONE;
    *predicate = of;
    return true;
}
