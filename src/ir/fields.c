/* SPDX-License-Identifier: Apache-2.0
 * fields.c -- the parameter descriptors of all primitives with parameters. What each prints is listed at the top of
 * params.h. */
#include "ir/params.h"
#include <stddef.h>

/* clang-format off */
#define FIELD(what, type, member, ...) \
    { .name = #member, .kind = KN_P_##what, .offset = offsetof(type, member), __VA_ARGS__ }
#define TEXT(field, value, ...) { .name = field, .kind = KN_P_TEXT, .text = value, __VA_ARGS__ }
#define SHOW(field, function, ...) { .name = field, .kind = KN_P_TEXT, .show = function, __VA_ARGS__ }
#define END { .name = NULL }
/* clang-format on */
#define HIDDEN       .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC
#define TYPED_ONLY   .flags = KN_PF_HIDE_CLASSIC
#define CLASSIC_ONLY .flags = KN_PF_HIDE_TYPED

/* Reductions */

const kn_param_field kni_fields_reduce_sum[] = {
    FIELD(INTS, kn_p_reduce, axes),
    SHOW("input_shape", kni_show_in_shape, CLASSIC_ONLY),
    TEXT("out_sharding", "None", TYPED_ONLY),
    END,
};
const kn_param_field kni_fields_reduce[] = {
    FIELD(INTS, kn_p_reduce, axes),
    TEXT("out_sharding", "None", TYPED_ONLY),
    END,
};
const kn_param_field kni_fields_reduce_bool[] = {FIELD(INTS, kn_p_reduce, axes), END};
const kn_param_field kni_fields_argreduce[] = {
    FIELD(INTS, kn_p_argreduce, axes),
    FIELD(DTYPE, kn_p_argreduce, index_dtype),
    END,
};

/* Shapes and dtypes */

const kn_param_field kni_fields_broadcast_in_dim[] = {
    FIELD(INTS, kn_p_broadcast_in_dim, broadcast_dimensions, .flags = KN_PF_HIDE_EMPTY),
    FIELD(INTS, kn_p_broadcast_in_dim, shape, CLASSIC_ONLY),
    END,
};
const kn_param_field kni_fields_reshape[] = {
    TEXT("dimensions", "None"),
    FIELD(INTS, kn_p_reshape, new_sizes),
    SHOW("old_sizes", kni_show_in_shape, CLASSIC_ONLY),
    TEXT("sharding", "None", TYPED_ONLY),
    END,
};
const kn_param_field kni_fields_dims[] = {FIELD(INTS, kn_p_dims, dimensions), END};
const kn_param_field kni_fields_transpose[] = {FIELD(INTS, kn_p_transpose, permutation), END};
const kn_param_field kni_fields_slice[] = {
    FIELD(INTS, kn_p_slice, limit_indices),
    FIELD(INTS, kn_p_slice, start_indices),
    FIELD(INTS, kn_p_slice, strides, .flags = KN_PF_NONE_EMPTY),
    END,
};
const kn_param_field kni_fields_concatenate[] = {FIELD(INT, kn_p_concatenate, dimension), END};
const kn_param_field kni_fields_pad[] = {
    SHOW("padding_config", kni_show_pad),
    FIELD(INTS, kn_p_pad, lo, HIDDEN),
    FIELD(INTS, kn_p_pad, hi, HIDDEN),
    FIELD(INTS, kn_p_pad, interior, HIDDEN),
    END,
};
const kn_param_field kni_fields_iota[] = {
    FIELD(INT, kn_p_iota, dimension),
    FIELD(DTYPE, kn_p_iota, dtype),
    FIELD(INTS, kn_p_iota, shape),
    TEXT("sharding", "None", TYPED_ONLY),
    END,
};
const kn_param_field kni_fields_convert[] = {
    FIELD(DTYPE, kn_p_convert, new_dtype),
    SHOW("old_dtype", kni_show_in_dtype, CLASSIC_ONLY),
    FIELD(BOOL, kn_p_convert, weak_type, TYPED_ONLY),
    END,
};
const kn_param_field kni_fields_bitcast[] = {FIELD(DTYPE, kn_p_bitcast, new_dtype), END};
const kn_param_field kni_fields_integer_pow[] = {FIELD(INT, kn_p_integer_pow, y), END};

/* Indexing */

static const char *const gather_modes[] = {
    [KN_GATHER_CLIP] = "GatherScatterMode.CLIP",
    [KN_GATHER_FILL] = "GatherScatterMode.FILL_OR_DROP",
    [KN_GATHER_PROMISE] = "GatherScatterMode.PROMISE_IN_BOUNDS",
    [KN_GATHER_CHECK] = "GatherScatterMode.CHECK",
    [KN_GATHER_FILL_ZERO] = "GatherScatterMode.FILL_ZERO",
    NULL,
};
const kn_param_field kni_fields_gather[] = {
    SHOW("dimension_numbers", kni_show_gather),
    FIELD(INTS, kn_p_gather, offset_dims, HIDDEN),
    FIELD(INTS, kn_p_gather, collapsed_slice_dims, HIDDEN),
    FIELD(INTS, kn_p_gather, start_index_map, HIDDEN),
    FIELD(INTS, kn_p_gather, operand_batching_dims, HIDDEN),
    FIELD(INTS, kn_p_gather, start_indices_batching_dims, HIDDEN),
    TEXT("fill_value", "None", TYPED_ONLY),
    FIELD(BOOL, kn_p_gather, indices_are_sorted),
    FIELD(ENUM, kn_p_gather, mode, .names = gather_modes),
    FIELD(INTS, kn_p_gather, slice_sizes),
    FIELD(BOOL, kn_p_gather, unique_indices),
    END,
};
const kn_param_field kni_fields_scatter[] = {
    SHOW("dimension_numbers", kni_show_scatter),
    FIELD(INTS, kn_p_scatter, update_window_dims, HIDDEN),
    FIELD(INTS, kn_p_scatter, inserted_window_dims, HIDDEN),
    FIELD(INTS, kn_p_scatter, scatter_dims_to_operand_dims, HIDDEN),
    FIELD(INTS, kn_p_scatter, operand_batching_dims, HIDDEN),
    FIELD(INTS, kn_p_scatter, scatter_indices_batching_dims, HIDDEN),
    FIELD(BOOL, kn_p_scatter, indices_are_sorted),
    FIELD(ENUM, kn_p_scatter, mode, .names = gather_modes),
    FIELD(BOOL, kn_p_scatter, unique_indices),
    TEXT("update_consts", "()"),
    TEXT("update_jaxpr", "None"),
    END,
};
const kn_param_field kni_fields_dynamic_slice[] = {FIELD(INTS, kn_p_dynamic_slice, slice_sizes), END};

/* The others */

const kn_param_field kni_fields_dot_general[] = {
    SHOW("dimension_numbers", kni_show_dot_general),
    FIELD(INTS, kn_p_dot_general, lhs_contract, HIDDEN),
    FIELD(INTS, kn_p_dot_general, rhs_contract, HIDDEN),
    FIELD(INTS, kn_p_dot_general, lhs_batch, HIDDEN),
    FIELD(INTS, kn_p_dot_general, rhs_batch, HIDDEN),
    TEXT("precision", "None", CLASSIC_ONLY),
    FIELD(DTYPE, kn_p_dot_general, preferred_element_type, .flags = KN_PF_HIDE_EMPTY | KN_PF_HIDE_CLASSIC),
    END,
};
const kn_param_field kni_fields_sort[] = {
    FIELD(INT, kn_p_sort, dimension),
    FIELD(BOOL, kn_p_sort, is_stable),
    FIELD(INT, kn_p_sort, num_keys),
    END,
};
const char *const kni_check_names[] = {
    [KN_CHECK_NONE] = "none",
    [KN_CHECK_CHOLESKY] = "cholesky",
    [KN_CHECK_INV] = "inv",
    [KN_CHECK_SOLVE] = "solve",
    NULL,
};
const kn_param_field kni_fields_factorize[] = {
    FIELD(ENUM, kn_p_factorize, check, .names = kni_check_names, HIDDEN),
    END,
};
const kn_param_field kni_fields_triangular_solve[] = {
    FIELD(BOOL, kn_p_triangular_solve, conjugate_a),   FIELD(BOOL, kn_p_triangular_solve, left_side),
    FIELD(BOOL, kn_p_triangular_solve, lower),         FIELD(BOOL, kn_p_triangular_solve, transpose_a),
    FIELD(BOOL, kn_p_triangular_solve, unit_diagonal), END,
};
const kn_param_field kni_fields_random_bits[] = {
    FIELD(INT, kn_p_random_bits, bit_width),
    FIELD(INTS, kn_p_random_bits, shape),
    END,
};
const kn_param_field kni_fields_random_wrap[] = {TEXT("impl", "fry"), END};
const kn_param_field kni_fields_jit[] = {
    FIELD(STRING, kn_p_jit, name, .flags = KN_PF_FIRST | KN_PF_NAME),
    TEXT("backend", "None", CLASSIC_ONLY),
    TEXT("device", "None", CLASSIC_ONLY),
    FIELD(JAXPR, kn_p_jit, jaxpr, .classic_name = "call_jaxpr"),
    TEXT("xla_call", "xla_call", .flags = KN_PF_PRIM_NAME),
    END,
};
