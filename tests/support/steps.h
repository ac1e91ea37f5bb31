/* SPDX-License-Identifier: Apache-2.0
 * steps.h -- for tests: how many steps of programs run. */
#ifndef KN_TEST_STEPS_H
#define KN_TEST_STEPS_H
#include <kiln/kiln.h>

static int steps;
static void hear_step(void *env, const kn_step *step)
{
    (void)env, (void)step;
    steps++;
}

/* Those of the statements. */
#define STEPS(...)                   \
    ({                               \
        kn_on_step(hear_step, NULL); \
        steps = 0;                   \
        __VA_ARGS__;                 \
        kn_on_step(NULL, NULL);      \
        steps;                       \
    })
#endif
