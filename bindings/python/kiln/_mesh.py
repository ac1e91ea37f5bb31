# SPDX-License-Identifier: Apache-2.0
"""Meshes of devices and how arrays lie on them (jax.sharding)."""
import enum as _enum
import threading as _threading

from . import _core


class AxisType(_enum.Enum):
    """What an axis of a mesh means for types: nothing, which is Auto; there are no others. (jax.sharding.AxisType)"""
    Auto = 0

    def __repr__(self):
        return self.name


# ---- Specs.

def _entry(e):
    """None, an axis, or a tuple of at least two of them."""
    if isinstance(e, (tuple, list)):
        e = tuple(e)
        return None if not e else e[0] if len(e) == 1 else e
    return e


class PartitionSpec:
    """Which axes of a mesh cut which dimension of an array: an entry for each dimension, the name of an axis, a tuple
    of names, or None; dimensions without an entry are whole. (jax.sharding.PartitionSpec, jax.P)

    >>> import kiln
    >>> kiln.P("data", None, ("x", "y"))
    P('data', None, ('x', 'y'))
    """
    __slots__ = ("_partitions",)
    __match_args__ = ("partitions",)

    def __init__(self, *partitions):
        self._partitions = tuple(map(_entry, partitions))

    @property
    def partitions(self):
        """The entries, a tuple."""
        return self._partitions

    def __len__(self):
        return len(self._partitions)

    def __getitem__(self, i):
        return self._partitions[i]

    def __iter__(self):
        return iter(self._partitions)

    def __add__(self, other):
        if not isinstance(other, (PartitionSpec, tuple)):
            return NotImplemented
        return PartitionSpec(*self, *other)

    def __radd__(self, other):
        return PartitionSpec(*other, *self) if isinstance(other, tuple) else NotImplemented

    def index(self, value):
        """The dimension that has this entry."""
        return self._partitions.index(_entry(value))

    def count(self, value):
        """How many dimensions have this entry."""
        return self._partitions.count(_entry(value))

    def __eq__(self, other):
        return isinstance(other, PartitionSpec) and self._partitions == other._partitions

    def __hash__(self):
        return hash(self._partitions)

    def __repr__(self):
        return f"P{self._partitions!r}"

    def __reduce__(self):
        return PartitionSpec, self._partitions


P = PartitionSpec


def _axes(entry):
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


def text_of(spec):
    """As the library reads it: "data, None, (x, y)"."""
    for e in spec:
        for name in _axes(e):
            _check_name(name)
    return ", ".join("None" if e is None else f"({', '.join(e)})" if isinstance(e, tuple) else e for e in spec)


def _spec_of(text):
    entries, inside = [], None
    for word in text.replace("(", " ( ").replace(")", " ) ").replace(",", " ").split():
        if word == "(":
            inside = []
        elif word == ")":
            entries.append(tuple(inside))
            inside = None
        else:
            (entries if inside is None else inside).append(None if word == "None" else word)
    return _trimmed(entries)


def _trimmed(entries):
    entries = list(entries)
    while entries and entries[-1] is None:
        entries.pop()
    return PartitionSpec(*entries)


def _check_name(name):
    if not isinstance(name, str):
        raise TypeError(f"names of axes of a mesh have to be texts, not {name!r}")
    if not name or name == "None" or any(c in ",();\n" or c.isspace() for c in name):
        raise ValueError(f"{name!r} cannot be the name of an axis: blanks, commas, semicolons and parentheses stand "
                         "between names")


# ---- Meshes.

def _names(axis_names):
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    for n in names:
        _check_name(n)
    return names


def _check_types(axis_types, names):
    if axis_types is None:
        return
    types = axis_types if isinstance(axis_types, (tuple, list)) else (axis_types,) * len(names)
    if len(types) != len(names):
        raise ValueError(f"Length of axis_names and axis_types should match. Got axis_names={names} and "
                         f"axis_types={axis_types}")
    for t in types:
        if getattr(t, "name", None) != "Auto":
            raise ValueError(f"axes of meshes are Auto here: shardings are no part of types. Got {axis_types=}")


