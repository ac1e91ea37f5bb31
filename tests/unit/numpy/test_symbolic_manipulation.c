/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_manipulation.c -- shapes, joining, splitting, padding of extents that are expressions. Types: JAX 0.10's, by jax.eval_shape
 * with jax.export.symbolic_shape; where JAX refuses and Kiln does not, what the definition gives. */
#include "support/group.h"
#include "support/symbolic.h"

#define SHAPES(CASE)                                                                                                  \
    CASE(flat, "f32[b,t]", "f32[b*t]", kn_reshape(x[0], KN_SHAPE(-1)))                                                \
    CASE(rows_of_4, "f32[b,8]", "f32[2*b,4]", kn_reshape(x[0], KN_SHAPE(-1, 4)))                                      \
    CASE(rest, "f32[b,t,3]", "f32[b,3*t]", kn_reshape(x[0], KN_SHAPE(kn_dim(x[0], 0), -1)))                           \
    CASE(constrained, "f32[b] | mod(b, 4) == 0", "f32[4,floordiv(b, 4)]", kn_reshape(x[0], KN_SHAPE(4, -1)))          \
    CASE(not_divided, "f32[b]",                                                                                       \
         "InconclusiveDimensionOperation: cannot reshape array of size b into shape (4,-1): the remainder "           \
         "mod(b, 4) should be 0",                                                                                     \
         kn_reshape(x[0], KN_SHAPE(4, -1)))                                                                           \
    CASE(never_fits, "f32[b]", "ValueError: cannot reshape array of size b into shape (b + 1,)",                      \
         kn_reshape(x[0], KN_SHAPE(kn_dim(x[0], 0) + 1)))                                                             \
    CASE(ravel, "f32[b,t]", "f32[b*t]", kn_ravel(x[0]))                                                               \
    CASE(transpose, "f32[b,t,3]", "f32[3,t,b]", kn_transpose(x[0]))                                                   \
    CASE(moveaxis, "f32[b,t,3]", "f32[t,3,b]", kn_moveaxis(x[0], KN_AXIS(0), KN_AXIS(-1)))                            \
    CASE(expand_dims, "f32[b]", "f32[1,b]", kn_expand_dims(x[0], KN_AXIS(0)))                                         \
    CASE(squeeze, "f32[b,1]", "f32[b]", kn_squeeze(x[0], .axis = KN_AXIS(1)))                                         \
    CASE(squeeze_all, "f32[b,1] | b >= 2", "f32[b]", kn_squeeze(x[0]))                                                \
    CASE(squeeze_unknown, "f32[b,1]", "InconclusiveDimensionOperation: that of axis 0 is b", kn_squeeze(x[0]))        \
    CASE(squeeze_b, "f32[b,1]", "ValueError: cannot select an axis to squeeze out",                                   \
         kn_squeeze(x[0], .axis = KN_AXIS(0)))                                                                        \
    CASE(broadcast_to, "f32[b,1]", "f32[b,3]", kn_broadcast_to(x[0], KN_SHAPE(kn_dim(x[0], 0), 3)))                   \
    CASE(broadcast_wrong, "f32[b]", "ValueError: (b,)  and requested shape (4,)", kn_broadcast_to(x[0], KN_SHAPE(4))) \
    CASE(broadcast_arrays, "f32[b,1] f32[t]", "f32[b,t] f32[b,t]", kn_broadcast_arrays(KN_LIST(x[0], x[1])))          \
    CASE(atleast_2d, "f32[b]", "f32[1,b]", kn_atleast_2d(x[0]))                                                       \
    CASE(flip, "f32[b,t]", "f32[b,t]", kn_flip(x[0]))                                                                 \
    CASE(rot90, "f32[b,t]", "f32[t,b]", kn_rot90(x[0]))                                                               \
    CASE(roll_flat, "f32[b,t]", "f32[b,t]", kn_roll(x[0], 1))                                                         \
    CASE(roll_axis, "f32[b,t]", "f32[b,t]", kn_roll(x[0], 3, .axis = KN_AXIS(1)))                                     \
    CASE(roll_back, "f32[b,t]", "f32[b,t]", kn_roll(x[0], -1, .axis = KN_AXIS(1)))

