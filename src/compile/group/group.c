/* SPDX-License-Identifier: Apache-2.0
 * group.c -- which equations share a kernel.
 *
 * The equations are visited from the last to the first, so that all readers of a value have their groups already. A
 * value that one group reads, each element at one position, is computed in that group. A value that is needed in
 * memory, or is read at several positions and is not cheap, is stored: by a group that reads it at its own points if
 * that group can run before all other readers, else by a group of its own. Every group has a height, larger than the
 * heights of all groups that read what it stores: groups of one height never depend on each other, and may merge. */
#include "compile/group/group.h"

/* Does the target lack a dtype of the equation's operands or results? */
static bool is_absent(const knc_plan *p, const kni_eqn *e)
{
    const knc_target *t = p->o->target;
    bool absent = false;
    for (uint32_t i = 0; t->dtypes != UINT32_MAX && i < e->n_in; i++)
        absent |= !knc_target_has(t, knc_type(p, e->in[i]).dtype->id);
    for (uint32_t k = 0; t->dtypes != UINT32_MAX && k < e->n_out; k++)
        absent |= !knc_target_has(t, p->j->type[e->out + k].dtype->id);
    return absent;
}

static uint32_t new_group(knc_plan *p, uint32_t eqn, kni_type par, int32_t height)
{
    const kni_eqn *e = &p->j->eqn[eqn];
    knc_group g = {.parent = (uint32_t)p->group.n,
                   .height = height,
                   .ceiling = INT32_MAX,
                   .level = e->n_out ? p->value[e->out].level : 0,
                   .limit = e->n_out ? knc_update_limit(p, e->out) : KNC_NO,
                   .eqn = eqn,
                   .plain = true,
                   .absent = is_absent(p, e),
                   .par = par,
                   .first_store = KNC_NO,
                   .last_store = KNC_NO,
                   .first_reduce = KNC_NO,
                   .last_reduce = KNC_NO,
                   .first_row = KNC_NO,
                   .last_row = KNC_NO,
                   .step = KNC_NO};
    if (!KN_VEC_PUSH(&p->group, g)) {
        p->failed = true;
        return 0;
    }
    return g.parent;
}

static void add_store(knc_plan *p, uint32_t var, knc_use at, bool joined)
{
    knc_value *v = &p->value[var];
    knc_group *group = &p->group.at[at.group];
    v->state = KNC_STORED;
    v->group = at.group;
    v->loops = at.loops;
    v->stage = (uint8_t)knc_last_stage(at.stages);
    v->joined = joined;
    group->n_store++;
    group->eqn = group->eqn > v->eqn ? group->eqn : v->eqn;
    knc_add_store_list(p, group, var, var);
}

static int passes(const knc_use *u) { return u->loops == KNC_LOOPS_FULL ? __builtin_popcount(u->stages) : 1; }

/* How many elements of a value the group would compute for this use. */
static int64_t times(const knc_plan *p, const knc_use *u)
{
    const knc_group *g = &p->group.at[u->group];
    if (u->most)
        return u->most;
    return knx_dim_mul(passes(u) * (1 + u->more), kni_type_size(u->loops == KNC_LOOPS_FULL ? g->inner : g->par));
}

/* Are the elements of a value that costs little computed hardly more than once for all of its readers together? */
static bool is_picked(const knc_plan *p, const kni_eqn *e, const knc_uses *u)
{
    int64_t all = 0;
    for (int i = 0; i < u->n; i++) {
        if (!u->at[i].most)
            return false;
        all = knx_dim_add(all, u->at[i].most);
    }
    return p->value[e->out].ops <= KNC_CHEAP_OPS &&
           knx_dim_le(knx_dim_mul(4, all), knx_dim_mul(5, kni_type_size(p->j->type[e->out])));
}

/* How many more operations the group's kernel would have. */
static unsigned weight_at(const knc_use *u, unsigned weight) { return weight * (unsigned)passes(u) * (1u + u->more); }

