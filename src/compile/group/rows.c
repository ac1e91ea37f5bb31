/* SPDX-License-Identifier: Apache-2.0
 * rows.c -- groups of several passes over the elements of a row: which groups get rows, and which values have one
 * element for each of them.
 *
 * A reduction has rows: the elements that it joins. Values that are computed from its result (one per row) and read by
 * equations over all elements of the rows can be part of one kernel with the reduction and these equations: the
 * parallel loops of that kernel are the rows, each pass over a row's elements is a stage. Positions along such loops
 * are sets of loops: an axis that is longer than 1 runs along one of them, in order. */
#include "compile/group/group.h"

static uint64_t lowest(int n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }

static int count_long_axes(kni_type t)
{
    int n = 0;
    for (int d = 0; d < t.ndim; d++)
        n += t.dim[d] != 1;
    return n;
}

uint64_t knc_long_axes(kni_type t) { return lowest(count_long_axes(t)); }

/* The axes of x that are not joined; bit k is the k-th axis whose extent is not 1. */
static uint64_t kept_axes(kni_type x, kni_ints axes)
{
    uint64_t keep = 0;
    for (int d = 0, joined = 0, bit = 0; d < x.ndim; d++) {
        bool is_joined = joined < axes.n && axes.v[joined] == d;
        joined += is_joined;
        if (x.dim[d] == 1)
            continue;
        if (!is_joined)
            keep |= (uint64_t)1 << bit;
        bit++;
    }
    return keep;
}

bool knc_same_rows(const knc_group *g, kni_type x, kni_ints axes)
{
    bool same = knc_has_rows(g) && knc_same_shape(g->inner, x) && g->axes.n == axes.n;
    for (int k = 0; same && k < axes.n; k++)
        same = axes.v[k] == g->axes.v[k];
    return same;
}

/* A row lies in memory as `runs` runs of `run` adjacent elements. A short run counts as KNC_RUN_BYTES: elements far
 * apart, as of a column, share lines and pages with the neighbouring columns, and several columns are computed side
 * by side. */
bool knc_rows_fit(const knc_plan *p, kni_type x, kni_ints axes)
{
    const int64_t most = (int64_t)(p->o->target->second_cache / 8);
    int64_t run = 1, runs = 1, k = axes.n - 1, d = x.ndim - 1;
    for (; d >= 0 && k >= 0 && axes.v[k] == d; d--, k--)
        run = knx_dim_mul(run, x.dim[d]);
    for (; k >= 0; k--)
        runs = knx_dim_mul(runs, x.dim[axes.v[k]]);
    int64_t bytes = knx_dim_max(knx_dim_mul(run, (int64_t)x.dtype->size), KNC_RUN_BYTES);
    bool sane = knx_any_symbolic(runs, bytes) || (runs <= most && bytes <= most);
    return sane && knx_dim_le(knx_dim_mul(runs, bytes), most);
}

bool knc_has_other_rows(const knc_plan *p, const knc_value *v, const knc_group *g)
{
    const kni_eqn *r = v->spread == KNC_NO ? NULL : &p->j->eqn[v->spread];
    kni_ints axes = r ? ((const kni_p_reduce *)r->params)->axes : (kni_ints){0};
    return r && knc_has_rows(g) && knc_rows_fit(p, knc_type(p, r->in[0]), axes) &&
           !knc_same_rows(g, knc_type(p, r->in[0]), axes);
}

static void has_rows(knc_plan *p, uint32_t group, kni_type x, kni_ints axes, kni_type rows)
{
    knc_group *g = &p->group.at[group];
    g->inner = x;
    g->axes = axes;
    g->kept = kept_axes(x, axes);
    g->par = rows;
    g->plain = false;
}

void knc_points_are_rows(knc_plan *p, uint32_t group, kni_type x, kni_ints axes, kni_type rows)
{
    has_rows(p, group, x, axes, rows);
    p->group.at[group].form = KNC_LOOPS_ROWS;
}

