/* SPDX-License-Identifier: Apache-2.0
 * bigint.h -- natural numbers of up to 4,224 bits on the stack: what exact decimal conversion of floats needs, and no
 * more.
 * No operation checks for overflow: the callers bound their numbers. */
#ifndef KN_BASE_BIGINT_H
#define KN_BASE_BIGINT_H
#include <stdbool.h>
#include <stdint.h>

enum { KN_BIG_WORDS = 132 };
typedef struct knx_big {
    int n;
    uint32_t w[KN_BIG_WORDS];
} knx_big; /* little-endian words, the highest one is not zero */

void knx_big_set(knx_big *b, uint64_t v);
void knx_big_copy(knx_big *to, const knx_big *from);
void knx_big_mul_add(knx_big *b, uint32_t factor, uint32_t addend); /* b = b * factor + addend */
void knx_big_mul_pow10(knx_big *b, int power);
void knx_big_shift_left(knx_big *b, int bits);
void knx_big_add(knx_big *sum, const knx_big *a, const knx_big *b);
void knx_big_sub(knx_big *b, const knx_big *small); /* b -= small, where small <= b */
int knx_big_compare(const knx_big *a, const knx_big *b);
int knx_big_bits(const knx_big *b); /* 0 for zero, 1 for one, 2 for two and three */
#endif
