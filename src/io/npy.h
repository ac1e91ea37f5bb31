/* SPDX-License-Identifier: Apache-2.0
 * npy.h -- NumPy's .npy format, versions 1.0 to 3.0. Malformed bytes give a ValueError, dtypes that Kiln lacks a
 * TypeError. */
#ifndef KN_IO_NPY_H
#define KN_IO_NPY_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"

/* A tensor in C order and native byte order. The caller releases the buffer. */
typedef struct knio_npy {
    kn_dtype dtype;
    int ndim;
    int64_t dim[KN_MAX_NDIM];
    knx_buffer *buffer;
} knio_npy;

knx_error *knio_npy_parse(const void *bytes, size_t n,
                         knio_npy *out); /* bytes behind the array are ignored, as NumPy does */
knx_error *knio_npy_load(const char *path, knio_npy *out);
/* The file that np.save writes, byte for byte; knx_alloc'ed. data is C-contiguous. */
knx_error *knio_npy_bytes(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, uint8_t **out, size_t *n);
knx_error *knio_npy_save(const char *path, kn_dtype dtype, int ndim, const int64_t *dim, const void *data);
#endif
