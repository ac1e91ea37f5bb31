/* SPDX-License-Identifier: Apache-2.0
 * toposort.c -- JAX's util.toposort of 2020: results are popped from a stack, and a variable comes onto it when all
 * that read it have been popped; backwards, that is the order. */
#include "ir/toposort.h"

enum { NO_LINK = 0xffffffffu };

typedef struct sorting {
    const kni_link *link;
    uint32_t *of;    /* per variable: the equation that makes it */
    uint32_t *count; /* per variable: how many needed ones read it */
    bool *needed;
    uint32_t *stack, n_stack, *sorted, n_sorted;
} sorting;

static void push(sorting *s, uint32_t v) { s->stack[s->n_stack++] = v; }

/* What v is made of is read once less. */
static void pop(sorting *s)
{
    uint32_t v = s->stack[--s->n_stack];
    s->sorted[s->n_sorted++] = v;
    if (s->of[v] == NO_LINK)
        return;
    const kni_link *e = &s->link[s->of[v]];
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && --s->count[e->in[i]] == 0)
            push(s, e->in[i]);
}

static void count(sorting *s, uint32_t n_link, uint32_t n_out, const kni_atom *out)
{
    for (uint32_t i = 0; i < n_out; i++)
        if (kni_is_var(out[i]))
            s->needed[out[i]] = true;
    for (uint32_t k = n_link; k-- > 0;) {
        const kni_link *e = &s->link[k];
        for (uint32_t j = 0; j < e->n_out; j++)
            for (uint32_t i = 0; s->needed[e->out + j] && i < e->n_in; i++)
                if (kni_is_var(e->in[i])) {
                    s->needed[e->in[i]] = true;
                    s->count[e->in[i]]++;
                }
    }
}

bool kni_toposort(knx_arena *a, uint32_t n_var, uint32_t n_link, const kni_link *link, uint32_t n_out,
                  const kni_atom *out, uint32_t **order, uint32_t *n)
{
    size_t room = (size_t)n_var + 1;
    sorting s = {.link = link,
                 .of = knx_arena_alloc(a, room * sizeof *s.of),
                 .count = knx_arena_zero(a, room * sizeof *s.count),
                 .needed = knx_arena_zero(a, room),
                 .stack = knx_arena_alloc(a, room * sizeof *s.stack),
                 .sorted = knx_arena_alloc(a, room * sizeof *s.sorted)};
    bool *pushed = knx_arena_zero(a, room);
    if (!s.of || !s.count || !s.needed || !s.stack || !s.sorted || !pushed)
        return false;
    for (uint32_t v = 0; v < n_var; v++)
        s.of[v] = NO_LINK;
    for (uint32_t k = 0; k < n_link; k++)
        for (uint32_t i = 0; i < link[k].n_out; i++)
            s.of[link[k].out + i] = k;
    count(&s, n_link, n_out, out);
    for (uint32_t i = 0; i < n_out; i++)
        if (kni_is_var(out[i]) && !s.count[out[i]] && !pushed[out[i]]) {
            pushed[out[i]] = true;
            push(&s, out[i]);
        }
    while (s.n_stack)
        pop(&s);
    for (uint32_t i = 0; i < s.n_sorted / 2; i++) {
        uint32_t v = s.sorted[i];
        s.sorted[i] = s.sorted[s.n_sorted - 1 - i];
        s.sorted[s.n_sorted - 1 - i] = v;
    }
    *order = s.sorted;
    *n = s.n_sorted;
    return true;
}
