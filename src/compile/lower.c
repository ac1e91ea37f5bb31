/* SPDX-License-Identifier: Apache-2.0
 * lower.c -- groups to kernels, routines to calls: the steps of the program, in no order yet. */
#include "compile/lowering.h"
#include <string.h>

static void natural_extents(kn_lower *l)
{
    const knc_group *g = l->g;
    l->n_par = g->par.ndim;
    l->n_inner = g->n_reduce ? g->axes.n : 0;
    for (int d = 0; d < l->n_par; d++)
        l->extent[d] = g->par.dim[d];
    for (int d = 0; d < l->n_inner; d++)
        l->extent[l->n_par + d] = g->inner.dim[g->axes.v[d]];
}

/* Stores of one stage: all values first, since a store may write over what a load reads. */
static void lower_stores(kn_lower *l, bool inner)
{
    const knc_point *at = inner ? l->inner : l->points;
    for (uint32_t v = l->g->first_store; v != KNC_NO && !l->failed; v = l->p->value[v].next)
        if (l->p->value[v].inner == inner)
            knc_evaluate(l, v, at);
    for (uint32_t v = l->g->first_store; v != KNC_NO && !l->failed; v = l->p->value[v].next)
        if (l->p->value[v].inner == inner)
            knc_store_value(l, v, at, knc_evaluate(l, v, at));
}

/* Stage 0 joins the elements; what it joined is known to stage 1 as values at the parallel points. */
static void lower_reductions(kn_lower *l)
{
    kn_value2 *joined = knx_arena_alloc(&l->arena, l->g->n_reduce * sizeof *joined);
    if (!joined) {
        l->failed = true;
        return;
    }
    knc_start_stage(l, l->n_inner_loop);
    uint32_t n = 0;
    for (uint32_t v = l->g->first_reduce; v != KNC_NO && !l->failed; v = l->p->value[v].next_reduce) {
        const kn_eqn *e = &l->p->j->eqn[l->p->value[v].eqn];
        kn_value2 x = knc_evaluate(l, e->in[0], l->inner);
        joined[n].re = knk_reduce(l->k, e->prim->reduction->how, x.re);
        joined[n++].im = x.im < 0 ? KNK_NONE : knk_reduce(l->k, e->prim->reduction->how, x.im);
    }
    lower_stores(l, true);
    knc_start_stage(l, 0);
    n = 0;
    for (uint32_t v = l->g->first_reduce; v != KNC_NO && !l->failed; v = l->p->value[v].next_reduce)
        knc_remember(l, v, l->points, knc_round(l, l->p->j->type[v].dtype, joined[n++]));
}

static kn_error *build(kn_lower *l)
{
    knx_arena_reset(&l->arena);
    l->map.n = l->buffer.n = 0;
    l->failed = false;
    l->eqn = NULL;
    l->k = knk_new(l->n_loop);
    if (!l->k)
        return knx_error_nomem();
    if (l->g->n_reduce)
        lower_reductions(l);
    else
        knc_start_stage(l, 0);
    lower_stores(l, false);
    return l->failed ? knx_error_nomem() : NULL;
}

static kn_error *build_kernel(kn_lower *l, knk_kernel **kernel)
{
    kn_error *e;
    natural_extents(l);
    if (l->g->plain) {
        knc_one_loop(l);
        e = build(l);
    } else {
        knc_natural_loops(l);
        e = build(l);
        if (!e && knc_shape_loops(l)) {
            knk_delete(l->k);
            e = build(l);
        }
    }
    if (e) {
        knk_delete(l->k);
        return e;
    }
    KN_TRY(knk_finish(l->k, kernel));
    e = l->p->o->kernels ? knc_share_kernel(l->p->o->kernels, kernel) : NULL;
    if (e)
        knk_release(*kernel);
    return e;
}

