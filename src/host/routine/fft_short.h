/* SPDX-License-Identifier: Apache-2.0
 * fft_short.h -- lines of a few numbers, one after the other, for one type of number: all of a line is in registers.
 * Included by fft_isa.c with T, BYTES, PLAIN (its short name), ONE and FOUR (those of a number alone, and of four in a
 * vector) defined. It has no include guard: that is the point. The operations are those of the passes of the plan of as
 * many numbers, so that lines side by side have the same bits. */
// clang-format off
#define NUM ONE
#include "host/routine/fft_butterfly.h"
#undef F
#undef V
#undef NUM
#define NUM FOUR
#include "host/routine/fft_butterfly.h"
#undef F
#undef V
#undef NUM
#define O(name) PASTE(name##_, ONE)
#define Q(name) PASTE(name##_, FOUR)
#define R       PASTE(v, ONE)
#define V       PASTE(v, FOUR)
// clang-format on

/* One radix: x and y are pairs, and y may be x. */
ALWAYS void O(alone)(const knr_fft_short *c, const T *x, T *y, const int n)
{
    const int real = c->swap, imaginary = 1 - real;
    const T scale = (T)c->scale;
    R re[8], im[8];
    UNROLL for (int j = 0; j < n; j++) re[j] = x[2 * j + real], im[j] = x[2 * j + imaginary];
    if (n % 2 && n > 1)
        O(butterfly_few)(re, im, c->roots, n);
    else if (n > 1)
        O(even_butterfly)(re, im, n);
    UNROLL for (int k = 0; k < n; k++) y[2 * k + real] = re[k] * scale, y[2 * k + imaginary] = im[k] * scale;
}

/* Four numbers from pairs, and to them */
ALWAYS void Q(get)(const T *x, bool swap, V *re, V *im)
{
    V a = Q(load)(x), b = Q(load)(x + 4);
    V even = __builtin_shufflevector(a, b, 0, 2, 4, 6), odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    *re = swap ? odd : even, *im = swap ? even : odd;
}
ALWAYS void Q(set)(T *y, bool swap, V re, V im)
{
    V a = swap ? im : re, b = swap ? re : im;
    Q(store)(y, __builtin_shufflevector(a, b, 0, 4, 1, 5));
    Q(store)(y + 4, __builtin_shufflevector(a, b, 2, 6, 3, 7));
}

/* x[r][l] becomes x[l][r]. */
ALWAYS void Q(turn)(V *x)
{
#if BYTES == 4
    V a = __builtin_shufflevector(x[0], x[2], 0, 4, 1, 5), b = __builtin_shufflevector(x[0], x[2], 2, 6, 3, 7);
    V c = __builtin_shufflevector(x[1], x[3], 0, 4, 1, 5), d = __builtin_shufflevector(x[1], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 4, 1, 5), x[1] = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    x[2] = __builtin_shufflevector(b, d, 0, 4, 1, 5), x[3] = __builtin_shufflevector(b, d, 2, 6, 3, 7);
#else
    V a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    V c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
}

/* 4 r numbers: radix r, then radix 4, whose lanes are places */
ALWAYS void Q(pair)(const knr_fft_short *c, const T *x, T *y, const int r)
{
    const V scale = Q(fill)((T)c->scale);
    const T *w = c->turns;
    V re[8], im[8];
    UNROLL for (int j = 0; j < r; j++) Q(get)(x + 8 * j, c->swap, &re[j], &im[j]);
    Q(even_butterfly)(re, im, r);
    UNROLL for (int k = 1; k < r; k++) Q(multiply)(&re[k], &im[k], Q(load)(w + 8 * k - 8), Q(load)(w + 8 * k - 4));
    UNROLL for (int q = 0; q < r; q += 4)
    {
        Q(turn)(re + q);
        Q(turn)(im + q);
        Q(butterfly4)(re + q, im + q, 1);
        UNROLL for (int k = 0; k < 4; k++) Q(set)(y + 2 * (r * k + q), c->swap, re[q + k] * scale, im[q + k] * scale);
    }
}

#define LINE(n, way, of) \
    APART void O(line_##n)(const knr_fft_short *c, const T *x, T *y) { way(c, x, y, of); }
LINE(1, O(alone), 1)
LINE(2, O(alone), 2)
LINE(3, O(alone), 3)
LINE(4, O(alone), 4)
LINE(5, O(alone), 5)
LINE(7, O(alone), 7)
LINE(8, O(alone), 8)
LINE(16, Q(pair), 4)
LINE(32, Q(pair), 8)
#undef LINE

/* Between the transforms of m pairs of real numbers and of the real numbers (fft.c has the formula); y may be x. */
APART void O(halves)(const T *x, T *y, const T *w, int m, bool inverse)
{
    T u = x[0], v = inverse ? x[2 * m] : x[1];
    y[0] = u + v, y[1] = inverse ? u - v : 0;
    if (!inverse)
        y[2 * m] = u - v, y[2 * m + 1] = 0;
    int k = 1;
    for (; k + 3 <= m / 2; k += 4) {
        int other = m - k - 3;
        V c, s, ar, ai, br, bi;
        Q(get)(w + 2 * k, false, &c, &s);
        Q(get)(x + 2 * k, false, &ar, &ai);
        Q(get)(x + 2 * other, false, &br, &bi);
        br = __builtin_shufflevector(br, br, 3, 2, 1, 0), bi = __builtin_shufflevector(bi, bi, 3, 2, 1, 0);
        Q(join)(&ar, &ai, &br, &bi, c, s, inverse);
        br = __builtin_shufflevector(br, br, 3, 2, 1, 0), bi = __builtin_shufflevector(bi, bi, 3, 2, 1, 0);
        Q(set)(y + 2 * k, false, ar, ai);
        Q(set)(y + 2 * other, false, br, bi);
    }
    for (; k <= m / 2; k++) {
        const T *b = x + 2 * (m - k);
        R ar = x[2 * k], ai = x[2 * k + 1], br = b[0], bi = b[1];
        O(join)(&ar, &ai, &br, &bi, w[2 * k], w[2 * k + 1], inverse);
        y[2 * k] = ar, y[2 * k + 1] = ai;
        y[2 * (m - k)] = br, y[2 * (m - k) + 1] = bi;
    }
}

void PASTE(knr_fft_lines_, PLAIN)(const knr_fft_short *c)
{
    typedef void line(const knr_fft_short *c, const T *x, T *y);
    static line *const lines[] = {O(line_1), O(line_2), O(line_3),  O(line_4), O(line_5),
                                  O(line_7), O(line_8), O(line_16), O(line_32)};
    line *const run = lines[c->slot];
    const T *x = c->x;
    T *y = c->y, some[2 * KNR_FFT_MOST_SHORT];
    for (int64_t i = 0; i < c->rows; i++, x += c->of_x, y += c->of_y)
        if (c->to_real) {
            O(halves)(x, some, c->real, c->n, true);
            run(c, some, y);
        } else {
            run(c, x, y);
            if (c->from_real)
                O(halves)(y, y, c->real, c->n, false);
        }
}

#undef O
#undef Q
#undef R
#undef V
