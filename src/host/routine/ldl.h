/* SPDX-License-Identifier: Apache-2.0
 * ldl.h -- factors of symmetric and Hermitian matrices that need not be definite; in float64. */
#ifndef KN_HOST_ROUTINE_LDL_H
#define KN_HOST_ROUTINE_LDL_H
#include "base/dtype.h"

typedef struct knr_ldl_options {
    bool lower;     /* the triangle that is read, and that l has */
    bool hermitian; /* a = l d l^H, else a = l d l^T */
} knr_ldl_options;

/* l, with its rows where they were in a; d with blocks of 1 and of 2; l[order] is triangular with ones on its
 * diagonal. The pivots are those of Bunch and Kaufman. The workspace is 64-byte aligned. */
size_t knr_ldl_workspace(int64_t n);
void knr_ldl_run(kn_dtype t, int64_t n, knr_ldl_options o, const void *a, void *l, void *d, int32_t *order,
                 void *workspace);
#endif
