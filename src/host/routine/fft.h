/* SPDX-License-Identifier: Apache-2.0
 * fft.h -- discrete Fourier transforms of arrays in memory, over one axis or several. Results depend on the lengths and
 * the type of number alone: not on what stands beside a transform, on threads, or on the instruction set. docs/fft.md
 * */
#ifndef KN_HOST_ROUTINE_FFT_H
#define KN_HOST_ROUTINE_FFT_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As jax.lax.FftType: inverse ones are divided by the number of elements; RFFT keeps the first half of the last axis,
 * IRFFT has it. */
typedef enum knr_fft_type { KNR_FFT, KNR_IFFT, KNR_RFFT, KNR_IRFFT } knr_fft_type;

typedef struct knr_fft {
    knr_fft_type type;
    int bytes;                     /* of a real number: 4, 8 */
    int ndim, n_axes;
    const int64_t *dim;            /* of the operand */
    const int64_t *axes, *lengths; /* as many; the last one is RFFT's and IRFFT's */
} knr_fft;

/* One line of a length that needs few tables, found out before the array is there: the plan is held until it is freed.
 * NULL: it is something else, or there is no memory. */
typedef struct knr_fft_line knr_fft_line;
knr_fft_line *knr_fft_line_new(const knr_fft *f);
void knr_fft_line_free(knr_fft_line *l);
/* What knr_fft_run does. workspace: for one thread, or NULL: then false comes back if it is needed, and nothing was
 * done. */
bool knr_fft_line_run(const knr_fft_line *l, const void *x, void *y, void *workspace);
/* What so many threads need; SIZE_MAX: it is not known, since a plan found no memory. */
size_t knr_fft_workspace(const knr_fft *f, int threads);
/* x, y: C-contiguous. workspace: for these threads, or NULL: memory is taken here. An error is one of memory. */
knx_error *knr_fft_run(const knr_fft *f, const void *x, void *y, void *workspace, int threads);
/* The plans that no one uses are freed; how many bytes they had. */
size_t knr_fft_forget(void);
#endif
