/* SPDX-License-Identifier: Apache-2.0
 * factors.h -- what Cholesky, LU and triangular systems share on the device: stacks of matrices worked on panel by
 * panel in the order of determinism.md, "Factorisations". */
#ifndef KN_WEBGPU_ROUTINE_FACTORS_H
#define KN_WEBGPU_ROUTINE_FACTORS_H
#include "webgpu/routine/routine.h"

/* A stack of matrices at a reference: element (i, k) of matrix number s at first + s * batch + i * row + k * column. */
typedef struct kng_matrix {
    uint32_t ref;
    int64_t first, batch, row, column;
} kng_matrix;
/* Word functions NAME_first(), ... and place_NAME(matrix, i, k), with the array NAME. */
void kng_matrix_words(kng_code *c, const char *name, kn_dtype d, const kng_matrix *x, uint32_t use);
static inline kng_matrix kng_matrix_at(const kng_matrix *x, int64_t i, int64_t k)
{
    kng_matrix y = *x;
    y.first += i * x->row + k * x->column;
    return y;
}
static inline kng_matrix kng_turned(const kng_matrix *x) /* transposed */
{
    return (kng_matrix){x->ref, x->first, x->batch, x->column, x->row};
}

/* to[i][j] -= the sum over k of left[i or j][k] * right[the other][k], a chain of multiply-adds from 0 on. */
typedef struct kng_loss {
    kn_dtype dtype;
    uint64_t stack, rows, columns, steps;
    kng_matrix left, right, to; /* left and right: their rows are those of `to`, or its columns */
    bool left_rows;             /* left has the rows */
    bool conjugate;             /* of left */
    bool lower;                 /* only j <= i */
} kng_loss;
void kng_take_off(kng_maker *m, const kng_loss *x);

/* n numbers, or their conjugates, from one reference to another, or to the same one. */
void kng_copy_numbers(kng_maker *m, kn_dtype d, uint64_t n, uint32_t from, uint32_t to, bool conjugate);
int64_t kng_panel(kn_dtype d, int64_t steps, int64_t wide); /* its width: 128 of real numbers for more steps */
void kng_fn_minus(kng_code *c, const char *name, kn_dtype d, bool conjugate); /* (a): -a, or -conj(a) */
void kng_fn_quotient(kng_code *c, const char *name, kn_dtype d);              /* (x, d): x / d */
#endif
