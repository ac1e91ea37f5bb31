/* SPDX-License-Identifier: Apache-2.0
 * spread.h -- arrays that are read piece by piece: of what lies in a file each device's part is read alone. */
#ifndef KN_IO_SPREAD_H
#define KN_IO_SPREAD_H
#include "array/op.h"
#include "io/file.h"
#include "ir/mesh.h"

/* Some of the elements of an array: count[d] from start[d] on. */
typedef struct knio_box {
    int64_t start[KN_MAX_NDIM], count[KN_MAX_NDIM];
} knio_box;

/* Reads these elements to `to`, whose steps along the axes are in bytes; all `bytes` there are zero before. */
typedef knx_error *(*knio_box_reader)(void *env, const knio_box *box, char *to, size_t bytes, const int64_t *stride);

/* The array of this type that lies by s, NULL: on the host, each part being read once; the operation goes on. */
knx_error *knio_read_array(kna_op *op, kni_type t, const kni_sharding *s, knio_box_reader read, void *env,
                           kni_atom *out);

/* Elements of a file, at `at`, that lie in C order of an array of these extents, or in Fortran order: those of `box`.
 * They are read in the order of the file, a lot at a time where they are near to each other. */
typedef struct knio_block {
    uint64_t at;
    size_t item;
    int ndim;
    const int64_t *dim;
    bool fortran;
} knio_block;
knx_error *knio_read_box(knio_source *s, const knio_block *b, const knio_box *box, char *to, const int64_t *stride);
#endif
