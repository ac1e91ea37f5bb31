/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what Fourier and cosine transforms share: numbers of points, norms. */
#ifndef KN_NUMPY_FFT_INTERNAL_H
#define KN_NUMPY_FFT_INTERNAL_H
#include "lib/internal.h"

/* n elements along an axis: the first ones, or all and zeros. */
kni_atom knn_fft_resize(kni_builder *b, kni_atom x, int axis, int64_t n);

/* A factor: (all * known) to the power of -1, -0.5, 0, 0.5 or 1. */
typedef struct knn_fft_scale {
    int64_t all; /* of unknown numbers */
    double known, power;
} knn_fft_scale;
kni_atom knn_fft_scaled(kni_builder *b, kni_atom x, const knn_fft_scale *s);

/* Of norm: -1 where the transform is divided by the number of points, -0.5 by its root, else 0. `backwards`: the
 * direction in the sense of norm. False for an unknown one. */
bool knn_fft_power(const char *norm, bool backwards, double *power);
#endif
