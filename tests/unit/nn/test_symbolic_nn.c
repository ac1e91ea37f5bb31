/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_nn.c -- jax.nn over extents that are expressions. Types: JAX 0.10's, by jax.eval_shape with
 * jax.export.symbolic_shape, which refuses the scale of an unknown number of features. */
#include "support/group.h"
#include "support/symbolic.h"
#include <stdlib.h>

#define D(i, axis) kn_dim(x[i], axis)
#define QKV        "f32[b,t,8,16] f32[b,s,8,16] f32[b,s,8,16]"

#define FUNCTIONS(CASE)                                                                                               \
    CASE(relu, "f32[b,t]", "f32[b,t]", kn_nn_relu(x[0]))                                                              \
    CASE(gelu, "f32[b,t]", "f32[b,t]", kn_nn_gelu(x[0]))                                                              \
    CASE(softplus, "f32[b,t]", "f32[b,t]", kn_nn_softplus(x[0]))                                                      \
    CASE(glu, "f32[b,2*t]", "f32[b,t]", kn_nn_glu(x[0]))                                                              \
    CASE(glu_odd, "f32[b,t]", "AssertionError: axis size must be divisible by 2", kn_nn_glu(x[0]))                    \
    CASE(glu_even, "f32[b,t] | mod(t, 2) == 0", "f32[b,floordiv(t, 2)]", kn_nn_glu(x[0]))                             \
    CASE(softmax, "f32[b,t]", "f32[b,t]", kn_nn_softmax(x[0]))                                                        \
    CASE(log_softmax, "f32[b,t]", "f32[b,t]", kn_nn_log_softmax(x[0], .axis = KN_AXIS(0)))                            \
    CASE(softmax_where, "f32[b,t] bool[t]", "f32[b,t]", kn_nn_softmax(x[0], .where = x[1]))                           \
    CASE(logsumexp, "f32[b,t]", "f32[b,1]", kn_nn_logsumexp(x[0], .axis = KN_AXIS(1), .keepdims = true))              \
    CASE(logsumexp_factor, "f32[b,t] f32[b,1]", "f32[]", kn_nn_logsumexp(x[0], .b = x[1]))                            \
    CASE(logmeanexp, "f32[b,t]", "f32[b]", kn_nn_logmeanexp(x[0], .axis = KN_AXIS(1)))                                \
    CASE(standardize, "f32[b,t]", "f32[b,t]", kn_nn_standardize(x[0]))                                                \
    CASE(one_hot, "i32[b,t]", "f32[b,t,10]", kn_nn_one_hot(x[0], 10, .dtype = KN_F32))                                \
    CASE(one_hot_of_extent, "i32[b,t]", "f32[b,t,t]", kn_nn_one_hot(x[0], D(0, 1), .dtype = KN_F32))                  \
    CASE(segments, "f32[b,t] i32[b]", "f32[5,t]", kn_segment_sum(x[0], x[1], .num_segments = 5))                      \
    CASE(segments_of_extent, "f32[b,t] i32[b]", "f32[t,t]", kn_segment_sum(x[0], x[1], .num_segments = D(0, 1)))      \
    CASE(segments_in_buckets, "f32[b,t] i32[b]", "f32[5,t]",                                                          \
         kn_segment_sum(x[0], x[1], .num_segments = 5, .bucket_size = 4))                                             \
    CASE(scaled, "f32[b,t,64] f32[b,s,64] f32[b,t,2] f32[b,s,2]", "f32[b,t,s]",                                       \
         kn_nn_scaled_matmul(x[0], x[1], x[2], x[3]))                                                                 \
    CASE(scaled_wrong, "f32[b,t,c] f32[b,s,c] f32[b,t,2] f32[b,s,2]",                                                 \
         "ValueError: scaled_matmul requires the contract (K) dimension c to be a multiple of that of the scales, 2", \
         kn_nn_scaled_matmul(x[0], x[1], x[2], x[3]))                                                                 \
    CASE(weights, "f32[b]", "f32[b,4]", kn_nn_init_normal(kn_random_key(0), KN_SHAPE(D(0, 0), 4), .dtype = KN_F32))   \
    CASE(weights_of_fan, "f32[b]",                                                                                    \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant",         \
         kn_nn_init_he_normal(kn_random_key(0), KN_SHAPE(D(0, 0), 4)))

#define POOLS(CASE)                                                                                               \
    CASE(max_pool, "f32[b,h,h,3]", "f32[b,floordiv(h - 2, 2) + 1,floordiv(h - 2, 2) + 1,3]",                      \
         kn_nn_max_pool(x[0], KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)))                                        \
    CASE(max_pool_batch, "f32[b,8,8,3]", "f32[b,4,4,3]",                                                          \
         kn_nn_max_pool(x[0], KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)))                                        \
    CASE(max_pool_same, "f32[b,h,h,3]", "f32[b,h,h,3]", kn_nn_max_pool(x[0], KN_SHAPE(3, 3), .padding = KN_SAME)) \
    CASE(avg_pool, "f32[b,t,3]", "f32[b,floordiv(t - 2, 2) + 1,3]",                                               \
         kn_nn_avg_pool(x[0], KN_SHAPE(2), .strides = &KN_SHAPE(2)))                                              \
    CASE(avg_pool_inside, "f32[b,t,3]", "f32[b,t,3]",                                                             \
         kn_nn_avg_pool(x[0], KN_SHAPE(3), .padding = KN_SAME, .count_include_pad = false))

