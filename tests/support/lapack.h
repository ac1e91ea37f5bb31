/* SPDX-License-Identifier: Apache-2.0
 * lapack.h -- what LAPACK's own tests judge factorisations by (LAWN 41): matrices of many kinds, and products and norms
 * of them in plain loops over doubles, which share nothing with the library. A test asserts that
 *
 *     |difference| / (n |a| eps)
 *
 * stays below LAPACK_THRESHOLD, in the 1-norm, with the eps of rounding (2^-24, 2^-53). Numbers below the smallest normal
 * one have no relative accuracy, so what they are rounded to counts beside |a| eps. */
#ifndef KN_TEST_LAPACK_H
#define KN_TEST_LAPACK_H
#include <kiln/kiln.h>
#include <stdbool.h>
#include <stdint.h>

#define LAPACK_THRESHOLD 30.0

/* Rows one behind the other. im: NULL for real matrices. Everything lives until lapack_forget. */
typedef struct lapack_matrix {
    int64_t m, n;
    double *re, *im;
} lapack_matrix;
void lapack_forget(void);

lapack_matrix lapack_zeros(int64_t m, int64_t n, bool complex);
lapack_matrix lapack_take(kn_array x);                        /* of two axes; one axis is a column */
kn_array lapack_give(const lapack_matrix *x, kn_dtype d);     /* rounded to the dtype */
kn_array lapack_stack(int n, const lapack_matrix *x, kn_dtype d);

/* a b, a^H b, a b^H */
lapack_matrix lapack_times(lapack_matrix a, lapack_matrix b);
lapack_matrix lapack_adjoint(lapack_matrix a);
lapack_matrix lapack_minus(lapack_matrix a, lapack_matrix b);
lapack_matrix lapack_part(lapack_matrix a, int64_t m, int64_t n);    /* its first rows and columns */
lapack_matrix lapack_rows(lapack_matrix a, kn_array order);          /* row order[i] is row i */
lapack_matrix lapack_columns_times(lapack_matrix a, lapack_matrix v); /* a diag(v) for a column v */
lapack_matrix lapack_triangle(lapack_matrix a, bool upper, int64_t k, bool unit);
lapack_matrix lapack_scaled(lapack_matrix a, int exponent);          /* times 2^exponent */
double lapack_norm(lapack_matrix a);                                  /* the largest sum of a column; NaN if there is one */
int lapack_exponent(lapack_matrix a);                                 /* 2^it times the largest element is near 1; even */

double lapack_epsilon(kn_dtype d);
/* |x - y| / (n |a| eps). Everything was multiplied by 2^exponent. */
double lapack_ratio(lapack_matrix x, lapack_matrix y, lapack_matrix a, int64_t n, int exponent, kn_dtype d);
/* |I - q^H q| / (m eps) */
double lapack_orthogonality(lapack_matrix q, kn_dtype d);

/* Kinds of matrices. Those without a value of their own are made of singular values (eigenvalues) and random rotations. */
typedef enum lapack_kind {
    LAPACK_RANDOM,
    LAPACK_IDENTITY,
    LAPACK_DIAGONAL,
    LAPACK_UPPER,
    LAPACK_LOWER,
    LAPACK_POOR,            /* condition sqrt(0.1 / eps) */
    LAPACK_NEARLY_SINGULAR, /* condition 0.1 / eps */
    LAPACK_GRADED,          /* singular values in geometric progression */
    LAPACK_ONE_SMALL,
    LAPACK_CLUSTERED, /* 1 + i eps */
    LAPACK_REPEATED,
    LAPACK_ROWS_GRADED,
    LAPACK_COLUMNS_GRADED,
    LAPACK_DEFECTIVE,        /* one Jordan block */
    LAPACK_DEFECTIVE_TURNED, /* similar to Jordan blocks */
    LAPACK_CYCLE,            /* a permutation */
    LAPACK_SMALL,            /* just above underflow */
    LAPACK_SUBNORMAL,
    LAPACK_HUGE,
    LAPACK_DEFICIENT, /* from here on singular: half of the singular values are 0 */
    LAPACK_ZERO,
    LAPACK_ONES,
    LAPACK_ZERO_COLUMN,
    LAPACK_HILBERT, /* as good as singular */
    LAPACK_KINDS
} lapack_kind;
const char *lapack_kind_name(int kind);
lapack_matrix lapack_general(int kind, int64_t m, int64_t n, kn_dtype d, uint64_t seed);
/* Hermitian with the kind's eigenvalues of both signs; or, positive definite ones with these singular values, which
 * kinds from LAPACK_DEFICIENT on, and those that are not made of singular values, do not have: m is -1. */
lapack_matrix lapack_hermitian(int kind, int64_t n, kn_dtype d, uint64_t seed);
lapack_matrix lapack_definite(int kind, int64_t n, kn_dtype d, uint64_t seed);
#endif
