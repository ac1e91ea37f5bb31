# SPDX-License-Identifier: Apache-2.0
"""Jaxprs and their parts (jax.core)."""
from ._jaxpr import (ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Primitive, ShapedArray, Var, eval_jaxpr, jaxpr_as_fun,
                     jaxpr_parse)

__all__ = ["ClosedJaxpr", "Jaxpr", "JaxprEqn", "Literal", "Primitive", "ShapedArray", "Var", "eval_jaxpr",
           "jaxpr_as_fun", "jaxpr_parse"]
