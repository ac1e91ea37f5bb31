/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/attention.hpp -- the functions of kiln/nn/attention.h in C++. */
/* Made by scripts/make-api.py from api/nn/attention.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_ATTENTION_HPP
#define KILN_CPP_NN_ATTENTION_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct attention_opts {
    KILN_OPTION((::kiln::array), bias, {}) /* added to the logits; broadcasts to (B, N, T, S) */
    KILN_OPTION((::kiln::array), mask, {})
    KILN_OPTION((::kiln::array), scale, {}) /* of the logits: 1 / sqrt(H) */
    KILN_OPTION((bool), is_causal, {}) /* query t sees the keys up to t */
    KILN_OPTION((::kiln::array), query_seq_lengths, {}) /* integers of shape (B): what counts of T and S */
    KILN_OPTION((::kiln::array), key_value_seq_lengths, {}) /* integers of shape (B): what counts of T and S */
    KILN_OPTION((::kiln::shape), local_window_size, {})
    kn_nn_attention_opts c() const {
        kn_nn_attention_opts to_ = {}; to_.size_ = sizeof to_; to_.bias = detail::c_of(bias);
        to_.mask = detail::c_of(mask); to_.scale = detail::c_of(scale); to_.is_causal = detail::c_of(is_causal);
        to_.query_seq_lengths = detail::c_of(query_seq_lengths);
        to_.key_value_seq_lengths = detail::c_of(key_value_seq_lengths);
        to_.local_window_size = detail::c_of(local_window_size); return to_; }
};
using dot_product_attention_opts = ::kiln::nn::attention_opts;
/* jax.nn.dot_product_attention: softmax(scale query key + bias) value, in the query's shape and dtype: each query's
 * mean of the values, weighted by how well its key fits. As in JAX the logits are at least float32 and the softmax
 * is float32 for float64, too. ValueError for shapes and dtypes that do not fit, in JAX's words */
inline array dot_product_attention(const ::kiln::operand &query, const ::kiln::operand &key, const ::kiln::operand
    &value, const ::kiln::nn::attention_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array query_h = query.c(); kn_array key_h = key.c(); kn_array value_h = value.c();
    kn_nn_attention_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_dot_product_attention(query_h,
    key_h, value_h, &opts_c))); }
struct attention_result { array encoded; array residual; };
using dot_product_attention_residual_opts = ::kiln::nn::attention_opts;
/* attention with return_residual: kn_nn_dot_product_attention, and the logsumexp of the logits, (B, T, N), a
 * constant in derivatives */
inline ::kiln::nn::attention_result dot_product_attention_residual(const ::kiln::operand &query, const ::kiln::operand
    &key, const ::kiln::operand &value, const ::kiln::nn::attention_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array query_h = query.c(); kn_array key_h = key.c(); kn_array value_h = value.c();
    kn_nn_attention_opts opts_c = opts.c(); c_.here(); kn_nn_attention_result
    r_ = c_.value(kn_nn_dot_product_attention_residual(query_h, key_h, value_h, &opts_c)); return
    ::kiln::nn::attention_result{array::share(r_.encoded), array::share(r_.residual)}; }
struct multi_head_attention_opts {
    KILN_OPTION((::kiln::array), context, {}) /* what keys and values are made of */
    KILN_OPTION((::kiln::array), bias_query, {}) /* (N, H) */
    KILN_OPTION((::kiln::array), bias_key, {}) /* (K, H) */
    KILN_OPTION((::kiln::array), bias_value, {}) /* (K, H) */
    KILN_OPTION((::kiln::array), bias_out, {}) /* (O) */
    KILN_OPTION((::kiln::array), bias, {}) /* added to the logits; broadcasts to (B, N, T, S) */
    KILN_OPTION((::kiln::array), mask, {}) /* bool, broadcasts to (B, N, T, S): what a query sees */
    KILN_OPTION((::kiln::array), scale, {}) /* of the logits: 1 / sqrt(H) */
    KILN_OPTION((bool), is_causal, {}) /* query t sees the keys up to t */
    KILN_OPTION((::kiln::array), query_seq_lengths, {}) /* integers of shape (B): what counts of T */
    KILN_OPTION((::kiln::array), key_value_seq_lengths, {}) /* integers of shape (B): what counts of S */
    KILN_OPTION((::kiln::shape), local_window_size, {}) /* as kn_nn_dot_product_attention */
    KILN_OPTION((bool), rope, {}) /* queries and keys are rotated by kn_nn_rope */
    KILN_OPTION((::kiln::array), positions, {}) /* of the tokens, for rope */
    KILN_OPTION((double), rope_base, 10000)
    KILN_OPTION((int64_t), rope_features, {}) /* how many are rotated */
    KILN_OPTION((bool), rope_interleaved, {}) /* pairs are neighbours */
    KILN_OPTION((::kiln::array), rope_frequencies, {}) /* instead of rope_base */
    kn_nn_multi_head_attention_opts c() const {
        kn_nn_multi_head_attention_opts to_ = {}; to_.size_ = sizeof to_; to_.context = detail::c_of(context);
        to_.bias_query = detail::c_of(bias_query); to_.bias_key = detail::c_of(bias_key);
        to_.bias_value = detail::c_of(bias_value); to_.bias_out = detail::c_of(bias_out); to_.bias = detail::c_of(bias);
        to_.mask = detail::c_of(mask); to_.scale = detail::c_of(scale); to_.is_causal = detail::c_of(is_causal);
        to_.query_seq_lengths = detail::c_of(query_seq_lengths);
        to_.key_value_seq_lengths = detail::c_of(key_value_seq_lengths);
        to_.local_window_size = detail::c_of(local_window_size); to_.rope = detail::c_of(rope);
        to_.positions = detail::c_of(positions); to_.rope_base = detail::c_of(rope_base);
        to_.rope_features = detail::c_of(rope_features); to_.rope_interleaved = detail::c_of(rope_interleaved);
        to_.rope_frequencies = detail::c_of(rope_frequencies); return to_; }
};
/* flax.linen.MultiHeadDotProductAttention: queries, keys and values, x or the context times their weights,
 * kn_nn_dot_product_attention over them, and its heads times w_out: (..., T, O). ValueError for shapes that do not
 * fit */
