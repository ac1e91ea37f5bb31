/* SPDX-License-Identifier: Apache-2.0
 * params.h -- typed parameters of primitives, and the descriptors that let one piece of code copy, hash, compare,
 * print and parse them. A field's struct member is: INT int64_t, BOOL bool, DTYPE kn_dtype, INTS kn_ints, STRING
 * const char *, JAXPR kni_jaxpr *, ENUM int64_t (index into `names`), DOUBLE double. TEXT has no member: it is
 * something that the typed or classic form shows (a constant `text`, or what `show` writes, computed from the real
 * members, which are then hidden there); the full form shows members only.
 *
 * A row says `.fields = kni_fields_x, .params_size = sizeof(kn_p_x)` with a table of fields.c. The tables, with the
 * struct where its name is another one, and what the typed form prints:
 *     reduce_sum (kn_p_reduce)     reduce_sum[axes=(0,) out_sharding=None]; classic: axes=(0,) input_shape=(8,)
 *     reduce                       reduce_max[axes=(0, 1) out_sharding=None]; reduce_min
 *     reduce_bool (kn_p_reduce)    reduce_and[axes=(0,)]; reduce_or
 *     argreduce                    argmax[axes=(0,) index_dtype=int32]; argmin
 *     broadcast_in_dim             broadcast_in_dim[broadcast_dimensions=(1,)]; nothing shown when it is ()
 *     reshape                      reshape[dimensions=None new_sizes=(4,) sharding=None]
 *     dims                         squeeze[dimensions=(0,)]; rev
 *     transpose                    transpose[permutation=(1, 0)]
 *     slice                        slice[limit_indices=(3,) start_indices=(1,) strides=None]
 *     concatenate                  concatenate[dimension=0]
 *     pad                          pad[padding_config=((0, 0, 0),)]
 *     iota                         iota[dimension=0 dtype=int32 shape=(3,) sharding=None]
 *     convert                      convert_element_type[new_dtype=int32 weak_type=False]
 *     bitcast                      bitcast_convert_type[new_dtype=uint32], bitcast_last_axis
 *     integer_pow                  integer_pow[y=2]
 *     gather                       gather[dimension_numbers=GatherDimensionNumbers(offset_dims=(0,), ...)
 *                                  fill_value=None indices_are_sorted=True mode=GatherScatterMode.PROMISE_IN_BOUNDS
 *                                  slice_sizes=(1, 3) unique_indices=True]
 *     scatter                      scatter-add[dimension_numbers=ScatterDimensionNumbers(update_window_dims=(), ...)
 *                                  indices_are_sorted=True mode=GatherScatterMode.FILL_OR_DROP unique_indices=True
 *                                  update_consts=() update_jaxpr=None]; scatter, scatter-mul, -min, -max
 *     dynamic_slice                dynamic_slice[slice_sizes=(1,)]
 *     dot_general                  dot_general[dimension_numbers=(([1], [0]), ([], []))
 *                                  preferred_element_type=float32]
 *     sort                         sort[dimension=0 is_stable=True num_keys=1]
 *     factorize                    cholesky, lu: nothing is shown; the full form has check=inv
 *     triangular_solve             triangular_solve[conjugate_a=False left_side=True lower=True transpose_a=False
 *                                  unit_diagonal=False]
 *     random_bits                  random_bits[bit_width=32 shape=(3,)]
 *     random_wrap (no struct)      random_wrap[impl=fry]; params_size is 0 and params are NULL
 *     jit                          jit[name=f jaxpr={ lambda ; a:f32[]. let  in (a,) }]; classic: xla_call
 * All others have no parameters: elementwise functions, select_n, complex, stop_gradient, dynamic_update_slice,
 * threefry2x32, random_unwrap. */
#ifndef KN_IR_PARAMS_H
#define KN_IR_PARAMS_H
#include "base/hash.h"
#include "base/str.h"
#include "ir/jaxpr.h"

typedef struct kn_ints {
    int n;
    const int64_t *v;
} kn_ints;

typedef enum {
    KN_P_INT,
    KN_P_BOOL,
    KN_P_DTYPE,
    KN_P_INTS,
    KN_P_STRING,
    KN_P_JAXPR,
    KN_P_ENUM,
    KN_P_DOUBLE,
    KN_P_TEXT
} kn_param_kind;
enum {
    KN_PF_HIDE_TYPED = 1,   /* not shown in the typed form (always in the full form, if it is a member) */
    KN_PF_HIDE_EMPTY = 2,   /* typed form: hidden when the list is empty / the pointer is NULL */
    KN_PF_FIRST = 4,        /* printed before the alphabetical rest (name of jit) */
    KN_PF_HIDE_CLASSIC = 8, /* not shown in the classic form */
    KN_PF_NONE_EMPTY = 16,  /* typed and classic form: an empty list prints as None (strides of slice) */
    KN_PF_NAME = 32,        /* a name, not structure: does not count when parameters are compared or hashed */
    /* a TEXT that is no parameter: the classic form calls the primitive so (xla_call for jit) */
    KN_PF_PRIM_NAME = 64,
};
typedef struct kn_param_field {
    const char *name; /* NULL ends the list; fields stand in the order that the typed form prints them */
    kn_param_kind kind;
    uint16_t offset;
    uint16_t flags;
    const char *text;                                                                 /* KN_P_TEXT */
    const char *const *names;                                                         /* KN_P_ENUM, NULL-terminated */
    void (*show)(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e); /* KN_P_TEXT without `text` */
    const char *classic_name; /* NULL: name; the classic form sorts by it */
} kn_param_field;

