# SPDX-License-Identifier: Apache-2.0
"""Arrays that are spread over the devices of a mesh: made, looked at, drawn, kept in files."""
import json as _json
import os as _os

from . import _core
from ._config import Device
from ._mesh import (NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding, resolved, sharding_of_handle)
from .tree_util import flatten_one_level, flatten_up_to, tree_flatten, tree_leaves, tree_map, tree_structure

_asarray = _core.functions("kiln.numpy")["asarray"]
_EMPTY = (RuntimeError, "with_sharding_constraint requires a non-empty mesh in context if you are passing "
          "`PartitionSpec`s to shardings. You can define a context mesh via `kiln.set_mesh(mesh)`. Alternatively, "
          "provide `Sharding`s to shardings and then the mesh context manager is not required.")
_UNSET = (ValueError, "Please set a mesh via `kiln.set_mesh` if a PartitionSpec is passed to device_put")


def _is_place(x):
    return x is None or isinstance(x, (Sharding, PartitionSpec, Device, str))


def spread(places, tree, f):
    """f(leaf, place) for each leaf; `places` is one, or a tree of which that one is an extension."""
    if _is_place(places):
        return tree_map(lambda leaf: f(leaf, places), tree)
    leaves, treedef = tree_flatten(places, _is_place)
    wrong = [p for p in leaves if not _is_place(p)]
    if wrong:
        raise ValueError(f"Device not understood: {wrong[0]!r}")
    subtrees = flatten_up_to(treedef, tree)
    return treedef.unflatten([tree_map(lambda leaf: f(leaf, p), t) for p, t in zip(leaves, subtrees)])


def put(leaf, place):
    """The array there, committed; None: where it is."""
    x = _asarray(leaf)
    place = resolved(place, _UNSET)
    if isinstance(place, NamedSharding):
        place._check_rank(x.ndim, f"One of device_put args is incompatible with its sharding annotation {place}: ")
        return _core.shard(x, place._handle)
    if place is None:
        return x
    return _core.device_put(x, place._device if isinstance(place, SingleDeviceSharding) else place)


def constrained(leaf, place):
    """The value, which has to lie so."""
    place = resolved(place, _EMPTY)
    if place is None:
        return leaf
    x = _asarray(leaf)
    if isinstance(place, (Device, str)):
        raise TypeError(f"a constraint is a sharding, not {place!r}")
    if isinstance(place, SingleDeviceSharding):
        return _core.device_put(x, place._device)
    place._check_rank(x.ndim, "One of with_sharding_constraint arguments is incompatible with its sharding annotation "
                              f"{place}: ")
    return _core.sharding_constraint(x, place._handle)


def with_sharding_constraint(x, shardings):
    """x itself, which has to lie so where it is computed. (jax.lax.with_sharding_constraint)"""
    return spread(shardings, x, constrained)


# ---- Parts.

class Shard:
    """The part of an array that is on a device. (jax.Shard)"""

    def __init__(self, device, index, replica_id, data):
        self.device, self.index, self.replica_id, self.data = device, index, replica_id, data

    def __repr__(self):
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={self.data})"


def _sharding(self):
    """How it lies on its devices. (jax.Array.sharding)"""
    handle = _core.sharding_of(self)
    return SingleDeviceSharding(Device(_core.device_of(self))) if handle is None else sharding_of_handle(handle)


def _shards(self):
    """The parts of it that are in this process, in the order of the mesh. (jax.Array.addressable_shards)"""
    sharding = self.sharding
    if isinstance(sharding, SingleDeviceSharding):
        return [Shard(sharding._device, (slice(None),) * self.ndim, 0, self)]
    whole = [e is None or all(sharding.mesh.shape[n] == 1 for n in (e if isinstance(e, tuple) else (e,)))
             for e in (*sharding.spec, *[None] * self.ndim)]
    return [Shard(Device.of_number(device), tuple(slice(None) if w else slice(a, a + n)
                                                  for a, n, w in zip(start, shape, whole)), replica, data)
            for device, replica, start, shape, data in _core.addressable_shards(self)]


def _addressable_data(self, index):
    """The elements of part number `index` of this process. (jax.Array.addressable_data)"""
    return self.addressable_shards[index].data


