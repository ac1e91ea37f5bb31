/* SPDX-License-Identifier: Apache-2.0
 * verify_loops.c -- which loops are legal: how they lie in each other, what stands where in them, and which nodes may
 * use what. */
#include "kernel/internal.h"

enum { NO_LOOP = 255, EARLIER = 254 }; /* EARLIER: a loop of an earlier stage */

typedef struct loop_state {
    uint8_t parent, depth;
    bool open, tested;    /* tested: it has a WHILE, or lies in a loop that has one */
    bool has_while, past; /* past: its carries are complete */
    int carries, nexts;
} loop_state;

typedef struct checker {
    const knk_kernel *k;
    uint8_t *loop;  /* per node: the innermost loop that it lies in; a LAST: the loop around its loop */
    uint8_t *given; /* per node: a carry that has its next value */
    loop_state at[KNK_MAX_LOOPS];
    int n, open; /* loops that have begun; the innermost open one */
} checker;

static bool is_open(const checker *c, int loop)
{
    return loop == NO_LOOP || (loop < KNK_MAX_LOOPS && c->at[loop].open);
}

static const char *begin_error(checker *c, const knk_inst *n, int stage)
{
    const knk_stage *st = &c->k->stage[stage];
    int depth = c->open == NO_LOOP ? 1 : c->at[c->open].depth + 1;
    if (st->n_inner)
        return "a stage with inner extents has no loops";
    if (c->n >= st->n_loop)
        return "the stage has more loops than it says";
    if (depth > KNK_MAX_NESTED)
        return "too many loops in each other";
    if (n->sub != c->n)
        return "loops must be numbered in order";
    c->at[c->n] = (loop_state){.parent = (uint8_t)c->open, .depth = (uint8_t)depth, .open = true};
    c->open = c->n++;
    return NULL;
}

static const char *carry_error(checker *c, const knk_inst *n)
{
    loop_state *l = &c->at[c->open];
    if (l->past)
        return "the carries of a loop come first";
    l->carries++;
    return c->loop[n->a] == c->open ? "the first value lies in the loop" : NULL;
}

static const char *while_error(checker *c)
{
    loop_state *l = &c->at[c->open];
    if (l->has_while)
        return "the loop has a condition already";
    l->has_while = true;
    return NULL;
}

static const char *next_error(checker *c, const knk_inst *n)
{
    if (c->k->node[n->a].op != KNK_CARRY)
        return "the first operand must be a carry";
    if (c->k->node[n->a].sub != c->open)
        return "the carry belongs to another loop";
    if (c->given[n->a])
        return "the carry has a next value already";
    c->given[n->a] = 1;
    c->at[c->open].nexts++;
    return NULL;
}

static const char *end_error(checker *c)
{
    loop_state *l = &c->at[c->open];
    if (l->nexts != l->carries)
        return "a carry of the loop has no next value";
    l->open = false;
    c->open = l->parent;
    return NULL;
}

static const char *last_error(const checker *c, const knk_inst *n, int stage)
{
    const knk_inst *carry = &c->k->node[n->a];
    if (carry->op != KNK_CARRY)
        return "the operand must be a carry";
    if (carry->stage != stage || carry->sub != n->sub)
        return "the carry belongs to another loop";
    if (c->at[n->sub].open)
        return "the loop of the carry has not ended";
    return c->at[n->sub].parent == c->open ? NULL : "it does not stand beside its loop";
}

/* Operands lie in loops that are open. */
static const char *scope_error(const checker *c, const knk_inst *n)
{
    for (int j = 0; j < 3; j++)
        if (knk_operand(n, j) >= 0 && !is_open(c, c->loop[knk_operand(n, j)]))
            return "an operand lies in a loop that has ended";
    return NULL;
}

static const char *part_error(checker *c, const knk_inst *n, int stage)
{
    if (n->op == KNK_LOOP)
        return begin_error(c, n, stage);
    if (n->op == KNK_LAST)
        return last_error(c, n, stage);
    if (c->open == NO_LOOP)
        return "no loop is open";
    if (n->sub != c->open)
        return "another loop is open";
    const char *why = scope_error(c, n);
    if (why)
        return why;
    return n->op == KNK_CARRY   ? carry_error(c, n)
           : n->op == KNK_WHILE ? while_error(c)
           : n->op == KNK_NEXT  ? next_error(c, n)
                                : end_error(c);
}

