/* SPDX-License-Identifier: Apache-2.0
 * pictures.c -- which format a picture has. */
#include "models/pictures/pictures.h"
#include <string.h>

int knmodels_picture_damaged(const char *operation, const char *format, const char *what)
{
    return knbeside_fail(operation, KN_ERROR_VALUE, "the %s picture is damaged: %s", format, what);
}

static bool begins(const knbeside_bytes *in, size_t at, const char *magic, size_t n)
{
    return in->n >= at + n && !memcmp(in->at + at, magic, n);
}

/* The higher byte of samples of 16 bits. */
static void halve(knbeside_picture *p)
{
    int64_t n = p->width * p->height * p->channels;
    const uint16_t *from = p->pixels;
    uint8_t *to = p->pixels;
    for (int64_t i = 0; i < n; i++)
        to[i] = (uint8_t)(from[i] >> 8);
    p->bits = 8;
}

static int read_format(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    if (knbeside_is_png(in))
        return knbeside_png_read(op, in, out);
    if (knbeside_is_pnm(in))
        return knbeside_pnm_read(op, in, out);
    if (begins(in, 0, "BM", 2))
        return knmodels_bmp_read(op, in, out);
    if (begins(in, 0, "\xff\xd8\xff", 3))
        return knmodels_jpeg_read(op, in, out);
    if (begins(in, 4, "jP  \r\n\x87\n", 8) || begins(in, 0, "\xff\x4f\xff\x51", 4))
        return knmodels_jpeg2000_read(op, in, out);
    if (begins(in, 0, "II*\0", 4) || begins(in, 0, "MM\0*", 4) || begins(in, 0, "II+\0", 4) ||
        begins(in, 0, "MM\0+", 4))
        return knmodels_tiff_read(op, in, out);
    if (begins(in, 0, "RIFF", 4) && begins(in, 8, "WEBP", 4))
        return knmodels_webp_read(op, in, out);
    return knbeside_fail(op, KN_ERROR_VALUE, "%zu bytes that are no picture of a known format", in->n);
}

int knmodels_picture_read(const char *op, const uint8_t *bytes, size_t n, knbeside_picture *out)
{
    const knbeside_bytes in = {.at = (uint8_t *)(uintptr_t)bytes, .n = n};
    *out = (knbeside_picture){0};
    int status = read_format(op, &in, out);
    if (!status && out->bits == 16)
        halve(out);
    return status;
}