class _Axes:
    """What Mesh and AbstractMesh share. To the library an abstract mesh of devices that are there is the mesh of
    these."""
    _by_handle = {}

    def _made(self, handle, names, sizes):
        self._handle, self.axis_names, self.axis_sizes = handle, names, sizes
        return _Axes._by_handle.setdefault((type(self), handle), self)

    @property
    def shape(self):
        """The size of each axis, a dict."""
        return dict(zip(self.axis_names, self.axis_sizes))

    @property
    def shape_tuple(self):
        """Pairs of a name and a size."""
        return tuple(zip(self.axis_names, self.axis_sizes))

    @property
    def axis_types(self):
        """Auto, for each axis."""
        return (AxisType.Auto,) * len(self.axis_names)

    @property
    def size(self):
        """The number of devices."""
        n = 1
        for s in self.axis_sizes:
            n *= s
        return n

    @property
    def empty(self):
        """Whether it has no axis."""
        return not self.axis_names

    def __eq__(self, other):
        return type(self) is type(other) and self._handle is other._handle

    def __hash__(self):
        return hash(self._handle)

    def __str__(self):
        sizes = ", ".join(f"'{n}': {s}" for n, s in self.shape_tuple)
        return f"{type(self).__name__}({sizes}, axis_types={self.axis_types})"


def _wrong_rank(ndim, names):
    return ValueError("Mesh requires the ndim of its first argument (`devices`) to equal the length of its second "
                      f"argument (`axis_names`), but got devices.ndim == {ndim} and len(axis_names) == {len(names)}.")


class Mesh(_Axes):
    """Devices in rows: axes with names and sizes. (jax.sharding.Mesh)

    Args:
      devices: nested lists of kiln.Device, or an array of them of NumPy's, with as many axes as there are names.
      axis_names: a name, or several.

    >>> import kiln
    >>> kiln.sharding.Mesh([kiln.devices()[:1]], ("x", "y"))
    Mesh(axis_sizes=(1, 1), axis_names=('x', 'y'), axis_types=(Auto, Auto))
    """

    def __new__(cls, devices, axis_names, axis_types=None):
        """Of these devices; equal ones are one object."""
        names = _names(axis_names)
        _check_types(axis_types, names)
        shape, flat = _nested(devices)
        if len(shape) != len(names):
            raise _wrong_rank(len(shape), names)
        return cls._of_numbers(shape, names, tuple(map(_number_of, flat)))

    @classmethod
    def _of_numbers(cls, shape, names, numbers):
        mesh = object.__new__(cls)
        mesh._numbers = numbers
        return mesh._made(_core.make_mesh(shape, ", ".join(names), list(numbers), False), names, tuple(shape))

    @classmethod
    def _of_handle(cls, handle):
        """Also of one that the library made by itself, of the first devices in order."""
        if (cls, handle) not in _Axes._by_handle:
            axes = _core.mesh_axes(handle)
            mesh = object.__new__(cls)
            mesh._made(handle, tuple(n for n, _ in axes), tuple(s for _, s in axes))
            mesh._numbers = tuple(range(mesh.size))
        return _Axes._by_handle[cls, handle]

    @property
    def _devices(self):
        from ._config import Device
        return [Device.of_number(n) for n in self._numbers]

    @property
    def devices(self):
        """The devices, an array of NumPy's."""
        import numpy
        found = numpy.empty(self.size, dtype=object)
        found[:] = self._devices
        return found.reshape(self.axis_sizes)

    @property
    def device_ids(self):
        """Their numbers in the job, an array of NumPy's."""
        import numpy
        return numpy.array(self._numbers).reshape(self.axis_sizes)

    @property
    def local_devices(self):
        """Those of this process, a list."""
        return [d for d in self._devices if d.process_index == _core.job()[1]]

    @property
    def is_multi_process(self):
        """Whether it has devices of several processes."""
        return len({d.process_index for d in self._devices}) > 1

    @property
    def abstract_mesh(self):
        """The same axes, without devices."""
        return AbstractMesh(self.axis_sizes, self.axis_names)

    def __enter__(self):
        """In the block specs mean axes of this mesh."""
        _contexts().append(self)
        _tell()
        return self

    def __exit__(self, *exc):
        """The mesh from before."""
        _contexts().pop()
        _tell()

    def __repr__(self):
        return f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}, axis_types={self.axis_types})"

    def __reduce__(self):
        return Mesh._of_numbers, (self.axis_sizes, self.axis_names, self._numbers)


