# SPDX-License-Identifier: Apache-2.0
"""The Array API standard's inspection, and the namespace of an array."""
from .. import _core
from ._dtypes import NAMES, isdtype

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _check_device(device):
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


class __array_namespace_info__:
    """What this implementation of the Array API standard can do.

    >>> import kiln.numpy as knp
    >>> knp.__array_namespace_info__().default_device()
    'cpu'
    """

    def capabilities(self):
        """What is optional in the standard, and is it here?"""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of new arrays."""
        return "cpu"

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays that are made of Python numbers."""
        _check_device(device)
        return {"real floating": _core.dtype(float), "complex floating": _core.dtype(complex),
                "integral": _core.dtype(int), "indexing": _core.dtype(int)}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes that are here, all or of a kind."""
        _check_device(device)
        names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
                 "complex64", "complex128")
        return {n: NAMES[n] for n in names if kind is None or isdtype(NAMES[n], kind)}

    def devices(self):
        """All devices."""
        return ("cpu",)


def _namespace(self, /, *, api_version=None):
    """The module of the functions for this array. (Array API standard)"""
    import kiln.numpy
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return kiln.numpy


def _to_device(self, device, /, *, stream=None):
    """The array itself: all arrays are on the CPU. (numpy.ndarray.to_device)"""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    if device != "cpu":
        raise ValueError(f"Unsupported device: {device}.")
    return self


_core.Array.__array_namespace__ = _namespace
_core.Array.to_device = _to_device
_core.Array.device = property(lambda self: "cpu", doc="the device, \"cpu\"")
