/* SPDX-License-Identifier: Apache-2.0
 * bigint.c -- natural numbers on the stack, schoolbook. */
#include "base/bigint.h"

#include <string.h>

static void normalise(knx_big *b)
{
    while (b->n > 0 && b->w[b->n - 1] == 0)
        b->n--;
}

void knx_big_set(knx_big *b, uint64_t v)
{
    b->w[0] = (uint32_t)v;
    b->w[1] = (uint32_t)(v >> 32);
    b->n = 2;
    normalise(b);
}

void knx_big_copy(knx_big *to, const knx_big *from)
{
    to->n = from->n;
    memcpy(to->w, from->w, (size_t)from->n * sizeof from->w[0]);
}

void knx_big_mul_add(knx_big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->w[i] * factor;
        b->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->w[b->n++] = (uint32_t)carry;
}

void knx_big_mul_pow10(knx_big *b, int power)
{
    for (; power >= 9; power -= 9)
        knx_big_mul_add(b, 1000000000u, 0);
    uint32_t rest = 1;
    for (; power > 0; power--)
        rest *= 10;
    if (rest > 1)
        knx_big_mul_add(b, rest, 0);
}

void knx_big_shift_left(knx_big *b, int bits)
{
    int words = bits / 32, rest = bits % 32;
    if (b->n == 0 || bits == 0)
        return;
    b->w[b->n] = 0;
    for (int i = b->n; i >= 0; i--) {
        uint32_t low = i > 0 && rest ? b->w[i - 1] >> (32 - rest) : 0;
        b->w[i + words] = (b->w[i] << rest) | low;
    }
    memset(b->w, 0, (size_t)words * sizeof b->w[0]);
    b->n += words + 1;
    normalise(b);
}

void knx_big_add(knx_big *sum, const knx_big *a, const knx_big *b)
{
    const knx_big *large = a->n >= b->n ? a : b, *small = a->n >= b->n ? b : a;
    uint64_t carry = 0;
    int n = large->n;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)large->w[i] + (i < small->n ? small->w[i] : 0);
        sum->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        sum->w[n++] = (uint32_t)carry;
    sum->n = n;
}

void knx_big_sub(knx_big *b, const knx_big *small)
{
    uint64_t borrow = 0;
    for (int i = 0; i < b->n; i++) {
        uint64_t d = (uint64_t)b->w[i] - (i < small->n ? small->w[i] : 0) - borrow;
        b->w[i] = (uint32_t)d;
        borrow = (d >> 32) & 1;
    }
    normalise(b);
}

int knx_big_compare(const knx_big *a, const knx_big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->w[i] != b->w[i])
            return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}

int knx_big_bits(const knx_big *b) { return b->n == 0 ? 0 : 32 * b->n - __builtin_clz(b->w[b->n - 1]); }