void knc_points_are_elements(knc_plan *p, uint32_t group, kni_type x, kni_ints axes, kni_type rows)
{
    has_rows(p, group, x, axes, rows);
    p->group.at[group].form = KNC_LOOPS_FULL;
}

bool knc_make_rows(knc_plan *p, const kni_eqn *e, const knc_uses *u)
{
    uint32_t r = e->n_out == 1 ? p->value[e->out].rows : KNC_NO;
    bool any = false;
    if (r == KNC_NO)
        return false;
    kni_type x = knc_type(p, p->j->eqn[r].in[0]), y = p->j->type[p->j->eqn[r].out];
    kni_ints axes = ((const kni_p_reduce *)p->j->eqn[r].params)->axes;
    for (int i = 0; i < u->n; i++) {
        const knc_use *at = &u->at[i];
        const knc_group *g = &p->group.at[at->group];
        if (at->point != KNC_KEPT || knc_has_rows(g) || g->routine || !knc_same_shape(g->par, x) ||
            at->keep != kept_axes(x, axes) || !knc_may_rise(g, 1 + knc_height_above(p, u, i)) ||
            !knc_rows_fit(p, x, axes))
            continue;
        knc_points_are_elements(p, at->group, x, axes, y);
        any = true;
    }
    return any;
}

void knc_add_row(knc_plan *p, uint32_t group, uint32_t var, int stage)
{
    knc_group *g = &p->group.at[group];
    if (!KN_VEC_PUSH(&p->row, ((knc_row){var, g->first_row, (uint8_t)stage}))) {
        p->failed = true;
        return;
    }
    g->first_row = (uint32_t)p->row.n - 1;
    if (g->last_row == KNC_NO)
        g->last_row = g->first_row;
}

/* From the loops that the result's axes run along to those of the operand's axes (*keep); false if the operand's
 * position is no set of loops. */
static bool keep_through_view(knc_plan *p, const kni_eqn *e, uint64_t *keep)
{
    kni_type x = knc_type(p, e->in[0]), y = p->j->type[e->out];
    const kni_index *map = knc_view_map(p->j, e, &p->scratch);
    uint64_t kept = 0;
    int next = 0, loop = -1;
    if (!map)
        return false;
    for (int a = 0; a < x.ndim; a++) {
        const kni_index_axis *m = &map->axis[a];
        if (x.dim[a] == 1)
            continue;
        /* the result's axis that axis a runs along: it lies behind the one of the axis before */
        for (; next < y.ndim && !m->coef[next]; next++)
            loop += y.dim[next] != 1;
        if (next == y.ndim || m->coef[next] != 1 || m->offset || y.dim[next] != x.dim[a])
            return false;
        for (int d = next + 1; d < y.ndim; d++)
            if (m->coef[d] && y.dim[d] != 1)
                return false;
        loop++;
        next++;
        kept |= (uint64_t)1 << loop;
    }
    uint64_t rest = *keep, out = 0; /* the result's k-th loop is the k-th bit that is set in keep */
    for (int k = 0; rest; k++, rest &= rest - 1)
        if (kept >> k & 1)
            out |= rest & -rest;
    *keep = out;
    return true;
}

knc_use knc_use_through_view(knc_plan *p, const kni_eqn *e, knc_use at)
{
    const knc_group *g = &p->group.at[at.group];
    bool asked = at.point <= KNC_KEPT && kni_is_var(e->in[0]) && (knc_has_rows(g) || p->value[e->in[0]].rows != KNC_NO);
    if (at.point == KNC_POINT)
        at.keep = knc_long_axes(at.loops == KNC_LOOPS_FULL ? g->inner : g->par);
    if (asked && keep_through_view(p, e, &at.keep)) {
        at.point = KNC_KEPT;
        return at;
    }
    at.keep = 0;
    at.point = p->next_point++;
    return at;
}
