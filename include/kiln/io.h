/* SPDX-License-Identifier: Apache-2.0
 * kiln/io.h -- NumPy's files: npy and npz. */
/* Made by scripts/make-api.py from api/io.api. */
/* clang-format off */
#ifndef KILN_IO_H
#define KILN_IO_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading. */
KN_API kn_array kn_load(const char *path); /* np.load of an npy file, or of an npz file with one array in it */
KN_API kn_archive kn_load_npz(const char *path); /* np.load of an npz file; arrays are read when asked for */
KN_API kn_array kn_archive_get(kn_archive archive, const char *name); /* z[name]; KeyError if it is not there */
KN_API int kn_archive_count(kn_archive archive);                      /* len(z); -1 for an error */
KN_API const char *kn_archive_name(kn_archive archive, int i);        /* z.files[i], as long as z lives; NULL if none */

/* ---- Writing. It runs what is recorded; 0, or -1 with an error. As in NumPy the ending .npy or .npz is added if it
 * is missing. In C: kn_savez("a.npz", KN_NAMED("x", x), KN_NAMED("y", y)). A name that is NULL is arr_0, arr_1, ...,
 * by position. */
typedef struct kn_named { const char *name; kn_array array; } kn_named;
KN_API int kn_save(const char *path, kn_array x);                     /* np.save */
KN_API int kn_savez(const char *path, int n, const kn_named *arrays); /* np.savez */
/* np.savez_compressed: NotImplementedError without zlib */
KN_API int kn_savez_compressed(const char *path, int n, const kn_named *arrays);
/* The leaves of a tree as an npz, named by their paths: net/first/w1, layers/0. */
KN_API int kn_save_tree(const char *path, kn_tree tree);
/* The arrays of such a file in the structure of `like`; NULL with KeyError if one is missing, or ValueError if one
 * has another shape than in `like`. Dtypes are the file's. */
KN_API kn_tree kn_load_tree(const char *path, kn_tree like);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* Up to 32 arrays. */
#define KN_NAMED(name, x) KN_NAMED_(__COUNTER__, name, x)
#define KN_NAMED_(c, text, x)                                                                                          \
    __extension__({ const char *const KN_V(1, c) = (text); kn_array KN_V(2, c) = KN_LIKE(x);                           \
        (kn_named){KN_V(1, c), KN_V(2, c)}; })
#define KN_NAMED_PUT_(c, named) KN_V(vec, c)[KN_V(cnt, c)++] = (named);
#define KN_SAVEZ_(c, f, count, path, ...)                                                                              \
    __extension__({ const char *const KN_V(1, c) = (path); kn_named KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0;   \
        KN_EACH(KN_NAMED_PUT_, c, __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_savez(path, ...) KN_SAVEZ_(__COUNTER__, kn_savez, KN_COUNT(__VA_ARGS__), path, __VA_ARGS__)
#define kn_savez_compressed(path, ...)                                                                                 \
    KN_SAVEZ_(__COUNTER__, kn_savez_compressed, KN_COUNT(__VA_ARGS__), path, __VA_ARGS__)
#define kn_load(path) KN_G1(kn_load, const char *, path)
#define kn_load_npz(path) KN_G1(kn_load_npz, const char *, path)
#define kn_archive_get(archive, name) KN_G2(kn_archive_get, kn_archive, archive, const char *, name)
#define kn_archive_name(archive, i) KN_G2(kn_archive_name, kn_archive, archive, int, i)
#define kn_save(path, x) KN_SAVE_(__COUNTER__, path, x)
#define KN_SAVE_(c, path, x)                                                                                           \
    __extension__({ KN_TAKE(const char *, 1, c, path) kn_array KN_V(2, c) = KN_LIKE(x); KN_HERE();                     \
    (kn_save)(KN_V(1, c), KN_V(2, c)); })
#define kn_save_tree(path, tree) KN_G2(kn_save_tree, const char *, path, kn_tree, tree)
#define kn_load_tree(path, like) KN_G2(kn_load_tree, const char *, path, kn_tree, like)
#endif
#endif
