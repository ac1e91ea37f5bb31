# SPDX-License-Identifier: Apache-2.0
"""Devices and switches (jax.devices, jax.device_put, jax.debug_nans, ...)."""
import contextlib as _contextlib

from . import _core
from .tree_util import tree_map

_c = _core.functions("kiln.core")
_asarray = _core.functions("kiln.numpy")["asarray"]


class Device:
    """Where arrays are and programs run. (jax.Device)"""
    platform, device_kind, id, process_index = "cpu", "cpu", 0, 0

    def __repr__(self):
        return "CpuDevice(id=0)"

    __str__ = __repr__


_devices = [Device()]


def devices(backend=None):
    """The devices, one CPU. (jax.devices)

    >>> import kiln
    >>> kiln.devices()
    [CpuDevice(id=0)]
    """
    if backend not in (None, "cpu"):
        raise RuntimeError(f"Unknown backend {backend}")
    return list(_devices)


local_devices = devices


def device_count(backend=None):
    """How many devices there are. (jax.device_count)"""
    return len(devices(backend))


local_device_count = device_count


def default_backend():
    """"cpu" (jax.default_backend)"""
    return "cpu"


def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    """The leaves as arrays of Kiln's. (jax.device_put)"""
    if device not in (None, *_devices):
        raise ValueError(f"Invalid device: {device!r}")
    return tree_map(_asarray, x)


def device_get(x):
    """The leaves as NumPy's arrays, where NumPy is installed. (jax.device_get)"""
    import numpy
    return tree_map(numpy.asarray, x)


def block_until_ready(x):
    """x, when all of it is computed. (jax.block_until_ready)"""
    return tree_map(lambda leaf: _c["block_until_ready"](leaf) if isinstance(leaf, _core.Array) else leaf, x)


def typeof(x):
    """The type of an array. (jax.typeof)"""
    from ._jaxpr import ShapedArray
    x = x if hasattr(x, "dtype") else _asarray(x)
    return ShapedArray(tuple(x.shape), _core.dtype(x.dtype))


# ---- Switches. Each is set for good by config.update(name, value), or in a block: with kiln.debug_nans(True): ...

class _Config:
    """Switches by name. (jax.config)"""
    _set = {"jax_debug_nans": _c["check_nans"], "jax_num_threads": _c["set_threads"], "jax_lazy": _c["set_lazy"],
            "jax_default_float": _c["set_default_float"]}
    _values = {"jax_debug_nans": False, "jax_num_threads": 0, "jax_lazy": True, "jax_default_float": "float64",
               "jax_enable_x64": True}

    def update(self, name, value):
        """Sets a switch: jax_debug_nans, jax_default_float ("float64" or "float32"), jax_num_threads, jax_lazy.
        jax_enable_x64 is always true."""
        if name == "jax_enable_x64":
            if not value:
                raise ValueError("64-bit types cannot be switched off; jax_default_float makes floats float32")
            return
        if name not in self._set:
            raise AttributeError(f"Unrecognized config option: {name}")
        self._set[name](value)
        self._values[name] = value

    def __getattr__(self, name):
        if name in self._values:
            return self._values[name]
        raise AttributeError(f"Unrecognized config option: {name}")


config = _Config()


def _switch(name, doc):
    @_contextlib.contextmanager
    def switch(value):
        before = getattr(config, name)
        config.update(name, value)
        try:
            yield
        finally:
            config.update(name, before)

    switch.__name__ = switch.__qualname__ = name.removeprefix("jax_")
    switch.__doc__ = doc
    return switch


debug_nans = _switch("jax_debug_nans", "A block in which the first NaN is an error with its line. (jax.debug_nans)")
default_float = _switch("jax_default_float", "A block in which floats are float64 or float32.")
num_threads = _switch("jax_num_threads", "A block that uses at most so many threads; 0: all.")


@_contextlib.contextmanager
def enable_x64(new_val=True):
    """A block with 64-bit types, which are always there. (jax.enable_x64)"""
    config.update("jax_enable_x64", new_val)
    yield
