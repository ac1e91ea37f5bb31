# SPDX-License-Identifier: Apache-2.0
"""Convolutions and spectra of signals (jax.scipy.signal)."""
from .. import _core

_c = _core.functions("kiln.scipy.signal")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def _options(window, detrend=None, **options):
    """A window may be a name or its numbers; no detrending is a word in C."""
    named = isinstance(window, str) or window is None
    options["window"], options["win"] = (window, None) if named else (None, window)
    if isinstance(window, tuple):
        options["window"], options["win"] = None, window
    if detrend is not None:
        options["detrend"] = "none" if detrend is False else detrend
    return options


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True,
         boundary="zeros", padded=True, axis=-1):
    """(frequencies, times, spectra of short pieces). (jax.scipy.signal.stft)"""
    return tuple(_c["_stft"](x, fs, nperseg=nperseg, noverlap=noverlap, nfft=nfft, return_onesided=return_onesided,
                             boundary="none" if boundary is None else boundary, padded=padded, axis=axis,
                             **_options(window, detrend)))


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True,
          time_axis=-1, freq_axis=-2):
    """(times, the signal of such spectra). (jax.scipy.signal.istft)"""
    return tuple(_c["_istft"](Zxx, fs, nperseg=nperseg, noverlap=noverlap, nfft=nfft, input_onesided=input_onesided,
                              boundary=bool(boundary), time_axis=time_axis, freq_axis=freq_axis, **_options(window)))


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean"):
    """(frequencies, the cross power spectrum). (jax.scipy.signal.csd)"""
    return tuple(_c["_csd"](x, y, fs, nperseg=nperseg, noverlap=noverlap, nfft=nfft, return_onesided=return_onesided,
                            scaling=scaling, axis=axis, average=average, **_options(window, detrend)))


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
          scaling="density", axis=-1, average="mean"):
    """(frequencies, the power spectrum). (jax.scipy.signal.welch)"""
    return tuple(_c["_welch"](x, fs, nperseg=nperseg, noverlap=noverlap, nfft=nfft, return_onesided=return_onesided,
                              scaling=scaling, axis=axis, average=average, **_options(window, detrend)))


def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density",
                axis=-1):
    """(frequencies, the power spectrum of the whole). (scipy.signal.periodogram)"""
    return tuple(_c["_periodogram"](x, fs, nfft=nfft, return_onesided=return_onesided, scaling=scaling, axis=axis,
                                    **_options(window, detrend)))


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))
