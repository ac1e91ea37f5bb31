/* SPDX-License-Identifier: Apache-2.0
 * pnm.c -- PBM, PGM and PPM files: P1 to P6 are read, P5 and P6 written. */
#include "beside/picture.h"
#include <stdlib.h>
#include <string.h>

bool knbeside_is_pnm(const knbeside_bytes *in)
{
    return in->n >= 3 && in->at[0] == 'P' && in->at[1] >= '1' && in->at[1] <= '6' &&
           (strchr(" \t\r\n\v\f#", in->at[2]) && in->at[2]);
}

typedef struct reader {
    const char *op;
    const uint8_t *at, *end;
} reader;

static int damaged(const reader *r, const char *what)
{
    return knbeside_fail(r->op, KN_ERROR_VALUE, "the PNM file is damaged: %s", what);
}

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_space(reader *r)
{
    while (r->at < r->end && (is_space(*r->at) || *r->at == '#')) {
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n' && *r->at != '\r')
                r->at++;
        else
            r->at++;
    }
}

/* A number of at most `most`; -1 with an error. */
static int64_t number(reader *r, int64_t most, const char *what)
{
    int64_t v = 0;
    skip_space(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
        return damaged(r, what);
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        v = 10 * v + (*r->at++ - '0');
        if (v > most)
            return damaged(r, what);
    }
    return v;
}

static void put_sample(knbeside_picture *image, int64_t i, int64_t v)
{
    if (image->bits == 16)
        ((uint16_t *)image->pixels)[i] = (uint16_t)v;
    else
        ((uint8_t *)image->pixels)[i] = (uint8_t)v;
}

static int read_texts(reader *r, knbeside_picture *image, int64_t n, int64_t most, bool bits)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t v;
        if (bits) { /* 0 and 1, with white space between them or none; 1 is black */
            skip_space(r);
            v = r->at < r->end ? *r->at++ - '0' : -1;
            if (v != 0 && v != 1)
                return damaged(r, "a pixel is neither 0 nor 1");
            v = v ? 0 : 255;
        } else if ((v = number(r, most, "a sample is missing, or above the maximum")) < 0) {
            return -1;
        }
        put_sample(image, i, v);
    }
    return 0;
}

static int read_bits(reader *r, knbeside_picture *image)
{
    int64_t row = (image->width + 7) / 8;
    if ((r->end - r->at) / row < image->height)
        return damaged(r, "it ends too early");
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            put_sample(image, y * image->width + x, r->at[y * row + x / 8] >> (7 - x % 8) & 1 ? 0 : 255);
    return 0;
}

static int read_samples(reader *r, knbeside_picture *image, int64_t n, int64_t most)
{
    int64_t size = image->bits / 8;
    if ((r->end - r->at) / size < n)
        return damaged(r, "it ends too early");
    for (int64_t i = 0; i < n; i++) {
        int64_t v = size == 2 ? r->at[2 * i] << 8 | r->at[2 * i + 1] : r->at[i];
        if (v > most)
            return damaged(r, "a sample is above the maximum");
        put_sample(image, i, v);
    }
    return 0;
}

int knbeside_pnm_read(const char *op, const knbeside_bytes *in, knbeside_picture *image)
{
    reader r = {op, in->at + 2, in->at + in->n};
    int kind = in->at[1] - '0';
    bool bits = kind == 1 || kind == 4;
    int64_t most = 1;
    *image = (knbeside_picture){.channels = kind % 3 == 0 ? 3 : 1, .bits = 8};
    image->width = number(&r, INT32_MAX, "it has no width");
    image->height = image->width < 0 ? -1 : number(&r, INT32_MAX, "it has no height");
    if (image->height < 0 || (!bits && (most = number(&r, 65535, "its maximum is no number up to 65535")) < 0))
        return -1;
    if (most == 0)
        return damaged(&r, "its maximum is 0");
    if (kind > 3 && (r.at == r.end || !is_space(*r.at++)))
        return damaged(&r, "no white space stands in front of its pixels");
    image->bits = most > 255 ? 16 : 8;
    /* Each pixel takes room in the file: before memory is asked for. */
    if (image->width && image->height / 8 > (r.end - r.at) / image->width + 1)
        return damaged(&r, "it ends too early");
    if (knbeside_picture_alloc(op, image))
        return -1;
    int64_t n = image->width * image->height * image->channels;
    int status = kind <= 3 ? read_texts(&r, image, n, most, bits)
                 : bits    ? read_bits(&r, image)
                           : read_samples(&r, image, n, most);
    if (status) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return status;
}

int knbeside_pnm_write(const char *op, const char *format, const knbeside_picture *image, knbeside_bytes *out)
{
    int channels = image->channels;
    int64_t n = image->width * image->height * channels;
    bool gray = strcmp(format, "ppm") != 0, color = strcmp(format, "pgm") != 0;
    if (channels == 2 || channels == 4)
        return knbeside_fail(op, KN_ERROR_VALUE, "%s files have no alpha", format);
    if (channels == 1 ? !gray : !color)
        return knbeside_fail(op, KN_ERROR_VALUE, "%s files have %d channel%s, the picture has %d", format, gray ? 1 : 3,
                             gray ? "" : "s", channels);
    knbeside_puts(out, channels == 1 ? "P5\n" : "P6\n");
    knbeside_put_int(out, image->width);
    knbeside_puts(out, " ");
    knbeside_put_int(out, image->height);
    knbeside_puts(out, image->bits == 16 ? "\n65535\n" : "\n255\n");
    if (image->bits == 8)
        knbeside_put(out, image->pixels, (size_t)n);
    for (int64_t i = 0; image->bits == 16 && i < n; i++)
        knbeside_put_be(out, ((const uint16_t *)image->pixels)[i], 2);
    return 0;
}
