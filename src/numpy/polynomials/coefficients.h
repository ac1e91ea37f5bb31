/* SPDX-License-Identifier: Apache-2.0
 * coefficients.h -- polynomials as vectors of coefficients, the highest power first. */
#ifndef KN_NUMPY_POLYNOMIALS_COEFFICIENTS_H
#define KN_NUMPY_POLYNOMIALS_COEFFICIENTS_H
#include "lib/compose.h"

/* How many coefficients; of an array of another number of axes it fails with this text. */
int64_t knn_coefficient_count(knl_body *c, kn_array p, kn_error_kind kind, const char *text);
/* Without the zeros in front of the highest power, which are looked for; one zero at least. trim: false for all of them
 * as they are. */
kn_array knn_coefficients(knl_body *c, kn_array p, bool trim);
#endif