/* Notes that a reader of this height and level needs the value in memory, and why. */
static void need(knc_plan *p, kni_atom a, int32_t height, uint32_t level, knc_why why, bool as_output)
{
    if (!kni_is_var(a))
        return;
    knc_value *v = &p->value[a];
    if (!v->need)
        v->why = (uint8_t)why;
    v->need = true;
    v->is_output |= as_output;
    v->need_height = v->need_height > height ? v->need_height : height;
    v->need_level = v->need_level > level ? v->need_level : level;
}

/* Why the group of this use cannot compute the value itself, with an equation of this weight that reads `reads`
 * values; KNC_BECAUSE_NOTHING: it can. */
static knc_why refusal(knc_plan *p, const kni_eqn *e, const knc_use *u, unsigned weight, uint32_t reads)
{
    const knc_group *g = &p->group.at[u->group];
    if (is_absent(p, e) != g->absent)
        return KNC_BECAUSE_ABSENT;
    if (u->depth > KNC_MAX_DEPTH)
        return KNC_BECAUSE_DEEP;
    if (reads > 1 && g->n_read - 1 + reads + g->n_store > knc_max_buffers(p))
        return KNC_BECAUSE_BUFFERS;
    return g->weight + weight_at(u, weight) > KNC_MAX_WEIGHT ? KNC_BECAUSE_FULL : KNC_BECAUSE_NOTHING;
}

static uint32_t variables(const kni_eqn *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_in; i++)
        n += kni_is_var(e->in[i]);
    return n;
}

/* Are all operands literals? Then each kernel that reads the result can compute it, and needs no other value. */
static bool is_of_literals(const kni_eqn *e)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]))
            return false;
    return e->n_in > 0;
}

/* Are the equation's results stored (*store), or computed in the groups that read them? Returns the reason. */
static knc_why decide(knc_plan *p, const kni_eqn *e, knc_class c, const knc_uses *u, unsigned weight, bool *store)
{
    const knc_value *v = &p->value[e->out];
    *store = true;
    if (!p->o->fuse)
        return KNC_BECAUSE_UNFUSED;
    if (u->need)
        return (knc_why)u->why;
    if (u->many && !(v->constant && is_of_literals(e)))
        return KNC_BECAUSE_MANY;
    for (int i = 0; i < u->n; i++) {
        knc_why why = refusal(p, e, &u->at[i], weight, variables(e));
        if (why)
            return why;
    }
    bool at_place = u->n == 1 && knc_reads_at_place(p, e, u->at[0].group);
    if (!at_place && knc_reads_too_late(p, e, c == KNC_VIEW || c == KNC_IDENTITY, u->level))
        return KNC_BECAUSE_OLD;
    *store = false;
    if (c == KNC_VIEW || c == KNC_IDENTITY)
        return KNC_BECAUSE_VIEW;
    const knc_use *one = u->n == 1 ? &u->at[0] : NULL;
    if (one && one->point == KNC_POINT && passes(one) == 1)
        return one->loops == KNC_LOOPS_ROWS && p->group.at[one->group].form == KNC_LOOPS_FULL ? KNC_BECAUSE_ROW
                                                                                              : KNC_BECAUSE_ONE_READER;
    if (one && one->point != KNC_POINT &&
        knx_dim_le(knx_dim_mul(8, times(p, one)), knx_dim_mul(9, kni_type_size(p->j->type[e->out]))))
        return KNC_BECAUSE_MOVED;
    if (knc_is_cheap(v))
        return v->constant ? KNC_BECAUSE_CONSTANT : KNC_BECAUSE_CHEAP;
    if (is_picked(p, e, u))
        return KNC_BECAUSE_PICKED;
    *store = true;
    return !one ? KNC_BECAUSE_SEVERAL : one->point == KNC_POINT ? KNC_BECAUSE_PASSES : KNC_BECAUSE_REPEATED;
}

/* May the group store elements of its rows for its later passes? If it has a single row only if that fits into the
 * cache. */
static bool may_store_elements(const knc_plan *p, const knc_group *g)
{
    return g->par.ndim > 0 || knc_rows_fit(p, g->inner, g->axes);
}

/* The use whose group can store the results: it reads them at its own points and can run before all other readers;
 * -1: none. A group rises (runs earlier) only for values that belong to its rows, or if its own points are rows; else
 * its other results might lie in memory for long. */
