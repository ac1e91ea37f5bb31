# SPDX-License-Identifier: Apache-2.0
"""kiln.shard_map as it was called before (jax.experimental.shard_map)."""
from .._manual import shard_map as _shard_map

__all__ = ["shard_map"]


def shard_map(f, mesh, in_specs, out_specs, check_rep=True, auto=frozenset()):
    """f on each device of a mesh: see kiln.shard_map. (jax.experimental.shard_map.shard_map)"""
    if auto:
        raise NotImplementedError(f"shard_map over some axes of a mesh alone: auto has to be empty, not {auto}")
    return _shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_rep)
