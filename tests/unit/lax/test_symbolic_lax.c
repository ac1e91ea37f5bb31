/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_lax.c -- jax.lax over extents that are expressions. Types: JAX 0.10's, by jax.eval_shape with
 * jax.export.symbolic_shape. Rounded quotients have jax.numpy's texts where those of jax.lax are other ones. */
#include "base/dim.h"
#include "support/group.h"
#include "support/symbolic.h"
#include <stdlib.h>

#define D(i, axis) kn_dim(x[i], axis)

#define SLICES(CASE)                                                                                                 \
    CASE(cut, "f32[b,4]", "f32[b,2]", kn_lax_slice(x[0], KN_SHAPE(0, 1), KN_SHAPE(D(0, 0), 3)))                      \
    CASE(cut_from_one, "f32[t]", "f32[t - 1]", kn_lax_slice(x[0], KN_SHAPE(1), KN_SHAPE(D(0, 0))))                   \
    CASE(cut_too_far, "f32[b]", "InconclusiveDimensionOperation: Symbolic dimension comparison '3' <= 'b'",          \
         kn_lax_slice(x[0], KN_SHAPE(0), KN_SHAPE(3)))                                                               \
    CASE(cut_with_constraint, "f32[b] | b >= 3", "f32[3]", kn_lax_slice(x[0], KN_SHAPE(0), KN_SHAPE(3)))             \
    CASE(every_other, "f32[t]", "f32[floordiv(t + 1, 2)]",                                                           \
         kn_lax_slice(x[0], KN_SHAPE(0), KN_SHAPE(D(0, 0)), .strides = &KN_SHAPE(2)))                                \
    CASE(last_one, "f32[b,t]", "f32[b,1]", kn_lax_slice_in_dim(x[0], -1, KN_END, .axis = KN_AXIS(1)))                \
    CASE(all_but_last, "f32[b,t]", "f32[b,t - 1]", kn_lax_slice_in_dim(x[0], 0, -1, .axis = KN_AXIS(1)))             \
    CASE(index_first, "f32[b,t]", "f32[b]", kn_lax_index_in_dim(x[0], 0, .axis = KN_AXIS(1), .keepdims = false))     \
    CASE(index_third, "f32[b,t]",                                                                                    \
         "InconclusiveDimensionOperation: ", kn_lax_index_in_dim(x[0], 3, .axis = KN_AXIS(1), .keepdims = false))    \
    CASE(index_last, "f32[b,t]", "f32[b]", kn_lax_index_in_dim(x[0], -1, .axis = KN_AXIS(1), .keepdims = false))     \
    CASE(dynamic, "f32[b,t] i32[]", "f32[1,t]", kn_lax_dynamic_slice(x[0], KN_LIST(x[1], 0), KN_SHAPE(1, D(0, 1))))  \
    CASE(dynamic_negative, "f32[b,t]", "f32[1,t]", kn_lax_dynamic_slice(x[0], KN_LIST(-1, 0), KN_SHAPE(1, D(0, 1)))) \
    CASE(dynamic_wide, "f32[b,t] i32[]",                                                                             \
         "InconclusiveDimensionOperation: ", kn_lax_dynamic_slice(x[0], KN_LIST(x[1], 0), KN_SHAPE(2, D(0, 1))))     \
    CASE(dynamic_axis, "f32[b,t] i32[]", "f32[b,1]", kn_lax_dynamic_slice_in_dim(x[0], x[1], 1, .axis = KN_AXIS(1))) \
    CASE(update, "f32[b,t] f32[1,t] i32[]", "f32[b,t]", kn_lax_dynamic_update_slice(x[0], x[1], KN_LIST(x[2], 0)))   \
    CASE(update_axis, "f32[b,t] f32[t] i32[]", "f32[b,t]", kn_lax_dynamic_update_index_in_dim(x[0], x[1], x[2], 0))

