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
    _all = {}

    def __new__(cls, name):
        """The one of this name of the library's: "host", "webgpu:0"; "cpu:3" is a device that a mesh may have."""
        if name not in cls._all:
            cls._all[name] = object.__new__(cls)
            cls._all[name].name = name
        return cls._all[name]

    @classmethod
    def of_number(cls, number):
        """The CPU device of this number in the job: the first one of this process is where arrays are."""
        _, process, _, local, _ = _core.job()
        return cls("host" if number == process * local else f"cpu:{number}")

    @property
    def platform(self):
        """The kind: "cpu", "webgpu"."""
        return "cpu" if self.name == "host" else self.name.split(":")[0]

    device_kind = platform

    @property
    def id(self):
        """Its number among those of the kind, in all processes."""
        if self.name == "host":
            return _core.job()[1] * _core.job()[3]
        return int(self.name.partition(":")[2] or 0)

    @property
    def process_index(self):
        """The process that has it."""
        return self.id // _core.job()[3] if self.platform == "cpu" else _core.job()[1]

    @property
    def _handle(self):
        """As a sharding of the library's, where it is no device of its own."""
        if not self.name.startswith("cpu:"):
            raise AttributeError(f"{self} is no device of a mesh alone")
        from ._mesh import single_device
        return single_device(self.id)

    @property
    def info(self):
        """Limits and features, as a dictionary."""
        return _core.device_info("host" if self.platform == "cpu" else self.name)

    def __eq__(self, other):
        if isinstance(other, str):
            return other in (self.name, str(self), self.platform if self.name in ("host", "webgpu:0") else None)
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
    """The devices, the CPU first: of a kind, or all. Of the CPU a process has as many as KILN_DEVICES says, or
    config.update("jax_num_cpu_devices", n): a mesh has them. (jax.devices)

    >>> import kiln
    >>> kiln.devices()[0]
    CpuDevice(id=0)
    """
    names = _core.devices("host" if backend == "cpu" else backend)
    found = [Device(name) for name in names if name != "host" and not name.startswith("mesh:")]
    if "host" in names:
        found = [Device.of_number(n) for n in range(_core.job()[4])] + found
    if not found:
        raise RuntimeError(f"Unknown backend {backend}")
    return found


def local_devices(process_index=None, backend=None):
    """The devices of this process, or of another one. (jax.local_devices)"""
    wanted = _core.job()[1] if process_index is None else process_index
    return [d for d in devices(backend) if d.process_index == wanted]


def device_count(backend=None):
    """How many devices there are in all processes. (jax.device_count)"""
    return len(devices(backend))


def local_device_count(backend=None):
    """How many devices this process has. (jax.local_device_count)"""
    return len(local_devices(backend=backend))


def _default_device():
    return Device(_core.default_device(None))


def default_backend():
    """The kind of the default device: "cpu". (jax.default_backend)"""
    return _default_device().platform


def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    """The leaves as arrays on the device, committed to it: what is computed with them runs there; of a sharding: spread
    over its mesh. There may be a tree of them. Without a device they stay where they are. (jax.device_put)

    >>> import kiln
    >>> kiln.device_put(2.5, kiln.devices()[0]).committed
    True
    """
    from ._sharded import put, spread
    return spread(device, x, put)


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
            "jax_default_float": _c["set_default_float"], "jax_default_device": _core.set_default_device,
            "jax_num_cpu_devices": _core.set_local_device_count}
    _values = {"jax_debug_nans": False, "jax_num_threads": 0, "jax_lazy": True, "jax_default_float": "float64",
               "jax_default_device": None, "jax_enable_x64": True, "jax_num_cpu_devices": -1}

    def update(self, name, value):
        """Sets a switch: jax_debug_nans, jax_default_device, jax_default_float ("float64" or "float32"),
        jax_num_threads, jax_lazy, jax_num_cpu_devices (before the first mesh).
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
