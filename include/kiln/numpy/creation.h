/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/creation.h -- how arrays are made: np.zeros, np.arange and their kin; what all chapters have in common
 * is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/creation.api. */
/* clang-format off */
#ifndef KILN_NUMPY_CREATION_H
#define KILN_NUMPY_CREATION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_zeros_opts {
    size_t size_;
    kn_dtype dtype;
    /* NULL, "C"; or "F", "A", "K": where it copies or imitates an array "K" unless it is given: as that lies */
    const char *order;
} kn_zeros_opts;
KN_API kn_zeros_opts kn_zeros_opts_default(void);
typedef struct kn_zeros_like_opts {
    size_t size_;
    kn_dtype dtype;
    const char *order;     /* NULL, "K"; or "C", "F", "A" */
    const kn_shape *shape; /* that of the prototype */
} kn_zeros_like_opts;
KN_API kn_zeros_like_opts kn_zeros_like_opts_default(void);
typedef struct kn_asarray_opts {
    size_t size_;
    kn_dtype dtype;
    const char *order; /* NULL, "K"; or "C", "F", "A" */
    int copy;          /* -1: where it must; 1: always; 0: never (ValueError) */
    int ndmin;         /* new axes in front until there are so many */
} kn_asarray_opts;
KN_API kn_asarray_opts kn_asarray_opts_default(void);
typedef struct kn_copy_opts { size_t size_; const char *order; } kn_copy_opts; /* NULL, "K"; or "C", "F", "A" */
KN_API kn_copy_opts kn_copy_opts_default(void);
typedef struct kn_linspace_opts {
    size_t size_;
    bool endpoint;     /* true */
    kn_dtype dtype;
    kn_axes axis;      /* not given, 0: where the samples go */
    kn_array *retstep; /* if given, the step is put there */
} kn_linspace_opts;
KN_API kn_linspace_opts kn_linspace_opts_default(void);
typedef struct kn_logspace_opts {
    size_t size_;
    bool endpoint;  /* true */
    kn_array base;  /* NULL, 10 */
    kn_dtype dtype;
    kn_axes axis;
} kn_logspace_opts;
KN_API kn_logspace_opts kn_logspace_opts_default(void);
typedef struct kn_geomspace_opts {
    size_t size_;
    bool endpoint;  /* true */
    kn_dtype dtype;
    kn_axes axis;
} kn_geomspace_opts;
KN_API kn_geomspace_opts kn_geomspace_opts_default(void);
typedef struct kn_diag_opts { size_t size_; int64_t k; } kn_diag_opts;
KN_API kn_diag_opts kn_diag_opts_default(void);
typedef struct kn_vander_opts { size_t size_; int64_t N; bool increasing; } kn_vander_opts; /* N: -1: x's length */
KN_API kn_vander_opts kn_vander_opts_default(void);
typedef struct kn_meshgrid_opts {
    size_t size_;
    const char *indexing; /* NULL, "xy"; or "ij" */
    bool sparse;
} kn_meshgrid_opts;
KN_API kn_meshgrid_opts kn_meshgrid_opts_default(void);
typedef struct kn_frombuffer_opts {
    size_t size_;
    kn_dtype dtype;
    int64_t count;  /* -1: all there is */
    int64_t offset;
} kn_frombuffer_opts;
KN_API kn_frombuffer_opts kn_frombuffer_opts_default(void);
typedef struct kn_fromstring_opts { size_t size_; kn_dtype dtype; int64_t count; } kn_fromstring_opts; /* count: -1 */
KN_API kn_fromstring_opts kn_fromstring_opts_default(void);
typedef struct kn_eye_opts {
    size_t size_;
    int64_t M;         /* -1: as many columns as rows */
    int64_t k;
    kn_dtype dtype;
    const char *order; /* NULL, "C"; or "F" */
} kn_eye_opts;
KN_API kn_eye_opts kn_eye_opts_default(void);
typedef struct kn_astype_opts {
    size_t size_;
    const char *casting; /* NULL, "unsafe"; or "no", "equiv", "safe", "same_kind", "same_value" */
    bool copy;           /* true */
    const char *order;   /* NULL, "K"; or "C", "F", "A" */
} kn_astype_opts;
KN_API kn_astype_opts kn_astype_opts_default(void);

