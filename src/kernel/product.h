/* SPDX-License-Identifier: Apache-2.0
 * product.h -- the description of a product of two arrays, summed over contracted dimensions: beside the kernel the
 * other word that programs are made of. What runs it is the device's business (docs/products.md). */
#ifndef KN_KERNEL_PRODUCT_H
#define KN_KERNEL_PRODUCT_H
#include "base/dim.h"
#include "base/dtype.h"
#include "base/memory.h"

/* One group of dimensions, slowest first; strides in elements of a, b and c (0 in the array that lacks it). */
typedef struct knk_dims {
    int n;
    int64_t extent[KN_MAX_NDIM], a[KN_MAX_NDIM], b[KN_MAX_NDIM], c[KN_MAX_NDIM];
} knk_dims;

/* A window: one dimension of a that dimension number m of the group m and number k of the group k walk together (their
 * strides in a are 0). position = index_m * step + index_k * dilation - low. There is an element if 0 <= position,
 * position is a multiple of `base`, and position / base < extent: at position / base * stride; else a zero. */
typedef struct knk_window {
    int m, k;
    int64_t step, dilation, low, base, extent, stride;
} knk_window;
enum { KNK_MAX_WINDOWS = KN_MAX_NDIM };
/* Does a window have fewer positions than taps, as in the gradient of a kernel? Unknown extents are many. */
static inline bool knk_few_positions(int64_t positions, int64_t taps)
{
    return !knx_is_symbolic(positions) && (knx_is_symbolic(taps) || positions < taps);
}

/* c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n], elements at offset + sum of index * stride. k in C
 * order of its dimensions, the first one slowest. Both operands have the dtype `operand`; `result` is of the same kind
 * and not narrower. Nothing of c overlaps an operand. */
typedef struct knk_product {
    kn_dtype operand, result;
    knk_dims batch, m, n, k;
    int64_t a_offset, b_offset, c_offset;
    int n_window;
    knk_window window[KNK_MAX_WINDOWS];
} knk_product;

/* The same in as many words as it needs, for programs, which keep it: a product has room for 64 dimensions in each
 * group. NULL without memory. */
const int64_t *knk_pack_product(knx_arena *a, const knk_product *p);
size_t knk_packed_words(const int64_t *packed);
void knk_unpack_product(const int64_t *packed, knk_product *out);
#endif
