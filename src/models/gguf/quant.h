/* SPDX-License-Identifier: Apache-2.0
 * quant.h -- kinds of tensors in gguf files: how many elements a block has, in how many bytes, and what they mean. */
#ifndef KN_MODELS_GGUF_QUANT_H
#define KN_MODELS_GGUF_QUANT_H
#include "models/models.h"
#include "kiln/models/gguf.h"

/* Elements of n blocks, [n, elements] in float32, as an expression over their bytes, [n, bytes] of uint8. */
typedef kn_array kngguf_rule(kn_array blocks);

typedef struct kngguf_kind {
    const char *name; /* NULL: no such kind */
    int elements, bytes; /* of a block; plain kinds: 1 and that of an element */
    bool plain;
    kngguf_rule *rule; /* NULL: plain, or not known how */
} kngguf_kind;

const kngguf_kind *kngguf_kind_of(uint64_t kind); /* NULL: there is none */
kn_dtype kngguf_dtype(uint64_t kind);             /* of a plain one; uint8 of blocks */

extern kngguf_rule kngguf_q4_0, kngguf_q4_1, kngguf_q5_0, kngguf_q5_1, kngguf_q8_0, kngguf_q8_1, kngguf_q2_k,
    kngguf_q3_k, kngguf_q4_k, kngguf_q5_k, kngguf_q6_k, kngguf_q8_k, kngguf_iq4_nl, kngguf_iq4_xs, kngguf_tq1_0,
    kngguf_tq2_0, kngguf_mxfp4, kngguf_nvfp4;
#endif
