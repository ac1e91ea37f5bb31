/* SPDX-License-Identifier: Apache-2.0
 * builder.h -- what a kernel is while it is built: build.c makes nodes, build_loops.c knows where in loops they lie
 * and brings them into order at the end. */
#ifndef KN_KERNEL_BUILDER_H
#define KN_KERNEL_BUILDER_H
#include "kernel/internal.h"

typedef struct knk_build_loop {
    int stage, number, parent, depth; /* parent: index of a loop, or NO_LOOP; depth: 1 for outermost ones */
    knk_node begin, test, end;        /* its LOOP, WHILE and END; KNK_NONE: not yet */
} knk_build_loop;

/* Where a node lies: the innermost loop that it depends on. NEXT: the loop's; of LAST and of stores: where they were
 * built. */
typedef struct knk_home {
    int32_t loop;
    knk_node next; /* CARRY: its NEXT */
} knk_home;

enum { KNK_NO_LOOP = -1, KNK_NO_HOME = -2 };

struct knk_builder {
    knx_error *error;
    int n_par;
    bool no_doubles;
    KN_VEC(knk_inst) node;
    KN_VEC(knk_home) place; /* per node */
    KN_VEC(knk_stage) stage;
    KN_VEC(knk_buffer) buffer;
    KN_VEC(knk_map) map;
    KN_VEC(knk_build_loop) loop; /* of all stages */
    int open;                    /* the innermost open loop */
    int first_loop;              /* of the newest stage */
    knk_node *table;             /* open addressing; node + 1, 0: empty */
    size_t table_size;
};

knk_node knk_no_memory(knk_builder *k);
/* Where a node belongs that is to be added now: a loop, KNK_NO_LOOP, or KNK_NO_HOME after an error. */
int knk_home_of(knk_builder *k, const knk_inst *n);
/* What the builder's loops must know about a node that was just added. */
bool knk_homed(knk_builder *k, knk_node x);

/* The order of a kernel's nodes. */
typedef struct knk_order {
    knk_node *node;    /* builder's numbers, in the new order */
    knk_node *number;  /* per node of the builder: its new number, KNK_NONE if it is gone */
    int *loop_number;  /* per loop of the builder: its new number in its stage, KNK_NO_LOOP if it is gone */
    int *end, *n_loop; /* per stage */
    int n;
    void *memory;
} knk_order;
knx_error *knk_order_nodes(const knk_builder *k, knk_order *o);
#endif
