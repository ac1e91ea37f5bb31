/* SPDX-License-Identifier: Apache-2.0
 * product_narrow.h -- a few rows times a matrix of narrow numbers (docs/products.md, "Narrow numbers"): what a weight
 * is made of (bytes, halves of bytes, 16-bit floats, less a zero point, times a scale) is worked out in the registers
 * in which it is multiplied. Every operation rounds as it would alone, and the order of additions is the products':
 * the bits are those of the plan that packs. */
#ifndef KN_HOST_ROUTINE_PRODUCT_NARROW_H
#define KN_HOST_ROUTINE_PRODUCT_NARROW_H
#include "base/dtype.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values. NIBBLES: two in a byte, the low half first. */
typedef enum knr_narrow_kind {
    KNR_NARROW_I8, KNR_NARROW_NIBBLES, KNR_NARROW_F16, KNR_NARROW_BF16, KNR_NARROW_KINDS
} knr_narrow_kind;
enum { KNR_NARROW_ROWS = 4, KNR_NARROW_LEAST = 32 }; /* of a, most; of the matrix, least */

/* Numbers of which there is one for each group of steps of a row. NULL: none, or the number. */
typedef struct knr_narrow_groups {
    kn_dtype dtype;     /* f32, f16, bf16, i8, u8 */
    int64_t row, group; /* elements from row to row, from group to group */
} knr_narrow_groups;

/* c[m, n] = sum over k of a[m, k] * ((value[n, k] - zero[n, k / group]) * scale[n, k / group]), float32 */
typedef struct knr_narrow {
    knr_narrow_kind kind;
    bool has_scale, has_zero;
    knr_narrow_groups scale, zero; /* zero.dtype NULL: it is one number */
    int64_t m, n, k;
    int64_t group;        /* steps; all of k: one for each row */
    int64_t a_row, c_row; /* floats from row to row */
    int64_t row;          /* bytes of values */
} knr_narrow;

/* Does it fit the loops that this processor has? */
bool knr_narrow_fits(const knr_narrow *x);
double knr_narrow_cost(const knr_narrow *x); /* nanoseconds on one thread, about */

typedef struct knr_narrow_run {
    const float *a;
    const void *values, *scale, *zero; /* zero: of one number it is the address of a float */
    float *c;
    int threads;
} knr_narrow_run;
void knr_narrow_multiply(const knr_narrow *x, const knr_narrow_run *r);

/* Some rows of the matrix, at least KNR_NARROW_LEAST; one for each kind, NULL: none. */
typedef void knr_narrow_loop(const knr_narrow *x, const knr_narrow_run *r, int64_t row, int64_t end);
typedef struct knr_narrow_loops {
    knr_narrow_loop *run[KNR_NARROW_KINDS];
} knr_narrow_loops;
extern const knr_narrow_loops knr_narrow_base, knr_narrow_avx2, knr_narrow_avx512;
#endif
