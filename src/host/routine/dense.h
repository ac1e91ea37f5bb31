/* SPDX-License-Identifier: Apache-2.0
 * dense.h -- what the factorisations by orthogonal transformations share: matrices as planes of real numbers, memory
 * carved of one workspace, Householder reflections alone and in blocks, multiplication. Matrices have the dtype of the
 * input (its real numbers: float32 or float64); numbers that are O(n) many (reflections' vectors, coefficients,
 * diagonals) are double. docs/linalg.md says how they are put together. */
#ifndef KN_HOST_ROUTINE_DENSE_H
#define KN_HOST_ROUTINE_DENSE_H
#include "host/routine/linalg_tile.h"
#include <string.h>

/* Memory, taken piece by piece. With `at` NULL only the bytes are counted. */
typedef struct knr_arena {
    char *at;
    size_t used;
} knr_arena;
void *knr_take(knr_arena *a, size_t count, size_t size); /* 64-byte aligned, not cleared */

typedef struct knr_complex {
    double re, im;
} knr_complex;
/* A vector, or a matrix of rows `ld` numbers apart, of doubles. im: NULL for real numbers. */
typedef struct knr_doubles {
    double *re, *im;
    int64_t ld;
} knr_doubles;
knr_doubles knr_doubles_take(knr_arena *a, bool complex, int64_t rows, int64_t columns);

typedef struct knr_dense {
    const knr_linalg_loops *f;
    knr_planes p;
    int64_t rows, columns;
} knr_dense;
knr_dense knr_dense_take(knr_arena *a, kn_dtype d, int64_t rows, int64_t columns);
/* From and to memory of the dtype; row, column: its strides in elements. */
void knr_dense_load(const knr_dense *x, const void *from, int64_t row, int64_t column, bool conjugate);
void knr_dense_store(const knr_dense *x, void *to, int64_t row, int64_t column, bool conjugate);
void knr_dense_identity(const knr_dense *x);
/* The same, shared by threads. */
void knr_dense_load_on(int threads, const knr_dense *x, knr_place_in from);
void knr_dense_store_on(int threads, const knr_dense *x, knr_place_out to);
void knr_dense_identity_on(int threads, const knr_dense *x);
/* y = x^T, where x is real */
void knr_dense_transpose(const knr_dense *x, const knr_dense *y);
/* Rows from `row` on, columns from `column` on. */
knr_dense knr_dense_part(const knr_dense *x, int64_t row, int64_t column, int64_t rows, int64_t columns);

