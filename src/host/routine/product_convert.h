/* SPDX-License-Identifier: Apache-2.0
 * product_convert.h -- elements of operands to the numbers of the inner loops, and these to elements of the result. */
#ifndef KN_HOST_ROUTINE_PRODUCT_CONVERT_H
#define KN_HOST_ROUTINE_PRODUCT_CONVERT_H
#include "host/routine/product_plan.h"

/* n steps of one row, adjacent, in rows format (padded with zeros to a whole group). */
void knr_widen_row(const knr_plan *p, kn_dtype from_dtype, const void *from, int64_t n, void *to);
/* One group of steps (`steps` of them exist, `line` elements apart) of `width` rows, adjacent, in panel format. */
void knr_widen_panel(const knr_plan *p, kn_dtype from_dtype, const void *from, int64_t line, int64_t width,
                     int64_t steps, void *to);
/* n numbers become elements of the result, and back. from and to may be the same place. */
void knr_narrow(const knr_plan *p, const void *from, void *to, int64_t n);
void knr_widen_result(const knr_plan *p, void *at, int64_t n);
#endif