/* ---- Creation. The dtype is the context's default float (float64) unless said otherwise. */
/* np.zeros: of that shape, all zeros. MemoryError if it is too large */
KN_API kn_array kn_zeros(const kn_shape *shape, const kn_zeros_opts *opts);
KN_API kn_array kn_ones(const kn_shape *shape, const kn_zeros_opts *opts); /* np.ones: as kn_zeros, all ones */
/* np.empty: an array of that shape: zeros here. Code that is to run with NumPy, too, must not rely on them */
KN_API kn_array kn_empty(const kn_shape *shape, const kn_zeros_opts *opts);
/* np.full: of that shape, all `value`, which broadcasts; of value's dtype unless another is given */
KN_API kn_array kn_full(const kn_shape *shape, kn_array value, const kn_zeros_opts *opts);
/* np.zeros_like: of x's shape and dtype unless others are given */
KN_API kn_array kn_zeros_like(kn_array x, const kn_zeros_like_opts *opts);
/* np.ones_like: of x's shape and dtype unless others are given */
KN_API kn_array kn_ones_like(kn_array x, const kn_zeros_like_opts *opts);
/* np.empty_like: of x's shape and dtype unless others are given: zeros here */
KN_API kn_array kn_empty_like(kn_array x, const kn_zeros_like_opts *opts);
/* np.full_like: of x's shape, all `value`, which becomes x's dtype unless another is given: fractions are lost in an
 * integer array */
KN_API kn_array kn_full_like(kn_array x, kn_array value, const kn_zeros_like_opts *opts);
/* np.arange: start, start + step, ... as long as it is before stop; integers give int64. All three arguments are
 * given in C */
KN_API kn_array kn_arange(kn_array start, kn_array stop, kn_array step, const kn_zeros_opts *opts);
/* np.linspace: as many samples as num from start to stop, both included unless .endpoint is false. start and stop
 * may be arrays */
KN_API kn_array kn_linspace(kn_array start, kn_array stop, int64_t num, const kn_linspace_opts *opts);
/* np.logspace: base to the power of what kn_linspace gives */
KN_API kn_array kn_logspace(kn_array start, kn_array stop, int64_t num, const kn_logspace_opts *opts);
/* np.geomspace: samples from start to stop, both included unless .endpoint is false, each the same multiple of the
 * one before. ValueError for zeros where they can be seen */
KN_API kn_array kn_geomspace(kn_array start, kn_array stop, int64_t num, const kn_geomspace_opts *opts);
/* np.eye: a matrix of n rows: ones on the diagonal k, else zeros */
KN_API kn_array kn_eye(int64_t n, const kn_eye_opts *opts);
/* np.identity: ones on the main diagonal of n by n zeros */
KN_API kn_array kn_identity(int64_t n, const kn_zeros_opts *opts);
/* np.asarray: and np.array (whose name is that of the type) with .copy = 1: a number becomes a 0-d array; x itself
 * where it has that dtype and order */
KN_API kn_array kn_asarray(kn_array x, const kn_asarray_opts *opts);
KN_API kn_array kn_asanyarray(kn_array x, const kn_asarray_opts *opts);    /* kn_asarray */
/* the same array in C order, a copy of x where it is not; one axis at least */
KN_API kn_array kn_ascontiguousarray(kn_array x, const kn_zeros_opts *opts);
/* np.asarray_chkfinite: as kn_asarray; ValueError for NaN and infinities; looks at x */
KN_API kn_array kn_asarray_chkfinite(kn_array x, const kn_asarray_opts *opts);
KN_API kn_array kn_copy(kn_array x, const kn_copy_opts *opts); /* np.copy: an array with memory of its own */
/* x.astype(dtype); TypeError by `casting`; with "same_value" ValueError if elements, which are looked at, become
 * others. Floats that do not fit an integer dtype become what NumPy gives on x86-64 (the least int32 or int64, of
 * which narrower ones have the low bits), on every CPU; kn_lax_convert_element_type has JAX's numbers. */
KN_API kn_array kn_astype(kn_array x, kn_dtype dtype, const kn_astype_opts *opts);

