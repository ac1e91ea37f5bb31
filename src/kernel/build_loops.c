/* SPDX-License-Identifier: Apache-2.0
 * build_loops.c -- loops while a kernel is built.
 *
 * A node lies in the innermost loop that one of its operands or its map depends on, wherever it was built; so what does
 * not depend on a loop is outside of it, and equal nodes have equal places. Loads too: no store of an earlier turn
 * changes what they read. */
#include "kernel/builder.h"
#include <string.h>

static const knk_build_loop *loop_at(const knk_builder *k, int loop) { return &k->loop.at[loop]; }
static bool is_open(const knk_builder *k, int loop) { return loop == KNK_NO_LOOP || loop_at(k, loop)->end == KNK_NONE; }
static int depth_of(const knk_builder *k, int loop) { return loop == KNK_NO_LOOP ? 0 : loop_at(k, loop)->depth; }
static const char *name_of(const knk_inst *n) { return knk_op_table[n->op].name; }

static int no_place(knk_builder *k, const knk_inst *n, const char *why)
{
    knk_fail(k, "kernel: %s: %s", name_of(n), why);
    return KNK_NO_HOME;
}

/* The innermost loop for which a map moves. */
static int loop_of_map(knk_builder *k, const knk_inst *n)
{
    int loop = KNK_NO_LOOP;
    if (n->map < 0 || (size_t)n->map >= k->map.n)
        return loop; /* knk_verify says so */
    const knk_map *m = &k->map.at[n->map];
    const knk_stage *st = &k->stage.at[k->stage.n - 1];
    if (m->stage != k->stage.n - 1)
        return loop;
    for (int i = k->n_par + st->n_inner, l = 0; i < KNK_MAX_LOOPS; i++, l++) {
        if (m->cls[i] == KNK_STRIDE_ZERO)
            continue;
        if (l >= st->n_loop || !is_open(k, k->first_loop + l))
            return no_place(k, n, "its map moves with a loop that it does not lie in");
        loop = k->first_loop + l; /* open loops lie in each other: the last one is the innermost */
    }
    return loop;
}

static int place_of_value(knk_builder *k, const knk_inst *n)
{
    int loop = loop_of_map(k, n);
    for (int i = 0; i < knk_op_table[n->op].n_operands && loop != KNK_NO_HOME; i++) {
        knk_node x = knk_operand(n, i);
        if (x < 0)
            continue;
        int of = k->place.at[x].loop;
        if (!is_open(k, of))
            return no_place(k, n, "an operand lies in a loop that has ended");
        if (depth_of(k, of) > depth_of(k, loop))
            loop = of;
    }
    return loop;
}

static int place_of_loop(knk_builder *k, const knk_inst *n)
{
    const knk_stage *st = &k->stage.at[k->stage.n - 1];
    if (st->n_inner)
        return no_place(k, n, "a stage with inner extents has no loops");
    if (k->n_par + st->n_loop >= KNK_MAX_LOOPS) {
        knk_fail(k, "kernel: loop: a stage has at most %d parallel extents and loops", KNK_MAX_LOOPS);
        return KNK_NO_HOME;
    }
    if (depth_of(k, k->open) >= KNK_MAX_NESTED) {
        knk_fail(k, "kernel: loop: more than %d loops in each other", KNK_MAX_NESTED);
        return KNK_NO_HOME;
    }
    return n->sub == st->n_loop ? k->open : no_place(k, n, "loops must be numbered in order");
}

static int place_of_last(knk_builder *k, const knk_inst *n)
{
    const knk_inst *carry = n->a >= 0 ? &k->node.at[n->a] : NULL;
    if (!carry || carry->op != KNK_CARRY)
        return no_place(k, n, "the operand must be a carry");
    const knk_build_loop *l = loop_at(k, k->place.at[n->a].loop);
    if (l->end == KNK_NONE)
        return no_place(k, n, "the loop of the carry has not ended");
    if (l->number != n->sub || l->stage != (int)k->stage.n - 1)
        return no_place(k, n, "the carry belongs to another loop");
    return is_open(k, l->parent) ? l->parent : no_place(k, n, "an operand lies in a loop that has ended");
}

static const char *next_error(const knk_builder *k, const knk_inst *n)
{
    if (n->a < 0 || k->node.at[n->a].op != KNK_CARRY)
        return "the first operand must be a carry";
    if (k->place.at[n->a].loop != k->open)
        return "the carry belongs to another loop";
    return k->place.at[n->a].next == KNK_NONE ? NULL : "the carry has a next value already";
}

static int carry_without_next(const knk_builder *k)
{
    for (int i = loop_at(k, k->open)->begin; i < (int)k->node.n; i++)
        if (k->node.at[i].op == KNK_CARRY && k->place.at[i].loop == k->open && k->place.at[i].next == KNK_NONE)
            return i;
    return KNK_NONE;
}

