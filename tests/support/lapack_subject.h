/* SPDX-License-Identifier: Apache-2.0
 * lapack_subject.h -- functions of matrices that are judged by the ratios of lapack.h: of matrices of all kinds and
 * dtypes, alone and in stacks. */
#ifndef KN_TEST_LAPACK_SUBJECT_H
#define KN_TEST_LAPACK_SUBJECT_H
#include "support/lapack.h"

enum { LAPACK_DTYPES = 4, LAPACK_RESULTS = 7 };
extern const char *const lapack_dtypes[LAPACK_DTYPES];

typedef struct lapack_subject {
    const char *name;
    enum { LAPACK_ANY, LAPACK_HERMITIAN, LAPACK_DEFINITE } of;
    bool square, regular; /* which matrices it is for */
    int n_results;
    void (*compute)(kn_array a, kn_array *result);
    void (*one)(int kind, lapack_matrix a, kn_array x, kn_array *result); /* judges the results of one matrix */
    uint64_t seed;
} lapack_subject;

bool lapack_thorough(void); /* KILN_TEST_LONG=1: all sizes */
void lapack_judge(const char *what, int kind, lapack_matrix a, kn_dtype d, double ratio);

/* Square matrices of up to 40 rows, of more than 18 rows those of every `step`th size; shapes that are not square; one
 * matrix, of a size at which blocks, panels and threads matter. */
void lapack_check_sizes(const lapack_subject *s, int64_t step);
void lapack_check_shapes(const lapack_subject *s);
void lapack_check_one(const lapack_subject *s, int kind, int64_t m, int64_t n, kn_dtype d);
#endif
