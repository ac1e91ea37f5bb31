/* SPDX-License-Identifier: Apache-2.0
 * kiln/signal.h -- scipy.signal: convolutions of arrays of any number of axes, windows, and spectra of signals in
 * segments.
 *
 * Convolutions are summed directly, each as one conv_general_dilated, unless `method` says otherwise. Operands are
 * promoted as in NumPy; the result has their dtype.
 *
 * method: "direct" (the default); "fft", a product of Fourier transforms: each element has an error of the size of
 * the largest ones' (docs/fft.md), integers are rounded, and one infinity or NaN is everywhere; "auto", the one of
 * both that takes fewer operations by the extents and the dtype: "direct" for integers and unknown extents.
 * ValueError for others.
 *
 * mode: "full" (the default), wherever the operands meet; "same", the middle of it, of in1's shape; "valid", where
 * one lies inside of the other. ValueError for other modes, for operands of different numbers of axes or without
 * elements, and for "valid" if neither is at least as large as the other along all axes. */
/* Made by scripts/make-api.py from api/signal.api. */
/* clang-format off */
#ifndef KILN_SIGNAL_H
#define KILN_SIGNAL_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_signal_convolve_opts {
    size_t size_;
    const char *mode;   /* "full" */
    const char *method; /* NULL, "direct"; or "fft", "auto" */
} kn_signal_convolve_opts;
KN_API kn_signal_convolve_opts kn_signal_convolve_opts_default(void);
typedef struct kn_signal_fftconvolve_opts {
    size_t size_;
    const char *mode; /* NULL, "full"; or "same", "valid" */
    kn_axes axes;     /* all of them unless given; the others are broadcast */
} kn_signal_fftconvolve_opts;
KN_API kn_signal_fftconvolve_opts kn_signal_fftconvolve_opts_default(void);
typedef struct kn_signal_convolve2d_opts {
    size_t size_;
    const char *mode;
    /* what lies around in1: "fill" (the default) or "pad", the fillvalue (0); "wrap" or "circular", in1 again;
     * "symm" or "symmetric", in1 reflected at its edges. */
    const char *boundary;
    kn_array fillvalue;
} kn_signal_convolve2d_opts;
KN_API kn_signal_convolve2d_opts kn_signal_convolve2d_opts_default(void);
/* the convolution of arrays of the same number of axes: sums of in1 times in2 reversed, at each place */
KN_API kn_array kn_signal_convolve(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts);
/* the correlation of two arrays, how alike they are at each shift: the convolution with in2 reversed and conjugated */
KN_API kn_array kn_signal_correlate(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts);
/* scipy.signal.fftconvolve: the convolution by method "fft", which is faster for long arrays; integers give the
 * default float. ValueError as for kn_signal_convolve, and where the other axes do not broadcast */
KN_API kn_array kn_signal_fftconvolve(kn_array in1, kn_array in2, const kn_signal_fftconvolve_opts *opts);
/* the convolution of matrices, with what lies around in1 as `boundary` says; ValueError for other arrays or
 * boundaries */
KN_API kn_array kn_signal_convolve2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts);
/* the correlation of matrices: their convolution with in2 reversed along both axes and conjugated */
KN_API kn_array kn_signal_correlate2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts);

/* ---- Windows. */
typedef struct kn_signal_get_window_opts {
    size_t size_;
    bool fftbins; /* true: periodic: the first of Nx + 1 samples; false: symmetric */
    double beta;  /* NAN: of "kaiser", which has no default */
} kn_signal_get_window_opts;
KN_API kn_signal_get_window_opts kn_signal_get_window_opts_default(void);
/* scipy.signal.get_window: Nx weights of a window, of the default float; SciPy's other names of these windows are
 * known, too. ValueError for other windows and Nx < 1 */
KN_API kn_array kn_signal_get_window(const char *window, int64_t Nx, const kn_signal_get_window_opts *opts);

/* ---- Spectra. A signal along one axis in segments of nperseg samples, noverlap of which are the next segment's,
 * too; each without its trend, times the window, followed by zeros up to nfft samples, transformed. Of real signals
 * frequencies from 0 to half of fs, unless .onesided is false. ValueError where noverlap is not below nperseg or
 * nfft is, for signals without elements and for texts that are not listed. Where nperseg is longer than the signal
 * it is the signal's length. */
