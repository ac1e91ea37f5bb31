/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/signal.hpp -- the functions of kiln/signal.h in C++. */
/* Made by scripts/make-api.py from api/signal.api. */
/* clang-format off */
#ifndef KILN_CPP_SIGNAL_HPP
#define KILN_CPP_SIGNAL_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace signal {
struct convolve_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "full" */
    KILN_OPTION((::kiln::text), method, {}) /* "direct" */
    kn_signal_convolve_opts c() const {
        kn_signal_convolve_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.method = detail::c_of(method); return to_; }
};
struct fftconvolve_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "full" */
    KILN_OPTION((::kiln::axes), axes, {}) /* all of them unless given; the others are broadcast */
    kn_signal_fftconvolve_opts c() const {
        kn_signal_fftconvolve_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.axes = detail::c_of(axes); return to_; }
};
struct convolve2d_opts {
    KILN_OPTION((::kiln::text), mode, {})
    KILN_OPTION((::kiln::text), boundary, {})
    KILN_OPTION((::kiln::array), fillvalue, {})
    kn_signal_convolve2d_opts c() const {
        kn_signal_convolve2d_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.boundary = detail::c_of(boundary); to_.fillvalue = detail::c_of(fillvalue); return to_; }
};
/* the convolution of arrays of the same number of axes: sums of in1 times in2 reversed, at each place */
inline array convolve(const ::kiln::operand &in1, const ::kiln::operand &in2, const ::kiln::signal::convolve_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array in1_h = in1.c(); kn_array in2_h = in2.c(); kn_signal_convolve_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_signal_convolve(in1_h, in2_h, &opts_c))); }
using correlate_opts = ::kiln::signal::convolve_opts;
/* the correlation of two arrays, how alike they are at each shift: the convolution with in2 reversed and conjugated */
inline array correlate(const ::kiln::operand &in1, const ::kiln::operand &in2, const ::kiln::signal::convolve_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array in1_h = in1.c(); kn_array in2_h = in2.c(); kn_signal_convolve_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_signal_correlate(in1_h, in2_h, &opts_c))); }
/* scipy.signal.fftconvolve: the convolution by method "fft", which is faster for long arrays; integers give the
 * default float. ValueError as for kn_signal_convolve, and where the other axes do not broadcast */
inline array fftconvolve(const ::kiln::operand &in1, const ::kiln::operand &in2, const ::kiln::signal::fftconvolve_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array in1_h = in1.c(); kn_array in2_h = in2.c(); kn_signal_fftconvolve_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_signal_fftconvolve(in1_h, in2_h, &opts_c))); }
/* the convolution of matrices, with what lies around in1 as `boundary` says; ValueError for other arrays or
 * boundaries */
inline array convolve2d(const ::kiln::operand &in1, const ::kiln::operand &in2, const ::kiln::signal::convolve2d_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array in1_h = in1.c(); kn_array in2_h = in2.c(); kn_signal_convolve2d_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_signal_convolve2d(in1_h, in2_h, &opts_c))); }
using correlate2d_opts = ::kiln::signal::convolve2d_opts;
/* the correlation of matrices: their convolution with in2 reversed along both axes and conjugated */
inline array correlate2d(const ::kiln::operand &in1, const ::kiln::operand &in2, const ::kiln::signal::convolve2d_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array in1_h = in1.c(); kn_array in2_h = in2.c(); kn_signal_convolve2d_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_signal_correlate2d(in1_h, in2_h, &opts_c))); }
struct get_window_opts {
    KILN_OPTION((bool), fftbins, true) /* periodic: the first of Nx + 1 samples; false: symmetric */
    KILN_OPTION((double), beta, __builtin_nan("")) /* of "kaiser", which has no default */
    kn_signal_get_window_opts c() const {
        kn_signal_get_window_opts to_ = {}; to_.size_ = sizeof to_; to_.fftbins = detail::c_of(fftbins);
        to_.beta = detail::c_of(beta); return to_; }
};
/* scipy.signal.get_window: Nx weights of a window, of the default float; SciPy's other names of these windows are
 * known, too. ValueError for other windows and Nx < 1 */
