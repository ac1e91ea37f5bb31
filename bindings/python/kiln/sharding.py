# SPDX-License-Identifier: Apache-2.0
"""Meshes of devices and how arrays lie on them (jax.sharding)."""
from ._mesh import (AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding,
                    get_mesh, set_mesh)
from ._plans import Communication, communication_of

__all__ = ["AbstractMesh", "AxisType", "Communication", "Mesh", "NamedSharding", "PartitionSpec", "Sharding",
           "SingleDeviceSharding", "communication_of", "get_mesh", "set_mesh"]
