/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/quantize.hpp -- the functions of kiln/nn/quantize.h in C++. */
/* Made by scripts/make-api.py from api/nn/quantize.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_QUANTIZE_HPP
#define KILN_CPP_NN_QUANTIZE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct quantize_opts {
    KILN_OPTION((int), bits, 8)
    KILN_OPTION((int64_t), group_size, {}) /* K, a scale for each row */
    KILN_OPTION((bool), symmetric, true) /* no zero points: 0 is a whole number of steps in the middle */
    KILN_OPTION((::kiln::dtype), dtype, {}) /* of the scales */
    kn_nn_quantize_opts c() const {
        kn_nn_quantize_opts to_ = {}; to_.size_ = sizeof to_; to_.bits = detail::c_of(bits);
        to_.group_size = detail::c_of(group_size); to_.symmetric = detail::c_of(symmetric);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct dequantize_opts {
    KILN_OPTION((::kiln::array), zero_points, {}) /* of the shape of the scales */
    KILN_OPTION((::kiln::dtype), dtype, {}) /* of the weights */
    kn_nn_dequantize_opts c() const {
        kn_nn_dequantize_opts to_ = {}; to_.size_ = sizeof to_; to_.zero_points = detail::c_of(zero_points);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct quantized_matmul_opts {
    KILN_OPTION((::kiln::array), zero_points, {}) /* of the shape of the scales */
    kn_nn_quantized_matmul_opts c() const {
        kn_nn_quantized_matmul_opts to_ = {}; to_.size_ = sizeof to_; to_.zero_points = detail::c_of(zero_points);
        return to_; }
};
struct quantized { array values; array scales; array zero_points; };
/* weights rounded to integers, constants in derivatives. Symmetric int8 has scale = max |w| / 127; four bits have
 * the weight that is farthest from 0 at 0 of 0 .. 15, as GGUF's Q4_0. Otherwise the range from the smallest weight
 * (or 0) to the largest (or 0) is divided into 255 or 15 steps, and zero_points are there (else NULL). ValueError
 * unless group_size divides K, for other bits, and for an odd K of four bits */
inline ::kiln::nn::quantized quantize(const ::kiln::operand &w, const ::kiln::nn::quantize_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array w_h = w.c(); kn_nn_quantize_opts opts_c = opts.c(); c_.here(); kn_nn_quantized
    r_ = c_.value(kn_nn_quantize(w_h, &opts_c)); return ::kiln::nn::quantized{array::share(r_.values),
    array::share(r_.scales), array::share(r_.zero_points)}; }
/* (value - zero point) scale, computed in float32, or in float64 for that: (..., N, K). ValueError for shapes that
 * do not fit, TypeError for values that are neither int8 nor uint8 */
inline array dequantize(const ::kiln::operand &values, const ::kiln::operand &scales, const ::kiln::nn::dequantize_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array values_h = values.c(); kn_array scales_h = scales.c(); kn_nn_dequantize_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_dequantize(values_h, scales_h, &opts_c))); }
/* x (..., K) times the transposed weights (N, K): (..., N), in x's dtype. The weights go back to numbers of that
 * dtype where the product reads them. ValueError for shapes that do not fit */
inline array quantized_matmul(const ::kiln::operand &x, const ::kiln::operand &values, const ::kiln::operand &scales,
    const ::kiln::nn::quantized_matmul_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array values_h = values.c(); kn_array scales_h = scales.c();
    kn_nn_quantized_matmul_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_quantized_matmul(x_h,
    values_h, scales_h, &opts_c))); }
} // namespace nn
} // namespace kiln
#endif
