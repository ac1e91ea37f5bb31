/* SPDX-License-Identifier: Apache-2.0
 * order.c -- what is known about the nodes of a stage, and the order in which they are worked out. */
#include "host/stage/order.h"
#include "kernel/internal.h"
#include <string.h>

enum { MAX_COLD_DEPTH = 8 };

typedef struct region { /* the yes sides of the cold selects of one predicate in one loop */
    knk_node pred;
    int parent, loop;
} region;
typedef struct work {
    knh_order *o;
    int32_t *region; /* per node */
    region *regions; /* from 1 on; 0: what is always done */
    int n_region;
    uint8_t *placed;
} work;

static const knk_inst *node(const knh_order *o, knk_node x) { return &o->k->node[x]; }
static bool is_cold(const knk_inst *n) { return n->op == KNK_SELECT && n->sub == 1; }
bool knh_order_is_own(const knh_order *o, knk_node x) { return x >= o->first && x < o->end; }

bool knh_order_is_export(const knh_order *o, knk_node x)
{
    return node(o, x)->op != KNK_REDUCE && knh_order_stream_of(o, KNH_EXPORT, x) >= 0;
}

int knh_order_stream(const knh_order *o, const knk_inst *n)
{
    bool number = n->op == KNK_INDEX;
    return knh_stream_of(o->stream, o->n_stream, number ? KNH_NUMBER : KNH_MEMORY, number ? -1 : n->buffer, n->map,
                         KNK_NONE);
}

int knh_order_stream_of(const knh_order *o, knh_stream_kind kind, knk_node x)
{
    return knh_stream_of(o->stream, o->n_stream, kind, -1, -1, x);
}

bool knh_order_moves(const knh_order *o, int stream, int loop)
{
    const knh_stream *m = &o->stream[stream];
    return (m->kind == KNH_MEMORY || m->kind == KNH_NUMBER) && o->used_piece[stream] &&
           o->k->map[m->map].cls[o->k->n_par + loop] != KNK_STRIDE_ZERO;
}

/* Always done: it writes something, or steers a loop. */
static bool acts(const knh_order *o, knk_node x)
{
    int op = node(o, x)->op;
    return op == KNK_STORE || op == KNK_REDUCE || knk_is_loop_op(op) || knh_order_is_export(o, x);
}

static void find_loops(knh_order *o)
{
    int open = KNH_NO_LOOP;
    o->n_loop = o->k->stage[o->r->stage].n_loop;
    for (int i = o->first; i < o->end; i++) {
        const knk_inst *n = node(o, i);
        if (n->op == KNK_LOOP) {
            o->parent[n->sub] = (uint8_t)open;
            open = n->sub;
        }
        if (n->op == KNK_WHILE)
            o->tested |= (uint64_t)1 << n->sub;
        o->loop[i] = (uint8_t)open;
        if (n->op == KNK_END)
            open = o->parent[n->sub];
    }
}

static void find_live(knh_order *o)
{
    for (int i = o->end - 1; i >= o->first; i--) {
        const knk_inst *n = node(o, i);
        o->live[i] |= acts(o, i);
        for (int j = 0; o->live[i] && j < 3; j++)
            if (knk_operand(n, j) >= 0)
                o->live[knk_operand(n, j)] = 1;
    }
}

/* ---- Regions. */

static int depth_of(const work *w, int r)
{
    int depth = 0;
    for (; r; r = w->regions[r].parent)
        depth++;
    return depth;
}

static int common(const work *w, int a, int b)
{
    while (a != b) {
        if (depth_of(w, a) >= depth_of(w, b))
            a = w->regions[a].parent;
        else
            b = w->regions[b].parent;
    }
    return a;
}

/* The region of the yes side of a cold select that lies in region `mine`: one for all selects with its predicate. */
static int cold_region(work *w, const knk_inst *n, int loop, int mine, bool *moved)
{
    int r = 1;
    if (depth_of(w, mine) >= MAX_COLD_DEPTH)
        return mine;
    while (r <= w->n_region && (w->regions[r].pred != n->a || w->regions[r].loop != loop))
        r++;
    if (r > w->n_region) {
        w->n_region = r;
        w->regions[r] = (region){n->a, mine, loop};
    }
    int parent = common(w, w->regions[r].parent, mine);
    *moved |= parent != w->regions[r].parent;
    w->regions[r].parent = parent;
    return parent == mine ? r : mine;
}