static inline double knr_get(const knr_dense *x, const void *plane, int64_t i)
{
    return x->f->size == 8 ? ((const double *)plane)[i] : (double)((const float *)plane)[i];
}
static inline void knr_set(const knr_dense *x, void *plane, int64_t i, double v)
{
    if (x->f->size == 8)
        ((double *)plane)[i] = v;
    else
        ((float *)plane)[i] = (float)v;
}
static inline knr_complex knr_at(const knr_dense *x, int64_t i, int64_t j)
{
    int64_t k = i * x->p.ld + j;
    return (knr_complex){knr_get(x, x->p.re, k), x->p.im ? knr_get(x, x->p.im, k) : 0};
}
static inline void knr_put(const knr_dense *x, int64_t i, int64_t j, knr_complex v)
{
    int64_t k = i * x->p.ld + j;
    knr_set(x, x->p.re, k, v.re);
    if (x->p.im)
        knr_set(x, x->p.im, k, v.im);
}
static inline knr_complex knr_times(knr_complex a, knr_complex b)
{
    return (knr_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/* The element of the dtype at an address. */
void knr_element_put(kn_dtype d, void *to, int64_t i, knr_complex v);
knr_complex knr_element_at(kn_dtype d, const void *from, int64_t i);
double knr_epsilon(const knr_dense *x); /* between 1 and the next number */
double knr_rounding(kn_dtype d);        /* half of that */
/* Of one plane: columns from .. from + n of rows i and j change places; those of row i become what `places` says,
 * number k at from + places[k] times `by`. */
void knr_exchange_rows(const knr_dense *x, int64_t i, int64_t j, int64_t from, int64_t n);
void knr_put_at(const knr_dense *x, int64_t i, int64_t from, const double *v, double by, const int64_t *places,
                int64_t n);
/* A power of two that brings a number of this size near 1, or 1 for 0, infinities and NaN. */
static inline double knr_scale_for(double size)
{
    uint64_t bits;
    if (!(size > 0) || size > 0x1.fffffffffffffp1023)
        return 1;
    memcpy(&bits, &size, 8);
    int64_t e = (int64_t)(bits >> 52) - 1022; /* size is 2^e times a number from 1/2 to 1; subnormal ones are less */
    e = e > 1000 ? 1000 : e < -1000 ? -1000 : e;
    bits = (uint64_t)(1023 - e) << 52;
    memcpy(&size, &bits, 8);
    return size;
}
/* sqrt(a^2 + b^2) without overflow, by the same operations everywhere */
double knr_length_scaled(double a, double b);
static inline double knr_length(double a, double b)
{
    double p = a < 0 ? -a : a, q = b < 0 ? -b : b, most = p > q ? p : q;
    return most > 0x1p-400 && most < 0x1p400 ? __builtin_sqrt(a * a + b * b) : knr_length_scaled(a, b);
}
bool knr_is_finite(const knr_dense *x);
/* The largest |re| and |im|; infinity if a number is not finite. */
double knr_largest(const knr_dense *x);
void knr_scale(const knr_dense *x, double by);
void knr_fill_nan(kn_dtype d, void *to, int64_t count);

/* What products by matrix_product.h need: `bytes` of memory, enough for those of up to rows x columns results over
 * `steps` steps; larger ones are made in parts, with the same bits. real: the dtype of the planes. */
typedef struct knr_multiplier {
    kn_dtype real;
    int threads;
    void *room;
    size_t bytes;
} knr_multiplier;
knr_multiplier knr_multiplier_take(knr_arena *a, kn_dtype real, int64_t rows, int64_t columns, int64_t steps,
                                   int threads);

/* c += a b, or c -= a b, for small ones. Element by element one chain over k in increasing order. a: doubles, m x k. */
void knr_multiply(const knr_dense *c, const knr_doubles *a, const knr_dense *b, bool minus, double *spare);

/* Of one row y, columns from `from` on: y += the sum of c[k] x[k] over `count` rows of x, c = re + i im. spare: as long
 * as c. im counts for complex matrices only. */
void knr_combine(const knr_dense *y, int64_t from, const knr_dense *x, int64_t count, const double *re,
                 const double *im, double *spare);

/* re + i im = x y for the row y, without conjugates. spare: as long as x has rows */
void knr_dots(const knr_dense *x, const knr_dense *y, double *re, double *im, double *spare);

/* Makes v of x, in place: (I - conj(tau) v v^H) x = beta e_0, v[0] = 1. tau is 0 where x is beta e_0 already. */
knr_complex knr_reflection(int64_t n, double *re, double *im, double *beta);

/* What applying reflections needs beside the matrix. n: the largest number of rows and columns. */
typedef struct knr_spare {
    double *c[4];
    knr_dense row; /* one */
} knr_spare;
knr_spare knr_spare_take(knr_arena *a, kn_dtype d, int64_t n);
/* x = (I - t v v^H) x; x = x (I - t v v^H) */
void knr_reflect_left(const knr_dense *x, const knr_doubles *v, knr_complex t, const knr_spare *s);
void knr_reflect_right(const knr_dense *x, const knr_doubles *v, knr_complex t, const knr_spare *s);

/* Blocks of reflections I - V T V^H = H_0 H_1 ...: the rows of v are the vectors, with everything that is not
 * stored. */
enum { KNR_REFLECTIONS = 32 };
typedef struct knr_block_reflection {
    int count;
    int64_t n;     /* of a vector */
    knr_doubles v; /* count x n */
    knr_doubles t; /* count x count, upper */
    knr_doubles g; /* n x count */
    double *spare;
    knr_dense w;   /* count x columns */
    /* of larger ones: v, t and another w in the dtype, and what products need */
    knr_dense narrow_v, narrow_t, turned;
    void *whole; /* KNR_WHOLE_ROOM bytes */
    knr_multiplier multiplier;
} knr_block_reflection;
knr_block_reflection knr_block_take(knr_arena *a, kn_dtype d, int64_t n, int64_t columns, int threads);
void knr_block_make(knr_block_reflection *b, const knr_complex *tau); /* t of v */
void knr_block_apply(knr_block_reflection *b, const knr_dense *x, bool adjoint); /* from the left */
/* a becomes its packed QR factors, a block of columns at a time; spare: of as many rows. */
void knr_block_factor(knr_block_reflection *b, const knr_dense *a, knr_complex *tau, const knr_spare *spare);
/* A part of it: the reflection of column j of a, as vector number `at` of a block that begins with row `top`. */
knr_doubles knr_block_column(knr_block_reflection *b, const knr_dense *a, knr_complex *tau, int64_t j, int at,
                             int64_t top);
/* x = q x (or q^H x) for the k reflections whose vectors are the columns of `packed`, below its diagonal. x has its
 * rows. from_identity: x is the identity, so a block leaves the columns left of its first row as they are. */
void knr_block_apply_packed(knr_block_reflection *b, const knr_dense *packed, const knr_complex *tau, int64_t k,
                            const knr_dense *x, bool adjoint, bool from_identity);
/* The same for vectors that are the rows of `packed`, to the right of its diagonal. Rows of x begin at multiples of 64
 * bytes and are as long in memory. */
void knr_block_apply_rows(knr_block_reflection *b, const knr_dense *packed, const knr_complex *tau, int64_t k,
                          const knr_dense *x, bool adjoint);
#endif
