/* SPDX-License-Identifier: Apache-2.0
 * fields.c -- the parameter descriptors of all primitives with parameters. What each prints is said in params.def and
 * at the top of params.h. */
#include "ir/params.h"
#include <stddef.h>

/* clang-format off */
#define FIELD(what, type, member, ...) \
    { .name = #member, .kind = KN_P_##what, .offset = offsetof(type, member), __VA_ARGS__ }
#define TEXT(field, value, ...) { .name = field, .kind = KN_P_TEXT, .text = value, __VA_ARGS__ }
#define SHOW(field, function, ...) { .name = field, .kind = KN_P_TEXT, .show = function, __VA_ARGS__ }
#define END { .name = NULL }
/* clang-format on */
#define OF_MESH         .flags = KN_PF_IF_TRUE | KN_PF_OPTIONAL
#define HIDDEN          .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC
#define HIDDEN_OPTIONAL .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC | KN_PF_OPTIONAL
#define FOR_TEXTS       .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC | KN_PF_OPTIONAL | KN_PF_NAME
#define TYPED_ONLY      .flags = KN_PF_HIDE_CLASSIC
#define CLASSIC_ONLY    .flags = KN_PF_HIDE_TYPED
#define EXTENTS         .flags = KN_PF_EXTENTS
#define CLASSIC_EXTENTS .flags = KN_PF_HIDE_TYPED | KN_PF_EXTENTS
#define HIDDEN_EXTENTS  .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC | KN_PF_EXTENTS

/* The sets of params.def, after the names of their enumerations. */

static const char *const rng_algorithms[] = {
    [KN_RNG_DEFAULT] = "RNG_DEFAULT",
    [KN_RNG_THREE_FRY] = "RNG_THREE_FRY",
    [KN_RNG_PHILOX] = "RNG_PHILOX",
    NULL,
};
const char *const kni_check_names[] = {
    [KN_CHECK_NONE] = "none",
    [KN_CHECK_CHOLESKY] = "cholesky",
    [KN_CHECK_INV] = "inv",
    [KN_CHECK_SOLVE] = "solve",
    [KN_CHECK_EIGH] = "eigh",
    [KN_CHECK_SVD] = "svd",
    [KN_CHECK_EIG] = "eig",
    [KN_CHECK_BANDED] = "solve_banded",
    [KN_CHECK_BANDED_HERMITIAN] = "solveh_banded",
    NULL,
};
static const char *const save_policies[] = {
    [KN_SAVE_NOTHING] = "nothing",
    [KN_SAVE_EVERYTHING] = "everything",
    [KN_SAVE_PRODUCTS] = "products",
    [KN_SAVE_PRODUCTS_WITHOUT_BATCH] = "products_without_batch",
    [KN_SAVE_THESE_NAMES] = "these_names",
    [KN_SAVE_OTHER_NAMES] = "other_names",
    NULL,
};
#define KN_SET(set)                           const kni_param_field kni_fields_##set[] = {
#define KN_SET_MEMBER(set, kind, member, ...) FIELD(kind, kni_p_##set, member, __VA_ARGS__),
#define KN_SET_TEXT(name, value, ...)         TEXT(name, value, __VA_ARGS__),
#define KN_SET_SHOW(name, function, ...)      SHOW(name, function, __VA_ARGS__),
#define KN_SET_END(set) \
    END                 \
    }                   \
    ;
/* clang-format off */
#include "ir/params.def"
/* clang-format on */

/* Reductions */

const kni_param_field kni_fields_reduce_sum[] = {
    FIELD(INTS, kni_p_reduce, axes),
    SHOW("input_shape", kni_show_in_shape, CLASSIC_ONLY),
    TEXT("out_sharding", "None", TYPED_ONLY),
    END,
};
const kni_param_field kni_fields_reduce[] = {FIELD(INTS, kni_p_reduce, axes), END};

/* Shapes and dtypes */

