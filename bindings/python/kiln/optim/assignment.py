# SPDX-License-Identifier: Apache-2.0
"""Pairs of rows and columns with the least cost (optax.assignment)."""
from .. import _core

globals().update(_core.functions("kiln.optim.assignment"))

__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))
