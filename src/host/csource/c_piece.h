/* SPDX-License-Identifier: Apache-2.0
 * c_piece.h -- a stage on its way to C: what is known about its nodes, and their text. */
#ifndef KN_HOST_CSOURCE_C_PIECE_H
#define KN_HOST_CSOURCE_C_PIECE_H
#include "host/csource/c_helpers.h"
#include "host/stage/stage.h"

typedef struct knh_c_region { /* the yes sides of the cold selects of one predicate in one loop */
    knk_node pred;
    int parent, loop;
} knh_c_region;
typedef struct knh_c_block { /* one `if` of the text */
    int parent, nodes;
} knh_c_block;

typedef struct knh_c_stage {
    knh_c_unit *u;
    knx_str *t;
    const knh_request *r;
    const knk_kernel *k;
    const char *name;
    int first, end, lanes, n_stream;
    knh_stream *stream;
    uint8_t *used_row, *used_piece;  /* per stream */
    uint8_t *live, *uniform, *param; /* per node: needed; once per row; uniform and used by the piece */
    int32_t *region, *block;         /* per node */
    uint8_t *placed;
    knh_c_region *regions;
    knh_c_block *blocks;
    int n_region, n_block, at_block;
    bool dry; /* nothing is written */
    int n_loop;
    uint8_t *loop, parent[KNK_MAX_LOOPS]; /* per node, per loop: the loop that it lies in */
    uint64_t tested;                      /* loops with a condition, a bit each */
} knh_c_stage;

void knh_c_analyse(knh_c_stage *s);
void knh_c_uniform(knh_c_stage *s); /* the values that a row has once */
void knh_c_imports(knh_c_stage *s, bool uniform);
void knh_c_nodes(knh_c_stage *s); /* the others, but for stores, exports and reductions */

void knh_c_put(knh_c_stage *s, int stream, knk_node x); /* c_source.c: a store into a stream */

/* Words of the text. */
void knh_c_call(knh_c_stage *s, const char *helper, int dtype); /* "NAME_DTYPE_LANES(" */
void knh_c_type(knh_c_stage *s, int dtype);
void knh_c_value(knh_c_stage *s, knk_node x);
void knh_c_constant(knh_c_stage *s, int dtype, uint64_t bits);
void knh_c_address(knh_c_stage *s, int stream);            /* of lane 0 */
void knh_c_step(knh_c_stage *s, int stream);               /* from lane to lane */
int knh_c_stream(const knh_c_stage *s, const knk_inst *n); /* of a load, store or index */
int knh_c_stream_of(const knh_c_stage *s, knh_stream_kind kind, knk_node x);
bool knh_c_is_export(const knh_c_stage *s, knk_node x);
bool knh_c_is_uniform(const knh_c_stage *s, knk_node x);
#endif
