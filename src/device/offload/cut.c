/* SPDX-License-Identifier: Apache-2.0
 * cut.c -- the placement of a program's steps that takes the least time. Each step is on one of two sides, and a value
 * costs what its copy takes if its maker and any of its readers are on different sides: the least sum is a minimal cut
 * between the device (the source) and the host (the sink), which is exact for any program. A value has a node of its
 * own for each direction, so that it goes over once for all readers. Flow: Dinic's algorithm. */
#include "device/offload/offload.h"

typedef struct arc {
    uint32_t to, next;
    int64_t left; /* picoseconds that can still flow */
} arc;
enum { NO_ARC = -1 };
static const int64_t MUCH = INT64_MAX / 4;

typedef struct network {
    uint32_t n_node, source, sink;
    int32_t *first, *at, *level;
    uint32_t *queue;
    KN_VEC(arc) arc;
    bool failed;
} network;

/* An arc that costs so many seconds if `from` is on the device and `to` on the host. */
static void join(network *n, uint32_t from, uint32_t to, int64_t capacity)
{
    arc there = {to, (uint32_t)n->first[from], capacity};
    if (!KN_VEC_PUSH(&n->arc, there)) {
        n->failed = true;
        return;
    }
    n->first[from] = (int32_t)n->arc.n - 1;
    arc back = {from, (uint32_t)n->first[to], 0};
    if (!KN_VEC_PUSH(&n->arc, back))
        n->failed = true;
    else
        n->first[to] = (int32_t)n->arc.n - 1;
}

static int64_t of_seconds(double s) { return s < 1e6 ? (int64_t)(s * 1e12) : MUCH; }

/* ---- Flow. */

static bool find_levels(network *n)
{
    uint32_t begin = 0, end = 0;
    for (uint32_t i = 0; i < n->n_node; i++)
        n->level[i] = -1;
    n->level[n->source] = 0;
    n->queue[end++] = n->source;
    while (begin < end) {
        uint32_t x = n->queue[begin++];
        for (int32_t a = n->first[x]; a != NO_ARC; a = (int32_t)n->arc.at[a].next)
            if (n->arc.at[a].left > 0 && n->level[n->arc.at[a].to] < 0) {
                n->level[n->arc.at[a].to] = n->level[x] + 1;
                n->queue[end++] = n->arc.at[a].to;
            }
    }
    return n->level[n->sink] >= 0;
}

/* One path of the level graph, kept as a stack of arcs in `queue`; how much it took. */
static int64_t augment(network *n)
{
    uint32_t x = n->source, depth = 0;
    while (x != n->sink) {
        int32_t a = n->at[x];
        while (a != NO_ARC && !(n->arc.at[a].left > 0 && n->level[n->arc.at[a].to] == n->level[x] + 1))
            a = (int32_t)n->arc.at[a].next;
        n->at[x] = a;
        if (a != NO_ARC) {
            n->queue[depth++] = (uint32_t)a;
            x = n->arc.at[a].to;
        } else if (depth) { /* a dead end */
            x = n->arc.at[n->queue[--depth] ^ 1].to;
            n->at[x] = (int32_t)n->arc.at[n->at[x]].next;
        } else {
            return 0;
        }
    }
    int64_t least = MUCH;
    for (uint32_t k = 0; k < depth; k++)
        least = n->arc.at[n->queue[k]].left < least ? n->arc.at[n->queue[k]].left : least;
    for (uint32_t k = 0; k < depth; k++) {
        n->arc.at[n->queue[k]].left -= least;
        n->arc.at[n->queue[k] ^ 1].left += least;
    }
    return least;
}

static void flow(network *n)
{
    while (find_levels(n)) {
        for (uint32_t i = 0; i < n->n_node; i++)
            n->at[i] = n->first[i];
        while (augment(n))
            ;
    }
}

/* ---- The program. */

static void add_steps(network *n, const knd_graph *g)
{
    for (uint32_t i = 0; i < g->n_step; i++) {
        join(n, n->source, i, of_seconds(g->seconds[i][0]));
        join(n, i, n->sink, g->refusal[i] ? MUCH : of_seconds(g->seconds[i][1]));
    }
}

static void add_value(network *n, const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, uint32_t v)
{
    const knd_value *x = &g->value[v];
    uint32_t down = g->n_step + 2 * v, up = down + 1, maker = x->maker;
    int has = maker == KNC_NO ? where[x->operand] : KND_HERE | KND_THERE;
    if (maker == KNC_NO && has == (KND_HERE | KND_THERE))
        return;
    if (has & KND_THERE) { /* it may be there alone */
        join(n, maker == KNC_NO ? n->source : maker, down, of_seconds(knd_copy_seconds(c, x->bytes, false)));
        for (uint32_t k = 0; k < x->n_reader; k++)
            join(n, down, g->reader[x->first_reader + k], MUCH);
    }
    if (has & KND_HERE) {
        join(n, up, maker == KNC_NO ? n->sink : maker, of_seconds(knd_copy_seconds(c, x->bytes, true)));
        for (uint32_t k = 0; k < x->n_reader; k++)
            join(n, g->reader[x->first_reader + k], up, MUCH);
    }
}

knx_error *knd_place_steps(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, bool *there)
{
    knx_arena arena = KN_ARENA_INIT;
    network n = {.n_node = g->n_step + 2 * g->n_value + 2};
    n.source = n.n_node - 2;
    n.sink = n.n_node - 1;
    n.first = knx_arena_alloc(&arena, n.n_node * sizeof *n.first);
    n.at = knx_arena_alloc(&arena, n.n_node * sizeof *n.at);
    n.level = knx_arena_alloc(&arena, n.n_node * sizeof *n.level);
    n.queue = knx_arena_alloc(&arena, n.n_node * sizeof *n.queue);
    bool fine = n.first && n.at && n.level && n.queue;
    for (uint32_t i = 0; fine && i < n.n_node; i++)
        n.first[i] = NO_ARC;
    if (fine)
        add_steps(&n, g);
    for (uint32_t v = 0; fine && v < g->n_value; v++)
        add_value(&n, g, c, where, v);
    fine = fine && !n.failed;
    if (fine)
        flow(&n);
    for (uint32_t i = 0; fine && i < g->n_step; i++)
        there[i] = n.level[i] >= 0; /* what the source still reaches */
    KN_VEC_FREE(&n.arc);
    knx_arena_free(&arena);
    return fine ? NULL : knx_error_nomem();
}
