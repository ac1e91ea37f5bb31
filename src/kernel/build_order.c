/* SPDX-License-Identifier: Apache-2.0
 * build_order.c -- the order of a finished kernel's nodes, without those that no store needs.
 *
 * Without loops it is the order in which nodes were built. A loop is one piece, from LOOP to END, which stands where
 * its END was built; what was hoisted out of it was built before that. In a loop: carries, what the condition needs,
 * WHILE, the rest, stores, NEXTs. In a stage with loops the stores outside of them come last. */
#include "kernel/builder.h"
#include <string.h>

typedef struct order {
    const knk_builder *k;
    knk_order *o;
    int first_loop, n_loop; /* of the stage, in the builder's numbers */
    knk_node *item;         /* what lies in each loop itself, in the order of building; an END is its whole loop */
    int *from;     /* per loop of the stage, shifted by one: where its items begin; the stage's own are first */
    uint8_t *need; /* per node: the condition of the loop that it lies in needs it */
} order;

static const knk_inst *node(const order *o, knk_node x) { return &o->k->node.at[x]; }
static const knk_build_loop *loop_at(const order *o, int loop) { return &o->k->loop.at[loop]; }
static bool lives(const order *o, knk_node x) { return o->o->number[x] >= 0; }
static void put(order *o, knk_node x) { o->o->node[o->o->n++] = x; }

/* What is needed. */

static void mark(knk_node *stack, int *n, knk_node *number, knk_node x)
{
    if (x >= 0 && number[x] < 0) {
        number[x] = 0;
        stack[(*n)++] = x;
    }
}

/* number[x] = 0 for what stores need: a carry needs its next value, a node its loop. */
static void mark_live(const knk_builder *k, knk_node *number, knk_node *stack)
{
    int n = 0;
    for (size_t i = 0; i < k->node.n; i++)
        number[i] = KNK_NONE;
    for (int i = 0; i < (int)k->node.n; i++) {
        if (k->node.at[i].op == KNK_STORE)
            mark(stack, &n, number, i);
        while (n) {
            knk_node x = stack[--n];
            for (int j = 0; j < 3; j++)
                mark(stack, &n, number, knk_operand(&k->node.at[x], j));
            mark(stack, &n, number, k->place.at[x].next);
            for (int l = k->place.at[x].loop; l != KNK_NO_LOOP; l = k->loop.at[l].parent) {
                mark(stack, &n, number, k->loop.at[l].begin);
                mark(stack, &n, number, k->loop.at[l].test);
                mark(stack, &n, number, k->loop.at[l].end);
            }
        }
    }
}

/* The stage's nodes by the loop that they lie in. */

static int owner(const order *o, knk_node x)
{
    int op = node(o, x)->op, loop = o->k->place.at[x].loop;
    if (!lives(o, x) || op == KNK_LOOP || op == KNK_WHILE || op == KNK_NEXT)
        return KNK_NO_HOME;
    return op == KNK_END ? loop_at(o, loop)->parent : loop;
}

static int row_of(const order *o, int loop) { return loop == KNK_NO_LOOP ? 0 : loop - o->first_loop + 1; }

static void sort_items(order *o, const knk_stage *st)
{
    int rows = o->n_loop + 1, at = 0;
    memset(o->from, 0, (size_t)(rows + 1) * sizeof *o->from);
    for (int i = st->first; i < st->end; i++)
        if (owner(o, i) != KNK_NO_HOME)
            o->from[row_of(o, owner(o, i))]++;
    for (int r = 0; r <= rows; r++) {
        int count = o->from[r];
        o->from[r] = at;
        at += count;
    }
    for (int i = st->first; i < st->end; i++)
        if (owner(o, i) != KNK_NO_HOME)
            o->item[o->from[row_of(o, owner(o, i))]++] = i;
    for (int r = rows; r > 0; r--)
        o->from[r] = o->from[r - 1];
    o->from[0] = 0;
}

/* What the condition of a loop needs of what lies in it. */

static void need(order *o, int loop, knk_node x)
{
    if (x < 0 || o->k->place.at[x].loop != loop)
        return;
    o->need[x] = 1;
    if (node(o, x)->op == KNK_LAST) /* its loop as a whole */
        o->need[loop_at(o, o->k->place.at[node(o, x)->a].loop)->end] = 1;
}

