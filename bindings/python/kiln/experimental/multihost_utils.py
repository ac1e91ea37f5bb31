# SPDX-License-Identifier: Apache-2.0
"""What all processes of a job do together (jax.experimental.multihost_utils)."""
import zlib as _zlib

from .. import _core
from .._mesh import Mesh as _Mesh, NamedSharding as _NamedSharding, PartitionSpec as _P
from .._sharded import make_array_from_process_local_data as _from_local, put as _put
from ..tree_util import tree_map as _tree_map

__all__ = ["assert_equal", "process_allgather", "sync_global_devices"]
_asarray = _core.functions("kiln.numpy")["asarray"]


def _whole(x):
    import numpy
    return numpy.asarray(_put(x, _NamedSharding(x.sharding.mesh, _P())))


def process_allgather(in_tree, tiled=False):
    """The leaves in every process, as NumPy's arrays: of an array over several processes all of it; else the leaves of
    all processes along a new axis, or (tiled) along the first one. All processes call it.
    (jax.experimental.multihost_utils.process_allgather)"""
    import numpy

    def gathered(leaf):
        x = _asarray(leaf)
        if not x.is_fully_addressable:
            return _whole(x)
        _, _, processes, local, _ = _core.job()
        x = numpy.asarray(x)
        if processes > 1:
            mesh = _Mesh._of_numbers((processes,), ("processes",), tuple(p * local for p in range(processes)))
            x = _whole(_from_local(_NamedSharding(mesh, _P("processes")), x[None], (processes, *x.shape)))
        else:
            x = x[None]
        return x.reshape(-1, *x.shape[2:]) if tiled and x.ndim > 1 else x

    return _tree_map(gathered, in_tree)


def sync_global_devices(name):
    """Waits until all processes are here; they give the same name.
    (jax.experimental.multihost_utils.sync_global_devices)"""
    assert_equal(_zlib.crc32(name.encode()), f"sync_global_devices name mismatch ('{name}')")


def assert_equal(in_tree, fail_message=""):
    """AssertionError if the leaves are not the same in all processes.
    (jax.experimental.multihost_utils.assert_equal)"""
    import numpy

    def check(leaf):
        if not all(numpy.array_equal(numpy.asarray(leaf), x) for x in process_allgather(leaf)):
            raise AssertionError(f"{fail_message}: processes have different values")

    _tree_map(check, in_tree)
