/* SPDX-License-Identifier: Apache-2.0
 * kiln/media/sound.h -- sound in WAV files, as scipy.io.wavfile has it: arrays (frames) of one channel, or (frames,
 * channels). */
/* Made by scripts/make-api.py from api/media/sound.api. */
/* clang-format off */
#ifndef KILN_MEDIA_SOUND_H
#define KILN_MEDIA_SOUND_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_wav_load_opts {
    size_t size_;
    int64_t *rate; /* where the number of frames in a second is put */
    FILE *file;    /* an open stream instead of a path */
} kn_wav_load_opts;
KN_API kn_wav_load_opts kn_wav_load_opts_default(void);
/* The samples of a RIFF, RIFX or RF64 file: uint8 for 8 bits, int16, int32 (24 bits are its upper ones), int64,
 * float32 or float64, as scipy.io.wavfile.read gives them. ValueError for damaged files, NotImplementedError for
 * compressed ones. */
KN_API kn_array kn_wav_load(const char *path, const kn_wav_load_opts *opts);
typedef struct kn_wav_save_opts {
    size_t size_;
    int bits;     /* 24: the upper 24 bits of int32 samples; 0: all of the dtype's */
    FILE *file;   /* an open stream instead of a path */
} kn_wav_save_opts;
KN_API kn_wav_save_opts kn_wav_save_opts_default(void);
/* uint8, int16, int32, int64, float32 and float64 as scipy.io.wavfile.write writes them; TypeError for other dtypes.
 * A file is there as a whole or not at all. */
KN_API int kn_wav_save(const char *path, kn_array x, int64_t rate, const kn_wav_save_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_wav_load(path, ...) KN_G1O(kn_wav_load, kn_wav_load_opts, (), const char *, path, __VA_ARGS__)
#define kn_wav_save(path, x, rate, ...) KN_WAV_SAVE_(__COUNTER__, path, x, rate, __VA_ARGS__)
#define KN_WAV_SAVE_(c, path, x, rate, ...)                                                                            \
    __extension__({ KN_TAKE(const char *, 1, c, path) kn_array KN_V(2, c) = KN_LIKE(x); KN_TAKE(int64_t, 3, c, rate)   \
    KN_OPTS(c, kn_wav_save_opts, (), __VA_ARGS__) KN_HERE(); (kn_wav_save)(KN_V(1, c), KN_V(2, c), KN_V(3, c),         \
    KN_V(opt, c)); })
#endif
#endif
