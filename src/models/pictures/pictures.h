/* SPDX-License-Identifier: Apache-2.0
 * pictures.h -- compressed pictures as rows of bytes, by the libraries that are there. */
#ifndef KN_MODELS_PICTURES_H
#define KN_MODELS_PICTURES_H
#include "beside/picture.h"

/* Decodes what the first bytes say it is (PNG, PNM, BMP, JPEG, JPEG 2000, TIFF, WebP): 8 bits a sample, 1 to 4
 * channels. 0, or -1 with an error: NotImplementedError where the library for the format is not there, ValueError for
 * a picture that cannot be decoded. */
int knmodels_picture_read(const char *operation, const uint8_t *bytes, size_t n, knbeside_picture *out);

/* Of one format; the file begins as it does. `Not there` is an error that says how it would be. */
int knmodels_bmp_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knmodels_jpeg_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knmodels_jpeg2000_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knmodels_tiff_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knmodels_webp_read(const char *operation, const knbeside_bytes *in, knbeside_picture *out);
int knmodels_picture_damaged(const char *operation, const char *format, const char *what);
#endif