/* Between the NEXTs of a loop and its END stands nothing; after its first other node it has no more carries. */
static const char *order_error(checker *c, const knk_inst *n)
{
    if (c->open == NO_LOOP || n->op == KNK_CARRY)
        return NULL;
    c->at[c->open].past = true;
    return c->at[c->open].nexts && n->op != KNK_NEXT && n->op != KNK_END ? "only the end may follow a next value"
                                                                         : NULL;
}

/* The loops that a map moves with are open ones. */
static const char *map_error(const checker *c, const knk_inst *n)
{
    const knk_map *m = &c->k->map[n->map];
    const knk_stage *st = &c->k->stage[m->stage];
    for (int l = 0; l < st->n_loop; l++)
        if (m->cls[c->k->n_par + l] != KNK_STRIDE_ZERO && (l >= c->n || !c->at[l].open))
            return "its map moves with a loop that it does not lie in";
    return NULL;
}

static const char *node_error(checker *c, int i, int stage)
{
    const knk_inst *n = &c->k->node[i];
    const char *why = order_error(c, n);
    if (why)
        return why;
    if (knk_is_loop_op(n->op)) {
        why = part_error(c, n, stage);
        c->loop[i] = (uint8_t)c->open; /* END: the loop around it, as if it came after it */
        return why;
    }
    c->loop[i] = n->op == KNK_CONST ? NO_LOOP : (uint8_t)c->open;
    why = scope_error(c, n);
    return why || n->map < 0 ? why : map_error(c, n);
}

/* What only the whole stage tells: loads and stores in loops with a condition. */
static const char *memory_error(const checker *c, int i)
{
    const knk_inst *n = &c->k->node[i];
    if ((n->op != KNK_LOAD && n->op != KNK_STORE) || c->loop[i] == NO_LOOP || !c->at[c->loop[i]].tested)
        return NULL;
    if (n->op == KNK_STORE)
        return "a store in a loop with a condition";
    for (int l = 0; l < c->n; l++)
        if (c->at[l].tested && c->k->map[n->map].cls[c->k->n_par + l] != KNK_STRIDE_ZERO)
            return "its map moves with a loop that has a condition, or lies in one";
    return NULL;
}

static knx_error *wrong(const checker *c, int i, const char *why)
{
    return knx_error_new(KN_ERROR_VALUE, "kernel: node %%%d (%s): %s", i, knk_op_table[c->k->node[i].op].name, why);
}

static knx_error *stage_error(checker *c, int s)
{
    const knk_stage *st = &c->k->stage[s];
    c->n = 0;
    c->open = NO_LOOP;
    for (int i = st->first; i < st->end; i++) {
        const char *why = node_error(c, i, s);
        if (why)
            return wrong(c, i, why);
    }
    if (c->open != NO_LOOP)
        return knx_error_new(KN_ERROR_VALUE, "kernel: loop %d of stage %d has no end", c->open, s);
    if (c->n != st->n_loop)
        return knx_error_new(KN_ERROR_VALUE, "kernel: stage %d has %d loops, not %d", s, c->n, st->n_loop);
    for (int l = 0; l < c->n; l++)
        c->at[l].tested = c->at[l].has_while || (c->at[l].parent != NO_LOOP && c->at[c->at[l].parent].tested);
    for (int i = st->first; i < st->end; i++) {
        const char *why = memory_error(c, i);
        if (why)
            return wrong(c, i, why);
    }
    for (int i = st->first; i < st->end; i++)
        if (c->loop[i] != NO_LOOP)
            c->loop[i] = EARLIER;
    return NULL;
}

knx_error *knk_verify_loops(const knk_kernel *k)
{
    bool any = false;
    for (int s = 0; s < k->n_stage; s++)
        any |= k->stage[s].n_loop > 0;
    for (int i = 0; i < k->n_node; i++)
        any |= knk_is_loop_op(k->node[i].op);
    if (!any)
        return NULL;
    size_t n = (size_t)k->n_node + 1;
    checker c = {.k = k, .loop = knx_alloc_zero(2 * n)};
    if (!c.loop)
        return knx_error_nomem();
    c.given = c.loop + n;
    knx_error *error = NULL;
    for (int s = 0; s < k->n_stage && !error; s++)
        error = stage_error(&c, s);
    knx_free(c.loop);
    return error;
}
