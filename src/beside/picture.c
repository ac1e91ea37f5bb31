/* SPDX-License-Identifier: Apache-2.0
 * picture.c -- memory of pictures. */
#include "beside/picture.h"

int knbeside_picture_alloc(const char *operation, knbeside_picture *image)
{
    if (image->width <= 0 || image->height <= 0)
        return knbeside_fail(operation, KN_ERROR_VALUE, "a picture of %lld by %lld pixels", (long long)image->width,
                             (long long)image->height);
    if (image->width > KNBESIDE_MOST_PIXELS / image->height)
        return knbeside_fail(operation, KN_ERROR_VALUE, "a picture of %lld by %lld pixels has more than %d",
                             (long long)image->width, (long long)image->height, KNBESIDE_MOST_PIXELS);
    image->pixels = knbeside_alloc((uint64_t)(image->width * image->height * image->channels), (size_t)image->bits / 8);
    return image->pixels ? 0 : knbeside_no_memory(operation);
}