static int joinable(knc_plan *p, const kni_eqn *e, const knc_uses *u, unsigned weight)
{
    uint32_t limit = knc_update_limit(p, e->out), reads = variables(e) + e->n_out;
    const knc_value *v = &p->value[e->out];
    int best = -1;
    int64_t most = -1;
    for (int i = 0; p->o->fuse && !u->many && i < u->n; i++) {
        const knc_group *g = &p->group.at[u->at[i].group];
        int32_t height = 1 + knc_height_above(p, u, i);
        int64_t points = g->height >= height ? INT64_MAX : knx_dim_hint(kni_type_size(g->par));
        bool rows = knc_has_rows(g) && (v->rows != KNC_NO || v->spread != KNC_NO || g->form == KNC_LOOPS_ROWS);
        bool elements = u->at[i].loops == KNC_LOOPS_FULL;
        if (g->puts && v->need) /* perhaps by the copy that runs before the group */
            continue;
        bool fits = u->at[i].point == KNC_POINT && (!elements || may_store_elements(p, g)) &&
                    !(elements && knc_has_other_rows(p, v, g)) && (rows || g->height >= height);
        if (fits && points > most && g->level < limit && g->n_store < KNC_MAX_STORES && knc_may_rise(g, height) &&
            !refusal(p, e, &u->at[i], weight, reads)) {
            best = i;
            most = points;
        }
    }
    return best;
}

/* The group stores a value, so it runs before the groups of the value's other uses. */
static void runs_before(knc_plan *p, uint32_t group, const knc_uses *u, int joined)
{
    int32_t height = 1 + knc_height_above(p, u, joined);
    knc_rise(p, group, height);
    height = p->group.at[group].height;
    for (int i = 0; i < u->n; i++) {
        knc_group *g = &p->group.at[u->at[i].group];
        if (u->at[i].group != group && g->ceiling > height)
            g->ceiling = height;
    }
}

/* The lower one of two bounds; 0: there is none. */
static int64_t lower_bound(int64_t a, int64_t b) { return !a || (b && knx_dim_hint(b) < knx_dim_hint(a)) ? b : a; }

/* Notes the uses of e's operands: they are read where e is evaluated, or at positions that follow from those. */
static void pass_on(knc_plan *p, const kni_eqn *e, knc_class c, const knc_uses *u)
{
    kni_type y = p->j->type[e->out];
    bool pulls = c == KNC_PULL || c == KNC_EITHER, moves = c == KNC_VIEW || pulls;
    unsigned looks = pulls ? knc_looks(p->j, e) : 1;
    for (int k = 0; k < u->n; k++) {
        knc_use at = u->at[k];
        if (moves)
            p->group.at[at.group].plain = false;
        at.depth = (uint8_t)(at.depth + pulls);
        unsigned all = (1 + at.more) * looks - 1;
        at.more = (uint16_t)(all < UINT16_MAX ? all : UINT16_MAX);
        for (uint32_t i = 0; i < e->n_in; i++) {
            knc_use x = at;
            if (!kni_is_var(e->in[i]))
                continue;
            kni_type t = p->j->type[e->in[i]];
            x.most = e->prim->bits & KN_PICKS ? lower_bound(at.most, kni_type_size(t)) : pulls ? 0 : at.most;
            if (!t.ndim && (y.ndim || moves)) {
                x.point = KNC_KEPT;
                x.keep = 0;
            } else if (c == KNC_VIEW) {
                x = knc_use_through_view(p, e, x);
            } else if (moves) {
                x.keep = 0;
                x.point = p->next_point++;
            }
            knc_add_use(p, e->in[i], x);
        }
    }
}