#define PARTS(CASE)                                                                                                    \
    CASE(concatenate, "f32[b,3] f32[t,3]", "f32[t + b,3]", kn_concatenate(KN_LIST(x[0], x[1])))                        \
    CASE(concatenate_flat, "f32[b,3] f32[t]", "f32[t + 3*b]",                                                          \
         kn_concatenate(KN_LIST(x[0], x[1]), .axis = KN_AXIS_NONE))                                                    \
    CASE(concatenate_wrong, "f32[b,c] f32[t,3]", "ValueError: index 0 has size c and the array at index 1 has size 3", \
         kn_concatenate(KN_LIST(x[0], x[1])))                                                                          \
    CASE(stack, "f32[b] f32[b]", "f32[2,b]", kn_stack(KN_LIST(x[0], x[1])))                                            \
    CASE(stack_wrong, "f32[b] f32[t]", "ValueError: all input arrays must have the same shape",                        \
         kn_stack(KN_LIST(x[0], x[1])))                                                                                \
    CASE(hstack, "f32[b] f32[t]", "f32[t + b]", kn_hstack(KN_LIST(x[0], x[1])))                                        \
    CASE(vstack, "f32[b] f32[b]", "f32[2,b]", kn_vstack(KN_LIST(x[0], x[1])))                                          \
    CASE(dstack, "f32[b,t] f32[b,t]", "f32[b,t,2]", kn_dstack(KN_LIST(x[0], x[1])))                                    \
    CASE(column_stack, "f32[b] f32[b]", "f32[b,2]", kn_column_stack(KN_LIST(x[0], x[1])))                              \
    CASE(append, "f32[b] f32[t]", "f32[t + b]", kn_append(x[0], x[1]))                                                 \
    CASE(insert, "f32[b]", "f32[b + 1]", kn_insert(x[0], 1, 0.0f))                                                     \
    CASE(insert_last, "f32[b]", "f32[b + 1]", kn_insert(x[0], -1, 0.0f))                                               \
    CASE(insert_far, "f32[b]", "InconclusiveDimensionOperation: comparison '3' <= 'b' is inconclusive",                \
         kn_insert(x[0], 3, 0.0f))                                                                                     \
    CASE(delete, "f32[b]", "f32[b - 1]", kn_delete(x[0], 0))                                                           \
    CASE(delete_last, "f32[b,t]", "f32[b,t - 1]", kn_delete(x[0], -1, .axis = KN_AXIS(1)))                             \
    CASE(resize, "f32[b]", "f32[4]", kn_resize(x[0], KN_SHAPE(4)))                                                     \
    CASE(split_even, "f32[2*b]", "f32[b] f32[b]", kn_split(x[0], 2))                                                   \
    CASE(split_uneven, "f32[b]", "ValueError: equal division: the remainder is mod(b, 2)", kn_split(x[0], 2))          \
    CASE(split_b, "f32[b]",                                                                                            \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant",          \
         kn_split(x[0], kn_dim(x[0], 0)))                                                                              \
    CASE(split_at, "f32[b + 3]", "f32[1] f32[2] f32[b]", kn_split(x[0], kn_from(((int64_t[]){1, 3}), KN_SHAPE(2))))    \
    CASE(unstack, "f32[3,b]", "f32[b] f32[b] f32[b]", kn_unstack(x[0]))                                                \
    CASE(unstack_b, "f32[b]", "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context",              \
         kn_unstack(x[0]))                                                                                             \
    CASE(repeat_flat, "f32[b,t]", "f32[2*b*t]", kn_repeat(x[0], 2))                                                    \
    CASE(repeat_axis, "f32[b,t]", "f32[3*b,t]", kn_repeat(x[0], 3, .axis = KN_AXIS(0)))                                \
    CASE(repeat_each, "f32[b,2]", "f32[b,3]",                                                                          \
         kn_repeat(x[0], kn_from(((int64_t[]){1, 2}), KN_SHAPE(2)), .axis = KN_AXIS(1)))                               \
    CASE(repeat_wrong, "f32[b]", "ValueError: with shape (b,) (2,)",                                                   \
         kn_repeat(x[0], kn_from(((int64_t[]){1, 2}), KN_SHAPE(2))))                                                   \
    CASE(tile, "f32[b,t]", "f32[2*b,3*t]", kn_tile(x[0], KN_SHAPE(2, 3)))                                              \
    CASE(unique, "f32[b]", "ConcretizationError: the value of float32[b] is not known", kn_unique(x[0]))               \
    CASE(isin, "f32[b] f32[t]", "bool[b]", kn_isin(x[0], x[1]))                                                        \
    CASE(isin_few, "f32[b] f32[3]", "bool[b]", kn_isin(x[0], x[1]))

#define PADS(CASE)                                                                                                  \
    CASE(constant, "f32[b,t]", "f32[b + 4,t + 4]", kn_pad(x[0], 2))                                                 \
    CASE(edge, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "edge"))                                             \
    CASE(wrap, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "wrap"))                                             \
    CASE(reflect, "f32[b]",                                                                                         \
         "InconclusiveDimensionOperation: mode 'reflect' needs to know that axis 0 of extent b is at least 3 long", \
         kn_pad(x[0], 2, .mode = "reflect"))                                                                        \
    CASE(reflect_long, "f32[b] | b >= 3", "f32[b + 4]", kn_pad(x[0], 2, .mode = "reflect"))                         \
    CASE(symmetric_long, "f32[b] | b >= 2", "f32[b + 4]", kn_pad(x[0], 2, .mode = "symmetric"))                     \
    CASE(mean, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "mean"))                                             \
    CASE(median, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "median"))                                         \
    CASE(maximum, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "maximum"))                                       \
    CASE(minimum_of_1, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "minimum", .stat_length = kn_like_int(1)))   \
    CASE(linear_ramp, "f32[b]", "f32[b + 4]", kn_pad(x[0], 2, .mode = "linear_ramp"))

