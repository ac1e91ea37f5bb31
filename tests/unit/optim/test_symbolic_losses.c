/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_losses.c -- losses of batches of an unknown number of examples, steps of optimizers. */
#include "support/group.h"
#include "support/symbolic.h"

#define LOSSES(CASE)                                                                                                  \
    CASE(l2, "f32[b,10] f32[b,10]", "f32[b,10]", kn_optim_l2_loss(x[0], x[1]))                                        \
    CASE(cross_entropy, "f32[b,10] i32[b]", "f32[b]", kn_optim_softmax_cross_entropy_with_integer_labels(x[0], x[1])) \
    CASE(cross_entropy_of_rows, "f32[b,c] f32[b,c]", "f32[b]", kn_optim_softmax_cross_entropy(x[0], x[1]))            \
    CASE(smooth, "f32[b,10]", "f32[b,10]", kn_optim_smooth_labels(x[0], 0.1))                                         \
    CASE(smooth_of_extent, "f32[b,c]", "f32[b,c]", kn_optim_smooth_labels(x[0], 0.1))                                 \
    CASE(pairs, "f32[b,8] i32[b]", "f32[]", kn_optim_ntxent(x[0], x[1], 0.5))                                         \
    CASE(pairs_wrong, "f32[b,8] i32[t]",                                                                              \
         "ValueError: Labels and embeddings must have the same leading dimension, found t for labels and b for",      \
         kn_optim_ntxent(x[0], x[1], 0.5))

static kn_array stepped(kn_optimizer o, const kn_array *x)
{
    kn_tree updates = NULL, next = NULL, state = kn_optim_init(o, KN_TREE(&x[0]));
    if (kn_optim_update(o, KN_TREE(&x[1]), state, KN_TREE(&x[0]), &updates, &next))
        return NULL;
    return kn_tree_get(kn_optim_apply_updates(KN_TREE(&x[0]), updates), 0);
}

/* Parameters of an unknown extent: rows of an embedding. */
#define STEPS(CASE)                                                                                             \
    CASE(sgd, "f32[b,8] f32[b,8]", "f32[b,8]", stepped(kn_optim_sgd(.learning_rate = 0.1, .momentum = 0.9), x)) \
    CASE(adam, "f32[b,8] f32[b,8]", "f32[b,8]", stepped(kn_optim_adam(.learning_rate = 0.1), x))                \
    CASE(lion, "f32[b,t] f32[b,t]", "f32[b,t]", stepped(kn_optim_lion(.learning_rate = 0.1), x))                \
    CASE(centralized, "f32[b,t] f32[b,t]", "f32[b,t]", stepped(kn_optim_centralize(), x))                       \
    CASE(adafactor, "f32[b,8] f32[b,8]", "f32[b,8]", stepped(kn_optim_adafactor(.learning_rate = 0.1), x))      \
    CASE(factored, "f32[b,8] f32[b,8] | b >= 9", "f32[b,8]",                                                    \
         stepped(kn_optim_adafactor(.learning_rate = 0.1, .min_dim_size_to_factor = 2), x))                     \
    CASE(factored_which, "f32[b,8] f32[b,8]", "InconclusiveDimensionOperation: ",                               \
         stepped(kn_optim_adafactor(.learning_rate = 0.1, .min_dim_size_to_factor = 2), x))

STEPS(SYMBOLIC_FUNCTION)
static const symbolic_case steps[] = {STEPS(SYMBOLIC_ROW)};

static void steps_have_types(void **state)
{
    (void)state;
    symbolic_check(steps, sizeof steps / sizeof *steps);
}

LOSSES(SYMBOLIC_FUNCTION)
static const symbolic_case losses[] = {LOSSES(SYMBOLIC_ROW)};

static void losses_have_types(void **state)
{
    (void)state;
    symbolic_check(losses, sizeof losses / sizeof *losses);
}

KN_TEST_GROUP(test_symbolic_losses)
{
    const struct CMUnitTest tests[] = {TEST(losses_have_types), TEST(steps_have_types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