#define ATTENTION(CASE)                                                                                              \
    CASE(plain, QKV, "f32[b,t,8,16]", kn_nn_dot_product_attention(x[0], x[1], x[2]))                                 \
    CASE(causal, QKV, "f32[b,t,8,16]", kn_nn_dot_product_attention(x[0], x[1], x[2], .is_causal = true))             \
    CASE(window, QKV, "f32[b,t,8,16]",                                                                               \
         kn_nn_dot_product_attention(x[0], x[1], x[2], .local_window_size = KN_SHAPE(3)))                            \
    CASE(self, "f32[b,t,8,16]", "f32[b,t,8,16]", kn_nn_dot_product_attention(x[0], x[0], x[0], .is_causal = true))   \
    CASE(without_batch, "f32[t,8,16]", "f32[t,8,16]", kn_nn_dot_product_attention(x[0], x[0], x[0]))                 \
    CASE(masked, QKV " bool[b,1,t,s]", "f32[b,t,8,16]", kn_nn_dot_product_attention(x[0], x[1], x[2], .mask = x[3])) \
    CASE(biased, QKV " f32[1,8,t,s]", "f32[b,t,8,16]", kn_nn_dot_product_attention(x[0], x[1], x[2], .bias = x[3]))  \
    CASE(lengths, QKV " i32[b]", "f32[b,t,8,16]",                                                                    \
         kn_nn_dot_product_attention(x[0], x[1], x[2], .query_seq_lengths = x[3], .key_value_seq_lengths = x[3]))    \
    CASE(groups, "f32[b,t,8,16] f32[b,s,2,16] f32[b,s,2,16] f32[b,8,1,s]", "f32[b,t,8,16]",                          \
         kn_nn_dot_product_attention(x[0], x[1], x[2], .bias = x[3], .is_causal = true))                             \
    CASE(heads, "f32[b,t,h,16] f32[b,s,h,16] f32[b,s,h,16]", "f32[b,t,h,16]",                                        \
         kn_nn_dot_product_attention(x[0], x[1], x[2]))                                                              \
    CASE(head_groups, "f32[b,t,4*h,16] f32[b,s,h,16] f32[b,s,h,16]", "f32[b,t,4*h,16]",                              \
         kn_nn_dot_product_attention(x[0], x[1], x[2]))                                                              \
    CASE(heads_wrong, "f32[b,t,h,16] f32[b,s,2,16] f32[b,s,2,16]",                                                   \
         "ValueError: The number of query heads must be a multiple of key/value heads, but got h vs 2",              \
         kn_nn_dot_product_attention(x[0], x[1], x[2]))                                                              \
    CASE(features, "f32[b,t,2,h] f32[b,s,2,h] f32[b,s,2,h]", "f32[b,t,2,h]",                                         \
         kn_nn_dot_product_attention(x[0], x[1], x[2]))                                                              \
    CASE(residual, QKV, "f32[b,t,8]", kn_nn_dot_product_attention_residual(x[0], x[1], x[2]).residual)               \
    CASE(other_length, "f32[b,t,8,16] f32[b,s,8,16] f32[b,t,8,16]",                                                  \
         "ValueError: value shape should be [b, s, 8, 16]: but got (b,t,8,16)",                                      \
         kn_nn_dot_product_attention(x[0], x[1], x[2]))

#define TABLE(name, LIST) LIST(SYMBOLIC_FUNCTION) static const symbolic_case name[] = {LIST(SYMBOLIC_ROW)}
TABLE(functions, FUNCTIONS);
TABLE(pools, POOLS);
TABLE(attention, ATTENTION);

#define CHECK(name, table)                                   \
    static void name(void **state)                           \
    {                                                        \
        (void)state;                                         \
        symbolic_check(table, sizeof table / sizeof *table); \
    }
CHECK(functions_have_the_types_of_jax, functions)
CHECK(pools_have_the_types_of_jax, pools)
CHECK(attention_has_the_types_of_jax, attention)

static void expect_text(const symbolic_case *c, size_t n, const char *name, const char *part)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(c[i].name, name)) {
            char *types, *text = symbolic_text(&c[i], &types);
            if (!strstr(text, part))
                fprintf(stderr, "no %s in\n%s\n", part, text);
            assert_non_null(strstr(text, part));
            free(text);
            free(types);
            return;
        }
    fail();
}

/* Numbers that are made of extents are given at the launch; those that are known stay literals. */
static void extents_are_values(void **state)
{
    (void)state;
    expect_text(functions, sizeof functions / sizeof *functions, "logmeanexp", "dim_as_value[dim=t]");
    expect_text(attention, sizeof attention / sizeof *attention, "features", "dim_as_value[dim=h]");
    expect_text(attention, sizeof attention / sizeof *attention, "plain", "0.25");
}

KN_TEST_GROUP(test_symbolic_nn)
{
    const struct CMUnitTest tests[] = {TEST(functions_have_the_types_of_jax), TEST(pools_have_the_types_of_jax),
                                       TEST(attention_has_the_types_of_jax), TEST(extents_are_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