#define SHAPES(CASE)                                                                                                   \
    CASE(padded, "f32[b,t]", "f32[b + 3,2*t - 1]", kn_lax_pad(x[0], 0, KN_PADDING({1, 2, 0}, {0, 0, 1})))              \
    CASE(padded_to, "f32[b] f32[t]", "f32[t]", kn_lax_pad(x[0], 0, KN_PADDING({0, knx_dim_sub(D(1, 0), D(0, 0)), 0}))) \
    CASE(padded_less, "f32[b]", "f32[b - 1]", kn_lax_pad(x[0], 0, KN_PADDING({0, -1, 0})))                             \
    CASE(iota, "f32[b]", "i32[b]", kn_lax_iota(KN_I32, D(0, 0)))                                                       \
    CASE(broadcasted_iota, "f32[b,t]", "i32[b,t]", kn_lax_broadcasted_iota(KN_I32, KN_SHAPE(D(0, 0), D(0, 1)), 1))     \
    CASE(full, "f32[b]", "f32[b,2]", kn_lax_full(KN_SHAPE(D(0, 0), 2), 1.5, .dtype = KN_F32))                          \
    CASE(full_like, "f32[b,t]", "f32[b,t]", kn_lax_full_like(x[0], 1))                                                 \
    CASE(in_front, "f32[t] f32[b]", "f32[b,t]", kn_lax_broadcast(x[0], KN_SHAPE(D(1, 0))))                             \
    CASE(in_dim, "f32[t] f32[b]", "f32[b,t,4]",                                                                        \
         kn_lax_broadcast_in_dim(x[0], KN_SHAPE(D(1, 0), D(0, 0), 4), KN_AXIS(1)))                                     \
    CASE(in_dim_wrong, "f32[t] f32[b]", "ValueError: cannot broadcast shape (t,) to shape (b,4)",                      \
         kn_lax_broadcast_in_dim(x[0], KN_SHAPE(D(1, 0), 4), KN_AXIS(0)))                                              \
    CASE(collapsed, "f32[b,t,4]", "f32[b*t,4]", kn_lax_collapse(x[0], 0, .stop_dimension = 2))                         \
    CASE(reshaped, "f32[b,t,4]", "f32[b*t,4]", kn_lax_reshape(x[0], KN_SHAPE(knx_dim_mul(D(0, 0), D(0, 1)), 4)))       \
    CASE(reshaped_half, "f32[b,2*t] f32[t]", "f32[b,2,t]", kn_lax_reshape(x[0], KN_SHAPE(D(0, 0), 2, D(1, 0))))        \
    CASE(reshaped_wrong, "f32[b] f32[t]",                                                                              \
         "TypeError: total size must be unchanged, got new_sizes (t,) for shape (b,).",                                \
         kn_lax_reshape(x[0], KN_SHAPE(D(1, 0))))                                                                      \
    CASE(squeezed, "f32[1,b]", "f32[b]", kn_lax_squeeze(x[0], KN_AXIS(0)))                                             \
    CASE(squeezed_wrong, "f32[1,b]",                                                                                   \
         "ValueError: cannot select an axis to squeeze out which has size not equal to one, got shape=(1, b) and "     \
         "dimensions=(1,)",                                                                                            \
         kn_lax_squeeze(x[0], KN_AXIS(1)))                                                                             \
    CASE(expanded, "f32[b,t]", "f32[b,1,t]", kn_lax_expand_dims(x[0], KN_AXIS(1)))                                     \
    CASE(transposed, "f32[b,t]", "f32[t,b]", kn_lax_transpose(x[0], KN_AXIS(1, 0)))                                    \
    CASE(reversed, "f32[b,t]", "f32[b,t]", kn_lax_rev(x[0], KN_AXIS(1)))                                               \
    CASE(joined, "f32[b,4] f32[t,4]", "f32[t + b,4]", kn_lax_concatenate(KN_LIST(x[0], x[1]), 0))                      \
    CASE(joined_wrong, "f32[b,4] f32[t,4]", "TypeError: concatenating along dimension 1 for shapes (b, 4), (t, 4)",    \
         kn_lax_concatenate(KN_LIST(x[0], x[1]), 1))                                                                   \
    CASE(stacked, "f32[b] f32[b]", "f32[2,b]", kn_lax_stack(KN_LIST(x[0], x[1])))                                      \
    CASE(tiled, "f32[b,t]", "f32[2*b,3*t]", kn_lax_tile(x[0], KN_SHAPE(2, 3)))                                         \
    CASE(tiled_by, "f32[b] f32[t]", "f32[b*t]", kn_lax_tile(x[0], KN_SHAPE(D(1, 0))))                                  \
    CASE(parts, "f32[b + t] f32[b] f32[t]", "f32[b] f32[t]", kn_lax_split(x[0], KN_SHAPE(D(1, 0), D(2, 0))))           \
    CASE(unstacked, "f32[b,2]",                                                                                        \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant: the "     \
         "number of arrays",                                                                                           \
         kn_lax_unstack(x[0]))                                                                                         \
    CASE(unstacked_last, "f32[b,2]", "f32[b] f32[b]", kn_lax_unstack(x[0], .axis = KN_AXIS(1)))                        \
    CASE(bits, "f32[b]", "i16[b,2]", kn_lax_bitcast_convert_type(x[0], KN_I16))

#define WINDOWS(CASE)                                                                                             \
    CASE(sums, "f32[b,t]", "f32[b,floordiv(t - 2, 2) + 1]",                                                       \
         kn_lax_reduce_window_sum(x[0], KN_SHAPE(1, 2), .window_strides = &KN_SHAPE(1, 2)))                       \
    CASE(maxima_same, "f32[b,t]", "f32[b,t]", kn_lax_reduce_window_max(x[0], KN_SHAPE(1, 3), .padding = KN_SAME)) \
    CASE(maxima_known, "f32[b,8]", "f32[b,4]",                                                                    \
         kn_lax_reduce_window_max(x[0], KN_SHAPE(1, 3), .window_strides = &KN_SHAPE(1, 2), .padding = KN_SAME))   \
    CASE(conv, "f32[b,3,h,h] f32[8,3,3,3]", "f32[b,8,max(h - 2, 0),max(h - 2, 0)]",                               \
         kn_lax_conv_general_dilated(x[0], x[1], KN_SHAPE(1, 1), KN_VALID))                                       \
    CASE(conv_same, "f32[b,3,h,h] f32[8,3,3,3]", "f32[b,8,h,h]",                                                  \
         kn_lax_conv_general_dilated(x[0], x[1], KN_SHAPE(1, 1), KN_SAME))                                        \
    CASE(conv_batch, "f32[b,3,8,8] f32[8,3,3,3]", "f32[b,8,4,4]",                                                 \
         kn_lax_conv_general_dilated(x[0], x[1], KN_SHAPE(2, 2), KN_SAME))                                        \
    CASE(conv_padded, "f32[b,3,t] f32[8,3,3]", "f32[b,8,floordiv(t - 1, 2) + 1]",                                 \
         kn_lax_conv_general_dilated(x[0], x[1], KN_SHAPE(2), KN_PADS({1, 1})))                                   \
    CASE(conv_transposed, "f32[b,t,3] f32[3,3,8]", "f32[b,2*t,8]",                                                \
         kn_lax_conv_transpose(x[0], x[1], KN_SHAPE(2), KN_SAME))                                                 \
    CASE(conv_patches, "f32[b,3,8,8]", "f32[b,12,7,7]",                                                           \
         kn_lax_conv_general_dilated_patches(x[0], KN_SHAPE(2, 2), KN_SHAPE(1, 1), KN_VALID))                     \
    CASE(conv_patches_wrong, "f32[b,c,8,8]", "InconclusiveDimensionOperation: Symbolic dimension 'c' used in a ", \
         kn_lax_conv_general_dilated_patches(x[0], KN_SHAPE(2, 2), KN_SHAPE(1, 1), KN_VALID))

static const kn_lax_gather_dimension_numbers rows = {
    .offset_dims = KN_AXIS(1), .collapsed_slice_dims = KN_AXIS(0), .start_index_map = KN_AXIS(0)};
static const kn_lax_scatter_dimension_numbers rows_back = {
    .update_window_dims = KN_AXIS(1), .inserted_window_dims = KN_AXIS(0), .scatter_dims_to_operand_dims = KN_AXIS(0)};
static const kn_lax_dot_dimension_numbers scores = {
    .lhs_contract = KN_AXIS(2), .rhs_contract = KN_AXIS(2), .lhs_batch = KN_AXIS(0), .rhs_batch = KN_AXIS(0)};

static kn_array plus(const kn_array *x, const kn_array *y) { return kn_lax_add(*x, *y); }
KN_FUNCTION(plus, kn_array, kn_array, kn_array)

static kn_array scanned(kn_array x)
{
    kn_array y = NULL;
    kn_associative_scan(KN_FN(plus), &y, &x);
    return y;
}

static kn_array mean_of_lanes(const kn_array *x) { return kn_lax_pmean(*x, "i"); }
static kn_array lanes(const kn_array *x) { return kn_div(*x, kn_lax_psum(1, "i")); }
KN_FUNCTION(mean_of_lanes, kn_array, kn_array)
KN_FUNCTION(lanes, kn_array, kn_array)

static kn_array mapped(kn_fn f, kn_array x)
{
    kn_array y = NULL;
    kn_call(kn_vmap(f, .axis_name = "i"), &y, &x);
    return y;
}

#define OTHERS(CASE)                                                                                             \
    CASE(sum, "f32[b,4] f32[b,4]", "f32[b,4]", kn_lax_add(x[0], x[1]))                                           \
    CASE(sum_wrong, "f32[b,4] f32[t,4]", "TypeError: got incompatible shapes for broadcasting: (b, 4), (t, 4).", \
         kn_lax_add(x[0], x[1]))                                                                                 \
    CASE(product, "f32[b,t] f32[t,4]", "f32[b,4]", kn_lax_dot(x[0], x[1]))                                       \
    CASE(product_wrong, "f32[b,t] f32[s,4]", "ValueError: got lhs_shape=(b, t) rhs_shape=(s, 4)",                \
         kn_lax_dot(x[0], x[1]))                                                                                 \
    CASE(products, "f32[b,t,8] f32[b,s,8]", "f32[b,t,s]", kn_lax_dot_general(x[0], x[1], scores))                \
    CASE(batch_products, "f32[b,t,8] f32[b,8,s]", "f32[b,t,s]", kn_lax_batch_matmul(x[0], x[1]))                 \
    CASE(ragged, "f32[b,t] f32[4,t,8] i32[4]", "f32[b,8]", kn_lax_ragged_dot(x[0], x[1], x[2]))                  \
    CASE(cumulative, "f32[b,t]", "f32[b,t]", kn_lax_cumsum(x[0], KN_AXIS(1)))                                    \
    CASE(sorted, "f32[b,t]", "f32[b,t]", kn_lax_sort(x[0]))                                                      \
    CASE(best, "f32[b,4]", "f32[b,3]", kn_lax_top_k(x[0], 3).values)                                             \
    CASE(best_of_some, "f32[b,t]", "InconclusiveDimensionOperation: ", kn_lax_top_k(x[0], 3).values)             \
    CASE(place_of_best, "f32[b,t]", "i32[b]", kn_lax_argmax(x[0], 1, KN_I32))                                    \
    CASE(sum_of_rows, "f32[b,t]", "f32[b]", kn_lax_reduce_sum(x[0], KN_AXIS(1)))                                 \
    CASE(taken, "f32[b,t] i32[s,1]", "f32[s,t]", kn_lax_gather(x[0], x[1], rows, KN_SHAPE(1, D(0, 1))))          \
    CASE(taken_by_index, "f32[b,t] i32[s]", "f32[s,t]", kn_lax_index_take(x[0], KN_LIST(x[1]), KN_AXIS(0)))      \
    CASE(put_back, "f32[b,t] i32[s,1] f32[s,t]", "f32[b,t]", kn_lax_scatter_add(x[0], x[1], x[2], rows_back))    \
    CASE(scan_of_pairs, "f32[b]",                                                                                \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant: "   \
         "associative_scan",                                                                                     \
         scanned(x[0]))                                                                                          \
    CASE(means_of_lanes, "f32[b,4]", "f32[b,4]", mapped(KN_FN(mean_of_lanes), x[0]))                             \
    CASE(number_of_lanes, "f32[b,4]", "f32[b,4]", mapped(KN_FN(lanes), x[0]))                                    \
    CASE(factors, "f32[b,t,t]", "f32[b,t,t]", kn_lax_linalg_cholesky(x[0]))                                      \
    CASE(factors_wrong, "f32[b,t]", "ValueError: Argument must have shape [..., n, n], got shape (b, t)",        \
         kn_lax_linalg_cholesky(x[0]))                                                                           \
    CASE(solved, "f32[b,t,t] f32[b,t,3]", "f32[b,t,3]", kn_lax_linalg_triangular_solve(x[0], x[1], .left_side = true))

#define TABLE(name, LIST) LIST(SYMBOLIC_FUNCTION) static const symbolic_case name[] = {LIST(SYMBOLIC_ROW)}
TABLE(slices, SLICES);
TABLE(shapes, SHAPES);
TABLE(windows, WINDOWS);
TABLE(others, OTHERS);

#define CHECK(name, table)                                   \
    static void name(void **state)                           \
    {                                                        \
        (void)state;                                         \
        symbolic_check(table, sizeof table / sizeof *table); \
    }
CHECK(slices_have_the_types_of_jax, slices)
CHECK(shapes_have_the_types_of_jax, shapes)
CHECK(windows_have_the_types_of_jax, windows)
CHECK(the_rest_has_the_types_of_jax, others)

/* An index from the end is counted from a number that the launch gives. */
static void extents_are_operands(void **state)
{
    (void)state;
    char *types, *text = symbolic_text(&slices[11], &types);
    assert_string_equal(slices[11].name, "dynamic_negative");
    assert_non_null(strstr(text, "dim_as_value[dim=b - 1]"));
    free(text);
    free(types);
}

KN_TEST_GROUP(test_symbolic_lax)
{
    const struct CMUnitTest tests[] = {TEST(slices_have_the_types_of_jax), TEST(shapes_have_the_types_of_jax),
                                       TEST(windows_have_the_types_of_jax), TEST(the_rest_has_the_types_of_jax),
                                       TEST(extents_are_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
