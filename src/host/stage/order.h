/* SPDX-License-Identifier: Apache-2.0
 * order.h -- a stage as a list of things to do, for generators that write structured code and leave registers to
 * somebody else (C source, WebAssembly): what is worked out once per row, and what for each piece of lanes, with what
 * only a cold select needs between an IF and its FI. */
#ifndef KN_HOST_STAGE_ORDER_H
#define KN_HOST_STAGE_ORDER_H
#include "host/stage/stage.h"

typedef enum knh_doing {
    KNH_DO_NODE,  /* the value of a node, loads included */
    KNH_DO_STORE, /* a STORE node */
    KNH_DO_EXPORT,
    KNH_DO_REDUCE, /* of a node's value; behind everything else */
    KNH_DO_IF,     /* what follows is needed where some lane of the value `node` is true */
    KNH_DO_FI,
    KNH_DO_LOOP, /* a LOOP node; its carries follow it in the kernel and are not listed */
    KNH_DO_WHILE,
    KNH_DO_NEXT, /* the first NEXT of a run of them; the others are not listed */
    KNH_DO_END
} knh_doing;
typedef struct knh_item {
    uint8_t what; /* knh_doing */
    knk_node node;
} knh_item;

enum { KNH_NO_LOOP = 255 };
typedef struct knh_order {
    const knh_request *r;
    const knk_kernel *k;
    int first, end, n_stream, n_loop;
    knh_stream *stream;
    uint8_t *live, *uniform;        /* per node: needed; the same for all lanes, once per row */
    uint8_t *used_row, *used_piece; /* per stream: by uniform nodes, by others */
    uint8_t *loop;                  /* per node: the loop that it lies in, or KNH_NO_LOOP */
    uint8_t parent[KNK_MAX_LOOPS];  /* per loop, likewise */
    uint64_t tested;                /* loops with a WHILE, a bit each */
    knh_item *item;                 /* for each piece; uniform nodes come before it, in the order of their numbers */
    int n_item;
    knx_arena arena;
} knh_order;

/* NotImplementedError: more streams than there may be. */
knx_error *knh_order_make(const knh_request *r, knh_order *out);
void knh_order_free(knh_order *o);
int knh_order_stream(const knh_order *o, const knk_inst *n); /* of a load, store or index */
int knh_order_stream_of(const knh_order *o, knh_stream_kind kind, knk_node x);
bool knh_order_is_own(const knh_order *o, knk_node x);
bool knh_order_is_export(const knh_order *o, knk_node x);
/* The same for all lanes: a constant, an operand that another stage left one of per row, a node of such operands. */
bool knh_order_is_uniform(const knh_order *o, knk_node x);
/* Does a turn of the loop move the stream? */
bool knh_order_moves(const knh_order *o, int stream, int loop);
#endif
