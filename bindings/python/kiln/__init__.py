# SPDX-License-Identifier: Apache-2.0
"""Array programs as NumPy and JAX have them, over the C library Kiln."""
import os as _os

from . import _core

_core.set_package(_os.path.dirname(__file__))

from ._core import Array, dtype
from ._transforms import (ShapeDtypeStruct, checkpoint, eval_shape, grad, hessian, jacfwd, jacobian, jacrev, jit, jvp,
                          linear_transpose, linearize, remat, value_and_grad, vjp, vmap)
from . import lax, nn, numpy, ops, random, scipy, tree, tree_util