def _device(self):
    """The device where it is, its sharding if there are several. (jax.Array.device)"""
    name = _core.device_of(self)
    if not name.startswith("mesh:"):
        return Device(name)
    sharding = self.sharding
    return sharding._device if isinstance(sharding, SingleDeviceSharding) else sharding


def _devices(self):
    """The devices where it is. (jax.Array.devices)"""
    device = self.device
    return device.device_set if isinstance(device, Sharding) else {device}


def install():
    """Gives the type Array what is written here."""
    for name, f in {"sharding": _sharding, "addressable_shards": _shards, "device": _device,
                    "is_fully_replicated": _core.is_fully_replicated,
                    "is_fully_addressable": _core.is_fully_addressable}.items():
        setattr(_core.Array, name, property(lambda self, f=f: f(self), doc=f.__doc__))
    for name, f in {"addressable_data": _addressable_data, "devices": _devices}.items():
        setattr(_core.Array, name, f)


install()


# ---- Arrays made of parts.

def _named(sharding, what):
    if not isinstance(sharding, (NamedSharding, SingleDeviceSharding)):
        raise TypeError(f"{what} wants a sharding, not {sharding!r}")
    return sharding


def make_array_from_callback(shape, sharding, data_callback, dtype=None):
    """An array that was never anywhere as a whole: data_callback gives the elements of each part of this process, for
    its slices. (jax.make_array_from_callback)

    >>> import kiln, kiln.numpy as knp
    >>> s = kiln.NamedSharding(kiln.make_mesh((1,), "x"), kiln.P("x"))
    >>> kiln.make_array_from_callback((4,), s, lambda index: knp.arange(4)[index]).tolist()
    [0, 1, 2, 3]
    """
    sharding, shape = _named(sharding, "make_array_from_callback"), tuple(shape)
    if isinstance(sharding, SingleDeviceSharding):
        return put(_asarray(data_callback((slice(None),) * len(shape)), dtype=dtype), sharding)
    indices = {}
    for index in sharding.addressable_devices_indices_map(shape).values():
        start = tuple(s.start or 0 for s in index)
        indices[start, tuple((n if s.stop is None else s.stop) - a for s, n, a in zip(index, shape, start))] = index
    made = {}
    for place, index in indices.items():
        made[place] = _asarray(data_callback(index), dtype=dtype)
        if made[place].shape != place[1]:
            raise ValueError(f"Expected shard shape {place[1]} doesn't match the single device array shape "
                             f"{made[place].shape}. Shape of Array is "
                             f"{made[place].dtype}[{','.join(map(str, shape))}] with sharding {sharding}")
    if dtype is None and not made:
        raise ValueError("make_array_from_callback: no part is in this process, and dtype was not given")
    dtype = next(iter(made.values())).dtype if dtype is None else dtype

    def part(start, shape):
        return made[start, shape]

    return _core.array_from_callback(shape, dtype, sharding._handle, part)


def make_array_from_process_local_data(sharding, local_data, global_shape=None):
    """The array of which each process has given the block that its own devices have.
    (jax.make_array_from_process_local_data)"""
    sharding = _named(sharding, "make_array_from_process_local_data")

    def made(leaf, shape):
        x = _asarray(leaf)
        if isinstance(sharding, SingleDeviceSharding):
            return put(x, sharding)
        if shape is not None and _core.job()[2] == 1 and tuple(shape) != x.shape:
            raise ValueError("When calling `make_array_from_process_local_data` on a single process, global_shape "
                             f"should be None or equal to local_data.shape. Got global_shape={tuple(shape)} and "
                             f"local_data.shape={x.shape}.")
        return _core.array_from_local(sharding._handle, x, None if shape is None else tuple(shape))

    return tree_map(lambda leaf: made(leaf, global_shape), local_data)


def make_array_from_single_device_arrays(shape, sharding, arrays, *, dtype=None):
    """An array of its parts: one for each device of this process, in the order of the mesh.
    (jax.make_array_from_single_device_arrays)"""
    places = list(_named(sharding, "make_array_from_single_device_arrays").addressable_devices_indices_map(
        tuple(shape)).values())
    arrays = list(arrays)
    if len(arrays) != len(places):
        raise ValueError(f"The number of addressable devices is {len(places)}, but {len(arrays)} arrays were given")
    of = {tuple((s.start, s.stop) for s in place): x for place, x in zip(places, arrays)}
    return make_array_from_callback(shape, sharding, lambda i: of[tuple((s.start, s.stop) for s in i)], dtype)


