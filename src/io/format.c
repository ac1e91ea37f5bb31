/* SPDX-License-Identifier: Apache-2.0
 * format.c -- numpy.lib.format: the parts of npy files, in open streams. */
#include "base/options.h"
#include "io/arrays.h"
#include "kiln/io.h"
#include "kiln/numpy/dtypes.h"

#include <string.h>

const char *kn_format_dtype_to_descr(kn_dtype dtype)
{
    kna_op op;
    kna_begin(&op, "format_dtype_to_descr");
    if (!dtype)
        kna_fail(&op, KN_ERROR_TYPE, "null dtype");
    return kna_end_plain(&op) ? kn_dtype_str(dtype) : NULL;
}

kn_dtype kn_format_descr_to_dtype(const char *descr)
{
    kna_op op;
    kn_dtype d = NULL;
    bool swapped = false;
    kna_begin(&op, "format_descr_to_dtype");
    knx_error *e =
        descr ? knio_npy_descr(descr, strlen(descr), &d, &swapped) : knx_error_new(KN_ERROR_TYPE, "null descr");
    if (!e && swapped)
        e = knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                          "'%s' is byte-swapped: arrays have the machine's order; kn_load "
                          "reads it",
                          descr);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? d : NULL;
}

kn_array kn_format_magic(int major, int minor)
{
    kna_op op;
    int64_t n = 8;
    kna_begin(&op, "format_magic");
    if (major < 0 || major > 255)
        kna_fail(&op, KN_ERROR_VALUE, "major version must be 0 <= major < 256");
    else if (minor < 0 || minor > 255)
        kna_fail(&op, KN_ERROR_VALUE, "minor version must be 0 <= minor < 256");
    knx_buffer *b = kna_failed(&op) ? NULL : knx_buffer_new(8);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (b)
        memcpy(b->data, (const uint8_t[]){0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)major, (uint8_t)minor}, 8);
    return kna_from_buffer(&op, kni_type_of(KN_DT(U8), 1, &n), b);
}

/* ---- Headers. */

static knx_error *open_stream(FILE *fp, knio_source *s)
{
    *s = (knio_source){0};
    return fp ? knio_source_stream(fp, s) : knx_error_new(KN_ERROR_TYPE, "null fp");
}

int kn_format_read_magic(FILE *fp, int *major, int *minor)
{
    kna_op op;
    knio_source s = {0};
    kna_begin(&op, "format_read_magic");
    knx_error *e =
        major && minor ? open_stream(fp, &s) : knx_error_new(KN_ERROR_TYPE, "null %s", major ? "minor" : "major");
    if (!e)
        e = knio_npy_read_magic(&s, 0, major, minor);
    if (!e)
        knio_source_leave(&s, 8);
    knio_source_close(&s);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}

static kn_npy_header public_header(const knio_npy_header *h)
{
    kn_npy_header out = {
        .dtype = h->dtype, .shape = {.ndim = h->ndim}, .fortran_order = h->fortran, .swapped = h->swapped};
    memcpy(out.shape.dim, h->dim, sizeof out.shape.dim);
    return out;
}

static kn_npy_header read_header(const char *name, FILE *fp, int major, const kn_format_read_opts *opts)
{
    KNX_OPTS(kn_format_read_opts, o, opts);
    kna_op op;
    knio_source s;
    knio_npy_header h = {.dtype = NULL};
    kna_begin(&op, name);
    knx_error *e = open_stream(fp, &s);
    if (!e)
        e = knio_npy_read_text(&s, 0, major, o.max_header_size, &h);
    if (!e)
        knio_source_leave(&s, h.start);
    knio_source_close(&s);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? public_header(&h) : (kn_npy_header){.dtype = NULL};
}

kn_npy_header kn_format_read_array_header_1_0(FILE *fp, const kn_format_read_opts *opts)
{
    return read_header("format_read_array_header_1_0", fp, 1, opts);
}

kn_npy_header kn_format_read_array_header_2_0(FILE *fp, const kn_format_read_opts *opts)
{
    return read_header("format_read_array_header_2_0", fp, 2, opts);
}

kn_npy_header kn_format_header_data_from_array_1_0(kn_array array)
{
    kna_op op;
    knio_saved saved;
    kna_begin(&op, "format_header_data_from_array_1_0");
    knio_look(&op, array, &saved);
    return kna_end_plain(&op) ? public_header(&saved.header) : (kn_npy_header){.dtype = NULL};
}

static int write_header(const char *name, FILE *fp, const kn_npy_header *d, int major)
{
    kna_op op;
    knx_str text = {0};
    knio_output out;
    kna_begin(&op, name);
    knx_error *e = !fp || !d || !d->dtype ? knx_error_new(KN_ERROR_TYPE, "null %s",
                                                          !fp  ? "fp"
                                                          : !d ? "d"
                                                               : "dtype")
                                          : NULL;
    const kn_shape *shape = e ? NULL : kna_shape(&op, &d->shape);
    if (!e && !kna_failed(&op)) {
        knio_npy_header h = {
            .dtype = d->dtype, .major = major, .ndim = shape->ndim, .fortran = d->fortran_order, .swapped = d->swapped};
        for (int i = 0; i < shape->ndim && kna_need_number(&op, shape->dim[i], "a header"); i++)
            h.dim[i] = shape->dim[i];
        e = knio_npy_write_header(&text, &h);
        if (!e && !kna_failed(&op))
            e = knio_output_open(NULL, fp, &out);
        if (!e && !kna_failed(&op))
            e = knio_output_close(&out, knio_output_write(&out, text.s, text.n));
    }
    knx_str_free(&text);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_format_write_array_header_1_0(FILE *fp, const kn_npy_header *d)
{
    return write_header("format_write_array_header_1_0", fp, d, 1);
}

int kn_format_write_array_header_2_0(FILE *fp, const kn_npy_header *d)
{
    return write_header("format_write_array_header_2_0", fp, d, 2);
}

/* ---- Arrays. */

kn_array kn_format_read_array(FILE *fp, const kn_format_read_opts *opts)
{
    KNX_OPTS(kn_format_read_opts, o, opts);
    kna_op op;
    knio_source s;
    knio_npy npy = {0};
    uint64_t end;
    kna_begin(&op, "format_read_array");
    knx_error *e = open_stream(fp, &s);
    if (!e)
        e = knio_npy_read(&s, 0, o.max_header_size, true, &npy, &end);
    if (!e)
        knio_source_leave(&s, end);
    knio_source_close(&s);
    return knio_array_end(&op, e, &npy);
}

int kn_format_write_array(FILE *fp, kn_array array, const kn_format_write_array_opts *opts)
{
    KNX_OPTS(kn_format_write_array_opts, o, opts);
    kna_op op;
    knio_saved saved;
    knio_output out;
    kna_begin(&op, "format_write_array");
    knx_error *e = fp ? NULL : knx_error_new(KN_ERROR_TYPE, "null fp");
    if (!e && o.version)
        e = knio_npy_check_version(o.version, 0);
    if (!e && knio_look(&op, array, &saved)) {
        saved.header.major = o.version;
        e = knio_output_open(NULL, fp, &out);
        if (!e)
            e = knio_output_close(&out, knio_npy_write(&out, &saved.header, saved.data));
    }
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}
