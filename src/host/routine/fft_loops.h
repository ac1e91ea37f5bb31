/* SPDX-License-Identifier: Apache-2.0
 * fft_loops.h -- the inner loops of the Fourier transforms, which are compiled once per instruction set (fft_isa.c),
 * and the tables that they read (fft_plan.h). Complex numbers are in planes (all real parts, all imaginary parts) or
 * in pairs, as arrays have them. All transforms are forward ones, exp(-2 pi i j k / n): an inverse one has real and
 * imaginary parts exchanged before and behind it. */
#ifndef KN_HOST_ROUTINE_FFT_LOOPS_H
#define KN_HOST_ROUTINE_FFT_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

/* Transforms that run side by side, an element of each of them in adjacent places: the same number for all instruction
 * sets, so that what is computed for a place is, too. */
enum { KNR_FFT_LINE = 64, KNR_FFT_MOST_WIDTH = 16, KNR_FFT_MOST_ODD = 61 };
static inline int64_t knr_fft_width(int bytes) { return KNR_FFT_LINE / bytes; } /* WIDTH: as many fill a line */

/* Planes, or (im NULL) pairs; with `swap` real and imaginary parts of the pairs are exchanged. */
typedef struct knr_fft_numbers {
    void *re, *im;
    int64_t apart; /* between two lines of WIDTH numbers, one of each transform side by side; 0: WIDTH */
    int64_t ahead; /* not 0: what is so many numbers behind these is next, and fetched beforehand */
    bool swap;
} knr_fft_numbers;

/* One pass of Stockham's algorithm over r s m numbers: for p < m and q < s
 *     y[q + s (r p + k)] = w^(p k) sum_j x[q + s (p + m j)] exp(-2 pi i j k / r),   w = exp(-2 pi i / (r m))
 * `pass`: lanes are places (p, q); s < WIDTH, s m >= WIDTH, y: planes.
 * `groups`: lanes are the numbers of lines of WIDTH, which have the same turns (by_p), or one for each place of a line
 * (turn), or, l being WIDTH, one for each l. Line (p, q, l) of p < m, q < s begins at p xp + q xq + l xl, the one of
 * number j xj behind that; so it goes to y. */
typedef struct knr_fft_groups {
    knr_fft_numbers x, y;
    int r; /* 2, 4, 8, 16 (not in `pass`), or odd up to MOST_ODD */
    int64_t m, s, l, xp, xq, xl, xj, yp, yq, yl, yk;
    int64_t back;      /* not 0: there is one more line behind those of q < s, but it begins so much earlier */
    const void *by_p;  /* [m][r - 1] pairs, or NULL */
    const void *by_t;  /* `pass`: [r - 1][2][s m]: w^(p k), the same for each q */
    const void *turn;  /* [r][s][2][WIDTH], or NULL */
    const void *roots; /* odd r: [r / 2] pairs: cosine, sine of 2 pi (j + 1) / r */
    double scale;      /* of what is written as pairs */
} knr_fft_groups;

/* WIDTH sequences in memory: number j of lane l has its real part at[off[l] + j step], its imaginary part `second`
 * behind that; second 0: it has none. All are counted in real numbers. */
typedef struct knr_fft_lanes {
    void *at;
    int64_t off[KNR_FFT_MOST_WIDTH], step, second, n;
    int count; /* of the lanes; of those behind nothing is read or written */
    bool far;  /* neighbours of neighbours, which are next, are fetched beforehand */
    double scale;
} knr_fft_lanes;

/* y = x w scale, elementwise. side: 1, or WIDTH numbers of x for each one of w. */
typedef struct knr_fft_product {
    knr_fft_numbers x, y;
    const void *w; /* pairs */
    int64_t n;
    int side;
    double scale;
} knr_fft_product;

/* Between the transform z of m = n / 2 pairs of real numbers and the transform x of these n real numbers, for the
 * indices from .. to, and those as far from the other end; 0 < from, to <= m / 2 + 1. Pairs or planes; y may be x. */
