/* SPDX-License-Identifier: Apache-2.0
 * arrays.c -- arrays from and to memory. */
#include "media/media.h"
#include <stdlib.h>
#include <string.h>

const double *knmedia_doubles(const char *operation, const char *name, kn_array x, int64_t *n)
{
    if (!x) {
        knbeside_null(operation, name);
        return NULL;
    }
    kn_dtype d = kn_dtype_of(x);
    if (d && !strchr("biuf", kn_dtype_kind(d))) {
        knbeside_fail(operation, KN_ERROR_TYPE, "%s: real numbers are wanted, not %s", name, kn_dtype_name(d));
        return NULL;
    }
    kn_array y = d ? kn_astype(x, KN_F64, NULL) : NULL;
    *n = y ? kn_size(y) : -1;
    return *n < 0 ? NULL : kn_data_bytes(y, KN_F64);
}

kn_array knmedia_array(const char *operation, void *data, int ndim, const int64_t *dim, kn_dtype dtype)
{
    kn_shape shape = {ndim, {0}};
    if (!data)
        return kn_fail(KN_ERROR_MEMORY, operation, "no memory");
    for (int i = 0; i < ndim; i++)
        shape.dim[i] = dim[i];
    kn_array copy = kn_from_memory(data, &shape, dtype); /* as every other array: it may be written in place */
    free(data);
    return copy;
}
