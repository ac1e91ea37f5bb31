/* SPDX-License-Identifier: Apache-2.0
 * facts.c -- what the driver wants to know of a kernel, whatever the launch: its streams, which of them may be turned,
 * and where everything lies in the scratch. */
#include "host/drive.h"
#include "base/line.h"
#include "kernel/internal.h"
#include <string.h>

enum { RING_BUDGET = 256 * 1024, VALUE_BUDGET = 128 * 1024, MOST_POINTS = 4096, LEAST_POINTS = 128 };

/* The whole rectangle of a stream may be read, since each point reads it, or written, since each point writes it. */
static bool is_turnable(const knk_kernel *k, int stage, const knh_stream *s)
{
    bool plain = false;
    if (s->kind != KNH_MEMORY || s->indexed || k->stage[stage].n_loop) /* tiles have no turns */
        return false;
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++) {
        const knk_inst *n = &k->node[i];
        plain |= n->op == KNK_LOAD && n->buffer == s->buffer && n->map == s->map && n->b < 0;
    }
    return plain || !s->read;
}

static bool is_copy(const knk_kernel *k, int stage)
{
    const knk_stage *st = &k->stage[stage];
    const knk_inst *n = &k->node[st->first];
    return st->end - st->first == 2 && n[0].op == KNK_LOAD && n[0].a < 0 && n[0].b < 0 && n[1].op == KNK_STORE &&
           n[1].a == st->first;
}

static bool is_copy_of_pairs(const knk_kernel *k, int stage)
{
    const knk_stage *st = &k->stage[stage];
    const knk_inst *n = &k->node[st->first];
    bool fine = st->end - st->first == 4;
    for (int i = 0; fine && i < 2; i++)
        fine =
            n[i].op == KNK_LOAD && n[i].a < 0 && n[i].b < 0 && n[2 + i].op == KNK_STORE && n[2 + i].a == st->first + i;
    return fine && !k->stage[stage].n_loop;
}

/* One reduction of what is loaded, as it is. */
static bool is_bare(const knk_kernel *k, int stage)
{
    const knk_stage *st = &k->stage[stage];
    const knk_inst *n = &k->node[st->first];
    return st->end - st->first == 2 && n[0].op == KNK_LOAD && n[0].a < 0 && n[0].b < 0 && n[1].op == KNK_REDUCE &&
           n[1].a == st->first && n[0].dtype == n[1].dtype;
}

static double node_cost(const knk_inst *n)
{
    bool nothing = n->op == KNK_CONST || n->op == KNK_BITCAST;
    return 0.03 * (nothing ? 0 : n->op == KNK_DIV || n->op == KNK_SQRT ? 4 : n->op == KNK_REM ? 20 : 1);
}

static double cost_of(const knk_kernel *k, int stage)
{
    double cost = 0;
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++)
        cost += node_cost(&k->node[i]);
    return cost;
}

static bool list_loops(const knk_kernel *k, knh_facts *f, int stage, knh_stage_facts *s)
{
    const knk_stage *st = &k->stage[stage];
    int8_t *outer = knx_arena_alloc(&f->arena, (size_t)st->n_loop + 1);
    double *cost = knx_arena_zero(&f->arena, ((size_t)st->n_loop + 1) * sizeof *cost);
    if (!outer || !cost)
        return false;
    for (int i = st->first, open = -1; i < st->end; i++) {
        const knk_inst *n = &k->node[i];
        bool memory = n->op == KNK_LOAD || n->op == KNK_STORE;
        if (n->op == KNK_LOOP) {
            outer[n->sub] = (int8_t)open;
            open = n->sub;
        }
        if (open >= 0)
            cost[open] += node_cost(n) + (memory ? 0.04 * knk_size(n->dtype) : 0);
        if (n->op == KNK_END)
            open = outer[n->sub];
    }
    s->n_loop = st->n_loop;
    s->outer = outer;
    s->turn_cost = cost;
    return true;
}

/* Of loops, in about so long: the longest turn counts, of as many lanes as a turn has at most. */
static int64_t turns_between(const knk_kernel *k, const knh_stage_facts *stage)
{
    const double nanoseconds = 4e6, lanes = 64;
    double most = 0;
    bool any = false;
    for (int s = 0; s < k->n_stage; s++)
        for (int l = 0; l < stage[s].n_loop; l++) {
            any = true;
            most = stage[s].turn_cost[l] > most ? stage[s].turn_cost[l] : most;
        }
    return any ? 1 + (int64_t)(nanoseconds / (1 + lanes * most)) : 0;
}