const kni_param_field kni_fields_broadcast_in_dim[] = {
    FIELD(INTS, kni_p_broadcast_in_dim, broadcast_dimensions, .flags = KN_PF_HIDE_EMPTY),
    FIELD(INTS, kni_p_broadcast_in_dim, shape, CLASSIC_EXTENTS),
    END,
};
const kni_param_field kni_fields_conj[] = {SHOW("input_dtype", kni_show_in_dtype), END};

/* clang-format off */
#define PADDING                                                          \
    SHOW("padding", kni_show_window_padding, .read = kni_read_window_padding), \
        FIELD(INTS, kni_p_window, lo, HIDDEN), FIELD(INTS, kni_p_window, hi, HIDDEN)
/* clang-format on */
static const char *const select_prims[] = {[KN_SELECT_GE] = "ge", [KN_SELECT_LE] = "le", NULL};
const kni_param_field kni_fields_window[] = {
    FIELD(INTS, kni_p_window, base_dilation),   PADDING,
    FIELD(INTS, kni_p_window, window_dilation), FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),  END,
};
const kni_param_field kni_fields_reduce_window[] = {
    FIELD(INTS, kni_p_window, base_dilation),   TEXT("consts", "()"),
    FIELD(JAXPR, kni_p_window, jaxpr),          PADDING,
    FIELD(INTS, kni_p_window, window_dilation), FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),  END,
};
const kni_param_field kni_fields_window_gather[] = {
    FIELD(INTS, kni_p_window, base_dilation),
    PADDING,
    FIELD(ENUM, kni_p_window, select_prim, .names = select_prims),
    FIELD(INTS, kni_p_window, window_dilation),
    FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),
    END,
};
const kni_param_field kni_fields_window_scatter[] = {
    PADDING,
    FIELD(ENUM, kni_p_window, select_prim, .names = select_prims),
    FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),
    END,
};
const kni_param_field kni_fields_select_and_scatter[] = {
    PADDING,
    TEXT("scatter_consts", "()"),
    FIELD(JAXPR, kni_p_window, scatter_jaxpr),
    TEXT("select_consts", "()"),
    FIELD(JAXPR, kni_p_window, select_jaxpr),
    FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),
    END,
};
const kni_param_field kni_fields_window_choice[] = {
    FIELD(INTS, kni_p_window, base_dilation),
    FIELD(BOOL, kni_p_window, identity),
    FIELD(DTYPE, kni_p_window, index_dtype),
    PADDING,
    FIELD(ENUM, kni_p_window, select_prim, .names = select_prims),
    FIELD(INTS, kni_p_window, window_dilation),
    FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),
    END,
};
const kni_param_field kni_fields_window_pick[] = {
    FIELD(INTS, kni_p_window, base_dilation),   PADDING,
    FIELD(INTS, kni_p_window, window_dilation), FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),  END,
};
const kni_param_field kni_fields_window_place[] = {
    PADDING,
    FIELD(INTS, kni_p_window, shape, EXTENTS),
    FIELD(INTS, kni_p_window, window_dimensions),
    FIELD(INTS, kni_p_window, window_strides),
    END,
};

/* Indexing */

