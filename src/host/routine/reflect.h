/* SPDX-License-Identifier: Apache-2.0
 * reflect.h -- reflections of real matrices in blocks of 32, I - V T V^T: vectors and T are of the matrix's dtype, all
 * else is products of matrices (matrix_product.h), which threads share. */
#ifndef KN_HOST_ROUTINE_REFLECT_H
#define KN_HOST_ROUTINE_REFLECT_H
#include "host/routine/dense.h"
#include "host/routine/matrix_product.h"

/* k reflections of m rows. */
typedef struct knr_reflector {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    int64_t m, k;
    knr_planes v; /* vector number j in row j, from row j / 32 * 32 of the matrix on, with 1 and zeros before it */
    char *t, *g;       /* for each block its T; of one block the products of its vectors */
    char *w;           /* two times 32 rows of `strip` numbers for each thread */
    int64_t strip;     /* the most columns that are worked on together */
    int threads;       /* at least 1 */
    knr_multiplier multiplier; /* `bytes` for each thread */
    double *tau;
    void *whole; /* of small matrices with one block, whose reflections are applied one by one: KNR_WHOLE_ROOM bytes */
} knr_reflector;
/* a: the matrix that they are made of (if so); x: what they are applied to. With an arena without memory only sizes are
 * counted. */
knr_reflector knr_reflector_take(knr_arena *arena, kn_dtype d, int64_t k, const knr_dense *a, const knr_dense *x,
                                 int threads);

/* Reflections that make r of a: a's rows get r up to the diagonal, and the vectors below it if they are `packed`. */
void knr_reflector_factor(knr_reflector *r, const knr_dense *a, bool packed);
/* Those whose vectors are below the diagonal of `packed`; r->tau is there. */
void knr_reflector_load(knr_reflector *r, const void *packed, int64_t columns);
/* x = q x (or q^T x); from_identity: x is the identity. */
void knr_reflector_apply(const knr_reflector *r, const knr_dense *x, bool adjoint, bool from_identity);
#endif
