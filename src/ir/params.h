/* SPDX-License-Identifier: Apache-2.0
 * params.h -- typed parameters of primitives, and the descriptors that let one piece of code copy, hash, compare, print and parse them.
 * A field's struct member is: INT int64_t, BOOL bool, DTYPE kn_dtype, INTS kn_ints, STRING const char *, JAXPR kni_jaxpr *,
 * ENUM int64_t (index into `names`), DOUBLE double. */
#ifndef KN_IR_PARAMS_H
#define KN_IR_PARAMS_H
#include "ir/jaxpr.h"

typedef struct kn_ints { int n; const int64_t *v; } kn_ints;

typedef enum { KN_P_INT, KN_P_BOOL, KN_P_DTYPE, KN_P_INTS, KN_P_STRING, KN_P_JAXPR, KN_P_ENUM, KN_P_DOUBLE,
               KN_P_TEXT /* no member: prints `text` always in the typed form (out_sharding=None) */ } kn_param_kind;
enum {
    KN_PF_HIDE_TYPED = 1,   /* not shown in the typed form (always in the full form) */
    KN_PF_HIDE_EMPTY = 2,   /* typed form: hidden when the list is empty / the pointer is NULL */
    KN_PF_FIRST = 4,        /* printed before the alphabetical rest (name of jit) */
    KN_PF_HIDE_CLASSIC = 8, /* not shown in the classic form */
};
typedef struct kn_param_field {
    const char *name;       /* NULL ends the list; fields stand in the order that the typed form prints them */
    kn_param_kind kind;
    uint16_t offset;
    uint16_t flags;
    const char *text;             /* KN_P_TEXT */
    const char *const *names;     /* KN_P_ENUM, NULL-terminated */
} kn_param_field;

bool kni_params_copy(kn_arena *a, const kn_prim *p, const void *params, const void **out); /* deep; retains jaxprs; false without memory */
void kni_params_drop(const kn_prim *p, const void *params);                               /* releases jaxprs */
bool kni_params_equal(const kn_prim *p, const void *a, const void *b);
uint64_t kni_params_hash(const kn_prim *p, const void *params, uint64_t seed);

typedef enum { KN_GATHER_CLIP, KN_GATHER_FILL, KN_GATHER_PROMISE, KN_GATHER_CHECK /* IndexError while running, NumPy's text */ } kn_gather_mode;

typedef struct { kn_ints axes; } kn_p_reduce;                                        /* reduce_sum, reduce_max, ... ; axes sorted */
typedef struct { kn_ints axes; kn_dtype index_dtype; } kn_p_argreduce;               /* argmax, argmin: one axis */
typedef struct { kn_ints shape, broadcast_dimensions; } kn_p_broadcast_in_dim;
typedef struct { kn_ints new_sizes; } kn_p_reshape;
typedef struct { kn_ints dimensions; } kn_p_dims;                                    /* squeeze, rev */
typedef struct { kn_ints permutation; } kn_p_transpose;
typedef struct { kn_ints limit_indices, start_indices, strides; } kn_p_slice;        /* strides empty: all 1 */
typedef struct { int64_t dimension; } kn_p_concatenate;
typedef struct { kn_ints lo, hi, interior; } kn_p_pad;                               /* lo, hi may be negative */
typedef struct { int64_t dimension; kn_dtype dtype; kn_ints shape; } kn_p_iota;
typedef struct { kn_dtype new_dtype; bool weak_type; } kn_p_convert;
typedef struct { kn_dtype new_dtype; } kn_p_bitcast;
typedef struct { int64_t y; } kn_p_integer_pow;
typedef struct {
    kn_ints offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims, slice_sizes;
    int64_t mode; bool indices_are_sorted, unique_indices;
} kn_p_gather;                                                                       /* as jax.lax.GatherDimensionNumbers; fill value: NaN, or the smallest integer (JAX) */
typedef struct {
    kn_ints update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims, scatter_indices_batching_dims;
    int64_t mode; bool indices_are_sorted, unique_indices;
} kn_p_scatter;                                                                      /* updates are applied in C order of the updates array */
typedef struct { kn_ints slice_sizes; } kn_p_dynamic_slice;
typedef struct { kn_ints lhs_contract, rhs_contract, lhs_batch, rhs_batch; kn_dtype preferred_element_type; /* may be NULL */ } kn_p_dot_general;
typedef struct { int64_t dimension, num_keys; bool is_stable; } kn_p_sort;
typedef struct { int64_t bit_width; kn_ints shape; } kn_p_random_bits;
typedef struct { const char *name; kni_jaxpr *jaxpr; } kn_p_jit;                     /* the jaxpr has no constvars: they became operands in front */
#endif
