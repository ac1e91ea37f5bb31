# SPDX-License-Identifier: Apache-2.0
"""What jax.experimental has of callbacks."""
from ._callbacks import io_callback

__all__ = ["io_callback"]
