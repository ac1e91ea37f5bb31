/* SPDX-License-Identifier: Apache-2.0
 * condensed.h -- the inner loops of reductions to tridiagonal form and of the secular equations of condensed matrices,
 * one table of them per instruction set. Sums are chains of fma, as many as numbers have room in 64 bytes: number i
 * goes to chain i modulo that, and they are joined by halves. */
#ifndef KN_HOST_ROUTINE_CONDENSED_H
#define KN_HOST_ROUTINE_CONDENSED_H
#include <stdbool.h>
#include <stdint.h>

typedef struct knr_secular_sums {
    double value, size;  /* of z2 / delta; of their absolute values */
    double slope[2];     /* of z2 / delta^2: of the first numbers, of the others */
} knr_secular_sums;

enum { KNR_WHOLE = 256, KNR_WHOLE_ROOM = 8 * 8 * (KNR_WHOLE + 48) };

typedef struct knr_condensed_loops {
    /* y += what rows from .. to of a symmetric n x n matrix add to a x, from the diagonal on and, mirrored, below it;
     * [0]: float32, [1]: float64. sign -1: the mirror image is negative, and the diagonal zero. Rows lie at multiples
     * of 64 bytes. */
    void (*half_times[2])(void *y, const void *a, int64_t ld, int64_t n, int64_t from, int64_t to, const void *x,
                          double sign);
    /* delta = d - origin - mu, and sums over n numbers; squares: delta = d^2 - origin^2 - mu. Up to 7 numbers more are
     * read and written. */
    knr_secular_sums (*secular)(double *delta, const double *d, const double *z2, int64_t n, int64_t first,
                                double origin, double mu, bool squares);
    /* p[i] *= x[i] / (d[i] - minus), or with squares x[i] / (d[i]^2 - minus^2) */
    void (*quotients)(double *p, const double *x, const double *d, double minus, int64_t n, bool squares);
    /* Columns of n of rows a, b, c (c may be NULL) become those of (I - tau v v^T) of them, v = (1, v1, v2) */
    void (*reflect)(double *a, double *b, double *c, double v1, double v2, double tau, int64_t n);
    /* The same of columns a, a + 1 and, if there are three, a + 2, of n rows. */
    void (*reflect_columns)(double *a, int64_t ld, int64_t n, double v1, double v2, double tau, bool three);
    /* y = a / b, y = a b; the sum of its squares. y may be an operand. */
    double (*divide)(double *y, const double *a, const double *b, int64_t n);
    double (*times)(double *y, const double *a, const double *b, int64_t n);
    /* to += from; the largest absolute value, or infinity or NaN if a number is not finite; x times a power
     * of two. [0]: float32, [1]: float64 */
    void (*add[2])(void *to, const void *from, int64_t n);
    double (*largest[2])(const void *x, int64_t n);
    void (*scale[2])(void *x, int64_t n, double by);
    /* Of real matrices up to KNR_WHOLE rows whose rows begin at multiples of 64 bytes, and are as long in memory:
     * numbers behind the last column are read and written. room: KNR_WHOLE_ROOM bytes.
     * The upper triangle of n x n numbers becomes row by row d, e and, from behind e on, the vectors of reflections;
     * what is below it is lost. The same of m >= n rows: the vectors of reflections from the left end up in rows of
     * the transpose, from behind the diagonal on, those from the right in rows of the matrix, behind e. The
     * Hessenberg form is transposed, too, with the vectors behind its subdiagonal. */
    void (*tridiagonalize[2])(void *a, int64_t ld, int64_t n, double *d, double *e, double *tau, void *room);
    void (*bidiagonalize[2])(void *a, int64_t ld, void *transpose, int64_t transpose_ld, int64_t m, int64_t n,
                             double *d, double *e, double *left, double *right, void *room);
    void (*hessenberg[2])(void *a, int64_t ld, void *transpose, int64_t transpose_ld, int64_t n, double *tau,
                          void *room);
    /* The m x n matrix x becomes q x, or adjoint q^T x, where q is the product of k reflections, number i of which has
     * its vector in row i of `vectors` from number i + 1 on, and 1 as number i. from_identity: x is the identity, and
     * it becomes q. */
    void (*reflect_rows[2])(void *x, int64_t ld, int64_t m, int64_t n, const void *vectors, int64_t vectors_ld,
                            int64_t k, const double *tau, bool adjoint, bool from_identity, void *room);
} knr_condensed_loops;
const knr_condensed_loops *knr_condensed(void); /* for this processor */
extern const knr_condensed_loops knr_condensed_base, knr_condensed_avx2, knr_condensed_avx512;
#endif
