/* SPDX-License-Identifier: Apache-2.0
 * numbers_internal.h -- what the files numbers*.c share: helper functions as rows, and the filling in of patterns. */
#ifndef KN_WGSL_NUMBERS_INTERNAL_H
#define KN_WGSL_NUMBERS_INTERNAL_H
#include "wgsl/numbers.h"

/* A function of WGSL. What it calls is read off its text: names that begin with kn_. */
typedef struct knw_helper {
    const char *name, *text;
} knw_helper;
typedef struct knw_helper_list {
    const knw_helper *row;
    int n;
} knw_helper_list;
extern const knw_helper_list knw_integer_helpers, knw_wide_helpers, knw_convert_helpers, knw_float_helpers;

/* Operands of a pattern. In a pattern $a, $b and $c are operands, $w the dtype's bits, $v one less and $m a mask of
 * that many (literals of u32), $S the function that takes an i32 to the signed dtype of that size, $< and $> whether
 * $a is less or greater than $b. A ~ in front: what follows is brought back into the dtype's range. */
typedef struct knw_operands {
    int dtype;
    const char *a, *b, *c;
} knw_operands;
void knw_fill(knw_unit *u, knx_str *t, const char *pattern, const knw_operands *o);
/* Wants the helpers that a text calls. */
void knw_want_calls(knw_unit *u, const char *text);
const char *knw_bitcast_pattern(int from, int to);

/* Has the device this operation with the host's bits? */
static inline bool knw_has(const knw_unit *u, knw_operation op) { return u->facts->exact >> op & 1; }
static inline bool knw_is_half(int d) { return d == KN_ID_F16 || d == KN_ID_BF16; }
static inline bool knw_is_signed(int d) { return d >= KN_ID_I8 && d <= KN_ID_I64; }
#endif