inline array get_window(const ::kiln::text &window, int64_t Nx, const ::kiln::signal::get_window_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_signal_get_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_signal_get_window(window.c(), Nx, &opts_c))); }
struct stft_opts {
    KILN_OPTION((double), fs, 1) /* samples in a unit of time */
    KILN_OPTION((::kiln::text), window, {}) /* "hann" */
    KILN_OPTION((::kiln::array), win, {}) /* the window itself, nperseg numbers, in the place of a name */
    KILN_OPTION((int64_t), nperseg, -1) /* 256 */
    KILN_OPTION((int64_t), noverlap, -1) /* nperseg / 2 */
    KILN_OPTION((int64_t), nfft, -1) /* nperseg */
    KILN_OPTION((::kiln::text), detrend, {}) /* "none" */
    KILN_OPTION((bool), onesided, true)
    KILN_OPTION((::kiln::text), boundary, {}) /* what half of a segment at both ends has */
    KILN_OPTION((bool), padded, true) /* zeros at the end make segments whole */
    KILN_OPTION((::kiln::text), scaling, {}) /* "spectrum" */
    KILN_OPTION((int), axis, -1)
    kn_signal_stft_opts c() const {
        kn_signal_stft_opts to_ = {}; to_.size_ = sizeof to_; to_.fs = detail::c_of(fs);
        to_.window = detail::c_of(window); to_.win = detail::c_of(win); to_.nperseg = detail::c_of(nperseg);
        to_.noverlap = detail::c_of(noverlap); to_.nfft = detail::c_of(nfft); to_.detrend = detail::c_of(detrend);
        to_.onesided = detail::c_of(onesided); to_.boundary = detail::c_of(boundary); to_.padded = detail::c_of(padded);
        to_.scaling = detail::c_of(scaling); to_.axis = detail::c_of(axis); return to_; }
};
struct istft_opts {
    KILN_OPTION((double), fs, 1)
    KILN_OPTION((::kiln::text), window, {}) /* "hann" */
    KILN_OPTION((::kiln::array), win, {})
    KILN_OPTION((int64_t), nperseg, -1) /* as many as the frequencies say */
    KILN_OPTION((int64_t), noverlap, -1) /* nperseg / 2 */
    KILN_OPTION((int64_t), nfft, -1)
    KILN_OPTION((bool), input_onesided, true)
    KILN_OPTION((bool), boundary, true) /* the signal was extended: half of a segment at both ends is left out */
    KILN_OPTION((int), time_axis, -1)
    KILN_OPTION((int), freq_axis, -2)
    KILN_OPTION((::kiln::text), scaling, {}) /* "spectrum" */
    kn_signal_istft_opts c() const {
        kn_signal_istft_opts to_ = {}; to_.size_ = sizeof to_; to_.fs = detail::c_of(fs);
        to_.window = detail::c_of(window); to_.win = detail::c_of(win); to_.nperseg = detail::c_of(nperseg);
        to_.noverlap = detail::c_of(noverlap); to_.nfft = detail::c_of(nfft);
        to_.input_onesided = detail::c_of(input_onesided); to_.boundary = detail::c_of(boundary);
        to_.time_axis = detail::c_of(time_axis); to_.freq_axis = detail::c_of(freq_axis);
        to_.scaling = detail::c_of(scaling); return to_; }
};
struct csd_opts {
    KILN_OPTION((double), fs, 1)
    KILN_OPTION((::kiln::text), window, {}) /* of kn_signal_periodogram "boxcar" */
    KILN_OPTION((::kiln::array), win, {})
    KILN_OPTION((int64_t), nperseg, -1) /* of kn_signal_periodogram all samples */
    KILN_OPTION((int64_t), noverlap, -1) /* nperseg / 2 */
    KILN_OPTION((int64_t), nfft, -1) /* nperseg */
    KILN_OPTION((::kiln::text), detrend, {}) /* "constant" */
    KILN_OPTION((bool), onesided, true)
    KILN_OPTION((::kiln::text), scaling, {}) /* "density" */
    KILN_OPTION((int), axis, -1)
    KILN_OPTION((::kiln::text), average, {}) /* over the segments; the median over its bias */
    kn_signal_csd_opts c() const {
        kn_signal_csd_opts to_ = {}; to_.size_ = sizeof to_; to_.fs = detail::c_of(fs);
        to_.window = detail::c_of(window); to_.win = detail::c_of(win); to_.nperseg = detail::c_of(nperseg);
        to_.noverlap = detail::c_of(noverlap); to_.nfft = detail::c_of(nfft); to_.detrend = detail::c_of(detrend);
        to_.onesided = detail::c_of(onesided); to_.scaling = detail::c_of(scaling); to_.axis = detail::c_of(axis);
        to_.average = detail::c_of(average); return to_; }
};
struct detrend_opts {
    KILN_OPTION((int), axis, -1)
    KILN_OPTION((::kiln::text), type, {}) /* "linear" */
    KILN_OPTION((::kiln::shape), bp, {}) /* where pieces with lines of their own begin */
    kn_signal_detrend_opts c() const {
        kn_signal_detrend_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.type = detail::c_of(type); to_.bp = detail::c_of(bp); return to_; }
};
struct spectra { array frequencies; array times; array values; };
/* scipy.signal.stft: the Fourier transforms of the segments of a signal, complex: frequencies in the place of the
 * axis, segments behind all others */
