/* SPDX-License-Identifier: Apache-2.0
 * segments.c -- kernels whose loads are under predicates on positions (of pad, concatenate, and of rolls and stencils,
 * which are made of these) run in segments: the parallel loops are cut at turns where a predicate changes, and each box
 * of points between cuts runs the kernel that is left where its predicates are known. Boxes too small for code of their
 * own run the whole kernel. Where the boxes are the few turns of one loop (arrays stacked along the last axis), they
 * are one kernel, which does all turns for a point of the other loops. */
#include "compile/plan.h"
#include "kernel/narrow.h"
#include <string.h>

enum {
    MOST_BOXES = 256,
    LEAST_POINTS = 256, /* of a box, on average: a box costs some microseconds of planning */
    /* a kernel of boxes is worth code of its own if it runs 1/OWN_PART of all points, or OWN_POINTS of them */
    OWN_PART = 8,
    OWN_POINTS = 1 << 14,
    MOST_TURNS = 8,
    MOST_NODES = 128 /* of a kernel that does all turns */
};

typedef struct box {
    int64_t *low, *extent;
    int16_t *buffer, *map; /* per buffer and map of its own kernel: the number in the whole one; NULL: it has none */
    knk_kernel *kernel;    /* its own, or the step's whole one */
    bool rare;
    const int64_t **lows; /* per map, where it begins; NULL: all at `low` */
} box;
typedef struct cutting {
    knc_plan *p;
    knc_step *s;
    knx_arena *a;
    knk_launch l;
    box *box;
    int n, made;   /* boxes; how many, the first ones, have a kernel to be released */
    size_t guards; /* of the program before */
} cutting;

static int64_t points_in(const cutting *c, const int64_t *extent)
{
    return knx_dim_size(c->s->u.k.kernel->n_par, extent);
}

/* The cuts divide a loop of extent `whole` into intervals: *low is the first turn of interval `number`; returns how
 * many turns it has. */
static int64_t piece_of(const knk_cut *cut, int n_cut, int loop, int64_t whole, int number, int64_t *low)
{
    int64_t next = whole;
    *low = 0;
    for (int i = 0; i < n_cut; i++) {
        if (cut[i].loop != loop)
            continue;
        if (!number--) {
            next = cut[i].at;
            break;
        }
        *low = cut[i].at;
    }
    return knx_dim_sub(next, *low);
}

static int pieces_of(const knk_cut *cut, int n_cut, int loop)
{
    int n = 1;
    for (int i = 0; i < n_cut; i++)
        n += cut[i].loop == loop;
    return n;
}

static knx_error *list_boxes(cutting *c, const knk_cut *cut, int n_cut)
{
    const knk_kernel *k = c->s->u.k.kernel;
    size_t n = (size_t)k->n_par + 1;
    int boxes = 1;
    for (int d = 0; d < k->n_par; d++) {
        int pieces = pieces_of(cut, n_cut, d);
        if (pieces > MOST_BOXES / boxes) {
            knc_drop_guards(c->guards);
            return NULL;
        }
        boxes *= pieces;
    }
    bool few = knx_dim_hint(points_in(c, c->l.par)) < boxes * LEAST_POINTS;
    if (few) /* where the cuts are is of no interest then */
        knc_drop_guards(c->guards);
    if (!knx_dim_le(boxes * LEAST_POINTS, points_in(c, c->l.par)) || few)
        return NULL;
    c->box = knx_arena_zero(c->a, (size_t)boxes * sizeof *c->box);
    for (int i = 0; c->box && i < boxes; i++) {
        box *b = &c->box[i];
        b->low = knx_arena_zero(c->a, n * sizeof *b->low);
        b->extent = knx_arena_zero(c->a, n * sizeof *b->extent);
        if (!b->low || !b->extent)
            return knx_error_nomem();
        for (int d = k->n_par - 1, rest = i; d >= 0; d--) {
            int pieces = pieces_of(cut, n_cut, d);
            b->extent[d] = piece_of(cut, n_cut, d, c->l.par[d], rest % pieces, &b->low[d]);
            rest /= pieces;
        }
    }
    c->n = boxes;
    return c->box ? NULL : knx_error_nomem();
}

/* --- kernels of boxes ------------------------------------------------------------------------- */

static bool same_kernel(const knk_kernel *a, const knk_kernel *b)
{
    return a == b || (a->hash == b->hash && a->key_bytes == b->key_bytes && !memcmp(a->key, b->key, a->key_bytes));
}

/* Replaces the box's kernel by an equal one of an earlier box, or of the cache, if there is one. */
static knx_error *share(cutting *c, box *b)
{
    for (box *o = c->box; o < b; o++)
        if (same_kernel(o->kernel, b->kernel)) {
            knk_release(b->kernel);
            b->kernel = knk_retain(o->kernel);
            return NULL;
        }
    return c->p->o->kernels ? knc_share_kernel(c->p->o->kernels, &b->kernel) : NULL;
}

