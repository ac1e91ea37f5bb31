/* SPDX-License-Identifier: Apache-2.0
 * bands_graph.c -- the graph of the steps while sets are made: which step runs after which, which steps are one node
 * of the graph (the members of a set, an update and its copy), and whether a path leads out of a set and back. */
#include "compile/bands/bands.h"
#include <string.h>

static void add_link(knc_bands *b, uint32_t *list, uint32_t step)
{
    if (KN_VEC_PUSH(&b->link, ((knc_link){step, *list})))
        *list = (uint32_t)b->link.n - 1;
    else
        b->p->failed = true;
}

static bool is_effect(const knc_plan *p, const knc_step *s)
{
    return !knc_is_kernel(s) && s->kind != KNC_COPY && s->eqn < p->j->n_eqn &&
           (kni_bits(p->j->eqn[s->eqn].prim, p->j->eqn[s->eqn].params) & KN_EFFECT);
}

/* Steps with effects run in the order of their equations. */
static void link_effects(knc_bands *b)
{
    uint32_t last = KNC_NO;
    for (uint32_t i = 0; (b->p->j->has & KN_EFFECT) && i < b->p->j->n_eqn; i++)
        for (uint32_t s = 0; (kni_bits(b->p->j->eqn[i].prim, b->p->j->eqn[i].params) & KN_EFFECT) && s < b->n_step; s++)
            if (b->p->step.at[s].eqn == i && is_effect(b->p, &b->p->step.at[s])) {
                if (last != KNC_NO)
                    add_link(b, &b->follows[last], s);
                last = s;
            }
}

static void link_steps(knc_bands *b)
{
    knc_plan *p = b->p;
    for (uint32_t s = 0; s < b->n_step; s++)
        for (uint32_t r = 0; r < p->step.at[s].n_ref; r++) {
            uint32_t slot = p->step.at[s].ref[r].index, maker = p->slot.at[slot].maker, l = b->reader[slot];
            if (maker == s || (l != KNC_NO && b->link.at[l].step == s))
                continue;
            add_link(b, &b->reader[slot], s);
            if (maker != KNC_NO)
                add_link(b, &b->follows[maker], s);
        }
    for (size_t u = 0; u < p->update.n; u++) { /* an update and its copy are one node */
        uint32_t copy = p->update.at[u].copy, step = p->update.at[u].step;
        b->node[copy] = step;
        b->next[copy] = b->next[step];
        b->next[step] = copy;
    }
    link_effects(b);
}

/* Gives each node a larger rank than all nodes that run before it have. */
void knc_rank_nodes(knc_bands *b)
{
    uint32_t n = 0, rank = 1;
    memset(b->waits, 0, b->n_step * sizeof *b->waits);
    memset(b->rank, 0, b->n_step * sizeof *b->rank);
    for (uint32_t s = 0; s < b->n_step; s++)
        for (uint32_t l = b->follows[s]; l != KNC_NO; l = b->link.at[l].next)
            b->waits[b->node[b->link.at[l].step]] += b->node[b->link.at[l].step] != b->node[s];
    for (uint32_t s = 0; s < b->n_step; s++)
        if (b->node[s] == s && !b->waits[s])
            b->queue[n++] = s;
    for (uint32_t i = 0; i < n; i++, rank++)
        for (uint32_t x = b->queue[i]; x != KNC_NO; x = b->next[x]) {
            b->rank[x] = rank;
            for (uint32_t l = b->follows[x]; l != KNC_NO; l = b->link.at[l].next) {
                uint32_t to = b->node[b->link.at[l].step];
                if (to != b->queue[i] && !--b->waits[to])
                    b->queue[n++] = to;
            }
        }
}

bool knc_is_inside(const knc_set *s, uint32_t step)
{
    for (int i = 0; i < s->n; i++)
        if (!s->member[i].again && s->member[i].step == step)
            return true;
    return false;
}

/* Puts the nodes that run right after the step into the queue, but for those of a larger rank than `most`, from which
 * no path leads to the set. True: the step is no member and a member runs right after it. */
static bool look_behind(knc_bands *b, uint32_t step, const knc_set *s, uint32_t most, uint32_t *n)
{
    bool within = knc_is_inside(s, step);
    for (uint32_t l = b->follows[step]; l != KNC_NO; l = b->link.at[l].next) {
        uint32_t to = b->node[b->link.at[l].step];
        if (b->seen[to] == b->now || b->rank[to] > most)
            continue;
        if (knc_is_inside(s, b->link.at[l].step)) {
            if (!within)
                return true;
            continue;
        }
        b->seen[to] = b->now;
        b->queue[(*n)++] = to;
    }
    return false;
}

bool knc_comes_back(knc_bands *b, const knc_set *s)
{
    uint32_t n = 0, most = 0;
    b->now++;
    for (int i = 0; i < s->n; i++)
        if (!s->member[i].again && b->rank[s->member[i].step] > most)
            most = b->rank[s->member[i].step];
    for (int i = 0; i < s->n; i++)
        if (!s->member[i].again)
            look_behind(b, s->member[i].step, s, most, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t x = b->queue[i]; x != KNC_NO; x = b->next[x])
            if (look_behind(b, x, s, most, &n))
                return true;
    return false;
}

bool knc_begin_bands(knc_bands *b)
{
    knx_arena *a = &b->p->scratch;
    size_t n = b->n_step + 1, bytes = n * sizeof(uint32_t), slots = (b->p->slot.n + 1) * sizeof(uint32_t);
    b->node = knx_arena_alloc(a, bytes);
    b->next = knx_arena_alloc(a, bytes);
    b->band = knx_arena_alloc(a, bytes);
    b->follows = knx_arena_alloc(a, bytes);
    b->reader = knx_arena_alloc(a, slots);
    b->seen = knx_arena_zero(a, bytes);
    b->queue = knx_arena_alloc(a, bytes);
    b->rank = knx_arena_alloc(a, bytes);
    b->waits = knx_arena_alloc(a, bytes);
    b->reason = knx_arena_zero(a, b->p->slot.n + 1);
    b->reuse = knx_arena_alloc(a, bytes);
    b->next_reuse = knx_arena_alloc(a, (b->p->reuse.n + 1) * sizeof(uint32_t));
    if (!b->node || !b->next || !b->band || !b->follows || !b->reader || !b->seen || !b->queue || !b->reason ||
        !b->reuse || !b->next_reuse || !b->rank || !b->waits)
        return false;
    for (uint32_t s = 0; s < b->n_step; s++)
        b->node[s] = s;
    memset(b->next, 0xff, bytes);
    memset(b->band, 0xff, bytes);
    memset(b->follows, 0xff, bytes);
    memset(b->reader, 0xff, slots);
    memset(b->reuse, 0xff, bytes);
    for (uint32_t i = 0; i < b->p->reuse.n; i++) {
        uint32_t step = b->p->reuse.at[i].step;
        b->next_reuse[i] = b->reuse[step];
        b->reuse[step] = i;
    }
    link_steps(b);
    knc_rank_nodes(b);
    return !b->p->failed;
}
