# SPDX-License-Identifier: Apache-2.0
"""NumPy's own kinds of errors and warnings. (numpy.exceptions)"""
from .._core import AxisError


class ComplexWarning(RuntimeWarning):
    """Imaginary parts were lost."""


class VisibleDeprecationWarning(UserWarning):
    """Something will go away, and users should see it."""


class RankWarning(RuntimeWarning):
    """Powers of x cannot be told apart in a fit."""


class DTypePromotionError(TypeError):
    """Dtypes have none in common."""


class TooHardError(RuntimeError):
    """The problem would take too long."""


__all__ = [
    "AxisError",
    "ComplexWarning",
    "DTypePromotionError",
    "RankWarning",
    "TooHardError",
     "VisibleDeprecationWarning"]
