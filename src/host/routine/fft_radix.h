/* SPDX-License-Identifier: Apache-2.0
 * fft_radix.h -- the passes of the Fourier transforms for one type of number; included by fft_isa.c with NUM (its short
 * name), T and BYTES (of a number) defined, followed by fft_lanes.h. It has no include guard: that is the point. */
// clang-format off
#define LANES   ((int)(VECTOR_BYTES / BYTES))
#define WIDTH   (KNR_FFT_LINE / BYTES)
#define EVENS   PASTE(EVENS_, NUM)
#define ODDS    PASTE(ODDS_, NUM)
#define BACK    PASTE(BACK_, NUM)
#define BACK_EVENS  PASTE(BACK_EVENS_, NUM)
#define BACK_ODDS   PASTE(BACK_ODDS_, NUM)
#define ZIP_BACK_LO PASTE(ZIP_BACK_LO_, NUM)
#define ZIP_BACK_HI PASTE(ZIP_BACK_HI_, NUM)
#define ZIP_LO  PASTE(ZIP_LO_, NUM)
#define ZIP_HI  PASTE(ZIP_HI_, NUM)
#define STORE_SOME PASTE(STORE_SOME_, NUM)
// clang-format on

#include "host/routine/fft_butterfly.h"

APART void F(butterfly_odd)(V *re, V *im, const T *roots, int r)
{
    V sr[KNR_FFT_MOST_ODD / 2 + 1], si[KNR_FFT_MOST_ODD / 2 + 1], dr[KNR_FFT_MOST_ODD / 2 + 1],
        di[KNR_FFT_MOST_ODD / 2 + 1];
    ODD_BUTTERFLY(r, )
}

#if SLOW_FMA
APART void F(butterfly_any)(V *re, V *im, const T *roots, int r)
{
    if (r % 2)
        F(butterfly_odd)(re, im, roots, r);
    else
        F(even_butterfly)(re, im, r);
}
#else
#define butterfly_any_f32 butterfly_odd_f32 /* the others are fixed */
#define butterfly_any_f64 butterfly_odd_f64
#endif

