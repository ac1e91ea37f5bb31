/* SPDX-License-Identifier: Apache-2.0
 * fft_radix.h -- the passes of the Fourier transforms for one type of number; included by fft_isa.c with NUM (its short
 * name), T and BYTES (of a number) defined, followed by fft_lanes.h. It has no include guard: that is the point. */
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
#define LANES   ((int)(VECTOR_BYTES / BYTES))
#define WIDTH   (KNR_FFT_LINE / BYTES)
#define EVENS   PASTE(EVENS_, NUM)
#define ODDS    PASTE(ODDS_, NUM)
#define BACK    PASTE(BACK_, NUM)
#define ZIP_LO  PASTE(ZIP_LO_, NUM)
#define ZIP_HI  PASTE(ZIP_HI_, NUM)
// clang-format on

ALWAYS V F(load)(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(T *p, V v) { memcpy(p, &v, sizeof v); }
ALWAYS V F(fill)(T x) { return x - (V){0}; } /* adding +0 would lose the sign of -0 */

/* (re, im) times (c, s) */
ALWAYS void F(multiply)(V *re, V *im, V c, V s)
{
    V a = *re, b = *im;
    *re = F(madd)(a, c, -(b * s));
    *im = F(madd)(a, s, b * c);
}

/* --- butterflies ------------------------------------------------------------------------------ */

ALWAYS void F(butterfly2)(V *re, V *im)
{
    V r = re[1], i = im[1];
    re[1] = re[0] - r, im[1] = im[0] - i;
    re[0] += r, im[0] += i;
}

/* Of the elements 0, d, 2 d, 3 d; the results stand there. */
ALWAYS void F(butterfly4)(V *re, V *im, const int d)
{
    V ar = re[0] + re[2 * d], ai = im[0] + im[2 * d], br = re[0] - re[2 * d], bi = im[0] - im[2 * d];
    V cr = re[d] + re[3 * d], ci = im[d] + im[3 * d], dr = re[d] - re[3 * d], di = im[d] - im[3 * d];
    re[0] = ar + cr, im[0] = ai + ci;
    re[d] = br + di, im[d] = bi - dr;
    re[2 * d] = ar - cr, im[2 * d] = ai - ci;
    re[3 * d] = br - di, im[3 * d] = bi + dr;
}

ALWAYS void F(butterfly8)(V *re, V *im)
{
    const V h = F(fill)((T)0.70710678118654752440), minus = -h;
    F(butterfly4)(re, im, 2);
    F(butterfly4)(re + 1, im + 1, 2);
    V er[4], ei[4], or[4], oi[4];
    UNROLL for (int k = 0; k < 4; k++)
    {
        er[k] = re[2 * k], ei[k] = im[2 * k];
        or[k] = re[2 * k + 1], oi[k] = im[2 * k + 1];
    }
    re[0] = er[0] + or[0], im[0] = ei[0] + oi[0];
    re[4] = er[0] - or[0], im[4] = ei[0] - oi[0];
    re[2] = er[2] + oi[2], im[2] = ei[2] - or[2];
    re[6] = er[2] - oi[2], im[6] = ei[2] + or[2];
    V sum = or[1] + oi[1], difference = oi[1] - or[1];
    re[1] = F(madd)(h, sum, er[1]), im[1] = F(madd)(h, difference, ei[1]);
    re[5] = F(madd)(minus, sum, er[1]), im[5] = F(madd)(minus, difference, ei[1]);
    sum = or[3] + oi[3], difference = oi[3] - or[3];
    re[3] = F(madd)(h, difference, er[3]), im[3] = F(madd)(minus, sum, ei[3]);
    re[7] = F(madd)(minus, difference, er[3]), im[7] = F(madd)(h, sum, ei[3]);
}

/* Four elements, number a turned by -angle a, whose cosine and sine are folded into the sums: of cos(angle) = c and
 * sin(angle) = c t both times, but for the middle one. The results are 4 numbers apart. */
#define FOUR_OF_16(zr, zi, ar, ai, br, bi, cr, ci, dr, di, by)                                  \
    zr[0] = F(madd)(by, cr, ar), zi[0] = F(madd)(by, ci, ai);                                   \
    zr[4] = F(madd)(by, di, br), zi[4] = F(madd)(-(by), dr, bi);                                \
    zr[8] = F(madd)(-(by), cr, ar), zi[8] = F(madd)(-(by), ci, ai);                             \
    zr[12] = F(madd)(-(by), di, br), zi[12] = F(madd)(by, dr, bi);

ALWAYS void F(butterfly16)(V *re, V *im)
{
    const V h = F(fill)((T)0.70710678118654752440), c = F(fill)((T)0.92387953251128675613),
            t = F(fill)((T)0.41421356237309504880);
    V zr[16], zi[16];
    UNROLL for (int a = 0; a < 4; a++) F(butterfly4)(re + a, im + a, 4);
    UNROLL for (int j = 0; j < 16; j++) zr[j] = re[j], zi[j] = im[j];
    { /* sums of the elements 0 .. 3: no turns */
        F(butterfly4)(zr, zi, 1);
        UNROLL for (int k = 0; k < 4; k++) re[4 * k] = zr[k], im[4 * k] = zi[k];
    }
    { /* 22.5, 45, 67.5 degrees */
        V ur = F(madd)(t, zi[5], zr[5]), ui = F(madd)(-t, zr[5], zi[5]);
        V vr = F(madd)(t, zr[7], zi[7]), vi = F(madd)(t, zi[7], -zr[7]);
        V wr = zr[6] + zi[6], wi = zi[6] - zr[6];
        V ar = F(madd)(h, wr, zr[4]), ai = F(madd)(h, wi, zi[4]), br = F(madd)(-h, wr, zr[4]),
          bi = F(madd)(-h, wi, zi[4]);
        V cr = ur + vr, ci = ui + vi, dr = ur - vr, di = ui - vi;
        FOUR_OF_16((re + 1), (im + 1), ar, ai, br, bi, cr, ci, dr, di, c)
    }
    { /* 45, 90, 135 degrees */
        V ur = zr[9] + zi[9], ui = zi[9] - zr[9], vr = zi[11] - zr[11], vi = zr[11] + zi[11];
        V ar = zr[8] + zi[10], ai = zi[8] - zr[10], br = zr[8] - zi[10], bi = zi[8] + zr[10];
        V cr = ur + vr, ci = ui - vi, dr = ur - vr, di = ui + vi;
        FOUR_OF_16((re + 2), (im + 2), ar, ai, br, bi, cr, ci, dr, di, h)
    }
    { /* 67.5, 135, 202.5 degrees */
        V ur = F(madd)(t, zr[13], zi[13]), ui = F(madd)(t, zi[13], -zr[13]);
        V vr = F(madd)(t, zi[15], zr[15]), vi = F(madd)(-t, zr[15], zi[15]);
        V wr = zi[14] - zr[14], wi = zr[14] + zi[14];
        V ar = F(madd)(h, wr, zr[12]), ai = F(madd)(-h, wi, zi[12]), br = F(madd)(-h, wr, zr[12]),
          bi = F(madd)(h, wi, zi[12]);
        V cr = ur - vr, ci = ui - vi, dr = ur + vr, di = ui + vi;
        FOUR_OF_16((re + 3), (im + 3), ar, ai, br, bi, cr, ci, dr, di, c)
    }
}
#undef FOUR_OF_16

/* An odd number of elements: sums and differences of those that are as far from both ends, times cosines and sines. */
#define ODD_BUTTERFLY(r, REPEAT)                                                                        \
    const int h = (r) / 2;                                                                              \
    V fr = re[0], fi = im[0], zr = fr, zi = fi;                                                         \
    REPEAT for (int j = 1; j <= h; j++)                                                                 \
    {                                                                                                   \
        V ar = re[j], ai = im[j], br = re[(r) - j], bi = im[(r) - j];                                   \
        sr[j] = ar + br, si[j] = ai + bi, dr[j] = ar - br, di[j] = ai - bi;                             \
        zr += sr[j], zi += si[j];                                                                       \
    }                                                                                                   \
    re[0] = zr, im[0] = zi;                                                                             \
    REPEAT for (int k = 1; k <= h; k++)                                                                 \
    {                                                                                                   \
        V pr = fr, pi = fi, qr = {0}, qi = {0};                                                         \
        REPEAT for (int j = 1, e = k; j <= h; j++, e = e + k >= (r) ? e + k - (r) : e + k)              \
        {                                                                                               \
            V c = ROOT(2 * (e > h ? (r) - e : e) - 2), s = ROOT(2 * (e > h ? (r) - e : e) - 1);             \
            s = e > h ? -s : s;                                                                         \
            pr = F(madd)(c, sr[j], pr), pi = F(madd)(c, si[j], pi);                                     \
            qr = F(madd)(s, di[j], qr), qi = F(madd)(s, dr[j], qi);                                     \
        }                                                                                               \
        re[k] = pr + qr, im[k] = pi - qi;                                                               \
        re[(r) - k] = pr - qr, im[(r) - k] = pi + qi;                                                   \
    }

/* roots: filled vectors */
ALWAYS void F(butterfly_few)(V *re, V *im, const V *roots, const int r)
{
    V sr[4], si[4], dr[4], di[4];
#define ROOT(i) roots[i]
    ODD_BUTTERFLY(r, UNROLL)
#undef ROOT
}

APART void F(butterfly_odd)(V *re, V *im, const T *roots, int r)
{
    V sr[KNR_FFT_MOST_ODD / 2 + 1], si[KNR_FFT_MOST_ODD / 2 + 1], dr[KNR_FFT_MOST_ODD / 2 + 1],
        di[KNR_FFT_MOST_ODD / 2 + 1];
#define ROOT(i) F(fill)(roots[i])
    ODD_BUTTERFLY(r, )
#undef ROOT
}
#undef ODD_BUTTERFLY

ALWAYS void F(even_butterfly)(V *re, V *im, const int r)
{
    if (r == 2)
        F(butterfly2)(re, im);
    else if (r == 4)
        F(butterfly4)(re, im, 1);
    else if (r == 8)
        F(butterfly8)(re, im);
    else
        F(butterfly16)(re, im);
}

#if VECTOR_BYTES == 16
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

/* fixed: r, where that is known while compiling; its roots are filled vectors, then. */
ALWAYS void F(butterfly)(V *re, V *im, const T *roots, const V *filled, const int fixed, const int r)
{
    if (!fixed)
        F(butterfly_any)(re, im, roots, r);
    else if (fixed % 2)
        F(butterfly_few)(re, im, filled, fixed);
    else
        F(even_butterfly)(re, im, fixed);
}

/* The roots of a radix that is known, once for all places */
ALWAYS void F(fill_roots)(const T *roots, V *filled, const int fixed)
{
    if (fixed % 2)
        UNROLL for (int i = 0; i < fixed - 1; i++) filled[i] = F(fill)(roots[i]);
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

ALWAYS void F(write)(const knr_fft_numbers *y, int64_t at, int64_t step, int r, T scale, const V *re, const V *im)
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
    const V by = F(fill)(scale);
    UNROLL for (int j = 0; j < r; j++)
    {
        V a = (y->swap ? im[j] : re[j]) * by, b = (y->swap ? re[j] : im[j]) * by;
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

/* Of one plane, where lanes are places t, t + 1, ... of [m][s] and go to [m][r][s]. */
APART void F(scatter)(T *to, const T *x, int r, int64_t s, int64_t t)
{
    for (int l = 0; l < LANES;) {
        int64_t p = (t + l) / s, q = (t + l) % s, some = s - q < LANES - l ? s - q : LANES - l;
        T *at = to + s * r * p + q;
        const T *from = x + l;
        for (int j = 0; j < r; j++, at += s, from += LANES) {
            if (some == 8)
                memcpy(at, from, 8 * sizeof(T));
            else if (some == 4)
                memcpy(at, from, 4 * sizeof(T));
            else
                for (int64_t i = 0; i < some; i++)
                    at[i] = from[i];
        }
        l += (int)some;
    }
}

/* --- passes ----------------------------------------------------------------------------------- */

/* What place t and those behind it become, of one plane */
ALWAYS void F(part)(T *to, const V *x, const int fixed, int r, int64_t s, int64_t t)
{
    const int64_t unit = s * (int64_t)sizeof(T);
    if (fixed && fixed % 2 == 0 && s == 1)
        F(weave)(to + r * t, x, fixed, sizeof(T));
    else if (VECTOR_BYTES > 16 && fixed && fixed % 2 == 0 && unit == 16)
        F(weave)(to + r * t, x, fixed, 16);
    else if (VECTOR_BYTES > 32 && fixed && fixed % 2 == 0 && unit == 32)
        F(weave)(to + r * t, x, fixed, 32);
    else if (fixed && unit == VECTOR_BYTES)
        UNROLL for (int j = 0; j < fixed; j++) F(store)(to + r * t + j * LANES, x[j]);
    else
        F(scatter)(to, (const T *)x, r, s, t);
}

/* Lanes run along p and q. The last vector begins where it ends with the last place, so some places may be computed
 * twice. fixed: r, where that is known while compiling. */
ALWAYS void F(walk)(const knr_fft_groups *c, const int fixed, V *re, V *im)
{
    const int r = fixed ? fixed : c->r;
    const int64_t places = c->s * c->m;
    V roots[4];
    F(fill_roots)(c->roots, roots, fixed);
    for (int64_t t = 0;;) {
        const T *w = (const T *)c->by_t + t;
        if (c->x.ahead)
            for (int j = 0; j < r; j++)
                F(fetch)(&c->x, t + j * places, false);
        if (fixed)
            F(read)(&c->x, t, places, fixed, re, im);
        else
            for (int j = 0; j < r; j++)
                F(read)(&c->x, t + j * places, 0, 1, &re[j], &im[j]);
        F(butterfly)(re, im, c->roots, roots, fixed, r);
        if (c->m > 1 && fixed)
            UNROLL for (int j = 1; j < fixed; j++, w += 2 * places)
                F(multiply)(&re[j], &im[j], F(load)(w), F(load)(w + places));
        else if (c->m > 1)
            for (int j = 1; j < r; j++, w += 2 * places)
                F(multiply)(&re[j], &im[j], F(load)(w), F(load)(w + places));
        F(part)(c->y.re, re, fixed, r, c->s, t);
        F(part)(c->y.im, im, fixed, r, c->s, t);
        t += LANES;
        if (t >= places)
            return;
        t = t + LANES <= places ? t : places - LANES;
    }
}

#define PASS(r, room)                                \
    static void F(pass_##r)(const knr_fft_groups *c) \
    {                                                \
        V re[room], im[room];                        \
        F(walk)(c, r, re, im);                       \
    }
#if VECTOR_BYTES > 16
PASS(2, 8)
PASS(3, 8)
PASS(4, 8)
PASS(5, 8)
PASS(8, 8)
#endif
PASS(0, KNR_FFT_MOST_ODD)
#undef PASS

static void F(pass)(const knr_fft_groups *c)
{
    switch (c->r) {
#if VECTOR_BYTES > 16
    case 2: F(pass_2)(c); break;
    case 3: F(pass_3)(c); break;
    case 4: F(pass_4)(c); break;
    case 5: F(pass_5)(c); break;
    case 8: F(pass_8)(c); break;
#endif
    default: F(pass_0)(c); break;
    }
}
