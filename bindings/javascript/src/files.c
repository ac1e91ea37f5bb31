/* SPDX-License-Identifier: Apache-2.0
 * files.c -- headers of NumPy's files in memory, as kn_load and kn_save have them: JavaScript streams the elements. */
#include "export.h"
#include "kiln/kiln.h"
#include <stdio.h>
#include <stdlib.h>

/* What the first n bytes of an npy file say. 0, or -1 with an error. */
KJS_EXPORT(int, kjs_npy_read, const void *bytes, size_t n, kn_npy_header *out)
{
    const kn_format_read_opts opts = {.size_ = sizeof opts, .max_header_size = -1};
    int major, minor;
    FILE *file = fmemopen((void *)(uintptr_t)bytes, n, "r");
    if (!file)
        return -1;
    int status = kn_format_read_magic(file, &major, &minor);
    if (!status) {
        *out = major == 1 ? kn_format_read_array_header_1_0(file, &opts) : kn_format_read_array_header_2_0(file, &opts);
        status = out->dtype ? 0 : -1;
    }
    fclose(file);
    return status;
}

/* The beginning of an npy file of x, in memory that the caller frees, and whether the elements go in Fortran order.
 * NULL with an error. */
KJS_EXPORT(char *, kjs_npy_write, kn_array x, int version, size_t *size, int *fortran)
{
    char *bytes = NULL;
    kn_npy_header h = kn_format_header_data_from_array_1_0(x);
    FILE *file = h.dtype ? open_memstream(&bytes, size) : NULL;
    if (!file)
        return NULL;
    int status = version < 2 ? kn_format_write_array_header_1_0(file, &h) : kn_format_write_array_header_2_0(file, &h);
    if (fclose(file) || status) {
        free(bytes);
        return NULL;
    }
    *fortran = h.fortran_order;
    return bytes;
}
