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

/* ---- Searching. */

void plain_nonzero(const work_memory *w)
{
    const uint8_t *x = w->in[0];
    int64_t *out = w->out, at = 0;
    for (int64_t i = 0; i < w->n[0] && at < w->n_out; i++) {
        out[at] = i;
        at += x[i];
    }
}

void plain_mask_select(const work_memory *w)
{
    const float *x = w->in[0];
    const uint8_t *mask = w->in[1];
    float *out = w->out;
    int64_t at = 0;
    for (int64_t i = 0; i < w->n[0] && at < w->n_out; i++) {
        out[at] = x[i];
        at += mask[i];
    }
}

static int64_t argmax(const float *x, int64_t n)
{
    float most = x[0];
    for (int64_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    int64_t at = 0;
    while (x[at] != most)
        at++;
    return at;
}

void plain_argmax(const work_memory *w) { *(int64_t *)w->out = argmax(w->in[0], w->n[0]); }

void plain_argmax_rows(const work_memory *w)
{
    const float *x = w->in[0];
    int64_t n = w->dim[0][1];
    for (int64_t i = 0; i < w->dim[0][0]; i++)
        ((int64_t *)w->out)[i] = argmax(x + i * n, n);
}

/* Four counts of each, so that equal ones in a row do not wait for each other. */
void plain_bincount(const work_memory *w)
{
    const int64_t *x = w->in[0];
    int64_t *out = w->out, n = w->n_out, *many = calloc((size_t)n * 4, sizeof *many);
    for (int64_t i = 0; i + 4 <= w->n[0]; i += 4)
        for (int k = 0; k < 4; k++)
            many[x[i + k] * 4 + k]++;
    for (int64_t i = w->n[0] / 4 * 4; i < w->n[0]; i++)
        many[x[i] * 4]++;
    for (int64_t i = 0; i < n; i++)
        out[i] = many[i * 4] + many[i * 4 + 1] + many[i * 4 + 2] + many[i * 4 + 3];
    free(many);
}

void plain_histogram(const work_memory *w)
{
    const float *x = w->in[0];
    int64_t *out = w->out;
    uint32_t many[4][256] = {0};
    for (int64_t i = 0; i + 4 <= w->n[0]; i += 4)
        for (int k = 0; k < 4; k++)
            many[k][x[i + k] < 1 ? (int)(x[i + k] * 256) : 255]++;
    for (int i = 0; i < 256; i++)
        out[i] = (int64_t)many[0][i] + many[1][i] + many[2][i] + many[3][i];
}

/* ---- Indices. */

void plain_gather(const work_memory *w)
{
    const float *x = w->in[0];
    const int64_t *at = w->in[1];
    float *out = w->out;
    for (int64_t i = 0; i < w->n[1]; i++)
        out[i] = x[at[i]];
}

void plain_scatter_add(const work_memory *w)
{
    const float *x = w->in[0];
    const int64_t *at = w->in[1];
    float *out = w->out;
    memset(out, 0, (size_t)w->n_out * sizeof *out);
    for (int64_t i = 0; i < w->n[0]; i++)
        out[at[i]] += x[i];
}

/* ---- Strides. */

void plain_hwc_chw_u8(const work_memory *w)
{
    const uint8_t *x = w->in[0];
    int64_t n = w->n[0] / 3;
    uint8_t *restrict red = w->out, *restrict green = red + n, *restrict blue = green + n;
    for (int64_t i = 0; i < n; i++)
        red[i] = x[3 * i], green[i] = x[3 * i + 1], blue[i] = x[3 * i + 2];
}

void plain_hwc_chw_f32(const work_memory *w)
{
    const float *x = w->in[0];
    int64_t n = w->n[0] / 3;
    float *restrict red = w->out, *restrict green = red + n, *restrict blue = green + n;
    for (int64_t i = 0; i < n; i++)
        red[i] = x[3 * i], green[i] = x[3 * i + 1], blue[i] = x[3 * i + 2];
}

void plain_stack_two(const work_memory *w)
{
    const float *a = w->in[0], *b = w->in[1];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[2 * i] = a[i], out[2 * i + 1] = b[i];
}

void plain_stack_three(const work_memory *w)
{
    const float *a = w->in[0], *b = w->in[1], *c = w->in[2];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[3 * i] = a[i], out[3 * i + 1] = b[i], out[3 * i + 2] = c[i];
}

void plain_flip(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0, n = w->n[0]; i < n; i++)
        out[i] = x[n - 1 - i];
}

void plain_every_second(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    int64_t columns = w->dim[0][1], half = columns / 2;
    for (int64_t i = 0; i < w->dim[0][0] / 2; i++)
        for (int64_t k = 0; k < half; k++)
            out[i * half + k] = x[2 * i * columns + 2 * k];
}
