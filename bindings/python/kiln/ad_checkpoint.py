# SPDX-License-Identifier: Apache-2.0
"""Checkpoints and the names in them (jax.ad_checkpoint)."""
from . import _core
from ._transforms import checkpoint, checkpoint_policies, remat
from .tree_util import tree_map

__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies", "remat"]
_checkpoint_name = _core.functions("kiln.core")["checkpoint_name"]


def checkpoint_name(x, name):
    """x, under a name for the policies of checkpoint. (jax.ad_checkpoint.checkpoint_name)"""
    return tree_map(lambda leaf: _checkpoint_name(leaf, name), x)
