# SPDX-License-Identifier: Apache-2.0
"""What jax.experimental has of callbacks, meshes and processes."""
from .._callbacks import io_callback
from . import mesh_utils, multihost_utils, shard_map

__all__ = ["io_callback", "mesh_utils", "multihost_utils", "shard_map"]
