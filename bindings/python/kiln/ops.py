# SPDX-License-Identifier: Apache-2.0
"""Reductions over segments (jax.ops)."""
from . import _core

_c = _core.functions("kiln.ops")
globals().update(_c)
__all__ = sorted(_c)