/* CARRY, WHILE, NEXT, END: parts of the innermost open loop. */
static int place_of_part(knk_builder *k, const knk_inst *n)
{
    if (k->open == KNK_NO_LOOP)
        return no_place(k, n, "no loop is open");
    if (n->sub != loop_at(k, k->open)->number)
        return no_place(k, n, "another loop is open");
    int operands = place_of_value(k, n);
    if (operands == KNK_NO_HOME)
        return KNK_NO_HOME;
    if (n->op == KNK_CARRY && operands == k->open)
        return no_place(k, n, "the first value lies in the loop");
    if (n->op == KNK_WHILE && loop_at(k, k->open)->test != KNK_NONE)
        return no_place(k, n, "the loop has a condition already");
    const char *why = n->op == KNK_NEXT ? next_error(k, n) : NULL;
    if (why)
        return no_place(k, n, why);
    knk_node missing = n->op == KNK_END ? carry_without_next(k) : KNK_NONE;
    if (missing != KNK_NONE) {
        knk_fail(k, "kernel: end: carry %%%d of loop %d has no next value", missing, n->sub);
        return KNK_NO_HOME;
    }
    return k->open;
}

int knk_home_of(knk_builder *k, const knk_inst *n)
{
    switch (n->op) {
    case KNK_LOOP: return place_of_loop(k, n);
    case KNK_LAST: return place_of_last(k, n);
    case KNK_CARRY:
    case KNK_WHILE:
    case KNK_NEXT:
    case KNK_END: return place_of_part(k, n);
    case KNK_STORE: return place_of_value(k, n) == KNK_NO_HOME ? KNK_NO_HOME : k->open;
    default: return place_of_value(k, n);
    }
}

bool knk_homed(knk_builder *k, knk_node x)
{
    const knk_inst *n = &k->node.at[x];
    if (n->op == KNK_LOOP) {
        knk_build_loop l = {.stage = (int)k->stage.n - 1,
                            .number = n->sub,
                            .parent = k->open,
                            .depth = depth_of(k, k->open) + 1,
                            .begin = x,
                            .test = KNK_NONE,
                            .end = KNK_NONE};
        if (!KN_VEC_PUSH(&k->loop, l))
            return false;
        k->stage.at[l.stage].n_loop++;
        k->open = k->place.at[x].loop = (int)k->loop.n - 1;
    } else if (n->op == KNK_WHILE) {
        k->loop.at[k->open].test = x;
    } else if (n->op == KNK_NEXT) {
        k->place.at[n->a].next = x;
    } else if (n->op == KNK_END) {
        k->loop.at[k->open].end = x;
        k->open = loop_at(k, k->open)->parent;
    }
    return true;
}

/* Building. */

static knk_inst part(const knk_builder *k, knk_op op, knk_node a, knk_node b)
{
    return (knk_inst){.op = (uint8_t)op,
                      .dtype = (uint8_t)knk_dtype(k, b >= 0 ? b : a),
                      .sub = (uint8_t)(k && k->open != KNK_NO_LOOP ? loop_at(k, k->open)->number : 0),
                      .buffer = KNK_NONE,
                      .map = KNK_NONE,
                      .a = a,
                      .b = b,
                      .c = KNK_NONE};
}

int knk_loop_begin(knk_builder *k)
{
    if (!k || k->error || !k->stage.n)
        return knk_fail(k, "kernel: loop: outside of a stage"), 0;
    int number = k->stage.at[k->stage.n - 1].n_loop;
    knk_inst n = part(k, KNK_LOOP, KNK_NONE, KNK_NONE);
    n.sub = (uint8_t)number;
    knk_emit(k, n);
    return k->error ? 0 : number;
}

knk_node knk_carry(knk_builder *k, knk_node init) { return knk_emit(k, part(k, KNK_CARRY, init, KNK_NONE)); }
void knk_while(knk_builder *k, knk_node pred) { knk_emit(k, part(k, KNK_WHILE, pred, KNK_NONE)); }
void knk_next(knk_builder *k, knk_node carry, knk_node value) { knk_emit(k, part(k, KNK_NEXT, carry, value)); }
void knk_loop_end(knk_builder *k) { knk_emit(k, part(k, KNK_END, KNK_NONE, KNK_NONE)); }

knk_node knk_last(knk_builder *k, knk_node carry)
{
    knk_inst n = part(k, KNK_LAST, carry, KNK_NONE);
    if (k && carry >= 0 && (size_t)carry < k->node.n)
        n.sub = k->node.at[carry].sub;
    return knk_emit(k, n);
}

int knk_append_map(knk_builder *k, const uint8_t *cls, int n)
{
    if (!k || k->error)
        return 0;
    if (!k->stage.n || k->map.n >= INT16_MAX)
        return knk_fail(k, "kernel: a map outside of a stage, or too many"), 0;
    if (n < 0 || n > KNK_MAX_LOOPS)
        return knk_fail(k, "kernel: a map for %d loops", n), 0;
    knk_map m = {.stage = (uint8_t)(k->stage.n - 1)};
    if (n)
        memcpy(m.cls, cls, (size_t)n);
    if (!KN_VEC_PUSH(&k->map, m))
        return knk_no_memory(k), 0;
    return (int)k->map.n - 1;
}

int knk_add_loop_map(knk_builder *k, const uint8_t *cls)
{
    if (!k || k->error || !k->stage.n)
        return knk_fail(k, "kernel: a map outside of a stage"), 0;
    const knk_stage *st = &k->stage.at[k->stage.n - 1];
    if (st->n_inner)
        return knk_fail(k, "kernel: loop: a stage with inner extents has no loops"), 0;
    return knk_append_map(k, cls, k->n_par + st->n_loop);
}

int knk_stage_loops(const knk_builder *k) { return k && k->stage.n ? k->stage.at[k->stage.n - 1].n_loop : 0; }

bool knk_failed(const knk_builder *k) { return !k || k->error; }
