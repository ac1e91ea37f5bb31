/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/quantize.h -- weights as integers of 8 or 4 bits with a scale for each group of a row. Weights are (...,
 * N, K): N outputs of K inputs, which are the last axis, in groups of group_size. values are int8 (..., N, K), or
 * two of four bits in a byte, uint8 (..., N, K / 2), the first in its low half; scales are (..., N, K / group_size).
 * A weight is (value - zero point) scale; without zero points they are 0 for int8 and 8 for four bits. */
/* Made by scripts/make-api.py from api/nn/quantize.api. */
/* clang-format off */
#ifndef KILN_NN_QUANTIZE_H
#define KILN_NN_QUANTIZE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_nn_quantize_opts {
    size_t size_;
    int bits;           /* 8; or 4 */
    int64_t group_size; /* K, a scale for each row */
    bool symmetric;     /* true: no zero points: 0 is a whole number of steps in the middle */
    kn_dtype dtype;     /* NULL, that of w, float32 for 16 bits: of the scales */
} kn_nn_quantize_opts;
KN_API kn_nn_quantize_opts kn_nn_quantize_opts_default(void);
typedef struct kn_nn_dequantize_opts {
    size_t size_;
    kn_array zero_points; /* of the shape of the scales */
    kn_dtype dtype;       /* NULL, that of the scales: of the weights */
} kn_nn_dequantize_opts;
KN_API kn_nn_dequantize_opts kn_nn_dequantize_opts_default(void);
typedef struct kn_nn_quantized_matmul_opts {
    size_t size_;
    kn_array zero_points; /* of the shape of the scales */
} kn_nn_quantized_matmul_opts;
KN_API kn_nn_quantized_matmul_opts kn_nn_quantized_matmul_opts_default(void);
typedef struct kn_nn_quantized { kn_array values, scales, zero_points; } kn_nn_quantized;
/* weights rounded to integers, constants in derivatives. Symmetric int8 has scale = max |w| / 127; four bits have
 * the weight that is farthest from 0 at 0 of 0 .. 15, as GGUF's Q4_0. Otherwise the range from the smallest weight
 * (or 0) to the largest (or 0) is divided into 255 or 15 steps, and zero_points are there (else NULL). ValueError
 * unless group_size divides K, for other bits, and for an odd K of four bits */
KN_API kn_nn_quantized kn_nn_quantize(kn_array w, const kn_nn_quantize_opts *opts);
/* (value - zero point) scale, computed in float32, or in float64 for that: (..., N, K). ValueError for shapes that
 * do not fit, TypeError for values that are neither int8 nor uint8 */
KN_API kn_array kn_nn_dequantize(kn_array values, kn_array scales, const kn_nn_dequantize_opts *opts);
/* x (..., K) times the transposed weights (N, K): (..., N), in x's dtype. The weights go back to numbers of that
 * dtype where the product reads them. ValueError for shapes that do not fit */
KN_API kn_array kn_nn_quantized_matmul(kn_array x, kn_array values, kn_array scales,
    const kn_nn_quantized_matmul_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_quantize(w, ...)                                                                                         \
    KN_F1O(kn_nn_quantize, kn_nn_quantize_opts, (.bits = 8, .symmetric = true, ), w, __VA_ARGS__)
#define kn_nn_dequantize(values, scales, ...)                                                                          \
    KN_F2O(kn_nn_dequantize, kn_nn_dequantize_opts, (), values, scales, __VA_ARGS__)
#define kn_nn_quantized_matmul(x, values, scales, ...)                                                                 \
    KN_F3O(kn_nn_quantized_matmul, kn_nn_quantized_matmul_opts, (), x, values, scales, __VA_ARGS__)
#endif
#endif
