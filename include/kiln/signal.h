/* SPDX-License-Identifier: Apache-2.0
 * kiln/signal.h -- scipy.signal: convolutions of arrays of any number of axes, summed directly, each as one
 * conv_general_dilated. Operands are promoted as in NumPy; the result has their dtype.
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

typedef struct kn_signal_convolve_opts { size_t size_; const char *mode; } kn_signal_convolve_opts; /* "full" */
KN_API kn_signal_convolve_opts kn_signal_convolve_opts_default(void);
typedef struct kn_signal_convolve2d_opts {
    size_t size_;
    const char *mode;
    /* what lies around in1: "fill" (the default) or "pad", the fillvalue (0); "wrap" or "circular", in1 again;
     * "symm" or "symmetric", in1 reflected at its edges. */
    const char *boundary;
    kn_array fillvalue;
} kn_signal_convolve2d_opts;
KN_API kn_signal_convolve2d_opts kn_signal_convolve2d_opts_default(void);
KN_API kn_array kn_signal_convolve(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts); /* convolve */
/* correlate: the convolution with in2 reversed and conjugated */
KN_API kn_array kn_signal_correlate(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts);
/* convolve2d: of matrices; ValueError for other arrays or boundaries */
KN_API kn_array kn_signal_convolve2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts);
/* correlate2d */
KN_API kn_array kn_signal_correlate2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_signal_convolve(in1, in2, ...) KN_F2O(kn_signal_convolve, kn_signal_convolve_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_correlate(in1, in2, ...)                                                                             \
    KN_F2O(kn_signal_correlate, kn_signal_convolve_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_convolve2d(in1, in2, ...)                                                                            \
    KN_F2O(kn_signal_convolve2d, kn_signal_convolve2d_opts, (), in1, in2, __VA_ARGS__)
#define kn_signal_correlate2d(in1, in2, ...)                                                                           \
    KN_F2O(kn_signal_correlate2d, kn_signal_convolve2d_opts, (), in1, in2, __VA_ARGS__)
#endif
#endif