static bool lies_in(const order *o, knk_node x, int loop)
{
    int l = o->k->place.at[x].loop;
    while (l != KNK_NO_LOOP && l != loop)
        l = loop_at(o, l)->parent;
    return l == loop;
}

static void need_operands(order *o, int loop, knk_node x)
{
    for (int j = 0; j < 3; j++)
        need(o, loop, knk_operand(node(o, x), j));
}

static void find_needed(order *o, int loop)
{
    int row = row_of(o, loop);
    need_operands(o, loop, loop_at(o, loop)->test);
    for (int i = o->from[row + 1] - 1; i >= o->from[row]; i--) {
        knk_node x = o->item[i];
        if (!o->need[x])
            continue;
        if (node(o, x)->op != KNK_END) {
            need_operands(o, loop, x);
            continue;
        }
        int inner = o->k->place.at[x].loop;
        for (int y = loop_at(o, inner)->begin; y < x; y++)
            if (lives(o, y) && lies_in(o, y, inner))
                need_operands(o, loop, y);
    }
}

/* Writing them down. */

static void put_loop(order *o, int loop);

typedef enum { CARRIES, NEEDED, REST, STORES, NEXTS } part;

static void put_part(order *o, int loop, part which)
{
    int row = row_of(o, loop);
    for (int i = o->from[row]; i < o->from[row + 1]; i++) {
        knk_node x = o->item[i];
        int op = node(o, x)->op;
        if (op == KNK_CARRY) {
            if (which == CARRIES || which == NEXTS)
                put(o, which == CARRIES ? x : o->k->place.at[x].next);
        } else if (op == KNK_STORE) {
            if (which == STORES)
                put(o, x);
        } else if (which == (o->need[x] ? NEEDED : REST)) {
            if (op == KNK_END)
                put_loop(o, o->k->place.at[x].loop);
            else
                put(o, x);
        }
    }
}

/* At most KNK_MAX_NESTED calls deep. */
static void put_loop(order *o, int loop)
{
    const knk_build_loop *l = loop_at(o, loop);
    o->o->loop_number[loop] = o->o->n_loop[l->stage]++;
    put(o, l->begin);
    put_part(o, loop, CARRIES);
    if (l->test != KNK_NONE) {
        find_needed(o, loop);
        put_part(o, loop, NEEDED);
        put(o, l->test);
    }
    put_part(o, loop, REST);
    put_part(o, loop, STORES);
    put_part(o, loop, NEXTS);
    put(o, l->end);
}

static void put_stage(order *o, int s)
{
    const knk_stage *st = &o->k->stage.at[s];
    o->n_loop = st->n_loop;
    if (!o->n_loop) {
        for (int i = st->first; i < st->end; i++)
            if (lives(o, i))
                put(o, i);
    } else {
        sort_items(o, st);
        put_part(o, KNK_NO_LOOP, REST);
        put_part(o, KNK_NO_LOOP, STORES);
        o->first_loop += o->n_loop;
    }
    o->o->end[s] = o->o->n;
}

knx_error *knk_order_nodes(const knk_builder *k, knk_order *to)
{
    size_t n = k->node.n + 1, stages = k->stage.n + 1, loops = k->loop.n + 1;
    size_t bytes = n * (3 * sizeof(knk_node) + 1) + (2 * stages + loops + KNK_MAX_LOOPS + 3) * sizeof(int);
    char *at = knx_alloc_zero(bytes);
    *to = (knk_order){.memory = at};
    if (!at)
        return knx_error_nomem();
    order o = {.k = k, .o = to};
    to->node = (void *)at, at += n * sizeof *to->node;
    to->number = (void *)at, at += n * sizeof *to->number;
    o.item = (void *)at, at += n * sizeof *o.item;
    to->end = (void *)at, at += stages * sizeof *to->end;
    to->n_loop = (void *)at, at += stages * sizeof *to->n_loop;
    to->loop_number = (void *)at, at += loops * sizeof *to->loop_number;
    o.from = (void *)at, at += (KNK_MAX_LOOPS + 3) * sizeof *o.from;
    o.need = (void *)at;
    mark_live(k, to->number, o.item);
    for (size_t l = 0; l < k->loop.n; l++)
        to->loop_number[l] = KNK_NO_LOOP;
    for (size_t s = 0; s < k->stage.n; s++)
        put_stage(&o, (int)s);
    for (int i = 0; i < to->n; i++)
        to->number[to->node[i]] = i;
    return NULL;
}
