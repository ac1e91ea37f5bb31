/* SPDX-License-Identifier: Apache-2.0
 * plan.c -- which passes a kernel is, and the numbers of each.
 *
 * A kernel whose stores are all in stages without inner extents, whose rows are short, and whose stages read nothing
 * that earlier ones stored, has one pass for each store: a fragment goes through all stages of its point. Else
 * stages follow each other in the parts of knw_part_of: of a stage with inner extents the values of its reductions,
 * and its stores; of stages without the values that later parts use, and their stores. */
#include "glsl/plan.h"
#include <string.h>

enum {
    SHORT_ROW = 64,      /* rows up to it are gone through again by each word that wants to know */
    LONG_ROW = 512,      /* rows from it on may be cut */
    MANY_POINTS = 16384, /* as many fragments keep a device busy */
    MOST_PASSES = 256
};

static bool is_store(const knk_inst *n) { return n->op == KNK_STORE; }

/* Does a stage read what an earlier one wrote, from stage `first` on? */
static bool reads_stored(const knk_kernel *k, int first, int end)
{
    for (int s = first; s < end; s++)
        for (int i = k->stage[s].first; i < k->stage[s].end; i++)
            for (int j = k->stage[first].first; j < k->stage[s].first && k->node[i].op == KNK_LOAD; j++)
                if (is_store(&k->node[j]) && k->node[j].buffer == k->node[i].buffer)
                    return true;
    return false;
}

static bool is_whole(const kngl_plan *p)
{
    const knk_kernel *k = p->k;
    for (int s = 0; s < k->n_stage; s++)
        if (k->stage[s].n_inner && kngl_row(p, s) > SHORT_ROW)
            return false;
    for (int i = 0; i < k->n_node; i++)
        if (is_store(&k->node[i]) && k->stage[k->node[i].stage].n_inner)
            return false;
    return !reads_stored(k, 0, k->n_stage);
}

/* ---- passes ---- */

static uint32_t new_memory(kngl_plan *p, uint64_t elements, int dtype)
{
    p->bytes[p->n_memory - p->k->n_buffer] = elements * (knw_is_wide(dtype) ? 8 : 4);
    return (uint32_t)p->n_memory++;
}

static void add(kngl_plan *p, kngl_what what, knk_node node, int first, int end, uint32_t target)
{
    p->pass[p->n_pass] = (kngl_pass){.what = (uint8_t)what,
                                     .node = node,
                                     .first = first,
                                     .end = end,
                                     .group = p->n_pass ? p->pass[p->n_pass - 1].group + 1 : 0,
                                     .target = target};
    p->n_pass++;
}

/* Each store; they are one group. */
static void add_stores(kngl_plan *p, int first, int end)
{
    int group = -1;
    for (int i = p->k->stage[first].first; i < p->k->stage[end - 1].end; i++) {
        if (!is_store(&p->k->node[i]))
            continue;
        add(p, KNGL_STORE, i, first, end, (uint32_t)p->k->node[i].buffer);
        kngl_pass *last = &p->pass[p->n_pass - 1];
        group = last->group = group < 0 ? last->group : group;
        last->inner = p->k->stage[p->k->node[i].stage].n_inner > 0;
    }
}

static void add_reduction(kngl_plan *p, int s, knk_node x)
{
    int dtype = p->k->node[x].dtype;
    uint64_t points = kngl_points(p), blocks = kngl_blocks(p, s);
    if (p->cut[s]) {
        p->lanes[x] = new_memory(p, points * blocks * KNW_LANES, dtype);
        add(p, KNGL_LANES, x, s, s + 1, p->lanes[x]);
        p->blocks[x] = new_memory(p, points * blocks, dtype);
        add(p, KNGL_BLOCKS, x, s, s, p->blocks[x]);
    }
    p->value[x] = new_memory(p, points, dtype);
    add(p, KNGL_VALUE, x, s, p->cut[s] ? s : s + 1, p->value[x]);
}

