# SPDX-License-Identifier: Apache-2.0
"""Looking into programs that run (jax.debug)."""
from ._callbacks import debug_callback as callback, debug_print as print
from ._sharded import visualize_array_sharding, visualize_sharding

__all__ = ["callback", "print", "visualize_array_sharding", "visualize_sharding"]
