/* SPDX-License-Identifier: Apache-2.0
 * francis.h -- the QR iteration that makes a Hessenberg matrix a Schur form, in float64. */
#ifndef KN_HOST_ROUTINE_FRANCIS_H
#define KN_HOST_ROUTINE_FRANCIS_H
#include "host/routine/dense.h"

/* h: n x n upper Hessenberg (zeros below its subdiagonal); z: n x n, multiplied by what h is turned with, or without
 * rows. Finite numbers. False if it does not converge. */
bool knr_francis(const knr_doubles *h, int64_t n, const knr_doubles *z, int64_t z_rows);
#endif