static const char *add_part(kngl_plan *p, const knw_part *part)
{
    const knk_kernel *k = p->k;
    int s = part->first;
    if (part->first == part->end)
        return NULL;
    if (reads_stored(k, part->first, part->end))
        return "a stage reads what the one before it wrote";
    for (int i = k->stage[s].first; i < k->stage[part->end - 1].end; i++) {
        if (k->node[i].op == KNK_REDUCE) {
            add_reduction(p, s, i);
        } else if (kngl_layout(p)->kept[i] && !part->blocks) {
            p->value[i] = new_memory(p, kngl_points(p), k->node[i].dtype);
            add(p, KNGL_VALUE, i, part->first, part->end, p->value[i]);
        }
    }
    add_stores(p, part->first, part->end);
    return NULL;
}

static const char *add_passes(kngl_plan *p)
{
    const char *why = NULL;
    knw_part part;
    if (is_whole(p)) {
        add_stores(p, 0, p->k->n_stage);
        return NULL;
    }
    for (int s = 0; s < p->k->n_stage; s++)
        p->cut[s] = p->k->stage[s].n_inner && kngl_row(p, s) >= LONG_ROW && kngl_points(p) < MANY_POINTS;
    for (int i = 0; !why && knw_part_of(p->k, i, &part); i++)
        why = add_part(p, &part);
    return why;
}

/* ---- what is refused ---- */

static int samplers_of(const kngl_plan *p, const kngl_pass *pass)
{
    uint64_t used = 0;
    int n = 2; /* what was there before; one to spare */
    for (int s = pass->first; s < pass->end; s++)
        for (int i = p->k->stage[s].first; i < p->k->stage[s].end; i++)
            if (p->k->node[i].op == KNK_LOAD)
                used |= UINT64_C(1) << p->k->node[i].buffer;
    for (int x = 0; x < p->k->n_node && pass->first < pass->end; x++)
        n += p->value[x] && p->k->node[x].stage < pass->first; /* at most */
    return n + __builtin_popcountll(used);
}

static const char *refuses_pass(const kngl_plan *p, int i)
{
    kngl_inverse v;
    if (samplers_of(p, &p->pass[i]) > (int)p->facts->samplers)
        return "it reads more memories than a pass can";
    if (p->pass[i].what == KNGL_STORE && !kngl_invert(p, &p->pass[i], &v))
        return "elements do not tell which point writes them";
    return kngl_n_words(p, i) / 4 > p->facts->uniforms ? "more numbers than a shader has uniforms" : NULL;
}

static const char *refuses(const kngl_plan *p)
{
    const uint64_t most = (uint64_t)p->facts->width * p->facts->width * 4;
    if (p->n_memory > KNGL_MOST_MEMORIES)
        return "it has too many values that go from stage to stage";
    for (int m = 0; m < p->n_memory - p->k->n_buffer; m++)
        if (p->bytes[m] > most)
            return "more values than fit a texture";
    for (int i = 0; i < p->n_pass; i++) {
        const char *why = refuses_pass(p, i);
        if (why)
            return why;
    }
    return NULL;
}

static bool allocate(kngl_plan *p)
{
    size_t nodes = (size_t)p->k->n_node + 1, passes = 3 * nodes;
    p->layout = knx_arena_zero(&p->arena, sizeof(knw_layout));
    p->pass = knx_arena_zero(&p->arena, passes * sizeof *p->pass);
    p->value = knx_arena_zero(&p->arena, 3 * nodes * sizeof *p->value);
    p->bytes = knx_arena_zero(&p->arena, passes * sizeof *p->bytes);
    p->cut = knx_arena_zero(&p->arena, (size_t)p->k->n_stage + 1);
    if (!p->layout || !p->pass || !p->value || !p->bytes || !p->cut)
        return false;
    p->lanes = p->value + nodes;
    p->blocks = p->lanes + nodes;
    return true;
}

