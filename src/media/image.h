/* SPDX-License-Identifier: Apache-2.0
 * image.h -- pictures in memory, and the formats that they come in. */
#ifndef KN_MEDIA_IMAGE_H
#define KN_MEDIA_IMAGE_H
#include "media/media.h"

enum { KNMEDIA_MOST_PIXELS = 1 << 28 };

/* Rows of pixels without gaps; samples are uint8_t, or uint16_t where bits is 16. */
typedef struct knmedia_image {
    int64_t width, height;
    int channels; /* 1 to 4 */
    int bits;     /* 8 or 16 */
    void *pixels; /* malloc'ed */
} knmedia_image;

bool knmedia_is_png(const knbeside_bytes *in);
bool knmedia_is_pnm(const knbeside_bytes *in);
/* 0, or -1 with an error; then there are no pixels. */
int knmedia_png_read(const char *operation, const knbeside_bytes *in, knmedia_image *out);
int knmedia_png_write(const char *operation, const knmedia_image *image, knbeside_bytes *out);
int knmedia_pnm_read(const char *operation, const knbeside_bytes *in, knmedia_image *out);
int knmedia_pnm_write(const char *operation, const char *format, const knmedia_image *image, knbeside_bytes *out);
/* Pixels for the size that is there, zeroed; -1 with an error for one that is none. */
int knmedia_image_alloc(const char *operation, knmedia_image *image);
#endif