double knh_turns_cost(const knh_stage_facts *f, const int64_t *extent)
{
    double cost = 0, turns[KNK_MAX_LOOPS];
    for (int l = 0; l < f->n_loop; l++) { /* an outer loop has the smaller number */
        turns[l] = extent[l] == KNK_NO_LIMIT ? KNH_GUESSED_TURNS : (double)extent[l];
        turns[l] *= f->outer[l] < 0 ? 1 : turns[f->outer[l]];
        cost += turns[l] * f->turn_cost[l];
    }
    return cost;
}

static bool loads_after(const knk_kernel *k, int stage)
{
    for (int i = k->stage[stage].end; i < k->n_node; i++)
        if (k->node[i].op == KNK_LOAD)
            return true;
    return false;
}

static bool list_reductions(const knk_kernel *k, knh_facts *f, knh_stage_facts *s)
{
    knh_reduction *r = knx_arena_zero(&f->arena, (size_t)(s->n_stream + 1) * sizeof *r);
    size_t row = 0;
    if (!r)
        return false;
    for (int i = 0; i < s->n_stream; i++) {
        if (s->stream[i].kind != KNH_EXPORT || k->node[s->stream[i].node].op != KNK_REDUCE)
            continue;
        const knk_inst *n = &k->node[s->stream[i].node];
        r[s->n_reduction++] = (knh_reduction){.stream = i,
                                              .how = n->sub,
                                              .dtype = n->dtype,
                                              .size = (uint8_t)knk_size(n->dtype),
                                              .identity = knk_reduction_identity(n->sub, n->dtype),
                                              .combine = knk_join(n->sub, n->dtype)};
        row += (size_t)knk_size(n->dtype);
    }
    s->reduction = r;
    s->ends = s->n_reduction == 1 && r->dtype == KN_ID_BOOL && (r->how == KNK_RED_OR || r->how == KNK_RED_AND);
    for (int i = 0; i < s->n_stream; i++)
        s->ends = s->ends && (i == r->stream || (s->stream[i].kind != KNH_EXPORT && !s->stream[i].written));
    s->width = 16;
    while (row && s->width < 1024 && 2 * 64 * row * (size_t)s->width <= RING_BUDGET)
        s->width *= 2;
    return true;
}

/* The streams that the node's value depends on, marked in `lead`; `seen` has room for all nodes. */
static void follow(const knk_kernel *k, int stage, const knh_stage_facts *s, knk_node node, uint8_t *seen,
                   uint8_t *lead)
{
    int first = k->stage[stage].first;
    memset(seen, 0, (size_t)k->n_node);
    seen[node] = 1;
    for (knk_node i = node; i >= 0; i--) {
        const knk_inst *n = &k->node[i];
        int at = -1;
        if (!seen[i])
            continue;
        if (i < first)
            at = knh_stream_of(s->stream, s->n_stream, KNH_IMPORT, -1, -1, i);
        else if (n->op == KNK_LOAD || n->op == KNK_INDEX)
            at = knh_stream_of(s->stream, s->n_stream, n->op == KNK_LOAD ? KNH_MEMORY : KNH_NUMBER, n->buffer, n->map,
                               KNK_NONE);
        if (at >= 0)
            lead[at] = 1;
        for (int j = 0; i >= first && j < 3; j++)
            if (knk_operand(n, j) >= 0)
                seen[knk_operand(n, j)] = 1;
    }
}

enum { MOST_LEADS = 1 << 14 };

