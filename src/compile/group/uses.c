/* SPDX-License-Identifier: Apache-2.0
 * uses.c -- which groups read a value and where, and the merging of groups. */
#include "compile/group/group.h"
#include <string.h>

bool knc_same_shape(kni_type a, kni_type b)
{
    return a.ndim == b.ndim && (!a.ndim || !memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof *a.dim));
}

uint32_t knc_find(knc_plan *p, uint32_t g)
{
    knc_group *group = p->group.at;
    for (uint32_t up; (up = group[g].parent) != g; g = group[g].parent) {
        if (group[up].parent == up)
            return up;
        /* its points lie in the loops that the points of the group above lie in */
        if (group[g].form == KNC_LOOPS_OPEN) {
            group[g].form = group[up].form;
            group[g].stage = group[up].stage;
        }
        group[g].parent = group[up].parent;
    }
    return g;
}

knc_loops knc_base_of(knc_plan *p, uint32_t g, uint8_t *stage)
{
    while (p->group.at[g].form == KNC_LOOPS_OPEN && p->group.at[g].parent != g)
        g = p->group.at[g].parent;
    *stage = p->group.at[g].stage;
    return p->group.at[g].form;
}

/* The use as it is now, after its group merged with others or got rows: the group, and where in its loops. */
static knc_use settled(knc_plan *p, knc_use x)
{
    uint8_t stage;
    uint32_t root = knc_find(p, x.group);
    const knc_group *g = &p->group.at[root];
    if (x.loops == KNC_LOOPS_OPEN) {
        x.loops = (uint8_t)knc_base_of(p, x.group, &stage);
        x.stages = (uint16_t)(1u << stage);
    }
    x.group = root;
    if (x.point != KNC_KEPT)
        return x;
    if (x.keep == knc_long_axes(x.loops == KNC_LOOPS_FULL ? g->inner : g->par)) {
        x.point = KNC_POINT;
    } else if (x.loops == KNC_LOOPS_FULL && x.keep == g->kept) {
        x.point = KNC_POINT;
        x.loops = KNC_LOOPS_ROWS;
    }
    if (x.point == KNC_POINT)
        x.keep = 0;
    return x;
}

void knc_rise(knc_plan *p, uint32_t group, int32_t height)
{
    knc_group *g = &p->group.at[group];
    g->height = g->height > height ? g->height : height;
}

void knc_pin(knc_plan *p, uint32_t group)
{
    knc_group *g = &p->group.at[group];
    g->ceiling = g->ceiling < g->height + 1 ? g->ceiling : g->height + 1;
}

static bool same_place(const knc_use *a, const knc_use *b)
{
    return a->group == b->group && a->point == b->point && a->loops == b->loops &&
           (a->point != KNC_KEPT || a->keep == b->keep);
}

static void join_use(knc_use *a, const knc_use *b)
{
    a->stages |= b->stages;
    a->depth = a->depth > b->depth ? a->depth : b->depth;
    a->more = a->more > b->more ? a->more : b->more;
    a->most = a->most && b->most ? knx_dim_add(a->most, b->most) : 0;
}

static int find_use(const knc_uses *u, const knc_use *x)
{
    for (int i = 0; i < u->n; i++)
        if (same_place(&u->at[i], x))
            return i;
    return -1;
}

/* Adds a value's uses to u; equal uses, as of groups that merged, become one. More than KNC_MAX_USES of them set
 * `many`. */