static void group_routine(knc_plan *p, uint32_t i, const kni_eqn *e, const knc_uses *u)
{
    int32_t height = 1 + knc_height_above(p, u, -1);
    /* the group runs before later effects, which have their groups already */
    if (kni_bits(e->prim, e->params) & KN_EFFECT)
        height = p->effect_height = height > p->effect_height ? height : p->effect_height + 1;
    uint32_t g = new_group(p, i, (kni_type){0}, height);
    if (p->failed)
        return;
    p->group.at[g].routine = true;
    runs_before(p, g, u, -1);
    for (uint32_t k = 0; k < e->n_out; k++) {
        p->value[e->out + k].why = KNC_BECAUSE_RUN;
        add_store(p, e->out + k, (knc_use){.group = g, .stages = 1}, false);
    }
    for (uint32_t k = 0; k < e->n_in; k++)
        need(p, e->in[k], p->group.at[g].height, p->group.at[g].level, KNC_BECAUSE_ROUTINE, false);
}

/* An update whose new elements are put where they go by the kernel that computes them: its points are those of the
 * elements. */
static void group_put(knc_plan *p, uint32_t i, const kni_eqn *e, const knc_uses *u)
{
    int32_t height = 1 + knc_height_above(p, u, -1);
    uint32_t g = new_group(p, i, knc_type(p, e->in[1]), height);
    if (p->failed)
        return;
    p->group.at[g].puts = true;
    p->group.at[g].plain = false;
    p->group.at[g].n_read = 2;
    runs_before(p, g, u, -1);
    knc_pin(p, g); /* the copies before the put read values that must be stored by then */
    knc_use at = {.group = g, .point = KNC_POINT, .stages = 1};
    p->value[e->out].why = KNC_BECAUSE_PUT;
    p->value[e->out].put = true;
    add_store(p, e->out, at, false);
    for (uint32_t k = 0; k < e->n_in; k++)
        if (k != 1)
            need(p, e->in[k], p->group.at[g].height, p->group.at[g].level, KNC_BECAUSE_ROUTINE, false);
    knc_note_place(p, e);
    if (kni_is_var(e->in[1]))
        knc_add_use(p, e->in[1], at);
}

/* Is a stored value whose elements are only moved worth a kernel rather than a routine? If it has many elements, of
 * one part each. */
enum { KERNEL_BYTES = 1 << 16 };
static bool is_worth_a_kernel(const knc_plan *p, kni_type t)
{
    return p->o->fuse && knc_parts(t.dtype) == 1 && knx_dim_le(KERNEL_BYTES / (int64_t)t.dtype->size, kni_type_size(t));
}

/* Elementwise equations, views and pulls become part of the groups that read them, or are stored. */
static void group_points(knc_plan *p, uint32_t i, const kni_eqn *e, knc_class c, knc_uses *u)
{
    unsigned weight = c == KNC_IDENTITY ? 1 : knc_weight(p->j, e, &p->scratch);
    bool store;
    int join = -1;
    knc_why why = decide(p, e, c, u, weight, &store);
    if (store && c == KNC_EITHER && !is_worth_a_kernel(p, p->j->type[e->out])) {
        group_routine(p, i, e, u);
        p->value[e->out].why = (uint8_t)why;
        return;
    }
    if (store) {
        join = joinable(p, e, u, weight);
        knc_use at = join >= 0 ? u->at[join] : (knc_use){.point = KNC_POINT, .stages = 1};
        if (join < 0)
            at.group = new_group(p, i, p->j->type[e->out], 1 + knc_height_above(p, u, -1));
        if (p->failed)
            return;
        runs_before(p, at.group, u, join);
        for (uint32_t k = 0; k < e->n_out; k++) {
            knc_value *v = &p->value[e->out + k];
            v->state = KNC_INLINE; /* stays so if nothing reads the result */
            if (v->need || v->first_use != KNC_NO)
                add_store(p, e->out + k, at, join >= 0);
        }
        u->at[0] = at;
        u->n = 1;
    }
    for (uint32_t k = 0; k < e->n_out; k++) {
        knc_value *v = &p->value[e->out + k];
        v->why = (uint8_t)why;
        if (!store)
            v->state = KNC_INLINE;
    }
    uint32_t limit = knc_update_limit(p, e->out);
    for (int k = 0; k < u->n; k++) {
        knc_group *g = &p->group.at[u->at[k].group];
        bool row = u->at[k].loops == KNC_LOOPS_ROWS && u->at[k].point == KNC_POINT;
        if (store || row) /* computed in the first of the passes; the others know it or load it */
            u->at[k].stages = (uint16_t)(1u << knc_last_stage(u->at[k].stages));
        if (row && !store)
            knc_add_row(p, u->at[k].group, e->out, knc_last_stage(u->at[k].stages));
        if (g->n_read && (!store || join >= 0))
            g->n_read--;
        unsigned all = g->weight + weight_at(&u->at[k], weight);
        g->weight = (uint16_t)(all < UINT16_MAX ? all : UINT16_MAX);
        g->limit = g->limit < limit ? g->limit : limit;
    }
    pass_on(p, e, c, u);
}

