/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_indexing.c -- slices, integers and index arrays on extents that are expressions. Types: JAX 0.10's, by jax.eval_shape with
 * jax.export.symbolic_shape; where JAX refuses and Kiln does not, what the definition gives. */
#include "support/group.h"
#include "support/symbolic.h"

#define SLICES(CASE)                                                                                              \
    CASE(from_1, "f32[b]", "f32[b - 1]", kn_at(x[0], "1:"))                                                       \
    CASE(but_last, "f32[b]", "f32[b - 1]", kn_at(x[0], ":-1"))                                                    \
    CASE(every_second, "f32[b]", "f32[floordiv(b + 1, 2)]", kn_at(x[0], "::2"))                                   \
    CASE(every_second_from_1, "f32[b]", "f32[floordiv(b, 2)]", kn_at(x[0], "1::2"))                               \
    CASE(reversed, "f32[b]", "f32[b]", kn_at(x[0], "::-1"))                                                       \
    CASE(reversed_second, "f32[b]", "f32[floordiv(b + 1, 2)]", kn_at(x[0], "::-2"))                               \
    CASE(reversed_to_1, "f32[b]", "f32[b - 1]", kn_at(x[0], "-1:0:-1"))                                           \
    CASE(first_4, "f32[b]", "f32[min(b, 4)]", kn_at(x[0], ":4"))                                                  \
    CASE(first_4_of_more, "f32[b + 4]", "f32[4]", kn_at(x[0], ":4"))                                              \
    CASE(from_2, "f32[b]", "f32[- min(b, 2) + b]", kn_at(x[0], "2:"))                                             \
    CASE(last_2, "f32[b]", "f32[- max(0, b - 2) + b]", kn_at(x[0], "-2:"))                                        \
    CASE(inner, "f32[b]", "f32[max(0, b - 2)]", kn_at(x[0], "1:-1"))                                              \
    CASE(to_dim, "f32[b]", "f32[b - 1]", kn_at(x[0], ":%", kn_dim(x[0], 0) - 1))                                  \
    CASE(constrained, "f32[b] | b >= 4", "f32[4]", kn_at(x[0], ":4"))                                             \
    CASE(whole, "f32[b,t]", "f32[b,t]", kn_at(x[0], "..."))                                                       \
    CASE(last, "f32[b,t]", "f32[t]", kn_at(x[0], "-1"))                                                           \
    CASE(first, "f32[b,t]", "f32[t]", kn_at(x[0], "0"))                                                           \
    CASE(second, "f32[b,t]", "f32[t]", kn_at(x[0], "1"))                                                          \
    CASE(by_dim, "f32[b,t]", "f32[t]", kn_at(x[0], "%", kn_dim(x[0], 0) - 1))                                     \
    CASE(beyond, "f32[b,t]", "IndexError: index b is out of bounds for axis 0 with size b",                       \
         kn_at(x[0], "%", kn_dim(x[0], 0)))                                                                       \
    CASE(new_axis, "f32[b,t]", "f32[b,t,1]", kn_at(x[0], "..., None"))                                            \
    CASE(column, "f32[b,t]", "f32[b]", kn_at(x[0], ":, 0"))                                                       \
    CASE(back_by_3, "f32[b]", "f32[floordiv(min(b - 1, 10) - min(b - 1, 1) + 2, 3)]", kn_at(x[0], "10:1:-3"))     \
    CASE(back_by_1, "f32[b]", "f32[min(b - 1, 10) - min(b - 1, 1)]", kn_at(x[0], "10:1:-1"))                      \
    CASE(back_to_2, "f32[b]", "f32[floordiv(- min(b - 1, 2) + b, 2)]", kn_at(x[0], ":2:-2"))                      \
    CASE(back_from_2, "f32[b]", "f32[floordiv(min(b - 1, 2) + 2, 2)]", kn_at(x[0], "2::-2"))                      \
    CASE(back_from_end, "f32[b]", "f32[floordiv(max(- 1, b - 3) + 2, 2)]", kn_at(x[0], "-3::-2"))                 \
    CASE(beyond_all, "f32[b]", "f32[min(b, 576460752303423488)]", kn_at(x[0], ":9223372036854775807"))            \
    CASE(before_all, "f32[b]", "f32[- max(0, b - 576460752303423488) + b]", kn_at(x[0], "-9223372036854775808:")) \
    CASE(longer_step, "f32[b]", "f32[floordiv(b + 576460752303423488 - 1, 576460752303423488)]",                  \
         kn_at(x[0], "::9223372036854775807"))                                                                    \
    CASE(unknown_order, "f32[b] f32[t]", "InconclusiveDimensionOperation: Symbolic dimension comparison",         \
         kn_at(x[0], "%::-2", kn_dim(x[1], 0) - 2))

