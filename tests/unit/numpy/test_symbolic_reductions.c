/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_reductions.c -- reductions over extents that are expressions. Types: JAX 0.10's, by jax.eval_shape with
 * jax.export.symbolic_shape. */
#include "support/group.h"
#include "support/symbolic.h"

#define REDUCTIONS(CASE)                                                                                             \
    CASE(sum_all, "f32[b,t]", "f32[]", kn_sum(x[0]))                                                                 \
    CASE(sum_last, "f32[b,t]", "f32[b]", kn_sum(x[0], .axis = KN_AXIS(1)))                                           \
    CASE(sum_kept, "f32[b,t]", "f32[1,t]", kn_sum(x[0], .axis = KN_AXIS(0), .keepdims = true))                       \
    CASE(prod, "f32[b,t]", "f32[t]", kn_prod(x[0], .axis = KN_AXIS(0)))                                              \
    CASE(mean_all, "f32[b,t]", "f32[]", kn_mean(x[0]))                                                               \
    CASE(mean_last, "f32[b,t]", "f32[b]", kn_mean(x[0], .axis = KN_AXIS(1)))                                         \
    CASE(mean_integers, "i32[b]", "f64[]", kn_mean(x[0]))                                                            \
    CASE(mean_known, "f32[b,4]", "f32[b]", kn_mean(x[0], .axis = KN_AXIS(1)))                                        \
    CASE(mean_where, "f32[b,t] bool[t]", "f32[b]", kn_mean(x[0], .axis = KN_AXIS(1), .where = x[1]))                 \
    CASE(var, "f32[b,t]", "f32[t]", kn_var(x[0], .axis = KN_AXIS(0), .ddof = 1))                                     \
    CASE(std, "f32[b]", "f32[]", kn_std(x[0]))                                                                       \
    CASE(nanmean, "f32[b]", "f32[]", kn_nanmean(x[0]))                                                               \
    CASE(nanvar, "f32[b]", "f32[]", kn_nanvar(x[0]))                                                                 \
    CASE(nansum, "f32[b,t]", "f32[b]", kn_nansum(x[0], .axis = KN_AXIS(1)))                                          \
    CASE(max, "f32[b,t]", "f32[t]", kn_max(x[0], .axis = KN_AXIS(0)))                                                \
    CASE(min_all, "i32[b,t]", "i32[]", kn_min(x[0]))                                                                 \
    CASE(ptp, "f32[b,t]", "f32[]", kn_ptp(x[0]))                                                                     \
    CASE(argmax_flat, "f32[b,t]", "i64[]", kn_argmax(x[0]))                                                          \
    CASE(argmin, "f32[b,t]", "i64[t]", kn_argmin(x[0], .axis = KN_AXIS(0)))                                          \
    CASE(nanargmax, "f32[b,t]", "i64[t]", kn_nanargmax(x[0], .axis = KN_AXIS(0)))                                    \
    CASE(all, "bool[b,t]", "bool[b,1]", kn_all(x[0], .axis = KN_AXIS(1), .keepdims = true))                          \
    CASE(any, "bool[b,t]", "bool[]", kn_any(x[0]))                                                                   \
    CASE(count_nonzero, "f32[b,t]", "i64[]", kn_count_nonzero(x[0]))                                                 \
    CASE(max_tail, "f32[b]", "InconclusiveDimensionOperation: comparison 'b - 1' <= '0'", kn_max(kn_at(x[0], "1:"))) \
    CASE(max_tail_long, "f32[b] | b >= 2", "f32[]", kn_max(kn_at(x[0], "1:")))                                       \
    CASE(argmax_tail, "f32[b]", "InconclusiveDimensionOperation: is inconclusive", kn_argmax(kn_at(x[0], "1:")))     \
    CASE(mean_wrong, "f32[b] bool[t]", "ValueError: (t,)  and requested shape (b,)", kn_mean(x[0], .where = x[1]))

REDUCTIONS(SYMBOLIC_FUNCTION)
static const symbolic_case reductions[] = {REDUCTIONS(SYMBOLIC_ROW)};

static void reductions_have_the_types_of_jax(void **state)
{
    (void)state;
    symbolic_check(reductions, sizeof reductions / sizeof *reductions);
    symbolic_check_values(reductions, sizeof reductions / sizeof *reductions);
}

KN_TEST_GROUP(test_symbolic_reductions)
{
    const struct CMUnitTest tests[] = {TEST(reductions_have_the_types_of_jax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
