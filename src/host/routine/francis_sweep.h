/* SPDX-License-Identifier: Apache-2.0
 * francis_sweep.h -- steps of the QR iteration with many shifts, for real matrices, and what they share with single
 * steps. */
#ifndef KN_HOST_ROUTINE_FRANCIS_SWEEP_H
#define KN_HOST_ROUTINE_FRANCIS_SWEEP_H
#include "host/routine/francis.h"

typedef struct knr_francis_work {
    const knr_doubles *h, *z; /* z: transposed */
    int64_t n, z_rows;
    double epsilon;
} knr_francis_work;

/* Deflates at the end of the block of rows first .. last as many eigenvalues as its last rows show (`gone`), and unless
 * they are many, chases bulges with the others of these for shifts. False: neither was done. */
bool knr_francis_sweep(const knr_francis_work *w, const knr_francis_room *room, int64_t first, int64_t last,
                       int64_t *gone);

/* Rows (columns) k .. k + count of x become those of (I - tau v v^T) x, x (I - tau v v^T). */
void knr_francis_rows(const knr_doubles *x, int64_t k, int count, const double *v, double tau, int64_t from,
                      int64_t to);
void knr_francis_columns(const knr_doubles *x, int64_t k, int count, const double *v, double tau, int64_t from,
                         int64_t to);
/* knr_reflection of two or three real numbers. */
double knr_francis_reflection(int count, double *v, double *beta);
/* The first three numbers of the first column of (h - s1)(h - s2), scaled, for the block that begins with row m. */
void knr_francis_first(const knr_doubles *h, int64_t m, double r1, double i1, double r2, double i2, double *v);
/* The block of rows k and k + 1 in standard form: real eigenvalues on its diagonal, or equal elements there and others
 * of different signs. */
void knr_francis_standardize(const knr_francis_work *w, int64_t k);

/* --- exchanges (francis_exchange.c) --- */
/* Moves the block that ends with row `from` up to row `to`, where a block begins, as far as that is stable. */
void knr_francis_move(const knr_francis_work *w, int64_t from, int64_t to);
#endif
