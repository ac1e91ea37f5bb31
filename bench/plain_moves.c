/* SPDX-License-Identifier: Apache-2.0
 * plain_moves.c -- plain C that moves elements: sorting, searching, indexing, transposes. */
#include "plain.h"
#include <stdlib.h>
#include <string.h>

/* ---- Sorting: by digits of eleven bits. */

/* The same order as of the floats, without sign. */
static uint32_t key_of(uint32_t bits) { return bits ^ (-(bits >> 31) | 0x80000000u); }
static uint32_t bits_of(uint32_t key) { return key ^ ((key >> 31) - 1u) ^ (key >> 31 << 31); }

static void by_digit(const uint32_t *from, uint32_t *to, int64_t n, int shift, uint32_t *at)
{
    uint32_t sum = 0;
    for (int i = 0; i < 2048; i++) {
        uint32_t many = at[i];
        at[i] = sum;
        sum += many;
    }
    for (int64_t i = 0; i < n; i++)
        to[at[from[i] >> shift & 2047]++] = from[i];
}

void plain_sort_f32(const work_memory *w)
{
    int64_t n = w->n[0];
    static uint32_t many[3][2048];
    const uint32_t *x = w->in[0];
    uint32_t *out = w->out, *a = malloc((size_t)n * 4);
    memset(many, 0, sizeof many);
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = key_of(x[i]);
        out[i] = key;
        many[0][key & 2047]++, many[1][key >> 11 & 2047]++, many[2][key >> 22]++;
    }
    by_digit(out, a, n, 0, many[0]);
    by_digit(a, out, n, 11, many[1]);
    by_digit(out, a, n, 22, many[2]);
    for (int64_t i = 0; i < n; i++)
        out[i] = bits_of(a[i]);
    free(a);
}

void plain_searchsorted(const work_memory *w)
{
    const float *a = w->in[0], *v = w->in[1];
    int64_t *out = w->out;
    for (int64_t i = 0; i < w->n[1]; i++) {
        const float *at = a;
        for (int64_t many = w->n[0]; many > 1;) {
            int64_t half = many / 2;
            at += at[half - 1] < v[i] ? half : 0;
            many -= half;
        }
        out[i] = at - a + (*at < v[i]);
    }
}