/* The numbers of a launch. */
static bool launch_numbers(kn_lower *l, knc_step *s)
{
    kn_arena *a = &l->p->p->arena;
    int stages = l->g->n_reduce ? 2 : 1, loops = l->n_loop + l->n_inner_loop;
    knk_map_values *map = knx_arena_alloc(a, (l->map.n + 1) * sizeof *map);
    int64_t *stride = knx_arena_alloc(a, (l->map.n * (size_t)loops + 1) * sizeof *stride);
    const int64_t *extent = knx_arena_copy(a, l->length, ((size_t)loops + 1) * sizeof *extent);
    const int64_t **inner = knx_arena_alloc(a, 2 * sizeof *inner);
    if (!map || !stride || !extent || !inner)
        return false;
    inner[0] = inner[1] = extent + l->n_loop;
    for (size_t m = 0; m < l->map.n; m++) {
        int n = l->n_loop + (l->map.at[m].stage == 0 && stages == 2 ? l->n_inner_loop : 0);
        map[m] = (knk_map_values){l->map.at[m].offset, stride};
        for (int d = 0; d < n; d++)
            *stride++ = l->map.at[m].coef[l->source[d]];
    }
    s->u.k.map = map;
    s->u.k.par = extent;
    s->u.k.inner = inner;
    return true;
}

/* A stored value may take the place of an operand that is read only where it is written. */
static bool note_reuse(kn_lower *l, uint32_t step)
{
    knc_plan *p = l->p;
    for (size_t w = 0; w < l->buffer.n; w++)
        for (size_t r = 0; l->buffer.at[w].written && r < l->buffer.n; r++) {
            const knc_access *to = &l->buffer.at[w], *from = &l->buffer.at[r];
            bool fits = !from->written && !from->mixed && !from->offset &&
                        kn_dtype_table[from->dtype].size == kn_dtype_table[to->dtype].size &&
                        p->slot.at[from->slot].bytes == p->slot.at[to->slot].bytes && from->map[0] == to->map[0] &&
                        from->map[1] == to->map[1];
            for (size_t x = 0; fits && x < l->buffer.n; x++)
                fits = x == r || l->buffer.at[x].slot != from->slot;
            if (fits && !KN_VEC_PUSH(&p->reuse, ((knc_reuse){step, from->slot, to->slot})))
                return false;
        }
    return true;
}

static kn_error *add_kernel(kn_lower *l, knk_kernel *kernel)
{
    knc_plan *p = l->p;
    uint32_t number = (uint32_t)p->step.n;
    knc_step s = {.kind = KNC_KERNEL, .eqn = l->g->eqn, .n_ref = (uint32_t)l->buffer.n};
    s.u.k.kernel = kernel;
    s.ref = knx_arena_alloc(&p->p->arena, (l->buffer.n + 1) * sizeof *s.ref);
    if (!s.ref || !launch_numbers(l, &s) || !note_reuse(l, number) || !KN_VEC_PUSH(&p->step, s)) {
        knk_release(kernel);
        return knx_error_nomem();
    }
    for (size_t b = 0; b < l->buffer.n; b++) {
        s.ref[b] = (knc_ref){.index = l->buffer.at[b].slot, .offset = l->buffer.at[b].offset};
        if (l->buffer.at[b].written)
            p->slot.at[l->buffer.at[b].slot].maker = number;
    }
    return NULL;
}

static kn_error *lower_group(kn_lower *l, uint32_t group)
{
    knk_kernel *kernel = NULL;
    l->group = group;
    l->g = &l->p->group.at[group];
    if (!kni_type_size(l->g->par)) /* nothing to compute */
        return NULL;
    KN_TRY(build_kernel(l, &kernel));
    return add_kernel(l, kernel);
}

/* The result of an update gets the elements of the operand first: a copy, unless memory.c can give it their place. */
static kn_error *add_copy(knc_plan *p, uint32_t eqn, uint32_t step, knc_ref from, uint32_t to)
{
    kn_atom x = p->j->eqn[eqn].in[p->j->eqn[eqn].prim->updates - 1];
    knc_update u = {.eqn = eqn, .copy = (uint32_t)p->step.n, .step = step, .from = from.index, .to = to};
    knc_step s = {.kind = KNC_COPY, .eqn = eqn, .n_ref = 2, .u.bytes = kni_type_bytes(knc_type(p, x))};
    s.ref = knx_arena_alloc(&p->p->arena, 2 * sizeof *s.ref);
    u.whole = !from.offset && p->slot.at[from.index].bytes == s.u.bytes;
    if (!s.ref || !KN_VEC_PUSH(&p->update, u) || !KN_VEC_PUSH(&p->step, s))
        return knx_error_nomem();
    s.ref[0] = (knc_ref){.index = to};
    s.ref[1] = from;
    return !u.whole || KN_VEC_PUSH(&p->reuse, ((knc_reuse){u.copy, u.from, to})) ? NULL : knx_error_nomem();
}