typedef struct knr_fft_real {
    knr_fft_numbers x, y;
    const void *w;     /* pairs exp(-2 pi i k / n), from k = `from` on; or, */
    const void *lanes; /* lanes ([2][WIDTH]) being those of 1 <= k <= WIDTH, what they are to be multiplied by for each
                        * WIDTH numbers from k = 1 on; `from` is the first of WIDTH ones, then */
    int64_t m, from, to;
    bool inverse;
} knr_fft_real;

/* Powers w^e, e = first, first + step, ... modulo n, as high[e >> bits] low[e's other bits]. */
typedef struct knr_fft_powers {
    const double *low, *high;
    int bits;
    int64_t n, first, step, count;
} knr_fft_powers;

/* Lines of n numbers (of 2 n real ones, where one side is real), of x and y numbers of the type apart. y may be x where
 * both are complex. */
enum { KNR_FFT_MOST_SHORT = 32 };
typedef struct knr_fft_short {
    const void *x;
    void *y;
    int64_t rows, of_x, of_y;
    int n, slot; /* slot: number of n among 1, 2, 3, 4, 5, 7, 8, 16, 32 */
    bool swap, from_real, to_real;
    const void *turns, *roots, *real; /* as by_t of 16 and 32, roots of groups, pairs exp(-2 pi i k / 2 n) */
    double scale;
} knr_fft_short;

typedef struct knr_fft_loops {
    void (*pass)(const knr_fft_groups *c);
    void (*groups)(const knr_fft_groups *c);
    /* All passes for m rows of 64, 128, 256 numbers, which lie xp and yp numbers apart. by_t: NULL, then turn is as in
     * `groups`; else there are three passes, of radices r, 4, 4, and `turn` is the second one's by_t. NULL: there is no
     * such loop */
    void (*rows[3])(const knr_fft_groups *c);
    /* x: planes [m][WIDTH], to transforms of the lines' numbers: number k of line i comes to i + k m */
    void (*cross)(const knr_fft_groups *c);
    /* The pass of `groups` that is the last one of the columns of one transform, of radix 8, from planes, and `cross`;
     * s is a multiple of WIDTH. NULL: there is no such loop */
    void (*last)(const knr_fft_groups *c);
    /* planes [n][WIDTH] times w[k] (pairs) and by_lane[k] ([n][2][WIDTH]); lane i comes to y + i n */
    void (*turn_over)(const void *re, const void *im, int64_t n, const void *w, const void *by_lane,
                      const knr_fft_numbers *y);
    void (*take)(const knr_fft_lanes *l, void *re, void *im); /* into planes [n][WIDTH]; other lanes become 0 */
    void (*put)(const knr_fft_lanes *l, const void *re, const void *im);
    void (*times)(const knr_fft_product *p);
    void (*real)(const knr_fft_real *r);
    void (*real_lanes)(const knr_fft_real *r); /* planes [m][WIDTH], [m + 1][WIDTH]; all indices, 0 among them */
    void (*powers)(const knr_fft_powers *p, void *pairs);
    /* exp(-2 pi i k[j] / n) for j < count, 0 <= k[j] < n, as pairs of double, to the last bit or so */
    void (*roots)(const int64_t *k, int64_t n, int count, double *pairs);
    void (*turn)(void *re, void *im, int64_t n, const void *w); /* planes [n][WIDTH] times w[k] (pairs) */
    void (*lines)(const knr_fft_short *c);                      /* NULL: short lines run side by side */
} knr_fft_loops;

void knr_fft_lines_f32(const knr_fft_short *c); /* AVX2, which AVX-512 has, too */
void knr_fft_lines_f64(const knr_fft_short *c);
extern const knr_fft_loops knr_fft_base[2], knr_fft_avx2[2], knr_fft_avx512[2]; /* float32, float64 */
#endif