/* Why the group of this use cannot compute the reduction in a pass of its own; KNC_BECAUSE_NOTHING: it can. */
static knc_why not_taken(const knc_plan *p, const knc_use *u, const kni_eqn *e)
{
    const knc_group *g = &p->group.at[u->group];
    kni_type x = knc_type(p, e->in[0]);
    kni_ints axes = ((const kni_p_reduce *)e->params)->axes;
    if (is_absent(p, e) != g->absent)
        return KNC_BECAUSE_ABSENT;
    if (u->point != KNC_POINT || u->loops == KNC_LOOPS_FULL)
        return KNC_BECAUSE_REDUCTION;
    if (!knc_has_rows(g))
        return KNC_BECAUSE_NOTHING;
    int stage = knc_last_stage(u->stages) + 1;
    if (!knc_same_rows(g, x, axes))
        return KNC_BECAUSE_REDUCTION;
    if (stage >= KNC_MAX_STAGES)
        return KNC_BECAUSE_STAGES;
    bool again = stage > 1 || g->form == KNC_LOOPS_FULL; /* the group has other passes over the same elements */
    return again && !knc_rows_fit(p, x, axes) ? KNC_BECAUSE_LONG : KNC_BECAUSE_NOTHING;
}

/* Does a group read the reduction's result for all elements of the rows, but cannot compute the reduction since the
 * rows are too long? */
static bool is_too_long(const knc_plan *p, const knc_uses *u, kni_type x, kni_ints axes)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].point == KNC_KEPT)
            return !knc_rows_fit(p, x, axes);
    return false;
}

/* A reduction becomes a pass of a group that reads its result once per row, or begins a group. */
static void group_reduction(knc_plan *p, uint32_t i, const kni_eqn *e, knc_uses *u)
{
    kni_type x = knc_type(p, e->in[0]), y = p->j->type[e->out];
    kni_ints axes = ((const kni_p_reduce *)e->params)->axes;
    knc_why why = KNC_BECAUSE_REDUCTION;
    int join = joinable(p, e, u, 2);
    if (join >= 0 && (why = not_taken(p, &u->at[join], e)))
        join = -1;
    else if (join < 0 && is_too_long(p, u, x, axes))
        why = KNC_BECAUSE_LONG;
    knc_use at = join >= 0 ? u->at[join] : (knc_use){.point = KNC_POINT, .stages = 1};
    if (join < 0)
        at.group = new_group(p, i, y, 1 + knc_height_above(p, u, -1));
    if (p->failed)
        return;
    runs_before(p, at.group, u, join);
    knc_value *v = &p->value[e->out];
    knc_group *group = &p->group.at[at.group];
    if (!knc_has_rows(group))
        knc_points_are_rows(p, at.group, x, axes, y);
    at.loops = KNC_LOOPS_ROWS;
    if (join >= 0 && u->n == 1 && !u->need) {
        v->state = KNC_INLINE;
        v->why = KNC_BECAUSE_EPILOGUE;
    } else {
        v->why = (uint8_t)(u->need ? u->why : why ? why : KNC_BECAUSE_REDUCTION);
        add_store(p, e->out, at, join >= 0);
    }
    int stage = knc_last_stage(at.stages);
    v->group = at.group;
    v->loops = KNC_LOOPS_ROWS;
    v->stage = (uint8_t)stage;
    group->n_reduce++;
    group->n_read -= join >= 0 && group->n_read;
    knc_add_reduce_list(p, group, e->out, e->out);
    uint32_t limit = knc_update_limit(p, e->out);
    group->limit = group->limit < limit ? group->limit : limit;
    group->weight = (uint16_t)(group->weight + 2);
    at.stages = (uint16_t)(2u << stage);
    at.loops = KNC_LOOPS_FULL;
    if (kni_is_var(e->in[0]))
        knc_add_use(p, e->in[0], at);
}

