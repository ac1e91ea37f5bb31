/* SPDX-License-Identifier: Apache-2.0
 * layout.c -- where the members of structures are that JavaScript reads and writes, by name: "kn_shape.dim"; the size
 * of a structure by its own name. */
#include "export.h"
#include "rows.h"
#include <stddef.h>

typedef struct kjs_layout {
    const char *name;
    uint32_t at;
} kjs_layout;

#define S(type)         {#type, sizeof(type)},
#define M(type, member) {#type "." #member, offsetof(type, member)},
/* clang-format off */
static const kjs_layout all[] = {
    S(kn_shape) M(kn_shape, dim)
    S(kn_axes) M(kn_axes, axis)
    S(kn_argnums) M(kn_argnums, arg)
    S(kn_place) M(kn_place, line) M(kn_place, function)
    S(kn_scope)
    S(kn_device_handle) M(kn_device_handle, buffer) M(kn_device_handle, offset) M(kn_device_handle, bytes)
    S(kn_args) M(kn_args, part) S(kn_const_part) M(kn_const_part, bytes)
    S(kn_index_arg) M(kn_index_arg, kind) M(kn_index_arg, integer) M(kn_index_arg, array)
    S(kn_dtype_like) M(kn_dtype_like, text) M(kn_dtype_like, dtype) M(kn_dtype_like, array)
    S(kn_lax_pads) M(kn_lax_pads, type) M(kn_lax_pads, pair) M(kn_lax_pads, n)
    S(kn_lax_padding_config) M(kn_lax_padding_config, axis) M(kn_lax_padding_config, n)
    S(kn_lax_conv_numbers) M(kn_lax_conv_numbers, lhs) M(kn_lax_conv_numbers, rhs) M(kn_lax_conv_numbers, out)
    M(kn_lax_conv_numbers, lhs_spec) M(kn_lax_conv_numbers, rhs_spec) M(kn_lax_conv_numbers, out_spec)
    S(kn_axis_names) M(kn_axis_names, n) M(kn_axis_names, name)
    S(kn_axis_groups) M(kn_axis_groups, n) M(kn_axis_groups, size) M(kn_axis_groups, lane)
    S(kn_lane_pairs) M(kn_lane_pairs, n) M(kn_lane_pairs, pair)
    S(kn_lanes) M(kn_lanes, n) M(kn_lanes, lane)
    S(kn_jit_opts) M(kn_jit_opts, donate_argnums) M(kn_jit_opts, symbolic) M(kn_jit_opts, constraints)
    M(kn_jit_opts, checks)
    S(kn_grad_opts) M(kn_grad_opts, argnums) M(kn_grad_opts, has_aux) M(kn_grad_opts, holomorphic)
    M(kn_grad_opts, allow_int)
    S(kn_vmap_opts) M(kn_vmap_opts, in_axes) M(kn_vmap_opts, out_axes) M(kn_vmap_opts, axis_name)
    M(kn_vmap_opts, axis_size)
    S(kn_make_mesh_opts) M(kn_make_mesh_opts, abstract) S(kn_shard_map_opts) M(kn_shard_map_opts, in_specs)
    M(kn_shard_map_opts, out_specs) M(kn_shard_map_opts, check_vma)
    S(kn_jac_opts) M(kn_jac_opts, argnums) M(kn_jac_opts, has_aux) M(kn_jac_opts, holomorphic) M(kn_jac_opts, allow_int)
    M(kn_jac_opts, n_aux)
    S(kn_checkpoint_opts) M(kn_checkpoint_opts, policy.kind) M(kn_checkpoint_opts, policy.n)
    M(kn_checkpoint_opts, policy.name) M(kn_checkpoint_opts, prevent_cse)
    S(kn_scan_opts) M(kn_scan_opts, length) M(kn_scan_opts, reverse) M(kn_scan_opts, unroll) M(kn_scan_opts, checkpoint)
    S(kn_while_opts) M(kn_while_opts, max_steps) S(kn_fori_opts) M(kn_fori_opts, checkpoint)
    S(kn_lax_map_opts) M(kn_lax_map_opts, batch_size) S(kn_lax_cumulative_opts) M(kn_lax_cumulative_opts, axis)
    M(kn_lax_cumulative_opts, reverse)
    S(kn_make_jaxpr_opts) M(kn_make_jaxpr_opts, axis_env) M(kn_make_jaxpr_opts, fold) M(kn_make_jaxpr_opts, symbolic)
    M(kn_make_jaxpr_opts, constraints) S(kn_axis_size) M(kn_axis_size, name) M(kn_axis_size, size)
    S(kn_jaxpr_counts) M(kn_jaxpr_counts, constvars) M(kn_jaxpr_counts, invars) M(kn_jaxpr_counts, equations)
    M(kn_jaxpr_counts, outvars)
    S(kn_equation) M(kn_equation, primitive) M(kn_equation, n_in) M(kn_equation, n_out) M(kn_equation, in)
    M(kn_equation, first_out) M(kn_equation, place)
    S(kn_variable) M(kn_variable, dtype) M(kn_variable, shape) M(kn_variable, literal) M(kn_variable, value)
    S(kn_npy_header) M(kn_npy_header, shape) M(kn_npy_header, fortran_order) M(kn_npy_header, swapped)
    S(kn_einsum_opts) M(kn_einsum_opts, optimize) M(kn_einsum_opts, memory_limit) M(kn_einsum_opts, dtype)
    S(kn_einsum_path_result) M(kn_einsum_path_result, string_repr)
    S(kn_ufunc_call_opts) M(kn_ufunc_call_opts, out) M(kn_ufunc_call_opts, where) M(kn_ufunc_call_opts, dtype)
    M(kn_ufunc_call_opts, casting) S(kn_ufunc_reduce_opts) M(kn_ufunc_reduce_opts, axis) M(kn_ufunc_reduce_opts, dtype)
    M(kn_ufunc_reduce_opts, keepdims) M(kn_ufunc_reduce_opts, initial) M(kn_ufunc_reduce_opts, where)
    S(kn_ufunc_accumulate_opts) M(kn_ufunc_accumulate_opts, axis) M(kn_ufunc_accumulate_opts, dtype)
    S(kn_print_opts) M(kn_print_opts, precision) M(kn_print_opts, threshold) M(kn_print_opts, edgeitems)
    M(kn_print_opts, linewidth) M(kn_print_opts, suppress) M(kn_print_opts, floatmode) M(kn_print_opts, sign)
    M(kn_print_opts, nanstr) M(kn_print_opts, infstr)
    S(kn_optim_update_opts) M(kn_optim_update_opts, value)
    S(kn_optim_boundary) M(kn_optim_boundary, step) M(kn_optim_boundary, scale)
    S(kn_optim_sgdr_cycle) M(kn_optim_sgdr_cycle, init_value) M(kn_optim_sgdr_cycle, peak_value)
    M(kn_optim_sgdr_cycle, warmup_steps) M(kn_optim_sgdr_cycle, decay_steps) M(kn_optim_sgdr_cycle, end_value)
    M(kn_optim_sgdr_cycle, exponent)
    S(knb_row) M(knb_row, name) M(knb_row, doc) M(knb_row, call) M(knb_row, defaults) M(knb_row, n_params)
    M(knb_row, n_positional) M(knb_row, n_required) M(knb_row, result) M(knb_row, as_list) M(knb_row, param)
    M(knb_row, structure)
    S(knb_param) M(knb_param, name) M(knb_param, kind) M(knb_param, option) M(knb_param, keyword_only)
    M(knb_param, positional_only) M(knb_param, required) M(knb_param, rest) M(knb_param, at)
    S(knb_struct) M(knb_struct, name) M(knb_struct, bytes) M(knb_struct, n) M(knb_struct, member)
    S(knb_member) M(knb_member, name) M(knb_member, kind) M(knb_member, at)
    S(knb_table) M(knb_table, name) M(knb_table, n) M(knb_table, row)
    S(knb_call) M(knb_call, arg) M(knb_call, options) M(knb_call, result)
    {NULL, 0}};


