/* SPDX-License-Identifier: Apache-2.0
 * bigint.h -- natural numbers of up to 4,224 bits on the stack: what exact decimal conversion of floats needs, and no
 * more.
 * No operation checks for overflow: the callers bound their numbers. */
#ifndef KN_BASE_BIGINT_H
#define KN_BASE_BIGINT_H
#include <stdbool.h>
#include <stdint.h>

enum { KN_BIG_WORDS = 132 };
typedef struct kn_big {
    int n;
    uint32_t w[KN_BIG_WORDS];
} kn_big; /* little-endian words, the highest one is not zero */

void knx_big_set(kn_big *b, uint64_t v);
void knx_big_copy(kn_big *to, const kn_big *from);
void knx_big_mul_add(kn_big *b, uint32_t factor, uint32_t addend); /* b = b * factor + addend */
void knx_big_mul_pow10(kn_big *b, int power);
void knx_big_shift_left(kn_big *b, int bits);
void knx_big_add(kn_big *sum, const kn_big *a, const kn_big *b);
void knx_big_sub(kn_big *b, const kn_big *small); /* b -= small, where small <= b */
int knx_big_compare(const kn_big *a, const kn_big *b);
int knx_big_bits(const kn_big *b); /* 0 for zero, 1 for one, 2 for two and three */
#endif