/* Of a radix that is known while compiling */
ALWAYS void F(butterfly)(V *re, V *im, const T *roots, const int r)
{
#if SLOW_FMA
    F(butterfly_any)(re, im, roots, r);
#else
    if (r % 2)
        F(butterfly_few)(re, im, roots, r);
    else
        F(even_butterfly)(re, im, r);
#endif
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Vectors number at + j step, j < r */
ALWAYS void F(read)(const knr_fft_numbers *x, int64_t at, int64_t step, int r, V *re, V *im)
{
    const T *from = x->re, *imaginary = x->im;
    if (imaginary) {
        UNROLL for (int j = 0; j < r; j++)
        {
            re[j] = F(load)(from + at + j * step);
            im[j] = F(load)(imaginary + at + j * step);
        }
        return;
    }
    UNROLL for (int j = 0; j < r; j++)
    {
        V a = F(load)(from + 2 * (at + j * step)), b = F(load)(from + 2 * (at + j * step) + LANES);
        re[j] = EVENS(a, b), im[j] = ODDS(a, b);
    }
    if (x->swap) {
        UNROLL for (int j = 0; j < r; j++)
        {
            V a = re[j];
            re[j] = im[j], im[j] = a;
        }
    }
}

/* re and im are written over. */
ALWAYS void F(write)(const knr_fft_numbers *y, int64_t at, int64_t step, int r, T scale, V *re, V *im)
{
    T *to = y->re, *imaginary = y->im;
    if (imaginary) {
        UNROLL for (int j = 0; j < r; j++)
        {
            F(store)(to + at + j * step, re[j]);
            F(store)(imaginary + at + j * step, im[j]);
        }
        return;
    }
    if (scale != 1) { /* as it is for all but the last pass of an inverse transform */
        const V by = F(fill)(scale);
        UNROLL for (int j = 0; j < r; j++) re[j] *= by, im[j] *= by;
    }
    UNROLL for (int j = 0; j < r; j++)
    {
        V a = y->swap ? im[j] : re[j], b = y->swap ? re[j] : im[j];
        F(store)(to + 2 * (at + j * step), ZIP_LO(a, b));
        F(store)(to + 2 * (at + j * step) + LANES, ZIP_HI(a, b));
    }
}

/* The line that is read or written after this one, if it is far */
ALWAYS void F(fetch)(const knr_fft_numbers *x, int64_t at, bool write)
{
    const char *next = (const char *)x->re + (at + x->ahead) * (int64_t)sizeof(T) * (x->im ? 1 : 2);
    const char *other = x->im ? (const char *)x->im + (at + x->ahead) * (int64_t)sizeof(T) : next + KNR_FFT_LINE;
    if (write) {
        __builtin_prefetch(next, 1, 2);
        __builtin_prefetch(other, 1, 2);
    } else {
        __builtin_prefetch(next, 0, 2);
        __builtin_prefetch(other, 0, 2);
    }
}

/* Of two vectors the groups of `unit` bytes in turns: of their first halves, or of their second ones */
ALWAYS V F(zip)(V a, V b, const int unit, const bool high)
{
#if VECTOR_BYTES == 64
    if (unit == 32)
        return (V)(high ? ZIP_HI_32(a, b) : ZIP_LO_32(a, b));
#endif
#if VECTOR_BYTES > 16
    if (unit == 16)
        return (V)(high ? ZIP_HI_16(a, b) : ZIP_LO_16(a, b));
#endif
    (void)unit; /* BYTES, then */
    return high ? ZIP_HI(a, b) : ZIP_LO(a, b);
}

/* The vectors of one plane, of groups of s numbers in `unit` bytes: group l of number j comes to to[s (r l + j)]; r is
 * a power of two */
ALWAYS void F(weave)(T *to, const V *x, const int r, const int unit)
{
    V a[8], b[8];
    UNROLL for (int j = 0; j < r; j++) a[j] = x[j];
    UNROLL for (int round = 1; round < r; round *= 2)
    {
        UNROLL for (int j = 0; j < r / 2; j++)
        {
            b[2 * j] = F(zip)(a[j], a[j + r / 2], unit, false);
            b[2 * j + 1] = F(zip)(a[j], a[j + r / 2], unit, true);
        }
        UNROLL for (int j = 0; j < r; j++) a[j] = b[j];
    }
    UNROLL for (int j = 0; j < r; j++) F(store)(to + j * LANES, a[j]);
}

/* Parts of 16 and of 32 bytes of r vectors of one plane: part g of number k comes to to[s (r g + k)]. */
#if VECTOR_BYTES > 16
ALWAYS void F(parts_16)(T *to, const V *x, int64_t apart, int64_t step, const int count)
{
    UNROLL for (int i = 0; i < count; i++)
    {
        T *at = to + i * step;
        STORE_16(at, x[i], 0);
        STORE_16(at + apart, x[i], 1);
#if VECTOR_BYTES == 64
        STORE_16(at + 2 * apart, x[i], 2);
        STORE_16(at + 3 * apart, x[i], 3);
#endif
    }
}
#endif
#if VECTOR_BYTES == 64
ALWAYS void F(parts_32)(T *to, const V *x, int64_t apart, int64_t step, const int count)
{
    UNROLL for (int i = 0; i < count; i++)
    {
        STORE_32(to + i * step, x[i], 0);
        STORE_32(to + i * step + apart, x[i], 1);
    }
}
#endif

/* --- butterflies in memory -------------------------------------------------------------------- */

/* One butterfly: where it reads and writes, and its turns */
typedef struct F(spot) {
    const knr_fft_groups *c;
    int64_t from, to, xj, yk; /* number j is xj j behind `from` */
    const T *by_p;            /* [r - 1] pairs, for all lanes; or, */
    const T *w;               /* w + k next: vectors (`across`), or numbers for all lanes; their sines: `second` on */
    int64_t next, second;
    bool across;
    int64_t t, p, q; /* `walk`: the place of the first lane */
} F(spot);

/* Lane l of number i comes to to[r l + step i]: lane by lane, which is faster than masks for many
 * and for three. */
ALWAYS void F(scatter)(T *to, const V *x, const int r, const int step, const int count)
{
    T some[KNR_FFT_MOST_ODD * LANES];
    for (int i = 0; i < count; i++)
        F(store)(some + i * LANES, x[i]);
    for (int l = 0; l < LANES; l++, to += r)
        for (int i = 0; i < count; i++)
            to[i * step] = some[i * LANES + l];
}

/* Of one plane, results first + i step, i < count: places t .. of [m][s] go to [m][r][s]. */
ALWAYS void F(spread)(const F(spot) *a, T *to, const V *x, const int r, const int first, const int step,
                      const int count)
{
    const int64_t s = a->c->s, unit = s * (int64_t)sizeof(T);
    const bool even = count == r && (r & (r - 1)) == 0 && r <= 8;
    T *at = to + r * a->t + first * s;
    (void)unit;
    if (s == LANES) {
        UNROLL for (int i = 0; i < count; i++) F(store)(at + i * step * s, x[i]);
        return;
    }
    if (even && s == 1) {
        F(weave)(at, x, count, sizeof(T));
        return;
    }
#if VECTOR_BYTES == 64
    if (unit == 32) {
        if (even)
            F(weave)(at, x, count, 32);
        else
            F(parts_32)(at, x, r * s, step * s, count);
        return;
    }
#endif
#if VECTOR_BYTES > 16
    if (unit == 16) {
        if (even)
            F(weave)(at, x, count, 16);
        else
            F(parts_16)(at, x, r * s, step * s, count);
        return;
    }
#endif
    if (s == 1 && count == 3) {
        F(scatter)(at, x, r, step, count);
        return;
    }
    int64_t p = a->p, q = a->q;
    for (int l = 0; l < LANES; q = 0, p++) {
        int end = s - q < LANES - l ? l + (int)(s - q) : LANES;
        at = to + s * (r * p + first) + q - l;
        if (end - l == LANES)
            UNROLL for (int i = 0; i < count; i++) F(store)(at + i * step * s, x[i]);
        else
            UNROLL for (int i = 0; i < count; i++) STORE_SOME(at + i * step * s, x[i], l, end);
        l = end;
    }
}

/* The same for any r, all of its results */
APART void F(spread_any)(const F(spot) *a, T *to, const V *x, int r)
{
    const int64_t s = a->c->s;
    int64_t p = a->p, q = a->q;
    if (s == 1) {
        F(scatter)(to + r * a->t, x, r, 1, r);
        return;
    }
    for (int l = 0, end; l < LANES; l = end, q = 0, p++) {
        T *at = to + s * r * p + q - l;
        end = s - q < LANES - l ? l + (int)(s - q) : LANES;
        for (int i = 0; i < r; i++, at += s)
            STORE_SOME(at, x[i], l, end);
    }
}

/* Results first, first + step, ... (count of them) of radix r are turned, and written. */
ALWAYS void F(send)(const F(spot) *a, V *re, V *im, const int r, const int first, const int step, const int count,
                    const bool walks)
{
    const knr_fft_groups *c = a->c;
    if (!walks && a->by_p) {
        UNROLL for (int i = 0; i < count; i++)
        {
            const T *w = a->by_p + 2 * (first + i * step) - 2;
            if (first + i * step > 0)
                F(multiply)(&re[i], &im[i], F(fill)(w[0]), F(fill)(w[1]));
        }
    } else if (walks ? c->m > 1 : a->w && a->across) {
        UNROLL for (int i = 0; i < count; i++)
        {
            const T *w = a->w + (first + i * step) * a->next;
            if (!walks || first + i * step > 0)
                F(multiply)(&re[i], &im[i], F(load)(w), F(load)(w + a->second));
        }
    } else if (!walks && a->w) {
        UNROLL for (int i = 0; i < count; i++)
        {
            const T *w = a->w + (first + i * step) * a->next;
            F(multiply)(&re[i], &im[i], F(fill)(w[0]), F(fill)(w[a->second]));
        }
    }
    if (!walks || c->m == 1) {
        F(write)(&c->y, a->to + first * a->yk, step * a->yk, count, (T)c->scale, re, im);
        return;
    }
    F(spread)(a, c->y.re, re, r, first, step, count);
    F(spread)(a, c->y.im, im, r, first, step, count);
}

/* A radix of two factors: columns of p numbers, turned by w^(i j), w = exp(-2 pi i / (p q)), become rows of q. roots:
 * those of p, if p is odd, of q, unless it is p, and these turns. Loops over columns and rows stay loops: so many
 * numbers are in memory meanwhile anyway. */
ALWAYS void F(compose)(const F(spot) *a, const T *roots, const int p, const int q, const bool walks)
{
    const T *of_q = p % 2 && p != q ? roots + p - 1 : roots, *turns = of_q + q - 1;
    V zr[25], zi[25];
    for (int j = 0; j < q; j++) {
        V xr[5], xi[5];
        F(read)(&a->c->x, a->from + j * a->xj, q * a->xj, p, xr, xi);
        F(butterfly)(xr, xi, roots, p);
        zr[j] = xr[0], zi[j] = xi[0];
        UNROLL for (int i = 1; i < p; i++)
        {
            if (j)
                F(multiply)(&xr[i], &xi[i], F(fill)(turns[0]), F(fill)(turns[1]));
            turns += j ? 2 : 0;
            zr[i * q + j] = xr[i], zi[i * q + j] = xi[i];
        }
    }
    for (int i = 0; i < p; i++) {
        V xr[5], xi[5];
        UNROLL for (int k = 0; k < q; k++) xr[k] = zr[i * q + k], xi[k] = zi[i * q + k];
        F(butterfly)(xr, xi, of_q, q);
        F(send)(a, xr, xi, p * q, i, p, q, walks);
    }
}

/* The factors of a radix that has two; 0: it has one. */
ALWAYS int F(factor)(const int r)
{
    return r == 6 ? 2 : r == 9 || r == 15 ? 3 : r == 25 ? 5 : 0;
}

/* The butterfly at one spot. fixed: r, where that is known while compiling. */
ALWAYS void F(work)(const F(spot) *a, const int fixed, const bool walks, V *re, V *im)
{
    const knr_fft_groups *c = a->c;
    const int r = fixed ? fixed : c->r, p = F(factor)(r);
    if (p && (fixed || SLOW_FMA)) {
        F(compose)(a, c->roots, p, r / p, walks);
    } else if (fixed) {
        F(read)(&c->x, a->from, a->xj, fixed, re, im);
        F(butterfly)(re, im, c->roots, fixed);
        F(send)(a, re, im, fixed, 0, 1, fixed, walks);
    } else {
        for (int j = 0; j < r; j++)
            F(read)(&c->x, a->from + j * a->xj, 0, 1, &re[j], &im[j]);
        F(butterfly_any)(re, im, c->roots, r);
        int64_t unit = c->s * (int64_t)sizeof(T), whole = VECTOR_BYTES;
        if (walks && c->m > 1 && unit != 16 && unit != 32 && unit != whole) { /* these have few parts */
            for (int j = 1; j < r; j++) {
                const T *w = a->w + j * a->next;
                F(multiply)(&re[j], &im[j], F(load)(w), F(load)(w + a->second));
            }
            F(spread_any)(a, c->y.re, re, r);
            F(spread_any)(a, c->y.im, im, r);
            return;
        }
        for (int j = 0; j < r; j++)
            F(send)(a, &re[j], &im[j], r, j, 1, 1, walks);
    }
}

/* --- passes ----------------------------------------------------------------------------------- */

/* Lanes run along p and q. The last vector begins where it ends with the last place, so some places may be computed
 * twice. */
ALWAYS void F(walk)(const knr_fft_groups *c, const int fixed, V *re, V *im)
{
    const int r = fixed ? fixed : c->r;
    const int64_t places = c->s * c->m, whole = LANES / c->s, part = LANES % c->s;
    F(spot) a = {.c = c, .xj = places, .yk = c->s, .next = 2 * places, .second = places};
    for (;;) {
        a.from = a.to = a.t;
        a.w = c->by_t ? (const T *)c->by_t + a.t - a.next : NULL; /* number 0 has none */
        if (c->x.ahead)
            for (int j = 0; j < r; j++)
                F(fetch)(&c->x, a.t + j * places, false);
        F(work)(&a, fixed, true, re, im);
        int64_t on = places - a.t - LANES;
        if (on <= 0)
            return;
        on = on < LANES ? on : LANES;
        int64_t groups = on < LANES ? on / c->s : whole, rest = on < LANES ? on % c->s : part;
        a.t += on, a.p += groups, a.q += rest;
        if (a.q >= c->s)
            a.q -= c->s, a.p++;
    }
}

#define PASS(r, room)                                \
    static void F(pass_##r)(const knr_fft_groups *c) \
    {                                                \
        V re[room], im[room];                        \
        F(walk)(c, r, re, im);                       \
    }
#if !SLOW_FMA
PASS(2, 8)
PASS(3, 8)
PASS(4, 8)
PASS(5, 8)
PASS(6, 1)
PASS(7, 8)
PASS(8, 8)
PASS(9, 1)
PASS(11, 16)
PASS(13, 16)
PASS(15, 1)
PASS(25, 1)
#endif
PASS(0, KNR_FFT_MOST_ODD)
#undef PASS

static void F(pass)(const knr_fft_groups *c)
{
    switch (c->r) {
#if !SLOW_FMA
    case 2: F(pass_2)(c); break;
    case 3: F(pass_3)(c); break;
    case 4: F(pass_4)(c); break;
    case 5: F(pass_5)(c); break;
    case 6: F(pass_6)(c); break;
    case 7: F(pass_7)(c); break;
    case 8: F(pass_8)(c); break;
    case 9: F(pass_9)(c); break;
    case 11: F(pass_11)(c); break;
    case 13: F(pass_13)(c); break;
    case 15: F(pass_15)(c); break;
    case 25: F(pass_25)(c); break;
#endif
    default: F(pass_0)(c); break;
    }
}