static knx_error *narrow_boxes(cutting *c)
{
    const knk_kernel *k = c->s->u.k.kernel;
    for (; c->made < c->n; c->made++) {
        box *b = &c->box[c->made];
        b->buffer = knx_arena_alloc(c->a, ((size_t)k->n_buffer + 1) * sizeof *b->buffer);
        b->map = knx_arena_alloc(c->a, (size_t)knk_narrow_maps(k) * sizeof *b->map);
        if (!b->buffer || !b->map)
            return knx_error_nomem();
        KN_TRY(knk_narrow(k, &c->l, &(knk_box){b->low, b->extent}, &b->kernel, b->buffer, b->map));
        knx_error *e = share(c, b);
        if (e) {
            knk_release(b->kernel);
            return e;
        }
    }
    return NULL;
}

static void use_whole(const cutting *c, box *b)
{
    knk_release(b->kernel);
    b->kernel = knk_retain(c->s->u.k.kernel);
    b->buffer = b->map = NULL;
}

/* Do the boxes with this kernel have too few points for code of its own? */
static bool is_rare(const cutting *c, const box *b, int64_t all)
{
    int64_t mine = 0;
    for (int i = 0; i < c->n; i++)
        if (same_kernel(c->box[i].kernel, b->kernel))
            mine = knx_dim_add(mine, points_in(c, c->box[i].extent));
    return knx_dim_lt(knx_dim_mul(mine, OWN_PART), all) && knx_dim_lt(mine, OWN_POINTS);
}

static void give_up_rare(cutting *c)
{
    int64_t all = points_in(c, c->l.par);
    for (int i = 0; i < c->n; i++)
        c->box[i].rare = is_rare(c, &c->box[i], all) || c->box[i].kernel->n_buffer > KNC_SEGMENT_BUFFERS;
    for (int i = 0; i < c->n; i++)
        if (c->box[i].rare)
            use_whole(c, &c->box[i]);
}

/* Box b, if it follows on a along one loop and equals it along all others, becomes a part of a; else false. */
static bool join(const cutting *c, box *a, const box *b)
{
    int along = -1, n = c->s->u.k.kernel->n_par;
    for (int d = 0; d < n; d++)
        if (a->low[d] != b->low[d] || a->extent[d] != b->extent[d]) {
            if (along >= 0 || !knx_dim_same(knx_dim_add(a->low[d], a->extent[d]), b->low[d]))
                return false;
            along = d;
        }
    if (along < 0)
        return false;
    a->extent[along] = knx_dim_add(a->extent[along], b->extent[along]);
    return true;
}

static void join_whole(cutting *c)
{
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++)
            if (i != j && !c->box[i].map && !c->box[j].map && join(c, &c->box[i], &c->box[j])) {
                knk_release(c->box[j].kernel);
                c->box[j] = c->box[--c->n];
                c->made--;
                i = -1; /* the larger box may join others now */
                break;
            }
}

/* The loop whose turns the boxes are, one each; -1: there is none, or they are too many. */
static int loop_of_turns(const cutting *c)
{
    int along = -1, nodes = 0;
    for (int d = 0; d < c->s->u.k.kernel->n_par; d++)
        if (c->l.par[d] == c->n)
            along = d;
    for (int i = 0; along >= 0 && i < c->n; i++) {
        const box *b = &c->box[i];
        const knk_kernel *k = b->kernel;
        nodes += k->n_node;
        bool fine = b->low[along] == i && b->extent[along] == 1 && k->n_stage == 1 && !k->stage->n_inner;
        for (int d = 0; d < k->n_par; d++)
            fine &= d == along || (!b->low[d] && b->extent[d] == c->l.par[d]);
        along = fine ? along : -1;
    }
    return c->n < 2 || c->n > MOST_TURNS || nodes > MOST_NODES ? -1 : along;
}

