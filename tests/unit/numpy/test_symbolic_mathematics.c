/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_mathematics.c -- elementwise functions, differences, logic, products, sorting, statistics and linear algebra on extents that
 * are expressions. Types: JAX 0.10's, by jax.eval_shape with jax.export.symbolic_shape; where JAX refuses and Kiln does not, what the
 * definition gives. */
#include "support/group.h"
#include "support/symbolic.h"

#define MATHEMATICS(CASE)                                                                                          \
    CASE(add, "f32[b,1] f32[t]", "f32[b,t]", kn_add(x[0], x[1]))                                                   \
    CASE(add_number, "f32[b]", "f32[b]", kn_add(x[0], 1))                                                          \
    CASE(add_wrong, "f32[b] f32[t]", "ValueError: operands could not be broadcast together with shapes (b,) (t,)", \
         kn_add(x[0], x[1]))                                                                                       \
    CASE(add_3, "f32[b] f32[3]", "ValueError: operands could not be broadcast together with shapes (b,) (3,)",     \
         kn_add(x[0], x[1]))                                                                                       \
    CASE(add_equal, "f32[b] f32[2*c] | b == 2*c", "f32[2*c]", kn_add(x[0], x[1]))                                  \
    CASE(power, "f32[b]", "f32[b]", kn_power(x[0], 3))                                                             \
    CASE(clip, "f32[b]", "f32[b]", kn_clip(x[0], 0, 1))                                                            \
    CASE(cumsum, "f32[b,t]", "f32[b,t]", kn_cumsum(x[0], .axis = KN_AXIS(0)))                                      \
    CASE(cumsum_flat, "f32[b,t]", "f32[b*t]", kn_cumsum(x[0]))                                                     \
    CASE(cumulative_sum, "f32[b]", "f32[b + 1]", kn_cumulative_sum(x[0], .include_initial = true))                 \
    CASE(diff, "f32[b]", "f32[b - 1]", kn_diff(x[0]))                                                              \
    CASE(diff_2, "f32[b]", "f32[max(0, b - 2)]", kn_diff(x[0], .n = 2))                                            \
    CASE(ediff1d, "f32[b,t]", "f32[b*t - 1]", kn_ediff1d(x[0]))                                                    \
    CASE(trapezoid, "f32[b]", "f32[]", kn_trapezoid(x[0]))                                                         \
    CASE(unwrap, "f32[b]", "f32[b]", kn_unwrap(x[0]))                                                              \
    CASE(gradient, "f32[b] | b >= 3", "f32[b]", kn_gradient(x[0]))                                                 \
    CASE(gradient_unknown, "f32[b]", "InconclusiveDimensionOperation: is inconclusive", kn_gradient(x[0]))         \
    CASE(convolve, "f32[b] f32[3]", "f32[b + 2]", kn_convolve(x[0], x[1]))                                         \
    CASE(convolve_valid, "f32[b + 3] f32[3]", "f32[b + 1]", kn_convolve(x[0], x[1], .mode = "valid"))              \
    CASE(convolve_same, "f32[b + 3] f32[3]", "f32[b + 3]", kn_convolve(x[0], x[1], .mode = "same"))                \
    CASE(convolve_unknown, "f32[b] f32[3]", "InconclusiveDimensionOperation: Symbolic dimension comparison",       \
         kn_convolve(x[0], x[1], .mode = "valid"))                                                                 \
    CASE(interp, "f32[b] f32[t]", "f64[b]", kn_interp(x[0], x[1], x[1]))                                           \
    CASE(cross, "f32[b,3] f32[b,3]", "f32[b,3]", kn_cross(x[0], x[1]))                                             \
    CASE(outer, "f32[b] f32[t]", "f32[b,t]", kn_outer(x[0], x[1]))                                                 \
    CASE(polyder, "f32[b]", "f64[b - 1]", kn_astype(kn_polyder(x[0]), KN_F64))                                     \
    CASE(reduce, "f32[b,t]", "f32[t]", kn_ufunc_reduce(kn_ufunc_add, x[0]))                                        \
    CASE(reduce_divide, "f32[b,t]", "InconclusiveDimensionOperation: used in a context that requires a constant",  \
         kn_ufunc_reduce(kn_ufunc_divide, x[0]))                                                                   \
    CASE(accumulate, "f32[b]", "f32[b]", kn_ufunc_accumulate(kn_ufunc_add, x[0]))                                  \
    CASE(ufunc_outer, "f32[b] f32[t]", "f32[b,t]", kn_ufunc_outer(kn_ufunc_multiply, x[0], x[1]))                  \
    CASE(where, "bool[b,1] f32[t]", "f32[b,t]", kn_where(x[0], x[1], 0))                                           \
    CASE(less, "f32[b,t] f32[t]", "bool[b,t]", kn_less(x[0], x[1]))                                                \
    CASE(isfinite, "i32[b]", "bool[b]", kn_isfinite(x[0]))                                                         \
    CASE(isclose, "f32[b] f32[1]", "bool[b]", kn_isclose(x[0], x[1]))                                              \
    CASE(packbits, "bool[b]", "u8[floordiv(b + 7, 8)]", kn_packbits(x[0]))                                         \
    CASE(packbits_whole, "bool[8*b]", "u8[b]", kn_packbits(x[0]))                                                  \
    CASE(unpackbits, "u8[b]", "u8[8*b]", kn_unpackbits(x[0]))