#define ARRAYS(CASE)                                                                                                   \
    CASE(by_array, "f32[b,t] i32[n]", "f32[n,t]", kn_at(x[0], "%", x[1]))                                              \
    CASE(by_arrays, "f32[b,t] i32[n] i32[n]", "f32[n]", kn_at(x[0], "%, %", x[1], x[2]))                               \
    CASE(by_arrays_wrong, "f32[b,t] i32[n] i32[m]",                                                                    \
         "IndexError: indexing arrays could not be broadcast together with shapes (n,) (m,)",                          \
         kn_at(x[0], "%, %", x[1], x[2]))                                                                              \
    CASE(by_scalar, "f32[b,t] i64[]", "f32[t]", kn_at(x[0], "%", x[1]))                                                \
    CASE(array_and_slice, "f32[b,t] i32[n]", "f32[n,t - 1]", kn_at(x[0], "%, :-1", x[1]))                              \
    CASE(array_and_integer, "f32[b,t,c] i32[n]", "f32[n,c]", kn_at(x[0], "%, -1", x[1]))                               \
    CASE(by_mask, "f32[b] bool[b]", "ConcretizationError: the value of bool[b] is not known", kn_at(x[0], "%", x[1]))  \
    CASE(take, "f32[b,t] i32[n]", "f32[n,t]", kn_take(x[0], x[1], .axis = KN_AXIS(0)))                                 \
    CASE(take_flat, "f32[b,t] i32[n]", "f32[n]", kn_take(x[0], x[1]))                                                  \
    CASE(take_wrap, "f32[b,t] i32[n]", "f32[n,t]", kn_take(x[0], x[1], .axis = KN_AXIS(0), .mode = "wrap"))            \
    CASE(take_clip, "f32[b,t] i32[n]", "f32[n,t]", kn_take(x[0], x[1], .axis = KN_AXIS(0), .mode = "clip"))            \
    CASE(take_along, "f32[b,t] i32[b,n]", "f32[b,n]", kn_take_along_axis(x[0], x[1], .axis = KN_AXIS(1)))              \
    CASE(take_along_wrong, "f32[b,t] i32[c,n]", "IndexError: could not be broadcast together with shapes (b,t) (c,n)", \
         kn_take_along_axis(x[0], x[1], .axis = KN_AXIS(1)))                                                           \
    CASE(choose, "i32[b] f32[b]", "f32[b]", kn_choose(x[0], KN_LIST(x[1], x[1]), .mode = "clip"))                      \
    CASE(select, "bool[b] f32[b]", "f32[b]", kn_select(KN_LIST(x[0]), KN_LIST(x[1])))                                  \
    CASE(indices, "f32[b,t]", "i64[2,b,t]", kn_indices(KN_SHAPE(kn_dim(x[0], 0), kn_dim(x[0], 1))))                    \
    CASE(diag_indices, "f32[b]", "i64[b] i64[b]", kn_diag_indices(kn_dim(x[0], 0)))                                    \
    CASE(nonzero, "bool[b]", "ConcretizationError: the value of bool[b] is not known", kn_nonzero(x[0]))               \
    CASE(tril_indices, "f32[b]", "i64[floordiv(b^2 + b, 2)] i64[floordiv(b^2 + b, 2)]",                                \
         kn_tril_indices(kn_dim(x[0], 0)))                                                                             \
    CASE(triu_indices, "f32[b]", "i64[floordiv(b^2 + b, 2)] i64[floordiv(b^2 + b, 2)]",                                \
         kn_triu_indices(kn_dim(x[0], 0)))                                                                             \
    CASE(above_diagonal, "f32[b,b]", "i64[max(0, floordiv(b^2 - b, 2))] i64[max(0, floordiv(b^2 - b, 2))]",            \
         kn_triu_indices_from(x[0], .k = 1))                                                                           \
    CASE(below_diagonal, "f32[b,b]", "i64[max(0, floordiv(b^2 - b, 2))] i64[max(0, floordiv(b^2 - b, 2))]",            \
         kn_tril_indices_from(x[0], .k = -1))                                                                          \
    CASE(narrow_triangle, "f32[b] | b >= 3", "i64[3*b - 1] i64[3*b - 1]",                                              \
         kn_tril_indices(kn_dim(x[0], 0), .m = 3, .k = 1))                                                             \
    CASE(unravel, "f32[b] i32[3]", "ConcretizationError: is not known", kn_unravel_index(x[1], KN_SHAPE(4, 4)))

