/* SPDX-License-Identifier: Apache-2.0
 * tiff.c -- TIFF through libtiff, from memory. */
#include "models/pictures/pictures.h"

#ifdef KN_HAVE_TIFF
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

typedef struct reader {
    const knbeside_bytes *in;
    size_t at;
} reader;

static tsize_t read_bytes(thandle_t handle, void *to, tsize_t n)
{
    reader *r = (reader *)handle;
    size_t left = r->at < r->in->n ? r->in->n - r->at : 0, got = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
    memcpy(to, r->in->at + (got ? r->at : 0), got);
    r->at += got;
    return (tsize_t)got;
}

static tsize_t write_bytes(thandle_t handle, void *from, tsize_t n) { return (void)handle, (void)from, (void)n, -1; }

static toff_t seek(thandle_t handle, toff_t to, int whence)
{
    reader *r = (reader *)handle;
    r->at = (size_t)to + (whence == SEEK_CUR ? r->at : whence == SEEK_END ? r->in->n : 0);
    return r->at;
}

static int close_file(thandle_t handle) { return (void)handle, 0; }
static toff_t size_of(thandle_t handle) { return ((reader *)handle)->in->n; }

static int decode(const char *op, TIFF *t, knbeside_picture *out)
{
    uint32_t width = 0, height = 0;
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height);
    *out = (knbeside_picture){.width = width, .height = height, .channels = 3, .bits = 8};
    if (knbeside_picture_alloc(op, out))
        return -1;
    size_t n = (size_t)width * height;
    uint32_t *pixel = knbeside_alloc(n, sizeof *pixel);
    if (!pixel)
        return knbeside_no_memory(op);
    int status = TIFFReadRGBAImageOriented(t, width, height, pixel, ORIENTATION_TOPLEFT, 1) ? 0 : -1;
    uint8_t *to = out->pixels;
    for (size_t i = 0; i < n && !status; i++) {
        to[3 * i] = TIFFGetR(pixel[i]);
        to[3 * i + 1] = TIFFGetG(pixel[i]);
        to[3 * i + 2] = TIFFGetB(pixel[i]);
    }
    free(pixel);
    return status ? knmodels_picture_damaged(op, "TIFF", "it cannot be decoded") : 0;
}

/* libtiff's messages are those of the process: they are not written while a picture is read here. */
int knmodels_tiff_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    reader r = {in, 0};
    TIFFErrorHandler errors = TIFFSetErrorHandler(NULL), warnings = TIFFSetWarningHandler(NULL);
    TIFF *t =
        TIFFClientOpen("picture", "rm", (thandle_t)&r, read_bytes, write_bytes, seek, close_file, size_of, NULL, NULL);
    int status = t ? decode(op, t, out) : knmodels_picture_damaged(op, "TIFF", "its header cannot be read");
    if (t)
        TIFFClose(t);
    TIFFSetErrorHandler(errors);
    TIFFSetWarningHandler(warnings);
    if (status) {
        free(out->pixels);
        out->pixels = NULL;
    }
    return status;
}
#else
int knmodels_tiff_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    (void)in, (void)out;
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED,
                         "TIFF pictures need libtiff (KILN_PICTURES), without which this was built");
}
#endif