static const char *const gather_modes[] = {
    [KN_GATHER_CLIP] = "GatherScatterMode.CLIP",
    [KN_GATHER_FILL] = "GatherScatterMode.FILL_OR_DROP",
    [KN_GATHER_PROMISE] = "GatherScatterMode.PROMISE_IN_BOUNDS",
    [KN_GATHER_CHECK] = "GatherScatterMode.CHECK",
    [KN_GATHER_FILL_ZERO] = "GatherScatterMode.FILL_ZERO",
    NULL,
};
const kni_param_field kni_fields_gather[] = {
    SHOW("dimension_numbers", kni_show_gather, .read = kni_read_members),
    FIELD(INTS, kni_p_gather, offset_dims, HIDDEN),
    FIELD(INTS, kni_p_gather, collapsed_slice_dims, HIDDEN),
    FIELD(INTS, kni_p_gather, start_index_map, HIDDEN),
    FIELD(INTS, kni_p_gather, operand_batching_dims, HIDDEN),
    FIELD(INTS, kni_p_gather, start_indices_batching_dims, HIDDEN),
    SHOW("fill_value", kni_show_fill_value, TYPED_ONLY),
    FIELD(BOOL, kni_p_gather, indices_are_sorted),
    FIELD(ENUM, kni_p_gather, mode, .names = gather_modes),
    FIELD(INTS, kni_p_gather, slice_sizes, EXTENTS),
    FIELD(BOOL, kni_p_gather, unique_indices),
    FIELD(BOOL, kni_p_gather, wraps, .flags = KN_PF_IF_TRUE | KN_PF_OPTIONAL),
    END,
};
const kni_param_field kni_fields_scatter[] = {
    SHOW("dimension_numbers", kni_show_scatter, .read = kni_read_members),
    FIELD(INTS, kni_p_scatter, update_window_dims, HIDDEN),
    FIELD(INTS, kni_p_scatter, inserted_window_dims, HIDDEN),
    FIELD(INTS, kni_p_scatter, scatter_dims_to_operand_dims, HIDDEN),
    FIELD(INTS, kni_p_scatter, operand_batching_dims, HIDDEN),
    FIELD(INTS, kni_p_scatter, scatter_indices_batching_dims, HIDDEN),
    FIELD(BOOL, kni_p_scatter, indices_are_sorted),
    FIELD(ENUM, kni_p_scatter, mode, .names = gather_modes),
    FIELD(BOOL, kni_p_scatter, unique_indices),
    FIELD(BOOL, kni_p_scatter, wraps, .flags = KN_PF_IF_TRUE | KN_PF_OPTIONAL),
    TEXT("update_consts", "()"),
    TEXT("update_jaxpr", "None"),
    END,
};

/* The others */

const kni_param_field kni_fields_conv[] = {
    FIELD(INT, kni_p_conv, batch_group_count),
    SHOW("dimension_numbers", kni_show_conv_numbers, .read = kni_read_members),
    FIELD(INTS, kni_p_conv, lhs_spec, HIDDEN),
    FIELD(INTS, kni_p_conv, rhs_spec, HIDDEN),
    FIELD(INTS, kni_p_conv, out_spec, HIDDEN),
    FIELD(INT, kni_p_conv, feature_group_count),
    FIELD(INTS, kni_p_conv, lhs_dilation),
    SHOW("lhs_shape", kni_show_in_shape, CLASSIC_ONLY),
    TEXT("out_sharding", "None", TYPED_ONLY),
    SHOW("padding", kni_show_conv_padding, .read = kni_read_conv_padding),
    FIELD(INTS, kni_p_conv, lo, HIDDEN),
    FIELD(INTS, kni_p_conv, hi, HIDDEN),
    TEXT("precision", "None"),
    SHOW("preferred_element_type", kni_show_conv_preferred, TYPED_ONLY),
    FIELD(DTYPE, kni_p_conv, preferred_element_type, .flags = KN_PF_HIDE_EMPTY | KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC),
    FIELD(INTS, kni_p_conv, rhs_dilation),
    SHOW("rhs_shape", kni_show_second_shape, CLASSIC_ONLY),
    FIELD(INTS, kni_p_conv, window_strides),
    END,
};
const kni_param_field kni_fields_sort[] = {
    FIELD(INT, kni_p_sort, dimension),
    FIELD(BOOL, kni_p_sort, is_stable),
    FIELD(INT, kni_p_sort, num_keys),
    END,
};
const kni_param_field kni_fields_triangular_solve[] = {
    FIELD(BOOL, kni_p_triangular_solve, conjugate_a),   FIELD(BOOL, kni_p_triangular_solve, left_side),
    FIELD(BOOL, kni_p_triangular_solve, lower),         FIELD(BOOL, kni_p_triangular_solve, transpose_a),
    FIELD(BOOL, kni_p_triangular_solve, unit_diagonal), END,
};
const kni_param_field kni_fields_random_wrap[] = {TEXT("impl", "fry"), END};

