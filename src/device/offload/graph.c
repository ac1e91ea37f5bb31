/* SPDX-License-Identifier: Apache-2.0
 * graph.c -- a program as steps and values, as device/steps/plan.c moves them: what a step reads has to be where it
 * runs, and so has what is there already of that which it writes. */
#include "device/offload/offload.h"
#include "device/steps/steps.h"

/* A memory, and the value in it at the moment. */
typedef struct cell {
    uint8_t space;
    uint32_t index;
    size_t first;
    uint32_t value; /* KNC_NO: none yet */
} cell;

typedef struct edge {
    uint32_t value, reader;
} edge;

typedef struct maker {
    const knc_program *p;
    KN_VEC(cell) cell;
    KN_VEC(knd_value) value;
    KN_VEC(edge) edge;
    bool failed;
} maker;

/* The memory of a reference: outputs that share one are one. */
static cell key_of(const knc_program *p, const knc_ref *ref)
{
    cell c = {.space = ref->space, .index = ref->index, .value = KNC_NO};
    if (ref->space == KNC_AT_WORK) {
        c.index = 0;
        c.first = ref->first;
    }
    while (c.space == KNC_AT_OUTPUT && p->output[c.index].kind != KNC_OUT_NEW) {
        c.space = p->output[c.index].kind == KNC_OUT_SAME ? KNC_AT_OUTPUT : KNC_AT_OPERAND;
        c.index = p->output[c.index].index;
    }
    return c;
}

static uint32_t new_value(maker *m, knd_value v)
{
    if (!KN_VEC_PUSH(&m->value, v))
        m->failed = true;
    return (uint32_t)m->value.n - 1;
}

static cell *cell_of(maker *m, const knc_ref *ref)
{
    cell c = key_of(m->p, ref);
    for (size_t i = m->cell.n; i-- > 0;)
        if (m->cell.at[i].space == c.space && m->cell.at[i].index == c.index && m->cell.at[i].first == c.first)
            return &m->cell.at[i];
    if (c.space == KNC_AT_OPERAND)
        c.value = new_value(m, (knd_value){.maker = KNC_NO, .operand = c.index, .bytes = ref->bytes});
    if (!KN_VEC_PUSH(&m->cell, c)) {
        m->failed = true;
        return NULL;
    }
    return &m->cell.at[m->cell.n - 1];
}

/* Memory that only this step works in, and what is not in a memory. */
static bool is_no_value(const knc_step *s, uint32_t r)
{
    bool routine = s->kind == KNC_ROUTINE || s->kind == KNC_LOOP || s->kind == KNC_BRANCH;
    uint8_t space = s->ref[r].space;
    return (routine && r >= s->u.r.n_in + s->u.r.n_out) ||
           (space != KNC_AT_OPERAND && space != KNC_AT_OUTPUT && space != KNC_AT_WORK);
}

static void add_step(maker *m, uint32_t i)
{
    const knc_step *s = &m->p->step[i];
    for (uint32_t r = 0; r < s->n_ref && !m->failed; r++) {
        cell *c = is_no_value(s, r) ? NULL : cell_of(m, &s->ref[r]);
        if (c && c->value != KNC_NO && !KN_VEC_PUSH(&m->edge, ((edge){c->value, i})))
            m->failed = true;
    }
    for (uint32_t r = 0; r < s->n_ref && !m->failed; r++) {
        cell *c = is_no_value(s, r) || !knc_is_written(s, r) ? NULL : cell_of(m, &s->ref[r]);
        if (c)
            c->value = new_value(m, (knd_value){.maker = i, .bytes = s->ref[r].bytes});
    }
}

/* The readers of each value, one behind the other. */
static bool sort_readers(maker *m, knx_arena *arena, knd_graph *g)
{
    g->n_value = (uint32_t)m->value.n;
    g->value = knx_arena_zero(arena, (m->value.n + 1) * sizeof *g->value);
    g->reader = knx_arena_zero(arena, (m->edge.n + 1) * sizeof *g->reader);
    if (!g->value || !g->reader)
        return false;
    for (size_t i = 0; i < m->edge.n; i++)
        m->value.at[m->edge.at[i].value].n_reader++;
    for (uint32_t v = 0, at = 0; v < g->n_value; v++) {
        g->value[v] = m->value.at[v];
        g->value[v].first_reader = at;
        at += g->value[v].n_reader;
        g->value[v].n_reader = 0;
    }
    for (size_t i = 0; i < m->edge.n; i++) {
        knd_value *v = &g->value[m->edge.at[i].value];
        g->reader[v->first_reader + v->n_reader++] = m->edge.at[i].reader;
    }
    return true;
}

knx_error *knd_make_graph(const knd_device *d, const kn_offload_costs *c, const knc_program *p, knx_arena *arena,
                          knd_graph *out)
{
    maker m = {.p = p};
    *out = (knd_graph){.n_step = p->n_step};
    out->seconds = knx_arena_zero(arena, (p->n_step + 1) * sizeof *out->seconds);
    out->refusal = knx_arena_zero(arena, (p->n_step + 1) * sizeof *out->refusal);
    bool fine = out->seconds && out->refusal;
    for (uint32_t i = 0; fine && i < p->n_step; i++) {
        out->refusal[i] = knd_steps_refusal(d, p, &p->step[i], arena);
        out->seconds[i][0] = knd_step_seconds(d, c, p, i, false);
        out->seconds[i][1] = out->refusal[i] ? 0 : knd_step_seconds(d, c, p, i, true);
        add_step(&m, i);
    }
    fine = fine && !m.failed && sort_readers(&m, arena, out);
    KN_VEC_FREE(&m.cell);
    KN_VEC_FREE(&m.value);
    KN_VEC_FREE(&m.edge);
    return fine ? NULL : knx_error_nomem();
}

double knd_run_seconds(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, const bool *there)
{
    double sum = 0;
    for (uint32_t i = 0; i < g->n_step; i++)
        sum += g->seconds[i][there[i]];
    for (uint32_t v = 0; v < g->n_value; v++) {
        const knd_value *x = &g->value[v];
        int has = x->maker == KNC_NO ? where[x->operand] : there[x->maker] ? KND_THERE : KND_HERE, want = 0;
        for (uint32_t k = 0; k < x->n_reader; k++)
            want |= there[g->reader[x->first_reader + k]] ? KND_THERE : KND_HERE;
        want &= ~has;
        sum += want & KND_THERE ? knd_copy_seconds(c, x->bytes, true) : 0;
        sum += want & KND_HERE ? knd_copy_seconds(c, x->bytes, false) : 0;
    }
    return sum;
}