knx_error *kngl_make_plan(const knk_kernel *k, const kngl_facts *facts, const knw_launch *l, kngl_plan *p,
                          const char **why)
{
    *p = (kngl_plan){.k = k, .facts = facts, .launch = l, .n_memory = k->n_buffer, .arena = KN_ARENA_INIT};
    *why = knw_refuses(k);
    if (*why)
        return NULL;
    *why = knw_too_large(k, &facts->numbers, l);
    if (*why || k->n_buffer > KNW_MOST_MEMORIES) {
        *why = *why ? *why : "it has too many places";
        return NULL;
    }
    if (!allocate(p))
        return knx_error_nomem();
    KN_TRY(knw_lay_out(k, KNW_AT, true, p->layout));
    *why = add_passes(p);
    *why = *why ? *why : refuses(p);
    return NULL;
}

void kngl_free_plan(kngl_plan *p)
{
    if (p->layout)
        knw_layout_free(p->layout);
    knx_arena_free(&p->arena);
    *p = (kngl_plan){.arena = KN_ARENA_INIT};
}

/* ---- numbers ---- */

uint32_t kngl_n_words(const kngl_plan *p, int pass)
{
    const kngl_pass *x = &p->pass[pass];
    uint32_t dims = x->what == KNGL_STORE ? (uint32_t)knk_map_loops(p->k, p->k->node[x->node].map) : 0;
    return kngl_layout(p)->n_words + 4 + 4 * dims;
}

static void put_inverse(const kngl_plan *p, const kngl_pass *pass, uint32_t *launch, uint32_t *own)
{
    kngl_inverse v;
    kngl_invert(p, pass, &v);
    launch[KNGL_DIMENSIONS] = (uint32_t)v.n;
    *own++ = (uint32_t)v.base;
    *own++ = (uint32_t)v.span;
    *own++ = v.point;
    *own++ = v.unit;
    for (int i = 0; i < v.n; i++) {
        *own++ = (uint32_t)v.d[i].stride;
        *own++ = (uint32_t)v.d[i].extent;
        *own++ = v.d[i].point;
        *own++ = v.d[i].unit;
    }
}

static uint64_t per_point(const kngl_plan *p, const kngl_pass *x)
{
    int stage = p->k->node[x->node].stage;
    return x->what == KNGL_LANES    ? kngl_blocks(p, stage) * KNW_LANES
           : x->what == KNGL_BLOCKS ? kngl_blocks(p, stage)
                                    : 1;
}

void kngl_words(const kngl_plan *p, int pass, uint32_t *words)
{
    const kngl_pass *x = &p->pass[pass];
    uint32_t *own = words + kngl_layout(p)->n_words;
    memset(words, 0, kngl_n_words(p, pass) * sizeof *words);
    knw_put_numbers(kngl_layout(p), p->launch, words);
    if (x->what == KNGL_STORE) {
        put_inverse(p, x, words, own);
        return;
    }
    own[0] = (uint32_t)(kngl_points(p) * per_point(p, x));
    own[1] = (uint32_t)per_point(p, x);
}

void kngl_reach(const kngl_plan *p, int pass, uint64_t *from, uint64_t *to, bool *all)
{
    const kngl_pass *x = &p->pass[pass];
    uint64_t size = knw_is_wide(p->k->node[x->node].dtype) ? 8 : 4;
    kngl_inverse v;
    *from = 0;
    *all = true;
    if (!kngl_points(p)) {
        *to = 0;
        return;
    }
    if (x->what != KNGL_STORE) {
        *to = kngl_points(p) * per_point(p, x) * size;
        return;
    }
    size = (uint64_t)knk_size(p->k->node[p->k->node[x->node].a].dtype);
    kngl_invert(p, x, &v);
    *from = (uint64_t)v.base * size;
    *to = (uint64_t)(v.base + v.span + 1) * size;
    *all = v.n == 0 || (v.n == 1 && v.d[0].stride == 1);
    for (int d = 0; d < p->k->stage[p->k->node[x->node].stage].n_inner; d++)
        if (!p->launch->inner[p->k->node[x->node].stage][d])
            *to = *from;
}
