# SPDX-License-Identifier: Apache-2.0
"""Functions of jax.scipy.integrate."""
from .. import _core

_c = _core.functions("kiln.scipy.integrate")
globals().update(_c)
__all__ = sorted(_c)
