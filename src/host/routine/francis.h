/* SPDX-License-Identifier: Apache-2.0
 * francis.h -- the QR iteration on upper Hessenberg matrices, in float64, to the precision of its input. */
#ifndef KN_HOST_ROUTINE_FRANCIS_H
#define KN_HOST_ROUTINE_FRANCIS_H
#include "host/routine/dense.h"

/* What steps with many shifts need, for real matrices of n rows whose vectors have z_rows. */
typedef struct knr_francis_room knr_francis_room;
/* NULL where n is too small for them, and while bytes are counted. The result lives in the arena. */
const knr_francis_room *knr_francis_take(knr_arena *a, int64_t n, int64_t z_rows, int threads);

/* h becomes the (quasi-)triangular t of h = q t q^H, and z q becomes z, whose transposed matrix (n x z_rows) is
 * given. epsilon: between 1 and the next number of the input's type. False if it does not converge. `many`: of
 * knr_francis_take, or NULL. */
bool knr_francis(const knr_doubles *h, int64_t n, const knr_doubles *z, int64_t z_rows, double epsilon,
                 const knr_francis_room *many);
#endif
