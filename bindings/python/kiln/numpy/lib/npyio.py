# SPDX-License-Identifier: Apache-2.0
"""The arrays of an npz file. (numpy.lib.npyio)"""
from .._files import NpzFile

__all__ = ["NpzFile"]
