/* SPDX-License-Identifier: Apache-2.0
 * c_piece.h -- a stage on its way to C: what is known about its nodes, and their text. */
#ifndef KN_HOST_CSOURCE_C_PIECE_H
#define KN_HOST_CSOURCE_C_PIECE_H
#include "host/csource/c_helpers.h"
#include "host/stage/stage.h"

typedef struct kng_c_region { /* the yes sides of the cold selects of one predicate in one loop */
    knk_node pred;
    int parent, loop;
} kng_c_region;
typedef struct kng_c_block { /* one `if` of the text */
    int parent, nodes;
} kng_c_block;

typedef struct kng_c_stage {
    kng_c_unit *u;
    kn_str *t;
    const kng_request *r;
    const knk_kernel *k;
    const char *name;
    int first, end, lanes, n_stream;
    kng_stream *stream;
    uint8_t *used_row, *used_piece;  /* per stream */
    uint8_t *live, *uniform, *param; /* per node: needed; once per row; uniform and used by the piece */
    int32_t *region, *block;         /* per node */
    uint8_t *placed;
    kng_c_region *regions;
    kng_c_block *blocks;
    int n_region, n_block, at_block;
    bool dry; /* nothing is written */
    int n_loop;
    uint8_t *loop, parent[KNK_MAX_LOOPS]; /* per node, per loop: the loop that it lies in */
    uint64_t tested;                      /* loops with a condition, a bit each */
} kng_c_stage;

void kng_c_analyse(kng_c_stage *s);
void kng_c_uniform(kng_c_stage *s); /* the values that a row has once */
void kng_c_imports(kng_c_stage *s, bool uniform);
void kng_c_nodes(kng_c_stage *s); /* the others, but for stores, exports and reductions */

void kng_c_put(kng_c_stage *s, int stream, knk_node x); /* c_source.c: a store into a stream */

/* Words of the text. */
void kng_c_call(kng_c_stage *s, const char *helper, int dtype); /* "NAME_DTYPE_LANES(" */
void kng_c_type(kng_c_stage *s, int dtype);
void kng_c_value(kng_c_stage *s, knk_node x);
void kng_c_constant(kng_c_stage *s, int dtype, uint64_t bits);
void kng_c_address(kng_c_stage *s, int stream);            /* of lane 0 */
void kng_c_step(kng_c_stage *s, int stream);               /* from lane to lane */
int kng_c_stream(const kng_c_stage *s, const knk_inst *n); /* of a load, store or index */
int kng_c_stream_of(const kng_c_stage *s, kng_stream_kind kind, knk_node x);
bool kng_c_is_export(const kng_c_stage *s, knk_node x);
bool kng_c_is_uniform(const kng_c_stage *s, knk_node x);
#endif
