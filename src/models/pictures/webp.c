/* SPDX-License-Identifier: Apache-2.0
 * webp.c -- WebP through libwebp. */
#include "models/pictures/pictures.h"

#ifdef KN_HAVE_WEBP
#include <stdlib.h>
#include <webp/decode.h>

int knmodels_webp_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    WebPBitstreamFeatures f;
    if (WebPGetFeatures(in->at, in->n, &f) != VP8_STATUS_OK || f.has_animation)
        return knmodels_picture_damaged(op, "WebP", "its header cannot be read, or it moves");
    *out = (knbeside_picture){.width = f.width, .height = f.height, .channels = 3, .bits = 8};
    if (knbeside_picture_alloc(op, out))
        return -1;
    size_t row = (size_t)f.width * 3;
    if (WebPDecodeRGBInto(in->at, in->n, out->pixels, row * (size_t)f.height, (int)row))
        return 0;
    free(out->pixels);
    out->pixels = NULL;
    return knmodels_picture_damaged(op, "WebP", "it cannot be decoded");
}
#else
int knmodels_webp_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    (void)in, (void)out;
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED,
                         "WebP pictures need libwebp (KILN_PICTURES), without which this was built");
}
#endif
