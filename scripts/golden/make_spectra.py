#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/spectra.txt: calls of scipy.signal in the format of make_numpy.py: convolutions by transforms, windows, spectra.

usage: make_spectra.py tests/golden
"""
import sys
import warnings

import numpy as np
import scipy.signal as S
from make_numpy import call, values

warnings.simplefilter("ignore")


def convolve(a, b, mode="full", method="fft"):
    return S.convolve(a, b, mode, method)


def correlate(a, b, mode="full", method="fft"):
    return S.correlate(a, b, mode, method)


def get_window(_, window, Nx, fftbins=True, beta=None):
    return S.get_window((window, beta) if beta else window, Nx, fftbins)


def python(options):
    """SciPy's None and False are "none" here."""
    named = {"onesided": "return_onesided"}
    off = {"detrend": False, "boundary": None}
    return {named.get(k, k): off[k] if v == "none" else v for k, v in options.items()}


def stft(x, **options):
    return S.stft(x, **python(options))


def istft(z, **options):
    return S.istft(z, **options)


def csd(x, y, **options):
    return S.csd(x, y, **python(options))


def welch(x, **options):
    return S.welch(x, **python(options))


def periodogram(x, **options):
    return S.periodogram(x, **python(options))


def detrend(x, **options):
    return S.detrend(x, **options)


def main(out):
    for mode in "full", "same", "valid":
        for s, t in [((9,), (4,)), ((4,), (9,)), ((6,), (1,)), ((1,), (3,)), ((5, 7), (3, 2)), ((2, 3, 4), (2, 2, 3)), ((), ())]:
            for d, e in ("float64", "float64"), ("float32", "float32"), ("complex64", "float32"), ("int16", "int16"):
                if mode == "same" and s != () and s < t:
                    continue
                a, b = values(d, s, 1), values(e, t, 2)
                call(out, "fftconvolve", S.fftconvolve, a, b, mode=mode)
                if s:
                    call(out, "signal_convolve", convolve, a, b, mode=mode, method="fft")
                    call(out, "signal_correlate", correlate, a, b, mode=mode, method="fft")
        call(out, "fftconvolve", S.fftconvolve, values("float64", (3, 9), 1), values("float64", (1, 4), 2), mode=mode, axes=(1,))
    call(out, "fftconvolve", S.fftconvolve, values("float64", (3, 9), 1), values("float64", (4,), 2))
    call(out, "fftconvolve", S.fftconvolve, values("float64", (9,), 1), values("float64", (4,), 2), mode="middle")
    call(out, "fftconvolve", S.fftconvolve, values("float64", (9, 2), 1), values("float64", (4, 5), 2), mode="valid")
    x = np.sin(np.arange(40) * 0.7) + 0.1 * np.arange(40)
    y = np.cos(np.arange(40) * 1.1)
    m = np.sin(np.arange(120).reshape(40, 3) * 0.3)
    for options in [{}, {"nperseg": 8}, {"nperseg": 9, "noverlap": 3, "fs": 10.0}, {"nperseg": 8, "nfft": 13}, {"nperseg": 8, "window": "boxcar", "noverlap": 0},
                    {"nperseg": 8, "onesided": False}, {"nperseg": 8, "detrend": "linear"}, {"nperseg": 7, "detrend": "constant"}]:
        one = y if options.get("detrend") == "linear" else x  # without a trend whose rounding would show
        call(out, "stft", stft, one, **options)
        call(out, "csd", csd, one, one * np.abs(one), **options)
        call(out, "welch", welch, one, **options)
    for boundary in "zeros", "even", "odd", "constant", "none":
        for padded in True, False:
            call(out, "stft", stft, x, nperseg=10, noverlap=7, boundary=boundary, padded=padded)
    call(out, "stft", stft, x + 1j * y, nperseg=8)
    call(out, "stft", stft, x.astype(np.float32), nperseg=8, scaling="psd")
    call(out, "stft", stft, m, nperseg=8, axis=0)
    call(out, "welch", welch, m, nperseg=8, axis=0)
    call(out, "welch", welch, x, nperseg=8, scaling="spectrum")
    for n in 7, 8, 20:
        call(out, "welch", welch, x, nperseg=n, average="median")
        call(out, "csd", csd, x, y, nperseg=n, average="median")
    call(out, "csd", csd, x + 1j * y, y, nperseg=8)
    call(out, "csd", csd, m, m[:, :1], nperseg=8, axis=0)
    for options in [{}, {"nfft": 64}, {"window": "hann", "detrend": "linear"}, {"scaling": "spectrum", "onesided": False}]:
        call(out, "periodogram", periodogram, x, **options)
    for options in [{"nperseg": 8}, {"nperseg": 9, "noverlap": 6}, {"nperseg": 8, "window": "hamming", "noverlap": 5, "fs": 4.0}]:
        call(out, "istft", istft, S.stft(x, **options)[2], **options)
    call(out, "istft", istft, S.stft(x, nperseg=8, return_onesided=False)[2], nperseg=8, input_onesided=False)
    call(out, "istft", istft, S.stft(x, nperseg=8, scaling="psd")[2], scaling="psd")
    call(out, "istft", istft, S.stft(x, nperseg=8, boundary=None, window="boxcar")[2], boundary=False, window="boxcar")
    call(out, "istft", istft, S.stft(m, nperseg=8, axis=0)[2].transpose(2, 0, 1), freq_axis=1, time_axis=0)
    for type in "linear", "constant":
        call(out, "detrend", detrend, x, type=type)
        call(out, "detrend", detrend, m, type=type, axis=0)
    call(out, "detrend", detrend, x, bp=(10, 25))
    call(out, "detrend", detrend, x.astype(np.float32))
    call(out, "stft", stft, x, nperseg=8, noverlap=8)
    call(out, "stft", stft, x, nperseg=8, nfft=7)
    call(out, "stft", stft, x, nperseg=0)
    call(out, "istft", istft, x)
    call(out, "detrend", detrend, x, bp=(50,))
    for name in "boxcar triang bartlett hann hamming blackman nuttall blackmanharris flattop cosine rect ham".split():
        for n in 0, 1, 2, 7, 8:
            for periodic in True, False:
                call(out, "get_window", get_window, np.float64(0), name, n, fftbins=periodic)
    call(out, "get_window", get_window, np.float64(0), "kaiser", 8, beta=8.6)
    call(out, "get_window", get_window, np.float64(0), "no", 8)
    call(out, "get_window", get_window, np.float64(0), "kaiser", 8)
    call(out, "get_window", get_window, np.float64(0), "hann", -1)


with open(f"{sys.argv[1]}/spectra.txt", "w") as file:
    main(file)