/* fields.c */
extern const kn_param_field kni_fields_reduce_sum[], kni_fields_reduce[], kni_fields_reduce_bool[],
    kni_fields_argreduce[], kni_fields_broadcast_in_dim[], kni_fields_reshape[], kni_fields_dims[],
    kni_fields_transpose[], kni_fields_slice[], kni_fields_concatenate[], kni_fields_pad[], kni_fields_iota[],
    kni_fields_convert[], kni_fields_bitcast[], kni_fields_integer_pow[], kni_fields_gather[], kni_fields_scatter[],
    kni_fields_dynamic_slice[], kni_fields_dot_general[], kni_fields_sort[], kni_fields_factorize[],
    kni_fields_triangular_solve[], kni_fields_random_bits[],
    kni_fields_random_wrap[], kni_fields_jit[];

/* Texts that tables of fields share: param_text.c. */
/* with `tuple`: (0,) has its comma */
void kni_show_ints(kn_str *t, const char *open, kn_ints v, const char *close, bool tuple);
void kni_show_int(kn_str *t, int64_t v);
void kni_show_gather(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);
void kni_show_scatter(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);
void kni_show_dot_general(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);
void kni_show_pad(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);
void kni_show_in_shape(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);
void kni_show_in_dtype(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e);

/* deep; retains jaxprs; false without memory */
bool kni_params_copy(kn_arena *a, const kn_prim *p, const void *params, const void **out);
void kni_params_drop(const kn_prim *p, const void *params); /* releases jaxprs */
bool kni_params_equal(const kn_prim *p, const void *a, const void *b);
/* For comparing jaxprs: `known` maps a jaxpr to those that were found equal to it, so that shared ones are compared
 * once. */
bool kni_params_equal_known(const kn_prim *p, const void *a, const void *b, kn_map *known);
bool kni_equal_known(const kni_jaxpr *a, const kni_jaxpr *b, kn_map *known);
uint64_t kni_params_hash(const kn_prim *p, const void *params, uint64_t seed);
/* How many results at most: those of a row without a fixed number follow its operands or its jaxprs. */
size_t kni_result_room(const kn_prim *p, const void *params, int n_in);

typedef enum {
    KN_GATHER_CLIP,
    KN_GATHER_FILL,
    KN_GATHER_PROMISE,
    KN_GATHER_CHECK /* IndexError while running, NumPy's text */,
    KN_GATHER_FILL_ZERO /* tangents of FILL: zero where there was no value */
} kn_gather_mode;

/* reduce_sum, reduce_max, ... ; axes sorted */
typedef struct {
    kn_ints axes;
} kn_p_reduce;
typedef struct {
    kn_ints axes;
    kn_dtype index_dtype;
} kn_p_argreduce; /* argmax, argmin: one axis */
typedef struct {
    kn_ints shape, broadcast_dimensions;
} kn_p_broadcast_in_dim;
typedef struct {
    kn_ints new_sizes;
} kn_p_reshape;
typedef struct {
    kn_ints dimensions;
} kn_p_dims; /* squeeze, rev */
typedef struct {
    kn_ints permutation;
} kn_p_transpose;
typedef struct {
    kn_ints limit_indices, start_indices, strides;
} kn_p_slice; /* strides empty: all 1 */
typedef struct {
    int64_t dimension;
} kn_p_concatenate;
typedef struct {
    kn_ints lo, hi, interior;
} kn_p_pad; /* lo, hi may be negative */
typedef struct {
    int64_t dimension;
    kn_dtype dtype;
    kn_ints shape;
} kn_p_iota;
typedef struct {
    kn_dtype new_dtype;
    bool weak_type;
} kn_p_convert;
typedef struct {
    kn_dtype new_dtype;
} kn_p_bitcast;
typedef struct {
    int64_t y;
} kn_p_integer_pow;
typedef struct {
    kn_ints offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims,
        slice_sizes;
    int64_t mode;
    bool indices_are_sorted, unique_indices;
    /* as jax.lax.GatherDimensionNumbers; fill value: NaN, or the smallest integer (JAX) */
} kn_p_gather;
typedef struct {
    kn_ints update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims,
        scatter_indices_batching_dims;
    int64_t mode;
    bool indices_are_sorted, unique_indices;
    /* updates are applied in C order of the updates array */
} kn_p_scatter;
typedef struct {
    kn_ints slice_sizes;
} kn_p_dynamic_slice;
typedef struct {
    kn_ints lhs_contract, rhs_contract, lhs_batch, rhs_batch;
    kn_dtype preferred_element_type; /* may be NULL */
} kn_p_dot_general;
typedef struct {
    int64_t dimension, num_keys;
    bool is_stable;
} kn_p_sort;
/* LinAlgError of this operation while running if there is no factor, or a pivot is zero */
typedef enum { KN_CHECK_NONE, KN_CHECK_CHOLESKY, KN_CHECK_INV, KN_CHECK_SOLVE } kn_factor_check;
extern const char *const kni_check_names[];
typedef struct {
    int64_t check;
} kn_p_factorize; /* cholesky, lu */
typedef struct {
    bool left_side, lower, transpose_a, conjugate_a, unit_diagonal;
} kn_p_triangular_solve;
typedef struct {
    int64_t bit_width;
    kn_ints shape;
} kn_p_random_bits;
/* the jaxpr has no constvars: they became operands in front */
typedef struct {
    const char *name;
    kni_jaxpr *jaxpr;
} kn_p_jit;
#endif
