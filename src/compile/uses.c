/* SPDX-License-Identifier: Apache-2.0
 * uses.c -- which groups read a value and where, and the merging of groups. */
#include "compile/group.h"
#include <string.h>

bool knc_same_shape(kn_type a, kn_type b)
{
    return a.ndim == b.ndim && (!a.ndim || !memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof *a.dim));
}

uint32_t knc_find(knc_plan *p, uint32_t g)
{
    knc_group *group = p->group.at;
    while (group[g].parent != g)
        g = group[g].parent = group[group[g].parent].parent;
    return g;
}

static int find_use(const knc_uses *u, knc_use x)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].group == x.group && u->at[i].point == x.point && u->at[i].inner == x.inner)
            return i;
    return -1;
}

/* A value's readers, merged groups taken together; more than KNC_MAX_USES of them count as many. */
static void gather(knc_plan *p, const knc_value *v, knc_uses *u)
{
    if (u->level < v->need_level)
        u->level = v->need_level;
    for (uint32_t l = v->first_use; l != KNC_NO; l = p->use.at[l].next) {
        knc_use x = p->use.at[l].use;
        x.group = knc_find(p, x.group);
        if (u->level < p->group.at[x.group].level)
            u->level = p->group.at[x.group].level;
        int i = find_use(u, x);
        if (i >= 0 && u->at[i].depth < x.depth)
            u->at[i].depth = x.depth;
        else if (i < 0 && u->n < KNC_MAX_USES)
            u->at[u->n++] = x;
        else if (i < 0) {
            u->many = true;
            if (u->need_height < p->group.at[x.group].height)
                u->need_height = p->group.at[x.group].height;
        }
    }
    u->many |= v->many;
    if (v->need && !u->need) {
        u->need = true;
        u->why = v->why;
    }
    if (u->need_height < v->need_height)
        u->need_height = v->need_height;
}

knc_uses knc_collect_uses(knc_plan *p, uint32_t first, uint32_t n)
{
    knc_uses u = {.need_height = -1};
    for (uint32_t i = 0; i < n; i++)
        gather(p, &p->value[first + i], &u);
    return u;
}

void knc_add_use(knc_plan *p, uint32_t var, knc_use use)
{
    knc_value *v = &p->value[var];
    for (uint32_t l = v->first_use; l != KNC_NO; l = p->use.at[l].next) {
        knc_use *x = &p->use.at[l].use;
        if (x->group == use.group && x->point == use.point && x->inner == use.inner) {
            x->depth = x->depth > use.depth ? x->depth : use.depth;
            return;
        }
    }
    const knc_group *g = &p->group.at[knc_find(p, use.group)];
    if (v->n_use >= 2 * KNC_MAX_USES) { /* read in so many places that it is stored: only height and level count */
        v->many = true;
        v->need_height = v->need_height > g->height ? v->need_height : g->height;
        v->need_level = v->need_level > g->level ? v->need_level : g->level;
        return;
    }
    v->n_use++;
    if (!KN_VEC_PUSH(&p->use, ((knc_use_link){use, v->first_use})))
        p->failed = true;
    else
        v->first_use = (uint32_t)p->use.n - 1;
}

int32_t knc_height_above(knc_plan *p, const knc_uses *u, int except)
{
    int32_t height = u->need_height;
    for (int i = 0; i < u->n; i++)
        if (i != except && p->group.at[u->at[i].group].height > height)
            height = p->group.at[u->at[i].group].height;
    return height;
}

static bool same_reduction(const knc_group *a, const knc_group *b)
{
    if (!a->n_reduce && !b->n_reduce)
        return true;
    return a->n_reduce && b->n_reduce && knc_same_shape(a->inner, b->inner) && a->axes.n == b->axes.n &&
           !memcmp(a->axes.v, b->axes.v, (size_t)a->axes.n * sizeof *a->axes.v);
}

/* Would `early`, made part of `late`, read a value after its update? */
static bool too_late(const knc_group *early, const knc_group *late)
{
    return early->level < early->limit && late->level >= early->limit;
}

/* Of equal height, so neither reads what the other makes. */
static bool may_merge(const knc_group *a, const knc_group *b)
{
    if (too_late(a, b) || too_late(b, a))
        return false;
    return !a->routine && !b->routine && a->height == b->height && knc_same_shape(a->par, b->par) &&
           same_reduction(a, b) && a->weight + b->weight <= KNC_MAX_WEIGHT && a->n_store + b->n_store <= KNC_MAX_STORES;
}

void knc_add_store_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last)
{
    if (first == KNC_NO)
        return;
    *(g->first_store == KNC_NO ? &g->first_store : &p->value[g->last_store].next) = first;
    g->last_store = last;
}

void knc_add_reduce_list(knc_plan *p, knc_group *g, uint32_t first, uint32_t last)
{
    if (first == KNC_NO)
        return;
    *(g->first_reduce == KNC_NO ? &g->first_reduce : &p->value[g->last_reduce].next_reduce) = first;
    g->last_reduce = last;
}

static void merge(knc_plan *p, uint32_t into, uint32_t from)
{
    knc_group *a = &p->group.at[into], *b = &p->group.at[from];
    knc_add_store_list(p, a, b->first_store, b->last_store);
    knc_add_reduce_list(p, a, b->first_reduce, b->last_reduce);
    a->n_store = (uint16_t)(a->n_store + b->n_store);
    a->weight = (uint16_t)(a->weight + b->weight);
    a->n_reduce += b->n_reduce;
    a->plain &= b->plain;
    a->eqn = a->eqn > b->eqn ? a->eqn : b->eqn;
    a->level = a->level > b->level ? a->level : b->level;
    a->limit = a->limit < b->limit ? a->limit : b->limit;
    b->parent = into;
}

void knc_merge_groups(knc_plan *p, knc_uses *u)
{
    bool merged = false;
    for (int i = 0; i < u->n; i++)
        for (int k = i + 1; k < u->n; k++) {
            uint32_t a = knc_find(p, u->at[i].group), b = knc_find(p, u->at[k].group);
            if (a == b || u->at[i].point > KNC_INNER || u->at[i].point != u->at[k].point ||
                !may_merge(&p->group.at[a], &p->group.at[b]))
                continue;
            merge(p, a, b);
            merged = true;
        }
    if (!merged)
        return;
    knc_uses again = *u;
    again.n = 0;
    for (int i = 0; i < u->n; i++) {
        knc_use x = u->at[i];
        x.group = knc_find(p, x.group);
        int at = find_use(&again, x);
        if (at < 0)
            again.at[again.n++] = x;
        else if (again.at[at].depth < x.depth)
            again.at[at].depth = x.depth;
    }
    *u = again;
}