/* The boxes, if they are the turns of a loop, become one. A map that does not depend on the loop is the same in all. */
static knx_error *join_turns(cutting *c)
{
    knk_part part[MOST_TURNS];
    const int loop = loop_of_turns(c), n_map = c->s->u.k.kernel->n_map;
    size_t maps = 1, buffers = 1;
    if (loop < 0)
        return NULL;
    for (int i = 0; i < c->n; i++) {
        const box *b = &c->box[i];
        int32_t *name = knx_arena_alloc(c->a, ((size_t)b->kernel->n_map + 1) * sizeof *name);
        if (!name)
            return knx_error_nomem();
        for (int m = 0; m < b->kernel->n_map; m++)
            name[m] = b->map[m] + (c->l.map[b->map[m]].stride[loop] ? i * n_map : 0);
        part[i] = (knk_part){b->kernel, b->buffer, name};
        maps += (size_t)b->kernel->n_map;
        buffers += (size_t)b->kernel->n_buffer;
    }
    int32_t *name = knx_arena_alloc(c->a, maps * sizeof *name);
    box one = {.low = c->box->low, .extent = c->box->extent};
    one.buffer = knx_arena_alloc(c->a, buffers * sizeof *one.buffer);
    one.map = knx_arena_alloc(c->a, maps * sizeof *one.map);
    one.lows = knx_arena_alloc(c->a, maps * sizeof *one.lows);
    if (!name || !one.buffer || !one.map || !one.lows)
        return knx_error_nomem();
    KN_TRY(knk_together(c->n, part, &one.kernel, one.buffer, name));
    if (one.kernel->n_buffer > KNC_SEGMENT_BUFFERS) {
        knk_release(one.kernel);
        return NULL;
    }
    for (int m = 0; m < one.kernel->n_map; m++) {
        one.map[m] = (int16_t)(name[m] % n_map);
        one.lows[m] = c->box[name[m] / n_map].low;
    }
    for (int i = 0; i < c->n; i++)
        knk_release(c->box[i].kernel);
    *c->box = one;
    c->n = c->made = 1;
    return c->p->o->kernels ? knc_share_kernel(c->p->o->kernels, &c->box->kernel) : NULL;
}

/* --- what runs -------------------------------------------------------------------------------- */

/* The launch of a box: the numbers of the whole launch, from the box's first point on. The kernel is retained last,
 * so there is nothing to release after a failure. */
static knx_error *make_segment(const cutting *c, const box *b, knc_segment *out)
{
    knx_arena *a = &c->p->p->arena;
    const knk_kernel *k = c->s->u.k.kernel;
    knk_map_values *map = knx_arena_alloc(a, ((size_t)b->kernel->n_map + 1) * sizeof *map);
    out->par = knx_arena_copy(a, b->extent, ((size_t)k->n_par + 1) * sizeof *b->extent);
    if (b->buffer)
        out->buffer = knx_arena_copy(a, b->buffer, ((size_t)b->kernel->n_buffer + 1) * sizeof *b->buffer);
    if (!map || !out->par || (b->buffer && !out->buffer))
        return knx_error_nomem();
    for (int m = 0; m < b->kernel->n_map; m++) {
        map[m] = c->l.map[b->map ? b->map[m] : m];
        for (int d = 0; d < k->n_par; d++)
            map[m].offset =
                knx_dim_add(map[m].offset, knx_dim_mul(map[m].stride[d], (b->lows ? b->lows[m] : b->low)[d]));
    }
    out->map = map;
    out->kernel = knk_retain(b->kernel);
    return NULL;
}

static knx_error *run_in_boxes(cutting *c)
{
    knc_segment *segment = knx_arena_zero(&c->p->p->arena, (size_t)c->n * sizeof *segment);
    if (!segment)
        return knx_error_nomem();
    c->s->u.k.segment = segment;
    for (int i = 0; i < c->n; i++) {
        KN_TRY(make_segment(c, &c->box[i], &segment[i]));
        c->s->u.k.n_segment++; /* the segment's kernel is released with the step */
    }
    return NULL;
}

static knx_error *cut_in(cutting *c, const knk_cut *cut, int n_cut)
{
    KN_TRY(list_boxes(c, cut, n_cut));
    if (!c->n)
        return NULL;
    KN_TRY(narrow_boxes(c));
    KN_TRY(join_turns(c));
    give_up_rare(c);
    join_whole(c);
    return c->n > 1 || !c->box->rare ? run_in_boxes(c) : NULL;
}

static knx_error *cut_kernel(knc_plan *p, knc_step *s)
{
    knk_cut cut[MOST_BOXES];
    cutting c = {.p = p, .s = s, .a = &p->scratch, .l = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner}};
    c.guards = knc_guards();
    bool known;
    int n = knk_cuts(s->u.k.kernel, &c.l, cut, MOST_BOXES, &known);
    knx_error *e = n || known ? cut_in(&c, cut, n) : NULL;
    if (!n && !known)
        knc_drop_guards(c.guards);
    for (int i = 0; i < c.made; i++)
        knk_release(c.box[i].kernel);
    return e;
}

knx_error *knc_cut_kernels(knc_plan *p)
{
    for (uint32_t i = 0; p->o->target->segments && i < p->p->n_step; i++)
        if (knc_is_kernel(&p->p->step[i]))
            KN_TRY(cut_kernel(p, (knc_step *)(uintptr_t)&p->p->step[i]));
    return NULL;
}