const kni_param_field kni_fields_scan[] = {
    SHOW("forward", kni_show_forward, CLASSIC_ONLY, .read = kni_read_forward),
    FIELD(JAXPR, kni_p_scan, jaxpr, .flags = KN_PF_UNITS),
    FIELD(INT, kni_p_scan, length, EXTENTS),
    SHOW("linear", kni_show_linear, CLASSIC_ONLY, .read = kni_read_linear),
    FIELD(INT, kni_p_scan, num_carry),
    FIELD(INT, kni_p_scan, num_consts),
    FIELD(BOOL, kni_p_scan, reverse, TYPED_ONLY),
    FIELD(INT, kni_p_scan, unroll, TYPED_ONLY),
    FIELD(INT, kni_p_scan, checkpoint, HIDDEN_OPTIONAL),
    FIELD(INT, kni_p_scan, accept, HIDDEN_OPTIONAL),
    FIELD(INT, kni_p_scan, on_step, HIDDEN_OPTIONAL),
    {.name = "tangents", .kind = KN_P_INTS, .offset = offsetof(kni_p_scan, linear), FOR_TEXTS | KN_PF_TANGENTS},
    END,
};
const kni_param_field kni_fields_cond[] = {
    FIELD(JAXPRS, kni_p_cond, branches, .flags = KN_PF_BRANCHES),
    FIELD(INTS, kni_p_cond, consts, .flags = KN_PF_HIDE_TYPED | KN_PF_HIDE_CLASSIC | KN_PF_OPTIONAL | KN_PF_NAME),
    {.name = "tangents", .kind = KN_P_INTS, .offset = offsetof(kni_p_cond, linear), FOR_TEXTS | KN_PF_TANGENTS},
    SHOW("linear", kni_show_linear, CLASSIC_ONLY, .read = kni_read_linear),
    END,
};

/* Collectives */

const kni_param_field kni_fields_all_gather[] = {
    FIELD(INT, kni_p_all_gather, all_gather_dimension),
    TEXT("axis_index_groups", "None"),
    FIELD(NAMES, kni_p_all_gather, axis_name),
    FIELD(INT, kni_p_all_gather, axis_size, EXTENTS),
    FIELD(INTS, kni_p_all_gather, sizes, CLASSIC_EXTENTS),
    FIELD(MESH, kni_p_all_gather, mesh, OF_MESH),
    FIELD(BOOL, kni_p_all_gather, tiled),
    END,
};
const kni_param_field kni_fields_all_to_all[] = {
    TEXT("axis_index_groups", "None"),
    FIELD(NAMES, kni_p_all_to_all, axis_name, .flags = KN_PF_ONE_BARE),
    FIELD(INT, kni_p_all_to_all, axis_size, CLASSIC_EXTENTS),
    FIELD(INTS, kni_p_all_to_all, sizes, CLASSIC_EXTENTS),
    FIELD(INT, kni_p_all_to_all, concat_axis),
    FIELD(MESH, kni_p_all_to_all, mesh, OF_MESH),
    FIELD(INT, kni_p_all_to_all, split_axis),
    FIELD(BOOL, kni_p_all_to_all, tiled),
    END,
};
const kni_param_field kni_fields_ppermute[] = {
    FIELD(NAMES, kni_p_ppermute, axis_name),
    FIELD(MESH, kni_p_ppermute, mesh, OF_MESH),
    SHOW("perm", kni_show_pairs, TYPED_ONLY),
    {.name = "pairs", .kind = KN_P_INTS, .offset = offsetof(kni_p_ppermute, perm), CLASSIC_ONLY},
    FIELD(INTS, kni_p_ppermute, sizes, .flags = KN_PF_HIDE_TYPED | KN_PF_EXTENTS | KN_PF_IF_TRUE | KN_PF_OPTIONAL),
    END,
};
const kni_param_field kni_fields_reduce_scatter[] = {
    TEXT("axis_index_groups", "None"),
    FIELD(NAMES, kni_p_reduce_scatter, axis_name),
    FIELD(INT, kni_p_reduce_scatter, axis_size, EXTENTS),
    FIELD(INTS, kni_p_reduce_scatter, sizes, CLASSIC_EXTENTS),
    FIELD(MESH, kni_p_reduce_scatter, mesh, OF_MESH),
    FIELD(BOOL, kni_p_reduce_scatter, minus_zeros, .flags = KN_PF_IF_TRUE | KN_PF_OPTIONAL),
    FIELD(INT, kni_p_reduce_scatter, scatter_dimension),
    FIELD(BOOL, kni_p_reduce_scatter, tiled),
    END,
};

