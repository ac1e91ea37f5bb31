/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/attention.h -- attention as jax.nn, with projections, and with keys and values that are kept from step to
 * step. */
/* Made by scripts/make-api.py from api/nn/attention.api. */
/* clang-format off */
#ifndef KILN_NN_ATTENTION_H
#define KILN_NN_ATTENTION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Attention. T queries and S keys of length H, in N heads: the query is (B, T, N, H), key and value are (B, S,
 * K, H), and N is a multiple of K: each key head serves N / K query heads. Axes in front may be left out. */
typedef struct kn_nn_attention_opts {
    size_t size_;
    kn_array bias;                  /* added to the logits; broadcasts to (B, N, T, S) */
    /* bool, broadcasts to (B, N, T, S): where false, the logits are as small as they can be */
    kn_array mask;
    kn_array scale;                 /* of the logits: 1 / sqrt(H) */
    bool is_causal;                 /* query t sees the keys up to t */
    kn_array query_seq_lengths;     /* integers of shape (B): what counts of T and S */
    kn_array key_value_seq_lengths; /* integers of shape (B): what counts of T and S */
    kn_shape local_window_size;     /* KN_SHAPE(left, right), KN_SHAPE(both): how many keys beside t query t sees */
} kn_nn_attention_opts;
KN_API kn_nn_attention_opts kn_nn_attention_opts_default(void);
typedef struct kn_nn_attention_result { kn_array encoded, residual; } kn_nn_attention_result;
/* jax.nn.dot_product_attention: softmax(scale query key + bias) value, in the query's shape and dtype: each query's
 * mean of the values, weighted by how well its key fits. As in JAX the logits are at least float32 and the softmax
 * is float32 for float64, too. ValueError for shapes and dtypes that do not fit, in JAX's words */
KN_API kn_array kn_nn_dot_product_attention(kn_array query, kn_array key, kn_array value,
    const kn_nn_attention_opts *opts);
/* attention with return_residual: kn_nn_dot_product_attention, and the logsumexp of the logits, (B, T, N), a
 * constant in derivatives */
KN_API kn_nn_attention_result kn_nn_dot_product_attention_residual(kn_array query, kn_array key, kn_array value,
    const kn_nn_attention_opts *opts);

/* ---- Options of attention with projections. */
typedef struct kn_nn_multi_head_attention_opts {
    size_t size_;
    kn_array context;               /* NULL, x: what keys and values are made of */
    kn_array bias_query;            /* (N, H) */
    kn_array bias_key;              /* (K, H) */
    kn_array bias_value;            /* (K, H) */
    kn_array bias_out;              /* (O) */
    kn_array bias;                  /* added to the logits; broadcasts to (B, N, T, S) */
    kn_array mask;                  /* bool, broadcasts to (B, N, T, S): what a query sees */
    kn_array scale;                 /* of the logits: 1 / sqrt(H) */
    bool is_causal;                 /* query t sees the keys up to t */
    kn_array query_seq_lengths;     /* integers of shape (B): what counts of T */
    kn_array key_value_seq_lengths; /* integers of shape (B): what counts of S */
    kn_shape local_window_size;     /* as kn_nn_dot_product_attention */
    bool rope;                      /* queries and keys are rotated by kn_nn_rope */
    kn_array positions;             /* NULL, 0, 1, ..., with a cache from its position on: of the tokens, for rope */
    double rope_base;               /* 10000 */
    int64_t rope_features;          /* all: how many are rotated */
    bool rope_interleaved;          /* pairs are neighbours */
    kn_array rope_frequencies;      /* instead of rope_base */
} kn_nn_multi_head_attention_opts;
KN_API kn_nn_multi_head_attention_opts kn_nn_multi_head_attention_opts_default(void);

/* ---- Attention of several heads. T tokens of D features, x (T, D) or (B, T, D); the weights are w_query (D, N, H),
 * w_key and w_value (C, K, H) for a context of C features, w_out (N, H, O). N is a multiple of K: each head of keys
 * serves N / K of queries. */
/* flax.linen.MultiHeadDotProductAttention: queries, keys and values, x or the context times their weights,
 * kn_nn_dot_product_attention over them, and its heads times w_out: (..., T, O). ValueError for shapes that do not
 * fit */
KN_API kn_array kn_nn_multi_head_attention(kn_array x, kn_array w_query, kn_array w_key, kn_array w_value, kn_array
    w_out, const kn_nn_multi_head_attention_opts *opts);

/* ---- With a cache. key_cache and value_cache are arrays (..., S, K, H) for up to S tokens, of which `position` are
 * there: an integer array, so that one program does each step. New keys and values are written behind them; a jitted
 * step to which the caches are donated writes them in place. Query t sees the keys up to position + t. */
