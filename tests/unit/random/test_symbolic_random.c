/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_random.c -- jax.random with shapes that are expressions. Types: JAX 0.10's, by jax.eval_shape with
 * jax.export.symbolic_shape, which refuses every permutation of an unknown number and choices with probabilities. */
#include "base/dim.h"
#include "support/group.h"
#include "support/symbolic.h"

#define D(i, axis) kn_dim(x[i], axis)
#define K          kn_random_key(0)
#define SAME       KN_SHAPE(D(0, 0), D(0, 1))

#define DRAWS(CASE)                                                                                                 \
    CASE(uniform, "f32[b,t]", "f32[b,t]", kn_random_uniform(K, SAME, .dtype = KN_F32))                              \
    CASE(normal, "f32[b,t]", "f32[b,2*t]",                                                                          \
         kn_random_normal(K, KN_SHAPE(D(0, 0), knx_dim_mul(D(0, 1), 2)), .dtype = KN_F32))                          \
    CASE(bits, "f32[b,t]", "u32[b,t]", kn_random_bits(K, SAME, .dtype = KN_U32))                                    \
    CASE(randint, "f32[b,t]", "i32[b,t]", kn_random_randint(K, SAME, 0, 10, .dtype = KN_I32))                       \
    CASE(randint_below, "f32[b,t]", "i64[b,t]", kn_random_randint(K, SAME, 0, D(0, 1)))                             \
    CASE(gumbel, "f32[b,t]", "f32[b,t]", kn_random_gumbel(K, SAME, .dtype = KN_F32))                                \
    CASE(exponential, "f32[b,t]", "f32[b,t]", kn_random_exponential(K, SAME, .dtype = KN_F32))                      \
    CASE(truncated, "f32[b,t]", "f32[b,t]", kn_random_truncated_normal(K, -2, 2, SAME, .dtype = KN_F32))            \
    CASE(bernoulli, "f32[b,t]", "bool[b,t]", kn_random_bernoulli(K, x[0], SAME))                                    \
    CASE(bernoulli_wrong, "f32[b,t]", "ValueError: ", kn_random_bernoulli(K, x[0], KN_SHAPE(D(0, 1), D(0, 0))))     \
    CASE(gamma, "f32[b,t]", "f32[b,t]", kn_random_gamma(K, x[0], SAME, .dtype = KN_F32))                            \
    CASE(poisson, "f32[b,t]", "i64[b,t]", kn_random_poisson(K, x[0], SAME))                                         \
    CASE(binomial, "f32[b,t]", "f32[b,t]", kn_random_binomial(K, x[0], 0.5, SAME, .dtype = KN_F32))                 \
    CASE(multinomial, "f32[b,t]", "f32[b,t]", kn_random_multinomial(K, 10, x[0], .dtype = KN_F32))                  \
    CASE(dirichlet, "f32[b,t]", "f32[b,t]", kn_random_dirichlet(K, x[0], KN_SHAPE(D(0, 0)), .dtype = KN_F32))       \
    CASE(gaussian, "f32[b,t] f32[t,t]", "f32[b,t]",                                                                 \
         kn_random_multivariate_normal(K, x[0], x[1], KN_SHAPE(D(0, 0)), .dtype = KN_F32))                          \
    CASE(gaussian_wrong, "f32[b,t] f32[b,b]", "ValueError: cov.shape == (..., n, n) for n=t, but got cov.shape ==", \
         kn_random_multivariate_normal(K, x[0], x[1], KN_SHAPE(D(0, 0))))                                           \
    CASE(categorical, "f32[b,t]", "i64[b]", kn_random_categorical(K, x[0]))                                         \
    CASE(keys, "f32[b]", "key<fry>[b]", kn_random_split(K, .num = D(0, 0)))                                         \
    CASE(with_keys, "f32[b]", "f32[b]",                                                                             \
         kn_reshape(kn_random_uniform(K, KN_SHAPE(D(0, 0), 1), .dtype = KN_F32), KN_SHAPE(D(0, 0))))

#define CHOICES(CASE)                                                                                                  \
    CASE(three, "f32[b]", "f32[3]", kn_random_choice(K, x[0], KN_SHAPE(3)))                                            \
    CASE(many, "f32[b] f32[t]", "f32[t]", kn_random_choice(K, x[0], KN_SHAPE(D(1, 0))))                                \
    CASE(numbers, "f32[b] f32[t]", "i64[t]", kn_random_choice(K, D(0, 0), KN_SHAPE(D(1, 0))))                          \
    CASE(rows, "f32[b,t]", "f32[3,t]", kn_random_choice(K, x[0], KN_SHAPE(3)))                                         \
    CASE(likely, "f32[b] f32[b]", "f32[3]", kn_random_choice(K, x[0], KN_SHAPE(3), .p = x[1]))                         \
    CASE(likely_wrong, "f32[b] f32[t]", "ValueError: p has shape (t,) and a.shape[axis] is b.",                        \
         kn_random_choice(K, x[0], KN_SHAPE(3), .p = x[1]))                                                            \
    CASE(different, "f32[b]",                                                                                          \
         "InconclusiveDimensionOperation: random_choice: Symbolic dimension comparison '3' <= 'b' is inconclusive",    \
         kn_random_choice(K, x[0], KN_SHAPE(3), .replace = false))                                                     \
    CASE(different_of_some, "f32[b] | b >= 3 | b <= 1000", "f32[3]",                                                   \
         kn_random_choice(K, x[0], KN_SHAPE(3), .replace = false))                                                     \
    CASE(permuted, "f32[b,t]",                                                                                         \
         "InconclusiveDimensionOperation: random_permutation: Symbolic dimension 'b' used in a context that requires " \
         "a constant: the number of rounds of a shuffle",                                                              \
         kn_random_permutation(K, x[0]))                                                                               \
    CASE(permuted_some, "f32[b,t] | b <= 1625", "f32[b,t]", kn_random_permutation(K, x[0]))                            \
    CASE(permuted_numbers, "f32[b] | b <= 1625", "i64[b]", kn_random_permutation(K, D(0, 0)))                          \
    CASE(permuted_known, "f32[8,t]", "f32[8,t]", kn_random_permutation(K, x[0]))

#define TABLE(name, LIST) LIST(SYMBOLIC_FUNCTION) static const symbolic_case name[] = {LIST(SYMBOLIC_ROW)}
TABLE(draws, DRAWS);
TABLE(choices, CHOICES);

static void draws_have_the_types_of_jax(void **state)
{
    (void)state;
    symbolic_check(draws, sizeof draws / sizeof *draws);
}

static void choices_and_permutations(void **state)
{
    (void)state;
    symbolic_check(choices, sizeof choices / sizeof *choices);
}

KN_TEST_GROUP(test_symbolic_random)
{
    const struct CMUnitTest tests[] = {TEST(draws_have_the_types_of_jax), TEST(choices_and_permutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