/* ---- Constants. */
#define KN_PI          3.14159265358979323846
#define KN_E           2.71828182845904523536
#define KN_EULER_GAMMA 0.57721566490153286061
#define KN_INF         __builtin_inf()
#define KN_NAN         __builtin_nan("")
#define KN_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* ---- From memory, text and functions. */
/* np.frombuffer: the bytes of a buffer as a vector, of float64 unless .dtype says otherwise: a copy here (kn_wrap
 * does without) */
KN_API kn_array kn_frombuffer(const void *buffer, size_t bytes, const kn_frombuffer_opts *opts);
/* np.fromstring: the numbers of a text with sep between them, as float64 unless .dtype says otherwise; ValueError
 * for other texts */
KN_API kn_array kn_fromstring(const char *string, const char *sep, const kn_fromstring_opts *opts);
typedef bool (*kn_next)(void *env, void *element);
/* np.fromiter: a vector of what `next` gives, which writes an element of the dtype and returns true, or returns
 * false at the end. count: -1, until then; ValueError if there are fewer */
KN_API kn_array kn_fromiter(kn_next next, void *env, kn_dtype dtype, int64_t count);
/* np.fromfunction: what the function gives for one array of positions (of floats) per axis; up to 8 axes */
KN_API kn_array kn_fromfunction(kn_fn function, const kn_shape *shape, const kn_zeros_opts *opts);

/* ---- Grids. */
/* np.meshgrid: one array for each vector, all of the shape of the grid. The first vector lies along the second axis,
 * with .indexing = "ij" along the first; .sparse: each along its own axis alone */
KN_API kn_list kn_meshgrid(kn_list list, const kn_meshgrid_opts *opts);

/* KN_SLICE(start, stop, step), or KN_SLICE_NUM(start, stop, num): num samples, both ends included (step `num j`) */
typedef struct kn_slice { kn_array start, stop, step; int64_t num; } kn_slice;
/* np.mgrid[...]: one array of the positions of a grid, a first axis for its n axes */
KN_API kn_array kn_mgrid(int n, const kn_slice *slices);
/* np.ogrid[...]: the positions of a grid as n arrays, each along an axis of its own */
KN_API kn_list kn_ogrid(int n, const kn_slice *slices);

/* ---- Windows: weights of M samples, symmetric, the largest 1; none for M < 1. Computed in float64, then the
 * default float. */
KN_API kn_array kn_bartlett(int64_t M); /* np.bartlett: a triangle, 0 at both ends */
KN_API kn_array kn_blackman(int64_t M); /* np.blackman: 0.42 + 0.5 cos t + 0.08 cos 2t, t from -pi to pi */
KN_API kn_array kn_hamming(int64_t M);  /* np.hamming: 0.54 + 0.46 cos t */
KN_API kn_array kn_hanning(int64_t M);  /* np.hanning: 0.5 + 0.5 cos t */
/* np.kaiser: i0(beta sqrt(1 - u^2)) / i0(beta), u from -1 to 1; can be differentiated by beta. ValueError for a beta
 * that is no scalar, TypeError for a complex one */
KN_API kn_array kn_kaiser(int64_t M, kn_array beta);

/* ---- Matrices. */
/* np.diag: a matrix with v on diagonal k; of a matrix its diagonal, a read-only view */
KN_API kn_array kn_diag(kn_array v, const kn_diag_opts *opts);
KN_API kn_array kn_diagflat(kn_array v, const kn_diag_opts *opts); /* np.diagflat: kn_diag of the flattened v */
/* np.tri: a matrix of n rows: ones on and below diagonal k, else zeros */
KN_API kn_array kn_tri(int64_t n, const kn_eye_opts *opts);
/* np.tril: a copy with zeros above diagonal k, of the last two axes */
KN_API kn_array kn_tril(kn_array m, const kn_diag_opts *opts);
/* np.triu: a copy with zeros below diagonal k, of the last two axes */
KN_API kn_array kn_triu(kn_array m, const kn_diag_opts *opts);
/* np.vander: a matrix whose columns are powers of x, the highest first unless .increasing */
KN_API kn_array kn_vander(kn_array x, const kn_vander_opts *opts);
KN_API kn_array kn_shape_array(kn_array x);                        /* np.array(x.shape): int64 */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_SLICE(start, stop, step) ((kn_slice){KN_LIKE(start), KN_LIKE(stop), KN_LIKE(step), -1})
#define KN_SLICE_NUM(start, stop, num) ((kn_slice){KN_LIKE(start), KN_LIKE(stop), (kn_array)0, (num)})
#define kn_mgrid(...) KN_GRID_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_mgrid, __VA_ARGS__)
#define kn_ogrid(...) KN_GRID_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ogrid, __VA_ARGS__)
#define KN_GRID_(c, count, f, ...)                                                                                     \
    __extension__({ kn_slice KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_ITEM_PUT_, c, __VA_ARGS__)    \
    KN_HERE(); (f)(KN_V(cnt, c), KN_V(vec, c)); })
