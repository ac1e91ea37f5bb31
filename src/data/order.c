/* SPDX-License-Identifier: Apache-2.0
 * order.c -- orders of examples without a table: a Feistel network over the next power of four, which is a permutation
 * whatever its round function is; what falls behind the last example goes through it again (cycle walking; Black,
 * Rogaway 2002). */
#include "data/loader.h"

enum { ROUNDS = 10, LEAST_HALF = 3 }; /* few bits mix badly: small orders walk in 64 places */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; /* the finalizer of splitmix64 */
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int64_t kndata_shuffled(int64_t n, const uint32_t key[2], int64_t epoch, int64_t i)
{
    int half = LEAST_HALF;
    while (half < 31 && (uint64_t)1 << (2 * half) < (uint64_t)n)
        half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    const uint64_t secret = mixed(((uint64_t)key[0] << 32 | key[1]) + mixed((uint64_t)epoch + 0x9e3779b97f4a7c15u));
    uint64_t x = (uint64_t)i;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            uint64_t next = left ^ (mixed(secret ^ mixed(round << 32 ^ right)) >> 20 & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}
