# SPDX-License-Identifier: Apache-2.0
"""Views with other shapes and strides. (numpy.lib.stride_tricks)"""
from ... import _core
from .._creation import asarray

_c = _core.functions("kiln.numpy")


def as_strided(x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None):
    """A view with this shape and these strides in bytes, within the array's memory.
    (numpy.lib.stride_tricks.as_strided)"""
    x = asarray(x)
    return _c["_as_strided"](
    x,
    x.shape if shape is None else shape,
    x.strides if strides is None else strides,
     writeable)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of a shape. (numpy.lib.stride_tricks.sliding_window_view)

    >>> import kiln.numpy as knp
    >>> knp.lib.stride_tricks.sliding_window_view(knp.arange(4), 3)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    return _c["_sliding_window_view"](x, window_shape, axis)


__all__ = ["as_strided", "sliding_window_view"]
