/* SPDX-License-Identifier: Apache-2.0
 * pooling.h -- windows of an array: their elements joined, one of them chosen, and the way back. What the rows over
 * windows run where a kernel does not look at the elements itself.
 *
 * Along each axis the array's elements stand `base` apart; window number o begins at o * stride - lo, and its positions
 * k are `step` apart. Positions outside and between elements hold nothing. Arrays are C-contiguous, without overlap. */
#ifndef KN_HOST_ROUTINE_POOLING_H
#define KN_HOST_ROUTINE_POOLING_H
#include "base/dtype.h"

typedef struct knr_pooling_axis {
    int64_t extent, base, lo; /* of the array */
    int64_t size, step;       /* of a window */
    int64_t count, stride;    /* of the windows */
} knr_pooling_axis;
typedef struct knr_pooling {
    int n;
    int64_t positions;                      /* of a window */
    knr_pooling_axis axis[KN_MAX_NDIM + 1]; /* one more, for the parts of complex numbers */
} knr_pooling;

enum { KNR_POOL_BLOCK = 256 };
typedef enum { KNR_POOL_SUM, KNR_POOL_MAX, KNR_POOL_MIN } knr_pooling_how;

/* y[o] joins the elements of window o: in blocks of KNR_POOL_BLOCK positions, in C order, each from the identity on
 * one after the other; then the blocks in order. Sums of numbers (complex ones too; integers wrap; 16-bit floats in
 * float32, rounded once), largest and smallest of all but complex ones: nan if one is. */
void knr_pooling_reduce(knr_pooling_how how, kn_dtype d, const knr_pooling *w, const void *x, void *y);

/* y[o], of an integer dtype: the position of the element that stays if the elements of window o come one after the
 * other, and the one before stays where before >= next (largest; else <=) holds. Where there is no element stands the
 * identity. With `identity` it also comes before all, as position -1. Real dtypes. */
void knr_pooling_choose(bool largest, bool identity, kn_dtype d, const knr_pooling *w, const void *x, kn_dtype index,
                        void *y);
/* y[o]: the element at that position, zero where there is none. */
void knr_pooling_pick(size_t size, const knr_pooling *w, const void *x, kn_dtype index, const void *choice, void *y);
/* y, of the array's shape: zero, and source[o] added to the element that is window o's choice, in C order of the
 * windows, each rounded to the dtype. base and step are 1. */
void knr_pooling_place(kn_dtype d, const knr_pooling *w, const void *source, kn_dtype index, const void *choice,
                       void *y);
#endif