/* From users to operands: a node lies in the innermost region that holds all its users. A loop runs in every case, and
 * so does what it needs of what lies around it. */
static bool sweep_regions(work *w)
{
    knh_order *o = w->o;
    bool moved = false;
    for (int i = o->first; i < o->end; i++)
        w->region[i] = -1;
    for (int i = o->end - 1; i >= o->first; i--) {
        const knk_inst *n = node(o, i);
        if (!o->live[i])
            continue;
        if (w->region[i] < 0 || acts(o, i) || (w->region[i] && w->regions[w->region[i]].loop != o->loop[i]))
            w->region[i] = 0;
        int mine = w->region[i], inner = is_cold(n) ? cold_region(w, n, o->loop[i], mine, &moved) : mine;
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(n, j);
            int where = j == 1 ? inner : mine;
            if (x >= 0 && knh_order_is_own(o, x))
                w->region[x] = w->region[x] < 0 ? where : common(w, w->region[x], where);
        }
    }
    return moved;
}

static void find_regions(work *w)
{
    for (int tries = 0; sweep_regions(w); tries++)
        if (tries == 16) {
            for (int i = w->o->first; i < w->o->end; i++)
                w->region[i] = 0;
            w->n_region = 0;
            return;
        }
}

/* ---- Uniform values, and which streams the row and the piece need. */

bool knh_order_is_uniform(const knh_order *o, knk_node x)
{
    if (x < 0 || node(o, x)->op == KNK_CONST)
        return true;
    return knh_order_is_own(o, x) ? o->uniform[x] : o->r->cls[knh_order_stream_of(o, KNH_IMPORT, x)] == KNK_STRIDE_ZERO;
}

static void find_uniform(const work *w)
{
    knh_order *o = w->o;
    for (int i = o->first; i < o->end; i++) {
        const knk_inst *n = node(o, i);
        bool all = o->live[i] && w->region[i] == 0 && n->op != KNK_STORE && n->op != KNK_REDUCE && !is_cold(n) &&
                   o->loop[i] == KNH_NO_LOOP && !knk_is_loop_op(n->op);
        if (all && (n->op == KNK_LOAD || n->op == KNK_INDEX))
            all = o->r->cls[knh_order_stream(o, n)] == KNK_STRIDE_ZERO;
        for (int j = 0; j < 3; j++)
            all = all && knh_order_is_uniform(o, knk_operand(n, j));
        o->uniform[i] = all;
    }
}

static void find_uses(knh_order *o)
{
    for (int i = o->first; i < o->end; i++) {
        const knk_inst *n = node(o, i);
        if (!o->live[i] || n->op == KNK_CONST)
            continue;
        if (n->op == KNK_LOAD || n->op == KNK_STORE || n->op == KNK_INDEX)
            (o->uniform[i] ? o->used_row : o->used_piece)[knh_order_stream(o, n)] = 1;
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(n, j);
            if (x < 0 || node(o, x)->op == KNK_CONST || knh_order_is_own(o, x))
                continue;
            (knh_order_is_uniform(o, x) ? o->used_row : o->used_piece)[knh_order_stream_of(o, KNH_IMPORT, x)] = 1;
        }
        if (knh_order_is_export(o, i))
            o->used_piece[knh_order_stream_of(o, KNH_EXPORT, i)] = 1;
        if (n->op == KNK_REDUCE)
            (o->r->mode == KNH_COLUMNS
                 ? o->used_piece
                 : o->used_row)[knh_order_stream_of(o, o->r->mode == KNH_ROWS ? KNH_EXPORT : KNH_PARTIAL, i)] = 1;
    }
}

/* ---- The list. */

static void put(work *w, knh_doing what, knk_node x) { w->o->item[w->o->n_item++] = (knh_item){(uint8_t)what, x}; }

static void place_region(work *w, int r, int to);

/* What region r works out before node x, between IF and FI; nothing at all if that is nothing. */
static void place_block(work *w, int r, knk_node x)
{
    int start = w->o->n_item;
    put(w, KNH_DO_IF, w->regions[r].pred);
    place_region(w, r, x);
    if (w->o->n_item == start + 1)
        w->o->n_item = start;
    else
        put(w, KNH_DO_FI, w->regions[r].pred);
}