typedef struct kn_nn_cached_attention_result {
    kn_array encoded, key_cache, value_cache;
} kn_nn_cached_attention_result;
/* causal attention of T new queries over what the caches hold and the T new keys and values:
 * kn_nn_dot_product_attention's result, and the caches with the new ones. A position beyond S - T is S - T, one
 * below 0 is 0. .local_window_size is how far back a query sees. ValueError for shapes that do not fit */
KN_API kn_nn_cached_attention_result kn_nn_cached_attention(kn_array query, kn_array key, kn_array value, kn_array
    key_cache, kn_array value_cache, kn_array position, const kn_nn_attention_opts *opts);
/* kn_nn_multi_head_attention of T new tokens, which are causal, and the caches with their keys and values.
 * ValueError with a context */
KN_API kn_nn_cached_attention_result kn_nn_multi_head_attention_cached(kn_array x, kn_array key_cache, kn_array
    value_cache, kn_array position, kn_array w_query, kn_array w_key, kn_array w_value, kn_array w_out,
    const kn_nn_multi_head_attention_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_dot_product_attention(query, key, value, ...)                                                            \
    KN_F3O(kn_nn_dot_product_attention, kn_nn_attention_opts, (), query, key, value, __VA_ARGS__)
#define kn_nn_dot_product_attention_residual(query, key, value, ...)                                                   \
    KN_F3O(kn_nn_dot_product_attention_residual, kn_nn_attention_opts, (), query, key, value, __VA_ARGS__)
#define kn_nn_multi_head_attention(x, w_query, w_key, w_value, w_out, ...)                                             \
    KN_NN_MULTI_HEAD_ATTENTION_(__COUNTER__, x, w_query, w_key, w_value, w_out, __VA_ARGS__)
#define KN_NN_MULTI_HEAD_ATTENTION_(c, x, w_query, w_key, w_value, w_out, ...)                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(w_query); kn_array                 \
    KN_V(3, c) = KN_LIKE(w_key); kn_array KN_V(4, c) = KN_LIKE(w_value); kn_array KN_V(5, c) = KN_LIKE(w_out);         \
    KN_OPTS(c, kn_nn_multi_head_attention_opts, (.rope_base = 10000, ), __VA_ARGS__) KN_HERE();                        \
    (kn_nn_multi_head_attention)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c), KN_V(opt, c)); })
#define kn_nn_cached_attention(query, key, value, key_cache, value_cache, position, ...)                               \
    KN_NN_CACHED_ATTENTION_(__COUNTER__, query, key, value, key_cache, value_cache, position, __VA_ARGS__)
#define KN_NN_CACHED_ATTENTION_(c, query, key, value, key_cache, value_cache, position, ...)                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(query); kn_array KN_V(2, c) = KN_LIKE(key); kn_array                 \
    KN_V(3, c) = KN_LIKE(value); kn_array KN_V(4, c) = KN_LIKE(key_cache); kn_array KN_V(5, c) = KN_LIKE(value_cache); \
    kn_array KN_V(6, c) = KN_LIKE(position); KN_OPTS(c, kn_nn_attention_opts, (), __VA_ARGS__) KN_HERE();              \
    (kn_nn_cached_attention)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c), KN_V(6, c), KN_V(opt, c)); })
#define kn_nn_multi_head_attention_cached(x, key_cache, value_cache, position, w_query, w_key, w_value, w_out, ...)    \
    KN_NN_MULTI_HEAD_ATTENTION_CACHED_(__COUNTER__, x, key_cache, value_cache, position, w_query, w_key, w_value,      \
    w_out, __VA_ARGS__)
#define KN_NN_MULTI_HEAD_ATTENTION_CACHED_(c, x, key_cache, value_cache, position, w_query, w_key, w_value, w_out,     \
    ...)                                                                                                               \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(key_cache); kn_array               \
    KN_V(3, c) = KN_LIKE(value_cache); kn_array KN_V(4, c) = KN_LIKE(position); kn_array                               \
    KN_V(5, c) = KN_LIKE(w_query); kn_array KN_V(6, c) = KN_LIKE(w_key); kn_array KN_V(7, c) = KN_LIKE(w_value);       \
    kn_array KN_V(8, c) = KN_LIKE(w_out); KN_OPTS(c, kn_nn_multi_head_attention_opts, (.rope_base = 10000, ),          \
    __VA_ARGS__) KN_HERE(); (kn_nn_multi_head_attention_cached)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c),        \
    KN_V(5, c), KN_V(6, c), KN_V(7, c), KN_V(8, c), KN_V(opt, c)); })
#endif
#endif
