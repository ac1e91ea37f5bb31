/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/media/image.hpp -- the functions of kiln/media/image.h in C++. */
/* Made by scripts/make-api.py from api/media/image.api. */
/* clang-format off */
#ifndef KILN_CPP_MEDIA_IMAGE_HPP
#define KILN_CPP_MEDIA_IMAGE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct image_load_opts {
    KILN_OPTION((FILE *), file, {}) /* an open stream instead of a path */
    kn_image_load_opts c() const {
        kn_image_load_opts to_ = {}; to_.size_ = sizeof to_; to_.file = detail::c_of(file); return to_; }
};
/* The pixels of a PNG, PGM or PPM file (by what is in it, not by its name). Palettes become colours, 1, 2 and 4 bits
 * the whole range of uint8; samples of a PNM file with another maximum than 255 or 65535 are kept as they are.
 * FileError for what cannot be read, ValueError for a damaged file, NotImplementedError for PNG without libpng and
 * for other formats. */
inline array image_load(const ::kiln::text &path, const ::kiln::image_load_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_image_load_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_image_load(path.c(), &opts_c))); }
struct image_save_opts {
    KILN_OPTION((::kiln::text), format, {}) /* as the path ends */
    KILN_OPTION((int), bits, 8) /* of a sample that was a float */
    KILN_OPTION((bool), clip, {}) /* floats outside of 0 to 1 become 0 or 1, instead of a ValueError */
    KILN_OPTION((FILE *), file, {}) /* instead of a path; it needs a format */
    kn_image_save_opts c() const {
        kn_image_save_opts to_ = {}; to_.size_ = sizeof to_; to_.format = detail::c_of(format);
        to_.bits = detail::c_of(bits); to_.clip = detail::c_of(clip); to_.file = detail::c_of(file); return to_; }
};
/* x as PNG or, without alpha, as PGM or PPM. uint8 and uint16 are written as they are, bool as 0 and 255; floats go
 * from 0 (black) to 1 and are rounded to the nearest of the file's values (NaN is a ValueError). Other dtypes are a
 * TypeError, since only the caller knows their range. A file is there as a whole or not at all. */
inline int image_save(const ::kiln::text &path, const ::kiln::operand &x, const ::kiln::image_save_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_image_save_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_image_save(path.c(), x_h, &opts_c)); }
} // namespace kiln
#endif