#define kn_zeros(shape, ...) KN_ZEROS_(__COUNTER__, shape, __VA_ARGS__)
#define KN_ZEROS_(c, shape, ...)                                                                                       \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_OPTS(c, kn_zeros_opts, (), __VA_ARGS__) KN_HERE();               \
    (kn_zeros)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_ones(shape, ...) KN_ONES_(__COUNTER__, shape, __VA_ARGS__)
#define KN_ONES_(c, shape, ...)                                                                                        \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_OPTS(c, kn_zeros_opts, (), __VA_ARGS__) KN_HERE();               \
    (kn_ones)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_empty(shape, ...) KN_EMPTY_(__COUNTER__, shape, __VA_ARGS__)
#define KN_EMPTY_(c, shape, ...)                                                                                       \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_OPTS(c, kn_zeros_opts, (), __VA_ARGS__) KN_HERE();               \
    (kn_empty)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_full(shape, value, ...) KN_FULL_(__COUNTER__, shape, value, __VA_ARGS__)
#define KN_FULL_(c, shape, value, ...)                                                                                 \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) kn_array KN_V(2, c) = KN_LIKE(value); KN_OPTS(c, kn_zeros_opts, (), \
    __VA_ARGS__) KN_HERE(); (kn_full)(&KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_zeros_like(x, ...) KN_F1O(kn_zeros_like, kn_zeros_like_opts, (), x, __VA_ARGS__)
#define kn_ones_like(x, ...) KN_F1O(kn_ones_like, kn_zeros_like_opts, (), x, __VA_ARGS__)
#define kn_empty_like(x, ...) KN_F1O(kn_empty_like, kn_zeros_like_opts, (), x, __VA_ARGS__)
#define kn_full_like(x, value, ...) KN_F2O(kn_full_like, kn_zeros_like_opts, (), x, value, __VA_ARGS__)
#define kn_arange(start, stop, step, ...) KN_F3O(kn_arange, kn_zeros_opts, (), start, stop, step, __VA_ARGS__)
#define kn_linspace(start, stop, num, ...) KN_LINSPACE_(__COUNTER__, start, stop, num, __VA_ARGS__)
#define KN_LINSPACE_(c, start, stop, num, ...)                                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(start); kn_array KN_V(2, c) = KN_LIKE(stop);                         \
    KN_TAKE(int64_t, 3, c, num) KN_OPTS(c, kn_linspace_opts, (.endpoint = true, ), __VA_ARGS__) KN_HERE();             \
    (kn_linspace)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_logspace(start, stop, num, ...) KN_LOGSPACE_(__COUNTER__, start, stop, num, __VA_ARGS__)
#define KN_LOGSPACE_(c, start, stop, num, ...)                                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(start); kn_array KN_V(2, c) = KN_LIKE(stop);                         \
    KN_TAKE(int64_t, 3, c, num) KN_OPTS(c, kn_logspace_opts, (.endpoint = true, ), __VA_ARGS__) KN_HERE();             \
    (kn_logspace)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_geomspace(start, stop, num, ...) KN_GEOMSPACE_(__COUNTER__, start, stop, num, __VA_ARGS__)
#define KN_GEOMSPACE_(c, start, stop, num, ...)                                                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(start); kn_array KN_V(2, c) = KN_LIKE(stop);                         \
    KN_TAKE(int64_t, 3, c, num) KN_OPTS(c, kn_geomspace_opts, (.endpoint = true, ), __VA_ARGS__) KN_HERE();            \
    (kn_geomspace)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_eye(n, ...) KN_G1O(kn_eye, kn_eye_opts, (.M = -1, ), int64_t, n, __VA_ARGS__)
#define kn_identity(n, ...) KN_G1O(kn_identity, kn_zeros_opts, (), int64_t, n, __VA_ARGS__)
#define kn_asarray(x, ...) KN_F1O(kn_asarray, kn_asarray_opts, (.copy = -1, ), x, __VA_ARGS__)
#define kn_asanyarray(x, ...) KN_F1O(kn_asanyarray, kn_asarray_opts, (.copy = -1, ), x, __VA_ARGS__)
#define kn_ascontiguousarray(x, ...) KN_F1O(kn_ascontiguousarray, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_asarray_chkfinite(x, ...) KN_F1O(kn_asarray_chkfinite, kn_asarray_opts, (.copy = -1, ), x, __VA_ARGS__)
#define kn_copy(x, ...) KN_F1O(kn_copy, kn_copy_opts, (), x, __VA_ARGS__)
#define kn_astype(x, dtype, ...) KN_H1O(kn_astype, kn_astype_opts, (.copy = true, ), x, kn_dtype, dtype, __VA_ARGS__)
#define kn_frombuffer(buffer, bytes, ...)                                                                              \
    KN_G2O(kn_frombuffer, kn_frombuffer_opts, (.count = -1, ), const void *, buffer, size_t, bytes, __VA_ARGS__)
#define kn_fromstring(string, sep, ...)                                                                                \
    KN_G2O(kn_fromstring, kn_fromstring_opts, (.count = -1, ), const char *, string, const char *, sep, __VA_ARGS__)
#define kn_fromiter(next, env, dtype, count) KN_FROMITER_(__COUNTER__, next, env, dtype, count)
#define KN_FROMITER_(c, next, env, dtype, count)                                                                       \
    __extension__({ KN_TAKE(kn_next, 1, c, next) KN_TAKE(void *, 2, c, env) KN_TAKE(kn_dtype, 3, c, dtype)             \
    KN_TAKE(int64_t, 4, c, count) KN_HERE(); (kn_fromiter)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#define kn_fromfunction(function, shape, ...) KN_FROMFUNCTION_(__COUNTER__, function, shape, __VA_ARGS__)
#define KN_FROMFUNCTION_(c, function, shape, ...)                                                                      \
    __extension__({ KN_TAKE(kn_fn, 1, c, function) KN_TAKE(kn_shape, 2, c, shape) KN_OPTS(c, kn_zeros_opts, (),        \
    __VA_ARGS__) KN_HERE(); (kn_fromfunction)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define kn_meshgrid(list, ...) KN_G1O(kn_meshgrid, kn_meshgrid_opts, (), kn_list, list, __VA_ARGS__)
#define kn_bartlett(M) KN_G1(kn_bartlett, int64_t, M)
#define kn_blackman(M) KN_G1(kn_blackman, int64_t, M)
#define kn_hamming(M) KN_G1(kn_hamming, int64_t, M)
#define kn_hanning(M) KN_G1(kn_hanning, int64_t, M)
#define kn_kaiser(M, beta) KN_KAISER_(__COUNTER__, M, beta)
#define KN_KAISER_(c, M, beta)                                                                                         \
    __extension__({ KN_TAKE(int64_t, 1, c, M) kn_array KN_V(2, c) = KN_LIKE(beta); KN_HERE(); (kn_kaiser)(KN_V(1, c),  \
    KN_V(2, c)); })
#define kn_diag(v, ...) KN_F1O(kn_diag, kn_diag_opts, (), v, __VA_ARGS__)
#define kn_diagflat(v, ...) KN_F1O(kn_diagflat, kn_diag_opts, (), v, __VA_ARGS__)
#define kn_tri(n, ...) KN_G1O(kn_tri, kn_eye_opts, (.M = -1, ), int64_t, n, __VA_ARGS__)
#define kn_tril(m, ...) KN_F1O(kn_tril, kn_diag_opts, (), m, __VA_ARGS__)
#define kn_triu(m, ...) KN_F1O(kn_triu, kn_diag_opts, (), m, __VA_ARGS__)
#define kn_vander(x, ...) KN_F1O(kn_vander, kn_vander_opts, (.N = -1, ), x, __VA_ARGS__)
#define kn_shape_array(x) KN_F1(kn_shape_array, x)
#endif
#endif
