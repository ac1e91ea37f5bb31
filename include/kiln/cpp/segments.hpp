/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/segments.hpp -- the functions of kiln/segments.h in C++. */
/* Made by scripts/make-api.py from api/segments.api. */
/* clang-format off */
#ifndef KILN_CPP_SEGMENTS_HPP
#define KILN_CPP_SEGMENTS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct segment_opts {
    KILN_OPTION((int64_t), num_segments, KN_NUM_SEGMENTS_OF_IDS)
    KILN_OPTION((bool), indices_are_sorted, {}) /* a promise */
    KILN_OPTION((bool), unique_indices, {}) /* a promise, which lets kn_segment_prod be differentiated */
    KILN_OPTION((int64_t), bucket_size, {})
    KILN_OPTION((::kiln::text), mode, {})
    kn_segment_opts c() const {
        kn_segment_opts to_ = {}; to_.size_ = sizeof to_; to_.num_segments = detail::c_of(num_segments);
        to_.indices_are_sorted = detail::c_of(indices_are_sorted); to_.unique_indices = detail::c_of(unique_indices);
        to_.bucket_size = detail::c_of(bucket_size); to_.mode = detail::c_of(mode); return to_; }
};
using segment_sum_opts = ::kiln::segment_opts;
/* jax.ops.segment_sum: the sum of the elements with each number: result k is that of all data[i] with segment_ids[i]
 * == k. ValueError for a negative num_segments and for an unknown mode; TypeError unless segment_ids are integers
 * (all four functions). */
inline array segment_sum(const ::kiln::operand &data, const ::kiln::operand &segment_ids, const ::kiln::segment_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_array segment_ids_h = segment_ids.c(); kn_segment_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_segment_sum(data_h, segment_ids_h, &opts_c))); }
using segment_prod_opts = ::kiln::segment_opts;
/* jax.ops.segment_prod: the product of the elements with each number; 1 where there are none */
inline array segment_prod(const ::kiln::operand &data, const ::kiln::operand &segment_ids, const ::kiln::segment_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_array segment_ids_h = segment_ids.c(); kn_segment_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_segment_prod(data_h, segment_ids_h, &opts_c))); }
using segment_max_opts = ::kiln::segment_opts;
/* jax.ops.segment_max: the largest of the elements with each number; -inf, or the smallest integer, where there are
 * none */
inline array segment_max(const ::kiln::operand &data, const ::kiln::operand &segment_ids, const ::kiln::segment_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_array segment_ids_h = segment_ids.c(); kn_segment_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_segment_max(data_h, segment_ids_h, &opts_c))); }
using segment_min_opts = ::kiln::segment_opts;
/* jax.ops.segment_min: the smallest of the elements with each number; inf, or the largest integer, where there are
 * none */
inline array segment_min(const ::kiln::operand &data, const ::kiln::operand &segment_ids, const ::kiln::segment_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_array segment_ids_h = segment_ids.c(); kn_segment_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_segment_min(data_h, segment_ids_h, &opts_c))); }
} // namespace kiln
#endif
