/* SPDX-License-Identifier: Apache-2.0
 * fft_butterfly.h -- the arithmetic of the Fourier transforms, for one type of number and of vector: V, or a number by
 * itself, so that all ways of a transform have the same operations. Included with NUM (a short name) and T defined; it
 * has no include guard: that is the point. */
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
// clang-format on

#include "host/routine/vector_loops.h"

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

#ifndef FOUR_OF_16 /* the same text for all */
/* Four elements, number a turned by -angle a, whose cosine and sine are folded into the sums: of cos(angle) = c and
 * sin(angle) = c t both times, but for the middle one. The results are 4 numbers apart. */
#define FOUR_OF_16(zr, zi, ar, ai, br, bi, cr, ci, dr, di, by)                                  \
    zr[0] = F(madd)(by, cr, ar), zi[0] = F(madd)(by, ci, ai);                                   \
    zr[4] = F(madd)(by, di, br), zi[4] = F(madd)(-(by), dr, bi);                                \
    zr[8] = F(madd)(-(by), cr, ar), zi[8] = F(madd)(-(by), ci, ai);                             \
    zr[12] = F(madd)(-(by), di, br), zi[12] = F(madd)(by, dr, bi);
#endif

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

#ifndef ODD_BUTTERFLY
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
        V pr = F(madd)(ROOT(2 * k - 2), sr[1], fr), pi = F(madd)(ROOT(2 * k - 2), si[1], fi);           \
        V qr = ROOT(2 * k - 1) * di[1], qi = ROOT(2 * k - 1) * dr[1];                                   \
        REPEAT for (int j = 2, e = 2 * k >= (r) ? 2 * k - (r) : 2 * k; j <= h;                          \
                    j++, e = e + k >= (r) ? e + k - (r) : e + k)                                        \
        {                                                                                               \
            V c = ROOT(2 * (e > h ? (r) - e : e) - 2), s = ROOT(2 * (e > h ? (r) - e : e) - 1);         \
            s = e > h ? -s : s;                                                                         \
            pr = F(madd)(c, sr[j], pr), pi = F(madd)(c, si[j], pi);                                     \
            qr = F(madd)(s, di[j], qr), qi = F(madd)(s, dr[j], qi);                                     \
        }                                                                                               \
        re[k] = pr + qr, im[k] = pi - qi;                                                               \
        re[(r) - k] = pr - qr, im[(r) - k] = pi + qi;                                                   \
    }

#define ROOT(i) F(fill)(roots[i])
#endif
ALWAYS void F(butterfly_few)(V *re, V *im, const T *roots, const int r)
{
    V sr[7], si[7], dr[7], di[7];
    ODD_BUTTERFLY(r, UNROLL)
}

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

/* Elements k and m - k, times w^k and added; x becomes y (fft.c has the formula). */
ALWAYS void F(join)(V *ar, V *ai, V *br, V *bi, V c, V s, bool inverse)
{
    const V half = F(fill)((T)(inverse ? 1 : 0.5));
    V er = (*ar + *br) * half, ei = (*ai - *bi) * half, or = (*ar - *br) * half, oi = (*ai + *bi) * half, tr, ti;
    if (inverse) {
        tr = F(madd)(s, or, -(c * oi));
        ti = F(madd)(c, or, s * oi);
    } else {
        tr = F(madd)(c, oi, s * or);
        ti = F(madd)(s, oi, -(c * or));
    }
    *ar = er + tr, *ai = ei + ti;
    *br = er - tr, *bi = ti - ei;
}