typedef struct kn_signal_spectra { kn_array frequencies, times, values; } kn_signal_spectra;
typedef struct kn_signal_spectrum { kn_array frequencies, values; } kn_signal_spectrum;
typedef struct kn_signal_samples { kn_array times, values; } kn_signal_samples;
typedef struct kn_signal_stft_opts {
    size_t size_;
    double fs;            /* 1: samples in a unit of time */
    const char *window;   /* NULL, "hann" */
    kn_array win;         /* the window itself, nperseg numbers, in the place of a name */
    int64_t nperseg;      /* -1 */
    int64_t noverlap;     /* -1 */
    int64_t nfft;         /* -1 */
    const char *detrend;  /* NULL, "none"; or "constant", "linear" */
    bool onesided;        /* true */
    /* NULL, "zeros"; or "even", "odd", "constant", "none": what half of a segment at both ends has */
    const char *boundary;
    bool padded;          /* true: zeros at the end make segments whole */
    const char *scaling;  /* NULL, "spectrum"; or "psd" */
    int axis;             /* -1 */
} kn_signal_stft_opts;
KN_API kn_signal_stft_opts kn_signal_stft_opts_default(void);
typedef struct kn_signal_istft_opts {
    size_t size_;
    double fs;           /* 1 */
    const char *window;  /* NULL, "hann" */
    kn_array win;
    int64_t nperseg;     /* -1: as many as the frequencies say */
    int64_t noverlap;    /* -1 */
    int64_t nfft;        /* -1 */
    bool input_onesided; /* true */
    bool boundary;       /* true: the signal was extended: half of a segment at both ends is left out */
    int time_axis;       /* -1 */
    int freq_axis;       /* -2 */
    const char *scaling; /* NULL, "spectrum"; or "psd" */
} kn_signal_istft_opts;
KN_API kn_signal_istft_opts kn_signal_istft_opts_default(void);
typedef struct kn_signal_csd_opts {
    size_t size_;
    double fs;           /* 1 */
    const char *window;  /* NULL, "hann": of kn_signal_periodogram "boxcar" */
    kn_array win;
    int64_t nperseg;     /* -1: of kn_signal_periodogram all samples */
    int64_t noverlap;    /* -1 */
    int64_t nfft;        /* -1 */
    const char *detrend; /* NULL, "constant"; or "none", "linear" */
    bool onesided;       /* true */
    const char *scaling; /* NULL, "density"; or "spectrum" */
    int axis;            /* -1 */
    const char *average; /* NULL, "mean"; or "median": over the segments; the median over its bias */
} kn_signal_csd_opts;
KN_API kn_signal_csd_opts kn_signal_csd_opts_default(void);
typedef struct kn_signal_detrend_opts {
    size_t size_;
    int axis;         /* -1 */
    const char *type; /* NULL, "linear"; or "constant" */
    kn_shape bp;      /* where pieces with lines of their own begin */
} kn_signal_detrend_opts;
KN_API kn_signal_detrend_opts kn_signal_detrend_opts_default(void);
/* scipy.signal.stft: the Fourier transforms of the segments of a signal, complex: frequencies in the place of the
 * axis, segments behind all others */
KN_API kn_signal_spectra kn_signal_stft(kn_array x, const kn_signal_stft_opts *opts);
/* scipy.signal.istft: the signal again of what kn_signal_stft gave: segments times the window, added, over the sum
 * of the windows' squares */
KN_API kn_signal_samples kn_signal_istft(kn_array Zxx, const kn_signal_istft_opts *opts);
/* scipy.signal.csd: the cross spectral density of two signals: the mean (or median, part by part) over the segments
 * of conj(X) Y, a density of power, complex */
KN_API kn_signal_spectrum kn_signal_csd(kn_array x, kn_array y, const kn_signal_csd_opts *opts);
/* scipy.signal.welch: the power spectral density of a signal by Welch's method, real: kn_signal_csd of x with itself */
KN_API kn_signal_spectrum kn_signal_welch(kn_array x, const kn_signal_csd_opts *opts);
/* scipy.signal.periodogram: the power spectral density of all samples at once, real: kn_signal_welch of one segment */
KN_API kn_signal_spectrum kn_signal_periodogram(kn_array x, const kn_signal_csd_opts *opts);
/* scipy.signal.detrend: data without the line (or the mean) nearest to each piece along an axis. ValueError for
 * breakpoints beyond the axis */
KN_API kn_array kn_signal_detrend(kn_array data, const kn_signal_detrend_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_signal_convolve(in1, in2, ...) KN_F2O(kn_signal_convolve, kn_signal_convolve_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_correlate(in1, in2, ...)                                                                             \
    KN_F2O(kn_signal_correlate, kn_signal_convolve_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_fftconvolve(in1, in2, ...)                                                                           \
    KN_F2O(kn_signal_fftconvolve, kn_signal_fftconvolve_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_convolve2d(in1, in2, ...)                                                                            \
    KN_F2O(kn_signal_convolve2d, kn_signal_convolve2d_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_correlate2d(in1, in2, ...)                                                                           \
    KN_F2O(kn_signal_correlate2d, kn_signal_convolve2d_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_get_window(window, Nx, ...)                                                                          \
    KN_G2O(kn_signal_get_window, kn_signal_get_window_opts, (.fftbins = true, .beta = __builtin_nan(""), ), const char \
    *, window, int64_t, Nx, __VA_ARGS__)
#define kn_signal_stft(x, ...)                                                                                         \
    KN_F1O(kn_signal_stft, kn_signal_stft_opts, (.fs = 1, .nperseg = -1, .noverlap = -1, .nfft = -1, .onesided = true, \
    .padded = true, .axis = -1, ), x, __VA_ARGS__)
#define kn_signal_istft(Zxx, ...)                                                                                      \
    KN_F1O(kn_signal_istft, kn_signal_istft_opts, (.fs = 1, .nperseg = -1, .noverlap = -1, .nfft = -1,                 \
    .input_onesided = true, .boundary = true, .time_axis = -1, .freq_axis = -2, ), Zxx, __VA_ARGS__)
#define kn_signal_csd(x, y, ...)                                                                                       \
    KN_F2O(kn_signal_csd, kn_signal_csd_opts, (.fs = 1, .nperseg = -1, .noverlap = -1, .nfft = -1, .onesided = true,   \
    .axis = -1, ), x, y, __VA_ARGS__)
#define kn_signal_welch(x, ...)                                                                                        \
    KN_F1O(kn_signal_welch, kn_signal_csd_opts, (.fs = 1, .nperseg = -1, .noverlap = -1, .nfft = -1, .onesided = true, \
    .axis = -1, ), x, __VA_ARGS__)
#define kn_signal_periodogram(x, ...)                                                                                  \
    KN_F1O(kn_signal_periodogram, kn_signal_csd_opts, (.fs = 1, .nperseg = -1, .noverlap = -1, .nfft = -1,             \
    .onesided = true, .axis = -1, ), x, __VA_ARGS__)
#define kn_signal_detrend(data, ...)                                                                                   \
    KN_F1O(kn_signal_detrend, kn_signal_detrend_opts, (.axis = -1, ), data, __VA_ARGS__)
#endif
#endif
