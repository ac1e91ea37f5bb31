/* SPDX-License-Identifier: Apache-2.0
 * values.h -- what the hostile test gives to functions: for each type of an argument a few sound values and many that
 * nobody should give. Which one comes is chosen by the driver (hostile.c) and known by its number, so that a failure
 * can be told and run again. Memory that C cannot check (pointers into nowhere, lengths beyond a buffer) is not among
 * them. */
#ifndef HOSTILE_VALUES_H
#define HOSTILE_VALUES_H
#include "kiln/dlpack.h"
#define KN_BUILD /* the functions, not the macros of the same names */
#include "kiln/kiln.h"
#undef KN_BUILD

/* The number of a value for the argument `name`: below `sound` it is one that could be meant, `sound` itself is NULL
 * where the type has it. In options a value is left as it is (field_given() is false) unless the driver says
 * otherwise. */
int pick(const char *name, int sound, int hostile);
int pick_null(const char *name, int sound, int hostile); /* the same; number `sound` is NULL */
bool field_given(void);
extern int results_taken; /* how many of the places for results that were taken may get a handle */
const char *called(void); /* the function that the values are for */

void make_values(void); /* handles for one function, in the scope that is open */
void make_world(void);  /* what lives as long as the program: another context, memory */
void drop_world(void);
void drop_prepared(kn_prepared p); /* what a call gave back */

/* Types as calls.def names them. */
typedef const char *p_char;
typedef const void *p_void;
typedef void *m_void;
typedef void *pp_void; /* const void *const * and void *const * alike */
typedef int count;
typedef const kn_shape *p_kn_shape, *shape_of_memory;
typedef kn_shape kn_shapes;
typedef const kn_shapes *p_kn_shapes;
typedef kn_shape *m_kn_shape;
typedef const kn_nested_axes *p_kn_nested_axes;
typedef const kn_axes *p_kn_axes;
typedef const kn_dtype *p_kn_dtype;
typedef kn_dtype *m_kn_dtype;
typedef const kn_args *p_kn_args;
typedef const kn_outs *p_kn_outs;
typedef const kn_index_arg *p_kn_index_arg;
typedef kn_array *m_kn_array;
typedef kn_tree *m_kn_tree;
typedef kn_rng *m_kn_rng;
typedef kn_bit_generator *m_kn_bit_generator;
typedef kn_seed_sequence *m_kn_seed_sequence;
typedef const kn_bit_generator_state *p_kn_bit_generator_state;
typedef const kn_array *p_kn_array;
typedef const kn_lax_scatter_dimension_numbers *p_kn_lax_scatter_dimension_numbers;
typedef const kn_lax_gather_dimension_numbers *p_kn_lax_gather_dimension_numbers;
typedef const kn_lax_dot_dimension_numbers *p_kn_lax_dot_dimension_numbers;
typedef const kn_lax_conv_numbers *p_kn_lax_conv_numbers;
typedef const kn_tree *p_kn_tree;
typedef const kn_treedef *p_kn_treedef;
typedef const kn_mapper *p_kn_mapper;
typedef const kn_slice *p_kn_slice;
typedef const kn_dtype_like *p_kn_dtype_like;
typedef const kn_optim_boundary *p_kn_optim_boundary;
typedef const kn_optim_sgdr_cycle *p_kn_optim_sgdr_cycle;
typedef const kn_named *p_kn_named;
typedef int *m_int;
typedef const kn_tree_item *p_kn_tree_item;
typedef const kn_schedule *p_kn_schedule;
typedef const kn_printf_arg *p_kn_printf_arg;
typedef const kn_place *p_kn_place;
typedef const kn_formatter *p_kn_formatter;
typedef const kn_piece *p_kn_piece;
typedef const kn_optimizer *p_kn_optimizer;
typedef const kn_list *p_kn_list;
typedef const kn_function *p_kn_function;
typedef const kn_fn *p_kn_fn;
typedef const kn_fields *p_kn_fields;
typedef const int64_t *p_int64_t;
typedef kn_variable *m_kn_variable;
typedef kn_equation *m_kn_equation;
typedef kn_running_step *m_kn_running_step;
typedef kn_device_counts *m_kn_device_counts;
typedef kn_offload_decision *m_kn_offload_decision;
typedef kn_offload_costs *m_kn_offload_costs;
typedef const kn_offload_costs *p_kn_offload_costs;
typedef const kn_provider *p_kn_provider;
typedef const kn_provider_step *p_kn_provider_step;
typedef kn_shard_info *m_kn_shard_info;
typedef kn_scope *m_kn_scope;
typedef kn_level *m_kn_level;
typedef kn_device *m_kn_device;
typedef kn_device_info *m_kn_device_info;
typedef kn_device_handle *m_kn_device_handle;
typedef const uint8_t *p_uint8_t;
typedef const kn_wgsl_facts *p_kn_wgsl_facts;
typedef const kn_glsl_facts *p_kn_glsl_facts;
typedef kn_source *m_kn_source;
typedef const kn_errcall *p_kn_errcall;
typedef kn_errstate_scope *m_kn_errstate_scope;
typedef kn_lax_pad_pair *m_kn_lax_pad_pair;
typedef FILE *m_FILE;
typedef const kn_int_list *p_kn_int_list;
typedef const kn_text_list *p_kn_text_list;
typedef const kn_text_columns *p_kn_text_columns;
typedef const kn_optim_galore_dimension_numbers_list *p_kn_optim_galore_dimension_numbers_list;
typedef const kn_npy_header *p_kn_npy_header;
typedef struct DLManagedTensorVersioned *m_DLManagedTensorVersioned;
typedef struct DLManagedTensor *m_DLManagedTensor;
typedef void (*function_drop)(void *object);
typedef void (*function_print)(void *env, const char *text);
typedef void (*function_log)(void *env, int level, const char *text);

