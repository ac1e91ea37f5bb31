/* SPDX-License-Identifier: Apache-2.0
 * media.h -- what the files of kiln_media share: arrays from and to memory. */
#ifndef KN_MEDIA_MEDIA_H
#define KN_MEDIA_MEDIA_H
#include "beside/beside.h"

/* The elements of x as float64, C-contiguous, alive while the scope is; NULL with an error. n: their number. */
const double *knmedia_doubles(const char *operation, const char *name, kn_array x, int64_t *n);
/* An array of the shape that begins with `data`, which is given away (freed at the end); carries an error. */
kn_array knmedia_array(const char *operation, void *data, int ndim, const int64_t *dim, kn_dtype dtype);
#endif
