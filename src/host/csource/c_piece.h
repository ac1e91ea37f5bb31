/* SPDX-License-Identifier: Apache-2.0
 * c_piece.h -- a stage on its way to C: what is known about its nodes beyond knh_order, and their text. */
#ifndef KN_HOST_CSOURCE_C_PIECE_H
#define KN_HOST_CSOURCE_C_PIECE_H
#include "host/csource/c_helpers.h"
#include "host/stage/order.h"

typedef struct knh_c_stage {
    knh_order o; /* its arena holds what follows, too */
    knh_c_unit *u;
    knx_str *t;
    const char *name;
    int lanes;
    uint8_t *param;          /* per node: uniform and used by the piece */
    int32_t *block, *parent; /* per node, per item + 1: the `if` that it lies in, as its item + 1; 0: none */
} knh_c_stage;

/* Makes s->o and what follows from it; the caller frees s->o, after an error, too. */
knx_error *knh_c_analyse(knh_c_stage *s, const knh_request *r);
void knh_c_uniform(knh_c_stage *s); /* the values that a row has once */
void knh_c_imports(knh_c_stage *s, bool uniform);
void knh_c_items(knh_c_stage *s); /* the others, stores, exports and reductions */

/* c_source.c */
void knh_c_put(knh_c_stage *s, int stream, knk_node x); /* a store into a stream */
void knh_c_reduce(knh_c_stage *s, knk_node x);          /* joins the lanes' elements with their accumulators */

/* Words of the text. */
void knh_c_call(knh_c_stage *s, const char *helper, int dtype); /* "NAME_DTYPE_LANES(" */
void knh_c_type(knh_c_stage *s, int dtype);
void knh_c_value(knh_c_stage *s, knk_node x);
void knh_c_constant(knh_c_stage *s, int dtype, uint64_t bits);
void knh_c_address(knh_c_stage *s, int stream); /* of lane 0 */
void knh_c_step(knh_c_stage *s, int stream);    /* from lane to lane */
#endif
