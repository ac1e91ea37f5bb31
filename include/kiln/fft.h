/* SPDX-License-Identifier: Apache-2.0
 * kiln/fft.h -- discrete Fourier transforms, as np.fft, and the cosine and sine transforms of scipy.fft. Of any
 * length, in float32 (complex64) or float64 (complex128): float16 and bfloat16 are transformed as float32, integers
 * as the context's default float.
 *
 * n is the number of points along the axis: it is cut there, or zeros are put behind it. s has such numbers for the
 * axes, of which the last ones are meant if there are no axes; -1 is the axis' own. ValueError for fewer than one
 * point. norm: "backward" divides inverse transforms by the number of points, "forward" the others, "ortho" both by
 * its root; ValueError for other texts. */
/* Made by scripts/make-api.py from api/fft.api. */
/* clang-format off */
#ifndef KILN_FFT_H
#define KILN_FFT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_fft_fft_opts {
    size_t size_;
    int64_t n;        /* -1 */
    int axis;         /* -1 */
    const char *norm; /* NULL, "backward"; or "ortho", "forward" */
} kn_fft_fft_opts;
KN_API kn_fft_fft_opts kn_fft_fft_opts_default(void);
typedef struct kn_fft_fftn_opts {
    size_t size_;
    kn_shape s;       /* the extents of the axes unless given */
    kn_axes axes;     /* all of them, or as many of the last ones as s has numbers */
    const char *norm; /* NULL, "backward"; or "ortho", "forward" */
} kn_fft_fftn_opts;
KN_API kn_fft_fftn_opts kn_fft_fftn_opts_default(void);
typedef struct kn_fft_fft2_opts {
    size_t size_;
    kn_shape s;
    kn_axes axes;     /* not given, (-2, -1) */
    const char *norm; /* NULL, "backward"; or "ortho", "forward" */
} kn_fft_fft2_opts;
KN_API kn_fft_fft2_opts kn_fft_fft2_opts_default(void);
typedef struct kn_fft_fftfreq_opts { size_t size_; double d; } kn_fft_fftfreq_opts; /* 1: the distance of samples */
KN_API kn_fft_fftfreq_opts kn_fft_fftfreq_opts_default(void);
typedef struct kn_fft_fftshift_opts { size_t size_; kn_axes axes; } kn_fft_fftshift_opts; /* all of them unless given */
KN_API kn_fft_fftshift_opts kn_fft_fftshift_opts_default(void);
typedef struct kn_fft_dct_opts {
    size_t size_;
    int type;          /* 2: 1 to 4 */
    int64_t n;         /* -1 */
    int axis;          /* -1 */
    const char *norm;  /* NULL, "backward"; or "ortho", "forward" */
    /* -1: 1: the ends are weighed by the root of 2, so that the matrix is orthogonal but for a factor; 0: they are
     * not; -1: they are for norm "ortho" */
    int orthogonalize;
} kn_fft_dct_opts;
KN_API kn_fft_dct_opts kn_fft_dct_opts_default(void);
typedef struct kn_fft_dctn_opts {
    size_t size_;
    int type;          /* 2 */
    kn_shape s;        /* the extents of the axes unless given */
    kn_axes axes;      /* all of them, or as many of the last ones as s has numbers */
    const char *norm;  /* NULL, "backward"; or "ortho", "forward" */
    int orthogonalize; /* -1 */
} kn_fft_dctn_opts;
KN_API kn_fft_dctn_opts kn_fft_dctn_opts_default(void);
typedef struct kn_fft_next_fast_len_opts {
    size_t size_;
    bool real;    /* the factors are 2, 3 and 5; else 7 and 11, too */
} kn_fft_next_fast_len_opts;
KN_API kn_fft_next_fast_len_opts kn_fft_next_fast_len_opts_default(void);

/* ---- Along one axis. */
/* np.fft.fft: the discrete Fourier transform along an axis, complex: number k is the sum of a[j] exp(-2 pi i j k /
 * n) */
