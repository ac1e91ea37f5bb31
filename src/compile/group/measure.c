/* SPDX-License-Identifier: Apache-2.0
 * measure.c -- before equations are grouped: how many operations and loads it would cost, at most, to recompute each
 * value where it is read. */
#include "compile/group/group.h"

enum { LARGE = 1000, FEW_OPERANDS = 8 };

unsigned knc_weight(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a)
{
    kni_type few[FEW_OPERANDS], *x = few;
    const kni_type *y = &j->type[e->out];
    if (!e->prim->cost || !e->n_out)
        return 1;
    if (e->n_in > FEW_OPERANDS && !(x = knx_arena_alloc(a, e->n_in * sizeof *x)))
        return 1; /* without memory; it is an estimate anyway */
    for (uint32_t i = 0; i < e->n_in; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    int64_t size = knx_dim_hint(kni_type_size(y[0]));
    kni_rule r = kni_rule_of(e, x, y);
    double each = e->prim->cost(&r) / (size ? (double)size : 1.0);
    return each < 1 ? 1 : each < LARGE ? (unsigned)each : LARGE;
}

static unsigned at_most(unsigned v, unsigned max) { return v < max ? v : max; }

bool knc_is_cheap(const knc_value *v)
{
    return v->constant || (v->cheap && !v->costly && v->ops <= KNC_CHEAP_OPS && v->reads <= KNC_CHEAP_READS);
}

/* To its readers a stored value costs one load; a scalar costs none. */
static void stored(knc_value *v, kni_type t)
{
    v->ops = 0;
    v->reads = t.ndim > 0;
    v->cheap = true;
}

/* The reduction for each of whose rows the result has one element: e itself, or the reduction of an operand that has
 * as many elements as the result; KNC_NO: none. */
static uint32_t rows_of(const knc_plan *p, uint32_t i, const kni_eqn *e, knc_class c)
{
    uint32_t rows = KNC_NO;
    if (c == KNC_REDUCE)
        return i;
    if (e->n_out != 1 || (c != KNC_ELEMENTWISE && c != KNC_VIEW && c != KNC_IDENTITY))
        return KNC_NO;
    for (uint32_t k = 0; k < e->n_in; k++) {
        uint32_t r = kni_is_var(e->in[k]) ? p->value[e->in[k]].rows : KNC_NO;
        if (r != KNC_NO && (rows == KNC_NO || r > rows) &&
            kni_type_size(knc_type(p, e->in[k])) == kni_type_size(p->j->type[e->out]))
            rows = r;
    }
    return rows;
}

static bool is_constant(const knc_plan *p, const kni_eqn *e, knc_class c)
{
    bool constant = c == KNC_ELEMENTWISE || c == KNC_VIEW || c == KNC_IDENTITY;
    for (uint32_t k = 0; constant && k < e->n_in; k++)
        constant = kni_is_literal(e->in[k]) || p->value[e->in[k]].constant;
    return constant && e->n_in;
}

static bool is_larger(kni_type a, kni_type b) { return knx_dim_lt(kni_type_size(b), kni_type_size(a)); }

/* The reduction whose results per row the value reads for all elements of the rows, itself or by an operand; KNC_NO:
 * none. */
static uint32_t spread_of(const knc_plan *p, const kni_eqn *e, knc_class c)
{
    uint32_t spread = KNC_NO;
    for (uint32_t k = 0; k < e->n_in; k++) {
        const knc_value *x = kni_is_var(e->in[k]) ? &p->value[e->in[k]] : NULL;
        bool larger = x && is_larger(p->j->type[e->out], knc_type(p, e->in[k]));
        uint32_t s = !x ? KNC_NO : larger ? x->rows : c == KNC_ELEMENTWISE ? x->spread : KNC_NO;
        if (s != KNC_NO && (spread == KNC_NO || s > spread))
            spread = s;
    }
    return spread;
}

static void measure_eqn(knc_plan *p, uint32_t number, const kni_eqn *e)
{
    knc_class c = knc_class_of(p->j, e);
    bool moves = c == KNC_VIEW || c == KNC_RESHAPE || c == KNC_IDENTITY;
    unsigned ops = moves ? 0 : knc_weight(p->j, e, &p->scratch), reads = 0;
    unsigned looks = c == KNC_PULL || c == KNC_EITHER ? knc_looks(p->j, e) : 1;
    bool cheap = moves || (e->prim->bits & KN_CHEAP);
    for (uint32_t i = 0; i < e->n_in; i++) {
        const knc_value *x = kni_is_var(e->in[i]) ? &p->value[e->in[i]] : NULL;
        if (!x)
            continue;
        ops = at_most(ops + x->ops * looks, LARGE);
        reads = at_most(reads + x->reads * looks, 255);
        cheap &= x->cheap;
    }
    uint32_t rows = rows_of(p, number, e, c), spread = KNC_NO;
    bool constant = is_constant(p, e, c);
    if (e->n_out == 1 && (c == KNC_VIEW || c == KNC_ELEMENTWISE))
        spread = spread_of(p, e, c);
    if (constant)
        ops = 0;
    if (c == KNC_VIEW && kni_is_var(e->in[0]) && p->value[e->in[0]].rows != KNC_NO &&
        is_larger(p->j->type[e->out], knc_type(p, e->in[0]))) {
        ops = reads = 0; /* the operand is known for a whole row, or stored */
        cheap = true;
    }
    for (uint32_t i = 0; i < e->n_out; i++) {
        knc_value *v = &p->value[e->out + i];
        v->rows = rows;
        v->spread = spread;
        v->constant = constant;
        v->ops = (uint16_t)ops;
        v->reads = (uint8_t)reads;
        v->cheap = cheap;
        v->costly = !knc_is_cheap(v);
        /* the value will be stored: its readers need not count its operations */
        bool often = v->far_readers >= 2 && v->costly;
        if (c == KNC_RUN || c == KNC_REDUCE || v->need || often)
            stored(v, p->j->type[e->out + i]);
    }
}

/* Marks operands that are certainly stored (`need`, which knc_measure takes back) and counts their readers at other
 * points. */
static void mark_eqn(knc_plan *p, const kni_eqn *e)
{
    knc_class c = knc_class_of(p->j, e);
    for (uint32_t i = 0; i < e->n_in; i++) {
        knc_value *x = kni_is_var(e->in[i]) ? &p->value[e->in[i]] : NULL;
        if (!x)
            continue;
        x->need |= c == KNC_RUN || c == KNC_RESHAPE;
        if ((c == KNC_VIEW || c == KNC_PULL || c == KNC_EITHER) && x->far_readers < 255)
            x->far_readers++;
    }
}

void knc_measure(knc_plan *p)
{
    const kni_jaxpr *j = p->j;
    uint32_t given = j->n_const + j->n_in;
    for (uint32_t v = 0; v < j->n_var; v++) {
        p->value[v] = (knc_value){.eqn = KNC_NO,
                                  .first_use = KNC_NO,
                                  .group = KNC_NO,
                                  .next = KNC_NO,
                                  .next_reduce = KNC_NO,
                                  .slot = KNC_NO,
                                  .need_height = -1,
                                  .whole = v,
                                  .rows = KNC_NO,
                                  .spread = KNC_NO,
                                  .old = KNC_NO};
        if (v < given) {
            p->value[v].state = KNC_GIVEN;
            stored(&p->value[v], j->type[v]);
        }
    }
    for (uint32_t i = 0; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            p->value[j->out[i]].need = p->value[j->out[i]].is_output = true;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        mark_eqn(p, &j->eqn[i]);
    for (uint32_t i = 0; i < j->n_eqn; i++)
        measure_eqn(p, i, &j->eqn[i]);
    for (uint32_t v = 0; v < j->n_var; v++) {
        p->value[v].need = p->value[v].is_output; /* readers that nothing reads do not need it */
        p->value[v].why = KNC_BECAUSE_RESULT;
    }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t o = 0; o < j->eqn[i].n_out; o++)
            p->value[j->eqn[i].out + o].eqn = i;
}