/* Of a copy of the first argument. */
#define WRITTEN(write)              \
    ({                              \
        kn_array y = kn_copy(x[0]); \
        write;                      \
        y;                          \
    })
#define WRITES(CASE)                                                                                                \
    CASE(set_element, "f32[b]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "0")))                                         \
    CASE(set_unknown, "f32[b]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "3")))                                         \
    CASE(set_slice, "f32[b]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "1:")))                                          \
    CASE(set_part, "f32[b] f32[b - 1]", "f32[b]", WRITTEN(kn_set_at(y, x[1], ":-1")))                               \
    CASE(set_second, "f32[b]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "::2")))                                        \
    CASE(set_array, "f32[b] i32[n]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "%", x[1])))                              \
    CASE(set_mask, "f32[b] bool[b]", "f32[b]", WRITTEN(kn_set_at(y, 1.0f, "%", x[1])))                              \
    CASE(set_wrong, "f32[b] f32[t]", "ValueError: could not broadcast input array from shape (t,) into shape (b,)", \
         WRITTEN(kn_set_at(y, x[1], ":")))                                                                          \
    CASE(add_array, "f32[b] i32[n]", "f32[b]", WRITTEN(kn_iadd_at(y, 1.0f, "%", x[1])))                             \
    CASE(add_all, "f32[b,t] f32[t]", "f32[b,t]", WRITTEN(kn_iadd(y, x[1])))                                         \
    CASE(put_along, "f32[b,t] i32[b,n]", "f32[b,t]", WRITTEN(kn_put_along_axis(y, x[1], 1.0f, KN_AXIS(1))))         \
    CASE(put, "f32[b]", "InconclusiveDimensionOperation: used in a context that requires a constant",               \
         WRITTEN(kn_put(y, 0, 1.0f)))                                                                               \
    CASE(fill_diagonal, "f32[b,b]", "InconclusiveDimensionOperation: Symbolic dimension 'b^2' used in a context",   \
         WRITTEN(kn_fill_diagonal(y, 1.0f)))

SLICES(SYMBOLIC_FUNCTION)
static const symbolic_case slices[] = {SLICES(SYMBOLIC_ROW)};
ARRAYS(SYMBOLIC_FUNCTION)
static const symbolic_case arrays[] = {ARRAYS(SYMBOLIC_ROW)};
WRITES(SYMBOLIC_FUNCTION)
static const symbolic_case writes[] = {WRITES(SYMBOLIC_ROW)};

static void slices_are_those_of_jax(void **state)
{
    (void)state;
    symbolic_check(slices, sizeof slices / sizeof *slices);
    symbolic_check_values(slices, sizeof slices / sizeof *slices);
}

static void index_arrays_take_extents_as_values(void **state)
{
    (void)state;
    symbolic_check(arrays, sizeof arrays / sizeof *arrays);
    symbolic_check_values(arrays, sizeof arrays / sizeof *arrays);
}

static void writes_keep_the_type(void **state)
{
    (void)state;
    symbolic_check(writes, sizeof writes / sizeof *writes);
    symbolic_check_values(writes, sizeof writes / sizeof *writes);
}

KN_TEST_GROUP(test_symbolic_indexing)
{
    const struct CMUnitTest tests[] = {TEST(slices_are_those_of_jax), TEST(index_arrays_take_extents_as_values),
                                       TEST(writes_keep_the_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