KN_API kn_array kn_fft_fft(kn_array a, const kn_fft_fft_opts *opts);
/* np.fft.ifft: the inverse of kn_fft_fft along an axis: number j is the sum of a[k] exp(2 pi i j k / n), over n */
KN_API kn_array kn_fft_ifft(kn_array a, const kn_fft_fft_opts *opts);
/* np.fft.rfft: of real numbers, the first n / 2 + 1 of kn_fft_fft: the others are their conjugates. TypeError for
 * complex ones */
KN_API kn_array kn_fft_rfft(kn_array a, const kn_fft_fft_opts *opts);
/* np.fft.irfft: the inverse of kn_fft_rfft: n real numbers, an even number of them unless n is given. The imaginary
 * parts at both ends count for nothing. */
KN_API kn_array kn_fft_irfft(kn_array a, const kn_fft_fft_opts *opts);
/* np.fft.hfft: n real numbers, the transform of what a is the first half of, the rest being its conjugates */
KN_API kn_array kn_fft_hfft(kn_array a, const kn_fft_fft_opts *opts);
/* np.fft.ihfft: the inverse of kn_fft_hfft: the first n / 2 + 1 of kn_fft_ifft of real numbers, conjugates of those
 * that are left out */
KN_API kn_array kn_fft_ihfft(kn_array a, const kn_fft_fft_opts *opts);

/* ---- Along several axes. */
/* np.fft.fft2: the transform along two axes, the last ones unless given */
KN_API kn_array kn_fft_fft2(kn_array a, const kn_fft_fft2_opts *opts);
KN_API kn_array kn_fft_ifft2(kn_array a, const kn_fft_fft2_opts *opts); /* np.fft.ifft2: the inverse of kn_fft_fft2 */
/* np.fft.rfft2: the transform of real numbers along two axes, of which the last one keeps the first n / 2 + 1
 * numbers */
KN_API kn_array kn_fft_rfft2(kn_array a, const kn_fft_fft2_opts *opts);
/* np.fft.irfft2: the inverse of kn_fft_rfft2: real numbers, an even number along the last axis unless s is given */
KN_API kn_array kn_fft_irfft2(kn_array a, const kn_fft_fft2_opts *opts);
/* np.fft.fftn: the transform along several axes, all of them unless given */
KN_API kn_array kn_fft_fftn(kn_array a, const kn_fft_fftn_opts *opts);
KN_API kn_array kn_fft_ifftn(kn_array a, const kn_fft_fftn_opts *opts); /* np.fft.ifftn: the inverse of kn_fft_fftn */
/* np.fft.rfftn: the transform of real numbers along several axes: kn_fft_rfft of the last one of the axes, then
 * kn_fft_fft of the others */
KN_API kn_array kn_fft_rfftn(kn_array a, const kn_fft_fftn_opts *opts);
/* np.fft.irfftn: the inverse of kn_fft_rfftn: real numbers, an even number along the last axis unless s is given */
KN_API kn_array kn_fft_irfftn(kn_array a, const kn_fft_fftn_opts *opts);
/* scipy.fft.hfft2: real numbers, the transform along two axes of what is given up to the middle of the last one, the
 * rest being conjugates */
KN_API kn_array kn_fft_hfft2(kn_array a, const kn_fft_fft2_opts *opts);
/* scipy.fft.ihfft2: the inverse of kn_fft_hfft2 */
KN_API kn_array kn_fft_ihfft2(kn_array a, const kn_fft_fft2_opts *opts);
/* scipy.fft.hfftn: real numbers, the transform along several axes of what is given up to the middle of the last one:
 * kn_fft_fft of all axes but the last one, then kn_fft_hfft of that */
KN_API kn_array kn_fft_hfftn(kn_array a, const kn_fft_fftn_opts *opts);
/* scipy.fft.ihfftn: the inverse of kn_fft_hfftn */
KN_API kn_array kn_fft_ihfftn(kn_array a, const kn_fft_fftn_opts *opts);

