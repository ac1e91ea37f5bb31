/* SPDX-License-Identifier: Apache-2.0
 * jpeg2000.c -- JPEG 2000 through OpenJPEG, from memory: files and bare streams. */
#include "models/pictures/pictures.h"

#ifdef KN_HAVE_JPEG2000
#include <openjpeg.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const knbeside_bytes *in;
    size_t at;
} reader;

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *data)
{
    reader *r = data;
    size_t left = r->in->n - r->at, got = n < left ? n : left;
    if (!got)
        return (OPJ_SIZE_T)-1;
    memcpy(to, r->in->at + r->at, got);
    r->at += got;
    return got;
}

static OPJ_OFF_T skip(OPJ_OFF_T n, void *data)
{
    reader *r = data;
    if (n < 0 || (size_t)n > r->in->n - r->at)
        return -1;
    r->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *data)
{
    reader *r = data;
    if (to < 0 || (size_t)to > r->in->n)
        return OPJ_FALSE;
    r->at = (size_t)to;
    return OPJ_TRUE;
}

static void quiet(const char *message, void *data) { (void)message, (void)data; }

/* Component i at a place of the picture, from 0 to 255; components may have fewer elements, and any precision. */
static int sample(const opj_image_t *image, uint32_t i, uint32_t x, uint32_t y)
{
    const opj_image_comp_t *c = &image->comps[i];
    uint32_t column = x / c->dx, line = y / c->dy;
    if (column >= c->w || line >= c->h)
        return 0;
    int64_t v = (int64_t)c->data[(size_t)line * c->w + column] + (c->sgnd ? INT64_C(1) << (c->prec - 1) : 0);
    v = c->prec > 8 ? v >> (c->prec - 8) : c->prec < 8 ? v * 255 / ((1 << c->prec) - 1) : v;
    return v < 0 ? 0 : v > 255 ? 255 : (int)v;
}

static uint8_t bounded(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5); }

static int take(const char *op, const opj_image_t *image, knbeside_picture *out)
{
    uint32_t n = image->numcomps < 3 ? 1 : 3;
    for (uint32_t i = 0; i < n; i++)
        if (!image->comps[i].data || !image->comps[i].dx || !image->comps[i].dy || image->comps[i].prec > 31)
            return knmodels_picture_damaged(op, "JPEG 2000", "a component is missing");
    *out = (knbeside_picture){
        .width = (int64_t)image->x1 - image->x0, .height = (int64_t)image->y1 - image->y0, .bits = 8};
    out->channels = (int)n;
    if (knbeside_picture_alloc(op, out))
        return -1;
    uint8_t *to = out->pixels;
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x++, to += n) {
            for (uint32_t i = 0; i < n; i++)
                to[i] = (uint8_t)sample(image, i, x, y);
            if (n == 3 && image->color_space == OPJ_CLRSPC_SYCC) {
                double l = to[0], b = to[1] - 128.0, r = to[2] - 128.0;
                to[0] = bounded(l + 1.402 * r);
                to[1] = bounded(l - 0.344136 * b - 0.714136 * r);
                to[2] = bounded(l + 1.772 * b);
            }
        }
    return 0;
}

int knmodels_jpeg2000_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    reader r = {in, 0};
    bool bare = in->at[0] == 0xff;
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_codec_t *codec = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
    int status = codec && stream ? 0 : knbeside_no_memory(op);
    if (!status) {
        opj_set_error_handler(codec, quiet, NULL);
        opj_set_warning_handler(codec, quiet, NULL);
        opj_set_info_handler(codec, quiet, NULL);
        opj_stream_set_user_data(stream, &r, NULL);
        opj_stream_set_user_data_length(stream, in->n);
        opj_stream_set_read_function(stream, read_bytes);
        opj_stream_set_skip_function(stream, skip);
        opj_stream_set_seek_function(stream, seek);
        opj_set_default_decoder_parameters(&parameters);
        bool ok = opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, &image) &&
                  opj_decode(codec, stream, image) && opj_end_decompress(codec, stream);
        status = ok ? take(op, image, out) : knmodels_picture_damaged(op, "JPEG 2000", "it cannot be decoded");
    }
    opj_image_destroy(image);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    return status;
}
#else
int knmodels_jpeg2000_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    (void)in, (void)out;
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED,
                         "JPEG 2000 pictures need OpenJPEG (KILN_PICTURES), without which this was built");
}
#endif