/* Where an extent is given as a number: of the second argument, or of the first. */
#define T kn_dim(x[1], 0)
#define NUMBERS(CASE)                                                                                                \
    CASE(pad_by, "f32[b] f32[t]", "f32[2*t + b]", kn_pad(x[0], T))                                                   \
    CASE(pad_edge_by, "f32[b] f32[t]", "InconclusiveDimensionOperation: used in a context that requires a constant", \
         kn_pad(x[0], T, .mode = "edge"))                                                                            \
    CASE(roll_by, "f32[b] f32[t]", "f32[b]", kn_roll(x[0], T))                                                       \
    CASE(roll_known_by, "f32[5] f32[t]", "f32[5]", kn_roll(x[0], T))                                                 \
    CASE(repeat_by, "f32[b] f32[t]", "f32[b*t]", kn_repeat(x[0], T))                                                 \
    CASE(tile_by, "f32[b] f32[t]", "f32[b*t]", kn_tile(x[0], KN_SHAPE(T)))                                           \
    CASE(delete_at, "f32[b]", "f32[b - 1]", kn_delete(x[0], kn_dim(x[0], 0) - 1))                                    \
    CASE(insert_at, "f32[b]", "f32[b + 1]", kn_insert(x[0], kn_dim(x[0], 0), 1.0f))                                  \
    CASE(resize_to, "f32[b] f32[t]", "f32[t]", kn_resize(x[0], KN_SHAPE(T)))                                         \
    CASE(divide_by, "f32[b] f32[t]", "f32[b]", kn_divide(x[0], T))                                                   \
    CASE(multiply_by, "i32[b] f32[t]", "i32[b]", kn_multiply(x[0], T))                                               \
    CASE(compare_with, "i32[b] f32[t]", "bool[b]", kn_less(x[0], T))                                                 \
    CASE(power_of, "f32[b] f32[t]", "f32[b]", kn_power(kn_abs(x[0]), T))                                             \
    CASE(take_at, "f32[b] f32[t]", "f32[]", kn_take(x[0], kn_dim(x[0], 0) - 1))                                      \
    CASE(where_first, "f32[b] f32[t]", "f32[b]", kn_where(kn_less(kn_arange(0, kn_dim(x[0], 0), 1), T), x[0], 0))    \
    CASE(arange_times, "f32[b] f32[t]", "i64[b]", kn_multiply(kn_arange(0, kn_dim(x[0], 0), 1), T))                  \
    CASE(full_of, "f32[b] f32[t]", "f32[b]", kn_full_like(x[0], T))                                                  \
    CASE(clip_to, "f32[b] f32[t]", "f32[b]", kn_clip(x[0], 0, T))                                                    \
    CASE(trapezoid_by, "f32[b] f32[t]", "f32[]", kn_trapezoid(x[0], .dx = kn_like_int(T)))                           \
    CASE(gradient_by, "f32[b] f32[t] | b >= 2", "f32[b]", kn_gradient(x[0], .spacing = KN_LIST(T)))

SHAPES(SYMBOLIC_FUNCTION)
static const symbolic_case shapes[] = {SHAPES(SYMBOLIC_ROW)};
PARTS(SYMBOLIC_FUNCTION)
static const symbolic_case parts[] = {PARTS(SYMBOLIC_ROW)};
NUMBERS(SYMBOLIC_FUNCTION)
static const symbolic_case numbers[] = {NUMBERS(SYMBOLIC_ROW)};
PADS(SYMBOLIC_FUNCTION)
static const symbolic_case pads[] = {PADS(SYMBOLIC_ROW)};

static void shapes_are_those_of_jax(void **state)
{
    (void)state;
    symbolic_check(shapes, sizeof shapes / sizeof *shapes);
    symbolic_check_values(shapes, sizeof shapes / sizeof *shapes);
}

static void parts_are_joined_and_cut(void **state)
{
    (void)state;
    symbolic_check(parts, sizeof parts / sizeof *parts);
    symbolic_check_values(parts, sizeof parts / sizeof *parts);
}

static void padding_adds_to_extents(void **state)
{
    (void)state;
    symbolic_check(pads, sizeof pads / sizeof *pads);
    symbolic_check_values(pads, sizeof pads / sizeof *pads);
}

static void extents_are_numbers_of_options(void **state)
{
    (void)state;
    symbolic_check(numbers, sizeof numbers / sizeof *numbers);
    symbolic_check_values(numbers, sizeof numbers / sizeof *numbers);
}

KN_TEST_GROUP(test_symbolic_manipulation)
{
    const struct CMUnitTest tests[] = {TEST(shapes_are_those_of_jax), TEST(parts_are_joined_and_cut),
                                       TEST(padding_adds_to_extents), TEST(extents_are_numbers_of_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
