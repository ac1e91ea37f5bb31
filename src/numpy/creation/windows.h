/* SPDX-License-Identifier: Apache-2.0
 * windows.h -- windows that are sums of cosines. */
#ifndef KN_NUMPY_CREATION_WINDOWS_H
#define KN_NUMPY_CREATION_WINDOWS_H
#include "lib/internal.h"

/* Of M samples the sum of c[j] cos(j pi n / (M - 1)), j from 0 on, n = 1 - M, 3 - M, ..., M - 1. */
kn_array knn_cosine_window(const char *name, int64_t M, int count, const double *c);
#endif