# ---- Drawings.

def visualize_sharding(shape, sharding, *, use_color=True, scale=1.0, min_width=9, max_width=80, color_map=None):
    """Prints which devices have which part of an array of this shape. (jax.debug.visualize_sharding)"""
    if not isinstance(sharding, NamedSharding):
        raise TypeError(f"visualize_sharding wants a NamedSharding, not {sharding!r}")
    print(_core.visualize_sharding(tuple(shape), sharding._handle), end="")


def visualize_array_sharding(arr, **kwargs):
    """Prints which devices have which part of the array. (jax.debug.visualize_array_sharding)"""
    sharding = arr.sharding
    if isinstance(sharding, SingleDeviceSharding):
        raise TypeError("visualize_array_sharding wants an array on a mesh; this one is on a single device")
    visualize_sharding(arr.shape, sharding, **kwargs)


# ---- Files.

def _plain(tree):
    """The tree of dicts, lists and tuples alone; nodes of other kinds are tuples of their children."""
    if tree is None or isinstance(tree, _core.Array):
        return tree
    if type(tree) is dict:
        if not all(isinstance(k, str) for k in tree):
            raise TypeError("keys of dicts in a checkpoint have to be texts")
        return {k: _plain(v) for k, v in tree.items()}
    if type(tree) is list:
        return [_plain(v) for v in tree]
    if tree_structure(tree).num_nodes == 1 and tree_leaves(tree):
        return _asarray(tree)
    return tuple(_plain(v) for v in (tree if type(tree) is tuple else flatten_one_level(tree)[0]))


def save_checkpoint(path, tree):
    """Writes the leaves of a tree to the folder `path`, in which each process writes what its own devices have. All
    processes call it. The older folder stays until the new one is complete.

    Dicts have texts as keys; nodes that are no dicts, lists or tuples (named tuples, classes that were registered) are
    written as tuples, and come back as what they were by load_checkpoint's `like`."""
    _core.save_checkpoint(_os.fspath(path), _plain(tree))


def _structure(path):
    """The tree of a checkpoint, with places to fill."""
    path = path if _os.path.exists(_os.path.join(path, "manifest.json")) else path.rstrip("/") + ".old"
    with open(_os.path.join(path, "manifest.json"), encoding="utf-8") as f:
        nodes = iter(_json.load(f)["tree"])

    def node():
        what = next(nodes)
        kind, n = what["kind"], what.get("children", 0)
        if kind == "leaf":
            return what.get("key"), 0
        below = [node() for _ in range(n)]
        made = (None if kind == "none" else dict(below) if kind in ("dict", "struct") else
                (list if kind == "list" else tuple)(v for _, v in below))
        return what.get("key"), made

    return node()[1]


def load_checkpoint(path, like=None, sharding=None):
    """The tree that save_checkpoint wrote.

    Args:
      like: a tree of the leaves that are wanted; each is read onto the mesh on which that of `like` lies.
      sharding: how all leaves are to lie.
    Without either they are plain arrays of the host."""
    path = _os.fspath(path)
    if isinstance(sharding, SingleDeviceSharding):
        return tree_map(lambda x: put(x, sharding), load_checkpoint(path, like))
    if sharding is not None and not isinstance(sharding, NamedSharding):
        raise TypeError(f"load_checkpoint wants a NamedSharding, not {sharding!r}")
    if like is not None:
        like = tree_map(_asarray, like)
    leaves = _core.load_checkpoint(path, _plain(like), sharding and sharding._handle)
    return tree_structure(_structure(path) if like is None else like).unflatten(leaves)


def load_npy_sharded(path, sharding, *, max_header_size=10000):
    """The array of an npy file, of which each process reads what its own devices have."""
    if not isinstance(sharding, NamedSharding):
        raise TypeError(f"load_npy_sharded wants a NamedSharding, not {sharding!r}")
    return _core.load_npy_sharded(_os.fspath(path), sharding._handle, max_header_size)
