/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_referee.c -- small functions as users write them, with the types and refusals that JAX 0.10 gives for the
 * same with jax.export.symbolic_shape (scripts: the expressions below in jnp, jax.eval_shape). Errors are JAX's kinds in
 * NumPy's words where NumPy has the function. */
#include "support/group.h"
#include "support/symbolic.h"

typedef struct Two {
    kn_array a, b;
} Two;
static Two step(const kn_array *c, const kn_array *x) { return (Two){kn_add(*c, *x), kn_sum(*c)}; }
KN_FUNCTION(step, Two, kn_array, kn_array)
static kn_list scanned_rows(kn_array x)
{
    Two y;
    kn_array start = kn_zeros(KN_SHAPE(4), .dtype = KN_F32);
    kn_scan(KN_FN(step), &y, &start, &x);
    return KN_LIST(y.a, y.b);
}
static kn_array times(const kn_array *r, const kn_array *w) { return kn_matmul(*r, *w); }
KN_FUNCTION(times, kn_array, kn_array, kn_array)
static kn_array mapped_rows(kn_array x, kn_array w)
{
    kn_array y;
    kn_call(kn_vmap(KN_FN(times), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &x, &w);
    return y;
}
static kn_array loss(const kn_array *x, const kn_array *w) { return kn_sum(kn_tanh(kn_matmul(*x, *w))); }
KN_FUNCTION(loss, kn_array, kn_array, kn_array)
static kn_array by_weights(kn_array x, kn_array w)
{
    kn_array y;
    kn_call(kn_grad(KN_FN(loss), .argnums = KN_ARGNUMS(1)), &y, &x, &w);
    return y;
}

#define TYPES(CASE)                                                                                           \
    CASE(softmax_rows, "f32[b,8]", "f32[b,8]", kn_nn_softmax(x[0]))                                           \
    CASE(layer_norm, "f32[b,t,16]", "f32[b,t,16]",                                                            \
         kn_div(kn_sub(x[0], kn_mean(x[0], KN_AXIS(-1), .keepdims = true)),                                   \
                kn_sqrt(kn_add(kn_var(x[0], KN_AXIS(-1), .keepdims = true), 1e-5))))                          \
    CASE(attention, "f32[b,t,8]", "f32[b,t,8]",                                                               \
         kn_matmul(kn_nn_softmax(kn_matmul(x[0], kn_transpose(x[0], KN_AXIS(0, 2, 1)))), x[0]))               \
    CASE(causal_mask, "f32[t,8]", "f32[t,t]", kn_tril(kn_matmul(x[0], kn_transpose(x[0]))))                   \
    CASE(flatten, "f32[b,t,3]", "f32[b,3*t]", kn_reshape(x[0], KN_SHAPE(kn_dim(x[0], 0), -1)))                \
    CASE(flatten_all, "f32[b,t,3]", "f32[3*b*t]", kn_reshape(x[0], KN_SHAPE(-1)))                             \
    CASE(heads, "f32[b,2*t]", "f32[b,2,t]", kn_reshape(x[0], KN_SHAPE(kn_dim(x[0], 0), 2, -1)))               \
    CASE(unfold, "f32[b,6]", "f32[2*b,3]", kn_reshape(x[0], KN_SHAPE(-1, 3)))                                 \
    CASE(drop_first, "f32[b]", "f32[b - 1]", kn_at(x[0], "1:"))                                               \
    CASE(drop_last, "f32[b,3]", "f32[b - 1,3]", kn_at(x[0], ":-1"))                                           \
    CASE(evens, "f32[b]", "f32[floordiv(b + 1, 2)]", kn_at(x[0], "::2"))                                      \
    CASE(backwards, "f32[b]", "f32[b]", kn_at(x[0], "::-1"))                                                  \
    CASE(window_3, "f32[b] | b >= 3", "f32[b - 2]",                                                           \
         kn_add(kn_add(kn_at(x[0], "2:"), kn_at(x[0], "1:-1")), kn_at(x[0], ":-2")))                          \
    CASE(first_16, "f32[b]", "f32[min(b, 16)]", kn_at(x[0], ":16"))                                           \
    CASE(first_of, "f32[b,3]", "f32[3]", kn_at(x[0], "0"))                                                    \
    CASE(last_of, "f32[b,3]", "f32[3]", kn_at(x[0], "-1"))                                                    \
    CASE(pairs, "f32[b]", "f32[b,b]", kn_sub(kn_at(x[0], ":, None"), kn_at(x[0], "None, :")))                 \
    CASE(join, "f32[b,3] f32[t,3]", "f32[t + b,3]", kn_concatenate(KN_LIST(x[0], x[1])))                      \
    CASE(join_side, "f32[b,3] f32[b,4]", "f32[b,7]", kn_concatenate(KN_LIST(x[0], x[1]), KN_AXIS(1)))         \
    CASE(stack_same, "f32[b,3] f32[b,3]", "f32[2,b,3]", kn_stack(KN_LIST(x[0], x[1])))                        \
    CASE(add_one, "f32[b] f32[1]", "f32[b]", kn_add(x[0], x[1]))                                              \
    CASE(outer, "f32[b] f32[t]", "f32[b,t]", kn_outer(x[0], x[1]))                                            \
    CASE(padded, "f32[b]", "f32[b + 5]", kn_pad(x[0], kn_of(int, 2, 3)))                                      \
    CASE(tiled, "f32[b,t]", "f32[2*b,3*t]", kn_tile(x[0], KN_SHAPE(2, 3)))                                    \
    CASE(repeated, "f32[b]", "f32[3*b]", kn_repeat(x[0], 3))                                                  \
    CASE(rolled, "f32[b]", "f32[b]", kn_roll(x[0], 2))                                                        \
    CASE(maximum_of, "f32[b]", "f32[]", kn_max(x[0]))                                                         \
    CASE(mean_all, "f32[b,t]", "f32[]", kn_mean(x[0]))                                                        \
    CASE(split_2, "f32[2*b,3]", "f32[b,3] f32[b,3]", kn_split(x[0], 2))                                       \
    CASE(counted, "f32[b]", "i64[b]", kn_arange(0, kn_dim(x[0], 0), 1))                                       \
    CASE(identity_, "f32[b]", "f64[b,b]", kn_eye(kn_dim(x[0], 0)))                                            \
    CASE(sorted_, "f32[b,3]", "f32[b,3]", kn_sort(x[0], KN_AXIS(0)))                                          \
    CASE(argmax_, "f32[b,3]", "i64[3]", kn_argmax(x[0], KN_AXIS(0)))                                          \
    CASE(cumsum_, "f32[b]", "f32[b]", kn_cumsum(x[0]))                                                        \
    CASE(contract, "f32[b,t] f32[t,c]", "f32[b,c]", kn_matmul(x[0], x[1]))                                    \
    CASE(einsum_, "f32[b,i,j] f32[b,j,k]", "f32[b,i,k]", kn_einsum("bij,bjk->bik", x[0], x[1]))               \
    CASE(diff_, "f32[b]", "f32[b - 1]", kn_diff(x[0]))                                                        \
    CASE(half, "f32[b]", "f32[- floordiv(b, 2) + b]", kn_at(x[0], "%:", kn_dim_floordiv(kn_dim(x[0], 0), 2))) \
    CASE(scanned, "f32[t,4]", "f32[4] f32[t]", scanned_rows(x[0]))                                            \
    CASE(vmapped, "f32[b,8] f32[8,4]", "f32[b,4]", mapped_rows(x[0], x[1]))                                   \
    CASE(gradient, "f32[b,8] f32[8,4]", "f32[8,4]", by_weights(x[0], x[1]))                                   \
    CASE(trace_, "f32[b,b]", "f32[]", kn_trace(x[0]))                                                         \
    CASE(squeezed, "f32[b,1]", "f32[b]", kn_squeeze(x[0], KN_AXIS(1)))
TYPES(SYMBOLIC_FUNCTION)
static const symbolic_case types[] = {TYPES(SYMBOLIC_ROW)};

#define REFUSED(CASE)                                                                                                 \
    CASE(heads_4, "f32[b,t]", "InconclusiveDimensionOperation: the remainder mod(b*t, 4*b) should be 0",              \
         kn_reshape(x[0], KN_SHAPE(kn_dim(x[0], 0), 4, -1)))                                                          \
    CASE(unfold_5, "f32[b,6]", "InconclusiveDimensionOperation: the remainder mod(6*b, 5) should be 0",               \
         kn_reshape(x[0], KN_SHAPE(-1, 5)))                                                                           \
    CASE(window_3_free, "f32[b]", "ValueError: (- min(b, 2) + b,)",                                                   \
         kn_add(kn_add(kn_at(x[0], "2:"), kn_at(x[0], "1:-1")), kn_at(x[0], ":-2")))                                  \
    CASE(stack_other, "f32[b,3] f32[t,3]", "ValueError: same shape", kn_stack(KN_LIST(x[0], x[1])))                   \
    CASE(add_other, "f32[b] f32[t]", "ValueError: (b,) (t,)", kn_add(x[0], x[1]))                                     \
    CASE(add_number, "f32[b] f32[4]", "ValueError: (b,) (4,)", kn_add(x[0], x[1]))                                    \
    CASE(maximum_rest, "f32[b]", "InconclusiveDimensionOperation: is inconclusive", kn_max(kn_at(x[0], "1:")))        \
    CASE(split_2_free, "f32[b,3]", "ValueError: array split does not result in an equal division", kn_split(x[0], 2)) \
    CASE(nonzero_, "f32[b]", "ConcretizationError: is not known", kn_nonzero(x[0]))                                   \
    CASE(contract_other, "f32[b,t] f32[c,b]", "ValueError: (b,t)", kn_matmul(x[0], x[1]))                             \
    CASE(squeezed_free, "f32[b,3]",                                                                                   \
         "ValueError: cannot select an axis to squeeze out which has size not equal to one",                          \
         kn_squeeze(x[0], KN_AXIS(0)))
REFUSED(SYMBOLIC_FUNCTION)
static const symbolic_case refused[] = {REFUSED(SYMBOLIC_ROW)};

static void types_are_those_of_jax(void **state)
{
    (void)state;
    symbolic_check(types, sizeof types / sizeof *types);
}

static void what_jax_refuses_is_refused(void **state)
{
    (void)state;
    symbolic_check(refused, sizeof refused / sizeof *refused);
}

static void the_values_are_those_of_numbers(void **state)
{
    (void)state;
    symbolic_check_values(types, sizeof types / sizeof *types);
}

KN_TEST_GROUP(test_symbolic_referee)
{
    const struct CMUnitTest tests[] = {TEST(types_are_those_of_jax), TEST(what_jax_refuses_is_refused),
                                       TEST(the_values_are_those_of_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