KJS_EXPORT(const kjs_layout *, kjs_layouts, void) { return all; }

/* The kinds of rows.h, in their order. */
#define K(kind) {#kind, KNB_##kind},
static const kjs_layout kinds[] = {
    K(ARRAY) K(POSITIONS) K(VALUES) K(OPTIONAL_ARRAY) K(ARRAYS) K(SHAPE) K(SHAPE_POINTER) K(AXES) K(AXES_POINTER)
    K(DTYPE)
    K(BOOL) K(INT) K(INT32) K(DIAGONAL) K(FLOAT) K(FLOAT32) K(STRING) K(CHARACTER) K(DTYPE_LIKE) K(OUT_ARRAY)
    K(OUT_PAIR)
    K(INTERVAL) K(INTERVALS) K(OUT) K(DEVICE) K(IGNORED) K(HINT) K(TREE) K(STRUCT) K(STATUS) K(NOTHING) K(SHAPE_OR_NULL)
    K(FUNCTION) K(OBJECT) K(PADS) K(PADDING) K(CONV_NUMBERS) K(FOUR_AXES) K(FIVE_AXES) K(AXIS_NAMES) K(AXIS_GROUPS)
    K(LANE_PAIRS) K(LANES)
    {NULL, 0}};
/* clang-format on */

KJS_EXPORT(const kjs_layout *, kjs_kinds, void) { return kinds; }
