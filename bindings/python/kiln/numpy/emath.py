# SPDX-License-Identifier: Apache-2.0
"""Functions whose results are complex where real ones do not exist. (numpy.emath)"""
from .. import _core

_c = _core.functions("kiln.numpy.emath")
globals().update(_c)
__all__ = [*_c]