static kn_error *lower_routine(knc_plan *p, const knc_group *g)
{
    const kn_eqn *e = &p->j->eqn[g->eqn];
    uint32_t number = (uint32_t)p->step.n, n = e->n_in + e->n_out;
    kn_type *xt = knx_arena_alloc(&p->p->arena, (e->n_in + 1) * sizeof *xt);
    knc_step s = {.kind = KNC_ROUTINE, .eqn = g->eqn, .ref = knx_arena_zero(&p->p->arena, (n + 1) * sizeof *s.ref)};
    if (!xt || !s.ref)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++) {
        kn_atom a = i < e->n_in ? e->in[i] : e->out + i - e->n_in;
        size_t offset;
        s.ref[i].index = knc_slot_of(p, a, &offset);
        s.ref[i].offset = offset;
        if (p->failed)
            return knx_error_nomem();
        if (i < e->n_in)
            xt[i] = knc_type(p, a);
        else
            p->slot.at[s.ref[i].index].maker = number;
    }
    s.u.r.n_in = e->n_in;
    s.u.r.n_out = e->n_out;
    s.u.r.xt = xt;
    s.u.r.yt = &p->j->type[e->out];
    if (e->prim->bits & KN_LOOPS) {
        KN_TRY(knc_make_loop(p, e, &s.u.r.loop));
        s.kind = KNC_LOOP;
        s.u.r.workspace = s.u.r.loop->workspace;
    } else if (e->prim->workspace)
        s.u.r.workspace = e->prim->workspace(e->params, (int)e->n_in, xt, (int)e->n_out, s.u.r.yt);
    s.n_ref = n + (s.u.r.workspace > 0);
    if (s.u.r.workspace) {
        knc_slot w = {.space = KNC_AT_WORK, .bytes = s.u.r.workspace, .maker = number, .first = KNC_NO, .over = KNC_NO};
        s.ref[n].index = (uint32_t)p->slot.n;
        if (!KN_VEC_PUSH(&p->slot, w)) {
            knc_drop_step(&s);
            return knx_error_nomem();
        }
    }
    int u = e->prim->updates - 1;
    knc_ref from = u >= 0 ? s.ref[u] : (knc_ref){0};
    if (u >= 0)
        s.ref[u] = s.ref[e->n_in];
    if (!KN_VEC_PUSH(&p->step, s)) {
        knc_drop_step(&s);
        return knx_error_nomem();
    }
    return u >= 0 ? add_copy(p, g->eqn, number, from, s.ref[u].index) : NULL;
}

static kn_error *lower_all(kn_lower *l)
{
    knc_plan *p = l->p;
    for (uint32_t g = (uint32_t)p->group.n; g-- > 0;) {
        if (p->group.at[g].parent != g)
            continue;
        uint32_t steps = (uint32_t)p->step.n;
        KN_TRY(p->group.at[g].routine ? lower_routine(p, &p->group.at[g]) : lower_group(l, g));
        p->group.at[g].step = p->step.n > steps ? steps : KNC_NO;
    }
    return NULL;
}

kn_error *knc_lower(knc_plan *p)
{
    kn_lower *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->p = p;
    kn_error *e = lower_all(l);
    knx_arena_free(&l->arena);
    KN_VEC_FREE(&l->map);
    KN_VEC_FREE(&l->buffer);
    KN_VEC_FREE(&l->memo);
    KN_VEC_FREE(&l->table);
    KN_VEC_FREE(&l->stack);
    knx_free(l);
    return e;
}