enum { KNC_ELEMENT_ALIGN = 16 };

/* A view that is needed in memory and whose elements lie there in order shares its operand's memory. Not so a view of
 * a part of the operand that is a result of the program, that would keep the operand from being updated in place, or
 * that begins where the larger elements as which it is read cannot be aligned. True if it becomes an alias. */
static bool group_alias(knc_plan *p, const kni_eqn *e, knc_class c, const knc_uses *u)
{
    knc_value *v = &p->value[e->out];
    int64_t first;
    bool must = c == KNC_RESHAPE, fused_view = !u->need && !u->many && p->o->fuse;
    if (c != KNC_RESHAPE && c != KNC_VIEW && c != KNC_IDENTITY)
        return false;
    if (!must && (fused_view || !knc_lies_in_order(p->j, e, &p->scratch, &first)))
        return false;
    bool part = !must && (first || kni_type_size(p->j->type[e->out]) != kni_type_size(knc_type(p, e->in[0])));
    if (part && (v->is_output || u->level >= knc_update_limit(p, e->out)))
        return false;
    kni_type t = p->j->type[e->out];
    if (part && v->aligned && (knx_is_symbolic(first) || (size_t)first * t.dtype->size % KNC_ELEMENT_ALIGN))
        return false;
    if (kni_is_var(e->in[0]))
        p->value[e->in[0]].aligned |= v->aligned || t.dtype->size > knc_type(p, e->in[0]).dtype->size;
    v->state = KNC_ALIAS;
    v->why = KNC_BECAUSE_IN_ORDER;
    for (int i = 0; i < u->n; i++)
        knc_pin(p, u->at[i].group);
    need(p, e->in[0], knc_height_above(p, u, -1), u->level, KNC_BECAUSE_ALIASED, v->is_output);
    return true;
}

static knx_error *group_eqn(knc_plan *p, uint32_t i)
{
    const kni_eqn *e = &p->j->eqn[i];
    knc_class c = knc_class_of(p->j, e);
    knc_uses u = knc_collect_uses(p, e->out, e->n_out);
    if (!u.need && !u.n && !u.many) {
        if (!kni_must_stay(e->prim, e->params)) {
            for (uint32_t k = 0; k < e->n_out; k++)
                p->value[e->out + k].why = KNC_BECAUSE_UNREAD;
            return NULL;
        }
        u.need = true;
        u.why = KNC_BECAUSE_MAY_FAIL;
        if (e->n_out)
            p->value[e->out].need = true;
    }
    if (c == KNC_UNKNOWN)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s cannot be compiled", e->prim->name);
    if (p->o->fuse) {
        knc_merge_groups(p, e->out, e->n_out, &u);
        if (knc_make_rows(p, e, &u))
            u = knc_collect_uses(p, e->out, e->n_out);
    }
    if (group_alias(p, e, c, &u))
        return NULL;
    if (c == KNC_RUN && knc_can_put(p, e))
        group_put(p, i, e, &u);
    else if (c == KNC_RUN)
        group_routine(p, i, e, &u);
    else if (c == KNC_REDUCE)
        group_reduction(p, i, e, &u);
    else
        group_points(p, i, e, c, &u);
    return p->failed ? knx_error_nomem() : NULL;
}

knx_error *knc_group_equations(knc_plan *p)
{
    p->next_point = KNC_FIRST_FAR;
    knc_measure(p);
    knc_find_updates(p);
    for (uint32_t i = p->j->n_eqn; i-- > 0;)
        KN_TRY(group_eqn(p, i));
    for (uint32_t v = 0; p->o->fuse && v < p->p->n_operand; v++) {
        knc_uses u = knc_collect_uses(p, v, 1);
        knc_merge_groups(p, v, 1, &u);
    }
    return p->failed ? knx_error_nomem() : NULL;
}
