/* SPDX-License-Identifier: Apache-2.0
 * random32.h -- numbers that look random and are the same in each run (xorshift of 64 bits). */
#ifndef KN_TEST_RANDOM32_H
#define KN_TEST_RANDOM32_H
#include <stdint.h>

static uint64_t random32_state = 88172645463325252u;
static inline uint32_t random32(void)
{
    random32_state ^= random32_state << 13;
    random32_state ^= random32_state >> 7;
    random32_state ^= random32_state << 17;
    return (uint32_t)(random32_state >> 16);
}
#endif
