/* SPDX-License-Identifier: Apache-2.0
 * fftw.h -- Fourier transforms of FFTW and of MKL, which has FFTW's functions, too: both loaded while the bench runs, where they are there. */
#ifndef KN_BENCH_FFTW_H
#define KN_BENCH_FFTW_H
#include <stdbool.h>
#include <stdint.h>

typedef enum fftw_library { FFTW_ITSELF, FFTW_OF_MKL, FFTW_COUNT } fftw_library;

/* `rows` transforms of n[0] x ... x n[rank - 1] numbers one behind the other, as fft or rfft. */
typedef struct fftw_kind {
    bool single, real;
    int rank, n[2], rows;
} fftw_kind;
typedef struct fftw_transform fftw_transform;

/* NULL: the library is not there. What lies at `from` and `to` is lost. Plans are measured (FFTW_MEASURE). */
fftw_transform *fftw_new(fftw_library l, const fftw_kind *k, int threads, void *from, void *to);
void fftw_run(const fftw_transform *t);
void fftw_free(fftw_transform *t);
#endif
