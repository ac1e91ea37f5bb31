/* SPDX-License-Identifier: Apache-2.0
 * image_decoder.c -- ImageDecoder: a compressed picture as (height, width, channels). */
#include "models/onnx/ops/call.h"
#include "models/pictures/pictures.h"
#include <stdlib.h>

/* The brightness of a colour by ITU-R 601, in whole numbers. */
static uint8_t brightness(const uint8_t *c)
{
    return (uint8_t)((c[0] * 19595 + c[1] * 38470 + c[2] * 7471 + 0x8000) >> 16);
}

/* The pixels as three colours in an order, or as brightness. */
static void convert(const knbeside_picture *p, bool gray, bool backwards, uint8_t *to)
{
    const uint8_t *from = p->pixels;
    for (int64_t i = 0; i < p->width * p->height; i++, from += p->channels) {
        uint8_t color[3];
        for (int k = 0; k < 3; k++)
            color[k] = from[p->channels < 3 ? 0 : k];
        if (gray)
            *to++ = p->channels < 3 ? color[0] : brightness(color);
        for (int k = 0; k < 3 && !gray; k++)
            *to++ = color[backwards ? 2 - k : k];
    }
}

/* What cannot be decoded is a picture without pixels, as ONNX has it; what this was built without is an error. */
static int image_decoder(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    const char *format = knonnx_string(c, "pixel_format", "RGB");
    if (!x || !format)
        return -1;
    bool gray = !strcmp(format, "Grayscale"), backwards = !strcmp(format, "BGR");
    if (!gray && !backwards && strcmp(format, "RGB"))
        return knonnx_fail(c, KN_ERROR_VALUE, "pixel_format is \"%.40s\"", format);
    if (!knonnx_known(c, 0))
        return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                           "the size of a picture depends on its bytes, which must be known");
    const uint8_t *bytes = kn_data_bytes(x, KN_U8);
    bool pending = kn_error_pending();
    knbeside_picture p = {0};
    if (!bytes)
        return knonnx_done(c);
    if (knmodels_picture_read("onnx_run", bytes, (size_t)kn_size(x), &p)) {
        if (pending || kn_error_get_kind() != KN_ERROR_VALUE)
            return knonnx_done(c);
        kn_error_clear();
    }
    int64_t channels = gray ? 1 : 3;
    kn_shape s = {3, {p.height, p.width, channels}};
    if (!p.pixels)
        s.dim[0] = s.dim[1] = 0;
    uint8_t *to = knonnx_take(c, (uint64_t)(s.dim[0] * s.dim[1] * channels) + 1, 1);
    if (to && p.pixels)
        convert(&p, gray, backwards, to);
    free(p.pixels);
    return to ? knonnx_set(c, 0, kn_from_memory(to, &s, KN_U8)) : -1;
}

const knonnx_row knonnx_rows_image_decoder[] = {
    {"ImageDecoder", 20, image_decoder, 1, 1, 1, 1},
    {0},
};
