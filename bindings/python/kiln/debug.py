# SPDX-License-Identifier: Apache-2.0
"""Looking into programs that run (jax.debug)."""
from ._callbacks import debug_callback as callback, debug_print as print

__all__ = ["callback", "print"]