inline ::kiln::signal::spectra stft(const ::kiln::operand &x, const ::kiln::signal::stft_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_signal_stft_opts opts_c = opts.c(); c_.here(); kn_signal_spectra
    r_ = c_.value(kn_signal_stft(x_h, &opts_c)); return ::kiln::signal::spectra{array::share(r_.frequencies),
    array::share(r_.times), array::share(r_.values)}; }
struct samples { array times; array values; };
/* scipy.signal.istft: the signal again of what kn_signal_stft gave: segments times the window, added, over the sum
 * of the windows' squares */
inline ::kiln::signal::samples istft(const ::kiln::operand &Zxx, const ::kiln::signal::istft_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array Zxx_h = Zxx.c(); kn_signal_istft_opts opts_c = opts.c(); c_.here(); kn_signal_samples
    r_ = c_.value(kn_signal_istft(Zxx_h, &opts_c)); return ::kiln::signal::samples{array::share(r_.times),
    array::share(r_.values)}; }
struct spectrum { array frequencies; array values; };
/* scipy.signal.csd: the cross spectral density of two signals: the mean (or median, part by part) over the segments
 * of conj(X) Y, a density of power, complex */
inline ::kiln::signal::spectrum csd(const ::kiln::operand &x, const ::kiln::operand &y, const ::kiln::signal::csd_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_signal_csd_opts opts_c = opts.c(); c_.here();
    kn_signal_spectrum r_ = c_.value(kn_signal_csd(x_h, y_h, &opts_c)); return
    ::kiln::signal::spectrum{array::share(r_.frequencies), array::share(r_.values)}; }
using welch_opts = ::kiln::signal::csd_opts;
/* scipy.signal.welch: the power spectral density of a signal by Welch's method, real: kn_signal_csd of x with itself */
inline ::kiln::signal::spectrum welch(const ::kiln::operand &x, const ::kiln::signal::csd_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_signal_csd_opts opts_c = opts.c(); c_.here(); kn_signal_spectrum
    r_ = c_.value(kn_signal_welch(x_h, &opts_c)); return ::kiln::signal::spectrum{array::share(r_.frequencies),
    array::share(r_.values)}; }
using periodogram_opts = ::kiln::signal::csd_opts;
/* scipy.signal.periodogram: the power spectral density of all samples at once, real: kn_signal_welch of one segment */
inline ::kiln::signal::spectrum periodogram(const ::kiln::operand &x, const ::kiln::signal::csd_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_signal_csd_opts opts_c = opts.c(); c_.here(); kn_signal_spectrum
    r_ = c_.value(kn_signal_periodogram(x_h, &opts_c)); return ::kiln::signal::spectrum{array::share(r_.frequencies),
    array::share(r_.values)}; }
/* scipy.signal.detrend: data without the line (or the mean) nearest to each piece along an axis. ValueError for
 * breakpoints beyond the axis */
inline array detrend(const ::kiln::operand &data, const ::kiln::signal::detrend_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array data_h = data.c(); kn_signal_detrend_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_signal_detrend(data_h, &opts_c))); }
} // namespace signal
} // namespace kiln
#endif
