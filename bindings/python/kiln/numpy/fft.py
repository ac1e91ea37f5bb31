# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms. (numpy.fft)"""
from .. import _core

_c = _core.functions("kiln.numpy.fft")
globals().update(_c)


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of fft's results, in cycles per unit of d. (numpy.fft.fftfreq)

    >>> import kiln.numpy as knp
    >>> knp.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    x = _c["fftfreq"](n, d, device)
    return x if dtype is None else x.astype(dtype)


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of rfft's results, in cycles per unit of d. (numpy.fft.rfftfreq)"""
    x = _c["rfftfreq"](n, d, device)
    return x if dtype is None else x.astype(dtype)


__all__ = [*_c]
