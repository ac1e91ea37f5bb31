/* SPDX-License-Identifier: Apache-2.0
 * arrays.h -- between arrays and files: what is saved of an array, the array of what was loaded. */
#ifndef KN_IO_ARRAYS_H
#define KN_IO_ARRAYS_H
#include "array/op.h"
#include "io/npy.h"

/* An array as np.save writes it: in Fortran order where it lies so. A number waiting for its dtype is saved as the
 * array it would become. */
typedef struct knio_saved {
    knio_npy_header header;
    const void *data;
    knx_scalar_bits number;
} knio_saved;

bool knio_look(kna_op *op, kn_array x, knio_saved *out); /* false: the op has failed */
/* Ends the operation with what was read, in its order, or with an error. */
kn_array knio_array_end(kna_op *op, knx_error *e, const knio_npy *npy);
/* The path, knx_alloc'ed, with this ending if it has another one. */
knx_error *knio_with_ending(const char *path, const char *ending, char **full);
/* Of an archive with one array in it. */
knx_error *knio_load_only_member(const char *path, knio_npy *npy);
/* The elements of an npy file as memory; the operation goes on. NULL with the op failed. */
kn_array knio_map_npy(kna_op *op, const char *path, const char *mode, int64_t most);
/* x.T or x with its axes the other way round. */
kn_array knio_reversed(kn_array x);
#endif