static void gather(knc_plan *p, const knc_value *v, knc_uses *u)
{
    if (u->level < v->need_level)
        u->level = v->need_level;
    for (uint32_t l = v->first_use; l != KNC_NO; l = p->use.at[l].next) {
        knc_use x = settled(p, p->use.at[l].use);
        if (u->level < p->group.at[x.group].level)
            u->level = p->group.at[x.group].level;
        int i = find_use(u, &x);
        if (i >= 0)
            join_use(&u->at[i], &x);
        else if (u->n < KNC_MAX_USES)
            u->at[u->n++] = x;
        else {
            u->many = true;
            knc_pin(p, x.group);
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
    bool read = false; /* does the group read the value already? */
    for (uint32_t l = v->first_use; l != KNC_NO; l = p->use.at[l].next) {
        read |= p->use.at[l].use.group == use.group;
        if (same_place(&p->use.at[l].use, &use)) {
            join_use(&p->use.at[l].use, &use);
            return;
        }
    }
    knc_group *g = &p->group.at[knc_find(p, use.group)];
    g->n_read += !read;
    if (v->n_use >= 2 * KNC_MAX_USES) { /* the value has so many uses that it is stored: only height and level count */
        v->many = true;
        knc_pin(p, knc_find(p, use.group));
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
    for (int i = 0; i < u->n; i++) {
        if (i == except)
            continue;
        if (except >= 0 && u->at[i].group == u->at[except].group) /* the group cannot run before itself */
            return KNC_TOO_HIGH;
        if (p->group.at[u->at[i].group].height > height)
            height = p->group.at[u->at[i].group].height;
    }
    return height;
}

/* Would `early`, made part of `late`, read a value after its update? */
static bool too_late(const knc_group *early, const knc_group *late)
{
    return early->level < early->limit && late->level >= early->limit;
}

/* Do two shapes give positions the same loops? They do if they differ in axes of extent 1 only. */
static bool same_loops(kni_type a, kni_type b)
{
    for (int i = 0, k = 0;; i++, k++) {
        while (i < a.ndim && a.dim[i] == 1)
            i++;
        while (k < b.ndim && b.dim[k] == 1)
            k++;
        if (i == a.ndim || k == b.ndim)
            return i == a.ndim && k == b.ndim;
        if (a.dim[i] != b.dim[k])
            return false;
    }
}

static bool may_join_at(const knc_group *g, int32_t height)
{
    return g->height >= height || (g->form == KNC_LOOPS_ROWS && knc_may_rise(g, height));
}

/* May two groups become one? They must have equal heights, so that neither reads the other's results. A group whose
 * points are rows can rise to the other's height; the results of other groups might lie in memory for long if they
 * ran earlier. Two groups with puts stay apart: each waits for the readers of its own old value. */
static bool may_merge(const knc_plan *p, const knc_group *a, const knc_use *x, const knc_group *b, const knc_use *y)
{
    if (too_late(a, b) || too_late(b, a) || a->routine || b->routine || a->absent != b->absent ||
        (a->puts && b->puts) || !may_join_at(a, b->height) || !may_join_at(b, a->height) ||
        a->n_read + b->n_read + a->n_store + b->n_store > knc_max_buffers(p) + 1 || /* they share one buffer at least */
        a->weight + b->weight > KNC_MAX_WEIGHT || a->n_store + b->n_store > KNC_MAX_STORES)
        return false;
    if (knc_has_rows(a) && knc_has_rows(b))
        return x->loops == y->loops && knc_same_rows(a, b->inner, b->axes);
    if (!knc_has_rows(a) && !knc_has_rows(b))
        return knc_same_shape(a->par, b->par);
    const knc_group *rows = knc_has_rows(a) ? a : b, *points = knc_has_rows(a) ? b : a;
    bool elements = (knc_has_rows(a) ? x : y)->loops == KNC_LOOPS_FULL;
    if (!same_loops(points->par, elements ? rows->inner : rows->par)) /* the uses are of two results of one equation */
        return false;
    return !elements || rows->par.ndim > 0 || knc_rows_fit(p, rows->inner, rows->axes);
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

/* Makes one group of the groups of two uses, which read the same element at each of their points. */
static void merge(knc_plan *p, const knc_use *x, const knc_use *y)
{
    if (knc_has_rows(&p->group.at[y->group]) && !knc_has_rows(&p->group.at[x->group])) {
        const knc_use *z = x;
        x = y;
        y = z;
    }
    knc_group *a = &p->group.at[x->group], *b = &p->group.at[y->group];
    if (knc_has_rows(a) && !knc_has_rows(b)) {
        b->form = x->loops;
        b->stage = x->loops == KNC_LOOPS_FULL ? (uint8_t)knc_last_stage(x->stages) : 0;
    }
    knc_add_store_list(p, a, b->first_store, b->last_store);
    knc_add_reduce_list(p, a, b->first_reduce, b->last_reduce);
    if (b->first_row != KNC_NO) {
        *(a->first_row == KNC_NO ? &a->first_row : &p->row.at[a->last_row].next) = b->first_row;
        a->last_row = b->last_row;
    }
    a->height = a->height > b->height ? a->height : b->height;
    a->ceiling = a->ceiling < b->ceiling ? a->ceiling : b->ceiling;
    a->n_store = (uint16_t)(a->n_store + b->n_store);
    a->weight = (uint16_t)(a->weight + b->weight);
    a->n_reduce += b->n_reduce;
    a->n_read += b->n_read - (b->n_read > 0);
    a->plain &= b->plain;
    a->puts |= b->puts;
    a->eqn = a->eqn > b->eqn ? a->eqn : b->eqn;
    a->level = a->level > b->level ? a->level : b->level;
    a->limit = a->limit < b->limit ? a->limit : b->limit;
    b->parent = x->group;
}

void knc_merge_groups(knc_plan *p, uint32_t first, uint32_t n, knc_uses *u)
{
    for (int i = 0; i < u->n; i++)
        for (int k = i + 1; k < u->n; k++) {
            const knc_use *x = &u->at[i], *y = &u->at[k];
            if (x->group == y->group || x->point != KNC_POINT || y->point != KNC_POINT ||
                !may_merge(p, &p->group.at[x->group], x, &p->group.at[y->group], y))
                continue;
            merge(p, x, y);
            *u = knc_collect_uses(p, first, n);
            k = i;
        }
}
