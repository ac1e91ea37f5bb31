/* SPDX-License-Identifier: Apache-2.0
 * sylvester.h -- matrix equations and square roots by Schur forms, in complex128. Workspaces are 64-byte aligned. */
#ifndef KN_HOST_ROUTINE_SYLVESTER_H
#define KN_HOST_ROUTINE_SYLVESTER_H
#include "base/dtype.h"

/* x with a x + x b = c: a is m x m, b n x n. NaN where a or b is not finite; where they have eigenvalues p and -p,
 * large numbers or infinities. */
size_t knr_sylvester_workspace(int64_t m, int64_t n);
void knr_sylvester_run(kn_dtype d, int64_t m, int64_t n, const void *a, const void *b, const void *c, void *x,
                       void *workspace);

/* The principal square root y of a: y y = a, with eigenvalues in the right half plane. Of a complex dtype. */
size_t knr_square_root_workspace(int64_t n);
void knr_square_root_run(kn_dtype d, int64_t n, const void *a, void *y, void *workspace);
#endif
