# SPDX-License-Identifier: Apache-2.0
"""JAX, where it is the referee, has 64 bits and the CPU: it asks once, when it is imported."""
import os

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