class AbstractMesh(_Axes):
    """A mesh of devices that need not be there: for plans, not for arrays. (jax.sharding.AbstractMesh)"""

    def __new__(cls, axis_sizes, axis_names, axis_types=None):
        """Of these sizes; equal ones are one object."""
        names, sizes = _names(axis_names), tuple(axis_sizes)
        _check_types(axis_types, names)
        if len(names) != len(sizes):
            raise ValueError(f"Length of axis_names and axis_sizes should match. Got axis_names={names} and "
                             f"axis_sizes={sizes}")
        return object.__new__(cls)._made(_core.make_mesh(sizes, ", ".join(names), None, True), names, sizes)

    __repr__ = _Axes.__str__

    def __reduce__(self):
        return AbstractMesh, (self.axis_sizes, self.axis_names)


def _nested(devices):
    """(shape, the devices in order) of nested sequences."""
    devices = devices.tolist() if hasattr(devices, "tolist") else devices
    if not isinstance(devices, (list, tuple)):
        return (), [devices]
    below = [_nested(d) for d in devices]
    if any(shape != below[0][0] for shape, _ in below):
        raise ValueError("rows of a mesh have to have the same number of devices")
    return (len(below), *(below[0][0] if below else ())), [d for _, flat in below for d in flat]


def _number_of(device):
    from ._config import Device
    if not isinstance(device, Device) or device.platform != "cpu":
        raise ValueError(f"a mesh is of CPU devices, as kiln.devices() lists them, not of {device!r}")
    return device.id


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    """A mesh of the first devices in order, or of these. (jax.make_mesh)

    >>> import kiln
    >>> kiln.make_mesh((1, 1), ("data", "model")).shape
    {'data': 1, 'model': 1}
    """
    sizes, names = tuple(axis_shapes), _names(axis_names)
    _check_types(axis_types, names)
    if len(sizes) != len(names):
        raise _wrong_rank(len(sizes), names)
    wanted = 1
    for s in sizes:
        wanted *= s
    numbers = range(_core.job()[4]) if devices is None else [_number_of(d) for d in devices]
    if len(numbers) < wanted:
        raise ValueError(f"Number of devices {len(numbers)} must be >= the product of mesh_shape {sizes}")
    return Mesh._of_numbers(sizes, names, tuple(numbers[:wanted]))


# ---- The mesh of a block.

_local = _threading.local()


def _contexts():
    if not hasattr(_local, "meshes"):
        _local.meshes, _local.whole = [], None
    return _local.meshes


def current_mesh():
    """The mesh that specs without one mean; None if there is none."""
    meshes = _contexts()
    return meshes[-1] if meshes else _local.whole


def _tell():
    """Programs of jit are kept for each mesh."""
    mesh = current_mesh()
    _core.set_jit_context(None if mesh is None else mesh._handle)


class set_mesh:
    """From now on, or in a block, specs without a mesh mean axes of this one; None: of none. (jax.set_mesh)

    >>> import kiln, kiln.numpy as knp
    >>> with kiln.set_mesh(kiln.make_mesh((1,), "x")):
    ...     kiln.device_put(knp.ones(3), kiln.P("x")).sharding.spec
    P('x',)
    """

    def __init__(self, mesh):
        if mesh is not None and not isinstance(mesh, Mesh):
            raise TypeError(f"set_mesh wants a mesh, not {mesh!r}")
        _contexts()
        self._before, _local.whole = _local.whole, mesh
        _tell()

    def __enter__(self):
        """In the block."""
        return _local.whole

    def __exit__(self, *exc):
        """The mesh from before."""
        _local.whole = self._before
        _tell()


