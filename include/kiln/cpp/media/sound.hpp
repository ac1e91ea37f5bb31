/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/media/sound.hpp -- the functions of kiln/media/sound.h in C++. */
/* Made by scripts/make-api.py from api/media/sound.api. */
/* clang-format off */
#ifndef KILN_CPP_MEDIA_SOUND_HPP
#define KILN_CPP_MEDIA_SOUND_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct wav_load_opts {
    KILN_OPTION((int64_t *), rate, {}) /* where the number of frames in a second is put */
    KILN_OPTION((FILE *), file, {}) /* an open stream instead of a path */
    kn_wav_load_opts c() const {
        kn_wav_load_opts to_ = {}; to_.size_ = sizeof to_; to_.rate = detail::c_of(rate); to_.file = detail::c_of(file);
        return to_; }
};
/* The samples of a RIFF, RIFX or RF64 file: uint8 for 8 bits, int16, int32 (24 bits are its upper ones), int64,
 * float32 or float64, as scipy.io.wavfile.read gives them. ValueError for damaged files, NotImplementedError for
 * compressed ones. */
inline array wav_load(const ::kiln::text &path, const ::kiln::wav_load_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_wav_load_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_wav_load(path.c(), &opts_c))); }
struct wav_save_opts {
    KILN_OPTION((int), bits, {}) /* 24: the upper 24 bits of int32 samples; 0: all of the dtype's */
    KILN_OPTION((FILE *), file, {}) /* an open stream instead of a path */
    kn_wav_save_opts c() const {
        kn_wav_save_opts to_ = {}; to_.size_ = sizeof to_; to_.bits = detail::c_of(bits); to_.file = detail::c_of(file);
        return to_; }
};
/* uint8, int16, int32, int64, float32 and float64 as scipy.io.wavfile.write writes them; TypeError for other dtypes.
 * A file is there as a whole or not at all. */
inline int wav_save(const ::kiln::text &path, const ::kiln::operand &x, int64_t rate, const ::kiln::wav_save_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_wav_save_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_wav_save(path.c(), x_h, rate, &opts_c)); }
} // namespace kiln
#endif
