/* SPDX-License-Identifier: Apache-2.0
 * sharded.h -- the parts of the way "sharded": how a program's operands lie over a mesh, and how far its results may be
 * from those of the whole program, because sums over devices add in another order. */
#ifndef KN_TEST_PROGRAMS_SHARDED_H
#define KN_TEST_PROGRAMS_SHARDED_H
#include "programs.h"
#include "shard/shard.h"

/* Some axes of the mesh that are not used yet: those that cut a dimension. */
kni_mesh_axes any_axes(const kni_mesh *m, uint64_t *state, uint32_t *used);

/* constrain.c: the program with constraints on one of so many values. Good until it is called again. */
kni_jaxpr *with_constraints(const kni_jaxpr *j, const kni_mesh *m, uint64_t state, int in);

/* noise.c. Does a sum (product, maximum, ...) of floats over devices reach result k of the jaxpr of one device? */
bool sums_reach(const kni_jaxpr *local, bool *result);

/* What the whole program gives if its sums add in another order, or add up what is a little wrong. */
enum { TRIES_OF_NOISE = 40 };
typedef struct noise {
    int made;
    bool products; /* some are products, whose parts may become 0 or infinite */
    knx_buffer *y[TRIES_OF_NOISE][MAX_VALUES]; /* NULL: it has an error */
} noise;
void noise_free(const program *p, noise *n);
/* The first part of an element of result k that is further from `want` than any such error explains; or -1. */
int64_t noise_exceeded(const program *p, noise *n, uint32_t k, const void *want, const void *got);
#endif
