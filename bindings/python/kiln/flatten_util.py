# SPDX-License-Identifier: Apache-2.0
"""Trees as vectors (jax.flatten_util)."""
from . import _core
from .tree_util import tree_flatten

__all__ = ["ravel_pytree"]
_c = _core.functions("kiln.core")
_asarray = _core.functions("kiln.numpy")["asarray"]


def ravel_pytree(pytree):
    """(all elements in one vector, the way back). (jax.flatten_util.ravel_pytree)

    >>> import kiln.flatten_util, kiln.numpy as knp
    >>> v, back = kiln.flatten_util.ravel_pytree({"a": knp.ones(2), "b": 3.0})
    >>> v.tolist(), back(v)["b"].tolist()
    ([1.0, 1.0, 3.0], 3.0)
    """
    leaves, treedef = tree_flatten(pytree)
    flat = _c["tree_ravel"](leaves)
    like = [_asarray(x) for x in leaves]

    def unravel(v):
        shape = getattr(v, "shape", None)
        if shape != flat.shape:
            raise ValueError(f"unravel function given array of shape {shape}, but expected shape {flat.shape}")
        if v.dtype != flat.dtype:
            raise TypeError(f"unravel function given array of dtype {v.dtype}, but expected dtype {flat.dtype}")
        return treedef.unflatten(_c["tree_unravel"](like, v))

    return flat, unravel