static void place_loop_node(work *w, knk_node x)
{
    const knh_order *o = w->o;
    int op = node(o, x)->op;
    if (op == KNK_CARRY || w->placed[x])
        return;
    put(w,
        op == KNK_LOOP    ? KNH_DO_LOOP
        : op == KNK_WHILE ? KNH_DO_WHILE
        : op == KNK_NEXT  ? KNH_DO_NEXT
                          : KNH_DO_END,
        x);
    w->placed[x] = 1;
    for (int i = x; op == KNK_NEXT && node(o, i)->op == KNK_NEXT; i++)
        w->placed[i] = 1;
}

static void place_region(work *w, int r, int to)
{
    const knh_order *o = w->o;
    for (int i = o->first; i < to; i++) {
        const knk_inst *n = node(o, i);
        if (!o->live[i] || w->placed[i] || w->region[i] != r || o->uniform[i] || n->op == KNK_CONST ||
            n->op == KNK_REDUCE || (n->op == KNK_STORE && o->loop[i] == KNH_NO_LOOP))
            continue;
        if (knk_is_loop_op(n->op) && n->op != KNK_LAST) {
            place_loop_node(w, i);
            continue;
        }
        for (int inner = 1; is_cold(n) && inner <= w->n_region; inner++)
            if (w->regions[inner].pred == n->a && w->regions[inner].parent == r &&
                w->regions[inner].loop == o->loop[i]) {
                place_block(w, inner, i);
                break;
            }
        put(w, n->op == KNK_STORE ? KNH_DO_STORE : KNH_DO_NODE, i);
        w->placed[i] = 1;
    }
}

static void place_ends(work *w)
{
    const knh_order *o = w->o;
    for (int i = o->first; i < o->end; i++) {
        if (node(o, i)->op == KNK_REDUCE)
            put(w, KNH_DO_REDUCE, i);
        if (node(o, i)->op == KNK_STORE && o->loop[i] == KNH_NO_LOOP)
            put(w, KNH_DO_STORE, i);
        if (knh_order_is_export(o, i))
            put(w, KNH_DO_EXPORT, i);
    }
}

static bool allocate(knh_order *o, work *w)
{
    size_t n = (size_t)o->k->n_node + 1, own = (size_t)(o->end - o->first);
    uint8_t *bytes = knx_arena_zero(&o->arena, 4 * n + 2 * KNH_MAX_STREAMS);
    w->region = knx_arena_zero(&o->arena, n * sizeof *w->region);
    w->regions = knx_arena_zero(&o->arena, (n + 1) * sizeof *w->regions);
    o->stream = knx_arena_zero(&o->arena, KNH_MAX_STREAMS * sizeof *o->stream);
    o->item = knx_arena_zero(&o->arena, (4 * own + 4) * sizeof *o->item); /* a node, its region's ends, its export */
    if (!bytes || !w->region || !w->regions || !o->stream || !o->item)
        return false;
    o->live = bytes;
    o->uniform = bytes + n;
    w->placed = bytes + 2 * n;
    o->loop = bytes + 3 * n;
    o->used_row = bytes + 4 * n;
    o->used_piece = o->used_row + KNH_MAX_STREAMS;
    return true;
}

knx_error *knh_order_make(const knh_request *r, knh_order *o)
{
    const knk_stage *st = &r->kernel->stage[r->stage];
    work w = {.o = o};
    *o = (knh_order){.r = r, .k = r->kernel, .first = st->first, .end = st->end, .arena = KN_ARENA_INIT};
    if (!allocate(o, &w))
        return knx_error_nomem();
    if ((o->n_stream = knh_streams(r->kernel, r->stage, r->mode, o->stream)) < 0)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the stage has more than %d streams", KNH_MAX_STREAMS);
    find_loops(o);
    find_live(o);
    find_regions(&w);
    find_uniform(&w);
    find_uses(o);
    place_region(&w, 0, o->end);
    place_ends(&w);
    return NULL;
}

void knh_order_free(knh_order *o) { knx_arena_free(&o->arena); }
