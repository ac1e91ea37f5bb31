# SPDX-License-Identifier: Apache-2.0
"""Meshes of devices and how arrays lie on them (jax.sharding)."""
from ._mesh import (AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding,
                    get_mesh, set_mesh)
from ._plans import Communication, communication_of
from ._sharded import Shard

__all__ = ["AbstractMesh", "AxisType", "Communication", "Mesh", "NamedSharding", "PartitionSpec", "Shard", "Sharding",
           "SingleDeviceSharding", "communication_of", "get_mesh", "set_mesh"]
