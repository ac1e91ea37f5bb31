/* SPDX-License-Identifier: Apache-2.0
 * branches.c -- equations with KN_PF_BRANCHES as the form of 2020 knew them: two jaxprs, each over the operands that it
 * takes, behind a predicate. Today all branches take the operands of all, and the index is the predicate converted. */
#include "ir/prim.h"
#include "ir/text/print.h"

static const kni_p_cond *params_of(const kni_eqn *e)
{
    for (const kni_param_field *f = e->prim->fields; e->params && f && f->name; f++)
        if (f->flags & KN_PF_BRANCHES)
            return e->params;
    return NULL;
}

static bool reads(const kni_jaxpr *j, uint32_t input)
{
    kni_atom a = j->n_const + input;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (j->eqn[i].in[k] == a)
                return true;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (j->out[i] == a)
            return true;
    return false;
}

bool kni_two_branches(const kni_eqn *e, kni_branches *b)
{
    const kni_p_cond *p = params_of(e);
    if (!p || p->branches.n != 2 || !e->n_in)
        return false;
    *b = (kni_branches){{p->branches.v[0], p->branches.v[1]}, p->consts};
    return true;
}

bool kni_branch_takes(const kni_branches *b, int which, uint32_t input)
{
    if (input >= (uint32_t)b->consts.n || reads(b->of[which], input))
        return true;
    return b->consts.v[input] == which || b->consts.v[input] == KN_OPERAND_OF(which);
}

bool kni_branch_captured(const kni_branches *b, uint32_t input)
{
    return input < (uint32_t)b->consts.n && b->consts.v[input] >= -1;
}

uint32_t kni_branch_operands(const kni_branches *b, const kni_eqn *e, int which, kni_atom *out)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < e->n_in; i++)
        if (kni_branch_takes(b, which, i - 1))
            out[n++] = e->in[i];
    return n;
}

bool kni_is_unit(const kni_jaxpr *j, const kni_eqn *e, uint32_t operand)
{
    kni_atom a = e->in[operand];
    if (kni_is_var(a) ? a >= j->n_const : !kni_is_literal(a))
        return false;
    for (const kni_param_field *f = e->prim->fields; e->params && f && f->name; f++)
        if (f->flags & KN_PF_UNITS)
            return !reads(kni_field_jaxprs(f, e->params).v[0], operand);
    return false;
}

/* Of a scan or a choice. */
static kni_ints linear_of(const kni_eqn *e)
{
    const kni_p_cond *p = params_of(e);
    return p ? p->linear : ((const kni_p_scan *)e->params)->linear;
}

static void show_truth(knx_str *t, bool truth, uint32_t *n)
{
    knx_str_puts(t, (*n)++ ? ", " : "");
    knx_str_puts(t, truth ? "True" : "False");
}

/* Operands behind the index: of two branches what the one for true takes, then what that for false takes. Units count
 * as linear. */
void kni_show_linear(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    kni_branches b;
    kni_ints linear = linear_of(e);
    uint32_t n = 0, first = params_of(e) != NULL;
    bool two = kni_two_branches(e, &b), known = linear.n == (int)(e->n_in - first);
    (void)form;
    knx_str_puts(t, "(");
    for (int which = two; which >= 0; which--)
        for (uint32_t i = first; i < e->n_in; i++)
            if (!two || kni_branch_takes(&b, which, i - first))
                show_truth(t, (known && linear.v[i - first]) || kni_is_unit(j, e, i), &n);
    knx_str_puts(t, n == 1 ? ",)" : ")");
}

void kni_show_forward(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    knx_str_puts(t, ((const kni_p_scan *)e->params)->reverse ? "False" : "True");
}

/* Does the equation make the index of a predicate? */
static bool makes_index(const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_p_convert *p = e->params;
    return e->prim == &knp_prim_convert_element_type && p->new_dtype == KN_DT(I32) && !p->weak_type &&
           kni_is_var(e->in[0]) && j->type[e->in[0]].dtype == KN_DT(BOOL) && !j->type[e->in[0]].ndim;
}

bool kni_hidden_indices(const kni_jaxpr *j, knx_arena *a, kni_atom **predicate)
{
    kni_branches b;
    bool any = false;
    *predicate = NULL;
    for (uint32_t i = 0; i < j->n_eqn && !any; i++)
        any = kni_two_branches(&j->eqn[i], &b);
    if (!any)
        return true;
    uint32_t *uses = knx_arena_zero(a, ((size_t)j->n_var + 1) * sizeof *uses);
    kni_atom *of = knx_arena_alloc(a, ((size_t)j->n_var + 1) * sizeof *of);
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
        const kni_eqn *e = &j->eqn[i];
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
