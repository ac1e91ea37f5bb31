/* SPDX-License-Identifier: Apache-2.0
 * kiln/random.h -- random numbers from keys, as jax.random: the same numbers for the same key (threefry2x32, its
 * default settings).
 *
 * A key is an array of dtype key<fry>; it goes into jit, vmap and scan like any other. Every function takes a single
 * key (batches through kn_vmap). Use a key once: then split it, or fold a number into it. */
#ifndef KILN_RANDOM_H
#define KILN_RANDOM_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. An array that is NULL, or a dtype that is NULL, is not given. */
typedef struct kn_random_split_opts {
    size_t size_; int64_t num; kn_shape shape; /* num: 2; a shape wins over num */
} kn_random_split_opts;
typedef struct kn_random_bits_opts { size_t size_; kn_dtype dtype; } kn_random_bits_opts; /* uint32 */
typedef struct kn_random_uniform_opts {
    size_t size_; kn_dtype dtype; kn_array minval, maxval; /* 0, 1 */
} kn_random_uniform_opts;
typedef struct kn_random_normal_opts { size_t size_; kn_dtype dtype; } kn_random_normal_opts;
typedef struct kn_random_permutation_opts {
    size_t size_; kn_axes axis; bool independent; /* axis: 0 */
} kn_random_permutation_opts;
KN_API kn_random_split_opts kn_random_split_opts_default(void);
KN_API kn_random_bits_opts kn_random_bits_opts_default(void);
KN_API kn_random_uniform_opts kn_random_uniform_opts_default(void);
KN_API kn_random_normal_opts kn_random_normal_opts_default(void);
KN_API kn_random_permutation_opts kn_random_permutation_opts_default(void);

/* ---- Keys. */
KN_API kn_array kn_random_key(kn_array seed);                    /* jax.random.key of an integer */
/* jax.random.split: `num` new keys, or an array of keys of a shape */
KN_API kn_array kn_random_split(kn_array key, const kn_random_split_opts *opts);
KN_API kn_array kn_random_fold_in(kn_array key, kn_array data);  /* jax.random.fold_in: with an integer of 32 bits */
KN_API kn_array kn_random_key_data(kn_array keys);               /* jax.random.key_data: uint32[..., 2] */
KN_API kn_array kn_random_wrap_key_data(kn_array data);          /* jax.random.wrap_key_data: keys of uint32[..., 2] */

/* ---- Numbers. The dtype is the context's default float (float64) unless it is given. */
/* jax.random.bits: uniform unsigned integers */
KN_API kn_array kn_random_bits(kn_array key, const kn_shape *shape, const kn_random_bits_opts *opts);
/* jax.random.uniform: in [minval, maxval) */
KN_API kn_array kn_random_uniform(kn_array key, const kn_shape *shape, const kn_random_uniform_opts *opts);
/* jax.random.normal: mean 0, variance 1; complex dtypes too */
KN_API kn_array kn_random_normal(kn_array key, const kn_shape *shape, const kn_random_normal_opts *opts);
/* jax.random.permutation: x shuffled along an axis (`independent`: each row its own way); an integer x is 0 .. x-1 */
KN_API kn_array kn_random_permutation(kn_array key, kn_array x, const kn_random_permutation_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_random_key(seed) KN_F1(kn_random_key, seed)
#define kn_random_split(key, ...) KN_F1O(kn_random_split, kn_random_split_opts, (.num = 2, ), key, __VA_ARGS__)
#define kn_random_fold_in(key, data) KN_F2(kn_random_fold_in, key, data)
#define kn_random_key_data(keys) KN_F1(kn_random_key_data, keys)
#define kn_random_wrap_key_data(data) KN_F1(kn_random_wrap_key_data, data)
#define KN_RANDOM_(c, f, T, key, shape, ...)                                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); const kn_shape KN_V(2, c) = (shape);                           \
        KN_OPTS(c, T, (), __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_random_bits(key, shape, ...)                                                                                \
    KN_RANDOM_(__COUNTER__, kn_random_bits, kn_random_bits_opts, key, shape, __VA_ARGS__)
#define kn_random_uniform(key, shape, ...)                                                                             \
    KN_RANDOM_(__COUNTER__, kn_random_uniform, kn_random_uniform_opts, key, shape, __VA_ARGS__)
#define kn_random_normal(key, shape, ...)                                                                              \
    KN_RANDOM_(__COUNTER__, kn_random_normal, kn_random_normal_opts, key, shape, __VA_ARGS__)
#define kn_random_permutation(key, x, ...)                                                                             \
    KN_F2O(kn_random_permutation, kn_random_permutation_opts, (), key, x, __VA_ARGS__)
#endif
#endif
