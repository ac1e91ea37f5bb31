/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_creation.c -- arrays whose extents are made of those of arguments: kn_dim(x, 0) as a number. Types: JAX 0.10's, by
 * jax.eval_shape with jax.export.symbolic_shape; where JAX refuses and Kiln does not, what the definition gives. */
#include "support/group.h"
#include "support/symbolic.h"
#include <stdlib.h>

#define B kn_dim(x[0], 0)
#define CREATED(CASE)                                                                                                \
    CASE(zeros_like, "f32[b,t]", "f32[b,t]", kn_zeros_like(x[0]))                                                    \
    CASE(ones_like, "f32[b,t]", "i32[b,t]", kn_ones_like(x[0], .dtype = KN_I32))                                     \
    CASE(zeros, "f32[b]", "f64[b,2]", kn_zeros(KN_SHAPE(B, 2)))                                                      \
    CASE(full, "f32[b]", "f64[b,2]", kn_full(KN_SHAPE(B, 2), 3.0))                                                   \
    CASE(full_like, "f32[b,t] f32[t]", "f32[b,t]", kn_full_like(x[0], x[1]))                                         \
    CASE(full_wrong, "f32[b] f32[t]", "ValueError: could not broadcast input array from shape (t,) into shape (b,)", \
         kn_full(KN_SHAPE(B), x[1]))                                                                                 \
    CASE(arange, "f32[b]", "i64[b]", kn_arange(0, B, 1))                                                             \
    CASE(arange_from_1, "f32[b]", "i64[b - 1]", kn_arange(1, B, 1))                                                  \
    CASE(arange_second, "f32[b]", "i64[floordiv(b + 1, 2)]", kn_arange(0, B, 2))                                     \
    CASE(arange_down, "f32[b]", "i64[b]", kn_arange(B, 0, -1))                                                       \
    CASE(arange_to_0, "f32[b]", "i64[b]", kn_arange(B - 1, -1, -1))                                                  \
    CASE(arange_from_5, "f32[b]", "i64[max(0, b - 5)]", kn_arange(5, B, 1))                                          \
    CASE(arange_floats, "f32[b]", "ValueError: all of start, stop and step are integers", kn_arange(0.0, B, 1))      \
    CASE(arange_as_float, "f32[b]", "f32[b]", kn_arange(0, B, 1, .dtype = KN_F32))                                   \
    CASE(arange_step, "f32[b]", "InconclusiveDimensionOperation: used in a context that requires a constant",        \
         kn_arange(0, 10, B))                                                                                        \
    CASE(linspace_ends, "f32[b]", "f64[5]", kn_linspace(0, B, 5))                                                    \
    CASE(linspace, "f32[b] | b >= 2", "f64[b]", kn_linspace(0, 1, B))                                                \
    CASE(linspace_open, "f32[b]", "f64[b]", kn_linspace(0, 1, B, .endpoint = false))                                 \
    CASE(linspace_unknown, "f32[b]", "InconclusiveDimensionOperation: is inconclusive", kn_linspace(0, 1, B))        \
    CASE(logspace, "f32[b] | b >= 2", "f64[b]", kn_logspace(0, 1, B))                                                \
    CASE(geomspace, "f32[b] | b >= 2", "f64[b]", kn_geomspace(1, 2, B))                                              \
    CASE(eye, "f32[b]", "f64[b,b]", kn_eye(B))                                                                       \
    CASE(eye_above, "f32[b]", "f64[b,b]", kn_eye(B, .k = 1))                                                         \
    CASE(identity, "f32[b]", "f64[b,b]", kn_identity(B))                                                             \
    CASE(tri, "f32[b]", "f64[b,b]", kn_tri(B))                                                                       \
    CASE(tril, "f32[b,t]", "f32[b,t]", kn_tril(x[0]))                                                                \
    CASE(diag, "f32[b]", "f32[b,b]", kn_diag(x[0]))                                                                  \
    CASE(diag_above, "f32[b]", "f32[b + 1,b + 1]", kn_diag(x[0], .k = 1))                                            \
    CASE(diag_of, "f32[b,b]", "f32[b]", kn_diag(x[0]))                                                               \
    CASE(diag_of_rectangle, "f32[b,t]", "f32[min(b, t)]", kn_diag(x[0]))                                             \
    CASE(diag_of_above, "f32[b,b]", "f32[b - 1]", kn_diag(x[0], .k = 1))                                             \
    CASE(trace, "f32[b,b]", "f32[]", kn_trace(x[0]))                                                                 \
    CASE(vander, "f32[b]", "f32[b,b]", kn_astype(kn_vander(x[0]), KN_F32))                                           \
    CASE(vander_3, "f32[b]", "f32[b,3]", kn_astype(kn_vander(x[0], .N = 3), KN_F32))                                 \
    CASE(meshgrid, "f32[b] f32[t]", "f32[t,b] f32[t,b]", kn_meshgrid(KN_LIST(x[0], x[1])))                           \
    CASE(shape_array, "f32[b,t,3]", "i64[3]", kn_shape_array(x[0]))                                                  \
    CASE(by_size, "f32[b,t]", "f32[b,t]", kn_divide(x[0], kn_size(x[0])))                                            \
    CASE(looked_at, "f32[b]", "ConcretizationError: the value of int64[] is not known",                              \
         kn_like_int(kn_item_int(kn_sum(kn_arange(0, B, 1)))))

CREATED(SYMBOLIC_FUNCTION)
static const symbolic_case created[] = {CREATED(SYMBOLIC_ROW)};

static void extents_of_arguments_make_arrays(void **state)
{
    (void)state;
    symbolic_check(created, sizeof created / sizeof *created);
    symbolic_check_values(created, sizeof created / sizeof *created);
}

/* The text of a jaxpr says where an extent became a value. */
static void extents_are_values_when_the_function_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof created / sizeof *created; i++) {
        if (strcmp(created[i].name, "by_size") && strcmp(created[i].name, "arange"))
            continue;
        char *types, *text = symbolic_text(&created[i], &types);
        bool has = strstr(text, "dim_as_value") != NULL;
        assert_true(has == !strcmp(created[i].name, "by_size")); /* an iota needs none */
        if (has)
            assert_non_null(strstr(text, "dim_as_value[dim=b*t]"));
        free(types);
        free(text);
    }
}

KN_TEST_GROUP(test_symbolic_creation)
{
    const struct CMUnitTest tests[] = {TEST(extents_of_arguments_make_arrays),
                                       TEST(extents_are_values_when_the_function_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
