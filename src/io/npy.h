/* SPDX-License-Identifier: Apache-2.0
 * npy.h -- NumPy's .npy format, versions 1.0 to 3.0. Malformed bytes give a ValueError, dtypes that Kiln lacks a
 * TypeError. */
#ifndef KN_IO_NPY_H
#define KN_IO_NPY_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "io/file.h"
#include "io/output.h"

/* A tensor in native byte order, in C order unless it says otherwise. The caller releases the buffer. */
typedef struct knio_npy {
    kn_dtype dtype;
    bool fortran; /* the elements lie so; only where that was asked for */
    int ndim;
    int64_t dim[KN_MAX_NDIM];
    knx_buffer *buffer;
} knio_npy;

/* What a header says. */
typedef struct knio_npy_header {
    kn_dtype dtype;
    int major; /* the version; 0 when it is written: the oldest one */
    int ndim;
    int64_t dim[KN_MAX_NDIM];
    bool fortran, swapped;
    uint64_t start; /* of the elements, in the file */
    size_t bytes;   /* of the elements */
} knio_npy_header;

enum { KNIO_MAX_HEADER = 10000 }; /* bytes, as in np.load */

/* Reading, from byte `at` on; `most`: bytes of the header's text, -1 for no limit. The text stands behind the magic
 * string and the version. keep: elements in Fortran order stay so. *end: of the elements. */
knx_error *knio_npy_read_magic(knio_source *s, uint64_t at, int *major, int *minor);
knx_error *knio_npy_read_text(knio_source *s, uint64_t at, int major, int64_t most, knio_npy_header *h);
knx_error *knio_npy_read_header(knio_source *s, uint64_t at, int64_t most, knio_npy_header *h);
knx_error *knio_npy_read(knio_source *s, uint64_t at, int64_t most, bool keep, knio_npy *out, uint64_t *end);
knx_error *knio_npy_check_version(int major, int minor);
/* bytes behind the array are ignored, as NumPy does */
knx_error *knio_npy_parse_kept(const void *bytes, size_t n, knio_npy *out); /* in the file's order */
knx_error *knio_npy_parse(const void *bytes, size_t n, knio_npy *out);
knx_error *knio_npy_load(const char *path, knio_npy *out);

/* Makes native, normal elements of so many bytes of those that the header speaks of. */
void knio_npy_settle(const knio_npy_header *h, void *data, size_t bytes);
/* How many elements there were, as np.load tells it. */
knx_error *knio_npy_too_short(const knio_source *s, const knio_npy_header *h, size_t got);
/* Truth values from outside become 0 and 1. */
void knio_normal_elements(kn_dtype dtype, void *data, size_t bytes);
/* Between the two orders of bytes, each part of a complex number for itself. */
void knio_swap_elements(kn_dtype dtype, void *data, size_t bytes);

/* The descr of a dtype ("<f8"), there and back. */
knx_error *knio_npy_descr(const char *s, size_t n, kn_dtype *dtype, bool *swapped);
void knio_npy_add_descr(knx_str *t, kn_dtype dtype, bool swapped);

/* Writing: the file that np.save writes, byte for byte. The elements lie as the header says. */
knx_error *knio_npy_write_header(knx_str *t, const knio_npy_header *h);
knx_error *knio_npy_write(knio_output *o, const knio_npy_header *h, const void *data);
knx_error *knio_npy_bytes_of(const knio_npy_header *h, const void *data, uint8_t **out, size_t *n); /* knx_alloc'ed */
/* The same in C order. */
knx_error *knio_npy_bytes(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, uint8_t **out, size_t *n);
knx_error *knio_npy_save(const char *path, kn_dtype dtype, int ndim, const int64_t *dim, const void *data);
#endif
