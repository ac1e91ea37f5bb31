# SPDX-License-Identifier: Apache-2.0
"""Functions of pytrees under short names (jax.tree)."""
from .tree_util import (all_leaves, tree_all as all, tree_flatten as flatten, tree_leaves as leaves, tree_map as map,
                        tree_reduce as reduce, tree_structure as structure, tree_transpose as transpose,
                        tree_unflatten as unflatten)

__all__ = ["all", "all_leaves", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten"]
