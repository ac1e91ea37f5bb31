/* SPDX-License-Identifier: Apache-2.0
 * keys.h -- keys as operands, for the functions of this folder. */
#ifndef KN_RANDOM_KEYS_H
#define KN_RANDOM_KEYS_H
#include "array/op.h"

kn_atom knrand_key_in(kna_op *op, kn_array key); /* a single key; TypeError for anything else */
kn_atom knrand_split(kn_builder *b, kn_atom key, int ndim, const int64_t *shape); /* keys of that shape */
void knrand_split2(kn_builder *b, kn_atom key, kn_atom out[2]);                   /* two single keys */
bool knrand_shape_ok(kna_op *op, const kn_shape *shape);                          /* ValueError for negative extents */
/* sample.c: real normal numbers */
kn_atom knrand_normal(kn_builder *b, kn_atom key, kn_dtype d, int ndim, const int64_t *shape);
#endif