/* ---- Cosines and sines. Of real numbers x[0] .. x[n-1]; complex ones part by part. Numbers k of the results are,
 * with t = pi / n but as said: type 1 (n - 1 in the place of n; sines: n + 1): x[0] + (-1)^k x[n-1] + 2 sum of x[j]
 * cos(j k t), j from 1 to n - 2; 2: 2 sum of x[j] cos((j + 1/2) k t); 3: x[0] + 2 sum of x[j] cos(j (k + 1/2) t), j
 * from 1; 4: 2 sum of x[j] cos((j + 1/2) (k + 1/2) t). Sines: type 1: 2 sum of x[j] sin((j + 1) (k + 1) t); 2: 2 sum
 * of x[j] sin((j + 1/2) (k + 1) t); 3: (-1)^k x[n-1] + 2 sum of x[j] sin((j + 1) (k + 1/2) t), j to n - 2; 4: as
 * cosines. norm divides by 2 n (type 1: 2 n - 2, sines 2 n + 2). Unlike jax.scipy.fft, which has type 2 alone.
 * ValueError for other types and fewer than one number, RuntimeError for one number and type 1 of cosines. */
/* scipy.fft.dct: the discrete cosine transform along an axis, of types 1 to 4 (above), real: type 2 is the sum of 2
 * x[j] cos(pi (j + 1/2) k / n) */
KN_API kn_array kn_fft_dct(kn_array x, const kn_fft_dct_opts *opts);
/* scipy.fft.idct: the inverse of kn_fft_dct of that type: of types 2 and 3 the other one, divided */
KN_API kn_array kn_fft_idct(kn_array x, const kn_fft_dct_opts *opts);
/* scipy.fft.dst: the discrete sine transform along an axis, of types 1 to 4 (above), real: type 2 is the sum of 2
 * x[j] sin(pi (j + 1/2) (k + 1) / n) */
KN_API kn_array kn_fft_dst(kn_array x, const kn_fft_dct_opts *opts);
/* scipy.fft.idst: the inverse of kn_fft_dst of that type */
KN_API kn_array kn_fft_idst(kn_array x, const kn_fft_dct_opts *opts);
/* scipy.fft.dctn: the cosine transform along several axes, all of them unless given, each once: ValueError otherwise */
KN_API kn_array kn_fft_dctn(kn_array x, const kn_fft_dctn_opts *opts);
/* scipy.fft.idctn: the inverse of kn_fft_dctn */
KN_API kn_array kn_fft_idctn(kn_array x, const kn_fft_dctn_opts *opts);
/* scipy.fft.dstn: the sine transform along several axes, all of them unless given, each once: ValueError otherwise */
KN_API kn_array kn_fft_dstn(kn_array x, const kn_fft_dctn_opts *opts);
/* scipy.fft.idstn: the inverse of kn_fft_dstn */
KN_API kn_array kn_fft_idstn(kn_array x, const kn_fft_dctn_opts *opts);

/* ---- Frequencies. */
/* np.fft.fftfreq: the frequencies of the numbers that kn_fft_fft gives of n samples: 0, 1, ..., -2, -1 over n d.
 * ZeroDivisionError for n d = 0, ValueError for n < 0 */
KN_API kn_array kn_fft_fftfreq(int64_t n, const kn_fft_fftfreq_opts *opts);
/* np.fft.rfftfreq: the frequencies of the numbers that kn_fft_rfft gives of n samples: 0 .. n / 2 over n d */
KN_API kn_array kn_fft_rfftfreq(int64_t n, const kn_fft_fftfreq_opts *opts);
/* np.fft.fftshift: x rolled by half of the extents along all axes, or those given, so that frequency 0 is in the
 * middle */
KN_API kn_array kn_fft_fftshift(kn_array x, const kn_fft_fftshift_opts *opts);
/* np.fft.ifftshift: x rolled back: the inverse of kn_fft_fftshift, also for odd extents */
KN_API kn_array kn_fft_ifftshift(kn_array x, const kn_fft_fftshift_opts *opts);

/* ---- Lengths. */
/* scipy.fft.next_fast_len: the least number of points, target or more, whose factors are small, so that it is
 * transformed fast. -1 for an error: ValueError for target < 0 */
KN_API int64_t kn_fft_next_fast_len(int64_t target, const kn_fft_next_fast_len_opts *opts);
/* scipy.fft.prev_fast_len: the greatest number of points, target or less, whose factors are small. -1 for an error:
 * ValueError for target < 1 */
