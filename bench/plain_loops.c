/* SPDX-License-Identifier: Apache-2.0
 * plain_loops.c -- plain C that works on numbers: elements, running sums, reductions, neighbours. */
#include "plain.h"
#include <math.h>

void plain_where_clip(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++) {
        float v = x[i], cut = v < 0.25f ? 0.25f : v > 0.75f ? 0.75f : v;
        out[i] = v > 0.5f ? cut : v * v;
    }
}

/* ---- Running. */

static void cumsum(const float *x, float *restrict out, int64_t n)
{
    float s = 0;
    for (int64_t i = 0; i < n; i++)
        out[i] = s += x[i];
}

void plain_cumsum(const work_memory *w) { cumsum(w->in[0], w->out, w->n[0]); }

void plain_cumsum_rows(const work_memory *w)
{
    const float *x = w->in[0];
    float *out = w->out;
    int64_t n = w->dim[0][1];
    for (int64_t i = 0; i < w->dim[0][0]; i++)
        cumsum(x + i * n, out + i * n, n);
}

void plain_cumprod(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out, p = 1;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[i] = p *= x[i];
}

void plain_cummax(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out, most = x[0];
    for (int64_t i = 0; i < w->n[0]; i++)
        out[i] = most = x[i] > most ? x[i] : most;
}

void plain_diff(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0] - 1; i++)
        out[i] = x[i + 1] - x[i];
}

void plain_recurrence(const work_memory *w)
{
    const float *a = w->in[0], *b = w->in[1];
    float *restrict out = w->out, s = 0;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[i] = s = a[i] * s + b[i];
}

/* ---- Strides. */

void plain_c64_mul(const work_memory *w)
{
    const float *a = w->in[0], *b = w->in[1];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++) {
        out[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        out[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

void plain_c64_abs(const work_memory *w) /* squares may overflow, as those of a library may not */
{
    const float *a = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[i] = sqrtf(a[2 * i] * a[2 * i] + a[2 * i + 1] * a[2 * i + 1]);
}

void plain_c64_real(const work_memory *w)
{
    const float *a = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++)
        out[i] = a[2 * i] + a[2 * i + 1];
}

void plain_gray(const work_memory *w)
{
    const uint8_t *x = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0] / 3; i++)
        out[i] = (float)x[3 * i] * 0.299f + (float)x[3 * i + 1] * 0.587f + (float)x[3 * i + 2] * 0.114f;
}

void plain_even_times_odd(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0] / 2; i++)
        out[i] = x[2 * i] * x[2 * i + 1];
}

void plain_nbody(const work_memory *w)
{
    enum { MOST = 4096 };
    static float p[3][MOST];
    const float *x = w->in[0];
    float *out = w->out;
    int64_t n = w->dim[0][0];
    for (int64_t i = 0; i < n && i < MOST; i++)
        for (int k = 0; k < 3; k++)
            p[k][i] = x[3 * i + k];
    for (int64_t i = 0; i < n; i++) {
        float sx[16] = {0}, sy[16] = {0}, sz[16] = {0}, fx = 0, fy = 0, fz = 0;
        for (int64_t j = 0; j < n / 16 * 16; j += 16)
            for (int k = 0; k < 16; k++) {
                float dx = p[0][j + k] - p[0][i], dy = p[1][j + k] - p[1][i], dz = p[2][j + k] - p[2][i];
                float r2 = dx * dx + dy * dy + dz * dz + 0.01f, f = 1 / (r2 * sqrtf(r2));
                sx[k] += dx * f, sy[k] += dy * f, sz[k] += dz * f;
            }
        for (int k = 0; k < 16; k++)
            fx += sx[k], fy += sy[k], fz += sz[k];
        out[3 * i] = fx, out[3 * i + 1] = fy, out[3 * i + 2] = fz;
    }
}

/* Of a length that the compiler knows. */
static inline void sum_last(const float *x, float *restrict out, int64_t rows, int64_t n)
{
    for (int64_t i = 0; i < rows; i++) {
        float s = 0;
        for (int64_t k = 0; k < n; k++)
            s += x[i * n + k];
        out[i] = s;
    }
}

void plain_sum_last(const work_memory *w)
{
    if (w->dim[0][1] == 3)
        sum_last(w->in[0], w->out, w->dim[0][0], 3);
    else
        sum_last(w->in[0], w->out, w->dim[0][0], 8);
}

void plain_sum_first(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    int64_t rows = w->dim[0][0], columns = w->dim[0][1];
    for (int64_t k = 0; k < columns; k++)
        out[k] = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++)
            out[k] += x[i * columns + k];
}

void plain_stencil(const work_memory *w)
{
    const float *x = w->in[0];
    float *restrict out = w->out;
    int64_t rows = w->dim[0][0], columns = w->dim[0][1];
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t k = 1; k < columns - 1; k++)
            out[(i - 1) * (columns - 2) + k - 1] = x[(i - 1) * columns + k] + x[(i + 1) * columns + k] +
                                                   (x[i * columns + k - 1] + x[i * columns + k + 1]) -
                                                   x[i * columns + k] * 4.0f;
}

/* ---- Types. */

#define TWO(name, T, of)                      \
    void name(const work_memory *w)           \
    {                                         \
        const T *x = w->in[0], *y = w->in[1]; \
        T *restrict out = w->out;             \
        for (int64_t i = 0; i < w->n[0]; i++) \
            out[i] = (T)(of);                 \
    }
TWO(plain_add, float, x[i] + y[i])
TWO(plain_mul_i8, int8_t, x[i] * y[i])
TWO(plain_muladd_i16, int16_t, x[i] * y[i] + x[i])
TWO(plain_floor_divide_i32, int32_t, x[i] / y[i] - (x[i] % y[i] < 0))
TWO(plain_saturated, uint8_t, x[i] + y[i] < 255 ? x[i] + y[i] : 255)

void plain_xorshift(const work_memory *w)
{
    const uint32_t *x = w->in[0];
    uint32_t *restrict out = w->out;
    for (int64_t i = 0; i < w->n[0]; i++) {
        uint32_t y = x[i] ^ x[i] << 13;
        y ^= y >> 17;
        out[i] = y ^ y << 5;
    }
}

/* The result as large as the image, zeros around it. */
void plain_convolve_2d(const work_memory *w)
{
    const float *x = w->in[0], *k = w->in[1];
    float *restrict out = w->out;
    int64_t rows = w->dim[0][0], columns = w->dim[0][1], size = w->dim[1][0], half = size / 2;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++)
            out[i * columns + j] = 0;
        for (int64_t a = 0; a < size; a++)
            for (int64_t b = 0; b < size; b++) {
                int64_t row = i + half - a, first = b > half ? b - half : 0,
                        last = b < half ? columns - half + b : columns;
                for (int64_t j = first; j < last && row >= 0 && row < rows; j++)
                    out[i * columns + j] += x[row * columns + j + half - b] * k[a * size + b];
            }
    }
}