static bool find_leads(const knk_kernel *k, knh_facts *f, int stage, knh_stage_facts *s)
{
    bool any = false;
    for (int i = 0; i < s->n_stream; i++)
        any |= s->stream[i].indexed;
    if (!any || s->n_stream * s->n_stream > MOST_LEADS)
        return true;
    uint8_t *seen = knx_alloc((size_t)k->n_node + 1);
    uint8_t *leads = knx_arena_zero(&f->arena, (size_t)(s->n_stream * s->n_stream) + 1);
    for (int i = k->stage[stage].first; seen && leads && i < k->stage[stage].end; i++) {
        const knk_inst *n = &k->node[i];
        int at = n->op == KNK_LOAD && n->a >= 0
                     ? knh_stream_of(s->stream, s->n_stream, KNH_MEMORY, n->buffer, n->map, KNK_NONE)
                     : -1;
        if (at >= 0)
            follow(k, stage, s, n->a, seen, leads + at * s->n_stream);
    }
    s->leads = leads;
    knx_free(seen);
    return seen && leads;
}

static bool stage_facts(const knk_kernel *k, knh_facts *f, int stage, knh_stage_facts *s)
{
    knh_stream *list = knx_alloc_zero((KNH_MAX_STREAMS + 1) * sizeof *list);
    int n = list ? knh_streams(k, stage, k->stage[stage].n_inner ? KNH_ROWS : KNH_POINTS, list) : -1;
    uint8_t *turnable = knx_arena_zero(&f->arena, (size_t)(n < 0 ? 0 : n) + 1);
    if (n >= 0) {
        s->stream = knx_arena_copy(&f->arena, list, (size_t)(n + 1) * sizeof *list);
        for (int i = 0; turnable && i < n; i++)
            turnable[i] = is_turnable(k, stage, &list[i]);
    }
    knx_free(list);
    if (n < 0 || !turnable || !s->stream)
        return false;
    s->n_stream = n;
    s->turnable = turnable;
    s->copies = is_copy(k, stage);
    s->bare = is_bare(k, stage);
    s->copies_pairs = is_copy_of_pairs(k, stage);
    s->cost = cost_of(k, stage);
    for (int i = 0; i < n; i++)
        s->point_bytes += s->stream[i].kind == KNH_MEMORY ? knk_size(s->stream[i].dtype) : 1;
    s->read_after = loads_after(k, stage);
    return list_loops(k, f, stage, s) && find_leads(k, f, stage, s) && list_reductions(k, f, s);
}

/* Values for later stages: a place for `points` of each. */
static bool place_values(const knk_kernel *k, knh_facts *f, knh_stage_facts *stage, size_t *at)
{
    size_t *place = knx_arena_zero(&f->arena, (size_t)(k->n_node + 1) * sizeof *place), row = 0;
    int64_t width = 0;
    if (!place)
        return false;
    for (int s = 0; s < f->n_stage; s++) {
        for (int i = 0; i < stage[s].n_stream; i++)
            row += stage[s].stream[i].kind == KNH_EXPORT ? (size_t)knk_size(stage[s].stream[i].dtype) : 0;
        if (stage[s].n_reduction && stage[s].width > width)
            width = stage[s].width;
    }
    int64_t fit = row ? (int64_t)(VALUE_BUDGET / row) / 64 * 64 : 0,
            least = width > LEAST_POINTS ? width : LEAST_POINTS;
    f->points = !row ? 0 : fit > MOST_POINTS ? MOST_POINTS : fit < least ? least : fit;
    for (int s = 0; s < f->n_stage; s++) {
        size_t *mine = knx_arena_zero(&f->arena, (size_t)(stage[s].n_stream + 1) * sizeof *mine);
        if (!mine)
            return false;
        for (int i = 0; i < stage[s].n_stream; i++) {
            const knh_stream *x = &stage[s].stream[i];
            if (x->kind == KNH_EXPORT) {
                place[x->node] = *at;
                *at += knx_whole_lines((size_t)f->points * (size_t)knk_size(x->dtype));
            }
            mine[i] = x->kind == KNH_EXPORT || x->kind == KNH_IMPORT ? place[x->node] : 0;
        }
        stage[s].place = mine;
    }
    return true;
}

/* Accumulators and tiles: stages take turns. */
static size_t place_areas(knh_facts *f, knh_stage_facts *stage, size_t at)
{
    size_t end = at;
    for (int s = 0; s < f->n_stage; s++) {
        size_t used = at, shared = 0;
        for (int i = 0; i < stage[s].n_reduction; i++) {
            knh_reduction *r = (knh_reduction *)(uintptr_t)&stage[s].reduction[i];
            size_t row = (size_t)stage[s].width * r->size;
            r->ring_at = used;
            r->stack_at = used + knx_whole_lines(64 * row);
            used = r->stack_at + knx_whole_lines(KNK_RANKS * row);
            r->group_at = shared;
            shared += KNH_GROUP_VALUES * sizeof(uint64_t);
        }
        end = used > end ? used : end;
        f->shared_bytes = shared > f->shared_bytes ? shared : f->shared_bytes;
    }
    return end;
}

