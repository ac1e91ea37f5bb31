/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/creation.h -- how arrays are made: np.zeros, np.arange and their kin; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_CREATION_H
#define KILN_NUMPY_CREATION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_zeros_opts { size_t size_; kn_dtype dtype; } kn_zeros_opts;
typedef struct kn_linspace_opts { size_t size_; bool endpoint; kn_dtype dtype; } kn_linspace_opts; /* endpoint: true */
/* M: -1, as many columns as rows */
typedef struct kn_eye_opts { size_t size_; int64_t M; int64_t k; kn_dtype dtype; } kn_eye_opts;
/* casting: NULL, "unsafe"; copy: true */
typedef struct kn_astype_opts { size_t size_; const char *casting; bool copy; } kn_astype_opts;
KN_API kn_zeros_opts kn_zeros_opts_default(void);
KN_API kn_linspace_opts kn_linspace_opts_default(void);
KN_API kn_eye_opts kn_eye_opts_default(void);
KN_API kn_astype_opts kn_astype_opts_default(void);

/* ---- Creation. The dtype is the context's default float (float64) unless said otherwise. */
KN_API kn_array kn_zeros(const kn_shape *shape,
    const kn_zeros_opts *opts); /* np.zeros; MemoryError if it is too large */
KN_API kn_array kn_ones(const kn_shape *shape, const kn_zeros_opts *opts);  /* np.ones */
KN_API kn_array kn_empty(const kn_shape *shape, const kn_zeros_opts *opts); /* np.empty: zeros here */
KN_API kn_array kn_full(const kn_shape *shape, kn_array value,
    const kn_zeros_opts *opts); /* np.full; value's dtype unless given */
KN_API kn_array kn_zeros_like(kn_array x, const kn_zeros_opts *opts);       /* np.zeros_like */
KN_API kn_array kn_ones_like(kn_array x, const kn_zeros_opts *opts);        /* np.ones_like */
KN_API kn_array kn_empty_like(kn_array x, const kn_zeros_opts *opts);       /* np.empty_like: zeros here */
KN_API kn_array kn_full_like(kn_array x, kn_array value, const kn_zeros_opts *opts); /* np.full_like */
KN_API kn_array kn_arange(kn_array start, kn_array stop, kn_array step,
    const kn_zeros_opts *opts); /* np.arange; integers give int64 */
KN_API kn_array kn_linspace(kn_array start, kn_array stop, int64_t num,
    const kn_linspace_opts *opts); /* np.linspace, first axis */
KN_API kn_array kn_eye(int64_t n, const kn_eye_opts *opts);                 /* np.eye: ones on the diagonal k */
KN_API kn_array kn_identity(int64_t n, const kn_zeros_opts *opts);          /* np.identity */
KN_API kn_array kn_asarray(kn_array x,
    const kn_zeros_opts *opts); /* np.asarray: a number becomes a 0-d array; x itself where it has that dtype */
KN_API kn_array kn_copy(kn_array x);                                        /* np.copy */
KN_API kn_array kn_astype(kn_array x, kn_dtype dtype,
    const kn_astype_opts *opts); /* x.astype(dtype); TypeError by `casting` */
KN_API kn_array kn_shape_array(kn_array x);                                 /* np.array(x.shape): int64 */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_zeros(shape, ...) KN_MAKE_(__COUNTER__, kn_zeros, kn_zeros_opts, shape, __VA_ARGS__)
#define kn_ones(shape, ...) KN_MAKE_(__COUNTER__, kn_ones, kn_zeros_opts, shape, __VA_ARGS__)
#define kn_empty(shape, ...) KN_MAKE_(__COUNTER__, kn_empty, kn_zeros_opts, shape, __VA_ARGS__)
#define KN_MAKE_(c, f, T, shape, ...)                                                                                  \
    __extension__({ const kn_shape KN_V(1, c) = (shape); KN_OPTS(c, T, (), __VA_ARGS__)                                \
        KN_HERE(); (f)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_full(shape, value, ...) KN_FULL_(__COUNTER__, shape, value, __VA_ARGS__)
#define KN_FULL_(c, shape, value, ...)                                                                                 \
    __extension__({ const kn_shape KN_V(1, c) = (shape); kn_array KN_V(2, c) = KN_LIKE(value);                         \
        KN_OPTS(c, kn_zeros_opts, (), __VA_ARGS__) KN_HERE(); (kn_full)(&KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_zeros_like(x, ...) KN_F1O(kn_zeros_like, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_ones_like(x, ...) KN_F1O(kn_ones_like, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_empty_like(x, ...) KN_F1O(kn_empty_like, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_full_like(x, value, ...) KN_F2O(kn_full_like, kn_zeros_opts, (), x, value, __VA_ARGS__)
#define kn_arange(start, stop, step, ...) KN_F3O(kn_arange, kn_zeros_opts, (), start, stop, step, __VA_ARGS__)
#define kn_linspace(start, stop, num, ...) KN_LINSPACE_(__COUNTER__, start, stop, num, __VA_ARGS__)
#define KN_LINSPACE_(c, start, stop, num, ...)                                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(start); kn_array KN_V(2, c) = KN_LIKE(stop);                         \
        int64_t KN_V(3, c) = (num); KN_OPTS(c, kn_linspace_opts, (.endpoint = true, ), __VA_ARGS__)                    \
        KN_HERE(); (kn_linspace)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_eye(n, ...) KN_G1O(kn_eye, kn_eye_opts, (.M = -1, ), int64_t, n, __VA_ARGS__)
#define kn_identity(n, ...) KN_G1O(kn_identity, kn_zeros_opts, (), int64_t, n, __VA_ARGS__)
#define kn_asarray(x, ...) KN_F1O(kn_asarray, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_copy(x) KN_F1(kn_copy, x)
#define kn_astype(x, dtype, ...) KN_H1O(kn_astype, kn_astype_opts, (.copy = true, ), x, kn_dtype, dtype, __VA_ARGS__)
#define kn_shape_array(x) KN_F1(kn_shape_array, x)
#endif
#endif