#define PRODUCTS(CASE)                                                                                                \
    CASE(matmul, "f32[b,t] f32[t,3]", "f32[b,3]", kn_matmul(x[0], x[1]))                                              \
    CASE(matmul_wrong, "f32[b,t] f32[c,3]", "ValueError: shapes (b,t) and (c,3) not aligned: t (dim 1) != c (dim 0)", \
         kn_matmul(x[0], x[1]))                                                                                       \
    CASE(matmul_stack, "f32[b,t,3] f32[3,4]", "f32[b,t,4]", kn_matmul(x[0], x[1]))                                    \
    CASE(matmul_stacks, "f32[b,t,3] f32[b,3,u]", "f32[b,t,u]", kn_matmul(x[0], x[1]))                                 \
    CASE(matmul_stacks_wrong, "f32[b,t,3] f32[c,3,u]", "ValueError: could not be broadcast", kn_matmul(x[0], x[1]))   \
    CASE(einsum, "f32[b,t] f32[t,c]", "f32[b,c]", kn_einsum("bt,tc->bc", x[0], x[1]))                                 \
    CASE(einsum_3, "f32[b,t] f32[t,c] f32[c,d]", "f32[b,d]",                                                          \
         kn_einsum("bt,tc,cd->bd", x[0], x[1], x[2], .optimize = "greedy"))                                           \
    CASE(einsum_diagonal, "f32[b,b]", "f32[b]", kn_einsum("ii->i", x[0]))                                             \
    CASE(einsum_dots, "f32[b,4,t] f32[t,c]", "f32[b,4,c]", kn_einsum("...t,tc->...c", x[0], x[1]))                    \
    CASE(einsum_wrong, "f32[b,t] f32[u,c]", "ValueError: remapped shapes", kn_einsum("bt,tc->bc", x[0], x[1]))        \
    CASE(tensordot, "f32[b,t] f32[t,c]", "f32[b,c]", kn_tensordot(x[0], x[1], .axes = 1))                             \
    CASE(dot, "f32[b] f32[b]", "f32[]", kn_dot(x[0], x[1]))                                                           \
    CASE(vdot, "f32[b,t] f32[b,t]", "f32[]", kn_vdot(x[0], x[1]))                                                     \
    CASE(vdot_wrong, "f32[b] f32[t]", "ValueError: cannot reshape array of size t into shape (b,)",                   \
         kn_vdot(x[0], x[1]))                                                                                         \
    CASE(inner, "f32[b,t] f32[c,t]", "f32[b,c]", kn_inner(x[0], x[1]))                                                \
    CASE(kron, "f32[b,2] f32[t,3]", "f32[b*t,6]", kn_kron(x[0], x[1]))                                                \
    CASE(multi_dot, "f32[b,t] f32[t,c] f32[c,d]", "f32[b,d]", kn_linalg_multi_dot(KN_LIST(x[0], x[1], x[2])))         \
    CASE(matrix_power, "f32[b,b]", "f32[b,b]", kn_linalg_matrix_power(x[0], 3))                                       \
    CASE(matrix_power_wrong, "f32[b,t]", "LinAlgError: Last 2 dimensions of the array must be square",                \
         kn_linalg_matrix_power(x[0], 3))                                                                             \
    CASE(norm, "f32[b,t]", "f32[b]", kn_linalg_norm(x[0], .axis = KN_AXIS(1)))                                        \
    CASE(norm_columns, "f32[b,t]", "f32[]", kn_linalg_norm(x[0], .ord = 1))                                           \
    CASE(solve, "f32[b,3,3] f32[b,3,1]", "f32[b,3,1]", kn_linalg_solve(x[0], x[1]))                                   \
    CASE(inv, "f32[b,3,3]", "f32[b,3,3]", kn_linalg_inv(x[0]))                                                        \
    CASE(inv_of_b, "f32[b,b]", "f32[b,b]", kn_linalg_inv(x[0]))                                                       \
    CASE(det, "f32[b,4,4]", "f32[b]", kn_linalg_det(x[0]))                                                            \
    CASE(det_of_b, "f32[b,b]", "f32[]", kn_linalg_det(x[0]))                                                          \
    CASE(cholesky, "f32[b,b]", "f32[b,b]", kn_linalg_cholesky(x[0]))                                                  \
    CASE(tensorsolve, "f32[b,b] f32[b]", "f32[b]", kn_linalg_tensorsolve(x[0], x[1]))