inline array multi_head_attention(const ::kiln::operand &x, const ::kiln::operand &w_query, const ::kiln::operand
    &w_key, const ::kiln::operand &w_value, const ::kiln::operand &w_out, const ::kiln::nn::multi_head_attention_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array w_query_h = w_query.c(); kn_array w_key_h = w_key.c(); kn_array
    w_value_h = w_value.c(); kn_array w_out_h = w_out.c(); kn_nn_multi_head_attention_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nn_multi_head_attention(x_h, w_query_h, w_key_h, w_value_h, w_out_h, &opts_c))); }
struct cached_attention_result { array encoded; array key_cache; array value_cache; };
using cached_attention_opts = ::kiln::nn::attention_opts;
/* causal attention of T new queries over what the caches hold and the T new keys and values:
 * kn_nn_dot_product_attention's result, and the caches with the new ones. A position beyond S - T is S - T, one
 * below 0 is 0. .local_window_size is how far back a query sees. ValueError for shapes that do not fit */
inline ::kiln::nn::cached_attention_result cached_attention(const ::kiln::operand &query, const ::kiln::operand &key,
    const ::kiln::operand &value, const ::kiln::operand &key_cache, const ::kiln::operand &value_cache, const
    ::kiln::operand &position, const ::kiln::nn::attention_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array query_h = query.c(); kn_array key_h = key.c(); kn_array value_h = value.c(); kn_array
    key_cache_h = key_cache.c(); kn_array value_cache_h = value_cache.c(); kn_array position_h = position.c();
    kn_nn_attention_opts opts_c = opts.c(); c_.here(); kn_nn_cached_attention_result
    r_ = c_.value(kn_nn_cached_attention(query_h, key_h, value_h, key_cache_h, value_cache_h, position_h, &opts_c));
    return ::kiln::nn::cached_attention_result{array::share(r_.encoded), array::share(r_.key_cache),
    array::share(r_.value_cache)}; }
using multi_head_attention_cached_opts = ::kiln::nn::multi_head_attention_opts;
/* kn_nn_multi_head_attention of T new tokens, which are causal, and the caches with their keys and values.
 * ValueError with a context */
inline ::kiln::nn::cached_attention_result multi_head_attention_cached(const ::kiln::operand &x, const ::kiln::operand
    &key_cache, const ::kiln::operand &value_cache, const ::kiln::operand &position, const ::kiln::operand &w_query,
    const ::kiln::operand &w_key, const ::kiln::operand &w_value, const ::kiln::operand &w_out, const
    ::kiln::nn::multi_head_attention_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array key_cache_h = key_cache.c(); kn_array
    value_cache_h = value_cache.c(); kn_array position_h = position.c(); kn_array w_query_h = w_query.c(); kn_array
    w_key_h = w_key.c(); kn_array w_value_h = w_value.c(); kn_array w_out_h = w_out.c(); kn_nn_multi_head_attention_opts
    opts_c = opts.c(); c_.here(); kn_nn_cached_attention_result r_ = c_.value(kn_nn_multi_head_attention_cached(x_h,
    key_cache_h, value_cache_h, position_h, w_query_h, w_key_h, w_value_h, w_out_h, &opts_c)); return
    ::kiln::nn::cached_attention_result{array::share(r_.encoded), array::share(r_.key_cache),
    array::share(r_.value_cache)}; }
} // namespace nn
} // namespace kiln
#endif
