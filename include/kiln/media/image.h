/* SPDX-License-Identifier: Apache-2.0
 * kiln/media/image.h -- pictures in files: PNG (through libpng), PGM and PPM, as arrays (height, width), gray,
 * (height, width, 2), gray and alpha, (height, width, 3), red, green and blue, or (height, width, 4), with alpha;
 * uint8 or uint16. */
/* Made by scripts/make-api.py from api/media/image.api. */
/* clang-format off */
#ifndef KILN_MEDIA_IMAGE_H
#define KILN_MEDIA_IMAGE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_image_load_opts {
    size_t size_;
    FILE *file;   /* an open stream instead of a path */
} kn_image_load_opts;
KN_API kn_image_load_opts kn_image_load_opts_default(void);
/* The pixels of a PNG, PGM or PPM file (by what is in it, not by its name). Palettes become colours, 1, 2 and 4 bits
 * the whole range of uint8; samples of a PNM file with another maximum than 255 or 65535 are kept as they are.
 * FileError for what cannot be read, ValueError for a damaged file, NotImplementedError for PNG without libpng and
 * for other formats. */
KN_API kn_array kn_image_load(const char *path, const kn_image_load_opts *opts);
typedef struct kn_image_save_opts {
    size_t size_;
    const char *format; /* NULL, as the path ends; or "png", "pgm", "ppm", "pnm" */
    int bits;           /* 8; or 16: of a sample that was a float */
    bool clip;          /* floats outside of 0 to 1 become 0 or 1, instead of a ValueError */
    FILE *file;         /* instead of a path; it needs a format */
} kn_image_save_opts;
KN_API kn_image_save_opts kn_image_save_opts_default(void);
/* x as PNG or, without alpha, as PGM or PPM. uint8 and uint16 are written as they are, bool as 0 and 255; floats go
 * from 0 (black) to 1 and are rounded to the nearest of the file's values (NaN is a ValueError). Other dtypes are a
 * TypeError, since only the caller knows their range. A file is there as a whole or not at all. */
KN_API int kn_image_save(const char *path, kn_array x, const kn_image_save_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_image_load(path, ...) KN_G1O(kn_image_load, kn_image_load_opts, (), const char *, path, __VA_ARGS__)
#define kn_image_save(path, x, ...) KN_IMAGE_SAVE_(__COUNTER__, path, x, __VA_ARGS__)
#define KN_IMAGE_SAVE_(c, path, x, ...)                                                                                \
    __extension__({ KN_TAKE(const char *, 1, c, path) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_image_save_opts, \
    (.bits = 8, ), __VA_ARGS__) KN_HERE(); (kn_image_save)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#endif
#endif
