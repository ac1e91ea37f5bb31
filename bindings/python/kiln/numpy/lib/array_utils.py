# SPDX-License-Identifier: Apache-2.0
"""Axes from the start. (numpy.lib.array_utils)"""
from ... import _core

_c = _core.functions("kiln.numpy")


def normalize_axis_index(axis, ndim, msg_prefix=None):
    """An axis from the start; AxisError if there is none. (numpy.lib.array_utils.normalize_axis_index)"""
    return _c["_normalize_axis_index"](axis, ndim)


def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False):
    """Axes from the start, each once. (numpy.lib.array_utils.normalize_axis_tuple)"""
    axes = tuple(normalize_axis_index(a, ndim) for a in ((axis,) if hasattr(axis, "__index__") else axis))
    if not allow_duplicate and len(set(axes)) != len(axes):
        raise ValueError(f"repeated axis in `{argname}` argument" if argname else "repeated axis")
    return axes


__all__ = ["normalize_axis_index", "normalize_axis_tuple"]
