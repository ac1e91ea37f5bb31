/* SPDX-License-Identifier: Apache-2.0
 * fft_roots.h -- roots of unity for the tables of the Fourier transforms: octants by whole numbers, the angle in two
 * doubles, Taylor's series, by operations of IEEE 754 alone. Included by fft_isa.c. */

enum { ROOTS_LANES = VECTOR_BYTES / 8 };

ALWAYS vf64 all_lanes(double x) { return x - (vf64){0}; }
ALWAYS vf64 chosen(vu64 mask, vf64 yes, vf64 no) { return (vf64)(((vu64)yes & mask) | ((vu64)no & ~mask)); }

/* sin and cos of hi + lo, 0 <= hi <= pi / 4: Taylor's series, whose last term is far below the last bit */
ALWAYS void sine_cosine(vf64 hi, vf64 lo, vf64 *sine, vf64 *cosine)
{
    static const double s[] = {-1. / 6,        1. / 120,         -1. / 5040,           1. / 362880,
                               -1. / 39916800, 1. / 6227020800., -1. / 1307674368000., 1. / 355687428096000.};
    static const double c[] = {1. / 24,         -1. / 720,          1. / 40320,           -1. / 3628800,
                               1. / 479001600., -1. / 87178291200., 1. / 20922789888000., -1. / 6402373705728000.};
    vf64 z = hi * hi, rest = madd_f64(hi, hi, -z), p = all_lanes(s[7]), q = all_lanes(c[7]);
    UNROLL for (int i = 6; i >= 0; i--)
    {
        p = madd_f64(p, z, all_lanes(s[i]));
        q = madd_f64(q, z, all_lanes(c[i]));
    }
    vf64 half = 0.5 * z, one = 1 - half, lost = (1 - one) - half;
    *cosine = one + (lost + (z * z * q - (0.5 * rest + hi * lo)));
    *sine = hi + (hi * z * p + lo * one);
}

/* eights: 8 k, less than 2^52 */
ALWAYS void some_roots(vf64 eights, vf64 n, vf64 *re, vf64 *im)
{
    const vf64 whole = all_lanes(0x1p52);
    const vf64 hi = all_lanes(0.78539816339744828), lo = all_lanes(3.0616169978683830e-17); /* pi / 4 */
    /* The quotient is either whole or at least 1 / n below a whole number, so that it is not rounded up to that. */
    vf64 turns = eights / n, octant = (turns + whole) - whole;
    octant = chosen((vu64)(octant > turns), octant - 1, octant);
    vu64 o = (vu64)(octant + whole), sign = (vu64)all_lanes(-0.0);
    vf64 rest = eights - octant * n; /* the angle is (octant + rest / n) pi / 4 */
    vf64 part = chosen(-(o & 1), n - rest, rest);
    vf64 q = part / n, q_lo = madd_f64(-q, n, part) / n;
    vf64 x = q * hi, x_lo = madd_f64(q, hi, -x) + (q * lo + q_lo * hi), sine, cosine;
    sine_cosine(x, x_lo, &sine, &cosine);
    vu64 swap = -(((o + 1) >> 1) & 1); /* octants 1, 2, 5, 6: about the axis of sines */
    vf64 c = chosen(swap, sine, cosine), s = chosen(swap, cosine, sine);
    *re = (vf64)((vu64)c ^ (-(((o + 2) >> 2) & 1) & sign)); /* octants 2 to 5 */
    *im = (vf64)((vu64)s ^ (((o >> 2 & 1) - 1) & sign));    /* octants 0 to 3 */
}

static void roots(const int64_t *k, int64_t n, int count, double *pairs)
{
    for (int i = 0; i < count; i += ROOTS_LANES) {
        int many = count - i < ROOTS_LANES ? count - i : ROOTS_LANES;
        double eights[ROOTS_LANES], w[2][ROOTS_LANES];
        vf64 of, re, im;
        for (int j = 0; j < ROOTS_LANES; j++)
            eights[j] = 8 * (double)k[i + (j < many ? j : 0)];
        memcpy(&of, eights, sizeof of);
        some_roots(of, all_lanes((double)n), &re, &im);
        memcpy(w[0], &re, sizeof re);
        memcpy(w[1], &im, sizeof im);
        for (int j = 0; j < many; j++) {
            pairs[2 * (i + j)] = w[0][j];
            pairs[2 * (i + j) + 1] = w[1][j];
        }
    }
}