def get_mesh():
    """The mesh that set_mesh has set; one without axes if there is none. (jax.sharding.get_mesh)"""
    _contexts()
    return _local.whole or Mesh._of_numbers((), (), (0,))


# ---- Shardings.

class Sharding:
    """How an array lies on devices. (jax.sharding.Sharding)"""
    memory_kind = "device"

    @property
    def device_set(self):
        """All its devices, a set."""
        return set(self._devices)

    @property
    def num_devices(self):
        """How many devices it has."""
        return len(self._devices)

    @property
    def addressable_devices(self):
        """Those of this process, a set."""
        return {d for d in self._devices if d.process_index == _core.job()[1]}

    @property
    def is_fully_addressable(self):
        """Whether all its devices are of this process."""
        return len(self.addressable_devices) == len(self.device_set)

    def addressable_devices_indices_map(self, global_shape):
        """The slices of an array of this shape that each device of this process has."""
        return {d: i for d, i in self.devices_indices_map(global_shape).items() if d in self.addressable_devices}


class NamedSharding(Sharding):
    """How arrays lie on a mesh: a mesh, and a spec of its axes. (jax.sharding.NamedSharding)

    Entries None at the end of a spec say nothing: with them or without, shardings are equal.

    >>> import kiln
    >>> kiln.NamedSharding(kiln.make_mesh((1,), "x"), kiln.P("x"))
    NamedSharding(mesh=Mesh('x': 1, axis_types=(Auto,)), spec=P('x',), memory_kind=device)
    """

    def __init__(self, mesh, spec, *, memory_kind=None):
        if not isinstance(mesh, _Axes):
            raise TypeError(f"a NamedSharding is of a mesh, not of {mesh!r}")
        if not isinstance(spec, PartitionSpec):
            raise TypeError(f"the spec of a NamedSharding has to be a PartitionSpec, not {spec!r}")
        if memory_kind not in (None, "device"):
            raise ValueError(f"Could not find memory addressable by device cpu. Got memory kind: {memory_kind}")
        seen = set()
        for name in (n for e in spec for n in _axes(e)):
            if name not in mesh.axis_names:
                raise ValueError(f"Resource axis: {name} of {spec} is not found in mesh: {mesh.axis_names}.")
            if name in seen:
                raise ValueError("A single NamedSharding spec specification can map every mesh axis to at most one "
                                 f"positional dimension, but {spec} has duplicate entries for `{name}`")
            seen.add(name)
        self.mesh, self.spec = mesh, spec
        self._handle = _core.named_sharding(mesh._handle, text_of(spec))

    @property
    def _devices(self):
        if isinstance(self.mesh, AbstractMesh):
            raise ValueError(f"{self.mesh} has no devices")
        return self.mesh._devices

    @property
    def is_fully_replicated(self):
        """Whether each device has all."""
        return all(self.mesh.shape[n] == 1 for e in self.spec for n in _axes(e))

    def update(self, *, mesh=None, spec=None):
        """The same with another mesh or spec."""
        return NamedSharding(mesh or self.mesh, self.spec if spec is None else spec)

    def is_equivalent_to(self, other, ndim):
        """Whether arrays of so many dimensions lie in the same way by both."""
        if not isinstance(other, (NamedSharding, SingleDeviceSharding)):
            return False
        if isinstance(self.mesh, Mesh) and isinstance(other, SingleDeviceSharding) or self.mesh != other.mesh:
            return self.num_devices == other.num_devices == 1 and self.device_set == other.device_set
        return _core.sharding_is_equivalent(self._handle, other._handle, ndim)

    def shard_shape(self, global_shape):
        """The shape of a device's part of an array of this shape; the last parts may be shorter."""
        self._check_rank(len(global_shape))
        return _core.sharding_shard_shape(self._handle, tuple(global_shape))

    def _check_rank(self, ndim, what=""):
        if len(self.spec) > ndim:
            raise ValueError(f"{what}Sharding {self} is only valid for values of rank at least {len(self.spec)}, but "
                             f"was applied to a value of rank {ndim}.")

    def devices_indices_map(self, global_shape):
        """The slices of an array of this shape that each device has."""
        self._check_rank(len(global_shape))
        sizes, found = self.mesh.shape, {}
        for i, device in enumerate(self._devices):
            at = {}
            for name, size in reversed(self.mesh.shape_tuple):
                i, at[name] = divmod(i, size)
            index = []
            for extent, entry in zip(global_shape, (*self.spec, *[None] * len(global_shape))):
                parts, part = 1, 0
                for n in _axes(entry):
                    parts, part = parts * sizes[n], part * sizes[n] + at[n]
                most = -(-extent // parts)
                index.append(slice(None) if parts == 1 else
                             slice(min(part * most, extent), min(part * most + most, extent)))
            found[device] = tuple(index)
        return found

    def __eq__(self, other):
        return (isinstance(other, NamedSharding) and self.mesh == other.mesh and
                _trimmed(self.spec) == _trimmed(other.spec))

    def __hash__(self):
        return hash((self.mesh, _trimmed(self.spec)))

    def __repr__(self):
        return f"NamedSharding(mesh={self.mesh!s}, spec={self.spec}, memory_kind=device)"

    def __reduce__(self):
        return NamedSharding, (self.mesh, self.spec)


class SingleDeviceSharding(Sharding):
    """All of an array is on a device. (jax.sharding.SingleDeviceSharding)"""
    is_fully_replicated = True
    _by_handle = {}

    def __init__(self, device, *, memory_kind=None):
        from ._config import Device
        if not isinstance(device, Device):
            raise TypeError(f"a SingleDeviceSharding is of a device, not of {device!r}")
        self._device = device

    @property
    def _devices(self):
        return [self._device]

    @property
    def _handle(self):
        return self._device._handle

    @property
    def mesh(self):
        return None

    def is_equivalent_to(self, other, ndim):
        """Whether arrays lie in the same way by both."""
        return isinstance(other, Sharding) and other.num_devices == 1 and self.device_set == other.device_set

    def shard_shape(self, global_shape):
        """The shape itself."""
        return tuple(global_shape)

    def devices_indices_map(self, global_shape):
        """All of it, on the device."""
        return {self._device: (slice(None),) * len(global_shape)}

    def __eq__(self, other):
        return isinstance(other, SingleDeviceSharding) and self._device == other._device

    def __hash__(self):
        return hash(self._device)

    def __repr__(self):
        return f"SingleDeviceSharding(device={self._device!r}, memory_kind=device)"

    def __reduce__(self):
        return SingleDeviceSharding, (self._device,)


def single_device(number):
    """The handle of a sharding on this device of the job alone."""
    mesh = _core.make_mesh((1,), "device", [number], False)
    handle = _core.named_sharding(mesh, "")
    SingleDeviceSharding._by_handle[mesh] = number
    return handle


def sharding_of_handle(handle):
    """The sharding that the library knows by this handle."""
    from ._config import Device
    mesh, spec = _core.sharding_parts(handle)
    if mesh in SingleDeviceSharding._by_handle:
        return SingleDeviceSharding(Device.of_number(SingleDeviceSharding._by_handle[mesh]))
    return NamedSharding(Mesh._of_handle(mesh), _spec_of(spec))


def resolved(sharding, what):
    """The sharding; a spec means the mesh of the block. what: the error, a class and its text, if there is none."""
    if not isinstance(sharding, PartitionSpec):
        return sharding
    mesh = current_mesh()
    if mesh is None:
        raise what[0](what[1])
    return NamedSharding(mesh, sharding)
