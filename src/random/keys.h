/* SPDX-License-Identifier: Apache-2.0
 * keys.h -- keys as operands, for the functions of this folder. */
#ifndef KN_RANDOM_KEYS_H
#define KN_RANDOM_KEYS_H
#include "array/op.h"

kni_atom knrandom_key_in(kna_op *op, kn_array key); /* a single key; TypeError for anything else */
kni_atom knrandom_split(kni_builder *b, kni_atom key, int ndim, const int64_t *shape); /* keys of that shape */
void knrandom_split2(kni_builder *b, kni_atom key, kni_atom out[2]);              /* two single keys */
bool knrandom_shape_ok(kna_op *op, const kn_shape *shape);                        /* ValueError for negative extents */
/* sample.c: normal numbers, also complex ones */
kni_atom knrandom_normal(kni_builder *b, kni_atom key, kn_dtype d, int ndim, const int64_t *shape);
#endif