/* The user's code */

const char *const kni_vmap_methods[] = {
    [KN_VMAP_SEQUENTIAL] = "sequential",
    [KN_VMAP_SEQUENTIAL_UNROLLED] = "sequential_unrolled",
    [KN_VMAP_EXPAND_DIMS] = "expand_dims",
    [KN_VMAP_BROADCAST_ALL] = "broadcast_all",
    NULL,
};
#define LANES                                                                      \
    FIELD(INTS, kni_p_callback, lanes, .flags = KN_PF_HIDE_EMPTY | KN_PF_EXTENTS), \
        FIELD(INTS, kni_p_callback, mapped, .flags = KN_PF_HIDE_EMPTY)
const kni_param_field kni_fields_debug_print[] = {
    FIELD(STRING, kni_p_callback, fmt, .flags = KN_PF_QUOTED),
    SHOW("has_placeholders", kni_show_placeholders, TYPED_ONLY),
    SHOW("in_tree", kni_show_in_tree, TYPED_ONLY),
    LANES,
    TEXT("logging_record", "None", TYPED_ONLY),
    TEXT("np_printoptions",
         "(('edgeitems', 3), ('threshold', 1000), ('floatmode', 'maxprec'), ('precision', 8), ('suppress', False), "
         "('linewidth', 75), ('nanstr', 'nan'), ('infstr', 'inf'), ('sign', '-'), ('formatter', None), ('legacy', "
         "False), ('override_repr', None))",
         TYPED_ONLY),
    FIELD(BOOL, kni_p_callback, ordered),
    TEXT("partitioned", "False", TYPED_ONLY),
    TEXT("static_args", "()", TYPED_ONLY),
    END,
};
const kni_param_field kni_fields_debug_callback[] = {
    SHOW("callback", kni_show_host, TYPED_ONLY),
    {.name = "host", .kind = KN_P_INT, .offset = offsetof(kni_p_callback, callback), CLASSIC_ONLY},
    SHOW("effect", kni_show_effect, TYPED_ONLY),
    LANES,
    FIELD(BOOL, kni_p_callback, ordered, CLASSIC_ONLY),
    TEXT("partitioned", "False", TYPED_ONLY),
    END,
};
const kni_param_field kni_fields_pure_callback[] = {
    SHOW("callback", kni_show_host, TYPED_ONLY),
    {.name = "host", .kind = KN_P_INT, .offset = offsetof(kni_p_callback, callback), CLASSIC_ONLY},
    LANES,
    SHOW("result_avals", kni_show_results, TYPED_ONLY),
    FIELD(INTS, kni_p_callback, results, .flags = KN_PF_TYPES | KN_PF_HIDE_TYPED),
    TEXT("sharding", "None", TYPED_ONLY),
    FIELD(ENUM, kni_p_callback, vmap_method, .names = kni_vmap_methods),
    END,
};
const kni_param_field kni_fields_io_callback[] = {
    SHOW("callback", kni_show_host, TYPED_ONLY),
    {.name = "host", .kind = KN_P_INT, .offset = offsetof(kni_p_callback, callback), CLASSIC_ONLY},
    LANES,
    FIELD(BOOL, kni_p_callback, ordered),
    SHOW("result_avals", kni_show_results, TYPED_ONLY),
    FIELD(INTS, kni_p_callback, results, .flags = KN_PF_TYPES | KN_PF_HIDE_TYPED),
    TEXT("sharding", "None", TYPED_ONLY),
    END,
};