KN_API int64_t kn_fft_prev_fast_len(int64_t target, const kn_fft_next_fast_len_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_fft_fft(a, ...) KN_F1O(kn_fft_fft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_ifft(a, ...) KN_F1O(kn_fft_ifft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_rfft(a, ...) KN_F1O(kn_fft_rfft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_irfft(a, ...) KN_F1O(kn_fft_irfft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_hfft(a, ...) KN_F1O(kn_fft_hfft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_ihfft(a, ...) KN_F1O(kn_fft_ihfft, kn_fft_fft_opts, (.n = -1, .axis = -1, ), a, __VA_ARGS__)
#define kn_fft_fft2(a, ...) KN_F1O(kn_fft_fft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_ifft2(a, ...) KN_F1O(kn_fft_ifft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_rfft2(a, ...) KN_F1O(kn_fft_rfft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_irfft2(a, ...) KN_F1O(kn_fft_irfft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_fftn(a, ...) KN_F1O(kn_fft_fftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_ifftn(a, ...) KN_F1O(kn_fft_ifftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_rfftn(a, ...) KN_F1O(kn_fft_rfftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_irfftn(a, ...) KN_F1O(kn_fft_irfftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_hfft2(a, ...) KN_F1O(kn_fft_hfft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_ihfft2(a, ...) KN_F1O(kn_fft_ihfft2, kn_fft_fft2_opts, (), a, __VA_ARGS__)
#define kn_fft_hfftn(a, ...) KN_F1O(kn_fft_hfftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_ihfftn(a, ...) KN_F1O(kn_fft_ihfftn, kn_fft_fftn_opts, (), a, __VA_ARGS__)
#define kn_fft_dct(x, ...)                                                                                             \
    KN_F1O(kn_fft_dct, kn_fft_dct_opts, (.type = 2, .n = -1, .axis = -1, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_idct(x, ...)                                                                                            \
    KN_F1O(kn_fft_idct, kn_fft_dct_opts, (.type = 2, .n = -1, .axis = -1, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_dst(x, ...)                                                                                             \
    KN_F1O(kn_fft_dst, kn_fft_dct_opts, (.type = 2, .n = -1, .axis = -1, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_idst(x, ...)                                                                                            \
    KN_F1O(kn_fft_idst, kn_fft_dct_opts, (.type = 2, .n = -1, .axis = -1, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_dctn(x, ...) KN_F1O(kn_fft_dctn, kn_fft_dctn_opts, (.type = 2, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_idctn(x, ...) KN_F1O(kn_fft_idctn, kn_fft_dctn_opts, (.type = 2, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_dstn(x, ...) KN_F1O(kn_fft_dstn, kn_fft_dctn_opts, (.type = 2, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_idstn(x, ...) KN_F1O(kn_fft_idstn, kn_fft_dctn_opts, (.type = 2, .orthogonalize = -1, ), x, __VA_ARGS__)
#define kn_fft_fftfreq(n, ...) KN_G1O(kn_fft_fftfreq, kn_fft_fftfreq_opts, (.d = 1, ), int64_t, n, __VA_ARGS__)
#define kn_fft_rfftfreq(n, ...) KN_G1O(kn_fft_rfftfreq, kn_fft_fftfreq_opts, (.d = 1, ), int64_t, n, __VA_ARGS__)
#define kn_fft_fftshift(x, ...) KN_F1O(kn_fft_fftshift, kn_fft_fftshift_opts, (), x, __VA_ARGS__)
#define kn_fft_ifftshift(x, ...) KN_F1O(kn_fft_ifftshift, kn_fft_fftshift_opts, (), x, __VA_ARGS__)
#define kn_fft_next_fast_len(target, ...)                                                                              \
    KN_G1O(kn_fft_next_fast_len, kn_fft_next_fast_len_opts, (), int64_t, target, __VA_ARGS__)
#define kn_fft_prev_fast_len(target, ...)                                                                              \
    KN_G1O(kn_fft_prev_fast_len, kn_fft_next_fast_len_opts, (), int64_t, target, __VA_ARGS__)
#endif
#endif