#define ORDERS(CASE)                                                                                            \
    CASE(sort, "f32[b,t]", "f32[b,t]", kn_sort(x[0], .axis = KN_AXIS(0)))                                       \
    CASE(sort_flat, "f32[b,t]", "f32[b*t]", kn_sort(x[0], .axis = KN_AXIS_NONE))                                \
    CASE(argsort, "f32[b,t]", "i64[b,t]", kn_argsort(x[0]))                                                     \
    CASE(lexsort, "f32[b] f32[b]", "i64[b]", kn_lexsort(KN_LIST(x[0], x[1])))                                   \
    CASE(partition, "f32[b] | b >= 2", "f32[b]", kn_partition(x[0], 1))                                         \
    CASE(partition_unknown, "f32[b]", "InconclusiveDimensionOperation: is inconclusive", kn_partition(x[0], 1)) \
    CASE(top_k, "f32[b] | b >= 2", "f32[2]", kn_top_k(x[0], 2).values)                                          \
    CASE(top_k_unknown, "f32[b]", "InconclusiveDimensionOperation: '2' <= 'b' is inconclusive",                 \
         kn_top_k(x[0], 2).values)                                                                              \
    CASE(searchsorted, "f32[b] f32[t]", "i64[t]", kn_searchsorted(x[0], x[1]))                                  \
    CASE(digitize, "f32[b] f32[t]", "i64[b]", kn_digitize(x[0], x[1]))                                          \
    CASE(median, "f32[b,t]", "f32[b]", kn_median(x[0], .axis = KN_AXIS(1)))                                     \
    CASE(median_all, "f32[b]", "f32[]", kn_median(x[0]))                                                        \
    CASE(nanmedian, "f32[b]", "f32[]", kn_nanmedian(x[0]))                                                      \
    CASE(percentile, "f32[b]", "f32[]", kn_percentile(x[0], 50))                                                \
    CASE(quantile, "f32[b,t]", "f32[t]", kn_quantile(x[0], 0.3, .axis = KN_AXIS(0)))                            \
    CASE(quantile_known, "f32[b,5]", "f32[b]", kn_quantile(x[0], 0.3, .axis = KN_AXIS(1)))                      \
    CASE(average, "f32[b,t]", "f32[t]", kn_average(x[0], .axis = KN_AXIS(0)))                                   \
    CASE(average_weighted, "f32[b,t] f32[b]", "f32[t]", kn_average(x[0], .axis = KN_AXIS(0), .weights = x[1]))  \
    CASE(average_wrong, "f32[b,t] f32[c]", "ValueError: Shape of weights must be consistent",                   \
         kn_average(x[0], .axis = KN_AXIS(0), .weights = x[1]))                                                 \
    CASE(cov, "f32[4,t]", "f64[4,4]", kn_cov(x[0]))                                                             \
    CASE(cov_unknown, "f32[b,t]", "InconclusiveDimensionOperation: that of axis 0 is b", kn_cov(x[0]))          \
    CASE(histogram, "f32[b]", "i64[5]", kn_histogram(x[0], .bins = kn_like_int(5)).hist)                        \
    CASE(bincount, "i32[b]", "ConcretizationError: is not known", kn_bincount(x[0]))                            \
    CASE(piecewise, "f32[b] bool[b]", "f32[b]",                                                                 \
         (kn_piecewise)(x[0], KN_LIST(x[1]), 1, &(kn_piece){.value = kn_like_int(1)}))

MATHEMATICS(SYMBOLIC_FUNCTION)
static const symbolic_case mathematics[] = {MATHEMATICS(SYMBOLIC_ROW)};
PRODUCTS(SYMBOLIC_FUNCTION)
static const symbolic_case products[] = {PRODUCTS(SYMBOLIC_ROW)};
ORDERS(SYMBOLIC_FUNCTION)
static const symbolic_case orders[] = {ORDERS(SYMBOLIC_ROW)};

static void mathematics_broadcasts_and_differs(void **state)
{
    (void)state;
    symbolic_check(mathematics, sizeof mathematics / sizeof *mathematics);
    symbolic_check_values(mathematics, sizeof mathematics / sizeof *mathematics);
}

static void products_join_equal_extents(void **state)
{
    (void)state;
    symbolic_check(products, sizeof products / sizeof *products);
    symbolic_check_values(products, sizeof products / sizeof *products);
}

static void orders_and_statistics_count(void **state)
{
    (void)state;
    symbolic_check(orders, sizeof orders / sizeof *orders);
    symbolic_check_values(orders, sizeof orders / sizeof *orders);
}

KN_TEST_GROUP(test_symbolic_mathematics)
{
    const struct CMUnitTest tests[] = {TEST(mathematics_broadcasts_and_differs), TEST(products_join_equal_extents),
                                       TEST(orders_and_statistics_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
