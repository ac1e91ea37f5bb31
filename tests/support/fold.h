/* SPDX-License-Identifier: Apache-2.0
 * fold.h -- one element of a product, step by step, as docs/determinism.md defines it: for tests that compare bits. */
#ifndef KN_TEST_FOLD_H
#define KN_TEST_FOLD_H
#include "base/dtype.h"

typedef struct fold {
    kn_dtype operand, result;
    int64_t k;
    double re, im, re_total, im_total; /* the chains of this block, and the totals of those before */
    uint64_t u;
    bool any;
    long double exact[2], size[2]; /* the sums of a b and of |a| |b|, as good as exact */
} fold;

fold fold_begin(kn_dtype operand, kn_dtype result);
void fold_step(fold *f, const void *a, const void *b); /* elements of the dtype `operand`; NULL: a zero */
void fold_end(const fold *f, void *out);               /* an element of the dtype `result` */
/* How far `got` lies from the exact sum, as a part of what the rounding errors of so many steps may add up to. 0 for
 * integers, and where numbers are not finite. */
double fold_error(const fold *f, const void *got);

/* Index of the first of n elements that differs, -1 if none does; NaNs are equal. */
int64_t fold_differs(kn_dtype d, const void *x, const void *y, int64_t n);
uint64_t fold_hash(kn_dtype d, const void *x, int64_t n); /* the same for all NaNs */
void fold_show(kn_dtype d, const void *x, char *text, size_t size);
#endif