/* clang-format off */
#define TAKEN(X) \
    X(kn_array) X(kn_rng) X(kn_bit_generator) X(kn_seed_sequence) X(kn_random_state) X(m_kn_rng) \
    X(m_kn_bit_generator) X(m_kn_seed_sequence) X(p_kn_bit_generator_state) X(kn_fn) X(kn_jaxpr) X(kn_tree) \
    X(kn_treedef) X(kn_list) X(kn_archive) X(kn_safetensors) X(kn_optimizer) X(kn_schedule) X(kn_context) X(kn_prepared) \
    X(kn_dtype) X(double) X(bool) X(int) X(int32_t) X(int64_t) X(uint32_t) X(uint64_t) X(size_t) X(char) \
    X(count) X(p_char) X(p_void) X(m_void) X(pp_void) X(p_kn_shape) X(shape_of_memory) X(kn_shape) X(p_kn_axes) \
    X(kn_axes) X(p_kn_args) X(p_kn_outs) X(p_kn_index_arg) X(kn_axis_names) X(kn_lax_pads) \
    X(kn_lax_padding_config) X(m_kn_array) X(m_kn_tree) X(p_kn_array) X(p_kn_lax_scatter_dimension_numbers) \
    X(p_kn_lax_gather_dimension_numbers) X(p_kn_lax_dot_dimension_numbers) X(p_kn_lax_conv_numbers) \
    X(kn_lax_conv_numbers) X(p_kn_tree) X(p_kn_treedef) X(p_kn_mapper) X(p_kn_slice) X(p_kn_optim_boundary) \
    X(p_kn_optim_sgdr_cycle) X(p_kn_named) X(m_int) X(p_kn_tree_item) X(p_kn_schedule) X(p_kn_printf_arg) \
    X(p_kn_formatter) X(p_kn_place) X(p_kn_piece) X(p_kn_optimizer) X(p_kn_list) X(p_kn_shapes) X(p_kn_function) \
    X(p_kn_fn) X(p_kn_fields) X(p_int64_t) X(m_kn_variable) X(m_kn_equation) X(m_kn_scope) X(m_kn_lax_pad_pair) \
    X(m_FILE) X(m_DLManagedTensorVersioned) X(m_DLManagedTensor) X(function_drop) X(kn_progress) X(function_print) X(function_log) X(kn_ufunc) \
    X(kn_mapping) X(kn_axis_groups) X(kn_callback) X(kn_argnums) X(kn_lax_select_prim) X(kn_error_kind) \
    X(kn_axis_size) X(kn_testing_comparison) X(kn_step_hook) X(kn_scan_step) X(kn_policy) X(kn_next) \
    X(kn_mask_func) X(kn_lanes) X(kn_lane_pairs) X(kn_error_hook) X(kn_cache) X(kn_axis_func) X(kn_allocator) \
    X(kn_leaf_axes) X(m_kn_running_step) X(kn_dtype_like) X(p_kn_dtype_like) X(kn_primitive) X(kn_params) \
    X(kn_primitive_compute) X(kn_primitive_run) X(kn_primitive_shape) X(kn_primitive_jvp) \
    X(kn_primitive_transpose) X(kn_primitive_batch) X(p_kn_int_list) X(p_kn_text_list) X(p_kn_text_columns) \
    X(p_kn_optim_galore_dimension_numbers_list) \
    X(p_kn_npy_header) X(kn_converter) X(kn_operands) X(kn_axes_list) X(kn_ufunc_loops) X(p_kn_dtype) \
    X(m_kn_dtype) X(p_kn_errcall) X(m_kn_errstate_scope) X(kn_flatiter) X(kn_broadcast_iter) X(kn_nditer) \
    X(kn_arrayterator) X(m_kn_shape) X(p_kn_nested_axes) X(kn_poll) X(m_kn_device_counts) \
    X(m_kn_offload_decision) X(m_kn_offload_costs) X(p_kn_offload_costs) X(p_kn_provider) X(p_kn_provider_step) \
    X(kn_device) X(m_kn_device) X(m_kn_device_info) X(m_kn_device_handle) X(p_uint8_t) X(p_kn_wgsl_facts) X(p_kn_glsl_facts) X(m_kn_source) \
    X(m_kn_level) X(kn_mesh) X(kn_sharding) X(m_kn_shard_info) X(kn_shard_callback) \
    X(kn_loader) X(kn_checkpoint_manager) X(kn_example_function) X(kn_batch_function)
/* clang-format on */
#define DECLARE(T) T take_##T(const char *name);
TAKEN(DECLARE)
#undef DECLARE
#endif
