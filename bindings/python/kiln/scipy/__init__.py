# SPDX-License-Identifier: Apache-2.0
"""What jax.scipy has, as far as the library has it."""
from . import fft, integrate, linalg, signal, special, stats
from .special import logsumexp

__all__ = ["fft", "integrate", "linalg", "signal", "special", "stats"]
