/* SPDX-License-Identifier: Apache-2.0
 * sharding_known.h -- where results lie otherwise than with JAX, or more is moved, and why (test_sharding_jax.c). */
#ifndef KN_TEST_SHARDING_KNOWN_H
#define KN_TEST_SHARDING_KNOWN_H

typedef struct known_lay {
    const char *key, *ours, *why;
} known_lay;
typedef struct known_traffic {
    const char *key;
    long bytes; /* at most */
    const char *why;
} known_traffic;

/* What several of them have as their reason. */
#define EXCHANGED "what is needed whole along one axis is cut along another one: parts are exchanged; JAX gathers, or exchanges them back"
#define UNEVEN "extents that the parts do not divide are cut, too; JAX leaves them whole"
#define JOINED "a sum over the axis of the examples is joined as a whole; JAX lets the products' other axis have the axis of the mesh"

static const known_lay known_lays[] = {
    {"chosen | 8 | None, x; x", "x", "two operands of the same size disagree: either way one of them is exchanged"},
    {"sort_last | 42 | x, y", "(x, y), None", EXCHANGED},
    {"sort_first | 8 | x", "None, x", EXCHANGED},
    {"argsort_last | 42 | x, y", "(x, y), None", EXCHANGED},
    {"cumsum_first | 8 | x", "None, x", EXCHANGED},
    {"cumsum_first | 42 | x, y", "None, (y, x)", EXCHANGED},
    {"cumprod_last | 42 | x, y", "(x, y), None", EXCHANGED},
    {"top | 42 | x, y", "(x, y), None", EXCHANGED},
    {"part | 8 | x", "None, x", EXCHANGED},
    {"merge_rows | 42 | x, y", "(x, y), None", EXCHANGED},
    {"merge_rows | 42 | None, x", "x, None", EXCHANGED},
    {"ravel | 42 | x, y", "(x, y)", EXCHANGED},
    {"concatenate_first | 8 | x; x", "None, x", EXCHANGED},
    {"fft | 42 | x, y", "(x, y), None", EXCHANGED},
    {"cholesky | 42 | x, y", "(x, y), None, None", EXCHANGED},
    {"solve | 42 | x; x, None, y", "(x, y), None, None", EXCHANGED},
    {"difference | 8 | x", "x", UNEVEN},
    {"difference | 42 | x, y", "x, y", UNEVEN},
    {"padded | 8 | None, x", "None, x", UNEVEN},
    {"padded | 42 | None, (x, y)", "None, (x, y)", UNEVEN},
    {"padded | 42 | y, x", "y, x", UNEVEN},
    {"recurrence | 42 | None, x; x; y", "x; None, x", "the state is whole along the products' sum; JAX cuts it by the weights' axis"},
    {"mlp_grad | 8 | x; x; x", "; ", JOINED},
    {0}};

#define FEW "a few kilobytes are gathered whole and joined by everyone, which takes one message's time instead of two"

static const known_traffic known_traffics[] = {
    {"big_softmax | 8 | None, x", 28672, FEW},
    {"variance | 8 | x", 14336, FEW},
    {"part | 8 | x", 8192, "a device that has all of a small slice sends it to everybody; JAX sends each device its row (seven permutes, of which it receives one)"},
    {"rolled | 8 | x", 8192, "what comes round is sent to everybody by the device that has it, and each part is put together anew; JAX sends it to the next device"},
    {0}};
#endif
