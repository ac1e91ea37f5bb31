# SPDX-License-Identifier: Apache-2.0
"""The Array API standard's inspection, and the namespace of an array."""
from .. import _core
from .._config import _default_device, devices as _all_devices
from ._dtypes import NAMES, isdtype

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _check_device(device):
    if device is not None and device not in _all_devices():
        raise ValueError(f"Device not understood: {device!r}; there are {', '.join(map(str, _all_devices()))}")


class __array_namespace_info__:
    """What this implementation of the Array API standard can do.

    >>> import kiln.numpy as knp
    >>> knp.__array_namespace_info__().default_device()
    CpuDevice(id=0)
    """

    def capabilities(self):
        """What is optional in the standard, and is it here?"""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of new arrays."""
        return _default_device()

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
        return tuple(_all_devices())


def _namespace(self, /, *, api_version=None):
    """The module of the functions for this array. (Array API standard)"""
    import kiln.numpy
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return kiln.numpy


def _to_device(self, device, /, *, stream=None):
    """The array on the device, committed to it; itself if it is there. (numpy.ndarray.to_device)"""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    _check_device(device)
    return self if self.device == device else _core.device_put(self, device)


_core.Array.__array_namespace__ = _namespace
_core.Array.to_device = _to_device
_core.Array.committed = property(lambda self: _core.is_committed(self),
                                 doc="was it put there, so that operations run there? (jax.Array.committed)")
