/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_signal.c -- convolutions and special functions over extents that are expressions. JAX refuses all
 * convolutions of which it does not know which operand is larger; only "valid" ones need to. */
#include "support/group.h"
#include "support/symbolic.h"

#define FUNCTIONS(CASE)                                                                                            \
    CASE(full, "f32[b] f32[3]", "f32[b + 2]", kn_signal_convolve(x[0], x[1]))                                      \
    CASE(full_of_two, "f32[b] f32[t]", "f32[t + b - 1]", kn_signal_convolve(x[0], x[1]))                           \
    CASE(same, "f32[b] f32[3]", "f32[b]", kn_signal_convolve(x[0], x[1], .mode = "same"))                          \
    CASE(valid, "f32[b] f32[3]", "InconclusiveDimensionOperation: signal_convolve: Symbolic dimension comparison", \
         kn_signal_convolve(x[0], x[1], .mode = "valid"))                                                          \
    CASE(valid_known, "f32[b] f32[3] | b >= 3", "f32[b - 2]", kn_signal_convolve(x[0], x[1], .mode = "valid"))     \
    CASE(correlated, "f32[b] f32[3]", "f32[b + 2]", kn_signal_correlate(x[0], x[1]))                               \
    CASE(matrices, "f32[b,t] f32[3,3]", "f32[b,t]", kn_signal_convolve2d(x[0], x[1], .mode = "same"))              \
    CASE(matrices_wrapped, "f32[b,t] f32[3,3]", "f32[b + 2,t + 2]",                                                \
         kn_signal_convolve2d(x[0], x[1], .boundary = "wrap"))                                                     \
    CASE(matrices_reflected, "f32[b,t] f32[3,3]", "f32[b,t]",                                                      \
         kn_signal_correlate2d(x[0], x[1], .mode = "same", .boundary = "symm"))                                    \
    CASE(entropy, "f32[b,t]", "f32[b,t]", kn_special_entr(x[0]))                                                   \
    CASE(gammas, "f32[b,t]", "f32[b,t]", kn_special_multigammaln(x[0], 2))                                         \
    CASE(beta, "f32[b,1] f32[t]", "f32[b,t]", kn_special_betaln(x[0], x[1]))                                       \
    CASE(sum, "f32[b,t]", "f32[]", kn_special_logsumexp(x[0]))

FUNCTIONS(SYMBOLIC_FUNCTION)
static const symbolic_case functions[] = {FUNCTIONS(SYMBOLIC_ROW)};

static void functions_have_types(void **state)
{
    (void)state;
    symbolic_check(functions, sizeof functions / sizeof *functions);
}

KN_TEST_GROUP(test_symbolic_signal)
{
    const struct CMUnitTest tests[] = {TEST(functions_have_types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
