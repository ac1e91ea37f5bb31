# SPDX-License-Identifier: Apache-2.0
"""Exceptions under the names of jax.errors."""
from ._core import (AxisError, ConcretizationTypeError, ContextError, InconclusiveDimensionOperation, LinAlgError,
                    MutationError, UnexpectedTracerError)

TracerArrayConversionError = TracerIntegerConversionError = TracerBoolConversionError = ConcretizationTypeError
NonConcreteBooleanIndexError = ConcretizationTypeError

__all__ = ["AxisError", "ConcretizationTypeError", "ContextError", "InconclusiveDimensionOperation", "LinAlgError",
           "MutationError", "NonConcreteBooleanIndexError", "TracerArrayConversionError", "TracerBoolConversionError",
           "TracerIntegerConversionError", "UnexpectedTracerError"]