/* Can the stream be turned or woven? */
static bool may_need_tile(const knk_kernel *k, int stage, const knh_stage_facts *f, int i)
{
    bool several = k->n_par + k->stage[stage].n_inner > 1;
    return f->turnable[i] && !f->n_reduction &&
           (several || (k->n_par && k->map[f->stream[i].map].cls[0] == KNK_STRIDE_ANY));
}

static size_t tile_bytes(const knk_kernel *k, const knh_stage_facts *stage)
{
    size_t most = 0;
    for (int s = 0; s < k->n_stage; s++) {
        size_t bytes = 0;
        int n = 0;
        for (int i = 0; i < stage[s].n_stream; i++)
            if (may_need_tile(k, s, &stage[s], i) && n++ < KNH_MOST_TURNED)
                bytes += KNH_TILE_BYTES;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static size_t plan_bytes(const knk_kernel *k, const knh_stage_facts *stage)
{
    size_t bytes = knh_aligned(sizeof(knh_prepared)) + 4 * knh_aligned((size_t)(k->n_par + 1) * sizeof(int64_t)) +
                   knh_aligned((size_t)k->n_stage * sizeof(knh_pass)) +
                   knh_aligned(sizeof(knh_args) + KNH_SIMPLE_STREAMS * sizeof(knh_words));
    for (int s = 0; s < k->n_stage; s++) {
        size_t axes = (size_t)k->n_par + (size_t)k->stage[s].n_inner + 1, n = (size_t)stage[s].n_stream + 1;
        bytes += knh_aligned(axes * sizeof(int64_t)) + knh_aligned(axes * n * sizeof(int64_t)) +
                 knh_aligned(n * sizeof(int64_t)) + 2 * knh_aligned(n) + knh_aligned(axes) +
                 knh_aligned(n * (size_t)k->stage[s].n_loop * sizeof(int64_t));
    }
    return bytes;
}

static bool fill(const knk_kernel *k, knh_facts *f)
{
    knh_stage_facts *stage = knx_arena_zero(&f->arena, (size_t)(k->n_stage + 1) * sizeof *stage);
    f->n_stage = k->n_stage;
    f->operations = knk_cost(k);
    f->stage = stage;
    for (int s = 0; stage && s < k->n_stage; s++) {
        if (!stage_facts(k, f, s, &stage[s]))
            return false;
        f->max_streams = stage[s].n_stream > f->max_streams ? stage[s].n_stream : f->max_streams;
        f->max_axes = k->n_par + k->stage[s].n_inner > f->max_axes ? k->n_par + k->stage[s].n_inner : f->max_axes;
    }
    f->turns = stage ? turns_between(k, stage) : 0;
    size_t at = 0, args = 0;
    for (int s = 0; stage && s < k->n_stage; s++) {
        size_t mine = knh_args_bytes(stage[s].n_stream, stage[s].n_loop);
        args = mine > args ? mine : args;
    }
    f->args_at = at;
    at += knx_whole_lines(args);
    f->index_at = at;
    at += knx_whole_lines((size_t)(2 * f->max_streams + 5 * (f->max_axes + 2)) * sizeof(int64_t));
    if (!stage || !place_values(k, f, stage, &at))
        return false;
    size_t areas = place_areas(f, stage, at), tiles = tile_bytes(k, stage);
    f->tiles_at = at; /* a stage with tiles has no reduction */
    f->part_bytes = knx_whole_lines(areas > at + tiles ? areas : at + tiles);
    f->plan_bytes = knx_whole_lines(plan_bytes(k, stage));
    return true;
}

knh_facts *knh_make_facts(const knk_kernel *k)
{
    knh_facts *f = knx_alloc_zero(sizeof *f);
    if (f && !fill(k, f)) {
        knx_arena_free(&f->arena);
        knx_free(f);
        return NULL;
    }
    return f;
}
