/* SPDX-License-Identifier: Apache-2.0
 * picture.h -- pictures in memory, and the formats that both libraries read. */
#ifndef KN_BESIDE_PICTURE_H
#define KN_BESIDE_PICTURE_H
#include "beside/beside.h"

enum { KNBESIDE_MOST_PIXELS = 1 << 28 };

/* Rows of pixels without gaps; samples are uint8_t, or uint16_t where bits is 16. */
typedef struct knbeside_picture {
    int64_t width, height;
    int channels; /* 1 to 4 */
    int bits;     /* 8 or 16 */
    void *pixels; /* malloc'ed */
} knbeside_picture;

bool knbeside_is_png(const knbeside_bytes *in);
bool knbeside_is_pnm(const knbeside_bytes *in);
/* 0, or -1 with an error; then there are no pixels. */
int knbeside_png_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knbeside_png_write(const char *operation, const knbeside_picture *image, knbeside_bytes *out);
int knbeside_pnm_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knbeside_pnm_write(const char *operation, const char *format, const knbeside_picture *image, knbeside_bytes *out);
/* Pixels for the size that is there, zeroed; -1 with an error for one that is none. */
int knbeside_picture_alloc(const char *operation, knbeside_picture *image);
#endif
