/* SPDX-License-Identifier: Apache-2.0
 * cases_fft.c -- samples of Fourier transforms, and the transform by its definition, in long double. Errors are
 * measured against the largest element. */
#include "cases.h"

#include <math.h>

static const long double tau = 6.283185307179586476925286766559L;

static num turned(num x, int64_t e, int64_t n, int sign)
{
    long double angle = tau * (long double)(e % n) / (long double)n, c = cosl(angle),
                s = (long double)sign * sinl(angle);
    return (num){.re = x.re * c - x.im * s, .im = x.re * s + x.im * c};
}

/* One axis of a whole array. half_in: the operand has the first half of n numbers, half_out: the result. */
static tensor along(knx_arena *a, const tensor *x, int axis, int64_t n, bool inverse, bool half_in, bool half_out)
{
    int64_t dim[MAX_RANK], outer = 1, inner = 1, n_x = x->dim[axis], n_y = half_out ? n / 2 + 1 : n;
    for (int i = 0; i < x->ndim; i++) {
        dim[i] = i == axis ? n_y : x->dim[i];
        outer *= i < axis ? x->dim[i] : 1;
        inner *= i > axis ? x->dim[i] : 1;
    }
    tensor y = tensor_wide(a, x->dtype, x->ndim, dim);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            for (int64_t k = 0; k < n_y; k++) {
                num sum = {0};
                for (int64_t j = 0; j < n_x; j++) {
                    num v = turned(x->at[(o * n_x + j) * inner + i], j * k, n, inverse ? 1 : -1);
                    bool end = j == 0 || 2 * j == n;
                    if (half_in) { /* the real part of it and of its conjugate */
                        v.im = 0;
                        v.re =
                            end ? turned((num){.re = x->at[(o * n_x + j) * inner + i].re}, j * k, n, 1).re : 2 * v.re;
                    }
                    sum.re += v.re, sum.im += v.im;
                }
                long double by = inverse ? 1 / (long double)n : 1;
                y.at[(o * n_y + k) * inner + i] = (num){.re = sum.re * by, .im = sum.im * by};
            }
    return y;
}

static void ref_fft(call *c)
{
    const kni_p_fft *p = c->params;
    tensor t = c->x[0];
    int n = p->fft_lengths.n;
    bool real = p->fft_type == KN_RFFT, to_real = p->fft_type == KN_IRFFT;
    bool inverse = to_real || p->fft_type == KN_IFFT, single = t.dtype == KN_DT(F32) || t.dtype == KN_DT(C64);
    for (int i = 0; i < n; i++) {
        int which = real ? n - 1 - i : i;
        bool last = which == n - 1;
        int axis = p->axes.n ? (int)p->axes.v[which] : t.ndim - n + which;
        t = along(c->arena, &t, axis, p->fft_lengths.v[which], inverse, to_real && last, real && last);
    }
    kn_dtype d = to_real ? (single ? KN_DT(F32) : KN_DT(F64)) : single ? KN_DT(C64) : KN_DT(C128);
    tensor *y = result(c, d, t.ndim, t.dim);
    long double most = 0;
    for (int64_t i = 0; i < t.n; i++)
        most = fmaxl(most, hypotl(t.at[i].re, t.at[i].im));
    for (int64_t i = 0; i < t.n; i++) {
        y->at[i] = t.at[i];
        y->at[i].scale = most;
    }
}

#define TRANSFORM(name, type, of, from, ...)                \
    {.prim = &knp_prim_fft,                                 \
     .label = name,                                         \
     .dtypes = of,                                          \
     .operands = from,                                      \
     .whole = ref_fft,                                      \
     .params = &(kni_p_fft){.fft_type = type, __VA_ARGS__}, \
     .flags = ANY_ZERO,                                     \
     .ulp = 24},
#define FOURIER(name, from, ...)                        \
    TRANSFORM(name, KN_FFT, COMPLEX, from, __VA_ARGS__) \
    TRANSFORM(name "_inverse", KN_IFFT, COMPLEX, from, __VA_ARGS__)

const sample samples_fft[] = {
#include "fft.def"
    {.prim = NULL},
};
