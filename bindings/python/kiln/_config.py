# SPDX-License-Identifier: Apache-2.0
"""Devices and switches (jax.devices, jax.device_put, jax.debug_nans, ...)."""
import contextlib as _contextlib

from . import _core
from .tree_util import tree_map

_c = _core.functions("kiln.core")
_asarray = _core.functions("kiln.numpy")["asarray"]


class Device:
    """Where arrays are and programs run, as kiln.devices() lists them; equal to its name. (jax.Device)

    >>> import kiln
    >>> kiln.devices("cpu")[0] == "cpu"
    True
    """
    process_index = 0
    _all = {}

    def __new__(cls, name):
        """The one of this name of the library's: "host", "webgpu:0"."""
        if name not in cls._all:
            cls._all[name] = object.__new__(cls)
            cls._all[name].name = name
        return cls._all[name]

    @property
    def platform(self):
        """The kind: "cpu", "webgpu"."""
        return "cpu" if self.name == "host" else self.name.split(":")[0]

    device_kind = platform

    @property
    def id(self):
        """Its number among those of the kind."""
        return int(self.name.partition(":")[2] or 0)

    @property
    def info(self):
        """Limits and features, as a dictionary."""
        return _core.device_info(self.name)

    def __eq__(self, other):
        if isinstance(other, str):
            return other in (self.name, self.platform if self.id == 0 else None)
        return self is other

    def __hash__(self):
        return hash("cpu" if self.name == "host" else self.name)

    def __repr__(self):
        return f"{self.platform.capitalize()}Device(id={self.id})"

    def __str__(self):
        return f"{self.platform}:{self.id}"

    def __reduce__(self):
        return Device, (self.name,)


def devices(backend=None):
    """The devices, the CPU first: of a kind, or all. (jax.devices)

    >>> import kiln
    >>> kiln.devices()[0]
    CpuDevice(id=0)
    """
    found = [Device(name) for name in _core.devices("host" if backend == "cpu" else backend)]
    if not found:
        raise RuntimeError(f"Unknown backend {backend}")
    return found


local_devices = devices


def device_count(backend=None):
    """How many devices there are. (jax.device_count)"""
    return len(devices(backend))


local_device_count = device_count


def _default_device():
    return Device(_core.default_device(None))


def default_backend():
    """The kind of the default device: "cpu". (jax.default_backend)"""
    return _default_device().platform


def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    """The leaves as arrays on the device, committed to it: what is computed with them runs there. Without a device they
    stay where they are. (jax.device_put)

    >>> import kiln
    >>> kiln.device_put(2.5, kiln.devices()[0]).committed
    True
    """
    if device is None:
        return tree_map(_asarray, x)
    return tree_map(lambda leaf: _core.device_put(_asarray(leaf), device), x)


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
            "jax_default_float": _c["set_default_float"], "jax_default_device": _core.set_default_device}
    _values = {"jax_debug_nans": False, "jax_num_threads": 0, "jax_lazy": True, "jax_default_float": "float64",
               "jax_default_device": None, "jax_enable_x64": True}

    def update(self, name, value):
        """Sets a switch: jax_debug_nans, jax_default_device, jax_default_float ("float64" or "float32"),
        jax_num_threads, jax_lazy.
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
default_device = _switch("jax_default_device", "A block in which what has no committed operand runs on the device; "
                         "None: as KILN_DEVICE says. (jax.default_device)")
num_threads = _switch("jax_num_threads", "A block that uses at most so many threads; 0: all.")


@_contextlib.contextmanager
def enable_x64(new_val=True):
    """A block with 64-bit types, which are always there. (jax.enable_x64)"""
    config.update("jax_enable_x64", new_val)
    yield
