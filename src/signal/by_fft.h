/* SPDX-License-Identifier: Apache-2.0
 * by_fft.h -- convolutions as products of Fourier transforms. */
#ifndef KN_SIGNAL_BY_FFT_H
#define KN_SIGNAL_BY_FFT_H
#include "kiln/signal.h"
#include "lib/compose.h"

kn_array knsignal_by_fft(const char *name, kn_array in1, kn_array in2, const char *mode, kn_axes axes);
/* Is a convolution of these in dtype d shorter this way? Only of floats and complex numbers of known extents. */
bool knsignal_prefers_fft(kni_type x, kni_type k, kn_dtype d);
#endif
