/* SPDX-License-Identifier: Apache-2.0
 * image.c -- pictures in files as arrays. */
#include "beside/picture.h"
#include "media/media.h"
#include "kiln/media/image.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_any(const char *op, const char *name, const knbeside_bytes *in, knbeside_picture *image)
{
    if (knbeside_is_png(in))
        return knbeside_png_read(op, in, image);
    if (knbeside_is_pnm(in))
        return knbeside_pnm_read(op, in, image);
    if (in->n < 4)
        return knbeside_fail(op, KN_ERROR_VALUE, "%s: the file has %zu bytes, no picture", name, in->n);
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED, "%s is neither a PNG, a PGM nor a PPM file", name);
}

kn_array kn_image_load(const char *path, const kn_image_load_opts *opts)
{
    static const char *const op = "image_load";
    KNX_OPTS(kn_image_load_opts, o, opts);
    knbeside_bytes in = {0};
    knbeside_picture image = {0};
    kn_scope scope = kn_scope_begin();
    int status = knbeside_read(op, path, o.file, &in);
    if (!status)
        status = read_any(op, path ? path : "<stream>", &in, &image);
    knbeside_bytes_free(&in);
    const int64_t dim[3] = {image.height, image.width, image.channels};
    kn_array x =
        status ? knbeside_failed()
               : knmedia_array(op, image.pixels, image.channels == 1 ? 2 : 3, dim, image.bits == 16 ? KN_U16 : KN_U8);
    kn_keep(x);
    kn_scope_end(&scope);
    return x;
}

/* ---- Writing. */

/* Floats from 0 to 1 as samples; -1 with an error for others. */
static int round_floats(const char *op, const double *x, int64_t n, bool clip, knbeside_picture *image)
{
    double most = image->bits == 16 ? 65535 : 255;
    for (int64_t i = 0; i < n; i++) {
        double v = x[i];
        if (clip && v == v)
            v = v < 0 ? 0 : v > 1 ? 1 : v;
        if (!(v >= 0 && v <= 1))
            return knbeside_fail(
                op, KN_ERROR_VALUE,
                "floats of a picture are from 0 to 1, but element %lld is %g; .clip = true bounds them", (long long)i,
                v);
        double sample = floor(v * most + 0.5);
        if (image->bits == 16)
            ((uint16_t *)image->pixels)[i] = (uint16_t)sample;
        else
            ((uint8_t *)image->pixels)[i] = (uint8_t)sample;
    }
    return 0;
}

static int check_image(const char *op, kn_array x, knbeside_picture *image)
{
    kn_dtype d = kn_dtype_of(x);
    kn_shape s = kn_shape_of(x);
    if (!d || s.ndim < 0)
        return -1;
    char kind = kn_dtype_kind(d);
    if (s.ndim != 2 && (s.ndim != 3 || s.dim[2] < 1 || s.dim[2] > 4))
        return knbeside_fail(op, KN_ERROR_VALUE,
                             "a picture has the shape (height, width) or (height, width, 1 to 4), not %d axes%s",
                             s.ndim, s.ndim == 3 ? " with so many channels" : "");
    if (kind != 'f' && kind != 'b' && d != KN_U8 && d != KN_U16)
        return knbeside_fail(
            op, KN_ERROR_TYPE,
            "pictures are made of uint8, uint16, bool, or floats from 0 to 1, not %s; kn_astype converts",
            kn_dtype_name(d));
    if (kind != 'f')
        image->bits = d == KN_U16 ? 16 : 8;
    image->height = s.dim[0];
    image->width = s.dim[1];
    image->channels = s.ndim == 2 ? 1 : (int)s.dim[2];
    return 0;
}

/* The samples of x, as a file has them. */
static int take_image(const char *op, kn_array x, bool clip, knbeside_picture *image)
{
    if (check_image(op, x, image) || knbeside_picture_alloc(op, image))
        return -1;
    int64_t n = image->width * image->height * image->channels;
    kn_dtype d = kn_dtype_of(x);
    if (kn_dtype_kind(d) == 'f') {
        const double *v = knmedia_doubles(op, "x", x, &n);
        return v ? round_floats(op, v, n, clip, image) : -1;
    }
    const void *from = kn_data_bytes(x, d);
    if (!from)
        return -1;
    memcpy(image->pixels, from, (size_t)n * (size_t)image->bits / 8);
    for (int64_t i = 0; d == KN_BOOL && i < n; i++)
        ((uint8_t *)image->pixels)[i] = ((uint8_t *)image->pixels)[i] ? 255 : 0;
    return 0;
}

static bool is_format(const char *s)
{
    return !strcmp(s, "png") || !strcmp(s, "pgm") || !strcmp(s, "ppm") || !strcmp(s, "pnm");
}

static int save(const char *op, const char *path, kn_array x, const kn_image_save_opts *o)
{
    knbeside_picture image = {.bits = o->bits};
    knbeside_bytes out = {0};
    char ending[8];
    if (knbeside_check_target(op, path, o->file))
        return -1;
    if (!x)
        return knbeside_null(op, "x");
    knbeside_ending(path, ending);
    const char *format = o->format ? o->format : ending;
    if (!is_format(format))
        return knbeside_fail(op, KN_ERROR_VALUE, "pictures are written as png, pgm, ppm or pnm, not as \"%.40s\"",
                             format);
    if (o->bits != 8 && o->bits != 16)
        return knbeside_fail(op, KN_ERROR_VALUE, "a sample has 8 or 16 bits, not %d", o->bits);
    int status = take_image(op, x, o->clip, &image);
    if (!status)
        status =
            strcmp(format, "png") ? knbeside_pnm_write(op, format, &image, &out) : knbeside_png_write(op, &image, &out);
    free(image.pixels);
    return knbeside_write(op, path, o->file, &out, status);
}

int kn_image_save(const char *path, kn_array x, const kn_image_save_opts *opts)
{
    KNX_OPTS(kn_image_save_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    int status = save("image_save", path, x, &o);
    kn_scope_end(&scope);
    return status;
}
